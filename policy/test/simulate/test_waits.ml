(* Every wait of a ready thread counts: of new threads and threads that wake up,
   of preempted threads, of threads that yield, and of threads that still wait
   at the end. *)

open Dromos_policy_semantics
open Dromos_policy_simulate

let policy name =
  match
    Dromos_policy_elaborate.Elaborate.file
      (Printf.sprintf "../../policies/%s.policy" name)
  with
  | Ok { policy; _ } -> policy
  | Error _ -> Alcotest.failf "%s has faults" name

let ms = 1000.

let thread name settings actions =
  ( 0.,
    { Workload.name; attached = false; settings; actions = List.to_seq actions }
  )

let workload starts =
  {
    Workload.workload_name = "waits";
    described = "";
    barriers = [];
    starts;
    most_threads = List.length starts;
  }

(* ULE always runs threads that serve interrupts first. *)
let starving =
  workload
    (thread "batch" [] [ Workload.Compute (50. *. ms) ]
    :: List.init 2 (fun i ->
           thread (Printf.sprintf "u%d" i)
             [ ("interrupt", 1) ]
             [ Compute (300. *. ms) ]))

let figures ?limit name w =
  let r = Engine.run ?limit (policy name) (Topology.flat 1) w in
  (r, Summary.of_result ~cores:1 r)

let within what low high x =
  if x < low || x > high then
    Alcotest.failf "%s: %.0f, not within %.0f and %.0f" what x low high

let longest (f : Figures.t) =
  match f.longest with
  | Some wait -> wait
  | None -> Alcotest.fail "no thread waited"

(* The thread runs for a slice of 10 ticks first, and is then preempted and
   waits. *)
let preempted () =
  let _, f = figures "ule" starving in
  let wait = longest f in
  Alcotest.(check string) "whose" "batch" wait.thread;
  Alcotest.(check bool) "over" true wait.over;
  Alcotest.(check int) "no thread waits at the end" 0 f.still_waiting;
  within "since" (9. *. ms) (12. *. ms) wait.since;
  within "lasted" (599. *. ms) (605. *. ms) wait.lasted;
  Alcotest.(check (float 0.)) "the longest of all" wait.lasted f.wait_max;
  within "from waking" 0. (21. *. ms) f.wake_max

let still_waiting () =
  let r, f = figures ~limit:(205. *. ms) "ule" starving in
  let wait = longest f in
  Alcotest.(check string) "whose" "batch" wait.thread;
  Alcotest.(check bool) "over" false wait.over;
  Alcotest.(check (float 0.))
    "up to the end" r.finished
    (wait.since +. wait.lasted);
  Alcotest.(check int) "with one of the others" 2 f.still_waiting;
  let said = Fmt.str "%a" Summary.pp f in
  let has part =
    match Str.search_forward (Str.regexp_string part) said 0 with
    | _ -> ()
    | exception Not_found -> Alcotest.failf "no %S in@.%s" part said
  in
  has "of batch from";
  has "and it still waits at the end";
  has "waiting at the end           2";
  let open Yojson.Safe.Util in
  let json = Summary.to_json f |> member "longest_wait" in
  Alcotest.(check string) "JSON" "batch" (json |> member "thread" |> to_string);
  Alcotest.(check bool) "JSON" false (json |> member "over" |> to_bool)

(* Four threads in turn, four ticks each: each waits for three. *)
let in_turn () =
  let starts =
    List.init 4 (fun i ->
        thread (Printf.sprintf "t%d" i) [] [ Workload.Compute (39.9 *. ms) ])
  in
  let _, f = figures "round_robin" (workload starts) in
  within "longest" (12. *. ms) (12.1 *. ms) f.wait_max;
  within "in the middle" (12. *. ms) (12.1 *. ms) f.wait_p50;
  within "ten turns each, and what switches cost" 40. 44. (float f.waits)

(* A thread alone on its core is chosen again at once, without a wait. *)
let alone () =
  let starts =
    [
      thread "t" [] [ Workload.Compute (5. *. ms); Yield; Compute (20. *. ms) ];
    ]
  in
  let _, f = figures "round_robin" (workload starts) in
  Alcotest.(check int) "the first" 1 f.waits;
  Alcotest.(check (float 0.)) "and it did not last" 0. f.wait_max

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "waits"
    [
      ( "waits",
        [
          case "a preempted thread" preempted;
          case "endless waits" still_waiting;
          case "in turn" in_turn;
          case "one thread alone" alone;
        ] );
    ]
