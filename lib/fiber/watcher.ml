open Fiber
module Pool = Dromos_kernel.Pool

let every = 0.05 (* seconds *)

let sleeping local =
  match local.serving with
  | Some worker
    when worker.id = 0 && worker.resting && not (Atomic.get worker.run.over) ->
      Some worker
  | Some _ | None -> None

(* The handler is called in worker 0's thread, as it leaves its sleep. *)
let see_to_signals worker =
  Ticks.tick ();
  Interruption.guard ();
  if Interruption.pending () then Pool.wake worker.run.pool worker.id;
  Interruption.guarded ()

(* Another run's companion may have taken it out while it asks the collector. *)
let rec root run =
  if run.root == Fiber.nobody.scope then begin
    Thread.yield ();
    root run
  end
  else run.root

(* By a fiber, since the program's function may wait. *)
let see_to_failures local =
  match local.serving with
  | Some { id = 0; run; _ } when not (Atomic.get run.over) ->
      let due, left = Unhandled.due run in
      if due <> [] then
        Scope.post (root run) ~name:"on_unhandled" (fun () ->
            List.iter Unhandled.tell_orphan due);
      left
  | Some _ | None -> false

(* [armed] is lowered before the look, so that a worker which goes to sleep
   during it, after having been found awake, raises it again. *)
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
  local.watch <-
    (fun () ->
      if not (Atomic.exchange armed true) then begin
        handlers := true;
        Companion.poke companion
      end);
  companion
