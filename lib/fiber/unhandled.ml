open Types
open Orphan
module Message = Dromos_service.Message

type t = Orphan.receiver

let standard =
  { tell = (fun ~what e bt -> Message.failure ~what e bt); reads = false }

let in_runtime runtime =
  {
    standard with
    tell = (fun ~what e bt -> Message.failure ~what ~runtime e bt);
  }

let told_to ?runtime f =
  let tell ~what e bt =
    try f e bt
    with again ->
      let bt_again = Printexc.get_raw_backtrace () in
      Message.failure ~what ?runtime e bt;
      Message.failure ~what:"on_unhandled" ?runtime again bt_again
  in
  { tell; reads = true }

let tell t ~what e bt = t.tell ~what e bt

(* Runs [f] with cancellation put off: the program's function may wait, also in
   a cancelled fiber. *)
let shielded f =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody || Fiber.is_host fiber then f ()
  else Surroundings.shielded fiber f

let follow ?shown scope e failures =
  match Suppressed.attach ?shown e failures with
  | [] -> ()
  | failures ->
      let what =
        if Dromos_suspend.is_cancellation e then "a part of a cancelled scope"
        else
          Printf.sprintf "a part that ended after %s, which is raised,"
            (Printexc.to_string e)
      in
      shielded (fun () ->
          List.iter (fun (e, bt) -> tell scope.unhandled ~what e bt) failures)

(* {1 Notes} *)

let patience = 1_000_000_000 (* ns *)

let rec push run orphan =
  let notes = Atomic.get run.notes in
  if not (Atomic.compare_and_set run.notes notes (orphan :: notes)) then
    push run orphan
  else if notes = [] then begin
    run.ask_workers ();
    run.workers.(0).local.watch ()
  end

let note scope ?name ~awaited e bt =
  let orphan =
    {
      awaited;
      error = (e, bt);
      failed_at = Ticks.clock ();
      told = Atomic.make false;
      what =
        (match name with
        | None -> "a task that is not awaited"
        | Some name ->
            Printf.sprintf "task %s, which is not awaited,"
              (Dromos_service.Message.quoted name));
      receiver = scope.unhandled;
      its_fls = Storage.current ();
    }
  in
  push scope.scope_run orphan;
  orphan

let is_unread orphan =
  not (orphan.awaited () || (orphan.receiver.reads && Atomic.get orphan.told))

let is_open orphan = not (Atomic.get orphan.told || orphan.awaited ())

let tell_orphan orphan =
  if (not (orphan.awaited ())) && not (Atomic.exchange orphan.told true) then
    let { what; error = e, bt; receiver; its_fls; _ } = orphan in
    Storage.within its_fls (fun () ->
        shielded (fun () -> tell receiver ~what e bt))

(* {1 The failures that a scope keeps} *)

(* Called when the list has doubled. Drops failures that an awaiter, or the
   receiver of the reports, has read. Of the failures that were reported, keeps
   only the oldest: the scope raises these. *)
let prune orphans =
  let unread = List.filter is_unread orphans in
  let newer = List.length unread - (Suppressed.most + 1) in
  List.filteri
    (fun i (orphan : Orphan.t) -> i >= newer || not (Atomic.get orphan.told))
    unread

let rec keep_in scope orphan =
  let old = Atomic.get scope.orphans in
  let kept, limit =
    if old.length < old.limit then (old.kept, old.limit)
    else
      let kept = prune old.kept in
      (kept, Int.max 16 (2 * List.length kept))
  in
  let length = if kept == old.kept then old.length else List.length kept in
  let orphans = { kept = orphan :: kept; length = length + 1; limit } in
  if not (Atomic.compare_and_set scope.orphans old orphans) then
    keep_in scope orphan

let keep scope ?name ~awaited e bt =
  keep_in scope (note scope ?name ~awaited e bt)

let unread scope =
  List.rev (Atomic.get scope.orphans).kept
  |> List.filter is_unread
  |> List.map (fun { error; _ } -> error)

(* {1 Telling} *)

let due run =
  match Atomic.exchange run.notes [] with
  | [] -> ([], false)
  | notes ->
      let limit = Ticks.clock () - patience in
      let wanted = List.filter is_open (List.rev notes) in
      let due, early = List.partition (fun o -> o.failed_at <= limit) wanted in
      List.iter (push run) early;
      (due, early <> [])

let settle scope =
  let orphans = List.rev (Atomic.get scope.orphans).kept in
  match List.filter (fun orphan -> not (orphan.awaited ())) orphans with
  | unread when scope.unhandled.reads ->
      List.iter tell_orphan unread;
      []
  | unread ->
      List.iter (fun orphan -> Atomic.set orphan.told true) unread;
      List.map (fun orphan -> orphan.error) unread

let at_exit runs =
  List.iter
    (fun run -> List.iter tell_orphan (List.rev (Atomic.exchange run.notes [])))
    runs
