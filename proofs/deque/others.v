(** All workers are one of them and the others. *)
From iris.proofmode Require Import proofmode.
From iris.prelude Require Import options.

Lemma seq_except {PROP : bi} `{!BiAffine PROP} (Ψ : nat → PROP) (n i : nat) : i < n →
  ([∗ list] k ∈ seq 0 n, Ψ k) ⊣⊢ Ψ i ∗ [∗ list] k ∈ seq 0 n, ⌜k ≠ i⌝ → Ψ k.
Proof.
  intros Hi. rewrite (big_sepL_delete' _ (seq 0 n) i i); last by apply lookup_seq.
  f_equiv. apply big_sepL_proper. by intros k y [-> _]%lookup_seq.
Qed.
