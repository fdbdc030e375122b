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

let name : Certify.property -> string = function
  | Gcwc -> "GCWC of balancing"
  | Hcwc -> "HCWC of balancing"
  | Lcwc_of_new -> "LCWC of new"
  | Lcwc_of_unblock -> "LCWC of unblock"

(* Compares a file for Coq with the policy; asks neither Coq nor a prover. *)
let check file policy certificate =
  match Check.file policy (Input.read certificate) with
  | Ok properties ->
      Printf.printf
        "%s states of %s: %s.\n\
         Each is proved if coqc -Q proofs dromos %s accepts it, and prints no \
         assumption but functional extensionality.\n"
        certificate file
        (String.concat ", " (List.map name properties))
        certificate;
      Status.fine
  | Error why ->
      Printf.eprintf "%s is no certificate of %s: %s\n" certificate file why;
      Status.refused
  | exception Embedding.No_word ((at : Dromos_policy_core.Core.place), part) ->
      Printf.eprintf "%s:%d:%d: certificates have no room for %s\n" at.file
        at.line (at.column + 1) part;
      Status.bad_input

let certify file wanted output checked =
  match (Input.policy file, checked) with
  | None, _ -> Status.bad_input
  | Some policy, Some certificate -> check file policy certificate
  | Some policy, None -> (
      match certificate file policy wanted output with
      | status -> status
      | exception Decide.No_prover failures ->
          List.iter (fun (p, f) -> prerr_endline (Solver.explain p f)) failures;
          Status.no_prover)

let run file wanted output checked =
  Output.guarded (fun () -> certify file wanted output checked)

let checked =
  Arg.(
    value
    & opt (some string) None
    & info [ "check" ] ~docv:"FILE.v"
        ~doc:
          "Write nothing; compare $(docv) with the policy: its definitions and \
           theorems must be those of a certificate, and its proofs have \
           tactics alone. Coq still has to check the proofs.")

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
    Cmdliner.Term.(
      const run $ Input.file $ wanted $ Output.to_ ~docv:"FILE.v" $ checked)
