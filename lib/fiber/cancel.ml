open Fiber
module Broadcast = Dromos_sync.Broadcast

exception Cancelled

let () =
  Printexc.register_printer (function
    | Cancelled -> Some "Dromos.Cancelled"
    | _ -> None);
  Dromos_suspend.add_cancellation (function Cancelled -> true | _ -> false)

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

let inside fiber ~scope ~cancel ~shield f =
  let prev = fiber.top in
  let outer_scope = fiber.scope
  and outer_cancel = fiber.cancel
  and outer_shield = fiber.shield in
  let env =
    {
      in_scope = outer_scope;
      under = outer_cancel;
      shielded = outer_shield > 0;
      inherits = fiber.fls;
    }
  in
  let set top scope cancel shield =
    (* No allocation, so no poll point: a companion sees all or nothing. *)
    fiber.top <- top;
    fiber.scope <- scope;
    fiber.cancel <- cancel;
    fiber.shield <- shield
  in
  let border = Frame { code = ignore; cell = Border env; prev } in
  set border scope cancel shield;
  match f () with
  | v ->
      set prev outer_scope outer_cancel outer_shield;
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      set prev outer_scope outer_cancel outer_shield;
      Printexc.raise_with_backtrace e bt

let shielded fiber f =
  inside fiber ~scope:fiber.scope ~cancel:fiber.cancel
    ~shield:(fiber.shield + 1) f
