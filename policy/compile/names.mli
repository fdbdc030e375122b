(** OCaml names for a policy's. *)

open Dromos_policy_core.Core

type t = string list
(** Those of a policy's functions. *)

val of_policy : policy -> t

val of_local : t -> local -> string
(** Of no function, and nothing that generated code itself says. *)

val of_attribute : attribute -> string
(** The constant that holds its word's number. *)

val of_setter : attribute -> string
val of_member : enum -> int -> string
val of_state : state -> string

type moving =
  | Placing
  | Local
  | Taking
      (** where moves stand: no lock is held; that of the core is; while
          stealing *)

val of_function : moving -> func -> string
(** One name for functions that move nothing, and another while stealing, when
    what they observe is what was taken already. *)

val moves : func -> bool
(** Callees included. *)
