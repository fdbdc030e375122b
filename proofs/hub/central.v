(** The queues that all hubs share (Central), fair pops: lib/kernel/hub/central.ml.
    Import this file: it exports the other files of Central.

    A fair pop looks at one place. If the pop takes a task there, the pop is linearised
    at this look; otherwise the pop gives up. A yielding task goes into the worker's
    hand, and from the hand into the deferred queue. Both steps leave the model as it
    is.

    The argument [own_deque] is a pair of functions on the worker's deque. Both
    functions need the ownership of the deque, [K], and give [K] back. The proof needs
    only to know that [size] returns a number. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import queue_code queue.
From dromos.hub Require Import hub_spec central_code.
From dromos.hub Require Export taking central_state central_items central_ops central_taking.

Section central.
  Context `{!heapGS Σ, !centralG Σ}.
  Implicit Types (γ : central_names) (t : val) (M : hub_items) (i n : nat) (l local : loc).
  Implicit Types (x : central_local) (HM : hub_items → iProp Σ) (K : iProp Σ).

  Local Lemma carries_block γ i ls :
    central_carries γ i ls -∗ ∃ x, ⌜central_name_locals γ !! i = Some x⌝ ∗ central_fields x ∗
      (central_fields x -∗ central_carries γ i ls).
  Proof.
    iIntros "(%x & %Hi & Hf & Hh)". iExists x. iFrame "Hf". iSplit; first done.
    iIntros "Hf". iExists x. by iFrame.
  Qed.

  (** Moves the task in the worker's hand to the deferred queue. *)
  Local Lemma deferred_push_spec γ deferred i l HM Q Φ :
    hub_part (central_model γ) HM →
    queue_inv hubN (central_name_deferred γ) deferred -∗ central_carries γ i [l] -∗
    hub_take_au HM i Q Φ -∗
    WP base_queue_push deferred #l
      {{ r, ⌜r = #()⌝ ∗ central_owner γ i ∗ hub_take_au HM i Q Φ }}.
  Proof.
    iIntros (Hpart) "#Ia Hc AU". awp_apply (queue_push_spec with "Ia").
    rewrite /hub_take_au. iApply (aacc_aupd_abort with "AU"); first done. iIntros (M) "HM".
    iDestruct (Hpart with "HM") as (C D ->) "[HC Hclose]".
    iDestruct "HC" as (ys zs hss qss) "[(Hy & Hz & Hh & Hq) ->]". iAaccIntro with "Hz".
    { iIntros "Hz !>". iFrame "Hc". iSplitL; last by eauto. iApply "Hclose".
      iExists ys, zs, hss, qss. by iFrame. }
    iIntros "Hz".
    iMod (central_release with "Hc [Hy Hz Hh Hq]") as (C') "(%HC & Hc & HC)".
    { iExists ys, (zs ++ [l]), hss, qss. rewrite /central_parts fmap_app. by iFrame. }
    rewrite (central_items_deferred _ zs _ l) in HC; last by rewrite -Permutation_cons_append.
    apply (inj (.⊎ {[+ (l, None) +]})) in HC as <-. iDestruct ("Hclose" with "HC") as "$".
    iIntros "!> AU !>". by iFrame.
  Qed.

  (** A write and a read of the field [older], which only fair pops use. *)
  Local Lemma set_older_spec γ i x ls (d : Z) :
    central_name_locals γ !! i = Some x →
    {{{ central_carries γ i ls }}}
      (#(cl_block x +ₗ 3)) <-na #d
    {{{ RET #(); central_carries γ i ls }}}.
  Proof.
    iIntros (Hi Φ) "H HΦ". iDestruct (carries_block with "H") as (x' Hx') "[Hf Hclose]".
    simplify_eq. iDestruct "Hf" as (pops turn older seed fi) "(H1 & H2 & H3 & H4 & H5)".
    wp_na_store. iApply "HΦ". iModIntro. iApply "Hclose".
    iExists pops, turn, d, seed, fi. by iFrame.
  Qed.
  Local Lemma get_older_spec γ i x ls :
    central_name_locals γ !! i = Some x →
    {{{ central_carries γ i ls }}}
      !na (#(cl_block x +ₗ 3))
    {{{ (d : Z), RET #d; central_carries γ i ls }}}.
  Proof.
    iIntros (Hi Φ) "H HΦ". iDestruct (carries_block with "H") as (x' Hx') "[Hf Hclose]".
    simplify_eq. iDestruct "Hf" as (pops turn older seed fi) "(H1 & H2 & H3 & H4 & H5)".
    wp_na_load. iApply "HΦ". iModIntro. iApply "Hclose".
    iExists pops, turn, older, seed, fi. by iFrame.
  Qed.

  Local Lemma pop_ready_try γ t n i x (size oldest : val) HM K :
    hub_part (central_model γ) HM → central_name_locals γ !! i = Some x →
    central_inv γ t n -∗ central_owner γ i -∗ K -∗
    □ (K -∗ WP size #i {{ v, ∃ z : Z, ⌜v = #z⌝ ∗ K }}) -∗
    hub_try HM i (hub_central_pop_ready t #(cl_block x) (size, oldest)%V #i)
      (central_owner γ i ∗ K).
  Proof.
    iIntros (Hpart Hi) "#Hinv H HK #Hsize %Q %Φ AU". iPoseProof "Hinv" as "Hi".
    iDestruct "Hi" as (shared deferred locals nf ->) "(%Hn & Is & Ia & _)".
    wp_rec. wp_pures. awp_apply (central_shared_pop_spec with "Is") without "HK".
    rewrite /hub_take_au. iApply (aacc_aupd with "AU"); first done. iIntros (M) "HM".
    iDestruct (Hpart with "HM") as (C D ->) "[HC Hclose]". iAaccIntro with "HC".
    { iIntros "HC !>". iDestruct ("Hclose" with "HC") as "$". iFrame "H". by iIntros "$". }
    iIntros (o C') "[HC ->]". destruct o as [[b l]|]; simpl; last first.
    { iModIntro. iLeft. iDestruct ("Hclose" with "HC") as "$". iIntros "AU !> HK". wp_pures.
      iModIntro. iFrame. iLeft. by iFrame. }
    destruct b.
    - (* A yielding task: into the hand, then into the deferred queue *)
      iMod (central_hold with "H HC") as "[H HC]". iModIntro. iLeft.
      iDestruct ("Hclose" with "HC") as "$". iIntros "AU !> HK". wp_pures. wp_rec. wp_pures.
      wp_apply (get_older_spec with "H"); first exact Hi. iIntros (d) "H". wp_pures.
      wp_bind (if: _ then _ else _)%E.
      iApply (wp_wand _ _ _ (λ _, central_carries γ i [l] ∗ K)%I with "[H HK]").
      { case_bool_decide; wp_pures; last by iFrame.
        wp_bind (size _). iApply (wp_wand with "[HK]"); first by iApply "Hsize".
        iIntros (v) "(%z & -> & HK)". wp_pures.
        wp_apply (set_older_spec with "H"); first exact Hi. iIntros "H". iFrame. }
      iIntros (v) "[H HK]". wp_pures. wp_bind (base_queue_push _ _).
      iApply (wp_wand with "[H AU]"); first by iApply (deferred_push_spec with "Ia H AU").
      iIntros (r) "(-> & H & AU)". wp_pures.
      wp_apply (central_notify_others_spec _ _ _ _ 0 with "Hinv"). iIntros "_". wp_pures.
      iModIntro. iFrame. iLeft. by iFrame.
    - iModIntro. iRight. iExists (SOMEV #l), (C' ⊎ D). iDestruct ("Hclose" with "HC") as "$".
      iSplit.
      { iPureIntro. right. exists l, None. split; first done. split; first by left.
        multiset_solver. }
      iIntros "HΦ !> HK". wp_pures. iModIntro. iFrame. iRight. by eauto.
  Qed.

  Local Lemma pop_deferred_try γ t n i x (size oldest : val) HM K :
    hub_part (central_model γ) HM → central_name_locals γ !! i = Some x →
    central_inv γ t n -∗ central_owner γ i -∗ K -∗
    □ (K -∗ WP size #i {{ v, ∃ z : Z, ⌜v = #z⌝ ∗ K }}) -∗
    □ (K -∗ hub_try HM i (oldest #i)%E K) -∗
    hub_try HM i (hub_central_pop_deferred t #(cl_block x) (size, oldest)%V #i)
      (central_owner γ i ∗ K).
  Proof.
    iIntros (Hpart Hi) "#Hinv H HK #Hsize #Holdest %Q %Φ AU".
    iDestruct "Hinv" as (shared deferred locals nf ->) "(%Hn & Is & Ia & _)".
    wp_rec. wp_pures. wp_apply (get_older_spec with "H"); first exact Hi. iIntros (d) "H".
    wp_pures. case_bool_decide; wp_pures.
    - wp_apply (get_older_spec with "H"); first exact Hi. iIntros (d') "H". wp_pures.
      wp_apply (set_older_spec with "H"); first exact Hi. iIntros "H". wp_pures.
      iApply (wp_wand with "[HK AU]"); first by iApply ("Holdest" with "HK AU").
      iIntros (r) "[$ $]". by iFrame.
    - wp_bind (base_queue_pop _). iApply (wp_wand with "[AU]").
      { iApply (hub_part_try with "[] AU"); first exact Hpart. by iApply central_deferred_pop_spec. }
      iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; wp_pures.
      { iModIntro. iFrame. iLeft. by iFrame. }
      wp_bind (size _). iApply (wp_wand with "[HK]"); first by iApply "Hsize".
      iIntros (v) "(%z & -> & HK)". wp_pures.
      wp_apply (set_older_spec with "H"); first exact Hi. iIntros "H". wp_pures.
      iModIntro. iFrame. iRight. by eauto.
  Qed.

  (** Claim: [pop_fairly] tries to take one task: from the shared queue, from the inbox,
      or from the deferred tasks and the oldest task of the deque. A yielding task that
      [pop_fairly] carries never leaves the model. *)
  Lemma central_pop_fairly_spec γ t n i (size oldest : val) HM K : i < n →
    hub_part (central_model γ) HM →
    central_inv γ t n -∗ central_owner γ i -∗ K -∗
    □ (K -∗ WP size #i {{ v, ∃ z : Z, ⌜v = #z⌝ ∗ K }}) -∗
    □ (K -∗ hub_try HM i (oldest #i)%E K) -∗
    hub_try HM i (hub_central_pop_fairly t #i (size, oldest)%V) (central_owner γ i ∗ K).
  Proof.
    iIntros (Hin Hpart) "#Hinv H HK #Hsize #Holdest %Q %Φ AU".
    iPoseProof "Hinv" as "Hi".
    iDestruct "Hi" as (shared deferred locals nf ->) "(%Hn & Is & Ia & Il & _)".
    destruct (lookup_lt_is_Some_2 (central_name_locals γ) i) as [x Hi]; first lia.
    iDestruct (central_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    wp_rec. wp_pures.
    wp_apply (central_local_get_spec with "Il"); first exact Hi. iIntros "_". wp_pures.
    iDestruct (carries_block with "H") as (x' Hx') "[Hf Hclose]". simplify_eq.
    iDestruct "Hf" as (pops turn older seed fi) "(H1 & H2 & H3 & H4 & H5)". wp_na_load. wp_pures.
    wp_bind (if: _ then _ else _)%E.
    iApply (wp_wand _ _ _ (λ v, ∃ turn' : Z, ⌜v = #turn'⌝ ∗ (cl_block x +ₗ 2) ↦na #turn)%I
      with "[H2]").
    { case_bool_decide; wp_pures; first by eauto. wp_na_load. wp_pures. eauto. }
    iIntros (v) "(%turn' & -> & H2)". wp_pures. wp_na_store.
    iDestruct ("Hclose" with "[H1 H2 H3 H4 H5]") as "H".
    { iExists pops, turn', older, seed, fi. by iFrame. }
    wp_pures. case_bool_decide; wp_pures.
    { iApply (pop_ready_try with "Hinv H HK Hsize AU"); done. }
    case_bool_decide; wp_pures.
    - wp_load. iApply (wp_wand with "[AU]").
      { iApply (hub_part_try with "[] AU"); first exact Hpart. by iApply central_inbox_pop_spec. }
      iIntros (r) "[_ $]". by iFrame.
    - iApply (pop_deferred_try with "Hinv H HK Hsize Holdest AU"); done.
  Qed.
End central.
