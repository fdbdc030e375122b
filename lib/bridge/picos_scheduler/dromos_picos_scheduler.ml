open Dromos_fiber
module Ours = Dromos_fiber.Fiber
open Picos

(* {1 One Picos fiber for each Dromos fiber}

   A fiber spawned by Picos is its own Picos fiber from the start. Any other
   fiber becomes a Picos fiber at its first request.

   To Picos, a fiber is cancelled if its computation is. Dromos cancels places
   in the tree of scopes. Therefore each place in the tree from which the fiber
   has made a request is a layer: a layer has a computation that is cancelled
   when the place is. Code of Picos puts computations of its own on top of a
   layer's and takes them off again ([Bundle], [Flock]); a scope opened inside
   such code is a layer on top of them. A layer is dropped when the fiber is
   found outside the layer's scope. *)

type layer = {
  node : Cancel.t;
  quiet : bool; (* in [Dromos.protect]: no cancellation reaches the layer *)
  own : Computation.packed;
  mutable cut : bool; (* [own] was cancelled, since [node] is *)
  below : (Computation.packed * Trigger.t option) option;
      (* the fiber's computation before, and the canceler that passes its
         cancellation on to [own] *)
}

type known = {
  fiber : Fiber.t;
  spawned : bool;
      (* spawned by Picos: the fiber has a computation without any
                     layer *)
  mutable layers : layer list;
}

type Dromos_fiber.Types.guest_state += Picos of known

let no_backtrace = Printexc.get_callstack 0
let cancelled = Some (Terminate.exn, no_backtrace)

let cancel (Computation.Packed computation) =
  Computation.cancel computation Terminate.exn no_backtrace

let same (Computation.Packed a) (Computation.Packed b) =
  Obj.repr a == Obj.repr b

(* {2 Layers} *)

let is_quiet (caller : Ours.t) = caller.shield > 0

let is_at (caller : Ours.t) layer =
  layer.node == caller.node && Bool.equal layer.quiet (is_quiet caller)

let is_below computation layer =
  match layer.below with
  | Some (below, _) -> same computation below
  | None -> false

let drop layer =
  match layer.below with
  | Some (Packed below, Some canceler) -> Computation.detach below canceler
  | Some (_, None) | None -> ()

(* Makes [fresh] cancelled whenever [below] is. *)
let hang (Computation.Packed fresh) ~below:(Computation.Packed below) =
  let canceler = Computation.canceler ~from:below ~into:fresh in
  if Computation.try_attach below canceler then Some canceler
  else begin
    (match Computation.canceled below with
    | Some (exn, bt) -> Computation.cancel fresh exn bt
    | None -> ());
    None
  end

let push (caller : Ours.t) known below =
  let own = Computation.Packed (Computation.create ~mode:`LIFO ()) in
  let quiet = is_quiet caller in
  let below =
    Option.map
      (fun below -> (below, if quiet then None else hang own ~below))
      below
  in
  known.layers <-
    { node = caller.node; quiet; own; cut = false; below } :: known.layers;
  Fiber.set_computation known.fiber own

let rec drop_until keeps = function
  | layer :: others when not (keeps layer) ->
      drop layer;
      drop_until keeps others
  | layers -> layers

(* Code of Picos may have put back an older computation, [now]. The layers on
   top of [now] are over: drops them. *)
let put_back known now =
  match known.layers with
  | [] -> ()
  | [ { below = None; _ } ] -> ()
  | top :: _ when same now top.own -> ()
  | layers -> (
      if List.exists (fun layer -> same now layer.own) layers then
        known.layers <- drop_until (fun layer -> same now layer.own) layers
      else if List.exists (is_below now) layers then
        match drop_until (is_below now) layers with
        | layer :: others ->
            drop layer;
            known.layers <- others
        | [] -> ())

let is_outermost (caller : Ours.t) =
  caller.node == caller.worker.run.root.scope_node && not (is_quiet caller)

let rec place caller known now =
  match known.layers with
  | top :: _ when is_at caller top -> ()
  | [] when known.spawned && is_outermost caller -> ()
  | ({ below = Some (below, _); _ } as top) :: others when same now top.own ->
      drop top;
      known.layers <- others;
      Fiber.set_computation known.fiber below;
      place caller known below
  | [ ({ below = None; _ } as only) ] when same now only.own ->
      known.layers <- [];
      push caller known None
  | _ -> push caller known (Some now)

let cut layer =
  if not layer.cut then begin
    layer.cut <- true;
    cancel layer.own
  end

(* Brings the layers up to date. Call [follow] before any look at the fiber's
   computation. When a whole run is cancelled, the computations of the fibers
   that Picos has spawned in the run are cancelled too. *)
let follow (caller : Ours.t) known =
  let now = Fiber.get_computation known.fiber in
  put_back known now;
  place caller known now;
  if not (is_quiet caller) then
    if Cancel.is_cancelled caller.node then
      match known.layers with
      | top :: _ -> cut top
      | [] -> if Cancel.pending caller then cancel now

(* {1 Waits} *)

let canceled { fiber; _ } = Fiber.canceled fiber

(* A wait of Dromos that also ends when the fiber's computation is cancelled.
   The resumer of the fiber has to take [trigger] off the computation again,
   once, if [trigger] was attached. *)
let around known block resume =
  let (Packed computation) = Fiber.get_computation known.fiber in
  let stop _ resume () =
    match Computation.canceled computation with
    | Some stopped -> ignore (resume (Error stopped) : bool)
    | None -> ()
  in
  let[@alert "-handler"] trigger = Trigger.from_action resume () stop in
  (* 0: not attached yet; 1: attached; 2: resumed. *)
  let stage = Atomic.make 0 in
  let resume result =
    let first = resume result in
    if first && Atomic.exchange stage 2 = 1 then
      Computation.detach computation trigger;
    first
  in
  match block resume with
  | Some _ as v -> v
  | None ->
      if Computation.try_attach computation trigger then begin
        if not (Atomic.compare_and_set stage 0 1) then
          Computation.detach computation trigger
      end
      else stop trigger resume ();
      None

let library : Dromos_fiber.Types.library =
  {
    library_name = "Picos";
    forbids =
      (function Picos known -> Fiber.has_forbidden known.fiber | _ -> false);
    stopped =
      (fun caller state ->
        match state with
        | Picos known ->
            follow caller known;
            canceled known
        | _ -> None);
    cancels =
      (fun state e ->
        match state with Picos _ -> e == Terminate.exn | _ -> false);
    around =
      (fun state block ->
        match state with Picos known -> around known block | _ -> block);
  }

let guest known = { Dromos_fiber.Types.library; knows = Picos known }

let rec among : Dromos_fiber.Types.guest list -> known option = function
  | [] -> None
  | { knows = Picos known; _ } :: _ -> Some known
  | _ :: others -> among others

let find (caller : Ours.t) = among caller.guests
let adopt caller known = Guest.add caller (guest known)
let spawned fiber = { fiber; spawned = true; layers = [] }

let unknown caller =
  let nothing = Computation.Packed (Computation.create ()) in
  let fiber = Fiber.create_packed ~forbid:false nothing in
  let known = { fiber; spawned = false; layers = [] } in
  push caller known None;
  known

(* The Picos side of the calling fiber. *)
let known (caller : Ours.t) =
  match find caller with
  | Some known ->
      follow caller known;
      known
  | None ->
      let known = unknown caller in
      adopt caller known;
      follow caller known;
      known

(* {1 The effects} *)

let stopped caller known =
  match canceled known with
  | None -> if Cancel.pending caller then cancelled else None
  | stopped -> stopped

(* Three events resume the fiber: a signal, and either cancellation, each by
   signalling the trigger. The trigger lets only the first event through. The
   answer depends on the state when the fiber continues, as in Picos's own
   schedulers.

   A fiber that forbids cancellation is not woken, but the computations below
   its computation are cancelled: a [Bundle] waits in this way for the fibers
   that it has made. *)
let await (caller : Ours.t) trigger :
    (exn * Printexc.raw_backtrace) option Guest.answer =
  let known = known caller in
  match stopped caller known with
  | Some _ as stopped ->
      Trigger.dispose trigger;
      Value stopped
  | None ->
      let { fiber; layers; _ } = known and node = caller.node in
      let quiet = is_quiet caller and forbids = Fiber.has_forbidden fiber in
      let outcome () =
        match canceled known with
        | None when quiet || forbids || not (Cancel.is_cancelled node) -> None
        | None -> cancelled
        | stopped -> stopped
      in
      let signalled trigger resume outcome =
        ignore (Fiber.unsuspend fiber trigger : bool);
        ignore (resume (Ok (outcome ())) : bool)
      in
      let block resume =
        if Fiber.try_suspend fiber trigger resume outcome signalled then None
        else Some (outcome ())
      in
      let cut () =
        (match layers with top :: _ -> cut top | [] -> ());
        if not forbids then Trigger.signal trigger
      in
      Waits { reason = "Picos.Trigger.await"; shielded = quiet; cut; block }

let cancel_after computation ~seconds exn bt =
  let span =
    Dromos_service.Timer.span ~call:"Picos.Computation.cancel_after" seconds
  in
  let take_back =
    Dromos_service.Timer.after span (fun () ->
        Computation.cancel computation exn bt)
  in
  let[@alert "-handler"] over =
    Trigger.from_action take_back () (fun _ take_back () -> take_back ())
  in
  if not (Computation.try_attach computation over) then take_back ()

(* A fiber of Picos belongs to no scope except the run's: the structures of
   Picos decide when the fiber ends. *)
let spawn (caller : Ours.t) fiber main =
  let { Dromos_fiber.Types.root; _ } = caller.worker.run in
  Scope.guest root ~kind:"Picos fiber"
    (guest (spawned fiber))
    (fun () -> main fiber)

(* [f ()], unless the fiber is cancelled. *)
let unless_stopped caller f : _ Guest.answer =
  match stopped caller (known caller) with
  | Some stopped -> Fails stopped
  | None -> f ()

let[@alert "-handler"] answer (type a) caller (eff : a Effect.t) :
    a Guest.answer =
  match eff with
  | Fiber.Current -> Value (known caller).fiber
  | Trigger.Await trigger -> await caller trigger
  | Fiber.Yield -> unless_stopped caller (fun () -> Guest.Yields)
  | Fiber.Spawn { fiber; main } ->
      unless_stopped caller (fun () -> Value (spawn caller fiber main))
  | Computation.Cancel_after { seconds; exn; bt; computation } ->
      unless_stopped caller (fun () ->
          Value (cancel_after computation ~seconds exn bt))
  | _ -> Unknown

(* Any exception can cancel a computation: [e] is a cancellation if [e] is the
   exception that cancelled the calling fiber's computation. *)
let cancels e =
  match find (Ours.current ()) with
  | None -> false
  | Some known -> (
      match canceled known with Some (exn, _) -> exn == e | None -> false)

let[@alert "-handler"] operation (type a) (eff : a Effect.t) =
  match eff with
  | Trigger.Await _ -> Some "Picos.Trigger.await"
  | Fiber.Yield -> Some "Picos.Fiber.yield"
  | _ -> None

let () =
  Guest.register { answer };
  Dromos_suspend.add_cancellation cancels;
  Dromos_suspend.Callback.refuse { operation }

(* {1 Runs} *)

let enable () = ()

let run_fiber ?workers fiber main =
  Dromos.run ?workers (fun () ->
      let caller = Ours.current () in
      adopt caller (spawned fiber);
      main fiber)

let run ?workers ?(forbid = false) main =
  let computation = Computation.create ~mode:`LIFO () in
  let fiber = Fiber.create ~forbid computation in
  run_fiber ?workers fiber (fun _ -> Computation.capture computation main ());
  Computation.peek_exn computation
