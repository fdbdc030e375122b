(** A pool of worker domains of one's own, and futures on it: the kernel's pool
    for plain tasks, made safe. Most programs want {!Dromos.run} instead, which
    shares one set of domains and whose tasks can wait without helping.

    A task here is a function that runs to its end on one worker. {!Future.wait}
    in a task runs other tasks meanwhile, on top of the waiting one: do not hold
    locks across it, and do not wait in a task for what may be waiting itself,
    further down, for that task: neither would ever go on.

    A pool may be used from many domains and systhreads at once. {!run} and
    {!close} are for the outside: in a task of the same pool they raise
    [Invalid_argument] rather than wait for themselves.

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
(** The pool has been closed. Every function that is given a context raises it
    then: a context is for the task that it was given to, on the thread that
    runs the task. *)

val create : ?hub:Hub.t -> ?minor_heap_words:int -> workers:int -> unit -> t
(** [workers - 1] domains are spawned; the callers of {!run} are the last one.
    [minor_heap_words] is the size of the minor heap of these domains, and of
    each caller's for the time of {!run}; by default the callers' stay as they
    are, and the others have the size of the domain that calls [create]
    ([Dromos.run] says more). Raises [Invalid_argument] if [workers] is not in
    [1 .. 128], or [minor_heap_words] not in [4096 .. 134217728]. *)

val run : t -> (context -> 'a) -> 'a
(** Runs a task to its end, with the caller's help, and returns its result or
    re-raises its exception with its backtrace. Raises {!Closed}. *)

val async : context -> (context -> unit) -> unit
(** Starts a task. If it raises, {!close} raises that exception (the first one)
    at the end. *)

val close : t -> unit
(** Waits for every submitted task, stops the domains. Raises {!Closed} if the
    pool was closed before, and the first exception of an {!async} task, if any.
*)

val with_ :
  ?hub:Hub.t -> ?minor_heap_words:int -> workers:int -> (t -> 'a) -> 'a
(** Creates, applies, closes. *)

val workers : context -> int

module Future : sig
  type 'a t

  val return : 'a -> 'a t
  val async : context -> (context -> 'a) -> 'a t

  val wait : context -> 'a t -> 'a
  (** Re-raises the task's exception. *)

  val map : context -> 'a t -> (context -> 'a -> 'b) -> 'b t
  (** Runs when the future is there. If the future failed, so does the result.
  *)

  val iter : context -> 'a t -> (context -> 'a -> unit) -> unit
  (** Like {!val-async}, once the future is there. If the future failed the
      function is not called: that exception belongs to whoever {!wait}s. *)
end
