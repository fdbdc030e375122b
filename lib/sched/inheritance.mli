(** Priority inheritance: while a task waits for a lock, the holder of the lock
    counts for the level of that task. For authors of schedulers; {!Priority}
    has it built in.

    Without inheritance a task of a high level that waits for a lock waits also
    for all tasks of a middle level, since these go before the holder, which is
    of a low level (a {e priority inversion}).

    {b What counts}: a task's own level, and the greatest level of those that
    wait for locks it holds, and of those that wait for locks these hold, and so
    on, whoever runs the tasks on such a chain. When a lock is released its
    waiters lend to the next holder, and no more to the last one; when a waiter
    is cancelled, or its time is up, the waiter lends no more.

    {b Which locks}: [Dromos.Mutex]; [Rwlock], where a writer holds it; and
    [Dromos.Strand.run]. Not the ones that have no holder with a name
    (semaphores, an {!Dromos_sync.Rwlock} that readers hold), and no waits that
    are part of a choice ([lock_event]).

    {b One register, one scheduler}: a task is lent what waiters of the same
    register count for. The holder of a lock under another scheduler, or inside
    a scheduler that is nested in this one, is not moved.

    {b Cost}: nothing for locks that are free; for each wait three to four
    compare-and-sets on one word of the register, each in time logarithmic in
    the number of tasks that wait, times the length of the chain. Programs
    without a register read one word for each wait and each contended unlock.
    Under {!Priority} a lock that is handed over among 10 fibers, which yield
    while they hold the lock, takes 4.0 us instead of 3.7, among 1,000 fibers
    11.6 instead of 4.7. Lock-free; from any thread. Checked: the graph against
    a direct computation (test/sched/lending), and {!Priority} in
    test/sched/policies.

    {b A task that takes a free lock} writes its name just after: a waiter that
    looks in the few instructions between lends to the task only when the next
    task comes to wait or leaves.

    Larger levels are more urgent. A scheduler does three things:
    - {!run} it around its {!Attached.run}, with a function that tells the level
      of the task that calls it;
    - before it adds a fiber to its queue, count {!lent} in, if the fiber has an
      identity ({!identity});
    - when a task is [changed], give the fiber of that identity its new rank
      ({!Shared_queue.set_rank}), and in any case look at {!lent} once more
      after the fiber has been added.

    {[
      # module Inheritance = Dromos.Sched.Inheritance
        let level : int Dromos.Fls.key = Dromos.Fls.new_key ();;
      module Inheritance = Dromos.Sched.Inheritance
      val level : int Dromos_sched.Fls.key = <abstr>
      # let register =
          let level () = Option.value (Dromos.Fls.find level) ~default:min_int in
          Inheritance.create ~level ~changed:(fun _ _ -> ())
      val register : Inheritance.t = <abstr>
      # Dromos.run ~workers:1 @@ fun () ->
        Inheritance.run register @@ fun () ->
        let lock = Dromos.Mutex.create () in
        Dromos.Mutex.lock lock;
        let lent () =
          Option.bind (Dromos.Mutex.owner lock) (Inheritance.lent register)
        in
        let waiter =
          Dromos.Fls.let_ level 9 @@ fun () ->
          Dromos.async (fun () -> Dromos.Mutex.protect lock ignore)
        in
        let before = lent () in
        Dromos.yield ();
        let during = lent () in
        Dromos.Mutex.unlock lock;
        Dromos.await waiter;
        (before, during, lent ())
      - : int option * int option * int option = (None, Some 9, None)
    ]} *)

type t
(** A register of a scheduler's. *)

val create :
  level:(unit -> int) -> changed:(t -> Dromos_sync.Owner.t -> unit) -> t
(** [level ()] is asked by each task of the process that is about to wait for a
    lock: its own level, [min_int] if the task is none of this scheduler's.
    [changed t task] is told, by whichever task caused it, that {!lent} has
    another answer for [task]. Neither may wait: an attempt raises
    [Dromos.Misplaced] in it. What they raise is reported
    ({!Dromos_service.Reporter}), and [level] counts as [min_int] then. The
    fiber that calls them is not preempted meanwhile. *)

val run : t -> (unit -> 'a) -> 'a
(** The register hears of the waits that begin while the function runs. *)

val lent : t -> Dromos_sync.Owner.t -> int option
(** The greatest level that waiting tasks lend to the task now. One atomic read
    while no task waits, else logarithmic in the number of tasks that wait. *)

val set_level : t -> Dromos_sync.Owner.t -> int -> unit
(** The own level of a task has changed, which may wait for a lock at the
    moment. *)

val identity : Core.fiber -> Dromos_sync.Owner.t
(** The identity with which a fiber in a scheduler's hands waits for locks and
    holds locks; {!Dromos_sync.Owner.nobody} for a fiber that has never come
    near a lock. While a fiber runs another task in place (in [Dromos.await])
    this is the identity of that task: levels lent to the fiber for locks that
    the fiber holds itself then count again when the task is over. *)
