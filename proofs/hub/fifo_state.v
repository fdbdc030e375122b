(** The FIFO hub, lib/kernel/hub/fifo.ml: the state, and the effect of the operations on
    a worker's local record.

    The model is the tasks in the shared queue, for any worker, and the tasks in the
    inboxes, each for the worker of the inbox ([fifo_items.v]). The plain fields of a
    local record, and the record's array of remembered nodes, belong to the thread that
    acts as this worker ([fifo_owner]), so no access to the fields races. A node with a
    number [k], [bottom <= k < top], is remembered: the proof knows for ever the value
    with which the node was pushed. No operation reads a slot outside of these bounds.

    The owner of a local record may remember that the record's inbox is not empty
    ([fifo_knows]), since only the owner pops the inbox. [fifo_conserving.v] needs this
    fact. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import erasable_code queue_code erasable queue.
From dromos.hub Require Import hub_code fifo_code hub_spec.
From dromos.hub Require Export fifo_items.

(** A local record: the block, the inbox, and the ghost name of the owner's knowledge of
    the inbox ([fifo_knows]). *)
Notation fifo_local_names := (loc * (queue_names * gname))%type.
Record fifo_names := FifoNames {
  fifo_name_shared : erasable_names;  (** The shared queue. *)
  fifo_name_locals : list fifo_local_names;  (** One local record for each worker. *)
}.

(** The record of the operations. *)
Definition fifo_ops (t : val) (locals nf : loc) : hub_ops := {|
  h_push := (λ: "i" "reason" "task",
    hub_fifo_push t (array_get #locals "i") "reason" "task");
  h_pop := (λ: "i", hub_fifo_pop t (array_get #locals "i"));
  h_retract := (λ: "i" "task", hub_fifo_retract t (array_get #locals "i") "task");
  h_steal := (λ: "i", hub_fifo_steal t (array_get #locals "i"));
  h_waits_for_answer := (λ: <>, #false);
  h_has_work := (λ: <>, ~ base_erasable_is_empty t);
  h_submit := (λ: <> "task", hub_fifo_submit t "task");
  h_submit_to := (λ: "i" <> "task",
    base_queue_push (! (array_get #locals "i" +ₗ #0)) "task");
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
  Implicit Types (γ : fifo_names) (t : val) (M : hub_items) (i n : nat) (l local : loc).
  Implicit Types (x : fifo_local_names).

  (** ** The state *)

  (** The inbox of a worker. Only the owner pops the inbox, so the owner may remember
      that the inbox is not empty. *)
  Definition fifo_knows x (b : bool) : iProp Σ := ghost_var x.2.2 (1/2) b.
  Definition fifo_inbox_model x (qs : list loc) : iProp Σ :=
    queue_model x.2.1 (loc_val <$> qs) ∗ ∃ b, fifo_knows x b ∗ ⌜b → qs ≠ []⌝.
  Definition fifo_model γ M : iProp Σ :=
    ∃ ys qss,
      erasable_model (fifo_name_shared γ) (fifo_cell <$> ys) ∗
      ([∗ list] x; qs ∈ fifo_name_locals γ; qss, fifo_inbox_model x qs) ∗
      ⌜NoDup ys.*1⌝ ∗ ⌜M = fifo_items ys qss⌝.

  (** The slots of the numbers from [bottom] to [top - 1] hold handles of nodes. *)
  Definition fifo_remembered (γe : erasable_names) (ws : list val)
      (bottom top : Z) : iProp Σ :=
    □ ∀ k : Z, ⌜(bottom ≤ k < top)%Z⌝ -∗
      ∃ nd j v, ⌜ws !! Z.to_nat (k `mod` 256) = Some nd⌝ ∗ erasable_handle γe nd j v.
  Definition fifo_local (γe : erasable_names) local : iProp Σ :=
    ∃ (first : bool) (recent : loc) (none : val) (top bottom erasures : Z) (ws : list val),
      (local +ₗ 1) ↦na #first ∗ (local +ₗ 2) ↦□ #recent ∗ (local +ₗ 3) ↦□ none ∗
      (local +ₗ 4) ↦na #top ∗ (local +ₗ 5) ↦na #bottom ∗ (local +ₗ 6) ↦na #erasures ∗
      is_array recent (DfracOwn 1) ws ∗ ⌜length ws = 256⌝ ∗
      ⌜(bottom ≤ top ≤ bottom + 256)%Z⌝ ∗ fifo_remembered γe ws bottom top.
  Definition fifo_owner γ i (b : bool) : iProp Σ :=
    ∃ x, ⌜fifo_name_locals γ !! i = Some x⌝ ∗ fifo_local (fifo_name_shared γ) x.1 ∗
      fifo_knows x false.

  Definition fifo_locals γ (locals : loc) : iProp Σ :=
    is_array locals DfracDiscarded ((λ x : fifo_local_names, #x.1) <$> fifo_name_locals γ) ∗
    [∗ list] x ∈ fifo_name_locals γ, ∃ inbox, (x.1 +ₗ 0) ↦□ inbox ∗ queue_inv hubN x.2.1 inbox.
  Definition fifo_inv (o : hub_ops) γ n : iProp Σ :=
    ∃ t locals nf, ⌜o = fifo_ops t locals nf⌝ ∗ ⌜length (fifo_name_locals γ) = n⌝ ∗
      erasable_inv hubN (fifo_name_shared γ) t ∗ fifo_locals γ locals.

  Global Instance fifo_model_timeless γ M : Timeless (fifo_model γ M).
  Proof. apply _. Qed.
  Local Instance fifo_handle_timeless γe nd j v : Timeless (erasable_handle γe nd j v).
  Proof. apply _. Qed.
  Local Instance fifo_remembered_timeless γe ws b c : Timeless (fifo_remembered γe ws b c).
  Proof. apply _. Qed.
  Global Instance fifo_remembered_persistent γe ws b c : Persistent (fifo_remembered γe ws b c).
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
  Lemma fifo_remembered_forget γe ws bottom top w :
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

  (** ** A local record *)

  Lemma fifo_slot_spec (k : Z) :
    {{{ True }}} hub_fifo_slot #k {{{ RET #(k `mod` 256); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. rewrite /hub_fifo_memory. wp_pures.
    change (256 - 1)%Z with (Z.ones 8). rewrite Z.land_ones; last done. by iApply "HΦ".
  Qed.

  Lemma fifo_local_get_spec γ locals i x :
    fifo_name_locals γ !! i = Some x →
    {{{ fifo_locals γ locals }}} array_get #locals #i {{{ RET #x.1; True }}}.
  Proof.
    iIntros (Hi Φ) "[#Ha _] HΦ".
    iApply (array_get_spec _ _ _ _ #x.1 with "Ha"); first lia.
    { by rewrite Nat2Z.id list_lookup_fmap Hi. }
    iIntros "!> _". by iApply "HΦ".
  Qed.

  Lemma fifo_remember_spec γe local nd j v :
    {{{ fifo_local γe local ∗ erasable_handle γe nd j v }}}
      hub_fifo_remember #local nd
    {{{ RET #(); fifo_local γe local }}}.
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

  Lemma fifo_count_erasure_spec γe t local :
    {{{ erasable_inv hubN γe t ∗ fifo_local γe local }}}
      hub_fifo_count_erasure t #local
    {{{ RET #(); fifo_local γe local }}}.
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

  (** ** The inbox of a local record *)

  Lemma fifo_inbox_acc γ qss i x :
    fifo_name_locals γ !! i = Some x →
    ([∗ list] x; qs ∈ fifo_name_locals γ; qss, fifo_inbox_model x qs) -∗
    ∃ qs, ⌜qss !! i = Some qs⌝ ∗ fifo_inbox_model x qs ∗
      ∀ qs', fifo_inbox_model x qs' -∗
        [∗ list] x; qs ∈ fifo_name_locals γ; <[i := qs']> qss, fifo_inbox_model x qs.
  Proof.
    iIntros (Hi) "H". iDestruct (big_sepL2_length with "H") as %Hlen.
    destruct (lookup_lt_is_Some_2 qss i) as [qs Hqs].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_insert_acc with "H") as "[Hi H]"; [done..|].
    iExists qs. iFrame "Hi". iSplit; first done. iIntros (qs') "Hi".
    iSpecialize ("H" $! x qs' with "Hi"). by rewrite (list_insert_id (fifo_name_locals γ)).
  Qed.

  Lemma fifo_inbox γ locals i x :
    fifo_name_locals γ !! i = Some x →
    fifo_locals γ locals -∗ ∃ inbox, (x.1 +ₗ 0) ↦□ inbox ∗ queue_inv hubN x.2.1 inbox.
  Proof. iIntros (Hi) "[_ H]". by iApply (big_sepL_lookup with "H"). Qed.
End fifo.
