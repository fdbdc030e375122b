(** Work stealing from deques that thieves read directly: the shared code of
    {!Std} and {!Hybrid}. The two hubs differ in the kind of deque alone.

    A worker pushes its new and unblocked tasks on its own deque and takes the
    newest first. Thieves take the oldest task of a victim's deque; in divide
    and conquer the oldest tasks are the largest. If the deque is full, the task
    goes to the shared queue. A worker with an empty deque looks at its inbox,
    at the shared queue, at the tasks that yielded, and then at every other
    worker, from a random worker on.

    Push, pop and steal are lock-free. A push or pop costs a few nanoseconds; a
    steal without success costs one look at each deque. {!Central} tells how a
    busy worker comes to run tasks outside its deque. A hub returns a yielding
    task only after the tasks that were in its worker's deque when the task
    yielded.

    The kinds of deques are a variant and not a record of closures: with a
    closure for each operation, a push and a pop of a task took 3 to 6 per cent
    longer.

    Source: Blumofe and Leiserson, JACM 1999; Parabs, sections 6.1 and 8.1.

    {b Checked.}
    - proved (proofs/hub/stealing.v): [make];
    - model-checked (test/kernel): [make];
    - tested (test/kernel): all. *)

(** The deques of the workers, one each. *)
type 'ctx deques =
  | Growing of 'ctx Hub.task Dromos_deque.Public.t  (** never full *)
  | Fixed of 'ctx Hub.task Dromos_deque.Bounded.t array

type 'ctx parts = {
  name : string;  (** name of the hub *)
  deques : 'ctx deques;  (** empty, and used by the hub alone *)
}

val make : workers:int -> 'ctx parts -> 'ctx Hub.t
(** A hub over these deques. *)
