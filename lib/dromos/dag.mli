(** Task graphs: vertices with a function each, edges that say what comes first.
    Built by one fiber, then run, once or many times; extended while it runs.

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
(** A vertex; its function is run, as a fiber, when all its predecessors have
    returned. It may fork, await, yield. It begins with the {!Fls} of whoever
    calls {!run}. *)

val precede : vertex -> vertex -> unit
(** [precede a b]: [a] returns before [b] starts. Raises [Invalid_argument] if
    they are of different graphs. This and all that makes vertices raises
    [Invalid_argument] while the graph is running, but within {!extend}. *)

(** {1 Values}

    Vertices with results, which those that need them are given:

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
(** A vertex whose function returns a value, kept until the next run. *)

val node : t -> ?name:string -> (unit -> 'a) -> 'a node

val map : ?name:string -> ('a -> 'b) -> 'a node -> 'b node
(** A vertex of the same graph, preceded by the node. *)

val map2 : ?name:string -> ('a -> 'b -> 'c) -> 'a node -> 'b node -> 'c node

val all : t -> ?name:string -> 'a node list -> 'a list node
(** The values in the order of the list. *)

val of_node : 'a node -> vertex
(** For {!precede}, {!branch} and [only]. A vertex that it precedes may ask for
    its {!value}. *)

val value : 'a node -> 'a
(** The value of the last run: after it, or in a vertex that the node precedes.
    Raises [Invalid_argument], naming the node, if there is none. *)

val value_opt : 'a node -> 'a option
(** [None] if it did not run, for instance as it was not chosen. *)

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
(** A vertex whose function says which of its successors run. A vertex with
    predecessors runs if one of them at least led to it: it ran, and chose the
    vertex if it is a branch. It is left out all the same if a branch before it
    did not choose it, or if a node whose value it is given ({!map}, {!map2},
    {!all}) was left out. So the ways of a branch can meet again in a vertex
    that they {!precede}. A function that returns a vertex which the branch does
    not {!precede} fails with [Invalid_argument]. *)

val ran : vertex -> bool
(** Whether it ran, to its end, in the last run; as {!value}. *)

(** {1 Running} *)

val run : ?only:vertex list -> t -> unit
(** Runs every vertex, but for those that a {!branch} leaves out, and returns
    when all have. With [only] it runs these vertices and what leads to them,
    and nothing else. Values of the run before are dropped. If a vertex raises,
    vertices not yet started are not started, running ones are cancelled, and
    the exception that came first is raised. Raises [Invalid_argument], naming a
    vertex on it, if the graph has a cycle, or if a vertex of [only] is of
    another graph; {!Misplaced} outside a run. The graph can be run again
    afterwards.

    A vertex can make a graph of its own as well, and run it: its successors
    start when that is over, and its failure is the vertex's. *)

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
(** [extend g f]: what [f] adds to the graph takes part in the run that goes on.
    All of it starts after [f] has returned: each vertex when its predecessors
    have, at once if these are over already. {!run} returns when what was added
    is over too. Within [f] its caller, and nobody else, may call everything
    that makes vertices and edges, values and branches among them. An [extend]
    inside [f] is a part of it.

    {b Who may call}: vertices of the graph; and any other task, fiber or
    thread, while the graph is running: it raises [Invalid_argument] if it is
    not. Whether a run is still going on is known for sure to its vertices
    alone, and to those that a vertex waits for.

    {b Edges} may lead from any vertex of the graph, and to each that has not
    started: [precede a b] raises [Invalid_argument], naming both, if [b] has.
    From the call on [b] waits for the end of [f]. An edge from a branch that
    has returned leads nowhere, since the branch did not choose it. In a run
    with [only] an edge from a vertex that takes no part has it take part,
    together with what leads to it; an edge into such a vertex changes nothing.

    {b All or nothing.} If [f] raises, or if its edges close a cycle, for which
    [extend] raises [Invalid_argument] and names the vertices on it, what [f]
    added is taken back and the graph runs on; raised in a vertex, the exception
    is the vertex's failure, as always.

    {b For one run.} Added vertices and edges belong to that run: a vertex that
    runs again adds them again. They can be looked at ({!value}, {!ran},
    {!size}, {!pp_dot}) until the graph is next run or changed, and are dropped
    then; an edge to one raises [Invalid_argument] from then on. So a graph does
    not grow from run to run; in a run it takes memory for each vertex added.

    {b Storage and random numbers}: an added vertex begins with the {!Fls} of
    whoever added it, as a task made by [async] does.

    {b Cost}: extensions of a graph are made one at a time; others wait,
    suspended, so [f] should be short, and a vertex that [f] waits for must not
    extend the graph. A vertex costs about what it costs in {!run}; the search
    for cycles looks, once for each call, at those vertices that lead to what
    was added and have not started. *)

val size : t -> int

val pp_dot : Format.formatter -> t -> unit
(** The graph in Graphviz' language. *)
