(** Hubs of work-stealing deques from which thieves take directly: over any deques that
    meet [stealing_deques], the record that lib/kernel/hub/stealing.ml makes is a hub
    ([hub_spec.v]). [stealing_ops.v] has the operations, [stealing_state.v] the state;
    [std.v] and [hybrid.v] supply the deques. *)
From stdpp Require Import gmultiset.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_code central_code stealing_code hub_spec plain central.
From dromos.hub Require Export stealing_ops.

Section stealing.
  Context `{!heapGS Σ, !centralG Σ, !stealing_deques Σ}.
  Implicit Types (γ : stealing_names) (d : val) (i n : nat).

  (** The hub never asks a victim, and a worker owns the same resources whether the
      worker serves or not. *)
  Global Program Definition stealing_hub_spec : hub_spec Σ := {|
    hub_name := stealing_names;
    hub_inv := stealing_inv;
    hub_owner := stealing_owner;
    hub_model := stealing_hub_model;
    hub_asked _ _ := False%I;
    hub_has_work_spec := stealing_has_work_spec;
    hub_retire_spec := stealing_retire_spec;
  |}.
  Next Obligation.
    iIntros (o γ n i r l Hi) "I H". iApply hub_widen. by iApply (stealing_push_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n r l) "I". iApply hub_widen. by iApply (stealing_submit_spec with "I").
  Qed.
  Next Obligation.
    iIntros (o γ n i r l Hi) "I". iApply hub_widen. by iApply (stealing_submit_to_spec with "I").
  Qed.
  Next Obligation.
    iIntros (o γ n i Hi) "I H". iApply hub_widen. by iApply (stealing_pop_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n i Hi) "I H". iApply hub_widen. by iApply (stealing_steal_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n i M Hin Φ) "(#I & Hown & HM & Hrest) HΦ".
    iApply (stealing_steal_quiet_spec with "[$I $Hown $HM $Hrest]"); first done.
    iIntros "!>" (r M') "(Hr & Hown & HM & Hrest & %Hnone)". iApply "HΦ". iFrame.
    iIntros (Hr). iRight. iPureIntro. by apply Hnone.
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hi) "I H". iApply hub_widen. by iApply (stealing_retract_spec with "I H").
  Qed.
  Solve Obligations with hub_does_nothing.

  (** Claim: [Stealing.make], given empty deques, returns an empty hub whose workers do
      not serve yet. *)
  Lemma stealing_make_spec d n δ : 0 < n →
    {{{ deques_inv δ d n ∗ deques_model δ (replicate n []) ∗
        [∗ list] i ∈ seq 0 n, deques_owner δ i false }}}
      hub_stealing_make #n d
    {{{ o f, RET hub_val o n;
        (h_notifier o +ₗ 0) ↦na f ∗
        ∀ g, (h_notifier o +ₗ 0) ↦na□ g -∗
          □ (∀ i : nat, ⌜i < n⌝ → WP g #i {{ _, True }}) ={⊤}=∗
          ∃ γ, stealing_inv o γ n ∗ stealing_hub_model γ ∅ ∗
            [∗ list] i ∈ seq 0 n, stealing_owner γ i false }}}.
  Proof.
    iIntros (Hn Φ) "(#Id & HD & Hds) HΦ". wp_rec. wp_pures. wp_rec. wp_pures.
    wp_apply block1_spec; first done. iIntros (nf) "[Hnf _]". wp_pures.
    wp_apply central_create_spec; [done..|]. iIntros (γc central) "(Hinv & HC & Hcs)".
    wp_pures. iModIntro. iApply ("HΦ" $! (stealing_hub d n central nf)). iFrame "Hnf".
    iIntros (g) "#Hg #Hwp !>". iDestruct ("Hinv" with "[]") as "#Ic"; first by iExists g; iFrame "#".
    iExists (γc, δ). iSplitR.
    { iExists d, central, nf. by iFrame "#". }
    iSplitL "HC HD".
    - iExists ∅, (replicate n []). iFrame "HC". rewrite /stealing_vals fmap_replicate.
      iFrame "HD". iPureIntro. by rewrite /stealing_items concat_none.
    - iDestruct (big_sepL_sep_2 with "Hcs Hds") as "H".
      iApply (big_sepL_impl with "H"). iIntros "!>" (k i _) "[Hc Hd]". iFrame.
  Qed.
End stealing.
