open Fiber
module Mask = Dromos_service.Mask
module Signals = Dromos_service.Signals

type mode = Forced | Polled

(* {1 Seats}

   A single thread acts for a worker; the other threads of the worker's crowd
   wait in their seats. A thread that hands over writes the worker's [local]
   first; the mutex orders this write before the actions of the other thread. *)

let seat_of local =
  match local.seat with
  | Some seat -> seat
  | None ->
      let seat =
        {
          place = local;
          mutex = Mutex.create ();
          bell = Condition.create ();
          sitter = Thread.self ();
          called = false;
        }
      in
      local.seat <- Some seat;
      seat

let sit seat =
  Mutex.lock seat.mutex;
  while not seat.called do
    Condition.wait seat.bell seat.mutex
  done;
  seat.called <- false;
  Mutex.unlock seat.mutex

let call worker seat =
  worker.local <- seat.place;
  Mutex.lock seat.mutex;
  seat.called <- true;
  Condition.signal seat.bell;
  Mutex.unlock seat.mutex

let without seat = List.filter (fun other -> other != seat)

(* {1 Resuming}

   The acting thread runs [resume] in a piece of the fiber, and waits until it
   acts again. Two crowds may exist while a fiber waits under a C frame
   ({!Parking}). The crowd that acts has its own threads only, so [resume] keeps
   a fiber of the other crowd in [deferred]. *)

let hand_over worker seat =
  let mine = seat_of worker.local and crowd = worker.crowd in
  crowd.parked <- without seat crowd.parked;
  crowd.spares <- mine :: crowd.spares;
  call worker seat;
  sit mine

let rec resume worker fiber crowd seat () =
  let here = worker.local in
  Hub_door.close here;
  here.current <- Fiber.nobody;
  if worker.crowd == crowd then hand_over worker seat
  else crowd.deferred <- in_hands worker fiber crowd seat :: crowd.deferred

and in_hands worker fiber crowd seat =
  let go = Atomic.make (resume worker fiber crowd seat) in
  let ready = { of_fiber = fiber; home = worker.id; go } in
  fiber.hand <- ready;
  ready

(* {1 Preempting} *)

let spare worker crowd () =
  let local = Fiber.local () in
  local.serving <- Some worker;
  worker.local <- local;
  Task.settle worker;
  crowd.serve ();
  local.serving <- None;
  Fiber.release local

let next_carrier worker =
  let crowd = worker.crowd in
  match crowd.spares with
  | seat :: spares ->
      crowd.spares <- spares;
      call worker seat
  | [] ->
      let act () =
        Signals.serving worker.run.mask (fun () -> spare worker crowd ())
      in
      let thread = Signals.making (Thread.create act) in
      crowd.threads <- thread :: crowd.threads

let park local worker fiber =
  Hub_door.close local;
  let crowd = worker.crowd and seat = seat_of local in
  Quantum.over worker;
  let ready = in_hands worker fiber crowd seat in
  crowd.preemptions <- crowd.preemptions + 1;
  crowd.parked <- seat :: crowd.parked;
  Task.leave_word worker fiber (Forward (Preempt ready));
  (match next_carrier worker with
  | () -> sit seat
  | exception _ ->
      (* No thread can take over, so the fiber goes on. *)
      Most_parked.refused worker "the system has no thread left for another one";
      ignore (Task.claim ready : Task.claim);
      crowd.parked <- without seat crowd.parked;
      Task.leave_word worker Fiber.nobody Fiber.stop);
  local.current <- fiber;
  Hub_door.open_ local;
  (* A worker that always has a fiber to run never asks for frames. *)
  if not (Fiber.is_nil fiber.frames.top) then Task.promote_oldest fiber

let may_park worker =
  List.compare_length_with worker.crowd.parked (Most_parked.get ()) < 0

let interrupted fiber = fiber.interruptible > 0 && Cancel.pending fiber

(* A cancelled fiber ends soon anyway, and need not let other fibers go
   first. *)
let stop_here local worker fiber =
  if interrupted fiber then Quantum.over worker else park local worker fiber;
  if interrupted fiber then raise Cancel.Cancelled

(* The limit of attempts that find the standard library's code; the clock asks
   again after a part of the quantum. A program that computes for long inside
   such code, in a function given to [Format] or in a lazy value, is preempted
   in the end. *)
let most_put_off = 400

let is_in_the_way { crowd; _ } =
  if crowd.put_off < most_put_off && Unsafe_code.running () then begin
    crowd.put_off <- crowd.put_off + 1;
    true
  end
  else begin
    crowd.put_off <- 0;
    false
  end

let at_poll () =
  match Fiber.find_local () with
  | Some
      ({ hub_open = true; serving = Some worker; current = fiber; _ } as local)
    when Quantum.is_forced worker && fiber != Fiber.nobody
         && worker.local == local && fiber.masked = 0
         && (not (Mask.on ()))
         && may_park worker
         && not (is_in_the_way worker) ->
      stop_here local worker fiber
  | Some _ | None -> ()

(* {1 Serving} *)

let idle worker = worker.crowd.parked = []

let act_again worker seat =
  worker.crowd.spares <- without seat worker.crowd.spares;
  call worker seat

(* Each spare acts in turn, finds that the worker may be left, and ends. *)
let rec send_away worker =
  match worker.crowd.spares with
  | [] -> ()
  | seat :: _ ->
      act_again worker seat;
      Thread.join seat.sitter;
      send_away worker

let rec dismiss worker ~owner =
  let crowd = worker.crowd in
  match crowd.parked with
  | seat :: _ ->
      (* The run was given up while threads hold fibers: the fibers run to their
         ends. *)
      hand_over worker seat;
      dismiss worker ~owner
  | [] when worker.local == owner ->
      send_away worker;
      List.iter Thread.join crowd.threads;
      crowd.threads <- [];
      worker.local <- owner
  | [] ->
      let is_owner seat = seat.place == owner in
      Option.iter (act_again worker) (List.find_opt is_owner crowd.spares)

(* {1 The clock} *)

(* A clock. [seen] and [since]: for each worker, the piece at the last look, and
   the time of the first look at that piece. *)
type t = {
  run : run;
  mode : mode;
  quantum : float;
  seen : int array;
  since : float array;
  users : int Atomic.t;
      (* the number of [start] calls that the clock serves;
                           -1: over *)
}

let lock = Mutex.create ()
let watched : t list ref = ref []
let ticking = ref false
let locked f = Signals.protect lock f

(* Called with the lock held, so that the domain lives. *)
let interrupt worker ~mode ~at_once =
  let polled = mode = Polled || not (may_park worker) in
  if polled && mode = Forced then
    Most_parked.refused worker "no more are allowed";
  Quantum.set_due worker ~polled ~at_once;
  if not polled then Nudge.nudge worker.local.domain

let look t now (worker : Fiber.worker) =
  let id = worker.id and slices = worker.slices in
  if worker.local.current == Fiber.nobody || t.seen.(id) <> slices then begin
    t.seen.(id) <- slices;
    t.since.(id) <- now
  end
  else if now -. t.since.(id) >= t.quantum then
    interrupt worker ~mode:t.mode ~at_once:false

(* Called with the lock held. A [Polled] mark would prevent the [Forced] mark of
   the same piece. *)
let overruled t =
  t.mode = Polled
  && List.exists (fun u -> u.run == t.run && u.mode = Forced) !watched

let look_at_all t now =
  if not (overruled t) then Array.iter (look t now) t.run.workers

(* Called with the lock held. *)
let drop_unused () =
  let used t = not (Atomic.compare_and_set t.users 0 (-1)) in
  watched := List.filter used !watched

(* The clock finds the end of a quantum at most this fraction of the quantum
   late. *)
let parts = 4.
let least = 0.00025 (* seconds *)

let rec tick () =
  let quanta = List.map (fun t -> t.quantum) !watched in
  let shortest = List.fold_left Float.min 1.0 quanta in
  Unix.sleepf (Float.max least (shortest /. parts));
  let now = Int64.to_float (Mtime_clock.elapsed_ns ()) *. 1e-9 in
  let go_on =
    locked (fun () ->
        drop_unused ();
        List.iter (fun t -> look_at_all t now) !watched;
        if !watched = [] then ticking := false;
        !ticking)
  in
  if go_on then tick ()

(* Reads [watched] without the lock. A thread that turns preemption on at this
   moment loses nothing, since no quantum is over yet. *)
let signal (worker : Fiber.worker) =
  if !watched <> [] then
    locked (fun () ->
        List.iter
          (fun t ->
            if t.run == worker.run && Atomic.get t.users > 0 then
              interrupt worker ~mode:t.mode ~at_once:true)
          !watched)

let make run ~quantum mode =
  let n = Array.length run.workers in
  {
    run;
    mode;
    quantum;
    seen = Array.make n (-1);
    since = Array.make n 0.;
    users = Atomic.make 1;
  }

let rec join t =
  let users = Atomic.get t.users in
  users >= 0 && (Atomic.compare_and_set t.users users (users + 1) || join t)

(* Called with the lock held. *)
let find run ~quantum mode =
  let joined t =
    t.run == run && t.mode = mode && t.quantum = quantum && join t
  in
  List.find_opt joined !watched

let start run ~quantum mode =
  ignore (Most_parked.get () : int);
  Nudge.install at_poll;
  let t, first =
    locked (fun () ->
        let t =
          match find run ~quantum mode with
          | Some t -> t
          | None ->
              let t = make run ~quantum mode in
              watched := t :: !watched;
              t
        in
        let first = not !ticking in
        ticking := true;
        (t, first))
  in
  if first then Dromos_service.Host.thread tick;
  t

(* The clock drops an unused [Polled] clock later, so that successive calls
   share the clock. A [Forced] clock must stop looking at the run at once. *)
let stop t =
  Atomic.decr t.users;
  if t.mode = Forced then locked drop_unused

let leave worker ~outer =
  locked (fun () -> worker.local <- Fiber.nobody.worker.local);
  worker.crowd <- outer;
  let deferred = outer.deferred in
  outer.deferred <- [];
  List.iter Task.release deferred

type counts = { preemptions : int; refused : int; parked : int; threads : int }

let counts run =
  let add counts { crowd; _ } =
    {
      preemptions = counts.preemptions + crowd.preemptions;
      refused = counts.refused + Atomic.get crowd.refused;
      parked = counts.parked + List.length crowd.parked;
      threads = counts.threads + List.length crowd.threads;
    }
  in
  Array.fold_left add
    { preemptions = 0; refused = 0; parked = 0; threads = 0 }
    run.workers
