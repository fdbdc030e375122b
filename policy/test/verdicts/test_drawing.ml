(* `any`: the search follows every choice. Runs of a policy draw evenly. *)

open Dromos_policy_core
open Dromos_policy_semantics
open Dromos_policy_prove
open Dromos_policy_verdict

let fifo = Changed.read "../../policies/fifo.policy"
let stealing = Changed.read "../../policies/random_stealing.policy"
let least = "return first(system_cores() order = { lowest cload });"

(* {1 Verdicts} *)

let answer property policy =
  let report = Verdict.check ~seconds:10. policy in
  (List.find (fun (r : Verdict.result) -> r.property = property) report.results)
    .answer

let proved text changes property () =
  match answer property (Changed.policy text changes) with
  | Proved _ -> ()
  | _ -> Alcotest.fail "it is not proved"

(* The trace's text about the machine and the steps contains [said]. *)
let violated text changes property said () =
  match answer property (Changed.policy text changes) with
  | Violated { trace; _ } ->
      Result.iter_error
        (fun why -> Alcotest.fail why)
        (Dromos_policy_explore.Trace.replay trace);
      let told = Fmt.str "%a" Dromos_policy_explore.Trace.pp trace in
      if not (Said.contains told said) then
        Alcotest.failf "%s, without %s" told said
  | _ -> Alcotest.fail "it is not violated"

(* Right unless core [n] of three is drawn. *)
let wrong_if_drawn n =
  [
    ( least,
      Printf.sprintf
        "core c = any(system_cores()); core most = first(system_cores() order \
         = { highest cload }); int i = 0; int n = 0; foreach (x in \
         system_cores()) n++; foreach (x in system_cores()) { if (n == 3 && i \
         == %d && x == c) return most; i++; } %s"
        n least );
  ]

let each_way n =
  violated fifo (wrong_if_drawn n) (Prove.Lcwc New)
    (Printf.sprintf "draws core %d" n)

let among_willing =
  [
    ("first(stealable_cores order = { highest cload })", "any(stealable_cores)");
  ]

(* {1 Evenly} *)

let even what counts =
  let n = Array.fold_left ( + ) 0 counts in
  let expected = float n /. float (Array.length counts) in
  let deviation = 5. *. sqrt expected in
  Array.iteri
    (fun i k ->
      if Float.abs (float k -. expected) > deviation then
        Alcotest.failf "%s: %d of %d for number %d" what k n i)
    counts

let threads = 3000

(* Threads come one at a time. Each goes to a drawn core. *)
let simulated seed =
  let policy = Changed.policy fifo [ (least, "return any(system_cores());") ] in
  let open Dromos_policy_simulate in
  let thread i =
    ( float i *. 1000.,
      {
        Workload.name = string_of_int i;
        attached = false;
        settings = [];
        actions = List.to_seq [ Workload.Compute 1. ];
      } )
  in
  let r =
    Engine.run ~seed policy (Topology.flat 3)
      {
        workload_name = "draws";
        described = "";
        barriers = [];
        starts = List.init threads thread;
        most_threads = threads;
      }
  in
  List.filter_map
    (function Engine.Placed { core; _ } -> Some core | _ -> None)
    r.happenings

let counted cores =
  let counts = Array.make 3 0 in
  List.iter (fun c -> counts.(c) <- counts.(c) + 1) cores;
  counts

let in_simulations () =
  let once = simulated 1 in
  Alcotest.(check int) "all" threads (List.length once);
  even "simulated" (counted once);
  Alcotest.(check (list int)) "the same again" once (simulated 1);
  if once = simulated 2 then Alcotest.fail "the seed changes nothing"

let on_hubs () =
  let module Runtime = Dromos_policy_runtime.Machine in
  let m : unit Runtime.t = Runtime.create Random_stealing.policy ~workers:3 in
  let all = Runtime.cores m in
  even "on a hub"
    (counted (List.init threads (fun _ -> Runtime.any_core m all)));
  Alcotest.(check int) "from one" 1 (Runtime.any_core m [ 1 ]);
  Alcotest.(check int) "from none" (-1) (Runtime.any_core m [])

(* {1 Steps} *)

(* A draw from several members has one choice per member. A draw from one
   member, or none, is no step. *)
let ways () =
  let policy = Changed.policy fifo [ (least, "return any(system_cores());") ] in
  let of_cores cores =
    let m = Machine.create ~threads:1 (Topology.flat cores) policy in
    let s = Machine.initial m in
    Machine.start m s ~runner:0 Core.New ~self:0 ~target:0;
    let ways = Machine.ways m s 0 in
    List.init ways (fun draw ->
        let s = Array.copy s in
        s.(Layout.draw) <- draw;
        while Machine.busy m s 0 do
          Machine.step m s 0
        done;
        match Look.place m s 0 with `At (c, _) -> c | _ -> -1)
  in
  Alcotest.(check (list int)) "from three" [ 0; 1; 2 ] (of_cores 3);
  Alcotest.(check (list int)) "from one" [ 0 ] (of_cores 1)

(* The value of the attribute may be left from an earlier run. The property is
   the one with which conservation was searched. *)
let left_before said =
  violated fifo
    [
      ("int load = 1;", "int load = 1; int a;");
      ("On tick { }", "On tick { e.target.a = 1 - e.target.a; }");
      ( "On unblock {",
        "On unblock { if (e.target.a == 1) { e.target => self.ready; return; }"
      );
    ]
    (Prove.Lcwc Unblock) said

let unscheduled =
  violated fifo
    [ ("t => current;", "if (count(self) > 1) t => current;") ]
    Prove.Conservation "conservation of threads, searched with "

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "drawing"
    [
      ( "verdicts",
        [
          case "a random victim" (proved stealing [] Prove.Gcwc);
          case "a victim among those let through"
            (proved fifo among_willing Prove.Gcwc);
          case "a victim among all"
            (violated fifo
               [
                 ( "first(stealable_cores order = { highest cload })",
                   "any(system_cores())" );
               ]
               Prove.Gcwc "draws core");
          case "only the first is wrong" (each_way 0);
          case "only the second is wrong" (each_way 1);
          case "only the last is wrong" (each_way 2);
          case "any of a queue starves"
            (violated fifo
               [ ("first(ready)", "any(ready)") ]
               Prove.Waiting "draws the second of all");
        ] );
      ( "told",
        [
          case "the time before" (left_before "before t2 has a 1");
          case "its unknown part" (left_before "no run was searched");
          case "conservation" unscheduled;
        ] );
      ("steps", [ case "each way" ways ]);
      ( "evenly",
        [ case "in simulations" in_simulations; case "on hubs" on_hubs ] );
    ]
