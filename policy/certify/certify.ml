open Dromos_policy_core

type property = Gcwc | Hcwc | Lcwc_of_new | Lcwc_of_unblock

let theorem ppf ~least property =
  let name, statement, tactic =
    match property with
    | Gcwc -> ("gcwc_of_balancing", "GCWC", "balancing")
    | Hcwc -> ("hcwc_of_balancing", "HCWC", "balancing_of_groups")
    | Lcwc_of_new -> ("lcwc_of_new", "LCWC_of_new", "placement")
    | Lcwc_of_unblock -> ("lcwc_of_unblock", "LCWC_of_unblock", "placement")
  in
  Format.fprintf ppf
    "@.Theorem %s : %s the_policy.@.Proof. %s the_policy %d. Qed.@.Print \
     Assumptions %s.@."
    name statement tactic least name

(* The least that the text can set, which Coq checks. *)
let least_load policy =
  match Query.load policy with
  | None -> 1
  | Some load -> (
      match (Loads.bounds policy load).least with
      | Some least when least >= 1 -> least
      | _ ->
          raise
            (Embedding.No_word
               (load.place, "loads that may be 0 or less (by their text)")))

let text ~source (policy : Core.policy) properties =
  let least = least_load policy in
  let buffer = Buffer.create 10_000 in
  let ppf = Format.formatter_of_buffer buffer in
  Format.fprintf ppf
    "(** The policy %s, of %s, as data, and what is proved of it: see@.    \
     doc/policy/certificates.md for what there is to trust. *)@.@.From \
     dromos.policy Require Import certificate.@.Local Open Scope Z_scope.@.@."
    policy.policy_name (Filename.basename source);
  Embedding.policy ppf policy;
  List.iter (theorem ppf ~least) properties;
  Format.pp_print_flush ppf ();
  Buffer.contents buffer
