open Fiber
module Once = Dromos_sync.Once

exception Cancelled

let () =
  Printexc.register_printer (function
    | Cancelled -> Some "Dromos.Cancelled"
    | _ -> None);
  Dromos_suspend.add_cancellation (function Cancelled -> true | _ -> false)

type t = Fiber.cancel

let root () = Once.create ()
let is_cancelled = Once.is_closed
let cancel node = ignore (Once.close node Cancelled)

let attach node ~below =
  let place = Once.listen below (fun e -> ignore (Once.close node e)) in
  if place == Once.nobody then cancel node;
  place

let[@inline] pending (fiber : Fiber.t) =
  fiber.shield = 0 && is_cancelled fiber.cancel && not (Guest.forbids fiber)

let[@inline] check fiber = if pending fiber then raise Cancelled

let told (fiber : Fiber.t) e =
  if fiber.guests != [] && is_cancelled fiber.cancel && Guest.cancels fiber e
  then Cancelled
  else e

let inside ?fls fiber ~scope ~cancel ~shield f =
  let prev = fiber.frames.top in
  let outer_scope = fiber.scope
  and outer_cancel = fiber.cancel
  and outer_shield = fiber.shield
  and outer_fls = fiber.fls in
  let env =
    {
      in_scope = outer_scope;
      under = outer_cancel;
      shielded = outer_shield > 0;
      inherits = outer_fls;
    }
  in
  let set top scope cancel shield fls =
    (* No poll point separates the stores, which allocate nothing: a publisher
       thread sees either all stores or none. *)
    fiber.frames.top <- top;
    fiber.scope <- scope;
    fiber.cancel <- cancel;
    fiber.shield <- shield;
    fiber.fls <- fls
  in
  let border = { code = ignore; cell = Border env; prev } in
  set (Frame border) scope cancel shield (Option.value fls ~default:outer_fls);
  (* {!Latent.mark} may have replaced the node meanwhile. *)
  let restore () =
    let node =
      match border.cell with
      | Border env -> env.under
      | Latent | Owned _ | Promoted _ -> outer_cancel
    in
    let fls = match fls with None -> fiber.fls | Some _ -> outer_fls in
    set prev outer_scope node outer_shield fls
  in
  match f () with
  | v ->
      restore ();
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      restore ();
      Printexc.raise_with_backtrace e bt

let shielded fiber f =
  inside fiber ~scope:fiber.scope ~cancel:fiber.cancel
    ~shield:(fiber.shield + 1) f
