type t = { left : int Atomic.t; gate : unit Ivar.t; name : string option }

let create ?name n =
  if n < 0 then invalid_arg (Printf.sprintf "Latch.create: %d steps" n);
  let gate = if n = 0 then Ivar.full () else Ivar.create () in
  { left = Atomic.make n; gate; name }

let rec count_down ?(by = 1) t =
  let left = Atomic.get t.left in
  if by < 0 || by > left then
    invalid_arg
      (Printf.sprintf "%s: %d steps, and there are %d left"
         (Event.reason "Latch.count_down" t.name)
         by left);
  if not (Atomic.compare_and_set t.left left (left - by)) then count_down ~by t
  else if by > 0 && by = left then Ivar.fill t.gate ()

let source t = Ivar.source ~reason:(Event.reason "Latch.wait" t.name) t.gate
let wait_event t = Event.of_source (source t)
let wait ?timeout t = Event.wait ?timeout (source t)
let count t = Atomic.get t.left
