(** Sleepers and notifiers: the state.  The proof of lib/kernel/base/waiters.ml is in
    [waiters.v] (creation, and the operations of a slot's own thread) and
    [waiters_notify.v] (notifiers).

    Each slot has one thread, and moves through four states.  The thread and the
    invariant share a ghost variable, the phase: the state as the thread knows it, and the
    number of sleeps that the thread has announced so far.  The thread makes all moves
    except the moves to [Notified]:

    | phase | the state may be |
    |---|---|
    | [Awake] | [Awake] |
    | [Announced] | [Announced], or [Notified] since |
    | [Asleep] | [Asleep], or [Notified] since |
    | [Notified] | [Notified], and the thread has taken the notification's resource |

    {b Announcements are numbered.}  Two facts about the [n]-th announcement of slot [i]
    hold for ever after they become known:
    - [waiters_made γ i n]: the announcement was made;
    - [waiters_over γ i n]: the announcement is over, withdrawn or notified.

    Both facts are lower bounds of a number.  The number never decreases, and grows by
    three in each round: [3n - 2] is announced, [3n - 1] is asleep, [3n] is over.

    No wake-up is lost, in these terms:
    - Suppose that a thread has announced its [n]-th sleep ([waiters_announced γ i n]),
      and that the announcement is known to be over.  Then the wake-up is in place now:
      the next step of the thread finds [Notified] ([waiters_wakeup]).
    - Suppose that a notifier knows, when it comes, that an announcement was made.  Then
      the notifier knows, when it leaves, that the announcement is over
      ([waiters_notify.v]).

    A notification carries a resource, [R i] for slot [i]; the user of the module chooses
    [R].  The notifier leaves the resource in the invariant with the compare-and-set that
    makes the slot [Notified]: once, since the invariant has no such resource in the states
    before.  The slot's thread takes the resource out: [cancel] does so if it returns
    [true], and [commit] returns only after a notification.  So every delivered
    notification is consumed exactly once, and a notifier that woke no slot still has its
    resource.

    [announced] is the number of tickets.  A slot that has announced a sleep and was not
    notified holds a ticket.  The thread or the notifier that takes the ticket out lowers
    the counter.  So a thread that reads 0 in the counter has found, at this instant, that
    every announcement is over ([waiters_all_over]). *)
From iris.algebra Require Import auth numbers.
From iris.base_logic.lib Require Import invariants ghost_var mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.

Inductive waiters_state := Awake | Announced | Asleep | Notified.

Global Instance waiters_state_eq_dec : EqDecision waiters_state.
Proof. solve_decision. Defined.
Global Instance waiters_state_inhabited : Inhabited waiters_state := populate Awake.

Class waitersG Σ := WaitersG {
  #[local] waiters_mutexG :: mutexG Σ;
  #[local] waiters_phaseG :: ghost_varG Σ (waiters_state * nat);
  #[local] waiters_movesG :: mono_natG Σ;
  #[local] waiters_ticketsG :: inG Σ (authR natUR);
}.
Definition waitersΣ : gFunctors :=
  #[mutexΣ; ghost_varΣ (waiters_state * nat); mono_natΣ; GFunctor (authR natUR)].
Global Instance subG_waitersΣ Σ : subG waitersΣ Σ → waitersG Σ.
Proof. solve_inG. Qed.

Definition waitersN : namespace := nroot .@ "waiters".

(** A slot: its block, and the contents of its immutable fields. *)
Record waiters_slot := WaitersSlot {
  slot_loc : loc;
  slot_state : loc;
  slot_mutex : val;
  slot_condition : val;
  slot_phase : gname;
  slot_moves : gname;
}.
Record waiters_names := WaitersNames {
  waiters_name_tickets : gname;
  waiters_slots : list waiters_slot;
}.
Definition waiters_size (γ : waiters_names) : nat := length (waiters_slots γ).

Definition waiters_state_to_Z (st : waiters_state) : Z :=
  match st with Awake => 0 | Announced => 1 | Asleep => 2 | Notified => 3 end.
Coercion waiters_state_to_Z : waiters_state >-> Z.

(** The number of moves of a slot in state [st] that has announced [n] sleeps. *)
Definition waiters_moves (st : waiters_state) (n : nat) : nat :=
  match st with Announced => 3 * n - 2 | Asleep => 3 * n - 1 | _ => 3 * n end.

Section waiters.
  Context `{!heapGS Σ, !waitersG Σ} (R : nat → iProp Σ).
  Implicit Types (γ : waiters_names) (s : waiters_slot) (i n m : nat) (t : val).

  (** ** Tickets *)

  Definition waiters_ticket γt : iProp Σ := own γt (◯ 1).
  Definition waiters_tickets γt (n : nat) : iProp Σ := own γt (● n).
  Lemma waiters_ticket_new γt n :
    waiters_tickets γt n ==∗ waiters_tickets γt (S n) ∗ waiters_ticket γt.
  Proof.
    iIntros "H". rewrite -own_op. iApply (own_update with "H").
    apply (auth_update_alloc n (S n) 1), (nat_local_update n 0 (S n) 1). lia.
  Qed.
  Lemma waiters_ticket_valid γt n :
    waiters_tickets γt n -∗ waiters_ticket γt -∗ ⌜0 < n⌝.
  Proof.
    iIntros "H1 H2". iCombine "H1 H2" gives %[Hle%nat_included _]%auth_both_valid_discrete.
    iPureIntro. lia.
  Qed.
  Lemma waiters_ticket_drop γt n :
    waiters_tickets γt n -∗ waiters_ticket γt ==∗ ∃ m, ⌜n = S m⌝ ∗ waiters_tickets γt m.
  Proof.
    iIntros "H1 H2". iDestruct (waiters_ticket_valid with "H1 H2") as %Hlt.
    destruct n as [|m]; first lia. iExists m. iSplitR; first done.
    iMod (own_update_2 _ _ _ (● m ⋅ ◯ 0) with "H1 H2") as "[$ _]"; last done.
    apply (auth_update (S m) 1 m 0), nat_local_update. lia.
  Qed.

  (** ** Invariants *)

  (** The resources of a slot, besides the number of its moves. *)
  Definition slot_ok γt i (st ph : waiters_state) : iProp Σ :=
    match st with
    | Awake => ⌜ph = Awake⌝
    | Announced => ⌜ph = Announced⌝ ∗ waiters_ticket γt
    | Asleep => ⌜ph = Asleep⌝ ∗ waiters_ticket γt
    | Notified => ⌜ph = Notified⌝ ∨ ⌜ph = Announced ∨ ph = Asleep⌝ ∗ R i
    end.
  Definition slot_inner γt i s : iProp Σ :=
    ∃ (st ph : waiters_state) n, slot_state s ↦ #st ∗ ghost_var (slot_phase s) (1/2) (ph, n) ∗
      mono_nat_auth_own (slot_moves s) 1 (waiters_moves st n) ∗ slot_ok γt i st ph.
  Definition slot_inv γt i s : iProp Σ :=
    (slot_loc s +ₗ 0) ↦□ #(slot_state s) ∗ (slot_loc s +ₗ 1) ↦□ slot_mutex s ∗
    (slot_loc s +ₗ 2) ↦□ slot_condition s ∗
    mutex_inv (slot_mutex s) True ∗ condition_inv (slot_condition s) ∗
    inv (waitersN .@ "slot") (slot_inner γt i s).
  Definition count_inner γt (announced : loc) : iProp Σ :=
    ∃ n : nat, announced ↦ #n ∗ waiters_tickets γt n.
  Definition next_inner (next : loc) : iProp Σ := ∃ n : nat, next ↦ #n.

  Definition waiters_inv γ t : iProp Σ :=
    ∃ slots announced next : loc, ⌜t = (#slots, #announced, #next)%V⌝ ∗
      is_array slots DfracDiscarded ((λ s, #(slot_loc s)) <$> waiters_slots γ) ∗
      inv (waitersN .@ "count") (count_inner (waiters_name_tickets γ) announced) ∗
      inv (waitersN .@ "next") (next_inner next) ∗
      [∗ list] i ↦ s ∈ waiters_slots γ, slot_inv (waiters_name_tickets γ) i s.

  (** Slot [i]'s thread, between operations, after [n] announcements. *)
  Definition slot_thread s (ph : waiters_state) n (held : bool) : iProp Σ :=
    ghost_var (slot_phase s) (1/2) (ph, n) ∗ (slot_loc s +ₗ 3) ↦na #held.
  Definition waiters_thread (ph : waiters_state) γ i n : iProp Σ :=
    ∃ s, ⌜waiters_slots γ !! i = Some s⌝ ∗ slot_thread s ph n false.
  Definition waiters_awake := waiters_thread Awake.
  Definition waiters_announced := waiters_thread Announced.
  (** The thread had announced a sleep, and has taken the resource of its wake-up. *)
  Definition waiters_woken := waiters_thread Notified.
  (** Slot [i]'s thread, interrupted in an operation. *)
  Definition waiters_torn γ i n : iProp Σ :=
    ∃ s ph (held : bool), ⌜waiters_slots γ !! i = Some s⌝ ∗ slot_thread s ph n held ∗
      (if held then mutex_locked (slot_mutex s) else True) ∗
      match ph with Notified => R i | _ => True end.

  (** Announcement [n] of slot [i] was made ([waiters_made]), or is over
      ([waiters_over]). *)
  Definition waiters_made γ i n : iProp Σ :=
    ∃ s, ⌜waiters_slots γ !! i = Some s⌝ ∗ mono_nat_lb_own (slot_moves s) (3 * n - 2).
  Definition waiters_over γ i n : iProp Σ :=
    ∃ s, ⌜waiters_slots γ !! i = Some s⌝ ∗ mono_nat_lb_own (slot_moves s) (3 * n).

  Global Instance waiters_inv_persistent γ t : Persistent (waiters_inv γ t).
  Proof. apply _. Qed.
  Global Instance waiters_made_persistent γ i n : Persistent (waiters_made γ i n).
  Proof. apply _. Qed.
  Global Instance waiters_made_timeless γ i n : Timeless (waiters_made γ i n).
  Proof. apply _. Qed.
  Global Instance waiters_over_persistent γ i n : Persistent (waiters_over γ i n).
  Proof. apply _. Qed.
  Global Instance waiters_over_timeless γ i n : Timeless (waiters_over γ i n).
  Proof. apply _. Qed.

  Lemma waiters_made_0 γ i : i < waiters_size γ → ⊢ |==> waiters_made γ i 0.
  Proof.
    intros [s Hs]%lookup_lt_is_Some_2. iMod mono_nat_lb_own_0 as "H". iModIntro.
    iExists s. by iFrame.
  Qed.
  Lemma waiters_over_0 γ i : i < waiters_size γ → ⊢ |==> waiters_over γ i 0.
  Proof.
    intros [s Hs]%lookup_lt_is_Some_2. iMod mono_nat_lb_own_0 as "H". iModIntro.
    iExists s. by iFrame.
  Qed.
  Lemma waiters_over_made γ i n : waiters_over γ i n -∗ waiters_made γ i n.
  Proof.
    iIntros "(%s & %Hs & H)". iExists s. iSplit; first done.
    iApply (mono_nat_lb_own_le with "H"). lia.
  Qed.
  Lemma waiters_over_le γ i n m : m ≤ n → waiters_over γ i n -∗ waiters_over γ i m.
  Proof.
    iIntros (?) "(%s & %Hs & H)". iExists s. iSplit; first done.
    iApply (mono_nat_lb_own_le with "H"). lia.
  Qed.
  Lemma waiters_over_size γ i n : waiters_over γ i n -∗ ⌜i < waiters_size γ⌝.
  Proof. iIntros "(%s & %Hs & _)". iPureIntro. by eapply lookup_lt_Some. Qed.
  (** A thread that announces again has ended its earlier announcements. *)
  Lemma waiters_made_over γ i n m : m < n → waiters_made γ i n -∗ waiters_over γ i m.
  Proof.
    iIntros (?) "(%s & %Hs & H)". iExists s. iSplit; first done.
    iApply (mono_nat_lb_own_le with "H"). lia.
  Qed.

  Lemma waiters_thread_awake_torn γ i n : waiters_awake γ i n -∗ waiters_torn γ i n.
  Proof. iIntros "(%s & Hs & H)". iExists s, Awake, false. by iFrame. Qed.
  Lemma waiters_announced_torn γ i n : waiters_announced γ i n -∗ waiters_torn γ i n.
  Proof. iIntros "(%s & Hs & H)". iExists s, Announced, false. by iFrame. Qed.
  Lemma waiters_awake_exclusive γ i n m :
    waiters_awake γ i n -∗ waiters_awake γ i m -∗ False.
  Proof.
    iIntros "(%s & %Hs & _ & H) (%s' & %Hs' & _ & H')". simplify_eq.
    iApply (na_pointsto_exclusive with "H H'").
  Qed.

  (** ** What a slot's thread knows *)

  Lemma waiters_slot_state γ t i s :
    waiters_slots γ !! i = Some s → waiters_inv γ t -∗
    inv (waitersN .@ "slot") (slot_inner (waiters_name_tickets γ) i s).
  Proof.
    iIntros (Hs) "(%slots & %ann & %nx & _ & _ & _ & _ & Hslots)".
    by iDestruct (big_sepL_lookup with "Hslots") as "(_ & _ & _ & _ & _ & $)".
  Qed.

  Lemma waiters_announced_made γ t i n E :
    ↑waitersN ⊆ E →
    waiters_inv γ t -∗ waiters_announced γ i n ={E}=∗
    waiters_announced γ i n ∗ waiters_made γ i n.
  Proof.
    iIntros (HE) "#I (%s & %Hs & Hp & Hheld)".
    iPoseProof (waiters_slot_state with "I") as "#Is"; first exact Hs.
    iInv "Is" as (st ph m) "(>Hst & >Hp' & >Hm & Hok)".
    iDestruct (ghost_var_agree with "Hp Hp'") as %[= <- <-].
    iDestruct (mono_nat_lb_own_get with "Hm") as "#Hlb".
    iModIntro. iSplitL "Hst Hp' Hm Hok"; first by iExists st, Announced, n; iFrame.
    iModIntro. iSplitL; first by iExists s; iFrame.
    iExists s. iSplit; first done. iApply (mono_nat_lb_own_le with "Hlb").
    destruct st; simpl; lia.
  Qed.

  (** Claim: No wake-up is lost: if a thread has announced a sleep, and the announcement is
      known to be over, then the wake-up is in place now, with its resource. *)
  Theorem waiters_wakeup γ t i n E :
    0 < n → ↑waitersN ⊆ E →
    waiters_inv γ t -∗ waiters_announced γ i n -∗ waiters_over γ i n ={E}=∗
    waiters_woken γ i n ∗ ▷ R i.
  Proof.
    iIntros (Hn HE) "#I (%s & %Hs & Hp & Hheld) (%s' & %Hs' & #Hover)". simplify_eq.
    iPoseProof (waiters_slot_state with "I") as "#Is"; first exact Hs.
    iInv "Is" as (st ph m) "(>Hst & >Hp' & >Hm & Hok)".
    iDestruct (ghost_var_agree with "Hp Hp'") as %[= <- <-].
    iDestruct (mono_nat_lb_own_valid with "Hm Hover") as %[_ Hle].
    destruct st; simpl in *.
    - iDestruct "Hok" as ">%". done.
    - lia.
    - lia.
    - iDestruct "Hok" as "[>%|[_ HR]]"; first done.
      iMod (ghost_var_update_halves (Notified, n) with "Hp Hp'") as "[Hp Hp']".
      iModIntro. iSplitL "Hst Hp' Hm"; first (iExists Notified, Notified, n; iFrame; by iLeft).
      iModIntro. iFrame "HR". iExists s. by iFrame.
  Qed.

  (** ** All slots *)

  Definition waiters_made_all γ (ns : list nat) : iProp Σ :=
    [∗ list] i ↦ n ∈ ns, waiters_made γ i n.
  Definition waiters_over_all γ (ns : list nat) : iProp Σ :=
    [∗ list] i ↦ n ∈ ns, waiters_over γ i n.

  (** All announcements are over at an instant at which there are no tickets. *)
  Lemma waiters_all_over γ t ns E :
    ↑(waitersN .@ "slot") ⊆ E →
    waiters_inv γ t -∗ waiters_made_all γ ns -∗
    waiters_tickets (waiters_name_tickets γ) 0 ={E}=∗
    waiters_tickets (waiters_name_tickets γ) 0 ∗ waiters_over_all γ ns.
  Proof.
    iIntros (HE) "#I #Hmade Ht". rewrite /waiters_over_all /waiters_made_all.
    iInduction ns as [|n ns] "IH" using rev_ind; first by iFrame.
    rewrite !big_sepL_app /= Nat.add_0_r. iDestruct "Hmade" as "[Hmade [Hn _]]".
    iMod ("IH" with "Hmade Ht") as "[Ht $]". iDestruct "Hn" as (s Hs) "Hn".
    iPoseProof (waiters_slot_state with "I") as "#Is"; first exact Hs.
    iInv "Is" as (st ph m) "(>Hst & >Hp & >Hm & Hok)".
    iDestruct (mono_nat_lb_own_valid with "Hm Hn") as %[_ Hle].
    iAssert (◇ (⌜st = Awake ∨ st = Notified⌝ ∗ waiters_tickets (waiters_name_tickets γ) 0 ∗
      ▷ slot_ok (waiters_name_tickets γ) (length ns) st ph))%I with "[Ht Hok]"
      as ">(%Hst & Ht & Hok)".
    { destruct st; simpl; try by (iFrame; eauto).
      all: iDestruct "Hok" as "[_ >H]";
        by iDestruct (waiters_ticket_valid with "Ht H") as %?%Nat.lt_irrefl. }
    iDestruct (mono_nat_lb_own_get with "Hm") as "#Hlb".
    iModIntro. iSplitL "Hst Hp Hm Hok"; first by iExists st, ph, m; iFrame.
    iModIntro. iFrame "Ht". iSplit; last done. iExists s. iSplit; first done.
    iApply (mono_nat_lb_own_le with "Hlb"). destruct Hst as [-> | ->]; simpl in *; lia.
  Qed.
End waiters.
