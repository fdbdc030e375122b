open Dromos_fiber
open Dromos_sync.Author

type stage =
  | Not_begun
  | Begun
  | Never (* [cancel] came first: the computation does not begin *)

type event = Back of Core.fiber | Over

type 'a t = {
  computation : unit -> 'a;
  maker : Scope.t;
  scope : Scope.t;  (** of the computation *)
  fls : Fls.storage;
  box : event Ready_queue.t;
      (** the computation's handle when runnable, and its end; only the fiber
          that has set [taken] takes from the box *)
  taken : bool Atomic.t;
      (** a fiber runs the engine, or the engine has been retired *)
  ended : unit Once.t;
  stage : stage Atomic.t;
  mutable left : int;
      (** ticks left; belongs to the fiber that has set [taken] *)
  mutable over : bool;  (** written by the fiber that has set [taken] *)
  mutable outcome : ('a, exn * Printexc.raw_backtrace) result option;
      (** written by the computation, before [Over] goes into the box *)
}

let make computation =
  ignore (Vproc.host () : Vproc.t);
  let { Types.scope; fls; _ } = Fiber.current () in
  {
    computation;
    maker = scope;
    scope = Scope.inner scope;
    fls;
    box = Ready_queue.create ();
    taken = Atomic.make false;
    ended = Once.create ();
    stage = Atomic.make Not_begun;
    left = 0;
    over = false;
    outcome = None;
  }

(* {1 Retiring}

   When the scope of its maker is cancelled, an engine that no fiber runs ends at
   the root. *)

let take e = Atomic.compare_and_set e.taken false true

let retire e =
  if take e then
    Ready_queue.close e.box (function Back k -> Core.release k | Over -> ())

let is_cancelled e = Scope.is_cancelled e.maker || Scope.is_cancelled e.scope

(* The runner clears [taken] and then looks for a cancellation. A fiber that cancels
   does so first, and then tries to set [taken], in [retire]. At least one of the two
   therefore retires the engine. *)
let put_back e =
  Atomic.set e.taken false;
  if is_cancelled e && not e.over then retire e

(* {1 The computation} *)

let start e =
  let place = ref Once.nobody in
  let code fiber =
    e.outcome <-
      (match Scope.body fiber e.scope (fun _ -> e.computation ()) with
      | v -> Some (Ok v)
      | exception exn -> Some (Error (exn, Printexc.get_raw_backtrace ())));
    Core.stop
  in
  let ends () =
    Once.leave !place;
    ignore (Once.close e.ended () : bool);
    Ready_queue.add e.box Over
  in
  let k = Scope.prepare e.maker ~kind:"engine" ~fls:e.fls ~ends code in
  Ready_queue.add e.box (Back k);
  place := Once.listen e.maker.scope_node (fun _ -> retire e)

(* {1 The action} *)

(* Resumes the caller of [run] in place: the caller runs under an action that
   forwards its next signal to the action below. *)
let back me = Core.run (Core.action ~name:"engine" Core.forward) me

let rec action e me =
  let ready k = Ready_queue.add e.box (Back k) in
  Core.action ~name:"engine" ~ready (fun signal ->
      match
        tick e signal;
        if e.left > 0 then Some (Ready_queue.take ~reason:"Engine.run" e.box)
        else None
      with
      | event -> continue e me event
      | exception Cancel.Cancelled -> back me)

(* The scheduler below, or an outer engine, counts the yield. *)
and tick e = function
  | Core.Stop -> ()
  | Preempt k ->
      e.left <- e.left - 1;
      Ready_queue.add e.box (Back k);
      Core.yield ()

and continue e me = function
  | Some (Back k) -> Core.run (action e me) k
  | Some Over ->
      e.over <- true;
      back me
  | None -> back me

(* The function of a capture must not wait, and an action may. The capture
   therefore runs an empty fiber, at whose end the action is called. *)
let begin_under e me = Core.run (action e me) (Core.fiber ~name:"engine" ignore)

(* [true] for the one call that leaves [Not_begun]. *)
let leaves_start e next = Atomic.compare_and_set e.stage Not_begun next

let run e ~fuel ~complete ~expire =
  Dromos_service.Stack_room.ensure 4;
  if fuel < 1 then
    invalid_arg (Printf.sprintf "Engine.run: %d ticks are no fuel" fuel);
  Misplaced.check_switch "Engine.run";
  if not (take e) then
    invalid_arg "Engine.run: the engine is being run, or has been cancelled";
  Fun.protect
    ~finally:(fun () -> put_back e)
    (fun () ->
      if e.over then
        invalid_arg "Engine.run: the engine is over, its value has been given";
      if leaves_start e Begun then start e;
      if Atomic.get e.stage = Never then raise Cancel.Cancelled;
      e.left <- fuel;
      Core.capture (begin_under e));
  if not e.over then expire e
  else
    match e.outcome with
    | Some (Ok v) -> complete v e.left
    | Some (Error (exn, bt)) -> Printexc.raise_with_backtrace exn bt
    | None -> raise Cancel.Cancelled

let cancel e =
  Scope.cancel e.scope;
  retire e;
  if not (leaves_start e Never || Atomic.get e.stage = Never) then
    Waiter.wait ~shielded:true
      (Event.once_source ~reason:"Engine.cancel" e.ended Result.ok)
