(** The fiber of threads that run no fiber, and the records around it. Internal.

    The fiber's run has an empty pool and no workers. [fiber] is thus an
    ordinary record, and the fast paths compare addresses instead of matching
    options. *)

val fiber : Types.fiber
val worker : Types.worker
val run : Types.run
val scope : Types.scope
val local : Types.local

val made : Types.made
(** The filler of every worker's list; never begun. *)

val nil : Types.frame
(** The end of every chain of frames. *)

val no_frames : Types.frames
(** The frames of fibers that have ended; never written. *)

val stop : Types.directive
(** [Forward Stop]; compared by address. *)

val resumed : unit -> unit
(** See {!Handle.resumed}. *)

val no_fork : (unit -> unit) -> unit
(** [asks] of a fiber that is no branch; compared by address. *)

val awake : string
(** [waits] of a fiber that does not wait; compared by address. *)

val threads : serve:(unit -> unit) -> Types.worker_threads
(** The threads of a worker that a thread begins to serve. *)

val no_orphans : Orphan.kept
