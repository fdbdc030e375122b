(** * Public deques

    Each worker has one deque without bound, in an array that never changes; thieves
    take items themselves.  The proofs come from [dynamic.v].  This file adds the model
    of all deques: a list of lists.  An operation changes one list.

    [public_owner γ i ws] is owned by the thread that serves as worker [i]; [ws] is an
    upper bound of the items of the worker's deque.  Other implementations of the same
    interface have operations that wait for an answer; these operations are trivial
    here. *)
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev dynamic_code dynamic public_code.

Definition public_names : Type := list (val * dynamic_names).

Section public.
  Context `{!heapGS Σ, !dynamicG Σ} (N : namespace).
  Implicit Types (γ : public_names) (δ : dynamic_names) (t v dummy d : val) (i : nat).
  Implicit Types (vs ws : list val) (vss : list (list val)).

  Definition public_inv γ t : iProp Σ :=
    ∃ a : loc, ⌜t = #a⌝ ∗ is_array a DfracDiscarded γ.*1 ∗
      [∗ list] dδ ∈ γ, dynamic_inv N dδ.2 dδ.1.
  Definition public_model γ vss : iProp Σ :=
    [∗ list] dδ; vs ∈ γ; vss, dynamic_model dδ.2 vs.
  Definition public_owner γ i ws : iProp Σ :=
    ∃ dδ, ⌜γ !! i = Some dδ⌝ ∗ dynamic_owner dδ.2 ws.

  Global Instance public_inv_persistent γ t : Persistent (public_inv γ t).
  Proof. apply _. Qed.
  Global Instance public_model_timeless γ vss : Timeless (public_model γ vss).
  Proof. apply _. Qed.
  Global Instance public_owner_timeless γ i ws : Timeless (public_owner γ i ws).
  Proof. apply _. Qed.

  Lemma public_model_length γ vss : public_model γ vss -∗ ⌜length vss = length γ⌝.
  Proof. iIntros "H". by iDestruct (big_sepL2_length with "H") as %->. Qed.
  Lemma public_owner_lt γ i ws : public_owner γ i ws -∗ ⌜i < length γ⌝.
  Proof. iIntros "(%dδ & %Hi & _)". iPureIntro. by eapply lookup_lt_Some. Qed.
  Lemma public_owner_exclusive γ i ws1 ws2 :
    public_owner γ i ws1 -∗ public_owner γ i ws2 -∗ False.
  Proof.
    iIntros "(%d1 & %H1 & Ho1) (%d2 & %H2 & Ho2)". simplify_eq.
    iApply (dynamic_owner_exclusive with "Ho1 Ho2").
  Qed.
  Lemma public_owner_weaken γ i ws ws' :
    ws `suffix_of` ws' → public_owner γ i ws -∗ public_owner γ i ws'.
  Proof.
    iIntros (?) "(%dδ & % & Ho)". iExists dδ. iSplit; first done.
    by iApply (dynamic_owner_weaken with "Ho").
  Qed.
  Local Lemma public_model_acc γ vss i dδ :
    γ !! i = Some dδ → public_model γ vss -∗
    ∃ vs, ⌜vss !! i = Some vs⌝ ∗ dynamic_model dδ.2 vs ∗
      ∀ vs', dynamic_model dδ.2 vs' -∗ public_model γ (<[i := vs']> vss).
  Proof.
    iIntros (Hi) "H". iDestruct (big_sepL2_length with "H") as %Hlen.
    destruct (lookup_lt_is_Some_2 vss i) as [vs Hvs].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iExists vs. iSplit; first done.
    iDestruct (big_sepL2_insert_acc with "H") as "[$ H]"; [done..|].
    iIntros (vs') "Hm". iDestruct ("H" $! dδ vs' with "Hm") as "H".
    by rewrite (list_insert_id γ).
  Qed.
  (** Claim: The content of a worker's deque is a suffix of the list that the worker
      knows. *)
  Lemma public_owner_model γ t i ws vss E :
    ↑N ⊆ E → public_inv γ t -∗ public_owner γ i ws -∗ public_model γ vss ={E}=∗
    public_owner γ i ws ∗ public_model γ vss ∗
      ∃ vs, ⌜vss !! i = Some vs ∧ vs `suffix_of` ws⌝.
  Proof.
    iIntros (?) "(%a & -> & _ & #Hinv) (%dδ & %Hi & Ho) Hm".
    iDestruct (public_model_acc with "Hm") as (vs) "(%Hvs & Hm & Hclose)"; first done.
    iDestruct (big_sepL_lookup with "Hinv") as "Hi"; first done.
    iMod (dynamic_owner_model with "Hi Ho Hm") as "(Ho & Hm & %)"; first done.
    iDestruct ("Hclose" with "Hm") as "Hm". rewrite list_insert_id //. iFrame "Hm".
    iModIntro. iSplit; last by eauto. iExists dδ. by iFrame.
  Qed.

  Local Lemma deque_spec γ t i dδ :
    γ !! i = Some dδ →
    {{{ public_inv γ t }}} deque_public_deque t #i {{{ RET dδ.1; dynamic_inv N dδ.2 dδ.1 }}}.
  Proof.
    iIntros (Hi Φ) "(%a & -> & #Ha & #Hinv) HΦ". wp_rec. wp_pures.
    wp_apply (array_get_spec with "Ha"); [lia|by rewrite Nat2Z.id list_lookup_fmap Hi|].
    iIntros "_". iApply "HΦ". by iApply (big_sepL_lookup with "Hinv").
  Qed.

  Local Lemma big_sepL_lookup_seq {A} (l : list A) (P : nat → iProp Σ) :
    ([∗ list] i ↦ _ ∈ l, P i) -∗ [∗ list] i ∈ seq 0 (length l), P i.
  Proof.
    iIntros "H". iInduction l as [|x l] "IH" using rev_ind; first done.
    rewrite length_app Nat.add_1_r seq_S !big_sepL_app /= Nat.add_0_r.
    iDestruct "H" as "(H & $ & _)". by iApply "IH".
  Qed.

  (** Claim: New public deques are empty; each worker has one deque, and each deque has
      one owner. *)
  Lemma public_create_spec (workers : nat) dummy :
    {{{ True }}} deque_public_create #workers dummy
    {{{ γ t, RET t; ⌜length γ = workers⌝ ∗ public_inv γ t ∗
        public_model γ (replicate workers []) ∗
        [∗ list] i ∈ seq 0 workers, public_owner γ i [] }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures.
    iApply wp_fupd. wp_apply (array_init_spec (λ i ds, ∃ γ, ⌜γ.*1 = ds⌝ ∗
      [∗ list] dδ ∈ γ, dynamic_inv N dδ.2 dδ.1 ∗ dynamic_model dδ.2 [] ∗
        dynamic_owner dδ.2 [])%I); first lia.
    { iSplitR; first (iExists ([] : public_names); by rewrite big_sepL_nil). iIntros "!>" (i ds _ _) "(%γ & %Hγ & H)". wp_pures.
      rewrite /deque_public_initial_capacity. wp_apply (dynamic_create_spec N); first done.
      iIntros (δ d) "Hd". iExists (γ ++ [(d, δ)]). rewrite fmap_app Hγ. iSplit; first done.
      by iFrame "H Hd". }
    iIntros (a ds) "(%Hlen & Ha & _ & %γ & %Hγ & H)".
    iMod (is_array_persist with "Ha") as "#Ha".
    rewrite Nat2Z.id in Hlen. assert (length γ = workers) as Hγl.
    { by rewrite -Hlen -Hγ length_fmap. }
    iDestruct (big_sepL_sep with "H") as "[#Hinv H]".
    iDestruct (big_sepL_sep with "H") as "[Hm Ho]". iModIntro. iApply ("HΦ" $! γ). iSplit; first done.
    iSplit. { iExists a. rewrite Hγ. by iFrame "Ha Hinv". }
    iSplitL "Hm".
    { rewrite /public_model -Hγl big_sepL2_replicate_r //. }
    rewrite -Hγl.
    iApply big_sepL_lookup_seq. iApply (big_sepL_impl with "Ho").
    iIntros "!>" (i dδ Hi) "Ho". iExists dδ. by iFrame.
  Qed.

  (** Claim: [workers] returns the number of workers. *)
  Lemma public_workers_spec γ t :
    {{{ public_inv γ t }}} deque_public_workers t {{{ RET #(length γ); True }}}.
  Proof.
    iIntros (Φ) "(%a & -> & #Ha & #Hinv) HΦ". wp_rec.
    iDestruct (is_array_len with "Ha") as "Hlen". rewrite length_fmap.
    by wp_apply (array_length_spec with "Hlen").
  Qed.

  (** ** The owner *)

  (** Claim: [push], at one instant, adds the item at the back of the worker's
      deque. *)
  Lemma public_push_spec γ t i ws v :
    public_inv γ t -∗ public_owner γ i ws -∗
    <<{ ∀∀ vss, public_model γ vss }>>
      deque_public_push t #i v @ ↑N
    <<{ ∃∃ vs, public_model γ (<[i := vs ++ [v]]> vss) ∗
          ⌜vss !! i = Some vs ∧ vs `suffix_of` ws⌝ |
        RET #(); public_owner γ i (vs ++ [v]) }>>.
  Proof.
    iIntros "#Hinv (%dδ & %Hi & Ho)" (Φ) "AU". wp_rec. wp_pures.
    wp_apply (deque_spec with "Hinv"); first done. iIntros "#Hd".
    awp_apply (dynamic_push_spec with "Hd Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iDestruct (public_model_acc with "Hm") as (vs) "(%Hvs & Hm & Hclose)"; first done.
    iAaccIntro with "Hm".
    { iIntros "Hm !>". iDestruct ("Hclose" with "Hm") as "Hm". rewrite list_insert_id //.
      iFrame. by iIntros "$". }
    iIntros "[Hm %] !>". iExists vs. iDestruct ("Hclose" with "Hm") as "$".
    iSplit; first done. iIntros "HΦ !> Ho". iApply "HΦ". iExists dδ. by iFrame.
  Qed.

  (** Claim: [pop], at one instant, takes the last item of the worker's deque; [pop]
      returns no item only if the deque is empty at that instant. *)
  Lemma public_pop_spec γ t i ws :
    public_inv γ t -∗ public_owner γ i ws -∗
    <<{ ∀∀ vss, public_model γ vss }>>
      deque_public_pop t #i @ ↑N
    <<{ ∃∃ vs, public_model γ (<[i := removelast vs]> vss) ∗
          ⌜vss !! i = Some vs ∧ vs `suffix_of` ws⌝ |
        RET option_to_val (last vs); public_owner γ i (removelast vs) }>>.
  Proof.
    iIntros "#Hinv (%dδ & %Hi & Ho)" (Φ) "AU". wp_rec. wp_pures.
    wp_apply (deque_spec with "Hinv"); first done. iIntros "#Hd".
    awp_apply (dynamic_pop_spec with "Hd Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iDestruct (public_model_acc with "Hm") as (vs) "(%Hvs & Hm & Hclose)"; first done.
    iAaccIntro with "Hm".
    { iIntros "Hm !>". iDestruct ("Hclose" with "Hm") as "Hm". rewrite list_insert_id //.
      iFrame. by iIntros "$". }
    iIntros "[Hm %] !>". iExists vs. iDestruct ("Hclose" with "Hm") as "$".
    iSplit; first done. iIntros "HΦ !> Ho". iApply "HΦ". iExists dδ. by iFrame.
  Qed.

  (** Claim: [size] returns exactly the number of items in the worker's deque at one
      instant. *)
  Lemma public_size_spec γ t i ws :
    public_inv γ t -∗ public_owner γ i ws -∗
    <<{ ∀∀ vss, public_model γ vss }>>
      deque_public_size t #i @ ↑N
    <<{ ∃∃ vs, public_model γ vss ∗ ⌜vss !! i = Some vs ∧ vs `suffix_of` ws⌝ |
        RET #(length vs); public_owner γ i vs }>>.
  Proof.
    iIntros "#Hinv (%dδ & %Hi & Ho)" (Φ) "AU". wp_rec. wp_pures.
    wp_apply (deque_spec with "Hinv"); first done. iIntros "#Hd".
    awp_apply (dynamic_owner_size_spec with "Hd Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iDestruct (public_model_acc with "Hm") as (vs) "(%Hvs & Hm & Hclose)"; first done.
    iAaccIntro with "Hm".
    { iIntros "Hm !>". iDestruct ("Hclose" with "Hm") as "Hm". rewrite list_insert_id //.
      iFrame. by iIntros "$". }
    iIntros "[Hm %] !>". iExists vs. iDestruct ("Hclose" with "Hm") as "Hm".
    rewrite list_insert_id //. iFrame "Hm".
    iSplit; first done. iIntros "HΦ !> Ho". iApply "HΦ". iExists dδ. by iFrame.
  Qed.

  (** Claim: [is_empty] says exactly whether the worker's deque is empty at one
      instant. *)
  Lemma public_is_empty_spec γ t i ws :
    public_inv γ t -∗ public_owner γ i ws -∗
    <<{ ∀∀ vss, public_model γ vss }>>
      deque_public_is_empty t #i @ ↑N
    <<{ ∃∃ vs, public_model γ vss ∗ ⌜vss !! i = Some vs ∧ vs `suffix_of` ws⌝ |
        RET #(bool_decide (vs = [])); public_owner γ i vs }>>.
  Proof.
    iIntros "#Hinv (%dδ & %Hi & Ho)" (Φ) "AU". wp_rec. wp_pures.
    wp_apply (deque_spec with "Hinv"); first done. iIntros "#Hd".
    awp_apply (dynamic_owner_is_empty_spec with "Hd Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iDestruct (public_model_acc with "Hm") as (vs) "(%Hvs & Hm & Hclose)"; first done.
    iAaccIntro with "Hm".
    { iIntros "Hm !>". iDestruct ("Hclose" with "Hm") as "Hm". rewrite list_insert_id //.
      iFrame. by iIntros "$". }
    iIntros "[Hm %] !>". iExists vs. iDestruct ("Hclose" with "Hm") as "Hm".
    rewrite list_insert_id //. iFrame "Hm".
    iSplit; first done. iIntros "HΦ !> Ho". iApply "HΦ". iExists dδ. by iFrame.
  Qed.

  (** Claim: [block] changes nothing that a caller can see. *)
  Lemma public_block_spec γ t i ws :
    {{{ public_inv γ t ∗ public_owner γ i ws }}} deque_public_block t #i
    {{{ RET #(); public_owner γ i ws }}}.
  Proof.
    iIntros (Φ) "[#Hinv (%dδ & %Hi & Ho)] HΦ". wp_rec. wp_pures.
    wp_apply (deque_spec with "Hinv"); first done. iIntros "#Hd".
    wp_apply (dynamic_sweep_spec with "[$Hd $Ho]"). iIntros "Ho". iApply "HΦ".
    iExists dδ. by iFrame.
  Qed.
  (** Claim: [unblock] does nothing. *)
  Lemma public_unblock_spec t v :
    {{{ True }}} deque_public_unblock t v {{{ RET #(); True }}}.
  Proof. iIntros (Φ) "_ HΦ". wp_rec. wp_pures. by iApply "HΦ". Qed.
  (** Claim: [tick] does nothing. *)
  Lemma public_tick_spec t v :
    {{{ True }}} deque_public_tick t v {{{ RET #(); True }}}.
  Proof. iIntros (Φ) "_ HΦ". wp_rec. wp_pures. by iApply "HΦ". Qed.

  (** ** Thieves *)

  (** Claim: [steal], at one instant, takes the first item of the victim's deque;
      [steal] returns no item only if the deque is empty at that instant. *)
  Lemma public_steal_spec γ t (thief : val) (victim : nat) :
    victim < length γ →
    public_inv γ t -∗
    <<{ ∀∀ vss, public_model γ vss }>>
      deque_public_steal t thief #victim @ ↑N
    <<{ ∃∃ vs, public_model γ (<[victim := tail vs]> vss) ∗ ⌜vss !! victim = Some vs⌝ |
        RET option_to_val (head vs) }>>.
  Proof.
    iIntros ([dδ Hi]%lookup_lt_is_Some_2) "#Hinv". iIntros (Φ) "AU". wp_rec. wp_pures.
    wp_apply (deque_spec with "Hinv"); first done. iIntros "#Hd".
    awp_apply (dynamic_steal_spec with "Hd").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iDestruct (public_model_acc with "Hm") as (vs) "(%Hvs & Hm & Hclose)"; first done.
    iAaccIntro with "Hm".
    { iIntros "Hm !>". iDestruct ("Hclose" with "Hm") as "Hm". rewrite list_insert_id //.
      iFrame. by iIntros "$". }
    iIntros "Hm !>". iExists vs. iDestruct ("Hclose" with "Hm") as "$".
    iSplit; first done. by iIntros "$".
  Qed.
  (** Claim: [waits_for_answer] returns false: a worker never waits. *)
  Lemma public_waits_for_answer_spec t v :
    {{{ True }}} deque_public_waits_for_answer t v {{{ RET #false; True }}}.
  Proof. iIntros (Φ) "_ HΦ". wp_rec. wp_pures. by iApply "HΦ". Qed.
  (** Claim: [withdraw] returns no item: a worker has no request to withdraw. *)
  Lemma public_withdraw_spec t v :
    {{{ True }}} deque_public_withdraw t v {{{ RET NONEV; True }}}.
  Proof. iIntros (Φ) "_ HΦ". wp_rec. wp_pures. by iApply "HΦ". Qed.

  (** Any thread may call [may_have]: false means that the worker's deque is empty at some
      instant of the call. *)
  (** Claim: [may_have], called by any thread, returns false only if the worker's deque
      is empty at some instant of the call. *)
  Lemma public_may_have_spec γ t i :
    i < length γ →
    public_inv γ t -∗
    <<{ ∀∀ vss, public_model γ vss }>>
      deque_public_may_have t #i @ ↑N
    <<{ ∃∃ (b : bool) vs, public_model γ vss ∗
          ⌜vss !! i = Some vs ∧ (b = false → vs = [])⌝ | RET #b }>>.
  Proof.
    iIntros ([dδ Hi]%lookup_lt_is_Some_2) "#Hinv". iIntros (Φ) "AU". wp_rec. wp_pures.
    wp_rec. wp_pures.
    wp_apply (deque_spec with "Hinv"); first done. iIntros "#Hd".
    awp_apply (dynamic_is_empty_spec with "Hd").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hm".
    iDestruct (public_model_acc with "Hm") as (vs) "(%Hvs & Hm & Hclose)"; first done.
    iAaccIntro with "Hm".
    { iIntros "Hm !>". iDestruct ("Hclose" with "Hm") as "Hm". rewrite list_insert_id //.
      iFrame. by iIntros "$". }
    iIntros (b) "[Hm %Hb] !>". iExists (negb b), vs. iDestruct ("Hclose" with "Hm") as "Hm".
    rewrite list_insert_id //. iFrame "Hm". iSplit.
    { iPureIntro. split; first done. intros ?. apply Hb. by destruct b. }
    iIntros "HΦ !>". by wp_pures.
  Qed.
End public.
