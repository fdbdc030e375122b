module Hub = Dromos_hub.Hub
module Vertex = Dromos_kernel.Vertex

type vertex = {
  id : int;
  name : string;
  code : unit -> unit;
  graph : t;
  mutable successors : vertex list; (* newest first *)
}

and t = {
  mutable vertices : vertex list; (* newest first *)
  mutable size : int;
  mutable checked : bool; (* no cycle, and not changed since *)
  running : bool Atomic.t;
}

let create () =
  { vertices = []; size = 0; checked = true; running = Atomic.make false }

let size g = g.size

let check_idle g what =
  if Atomic.get g.running then
    invalid_arg (Printf.sprintf "Dromos.Dag.%s: the graph is running" what)

let vertex g ?name code =
  check_idle g "vertex";
  let id = g.size in
  let name =
    match name with Some name -> name | None -> Printf.sprintf "v%d" id
  in
  let v = { id; name; code; graph = g; successors = [] } in
  g.vertices <- v :: g.vertices;
  g.size <- id + 1;
  v

let precede a b =
  if a.graph != b.graph then
    invalid_arg
      (Printf.sprintf "Dromos.Dag.precede: %s and %s are of different graphs"
         a.name b.name);
  check_idle a.graph "precede";
  a.successors <- b :: a.successors;
  a.graph.checked <- false

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

let start g ~fls code scope =
  let kernel = Array.init g.size (fun _ -> Vertex.create ignore) in
  let prepare v =
    let self = kernel.(v.id) in
    Vertex.set_task self (task scope ~fls v (fun () -> code v.id) self);
    List.iter (fun s -> Vertex.precede self kernel.(s.id)) v.successors;
    Scope.enter scope
  in
  List.iter prepare g.vertices;
  Task.publish scope.Fiber.scope_run New
  @@ Hub.task (fun context -> Array.iter (Vertex.release context) kernel)

let run g =
  if Fiber.current () == Fiber.nobody then Misplaced.no_fiber "Dromos.Dag.run";
  check_acyclic g;
  if not (Atomic.compare_and_set g.running false true) then
    invalid_arg "Dromos.Dag.run: the graph is running already";
  Fun.protect
    (fun () ->
      let all = Array.of_list (List.rev g.vertices) in
      Stream.loop
        (fun id -> all.(id).code ())
        (fun code ->
          let fls = Storage.current () in
          Scope.run (fun scope -> start g ~fls code scope));
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
        (fun s -> Format.fprintf ppf "@,v%d -> v%d;" v.id s.id)
        (List.rev v.successors))
    vertices;
  Format.fprintf ppf "@]@,}@."
