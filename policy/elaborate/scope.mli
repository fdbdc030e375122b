(** The meaning of names at one place of a policy, and the faults found so far.

    All scopes of a policy share one set of declarations. {!with_local} and
    similar functions give a view with more local names. *)

open Dromos_policy_core
open Dromos_policy_syntax

(** A member of a thread, a core, a group or a domain, by name. *)
type member =
  | Stored of Core.attribute
  | Computed of string  (** a lazy attribute: the hidden name of its function *)
  | Structure of string  (** a structure: its fields are members [name.field] *)
  | Smallest_domain  (** [system domain d] of a core *)

type binding =
  | Constant of Core.expression
  | Global of Core.attribute
  | Global_structure
  | Lazy_global of string
  | State of Core.state
  | Function
  | System_function of Core.attribute
  | Value of Core.expression  (** a value that may not be assigned *)
  | Variable of Core.local
  | Event of Core.ty  (** [e], with the type of [e.target] *)

type t

val create : unit -> t

(** {1 Faults} *)

val report : t -> Fault.t -> unit

val attempt : t -> (unit -> 'a) -> 'a option
(** [None] after a fault, which is reported. *)

val faults : t -> Fault.t list

(** {1 Names} *)

val declare : t -> Ast.name -> binding -> unit
(** Declares the name for the whole policy. Faults if the name is declared
    already, or belongs to the language. *)

val find : t -> string -> binding option
val find_or_fail : t -> Ast.name -> what:string -> binding
val names : t -> string list
val set_member : t -> Core.owner -> Ast.name -> member -> unit
val member : t -> Core.owner -> string -> member option
val members : t -> Core.owner -> string list
val set_type : t -> Ast.name -> Core.ty -> unit

val ty : t -> Ast.ty -> Core.ty
(** The type of a value; faults for [void]. *)

val type_name : Core.ty -> string
val with_local : t -> Ast.name -> binding -> t
val fresh : t -> string -> Core.ty -> Core.local
val local_count : t -> int

val attribute_of : t -> string -> string option
(** A hint, if an attribute of a core, a thread, a group or a domain has this
    name. *)

val unknown : t -> ?hint:string -> Ast.name -> what:string -> string list -> 'a
(** Faults, with the hint, or with the nearest of the names. *)

(** {1 The current place} *)

val here : t -> Core.expression option
(** The core to which a bare [ready] belongs. *)

val with_here : t -> Core.expression option -> t

val owner : t -> (Core.owner * Core.expression option) option
(** In a lazy attribute, the owner of the attributes named without an owner. *)

val with_owner : t -> Core.owner -> Core.expression option -> t
val in_loop : t -> bool
val with_loop : t -> t

val result : t -> Core.ty option
(** The type of the value for [return]. *)

val with_result : t -> Core.ty option -> t

(** {1 Functions} *)

val set_function : t -> (t -> Ast.name -> Core.func) -> unit

val func : t -> Ast.name -> Core.func
(** Elaborates the function at the first call; called functions come first. *)

val at : Core.place -> Core.ty -> Core.it -> Core.expression
