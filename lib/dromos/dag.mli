(** Task graphs: each vertex has a function, and edges order the vertices. One
    fiber builds the graph and runs it, once or many times; tasks may extend the
    graph while it runs.

    {[
      # let log = Atomic.make [] in
        let say s () = Atomic.set log (s :: Atomic.get log) in
        let g = Dromos.Dag.create () in
        let shop = Dromos.Dag.vertex g ~name:"shop" (say "shop") in
        let cook = Dromos.Dag.vertex g ~name:"cook" (say "cook") in
        Dromos.Dag.precede shop cook;
        Dromos.run (fun () -> Dromos.Dag.run g);
        List.rev (Atomic.get log)
      - : string list = ["shop"; "cook"]
    ]} *)

type t
type vertex

val create : unit -> t

val vertex : t -> ?name:string -> (unit -> unit) -> vertex
(** [vertex g f] is a vertex with the function [f]. [f] runs as a fiber when all
    predecessors have returned. [f] may fork, await and yield, and begins with
    the {!Fls} of the caller of {!run}. *)

val precede : vertex -> vertex -> unit
(** [precede a b]: [a] returns before [b] starts. Raises [Invalid_argument] if
    [a] and [b] are of different graphs. While the graph is running, [precede]
    and all functions that make vertices raise [Invalid_argument] outside of
    {!extend}. *)

(** {1 Values}

    A {e node} is a vertex with a result, which other vertices get as an
    argument:

    {[
      # let g = Dromos.Dag.create ()
      val g : Dromos.Dag.t = <abstr>
      # let price = Dromos.Dag.node g ~name:"price" (fun () -> 6)
        let count = Dromos.Dag.node g ~name:"count" (fun () -> 7)
        let total = Dromos.Dag.map2 ~name:"total" ( * ) price count
        let text = Dromos.Dag.map string_of_int total;;
      val price : int Dromos.Dag.node = <abstr>
      val count : int Dromos.Dag.node = <abstr>
      val total : int Dromos.Dag.node = <abstr>
      val text : string Dromos.Dag.node = <abstr>
      # Dromos.run (fun () -> Dromos.Dag.run g);
        Dromos.Dag.value text
      - : string = "42"
    ]} *)

type 'a node
(** A vertex whose function returns a value; the value is kept until the next
    run. *)

val node : t -> ?name:string -> (unit -> 'a) -> 'a node

val map : ?name:string -> ('a -> 'b) -> 'a node -> 'b node
(** [map f node] is a vertex of the same graph, which [node] precedes. *)

val map2 : ?name:string -> ('a -> 'b -> 'c) -> 'a node -> 'b node -> 'c node

val all : t -> ?name:string -> 'a node list -> 'a list node
(** The values in the order of the list. *)

val of_node : 'a node -> vertex
(** The vertex of the node, for {!precede}, {!branch} and [only]. A vertex that
    the node precedes may read the node's {!value}. *)

val value : 'a node -> 'a
(** The value of the last run. Call [value] after the run, or in a vertex that
    the node precedes. Raises [Invalid_argument] with the node's name if the
    node has no value. *)

val value_opt : 'a node -> 'a option
(** [None] if the node did not run, for instance if no branch chose the node. *)

(** {1 Conditions}

    {[
      # let g = Dromos.Dag.create () in
        let log = Atomic.make [] in
        let say s () = Atomic.set log (s :: Atomic.get log) in
        let yes = Dromos.Dag.vertex g (say "yes") in
        let no = Dromos.Dag.vertex g (say "no") in
        let after = Dromos.Dag.vertex g (say "after") in
        let asks = Dromos.Dag.branch g (fun () -> [ yes ]) in
        List.iter (fun v ->
            Dromos.Dag.precede asks v;
            Dromos.Dag.precede v after)
          [ yes; no ];
        Dromos.run (fun () -> Dromos.Dag.run g);
        List.rev (Atomic.get log)
      - : string list = ["yes"; "after"]
    ]} *)

val branch : t -> ?name:string -> (unit -> vertex list) -> vertex
(** A branch is a vertex whose function returns the successors that run. A
    predecessor {e leads to} a vertex if the predecessor ran, and, being a
    branch, chose the vertex. A vertex with predecessors runs if at least one of
    them leads to it. The vertex is left out, however, if a branch that precedes
    it did not choose it, or if a node whose value it gets ({!map}, {!map2},
    {!all}) was left out. So the ways of a branch can meet again in a vertex
    that they {!precede}. A function that returns a vertex which the branch does
    not {!precede} fails with [Invalid_argument]. *)

val ran : vertex -> bool
(** [true] if the vertex ran, to its end, in the last run. Call [ran] where
    {!value} may be called. *)

(** {1 Running} *)

val run : ?only:vertex list -> t -> unit
(** Runs every vertex, except vertices that a {!branch} leaves out, and returns
    when all have returned. With [only], [run] runs the vertices of [only] and
    all their predecessors, direct and indirect, and no others. Values of the
    run before are dropped. If a vertex raises, no further vertex starts,
    running vertices are cancelled, and the exception that came first is raised.
    Raises [Invalid_argument] if the graph has a cycle (with the names of its
    vertices), or if a vertex of [only] belongs to another graph; {!Misplaced}
    outside a run. The graph can be run again afterwards.

    The function of a vertex may also make and run a graph of its own:
    successors of the vertex start when that run has returned, and a failure of
    the run is the vertex's failure. *)

(** {1 Graphs that grow while they run}

    {[
      # let g = Dromos.Dag.create () in
        let log = Atomic.make [] in
        let say s () = Atomic.set log (s :: Atomic.get log) in
        let last = Dromos.Dag.vertex g (say "last") in
        let reads =
          Dromos.Dag.vertex g (fun () ->
              Dromos.Dag.extend g (fun () ->
                  let found = Dromos.Dag.vertex g (say "found") in
                  Dromos.Dag.precede found last))
        in
        Dromos.Dag.precede reads last;
        Dromos.run (fun () -> Dromos.Dag.run g);
        let first = List.rev (Atomic.get log) in
        Dromos.run (fun () -> Dromos.Dag.run g);
        (first, Dromos.Dag.size g, List.length (Atomic.get log))
      - : string list * int * int = (["found"; "last"], 3, 4)
    ]} *)

val extend : t -> (unit -> 'a) -> 'a
(** [extend g f] calls [f], and the vertices and edges that [f] makes take part
    in the current run. All new vertices start after [f] has returned: each when
    its predecessors have returned, at once if all have. {!run} waits for the
    new vertices too. Within [f] the caller of [extend], and no other task, may
    call every function that makes vertices or edges, those of values and
    branches among them. An [extend] inside [f] is a part of the outer [extend].

    {b Callers}: vertices of the graph; other fibers, and threads, while the
    graph is running. [extend] raises [Invalid_argument] if the graph is not
    running. Only a vertex, or a task that a vertex waits for, can be sure that
    the run has not ended.

    {b Edges} may come from any vertex of the graph, and may lead to every
    vertex that has not started: [precede a b] raises [Invalid_argument], naming
    [a] and [b], if [b] has started, and from the call of [precede] on [b] waits
    for the end of [f]. If [a] fails, [b] does not start. A branch that has
    returned did not choose [b], so [b] is left out. In a run with [only], [a]
    and all its predecessors take part from then on, and an edge into a vertex
    that takes no part has no effect in this run.

    {b All or nothing.} If [f] raises, or if new edges close a cycle, the graph
    runs on as before [extend]. [extend] raises the exception of [f], or an
    [Invalid_argument] that names the vertices on the cycle; in a vertex the
    exception is the vertex's failure, as always.

    {b For one run.} A vertex that extends the graph does so in every run, so
    the vertices and edges of [f] are removed after their run. {!value}, {!ran},
    {!size} and {!pp_dot} show new vertices until the graph is next run or
    changed; a new vertex is unusable afterwards, and {!precede} and [only]
    raise [Invalid_argument]. So a graph does not grow from run to run. Within a
    run each new vertex takes memory.

    {b Storage and random numbers}: a new vertex begins with the {!Fls} of the
    caller of [extend], as a task of [async] does.

    {b Cost}: a graph has one extension at a time; other callers wait,
    suspended. [f] should be short, and must not wait for a vertex that extends
    the graph. A new vertex costs about as much as a vertex in {!run}. The
    search for cycles looks, once in each [extend], at vertices that lead to new
    edges and have not started. Graphs without extensions pay a compare-and-set
    for each vertex.

    Sources: Taskflow's subflows and oneTBB's flow graph, as published ideas.
    {b Checked}: test/dag, on each hub with 1, 2 and 4 workers. *)

val size : t -> int

val pp_dot : Format.formatter -> t -> unit
(** The graph in Graphviz' language. *)
