type 'a t = { cell : 'a Once.t; name : string option }

let create ?name () = { cell = Once.create (); name }
let full v = { cell = Once.closed v; name = None }
let peek t = Once.peek t.cell
let is_full t = Once.is_closed t.cell

let try_fill t v =
  Dromos_service.Stack_room.ensure 1;
  Once.close t.cell v

let fill t v =
  if not (try_fill t v) then
    invalid_arg (Event_core.reason "Ivar.fill" t.name ^ ": it is full already")

let read_source t =
  let reason = Event_core.reason "Ivar.read" t.name in
  Event_core.once_source ~reason t.cell Result.ok

let read_event t = Event_core.of_source (read_source t)

let read ?timeout t =
  match peek t with
  | Some v -> v
  | None -> Event_core.wait ?timeout (read_source t)
