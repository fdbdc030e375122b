module Signals = Dromos_service.Signals

(* Compared by identity. *)
type entry = { poke : unit -> unit }

let parked : entry list Atomic.t = Atomic.make []

(* The number of the process whose helper thread serves; 0: none. A child that
   [Unix.fork] made finds its parent's number here, and has no helper. *)
let serving = Atomic.make 0

let become_helper () =
  let me = Unix.getpid () in
  let before = Atomic.get serving in
  before <> me && Atomic.compare_and_set serving before me

let every = 0.05 (* seconds *)
let idle_looks = 20

let rec update change =
  let entries = Atomic.get parked in
  if not (Atomic.compare_and_set parked entries (change entries)) then
    update change

(* {1 The helper} *)

let rec serve idle =
  Thread.delay every;
  let entries = Atomic.get parked in
  if entries <> [] then begin
    if Interruption.pending () then List.iter (fun { poke } -> poke ()) entries;
    serve 0
  end
  else if idle < idle_looks then serve (idle + 1)
  else begin
    Atomic.set serving 0;
    (* A thread that parked before [serving] was cleared saw a serving helper,
       and started none. *)
    if Atomic.get parked <> [] && become_helper () then serve 0
  end

let start () =
  if become_helper () then
    match Signals.making (fun () -> Thread.create serve 0) with
    | (_ : Thread.t) -> ()
    | exception _ -> Atomic.set serving 0

(* {1 Waiting} *)

let during ~poke wait =
  if not (Interruption.has_handlers ()) then wait ()
  else
    let entry = { poke } in
    update (List.cons entry);
    start ();
    Fun.protect wait ~finally:(fun () ->
        update (List.filter (fun other -> other != entry)))
