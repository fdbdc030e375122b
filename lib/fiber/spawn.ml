open Types
module Promise = Dromos_sync.Author.Promise
module Hub = Dromos_hub.Hub
module Pool = Dromos_kernel.Pool

let max_depth = 64

let may_run_here fiber scope =
  fiber.node == scope.scope_node
  && fiber.scope == scope && fiber.shield = 0 && fiber.depth < max_depth
  && fiber.masked = 0 && fiber.interruptible = 0 && fiber.pin < 0
  && fiber.guests == []
  && not (Carried.under_handler fiber)

(* Runs a task to its end, in the fiber that is the task meanwhile. *)
let execute fiber about result code =
  Promise.no_demand result;
  (match
     Cancel.check fiber;
     code ()
   with
  | v -> ignore (Promise.try_resolve result (Ok v) : bool)
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      let e = Cancel.told fiber e in
      about.its_failed.failed about.in_which about.its_info result (e, bt));
  Pending.exit about.in_which.pending

(* {1 As a fiber of its own} *)

(* On a hub with deques, which does not need to recognise the task later, the
   fiber keeps only the hub's notes of the task's record, and drops the code. *)
let hub_task { in_which; _ } (task : _ Hub.task) =
  match in_which.scope_run.deques with
  | No_deques -> task
  | Public | Private -> { task with code = ignore }

let take (made : made) context =
  match Made.take made with
  | Here _ | Gone -> ()
  | Fresh { code; result; about; task } ->
      let { in_which = scope; its_storage = fls; its_info = info; _ } = about in
      Start.fiber context ~task:(hub_task about task) ~scope
        ~node:scope.scope_node ~fls ~info (fun fiber ->
          execute fiber about result code)

(* {1 In place} *)

let retract { worker; _ } task =
  Hub_door.enter worker.local
  && begin
       let retracted = Pool.retract (Worker.kernel worker) task in
       Hub_door.leave worker.local;
       retracted
     end

let trim { worker; _ } =
  if Hub_door.enter worker.local then begin
    Made.trim worker.unbegun;
    Hub_door.leave worker.local
  end

let claim fiber about task (made : made) =
  let own = fiber.worker.unbegun in
  match fiber.worker.run.deques with
  | Public | Private ->
      if Made.is_far own about.at then Made.Gone
      else begin
        let claimed = Made.claim made in
        (match claimed with Fresh _ -> trim fiber | Here _ | Gone -> ());
        claimed
      end
  | No_deques -> if retract fiber task then Made.take made else Gone

(* Runs the task with its own storage; values that the task sets do not reach
   the fiber. *)
let with_storage fiber about result code =
  let storage = about.its_storage in
  if Surroundings.stands_on_border fiber then begin
    let before = fiber.fls in
    if before != storage then Surroundings.set_storage fiber storage;
    execute fiber about result code;
    if fiber.fls != before then Surroundings.set_storage fiber before
  end
  else
    Storage.within_fiber fiber storage (fun () ->
        execute fiber about result code)

(* While the task runs, the fiber is the task, for locks and for messages. A
   store costs more than a test, and most tasks are alike, so each store is
   behind a test. *)
let run_here fiber about result code =
  let { asks; info; self_id; _ } = fiber and { its_info; _ } = about in
  fiber.depth <- fiber.depth + 1;
  if Carried.is_branch fiber then Carried.asks_by fiber Nobody.no_fork;
  if info != its_info then fiber.info <- its_info;
  Fiber.renumber fiber 0;
  with_storage fiber about result code;
  Guest.begin_anew fiber;
  if fiber.asks != asks then Carried.asks_by fiber asks;
  if fiber.info != info then fiber.info <- info;
  Fiber.renumber fiber self_id;
  fiber.depth <- fiber.depth - 1;
  Fiber.unpin fiber

let begin_here (made : made) =
  match Atomic.get made with
  | Here _ | Gone -> ()
  | Fresh { about; task; _ } -> (
      let fiber = Fiber.current () in
      if may_run_here fiber about.in_which then
        match claim fiber about task made with
        | Fresh { code; result; _ } -> run_here fiber about result code
        | Here _ | Gone -> ())

(* The fiber gives way in the task's stead, to the tasks that the hub has at the
   time of the call. The task itself would let pass all tasks of the worker,
   also later ones. *)
let begin_later (made : made) =
  match Atomic.get made with
  | Here _ | Gone -> ()
  | Fresh { about; _ } ->
      let fiber = Fiber.current () in
      if may_run_here fiber about.in_which then begin
        Task.step_back fiber;
        begin_here made
      end

(* {1 Publishing} *)

let publish fiber promise scope (made : made) task awaited =
  let run = scope.scope_run and { worker; _ } = fiber in
  if worker.run != run then Publish.task run New task
  else if run.deques = No_deques then begin
    Promise.on_demand promise awaited;
    Publish.task run New task
  end
  else if Turns.steps_back worker.turns run.deques New then begin
    Promise.on_demand promise (fun () -> begin_later made);
    Publish.to_all run (Turns.reason_back New) task
  end
  else if Hub_door.enter worker.local then begin
    Promise.on_demand promise awaited;
    Made.push worker.unbegun made task;
    Hub_door.leave worker.local;
    Publish.ask_for_workers run
  end
  else Publish.to_all run New task

(* [about] is equal to that of the worker's last task as a rule; the tasks then
   share the block. *)
let about { worker; _ } scope its_storage its_info its_failed =
  let own = worker.unbegun in
  match own.last with
  | Some last
    when last.in_which == scope
         && last.its_storage == its_storage
         && last.its_info == its_info
         && last.its_failed == its_failed
         && Made.same_place own last.at ->
      last
  | Some _ | None ->
      let at = own.size in
      let about = { in_which = scope; its_storage; its_info; its_failed; at } in
      if worker.run == scope.scope_run then Made.remember own about;
      about

let no_task : Pool.context Hub.task = Hub.task ignore

let task fiber scope ?name ~failed result code =
  let fls = if fiber != Fiber.nobody then fiber.fls else Storage.current () in
  let info = Info.of_task name in
  let about = about fiber scope (Stream.inherited fls) info failed in
  let fresh = Made.Fresh { code; result; about; task = no_task } in
  let made = Atomic.make fresh in
  (* Defined together, so that the two closures are one block. *)
  let[@warning "-unused-rec-flag"] rec taken context = take made context
  and awaited () = begin_here made in
  let task = Hub.task taken in
  (match fresh with Fresh fields -> fields.task <- task | Here _ | Gone -> ());
  publish fiber result scope made task awaited
