open Suite_structures

let domains = 4
let rounds = 3000
let garbage n = ignore (Sys.opaque_identity (List.init n string_of_int))

let in_all f =
  let go d () = f d in
  let others = List.init (domains - 1) (fun d -> Domain.spawn (go (d + 1))) in
  let mine = f 0 in
  mine :: List.map Domain.join others

(* Replaces Alcotest's checks, which print and run in one domain only. *)
let holds what b = if not b then failwith what

let same what a b =
  if a <> b then Printf.ksprintf failwith "%s: %d and %d" what a b

(* Each domain takes elements of all domains, and gets the elements of each domain in
   their order of insertion. *)
let queue () =
  let q = Ms_queue.create () in
  let taken =
    in_all (fun d ->
        let last = Array.make domains (-1) and taken = ref 0 in
        for i = 1 to rounds do
          Ms_queue.push q (d, i, string_of_int i);
          if i land 3 = 0 then garbage 3;
          match Ms_queue.pop q with
          | Some (from, n, text) ->
              holds "its own text" (text = string_of_int n);
              holds "in order" (n > last.(from));
              last.(from) <- n;
              incr taken
          | None -> ()
        done;
        !taken)
  in
  let rec rest n = if Ms_queue.pop q = None then n else rest (n + 1) in
  same "all came out" (domains * rounds) (rest (List.fold_left ( + ) 0 taken))

(* A key's additions minus its removals: 1 if the key is in the set. *)
let ordered_set () =
  let s = Harris_list.create () and keys = 64 in
  let changes =
    in_all (fun d ->
        let balance = Array.make keys 0 in
        for i = 1 to rounds do
          let r = Bench_plain.Rng.hash ((i * domains) + d) in
          let k = r land (keys - 1) in
          if r land 1024 = 0 then begin
            if Harris_list.add s k then balance.(k) <- balance.(k) + 1
          end
          else if Harris_list.remove s k then balance.(k) <- balance.(k) - 1;
          if i land 7 = 0 then garbage 3
        done;
        balance)
  in
  let sum k = List.fold_left (fun n b -> n + b.(k)) 0 changes in
  let left = Harris_list.to_list s in
  holds "sorted" (List.sort_uniq Int.compare left = left);
  for k = 0 to keys - 1 do
    same "as often in as out" (sum k) (if List.mem k left then 1 else 0);
    holds "found" (Harris_list.mem s k = List.mem k left)
  done

let rec drain q =
  match Linden_pq.pop_min q with
  | Some (k, text) ->
      holds "its own text" (text = string_of_int k);
      k :: drain q
  | None -> []

let rec ascending = function
  | a :: (b :: _ as rest) -> a <= b && ascending rest
  | [ _ ] | [] -> true

let priority_queue () =
  let q = Linden_pq.create () in
  let push d i =
    let k = Bench_plain.Rng.below 5000 ((i * domains) + d) in
    Linden_pq.push q k (string_of_int k);
    k
  in
  let mixed =
    in_all (fun d ->
        let pushed = ref [] and popped = ref [] in
        for i = 1 to rounds do
          pushed := push d i :: !pushed;
          if i land 7 = 0 then garbage 3;
          if i land 3 <> 0 then
            match Linden_pq.pop_min q with
            | Some (k, text) ->
                holds "its own text" (text = string_of_int k);
                popped := k :: !popped
            | None -> ()
        done;
        (!pushed, !popped))
  in
  (* While no domain pushes, the keys popped by a domain ascend. *)
  let rest = in_all (fun _ -> drain q) in
  List.iter (fun l -> holds "ascending" (ascending l)) rest;
  let all f = List.sort Int.compare (List.concat_map f mixed) in
  holds "the pushed keys were popped"
    (all fst
    = List.merge Int.compare (all snd)
        (List.sort Int.compare (List.concat rest)))

(* All domains start from one version, and at most one of them gets the newest place. The
   first versions stay unchanged while domains write. *)
let persistent_arrays () =
  let n = 50 in
  let first = Persistent_array.init n string_of_int in
  let lines = Array.init 4 (fun _ -> Atomic.make (first, 0)) in
  ignore
    (in_all (fun d ->
         for i = 1 to rounds / 4 do
           let line = lines.((i + d) land 3) in
           let t, sum = Atomic.get line in
           let k = ((i * 7) + d) mod n in
           let was = String.length (Persistent_array.get t k) in
           let text = String.make (i mod 9) 'x' in
           let t' = Persistent_array.set t k text in
           Atomic.set line (t', sum + String.length text - was);
           holds "new" (Persistent_array.get t' k == text);
           holds "old" (String.length (Persistent_array.get t k) = was);
           holds "the first" (Persistent_array.get first k = string_of_int k);
           garbage 3
         done)
      : unit list);
  let length t =
    let sum = ref 0 in
    for k = 0 to n - 1 do
      sum := !sum + String.length (Persistent_array.get t k)
    done;
    !sum
  in
  Array.iter
    (fun line ->
      let t, sum = Atomic.get line in
      same "the values put in" (length first + sum) (length t))
    lines

(* The contents and their slots do not depend on which domain added an element. *)
let merge_table () =
  let create () =
    Merge_table.create ~room:4000
      ~hash:(fun (k, _) -> Hashtbl.hash (k : string))
      ~compare:(fun (a, _) (b, _) -> String.compare a b)
      ~merge:(fun (k, a) (_, b) -> (k, Int.min a b))
  in
  let element d i =
    let r = Bench_plain.Rng.hash ((i * domains) + d) in
    (string_of_int (r mod 3000), r mod 1009)
  in
  let t = create () in
  let added =
    in_all (fun d ->
        let added = ref 0 in
        for i = 1 to rounds do
          if Merge_table.add t (element d i) then incr added;
          if i land 7 = 0 then garbage 3
        done;
        !added)
  in
  let model = create () in
  let number = ref 0 in
  for d = 0 to domains - 1 do
    for i = 1 to rounds do
      if Merge_table.add model (element d i) then incr number
    done
  done;
  same "how many" !number (List.fold_left ( + ) 0 added);
  for i = 0 to Merge_table.places t - 1 do
    holds "the same place" (Merge_table.at t i = Merge_table.at model i)
  done

module Pairs = Set.Make (struct
  type t = int * int

  let compare = compare
end)

(* Each domain removes a different part of one tree. *)
let interval_trees () =
  let intervals =
    Array.init (domains * rounds) (fun i ->
        let low = Bench_plain.Rng.below 2000 i in
        (low, low + Bench_plain.Rng.below 4 (i + 100_000)))
  in
  let in_order f g =
    let a = f () in
    (a, g ())
  in
  let part d = Array.sub intervals (d * rounds) rounds in
  let tree =
    in_all (fun d -> Interval_tree.of_array in_order (part d))
    |> List.fold_left (Interval_tree.union in_order) Interval_tree.empty
  in
  Interval_tree.check tree;
  let set = Pairs.of_seq (Array.to_seq intervals) in
  same "all" (Pairs.cardinal set) (Interval_tree.size tree);
  let without remove all d =
    Array.fold_left (fun t i -> remove i t) all (part d)
  in
  List.iteri
    (fun d t ->
      Interval_tree.check t;
      let model = without Pairs.remove set d in
      same "without a part" (Pairs.cardinal model) (Interval_tree.size t))
    (in_all (without Interval_tree.remove tree))

let tests =
  let case name f = Alcotest.test_case name `Quick f in
  [
    case "queue" queue;
    case "ordered set" ordered_set;
    case "priority queue" priority_queue;
    case "persistent arrays" persistent_arrays;
    case "merge table" merge_table;
    case "interval trees" interval_trees;
  ]
