open Effect.Deep
open Types
module Pool = Dromos_kernel.Pool

type _ Effect.t +=
  | Yield : unit Effect.t
  | Capture : (handle -> directive) -> unit Effect.t

let no_backtrace = Printexc.get_callstack 0

let resume_with : type a. (a, unit) Task_heap.kept -> (a, _) result -> unit =
 fun kept -> function
  | Ok v -> continue (Task_heap.resume kept) v
  | Error (e, bt) -> discontinue_with_backtrace (Task_heap.resume kept) e bt

(* Reports to the hub that the task blocked. The hub may already know that the
   fiber is runnable again. Under an action a kernel task runs several fibers
   and ends later, so the hub hears nothing. *)
let tell_blocked worker actions task =
  match (actions, worker.kernel) with
  | [], Some context -> Pool.block context task
  | _ -> ()

(* {1 Waiting} *)

(* The fiber leaves its worker and waits. [cut], if given, wakes the cancelled
   fiber; without [cut], the fiber gets an error. Once [block] has the resumer,
   the fiber may already run elsewhere, so the code after [block] uses only what
   was read before. *)
let wait ?cut ?reason ~shielded fiber block k =
  let worker = fiber.worker in
  let back () = Local.runs worker.local fiber in
  Local.runs_none worker.local;
  Promotion.all fiber;
  worker.suspensions <- worker.suspensions + 1;
  let node = fiber.node in
  let task = fiber.task in
  if Debug_mode.on then Info.stands_at fiber.info (get_callstack k);
  let kept = Slice.suspend fiber k in
  let s = Suspension.create () in
  let actions = worker.actions in
  let resumer result =
    let first = Suspension.won s in
    if first then begin
      Waiting.goes_on fiber;
      Actions.come_back worker actions fiber (fun () -> resume_with kept result)
    end;
    first
  in
  Waiting.suspends ?reason fiber;
  match block resumer with
  | Some v ->
      Waiting.goes_on fiber;
      back ();
      continue (Task_heap.resume kept) v
  | None ->
      tell_blocked worker actions task;
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

let suspended_guest ~shield fiber block k =
  let shielded = shield || fiber.shield > 0 || Guest.forbids fiber in
  if shielded then wait ~shielded fiber block k
  else
    match Guest.stopped fiber with
    | Some (e, bt) -> discontinue_with_backtrace k e bt
    | None when Cancel.pending fiber -> discontinue k Cancel.Cancelled
    | None -> wait ~shielded fiber (Guest.around fiber block) k

(* The handler tests for cancellation before [block] and listens for cancellation
   after [block]; in between, [block]'s answer stands. *)
let suspended ~shield block k =
  let fiber = (Local.get ()).current in
  if fiber.guests != [] then suspended_guest ~shield fiber block k
  else if (not shield) && Cancel.pending fiber then
    discontinue k Cancel.Cancelled
  else wait ~shielded:(shield || fiber.shield > 0) fiber block k

(* {1 Yielding} *)

let go_on fiber kept () =
  if Cancel.pending fiber then
    discontinue (Task_heap.resume kept) Cancel.Cancelled
  else begin
    (* First resume the heap: a thread that the domain switches to meanwhile
       publishes what the current thread's stack has of the heap. Promote next:
       a worker that became idle while the fiber was queued found no fiber here
       to ask for frames, and this fiber may not fork again. *)
    let k = Task_heap.resume kept in
    if Atomic.get fiber.signal > 0 then Promotion.oldest fiber;
    continue k ()
  end

let yielded k =
  let fiber = Slice.leave () in
  let worker = fiber.worker in
  Promotion.before_yield fiber;
  let go = go_on fiber (Slice.suspend fiber k) in
  if Actions.is_root worker then
    Publish.fiber worker Yield fiber (fun context ->
        Actions.enter fiber context go)
  else Actions.set_next worker fiber (Forward (Preempt (Handle.make fiber go)))

(* {1 Capturing} *)

(* The fiber that runs [use]. An action that [use] puts on the stack belongs to
   this fiber: the captured fiber may end, or run elsewhere, while the action is
   on the stack. *)
let apart_from (fiber : fiber) =
  let { worker; scope; node; fls; _ } = fiber in
  Fiber.make worker
    ~task:(Dromos_hub.Hub.task ignore)
    ~scope ~node ~fls ~pin:worker.id ~info:(Info.apart fiber.info)
    ~ends:(fun () -> Pending.exit scope.pending)
    ()

(* Captures the calling fiber. [use] runs as code of a fiber of its own, so [use]
   may ask for the vproc and return [Run], whatever becomes of the captured
   fiber. [use] runs on the worker's own stack and must not be preempted. *)
let captured use k =
  let fiber = Slice.leave () in
  let worker = fiber.worker and pending = fiber.scope.pending in
  let { local; _ } = worker in
  let kept = Slice.suspend fiber k in
  let apart = apart_from fiber in
  let handle = Handle.make fiber (go_on fiber kept) in
  Waiting.queues fiber "its turn (captured)";
  Masked.enter apart;
  Local.runs local apart;
  match use handle with
  | directive ->
      Local.runs_none local;
      Masked.leave apart;
      (match directive with
      | Forward _ -> ()
      | Run _ -> ignore (Pending.enter pending : bool));
      Actions.set_next worker apart directive
  | exception e -> (
      let bt = Printexc.get_raw_backtrace () in
      Local.runs_none local;
      match Handle.claim handle with
      | Resumed | Superseded ->
          (* A worker runs the captured fiber already. *)
          Dromos_service.Message.failure ~what:"a scheduler's action" e bt
      | Go _ ->
          Waiting.goes_on fiber;
          Local.runs local fiber;
          discontinue_with_backtrace (Task_heap.resume kept) e bt)

(* {1 Other effects} *)

(* Handles an effect of the program's. The handler does not perform the effect
   again: a handler around the run would then capture the scheduler's own stack.
   *)
let of_program : type a. a Effect.t -> (a, unit) continuation -> unit =
 fun eff k ->
  let fiber = (Local.get ()).current in
  match Guest.answer fiber eff with
  | Value v -> continue k v
  | Fails (e, bt) -> discontinue_with_backtrace k e bt
  | Yields -> yielded k
  | Waits { reason; shielded; cut; block } ->
      wait ~cut ~reason ~shielded fiber block k
  | Unknown ->
      if Carried.is_branch fiber then
        suspended ~shield:false (Carried.block fiber eff) k
      else
        discontinue_with_backtrace k (Foreign.unhandled eff)
          (get_callstack k 32)

let identified k = continue k (Fiber.id (Local.get ()).current)

let handle (type b) (eff : b Effect.t) : ((b, unit) continuation -> unit) option
    =
  match eff with
  | Dromos_suspend.Suspend block ->
      Some (fun k -> suspended ~shield:false block k)
  | Dromos_suspend.Shielded block ->
      Some (fun k -> suspended ~shield:true block k)
  | Yield -> Some yielded
  | Capture use -> Some (fun k -> captured use k)
  | Dromos_suspend.Self -> Some identified
  | eff -> Some (fun k -> of_program eff k)
