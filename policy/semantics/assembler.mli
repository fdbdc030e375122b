(** The assembler of {!Code}. *)

type t
(** Code that grows. The first instruction is [End]. *)

val create : unit -> t
val here : t -> int
val emit : t -> Code.instruction -> unit
val label : unit -> int ref

val place : t -> int ref -> unit
(** Sets the label to the next instruction. *)

val registers : t -> Code.kind array
(** The registers of the handler that is being compiled. *)

val start_handler : t -> target:Code.kind -> unit

val fresh : ?kind:Code.kind -> ?count:int -> t -> int
(** Allocates adjacent registers and returns the first. *)

val instructions : t -> Code.instruction array
