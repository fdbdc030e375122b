(** A fiber's surroundings: its scope, cancellation node, shield and storage,
    which branches of the fiber inherit. Owner of [scope], [node], [shield] and
    [fls]. Internal.

    Invariant: a branch gets the surroundings of its fork. A change of scope,
    node or shield therefore links a {e border} on the fiber's chain, which
    keeps the surroundings of the frames below; the storage may also change
    without a border, by {!set_storage}. *)

open Types

val of_fiber : fiber -> env
(** The surroundings that a branch forked now inherits. *)

val inside :
  ?fls:Hmap.t ->
  ?node:node ->
  fiber ->
  scope:scope ->
  shield:int ->
  (unit -> 'a) ->
  'a
(** Runs a function with changed surroundings of the fiber, and then restores
    the surroundings (the storage only if [fls] is given). [node] is a new node,
    which is attached below the fiber's node while the function runs, unless the
    fiber was shielded. Frames that were linked before keep the old
    surroundings: a branch that is published meanwhile gets a node below the
    node that the branch was forked under. *)

val shielded : fiber -> (unit -> 'a) -> 'a
(** {!inside} with cancellation put off, and all other surroundings unchanged.
*)

val stands_on_border : fiber -> bool
(** [true]: no latent frame inherits the present storage, because the newest
    frame is a border or the fiber has no frame. *)

val set_storage : fiber -> Hmap.t -> unit
(** Changes the storage, also of branches that were forked before and are not
    published yet. Called by the fiber, or by the holder of the fiber's handle.
*)

val set_node : fiber -> node -> unit
(** Sets the fiber's node, without a border. For {!Latent}, which inserts a node
    for the first branch of an owned frame below the fiber's present node. *)

val end_split : fiber -> split -> unit
(** The first branch of an owned frame has ended: the fiber gets back the node
    [outer] that it had outside the branch, and the branch's own node leaves
    [outer]. Called by the fiber. *)
