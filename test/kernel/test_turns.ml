(* A task in the deque of a computing worker begins, although the other worker
   always has a yielding fiber: every interleaving of a hub's operations. *)

open Dromos_model
open Kernel_turns

let fail fmt = Printf.ksprintf failwith fmt

type world = { hub : unit Hub.t; yielding : unit Hub.task; mutable begun : int }

(* A pop of worker 1, with a run of the task found; the yielding fiber yields
   again. *)
let step w =
  match w.hub.pop 1 with
  | Some task when task == w.yielding -> w.hub.push 1 Hub.Yield task
  | Some _ -> w.begun <- w.begun + 1
  | None -> () (* worker 0's publisher thread has the yielding fiber *)

let rec steps w n =
  if n > 0 then begin
    step w;
    steps w (n - 1)
  end

(* Every third pop is a look at other places, of four kinds; each kind comes at
   least once in four such looks. *)
let enough = 3 * 4 * 4

(* Worker 0 makes two tasks and computes; its publisher thread uses the hub for
   tasks that only worker 0 can reach ([visits]). *)
let scenario ?(visits = 0) (maker : Hub.maker) () =
  let hub = maker.make ~workers:2 in
  let w = { hub; yielding = Hub.task ignore; begun = 0 } in
  hub.enlist 0;
  hub.enlist 1;
  hub.push 1 Hub.Yield w.yielding;
  let computing () =
    hub.push 0 Hub.New (Hub.task ignore);
    hub.push 0 Hub.New (Hub.task ignore);
    for _ = 1 to visits do
      match hub.pop 0 with
      | Some task when task == w.yielding -> hub.submit Hub.Yield task
      | Some task -> hub.submit Hub.New task
      | None -> ()
    done
  in
  let polling () = steps w 2 in
  let check () =
    steps w enough;
    if w.begun <> 2 then fail "%d of 2 tasks have begun" w.begun
  in
  ([ computing; polling ], check)

let () =
  Alcotest.run "turns"
    [
      ( "model",
        [
          Explore.passes "std" (scenario Std.maker);
          Explore.passes "hybrid" (scenario Hybrid.maker);
          Explore.passes "fifo" (scenario Fifo.maker);
          Explore.passes ~random:2_000 "private"
            (scenario ~visits:4 Private_.maker);
          Explore.passes ~random:2_000 "dealing"
            (scenario ~visits:4 Dealing.maker);
          Explore.catches "a hub that does not look at the others"
            (scenario Std_selfish.maker);
        ] );
    ]
