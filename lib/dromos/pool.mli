(** A pool of worker domains of the program's own, and futures: the kernel's
    pool for plain tasks, made safe. Most programs should use {!Dromos.run},
    which shares one set of domains, and whose tasks can wait without running
    others.

    A task here is a function that runs to its end on one worker. {!Future.wait}
    in a task runs other tasks meanwhile, on top of the waiting one: do not hold
    a lock across {!Future.wait}, and do not wait in a task for a task that may
    wait for yours further down the same stack: neither would ever go on.

    A pool may be used from many domains and systhreads at once. {!run} and
    {!close} are for callers outside: in a task of the same pool both raise
    [Invalid_argument], since the call would wait for its own task.

    {[
      # Dromos.Pool.(with_ ~workers:2 (fun pool ->
          run pool (fun ctx ->
              let a = Future.async ctx (fun _ -> 40) in
              let b = Future.map ctx a (fun _ a -> a + 1) in
              Future.wait ctx a + Future.wait ctx b)))
      - : int = 81
    ]} *)

type t
type context

exception Closed
(** The pool has been closed. Every function that takes a context then raises
    [Closed]. A context is for the task that got the context, on the thread that
    runs the task. *)

val create : ?hub:Hub.t -> ?minor_heap_words:int -> workers:int -> unit -> t
(** Spawns [workers - 1] domains; the callers of {!run} together are the last
    worker. [minor_heap_words] is the size of the minor heap of these domains,
    and of each caller's minor heap during {!run}. By default the callers' minor
    heaps stay as they are, and the other domains have the size of the domain
    that calls [create] ([Dromos.run] says more). Raises [Invalid_argument] if
    [workers] is not in [1 .. 128], or [minor_heap_words] not in
    [4096 .. 134217728]. *)

val run : t -> (context -> 'a) -> 'a
(** Runs a task to its end: the caller works until then, and [run] returns its
    result or re-raises its exception with its backtrace. Raises {!Closed}. *)

val async : context -> (context -> unit) -> unit
(** Starts a task. {!close} raises the exception of the first task that raised.
*)

val close : t -> unit
(** Waits for every submitted task, stops the domains. Raises {!Closed} if the
    pool was closed before, and the first exception of an {!async} task, if any.
*)

val with_ :
  ?hub:Hub.t -> ?minor_heap_words:int -> workers:int -> (t -> 'a) -> 'a
(** Creates a pool, calls the function with the pool, and closes the pool. *)

val workers : context -> int

module Future : sig
  type 'a t

  val return : 'a -> 'a t
  val async : context -> (context -> 'a) -> 'a t

  val wait : context -> 'a t -> 'a
  (** Re-raises the task's exception. *)

  val map : context -> 'a t -> (context -> 'a -> 'b) -> 'b t
  (** Calls the function when the future has a value. If the future failed, the
      result fails too. *)

  val iter : context -> 'a t -> (context -> 'a -> unit) -> unit
  (** Like {!val-async}, when the future has a value. If the future failed, the
      function is not called, and only {!wait} raises the exception. *)
end
