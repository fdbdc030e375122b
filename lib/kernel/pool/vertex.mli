(** Task graphs: vertices that are run when their predecessors are over.

    A vertex is a counter: how many things it still waits for. It waits for each
    of its predecessors and for one {!release}; when the counter reaches zero
    its task is published, once. When the task has returned the vertex is
    {e over} (unless it {!yield}ed) and its successors' counters go down.

    The graph may grow while it runs, from any domain: {!precede} asks only that
    the second vertex has not started and cannot start meanwhile. That is so
    before its {!release}; in a task of one of its predecessors; and in its own
    task, before a {!yield}.

    There is no cycle test (a cycle never starts, and is garbage) and no way to
    wait for a graph as a whole: add a last vertex that sets an ivar, or close
    the pool.

    Creating, preceding and releasing cost a few atomic operations each; none
    blocks. As in all of the kernel, tasks must not raise.

    Source: Parabs' vertices; Taskflow (Huang et al., TPDS 2022) for counters
    and for dynamic graphs. Tested in test/kernel on random graphs, static and
    growing.

    Proved besides (proofs/pool/vertex_finished.v): when the pool has finished
    ([Pool.close] has returned true), every vertex that was released and whose
    predecessors have run has run; so of a graph without cycles, all of whose
    vertices were released, nothing is left.

    {b Checked.}
    - proved (proofs/pool/vertex.v): [create], [set_task], [release], [yield];
    - proved (proofs/pool/vertex_precede.v): [precede];
    - tested (test/kernel): all. *)

type t

val create : unit Pool.task -> t
(** A vertex with no predecessors, not released. *)

val set_task : t -> unit Pool.task -> unit
(** Changes the task. Before {!release}, or in the vertex' own task, where it is
    for the next time ({!yield}). *)

val precede : t -> t -> unit
(** [precede a b]: [b] is not started before [a] is over. Nothing to do if [a]
    is over already. See above for when it may be called. *)

val release : Pool.context -> t -> unit
(** Lets the vertex start as soon as its predecessors are over. Once for each
    vertex. (From outside: in a [Pool.run].) *)

val yield : t -> unit
(** In the vertex' own task: when this task returns, the vertex is not over. It
    is started again when whatever was made to precede it meanwhile is over, and
    not before others that are ready now. With {!set_task} this is a task that
    waits without a stack:

    {[
      let v = Vertex.create ignore in
      Vertex.set_task v (fun ctx ->
          let child = Vertex.create work in
          Vertex.precede child v;
          Vertex.release ctx child;
          Vertex.set_task v (fun ctx -> after_the_child ctx);
          Vertex.yield v)
    ]} *)
