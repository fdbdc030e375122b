open Dromos_fiber
open Types

type fiber = Types.handle
type signal = Types.signal = Stop | Preempt of fiber
type directive = Types.directive
type action = Types.action

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
  let id = Fiber.id fiber and { Info.name; kind; _ } = fiber.info in
  Printf.sprintf "fiber %d (%s)" id (if name = "" then kind else name)

(* {1 Directives} *)

let forward signal = Forward signal
let stop = Nobody.stop
let current ~call = Misplaced.fiber call
let same_run fiber (other : Fiber.t) = fiber.worker.run == other.worker.run

type author = By_scheduler of string | By of string

let author = function
  | By_scheduler name -> Printf.sprintf "the scheduler %S" name
  | By what -> what

(* Checks a directive that [by] returned. A wrong directive raises
   [Invalid_argument]; its fiber, if not resumed yet, goes to the root. *)
let approve ~by directive =
  let me = Fiber.current () in
  let wrong fiber why =
    ignore (Actions.give_up directive : bool);
    let who = describe fiber in
    invalid_arg
      (Printf.sprintf "%s returned a directive for %s, %s" (author by) who why)
  in
  (match directive with
  | Forward Stop -> ()
  | Forward (Preempt { of_fiber; _ }) when not (same_run me of_fiber) ->
      wrong of_fiber "which belongs to another run"
  | Forward (Preempt ({ of_fiber; _ } as handle)) ->
      if Handle.is_resumed handle then
        wrong of_fiber "which has been resumed already"
  | Run { fiber; go; _ } ->
      if go == Handle.resumed then
        wrong fiber "which has been carried out: each is for one time"
      else if not (same_run me fiber) then
        wrong fiber "which belongs to another run");
  directive

(* The signal for the action below, after an action has raised. The action may
   have given the preempted fiber away before (for example, an action cancelled
   while waiting for its next fiber). [Handle.recover] makes a new handle and
   empties the given handle; the signal is [Stop] if the fiber has been resumed. *)
let signal_below = function
  | Stop -> Stop
  | Preempt ready -> (
      match Handle.recover ready with
      | Some ready -> Preempt ready
      | None -> Stop)

let guarded_ready name give =
  let what () = Printf.sprintf "The ready of the scheduler %S" name in
  let guarded ready =
    match Guarded.call ~what give ready with
    | () -> ()
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        (* The scope fails before the release: until then the fiber keeps the
           scope open. *)
        Scope.fail ready.of_fiber.scope e bt;
        Option.iter Actions.release (Handle.recover ready)
  in
  fun ready -> Slow_ready.call ~name guarded ready

(* The last scheduler's name, and the string that [turn] has made of the name. A
   scheduler makes an action for each fiber that it runs, and most actions have the
   last name. After a race between two domains, [turn] makes a string again. *)
let last_turn = ref ("", "")

let turn name =
  let of_name, turn = !last_turn in
  if of_name == name then turn
  else begin
    let turn = String.concat "" [ "its turn ("; name; ")" ] in
    last_turn := (name, turn);
    turn
  end

let action ~name ?ready act =
  let act signal =
    match approve ~by:(By_scheduler name) (act signal) with
    | directive -> directive
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        Scope.fail (Fiber.current ()).scope e bt;
        Forward (signal_below signal)
  in
  {
    action_name = name;
    turn = turn name;
    act;
    ready_again = Option.map (guarded_ready name) ready;
  }

let refuse action fiber why =
  invalid_arg
    (Printf.sprintf "Sched.run: %s, given by the scheduler %S, %s"
       (describe fiber) action.action_name why)

(* The action under which a fiber runs at its home vproc, in place of [action]:
   gives the fiber back by [ready] at the fiber's next yield. *)
let guest action =
  let back ready =
    match action.ready_again with
    | Some give -> give ready
    | None -> Actions.release ready
  in
  let act = function
    | Stop -> Nobody.stop
    | Preempt ready ->
        back ready;
        Nobody.stop
  in
  { action with act }

(* Sends [ready] to its home vproc, to run there under a guest action. The host
   fiber holds the only handle, so the host must start even if the scope has been
   cancelled: [~checked:false]. *)
let send_home action ready go =
  let scope = (Fiber.current ()).scope in
  let host _ = Run { action = guest action; fiber = ready.of_fiber; go } in
  let host =
    Scope.prepare scope ~kind:"scheduler" ~name:"sent home" ~checked:false
      ~fls:Fls.empty host
  in
  Vproc_queue.enq_on ready.of_fiber.worker.run.workers.(ready.home) host

let run action ready =
  let here = (current ~call:"Sched.run").worker in
  if ready.of_fiber.worker.run != here.run then
    refuse action ready.of_fiber "belongs to another run";
  (* Runs an empty piece of the scheduler's own fiber, so the action gets [Stop]. *)
  let nothing () = Run { action; fiber = Fiber.current (); go = ignore } in
  match Handle.claim ready with
  | Resumed ->
      refuse action ready.of_fiber
        "has been resumed already: a fiber in hand is run once"
  | Superseded -> nothing ()
  | Go go when ready.home < 0 || ready.home = here.id ->
      Handle.run action ready.of_fiber go
  | Go go ->
      send_home action ready go;
      nothing ()

let release = Actions.release

(* {1 Fibers} *)

let a_fiber = "fiber"
let a_scheduler = "scheduler"

exception Exit_fiber

let () =
  Printexc.register_printer (function
    | Exit_fiber ->
        Some "Dromos.Sched.exit, in a task that was not made by Sched.fiber"
    | _ -> None)

(* [Exit_fiber] may leave a branch, since the fork passes the exception on to the
   fiber that forked. *)
let exit () =
  let { Info.kind; _ } = (current ~call:"Sched.exit").info in
  if kind = a_fiber || kind = (Info.branch ()).kind then
    raise_notrace Exit_fiber
  else
    raise
      (Misplaced.Misplaced
         (Printf.sprintf
            "Sched.exit: called in a fiber of another kind (%s); only those \
             made by Sched.fiber end so"
            kind))

let prepare ~call ~kind ?name ?fls ?ends code =
  let maker = current ~call in
  let fls =
    match fls with Some fls -> fls | None -> Stream.inherited maker.fls
  in
  Scope.prepare maker.scope ~kind ?name ~fls ?ends code

let fiber ?name ?fls f =
  prepare ~call:"Sched.fiber" ~kind:a_fiber ?name ?fls (fun _ ->
      (match f () with () -> () | exception Exit_fiber -> ());
      Nobody.stop)

(* Storage can reach another run, by [Dromos.blocking] for example. The function takes
   no fibers there. *)
type spawner = { of_run : run; take : fiber -> unit }

let spawner : spawner Fls.key = Fls.new_key ()

let with_spawner take f =
  let { worker = { run; _ }; _ } = current ~call:"Sched.with_spawner" in
  Fls.let_ spawner { of_run = run; take } f

let set_spawner_in ready take =
  Fls.set_in ready spawner { of_run = ready.of_fiber.worker.run; take }

let give (maker : Fiber.t) ready =
  match Fls.find_opt spawner with
  | Some { of_run; take } when of_run == maker.worker.run -> take ready
  | Some _ | None -> (
      match Actions.taker maker.worker.actions with
      | Some (_, take) -> take ready
      | None -> Actions.release ready)

let spawn ?name ?fls f =
  let maker = current ~call:"Sched.spawn" in
  give maker (fiber ?name ?fls f)

let scheduler ?name ?fls ?(ends = ignore) f =
  let ends () =
    let fiber = Fiber.current () in
    Vproc_queue.stop_serving fiber.worker fiber;
    let what () =
      match name with
      | None -> "The ends of a scheduler"
      | Some name -> Printf.sprintf "The ends of the scheduler %S" name
    in
    match Guarded.call ~what ends () with
    | () -> ()
    | exception e -> Scope.fail fiber.scope e (Printexc.get_raw_backtrace ())
  in
  prepare ~call:"Sched.scheduler" ~kind:a_scheduler ?name ?fls ~ends
    (fun fiber ->
      Fiber.pin_to fiber fiber.worker;
      approve ~by:(By "Sched.scheduler's function") (f ()))

(* The effect is unhandled if a C frame lies between the caller and the worker: a
   fiber cannot leave its stack below a C frame. *)
let switch ~call eff =
  match Effect.perform eff with
  | () -> ()
  | exception Effect.Unhandled (Handler.Yield | Handler.Capture _) ->
      Misplaced.no_switch call

let capture use =
  let call = "Sched.capture" in
  ignore (current ~call : Fiber.t);
  let use k =
    let what () = "The function given to " ^ call in
    let use = Dromos_suspend.Callback.call ~what use in
    match approve ~by:(By (call ^ "'s function")) (use k) with
    | directive -> directive
    | exception e when Handle.is_resumed k ->
        (* The fiber has been resumed elsewhere, so [capture] cannot raise there. *)
        let bt = Printexc.get_raw_backtrace () in
        Scope.fail (Fiber.current ()).scope e bt;
        ignore (Actions.give_up k.of_fiber.given : bool);
        Nobody.stop
  in
  switch ~call (Handler.Capture use)

let yield () =
  ignore (current ~call:"Sched.yield" : Fiber.t);
  switch ~call:"Sched.yield" Handler.Yield

let atomic_yield () =
  let fiber = current ~call:"Sched.atomic_yield" in
  Surroundings.shielded fiber (fun () ->
      switch ~call:"Sched.atomic_yield" Handler.Yield)
