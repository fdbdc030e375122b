module Hub = Dromos_hub.Hub
module Vertex = Dromos_kernel.Vertex

type vertex = {
  id : int;
  name : string;
  code : vertex -> unit; (* of the vertex itself *)
  chooses : bool; (* its successors by [chosen] *)
  forget : unit -> unit; (* the value of the run before *)
  graph : t;
  mutable successors : vertex list; (* newest first *)
  mutable edges_in : edge list;
  mutable chosen : vertex list;
  mutable ran : bool; (* in this run, or the last; read by successors *)
}

and edge = { from : vertex; needed : bool (* [from] must have led here *) }

and t = {
  mutable vertices : vertex list; (* newest first *)
  mutable size : int;
  mutable checked : bool; (* no cycle, and not changed since *)
  running : bool Atomic.t;
}

let create () =
  { vertices = []; size = 0; checked = true; running = Atomic.make false }

let size g = g.size
let ran v = v.ran

let check_idle g what =
  if Atomic.get g.running then
    invalid_arg (Printf.sprintf "Dromos.Dag.%s: the graph is running" what)

let add g ~call ?name ?(chooses = false) ?(forget = ignore) code =
  check_idle g call;
  let id = g.size in
  let name =
    match name with Some name -> name | None -> Printf.sprintf "v%d" id
  in
  let v =
    {
      id;
      name;
      code;
      chooses;
      forget;
      graph = g;
      successors = [];
      edges_in = [];
      chosen = [];
      ran = false;
    }
  in
  g.vertices <- v :: g.vertices;
  g.size <- id + 1;
  v

let vertex g ?name code = add g ~call:"vertex" ?name (fun _ -> code ())

let connect ~call ~needed a b =
  if a.graph != b.graph then
    invalid_arg
      (Printf.sprintf "Dromos.Dag.%s: %s and %s are of different graphs" call
         a.name b.name);
  check_idle a.graph call;
  a.successors <- b :: a.successors;
  b.edges_in <- { from = a; needed } :: b.edges_in;
  a.graph.checked <- false

let precede a b = connect ~call:"precede" ~needed:a.chooses a b

(* {1 Conditions} *)

let check_successor v s =
  if not (List.memq s v.successors) then
    invalid_arg
      (Printf.sprintf
         "Dromos.Dag.branch: %s has chosen %s, which it does not precede" v.name
         s.name)

let branch g ?name choose =
  add g ~call:"branch" ?name ~chooses:true (fun v ->
      let chosen = choose () in
      List.iter (check_successor v) chosen;
      v.chosen <- chosen)

let leads_to v { from; _ } =
  from.ran && ((not from.chooses) || List.memq v from.chosen)

let is_due v =
  v.edges_in = []
  || List.exists (leads_to v) v.edges_in
     && List.for_all (fun e -> (not e.needed) || leads_to v e) v.edges_in

let execute v =
  if is_due v then begin
    v.code v;
    v.ran <- true
  end

let reset v =
  v.ran <- false;
  v.chosen <- [];
  v.forget ()

(* {1 Values} *)

type 'a node = { at : vertex; value : 'a option ref }

let of_node node = node.at

let add_node g ~call ?name f =
  let value = ref None in
  let forget () = value := None in
  { at = add g ~call ?name ~forget (fun _ -> value := Some (f ())); value }

let value_opt node = !(node.value)

let value node =
  match !(node.value) with
  | Some v -> v
  | None ->
      invalid_arg
        (Printf.sprintf
           "Dromos.Dag.value: %s has no value; read it after a run that ran \
            it, or in a vertex that it precedes"
           node.at.name)

let node g ?name f = add_node g ~call:"node" ?name f
let needs ~call node others = connect ~call ~needed:true node.at others.at

let map ?name f a =
  let node = add_node a.at.graph ~call:"map" ?name (fun () -> f (value a)) in
  needs ~call:"map" a node;
  node

(* Before anything is added to the graph. *)
let check_of g ~call node =
  if node.at.graph != g then
    invalid_arg
      (Printf.sprintf "Dromos.Dag.%s: %s is of another graph" call node.at.name)

let map2 ?name f a b =
  let call = "map2" in
  check_of a.at.graph ~call b;
  let code () = f (value a) (value b) in
  let node = add_node a.at.graph ~call ?name code in
  needs ~call a node;
  needs ~call b node;
  node

let all g ?name nodes =
  List.iter (check_of g ~call:"all") nodes;
  let node = add_node g ~call:"all" ?name (fun () -> List.map value nodes) in
  List.iter (fun a -> needs ~call:"all" a node) nodes;
  node

(* {1 Cycles} *)

(* Takes away vertices without predecessors until none is left (Kahn); what
   remains holds a cycle, and each of it has a predecessor in it. *)
let stuck g =
  let waits_for = Array.make g.size 0 in
  let count v =
    List.iter (fun s -> waits_for.(s.id) <- waits_for.(s.id) + 1) v.successors
  in
  List.iter count g.vertices;
  let ready = Queue.create () in
  let look v = if waits_for.(v.id) = 0 then Queue.push v ready in
  List.iter look g.vertices;
  let less s =
    waits_for.(s.id) <- waits_for.(s.id) - 1;
    look s
  in
  while not (Queue.is_empty ready) do
    List.iter less (Queue.pop ready).successors
  done;
  List.filter (fun v -> waits_for.(v.id) > 0) g.vertices

(* Among [stuck] vertices, backwards from one of them, always meets a cycle. *)
let cycle stuck =
  let before v = List.find (fun p -> List.memq v p.successors) stuck in
  let rec back path v =
    if List.memq v path then
      let rec upto = function
        | [] -> []
        | p :: rest -> p :: (if p == v then [] else upto rest)
      in
      v :: upto path
    else back (v :: path) (before v)
  in
  back [] (List.hd stuck)

let check_acyclic g =
  if not g.checked then
    match stuck g with
    | [] -> g.checked <- true
    | stuck ->
        let names = List.map (fun v -> v.name) (cycle stuck) in
        invalid_arg
          ("Dromos.Dag.run: the graph has a cycle: "
         ^ String.concat " -> " names)

(* {1 Running} *)

(* A vertex' kernel task starts its fiber. If that suspends, the kernel vertex
   yields, to come back behind a gate that the fiber opens at its end. [state]
   says who is first: 0, the task still runs; 1, the fiber is over; 2, the task
   has gone. *)
let task scope ~fls v code self context =
  let state = Atomic.make 0 in
  let gate = Vertex.create ignore in
  let over () =
    if Atomic.exchange state 1 = 2 then
      Task.publish scope.Fiber.scope_run Unblock
      @@ Hub.task (fun context -> Vertex.release context gate)
  in
  Scope.start context scope ~name:v.name ~fls code over;
  if Atomic.get state = 0 then begin
    (* If the fiber is over in the meantime, the gate is never opened, and the
       vertex is over when this task returns, which is right. *)
    Vertex.precede gate self;
    if Atomic.compare_and_set state 0 2 then begin
      Vertex.set_task self ignore;
      Vertex.yield self
    end
  end

let start g ~wanted ~fls code scope =
  let kernel = Array.init g.size (fun _ -> Vertex.create ignore) in
  let prepare v =
    let self = kernel.(v.id) in
    Vertex.set_task self (task scope ~fls v (fun () -> code v.id) self);
    List.iter
      (fun s -> if wanted.(s.id) then Vertex.precede self kernel.(s.id))
      v.successors;
    Scope.enter scope
  in
  let wanted v = wanted.(v.id) in
  List.iter prepare (List.filter wanted g.vertices);
  Task.publish scope.Fiber.scope_run New
  @@ Hub.task (fun context ->
         List.iter
           (fun v -> if wanted v then Vertex.release context kernel.(v.id))
           (List.rev g.vertices))

(* The targets, and all from which an edge leads to one. *)
let wanted g = function
  | None -> Array.make g.size true
  | Some targets ->
      let wanted = Array.make g.size false in
      let rec visit = function
        | [] -> ()
        | v :: others when wanted.(v.id) -> visit others
        | v :: others ->
            wanted.(v.id) <- true;
            visit
              (List.fold_left
                 (fun others { from; _ } -> from :: others)
                 others v.edges_in)
      in
      let check v =
        if v.graph != g then
          invalid_arg
            (Printf.sprintf "Dromos.Dag.run: %s is of another graph" v.name)
      in
      List.iter check targets;
      visit targets;
      wanted

let run ?only g =
  if Fiber.current () == Fiber.nobody then Misplaced.no_fiber "Dromos.Dag.run";
  check_acyclic g;
  let wanted = wanted g only in
  if not (Atomic.compare_and_set g.running false true) then
    invalid_arg "Dromos.Dag.run: the graph is running already";
  Fun.protect
    (fun () ->
      List.iter reset g.vertices;
      let all = Array.of_list (List.rev g.vertices) in
      Stream.loop
        (fun id -> execute all.(id))
        (fun code ->
          let fls = Storage.current () in
          Scope.run (fun scope -> start g ~wanted ~fls code scope));
      (* A cancelled graph has left vertices out. *)
      Cancel.check (Fiber.current ()))
    ~finally:(fun () -> Atomic.set g.running false)

(* {1 Dot} *)

let escaped name =
  let b = Buffer.create (String.length name) in
  String.iter
    (fun c ->
      match c with
      | '"' | '\\' ->
          Buffer.add_char b '\\';
          Buffer.add_char b c
      | '\n' -> Buffer.add_string b "\\n"
      | c -> Buffer.add_char b c)
    name;
  Buffer.contents b

let pp_dot ppf g =
  let vertices = List.rev g.vertices in
  Format.fprintf ppf "@[<v 2>digraph {";
  List.iter
    (fun v -> Format.fprintf ppf "@,v%d [label=\"%s\"];" v.id (escaped v.name))
    vertices;
  List.iter
    (fun v ->
      List.iter
        (fun s ->
          let style = if v.chooses then " [style=dashed]" else "" in
          Format.fprintf ppf "@,v%d -> v%d%s;" v.id s.id style)
        (List.rev v.successors))
    vertices;
  Format.fprintf ppf "@]@,}@."
