(** Sleepers and notifiers: the proof of lib/kernel/base/waiters.ml.

    Each slot has one thread, and moves through four states. Its thread and the
    invariant share a ghost variable, the phase: what the thread knows of the state.
    The thread makes all moves but those into [Notified]; so a slot whose phase is
    [Awake] is awake, and one whose phase is [Announced] ([Asleep]) has announced a
    sleep (is asleep) or has been notified since.

    A notification carries a resource, [R i] for slot [i], which the user chooses. A
    notifier leaves it in the invariant with the compare-and-set that makes the slot
    [Notified]: once, since it moves from a state in which it is not there. The
    slot's thread takes it out: [cancel] if it returns [true], and [commit], which
    returns only after a notification. So every notification that was delivered is
    consumed exactly once, and a notifier that is told that it woke nobody still has
    its resource.

    [announced] is the number of tickets. A slot that has announced a sleep and was
    not notified holds one; whoever takes it out, its thread or its notifier, lowers
    the counter.

    The field [held] belongs to the slot's thread, as does the mutex while it is
    true: the accesses to [held], plain as they are, do not race. [recover] is for a
    thread torn out of [prepare], [cancel] or [commit] at any point at which [held]
    tells whether the mutex is held ([waiters_torn]). *)
From iris.algebra Require Import auth numbers.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.base Require Import waiters_code.

Inductive waiters_state := Awake | Announced | Asleep | Notified.

Global Instance waiters_state_eq_dec : EqDecision waiters_state.
Proof. solve_decision. Defined.
Global Instance waiters_state_inhabited : Inhabited waiters_state := populate Awake.

Class waitersG Σ := WaitersG {
  #[local] waiters_mutexG :: mutexG Σ;
  #[local] waiters_phaseG :: ghost_varG Σ waiters_state;
  #[local] waiters_ticketsG :: inG Σ (authR natUR);
}.
Definition waitersΣ : gFunctors :=
  #[mutexΣ; ghost_varΣ waiters_state; GFunctor (authR natUR)].
Global Instance subG_waitersΣ Σ : subG waitersΣ Σ → waitersG Σ.
Proof. solve_inG. Qed.

Definition waitersN : namespace := nroot .@ "waiters".

(** A slot: its block, and what is in its immutable fields. *)
Record waiters_slot := WaitersSlot {
  slot_loc : loc;
  slot_state : loc;
  slot_mutex : val;
  slot_condition : val;
  slot_phase : gname;
}.
Record waiters_names := WaitersNames {
  waiters_name_tickets : gname;
  waiters_slots : list waiters_slot;
}.
Definition waiters_size (γ : waiters_names) : nat := length (waiters_slots γ).

Definition waiters_state_to_Z (st : waiters_state) : Z :=
  match st with Awake => 0 | Announced => 1 | Asleep => 2 | Notified => 3 end.
Local Coercion waiters_state_to_Z : waiters_state >-> Z.

Section waiters.
  Context `{!heapGS Σ, !waitersG Σ} (R : nat → iProp Σ).
  Implicit Types (γ : waiters_names) (s : waiters_slot) (i : nat) (t : val).

  (** ** Tickets *)

  Local Definition ticket γt : iProp Σ := own γt (◯ 1).
  Local Definition tickets γt (n : nat) : iProp Σ := own γt (● n).
  Local Lemma ticket_new γt n : tickets γt n ==∗ tickets γt (S n) ∗ ticket γt.
  Proof.
    iIntros "H". rewrite -own_op. iApply (own_update with "H").
    apply (auth_update_alloc n (S n) 1), (nat_local_update n 0 (S n) 1). lia.
  Qed.
  Local Lemma ticket_drop γt n :
    tickets γt n -∗ ticket γt ==∗ ∃ m, ⌜n = S m⌝ ∗ tickets γt m.
  Proof.
    iIntros "H1 H2". iCombine "H1 H2" gives %[Hle%nat_included _]%auth_both_valid_discrete.
    destruct n as [|m]; first lia. iExists m. iSplitR; first done.
    iMod (own_update_2 _ _ _ (● m ⋅ ◯ 0) with "H1 H2") as "[$ _]"; last done.
    apply (auth_update (S m) 1 m 0), nat_local_update. lia.
  Qed.

  (** ** Invariants *)

  Local Definition slot_ok γt i (st ph : waiters_state) : iProp Σ :=
    match st with
    | Awake => ⌜ph = Awake⌝
    | Announced => ⌜ph = Announced⌝ ∗ ticket γt
    | Asleep => ⌜ph = Asleep⌝ ∗ ticket γt
    | Notified => ⌜ph = Notified⌝ ∨ ⌜ph = Announced ∨ ph = Asleep⌝ ∗ R i
    end.
  Local Definition slot_inner γt i s : iProp Σ :=
    ∃ st ph : waiters_state, slot_state s ↦ #st ∗ ghost_var (slot_phase s) (1/2) ph ∗
      slot_ok γt i st ph.
  Local Definition slot_inv γt i s : iProp Σ :=
    (slot_loc s +ₗ 0) ↦□ #(slot_state s) ∗ (slot_loc s +ₗ 1) ↦□ slot_mutex s ∗
    (slot_loc s +ₗ 2) ↦□ slot_condition s ∗
    mutex_inv (slot_mutex s) True ∗ condition_inv (slot_condition s) ∗
    inv (waitersN .@ "slot") (slot_inner γt i s).
  Local Definition count_inner γt (announced : loc) : iProp Σ :=
    ∃ n : nat, announced ↦ #n ∗ tickets γt n.
  Local Definition next_inner (next : loc) : iProp Σ := ∃ n : nat, next ↦ #n.

  Definition waiters_inv γ t : iProp Σ :=
    ∃ slots announced next : loc, ⌜t = (#slots, #announced, #next)%V⌝ ∗
      is_array slots DfracDiscarded ((λ s, #(slot_loc s)) <$> waiters_slots γ) ∗
      inv (waitersN .@ "count") (count_inner (waiters_name_tickets γ) announced) ∗
      inv (waitersN .@ "next") (next_inner next) ∗
      [∗ list] i ↦ s ∈ waiters_slots γ, slot_inv (waiters_name_tickets γ) i s.

  (** Slot [i]'s thread, between operations. *)
  Local Definition slot_thread s (ph : waiters_state) (held : bool) : iProp Σ :=
    ghost_var (slot_phase s) (1/2) ph ∗ (slot_loc s +ₗ 3) ↦na #held.
  Definition waiters_awake γ i : iProp Σ :=
    ∃ s, ⌜waiters_slots γ !! i = Some s⌝ ∗ slot_thread s Awake false.
  Definition waiters_announced γ i : iProp Σ :=
    ∃ s, ⌜waiters_slots γ !! i = Some s⌝ ∗ slot_thread s Announced false.
  (** Slot [i]'s thread, torn out of an operation. *)
  Definition waiters_torn γ i : iProp Σ :=
    ∃ s ph (held : bool), ⌜waiters_slots γ !! i = Some s⌝ ∗ slot_thread s ph held ∗
      (if held then mutex_locked (slot_mutex s) else True) ∗
      match ph with Notified => R i | _ => True end.

  Global Instance waiters_inv_persistent γ t : Persistent (waiters_inv γ t).
  Proof. apply _. Qed.

  Lemma waiters_awake_torn γ i : waiters_awake γ i -∗ waiters_torn γ i.
  Proof. iIntros "(%s & Hs & H)". iExists s, Awake, false. by iFrame. Qed.
  Lemma waiters_announced_torn γ i : waiters_announced γ i -∗ waiters_torn γ i.
  Proof. iIntros "(%s & Hs & H)". iExists s, Announced, false. by iFrame. Qed.
  Lemma waiters_awake_exclusive γ i : waiters_awake γ i -∗ waiters_awake γ i -∗ False.
  Proof.
    iIntros "(%s & %Hs & _ & H) (%s' & %Hs' & _ & H')". simplify_eq.
    iApply (na_pointsto_exclusive with "H H'").
  Qed.

  (** ** Creation *)

  Local Lemma make_slot_spec γt i (v : val) :
    {{{ True }}}
      base_waiters_make_slot v
    {{{ s, RET #(slot_loc s); slot_inv γt i s ∗ slot_thread s Awake false }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_alloc st as "Hst". wp_pures.
    wp_apply mutex_create_spec; first done. iIntros (m) "Hm". wp_pures.
    wp_apply condition_create_spec; first done. iIntros (c) "#Hc". wp_pures.
    iApply wp_fupd. wp_apply block4_spec; first done.
    iIntros (l) "(Hl0 & Hl1 & Hl2 & Hl3 & _)".
    iMod (mutex_inv_alloc _ True with "Hm [//]") as "#Hm".
    iMod (pointsto_persist with "Hl0") as "#Hl0".
    iMod (pointsto_persist with "Hl1") as "#Hl1".
    iMod (pointsto_persist with "Hl2") as "#Hl2".
    iMod (ghost_var_alloc Awake) as (γp) "[Hp1 Hp2]".
    iMod (inv_alloc (waitersN .@ "slot") _ (slot_inner γt i (WaitersSlot l st m c γp))
      with "[Hst Hp1]") as "#I".
    { iNext. iExists Awake, Awake. by iFrame. }
    iModIntro. iApply ("HΦ" $! (WaitersSlot l st m c γp)). iFrame "Hp2 Hl3". by iFrame "#".
  Qed.

  Local Lemma waiters_seq (ss : list waiters_slot) (P : nat → iProp Σ) :
    ([∗ list] i ∈ seq 0 (length ss), P i) ⊣⊢ [∗ list] i ↦ _ ∈ ss, P i.
  Proof.
    induction ss as [|s ss IH] using rev_ind; first done.
    rewrite length_app /= Nat.add_1_r seq_S !big_sepL_app IH /= Nat.add_0_r. done.
  Qed.

  (** Claim: All slots are awake, each with one owner. *)
  Lemma waiters_create_spec (size : nat) :
    {{{ True }}}
      base_waiters_create #size
    {{{ γ t, RET t; ⌜waiters_size γ = size⌝ ∗ waiters_inv γ t ∗
        [∗ list] i ∈ seq 0 size, waiters_awake γ i }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec.
    iMod (own_alloc (● 0)) as (γt) "Ht"; first by apply auth_auth_valid.
    wp_apply (array_init_spec (λ i vs, ∃ ss, ⌜vs = (λ s, #(slot_loc s)) <$> ss⌝ ∗
      □ ([∗ list] i ↦ s ∈ ss, slot_inv γt i s) ∗ [∗ list] s ∈ ss, slot_thread s Awake false)%I).
    { lia. }
    { iSplitR.
      { iExists []. iSplit; first done. by iSplit; [iModIntro|]. }
      iIntros "!>" (i vs Hi Hlen) "(%ss & -> & #Hss & Hth)".
      wp_apply (make_slot_spec γt i); first done. iIntros (s) "[#Hs Hs']".
      iExists (ss ++ [s]). iSplit; first by rewrite fmap_app.
      rewrite length_fmap in Hlen. rewrite !big_sepL_app /= Nat.add_0_r Hlen.
      iFrame "Hth Hs'". iModIntro. by iFrame "#". }
    iIntros (a vs) "(%Hlen & Ha & _ & %ss & -> & #Hss & Hth)". rewrite length_fmap in Hlen.
    iMod (is_array_persist with "Ha") as "#Ha". wp_pures.
    wp_alloc ann as "Hann". wp_pures. wp_alloc nx as "Hnx". wp_pures.
    iMod (inv_alloc (waitersN .@ "count") _ (count_inner γt ann) with "[Hann Ht]") as "#Ic".
    { iNext. iExists 0. by iFrame. }
    iMod (inv_alloc (waitersN .@ "next") _ (next_inner nx) with "[Hnx]") as "#In".
    { iNext. iExists 0. by iFrame. }
    iModIntro. iApply ("HΦ" $! (WaitersNames γt ss)).
    rewrite Nat2Z.id in Hlen. iSplit; first done. iSplitR.
    { iExists a, ann, nx. by iFrame "#". }
    rewrite -Hlen (waiters_seq ss). iApply (big_sepL_impl with "Hth").
    iIntros "!>" (i s Hs) "H". iExists s. by iFrame.
  Qed.

  (** ** Access *)

  Local Lemma waiters_get_slot γ i s (slots : loc) :
    waiters_slots γ !! i = Some s →
    {{{ is_array slots DfracDiscarded ((λ s, #(slot_loc s)) <$> waiters_slots γ) }}}
      array_get #slots #i
    {{{ RET #(slot_loc s); True }}}.
  Proof.
    iIntros (Hs Φ) "#Ha HΦ".
    wp_apply (array_get_spec _ _ _ _ #(slot_loc s) with "Ha"); [lia| |].
    { by rewrite Nat2Z.id list_lookup_fmap Hs. }
    iIntros "_". by iApply "HΦ".
  Qed.

  Local Lemma waiters_incr γt (announced : loc) :
    {{{ inv (waitersN .@ "count") (count_inner γt announced) }}}
      FAA #announced #1
    {{{ (n : Z), RET #n; ticket γt }}}.
  Proof.
    iIntros (Φ) "#I HΦ". iInv "I" as (n) ">[Hn Ht]". wp_faa.
    iMod (ticket_new with "Ht") as "[Ht Hticket]". iModIntro. iSplitR "HΦ Hticket".
    { iNext. iExists (S n). iFrame. by replace (n + 1)%Z with (Z.of_nat (S n)) by lia. }
    by iApply "HΦ".
  Qed.
  Local Lemma waiters_decr γt (announced : loc) :
    {{{ inv (waitersN .@ "count") (count_inner γt announced) ∗ ticket γt }}}
      FAA #announced #(-1)
    {{{ (n : Z), RET #n; True }}}.
  Proof.
    iIntros (Φ) "[#I Hticket] HΦ". iInv "I" as (n) ">[Hn Ht]". wp_faa.
    iMod (ticket_drop with "Ht Hticket") as (m ->) "Ht". iModIntro. iSplitR "HΦ".
    { iNext. iExists m. iFrame. by replace (S m + -1)%Z with (Z.of_nat m) by lia. }
    by iApply "HΦ".
  Qed.

  (** ** The slot's thread *)

  (** Claim: A slot that was awake has announced its sleep. *)
  Lemma waiters_prepare_spec γ t i :
    {{{ waiters_inv γ t ∗ waiters_awake γ i }}}
      base_waiters_prepare t #i
    {{{ RET #(); waiters_announced γ i }}}.
  Proof.
    iIntros (Φ) "[(%slots & %ann & %nx & -> & #Ha & #Ic & #In & #Hslots) H] HΦ".
    iDestruct "H" as (s) "(%Hs & Hp & Hheld)".
    iDestruct (big_sepL_lookup with "Hslots") as "(#H0 & #H1 & #H2 & #Hm & #Hc & #I)"; first done.
    wp_rec. wp_pures. wp_apply (waiters_get_slot _ _ _ _ Hs with "Ha"). iIntros "_". wp_pures.
    wp_apply (waiters_incr with "Ic"). iIntros (n) "Hticket". wp_pures. wp_load.
    iInv "I" as (st ph) "(>Hst & >Hp' & Hok)". wp_store.
    iDestruct (ghost_var_agree with "Hp Hp'") as %<-.
    iMod (ghost_var_update_halves Announced with "Hp Hp'") as "[Hp Hp']".
    iModIntro. iSplitL "Hst Hp' Hticket".
    { iNext. iExists Announced, Announced. by iFrame. }
    iApply "HΦ". iExists s. by iFrame.
  Qed.

  (** Claim: The slot is awake; true exactly if a notification came meanwhile, and
      that is consumed here. *)
  Lemma waiters_cancel_spec γ t i :
    {{{ waiters_inv γ t ∗ waiters_announced γ i }}}
      base_waiters_cancel t #i
    {{{ (b : bool), RET #b; waiters_awake γ i ∗ if b then R i else True }}}.
  Proof.
    iIntros (Φ) "[(%slots & %ann & %nx & -> & #Ha & #Ic & #In & #Hslots) H] HΦ".
    iDestruct "H" as (s) "(%Hs & Hp & Hheld)".
    iDestruct (big_sepL_lookup with "Hslots") as "(#H0 & #H1 & #H2 & #Hm & #Hc & #I)"; first done.
    wp_rec. wp_pures. wp_apply (waiters_get_slot _ _ _ _ Hs with "Ha"). iIntros "_". wp_pures.
    wp_load. wp_bind (CmpXchg _ _ _).
    iInv "I" as (st ph) "(>Hst & >Hp' & Hok)".
    iDestruct (ghost_var_agree with "Hp Hp'") as %<-. destruct st; simpl.
    - iDestruct "Hok" as ">%". done.
    - wp_cmpxchg_suc. iDestruct "Hok" as "[_ Hticket]".
      iMod (ghost_var_update_halves Awake with "Hp Hp'") as "[Hp Hp']".
      iModIntro. iSplitL "Hst Hp'". { iNext. iExists Awake, Awake. by iFrame. }
      wp_pures. wp_apply (waiters_decr with "[$Ic $Hticket]"). iIntros (n) "_". wp_pures.
      iModIntro. iApply "HΦ". iSplitL; last done. iExists s. by iFrame.
    - iDestruct "Hok" as "[>% _]". done.
    - wp_cmpxchg_fail. iDestruct "Hok" as "[%|[_ HR]]"; first done.
      iMod (ghost_var_update_halves Notified with "Hp Hp'") as "[Hp Hp']".
      iModIntro. iSplitL "Hst Hp'". { iNext. iExists Notified, Notified. iFrame. by iLeft. }
      wp_pures. wp_load. wp_bind (_ <- _)%E. iInv "I" as (st ph) "(>Hst & >Hp' & Hok)". wp_store.
      iDestruct (ghost_var_agree with "Hp Hp'") as %<-.
      iMod (ghost_var_update_halves Awake with "Hp Hp'") as "[Hp Hp']".
      iModIntro. iSplitL "Hst Hp'". { iNext. iExists Awake, Awake. by iFrame. }
      wp_pures. iModIntro. iApply "HΦ". iFrame "HR". iExists s. by iFrame.
  Qed.

  (** Asleep, with the mutex. *)
  Local Lemma waiters_sleep_spec γt i s :
    {{{ slot_inv γt i s ∗ ghost_var (slot_phase s) (1/2) Asleep ∗ mutex_locked (slot_mutex s) }}}
      base_waiters_sleep #(slot_loc s)
    {{{ RET #(); ghost_var (slot_phase s) (1/2) Notified ∗ R i ∗ mutex_locked (slot_mutex s) }}}.
  Proof.
    iIntros (Φ) "((#H0 & #H1 & #H2 & #Hm & #Hc & #I) & Hp & Hl) HΦ". iLöb as "IH".
    wp_rec. wp_pures. wp_load. wp_bind (! _)%E. iInv "I" as (st ph) "(>Hst & >Hp' & Hok)". wp_load.
    iDestruct (ghost_var_agree with "Hp Hp'") as %<-. destruct st; simpl.
    - by iDestruct "Hok" as %?.
    - by iDestruct "Hok" as "[% _]".
    - iModIntro. iSplitL "Hst Hp' Hok". { iNext. iExists Asleep, Asleep. by iFrame. }
      wp_pures. wp_load. wp_load.
      wp_apply (condition_wait_spec with "[$Hc $Hm $Hl]"). iIntros "[Hl _]". wp_pures.
      iApply ("IH" with "Hp Hl HΦ").
    - iDestruct "Hok" as "[%|[_ HR]]"; first done.
      iMod (ghost_var_update_halves Notified with "Hp Hp'") as "[Hp Hp']".
      iModIntro. iSplitL "Hst Hp'". { iNext. iExists Notified, Notified. iFrame. by iLeft. }
      wp_pures. iModIntro. iApply "HΦ". by iFrame.
  Qed.

  (** Claim: Returns only after a notification, and consumes it. *)
  Lemma waiters_commit_spec γ t i :
    {{{ waiters_inv γ t ∗ waiters_announced γ i }}}
      base_waiters_commit t #i
    {{{ RET #(); waiters_awake γ i ∗ R i }}}.
  Proof.
    iIntros (Φ) "[(%slots & %ann & %nx & -> & #Ha & #Ic & #In & #Hslots) H] HΦ".
    iDestruct "H" as (s) "(%Hs & Hp & Hheld)".
    iDestruct (big_sepL_lookup with "Hslots") as "#Hslot"; first done.
    iPoseProof "Hslot" as "(#H0 & #H1 & #H2 & #Hm & #Hc & #I)".
    wp_rec. wp_pures. wp_apply (waiters_get_slot _ _ _ _ Hs with "Ha"). iIntros "_". wp_pures.
    wp_load. wp_apply (mutex_lock_spec with "Hm"). iIntros "[Hl _]". wp_pures.
    wp_na_store. wp_pures.
    wp_bind (if: _ then _ else _)%E.
    iApply (wp_wand _ _ _ (λ _, ghost_var (slot_phase s) (1/2) Notified ∗ R i ∗
      mutex_locked (slot_mutex s))%I with "[Hp Hl]").
    { wp_load. wp_bind (CmpXchg _ _ _). iInv "I" as (st ph) "(>Hst & >Hp' & Hok)".
      iDestruct (ghost_var_agree with "Hp Hp'") as %<-. destruct st; simpl.
      - iDestruct "Hok" as ">%". done.
      - wp_cmpxchg_suc. iDestruct "Hok" as "[_ Hticket]".
        iMod (ghost_var_update_halves Asleep with "Hp Hp'") as "[Hp Hp']".
        iModIntro. iSplitL "Hst Hp' Hticket". { iNext. iExists Asleep, Asleep. by iFrame. }
        wp_pures. wp_apply (waiters_sleep_spec with "[$Hslot $Hp $Hl]"). iIntros "H". iExact "H".
      - iDestruct "Hok" as "[>% _]". done.
      - wp_cmpxchg_fail. iDestruct "Hok" as "[%|[_ HR]]"; first done.
        iMod (ghost_var_update_halves Notified with "Hp Hp'") as "[Hp Hp']".
        iModIntro. iSplitL "Hst Hp'". { iNext. iExists Notified, Notified. iFrame. by iLeft. }
        wp_pures. by iFrame. }
    iIntros (r) "(Hp & HR & Hl)". wp_pures. wp_na_store. wp_pures. wp_load.
    wp_apply (mutex_unlock_spec with "[$Hm $Hl //]"). iIntros "_". wp_pures. wp_load.
    iInv "I" as (st ph) "(>Hst & >Hp' & Hok)". wp_store.
    iDestruct (ghost_var_agree with "Hp Hp'") as %<-.
    iMod (ghost_var_update_halves Awake with "Hp Hp'") as "[Hp Hp']".
    iModIntro. iSplitL "Hst Hp'". { iNext. iExists Awake, Awake. by iFrame. }
    iApply "HΦ". iFrame "HR". iExists s. by iFrame.
  Qed.

  (** Claim: Puts right a slot whose thread was torn out of preparing, cancelling or
      sleeping; consumes the notification if one came. *)
  Lemma waiters_recover_spec γ t i :
    {{{ waiters_inv γ t ∗ waiters_torn γ i }}}
      base_waiters_recover t #i
    {{{ (b : bool), RET #b; waiters_awake γ i ∗ if b then R i else True }}}.
  Proof.
    iIntros (Φ) "[(%slots & %ann & %nx & -> & #Ha & #Ic & #In & #Hslots) H] HΦ".
    iDestruct "H" as (s ph held) "(%Hs & [Hp Hheld] & Hl & HR)".
    iDestruct (big_sepL_lookup with "Hslots") as "(#H0 & #H1 & #H2 & #Hm & #Hc & #I)"; first done.
    wp_rec. wp_pures. wp_apply (waiters_get_slot _ _ _ _ Hs with "Ha"). iIntros "_". wp_pures.
    wp_na_load. wp_bind (if: _ then _ else _)%E.
    iApply (wp_wand _ _ _ (λ _, (slot_loc s +ₗ 3) ↦na #false)%I with "[Hheld Hl]").
    { destruct held; wp_pures; last done. wp_na_store. wp_pures. wp_load.
      wp_apply (mutex_unlock_spec with "[$Hm $Hl //]"). iIntros "_". iExact "Hheld". }
    iIntros (r) "Hheld". wp_pures. wp_load. wp_bind (Xchg _ _).
    iInv "I" as (st ph') "(>Hst & >Hp' & Hok)". wp_xchg.
    iDestruct (ghost_var_agree with "Hp Hp'") as %<-.
    iMod (ghost_var_update_halves Awake with "Hp Hp'") as "[Hp Hp']".
    iModIntro. iSplitL "Hst Hp'". { iNext. iExists Awake, Awake. by iFrame. }
    destruct st; simpl; wp_pures.
    - iModIntro. iApply "HΦ". iSplitL; last done. iExists s. by iFrame.
    - iDestruct "Hok" as "[_ Hticket]".
      wp_apply (waiters_decr with "[$Ic $Hticket]"). iIntros (n) "_". wp_pures.
      iModIntro. iApply "HΦ". iSplitL; last done. iExists s. by iFrame.
    - iDestruct "Hok" as "[_ Hticket]".
      wp_apply (waiters_decr with "[$Ic $Hticket]"). iIntros (n) "_". wp_pures.
      iModIntro. iApply "HΦ". iSplitL; last done. iExists s. by iFrame.
    - iModIntro. iApply "HΦ". iSplitR "Hok HR"; first (iExists s; by iFrame).
      iDestruct "Hok" as "[->|[_ HR']]"; [iExact "HR"|iExact "HR'"].
  Qed.

  (** ** Notifiers

      A notifier has [P], which it would turn into the notification. *)

  Local Lemma waiters_wake_spec γt i s :
    {{{ slot_inv γt i s }}} base_waiters_wake #(slot_loc s) {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "(#H0 & #H1 & #H2 & #Hm & #Hc & _) HΦ". wp_rec. wp_load.
    wp_apply (mutex_lock_spec with "Hm"). iIntros "[Hl _]". wp_pures. wp_load.
    wp_apply (condition_signal_spec with "Hc"). iIntros "_". wp_pures. wp_load.
    wp_apply (mutex_unlock_spec with "[$Hm $Hl //]"). iIntros "_". by iApply "HΦ".
  Qed.

  Local Lemma waiters_notify_slot_spec γt i s (slots ann nx : loc) (P : iProp Σ) :
    {{{ slot_inv γt i s ∗ inv (waitersN .@ "count") (count_inner γt ann) ∗
        P ∗ □ (P -∗ R i) }}}
      base_waiters_notify_slot (#slots, #ann, #nx)%V #(slot_loc s)
    {{{ (b : bool), RET #b; if b then True else P }}}.
  Proof.
    iIntros (Φ) "(#Hslot & #Ic & HP & #HPR) HΦ".
    iPoseProof "Hslot" as "(#H0 & #H1 & #H2 & #Hm & #Hc & #I)".
    wp_rec. wp_pures. wp_load. wp_bind (CmpXchg _ _ _).
    iInv "I" as (st ph) "(>Hst & >Hp & Hok)".
    destruct (decide (st = Announced)) as [->|Hne].
    { wp_cmpxchg_suc. iDestruct "Hok" as "[-> Hticket]". iModIntro.
      iSplitL "Hst Hp HP".
      { iNext. iExists Notified, Announced. iFrame. iRight. iSplit; first by iLeft.
        by iApply "HPR". }
      wp_pures. wp_apply (waiters_decr with "[$Ic $Hticket]"). iIntros (n) "_". wp_pures.
      iModIntro. by iApply ("HΦ" $! true). }
    wp_cmpxchg_fail. { destruct st; simpl; congruence. }
    iModIntro. iSplitL "Hst Hp Hok". { iNext. iExists st, ph. by iFrame. }
    wp_pures. clear dependent st ph. wp_load. wp_bind (CmpXchg _ _ _).
    iInv "I" as (st ph) "(>Hst & >Hp & Hok)".
    destruct (decide (st = Asleep)) as [->|Hne].
    { wp_cmpxchg_suc. iDestruct "Hok" as "[-> Hticket]". iModIntro.
      iSplitL "Hst Hp HP".
      { iNext. iExists Notified, Asleep. iFrame. iRight. iSplit; first by iRight.
        by iApply "HPR". }
      wp_pures. wp_apply (waiters_decr with "[$Ic $Hticket]"). iIntros (n) "_". wp_pures.
      wp_apply (waiters_wake_spec with "Hslot"). iIntros "_". wp_pures.
      iModIntro. by iApply ("HΦ" $! true). }
    wp_cmpxchg_fail. { destruct st; simpl; congruence. }
    iModIntro. iSplitL "Hst Hp Hok". { iNext. iExists st, ph. by iFrame. }
    wp_pures. iModIntro. by iApply ("HΦ" $! false).
  Qed.

  (** Claim: A slot is notified, and what the notification brings along is handed
      over, once; or nothing happens, and the notifier keeps it. *)
  Lemma waiters_notify_spec γ t i (P : iProp Σ) :
    i < waiters_size γ →
    {{{ waiters_inv γ t ∗ P ∗ □ (P -∗ R i) }}}
      base_waiters_notify t #i
    {{{ (b : bool), RET #b; if b then True else P }}}.
  Proof.
    iIntros (Hi Φ) "((%slots & %ann & %nx & -> & #Ha & #Ic & #In & #Hslots) & HP & #HPR) HΦ".
    destruct (lookup_lt_is_Some_2 (waiters_slots γ) i) as [s Hs]; first done.
    iDestruct (big_sepL_lookup with "Hslots") as "#Hslot"; first done.
    iPoseProof "Hslot" as "(#H0 & #H1 & #H2 & #Hm & #Hc & #I)".
    wp_rec. wp_pures. wp_apply (waiters_get_slot _ _ _ _ Hs with "Ha"). iIntros "_". wp_pures.
    wp_load. wp_bind (! _)%E. iInv "I" as (st ph) "(>Hst & >Hp & Hok)". wp_load.
    iModIntro. iSplitL "Hst Hp Hok". { iNext. iExists st, ph. by iFrame. }
    destruct st; simpl; wp_pures.
    - iModIntro. by iApply ("HΦ" $! false).
    - iApply (waiters_notify_slot_spec _ _ _ _ _ _ P with "[$Hslot $Ic $HP $HPR]").
      iNext. done.
    - iApply (waiters_notify_slot_spec _ _ _ _ _ _ P with "[$Hslot $Ic $HP $HPR]").
      iNext. done.
    - iModIntro. by iApply ("HΦ" $! false).
  Qed.

  Local Lemma waiters_notify_from_spec γ t i (left : nat) (P : iProp Σ) :
    i < waiters_size γ →
    {{{ waiters_inv γ t ∗ P ∗ □ (∀ i, P -∗ R i) }}}
      base_waiters_notify_from t #i #left
    {{{ (b : bool), RET #b; if b then True else P }}}.
  Proof.
    iIntros (Hi Φ) "(#It & HP & #HPR) HΦ".
    iInduction left as [|left] "IH" forall (i Hi); wp_rec; wp_pures.
    { iModIntro. by iApply ("HΦ" $! false). }
    wp_apply (waiters_notify_spec _ _ i P with "[$It $HP]"); [done| |].
    { iIntros "!> H". by iApply "HPR". }
    iIntros ([]) "HP"; wp_pures; first by iApply ("HΦ" $! true).
    iDestruct "It" as (slots ann nx ->) "(#Ha & #Ic & #In & #Hslots)". wp_pures.
    wp_apply (array_length_spec with "[]"); first by iApply is_array_len. iIntros "_".
    rewrite length_fmap. wp_pures. case_bool_decide as Heq; wp_pures;
      replace (S left - 1)%Z with (Z.of_nat left) by lia.
    - iApply ("IH" $! 0 with "[%] HP HΦ"). lia.
    - replace (i + 1)%Z with (Z.of_nat (S i)) by lia.
      iApply ("IH" $! (S i) with "[%] HP HΦ").
      assert (S i ≠ length (waiters_slots γ)) by (intros ?; apply Heq; do 2 f_equal; lia).
      unfold waiters_size in *. lia.
  Qed.

  (** Claim: The same, for some slot. *)
  Lemma waiters_notify_one_spec γ t (P : iProp Σ) :
    {{{ waiters_inv γ t ∗ P ∗ □ (∀ i, P -∗ R i) }}}
      base_waiters_notify_one t
    {{{ (b : bool), RET #b; if b then True else P }}}.
  Proof.
    iIntros (Φ) "(#It & HP & #HPR) HΦ".
    iPoseProof "It" as (slots ann nx ->) "(#Ha & #Ic & #In & #Hslots)". wp_rec. wp_pures.
    wp_bind (! _)%E. iInv "Ic" as (n) ">[Hn Ht]". wp_load.
    iModIntro. iSplitL "Hn Ht". { iNext. iExists n. by iFrame. }
    wp_pures. case_bool_decide; wp_pures. { iModIntro. by iApply ("HΦ" $! false). }
    wp_apply (array_length_spec with "[]"); first by iApply is_array_len. iIntros "_".
    rewrite length_fmap. wp_pures. wp_bind (FAA _ _).
    iInv "In" as (k) ">Hk". wp_faa. iModIntro. iSplitL "Hk".
    { iNext. iExists (S k). by replace (k + 1)%Z with (Z.of_nat (S k)) by lia. }
    wp_pures. destruct (waiters_slots γ) as [|s0 ss] eqn:Hss.
    { wp_rec. wp_pures. iModIntro. by iApply ("HΦ" $! false). }
    rewrite -Hss. assert (0 < waiters_size γ) by (rewrite /waiters_size Hss /=; lia).
    rewrite -/(waiters_size γ).
    assert (∃ j : nat, (k `rem` waiters_size γ)%Z = j ∧ j < waiters_size γ) as (j & -> & Hj).
    { pose proof (Z.rem_bound_pos k (waiters_size γ) ltac:(lia) ltac:(lia)) as [H1 H2].
      exists (Z.to_nat (k `rem` waiters_size γ)). split.
      - by rewrite Z2Nat.id.
      - apply Nat2Z.inj_lt. by rewrite Z2Nat.id. }
    iApply (waiters_notify_from_spec _ _ _ _ P with "[$HP $HPR] HΦ"); first done.
    iExists slots, ann, nx. by iFrame "#".
  Qed.

  Local Lemma waiters_notify_upto_spec γ t i :
    i ≤ waiters_size γ →
    {{{ waiters_inv γ t ∗ [∗ list] j ∈ seq 0 i, R j }}}
      base_waiters_notify_upto t #i
    {{{ RET #(); True }}}.
  Proof.
    iIntros (Hi Φ) "[#It HR] HΦ". iInduction i as [|i] "IH" forall (Hi); wp_rec; wp_pures.
    { by iApply "HΦ". }
    rewrite seq_S big_sepL_app /=. iDestruct "HR" as "(HR & HRi & _)".
    replace (S i - 1)%Z with (Z.of_nat i) by lia.
    wp_apply (waiters_notify_spec _ _ _ (R i) with "[$It $HRi]"); [lia| |].
    { by iIntros "!> $". }
    iIntros (b) "_". wp_pures. replace (S i - 1)%Z with (Z.of_nat i) by lia.
    iApply ("IH" with "[%] HR HΦ"). lia.
  Qed.

  (** Notifications that find nobody are dropped. *)
  (** Claim: The same, for every slot. *)
  Lemma waiters_notify_all_spec γ t :
    {{{ waiters_inv γ t ∗ [∗ list] i ∈ seq 0 (waiters_size γ), R i }}}
      base_waiters_notify_all t
    {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "[#It HR] HΦ".
    iPoseProof "It" as (slots ann nx ->) "(#Ha & #Ic & #In & #Hslots)". wp_rec. wp_pures.
    wp_bind (! _)%E. iInv "Ic" as (n) ">[Hn Ht]". wp_load.
    iModIntro. iSplitL "Hn Ht". { iNext. iExists n. by iFrame. }
    wp_pures. case_bool_decide; wp_pures; last by iApply "HΦ".
    wp_apply (array_length_spec with "[]"); first by iApply is_array_len. iIntros "_".
    rewrite length_fmap. iApply (waiters_notify_upto_spec with "[$HR] HΦ"); first done.
    iExists slots, ann, nx. by iFrame "#".
  Qed.

  (** Claim: Some number. *)
  Lemma waiters_count_spec γ t :
    {{{ waiters_inv γ t }}} base_waiters_count t {{{ (n : nat), RET #n; True }}}.
  Proof.
    iIntros (Φ) "(%slots & %ann & %nx & -> & #Ha & #Ic & #In & #Hslots) HΦ". wp_rec. wp_pures.
    iInv "Ic" as (n) ">[Hn Ht]". wp_load. iModIntro. iSplitL "Hn Ht".
    { iNext. iExists n. by iFrame. }
    by iApply "HΦ".
  Qed.
End waiters.
