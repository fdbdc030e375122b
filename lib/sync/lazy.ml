(* The states are those of the thesis that [lazy.mli] names, with two changes.
   [Unforced] has a queue of waiters too, because a select may enlist its waiter
   before it tries to force. A waiter is given the outcome, or, if the computing
   task was cancelled, the computation itself.

     Unforced --attempt, take_back--> Forcing
     Forcing --finish--> Forwarded, or Failed
     Forcing --hand_over--> Forcing   cancelled; a waiter computes
     Forcing --hand_over--> Unforced  cancelled; no waiter is asleep *)

type 'a state =
  | Unforced of { compute : unit -> 'a; waiters : 'a step Takers.t }
  | Forcing of {
      owner : Owner.t; (* [nobody]: unknown, or not known yet *)
      compute : unit -> 'a;
      waiters : 'a step Takers.t;
    }
  | Forwarded of 'a
  | Failed of exn * Printexc.raw_backtrace

(* The result of an attempt to force: the value, or the duty to compute the
   value. *)
and 'a step = Value of 'a | Compute of (unit -> 'a)

type 'a t = 'a state Atomic.t

let unforced compute = Unforced { compute; waiters = Takers.empty }
let from_fun compute = Atomic.make (unforced compute)
let from_val v = Atomic.make (Forwarded v)
let undefined () = Error (Stdlib.Lazy.Undefined, Printexc.get_callstack 16)

(* [id] is the task that forces; [mine] is the owner to record if the task
   computes. *)
let rec attempt t ~id ~owner:mine cell =
  let seen = Atomic.get t in
  match (seen, cell) with
  | Forwarded v, _ -> Waiter.Done (Ok (Value v))
  | Failed (e, bt), _ -> Done (Error (e, bt))
  | Unforced { compute; waiters }, _ ->
      let next = Forcing { owner = mine; compute; waiters } in
      if Atomic.compare_and_set t seen next then Done (Ok (Compute compute))
      else attempt t ~id ~owner:mine cell
  | Forcing { owner; _ }, _ when Owner.is owner id -> Done (undefined ())
  | Forcing _, None -> Nothing
  | Forcing f, Some waiter ->
      let waiters = Takers.push f.waiters waiter in
      if Atomic.compare_and_set t seen (Forcing { f with waiters }) then
        Enlisted
      else attempt t ~id ~owner:mine cell

let rec enlist t waiter =
  let seen = Atomic.get t in
  let replace next =
    if Atomic.compare_and_set t seen next then ignore else enlist t waiter
  in
  match seen with
  | Forwarded _ | Failed _ -> ignore
  | Unforced u ->
      replace (Unforced { u with waiters = Takers.push u.waiters waiter })
  | Forcing f ->
      replace (Forcing { f with waiters = Takers.push f.waiters waiter })

let source t ~id ~owner =
  let attempt ~self:_ cell = attempt t ~id ~owner cell in
  { Waiter.attempt; enlist = enlist t; reason = "Lazy.force" }

(* {1 Computing} *)

let finish t state outcome =
  match Atomic.exchange t state with
  | Forcing { waiters; _ } -> Takers.give_all waiters outcome
  | Unforced _ | Forwarded _ | Failed _ -> ()

let rec set_owner t owner =
  match Atomic.get t with
  | Forcing f as seen ->
      if not (Atomic.compare_and_set t seen (Forcing { f with owner })) then
        set_owner t owner
  | Unforced _ | Forwarded _ | Failed _ -> ()

(* Called when the computing task was cancelled, after its removal as the owner:
   gives the computation to the first waiter that takes it. If all waiters are
   registering, they have been marked, and find the state [Unforced]. A waiter
   that went to sleep before the state was [Unforced] is found by the test
   afterwards. *)
let rec hand_over t =
  match Atomic.get t with
  | Unforced _ | Forwarded _ | Failed _ -> ()
  | Forcing { compute; waiters; _ } as seen -> (
      let replace next = Atomic.compare_and_set t seen next in
      let forcing waiters =
        Forcing { owner = Owner.nobody; compute; waiters }
      in
      match Takers.give ~self:Waiter.nobody waiters (Ok (Compute compute)) with
      | Given waiters -> ignore (replace (forcing waiters) : bool)
      | Again waiters ->
          ignore (replace (forcing waiters) : bool);
          hand_over t
      | Nobody -> if not (replace (unforced compute)) then hand_over t
      | Only_busy ->
          if not (replace (Unforced { compute; waiters })) then hand_over t
          else if Takers.ready ~self:Waiter.nobody waiters then take_back t)

and take_back t =
  match Atomic.get t with
  | Unforced { compute; waiters } as seen ->
      let next = Forcing { owner = Owner.nobody; compute; waiters } in
      if Atomic.compare_and_set t seen next then hand_over t else take_back t
  | Forcing _ | Forwarded _ | Failed _ -> ()

let compute t f =
  match f () with
  | v ->
      finish t (Forwarded v) (Ok (Value v));
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      if Dromos_suspend.is_cancellation e then begin
        set_owner t Owner.nobody;
        hand_over t
      end
      else finish t (Failed (e, bt)) (Error (e, bt));
      Printexc.raise_with_backtrace e bt

let carry_out t = function
  | Value v -> v
  | Compute f ->
      set_owner t (Owner.self ());
      compute t f

(* {1 Forcing} *)

let owner t =
  match Atomic.get t with
  | Forcing { owner; _ } -> owner
  | Unforced _ | Forwarded _ | Failed _ -> Owner.nobody

let force_now t =
  Dromos_service.Stack_room.ensure 3;
  let id = Owner.self () in
  let source = source t ~id ~owner:id in
  match source.attempt ~self:Waiter.nobody None with
  | Done outcome -> carry_out t (Waiter.deliver outcome)
  | Enlisted | Nothing ->
      let lock =
        { Wait_graph.reason = source.reason; owner = (fun () -> owner t) }
      in
      carry_out t (Wait_graph.waiting id lock (fun () -> Waiter.wait source))

let force t =
  match Atomic.get t with
  | Forwarded v -> v
  | Failed (e, bt) -> Printexc.raise_with_backtrace e bt
  | Unforced _ | Forcing _ -> force_now t

(* The identity is read in the task that synchronizes. The task that gets the
   duty to compute is recorded as the owner only when the computation begins.
   Until then the task may be a callback (Lwt's), and other tasks with the same
   identity may force the value before the callback runs. *)
let force_event t =
  Event.guard (fun () ->
      let id = Owner.self () in
      Event.wrap
        (Event_core.of_source (source t ~id ~owner:Owner.nobody))
        (carry_out t))

let peek t =
  match Atomic.get t with
  | Forwarded v -> Some (Ok v)
  | Failed (e, bt) -> Some (Error (e, bt))
  | Unforced _ | Forcing _ -> None

let is_val t =
  match peek t with Some (Ok _) -> true | Some (Error _) | None -> false

let map f t = from_fun (fun () -> f (force t))
