(** * Private deques, when only one worker acts

    Suppose that all other workers have no item and wait for no answer, and that the
    caller, which has no item in its ring, owns the model.  Then a steal that returns no
    item means that no item is left, and that the caller waits for no answer.

    The reason: the request cells of workers without items are shut, and none of these
    workers is about to answer.  The witness beside the caller's answer cell says where
    the caller's right to be answered is.  The witness excludes the other workers, so
    the caller's request has been answered.  The caller collects an item or a refusal,
    and after a refusal all deques are empty. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants token ghost_var.
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import items others private_code private_.

Local Notation option_to_val o := (from_option InjRV (InjLV #()) o).
Local Open Scope Z_scope.
Local Existing Instances private_itemsG private_tokenG private_placeG.
Local Existing Instances private_.request_state_timeless private_.answer_state_timeless.

Section quiet.
  Context `{!heapGS Σ, !privateG Σ} (N : namespace).
  Implicit Types (γ : private_names) (i j k n : nat) (w : private_worker).
  Implicit Types (t v : val) (vs : list val) (M : gmultiset val) (asked : option nat).

  Local Definition shut_cell γ k : iProp Σ :=
    ∃ w, ⌜γ.(private_workers) !! k = Some w⌝ ∗ w.(worker_request) ↦{#1/2} #(-2) ∗
      token w.(worker_hand).
  Local Definition all_shut γ n : iProp Σ := [∗ list] k ∈ seq 0 n, shut_cell γ k.

  Local Lemma owner_shut γ i asked :
    private_owner γ i [] asked -∗
    ∃ w, ⌜γ.(private_workers) !! i = Some w⌝ ∗ shut_cell γ i ∗
      private_.asked_field γ i w asked ∗
      ∀ asked', shut_cell γ i -∗ private_.asked_field γ i w asked' -∗
        private_owner γ i [] asked'.
  Proof.
    rewrite /private_owner.
    iIntros "(%w & %shut & %Hi & (%Hne & Hshut & Hring) & Hasked)".
    destruct shut; last by destruct (Hne eq_refl). iDestruct "Hshut" as "(H3 & Hh & Hr)".
    iExists w. iSplitR; first done. iFrame "Hasked". iSplitL "Hr Hh"; first by iExists w; iFrame.
    iIntros (asked') "(%w' & %Hi' & Hr & Hh) Hasked". simplify_eq. iExists w, true. by iFrame.
  Qed.

  Local Lemma others_shut γ n i : (i < n)%nat →
    ([∗ list] k ∈ seq 0 n, ⌜k ≠ i⌝ → private_owner γ k [] None) -∗ shut_cell γ i -∗
    all_shut γ n ∗
    (all_shut γ n -∗
      ([∗ list] k ∈ seq 0 n, ⌜k ≠ i⌝ → private_owner γ k [] None) ∗ shut_cell γ i).
  Proof.
    iIntros (Hi) "Hothers Hi". rewrite /all_shut (seq_except (shut_cell γ) n i) //.
    iFrame "Hi".
    iAssert ([∗ list] k ∈ seq 0 n, (⌜k ≠ i⌝ → shut_cell γ k) ∗
      ((⌜k ≠ i⌝ → shut_cell γ k) -∗ ⌜k ≠ i⌝ → private_owner γ k [] None))%I
      with "[Hothers]" as "H".
    { iApply (big_sepL_impl with "Hothers"). iIntros "!> %j %k _ Hk".
      destruct (decide (k = i)) as [->|Hk]; first by iSplitR; [iIntros ([])|iIntros "_" ([])].
      iDestruct (owner_shut with "(Hk [//])") as (w _) "(Hs & Ha & Hclose)".
      iSplitL "Hs"; first by iIntros (_). iIntros "Hs _".
      iApply ("Hclose" with "(Hs [//]) Ha"). }
    iDestruct (big_sepL_sep with "H") as "[$ Hclose]". iIntros "[$ Hs]".
    iApply (big_sepL_wand with "Hs Hclose").
  Qed.

  Local Lemma pending_home γ n i w p : n = length γ.(private_workers) →
    all_shut γ n -∗ private_.pending γ i w p -∗ ⌜p = AtHome⌝.
  Proof.
    iIntros (->) "Hall Hp".
    iAssert (∀ j w', ⌜γ.(private_workers) !! j = Some w'⌝ -∗
      w'.(worker_request) ↦{#1/2} #(-2) ∗ token w'.(worker_hand))%I with "[Hall]" as "Hall".
    { iIntros (j w' Hw'). iDestruct (big_sepL_lookup _ _ j j with "Hall") as (w'' Hw'') "H".
      - apply lookup_seq. split; first done. by eapply lookup_lt_Some.
      - by simplify_eq. }
    destruct p as [|j|j]; first done; iDestruct "Hp" as (w' Hw') "Hp"; iExFalso;
      iDestruct ("Hall" with "[//]") as "[Hr Hh]".
    - iDestruct (pointsto_agree with "Hr Hp") as %[= ?]. lia.
    - iApply (token_exclusive with "Hh Hp").
  Qed.

  Local Lemma collect_quiet_spec γ t n i w j :
    γ.(private_workers) !! i = Some w → n = length γ.(private_workers) →
    {{{ private_inv N γ t n ∗ private_.asked_field γ i w (Some j) ∗ all_shut γ n }}}
      deque_private_collect #w.(worker_block)
    {{{ o, RET option_to_val o; private_.collected γ i w o None ∗ all_shut γ n }}}.
  Proof.
    iIntros (Hi Hn Φ) "(#I & (Hasked & %Hj & Hwaits) & Hall) HΦ". wp_rec. wp_pures.
    iDestruct (private_.private_inv_worker with "I") as "((_ & _ & _ & #Ha) & _ & #Ians)";
      first done.
    wp_load. wp_bind (! _)%E. rewrite /deque_private_nobody.
    iInv "Ians" as ">[(%p & Hans & Hr & Hp)|[(%o & %p & Hans & Hgiven & Hr & Hr')|(%vs & %z & _ & Hasked')]]".
    - iDestruct (pending_home with "Hall Hp") as %->; first done.
      iDestruct (token_exclusive with "Hwaits Hp") as %[].
    - wp_load. iDestruct (items_at_split with "Hgiven") as "[Hpart1 Hpart2]".
      iModIntro. iSplitL "Hasked Hpart1"; first by iRight; iRight; iExists _, _; iFrame.
      destruct o as [v|]; simpl; wp_pures; wp_load;
        (wp_apply (private_.private_reset_spec with "[$I $Hans $Hpart2 $Hr $Hr' $Hwaits]");
          first done);
        iIntros (z) "(Hasked & Hgiven & Hr)"; wp_na_store; try wp_pures; iModIntro.
      + iApply ("HΦ" $! (Some v)). iFrame "Hall". iSplitR; first done.
        iFrame "Hasked Hr". iApply "Hgiven".
      + iApply ("HΦ" $! None). iFrame "Hall Hasked Hr". iApply "Hgiven".
    - iDestruct (na_pointsto_exclusive with "Hasked Hasked'") as %[].
  Qed.

  Local Lemma take_back_quiet_spec γ t n i w j :
    γ.(private_workers) !! i = Some w → n = length γ.(private_workers) →
    {{{ private_inv N γ t n ∗ private_.asked_field γ i w (Some j) ∗ all_shut γ n }}}
      deque_private_take_back t #i #w.(worker_block)
    {{{ o, RET option_to_val o; private_.collected γ i w o None ∗ all_shut γ n }}}.
  Proof.
    iIntros (Hi Hn Φ) "(#I & (Hasked & %Hj & Hwaits) & Hall) HΦ".
    wp_rec. wp_pures. wp_na_load.
    destruct (lookup_lt_is_Some_2 γ.(private_workers) j) as [w' Hw']; first lia.
    wp_apply (private_.private_worker_spec with "I"); first done. iIntros "_". wp_pures.
    iDestruct (private_.private_inv_worker with "I") as "((_ & _ & #Hr1 & _) & #Ireq & _)";
      first exact Hw'.
    wp_load. rewrite /deque_private_free /deque_private_nobody. wp_bind (CmpXchg _ _ _).
    iDestruct (big_sepL_lookup_acc _ _ j j with "Hall") as "[(%w'' & %Hw'' & Hs & Hh) Hall]".
    { apply lookup_seq. lia. }
    assert (w'' = w') as -> by congruence. iInv "Ireq" as ">[[Hr2 Hopen]|[Hr2|(%k & %Hk & Hr2 & Hgiven)]]".
    - wp_cmpxchg_fail; first (intros [= ?]; lia).
      iModIntro. iSplitL "Hr2 Hopen"; first by iLeft; iFrame. wp_pures.
      iApply (collect_quiet_spec with "[$I $Hasked $Hwaits Hs Hh Hall]"); [done|done|..|done].
      iSplitR; first done. iApply "Hall". iExists w'. by iFrame.
    - by iDestruct (pointsto_agree with "Hr2 Hs") as %[=].
    - iDestruct (pointsto_agree with "Hr2 Hs") as %[= ?]. lia.
  Qed.

  Local Lemma ask_quiet_spec γ t n i w j :
    γ.(private_workers) !! i = Some w → n = length γ.(private_workers) → (j < n)%nat →
    {{{ private_inv N γ t n ∗ all_shut γ n }}}
      deque_private_ask t #i #w.(worker_block) #j
    {{{ RET #(); all_shut γ n }}}.
  Proof.
    iIntros (Hi -> Hj Φ) "(#I & Hall) HΦ".
    destruct (lookup_lt_is_Some_2 γ.(private_workers) j) as [w' Hw']; first lia.
    wp_rec. wp_pures. wp_apply (private_.private_worker_spec with "I"); first done.
    iIntros "_". wp_pures.
    iDestruct (private_.private_inv_worker with "I") as "((_ & _ & #Hr1 & _) & _)";
      first exact Hw'.
    wp_load.
    iDestruct (big_sepL_lookup_acc _ _ j j with "Hall") as "[(%w'' & %Hw'' & Hs & Hh) Hall]".
    { apply lookup_seq. lia. }
    assert (w'' = w') as -> by congruence.
    wp_load. rewrite /deque_private_free. wp_pures. iModIntro. iApply "HΦ".
    iApply "Hall". iExists w'. by iFrame.
  Qed.

  (** Claim: Suppose that all other workers have no item and wait for no answer, and
      that the caller has no item in its deque and owns the set of all items. Then the
      victim that the caller asked has answered, and [steal] returns no item only if
      no item is left. *)
  Lemma private_steal_quiet_spec γ t n i asked j M : (i < n)%nat → (j < n)%nat →
    {{{ private_inv N γ t n ∗ private_owner γ i [] asked ∗ private_model γ M ∗
        [∗ list] k ∈ seq 0 n, ⌜k ≠ i⌝ → private_owner γ k [] None }}}
      deque_private_steal t #i #j
    {{{ o M', RET option_to_val o;
        ⌜M = multiset_of (option_list o) ⊎ M'⌝ ∗ ⌜o = None → M' = ∅⌝ ∗
        private_owner γ i [] None ∗ private_model γ M' ∗
        [∗ list] k ∈ seq 0 n, ⌜k ≠ i⌝ → private_owner γ k [] None }}}.
  Proof.
    iIntros (Hin Hj Φ) "(#I & Howner & HM & Hothers) HΦ".
    iAssert (⌜n = length γ.(private_workers)⌝)%I as %Hn.
    { iEval (rewrite /private_inv) in "I". by iDestruct "I" as "(%l & [_ $] & _)". }
    iDestruct (owner_shut with "Howner") as (w Hi) "(Hs & Hasked & Hclose)".
    iDestruct (others_shut with "Hothers Hs") as "[Hall Hothers]"; first done.
    wp_rec. wp_pures. wp_apply (private_.private_worker_spec with "I"); first done.
    iIntros "_". wp_pures. rewrite /deque_private_nobody. wp_bind (If _ _ _).
    iApply (wp_wand _ _ _ (λ r, ∃ o, ⌜r = option_to_val o⌝ ∗
      private_.collected γ i w o None ∗ all_shut γ n)%I with "[Hasked Hall]").
    { iDestruct "Hasked" as "[Hasked Hgiven]". wp_na_load. wp_pures.
      destruct asked as [k|]; simpl.
      - rewrite bool_decide_eq_false_2; last (intros [= ?]; lia). wp_pures.
        wp_na_load. wp_pures. case_bool_decide; wp_pures.
        + wp_apply (collect_quiet_spec _ _ _ _ _ k with "[$I $Hasked $Hgiven $Hall]");
            [done..|].
          iIntros (o) "H". iExists o. by iFrame.
        + wp_apply (take_back_quiet_spec _ _ _ _ _ k with "[$I $Hasked $Hgiven $Hall]");
            [done..|].
          iIntros (o) "H". iExists o. by iFrame.
      - wp_pures. iModIntro. iExists None. iSplitR; first done. iFrame "Hall". iFrame. }
    iIntros (r) "(%o & -> & Hcol & Hall)".
    iMod (private_.private_finish _ _ _ _ _ _ _ _ (∃ M', ⌜M = multiset_of (option_list o) ⊎ M'⌝ ∗
      private_model γ M')%I with "I Hcol [HM]") as "[Hasked (%M' & %HM' & HM)]".
    { iApply fupd_mask_intro; first set_solver. iIntros "Hmask". iExists M. iFrame "HM".
      iIntros (M' HM') "HM". iMod "Hmask". iModIntro. iExists M'. by iFrame. }
    destruct o as [v|]; simpl; wp_pures.
    - iDestruct ("Hothers" with "Hall") as "[Hothers Hs]". iModIntro.
      iApply ("HΦ" $! (Some v) M'). iFrame "HM Hothers". do 2 (iSplitR; first done).
      iApply ("Hclose" with "Hs Hasked").
    - iDestruct "Hasked" as "[Hasked Hright]". wp_na_load. wp_pures.
      wp_apply (ask_quiet_spec with "[$I $Hall]"); [done..|]. iIntros "Hall". wp_pures.
      iDestruct ("Hothers" with "Hall") as "[Hothers Hs]".
      iDestruct ("Hclose" $! None with "Hs [$Hasked $Hright]") as "Howner".
      iMod (private_model_empty with "I [Howner Hothers] HM") as "(%Hempty & Hall & HM)";
        first done.
      { iApply (seq_except _ n i); first done. iFrame. }
      iDestruct (seq_except _ n i with "Hall") as "[Howner Hothers]"; first done.
      iModIntro. iApply ("HΦ" $! None M'). by iFrame.
  Qed.
End quiet.
