(** C expressions for a policy's. All values are [s64]: threads, cores, groups
    and domains by number, truth as 0 and 1. Handlers and functions have the
    event in [e]. *)

open Dromos_policy_core.Core

type sites = {
  mutable orders : int;
  mutable snapshots : int;
  mutable fresh : int;
}
(** What was given out for the whole program: places that need memory of their
    own, and names. *)

type context = {
  where : Words.where;
  locals : (int, string) Hashtbl.t;  (** those that were declared, by id *)
  sites : sites;
}

val refuse : place -> string -> 'a
(** @raise Words.Not_compiled *)

val fresh : context -> string -> string
val local : context -> local -> string
val expression : context -> expression -> string

val operand : context -> expression -> string
(** In parentheses if it needs some. *)

val members : context -> expression -> string -> string * string * string
(** [members context set i]: declarations to go before, the macro that goes
    through such a set, and the condition that [i] is a member. *)

val queue : context -> expression -> string * string
(** A queue's core and state. *)

val core_key : context -> string -> key -> string
val thread_key : string -> key -> string

val operands : context -> expression list -> string * string list
(** Evaluated from left to right where that shows: declarations to go before,
    and what stands for each. *)
