(* The state of a round is one word. Arrived parties are counted, not listed;
   they wait for the gate. All decisions are compare-and-sets of this word: the
   last party replaces the round, and no party takes its arrival back after the
   round is over. *)

type round = { arrived : int; gate : unit Once.t }
type t = { round : round Atomic.t; parties : int; reason : string }

let fresh () = { arrived = 0; gate = Once.create () }

let create ?name parties =
  if parties < 1 then
    invalid_arg (Printf.sprintf "Barrier.create: %d parties" parties);
  let reason = Event_core.reason "Barrier.wait" name in
  { round = Atomic.make (fresh ()); parties; reason }

(* Returns the gate, and [true] if the caller was the last party. *)
let rec enter t =
  let seen = Atomic.get t.round in
  let last = seen.arrived + 1 = t.parties in
  let next =
    if last then fresh () else { seen with arrived = seen.arrived + 1 }
  in
  if not (Atomic.compare_and_set t.round seen next) then enter t
  else begin
    if last then ignore (Once.close seen.gate () : bool);
    (seen.gate, last)
  end

(* [false] if the round is over. *)
let rec leave t gate =
  let seen = Atomic.get t.round in
  seen.gate == gate
  &&
  let next = { seen with arrived = seen.arrived - 1 } in
  Atomic.compare_and_set t.round seen next || leave t gate

let source t gate = Event_core.once_source ~reason:t.reason gate Result.ok

let wait ?timeout t =
  Dromos_service.Stack_room.ensure 3;
  let gate, last = enter t in
  (if not last then
     try Event_core.wait ?timeout (source t gate)
     with e ->
       let bt = Printexc.get_raw_backtrace () in
       if leave t gate then Printexc.raise_with_backtrace e bt);
  last

let arrive t =
  Dromos_service.Stack_room.ensure 1;
  let gate, _ = enter t in
  Event_core.of_source (source t gate)

let parties t = t.parties
let arrived t = (Atomic.get t.round).arrived
