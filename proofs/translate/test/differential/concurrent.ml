(* Runs the kernel's translation under random schedules. No thread may get stuck
   (by a race, an index out of bounds ..), and the requirements of the scenarios
   must hold. *)

open Differential
open Scenarios
open Pools

let safe ~runs name scenario =
  let check () =
    match Runs.first_failure Setup.program scenario runs with
    | None -> ()
    | Some (seed, what) -> Alcotest.failf "seed %d: %s" seed what
  in
  Watch.case name check

let hubs = [ "std"; "fifo"; "hybrid"; "private"; "dealing" ]

let pool_cases workers =
  let case name scenario hub =
    safe ~runs:60 (Printf.sprintf "%s: %s, %d workers" hub name workers)
      (scenario ~workers hub)
  in
  List.concat_map
    (fun hub ->
      [
        case "for_" for_ hub; case "fold" fold hub; case "submit" submit hub;
        case "vertices" vertices hub;
      ])
    hubs
[@@ocamlformat "disable"]

let () =
  Watch.suite "concurrent" @@ fun () ->
  Alcotest.run "concurrent"
    [
      ( "base",
        [
          safe ~runs:300 "queue" queue;
          safe ~runs:300 "erasable" erasable;
          safe ~runs:300 "ivar" ivar;
          safe ~runs:300 "waiters" waiters;
        ] );
      ( "deques",
        [
          safe ~runs:300 "bounded" (deque "bounded" ~capacity:4);
          safe ~runs:300 "dynamic" (deque "dynamic" ~capacity:2);
          safe ~runs:300 "public" (ws "public");
          safe ~runs:300 "private" (ws "private");
          safe ~runs:300 "dealing" (ws "dealing");
        ] );
      ("hubs", List.map (fun name -> safe ~runs:150 name (hub name)) hubs);
      ("pool", pool_cases 1 @ pool_cases 2);
    ]
