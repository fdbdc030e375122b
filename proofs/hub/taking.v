(** Attempts to take a task, in sequence.

    A [pop] or [steal] of a hub looks at one place after another. Each look is
    linearisable, and the whole operation is linearisable too: at the look that takes a
    task or, if no look takes a task, at any instant.

    [hub_try HM i e K] says that expression [e] is one look by worker [i], a step of a
    longer operation on the hub with model [HM]. The look gets the atomic update of the
    operation: the right to change the model once. The look either uses the update and
    returns a task, or returns [None] and gives the update back. [K] is what worker [i]
    owns afterwards.

    Each place has a model, and the hub's model is the sum of these models: [hub_part P
    HM] says that [P] is a part of [HM]. An operation on a part is an operation on the
    whole. *)
From stdpp Require Import gmultiset.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.hub Require Import hub_spec.

Section taking.
  Context `{!heapGS Σ}.
  Implicit Types (P HM : hub_items → iProp Σ) (K Q : iProp Σ) (Φ : val → iProp Σ).
  Implicit Types (i : nat) (M C D X : hub_items) (l : loc) (r : val) (e : expr).

  (** The atomic update of an operation that takes a task. *)
  Definition hub_take_au HM i Q Φ : iProp Σ :=
    AU <{ ∃∃ M, HM M }> @ ⊤ ∖ ↑hubN, ∅
       <{ ∀∀ r M', ⌜hub_taken i M r M'⌝ ∗ HM M', COMM Q -∗ Φ r }>.
  (** The state after a look that returned [r]: the atomic update is still there, or used
      for a task. *)
  Definition hub_tried HM i Q Φ r : iProp Σ :=
    (⌜r = NONEV⌝ ∗ hub_take_au HM i Q Φ) ∨ (∃ l, ⌜r = SOMEV #l⌝ ∗ (Q -∗ Φ r)).
  Definition hub_try HM i e K : iProp Σ :=
    ∀ Q Φ, hub_take_au HM i Q Φ -∗ WP e {{ r, K ∗ hub_tried HM i Q Φ r }}.

  (** An operation that found nothing uses its atomic update to return [None]. *)
  Lemma hub_take_nothing HM i Q Φ : hub_take_au HM i Q Φ -∗ Q ={⊤}=∗ Φ NONEV.
  Proof.
    iIntros "AU HQ". iMod (fupd_mask_subseteq (⊤ ∖ ↑hubN)) as "Hclose"; first done.
    iMod "AU" as (M) "[HM [_ Hcommit]]".
    iMod ("Hcommit" $! NONEV M with "[$HM]") as "HΦ"; first by iPureIntro; left.
    iMod "Hclose". iModIntro. by iApply "HΦ".
  Qed.
  Lemma hub_tried_done HM i Q Φ r : hub_tried HM i Q Φ r -∗ Q ={⊤}=∗ Φ r.
  Proof.
    iIntros "[[-> AU]|(%l & -> & HΦ)] HQ".
    - iApply (hub_take_nothing with "AU HQ").
    - iModIntro. by iApply "HΦ".
  Qed.
  (** An attempt is an operation of the hub. *)
  Lemma hub_try_done HM i e K :
    hub_try HM i e K -∗
    <<{ ∀∀ M, HM M }>>
      e @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ HM M' | RET r; K }>>.
  Proof.
    iIntros "He" (Φ) "AU". iApply wp_fupd. iApply (wp_wand with "[He AU]").
    { iApply ("He" $! K Φ). iApply "AU". }
    iIntros (r) "[HK Hr]". iApply (hub_tried_done with "Hr HK").
  Qed.
  (** An operation of the hub is an attempt. *)
  Lemma hub_try_of_atomic HM i e K :
    <<{ ∀∀ M, HM M }>>
      e @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ HM M' | RET r; K }>> -∗
    hub_try HM i e K.
  Proof.
    iIntros "He" (Q Φ) "AU". awp_apply "He". rewrite /hub_take_au.
    iApply (aacc_aupd with "AU"); first done. iIntros (M) "HM". iAaccIntro with "HM".
    { iIntros "$ !> $". done. }
    iIntros (r M') "[%Hr HM]". destruct Hr as [(-> & ->)|(l & w & -> & Hw & ->)].
    - iModIntro. iLeft. iFrame "HM". iIntros "AU !> $". iLeft. by iFrame.
    - iModIntro. iRight. iExists _, M'. iFrame "HM". iSplit.
      { iPureIntro. right. by eauto. }
      iIntros "HΦ !> $". iRight. by eauto.
  Qed.
  Lemma hub_try_wand HM i e K K' : hub_try HM i e K -∗ (K -∗ K') -∗ hub_try HM i e K'.
  Proof.
    iIntros "He HK" (Q Φ) "AU". iApply (wp_wand with "[He AU]"); first by iApply "He".
    iIntros (r) "[H $]". by iApply "HK".
  Qed.

  (** ** Taking back *)

  (** The atomic update of a [retract] of task [l] by worker [i]: the task leaves the
      model and the result is [true], or the model stays and the result is [false]. *)
  Definition hub_retract_au HM i l Q Φ : iProp Σ :=
    AU <{ ∃∃ M, HM M }> @ ⊤ ∖ ↑hubN, ∅
       <{ ∀∀ (b : bool) M',
          ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗
          HM M', COMM Q -∗ Φ #b }>.
  Lemma hub_retract_nothing HM i l Q Φ : hub_retract_au HM i l Q Φ -∗ Q ={⊤}=∗ Φ #false.
  Proof.
    iIntros "AU HQ". iMod (fupd_mask_subseteq (⊤ ∖ ↑hubN)) as "Hclose"; first done.
    iMod "AU" as (M) "[HM [_ Hcommit]]".
    iMod ("Hcommit" $! false M with "[$HM //]") as "HΦ".
    iMod "Hclose". iModIntro. by iApply "HΦ".
  Qed.

  (** ** Parts *)

  Definition hub_part P HM : Prop :=
    ∀ M, HM M ⊢ ∃ C D, ⌜M = C ⊎ D⌝ ∗ P C ∗ (∀ C', P C' -∗ HM (C' ⊎ D)).

  Lemma hub_part_refl P : hub_part P P.
  Proof.
    iIntros (M) "HM". iExists M, ∅. rewrite right_id_L. iSplit; first done. iFrame "HM".
    iIntros (C') "H". by rewrite right_id_L.
  Qed.

  Lemma hub_taken_part i C D r C' : hub_taken i C r C' → hub_taken i (C ⊎ D) r (C' ⊎ D).
  Proof.
    intros [(-> & ->)|(l & w & -> & Hw & ->)]; [by left|right].
    exists l, w. do 2 (split; first done). multiset_solver.
  Qed.

  (** A submission to a part of the hub is a submission to the hub. *)
  Lemma hub_part_submit P HM X e r :
    hub_part P HM →
    <<{ ∀∀ C, P C }>> e @ ↑hubN <<{ P (C ⊎ X) | RET r }>> -∗
    <<{ ∀∀ M, HM M }>> e @ ↑hubN <<{ HM (M ⊎ X) | RET r }>>.
  Proof.
    iIntros (Hpart) "He %Φ AU". awp_apply "He".
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "HM".
    iDestruct (Hpart with "HM") as (C D ->) "[HC Hclose]". iAaccIntro with "HC".
    { iIntros "HC !>". iDestruct ("Hclose" with "HC") as "$". by iIntros "$". }
    iIntros "HC !>". iDestruct ("Hclose" with "HC") as "HM".
    rewrite -!assoc_L (comm_L _ X D). iFrame "HM". by iIntros "$".
  Qed.
  Lemma hub_part_add P HM X e r K :
    hub_part P HM →
    <<{ ∀∀ C, P C }>> e @ ↑hubN <<{ P (C ⊎ X) | RET r }>> -∗ K -∗
    <<{ ∀∀ M, HM M }>> e @ ↑hubN <<{ HM (M ⊎ X) | RET r; K }>>.
  Proof.
    iIntros (Hpart) "He HK %Φ AU".
    awp_apply (hub_part_submit with "He") without "HK"; first done.
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "HM".
    iAaccIntro with "HM"; first by eauto with iFrame. iIntros "$ !> HΦ !> HK".
    by iApply "HΦ".
  Qed.
  Lemma hub_part_take P HM i e K :
    hub_part P HM →
    <<{ ∀∀ C, P C }>>
      e @ ↑hubN
    <<{ ∃∃ r C', ⌜hub_taken i C r C'⌝ ∗ P C' | RET r; K }>> -∗
    <<{ ∀∀ M, HM M }>>
      e @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ HM M' | RET r; K }>>.
  Proof.
    iIntros (Hpart) "He %Φ AU". awp_apply "He".
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "HM".
    iDestruct (Hpart with "HM") as (C D ->) "[HC Hclose]". iAaccIntro with "HC".
    { iIntros "HC !>". iDestruct ("Hclose" with "HC") as "$". by iIntros "$". }
    iIntros (r C') "[%Hr HC] !>". iExists r, (C' ⊎ D). iDestruct ("Hclose" with "HC") as "$".
    iSplit; last by iIntros "$". iPureIntro. by apply hub_taken_part.
  Qed.
  Lemma hub_part_try P HM i e K :
    hub_part P HM →
    <<{ ∀∀ C, P C }>>
      e @ ↑hubN
    <<{ ∃∃ r C', ⌜hub_taken i C r C'⌝ ∗ P C' | RET r; K }>> -∗
    hub_try HM i e K.
  Proof.
    iIntros (Hpart) "He". iApply hub_try_of_atomic. by iApply (hub_part_take with "He").
  Qed.
End taking.
