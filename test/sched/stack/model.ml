(* The behaviour of a program by definition: a stack, and pieces of code that
   run until they give the vproc away. *)

open Program

type scheduler = {
  number : int;
  label : string;  (** the label of the fiber with the actions' code *)
  policy : policy;
  queue : piece Queue.t;
  mutable over : bool;
  mutable calls : int;
  storage : int;
}

and fiber = { name : string; mutable code : op list; mutable stored : int }

(** A piece that can run. *)
and piece =
  | Fiber of fiber
  | Begin of scheduler
  | Call of scheduler * step list * signal  (** the rest of an action *)

and signal = Stop | Preempt of piece

type cell = { mutable set : bool; waiting : (piece * scheduler) Queue.t }

type t = {
  mutable schedulers : scheduler list;  (** newest first *)
  mutable fibers : int;
  cells : cell array;
  mutable stack : scheduler list;
  mutable trace : string list;
}

let say t fmt = Printf.ksprintf (fun line -> t.trace <- line :: t.trace) fmt
let name = function Fiber f -> f.name | Begin s | Call (s, _, _) -> s.label

(* {1 Making} *)

let scheduler t ?label ~storage policy =
  let number = List.length t.schedulers in
  let label = Option.value label ~default:(Printf.sprintf "s%d" number) in
  let s =
    {
      number;
      label;
      policy;
      queue = Queue.create ();
      over = false;
      calls = 0;
      storage;
    }
  in
  t.schedulers <- s :: t.schedulers;
  s

let fiber t ~stored code =
  t.fibers <- t.fibers + 1;
  Fiber { name = Printf.sprintf "f%d" t.fibers; code; stored }

(* {1 Queues} *)

let bottom t = List.nth t.schedulers (List.length t.schedulers - 1)

let add t s piece =
  Queue.add piece (if s.over then (bottom t).queue else s.queue)

let queue_of t q =
  let n = List.length t.schedulers in
  List.nth t.schedulers (n - 1 - (q mod n))

let tell t c =
  say t "cell %d" c;
  let cell = t.cells.(c) in
  cell.set <- true;
  Queue.iter (fun (piece, s) -> add t s piece) cell.waiting;
  Queue.clear cell.waiting

let unset t =
  let rec from c =
    if c = cells then None else if t.cells.(c).set then from (c + 1) else Some c
  in
  from 0

(* Takes fibers from schedulers that are in each other's queues, or in their
   own. *)
let rescue t =
  let take s = if s.number = 0 then None else Queue.take_opt s.queue in
  match List.find_map take t.schedulers with
  | None -> false
  | Some piece ->
      say t "rescued: %s" (name piece);
      Queue.add piece (bottom t).queue;
      true

(* {1 Running} *)

let taker t = List.find (fun s -> s.policy.takes_back) t.stack

(* The vproc belongs to the action on top. *)
let rec signal t s =
  match (t.stack, s) with
  | [], Stop -> ()
  | [], Preempt piece -> piece_runs t piece
  | action :: below, s ->
      t.stack <- below;
      (match s with
      | Stop -> say t "s%d: stop (%d)" action.number action.storage
      | Preempt k ->
          say t "s%d: preempt %s (%d)" action.number (name k) action.storage);
      let n = List.length action.policy.calls in
      let steps, _ = List.nth action.policy.calls (action.calls mod n) in
      piece_runs t (Call (action, steps, s))

and wait t c piece ~go_on =
  let cell = t.cells.(c) in
  if cell.set then go_on ()
  else begin
    Queue.add (piece, taker t) cell.waiting;
    signal t Stop
  end

and piece_runs t = function
  | Fiber f as piece -> fiber_runs t f piece
  | Begin s ->
      say t "s%d: begins" s.number;
      dispatch t s
  | Call (s, [], sg) -> decide t s sg
  | Call (s, Pause :: rest, sg) -> signal t (Preempt (Call (s, rest, sg)))
  | Call (s, Await c :: rest, sg) ->
      let piece = Call (s, rest, sg) in
      wait t c piece ~go_on:(fun () -> piece_runs t piece)
  | Call (s, Say c :: rest, sg) ->
      tell t c;
      piece_runs t (Call (s, rest, sg))

and run t s piece =
  say t "s%d: runs %s" s.number (name piece);
  t.stack <- s :: t.stack;
  piece_runs t piece

and over t s sg =
  say t "s%d: over" s.number;
  s.over <- true;
  Queue.transfer s.queue (bottom t).queue;
  signal t sg

and dispatch t s =
  match (Queue.take_opt s.queue, s.number, unset t) with
  | Some piece, _, _ -> run t s piece
  | None, 0, Some c ->
      tell t c;
      dispatch t s
  | None, 0, None -> if rescue t then dispatch t s
  | None, _, _ -> over t s Stop

and decide t s sg =
  let n = List.length s.policy.calls in
  let _, choice = List.nth s.policy.calls (s.calls mod n) in
  s.calls <- s.calls + 1;
  match (sg, choice) with
  | Stop, _ -> dispatch t s
  | Preempt k, Requeue ->
      add t s k;
      dispatch t s
  | Preempt k, Again -> run t s k
  | Preempt _, Up -> over t s sg
  | Preempt k, Hand q ->
      add t (queue_of t q) k;
      dispatch t s

and fiber_runs t f piece =
  match f.code with
  | [] ->
      say t "%s: ends (%d)" f.name f.stored;
      signal t Stop
  | op :: rest -> (
      f.code <- rest;
      say t "%s: goes on (%d)" f.name f.stored;
      let go_on () = fiber_runs t f piece in
      match op with
      | Yield | Pass -> signal t (Preempt piece)
      | Spawn (q, code) ->
          let s = queue_of t q in
          add t s (fiber t ~stored:f.stored code);
          go_on ()
      | Start (q, policy, fibers) ->
          let where = queue_of t q in
          let s = scheduler t ~storage:f.stored policy in
          List.iter (fun code -> add t s (fiber t ~stored:f.stored code)) fibers;
          add t where (Begin s);
          go_on ()
      | Wait c -> wait t c piece ~go_on
      | Tell c ->
          tell t c;
          go_on ()
      | Give q ->
          add t (queue_of t q) piece;
          signal t Stop
      | Under policy ->
          let s = scheduler t ~label:f.name ~storage:f.stored policy in
          run t s piece
      | Store n ->
          f.stored <- n;
          go_on ()
      | Exit ->
          f.code <- [];
          signal t Stop)

let trace program =
  let t =
    {
      schedulers = [];
      fibers = 0;
      cells =
        Array.init cells (fun _ -> { set = false; waiting = Queue.create () });
      stack = [];
      trace = [];
    }
  in
  let calls = List.map (fun choice -> ([], choice)) program.bottom in
  let s = scheduler t ~storage:0 { takes_back = true; calls } in
  List.iter (fun code -> add t s (fiber t ~stored:0 code)) program.first;
  piece_runs t (Begin s);
  List.rev t.trace
