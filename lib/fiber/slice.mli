(** Pieces of a fiber on a worker's thread: entering the fiber and its heap, and
    leaving both. Owner of a fiber's [worker] and a worker's [slices]. Internal.
*)

open Types

val run : worker -> fiber -> ('a -> unit) -> 'a -> unit
(** [run worker fiber go x] runs [go x], as code of the fiber, on the calling
    thread, which acts for the worker, until the fiber ends or leaves. Another
    thread may act for the worker afterwards: see {!Preempt}. *)

val leave : unit -> fiber
(** The running fiber, which is off its thread from now on. Called on the
    scheduler's stack by the handler of an effect that takes the fiber off its
    worker. *)

val suspend :
  fiber -> ('a, unit) Effect.Deep.continuation -> ('a, unit) Task_heap.kept
(** Keeps the continuation of a fiber that leaves; the domain leaves the fiber's
    heap. *)

val end_in_heap : fiber -> ('code, 'result) Task_heap.record -> 'result -> unit
(** Called at the end of a fiber with a heap of its own: the fiber's result is
    stored in the record, and the fiber leaves the heap. *)

(** {1 The handler of fibers} *)

type handler = {
  handle :
    'b. 'b Effect.t -> (('b, unit) Effect.Deep.continuation -> unit) option;
}
[@@unboxed]

val handled : ('a -> unit) -> 'a -> unit
(** [handled f x] runs [f x] on a fresh stack, under the handler of fibers. *)

val tie : handler -> unit
(** Sets the handler, once, before any run: the handler starts fibers, which run
    under the handler. Called by {!Task}. *)
