open Dromos_fiber
module Figures = Runtime_figures

type 'a outcome = ('a, exn * Printexc.raw_backtrace) result
type ending = Figures.ending

type state =
  | Queued
  | Running of Scope.t
  | Stopping (* the task runs, and was cancelled *)
  | Over

type 'a t = {
  state : state Atomic.t;
  figures : Figures.cell;
  over : ending -> 'a outcome -> unit;
  left_queue : unit -> unit;
  mutable code : (unit -> 'a) option;
      (* [None] after a cancellation in the queue *)
  mutable outcome : 'a outcome option; (* written by the task's fiber *)
  accepted : int;
  mutable begun : int;
}

let was_cancelled () = Error (Cancel.Cancelled, Printexc.get_callstack 0)

let make ~figures ~over ~left_queue code =
  Figures.accepted figures;
  {
    state = Atomic.make Queued;
    figures;
    over;
    left_queue;
    code = Some code;
    outcome = None;
    accepted = Ticks.clock ();
    begun = 0;
  }

let become job before after = Atomic.compare_and_set job.state before after

let body job scope =
  if not (become job Queued (Running scope)) then raise Cancel.Cancelled;
  job.begun <- Ticks.clock ();
  Figures.begun job.figures ~waited:(job.begun - job.accepted);
  job.left_queue ();
  match job.code with None -> raise Cancel.Cancelled | Some code -> code ()

(* The scope is opened before the state becomes [Running], since {!cancel} needs the
   scope of a task in that state. *)
let run job =
  let cut_short = ref (fun () -> false) in
  let body scope =
    (cut_short := fun () -> Scope.was_cut_short scope);
    body job scope
  in
  match Scope.run body with
  | v ->
      let undone = Atomic.get job.state == Stopping && !cut_short () in
      job.outcome <- Some (if undone then was_cancelled () else Ok v)
  | exception e ->
      job.outcome <- Some (Error (e, Printexc.get_raw_backtrace ()))

(* Called by the caller that changed the state from [Queued]. *)
let withdrawn job =
  job.code <- None;
  Figures.withdrawn job.figures;
  job.left_queue ();
  job.over Cancelled (was_cancelled ())

let ended job ~cancelled =
  let outcome = Option.value job.outcome ~default:(was_cancelled ()) in
  let ending : ending =
    match outcome with
    | Ok _ -> Finished
    | Error (Cancel.Cancelled, _) when cancelled -> Cancelled
    | Error _ -> Failed
  in
  Figures.ended job.figures ~ran:(Ticks.clock () - job.begun) ending;
  job.over ending outcome

let finish job ~cancelled =
  match Atomic.exchange job.state Over with
  | Over -> ()
  | Queued -> withdrawn job
  | Running _ -> ended job ~cancelled
  | Stopping -> ended job ~cancelled:true

let rec cancel job =
  match Atomic.get job.state with
  | Over -> false
  | Stopping -> true
  | Queued ->
      if become job Queued Over then begin
        withdrawn job;
        true
      end
      else cancel job
  | Running scope as state ->
      if become job state Stopping then begin
        Scope.cancel scope;
        true
      end
      else cancel job
