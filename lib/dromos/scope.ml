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

(* Publishes a fiber of the scope that fulfils [promise]; [failed] decides what
   a failure does besides. *)
let spawn scope promise ~failed f =
  Task.publish scope.scope_run New (fun context ->
      Task.start context ~scope ~cancel:scope.node (fun fiber ->
          (match
             Cancel.check fiber;
             f ()
           with
          | v -> ignore (Promise.try_fulfil promise (Ok v))
          | exception e ->
              let bt = Printexc.get_raw_backtrace () in
              failed e bt;
              ignore (Promise.try_fulfil promise (Error (e, bt))));
          Pending.exit scope.pending))

let async scope f =
  enter scope;
  let promise = Promise.create () in
  spawn scope promise ~failed:(fail scope) f;
  promise

let fork scope f = ignore (async scope f : unit Promise.t)

let task f =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then Misplaced.no_fiber "Dromos.async";
  let scope = fiber.scope in
  enter scope;
  let promise = Promise.create () in
  let failed e bt =
    match e with
    | Cancel.Cancelled when is_cancelled scope -> ()
    | _ ->
        push_orphan scope
          { awaited = (fun () -> Promise.is_awaited promise); error = (e, bt) }
  in
  spawn scope promise ~failed f;
  promise

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
