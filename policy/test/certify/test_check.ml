(* [certify --check]: a certificate of the policy is accepted, with any tactics;
   changed files are refused, with the reason. *)

open Dromos_policy_certify

let policy name =
  match
    Dromos_policy_elaborate.Elaborate.file ("../../policies/" ^ name ^ ".policy")
  with
  | Ok { policy; _ } -> policy
  | Error _ -> Alcotest.failf "%s is no policy" name

let all = Certify.[ Gcwc; Lcwc_of_new; Lcwc_of_unblock ]
let written = lazy (Certify.text ~source:"fifo.policy" (policy "fifo") all)

let change (old, now) =
  let text = Lazy.force written in
  let changed = Str.replace_first (Str.regexp_string old) now text in
  if changed = text then Alcotest.failf "%s is not in the certificate" old;
  changed

let accepted what text () =
  match Check.file (policy "fifo") text with
  | Ok properties -> Alcotest.(check int) what 3 (List.length properties)
  | Error why -> Alcotest.failf "%s: refused: %s" what why

let refused ?(of_ = "fifo") why text () =
  match Check.file (policy of_) text with
  | Ok _ -> Alcotest.fail "it is accepted"
  | Error said -> (
      match Str.search_forward (Str.regexp_string why) said 0 with
      | _ -> ()
      | exception Not_found -> Alcotest.failf "%s, and not %s" said why)

let tactic = "placement the_policy 1. Qed."

let () =
  let case name f = Alcotest.test_case name `Quick f in
  let changed name ?of_ why by =
    case name (fun () -> refused ?of_ why (change by) ())
  in
  Alcotest.run "certify --check"
    [
      ( "accepted",
        [
          case "as written" (fun () -> accepted "it" (Lazy.force written) ());
          case "other tactics" (fun () ->
              accepted "it"
                (change
                   ( tactic,
                     "- unfold LCWC_of_new.\n\
                     \  { intros (* all *). }\n\
                     \  2: lia. Qed." ))
                ());
          case "comments and lines" (fun () ->
              accepted "it"
                (change
                   ( "Definition the_steal",
                     "(* a (* b *) *) Definition\n the_steal" ))
                ());
        ] );
      ( "refused",
        [
          changed "a proof that gives up" "gives up" (tactic, "Admitted.");
          changed "admit" "gives up" (tactic, "all: admit. Qed.");
          changed "an axiom in a proof" "no tactic"
            (tactic, "Axiom a : False. destruct a. Qed.");
          changed "an axiom" "it should say"
            ("Theorem lcwc_of_new", "Axiom a : False.\nTheorem lcwc_of_new");
          changed "a redefinition" "it should say"
            ( "Theorem gcwc_of_balancing",
              "Definition GCWC (p : policy) := True.\nTheorem gcwc_of_balancing"
            );
          changed "another theorem" "it should say"
            ("lcwc_of_new : LCWC_of_new the_policy", "lcwc_of_new : True");
          changed "another policy's text" "it should say" ("(Num 2)", "(Num 3)");
          changed "more at the end" "also says"
            ( "Print Assumptions lcwc_of_unblock.",
              "Print Assumptions lcwc_of_unblock. Axiom a : False." );
          changed "a string" "a string" (tactic, "idtac \"(*\". Qed.");
          case "a file about another policy" (fun () ->
              refused ~of_:"threshold3" "it should say" (Lazy.force written) ());
          case "no theorem" (refused "no theorem" "Definition x := 1.");
        ] );
    ]
