(** [fold] over a range (lib/kernel/pool/algo.ml), for a [merge] that need not be
    commutative.

    [R lo hi v] says that [v] is the value of the range [lo .. hi - 1]; [R] may own
    resources. [body] computes the value of a range from the resources of its indices;
    [merge] computes, from the values of two neighbouring ranges, the value of both
    together. The three functions below keep one invariant: the accumulated value is
    the value of all indices before the present range, and is merged from the left.
    So the result is the value of the whole range, for every division of the range.

    The last theorem is for plain values: if [merge] is associative, the result is
    that of the sequential loop from left to right. *)
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import ivar.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool future algo.
From dromos.pool Require Import pool_code future_code algo_code.

Local Open Scope Z_scope.

(** The sequential loop over a non-empty range, from left to right. *)
Definition range_fold {A} (f : Z → A) (op : A → A → A) (lo hi : Z) : A :=
  foldl op (f lo) (f <$> seqZ (lo + 1) (hi - (lo + 1))).

Lemma foldl_assoc {A} (op : A → A → A) `{!Assoc (=) op} (x y : A) (zs : list A) :
  foldl op (op x y) zs = op x (foldl op y zs).
Proof. revert y. induction zs as [|z zs IH]; intros y; simpl; [done|]. by rewrite -assoc IH. Qed.

Lemma range_fold_join {A} (f : Z → A) (op : A → A → A) `{!Assoc (=) op} (lo mid hi : Z) :
  lo < mid → mid < hi →
  range_fold f op lo hi = op (range_fold f op lo mid) (range_fold f op mid hi).
Proof.
  intros. rewrite /range_fold (seqZ_split (lo + 1) mid hi); last lia.
  rewrite fmap_app foldl_app (seqZ_cons mid); last lia. rewrite fmap_cons /=.
  replace (Z.pred (hi - mid)) with (hi - (mid + 1)) by lia.
  by rewrite -foldl_assoc.
Qed.

Section fold.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !ivar_sharedG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (ctx body merge : val) (sc : pool_scope) (lo hi mid beg : Z).

  (** [body] on ranges inside [beg .. end_] of at most [most] indices. *)
  Definition fold_body body (P : Z → iProp Σ) (R : Z → Z → val → iProp Σ) beg (end_ most : Z)
      : iProp Σ :=
    □ ∀ ctx sc lo hi, ⌜beg ≤ lo ∧ lo < hi ∧ hi ≤ end_ ∧ hi - lo ≤ most⌝ -∗
      pool_context γp t ctx sc -∗ each_index P lo hi -∗
      WP body ctx #lo #hi {{ v, pool_context γp t ctx sc ∗ R lo hi v }}.
  Definition fold_merge merge (R : Z → Z → val → iProp Σ) beg (end_ : Z) : iProp Σ :=
    □ ∀ lo mid hi v1 v2, ⌜beg ≤ lo ∧ lo < mid ∧ mid < hi ∧ hi ≤ end_⌝ -∗
      R lo mid v1 -∗ R mid hi v2 -∗ WP merge v1 v2 {{ v, R lo hi v }}.

  Section group.
    Context (body merge : val) (P : Z → iProp Σ) (R : Z → Z → val → iProp Σ).
    Context (beg end' chunk : Z) (Hchunk : 1 ≤ chunk).
    Local Notation folding := (#chunk, body, merge)%V.

    Definition fold_range_of (e : expr) : iProp Σ :=
      □ ∀ ctx sc lo hi, ⌜beg ≤ lo ∧ lo < hi ∧ hi ≤ end'⌝ -∗
        pool_context γp t ctx sc -∗ each_index P lo hi -∗
        WP e ctx #lo #hi folding {{ v, pool_context γp t ctx sc ∗ R lo hi v }}.
    Definition fold_after_of (e : expr) : iProp Σ :=
      □ ∀ ctx sc first lo hi (before : val), ⌜beg ≤ first ∧ first < lo ∧ lo < hi ∧ hi ≤ end'⌝ -∗
        pool_context γp t ctx sc -∗ R first lo before -∗ each_index P lo hi -∗
        WP e ctx before #lo #hi folding {{ v, pool_context γp t ctx sc ∗ R first hi v }}.
    Definition fold_split_of (e : expr) : iProp Σ :=
      □ ∀ ctx sc lo hi, ⌜beg ≤ lo ∧ 2 ≤ hi - lo ∧ hi ≤ end'⌝ -∗
        pool_context γp t ctx sc -∗ each_index P lo hi -∗
        WP e ctx #lo #hi folding {{ v, pool_context γp t ctx sc ∗ R lo hi v }}.

    Lemma fold_group_spec :
      fold_body body P R beg end' chunk -∗ fold_merge merge R beg end' -∗
      fold_range_of (pool_algo_fold_range_group #0) ∗
      fold_after_of (pool_algo_fold_range_group #1) ∗
      fold_split_of (pool_algo_fold_range_group #2).
    Proof using Type*.
      iIntros "#Hbody #Hmerge". iLöb as "IH". iDestruct "IH" as "(IHrange & IHafter & IHsplit)".
      iSplit; last iSplit; iModIntro.
      - (* fold_range *)
        iIntros (ctx sc lo hi Hlo) "Hctx HP". wp_rec. wp_pures. case_bool_decide; wp_pures.
        { iApply ("Hbody" with "[%] Hctx HP"). lia. }
        wp_apply (pool_has_work_spec with "Hctx"). iIntros ([]) "Hctx"; wp_pures.
        + rewrite (each_index_split _ lo (lo + chunk) hi); last lia.
          iDestruct "HP" as "[HP HP']". wp_bind (body _ _ _).
          iApply (wp_wand with "[Hctx HP]").
          { iApply ("Hbody" with "[%] Hctx HP"). lia. }
          iIntros (v) "[Hctx HR]". wp_pures.
          wp_apply (pool_tick_spec with "Hctx"). iIntros "Hctx". wp_pures.
          iApply ("IHafter" with "[%] Hctx HR HP'"). lia.
        + iApply ("IHsplit" with "[%] Hctx HP"). lia.
      - (* fold_after *)
        iIntros (ctx sc first lo hi before Hlo) "Hctx HR HP". wp_rec. wp_pures.
        iAssert (∀ Φ : val → iProp Σ, pool_context γp t ctx sc -∗
          (∀ b : bool, ⌜b = true → chunk < hi - lo⌝ -∗ pool_context γp t ctx sc -∗ Φ #b) -∗
          WP (if: #(bool_decide (chunk < hi - lo)) then pool_pool_has_work ctx else #false)
            {{ Φ }})%I as "Hmore".
        { iIntros (Φ) "Hctx HΦ". case_bool_decide; wp_pures.
          - wp_apply (pool_has_work_spec with "Hctx"). iIntros (b) "Hctx".
            iApply ("HΦ" with "[//] Hctx").
          - iApply ("HΦ" with "[%] Hctx"). done. }
        wp_bind (If _ _ (Val #false)). iApply ("Hmore" with "Hctx").
        iIntros (b Hb) "Hctx". destruct b; wp_pures.
        + specialize (Hb eq_refl). rewrite (each_index_split _ lo (lo + chunk) hi); last lia.
          iDestruct "HP" as "[HP HP']". wp_bind (body _ _ _).
          iApply (wp_wand with "[Hctx HP]").
          { iApply ("Hbody" with "[%] Hctx HP"). lia. }
          iIntros (v) "[Hctx HR']". wp_pures. wp_bind (merge _ _).
          iApply (wp_wand with "[HR HR']").
          { iApply ("Hmerge" with "[%] HR HR'"). lia. }
          iIntros (w) "HR". wp_pures.
          wp_apply (pool_tick_spec with "Hctx"). iIntros "Hctx". wp_pures.
          iApply ("IHafter" with "[%] Hctx HR HP'"). lia.
        + wp_bind (App _ folding). iApply (wp_wand with "[Hctx HP]").
          { iApply ("IHrange" with "[%] Hctx HP"). lia. }
          iIntros (v) "[Hctx HR']". wp_pures.
          iApply (wp_wand with "[HR HR']").
          { iApply ("Hmerge" with "[%] HR HR'"). lia. }
          iIntros (w) "HR". iFrame.
      - (* fold_split *)
        iIntros (ctx sc lo hi Hlo) "Hctx HP". wp_rec. wp_pures.
        wp_apply algo_middle_spec; [lia|done|]. iIntros (mid Hmid). wp_pures.
        rewrite (each_index_split _ lo mid hi); last lia. iDestruct "HP" as "[HP HP']".
        wp_apply (future_async_spec γp t _ _ _ (R mid hi) (λ _, True)%I with "[$Hctx HP']").
        { iIntros (ctx' sc') "Hctx". wp_pures.
          iApply (wp_wand with "[Hctx HP']").
          { iApply ("IHrange" with "[%] Hctx HP'"). lia. }
          iIntros (v) "[$ $]". eauto. }
        iIntros (γ f) "(Hctx & #Hf & Hcons)". wp_pures.
        wp_bind (App _ folding). iApply (wp_wand with "[Hctx HP]").
        { iApply ("IHrange" with "[%] Hctx HP"). lia. }
        iIntros (v1) "[Hctx HR]". wp_pures.
        wp_apply (future_wait_spec with "[$Hctx $Hf]").
        iIntros (v2) "([Hlc1 Hlc2] & Hctx & #Hv)".
        iMod (future_inv_result_consumer with "Hf Hv Hcons") as "HR'"; first done.
        iMod (lc_fupd_elim_later with "Hlc1 HR'") as "HR'".
        iMod (lc_fupd_elim_later with "Hlc2 HR'") as "HR'".
        wp_pures. iApply (wp_wand with "[HR HR']").
        { iApply ("Hmerge" with "[%] HR HR'"). lia. }
        iIntros (w) "HR". iFrame.
    Qed.
  End group.

  (** Claim: [fold] returns the value of the whole range, or the value for the empty
      range. [merge] joins only values of neighbouring ranges, in order. The resource
      of each index goes into one call of [body]. *)
  Lemma algo_fold_spec ctx sc body merge empty P R beg (end_ : Z) chunk :
    {{{ fold_body body P R beg end_ (algo_grain (pn_size γp) beg end_ chunk) ∗
        fold_merge merge R beg end_ ∗
        pool_context γp t ctx sc ∗ each_index P beg end_ }}}
      pool_algo_fold ctx #beg #end_ (chunk_val chunk) body merge empty
    {{{ v, RET v;
        pool_context γp t ctx sc ∗
        if bool_decide (beg < end_) then R beg end_ v else ⌜v = empty⌝ }}}.
  Proof using Type*.
    iIntros (Φ) "(#Hbody & #Hmerge & Hctx & HP) HΦ". wp_rec. wp_pures.
    case_bool_decide; wp_pures; last by iApply "HΦ"; iFrame.
    wp_apply (algo_grain_spec with "Hctx"). iIntros "Hctx". wp_pures. wp_rec. wp_pures.
    iDestruct (fold_group_spec with "Hbody Hmerge") as "[Hrange _]".
    { destruct chunk; simpl; lia. }
    wp_bind (App _ _). iApply (wp_wand with "[Hctx HP]").
    { iApply ("Hrange" with "[%] Hctx HP"). lia. }
    iIntros (v) "[Hctx HR]". iApply "HΦ". iFrame.
  Qed.

  (** Claim: With an associative [merge], which need not be commutative, the result
      is that of the sequential loop from left to right. *)
  Lemma algo_fold_spec_sequential {A} (enc : A → val) (f : Z → A) (op : A → A → A)
      ctx sc body merge (e : A) beg (end_ : Z) chunk :
    Assoc (=) op →
    {{{ □ (∀ ctx sc lo hi, ⌜beg ≤ lo ∧ lo < hi ∧ hi ≤ end_⌝ -∗ pool_context γp t ctx sc -∗
          WP body ctx #lo #hi
            {{ v, pool_context γp t ctx sc ∗ ⌜v = enc (range_fold f op lo hi)⌝ }}) ∗
        □ (∀ x y : A, WP merge (enc x) (enc y) {{ v, ⌜v = enc (op x y)⌝ }}) ∗
        pool_context γp t ctx sc }}}
      pool_algo_fold ctx #beg #end_ (chunk_val chunk) body merge (enc e)
    {{{ RET (enc (if bool_decide (beg < end_) then range_fold f op beg end_ else e));
        pool_context γp t ctx sc }}}.
  Proof using Type*.
    iIntros (Hassoc Φ) "(#Hbody & #Hmerge & Hctx) HΦ".
    wp_apply (algo_fold_spec _ _ _ _ _ (λ _, emp)%I
      (λ lo hi v, ⌜v = enc (range_fold f op lo hi)⌝)%I with "[$Hctx]").
    { iSplit; last iSplit; last by rewrite /each_index big_sepL_emp.
      - iIntros "!>" (ctx' sc' lo hi ?) "Hctx _". iApply ("Hbody" with "[%] Hctx"). lia.
      - iIntros "!>" (lo mid hi v1 v2 ?) "-> ->".
        rewrite (range_fold_join f op lo mid hi); [|lia..]. iApply "Hmerge". }
    iIntros (v) "[Hctx Hv]". case_bool_decide; iDestruct "Hv" as %->; by iApply "HΦ".
  Qed.
End fold.
