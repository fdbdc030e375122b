(** The running fiber's turns, and the knot of the fiber's modules. Internal.

    {!Handler} starts fibers (published branches, actions), and fibers run under
    the handler. The modules in between ({!Slice}, {!Actions}, {!Start},
    {!Branch}, {!Promotion}) do not know the handler: [Task] ties it in
    ({!Slice.tie}) when the program starts. *)

val yield : unit -> unit
(** Called by a fiber. Does nothing under a C frame, where the worker cannot
    leave the fiber. *)

val step_back : Types.fiber -> unit
(** Lets other fibers go first, as a rule some tens of the worker's tasks: the
    fiber goes to the injector, behind tasks for all workers, like a fiber that
    was just woken. May raise [Cancelled]. Called by the fiber. *)
