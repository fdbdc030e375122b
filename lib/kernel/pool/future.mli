(** Futures: the result of a task, for kernel tasks.

    A future is a write-once cell ({!Dromos_base.Ivar}) and a task that sets it.
    As for all kernel tasks, the functions given here must not raise nor perform
    effects; [Dromos.Pool.Future] is the safe form.

    Everything is lock-free; only {!wait} waits, and it runs other tasks
    meanwhile, on top of the waiting one (help-first): recursion is as deep as
    the tasks it meets.

    Source: Parabs, section 10. Tested in test/kernel.

    {b Checked.}
    - proved (proofs/pool/future.v): [async], [wait], [map], [iter];
    - tested (test/kernel): all. *)

type 'a t

val return : 'a -> 'a t
(** One that is there already. *)

val async : Pool.context -> 'a Pool.task -> 'a t
(** Publishes the task; its result will be the future's. *)

val wait : Pool.context -> 'a t -> 'a
(** Runs other tasks until the result is there. *)

val peek : 'a t -> 'a option

val map : Pool.context -> 'a t -> (Pool.context -> 'a -> 'b) -> 'b t
(** A task that runs once the future is there, and the future of its result. A
    chain of a million of them is fine: each is a task of its own, not a call
    inside the one before. *)

val iter : Pool.context -> 'a t -> (Pool.context -> 'a -> unit) -> unit
(** The same without a result. Returns at once; the task is run even if the pool
    is closed meanwhile, provided that the future comes. *)
