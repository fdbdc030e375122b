(** Futures: the result of a task, for kernel tasks.

    A future is a write-once cell ({!Dromos_base.Ivar}) and a task that sets the
    cell. As for all kernel tasks, the functions given here must not raise or
    perform effects; [Dromos.Pool.Future] is the safe form.

    Every operation is lock-free, and only {!wait} waits. A waiting task runs
    other tasks on top of its own stack (help-first), so the recursion is as
    deep as the tasks that it meets.

    Source: Parabs, section 10. Tested in test/kernel.

    {b Checked.}
    - proved (proofs/pool/future.v): [async], [wait], [map], [iter];
    - tested (test/kernel): all. *)

type 'a t

val return : 'a -> 'a t
(** A future with its result. *)

val async : Pool.context -> 'a Pool.task -> 'a t
(** Publishes a task and returns the future of its result. *)

val wait : Pool.context -> 'a t -> 'a
(** Runs other tasks until the result has come, and returns the result. *)

val peek : 'a t -> 'a option

val map : Pool.context -> 'a t -> (Pool.context -> 'a -> 'b) -> 'b t
(** Starts a task once the future has its result, and returns the future of the
    task's result. A chain of a million futures is fine: each function runs in a
    task of its own and not in a call inside the previous task. *)

val iter : Pool.context -> 'a t -> (Pool.context -> 'a -> unit) -> unit
(** Like [map], without a result. Returns at once. The task runs even if the
    pool closes meanwhile, provided that the future gets its result. *)
