module Sched = Dromos.Sched
module Gang = Sched.Gang
module Ivar = Dromos.Ivar

let check_int = Watch.check Alcotest.int
let said = ref []
let say s = said := s :: !said

let saying f =
  said := [];
  f ();
  List.rev !said

let agree what expected f =
  Watch.check Alcotest.(list string) what expected (saying f)

let on workers f = Dromos.run ~workers (fun () -> Gang.run f)
let case = Watch.case

(* {1 One vproc: the exact policy} *)

let in_place () =
  agree "a future that is touched first is evaluated where it is touched"
    [ "made"; "evaluated"; "touched 1" ] (fun () ->
      on 1 (fun () ->
          let f = Gang.future1 (fun () -> say "evaluated"; 1) in
          say "made";
          let v = Gang.touch1 f in
          say (Printf.sprintf "touched %d" v)))
  [@@ocamlformat "disable"]

let in_order () =
  agree "stolen oldest first, when the maker lets the vproc go"
    [ "made"; "a"; "b"; "c"; "a b c" ] (fun () ->
      on 1 (fun () ->
          let future s = Gang.future1 (fun () -> say s; s) in
          let all = List.map future [ "a"; "b"; "c" ] in
          say "made";
          Dromos.sleep 0.01;
          say (String.concat " " (List.map Gang.touch1 all))))
  [@@ocamlformat "disable"]

let preempted () =
  agree "a stolen future that yields goes behind the others"
    [ "a1"; "b1"; "a2"; "b2" ] (fun () ->
      on 1 (fun () ->
          let future s =
            Gang.future1 (fun () ->
                say (s ^ "1");
                Sched.yield ();
                say (s ^ "2"))
          in
          let all = List.map future [ "a"; "b" ] in
          Dromos.sleep 0.01;
          List.iter Gang.touch1 all))

let waits () =
  agree "a touch of a stolen future waits; others run meanwhile"
    [ "begun"; "other"; "ended"; "touched" ] (fun () ->
      on 1 (fun () ->
          let go = Ivar.create () in
          let f =
            Gang.future1 (fun () ->
                say "begun";
                Ivar.read go;
                say "ended")
          in
          let other =
            Gang.future1 (fun () ->
                say "other";
                Ivar.fill go ())
          in
          Dromos.sleep 0.01;
          Gang.touch1 f;
          say "touched";
          Gang.touch1 other))

(* {1 Errors} *)

exception Foo of int

let raised f =
  match f () with
  | _ -> "nothing"
  | exception Foo n -> Printf.sprintf "Foo %d" n
  | exception Invalid_argument text -> "invalid: " ^ text
  | exception e -> Printexc.to_string e

let check_raised what expected f =
  Watch.check Alcotest.string what expected (raised f)

let once () =
  let twice wait =
    raised (fun () ->
        on 1 (fun () ->
            let f = Gang.future1 (fun () -> 1) in
            if wait then Dromos.sleep 0.01;
            check_int "first" 1 (Gang.touch1 f);
            Gang.touch1 f))
  in
  let text =
    "invalid: Gang.touch1: the future has been touched or cancelled already; \
     keep its value, a one-touch future gives it once"
  in
  Watch.check Alcotest.string "in place" text (twice false);
  Watch.check Alcotest.string "stolen" text (twice true)

let outside () =
  check_raised "no gang" "invalid: Gang.future1: called outside Gang.run"
    (fun () -> Dromos.run (fun () -> Gang.touch1 (Gang.future1 ignore)));
  check_raised "too small" "invalid: Gang.run: a gang of 0 vprocs" (fun () ->
      Dromos.run (fun () -> Gang.run ~vprocs:0 ignore))

let raises ~stolen () =
  Printexc.record_backtrace true;
  let trace = ref "" in
  let f () =
    on 1 (fun () ->
        let f = Gang.future1 (fun () -> raise (Foo 1)) in
        if stolen then Dromos.sleep 0.01;
        try Gang.touch1 f
        with Foo _ as e ->
          trace := Printexc.get_backtrace ();
          raise e)
  in
  check_raised "at the toucher" "Foo 1" f;
  let lines = String.split_on_char '\n' !trace in
  let first = List.hd lines in
  if not (Said.contains first "test_gang.ml") then
    Alcotest.failf "the backtrace begins elsewhere:\n%s" !trace

(* {1 Untouched} *)

let untouched_fresh () =
  agree "not stolen by the end: never evaluated" [ "end" ] (fun () ->
      on 1 (fun () ->
          ignore (Gang.future1 (fun () -> say "evaluated"));
          say "end"))

let untouched_running () =
  agree "stolen and waiting at the end: cancelled" [ "begun"; "end"; "undone" ]
    (fun () ->
      on 1 (fun () ->
          ignore
            (Gang.future1 (fun () ->
                 say "begun";
                 Fun.protect
                   ~finally:(fun () -> say "undone")
                   (fun () -> Ivar.read (Ivar.create ()))));
          Dromos.sleep 0.01;
          say "end"))

let untouched_failed () =
  check_raised "a failure that was not read is raised at the end, the first one"
    "Foo 1" (fun () ->
      on 1 (fun () ->
          for i = 1 to 3 do
            ignore (Gang.future1 (fun () -> raise (Foo i)))
          done;
          Dromos.sleep 0.01));
  check_raised "one that was read is not" "nothing" (fun () ->
      on 1 (fun () ->
          let f = Gang.future1 (fun () -> raise (Foo 1)) in
          Dromos.sleep 0.01;
          try Gang.touch1 f with Foo 1 -> ()))

(* {1 Cancellation} *)

let cancel1 () =
  agree "cancelling a fresh, a waiting and a finished one; twice"
    [ "waits"; "undone"; "cancelled" ] (fun () ->
      on 1 (fun () ->
          let waiting =
            Gang.future1 (fun () ->
                say "waits";
                Fun.protect
                  ~finally:(fun () -> say "undone")
                  (fun () -> Ivar.read (Ivar.create ())))
          in
          let finished = Gang.future1 (fun () -> raise (Foo 1)) in
          Dromos.sleep 0.01;
          let fresh = Gang.future1 (fun () -> say "evaluated") in
          Gang.cancel1 fresh;
          Gang.cancel1 fresh;
          Gang.cancel1 waiting;
          Gang.cancel1 finished;
          Dromos.sleep 0.01;
          say "cancelled"))

(* The toucher is cancelled: the future has stopped when the toucher's scope is
   over. *)
let toucher_cancelled () =
  agree "stopped before the scope of its toucher is over"
    [ "begun"; "undone"; "over" ] (fun () ->
      on 1 (fun () ->
          (try
             Dromos.timeout 0.02 (fun () ->
                 let f =
                   Gang.future1 (fun () ->
                       say "begun";
                       Fun.protect
                         ~finally:(fun () ->
                           Dromos.protect (fun () -> Dromos.sleep 0.01);
                           say "undone")
                         (fun () -> Ivar.read (Ivar.create ())))
                 in
                 Dromos.sleep 0.005;
                 Gang.touch1 f)
           with Dromos.Timeout -> ());
          say "over"))

let maker_cancelled () =
  agree "with its maker's scope, though no fiber waits for it"
    [ "begun"; "undone"; "later" ] (fun () ->
      on 1 (fun () ->
          (try
             Dromos.Scope.run (fun scope ->
                 ignore
                   (Gang.future1 (fun () ->
                        say "begun";
                        Fun.protect
                          ~finally:(fun () -> say "undone")
                          (fun () -> Ivar.read (Ivar.create ()))));
                 Dromos.sleep 0.005;
                 Dromos.Scope.cancel scope;
                 Dromos.check ())
           with Dromos.Cancelled -> ());
          Dromos.sleep 0.01;
          say "later"))

(* The gang is cancelled from outside while fibers are in the queue. *)
let gang_cancelled workers () =
  let ended = Atomic.make 0 and begun = Atomic.make 0 in
  let rec busy n =
    if n = 0 then
      Fun.protect
        ~finally:(fun () -> Atomic.incr ended)
        (fun () ->
          Atomic.incr begun;
          while true do
            Sched.yield ()
          done)
    else ignore (Gang.both (fun () -> busy (n - 1)) (fun () -> busy (n - 1)))
  in
  Dromos.run ~workers (fun () ->
      match Dromos.timeout 0.02 (fun () -> Gang.run (fun () -> busy 4)) with
      | () -> Alcotest.fail "it ended"
      | exception Dromos.Timeout -> ());
  check_int "all that began have ended" (Atomic.get begun) (Atomic.get ended)

(* {1 Several vprocs} *)

let rec fib n =
  if n < 2 then n
  else
    let right = Gang.future1 (fun () -> fib (n - 2)) in
    let left = fib (n - 1) in
    left + Gang.touch1 right

let fibs workers () = check_int "fib 16" 987 (on workers (fun () -> fib 16))

let everything_once workers () =
  let n = 500 in
  let times = Array.init n (fun _ -> Atomic.make 0) in
  let chance = Random.State.split Watch.chance in
  let waits = Array.init n (fun _ -> Random.State.int chance 4) in
  on workers (fun () ->
      let future i =
        Gang.future1 (fun () ->
            Atomic.incr times.(i);
            match waits.(i) with
            | 0 -> Sched.yield ()
            | 1 -> Dromos.sleep 0.0001
            | 2 -> ignore (Dromos.both Sched.yield Sched.yield)
            | _ -> ())
      in
      List.iter Gang.touch1 (List.init n future));
  Array.iteri
    (fun i t -> check_int (Printf.sprintf "future %d" i) 1 (Atomic.get t))
    times

(* {1 Among other schedulers} *)

let nested workers () =
  let total = Atomic.make 0 in
  Dromos.run ~workers (fun () ->
      Sched.Round_robin.run (fun () ->
          for _ = 1 to 4 do
            Sched.Round_robin.spawn (fun () ->
                let v =
                  Gang.run (fun () ->
                      fib 8
                      + Gang.touch1
                          (Gang.future1 (fun () ->
                               Gang.run ~vprocs:1 (fun () -> fib 8))))
                in
                ignore (Atomic.fetch_and_add total v))
          done));
  check_int "gangs in gangs in round robin" (4 * 42) (Atomic.get total)

let attached () =
  let stop = Atomic.make false in
  Dromos.run ~workers:2 (fun () ->
      let busy =
        Dromos.async (fun () ->
            while not (Atomic.get stop) do
              Dromos.yield ()
            done)
      in
      for i = 1 to 20 do
        check_int "fib" 21 (Gang.run ~vprocs:(1 + (i mod 2)) (fun () -> fib 8))
      done;
      Atomic.set stop true;
      Dromos.await busy)

let idle () =
  let seconds =
    Dromos.run ~workers:2 (fun () ->
        Gang.run (fun () ->
            ignore (fib 8);
            let before = Sys.time () in
            Dromos.sleep 0.5;
            Sys.time () -. before))
  in
  if seconds > 0.1 then
    Alcotest.failf "at rest for 0.5 s it used %.3f s of CPU" seconds

(* Touched futures leave nothing in the queue. *)
let bounded () =
  let words = ref 0 in
  on 1 (fun () ->
      let live () =
        Gc.full_major ();
        (Gc.quick_stat ()).heap_words
      in
      let before = live () in
      ignore (fib 20);
      words := live () - before);
  if !words > 100_000 then
    Alcotest.failf "%d words are left of futures that were touched" !words

(* The first future computes until the last future has run; neither yields. *)
let quanta workers () =
  Dromos.run ~workers (fun () ->
      Sched.Preemption.run ~quantum:0.001 (fun () ->
          Gang.run (fun () ->
              let last = Atomic.make false in
              let spin () =
                while not (Atomic.get last) do
                  ()
                done
              in
              let spins = List.init 3 (fun _ -> Gang.future1 spin) in
              let f = Gang.future1 (fun () -> Atomic.set last true) in
              Dromos.sleep 0.01;
              List.iter Gang.touch1 spins;
              Gang.touch1 f)))

let () =
  Watch.suite "gang" @@ fun () ->
  Alcotest.run "gang"
    [
      ( "policy",
        [
          case "in place" in_place;
          case "in order" in_order;
          case "preempted" preempted;
          case "waits" waits;
          case "bounded" bounded;
        ] );
      ( "errors",
        [
          case "one touch" once;
          case "outside" outside;
          case "raises in place" (raises ~stolen:false);
          case "raises when stolen" (raises ~stolen:true);
        ] );
      ( "untouched",
        [
          case "fresh" untouched_fresh;
          case "running" untouched_running;
          case "failed" untouched_failed;
        ] );
      ( "cancellation",
        [
          case "cancel1" cancel1;
          case "toucher" toucher_cancelled;
          case "maker" maker_cancelled;
          case "gang, one vproc" (gang_cancelled 1);
          case "gang, four vprocs" (gang_cancelled 4);
        ] );
      ( "many",
        [
          case "fib on 1" (fibs 1);
          case "fib on 4" (fibs 4);
          case "once on 1" (everything_once 1);
          case "once on 3" (everything_once 3);
          case "nested on 1" (nested 1);
          case "nested on 3" (nested 3);
          case "attach and detach" attached;
          case "idle" idle;
          case "quanta on 1" (quanta 1);
          case "quanta on 2" (quanta 2);
        ] );
    ]
