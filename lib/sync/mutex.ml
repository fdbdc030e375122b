(* The first two are constants, so that nothing is allocated while nobody waits.
   A mutex with a queue is free only if all in it were busy and have been marked
   (the giver's duty, in [Waiter]). *)

type state = Free | Held | Queue of { held : bool; takers : unit Takers.t }

type t = {
  state : state Atomic.t;
  source : unit Waiter.source;
  name : string option;
  mutable owner : Owner.t; (* see [Owner] *)
}

let queue ~held takers =
  if Line.is_empty takers then if held then Held else Free
  else Queue { held; takers }

let taken = Waiter.Done (Ok ())

let rec take state cell =
  match Atomic.get state with
  | Free ->
      if Atomic.compare_and_set state Free Held then taken else take state cell
  | Queue { held = false; takers } as seen ->
      if Atomic.compare_and_set state seen (queue ~held:true takers) then taken
      else take state cell
  | (Held | Queue { held = true; _ }) as seen -> (
      match cell with
      | None -> Waiter.Nothing
      | Some waiter ->
          if Atomic.compare_and_set state seen (joined seen waiter) then
            Waiter.Enlisted
          else take state cell)

and joined seen waiter =
  match seen with
  | Free -> Queue { held = false; takers = Takers.push Takers.empty waiter }
  | Held -> Queue { held = true; takers = Takers.push Takers.empty waiter }
  | Queue { held; takers } -> Queue { held; takers = Takers.push takers waiter }

let rec enlist state waiter =
  let seen = Atomic.get state in
  if Atomic.compare_and_set state seen (joined seen waiter) then ignore
  else enlist state waiter

(* [false] if nobody holds it. Until its state says otherwise the caller does,
   so whoever takes an offer holds it from then on. *)
let rec give state =
  match Atomic.get state with
  | Free | Queue { held = false; _ } -> false
  | Held -> Atomic.compare_and_set state Held Free || give state
  | Queue { held = true; takers } as seen -> (
      let replace next = Atomic.compare_and_set state seen next in
      match Takers.give ~self:Waiter.nobody takers (Ok ()) with
      | Given takers ->
          ignore (replace (queue ~held:true takers) : bool);
          true
      | Again takers ->
          ignore (replace (queue ~held:true takers) : bool);
          give state
      | Nobody -> replace Free || give state
      | Only_busy ->
          if replace (Queue { held = false; takers }) then begin
            if Takers.ready ~self:Waiter.nobody takers then give_again state;
            true
          end
          else give state)

(* Somebody has gone to sleep since it was left free. *)
and give_again state =
  match take state None with
  | Done _ -> ignore (give state : bool)
  | Nothing | Enlisted -> ()

let create ?name () =
  let state = Atomic.make Free in
  let attempt ~self:_ cell = take state cell in
  let reason = Event.reason "Mutex.lock" name in
  let source = { Waiter.attempt; enlist = enlist state; reason } in
  { state; source; name; owner = Owner.nobody }

(* {1 Owners} *)

type Lock_watch.id += Mutex of t

let watched t =
  let is = function Mutex other -> other == t | _ -> false in
  { Lock_watch.id = Mutex t; is; owner = (fun () -> t.owner) }

let edge t =
  { Wait_graph.reason = t.source.reason; owner = (fun () -> t.owner) }

let wait ?timeout t self =
  let source = Lock_watch.standing self watched t t.source in
  match timeout with
  | None -> Wait_graph.waiting self (edge t) (fun () -> Waiter.wait source)
  | Some _ -> Event.wait ?timeout source

let acquire call ?timeout t =
  let self = Owner.self () in
  if Atomic.compare_and_set t.state Free Held then t.owner <- self
  else begin
    if Owner.is t.owner self then Owner.waits_for_itself call t.name self;
    Lock_watch.waiting self watched t (fun () ->
        wait ?timeout t self;
        t.owner <- self)
  end;
  self

(* Whoever is not the holder must not write the owner. *)
let give_up t self =
  if t.owner <> Owner.nobody then t.owner <- Owner.nobody;
  (match Atomic.get t.state with
  | Free | Held -> ()
  | Queue _ -> Lock_watch.frees self watched t);
  give t.state

let release call t self =
  Owner.check call t.name ~holder:t.owner self;
  if not (give_up t self) then Owner.not_held call t.name self

let own t = t.owner <- Owner.self ()
let lock ?timeout t = ignore (acquire "Mutex.lock" ?timeout t : Owner.t)

let lock_event t =
  Event.wrap (Event.of_source t.source) (fun () ->
      own t;
      Lock_watch.taken watched t)

let unlock t = release "Mutex.unlock" t (Owner.self ())

let try_lock t =
  match take t.state None with
  | Done _ ->
      own t;
      true
  | Nothing | Enlisted -> false

let relock ~shielded t =
  let self = Owner.self () in
  if Atomic.compare_and_set t.state Free Held then t.owner <- self
  else
    Lock_watch.waiting self watched t (fun () ->
        Wait_graph.waiting ~shielded:true self (edge t) (fun () ->
            let source = Lock_watch.standing self watched t t.source in
            Waiter.wait ~shielded source);
        t.owner <- self)

(* After an exception the mutex may be somebody else's: [f] unlocked it, or waited
   for a condition where it could not get it back. The exception says more. *)
let protect ?timeout t f =
  let self = acquire "Mutex.protect" ?timeout t in
  match f () with
  | v ->
      release "Mutex.protect" t self;
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      if Int.equal t.owner self then ignore (give_up t self : bool);
      Printexc.raise_with_backtrace e bt

let is_locked t =
  match Atomic.get t.state with
  | Free | Queue { held = false; _ } -> false
  | Held | Queue { held = true; _ } -> true

let owner t = if t.owner = Owner.nobody then None else Some t.owner
