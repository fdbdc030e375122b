(* dromos policy certify: writes the proofs of a policy for Coq to check. *)

open Cmdliner
module Guide = Dromos_policy_syntax.Guide
open Dromos_policy_certify
open Dromos_policy_prove

let property : Prove.result -> Certify.property option = function
  | { verdict = Proved { theorem; _ }; property; _ }
    when theorem <> Prove.mending -> (
      match property with
      | Gcwc -> Some Gcwc
      | Hcwc -> Some Hcwc
      | Lcwc New -> Some Lcwc_of_new
      | Lcwc Unblock -> Some Lcwc_of_unblock
      | Lcwc _ | Conservation | Waiting -> None)
  | _ -> None

let names =
  [
    ("balancing", [ Certify.Gcwc; Hcwc ]); ("new", [ Certify.Lcwc_of_new ]);
    ("unblock", [ Certify.Lcwc_of_unblock ]);
  ]
[@@ocamlformat "disable"]

let certificate file policy wanted output =
  let report = Prove.policy policy in
  let asked p = wanted = [] || List.exists (List.mem p) wanted in
  match List.filter asked (List.filter_map property report.results) with
  | [] ->
      Printf.eprintf
        "%s: nothing is proved that a certificate can say: see dromos policy \
         check\n"
        file;
      Status.refused
  | properties ->
      let make () =
        match Certify.text ~source:file policy properties with
        | text -> Ok text
        | exception Embedding.No_word (at, part) -> Error (at, part)
      in
      Output.made ~what:"certificates have" make output

let certify file wanted output =
  match Input.policy file with
  | None -> Status.bad_input
  | Some policy -> (
      match certificate file policy wanted output with
      | status -> status
      | exception Decide.No_prover failures ->
          List.iter (fun (p, f) -> prerr_endline (Solver.explain p f)) failures;
          Status.no_prover)

let run file wanted output =
  Output.guarded (fun () -> certify file wanted output)

let wanted =
  Arg.(
    value
    & opt_all (enum names) []
    & info [ "property" ] ~docv:"PROPERTY"
        ~doc:
          "Only this: GCWC or HCWC of $(b,balancing), LCWC of $(b,new) or of \
           $(b,unblock). May be given again; all that is proved if not said.")

let cmd =
  let doc =
    "write what is proved of a policy as a certificate that Coq checks"
  in
  let man =
    [
      `S Manpage.s_description;
      `P
        "The file holds the policy as data, and for each property that is \
         proved a theorem over the machine of $(b,proofs/policy/machine.v), \
         with its proof. Coq checks it with nothing of dromos in between:";
      `Pre "coqc -Q proofs dromos FILE.v";
      `P
        ("in a checkout of Dromos in which $(b,make proofs) was run. The \
          assumptions that are left are in "
        ^ Guide.page "certificates.md"
        ^ ".");
    ]
  in
  Cmd.v
    (Cmd.info "certify" ~doc ~man ~exits:Status.all)
    Cmdliner.Term.(const run $ Input.file $ wanted $ Output.to_ ~docv:"FILE.v")
