type t = int * int

let get (k : Core.fiber) = k.of_fiber.came_at
let set (k : Core.fiber) place = k.of_fiber.came_at <- place
let same (k : Core.fiber) (other : Core.fiber) = k.of_fiber == other.of_fiber
