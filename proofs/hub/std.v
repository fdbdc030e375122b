(** The standard hub: the proof that lib/kernel/hub/std.ml is a hub ([hub_spec.v]). Its
    state and most of its operations are in [std_ops.v].

    A [steal] goes round the deques, and takes where it finds something. In a quiet
    moment it finds each deque empty when it looks at it, hence all of them at the end,
    and so central: what is left is in the inboxes of others. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev dynamic public_code public hints.
From dromos.hub Require Import hub_code central_code std_code hub_spec central stealing.
From dromos.hub Require Export std_ops.

Section std.
  Context `{!heapGS Σ, !centralG Σ, !dynamicG Σ}.
  Implicit Types (γ : std_names) (t : val) (M : hub_items) (i n : nat) (l : loc).

  (** Round the deques, then central. *)
  Local Lemma std_steal_from_try γ deques central (own : val) n i (v left : nat) :
    i < n → v < n → length (std_name_deques γ) = n →
    public_inv hubN (std_name_deques γ) deques -∗
    central_inv (std_name_central γ) central n -∗
    central_owner (std_name_central γ) i -∗
    hub_try (std_model γ) i (hub_std_steal_from (deques, central, own)%V #i #v #left)
      (central_owner (std_name_central γ) i).
  Proof.
    iIntros (Hin Hv Hn) "#Id #Ic Hc %Q %Φ AU". iInduction left as [|left] "IH" forall (v Hv).
    { wp_rec. wp_pures. iApply (hub_part_try with "[Hc] AU"); first apply std_central.
      by iApply (central_steal_spec with "Ic"). }
    wp_rec. wp_pures. wp_bind (deque_public_steal _ _ _). iApply (wp_wand with "[AU]").
    { iApply (std_oldest_try with "Id AU"). lia. }
    iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
    { iModIntro. iFrame. iRight. by eauto. }
    wp_apply (public_workers_spec with "Id"). iIntros "_". wp_pures.
    case_bool_decide; wp_pures.
    - replace (S left - 1)%Z with (Z.of_nat left) by lia.
      iApply ("IH" $! 0 with "[%] Hc AU"). lia.
    - replace (S left - 1)%Z with (Z.of_nat left) by lia.
      replace (v + 1)%Z with (Z.of_nat (S v)) by lia.
      iApply ("IH" $! (S v) with "[%] Hc AU"). rewrite Hn in H.
      assert (S v ≠ n); last lia. intros Heq. apply H. f_equal. f_equal. lia.
  Qed.

  (** Claim: So does its steal. *)
  Lemma std_steal_spec o γ n i : i < n →
    std_inv o γ n -∗ std_owner γ i true -∗
    <<{ ∀∀ M, std_model γ M }>>
      h_steal o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ std_model γ M' | RET r; std_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) [Hc Hd]".
    iApply hub_try_done. iIntros (Q Φ) "AU". simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (central_victim_spec with "[$Ic $Hc]"); first done. iIntros (v) "[%Hv Hc]".
    wp_pures. wp_apply (public_workers_spec with "Id"). iIntros "_". rewrite Hn.
    iApply (wp_wand with "[Hc AU]").
    { by iApply (std_steal_from_try with "Id Ic Hc AU"). }
    iIntros (r) "[$ $]". iFrame.
  Qed.

  (** When nobody else acts. *)
  Local Lemma std_steal_from_quiet γ deques central (own : val) n i (v left : nat) C lss :
    i < n → v < n → length (std_name_deques γ) = n → looked_at n v left lss →
    {{{ public_inv hubN (std_name_deques γ) deques ∗
        central_inv (std_name_central γ) central n ∗ central_owner (std_name_central γ) i ∗
        central_model (std_name_central γ) C ∗
        public_model (std_name_deques γ) (stealing_vals lss) ∗
        [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner (std_name_central γ) j }}}
      hub_std_steal_from (deques, central, own)%V #i #v #left
    {{{ r M', RET r; ⌜hub_taken i (C ⊎ stealing_items lss) r M'⌝ ∗
        central_owner (std_name_central γ) i ∗ std_model γ M' ∗
        ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner (std_name_central γ) j) ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hin Hv Hn Hall Φ) "(#Id & #Ic & Hc & HC & Hd & Hos) HΦ".
    iInduction left as [|left] "IH" forall (v Hv Hall).
    { iDestruct (public_model_length with "Hd") as %Hlen. rewrite length_fmap Hn in Hlen.
      pose proof (looked_at_all n v lss Hv Hlen Hall) as Hnone.
      wp_rec. wp_pures. wp_apply (central_steal_quiet_spec with "[$Ic $Hc $HC $Hos]"); first done.
      iIntros (r C') "(%Hr & Hc & HC & Hos & %Hforeign)". iApply ("HΦ" $! r C').
      rewrite Hnone right_id_L. iFrame "Hc Hos". iSplit; first done. iSplitL; last done.
      iExists C', lss. iFrame. by rewrite Hnone right_id_L. }
    wp_rec. wp_pures. awp_apply (public_steal_spec with "Id"); first lia.
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
    wp_apply (public_workers_spec with "Id"). iIntros "_". wp_pures.
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
  Lemma std_steal_quiet_spec o γ n i M : i < n →
    {{{ std_inv o γ n ∗ std_owner γ i true ∗ std_model γ M ∗
        [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → std_owner γ j false }}}
      h_steal o #i
    {{{ r M', RET r;
        ⌜hub_taken i M r M'⌝ ∗ std_owner γ i true ∗ std_model γ M' ∗
        ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → std_owner γ j false) ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hin Φ) "(Hinv & [Hc Hd] & (%C & %lss & HC & HD & ->) & Hos) HΦ".
    iDestruct "Hinv" as (deques central nf ->) "(%Hn & #Id & #Ic)".
    iEval (rewrite /std_owner others_sep) in "Hos". iDestruct "Hos" as "[Hcs Hds]".
    simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (central_victim_spec with "[$Ic $Hc]"); first done. iIntros (v) "[%Hv Hc]".
    wp_pures. wp_apply (public_workers_spec with "Id"). iIntros "_". rewrite Hn.
    wp_apply (std_steal_from_quiet with "[$Id $Ic $Hc $HC $HD $Hcs]"); try done.
    { apply looked_at_begin. }
    iIntros (r M') "(%Hr & Hc & HM & Hcs & %Hnone)". iApply "HΦ".
    iFrame "HM". iEval (rewrite /std_owner others_sep). by iFrame.
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
