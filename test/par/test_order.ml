(* Sorting by key, sorting in place, and selection: against [Stdlib], on inputs
   that are bad for quicksorts, with comparisons that raise or are no order. *)

open Draw
module A = Par.Array

exception Boom

(* {1 Inputs} *)

(* An input against exactly this sort: the comparison decides the elements while
   it is called, so that each pivot becomes one of the least (McIlroy, "A killer
   adversary for quicksort", 1999). The result is the array consistent with the
   answers. *)
let killer sort n =
  let gas = n - 1 in
  let value = Array.make n gas in
  let solid = ref 0 and candidate = ref 0 in
  let freeze i =
    value.(i) <- !solid;
    incr solid
  in
  let cmp x y =
    if value.(x) = gas && value.(y) = gas then
      if x = !candidate then freeze x else freeze y;
    if value.(x) = gas then candidate := x
    else if value.(y) = gas then candidate := y;
    Int.compare value.(x) value.(y)
  in
  let a = Array.init n Fun.id in
  sort cmp a;
  value

let shapes =
  [
    ("random", fun n -> Array.init n (fun i -> i * 7919 mod 10_007));
    ("equal", fun n -> Array.make n 5);
    ("two values", fun n -> Array.init n (fun i -> i land 1));
    ("sorted", fun n -> Array.init n Fun.id);
    ("reversed", fun n -> Array.init n (fun i -> n - i));
    ("organ pipe", fun n -> Array.init n (fun i -> Int.min i (n - i)));
    ("saw", fun n -> Array.init n (fun i -> i mod 17));
    ( "one out of place",
      fun n -> Array.init n (fun i -> if i = n / 2 then -1 else i) );
    ("killer of sort", killer (fun cmp a -> A.unstable_sort cmp a));
    ( "killer of select",
      fun n ->
        killer
          (fun cmp a -> if n > 0 then ignore (A.select_nth cmp (n / 2) a))
          n );
  ]

let input =
  with_
    ~more:(fun (shape, n) -> Printf.sprintf ", %s %d" (fst shape) n)
    QCheck.Gen.(pair (oneofl shapes) length)

let sorted a =
  let b = Array.copy a in
  Array.stable_sort compare b;
  b

let permutation a b = compare (sorted a) (sorted b) = 0

(* {1 Results} *)

let is_selected cmp k a x =
  let right = ref (cmp a.(k) x = 0) in
  Array.iteri
    (fun i y ->
      let c = cmp y x in
      if (i < k && c > 0) || (i > k && c < 0) then right := false)
    a;
  !right

let results =
  [
    law ~count:150 "unstable_sort" input (fun t ((_, make), n) ->
        let a = make n in
        let b = Array.copy a in
        inside t (fun () ->
            A.unstable_sort ?grain:t.grain
              (fun x y ->
                spice t;
                Int.compare x y)
              b);
        sorted a = b);
    law "unstable_sort, floats and nan"
      (of_array
         QCheck.Gen.(
           map (fun n -> if n = 0 then nan else float_of_int n) (int_bound 50)))
      (fun t a ->
        let b = Array.copy a in
        inside t (fun () -> A.unstable_sort ?grain:t.grain Float.compare b);
        compare (sorted a) b = 0);
    law ~count:150 "select_nth" input (fun t ((_, make), n) ->
        let a = make n in
        n = 0
        ||
        let k = n * 7 / 9 in
        let b = Array.copy a in
        let x = inside t (fun () -> A.select_nth Int.compare k b) in
        permutation a b && is_selected Int.compare k b x && (sorted a).(k) = x);
    law "sort_by: stable, each key once"
      (of_array QCheck.Gen.(int_bound 300))
      (fun t a ->
        let b = Array.mapi (fun i x -> (x, i)) a in
        let calls = Atomic.make 0 in
        let key (x, _) =
          spice t;
          Atomic.incr calls;
          x / 10
        in
        let c = Array.copy b in
        inside t (fun () -> A.sort_by ?grain:t.grain Int.compare key b);
        Array.stable_sort (fun (x, _) (y, _) -> Int.compare (x / 10) (y / 10)) c;
        b = c && Atomic.get calls = Array.length a);
    Alcotest.test_case "sort_by: the key of one element" `Quick (fun () ->
        match A.sort_by Int.compare (fun _ -> raise Exit) [| 1 |] with
        | () -> Alcotest.fail "the key was not called"
        | exception Exit -> ());
    law "lists"
      (of_array QCheck.Gen.(int_bound 300))
      (fun t a ->
        let l = Array.to_list (Array.mapi (fun i x -> (x, i)) a) in
        let cmp (x, _) (y, _) = Int.compare x y in
        inside t (fun () -> Par.List.sort ?grain:t.grain cmp l)
        = List.stable_sort cmp l);
  ]

(* {1 Cost} *)

(* The number of comparisons, not a time. *)
let comparisons run =
  let count = Atomic.make 0 in
  run (fun x y ->
      Atomic.incr count;
      Int.compare x y);
  Atomic.get count

let cheap name run =
  List.map
    (fun (shape, make) ->
      case (Printf.sprintf "%s, %s: n log n" name shape) (fun () ->
          let n = 20_000 in
          let a = make n in
          let most = 5 * n * 15 in
          let found = comparisons (fun cmp -> run cmp a) in
          if found > most then
            Alcotest.failf "%d comparisons, at most %d expected" found most))
    shapes

let cost =
  cheap "unstable_sort" (fun cmp a ->
      Dromos.run ~workers:2 (fun () -> A.unstable_sort cmp a))
  @ cheap "select_nth" (fun cmp a -> ignore (A.select_nth cmp 10_000 a))

(* {1 Comparisons that misbehave} *)

let disorders =
  [
    ("less than", fun x y -> if x < y then 1 else 0);
    ("always less", fun _ _ -> -1);
    ("always greater", fun _ _ -> 1);
    ("a circle", fun x y -> ((x - y + 30_000) mod 3) - 1);
    ("a hash", fun x y -> (Hashtbl.hash (x, y) mod 3) - 1);
  ]

let misbehaving =
  List.map
    (fun (name, cmp) ->
      law (name ^ ": a permutation") input (fun t ((_, make), n) ->
          let a = make n in
          let b = Array.copy a and c = Array.copy a in
          inside t (fun () ->
              A.unstable_sort ?grain:t.grain cmp b;
              if n > 0 then ignore (A.select_nth cmp (n / 2) c : int));
          permutation a b && permutation a c))
    disorders

let boundary =
  let sorts =
    [
      ("unstable_sort", fun grain cmp a -> A.unstable_sort ?grain cmp a);
      ( "select_nth",
        fun _ cmp a ->
          if a <> [||] then
            ignore (A.select_nth cmp (Array.length a / 2) a : int) );
      ("sort_by", fun grain cmp a -> A.sort_by ?grain cmp Fun.id a);
    ]
  in
  List.concat_map
    (fun (name, sort) ->
      [
        law
          (name ^ ": a permutation if the comparison raises")
          (with_
             QCheck.Gen.(pair (pair (oneofl shapes) length) (int_bound 60_000)))
          (fun t (((_, make), n), after) ->
            let a = make n in
            let b = Array.copy a in
            let left = Atomic.make after in
            let cmp x y =
              if Atomic.fetch_and_add left (-1) = 0 then raise Boom;
              Int.compare x y
            in
            (match inside t (fun () -> sort t.grain cmp b) with
            | () -> ()
            | exception Boom -> ());
            permutation a b);
        law
          (name ^ ": a permutation if cancelled")
          (with_
             QCheck.Gen.(pair (pair (oneofl shapes) length) (int_bound 60_000)))
          (fun t (((_, make), n), after) ->
            let a = make n in
            let b = Array.copy a in
            let left = Atomic.make after in
            let t = { t with workers = Int.max 1 t.workers } in
            inside t (fun () ->
                try
                  Dromos.Scope.run (fun scope ->
                      sort t.grain
                        (fun x y ->
                          if Atomic.fetch_and_add left (-1) = 0 then
                            Dromos.Scope.cancel scope;
                          Int.compare x y)
                        b)
                with Dromos.Cancelled -> ());
            permutation a b);
      ])
    sorts

let misuse =
  List.map
    (fun (k, n) ->
      case (Printf.sprintf "no element %d of %d" k n) (fun () ->
          Alcotest.check_raises "select_nth"
            (Invalid_argument
               (Printf.sprintf
                  "Dromos.Par.Array.select_nth: no element %d in an array of %d"
                  k n))
            (fun () ->
              ignore (A.select_nth Int.compare k (Array.make n 0) : int))))
    [ (0, 0); (3, 3); (-1, 3) ]

let tests = results @ cost @ misbehaving @ boundary @ misuse
