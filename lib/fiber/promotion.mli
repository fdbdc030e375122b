(** Promotion: publishing latent frames, oldest first. Owner of [promotions] of
    {!Types.type-worker}. Internal. *)

open Types

val oldest : fiber -> unit
(** Publishes a share of the latent frames, unless an earlier publication still
    waits for a taker. Called by the fiber. *)

val share : fiber -> unit
(** Publishes a share of the latent frames, whatever was published before. *)

val near : fiber -> unit
(** Publishes every latent frame if the fiber has at most 100, else does
    {!share}. Called by the fiber. *)

val all : fiber -> unit
(** Publishes every latent frame, to the calling worker's deque where the hub
    has deques. Called by the fiber, before it leaves its worker. *)

val before_yield : fiber -> unit
(** Publishes the frames that a fiber must not keep when it yields: all, if an
    owner has latent frames among the newest; some, if {!Yields} says so. *)

val offers : still:local * frame -> fiber -> (unit -> unit) list
(** Marks a share of the latent frames, and counts them as promotions of the
    fiber's worker. Each function in the result publishes a branch where every
    worker finds the branch at once, and may wait. Called by another thread of
    the fiber's domain: see {!Latent.mark}. *)
