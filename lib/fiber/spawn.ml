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
let execute fiber about result code =
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

(* Hubs with deques need not know the task again: then the fiber keeps nothing of the
   task's record. *)
let hub_task (made : _ Fiber.made) =
  match made.about.in_which.scope_run.deques with
  | No_deques -> made.task
  | Public | Private -> { made.task with code = ignore }

let take (made : _ Fiber.made) context =
  match Made.take made with
  | Here | Gone -> ()
  | Fresh { code; result } ->
      let about = made.about in
      let { in_which = scope; its_storage = fls; its_info = info; _ } = about in
      Task.start context ~task:(hub_task made) ~scope ~cancel:scope.node ~fls
        ~info (fun fiber -> execute fiber about result code)

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
      Made.Here
  | Public | Private ->
      let claimed = Made.claim made in
      (match claimed with Fresh _ -> trim fiber | Here | Gone -> ());
      claimed
  | No_deques when retract fiber made.task -> Made.take made
  | No_deques -> Made.Here

(* A border says what the latent frames below have inherited. *)
let stands_on_border { frames; _ } =
  Fiber.is_nil frames.top
  ||
  let (Frame { cell; _ }) = frames.top in
  match cell with Border _ -> true | Latent | Owned _ | Promoted _ -> false

(* What the task sets stays its own. *)
let with_storage fiber about result code =
  let storage = about.its_storage in
  if stands_on_border fiber then begin
    let before = fiber.fls in
    if before != storage then fiber.fls <- storage;
    execute fiber about result code;
    if fiber.fls != before then fiber.fls <- before
  end
  else
    Storage.within_fiber fiber storage (fun () ->
        execute fiber about result code)

(* The fiber is the task meanwhile, to locks and to people. A store costs more than a
   look, and most tasks are alike. *)
let run_here fiber about result code =
  let { asks; info; self_id; _ } = fiber and { its_info; _ } = about in
  fiber.depth <- fiber.depth + 1;
  if asks != Fiber.no_fork then fiber.asks <- Fiber.no_fork;
  if info != its_info then fiber.info <- its_info;
  fiber.self_id <- 0;
  with_storage fiber about result code;
  if fiber.asks != asks then fiber.asks <- asks;
  if fiber.info != info then fiber.info <- info;
  fiber.self_id <- self_id;
  fiber.depth <- fiber.depth - 1;
  fiber.pin <- -1

let begin_here (made : _ Fiber.made) =
  let fiber = Fiber.current () in
  if may_run_here fiber made.about.in_which then
    match claim fiber made with
    | Fresh { code; result } -> run_here fiber made.about result code
    | Here | Gone -> ()

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

let publish fiber promise (made : _ Fiber.made) =
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

let task fiber scope ?name ~failed promise code =
  let fls = if fiber != Fiber.nobody then fiber.fls else Storage.current () in
  let info = Waiting.of_task name in
  let about = about fiber scope (Stream.inherited fls) info failed in
  let state = Atomic.make (Made.Fresh { code; result = promise }) in
  let (Made.Any { task; _ }) = Fiber.nothing_made in
  publish fiber promise { Made.state; about; task }
