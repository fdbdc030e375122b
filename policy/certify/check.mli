(** Does a file for Coq say what it should of a policy? For a reader who was
    given the file and the policy: coqc alone would also accept a file about
    another policy, or with a weaker theorem. *)

open Dromos_policy_core.Core

val file : policy -> string -> (Certify.property list, string) result
(** [file policy text]: the text is as {!Certify.text} writes it for some
    properties of the policy, except comments, white space and the tactics
    between [Proof.] and [Qed.]. The result is these properties, or the first
    difference in one line. A proof may have any tactics; it has no command of
    Coq, and gives nothing up ([admit], [Admitted]). Linear in the text.

    @raise Embedding.No_word if the policy has no certificate at all *)
