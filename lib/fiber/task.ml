open Effect.Deep
open Fiber
module Once = Dromos_sync.Once
module Hub = Dromos_hub.Hub
module Pool = Dromos_kernel.Pool

type _ Effect.t +=
  | Yield : unit Effect.t
  | Capture : (Fiber.ready -> Fiber.directive) -> unit Effect.t

(* A fiber that holds one of the kernel's locks must not be preempted. *)
let shut = Dromos_service.Mask.protect
let ask_for_workers run = if Atomic.get run.vacant > 0 then run.ask_workers ()

(* [Pool.submit] never refuses: no code closes a run's pool, and the run ends
   after its fibers have. *)
let hand_in run reason task =
  shut (fun () -> ignore (Pool.submit run.pool reason task))

let submit run reason task =
  hand_in run reason task;
  ask_for_workers run

let publish run reason task =
  (match Fiber.find_local () with
  | Some
      ({
         serving = Some ({ run = served; kernel = Some context; _ } as worker);
         _;
       } as local)
    when served == run ->
      if Turns.steps_back worker reason then
        hand_in run (Turns.reason_back reason) task
      else if Hub_door.enter local then begin
        Pool.push context reason task;
        Hub_door.leave local
      end
      else hand_in run reason task
  | Some _ | None -> hand_in run reason task);
  ask_for_workers run

let publish_new run task = publish run New task

(* Publishes a task because a worker is idle: to the injector, which all workers
   share. An idle worker would find the task in a private deque only after the
   deque's owner reached its next poll. *)
let offer run task = submit run New task

(* The worker, of the given run, that the kernel task runs on. *)
let worker_of run context =
  let worker = run.workers.(Pool.worker context) in
  (match worker.kernel with
  | None -> worker.kernel <- Some context
  | Some _ -> ());
  worker.resting <- false;
  worker.written <- false;
  worker

(* Called between two kernel tasks. *)
let look_around worker =
  if Turns.time_to_look worker then worker.run.look_around worker

(* Takes the running fiber off its thread; the fiber is about to leave its
   worker. *)
let exit_current () =
  let local = Fiber.local () in
  let fiber = local.current in
  local.current <- Fiber.nobody;
  fiber

(* {1 Suspensions} *)

let no_backtrace = Printexc.get_callstack 0

let resume_with : type a. (a, unit) Task_heap.kept -> (a, _) result -> unit =
 fun kept -> function
  | Ok v -> continue (Task_heap.resume kept) v
  | Error (e, bt) -> discontinue_with_backtrace (Task_heap.resume kept) e bt

(* Runs a fiber on the calling thread until the fiber ends or suspends. *)
let slice local fiber go x =
  let worker = fiber.worker in
  worker.slices <- worker.slices + 1;
  if worker.due > 0 then Quantum.next_piece worker;
  local.current <- fiber;
  Hub_door.open_ local;
  if Task_heap.here then Fiber.enter_heap fiber;
  go x;
  if Task_heap.here then Task_heap.enter Task_heap.none;
  Hub_door.close local;
  local.current <- Fiber.nobody

let make_fiber worker ?(heap = Task_heap.none) ?(ends = ignore) ~task ~scope
    ~cancel ~fls ~pin ~info () =
  {
    frames = { top = Fiber.nil };
    heap;
    signal = scope.scope_run.run_signal;
    worker;
    task;
    cancel;
    scope;
    shield = 0;
    depth = 0;
    self_id = 0;
    waits = Fiber.awake;
    since = -1;
    info;
    fls;
    pin;
    hand = Fiber.no_hand;
    stack = [];
    given = Fiber.stop;
    ends;
    masked = 0;
    interruptible = 0;
    yields = 0;
    yielded_at = worker.slices;
    base = 0;
    asks = Fiber.no_fork;
    came_at = Fiber.nowhere;
    guests = [];
    witness = Fiber.no_witness;
  }

(* A fiber that leaves its heap publishes everything reachable from the stacks
   of the domain's threads. The fiber's fork frames must not be published. The
   worker therefore waits until the publisher thread (the companion) holds no
   frame of the fiber. The publisher thread cannot pick up new frames, because a
   fiber that is leaving has no frames left to offer. *)
let rec alone worker =
  if worker.local.reads_frames then begin
    Thread.yield ();
    alone worker
  end

let suspend_heap fiber k =
  if Task_heap.here then alone fiber.worker;
  Task_heap.suspend fiber.heap k

(* The branch's closure and its argument must stay private too: clear the
   frames, and wait for the publisher thread, before the result is stored. *)
let leave_heap fiber record result =
  fiber.frames <- Fiber.no_frames;
  alone fiber.worker;
  Task_heap.finish record result

(* {1 Handles of runnable fibers} *)

type claim = Go of (unit -> unit) | Recovered | Spent

let claim ready =
  let go = Atomic.exchange ready.go Fiber.spent in
  if go == Fiber.spent then Spent
  else if go == Fiber.recovered then Recovered
  else Go go

let is_root worker = match worker.actions with [] -> true | _ :: _ -> false

let in_hands fiber go =
  let ready = { of_fiber = fiber; home = -1; go = Atomic.make go } in
  fiber.hand <- ready;
  ready

(* Stores what the worker that runs the fiber does after the fiber has left. *)
let leave_word worker fiber directive =
  worker.next <- directive;
  worker.next_by <- fiber

(* Ends a piece of code: a fiber's first code, or a call of an action. After
   [Run] an action of the fiber is on the stack; after [Forward] the fiber is
   over. [ends] may compute or even wait, and a preemption stores a directive
   too, so [finish] stores the directive last. *)
let finish fiber directive =
  (match directive with
  | Run _ -> ()
  | Forward _ ->
      fiber.masked <- fiber.masked + 1;
      Waiting.over fiber;
      fiber.ends ());
  leave_word fiber.worker fiber directive

(* Any thread may call the functions from here on. [inbox] counts the tasks that
   only one worker can run, for {!Roster.request}. *)
let publish_to worker place reason task code =
  if place < 0 then publish worker.run reason (task code)
  else
    let { inbox; _ } = worker.run.workers.(place) in
    let code context =
      Atomic.decr inbox;
      code context
    in
    shut (fun () ->
        Atomic.incr inbox;
        ignore (Pool.submit_to worker.run.pool place reason (task code) : bool);
        if Atomic.get worker.run.unserved > 0 then worker.run.ask_workers ())

(* A fiber is a sequence of kernel tasks. A policy recognises the fiber by the
   notes in [attrs], which [again] copies into the next task. Until the task is
   published, only the publishing thread uses the fiber's record. *)
let again fiber code =
  let { Hub.last_worker; attrs; _ } = fiber.task in
  let task = { Hub.code; last_worker; attrs } in
  fiber.task <- task;
  task

(* A fiber's first kernel task; its code gets the task as an argument. *)
let first code =
  let rec task =
    {
      Hub.code = (fun context -> code task context);
      last_worker = -1;
      attrs = [||];
    }
  in
  task

let publish_at place worker reason fiber code =
  publish_to worker place reason (again fiber) code

let publish_ready worker reason fiber code =
  publish_at fiber.pin worker reason fiber code

let rec taker = function
  | [] -> None
  | { action = { ready_again = Some give; turn; _ }; _ } :: _ ->
      Some (turn, give)
  | { action = { ready_again = None; _ }; _ } :: below -> taker below

(* The functions from here to [promote_all] refer to each other: a fiber that
   suspends publishes its frames, the published frames start fibers, and leaving
   a worker signals an action, whose code belongs to a fiber. *)
let rec effc : 'b. 'b Effect.t -> (('b, unit) continuation -> unit) option =
 fun (type b) (eff : b Effect.t) ->
  match eff with
  | Dromos_suspend.Suspend block ->
      Some (fun (k : (b, unit) continuation) -> suspended ~shield:false block k)
  | Dromos_suspend.Shielded block ->
      Some (fun (k : (b, unit) continuation) -> suspended ~shield:true block k)
  | Yield -> Some yielded
  | Capture use -> Some (captured use)
  | Dromos_suspend.Self -> Some identified
  | eff -> Some (of_program eff)

(* The handler of [Suspend], on the scheduler's stack. The handler tests for
   cancellation before [block] and listens for cancellation after [block]; in
   between, [block]'s answer stands. Once [block] has the resumer, the fiber may
   already run elsewhere, so the code after [block] uses only what was read
   before. *)
and suspended :
    'a.
    shield:bool ->
    ('a Dromos_suspend.resumer -> 'a option) ->
    ('a, unit) continuation ->
    unit =
 fun ~shield block k ->
  let fiber = (Fiber.local ()).current in
  if fiber.guests != [] then suspended_guest ~shield fiber block k
  else if (not shield) && Cancel.pending fiber then
    discontinue k Cancel.Cancelled
  else leaves ~shielded:(shield || fiber.shield > 0) fiber block k

and suspended_guest :
    'a.
    shield:bool -> Fiber.t -> 'a Fiber.block -> ('a, unit) continuation -> unit
    =
 fun ~shield fiber block k ->
  let shielded = shield || fiber.shield > 0 || Guest.forbids fiber in
  if shielded then leaves ~shielded fiber block k
  else
    match Guest.stopped fiber with
    | Some (e, bt) -> discontinue_with_backtrace k e bt
    | None when Cancel.pending fiber -> discontinue k Cancel.Cancelled
    | None -> leaves ~shielded fiber (Guest.around fiber block) k

(* [cut], if given, wakes the cancelled fiber; without [cut], the fiber gets an
   error. *)
and leaves :
    'a.
    ?cut:(unit -> unit) ->
    ?reason:string ->
    shielded:bool ->
    Fiber.t ->
    'a Fiber.block ->
    ('a, unit) continuation ->
    unit =
 fun ?cut ?reason ~shielded fiber block k ->
  let worker = fiber.worker in
  let back () = worker.local.current <- fiber in
  worker.local.current <- Fiber.nobody;
  promote_all fiber;
  worker.suspensions <- worker.suspensions + 1;
  let node = fiber.cancel in
  let task = fiber.task in
  if Fiber.debug then Waiting.stands_at fiber (get_callstack k);
  let kept = suspend_heap fiber k in
  let s = Suspension.create () in
  let actions = worker.actions in
  let resumer result =
    let first = Suspension.won s in
    if first then begin
      Waiting.goes_on fiber;
      come_back worker actions fiber (fun () -> resume_with kept result)
    end;
    first
  in
  Waiting.suspends fiber;
  (match reason with Some reason -> fiber.waits <- reason | None -> ());
  match block resumer with
  | Some v ->
      Waiting.goes_on fiber;
      back ();
      continue (Task_heap.resume kept) v
  | None ->
      told_blocked worker actions task;
      if not shielded then
        Suspension.listen s node (fun e ->
            match cut with
            | Some cut -> cut ()
            | None -> ignore (resumer (Error (e, no_backtrace)) : bool))
  | exception e ->
      (* [block] breaks its contract by raising; the fiber must not be lost. *)
      let bt = Printexc.get_raw_backtrace () in
      if Suspension.won s then begin
        Waiting.goes_on fiber;
        back ();
        discontinue_with_backtrace (Task_heap.resume kept) e bt
      end

(* Reports to the hub that the task blocked. The hub may already know that the
   fiber is runnable again. Under an action a kernel task runs several fibers
   and ends later, so the hub hears nothing. *)
and told_blocked worker actions task =
  match (actions, worker.kernel) with
  | [], Some context -> Pool.block context task
  | _ -> ()

(* An effect of the program's. The handler never performs the effect again:
   above the fiber's own stack is the scheduler. *)
and of_program : 'a. 'a Effect.t -> ('a, unit) continuation -> unit =
 fun (type a) (eff : a Effect.t) (k : (a, unit) continuation) ->
  let fiber = (Fiber.local ()).current in
  match (Guest.answer fiber eff : a Guest.answer) with
  | Value v -> continue k v
  | Fails (e, bt) -> discontinue_with_backtrace k e bt
  | Yields -> yielded k
  | Waits { reason; shielded; cut; block } ->
      leaves ~cut ~reason ~shielded fiber block k
  | Unknown ->
      if fiber.asks == Fiber.no_fork then
        discontinue_with_backtrace k (Foreign.unhandled eff)
          (get_callstack k 32)
      else suspended ~shield:false (Carried.block fiber eff) k

and identified : (int, unit) continuation -> unit =
 fun k -> continue k (Fiber.id (Fiber.local ()).current)

and go_on fiber kept () =
  if Cancel.pending fiber then
    discontinue (Task_heap.resume kept) Cancel.Cancelled
  else begin
    (* First resume the heap: a thread that the domain switches to meanwhile
       publishes what the current thread's stack has of the heap. Promote next:
       a worker that became idle while the fiber was queued found no fiber here
       to ask for frames, and this fiber may not fork again. *)
    let k = Task_heap.resume kept in
    if Atomic.get fiber.signal > 0 then promote_oldest fiber;
    continue k ()
  end

and yielded : (unit, unit) continuation -> unit =
 fun k ->
  let fiber = exit_current () in
  let worker = fiber.worker in
  if Latent.has_owned fiber.frames.top then promote_all fiber
  else if Turns.yields fiber && not (Fiber.is_nil fiber.frames.top) then
    publish_frames publish_new fiber (Latent.oldest fiber fiber.frames.top);
  let go = go_on fiber (suspend_heap fiber k) in
  if is_root worker then
    publish_ready worker Yield fiber (fun context -> enter fiber context go)
  else leave_word worker fiber (Forward (Preempt (in_hands fiber go)))

(* Captures the calling fiber. [use] runs as code of a new fiber, [apart], so
   [use] may ask for the vproc and return [Run], whatever becomes of the
   captured fiber. An action that [use] puts on the stack belongs to [apart]:
   the captured fiber may end, or run elsewhere, while the action is on the
   stack. *)
and captured : (ready -> directive) -> (unit, unit) continuation -> unit =
 fun use k ->
  let fiber = exit_current () in
  let worker = fiber.worker and scope = fiber.scope in
  let local = worker.local in
  let kept = suspend_heap fiber k in
  let apart =
    make_fiber worker ~task:(Hub.task ignore) ~scope ~cancel:fiber.cancel
      ~fls:fiber.fls ~pin:worker.id
      ~info:{ fiber.info with waits_at = None; hands = Fiber.no_hands }
      ~ends:(fun () -> Pending.exit scope.pending)
      ()
  in
  let ready = in_hands fiber (go_on fiber kept) in
  Waiting.queues fiber "its turn (captured)";
  (* [use] runs on the worker's own stack and must not be preempted here. *)
  apart.masked <- 1;
  local.current <- apart;
  match use ready with
  | directive ->
      local.current <- Fiber.nobody;
      apart.masked <- 0;
      (match directive with
      | Forward _ -> ()
      | Run _ -> ignore (Pending.enter scope.pending : bool));
      leave_word worker apart directive
  | exception e -> (
      let bt = Printexc.get_raw_backtrace () in
      local.current <- Fiber.nobody;
      match claim ready with
      | Spent | Recovered ->
          (* A worker runs the captured fiber already. *)
          Dromos_service.Message.failure ~what:"a scheduler's action" e bt
      | Go _ ->
          Waiting.goes_on fiber;
          local.current <- fiber;
          discontinue_with_backtrace (Task_heap.resume kept) e bt)

(* Brings a resumed fiber back: to the nearest action below that takes fibers
   back, or else to the hub. *)
and come_back worker actions fiber go =
  match taker actions with
  | Some (turn, give) ->
      (* Messages name the scheduler that drops the fiber. *)
      Waiting.queues fiber turn;
      give (in_hands fiber go)
  | None ->
      publish_ready worker Unblock fiber (fun context -> enter fiber context go)

(* Resumes [fiber] with [go], on the worker of the current kernel task, until
   the fiber ends or suspends. [settle] carries out the remaining directives,
   until the kernel's loop has the worker again. *)
and enter fiber context go =
  let worker = worker_of fiber.worker.run context in
  fiber.worker <- worker;
  slice worker.local fiber go ();
  settle worker;
  look_around worker

(* Another thread may act for the worker after each slice: see {!Preempt}. *)
and settle worker =
  if not (worker.next == Fiber.stop && is_root worker) then begin
    let directive = worker.next and owner = worker.next_by in
    worker.next <- Fiber.stop;
    worker.next_by <- Fiber.nobody;
    carry_out worker owner directive;
    settle worker
  end
  else if worker.next_by != Fiber.nobody then worker.next_by <- Fiber.nobody

and carry_out worker owner = function
  | Run ({ action; fiber; go } as directive) ->
      directive.go <- Fiber.spent;
      Waiting.goes_on fiber;
      worker.actions <- { action; owner } :: worker.actions;
      fiber.worker <- worker;
      slice worker.local fiber go ()
  | Forward signal -> (
      match (worker.actions, signal) with
      | [], Stop -> ()
      | [], Preempt ready -> release ~from:worker ready
      | { action; owner } :: below, signal ->
          worker.actions <- below;
          (match signal with
          | Stop -> ()
          | Preempt ready -> Waiting.queues ready.of_fiber action.turn);
          if worker.due > 0 then Quantum.over worker;
          owner.worker <- worker;
          slice worker.local owner (act owner action) signal)

(* Calls an action's code, as a fresh piece of the action's owner. The owner is
   not preempted meanwhile: the action holds handles of fibers. *)
and act owner action signal =
  owner.masked <- owner.masked + 1;
  match_with
    (fun signal ->
      let directive = action.act signal in
      owner.masked <- owner.masked - 1;
      finish owner directive)
    signal
    { retc = ignore; exnc = raise; effc }

and release ?from ready =
  match claim ready with
  | Spent | Recovered -> ()
  | Go go ->
      let fiber = ready.of_fiber in
      to_root (Option.value from ~default:fiber.worker) ready.home fiber go

and to_root worker home fiber go =
  Waiting.goes_on fiber;
  let place = if home < 0 then fiber.pin else home in
  publish_at place worker Yield fiber (fun context -> enter fiber context go)

and start context ?heap ~task ~scope ~cancel ~fls ~info code =
  let worker = worker_of scope.scope_run context in
  let fiber =
    make_fiber worker ?heap ~task ~scope ~cancel ~fls ~pin:(-1) ~info ()
  in
  let to_its_end fiber =
    fiber.base <- Carried.stack ();
    code fiber;
    Waiting.over fiber
  in
  let run fiber =
    match_with to_its_end fiber { retc = ignore; exnc = raise; effc }
  in
  slice worker.local fiber run fiber;
  settle worker;
  look_around worker

(* The branch gets a cancellation node of its own below the forking fiber's
   node, so that a failure to the branch's left can stop the branch alone. *)
and branch_code : 'a 'b. env -> ('a, 'b) join -> Fiber.t -> unit =
 fun { under; shielded; _ } join fiber ->
  let state = join.state and record = join.record in
  fiber.asks <- Join.ask state;
  let place =
    if shielded then Once.nobody else Cancel.attach join.branch ~below:under
  in
  let result =
    match
      Cancel.check fiber;
      join.late fiber
    with
    | v -> Ok v
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        Error (Cancel.told fiber e, bt)
  in
  Once.leave place;
  if record = Task_heap.no_record then Join.finish state result
  else begin
    leave_heap fiber record result;
    Join.finish_kept state
  end

(* Publishes a branch where tasks have heaps. The hub's queues hold the parts of
   a branch that all workers may know, and the runtime holds the branch's code.
   A publisher thread may reach this function late: after the fiber ran the
   branch itself, ended, or went on in another domain. The test finds such a
   branch, and the function does not offer it. No poll point lies between the
   test and the store. *)
and publish_branch : 'a 'b. _ -> Fiber.t -> env -> ('a, 'b) join -> unit =
 fun give fiber env join ->
  let code = branch_code env join in
  if Fiber.current () == fiber then Fiber.enter_heap fiber;
  if
    Join.is_pending join.state
    && fiber.frames != Fiber.no_frames
    && Task_heap.may_fork fiber.heap
  then begin
    Task_heap.share env;
    Task_heap.share join.branch;
    Task_heap.share join.state;
    let record = Task_heap.fork fiber.heap code in
    join.record <- record;
    give fiber.worker.run (branch_task env join.branch record)
  end

and branch_task :
    'r. env -> cancel -> (Fiber.t -> unit, 'r) Task_heap.record -> _ Hub.task =
 fun { in_scope; inherits; _ } branch record ->
  let run fiber = (Task_heap.code record) fiber in
  first (fun task context ->
      if Task_heap.take record then
        start context ~heap:(Task_heap.task record) ~task ~scope:in_scope
          ~cancel:branch ~fls:inherits ~info:(Waiting.branch ()) run)

and publish_frame give fiber { Latent.frame = Frame fork; env; _ } =
  let worker = fiber.worker in
  match fork.cell with
  | Latent | Owned _ | Border _ -> ()
  | Promoted join -> (
      worker.promotions <- worker.promotions + 1;
      let claim () = Join.claim join.state in
      match join.owned with
      | Some { publish; remains = left; _ } ->
          publish worker
            {
              claim;
              run_in = env;
              own_node = join.branch;
              left;
              go_branch = branch_code env join;
            }
      | None when Task_heap.here -> publish_branch give fiber env join
      | None ->
          let code = branch_code env join in
          give worker.run
          @@ first (fun task context ->
                 if claim () then
                   start context ~task ~scope:env.in_scope ~cancel:join.branch
                     ~fls:env.inherits ~info:(Waiting.branch ()) code))

and publish_frames ?still give fiber candidates =
  let publish candidate =
    if Latent.mark ?still fiber candidate.Latent.frame then
      publish_frame give fiber candidate
  in
  List.iter publish candidates

(* Every poll looks, since the poll may be the fiber's last before a long
   computation, and an idle worker may have looked for frames already. The fiber
   publishes nothing more while a published task waits for a taker: a fiber that
   yields in each of its branches would multiply without bound. The takers may
   be missing: a worker that left may have overlooked tasks that a hub keeps
   private. The fiber therefore asks for a worker. *)
and promote_oldest fiber =
  let { local; _ } = fiber.worker and context = Fiber.kernel fiber.worker in
  if Hub_door.enter local then begin
    Pool.tick context;
    Hub_door.leave local
  end;
  if Pool.has_work context then ask_for_workers fiber.worker.run
  else promote_share fiber

(* The calling thread may publish only frames of its own current fiber where
   tasks have heaps. *)
and promote_share fiber =
  if (not Task_heap.here) || Fiber.current () == fiber then
    publish_frames offer fiber (Latent.oldest fiber fiber.frames.top)

(* More than 100 latent frames occur in a recursion rather than in a loop, and a
   recursion links new frames all the time. *)
and promote_near fiber =
  if (not Task_heap.here) || Fiber.current () == fiber then
    if Latent.are_few fiber then publish_frames offer fiber (Latent.all fiber)
    else promote_share fiber

and promote_all fiber = publish_frames publish_new fiber (Latent.all fiber)

let offers ~still fiber =
  let offers = ref [] in
  let give run task = offers := (fun () -> offer run task) :: !offers in
  publish_frames ~still give fiber (Latent.oldest fiber (snd still));
  List.rev !offers

(* {1 Scheduler actions} *)

let prepare ~scope ?(cancel = scope.node) ~fls ~pin ~info ~ends code =
  let maker = (Fiber.current ()).worker in
  let task = Hub.task ignore in
  let fiber = make_fiber maker ~ends ~task ~scope ~cancel ~fls ~pin ~info () in
  let to_its_end fiber =
    fiber.base <- Carried.stack ();
    finish fiber (code fiber)
  in
  let go () =
    match_with to_its_end fiber { retc = ignore; exnc = raise; effc }
  in
  Waiting.queues fiber "its start";
  fiber.stack <- [];
  in_hands fiber go

let release ready = release ready

let rec recover ready =
  let go = Atomic.get ready.go in
  if go == Fiber.spent || go == Fiber.recovered then None
  else if Atomic.compare_and_set ready.go go Fiber.recovered then begin
    let fresh = { ready with go = Atomic.make go } in
    ready.of_fiber.hand <- fresh;
    Some fresh
  end
  else recover ready

let give_up = function
  | Forward _ -> false
  | Run { go; _ } when go == Fiber.spent -> false
  | Run ({ fiber; go; _ } as directive) ->
      directive.go <- Fiber.spent;
      to_root fiber.worker fiber.hand.home fiber go;
      true

(* {1 The vproc's own queue}

   While no scheduler serves the queue, [enq_on] announces each fiber to the
   kernel's loop, and the loop runs a fiber for each announcement that finds
   one. *)

let run_queued worker context =
  match Ready_queue.take_opt worker.queue with
  | None -> ()
  | Some ready -> (
      match claim ready with
      | Spent | Recovered -> ()
      | Go go ->
          Waiting.goes_on ready.of_fiber;
          enter ready.of_fiber context go)

let served worker = Atomic.get worker.serves_queue <> 0

let announce worker =
  publish_to worker worker.id Yield Hub.task (fun context ->
      if not (served worker) then run_queued worker context)

(* [enq_on] first adds the fiber and then reads [serves_queue]. [stop_serving]
   first clears [serves_queue] and then counts the fibers. At least one of the
   two announces the fiber. *)
let enq_on worker ready =
  ready.of_fiber.pin <- worker.id;
  Ready_queue.add worker.queue ready;
  if not (served worker) then announce worker

let deq worker scheduler =
  Atomic.set worker.serves_queue (Fiber.id scheduler);
  Ready_queue.take ~reason:"Vproc.deq" worker.queue

let stop_serving worker scheduler =
  if Atomic.compare_and_set worker.serves_queue (Fiber.id scheduler) 0 then
    for _ = 1 to Ready_queue.length worker.queue do
      announce worker
    done

let step_back fiber =
  Dromos_suspend.suspend ~reason:"its turn" (fun resume ->
      Turns.next_steps_back fiber.worker;
      ignore (resume (Ok ()) : bool);
      None)

let yield () =
  match Effect.perform Yield with
  | () -> ()
  | exception (Effect.Unhandled Yield | Misplaced.Misplaced _) ->
      (* In a finaliser or in a callback from C the worker cannot leave the
         fiber. *)
      ()

let () =
  let operation (type a) (eff : a Effect.t) =
    match eff with
    | Yield -> Some "yield"
    | Capture _ -> Some "Sched.capture"
    | _ -> None
  in
  Dromos_suspend.Callback.refuse { operation }
