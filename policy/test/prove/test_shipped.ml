(* The prover's verdict on each shipped policy: the properties proved, and the
   obligation by which each other property fails. *)

open Dromos_policy_core.Core
open Dromos_policy_prove

type expected = Yes | By of string * (string * string) list

let right balancing : (Prove.property * expected) list =
  [ (balancing, Yes); (Lcwc New, Yes); (Lcwc Unblock, Yes) ]

let but property how l =
  List.map (fun (p, e) -> if p = property then (p, how) else (p, e)) l

let seen = [ ("src.cload", "2"); ("dst.cload", "0") ]

(* The margin of 25 %: a source of two threads of the least weight. *)
let margin = [ ("t.load", "15"); ("count(src)", "2"); ("src.cload", "30") ]

let table : (string * (Prove.property * expected) list) list =
  let open Prove in
  [
    ("cfs_cwc", right Hcwc);
    ("cfs_cwc_flat", right Gcwc);
    ( "domain_limited",
      right Gcwc |> but (Lcwc Unblock) (By ("unblock", [ ("idle.cload", "0") ]))
    );
    ("edf", right Gcwc);
    ("fifo", right Gcwc);
    ("give_up", right Gcwc |> but Gcwc (By ("until_sound", [])));
    ("imbalance", right Gcwc |> but Gcwc (By ("steal_progress", margin)));
    ( "interrupt_to_last_core",
      right Gcwc
      |> but (Lcwc Unblock) (By ("unblock", [ ("target.interrupt", "true") ]))
    );
    ("lottery", right Gcwc);
    ("random_stealing", right Gcwc);
    ("round_robin", right Gcwc);
    ("scx_flatcg", right Gcwc);
    ( "scx_rusty",
      right Hcwc
      |> but Hcwc (By ("group_filter_complete", [ ("idle.cload", "0") ])) );
    ("scx_simple_vtime", right Gcwc);
    ( "threshold1",
      right Gcwc |> but Gcwc (By ("steal_safe", [ ("count(src)", "1") ])) );
    ("threshold3", right Gcwc |> but Gcwc (By ("filter_complete", seen)));
    ("ule", right Gcwc |> but Gcwc (By ("until_sound", [])));
    ("ule_cwc", right Gcwc);
    ("work_stealing", right Gcwc);
  ]

let read name =
  let file = "../../policies/" ^ name ^ ".policy" in
  match Dromos_policy_elaborate.Elaborate.file file with
  | Ok { policy; _ } -> policy
  | Error _ -> Alcotest.failf "%s does not elaborate" file

let check (name, expectations) () =
  let report = Prove.policy (read name) in
  List.iter
    (fun (property, expected) ->
      let said =
        List.find_opt
          (fun (r : Prove.result) -> r.property = property)
          report.results
      in
      match
        (expected, Option.map (fun (r : Prove.result) -> r.verdict) said)
      with
      | Yes, Some (Proved _) -> ()
      | By (obligation, values), Some (Refuted_obligation w)
        when String.starts_with ~prefix:obligation w.refuted ->
          List.iter
            (fun (n, v) ->
              Alcotest.(check (option string))
                (n ^ " in " ^ w.words)
                (Some v)
                (List.assoc_opt n w.values))
            values
      | _, None -> Alcotest.failf "nothing on %s" (Prove.property_name property)
      | _, Some verdict ->
          Alcotest.failf "%s: %s"
            (Prove.property_name property)
            (Prove.say verdict))
    ((Conservation, Yes) :: expectations);
  (* The target is 2 s from a cold start. The machine may be busy. *)
  if report.total_seconds > 10. then
    Alcotest.failf "took %.1f s" report.total_seconds

(* Every shipped policy is in the table. *)
let all_are_here () =
  let shipped =
    Sys.readdir "../../policies"
    |> Array.to_list
    |> List.filter_map (Filename.chop_suffix_opt ~suffix:".policy")
    |> List.sort compare
  in
  Alcotest.(check (list string)) "policies" (List.map fst table) shipped

(* {1 Faults, as text}

   Each fault is in one place of a proved policy, and fails by one
   obligation. *)

let replace text a b =
  let n = String.length a in
  let rec at i =
    if i + n > String.length text then
      Alcotest.failf "the policy has no %S any more" a
    else if String.sub text i n = a then
      String.sub text 0 i ^ b
      ^ String.sub text (i + n) (String.length text - i - n)
    else at (i + 1)
  in
  at 0

let changed name changes =
  let file = "../../policies/" ^ name ^ ".policy" in
  let text = In_channel.with_open_text file In_channel.input_all in
  let text =
    List.fold_left (fun text (a, b) -> replace text a b) text changes
  in
  match Dromos_policy_syntax.Parse.string text with
  | Error _ -> Alcotest.failf "%s, changed, does not parse:@.%s" name text
  | Ok tree -> (
      match Dromos_policy_elaborate.Elaborate.policy tree with
      | Error _ -> Alcotest.failf "%s, changed, does not elaborate" name
      | Ok { policy; _ } -> policy)

let faults =
  let open Prove in
  [
    ( "cfs_cwc",
      "count(c) >= 2) return true",
      "count(c) >= 3) return true",
      Hcwc,
      "group_filter_complete" );
    ( "cfs_cwc",
      "if (c in g.cores) steal_for(g, c)",
      "if (c in g.cores && c == self) steal_for(g, c)",
      Hcwc,
      "balance_complete" );
    ( "cfs_cwc",
      "count(src) >= 2 && src.cload > dst.cload",
      "count(src) >= 2 && src.cload > dst.cload + 30",
      Hcwc,
      "filter_complete" );
    ( "cfs_cwc",
      "count(src) >= 2 && src.cload - dst.cload > t.load",
      "src.cload - dst.cload >= t.load",
      Hcwc,
      "steal_safe" );
    ( "cfs_cwc",
      "count(src) >= 2 && src.cload - dst.cload > t.load",
      "count(src) >= 3 && src.cload - dst.cload > t.load",
      Hcwc,
      "steal_progress" );
    ( "cfs_cwc_flat",
      "On synchronized balancing",
      "On balancing",
      Gcwc,
      "balance_alone" );
    ( "ule_cwc",
      "until (runnable(dst) != 0)",
      "until (runnable(dst) >= 0)",
      Gcwc,
      "until_sound" );
    ( "ule_cwc",
      "src.cload - dst.cload >= 2",
      "src.cload - dst.cload > 2",
      Gcwc,
      "filter_complete" );
    ( "ule_cwc",
      "if (c.cload == 0) return c",
      "if (c.cload <= 1) return c",
      Lcwc Unblock,
      "unblock" );
    ( "fifo",
      "{ lowest cload });\n  }",
      "{ highest cload });\n  }",
      Lcwc New,
      "new" );
    ( "work_stealing",
      "conserve within 1 idle rounds;",
      "",
      Lcwc Unblock,
      "unblock" );
  ]

let fault (name, a, b, property, obligation) () =
  let report = Prove.policy (changed name [ (a, b) ]) in
  match
    List.find_map
      (fun (r : Prove.result) ->
        if r.property = property then Some r.verdict else None)
      report.results
  with
  | Some (Refuted_obligation w) ->
      if not (String.starts_with ~prefix:obligation w.refuted) then
        Alcotest.failf "fails by %s: %s" w.refuted w.words
  | Some other -> Alcotest.fail (Prove.say other)
  | None -> Alcotest.fail "no verdict"

(* Balancing by groups also mends a placement that looks at no core. *)
let mended () =
  let p =
    changed "cfs_cwc"
      [
        ( "scheduler cfs_cwc = {",
          "scheduler cfs_cwc = { conserve within 1 idle rounds;" );
        ("core c = wakeup_core(t)", "core c = self");
      ]
  in
  List.iter
    (fun (r : Prove.result) ->
      match (r.property, r.verdict) with
      | Lcwc Unblock, Proved { theorem; _ } ->
          Alcotest.(check string) "theorem" Prove.mending theorem
      | Lcwc New, Proved { theorem; _ } ->
          Alcotest.(check bool) "by itself" true (theorem <> Prove.mending)
      | _, Proved _ | Waiting, Nothing_to_prove _ -> ()
      | _, other -> Alcotest.fail (Prove.say other))
    (Prove.policy p).results

(* {1 WhyML}

   Only the modules of the policy. `make proofs` checks the theories. *)

let installed tool =
  Sys.command (Printf.sprintf "command -v %s >/dev/null 2>&1" tool) = 0

let why3 config file modules =
  let log = Filename.temp_file "dromos" ".why3" in
  let command =
    Printf.sprintf "why3 prove -C %s -P z3 -t 10 -a split_vc %s %s >%s 2>&1"
      config file
      (String.concat " " (List.map (( ^ ) "-T ") modules))
      log
  in
  let status = Sys.command command in
  let text = In_channel.with_open_text log In_channel.input_all in
  Sys.remove log;
  (status, text)

let goals_of text =
  let lines = String.split_on_char '\n' text in
  let results =
    List.filter (String.starts_with ~prefix:"Prover result") lines
  in
  let valid =
    List.filter (String.starts_with ~prefix:"Prover result is: Valid") results
  in
  (List.length results, List.length valid)

let exported () =
  if not (installed "why3") then
    print_endline "skipped: why3 is not installed (./setup proofs)"
  else begin
    let config = Filename.temp_file "dromos" ".conf" in
    ignore
      (Sys.command
         (Printf.sprintf "why3 config detect -C %s >/dev/null 2>&1" config));
    List.iter
      (fun (name, modules, all) ->
        let file = Filename.temp_file "dromos" ".mlw" in
        Out_channel.with_open_text file (fun out ->
            output_string out (Whyml.export (read name)));
        let status, text = why3 config file modules in
        let goals, valid = goals_of text in
        Sys.remove file;
        if goals = 0 then Alcotest.failf "%s: no goals: %s" name text;
        Alcotest.(check bool)
          (Printf.sprintf "%s: %d of %d goals, status %d" name valid goals
             status)
          all
          (valid = goals && status = 0))
      [
        ( "fifo",
          [ "Stealing"; "Balancing"; "New"; "Unblock"; "Conservation" ],
          true );
        ("cfs_cwc_flat", [ "Stealing"; "Balancing"; "New" ], true);
        ("cfs_cwc", [ "Stealing" ], true);
        ("work_stealing", [ "Stealing"; "Balancing" ], true);
        ("threshold1", [ "Stealing" ], false);
        ("imbalance", [ "Stealing" ], false);
        ("domain_limited", [ "Unblock" ], false);
      ];
    Sys.remove config
  end

let () =
  Alcotest.run "prove_shipped"
    [
      ( "shipped",
        List.map
          (fun ((name, _) as row) -> Alcotest.test_case name `Quick (check row))
          table );
      ( "faults",
        List.map
          (fun ((name, _, b, _, _) as row) ->
            Alcotest.test_case (name ^ ": " ^ b) `Quick (fault row))
          faults );
      ("within", [ Alcotest.test_case "cfs_cwc" `Quick mended ]);
      ("all", [ Alcotest.test_case "all are here" `Quick all_are_here ]);
      ("WhyML", [ Alcotest.test_case "why3 agrees" `Quick exported ]);
    ]
