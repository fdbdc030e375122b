open Fiber

type fiber = Fiber.ready
type signal = Fiber.signal = Stop | Preempt of fiber
type directive = Fiber.directive
type action = Fiber.action

(* {1 Looking} *)

let id ready = Fiber.id ready.of_fiber
let name ready = ready.of_fiber.info.name
let pp ppf ready = Waiting.pp ppf ready.of_fiber
let home ready = if ready.home < 0 then None else Some ready.home

let only_on ready =
  let { home; of_fiber; _ } = ready in
  if home >= 0 then Some home
  else if of_fiber.pin >= 0 then Some of_fiber.pin
  else None

let describe fiber =
  let id = Fiber.id fiber and { name; kind; _ } = fiber.info in
  Printf.sprintf "fiber %d (%s)" id (if name = "" then kind else name)

(* {1 Directives} *)

let forward signal = Forward signal
let stop = Fiber.stop

let action ~name ?ready act =
  let act signal =
    match act signal with
    | directive -> directive
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        Scope.fail (Fiber.current ()).scope e bt;
        Forward signal
  in
  {
    action_name = name;
    turn = Printf.sprintf "its turn (%s)" name;
    act;
    ready_again = ready;
  }

let current ~call =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then Misplaced.no_fiber call else fiber

let refuse action fiber why =
  invalid_arg
    (Printf.sprintf "Sched.run: %s, given by the scheduler %S, %s"
       (describe fiber) action.action_name why)

let claim action ready =
  match Task.claim ready with
  | Some go -> go
  | None ->
      refuse action ready.of_fiber
        "has been resumed already: a fiber in hand is run once"

(* At home the fiber runs under this in place of [action]. *)
let guest action =
  let back ready =
    match action.ready_again with
    | Some give -> give ready
    | None -> Task.release ready
  in
  let act = function
    | Stop -> Fiber.stop
    | Preempt ready ->
        back ready;
        Fiber.stop
  in
  { action with act }

let send_home action ready go =
  let scope = (Fiber.current ()).scope in
  let host _ = Run (guest action, ready.of_fiber, go) in
  let host = Scope.prepare scope ~name:"sent home" ~fls:Fls.empty host in
  Task.enq_on ready.of_fiber.worker.run.workers.(ready.home) host

let run action ready =
  let here = (current ~call:"Sched.run").worker in
  if ready.of_fiber.worker.run != here.run then
    refuse action ready.of_fiber "belongs to another run";
  let go = claim action ready in
  if ready.home < 0 || ready.home = here.id then Run (action, ready.of_fiber, go)
  else begin
    send_home action ready go;
    (* An empty piece of the scheduler's own fiber, after which it is told
       [Stop]. *)
    Run (action, Fiber.current (), ignore)
  end

let release = Task.release

(* {1 Fibers} *)

exception Exit_fiber

let exit () = raise_notrace Exit_fiber

let prepare ~call ?name ?fls ?ends code =
  let maker = current ~call in
  let fls = Option.value fls ~default:maker.fls in
  Scope.prepare maker.scope ?name ~fls ?ends code

let fiber ?name ?fls f =
  prepare ~call:"Sched.fiber" ?name ?fls (fun _ ->
      (match f () with () -> () | exception Exit_fiber -> ());
      Fiber.stop)

let scheduler ?name ?fls ?(ends = ignore) f =
  let ends () =
    let fiber = Fiber.current () in
    Task.stop_serving fiber.worker fiber;
    ends ()
  in
  prepare ~call:"Sched.scheduler" ?name ?fls ~ends (fun fiber ->
      fiber.pin <- fiber.worker.id;
      f ())

let capture use =
  ignore (current ~call:"Sched.capture" : Fiber.t);
  Effect.perform (Task.Capture use)

let yield () =
  ignore (current ~call:"Sched.yield" : Fiber.t);
  Effect.perform Task.Yield

let atomic_yield () =
  let fiber = current ~call:"Sched.atomic_yield" in
  Cancel.shielded fiber (fun () -> Effect.perform Task.Yield)
