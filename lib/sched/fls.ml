open Fiber

type storage = Hmap.t
type 'a key = 'a Hmap.key

let empty = Hmap.empty
let key () = Hmap.Key.create ()
let add = Hmap.add
let current () = (Fiber.current ()).fls
let find key = Hmap.find key (current ())

let change call f =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then Misplaced.no_fiber call
  else fiber.fls <- f fiber.fls

let set key v = change "Fls.set" (Hmap.add key v)
let remove key = change "Fls.remove" (Hmap.rem key)

let let_ key v f =
  let before = current () in
  set key v;
  Fun.protect f ~finally:(fun () -> change "Fls.let_" (fun _ -> before))

let find_in ready key = Hmap.find key ready.of_fiber.fls

let set_in ready key v =
  let fiber = ready.of_fiber in
  fiber.fls <- Hmap.add key v fiber.fls
