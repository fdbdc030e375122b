(* Programs that allocate: values with short, medium and long lives. *)

let rec pieces f n =
  if n = 1 then [ f () ]
  else
    let a, b =
      Dromos.both
        (fun () -> pieces f (n / 2))
        (fun () -> pieces f (n - (n / 2)))
    in
    a @ b

(* All values die at once. *)
let pairs () =
  let rec sum k acc =
    if k = 0 then acc
    else
      let a, b = Sys.opaque_identity (k, acc) in
      sum (k - 1) (a lxor b)
  in
  List.fold_left ( + ) 0 (pieces (fun () -> sum 500_000 0) 128)

(* A list lives as long as its piece. *)
let lists () =
  let rec build k acc = if k = 0 then acc else build (k - 1) ((k, k) :: acc) in
  let piece () =
    let n = ref 0 in
    for _ = 1 to 500 do
      n := !n + List.length (List.rev_map fst (build 2000 []))
    done;
    !n
  in
  List.fold_left ( + ) 0 (pieces piece 16)

type tree = Leaf | Node of tree * tree

(* Binary trees, each made, walked and dropped by a piece. *)
let trees () =
  let rec make d = if d = 0 then Leaf else Node (make (d - 1), make (d - 1)) in
  let rec count = function Leaf -> 1 | Node (a, b) -> count a + count b in
  let piece () = count (make 14) in
  List.fold_left ( + ) 0 (pieces piece 512)

(* Lists live until they are sorted. *)
let sorting () =
  let next = ref 42 in
  let draw _ =
    next := ((!next * 1103515245) + 12345) land 0x3fffffff;
    !next
  in
  let rec sort n l =
    if n < 5000 then List.sort Int.compare l
    else
      let half = n / 2 in
      let left = List.filteri (fun i _ -> i < half) l
      and right = List.filteri (fun i _ -> i >= half) l in
      let a, b =
        Dromos.both (fun () -> sort half left) (fun () -> sort (n - half) right)
      in
      List.merge Int.compare a b
  in
  List.hd (sort 200_000 (List.init 200_000 draw))

(* A task and a promise for each node. *)
let tasks () =
  let rec go d =
    if d = 0 then 1
    else
      List.init 10 (fun _ -> Dromos.async (fun () -> go (d - 1)))
      |> List.fold_left (fun n t -> n + Dromos.await t) 0
  in
  List.fold_left ( + ) 0 (List.init 4 (fun _ -> go 5))

let all =
  [
    ("pairs", pairs);
    ("lists", lists);
    ("trees", trees);
    ("sorting", sorting);
    ("tasks", tasks);
  ]
