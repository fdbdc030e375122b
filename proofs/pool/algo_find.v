(** [find] (lib/kernel/pool/algo.ml): the least index for which a function holds.

    A parallel loop tries the indices. [best] is the least index found so far, or the
    end of the range; [best] only decreases. Within a range the loop tries the indices
    from left to right, and skips the rest once [best] is at or below the next index.

    The result for a range is [find_done]: there is an index [k] in the range such that
    the function holds for no index from the start of the range up to [k], without
    [k]. Either [k] is the end of the range, or [best] is at most [k] now and later.
    [find_done] of two neighbouring ranges gives [find_done] of both together.

    So at the end of the loop the function holds for no index below [best]. If [best] is
    below the end of the range, the function holds for [best]: the invariant keeps the
    result of this call for the caller of [find]. *)
From iris.base_logic.lib Require Import invariants mono_nat ghost_var.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import ivar.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool future algo.
From dromos.pool Require Import pool_code future_code algo_code.

Class algo_findG Σ := AlgoFindG {
  #[local] algo_find_bestG :: mono_natG Σ;
  #[local] algo_find_tokenG :: ghost_varG Σ ();
}.
Definition algo_findΣ : gFunctors := #[mono_natΣ; ghost_varΣ ()].
Global Instance subG_algo_findΣ Σ : subG algo_findΣ Σ → algo_findG Σ.
Proof. solve_inG. Qed.

Local Open Scope Z_scope.

Section find.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !ivar_sharedG Σ, !algo_findG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (ctx : val) (sc : pool_scope) (lo hi i : Z) (best : loc).
  Local Definition findN : namespace := nroot .@ "dromos" .@ "find".

  Section search.
    Context (holds : val) (P : Z → iProp Σ) (T F : Z → iProp Σ) (beg end' : Z).
    Context (γ η : gname) (best : loc).

    (** [best] is at most [k], from now on. *)
    Local Definition best_below (k : Z) : iProp Σ :=
      mono_nat_lb_own γ (Z.to_nat (end' - k)).
    Local Definition find_inv : iProp Σ :=
      ∃ b : Z, best ↦ #b ∗ mono_nat_auth_own γ 1 (Z.to_nat (end' - b)) ∗
        (⌜b < end'⌝ -∗ ⌜beg ≤ b⌝ ∗ (T b ∨ ghost_var η 1 ())).
    Local Definition find_done lo hi : iProp Σ :=
      ∃ k, ⌜lo ≤ k ≤ hi⌝ ∗ each_index F lo k ∗ (⌜k = hi⌝ ∨ ⌜k < hi⌝ ∗ best_below k).

    Local Lemma find_done_join lo mid hi :
      lo < mid → mid < hi → find_done lo mid -∗ find_done mid hi -∗ find_done lo hi.
    Proof.
      iIntros (??) "(%k1 & % & H1 & [->|[% Hk1]]) (%k2 & % & H2 & Hk2)".
      - iExists k2. iSplit; first by iPureIntro; lia. iFrame "Hk2".
        iApply (each_index_split _ lo mid k2); first lia. iFrame.
      - iExists k1. iSplit; first by iPureIntro; lia. iFrame "H1". iRight. iFrame "Hk1".
        iPureIntro. lia.
    Qed.

    Local Lemma algo_lower_spec i :
      beg ≤ i < end' →
      {{{ inv findN find_inv ∗ T i }}}
        pool_algo_lower #best #i
      {{{ RET #(); best_below i }}}.
    Proof.
      iIntros (Hi Φ) "[#I HT] HΦ". iLöb as "IH". wp_rec. wp_pures.
      wp_bind (! _)%E. iInv "I" as (b) "(>Hb & >Hγ & HTb)". wp_load.
      destruct (decide (i < b)) as [Hlt|Hge]; last first.
      { iDestruct (mono_nat_lb_own_get with "Hγ") as "#Hlb".
        iModIntro. iSplitL "Hb Hγ HTb"; first by iExists b; iFrame.
        wp_pures. rewrite bool_decide_eq_false_2; last lia. wp_pures. iApply "HΦ".
        iApply (mono_nat_lb_own_le with "Hlb"). lia. }
      iModIntro. iSplitL "Hb Hγ HTb"; first by iExists b; iFrame.
      wp_pures. rewrite bool_decide_eq_true_2; last lia. wp_pures.
      wp_bind (CmpXchg _ _ _). iInv "I" as (b') "(>Hb & >Hγ & HTb)".
      destruct (decide (b' = b)) as [->|Hne].
      - wp_cmpxchg_suc.
        iMod (mono_nat_own_update (Z.to_nat (end' - i)) with "Hγ") as "[Hγ #Hlb]"; first lia.
        iModIntro. iSplitL "Hb Hγ HT".
        { iNext. iExists i. iFrame. iIntros "_".
          iPureIntro. lia. }
        wp_pures. by iApply "HΦ".
      - wp_cmpxchg_fail.
        iModIntro. iSplitL "Hb Hγ HTb"; first by iExists b'; iFrame.
        wp_pures. by iApply ("IH" with "HT").
    Qed.

    Definition find_holds : iProp Σ :=
      □ ∀ ctx sc i, ⌜beg ≤ i < end'⌝ -∗ pool_context γp t ctx sc -∗ P i -∗
        WP holds ctx #i {{ r, ∃ b : bool, ⌜r = #b⌝ ∗ pool_context γp t ctx sc ∗
          if b then T i else F i }}.

    Local Lemma algo_find_from_spec ctx sc lo hi :
      beg ≤ lo → lo ≤ hi → hi ≤ end' →
      {{{ inv findN find_inv ∗ find_holds ∗ pool_context γp t ctx sc ∗ each_index P lo hi }}}
        pool_algo_find_from ctx #lo #hi #best holds
      {{{ RET #(); pool_context γp t ctx sc ∗ find_done lo hi }}}.
    Proof.
      iIntros (Hbeg Hlo Hhi Φ) "(#I & #Hholds & Hctx & HP) HΦ".
      iLöb as "IH" forall (lo Hbeg Hlo Φ). wp_rec. wp_pures.
      case_bool_decide; wp_pures; last first.
      { assert (lo = hi) as -> by lia. iModIntro. iApply "HΦ". iFrame "Hctx". iExists hi.
        iSplitR; first by iPureIntro; lia. rewrite (each_index_nil F); last done.
        iSplit; first done. by iLeft. }
      wp_bind (! _)%E. iInv "I" as (b) "(>Hb & >Hγ & HTb)". wp_load.
      iDestruct (mono_nat_lb_own_get with "Hγ") as "#Hlb".
      iModIntro. iSplitL "Hb Hγ HTb"; first by iExists b; iFrame. wp_pures.
      case_bool_decide; wp_pures; last first.
      { iModIntro. iApply "HΦ". iFrame "Hctx". iExists lo. iSplitR; first by iPureIntro; lia.
        rewrite (each_index_nil F); last done. iSplitR; first done. iRight.
        iSplitR; first by iPureIntro; lia. iApply (mono_nat_lb_own_le with "Hlb"). lia. }
      rewrite (each_index_cons P) //. iDestruct "HP" as "[HP HP']".
      wp_bind (holds _ _). iApply (wp_wand with "[Hctx HP]").
      { iApply ("Hholds" with "[%] Hctx HP"). lia. }
      iIntros (r) "(%found & -> & Hctx & HT)". destruct found; wp_pures.
      - wp_apply (algo_lower_spec with "[$I $HT]"); first lia. iIntros "#Hbelow".
        iApply "HΦ". iFrame "Hctx". iExists lo. iSplitR; first by iPureIntro; lia.
        rewrite (each_index_nil F); last done. iSplitR; first done. iRight. by iFrame "Hbelow".
      - iApply ("IH" with "[%] [%] Hctx HP'"); [lia..|]. iIntros "!> [Hctx Hdone]".
        iApply "HΦ". iFrame "Hctx". iDestruct "Hdone" as (k) "(% & HF & Hk)".
        iExists k. iSplitR; first by iPureIntro; lia. iFrame "Hk".
        rewrite (each_index_cons F lo k); last lia. iFrame.
    Qed.
  End search.

  (** Claim: [find] returns the least index for which the function holds, or none if
      there is no such index, with the results of the calls for this index and for all
      indices below. The function is called at most once for each index. *)
  Lemma algo_find_spec ctx sc (holds : val) P T F beg (end_ : Z) chunk :
    {{{ find_holds holds P T F beg end_ ∗ pool_context γp t ctx sc ∗
        each_index P beg end_ }}}
      pool_algo_find ctx #beg #end_ (chunk_val chunk) holds
    {{{ r, RET r;
        pool_context γp t ctx sc ∗
        (⌜r = NONEV⌝ ∗ each_index F beg end_ ∨
         ∃ i, ⌜r = SOMEV #i ∧ beg ≤ i < end_⌝ ∗ T i ∗ each_index F beg i) }}}.
  Proof using Type*.
    iIntros (Φ) "(#Hholds & Hctx & HP) HΦ". wp_rec. wp_pures. wp_alloc best as "Hbest".
    wp_pures.
    iMod (mono_nat_own_alloc 0) as (γ) "[Hγ _]". iMod (ghost_var_alloc ()) as (η) "Htok".
    iMod (inv_alloc findN _ (find_inv T beg end_ γ η best) with "[Hbest Hγ]") as "#I".
    { iNext. iExists end_. iFrame. rewrite Z.sub_diag. iFrame. iIntros "%". lia. }
    wp_apply (algo_ranges_spec _ _ _ _ _ (each_index P) (find_done F end_ γ) with "[$Hctx HP]").
    { iSplit; last iSplit; last iSplit; last by iIntros "_".
      - iIntros "!>" (lo mid hi ?) "H". by rewrite (each_index_split _ lo mid hi); last lia.
      - iIntros "!>" (lo mid hi ?) "H1 H2". iApply (find_done_join with "H1 H2"); lia.
      - iIntros "!>" (ctx' sc' lo hi ?) "Hctx HP". wp_pures.
        wp_apply (algo_find_from_spec with "[$I $Hholds $Hctx $HP]"); [lia..|].
        by iIntros "[$ $]". }
    iIntros "[Hctx Hdone]". wp_pures. wp_bind (! _)%E.
    iInv "I" as (b) "(>Hb & >Hγ & HTb)". wp_load.
    destruct (decide (b < end_)) as [Hlt|Hge].
    - iDestruct ("HTb" with "[//]") as "[%Hbeg [HT|Htok']]"; last first.
      { by iDestruct (ghost_var_valid_2 with "Htok Htok'") as %[? _]. }
      iDestruct ("Hdone" with "[%]") as (k) "(% & HF & Hk)"; first lia.
      iAssert ⌜b ≤ k⌝%I as %Hbk.
      { iDestruct "Hk" as "[->|[_ Hk]]"; first by iPureIntro; lia.
        iDestruct (mono_nat_lb_own_valid with "Hγ Hk") as %[_ ?]. iPureIntro. lia. }
      iModIntro. iSplitL "Hb Hγ Htok".
      { iNext. iExists b. iFrame "Hb Hγ". iIntros "_". iSplit; [done|by iRight]. }
      wp_pures. rewrite bool_decide_eq_true_2 //. wp_pures. iModIntro. iApply "HΦ".
      iFrame "Hctx". iRight. iExists b. iSplit; first done. iFrame "HT".
      rewrite (each_index_split _ beg b k); last lia. by iDestruct "HF" as "[$ _]".
    - iAssert (each_index F beg end_ ∗ mono_nat_auth_own γ 1 (Z.to_nat (end_ - b)))%I
        with "[Hdone Hγ]" as "[HF Hγ]".
      { destruct (decide (beg < end_)); last first.
        { rewrite (each_index_nil F); last lia. by iFrame. }
        iDestruct ("Hdone" with "[//]") as (k) "(% & HF & [->|[% Hk]])"; first by iFrame.
        iDestruct (mono_nat_lb_own_valid with "Hγ Hk") as %[_ ?]. lia. }
      iModIntro. iSplitL "Hb Hγ HTb"; first by iExists b; iFrame.
      wp_pures. rewrite bool_decide_eq_false_2; last lia. wp_pures. iModIntro. iApply "HΦ".
      iFrame "Hctx". iLeft. by iFrame.
  Qed.
End find.
