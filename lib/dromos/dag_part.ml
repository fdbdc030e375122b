module Hub = Dromos_hub.Hub
module Vertex = Dromos_kernel.Vertex
open Dag_graph

let absent = { kernel = Vertex.create ignore; late = Dag_late.create () }

let part live v =
  if v.id < Dynarray.length live.parts then Dynarray.get live.parts v.id
  else absent

let mem live v = part live v != absent
let kernel live v = (part live v).kernel
let started live v = mem live v && Dag_late.started (part live v).late
let after live v k = Dag_late.add (part live v).late k

(* {1 Starting} *)

(* A vertex' kernel task starts its fiber. If that suspends, the kernel vertex
   yields, to come back behind a gate that the fiber opens at its end. [state]
   says who is first: 0, the task still runs; 1, the fiber is over; 2, the task
   has gone. *)
let start { scope; run_fls; execute; _ } v self context =
  let state = Atomic.make 0 in
  let gate = Vertex.create ignore in
  let over () =
    if Atomic.exchange state 1 = 2 then
      Task.publish scope.Fiber.scope_run Unblock
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
    (* If the fiber is over in the meantime, the gate is never opened, and the
       vertex is over when this task returns, which is right. *)
    Vertex.precede gate self;
    if Atomic.compare_and_set state 0 2 then begin
      Vertex.set_task self ignore;
      Vertex.yield self
    end
  end

let task live v { kernel; late } context =
  match Dag_late.start late with
  | [] -> start live v kernel context
  | late ->
      List.iter (fun k -> Vertex.precede k kernel) late;
      Vertex.yield kernel

let enter live v =
  while Dynarray.length live.parts <= v.id do
    Dynarray.add_last live.parts absent
  done;
  let part = { kernel = Vertex.create ignore; late = Dag_late.create () } in
  Dynarray.set live.parts v.id part;
  Vertex.set_task part.kernel (task live v part);
  Scope.enter live.scope

let closure live vertices =
  let rec visit entered = function
    | [] -> entered
    | v :: others when mem live v -> visit entered others
    | v :: others ->
        enter live v;
        visit (v :: entered)
          (List.fold_left
             (fun others { from; _ } -> from :: others)
             others v.edges_in)
  in
  visit [] vertices

let release live ?gate vertices =
  let connect v =
    let self = kernel live v in
    List.iter
      (fun { from; _ } -> Vertex.precede (kernel live from) self)
      v.edges_in
  in
  List.iter connect vertices;
  let kernels = List.map (kernel live) vertices in
  Task.publish live.scope.scope_run New
  @@ Hub.task (fun context ->
         List.iter (Vertex.release context) kernels;
         Option.iter (Vertex.release context) gate)
