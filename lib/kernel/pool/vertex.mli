(** Task graphs: a vertex runs when its predecessors are over.

    A vertex is a counter of the events that the vertex waits for: the end of
    each predecessor, and one {!release}. When the counter reaches zero, the
    vertex publishes its task, once. When the task has returned, the vertex is
    {e over} (unless the task called {!yield}), and the counters of its
    successors go down.

    The graph may grow while it runs, from any domain. {!precede} requires only
    that the second vertex has not started and cannot start meanwhile. The
    requirement holds before the {!release} of the second vertex, in a task of
    one of its predecessors, and in its own task before a {!yield}.

    The module does not test for cycles (a cycle never starts, and is garbage),
    and no operation waits for a whole graph: add a last vertex that sets an
    ivar, or close the pool.

    Creating, preceding and releasing cost a few atomic operations each, and
    none of them blocks. As in all of the kernel, tasks must not raise.

    Source: Parabs' vertices; Taskflow (Huang et al., TPDS 2022) for counters
    and for dynamic graphs. Tested in test/kernel on random graphs, static and
    growing.

    Proved besides (proofs/pool/vertex_finished.v): when the pool has finished
    ([Pool.close] has returned true), every vertex that was released and whose
    predecessors have run has run. If, moreover, a graph has no cycles and all
    its vertices were released, then all its vertices have run.

    {b Checked.}
    - proved (proofs/pool/vertex.v): [create], [set_task], [release], [yield];
    - proved (proofs/pool/vertex_precede.v): [precede];
    - tested (test/kernel): all. *)

type t

val create : unit Pool.task -> t
(** A vertex without predecessors, not released. *)

val set_task : t -> unit Pool.task -> unit
(** Changes the task. Called before {!release}, or in the vertex' own task: then
    the new task runs the next time ({!yield}). *)

val precede : t -> t -> unit
(** [precede a b]: [b] does not start before [a] is over. No effect if [a] is
    over already. The top of this page tells when a caller may use [precede]. *)

val release : Pool.context -> t -> unit
(** Lets the vertex start as soon as its predecessors are over. Call [release]
    once for each vertex. (From outside: in a [Pool.run].) *)

val yield : t -> unit
(** Called in the vertex' own task: when the task returns, the vertex is not
    over. The vertex starts again when all vertices that were made to precede it
    meanwhile are over, and not before other vertices that are ready now. With
    {!set_task}, a task can wait without a stack:

    {[
      let v = Vertex.create ignore in
      Vertex.set_task v (fun ctx ->
          let child = Vertex.create work in
          Vertex.precede child v;
          Vertex.release ctx child;
          Vertex.set_task v (fun ctx -> after_the_child ctx);
          Vertex.yield v)
    ]} *)
