open Types
module Pool = Dromos_kernel.Pool

let make run id ~unbegun ~waiters =
  {
    id;
    run;
    kernel = None;
    local = Nobody.local;
    stop_requested = false;
    over_quota = false;
    resting = false;
    written = true;
    promotions = 0;
    suspensions = 0;
    turns = Turns.create ();
    unbegun;
    waiters;
    ended = 0;
    actions = [];
    next = Nobody.stop;
    next_by = Nobody.fiber;
    queue = Ready_queue.create ();
    serves_queue = Atomic.make 0;
    inbox = Atomic.make 0;
    groups = Atomic.make 0;
    slices = 0;
    due = 0;
    threads = Nobody.worker.threads;
  }

let kernel worker =
  match worker.kernel with
  | Some context -> context
  | None -> invalid_arg "Dromos: a worker without its kernel context"

let of_task run context =
  let worker = run.workers.(Pool.worker context) in
  (match worker.kernel with
  | None -> worker.kernel <- Some context
  | Some _ -> ());
  worker.resting <- false;
  worker.written <- false;
  worker

let acts worker local = worker.local <- local
let is_served worker = worker.local != Nobody.local
let rests worker = worker.resting <- true
let is_written worker = worker.written <- true

let assigned worker =
  worker.stop_requested <- false;
  worker.over_quota <- false;
  worker.resting <- false

let ask_to_leave worker = worker.stop_requested <- true

let ask_over_quota worker =
  worker.over_quota <- true;
  worker.stop_requested <- true

let answers_request worker = worker.stop_requested <- false
