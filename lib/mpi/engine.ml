module Host = Dromos_service.Host
module Waiter = Dromos_sync.Author.Waiter
module Once = Dromos_sync.Author.Once
module External = Dromos_suspend.External

type pattern = { comm : Raw.comm; from : int; tag : int }

(* An item for the thread; the list has the newest first. *)
type item =
  | Op of Raw.op * (unit -> unit)
      (** an operation, and the function that the thread calls at its end *)
  | Receive of pattern * Raw.op Waiter.t
  | Call of ((pattern * Raw.op Waiter.t) list -> unit)
      (** a function that the thread calls with the waiting tasks *)

type mode = Any_thread | One_thread

type t = {
  incoming : item list Atomic.t;
  matching : Mutex.t;  (** held while messages are taken *)
  mutable kept : (pattern * Raw.op) list;
      (** taken messages without a task; under [matching] *)
  receiving : int Atomic.t array;
      (** tasks that wait for messages, by {!lane} *)
  busy : int Atomic.t;  (** operations that are not over *)
  mutable mode : mode;  (** written once, when MPI has begun *)
}

let t =
  {
    incoming = Atomic.make [];
    matching = Mutex.create ();
    kept = [];
    receiving = Array.init 64 (fun _ -> Atomic.make 0);
    busy = Atomic.make 0;
    mode = Any_thread;
  }

(* Tasks that can take each other's messages have one lane. *)
let lane { comm; tag; from = _ } = (31 * comm) + tag
let receiving pattern = t.receiving.(lane pattern land 63)

let rec push item =
  let before = Atomic.get t.incoming in
  if Atomic.compare_and_set t.incoming before (item :: before) then begin
    if before = [] then Raw.kick ()
  end
  else push item

(* {1 Calls} *)

let on_thread = Domain.DLS.new_key (fun () -> ref (-1))
let is_thread () = !(Domain.DLS.get on_thread) = Thread.id (Thread.self ())

let attempt f =
  match f () with
  | v -> Ok v
  | exception e -> Error (e, Printexc.get_raw_backtrace ())

(* {1 Messages}

   MPI takes no message back. A message whose task has left is kept here; later tasks
   look here first. *)

let is_for wanted (got, op) =
  got.comm = wanted.comm && got.tag = wanted.tag
  && (wanted.from < 0 || wanted.from = fst (Raw.envelope op))

let rec extract wanted = function
  | [] -> None
  | ((_, op) as first) :: rest ->
      if is_for wanted first then Some (op, rest)
      else
        Option.map (fun (op, rest) -> (op, first :: rest)) (extract wanted rest)

(* Called with [matching] held. *)
let take ({ comm; from; tag } as wanted) =
  match extract wanted t.kept with
  | Some (op, rest) ->
      t.kept <- rest;
      op
  | None -> Raw.improbe comm from tag

(* Takes a message at once, if no task waits on the same lane. *)
let try_take pattern =
  Dromos_sched.Preemption.mask @@ fun () ->
  if
    t.mode = Any_thread
    && Atomic.get (receiving pattern) = 0
    && Mutex.try_lock t.matching
  then
    Fun.protect
      ~finally:(fun () -> Mutex.unlock t.matching)
      (fun () -> take pattern)
  else Raw.none

type served = Served | Waits | Retry

let rec serve pattern waiter =
  if Waiter.gone waiter then Served
  else
    let op = take pattern in
    if op = Raw.none then Waits
    else
      match Waiter.offer ~self:Waiter.nobody waiter (Ok op) with
      | Taken -> Served
      | Gone ->
          t.kept <- (pattern, op) :: t.kept;
          Served
      | Busy ->
          t.kept <- (pattern, op) :: t.kept;
          if Waiter.ready ~self:Waiter.nobody waiter then serve pattern waiter
          else Retry

(* {1 The thread} *)

type state = {
  mutable ops : (Raw.op * (unit -> unit)) list;
  mutable waiters : (pattern * Raw.op Waiter.t) list;
      (** in the order of arrival *)
}

let admit state = function
  | Op (op, over) -> state.ops <- (op, over) :: state.ops
  | Receive (pattern, waiter) ->
      state.waiters <- state.waiters @ [ (pattern, waiter) ]
  | Call f -> f state.waiters

let finish state =
  let over, rest = List.partition (fun (op, _) -> Raw.is_over op) state.ops in
  state.ops <- rest;
  List.iter
    (fun (_, tell) ->
      Atomic.decr t.busy;
      External.decr ();
      tell ())
    over

(* Serves all waiting tasks. [true] if a task has to be served again soon. *)
let serve_all state =
  let again = ref false in
  let stays (pattern, waiter) =
    match serve pattern waiter with
    | Served ->
        Atomic.decr (receiving pattern);
        External.decr ();
        false
    | Waits -> true
    | Retry ->
        again := true;
        true
  in
  if state.waiters <> [] then
    Mutex.protect t.matching (fun () ->
        state.waiters <- List.filter stays state.waiters);
  !again

(* The patterns of all waiting tasks, each once. *)
let patterns state =
  let all = Hashtbl.create 16 in
  List.iter (fun (p, _) -> Hashtbl.replace all p ()) state.waiters;
  let numbers p () rest = p.comm :: p.from :: p.tag :: rest in
  Array.of_list (Hashtbl.fold numbers all [])

let soon_us = 200
let stopped = Atomic.make false

let rec turn state =
  List.iter (admit state) (List.rev (Atomic.exchange t.incoming []));
  if not (Atomic.get stopped) then begin
    finish state;
    let again = serve_all state in
    let ops = Array.of_list (List.map fst state.ops) in
    Raw.wait ops (patterns state) (if again then soon_us else 0);
    turn state
  end

(* {1 Starting and stopping}

   At every level of threads MPI allows calls from the thread that began MPI. *)

let started = Once.create ()

let body ~one_thread () =
  Domain.DLS.get on_thread := Thread.id (Thread.self ());
  Look.refuse_here ();
  let level = attempt Raw.init in
  let any = (not one_thread) && Result.value level ~default:0 = 3 in
  t.mode <- (if any then Any_thread else One_thread);
  ignore (Once.close started (Result.map ignore level) : bool);
  if Result.is_ok level then turn { ops = []; waiters = [] }

let start ~one_thread =
  Host.start ();
  Host.thread (body ~one_thread);
  Waiter.wait
    (Dromos_sync.Author.Event.once_source ~reason:"MPI" started Fun.id)

let on_its_thread f =
  External.incr ();
  Fun.protect ~finally:External.decr @@ fun () ->
  Dromos_suspend.suspend_shielded ~reason:"MPI" (fun resume ->
      let answer waiters = attempt (fun () -> f waiters) in
      push (Call (fun waiters -> ignore (resume (answer waiters) : bool)));
      None)

let stop () =
  on_its_thread (fun _ ->
      Atomic.set stopped true;
      Raw.finalize ())

let call f =
  if t.mode = Any_thread || is_thread () then f ()
  else on_its_thread (fun _ -> f ())

(* Tasks that have left may be among the thread's patterns until its next turn. *)
let leave comm =
  on_its_thread (fun waiters ->
      let waits (pattern, waiter) =
        pattern.comm = comm && not (Waiter.gone waiter)
      in
      if List.exists waits waiters then
        invalid_arg "Dromos_mpi.free: a task waits for a message of the group");
  Dromos_sched.Preemption.mask @@ fun () ->
  Mutex.protect t.matching @@ fun () ->
  t.kept <- List.filter (fun (pattern, _) -> pattern.comm <> comm) t.kept

(* {1 For operations} *)

let over op (tell : unit -> unit) =
  Atomic.incr t.busy;
  External.incr ();
  push (Op (op, tell))

(* Waits shielded: MPI does not take an operation back. *)
let finished ~reason op =
  let suspend () =
    Dromos_suspend.suspend_shielded ~reason (fun resume ->
        over op (fun () -> ignore (resume (Ok ()) : bool));
        None)
  in
  if t.mode = One_thread then suspend ()
  else if not (Raw.test op) then
    Dromos.protect @@ fun () ->
    Look.wait
      (Look.kind (Hashtbl.hash reason))
      (fun () -> if Raw.test op then Some () else None)
      suspend

let source ~reason pattern =
  let at_once ~self:_ _ =
    match attempt (fun () -> try_take pattern) with
    | Ok op when op = Raw.none -> Waiter.Nothing
    | outcome -> Waiter.Done outcome
  in
  let enlist waiter =
    Atomic.incr (receiving pattern);
    External.incr ();
    push (Receive (pattern, waiter));
    Raw.kick
  in
  { Waiter.attempt = at_once; enlist; reason }

let wait ?timeout ~reason pattern =
  let suspend () =
    Dromos_sync.Author.Event.wait ?timeout (source ~reason pattern)
  in
  if t.mode = One_thread then suspend ()
  else
    let ask () =
      match attempt (fun () -> try_take pattern) with
      | Ok op -> if op = Raw.none then None else Some op
      | Error _ -> None (* [suspend] will get the same error from MPI *)
    in
    Look.wait (Look.kind (lane pattern)) ?most:timeout ask suspend

let pending () = Atomic.get t.busy

let probe pattern =
  call (fun () ->
      (* Preemption is masked: a preempted fiber would hold the lock. *)
      Dromos_sched.Preemption.mask @@ fun () ->
      Mutex.protect t.matching @@ fun () ->
      match extract pattern t.kept with
      | Some (op, _) -> Some (Raw.envelope op)
      | None -> (
          match Raw.iprobe pattern.comm pattern.from pattern.tag with
          | -1, _ -> None
          | found -> Some found))
