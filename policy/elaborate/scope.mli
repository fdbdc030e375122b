(** What names mean at some place of a policy, and the faults found so far.

    One [t] serves a whole policy; {!with_local} and the like give a smaller
    view of the same. *)

open Dromos_policy_core
open Dromos_policy_syntax

(** What belongs to a thread, a core, a group or a domain, by name. *)
type member =
  | Stored of Core.attribute
  | Computed of string  (** a lazy one: the function of this (hidden) name *)
  | Structure of string  (** its fields are members [name.field] *)
  | Smallest_domain  (** [system domain d] of a core *)

type binding =
  | Constant of Core.expression
  | Global of Core.attribute
  | Global_structure
  | Lazy_global of string
  | State of Core.state
  | Function
  | System_function of Core.attribute
  | Value of Core.expression  (** may not be assigned *)
  | Variable of Core.local
  | Event of Core.ty  (** [e], with the type of [e.target] *)

type t

val create : unit -> t

(** {1 Faults} *)

val report : t -> Fault.t -> unit

val attempt : t -> (unit -> 'a) -> 'a option
(** What faults is reported, and [None]. *)

val faults : t -> Fault.t list

(** {1 Names} *)

val declare : t -> Ast.name -> binding -> unit
(** For the whole policy. Faults if it is declared, or the language's own. *)

val find : t -> string -> binding option
val find_or_fail : t -> Ast.name -> what:string -> binding
val names : t -> string list
val set_member : t -> Core.owner -> Ast.name -> member -> unit
val member : t -> Core.owner -> string -> member option
val members : t -> Core.owner -> string list
val set_type : t -> Ast.name -> Core.ty -> unit

val ty : t -> Ast.ty -> Core.ty
(** Not [void], which is no type of a value. *)

val type_name : Core.ty -> string
val with_local : t -> Ast.name -> binding -> t
val fresh : t -> string -> Core.ty -> Core.local
val local_count : t -> int

val attribute_of : t -> string -> string option
(** A hint, if an attribute of a core, a thread, a group or a domain is called
    so. *)

val unknown : t -> ?hint:string -> Ast.name -> what:string -> string list -> 'a
(** Faults, with the hint, or else the nearest of the names. *)

(** {1 Where we are} *)

val here : t -> Core.expression option
(** The core that a bare [ready] is of. *)

val with_here : t -> Core.expression option -> t

val owner : t -> (Core.owner * Core.expression option) option
(** In a lazy attribute: whose attributes bare names are. *)

val with_owner : t -> Core.owner -> Core.expression option -> t
val in_loop : t -> bool
val with_loop : t -> t

val result : t -> Core.ty option
(** What [return] gives here. *)

val with_result : t -> Core.ty option -> t

(** {1 Functions} *)

val set_function : t -> (t -> Ast.name -> Core.func) -> unit

val func : t -> Ast.name -> Core.func
(** Elaborated when it is first called, so that callees come first. *)

val at : Core.place -> Core.ty -> Core.it -> Core.expression
