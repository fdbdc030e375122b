(** The hybrid hub: the proof that lib/kernel/hub/hybrid.ml is a hub ([hub_spec.v]). Its
    state and most of its operations are in [hybrid_ops.v].

    A [steal] goes round the deques as the standard hub's does ([std.v]), and in a quiet
    moment leaves nothing that this worker may run, for the same reason. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev bounded_code bounded.
From dromos.hub Require Import hub_code central_code hybrid_code hub_spec central stealing.
From dromos.hub Require Import hybrid_deques.
From dromos.hub Require Export hybrid_ops.

Section hybrid.
  Context `{!heapGS Σ, !centralG Σ, !boundedG Σ}.
  Implicit Types (γ : hybrid_names) (t : val) (M : hub_items) (i n : nat) (l : loc).

  (** Round the deques, then central. *)
  Local Lemma hybrid_steal_from_try γ deques central (own : val) n i (v left : nat) :
    i < n → v < n → length (hybrid_name_deques γ) = n →
    hybrid_deques_inv (hybrid_name_deques γ) deques -∗
    central_inv (hybrid_name_central γ) central n -∗
    central_owner (hybrid_name_central γ) i -∗
    hub_try (hybrid_model γ) i (hub_hybrid_steal_from (#deques, central, own)%V #i #v #left)
      (central_owner (hybrid_name_central γ) i).
  Proof.
    iIntros (Hin Hv Hn) "#Id #Ic Hc %Q %Φ AU". iInduction left as [|left] "IH" forall (v Hv).
    { wp_rec. wp_pures. iApply (hub_part_try with "[Hc] AU"); first apply hybrid_central.
      by iApply (central_steal_spec with "Ic"). }
    wp_rec. wp_pures. 
    destruct (lookup_lt_is_Some_2 (hybrid_name_deques γ) v) as [d Hd]; first lia.
    wp_apply (hybrid_deque_get_spec with "Id"); first exact Hd. iIntros "#I". wp_pures.
    wp_bind (deque_bounded_steal _). iApply (wp_wand with "[AU]").
    { by iApply (hybrid_oldest_try with "I AU"). }
    iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
    { iModIntro. iFrame. iRight. by eauto. }
    wp_apply (hybrid_deques_length_spec with "Id"). iIntros "_". wp_pures.
    case_bool_decide; wp_pures.
    - replace (S left - 1)%Z with (Z.of_nat left) by lia.
      iApply ("IH" $! 0 with "[%] Hc AU"). lia.
    - replace (S left - 1)%Z with (Z.of_nat left) by lia.
      replace (v + 1)%Z with (Z.of_nat (S v)) by lia.
      iApply ("IH" $! (S v) with "[%] Hc AU"). rewrite Hn in H.
      assert (S v ≠ n); last lia. intros Heq. apply H. f_equal. f_equal. lia.
  Qed.

  (** Claim: So does its steal. *)
  Lemma hybrid_steal_spec o γ n i : i < n →
    hybrid_inv o γ n -∗ hybrid_owner γ i true -∗
    <<{ ∀∀ M, hybrid_model γ M }>>
      h_steal o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ hybrid_model γ M' | RET r; hybrid_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) [Hc Hd]".
    iApply hub_try_done. iIntros (Q Φ) "AU". simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (central_victim_spec with "[$Ic $Hc]"); first done. iIntros (v) "[%Hv Hc]".
    wp_pures. wp_apply (hybrid_deques_length_spec with "Id"). iIntros "_". rewrite Hn.
    iApply (wp_wand with "[Hc AU]").
    { by iApply (hybrid_steal_from_try with "Id Ic Hc AU"). }
    iIntros (r) "[$ $]". iFrame.
  Qed.

  (** When nobody else acts. *)
  Local Lemma hybrid_steal_from_quiet γ deques central (own : val) n i (v left : nat) C lss :
    i < n → v < n → length (hybrid_name_deques γ) = n → looked_at n v left lss →
    {{{ hybrid_deques_inv (hybrid_name_deques γ) deques ∗
        central_inv (hybrid_name_central γ) central n ∗ central_owner (hybrid_name_central γ) i ∗
        central_model (hybrid_name_central γ) C ∗
        hybrid_deques_model (hybrid_name_deques γ) (stealing_vals lss) ∗
        [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner (hybrid_name_central γ) j }}}
      hub_hybrid_steal_from (#deques, central, own)%V #i #v #left
    {{{ r M', RET r; ⌜hub_taken i (C ⊎ stealing_items lss) r M'⌝ ∗
        central_owner (hybrid_name_central γ) i ∗ hybrid_model γ M' ∗
        ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner (hybrid_name_central γ) j) ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hin Hv Hn Hall Φ) "(#Id & #Ic & Hc & HC & Hd & Hos) HΦ".
    iInduction left as [|left] "IH" forall (v Hv Hall).
    { iDestruct (hybrid_deques_length with "Hd") as %Hlen. rewrite length_fmap Hn in Hlen.
      pose proof (looked_at_all n v lss Hv Hlen Hall) as Hnone.
      wp_rec. wp_pures. wp_apply (central_steal_quiet_spec with "[$Ic $Hc $HC $Hos]"); first done.
      iIntros (r C') "(%Hr & Hc & HC & Hos & %Hforeign)". iApply ("HΦ" $! r C').
      rewrite Hnone right_id_L. iFrame "Hc Hos". iSplit; first done. iSplitL; last done.
      iExists C', lss. iFrame. by rewrite Hnone right_id_L. }
    wp_rec. wp_pures.
    destruct (lookup_lt_is_Some_2 (hybrid_name_deques γ) v) as [d Hd]; first lia.
    wp_apply (hybrid_deque_get_spec with "Id"); first exact Hd. iIntros "#I". wp_pures.
    awp_apply (hybrid_deque_steal_spec with "I"); first done.
    iAaccIntro with "Hd"; first by eauto with iFrame. iIntros (vs) "[Hd %Hi] !>".
    apply stealing_vals_lookup in Hi as (ls & Hi & ->).
    destruct ls as [|l ls]; simpl; wp_pures; last first.
    { iApply ("HΦ" $! _ (C ⊎ stealing_items (<[v := ls]> lss))). iFrame "Hc Hos". iModIntro.
      iSplit; last first.
      { iSplitL; last done. iExists C, (<[v := ls]> lss). rewrite stealing_vals_insert. by iFrame. }
      iPureIntro. right. exists l, None. split; first done. split; first by left.
      rewrite -assoc_L -(stealing_items_insert (<[v := ls]> lss) v ls (l :: ls)) //.
      - by rewrite list_insert_insert list_insert_id.
      - apply list_lookup_insert. by eapply lookup_lt_Some. }
    wp_apply (hybrid_deques_length_spec with "Id"). iIntros "_". wp_pures.
    rewrite list_insert_id; last by rewrite list_lookup_fmap Hi.
    pose proof (looked_at_next n v left lss Hv Hall Hi) as Hnext. rewrite Hn.
    case_bool_decide as Hlast; wp_pures.
    - rewrite decide_True in Hnext; last (injection Hlast; lia).
      replace (S left - 1)%Z with (Z.of_nat left) by lia.
      iApply ("IH" $! 0 with "[%] [%] Hc HC Hd Hos HΦ"); [lia|done].
    - assert (S v ≠ n) by (intros <-; apply Hlast; do 2 f_equal; lia).
      rewrite decide_False in Hnext; last done.
      replace (S left - 1)%Z with (Z.of_nat left) by lia.
      replace (v + 1)%Z with (Z.of_nat (S v)) by lia.
      iApply ("IH" $! (S v) with "[%] [%] Hc HC Hd Hos HΦ"); [lia|done].
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
    iIntros (Hin Φ) "(Hinv & [Hc Hd] & (%C & %lss & HC & HD & ->) & Hos) HΦ".
    iDestruct "Hinv" as (deques central nf ->) "(%Hn & #Id & #Ic)".
    iEval (rewrite /hybrid_owner others_sep) in "Hos". iDestruct "Hos" as "[Hcs Hds]".
    simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (central_victim_spec with "[$Ic $Hc]"); first done. iIntros (v) "[%Hv Hc]".
    wp_pures. wp_apply (hybrid_deques_length_spec with "Id"). iIntros "_". rewrite Hn.
    wp_apply (hybrid_steal_from_quiet with "[$Id $Ic $Hc $HC $HD $Hcs]"); try done.
    { apply looked_at_begin. }
    iIntros (r M') "(%Hr & Hc & HM & Hcs & %Hnone)". iApply "HΦ".
    iFrame "HM". iEval (rewrite /hybrid_owner others_sep). by iFrame.
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
  Next Obligation.
    iIntros (o γ n i Hin Φ) "[(%deques & %central & %nf & -> & _) Hown] HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation. by iIntros (o γ n i Hin Φ) "(_ & _ & [])". Qed.
  Next Obligation.
    iIntros (o γ n i Hin Φ) "[(%deques & %central & %nf & -> & _) Hown] HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n i Hin Φ) "[(%deques & %central & %nf & -> & _) Hown] HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hin Φ) "[(%deques & %central & %nf & -> & _) Hown] HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hin Φ) "[(%deques & %central & %nf & -> & _) Hown] HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n Φ) "(%deques & %central & %nf & -> & _) HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.

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
