(** A list that takes additions until its vertex starts. Internal: the edges
    into a vertex that come after the run has begun, see {!Dag_part}.

    Lock-free, from anywhere; each operation is a compare-and-set. Source: the
    list of successors in [Dromos_kernel.Vertex], a stack that can be closed.
    {b Checked}: dscheck, in test/dag (additions against the start). *)

type 'a t

val create : unit -> 'a t

val add : 'a t -> 'a -> bool
(** [false] if the vertex has started: nothing was added. *)

val start : 'a t -> 'a list
(** Called by the vertex. [[]]: the vertex has started. Otherwise all additions
    since the last call, newest first; the vertex waits for them and calls
    [start] again. *)

val started : 'a t -> bool
