open Types

(* {1 Notes}

   While the fiber does not wait, [waits] is a constant below, compared by
   address. Two threads write [waits], in order: first the fiber's worker,
   before any other thread has the resumer; then the call of the resumer that
   wins, before the fiber is published. Readers only make messages: they read
   without synchronisation, and may see an old note. *)

let awake = Nobody.awake
let for_tasks = "the tasks of its scope"
let ended = "(ended)"
let ticking = 255 (* a power of two less one *)

let[@inline never] register fiber =
  let id = Fiber.id fiber and { Info.holder; _ } = fiber.info in
  Info.numbered holder id;
  Registry.add fiber.worker.waiters fiber holder

(* Most fibers run under no action, now and before, so the store is behind a
   test. *)
let[@inline] notes_stack fiber =
  let actions = fiber.worker.actions in
  if fiber.stack != actions then fiber.stack <- actions

let[@inline] held fiber turn = Info.held fiber.info.holder turn
let[@inline] reason fiber reason = fiber.waits <- reason

let[@inline] suspends ?reason fiber =
  if fiber.since < 0 then register fiber;
  if fiber.worker.suspensions land ticking = 0 then Ticks.tick ();
  fiber.since <- Ticks.last ();
  notes_stack fiber;
  held fiber "";
  fiber.waits <-
    (match reason with
    | Some reason -> reason
    | None -> Dromos_suspend.reason ())

let queues fiber turn =
  if fiber.since < 0 then register fiber;
  fiber.since <- Ticks.last ();
  notes_stack fiber;
  held fiber turn;
  fiber.waits <- turn

let begins fiber =
  queues fiber "its start";
  fiber.stack <- []

let[@inline] goes_on fiber = fiber.waits <- awake

let[@inline] over fiber =
  if fiber.since >= 0 then begin
    held fiber "";
    fiber.waits <- ended;
    let worker = fiber.worker in
    worker.ended <- worker.ended + 1
  end

(* {1 Reading} *)

let waits fiber = fiber.waits != awake && fiber.waits != ended
let has_ended fiber = fiber.waits == ended
let for_its_tasks fiber = fiber.waits == for_tasks

let alive run =
  Ticks.now ();
  let add found fiber = if has_ended fiber then found else fiber :: found in
  let all =
    Array.fold_left
      (fun found worker -> Registry.fold add found worker.waiters)
      [] run.workers
  in
  List.sort (fun a b -> Int.compare a.self_id b.self_id) all

let gone run =
  let count n fiber = if has_ended fiber then n else n + 1 in
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
  let { Info.made_at; waits_at; _ } = fiber.info in
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
  let { Info.kind; name; _ } = fiber.info in
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
