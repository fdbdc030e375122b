(** * Public deques are work-stealing deques, as hubs ask of them

    [public.v] says for each operation which deque it touches, and how; a hub only
    wants to know the multiset of all items.  Nobody ever waits for an answer. *)
From stdpp Require Import gmultiset.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import items ws_deques dynamic public_code public.

Definition public_ws_deques_code : ws_deques_code := {|
  ws_create := deque_public_create; ws_workers := deque_public_workers;
  ws_push := deque_public_push; ws_pop := deque_public_pop;
  ws_size := deque_public_size; ws_is_empty := deque_public_is_empty;
  ws_tick := deque_public_tick; ws_block := deque_public_block;
  ws_unblock := deque_public_unblock; ws_steal := deque_public_steal;
  ws_waits_for_answer := deque_public_waits_for_answer;
  ws_withdraw := deque_public_withdraw; ws_may_have := deque_public_may_have;
|}.

Section public_ws_deques.
  Context `{!heapGS Σ, !dynamicG Σ} (N : namespace).
  Implicit Types (γ : public_names) (t v : val) (i n : nat).
  Implicit Types (vs ws : list val) (vss : list (list val)) (M : gmultiset val).

  Local Definition p_inv γ t n : iProp Σ := public_inv N γ t ∗ ⌜length γ = n⌝.
  Local Definition p_model γ M : iProp Σ :=
    ∃ vss, public_model γ vss ∗ ⌜M = multiset_of (concat vss)⌝.
  Local Definition p_owner γ i ws (waits : bool) : iProp Σ :=
    public_owner γ i ws ∗ ⌜waits = false⌝.

  (** One place, and the rest. *)
  Local Lemma multiset_part vss i vs :
    vss !! i = Some vs →
    ∃ M, multiset_of (concat vss) = multiset_of vs ⊎ M ∧
      ∀ vs', multiset_of (concat (<[i := vs']> vss)) = multiset_of vs' ⊎ M.
  Proof.
    intros Hi.
    exists (multiset_of (concat (take i vss)) ⊎ multiset_of (concat (drop (S i) vss))).
    assert (∀ vs', multiset_of (concat (<[i := vs']> vss)) = multiset_of vs' ⊎
      (multiset_of (concat (take i vss)) ⊎ multiset_of (concat (drop (S i) vss)))) as H.
    { intros vs'. rewrite insert_take_drop; last by eapply lookup_lt_Some.
      rewrite concat_app concat_cons !list_to_set_disj_app. multiset_solver. }
    split; last done. by rewrite -{1}(list_insert_id vss i vs).
  Qed.
  Local Lemma multiset_snoc vs v :
    multiset_of (vs ++ [v]) = {[+ v +]} ⊎ multiset_of vs.
  Proof. rewrite list_to_set_disj_app /=. multiset_solver. Qed.
  Local Lemma multiset_tail vs :
    multiset_of vs = multiset_of (option_list (head vs)) ⊎ multiset_of (tail vs).
  Proof. destruct vs as [|v vs]; simpl; multiset_solver. Qed.
  Local Lemma multiset_removelast vs :
    multiset_of vs = multiset_of (option_list (last vs)) ⊎ multiset_of (removelast vs).
  Proof.
    destruct vs as [|v vs _] using rev_ind; first (simpl; multiset_solver).
    rewrite last_snoc removelast_last multiset_snoc /=. multiset_solver.
  Qed.
  Local Lemma concat_all_nil vss : (∀ i vs, vss !! i = Some vs → vs = []) → concat vss = [].
  Proof.
    induction vss as [|vs vss IH]; first done. intros Hall. simpl.
    rewrite (Hall 0 vs) //= IH //. intros i ws Hi. by apply (Hall (S i)).
  Qed.

  Local Lemma owners_empty γ t vss k E :
    ↑N ⊆ E → public_inv N γ t -∗ ([∗ list] i ∈ seq 0 k, p_owner γ i [] false) -∗
    public_model γ vss ={E}=∗
    ([∗ list] i ∈ seq 0 k, p_owner γ i [] false) ∗ public_model γ vss ∗
    ⌜∀ i vs, i < k → vss !! i = Some vs → vs = []⌝.
  Proof.
    iIntros (?) "#I Ho Hm". iInduction k as [|k] "IH".
    { iModIntro. iFrame. iPureIntro. lia. }
    rewrite seq_S big_sepL_app /=. iDestruct "Ho" as "(Ho & [Hk _] & _)".
    iMod ("IH" with "Ho Hm") as "($ & Hm & %Hall)".
    iMod (public_owner_model with "I Hk Hm") as "($ & $ & %vs & %Hvs & %Hsuf)"; first done.
    iModIntro. iSplit; first done. iPureIntro. intros i ws Hi Hws.
    destruct (decide (i = k)) as [->|]; last (apply (Hall i); [lia|done]).
    assert (ws = vs) as -> by congruence. by apply suffix_nil_inv in Hsuf.
  Qed.

  (** Claim: Public deques are work-stealing deques, as hubs ask of them. *)
  Lemma public_ws_deques : ws_deques N public_ws_deques_code.
  Proof using Type*.
    refine {|
      ws_names := public_names;
      ws_inv := p_inv; ws_model := p_model; ws_owner := p_owner;
    |}; simpl.
    - iIntros (γ i ws ws' waits waits') "[H1 _] [H2 _]".
      iApply (public_owner_exclusive with "H1 H2").
    - iIntros (γ t n M E ?) "[#I %Hn] Ho (%vss & Hm & %HM)".
      iDestruct (public_model_length with "Hm") as %Hlen.
      iMod (owners_empty with "I Ho Hm") as "($ & Hm & %Hall)"; first done.
      iModIntro. iSplit; last by iExists vss; iFrame. iPureIntro.
      rewrite HM concat_all_nil //. intros i vs Hi.
      apply (Hall i); [|done]. apply lookup_lt_Some in Hi. lia.
    - iIntros (n dummy Φ) "_ HΦ". wp_apply (public_create_spec N with "[//]").
      iIntros (γ t) "(%Hn & I & Hm & Ho)". iApply "HΦ". iFrame "I". iSplit; first done.
      iSplitL "Hm".
      + iExists _. iFrame "Hm". iPureIntro. rewrite concat_all_nil //.
        by intros i vs [-> _]%lookup_replicate.
      + iApply (big_sepL_impl with "Ho"). iIntros "!>" (k i _) "Ho". by iFrame.
    - iIntros (γ t n Φ) "[I <-] HΦ". by wp_apply (public_workers_spec with "I").
    - iIntros (γ t n i ws waits v) "[#I %Hn] [Ho %Hw] %Φ AU".
      awp_apply (public_push_spec with "I Ho").
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & Hm & %HM)".
      iAaccIntro with "Hm"; first (iIntros "Hm !>"; iSplitL "Hm"; [by iExists vss; iFrame|by iIntros "$"]).
      iIntros (vs) "[Hm [%Hvs %Hsuf]] !>". iSplitL "Hm".
      { iExists _. iFrame "Hm". iPureIntro. destruct (multiset_part _ _ _ Hvs) as (R & HR & HR').
        rewrite HR' HM HR multiset_snoc. multiset_solver. }
      iIntros "HΦ !> Ho". iApply "HΦ". iExists (vs ++ [v]). iFrame "Ho". iSplit; last done.
      iPureIntro. by apply suffix_app_r_2 || by destruct Hsuf as [l ->]; exists l; rewrite app_assoc.
    - iIntros (γ t n i ws waits) "[#I %Hn] [Ho %Hw] %Φ AU".
      awp_apply (public_pop_spec with "I Ho").
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & Hm & %HM)".
      iAaccIntro with "Hm"; first (iIntros "Hm !>"; iSplitL "Hm"; [by iExists vss; iFrame|by iIntros "$"]).
      iIntros (vs) "[Hm [%Hvs %Hsuf]] !>". destruct (multiset_part _ _ _ Hvs) as (R & HR & HR').
      iExists (last vs), (multiset_of (concat (<[i := removelast vs]> vss))). iSplitL "Hm".
      { iSplit; last by iExists _; iFrame "Hm". iPureIntro.
        rewrite HR' HM HR {1}(multiset_removelast vs). multiset_solver. }
      iIntros "HΦ !> Ho". iApply ("HΦ" $! (removelast vs)). iFrame "Ho". iSplit; last done.
      iPureIntro. destruct Hsuf as [l ->].
      destruct vs as [|v vs _] using rev_ind; first done.
      rewrite last_snoc removelast_last app_assoc. exists (l ++ vs). split; first done. by exists l.
    - iIntros (γ t n i ws waits) "[#I %Hn] [Ho %Hw] %Φ AU".
      awp_apply (public_size_spec with "I Ho").
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & Hm & %HM)".
      iAaccIntro with "Hm"; first (iIntros "Hm !>"; iSplitL "Hm"; [by iExists vss; iFrame|by iIntros "$"]).
      iIntros (vs) "[Hm [%Hvs %Hsuf]] !>". iExists vs. iSplitL "Hm".
      { iSplit; first done. iExists _. by iFrame "Hm". }
      iIntros "HΦ !> Ho". iApply "HΦ". by iFrame "Ho".
    - iIntros (γ t n i ws waits) "[#I %Hn] [Ho %Hw] %Φ AU".
      awp_apply (public_is_empty_spec with "I Ho").
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & Hm & %HM)".
      iAaccIntro with "Hm"; first (iIntros "Hm !>"; iSplitL "Hm"; [by iExists vss; iFrame|by iIntros "$"]).
      iIntros (vs) "[Hm [%Hvs %Hsuf]] !>". iExists vs. iSplitL "Hm".
      { iSplit; first done. iExists _. by iFrame "Hm". }
      iIntros "HΦ !> Ho". iApply "HΦ". by iFrame "Ho".
    - iIntros (γ t n i ws waits Φ) "[_ Ho] HΦ". wp_apply (public_tick_spec with "[//]").
      iIntros "_". iApply "HΦ". by iFrame "Ho".
    - iIntros (γ t n i ws waits Φ) "[[#I _] [Ho %Hw]] HΦ".
      wp_apply (public_block_spec with "[$I $Ho]"). iIntros "Ho". iApply "HΦ". by iFrame "Ho".
    - iIntros (γ t n i ws waits Φ) "[_ Ho] HΦ". wp_apply (public_unblock_spec with "[//]").
      iIntros "_". iApply "HΦ". by iFrame "Ho".
    - iIntros (γ t n i j ws waits Hj) "[#I %Hn] [Ho %Hw] %Φ AU".
      awp_apply (public_steal_spec with "I"); first lia.
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & Hm & %HM)".
      iAaccIntro with "Hm"; first (iIntros "Hm !>"; iSplitL "Hm"; [by iExists vss; iFrame|by iIntros "$"]).
      iIntros (vs) "[Hm %Hvs] !>". destruct (multiset_part _ _ _ Hvs) as (R & HR & HR').
      iExists (head vs), (multiset_of (concat (<[j := tail vs]> vss))). iSplitL "Hm".
      { iSplit; last by iExists _; iFrame "Hm". iPureIntro.
        rewrite HR' HM HR {1}(multiset_tail vs). multiset_solver. }
      iIntros "HΦ !>". iApply ("HΦ" $! false). iFrame "Ho". done.
    - iIntros (γ t n i ws waits Φ) "[_ [Ho ->]] HΦ".
      wp_apply (public_waits_for_answer_spec with "[//]").
      iIntros "_". iApply "HΦ". by iFrame "Ho".
    - iIntros (γ t n i ws waits) "[#I %Hn] [Ho %Hw] %Φ AU". iApply wp_fupd.
      wp_apply (public_withdraw_spec with "[//]"). iIntros "_".
      iMod (fupd_mask_subseteq (⊤ ∖ ↑N)) as "Hmask"; first solve_ndisj.
      iMod "AU" as (M) "[HM [_ Hclose]]".
      iMod ("Hclose" $! None M with "[$HM]") as "HΦ".
      { iPureIntro. simpl. multiset_solver. }
      iMod "Hmask" as "_". iModIntro. iApply ("HΦ" $! false). by iFrame "Ho".
    - iIntros (γ t n i Hi) "[#I %Hn] %Φ AU".
      awp_apply (public_may_have_spec with "I"); first lia.
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "(%vss & Hm & %HM)".
      iAaccIntro with "Hm"; first (iIntros "Hm !>"; iSplitL "Hm"; [by iExists vss; iFrame|by iIntros "$"]).
      iIntros (b vs) "[Hm _] !>". iExists b. iSplitL "Hm"; first by iExists vss; iFrame.
      by iIntros "$".
  Defined.
End public_ws_deques.
