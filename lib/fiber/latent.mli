(** Finding latent frames, and marking them as promoted; {!Task} publishes them.
    Internal. *)

type candidate = { frame : Fiber.frame; env : Fiber.env }

val oldest : Fiber.t -> Fiber.frame -> candidate list
(** The oldest latent frames of the chain that starts at this frame, oldest
    first, with the surroundings in which each branch is to run: one, and one
    more for every 64 in the chain, which pays for the walk. *)

val all : Fiber.t -> candidate list
(** Every latent frame of the fiber, oldest first. By the fiber. *)

val are_few : Fiber.t -> bool
(** Whether {!all} has at most 100. By the fiber. *)

val has_owned : Fiber.frame -> bool
(** Whether there are latent frames of an owner among the newest 64: these are
    published when the fiber yields too, since the branch may be what it yields
    for. *)

val mark : ?still:Fiber.local * Fiber.frame -> Fiber.t -> Fiber.frame -> bool
(** Makes a latent frame of the fiber a promoted one, not yet published; [false]
    if it is not latent. By a thread of the domain that runs the fiber; atomic
    for these. With [~still:(local, top)] also [false] unless [local] runs the
    fiber and its newest frame is [top], in the same atomic step: then the chain
    that was searched is still the fiber's. *)
