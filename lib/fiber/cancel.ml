open Types
module Once = Dromos_sync.Author.Once

exception Cancelled

let () =
  Printexc.register_printer (function
    | Cancelled -> Some "Dromos.Cancelled"
    | _ -> None);
  Dromos_suspend.add_cancellation (function Cancelled -> true | _ -> false)

type t = node

let root () = Once.create ()
let is_cancelled = Once.is_closed
let cancel node = ignore (Once.close node Cancelled)

let attach node ~below =
  let place = Once.listen below (fun e -> ignore (Once.close node e)) in
  if place == Once.nobody then cancel node;
  place

let[@inline] pending (fiber : fiber) =
  fiber.shield = 0 && is_cancelled fiber.node && not (Guest.forbids fiber)

let[@inline] check fiber = if pending fiber then raise Cancelled

let told (fiber : fiber) e =
  if fiber.guests != [] && is_cancelled fiber.node && Guest.cancels fiber e then
    Cancelled
  else e
