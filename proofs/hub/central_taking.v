(** The queues that all hubs share (Central), taking: lib/kernel/hub/central.ml.

    A look into one queue is linearised at the pop of that queue. [pop] and [steal] make
    several looks. An operation that takes a task is linearised at the look that takes
    the task. An operation without success may be linearised anywhere.

    If the caller owns the model and no other worker carries a task, the model does not
    change between the looks. A [steal] without success has then found the shared queue,
    the deferred queue and the worker's inbox empty. Therefore all remaining tasks are
    in the inboxes of other workers. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import queue_code queue.
From dromos.hub Require Import hub_spec taking central_code central_state central_items.
From dromos.hub Require Import central_ops.

Section central.
  Context `{!heapGS Σ, !centralG Σ}.
  Implicit Types (γ : central_names) (t : val) (M : hub_items) (i n : nat) (l local : loc).
  Implicit Types (x : central_local) (HM : hub_items → iProp Σ).

  (** ** A single queue *)

  Lemma central_shared_pop_spec γ shared :
    queue_inv hubN (central_name_shared γ) shared -∗
    <<{ ∀∀ M, central_model γ M }>>
      base_queue_pop shared @ ↑hubN
    <<{ ∃∃ o M', central_model γ M' ∗
        ⌜M = from_option (λ y : bool * loc, M' ⊎ {[+ (y.2, None) +]}) M' o⌝
      | RET from_option (λ y, SOMEV (shared_val y)) NONEV o }>>.
  Proof.
    iIntros "#I %Φ AU". awp_apply (queue_pop_spec with "I").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%ys & %zs & %hss & %qss & (Hy & Hz & Hh & Hq) & ->)". iAaccIntro with "Hy".
    { iIntros "Hy !>". iSplitL; last by eauto. iExists ys, zs, hss, qss. by iFrame. }
    iIntros "Hy !>". destruct ys as [|y ys]; simpl.
    - iExists None, (central_items [] zs hss qss). iSplitL; last by eauto. iSplitL; last done.
      iExists [], zs, hss, qss. by iFrame.
    - iExists (Some y), (central_items ys zs hss qss). iSplitL; last by eauto. iSplitL.
      + iExists ys, zs, hss, qss. by iFrame.
      + iPureIntro. by apply central_items_shared.
  Qed.

  Lemma central_deferred_pop_spec γ deferred i :
    queue_inv hubN (central_name_deferred γ) deferred -∗
    <<{ ∀∀ M, central_model γ M }>>
      base_queue_pop deferred @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ central_model γ M' | RET r; True }>>.
  Proof.
    iIntros "#I %Φ AU". awp_apply (queue_pop_spec with "I").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%ys & %zs & %hss & %qss & (Hy & Hz & Hh & Hq) & ->)". iAaccIntro with "Hz".
    { iIntros "Hz !>". iSplitL; last by eauto. iExists ys, zs, hss, qss. by iFrame. }
    iIntros "Hz !>". destruct zs as [|l zs]; simpl.
    - iExists NONEV, (central_items ys [] hss qss). iSplitL.
      { iSplit; first (iPureIntro; by left). iExists ys, [], hss, qss. by iFrame. }
      iIntros "HΦ !>". by iApply "HΦ".
    - iExists (SOMEV #l), (central_items ys zs hss qss). iSplitL.
      { iSplit; last (iExists ys, zs, hss, qss; by iFrame). iPureIntro. right.
        exists l, None. split; first done. split; first by left. by apply central_items_deferred. }
      iIntros "HΦ !>". by iApply "HΦ".
  Qed.

  Lemma central_inbox_pop_spec γ i x inbox :
    central_name_locals γ !! i = Some x →
    queue_inv hubN (cl_inbox x) inbox -∗
    <<{ ∀∀ M, central_model γ M }>>
      base_queue_pop inbox @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ central_model γ M' | RET r; True }>>.
  Proof.
    iIntros (Hi) "#I %Φ AU". awp_apply (queue_pop_spec with "I").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%ys & %zs & %hss & %qss & (Hy & Hz & Hh & Hq) & ->)".
    iDestruct (central_inbox_acc with "Hq") as (qs Hqs) "[Hi Hq]"; first exact Hi.
    iAaccIntro with "Hi".
    { iIntros "Hi !>". iSplitL; last by eauto. iExists ys, zs, hss, qss.
      iSpecialize ("Hq" with "Hi"). rewrite list_insert_id //. by iFrame. }
    iIntros "Hi !>". destruct qs as [|l qs]; simpl.
    - iExists NONEV, (central_items ys zs hss qss). iSplitL.
      { iSplit; first (iPureIntro; by left). iExists ys, zs, hss, qss.
        iSpecialize ("Hq" $! [] with "Hi"). rewrite list_insert_id //. by iFrame. }
      iIntros "HΦ !>". by iApply "HΦ".
    - iExists (SOMEV #l), (central_items ys zs hss (<[i := qs]> qss)). iSplitL.
      { iSplit; last (iExists ys, zs, hss, _; iFrame; iSplit; [by iApply "Hq"|done]).
        iPureIntro. right. exists l, (Some i). split; first done. split; first by right.
        rewrite -(central_items_inbox _ _ _ (<[i := qs]> qss) i qs (l :: qs)) //.
        - by rewrite list_insert_insert list_insert_id.
        - apply list_lookup_insert. by eapply lookup_lt_Some. }
      iIntros "HΦ !>". by iApply "HΦ".
  Qed.

  (** ** Shared and deferred *)

  Local Lemma pop_shared_try γ t n i HM :
    hub_part (central_model γ) HM →
    central_inv γ t n -∗ hub_try HM i (hub_central_pop_shared t) True.
  Proof.
    iIntros (Hpart) "(%shared & %deferred & %locals & %nf & -> & _ & #Is & #Ia & _)".
    iIntros (Q Φ) "AU". wp_rec. wp_pures. wp_bind (base_queue_pop _).
    iApply (wp_wand with "[AU]").
    { iApply (hub_part_try with "[] AU"); first exact Hpart. by iApply central_deferred_pop_spec. }
    iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
    { iModIntro. iSplit; first done. iRight. by eauto. }
    awp_apply (central_shared_pop_spec with "Is"). rewrite /hub_take_au.
    iApply (aacc_aupd with "AU"); first done. iIntros (M) "HM".
    iDestruct (Hpart with "HM") as (C D ->) "[HC Hclose]". iAaccIntro with "HC".
    { iIntros "HC !>". iDestruct ("Hclose" with "HC") as "$". by iIntros "$". }
    iIntros (o C') "[HC ->] !>". iDestruct ("Hclose" with "HC") as "HM".
    destruct o as [[b l]|]; simpl.
    - iRight. iExists (SOMEV #l), (C' ⊎ D). iFrame "HM". iSplit.
      { iPureIntro. right. exists l, None. split; first done. split; first by left.
        multiset_solver. }
      iIntros "HΦ !>". destruct b; wp_pures; iModIntro; (iSplit; first done); iRight; by eauto.
    - iLeft. iFrame "HM". iIntros "AU !>". wp_pures. iModIntro. iSplit; first done. iLeft.
      by iFrame.
  Qed.

  (** ** The operations *)

  Local Lemma pop_inbox_try γ i x inbox HM from :
    hub_part (central_model γ) HM →
    central_name_locals γ !! i = Some x →
    (cl_block x +ₗ 0) ↦□ inbox -∗ queue_inv hubN (cl_inbox x) inbox -∗
    (cl_block x +ₗ 5) ↦na from -∗
    hub_try HM i (hub_central_pop_inbox #(cl_block x))
      (∃ b : bool, (cl_block x +ₗ 5) ↦na #b).
  Proof.
    iIntros (Hpart Hi) "#Hinbox #Iq H5 %Q %Φ AU". wp_rec. wp_load.
    wp_bind (base_queue_pop _). iApply (wp_wand with "[AU]").
    { iApply (hub_part_try with "[] AU"); first exact Hpart. by iApply central_inbox_pop_spec. }
    iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; wp_na_store; iModIntro.
    - iSplitL "H5"; first by eauto. iLeft. by iFrame.
    - iSplitL "H5"; first by eauto. iRight. by eauto.
  Qed.

  Local Lemma pop_try γ t n i HM : i < n →
    hub_part (central_model γ) HM →
    central_inv γ t n -∗ central_owner γ i -∗
    hub_try HM i (hub_central_pop t #i) (central_owner γ i).
  Proof.
    iIntros (Hin Hpart) "#Hinv H %Q %Φ AU".
    iPoseProof (pop_shared_try γ t n i HM Hpart with "Hinv") as "Hs".
    iDestruct "Hinv" as (shared deferred locals nf ->) "(%Hn & _ & _ & Il & _)".
    iDestruct "H" as (x Hi) "[(%pops & %turn & %older & %seed & %fi & H1 & H2 & H3 & H4 & H5) Hh]".
    iDestruct (central_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    wp_rec. wp_pures. wp_apply (central_local_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_pures. wp_na_load.
    iAssert (∀ b : bool, (cl_block x +ₗ 5) ↦na #b -∗ central_owner γ i)%I
      with "[H1 H2 H3 H4 Hh]" as "Hown".
    { iIntros (b) "H5". iExists x. iFrame "Hh". iSplit; first done.
      iExists pops, turn, older, seed, b. by iFrame. }
    destruct fi; wp_pures.
    - wp_na_store. wp_bind (hub_central_pop_shared _). iApply (wp_wand with "[AU]").
      { by iApply "Hs". }
      iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
      { iModIntro. iSplitR "HΦ"; first by iApply "Hown". iRight. by eauto. }
      iApply (wp_wand with "[H5 AU]").
      { iApply (pop_inbox_try with "Hinbox Iq H5 AU"); done. }
      iIntros (r) "[(%b & H5) $]". by iApply "Hown".
    - wp_bind (hub_central_pop_inbox _). iApply (wp_wand with "[H5 AU]").
      { iApply (pop_inbox_try with "Hinbox Iq H5 AU"); done. }
      iIntros (r) "[(%b & H5) [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
      { iModIntro. iSplitR "HΦ"; first by iApply "Hown". iRight. by eauto. }
      iApply (wp_wand with "[AU]"); first by iApply "Hs". iIntros (r) "[_ $]". by iApply "Hown".
  Qed.

  (** Claim: [pop i] takes a task that worker [i] may run, at one instant, or
      nothing. *)
  Lemma central_pop_spec γ t n i : i < n →
    central_inv γ t n -∗ central_owner γ i -∗
    <<{ ∀∀ M, central_model γ M }>>
      hub_central_pop t #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ central_model γ M' | RET r; central_owner γ i }>>.
  Proof.
    iIntros (Hin) "#I H". iApply hub_try_done. iApply (pop_try with "I H"); first done.
    apply hub_part_refl.
  Qed.

  (** Claim: [steal i] takes a task that worker [i] may run, at one instant, or
      nothing. *)
  Lemma central_steal_spec γ t n i : i < n →
    central_inv γ t n -∗ central_owner γ i -∗
    <<{ ∀∀ M, central_model γ M }>>
      hub_central_steal t #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ central_model γ M' | RET r; central_owner γ i }>>.
  Proof.
    iIntros (Hin) "#Hinv H". iApply hub_try_done. iIntros (Q Φ) "AU".
    iPoseProof (pop_shared_try γ t n i with "Hinv") as "Hs"; first apply hub_part_refl.
    iDestruct "Hinv" as (shared deferred locals nf ->) "(%Hn & _ & _ & Il & _)".
    destruct (lookup_lt_is_Some_2 (central_name_locals γ) i) as [x Hi]; first lia.
    iDestruct (central_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    wp_rec. wp_pures. wp_bind (hub_central_pop_shared _). iApply (wp_wand with "[AU]").
    { by iApply "Hs". }
    iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
    { iFrame "H". iRight. by eauto. }
    wp_apply (central_local_get_spec with "Il"); first exact Hi. iIntros "_". wp_pures. wp_load.
    iApply (wp_wand with "[AU]").
    { iApply (hub_part_try with "[] AU"); first apply hub_part_refl. by iApply central_inbox_pop_spec. }
    iIntros (r) "[_ $]". iFrame "H".
  Qed.

  (** Claim: While only the caller acts, a [steal] without success leaves only tasks for
      other workers: the shared queue, the deferred queue and the worker's inbox are
      empty. *)
  Lemma central_steal_quiet_spec γ t n i M : i < n →
    {{{ central_inv γ t n ∗ central_owner γ i ∗ central_model γ M ∗
        [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner γ j }}}
      hub_central_steal t #i
    {{{ r M', RET r;
        ⌜hub_taken i M r M'⌝ ∗ central_owner γ i ∗ central_model γ M' ∗
        ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner γ j) ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hin Φ) "(Hinv & Ho & (%ys & %zs & %hss & %qss & (Hy & Hz & Hh & Hq) & ->) & Hos) HΦ".
    iDestruct "Hinv" as (shared deferred locals nf ->) "(%Hn & #Is & #Ia & #Il & _)".
    destruct (lookup_lt_is_Some_2 (central_name_locals γ) i) as [x Hi]; first lia.
    iDestruct (central_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    iDestruct (central_hands_empty with "Hh Ho Hos") as %Hhss; first exact Hn.
    wp_rec. wp_pures. wp_rec. wp_pures.
    awp_apply (queue_pop_spec with "Ia"). iAaccIntro with "Hz"; first by eauto with iFrame.
    iIntros "Hz !>". destruct zs as [|l zs]; wp_pures; last first.
    { iApply ("HΦ" $! _ (central_items ys zs hss qss)). iFrame "Ho Hos". iModIntro. iSplit.
      { iPureIntro. right. exists l, None. split; first done. split; first by left.
        by apply central_items_deferred. }
      iSplitL; last done. iExists ys, zs, hss, qss. by iFrame. }
    awp_apply (queue_pop_spec with "Is"). iAaccIntro with "Hy"; first by eauto with iFrame.
    iIntros "Hy !>". destruct ys as [|[b l] ys]; wp_pures; last first.
    { iAssert (central_model γ (central_items ys [] hss qss)) with "[Hy Hz Hh Hq]" as "HM".
      { iExists ys, [], hss, qss. by iFrame. }
      destruct b; wp_pures; (iApply ("HΦ" $! _ (central_items ys [] hss qss)));
        iFrame "Ho Hos HM"; iModIntro; (iSplit; last done); iPureIntro; right;
        exists l, None; (split; first done); (split; first by left);
        by eapply (central_items_shared _ _ (_, l)). }
    wp_apply (central_local_get_spec with "Il"); first exact Hi. iIntros "_". wp_pures. wp_load.
    iDestruct (central_inbox_acc with "Hq") as (qs Hqs) "[Hi Hq]"; first exact Hi.
    awp_apply (queue_pop_spec with "Iq"). iAaccIntro with "Hi"; first by eauto with iFrame.
    iIntros "Hi !>". destruct qs as [|l qs]; simpl.
    - iApply ("HΦ" $! _ (central_items [] [] hss qss)). iFrame "Ho Hos". iSplit.
      { iPureIntro. by left. }
      iSplitL; last by (iPureIntro; intros _; by apply central_items_foreign).
      iSpecialize ("Hq" $! [] with "Hi"). rewrite list_insert_id //.
      iExists [], [], hss, qss. by iFrame.
    - iApply ("HΦ" $! _ (central_items [] [] hss (<[i := qs]> qss))). iFrame "Ho Hos". iSplit.
      { iPureIntro. right. exists l, (Some i). split; first done. split; first by right.
        rewrite -(central_items_inbox _ _ _ (<[i := qs]> qss) i qs (l :: qs)) //.
        - by rewrite list_insert_insert list_insert_id.
        - apply list_lookup_insert. by eapply lookup_lt_Some. }
      iSplitL; last done. iExists [], [], hss, _. iFrame. iSplit; [by iApply "Hq"|done].
  Qed.
End central.
