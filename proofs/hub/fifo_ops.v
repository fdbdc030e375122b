(** The FIFO hub: push, submit and retract.

    A [push] or [submit] is linearised at the push to the shared queue, a [submit_to] at
    the push to the inbox. A [retract] finds the given task among the remembered nodes,
    and erases the node. The proof knows for ever the value with which each node was
    pushed, so the [retract] takes the given task and no other. A [retract] with success
    is linearised at the erasure. A [retract] without success may be linearised
    anywhere. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import erasable_code queue_code erasable queue.
From dromos.hub Require Import fifo_code hub_spec taking.
From dromos.hub Require Export fifo_state.

Section ops.
  Context `{!heapGS Σ, !erasableG Σ, !queueG Σ, !ghost_varG Σ bool}.
  Implicit Types (γ : fifo_names) (t : val) (M : hub_items) (i n : nat) (l : loc).
  Implicit Types (x : fifo_local_names).

  Local Lemma fifo_shared_push_spec γ t l :
    erasable_inv hubN (fifo_name_shared γ) t -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      base_erasable_push t #l @ ↑hubN
    <<{ ∃∃ j, fifo_model γ (M ⊎ {[+ (l, None) +]})
      | nd, RET nd; erasable_handle (fifo_name_shared γ) nd j #l }>>.
  Proof.
    iIntros "#I" (Φ) "AU". awp_apply (erasable_push_spec with "I").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%ys & %qss & Hx & Hq & %Hnd & ->)". iAaccIntro with "Hx".
    { iIntros "Hx !>". iSplitR ""; last by eauto. iExists ys, qss. by iFrame. }
    iIntros (j) "[%Hj Hx] !>". iExists j. iSplitR "".
    { iExists (ys ++ [(j, l)]), qss. rewrite fmap_app. iFrame "Hx Hq". iPureIntro. split.
      - rewrite fmap_app. apply NoDup_app. split; first done. split; last apply NoDup_singleton.
        intros k ([k' l'] & -> & Hin)%elem_of_list_fmap Hk. simpl in *.
        apply elem_of_list_singleton in Hk as ->. apply (Hj #l').
        by apply (elem_of_list_fmap_1 fifo_cell) in Hin.
      - symmetry. apply (fifo_items_shared ys _ (j, l)). by rewrite -Permutation_cons_append. }
    iIntros "HΦ !>" (nd) "Hnd". by iApply "HΦ".
  Qed.

  (** Claim: [push] adds a task for any worker, at one instant. *)
  Lemma fifo_push_spec o γ n i (r : Z) l : i < n →
    fifo_inv o γ n -∗ fifo_owner γ i true -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_push o #i #r #l @ ↑hubN
    <<{ fifo_model γ (M ⊎ {[+ (l, None) +]}) | RET #(); fifo_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%t & %locals & %nf & -> & %Hn & #It & #Il) (%x & %Hi & Hown & Hknows) %Φ AU".
    simpl. wp_pures. wp_apply (fifo_local_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_rec. wp_pures. awp_apply (fifo_shared_push_spec with "It") without "Hown Hknows".
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "HM". iAaccIntro with "HM"; first by eauto with iFrame.
    iIntros (j) "HM !>". iFrame "HM". iIntros "HΦ !> %nd #Hnd [Hown Hknows]". wp_pures.
    case_bool_decide; wp_pures.
    - wp_apply (fifo_remember_spec with "[$Hown $Hnd]"). iIntros "Hown". iApply "HΦ".
      iExists x. by iFrame.
    - iModIntro. iApply "HΦ". iExists x. by iFrame.
  Qed.

  (** Claim: [submit], called by any thread, adds a task for any worker, at one
      instant. *)
  Lemma fifo_submit_spec o γ n (r : Z) l :
    fifo_inv o γ n -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_submit o #r #l @ ↑hubN
    <<{ fifo_model γ (M ⊎ {[+ (l, None) +]}) | RET #() }>>.
  Proof.
    iIntros "(%t & %locals & %nf & -> & %Hn & #It & #Il) %Φ AU".
    simpl. wp_pures. wp_rec. wp_pures. awp_apply (fifo_shared_push_spec with "It").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "HM". iAaccIntro with "HM"; first by eauto with iFrame.
    iIntros (j) "HM !>". iFrame "HM". iIntros "HΦ !> %nd #Hnd". by wp_pures.
  Qed.

  (** Claim: [submit_to i] adds a task for worker [i] alone, at one instant. *)
  Lemma fifo_submit_to_spec o γ n i (r : Z) l : i < n →
    fifo_inv o γ n -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_submit_to o #i #r #l @ ↑hubN
    <<{ fifo_model γ (M ⊎ {[+ (l, Some i) +]}) | RET #() }>>.
  Proof.
    iIntros (Hin) "(%t & %locals & %nf & -> & %Hn & #It & #Il) %Φ AU".
    destruct (lookup_lt_is_Some_2 (fifo_name_locals γ) i) as [x Hi]; first lia.
    iDestruct (fifo_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    simpl. wp_pures. wp_apply (fifo_local_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_pures. wp_load. awp_apply (queue_push_spec with "Iq").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%ys & %qss & Hx & Hq & %Hnd & ->)".
    iDestruct (fifo_inbox_acc with "Hq") as (qs Hqs) "[[Hi (%b & Hb & %Hb)] Hq]";
      first exact Hi.
    iAaccIntro with "Hi".
    { iIntros "Hi !>". iSplitR ""; last by eauto. iExists ys, qss. iFrame "Hx".
      iSpecialize ("Hq" with "[$Hi $Hb //]"). rewrite list_insert_id //. by iFrame "Hq". }
    iIntros "Hi !>". iSplitR ""; last by eauto.
    iExists ys, (<[i := qs ++ [l]]> qss). iFrame "Hx". iSplitL; last first.
    { iPureIntro. split; first done. symmetry. apply (fifo_items_inbox ys qss i qs); first done.
      by rewrite -Permutation_cons_append. }
    iApply "Hq". rewrite /fifo_inbox_model fmap_app. iFrame "Hi". iExists b. iFrame "Hb".
    iPureIntro. intros _ Hnil%(f_equal length). rewrite length_app /= in Hnil. lia.
  Qed.

  (** Claim: A [retract] with success has taken exactly the given task, at one
      instant. *)
  Lemma fifo_retract_spec o γ n i l : i < n →
    fifo_inv o γ n -∗ fifo_owner γ i true -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_retract o #i #l @ ↑hubN
    <<{ ∃∃ (b : bool) M',
        ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗
        fifo_model γ M'
      | RET #b; fifo_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%t & %locals & %nf & -> & %Hn & #It & #Il) (%x & %Hi & Hown & Hknows) %Φ AU".
    simpl. wp_pures. wp_apply (fifo_local_get_spec with "Il"); first exact Hi. iIntros "_".
    iLöb as "IH". wp_rec. wp_pures.
    iDestruct "Hown" as (first recent none top bottom erasures ws)
      "(Hf & #Hr & #Hnone & Ht & Hb & He & Ha & %Hlen & %Hle & #Hrem)".
    wp_na_load. wp_na_load. wp_pures. case_bool_decide as Htop; wp_pures.
    { iApply (hub_retract_nothing with "AU"). iExists x. iFrame "Hknows". iSplit; first done.
      iExists first, recent, none, top, bottom, erasures, ws. by iFrame "∗#". }
    assert (top ≠ bottom) by congruence.
    wp_na_load. wp_pures. wp_apply fifo_slot_spec; first done. iIntros "_". wp_load.
    iDestruct ("Hrem" $! (top - 1)%Z with "[%]") as (nd j v Hnd) "#Hh"; first lia.
    pose proof (Z.mod_pos_bound (top - 1) 256).
    wp_apply (array_get_spec with "Ha"); [lia|exact Hnd|]. iIntros "Ha". wp_pures.
    (* The effect of [forget_newest]. *)
    iAssert (fifo_local (fifo_name_shared γ) x.1 ∧ ∀ Ψ : val → iProp Σ,
      (fifo_local (fifo_name_shared γ) x.1 -∗ Ψ #()) -∗
      WP hub_fifo_forget_newest #x.1 {{ Ψ }})%I with "[Hf Ht Hb He Ha]" as "Hforget".
    { iSplit.
      { iExists first, recent, none, top, bottom, erasures, ws. by iFrame "∗#". }
      iIntros (Ψ) "HΨ". wp_rec. wp_na_load. wp_na_store. wp_load. wp_na_load.
      wp_apply fifo_slot_spec; first done. iIntros "_". wp_load.
      wp_apply (array_set_spec with "Ha"); first lia. iIntros "Ha". iApply "HΨ".
      iExists first, recent, none, (top - 1)%Z, bottom, erasures, _.
      iFrame "Hf Hr Hnone Ht Hb He Ha". rewrite length_insert.
      do 2 (iSplit; first (iPureIntro; lia)).
      iApply (fifo_remembered_forget with "Hrem"); lia. }
    awp_apply (erasable_peek_spec with "It Hh") without "Hforget Hknows".
    iApply (aacc_aupd_abort with "AU"); first done.
    iIntros (M) "(%ys & %qss & Hx & Hq & %Hnd' & ->)". iAaccIntro with "Hx".
    { iIntros "Hx !>". iSplitR ""; last by eauto. iExists ys, qss. by iFrame. }
    iIntros "Hx !>". iSplitR "". { iExists ys, qss. by iFrame. }
    clear Hnd'. iIntros "AU !> [Hforget Hknows]". case_decide; wp_pures; last first.
    { iDestruct "Hforget" as "[_ Hforget]". wp_apply "Hforget". iIntros "Hown". wp_pures.
      by iApply ("IH" with "Hown Hknows AU"). }
    case_bool_decide as Hv; wp_pures; last first.
    { iApply (hub_retract_nothing with "AU"). iExists x. iFrame "Hknows".
      iSplit; first done. by iDestruct "Hforget" as "[$ _]". }
    subst v. iDestruct "Hforget" as "[_ Hforget]". wp_apply "Hforget". iIntros "Hown". wp_pures.
    awp_apply (erasable_erase_spec with "It Hh") without "Hown Hknows".
    iApply (aacc_aupd_commit with "AU"); first done.
    clear dependent ys qss.
    iIntros (M) "(%ys & %qss & Hx & Hq & %Hnd' & ->)". iAaccIntro with "Hx".
    { iIntros "Hx !>". iSplitR ""; last by eauto. iExists ys, qss. by iFrame. }
    iIntros "[Hx %Hval] !>". rewrite fifo_erase_cells.
    iExists (bool_decide (pair j #l ∈ fifo_cell <$> ys)),
      (fifo_items (filter (λ y, y.1 ≠ j) ys) qss).
    iSplitR "".
    { iSplit; last first.
      { iExists _, qss. iFrame "Hx Hq". iPureIntro. split; last done. by apply fifo_erase_nodup. }
      iPureIntro. case_bool_decide as Hin'.
      - exists None. split; first by left. apply (fifo_items_shared _ _ (j, l)).
        apply fifo_erase_elem; first done.
        apply elem_of_list_fmap in Hin' as ([j' l'] & [= -> ->] & Hin'). done.
      - rewrite fifo_filter_absent //. intros ([j' l'] & -> & Hin'')%elem_of_list_fmap.
        apply (elem_of_list_fmap_1 fifo_cell) in Hin''. simpl in *.
        apply Hin'. by rewrite -(Hval _ Hin''). }
    iIntros "HΦ !> [Hown Hknows]". wp_pures.
    iAssert (fifo_local (fifo_name_shared γ) x.1 -∗ Φ _)%I with "[HΦ Hknows]" as "HΦ".
    { iIntros "Hown". iApply "HΦ". iExists x. by iFrame. }
    case_bool_decide; wp_pures.
    - wp_apply (fifo_count_erasure_spec with "[$It $Hown]"). iIntros "Hown". wp_pures.
      by iApply "HΦ".
    - by iApply "HΦ".
  Qed.
End ops.
