open Dromos_fiber

type 'a t =
  | Leaf of 'a array
  | Cat of { left : 'a t; right : 'a t; length : int }

let length = function Leaf a -> Array.length a | Cat { length; _ } -> length
let cat (left, right) = Cat { left; right; length = length left + length right }

(* {1 Shapes} *)

let leaves_per_vproc = 8

let grain_for call grain n =
  match grain with
  | Some grain ->
      Saturating.positive ~call "grain" grain;
      grain
  | None -> 1 + (n / (leaves_per_vproc * Int.max 1 (Gang.size ())))

(* Builds a tree over the indices [lo .. hi - 1], halved down to leaves. *)
let rec build ~grain leaf lo hi =
  if hi - lo <= grain then leaf lo hi
  else
    let mid = lo + ((hi - lo) / 2) in
    cat
      (Gang.both
         (fun () -> build ~grain leaf lo mid)
         (fun () -> build ~grain leaf mid hi))

(* {1 Elements} *)

(* Checks for cancellation before each element: evaluation to the right of a failure
   stops at its next element. *)
let each f x =
  Cancel.check (Fiber.current ());
  f x

let tabulate ?grain n f =
  if n < 0 then invalid_arg "Parray.tabulate: the length is negative";
  let leaf lo hi = Leaf (Array.init (hi - lo) (fun i -> each f (lo + i))) in
  build ~grain:(grain_for "Parray.tabulate" grain n) leaf 0 n

let of_array ?grain a =
  let leaf lo hi = Leaf (Array.sub a lo (hi - lo)) in
  let n = Array.length a in
  build ~grain:(grain_for "Parray.of_array" grain n) leaf 0 n

let rec leaves t rest =
  match t with
  | Leaf a -> a :: rest
  | Cat { left; right; _ } -> leaves left (leaves right rest)

let to_array t = Array.concat (leaves t [])

let rec get t i =
  match t with
  | Leaf a -> a.(i)
  | Cat { left; right; _ } ->
      let n = length left in
      if i < n then get left i else get right (i - n)

let rec map f = function
  | Leaf a -> Leaf (Array.map (each f) a)
  | Cat { left; right; _ } ->
      cat (Gang.both (fun () -> map f left) (fun () -> map f right))

(* {1 Sums} *)

(* The sum of a leaf with at least one element. Only an empty array has an empty
   leaf. *)
let sum op a =
  let total = ref a.(0) in
  for i = 1 to Array.length a - 1 do
    total := each (op !total) a.(i)
  done;
  !total

(* The tree of the sums of its subtrees. *)
type 'a sums = Sum of 'a | Sums of 'a * 'a sums * 'a sums

let total = function Sum x | Sums (x, _, _) -> x

let rec sums op = function
  | Leaf a -> Sum (sum op a)
  | Cat { left; right; _ } ->
      let l, r = Gang.both (fun () -> sums op left) (fun () -> sums op right) in
      Sums (op (total l) (total r), l, r)

let rec reduced op = function
  | Leaf a -> sum op a
  | Cat { left; right; _ } ->
      let l, r =
        Gang.both (fun () -> reduced op left) (fun () -> reduced op right)
      in
      op l r

let reduce op zero t = if length t = 0 then zero else op zero (reduced op t)

let scan_leaf op before a =
  let last = ref before in
  let next x =
    last := op !last x;
    !last
  in
  Leaf (Array.map (each next) a)

let rec scan_after op before t sums =
  match (t, sums) with
  | Leaf a, _ -> scan_leaf op before a
  | Cat { left; right; _ }, Sums (_, l, r) ->
      cat
        (Gang.both
           (fun () -> scan_after op before left l)
           (fun () -> scan_after op (op before (total l)) right r))
  | Cat _, Sum _ -> invalid_arg "Parray.scan: not the sums of this array"

let scan op zero t =
  if length t = 0 then t else scan_after op zero t (sums op t)

(* {1 Filters} *)

let filter_leaf p a = Array.of_list (List.filter (each p) (Array.to_list a))

let rec kept p = function
  | Leaf a -> [ filter_leaf p a ]
  | Cat { left; right; _ } ->
      let l, r = Gang.both (fun () -> kept p left) (fun () -> kept p right) in
      l @ r

(* Joins adjacent leaves, up to [size] elements each. *)
let join size pieces =
  let close group = Array.concat (List.rev group) in
  let rec go group n = function
    | [] -> [ close group ]
    | a :: rest when n + Array.length a <= size ->
        go (a :: group) (n + Array.length a) rest
    | a :: rest -> close group :: go [ a ] (Array.length a) rest
  in
  go [] 0 pieces

let filter p t =
  let largest =
    List.fold_left (fun m a -> Int.max m (Array.length a)) 1 (leaves t [])
  in
  let pieces = Array.of_list (join largest (kept p t)) in
  let rec balanced lo hi =
    if hi - lo = 1 then Leaf pieces.(lo)
    else
      let mid = (lo + hi) / 2 in
      cat (balanced lo mid, balanced mid hi)
  in
  balanced 0 (Array.length pieces)
