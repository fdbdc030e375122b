open Types
module Once = Dromos_sync.Author.Once

(* The branch has a cancellation node of its own below the forking fiber's node.
   The forking fiber cancels this node alone if the first branch of the fork fails,
   or if its wait for this branch is cancelled. *)
let code { under; shielded; _ } join fiber =
  let state = join.state and record = join.record in
  Carried.asks_by fiber (Join.ask state);
  let place =
    if shielded then Once.nobody else Cancel.attach join.branch ~below:under
  in
  let result =
    match
      Cancel.check fiber;
      join.branch_code fiber
    with
    | v -> Ok v
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        Error (Cancel.told fiber e, bt)
  in
  Once.leave place;
  if record = Task_heap.no_record then Join.finish state result
  else begin
    Slice.end_in_heap fiber record result;
    Join.finish_kept state
  end

let start context ?heap ~task { in_scope = scope; inherits = fls; _ } node code
    =
  Start.fiber context ?heap ~task ~scope ~node ~fls ~info:(Info.branch ()) code

let plain_task env join =
  let code = code env join in
  Publish.first (fun task context ->
      if Join.claim join.state then start context ~task env join.branch code)

let recorded_task env node record =
  let code fiber = (Task_heap.code record) fiber in
  Publish.first (fun task context ->
      if Task_heap.take record then
        start context ~heap:(Task_heap.task record) ~task env node code)

(* The hub's queues hold the parts of a branch that all workers may know. A
   publisher thread may come late: after the fiber ran the branch itself, ended,
   or went on in another domain. The test finds such a branch, and the branch is
   not published. No poll point lies between the test and the store. *)
let publish_recorded give fiber env join =
  let code = code env join in
  if Local.fiber () == fiber then Frame.enter_heap fiber;
  if
    Join.is_pending join.state
    && (not (Frame.ended fiber))
    && Task_heap.may_fork fiber.heap
  then begin
    Task_heap.share env;
    Task_heap.share join.branch;
    Task_heap.share join.state;
    let record = Task_heap.fork fiber.heap code in
    join.record <- record;
    give fiber.worker.run (recorded_task env join.branch record)
  end

let publish give fiber env join =
  if Task_heap.keeps_frames then publish_recorded give fiber env join
  else give fiber.worker.run (plain_task env join)

(* {1 At the join} *)

(* The heap of the fiber that joins. The program may have captured the inside of
   the fork, and resumed it in another fiber. *)
let heap () = (Local.fiber ()).heap

let claim join =
  if join.record = Task_heap.no_record then Join.claim join.state
  else Task_heap.withdraw (heap ()) join.record

let outcome join =
  if join.record = Task_heap.no_record then Option.get (Join.outcome join.state)
  else Task_heap.join (heap ()) join.record
