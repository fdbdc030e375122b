open Types
module Once = Dromos_sync.Author.Once
module Event = Dromos_sync.Author.Event
module Promise = Dromos_sync.Author.Promise
module Hub = Dromos_hub.Hub
module Waiter = Dromos_sync.Author.Waiter

type t = scope

let make ~unhandled run =
  {
    scope_run = run;
    scope_node = Cancel.root ();
    signalled = Atomic.make false;
    pending = Pending.create ();
    failures = Atomic.make [];
    orphans = Atomic.make Nobody.no_orphans;
    cut_short = false;
    unhandled;
  }

let set_root run scope = run.root <- scope
let inner scope = make ~unhandled:scope.unhandled scope.scope_run
let is_cancelled scope = Cancel.is_cancelled scope.scope_node

(* The run's signal is raised by one from the cancellation to the end of the
   scope, so that running fibers notice at their next fork. [cancel] and the end
   of the scope both set [signalled]; the first of the two decides whether
   [cancel] raises the signal. If the two meet, the signal may be one too low
   for a moment. *)
let cancel scope =
  if Atomic.compare_and_set scope.signalled false true then begin
    Atomic.incr scope.scope_run.run_signal;
    Cancel.cancel scope.scope_node
  end

(* Keeps as many failures as the first exception can carry. *)
let rec push_failure scope failure =
  let failures = Atomic.get scope.failures in
  if
    List.compare_length_with failures Suppressed.most <= 0
    && not
         (Atomic.compare_and_set scope.failures failures (failure :: failures))
  then push_failure scope failure

let fail scope e bt =
  (match e with
  | Cancel.Cancelled when is_cancelled scope -> scope.cut_short <- true
  | _ -> push_failure scope (e, bt));
  cancel scope

let was_cut_short scope = scope.cut_short

let enter scope =
  if not (Pending.enter scope.pending) then
    invalid_arg "Dromos.Scope: the scope is over, it takes no more tasks"

let wait_for_tasks scope =
  if Pending.body_over scope.pending then
    Dromos_suspend.suspend_shielded ~reason:Waiting.for_tasks
      (Pending.block scope.pending)

(* {1 Fibers of schedulers} *)

let prepare scope ~kind ?name ?(pin = -1) ?(checked = true) ~fls
    ?(ends = ignore) code =
  Dromos_service.Stack_room.ensure 2;
  enter scope;
  let ends () =
    ends ();
    Pending.exit scope.pending
  in
  let code fiber =
    match
      if checked then Cancel.check fiber;
      code fiber
    with
    | directive -> directive
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        fail scope (Cancel.told fiber e) bt;
        Nobody.stop
  in
  let holder = Info.holder ~name:(Option.value name ~default:"") in
  let info = Info.make ~kind ?name ~holder () in
  Start.prepare ~scope ~fls ~pin ~info ~ends code

(* {1 Tasks} *)

let start context ?task scope ?name ~fls f over =
  let info = Info.make ?name () in
  let task = match task with Some task -> task | None -> Hub.task ignore in
  Start.fiber context ~task ~scope ~node:scope.scope_node ~fls ~info
    (fun fiber ->
      (match
         Cancel.check fiber;
         f ()
       with
      | () -> ()
      | exception e ->
          let bt = Printexc.get_raw_backtrace () in
          fail scope (Cancel.told fiber e) bt);
      over ();
      Pending.exit scope.pending)

let post scope ~name f =
  if Pending.enter scope.pending then
    Publish.task scope.scope_run New
      (Publish.first (fun task context ->
           start context ~task scope ~name ~fls:Hmap.empty f ignore))

let guest scope ~kind guest f =
  Dromos_service.Stack_room.ensure 2;
  enter scope;
  let caller = Fiber.current () in
  let fls = Stream.inherited caller.fls in
  let code (fiber : fiber) =
    Guest.begins_with fiber guest;
    (match f () with
    | () -> ()
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        fail scope (Cancel.told fiber e) bt);
    Pending.exit scope.pending
  in
  let task =
    Publish.first (fun task context ->
        let info = Info.make ~kind () in
        Start.fiber context ~task ~scope ~node:scope.scope_node ~fls ~info code)
  in
  match Publish.task scope.scope_run New task with
  | () -> ()
  | exception e ->
      (* An asynchronous exception: a signal handler raised. *)
      let bt = Printexc.get_raw_backtrace () in
      Pending.exit scope.pending;
      Printexc.raise_with_backtrace e bt

(* Starts a task with a promise; [failed] resolves the promise if the task
   fails. *)
let spawn fiber scope ?name ~failed code =
  Dromos_service.Stack_room.ensure 2;
  enter scope;
  let promise = Promise.create () in
  match Spawn.task fiber scope ?name ~failed promise code with
  | () -> promise
  | exception e ->
      (* An asynchronous exception: a signal handler raised. *)
      let bt = Printexc.get_raw_backtrace () in
      Pending.exit scope.pending;
      Printexc.raise_with_backtrace e bt

let fail_part scope promise (e, bt) =
  fail scope e bt;
  ignore (Promise.try_resolve promise (Error (e, bt)) : bool)

let failed_part =
  { failed = (fun scope _ promise failure -> fail_part scope promise failure) }

let async ?name scope code =
  spawn (Fiber.current ()) scope ?name ~failed:failed_part code

let fork ?name ?otherwise scope code =
  let ignored : unit Promise.t =
    match otherwise with
    | None -> async ?name scope code
    | Some otherwise ->
        let begun = ref false in
        let failed scope _ promise failure =
          (if not !begun then
             try otherwise ()
             with e -> fail scope e (Printexc.get_raw_backtrace ()));
          fail_part scope promise failure
        in
        let code () =
          begun := true;
          code ()
        in
        spawn (Fiber.current ()) scope ?name ~failed:{ failed } code
  in
  ignore ignored

(* A task of [Dromos.async] is no part of the scope's own work: its failure goes
   to the fiber that awaits the task. *)
let keep_orphan scope info awaited (e, bt) =
  match e with
  | Cancel.Cancelled when is_cancelled scope -> scope.cut_short <- true
  | _ ->
      if not (awaited ()) then
        let name = match info.Info.name with "" -> None | name -> Some name in
        Unhandled.keep scope ?name ~awaited e bt

(* [awaited] of a promise that the program has resolved itself: no fiber can
   find the task's failure there. *)
let never () = false

let fail_orphan scope info promise failure =
  let found = Promise.try_resolve promise (Error failure) in
  let awaited () = Promise.is_awaited promise in
  keep_orphan scope info (if found then awaited else never) failure

let failed_orphan = { failed = fail_orphan }

let here () =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then Misplaced.no_fiber "Dromos.async";
  fiber

let task ?name code =
  let fiber = here () in
  spawn fiber fiber.scope ?name ~failed:failed_orphan code

let task_with ?name ~over code =
  let fiber = here () in
  let failed scope info promise failure =
    over ();
    fail_orphan scope info promise failure
  in
  let code () =
    let v = code () in
    over ();
    v
  in
  match spawn fiber fiber.scope ?name ~failed:{ failed } code with
  | promise -> promise
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      over ();
      Printexc.raise_with_backtrace e bt

let task_later ?name ~reason ~over code =
  let { scope; fls; _ } = here () in
  (match enter scope with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      over ();
      Printexc.raise_with_backtrace e bt);
  let promise = Promise.create_for ~reason () in
  let fls = Stream.inherited fls and info = Info.of_task name in
  (* Defined together, so that the closures are one block. *)
  let[@warning "-unused-rec-flag"] rec to_its_end fiber =
    (match
       Cancel.check fiber;
       code ()
     with
    | v ->
        over ();
        ignore (Promise.try_resolve promise (Ok v) : bool)
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        over ();
        fail_orphan scope info promise (Cancel.told fiber e, bt));
    Pending.exit scope.pending
  and begins task context =
    let node = scope.scope_node in
    Start.fiber context ~task ~scope ~node ~fls ~info to_its_end
  and publish () = Publish.task scope.scope_run New (Publish.first begins) in
  (promise, publish)

let failures scope =
  List.rev_append (Atomic.get scope.failures) (Unhandled.unread scope)

(* {1 Bodies} *)

let raise_failure scope (e, bt) ~later =
  Unhandled.follow scope e later;
  Printexc.raise_with_backtrace e bt

(* The failures of the scope's parts come first, in order of time. The failures
   of [async] tasks that no fiber has awaited follow. *)
let end_with fiber scope result =
  let result =
    match result with
    | Ok _ when scope.cut_short && Cancel.pending fiber ->
        (* The scope's tasks have not done their work, because the fiber is
           cancelled from outside the scope. *)
        Error (Cancel.Cancelled, Printexc.get_callstack 0)
    | result -> result
  in
  let failures = List.rev (Atomic.get scope.failures) in
  match (failures, (Atomic.get scope.orphans).kept, result) with
  | [], [], Ok v -> v
  | _ -> (
      let unread = Unhandled.settle scope in
      match (failures, result, unread) with
      | failure :: later, _, _ ->
          raise_failure scope failure ~later:(later @ unread)
      | [], Error failure, later | [], Ok _, failure :: later ->
          raise_failure scope failure ~later
      | [], Ok v, [] -> v)

let body fiber scope f =
  Dromos_service.Stack_room.ensure 3;
  let result =
    Surroundings.inside fiber ~scope ~node:scope.scope_node ~shield:0 (fun () ->
        let result =
          match f scope with
          | v -> Ok v
          | exception e ->
              let bt = Printexc.get_raw_backtrace () in
              let e = Cancel.told fiber e in
              fail scope e bt;
              Error (e, bt)
        in
        (* The wait is inside [Surroundings.inside]: a node that {!Latent.mark}
           inserts between the scope and the enclosing node then reaches the
           tasks. *)
        wait_for_tasks scope;
        result)
  in
  if Atomic.exchange scope.signalled true then
    Atomic.decr scope.scope_run.run_signal;
  end_with fiber scope result

(* Runs a scope for a task of another scheduler inside the fiber. If such a task
   opened a scope on the fiber itself, the scope would be the scope of the
   task's siblings too, since all these tasks share the fiber and end in any
   order. The body therefore runs in a fiber of its own, and the task waits for
   that fiber. *)
let run_apart (fiber : fiber) scope f =
  let result = Once.create () in
  let tell outcome = ignore (Once.close result outcome : bool) in
  let code () = tell (Ok (body (Fiber.current ()) scope f)) in
  let failed _ _ _ failure = tell (Error failure) in
  let promise =
    spawn fiber fiber.scope ~name:"Scope.run" ~failed:{ failed } code
  in
  Promise.no_demand promise;
  let over = Event.once_source ~reason:"Scope.run" result Result.ok in
  match Waiter.wait over with
  | Ok v -> v
  | Error (e, bt) -> Printexc.raise_with_backtrace e bt
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      cancel scope;
      ignore (Waiter.wait ~shielded:true over);
      Printexc.raise_with_backtrace e bt

let run ?unhandled f =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then Misplaced.no_fiber "Dromos.Scope.run";
  Cancel.check fiber;
  let unhandled = Option.value unhandled ~default:fiber.scope.unhandled in
  let scope = make ~unhandled fiber.worker.run in
  if Fiber.is_host fiber then run_apart fiber scope f else body fiber scope f

(* The function gets a scope of its own for the tasks that the function starts:
   the scope that calls the function may be over. *)
let unhandled ?runtime f =
  Unhandled.told_to ?runtime (fun e bt ->
      if Fiber.current () == Fiber.nobody then f e bt
      else run ~unhandled:Unhandled.standard (fun _ -> f e bt))
