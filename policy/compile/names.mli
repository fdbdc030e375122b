(** OCaml names for the names of a policy. *)

open Dromos_policy_core.Core

type t = string list
(** The names of the policy's functions. *)

val of_policy : policy -> t

val of_local : t -> local -> string
(** A name that differs from all functions and all names of the generated code.
*)

val of_attribute : attribute -> string
(** The constant with the number of the attribute's word. *)

val of_setter : attribute -> string
val of_member : enum -> int -> string
val of_state : state -> string

type moving =
  | Placing
  | Local
  | Taking
      (** the place of the code: [Placing] holds no lock, [Local] holds the lock
          of the core, [Taking] runs while threads are stolen *)

val of_function : moving -> func -> string
(** The function's name for code at this place. A function without moves has one
    name for [Placing] and [Local]. For [Taking] each function has a second
    name, since its observations count the taken threads. *)

val moves : func -> bool
(** True if the function moves threads, also in called functions. *)
