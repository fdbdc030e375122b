(** Notifiers, of lib/kernel/base/waiters.ml: the state is in [waiters_state.v].

    A notifier brings a resource [P], and turns [P] into the notification of the slot
    that the notifier finds.  The notifier also knows announcements when it comes: that
    announcement [n] of slot [i] was made.  When the notifier leaves, this announcement is
    over, for one of two reasons:
    - the notifier has made the slot [Notified], and [P] is used up, once;
    - the notifier has seen the slot in a state in which announcement [n] no longer stood.
      For [notify] this is the state that [notify] reads, or the two states that make both
      compare-and-sets fail: a slot that was asleep at the first compare-and-set and not at
      the second has been notified in between.

    [notify_one] returns [false] only if every slot was not waiting at some instant of the
    call.  The instant is the same for all slots if [notify_one] has read 0 in
    [announced]; in general [notify_one] looks at one slot after another.  So all
    announcements that the notifier knew are over.  The same holds when [notify_all]
    returns, even if [notify_all] has notified no slot. *)
From iris.algebra Require Import auth numbers.
From iris.base_logic.lib Require Import invariants ghost_var mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.base Require Import waiters_code.
From dromos.base Require Export waiters.

#[local] Existing Instances waiters_mutexG waiters_phaseG waiters_movesG waiters_ticketsG.

Section notifiers.
  Context `{!heapGS Σ, !waitersG Σ} (R : nat → iProp Σ).
  Implicit Types (γ : waiters_names) (s : waiters_slot) (i n : nat) (ns : list nat) (t : val).
  Local Notation waiters_inv := (waiters_inv R).
  Local Notation slot_inv := (slot_inv R).
  Local Notation slot_inner := (slot_inner R).

  Local Lemma waiters_wake_spec γt i s :
    {{{ slot_inv γt i s }}} base_waiters_wake #(slot_loc s) {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "(#H0 & #H1 & #H2 & #Hm & #Hc & _) HΦ". wp_rec. wp_load.
    wp_apply (mutex_lock_spec with "Hm"). iIntros "[Hl _]". wp_pures. wp_load.
    wp_apply (mutex_unlock_spec with "[$Hm $Hl //]"). iIntros "_". wp_pures. wp_load.
    wp_apply (condition_signal_spec with "Hc"). iIntros "_". by iApply "HΦ".
  Qed.

  (** The result [b] of a notifier at slot [s], if the notifier knew announcement [n].
      Announcement [n] is over.  If [b] is true, the notifier has notified an announcement
      [m], with [n <= m]; otherwise the notifier keeps [P]. *)
  Local Definition notified s n (P : iProp Σ) (b : bool) : iProp Σ :=
    mono_nat_lb_own (slot_moves s) (3 * n) ∗
    (if b then ∃ m, ⌜n ≤ m⌝ ∗ mono_nat_lb_own (slot_moves s) (3 * m) else P)%I.

  Local Lemma waiters_notify_slot_spec γt i s n (slots ann nx : loc) (P : iProp Σ) :
    {{{ slot_inv γt i s ∗ inv (waitersN .@ "count") (count_inner γt ann) ∗
        mono_nat_lb_own (slot_moves s) (3 * n - 2) ∗ P ∗ □ (P -∗ R i) }}}
      base_waiters_notify_slot (#slots, #ann, #nx)%V #(slot_loc s)
    {{{ (b : bool), RET #b; notified s n P b }}}.
  Proof.
    iIntros (Φ) "(#Hslot & #Ic & #Hmade & HP & #HPR) HΦ".
    iPoseProof "Hslot" as "(#H0 & #H1 & #H2 & #Hm & #Hc & #I)".
    wp_rec. wp_pures. wp_load. wp_bind (CmpXchg _ _ _).
    iInv "I" as (st ph m) "(>Hst & >Hp & >Hmv & Hok)".
    iDestruct (mono_nat_lb_own_valid with "Hmv Hmade") as %[_ Hle].
    destruct (decide (st = Announced)) as [->|Hne].
    { wp_cmpxchg_suc. iDestruct "Hok" as "[-> Hticket]". simpl in Hle.
      iMod (mono_nat_own_update (3 * m) with "Hmv") as "[Hmv #Hlb]"; first (simpl; lia).
      iModIntro. iSplitL "Hst Hp Hmv HP".
      { iNext. iExists Notified, Announced, m. iFrame. iRight. iSplit; first by iLeft.
        by iApply "HPR". }
      wp_pures. wp_apply (waiters_decr with "[$Ic $Hticket]"). iIntros (k) "_". wp_pures.
      iModIntro. iApply ("HΦ" $! true).
      iSplit; first (iApply (mono_nat_lb_own_le with "Hlb"); lia).
      iExists m. iFrame "Hlb". iPureIntro. lia. }
    wp_cmpxchg_fail. { destruct st; simpl; congruence. }
    iDestruct (mono_nat_lb_own_get with "Hmv") as "#Hlb".
    iModIntro. iSplitL "Hst Hp Hmv Hok". { iNext. iExists st, ph, m. by iFrame. }
    wp_pures. wp_load. wp_bind (CmpXchg _ _ _).
    iInv "I" as (st' ph' m') "(>Hst & >Hp & >Hmv & Hok)".
    iDestruct (mono_nat_lb_own_valid with "Hmv Hlb") as %[_ Hle'].
    destruct (decide (st' = Asleep)) as [->|Hne'].
    { wp_cmpxchg_suc. iDestruct "Hok" as "[-> Hticket]".
      assert (n ≤ m') by (destruct st; simpl in *; lia).
      iMod (mono_nat_own_update (3 * m') with "Hmv") as "[Hmv #Hlb']"; first (simpl; lia).
      iModIntro. iSplitL "Hst Hp Hmv HP".
      { iNext. iExists Notified, Asleep, m'. iFrame. iRight. iSplit; first by iRight.
        by iApply "HPR". }
      wp_pures. wp_apply (waiters_decr with "[$Ic $Hticket]"). iIntros (k) "_". wp_pures.
      wp_apply (waiters_wake_spec with "Hslot"). iIntros "_". wp_pures.
      iModIntro. iApply ("HΦ" $! true).
      iSplit; first (iApply (mono_nat_lb_own_le with "Hlb'"); lia).
      iExists m'. by iFrame "Hlb'". }
    wp_cmpxchg_fail. { destruct st'; simpl; congruence. }
    iDestruct (mono_nat_lb_own_get with "Hmv") as "#Hlb'".
    iModIntro. iSplitL "Hst Hp Hmv Hok". { iNext. iExists st', ph', m'. by iFrame. }
    wp_pures. iModIntro. iApply ("HΦ" $! false). iFrame "HP".
    iApply (mono_nat_lb_own_le with "Hlb'"). destruct st, st'; simpl in *; congruence || lia.
  Qed.

  (** Claim: When [notify] returns, the announcement that the notifier knew at the start is
      over. [notify] returns true if this call has notified the slot: the notification
      hands its resource over, once. Otherwise the notifier keeps the resource. *)
  Lemma waiters_notify_spec γ t i n (P : iProp Σ) :
    {{{ waiters_inv γ t ∗ waiters_made γ i n ∗ P ∗ □ (P -∗ R i) }}}
      base_waiters_notify t #i
    {{{ (b : bool), RET #b; waiters_over γ i n ∗
        (if b then ∃ m, ⌜n ≤ m⌝ ∗ waiters_over γ i m else P)%I }}}.
  Proof.
    iIntros (Φ) "((%slots & %ann & %nx & -> & #Ha & #Ic & #In & #Hslots) & #Hmade & HP & #HPR) HΦ".
    iDestruct "Hmade" as (s Hs) "Hmade".
    iDestruct (big_sepL_lookup with "Hslots") as "#Hslot"; first done.
    iPoseProof "Hslot" as "(#H0 & #H1 & #H2 & #Hm & #Hc & #I)".
    iAssert (▷ ∀ b : bool, notified s n P b -∗ Φ #b)%I with "[HΦ]" as "HΦ".
    { iIntros "!> %b [#Hn Hb]". iApply "HΦ". iSplit; first (iExists s; by iFrame "Hn").
      destruct b; last done. iDestruct "Hb" as (m) "[% #Hm']". iExists m. iSplit; first done.
      iExists s. by iFrame "Hm'". }
    wp_rec. wp_pures. wp_apply (waiters_get_slot _ _ _ _ Hs with "Ha"). iIntros "_". wp_pures.
    wp_load. wp_bind (! _)%E. iInv "I" as (st ph m) "(>Hst & >Hp & >Hmv & Hok)". wp_load.
    iDestruct (mono_nat_lb_own_valid with "Hmv Hmade") as %[_ Hle].
    iDestruct (mono_nat_lb_own_get with "Hmv") as "#Hlb".
    iModIntro. iSplitL "Hst Hp Hmv Hok". { iNext. iExists st, ph, m. by iFrame. }
    destruct st; wp_pures.
    - iModIntro. iApply ("HΦ" $! false). iFrame "HP".
      iApply (mono_nat_lb_own_le with "Hlb"). simpl in *. lia.
    - iApply (waiters_notify_slot_spec _ _ _ n _ _ _ P with "[$Hslot $Ic $HP $HPR $Hmade]").
      iNext. done.
    - iApply (waiters_notify_slot_spec _ _ _ n _ _ _ P with "[$Hslot $Ic $HP $HPR $Hmade]").
      iNext. done.
    - iModIntro. iApply ("HΦ" $! false). iFrame "HP".
      iApply (mono_nat_lb_own_le with "Hlb"). simpl in *. lia.
  Qed.

  (** ** One slot of all *)

  (** The result of [notify_one] for a notifier that knew the announcements [ns]. *)
  Definition waiters_notified_one γ ns (P : iProp Σ) (b : bool) : iProp Σ :=
    (if b then ∃ i m, ⌜i < waiters_size γ⌝ ∗ waiters_over γ i m ∗
      ⌜∀ n, ns !! i = Some n → n ≤ m⌝
    else P ∗ waiters_over_all γ ns)%I.

  (** Slot [j] is one of the [left] slots [i], [i + 1], ..., counted round the array. *)
  Local Definition passed γ (i left j : nat) : Prop :=
    j < waiters_size γ ∧ ∃ d, d < left ∧ (j = i + d ∨ j + waiters_size γ = i + d).

  Local Lemma waiters_notify_from_spec γ t i (left : nat) ns (P : iProp Σ) :
    i < waiters_size γ → left ≤ waiters_size γ →
    {{{ waiters_inv γ t ∗ waiters_made_all γ ns ∗ P ∗ □ (∀ i, P -∗ R i) }}}
      base_waiters_notify_from t #i #left
    {{{ (b : bool), RET #b;
        (if b then waiters_notified_one γ ns P true
         else P ∗ □ ∀ j n, ⌜passed γ i left j⌝ -∗ ⌜ns !! j = Some n⌝ -∗
                waiters_over γ j n)%I }}}.
  Proof.
    iIntros (Hi Hleft Φ) "(#It & #Hmade & HP & #HPR) HΦ".
    iInduction left as [|left] "IH" forall (i Hi Hleft Φ); wp_rec; wp_pures.
    { iModIntro. iApply ("HΦ" $! false). iFrame "HP". iIntros "!>" (j n (_ & d & ? & _)). lia. }
    iMod (waiters_made_0 γ i) as "#Hmade0"; first done.
    iAssert (∃ k, waiters_made γ i k ∗ ⌜∀ n, ns !! i = Some n → k = n⌝)%I as (k) "[Hk %Hk]".
    { destruct (ns !! i) as [n|] eqn:Hn.
      - iExists n. iSplit; first by iApply (big_sepL_lookup with "Hmade"). iPureIntro.
        by intros ? [= <-].
      - iExists 0. by iFrame "Hmade0". }
    wp_apply (waiters_notify_spec _ _ i k P with "[$It $HP $Hk]").
    { iIntros "!> H". by iApply "HPR". }
    iIntros ([]) "[#Hover HP]"; wp_pures.
    { iDestruct "HP" as (m) "[%Hm #Hover']". iModIntro. iApply ("HΦ" $! true).
      iExists i, m. iFrame "Hover'". iPureIntro. split; first done.
      intros n Hn. by rewrite -(Hk n Hn). }
    iDestruct "It" as (slots ann nx ->) "(#Ha & #Ic & #In & #Hslots)". wp_pures.
    wp_apply (array_length_spec with "[]"); first by iApply is_array_len. iIntros "_".
    rewrite length_fmap. wp_pures.
    iAssert (∀ i', ⌜∀ j, passed γ i (S left) j → j = i ∨ passed γ i' left j⌝ -∗
      ∀ b : bool, (if b then waiters_notified_one γ ns P true
        else P ∗ □ ∀ j n, ⌜passed γ i' left j⌝ -∗ ⌜ns !! j = Some n⌝ -∗
                waiters_over γ j n) -∗ Φ #b)%I with "[HΦ]" as "HΦ".
    { iIntros (i' Hi' b) "Hb". iApply "HΦ". destruct b; first done.
      iDestruct "Hb" as "[$ #Hb]". iIntros "!>" (j n Hj Hn).
      destruct (Hi' _ Hj) as [->|Hj']; last by iApply "Hb". by rewrite -(Hk n Hn). }
    unfold passed, waiters_size in *.
    case_bool_decide as Heq; wp_pures;
      replace (S left - 1)%Z with (Z.of_nat left) by lia.
    - injection Heq as Heq. iApply ("IH" $! 0 with "[%] [%] HP [HΦ]"); [lia|lia|].
      iApply "HΦ". iPureIntro. intros j (Hlt & [|d] & Hd & Hj); first (left; lia).
      right. split; first done. exists d. lia.
    - replace (i + 1)%Z with (Z.of_nat (S i)) by lia.
      assert (S i ≠ length (waiters_slots γ)) by (intros ?; apply Heq; do 2 f_equal; lia).
      iApply ("IH" $! (S i) with "[%] [%] HP [HΦ]"); [lia|lia|].
      iApply "HΦ". iPureIntro. intros j (Hlt & [|d] & Hd & Hj); first (left; lia).
      right. split; first done. exists d. lia.
  Qed.

  (** Claim: [notify_one] returns true if this call has notified exactly one announcement,
      not older than the known announcement of that slot; the notification hands its
      resource to that slot. [notify_one] returns false only if all announcements that
      the notifier knew at the start are over; then the notifier keeps its resource. *)
  Lemma waiters_notify_one_spec γ t ns (P : iProp Σ) :
    {{{ waiters_inv γ t ∗ waiters_made_all γ ns ∗ P ∗ □ (∀ i, P -∗ R i) }}}
      base_waiters_notify_one t
    {{{ (b : bool), RET #b; waiters_notified_one γ ns P b }}}.
  Proof.
    iIntros (Φ) "(#It & #Hmade & HP & #HPR) HΦ".
    iPoseProof "It" as (slots ann nx ->) "(#Ha & #Ic & #In & #Hslots)". wp_rec. wp_pures.
    wp_bind (! _)%E. iInv "Ic" as (n) ">[Hn Ht]". wp_load.
    destruct (decide (n = 0)) as [->|Hn].
    { iMod (waiters_all_over with "It Hmade Ht") as "[Ht #Hover]"; first solve_ndisj.
      iModIntro. iSplitL "Hn Ht". { iNext. iExists 0. by iFrame. }
      wp_pures. iModIntro. iApply ("HΦ" $! false). by iFrame "HP Hover". }
    iModIntro. iSplitL "Hn Ht". { iNext. iExists n. by iFrame. }
    wp_pures. rewrite bool_decide_eq_false_2; last (intros [= ?]; lia). wp_pures.
    wp_apply (array_length_spec with "[]"); first by iApply is_array_len. iIntros "_".
    rewrite length_fmap. wp_pures. wp_bind (FAA _ _).
    iInv "In" as (k) ">Hk". wp_faa. iModIntro. iSplitL "Hk".
    { iNext. iExists (S k). by replace (k + 1)%Z with (Z.of_nat (S k)) by lia. }
    iAssert (⌜∀ j m, ns !! j = Some m → j < waiters_size γ⌝)%I as %Hns.
    { iIntros (j m Hj). iDestruct (big_sepL_lookup with "Hmade") as (s Hs) "_"; first done.
      iPureIntro. by eapply lookup_lt_Some. }
    wp_pures. rewrite -/(waiters_size γ).
    destruct (decide (waiters_size γ = 0)) as [Hzero|Hpos].
    { rewrite Hzero. wp_rec. wp_pures. iModIntro. iApply ("HΦ" $! false). iFrame "HP".
      iApply big_sepL_intro. iIntros "!>" (j m Hj). apply Hns in Hj. lia. }
    assert (∃ j : nat, (k `rem` waiters_size γ)%Z = j ∧ j < waiters_size γ) as (j & -> & Hj).
    { pose proof (Z.rem_bound_pos k (waiters_size γ) ltac:(lia) ltac:(lia)) as [H1 H2].
      exists (Z.to_nat (k `rem` waiters_size γ)). split.
      - by rewrite Z2Nat.id.
      - apply Nat2Z.inj_lt. by rewrite Z2Nat.id. }
    wp_apply (waiters_notify_from_spec _ _ _ _ ns P with "[$HP $HPR $Hmade]"); [done|done| |].
    { iExists slots, ann, nx. by iFrame "#". }
    iIntros ([]) "H"; iApply "HΦ"; first done. iDestruct "H" as "[$ #H]".
    iApply big_sepL_intro. iIntros "!>" (j' m Hj'). iApply "H"; last done. iPureIntro.
    apply Hns in Hj'. split; first done. destruct (decide (j ≤ j')).
    - exists (j' - j). lia.
    - exists (j' + waiters_size γ - j). lia.
  Qed.

  (** ** All slots *)

  Local Lemma waiters_notify_upto_spec γ t i ns :
    i ≤ waiters_size γ →
    {{{ waiters_inv γ t ∗ waiters_made_all γ ns ∗ [∗ list] j ∈ seq 0 i, R j }}}
      base_waiters_notify_upto t #i
    {{{ RET #(); □ ∀ j n, ⌜j < i⌝ -∗ ⌜ns !! j = Some n⌝ -∗ waiters_over γ j n }}}.
  Proof.
    iIntros (Hi Φ) "(#It & #Hmade & HR) HΦ".
    iInduction i as [|i] "IH" forall (Hi Φ); wp_rec; wp_pures.
    { iApply "HΦ". iIntros "!> !>" (j n ?). lia. }
    rewrite seq_S big_sepL_app /=. iDestruct "HR" as "(HR & HRi & _)".
    replace (S i - 1)%Z with (Z.of_nat i) by lia.
    iMod (waiters_made_0 γ i) as "#Hmade0"; first done.
    iAssert (∃ k, waiters_made γ i k ∗ ⌜∀ n, ns !! i = Some n → k = n⌝)%I as (k) "[Hk %Hk]".
    { destruct (ns !! i) as [n|] eqn:Hn.
      - iExists n. iSplit; first by iApply (big_sepL_lookup with "Hmade"). iPureIntro.
        by intros ? [= <-].
      - iExists 0. by iFrame "Hmade0". }
    wp_apply (waiters_notify_spec _ _ _ k (R i) with "[$It $HRi $Hk]"); first by iIntros "!> $".
    iIntros (b) "[#Hover _]". wp_pures. replace (S i - 1)%Z with (Z.of_nat i) by lia.
    iApply ("IH" with "[%] HR"); first lia. iIntros "!> #H". iApply "HΦ".
    iIntros "!>" (j n Hj Hn). destruct (decide (j = i)) as [->|].
    - by rewrite -(Hk n Hn).
    - iApply "H"; last done. iPureIntro. lia.
  Qed.

  (** A notification that finds no waiting slot is dropped. *)
  (** Claim: When [notify_all] returns, all announcements that the notifier knew at the
      start are over. *)
  Lemma waiters_notify_all_spec γ t ns :
    {{{ waiters_inv γ t ∗ waiters_made_all γ ns ∗ [∗ list] i ∈ seq 0 (waiters_size γ), R i }}}
      base_waiters_notify_all t
    {{{ RET #(); waiters_over_all γ ns }}}.
  Proof.
    iIntros (Φ) "(#It & #Hmade & HR) HΦ".
    iPoseProof "It" as (slots ann nx ->) "(#Ha & #Ic & #In & #Hslots)". wp_rec. wp_pures.
    wp_bind (! _)%E. iInv "Ic" as (n) ">[Hn Ht]". wp_load.
    destruct (decide (n = 0)) as [->|Hn].
    { iMod (waiters_all_over with "It Hmade Ht") as "[Ht #Hover]"; first solve_ndisj.
      iModIntro. iSplitL "Hn Ht". { iNext. iExists 0. by iFrame. }
      wp_pures. iModIntro. by iApply "HΦ". }
    iModIntro. iSplitL "Hn Ht". { iNext. iExists n. by iFrame. }
    wp_pures. rewrite bool_decide_eq_true_2; last lia. wp_pures.
    wp_apply (array_length_spec with "[]"); first by iApply is_array_len. iIntros "_".
    rewrite length_fmap.
    wp_apply (waiters_notify_upto_spec _ _ (waiters_size γ) ns with "[$HR $Hmade]"); first done.
    { iExists slots, ann, nx. by iFrame "#". }
    iIntros "#H". iApply "HΦ". iApply big_sepL_intro. iIntros "!>" (j m Hj).
    iApply "H"; last done.
    iDestruct (big_sepL_lookup with "Hmade") as (s Hs) "_"; first done.
    iPureIntro. by eapply lookup_lt_Some.
  Qed.

  (** Claim: [count] returns a number. The number is 0 only if all announcements that the
      caller knew at the start are over. *)
  Lemma waiters_count_spec γ t ns :
    {{{ waiters_inv γ t ∗ waiters_made_all γ ns }}}
      base_waiters_count t
    {{{ (n : nat), RET #n; if decide (n = 0) then waiters_over_all γ ns else True }}}.
  Proof.
    iIntros (Φ) "[#It #Hmade] HΦ".
    iPoseProof "It" as (slots ann nx ->) "(#Ha & #Ic & #In & #Hslots)". wp_rec. wp_pures.
    iInv "Ic" as (n) ">[Hn Ht]". wp_load. destruct (decide (n = 0)) as [->|Hn].
    - iMod (waiters_all_over with "It Hmade Ht") as "[Ht #Hover]"; first solve_ndisj.
      iModIntro. iSplitL "Hn Ht". { iNext. iExists 0. by iFrame. }
      by iApply ("HΦ" $! 0).
    - iModIntro. iSplitL "Hn Ht". { iNext. iExists n. by iFrame. }
      iApply ("HΦ" $! n). by rewrite decide_False.
  Qed.
End notifiers.
