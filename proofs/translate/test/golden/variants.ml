(* Every shape of variant, made and matched; labels in blocks. *)
type color = Red | Green | Blue
type one = One of int
type two = Left of int | Right of { a : int; b : int }
type 'a cell = Empty | Busy | Full of 'a
type 'a tree = Leaf | Node of 'a tree * 'a * 'a tree

type many =
  | None_yet
  | Never
  | Number of int
  | Pair of int * int
  | Ref of { mutable r : int }

let blue = Blue
let busy = Busy
let some x = Some x
let none = None
let one x = One x
let left x = Left x
let right a b = Right { b; a }
let full x = Full x
let three = Left 3
let some_pair = Some (0, Left 1)
let node x = Node (Leaf, x, Leaf)
let never = Never
let pair a b = Pair (a, b)
let ref_ r = Ref { r }
let cons x l = x :: l
let index c = match c with Red -> 0 | Green -> 1 | Blue -> 2
let is_green c = match c with Green -> true | _ -> false
let is_blue c = c == Blue
let of_one o = match o with One x -> x
let get o = match o with Some x -> x | None -> 0
let size t = match t with Left a -> a | Right r -> r.a + r.b
let of_cell c = match c with Full x -> x | Busy -> 1 | Empty -> 0
let is_full c = match c with Full _ -> true | _ -> false
let or_else o other = match o with Some _ as found -> found | None -> other
let whole o = match o with None -> None | some -> some
let rec depth t = match t with Leaf -> 0 | Node (l, _, _) -> 1 + depth l
let rec length l n = match l with [] -> n | _ :: rest -> length rest (n + 1)

let of_many m =
  match m with
  | Never -> 0
  | None_yet -> 1
  | Number n -> n
  | Pair (a, b) -> a + b
  | Ref r -> r.r

let is_never m = match m with Never -> true | _ -> false
