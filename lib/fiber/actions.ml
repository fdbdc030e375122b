open Types

let is_root worker = match worker.actions with [] -> true | _ :: _ -> false

let set_next worker fiber directive =
  worker.next <- directive;
  worker.next_by <- fiber

(* [ends] may compute or even wait, and a preemption stores a directive too, so
   [finish] stores the directive last. *)
let finish fiber directive =
  (match directive with
  | Run _ -> ()
  | Forward _ ->
      Masked.enter fiber;
      Waiting.over fiber;
      fiber.ends ());
  set_next fiber.worker fiber directive

(* {1 Coming back} *)

let rec taker = function
  | [] -> None
  | { action = { ready_again = Some give; turn; _ }; _ } :: _ ->
      Some (turn, give)
  | { action = { ready_again = None; _ }; _ } :: below -> taker below

let look_around worker =
  if Turns.time_to_look worker.turns ~slices:worker.slices then
    worker.run.look_around worker

(* An action is not preempted: it holds handles of fibers. *)
let act owner action signal =
  Masked.enter owner;
  Slice.handled
    (fun signal ->
      let directive = action.act signal in
      Masked.leave owner;
      finish owner directive)
    signal

(* The functions from here to [to_root] refer to each other: a directive may
   release a fiber, whose next kernel task carries out directives. *)
let rec enter fiber context go =
  let worker = Worker.of_task fiber.worker.run context in
  Slice.run worker fiber go ();
  run_all worker;
  look_around worker

and run_all worker =
  if not (worker.next == Nobody.stop && is_root worker) then begin
    let directive = worker.next and owner = worker.next_by in
    set_next worker Nobody.fiber Nobody.stop;
    carry_out worker owner directive;
    run_all worker
  end
  else if worker.next_by != Nobody.fiber then worker.next_by <- Nobody.fiber

and carry_out worker owner = function
  | Run { action; fiber; _ } as directive ->
      (* A directive that {!give_up} has taken since it was checked runs
         nothing: its action then gets [Stop]. *)
      let go = Handle.take directive in
      Waiting.goes_on fiber;
      worker.actions <- { action; owner } :: worker.actions;
      Slice.run worker fiber go ()
  | Forward signal -> (
      match (worker.actions, signal) with
      | [], Stop -> ()
      | [], Preempt handle -> release handle
      | { action; owner } :: below, signal ->
          worker.actions <- below;
          (match signal with
          | Stop -> ()
          | Preempt handle -> Waiting.queues handle.of_fiber action.turn);
          if worker.due > 0 then Quantum.over worker;
          Slice.run worker owner (act owner action) signal)

and release handle =
  match Handle.claim handle with
  | Resumed | Superseded -> ()
  | Go go -> to_root handle.home handle.of_fiber go

and to_root home fiber go =
  Waiting.goes_on fiber;
  let at = if home < 0 then fiber.pin else home in
  Publish.fiber ~at fiber.worker Yield fiber (fun context ->
      enter fiber context go)

let come_back worker actions fiber go =
  match taker actions with
  | Some (turn, give) ->
      (* Messages name the scheduler that drops the fiber. *)
      Waiting.queues fiber turn;
      give (Handle.make fiber go)
  | None ->
      Publish.fiber worker Unblock fiber (fun context -> enter fiber context go)

let give_up directive =
  let go = Handle.take directive in
  match directive with
  | Run { fiber; _ } when go != Handle.resumed ->
      to_root fiber.handle.home fiber go;
      true
  | Run _ | Forward _ -> false

let set_aside worker =
  let actions = worker.actions in
  worker.actions <- [];
  fun () -> worker.actions <- actions
