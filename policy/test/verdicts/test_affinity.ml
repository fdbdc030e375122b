(* The verdict on each property of policies whose threads may not run
   everywhere. *)

open Dromos_policy_verdict
open Dromos_policy_prove

let text = Changed.read "witness/pinned.policy"

type expected = Proved | Violated | Unknown

let said (r : Verdict.result) =
  match r.answer with
  | Proved _ -> Proved
  | Violated { trace; _ } ->
      Result.iter_error
        (fun why -> Alcotest.fail why)
        (Dromos_policy_explore.Trace.replay trace);
      Violated
  | Unknown _ | Nothing_to_prove _ -> Unknown

(* The four expected properties. Proved properties are searched too. *)
let all = Prove.[ Gcwc; Lcwc New; Lcwc Unblock; Conservation ]

let are expected changes () =
  let report = Verdict.check ~seconds:5. (Changed.policy text changes) in
  List.iter2
    (fun property expected ->
      let r =
        List.find
          (fun (r : Verdict.result) -> r.property = property)
          report.results
      in
      if said r <> expected then
        Alcotest.failf "%s:@.%a"
          (Prove.property_name property)
          (Verdict.pp ~trace:true ~times:true ~file:"")
          report)
    all expected

let fits = "can_run(t, dst)"
let least = "first(system_cores() order = { lowest cload })"
let choose = "core c = t.only;\n      if (!valid(c)) c = " ^ least ^ ";"

let () =
  let case name expected changes =
    Alcotest.test_case name `Quick (are expected changes)
  in
  Alcotest.run "affinity"
    [
      ( "affinity",
        [
          case "asked" [ Proved; Proved; Proved; Proved ] [];
          case "written out"
            [ Proved; Proved; Proved; Proved ]
            [ (fits, "(!valid(t.only) || t.only == dst)") ];
          case "stolen for any core"
            [ Proved; Proved; Proved; Violated ]
            [ (" && " ^ fits, "") ];
          case "placed on any core"
            [ Proved; Proved; Proved; Violated ]
            [ (choose, "core c = " ^ least ^ ";") ];
          case "the offering ends at once"
            [ Violated; Proved; Proved; Proved ]
            [
              ( "} until (count(dst) != 0)\n    } until",
                "} until (true)\n    } until" );
            ];
          case "too great a difference"
            [ Violated; Proved; Proved; Proved ]
            [
              ( "src.cload - dst.cload >= 2\n    }",
                "src.cload - dst.cload >= 3\n    }" );
            ];
          case "stays at home until a round of balancing"
            [ Proved; Proved; Proved; Proved ]
            [
              ("  thread = {", "  conserve within 1 idle rounds;\n  thread = {");
              (least, "self");
              (least, "self");
            ];
          case "the offering ends with what was taken"
            [ Proved; Proved; Proved; Proved ]
            [
              ( "until (count(dst) != 0)\n    } until",
                "until (count(src) - count(dst) < 2)\n    } until" );
            ];
          case "threads that may run everywhere stay at home"
            [ Proved; Violated; Proved; Proved ]
            [ (least, "self") ];
          case "only some cores are big"
            [ Proved; Proved; Proved; Proved ]
            [
              ("system core only;", "system bool heavy;");
              ( "system shared int cload;",
                "system shared int cload; system bool big;" );
              ("!valid(t.only) || t.only == c", "c.big || !t.heavy");
              (choose, "core c = where(t);");
              (choose, "core c = where(t);");
              ( "  bool can_run",
                "  core where(thread t) { foreach (c in system_cores() order = \
                 { lowest cload }) { if (can_run(t, c)) return c; } return \
                 self; }\n\
                \  bool can_run" );
            ];
        ] );
    ]
