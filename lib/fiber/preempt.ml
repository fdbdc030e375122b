open Types
module Mask = Dromos_service.Mask
module Signals = Dromos_service.Signals

type mode = Forced | Polled

(* {1 Slots}

   A single thread acts for a worker; the worker's other threads wait in their
   slots. A thread that hands over writes the worker's [local] first; the slot
   orders this write before the actions of the other thread. *)

let slot_of local =
  match local.slot with
  | Some slot -> slot
  | None ->
      let slot = Slot.make local in
      local.slot <- Some slot;
      slot

let call worker slot =
  Worker.acts worker (Slot.place slot);
  Slot.call slot

let without slot = List.filter (fun other -> other != slot)

(* {1 Resuming}

   The acting thread runs [resume] in a piece of the fiber, and waits until it
   acts again. A worker may have two groups of threads while a fiber waits under
   a C frame ({!Parking}). The group that acts calls its own threads only, so
   [resume] keeps a fiber of the other group in [deferred]. *)

let hand_over worker slot =
  let mine = slot_of worker.local and threads = worker.threads in
  threads.parked <- without slot threads.parked;
  threads.spares <- mine :: threads.spares;
  call worker slot;
  Slot.wait mine

let rec resume worker fiber threads slot () =
  let here = worker.local in
  Hub_door.close here;
  Local.runs_none here;
  if worker.threads == threads then hand_over worker slot
  else threads.deferred <- handle worker fiber threads slot :: threads.deferred

and handle worker fiber threads slot =
  Handle.make ~home:worker.id fiber (resume worker fiber threads slot)

(* {1 Preempting} *)

let spare worker threads () =
  let local = Local.get () in
  Local.serves local (Some worker);
  Worker.acts worker local;
  Actions.run_all worker;
  threads.serve ();
  Local.serves local None;
  Local.release local

let next_carrier worker =
  let { threads; _ } = worker in
  match threads.spares with
  | slot :: spares ->
      threads.spares <- spares;
      call worker slot
  | [] ->
      let act () =
        Signals.serving worker.run.mask (fun () -> spare worker threads ())
      in
      let thread = Signals.making (Thread.create act) in
      threads.made <- thread :: threads.made

let park local worker fiber =
  Hub_door.close local;
  let { threads; _ } = worker and slot = slot_of local in
  Quantum.over worker;
  let handle = handle worker fiber threads slot in
  threads.preemptions <- threads.preemptions + 1;
  threads.parked <- slot :: threads.parked;
  Actions.set_next worker fiber (Forward (Preempt handle));
  (match next_carrier worker with
  | () -> Slot.wait slot
  | exception _ ->
      (* No thread can take over, so the fiber goes on. *)
      Most_parked.refused worker "the system has no thread left for another one";
      ignore (Handle.claim handle : Handle.claim);
      threads.parked <- without slot threads.parked;
      Actions.set_next worker Fiber.nobody Nobody.stop);
  Local.runs local fiber;
  Hub_door.open_ local;
  (* Publish a frame now: workers that always have a fiber to run never ask for
     frames, and the branch would then begin only when this fiber comes to it.
     *)
  if not (Frame.is_nil fiber.frames.top) then Promotion.oldest fiber

let may_park worker =
  List.compare_length_with worker.threads.parked (Most_parked.get ()) < 0

let interrupted fiber = fiber.interruptible > 0 && Cancel.pending fiber

(* A cancelled fiber ends soon anyway, and need not let other fibers go
   first. *)
let stop_here local worker fiber =
  if interrupted fiber then Quantum.over worker else park local worker fiber;
  if interrupted fiber then raise Cancel.Cancelled

(* A fiber in code of the standard library ([Unsafe_code]) is not preempted; the
   clock asks again after a part of the quantum. After [most_put_off] such
   attempts in a row the fiber is preempted nevertheless: a function given to
   [Format], or a lazy value, may compute for very long. *)
let most_put_off = 400

let is_in_the_way { threads; _ } =
  if threads.put_off < most_put_off && Unsafe_code.running () then begin
    threads.put_off <- threads.put_off + 1;
    true
  end
  else begin
    threads.put_off <- 0;
    false
  end

let interruptible fiber f =
  Dromos_service.Stack_room.ensure 1;
  fiber.interruptible <- fiber.interruptible + 1;
  Fun.protect f ~finally:(fun () ->
      fiber.interruptible <- fiber.interruptible - 1)

let at_poll () =
  match Local.find () with
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

let idle worker = worker.threads.parked = []

let act_again worker slot =
  let { threads; _ } = worker in
  threads.spares <- without slot threads.spares;
  call worker slot

(* Each spare acts in turn, finds that the worker may be left, and ends. *)
let rec send_away worker =
  match worker.threads.spares with
  | [] -> ()
  | slot :: _ ->
      act_again worker slot;
      Thread.join (Slot.thread slot);
      send_away worker

let rec dismiss worker ~owner =
  let { threads; _ } = worker in
  match threads.parked with
  | slot :: _ ->
      (* The run was given up while threads hold fibers: the fibers run to their
         ends. *)
      hand_over worker slot;
      dismiss worker ~owner
  | [] when worker.local == owner ->
      send_away worker;
      List.iter Thread.join threads.made;
      threads.made <- [];
      Worker.acts worker owner
  | [] ->
      let is_owner slot = Slot.place slot == owner in
      Option.iter (act_again worker) (List.find_opt is_owner threads.spares)

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

let look t now (worker : worker) =
  let id = worker.id and slices = worker.slices in
  if worker.local.current == Fiber.nobody || t.seen.(id) <> slices then begin
    t.seen.(id) <- slices;
    t.since.(id) <- now
  end
  else if now -. t.since.(id) >= t.quantum then
    interrupt worker ~mode:t.mode ~at_once:false

(* [true]: the clock must mark no worker, since the run has a [Forced] clock
   too. A [Polled] mark would prevent the [Forced] mark of the same piece.
   Called with the lock held. *)
let overruled t =
  t.mode = Polled
  && List.exists (fun u -> u.run == t.run && u.mode = Forced) !watched

let look_at_all t now =
  if not (overruled t) then Array.iter (look t now) t.run.workers

(* Called with the lock held. *)
let drop_unused () =
  let used t = not (Atomic.compare_and_set t.users 0 (-1)) in
  watched := List.filter used !watched

(* The clock looks [parts] times in the shortest quantum, but waits for at least
   [least] between two looks. It finds the end of a quantum one such wait late
   at most. *)
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
let signal (worker : worker) =
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

let enter worker local ~serve =
  let outer = worker.threads in
  Worker.acts worker local;
  worker.threads <- Nobody.threads ~serve;
  outer

let leave worker ~outer =
  locked (fun () -> Worker.acts worker Nobody.local);
  worker.threads <- outer;
  let deferred = outer.deferred in
  outer.deferred <- [];
  List.iter Actions.release deferred

type counts = { preemptions : int; refused : int; parked : int; threads : int }

let counts run =
  let add (counts : counts) ({ threads; _ } : worker) =
    {
      preemptions = counts.preemptions + threads.preemptions;
      refused = counts.refused + Atomic.get threads.refused;
      parked = counts.parked + List.length threads.parked;
      threads = counts.threads + List.length threads.made;
    }
  in
  Array.fold_left add
    { preemptions = 0; refused = 0; parked = 0; threads = 0 }
    run.workers
