(** Translates expressions of a policy to C. All values are [s64]: threads,
    cores, groups and domains by number, booleans as 0 and 1. In handlers and
    functions [e] is the event. *)

open Dromos_policy_core.Core

type sites = {
  mutable orders : int;
  mutable snapshots : int;
  mutable fresh : int;
}
(** Counters for the whole program: the places that need memory of their own,
    and the fresh names. *)

type context = {
  where : Words.where;
  locals : (int, string) Hashtbl.t;  (** the declared locals, by id *)
  sites : sites;
}

val refuse : place -> string -> 'a
(** @raise Words.Not_compiled *)

val fresh : context -> string -> string
val local : context -> local -> string
val expression : context -> expression -> string

val operand : context -> expression -> string
(** The expression, in parentheses if needed. *)

val members : context -> expression -> string -> string * string * string
(** [members context set i]: the declarations to go before, the macro for a loop
    over the set, and the condition that [i] is a member. *)

val queue : context -> expression -> string * string
(** The core and the state of a queue. *)

val core_key : context -> string -> key -> string
val thread_key : string -> key -> string

val operands : context -> expression list -> string * string list
(** Evaluated from left to right if the order can make a difference: the
    declarations to go before, and a text for each operand. *)
