(* The state, one word: the holders, and one wait queue ([line]) for both kinds.

   Only [enlist] puts waiters into the queue, never [attempt]. Every task
   therefore tries once more after enlisting, and a waiter that leaves calls
   [admit], since the waiters behind may enter now. No waiter sleeps for ever: a
   thread that unlocks or leaves the queue calls [admit] afterwards. A waiter
   that is asleep then enters; a waiter that is still registering is marked, and
   tries again. *)

type kind = Reader | Writer
type state = { active : int; (* readers, or [writing] *) line : kind Claims.t }

type t = {
  state : state Atomic.t;
  reader : unit Waiter.source;
  writer : unit Waiter.source;
  name : string option;
  mutable owner : Owner.t; (* the writer; see [Owner] *)
}

let writing = -1

let compatible kind active =
  match kind with Reader -> active >= 0 | Writer -> active = 0

let joined kind active =
  match kind with Reader -> active + 1 | Writer -> writing

let left kind active = match kind with Reader -> active - 1 | Writer -> 0

(* {1 Letting in} *)

let rec admit state =
  let seen = Atomic.get state in
  if seen.active >= 0 && not (Line.is_empty seen.line) then
    match Claims.next seen.line with
    | Nobody -> ()
    | Put_in_order line ->
        ignore (Atomic.compare_and_set state seen { seen with line } : bool);
        admit state
    | First ({ claim = kind; cell }, line) ->
        if compatible kind seen.active then begin
          let active = joined kind seen.active in
          if Atomic.compare_and_set state seen { active; line } then begin
            (* The waiter is asleep or gone, and cannot be registering. *)
            match Waiter.offer ~self:Waiter.nobody cell (Ok ()) with
            | Taken -> ()
            | Gone | Busy -> withdraw kind state
          end;
          admit state
        end

and withdraw kind state =
  let seen = Atomic.get state in
  let active = left kind seen.active in
  if not (Atomic.compare_and_set state seen { seen with active }) then
    withdraw kind state

(* {1 Locking} *)

(* A reader must not overtake a writer that is asleep in the queue, and a writer
   must not overtake any sleeping waiter. A select does not block itself, and a
   registering select blocks no other select. *)
let must_queue ~self kind line =
  let minds other =
    match (kind, other) with
    | Reader, Reader -> false
    | Reader, Writer | Writer, _ -> true
  in
  (not (Line.is_empty line)) && Claims.stands_back ~self minds line

let rec take ~self kind state =
  let seen = Atomic.get state in
  compatible kind seen.active
  && (not (must_queue ~self kind seen.line))
  &&
  let next = { seen with active = joined kind seen.active } in
  Atomic.compare_and_set state seen next || take ~self kind state

let rec enlist kind state cell =
  let seen = Atomic.get state in
  let line = Claims.push seen.line kind cell in
  if Atomic.compare_and_set state seen { seen with line } then fun () ->
    admit state
  else enlist kind state cell

let source state kind reason =
  let attempt ~self _ =
    if take ~self kind state then Waiter.Done (Ok ()) else Nothing
  in
  { Waiter.attempt; enlist = enlist kind state; reason }

let create ?name () =
  let state = Atomic.make { active = 0; line = Line.empty } in
  let source kind call = source state kind (Event_core.reason call name) in
  {
    state;
    reader = source Reader "Rwlock.lock_read";
    writer = source Writer "Rwlock.lock_write";
    name;
    owner = Owner.released;
  }

let try_take kind t =
  Dromos_service.Stack_room.ensure 2;
  take ~self:Waiter.nobody kind t.state

let holder t = Owner.holder t.owner

type Lock_watch.id += Rwlock of t

let watched t =
  let is = function Rwlock other -> other == t | _ -> false in
  { Lock_watch.id = Rwlock t; is; owner = (fun () -> holder t) }

let taken kind t self =
  match kind with Writer -> t.owner <- self | Reader -> ()

let wait ?timeout kind t self =
  let source = match kind with Reader -> t.reader | Writer -> t.writer in
  let source = Lock_watch.standing self watched t source in
  match timeout with
  | None ->
      let owner () = holder t in
      Wait_graph.waiting self { reason = source.reason; owner } (fun () ->
          Waiter.wait source)
  | Some _ -> Event_core.wait ?timeout source

let acquire call ?timeout kind t self =
  Dromos_service.Stack_room.ensure 2;
  if try_take kind t then taken kind t self
  else begin
    if Owner.is t.owner self then Owner.waits_for_itself call t.name self;
    Lock_watch.waiting self watched t (fun () ->
        wait ?timeout kind t self;
        taken kind t self)
  end

let read_as call ?timeout t = acquire call ?timeout Reader t (Owner.self ())

let write_as call ?timeout t =
  let self = Owner.self () in
  acquire call ?timeout Writer t self;
  self

let own t = t.owner <- Owner.self ()
let lock_read ?timeout t = read_as "Rwlock.lock_read" ?timeout t

let lock_write ?timeout t =
  ignore (write_as "Rwlock.lock_write" ?timeout t : Owner.t)

let try_lock_read t = try_take Reader t

let try_lock_write t =
  let taken = try_take Writer t in
  if taken then own t;
  taken

let lock_read_event t = Event_core.of_source t.reader

let lock_write_event t =
  Event.wrap (Event_core.of_source t.writer) (fun () ->
      own t;
      Lock_watch.taken watched t)

(* {1 Unlocking} *)

let rec unlock_read_as call t =
  Dromos_service.Stack_room.ensure 1;
  let seen = Atomic.get t.state in
  let active = seen.active - 1 in
  if active < 0 then Owner.not_held call t.name (Owner.self ());
  if Atomic.compare_and_set t.state seen { seen with active } then begin
    if active = 0 then admit t.state
  end
  else unlock_read_as call t

let unlock_read t = unlock_read_as "Rwlock.unlock_read" t

let rec leave_writing call t self ~active =
  let seen = Atomic.get t.state in
  if seen.active <> writing then Owner.not_held call t.name self
  else if Atomic.compare_and_set t.state seen { seen with active } then
    admit t.state
  else leave_writing call t self ~active

let end_writing call t self ~active =
  Dromos_service.Stack_room.ensure 1;
  Owner.check call t.name ~owner:t.owner self;
  if t.owner <> Owner.nobody then t.owner <- Owner.released;
  if not (Line.is_empty (Atomic.get t.state).line) then
    Lock_watch.frees self watched t;
  leave_writing call t self ~active

let unlock_write t =
  end_writing "Rwlock.unlock_write" t (Owner.self ()) ~active:0

let downgrade t = end_writing "Rwlock.downgrade" t (Owner.self ()) ~active:1

(* {1 Brackets} *)

let with_read ?timeout t f =
  read_as "Rwlock.with_read" ?timeout t;
  Bracket.run f (fun () -> unlock_read_as "Rwlock.with_read" t)

(* [f] may have unlocked, or downgraded the lock. *)
let end_bracket call t self =
  if Int.equal t.owner self && (Atomic.get t.state).active = writing then
    end_writing call t self ~active:0
  else unlock_read_as call t

let with_write ?timeout t f =
  let call = "Rwlock.with_write" in
  let self = write_as call ?timeout t in
  Bracket.run f (fun () -> end_bracket call t self)

let readers t = Int.max 0 (Atomic.get t.state).active
let is_locked_write t = (Atomic.get t.state).active = writing
