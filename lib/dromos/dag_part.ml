open Dromos_fiber
module Hub = Dromos_hub.Hub
module Vertex = Dromos_kernel.Vertex
open Dag_graph

let nobody = Dag_graph.add (create ()) ~call:"vertex" ignore

let no_part =
  {
    of_vertex = nobody;
    kernel = Vertex.create ignore;
    late = Dag_late.create ();
  }

let absent ~size = Array.make size no_part

let part live v =
  if v.id < Array.length live.parts then live.parts.(v.id) else no_part

let mem live v = part live v != no_part
let kernel live v = (part live v).kernel
let started live v = mem live v && Dag_late.started (part live v).late
let after live v k = Dag_late.add (part live v).late k

(* {1 Starting} *)

(* The kernel task of a vertex starts the fiber of the vertex. If the fiber
   suspends, the kernel vertex yields and waits behind a gate, which the fiber opens
   at its end. The fiber and the kernel task race to change [state]:

   0   the task runs, and the fiber has not ended
   1   the fiber has ended
   2   the task has returned first: the vertex waits behind the gate *)
let start { scope; run_fls; execute; _ } v self context =
  let state = Atomic.make 0 in
  let gate = Vertex.create ignore in
  let over () =
    if Atomic.exchange state 1 = 2 then
      Publish.task scope.Types.scope_run Unblock
      @@ Hub.task (fun context -> Vertex.release context gate)
  in
  (match v.fls with
  | None ->
      let code () = execute v.id in
      Scope.start context scope ~name:v.name ~fls:run_fls code over
  | Some fls ->
      let code () = Dag_rules.execute v in
      Scope.start context scope ~name:v.name ~fls code over);
  if Atomic.get state = 0 then begin
    (* If the fiber ends before the compare-and-set, the gate is never
       opened, and the vertex is over when this task returns, as it must be. *)
    Vertex.precede gate self;
    if Atomic.compare_and_set state 0 2 then begin
      Vertex.set_task self ignore;
      Vertex.yield self
    end
  end

let task live { of_vertex; kernel; late } context =
  match Dag_late.start late with
  | [] -> start live of_vertex kernel context
  | late ->
      List.iter (fun k -> Vertex.precede k kernel) late;
      Vertex.yield kernel

let make_room live v =
  let size = Array.length live.parts in
  if v.id >= size then begin
    let room = Int.max (v.id + 1 - size) size in
    live.parts <- Array.append live.parts (absent ~size:room)
  end

let enter live v =
  make_room live v;
  let kernel = Vertex.create ignore in
  let part = { of_vertex = v; kernel; late = Dag_late.create () } in
  live.parts.(v.id) <- part;
  Vertex.set_task kernel (fun context -> task live part context);
  Scope.enter live.scope;
  part

let closure live vertices =
  let rec visit entered = function
    | [] -> entered
    | v :: others when mem live v -> visit entered others
    | v :: others ->
        let part = enter live v in
        visit (part :: entered)
          (List.fold_left
             (fun others { from; _ } -> from :: others)
             others v.edges_in)
  in
  visit [] vertices

let release live ?gate parts =
  let rec connect self = function
    | [] -> ()
    | { from; _ } :: edges ->
        Vertex.precede (kernel live from) self;
        connect self edges
  in
  List.iter (fun part -> connect part.kernel part.of_vertex.edges_in) parts;
  Publish.task live.scope.scope_run New
  @@ Hub.task (fun context ->
         List.iter (fun part -> Vertex.release context part.kernel) parts;
         Option.iter (Vertex.release context) gate)
