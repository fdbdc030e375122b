(** The standard hub, lib/kernel/hub/std.ml: public deques ([public.v]) meet the
    specification of deques of [stealing_ops.v]. Public deques never refuse a task. *)
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev items dynamic public_code public hints.
From dromos.hub Require Import hub_code stealing_code std_code hub_spec central_state.
From dromos.hub Require Export stealing.

Section std.
  Context `{!heapGS Σ, !centralG Σ, !dynamicG Σ}.

  Global Program Instance std_deques : stealing_deques Σ := {|
    deques_name := public_names;
    deques_inv δ d n := (∃ deques, ⌜d = InjLV deques⌝ ∗ ⌜length δ = n⌝ ∗
      public_inv hubN δ deques)%I;
    deques_model := public_model;
    deques_owner δ i _ := (∃ ws, public_owner δ i ws)%I;
  |}.
  Next Obligation.
    iIntros (δ d n vss) "(%deques & _ & %Hn & _) Hm".
    iDestruct (public_model_length with "Hm") as %->. done.
  Qed.
  Next Obligation.
    iIntros (δ d n i room l Hi) "(%deques & -> & _ & #I) (%ws & Ho) %Φ AU". wp_rec. wp_pures.
    awp_apply (public_push_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iAaccIntro with "Hm"; first by eauto with iFrame. iIntros (vs) "[Hm [%Hvs _]] !>".
    iExists true, vs. iFrame "Hm". iSplit; first done. iIntros "HΦ !> Ho". wp_pures.
    iModIntro. iApply "HΦ". iExists _. iFrame.
  Qed.
  Next Obligation.
    iIntros (δ d n i room Hi) "(%deques & -> & _ & #I) (%ws & Ho) %Φ AU". wp_rec. wp_pures.
    awp_apply (public_pop_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iAaccIntro with "Hm"; first by eauto with iFrame. iIntros (vs) "[Hm [%Hvs _]] !>".
    iExists vs, (last vs), (removelast vs). iFrame "Hm". iSplit.
    { iPureIntro. split; first done. apply newest_perm. }
    iIntros "HΦ !> Ho". iApply "HΦ". iExists _. iFrame.
  Qed.
  Next Obligation.
    iIntros (δ d n i Hi) "(%deques & -> & %Hn & #I) %Φ AU". wp_rec. wp_pures.
    iApply (public_steal_spec with "I AU"). lia.
  Qed.
  Next Obligation.
    iIntros (δ d n i Hi Φ) "(%deques & -> & %Hn & #I) HΦ". wp_rec. wp_pures.
    iApply (public_size_safe_spec with "I HΦ"). lia.
  Qed.
  Next Obligation.
    iIntros (δ d n i Hi Φ) "(%deques & -> & %Hn & #I) HΦ". wp_rec. wp_pures.
    iApply (public_is_empty_safe_spec with "I HΦ"). lia.
  Qed.
  Next Obligation.
    iIntros (δ d n i room Hi Φ) "[(%deques & -> & _ & #I) (%ws & Ho)] HΦ". wp_rec. wp_pures.
    wp_apply (public_block_spec with "[$I $Ho]"). iIntros "Ho". iApply "HΦ". iExists _. iFrame.
  Qed.

  Global Instance std_hub_spec : hub_spec Σ := stealing_hub_spec.

  (** Claim: [Std.make] returns an empty hub whose workers do not serve yet. *)
  Theorem std_maker : hub_maker hub_std_make.
  Proof.
    iIntros (n Hn Φ) "_ HΦ". wp_rec. wp_pures. wp_rec. wp_pures.
    wp_apply array_make_spec; [done..|]. iIntros (attrs) "_". wp_pures.
    wp_apply block3_spec; first done. iIntros (dummy) "_". wp_pures.
    wp_apply (public_create_spec hubN); first done. iIntros (δ deques) "(%Hlen & #Id & HD & Hds)".
    wp_pures. iApply (@stealing_make_spec Σ _ _ std_deques (InjLV deques) n δ Hn with "[HD Hds] HΦ").
    iFrame "HD". iSplitR; first by iExists deques; iFrame "Id".
    iApply (big_sepL_impl with "Hds"). iIntros "!>" (k i _) "H". iExists _. iFrame.
  Qed.
End std.
