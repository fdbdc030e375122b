(* Weight-balanced trees: the weight of a subtree is its size plus one, and each of two
   siblings has at least 0.29 of their common weight. All operations use [join], which
   joins two trees and the element between them. *)

type t =
  | Leaf
  | Node of {
      left : t;
      low : int;
      high : int;
      right : t;
      size : int;
      reach : int; (* the greatest [high] *)
    }

type both = (unit -> t) -> (unit -> t) -> t * t

let empty = Leaf
let size = function Leaf -> 0 | Node n -> n.size
let reach = function Leaf -> min_int | Node n -> n.reach
let weight t = size t + 1

(* Compares integers, without the polymorphic comparison. *)
let compare (low, high) low' high' =
  if low <> low' then Int.compare low low' else Int.compare high high'

let node left (low, high) right =
  Node
    {
      left;
      low;
      high;
      right;
      size = size left + size right + 1;
      reach = Int.max high (Int.max (reach left) (reach right));
    }

(* {1 Joining} *)

(* 0.29 of the weight of both; section 5.4 of Just join gives the permitted values. *)
let light a b = 100 * weight a < 29 * (weight a + weight b)
let alike a b = not (light a b || light b a)

let rotate_left = function
  | Node { left; low; high; right = Node r; _ } ->
      node (node left (low, high) r.left) (r.low, r.high) r.right
  | t -> t

let rotate_right = function
  | Node { left = Node l; low; high; right; _ } ->
      node l.left (l.low, l.high) (node l.right (low, high) right)
  | t -> t

(* Joins a lighter [right], by descending the right spine of [left]. *)
let rec join_right left k right =
  if alike left right then node left k right
  else
    match left with
    | Leaf -> node left k right
    | Node l -> (
        let here = (l.low, l.high) in
        match join_right l.right k right with
        | Node r as joined when not (alike l.left joined) ->
            if alike l.left r.left && alike (node l.left here r.left) r.right
            then rotate_left (node l.left here joined)
            else rotate_left (node l.left here (rotate_right joined))
        | joined -> node l.left here joined)

let rec join_left left k right =
  if alike left right then node left k right
  else
    match right with
    | Leaf -> node left k right
    | Node r -> (
        let here = (r.low, r.high) in
        match join_left left k r.left with
        | Node l as joined when not (alike joined r.right) ->
            if alike l.right r.right && alike l.left (node l.right here r.right)
            then rotate_right (node joined here r.right)
            else rotate_right (node (rotate_left joined) here r.right)
        | joined -> node joined here r.right)

let join left k right =
  if light right left then join_right left k right
  else if light left right then join_left left k right
  else node left k right

(* {1 Sets} *)

let rec split t k =
  match t with
  | Leaf -> (Leaf, false, Leaf)
  | Node n ->
      let here = (n.low, n.high) in
      let order = compare k n.low n.high in
      if order = 0 then (n.left, true, n.right)
      else if order < 0 then
        let l, found, r = split n.left k in
        (l, found, join r here n.right)
      else
        let l, found, r = split n.right k in
        (join n.left here l, found, r)

let rec split_last = function
  | Leaf -> invalid_arg "Interval_tree.split_last"
  | Node { left; low; high; right = Leaf; _ } -> (left, (low, high))
  | Node { left; low; high; right; _ } ->
      let rest, last = split_last right in
      (join left (low, high) rest, last)

let join2 left right =
  match left with
  | Leaf -> right
  | Node _ ->
      let rest, last = split_last left in
      join rest last right

let add k t =
  let left, _, right = split t k in
  join left k right

let remove k t =
  let left, found, right = split t k in
  if found then join2 left right else t

let small = 128

let rec union (both : both) a b =
  match (a, b) with
  | Leaf, t | t, Leaf -> t
  | Node n, _ ->
      let left, _, right = split b (n.low, n.high) in
      let l () = union both n.left left and r () = union both n.right right in
      let l, r = if size a + size b < small then (l (), r ()) else both l r in
      join l (n.low, n.high) r

let of_array both intervals =
  let rec go low high =
    if high - low < small then begin
      let t = ref Leaf in
      for i = low to high - 1 do
        t := add intervals.(i) !t
      done;
      !t
    end
    else
      let middle = (low + high) / 2 in
      let l, r = both (fun () -> go low middle) (fun () -> go middle high) in
      union both l r
  in
  go 0 (Array.length intervals)

(* {1 Queries} *)

let rec covers t x =
  match t with
  | Leaf -> false
  | Node n ->
      n.reach >= x
      && ((n.low <= x && n.high >= x)
         (* If an interval on the left reaches [x] but does not cover [x], it starts after
            [x], and so do all intervals on the right. So only the left subtree can cover
            [x]. *)
         ||
         if reach n.left >= x then covers n.left x
         else n.low <= x && covers n.right x)

let rec count t x =
  match t with
  | Leaf -> 0
  | Node n ->
      if n.reach < x then 0
      else
        count n.left x
        +
        if n.low > x then 0
        else (if n.high >= x then 1 else 0) + count n.right x

let check t =
  let rec go t ~from ~upto =
    match t with
    | Leaf -> ()
    | Node n ->
        let k = (n.low, n.high) in
        let must what b = if not b then failwith ("Interval_tree: " ^ what) in
        must "order" (from < k && k < upto);
        must "balance" (alike n.left n.right);
        must "size" (n.size = size n.left + size n.right + 1);
        must "reach"
          (n.reach = Int.max n.high (Int.max (reach n.left) (reach n.right)));
        go n.left ~from ~upto:k;
        go n.right ~from:k ~upto
  in
  go t ~from:(min_int, min_int) ~upto:(max_int, max_int)
