open Types

let forced = 1
let by_polling = 2
let urgent = 3

(* Only the clock, under its lock, changes 0 to another value, or [forced] to
   [urgent]. Only the worker sets the field back to 0. *)
let set_due worker ~polled ~at_once =
  if polled then begin
    if worker.due = 0 then begin
      Atomic.incr worker.run.run_signal;
      worker.due <- by_polling
    end
  end
  else if worker.due = 0 || (worker.due = forced && at_once) then
    worker.due <- (if at_once then urgent else forced)

let over worker =
  let was = worker.due in
  worker.due <- 0;
  if was = by_polling then Atomic.decr worker.run.run_signal

let next_piece worker =
  if worker.due = urgent then Nudge.nudge worker.local.domain else over worker

let is_forced worker = worker.due = forced || worker.due = urgent
let is_over (fiber : fiber) = fiber.worker.due > 0 && fiber.masked = 0
