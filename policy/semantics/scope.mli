(** What the compiler of expressions and statements knows where it stands. *)

open Core

(** Faults that tests put into the skeleton, to see that they are caught. *)
type fault =
  | Skip_core  (** the filter never asks about the last core *)
  | Forget_unblocked  (** U does not follow a stolen thread *)
  | Early_release
      (** the destination's lock is released before threads enter *)
  | Lower_late  (** the source's words are lowered after its lock is released *)
  | Lose_thread  (** only the first of the stolen threads arrives *)

(** For how long stealing holds the lock of the source: while it goes through
    the ready threads there, or only while it looks which ones there are, and
    for each move. Then words are looked at as those of other cores are, and a
    thread may be gone when it is to be moved. *)
type source_lock = Throughout | Each_move

type taking = { source : int; destination : int; chain : int }
(** Registers of the stealing in whose phase 3 we are. *)

type t = {
  layout : Layout.t;
  fragments : Fragments.t;
  asm : Code.t;
  policy : policy;
  fault : fault option;
  source_lock : source_lock;
  event : event;
  holds : bool;  (** the lock of its core *)
  counts_seen : bool;
      (** the policy looks at counts of single states; else changing them alone
          is no step *)
  locals : (int, int) Hashtbl.t;  (** register by local *)
  owner : int option;
      (** where [Target] is: a register; [None]: the scratch word *)
  filtered : Code.expression option;
  taking : taking option;
  stealing_for : int option;  (** register *)
  result : int option;  (** register of the function's *)
  leave : int ref;  (** where [Return] goes *)
  stop : int ref option;  (** where [Break] goes *)
  block : t -> block -> unit;  (** the compiler of statements *)
}

val kind_of : ty -> Code.kind
val register : t -> local -> int
val read : int -> Code.expression
val constant : int -> Code.expression

val save : t -> ?kind:Code.kind -> Code.expression -> int
(** Into a new register. *)

val set : t -> int -> Code.expression -> unit

val pure :
  t ->
  uses:int list ->
  defines:int list ->
  (Layout.state -> int -> unit) ->
  unit

val step :
  t ->
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
(** [say] is what follows "core 1: balancing for core 0". *)

val lock : t -> Code.expression -> unit
(** A core that is not there has no lock to be taken. *)

val unlock : t -> Code.expression -> unit

val while_ : t -> (unit -> Code.expression) -> (int ref -> unit) -> unit
(** [while_ t test body]: the body gets the label of the end. *)

val if_ : t -> Code.expression -> (unit -> unit) -> (unit -> unit) -> unit
