open Types
module Pool = Dromos_kernel.Pool
module Output = Dromos_service.Output
module Signals = Dromos_service.Signals
module Host = Dromos_service.Host

let domains () = !Roster.alive

(* {1 Serving} *)

(* [true] hints that another worker has a frame to publish; the read is not
   synchronised. Frames are promoted oldest first, so the newest frame
   decides. *)
let rec has_latent (Frame newest as frame) =
  (not (Frame.is_nil frame))
  &&
  match newest.cell with
  | Latent | Owned _ -> true
  | Promoted _ -> false
  | Border _ -> has_latent newest.prev

(* [true]: the fiber has some frame. Other domains must not read a frame where
   tasks have heaps, so the test does not look inside the frame there. The
   calling thread must not hold a frame at a poll point either, and the entry of
   a recursive function, [has_latent], is a poll point. *)
let[@inline] may_have_latent frame =
  (not (Frame.is_nil frame)) && (Task_heap.keeps_frames || has_latent frame)

let may_have_task other =
  other.run.deques = Private
  &&
  match other.kernel with
  | None -> false
  | Some context -> Pool.has_work context

let ask_for_work worker =
  let look other =
    let fiber = other.local.current in
    if
      other != worker && fiber != Fiber.nobody
      && (may_have_latent fiber.frames.top || may_have_task other)
    then other.local.ask ()
  in
  Array.iter look worker.run.workers

(* A caller gets its companion thread when its run first becomes parallel or
   first sleeps. Before, the process has no thread of ours that [Unix.fork]
   could lose. A child process that was forked later, beside a companion, makes
   a companion of its own. *)
let with_companion local =
  let make () =
    match Watcher.companion local with
    | companion ->
        let stop () = Companion.stop companion in
        let lives () = Companion.lives companion in
        Local.has_companion local { stop; lives }
    | exception (Unix.Unix_error _ | Sys_error _) ->
        (* Without a companion, a fiber publishes at its own forks only. *)
        ()
  in
  match local.companion with
  | Some companion when companion.lives () -> ()
  | Some _ | None -> make ()

(* Writes the output of the worker's tasks, if the worker serves on a domain of
   ours. A thread that is parked in the middle of a fiber may be in the middle
   of a line. *)
let print_out worker =
  match worker.threads.parked with
  | [] ->
      Output.flush ();
      Worker.is_written worker
  | _ :: _ -> Output.pass_on ()

(* Worker 0 is the caller, which outlives the run: the caller's companion
   watches the run. *)
let rest worker =
  Worker.rests worker;
  Turns.rested worker.turns;
  Made.forget worker.unbegun;
  Ticks.tick ();
  if not worker.written then print_out worker;
  ask_for_work worker;
  if worker.id = 0 then begin
    with_companion worker.local;
    worker.local.watch ()
  end

let look_around worker =
  if worker.id = 0 then Interruption.guard ();
  ask_for_work worker

(* An exception that reaches the loop comes from no fiber. The exception is
   asynchronous and met no guard ({!Interruption}, {!Gc_guard}): a handler was
   just installed, or the system has no guards. The worker must go on, since other workers
   count on it. *)
let rec serve_on worker ~until =
  match Pool.serve worker.run.pool ~worker:worker.id ~until with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Local.runs_none worker.local;
      Hub_door.close worker.local;
      Pool.recover worker.run.pool worker.id;
      Interruption.record worker.run e bt;
      if not (until ()) then serve_on worker ~until

(* The thread leaves a worker only after all threads of the worker's have released
   their fibers, or when the run is given up. *)
let serve worker ~until =
  let local = Local.get () in
  let outer = local.serving in
  let over () = Atomic.get worker.run.over in
  let until () = until () && (over () || Preempt.idle worker) in
  let serve () =
    serve_on worker ~until;
    Preempt.dismiss worker ~owner:local
  in
  Local.serves local (Some worker);
  let outer_threads = Preempt.enter worker local ~serve in
  serve ();
  Local.serves local outer;
  Preempt.leave worker ~outer:outer_threads

let serve_once worker ~until =
  Fun.protect
    (fun () ->
      Local_await.serving ~own_domain:false (fun () -> serve worker ~until))
    ~finally:(fun () ->
      match Local.find () with
      | Some { serving = None; outside = None; _ } as found ->
          Option.iter Local.release found
      | Some _ | None -> ())

(* {1 Pool domains} *)

let park_seconds = 0.05
let rest_check_seconds = 0.1

(* The bounds of [patience], in nanoseconds. A run that follows another run at
   once finds its workers awake: waking a domain takes some 50 us. *)
let most_patience = 200_000
let least_patience = 1_000

let new_helper () : Roster.helper =
  let wake_out, wake_in = Unix.pipe ~cloexec:true () in
  Unix.set_nonblock wake_in;
  { job = None; asleep = false; patience = 50_000; wake_in; wake_out }

(* Called with the lock held, so that the pool domain cannot have ended. *)
let poke (helper : Roster.helper) =
  if Roster.wakes_up helper then
    match Unix.write helper.wake_in (Bytes.make 1 '!') 0 1 with
    | _ -> ()
    | exception Unix.Unix_error ((EAGAIN | EINTR), _, _) -> ()

(* Sleeps until there is a job, or for at least [park_seconds]. *)
let rec sleep (helper : Roster.helper) =
  match Unix.select [ helper.wake_out ] [] [] park_seconds with
  | [], _, _ -> ()
  | _ -> ignore (Unix.read helper.wake_out (Bytes.create 16) 0 16)
  | exception Unix.Unix_error (EINTR, _, _) -> sleep helper
  | exception Unix.Unix_error (EINVAL, _, _) -> Thread.delay 0.01

let rec look_out (helper : Roster.helper) ~until =
  if Option.is_none helper.job && Ticks.clock () < until then begin
    Domain.cpu_relax ();
    look_out helper ~until
  end

(* A pool domain looks for a job before it sleeps; the sooner jobs came, the
   longer it looks. The domain does not look if a caller might need the
   processor. *)
let park (helper : Roster.helper) =
  let parked = Ticks.clock () in
  if !Roster.alive < Domain.recommended_domain_count () then
    look_out helper ~until:(parked + helper.patience);
  if Roster.locked (fun () -> Roster.falls_asleep helper) then sleep helper;
  helper.patience <-
    (if Ticks.clock () - parked < most_patience then
       Int.min most_patience (2 * helper.patience)
     else Int.max least_patience (helper.patience / 2))

(* Looks into the hub once, as this worker, and runs the task that the look
   finds.

   A publisher first hands the task to the hub and then reads [vacant]. A worker
   that leaves first raises [vacant] ({!Roster.announce}) and then looks into
   the hub. Either the publisher thus asks for a worker, which
   {!Roster.stays_or_release} sees, or the leaving worker finds the task and
   stays. *)
let last_look worker =
  let looked = ref false in
  let until () =
    let stop = !looked in
    looked := true;
    stop
  in
  serve worker ~until

(* [true]: the domain becomes the service domain. *)
let rec work (helper : Roster.helper) worker =
  let over () = Atomic.get worker.run.over in
  serve worker ~until:(fun () ->
      worker.stop_requested || over () || Host.is_wanted ());
  let must_go = over () || worker.over_quota in
  Worker.answers_request worker;
  if Host.claim () then begin
    Output.flush ();
    Roster.locked (fun () -> Roster.give_up helper);
    true
  end
  else if must_go then begin
    Output.flush ();
    Roster.locked (fun () -> Roster.release helper worker);
    false
  end
  else begin
    Roster.locked (fun () -> Roster.announce worker);
    last_look worker;
    Output.flush ();
    if Roster.locked (fun () -> Roster.stays_or_release helper worker) then
      work helper worker
    else begin
      (* A frame that was linked between the worker's rest and [announce] may be
         unpublished, since no worker was idle, and the frame's fiber may not
         fork again. *)
      ask_for_work worker;
      false
    end
  end

(* [true]: domains must not end. A domain of the pool ran the code that set
   [keeps_domains], perhaps for a run other than the domain's last run, so all
   active runs count. *)
let kept () =
  List.exists (fun { keeps_domains; _ } -> keeps_domains) (Roster.runs ())

(* Runs the pool domain's jobs; [true] if the domain becomes the service domain.
   {!Host} may count on a parked domain that retires, so a retiring domain
   offers itself, too. *)
let rec live (helper : Roster.helper) =
  match helper.job with
  | Some worker ->
      let { backtraces; _ } = worker.run in
      if Printexc.backtrace_status () <> backtraces then
        Printexc.record_backtrace backtraces;
      let hosts = ref false in
      Signals.serving worker.run.mask (fun () ->
          worker.run.attend worker.id (fun () -> hosts := work helper worker));
      !hosts || live helper
  | None ->
      park helper;
      if Roster.locked (fun () -> (not (kept ())) && Roster.retire helper) then
        Host.claim ()
      else live helper

let wake_borrowed run =
  Array.iter (fun w -> if w.id > 0 then Pool.wake run.pool w.id) run.workers

(* Called by {!Host}: wakes the pool domains that serve. Parked domains come by
   themselves. *)
let lend () =
  let lends, runs =
    Roster.locked (fun () -> (!Roster.lively > 0, Roster.runs ()))
  in
  if lends then List.iter wake_borrowed runs;
  lends

let () = Host.set_lender lend

(* The companion of a pool domain calls [check_rest] every [rest_check_seconds].
   A worker that rests at two calls in a row leaves its role. At the first of
   the two, the companion asks once more for a frame that was linked after the
   worker went to sleep and is still unpublished. *)
let check_rest (helper : Roster.helper) was_resting () =
  match helper.job with
  | Some worker when worker.resting ->
      if !was_resting then begin
        Worker.ask_to_leave worker;
        Pool.wake worker.run.pool worker.id
      end
      else ask_for_work worker;
      was_resting := not !was_resting
  | Some _ | None -> was_resting := false

let companion_of local helper =
  match
    Companion.start local
      ~every:(fun () -> rest_check_seconds)
      (check_rest helper (ref false))
  with
  | companion -> Some companion
  | exception (Unix.Unix_error _ | Sys_error _) -> None

(* A domain that gets no companion (no thread or no descriptor is left) ends, as
   if the domain had not been spawned. *)
let helper_domain (helper : Roster.helper) () =
  Output.install ();
  let hosts =
    match companion_of (Local.get ()) helper with
    | None ->
        Roster.locked (fun () -> Roster.failed helper);
        false
    | Some companion ->
        Roster.locked Roster.began;
        let hosts =
          Local_await.serving ~own_domain:true (fun () -> live helper)
        in
        Companion.stop companion;
        hosts
  in
  Unix.close helper.wake_in;
  Unix.close helper.wake_out;
  if hosts then Host.serve ()

(* Called without the lock, since spawning takes a while. Signals are blocked,
   so an exception here means that the system refused a domain. *)
let spawn helper =
  Minor_stops.watch ();
  match Signals.making (fun () -> Domain.spawn (helper_domain helper)) with
  | (_ : unit Domain.t) -> ()
  | exception _ -> Roster.locked (fun () -> Roster.failed helper)

let after_poke (answer : Roster.answer) =
  (match answer with Poke helper -> poke helper | Nothing | Spawn _ -> ());
  answer

let carry_out (answer : Roster.answer) =
  match answer with Nothing | Poke _ -> () | Spawn helper -> spawn helper

let request run =
  (match Local.find () with
  | Some ({ serving = Some worker; _ } as local)
    when worker.run == run && worker.id = 0 ->
      with_companion local
  | Some _ | None -> ());
  match
    Roster.locked (fun () ->
        match Roster.find run with
        | Some entry -> after_poke (Roster.request new_helper entry)
        | None -> Nothing)
  with
  | answer -> carry_out answer
  | exception Sys_error _ ->
      (* This thread holds the lock: the thread is in a signal handler or a
         finaliser that interrupted the code under the lock. The next
         publication asks again. *)
      ()

(* {1 Runs} *)

(* [change] alters the set of active runs, and with the set the bound. *)
let rebalance change =
  let excess, answers =
    Roster.locked (fun () ->
        change ();
        let answers = Roster.reconsider new_helper in
        (Roster.excess (), List.map after_poke answers))
  in
  List.iter (fun worker -> Pool.wake worker.run.pool worker.id) excess;
  List.iter carry_out answers

let enter run ~asked = rebalance (fun () -> Roster.enter run ~asked)

let leave run =
  rebalance (fun () -> Roster.leave run);
  wake_borrowed run;
  Roster.wait_until_written run
