open Dromos_fiber
open Types

type storage = Hmap.t
type 'a key = 'a Hmap.key

let empty = Hmap.empty
let new_key () = Hmap.Key.create ()
let add = Hmap.add
let current = Storage.current
let find_opt key = Hmap.find key (current ())
let set key v = Storage.set ~call:"Fls.set" (Hmap.add key v (current ()))
let remove key = Storage.set ~call:"Fls.remove" (Hmap.rem key (current ()))
let within = Storage.within
let let_ key v f = within (Hmap.add key v (current ())) f
let find_opt_in ready key = Hmap.find key ready.of_fiber.fls

let set_in ready key v =
  let fiber = ready.of_fiber in
  Surroundings.set_storage fiber (Hmap.add key v fiber.fls)

type outside = Types.outside = {
  read : unit -> storage;
  write : (storage -> unit) option;
  within : 'a. storage -> (unit -> 'a) -> 'a;
}

let provide = Storage.provide
