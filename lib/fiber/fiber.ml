open Types

type t = fiber

let make worker ?(heap = Task_heap.none) ?(ends = ignore) ~task ~scope ~node
    ~fls ~pin ~info () =
  {
    frames = { top = Nobody.nil };
    heap;
    signal = scope.scope_run.run_signal;
    worker;
    task;
    node;
    scope;
    shield = 0;
    fls;
    depth = 0;
    info;
    self_id = 0;
    pin;
    waits = Nobody.awake;
    since = -1;
    stack = [];
    handle = Nobody.fiber.handle;
    given = Nobody.stop;
    ends;
    masked = 0;
    interruptible = 0;
    yields = 0;
    yielded_at = worker.slices;
    base = 0;
    asks = Nobody.no_fork;
    came_at = Nobody.fiber.came_at;
    guests = [];
    witness = Nobody.fiber.witness;
  }

let nobody = Nobody.fiber
let current = Local.fiber
let workers fiber = Int.max 1 (Array.length fiber.worker.run.workers)

let id (fiber : t) =
  if fiber.self_id = 0 then fiber.self_id <- Dromos_suspend.fresh_id ();
  fiber.self_id

let[@inline] renumber fiber id = fiber.self_id <- id

(* The handler of the inner scheduler answers [Self]. In a callback from C no
   handler answers. *)
let is_host fiber =
  let id = Dromos_suspend.self () in
  id > 0 && not (Int.equal id fiber.self_id)

let pin_to fiber (worker : worker) = fiber.pin <- worker.id
let unpin fiber = fiber.pin <- -1
