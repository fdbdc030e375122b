(** The dealing hub, [steal]: lib/kernel/hub/dealing.ml.

    A [steal] looks into the worker's deque, for a task that came during a withdrawal.
    Then the [steal] looks into the worker's cell, where the worker waits from then on,
    and finally into Central.

    While only the caller acts, all other workers have retired, so no worker deals. An
    empty deque stays empty, and an empty cell shows that no deque has a task
    ([dealing_quiet.v]). Therefore all remaining tasks are in the inboxes of other
    workers. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import dealing_code items others dealing dealing_quiet.
From dromos.hub Require Import dealing_code hub_spec central_code central own_deques guarded.
From dromos.hub Require Import dealing_state dealing_moves.

Section steal.
  Context `{!heapGS Σ, !centralG Σ, !dealingG Σ, !guardedG Σ}.
  Implicit Types (γ : dealing_hub_names) (M : hub_items) (i j n : nat) (l : loc).
  Implicit Types (vs : list val) (waits : bool) (R Q : iProp Σ).

  Local Lemma steal_try γ n i : i < n →
    dealing_parts γ n -∗ dealing_hub_owner γ i true -∗
    hub_try (dealing_real γ) i (hub_dealing_steal (dealing_hub_val γ) #i)
      (dealing_hub_owner γ i true).
  Proof.
    iIntros (Hi) "#Hp ((%vs & %waits & Hh & _) & Hb & Hg) %Q %Φ AU".
    iPoseProof "Hp" as "(I & Ic & _)". iPoseProof (dealing_peek _ _ i with "Hp") as "Hpeek".
    wp_rec. wp_pures. wp_bind (hub_dealing_pop_deque _ _). iApply (wp_wand with "[Hh AU]").
    { iApply (dealing_pop_deque_spec with "Hp [] Hh AU"). iApply hub_peek_take. }
    iIntros (?) "(%o & -> & (%vs' & _ & Hh) & AU)".
    iMod (dealing_hand_out with "Hh AU") as "[Hh Htried]".
    destruct o as [l|]; simpl; wp_pures.
    { iModIntro. iFrame "Htried". iApply (dealing_hub_owner_intro with "Hh Hb Hg"). }
    iDestruct "Htried" as "[[_ AU]|(%l & %Heq & _)]"; last done. iDestruct "Hh" as "[Hc Ho]".
    wp_bind (deque_dealing_steal _ _ _). iApply (wp_wand with "[Hc Ho AU]").
    { iApply (deques_carry with "[] [Ho] Hc AU"); first iApply hub_peek_take.
      iApply (dealing_steal_takes with "I Ho"). }
    iIntros (?) "(%o & -> & (%waits' & Ho) & Hc & AU)".
    iMod (dealing_hand_out with "[$Hc $Ho] AU") as "[Hh Htried]". wp_pures.
    wp_apply (dealing_appear_spec with "[$Hp $Hb]"); first done. iIntros "Hb".
    destruct o as [l|]; simpl; wp_pures.
    { iModIntro. iFrame "Htried". iApply (dealing_hub_owner_intro with "Hh Hb Hg"). }
    iDestruct "Htried" as "[[_ AU]|(%l & %Heq & _)]"; last done. iDestruct "Hh" as "[Hc Ho]".
    wp_bind (hub_central_steal _ _). iApply (wp_wand with "[Hc AU]").
    { iApply (hub_part_try with "[Hc] AU"); first apply deques_part.
      by iApply (central_steal_spec with "Ic Hc"). }
    iIntros (r) "[Hc [[-> AU]|(%l & -> & HΦ)]]"; wp_pures.
    { iModIntro. iSplitR "AU"; last by iLeft; iFrame.
      iApply (dealing_hub_owner_intro with "[$Hc $Ho] Hb Hg"). }
    wp_bind (hub_dealing_withdraw _ _). iApply (wp_wand with "[Hc Ho Hg]").
    { iApply (dealing_hub_withdraw_spec with "Hp Hpeek [$Hc $Ho] Hg"). }
    iIntros (?) "(-> & (%vs'' & Hh) & Hg)". wp_pures. iModIntro.
    iSplitL "Hh Hb Hg"; first by iApply (dealing_hub_owner_intro with "Hh Hb Hg").
    iRight. iExists l. by iFrame.
  Qed.

  (** Claim: [steal i] takes a task that worker [i] may run, at one instant, or
      nothing. *)
  Lemma dealing_hub_steal_spec o γ n i : i < n →
    dealing_hub_inv o γ n -∗ dealing_hub_owner γ i true -∗
    <<{ ∀∀ M, dealing_hub_model γ M }>>
      h_steal o #i @ ↑hub_allN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ dealing_hub_model γ M'
      | RET r; dealing_hub_owner γ i true }>>.
  Proof.
    iIntros (Hi) "[-> #Hp] Howner". iPoseProof "Hp" as "(_ & _ & _ & _ & _ & Ig & _)".
    iApply (guarded_try with "Ig"). iIntros (Q Φ) "AU". simpl. wp_pures.
    by iApply (steal_try with "Hp Howner").
  Qed.

  (** ** While only the caller acts *)

  (** The resources of the other workers, without their tokens. *)
  Local Definition others_retired γ n i : iProp Σ :=
    ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner (dh_central γ) j) ∗
    ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → dealing_owner (dh_deques γ) j [] false).

  (** The caller, which owns the model, takes the task in the hand, if there is one. *)
  Local Lemma quiet_hand_out γ i (o : option loc) vs waits M :
    dealing_has γ i (option_list o) vs waits -∗ dealing_real γ M ==∗
    ∃ M', ⌜hub_taken i M (option_to_val (loc_val <$> o)) M'⌝ ∗
      dealing_has γ i [] vs waits ∗ dealing_real γ M'.
  Proof.
    iIntros "Hh HM". destruct o as [l|]; simpl; last first.
    { iModIntro. iExists M. iFrame. iPureIntro. by left. }
    iMod (dealing_release with "Hh HM") as (M') "(-> & $ & $)". iPureIntro.
    right. exists l, None. split; first done. split; [by left|done].
  Qed.

  Local Lemma deque_steal_quiet γ n i waits M : i < n →
    dealing_parts γ n -∗ dealing_has γ i [] [] waits -∗ dealing_real γ M -∗
    others_retired γ n i -∗
    WP deque_dealing_steal (dh_deques_val γ) #i #i {{ r, ∃ (o : option loc) C ls waits',
      ⌜r = option_to_val (loc_val <$> o)⌝ ∗ ⌜hub_taken i M r (C ⊎ deque_items ls)⌝ ∗
      ⌜o = None → ls = []⌝ ∗ dealing_has γ i [] [] waits' ∗
      central_model (dh_central γ) C ∗ dealing_model (dh_deques γ) (deque_vals ls) ∗
      others_retired γ n i }}.
  Proof.
    iIntros (Hi) "(#I & _) [Hc Ho] (%C & %ls & -> & HC & HD) [Hcs Hds]".
    iApply (wp_wand with "[Ho HD Hds]").
    { by iApply (dealing_steal_quiet_spec with "I Ho HD Hds"). }
    iIntros (r) "(%o & %D' & %waits' & -> & %HD & %Hnone & Ho & HD & Hds)".
    apply deque_vals_take in HD as [[-> ->]|(l & ls' & -> & Hls & ->)].
    - iExists None, C, ls, waits'. iFrame. iPureIntro. split; first done.
      split; first by left. intros _. by apply deque_vals_empty, Hnone.
    - iExists (Some l), C, ls', waits'. iFrame. iPureIntro. split; first done.
      split; last done. right. exists l, None. split; first done. split; first by left.
      by rewrite Hls assoc_L.
  Qed.

  Local Lemma steal_quiet γ n i vs waits M : i < n →
    dealing_parts γ n -∗ dealing_has γ i [] vs waits -∗ dealing_present γ i -∗
    dealing_real γ M -∗ others_retired γ n i -∗
    WP hub_dealing_steal (dealing_hub_val γ) #i {{ r, ∃ M', ⌜hub_taken i M r M'⌝ ∗
      (∃ vs' waits', dealing_has γ i [] vs' waits') ∗ dealing_present γ i ∗
      dealing_real γ M' ∗ others_retired γ n i ∗ ⌜r = NONEV → hub_foreign i M'⌝ }}.
  Proof.
    iIntros (Hi) "#Hp Hh Hb HM Hothers". iPoseProof "Hp" as "(_ & Ic & _)". wp_rec. wp_pures.
    wp_bind (hub_dealing_pop_deque _ _). iApply (wp_wand with "[Hh HM]").
    { iApply (dealing_pop_deque_spec with "Hp [] Hh HM"). iApply hub_peek_model. }
    iIntros (?) "(%o & -> & (%vs' & %Hvs' & Hh) & HM)".
    iMod (quiet_hand_out with "Hh HM") as (M') "(%HM' & Hh & HM)".
    destruct o as [l|]; simpl in *; wp_pures.
    { iModIntro. iExists M'. by iFrame. }
    destruct HM' as [[_ ->]|(l & w & [=] & _)]. rewrite Hvs'; last done.
    wp_bind (deque_dealing_steal _ _ _). iApply (wp_wand with "[Hh HM Hothers]").
    { by iApply (deque_steal_quiet with "Hp Hh HM Hothers"). }
    iIntros (?) "(%o & %C & %ls & %waits' & -> & %HM & %Hls & [Hc Ho] & HC & HD & Hothers)".
    wp_pures. wp_apply (dealing_appear_spec with "[$Hp $Hb]"); first done. iIntros "Hb".
    destruct o as [l|]; simpl in *; wp_pures.
    { iModIntro. iExists (C ⊎ deque_items ls). iFrame "Hb Hothers". iSplit; first done.
      iSplitL "Hc Ho"; first by iExists [], waits'; iFrame. iSplitL; last done.
      iExists C, ls. by iFrame. }
    destruct HM as [[_ <-]|(l & w & [=] & _)]. rewrite Hls //.
    iDestruct "Hothers" as "[Hcs Hds]".
    wp_apply (central_steal_quiet_spec with "[$Ic $Hc $HC $Hcs]"); first done.
    iIntros (r C') "(%Hr & Hc & HC & Hcs & %Hforeign)".
    iAssert (dealing_real γ C') with "[HC HD]" as "HM".
    { iExists C', []. iFrame. by rewrite right_id_L. }
    rewrite [deque_items []]/deque_items /= right_id_L.
    destruct Hr as [[-> ->]|(l & w & -> & Hl)]; wp_pures.
    { iModIntro. iExists C. iFrame. iSplit; first by iPureIntro; left.
      iPureIntro. auto. }
    wp_bind (hub_dealing_withdraw _ _). iApply (wp_wand with "[Hc Ho HM]").
    { iApply (dealing_hub_withdraw_spec with "Hp [] [$Hc $Ho] HM"). iApply hub_peek_model. }
    iIntros (?) "(-> & (%vs'' & Hh) & HM)". wp_pures. iModIntro. iExists C'. iFrame.
    iSplit; last done. iPureIntro. right. by exists l, w.
  Qed.

  Local Lemma retired_owner γ j :
    dealing_hub_owner γ j false ⊣⊢
    (central_owner (dh_central γ) j ∗ dealing_owner (dh_deques γ) j [] false) ∗
    dealing_present γ j ∗ guarded_worker (dh_guard γ) j.
  Proof.
    iSplit; last by iIntros "[[Hc Ho] $]"; iExists [], false; iFrame.
    iIntros "[(%vs & %waits & [Hc Ho] & %Hretired) $]".
    destruct Hretired as [-> ->]; first done. iFrame.
  Qed.
  Local Lemma others_owners γ n i :
    ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → dealing_hub_owner γ j false) ⊣⊢
    others_retired γ n i ∗ ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → dealing_present γ j) ∗
    [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → guarded_worker (dh_guard γ) j.
  Proof.
    rewrite /others_retired -!others_sep. apply big_sepL_proper=> k j _.
    by rewrite retired_owner.
  Qed.

  (** Claim: While only the caller acts, a [steal] without success leaves only tasks for
      other workers, even though the worker may wait for an answer. *)
  Lemma dealing_hub_steal_quiet_spec o γ n i M : i < n →
    {{{ dealing_hub_inv o γ n ∗ dealing_hub_owner γ i true ∗ dealing_hub_model γ M ∗
        [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → dealing_hub_owner γ j false }}}
      h_steal o #i
    {{{ r M', RET r;
        ⌜hub_taken i M r M'⌝ ∗ dealing_hub_owner γ i true ∗ dealing_hub_model γ M' ∗
        ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → dealing_hub_owner γ j false) ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hi Φ) "([-> #Hp] & ((%vs & %waits & Hh & _) & Hb & Hg) & HM & Hos) HΦ".
    iPoseProof "Hp" as "(_ & _ & _ & _ & _ & Ig & %Hn)".
    iEval (rewrite others_owners) in "Hos". iDestruct "Hos" as "(Hothers & Hbs & Hgs)".
    iMod (guarded_lend _ _ n with "Ig HM [Hg Hgs]") as "[HM Hhome]"; first done.
    { iApply (seq_except _ n i); first done. iFrame. }
    simpl. wp_pures. iApply wp_fupd. iApply (wp_wand with "[Hh Hb HM Hothers]").
    { by iApply (steal_quiet with "Hp Hh Hb HM Hothers"). }
    iIntros (r) "(%M' & %Hr & (%vs' & %waits' & Hh) & Hb & HM & Hothers & %Hforeign)".
    iMod (guarded_return _ _ n with "Ig HM Hhome") as "[HM Hgs]"; first done.
    iDestruct (seq_except _ n i with "Hgs") as "[Hg Hgs]"; first done. iModIntro.
    iApply ("HΦ" $! r M'). iFrame "HM". iSplit; first done.
    iSplitL "Hh Hb Hg"; first by iApply (dealing_hub_owner_intro with "Hh Hb Hg").
    iSplitL; last done. iEval (rewrite others_owners). iFrame.
  Qed.
End steal.
