(** The hybrid hub, lib/kernel/hub/hybrid.ml: its state, and the operations that look at
    the worker's own deque and at central.

    As [std_ops.v], on bounded deques: a push on a full deque has not happened, and then
    it is central's submission that counts. A [retract] that meets another task puts it
    back into a deque that has room, since it was there a moment ago and only its owner
    pushes. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev bounded_code bounded hints.
From dromos.hub Require Import hub_code central_code hybrid_code hub_spec central.
From dromos.hub Require Import stealing stealing_ops hybrid_deques.

Record hybrid_names := HybridNames {
  hybrid_name_central : central_names;
  hybrid_name_deques : list hybrid_deque;
}.

Definition hybrid_own (deques : loc) : val :=
  ((λ: "i", deque_bounded_size (array_get #deques "i")),
   (λ: "i", deque_bounded_steal (array_get #deques "i")))%V.
(** The record of the operations. *)
Definition hybrid_ops (deques : loc) (central : val) (nf : loc) : hub_ops :=
  let t := (#deques, central, hybrid_own deques)%V in {|
  h_push := (λ: "i" "reason" "task", hub_hybrid_push t "i" "reason" "task");
  h_pop := (λ: "i", hub_hybrid_pop t "i");
  h_retract := (λ: "i" "task", hub_hybrid_retract t "i" "task");
  h_steal := (λ: "i", hub_hybrid_steal t "i");
  h_waits_for_answer := (λ: <>, #false);
  h_has_work := (λ: "i", hub_hybrid_has_work t "i");
  h_submit := (λ: "reason" "task", hub_central_submit central "reason" "task");
  h_submit_to := (λ: "i" <> "task", hub_central_submit_to central "i" "task");
  h_enlist := (λ: <>, #());
  h_retire := (λ: "i", hub_hybrid_retire t "i");
  h_tick := (λ: <>, #());
  h_finished := (λ: <> <>, #());
  h_blocked := (λ: <> <>, #());
  h_close := (λ: <>, #());
  h_notifier := nf;
|}%V.

Section hybrid.
  Context `{!heapGS Σ, !centralG Σ, !boundedG Σ}.
  Implicit Types (γ : hybrid_names) (t : val) (M : hub_items) (i n : nat) (l : loc).

  Definition hybrid_model γ : hub_items → iProp Σ :=
    stealing_model (hybrid_name_central γ) (hybrid_deques_model (hybrid_name_deques γ)).
  Definition hybrid_owner γ i (_ : bool) : iProp Σ :=
    central_owner (hybrid_name_central γ) i ∗ hybrid_deque_owner (hybrid_name_deques γ) i.
  Definition hybrid_inv (o : hub_ops) γ n : iProp Σ :=
    ∃ deques central nf, ⌜o = hybrid_ops deques central nf⌝ ∗
      ⌜length (hybrid_name_deques γ) = n⌝ ∗ hybrid_deques_inv (hybrid_name_deques γ) deques ∗
      central_inv (hybrid_name_central γ) central n.

  Global Instance hybrid_model_timeless γ M : Timeless (hybrid_model γ M).
  Proof. apply _. Qed.
  Global Instance hybrid_owner_timeless γ i b : Timeless (hybrid_owner γ i b).
  Proof. apply _. Qed.
  Global Instance hybrid_inv_persistent o γ n : Persistent (hybrid_inv o γ n).
  Proof. apply _. Qed.
  Lemma hybrid_central γ :
    hub_part (central_model (hybrid_name_central γ)) (hybrid_model γ).
  Proof. exact (stealing_central _ _). Qed.

  (** ** The operations *)

  (** Claim: The hub's push adds a task for anybody, at one instant. *)
  Lemma hybrid_push_spec o γ n i (r : Z) l : i < n →
    hybrid_inv o γ n -∗ hybrid_owner γ i true -∗
    <<{ ∀∀ M, hybrid_model γ M }>>
      h_push o #i #r #l @ ↑hubN
    <<{ hybrid_model γ (M ⊎ {[+ (l, None) +]}) | RET #(); hybrid_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) Hown %Φ AU".
    destruct (lookup_lt_is_Some_2 (hybrid_name_deques γ) i) as [d Hi]; first lia.
    iAssert (hybrid_owner γ i true -∗ stealing_push_au _ _ l (hybrid_owner γ i true) Φ -∗
      WP let: "deque" := array_get #deques #i in
         if: ~ deque_bounded_push "deque" #l then
           hub_central_submit (Snd (Fst (#deques, central, hybrid_own deques)%V)) #r #l
         else #() {{ Φ }})%I as "Hfirst".
    { iIntros "[Hc (%d' & %ws & %Hd & Hd)] AU". simplify_eq.
      wp_apply (hybrid_deque_get_spec with "Id"); first exact Hi. iIntros "#I". wp_pures.
      wp_bind (deque_bounded_push _ _). iApply (wp_wand with "[Hd AU]").
      { iApply (stealing_push_own _ _ _ (λ b, #b) with "[Hd] AU").
        by iApply (hybrid_deque_push_spec with "I Hd"). }
      iIntros (v) "(%b & %vs & [-> _] & Hd & HΦ)". iCombine "Hc Hd" as "Hown".
      destruct b; wp_pures; first by iApply "HΦ".
      by iApply (stealing_push_out with "Ic HΦ Hown"). }
    simpl. wp_pures. wp_rec. wp_pures.
    case_bool_decide; wp_pure _; wp_pures; first by iApply ("Hfirst" with "Hown AU").
    case_bool_decide; wp_pure _; wp_pures; first by iApply ("Hfirst" with "Hown AU").
    case_bool_decide; wp_pures; by iApply (stealing_push_out with "Ic AU Hown").
  Qed.

  (** Claim: So does its submit, by anybody. *)
  Lemma hybrid_submit_spec o γ n (r : Z) l :
    hybrid_inv o γ n -∗
    <<{ ∀∀ M, hybrid_model γ M }>>
      h_submit o #r #l @ ↑hubN
    <<{ hybrid_model γ (M ⊎ {[+ (l, None) +]}) | RET #() }>>.
  Proof.
    iIntros "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) %Φ AU". simpl. wp_pures.
    iApply (hub_part_submit with "[] AU"); first apply hybrid_central.
    by iApply central_submit_spec.
  Qed.

  (** Claim: What is submitted to a worker is for this worker alone. *)
  Lemma hybrid_submit_to_spec o γ n i (r : Z) l : i < n →
    hybrid_inv o γ n -∗
    <<{ ∀∀ M, hybrid_model γ M }>>
      h_submit_to o #i #r #l @ ↑hubN
    <<{ hybrid_model γ (M ⊎ {[+ (l, Some i) +]}) | RET #() }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) %Φ AU". simpl. wp_pures.
    iApply (hub_part_submit with "[] AU"); first apply hybrid_central.
    by iApply central_submit_to_spec.
  Qed.

  (** Round the deques, then central. *)
  Lemma hybrid_round γ (deques : loc) central (own : val) n i :
    length (hybrid_name_deques γ) = n →
    hybrid_deques_inv (hybrid_name_deques γ) deques -∗
    stealing_round (hybrid_deques_model (hybrid_name_deques γ)) central i n
      (hub_hybrid_steal (#deques, central, own)%V #i).
  Proof.
    iIntros (Hn) "#Id".
    iExists (λ v left, hub_hybrid_steal_from (#deques, central, own)%V #i #v #left).
    iSplit; [|iSplit]; iModIntro.
    - iIntros (Φ) "H". wp_rec. wp_pures. wp_apply (wp_wand with "H").
      iIntros (r) "(%v & -> & H)". wp_pures. wp_apply (hybrid_deques_length_spec with "Id").
      iIntros "_". by rewrite Hn.
    - iIntros (v Φ) "H". wp_rec. by wp_pures.
    - iIntros (v left Hv).
      destruct (lookup_lt_is_Some_2 (hybrid_name_deques γ) v) as [d Hd]; first lia.
      iExists (deque_bounded_steal d.1). iSplitR.
      { iApply hybrid_deque_steal_spec; first done. iDestruct "Id" as "[_ H]".
        by iApply (big_sepL_lookup with "H"). }
      iIntros (Φ) "H". wp_rec. wp_pures.
      wp_apply (hybrid_deque_get_spec with "Id"); first exact Hd. iIntros "_". wp_pures.
      wp_apply (wp_wand with "H").
      iIntros (r) "[[-> H]|(%l & -> & HΦ)]"; wp_pures; last done.
      wp_apply (hybrid_deques_length_spec with "Id"). iIntros "_". rewrite Hn. wp_pures.
      replace (v + 1)%Z with (Z.of_nat (S v)) by lia. case_decide as Hlast.
      + rewrite Hlast bool_decide_eq_true_2 //. wp_pures.
        by replace (S left - 1)%Z with (Z.of_nat left) by lia.
      + rewrite bool_decide_eq_false_2; last by intros [= ?%Nat2Z.inj]. wp_pures.
        by replace (S left - 1)%Z with (Z.of_nat left) by lia.
  Qed.

  Local Lemma pop_own_first_try γ deques central (own : val) n i : i < n →
    length (hybrid_name_deques γ) = n →
    hybrid_deques_inv (hybrid_name_deques γ) deques -∗
    central_inv (hybrid_name_central γ) central n -∗ hybrid_owner γ i true -∗
    hub_try (hybrid_model γ) i (hub_hybrid_pop_own_first (#deques, central, own)%V #i)
      (hybrid_owner γ i true).
  Proof.
    iIntros (Hin Hn) "#Id #Ic [Hc (%d & %ws & %Hi & Hd)] %Q %Φ AU". wp_rec. wp_pures.
    wp_apply (hybrid_deque_get_spec with "Id"); first exact Hi. iIntros "#I". wp_pures.
    wp_bind (deque_bounded_pop _). iApply (wp_wand with "[Hd AU]").
    { iApply (stealing_try _ _ _ _ i
        (λ o _, ∃ ws', bounded_owner d.2 ws' ∗
          ⌜o ≠ None → length ws' < bounded_capacity d.2⌝)%I with "[Hd] AU").
      by iApply (hybrid_deque_pop_spec with "I Hd"). }
    iIntros (r) "[(%o & %vs & %ws' & Hd & _) Hr]".
    iAssert (hybrid_deque_owner (hybrid_name_deques γ) i) with "[Hd]" as "Hd".
    { iExists d, ws'. by iFrame. }
    iDestruct "Hr" as "[[-> AU]|(%l & -> & HΦ)]"; wp_pures; last first.
    { iModIntro. iFrame. iRight. by eauto. }
    wp_rec. wp_pures. wp_apply (central_fair_spec with "[$Ic $Hc]"); first done.
    iIntros (fair) "Hc". destruct fair; wp_pures.
    - iApply (wp_wand with "[Hc AU]").
      { iApply (stealing_steal_try with "[] Ic Hc AU"); first done. by iApply hybrid_round. }
      iIntros (r) "[$ $]". iFrame.
    - iApply (wp_wand with "[Hc AU]").
      { iApply (hub_part_try with "[Hc] AU"); first apply hybrid_central.
        by iApply (central_pop_spec with "Ic"). }
      iIntros (r) "[$ $]". iFrame.
  Qed.

  (** Claim: The hub's pop takes an item that this worker may run, at one instant, or
      nothing. *)
  Lemma hybrid_pop_spec o γ n i : i < n →
    hybrid_inv o γ n -∗ hybrid_owner γ i true -∗
    <<{ ∀∀ M, hybrid_model γ M }>>
      h_pop o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ hybrid_model γ M' | RET r; hybrid_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) [Hc Hd]".
    destruct (lookup_lt_is_Some_2 (hybrid_name_deques γ) i) as [d Hi]; first lia.
    iApply hub_try_done. iIntros (Q Φ) "AU". simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (central_fair_spec with "[$Ic $Hc]"); first done. iIntros (fair) "Hc".
    destruct fair; wp_pures; last first.
    { by iApply (pop_own_first_try with "Id Ic [$Hc $Hd] AU"). }
    wp_bind (hub_central_pop_fairly _ _ _). iApply (wp_wand with "[Hc Hd AU]").
    { iApply (central_pop_fairly_spec with "Ic Hc Hd [] [] AU"); [done|apply hybrid_central|..].
      - iIntros "!> Hd". wp_pures. wp_apply (hybrid_deque_get_spec with "Id"); first exact Hi.
        iIntros "#I". wp_apply (bounded_size_safe_spec with "I"). iIntros (z) "_".
        iExists z. by iFrame.
      - iIntros "!> Hd %Q' %Φ' AU". wp_pures.
        wp_apply (hybrid_deque_get_spec with "Id"); first exact Hi. iIntros "#I".
        iApply (wp_wand with "[AU]").
        { iApply (stealing_oldest_try with "[] AU"). by iApply (hybrid_deque_steal_spec with "I"). }
        iIntros (r) "[_ $]". iFrame. }
    iIntros (r) "[[Hc Hd] [[-> AU]|(%l & -> & HΦ)]]"; wp_pures.
    - by iApply (pop_own_first_try with "Id Ic [$Hc $Hd] AU").
    - iModIntro. iFrame. iRight. by eauto.
  Qed.

  (** Claim: A retract that succeeds has taken this very task, at one instant. *)
  Lemma hybrid_retract_spec o γ n i l : i < n →
    hybrid_inv o γ n -∗ hybrid_owner γ i true -∗
    <<{ ∀∀ M, hybrid_model γ M }>>
      h_retract o #i #l @ ↑hubN
    <<{ ∃∃ (b : bool) M',
        ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗
        hybrid_model γ M'
      | RET #b; hybrid_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) [Hc Hd] %Φ AU".
    iDestruct "Hd" as (d ws Hi) "Hd".
    simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (hybrid_deque_get_spec with "Id"); first exact Hi. iIntros "#I". wp_pures.
    wp_bind (deque_bounded_pop _). iApply (wp_wand with "[Hc Hd AU]").
    { iApply (stealing_retract_take _ _ _ _ _ _ _
        (λ o _, ∃ ws', bounded_owner d.2 ws' ∗
          ⌜o ≠ None → length ws' < bounded_capacity d.2⌝)%I
        with "[Hd] Hc AU"). by iApply (hybrid_deque_pop_spec with "I Hd"). }
    iIntros (r) "(%o & %vs' & -> & (%ws' & Hd & %Hroom) & H)".
    destruct o as [l'|]; wp_pures; last first.
    { iDestruct "H" as "[Hc AU]". iApply (hub_retract_nothing with "AU"). iFrame "Hc".
      iExists d, ws'. by iFrame. }
    case_decide as Hl.
    { subst l'. rewrite bool_decide_eq_true_2 //. wp_pures. iDestruct "H" as "[Hc HΦ]".
      iApply "HΦ". iFrame "Hc". iExists d, ws'. by iFrame. }
    rewrite bool_decide_eq_false_2; last by intros [= ->]. wp_pures.
    iDestruct "H" as "[Hc AU]". wp_bind (deque_bounded_push _ _).
    iApply (wp_wand with "[Hc Hd AU]").
    { iApply (stealing_put_back _ _ _ (λ b, #b) _ _ _ _ _ _
        (λ _ _, hybrid_deque_owner (hybrid_name_deques γ) i) with "[Hd] Hc AU").
      by iApply (hybrid_deque_push_spec with "I Hd"). }
    iIntros (r) "(%b & %vs & [-> [%Hb %Hsuffix]] & Hd & AU & Hc)".
    rewrite bool_decide_eq_true_2 in Hb; last first.
    { apply suffix_length in Hsuffix. specialize (Hroom ltac:(done)). lia. }
    subst b. wp_pures. iApply (hub_retract_nothing with "AU"). iFrame.
  Qed.

  Lemma hybrid_has_work_spec o γ n i b : i < n →
    {{{ hybrid_inv o γ n ∗ hybrid_owner γ i b }}}
      h_has_work o #i
    {{{ (r : bool), RET #r; hybrid_owner γ i b }}}.
  Proof.
    iIntros (Hin Φ) "[(%deques & %central & %nf & -> & %Hn & #Id & #Ic) Hown] HΦ".
    destruct (lookup_lt_is_Some_2 (hybrid_name_deques γ) i) as [d Hi]; first lia.
    simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (hybrid_deque_get_spec with "Id"); first exact Hi. iIntros "#I". wp_pures.
    wp_apply (bounded_is_empty_safe_spec with "I"). iIntros ([]) "_"; wp_pures.
    - wp_apply (central_has_work_spec with "Ic"). iIntros (r) "_". by iApply "HΦ".
    - by iApply "HΦ".
  Qed.

  Lemma hybrid_retire_spec o γ n i : i < n →
    {{{ hybrid_inv o γ n ∗ hybrid_owner γ i true }}}
      h_retire o #i
    {{{ RET #(); hybrid_owner γ i false }}}.
  Proof.
    iIntros (Hin Φ) "[(%deques & %central & %nf & -> & %Hn & #Id & #Ic) [Hc Hd]] HΦ".
    iDestruct "Hd" as (d ws Hi) "Hd". simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (hybrid_deque_get_spec with "Id"); first exact Hi. iIntros "#I". wp_pures.
    wp_apply (bounded_sweep_spec with "[$I $Hd]"). iIntros "Hd".
    iApply "HΦ". iFrame "Hc". iExists d, ws. by iFrame.
  Qed.
End hybrid.
