(** The slot in which a thread waits until another thread calls it: see
    {!Preempt}. Internal. *)

type 'place t

val make : 'place -> 'place t
(** The slot of the calling thread; ['place] is the thread's record. *)

val place : 'place t -> 'place
val thread : _ t -> Thread.t

val wait : _ t -> unit
(** Blocks the slot's thread until {!call}. *)

val call : _ t -> unit
(** Lets the slot's thread go on, also if the thread is not waiting yet. What
    the caller wrote before happens before what the thread does next. *)
