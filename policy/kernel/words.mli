(** C names for the names of a policy.

    C has one name space, and macros reach everywhere. A name of the policy that
    the machine's text uses too gets the prefix [policy_]. Names with two
    underscores are the generator's own. *)

open Dromos_policy_core.Core

exception Not_compiled of place * string

val of_policy : string -> string
(** The name of a function or a variable. Different names stay different. *)

val field : attribute -> string
(** The name of the attribute without the owner. *)

val of_attribute : attribute -> string
(** The constant with the number of the attribute's word. *)

val of_member : enum -> int -> string
val of_state : state -> string

(** The place of the code. *)
type where =
  | Placing
      (** in [new], [unblock], [attach]: no lock is held, a move chooses a core,
          and sets of cores hold cores on which the target may run *)
  | Local  (** the lock of the core is held, or the code moves no thread *)
  | Taking
      (** in [steal_thread]: observations of the destination count the taken
          threads *)

val of_function : where -> func -> string
