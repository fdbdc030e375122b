open Fiber
module Promise = Dromos_sync.Promise
module Hub = Dromos_hub.Hub
module Pool = Dromos_kernel.Pool

let max_depth = 64

let may_run_here fiber scope =
  fiber.cancel == scope.node && fiber.scope == scope && fiber.shield = 0
  && fiber.depth < max_depth && fiber.masked = 0 && fiber.interruptible = 0
  && fiber.pin < 0
  && not (Carried.under_handler fiber)

let code_of (made : Fiber.made) =
  let code = made.code in
  made.code <- ignore;
  code

(* {1 As a fiber of its own} *)

let take (made : Fiber.made) context =
  if Made.take made then
    let { in_which = scope; its_storage = fls; its_info = info } = made.about in
    Task.start context ~task:made.task ~scope ~cancel:scope.node ~fls ~info
      (code_of made)

(* {1 In place} *)

let retract { worker; _ } task =
  Hub_door.enter worker.local
  && begin
       let retracted = Pool.retract (Fiber.kernel worker) task in
       Hub_door.leave worker.local;
       retracted
     end

let trim { worker; _ } =
  if Hub_door.enter worker.local then begin
    Made.trim worker.unbegun;
    Hub_door.leave worker.local
  end

let claim fiber (made : Fiber.made) =
  match fiber.worker.run.deques with
  | Public | Private ->
      let own = fiber.worker.unbegun in
      (not (Made.is_far own made))
      && Made.claim made
      && begin
           trim fiber;
           true
         end
  | No_deques -> retract fiber made.task && Made.take made

(* A border says what the latent frames below have inherited. *)
let stands_on_border { frames; _ } =
  Fiber.is_nil frames.top
  ||
  let (Frame { cell; _ }) = frames.top in
  match cell with Border _ -> true | Latent | Owned _ | Promoted _ -> false

(* What the task sets stays its own. *)
let with_storage fiber storage code =
  if stands_on_border fiber then begin
    let before = fiber.fls in
    if before != storage then fiber.fls <- storage;
    code fiber;
    if fiber.fls != before then fiber.fls <- before
  end
  else Storage.within_fiber fiber storage (fun () -> code fiber)

(* The fiber is the task meanwhile, to locks and to people. A store costs more than a
   look, and most tasks are alike. *)
let run_here fiber (made : Fiber.made) =
  let { asks; info; self_id; _ } = fiber in
  let { its_info; its_storage; _ } = made.about in
  fiber.depth <- fiber.depth + 1;
  if asks != Fiber.no_fork then fiber.asks <- Fiber.no_fork;
  if info != its_info then fiber.info <- its_info;
  fiber.self_id <- 0;
  with_storage fiber its_storage (code_of made);
  if fiber.asks != asks then fiber.asks <- asks;
  if fiber.info != info then fiber.info <- info;
  fiber.self_id <- self_id;
  fiber.depth <- fiber.depth - 1;
  fiber.pin <- -1

let begin_here (made : Fiber.made) =
  let fiber = Fiber.current () in
  if may_run_here fiber made.about.in_which && claim fiber made then
    run_here fiber made

(* The caller gives way in the task's stead, to what there is: the task itself lets
   all pass that the worker has, made before or after it. *)
let begin_later (made : Fiber.made) =
  let fiber = Fiber.current () in
  if may_run_here fiber made.about.in_which then begin
    Task.step_back fiber;
    begin_here made
  end

(* {1 Publishing} *)

(* Together, so that they are one block. *)
let ways (made : Fiber.made) =
  let[@warning "-unused-rec-flag"] rec taken context = take made context
  and awaited () = begin_here made in
  made.task <- Hub.task taken;
  awaited

let publish fiber promise (made : Fiber.made) =
  let run = made.about.in_which.scope_run and { worker; _ } = fiber in
  let awaited = ways made in
  if worker.run != run then Task.publish run New made.task
  else if run.deques = No_deques then begin
    Promise.on_demand promise awaited;
    Task.publish run New made.task
  end
  else if Turns.steps_back worker New then begin
    Promise.on_demand promise (fun () -> begin_later made);
    Task.submit run (Turns.reason_back New) made.task
  end
  else if Hub_door.enter worker.local then begin
    Promise.on_demand promise awaited;
    Made.push worker.unbegun made;
    Hub_door.leave worker.local;
    Task.ask_for_workers run
  end
  else Task.submit run New made.task

(* As a rule what the worker's last task was made with. *)
let about { worker; _ } scope its_storage its_info =
  let last = worker.unbegun.last in
  if
    last.in_which == scope
    && last.its_storage == its_storage
    && last.its_info == its_info
  then last
  else begin
    let about = { in_which = scope; its_storage; its_info } in
    if worker.run == scope.scope_run then worker.unbegun.last <- about;
    about
  end

let task fiber scope ?name promise code =
  let fls = if fiber != Fiber.nobody then fiber.fls else Storage.current () in
  let about = about fiber scope (Stream.inherited fls) (Waiting.of_task name) in
  let state = Atomic.make Made.Fresh
  and { Made.task; _ } = Fiber.nothing_made in
  publish fiber promise { Made.state; code; about; task; place = max_int }
