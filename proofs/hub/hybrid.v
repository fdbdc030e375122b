(** The hybrid hub: the proof that lib/kernel/hub/hybrid.ml is a hub ([hub_spec.v]). Its
    state and most of its operations are in [hybrid_ops.v].

    A [steal] goes round the deques as the standard hub's does ([std.v]). *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev bounded_code bounded.
From dromos.hub Require Import hub_code central_code hybrid_code hub_spec plain central.
From dromos.hub Require Import stealing stealing_ops hybrid_deques.
From dromos.hub Require Export hybrid_ops.

Section hybrid.
  Context `{!heapGS Σ, !centralG Σ, !boundedG Σ}.
  Implicit Types (γ : hybrid_names) (t : val) (M : hub_items) (i n : nat) (l : loc).

  (** Claim: So does its steal. *)
  Lemma hybrid_steal_spec o γ n i : i < n →
    hybrid_inv o γ n -∗ hybrid_owner γ i true -∗
    <<{ ∀∀ M, hybrid_model γ M }>>
      h_steal o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ hybrid_model γ M' | RET r; hybrid_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) Hown %Φ AU".
    simpl. wp_pures. iApply (stealing_steal_spec with "[] Ic Hown AU"); first done.
    by iApply hybrid_round.
  Qed.

  (** Claim: When nobody else acts, a steal that finds nothing leaves only what is for
      other workers. *)
  Lemma hybrid_steal_quiet_spec o γ n i M : i < n →
    {{{ hybrid_inv o γ n ∗ hybrid_owner γ i true ∗ hybrid_model γ M ∗
        [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → hybrid_owner γ j false }}}
      h_steal o #i
    {{{ r M', RET r;
        ⌜hub_taken i M r M'⌝ ∗ hybrid_owner γ i true ∗ hybrid_model γ M' ∗
        ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → hybrid_owner γ j false) ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hin Φ) "((%deques & %central & %nf & -> & %Hn & #Id & #Ic) & Hown & HM & Hos) HΦ".
    simpl. wp_pures. iApply (wp_wand with "[Hown HM Hos]").
    { iApply (stealing_steal_quiet_spec _ _ _ _ _ _ (hybrid_deque_owner (hybrid_name_deques γ))
        with "[] Ic Hown HM Hos"); first done.
      - iIntros (lss) "Hd". iDestruct (hybrid_deques_length with "Hd") as %Hlen. iPureIntro.
        by rewrite length_fmap Hn in Hlen.
      - by iApply hybrid_round. }
    iIntros (r) "(%M' & H)". by iApply "HΦ".
  Qed.

  (** The hybrid hub is a hub: it never asks a victim, and serving changes nothing. *)
  Global Program Instance hybrid_hub_spec : hub_spec Σ := {|
    hub_name := hybrid_names;
    hub_inv := hybrid_inv;
    hub_owner := hybrid_owner;
    hub_model := hybrid_model;
    hub_asked _ _ := False%I;
    hub_has_work_spec := hybrid_has_work_spec;
    hub_retire_spec := hybrid_retire_spec;
  |}.
  Next Obligation.
    iIntros (o γ n i r l Hi) "I H". iApply hub_widen. by iApply (hybrid_push_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n r l) "I". iApply hub_widen. by iApply (hybrid_submit_spec with "I").
  Qed.
  Next Obligation.
    iIntros (o γ n i r l Hi) "I". iApply hub_widen. by iApply (hybrid_submit_to_spec with "I").
  Qed.
  Next Obligation.
    iIntros (o γ n i Hi) "I H". iApply hub_widen. by iApply (hybrid_pop_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n i Hi) "I H". iApply hub_widen. by iApply (hybrid_steal_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n i M Hin Φ) "(#I & Hown & HM & Hrest) HΦ".
    iApply (hybrid_steal_quiet_spec with "[$I $Hown $HM $Hrest]"); first done.
    iIntros "!>" (r M') "(Hr & Hown & HM & Hrest & %Hnone)". iApply "HΦ". iFrame.
    iIntros (Hr). iRight. iPureIntro. by apply Hnone.
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hi) "I H". iApply hub_widen. by iApply (hybrid_retract_spec with "I H").
  Qed.
  Solve Obligations with hub_does_nothing.

  (** Claim: What [make] returns is a hub, empty, whose workers do not serve yet. *)
  Theorem hybrid_maker : hub_maker hub_hybrid_make.
  Proof.
    iIntros (n Hn Φ) "_ HΦ". wp_rec. wp_pures. wp_rec. wp_pures.
    wp_apply array_make_spec; [done..|]. iIntros (attrs) "_". wp_pures.
    wp_apply block3_spec; first done. iIntros (dummy) "_". wp_pures.
    wp_apply (array_init_spec (λ _ ds, ∃ δ : list hybrid_deque, ⌜δ.*1 = ds⌝ ∗
      [∗ list] d ∈ δ, bounded_inv hubN d.2 d.1 ∗ bounded_model d.2 [] ∗
        bounded_owner d.2 [])%I); first lia.
    { iSplitR; first (iExists []; by rewrite big_sepL_nil).
      iIntros "!>" (i ds _ _) "(%δ & %Hδ & H)". wp_pures.
      rewrite /hub_hybrid_capacity. wp_apply (bounded_create_spec hubN); first done.
      iIntros (δ' d) "[_ Hd]". iExists (δ ++ [(d, δ')]). rewrite fmap_app Hδ.
      iSplit; first done. by iFrame "H Hd". }
    iIntros (deques ds) "(%Hlen & Ha & _ & %δ & %Hδ & H)". subst ds.
    rewrite length_fmap Nat2Z.id in Hlen.
    iMod (hybrid_deques_begin with "Ha H") as "(#Id & HD & Hds)". rewrite Hlen.
    wp_pures. wp_rec. wp_pures. wp_apply block1_spec; first done.
    iIntros (nf) "[Hnf _]". wp_pures.
    wp_apply central_create_spec; [done..|]. iIntros (γc central) "(Hinv & HC & Hcs)".
    wp_pures. iModIntro. iApply ("HΦ" $! (hybrid_ops deques central nf)). iFrame "Hnf".
    iIntros (g) "#Hg #Hwp !>". iDestruct ("Hinv" with "[]") as "#Ic"; first by iExists g; iFrame "#".
    iExists (HybridNames γc δ). iSplitR.
    { iExists deques, central, nf. by iFrame "#". }
    iSplitL "HC HD".
    - iExists ∅, (replicate n []). iFrame "HC". rewrite /stealing_vals fmap_replicate.
      iFrame "HD". iPureIntro. by rewrite /stealing_items concat_none.
    - iDestruct (big_sepL_sep_2 with "Hcs Hds") as "H".
      iApply (big_sepL_impl with "H"). iIntros "!>" (k i _) "[Hc Hd]". iFrame.
  Qed.
End hybrid.
