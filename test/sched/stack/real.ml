(* Runs a program on a real vproc. *)

open Program
module Sched = Dromos.Sched
module Suspend = Dromos_suspend

type scheduler = {
  number : int;
  policy : policy;
  add_own : Sched.fiber -> unit;
  take_own : unit -> Sched.fiber option;
  mutable over : bool;
  mutable calls : int;
}

type cell = { mutable set : bool; waiting : unit Suspend.resumer Queue.t }

type t = {
  mutable schedulers : scheduler list;
  mutable fibers : int;
  cells : cell array;
  mutable trace : string list;
}

let stored = Sched.Fls.new_key ()
let storage () = Option.value (Sched.Fls.find_opt stored) ~default:0
let say t fmt = Printf.ksprintf (fun line -> t.trace <- line :: t.trace) fmt

let make () =
  let cell _ = { set = false; waiting = Queue.create () } in
  { schedulers = []; fibers = 0; cells = Array.init cells cell; trace = [] }

(* {1 Queues and cells} *)

let register t policy ~add ~take =
  let number = List.length t.schedulers in
  let s =
    { number; policy; add_own = add; take_own = take; over = false; calls = 0 }
  in
  t.schedulers <- s :: t.schedulers;
  s

let scheduler t policy =
  let queue = Queue.create () in
  register t policy
    ~add:(fun k -> Queue.add k queue)
    ~take:(fun () -> Queue.take_opt queue)

let bottom t = List.nth t.schedulers (List.length t.schedulers - 1)
let add t s k = (if s.over then bottom t else s).add_own k

let queue_of t q =
  let n = List.length t.schedulers in
  List.nth t.schedulers (n - 1 - (q mod n))

let tell t c =
  say t "cell %d" c;
  let cell = t.cells.(c) in
  cell.set <- true;
  Queue.iter (fun resume -> assert (resume (Ok ()))) cell.waiting;
  Queue.clear cell.waiting

let wait t c =
  let cell = t.cells.(c) in
  Suspend.suspend (fun resume ->
      if cell.set then Some ()
      else begin
        Queue.add resume cell.waiting;
        None
      end)

let unset t =
  let rec from c =
    if c = cells then None else if t.cells.(c).set then from (c + 1) else Some c
  in
  from 0

let rescue t =
  let take s = if s.number = 0 then None else s.take_own () in
  match List.find_map take t.schedulers with
  | None -> false
  | Some k ->
      say t "rescued: %s" (Sched.name k);
      (bottom t).add_own k;
      true

(* {1 Schedulers} *)

let step t = function
  | Pause -> Sched.yield ()
  | Await c -> wait t c
  | Say c -> tell t c

let rec move t s =
  Option.iter
    (fun k ->
      (bottom t).add_own k;
      move t s)
    (s.take_own ())

let over t s signal =
  if s.number > 0 then say t "s%d: over" s.number;
  s.over <- true;
  move t s;
  Sched.forward signal

let rec run t s k =
  say t "s%d: runs %s" s.number (Sched.name k);
  Sched.run (action t s) k

and action t s =
  let ready = if s.policy.takes_back then Some (add t s) else None in
  Sched.action ~name:(Printf.sprintf "s%d" s.number) ?ready (fun signal ->
      (match signal with
      | Stop -> say t "s%d: stop (%d)" s.number (storage ())
      | Preempt k ->
          say t "s%d: preempt %s (%d)" s.number (Sched.name k) (storage ()));
      let calls = s.policy.calls in
      let steps, choice = List.nth calls (s.calls mod List.length calls) in
      List.iter (step t) steps;
      s.calls <- s.calls + 1;
      decide t s signal choice)

and decide t s signal choice =
  match (signal, choice) with
  | Sched.Stop, _ -> dispatch t s
  | Preempt k, Requeue ->
      add t s k;
      dispatch t s
  | Preempt k, Again -> run t s k
  | Preempt _, Up -> over t s signal
  | Preempt k, Hand q ->
      add t (queue_of t q) k;
      dispatch t s

and dispatch t s =
  match s.take_own () with Some k -> run t s k | None -> over t s Stop

(* {1 Fibers} *)

let rec fiber t code =
  t.fibers <- t.fibers + 1;
  let name = Printf.sprintf "f%d" t.fibers in
  Sched.fiber ~name (fun () ->
      List.iter
        (fun op ->
          say t "%s: goes on (%d)" name (storage ());
          operation t op)
        code;
      say t "%s: ends (%d)" name (storage ()))

and operation t = function
  | Yield -> Sched.yield ()
  | Spawn (q, code) ->
      let s = queue_of t q in
      add t s (fiber t code)
  | Start (q, policy, fibers) ->
      let where = queue_of t q in
      let s = scheduler t policy in
      List.iter (fun code -> add t s (fiber t code)) fibers;
      add t where
        (Sched.scheduler ~name:(Printf.sprintf "s%d" s.number) (fun () ->
             say t "s%d: begins" s.number;
             dispatch t s))
  | Wait c -> wait t c
  | Tell c -> tell t c
  | Give q ->
      Sched.capture (fun k ->
          add t (queue_of t q) k;
          Sched.stop)
  | Pass -> Sched.capture (fun k -> Sched.forward (Preempt k))
  | Under policy ->
      let s = scheduler t policy in
      Sched.capture (run t s)
  | Store n -> Sched.Fls.set stored n
  | Exit -> Sched.exit ()

(* {1 The bottom} *)

let policy_of program =
  let calls = List.map (fun choice -> ([], choice)) program.bottom in
  { takes_back = true; calls }

(* Over a private queue, in one fiber at the root; the scheduler is over when
   the queue and the cells are done. *)
let with_own_queue t program =
  let queue = Queue.create () in
  let rec take () =
    match (Queue.take_opt queue, unset t) with
    | None, Some c ->
        tell t c;
        take ()
    | None, None when rescue t -> take ()
    | answer, _ -> answer
  in
  let s =
    register t (policy_of program) ~take ~add:(fun k -> Queue.add k queue)
  in
  let begins () =
    say t "s0: begins";
    dispatch t s
  in
  List.iter (fun code -> add t s (fiber t code)) program.first;
  Sched.release (Sched.scheduler ~name:"s0" begins)

(* Over the vproc's queue, for which the scheduler waits; the first fiber sets
   the cells. *)
let with_vproc_queue t program =
  let vproc = Sched.Vproc.host () in
  let inside = ref 0 and waits = ref false in
  let add k =
    incr inside;
    Sched.Vproc.enq_on vproc k
  in
  let take () =
    waits := true;
    let k = Sched.Vproc.deq () in
    waits := false;
    decr inside;
    Some k
  in
  let s = register t (policy_of program) ~take ~add in
  let begins _ =
    say t "s0: begins";
    dispatch t s
  in
  let rec help () =
    if not (!waits && !inside = 0) then begin
      Dromos.yield ();
      help ()
    end
    else
      match unset t with
      | Some c ->
          tell t c;
          help ()
      | None -> if rescue t then help ()
  in
  Sched.Attached.run ~name:"s0" begins (fun () ->
      List.iter (fun code -> add (fiber t code)) program.first;
      help ())

let trace ~bottom program =
  let t = make () in
  Dromos.run ~workers:1 (fun () -> bottom t program);
  List.rev t.trace
