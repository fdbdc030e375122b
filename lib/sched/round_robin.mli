(** Round robin on each vproc: fibers take turns, and stay where they were
    spawned. The basic scheduler of the paper (Manticore, section 3.3.2). The
    scheduler below, the root as a rule, has one turn after 16 of theirs, or
    after 4 that lasted for a whole quantum ({!Preemption}). *)

val run :
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  (unit -> 'a) ->
  'a
(** Runs a function while the fibers of the vprocs' queues ({!Vproc.enq}) take
    turns. Returns when all that it spawned are over.

    [under]: see {!Attached.run}. With it the scheduler has queues of its own,
    and leaves those of the vprocs to others: so it can be in two shares of one
    vproc, each with its fibers. *)

val spawn : ?name:string -> ?on:Vproc.t -> (unit -> unit) -> unit
(** A fiber on that vproc, by default the host, in the scope of the caller: of
    the innermost such scheduler around the caller, if it runs there, else in
    the vproc's queue. *)

val give : Vproc.t -> Core.fiber -> unit
(** Has the same scheduler run a fiber that somebody made; for [~under]. *)
