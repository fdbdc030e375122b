open QCheck
open Suite_structures

(* Versions by number: each operation changes an earlier version. *)
let persistent_arrays =
  let n = 6 in
  let change = Gen.triple Gen.small_nat (Gen.int_bound (n - 1)) Gen.small_nat in
  Test.make ~count:300 ~name:"persistent arrays"
    (make
       ~print:Print.(list (triple int int int))
       (Gen.list_size (Gen.int_bound 60) change))
    (fun changes ->
      let versions = Dynarray.create () in
      Dynarray.add_last versions
        (Persistent_array.init n Fun.id, Array.init n Fun.id);
      let same (t, model) =
        Array.for_all Fun.id
          (Array.mapi (fun i x -> Persistent_array.get t i = x) model)
      in
      List.for_all
        (fun (from, i, x) ->
          (* Every second operation changes the newest version. *)
          let last = Dynarray.length versions - 1 in
          let from = if from land 1 = 0 then last else from mod (last + 1) in
          let t, model = Dynarray.get versions from in
          let changed = Array.copy model in
          changed.(i) <- x;
          Dynarray.add_last versions (Persistent_array.set t i x, changed);
          Seq.for_all same (Dynarray.to_seq versions))
        changes)

(* An array with one often changed element, read in all versions: reads search the history
   by jumps. *)
let long_histories =
  Test.make ~count:20 ~name:"persistent arrays, long histories"
    (make ~print:Print.int (Gen.int_range 1 600))
    (fun n ->
      let rec go versions t i =
        if i = n then List.rev versions
        else
          let t = Persistent_array.set t (i land 1) i in
          go (t :: versions) t (i + 1)
      in
      let versions = go [] (Persistent_array.make n (-1)) 0 in
      List.for_all Fun.id
        (List.mapi
           (fun i t ->
             Persistent_array.get t (i land 1) = i
             && Persistent_array.get t (1 - (i land 1)) = i - 1)
           (if n > 1 then versions else [])))

module Ints = Map.Make (Int)

(* A map from keys to their least value, with a poor hash that makes probes long. *)
let merge_table =
  Test.make ~count:300 ~name:"merge table"
    (make
       ~print:Print.(list (pair int int))
       Gen.(list_size (int_bound 60) (pair (int_bound 30) small_nat)))
    (fun additions ->
      let t =
        Merge_table.create ~room:32
          ~hash:(fun (k, _) -> k / 5)
          ~compare:(fun (a, _) (b, _) -> Int.compare a b)
          ~merge:min
      in
      let least = function None -> Fun.id | Some v -> Int.min v in
      let model =
        List.fold_left
          (fun m (k, v) -> Ints.update k (fun o -> Some (least o v)) m)
          Ints.empty additions
      in
      let taken =
        List.length (List.filter (fun kv -> Merge_table.add t kv) additions)
      in
      let contents =
        List.filter_map (Merge_table.at t)
          (List.init (Merge_table.places t) Fun.id)
      in
      taken = Ints.cardinal model
      && List.sort compare contents = Ints.bindings model
      && List.for_all
           (fun k ->
             Merge_table.find_opt t (k, 0)
             = Option.map (fun v -> (k, v)) (Ints.find_opt k model))
           (List.init 31 Fun.id))

module Pairs = Set.Make (struct
  type t = int * int

  let compare = compare
end)

let in_order f g =
  let a = f () in
  let b = g () in
  (a, b)

let interval =
  Gen.(map2 (fun low l -> (low, low + l)) (int_bound 50) (int_bound 20))

let intervals_alike t model =
  Interval_tree.check t;
  let at x =
    Pairs.cardinal (Pairs.filter (fun (l, h) -> l <= x && x <= h) model)
  in
  Interval_tree.size t = Pairs.cardinal model
  && List.for_all
       (fun x ->
         Interval_tree.count t x = at x && Interval_tree.covers t x = (at x > 0))
       (List.init 80 Fun.id)

let interval_trees =
  Test.make ~count:200 ~name:"interval trees, one by one"
    (make
       ~print:Print.(list (pair bool (pair int int)))
       Gen.(list_size (int_bound 100) (pair bool interval)))
    (fun changes ->
      let t, model =
        List.fold_left
          (fun (t, m) (add, k) ->
            if add then (Interval_tree.add k t, Pairs.add k m)
            else (Interval_tree.remove k t, Pairs.remove k m))
          (Interval_tree.empty, Pairs.empty)
          (changes @ List.map (fun (_, k) -> (false, k)) (List.take 5 changes))
      in
      intervals_alike t model)

let interval_unions =
  Test.make ~count:100 ~name:"interval trees, by unions"
    (make
       ~print:Print.(pair (array (pair int int)) (array (pair int int)))
       (let many = Gen.(array_size (int_bound 400) interval) in
        Gen.pair many many))
    (fun (a, b) ->
      let tree = Interval_tree.of_array in_order in
      let set a = Pairs.of_seq (Array.to_seq a) in
      intervals_alike
        (Interval_tree.union in_order (tree a) (tree b))
        (Pairs.union (set a) (set b)))

let tests =
  [
    persistent_arrays;
    long_histories;
    merge_table;
    interval_trees;
    interval_unions;
  ]
