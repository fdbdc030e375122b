(** The hybrid hub's deques: an array that never changes, of one bounded deque for each
    worker. As [public.v] does for the deques of the standard hub, this file takes from
    [bounded.v] what the hub needs of each; besides, no deque ever holds more than it
    has room for, and so a task that was taken out just now can be put back. *)
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev bounded_code bounded public.
From dromos.hub Require Import hub_spec stealing stealing_ops.

Notation hybrid_deque := (val * bounded_names)%type.

Section deques.
  Context `{!heapGS Σ, !boundedG Σ}.
  Implicit Types (δ : list hybrid_deque) (d : hybrid_deque) (i : nat) (l : loc).
  Implicit Types (vs ws : list val) (vss : list (list val)).
  Local Notation cap d := (bounded_capacity d.2).

  Definition hybrid_deques_inv δ (deques : loc) : iProp Σ :=
    is_array deques DfracDiscarded δ.*1 ∗ [∗ list] d ∈ δ, bounded_inv hubN d.2 d.1.
  Definition hybrid_deques_model δ vss : iProp Σ :=
    [∗ list] d; vs ∈ δ; vss, bounded_model d.2 vs ∗ ⌜length vs ≤ cap d⌝.
  Definition hybrid_deque_owner δ i : iProp Σ :=
    ∃ d ws, ⌜δ !! i = Some d⌝ ∗ bounded_owner d.2 ws.

  Lemma hybrid_deques_length δ vss : hybrid_deques_model δ vss -∗ ⌜length vss = length δ⌝.
  Proof. iIntros "H". by iDestruct (big_sepL2_length with "H") as %->. Qed.
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

  Lemma hybrid_deque_get_spec δ deques i d :
    δ !! i = Some d →
    {{{ hybrid_deques_inv δ deques }}}
      array_get #deques #i
    {{{ RET d.1; bounded_inv hubN d.2 d.1 }}}.
  Proof.
    iIntros (Hi Φ) "[#Ha #Hinv] HΦ".
    iApply (array_get_spec with "Ha"); [lia|by rewrite Nat2Z.id list_lookup_fmap Hi|].
    iIntros "!> _". iApply "HΦ". by iApply (big_sepL_lookup with "Hinv").
  Qed.
  Lemma hybrid_deques_length_spec δ deques :
    {{{ hybrid_deques_inv δ deques }}} array_length #deques {{{ RET #(length δ); True }}}.
  Proof.
    iIntros (Φ) "[#Ha _] HΦ". iDestruct (is_array_len with "Ha") as "Hlen".
    rewrite length_fmap. by wp_apply (array_length_spec with "Hlen").
  Qed.

  Lemma hybrid_deque_push_spec δ i d ws l :
    δ !! i = Some d →
    bounded_inv hubN d.2 d.1 -∗ bounded_owner d.2 ws -∗
    <<{ ∀∀ vss, hybrid_deques_model δ vss }>>
      deque_bounded_push d.1 #l @ ↑hubN
    <<{ ∃∃ (b : bool) vs,
        hybrid_deques_model δ (if b then <[i := vs ++ [ #l]]> vss else vss) ∗
        ⌜vss !! i = Some vs ∧
          (b = bool_decide (length vs < cap d) ∧ vs `suffix_of` ws)⌝
      | RET #b; hybrid_deque_owner δ i }>>.
  Proof.
    iIntros (Hi) "#I Ho %Φ AU". awp_apply (bounded_push_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iDestruct (model_acc with "Hm") as (vs [Hvs Hle]) "[Hm Hclose]"; first done.
    iAaccIntro with "Hm".
    { iIntros "Hm !>". iDestruct ("Hclose" with "[//] Hm") as "Hm". rewrite list_insert_id //.
      iFrame. by iIntros "$". }
    iIntros "[Hm %Hsuffix] !>". iExists (bool_decide (length vs < cap d)), vs. iSplitL.
    { iSplit; last done. case_decide as Hroom.
      - rewrite bool_decide_eq_true_2 //. iApply ("Hclose" with "[%] Hm").
        rewrite length_app /=. lia.
      - rewrite bool_decide_eq_false_2 //. iDestruct ("Hclose" with "[//] Hm") as "Hm".
        by rewrite list_insert_id. }
    iIntros "HΦ !> Ho". iApply "HΦ". iExists d, _. by iFrame.
  Qed.

  (** There is room for what was taken. *)
  Lemma hybrid_deque_pop_spec δ i d ws :
    δ !! i = Some d →
    bounded_inv hubN d.2 d.1 -∗ bounded_owner d.2 ws -∗
    <<{ ∀∀ vss, hybrid_deques_model δ vss }>>
      deque_bounded_pop d.1 @ ↑hubN
    <<{ ∃∃ vs o vs', hybrid_deques_model δ (<[i := vs']> vss) ∗
        ⌜vss !! i = Some vs ∧ vs ≡ₚ option_list o ++ vs'⌝
      | RET option_to_val o;
        ∃ ws', bounded_owner d.2 ws' ∗ ⌜o ≠ None → length ws' < cap d⌝ }>>.
  Proof.
    iIntros (Hi) "#I Ho %Φ AU". awp_apply (bounded_pop_spec with "I Ho").
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
    iIntros "HΦ !> Ho". iApply "HΦ". iExists _. iFrame "Ho". iPureIntro.
    intros Hsome. destruct (last vs); simpl in Hlen; [lia|done].
  Qed.

  Lemma hybrid_deque_steal_spec δ i d :
    δ !! i = Some d →
    bounded_inv hubN d.2 d.1 -∗
    stealing_oldest (hybrid_deques_model δ) i (deque_bounded_steal d.1).
  Proof.
    iIntros (Hi) "#I %Φ AU". awp_apply (bounded_steal_spec with "I").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iDestruct (model_acc with "Hm") as (vs [Hvs Hle]) "[Hm Hclose]"; first done.
    iAaccIntro with "Hm".
    { iIntros "Hm !>". iDestruct ("Hclose" with "[//] Hm") as "Hm". rewrite list_insert_id //.
      iFrame. by iIntros "$". }
    iIntros "Hm !>". iExists vs. iSplitL; last by iIntros "$". iSplit; last done.
    iApply ("Hclose" with "[%] Hm"). destruct vs; simpl in *; lia.
  Qed.

  (** The array of them, as [array_init] makes it. *)
  Definition hybrid_deques_made δ : iProp Σ :=
    [∗ list] d ∈ δ, bounded_inv hubN d.2 d.1 ∗ bounded_model d.2 [] ∗ bounded_owner d.2 [].
  Lemma hybrid_deques_begin δ deques :
    is_array deques (DfracOwn 1) δ.*1 -∗ hybrid_deques_made δ ==∗
    hybrid_deques_inv δ deques ∗ hybrid_deques_model δ (replicate (length δ) []) ∗
    [∗ list] i ∈ seq 0 (length δ), hybrid_deque_owner δ i.
  Proof.
    iIntros "Ha H". iMod (is_array_persist with "Ha") as "#Ha".
    iDestruct (big_sepL_sep with "H") as "[#Hinv H]".
    iDestruct (big_sepL_sep with "H") as "[Hm Ho]". iModIntro. iFrame "Ha Hinv". iSplitL "Hm".
    - rewrite /hybrid_deques_model big_sepL2_replicate_r //.
      iApply (big_sepL_impl with "Hm"). iIntros "!>" (i d _) "$". iPureIntro. simpl. lia.
    - iApply dromos.deque.public.big_sepL_lookup_seq. iApply (big_sepL_impl with "Ho").
      iIntros "!>" (i d Hi) "Ho". iExists d, []. by iFrame.
  Qed.
End deques.
