open Types
module Pool = Dromos_kernel.Pool

let every = 0.05 (* seconds *)

let sleeping local =
  match local.serving with
  | Some worker
    when worker.id = 0 && worker.resting && not (Atomic.get worker.run.over) ->
      Some worker
  | Some _ | None -> None

(* Worker 0's thread calls the handler as the thread leaves its sleep. *)
let see_to_signals worker =
  Ticks.tick ();
  Interruption.guard ();
  if Interruption.pending () then Pool.wake worker.run.pool worker.id;
  Interruption.guarded ()

(* The companion of another run may have taken the root out of the field, while
   that companion asks the collector. *)
let rec root run =
  if run.root == Nobody.scope then begin
    Thread.yield ();
    root run
  end
  else run.root

(* A fiber tells the failures, since the program's function may wait. *)
let see_to_failures local =
  match local.serving with
  | Some { id = 0; run; _ } when not (Atomic.get run.over) ->
      let due, left = Unhandled.due run in
      if due <> [] then
        Scope.post (root run) ~name:"on_unhandled" (fun () ->
            List.iter Unhandled.tell_orphan due);
      left
  | Some _ | None -> false

(* [check] clears [armed] before it looks. A worker that [check] finds awake may
   go to sleep during the look; the worker then sets [armed] again. *)
let companion local =
  let armed = Atomic.make false in
  let handlers = ref true and since_look = ref 0. in
  let interval () = if !handlers then every else Deadlock.every in
  let how_long () = if Atomic.get armed then interval () else -1.0 in
  let look_for_deadlock run passed =
    since_look := !since_look +. passed;
    if !since_look < Deadlock.every -. every then true
    else begin
      since_look := 0.;
      Dropped.look run;
      Deadlock.look local
    end
  in
  let check () =
    let passed = interval () in
    Atomic.set armed false;
    if see_to_failures local then Atomic.set armed true;
    match sleeping local with
    | None -> handlers := true
    | Some worker ->
        handlers := see_to_signals worker;
        let wanted = look_for_deadlock worker.run passed in
        if wanted || !handlers then Atomic.set armed true
  in
  let companion = Companion.start local ~every:how_long check in
  Companion.set_watch companion (fun () ->
      if not (Atomic.exchange armed true) then begin
        handlers := true;
        Companion.poke companion
      end);
  companion
