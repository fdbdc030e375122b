(** OCaml names for a policy's. *)

open Dromos_policy_core.Core

val of_local : local -> string

val of_attribute : attribute -> string
(** The constant that holds its word's number. *)

val of_member : enum -> int -> string
val of_state : state -> string

type moving =
  | Placing
  | Local
  | Taking
      (** where moves stand: no lock is held; that of the core is; while
          stealing *)

val of_function : moving -> func -> string
(** One name for functions that move nothing. *)

val moves : func -> bool
(** Callees included. *)
