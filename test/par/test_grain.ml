(* Every function with [?grain] refuses a grain of 0, also where there is no element
   and where there is no run. *)

module Par = Dromos.Par

let grain = 0

let ranges n =
  let all _ _ = true in
  [
    ("for_", fun () -> Par.for_ ~grain 0 n ignore);
    ("for_chunks", fun () -> Par.for_chunks ~grain 0 n (fun _ _ -> ()));
    ( "map_reduce",
      fun () ->
        ignore (Par.map_reduce ~grain 0 n ~map:Fun.id ~combine:( + ) ~init:0) );
    ( "map_reduce_chunks",
      fun () ->
        ignore
          (Par.map_reduce_chunks ~grain 0 n ~map:( + ) ~combine:( + ) ~init:0)
    );
    ( "scan_chunks",
      fun () ->
        ignore
          (Par.scan_chunks ~grain 0 n ~reduce:( + ) ~combine:( + )
             ~write:(fun left _ _ -> left)
             ~init:0) );
    ("find_opt", fun () -> ignore (Par.find_opt ~grain 0 n (fun _ -> false)));
    ( "find_map",
      fun () -> ignore (Par.find_map ~grain 0 n (fun _ -> None) : int option) );
    ( "find_map_chunks",
      fun () ->
        ignore (Par.find_map_chunks ~grain 0 n (fun _ _ -> None) : int option)
    );
    ("exists", fun () -> ignore (Par.exists ~grain 0 n (fun _ -> false)));
    ("exists_chunks", fun () -> ignore (Par.exists_chunks ~grain 0 n all));
    ("for_all", fun () -> ignore (Par.for_all ~grain 0 n (fun _ -> true)));
    ("for_all_chunks", fun () -> ignore (Par.for_all_chunks ~grain 0 n all));
  ]

let arrays n =
  let a = Array.init n Fun.id in
  let yes _ = true and none _ : int option = None in
  let open Par.Array in
  [
    ("Array.init", fun () -> ignore (init ~grain n succ));
    ("Array.iter", fun () -> iter ~grain ignore a);
    ("Array.iteri", fun () -> iteri ~grain (fun _ _ -> ()) a);
    ("Array.iter2", fun () -> iter2 ~grain (fun _ _ -> ()) a a);
    ("Array.map", fun () -> ignore (map ~grain succ a));
    ("Array.mapi", fun () -> ignore (mapi ~grain ( + ) a));
    ("Array.map2", fun () -> ignore (map2 ~grain ( + ) a a));
    ("Array.map_inplace", fun () -> map_inplace ~grain succ a);
    ("Array.fold", fun () -> ignore (fold ~grain ( + ) 0 a));
    ( "Array.map_reduce",
      fun () -> ignore (map_reduce ~grain ~map:succ ~combine:( + ) ~init:0 a) );
    ("Array.count", fun () -> ignore (count ~grain yes a));
    ("Array.scan", fun () -> ignore (scan ~grain ( + ) 0 a));
    ("Array.scan_inclusive", fun () -> ignore (scan_inclusive ~grain ( + ) 0 a));
    ("Array.filter", fun () -> ignore (filter ~grain yes a));
    ("Array.filter_map", fun () -> ignore (filter_map ~grain none a));
    ("Array.partition", fun () -> ignore (partition ~grain yes a));
    ("Array.concat", fun () -> ignore (concat ~grain [ a ]));
    ("Array.sort", fun () -> sort ~grain Int.compare a);
    ("Array.merge", fun () -> ignore (merge ~grain Int.compare a a));
    ("Array.sort_by", fun () -> sort_by ~grain Int.compare succ a);
    ("Array.unstable_sort", fun () -> unstable_sort ~grain Int.compare a);
    ("Array.group_by", fun () -> ignore (group_by ~grain succ a));
    ("Array.count_by", fun () -> ignore (count_by ~grain succ a));
    ("Array.histogram", fun () -> ignore (histogram ~grain ~buckets:9 Fun.id a));
    ("Array.map_chunks", fun () -> ignore (map_chunks ~grain 2 Array.length a));
    ("Array.iter_chunks", fun () -> iter_chunks ~grain 2 ignore a);
    ( "Array.map_windows",
      fun () -> ignore (map_windows ~grain 1 (fun _ i -> i) a) );
    ("Array.find_opt", fun () -> ignore (find_opt ~grain yes a));
    ("Array.find_index", fun () -> ignore (find_index ~grain yes a));
    ("Array.find_map", fun () -> ignore (find_map ~grain none a));
    ("Array.exists", fun () -> ignore (exists ~grain yes a));
    ("Array.for_all", fun () -> ignore (for_all ~grain yes a));
    ("Array.mem", fun () -> ignore (mem ~grain 1 a));
    ("Array.blit", fun () -> blit ~grain a 0 (Array.copy a) 0 n);
    ("Array.blit in place", fun () -> blit ~grain a 0 a 0 n);
  ]

let lists n =
  let l = List.init n Fun.id in
  let open Par.List in
  [
    ("List.iter", fun () -> iter ~grain ignore l);
    ("List.map", fun () -> ignore (map ~grain succ l));
    ("List.filter", fun () -> ignore (filter ~grain (fun _ -> true) l));
    ( "List.filter_map",
      fun () -> ignore (filter_map ~grain (fun _ -> None) l : int list) );
    ("List.concat_map", fun () -> ignore (concat_map ~grain (fun x -> [ x ]) l));
    ( "List.map_reduce",
      fun () -> ignore (map_reduce ~grain ~map:succ ~combine:( + ) ~init:0 l) );
    ("List.sort", fun () -> ignore (sort ~grain Int.compare l));
    ("List.group_by", fun () -> ignore (group_by ~grain succ l));
  ]

let floats n =
  let a = Float.Array.make n 1. in
  let open Par.Floatarray in
  [
    ("Floatarray.init", fun () -> ignore (init ~grain n float_of_int));
    ("Floatarray.map", fun () -> ignore (map ~grain sqrt a));
    ("Floatarray.mapi", fun () -> ignore (mapi ~grain (fun _ x -> x) a));
    ("Floatarray.map2", fun () -> ignore (map2 ~grain ( +. ) a a));
    ("Floatarray.iteri", fun () -> iteri ~grain (fun _ _ -> ()) a);
    ( "Floatarray.map_reduce",
      fun () -> ignore (map_reduce ~grain ~map:sqrt ~combine:( +. ) ~init:0. a)
    );
    ("Floatarray.sum", fun () -> ignore (sum ~grain a));
    ("Floatarray.scan", fun () -> ignore (scan ~grain ( +. ) 0. a));
    ( "Floatarray.scan_inclusive",
      fun () -> ignore (scan_inclusive ~grain ( +. ) 0. a) );
    ("Floatarray.sort", fun () -> sort ~grain Float.compare a);
  ]

let bigarrays n =
  let a = Bigarray.(Array1.init int c_layout n Fun.id) in
  let open Par.Bigarray in
  [
    ( "Bigarray.init",
      fun () -> ignore (init ~grain Bigarray.int Bigarray.c_layout n Fun.id) );
    ("Bigarray.fill", fun () -> fill ~grain a 0);
    ("Bigarray.blit", fun () -> blit ~grain a a);
    ("Bigarray.map", fun () -> ignore (map ~grain Bigarray.int succ a));
    ("Bigarray.iteri", fun () -> iteri ~grain (fun _ _ -> ()) a);
    ( "Bigarray.map_reduce",
      fun () -> ignore (map_reduce ~grain ~map:succ ~combine:( + ) ~init:0 a) );
  ]

let functions n = ranges n @ arrays n @ lists n @ floats n @ bigarrays n

let refused n (name, call) =
  Alcotest.check_raises
    (Printf.sprintf "%s, %d elements" name n)
    (Invalid_argument "Dromos.Par: ~grain is 0, it must be at least 1") call

let all_refused n () =
  List.iter (refused n) (functions n);
  Dromos.run ~workers:2 (fun () -> List.iter (refused n) (functions n))

let tests =
  let case (name, n) = Alcotest.test_case name `Quick (all_refused n) in
  List.map case [ ("no element", 0); ("an element", 1); ("elements", 5) ]
