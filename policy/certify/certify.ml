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

(* The least value of the expression, found from its text alone, as
   proofs/policy/loads.v does. The expression must be a number, a choice
   between such expressions, or a call of a function that returns such
   expressions; for any other the result is None. *)
let rec by_text (e : Core.expression) =
  match e.it with
  | Int_value i -> Some i
  | If_else (_, a, b) -> lesser (by_text a) (by_text b)
  | Call (f, _) -> (
      let returned = ref [] in
      Walk.block f.func_body ~expression:ignore ~statement:(fun s ->
          match s.what with
          | Return (Some e) -> returned := by_text e :: !returned
          | _ -> ());
      match !returned with
      | [] -> None
      | one :: more -> List.fold_left lesser one more)
  | _ -> None

and lesser a b =
  match (a, b) with Some a, Some b -> Some (Int.min a b) | _ -> None

let least_load policy =
  match Query.load policy with
  | None -> 1
  | Some load -> (
      let set = List.map by_text (Embedding.loads policy) in
      match List.fold_left lesser (List.hd set) set with
      | Some least when least >= 1 -> least
      | Some _ ->
          raise
            (Embedding.No_word
               (load.place, "loads that may be 0 or less (by their text)"))
      | None ->
          raise
            (Embedding.No_word
               ( load.place,
                 "loads that are computed: numbers, choices between numbers, \
                  and functions that return such can be certified" )))

let text ~source (policy : Core.policy) properties =
  let least = least_load policy in
  let buffer = Buffer.create 10_000 in
  let ppf = Format.formatter_of_buffer buffer in
  Format.fprintf ppf
    "(** The policy %s, of %s, as data, with its theorems.@.    \
     doc/policy/certificates.md lists the trusted parts. *)@.@.From \
     dromos.policy Require Import certificate.@.Local Open Scope Z_scope.@.@."
    policy.policy_name (Filename.basename source);
  Embedding.policy ppf policy;
  List.iter (theorem ppf ~least) properties;
  Format.pp_print_flush ppf ();
  Buffer.contents buffer
