(** The FIFO hub: the proof that lib/kernel/hub/fifo.ml is a hub ([hub_spec.v]).

    [fifo_state.v] has the state, [fifo_ops.v] and [fifo_taking.v] the operations. At
    its instant an operation acts on one of the queues. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import erasable_code queue_code erasable queue.
From dromos.deque Require Import others.
From dromos.hub Require Import hub_code fifo_code hub_spec plain.
From dromos.hub Require Export fifo_state fifo_ops fifo_taking.

Section fifo.
  Context `{!heapGS Σ, !erasableG Σ, !queueG Σ, !ghost_varG Σ bool}.
  Implicit Types (γ : fifo_names) (i n : nat).
  Implicit Types (x : fifo_local_names).

  Lemma fifo_has_work_spec o γ n i b : i < n →
    {{{ fifo_inv o γ n ∗ fifo_owner γ i b }}}
      h_has_work o #i
    {{{ (r : bool), RET #r; fifo_owner γ i b }}}.
  Proof.
    iIntros (Hin Φ) "[(%t & %locals & %nf & -> & %Hn & #It & #Il) Hown] HΦ".
    simpl. wp_pures. wp_bind (base_erasable_is_empty _).
    iApply wp_wand; first by iApply erasable_is_empty_safe_spec.
    iIntros (r) "(%e & ->)". wp_pures. by iApply "HΦ".
  Qed.

  (** The FIFO hub is a hub. The hub never asks a victim, and a worker owns the same
      resources whether the worker serves or not. *)
  Global Program Instance fifo_hub_spec : hub_spec Σ := {|
    hub_name := fifo_names;
    hub_inv := fifo_inv;
    hub_owner := fifo_owner;
    hub_model := fifo_model;
    hub_asked _ _ := False%I;
    hub_has_work_spec := fifo_has_work_spec;
  |}.
  Next Obligation.
    iIntros (o γ n i r l Hi) "I H". iApply hub_widen. by iApply (fifo_push_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n r l) "I". iApply hub_widen. by iApply (fifo_submit_spec with "I").
  Qed.
  Next Obligation.
    iIntros (o γ n i r l Hi) "I". iApply hub_widen. by iApply (fifo_submit_to_spec with "I").
  Qed.
  Next Obligation.
    iIntros (o γ n i Hi) "I H". iApply hub_widen. by iApply (fifo_pop_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n i Hi) "I H". iApply hub_widen. by iApply (fifo_steal_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n i M Hin Φ) "(#I & Hown & HM & Hrest) HΦ".
    iApply (fifo_steal_quiet_spec with "[$I $Hown $HM]"); first done.
    iIntros "!>" (r M') "(Hr & Hown & HM & %Hnone)". iApply "HΦ". iFrame.
    iIntros (Hr). iRight. iPureIntro. by apply Hnone.
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hi) "I H". iApply hub_widen. by iApply (fifo_retract_spec with "I H").
  Qed.
  Solve Obligations with hub_does_nothing.

  (** ** Making *)

  Local Definition fifo_made (γe : erasable_names) x : iProp Σ :=
    (fifo_local γe x.1 ∗ fifo_knows x false) ∗ fifo_inbox_model x [] ∗
    ∃ inbox, (x.1 +ₗ 0) ↦□ inbox ∗ queue_inv hubN x.2.1 inbox.
  Local Lemma fifo_make_local_spec γe (v : val) :
    {{{ True }}} hub_fifo_make_local v {{{ x, RET #x.1; fifo_made γe x }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_apply (queue_create_spec hubN); first done.
    iIntros (γq inbox) "[#Iq Hq]". wp_pures.
    wp_apply (erasable_no_node_spec hubN); first done. iIntros (none) "_". wp_pures.
    rewrite /hub_fifo_memory. wp_apply array_make_spec; [done..|]. iIntros (recent) "[Ha _]".
    rewrite /hub_fifo_patience. wp_pures. iApply wp_fupd. wp_apply block7_spec; first done.
    iIntros (local) "(H0 & H1 & H2 & H3 & H4 & H5 & H6 & _)".
    iMod (pointsto_persist with "H0") as "#H0". iMod (pointsto_persist with "H2") as "#H2".
    iMod (pointsto_persist with "H3") as "#H3".
    iMod (ghost_var_alloc false) as (γk) "[Hk1 Hk2]". iModIntro.
    iApply ("HΦ" $! (local, (γq, γk))). rewrite /fifo_made. iFrame "Hk1 Hq Hk2".
    iSplitR ""; last by (iSplit; [iPureIntro; by intros []|iExists inbox; iFrame "#"]).
    iExists true, recent, none, 0%Z, 0%Z, 64%Z, _.
    iFrame "H1 H2 H3 H4 H5 H6 Ha". iSplit; first by rewrite length_replicate.
    iSplit; first done. iIntros "!>" (k Hk). lia.
  Qed.

  (** Claim: [Fifo.make] returns an empty hub whose workers do not serve yet. *)
  Theorem fifo_maker : hub_maker hub_fifo_make.
  Proof.
    iIntros (n Hn Φ) "_ HΦ". wp_rec. wp_apply (erasable_create_spec hubN); first done.
    iIntros (γe t) "[#It Hx]". wp_pures.
    wp_apply (array_init_spec (λ _ vs, ∃ xs, ⌜vs = (λ x, #x.1) <$> xs⌝ ∗
      [∗ list] x ∈ xs, fifo_made γe x)%I); first lia.
    { iSplit; first by (iExists []; iSplit). iIntros "!>" (i vs _ _) "(%xs & -> & Hxs)".
      iApply fifo_make_local_spec; first done. iIntros "!>" (x) "Hmade".
      iExists (xs ++ [x]). rewrite fmap_app. iSplit; first done. by iFrame. }
    iIntros (locals vs) "(%Hlen & Ha & _ & %xs & -> & Hxs)". rewrite length_fmap Nat2Z.id in Hlen.
    wp_pures. wp_rec. wp_pures. wp_apply block1_spec; first done.
    iIntros (nf) "[Hnf _]". wp_pures.
    iMod (is_array_persist with "Ha") as "#Ha". iModIntro.
    iApply ("HΦ" $! (fifo_ops t locals nf)). iFrame "Hnf". iIntros (g) "_ _ !>".
    iDestruct (big_sepL_sep with "Hxs") as "[Hlocals Hxs]".
    iDestruct (big_sepL_sep with "Hxs") as "[Hqs Hinboxes]".
    iExists (FifoNames γe xs). iSplitL "Hinboxes".
    { iExists t, locals, nf. do 2 (iSplit; first done). by iFrame "It Ha". }
    iSplitL "Hx Hqs".
    - iExists [], (replicate n []). iFrame "Hx". rewrite big_sepL2_replicate_r; last done.
      iFrame "Hqs". iSplit; first by (iPureIntro; apply NoDup_nil_2).
      iPureIntro. by rewrite fifo_items_none.
    - rewrite -Hlen. iApply big_sepL_seq_indices. iApply (big_sepL_impl with "Hlocals").
      iIntros "!>" (i x Hi) "Hlocal". iExists x. by iFrame.
  Qed.
End fifo.
