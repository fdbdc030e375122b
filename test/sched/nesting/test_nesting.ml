(* Random trees of the schedulers, with random work inside: every started fiber
   ends, once, despite failures and cancellations. *)

module Sched = Dromos.Sched
module Vproc = Sched.Vproc
module Fls = Sched.Fls

exception Boom

let pick l = List.nth l (Random.State.int Watch.chance (List.length l))
let chance n = Random.State.int Watch.chance n

(* {1 Trees} *)

type kind =
  | Round_robin
  | Balancing
  | Priority
  | Deadline
  | Bounded
  | Gang
  | Stealing

type tree =
  | Fiber of { pieces : int; raises : bool }
  | Under of kind * tree list

let name = function
  | Round_robin -> "round robin"
  | Balancing -> "balancing"
  | Priority -> "priority"
  | Deadline -> "deadline"
  | Bounded -> "bounded"
  | Gang -> "gang"
  | Stealing -> "stealing"

let rec show = function
  | Fiber { raises; _ } -> if raises then "raises" else "."
  | Under (kind, inside) ->
      Printf.sprintf "%s(%s)" (name kind)
        (String.concat " " (List.map show inside))

let rec make ~failing depth =
  if depth = 0 || chance 4 = 0 then
    Fiber { pieces = 1 + chance 6; raises = failing && chance 8 = 0 }
  else
    let kind =
      pick
        [ Round_robin; Balancing; Priority; Deadline; Bounded; Gang; Stealing ]
    in
    Under (kind, List.init (1 + chance 4) (fun _ -> make ~failing (depth - 1)))

let rec fibers = function
  | Fiber _ -> 1
  | Under (_, inside) -> List.fold_left (fun n t -> n + fibers t) 0 inside

let rec some_raise = function
  | Fiber { raises; _ } -> raises
  | Under (_, inside) -> List.exists some_raise inside

(* {1 Running them} *)

type counts = {
  started : int Atomic.t;
  left : int Atomic.t;
  ended : int Atomic.t;
}

(* The place where an inner scheduler puts its instances. *)
type place = (Vproc.t -> Sched.fiber -> unit) option

let inside kind (under : place) body =
  let give f _ k = f k in
  match kind with
  | Round_robin ->
      let module S = Sched.Round_robin in
      S.run ?under (fun () -> body (Some S.give) S.spawn)
  | Stealing ->
      let module S = Sched.Stealing in
      S.run ?under (fun () ->
          body (Some S.give) (fun ?name ?on:_ f -> S.spawn ?name f))
  | Balancing ->
      let module S = Sched.Load_balancing in
      S.run ?under (fun t ->
          body
            (Some (fun vproc k -> S.give t vproc k))
            (fun ?name ?on f -> S.spawn t ?name ?on f))
  | Priority ->
      let module S = Sched.Priority in
      S.run ?under (fun t ->
          body
            (Some (give (fun k -> S.give t k)))
            (fun ?name ?on:_ f ->
              S.spawn t ?name ~priority:(Hashtbl.hash (Fls.current ()) land 3) f))
  | Deadline ->
      let module S = Sched.Deadline in
      S.run ?under (fun t ->
          body
            (Some (give (fun k -> S.give t k)))
            (fun ?name ?on:_ f -> S.spawn t ?name f))
  | Bounded ->
      let module S = Sched.Bounded in
      S.run ?under ~at_most:2 (fun t ->
          body (Some (give (S.give t))) (fun ?name ?on:_ f -> S.spawn t ?name f))
  | Gang ->
      Sched.Gang.run ?under (fun () ->
          let futures = ref [] in
          let spawn ?name:_ ?on:_ f =
            futures := Sched.Gang.future1 f :: !futures
          in
          body None spawn;
          List.iter Sched.Gang.touch1 (List.rev !futures))

let mine = Fls.new_key ()

let rec fib n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
    a + b

let equal what expected found =
  if expected <> found then
    failwith (Printf.sprintf "%s: %d in place of %d" what found expected)

let stored () = Option.value (Fls.find_opt mine) ~default:(-1)

let piece n = function
  | 0 | 1 -> Sched.yield ()
  | 2 -> Dromos.sleep 0.0003
  | 3 -> equal "fib" 21 (fib 8)
  | 4 -> equal "async inherits" n (Dromos.await (Dromos.async stored))
  | 5 ->
      let a, b =
        Dromos.both
          (fun () ->
            Sched.yield ();
            stored ())
          stored
      in
      equal "a branch inherits" n a;
      equal "a branch inherits" n b
  | 6 ->
      let c = Dromos.Channel.create () in
      Dromos.Scope.run (fun s ->
          Dromos.Scope.fork s (fun () -> Dromos.Channel.send c n);
          equal "message" n (Dromos.Channel.recv c))
  | _ -> Dromos.protect (fun () -> Dromos.sleep 0.0001)

(* Only the main thread draws by chance: the life of a fiber follows from its
   number. *)
let life counts ~pieces ~raises n () =
  Atomic.incr counts.started;
  Fun.protect ~finally:(fun () -> Atomic.incr counts.left) @@ fun () ->
  Fls.set mine n;
  for i = 1 to pieces do
    piece n (((n * 7) + (i * i)) mod 8);
    equal "its storage" n (stored ())
  done;
  if raises then raise Boom;
  Atomic.incr counts.ended

let numbers = Atomic.make 0

let rec grow counts under (spawn : ?name:string -> ?on:Vproc.t -> _) tree =
  let n = Atomic.fetch_and_add numbers 1 in
  match tree with
  | Fiber { pieces; raises } -> spawn (life counts ~pieces ~raises n)
  | Under (kind, trees) ->
      let under = if n mod 2 = 0 then under else None in
      spawn (fun () ->
          inside kind under (fun under spawn ->
              List.iter (grow counts under spawn) trees))

let run counts ~workers tree =
  Dromos.run ~workers (fun () ->
      Sched.Round_robin.run (fun () ->
          grow counts None Sched.Round_robin.spawn tree))

let once ~failing ~cancelled () =
  let tree = Under (Round_robin, List.init 2 (fun _ -> make ~failing 3)) in
  let workers = 1 + chance 3 in
  let counts =
    { started = Atomic.make 0; left = Atomic.make 0; ended = Atomic.make 0 }
  in
  let says what =
    Printf.sprintf "%s (workers %d): %s" (show tree) workers what
  in
  let outcome =
    match
      if cancelled then
        Dromos.run ~workers (fun () ->
            Dromos.timeout 0.002 (fun () ->
                grow counts None Sched.Round_robin.spawn tree;
                Sched.Round_robin.run (fun () -> Dromos.sleep 0.001)))
      else run counts ~workers tree
    with
    | () -> `Done
    | exception Boom -> `Boom
    | exception Dromos.Timeout -> `Late
  in
  let started = Atomic.get counts.started in
  Watch.check Alcotest.int (says "all have ended") started
    (Atomic.get counts.left);
  (* A scope cancelled after the end of its body returns nevertheless. *)
  match outcome with
  | `Done ->
      if some_raise tree then Alcotest.fail (says "the exception is lost");
      if not cancelled then
        Watch.check Alcotest.int (says "all have run") (fibers tree)
          (Atomic.get counts.ended)
  | `Boom ->
      if not (some_raise tree) then Alcotest.fail (says "which fiber raised?")
  | `Late -> if not cancelled then Alcotest.fail (says "which fiber cancelled?")

let repeat n f () =
  for _ = 1 to n do
    f ()
  done

(* {1 Vprocs} *)

(* Fibers of a vproc's queue start in the order of arrival, and stay on the
   vproc. *)
let in_order () =
  let workers = 1 + chance 3 and n = 200 in
  let logs = Array.make workers [] in
  Dromos.run ~workers (fun () ->
      let body () =
        for i = 1 to n do
          List.iter
            (fun vproc ->
              let id = Vproc.id vproc in
              let here () = equal "vproc" id (Vproc.id (Vproc.host ())) in
              Sched.Round_robin.spawn ~on:vproc (fun () ->
                  logs.(id) <- i :: logs.(id);
                  for _ = 1 to 3 do
                    Sched.yield ();
                    here ()
                  done;
                  if i mod 10 = 0 then Dromos.sleep 0.0005;
                  here ()))
            (Vproc.all ())
        done
      in
      Sched.Round_robin.run body);
  Array.iter
    (fun log ->
      Watch.check Alcotest.(list int) "order" (List.init n succ) (List.rev log))
    logs

let migrates () =
  let workers = 2 + chance 2 in
  Dromos.run ~workers (fun () ->
      let all = Array.of_list (Vproc.all ()) in
      let visit n () =
        Fls.set mine n;
        for i = 1 to 30 do
          let there = all.((n + i) mod workers) in
          Vproc.migrate_to there;
          equal "there" (Vproc.id there) (Vproc.id (Vproc.host ()));
          equal "its storage" n (stored ());
          if i mod 7 = 0 then Sched.yield ()
        done
      in
      Sched.Round_robin.run (fun () ->
          for n = 1 to 20 do
            Sched.Round_robin.spawn (visit n)
          done))

(* In another run the storage still has the scheduler around. *)
let in_another_run () =
  let ran = Atomic.make 0 in
  let spawn () = Sched.Round_robin.spawn (fun () -> Atomic.incr ran) in
  let elsewhere () = Dromos.blocking (fun () -> Dromos.run ~workers:1 spawn) in
  Dromos.run ~workers:2 (fun () ->
      Sched.Round_robin.run elsewhere;
      Sched.Round_robin.run ~under:Vproc.enq_on elsewhere);
  equal "ran" 2 (Atomic.get ran)

let provisions () =
  let workers = 1 + chance 4 in
  Dromos.run ~workers (fun () ->
      let rec take group taken =
        match Vproc.provision group with
        | Some vproc ->
            if List.exists (Vproc.equal vproc) taken then
              Alcotest.fail "the same vproc twice";
            take group (vproc :: taken)
        | None -> taken
      in
      let use () =
        let group = Vproc.group () in
        let taken = take group [] in
        equal "all of them" workers (List.length taken);
        Sched.yield ();
        List.iter (Vproc.release group) taken;
        match Vproc.release group (List.hd taken) with
        | () -> failwith "released twice"
        | exception Invalid_argument _ -> ()
      in
      ignore (Dromos.all (List.init 50 (fun _ -> use)) : unit list);
      (* The released groups leave nothing behind: provision deals the vprocs
         evenly. *)
      let shares = Array.make workers 0 in
      for _ = 1 to 10 * workers do
        let vproc = Option.get (Vproc.provision (Vproc.group ())) in
        shares.(Vproc.id vproc) <- shares.(Vproc.id vproc) + 1
      done;
      Array.iter (equal "an even share" 10) shares)

let () =
  let case = Watch.case ~limit:90. in
  Watch.suite "nesting" @@ fun () ->
  Alcotest.run "nesting"
    [
      ( "trees",
        [
          case "fibers that end"
            (repeat 150 (once ~failing:false ~cancelled:false));
          case "fibers that fail"
            (repeat 150 (once ~failing:true ~cancelled:false));
          case "fibers that are cancelled"
            (repeat 150 (once ~failing:false ~cancelled:true));
        ] );
      ( "vprocs",
        [
          case "fibers in order" (repeat 20 in_order);
          case "migration" (repeat 20 migrates);
          case "another run" in_another_run;
          case "provision and release" (repeat 20 provisions);
        ] );
    ]
