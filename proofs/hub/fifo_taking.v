(** The FIFO hub: the operations that take, except [retract].

    A pop of one queue takes a task, or the queue is empty at the instant of the pop
    ([fifo_taken]). A [pop] or [steal] of the hub may look at two queues. The operation
    is linearised at the look that takes a task or, if no look takes a task, anywhere
    ([taking.v]).

    While only the caller acts, a [steal] without success has found the shared queue and
    the worker's inbox empty, so all remaining tasks are in the inboxes of other
    workers. [fifo_conserving.v] has the property of a [steal] without success while
    other threads act. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import erasable_code queue_code erasable queue.
From dromos.hub Require Import fifo_code hub_spec taking.
From dromos.hub Require Export fifo_state.

(** The result [r] of a pop of one queue: the shared queue if [w] is [None], the inbox
    of worker [i] if [w] is [Some i]. [r] is [None] only if the queue was empty. *)
Definition fifo_taken (w : option nat) (M : hub_items) (r : val) (M' : hub_items) : Prop :=
  (r = NONEV ∧ M' = M ∧ ∀ l, (l, w) ∉ M) ∨
  ∃ l : loc, r = SOMEV #l ∧ M = M' ⊎ {[+ (l, w) +]}.

Lemma fifo_taken_hub w i M r M' :
  w = None ∨ w = Some i → fifo_taken w M r M' → hub_taken i M r M'.
Proof.
  intros Hw [(-> & -> & _)|(l & -> & ->)]; first by left.
  right. exists l, w. done.
Qed.

Section taking.
  Context `{!heapGS Σ, !erasableG Σ, !queueG Σ, !ghost_varG Σ bool}.
  Implicit Types (γ : fifo_names) (t : val) (M : hub_items) (i n : nat) (l : loc).
  Implicit Types (x : fifo_local_names).

  (** ** A single queue *)

  Lemma fifo_shared_pop_spec γ t :
    erasable_inv hubN (fifo_name_shared γ) t -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      base_erasable_pop t @ ↑hubN
    <<{ ∃∃ r M', ⌜fifo_taken None M r M' ∧ True⌝ ∗ fifo_model γ M' | RET r; True }>>.
  Proof.
    iIntros "#I" (Φ) "AU". awp_apply (erasable_pop_spec with "I").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%ys & %qss & Hx & Hq & %Hnd & ->)". iAaccIntro with "Hx".
    { iIntros "Hx !>". iSplitR ""; last by eauto. iExists ys, qss. by iFrame. }
    iIntros "Hx !>". destruct ys as [|[k l] ys]; simpl.
    - iExists NONEV, (fifo_items [] qss). iSplitR ""; last by iIntros "HΦ !>"; iApply "HΦ". iSplit.
      { iPureIntro. split; last done. left. split_and!; [done..|]. intros l Hl. by apply fifo_items_elem in Hl. }
      iExists [], qss. by iFrame.
    - apply NoDup_cons in Hnd as [_ Hnd].
      iExists (SOMEV #l), (fifo_items ys qss). iSplitR ""; last by iIntros "HΦ !>"; iApply "HΦ". iSplit.
      { iPureIntro. split; last done. right. exists l. split; first done. by apply (fifo_items_shared ys _ (k, l)). }
      iExists ys, qss. by iFrame.
  Qed.

  (** The owner pops the inbox; [b] is true if the owner knows that the inbox is not
      empty. *)
  Lemma fifo_inbox_pop_spec γ i x inbox (b : bool) :
    fifo_name_locals γ !! i = Some x →
    queue_inv hubN x.2.1 inbox -∗ fifo_knows x b -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      base_queue_pop inbox @ ↑hubN
    <<{ ∃∃ r M', ⌜fifo_taken (Some i) M r M' ∧ (b → r ≠ NONEV)⌝ ∗ fifo_model γ M'
      | RET r; fifo_knows x false }>>.
  Proof.
    iIntros (Hi) "#I Hb %Φ AU". awp_apply (queue_pop_spec with "I").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%ys & %qss & Hx & Hq & %Hnd & ->)".
    iDestruct (fifo_inbox_acc with "Hq") as (qs Hqs) "[[Hi (%b' & Hb' & %Hb)] Hq]";
      first exact Hi.
    iDestruct (ghost_var_agree with "Hb Hb'") as %<-.
    iAaccIntro with "Hi".
    { iIntros "Hi !>". iSplitR "Hb"; last by eauto with iFrame. iExists ys, qss. iFrame "Hx".
      iSpecialize ("Hq" with "[$Hi $Hb' //]"). rewrite list_insert_id //. by iFrame "Hq". }
    iIntros "Hi". iMod (ghost_var_update_halves false with "Hb Hb'") as "[Hb Hb']".
    iModIntro. destruct qs as [|l qs]; simpl.
    - iExists NONEV, (fifo_items ys qss). iSplitR "Hb"; last by iIntros "HΦ !>"; iApply "HΦ".
      iSplit.
      { iPureIntro. split.
        - left. split_and!; [done..|]. intros l Hl.
          apply fifo_items_elem in Hl as (qs & Hqs' & Hne). by simplify_eq.
        - by intros Hb1%Hb. }
      iExists ys, qss. iFrame "Hx". iSpecialize ("Hq" $! [] with "[Hi Hb']").
      { iFrame "Hi". iExists false. by iFrame "Hb'". }
      rewrite list_insert_id //. by iFrame "Hq".
    - iExists (SOMEV #l), (fifo_items ys (<[i := qs]> qss)).
      iSplitR "Hb"; last by iIntros "HΦ !>"; iApply "HΦ". iSplit.
      { iPureIntro. split; last done. right. exists l. split; first done.
        rewrite -(fifo_items_inbox ys (<[i := qs]> qss) i qs (l :: qs)) //.
        - by rewrite list_insert_insert list_insert_id.
        - apply list_lookup_insert. by eapply lookup_lt_Some. }
      iExists ys, _. iFrame "Hx". iSplit; last done. iApply "Hq". iFrame "Hi".
      iExists false. by iFrame "Hb'".
  Qed.

  (** A pop of one queue, as a step of a longer operation. *)
  Local Lemma fifo_try w e γ i T (G : val → Prop) :
    w = None ∨ w = Some i →
    <<{ ∀∀ M, fifo_model γ M }>>
      e @ ↑hubN
    <<{ ∃∃ r M', ⌜fifo_taken w M r M' ∧ G r⌝ ∗ fifo_model γ M' | RET r; T }>> -∗
    hub_try (fifo_model γ) i e T.
  Proof.
    iIntros (Hw) "He". iApply hub_try_of_atomic. iIntros (Φ) "AU". awp_apply "He".
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "HM".
    iAaccIntro with "HM"; first by eauto with iFrame. iIntros (r M') "[[%Hr _] HM] !>".
    iExists r, M'. iFrame "HM". iSplit; first by iPureIntro; eapply fifo_taken_hub.
    by iIntros "$".
  Qed.

  (** ** The operations *)

  (** Claim: [pop i] takes a task that worker [i] may run, at one instant, or
      nothing. *)
  Lemma fifo_pop_spec o γ n i : i < n →
    fifo_inv o γ n -∗ fifo_owner γ i true -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_pop o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ fifo_model γ M' | RET r; fifo_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%t & %locals & %nf & -> & %Hn & #It & #Il) (%x & %Hi & Hown & Hknows) %Φ AU".
    iDestruct (fifo_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    iDestruct "Hown" as (first recent none top bottom erasures ws) "(Hf & Hown)".
    simpl. wp_pures. wp_apply (fifo_local_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_rec. wp_pures. wp_na_load. wp_na_store.
    iAssert (fifo_knows x false -∗ fifo_owner γ i true)%I with "[Hf Hown]" as "Hown".
    { iIntros "Hknows". iExists x. iFrame "Hknows". iSplit; first done.
      iExists (negb first). iFrame "Hf". iFrame. }
    iPoseProof (fifo_shared_pop_spec with "It") as "Hs".
    iPoseProof (fifo_inbox_pop_spec with "Iq") as "Hq"; first exact Hi.
    destruct first; wp_pures.
    - iSpecialize ("Hq" with "Hknows"). wp_load. wp_bind (base_queue_pop _). iApply (wp_wand with "[Hq AU]").
      { iApply (fifo_try (Some i) with "Hq AU"). by right. }
      iIntros (r) "[Hknows Hr]". iSpecialize ("Hown" with "Hknows").
      iDestruct "Hr" as "[[-> AU]|(%l & -> & HΦ)]"; wp_pures; last by iApply "HΦ".
      iApply wp_fupd. iApply (wp_wand with "[Hs AU]").
      { iApply (fifo_try None with "Hs AU"). by left. }
      iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; last by iApply "HΦ".
      by iApply (hub_take_nothing with "AU").
    - wp_bind (base_erasable_pop _). iApply (wp_wand with "[Hs AU]").
      { iApply (fifo_try None with "Hs AU"). by left. }
      iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
      { iModIntro. iApply "HΦ". by iApply "Hown". }
      iSpecialize ("Hq" with "Hknows").
      wp_load. iApply wp_fupd. iApply (wp_wand with "[Hq AU]").
      { iApply (fifo_try (Some i) with "Hq AU"). by right. }
      iIntros (r) "[Hknows Hr]". iSpecialize ("Hown" with "Hknows").
      iDestruct "Hr" as "[[-> AU]|(%l & -> & HΦ)]"; last by iApply "HΦ".
      by iApply (hub_take_nothing with "AU").
  Qed.

  (** Claim: [steal i] takes a task that worker [i] may run, at one instant, or
      nothing. *)
  Lemma fifo_steal_spec o γ n i : i < n →
    fifo_inv o γ n -∗ fifo_owner γ i true -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_steal o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ fifo_model γ M' | RET r; fifo_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%t & %locals & %nf & -> & %Hn & #It & #Il) (%x & %Hi & Hown & Hknows) %Φ AU".
    iDestruct (fifo_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    simpl. wp_pures. wp_apply (fifo_local_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_rec. wp_pures.
    iAssert (fifo_knows x false -∗ fifo_owner γ i true)%I with "[Hown]" as "Hown".
    { iIntros "Hknows". iExists x. by iFrame. }
    iPoseProof (fifo_shared_pop_spec with "It") as "Hs".
    wp_bind (base_erasable_pop _). iApply (wp_wand with "[Hs AU]").
    { iApply (fifo_try None with "Hs AU"). by left. }
    iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
    { iModIntro. iApply "HΦ". by iApply "Hown". }
    iPoseProof (fifo_inbox_pop_spec with "Iq Hknows") as "Hq"; first exact Hi.
    wp_load. iApply wp_fupd. iApply (wp_wand with "[Hq AU]").
    { iApply (fifo_try (Some i) with "Hq AU"). by right. }
    iIntros (r) "[Hknows Hr]". iSpecialize ("Hown" with "Hknows").
    iDestruct "Hr" as "[[-> AU]|(%l & -> & HΦ)]"; last by iApply "HΦ".
    by iApply (hub_take_nothing with "AU").
  Qed.

  (** Claim: While only the caller acts, a [steal] without success leaves only tasks for
      other workers. *)
  Lemma fifo_steal_quiet_spec o γ n i M : i < n →
    {{{ fifo_inv o γ n ∗ fifo_owner γ i true ∗ fifo_model γ M }}}
      h_steal o #i
    {{{ r M', RET r;
        ⌜hub_taken i M r M'⌝ ∗ fifo_owner γ i true ∗ fifo_model γ M' ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hin Φ) "((%t & %locals & %nf & -> & %Hn & #It & #Il) & (%x & %Hi & Hown & Hknows) & HM) HΦ".
    iDestruct (fifo_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    simpl. wp_pures. wp_apply (fifo_local_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_rec. wp_pures.
    iAssert (fifo_knows x false -∗ fifo_owner γ i true)%I with "[Hown]" as "Hown".
    { iIntros "Hknows". iExists x. by iFrame. }
    awp_apply (fifo_shared_pop_spec with "It"). iAaccIntro with "HM".
    { iIntros "$ !>". iFrame. }
    iIntros (r M') "[[%Hr _] HM] !> _".
    destruct Hr as [(-> & -> & Hnone)|(l & -> & ->)]; wp_pures; last first.
    { iSpecialize ("Hown" with "Hknows").
      iApply ("HΦ" $! _ M'). iFrame. iPureIntro. split; last done. right. exists l, None.
      split; first done. split; last done. by left. }
    wp_load. awp_apply (fifo_inbox_pop_spec with "Iq Hknows"); first exact Hi.
    iAaccIntro with "HM".
    { iIntros "$ !>". iFrame. }
    iIntros (r M') "[[%Hr _] HM] !> Hknows". iSpecialize ("Hown" with "Hknows").
    iApply ("HΦ" $! _ M'). iFrame. iPureIntro. split.
    - eapply fifo_taken_hub; last done. by right.
    - intros ->. destruct Hr as [(_ & -> & Hnone')|(l & ? & _)]; last done.
      intros [l w] Hl [Hw|Hw]; simpl in Hw; subst w; by [eapply Hnone|eapply Hnone'].
  Qed.
End taking.
