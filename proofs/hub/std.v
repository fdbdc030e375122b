(** The standard hub: the proof that lib/kernel/hub/std.ml is a hub ([hub_spec.v]). Its
    state and most of its operations are in [std_ops.v].

    A [steal] goes round the deques, step by step as [stealing_ops.v] has it; what it
    takes, and what it leaves in a quiet moment, follows there. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev dynamic public_code public hints.
From dromos.hub Require Import hub_code central_code std_code hub_spec plain central.
From dromos.hub Require Import stealing stealing_ops.
From dromos.hub Require Export std_ops.

Section std.
  Context `{!heapGS Σ, !centralG Σ, !dynamicG Σ}.
  Implicit Types (γ : std_names) (t : val) (M : hub_items) (i n : nat) (l : loc).

  (** Claim: So does its steal. *)
  Lemma std_steal_spec o γ n i : i < n →
    std_inv o γ n -∗ std_owner γ i true -∗
    <<{ ∀∀ M, std_model γ M }>>
      h_steal o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ std_model γ M' | RET r; std_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) Hown %Φ AU".
    simpl. wp_pures. iApply (stealing_steal_spec with "[] Ic Hown AU"); first done.
    by iApply std_round.
  Qed.

  (** Claim: When nobody else acts, a steal that finds nothing leaves only what is for
      other workers. *)
  Lemma std_steal_quiet_spec o γ n i M : i < n →
    {{{ std_inv o γ n ∗ std_owner γ i true ∗ std_model γ M ∗
        [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → std_owner γ j false }}}
      h_steal o #i
    {{{ r M', RET r;
        ⌜hub_taken i M r M'⌝ ∗ std_owner γ i true ∗ std_model γ M' ∗
        ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → std_owner γ j false) ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hin Φ) "((%deques & %central & %nf & -> & %Hn & #Id & #Ic) & Hown & HM & Hos) HΦ".
    simpl. wp_pures. iApply (wp_wand with "[Hown HM Hos]").
    { iApply (stealing_steal_quiet_spec _ _ _ _ _ _ (std_deque_owner (std_name_deques γ))
        with "[] Ic Hown HM Hos"); first done.
      - iIntros (lss) "Hd". iDestruct (public_model_length with "Hd") as %Hlen. iPureIntro.
        by rewrite length_fmap Hn in Hlen.
      - by iApply std_round. }
    iIntros (r) "(%M' & H)". by iApply "HΦ".
  Qed.

  (** The standard hub is a hub: it never asks a victim, and serving changes nothing. *)
  Global Program Instance std_hub_spec : hub_spec Σ := {|
    hub_name := std_names;
    hub_inv := std_inv;
    hub_owner := std_owner;
    hub_model := std_model;
    hub_asked _ _ := False%I;
    hub_has_work_spec := std_has_work_spec;
    hub_retire_spec := std_retire_spec;
  |}.
  Next Obligation.
    iIntros (o γ n i r l Hi) "I H". iApply hub_widen. by iApply (std_push_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n r l) "I". iApply hub_widen. by iApply (std_submit_spec with "I").
  Qed.
  Next Obligation.
    iIntros (o γ n i r l Hi) "I". iApply hub_widen. by iApply (std_submit_to_spec with "I").
  Qed.
  Next Obligation.
    iIntros (o γ n i Hi) "I H". iApply hub_widen. by iApply (std_pop_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n i Hi) "I H". iApply hub_widen. by iApply (std_steal_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n i M Hin Φ) "(#I & Hown & HM & Hrest) HΦ".
    iApply (std_steal_quiet_spec with "[$I $Hown $HM $Hrest]"); first done.
    iIntros "!>" (r M') "(Hr & Hown & HM & Hrest & %Hnone)". iApply "HΦ". iFrame.
    iIntros (Hr). iRight. iPureIntro. by apply Hnone.
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hi) "I H". iApply hub_widen. by iApply (std_retract_spec with "I H").
  Qed.
  Solve Obligations with hub_does_nothing.

  (** Claim: What [make] returns is a hub, empty, whose workers do not serve yet. *)
  Theorem std_maker : hub_maker hub_std_make.
  Proof.
    iIntros (n Hn Φ) "_ HΦ". wp_rec. wp_pures. wp_rec. wp_pures.
    wp_apply array_make_spec; [done..|]. iIntros (attrs) "_". wp_pures.
    wp_apply block3_spec; first done. iIntros (dummy) "_". wp_pures.
    wp_apply (public_create_spec hubN); first done. iIntros (δ deques) "(%Hlen & #Id & HD & Hds)".
    wp_pures. wp_rec. wp_pures. wp_apply block1_spec; first done.
    iIntros (nf) "[Hnf _]". wp_pures.
    wp_apply central_create_spec; [done..|]. iIntros (γc central) "(Hinv & HC & Hcs)".
    wp_pures. iModIntro. iApply ("HΦ" $! (std_ops deques central nf)). iFrame "Hnf".
    iIntros (g) "#Hg #Hwp !>". iDestruct ("Hinv" with "[]") as "#Ic"; first by iExists g; iFrame "#".
    iExists (StdNames γc δ). iSplitR.
    { iExists deques, central, nf. by iFrame "#". }
    iSplitL "HC HD".
    - iExists ∅, (replicate n []). iFrame "HC". rewrite /stealing_vals fmap_replicate.
      iFrame "HD". iPureIntro. by rewrite /stealing_items concat_none.
    - iDestruct (big_sepL_sep_2 with "Hcs Hds") as "H".
      iApply (big_sepL_impl with "H"). iIntros "!>" (k i _) "[Hc Hd]". iFrame.
  Qed.
End std.
