(* Why cfs_cwc asks whether a thread waits in a group, and not whether the group
   has more threads than cores: with the second question HCWC is violated. The
   smallest machine known has three groups on five cores, too many for a search.
   So the run is written by hand.

   Core 3 is idle beside core 2, which runs a heavy thread. Core 0 has two
   threads, core 1 one, which blocks. Group {0, 1} then has no more threads than
   cores, is lighter than {2, 3}, and is passed over. The blocked thread wakes
   up. Then core 4 steals from core 0, has two threads, and is an overloaded
   group while {2, 3} has an idle core. *)

open Dromos_policy_core.Core
open Dromos_policy_semantics
open Dromos_policy_explore

let waits =
  "    foreach (c in g.cores) {\n\
  \      if (count(c) >= 2) return true;\n\
  \    }\n\
  \    return false;"

let more_threads_than_cores =
  "    int spare = 0;\n\
  \    foreach (c in g.cores) spare += count(c) - 1;\n\
  \    return spare > 0;"

let replaced text a b =
  let n = String.length a in
  let rec at i =
    if i + n > String.length text then Alcotest.failf "no %S any more" a
    else if String.sub text i n = a then
      String.sub text 0 i ^ b
      ^ String.sub text (i + n) (String.length text - i - n)
    else at (i + 1)
  in
  at 0

let policy ~spare =
  let text =
    In_channel.with_open_text "../../policies/cfs_cwc.policy"
      In_channel.input_all
  in
  match Dromos_policy_syntax.Parse.string (replaced text waits spare) with
  | Error _ -> Alcotest.fail "it does not parse"
  | Ok tree -> (
      match Dromos_policy_elaborate.Elaborate.policy tree with
      | Error _ -> Alcotest.fail "it does not elaborate"
      | Ok { policy; _ } -> policy)

let run m s event ~self ~target =
  ignore (Machine.run m s event ~self ~target : Machine.report)

(* Threads 3 and 4 only keep others from cores 3 and 4. *)
let start m =
  let s = Machine.initial m in
  let nice =
    List.find
      (fun (a : attribute) -> a.name = "nice")
      (Array.to_list (Machine.layout m).policy.attributes)
  in
  let new_ ~self target weight =
    Look.set_attribute m s nice target weight;
    run m s New ~self ~target;
    Environment.settle m s
  in
  new_ ~self:0 0 0;
  new_ ~self:1 1 0;
  new_ ~self:2 2 (-20);
  new_ ~self:3 3 (-20);
  new_ ~self:4 4 (-20);
  new_ ~self:0 5 0;
  run m s Terminate ~self:3 ~target:3;
  run m s Terminate ~self:4 ~target:4;
  new_ ~self:4 6 19;
  s.(Layout.blocked) <- 0;
  s.(Layout.unblocked) <- 0;
  s

(* Makes steps of balancing, up to the first whose description has the
   prefix. *)
let rec until m s prefix =
  let next = Array.copy s in
  Machine.step m next 0;
  if not (String.starts_with ~prefix (Machine.describe m s 0 next)) then begin
    Machine.step m s 0;
    until m s prefix
  end

let whole m s event ~self ~target =
  Machine.start m s ~runner:1 event ~self ~target;
  while Machine.busy m s 1 do
    Machine.step m s 1
  done

let breach ~spare =
  let m =
    Machine.create ~runners:2 ~threads:7 (Topology.tree ~cores:5 2)
      (policy ~spare)
  in
  let s = start m in
  Alcotest.(check string)
    "to begin with"
    "0: current t0, ready t5 | 1: current t1 | 2: current t2 | 3: nothing | 4: \
     current t6"
    (Look.show m s);
  Machine.start m s ~runner:0 Balancing ~self:0 ~target:0;
  until m s "core 0: balancing for core 3";
  whole m s Block ~self:1 ~target:1;
  until m s "core 0: balancing for core 4";
  whole m s Unblock ~self:1 ~target:1;
  while Machine.busy m s 0 do
    Machine.step m s 0
  done;
  Promise.breach Hcwc m s

let said (b : Promise.breach option) =
  match b with None -> "none" | Some b -> Trace.fault_text (Breach b)

let played () =
  Alcotest.(check string) "a thread waits" "none" (said (breach ~spare:waits));
  Alcotest.(check string)
    "more threads than cores"
    "core 4 is overloaded, while the group of cores 2, 3 is idle"
    (said (breach ~spare:more_threads_than_cores))

let () =
  Watch.suite "policy groups" (fun () ->
      Alcotest.run ~and_exit:false "policy groups"
        [ ("groups", [ Watch.case "more threads than cores" played ]) ])
