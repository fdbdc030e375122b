open Dromos_fiber
module Mutex = Dromos_sync.Mutex
module Owner = Dromos_sync.Author.Owner
module Vertex = Dromos_kernel.Vertex
open Dag_graph

let by_age = List.sort (fun a b -> Int.compare a.of_vertex.id b.of_vertex.id)

(* {1 Runs} *)

let check_only g v =
  let wrong what =
    invalid_arg (Printf.sprintf "Dromos.Dag.run: %s %s" v.name what)
  in
  if v.graph != g then wrong "is of another graph";
  if v.of_run <> 0 then wrong "was added for a run that is over"

let start g only scope execute =
  let parts = Dag_part.absent ~size:g.size in
  let live = { scope; parts; run_fls = Storage.current (); execute } in
  let entered =
    match only with
    | None -> List.rev_map (Dag_part.enter live) g.vertices
    | Some targets -> by_age (Dag_part.closure live targets)
  in
  Atomic.set g.live (Some live);
  Dag_part.release live entered

let run_claimed only g =
  begin_run g;
  Option.iter (List.iter (check_only g)) only;
  if not g.checked then
    Dag_cycle.check g ~call:"run" ~passed:(fun _ -> false) g.vertices;
  acyclic g;
  List.iter Dag_rules.reset g.vertices;
  let all = Array.of_list (List.rev g.vertices) in
  Stream.loop
    (fun id -> Dag_rules.execute all.(id))
    (fun execute -> Scope.run (fun scope -> start g only scope execute));
  (* If the run was cancelled, some vertices did not run. *)
  Cancel.check (Fiber.current ())

let run ?only g =
  Dromos_service.Stack_room.ensure 4;
  if Fiber.current () == Fiber.nobody then Misplaced.no_fiber "Dromos.Dag.run";
  if not (Atomic.compare_and_set g.running false true) then
    invalid_arg "Dromos.Dag.run: the graph is running already";
  Fun.protect
    (fun () -> run_claimed only g)
    ~finally:(fun () ->
      Atomic.set g.live None;
      Atomic.set g.running false)

(* {1 Extensions} *)

let hold live gate v = (not (Dag_part.mem live v)) || Dag_part.after live v gate

let check_acyclic g live x =
  let sources = List.map (fun e -> e.from) x.edges in
  Dag_cycle.check g ~call:"extend" ~passed:(Dag_part.started live) sources

(* Puts the extension into the run. An edge into a vertex that already takes part
   is a late edge; the gate keeps this vertex from starting meanwhile. A new part
   gets all its edges when the part is made. *)
let commit g live ~size gate x =
  let rec added kept = function
    | v :: rest when v.id >= size -> added (v :: kept) rest
    | _ -> kept
  in
  let late = List.filter (fun e -> Dag_part.mem live e.into) x.edges in
  let sources = List.map (fun e -> e.from) late in
  let entered = Dag_part.closure live (sources @ added [] g.vertices) in
  List.iter
    (fun { from; into; _ } ->
      let held = Dag_part.after live into (Dag_part.kernel live from) in
      assert held)
    late;
  Dag_part.release live ~gate (by_age entered)

let open_gate live gate = Dag_part.release live ~gate []

let extend_live g live f =
  let size = g.size and gate = Vertex.create ignore in
  let x = { owner = Owner.self (); hold = hold live gate; edges = [] } in
  begin_extension g x;
  match
    let v = f () in
    check_acyclic g live x;
    v
  with
  | v ->
      commit g live ~size gate x;
      end_extension g;
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      undo g ~size x;
      end_extension g;
      open_gate live gate;
      Printexc.raise_with_backtrace e bt

(* An extension counts as a task of the run's scope, so that the run does not end
   during the extension. *)
let extend g f =
  Dromos_service.Stack_room.ensure 3;
  if is_extended_by_caller g then f ()
  else
    Mutex.protect g.lock @@ fun () ->
    match Atomic.get g.live with
    | Some ({ scope; _ } as live) when Pending.enter scope.Types.pending ->
        Fun.protect
          (fun () -> extend_live g live f)
          ~finally:(fun () -> Pending.exit scope.pending)
    | Some _ | None -> invalid_arg "Dromos.Dag.extend: the graph is not running"
