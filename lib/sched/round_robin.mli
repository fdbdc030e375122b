(** Round robin on each vproc: fibers take turns, and stay on the vproc where
    they were spawned. The basic scheduler of the paper (Manticore, section
    3.3.2). The scheduler below, usually the root, has a turn after 16 turns, or
    after 4 turns that lasted for a whole quantum ({!Preemption}). *)

val run :
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  (unit -> 'a) ->
  'a
(** Runs a function while the fibers of the vprocs' queues ({!Vproc.enq}) take
    turns. Returns when all fibers spawned by the function are over.

    [under]: see {!Attached.run}. With [under] the scheduler has queues of its
    own, and leaves the vprocs' queues alone: two such schedulers can be in two
    shares of one vproc, each with its own fibers. *)

val spawn : ?name:string -> ?on:Vproc.t -> (unit -> unit) -> unit
(** Makes a fiber on the given vproc, by default the host, in the scope of the
    caller. The fiber runs under the innermost round-robin scheduler around the
    caller if the scheduler runs on the vproc, else goes into the vproc's queue.
*)

val give : Vproc.t -> Core.fiber -> unit
(** Gives an existing fiber to the same scheduler as {!spawn}; for [~under]. *)
