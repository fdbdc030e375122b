(* Numbers, bools, operators. *)
let answer = 42
let nobody = -1
let flag = true
let unit_ = ()
let alias = answer
let arithmetic a b = (a + b - 1) * (a / b) mod -3
let bits a b = a land b lor (a lxor (b lsl 2))
let next a = succ a
let negated a = -a
let between lo (x : int) hi = lo <= x && x < hi
let outside lo (x : int) hi = x < lo || x >= hi
let more (a : int) b = a > b
let differ a b = a <> nobody && b <> nobody && a <> b
let same (a : bool) b = a == b || not (a = b)
let greatest = max_int
let pair a b = (a, b, 0)

let swap p =
  let a, b = p in
  (b, a)

let first p = fst p
let second p = snd p
let certain a = assert (a > 0)
let impossible () = assert false
let relax () = Domain.cpu_relax ()
