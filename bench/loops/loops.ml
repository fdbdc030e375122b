(* Time of each function of [Par] over the time of the sequential function on
   the same data: medians of ratios; the two functions are measured in turn. One
   worker is measured in processor time, which other programs do not disturb;
   two workers are measured in wall time. *)

module Par = Dromos.Par

let n = ref 1_000_000
let runs = ref 15
let word = ref ""

let () =
  Arg.parse
    [
      ("-n", Arg.Set_int n, "ELEMENTS (1000000)");
      ("-r", Arg.Set_int runs, "RUNS (15)");
    ]
    (fun w -> word := w)
    "loops [-n ELEMENTS] [-r RUNS] [WORD]: rows with WORD in their name"

let median l =
  let a = Array.of_list l in
  Array.sort Float.compare a;
  a.(Array.length a / 2)

let time clock f =
  let start = clock () in
  f ();
  clock () -. start

(* The sequential time, and the median of the ratios. *)
let compare_to clock sequential parallel =
  let pair _ =
    let s = time clock sequential in
    (s, time clock parallel /. s)
  in
  let pairs = List.init !runs pair in
  (median (List.map fst pairs), median (List.map snd pairs))

let contains s w =
  let n = String.length w in
  let rec at i =
    i + n <= String.length s && (String.sub s i n = w || at (i + 1))
  in
  at 0

let row name sequential parallel =
  if contains name !word then begin
    let at workers clock =
      Dromos.run ~workers (fun () ->
          sequential ();
          parallel ();
          compare_to clock sequential parallel)
    in
    let s, one = at 1 Sys.time in
    let _, two = at 2 Unix.gettimeofday in
    Printf.printf "%-28s %8.2f ns %7.2f %7.2f\n%!" name
      (s *. 1e9 /. float_of_int !n)
      one two
  end

let keep x = ignore (Sys.opaque_identity x)

let work x =
  let x = ref x in
  for _ = 1 to 100 do
    x := (!x * 25214903917) + 11
  done;
  !x

let scan combine zero a =
  let acc = ref zero in
  Array.map
    (fun x ->
      let left = !acc in
      acc := combine left x;
      left)
    a

let arrays () =
  let a = Array.init !n (fun i -> i + 10) in
  let f = Array.map float_of_int a in
  let same name s p =
    row name (fun () -> keep (s ())) (fun () -> keep (p ()))
  in
  let big x = x < 0 in
  let up x = x + 1 in
  same "find_index"
    (fun () -> Array.find_index (fun x -> x = 7) a)
    (fun () -> Par.Array.find_index (fun x -> x = 7) a);
  same "find_opt"
    (fun () -> Array.find_opt big a)
    (fun () -> Par.Array.find_opt big a);
  same "exists"
    (fun () -> Array.exists big a)
    (fun () -> Par.Array.exists big a);
  same "for_all"
    (fun () -> Array.for_all (fun x -> x > 0) a)
    (fun () -> Par.Array.for_all (fun x -> x > 0) a);
  same "fold"
    (fun () -> Array.fold_left ( + ) 0 a)
    (fun () -> Par.Array.fold ( + ) 0 a);
  same "fold, floats"
    (fun () -> Array.fold_left ( +. ) 0. f)
    (fun () -> Par.Array.fold ( +. ) 0. f);
  same "map" (fun () -> Array.map up a) (fun () -> Par.Array.map up a);
  same "map, floats"
    (fun () -> Array.map (fun x -> x +. 1.) f)
    (fun () -> Par.Array.map (fun x -> x +. 1.) f);
  same "iter"
    (fun () -> Array.iter (fun x -> if x < 0 then exit 1) a)
    (fun () -> Par.Array.iter (fun x -> if x < 0 then exit 1) a);
  same "init" (fun () -> Array.init !n up) (fun () -> Par.Array.init !n up);
  same "scan" (fun () -> scan ( + ) 0 a) (fun () -> Par.Array.scan ( + ) 0 a);
  same "count"
    (fun () ->
      Array.fold_left (fun n x -> if x land 1 = 0 then n + 1 else n) 0 a)
    (fun () -> Par.Array.count (fun x -> x land 1 = 0) a)

let lists () =
  let l = List.init !n Fun.id in
  let same name s p =
    row name (fun () -> keep (s ())) (fun () -> keep (p ()))
  in
  let up x = x + 1 in
  same "List.map" (fun () -> List.map up l) (fun () -> Par.List.map up l);
  same "List.map, 100 ns"
    (fun () -> List.map work l)
    (fun () -> Par.List.map work l);
  let even x = x land 1 = 0 in
  same "List.filter"
    (fun () -> List.filter even l)
    (fun () -> Par.List.filter even l);
  let half x = if even x then Some x else None in
  same "List.filter_map"
    (fun () -> List.filter_map half l)
    (fun () -> Par.List.filter_map half l);
  same "List.map_reduce"
    (fun () -> List.fold_left (fun s x -> s + x) 0 l)
    (fun () -> Par.List.map_reduce ~map:Fun.id ~combine:( + ) ~init:0 l)

let shuffled () =
  let state = Random.State.make [| 7 |] in
  Array.init !n (fun _ -> Random.State.bits state)

(* Each function sorts a copy of its own, in both columns. *)
let orders () =
  let a = shuffled () in
  let up = Array.init !n Fun.id in
  let on input name s p =
    row name
      (fun () -> keep (s (Array.copy input)))
      (fun () -> keep (p (Array.copy input)))
  in
  let cmp : int -> int -> int = compare in
  on a "sort" (Array.stable_sort cmp) (Par.Array.sort cmp);
  on a "unstable_sort" (Array.stable_sort cmp) (Par.Array.unstable_sort cmp);
  on a "unstable_sort, Array.sort" (Array.sort cmp)
    (Par.Array.unstable_sort cmp);
  on up "unstable_sort, sorted" (Array.stable_sort cmp)
    (Par.Array.unstable_sort cmp);
  let key x = string_of_int (x land 0xffff) in
  on a "sort_by"
    (Array.stable_sort (fun x y -> String.compare (key x) (key y)))
    (Par.Array.sort_by String.compare key);
  on a "select_nth" (Array.stable_sort cmp) (fun a ->
      ignore (Par.Array.select_nth cmp (!n / 2) a : int))

(* The usual loops: a table of lists, of counters, an array of counters. *)
let groups () =
  let a = shuffled () in
  let same name s p =
    row name (fun () -> keep (s ())) (fun () -> keep (p ()))
  in
  let group key () =
    let table = Hashtbl.create 64 in
    Array.iter
      (fun x ->
        let k = key x in
        match Hashtbl.find_opt table k with
        | Some l -> l := x :: !l
        | None -> Hashtbl.add table k (ref [ x ]))
      a;
    Hashtbl.fold
      (fun k l all -> (k, Array.of_list (List.rev !l)) :: all)
      table []
  in
  let few x = x land 255 in
  let many x = x land 0xfffff in
  same "group_by, 256 keys" (group few) (fun () -> Par.Array.group_by few a);
  same "group_by, a million keys" (group many) (fun () ->
      Par.Array.group_by many a);
  let count () =
    let table = Hashtbl.create 64 in
    Array.iter
      (fun x ->
        match Hashtbl.find_opt table (few x) with
        | Some n -> incr n
        | None -> Hashtbl.add table (few x) (ref 1))
      a;
    table
  in
  row "count_by"
    (fun () -> keep (count ()))
    (fun () -> keep (Par.Array.count_by few a));
  let histogram () =
    let counts = Array.make 256 0 in
    Array.iter (fun x -> counts.(few x) <- counts.(few x) + 1) a;
    counts
  in
  same "histogram" histogram (fun () -> Par.Array.histogram ~buckets:256 few a);
  let sum = Array.fold_left ( + ) 0 in
  same "map_chunks, 100"
    (fun () -> Array.init (!n / 100) (fun k -> sum (Array.sub a (k * 100) 100)))
    (fun () -> Par.Array.map_chunks 100 sum a);
  let slope a i = a.(i + 1) - a.(i) in
  same "map_windows, 2"
    (fun () -> Array.init (!n - 1) (slope a))
    (fun () -> Par.Array.map_windows 2 slope a)

let () =
  Printf.printf "%-28s %11s %7s %7s\n" "" "sequential" "1" "2 workers";
  arrays ();
  lists ();
  orders ();
  groups ()
