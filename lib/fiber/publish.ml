open Types
module Hub = Dromos_hub.Hub
module Pool = Dromos_kernel.Pool

(* A fiber that holds one of the kernel's locks must not be preempted. *)
let shut = Dromos_service.Mask.protect
let ask_for_workers run = if Atomic.get run.vacant > 0 then run.ask_workers ()

(* [Pool.submit] never refuses: no code closes a run's pool, and the run ends
   after its fibers have. *)
let submit run reason task =
  shut (fun () -> ignore (Pool.submit run.pool reason task : bool))

let to_all run reason task =
  submit run reason task;
  ask_for_workers run

let task run reason task =
  (match Local.find () with
  | Some
      ({ serving = Some { run = served; kernel = Some context; turns; _ }; _ }
       as local)
    when served == run ->
      if Turns.steps_back turns run.deques reason then
        submit run (Turns.reason_back reason) task
      else if Hub_door.enter local then begin
        Pool.push context reason task;
        Hub_door.leave local
      end
      else submit run reason task
  | Some _ | None -> submit run reason task);
  ask_for_workers run

(* [inbox] counts the tasks that only one worker can run, for {!Roster.request}. *)
let at place worker reason make code =
  if place < 0 then task worker.run reason (make code)
  else
    let { inbox; _ } = worker.run.workers.(place) in
    let code context =
      Atomic.decr inbox;
      code context
    in
    shut (fun () ->
        Atomic.incr inbox;
        ignore (Pool.submit_to worker.run.pool place reason (make code) : bool);
        if Atomic.get worker.run.unserved > 0 then worker.run.ask_workers ())

(* {1 Kernel tasks} *)

let first code =
  let rec task =
    {
      Hub.code = (fun context -> code task context);
      last_worker = -1;
      attrs = [||];
    }
  in
  task

(* A fiber is a sequence of kernel tasks. A policy recognises the fiber by the
   notes in [attrs], which the next task takes over. Until the task is published,
   only the publishing thread uses the fiber's record. *)
let next_task fiber code =
  let { Hub.last_worker; attrs; _ } = fiber.task in
  let task = { Hub.code; last_worker; attrs } in
  fiber.task <- task;
  task

let fiber ?at:place worker reason fiber code =
  let place = match place with Some place -> place | None -> fiber.pin in
  at place worker reason (next_task fiber) code
