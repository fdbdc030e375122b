(* Permits and those who wait for them, in one word. Between operations there
   are never both (but for busy choices, which have been marked). *)

type state = { permits : int; takers : unit Takers.t }
type t = { state : state Atomic.t; source : unit Waiter.source }

exception Timeout = Event.Timeout

let rec take state cell =
  let seen = Atomic.get state in
  if seen.permits > 0 then
    let next = { seen with permits = seen.permits - 1 } in
    if Atomic.compare_and_set state seen next then Waiter.Done (Ok ())
    else take state cell
  else
    match cell with
    | None -> Nothing
    | Some waiter ->
        let next = { seen with takers = Takers.push seen.takers waiter } in
        if Atomic.compare_and_set state seen next then Enlisted
        else take state cell

let rec enlist state waiter =
  let seen = Atomic.get state in
  let next = { seen with takers = Takers.push seen.takers waiter } in
  if Atomic.compare_and_set state seen next then ignore else enlist state waiter

let one_more { permits; _ } =
  if permits = max_int then
    invalid_arg "Semaphore.release: there are max_int permits already";
  permits + 1

let rec give state =
  let seen = Atomic.get state in
  let replace next = Atomic.compare_and_set state seen next in
  match Takers.give ~self:Waiter.nobody seen.takers (Ok ()) with
  | Given takers -> ignore (replace { seen with takers } : bool)
  | Again takers ->
      ignore (replace { seen with takers } : bool);
      give state
  | Nobody ->
      if not (replace { permits = one_more seen; takers = Takers.empty }) then
        give state
  | Only_busy -> (
      if not (replace { seen with permits = one_more seen }) then give state
      else if Takers.ready ~self:Waiter.nobody seen.takers then
        match take state None with
        | Done _ -> give state
        | Nothing | Enlisted -> ())

let create ?name permits =
  if permits < 0 then
    invalid_arg (Printf.sprintf "Semaphore.create: %d permits" permits);
  let state = Atomic.make { permits; takers = Takers.empty } in
  let attempt ~self:_ cell = take state cell in
  let reason = Event.reason "Semaphore.acquire" name in
  { state; source = { attempt; enlist = enlist state; reason } }

let acquire_event t = Event.of_source t.source
let acquire ?timeout t = Event.wait ?timeout t.source

let try_acquire t =
  match take t.state None with Done _ -> true | Nothing | Enlisted -> false

let release t = give t.state

let with_permit ?timeout t f =
  acquire ?timeout t;
  Fun.protect ~finally:(fun () -> release t) f

let permits t = (Atomic.get t.state).permits
