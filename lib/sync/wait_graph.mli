(** Which task waits for which lock, and who holds that lock: cycles of tasks
    that wait for each other's locks are found when the last of them begins to
    wait. For authors of structures with an {!Owner}, and of schedulers.

    {b What is found.} A task that is about to wait adds an edge, from itself to
    the lock, and follows the graph: the lock's owner, the lock which that owner
    waits for, and so on. If the path comes back to the task, the path is a
    deadlock: each of its tasks holds what the one before it waits for, and none
    can go on. It is reported ({!Dromos_service.Reporter}) at once, with the
    names of the tasks and locks, while the rest of the program goes on; with
    [DROMOS_DEADLOCK=raise] the task that closed the cycle raises
    {!exception-Deadlock} as well, so that its locks are released as it unwinds
    (but for a task that gets its mutex back at the end of a [Condition.wait],
    which must not raise before it has it); with [DROMOS_DEADLOCK=ignore]
    nothing is looked for.

    {b A report is never wrong}: the path is read twice, and each wait and each
    owner on it must be the same both times. So all of them stood at the moment
    between the two. A wait with a [timeout], one that is part of a choice
    ([lock_event]) and one for readers of an {!Rwlock}, which have no names, are
    not edges. A scope's time limit ([Dromos.timeout]) does not count: such a
    cycle is reported, though it will end. After a hundred reports no more are
    printed.

    {b Cost}: two compare-and-sets on one of 4096 words for each wait, besides
    the length of the path; none for a lock that is free. Lock-free, from any
    thread.

    Source: wait-for graphs as in databases (Gray and Reuter,
    {e Transaction processing}, 7.11). Checked: dscheck in test/sync/graph_model
    (two and three tasks that close a cycle at once: one report), and
    test/deadlock. *)

exception Deadlock of string
(** [Dromos.Deadlock]: the text is that of the report. *)

type lock = {
  reason : string;  (** the call and the lock's name: ["Mutex.lock on db"] *)
  owner : unit -> Owner.t;  (** who holds it now *)
}

val waiting : ?shielded:bool -> Owner.t -> lock -> (unit -> 'a) -> 'a
(** [waiting self lock wait] is [wait ()], with the edge from [self] to [lock]
    in the graph meanwhile. Reports, or raises, if the edge closes a cycle;
    [shielded]: reports only. No edge for {!Owner.nobody}. *)

val waits_for : Owner.t -> lock option
(** What a task waits for now. O(log n) for n tasks that wait. *)

(** {1 For schedulers} *)

val set_details : (Owner.t list -> Owner.t -> string * string) -> unit
(** What a report says of the tasks that it is about, of which it has a list
    first: the name, [""] if there is none or it is not known, and since when
    and where the task waits. From any thread. Process wide. *)

type waits

val let_go : take:(waits -> 'a) -> back:('a -> waits) -> unit -> unit
(** The graph holds what [take] makes of its waits, until the function that it
    returns is called: for who asks the collector what leads to those who wait.
    Cycles that are closed meanwhile are not found. By one thread at a time. *)

(** {1 The setting} *)

type mode = Report | Raise | Ignore

val mode : (mode, string) result
(** [DROMOS_DEADLOCK], or what it is if that is none of [report] (the default),
    [raise], [ignore]. *)
