(* Records without and with mutable fields; fields that are dropped. *)
type point = { x : int; y : int; z : int }
type box = { content : int }

type counter = {
  name : string;
  limit : int;
  mutable count : int;
  _0 : int;
  mutable total : int;
}

type operations = { size : unit -> int; at : int -> point }

let point x y = { z = 0; y; x }
let sum p = p.x + p.y + p.z
let box content = { content }
let unbox b = b.content
let counter limit = { name = "c"; limit; count = 0; _0 = 0; total = 0 }
let left c = c.limit - c.count + c.total

let step c =
  c.count <- c.count + 1;
  c.total <- c.total + 1

let same (a : counter) b = a == b
let operations p = { size = (fun () -> 1); at = (fun _ -> p) }
let sum_at o = sum (o.at (o.size () - 1))
