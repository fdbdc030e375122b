(* Every function of parallel arrays against Stdlib's, for ints, floats (flat
   arrays) and strings. *)

open Draw

module type Element = sig
  type t

  val name : string
  val gen : t QCheck.Gen.t

  val combine : t -> t -> t
  (** Associative. *)

  val zero : t
  val key : t -> int
end

module Laws (E : Element) = struct
  module A = Par.Array

  let law name holds = law (E.name ^ " " ^ name) (of_array E.gen) holds
  let even x = E.key x land 1 = 0
  let half x = if even x then Some (E.combine x x) else None

  (* The user's function, with a count of its calls. *)
  let counted t calls f x =
    Atomic.incr calls;
    spice t;
    f x

  let once t a run =
    let calls = Atomic.make 0 in
    let result = run (counted t calls) in
    if Atomic.get calls <> Array.length a then
      QCheck.Test.fail_reportf "%d calls for %d elements" (Atomic.get calls)
        (Array.length a);
    result

  (* Both folds go from the left, so the test can compare prefixes too. *)
  let prefixes a =
    let acc = ref E.zero in
    let left =
      Array.map
        (fun x ->
          let l = !acc in
          acc := E.combine l x;
          l)
        a
    in
    (left, !acc)

  let stable (x, i) (y, j) =
    match Int.compare (E.key x) (E.key y) with 0 -> Int.compare i j | c -> c

  let tests =
    [
      law "init" (fun t a ->
          let n = Array.length a in
          let b =
            inside t (fun () ->
                once t a (fun f -> A.init ?grain:t.grain n (f (Array.get a))))
          in
          compare a b = 0);
      law "iteri, iter" (fun t a ->
          let b = Array.map (fun _ -> E.zero) a in
          let seen = Atomic.make 0 in
          inside t (fun () ->
              A.iteri ?grain:t.grain
                (fun i x ->
                  spice t;
                  b.(i) <- x)
                a;
              A.iter ?grain:t.grain
                (fun x -> ignore (Atomic.fetch_and_add seen (E.key x) : int))
                a);
          compare a b = 0
          && Atomic.get seen = Array.fold_left (fun n x -> n + E.key x) 0 a);
      law "map" (fun t a ->
          let f x = E.combine x x in
          let b =
            inside t (fun () ->
                once t a (fun g -> A.map ?grain:t.grain (g f) a))
          in
          compare (Array.map f a) b = 0);
      law "map to another type" (fun t a ->
          compare
            (Array.map (fun x -> float_of_int (E.key x)) a)
            (inside t (fun () ->
                 A.map ?grain:t.grain (fun x -> float_of_int (E.key x)) a))
          = 0);
      law "mapi" (fun t a ->
          let f i x = (i, E.combine x x) in
          compare (Array.mapi f a)
            (inside t (fun () -> A.mapi ?grain:t.grain f a))
          = 0);
      law "map2, iter2" (fun t a ->
          let b = Array.map (fun x -> E.combine x x) a in
          let hits = Atomic.make 0 in
          let c =
            inside t (fun () ->
                A.iter2 ?grain:t.grain
                  (fun x y ->
                    if compare (E.combine x x) y = 0 then Atomic.incr hits)
                  a b;
                A.map2 ?grain:t.grain E.combine a b)
          in
          Atomic.get hits = Array.length a
          && compare c (Array.map2 E.combine a b) = 0);
      law "map_inplace" (fun t a ->
          let b = Array.copy a in
          let f x = E.combine x x in
          inside t (fun () -> A.map_inplace ?grain:t.grain f b);
          compare (Array.map f a) b = 0);
      law "fold" (fun t a ->
          compare
            (Array.fold_left E.combine E.zero a)
            (inside t (fun () ->
                 A.fold ?grain:t.grain
                   (fun x y ->
                     spice t;
                     E.combine x y)
                   E.zero a))
          = 0);
      law "map_reduce, count" (fun t a ->
          let n, m =
            inside t (fun () ->
                ( A.map_reduce ?grain:t.grain
                    ~map:(fun x -> string_of_int (E.key x))
                    ~combine:( ^ ) ~init:"zero" a,
                  A.count ?grain:t.grain even a ))
          in
          n = Array.fold_left (fun s x -> s ^ string_of_int (E.key x)) "zero" a
          && m = List.length (List.filter even (Array.to_list a)));
      law "scan" (fun t a ->
          compare (prefixes a)
            (inside t (fun () -> A.scan ?grain:t.grain E.combine E.zero a))
          = 0);
      law "scan_inclusive" (fun t a ->
          let left, _ = prefixes a in
          compare
            (Array.map2 E.combine left a)
            (inside t (fun () ->
                 A.scan_inclusive ?grain:t.grain E.combine E.zero a))
          = 0);
      law "filter" (fun t a ->
          let b =
            inside t (fun () ->
                once t a (fun f -> A.filter ?grain:t.grain (f even) a))
          in
          Array.to_list b = List.filter even (Array.to_list a));
      law "partition" (fun t a ->
          let y, n =
            inside t (fun () ->
                once t a (fun f -> A.partition ?grain:t.grain (f even) a))
          in
          (Array.to_list y, Array.to_list n)
          = List.partition even (Array.to_list a));
      law "filter_map" (fun t a ->
          let b =
            inside t (fun () ->
                once t a (fun f -> A.filter_map ?grain:t.grain (f half) a))
          in
          Array.to_list b = List.filter_map half (Array.to_list a));
      law "concat, blit" (fun t a ->
          let n = Array.length a in
          let b, c =
            inside t (fun () ->
                let b = A.concat ?grain:t.grain [ a; [||]; a ] in
                let c = Array.append a a in
                A.blit ?grain:t.grain b (n / 2) c (n / 3) n;
                (b, c))
          in
          let d = Array.append a a in
          Array.blit b (n / 2) d (n / 3) n;
          compare b (Array.append a a) = 0 && compare c d = 0);
      law "sort" (fun t a ->
          let b = Array.mapi (fun i x -> (x, i)) a in
          let c = Array.copy b in
          let by_key (x, _) (y, _) =
            spice t;
            Int.compare (E.key x) (E.key y)
          in
          inside t (fun () -> A.sort ?grain:t.grain by_key b);
          Array.stable_sort stable c;
          b = c);
      law "sort, unboxed" (fun t a ->
          let b = Array.copy a and c = Array.copy a in
          inside t (fun () -> A.sort ?grain:t.grain compare b);
          Array.stable_sort compare c;
          compare b c = 0);
      law "merge" (fun t a ->
          let by_key (x, _) (y, _) = Int.compare (E.key x) (E.key y) in
          let a = Array.mapi (fun i x -> (x, i)) a in
          let n = Array.length a / 3 in
          let l = Array.sub a 0 n and r = Array.sub a n (Array.length a - n) in
          Array.stable_sort by_key l;
          Array.stable_sort by_key r;
          let m = inside t (fun () -> A.merge ?grain:t.grain by_key l r) in
          Array.stable_sort stable a;
          m = a);
      law "find_opt, find_index, find_map" (fun t a ->
          let p x = E.key x mod 50 = 7 in
          let f x = if p x then Some (E.key x) else None in
          inside t (fun () ->
              ( A.find_opt ?grain:t.grain p a,
                A.find_index ?grain:t.grain p a,
                A.find_map ?grain:t.grain f a ))
          = (Array.find_opt p a, Array.find_index p a, Array.find_map f a));
      law "exists, for_all, mem" (fun t a ->
          let p x = E.key x mod 50 = 7 in
          let q x = not (p x) in
          let x =
            if Array.length a = 0 then E.zero
            else a.(E.key a.(0) mod Array.length a)
          in
          inside t (fun () ->
              ( A.exists ?grain:t.grain p a,
                A.for_all ?grain:t.grain q a,
                A.mem ?grain:t.grain x a ))
          = (Array.exists p a, Array.for_all q a, Array.mem x a));
      law "lists" (fun t a ->
          let l = Array.to_list a in
          let f x = [ x; E.combine x x ] in
          let seen = Atomic.make 0 in
          let r =
            inside t (fun () ->
                Par.List.iter ?grain:t.grain (fun _ -> Atomic.incr seen) l;
                ( Par.List.map ?grain:t.grain E.key l,
                  Par.List.filter ?grain:t.grain even l,
                  Par.List.filter_map ?grain:t.grain half l,
                  Par.List.concat_map ?grain:t.grain f l,
                  Par.List.map_reduce ?grain:t.grain ~map:Fun.id
                    ~combine:E.combine ~init:E.zero l ))
          in
          Atomic.get seen = List.length l
          && compare r
               ( List.map E.key l,
                 List.filter even l,
                 List.filter_map half l,
                 List.concat_map f l,
                 List.fold_left E.combine E.zero l )
             = 0);
    ]
end

module Ints = Laws (struct
  type t = int

  let name = "int"
  let gen = QCheck.Gen.int_bound 500
  let combine = ( + )
  let zero = 3
  let key = Fun.id
end)

(* The greater number, which does not depend on the cuts of the range. *)
module Floats = Laws (struct
  type t = float

  let name = "float"
  let gen = QCheck.Gen.(map (fun n -> float_of_int n /. 2.) (int_bound 1000))
  let combine = Float.max
  let zero = 0.5
  let key = int_of_float
end)

(* Concatenation, cut to the two ends so that long arrays stay quick:
   associative, not commutative. *)
module Strings = Laws (struct
  type t = string

  let name = "string"
  let gen = QCheck.Gen.(map string_of_int (int_bound 500))

  let combine x y =
    let s = x ^ y in
    let n = String.length s in
    if n <= 16 then s else String.sub s 0 8 ^ String.sub s (n - 8) 8

  let zero = "zero"
  let key s = Hashtbl.hash s mod 500
end)

let tests = Ints.tests @ Floats.tests @ Strings.tests
