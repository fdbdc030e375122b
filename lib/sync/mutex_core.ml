(* {1 Grants}

   A task that unlocks wakes the first waiter with a grant of the mutex. Until
   the woken task runs, running tasks may overtake: an overtaker takes the mutex
   out of the grant, and hands the mutex back to the grant, [most] times at
   most. A woken task whose grant is overtaken waits again, at the front of the
   queue, for a grant that cannot be overtaken. *)

type step =
  | Open (* the woken task does not run yet; the mutex is in the grant *)
  | Overtaken
    (* the woken task does not run yet; an overtaker holds the mutex *)
  | Reserved (* as [Open], after [most] overtakers: no further overtaking *)
  | Settled (* the woken task has claimed its grant, successfully or not *)

type grant = {
  step : step Atomic.t;
  mutable overtakers : int; (* written by the holder, while [Overtaken] *)
}

let most = 64

(* A grant that cannot be overtaken. *)
let firm = { step = Atomic.make Settled; overtakers = most }
let loan () = { step = Atomic.make Open; overtakers = 0 }

(* Called once, by the woken task; [true] if the task holds the mutex now. *)
let rec claim grant =
  match Atomic.get grant.step with
  | Settled -> true
  | (Open | Reserved | Overtaken) as step ->
      if Atomic.compare_and_set grant.step step Settled then step <> Overtaken
      else claim grant

let overtake grant =
  Atomic.get grant.step = Open
  && Atomic.compare_and_set grant.step Open Overtaken

(* Called by the holder. [false] if the holder did not overtake, or if the woken
   task has claimed the grant in the meantime: then the holder unlocks as
   usual. *)
let handed_back grant =
  Atomic.get grant.step = Overtaken
  && begin
       grant.overtakers <- grant.overtakers + 1;
       let next = if grant.overtakers < most then Open else Reserved in
       Atomic.compare_and_set grant.step Overtaken next
     end

(* {1 The word}

   [Free] and [Held] are constants, so that nothing is allocated while no task
   waits. A mutex with a queue is free only if all waiters in the queue were
   registering and have been marked (the giver's duty, in [Waiter]). *)

type state =
  | Free
  | Held
  | Queue of {
      held : bool;
      takers : grant Takers.t;
      grant : grant; (* the last grant that was given *)
      overtaken : int;
          (* the first [overtaken] waiters of the queue get [firm] grants *)
    }

type t = {
  state : state Atomic.t;
  source : grant Waiter.source;
  name : string option;
  mutable owner : Owner.t; (* see [Owner] *)
}

let taken = Waiter.Done (Ok firm)

(* [again]: the waiter was overtaken, and goes to the front of the queue. *)
let joined ~again seen waiter =
  let held, takers, grant, overtaken =
    match seen with
    | Free -> (false, Takers.empty, firm, 0)
    | Held -> (true, Takers.empty, firm, 0)
    | Queue q -> (q.held, q.takers, q.grant, q.overtaken)
  in
  if again then
    let takers = Takers.push_front takers waiter in
    Queue { held; takers; grant; overtaken = overtaken + 1 }
  else Queue { held; takers = Takers.push takers waiter; grant; overtaken }

let rec take ~again state cell =
  match Atomic.get state with
  | Free ->
      if Atomic.compare_and_set state Free Held then taken
      else take ~again state cell
  | Queue ({ held = false; _ } as q) as seen ->
      if Atomic.compare_and_set state seen (Queue { q with held = true }) then
        taken
      else take ~again state cell
  | Queue { held = true; grant; _ } when overtake grant -> taken
  | (Held | Queue { held = true; _ }) as seen -> (
      match cell with
      | None -> Waiter.Nothing
      | Some waiter ->
          if Atomic.compare_and_set state seen (joined ~again seen waiter) then
            Waiter.Enlisted
          else take ~again state cell)

let rec enlist ~again state waiter =
  let seen = Atomic.get state in
  if Atomic.compare_and_set state seen (joined ~again seen waiter) then ignore
  else enlist ~again state waiter

let source ~again state reason =
  let attempt ~self:_ cell = take ~again state cell in
  { Waiter.attempt; enlist = enlist ~again state; reason }

(* Passes the mutex from the caller to the next waiter, or frees the mutex.
   [false] if the mutex is not held. The caller holds the mutex until the state
   says otherwise, so a waiter that accepts the offer holds the mutex from that
   moment. *)
let rec give state =
  match Atomic.get state with
  | Free | Queue { held = false; _ } -> false
  | Held -> Atomic.compare_and_set state Held Free || give state
  | Queue { held = true; grant; _ } when handed_back grant -> true
  | Queue ({ held = true; takers; overtaken; _ } as q) as seen -> (
      let replace next = Atomic.compare_and_set state seen next in
      let last = ref firm in
      let of_cell cell =
        let lent = Waiter.plain cell && overtaken = 0 in
        last := if lent then loan () else firm;
        Ok !last
      in
      match Takers.give_by ~self:Waiter.nobody takers of_cell with
      | Given takers ->
          let overtaken = max 0 (overtaken - 1) in
          let next = Queue { q with takers; grant = !last; overtaken } in
          ignore (replace next : bool);
          true
      | Again takers ->
          ignore (replace (Queue { q with takers }) : bool);
          give state
      | Nobody -> replace Free || give state
      | Only_busy ->
          if replace (Queue { q with held = false; takers }) then begin
            if Takers.ready ~self:Waiter.nobody takers then give_again state;
            true
          end
          else give state)

(* Called if a waiter has gone to sleep since the mutex was left free: takes the
   mutex again, if it is still free, and gives it to the waiter. *)
and give_again state =
  match take ~again:false state None with
  | Done _ -> ignore (give state : bool)
  | Nothing | Enlisted -> ()

let create ?name () =
  let state = Atomic.make Free in
  let source =
    source ~again:false state (Event_core.reason "Mutex.lock" name)
  in
  { state; source; name; owner = Owner.released }

(* {1 Owners} *)

let holder t = Owner.holder t.owner

type Lock_watch.id += Mutex of t

let watched t =
  let is = function Mutex other -> other == t | _ -> false in
  { Lock_watch.id = Mutex t; is; owner = (fun () -> holder t) }

let edge t =
  { Wait_graph.reason = t.source.reason; owner = (fun () -> holder t) }

(* Claims the grant. If the grant was overtaken, waits again. *)
let rec hold ?shielded t self grant =
  if not (claim grant) then
    let source = source ~again:true t.state t.source.reason in
    let source = Lock_watch.standing self watched t source in
    hold ?shielded t self (Waiter.wait ?shielded source)

let wait_plainly ?(quiet = false) ?shielded t self =
  Wait_graph.waiting ~shielded:quiet self (edge t) (fun () ->
      let source = Lock_watch.standing self watched t t.source in
      hold ?shielded t self (Waiter.wait ?shielded source))

let wait ?timeout t self =
  match timeout with
  | None -> wait_plainly t self
  | Some _ ->
      let source = Lock_watch.standing self watched t t.source in
      hold t self (Event_core.wait ?timeout source)

let overtakes t =
  match Atomic.get t.state with
  | Queue { held = true; grant; _ } -> overtake grant
  | Free | Held | Queue { held = false; _ } -> false

let acquire call ?timeout t =
  Dromos_service.Stack_room.ensure 2;
  let self = Owner.self () in
  if Atomic.compare_and_set t.state Free Held then t.owner <- self
  else if overtakes t then begin
    t.owner <- self;
    Lock_watch.taken watched t
  end
  else begin
    if Owner.is t.owner self then Owner.waits_for_itself call t.name self;
    Lock_watch.waiting self watched t (fun () ->
        wait ?timeout t self;
        t.owner <- self)
  end;
  self

(* [owner] is not written if it is [nobody]: the caller may not be the holder. *)
let give_up t self =
  if t.owner <> Owner.nobody then t.owner <- Owner.released;
  (match Atomic.get t.state with
  | Free | Held -> ()
  | Queue _ -> Lock_watch.frees self watched t);
  give t.state

let release call t self =
  Dromos_service.Stack_room.ensure 1;
  Owner.check call t.name ~owner:t.owner self;
  if not (give_up t self) then Owner.not_held call t.name self

let own t = t.owner <- Owner.self ()
let lock ?timeout t = ignore (acquire "Mutex.lock" ?timeout t : Owner.t)

let lock_event t =
  Event.wrap (Event_core.of_source t.source) (fun (_ : grant) ->
      own t;
      Lock_watch.taken watched t)

let unlock t = release "Mutex.unlock" t (Owner.self ())

let try_lock t =
  Dromos_service.Stack_room.ensure 2;
  match take ~again:false t.state None with
  | Done _ ->
      own t;
      true
  | Nothing | Enlisted -> false

let relock ~shielded t =
  let self = Owner.self () in
  if Atomic.compare_and_set t.state Free Held then t.owner <- self
  else
    Lock_watch.waiting self watched t (fun () ->
        wait_plainly ~quiet:true ~shielded t self;
        t.owner <- self)

(* After an exception another task may hold the mutex: [f] unlocked the mutex,
   or waited for a condition and could not get the mutex back. In these cases
   raise the exception of [f], which says more than an error of [release]. *)
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

let owner t =
  let owner = holder t in
  if owner = Owner.nobody then None else Some owner
