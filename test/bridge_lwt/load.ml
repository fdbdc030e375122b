(* Many operations at once: no result is lost, no memory stays, and Lwt
   continues meanwhile. *)

open Lwt.Syntax
module Promise = Dromos_sync.Promise
module Channel = Dromos_sync.Channel

let int = Watch.check Alcotest.int
let bool = Watch.check Alcotest.bool
let run = Dromos_lwt.run
let crossings = 10_000

(* 10_000 tasks; each crosses twice. *)
let many () =
  let total =
    run (fun () ->
        let* ns =
          Lwt.all
            (List.init crossings (fun i ->
                 Dromos_lwt.offload (fun () ->
                     1 + Dromos_lwt.in_lwt (fun () -> Lwt.return i))))
        in
        Lwt.return (List.fold_left ( + ) 0 ns))
  in
  int "all of them" (crossings * (crossings + 1) / 2) total

(* 10_000 tasks from a run of their own, while Lwt has a domain of its own. *)
let many_from_dromos () =
  let total =
    Dromos_lwt.with_loop (fun () ->
        Dromos.run ~workers:2 (fun () ->
            List.init crossings (fun i ->
                Dromos.async (fun () ->
                    Dromos_lwt.in_lwt (fun () ->
                        if i mod 3 = 0 then Lwt.map (fun () -> i) (Lwt.pause ())
                        else Lwt.return i)))
            |> List.fold_left (fun sum p -> sum + Dromos.await p) 0))
  in
  int "all of them" (crossings * (crossings - 1) / 2) total

(* A token goes through a channel from Lwt to Dromos and back. Senders and
   receivers give up in between at random: no token is lost or doubled. *)
let storm () =
  let n = 2000 in
  run (fun () ->
      let there = Channel.create () and back = Channel.create () in
      let sum = ref 0 in
      let server =
        Dromos_lwt.offload (fun () ->
            let rec serve () =
              match Channel.recv there with
              | -1 -> ()
              | i ->
                  Channel.send back (i + 1);
                  serve ()
            in
            serve ())
      in
      (* A cancelled send or receive is repeated; an operation that was
         cancelled too late has taken place. *)
      let rec insist event =
        let p = Dromos_lwt.sync event in
        let* () = Lwt.pause () in
        if Random.State.bool Watch.chance then Lwt.cancel p;
        Lwt.catch
          (fun () -> p)
          (function Lwt.Canceled -> insist event | e -> Lwt.fail e)
      in
      let rec rounds i =
        if i = n then Lwt.return_unit
        else
          let* () = insist (Channel.send_event there i) in
          let* m = insist (Channel.recv_event back) in
          sum := !sum + m;
          rounds (i + 1)
      in
      let* () = rounds 0 in
      let* () = Dromos_lwt.sync (Channel.send_event there (-1)) in
      let* () = server in
      int "every token, once" (n * (n + 1) / 2) !sum;
      Lwt.return_unit)

(* Tasks of all kinds, half of them cancelled at some point. *)
let cancelled_storm () =
  run (fun () ->
      let never = Promise.create () in
      let body i () =
        match i mod 4 with
        | 0 -> i
        | 1 ->
            Dromos_lwt.in_lwt (fun () -> Lwt.map (fun () -> i) (Lwt.pause ()))
        | 2 ->
            Promise.await never;
            i
        | _ -> Dromos_lwt.in_lwt (fun () -> fst (Lwt.task ()))
      in
      let outcome i p =
        let* () =
          if Random.State.bool Watch.chance then Lwt.pause ()
          else Lwt_unix.sleep (Random.State.float Watch.chance 0.01)
        in
        if i mod 4 >= 2 || Random.State.bool Watch.chance then Lwt.cancel p;
        Lwt.catch
          (fun () -> Lwt.map (fun n -> if n = i then `Value else `Other) p)
          (function Lwt.Canceled -> Lwt.return `Canceled | e -> Lwt.fail e)
      in
      let* all =
        Lwt.all
          (List.init 4000 (fun i -> outcome i (Dromos_lwt.offload (body i))))
      in
      let count what = List.length (List.filter (( = ) what) all) in
      int "wrong ones" 0 (count `Other);
      bool "some ended" true (count `Value > 0);
      bool "those that wait for ever were cancelled" true
        (count `Canceled >= 2000);
      Lwt.return_unit)

(* {1 Memory that stays} *)

let live_words () =
  Gc.full_major ();
  (Gc.stat ()).live_words

(* The live words left behind by 20_000 calls of [f], after 2000 calls to warm
   up. A leak, a callback or a cell, takes ten words or more for each call;
   three are allowed, for tables that grow. *)
let left_by f =
  let* () = f 2000 in
  let* () = Lwt_unix.sleep 0.02 in
  let before = live_words () in
  let* () = f 20_000 in
  (* Results under way arrive. *)
  let* () = Lwt_unix.sleep 0.02 in
  Lwt.return (live_words () - before)

let in_batches one n =
  let rec go n =
    if n <= 0 then Lwt.return_unit
    else
      let* () = Lwt.join (List.init 100 (fun _ -> one ())) in
      go (n - 100)
  in
  go n

let ignoring_cancel p =
  Lwt.catch
    (fun () -> p)
    (function Lwt.Canceled -> Lwt.return_unit | e -> Lwt.fail e)

let no_leak () =
  run (fun () ->
      let check what one =
        let* words = left_by (in_batches one) in
        Printf.printf "%s: %d words left\n" what words;
        bool
          (Printf.sprintf "%s: %d words left" what words)
          true (words < 60_000);
        Lwt.return_unit
      in
      let* () = check "offload" (fun () -> Dromos_lwt.offload ignore) in
      let never = Promise.create () and forever, _ = Lwt.wait () in
      let c : int Channel.t = Channel.create () in
      let cancelled p =
        let* () = Lwt.pause () in
        Lwt.cancel p;
        ignoring_cancel p
      in
      let* () =
        check "cancelled sync" (fun () ->
            cancelled (Lwt.map ignore (Dromos_lwt.sync (Channel.recv_event c))))
      in
      let* () =
        check "cancelled of_promise" (fun () ->
            cancelled (Dromos_lwt.of_promise never))
      in
      let* () =
        check "cancelled await in a fiber" (fun () ->
            cancelled (Dromos_lwt.fiber (fun () -> Dromos_lwt.await forever)))
      in
      let* () =
        check "cancelled await in a task" (fun () ->
            Dromos_lwt.offload (fun () ->
                match
                  Dromos.Scope.run (fun s ->
                      Dromos.Scope.fork s (fun () -> Dromos_lwt.await forever);
                      Dromos.yield ();
                      Dromos.Scope.cancel s)
                with
                | () | (exception Dromos.Cancelled) -> ()))
      in
      Lwt.return_unit)

(* {1 Ticking} *)

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

(* The naive composition stops the clock for the whole computation; here the
   clock must tick on. The bound is far above the usual value (see
   doc/composing.md), for busy machines. *)
let ticking () =
  run (fun () ->
      let longest = ref 0. and ticks = ref 0 and over = ref false in
      let rec tick last =
        if !over then Lwt.return_unit
        else
          let* () = Lwt_unix.sleep 0.001 in
          let now = Unix.gettimeofday () in
          longest := Float.max !longest (now -. last);
          incr ticks;
          tick now
      in
      let start = Unix.gettimeofday () in
      let ticker = tick start in
      let* n = Dromos_lwt.offload (fun () -> fib 37) in
      let took = Unix.gettimeofday () -. start in
      over := true;
      let* () = ticker in
      int "fib 37" 24157817 n;
      Printf.printf "%.0f ms of computing, %d ticks, longest gap %.1f ms\n"
        (took *. 1e3) !ticks (!longest *. 1e3);
      bool "ticks" true (!ticks >= 10);
      bool
        (Printf.sprintf "longest gap %.1f ms of %.0f" (!longest *. 1e3)
           (took *. 1e3))
        true
        (!longest < took /. 2.);
      Lwt.return_unit)

let cases =
  let case = Watch.case in
  [
    case (Printf.sprintf "%d tasks from Lwt" crossings) many;
    case (Printf.sprintf "%d calls from Dromos" crossings) many_from_dromos;
    case "senders and receivers that give up" storm;
    case "tasks cancelled at random" cancelled_storm;
    case "nothing stays" no_leak;
    case "Lwt ticks on" ticking;
  ]
