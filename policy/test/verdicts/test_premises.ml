(* Weaker promises of a policy are reported with every verdict that depends on
   them, used or not: in the text, in JSON, in the table. *)

open Dromos_policy_core.Core
open Dromos_policy_verdict

let exempt_and_within () =
  let file = "../../policies/ule_cwc.policy" in
  match Dromos_policy_elaborate.Elaborate.file file with
  | Error _ -> failwith "ule_cwc.policy has faults"
  | Ok { policy = p; _ } ->
      let within = Within { rounds = 2; at = p.policy_place } in
      Verdict.check { p with relaxations = within :: p.relaxations }

(* The lines under each property that begin as premises do. *)
let in_text report =
  let text =
    Fmt.str "%a" (Verdict.pp ~trace:false ~times:false ~file:"") report
  in
  List.fold_left
    (fun found line ->
      match (found, String.split_on_char ' ' (String.trim line)) with
      | found, ("PROVED" | "-") :: _ -> [] :: found
      | premises :: others, (("exempt:" | "within") as word) :: _ ->
          (word :: premises) :: others
      | found, _ -> found)
    []
    (String.split_on_char '\n' text)
  |> List.rev_map List.rev

let in_json report =
  let open Yojson.Safe.Util in
  let word premise = List.hd (String.split_on_char ' ' (to_string premise)) in
  Verdict.to_json ~file:"" report
  |> member "results" |> to_list
  |> List.map (fun r -> List.map word (to_list (member "premises" r)))

let said () =
  let report = exempt_and_within () in
  let expected =
    [ [ "within" ]; [ "within" ]; [ "within"; "exempt:" ]; []; [ "exempt:" ] ]
  in
  let check = Alcotest.(check (list (list string))) in
  check "text" expected (in_text report);
  check "json" expected (in_json report);
  Alcotest.(check string)
    "table"
    "| ule_cwc | PROVED, within 2 | PROVED, within 2 | PROVED, with what it \
     exempts, within 2 | PROVED | exempt |"
    (Verdict.row report)

(* A policy that steals, but does not balance: there is no balancing to
   search. *)
let no_balancing () =
  let file = "../../policies/random_stealing.policy" in
  match Dromos_policy_elaborate.Elaborate.file file with
  | Error _ -> failwith "random_stealing.policy has faults"
  | Ok { policy = p; _ } -> (
      let handlers = List.filter (fun h -> h.event <> Balancing) p.handlers in
      let report = Verdict.check { p with handlers; relaxations = [] } in
      match (List.hd report.results).answer with
      | Nothing_to_prove _ -> ()
      | _ -> Alcotest.fail "something is said of balancing")

let () =
  Alcotest.run "premises"
    [
      ( "premises",
        [
          Alcotest.test_case "said" `Quick said;
          Alcotest.test_case "no balancing" `Quick no_balancing;
        ] );
    ]
