(** Work stealing from deques that thieves read directly: what {!Std} and
    {!Hybrid} share. The two hubs differ in the kind of deque alone.

    A worker pushes its new and unblocked tasks on its own deque and takes the
    newest first; thieves take the oldest of a victim's, which in divide and
    conquer are the largest. A task that the deque refuses, since it is full,
    goes to the shared queue. A worker that has nothing looks at its inbox, at
    the shared queue, at the tasks that yielded, and then at every other worker,
    from a random one on.

    Push, pop and steal are lock-free; a push or pop costs a few nanoseconds, a
    steal that finds nothing one look at each deque. {!Central} tells how a busy
    worker gets round to tasks outside its deque. A yielding task is returned
    only after those that were in its worker's deque when it yielded.

    The kinds of deques are a variant and not a record of closures: with a
    closure for each operation a task that is pushed and popped took 3 to 6 per
    cent longer.

    Source: Blumofe and Leiserson, JACM 1999; Parabs, sections 6.1 and 8.1.

    {b Checked.}
    - proved (proofs/hub/stealing.v): [make];
    - model-checked (test/kernel): [make];
    - tested (test/kernel): all. *)

(** One deque for each worker. *)
type 'ctx deques =
  | Growing of 'ctx Hub.task Dromos_deque.Public.t  (** never full *)
  | Fixed of 'ctx Hub.task Dromos_deque.Bounded.t array

type 'ctx parts = {
  name : string;  (** of the hub *)
  deques : 'ctx deques;  (** empty, and used by the hub alone *)
}

val make : workers:int -> 'ctx parts -> 'ctx Hub.t
(** A hub over these deques. *)
