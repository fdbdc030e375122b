module Broadcast = Dromos_sync.Broadcast

exception Cancelled

type t = Fiber.cancel

let root () = Broadcast.create ()
let is_cancelled = Broadcast.is_closed
let cancel node = ignore (Broadcast.close node Cancelled)

let attach node ~below =
  let place =
    Broadcast.listen below (fun e -> ignore (Broadcast.close node e))
  in
  if place == Broadcast.nobody then cancel node;
  place

let[@inline] pending (fiber : Fiber.t) =
  fiber.shield = 0 && is_cancelled fiber.cancel

let[@inline] check fiber = if pending fiber then raise Cancelled

let shielded (fiber : Fiber.t) f =
  fiber.shield <- fiber.shield + 1;
  match f () with
  | v ->
      fiber.shield <- fiber.shield - 1;
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      fiber.shield <- fiber.shield - 1;
      Printexc.raise_with_backtrace e bt
