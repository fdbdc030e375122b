(* The weak bag, without fibers. *)

let strong = Sys.opaque_identity (List.init 100 (fun i -> ref i))
let sum r = Registry.fold (fun n x -> n + !x) 0 r
let all = 4950

let keeps_nothing () =
  let r = Registry.create ~none:0 ~gone:ignore () in
  List.iter (fun x -> Registry.add r x 1) strong;
  for i = 1 to 1000 do
    Registry.add r (ref i) 1
  done;
  Gc.full_major ();
  Alcotest.(check int) "reachable fibers are there, the rest is not" all (sum r);
  Alcotest.(check int) "added" 1100 (Registry.added r);
  Alcotest.(check int)
    "still reachable" 100
    (List.length (Sys.opaque_identity strong))

(* Emptied slots are filled again, in any order. *)
let each_once () =
  let r = Registry.create ~none:0 ~gone:ignore () in
  List.iter
    (fun x ->
      Registry.add r (ref 1000) 1;
      Registry.add r x 1;
      if !x mod 10 = 0 then Gc.full_major ())
    strong;
  Gc.full_major ();
  let found = List.sort compare (Registry.fold (fun l x -> !x :: l) [] r) in
  Alcotest.(check (list int)) "each, once" (List.init 100 Fun.id) found;
  ignore (Sys.opaque_identity strong)

(* The bag reports a dead element, at a look or when the element's slot is used
   again. *)
let tells_what_is_gone () =
  let gone = Hashtbl.create 100 in
  let tell note = Hashtbl.replace gone note () in
  let r = Registry.create ~none:0 ~gone:tell () in
  List.iter (fun x -> Registry.add r x (-1)) strong;
  for i = 1 to 3000 do
    Registry.add r (ref i) i
  done;
  Gc.full_major ();
  for _ = 1 to 4 do
    Registry.look r
  done;
  Alcotest.(check int) "by looks" 3000 (Hashtbl.length gone);
  Alcotest.(check bool) "nothing of the others" false (Hashtbl.mem gone (-1));
  for i = 3001 to 3040 do
    Registry.add r (ref i) i
  done;
  Gc.full_major ();
  for _ = 1 to 10_000 do
    Registry.add r (ref 0) 0
  done;
  Alcotest.(check bool)
    "most of them, by newcomers" true
    (Hashtbl.length gone > 3020);
  ignore (Sys.opaque_identity strong)

(* A million short-lived elements leave little memory behind. *)
let bounded () =
  let r = Registry.create ~none:0 ~gone:ignore () in
  List.iter (fun x -> Registry.add r x 1) strong;
  for _ = 1 to 20 do
    for i = 1 to 50_000 do
      Registry.add r (ref i) 1
    done;
    Gc.full_major ()
  done;
  Registry.add r (ref 0) 1;
  Gc.full_major ();
  let words = Obj.reachable_words (Obj.repr r) in
  Alcotest.(check bool) (Printf.sprintf "%d words" words) true (words < 300_000);
  Alcotest.(check int) "and all that is reachable is there" all (sum r);
  ignore (Sys.opaque_identity strong)

(* A bag outlives the domain that made its arrays, with all elements in use. *)
let domains_end () =
  Weak_ends.settle ();
  let stop = Atomic.make false in
  let collect () =
    while not (Atomic.get stop) do
      ignore (Gc.major_slice 0 : int)
    done
  in
  let collecting = Domain.spawn collect in
  let bag () =
    let r = Registry.create ~none:0 ~gone:ignore () in
    for i = 1 to 1000 do
      Registry.add r (ref i) 1
    done;
    List.iter (fun x -> Registry.add r x 1) strong;
    r
  in
  for _ = 1 to 20 do
    let domains = List.init 3 (fun _ -> Domain.spawn bag) in
    let bags = List.map Domain.join domains in
    Gc.full_major ();
    List.iter
      (fun r -> Alcotest.(check int) "the fibers in use" all (sum r))
      bags
  done;
  Atomic.set stop true;
  Domain.join collecting;
  ignore (Sys.opaque_identity strong)

(* Domains end at any point of a collection, and the collection still ends. On
   OCaml before 5.5, without [Weak_ends.settle], a collection hung after some
   ten rounds. *)
let collections_end () =
  Weak_ends.settle ();
  let arrays () =
    List.init 400 (fun _ ->
        let w = Weak.create 33 in
        for k = 0 to 32 do
          Weak.set w k
            (Some (if k land 1 = 0 then ref k else List.nth strong k))
        done;
        w)
  in
  let ending slices () =
    let all = arrays () in
    for _ = 1 to slices do
      ignore (Gc.major_slice 300 : int)
    done;
    ignore (Sys.opaque_identity all)
  in
  for round = 1 to 150 do
    let slices i = (round + (5 * i)) mod 12 in
    let domains = List.init 3 (fun i -> Domain.spawn (ending (slices i))) in
    ignore (Gc.major_slice 3000 : int);
    List.iter Domain.join domains;
    if round mod 5 = 0 then Gc.full_major ()
  done

let () =
  Alcotest.run "registry"
    [
      ( "weak",
        [
          Alcotest.test_case "keeps nothing" `Quick keeps_nothing;
          Alcotest.test_case "each once" `Quick each_once;
          Alcotest.test_case "tells what is gone" `Quick tells_what_is_gone;
          Alcotest.test_case "bounded" `Quick bounded;
          Alcotest.test_case "domains end" `Quick domains_end;
          Alcotest.test_case "collections end" `Quick collections_end;
        ] );
    ]
