open Fiber

type candidate = { frame : frame; env : env }

let env_of fiber =
  {
    in_scope = fiber.scope;
    under = fiber.cancel;
    shielded = fiber.shield > 0;
    inherits = fiber.fls;
  }

(* Frames are promoted oldest first, so the promoted ones are the oldest of the
   chain, and a walk can stop at the first of them.

   A walk over d frames takes 1 + d/64 of them, so that it costs no more than
   publishing what it found does: one frame per walk would make deep recursions
   quadratic. Nothing is allocated until the last of them, since a minor
   collection would scan the deep stack each time. *)
let share latent = 1 + (latent / 64)

let rec count n (Frame fork as frame) =
  if Fiber.is_nil frame then n
  else
    match fork.cell with
    | Promoted _ -> n
    | Border _ -> count n fork.prev
    | Latent -> count (n + 1) fork.prev

(* The latent frames but the newest [skip], oldest first. *)
let rec but_newest skip acc env (Frame fork as frame) =
  if Fiber.is_nil frame then acc
  else
    match fork.cell with
    | Promoted _ -> acc
    | Border outer -> but_newest skip acc outer fork.prev
    | Latent ->
        if skip > 0 then but_newest (skip - 1) acc env fork.prev
        else but_newest 0 ({ frame; env } :: acc) env fork.prev

let oldest fiber top =
  match count 0 top with
  | 0 -> []
  | n -> but_newest (n - share n) [] (env_of fiber) top

(* One walk, since the chain may be very long. *)
let all fiber = but_newest 0 [] (env_of fiber) fiber.top

(* Between the tests and the store there is no poll point (the join is made
   before), so a companion and the fiber never both mark a frame, and neither
   marks one that the other has seen leave the chain. *)
let mark ?still (Frame fork) =
  let join = Promoted { state = Join.create (); branch = Cancel.root () } in
  let chain_is_current =
    match still with
    | None -> true
    | Some (local, fiber, top) -> local.current == fiber && fiber.top == top
  in
  match fork.cell with
  | Latent when chain_is_current ->
      fork.cell <- join;
      true
  | Latent | Promoted _ | Border _ -> false
