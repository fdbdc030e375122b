open Types

let[@inline] enter fiber = fiber.masked <- fiber.masked + 1
let[@inline] leave fiber = fiber.masked <- fiber.masked - 1

let during fiber f x =
  enter fiber;
  match f x with
  | v ->
      leave fiber;
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      leave fiber;
      Printexc.raise_with_backtrace e bt

let call f x =
  let fiber = Local.fiber () in
  if fiber == Nobody.fiber then f x else during fiber f x
