(* Exceptions of a signal handler at random moments of programs of several
   shapes: each run ends by the exception, and leaves nothing behind. A process
   of its own, since signal handlers belong to the process: strikes.exe SHAPE
   TIMES SEED. *)

exception Struck

open Dromos

let strike_in seconds =
  ignore
    (Unix.setitimer ITIMER_REAL { it_interval = 0.; it_value = seconds }
      : Unix.interval_timer_status)

(* A sleep before the strike is rare: the process may take up to 50 ms to notice
   a strike then. Most strikes come soon. *)
let strike chance shape =
  let hub =
    List.nth Hub.all (Stdlib.Random.State.int chance (List.length Hub.all))
  in
  let workers = 1 + Stdlib.Random.State.int chance 3 in
  match
    strike_in (1e-5 +. Stdlib.Random.State.float chance 0.002);
    run ~workers ~hub shape
  with
  | _ -> failwith "the run ended by itself"
  | exception Struck -> ()

let () =
  Sys.set_signal Sys.sigalrm (Signal_handle (fun _ -> raise Struck));
  let shape = List.assoc Sys.argv.(1) Shapes.all in
  let chance = Stdlib.Random.State.make [| int_of_string Sys.argv.(3) |] in
  for _ = 1 to int_of_string Sys.argv.(2) do
    strike chance shape
  done;
  (* Nothing is left behind: a new run works. *)
  assert (
    run ~workers:2 (fun () -> Par.map_reduce 0 100 ~map:Fun.id ~combine:( + ) ~init:0)
    = 4950);
  print_endline "ended as it should"
