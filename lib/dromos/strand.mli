(** Functions that run one at a time, in the order in which they were given. The
    caller need not wait.

    A strand replaces a thread that owns a log, a document or a connection, and
    replaces a lock where order matters or where the caller should not wait:

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

    {b Owners.} A strand belongs to no run or scope, and needs no clean-up: a
    strand can be a global value that several runs, threads and tasks of other
    schedulers use at once. The caller owns its function. {!async} makes a task
    in the innermost scope of the caller, like {!Dromos.async}, with the
    caller's {!Dromos.Fls}; {!run} calls the function in the calling task. So no
    function outlives its scope, and a cancellation of a scope cancels the
    functions given in it, and no others.

    {b Turns.} The call itself takes a place in the order, so the functions of
    successive calls run in the order of the calls; concurrent calls of several
    tasks are put in some order. A function that waits keeps its turn. The
    actions of a function happen before the actions of the next, so data that
    only functions of one strand touch need no lock.

    {b Failures} go to the promise, or {!run} raises them; the strand goes on.
    The scope raises a failure without an awaiter at its end, as for
    {!Dromos.async}.

    {b Cancellation.} If a scope is cancelled, its functions that have not begun
    never begin, and leave the order in O(1). (If the turn has come already, the
    turn ends when a worker takes the function.) A running function raises
    [Cancelled] at its next wait, and its turn ends with the function.

    {b Waiting for itself.} {!run} inside a function of the same strand raises
    [Invalid_argument] at once, since the function would wait for itself. To
    await there a promise of {!async}, or a task that waits for the strand, is
    the same mistake, which the report of deadlocks finds. {!async} without a
    wait is right.

    {b Cost}: {!run} without contention costs as much as a {!Dromos.Mutex};
    {!async} costs a [Dromos.async]. A function in line is no fiber until its
    turn comes, and takes some 60 words (half a kilobyte), with its promise. A
    program that gives functions faster than the strand runs them needs a bound
    of its own: a [Semaphore], or {!run}.

    Source: strands of Boost.Asio. Stands on {!Dromos_sync.Author.Line}, and is
    tested in test/front/strands on each hub. *)

type t

val create : ?name:string -> unit -> t
(** [name] appears in errors and in reports of deadlocks. *)

val async : ?name:string -> t -> (unit -> 'a) -> 'a Dromos_sync.Promise.t
(** Makes a task that runs the function when all functions given to the strand
    before are over. Never waits. [name] is the name of the task. Raises
    {!Dromos.Misplaced} outside a run. *)

val run : ?timeout:float -> t -> (unit -> 'a) -> 'a
(** Waits for its turn, and calls the function. Tasks of every scheduler,
    systhreads and domains may call [run]. Raises {!Dromos_sync.Event.Timeout}
    if the turn does not come in [timeout] seconds, and [Invalid_argument]
    inside a function of the same strand. *)

(** {1 By keys} *)

(** A strand for each key: functions with the same key run one after the other,
    in their order; functions with different keys run in parallel. All else is
    as above.

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

    A key takes memory only while its functions run or are in line. Keys are
    compared and hashed like those of [Hashtbl] (structurally; no functions and
    no cyclic values). Each call adds O(log k), for [k] keys in use. *)
module Keyed : sig
  type 'key t

  val create : ?name:string -> ?max:int -> unit -> 'key t
  (** At most [max] functions run at the same time (default: no bound), and keys
      take turns first come, first served. Raises [Invalid_argument] if
      [max < 1]. *)

  val async :
    ?name:string -> 'key t -> 'key -> (unit -> 'a) -> 'a Dromos_sync.Promise.t

  val run : ?timeout:float -> 'key t -> 'key -> (unit -> 'a) -> 'a
  (** [timeout] is for the key's turn, not for the wait that [max] makes. *)

  val length : 'key t -> int
  (** The number of keys in use; a snapshot. O(k). *)
end
