(* dune exec test/picos_scheduler/cost/cost.exe [ROUNDS]: nanoseconds an
   operation, the median of [ROUNDS] rounds (7) with the least and the greatest;
   the two schedulers take turns. *)

open Picos
open Picos_std_structured

let spawns = 200_000

let spawn () =
  let computation = Computation.create () in
  let left = Atomic.make spawns in
  for _ = 1 to spawns do
    Fiber.spawn (Fiber.create ~forbid:false computation) (fun _ ->
        if Atomic.fetch_and_add left (-1) = 1 then
          Computation.finish computation)
  done;
  Computation.await computation

let turns = 200_000

(* Two fibers signal each other in turn. *)
let ping_pong () =
  let ball = Array.init (turns + 1) (fun _ -> Trigger.create ()) in
  let side first () =
    let i = ref first in
    while !i < turns do
      ignore (Trigger.await ball.(!i) : _ option);
      Trigger.signal ball.(!i + 1);
      i := !i + 2
    done
  in
  Flock.join_after (fun () ->
      Flock.fork (side 0);
      Flock.fork (side 1);
      Trigger.signal ball.(0))

let yields = 200_000

let yield () =
  Run.all
    (List.init 2 (fun _ () ->
         for _ = 1 to yields / 2 do
           Fiber.yield ()
         done))

let asks = 1_000_000

let current () =
  for _ = 1 to asks do
    ignore (Sys.opaque_identity (Fiber.current ()) : Fiber.t)
  done

let forks = 100_000

let flock () =
  Flock.join_after (fun () ->
      for _ = 1 to forks do
        Flock.fork ignore
      done)

let rec fib n =
  if n < 2 then n
  else
    let a = Flock.fork_as_promise (fun () -> fib (n - 1)) in
    let b = fib (n - 2) in
    Promise.await a + b

let promises () = Flock.join_after (fun () -> ignore (fib 20 : int))

let jobs =
  [
    ("Fiber.spawn, to its end", spawn, spawns);
    ("Trigger: await and signal", ping_pong, turns);
    ("Fiber.yield", yield, yields);
    ("Fiber.current", current, asks);
    ("Flock.fork, joined", flock, forks);
    ("fork_as_promise, awaited (fib 20)", promises, 10_945);
  ]

let schedulers =
  [
    ("Dromos", fun workers f -> Dromos.run ~workers f);
    ( "multififo",
      fun n_domains f -> Picos_mux_multififo.run_on ~quota:1000 ~n_domains f );
  ]

let once run workers f n =
  let took = ref 0. in
  run workers (fun () ->
      let began = Unix.gettimeofday () in
      f ();
      took := Unix.gettimeofday () -. began);
  !took *. 1e9 /. float n

let () =
  let rounds =
    if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 7
  in
  List.iter
    (fun workers ->
      List.iter
        (fun (name, f, n) ->
          let all =
            List.init rounds (fun _ ->
                List.map (fun (_, run) -> once run workers f n) schedulers)
          in
          Printf.printf "%d worker(s)  %-34s" workers name;
          List.iteri
            (fun i (who, _) ->
              let row =
                List.sort compare (List.map (fun row -> List.nth row i) all)
              in
              Printf.printf "  %s %.0f (%.0f to %.0f)" who
                (List.nth row (rounds / 2))
                (List.hd row)
                (List.nth row (rounds - 1)))
            schedulers;
          print_newline ())
        jobs)
    [ 1; 2 ]
