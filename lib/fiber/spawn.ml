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

(* To its end, by the fiber that is the task meanwhile. *)
let execute fiber ({ Made.result; about; _ } : _ Fiber.made) code =
  Promise.no_demand result;
  (match
     Cancel.check fiber;
     code ()
   with
  | v -> ignore (Promise.try_fulfil result (Ok v) : bool)
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      about.its_failed.failed about.in_which about.its_info result (e, bt));
  Pending.exit about.in_which.pending

(* {1 As a fiber of its own} *)

let take (made : _ Fiber.made) context =
  let code = Made.take made in
  if code != Made.gone then
    let { in_which = scope; its_storage = fls; its_info = info; _ } =
      made.about
    in
    Task.start context ~task:made.task ~scope ~cancel:scope.node ~fls ~info
      (fun fiber -> execute fiber made code)

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

let claim fiber (made : _ Fiber.made) =
  match fiber.worker.run.deques with
  | (Public | Private) when Made.is_far fiber.worker.unbegun made.about.at ->
      Made.here
  | Public | Private ->
      let code = Made.claim made in
      if code != Made.here then trim fiber;
      code
  | No_deques when retract fiber made.task ->
      let code = Made.take made in
      if code == Made.gone then Made.here else code
  | No_deques -> Made.here

(* A border says what the latent frames below have inherited. *)
let stands_on_border { frames; _ } =
  Fiber.is_nil frames.top
  ||
  let (Frame { cell; _ }) = frames.top in
  match cell with Border _ -> true | Latent | Owned _ | Promoted _ -> false

(* What the task sets stays its own. *)
let with_storage fiber (made : _ Fiber.made) code =
  let storage = made.about.its_storage in
  if stands_on_border fiber then begin
    let before = fiber.fls in
    if before != storage then fiber.fls <- storage;
    execute fiber made code;
    if fiber.fls != before then fiber.fls <- before
  end
  else Storage.within_fiber fiber storage (fun () -> execute fiber made code)

(* The fiber is the task meanwhile, to locks and to people. A store costs more than a
   look, and most tasks are alike. *)
let run_here fiber (made : _ Fiber.made) code =
  let { asks; info; self_id; _ } = fiber and { its_info; _ } = made.about in
  fiber.depth <- fiber.depth + 1;
  if asks != Fiber.no_fork then fiber.asks <- Fiber.no_fork;
  if info != its_info then fiber.info <- its_info;
  fiber.self_id <- 0;
  with_storage fiber made code;
  if fiber.asks != asks then fiber.asks <- asks;
  if fiber.info != info then fiber.info <- info;
  fiber.self_id <- self_id;
  fiber.depth <- fiber.depth - 1;
  fiber.pin <- -1

let begin_here (made : _ Fiber.made) =
  let fiber = Fiber.current () in
  if may_run_here fiber made.about.in_which then
    let code = claim fiber made in
    if code != Made.here then run_here fiber made code

(* The caller gives way in the task's stead, to what there is: the task itself lets
   all pass that the worker has, made before or after it. *)
let begin_later (made : _ Fiber.made) =
  let fiber = Fiber.current () in
  if may_run_here fiber made.about.in_which then begin
    Task.step_back fiber;
    begin_here made
  end

(* {1 Publishing} *)

(* Together, so that they are one block. *)
let ways (made : _ Fiber.made) =
  let[@warning "-unused-rec-flag"] rec taken context = take made context
  and awaited () = begin_here made in
  made.task <- Hub.task taken;
  awaited

let publish fiber (made : _ Fiber.made) =
  let run = made.about.in_which.scope_run and { worker; _ } = fiber in
  let awaited = ways made in
  if worker.run != run then Task.publish run New made.task
  else if run.deques = No_deques then begin
    Promise.on_demand made.result awaited;
    Task.publish run New made.task
  end
  else if Turns.steps_back worker New then begin
    Promise.on_demand made.result (fun () -> begin_later made);
    Task.submit run (Turns.reason_back New) made.task
  end
  else if Hub_door.enter worker.local then begin
    Promise.on_demand made.result awaited;
    Made.push worker.unbegun (Made.Any made);
    Hub_door.leave worker.local;
    Task.ask_for_workers run
  end
  else Task.submit run New made.task

(* As a rule what the worker's last task was made with. *)
let about { worker; _ } scope its_storage its_info its_failed =
  let own = worker.unbegun in
  let last = own.last in
  if
    last.in_which == scope
    && last.its_storage == its_storage
    && last.its_info == its_info
    && last.its_failed == its_failed
    && Made.same_place own last.at
  then last
  else begin
    let at = own.size in
    let about = { in_which = scope; its_storage; its_info; its_failed; at } in
    if worker.run == scope.scope_run then own.last <- about;
    about
  end

let task fiber scope ?name ~failed result code =
  let fls = if fiber != Fiber.nobody then fiber.fls else Storage.current () in
  let info = Waiting.of_task name in
  let about = about fiber scope (Stream.inherited fls) info failed in
  let (Made.Any { task; _ }) = Fiber.nothing_made in
  publish fiber { Made.state = Atomic.make code; result; about; task }
