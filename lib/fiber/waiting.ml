open Fiber

(* {1 Making} *)

let plain ?(hands = Fiber.no_hands) kind =
  { kind; name = ""; made_at = None; waits_at = None; hands }

let a_task = plain "task"
let a_branch = plain "branch of a fork"
let a_first = plain "first fiber of the run"
let depth = 24

(* The result is the shared [info], unless there is a name, or the debug mode
   stores places in the record. *)
let make info name =
  if Fiber.debug then
    { info with name; made_at = Some (Printexc.get_callstack depth) }
  else if String.equal name "" then info
  else { info with name }

let info ?kind ?(name = "") ?hands () =
  match kind with
  | None -> make a_task name
  | Some kind -> make (plain ?hands kind) name

let[@inline] of_task name =
  match name with
  | None when not Fiber.debug -> a_task
  | None | Some _ -> info ?name ()

(* A branch is often published later than it was forked, and by a companion: the
   place of the publication would mislead. *)
let branch () = if Fiber.debug then { a_branch with name = "" } else a_branch
let first () = make a_first ""

(* {1 Notes}

   While the fiber does not wait, [waits] is a constant below, compared by
   address. Two threads write [waits], in order: first the fiber's worker,
   before any other thread has the resumer; then the call of the resumer that
   wins, before the fiber is published. Readers only make messages: they read
   without synchronisation, and may see an old note. *)

let awake = Fiber.awake
let for_tasks = "the tasks of its scope"
let ended = "(ended)"
let ticking = 255 (* a power of two less one *)

let[@inline never] register fiber =
  let id = Fiber.id fiber and hands = fiber.info.hands in
  if hands != Fiber.no_hands then hands.whose <- id;
  Registry.add fiber.worker.waiters fiber hands

(* Most fibers run under no action, now and before, so the store is behind a
   test. *)
let[@inline] notes_stack fiber =
  let actions = fiber.worker.actions in
  if fiber.stack != actions then fiber.stack <- actions

let[@inline] in_hands fiber turn =
  let hands = fiber.info.hands in
  if hands != Fiber.no_hands then hands.held_for <- turn

let[@inline] suspends fiber =
  if fiber.since < 0 then register fiber;
  if fiber.worker.suspensions land ticking = 0 then Ticks.tick ();
  fiber.since <- Ticks.last ();
  notes_stack fiber;
  in_hands fiber "";
  fiber.waits <- Dromos_suspend.reason ()

let queues fiber turn =
  if fiber.since < 0 then register fiber;
  fiber.since <- Ticks.last ();
  notes_stack fiber;
  in_hands fiber turn;
  fiber.waits <- turn

let stands_at fiber callstack = fiber.info.waits_at <- Some (callstack depth)
let[@inline] goes_on fiber = fiber.waits <- awake

let[@inline] over fiber =
  if fiber.since >= 0 then begin
    in_hands fiber "";
    fiber.waits <- ended;
    let worker = fiber.worker in
    worker.ended <- worker.ended + 1
  end

(* {1 Reading} *)

let waits fiber = fiber.waits != awake && fiber.waits != ended
let for_its_tasks fiber = fiber.waits == for_tasks

let alive run =
  Ticks.now ();
  let add found fiber =
    if fiber.waits == ended then found else fiber :: found
  in
  let all =
    Array.fold_left
      (fun found worker -> Registry.fold add found worker.waiters)
      [] run.workers
  in
  List.sort (fun a b -> Int.compare a.self_id b.self_id) all

let gone run =
  let count n fiber = if fiber.waits == ended then n else n + 1 in
  let left worker =
    Registry.added worker.waiters
    - worker.ended
    - Registry.fold count 0 worker.waiters
  in
  Int.max 0 (Array.fold_left (fun n w -> n + left w) 0 run.workers)

(* {1 Showing} *)

(* Places in these folders are not what users look for. *)
let ours =
  [
    "lib/dromos/";
    "lib/fiber/";
    "lib/sched/";
    "lib/sync/";
    "lib/suspend/";
    "lib/service/";
  ]

let is_ours file =
  List.exists (fun prefix -> String.starts_with ~prefix file) ours

let place slot =
  match Printexc.Slot.location slot with
  | Some { filename; line_number; _ } when not (is_ours filename) ->
      Some (Printf.sprintf "%s:%d" filename line_number)
  | Some _ | None -> None

let places ~most backtrace =
  match Option.bind backtrace Printexc.backtrace_slots with
  | None -> "an unknown place"
  | Some slots -> (
      match List.filter_map place (Array.to_list slots) with
      | [] -> "an unknown place"
      | found -> String.concat ", " (List.filteri (fun i _ -> i < most) found))

let pp_details ppf fiber =
  let { made_at; waits_at; _ } = fiber.info in
  if waits fiber then
    Format.fprintf ppf " for at least %.1f s"
      (float_of_int (Ticks.elapsed_since fiber.since) *. 1e-9);
  if fiber.shield > 0 && fiber.waits != for_tasks then
    Format.fprintf ppf ", protected from cancellation";
  if Option.is_some waits_at then
    Format.fprintf ppf ", at %s" (places ~most:3 waits_at);
  if Option.is_some made_at then
    Format.fprintf ppf ", made at %s" (places ~most:1 made_at)

let pp_as ~awake ppf fiber =
  let { kind; name; _ } = fiber.info in
  Format.fprintf ppf "fiber ";
  if fiber.self_id > 0 then Format.fprintf ppf "%d " fiber.self_id;
  if String.equal name "" then Format.fprintf ppf "(%s)" kind
  else Format.pp_print_string ppf (Dromos_service.Message.quoted name);
  if not (waits fiber) then Format.fprintf ppf " %s" awake
  else if String.equal fiber.waits "" then
    Format.fprintf ppf " waits on something that gave no name"
  else Format.fprintf ppf " waits on %s" fiber.waits;
  pp_details ppf fiber

let pp ppf fiber = pp_as ~awake:"runs, or is about to" ppf fiber
