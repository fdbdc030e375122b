type t = { left : int Atomic.t; gate : unit Once.t; name : string option }

let create ?name n =
  if n < 0 then invalid_arg (Printf.sprintf "Latch.create: %d steps" n);
  let gate = if n = 0 then Once.closed () else Once.create () in
  { left = Atomic.make n; gate; name }

let rec count_down ?(by = 1) t =
  Dromos_service.Stack_room.ensure 1;
  let left = Atomic.get t.left in
  if by < 0 || by > left then
    invalid_arg
      (Printf.sprintf "%s: %d steps, and there are %d left"
         (Event_core.reason "Latch.count_down" t.name)
         by left);
  if not (Atomic.compare_and_set t.left left (left - by)) then count_down ~by t
  else if by > 0 && by = left then ignore (Once.close t.gate () : bool)

let source t =
  let reason = Event_core.reason "Latch.wait" t.name in
  Event_core.once_source ~reason t.gate Result.ok

let wait_event t = Event_core.of_source (source t)
let wait ?timeout t = Event_core.wait ?timeout (source t)
let count t = Atomic.get t.left
