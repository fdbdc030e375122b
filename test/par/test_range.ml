(* Loops, reductions, scans and searches on ranges; floatarrays and bigarrays;
   nesting; ends of the integers. *)

open Draw

let more (lo, n) = Printf.sprintf ", %d .. %d" lo (lo + n - 1)

let range =
  let open QCheck.Gen in
  let lo =
    frequency
      [
        (6, int_range (-50) 50);
        (1, return min_int);
        (1, return (max_int - 20_001));
      ]
  in
  with_ ~more (pair lo length)

(* Each index of a range exactly once: [visit] marks an index, the result checks
   the marks. *)
let marks lo n =
  let marks = Bytes.make n '\000' in
  let visit i =
    let k = i - lo in
    Bytes.set marks k (Char.chr (Char.code (Bytes.get marks k) + 1))
  in
  (visit, fun () -> Bytes.for_all (fun c -> c = '\001') marks)

(* 2x2 matrices of integers that wrap: associative, not commutative. *)
type matrix = { a : int; b : int; c : int; d : int }

let times x y =
  {
    a = (x.a * y.a) + (x.b * y.c);
    b = (x.a * y.b) + (x.b * y.d);
    c = (x.c * y.a) + (x.d * y.c);
    d = (x.c * y.b) + (x.d * y.d);
  }

let matrix i = { a = i; b = i + 1; c = 3; d = i lxor 5 }
let start = { a = 1; b = 2; c = 3; d = 4 }

(* Counts from 0: [lo + n - 1], the last index, overflows for an empty range
   from [min_int]. *)
let product lo n =
  let m = ref start in
  for k = 0 to n - 1 do
    m := times !m (matrix (lo + k))
  done;
  !m

(* The product of a non-empty piece. *)
let piece l h =
  let m = ref (matrix l) in
  for i = l + 1 to h - 1 do
    m := times !m (matrix i)
  done;
  !m

let loops =
  [
    law "for_: each index once" range (fun t (lo, n) ->
        let visit, all = marks lo n in
        inside t (fun () ->
            Par.for_ ?grain:t.grain lo (lo + n) (fun i ->
                spice t;
                visit i));
        all ());
    law "for_chunks: pieces cover the range" range (fun t (lo, n) ->
        let visit, all = marks lo n in
        inside t (fun () ->
            Par.for_chunks ?grain:t.grain lo (lo + n) (fun l h ->
                spice t;
                assert (l < h);
                (match t.grain with
                | Some g -> assert (h - l = g || (h - l < g && h = lo + n))
                | None -> ());
                for i = l to h - 1 do
                  visit i
                done));
        all ());
    law "map_reduce: in order" range (fun t (lo, n) ->
        product lo n
        = inside t (fun () ->
              Par.map_reduce ?grain:t.grain lo (lo + n)
                ~map:(fun i ->
                  spice t;
                  matrix i)
                ~combine:times ~init:start));
    law "map_reduce_chunks: in order" range (fun t (lo, n) ->
        product lo n
        = inside t (fun () ->
              Par.map_reduce_chunks ?grain:t.grain lo (lo + n) ~map:piece
                ~combine:times ~init:start));
    law "scan_chunks" range (fun t (lo, n) ->
        let left = Array.make n start in
        let write acc l h =
          spice t;
          let m = ref acc in
          for i = l to h - 1 do
            left.(i - lo) <- !m;
            m := times !m (matrix i)
          done;
          !m
        in
        let total =
          inside t (fun () ->
              Par.scan_chunks ?grain:t.grain lo (lo + n) ~reduce:piece
                ~combine:times ~write ~init:start)
        in
        let right = ref true in
        let m = ref start in
        for i = 0 to n - 1 do
          if left.(i) <> !m then right := false;
          m := times !m (matrix (lo + i))
        done;
        !right && total = !m);
    law "nested loops"
      (with_ QCheck.Gen.(pair (int_bound 40) (int_bound 40)))
      (fun t (n, m) ->
        let rows = Array.make (n + 1) 0 in
        inside t (fun () ->
            Par.for_ ?grain:t.grain 0 n (fun i ->
                rows.(i) <-
                  Par.map_reduce 0 m
                    ~map:(fun j ->
                      spice t;
                      Par.map_reduce 0 j
                        ~map:(fun k -> i * k)
                        ~combine:( + ) ~init:0)
                    ~combine:( + ) ~init:0));
        let row i =
          let s = ref 0 in
          for j = 0 to m - 1 do
            for k = 0 to j - 1 do
              s := !s + (i * k)
            done
          done;
          !s
        in
        rows = Array.init (n + 1) (fun i -> if i < n then row i else 0));
  ]

let multiples =
  with_
    ~more:(fun ((lo, n), k) -> more (lo, n) ^ Printf.sprintf ", every %d" k)
    QCheck.Gen.(pair (pair (int_range (-50) 50) length) (int_range 1 10_000))

let searches =
  [
    law "find, find_map, find_map_chunks: leftmost" multiples
      (fun t ((lo, n), k) ->
        let p i =
          spice t;
          i * 7919 mod k = k - 1
        in
        let f i = if p i then Some (string_of_int i) else None in
        let rec first l h =
          if l >= h then None else if p l then Some l else first (l + 1) h
        in
        let expected = first lo (lo + n) in
        let text = Option.map string_of_int expected in
        inside t (fun () ->
            ( Par.find_opt ?grain:t.grain lo (lo + n) p,
              Par.find_map ?grain:t.grain lo (lo + n) f,
              Par.find_map_chunks ?grain:t.grain lo (lo + n) first ))
        = (expected, text, expected));
    law "exists, for_all" multiples (fun t ((lo, n), k) ->
        let p i = i * 7919 mod k = k - 1 in
        let some l h =
          let rec go i = i < h && (p i || go (i + 1)) in
          go l
        in
        let expected = some lo (lo + n) in
        inside t (fun () ->
            let hi = lo + n and grain = t.grain in
            ( Par.exists ?grain lo hi p,
              Par.exists_chunks ?grain lo hi some,
              not (Par.for_all ?grain lo hi (fun i -> not (p i))),
              not (Par.for_all_chunks ?grain lo hi (fun l h -> not (some l h)))
            ))
        = (expected, expected, expected, expected));
    (* Ranges too long for a search to reach the end. *)
    law ~count:30 "early stop"
      (with_ ~more:string_of_int (QCheck.Gen.int_bound 10_000))
      (fun t k ->
        let far = 1 lsl 50 in
        inside t (fun () ->
            let grain = t.grain in
            ( Par.find_opt ?grain 0 far (fun i -> i = k),
              Par.find_opt ?grain 0 far (fun i -> i >= k),
              Par.exists ?grain 0 far (fun i -> i = k),
              Par.for_all ?grain 0 far (fun i -> i <> k) ))
        = (Some k, Some k, true, false));
  ]

module F = Par.Floatarray
module B = Par.Bigarray

let floats =
  with_
    ~more:(fun a -> Printf.sprintf ", %d elements" (Array.length a))
    (array QCheck.Gen.(float_bound_inclusive 1000.))

let to_floatarray a = Float.Array.init (Array.length a) (Array.get a)
let to_array a = Array.init (Float.Array.length a) (Float.Array.get a)

let unboxed =
  [
    law "floatarray" floats (fun t a ->
        let f = to_floatarray a and grain = t.grain in
        let n = Array.length a in
        let sums = Array.make n 0. in
        let results =
          inside t (fun () ->
              F.iteri ?grain (fun i x -> sums.(i) <- x +. 1.) f;
              let left, total = F.scan ?grain Float.max 3. f in
              [
                F.init ?grain n (Array.get a);
                F.map ?grain (fun x -> x *. 2.) f;
                F.mapi ?grain (fun i x -> x *. float_of_int i) f;
                F.map2 ?grain ( -. ) f f;
                left;
                F.scan_inclusive ?grain Float.max 3. f;
                Float.Array.make 1 total;
                Float.Array.make 1
                  (F.map_reduce ?grain ~map:Float.neg ~combine:Float.min
                     ~init:0. f);
              ])
        in
        let left, total = Par.Array.scan Float.max 3. a in
        compare
          (List.map to_array results)
          [
            a;
            Array.map (fun x -> x *. 2.) a;
            Array.mapi (fun i x -> x *. float_of_int i) a;
            Array.map (fun x -> x -. x) a;
            left;
            Par.Array.scan_inclusive Float.max 3. a;
            [| total |];
            [| Array.fold_left (fun m x -> Float.min m (-.x)) 0. a |];
          ]
        = 0
        && sums = Array.map (fun x -> x +. 1.) a);
    law "floatarray sort" floats (fun t a ->
        let f = to_floatarray a in
        inside t (fun () -> F.sort ?grain:t.grain Float.compare f);
        Array.stable_sort Float.compare a;
        to_array f = a);
    (* Equal to the bit, for any number of workers, and outside a run. *)
    law "sums with a grain do not depend on the run" floats (fun t a ->
        let f = to_floatarray a in
        let grain = Option.value t.grain ~default:100 in
        let sums () =
          let b, total = Par.Array.scan ~grain ( +. ) 0.1 a in
          ( F.sum f,
            F.sum ~grain f,
            Par.Array.fold ~grain ( +. ) 0.1 a,
            Par.map_reduce_chunks ~grain 0 (Array.length a)
              ~map:(fun l h ->
                Array.fold_left ( +. ) 0. (Array.sub a l (h - l)))
              ~combine:( +. ) ~init:0.,
            b,
            total )
        in
        compare (sums ()) (inside t sums) = 0);
    law "bigarray" floats (fun t a ->
        let open Bigarray in
        let grain = t.grain in
        let n = Array.length a in
        let both layout first =
          let b = B.init ?grain float64 layout n (fun i -> a.(i - first)) in
          let c = B.map ?grain int int_of_float b in
          let d = Array1.create float64 layout n in
          B.fill ?grain d 1.;
          let ones =
            B.map_reduce ?grain ~map:Fun.id ~combine:( +. ) ~init:0. d
          in
          B.blit ?grain b d;
          let seen = Array.make n 0 in
          B.iteri ?grain (fun i x -> seen.(i - first) <- x) c;
          ones = float_of_int n
          && Array.init n (fun i -> d.{i + first}) = a
          && seen = Array.map int_of_float a
        in
        inside t (fun () -> both c_layout 0 && both fortran_layout 1));
  ]

let raises name expected f =
  case name (fun () -> Alcotest.check_raises name (Invalid_argument expected) f)

let misuse =
  [
    raises "grain 0" "Dromos.Par: ~grain is 0, it must be at least 1" (fun () ->
        Par.for_ ~grain:0 0 10 ignore);
    raises "grain -1, chunks" "Dromos.Par: ~grain is -1, it must be at least 1"
      (fun () -> Par.for_chunks ~grain:(-1) 0 10 (fun _ _ -> ()));
    raises "grain 0, empty reduction"
      "Dromos.Par: ~grain is 0, it must be at least 1" (fun () ->
        ignore (Par.map_reduce ~grain:0 0 0 ~map:Fun.id ~combine:( + ) ~init:0));
    raises "range too long"
      "Dromos.Par: the range has more than max_int elements" (fun () ->
        Par.for_ (-2) max_int ignore);
    raises "init" "Dromos.Par.Array.init: the length is -1" (fun () ->
        ignore (Par.Array.init (-1) Fun.id));
    raises "map2" "Dromos.Par.Array.map2: the lengths are 1 and 2" (fun () ->
        ignore (Par.Array.map2 ( + ) [| 1 |] [| 1; 2 |]));
    raises "blit too far"
      "Dromos.Par.Array.blit: no 3 elements from 1 in an array of 3" (fun () ->
        Par.Array.blit [| 1; 2; 3 |] 0 [| 1; 2; 3 |] 1 3);
    raises "blit onto itself" "Dromos.Par.Array.blit: the ranges overlap"
      (fun () ->
        let a = [| 1; 2; 3 |] in
        Par.Array.blit a 0 a 1 2);
    case "empty and backward ranges" (fun () ->
        Par.for_ 3 3 (fun _ -> assert false);
        Par.for_ 3 min_int (fun _ -> assert false);
        Dromos.run (fun () ->
            Par.for_ 3 3 (fun _ -> assert false);
            Par.for_chunks 3 2 (fun _ _ -> assert false);
            assert (Par.find_opt max_int min_int (fun _ -> true) = None)));
  ]

let tests = loops @ searches @ unboxed @ misuse
