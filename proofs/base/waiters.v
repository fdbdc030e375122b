(** Sleepers: the creation of waiters, and the operations of a slot's own thread, of
    lib/kernel/base/waiters.ml.  The state, and the facts about announcements, are in
    [waiters_state.v]; the notifiers are in [waiters_notify.v].

    [prepare] announces a sleep: from then on [waiters_made] holds for the announcement.
    [cancel], [commit] and [recover] end the announcement, and their specifications say
    so ([waiters_over]).  [commit] returns only when the slot is [Notified].  The slot is
    [Notified] from the moment at which a notifier has ended the announcement:
    [waiters_wakeup].

    The field [held] belongs to the slot's thread.  While [held] is true, the mutex
    belongs to the thread, too.  So the plain accesses to [held] do not race.  [recover]
    serves a thread that an exception has interrupted in [prepare], [cancel] or [commit].
    The interruption may be at any point at which [held] tells whether the thread holds
    the mutex ([waiters_torn]). *)
From iris.algebra Require Import auth numbers.
From iris.base_logic.lib Require Import invariants ghost_var mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.base Require Import waiters_code.
From dromos.base Require Export waiters_state.

#[local] Existing Instances waiters_mutexG waiters_phaseG waiters_movesG waiters_ticketsG.

Section waiters.
  Context `{!heapGS Σ, !waitersG Σ} (R : nat → iProp Σ).
  Implicit Types (γ : waiters_names) (s : waiters_slot) (i n : nat) (t : val).
  Local Notation waiters_inv := (waiters_inv R).
  Local Notation slot_inv := (slot_inv R).
  Local Notation slot_inner := (slot_inner R).
  Local Notation waiters_torn := (waiters_torn R).

  (** ** Creation *)

  Local Lemma make_slot_spec γt i (v : val) :
    {{{ True }}}
      base_waiters_make_slot v
    {{{ s, RET #(slot_loc s); slot_inv γt i s ∗ slot_thread s Awake 0 false }}}.
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
    iMod (ghost_var_alloc (Awake, 0)) as (γp) "[Hp1 Hp2]".
    iMod (mono_nat_own_alloc 0) as (γm) "[Hmoves _]".
    set (s := WaitersSlot l st m c γp γm).
    iMod (inv_alloc (waitersN .@ "slot") _ (slot_inner γt i s)
      with "[Hst Hp1 Hmoves]") as "#I".
    { iNext. iExists Awake, Awake, 0. by iFrame. }
    iModIntro. iApply ("HΦ" $! s). iFrame "Hp2 Hl3". by iFrame "#".
  Qed.

  Local Lemma waiters_seq (ss : list waiters_slot) (P : nat → iProp Σ) :
    ([∗ list] i ∈ seq 0 (length ss), P i) ⊣⊢ [∗ list] i ↦ _ ∈ ss, P i.
  Proof.
    induction ss as [|s ss IH] using rev_ind; first done.
    rewrite length_app /= Nat.add_1_r seq_S !big_sepL_app IH /= Nat.add_0_r. done.
  Qed.

  (** Claim: All slots of new waiters are awake, each with one owner. *)
  Lemma waiters_create_spec (size : nat) :
    {{{ True }}}
      base_waiters_create #size
    {{{ γ t, RET t; ⌜waiters_size γ = size⌝ ∗ waiters_inv γ t ∗
        [∗ list] i ∈ seq 0 size, waiters_awake γ i 0 }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec.
    iMod (own_alloc (● 0)) as (γt) "Ht"; first by apply auth_auth_valid.
    wp_apply (array_init_spec (λ i vs, ∃ ss, ⌜vs = (λ s, #(slot_loc s)) <$> ss⌝ ∗
      □ ([∗ list] i ↦ s ∈ ss, slot_inv γt i s) ∗
      [∗ list] s ∈ ss, slot_thread s Awake 0 false)%I).
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

  Lemma waiters_get_slot γ i s (slots : loc) :
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
    {{{ (n : Z), RET #n; waiters_ticket γt }}}.
  Proof.
    iIntros (Φ) "#I HΦ". iInv "I" as (n) ">[Hn Ht]". wp_faa.
    iMod (waiters_ticket_new with "Ht") as "[Ht Hticket]". iModIntro. iSplitR "HΦ Hticket".
    { iNext. iExists (S n). iFrame. by replace (n + 1)%Z with (Z.of_nat (S n)) by lia. }
    by iApply "HΦ".
  Qed.
  Lemma waiters_decr γt (announced : loc) :
    {{{ inv (waitersN .@ "count") (count_inner γt announced) ∗ waiters_ticket γt }}}
      FAA #announced #(-1)
    {{{ (n : Z), RET #n; True }}}.
  Proof.
    iIntros (Φ) "[#I Hticket] HΦ". iInv "I" as (n) ">[Hn Ht]". wp_faa.
    iMod (waiters_ticket_drop with "Ht Hticket") as (m ->) "Ht". iModIntro. iSplitR "HΦ".
    { iNext. iExists m. iFrame. by replace (S m + -1)%Z with (Z.of_nat m) by lia. }
    by iApply "HΦ".
  Qed.

  (** The slot's thread moves the slot from the state that the thread finds; the number of
      moves does not decrease. *)
  Local Lemma waiters_move s ph ph' st st' n n' m :
    waiters_moves st m ≤ waiters_moves st' n' →
    ghost_var (slot_phase s) (1/2) (ph, n) -∗ ghost_var (slot_phase s) (1/2) (ph', m) -∗
    mono_nat_auth_own (slot_moves s) 1 (waiters_moves st m) ==∗
    ghost_var (slot_phase s) (1/2) (st', n') ∗ ghost_var (slot_phase s) (1/2) (st', n') ∗
    mono_nat_auth_own (slot_moves s) 1 (waiters_moves st' n') ∗
    mono_nat_lb_own (slot_moves s) (waiters_moves st' n').
  Proof.
    iIntros (Hle) "Hp Hp' Hm".
    iMod (ghost_var_update_halves (st', n') with "Hp Hp'") as "[$ $]".
    by iMod (mono_nat_own_update with "Hm") as "[$ $]".
  Qed.

  (** ** The slot's thread *)

  (** Claim: [prepare] announces a sleep of an awake slot; the announcement gets the next
      number. *)
  Lemma waiters_prepare_spec γ t i n :
    {{{ waiters_inv γ t ∗ waiters_awake γ i n }}}
      base_waiters_prepare t #i
    {{{ RET #(); waiters_announced γ i (S n) ∗ waiters_made γ i (S n) }}}.
  Proof.
    iIntros (Φ) "[(%slots & %ann & %nx & -> & #Ha & #Ic & #In & #Hslots) H] HΦ".
    iDestruct "H" as (s) "(%Hs & Hp & Hheld)".
    iDestruct (big_sepL_lookup with "Hslots") as "(#H0 & #H1 & #H2 & #Hm & #Hc & #I)"; first done.
    wp_rec. wp_pures. wp_apply (waiters_get_slot _ _ _ _ Hs with "Ha"). iIntros "_". wp_pures.
    wp_apply (waiters_incr with "Ic"). iIntros (k) "Hticket". wp_pures. wp_load.
    iInv "I" as (st ph m) "(>Hst & >Hp' & >Hmv & Hok)". wp_store.
    iDestruct (ghost_var_agree with "Hp Hp'") as %[= <- <-].
    iMod (waiters_move _ _ _ _ Announced _ (S n) with "Hp Hp' Hmv")
      as "(Hp & Hp' & Hmv & #Hlb)".
    { destruct st; simpl; lia. }
    iModIntro. iSplitL "Hst Hp' Hmv Hticket".
    { iNext. iExists Announced, Announced, (S n). by iFrame. }
    iApply "HΦ". iSplitL; first (iExists s; by iFrame). iExists s. by iFrame "Hlb".
  Qed.

  (** Claim: [cancel] makes the slot awake, and the announcement is over. [cancel] returns
      true exactly if a notification came meanwhile, and consumes the notification. *)
  Lemma waiters_cancel_spec γ t i n :
    {{{ waiters_inv γ t ∗ waiters_announced γ i n }}}
      base_waiters_cancel t #i
    {{{ (b : bool), RET #b; waiters_awake γ i n ∗ waiters_over γ i n ∗
        if b then R i else True }}}.
  Proof.
    iIntros (Φ) "[(%slots & %ann & %nx & -> & #Ha & #Ic & #In & #Hslots) H] HΦ".
    iDestruct "H" as (s) "(%Hs & Hp & Hheld)".
    iDestruct (big_sepL_lookup with "Hslots") as "(#H0 & #H1 & #H2 & #Hm & #Hc & #I)"; first done.
    wp_rec. wp_pures. wp_apply (waiters_get_slot _ _ _ _ Hs with "Ha"). iIntros "_". wp_pures.
    wp_load. wp_bind (CmpXchg _ _ _).
    iInv "I" as (st ph m) "(>Hst & >Hp' & >Hmv & Hok)".
    iDestruct (ghost_var_agree with "Hp Hp'") as %[= <- <-]. destruct st.
    - iDestruct "Hok" as ">%". done.
    - wp_cmpxchg_suc. iDestruct "Hok" as "[_ Hticket]".
      iMod (waiters_move _ _ _ _ Awake _ n with "Hp Hp' Hmv") as "(Hp & Hp' & Hmv & #Hlb)".
      { simpl; lia. }
      iModIntro. iSplitL "Hst Hp' Hmv". { iNext. iExists Awake, Awake, n. by iFrame. }
      wp_pures. wp_apply (waiters_decr with "[$Ic $Hticket]"). iIntros (k) "_". wp_pures.
      iModIntro. iApply "HΦ". iSplitL; first (iExists s; by iFrame).
      iSplit; last done. iExists s. by iFrame "Hlb".
    - iDestruct "Hok" as "[>% _]". done.
    - wp_cmpxchg_fail. iDestruct "Hok" as "[%|[_ HR]]"; first done.
      iMod (waiters_move _ _ _ _ Notified _ n with "Hp Hp' Hmv")
        as "(Hp & Hp' & Hmv & #Hlb)"; first done.
      iModIntro. iSplitL "Hst Hp' Hmv".
      { iNext. iExists Notified, Notified, n. iFrame. by iLeft. }
      wp_pures. wp_load. wp_bind (_ <- _)%E.
      iInv "I" as (st ph m) "(>Hst & >Hp' & >Hmv & Hok)". wp_store.
      iDestruct (ghost_var_agree with "Hp Hp'") as %[= <- <-].
      iMod (waiters_move _ _ _ _ Awake _ n with "Hp Hp' Hmv") as "(Hp & Hp' & Hmv & _)".
      { destruct st; simpl; lia. }
      iModIntro. iSplitL "Hst Hp' Hmv". { iNext. iExists Awake, Awake, n. by iFrame. }
      wp_pures. iModIntro. iApply "HΦ". iFrame "HR". iSplitL; first (iExists s; by iFrame).
      iExists s. by iFrame "Hlb".
  Qed.

  (** The thread is asleep, and holds the mutex. *)
  Local Lemma waiters_sleep_spec γt i s n :
    {{{ slot_inv γt i s ∗ ghost_var (slot_phase s) (1/2) (Asleep, n) ∗
        mutex_locked (slot_mutex s) }}}
      base_waiters_sleep #(slot_loc s)
    {{{ RET #(); ghost_var (slot_phase s) (1/2) (Notified, n) ∗ R i ∗
        mutex_locked (slot_mutex s) ∗ mono_nat_lb_own (slot_moves s) (3 * n) }}}.
  Proof.
    iIntros (Φ) "((#H0 & #H1 & #H2 & #Hm & #Hc & #I) & Hp & Hl) HΦ". iLöb as "IH".
    wp_rec. wp_pures. wp_load. wp_bind (! _)%E.
    iInv "I" as (st ph m) "(>Hst & >Hp' & >Hmv & Hok)". wp_load.
    iDestruct (ghost_var_agree with "Hp Hp'") as %[= <- <-]. destruct st.
    - by iDestruct "Hok" as %?.
    - by iDestruct "Hok" as "[% _]".
    - iModIntro. iSplitL "Hst Hp' Hmv Hok".
      { iNext. iExists Asleep, Asleep, n. by iFrame. }
      wp_pures. wp_load. wp_load.
      wp_apply (condition_wait_spec with "[$Hc $Hm $Hl]"). iIntros "[Hl _]". wp_pures.
      iApply ("IH" with "Hp Hl HΦ").
    - iDestruct "Hok" as "[%|[_ HR]]"; first done.
      iMod (waiters_move _ _ _ _ Notified _ n with "Hp Hp' Hmv")
        as "(Hp & Hp' & Hmv & #Hlb)"; first done.
      iModIntro. iSplitL "Hst Hp' Hmv".
      { iNext. iExists Notified, Notified, n. iFrame. by iLeft. }
      wp_pures. iModIntro. iApply "HΦ". by iFrame "∗#".
  Qed.

  (** Claim: [commit] returns only after a notification, and consumes the
      notification. *)
  Lemma waiters_commit_spec γ t i n :
    {{{ waiters_inv γ t ∗ waiters_announced γ i n }}}
      base_waiters_commit t #i
    {{{ RET #(); waiters_awake γ i n ∗ waiters_over γ i n ∗ R i }}}.
  Proof.
    iIntros (Φ) "[(%slots & %ann & %nx & -> & #Ha & #Ic & #In & #Hslots) H] HΦ".
    iDestruct "H" as (s) "(%Hs & Hp & Hheld)".
    iDestruct (big_sepL_lookup with "Hslots") as "#Hslot"; first done.
    iPoseProof "Hslot" as "(#H0 & #H1 & #H2 & #Hm & #Hc & #I)".
    wp_rec. wp_pures. wp_apply (waiters_get_slot _ _ _ _ Hs with "Ha"). iIntros "_". wp_pures.
    wp_load. wp_apply (mutex_lock_spec with "Hm"). iIntros "[Hl _]". wp_pures.
    wp_na_store. wp_pures.
    wp_bind (if: _ then _ else _)%E.
    iApply (wp_wand _ _ _ (λ _, ghost_var (slot_phase s) (1/2) (Notified, n) ∗ R i ∗
      mutex_locked (slot_mutex s) ∗ mono_nat_lb_own (slot_moves s) (3 * n))%I with "[Hp Hl]").
    { wp_load. wp_bind (CmpXchg _ _ _). iInv "I" as (st ph m) "(>Hst & >Hp' & >Hmv & Hok)".
      iDestruct (ghost_var_agree with "Hp Hp'") as %[= <- <-]. destruct st.
      - iDestruct "Hok" as ">%". done.
      - wp_cmpxchg_suc. iDestruct "Hok" as "[_ Hticket]".
        iMod (waiters_move _ _ _ _ Asleep _ n with "Hp Hp' Hmv") as "(Hp & Hp' & Hmv & _)".
        { simpl; lia. }
        iModIntro. iSplitL "Hst Hp' Hmv Hticket".
        { iNext. iExists Asleep, Asleep, n. by iFrame. }
        wp_pures. wp_load. wp_load.
        wp_apply (condition_wait_spec with "[$Hc $Hm $Hl]"). iIntros "[Hl _]". wp_pures.
        wp_apply (waiters_sleep_spec with "[$Hslot $Hp $Hl]"). iIntros "H". iExact "H".
      - iDestruct "Hok" as "[>% _]". done.
      - wp_cmpxchg_fail. iDestruct "Hok" as "[%|[_ HR]]"; first done.
        iMod (waiters_move _ _ _ _ Notified _ n with "Hp Hp' Hmv")
          as "(Hp & Hp' & Hmv & #Hlb)"; first done.
        iModIntro. iSplitL "Hst Hp' Hmv".
        { iNext. iExists Notified, Notified, n. iFrame. by iLeft. }
        wp_pures. iModIntro. iFrame "Hp HR Hl". iExact "Hlb". }
    iIntros (r) "(Hp & HR & Hl & #Hlb)". wp_pures. wp_na_store. wp_pures. wp_load.
    wp_apply (mutex_unlock_spec with "[$Hm $Hl //]"). iIntros "_". wp_pures. wp_load.
    iInv "I" as (st ph m) "(>Hst & >Hp' & >Hmv & Hok)". wp_store.
    iDestruct (ghost_var_agree with "Hp Hp'") as %[= <- <-].
    iMod (waiters_move _ _ _ _ Awake _ n with "Hp Hp' Hmv") as "(Hp & Hp' & Hmv & _)".
    { destruct st; simpl; lia. }
    iModIntro. iSplitL "Hst Hp' Hmv". { iNext. iExists Awake, Awake, n. by iFrame. }
    iApply "HΦ". iFrame "HR". iSplitL; first (iExists s; by iFrame).
    iExists s. by iFrame "Hlb".
  Qed.

  (** Claim: [recover] makes a slot awake whose thread was interrupted in [prepare],
      [cancel] or [commit]; the announcement, if there was one, is over. [recover]
      consumes the notification if a notification came. *)
  Lemma waiters_recover_spec γ t i n :
    {{{ waiters_inv γ t ∗ waiters_torn γ i n }}}
      base_waiters_recover t #i
    {{{ (b : bool), RET #b; waiters_awake γ i n ∗ waiters_over γ i n ∗
        if b then R i else True }}}.
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
    iInv "I" as (st ph' m) "(>Hst & >Hp' & >Hmv & Hok)". wp_xchg.
    iDestruct (ghost_var_agree with "Hp Hp'") as %[= <- <-].
    iMod (waiters_move _ _ _ _ Awake _ n with "Hp Hp' Hmv") as "(Hp & Hp' & Hmv & #Hlb)".
    { destruct st; simpl; lia. }
    iModIntro. iSplitL "Hst Hp' Hmv". { iNext. iExists Awake, Awake, n. by iFrame. }
    iAssert (waiters_over γ i n) as "#Hover"; first (iExists s; by iFrame "Hlb").
    iAssert (waiters_awake γ i n) with "[Hp Hheld]" as "Hawake"; first (iExists s; by iFrame).
    destruct st; wp_pures.
    - iModIntro. iApply "HΦ". by iFrame "∗#".
    - iDestruct "Hok" as "[_ Hticket]".
      wp_apply (waiters_decr with "[$Ic $Hticket]"). iIntros (k) "_". wp_pures.
      iModIntro. iApply "HΦ". by iFrame "∗#".
    - iDestruct "Hok" as "[_ Hticket]".
      wp_apply (waiters_decr with "[$Ic $Hticket]"). iIntros (k) "_". wp_pures.
      iModIntro. iApply "HΦ". by iFrame "∗#".
    - iModIntro. iApply "HΦ". iFrame "Hawake Hover".
      iDestruct "Hok" as "[->|[_ HR']]"; [iExact "HR"|iExact "HR'"].
  Qed.
End waiters.
