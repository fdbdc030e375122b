open Dromos_fiber
module Mutex = Dromos_sync.Mutex
module Owner = Dromos_sync.Author.Owner
module Vertex = Dromos_kernel.Vertex

type vertex = {
  id : int;
  name : string;
  code : vertex -> unit;
  chooses : bool;
  forget : unit -> unit;
  graph : t;
  fls : Hmap.t option;
  mutable of_run : int;
  mutable successors : edge list;
  mutable edges_in : edge list;
  mutable mark : int; [@owner Dag_cycle]
  mutable chosen : vertex list; [@owner Dag_rules]
  mutable ran : bool; [@owner Dag_rules]
}

and edge = { from : vertex; into : vertex; needed : bool; added : bool }

and t = {
  mutable vertices : vertex list;
  mutable size : int;
  mutable checked : bool;
  mutable runs : int;
  mutable extended : bool;
  mutable extension : extension option;
  mutable stamp : int; [@owner Dag_cycle]
  running : bool Atomic.t;
  live : live option Atomic.t;
  lock : Mutex.t;
}

and extension = {
  owner : Owner.t;
  hold : vertex -> bool;
  mutable edges : edge list;
}

and live = {
  scope : Types.scope;
  mutable parts : part array; [@owner Dag_part]
  run_fls : Hmap.t;
  execute : int -> unit;
}

and part = { of_vertex : vertex; kernel : Vertex.t; late : Vertex.t Dag_late.t }

let every_run = 0
let no_run = -1

let create () =
  {
    vertices = [];
    size = 0;
    checked = true;
    runs = 0;
    extended = false;
    extension = None;
    stamp = 0;
    running = Atomic.make false;
    live = Atomic.make None;
    lock = Mutex.create ~name:"the extensions of a Dag" ();
  }

let acyclic g = g.checked <- true

(* {1 Vertices and edges of one run} *)

let rec lasting = function
  | v :: rest when v.of_run <> every_run -> lasting rest
  | vertices -> vertices

let lasting_edges edges =
  if List.exists (fun e -> e.added) edges then
    List.filter (fun e -> not e.added) edges
  else edges

(* Removes the vertices and edges of the last run. Vertices of one run are newer
   than lasting vertices, so the rest of the list is kept as it is. *)
let settle g =
  if g.extended then begin
    g.extended <- false;
    g.vertices <- lasting g.vertices;
    g.size <- List.length g.vertices;
    List.iter
      (fun v ->
        v.successors <- lasting_edges v.successors;
        v.edges_in <- lasting_edges v.edges_in)
      g.vertices
  end

let begin_run g =
  settle g;
  g.runs <- g.runs + 1

(* {1 Changes} *)

let extension_of_caller g =
  match g.extension with
  | Some x when Int.equal x.owner (Owner.self ()) -> Some x
  | Some _ | None -> None

let is_extended_by_caller g = Option.is_some (extension_of_caller g)

(* [None]: the graph is idle. *)
let extension g ~call =
  if not (Atomic.get g.running) then begin
    settle g;
    None
  end
  else
    match extension_of_caller g with
    | Some _ as extension -> extension
    | None ->
        invalid_arg
          (Printf.sprintf
             "Dromos.Dag.%s: the graph is running; it is added to in a \
              Dag.extend of the same task"
             call)

let add g ~call ?name ?(chooses = false) ?(forget = ignore) code =
  let extension = extension g ~call in
  let id = g.size in
  let name =
    match name with Some name -> name | None -> Printf.sprintf "v%d" id
  in
  let fls, of_run =
    match extension with
    | None -> (None, every_run)
    | Some _ -> (Some (Stream.inherited (Storage.current ())), g.runs)
  in
  let v =
    {
      id;
      name;
      code;
      chooses;
      forget;
      graph = g;
      fls;
      of_run;
      successors = [];
      edges_in = [];
      mark = 0;
      chosen = [];
      ran = false;
    }
  in
  g.vertices <- v :: g.vertices;
  g.size <- id + 1;
  v

let check_lasts ~call ~running v =
  if not (v.of_run = every_run || (running && v.of_run = v.graph.runs)) then
    invalid_arg
      (Printf.sprintf
         "Dromos.Dag.%s: %s was added for a run that is over, or by an \
          extension that failed"
         call v.name)

let connect ~call ~needed a b =
  if a.graph != b.graph then
    invalid_arg
      (Printf.sprintf "Dromos.Dag.%s: %s and %s are of different graphs" call
         a.name b.name);
  let g = a.graph in
  let extension = extension g ~call in
  let added = Option.is_some extension in
  check_lasts ~call ~running:added a;
  check_lasts ~call ~running:added b;
  let edge = { from = a; into = b; needed; added } in
  (match extension with
  | None -> g.checked <- false
  | Some x when x.hold b -> x.edges <- edge :: x.edges
  | Some _ ->
      invalid_arg
        (Printf.sprintf
           "Dromos.Dag.%s: %s has started already, so %s cannot precede it" call
           b.name a.name));
  a.successors <- edge :: a.successors;
  b.edges_in <- edge :: b.edges_in

(* {1 Extensions} *)

let begin_extension g x =
  g.extended <- true;
  g.extension <- Some x

let end_extension g = g.extension <- None

(* Only the extension has changed the graph since it began, so the head of each
   list is what the extension added. *)
let undo g ~size x =
  List.iter
    (fun e ->
      e.from.successors <- List.tl e.from.successors;
      e.into.edges_in <- List.tl e.into.edges_in)
    x.edges;
  while g.size > size do
    (List.hd g.vertices).of_run <- no_run;
    g.vertices <- List.tl g.vertices;
    g.size <- g.size - 1
  done
