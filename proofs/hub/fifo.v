(** The FIFO hub: the proof that lib/kernel/hub/fifo.ml is a hub ([hub_spec.v]).

    The model is what stands in the shared queue, for anybody, and in the inboxes of
    the lanes, each for its own worker. An operation acts on one of these queues at
    its instant: a [push] or [submit] where the shared queue does, a [submit_to] where
    the inbox does. A [pop] or [steal] may look at two; it is linearised where it takes
    a value, and when it takes none, anywhere. When nobody else acts, a [steal] that
    finds nothing has found the shared queue and its inbox empty: what is left is in the
    inboxes of others. What such a steal tells when others do act is in
    [fifo_conserving.v]; for its sake the owner of a lane may remember that its inbox is
    not empty ([fifo_knows]), since nobody else pops it.

    The plain fields of a lane, and its array of the nodes that are remembered, belong
    to whoever acts as this worker ([fifo_owner]), so that no access to them races. Of
    a node that is remembered, by [bottom <= k < top], it is known for ever which value
    it was pushed with; hence a [retract] that finds there the task that it looks for,
    and then erases the node, takes this task and nothing else. Its linearisation point
    is the erasure; one that finds nothing has no need of any. A slot that is outside of
    these bounds is never read. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import erasable_code queue_code erasable queue.
From dromos.hub Require Import hub_code fifo_code hub_spec.

(** The shared queue, and the lanes: the block of each, its inbox, and the name of
    what its owner knows of it. *)
Notation fifo_lane_names := (loc * (queue_names * gname))%type.
Record fifo_names := FifoNames {
  fifo_name_shared : erasable_names;
  fifo_name_lanes : list fifo_lane_names;
}.

(** What the queues contain, as items: [ys] is the shared one, whose values are
    numbered. *)
Definition fifo_cell (y : nat * loc) : nat * val := (y.1, #y.2).
Definition fifo_loc_val (l : loc) : val := #l.
Fixpoint fifo_inbox_items (i : nat) (qss : list (list loc)) : list hub_item :=
  match qss with
  | [] => []
  | qs :: qss => ((λ l, (l, Some i)) <$> qs) ++ fifo_inbox_items (S i) qss
  end.
Definition fifo_shared_items (ys : list (nat * loc)) : list hub_item :=
  (λ y, (y.2, None)) <$> ys.
Definition fifo_items (ys : list (nat * loc)) (qss : list (list loc)) : hub_items :=
  list_to_set_disj (fifo_shared_items ys ++ fifo_inbox_items 0 qss).

Lemma fifo_inbox_items_insert k i qs qs' qss l :
  qss !! i = Some qs → qs' ≡ₚ l :: qs →
  fifo_inbox_items k (<[i := qs']> qss) ≡ₚ (l, Some (k + i)) :: fifo_inbox_items k qss.
Proof.
  revert k i. induction qss as [|qs0 qss IH]=> k i Hi Hqs; first done.
  destruct i as [|i]; simpl in *.
  - injection Hi as ->. by rewrite Hqs Nat.add_0_r.
  - rewrite (IH (S k) i) //. rewrite Nat.add_succ_r -Permutation_middle. done.
Qed.
Lemma fifo_inbox_items_elem k qss x :
  x ∈ fifo_inbox_items k qss →
  ∃ j qs l, qss !! j = Some qs ∧ l ∈ qs ∧ x = (l, Some (k + j)).
Proof.
  revert k. induction qss as [|qs qss IH]=> k /=; first by intros ?%elem_of_nil.
  intros [(l & -> & Hl)%elem_of_list_fmap|Hx]%elem_of_app.
  - exists 0, qs, l. by rewrite Nat.add_0_r.
  - destruct (IH (S k) Hx) as (j & qs' & l & ? & ? & ->).
    exists (S j), qs', l. by rewrite Nat.add_succ_r.
Qed.

Lemma fifo_inbox_items_none k n : fifo_inbox_items k (replicate n []) = [].
Proof. revert k. by induction n as [|n IH]=> k /=. Qed.

Lemma list_to_set_disj_add (x : hub_item) (xs ys : list hub_item) :
  xs ≡ₚ x :: ys →
  list_to_set_disj xs = (list_to_set_disj ys : hub_items) ⊎ {[+ x +]}.
Proof. intros H. rewrite (list_to_set_disj_perm _ _ H) /=. by rewrite comm_L. Qed.

Lemma fifo_items_shared ys ys' y qss :
  ys' ≡ₚ y :: ys → fifo_items ys' qss = fifo_items ys qss ⊎ {[+ (y.2, None) +]}.
Proof.
  intros H. apply list_to_set_disj_add. by rewrite /fifo_shared_items H.
Qed.
Lemma fifo_items_inbox ys qss i qs qs' l :
  qss !! i = Some qs → qs' ≡ₚ l :: qs →
  fifo_items ys (<[i := qs']> qss) = fifo_items ys qss ⊎ {[+ (l, Some i) +]}.
Proof.
  intros Hi Hqs. apply list_to_set_disj_add.
  rewrite (fifo_inbox_items_insert 0 i qs) //. by rewrite -Permutation_middle.
Qed.
Lemma fifo_items_elem ys qss l w :
  (l, w) ∈ fifo_items ys qss →
  match w with
  | None => ys ≠ []
  | Some i => ∃ qs, qss !! i = Some qs ∧ qs ≠ []
  end.
Proof.
  rewrite elem_of_list_to_set_disj elem_of_app. intros [H|H].
  - apply elem_of_list_fmap in H as (y & [= -> ->] & Hy). intros ->. by apply elem_of_nil in Hy.
  - apply fifo_inbox_items_elem in H as (j & qs & l' & Hj & Hl & [= -> ->]).
    exists qs. split; first done. intros ->. by apply elem_of_nil in Hl.
Qed.

(** Erasure, seen from the items. *)
Lemma fifo_filter_absent (ys : list (nat * loc)) k :
  k ∉ ys.*1 → filter (λ y, y.1 ≠ k) ys = ys.
Proof.
  induction ys as [|y ys IH]; first done. rewrite fmap_cons not_elem_of_cons.
  intros [Hy Hys]. rewrite filter_cons_True; last done. by rewrite IH.
Qed.
Lemma fifo_erase_elem (ys : list (nat * loc)) k l :
  NoDup ys.*1 → (k, l) ∈ ys →
  ys ≡ₚ (k, l) :: filter (λ y, y.1 ≠ k) ys.
Proof.
  induction ys as [|[k' l'] ys IH]; first by intros _ ?%elem_of_nil.
  intros [Hk' Hnd]%NoDup_cons [[= <- <-]|Hin]%elem_of_cons.
  - rewrite filter_cons_False /=; last by intros [].
    rewrite fifo_filter_absent //. 
  - rewrite filter_cons_True /=; last first.
    { intros ->. apply Hk'. by apply (elem_of_list_fmap_1 fst) in Hin. }
    rewrite {1}(IH Hnd Hin). apply Permutation_swap.
Qed.
Lemma fifo_erase_cells (ys : list (nat * loc)) k :
  erasable_erase k (fifo_cell <$> ys) = fifo_cell <$> filter (λ y, y.1 ≠ k) ys.
Proof.
  rewrite /erasable_erase. induction ys as [|y ys IH]; first done.
  rewrite fmap_cons !filter_cons IH /=. by case_decide.
Qed.
Lemma fifo_erase_nodup (ys : list (nat * loc)) k :
  NoDup ys.*1 → NoDup (filter (λ y : nat * loc, y.1 ≠ k) ys).*1.
Proof.
  induction ys as [|y ys IH]; first done.
  intros [Hy Hnd]%NoDup_cons. rewrite filter_cons. case_decide; last by apply IH.
  apply NoDup_cons. split; last by apply IH.
  intros (y' & Hy' & [_ Hin]%elem_of_list_filter)%elem_of_list_fmap.
  apply Hy. rewrite Hy'. by apply elem_of_list_fmap_1.
Qed.

(** Taken from the queue of [w]; nothing only if that was empty. *)
Definition fifo_taken (w : option nat) (M : hub_items) (r : val) (M' : hub_items) : Prop :=
  (r = NONEV ∧ M' = M ∧ ∀ l, (l, w) ∉ M) ∨
  ∃ l : loc, r = SOMEV #l ∧ M = M' ⊎ {[+ (l, w) +]}.

Lemma fifo_taken_hub w i M r M' :
  w = None ∨ w = Some i → fifo_taken w M r M' → hub_taken i M r M'.
Proof.
  intros Hw [(-> & -> & _)|(l & -> & ->)]; first by left.
  right. exists l, w. done.
Qed.

(** The record of the operations. *)
Definition fifo_ops (t : val) (lanes nf : loc) : hub_ops := {|
  h_push := (λ: "i" "reason" "task",
    hub_fifo_push t (array_get #lanes "i") "reason" "task");
  h_pop := (λ: "i", hub_fifo_pop t (array_get #lanes "i"));
  h_retract := (λ: "i" "task", hub_fifo_retract t (array_get #lanes "i") "task");
  h_steal := (λ: "i", hub_fifo_steal t (array_get #lanes "i"));
  h_waits_for_answer := (λ: <>, #false);
  h_has_work := (λ: <>, ~ base_erasable_is_empty t);
  h_submit := (λ: <> "task", hub_fifo_submit t "task");
  h_submit_to := (λ: "i" <> "task",
    base_queue_push (! (array_get #lanes "i" +ₗ #0)) "task");
  h_enlist := (λ: <>, #());
  h_retire := (λ: <>, #());
  h_tick := (λ: <>, #());
  h_finished := (λ: <> <>, #());
  h_blocked := (λ: <> <>, #());
  h_close := (λ: <>, #());
  h_notifier := nf;
|}%V.

Section fifo.
  Context `{!heapGS Σ, !erasableG Σ, !queueG Σ, !ghost_varG Σ bool}.
  Implicit Types (γ : fifo_names) (t : val) (M : hub_items) (i n : nat) (l lane : loc).
  Implicit Types (x : fifo_lane_names).

  (** ** The state *)

  (** The inbox of a lane. Its owner alone pops it, so that it may remember that it is
      not empty. *)
  Definition fifo_knows x (b : bool) : iProp Σ := ghost_var x.2.2 (1/2) b.
  Definition fifo_inbox_model x (qs : list loc) : iProp Σ :=
    queue_model x.2.1 (fifo_loc_val <$> qs) ∗ ∃ b, fifo_knows x b ∗ ⌜b → qs ≠ []⌝.
  Definition fifo_model γ M : iProp Σ :=
    ∃ ys qss,
      erasable_model (fifo_name_shared γ) (fifo_cell <$> ys) ∗
      ([∗ list] x; qs ∈ fifo_name_lanes γ; qss, fifo_inbox_model x qs) ∗
      ⌜NoDup ys.*1⌝ ∗ ⌜M = fifo_items ys qss⌝.

  (** The nodes in the slots of [bottom] to [top] are handles. *)
  Local Definition fifo_remembered (γe : erasable_names) (ws : list val)
      (bottom top : Z) : iProp Σ :=
    □ ∀ k : Z, ⌜(bottom ≤ k < top)%Z⌝ -∗
      ∃ nd j v, ⌜ws !! Z.to_nat (k `mod` 256) = Some nd⌝ ∗ erasable_handle γe nd j v.
  Definition fifo_lane (γe : erasable_names) lane : iProp Σ :=
    ∃ (first : bool) (recent : loc) (none : val) (top bottom erasures : Z) (ws : list val),
      (lane +ₗ 1) ↦na #first ∗ (lane +ₗ 2) ↦□ #recent ∗ (lane +ₗ 3) ↦□ none ∗
      (lane +ₗ 4) ↦na #top ∗ (lane +ₗ 5) ↦na #bottom ∗ (lane +ₗ 6) ↦na #erasures ∗
      is_array recent (DfracOwn 1) ws ∗ ⌜length ws = 256⌝ ∗
      ⌜(bottom ≤ top ≤ bottom + 256)%Z⌝ ∗ fifo_remembered γe ws bottom top.
  Definition fifo_owner γ i (b : bool) : iProp Σ :=
    ∃ x, ⌜fifo_name_lanes γ !! i = Some x⌝ ∗ fifo_lane (fifo_name_shared γ) x.1 ∗
      fifo_knows x false.

  Definition fifo_lanes γ (lanes : loc) : iProp Σ :=
    is_array lanes DfracDiscarded ((λ x : fifo_lane_names, #x.1) <$> fifo_name_lanes γ) ∗
    [∗ list] x ∈ fifo_name_lanes γ, ∃ inbox, (x.1 +ₗ 0) ↦□ inbox ∗ queue_inv hubN x.2.1 inbox.
  Definition fifo_inv (o : hub_ops) γ n : iProp Σ :=
    ∃ t lanes nf, ⌜o = fifo_ops t lanes nf⌝ ∗ ⌜length (fifo_name_lanes γ) = n⌝ ∗
      erasable_inv hubN (fifo_name_shared γ) t ∗ fifo_lanes γ lanes.

  Global Instance fifo_model_timeless γ M : Timeless (fifo_model γ M).
  Proof. apply _. Qed.
  Local Instance fifo_handle_timeless γe nd j v : Timeless (erasable_handle γe nd j v).
  Proof. apply _. Qed.
  Local Instance fifo_remembered_timeless γe ws b c : Timeless (fifo_remembered γe ws b c).
  Proof. apply _. Qed.
  Local Instance fifo_remembered_persistent γe ws b c : Persistent (fifo_remembered γe ws b c).
  Proof. apply _. Qed.
  Global Instance fifo_owner_timeless γ i b : Timeless (fifo_owner γ i b).
  Proof. apply _. Qed.
  Global Instance fifo_inv_persistent o γ n : Persistent (fifo_inv o γ n).
  Proof. apply _. Qed.

  Local Lemma fifo_remembered_insert γe ws bottom top bottom' nd j v :
    length ws = 256 → (top ≤ bottom + 256)%Z → (top + 1 - 256 ≤ bottom')%Z → (bottom ≤ bottom')%Z →
    fifo_remembered γe ws bottom top -∗ erasable_handle γe nd j v -∗
    fifo_remembered γe (<[Z.to_nat (top `mod` 256) := nd]> ws) bottom' (top + 1).
  Proof.
    iIntros (Hlen ? ? ?) "#H #Hnd !>". iIntros (k Hk).
    pose proof (Z.mod_pos_bound top 256). pose proof (Z.mod_pos_bound k 256).
    destruct (decide (k = top)) as [->|Hne].
    - iExists nd, j, v. iFrame "Hnd". iPureIntro. apply list_lookup_insert. lia.
    - iDestruct ("H" $! k with "[%]") as (nd' j' v') "[%Hk' Hh]"; first lia.
      iExists nd', j', v'. iFrame "Hh". iPureIntro.
      rewrite list_lookup_insert_ne //. intros Heq. apply Hne.
      apply Z2Nat.inj in Heq; [|lia..].
      pose proof (Z.div_mod top 256). pose proof (Z.div_mod k 256). lia.
  Qed.
  Local Lemma fifo_remembered_forget γe ws bottom top w :
    length ws = 256 → (bottom < top ≤ bottom + 256)%Z →
    fifo_remembered γe ws bottom top -∗
    fifo_remembered γe (<[Z.to_nat ((top - 1) `mod` 256) := w]> ws) bottom (top - 1).
  Proof.
    iIntros (Hlen ?) "#H !>". iIntros (k Hk).
    pose proof (Z.mod_pos_bound (top - 1) 256). pose proof (Z.mod_pos_bound k 256).
    iDestruct ("H" $! k with "[%]") as (nd' j' v') "[%Hk' Hh]"; first lia.
    iExists nd', j', v'. iFrame "Hh". iPureIntro.
    rewrite list_lookup_insert_ne //. intros Heq.
    apply Z2Nat.inj in Heq; [|lia..].
    pose proof (Z.div_mod (top - 1) 256). pose proof (Z.div_mod k 256). lia.
  Qed.

  (** ** A lane *)

  Local Lemma fifo_slot_spec (k : Z) :
    {{{ True }}} hub_fifo_slot #k {{{ RET #(k `mod` 256); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. rewrite /hub_fifo_memory. wp_pures.
    change (256 - 1)%Z with (Z.ones 8). rewrite Z.land_ones; last done. by iApply "HΦ".
  Qed.

  Lemma fifo_lane_get_spec γ lanes i x :
    fifo_name_lanes γ !! i = Some x →
    {{{ fifo_lanes γ lanes }}} array_get #lanes #i {{{ RET #x.1; True }}}.
  Proof.
    iIntros (Hi Φ) "[#Ha _] HΦ".
    iApply (array_get_spec _ _ _ _ #x.1 with "Ha"); first lia.
    { by rewrite Nat2Z.id list_lookup_fmap Hi. }
    iIntros "!> _". by iApply "HΦ".
  Qed.

  Local Lemma fifo_remember_spec γe lane nd j v :
    {{{ fifo_lane γe lane ∗ erasable_handle γe nd j v }}}
      hub_fifo_remember #lane nd
    {{{ RET #(); fifo_lane γe lane }}}.
  Proof.
    iIntros (Φ) "[H #Hnd] HΦ".
    iDestruct "H" as (first recent none top bottom erasures ws)
      "(Hf & #Hr & #Hno & Ht & Hb & He & Ha & %Hlen & %Hle & #Hrem)".
    pose proof (Z.mod_pos_bound top 256).
    wp_rec. wp_na_load. wp_apply fifo_slot_spec; first done. iIntros "_".
    wp_pures. wp_load. wp_apply (array_set_spec with "Ha"); first lia. iIntros "Ha".
    wp_na_load. wp_na_store. wp_na_load. wp_na_load. rewrite /hub_fifo_memory. wp_pures.
    case_bool_decide; wp_pures.
    - wp_na_load. wp_na_store. iApply "HΦ". iModIntro.
      iExists first, recent, none, (top + 1)%Z, (top + 1 - 256)%Z, erasures, _.
      iFrame "Hf Hr Hno Ht Hb He Ha". rewrite length_insert.
      do 2 (iSplit; first (iPureIntro; lia)).
      iApply (fifo_remembered_insert with "Hrem Hnd"); lia.
    - iApply "HΦ". iModIntro.
      iExists first, recent, none, (top + 1)%Z, bottom, erasures, _.
      iFrame "Hf Hr Hno Ht Hb He Ha". rewrite length_insert.
      do 2 (iSplit; first (iPureIntro; lia)).
      iApply (fifo_remembered_insert with "Hrem Hnd"); lia.
  Qed.

  Local Lemma fifo_count_erasure_spec γe t lane :
    {{{ erasable_inv hubN γe t ∗ fifo_lane γe lane }}}
      hub_fifo_count_erasure t #lane
    {{{ RET #(); fifo_lane γe lane }}}.
  Proof.
    iIntros (Φ) "[#I H] HΦ".
    iDestruct "H" as (first recent none top bottom erasures ws)
      "(Hf & #Hr & #Hno & Ht & Hb & He & Ha & %Hlen & %Hle & #Hrem)".
    wp_rec. wp_na_load. wp_na_store. wp_na_load. wp_pures. case_bool_decide; wp_pures.
    - wp_apply (erasable_sweep_spec with "I"). iIntros (m) "_". rewrite /hub_fifo_patience.
      wp_pures. case_bool_decide; wp_pures; wp_na_store; iApply "HΦ"; iModIntro;
        iExists first, recent, none, top, bottom, _, ws; by iFrame "∗#".
    - iApply "HΦ". iModIntro. iExists first, recent, none, top, bottom, _, ws. by iFrame "∗#".
  Qed.

  (** ** Taking from one queue *)

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

  Lemma fifo_inbox_acc γ qss i x :
    fifo_name_lanes γ !! i = Some x →
    ([∗ list] x; qs ∈ fifo_name_lanes γ; qss, fifo_inbox_model x qs) -∗
    ∃ qs, ⌜qss !! i = Some qs⌝ ∗ fifo_inbox_model x qs ∗
      ∀ qs', fifo_inbox_model x qs' -∗
        [∗ list] x; qs ∈ fifo_name_lanes γ; <[i := qs']> qss, fifo_inbox_model x qs.
  Proof.
    iIntros (Hi) "H". iDestruct (big_sepL2_length with "H") as %Hlen.
    destruct (lookup_lt_is_Some_2 qss i) as [qs Hqs].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_insert_acc with "H") as "[Hi H]"; [done..|].
    iExists qs. iFrame "Hi". iSplit; first done. iIntros (qs') "Hi".
    iSpecialize ("H" $! x qs' with "Hi"). by rewrite (list_insert_id (fifo_name_lanes γ)).
  Qed.

  (** By the owner, who may know that it is not empty. *)
  Lemma fifo_inbox_pop_spec γ i x inbox (b : bool) :
    fifo_name_lanes γ !! i = Some x →
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

  Lemma fifo_inbox γ lanes i x :
    fifo_name_lanes γ !! i = Some x →
    fifo_lanes γ lanes -∗ ∃ inbox, (x.1 +ₗ 0) ↦□ inbox ∗ queue_inv hubN x.2.1 inbox.
  Proof. iIntros (Hi) "[_ H]". by iApply (big_sepL_lookup with "H"). Qed.

  (** A call that takes, as part of an operation: it takes, and is the instant of
      the operation, or that is still to come. *)
  Local Definition fifo_take_au γ i (Q : iProp Σ) (Φ : val → iProp Σ) : iProp Σ :=
    AU <{ ∃∃ M, fifo_model γ M }> @ ⊤ ∖ ↑hubN, ∅
       <{ ∀∀ r M', ⌜hub_taken i M r M'⌝ ∗ fifo_model γ M', COMM Q -∗ Φ r }>.
  Local Lemma fifo_try_spec w (e : expr) γ i Q T Φ (G : val → Prop) :
    w = None ∨ w = Some i →
    <<{ ∀∀ M, fifo_model γ M }>>
      e @ ↑hubN
    <<{ ∃∃ r M', ⌜fifo_taken w M r M' ∧ G r⌝ ∗ fifo_model γ M' | RET r; T }>> -∗
    fifo_take_au γ i Q Φ -∗
    WP e {{ r, T ∗ ((⌜r = NONEV⌝ ∗ fifo_take_au γ i Q Φ) ∨
      (∃ l, ⌜r = SOMEV #l⌝ ∗ (Q -∗ Φ r))) }}.
  Proof.
    iIntros (Hw) "He AU". awp_apply "He". rewrite /fifo_take_au.
    iApply (aacc_aupd with "AU"); first done. iIntros (M) "HM". iAaccIntro with "HM".
    { iIntros "$ !> $". done. }
    iIntros (r M') "[[%Hr _] HM]". pose proof (fifo_taken_hub _ _ _ _ _ Hw Hr) as Hr'.
    destruct Hr as [(-> & -> & _)|(l & -> & ->)].
    - iModIntro. iLeft. iFrame "HM". iIntros "AU !> $". iLeft. by iFrame.
    - iModIntro. iRight. iExists _, M'. iFrame "HM". iSplit; first done.
      iIntros "HΦ !> $". iRight. by eauto.
  Qed.
  Local Lemma fifo_take_nothing γ i Q Φ :
    fifo_take_au γ i Q Φ -∗ Q -∗ |={⊤}=> Φ NONEV.
  Proof.
    iIntros "AU HQ". iMod (fupd_mask_subseteq (⊤ ∖ ↑hubN)) as "Hclose"; first done.
    iMod "AU" as (M) "[HM [_ Hcommit]]".
    iMod ("Hcommit" $! NONEV M with "[$HM]") as "HΦ"; first by iPureIntro; left.
    iMod "Hclose". iModIntro. by iApply "HΦ".
  Qed.

  (** ** The operations *)

  (** Claim: The hub's pop takes an item that this worker may run, at one instant, or
      nothing. *)
  Lemma fifo_pop_spec o γ n i : i < n →
    fifo_inv o γ n -∗ fifo_owner γ i true -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_pop o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ fifo_model γ M' | RET r; fifo_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%t & %lanes & %nf & -> & %Hn & #It & #Il) (%x & %Hi & Hown & Hknows) %Φ AU".
    iDestruct (fifo_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    iDestruct "Hown" as (first recent none top bottom erasures ws) "(Hf & Hown)".
    simpl. wp_pures. wp_apply (fifo_lane_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_rec. wp_pures. wp_na_load. wp_na_store.
    iAssert (fifo_knows x false -∗ fifo_owner γ i true)%I with "[Hf Hown]" as "Hown".
    { iIntros "Hknows". iExists x. iFrame "Hknows". iSplit; first done.
      iExists (negb first). iFrame "Hf". iFrame. }
    iPoseProof (fifo_shared_pop_spec with "It") as "Hs".
    iPoseProof (fifo_inbox_pop_spec with "Iq") as "Hq"; first exact Hi.
    destruct first; wp_pures.
    - iSpecialize ("Hq" with "Hknows"). wp_load. wp_bind (base_queue_pop _). iApply (wp_wand with "[Hq AU]").
      { iApply (fifo_try_spec (Some i) with "Hq AU"). by right. }
      iIntros (r) "[Hknows Hr]". iSpecialize ("Hown" with "Hknows").
      iDestruct "Hr" as "[[-> AU]|(%l & -> & HΦ)]"; wp_pures; last by iApply "HΦ".
      iApply wp_fupd. iApply (wp_wand with "[Hs AU]").
      { iApply (fifo_try_spec None with "Hs AU"). by left. }
      iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; last by iApply "HΦ".
      by iApply (fifo_take_nothing with "AU").
    - wp_bind (base_erasable_pop _). iApply (wp_wand with "[Hs AU]").
      { iApply (fifo_try_spec None with "Hs AU"). by left. }
      iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
      { iModIntro. iApply "HΦ". by iApply "Hown". }
      iSpecialize ("Hq" with "Hknows").
      wp_load. iApply wp_fupd. iApply (wp_wand with "[Hq AU]").
      { iApply (fifo_try_spec (Some i) with "Hq AU"). by right. }
      iIntros (r) "[Hknows Hr]". iSpecialize ("Hown" with "Hknows").
      iDestruct "Hr" as "[[-> AU]|(%l & -> & HΦ)]"; last by iApply "HΦ".
      by iApply (fifo_take_nothing with "AU").
  Qed.

  (** Claim: So does its steal. *)
  Lemma fifo_steal_spec o γ n i : i < n →
    fifo_inv o γ n -∗ fifo_owner γ i true -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_steal o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ fifo_model γ M' | RET r; fifo_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%t & %lanes & %nf & -> & %Hn & #It & #Il) (%x & %Hi & Hown & Hknows) %Φ AU".
    iDestruct (fifo_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    simpl. wp_pures. wp_apply (fifo_lane_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_rec. wp_pures.
    iAssert (fifo_knows x false -∗ fifo_owner γ i true)%I with "[Hown]" as "Hown".
    { iIntros "Hknows". iExists x. by iFrame. }
    iPoseProof (fifo_shared_pop_spec with "It") as "Hs".
    wp_bind (base_erasable_pop _). iApply (wp_wand with "[Hs AU]").
    { iApply (fifo_try_spec None with "Hs AU"). by left. }
    iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
    { iModIntro. iApply "HΦ". by iApply "Hown". }
    iPoseProof (fifo_inbox_pop_spec with "Iq Hknows") as "Hq"; first exact Hi.
    wp_load. iApply wp_fupd. iApply (wp_wand with "[Hq AU]").
    { iApply (fifo_try_spec (Some i) with "Hq AU"). by right. }
    iIntros (r) "[Hknows Hr]". iSpecialize ("Hown" with "Hknows").
    iDestruct "Hr" as "[[-> AU]|(%l & -> & HΦ)]"; last by iApply "HΦ".
    by iApply (fifo_take_nothing with "AU").
  Qed.

  (** Claim: When nobody else acts, a steal that finds nothing leaves only what is for
      other workers. *)
  Lemma fifo_steal_quiet_spec o γ n i M : i < n →
    {{{ fifo_inv o γ n ∗ fifo_owner γ i true ∗ fifo_model γ M }}}
      h_steal o #i
    {{{ r M', RET r;
        ⌜hub_taken i M r M'⌝ ∗ fifo_owner γ i true ∗ fifo_model γ M' ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hin Φ) "((%t & %lanes & %nf & -> & %Hn & #It & #Il) & (%x & %Hi & Hown & Hknows) & HM) HΦ".
    iDestruct (fifo_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    simpl. wp_pures. wp_apply (fifo_lane_get_spec with "Il"); first exact Hi. iIntros "_".
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

  Local Lemma fifo_shared_push_spec γ t l :
    erasable_inv hubN (fifo_name_shared γ) t -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      base_erasable_push t #l @ ↑hubN
    <<{ ∃∃ j, fifo_model γ (M ⊎ {[+ (l, None) +]})
      | nd, RET nd; erasable_handle (fifo_name_shared γ) nd j #l }>>.
  Proof.
    iIntros "#I" (Φ) "AU". awp_apply (erasable_push_spec with "I").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%ys & %qss & Hx & Hq & %Hnd & ->)". iAaccIntro with "Hx".
    { iIntros "Hx !>". iSplitR ""; last by eauto. iExists ys, qss. by iFrame. }
    iIntros (j) "[%Hj Hx] !>". iExists j. iSplitR "".
    { iExists (ys ++ [(j, l)]), qss. rewrite fmap_app. iFrame "Hx Hq". iPureIntro. split.
      - rewrite fmap_app. apply NoDup_app. split; first done. split; last apply NoDup_singleton.
        intros k ([k' l'] & -> & Hin)%elem_of_list_fmap Hk. simpl in *.
        apply elem_of_list_singleton in Hk as ->. apply (Hj #l').
        by apply (elem_of_list_fmap_1 fifo_cell) in Hin.
      - symmetry. apply (fifo_items_shared ys _ (j, l)). by rewrite -Permutation_cons_append. }
    iIntros "HΦ !>" (nd) "Hnd". by iApply "HΦ".
  Qed.

  (** Claim: The hub's push adds a task for anybody, at one instant. *)
  Lemma fifo_push_spec o γ n i (r : Z) l : i < n →
    fifo_inv o γ n -∗ fifo_owner γ i true -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_push o #i #r #l @ ↑hubN
    <<{ fifo_model γ (M ⊎ {[+ (l, None) +]}) | RET #(); fifo_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%t & %lanes & %nf & -> & %Hn & #It & #Il) (%x & %Hi & Hown & Hknows) %Φ AU".
    simpl. wp_pures. wp_apply (fifo_lane_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_rec. wp_pures. awp_apply (fifo_shared_push_spec with "It") without "Hown Hknows".
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "HM". iAaccIntro with "HM"; first by eauto with iFrame.
    iIntros (j) "HM !>". iFrame "HM". iIntros "HΦ !> %nd #Hnd [Hown Hknows]". wp_pures.
    case_bool_decide; wp_pures.
    - wp_apply (fifo_remember_spec with "[$Hown $Hnd]"). iIntros "Hown". iApply "HΦ".
      iExists x. by iFrame.
    - iModIntro. iApply "HΦ". iExists x. by iFrame.
  Qed.

  (** Claim: So does its submit, by anybody. *)
  Lemma fifo_submit_spec o γ n (r : Z) l :
    fifo_inv o γ n -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_submit o #r #l @ ↑hubN
    <<{ fifo_model γ (M ⊎ {[+ (l, None) +]}) | RET #() }>>.
  Proof.
    iIntros "(%t & %lanes & %nf & -> & %Hn & #It & #Il) %Φ AU".
    simpl. wp_pures. wp_rec. wp_pures. awp_apply (fifo_shared_push_spec with "It").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "HM". iAaccIntro with "HM"; first by eauto with iFrame.
    iIntros (j) "HM !>". iFrame "HM". iIntros "HΦ !> %nd #Hnd". by wp_pures.
  Qed.

  (** Claim: What is submitted to a worker is for this worker alone. *)
  Lemma fifo_submit_to_spec o γ n i (r : Z) l : i < n →
    fifo_inv o γ n -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_submit_to o #i #r #l @ ↑hubN
    <<{ fifo_model γ (M ⊎ {[+ (l, Some i) +]}) | RET #() }>>.
  Proof.
    iIntros (Hin) "(%t & %lanes & %nf & -> & %Hn & #It & #Il) %Φ AU".
    destruct (lookup_lt_is_Some_2 (fifo_name_lanes γ) i) as [x Hi]; first lia.
    iDestruct (fifo_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    simpl. wp_pures. wp_apply (fifo_lane_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_pures. wp_load. awp_apply (queue_push_spec with "Iq").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%ys & %qss & Hx & Hq & %Hnd & ->)".
    iDestruct (fifo_inbox_acc with "Hq") as (qs Hqs) "[[Hi (%b & Hb & %Hb)] Hq]";
      first exact Hi.
    iAaccIntro with "Hi".
    { iIntros "Hi !>". iSplitR ""; last by eauto. iExists ys, qss. iFrame "Hx".
      iSpecialize ("Hq" with "[$Hi $Hb //]"). rewrite list_insert_id //. by iFrame "Hq". }
    iIntros "Hi !>". iSplitR ""; last by eauto.
    iExists ys, (<[i := qs ++ [l]]> qss). iFrame "Hx". iSplitL; last first.
    { iPureIntro. split; first done. symmetry. apply (fifo_items_inbox ys qss i qs); first done.
      by rewrite -Permutation_cons_append. }
    iApply "Hq". rewrite /fifo_inbox_model fmap_app. iFrame "Hi". iExists b. iFrame "Hb".
    iPureIntro. intros _ Hnil%(f_equal length). rewrite length_app /= in Hnil. lia.
  Qed.

  (** Claim: A retract that succeeds has taken this very task, at one instant. *)
  Lemma fifo_retract_spec o γ n i l : i < n →
    fifo_inv o γ n -∗ fifo_owner γ i true -∗
    <<{ ∀∀ M, fifo_model γ M }>>
      h_retract o #i #l @ ↑hubN
    <<{ ∃∃ (b : bool) M',
        ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗
        fifo_model γ M'
      | RET #b; fifo_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%t & %lanes & %nf & -> & %Hn & #It & #Il) (%x & %Hi & Hown & Hknows) %Φ AU".
    simpl. wp_pures. wp_apply (fifo_lane_get_spec with "Il"); first exact Hi. iIntros "_".
    (* Nothing, at any instant. *)
    iAssert (□ (fifo_lane (fifo_name_shared γ) x.1 -∗ fifo_knows x false -∗
      AU <{ ∃∃ M, fifo_model γ M }> @ ⊤ ∖ ↑hubN, ∅
         <{ ∀∀ (b : bool) M',
            ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗
            fifo_model γ M', COMM fifo_owner γ i true -∗ Φ #b }> ={⊤}=∗ Φ #false))%I as "#Hno".
    { iIntros "!> Hown Hknows AU". iMod (fupd_mask_subseteq (⊤ ∖ ↑hubN)) as "Hclose"; first done.
      iMod "AU" as (M) "[HM [_ Hcommit]]".
      iMod ("Hcommit" $! false M with "[$HM //]") as "HΦ".
      iMod "Hclose". iModIntro. iApply "HΦ". iExists x. by iFrame. }
    iLöb as "IH". wp_rec. wp_pures.
    iDestruct "Hown" as (first recent none top bottom erasures ws)
      "(Hf & #Hr & #Hnone & Ht & Hb & He & Ha & %Hlen & %Hle & #Hrem)".
    wp_na_load. wp_na_load. wp_pures. case_bool_decide as Htop; wp_pures.
    { iApply ("Hno" with "[-AU Hknows] Hknows AU").
      iExists first, recent, none, top, bottom, erasures, ws. by iFrame "∗#". }
    assert (top ≠ bottom) by congruence.
    wp_na_load. wp_pures. wp_apply fifo_slot_spec; first done. iIntros "_". wp_load.
    iDestruct ("Hrem" $! (top - 1)%Z with "[%]") as (nd j v Hnd) "#Hh"; first lia.
    pose proof (Z.mod_pos_bound (top - 1) 256).
    wp_apply (array_get_spec with "Ha"); [lia|exact Hnd|]. iIntros "Ha". wp_pures.
    (* What [forget_newest] does. *)
    iAssert (fifo_lane (fifo_name_shared γ) x.1 ∧ ∀ Ψ : val → iProp Σ,
      (fifo_lane (fifo_name_shared γ) x.1 -∗ Ψ #()) -∗
      WP hub_fifo_forget_newest #x.1 {{ Ψ }})%I with "[Hf Ht Hb He Ha]" as "Hforget".
    { iSplit.
      { iExists first, recent, none, top, bottom, erasures, ws. by iFrame "∗#". }
      iIntros (Ψ) "HΨ". wp_rec. wp_na_load. wp_na_store. wp_load. wp_na_load.
      wp_apply fifo_slot_spec; first done. iIntros "_". wp_load.
      wp_apply (array_set_spec with "Ha"); first lia. iIntros "Ha". iApply "HΨ".
      iExists first, recent, none, (top - 1)%Z, bottom, erasures, _.
      iFrame "Hf Hr Hnone Ht Hb He Ha". rewrite length_insert.
      do 2 (iSplit; first (iPureIntro; lia)).
      iApply (fifo_remembered_forget with "Hrem"); lia. }
    awp_apply (erasable_peek_spec with "It Hh") without "Hforget Hknows".
    iApply (aacc_aupd_abort with "AU"); first done.
    iIntros (M) "(%ys & %qss & Hx & Hq & %Hnd' & ->)". iAaccIntro with "Hx".
    { iIntros "Hx !>". iSplitR ""; last by eauto. iExists ys, qss. by iFrame. }
    iIntros "Hx !>". iSplitR "". { iExists ys, qss. by iFrame. }
    clear Hnd'. iIntros "AU !> [Hforget Hknows]". case_decide; wp_pures; last first.
    { iDestruct "Hforget" as "[_ Hforget]". wp_apply "Hforget". iIntros "Hown". wp_pures.
      by iApply ("IH" with "Hown Hknows AU"). }
    case_bool_decide as Hv; wp_pures; last first.
    { iApply ("Hno" with "[Hforget] Hknows AU"). by iDestruct "Hforget" as "[$ _]". }
    subst v. iDestruct "Hforget" as "[_ Hforget]". wp_apply "Hforget". iIntros "Hown". wp_pures.
    awp_apply (erasable_erase_spec with "It Hh") without "Hown Hknows".
    iApply (aacc_aupd_commit with "AU"); first done.
    iClear "Hno". clear dependent ys qss.
    iIntros (M) "(%ys & %qss & Hx & Hq & %Hnd' & ->)". iAaccIntro with "Hx".
    { iIntros "Hx !>". iSplitR ""; last by eauto. iExists ys, qss. by iFrame. }
    iIntros "[Hx %Hval] !>". rewrite fifo_erase_cells.
    iExists (bool_decide (pair j #l ∈ fifo_cell <$> ys)),
      (fifo_items (filter (λ y, y.1 ≠ j) ys) qss).
    iSplitR "".
    { iSplit; last first.
      { iExists _, qss. iFrame "Hx Hq". iPureIntro. split; last done. by apply fifo_erase_nodup. }
      iPureIntro. case_bool_decide as Hin'.
      - exists None. split; first by left. apply (fifo_items_shared _ _ (j, l)).
        apply fifo_erase_elem; first done.
        apply elem_of_list_fmap in Hin' as ([j' l'] & [= -> ->] & Hin'). done.
      - rewrite fifo_filter_absent //. intros ([j' l'] & -> & Hin'')%elem_of_list_fmap.
        apply (elem_of_list_fmap_1 fifo_cell) in Hin''. simpl in *.
        apply Hin'. by rewrite -(Hval _ Hin''). }
    iIntros "HΦ !> [Hown Hknows]". wp_pures.
    iAssert (fifo_lane (fifo_name_shared γ) x.1 -∗ Φ _)%I with "[HΦ Hknows]" as "HΦ".
    { iIntros "Hown". iApply "HΦ". iExists x. by iFrame. }
    case_bool_decide; wp_pures.
    - wp_apply (fifo_count_erasure_spec with "[$It $Hown]"). iIntros "Hown". wp_pures.
      by iApply "HΦ".
    - by iApply "HΦ".
  Qed.

  Lemma fifo_has_work_spec o γ n i b : i < n →
    {{{ fifo_inv o γ n ∗ fifo_owner γ i b }}}
      h_has_work o #i
    {{{ (r : bool), RET #r; fifo_owner γ i b }}}.
  Proof.
    iIntros (Hin Φ) "[(%t & %lanes & %nf & -> & %Hn & #It & #Il) Hown] HΦ".
    simpl. wp_pures. wp_bind (base_erasable_is_empty _).
    iApply wp_wand; first by iApply erasable_is_empty_safe_spec.
    iIntros (r) "(%e & ->)". wp_pures. by iApply "HΦ".
  Qed.

  (** The FIFO hub is a hub: it never asks a victim, and serving changes nothing. *)
  Global Program Instance fifo_hub_spec : hub_spec Σ := {|
    hub_name := fifo_names;
    hub_inv := fifo_inv;
    hub_owner := fifo_owner;
    hub_model := fifo_model;
    hub_asked _ _ := False%I;
    hub_has_work_spec := fifo_has_work_spec;
  |}.
  Next Obligation.
    iIntros (o γ n i r l Hi) "I H". iApply hub_widen. by iApply (fifo_push_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n r l) "I". iApply hub_widen. by iApply (fifo_submit_spec with "I").
  Qed.
  Next Obligation.
    iIntros (o γ n i r l Hi) "I". iApply hub_widen. by iApply (fifo_submit_to_spec with "I").
  Qed.
  Next Obligation.
    iIntros (o γ n i Hi) "I H". iApply hub_widen. by iApply (fifo_pop_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n i Hi) "I H". iApply hub_widen. by iApply (fifo_steal_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n i M Hin Φ) "(#I & Hown & HM & Hrest) HΦ".
    iApply (fifo_steal_quiet_spec with "[$I $Hown $HM]"); first done.
    iIntros "!>" (r M') "(Hr & Hown & HM & %Hnone)". iApply "HΦ". iFrame.
    iIntros (Hr). iRight. iPureIntro. by apply Hnone.
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hi) "I H". iApply hub_widen. by iApply (fifo_retract_spec with "I H").
  Qed.
  Next Obligation.
    iIntros (o γ n i Hin Φ) "[(%t & %lanes & %nf & -> & _) Hown] HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation. by iIntros (o γ n i Hin Φ) "(_ & _ & [])". Qed.
  Next Obligation.
    iIntros (o γ n i Hin Φ) "[(%t & %lanes & %nf & -> & _) Hown] HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n i Hin Φ) "[(%t & %lanes & %nf & -> & _) Hown] HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n i Hin Φ) "[(%t & %lanes & %nf & -> & _) Hown] HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hin Φ) "[(%t & %lanes & %nf & -> & _) Hown] HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hin Φ) "[(%t & %lanes & %nf & -> & _) Hown] HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n Φ) "(%t & %lanes & %nf & -> & _) HΦ".
    simpl. wp_pures. by iApply "HΦ".
  Qed.

  (** ** Making *)

  Local Definition fifo_made (γe : erasable_names) x : iProp Σ :=
    (fifo_lane γe x.1 ∗ fifo_knows x false) ∗ fifo_inbox_model x [] ∗
    ∃ inbox, (x.1 +ₗ 0) ↦□ inbox ∗ queue_inv hubN x.2.1 inbox.
  Local Lemma fifo_make_lane_spec γe (v : val) :
    {{{ True }}} hub_fifo_make_lane v {{{ x, RET #x.1; fifo_made γe x }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_apply (queue_create_spec hubN); first done.
    iIntros (γq inbox) "[#Iq Hq]". wp_pures.
    wp_apply (erasable_no_node_spec hubN); first done. iIntros (none) "_". wp_pures.
    rewrite /hub_fifo_memory. wp_apply array_make_spec; [done..|]. iIntros (recent) "[Ha _]".
    rewrite /hub_fifo_patience. wp_pures. iApply wp_fupd. wp_apply block7_spec; first done.
    iIntros (lane) "(H0 & H1 & H2 & H3 & H4 & H5 & H6 & _)".
    iMod (pointsto_persist with "H0") as "#H0". iMod (pointsto_persist with "H2") as "#H2".
    iMod (pointsto_persist with "H3") as "#H3".
    iMod (ghost_var_alloc false) as (γk) "[Hk1 Hk2]". iModIntro.
    iApply ("HΦ" $! (lane, (γq, γk))). rewrite /fifo_made. iFrame "Hk1 Hq Hk2".
    iSplitR ""; last by (iSplit; [iPureIntro; by intros []|iExists inbox; iFrame "#"]).
    iExists true, recent, none, 0%Z, 0%Z, 64%Z, _.
    iFrame "H1 H2 H3 H4 H5 H6 Ha". iSplit; first by rewrite length_replicate.
    iSplit; first done. iIntros "!>" (k Hk). lia.
  Qed.

  Local Lemma big_sepL_indices {A} (P : nat → iProp Σ) (xs : list A) k :
    ([∗ list] i ↦ _ ∈ xs, P (k + i)) -∗ [∗ list] i ∈ seq k (length xs), P i.
  Proof.
    iIntros "H". iInduction xs as [|x xs] "IH" forall (k); first done.
    simpl. rewrite Nat.add_0_r. iDestruct "H" as "[$ H]". iApply "IH".
    iApply (big_sepL_impl with "H"). iIntros "!>" (i y _) "H". by rewrite Nat.add_succ_r.
  Qed.

  (** Claim: What [make] returns is a hub, empty, whose workers do not serve yet. *)
  Theorem fifo_maker : hub_maker hub_fifo_make.
  Proof.
    iIntros (n Hn Φ) "_ HΦ". wp_rec. wp_apply (erasable_create_spec hubN); first done.
    iIntros (γe t) "[#It Hx]". wp_pures.
    wp_apply (array_init_spec (λ _ vs, ∃ xs, ⌜vs = (λ x, #x.1) <$> xs⌝ ∗
      [∗ list] x ∈ xs, fifo_made γe x)%I); first lia.
    { iSplit; first by (iExists []; iSplit). iIntros "!>" (i vs _ _) "(%xs & -> & Hxs)".
      iApply fifo_make_lane_spec; first done. iIntros "!>" (x) "Hmade".
      iExists (xs ++ [x]). rewrite fmap_app. iSplit; first done. by iFrame. }
    iIntros (lanes vs) "(%Hlen & Ha & _ & %xs & -> & Hxs)". rewrite length_fmap Nat2Z.id in Hlen.
    wp_pures. wp_rec. wp_pures. wp_apply block1_spec; first done.
    iIntros (nf) "[Hnf _]". wp_pures.
    iMod (is_array_persist with "Ha") as "#Ha". iModIntro.
    iApply ("HΦ" $! (fifo_ops t lanes nf)). iFrame "Hnf". iIntros (g) "_ _ !>".
    iDestruct (big_sepL_sep with "Hxs") as "[Hlanes Hxs]".
    iDestruct (big_sepL_sep with "Hxs") as "[Hqs Hinboxes]".
    iExists (FifoNames γe xs). iSplitL "Hinboxes".
    { iExists t, lanes, nf. do 2 (iSplit; first done). by iFrame "It Ha". }
    iSplitL "Hx Hqs".
    - iExists [], (replicate n []). iFrame "Hx". rewrite big_sepL2_replicate_r; last done.
      iFrame "Hqs". iSplit; first by (iPureIntro; apply NoDup_nil_2).
      iPureIntro. by rewrite /fifo_items fifo_inbox_items_none.
    - rewrite -Hlen. iApply big_sepL_indices. iApply (big_sepL_impl with "Hlanes").
      iIntros "!>" (i x Hi) "Hlane". iExists x. by iFrame.
  Qed.
End fifo.
