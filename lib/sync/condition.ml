(* A task that waits puts a ticket into the wait queue ([line]), then unlocks
   the mutex, then waits for the ticket's verdict. The ticket is written once:
   by a signaller ([Signalled]), or by its task when the task stops waiting
   ([Left]). A signal is thus consumed by exactly one waiter. A task that leaves
   and finds its ticket signalled passes the signal on. *)

type verdict = Signalled | Left
type ticket = verdict Once.t
type t = { line : ticket Line.t Atomic.t; reason : string }

let gone = Once.is_closed

let create ?name () =
  let reason = Event_core.reason "Condition.wait" name in
  { line = Atomic.make Line.empty; reason }

let rec enlist t ticket =
  let seen = Atomic.get t.line in
  let next = Line.push ~gone seen ticket in
  if not (Atomic.compare_and_set t.line seen next) then enlist t ticket

let wake ticket = Once.close ticket Signalled

(* The ticket is written before the queue is changed, so a concurrent change of
   the queue is harmless: a signalled ticket counts as gone. *)
let rec signal t =
  Dromos_service.Stack_room.ensure 1;
  let seen = Atomic.get t.line in
  let install next = ignore (Atomic.compare_and_set t.line seen next : bool) in
  match Line.view ~gone seen with
  | Nobody -> if not (Line.is_empty seen) then install Line.empty
  | Again line ->
      install line;
      signal t
  | First (ticket, rest) -> if wake ticket then install rest else signal t

let rec broadcast t =
  Dromos_service.Stack_room.ensure 1;
  let seen = Atomic.get t.line in
  if not (Line.is_empty seen) then
    if Atomic.compare_and_set t.line seen Line.empty then
      Line.iter ~gone (fun ticket -> ignore (wake ticket : bool)) seen
    else broadcast t

(* {1 Waiting} *)

(* Takes the mutex in a shielded wait. Where a wait cannot be shielded, a
   cancellation ends the wait, and [shielded] tries again. A cancellation that
   comes once (an exception of a signal handler, in a plain thread) is overcome
   by the next attempt. A permanent cancellation would make the loop endless, so
   [tries] bounds it. *)
let rec shielded ~tries mutex =
  try Mutex_core.relock ~shielded:true mutex
  with _ when tries > 0 -> shielded ~tries:(tries - 1) mutex

(* Takes the mutex; the result is the exception that cancelled the caller
   meanwhile, if any. The shield is used only after a cancellation, so a
   scheduler that never cancels tasks need not handle shielded waits. *)
let relock mutex =
  match Mutex_core.relock ~shielded:false mutex with
  | () -> None
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      shielded ~tries:100 mutex;
      Some (e, bt)

let abandon t ticket = if not (Once.close ticket Left) then signal t
let source t ticket = Event_core.once_source ~reason:t.reason ticket Result.ok

let wait ?timeout t mutex =
  Dromos_service.Stack_room.ensure 3;
  let ticket = Once.create () in
  enlist t ticket;
  (match Mutex.unlock mutex with
  | () -> ()
  | exception e ->
      abandon t ticket;
      raise e);
  match Event_core.wait ?timeout (source t ticket) with
  | Signalled | Left -> (
      match relock mutex with
      | None -> ()
      | Some (e, bt) ->
          (* [wait] raises, so the caller has not used the signal: pass it
             on. *)
          signal t;
          Printexc.raise_with_backtrace e bt)
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      abandon t ticket;
      ignore (relock mutex : (exn * Printexc.raw_backtrace) option);
      Printexc.raise_with_backtrace e bt

let await ?timeout t mutex test =
  match timeout with
  | None ->
      while not (test ()) do
        wait t mutex
      done
  | Some seconds ->
      let start = Mtime_clock.counter () in
      let gone () = Mtime.Span.to_float_ns (Mtime_clock.count start) *. 1e-9 in
      while not (test ()) do
        let left = seconds -. gone () in
        if left <= 0. then raise Event.Timeout;
        wait ~timeout:left t mutex
      done
