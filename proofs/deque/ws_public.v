(** * Public deques, as hubs see them

    The multiset of the interface ([ws_deques.v]) is the union of the deques, whose
    list is the model of [public.v]; nobody ever waits for an answer. *)
From stdpp Require Import gmultiset.
From iris.program_logic Require Import atomic.
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.deque Require Import items ws_deques public_code dynamic public.

Definition public_ws_deques_code : ws_deques_code := {|
  ws_create := deque_public_create; ws_workers := deque_public_workers;
  ws_push := deque_public_push; ws_pop := deque_public_pop;
  ws_size := deque_public_size; ws_is_empty := deque_public_is_empty;
  ws_tick := deque_public_tick; ws_block := deque_public_block;
  ws_unblock := deque_public_unblock; ws_steal := deque_public_steal;
  ws_waits_for_answer := deque_public_waits_for_answer;
  ws_withdraw := deque_public_withdraw; ws_may_have := deque_public_may_have;
|}.

Local Lemma union_insert (vss : list (list val)) i vs ws :
  vss !! i = Some vs →
  multiset_of vs ⊎ multiset_of (concat (<[i := ws]> vss)) =
  multiset_of ws ⊎ multiset_of (concat vss).
Proof.
  revert i. induction vss as [|us vss IH]; intros [|i] Hi; simplify_eq/=;
    rewrite !list_to_set_disj_app; first multiset_solver.
  specialize (IH i Hi). apply gmultiset_eq=> x.
  apply (f_equal (multiplicity x)) in IH.
  rewrite !multiplicity_disj_union in IH |- *. lia.
Qed.

Local Lemma union_empty (vss : list (list val)) :
  (∀ i, i < length vss → vss !! i = Some []) → multiset_of (concat vss) = ∅.
Proof.
  induction vss as [|vs vss IH]; intros Hall; first done. simpl.
  assert (Some vs = Some []) as [= ->] by (apply (Hall 0); simpl; lia).
  apply IH. intros i Hi. apply (Hall (S i)). simpl. lia.
Qed.

Section public.
  Context `{!heapGS Σ, !dynamicG Σ} (N : namespace).

  Local Definition inv_ γ t (n : nat) : iProp Σ :=
    public_inv N γ t ∗ ⌜n = length γ⌝.
  Local Definition model γ M : iProp Σ :=
    ∃ vss, ⌜M = multiset_of (concat vss)⌝ ∗ public_model γ vss.
  Local Definition owner γ i ws (waits : bool) : iProp Σ :=
    ⌜waits = false⌝ ∗ public_owner γ i ws.

  Local Lemma owners_empty γ t l vss E :
    ↑N ⊆ E → public_inv N γ t -∗ ([∗ list] i ∈ l, owner γ i [] false) -∗
    public_model γ vss ={E}=∗
    ([∗ list] i ∈ l, owner γ i [] false) ∗ public_model γ vss ∗
    ⌜∀ i, i ∈ l → vss !! i = Some []⌝.
  Proof.
    iIntros (?) "#I Ho Hm". iInduction l as [|i l] "IH"; simpl.
    { iModIntro. iFrame. iPureIntro. by intros i ?%not_elem_of_nil. }
    iDestruct "Ho" as "[[_ Hi] Ho]".
    iMod (public_owner_model with "I Hi Hm") as "(Hi & Hm & %Hvs)"; first done.
    iMod ("IH" with "Ho Hm") as "($ & $ & %Hall)". iModIntro. iFrame.
    iSplit; first done. iPureIntro. intros j [->|Hj]%elem_of_cons; last by apply Hall.
    destruct Hvs as (vs & Hvs & ?%suffix_nil_inv). by subst.
  Qed.

  (** Claim: Public deques are work-stealing deques, as hubs ask of them. *)
  Lemma public_ws_deques : ws_deques N public_ws_deques_code.
  Proof using Type*.
    refine {| ws_names := public_names; ws_inv := inv_; ws_model := model;
              ws_owner := owner |}; simpl.
    - iIntros (γ i ws ws' waits waits') "[_ H1] [_ H2]".
      iApply (public_owner_exclusive with "H1 H2").
    - iIntros (γ t n M E ?) "#[I ->] Ho (%vss & -> & Hm)".
      iMod (owners_empty with "I Ho Hm") as "(Ho & Hm & %Hall)"; first done.
      iDestruct (public_model_length with "Hm") as %Hlen. iModIntro. iFrame "Ho".
      rewrite union_empty; last first.
      { intros i Hi. apply Hall, elem_of_seq. lia. }
      iSplitR; first done. iExists vss. iFrame. iPureIntro.
      rewrite union_empty //. intros i Hi. apply Hall, elem_of_seq. lia.
    - iIntros (n dummy Φ) "_ HΦ". wp_apply (public_create_spec with "[//]").
      iIntros (γ t) "(<- & I & HM & Ho)". iApply "HΦ". iFrame "I". iSplitR; first done.
      iSplitL "HM".
      + iExists _. iFrame. iPureIntro. rewrite union_empty //. intros i Hi.
        rewrite length_replicate in Hi. by apply lookup_replicate.
      + iApply (big_sepL_impl with "Ho"). by iIntros "!> %k %i _ $".
    - iIntros (γ t n Φ) "[I ->] HΦ". by wp_apply (public_workers_spec with "I").
    - iIntros (γ t n i ws waits v) "#[I ->] [-> Ho] %Φ AU".
      awp_apply (public_push_spec with "I Ho").
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & -> & Hm)".
      iAaccIntro with "Hm"; first by iIntros "Hm !>"; iSplitL; [iExists vss; iFrame|eauto].
      iIntros (vs) "[Hm [%Hvs %Hsuf]] !>". iSplitL "Hm".
      + iExists _. iFrame. iPureIntro. pose proof (union_insert vss i vs (vs ++ [v]) Hvs) as E.
        rewrite list_to_set_disj_app /= in E. apply gmultiset_eq=> x.
        apply (f_equal (multiplicity x)) in E.
        rewrite ?multiplicity_disj_union ?multiplicity_empty in E |- *. lia.
      + iIntros "HΦ !> Ho". iApply "HΦ". iExists _. iFrame. iSplit; last done.
        iPureIntro. destruct Hsuf as [k ->]. exists k. by rewrite assoc.
    - iIntros (γ t n i ws waits) "#[I ->] [-> Ho] %Φ AU".
      awp_apply (public_pop_spec with "I Ho").
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & -> & Hm)".
      iAaccIntro with "Hm"; first by iIntros "Hm !>"; iSplitL; [iExists vss; iFrame|eauto].
      iIntros (vs) "[Hm [%Hvs %Hsuf]] !>".
      iExists (last vs), (multiset_of (concat (<[i := removelast vs]> vss))). iSplitL "Hm".
      + iSplitR; last by iExists _; iFrame. iPureIntro.
        pose proof (union_insert vss i vs (removelast vs) Hvs) as E.
        destruct vs as [|v vs _] using rev_ind; first multiset_solver.
        rewrite last_snoc removelast_last list_to_set_disj_app /= in E |- *.
        apply gmultiset_eq=> x. apply (f_equal (multiplicity x)) in E.
        rewrite ?multiplicity_disj_union ?multiplicity_empty in E |- *. lia.
      + iIntros "HΦ !> Ho". iApply ("HΦ" $! (removelast vs)). iFrame. iSplit; last done.
        iPureIntro. destruct vs as [|v vs _] using rev_ind; first done.
        rewrite last_snoc removelast_last. destruct Hsuf as [k ->].
        exists (k ++ vs). split; [by rewrite assoc | by exists k].
    - iIntros (γ t n i ws waits) "#[I ->] [-> Ho] %Φ AU".
      awp_apply (public_size_spec with "I Ho").
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & -> & Hm)".
      iAaccIntro with "Hm"; first by iIntros "Hm !>"; iSplitL; [iExists vss; iFrame|eauto].
      iIntros (vs) "[Hm [%Hvs %Hsuf]] !>". iExists vs. iSplitL "Hm".
      + iSplitR; first done. iExists vss. by iFrame.
      + iIntros "HΦ !> Ho". iApply "HΦ". by iFrame.
    - iIntros (γ t n i ws waits) "#[I ->] [-> Ho] %Φ AU".
      awp_apply (public_is_empty_spec with "I Ho").
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & -> & Hm)".
      iAaccIntro with "Hm"; first by iIntros "Hm !>"; iSplitL; [iExists vss; iFrame|eauto].
      iIntros (vs) "[Hm [%Hvs %Hsuf]] !>". iExists vs. iSplitL "Hm".
      + iSplitR; first done. iExists vss. by iFrame.
      + iIntros "HΦ !> Ho". iApply "HΦ". by iFrame.
    - iIntros (γ t n i ws waits Φ) "[_ [-> Ho]] HΦ".
      wp_apply (public_tick_spec with "[//]"). iIntros "_". iApply "HΦ". by iFrame.
    - iIntros (γ t n i ws waits Φ) "[[I _] [-> Ho]] HΦ".
      wp_apply (public_block_spec with "[$I $Ho]"). iIntros "Ho". iApply "HΦ". by iFrame.
    - iIntros (γ t n i ws waits Φ) "[_ [-> Ho]] HΦ".
      wp_apply (public_unblock_spec with "[//]"). iIntros "_". iApply "HΦ". by iFrame.
    - iIntros (γ t n i j ws waits Hj) "#[I ->] [-> Ho] %Φ AU".
      awp_apply (public_steal_spec with "I"); first done.
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & -> & Hm)".
      iAaccIntro with "Hm".
      { iIntros "Hm !>". iSplitL "Hm"; first by iExists vss; iFrame.
        iIntros "$". by iFrame. }
      iIntros (vs) "[Hm %Hvs] !>".
      iExists (head vs), (multiset_of (concat (<[j := tail vs]> vss))). iSplitL "Hm".
      + iSplitR; last by iExists _; iFrame. iPureIntro.
        pose proof (union_insert vss j vs (tail vs) Hvs) as E.
        destruct vs as [|v vs]; simpl in *; first multiset_solver.
        apply gmultiset_eq=> x. apply (f_equal (multiplicity x)) in E.
        rewrite ?multiplicity_disj_union ?multiplicity_empty in E |- *. lia.
      + iIntros "HΦ !>". iApply ("HΦ" $! false). by iFrame.
    - iIntros (γ t n i ws waits Φ) "[_ [-> Ho]] HΦ".
      wp_apply (public_waits_for_answer_spec with "[//]"). iIntros "_".
      iApply "HΦ". by iFrame.
    - iIntros (γ t n i ws waits) "#[I ->] [-> Ho] %Φ AU". iApply wp_fupd.
      wp_apply (public_withdraw_spec with "[//]"). iIntros "_".
      iMod (fupd_mask_subseteq (⊤ ∖ ↑N)) as "Hmask"; first set_solver.
      iMod "AU" as (M) "[HM [_ Hclose]]".
      iMod ("Hclose" $! None M with "[$HM]") as "HΦ"; first (iPureIntro; multiset_solver).
      iMod "Hmask" as "_". iModIntro. iApply ("HΦ" $! false). by iFrame.
    - iIntros (γ t n i Hi) "#[I ->] %Φ AU".
      awp_apply (public_may_have_spec with "I"); first done.
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & -> & Hm)".
      iAaccIntro with "Hm"; first by iIntros "Hm !>"; iSplitL; [iExists vss; iFrame|eauto].
      iIntros (b vs) "[Hm _] !>". iExists b. iSplitL "Hm"; first by iExists vss; iFrame.
      by iIntros "HΦ !>".
  Defined.
End public.
