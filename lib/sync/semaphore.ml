(* The state, one word: the free permits and the wait queue of claims ([line]).
   Between operations the first claim whose task is asleep is larger than the
   number of free permits. To keep this invariant, a thread that has added
   permits or left the queue looks for a claim that can be served.

   The task of a claim of one permit may leave silently. If the claim is first
   in the queue, no permit is free, and no claim behind can be served either. A
   plain [acquire] of one permit therefore enlists its claim in the
   compare-and-set that finds no permit, and is never registering. *)

type state = { permits : int; line : int Claims.t }

type t = {
  state : state Atomic.t;
  most : int; (* the largest number of free permits *)
  reason : string;
  one : unit Waiter.source; (* a claim of one permit *)
}

exception Timeout = Event.Timeout

(* {1 Giving} *)

let added ~most free n =
  if n > most - free then
    invalid_arg
      (Printf.sprintf
         "Semaphore.release ~n:%d: %d of at most %d permits are free" n free
         most);
  free + n

(* Adds [n] permits if the queue is empty. *)
let put state ~most n =
  let seen = Atomic.get state in
  Line.is_empty seen.line
  &&
  let permits = added ~most seen.permits n in
  Atomic.compare_and_set state seen { seen with permits }

(* Adds [n] permits, and serves the claims for which the permits then
   suffice. *)
let rec give state ~most n =
  let seen = Atomic.get state in
  let permits = added ~most seen.permits n in
  let replace next = Atomic.compare_and_set state seen next in
  match Claims.next seen.line with
  | Put_in_order line ->
      ignore (replace { seen with line } : bool);
      give state ~most n
  | First ({ claim; cell }, line) when claim <= permits -> (
      if not (replace { permits = permits - claim; line }) then
        give state ~most n
      else
        match Waiter.offer ~self:Waiter.nobody cell (Ok ()) with
        | Taken -> if permits > claim then look_again state
        | Gone | Busy -> give_back state claim)
  | (First _ | Nobody) when n = 0 -> ()
  | First _ | Nobody ->
      if not (replace { seen with permits }) then give state ~most n
      else if not (Line.is_empty seen.line) then look_again state

(* The permits were counted before: no limit applies. *)
and give_back state n = give state ~most:max_int n
and look_again state = give_back state 0

(* {1 Taking} *)

let taken = Waiter.Done (Ok ())

(* [true] if no task in front is asleep: such tasks must not be overtaken. *)
let first ~self line =
  Line.is_empty line || not (Claims.stands_back ~self (fun _ -> true) line)

let rec take state n ~self cell =
  let seen = Atomic.get state in
  if n = 0 then taken
  else if seen.permits >= n then
    if not (first ~self seen.line) then Waiter.Nothing
    else
      let next = { seen with permits = seen.permits - n } in
      if Atomic.compare_and_set state seen next then taken
      else take state n ~self cell
  else
    match cell with
    | Some waiter when n = 1 ->
        let next = { seen with line = Claims.push seen.line 1 waiter } in
        if Atomic.compare_and_set state seen next then Enlisted
        else take state n ~self cell
    | Some _ | None -> Nothing

let rec enlist state n waiter =
  let seen = Atomic.get state in
  let next = { seen with line = Claims.push seen.line n waiter } in
  if not (Atomic.compare_and_set state seen next) then enlist state n waiter
  else if n = 1 then ignore
  else fun () -> look_again state

let source state n reason =
  let attempt ~self cell = take state n ~self cell in
  { Waiter.attempt; enlist = enlist state n; reason }

(* {1 The operations} *)

let create ?name ?(max = max_int) permits =
  if permits < 0 || permits > max then
    invalid_arg
      (if max = max_int then
         Printf.sprintf "Semaphore.create: %d permits" permits
       else Printf.sprintf "Semaphore.create ~max:%d: %d permits" max permits);
  let state = Atomic.make { permits; line = Line.empty } in
  let reason = Event_core.reason "Semaphore.acquire" name in
  { state; most = max; reason; one = source state 1 reason }

let refuse t call n =
  invalid_arg
    (if n < 0 then Printf.sprintf "Semaphore.%s ~n:%d" call n
     else
       Printf.sprintf "Semaphore.%s ~n:%d: there are never more than %d permits"
         call n t.most)

let[@inline] check t call n = if n < 0 || n > t.most then refuse t call n

let source_of t n =
  if n = 1 then t.one
  else source t.state n (Printf.sprintf "%s (%d permits)" t.reason n)

let try_now t n =
  Dromos_service.Stack_room.ensure 2;
  match take t.state n ~self:Waiter.nobody None with
  | Done _ -> true
  | Nothing | Enlisted -> false

let acquire_event ?(n = 1) t =
  check t "acquire_event" n;
  Event_core.of_source (source_of t n)

let acquire ?timeout ?(n = 1) t =
  check t "acquire" n;
  if n = 1 then Event_core.wait ?timeout t.one
  else if not (try_now t n) then Event_core.wait ?timeout (source_of t n)

let try_acquire ?(n = 1) t =
  check t "try_acquire" n;
  try_now t n

let release ?(n = 1) t =
  Dromos_service.Stack_room.ensure 1;
  if n < 0 then invalid_arg (Printf.sprintf "Semaphore.release ~n:%d" n);
  if not (put t.state ~most:t.most n) then give t.state ~most:t.most n

let with_permit ?timeout ?n t f =
  acquire ?timeout ?n t;
  Bracket.run f (fun () -> release ?n t)

let permits t = (Atomic.get t.state).permits
