(** The dealing hub, operations of a worker on its own deque: lib/kernel/hub/dealing.ml.

    A push is linearised where the task enters the worker's hand, before all other
    steps, or at Central's submission. A pop is linearised where the pop hands out a
    task that came into the worker's hand from the worker's cell or deque, or at
    Central's pop. A [retract] that finds the given task is linearised where the task
    leaves the hand. A [retract] that finds another task puts this task back and changes
    nothing. All other steps are moves ([dealing_moves.v]). *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import dealing_code items dealing.
From dromos.hub Require Import dealing_code hub_spec central_code central own_deques guarded.
From dromos.hub Require Import dealing_state dealing_moves.

Section ops.
  Context `{!heapGS Σ, !centralG Σ, !dealingG Σ, !guardedG Σ}.
  Implicit Types (γ : dealing_hub_names) (M : hub_items) (i n : nat) (l : loc).
  Implicit Types (vs : list val) (waits : bool) (R Q : iProp Σ).

  (** ** Pushes *)

  Local Lemma push_own_spec γ n i l vs waits : i < n →
    dealing_parts γ n -∗ dealing_has γ i [] vs waits -∗ dealing_present γ i -∗
    guarded_worker (dh_guard γ) i -∗
    <<{ ∀∀ M, dealing_real γ M }>>
      hub_dealing_push_own (dealing_hub_val γ) #i #l @ ↑hubN
    <<{ dealing_real γ (M ⊎ {[+ (l, None) +]}) | RET #(); dealing_hub_owner γ i true }>>.
  Proof.
    iIntros (Hi) "#Hp Hh Hb Hg %Φ AU". iPoseProof (dealing_peek _ _ i with "Hp") as "Hpeek".
    wp_rec. wp_pures. wp_apply (dealing_appear_spec with "[$Hp $Hb]"); first done.
    iIntros "Hb". wp_pures. wp_bind (hub_dealing_withdraw _ _).
    iApply (wp_wand with "[Hh Hg]").
    { iApply (dealing_hub_withdraw_spec with "Hp Hpeek Hh Hg"). }
    iIntros (?) "(-> & (%vs' & Hh) & Hg)". wp_pures.
    iMod (dealing_accept with "Hh AU") as "[Hh HΦ]".
    iApply (wp_wand with "[Hh Hg]").
    { iApply (dealing_push_deque_spec with "Hp Hpeek Hh Hg"). }
    iIntros (?) "(-> & (%vs'' & Hh) & Hg)". iApply "HΦ".
    iApply (dealing_hub_owner_intro with "Hh Hb Hg").
  Qed.

  (** Claim: [push] adds a task for any worker, at one instant. *)
  Lemma dealing_hub_push_spec o γ n i (r : Z) l : i < n →
    dealing_hub_inv o γ n -∗ dealing_hub_owner γ i true -∗
    <<{ ∀∀ M, dealing_hub_model γ M }>>
      h_push o #i #r #l @ ↑hub_allN
    <<{ dealing_hub_model γ (M ⊎ {[+ (l, None) +]}) | RET #(); dealing_hub_owner γ i true }>>.
  Proof.
    iIntros (Hi) "[-> #Hp] Howner". iPoseProof "Hp" as "(_ & Ic & _ & _ & _ & Ig & _)".
    iApply (guarded_add with "Ig"). iIntros (Φ) "AU". simpl. wp_pures. wp_rec. wp_pures.
    iAssert (dealing_hub_owner γ i true -∗
      AU <{ ∃∃ M, dealing_real γ M }> @ ⊤ ∖ ↑hubN, ∅
         <{ dealing_real γ (M ⊎ {[+ (l, None) +]}),
            COMM dealing_hub_owner γ i true -∗ Φ #() }> -∗
      WP hub_dealing_push_own (dealing_hub_val γ) #i #l {{ Φ }})%I as "Hown".
    { iIntros "((%vs & %waits & Hh & _) & Hb & Hg) AU".
      by iApply (push_own_spec with "Hp Hh Hb Hg"). }
    iAssert (dealing_hub_owner γ i true -∗
      AU <{ ∃∃ M, dealing_real γ M }> @ ⊤ ∖ ↑hubN, ∅
         <{ dealing_real γ (M ⊎ {[+ (l, None) +]}),
            COMM dealing_hub_owner γ i true -∗ Φ #() }> -∗
      WP hub_central_submit (dh_central_val γ) #r #l {{ Φ }})%I as "Hcentral".
    { iIntros "Ho AU". iApply (hub_part_add with "[] Ho AU"); first apply deques_part.
      by iApply central_submit_spec. }
    case_bool_decide; wp_pures; first by iApply ("Hown" with "Howner AU").
    case_bool_decide; wp_pures; first by iApply ("Hown" with "Howner AU").
    case_bool_decide; wp_pures; iApply ("Hcentral" with "Howner AU").
  Qed.

  (** Claim: [submit], called by any thread, adds a task for any worker, at one
      instant. *)
  Lemma dealing_hub_submit_spec o γ n (r : Z) l :
    dealing_hub_inv o γ n -∗
    <<{ ∀∀ M, dealing_hub_model γ M }>>
      h_submit o #r #l @ ↑hub_allN
    <<{ dealing_hub_model γ (M ⊎ {[+ (l, None) +]}) | RET #() }>>.
  Proof.
    iIntros "[-> (_ & #Ic & _ & _ & _ & #Ig & _)]".
    iApply (guarded_add_any with "Ig"). iIntros (Φ) "AU". simpl. wp_pures.
    iApply (hub_part_submit with "[] AU"); first apply deques_part.
    by iApply central_submit_spec.
  Qed.

  (** Claim: [submit_to i] adds a task for worker [i] alone, at one instant. *)
  Lemma dealing_hub_submit_to_spec o γ n i (r : Z) l : i < n →
    dealing_hub_inv o γ n -∗
    <<{ ∀∀ M, dealing_hub_model γ M }>>
      h_submit_to o #i #r #l @ ↑hub_allN
    <<{ dealing_hub_model γ (M ⊎ {[+ (l, Some i) +]}) | RET #() }>>.
  Proof.
    iIntros (Hi) "[-> (_ & #Ic & _ & _ & _ & #Ig & _)]".
    iApply (guarded_add_any with "Ig"). iIntros (Φ) "AU". simpl. wp_pures.
    iApply (hub_part_submit with "[] AU"); first apply deques_part.
    by iApply central_submit_to_spec.
  Qed.

  (** ** Pops *)

  Local Lemma pop_own_first_try γ n i vs waits : i < n →
    dealing_parts γ n -∗ dealing_has γ i [] vs waits -∗
    hub_try (dealing_real γ) i (hub_dealing_pop_own_first (dealing_hub_val γ) #i)
      (∃ vs' waits', dealing_has γ i [] vs' waits').
  Proof.
    iIntros (Hi) "#Hp [Hc Ho] %Q %Φ AU". iPoseProof "Hp" as "(I & Ic & _)".
    wp_rec. wp_pures. wp_bind (deque_dealing_withdraw _ _).
    iApply (wp_wand with "[Hc Ho AU]").
    { iApply (deques_carry with "[] [Ho] Hc AU"); first iApply hub_peek_take.
      iApply (dealing_withdraw_takes with "I Ho"). }
    iIntros (?) "(%o & -> & Ho & Hc & AU)". destruct o as [l|]; simpl; wp_pures.
    { iMod (dealing_hand_out _ _ (Some l) with "[$Hc $Ho] AU") as "[Hh $]".
      iModIntro. iExists vs, false. iFrame "Hh". }
    wp_bind (hub_dealing_pop_deque _ _). iApply (wp_wand with "[Hc Ho AU]").
    { iApply (dealing_pop_deque_spec with "Hp [] [$Hc $Ho] AU"). iApply hub_peek_take. }
    iIntros (?) "(%o & -> & (%vs' & _ & Hh) & AU)".
    iMod (dealing_hand_out with "Hh AU") as "[[Hc Ho] Htried]".
    destruct o as [l|]; simpl; wp_pures.
    { iModIntro. iFrame. }
    iDestruct "Htried" as "[[_ AU]|(%l & %Heq & _)]"; last done.
    iApply (wp_wand with "[Hc AU]").
    { iApply (hub_part_try with "[Hc] AU"); first apply deques_part.
      by iApply (central_pop_spec with "Ic Hc"). }
    iIntros (r) "[Hc $]". iFrame.
  Qed.

  (** A fair pop of Central, with the two functions of the dealing deques. *)
  Local Lemma pop_fairly_central_try γ n i vs waits : i < n →
    dealing_parts γ n -∗ dealing_has γ i [] vs waits -∗
    hub_try (dealing_real γ) i (hub_central_pop_fairly (dh_central_val γ) #i
        (dealing_size_fun (dh_deques_val γ), dealing_oldest_fun (dh_deques_val γ))%V)
      (∃ vs' waits', dealing_has γ i [] vs' waits').
  Proof.
    iIntros (Hi) "#Hp [Hc Ho] %Q %Φ AU". iPoseProof "Hp" as "(I & Ic & _)".
    iApply (wp_wand with "[Hc Ho AU]").
    { iApply (central_pop_fairly_spec _ _ _ _ _ _ _
        (∃ vs waits, dealing_owner (dh_deques γ) i vs waits)%I
        with "Ic Hc [Ho] [] [] AU"); [done|apply deques_part|by iExists vs, waits|..].
      - iIntros "!> (%vs' & %waits' & Ho)". wp_lam.
        wp_apply (dealing_size_spec with "[$I $Ho]"). iIntros "Ho".
        iExists (Z.of_nat (length vs')). iSplit; first done. iExists vs', waits'. iFrame.
      - clear vs waits Q Φ. iIntros "!> (%vs & %waits & Ho) %Q %Φ AU". wp_lam.
        iApply (wp_wand with "[Ho AU]").
        { iApply (deques_try with "[Ho] AU"). iApply (dealing_oldest_takes with "I Ho"). }
        iIntros (r) "(%o & -> & Ho & $)". iExists (tail vs), waits. iFrame. }
    iIntros (r) "[[Hc (%vs' & %waits' & Ho)] $]". iExists vs', waits'. iFrame.
  Qed.

  Local Lemma pop_try γ n i : i < n →
    dealing_parts γ n -∗ dealing_hub_owner γ i true -∗
    hub_try (dealing_real γ) i (hub_dealing_pop (dealing_hub_val γ) #i)
      (dealing_hub_owner γ i true).
  Proof.
    iIntros (Hi) "#Hp ((%vs & %waits & [Hc Ho] & _) & Hb & Hg) %Q %Φ AU".
    iPoseProof "Hp" as "(I & Ic & _)". iPoseProof (dealing_peek _ _ i with "Hp") as "Hpeek".
    iAssert (∀ vs waits, dealing_has γ i [] vs waits -∗ dealing_present γ i -∗
      guarded_worker (dh_guard γ) i -∗ hub_take_au (dealing_real γ) i Q Φ -∗
      WP hub_dealing_pop_own_first (dealing_hub_val γ) #i
        {{ r, dealing_hub_owner γ i true ∗ hub_tried (dealing_real γ) i Q Φ r }})%I
      as "Hfirst".
    { clear vs waits. iIntros (vs waits) "Hh Hb Hg AU". iApply (wp_wand with "[Hh AU]").
      { by iApply (pop_own_first_try with "Hp Hh AU"). }
      iIntros (r) "[(%vs' & %waits' & Hh) $]".
      iApply (dealing_hub_owner_intro with "Hh Hb Hg"). }
    wp_rec. wp_pures. wp_apply (central_fair_spec with "[$Ic $Hc]"); first done.
    iIntros (b) "Hc". destruct b; wp_pures; last by iApply ("Hfirst" with "[$Hc $Ho] Hb Hg").
    wp_rec. wp_pures. wp_bind (hub_central_pop_fairly _ _ _).
    iApply (wp_wand with "[Hc Ho AU]").
    { by iApply (pop_fairly_central_try with "Hp [$Hc $Ho] AU"). }
    iIntros (r) "[(%vs' & %waits' & Hh) Htried]".
    iDestruct "Htried" as "[[-> AU]|(%l & -> & HΦ)]"; wp_pures.
    { by iApply ("Hfirst" with "Hh Hb Hg"). }
    wp_bind (hub_dealing_withdraw _ _). iApply (wp_wand with "[Hh Hg]").
    { iApply (dealing_hub_withdraw_spec with "Hp Hpeek Hh Hg"). }
    iIntros (?) "(-> & (%vs'' & Hh) & Hg)". wp_pures.
    wp_bind (hub_dealing_tick _ _). iApply (wp_wand with "[Hh Hg]").
    { iApply (dealing_hub_tick_moves with "Hp Hpeek Hh Hg"). }
    iIntros (?) "(-> & (%vs''' & Hh) & Hg)". wp_pures. iModIntro.
    iSplitL "Hh Hb Hg"; first by iApply (dealing_hub_owner_intro with "Hh Hb Hg").
    iRight. iExists l. by iFrame.
  Qed.

  (** Claim: [pop i] takes a task that worker [i] may run, at one instant, or
      nothing. *)
  Lemma dealing_hub_pop_spec o γ n i : i < n →
    dealing_hub_inv o γ n -∗ dealing_hub_owner γ i true -∗
    <<{ ∀∀ M, dealing_hub_model γ M }>>
      h_pop o #i @ ↑hub_allN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ dealing_hub_model γ M'
      | RET r; dealing_hub_owner γ i true }>>.
  Proof.
    iIntros (Hi) "[-> #Hp] Howner". iPoseProof "Hp" as "(_ & _ & _ & _ & _ & Ig & _)".
    iApply (guarded_try with "Ig"). iIntros (Q Φ) "AU". simpl. wp_pures.
    by iApply (pop_try with "Hp Howner").
  Qed.

  (** ** Other operations *)

  (** Claim: A [retract] with success has taken exactly the given task, at one instant;
      a [retract] without success has changed nothing. *)
  Lemma dealing_hub_retract_spec o γ n i l : i < n →
    dealing_hub_inv o γ n -∗ dealing_hub_owner γ i true -∗
    <<{ ∀∀ M, dealing_hub_model γ M }>>
      h_retract o #i #l @ ↑hub_allN
    <<{ ∃∃ (b : bool) M',
        ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗
        dealing_hub_model γ M'
      | RET #b; dealing_hub_owner γ i true }>>.
  Proof.
    iIntros (Hi) "[-> #Hp] ((%vs & %waits & Hh & _) & Hb & Hg)".
    iPoseProof "Hp" as "(I & Ic & _ & _ & _ & Ig & _)".
    iApply (guarded_retract with "Ig"). iIntros (Φ) "AU". simpl. wp_pures. wp_rec. wp_pures.
    wp_bind (hub_dealing_pop_deque _ _). iApply (wp_wand with "[Hh AU]").
    { iApply (dealing_pop_deque_spec with "Hp [] Hh AU"). iApply hub_peek_au. }
    iIntros (?) "(%o & -> & (%vs' & _ & Hh) & AU)".
    destruct o as [l'|]; simpl; wp_pures; last first.
    { iApply (hub_retract_nothing with "AU").
      iApply (dealing_hub_owner_intro with "Hh Hb Hg"). }
    case_bool_decide as Heq; wp_pures.
    - injection Heq as ->. iMod (fupd_mask_subseteq (⊤ ∖ ↑hubN)) as "Hclose"; first done.
      iMod "AU" as (M) "[HM [_ Hcommit]]".
      iMod (dealing_release with "Hh HM") as (M') "(-> & Hh & HM)".
      iMod ("Hcommit" $! true M' with "[$HM]") as "HΦ".
      { iPureIntro. exists None. split; [by left|done]. }
      iMod "Hclose". iModIntro. iApply "HΦ".
      iApply (dealing_hub_owner_intro with "Hh Hb Hg").
    - wp_bind (hub_dealing_push_deque _ _ _). iApply (wp_wand with "[Hh AU]").
      { iApply (dealing_push_deque_spec with "Hp [] Hh AU"). iApply hub_peek_au. }
      iIntros (?) "(-> & (%vs'' & Hh) & AU)". wp_pures. iApply (hub_retract_nothing with "AU").
      iApply (dealing_hub_owner_intro with "Hh Hb Hg").
  Qed.

  Lemma dealing_hub_has_work_spec o γ n i b : i < n →
    {{{ dealing_hub_inv o γ n ∗ dealing_hub_owner γ i b }}}
      h_has_work o #i
    {{{ (r : bool), RET #r; dealing_hub_owner γ i b }}}.
  Proof.
    iIntros (Hi Φ) "[[-> (#I & #Ic & _)] ((%vs & %waits & [Hc Ho] & %Hb) & Hb & Hg)] HΦ".
    simpl. wp_pures. wp_rec. wp_pures. wp_apply (dealing_is_empty_spec with "[$I $Ho]").
    iIntros "Ho". iAssert (dealing_hub_owner γ i b) with "[Hc Ho Hb Hg]" as "Hown".
    { iFrame "Hb Hg". iExists vs, waits. by iFrame. }
    case_bool_decide; wp_pures; last by iApply "HΦ".
    wp_apply (central_has_work_spec with "Ic"). iIntros (r) "_". by iApply "HΦ".
  Qed.

  (** Claim: [tick] may deal a task, and may move a task to the shared queue; no task
      enters or leaves the hub. *)
  Lemma dealing_hub_tick_spec o γ n i : i < n →
    {{{ dealing_hub_inv o γ n ∗ dealing_hub_owner γ i true }}}
      h_tick o #i
    {{{ RET #(); dealing_hub_owner γ i true }}}.
  Proof.
    iIntros (Hi Φ) "[[-> #Hp] ((%vs & %waits & Hh & _) & Hb & Hg)] HΦ".
    iPoseProof (dealing_peek _ _ i with "Hp") as "Hpeek". simpl. wp_pures.
    iApply (wp_wand with "[Hh Hg]").
    { iApply (dealing_hub_tick_moves with "Hp Hpeek Hh Hg"). }
    iIntros (?) "(-> & (%vs' & Hh) & Hg)". iApply "HΦ".
    iApply (dealing_hub_owner_intro with "Hh Hb Hg").
  Qed.

  (** Claim: [retire] gives the worker's tasks to all workers, and afterwards the worker
      waits for no task; no task enters or leaves the hub. *)
  Lemma dealing_hub_retire_spec o γ n i : i < n →
    {{{ dealing_hub_inv o γ n ∗ dealing_hub_owner γ i true }}}
      h_retire o #i
    {{{ RET #(); dealing_hub_owner γ i false }}}.
  Proof.
    iIntros (Hi Φ) "[[-> #Hp] ((%vs & %waits & Hh & _) & Hb & Hg)] HΦ".
    iPoseProof (dealing_peek _ _ i with "Hp") as "Hpeek". simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (dealing_disappear_spec with "[$Hp $Hb]"); first done. iIntros "Hb". wp_pures.
    wp_bind (hub_dealing_withdraw _ _). iApply (wp_wand with "[Hh Hg]").
    { iApply (dealing_hub_withdraw_spec with "Hp Hpeek Hh Hg"). }
    iIntros (?) "(-> & (%vs' & Hh) & Hg)". wp_pures. iApply (wp_wand with "[Hh Hg]").
    { iApply (dealing_give_away_spec with "Hp Hpeek Hh Hg"). }
    iIntros (?) "(-> & Hh & Hg)". iApply "HΦ". iFrame "Hb Hg". iExists [], false.
    by iFrame.
  Qed.
End ops.
