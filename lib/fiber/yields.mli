(** Latent frames of a fiber that yields: the part of {!Turns} that concerns a
    fiber. Internal.

    A fiber that yields in a loop inside a fork publishes its oldest latent
    frames every 60th time, or when it has yielded four times as often as other
    fibers ran in between, if that is later. Not all of k fibers that yield in
    each of their branches thus multiply every 60 yields. *)

val are_many : Types.fiber -> bool
(** Counts a yield of the fiber. [true]: the fiber must publish latent frames
    first. Called by the fiber's worker. *)
