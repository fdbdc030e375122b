open Fiber

let forced = 1
let by_polling = 2

(* The clock alone changes 0, the worker alone changes anything else. *)
let set_due worker ~polled =
  if worker.due = 0 then
    if polled then begin
      Atomic.incr worker.run.run_signal;
      worker.due <- by_polling
    end
    else worker.due <- forced

let over worker =
  let was = worker.due in
  worker.due <- 0;
  if was = by_polling then Atomic.decr worker.run.run_signal

let is_over fiber = fiber.worker.due > 0 && fiber.masked = 0
