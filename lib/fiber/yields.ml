open Types

let patience = 60

(* At a fiber's first yield, or after a yield on another worker, [others] means
   nothing, and may be negative. Each yield sets [yielded_at] again, so the error
   does not last. *)
let are_many fiber =
  let { slices; _ } = fiber.worker in
  let others = slices - fiber.yielded_at - 1 in
  fiber.yielded_at <- slices;
  fiber.yields <- fiber.yields + 1;
  let due = fiber.yields > patience && fiber.yields > 4 * others in
  if due then fiber.yields <- 0;
  due
