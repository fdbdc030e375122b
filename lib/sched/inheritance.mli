(** Priority inheritance: while a task waits for a lock, the holder of the lock
    counts for the level of the task. For authors of schedulers; {!Priority} has
    inheritance built in.

    Without inheritance a task of a high level that waits for a lock waits also
    for all tasks of a middle level, since these go before the holder, whose
    level is low (a {e priority inversion}).

    {b What counts}: a task's own level, and the greatest level of the tasks
    that wait for its locks, of the tasks that wait for locks of those tasks,
    and so on. Any scheduler may run the tasks of the chain. After a lock is
    released, its waiters lend to the next holder, and stop lending to the last
    holder. A waiter that is cancelled, or whose time is up, stops lending.

    {b Which locks}: [Dromos.Mutex]; [Rwlock], where a writer holds it; and
    [Dromos.Strand.run]. Excluded are locks without a named holder (semaphores,
    an {!Dromos_sync.Rwlock} held by readers), and waits that are part of a
    select ([lock_event]).

    {b One register, one scheduler}: a task is lent the levels of waiters in the
    same register. The holder of a lock under another scheduler, or inside a
    scheduler that is nested in this scheduler, is not moved.

    {b Cost}: none for free locks; for each wait, three to four compare-and-sets
    on one word of the register, each in time logarithmic in the number of
    waiting tasks, times the length of the chain. Programs without a register
    read one word for each wait and each contended unlock. Under {!Priority} a
    lock handed over among 10 fibers, which yield while they hold the lock,
    takes 4.0 us instead of 3.7, among 1,000 fibers 11.6 instead of 4.7.
    Lock-free; from any thread. Checked: the graph against a direct computation
    (test/sched/lending), and {!Priority} in test/sched/policies.

    {b A task that takes a free lock} writes its name just after taking the
    lock. A waiter that looks in the few instructions between lends to the task
    only when the next task comes to wait or leaves.

    Larger levels are more urgent. A scheduler has three duties:
    - call {!run} around its {!Attached.run}, with a function that returns the
      level of the calling task;
    - before adding a fiber to its queue, count {!lent} in, if the fiber has an
      identity ({!identity});
    - when [changed] is called for a task, give the fiber of that identity its
      new rank ({!Shared_queue.set_rank}), and in any case look at {!lent} once
      more after adding the fiber.

    {[
      # module Inheritance = Dromos.Sched.Inheritance
        let level : int Dromos.Fls.key = Dromos.Fls.new_key ();;
      module Inheritance = Dromos.Sched.Inheritance
      val level : int Dromos_sched.Fls.key = <abstr>
      # let register =
          let level () = Option.value (Dromos.Fls.find_opt level) ~default:min_int in
          Inheritance.create ~level ~changed:(fun _ _ -> ())
      val register : Inheritance.t = <abstr>
      # Dromos.run ~workers:1 @@ fun () ->
        Inheritance.run register @@ fun () ->
        let lock = Dromos.Mutex.create () in
        Dromos.Mutex.lock lock;
        let lent () =
          Option.bind (Dromos_sync.Author.Mutex.owner lock) (Inheritance.lent register)
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
(** The register of a scheduler. *)

val create :
  level:(unit -> int) -> changed:(t -> Dromos_sync.Author.Owner.t -> unit) -> t
(** [level ()] is called by each task of the process that is about to wait for a
    lock, and returns the task's own level; [min_int] if the task does not
    belong to this scheduler. [changed t task] is called by the task that has
    caused the change, when the answer of {!lent} for [task] has changed.
    Neither function may wait: an attempt raises [Dromos.Misplaced] inside the
    function. Exceptions of the functions are reported
    ({!Dromos_service.Reporter}), and [level] then counts as [min_int]. The
    calling fiber is not preempted during the call. *)

val run : t -> (unit -> 'a) -> 'a
(** The register learns of all waits that begin while the function runs. *)

val lent : t -> Dromos_sync.Author.Owner.t -> int option
(** The greatest level that waiting tasks lend to the task now. An atomic read
    while no task waits, else logarithmic in the number of tasks that wait. *)

val set_level : t -> Dromos_sync.Author.Owner.t -> int -> unit
(** Tells the register that a task's own level has changed. The task may be
    waiting for a lock. *)

val identity : Core.fiber -> Dromos_sync.Author.Owner.t
(** The identity with which a fiber takes locks and waits for locks;
    {!Dromos_sync.Author.Owner.nobody} for a fiber that has never used a lock.
    The caller holds the fiber's handle. While a fiber runs another task in
    place (in [Dromos.await]), the result is the identity of the task: levels
    lent to the fiber for its own locks count again when the task is over. *)
