(** The code of the steps and expressions that a handler is made of, added to
    the assembler of a {!Scope}. *)

open Core

val kind_of : ty -> Code.kind
val register : Scope.t -> local -> int
val read : int -> Code.expression
val constant : int -> Code.expression

val save : Scope.t -> ?kind:Code.kind -> Code.expression -> int
(** Stores the value in a new register. *)

val set : Scope.t -> int -> Code.expression -> unit

val pure :
  Scope.t ->
  uses:int list ->
  defines:int list ->
  (Layout.state -> int -> unit) ->
  unit

val step :
  Scope.t ->
  ?ready:(Layout.state -> int -> bool) ->
  ?shown:(Layout.state -> int -> bool) ->
  ?mover:Code.mover ->
  ?locks:bool ->
  ?hands_over:bool ->
  ?ways:(Layout.state -> int -> int) ->
  ?defines:int list ->
  uses:int list ->
  say:(Layout.state -> int -> Layout.state -> string) ->
  (Layout.state -> int -> unit) ->
  unit
(** [say] gives the text after "core 1: balancing for core 0". *)

val lock : Scope.t -> Code.expression -> unit
(** Takes the core's lock; no step if the core is none. *)

val unlock : Scope.t -> Code.expression -> unit

val while_ : Scope.t -> (unit -> Code.expression) -> (int ref -> unit) -> unit
(** [while_ t test body]: the body gets the label of the end. *)

val if_ : Scope.t -> Code.expression -> (unit -> unit) -> (unit -> unit) -> unit
