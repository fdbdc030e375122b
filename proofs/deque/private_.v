(** * Private deques, and the protocol by which thieves ask

    Each worker has a ring, a request cell and an answer cell.  Only the worker
    touches its ring.  One thief at a time can leave its number in the request cell.
    In the answer cell the worker, as a thief, finds its answer.  The items are in
    places ([items.v]): the ring of worker [i] is place [(i, false)]; an item that was
    given to worker [i], and that worker [i] has not yet collected, is in place
    [(i, true)].  [private_model γ M] is the multiset of all items.

    {b The right to answer} worker [j] is the place [(j, true)], while the place is
    empty.  The right moves ([right_place]):

    | the right is | until |
    |---|---|
    | [AtHome]: with worker [j] | [j] asks victim [i] |
    | [InCell i]: in the request cell of [i] | [j] withdraws, or [i] takes the request |
    | [InHand i]: with victim [i] | [i] answers |
    | used up: the place is in the answer cell of [j] | [j] collects: [AtHome] again |

    - Worker [j] has the right as long as worker [j] waits for no victim.
    - Worker [j] asks by the compare-and-set that leaves [j] in the request cell of the
      victim.  The right goes into this cell ([request_state]).
    - Worker [j] withdraws by a compare-and-set from [j] to [free], and gets the right
      back.
    - The victim takes the request from the cell, by a compare-and-set or an exchange,
      and gets the right.  A request is withdrawn or taken, never both, since there is
      one right: so every request is either withdrawn or answered, once.
    - The victim answers: the item that the victim gives moves to the place, or the
      place stays empty when the victim refuses.  The place goes into the answer cell
      with the answer ([answer_state]).  A victim that has the right knows that the
      answer cell says [Silence].
    - Worker [j] collects: after worker [j] has seen an answer, it takes out the cell
      and one half of the place, and leaves its field [asked] in exchange.  Worker
      [j] resets the cell, and exchanges the cell for its field and the other half of
      the place.  Then worker [j] holds the item.

    {b Where the right is} is ghost state.  One half of this ghost state goes with the
    right.  The other half stays beside the answer cell while the cell says [Silence],
    with a witness ([pending]):
    - [AtHome]: a token of the worker, which the worker has itself while it waits;
    - [InCell]: a part of the request cell that has the request;
    - [InHand]: a token of the victim, which the victim has itself while it is not
      about to answer.

    So if the request cells of all other workers are shut and no other worker is about
    to answer, a request has been answered ([private_quiet.v]).

    {b Shut.}  While its request cell is [shut], worker [i] owns half of the cell, so no
    other thread writes the cell.  The other half is in the cell's invariant with a
    token; worker [i] has the token while the cell is open.  So worker [i] always knows
    whether its cell is shut, and its field [is_shut] says so.

    [private_owner γ i vs asked] owns the fields [is_shut] and [asked] and the ring, so
    accesses to them are free of races.

    {b Linearisation.}  A push or a pop is linearised when the ring has changed; no
    other thread can see this change.  A steal or a withdrawal that returns an item is
    linearised when the place of the given item becomes empty.  A move of an item from
    a ring to the place of a thief leaves the model unchanged, so [tick] needs no share
    of the model.

    Source: the algorithm, Acar, Charguéraud, Rainey, PPoPP 2013; the statements,
    "A Verified Parallel Scheduler for OCaml 5", section 6. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants token ghost_var.
From iris.program_logic Require Import atomic.
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import worker_items ring_code ring private_code.

Local Notation option_to_val o := (from_option InjRV (InjLV #()) o).
Local Open Scope Z_scope.

(** Where the right to answer a thief is: with the thief, in the request cell of victim
    [j], or with victim [j], which is about to answer. *)
Inductive right_place := AtHome | InCell (j : nat) | InHand (j : nat).

Class privateG Σ := PrivateG {
  #[local] private_itemsG :: itemsG (nat * bool) Σ;
  #[local] private_tokenG :: tokenG Σ;
  #[local] private_placeG :: ghost_varG Σ right_place;
}.
Definition privateΣ : gFunctors :=
  #[itemsΣ (nat * bool); tokenΣ; ghost_varΣ right_place].
Global Instance subG_privateΣ Σ : subG privateΣ Σ → privateG Σ.
Proof. solve_inG. Qed.

Record private_worker := PrivateWorker {
  worker_block : loc;
  worker_ring : val;
  worker_request : loc;
  worker_answer : loc;
  worker_open : gname;
  worker_right : gname;
  worker_waits : gname;
  worker_hand : gname;
}.
Record private_names := PrivateNames {
  private_items : items_names;
  private_workers : list private_worker;
}.

Section private.
  Context `{!heapGS Σ, !privateG Σ} (N : namespace).
  Implicit Types (γ : private_names) (i j n : nat) (w : private_worker).
  Implicit Types (t v : val) (vs : list val) (M : gmultiset val).
  Implicit Types (asked : option nat) (shut : bool) (p : right_place).

  (** ** State *)

  Local Notation own_at γ := (ring_at γ.(private_items)).
  Local Notation given_at γ := (given_at γ.(private_items)).

  Local Definition given_part γ i vs : iProp Σ :=
    items_part γ.(private_items) (i, true) vs.

  Definition private_model γ M : iProp Σ := items_model γ.(private_items) M.

  Local Definition right_half γ i p : iProp Σ :=
    ∃ w, ⌜γ.(private_workers) !! i = Some w⌝ ∗ ghost_var w.(worker_right) (1/2) p.
  Local Definition right γ i p : iProp Σ := given_at γ i [] ∗ right_half γ i p.

  (** The witness of where the right is. *)
  Local Definition pending γ i w p : iProp Σ :=
    match p with
    | AtHome => token w.(worker_waits)
    | InCell j => ∃ w', ⌜γ.(private_workers) !! j = Some w'⌝ ∗
        w'.(worker_request) ↦{#1/4} #i
    | InHand j => ∃ w', ⌜γ.(private_workers) !! j = Some w'⌝ ∗ token w'.(worker_hand)
    end.

  (** [answer_to_val None] is [Refused]. *)
  Local Definition answer_to_val (o : option val) : val :=
    from_option InjRV (InjLV #1) o.

  Local Definition request_state γ i w : iProp Σ :=
    (w.(worker_request) ↦{#1/2} #(-2) ∗ token w.(worker_open)) ∨
    w.(worker_request) ↦ #(-1) ∨
    ∃ j, ⌜j < length γ.(private_workers)⌝ ∗
         w.(worker_request) ↦{#3/4} #j ∗ right γ j (InCell i).

  Local Definition answer_state γ i w : iProp Σ :=
    (∃ p, w.(worker_answer) ↦ InjLV #0 ∗ right_half γ i p ∗ pending γ i w p) ∨
    (∃ o p, w.(worker_answer) ↦ answer_to_val o ∗ given_at γ i (option_list o) ∗
       right_half γ i p ∗ right_half γ i p) ∨
    (∃ vs v, given_part γ i vs ∗ (w.(worker_block) +ₗ 4) ↦na v).

  Local Definition worker_fields w : iProp Σ :=
    (w.(worker_block) +ₗ 0) ↦□ w.(worker_ring) ∗ ring_inv w.(worker_ring) ∗
    (w.(worker_block) +ₗ 1) ↦□ #w.(worker_request) ∗
    (w.(worker_block) +ₗ 2) ↦□ #w.(worker_answer).

  Local Definition worker_inv γ i w : iProp Σ :=
    worker_fields w ∗
    inv (N .@ "request") (request_state γ i w) ∗
    inv (N .@ "answer") (answer_state γ i w).

  Local Definition block_to_val w : val := #w.(worker_block).

  Definition private_inv γ t n : iProp Σ :=
    ∃ l : loc, ⌜t = #l ∧ n = length γ.(private_workers)⌝ ∗
      is_array l DfracDiscarded (block_to_val <$> γ.(private_workers)) ∗
      ([∗ list] i ↦ w ∈ γ.(private_workers), worker_inv γ i w) ∗
      items_ctx N γ.(private_items) n.

  (** The parts that a worker owns as a victim: its field [is_shut] and its ring. *)
  Local Definition shut_field w shut : iProp Σ :=
    (w.(worker_block) +ₗ 3) ↦na #shut ∗ token w.(worker_hand) ∗
    (if shut then w.(worker_request) ↦{#1/2} #(-2) else token w.(worker_open))%I.
  Local Definition own_ring γ i w vs : iProp Σ :=
    ring_model w.(worker_ring) vs ∗ own_at γ i vs.

  (** Between two operations, an open cell implies that the ring is not empty. *)
  Local Definition victim_part γ i w shut vs : iProp Σ :=
    ⌜shut = false → vs ≠ []⌝ ∗ shut_field w shut ∗ own_ring γ i w vs.

  (** The parts that a worker owns as a thief. *)
  Local Definition asked_to_Z asked : Z :=
    match asked with Some j => j | None => -1 end.
  Local Definition asked_field γ i w asked : iProp Σ :=
    (w.(worker_block) +ₗ 4) ↦na #(asked_to_Z asked) ∗
    match asked with
    | Some j => ⌜j < length γ.(private_workers)⌝ ∗ token w.(worker_waits)
    | None => right γ i AtHome
    end.

  Definition private_owner γ i vs asked : iProp Σ :=
    ∃ w shut, ⌜γ.(private_workers) !! i = Some w⌝ ∗
      victim_part γ i w shut vs ∗ asked_field γ i w asked.

  Global Instance private_inv_persistent γ t n : Persistent (private_inv γ t n).
  Proof. apply _. Qed.
  Global Instance private_model_timeless γ M : Timeless (private_model γ M).
  Proof. apply _. Qed.
  Local Instance pending_timeless γ i w p : Timeless (pending γ i w p).
  Proof. destruct p; apply _. Qed.
  Local Instance request_state_timeless γ i w : Timeless (request_state γ i w).
  Proof. apply _. Qed.
  Local Instance answer_state_timeless γ i w : Timeless (answer_state γ i w).
  Proof. apply _. Qed.
  Global Instance private_owner_timeless γ i vs asked :
    Timeless (private_owner γ i vs asked).
  Proof. rewrite /private_owner /victim_part /shut_field /asked_field. apply _. Qed.

  (** ** Access *)

  Local Lemma private_inv_worker γ t n i w :
    γ.(private_workers) !! i = Some w → private_inv γ t n -∗ worker_inv γ i w.
  Proof.
    iIntros (Hi) "(%l & _ & _ & Hall & _)". by iApply (big_sepL_lookup with "Hall").
  Qed.

  Local Lemma private_worker_spec γ t n i w :
    γ.(private_workers) !! i = Some w →
    {{{ private_inv γ t n }}}
      deque_private_worker t #i
    {{{ RET #w.(worker_block); True }}}.
  Proof.
    iIntros (Hi Φ) "(%l & [-> _] & #Hl & _) HΦ". wp_rec. wp_pures.
    by wp_apply (worker_get_spec with "Hl").
  Qed.

  Local Lemma private_inv_items γ t n : private_inv γ t n -∗ items_ctx N γ.(private_items) n.
  Proof. by iIntros "(%l & _ & _ & _ & $)". Qed.

  Local Lemma right_half_agree γ i p p' :
    right_half γ i p -∗ right_half γ i p' -∗ ⌜p = p'⌝.
  Proof.
    iIntros "(%w & %Hw & H1) (%w' & %Hw' & H2)". simplify_eq.
    iApply (ghost_var_agree with "H1 H2").
  Qed.
  Local Lemma right_half_update γ i p p' p'' :
    right_half γ i p -∗ right_half γ i p' ==∗ right_half γ i p'' ∗ right_half γ i p''.
  Proof.
    iIntros "(%w & %Hw & H1) (%w' & %Hw' & H2)". simplify_eq.
    iMod (ghost_var_update_halves p'' with "H1 H2") as "[H1 H2]". iModIntro.
    iSplitL "H1"; iExists w; by iFrame.
  Qed.
  (** The owner of the right may replace the witness, and thereby moves the right. *)
  Local Lemma right_open γ t n i w p E :
    γ.(private_workers) !! i = Some w → ↑N .@ "answer" ⊆ E →
    private_inv γ t n -∗ right γ i p ={E, E ∖ ↑N .@ "answer"}=∗
    pending γ i w p ∗
    (∀ p', pending γ i w p' ={E ∖ ↑N .@ "answer", E}=∗ right γ i p').
  Proof.
    iIntros (Hi HE) "#I [Hg Hr]".
    iDestruct (private_inv_worker with "I") as "(_ & _ & #Ians)"; first done.
    iInv "Ians" as ">[(%p' & Ha & Hr' & Hp)|[(%o & %p' & _ & Hg' & _)|(%vs & %z & Hg' & _)]]"
      "Hclose".
    - iDestruct (right_half_agree with "Hr Hr'") as %<-. iFrame "Hp". iModIntro.
      iIntros (p') "Hp". iMod (right_half_update _ _ _ _ p' with "Hr Hr'") as "[Hr Hr']".
      iMod ("Hclose" with "[Ha Hr' Hp]") as "_"; first by iLeft; iExists p'; iFrame.
      by iFrame.
    - iDestruct (items_at_exclusive with "Hg Hg'") as %[].
    - iDestruct (items_at_part_exclusive with "Hg Hg'") as %[].
  Qed.

  (** ** The victim *)

  Local Lemma private_open_spec γ t n i w shut :
    γ.(private_workers) !! i = Some w →
    {{{ private_inv γ t n ∗ shut_field w shut }}}
      deque_private_open_ #w.(worker_block)
    {{{ RET #(); shut_field w false }}}.
  Proof.
    iIntros (Hi Φ) "[#I (Hshut & Hhand & Hr)] HΦ". wp_rec. wp_na_load.
    destruct shut; wp_pures; last by iApply "HΦ"; iFrame.
    iDestruct (private_inv_worker with "I") as "((_ & _ & #Hr' & _) & #Ireq & _)"; first done.
    wp_na_store. wp_load. rewrite /deque_private_free.
    iInv "Ireq" as ">[[Hr2 Hopen]|[Hr2|(%j & _ & Hr2 & _)]]".
    - iCombine "Hr Hr2" as "Hr". wp_store. iModIntro.
      iSplitL "Hr"; first by iRight; iLeft. iApply "HΦ". iFrame.
    - by iDestruct (pointsto_agree with "Hr2 Hr") as %[=].
    - iDestruct (pointsto_agree with "Hr2 Hr") as %[= ?]. lia.
  Qed.

  (** The answer uses the right up. *)
  Local Lemma private_answer_spec γ t n i w j w' (o : option val) :
    γ.(private_workers) !! i = Some w → γ.(private_workers) !! j = Some w' →
    {{{ private_inv γ t n ∗ given_at γ j (option_list o) ∗ right_half γ j (InHand i) }}}
      #w'.(worker_answer) <- answer_to_val o
    {{{ RET #(); token w.(worker_hand) }}}.
  Proof.
    iIntros (Hi Hj Φ) "(#I & Hj & Hr) HΦ".
    iDestruct (private_inv_worker with "I") as "(_ & _ & #Ians)"; first exact Hj.
    iInv "Ians" as ">[(%p & Ha & Hr' & Hp)|[(%o' & %p & _ & Hj' & _)|(%vs & %z & Hj' & _)]]".
    - iDestruct (right_half_agree with "Hr Hr'") as %<-.
      iDestruct "Hp" as (w'' Hw'') "Hhand". assert (w'' = w) as -> by congruence.
      wp_store. iModIntro. iSplitR "HΦ Hhand"; last by iApply "HΦ".
      iRight. iLeft. iExists o, _. iFrame.
    - iDestruct (items_at_exclusive with "Hj Hj'") as %[].
    - iDestruct (items_at_part_exclusive with "Hj Hj'") as %[].
  Qed.

  (** A victim takes the request from its cell: the victim may write the cell, and gets
      the right. *)
  Local Lemma request_take γ t n i w j E :
    γ.(private_workers) !! i = Some w → j < length γ.(private_workers) →
    ↑N .@ "answer" ⊆ E →
    private_inv γ t n -∗ w.(worker_request) ↦{#3/4} #j -∗ right γ j (InCell i) -∗
    token w.(worker_hand) ={E, E ∖ ↑N .@ "answer"}=∗
    w.(worker_request) ↦ #j ∗ |={E ∖ ↑N .@ "answer", E}=> right γ j (InHand i).
  Proof.
    iIntros (Hi Hj HE) "#I Hreq Hright Hhand".
    destruct (lookup_lt_is_Some_2 γ.(private_workers) j) as [w' Hw']; first lia.
    iMod (right_open with "I Hright") as "[Hp Hclose]"; [done..|].
    iDestruct "Hp" as (w'' Hw'') "Hreq'". assert (w'' = w) as -> by congruence.
    iCombine "Hreq Hreq'" as "Hreq". rewrite Qp.three_quarter_quarter. iFrame "Hreq".
    iModIntro. iApply ("Hclose" $! (InHand i)). iExists w. by iFrame.
  Qed.

  Local Lemma private_close_spec γ t n i w shut :
    γ.(private_workers) !! i = Some w →
    {{{ private_inv γ t n ∗ shut_field w shut }}}
      deque_private_close t #w.(worker_block)
    {{{ RET #(); shut_field w true }}}.
  Proof.
    iIntros (Hi Φ) "[#I (Hshut & Hhand & Hr)] HΦ". wp_rec. wp_pures. wp_na_load.
    destruct shut; wp_pures; first by iApply "HΦ"; iFrame.
    iDestruct (private_inv_worker with "I") as "((_ & _ & #Hr' & _) & #Ireq & _)"; first done.
    wp_na_store. wp_load. rewrite /deque_private_shut /deque_private_free.
    wp_bind (Xchg _ _). iInv "Ireq" as ">[[_ Hopen]|[Hr2|(%j & %Hj & Hr2 & Hright)]]".
    - iDestruct (token_exclusive with "Hr Hopen") as %[].
    - wp_xchg. iDestruct "Hr2" as "[Hr1 Hr2]". iModIntro.
      iSplitL "Hr Hr2"; first by iLeft; iFrame. wp_pures. iApply "HΦ". by iFrame.
    - iMod (request_take with "I Hr2 Hright Hhand") as "[Hr2 Hright]"; [done|done|solve_ndisj|].
      wp_xchg. iMod "Hright" as "[Hgiven Hright]".
      iDestruct "Hr2" as "[Hr1 Hr2]". iIntros "!> !>".
      iSplitL "Hr Hr2"; first by iLeft; iFrame. wp_pures.
      rewrite bool_decide_eq_false_2; last (intros [= ?]; lia). wp_pures.
      destruct (lookup_lt_is_Some_2 γ.(private_workers) j) as [w' Hw']; first lia.
      wp_apply (private_worker_spec with "I"); first done. iIntros "_". wp_pures.
      iDestruct (private_inv_worker with "I") as "((_ & _ & _ & #Ha) & _)"; first exact Hw'.
      wp_load. wp_apply (private_answer_spec _ _ _ i w j w' None with "[$I $Hgiven $Hright]");
        [done..|].
      iIntros "Hhand". iApply "HΦ". by iFrame.
  Qed.

  Local Lemma private_hand_over_spec γ t n i w j vs :
    γ.(private_workers) !! i = Some w → j < length γ.(private_workers) →
    {{{ private_inv γ t n ∗ shut_field w false ∗ own_ring γ i w vs }}}
      deque_private_hand_over t #w.(worker_block) #j
    {{{ vs', RET #(); ⌜vs' = vs ∨ vs' = tail vs⌝ ∗
        shut_field w false ∗ own_ring γ i w vs' }}}.
  Proof.
    iIntros (Hi Hj Φ) "(#I & (Hshut & Hhand & Hopen) & Hring & Hown) HΦ". wp_rec. wp_pures.
    iDestruct (private_inv_worker with "I") as "((#Hr0 & #Hri & #Hr1 & _) & #Ireq & _)"; first done.
    wp_load. rewrite /deque_private_free.
    wp_bind (CmpXchg _ _ _).
    iInv "Ireq" as ">[[_ Hopen']|[Hr2|(%k & %Hk & Hr2 & Hgiven)]]".
    { iDestruct (token_exclusive with "Hopen Hopen'") as %[]. }
    { wp_cmpxchg_fail; first (intros [= ?]; lia).
      iModIntro. iSplitL "Hr2"; first by iRight; iLeft. wp_pures.
      iApply "HΦ". iFrame. by iLeft. }
    destruct (decide (k = j)) as [->|Hne]; last first.
    { wp_cmpxchg_fail; first (intros [= ?]; lia).
      iModIntro. iSplitL "Hr2 Hgiven"; first by iRight; iRight; iExists k; iFrame.
      wp_pures. iApply "HΦ". iFrame. by iLeft. }
    iMod (request_take with "I Hr2 Hgiven Hhand") as "[Hr2 Hgiven]"; [done|done|solve_ndisj|].
    wp_cmpxchg_suc. iMod "Hgiven" as "[Hgiven Hright]".
    iIntros "!> !>". iSplitL "Hr2"; first by iRight; iLeft. wp_pures.
    destruct (lookup_lt_is_Some_2 γ.(private_workers) j) as [w' Hw']; first lia.
    wp_apply (private_worker_spec with "I"); first done. iIntros "_". wp_pures.
    iDestruct (private_inv_worker with "I") as "((_ & _ & _ & #Ha) & _)"; first exact Hw'.
    wp_load. wp_apply (ring_take_spec with "[$Hri $Hring]"). iIntros "Hring".
    destruct vs as [|v vs]; simpl; wp_pures.
    - wp_load. wp_apply (private_answer_spec _ _ _ i w j w' None with "[$I $Hgiven $Hright]");
        [done..|].
      iIntros "Hhand". iApply "HΦ". iFrame. by iLeft.
    - wp_load.
      (* The item moves before the answer is written. *)
      iDestruct (private_inv_items with "I") as "#Ii".
      iMod (items_give with "Ii Hown Hgiven") as "[Hown Hgiven]"; first solve_ndisj.
      wp_apply (private_answer_spec _ _ _ i w j w' (Some v) with "[$I $Hgiven $Hright]");
        [done..|].
      iIntros "Hhand". iApply "HΦ". iFrame. by iRight.
  Qed.

  Local Lemma private_respond_spec γ t n i w shut vs :
    γ.(private_workers) !! i = Some w →
    {{{ private_inv γ t n ∗ victim_part γ i w shut vs }}}
      deque_private_respond t #w.(worker_block)
    {{{ shut' vs', RET #(); ⌜vs' = vs ∨ vs' = tail vs⌝ ∗ victim_part γ i w shut' vs' }}}.
  Proof.
    iIntros (Hi Φ) "(#I & %Hne & (Hshut & Hhand & Hr) & Hring) HΦ". wp_rec. wp_pures.
    iDestruct (private_inv_worker with "I") as "((#Hr0 & #Hri & #Hr1 & _) & #Ireq & _)"; first done.
    wp_load. wp_bind (! _)%E.
    iInv "Ireq" as ">[[Hr2 Hopen']|[Hr2|(%j & %Hj & Hr2 & Hgiven)]]".
    - wp_load. iModIntro. iSplitL "Hr2 Hopen'"; first by iLeft; iFrame. wp_pures.
      iApply "HΦ". iFrame. by auto.
    - wp_load. iModIntro. iSplitL "Hr2"; first by iRight; iLeft. wp_pures.
      iApply "HΦ". iFrame. by auto.
    - wp_load. destruct shut.
      { iDestruct (pointsto_agree with "Hr2 Hr") as %[= ?]. lia. }
      iModIntro. iSplitL "Hr2 Hgiven"; first by iRight; iRight; iExists j; iFrame.
      wp_pures. rewrite bool_decide_eq_true_2; last lia. wp_pures.
      wp_apply (private_hand_over_spec with "[$I $Hshut $Hhand $Hr $Hring]"); [done..|].
      iIntros (vs') "(%Hvs' & Hshut & Hring & Hown)". wp_pures. wp_rec. wp_pures. wp_load.
      wp_apply (ring_is_empty_spec with "Hring"). iIntros "Hring".
      case_bool_decide; wp_pures.
      + wp_apply (private_close_spec with "[$I $Hshut]"); first done. iIntros "Hshut".
        iApply "HΦ". by iFrame.
      + iApply "HΦ". by iFrame.
  Qed.

  (** ** The operations of a worker *)

  (** Claim: A worker has one owner. *)
  Lemma private_owner_exclusive γ i vs vs' asked asked' :
    private_owner γ i vs asked -∗ private_owner γ i vs' asked' -∗ False.
  Proof.
    iIntros "(%w & %shut & _ & (_ & _ & _ & H1) & _)".
    iIntros "(%w' & %shut' & _ & (_ & _ & _ & H2) & _)".
    iApply (items_at_exclusive with "H1 H2").
  Qed.

  (** Claim: [workers] returns the number of workers. *)
  Lemma private_workers_spec γ t n :
    {{{ private_inv γ t n }}} deque_private_workers t {{{ RET #n; True }}}.
  Proof.
    iIntros (Φ) "(%l & [-> ->] & #Hl & _) HΦ". wp_rec.
    iDestruct (is_array_len with "Hl") as "#Hlen". rewrite length_fmap.
    by wp_apply (array_length_spec with "Hlen").
  Qed.

  (** Claim: [size] returns exactly the number of the worker's items. *)
  Lemma private_size_spec γ t n i vs asked :
    {{{ private_inv γ t n ∗ private_owner γ i vs asked }}}
      deque_private_size t #i
    {{{ RET #(length vs); private_owner γ i vs asked }}}.
  Proof.
    iIntros (Φ) "[#I (%w & %shut & %Hi & (Hne & Hshut & Hring & Hown) & Hasked)] HΦ".
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    iDestruct (private_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_load. wp_apply (ring_size_spec with "Hring"). iIntros "Hring".
    iApply "HΦ". iExists w, shut. by iFrame.
  Qed.

  (** Claim: [is_empty] says exactly whether the worker has no item. *)
  Lemma private_is_empty_spec γ t n i vs asked :
    {{{ private_inv γ t n ∗ private_owner γ i vs asked }}}
      deque_private_is_empty t #i
    {{{ RET #(bool_decide (vs = [])); private_owner γ i vs asked }}}.
  Proof.
    iIntros (Φ) "[#I (%w & %shut & %Hi & (Hne & Hshut & Hring & Hown) & Hasked)] HΦ".
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    iDestruct (private_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_load. wp_apply (ring_is_empty_spec with "Hring"). iIntros "Hring".
    iApply "HΦ". iExists w, shut. by iFrame.
  Qed.

  (** Claim: [tick] answers a thief, if a thief has asked: the worker's oldest item may
      leave the worker, but the item stays among all items. *)
  Lemma private_tick_spec γ t n i vs asked :
    {{{ private_inv γ t n ∗ private_owner γ i vs asked }}}
      deque_private_tick t #i
    {{{ vs', RET #(); ⌜vs' = vs ∨ vs' = tail vs⌝ ∗ private_owner γ i vs' asked }}}.
  Proof.
    iIntros (Φ) "[#I (%w & %shut & %Hi & Hvictim & Hasked)] HΦ".
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    wp_apply (private_respond_spec with "[$I $Hvictim]"); first done.
    iIntros (shut' vs') "[%Hvs' Hvictim]". iApply "HΦ". iSplitR; first done.
    iExists w, shut'. by iFrame.
  Qed.

  (** Claim: [block] refuses a thief that has asked; the worker keeps its items. *)
  Lemma private_block_spec γ t n i vs asked :
    {{{ private_inv γ t n ∗ private_owner γ i vs asked }}}
      deque_private_block t #i
    {{{ RET #(); private_owner γ i vs asked }}}.
  Proof.
    iIntros (Φ) "[#I (%w & %shut & %Hi & (Hne & Hshut & Hring) & Hasked)] HΦ".
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    wp_apply (private_close_spec with "[$I $Hshut]"); first done. iIntros "Hshut".
    iApply "HΦ". iExists w, true. by iFrame.
  Qed.

  (** Claim: [unblock] lets thieves ask again, if the worker has an item to give;
      [unblock] moves no item. *)
  Lemma private_unblock_spec γ t n i vs asked :
    {{{ private_inv γ t n ∗ private_owner γ i vs asked }}}
      deque_private_unblock t #i
    {{{ RET #(); private_owner γ i vs asked }}}.
  Proof.
    iIntros (Φ) "[#I (%w & %shut & %Hi & (%Hne & Hshut & Hring & Hown) & Hasked)] HΦ".
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    iDestruct (private_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_pures. wp_load. wp_apply (ring_is_empty_spec with "Hring"). iIntros "Hring".
    case_bool_decide; wp_pures.
    - iModIntro. iApply "HΦ". iExists w, shut. by iFrame.
    - wp_apply (private_open_spec with "[$I $Hshut]"); first done. iIntros "Hshut".
      iApply "HΦ". iExists w, false. by iFrame.
  Qed.

  (** Claim: [push] adds an item, as the newest of the worker that pushes; afterwards
      the oldest item may be on its way to a thief. *)
  Lemma private_push_spec γ t n i vs asked v :
    private_inv γ t n -∗ private_owner γ i vs asked -∗
    <<{ ∀∀ M, private_model γ M }>>
      deque_private_push t #i v @ ↑N
    <<{ private_model γ ({[+ v +]} ⊎ M)
      | RET #(); ∃ vs', ⌜vs' = vs ++ [v] ∨ vs' = tail (vs ++ [v])⌝ ∗
                        private_owner γ i vs' asked }>>.
  Proof.
    iIntros "#I (%w & %shut & %Hi & (_ & Hshut & Hring & Hown) & Hasked) %Φ AU".
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    iDestruct (private_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_pures. wp_load. wp_apply (ring_push_spec with "[$Hri $Hring]"). iIntros "Hring".
    iDestruct (private_inv_items with "I") as "#Ii".
    iMod (items_add with "Ii Hown [AU]") as "[Hown HΦ]".
    { iMod "AU" as (M) "[HM [_ Hclose]]". iModIntro. iExists M. iFrame "HM". iApply "Hclose". }
    wp_pures. wp_apply (private_open_spec with "[$I $Hshut]"); first done.
    iIntros "Hshut". wp_pures.
    wp_apply (private_respond_spec with "[$I $Hshut $Hring $Hown]"); first done.
    { iPureIntro. by intros _ []%app_eq_nil. }
    iIntros (shut' vs') "[%Hvs' Hvictim]". iApply "HΦ". iExists vs'. iSplitR; first done.
    iExists w, shut'. by iFrame.
  Qed.

  (** Claim: [pop] takes the worker's newest item; [pop] returns no item only if the
      worker had no item. *)
  Lemma private_pop_spec γ t n i vs asked :
    private_inv γ t n -∗ private_owner γ i vs asked -∗
    <<{ ∀∀ M, private_model γ M }>>
      deque_private_pop t #i @ ↑N
    <<{ ∃∃ M', ⌜M = multiset_of (option_list (last vs)) ⊎ M'⌝ ∗ private_model γ M'
      | vs', RET option_to_val (last vs);
        ⌜vs' = removelast vs ∨ vs' = tail (removelast vs)⌝ ∗
        private_owner γ i vs' asked }>>.
  Proof.
    iIntros "#I (%w & %shut & %Hi & (%Hne & Hshut & Hring & Hown) & Hasked) %Φ AU".
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    iDestruct (private_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_pures. wp_load. wp_apply (ring_pop_spec with "[$Hri $Hring]"). iIntros "Hring".
    iDestruct (private_inv_items with "I") as "#Ii".
    iMod (items_take _ _ _ _ _ (last vs) with "Ii Hown [AU]") as "[Hown HΦ]";
      first apply newest_perm.
    { iMod "AU" as (M) "[HM [_ Hclose]]". iModIntro. iExists M. iFrame "HM".
      iIntros (M' HM) "HM". iApply ("Hclose" $! M'). by iFrame. }
    destruct vs as [|v vs _] using rev_ind.
    - simpl. wp_pures. iModIntro. iApply "HΦ". iSplitR; first by iLeft.
      iExists w, shut. by iFrame.
    - rewrite last_snoc removelast_last.
      simpl. wp_pures. wp_load. wp_apply (ring_is_empty_spec with "Hring").
      iIntros "Hring". case_bool_decide as Hvs; wp_pures.
      + wp_apply (private_close_spec with "[$I $Hshut]"); first done. iIntros "Hshut".
        wp_pures. iModIntro. iApply ("HΦ" $! vs). iSplitR; first by iLeft.
        iExists w, true. iFrame. by iPureIntro.
      + wp_apply (private_respond_spec with "[$I $Hshut $Hring $Hown]"); first done.
        { by iPureIntro. }
        iIntros (shut' vs') "[%Hvs' Hvictim]". wp_pures. iModIntro. iApply "HΦ".
        iSplitR; first done. iExists w, shut'. by iFrame.
  Qed.

  (** Claim: [oldest] takes the worker's oldest item; [oldest] returns no item only if
      the worker had no item. *)
  Lemma private_oldest_spec γ t n i vs asked :
    private_inv γ t n -∗ private_owner γ i vs asked -∗
    <<{ ∀∀ M, private_model γ M }>>
      deque_private_oldest t #i @ ↑N
    <<{ ∃∃ M', ⌜M = multiset_of (option_list (head vs)) ⊎ M'⌝ ∗ private_model γ M'
      | vs', RET option_to_val (head vs);
        ⌜vs' = tail vs ∨ vs' = tail (tail vs)⌝ ∗ private_owner γ i vs' asked }>>.
  Proof.
    iIntros "#I (%w & %shut & %Hi & (%Hne & Hshut & Hring & Hown) & Hasked) %Φ AU".
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    iDestruct (private_inv_worker with "I") as "((#Hr0 & #Hri & _) & _)"; first done.
    wp_pures. wp_load. wp_apply (ring_take_spec with "[$Hri $Hring]"). iIntros "Hring".
    iDestruct (private_inv_items with "I") as "#Ii".
    iMod (items_take _ _ _ _ _ (head vs) with "Ii Hown [AU]") as "[Hown HΦ]";
      first apply oldest_perm.
    { iMod "AU" as (M) "[HM [_ Hclose]]". iModIntro. iExists M. iFrame "HM".
      iIntros (M' HM) "HM". iApply ("Hclose" $! M'). by iFrame. }
    destruct vs as [|v vs].
    - simpl. wp_pures. iModIntro. iApply "HΦ". iSplitR; first by iLeft.
      iExists w, shut. by iFrame.
    - simpl. wp_pures. wp_load. wp_apply (ring_is_empty_spec with "Hring").
      iIntros "Hring". case_bool_decide as Hvs; wp_pures.
      + wp_apply (private_close_spec with "[$I $Hshut]"); first done. iIntros "Hshut".
        wp_pures. iModIntro. iApply ("HΦ" $! vs). iSplitR; first by iLeft.
        iExists w, true. iFrame. by iPureIntro.
      + wp_apply (private_respond_spec with "[$I $Hshut $Hring $Hown]"); first done.
        { by iPureIntro. }
        iIntros (shut' vs') "[%Hvs' Hvictim]". wp_pures. iModIntro. iApply "HΦ".
        iSplitR; first done. iExists w, shut'. by iFrame.
  Qed.

  (** ** The thief *)

  (** Claim: [may_have] is a hint; any thread may safely call [may_have]. *)
  Lemma private_may_have_spec γ t n i :
    i < n →
    {{{ private_inv γ t n }}} deque_private_may_have t #i {{{ (b : bool), RET #b; True }}}.
  Proof.
    iIntros (Hi Φ) "#I HΦ". iPoseProof "I" as "(%l & [_ ->] & _)".
    destruct (lookup_lt_is_Some_2 γ.(private_workers) i) as [w Hw]; first lia.
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    iDestruct (private_inv_worker with "I") as "((_ & _ & #Hr1 & _) & #Ireq & _)"; first done.
    wp_pures. wp_load. wp_bind (! _)%E. rewrite /deque_private_shut.
    iInv "Ireq" as ">[[Hr2 Hopen']|[Hr2|(%j & %Hj & Hr2 & Hgiven)]]"; wp_load; iModIntro.
    - iSplitL "Hr2 Hopen'"; first by iLeft; iFrame. wp_pures. by iApply "HΦ".
    - iSplitL "Hr2"; first by iRight; iLeft. wp_pures. by iApply "HΦ".
    - iSplitL "Hr2 Hgiven"; first by iRight; iRight; iExists j; iFrame.
      wp_pures. by iApply "HΦ".
  Qed.

  (** Claim: [waits_for_answer] says whether the worker has left a request, and has not
      yet collected the answer. *)
  Lemma private_waits_for_answer_spec γ t n i vs asked :
    {{{ private_inv γ t n ∗ private_owner γ i vs asked }}}
      deque_private_waits_for_answer t #i
    {{{ RET #(bool_decide (asked ≠ None)); private_owner γ i vs asked }}}.
  Proof.
    iIntros (Φ) "[#I (%w & %shut & %Hi & Hvictim & Hasked & Hgiven)] HΦ".
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    wp_na_load. rewrite /deque_private_nobody. wp_pures. iModIntro.
    rewrite (bool_decide_ext (asked ≠ None) (#(asked_to_Z asked) ≠ #(-1))).
    - rewrite bool_decide_not. iApply "HΦ". iExists w, shut. by iFrame.
    - destruct asked as [j|]; simpl; split; try done. intros _ [= ?]. lia.
  Qed.

  (** Worker [i] has asked, and the answer is an item or no item.  The item is still to be
      taken out of the model. *)
  Local Definition collected γ i w (o : option val) asked : iProp Σ :=
    match o with
    | Some v => ⌜asked = None⌝ ∗ (w.(worker_block) +ₗ 4) ↦na #(-1) ∗
        given_at γ i [v] ∗ right_half γ i AtHome
    | None => asked_field γ i w asked
    end.

  Local Lemma private_reset_spec γ t n i w a vs p :
    γ.(private_workers) !! i = Some w →
    {{{ private_inv γ t n ∗ w.(worker_answer) ↦ a ∗ given_part γ i vs ∗
        right_half γ i p ∗ right_half γ i p ∗ token w.(worker_waits) }}}
      #w.(worker_answer) <- InjLV #0
    {{{ v, RET #(); (w.(worker_block) +ₗ 4) ↦na v ∗ given_at γ i vs ∗
        right_half γ i AtHome }}}.
  Proof.
    iIntros (Hi Φ) "(#I & Ha & Hpart & Hr & Hr' & Hwaits) HΦ".
    iDestruct (private_inv_worker with "I") as "(_ & _ & #Ians)"; first done.
    iMod (right_half_update _ _ _ _ AtHome with "Hr Hr'") as "[Hr Hr']".
    iApply wp_fupd. wp_store.
    iInv "Ians" as ">[(%p' & Ha' & _)|[(%o & %p' & Ha' & _)|(%vs' & %v & Hpart' & Hasked)]]".
    - by iDestruct (pointsto_ne with "Ha Ha'") as %?.
    - by iDestruct (pointsto_ne with "Ha Ha'") as %?.
    - iDestruct (items_part_agree with "Hpart Hpart'") as %<-.
      iModIntro. iSplitL "Ha Hr' Hwaits"; first by iLeft; iExists AtHome; iFrame.
      iModIntro. iApply "HΦ". iFrame "Hasked Hr".
      iApply items_at_split. iFrame.
  Qed.

  Local Lemma private_collect_spec γ t n i w j :
    γ.(private_workers) !! i = Some w →
    {{{ private_inv γ t n ∗ asked_field γ i w (Some j) }}}
      deque_private_collect #w.(worker_block)
    {{{ o asked', RET option_to_val o;
        ⌜asked' = None ∨ asked' = Some j⌝ ∗ collected γ i w o asked' }}}.
  Proof.
    iIntros (Hi Φ) "(#I & Hasked & %Hj & Hwaits) HΦ". wp_rec. wp_pures.
    iDestruct (private_inv_worker with "I") as "((_ & _ & _ & #Ha) & _ & #Ians)"; first done.
    wp_load. wp_bind (! _)%E. rewrite /deque_private_nobody.
    iInv "Ians" as ">[(%p & Hans & Hr)|[(%o & %p & Hans & Hgiven & Hr & Hr')|(%vs & %z & _ & Hasked')]]".
    - wp_load. iModIntro. iSplitL "Hans Hr"; first by iLeft; iExists p; iFrame. wp_pures.
      iModIntro. iApply ("HΦ" $! None (Some j)). iSplitR; first by iRight.
      simpl. by iFrame.
    - wp_load. iDestruct (items_at_split with "Hgiven") as "[Hpart1 Hpart2]".
      iModIntro. iSplitL "Hasked Hpart1"; first by iRight; iRight; iExists _, _; iFrame.
      destruct o as [v|]; simpl; wp_pures; wp_load;
        (wp_apply (private_reset_spec with "[$I $Hans $Hpart2 $Hr $Hr' $Hwaits]"); first done);
        iIntros (z) "(Hasked & Hgiven & Hr)"; wp_na_store; try wp_pures; iModIntro.
      + iApply ("HΦ" $! (Some v) None). iSplitR; first by iLeft. iSplitR; first done.
        iFrame "Hasked Hr". iApply "Hgiven".
      + iApply ("HΦ" $! None None). iSplitR; first by iLeft.
        iFrame "Hasked Hr". iApply "Hgiven".
    - iDestruct (na_pointsto_exclusive with "Hasked Hasked'") as %[].
  Qed.

  Local Lemma private_take_back_spec γ t n i w j :
    γ.(private_workers) !! i = Some w →
    {{{ private_inv γ t n ∗ asked_field γ i w (Some j) }}}
      deque_private_take_back t #i #w.(worker_block)
    {{{ o asked', RET option_to_val o;
        ⌜asked' = None ∨ asked' = Some j⌝ ∗ collected γ i w o asked' }}}.
  Proof.
    iIntros (Hi Φ) "(#I & Hasked & %Hj & Hwaits) HΦ". wp_rec. wp_pures. wp_na_load.
    destruct (lookup_lt_is_Some_2 γ.(private_workers) j) as [w' Hw']; first lia.
    wp_apply (private_worker_spec with "I"); first done. iIntros "_". wp_pures.
    iDestruct (private_inv_worker with "I") as "((_ & _ & #Hr1 & _) & #Ireq & _)";
      first exact Hw'.
    wp_load. rewrite /deque_private_free /deque_private_nobody. wp_bind (CmpXchg _ _ _).
    iInv "Ireq" as ">[[Hr2 Hopen]|[Hr2|(%k & %Hk & Hr2 & Hgiven)]]".
    - wp_cmpxchg_fail; first (intros [= ?]; lia).
      iModIntro. iSplitL "Hr2 Hopen"; first by iLeft; iFrame. wp_pures.
      iApply (private_collect_spec with "[$I $Hasked $Hwaits //]"); first done. done.
    - wp_cmpxchg_fail; first (intros [= ?]; lia).
      iModIntro. iSplitL "Hr2"; first by iRight; iLeft. wp_pures.
      iApply (private_collect_spec with "[$I $Hasked $Hwaits //]"); first done. done.
    - destruct (decide (k = i)) as [->|Hne].
      + iMod (right_open with "I Hgiven") as "[(%w'' & %Hw'' & Hr3) Hclose]";
          [done|solve_ndisj|]. assert (w'' = w') as -> by congruence.
        iCombine "Hr2 Hr3" as "Hr2". rewrite Qp.three_quarter_quarter. wp_cmpxchg_suc.
        iMod ("Hclose" $! AtHome with "Hwaits") as "Hgiven".
        iIntros "!> !>". iSplitL "Hr2"; first by iRight; iLeft.
        wp_pures. wp_na_store. iModIntro.
        iApply ("HΦ" $! None None). iSplitR; first by iLeft. simpl. by iFrame.
      + wp_cmpxchg_fail; first (intros [= ?]; lia).
        iModIntro. iSplitL "Hr2 Hgiven"; first by iRight; iRight; iExists k; iFrame.
        wp_pures. iApply (private_collect_spec with "[$I $Hasked $Hwaits //]"); first done. done.
  Qed.

  Local Lemma private_ask_spec γ t n i w j :
    γ.(private_workers) !! i = Some w → j < n →
    {{{ private_inv γ t n ∗ asked_field γ i w None }}}
      deque_private_ask t #i #w.(worker_block) #j
    {{{ asked', RET #(); ⌜asked' = None ∨ asked' = Some j⌝ ∗ asked_field γ i w asked' }}}.
  Proof.
    iIntros (Hi Hj Φ) "(#I & Hasked & Hi) HΦ". iPoseProof "I" as "(%l & [_ ->] & _)".
    destruct (lookup_lt_is_Some_2 γ.(private_workers) j) as [w' Hw']; first lia.
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done.
    iIntros "_". wp_pures.
    iDestruct (private_inv_worker with "I") as "((_ & _ & #Hr1 & _) & #Ireq & _)";
      first exact Hw'.
    wp_load. rewrite /deque_private_free. wp_bind (! _)%E.
    iAssert (|={⊤, ⊤ ∖ ↑N .@ "request"}=> ∃ (r : Z) q, w'.(worker_request) ↦{q} #r ∗
      (w'.(worker_request) ↦{q} #r ={⊤ ∖ ↑N .@ "request", ⊤}=∗ True))%I as "Hread".
    { iInv "Ireq" as ">[[Hr2 Hopen]|[Hr2|(%k & %Hk & Hr2 & Hgiven)]]" "Hclose".
      - iModIntro. iExists _, _. iFrame "Hr2". iIntros "Hr2". iApply "Hclose".
        iLeft. iFrame.
      - iModIntro. iExists _, _. iFrame "Hr2". iIntros "Hr2". iApply "Hclose".
        iRight. by iLeft.
      - iModIntro. iExists _, _. iFrame "Hr2". iIntros "Hr2". iApply "Hclose".
        iRight. iRight. iExists k. by iFrame. }
    iMod "Hread" as (r q) "[Hr2 Hclose]". wp_load.
    iMod ("Hclose" with "Hr2") as "_". iModIntro. wp_pures.
    case_bool_decide as Hr; wp_pures; last (iApply ("HΦ" $! None); iFrame; by iLeft).
    wp_load. wp_bind (CmpXchg _ _ _).
    iInv "Ireq" as ">[[Hr2 Hopen]|[Hr2|(%k & %Hk & Hr2 & Hgiven)]]".
    - wp_cmpxchg_fail. iModIntro. iSplitL "Hr2 Hopen"; first by iLeft; iFrame.
      wp_pures. iApply ("HΦ" $! None). iFrame. by iLeft.
    - wp_cmpxchg_suc.
      iMod (right_open with "I Hi") as "[Hwaits Hclose]"; [done|solve_ndisj|].
      iEval (rewrite -Qp.three_quarter_quarter) in "Hr2". iDestruct "Hr2" as "[Hr2 Hr3]".
      iMod ("Hclose" $! (InCell j) with "[Hr3]") as "Hi"; first by iExists w'; iFrame.
      iModIntro. iSplitL "Hr2 Hi".
      { iRight. iRight. iExists i. iFrame. iPureIntro.
        apply lookup_lt_Some in Hi. lia. }
      wp_pures. wp_na_store. iModIntro. iApply ("HΦ" $! (Some j)). iSplitR; first by iRight.
      simpl. by iFrame.
    - wp_cmpxchg_fail; first (intros [= ?]; lia).
      iModIntro. iSplitL "Hr2 Hgiven"; first by iRight; iRight; iExists k; iFrame.
      wp_pures. iApply ("HΦ" $! None). iFrame. by iLeft.
  Qed.

  (** The collected item leaves the model. *)
  Local Lemma private_finish γ t n i w o asked Φ :
    private_inv γ t n -∗ collected γ i w o asked -∗
    (|={⊤ ∖ ↑N, ∅}=> ∃ M, private_model γ M ∗
       (∀ M', ⌜M = multiset_of (option_list o) ⊎ M'⌝ -∗ private_model γ M'
          ={∅, ⊤ ∖ ↑N}=∗ Φ)) ={⊤}=∗
    asked_field γ i w asked ∗ Φ.
  Proof.
    iIntros "#I Hcol AU". iDestruct (private_inv_items with "I") as "#Ii".
    destruct o as [v|]; simpl.
    - iDestruct "Hcol" as "(-> & Hasked & Hgiven & Hr)".
      iMod (items_take _ _ _ _ _ (Some v) [] with "Ii Hgiven AU") as "[Hgiven $]"; first done.
      iModIntro. by iFrame.
    - iMod (items_take_none with "AU") as "$". by iFrame.
  Qed.

  (** Claim: [withdraw] takes a request back or collects the answer to the request,
      never both; otherwise the answer is still to come. *)
  Lemma private_withdraw_spec γ t n i vs asked :
    private_inv γ t n -∗ private_owner γ i vs asked -∗
    <<{ ∀∀ M, private_model γ M }>>
      deque_private_withdraw t #i @ ↑N
    <<{ ∃∃ o M', ⌜M = multiset_of (option_list o) ⊎ M'⌝ ∗ private_model γ M'
      | asked', RET option_to_val o;
        ⌜asked' = None ∨ o = None ∧ asked' = asked⌝ ∗ private_owner γ i vs asked' }>>.
  Proof.
    iIntros "#I (%w & %shut & %Hi & Hvictim & Hasked) %Φ AU".
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    iDestruct "Hasked" as "[Hasked Hgiven]". wp_na_load.
    rewrite /deque_private_nobody. wp_pures. iApply wp_fupd.
    iApply (wp_wand _ _ _ (λ r, ∃ o asked', ⌜r = option_to_val o⌝ ∗
      ⌜asked' = None ∨ asked' = asked⌝ ∗ collected γ i w o asked')%I
      with "[Hasked Hgiven]").
    { destruct asked as [j|]; simpl.
      - rewrite bool_decide_eq_false_2; last (intros [= ?]; lia). wp_pures.
        wp_apply (private_take_back_spec _ _ _ _ _ j with "[$I $Hasked $Hgiven]");
          first done.
        iIntros (o asked') "[% H]". iExists o, asked'. by iFrame.
      - wp_pures. iModIntro. iExists None, None. iSplitR; first done.
        iSplitR; first by iLeft. iFrame. }
    iIntros (r) "(%o & %asked' & -> & %Hasked' & Hcol)".
    iAssert (⌜asked' = None ∨ o = None⌝)%I as %Hnone.
    { destruct o; simpl; last by iRight. iDestruct "Hcol" as "[-> _]". by iLeft. }
    iMod (private_finish with "I Hcol [AU]") as "[Hasked HΦ]".
    { iMod "AU" as (M) "[HM [_ Hclose]]". iModIntro. iExists M. iFrame "HM".
      iIntros (M' HM) "HM". iApply ("Hclose" $! o M'). by iFrame. }
    iModIntro. iApply ("HΦ" $! asked'). iSplitR; first (iPureIntro; naive_solver).
    iExists w, shut. by iFrame.
  Qed.

  (** Claim: [steal] returns an item that was given to the thief, and the item leaves
      the set of all items at that moment; or [steal] returns no item, and then the
      thief may wait for an answer of the named victim. *)
  Lemma private_steal_spec γ t n i vs asked j :
    j < n →
    private_inv γ t n -∗ private_owner γ i vs asked -∗
    <<{ ∀∀ M, private_model γ M }>>
      deque_private_steal t #i #j @ ↑N
    <<{ ∃∃ o M', ⌜M = multiset_of (option_list o) ⊎ M'⌝ ∗ private_model γ M'
      | asked', RET option_to_val o;
        ⌜asked' = None ∨ o = None ∧ (asked' = asked ∨ asked' = Some j)⌝ ∗
        private_owner γ i vs asked' }>>.
  Proof.
    iIntros (Hj) "#I (%w & %shut & %Hi & Hvictim & Hasked) %Φ AU".
    wp_rec. wp_pures. wp_apply (private_worker_spec with "I"); first done. iIntros "_".
    wp_pures. rewrite /deque_private_nobody. wp_bind (If _ _ _).
    iApply (wp_wand _ _ _ (λ r, ∃ o asked', ⌜r = option_to_val o⌝ ∗
      ⌜asked' = None ∨ asked' = asked⌝ ∗ collected γ i w o asked')%I
      with "[Hasked]").
    { iDestruct "Hasked" as "[Hasked Hgiven]". wp_na_load. wp_pures.
      destruct asked as [k|]; simpl.
      - rewrite bool_decide_eq_false_2; last (intros [= ?]; lia). wp_pures.
        wp_na_load. wp_pures. case_bool_decide; wp_pures.
        + wp_apply (private_collect_spec _ _ _ _ _ k with "[$I $Hasked $Hgiven]");
            first done.
          iIntros (o asked') "[% H]". iExists o, asked'. by iFrame.
        + wp_apply (private_take_back_spec _ _ _ _ _ k with "[$I $Hasked $Hgiven]");
            first done.
          iIntros (o asked') "[% H]". iExists o, asked'. by iFrame.
      - wp_pures. iModIntro. iExists None, None. iSplitR; first done.
        iSplitR; first by iLeft. iFrame. }
    iIntros (r) "(%o & %asked' & -> & %Hasked' & Hcol)".
    destruct o as [v|]; simpl; wp_pures.
    - iAssert (⌜asked' = None⌝)%I as %->; first by iDestruct "Hcol" as "[$ _]".
      iMod (private_finish _ _ _ _ _ (Some v) with "I Hcol [AU]") as "[Hasked HΦ]".
      { iMod "AU" as (M) "[HM [_ Hclose]]". iModIntro. iExists M. iFrame "HM".
        iIntros (M' HM) "HM". iApply ("Hclose" $! (Some v) M'). by iFrame. }
      iModIntro. iApply ("HΦ" $! None). iSplitR; first by iLeft.
      iExists w, shut. by iFrame.
    - wp_bind (If _ _ _).
      iApply (wp_wand _ _ _ (λ _, ∃ asked'',
        ⌜asked'' = None ∨ asked'' = asked ∨ asked'' = Some j⌝ ∗
        asked_field γ i w asked'')%I with "[Hcol]").
      { iDestruct "Hcol" as "[Hasked Hgiven]". wp_na_load. wp_pures.
        destruct asked' as [k|]; simpl.
        - rewrite bool_decide_eq_false_2; last (intros [= ?]; lia). wp_pures.
          iModIntro. iExists (Some k). iFrame. iPureIntro. naive_solver.
        - wp_pures. wp_apply (private_ask_spec with "[$I $Hasked $Hgiven]"); [done..|].
          iIntros (asked'') "[% H]". iExists asked''. iFrame. iPureIntro. naive_solver. }
      iIntros (?) "(%asked'' & %Hasked'' & Hcol)". wp_pures.
      iMod (private_finish _ _ _ _ _ None with "I Hcol [AU]") as "[Hasked HΦ]".
      { iMod "AU" as (M) "[HM [_ Hclose]]". iModIntro. iExists M. iFrame "HM".
        iIntros (M' HM) "HM". iApply ("Hclose" $! None M'). by iFrame. }
      iModIntro. iApply ("HΦ" $! asked''). iSplitR; first (iPureIntro; naive_solver).
      iExists w, shut. by iFrame.
  Qed.

  (** ** All workers *)

  Lemma private_owner_model γ t n i vs asked M E :
    ↑N ⊆ E →
    private_inv γ t n -∗ private_owner γ i vs asked -∗ private_model γ M ={E}=∗
    ⌜multiset_of vs ⊆ M⌝ ∗ private_owner γ i vs asked ∗ private_model γ M.
  Proof.
    iIntros (?) "(%l & _ & _ & _ & #I) (%w & %shut & H & (Hne & Hs & Hr & Hown) & Ha) HM".
    iInv "I" as ">Hi". iDestruct (items_at_model with "Hi Hown HM") as %?.
    iModIntro. iFrame "Hi". iModIntro. iFrame "HM". iSplitR; first done.
    iExists w, shut. iFrame.
  Qed.

  (** Claim: If no worker has an item or waits for an answer, no item is left. *)
  Lemma private_model_empty γ t n M E :
    ↑N ⊆ E →
    private_inv γ t n -∗ ([∗ list] i ∈ seq 0 n, private_owner γ i [] None) -∗
    private_model γ M ={E}=∗
    ⌜M = ∅⌝ ∗ ([∗ list] i ∈ seq 0 n, private_owner γ i [] None) ∗ private_model γ M.
  Proof.
    iIntros (?) "(%l & _ & _ & _ & #I) Hall HM". iInv "I" as ">Hi".
    iAssert (⌜M = ∅⌝)%I as %Hempty; last by iModIntro; iFrame.
    iApply (items_model_empty with "Hi [Hall] HM").
    rewrite places_sep. iApply (big_sepL_impl with "Hall"). iIntros "!> %k %i _".
    iIntros "(%w & %shut & _ & (_ & _ & _ & $) & _ & $ & _)".
  Qed.

  (** ** Creation *)

  Local Definition worker_fresh w : iProp Σ :=
    worker_fields w ∗ ring_model w.(worker_ring) [] ∗
    w.(worker_request) ↦ #(-2) ∗ w.(worker_answer) ↦ InjLV #0 ∗
    (w.(worker_block) +ₗ 3) ↦na #true ∗ (w.(worker_block) +ₗ 4) ↦na #(-1) ∗
    token w.(worker_open) ∗ ghost_var w.(worker_right) 1 AtHome ∗
    token w.(worker_waits) ∗ token w.(worker_hand).

  (** Claim: New deques hold no item, each worker has its own deque, and no worker
      waits for an answer. *)
  Lemma private_create_spec n (dummy : val) :
    {{{ True }}} deque_private_create #n dummy
    {{{ t γ, RET t;
        private_inv γ t n ∗ private_model γ ∅ ∗
        [∗ list] i ∈ seq 0 n, private_owner γ i [] None }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures. iApply wp_fupd.
    wp_apply (array_init_spec (λ _ vs, ∃ ws, ⌜vs = block_to_val <$> ws⌝ ∗
      [∗ list] w ∈ ws, worker_fresh w)%I); [lia| |].
    { iSplitR; first (iExists []; by iSplit).
      iIntros "!> %i %vs _ _ (%ws & -> & Hws)". wp_pures.
      rewrite /deque_private_initial_capacity /deque_private_shut /deque_private_nobody.
      wp_apply ring_create_spec; first done. iIntros (ring) "[#Hri Hring]". wp_pures.
      wp_alloc req as "Hreq". wp_pures. wp_alloc ans as "Hans". wp_pures.
      iApply wp_fupd. wp_apply block5_spec; first done.
      iIntros (l) "(H0 & H1 & H2 & H3 & H4 & _)".
      iMod (pointsto_persist with "H0") as "#H0".
      iMod (pointsto_persist with "H1") as "#H1".
      iMod (pointsto_persist with "H2") as "#H2".
      iMod token_alloc as (γo) "Hopen". iMod token_alloc as (γw) "Hwaits".
      iMod token_alloc as (γh) "Hhand". iMod (ghost_var_alloc AtHome) as (γr) "Hright".
      iModIntro. set (w := PrivateWorker l ring req ans γo γr γw γh).
      iExists (ws ++ [w]). rewrite fmap_app big_sepL_snoc. iFrame "Hws".
      iSplitR; first done. by iFrame "∗ #". }
    iIntros (l vs) "(%Hlen & Hl & _ & %ws & -> & Hws)". rewrite Nat2Z.id length_fmap in Hlen.
    subst n. iMod (is_array_persist with "Hl") as "#Hl".
    iMod (worker_items_alloc N ws) as (γi) "(#Ii & HM & Hat)".
    set (γ := PrivateNames γi ws).
    iDestruct (big_sepL_sep_2 with "Hws Hat") as "Hws".
    iAssert (|={⊤}=> [∗ list] i ↦ w ∈ ws,
      worker_inv γ i w ∗ private_owner γ i [] None)%I with "[Hws]" as ">Hws".
    { iApply big_sepL_fupd. iApply (big_sepL_impl with "Hws"). iIntros "!> %i %w %Hw".
      iIntros "[(#Hfields & Hring & [Hr1 Hr2] & Ha & H3 & H4 & Hopen & [Hv1 Hv2] & Hwaits &
        Hhand) [Hown Hgiven]]".
      iMod (inv_alloc (N .@ "request") _ (request_state γ i w) with "[Hr1 Hopen]") as "#Ir".
      { iLeft. iFrame. }
      iMod (inv_alloc (N .@ "answer") _ (answer_state γ i w) with "[Ha Hv1 Hwaits]") as "#Ia".
      { iLeft. iExists AtHome. iFrame "Ha Hwaits". iExists w. by iFrame. }
      iModIntro. iSplitR; first by iFrame "#". iExists w, true.
      iFrame "Hr2 Hring H3 H4 Hown Hhand Hgiven". iSplitR; first done. iSplitR; first done.
      iExists w. by iFrame. }
    iDestruct (big_sepL_sep with "Hws") as "[#Hinv Howners]".
    iModIntro. iApply ("HΦ" $! _ γ). iFrame "HM". iSplitR.
    - iExists l. iFrame "#". done.
    - by rewrite big_sepL_seq_indices.
  Qed.
End private.

Global Typeclasses Opaque private_inv private_model private_owner.
