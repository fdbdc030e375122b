(** C names for a policy's, and what decides about them.

    C has one space of names, where macros reach everywhere: so a name of the
    policy that the machine's text uses too gets the prefix [policy_]. Names
    with two underscores are the generator's own. *)

open Dromos_policy_core.Core

exception Not_compiled of place * string

val of_policy : string -> string
(** Of a function or a variable. Different names stay different. *)

val field : attribute -> string
(** Its name without its owner. *)

val of_attribute : attribute -> string
(** The constant that holds its word's number. *)

val of_member : enum -> int -> string
val of_state : state -> string

(** Where code stands. *)
type where =
  | Placing
      (** in [new], [unblock], [attach]: no lock is held, moves choose a core,
          and cores are those on which the target may run *)
  | Local  (** the lock of the core is held, or nothing is moved *)
  | Taking
      (** in [steal_thread]: the destination is seen with what was taken *)

val of_function : where -> func -> string
