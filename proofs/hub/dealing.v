(** The dealing hub: the proof that lib/kernel/hub/dealing.ml is a hub ([hub_spec.v]).
    [dealing_state.v] has the state, [dealing_moves.v] the moves of tasks inside the
    hub, [dealing_ops.v] and [dealing_steal.v] the operations.

    A worker may go to sleep while the worker waits for a task, so [waits_for_answer]
    always returns [false]. [enlist] does nothing: a worker is present from its first
    push or steal on. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import dealing_code items dealing.
From dromos.hub Require Import hub_code dealing_code hub_spec central_code central.
From dromos.hub Require Import own_deques guarded.
From dromos.hub Require Export dealing_state dealing_ops dealing_steal.

Section dealing.
  Context `{!heapGS Σ, !centralG Σ, !dealingG Σ, !guardedG Σ}.
  Implicit Types (γ : dealing_hub_names) (M : hub_items) (i j n : nat) (l : loc).

  (** The dealing hub is a hub. [hub_asked] is false: the pool need not know whether a
      worker waits. *)
  Global Program Instance dealing_hub_spec : hub_spec Σ := {|
    hub_name := dealing_hub_names;
    hub_inv := dealing_hub_inv;
    hub_owner := dealing_hub_owner;
    hub_model := dealing_hub_model;
    hub_asked _ _ := False%I;
    hub_push_spec := dealing_hub_push_spec;
    hub_submit_spec := dealing_hub_submit_spec;
    hub_submit_to_spec := dealing_hub_submit_to_spec;
    hub_pop_spec := dealing_hub_pop_spec;
    hub_steal_spec := dealing_hub_steal_spec;
    hub_retract_spec := dealing_hub_retract_spec;
    hub_has_work_spec := dealing_hub_has_work_spec;
    hub_retire_spec := dealing_hub_retire_spec;
    hub_tick_spec := dealing_hub_tick_spec;
  |}.
  Next Obligation.
    iIntros (o γ n i M Hin Φ) "(#I & Hown & HM & Hrest) HΦ".
    iApply (dealing_hub_steal_quiet_spec with "[$I $Hown $HM $Hrest]"); first done.
    iIntros "!>" (r M') "(Hr & Hown & HM & Hrest & %Hnone)". iApply "HΦ". iFrame.
    iIntros (Hr). iRight. iPureIntro. by apply Hnone.
  Qed.
  Next Obligation.
    iIntros (o γ n i Hin Φ) "[[-> _] Hown] HΦ". simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation. by iIntros (o γ n i Hin Φ) "(_ & _ & [])". Qed.
  Next Obligation.
    iIntros (o γ n i Hin Φ) "[[-> _] ((%vs & %waits & Hh & _) & Hb & Hg)] HΦ".
    simpl. wp_pures. iApply "HΦ". iApply (dealing_hub_owner_intro with "Hh Hb Hg").
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hin Φ) "[[-> _] Hown] HΦ". simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hin Φ) "[[-> _] Hown] HΦ". simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n Φ) "[-> _] HΦ". simpl. wp_pures. by iApply "HΦ".
  Qed.

  (** ** Creation *)

  Local Lemma present_cells (l : loc) k m :
    array_cells l (DfracOwn 1) (Z.of_nat k) (replicate m #false) -∗
    [∗ list] i ∈ seq k m, ∃ b : bool, (l +ₗ (1 + Z.of_nat i)) ↦ #b.
  Proof.
    iIntros "H". iInduction m as [|m] "IH" forall (k); first done.
    rewrite /= array_cells_cons. iDestruct "H" as "[Hk H]".
    iSplitL "Hk"; first by iExists false. iApply "IH".
    by replace (Z.of_nat k + 1)%Z with (Z.of_nat (S k)) by lia.
  Qed.

  (** Claim: [Dealing.make] returns an empty hub whose workers do not serve yet. *)
  Theorem dealing_maker : hub_maker hub_dealing_make.
  Proof.
    iIntros (n Hn Φ) "_ HΦ". wp_rec. wp_pures. wp_rec. wp_pures.
    wp_apply array_make_spec; [done..|]. iIntros (attrs) "_". wp_pures.
    wp_apply block3_spec; first done. iIntros (dummy) "_". wp_pures.
    wp_apply (dealing_create_spec hubN); first done. iIntros (deques δ) "(#Id & HD & Hds)".
    wp_pures. wp_rec. wp_pures. wp_apply block1_spec; first done.
    iIntros (nf) "[Hnf _]". wp_pures.
    wp_apply central_create_spec; [done..|]. iIntros (γc central) "(Hinv & HC & Hcs)".
    wp_pures. wp_alloc vacant as "Hvacant". wp_pures.
    wp_apply array_make_spec; [lia|done|]. iIntros (present) "[[#Hlen Hpresent] _]".
    rewrite length_replicate Nat2Z.id. iDestruct (present_cells _ 0 with "Hpresent") as "Hbs".
    set (γ := λ g, DealingHubNames γc δ g deques central vacant present nf).
    wp_pures. iModIntro.
    iApply ("HΦ" $! (dealing_ops (γ (GuardedNames inhabitant inhabitant [])))).
    iFrame "Hnf". iIntros (g) "#Hg #Hwp".
    iMod (inv_alloc (hubN .@ "vacant") _ (∃ z : Z, vacant ↦ #z) with "[Hvacant]") as "#Iv".
    { iExists _. iFrame. }
    iMod (guarded_alloc (dealing_real (γ (GuardedNames inhabitant inhabitant []))) n
      with "[HC HD]") as (γg) "(%Hgn & #Ig & HM & Hgs)".
    { iApply (deques_model_empty with "HC HD"). }
    iAssert (central_notifier nf n) as "#Hnotifier"; first by iExists g; iFrame "#".
    iDestruct ("Hinv" with "Hnotifier") as "#Ic".
    iModIntro. iExists (γ γg). iFrame "HM". iSplitR.
    { iSplit; first done. iFrame "Id Ic Iv Hlen Hnotifier Ig". done. }
    iDestruct (big_sepL_sep_2 with "Hcs Hds") as "H".
    iDestruct (big_sepL_sep_2 with "H Hbs") as "H".
    iDestruct (big_sepL_sep_2 with "H Hgs") as "H". iApply (big_sepL_impl with "H").
    iIntros "!>" (k i _) "[[[Hc Hd] Hb] Hw]". iFrame "Hb Hw". iExists [], false. by iFrame.
  Qed.
End dealing.
