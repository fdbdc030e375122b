open Types

(* While no scheduler serves the queue, [enq_on] announces each fiber to the
   kernel's loop, and the loop runs a fiber for each announcement that finds
   one. *)

let run_queued worker context =
  match Ready_queue.take_opt worker.queue with
  | None -> ()
  | Some handle -> (
      match Handle.claim handle with
      | Resumed | Superseded -> ()
      | Go go ->
          Waiting.goes_on handle.of_fiber;
          Actions.enter handle.of_fiber context go)

let served worker = Atomic.get worker.serves_queue <> 0

let announce worker =
  Publish.at worker.id worker Yield Dromos_hub.Hub.task (fun context ->
      if not (served worker) then run_queued worker context)

(* [enq_on] first adds the fiber and then reads [serves_queue]. [stop_serving]
   first clears [serves_queue] and then counts the fibers. At least one of the
   two announces the fiber. *)
let enq_on worker handle =
  Fiber.pin_to handle.of_fiber worker;
  Ready_queue.add worker.queue handle;
  if not (served worker) then announce worker

let deq worker scheduler =
  Atomic.set worker.serves_queue (Fiber.id scheduler);
  Ready_queue.take ~reason:"Vproc.deq" worker.queue

let stop_serving worker scheduler =
  if Atomic.compare_and_set worker.serves_queue (Fiber.id scheduler) 0 then
    for _ = 1 to Ready_queue.length worker.queue do
      announce worker
    done
