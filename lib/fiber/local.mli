(** The record of the calling thread, and which fiber the thread runs. Owner of
    [current], [serving], [companion], [thread] and [others] of
    {!Types.type-local}. Internal.

    A thread has a record from its first call of {!get} to {!release}; every
    thread that serves as a worker has one. The systhreads of a domain share the
    domain's storage, which has the record of one thread, and the others in a
    list. *)

open Types

val get : unit -> local
(** The calling thread's record, made at the first call. *)

val find : unit -> local option
(** The calling thread's record, if the thread has one. *)

val fiber : unit -> fiber
(** The fiber that the calling thread runs, or {!Nobody.fiber}: [current]. *)

val runs : local -> fiber -> unit
(** The thread runs this fiber from now on. *)

val runs_none : local -> unit
(** The fiber has left the thread, or leaves it at once. *)

val serves : local -> worker option -> unit
(** The thread serves as this worker, or no longer serves. *)

val has_companion : local -> companion -> unit

val serving : unit -> worker option
(** The worker that the calling thread serves; on a thread of Dromos that serves
    none, a worker that another thread of the domain serves. *)

val release : local -> unit
(** The calling thread stops serving: [release] stops the thread's companion and
    forgets the record. The main domain's first thread keeps its companion for
    later runs. A domain ends only after its last systhread has ended. *)
