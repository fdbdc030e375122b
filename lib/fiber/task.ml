open Effect.Deep
open Fiber
module Broadcast = Dromos_sync.Broadcast
module Hub = Dromos_hub.Hub
module Pool = Dromos_kernel.Pool

type _ Effect.t += Yield : unit Effect.t

(* The hub as this thread's worker, with the door shut behind it. *)
let push local context reason task =
  local.hub_open <- false;
  Pool.push context reason task;
  local.hub_open <- true

let ask_for_workers run = if Atomic.get run.vacant > 0 then run.ask_workers ()

(* A run's pool is never closed: a run ends when its fibers have. *)
let submit run reason task = ignore (Pool.submit run.pool reason task)

let publish run reason task =
  (match Fiber.find_local () with
  | Some
      ({
         hub_open = true;
         serving = Some { run = served; kernel = Some context; _ };
         _;
       } as local)
    when served == run ->
      push local context reason task
  | Some _ | None -> submit run reason task);
  ask_for_workers run

let publish_new run task = publish run New task

(* For a task that is published because somebody is idle: into what is shared by
   all, since a private deque opens only when its owner next comes by. *)
let offer run task =
  submit run New task;
  ask_for_workers run

(* The worker that this kernel task runs on, of the run it belongs to. *)
let worker_of run context =
  let worker = run.workers.(Pool.worker context) in
  (match worker.kernel with
  | None -> worker.kernel <- Some context
  | Some _ -> ());
  worker.resting <- false;
  worker

(* The running fiber, which is about to leave its worker. *)
let exit_current () =
  let local = Fiber.local () in
  let fiber = local.current in
  local.current <- Fiber.nobody;
  fiber

(* {1 Suspensions} *)

let no_backtrace = Printexc.get_callstack 0

let resume_with : type a. (a, unit) continuation -> (a, _) result -> unit =
 fun k -> function
  | Ok v -> continue k v
  | Error (e, bt) -> discontinue_with_backtrace k e bt

(* Runs a fiber on this thread until it ends or suspends. *)
let slice local fiber go x =
  local.current <- fiber;
  local.hub_open <- true;
  go x;
  local.hub_open <- false;
  local.current <- Fiber.nobody

(* Continues [fiber] on the worker whose kernel task this is, by [go], until it
   ends or suspends. *)
let enter fiber context go =
  let worker = worker_of fiber.worker.run context in
  let local = worker.local in
  fiber.worker <- worker;
  slice local fiber go ()

(* {1 Frames} *)

type candidate = { frame : frame; env : env }

let env_of fiber =
  { in_scope = fiber.scope; under = fiber.cancel; shielded = fiber.shield > 0 }

(* Frames are promoted oldest first, so the promoted ones are the oldest of the
   chain, and a walk can stop at the first of them.

   A walk over d frames takes 1 + d/64 of them, so that it costs no more than
   publishing what it found does: one frame per walk would make deep recursions
   quadratic. Nothing is allocated until the last of them, since a minor
   collection would scan the deep stack each time. *)
let share latent = 1 + (latent / 64)

let rec count n (Frame fork as frame) =
  if Fiber.is_nil frame then n
  else
    match fork.cell with
    | Promoted _ -> n
    | Border _ -> count n fork.prev
    | Latent -> count (n + 1) fork.prev

(* The latent frames but the newest [skip], oldest first. *)
let rec but_newest skip acc env (Frame fork as frame) =
  if Fiber.is_nil frame then acc
  else
    match fork.cell with
    | Promoted _ -> acc
    | Border outer -> but_newest skip acc outer fork.prev
    | Latent ->
        if skip > 0 then but_newest (skip - 1) acc env fork.prev
        else but_newest 0 ({ frame; env } :: acc) env fork.prev

let oldest_latent fiber top =
  match count 0 top with
  | 0 -> []
  | n -> but_newest (n - share n) [] (env_of fiber) top

(* Between the tests and the store there is no poll point (the join is made
   before), so a companion and the fiber never both mark a frame, and neither
   marks one that the other has seen leave the chain. *)
let mark ?still (Frame fork) =
  let join = Promoted { state = Join.create (); branch = Cancel.root () } in
  let chain_is_current =
    match still with
    | None -> true
    | Some (local, fiber, top) -> local.current == fiber && fiber.top == top
  in
  match fork.cell with
  | Latent when chain_is_current ->
      fork.cell <- join;
      true
  | Latent | Promoted _ | Border _ -> false

(* Fibers, their handler and the publishing of frames know each other: a fiber
   that suspends publishes its frames, which start fibers. *)
let rec effc : 'b. 'b Effect.t -> (('b, unit) continuation -> unit) option =
 fun (type b) (eff : b Effect.t) ->
  match eff with
  | Dromos_suspend.Suspend block ->
      Some (fun (k : (b, unit) continuation) -> suspended ~shield:false block k)
  | Dromos_suspend.Shielded block ->
      Some (fun (k : (b, unit) continuation) -> suspended ~shield:true block k)
  | Yield -> Some yielded
  | Dromos_suspend.Self -> Some identified
  | _ -> None

(* The handler of [Suspend], on the scheduler's stack. Cancellation is tested
   before [block] and listened to after it; in between, [block]'s answer stands.
   Once [block] has seen the resumer the fiber may already run elsewhere: from
   there on only what was read before is used. *)
and suspended :
    'a.
    shield:bool ->
    ('a Dromos_suspend.resumer -> 'a option) ->
    ('a, unit) continuation ->
    unit =
 fun ~shield block k ->
  let fiber = exit_current () in
  let worker = fiber.worker in
  let back () = worker.local.current <- fiber in
  if (not shield) && Cancel.pending fiber then begin
    back ();
    discontinue k Cancel.Cancelled
  end
  else begin
    promote_all fiber;
    worker.suspensions <- worker.suspensions + 1;
    let node = fiber.cancel and shielded = shield || fiber.shield > 0 in
    let s = Suspension.create () in
    let resumer result =
      let first = Suspension.won s in
      if first then begin
        Waiting.goes_on fiber;
        publish worker.run Unblock
          (Hub.task (fun context ->
               enter fiber context (fun () -> resume_with k result)))
      end;
      first
    in
    Waiting.suspends fiber;
    if Fiber.debug then Waiting.stands_at fiber (get_callstack k);
    match block resumer with
    | Some v ->
        Waiting.goes_on fiber;
        back ();
        continue k v
    | None ->
        if not shielded then
          Suspension.listen s node (fun e ->
              ignore (resumer (Error (e, no_backtrace))))
    | exception e ->
        (* Against the contract, but nothing must be lost. *)
        let bt = Printexc.get_raw_backtrace () in
        if Suspension.won s then begin
          Waiting.goes_on fiber;
          back ();
          discontinue_with_backtrace k e bt
        end
  end

and identified : (int, unit) continuation -> unit =
 fun k -> continue k (Fiber.id (Fiber.local ()).current)

and yielded : (unit, unit) continuation -> unit =
 fun k ->
  let fiber = exit_current () in
  publish fiber.worker.run Yield
    (Hub.task (fun context ->
         enter fiber context (fun () ->
             if Cancel.pending fiber then discontinue k Cancel.Cancelled
             else begin
               (* A worker that became idle while the fiber was queued found no
                  fiber here to ask, and this one may not fork again. *)
               if Atomic.get fiber.signal > 0 then promote_oldest fiber;
               continue k ()
             end)))

and start context ~scope ~cancel ~info code =
  let worker = worker_of scope.scope_run context in
  let local = worker.local in
  let fiber =
    {
      top = Fiber.nil;
      signal = scope.scope_run.run_signal;
      worker;
      cancel;
      scope;
      shield = 0;
      depth = 0;
      self_id = 0;
      waits = Fiber.awake;
      since = -1;
      info;
    }
  in
  let to_its_end fiber =
    code fiber;
    Waiting.over fiber
  in
  let run fiber =
    match_with to_its_end fiber { retc = ignore; exnc = raise; effc }
  in
  slice local fiber run fiber

(* The branch gets a cancellation node of its own below the forking fiber's, so
   that a failure to its left can stop it alone. *)
and publish_frame give worker { frame = Frame fork; env; _ } =
  match fork.cell with
  | Latent | Border _ -> ()
  | Promoted join ->
      let { in_scope = scope; under; shielded } = env in
      worker.promotions <- worker.promotions + 1;
      give worker.run
      @@ Hub.task (fun context ->
             if Join.claim join.state then
               start context ~scope ~cancel:join.branch
                 ~info:(Waiting.branch ()) (fun fiber ->
                   let place =
                     if shielded then Broadcast.nobody
                     else Cancel.attach join.branch ~below:under
                   in
                   let result =
                     match
                       Cancel.check fiber;
                       fork.code fiber
                     with
                     | v -> Ok v
                     | exception e -> Error (e, Printexc.get_raw_backtrace ())
                   in
                   Broadcast.leave place;
                   Join.finish join.state result))

and publish_frames give fiber candidates =
  let publish candidate =
    if mark candidate.frame then publish_frame give fiber.worker candidate
  in
  List.iter publish candidates

(* Every poll looks, since it may be the fiber's last before a long computation,
   with an idle worker that has looked for frames already. But nothing more is
   published while something is there to be taken: a fiber that yields in each of
   its branches would multiply without bound. *)
and promote_oldest fiber =
  let context = Fiber.kernel fiber.worker in
  Pool.tick context;
  if not (Pool.has_work context) then
    publish_frames offer fiber (oldest_latent fiber fiber.top)

(* One walk, since the chain may be very long. *)
and promote_all fiber =
  publish_frames publish_new fiber (but_newest 0 [] (env_of fiber) fiber.top)

let offer_frame worker candidate = publish_frame offer worker candidate
