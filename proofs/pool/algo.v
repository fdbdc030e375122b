(** Parallel loops over ranges (lib/kernel/pool/algo.ml): [for_] and [for_each].

    All loops split ranges in the same way, so there is one lemma about ranges,
    [algo_ranges_spec]. The resource of the loop, [P lo hi], can be divided where a
    range is split; the results of the body, [Q lo hi], can be joined where two ranges
    meet. The loop treats a range in one of three ways: it gives a small range to the
    body; it gives the first chunk to the body and goes on with the rest; or it makes
    a future of the upper half, which owns its part of [P], and waits for the future
    after the lower half. Ranges are never empty, and the body never gets more than a
    chunk.

    The theorems are instances in which each index has a resource of its own. The
    resource goes into the one call of the body whose range has the index. So each
    index is visited exactly once: a second visit would need the used-up resource, and
    without a visit the result for the index would be missing. *)
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import ivar.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool future.
From dromos.pool Require Import pool_code future_code algo_code.

Local Open Scope Z_scope.

(** The argument [~chunk], and the chunk size that the loop computes from it. *)
Definition chunk_val (chunk : option Z) : val :=
  match chunk with None => NONEV | Some c => SOMEV #c end.
Definition algo_grain (size : nat) (beg end_ : Z) (chunk : option Z) : Z :=
  match chunk with
  | Some c => c `max` 1
  | None => ((end_ - beg) `quot` (32 * size)) `max` 1
  end.

Lemma seqZ_split (lo mid hi : Z) :
  lo ≤ mid ≤ hi → seqZ lo (hi - lo) = seqZ lo (mid - lo) ++ seqZ mid (hi - mid).
Proof.
  intros. replace (hi - lo) with ((mid - lo) + (hi - mid)) by lia.
  rewrite seqZ_app; [|lia..]. by replace (lo + (mid - lo)) with mid by lia.
Qed.

Section algo.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !ivar_sharedG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (ctx body : val) (sc : pool_scope) (lo hi mid beg : Z).

  (** A resource for each index of a range. *)
  Definition each_index (P : Z → iProp Σ) lo hi : iProp Σ :=
    [∗ list] i ∈ seqZ lo (hi - lo), P i.

  Lemma each_index_split P lo mid hi :
    lo ≤ mid ≤ hi → each_index P lo hi ⊣⊢ each_index P lo mid ∗ each_index P mid hi.
  Proof. intros. by rewrite /each_index (seqZ_split lo mid hi) // big_sepL_app. Qed.
  Lemma each_index_nil P lo hi : hi ≤ lo → each_index P lo hi ⊣⊢ True.
  Proof. intros. rewrite /each_index seqZ_nil; last lia. by iSplit; iIntros. Qed.
  Lemma each_index_cons P lo hi :
    lo < hi → each_index P lo hi ⊣⊢ P lo ∗ each_index P (lo + 1) hi.
  Proof.
    intros. rewrite /each_index seqZ_cons; last lia. rewrite big_sepL_cons /=.
    by replace (Z.pred (hi - lo)) with (hi - (lo + 1)) by lia.
  Qed.

  Lemma algo_grain_spec ctx sc beg (end_ : Z) chunk :
    {{{ pool_context γp t ctx sc }}}
      pool_algo_grain ctx #beg #end_ (chunk_val chunk)
    {{{ RET #(algo_grain (pn_size γp) beg end_ chunk); pool_context γp t ctx sc }}}.
  Proof.
    iIntros (Φ) "Hctx HΦ". wp_rec. wp_pures. destruct chunk as [c|]; simpl; wp_pures.
    - case_bool_decide; wp_pures; iModIntro.
      + rewrite Z.max_r; last lia. by iApply "HΦ".
      + rewrite Z.max_l; last lia. by iApply "HΦ".
    - wp_apply (pool_size_spec with "Hctx"). iIntros "Hctx". wp_pures.
      case_bool_decide; wp_pures; iModIntro.
      + rewrite Z.max_r; last lia. by iApply "HΦ".
      + rewrite Z.max_l; last lia. by iApply "HΦ".
  Qed.

  Lemma algo_middle_spec lo hi :
    2 ≤ hi - lo →
    {{{ True }}}
      pool_algo_middle #lo #hi
    {{{ mid, RET #mid; ⌜lo < mid < hi⌝ }}}.
  Proof.
    iIntros (? Φ) "_ HΦ". wp_rec. wp_pures. iApply "HΦ". iPureIntro.
    rewrite Z.quot_div_nonneg; [|lia..].
    pose proof (Z.div_lt (hi - lo) 2). pose proof (Z.div_str_pos (hi - lo) 2). lia.
  Qed.

  (** A body that turns [P] into [Q], on ranges inside [beg .. end_] of at most [most]
      indices. *)
  Definition range_body body (P Q : Z → Z → iProp Σ) beg (end_ most : Z) : iProp Σ :=
    □ ∀ ctx sc lo hi, ⌜beg ≤ lo ∧ lo < hi ∧ hi ≤ end_ ∧ hi - lo ≤ most⌝ -∗
      pool_context γp t ctx sc -∗ P lo hi -∗
      WP body ctx #lo #hi {{ r, ⌜r = #()⌝ ∗ pool_context γp t ctx sc ∗ Q lo hi }}.

  Definition ranges_divide (P : Z → Z → iProp Σ) beg (end_ : Z) : iProp Σ :=
    □ ∀ lo mid hi, ⌜beg ≤ lo ∧ lo < mid ∧ mid < hi ∧ hi ≤ end_⌝ -∗
      P lo hi -∗ P lo mid ∗ P mid hi.
  Definition ranges_join (Q : Z → Z → iProp Σ) beg (end_ : Z) : iProp Σ :=
    □ ∀ lo mid hi, ⌜beg ≤ lo ∧ lo < mid ∧ mid < hi ∧ hi ≤ end_⌝ -∗
      Q lo mid -∗ Q mid hi -∗ Q lo hi.

  Lemma algo_range_spec ctx sc body P Q beg (end_ : Z) lo hi (chunk : Z) :
    1 ≤ chunk → beg ≤ lo → lo < hi → hi ≤ end_ →
    {{{ ranges_divide P beg end_ ∗ ranges_join Q beg end_ ∗
        range_body body P Q beg end_ chunk ∗ pool_context γp t ctx sc ∗ P lo hi }}}
      pool_algo_for_range ctx #lo #hi #chunk body
    {{{ RET #(); pool_context γp t ctx sc ∗ Q lo hi }}}.
  Proof using Type*.
    iIntros (Hchunk Hbeg Hlo Hend Φ) "(#Hdiv & #Hjoin & #Hbody & Hctx & HP) HΦ".
    iLöb as "IH" forall (ctx sc lo hi Hbeg Hlo Hend Φ). wp_rec. wp_pures.
    case_bool_decide; wp_pures.
    { iApply (wp_wand with "[Hctx HP]").
      { iApply ("Hbody" with "[%] Hctx HP"). lia. }
      iIntros (r) "(-> & Hctx & HQ)". iApply "HΦ". iFrame. }
    wp_apply (pool_has_work_spec with "Hctx"). iIntros ([]) "Hctx"; wp_pures.
    - (* The first chunk, then the rest. *)
      iDestruct ("Hdiv" $! lo (lo + chunk) hi with "[%] HP") as "[HP HP']"; first lia.
      wp_bind (body _ _ _). iApply (wp_wand with "[Hctx HP]").
      { iApply ("Hbody" with "[%] Hctx HP"). lia. }
      iIntros (r) "(-> & Hctx & HQ)". wp_pures.
      wp_apply (pool_tick_spec with "Hctx"). iIntros "Hctx". wp_pures.
      iApply ("IH" with "[%] [%] [%] Hctx HP'"); [lia..|].
      iIntros "!> [Hctx HQ']". iApply "HΦ". iFrame "Hctx".
      iApply ("Hjoin" with "[%] HQ HQ'"). lia.
    - (* Both halves. *)
      wp_apply algo_middle_spec; [lia|done|]. iIntros (mid Hmid). wp_pures.
      iDestruct ("Hdiv" $! lo mid hi with "[%] HP") as "[HP HP']"; first lia.
      wp_apply (future_async_spec γp t _ _ _ (λ v, ⌜v = #()⌝ ∗ Q mid hi)%I (λ _, True)%I
        with "[$Hctx HP']").
      { iIntros (ctx' sc') "Hctx". wp_pures.
        iApply ("IH" with "[%] [%] [%] Hctx HP'"); [lia..|].
        iIntros "!> [$ $]". eauto. }
      iIntros (γ f) "(Hctx & #Hf & Hcons)". wp_pures.
      wp_bind (pool_algo_for_range _ _ _ _ _).
      iApply ("IH" with "[%] [%] [%] Hctx HP"); [lia..|]. iIntros "!> [Hctx HQ]". wp_pures.
      iApply wp_fupd. wp_apply (future_wait_spec with "[$Hctx $Hf]").
      iIntros (v) "([Hlc1 Hlc2] & Hctx & #Hv)".
      iMod (future_inv_result_consumer with "Hf Hv Hcons") as "HQ'"; first done.
      iMod (lc_fupd_elim_later with "Hlc1 HQ'") as "HQ'".
      iMod (lc_fupd_elim_later with "Hlc2 HQ'") as "[-> HQ']".
      iModIntro. iApply "HΦ". iFrame "Hctx". iApply ("Hjoin" with "[%] HQ HQ'"). lia.
  Qed.

  Lemma algo_ranges_spec ctx sc body P Q beg (end_ : Z) chunk :
    {{{ ranges_divide P beg end_ ∗ ranges_join Q beg end_ ∗
        range_body body P Q beg end_ (algo_grain (pn_size γp) beg end_ chunk) ∗
        pool_context γp t ctx sc ∗
        (⌜beg < end_⌝ -∗ P beg end_) }}}
      pool_algo_for_ ctx #beg #end_ (chunk_val chunk) body
    {{{ RET #(); pool_context γp t ctx sc ∗ (⌜beg < end_⌝ -∗ Q beg end_) }}}.
  Proof using Type*.
    iIntros (Φ) "(#Hdiv & #Hjoin & #Hbody & Hctx & HP) HΦ". wp_rec. wp_pures.
    case_bool_decide as Hlt; wp_pures; last first.
    { iApply "HΦ". iFrame. iIntros "!> %". lia. }
    wp_apply (algo_grain_spec with "Hctx"). iIntros "Hctx". wp_pures.
    iDestruct ("HP" with "[//]") as "HP".
    wp_apply (algo_range_spec with "[$Hdiv $Hjoin $Hbody $Hctx $HP]"); [|lia|done|lia|].
    { destruct chunk; simpl; lia. }
    iIntros "[Hctx HQ]". iApply "HΦ". iFrame "Hctx". by iIntros "_".
  Qed.

  (** Claim: The calls of the body get disjoint, non-empty ranges of at most a chunk,
      which together are the whole range: the resource of each index goes into one
      call and comes out of it. *)
  Lemma algo_for__spec ctx sc body P Q beg (end_ : Z) chunk :
    {{{ range_body body (each_index P) (each_index Q) beg end_
          (algo_grain (pn_size γp) beg end_ chunk) ∗
        pool_context γp t ctx sc ∗ each_index P beg end_ }}}
      pool_algo_for_ ctx #beg #end_ (chunk_val chunk) body
    {{{ RET #(); pool_context γp t ctx sc ∗ each_index Q beg end_ }}}.
  Proof using Type*.
    iIntros (Φ) "(#Hbody & Hctx & HP) HΦ".
    wp_apply (algo_ranges_spec _ _ _ (each_index P) (each_index Q) with "[$Hctx $Hbody HP]").
    { iSplit; last iSplit; last by iIntros "_".
      - iIntros "!>" (lo mid hi ?) "H". by rewrite (each_index_split _ lo mid hi); last lia.
      - iIntros "!>" (lo mid hi ?) "H1 H2". rewrite (each_index_split _ lo mid hi); last lia.
        iFrame. }
    iIntros "[Hctx HQ]". iApply "HΦ". iFrame "Hctx".
    destruct (decide (beg < end_)); first by iApply "HQ".
    by rewrite each_index_nil; last lia.
  Qed.

  Lemma algo_each_spec ctx sc body P Q beg (end_ : Z) lo hi :
    beg ≤ lo → hi ≤ end_ →
    {{{ □ (∀ ctx sc i, ⌜beg ≤ i < end_⌝ -∗ pool_context γp t ctx sc -∗ P i -∗
          WP body ctx #i {{ _, pool_context γp t ctx sc ∗ Q i }}) ∗
        pool_context γp t ctx sc ∗ each_index P lo hi }}}
      pool_algo_each ctx #lo #hi body
    {{{ RET #(); pool_context γp t ctx sc ∗ each_index Q lo hi }}}.
  Proof.
    iIntros (Hlo Hhi Φ) "(#Hbody & Hctx & HP) HΦ".
    iLöb as "IH" forall (lo Hlo Φ). wp_rec. wp_pures. case_bool_decide; wp_pures; last first.
    { iApply "HΦ". rewrite (each_index_nil Q); last lia. by iFrame. }
    rewrite (each_index_cons P) // (each_index_cons Q) //. iDestruct "HP" as "[HP HP']".
    wp_bind (body _ _). iApply (wp_wand with "[Hctx HP]").
    { iApply ("Hbody" with "[%] Hctx HP"). lia. }
    iIntros (r) "[Hctx HQ]". wp_pures.
    iApply ("IH" with "[%] Hctx HP'"); first lia. iIntros "!> [Hctx HQ']". iApply "HΦ". iFrame.
  Qed.

  (** Claim: The function is called exactly once for each index of the range. *)
  Lemma algo_for_each_spec ctx sc body P Q beg (end_ : Z) chunk :
    {{{ □ (∀ ctx sc i, ⌜beg ≤ i < end_⌝ -∗ pool_context γp t ctx sc -∗ P i -∗
          WP body ctx #i {{ _, pool_context γp t ctx sc ∗ Q i }}) ∗
        pool_context γp t ctx sc ∗ each_index P beg end_ }}}
      pool_algo_for_each ctx #beg #end_ (chunk_val chunk) body
    {{{ RET #(); pool_context γp t ctx sc ∗ each_index Q beg end_ }}}.
  Proof using Type*.
    iIntros (Φ) "(#Hbody & Hctx & HP) HΦ". wp_rec. wp_pures.
    wp_apply (algo_for__spec _ _ _ P Q with "[$Hctx $HP]"); last done.
    iIntros "!>" (ctx' sc' lo hi ?) "Hctx HP". wp_pures.
    wp_apply (algo_each_spec _ _ _ P Q beg end_ with "[$Hbody $Hctx $HP]"); [lia..|].
    by iIntros "[$ $]".
  Qed.
End algo.
