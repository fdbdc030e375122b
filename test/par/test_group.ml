(* Groups, counts, histograms, chunks and windows against plain loops. *)

open Draw
module A = Par.Array

exception Boom of int

let numbers bound = of_array QCheck.Gen.(int_bound bound)

(* Groups in the order of their first elements, by a list of keys. *)
let groups key a =
  let table = Hashtbl.create 16 in
  let keys = ref [] in
  Array.iter
    (fun x ->
      let k = key x in
      match Hashtbl.find_opt table k with
      | None ->
          keys := k :: !keys;
          Hashtbl.add table k [ x ]
      | Some l -> Hashtbl.replace table k (x :: l))
    a;
  List.rev_map (fun k -> (k, List.rev (Hashtbl.find table k))) !keys

let lists l = Array.to_list (Array.map (fun (k, g) -> (k, Array.to_list g)) l)
let lengths l = List.map (fun (k, g) -> (k, List.length g)) l

let grouping name bound key =
  law ("group_by, count_by: " ^ name) (numbers bound) (fun t a ->
      let a = Array.mapi (fun i x -> (x, i)) a in
      let calls = Atomic.make 0 in
      let counted x =
        spice t;
        Atomic.incr calls;
        key (fst x)
      in
      let expected = groups (fun x -> key (fst x)) a in
      let grouped, counts, listed =
        inside t (fun () ->
            let grouped = A.group_by ?grain:t.grain counted a in
            ( grouped,
              A.count_by ?grain:t.grain counted a,
              Par.List.group_by ?grain:t.grain counted (Array.to_list a) ))
      in
      Atomic.get calls = 3 * Array.length a
      && compare (lists grouped) expected = 0
      && compare listed expected = 0
      && compare (Array.to_list counts) (lengths expected) = 0)

let laws =
  [
    grouping "few" 100 (fun x -> x mod 7);
    grouping "one" 100 (fun _ -> "all");
    grouping "about as many as elements" 1_000_000 Fun.id;
    grouping "floats and nan" 50 (fun x ->
        if x = 3 then nan else float_of_int x);
    law "group_by: floats stay flat" (numbers 20) (fun t a ->
        let a = Array.map float_of_int a in
        lists (inside t (fun () -> A.group_by ?grain:t.grain int_of_float a))
        = groups int_of_float a);
    law "histogram" (numbers 5000) (fun t a ->
        List.for_all
          (fun buckets ->
            let f x = x mod buckets in
            let plain = Array.make buckets 0 in
            Array.iter (fun x -> plain.(f x) <- plain.(f x) + 1) a;
            plain = inside t (fun () -> A.histogram ?grain:t.grain ~buckets f a))
          [ 1; 10; 6000 ]);
    law "map_chunks, iter_chunks" (numbers 100) (fun t a ->
        let n = Array.length a in
        List.for_all
          (fun size ->
            let pieces = (n + size - 1) / size in
            let plain =
              Array.init pieces (fun k ->
                  Array.to_list
                    (Array.sub a (k * size) (Int.min size (n - (k * size)))))
            in
            let seen = Atomic.make 0 in
            let chunks =
              inside t (fun () ->
                  A.iter_chunks ?grain:t.grain size
                    (fun c ->
                      ignore (Atomic.fetch_and_add seen (Array.length c) : int))
                    a;
                  A.map_chunks ?grain:t.grain size
                    (fun c ->
                      spice t;
                      let l = Array.to_list c in
                      Array.fill c 0 (Array.length c) (-1);
                      l)
                    a)
            in
            chunks = plain && Atomic.get seen = n && not (Array.mem (-1) a))
          [ 1; 3; 64; 100_000 ]);
    law "map_windows" (numbers 100) (fun t a ->
        let n = Array.length a in
        List.for_all
          (fun size ->
            let plain =
              Array.init
                (Int.max 0 (n - size + 1))
                (fun i -> Array.fold_left ( + ) 0 (Array.sub a i size))
            in
            plain
            = inside t (fun () ->
                  A.map_windows ?grain:t.grain size
                    (fun a i ->
                      let sum = ref 0 in
                      for k = i to i + size - 1 do
                        sum := !sum + a.(k)
                      done;
                      !sum)
                    a))
          [ 1; 2; 5 ]);
  ]

(* The leftmost element whose function raises. *)
let raising name call =
  law
    (name ^ ": the leftmost exception")
    (with_ QCheck.Gen.(pair (int_range 1 5000) (int_bound 5000)))
    (fun t (n, k) ->
      let bad = k mod n in
      let f i =
        spice t;
        if i >= bad && (i - bad) mod 100 = 0 then raise (Boom i);
        i mod 10
      in
      match inside t (fun () -> call t.grain f (Array.init n Fun.id)) with
      | () -> false
      | exception Boom i -> i = bad)

let exceptions =
  [
    raising "group_by" (fun grain f a -> ignore (A.group_by ?grain f a));
    raising "count_by" (fun grain f a -> ignore (A.count_by ?grain f a));
    raising "histogram" (fun grain f a ->
        ignore (A.histogram ?grain ~buckets:10 f a));
    raising "sort_by" (fun grain f a -> A.sort_by ?grain Int.compare f a);
    raising "map_chunks" (fun grain f a ->
        ignore (A.map_chunks ?grain 7 (Array.map f) a));
    raising "map_windows" (fun grain f a ->
        ignore (A.map_windows ?grain 1 (fun a i -> f a.(i)) a));
    raising "List.map" (fun grain f a ->
        ignore (Par.List.map ?grain f (Array.to_list a)));
    raising "List.iter" (fun grain f a ->
        Par.List.iter ?grain (fun x -> ignore (f x)) (Array.to_list a));
    raising "List.filter" (fun grain f a ->
        ignore (Par.List.filter ?grain (fun x -> f x > 4) (Array.to_list a)));
    raising "List.filter_map" (fun grain f a ->
        ignore
          (Par.List.filter_map ?grain (fun x -> Some (f x)) (Array.to_list a)));
    raising "List.map_reduce" (fun grain f a ->
        ignore
          (Par.List.map_reduce ?grain ~map:f ~combine:( + ) ~init:0
             (Array.to_list a)));
  ]

let cancelled name call =
  law ~count:20 (name ^ ": cancelled")
    (with_ QCheck.Gen.(int_bound 3000))
    (fun t k ->
      let t = { t with workers = Int.max 1 t.workers } in
      let a = Array.init 50_000 Fun.id in
      let over = Atomic.make false and late = Atomic.make 0 in
      inside t (fun () ->
          match
            Dromos.Scope.run (fun scope ->
                call t.grain
                  (fun i ->
                    if Atomic.get over then Atomic.incr late;
                    if i = k then Dromos.Scope.cancel scope;
                    i mod 10)
                  a)
          with
          | () -> false
          | exception Dromos.Cancelled ->
              Atomic.set over true;
              for _ = 1 to 20 do
                Dromos.yield ()
              done;
              Atomic.get late = 0))

let cancellation =
  [
    cancelled "group_by" (fun grain f a -> ignore (A.group_by ?grain f a));
    cancelled "histogram" (fun grain f a ->
        ignore (A.histogram ?grain ~buckets:10 f a));
    cancelled "map_windows" (fun grain f a ->
        ignore (A.map_windows ?grain 1 (fun a i -> f a.(i)) a));
    cancelled "List.map" (fun grain f a ->
        ignore (Par.List.map ?grain f (Array.to_list a)));
    cancelled "List.filter" (fun grain f a ->
        ignore (Par.List.filter ?grain (fun x -> f x > 4) (Array.to_list a)));
    cancelled "List.iter" (fun grain f a ->
        Par.List.iter ?grain (fun x -> ignore (f x)) (Array.to_list a));
  ]

let raises name expected f =
  case name (fun () -> Alcotest.check_raises name (Invalid_argument expected) f)

let misuse =
  [
    raises "chunks of 0"
      "Dromos.Par.Array.map_chunks: the size is 0, it must be at least 1"
      (fun () -> ignore (A.map_chunks 0 Fun.id [| 1 |]));
    raises "windows of -1"
      "Dromos.Par.Array.map_windows: the size is -1, it must be at least 1"
      (fun () -> ignore (A.map_windows (-1) (fun _ i -> i) [| 1 |]));
    raises "no such bucket" "Dromos.Par.Array.histogram: no bucket 3 of 3"
      (fun () -> ignore (A.histogram ~buckets:3 Fun.id [| 1; 3; 7 |]));
    raises "buckets below 0"
      "Dromos.Par.Array.histogram: ~buckets:-1 is negative" (fun () ->
        ignore (A.histogram ~buckets:(-1) Fun.id [||]));
  ]

let tests = laws @ exceptions @ cancellation @ misuse
