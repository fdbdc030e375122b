(* Dromos.Random: the same draws in every run. *)

open With_run
module R = Dromos.Random

let everywhere f =
  each_hub (fun hub -> List.iter (fun workers -> f ~workers ~hub) [ 1; 2; 4 ])

let draw () = R.int 1_000_000

let work () =
  let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2) in
  ignore (Sys.opaque_identity (fib 12))

let drawn _ = work (); draw () [@@ocamlformat "disable"]

(* The numbers of [f] in any run are those of a run with one worker; with
   [plain], also the numbers outside a run. *)
let same ?(plain = false) what f =
  let seeded () = R.run ~seed:7 f in
  let expected = Dromos.run ~workers:1 seeded in
  let check v =
    if v <> expected then raise (Wrong (what ^ ": other numbers"))
  in
  if plain then check (seeded ());
  everywhere (fun ~workers ~hub ->
      times 4 (fun _ ->
          check (Dromos.run ~workers ~hub seeded);
          (* The seed outside the run. *)
          check (R.run ~seed:7 (fun () -> Dromos.run ~workers ~hub f))));
  ensure
    (what ^ ": another seed, the same numbers")
    (expected <> Dromos.run ~workers:2 (fun () -> R.run ~seed:8 f))

let rec tree n =
  if n = 0 then [ drawn () ]
  else
    let mine = draw () in
    let a, b = Dromos.both (fun () -> tree (n - 1)) (fun () -> tree (n - 1)) in
    (mine :: a) @ (draw () :: b)

let forks () =
  same ~plain:true "both" (fun () -> tree 6);
  same ~plain:true "all" (fun () ->
      draw () :: Dromos.all [ drawn; drawn; drawn; drawn; drawn ]);
  same "Ctx.both" (fun () ->
      let rec tree ctx n =
        if n = 0 then [ drawn () ]
        else
          let a, b =
            Dromos.Ctx.both ctx
              (fun ctx -> tree ctx (n - 1))
              (fun ctx -> tree ctx (n - 1))
          in
          a @ b
      in
      tree (Dromos.Ctx.get ()) 6)

let loops () =
  let numbers = List.init 300 Fun.id in
  let list ?grain () = Dromos.Par.List.map ?grain drawn numbers in
  same ~plain:true "Par.List.map" (fun () -> list ());
  same "two loops" (fun () -> list () @ (draw () :: list ()));
  same ~plain:true "map_reduce" (fun () ->
      [ Dromos.Par.map_reduce 0 300 ~map:drawn ~combine:( + ) ~init:0 ]);
  same "nested" (fun () ->
      List.concat
        (Dromos.Par.List.map ~grain:1
           (fun _ -> Dromos.Par.List.map ~grain:1 drawn [ 1; 2; 3 ])
           numbers));
  same ~plain:true "chunks" (fun () ->
      let sum = Atomic.make 0 in
      Dromos.Par.for_chunks ~grain:7 0 300 (fun _ _ ->
          ignore (Atomic.fetch_and_add sum (drawn ()) : int));
      [ Atomic.get sum ]);
  (* The draws of an index do not depend on the cuts of the loop. *)
  let seeded grain () = R.run ~seed:7 (fun () -> list ?grain ()) in
  ensure "whatever the grain" (any (seeded None) = any (seeded (Some 50)))

let tasks () =
  same "async" (fun () ->
      let tasks = List.init 50 (fun _ -> Dromos.async drawn) in
      draw () :: List.map Dromos.await tasks);
  same "Scope" (fun () ->
      let found = Array.make 20 0 in
      Dromos.Scope.run (fun scope ->
          for i = 0 to 19 do
            Dromos.Scope.fork scope (fun () -> found.(i) <- drawn ())
          done);
      Array.to_list found);
  same "Dag" (fun () ->
      let g = Dromos.Dag.create () and found = Array.make 20 0 in
      for i = 0 to 19 do
        ignore (Dromos.Dag.vertex g (fun () -> found.(i) <- drawn ()))
      done;
      Dromos.Dag.run g;
      Array.to_list found);
  same "blocking" (fun () ->
      let there = Dromos.blocking draw in
      [ there; draw () ])

let interface () =
  any (fun () ->
      R.run ~seed:1 (fun () ->
          let within a b x = a <= x && x < b in
          times 200 (fun _ ->
              ensure "int" (within 0 10 (R.int 10));
              ensure "int_in_range" (within 5 8 (R.int_in_range ~min:5 ~max:7));
              ensure "float" (within 0. 2. (R.float 2.));
              ensure "full_int" (within 0 max_int (R.full_int max_int));
              ensure "bits" (R.bits () >= 0));
          let ones = ref 0 in
          times 1000 (fun _ -> if R.bool () then incr ones);
          ensure "bool" (within 350 650 !ones);
          let distinct =
            List.sort_uniq compare (Dromos.Par.List.map drawn (List.init 500 Fun.id))
          in
          ensure "streams differ" (List.length distinct > 490)))
[@@ocamlformat "disable"]

let refused () =
  let misplaced what f =
    match f () with
    | _ -> raise (Wrong (what ^ ": no exception"))
    | exception Dromos.Misplaced _ -> ()
  in
  misplaced "outside" (fun () -> any draw);
  everywhere (fun ~workers ~hub ->
      misplaced "combine" (fun () ->
          Dromos.run ~workers ~hub (fun () ->
              R.run ~seed:1 (fun () ->
                  Dromos.Par.map_reduce 0 50 ~map:Fun.id
                    ~combine:(fun a b -> a + b + draw ())
                    ~init:0)));
      misplaced "sort" (fun () ->
          Dromos.run ~workers ~hub (fun () ->
              R.run ~seed:1 (fun () ->
                  Dromos.Par.Array.sort
                    (fun _ _ -> R.int 3 - 1)
                    (Array.init 100 Fun.id)))))

let cases =
  [
    case "forks" forks;
    case "loops" loops;
    case "tasks" tasks;
    case "the interface" interface;
    case "where there is none" refused;
  ]
