(** [nondet_below n] returns any number from [0] up to [n], [n] excluded. A forked
    thread counts a cell upwards, and the caller reads the cell once, so the
    interleaving chooses the number. If [n ≤ 0] the call is stuck. In the proofs a
    victim's number comes from [nondet_below]: the result covers every random source
    that the program may use. *)
From iris.base_logic.lib Require Import invariants.
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import cells.

Definition choice_count : val :=
  rec: "count" "r" "i" "n" :=
    if: "i" < "n" then "r" <- "i" ;; "count" "r" ("i" + #1) "n" else #().

Definition nondet_below : val :=
  λ: "n",
    if: #0 < "n" then
      let: "r" := ref #0 in
      Fork (choice_count "r" #1 "n") ;;
      ! "r"
    else stuck.

Section spec.
  Context `{!heapGS Σ}.
  Local Open Scope Z_scope.
  Local Definition N := nroot .@ "choice".

  (** Claim: A free choice below n returns some number from 0 to n - 1. In the proofs
      the random victims are free choices. *)
  Lemma nondet_below_spec (n : Z) :
    0 < n →
    {{{ True }}} nondet_below #n {{{ (i : Z), RET #i; ⌜0 ≤ i < n⌝ }}}.
  Proof.
    iIntros (? Φ) "_ HΦ". rewrite /nondet_below. wp_pures.
    rewrite bool_decide_eq_true_2; last lia. wp_pures.
    wp_alloc r as "Hr". wp_pures.
    iMod (inv_alloc N _ (∃ i : Z, r ↦ #i ∗ ⌜0 ≤ i < n⌝)%I with "[Hr]") as "#I".
    { iExists 0. iFrame. iPureIntro. lia. }
    wp_apply wp_fork.
    - assert (0 ≤ 1) as Hi by lia. revert Hi. generalize 1.
      intros i Hi. iLöb as "IH" forall (i Hi). wp_rec. wp_pures.
      case_bool_decide; wp_pures; last done.
      wp_bind (_ <- _)%E. iInv "I" as (j) ">[Hr _]". wp_store.
      iModIntro. iSplitL "Hr". { iExists i. by iFrame. }
      wp_pures. iApply "IH". iPureIntro. lia.
    - wp_pures. iInv "I" as (i) ">[Hr %Hi]". wp_load.
      iModIntro. iSplitL "Hr". { iExists i. by iFrame. }
      by iApply "HΦ".
  Qed.
End spec.

Global Opaque nondet_below.
