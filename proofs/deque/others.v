(** Resources of all workers, by number: one worker is split off from the other
    workers, or the workers of a list are split off. *)
From iris.proofmode Require Import proofmode.
From iris.prelude Require Import options.

Lemma seq_except {PROP : bi} `{!BiAffine PROP} (Ψ : nat → PROP) (n i : nat) : i < n →
  ([∗ list] k ∈ seq 0 n, Ψ k) ⊣⊢ Ψ i ∗ [∗ list] k ∈ seq 0 n, ⌜k ≠ i⌝ → Ψ k.
Proof.
  intros Hi. rewrite (big_sepL_delete' _ (seq 0 n) i i); last by apply lookup_seq.
  f_equiv. apply big_sepL_proper. by intros k y [-> _]%lookup_seq.
Qed.

Lemma others_sep {PROP : bi} `{!BiAffine PROP} (A B : nat → PROP) (i n : nat) :
  ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → A j ∗ B j) ⊣⊢
  ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → A j) ∗ [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → B j.
Proof.
  rewrite -big_sepL_sep. apply big_sepL_proper=> k j _.
  destruct (decide (j = i)) as [->|Hne].
  - iSplit; iIntros "_"; first (iSplitL; by iIntros (?)). by iIntros (?).
  - iSplit.
    + iIntros "H". iDestruct ("H" with "[//]") as "[HA HB]".
      iSplitL "HA"; by iIntros (_).
    + iIntros "[HA HB] _". iSplitL "HA"; [by iApply "HA"|by iApply "HB"].
Qed.

Lemma big_sepL_seq_indices {PROP : bi} {A} (Ψ : nat → PROP) (l : list A) (k : nat) :
  ([∗ list] i ∈ seq k (length l), Ψ i) ⊣⊢ [∗ list] i ↦ _ ∈ l, Ψ (k + i).
Proof.
  revert k. induction l as [|x l IH]; intros k; first done.
  rewrite /= Nat.add_0_r IH. f_equiv. apply big_sepL_proper=> i _ _.
  by rewrite Nat.add_succ_r.
Qed.
