open Fiber
module Broadcast = Dromos_sync.Broadcast
module Promise = Dromos_sync.Promise

type t = Fiber.scope

let make run =
  {
    scope_run = run;
    node = Cancel.root ();
    signalled = Atomic.make false;
    pending = Pending.create ();
    failure = Atomic.make None;
    orphans = Atomic.make [];
  }

let is_cancelled scope = Cancel.is_cancelled scope.node

(* The run's signal is up from here to the end of the scope, so that running
   fibers notice at their next fork. Whoever sets [signalled] first, this or the
   end of the scope, decides that; the signal may be one too low for a moment if
   the two meet. *)
let cancel scope =
  if Atomic.compare_and_set scope.signalled false true then begin
    Atomic.incr scope.scope_run.run_signal;
    Cancel.cancel scope.node
  end

let fail scope e bt =
  (match e with
  | Cancel.Cancelled when is_cancelled scope -> ()
  | _ -> ignore (Atomic.compare_and_set scope.failure None (Some (e, bt))));
  cancel scope

let enter scope =
  if not (Pending.enter scope.pending) then
    invalid_arg "Dromos.Scope: the scope is over, it takes no more tasks"

let wait_for_tasks scope =
  if Pending.body_over scope.pending then
    Dromos_suspend.suspend (Pending.block scope.pending)

(* {1 Tasks} *)

let rec push_orphan scope orphan =
  let old = Atomic.get scope.orphans in
  if not (Atomic.compare_and_set scope.orphans old (orphan :: old)) then
    push_orphan scope orphan

let start context scope f over =
  Task.start context ~scope ~cancel:scope.node (fun fiber ->
      (match
         Cancel.check fiber;
         f ()
       with
      | () -> ()
      | exception e -> fail scope e (Printexc.get_raw_backtrace ()));
      over ();
      Pending.exit scope.pending)

(* A task with a promise. Whoever claims it runs it: the worker that takes it
   from the hub, as a fiber of its own, or a fiber that is about to wait for it,
   as a plain call. *)
type 'a job = {
  scope : t;
  code : unit -> 'a;
  claimed : bool Atomic.t;
  failed : 'a Promise.t -> exn -> Printexc.raw_backtrace -> unit;
      (* what a failure does besides *)
}

let claim job = Atomic.compare_and_set job.claimed false true

let execute job promise fiber =
  Promise.no_demand promise;
  (match
     Cancel.check fiber;
     job.code ()
   with
  | v -> ignore (Promise.try_fulfil promise (Ok v))
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      job.failed promise e bt;
      ignore (Promise.try_fulfil promise (Error (e, bt))));
  Pending.exit job.scope.pending

(* Each level takes some stack, which every minor collection scans while the
   fiber runs. *)
let max_depth = 64

(* Only under the cancellation node that the task would have as a fiber, so that
   whatever cancels the task cancels the caller, and the other way round: a
   caller that could be cancelled alone must not be held up by it. The caller
   waits for the task in any case, so no lock is re-entered that the two would
   not have fought for anyway. *)
let run_here job promise =
  let fiber = Fiber.current () in
  if
    fiber.cancel == job.scope.node
    && fiber.shield = 0 && fiber.depth < max_depth && claim job
  then begin
    fiber.depth <- fiber.depth + 1;
    execute job promise fiber;
    fiber.depth <- fiber.depth - 1
  end

let spawn scope ~failed code =
  enter scope;
  let job = { scope; code; claimed = Atomic.make false; failed } in
  let promise = Promise.on_demand (run_here job) in
  Task.publish scope.scope_run New (fun context ->
      if claim job then
        Task.start context ~scope ~cancel:scope.node (execute job promise));
  promise

let async scope code = spawn scope ~failed:(fun _ e bt -> fail scope e bt) code
let fork scope code = ignore (async scope code : unit Promise.t)

(* The failure of a task that is not a scope's own goes to whoever awaits it. *)
let keep_orphan scope promise e bt =
  match e with
  | Cancel.Cancelled when is_cancelled scope -> ()
  | _ ->
      push_orphan scope
        { awaited = (fun () -> Promise.is_awaited promise); error = (e, bt) }

let task code =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then Misplaced.no_fiber "Dromos.async";
  let scope = fiber.scope in
  spawn scope ~failed:(keep_orphan scope) code

(* {1 Bodies} *)

let raise_orphan scope =
  let unread = List.filter (fun o -> not (o.awaited ())) in
  match List.rev (unread (Atomic.get scope.orphans)) with
  | { error = e, bt; _ } :: _ -> Printexc.raise_with_backtrace e bt
  | [] -> ()

let body fiber scope f =
  let place =
    if fiber.shield > 0 then Broadcast.nobody
    else Cancel.attach scope.node ~below:fiber.cancel
  in
  let result =
    Fork.inside fiber ~scope ~cancel:scope.node ~shield:0 (fun () ->
        match f scope with
        | v -> Ok v
        | exception e ->
            let bt = Printexc.get_raw_backtrace () in
            fail scope e bt;
            Error (e, bt))
  in
  Cancel.shielded fiber (fun () -> wait_for_tasks scope);
  Broadcast.leave place;
  if Atomic.exchange scope.signalled true then
    Atomic.decr scope.scope_run.run_signal;
  match (Atomic.get scope.failure, result) with
  | Some (e, bt), _ | None, Error (e, bt) -> Printexc.raise_with_backtrace e bt
  | None, Ok v ->
      raise_orphan scope;
      v

let run f =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then Misplaced.no_fiber "Dromos.Scope.run";
  body fiber (make fiber.worker.run) f
