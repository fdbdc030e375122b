(* A loop replaces the result of the last branch by the result of the next one. Each
   branch collects its own heap, and its heap holds only live objects at the join. The
   replaced results die without a notice to the runtime; the joining task has to collect
   them. *)

type tree = Leaf | Node of tree * int * tree

let rec build depth =
  if depth = 0 then Leaf else Node (build (depth - 1), depth, build (depth - 1))

let rec nodes = function
  | Leaf -> 0
  | Node (left, _, right) -> nodes left + 1 + nodes right

let depth = 13

(* The first tree is garbage, but the branch has collected since the second tree was
   built. *)
let work () =
  Check.must "the first tree" (nodes (build depth) = (1 lsl depth) - 1);
  let tree = build depth in
  Check.garbage 100_000;
  tree

let step () =
  let taken = Atomic.make false in
  let first () =
    while not (Atomic.get taken) do
      Domain.cpu_relax ()
    done
  and second () =
    Atomic.set taken true;
    work ()
  in
  snd (Dromos.both first second)

let mib n = n lsl 20

let most_held () =
  match Dromos_heap.stats () with
  | Some stats -> stats.most_held
  | None -> failwith "this is not the variant"

let () =
  Check.case "not all values that replace the last are held" (fun () ->
      Dromos.run ~workers:2 (fun () ->
          let kept = ref Leaf in
          Check.repeat 100 (fun () -> kept := step ());
          Check.must "the last tree" (nodes !kept = (1 lsl depth) - 1));
      Check.must "bounded" (most_held () < mib 64))
