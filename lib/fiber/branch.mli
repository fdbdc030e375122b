(** Published branches: from the publication to the result. Owner of [record] of
    {!Types.type-join}. Internal.

    On stock OCaml the hub's task is a closure with the branch's code, and the
    branch's {!Join} has the outcome. Where tasks have heaps the runtime keeps
    both in a {e record}, so that the hub's queues, which all domains share,
    lead to neither. *)

open Types

val publish :
  (run -> kernel_task -> unit) -> fiber -> env -> ('own, 'b) join -> unit
(** [publish give fiber env join] hands a kernel task that runs the fiber's
    branch to [give]. Called by the fiber, or by its publisher thread, perhaps
    after the fiber ran the branch itself. *)

val code : env -> ('own, 'b) join -> fiber -> unit
(** The branch as the code of a new fiber, up to the storing of the outcome. *)

val claim : ('own, 'b) join -> bool
(** [true]: no worker has taken the branch, and none will: the forking fiber
    runs the branch itself. Called by the joining fiber. *)

val outcome : ('own, 'b) join -> 'b Join.outcome
(** The outcome of a branch that is over. Called by the joining fiber, once. *)
