open Types
module Pool = Dromos_kernel.Pool
module Timer = Dromos_service.Timer
module Blocking = Dromos_service.Blocking
module Poller = Dromos_service.Poller
module Wait_graph = Dromos_sync.Author.Wait_graph
module Report = Deadlock_report

exception Deadlock = Wait_graph.Deadlock

let quiet () =
  match Wait_graph.mode with
  | Ok Ignore -> Quiet.create Settled
  | Ok (Report | Raise) -> Quiet.create Watching
  | Error text ->
      invalid_arg
        (Printf.sprintf
           "DROMOS_DEADLOCK=%s: expected report (the default), raise or ignore"
           text)

let raises = Wait_graph.mode = Ok Raise

let wants run =
  match Quiet.stage run.quiet with
  | Watching | Failed _ -> true
  | Settled | Abandoned _ -> false

(* {1 The names of fibers, for reports of locks} *)

(* Finds all [ids] in a single pass over the fibers. *)
let find ids =
  let found = Hashtbl.create 8 in
  let wanted = Hashtbl.of_seq (Seq.zip (List.to_seq ids) (Seq.repeat ())) in
  let note () fiber =
    if Hashtbl.mem wanted fiber.self_id then
      Hashtbl.replace found fiber.self_id fiber
  in
  let of_run run =
    Array.iter (fun w -> Registry.fold note () w.waiters) run.workers
  in
  List.iter of_run (Roster.runs ());
  note () (Fiber.current ());
  found

let name fiber = fiber.info.name

let describe ids =
  Ticks.now ();
  let found = find ids in
  fun id ->
    match Hashtbl.find_opt found id with
    | None -> ("", "")
    | Some fiber -> (name fiber, Format.asprintf "%a" Waiting.pp_details fiber)

let () =
  let one id =
    Option.fold ~none:"" ~some:name (Hashtbl.find_opt (find [ id ]) id)
  in
  let one_owner () =
    match Foreign.around () with
    | Some { scheduler; wrap = Some wrap; _ } ->
        Printf.sprintf
          "; inside %s the tasks of a thread are one owner, unless each is in \
           %s"
          scheduler wrap
    | Some { wrap = None; _ } | None -> ""
  in
  Dromos_sync.Author.Owner.set_name one;
  Dromos_sync.Author.Owner.set_hint one_owner;
  Wait_graph.set_details describe

(* {1 Quiet} *)

let every = 0.5
let looks = 2 (* without a change, each [every] after the look before *)
let looks_beside_others = 6 (* used while the rest of the process moves *)
let looks_if_ready = 20
(* used with runnable fibers: a runnable fiber may have
                           no core *)

(* [resting] and [tasks] read words that other domains write, without
   synchronisation. A deadlock lasts for seconds, so a stale value does no harm.
   A run is cancelled only if the collector confirms the deadlock, or if the
   user has chosen [DROMOS_DEADLOCK=raise]; any other finding is only a message.
   *)
let resting run =
  Array.for_all (fun w -> w.local.current == Fiber.nobody) run.workers

let tasks run = (Pool.counts run.pool).tasks

(* A run counts too: a run that has just begun, or ended, may wake fibers of other
   runs. *)
let all_tasks runs = List.fold_left (fun n run -> n + 1 + tasks run) 0 runs

(* Time limits do not count as pending work: a program that waits only for
   limits cannot go on. *)
let only_limits = 1_000 (* the most timers that are searched for other timers *)

let timers_pending () =
  let pending = Timer.pending () in
  pending > only_limits || (pending > 0 && pending > Timer.limits ())

let owed_from_outside () =
  Blocking.pending () > 0
  || Poller.pending () > 0
  || Dromos_suspend.External.pending () > 0
  || timers_pending ()

let note run =
  let runs = Roster.locked Roster.runs in
  let calm () = List.for_all resting runs && not (owed_from_outside ()) in
  Quiet.note run.quiet ~tasks:(tasks run) ~all:(all_tasks runs)
    ~resting:(resting run) ~calm

let is_calm run = Quiet.calm_looks run.quiet >= looks

let is_quiet run =
  Quiet.looks run.quiet >= if is_calm run then looks else looks_beside_others

(* The two functions read every fiber. [found] and [others_quiet] therefore make
   all other tests first. *)
let all_wait_of fibers = List.for_all Waiting.waits fibers

let all_wait run =
  Quiet.looks run.quiet >= looks_if_ready || all_wait_of (Waiting.alive run)

(* {1 Asking the collector}

   A question in vain doubles the wait for the next question about the run. All
   questions of the process together, after the first few, take a hundredth of
   the time. *)

(* The number of questions about all runs together, since a process may make new
   runs all the time. Written by the thread that looks. *)
let questions = ref 0
let free = 8
let not_before = ref 0 (* by [Ticks.clock] *)

let others_quiet run =
  let quiet other =
    other != run
    && Quiet.looks other.quiet >= looks
    && (not (Quiet.has_moved other.quiet ~tasks:(tasks other)))
    && resting other
    &&
    match Waiting.alive other with [] -> false | fibers -> all_wait_of fibers
  in
  List.filter quiet (Roster.locked Roster.runs)

let ask run =
  let started = Mtime_clock.counter () in
  let verdict = Unreachable.ask run ~also:(others_quiet run) in
  let seconds = Mtime.Span.to_float_ns (Mtime_clock.count started) *. 1e-9 in
  incr questions;
  if !questions >= free then
    not_before := Ticks.clock () + int_of_float (100. *. seconds *. 1e9);
  Quiet.asked run.quiet;
  verdict

(* {1 Acting} *)

let wait_of finding fiber =
  let since =
    match finding with
    | Report.Until_limit _ ->
        -1
        (* A fiber in a loop waits again and again: all its waits count as one,
           so they are reported once. *)
    | Hopeless | Doubtful _ | Asked_for -> fiber.since
  in
  (Fiber.id fiber, since)

let fail run ~waiting text =
  let e = Deadlock text in
  ignore (Suppressed.attach e (Report.pending_failures waiting) : _ list);
  Quiet.set_stage run.quiet (Failed e);
  Quiet.restart run.quiet;
  Scope.fail run.root e (Printexc.get_callstack 0)

(* Prints nothing if the last report had all these waits already. A cancellation
   is always reported. *)
let tell run (finding : Report.finding) =
  let waiting = Waiting.alive run and gone = Waiting.gone run in
  let fails =
    match finding with
    | Hopeless | Asked_for -> true
    | Until_limit _ | Doubtful _ -> false
  in
  let waits = List.map (wait_of finding) waiting in
  let reported =
    Hashtbl.of_seq
      (Seq.zip (List.to_seq (Quiet.reported run.quiet)) (Seq.repeat ()))
  in
  if fails || not (List.for_all (Hashtbl.mem reported) waits) then begin
    let text =
      Report.text run ~waiting ~gone ~calm:(is_calm run)
        ~quiet:(float_of_int (Quiet.looks run.quiet) *. every)
        finding
    in
    Dromos_service.Message.tell (if fails then Error else Warning) Deadlock text;
    Quiet.report run.quiet waits;
    if fails then fail run ~waiting text
  end

(* A thread of the program's own, or a signal handler, may wake the fibers in
   ways that this module cannot see. *)
let somebody_outside () = Interruption.guarded () || Interruption.own_threads ()
let alone () = not (somebody_outside ())
let far_away = 10. (* seconds: a nearer time limit is not worth a report *)
let in_vain run = Quiet.in_vain run.quiet ~calm:(is_calm run)

let doubtful run ~weakly =
  in_vain run;
  if is_calm run && alone () then tell run (Doubtful { weakly })

let look_into run =
  match ask run with
  | Woken -> ()
  | Unreachable -> tell run Hopeless
  | Weakly -> doubtful run ~weakly:true
  | Reachable -> doubtful run ~weakly:false
  | Until_limit ->
      let limit = Option.value (Timer.next_limit ()) ~default:Mtime.Span.zero in
      let seconds = Mtime.Span.to_float_ns limit *. 1e-9 in
      in_vain run;
      if seconds >= far_away then tell run (Until_limit seconds)

let due run =
  Ticks.clock () >= !not_before
  && Quiet.is_due run.quiet ~calm:(is_calm run) ~alone

let found run =
  let asked_for = raises && is_calm run in
  if
    (asked_for || due run)
    && (Waiting.alive run <> [] || Waiting.gone run > 0)
    && all_wait run
  then if asked_for then tell run Asked_for else look_into run

(* Cancellation wakes only waiting fibers. A runnable fiber that its scheduler
   has lost must run once more to notice the cancellation. [true] if there was
   such a fiber. *)
let release_ready run =
  let release fiber =
    match Handle.recover fiber.handle with
    | Some handle ->
        Actions.release handle;
        true
    | None -> Actions.give_up fiber.given
  in
  List.filter release (Waiting.alive run) <> []

(* The fibers were cancelled, and the run is quiet again: the fibers put
   cancellation off, or were collected. The run ends without them. *)
let abandon run e =
  Quiet.set_stage run.quiet (Abandoned e);
  Atomic.set run.over true;
  Pool.wake run.pool 0

let nobody_comes run =
  all_wait run
  && ((is_calm run && (raises || alone ()))
     || (due run && ask run = Unreachable.Unreachable))

let act run =
  match Quiet.stage run.quiet with
  | Settled | Abandoned _ -> ()
  | Watching -> found run
  | Failed e when nobody_comes run ->
      if release_ready run then begin
        Quiet.restart run.quiet
      end
      else abandon run e
  | Failed _ -> ()

(* {1 Looking}

   A single thread looks at a time, since a question to the collector concerns
   all quiet runs. A process that was forked during a look does not wait for its
   parent's look. *)

let looking = Atomic.make 0

let one_at_a_time f =
  let self = Unix.getpid () and other = Atomic.get looking in
  if other <> self && Atomic.compare_and_set looking other self then
    Fun.protect f ~finally:(fun () -> Atomic.set looking 0)

(* [true]: look again. *)
let look local =
  match local.serving with
  | Some worker
    when worker.id = 0 && worker.resting
         && (not (Atomic.get worker.run.over))
         && wants worker.run ->
      one_at_a_time (fun () ->
          note worker.run;
          if is_quiet worker.run then act worker.run);
      wants worker.run
  | Some _ | None -> false
