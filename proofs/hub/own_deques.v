(** Tasks in workers' own deques, as a part of a hub.

    The private hub and the dealing hub consist of [Central] and of deques with values.
    [deques_model γ DM M] says that the hub's model is the sum of Central's tasks and
    the tasks in the deques; [DM] is the model of the deques.

    An operation of the deques that adds a task ([deque_adds]) or may take a task
    ([deque_takes]) does the same to the hub. The hub also moves tasks. A task that was
    taken from a deque and has no new place yet is in the worker's hand, a part of
    Central's model, so no task ever leaves the model ([deques_carry], [deques_put],
    [central_put]).

    These moves happen within any longer operation. A move needs only an [R] that gives
    access to the model and is still there afterwards ([hub_peek]). An atomic
    update that is not used yet is an example of [R]. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import items.
From dromos.hub Require Import hub_spec central_code central.

Notation option_to_val o := (from_option InjRV (InjLV #()) o).

(** The tasks of the deques, as items of Central and as values of the deques. *)
Definition deque_items (ls : list loc) : hub_items := list_to_set_disj (any_items ls).
Definition deque_vals (ls : list loc) : gmultiset val := list_to_set_disj (loc_val <$> ls).

Lemma deque_items_cons l ls : deque_items (l :: ls) = deque_items ls ⊎ {[+ (l, None) +]}.
Proof. rewrite /deque_items /=. by rewrite comm_L. Qed.
Lemma deque_vals_cons l ls : deque_vals (l :: ls) = {[+ #l +]} ⊎ deque_vals ls.
Proof. done. Qed.
Lemma deque_vals_empty ls : deque_vals ls = ∅ → ls = [].
Proof. destruct ls as [|l ls]; first done. rewrite deque_vals_cons. multiset_solver. Qed.

Lemma deque_vals_take ls (o : option val) D :
  deque_vals ls = multiset_of (option_list o) ⊎ D →
  (o = None ∧ D = deque_vals ls) ∨
  ∃ (l : loc) ls', o = Some #l ∧ deque_items ls = deque_items ls' ⊎ {[+ (l, None) +]} ∧
    D = deque_vals ls'.
Proof.
  destruct o as [v|]; simpl; last by (intros H; left; split; [done|multiset_solver]).
  intros H. right. assert (v ∈ deque_vals ls) as Hv by multiset_solver.
  rewrite /deque_vals elem_of_list_to_set_disj in Hv.
  apply elem_of_list_fmap in Hv as (l & -> & Hl).
  apply elem_of_Permutation in Hl as [ls' Hls].
  assert (deque_vals ls = {[+ #l +]} ⊎ deque_vals ls') as Hvals.
  { rewrite -deque_vals_cons /deque_vals. apply list_to_set_disj_perm. by rewrite Hls. }
  exists l, ls'. split; first done. split.
  - rewrite -deque_items_cons /deque_items. apply list_to_set_disj_perm.
    by rewrite /any_items Hls.
  - rewrite Hvals in H. unfold loc_val in H. multiset_solver.
Qed.

Section deques.
  Context `{!heapGS Σ, !centralG Σ}.
  Implicit Types (γ : central_names) (DM : gmultiset val → iProp Σ) (K Q R : iProp Σ).
  Implicit Types (HM : hub_items → iProp Σ) (M : hub_items) (i n : nat) (l : loc) (e : expr).

  Definition deques_model γ DM M : iProp Σ :=
    ∃ C ls, ⌜M = C ⊎ deque_items ls⌝ ∗ central_model γ C ∗ DM (deque_vals ls).

  Global Instance deques_model_timeless γ DM M :
    (∀ D, Timeless (DM D)) → Timeless (deques_model γ DM M).
  Proof. apply _. Qed.

  Lemma deques_part γ DM : hub_part (central_model γ) (deques_model γ DM).
  Proof.
    iIntros (M) "(%C & %ls & -> & HC & HD)". iExists C, (deque_items ls).
    iSplit; first done. iFrame "HC". iIntros (C') "HC". iExists C', ls. by iFrame.
  Qed.

  Lemma deques_model_empty γ DM :
    central_model γ ∅ -∗ DM ∅ -∗ deques_model γ DM ∅.
  Proof. iIntros "HC HD". iExists ∅, []. by iFrame. Qed.

  (** ** Access to the model *)

  Definition hub_peek HM R : iProp Σ :=
    □ (R -∗ |={⊤ ∖ ↑hubN, ∅}=> ∃ M, HM M ∗ (HM M ={∅, ⊤ ∖ ↑hubN}=∗ R)).

  (** An atomic update gives access to the model; so does the model. *)
  Lemma hub_peek_au {TB : tele} HM (β : [tele _ : hub_items] → TB → iProp Σ) Φ :
    ⊢ hub_peek HM (atomic_update (⊤ ∖ ↑hubN) ∅
        (tele_app (TT := [tele _ : hub_items]) (λ M, HM M)) β Φ).
  Proof.
    iIntros "!> AU". rewrite {1}aupd_aacc /atomic_acc.
    iMod "AU" as (M) "[HM [Hclose _]]". iModIntro. iExists M. by iFrame.
  Qed.
  Lemma hub_peek_take HM i Q Φ : ⊢ hub_peek HM (hub_take_au HM i Q Φ).
  Proof.
    iIntros "!> AU". rewrite /hub_take_au. iMod "AU" as (M) "[HM [Hclose _]]".
    iModIntro. iExists M. by iFrame.
  Qed.
  Lemma hub_peek_model HM M : ⊢ hub_peek HM (HM M).
  Proof.
    iIntros "!> HM". iApply fupd_mask_intro; first set_solver. iIntros "Hclose".
    iExists M. iFrame "HM". iIntros "HM". by iMod "Hclose".
  Qed.
  (** ** Operations of the deques *)

  Definition deque_adds DM l e K : iProp Σ :=
    <<{ ∀∀ D, DM D }>> e @ ↑hubN <<{ DM ({[+ #l +]} ⊎ D) | RET #(); K }>>.
  Definition deque_takes DM e (K : option val → iProp Σ) : iProp Σ :=
    <<{ ∀∀ D, DM D }>>
      e @ ↑hubN
    <<{ ∃∃ o D', ⌜D = multiset_of (option_list o) ⊎ D'⌝ ∗ DM D' | RET option_to_val o; K o }>>.

  Lemma deques_add γ DM l e K :
    deque_adds DM l e K -∗
    <<{ ∀∀ M, deques_model γ DM M }>>
      e @ ↑hubN
    <<{ deques_model γ DM (M ⊎ {[+ (l, None) +]}) | RET #(); K }>>.
  Proof.
    iIntros "He %Φ AU". awp_apply "He". iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%C & %ls & -> & HC & HD)". iAaccIntro with "HD".
    { iIntros "HD !>". iSplitL; last by eauto. iExists C, ls. by iFrame. }
    iIntros "HD !>". iSplitL; last by eauto. iExists C, (l :: ls). iFrame "HC HD".
    iPureIntro. by rewrite deque_items_cons assoc_L.
  Qed.

  Lemma deques_try γ DM i e (K : option val → iProp Σ) Q Φ :
    deque_takes DM e K -∗ hub_take_au (deques_model γ DM) i Q Φ -∗
    WP e {{ r, ∃ o, ⌜r = option_to_val o⌝ ∗ K o ∗
      hub_tried (deques_model γ DM) i Q Φ (option_to_val o) }}.
  Proof.
    iIntros "He AU". awp_apply "He". rewrite /hub_take_au.
    iApply (aacc_aupd with "AU"); first done.
    iIntros (M) "(%C & %ls & -> & HC & HD)". iAaccIntro with "HD".
    { iIntros "HD !>". iSplitL; last by eauto. iExists C, ls. by iFrame. }
    iIntros (o D') "[%HD HD]".
    apply deque_vals_take in HD as [[-> ->]|(l & ls' & -> & Hls & ->)]; iModIntro.
    - iLeft. iSplitL; first by (iExists C, ls; iFrame).
      iIntros "AU !> HK". iExists None. iFrame "HK". iSplit; first done. iLeft. by iFrame.
    - iRight. iExists (SOMEV #l), (C ⊎ deque_items ls'). iSplitL.
      { iSplit; last by (iExists C, ls'; iFrame).
        iPureIntro. right. exists l, None. split; first done. split; first by left.
        by rewrite Hls assoc_L. }
      iIntros "HΦ !> HK". iExists (Some #l). iFrame "HK". iSplit; first done.
      iRight. iExists l. by iFrame.
  Qed.

  (** A task that was taken is in the hand of worker [i], on top of the tasks [ms]. *)
  Lemma deques_carry_more γ DM i ms e (K : option val → iProp Σ) R :
    hub_peek (deques_model γ DM) R -∗
    deque_takes DM e K -∗ central_carries γ i ms -∗ R -∗
    WP e {{ r, ∃ o : option loc, ⌜r = option_to_val (loc_val <$> o)⌝ ∗ K (loc_val <$> o) ∗
      central_carries γ i (option_list o ++ ms) ∗ R }}.
  Proof.
    iIntros "#Hpeek He Ho HR". awp_apply "He". rewrite /atomic_acc /=.
    iMod ("Hpeek" with "HR") as (M) "[(%C & %ls & -> & HC & HD) Hclose]".
    iModIntro. iExists _. iFrame "HD". iSplit.
    { iIntros "HD". iMod ("Hclose" with "[HC HD]") as "$"; last by iFrame.
      iExists C, ls. by iFrame. }
    iIntros (o D') "[%HD HD]".
    apply deque_vals_take in HD as [[-> ->]|(l & ls' & -> & Hls & ->)].
    - iMod ("Hclose" with "[HC HD]") as "HR"; first by iExists C, ls; iFrame.
      iIntros "!> HK". iExists None. by iFrame.
    - iMod (central_hold _ _ _ l with "Ho HC") as "[Ho HC]".
      iMod ("Hclose" with "[HC HD]") as "HR".
      { iExists _, ls'. iFrame. iPureIntro. rewrite Hls. multiset_solver. }
      iIntros "!> HK". iExists (Some l). by iFrame.
  Qed.
  Lemma deques_carry γ DM i e (K : option val → iProp Σ) R :
    hub_peek (deques_model γ DM) R -∗
    deque_takes DM e K -∗ central_owner γ i -∗ R -∗
    WP e {{ r, ∃ o : option loc, ⌜r = option_to_val (loc_val <$> o)⌝ ∗ K (loc_val <$> o) ∗
      central_carries γ i (option_list o) ∗ R }}.
  Proof.
    iIntros "Hpeek He Ho HR". iApply (wp_wand with "[-]").
    { iApply (deques_carry_more with "Hpeek He Ho HR"). }
    iIntros (r) "(%o & -> & HK & Ho & $)". rewrite app_nil_r. iExists o. by iFrame.
  Qed.

  (** A task in the hand goes into a deque ([deques_put]) or to the shared queue
      ([central_put]). *)
  Lemma deques_put_more γ DM i l ms e K R :
    hub_peek (deques_model γ DM) R -∗
    deque_adds DM l e K -∗ central_carries γ i (l :: ms) -∗ R -∗
    WP e {{ r, ⌜r = #()⌝ ∗ K ∗ central_carries γ i ms ∗ R }}.
  Proof.
    iIntros "#Hpeek He Ho HR". awp_apply "He". rewrite /atomic_acc /=.
    iMod ("Hpeek" with "HR") as (M) "[(%C & %ls & -> & HC & HD) Hclose]".
    iModIntro. iExists _. iFrame "HD". iSplit.
    { iIntros "HD". iMod ("Hclose" with "[HC HD]") as "$"; last by iFrame.
      iExists C, ls. by iFrame. }
    iIntros "HD". iMod (central_release with "Ho HC") as (C') "(-> & Ho & HC)".
    iMod ("Hclose" with "[HC HD]") as "HR".
    { iExists _, (l :: ls). iFrame. iPureIntro. rewrite deque_items_cons. multiset_solver. }
    iIntros "!> HK". by iFrame.
  Qed.
  Lemma deques_put γ DM i l e K R :
    hub_peek (deques_model γ DM) R -∗
    deque_adds DM l e K -∗ central_carries γ i [l] -∗ R -∗
    WP e {{ r, ⌜r = #()⌝ ∗ K ∗ central_owner γ i ∗ R }}.
  Proof. iApply deques_put_more. Qed.
  Lemma central_put_more γ HM t n i (r : Z) l ms R :
    hub_part (central_model γ) HM →
    central_inv γ t n -∗ hub_peek HM R -∗ central_carries γ i (l :: ms) -∗ R -∗
    WP hub_central_submit t #r #l {{ r, ⌜r = #()⌝ ∗ central_carries γ i ms ∗ R }}.
  Proof.
    iIntros (Hpart) "#I #Hpeek Ho HR". awp_apply (central_submit_spec with "I").
    rewrite /atomic_acc /=. iMod ("Hpeek" with "HR") as (M) "[HM Hclose]".
    iDestruct (Hpart with "HM") as (C D ->) "[HC HM]". iModIntro. iExists C. iFrame "HC".
    iSplit.
    { iIntros "HC". iMod ("Hclose" with "[HC HM]") as "$"; last by iFrame. by iApply "HM". }
    iIntros "HC". iMod (central_release with "Ho HC") as (C') "(%HC' & Ho & HC)".
    apply (inj (.⊎ {[+ (l, None) +]})) in HC' as <-.
    iMod ("Hclose" with "[HC HM]") as "HR"; first by iApply "HM".
    iIntros "!>". by iFrame.
  Qed.
  Lemma central_put γ HM t n i (r : Z) l R :
    hub_part (central_model γ) HM →
    central_inv γ t n -∗ hub_peek HM R -∗ central_carries γ i [l] -∗ R -∗
    WP hub_central_submit t #r #l {{ r, ⌜r = #()⌝ ∗ central_owner γ i ∗ R }}.
  Proof. apply central_put_more. Qed.
End deques.
