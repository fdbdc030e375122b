(* The sizes of the domains' minor heaps in runs, and after the runs. *)

module Pool = Dromos.Pool
module Runtime = Dromos.Runtime

let int = Watch.check Alcotest.int
let ints = Watch.check Alcotest.(list int)
let size () = (Gc.get ()).minor_heap_size
let set words = Gc.set { (Gc.get ()) with minor_heap_size = words }
let initial = size ()
let small = 32 * 1024
let medium = 2 * initial
let large = 4 * initial

(* [n] functions meet without leaving their workers. *)
let meet n =
  let here = Atomic.make 0 in
  fun f ->
    let v = f () in
    Atomic.incr here;
    while Atomic.get here < n do
      Domain.cpu_relax ()
    done;
    v

(* The sizes of [n] domains at once. *)
let of_all n =
  let meet = meet n in
  let tasks = List.init n (fun _ -> Dromos.async (fun () -> meet size)) in
  List.map Dromos.await tasks

let all n words = List.init n (fun _ -> words)

let sizes ?minor_heap_words n =
  Dromos.run ~workers:n ?minor_heap_words (fun () -> of_all n)

let every_domain () =
  List.iter
    (fun words ->
      ints "in the run" (all 4 words) (sizes ~minor_heap_words:words 4);
      int "given back by the caller" initial (size ());
      ints "given back by the others" (all 4 initial) (sizes 4))
    [ medium; small ]

let rounded () =
  Dromos.run ~workers:1 ~minor_heap_words:5000 (fun () ->
      let words = size () in
      Alcotest.(check bool)
        "to pages" true
        (words >= 5000 && words < 5000 + 8192));
  int "given back" initial (size ())

exception Expected

let exceptions () =
  (match
     Dromos.run ~workers:2 ~minor_heap_words:medium (fun () -> raise Expected)
   with
  | () -> Alcotest.fail "no exception"
  | exception Expected -> ());
  int "after an exception" initial (size ());
  (match
     Dromos.run ~workers:2 ~minor_heap_words:medium (fun () ->
         Dromos.timeout 0.001 (fun () -> Dromos.sleep 100.))
   with
  | () -> Alcotest.fail "no timeout"
  | exception Dromos.Timeout -> ());
  int "after a cancellation" initial (size ())

let callers_size () =
  set medium;
  Fun.protect
    ~finally:(fun () -> set initial)
    (fun () ->
      ints "the caller's by default" (all 3 medium) (sizes 3);
      int "which it keeps" medium (size ());
      ints "unless the run has its own" (all 3 large)
        (sizes ~minor_heap_words:large 3);
      int "and gives back" medium (size ()))

let nested () =
  Dromos.run ~workers:2 ~minor_heap_words:medium (fun () ->
      let inner =
        Dromos.run ~workers:2 ~minor_heap_words:large (fun () -> of_all 2)
      in
      ints "the outer run's" (all 2 medium) inner;
      ints "and after it" (all 2 medium) (of_all 2));
  int "given back" initial (size ())

let set_inside () =
  Dromos.run ~workers:1 ~minor_heap_words:medium (fun () -> set large);
  int "the program's stays" large (size ());
  set initial

(* Two domains, each with a run; the runs overlap. *)
let two_domains () =
  let meet = meet 2 in
  let run words =
    Domain.spawn (fun () ->
        let before = size () in
        let inside =
          Dromos.run ~workers:1 ~minor_heap_words:words (fun () -> meet size)
        in
        [ before; inside; size () ])
  in
  let a = run medium in
  let b = run large in
  ints "one" [ initial; medium; initial ] (Domain.join a);
  ints "the other" [ initial; large; initial ] (Domain.join b)

(* Two threads of a domain, each with a run; the first run ends first. *)
let two_threads () =
  let step = Dromos.Channel.create () and seen = ref [] in
  let see () = seen := size () :: !seen in
  let other () =
    Dromos.run ~workers:1 ~minor_heap_words:large (fun () ->
        Dromos.Channel.send step ();
        Dromos.Channel.recv step;
        see ())
  in
  let other =
    Dromos.run ~workers:1 ~minor_heap_words:medium (fun () ->
        see ();
        let thread = Thread.create other () in
        Dromos.Channel.recv step;
        see ();
        thread)
  in
  see ();
  Dromos.run ~workers:1 (fun () -> Dromos.Channel.send step ());
  Thread.join other;
  see ();
  ints "the largest of those that run"
    [ medium; large; large; large; initial ]
    (List.rev !seen)

let runtime () =
  let of_two t =
    let meet = meet 2 in
    List.init 2 (fun _ -> Runtime.submit t (fun () -> meet size))
    |> List.map Dromos.await
  in
  Runtime.with_ ~workers:2 ~minor_heap_words:medium (fun t ->
      ints "size of a runtime" (all 2 medium) (of_two t));
  Runtime.with_ ~workers:2 (fun t ->
      ints "size of another one" (all 2 initial) (of_two t));
  set large;
  Runtime.with_ ~workers:2 (fun t ->
      ints "size of its maker" (all 2 large) (of_two t));
  set initial

let pool () =
  let of_two pool =
    let meet = meet 2 in
    Pool.run pool (fun ctx ->
        let other = Pool.Future.async ctx (fun _ -> meet size) in
        let mine = meet size in
        [ mine; Pool.Future.wait ctx other ])
  in
  Pool.with_ ~workers:2 ~minor_heap_words:medium (fun pool ->
      ints "size of a pool" (all 2 medium) (of_two pool);
      int "between two runs" initial (size ()));
  Pool.with_ ~workers:2 (fun pool ->
      ints "size of another one" (all 2 initial) (of_two pool))

let refused () =
  let refuses call f words =
    match f words with
    | () -> Alcotest.failf "%s took %d words" call words
    | exception Invalid_argument text ->
        Alcotest.(check string)
          "the message"
          (Printf.sprintf "%s: ~minor_heap_words:%d is not in 4096 .. 134217728"
             call words)
          text
  in
  let each call f =
    List.iter (refuses call f) [ min_int; -1; 0; 4095; 134217729; max_int ]
  in
  each "Dromos.run" (fun minor_heap_words ->
      Dromos.run ~minor_heap_words ignore);
  each "Dromos.run" (fun minor_heap_words ->
      Dromos.run (fun () -> Dromos.run ~minor_heap_words ignore));
  each "Dromos.Runtime.create" (fun minor_heap_words ->
      Runtime.with_ ~minor_heap_words ignore);
  each "Dromos.Pool.create" (fun minor_heap_words ->
      Pool.with_ ~workers:1 ~minor_heap_words ignore);
  Dromos.run ~workers:1 ~minor_heap_words:4096 ignore;
  int "nothing changed" initial (size ())

(* {1 Stress} *)

let storm () =
  let domain seed () =
    let before = size () in
    let thread seed =
      let state = Random.State.make [| seed |] in
      for _ = 1 to 6 do
        let words = 4096 * (1 + Random.State.int state 32) in
        match
          Dromos_fiber.Minor_heap.with_size words (fun () ->
              let enough = size () >= words in
              Thread.yield ();
              ignore (Sys.opaque_identity (List.init 5000 Fun.id));
              if not (enough && size () >= words) then
                Alcotest.failf "seed %d: %d for %d words" seed (size ()) words;
              if Random.State.int state 4 = 0 then raise Expected)
        with
        | () -> ()
        | exception Expected -> ()
      done
    in
    List.init 3 (fun i -> Thread.create thread ((10 * seed) + i))
    |> List.iter Thread.join;
    (before, size ())
  in
  List.init 4 (fun i -> Domain.spawn (domain (Watch.seed + i)))
  |> List.iter (fun d ->
         let before, after = Domain.join d in
         int "given back" before after)

let runs_of_all_sizes () =
  let run words () =
    for _ = 1 to 4 do
      Dromos.run ~workers:3 ~minor_heap_words:words (fun () ->
          ignore
            (Dromos.Par.Array.map
               (fun i -> List.length (List.init i Fun.id))
               (Array.init 200 Fun.id)
              : int array))
    done;
    int "given back" initial (size ())
  in
  List.map
    (fun words -> Domain.spawn (run words))
    [ small; medium; 8192; large ]
  |> List.iter Domain.join

(* The change of size may collect, and so call a finaliser that raises. *)
let finaliser_raises () =
  let before = size () in
  Gc.finalise_last
    (fun () -> raise Expected)
    (Sys.opaque_identity (ref (Sys.opaque_identity 0)));
  (match Dromos.run ~workers:1 ~minor_heap_words:small ignore with
  | () -> ()
  | exception Expected -> ());
  int "after the finaliser" before (size ());
  Dromos.run ~workers:1 ~minor_heap_words:medium ignore;
  int "after another run" before (size ())

let raise_at_collection () =
  Gc.finalise_last
    (fun () -> raise Expected)
    (Sys.opaque_identity (ref (Sys.opaque_identity 0)))

(* At the end of the run the change of size is the first collection after the
   allocation. *)
let finaliser_raises_at_end () =
  let before = size () in
  Alcotest.check_raises "the finaliser's" Expected (fun () ->
      Dromos.run ~workers:1 ~minor_heap_words:small raise_at_collection);
  int "after a value" before (size ());
  let own = Failure "own" in
  (match
     Dromos.run ~workers:1 ~minor_heap_words:small (fun () ->
         raise_at_collection ();
         raise own)
   with
  | () -> Alcotest.fail "no exception"
  | exception e ->
      if e != own then Alcotest.failf "raised %s" (Printexc.to_string e);
      int "suppressed" 1 (List.length (Dromos.suppressed e)));
  int "after an exception" before (size ())

(* The first of two runs of a domain ends while the second goes on, and a finaliser
   raises in the change to the second's size. *)
let finaliser_raises_between () =
  let before = size () in
  let small_began = Dromos.Latch.create 1
  and large_over = Dromos.Latch.create 1 in
  let larger =
    Thread.create
      (fun () ->
        Dromos.Latch.wait small_began;
        (try Dromos.run ~workers:1 ~minor_heap_words:large raise_at_collection
         with Expected -> ());
        Dromos.Latch.count_down large_over)
      ()
  in
  (try
     Dromos.run ~workers:1 ~minor_heap_words:small (fun () ->
         Dromos.Latch.count_down small_began;
         Dromos.Latch.wait large_over)
   with Expected -> ());
  Thread.join larger;
  int "after both" before (size ())

let case name f = Watch.case name f

let cases =
  [
    case "every domain of a run" every_domain;
    case "whole pages" rounded;
    case "exceptions" exceptions;
    case "the caller's size" callers_size;
    case "a finaliser that raises" finaliser_raises;
    case "a finaliser that raises at the end" finaliser_raises_at_end;
    case "a finaliser that raises between" finaliser_raises_between;
    case "a run in a run" nested;
    case "Gc.set in a run" set_inside;
    case "runs on two domains" two_domains;
    case "runs on two threads" two_threads;
    case "a runtime" runtime;
    case "a pool" pool;
    case "sizes that are refused" refused;
    case "threads that ask at once" storm;
    case "runs of all sizes at once" runs_of_all_sizes;
  ]
