(** Certificates: a file with the proved properties of a policy, which Coq
    checks again.

    The file has the policy as data, theorems over the machine of
    [proofs/policy/machine.v], and for each theorem the tactic of its proof. The
    reader need trust neither the prover of [policy/prove] nor a solver. *)

open Dromos_policy_core.Core

type property = Gcwc | Hcwc | Lcwc_of_new | Lcwc_of_unblock

val text : source:string -> policy -> property list -> string
(** [source]: the policy's file name, for the head.
    @raise Embedding.No_word *)
