open Fiber
module Pool = Dromos_kernel.Pool
module Timer = Dromos_service.Timer
module Blocking = Dromos_service.Blocking
module Poller = Dromos_service.Poller

exception Deadlock of string

let first_line text =
  match String.index_opt text '\n' with
  | Some i -> String.sub text 0 i
  | None -> text

(* The whole text has been printed already. *)
let () =
  Printexc.register_printer (function
    | Deadlock text -> Some ("Dromos.Deadlock: " ^ first_line text)
    | _ -> None)

(* {1 What to do} *)

type mode = Report | Raise | Ignore

let mode =
  match Sys.getenv_opt "DROMOS_DEADLOCK" with
  | None | Some ("" | "report") -> Ok Report
  | Some "raise" -> Ok Raise
  | Some ("ignore" | "0") -> Ok Ignore
  | Some text -> Error text

let watched () =
  match mode with
  | Ok Ignore -> { seen = 0; quiet = 0; asked = false; stage = Settled }
  | Ok (Report | Raise) ->
      { seen = 0; quiet = 0; asked = false; stage = Watching }
  | Error text ->
      invalid_arg
        (Printf.sprintf
           "DROMOS_DEADLOCK=%s: expected report (the default), raise or ignore"
           text)

let wants run =
  match run.watched.stage with
  | Watching | Failed _ -> true
  | Settled | Abandoned _ -> false

(* {1 Quiet} *)

let every = 0.5
let looks = 2 (* without a change, each that long after the one before *)
let many_looks = 20 (* if a fiber is ready: its worker may have no core *)

(* Reads what other domains write without synchronisation, at leisure: what is
   looked for lasts for seconds, and what is found is either only said, or
   wanted by the user, or asked again of the collector. *)
let resting run =
  Array.for_all (fun w -> w.local.current == Fiber.nobody) run.workers

let owed_from_outside () =
  Timer.pending () > 0
  || Blocking.pending () > 0
  || Poller.pending () > 0
  || Dromos_suspend.External.pending () > 0

let executed runs =
  List.fold_left (fun n run -> n + 1 + (Pool.counts run.pool).tasks) 0 runs

(* Whether a second has gone by in which nothing moved. *)
let quiet run =
  let runs = Roster.locked Roster.runs in
  let { seen; quiet; _ } = run.watched in
  let now = executed runs in
  let still =
    now = seen && List.for_all resting runs && not (owed_from_outside ())
  in
  run.watched.seen <- now;
  run.watched.quiet <- (if still then quiet + 1 else 0);
  if not still then run.watched.asked <- false;
  still && run.watched.quiet >= looks
  && (run.watched.quiet >= many_looks
     || List.for_all Waiting.waits (Waiting.alive run))

(* {1 Whether anybody could wake them} *)

(* What finalisers report. Those of fibers that were reachable stay attached,
   and come late, to a list that is not open any more. *)
type finding = { mutable found : Fiber.t list; mutable is_open : bool }

let report finding fiber =
  if finding.is_open then finding.found <- fiber :: finding.found

let[@inline never] attach finding run =
  let fibers = Waiting.alive run in
  List.iter (Gc.finalise (report finding)) fibers;
  List.length fibers

(* The root is not lost: it has a finaliser too. *)
let[@inline never] let_go_of_root run =
  let root = run.root in
  let weak = Weak.create 1 in
  Weak.set weak 0 (Some root);
  let kept = ref None in
  Gc.finalise (fun root -> kept := Some root) root;
  run.root <- Fiber.nobody.scope;
  fun () ->
    (match (!kept, Weak.get weak 0) with
    | Some root, _ | None, Some root -> run.root <- root
    | None, None -> ());
    kept := None;
    Interruption.root_is_back run

(* A finaliser of the program's may raise, or wake somebody. *)
let collect () = try Gc.full_major () with _ -> ()

(* Finalisers of other domains' values run when these domains do. *)
let let_finalisers_run run =
  Array.iter (fun w -> Pool.wake run.pool w.id) run.workers;
  Thread.delay 0.05

type verdict = Unreachable | Reachable | Woken

let[@inline never] let_go_of_schedulers run =
  let back = Array.map (fun w -> Ready_queue.let_go w.queue) run.workers in
  fun () -> Array.iter (fun put_back -> put_back ()) back

let waiting run = List.length (List.filter Waiting.waits (Waiting.alive run))

(* A fiber that has been woken counts, even if its worker could not run it yet. *)
let ask_collector run =
  let finding = { found = []; is_open = true } and before = waiting run in
  let alive = attach finding run in
  let take_root_back = let_go_of_root run in
  let take_schedulers_back = let_go_of_schedulers run in
  collect ();
  take_root_back ();
  take_schedulers_back ();
  finding.is_open <- false;
  let unreachable = List.length finding.found in
  if unreachable = alive then let_finalisers_run run;
  let woken = waiting run < before in
  finding.found <- [];
  if woken || executed (Roster.locked Roster.runs) <> run.watched.seen then
    Woken
  else if unreachable = alive then Unreachable
  else Reachable

(* {1 What is said} *)

let most = 50
let fibers n = if n = 1 then "1 fiber" else Printf.sprintf "%d fibers" n

let head run n =
  Printf.sprintf
    "dromos: nothing has run for a second, and no timer, blocking call, \
     descriptor or announced wake-up is pending for the %s (hub %s, workers \
     %d):"
    (if n = 1 then "fiber that waits" else fibers n ^ " that wait")
    run.hub_name (Array.length run.workers)

(* Those that wait for their tasks first: they tell what the others belong to. *)
let listed waiting =
  let outer, inner = List.partition Waiting.for_its_tasks waiting in
  List.filteri (fun i _ -> i < most) (outer @ inner)
  |> List.map (Format.asprintf "  %a" Waiting.pp)

let not_listed waiting =
  let n = List.length waiting - most in
  if n > 0 then [ Printf.sprintf "  and %s more" (fibers n) ] else []

let places bt =
  String.split_on_char '\n' (Printexc.raw_backtrace_to_string bt)
  |> List.filteri (fun i place -> i < 5 && place <> "")

let collected gone =
  if gone > 0 then
    [ Printf.sprintf "  %s more, collected while waiting" (fibers gone) ]
  else []

let advice ~hopeless =
  match mode with
  | Ok Raise ->
      [
        "DROMOS_DEADLOCK=raise: they are cancelled, and Dromos.run raises \
         Dromos.Deadlock.";
      ]
  | Ok (Report | Ignore) | Error _ ->
      if hopeless then
        [
          "No variable, thread or scope that is still in use leads to them: \
           nobody can ever wake them.";
          "They are cancelled, and Dromos.run raises Dromos.Deadlock.";
        ]
      else
        [
          "The run goes on, since a thread or a callback may wake them \
           (Dromos_suspend.External announces that).";
          "DROMOS_DEADLOCK=raise has Dromos.run raise Dromos.Deadlock instead; \
           with DROMOS_DEADLOCK=ignore nobody looks.";
        ]

let hint =
  if Fiber.debug then []
  else [ "DROMOS_DEBUG=1 shows where fibers were made and where they wait." ]

(* A scope that has failed raises only when its fibers are over. *)
let pending_failures waiting =
  let add scopes scope =
    if List.memq scope scopes then scopes else scope :: scopes
  in
  let scopes =
    List.fold_left (fun all fiber -> add all fiber.scope) [] waiting
  in
  List.concat_map Scope.failures scopes

let failed waiting =
  match List.filteri (fun i _ -> i < most) (pending_failures waiting) with
  | [] -> []
  | failures ->
      let line (e, bt) =
        [ "  " ^ Printexc.to_string e ]
        @ List.map (fun place -> "    " ^ place) (places bt)
      in
      "These failures are not raised yet, since their scopes wait for the \
       fibers:"
      :: List.concat_map line failures

let text run ~waiting ~gone ~hopeless =
  (head run (List.length waiting) :: listed waiting)
  @ not_listed waiting @ collected gone @ failed waiting @ advice ~hopeless
  @ hint
  |> List.map (fun line -> line ^ "\n")
  |> String.concat ""

(* {1 Acting} *)

let fail run ~waiting text =
  let e = Deadlock text in
  ignore (Suppressed.attach e (pending_failures waiting) : _ list);
  run.watched.stage <- Failed e;
  run.watched.quiet <- 0;
  Scope.fail run.root e (Printexc.get_callstack 0)

let tell run ~hopeless =
  let waiting = Waiting.alive run and gone = Waiting.gone run in
  let text = text run ~waiting ~gone ~hopeless in
  Dromos_service.Message.print text;
  if hopeless || mode = Ok Raise then fail run ~waiting text
  else run.watched.stage <- Settled

(* A thread of the program's own, or a handler, may do what nobody here knows of. *)
let somebody_outside () =
  Interruption.guarded ()
  || Dromos_service.Own_threads.others ~besides:(Interruption.caller_threads ())

let looks_between = 16 (* at who is outside, once they have been found *)

let found run =
  let anybody () = Waiting.alive run <> [] || Waiting.gone run > 0 in
  let { asked; quiet; _ } = run.watched in
  if anybody () then
    if mode = Ok Raise then tell run ~hopeless:false
    else if
      (not asked) || (quiet mod looks_between = 0 && not (somebody_outside ()))
    then
      match ask_collector run with
      | Unreachable -> tell run ~hopeless:true
      | Reachable ->
          run.watched.asked <- true;
          if not (somebody_outside ()) then tell run ~hopeless:false
      | Woken -> ()

(* Cancellation wakes who waits; a fiber that is ready, and was forgotten by its
   scheduler, has to be run once more to meet it. Whether there was one. *)
let release_ready run =
  let release fiber =
    match Task.recover fiber.hand with
    | Some ready ->
        Task.release ready;
        true
    | None -> Task.give_up fiber.given
  in
  List.filter release (Waiting.alive run) <> []

let act run =
  match run.watched.stage with
  | Settled | Abandoned _ -> ()
  | Failed _ when release_ready run -> run.watched.quiet <- 0
  | Failed e ->
      (* Cancelled, and quiet again: they are protected from cancellation, or
         gone. Nobody will miss them. *)
      run.watched.stage <- Abandoned e;
      Atomic.set run.over true;
      Pool.wake run.pool 0
  | Watching -> found run

(* Whether to look again. *)
let look local =
  match local.serving with
  | Some worker
    when worker.id = 0 && worker.resting
         && (not (Atomic.get worker.run.over))
         && wants worker.run ->
      if quiet worker.run then act worker.run;
      wants worker.run
  | Some _ | None -> false
