(** The private hub, a worker comes and goes: lib/kernel/hub/private_.ml.

    A worker that retires withdraws its request for good, and moves the tasks of its
    deque to the shared queue, one by one. On the way each task is in the worker's hand,
    so the model does not change. Then the worker blocks its deque, until the worker
    enlists again. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import private_code items others private_ private_quiet.
From dromos.hub Require Import hub_code private_code hub_spec central_code central own_deques guarded.
From dromos.hub Require Import private_state.

Section retire.
  Context `{!heapGS Σ, !centralG Σ, !privateG Σ, !guardedG Σ}.
  Implicit Types (γ : private_hub_names) (p : private_hub_parts) (i n : nat).
  Implicit Types (asked : option nat) (R : iProp Σ) (vs : list val).

  Lemma private_hub_enlist_spec o γ n i : i < n →
    {{{ private_hub_inv o γ n ∗ private_hub_owner γ i false }}}
      h_enlist o #i
    {{{ RET #(); private_hub_owner γ i true }}}.
  Proof.
    iIntros (Hi Φ) "[(%p & -> & (#I & _)) (Hc & (%vs & %asked & [Ho Ht] & _) & Hg)] HΦ".
    simpl. wp_pures. wp_apply (private_unblock_spec with "[$I $Ho]"). iIntros "Ho".
    iApply "HΦ". iApply (private_hub_owner_intro with "Hc [$Ho $Ht] Hg").
  Qed.

  Local Lemma withdraw_for_good_spec γ n p i vs asked R : i < n →
    private_parts γ n p -∗ hub_peek (private_real γ) R -∗
    central_owner (ph_central γ) i -∗ private_side γ i vs asked -∗ R -∗
    WP hub_private_withdraw_for_good (private_hub_val p) #i {{ r, ⌜r = #()⌝ ∗
      central_owner (ph_central γ) i ∗ (∃ vs', private_side γ i vs' None) ∗ R }}.
  Proof.
    iIntros (Hi) "#Hp #Hpeek Hc Hside HR". iPoseProof "Hp" as "(#I & _)".
    iLöb as "IH" forall (vs asked). wp_rec. wp_pures.
    wp_bind (hub_private_withdraw _ _). iApply (wp_wand with "[Hc Hside HR]").
    { by iApply (private_hub_withdraw_spec with "Hp Hpeek Hc Hside HR"). }
    iIntros (?) "(-> & Hc & (%vs' & %asked' & _ & _ & [Ho Ht]) & HR)". wp_pures.
    wp_apply (private_waits_for_answer_spec with "[$I $Ho]"). iIntros "Ho".
    case_bool_decide as Hasked; wp_pures.
    - iApply ("IH" with "Hc [$Ho $Ht] HR").
    - iModIntro. iSplit; first done. iFrame "Hc HR". iExists vs'.
      destruct asked'; first done. iFrame.
  Qed.

  Local Lemma give_away_spec γ n p i vs asked R : i < n →
    private_parts γ n p -∗ hub_peek (private_real γ) R -∗
    central_owner (ph_central γ) i -∗ private_side γ i vs asked -∗ R -∗
    WP hub_private_give_away (private_hub_val p) #i {{ r, ⌜r = #()⌝ ∗
      central_owner (ph_central γ) i ∗ private_side γ i [] asked ∗ R }}.
  Proof.
    iIntros (Hi) "#Hp #Hpeek Hc [Ho Ht] HR". iPoseProof "Hp" as "(#I & #Ic & _)".
    iLöb as "IH" forall (vs). wp_rec. wp_pures. wp_bind (deque_private_pop _ _).
    iApply (wp_wand with "[Hc Ho HR]").
    { iApply (deques_carry with "Hpeek [Ho] Hc HR"). iApply (private_pop_takes with "I Ho"). }
    iIntros (r) "(%o & -> & (%vs' & _ & %Hempty & Ho) & Hc & HR)".
    destruct o as [l|]; simpl; wp_pures; last first.
    { iModIntro. iSplit; first done. destruct Hempty as [_ ->]; first done. iFrame. }
    wp_bind (hub_central_submit _ _ _). iApply (wp_wand with "[Hc HR]").
    { iApply (central_put with "Ic Hpeek Hc HR"). apply deques_part. }
    iIntros (?) "(-> & Hc & HR)". wp_pures. iApply ("IH" with "Hc Ho Ht HR").
  Qed.

  (** Claim: [retire] gives the worker's tasks to all workers, and afterwards the worker
      waits for no victim; no task enters or leaves the hub. *)
  Lemma private_hub_retire_spec o γ n i : i < n →
    {{{ private_hub_inv o γ n ∗ private_hub_owner γ i true }}}
      h_retire o #i
    {{{ RET #(); private_hub_owner γ i false }}}.
  Proof.
    iIntros (Hi Φ) "[(%p & -> & #Hp) (Hc & (%vs & %asked & Hside & _) & Hg)] HΦ".
    iPoseProof "Hp" as "(#I & #Ic & _)". iPoseProof (private_peek _ _ _ i with "Hp") as "Hpeek".
    simpl. wp_pures. wp_rec. wp_pures.
    wp_bind (hub_private_withdraw_for_good _ _). iApply (wp_wand with "[Hc Hside Hg]").
    { by iApply (withdraw_for_good_spec with "Hp Hpeek Hc Hside Hg"). }
    iIntros (?) "(-> & Hc & (%vs' & Hside) & Hg)". wp_pures.
    wp_bind (hub_private_give_away _ _). iApply (wp_wand with "[Hc Hside Hg]").
    { by iApply (give_away_spec with "Hp Hpeek Hc Hside Hg"). }
    iIntros (?) "(-> & Hc & [Ho Ht] & Hg)". wp_pures.
    wp_apply (private_block_spec with "[$I $Ho]"). iIntros "Ho". wp_pures.
    wp_apply (private_answered_spec with "Hp"); first done. iIntros "_".
    iApply "HΦ". iFrame "Hc Hg". iExists [], None. by iFrame.
  Qed.
End retire.
