(** * Dealing: private deques, and busy workers that deal to idle workers

    Each worker has a ring and a cell.  Only the worker touches its ring.  In the cell
    the worker says that it wants an item, and another worker, the dealer, puts an
    item there.  The items are in places ([items.v]): the ring of worker [i] is place
    [(i, false)]; an item that was dealt to worker [i], and that worker [i] has not
    yet collected, is in place [(i, true)].  [dealing_model γ M] is the multiset of
    all items.

    The place [(i, true)] moves with the state of the cell of worker [i]:

    | the cell | the place [(i, true)] | the token |
    |---|---|---|
    | [Busy] | empty, with worker [i], which does not wait | in the cell's invariant |
    | [Waiting] | empty, in the cell's invariant | with worker [i] |
    | [Dealt] | with the item, in the cell's invariant | with worker [i] |
    | [Dealt], being collected | with the item, with worker [i] | with worker [i] |

    - To wait, worker [i] puts the empty place into the cell's invariant, and sets the
      cell to [Waiting].
    - A dealer moves its oldest item to the place when the dealer's compare-and-set
      from [Waiting] succeeds.  The ring of the dealer still has the item then; only
      the dealer touches the ring, and it drops the item from the ring next.
    - Worker [i] withdraws by a compare-and-set from [Waiting]: worker [i] gets the
      place back, empty.
    - If worker [i] finds [Dealt], worker [i] takes the place with the item and one
      half of the cell, and leaves its field [waits] in exchange.  Worker [i] gets
      the field back when it sets the cell to [Busy].

    So the worker that an item was dealt to collects the item, once, and no dealer
    deals to a worker that has withdrawn.

    Because of the token, a worker that waits knows that its cell is not [Busy].  So
    if no other worker has an item, a worker that waits and finds no item in its cell
    knows that no item is left ([dealing_quiet.v]).

    The counter of the waiting workers is a hint: the proof claims nothing of its
    value.  [dealing_owner] owns the plain fields.  Any thread may call
    [dealing_may_have]: the function reads two elements of an array that change
    meanwhile ([ring.v]), and no location for which races are excluded.

    Source: Acar, Charguéraud, Rainey, PPoPP 2013, the sender-initiated algorithm. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants token.
From iris.program_logic Require Import atomic.
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import worker_items ring_code ring dealing_code.

Local Notation option_to_val o := (from_option InjRV (InjLV #()) o).
Local Open Scope Z_scope.

Class dealingG Σ := DealingG {
  #[local] dealing_itemsG :: itemsG (nat * bool) Σ;
  #[local] dealing_tokenG :: tokenG Σ;
}.
Definition dealingΣ : gFunctors := #[itemsΣ (nat * bool); tokenΣ].
Global Instance subG_dealingΣ Σ : subG dealingΣ Σ → dealingG Σ.
Proof. solve_inG. Qed.

Record dealing_worker := DealingWorker {
  worker_block : loc;
  worker_ring : val;
  worker_cell : loc;
  worker_waits : gname;
}.
Record dealing_names := DealingNames {
  dealing_items : items_names;
  dealing_workers : list dealing_worker;
  dealing_waiting : loc;
}.

Section dealing.
  Context `{!heapGS Σ, !dealingG Σ} (N : namespace).
  Implicit Types (γ : dealing_names) (i j n : nat) (w : dealing_worker).
  Implicit Types (t v : val) (vs : list val) (M : gmultiset val) (waits : bool).

  (** ** State *)

  Local Notation own_at γ := (ring_at γ.(dealing_items)).
  Local Notation given_at γ := (given_at γ.(dealing_items)).

  Definition dealing_model γ M : iProp Σ := items_model γ.(dealing_items) M.

  Local Definition cell_state γ i w : iProp Σ :=
    (w.(worker_cell) ↦ InjLV #0 ∗ token w.(worker_waits)) ∨
    (w.(worker_cell) ↦ InjLV #1 ∗ given_at γ i []) ∨
    (∃ v, w.(worker_cell) ↦ InjRV v ∗ given_at γ i [v]) ∨
    (∃ v z, w.(worker_cell) ↦{#1/2} InjRV v ∗ (w.(worker_block) +ₗ 2) ↦na z).

  Local Definition worker_fields w : iProp Σ :=
    (w.(worker_block) +ₗ 0) ↦□ w.(worker_ring) ∗ ring_inv w.(worker_ring) ∗
    (w.(worker_block) +ₗ 1) ↦□ #w.(worker_cell).

  Local Definition worker_inv γ i w : iProp Σ :=
    worker_fields w ∗ inv (N .@ "cell") (cell_state γ i w).

  Local Definition block_to_val w : val := #w.(worker_block).

  Local Definition waiting_state γ : iProp Σ :=
    ∃ z : Z, γ.(dealing_waiting) ↦ #z.

  Definition dealing_inv γ t n : iProp Σ :=
    ∃ l : loc, ⌜t = (#l, #γ.(dealing_waiting))%V ∧ n = length γ.(dealing_workers)⌝ ∗
      is_array l DfracDiscarded (block_to_val <$> γ.(dealing_workers)) ∗
      ([∗ list] i ↦ w ∈ γ.(dealing_workers), worker_inv γ i w) ∗
      inv (N .@ "waiting") (waiting_state γ) ∗
      items_ctx N γ.(dealing_items) n.

  (** The parts that a worker owns as a dealer: its ring, and two fields: the last worker
      that received an item, and the worker where the next search begins. *)
  Local Definition own_ring γ i w vs : iProp Σ :=
    ring_model w.(worker_ring) vs ∗ own_at γ i vs.
  Local Definition dealer_fields γ w : iProp Σ :=
    ∃ (receiver : Z) (next : nat),
      ⌜(next < length γ.(dealing_workers))%nat ∧ receiver < length γ.(dealing_workers)⌝ ∗
      (w.(worker_block) +ₗ 3) ↦na #receiver ∗ (w.(worker_block) +ₗ 4) ↦na #next.

  (** The parts that a worker owns as a receiver. *)
  Local Definition waits_field γ i w waits : iProp Σ :=
    (w.(worker_block) +ₗ 2) ↦na #waits ∗
    (if waits then token w.(worker_waits) else given_at γ i [])%I.

  Definition dealing_owner γ i vs waits : iProp Σ :=
    ∃ w, ⌜γ.(dealing_workers) !! i = Some w⌝ ∗
      own_ring γ i w vs ∗ dealer_fields γ w ∗ waits_field γ i w waits.

  Global Instance dealing_inv_persistent γ t n : Persistent (dealing_inv γ t n).
  Proof. apply _. Qed.
  Global Instance dealing_model_timeless γ M : Timeless (dealing_model γ M).
  Proof. apply _. Qed.
  Local Instance cell_state_timeless γ i w : Timeless (cell_state γ i w).
  Proof. apply _. Qed.
  Global Instance dealing_owner_timeless γ i vs waits :
    Timeless (dealing_owner γ i vs waits).
  Proof. rewrite /dealing_owner /waits_field. apply _. Qed.

  (** ** Access *)

  Local Lemma dealing_inv_worker γ t n i w :
    γ.(dealing_workers) !! i = Some w → dealing_inv γ t n -∗ worker_inv γ i w.
  Proof.
    iIntros (Hi) "(%l & _ & _ & Hall & _)". by iApply (big_sepL_lookup with "Hall").
  Qed.

  Local Lemma dealing_worker_spec γ t n i w :
    γ.(dealing_workers) !! i = Some w →
    {{{ dealing_inv γ t n }}}
      deque_dealing_worker t #i
    {{{ RET #w.(worker_block); True }}}.
  Proof.
    iIntros (Hi Φ) "(%l & [-> _] & #Hl & _) HΦ". wp_rec. wp_pures.
    by wp_apply (worker_get_spec with "Hl").
  Qed.

  Local Lemma dealing_inv_items γ t n : dealing_inv γ t n -∗ items_ctx N γ.(dealing_items) n.
  Proof. by iIntros "(%l & _ & _ & _ & _ & $)". Qed.

  (** ** The dealer *)

  Local Lemma dealing_read_spec γ t n j w :
    γ.(dealing_workers) !! j = Some w →
    {{{ dealing_inv γ t n }}} ! #w.(worker_cell)
    {{{ v, RET v; ⌜v = InjLV #0 ∨ v = InjLV #1 ∨ ∃ x, v = InjRV x⌝ }}}.
  Proof.
    iIntros (Hj Φ) "#I HΦ".
    iDestruct (dealing_inv_worker with "I") as "(_ & #Ic)"; first done.
    iInv "Ic" as ">[[Hc Ht]|[[Hc Hg]|[(%v & Hc & Hg)|(%v & %z & Hc & Hg)]]]"; wp_load; iModIntro.
    - iSplitL "Hc Ht"; first by iLeft; iFrame. iApply "HΦ". auto.
    - iSplitL "Hc Hg"; first by iRight; iLeft; iFrame. iApply "HΦ". auto.
    - iSplitL "Hc Hg"; first by iRight; iRight; iLeft; iExists v; iFrame.
      iApply "HΦ". eauto.
    - iSplitL "Hc Hg"; first by iRight; iRight; iRight; iExists v, z; iFrame.
      iApply "HΦ". eauto.
  Qed.

  Local Lemma dealing_offer_spec γ t n i j w w' vs :
    γ.(dealing_workers) !! i = Some w → γ.(dealing_workers) !! j = Some w' →
    {{{ dealing_inv γ t n ∗ own_ring γ i w vs }}}
      deque_dealing_offer #w.(worker_block) #w'.(worker_block)
    {{{ (b : bool), RET #b; own_ring γ i w (if b then tail vs else vs) }}}.
  Proof.
    iIntros (Hi Hj Φ) "(#I & Hring & Hown) HΦ". wp_rec. wp_pures.
    iDestruct (dealing_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first exact Hi.
    iDestruct (dealing_inv_worker with "I") as "((_ & _ & #Hc1) & #Ic)"; first exact Hj.
    wp_load. wp_apply (dealing_read_spec with "I"); first exact Hj.
    iIntros (? [->|[->|[x ->]]]); wp_pures.
    - iApply "HΦ". by iFrame.
    - wp_load. wp_apply (ring_oldest_spec with "Hring"). iIntros "Hring".
      destruct vs as [|v vs]; simpl; wp_pures; first by iApply "HΦ"; iFrame.
      wp_load. wp_bind (CmpXchg _ _ _).
      iInv "Ic" as ">[[Hc Ht]|[[Hc Hg]|[(%x & Hc & Hg)|(%x & %z & Hc & Hg)]]]".
      + wp_cmpxchg_fail. iModIntro. iSplitL "Hc Ht"; first by iLeft; iFrame. wp_pures.
        iApply "HΦ". by iFrame.
      + wp_cmpxchg_suc.
        iDestruct (dealing_inv_items with "I") as "#Ii".
        iMod (items_give with "Ii Hown Hg") as "[Hown Hg]"; first solve_ndisj.
        iModIntro. iSplitL "Hc Hg"; first by iRight; iRight; iLeft; iExists v; iFrame.
        wp_pures. wp_load. wp_apply (ring_drop_spec with "[$Hri $Hring]"). iIntros "Hring".
        wp_pures. iApply "HΦ". by iFrame.
      + wp_cmpxchg_fail. iModIntro.
        iSplitL "Hc Hg"; first by iRight; iRight; iLeft; iExists x; iFrame.
        wp_pures. iApply "HΦ". by iFrame.
      + wp_cmpxchg_fail. iModIntro.
        iSplitL "Hc Hg"; first by iRight; iRight; iRight; iExists x, z; iFrame.
        wp_pures. iApply "HΦ". by iFrame.
    - iApply "HΦ". by iFrame.
  Qed.

  (** Claim: [workers] returns the number of workers. *)
  Lemma dealing_workers_spec γ t n :
    {{{ dealing_inv γ t n }}} deque_dealing_workers t {{{ RET #n; True }}}.
  Proof.
    iIntros (Φ) "(%l & [-> ->] & #Hl & _) HΦ". wp_rec. wp_pures.
    iDestruct (is_array_len with "Hl") as "#Hlen". rewrite length_fmap.
    by wp_apply (array_length_spec with "Hlen").
  Qed.

  Local Lemma dealing_deal_from_spec γ t n i w vs j (left : Z) :
    γ.(dealing_workers) !! i = Some w → (j < n)%nat →
    {{{ dealing_inv γ t n ∗ own_ring γ i w vs ∗ dealer_fields γ w }}}
      deque_dealing_deal_from t #w.(worker_block) #j #left
    {{{ vs', RET #();
        ⌜vs' = vs ∨ vs' = tail vs⌝ ∗ own_ring γ i w vs' ∗ dealer_fields γ w }}}.
  Proof.
    iIntros (Hi Hj Φ) "(#I & Hring & Hfields) HΦ".
    iAssert (⌜n = length γ.(dealing_workers)⌝)%I as %Hn.
    { by iDestruct "I" as "(%l & [_ $] & _)". }
    iLöb as "IH" forall (j left Hj). wp_rec. wp_pures.
    case_bool_decide; wp_pures; last by iApply "HΦ"; iFrame; iLeft.
    wp_apply (dealing_workers_spec with "I"). iIntros "_". wp_pures.
    wp_bind (If _ _ _).
    iApply (wp_wand _ _ _ (λ r, ∃ j' : nat, ⌜r = #j' ∧ (j' < n)%nat⌝)%I).
    { case_bool_decide as Heq; wp_pures; iModIntro.
      - iExists 0%nat. iPureIntro. split; [done|lia].
      - iExists (S j). iPureIntro. split; first (do 2 f_equal; lia).
        assert (j + 1 ≠ n); last lia. intros Heq'. apply Heq. by rewrite Heq'. }
    iIntros (r) "(%j' & -> & %Hj')". wp_pures.
    destruct (lookup_lt_is_Some_2 γ.(dealing_workers) j) as [w' Hw']; first lia.
    wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    wp_apply (dealing_offer_spec with "[$I $Hring]"); [done..|].
    iIntros (b) "Hring". destruct b; wp_pures.
    - iDestruct "Hfields" as "(%r & %next & _ & H3 & H4)".
      wp_na_store. wp_na_store. iModIntro. iApply "HΦ". iFrame "Hring".
      iSplitR; first by iRight. iExists j, j'. iFrame. iPureIntro. split; lia.
    - iApply ("IH" with "[//] Hring Hfields HΦ").
  Qed.

  Local Lemma dealing_deal_spec γ t n i w vs :
    γ.(dealing_workers) !! i = Some w →
    {{{ dealing_inv γ t n ∗ own_ring γ i w vs ∗ dealer_fields γ w }}}
      deque_dealing_deal t #w.(worker_block)
    {{{ vs', RET #();
        ⌜vs' = vs ∨ vs' = tail vs⌝ ∗ own_ring γ i w vs' ∗ dealer_fields γ w }}}.
  Proof.
    iIntros (Hi Φ) "(#I & [Hring Hown] & Hfields) HΦ". wp_rec. wp_pures.
    iPoseProof "I" as "(%l & [-> ->] & _ & _ & #Iw & _)". wp_pures.
    wp_bind (! _)%E. iInv "Iw" as (z) ">Hz". wp_load. iModIntro.
    iSplitL "Hz"; first by iExists z. wp_pures.
    case_bool_decide; wp_pures; last by iApply "HΦ"; iFrame; iLeft.
    iDestruct (dealing_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first exact Hi.
    wp_load. wp_apply (ring_is_empty_spec with "Hring"). iIntros "Hring".
    case_bool_decide; wp_pures; first by iApply "HΦ"; iFrame; iLeft.
    iDestruct "Hfields" as "(%r & %next & [%Hnext %Hr] & H3 & H4)". wp_na_load. wp_pures.
    wp_apply (dealing_workers_spec with "I"). iIntros "_".
    wp_apply (dealing_deal_from_spec with "[$I $Hring $Hown H3 H4]"); [done|done| |].
    { iExists r, next. by iFrame. }
    done.
  Qed.

  (** ** The operations of a worker *)

  (** Claim: A worker has one owner. *)
  Lemma dealing_owner_exclusive γ i vs vs' waits waits' :
    dealing_owner γ i vs waits -∗ dealing_owner γ i vs' waits' -∗ False.
  Proof.
    iIntros "(%w & _ & (_ & H1) & _) (%w' & _ & (_ & H2) & _)".
    iApply (items_at_exclusive with "H1 H2").
  Qed.

  (** Claim: [size] returns exactly the number of the worker's items. *)
  Lemma dealing_size_spec γ t n i vs waits :
    {{{ dealing_inv γ t n ∗ dealing_owner γ i vs waits }}}
      deque_dealing_size t #i
    {{{ RET #(length vs); dealing_owner γ i vs waits }}}.
  Proof.
    iIntros (Φ) "[#I (%w & %Hi & (Hring & Hown) & Hfields & Hwaits)] HΦ".
    wp_rec. wp_pures. wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    iDestruct (dealing_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_load. wp_apply (ring_size_spec with "Hring"). iIntros "Hring".
    iApply "HΦ". iExists w. by iFrame.
  Qed.

  (** Claim: [is_empty] says exactly whether the worker has no item. *)
  Lemma dealing_is_empty_spec γ t n i vs waits :
    {{{ dealing_inv γ t n ∗ dealing_owner γ i vs waits }}}
      deque_dealing_is_empty t #i
    {{{ RET #(bool_decide (vs = [])); dealing_owner γ i vs waits }}}.
  Proof.
    iIntros (Φ) "[#I (%w & %Hi & (Hring & Hown) & Hfields & Hwaits)] HΦ".
    wp_rec. wp_pures. wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    iDestruct (dealing_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_load. wp_apply (ring_is_empty_spec with "Hring"). iIntros "Hring".
    iApply "HΦ". iExists w. by iFrame.
  Qed.

  (** Claim: [tick] may deal the worker's oldest item to a worker that waits; the item
      stays among all items. *)
  Lemma dealing_tick_spec γ t n i vs waits :
    {{{ dealing_inv γ t n ∗ dealing_owner γ i vs waits }}}
      deque_dealing_tick t #i
    {{{ vs', RET #(); ⌜vs' = vs ∨ vs' = tail vs⌝ ∗ dealing_owner γ i vs' waits }}}.
  Proof.
    iIntros (Φ) "[#I (%w & %Hi & Hring & Hfields & Hwaits)] HΦ".
    wp_rec. wp_pures. wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    wp_apply (dealing_deal_spec with "[$I $Hring $Hfields]"); first done.
    iIntros (vs') "(%Hvs' & Hring & Hfields)". iApply "HΦ". iSplitR; first done.
    iExists w. by iFrame.
  Qed.

  (** Claim: [block] does nothing. *)
  Lemma dealing_block_spec γ t n i vs waits :
    {{{ dealing_inv γ t n ∗ dealing_owner γ i vs waits }}}
      deque_dealing_block t #i
    {{{ RET #(); dealing_owner γ i vs waits }}}.
  Proof. iIntros (Φ) "[_ H] HΦ". wp_rec. wp_pures. by iApply "HΦ". Qed.

  (** Claim: [unblock] does nothing. *)
  Lemma dealing_unblock_spec γ t n i vs waits :
    {{{ dealing_inv γ t n ∗ dealing_owner γ i vs waits }}}
      deque_dealing_unblock t #i
    {{{ RET #(); dealing_owner γ i vs waits }}}.
  Proof. iIntros (Φ) "[_ H] HΦ". wp_rec. wp_pures. by iApply "HΦ". Qed.

  (** Claim: [dealt] moves no item; [dealt] returns the worker that was dealt an item,
      or -1. *)
  Lemma dealing_dealt_spec γ t n i vs waits :
    {{{ dealing_inv γ t n ∗ dealing_owner γ i vs waits }}}
      deque_dealing_dealt t #i
    {{{ (r : Z), RET #r; ⌜r < n⌝ ∗ dealing_owner γ i vs waits }}}.
  Proof.
    iIntros (Φ) "[#I (%w & %Hi & Hring & Hfields & Hwaits)] HΦ".
    iAssert (⌜n = length γ.(dealing_workers)⌝)%I as %->.
    { by iDestruct "I" as "(%l & [_ $] & _)". }
    wp_rec. wp_pures. wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    iDestruct "Hfields" as "(%r & %next & [%Hnext %Hr] & H3 & H4)". wp_na_load.
    rewrite /deque_dealing_nobody. wp_pures. case_bool_decide; wp_pures.
    - iModIntro. iApply "HΦ". iSplit; first done. iExists w. by iFrame.
    - wp_na_store. iModIntro. iApply "HΦ". iSplit; first done. iExists w. iFrame.
      iSplit; first done. iPureIntro. split; [done|lia].
  Qed.

  (** Claim: [push] adds an item, as the newest of the worker that pushes; the oldest
      item may be dealt to a worker that waits. *)
  Lemma dealing_push_spec γ t n i vs waits v :
    dealing_inv γ t n -∗ dealing_owner γ i vs waits -∗
    <<{ ∀∀ M, dealing_model γ M }>>
      deque_dealing_push t #i v @ ↑N
    <<{ dealing_model γ ({[+ v +]} ⊎ M)
      | RET #(); ∃ vs', ⌜vs' = vs ++ [v] ∨ vs' = tail (vs ++ [v])⌝ ∗
                        dealing_owner γ i vs' waits }>>.
  Proof.
    iIntros "#I (%w & %Hi & (Hring & Hown) & Hfields & Hwaits) %Φ AU".
    wp_rec. wp_pures. wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    iDestruct (dealing_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_pures. wp_load. wp_apply (ring_push_spec with "[$Hri $Hring]"). iIntros "Hring".
    iDestruct (dealing_inv_items with "I") as "#Ii".
    iMod (items_add with "Ii Hown [AU]") as "[Hown HΦ]".
    { iMod "AU" as (M) "[HM [_ Hclose]]". iModIntro. iExists M. iFrame "HM". iApply "Hclose". }
    wp_pures. wp_apply (dealing_deal_spec with "[$I $Hring $Hown $Hfields]"); first done.
    iIntros (vs') "(%Hvs' & Hring & Hfields)". iApply "HΦ". iExists vs'.
    iSplitR; first done. iExists w. by iFrame.
  Qed.

  (** Claim: [pop] takes the worker's newest item; [pop] returns no item only if the
      worker had no item. *)
  Lemma dealing_pop_spec γ t n i vs waits :
    dealing_inv γ t n -∗ dealing_owner γ i vs waits -∗
    <<{ ∀∀ M, dealing_model γ M }>>
      deque_dealing_pop t #i @ ↑N
    <<{ ∃∃ M', ⌜M = multiset_of (option_list (last vs)) ⊎ M'⌝ ∗ dealing_model γ M'
      | vs', RET option_to_val (last vs);
        ⌜vs' = removelast vs ∨ vs' = tail (removelast vs)⌝ ∗
        dealing_owner γ i vs' waits }>>.
  Proof.
    iIntros "#I (%w & %Hi & (Hring & Hown) & Hfields & Hwaits) %Φ AU".
    wp_rec. wp_pures. wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    iDestruct (dealing_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_pures. wp_load. wp_apply (ring_pop_spec with "[$Hri $Hring]"). iIntros "Hring".
    iDestruct (dealing_inv_items with "I") as "#Ii".
    iMod (items_take _ _ _ _ _ (last vs) with "Ii Hown [AU]") as "[Hown HΦ]";
      first apply newest_perm.
    { iMod "AU" as (M) "[HM [_ Hclose]]". iModIntro. iExists M. iFrame "HM".
      iIntros (M' HM) "HM". iApply ("Hclose" $! M'). by iFrame. }
    destruct vs as [|v vs _] using rev_ind.
    - simpl. wp_pures. iModIntro. iApply ("HΦ" $! []). iSplitR; first by iLeft.
      iExists w. by iFrame.
    - rewrite last_snoc removelast_last.
      simpl. wp_pures.
      wp_apply (dealing_deal_spec with "[$I $Hring $Hown $Hfields]"); first done.
      iIntros (vs') "(%Hvs' & Hring & Hfields)". wp_pures. iModIntro.
      iApply ("HΦ" $! vs'). iSplitR; first done. iExists w. by iFrame.
  Qed.

  (** Claim: [oldest] takes the worker's oldest item; [oldest] returns no item only if
      the worker had no item. *)
  Lemma dealing_oldest_spec γ t n i vs waits :
    dealing_inv γ t n -∗ dealing_owner γ i vs waits -∗
    <<{ ∀∀ M, dealing_model γ M }>>
      deque_dealing_oldest t #i @ ↑N
    <<{ ∃∃ M', ⌜M = multiset_of (option_list (head vs)) ⊎ M'⌝ ∗ dealing_model γ M'
      | RET option_to_val (head vs); dealing_owner γ i (tail vs) waits }>>.
  Proof.
    iIntros "#I (%w & %Hi & (Hring & Hown) & Hfields & Hwaits) %Φ AU". iApply wp_fupd.
    wp_rec. wp_pures. wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    iDestruct (dealing_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_pures. wp_load. wp_apply (ring_take_spec with "[$Hri $Hring]"). iIntros "Hring".
    iDestruct (dealing_inv_items with "I") as "#Ii".
    iMod (items_take _ _ _ _ _ (head vs) with "Ii Hown [AU]") as "[Hown HΦ]";
      first apply oldest_perm.
    { iMod "AU" as (M) "[HM [_ Hclose]]". iModIntro. iExists M. iFrame "HM".
      iIntros (M' HM) "HM". iApply ("Hclose" $! M'). by iFrame. }
    iModIntro. iApply "HΦ". iExists w. by iFrame.
  Qed.

  (** ** The receiver *)

  (** Claim: [waits_for_answer] says whether the worker has asked for an item and has
      not yet collected an item. *)
  Lemma dealing_waits_for_answer_spec γ t n i vs waits :
    {{{ dealing_inv γ t n ∗ dealing_owner γ i vs waits }}}
      deque_dealing_waits_for_answer t #i
    {{{ RET #waits; dealing_owner γ i vs waits }}}.
  Proof.
    iIntros (Φ) "[#I (%w & %Hi & Hring & Hfields & [H2 Hgiven])] HΦ".
    wp_rec. wp_pures. wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    wp_na_load. iModIntro. iApply "HΦ". iExists w. by iFrame.
  Qed.

  Local Lemma dealing_over_spec γ t n w z :
    {{{ dealing_inv γ t n ∗ (w.(worker_block) +ₗ 2) ↦na z }}}
      deque_dealing_over t #w.(worker_block)
    {{{ RET #(); (w.(worker_block) +ₗ 2) ↦na #false }}}.
  Proof.
    iIntros (Φ) "[#I H2] HΦ". wp_rec. wp_pures. wp_na_store.
    iPoseProof "I" as "(%l & [-> ->] & _ & _ & #Iw & _)". wp_pures.
    wp_bind (FAA _ _). iInv "Iw" as (k) ">Hk". wp_faa. iModIntro.
    iSplitL "Hk"; first by iExists _. wp_pures. by iApply "HΦ".
  Qed.

  (** Worker [i] waited, and now has an item or no item.  The item is still to be taken
      out of the model. *)
  Local Definition collected γ i w (o : option val) waits : iProp Σ :=
    match o with
    | Some v => ⌜waits = false⌝ ∗ (w.(worker_block) +ₗ 2) ↦na #false ∗ given_at γ i [v]
    | None => waits_field γ i w waits
    end.

  Local Lemma dealing_reset_spec γ t n i w v :
    γ.(dealing_workers) !! i = Some w →
    {{{ dealing_inv γ t n ∗ w.(worker_cell) ↦{#1/2} InjRV v ∗ token w.(worker_waits) }}}
      #w.(worker_cell) <- InjLV #0
    {{{ z, RET #(); (w.(worker_block) +ₗ 2) ↦na z }}}.
  Proof.
    iIntros (Hi Φ) "(#I & Hc & Htok) HΦ".
    iDestruct (dealing_inv_worker with "I") as "(_ & #Ic)"; first done.
    iInv "Ic" as ">[[Hc' _]|[[Hc' Hg]|[(%x & Hc' & Hg)|(%x & %z & Hc' & H2)]]]".
    - by iDestruct (pointsto_agree with "Hc Hc'") as %[=].
    - by iDestruct (pointsto_agree with "Hc Hc'") as %[=].
    - by iDestruct (pointsto_ne with "Hc' Hc") as %?.
    - iDestruct (pointsto_agree with "Hc Hc'") as %[= <-].
      iCombine "Hc Hc'" as "Hc". wp_store. iModIntro.
      iSplitL "Hc Htok"; first by iLeft; iFrame.
      by iApply "HΦ".
  Qed.

  (** A dealt item stays in the cell until worker [i] takes the item. *)
  Local Lemma dealing_take_dealt_spec γ t n i w v :
    γ.(dealing_workers) !! i = Some w →
    {{{ dealing_inv γ t n ∗ w.(worker_cell) ↦{#1/2} InjRV v ∗ token w.(worker_waits) }}}
      deque_dealing_collect t #w.(worker_block)
    {{{ RET SOMEV v; (w.(worker_block) +ₗ 2) ↦na #false }}}.
  Proof.
    iIntros (Hi Φ) "(#I & Hc & Htok) HΦ". wp_rec. wp_pures.
    iDestruct (dealing_inv_worker with "I") as "((_ & _ & #Hc1) & _)"; first done.
    wp_load. wp_load. wp_pures. wp_load.
    wp_apply (dealing_reset_spec with "[$I $Hc $Htok]"); first done.
    iIntros (z) "H2". wp_pures. wp_apply (dealing_over_spec with "[$I $H2]"). iIntros "H2".
    wp_pures. by iApply "HΦ".
  Qed.

  Local Lemma dealing_collect_spec γ t n i w :
    γ.(dealing_workers) !! i = Some w →
    {{{ dealing_inv γ t n ∗ waits_field γ i w true }}}
      deque_dealing_collect t #w.(worker_block)
    {{{ o waits, RET option_to_val o; collected γ i w o waits }}}.
  Proof.
    iIntros (Hi Φ) "(#I & H2 & Htok) HΦ". wp_rec. wp_pures.
    iDestruct (dealing_inv_worker with "I") as "((_ & _ & #Hc1) & #Ic)"; first done.
    wp_load. wp_bind (! _)%E.
    iInv "Ic" as ">[[Hc Ht]|[[Hc Hg]|[(%v & Hc & Hg)|(%v & %z & Hc & H2')]]]".
    - iDestruct (token_exclusive with "Htok Ht") as %[].
    - wp_load. iModIntro. iSplitL "Hc Hg"; first by iRight; iLeft; iFrame. wp_pures.
      iModIntro. iApply ("HΦ" $! None true). by iFrame.
    - wp_load. iDestruct "Hc" as "[Hc Hc']". iModIntro.
      iSplitL "Hc H2"; first by iRight; iRight; iRight; iExists v, _; iFrame.
      wp_pures. wp_load. wp_apply (dealing_reset_spec with "[$I $Hc' $Htok]"); first done.
      iIntros (z) "H2". wp_pures.
      wp_apply (dealing_over_spec with "[$I $H2]"). iIntros "H2". wp_pures. iModIntro.
      iApply ("HΦ" $! (Some v) false). by iFrame.
    - iDestruct (na_pointsto_exclusive with "H2 H2'") as %[].
  Qed.

  (** The collected item leaves the model. *)
  Local Lemma dealing_finish γ t n i w o waits Φ :
    dealing_inv γ t n -∗ collected γ i w o waits -∗
    (|={⊤ ∖ ↑N, ∅}=> ∃ M, dealing_model γ M ∗
       (∀ M', ⌜M = multiset_of (option_list o) ⊎ M'⌝ -∗ dealing_model γ M'
          ={∅, ⊤ ∖ ↑N}=∗ Φ)) ={⊤}=∗
    waits_field γ i w waits ∗ Φ.
  Proof.
    iIntros "#I Hcol AU". iDestruct (dealing_inv_items with "I") as "#Ii".
    destruct o as [v|]; simpl.
    - iDestruct "Hcol" as "(-> & H2 & Hgiven)".
      iMod (items_take _ _ _ _ _ (Some v) [] with "Ii Hgiven AU") as "[Hgiven $]"; first done.
      iModIntro. by iFrame.
    - iMod (items_take_none with "AU") as "$". by iFrame.
  Qed.

  (** Claim: After [withdraw] the worker does not wait. [withdraw] either takes the
      worker's request back, so that no worker deals to the worker any more, or returns
      the item that was dealt to the worker; never both. *)
  Lemma dealing_withdraw_spec γ t n i vs waits :
    dealing_inv γ t n -∗ dealing_owner γ i vs waits -∗
    <<{ ∀∀ M, dealing_model γ M }>>
      deque_dealing_withdraw t #i @ ↑N
    <<{ ∃∃ o M', ⌜M = multiset_of (option_list o) ⊎ M'⌝ ∗ dealing_model γ M'
      | RET option_to_val o; dealing_owner γ i vs false }>>.
  Proof.
    iIntros "#I (%w & %Hi & Hring & Hfields & [H2 Hgiven]) %Φ AU".
    wp_rec. wp_pures. wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    wp_na_load. iApply wp_fupd.
    iApply (wp_wand _ _ _ (λ r, ∃ o, ⌜r = option_to_val o⌝ ∗ collected γ i w o false)%I
      with "[H2 Hgiven]").
    { destruct waits; wp_pures; last first.
      { iModIntro. iExists None. iSplitR; first done. iFrame. }
      iDestruct (dealing_inv_worker with "I") as "((_ & _ & #Hc1) & #Ic)"; first done.
      wp_load. wp_bind (CmpXchg _ _ _).
      iInv "Ic" as ">[[Hc Ht]|[[Hc Hg]|[(%v & Hc & Hg)|(%v & %z & Hc & H2')]]]".
      - iDestruct (token_exclusive with "Hgiven Ht") as %[].
      - wp_cmpxchg_suc. iModIntro. iSplitL "Hc Hgiven"; first by iLeft; iFrame. wp_pures.
        wp_apply (dealing_over_spec with "[$I $H2]"). iIntros "H2". wp_pures. iModIntro.
        iExists None. iSplitR; first done. iFrame.
      - wp_cmpxchg_fail. iDestruct "Hc" as "[Hc Hc']". iModIntro.
        iSplitL "Hc H2"; first by iRight; iRight; iRight; iExists v, _; iFrame. wp_pures.
        wp_apply (dealing_take_dealt_spec with "[$I $Hc' $Hgiven]"); first done.
        iIntros "H2". iExists (Some v). iSplitR; first done. by iFrame.
      - iDestruct (na_pointsto_exclusive with "H2 H2'") as %[]. }
    iIntros (r) "(%o & -> & Hcol)".
    iMod (dealing_finish with "I Hcol [AU]") as "[Hwaits HΦ]".
    { iMod "AU" as (M) "[HM [_ Hclose]]". iModIntro. iExists M. iFrame "HM".
      iIntros (M' HM) "HM". iApply ("Hclose" $! o M'). by iFrame. }
    iModIntro. iApply "HΦ". iExists w. by iFrame.
  Qed.

  (** Claim: [steal] returns an item that was dealt to the worker, and the item leaves
      the set of all items at that moment; or [steal] returns no item, and then the
      worker may wait. *)
  Lemma dealing_steal_spec γ t n i vs waits (victim : val) :
    dealing_inv γ t n -∗ dealing_owner γ i vs waits -∗
    <<{ ∀∀ M, dealing_model γ M }>>
      deque_dealing_steal t #i victim @ ↑N
    <<{ ∃∃ o M', ⌜M = multiset_of (option_list o) ⊎ M'⌝ ∗ dealing_model γ M'
      | waits', RET option_to_val o;
        ⌜waits' = true → o = None⌝ ∗ dealing_owner γ i vs waits' }>>.
  Proof.
    iIntros "#I (%w & %Hi & Hring & Hfields & [H2 Hgiven]) %Φ AU".
    wp_rec. wp_pures. wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    wp_na_load. iApply wp_fupd.
    iApply (wp_wand _ _ _ (λ r, ∃ o waits', ⌜r = option_to_val o⌝ ∗
      collected γ i w o waits')%I with "[H2 Hgiven]").
    { destruct waits; wp_pures.
      { wp_apply (dealing_collect_spec with "[$I $H2 $Hgiven]"); first done.
        iIntros (o waits') "H". iExists o, waits'. by iFrame. }
      wp_na_store.
      iDestruct (dealing_inv_worker with "I") as "((_ & _ & #Hc1) & #Ic)"; first done.
      wp_load. wp_bind (_ <- _)%E.
      iInv "Ic" as ">[[Hc Ht]|[[Hc Hg]|[(%v & Hc & Hg)|(%v & %z & Hc & H2')]]]".
      - wp_store. iModIntro. iSplitL "Hc Hgiven"; first by iRight; iLeft; iFrame.
        wp_pures. iPoseProof "I" as "(%l & [-> ->] & _ & _ & #Iw & _)". wp_pures.
        wp_bind (FAA _ _). iInv "Iw" as (k) ">Hk". wp_faa. iModIntro.
        iSplitL "Hk"; first by iExists _. wp_pures. iModIntro.
        iExists None, true. by iFrame.
      - iDestruct (items_at_exclusive with "Hgiven Hg") as %[].
      - iDestruct (items_at_exclusive with "Hgiven Hg") as %[].
      - iDestruct (na_pointsto_exclusive with "H2 H2'") as %[]. }
    iIntros (r) "(%o & %waits' & -> & Hcol)".
    iAssert (⌜waits' = false ∨ o = None⌝)%I as %Hnone.
    { destruct o; simpl; last by iRight. iDestruct "Hcol" as "[-> _]". by iLeft. }
    iMod (dealing_finish with "I Hcol [AU]") as "[Hwaits HΦ]".
    { iMod "AU" as (M) "[HM [_ Hclose]]". iModIntro. iExists M. iFrame "HM".
      iIntros (M' HM) "HM". iApply ("Hclose" $! o M'). by iFrame. }
    iModIntro. iApply ("HΦ" $! waits'). iSplitR; first (iPureIntro; naive_solver).
    iExists w. by iFrame.
  Qed.

  (** Claim: [may_have] is a hint; any thread may safely call [may_have]. *)
  Lemma dealing_may_have_spec γ t n i :
    (i < n)%nat →
    {{{ dealing_inv γ t n }}} deque_dealing_may_have t #i {{{ (b : bool), RET #b; True }}}.
  Proof.
    iIntros (Hi Φ) "#I HΦ". iPoseProof "I" as "(%l & [_ ->] & _)".
    destruct (lookup_lt_is_Some_2 γ.(dealing_workers) i) as [w Hw]; first lia.
    wp_rec. wp_pures. wp_apply (dealing_worker_spec with "I"); first done. iIntros "_".
    iDestruct (dealing_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_load. wp_apply (ring_is_empty_hint_spec with "Hri"). iIntros (b) "_". wp_pures.
    by iApply "HΦ".
  Qed.

  (** ** All workers *)

  (** Claim: If no worker has an item or waits for an item, no item is left. *)
  Lemma dealing_model_empty γ t n M E :
    ↑N ⊆ E →
    dealing_inv γ t n -∗ ([∗ list] i ∈ seq 0 n, dealing_owner γ i [] false) -∗
    dealing_model γ M ={E}=∗
    ⌜M = ∅⌝ ∗ ([∗ list] i ∈ seq 0 n, dealing_owner γ i [] false) ∗ dealing_model γ M.
  Proof.
    iIntros (?) "(%l & _ & _ & _ & _ & #I) Hall HM". iInv "I" as ">Hi".
    iAssert (⌜M = ∅⌝)%I as %Hempty; last by iModIntro; iFrame.
    iApply (items_model_empty with "Hi [Hall] HM").
    rewrite places_sep. iApply (big_sepL_impl with "Hall"). iIntros "!> %k %i _".
    iIntros "(%w & _ & (_ & $) & _ & (_ & $))".
  Qed.

  (** ** Creation *)

  Local Definition worker_fresh i w : iProp Σ :=
    worker_fields w ∗ ring_model w.(worker_ring) [] ∗ w.(worker_cell) ↦ InjLV #0 ∗
    (w.(worker_block) +ₗ 2) ↦na #false ∗ (w.(worker_block) +ₗ 3) ↦na #(-1) ∗
    (w.(worker_block) +ₗ 4) ↦na #(Z.of_nat i) ∗ token w.(worker_waits).

  (** Claim: New deques hold no item, each worker has its own deque, and no worker
      waits. *)
  Lemma dealing_create_spec n (dummy : val) :
    {{{ True }}} deque_dealing_create #n dummy
    {{{ t γ, RET t;
        dealing_inv γ t n ∗ dealing_model γ ∅ ∗
        [∗ list] i ∈ seq 0 n, dealing_owner γ i [] false }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures. wp_alloc waiting as "Hwaiting". wp_pures.
    wp_bind (array_init _ _).
    wp_apply (array_init_spec (λ _ vs, ∃ ws, ⌜vs = block_to_val <$> ws⌝ ∗
      [∗ list] i ↦ w ∈ ws, worker_fresh i w)%I); [lia| |].
    { iSplitR; first (iExists []; by iSplit).
      iIntros "!> %i %vs _ %Hi (%ws & -> & Hws)". rewrite length_fmap in Hi. wp_pures.
      rewrite /deque_dealing_initial_capacity /deque_dealing_nobody.
      wp_apply ring_create_spec; first done. iIntros (ring) "[#Hri Hring]". wp_pures.
      wp_alloc cell as "Hcell". wp_pures.
      iApply wp_fupd. wp_apply block5_spec; first done.
      iIntros (l) "(H0 & H1 & H2 & H3 & H4 & _)".
      iMod (pointsto_persist with "H0") as "#H0".
      iMod (pointsto_persist with "H1") as "#H1".
      iMod token_alloc as (γw) "Hwaits". iModIntro.
      set (w := DealingWorker l ring cell γw).
      iExists (ws ++ [w]). rewrite fmap_app big_sepL_snoc Hi. iFrame "Hws".
      iSplitR; first done. by iFrame "∗ #". }
    iIntros (l vs) "(%Hlen & Hl & _ & %ws & -> & Hws)". rewrite Nat2Z.id length_fmap in Hlen.
    subst n. iMod (is_array_persist with "Hl") as "#Hl".
    iMod (worker_items_alloc N ws) as (γi) "(#Ii & HM & Hat)".
    set (γ := DealingNames γi ws waiting).
    iMod (inv_alloc (N .@ "waiting") _ (waiting_state γ) with "[Hwaiting]") as "#Iw".
    { iNext. by iExists 0. }
    iDestruct (big_sepL_sep_2 with "Hws Hat") as "Hws".
    iAssert (|={⊤}=> [∗ list] i ↦ w ∈ ws,
      worker_inv γ i w ∗ dealing_owner γ i [] false)%I with "[Hws]" as ">Hws".
    { iApply big_sepL_fupd. iApply (big_sepL_impl with "Hws"). iIntros "!> %i %w %Hw".
      iIntros "[(#Hfields & Hring & Hc & H2 & H3 & H4 & Hwaits) [Hown Hgiven]]".
      iMod (inv_alloc (N .@ "cell") _ (cell_state γ i w) with "[Hc Hwaits]") as "#Ic".
      { iLeft. by iFrame. }
      iModIntro. iSplitR; first by iFrame "#". iExists w. iFrame. iSplitR; first done.
      iPureIntro. apply lookup_lt_Some in Hw. simpl in *. split; [done|lia]. }
    iDestruct (big_sepL_sep with "Hws") as "[#Hinv Howners]".
    wp_pures. iModIntro. iApply ("HΦ" $! _ γ). iFrame "HM". iSplitR.
    - iExists l. iFrame "#". done.
    - by rewrite big_sepL_seq_indices.
  Qed.
End dealing.

Global Typeclasses Opaque dealing_inv dealing_model dealing_owner.
