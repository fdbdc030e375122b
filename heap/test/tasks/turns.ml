(* Threads of one domain, each with a run of its own. The threads switch the domain
   between the local heaps of their tasks at any moment: at signals and at explicit
   yields. *)

let must = Check.must
let both = Dromos.both

type tree = Leaf | Node of tree * string * tree

let now_and_then k = if k land 15 = 0 then Thread.yield ()

let rec build lo hi =
  if lo >= hi then Leaf
  else
    let mid = (lo + hi) / 2 in
    now_and_then mid;
    let l, r = both (fun () -> build lo mid) (fun () -> build (mid + 1) hi) in
    Node (l, string_of_int mid, r)

let rec sum = function
  | Leaf -> 0
  | Node (l, s, r) ->
      let k = int_of_string s in
      now_and_then k;
      let a, b = both (fun () -> sum l) (fun () -> sum r) in
      a + k + b

(* The branches change cells that the fork has made. *)
let cells () =
  let n = 256 in
  let cells = Array.init n (fun _ -> ref []) in
  let rec fill lo hi =
    if hi - lo = 1 then begin
      cells.(lo) := List.init 20 (fun i -> string_of_int (lo + i));
      now_and_then lo;
      Check.garbage 20;
      List.iteri
        (fun i s -> must "a neighbour's" (int_of_string s = n - 1 - lo + i))
        !(cells.(n - 1 - lo))
    end
    else
      let mid = (lo + hi) / 2 in
      ignore (both (fun () -> fill lo mid) (fun () -> fill mid hi))
  in
  for _ = 1 to 3 do
    fill 0 n;
    Check.garbage 500;
    Array.iteri
      (fun k c ->
        List.iteri (fun i s -> must "its own" (int_of_string s = k + i)) !c)
      cells
  done

let known = Array.init 8 (fun _ -> Atomic.make [])

let share k =
  let l = Atomic.exchange known.(k land 7) (List.init 30 string_of_int) in
  List.iteri (fun i s -> must "known to all" (int_of_string s = i)) l

let run rounds k =
  for round = 1 to rounds do
    Dromos.run ~workers:2 (fun () ->
        share (k + round);
        let n = 300 in
        let t = build 0 n in
        Check.garbage 300;
        must "the tree" (sum t = n * (n - 1) / 2);
        cells ();
        share (k + round + 1))
  done

let () =
  let rounds =
    if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 10
  in
  let threads = List.init 3 (Thread.create (run rounds)) in
  List.iter Thread.join threads;
  print_endline "PASS turns: threads of one domain"
