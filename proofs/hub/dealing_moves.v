(** The dealing hub, moves of tasks: lib/kernel/hub/dealing.ml.

    A move takes a task from a worker's deque to the worker's hand or back, or from the
    hand to the shared queue. No task enters or leaves the model. Moves happen within
    any longer operation; a move gets access to the model through an [R] ([hub_peek]).
    Each operation on the deque ends with [answered]. [answered] wakes the receiver of a
    dealt task, which does not affect the model, and moves the oldest task to the shared
    queue while roles are vacant. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import dealing_code items dealing.
From dromos.hub Require Import dealing_code hub_spec central_code central own_deques guarded.
From dromos.hub Require Import dealing_state.

Section moves.
  Context `{!heapGS Σ, !centralG Σ, !dealingG Σ, !guardedG Σ}.
  Implicit Types (γ : dealing_hub_names) (M : hub_items) (i n : nat) (l : loc).
  Implicit Types (vs : list val) (ms : list loc) (waits : bool) (R : iProp Σ).

  (** ** Presence *)

  Lemma dealing_appear_spec γ n i : i < n →
    {{{ dealing_parts γ n ∗ dealing_present γ i }}}
      hub_dealing_appear (dealing_hub_val γ) #i
    {{{ RET #(); dealing_present γ i }}}.
  Proof.
    iIntros (Hi Φ) "[(_ & _ & #Iv & #Hlen & _) (%b & Hb)] HΦ". wp_rec. wp_pures.
    wp_apply (array_get_cell_spec with "[$Hlen $Hb]"); first lia. iIntros "Hb".
    destruct b; wp_pures; first by iApply "HΦ"; iExists true.
    wp_apply (array_set_cell_spec with "[$Hlen $Hb]"); first lia. iIntros "Hb". wp_pures.
    wp_bind (FAA _ _). iInv "Iv" as (z) ">Hz". wp_faa. iModIntro.
    iSplitL "Hz"; first by iExists _. wp_pures. iApply "HΦ". by iExists true.
  Qed.
  Lemma dealing_disappear_spec γ n i : i < n →
    {{{ dealing_parts γ n ∗ dealing_present γ i }}}
      hub_dealing_disappear (dealing_hub_val γ) #i
    {{{ RET #(); dealing_present γ i }}}.
  Proof.
    iIntros (Hi Φ) "[(_ & _ & #Iv & #Hlen & _) (%b & Hb)] HΦ". wp_rec. wp_pures.
    wp_apply (array_get_cell_spec with "[$Hlen $Hb]"); first lia. iIntros "Hb".
    destruct b; wp_pures; last by iApply "HΦ"; iExists false.
    wp_apply (array_set_cell_spec with "[$Hlen $Hb]"); first lia. iIntros "Hb". wp_pures.
    wp_bind (FAA _ _). iInv "Iv" as (z) ">Hz". wp_faa. iModIntro.
    iSplitL "Hz"; first by iExists _. wp_pures. iApply "HΦ". by iExists false.
  Qed.

  (** ** After each operation that may have dealt *)

  (** A move by worker [i]. The hand has [ms] before and after; the deque has [vs]
      before and [vs'] after. An empty deque stays empty. *)
  Definition dealing_moved γ i ms vs waits R : iProp Σ :=
    (∃ vs', ⌜vs = [] → vs' = []⌝ ∗ dealing_has γ i ms vs' waits) ∗ R.

  Lemma dealing_to_vacant_spec γ n i ms vs waits R :
    dealing_parts γ n -∗ hub_peek (dealing_real γ) R -∗ dealing_has γ i ms vs waits -∗ R -∗
    WP hub_dealing_deal_to_vacant (dealing_hub_val γ) #i
      {{ r, ⌜r = #()⌝ ∗ dealing_moved γ i ms vs waits R }}.
  Proof.
    iIntros "(#I & #Ic & _) #Hpeek [Hc Ho] HR". wp_rec. wp_pures.
    wp_apply (dealing_is_empty_spec with "[$I $Ho]"). iIntros "Ho".
    case_bool_decide as Hvs; wp_pures.
    { iModIntro. iSplit; first done. iFrame "HR". iExists vs. by iFrame. }
    wp_apply (central_has_work_spec with "Ic"). iIntros (b) "_". destruct b; wp_pures.
    { iModIntro. iSplit; first done. iFrame "HR". iExists vs. by iFrame. }
    wp_bind (deque_dealing_oldest _ _). iApply (wp_wand with "[Hc Ho HR]").
    { iApply (deques_carry_more with "Hpeek [Ho] Hc HR").
      iApply (dealing_oldest_takes with "I Ho"). }
    iIntros (r) "(%o & -> & Ho & Hc & HR)". destruct o as [l|]; simpl; wp_pures; last first.
    { iModIntro. iSplit; first done. iFrame "HR". iExists (tail vs). by iFrame. }
    iApply (wp_wand with "[Hc HR]").
    { iApply (central_put_more with "Ic Hpeek Hc HR"). apply deques_part. }
    iIntros (r) "(-> & Hc & $)". iSplit; first done. iExists (tail vs). by iFrame.
  Qed.

  Lemma dealing_answered_spec γ n i ms vs waits R :
    dealing_parts γ n -∗ hub_peek (dealing_real γ) R -∗ dealing_has γ i ms vs waits -∗ R -∗
    WP hub_dealing_answered (dealing_hub_val γ) #i
      {{ r, ⌜r = #()⌝ ∗ dealing_moved γ i ms vs waits R }}.
  Proof.
    iIntros "#Hp #Hpeek [Hc Ho] HR".
    iPoseProof "Hp" as "(I & _ & Iv & _ & (%g & Hg & Hnotify) & _)". wp_rec. wp_pures.
    wp_apply (dealing_dealt_spec with "[$I $Ho]"). iIntros (z) "[%Hz Ho]". wp_pures.
    wp_bind (if: _ then _ else _)%E.
    iApply (wp_wand _ _ _ (λ _, True)%I).
    { case_bool_decide; wp_pures; last done. wp_na_load. wp_bind (g _).
      replace z with (Z.of_nat (Z.to_nat z)) by lia.
      iApply wp_wand; first (iApply "Hnotify"; iPureIntro; lia). by iIntros. }
    iIntros (?) "_". wp_pures. wp_bind (! _)%E. iInv "Iv" as (k) ">Hk". wp_load. iModIntro.
    iSplitL "Hk"; first by iExists k. wp_pures. case_bool_decide; wp_pures; last first.
    { iModIntro. iSplit; first done. iFrame "HR". iExists vs. by iFrame. }
    by iApply (dealing_to_vacant_spec with "Hp Hpeek [$Hc $Ho] HR").
  Qed.

  (** ** Between hand and deque *)

  Lemma dealing_push_deque_spec γ n i l vs waits R :
    dealing_parts γ n -∗ hub_peek (dealing_real γ) R -∗ dealing_has γ i [l] vs waits -∗
    R -∗
    WP hub_dealing_push_deque (dealing_hub_val γ) #i #l
      {{ r, ⌜r = #()⌝ ∗ (∃ vs', dealing_has γ i [] vs' waits) ∗ R }}.
  Proof.
    iIntros "#Hp #Hpeek [Hc Ho] HR". iPoseProof "Hp" as "(I & _)". wp_rec. wp_pures.
    wp_bind (deque_dealing_push _ _ _). iApply (wp_wand with "[Hc Ho HR]").
    { iApply (deques_put with "Hpeek [Ho] Hc HR"). iApply (dealing_push_adds with "I Ho"). }
    iIntros (?) "(-> & (%vs' & Ho) & Hc & HR)". wp_pures.
    iApply (wp_wand with "[Hc Ho HR]").
    { iApply (dealing_answered_spec with "Hp Hpeek [$Hc $Ho] HR"). }
    iIntros (r) "(-> & (%vs'' & _ & Hh) & $)". iSplit; first done. by iExists vs''.
  Qed.

  Lemma dealing_pop_deque_spec γ n i vs waits R :
    dealing_parts γ n -∗ hub_peek (dealing_real γ) R -∗ dealing_has γ i [] vs waits -∗ R -∗
    WP hub_dealing_pop_deque (dealing_hub_val γ) #i
      {{ r, ∃ o : option loc, ⌜r = option_to_val (loc_val <$> o)⌝ ∗
        (∃ vs', ⌜o = None → vs' = []⌝ ∗ dealing_has γ i (option_list o) vs' waits) ∗ R }}.
  Proof.
    iIntros "#Hp #Hpeek [Hc Ho] HR". iPoseProof "Hp" as "(I & _)". wp_rec. wp_pures.
    wp_bind (deque_dealing_pop _ _). iApply (wp_wand with "[Hc Ho HR]").
    { iApply (deques_carry with "Hpeek [Ho] Hc HR"). iApply (dealing_pop_takes with "I Ho"). }
    iIntros (?) "(%o & -> & (%vs' & %Hvs' & Ho) & Hc & HR)". wp_pures.
    wp_bind (hub_dealing_answered _ _). iApply (wp_wand with "[Hc Ho HR]").
    { iApply (dealing_answered_spec with "Hp Hpeek [$Hc $Ho] HR"). }
    iIntros (?) "(-> & (%vs'' & %Hvs'' & Hh) & HR)". wp_pures. iModIntro. iExists o.
    iSplit; first done. iFrame "HR". iExists vs''. iFrame "Hh". iPureIntro.
    intros ->. apply Hvs'', Hvs'. done.
  Qed.

  (** The worker stops waiting. A task that was dealt to the worker meanwhile is pushed
      to the worker's deque. *)
  Lemma dealing_hub_withdraw_spec γ n i vs waits R :
    dealing_parts γ n -∗ hub_peek (dealing_real γ) R -∗ dealing_has γ i [] vs waits -∗ R -∗
    WP hub_dealing_withdraw (dealing_hub_val γ) #i
      {{ r, ⌜r = #()⌝ ∗ (∃ vs', dealing_has γ i [] vs' false) ∗ R }}.
  Proof.
    iIntros "#Hp #Hpeek [Hc Ho] HR". iPoseProof "Hp" as "(I & _)". wp_rec. wp_pures.
    wp_apply (dealing_waits_for_answer_spec with "[$I $Ho]"). iIntros "Ho".
    destruct waits; wp_pures; last by iModIntro; iFrame.
    wp_bind (deque_dealing_withdraw _ _). iApply (wp_wand with "[Hc Ho HR]").
    { iApply (deques_carry with "Hpeek [Ho] Hc HR").
      iApply (dealing_withdraw_takes with "I Ho"). }
    iIntros (r) "(%o & -> & Ho & Hc & HR)". destruct o as [l|]; simpl; wp_pures.
    - iApply (dealing_push_deque_spec with "Hp Hpeek [$Hc $Ho] HR").
    - iModIntro. by iFrame.
  Qed.

  Lemma dealing_hub_tick_moves γ n i vs waits R :
    dealing_parts γ n -∗ hub_peek (dealing_real γ) R -∗ dealing_has γ i [] vs waits -∗ R -∗
    WP hub_dealing_tick (dealing_hub_val γ) #i
      {{ r, ⌜r = #()⌝ ∗ (∃ vs', dealing_has γ i [] vs' waits) ∗ R }}.
  Proof.
    iIntros "#Hp #Hpeek [Hc Ho] HR". iPoseProof "Hp" as "(I & _)". wp_rec. wp_pures.
    wp_apply (dealing_tick_spec with "[$I $Ho]"). iIntros (vs') "[_ Ho]". wp_pures.
    iApply (wp_wand with "[Hc Ho HR]").
    { iApply (dealing_answered_spec with "Hp Hpeek [$Hc $Ho] HR"). }
    iIntros (r) "(-> & (%vs'' & _ & Hh) & $)". iSplit; first done. by iExists vs''.
  Qed.

  (** All tasks of the deque go to the shared queue. *)
  Lemma dealing_give_away_spec γ n i vs waits R :
    dealing_parts γ n -∗ hub_peek (dealing_real γ) R -∗ dealing_has γ i [] vs waits -∗ R -∗
    WP hub_dealing_give_away (dealing_hub_val γ) #i
      {{ r, ⌜r = #()⌝ ∗ dealing_has γ i [] [] waits ∗ R }}.
  Proof.
    iIntros "#Hp #Hpeek Hh HR". iPoseProof "Hp" as "(_ & Ic & _)".
    iLöb as "IH" forall (vs). wp_rec. wp_pures.
    wp_bind (hub_dealing_pop_deque _ _). iApply (wp_wand with "[Hh HR]").
    { iApply (dealing_pop_deque_spec with "Hp Hpeek Hh HR"). }
    iIntros (r) "(%o & -> & (%vs' & %Hvs' & [Hc Ho]) & HR)".
    destruct o as [l|]; simpl; wp_pures; last first.
    { iModIntro. iSplit; first done. rewrite Hvs' //. by iFrame. }
    wp_bind (hub_central_submit _ _ _). iApply (wp_wand with "[Hc HR]").
    { iApply (central_put with "Ic Hpeek Hc HR"). apply deques_part. }
    iIntros (?) "(-> & Hc & HR)". wp_pures. iApply ("IH" with "[$Hc $Ho] HR").
  Qed.
End moves.
