(** Finding latent frames, and marking them as promoted; {!Promotion} publishes
    marked frames. Internal. *)

type candidate = { frame : Types.frame; env : Types.env }

val oldest : Fiber.t -> Types.frame -> candidate list
(** The oldest latent frames of the chain that starts at this frame, oldest
    first, with the surroundings in which each branch is to run. The list has
    one frame, and one more for every 64 latent frames in the chain: the number
    pays for the walk. *)

val all : Fiber.t -> candidate list
(** Every latent frame of the fiber, oldest first. Called by the fiber. *)

val are_few : Fiber.t -> bool
(** [true]: {!all} has at most 100 frames. Called by the fiber. *)

val has_owned : Types.frame -> bool
(** [true]: the newest 64 frames include a latent frame of an owner. A fiber
    that yields publishes such frames too, since the fiber may yield for the
    branch's sake. *)

val mark : ?still:Types.local * Types.frame -> Fiber.t -> Types.frame -> bool
(** Makes a latent frame of the fiber a promoted frame, not yet published;
    [false] if the frame is not latent. Called by a thread of the domain that
    runs the fiber; atomic for the domain's threads. With [~still:(local, top)]
    also [false] unless [local] runs the fiber and the fiber's newest frame is
    [top], in the same atomic step: then the chain that was searched is still
    the fiber's. *)
