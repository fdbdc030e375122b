(** Task graphs: vertices with a function each, edges that say what comes first.
    Built by one fiber, then run, once or many times.

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
    they are of different graphs, or the graph is running. *)

val run : t -> unit
(** Runs every vertex and returns when all have. If one raises, vertices not yet
    started are not started, running ones are cancelled, and the exception that
    came first is raised. Raises [Invalid_argument], naming a vertex on it, if
    the graph has a cycle; {!Misplaced} outside a run. The graph can be run
    again afterwards. *)

val size : t -> int

val pp_dot : Format.formatter -> t -> unit
(** The graph in Graphviz' language. *)
