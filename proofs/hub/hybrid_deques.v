(** The hybrid hub's deques: a constant array with one bounded deque for each worker.
    This file proves the specification of deques ([stealing_deques]) from [bounded.v].
    No deque ever holds more tasks than its capacity, so a task that was just taken can
    be put back. *)
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev bounded_code bounded hints items others.
From dromos.hub Require Import stealing_code hub_spec central_state stealing_ops.

Notation hybrid_deque := (val * bounded_names)%type.

Section deques.
  Context `{!heapGS Σ, !centralG Σ, !boundedG Σ}.
  Implicit Types (δ : list hybrid_deque) (i : nat) (l : loc).
  Implicit Types (vs ws : list val) (vss : list (list val)).
  Local Notation cap d := (bounded_capacity d.2).

  Definition hybrid_deques_inv δ (deques : loc) : iProp Σ :=
    is_array deques DfracDiscarded δ.*1 ∗ [∗ list] d ∈ δ, bounded_inv hubN d.2 d.1.
  Definition hybrid_deques_model δ vss : iProp Σ :=
    [∗ list] d; vs ∈ δ; vss, bounded_model d.2 vs ∗ ⌜length vs ≤ cap d⌝.
  Definition hybrid_deque_owner δ i (room : bool) : iProp Σ :=
    ∃ d ws, ⌜δ !! i = Some d⌝ ∗ bounded_owner d.2 ws ∗ ⌜room = true → length ws < cap d⌝.

  Local Lemma model_acc δ vss i d :
    δ !! i = Some d → hybrid_deques_model δ vss -∗
    ∃ vs, ⌜vss !! i = Some vs ∧ length vs ≤ cap d⌝ ∗ bounded_model d.2 vs ∗
      ∀ vs', ⌜length vs' ≤ cap d⌝ -∗ bounded_model d.2 vs' -∗
        hybrid_deques_model δ (<[i := vs']> vss).
  Proof.
    iIntros (Hi) "H". iDestruct (big_sepL2_length with "H") as %Hlen.
    destruct (lookup_lt_is_Some_2 vss i) as [vs Hvs].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iExists vs. iDestruct (big_sepL2_insert_acc with "H") as "[[$ %] H]"; [done..|].
    iSplit; first done. iIntros (vs' Hvs') "Hm".
    iDestruct ("H" $! d vs' with "[$Hm //]") as "H". by rewrite (list_insert_id δ).
  Qed.
  Local Lemma get_spec δ deques i d :
    δ !! i = Some d →
    {{{ hybrid_deques_inv δ deques }}}
      array_get #deques #i
    {{{ RET d.1; bounded_inv hubN d.2 d.1 }}}.
  Proof.
    iIntros (Hi Φ) "[#Ha #Hinv] HΦ".
    iApply (array_get_spec with "Ha"); [lia|by rewrite Nat2Z.id list_lookup_fmap Hi|].
    iIntros "!> _". iApply "HΦ". by iApply (big_sepL_lookup with "Hinv").
  Qed.

  Global Program Instance hybrid_deques : stealing_deques Σ := {|
    deques_name := list hybrid_deque;
    deques_inv δ d n := (∃ deques : loc, ⌜d = InjRV #deques⌝ ∗ ⌜length δ = n⌝ ∗
      hybrid_deques_inv δ deques)%I;
    deques_model := hybrid_deques_model;
    deques_owner := hybrid_deque_owner;
  |}.
  Next Obligation.
    iIntros (δ d n vss) "(%deques & _ & %Hn & _) Hm".
    iDestruct (big_sepL2_length with "Hm") as %<-. done.
  Qed.
  (** The push adds the task if and only if the deque holds fewer tasks than its
      capacity at the instant of the push. *)
  Next Obligation.
    iIntros (δ o n i room l _) "(%deques & -> & _ & #Id) (%d & %ws & %Hi & Ho & %Hroom) %Φ AU". wp_rec.
    wp_pures. wp_apply (get_spec with "Id"); first exact Hi. iIntros "#I".
    awp_apply (bounded_push_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iDestruct (model_acc with "Hm") as (vs [Hvs Hle]) "[Hm Hclose]"; first done.
    iAaccIntro with "Hm".
    { iIntros "Hm !>". iDestruct ("Hclose" with "[//] Hm") as "Hm". rewrite list_insert_id //.
      iFrame. by iIntros "$". }
    iIntros "[Hm %Hsuffix] !>". iExists (bool_decide (length vs < cap d)), vs. iSplitL.
    { iSplit; last first.
      { iPureIntro. split; first done. intros Hyes. apply bool_decide_eq_true_2.
        apply suffix_length in Hsuffix. specialize (Hroom Hyes). lia. }
      case_decide as Hhas.
      - rewrite bool_decide_eq_true_2 //. iApply ("Hclose" with "[%] Hm").
        rewrite length_app /=. lia.
      - rewrite bool_decide_eq_false_2 //. iDestruct ("Hclose" with "[//] Hm") as "Hm".
        by rewrite list_insert_id. }
    iIntros "HΦ !> Ho". iApply "HΦ". iExists d, _. by iFrame.
  Qed.
  (** After a pop that took a task the deque has room. *)
  Next Obligation.
    iIntros (δ o n i room _) "(%deques & -> & _ & #Id) (%d & %ws & %Hi & Ho & _) %Φ AU". wp_rec.
    wp_pures. wp_apply (get_spec with "Id"); first exact Hi. iIntros "#I".
    awp_apply (bounded_pop_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iDestruct (model_acc with "Hm") as (vs [Hvs Hle]) "[Hm Hclose]"; first done.
    iAaccIntro with "Hm".
    { iIntros "Hm !>". iDestruct ("Hclose" with "[//] Hm") as "Hm". rewrite list_insert_id //.
      iFrame. by iIntros "$". }
    iIntros "[Hm %Hsuffix] !>". iExists vs, (last vs), (removelast vs).
    pose proof (Permutation_length (newest_perm vs)) as Hlen. rewrite length_app in Hlen.
    iSplitL.
    { iSplit; last (iPureIntro; split; [done|apply newest_perm]).
      iApply ("Hclose" with "[%] Hm"). lia. }
    iIntros "HΦ !> Ho". iApply "HΦ". iExists d, _. iFrame "Ho". iPureIntro. split; first done.
    intros Hsome. destruct (last vs); simpl in Hlen; [lia|done].
  Qed.
  Next Obligation.
    iIntros (δ o n i Hin) "(%deques & -> & <- & #Id) %Φ AU". wp_rec.
    destruct (lookup_lt_is_Some_2 δ i Hin) as [d Hi].
    wp_pures. wp_apply (get_spec with "Id"); first exact Hi. iIntros "#I".
    awp_apply (bounded_steal_spec with "I").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iDestruct (model_acc with "Hm") as (vs [Hvs Hle]) "[Hm Hclose]"; first done.
    iAaccIntro with "Hm".
    { iIntros "Hm !>". iDestruct ("Hclose" with "[//] Hm") as "Hm". rewrite list_insert_id //.
      iFrame. by iIntros "$". }
    iIntros "Hm !>". iExists vs. iSplitL; last by iIntros "$". iSplit; last done.
    iApply ("Hclose" with "[%] Hm"). destruct vs; simpl in *; lia.
  Qed.
  Next Obligation.
    iIntros (δ o n i Hin Φ) "(%deques & -> & <- & #Id) HΦ". wp_rec.
    destruct (lookup_lt_is_Some_2 δ i Hin) as [d Hi].
    wp_pures. wp_apply (get_spec with "Id"); first exact Hi. iIntros "#I".
    iApply (bounded_size_safe_spec with "I HΦ").
  Qed.
  Next Obligation.
    iIntros (δ o n i Hin Φ) "(%deques & -> & <- & #Id) HΦ". wp_rec.
    destruct (lookup_lt_is_Some_2 δ i Hin) as [d Hi].
    wp_pures. wp_apply (get_spec with "Id"); first exact Hi. iIntros "#I".
    iApply (bounded_is_empty_safe_spec with "I HΦ").
  Qed.
  Next Obligation.
    iIntros (δ o n i room _ Φ) "[(%deques & -> & _ & #Id) (%d & %ws & %Hi & Ho & %Hroom)] HΦ". wp_rec.
    wp_pures. wp_apply (get_spec with "Id"); first exact Hi. iIntros "#I".
    wp_apply (bounded_sweep_spec with "[$I $Ho]"). iIntros "Ho". iApply "HΦ".
    iExists d, ws. by iFrame.
  Qed.

  (** The array of the deques, as [array_init] makes the array. *)
  Definition hybrid_deques_made δ : iProp Σ :=
    [∗ list] d ∈ δ, bounded_inv hubN d.2 d.1 ∗ bounded_model d.2 [] ∗ bounded_owner d.2 [].
  Lemma hybrid_deques_begin δ deques :
    is_array deques (DfracOwn 1) δ.*1 -∗ hybrid_deques_made δ ==∗
    hybrid_deques_inv δ deques ∗ hybrid_deques_model δ (replicate (length δ) []) ∗
    [∗ list] i ∈ seq 0 (length δ), hybrid_deque_owner δ i false.
  Proof.
    iIntros "Ha H". iMod (is_array_persist with "Ha") as "#Ha".
    iDestruct (big_sepL_sep with "H") as "[#Hinv H]".
    iDestruct (big_sepL_sep with "H") as "[Hm Ho]". iModIntro. iFrame "Ha Hinv". iSplitL "Hm".
    - rewrite /hybrid_deques_model big_sepL2_replicate_r //.
      iApply (big_sepL_impl with "Hm"). iIntros "!>" (i d _) "$". iPureIntro. simpl. lia.
    - iApply big_sepL_seq_indices. iApply (big_sepL_impl with "Ho").
      iIntros "!>" (i d Hi) "Ho". iExists d, []. by iFrame.
  Qed.
End deques.
