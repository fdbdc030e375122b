(** The wait-for graph of tasks and locks: when a task begins to wait and closes
    a cycle of tasks that wait for each other's locks, the cycle is found. For
    authors of structures with an {!Owner}, and of schedulers.

    {b Cycles.} A task that is about to wait adds an edge from itself to the
    lock, and follows the graph: the lock's owner, the lock for which the owner
    waits, and so on. If the path comes back to the task, the path is a
    deadlock: each task on the path holds the lock for which the previous task
    waits, and none can go on. The deadlock is reported at once
    ({!Dromos_service.Reporter}), with the names of the tasks and locks, while
    the rest of the program goes on.

    With [DROMOS_DEADLOCK=raise] the task that closed the cycle also raises
    {!exception-Deadlock}, and releases its locks as it unwinds. (Exception: a
    task that takes its mutex again at the end of a [Condition.wait] must not
    raise without the mutex.) With [DROMOS_DEADLOCK=ignore] the graph is not
    used.

    {b A report is never wrong}: the path is read twice, and each wait and each
    owner must be the same in both readings. All of them stood at the moment
    between the readings. A wait with a [timeout], a wait in a select
    ([lock_event]) and a wait for readers of an {!Rwlock}, which have no names,
    are not edges. A scope's time limit ([Dromos.timeout]) is not considered: a
    cycle with such a task is reported, though the time limit will end the
    cycle. At most a hundred reports are printed.

    {b Cost}: two compare-and-sets on one of 4096 words per wait, and a walk
    along the path; no cost for a free lock. Lock-free, from any thread.

    Source: wait-for graphs as in databases (Gray and Reuter,
    {e Transaction processing}, 7.11). Checked: dscheck in test/sync/graph_model
    (two and three tasks that close a cycle at once: one report), and
    test/deadlock.

    @canonical Dromos_sync.Author.Wait_graph *)

exception Deadlock of string
(** [Dromos.Deadlock]: the argument is the text of the report. *)

type lock = {
  reason : string;  (** the call and the lock's name: ["Mutex.lock on db"] *)
  owner : unit -> Owner.t;  (** the present holder *)
}

val waiting : ?shielded:bool -> Owner.t -> lock -> (unit -> 'a) -> 'a
(** [waiting self lock wait] is [wait ()], with the edge from [self] to [lock]
    in the graph until [wait] ends. If the edge closes a cycle, [waiting]
    reports, or raises; if [shielded], it only reports. No edge for
    {!Owner.nobody}. *)

val waits_for : Owner.t -> lock option
(** [waits_for id] is the lock for which the task waits now. O(log n) for n
    waiting tasks. *)

(** {1 For schedulers} *)

val set_details : (Owner.t list -> Owner.t -> string * string) -> unit
(** [set_details f] gives reports more details. A report applies [f] to the list
    of its tasks, and the result to each task: the task's name ([""] if the task
    has no name or is not known), and a clause on the time and place of the
    wait. Any thread may call [f]. Process wide. *)

type waits

val let_go : take:(waits -> 'a) -> back:('a -> waits) -> unit -> unit
(** [let_go ~take ~back] moves all waits from the graph into the values made by
    [take], until the resulting function is called: for a scheduler that asks
    the collector whether a waiting task is reachable. Cycles that are closed
    meanwhile are not found. One caller at a time. *)

(** {1 The setting} *)

type mode = Report | Raise | Ignore

val mode : (mode, string) result
(** The value of [DROMOS_DEADLOCK]: [report] (the default), [raise] or [ignore];
    [Error] with any other text. *)
