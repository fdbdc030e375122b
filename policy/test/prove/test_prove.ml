(* Verdicts on policies built by hand. Shipped policies are in test_shipped. *)

open Dromos_policy_core.Core
open Dromos_policy_prove
open Build

let verdict ?provers property p =
  let report = Prove.policy ?provers p in
  match
    List.find_opt
      (fun (r : Prove.result) -> r.property = property)
      report.results
  with
  | Some r -> r.verdict
  | None -> Alcotest.failf "no verdict on %s" (Prove.property_name property)

let proved property p () =
  match verdict property p with
  | Proved _ -> ()
  | other -> Alcotest.fail (Prove.say other)

let starts_with prefix s = String.starts_with ~prefix s

let refuted (w : Wrong.expectation) () =
  match verdict w.property w.policy with
  | Refuted_obligation witness ->
      if not (starts_with w.obligation witness.refuted) then
        Alcotest.failf "fails by %s, not by %s: %s" witness.refuted w.obligation
          witness.words;
      List.iter
        (fun (name, value) ->
          Alcotest.(check (option string))
            (name ^ " in " ^ witness.words)
            (Some value)
            (List.assoc_opt name witness.values))
        w.values
  | other -> Alcotest.failf "expected a witness: %s" (Prove.say other)

let within rounds = Within { rounds; at = place () }

let premises_are_printed () =
  let exempt =
    "exempt: some threads of unblock, because interrupt threads stay where \
     their device is"
  and mended =
    "within 2 idle rounds of balancing: a state that they mend does not count"
  in
  let p =
    Wrong.(
      with_unblock
        ~relaxations:[ exempt_interrupts; within 2 ]
        interrupt_to_last_core)
  in
  List.iter
    (fun (r : Prove.result) ->
      Alcotest.(check (list string))
        (Prove.property_name r.property)
        (match r.property with
        | Gcwc | Hcwc | Lcwc New -> [ mended ]
        | Lcwc _ -> [ exempt; mended ]
        | Conservation | Waiting -> [])
        (List.map Prove.premise r.premises))
    (Prove.policy p).results

(* A round of balancing mends a placement that looks at no core, if the policy
   has a round and the mending is proved. *)
let mended ~by rounds steal () =
  let stay = [ move target self ready ] in
  let relaxations = Option.to_list (Option.map within rounds) in
  let p = policy ~new_:stay ~unblock:stay ~relaxations (Some steal) in
  List.iter
    (fun event ->
      match (verdict (Lcwc event) p, by) with
      | Prove.Proved { theorem; _ }, Some expected ->
          Alcotest.(check string) "theorem" expected theorem
      | Refuted_obligation _, None -> ()
      | other, _ -> Alcotest.fail (Prove.say other))
    [ New; Unblock ]

(* {1 The generator}

   Each wrong policy fails by its own obligation: without the obligation, or its
   cases, the policy would be proved. *)

let dropping_is_noticed () =
  let base = Prove.obligations (policy (Some (ule ()))) in
  let names =
    List.concat_map
      (fun (_, os) -> List.map (fun (o : Obligation.t) -> o.name) os)
      base
  in
  List.iter
    (fun name ->
      let fails_by_it =
        List.exists
          (fun (w : Wrong.expectation) -> w.obligation = name)
          Wrong.all
      in
      Alcotest.(check bool) ("a wrong policy for " ^ name) true fails_by_it)
    (List.filter
       (fun n -> List.mem n names)
       [
         "balance_alone";
         "balance_complete";
         "filter_complete";
         "select_member";
         "steal_safe";
         "steal_progress";
         "until_sound";
       ]);
  Decide.with_provers [ Solver.z3 ] (fun d ->
      List.iter
        (fun (w : Wrong.expectation) ->
          let obligations =
            List.assoc w.property (Prove.obligations w.policy)
          in
          let failing =
            List.filter
              (fun o ->
                match Decide.obligation d o with
                | Holds _ -> false
                | Refuted _ | Open _ -> true)
              obligations
          in
          List.iter
            (fun (o : Obligation.t) ->
              if not (starts_with w.obligation o.name) then
                Alcotest.failf "%s: also fails by %s" w.name o.name)
            failing)
        (List.filter
           (fun (w : Wrong.expectation) -> w.name <> "until true")
           Wrong.all))

(* The premises of an obligation are consistent: no obligation is proved from a
   contradiction. *)
let premises_are_possible () =
  Decide.with_provers [ Solver.z3 ] (fun d ->
      List.iter
        (fun (_, obligations) ->
          List.iter
            (fun (o : Obligation.t) ->
              let possible =
                List.exists
                  (fun (c : Obligation.case) ->
                    match
                      Decide.obligation d
                        {
                          o with
                          cases =
                            [
                              { c with shown = Dromos_policy_prove.Term.false_ };
                            ];
                        }
                    with
                    | Refuted _ -> true
                    | Holds _ | Open _ -> false)
                  o.cases
              in
              match o.name with
              | "filter_complete" | "select_member" | "until_sound"
              | "steal_safe" ->
                  Alcotest.(check bool) o.name true possible
              | _ -> ())
            obligations)
        (Prove.obligations (policy (Some (ule ())))))

(* {1 Solvers} *)

let fake name : Solver.prover =
  { name; command = [ "solvers/" ^ name ^ ".sh" ]; package = "z3" }

let missing : Solver.prover =
  { name = "z3"; command = [ "no-such-z3" ]; package = "z3" }

let contains = Said.contains

let no_prover prover said () =
  match
    Prove.policy ~provers:[ prover ] ~limit:0.5 (policy (Some (ule ())))
  with
  | _ -> Alcotest.fail "a verdict without a prover"
  | exception Decide.No_prover [ (p, failure) ] ->
      let message = Solver.explain p failure in
      if not (contains message said) then Alcotest.fail message
  | exception Decide.No_prover _ -> Alcotest.fail "one prover was asked"

let stood_in prover said () =
  let r =
    Prove.policy ~provers:[ prover; Solver.z3 ] ~limit:0.5
      (policy (Some (ule ())))
  in
  List.iter
    (fun (r : Prove.result) ->
      match r.verdict with
      | Proved _ -> ()
      | other -> Alcotest.fail (Prove.say other))
    r.results;
  if not (List.exists (fun t -> contains t said) r.troubles) then
    Alcotest.fail (String.concat "; " r.troubles)

let hanging () =
  let begun = Unix.gettimeofday () in
  let r =
    Prove.policy ~provers:[ fake "hangs" ] ~limit:0.1 (policy (Some (ule ())))
  in
  (match (List.hd r.results).verdict with
  | Unknown { why; _ } ->
      if not (contains why "no answer within 0.1 s") then Alcotest.fail why
  | other -> Alcotest.fail (Prove.say other));
  if Unix.gettimeofday () -. begun > 10. then
    Alcotest.fail "the hanging solver was waited for"

let unsure () =
  let r = Prove.policy ~provers:[ fake "unsure" ] (policy (Some (ule ()))) in
  match (List.hd r.results).verdict with
  | Unknown { why; _ } ->
      Alcotest.(check bool) why true (contains why "cannot decide")
  | other -> Alcotest.fail (Prove.say other)

let both_agree () =
  List.iter
    (fun prover ->
      List.iter
        (fun (_, property, p) ->
          match verdict ~provers:[ prover ] property p with
          | Prove.Proved _ -> ()
          | other -> Alcotest.fail (Prove.say other))
        Right.all)
    [ Solver.z3; Solver.cvc5 ]

let () =
  let quick name f = Alcotest.test_case name `Quick f in
  Alcotest.run "prove"
    [
      ("right", List.map (fun (n, prop, p) -> quick n (proved prop p)) Right.all);
      ( "wrong",
        List.map
          (fun (w : Wrong.expectation) -> quick w.name (refuted w))
          Wrong.all );
      ( "generator",
        [
          quick "a dropped obligation is noticed" dropping_is_noticed;
          quick "premises are possible" premises_are_possible;
          quick "premises are printed" premises_are_printed;
          quick "z3 and cvc5 agree" both_agree;
        ] );
      ( "within",
        [
          quick "one round" (mended ~by:(Some Prove.mending) (Some 1) (ule ()));
          quick "three" (mended ~by:(Some Prove.mending) (Some 3) (ule ()));
          quick "none" (mended ~by:None (Some 0) (ule ()));
          quick "not said" (mended ~by:None None (ule ()));
          quick "balancing is wrong"
            (mended ~by:None (Some 1) (ule ~filter:3 ()));
        ] );
      ( "solvers",
        [
          quick "missing" (no_prover missing "not installed");
          quick "crashes" (no_prover (fake "crashes") "exit status 3");
          quick "says why it crashed"
            (no_prover (fake "crashes") "segmentation violation");
          quick "garbage" (no_prover (fake "garbage") "Welcome");
          quick "no model" (no_prover (fake "lies") "model is not available");
          quick "hangs" hanging;
          quick "never knows" unsure;
          quick "another stands in for a missing one"
            (stood_in missing "not installed");
          quick "another stands in for one that vanishes"
            (stood_in (fake "vanishes") "died");
          quick "another stands in for garbage"
            (stood_in (fake "garbage") "no answer:");
        ] );
    ]
