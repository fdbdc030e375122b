(** Functions that run one at a time, in the order in which they were given,
    without keeping who gives them.

    A strand takes the place of a thread that owns something (a log, a document,
    a connection) and of a lock around it, where order matters or where the
    caller should not wait:

    {[
      # let log = Dromos.Strand.create ~name:"log" () and lines = ref [] in
        Dromos.run (fun () ->
            for i = 1 to 3 do
              let write () = Dromos.yield (); lines := i :: !lines in
              ignore (Dromos.Strand.async log write : unit Dromos.Promise.t)
            done);
        List.rev !lines
      - : int list = [1; 2; 3]
    ]}

    {b Whose the functions are.} A strand belongs to no run or scope, and needs
    no clean-up: it can be a global value, and be used by several runs, threads
    and tasks of other schedulers at once. Each function is a task of who gives
    it: {!async} makes it in the innermost scope of the caller, like
    {!Dromos.async}, with the caller's {!Dromos.Fls}, and {!run} calls it where
    it stands. So nothing outlives its scope, and who is cancelled takes with it
    what it gave, and nothing else.

    {b Turns.} A place in the order is taken by the call itself, so calls that
    follow each other run in their order; calls of several tasks at the same
    time in some order, the same for all. A function that waits keeps its turn.
    What a function did happens before what the next one does, so what only
    functions of one strand touch needs no lock.

    {b Failures} are the promise's, or raised by {!run}; the strand goes on. A
    failure that nobody reads is raised at the end of the scope, as by
    {!Dromos.async}.

    {b Cancellation.} A function that has not begun when its scope is cancelled
    never does, and leaves the order in O(1); one that runs meets the
    cancellation where it next waits, and its turn ends with it.

    {b Waiting for itself.} {!run} inside a function of the same strand raises
    [Invalid_argument] at once: it would wait for itself. To await a promise of
    {!async} there, or a task that waits for the strand, is the same mistake,
    which the report of deadlocks finds. {!async} without waiting is right.

    {b Cost}: {!run} without contention is that of a {!Dromos.Mutex}; {!async}
    is that of [Dromos.async] and of a listener in the scope. A function in line
    takes the room of a task that waits.

    Source: strands of Boost.Asio. Stands on {!Dromos_sync.Semaphore}, and is
    tested in test/front/strands on each hub. *)

type t

val create : ?name:string -> unit -> t
(** [name] appears in errors and in reports of deadlocks. *)

val async : ?name:string -> t -> (unit -> 'a) -> 'a Dromos_sync.Promise.t
(** A task that runs the function when all that was given to the strand before
    is over. Never waits. [name] is the task's. Raises {!Dromos.Misplaced}
    outside a run. *)

val run : ?timeout:float -> t -> (unit -> 'a) -> 'a
(** Waits for its turn, and calls the function. From tasks of every scheduler,
    systhreads and domains. Raises {!Dromos_sync.Event.Timeout} if the turn does
    not come in [timeout] seconds, and [Invalid_argument] inside a function of
    the same strand. *)

(** {1 By keys} *)

(** A strand for each key: functions with the same key run one after the other,
    in their order, those with different keys in parallel. All else is as above.

    {[
      # let orders = Dromos.Strand.Keyed.create ~name:"orders" () in
        let seen = Array.make 2 [] in
        let note who i () =
          Dromos.yield ();
          seen.(who) <- i :: seen.(who)
        in
        Dromos.run (fun () ->
            for i = 1 to 3 do
              ignore (Dromos.Strand.Keyed.async orders "ada" (note 0 i));
              ignore (Dromos.Strand.Keyed.async orders "bob" (note 1 i))
            done);
        (seen, Dromos.Strand.Keyed.length orders)
      - : int list array * int = ([|[3; 2; 1]; [3; 2; 1]|], 0)
    ]}

    A key takes room only while functions of it run or are in line. Keys are
    compared and hashed like those of [Hashtbl] (structurally; not functions,
    nor cyclic values). Each call adds O(log k), for [k] keys in use. *)
module Keyed : sig
  type 'key t

  val create : ?name:string -> ?max:int -> unit -> 'key t
  (** At most [max] functions run at the same time (default: no bound), first
      come, first served among keys. Raises [Invalid_argument] if [max < 1]. *)

  val async :
    ?name:string -> 'key t -> 'key -> (unit -> 'a) -> 'a Dromos_sync.Promise.t

  val run : ?timeout:float -> 'key t -> 'key -> (unit -> 'a) -> 'a
  (** [timeout] is for the key's turn, not for [max]. *)

  val length : 'key t -> int
  (** The number of keys in use; a snapshot. O(k). *)
end
