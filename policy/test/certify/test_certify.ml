open Dromos_policy_certify

let policy name =
  match
    Dromos_policy_elaborate.Elaborate.file ("../../policies/" ^ name ^ ".policy")
  with
  | Ok { policy; _ } -> policy
  | Error _ -> Alcotest.failf "%s is no policy" name

let all = Certify.[ Gcwc; Lcwc_of_new; Lcwc_of_unblock ]
let placement = Certify.[ Lcwc_of_new; Lcwc_of_unblock ]
let but_unblock = Certify.[ Gcwc; Lcwc_of_new ]

(* The properties proved of each shipped policy, as in doc/policy/verdicts.md,
   except conservation and bounded waiting. *)
let kept =
  [
    ("fifo", all);
    ("edf", all);
    ("round_robin", all);
    ("lottery", all);
    ("cfs_cwc_flat", all);
    ("scx_flatcg", all);
    ("scx_rusty", placement);
    ("scx_simple_vtime", all);
    ("work_stealing", [ Gcwc ]);
    ("random_stealing", [ Gcwc ]);
    ("ule_cwc", all);
    ("cfs_cwc", Certify.Hcwc :: placement);
    ("domain_limited", but_unblock);
    ("interrupt_to_last_core", but_unblock);
    ("give_up", placement);
    ("imbalance", placement);
    ("threshold1", placement);
    ("threshold3", placement);
    ("ule", placement);
    ("known/bandwidth", all);
    ("known/bvt", all);
    ("known/eevdf", all);
    ("known/global_fifo", all);
    ("known/idle_sibling", all);
    ("known/mlfq", all);
    ("known/steal_half", [ Gcwc ]);
    ("known/two_choices", [ Gcwc ]);
  ]

(* Policies that certificates have no room for; and smt_first, whose certificate
   takes Coq minutes. *)
let without = [ "known/go"; "known/lavd"; "known/tokio"; "known/smt_first" ]

let file name =
  "../../../proofs/policy/certificates/" ^ Filename.basename name ^ ".v"

let current (name, properties) () =
  let source = Filename.basename name ^ ".policy" in
  let text = Certify.text ~source (policy name) properties in
  let old = In_channel.with_open_bin (file name) In_channel.input_all in
  if text <> old then
    Alcotest.failf
      "%s is not what dromos policy certify writes: write it again, and have \
       make proofs check it"
      (file name)

let none_besides () =
  let files = Sys.readdir "../../../proofs/policy/certificates" in
  let of_kept =
    List.map (fun (name, _) -> Filename.basename name ^ ".v") kept
  in
  Array.iter
    (fun f ->
      if Filename.check_suffix f ".v" && not (List.mem f of_kept) then
        Alcotest.failf "%s is checked against no policy" f)
    files

(* Every shipped policy with a proved property has a certificate. *)
let none_missing () =
  let of_folder prefix =
    Sys.readdir ("../../policies/" ^ prefix)
    |> Array.to_list
    |> List.filter (fun f -> Filename.check_suffix f ".policy")
    |> List.map (fun f -> prefix ^ Filename.chop_suffix f ".policy")
  in
  List.iter
    (fun name ->
      if not (List.mem_assoc name kept || List.mem name without) then
        Alcotest.failf "%s has no certificate" name)
    (of_folder "" @ of_folder "known/")

(* fifo.policy, with some texts replaced. *)
let fifo changes =
  let text =
    In_channel.with_open_bin "../../policies/fifo.policy" In_channel.input_all
  in
  let text =
    List.fold_left
      (fun text (old, now) ->
        Str.global_replace (Str.regexp_string old) now text)
      text changes
  in
  match Dromos_policy_syntax.Parse.string text with
  | Error _ -> Alcotest.failf "no syntax: %s" text
  | Ok tree -> (
      match Dromos_policy_elaborate.Elaborate.policy tree with
      | Ok { policy; _ } -> policy
      | Error _ -> Alcotest.failf "no policy: %s" text)

(* The policy is refused with a place, and not printed as a different policy. *)
let refused policy what () =
  match Certify.text ~source:"it" (policy ()) all with
  | _ -> Alcotest.fail "it has a certificate"
  | exception Embedding.No_word (at, said) ->
      Alcotest.(check string) "what" what said;
      Alcotest.(check bool) "a place" true (at.line > 0)

(* An assignment to an attribute of a group is printed, though no theorem asks
   for it. *)
let group_is_set () =
  let policy =
    fifo
      [
        ("int load = 1;", "int load = 1; group home;");
        ( "core idlest = least_loaded();",
          "e.target.home = first(first(self.domains).groups); core idlest = \
           least_loaded();" );
      ]
  in
  let text = Certify.text ~source:"it" policy all in
  let set = Str.regexp "Set_attribute Target [a-z0-9_]*home" in
  match Str.search_forward set text 0 with
  | _ -> ()
  | exception Not_found ->
      Alcotest.fail "the statement is not in the certificate"

let () =
  Watch.suite "certificates" (fun () ->
      Alcotest.run ~and_exit:false "certificates"
        [
          ( "kept",
            List.map (fun (name, p) -> Watch.case name (current (name, p))) kept
            @ [
                Watch.case "no others" none_besides;
                Watch.case "all" none_missing;
              ] );
          ("printed", [ Watch.case "a group that is set" group_is_set ]);
          ( "refused",
            [
              Watch.case "loads of any number"
                (refused
                   (fun () ->
                     fifo
                       [
                         ("int load = 1;", "int load = 1; system int nice;");
                         ( "core idlest = least_loaded();",
                           "e.target.load = e.target.nice; core idlest = \
                            least_loaded();" );
                       ])
                   "loads that are computed: numbers, choices between numbers, \
                    and functions that return such can be certified");
              Watch.case "a slot"
                (refused
                   (fun () -> policy "../test/random/kept/lifo_slot")
                   "`lifo`, a READY state of one thread");
              Watch.case "the waker"
                (refused
                   (fun () ->
                     fifo
                       [
                         ( "core idlest = least_loaded();",
                           "core idlest = least_loaded(); if (valid(e.waker)) \
                            idlest = least_loaded();" );
                       ])
                   "the waker of a thread");
            ] );
        ])
