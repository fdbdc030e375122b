(** The standard hub, lib/kernel/hub/std.ml: its state, and the operations that look
    at the worker's own deque and at central.

    The model is what central holds ([central_state.v]) and what is in the workers'
    deques ([public.v]), for anybody ([stealing.v]). A worker owns its deque and what
    central keeps for it, whether it serves or not.

    Every operation is linearised where the one queue or deque is that it changes, and
    one that finds nothing, anywhere; a [retract] that meets another task keeps it in
    the worker's hand until it is in the deque again. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev dynamic public_code public hints.
From dromos.hub Require Import hub_code central_code std_code hub_spec central.
From dromos.hub Require Import stealing stealing_ops.

Record std_names := StdNames {
  std_name_central : central_names;
  std_name_deques : public_names;
}.

Definition std_own (deques : val) : val :=
  ((λ: "i", deque_public_size deques "i"), (λ: "i", deque_public_steal deques "i" "i"))%V.
(** The record of the operations. *)
Definition std_ops (deques central : val) (nf : loc) : hub_ops :=
  let t := (deques, central, std_own deques)%V in {|
  h_push := (λ: "i" "reason" "task", hub_std_push t "i" "reason" "task");
  h_pop := (λ: "i", hub_std_pop t "i");
  h_retract := (λ: "i" "task", hub_std_retract t "i" "task");
  h_steal := (λ: "i", hub_std_steal t "i");
  h_waits_for_answer := (λ: <>, #false);
  h_has_work := (λ: "i", hub_std_has_work t "i");
  h_submit := (λ: "reason" "task", hub_central_submit central "reason" "task");
  h_submit_to := (λ: "i" <> "task", hub_central_submit_to central "i" "task");
  h_enlist := (λ: <>, #());
  h_retire := (λ: "i", deque_public_block deques "i");
  h_tick := (λ: <>, #());
  h_finished := (λ: <> <>, #());
  h_blocked := (λ: <> <>, #());
  h_close := (λ: <>, #());
  h_notifier := nf;
|}%V.

Section std.
  Context `{!heapGS Σ, !centralG Σ, !dynamicG Σ}.
  Implicit Types (γ : std_names) (t : val) (M : hub_items) (i n : nat) (l : loc).
  Implicit Types (δ : public_names).

  Definition std_deque_owner δ i : iProp Σ := ∃ ws, public_owner δ i ws.
  Definition std_model γ : hub_items → iProp Σ :=
    stealing_model (std_name_central γ) (public_model (std_name_deques γ)).
  Definition std_owner γ i (_ : bool) : iProp Σ :=
    central_owner (std_name_central γ) i ∗ std_deque_owner (std_name_deques γ) i.
  Definition std_inv (o : hub_ops) γ n : iProp Σ :=
    ∃ deques central nf, ⌜o = std_ops deques central nf⌝ ∗
      ⌜length (std_name_deques γ) = n⌝ ∗ public_inv hubN (std_name_deques γ) deques ∗
      central_inv (std_name_central γ) central n.

  Global Instance std_model_timeless γ M : Timeless (std_model γ M).
  Proof. apply _. Qed.
  Global Instance std_owner_timeless γ i b : Timeless (std_owner γ i b).
  Proof. apply _. Qed.
  Global Instance std_inv_persistent o γ n : Persistent (std_inv o γ n).
  Proof. apply _. Qed.
  Lemma std_central γ : hub_part (central_model (std_name_central γ)) (std_model γ).
  Proof. exact (stealing_central _ _). Qed.

  (** ** One deque *)

  Local Lemma deque_push_spec δ t i l :
    public_inv hubN δ t -∗ std_deque_owner δ i -∗
    <<{ ∀∀ vss, public_model δ vss }>>
      deque_public_push t #i #l @ ↑hubN
    <<{ ∃∃ (b : bool) vs, public_model δ (if b then <[i := vs ++ [ #l]]> vss else vss) ∗
        ⌜vss !! i = Some vs ∧ b = true⌝
      | RET #(); std_deque_owner δ i }>>.
  Proof.
    iIntros "#I (%ws & Ho) %Φ AU". awp_apply (public_push_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iAaccIntro with "Hm"; first by eauto with iFrame. iIntros (vs) "[Hm [%Hi _]] !>".
    iExists true, vs. iFrame "Hm". iSplit; first done. iIntros "HΦ !> Ho". iApply "HΦ".
    iExists _. iFrame.
  Qed.
  Local Lemma deque_pop_spec δ t i :
    public_inv hubN δ t -∗ std_deque_owner δ i -∗
    <<{ ∀∀ vss, public_model δ vss }>>
      deque_public_pop t #i @ ↑hubN
    <<{ ∃∃ vs o vs', public_model δ (<[i := vs']> vss) ∗
        ⌜vss !! i = Some vs ∧ vs ≡ₚ option_list o ++ vs'⌝
      | RET option_to_val o; std_deque_owner δ i }>>.
  Proof.
    iIntros "#I (%ws & Ho) %Φ AU". awp_apply (public_pop_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iAaccIntro with "Hm"; first by eauto with iFrame. iIntros (vs) "[Hm [%Hi _]] !>".
    iExists vs, (last vs), (removelast vs). iFrame "Hm". iSplit.
    { iPureIntro. split; first done. apply newest_perm. }
    iIntros "HΦ !> Ho". iApply "HΦ". iExists _. iFrame.
  Qed.
  Lemma std_oldest_spec δ t (thief : val) j : j < length δ →
    public_inv hubN δ t -∗ stealing_oldest (public_model δ) j (deque_public_steal t thief #j).
  Proof. iIntros (Hj) "#I". by iApply public_steal_spec. Qed.

  (** ** The operations *)

  (** Claim: The hub's push adds a task for anybody, at one instant. *)
  Lemma std_push_spec o γ n i (r : Z) l : i < n →
    std_inv o γ n -∗ std_owner γ i true -∗
    <<{ ∀∀ M, std_model γ M }>>
      h_push o #i #r #l @ ↑hubN
    <<{ std_model γ (M ⊎ {[+ (l, None) +]}) | RET #(); std_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) Hown %Φ AU".
    iAssert (std_owner γ i true -∗ stealing_push_au _ _ l (std_owner γ i true) Φ -∗
      WP deque_public_push deques #i #l {{ Φ }})%I as "Hfirst".
    { iIntros "[Hc Hd] AU". iApply (wp_wand with "[Hd AU]").
      { iApply (stealing_push_own _ _ _ (λ _, #()) with "[Hd] AU").
        by iApply (deque_push_spec with "Id"). }
      iIntros (u) "(%b & %vs & [-> ->] & Hd & HΦ)". iApply "HΦ". iFrame. }
    simpl. wp_pures. wp_rec. wp_pures.
    case_bool_decide; wp_pures; first by iApply ("Hfirst" with "Hown AU").
    case_bool_decide; wp_pures; first by iApply ("Hfirst" with "Hown AU").
    case_bool_decide; wp_pures; by iApply (stealing_push_out with "Ic AU Hown").
  Qed.

  (** Claim: So does its submit, by anybody. *)
  Lemma std_submit_spec o γ n (r : Z) l :
    std_inv o γ n -∗
    <<{ ∀∀ M, std_model γ M }>>
      h_submit o #r #l @ ↑hubN
    <<{ std_model γ (M ⊎ {[+ (l, None) +]}) | RET #() }>>.
  Proof.
    iIntros "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) %Φ AU". simpl. wp_pures.
    iApply (hub_part_submit with "[] AU"); first apply std_central.
    by iApply central_submit_spec.
  Qed.

  (** Claim: What is submitted to a worker is for this worker alone. *)
  Lemma std_submit_to_spec o γ n i (r : Z) l : i < n →
    std_inv o γ n -∗
    <<{ ∀∀ M, std_model γ M }>>
      h_submit_to o #i #r #l @ ↑hubN
    <<{ std_model γ (M ⊎ {[+ (l, Some i) +]}) | RET #() }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) %Φ AU". simpl. wp_pures.
    iApply (hub_part_submit with "[] AU"); first apply std_central.
    by iApply central_submit_to_spec.
  Qed.

  (** Round the deques, then central. *)
  Lemma std_round γ deques central (own : val) n i :
    length (std_name_deques γ) = n →
    public_inv hubN (std_name_deques γ) deques -∗
    stealing_round (public_model (std_name_deques γ)) central i n
      (hub_std_steal (deques, central, own)%V #i).
  Proof.
    iIntros (Hn) "#Id".
    iExists (λ v left, hub_std_steal_from (deques, central, own)%V #i #v #left).
    iSplit; [|iSplit]; iModIntro.
    - iIntros (Φ) "H". wp_rec. wp_pures. wp_apply (wp_wand with "H").
      iIntros (r) "(%v & -> & H)". wp_pures. wp_apply (public_workers_spec with "Id").
      iIntros "_". by rewrite Hn.
    - iIntros (v Φ) "H". wp_rec. by wp_pures.
    - iIntros (v left Hv). iExists _. iSplitR; first (iApply (std_oldest_spec with "Id"); lia).
      iIntros (Φ) "H". wp_rec. wp_pures. wp_apply (wp_wand with "H").
      iIntros (r) "[[-> H]|(%l & -> & HΦ)]"; wp_pures; last done.
      wp_apply (public_workers_spec with "Id"). iIntros "_". rewrite Hn. wp_pures.
      replace (v + 1)%Z with (Z.of_nat (S v)) by lia. case_decide as Hlast.
      + rewrite Hlast bool_decide_eq_true_2 //. wp_pures.
        by replace (S left - 1)%Z with (Z.of_nat left) by lia.
      + rewrite bool_decide_eq_false_2; last by intros [= ?%Nat2Z.inj]. wp_pures.
        by replace (S left - 1)%Z with (Z.of_nat left) by lia.
  Qed.

  Local Lemma std_pop_own_first_try γ deques central (own : val) n i : i < n →
    length (std_name_deques γ) = n →
    public_inv hubN (std_name_deques γ) deques -∗
    central_inv (std_name_central γ) central n -∗ std_owner γ i true -∗
    hub_try (std_model γ) i (hub_std_pop_own_first (deques, central, own)%V #i)
      (std_owner γ i true).
  Proof.
    iIntros (Hin Hn) "#Id #Ic [Hc Hd] %Q %Φ AU". wp_rec. wp_pures.
    wp_bind (deque_public_pop _ _). iApply (wp_wand with "[Hd AU]").
    { iApply (stealing_try _ _ _ _ i (λ _ _, std_deque_owner _ i) with "[Hd] AU").
      by iApply (deque_pop_spec with "Id"). }
    iIntros (r) "[(%o & %vs & Hd) [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
    { iModIntro. iFrame. iRight. by eauto. }
    wp_rec. wp_pures. wp_apply (central_fair_spec with "[$Ic $Hc]"); first done.
    iIntros (fair) "Hc". destruct fair; wp_pures.
    - iApply (wp_wand with "[Hc AU]").
      { iApply (stealing_steal_try with "[] Ic Hc AU"); first done. by iApply std_round. }
      iIntros (r) "[$ $]". iFrame.
    - iApply (wp_wand with "[Hc AU]").
      { iApply (hub_part_try with "[Hc] AU"); first apply std_central.
        by iApply (central_pop_spec with "Ic"). }
      iIntros (r) "[$ $]". iFrame.
  Qed.

  (** Claim: The hub's pop takes an item that this worker may run, at one instant, or
      nothing. *)
  Lemma std_pop_spec o γ n i : i < n →
    std_inv o γ n -∗ std_owner γ i true -∗
    <<{ ∀∀ M, std_model γ M }>>
      h_pop o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ std_model γ M' | RET r; std_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) [Hc Hd]".
    iApply hub_try_done. iIntros (Q Φ) "AU". simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (central_fair_spec with "[$Ic $Hc]"); first done. iIntros (fair) "Hc".
    destruct fair; wp_pures; last first.
    { by iApply (std_pop_own_first_try with "Id Ic [$Hc $Hd] AU"). }
    wp_bind (hub_central_pop_fairly _ _ _). iApply (wp_wand with "[Hc Hd AU]").
    { iApply (central_pop_fairly_spec with "Ic Hc Hd [] [] AU"); [done|apply std_central|..].
      - iIntros "!> Hd". wp_pures. wp_apply (public_size_safe_spec with "Id"); first lia.
        iIntros (z) "_". iExists z. by iFrame.
      - iIntros "!> Hd %Q' %Φ' AU". wp_pures. iApply (wp_wand with "[AU]").
        { iApply (stealing_oldest_try with "[] AU"). iApply (std_oldest_spec with "Id"). lia. }
        iIntros (r) "[_ $]". iFrame. }
    iIntros (r) "[[Hc Hd] [[-> AU]|(%l & -> & HΦ)]]"; wp_pures.
    - by iApply (std_pop_own_first_try with "Id Ic [$Hc $Hd] AU").
    - iModIntro. iFrame. iRight. by eauto.
  Qed.

  (** Claim: A retract that succeeds has taken this very task, at one instant. *)
  Lemma std_retract_spec o γ n i l : i < n →
    std_inv o γ n -∗ std_owner γ i true -∗
    <<{ ∀∀ M, std_model γ M }>>
      h_retract o #i #l @ ↑hubN
    <<{ ∃∃ (b : bool) M',
        ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗
        std_model γ M'
      | RET #b; std_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%deques & %central & %nf & -> & %Hn & #Id & #Ic) [Hc Hd] %Φ AU".
    simpl. wp_pures. wp_rec. wp_pures. wp_bind (deque_public_pop _ _).
    iApply (wp_wand with "[Hc Hd AU]").
    { iApply (stealing_retract_take _ _ _ _ _ _ _ (λ _ _, std_deque_owner _ i)
        with "[Hd] Hc AU"). by iApply (deque_pop_spec with "Id"). }
    iIntros (r) "(%o & %vs' & -> & Hd & H)". destruct o as [l'|]; wp_pures; last first.
    { iDestruct "H" as "[Hc AU]". iApply (hub_retract_nothing with "AU"). iFrame. }
    case_decide as Hl.
    { subst l'. rewrite bool_decide_eq_true_2 //. wp_pures. iDestruct "H" as "[Hc HΦ]".
      iApply "HΦ". by iFrame. }
    rewrite bool_decide_eq_false_2; last by intros [= ->]. wp_pures.
    iDestruct "H" as "[Hc AU]". wp_bind (deque_public_push _ _ _).
    iApply (wp_wand with "[Hc Hd AU]").
    { iApply (stealing_put_back _ _ _ (λ _, #()) _ _ _ _ _ (λ b _, b = true)
        (λ _ _, std_deque_owner _ i) with "[Hd] Hc AU"). by iApply (deque_push_spec with "Id"). }
    iIntros (r) "(%b & %vs & [-> ->] & Hd & AU & Hc)". wp_pures.
    iApply (hub_retract_nothing with "AU"). iFrame.
  Qed.

  Lemma std_has_work_spec o γ n i b : i < n →
    {{{ std_inv o γ n ∗ std_owner γ i b }}}
      h_has_work o #i
    {{{ (r : bool), RET #r; std_owner γ i b }}}.
  Proof.
    iIntros (Hin Φ) "[(%deques & %central & %nf & -> & %Hn & #Id & #Ic) Hown] HΦ".
    simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (public_is_empty_safe_spec with "Id"); first lia. iIntros ([]) "_"; wp_pures.
    - wp_apply (central_has_work_spec with "Ic"). iIntros (r) "_". by iApply "HΦ".
    - by iApply "HΦ".
  Qed.

  Lemma std_retire_spec o γ n i : i < n →
    {{{ std_inv o γ n ∗ std_owner γ i true }}}
      h_retire o #i
    {{{ RET #(); std_owner γ i false }}}.
  Proof.
    iIntros (Hin Φ) "[(%deques & %central & %nf & -> & %Hn & #Id & #Ic) [Hc (%ws & Hd)]] HΦ".
    simpl. wp_pures. wp_apply (public_block_spec with "[$Id $Hd]"). iIntros "Hd".
    iApply "HΦ". iFrame.
  Qed.
End std.
