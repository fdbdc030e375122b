(** The specification of hubs (lib/kernel/hub/hub.mli). The pool is proved over any
    record of closures that meets this specification.

    A hub owns a multiset of published tasks, [hub_model γ M]. An item of [M] is the
    location of a task's block, and the worker that alone may run the task, if there is
    such a worker. Pushes and submissions add an item; [pop], [steal] and [retract] take
    an item. Each operation takes place at one instant (a logically atomic triple), so
    no task is dropped and no task is given out twice.

    Operations that name a worker need [hub_owner γ i true], the right to act as worker
    [i] while the worker serves. Between [retire] and [enlist] the right is [hub_owner γ
    i false].

    The hub knows nothing of the contents of the task blocks. The proof of a client
    keeps the ownership of the blocks, and the resources that the tasks' code needs,
    beside the model.

    A [None] of [steal] says more while only the caller acts. If the caller owns the
    model and all workers except [i] have retired, then every remaining task is for
    another worker ([hub_foreign]), or worker [i] has asked a victim and
    [waits_for_answer] returns true. The proof that the pool completes uses this
    property. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.

(** The record of closures, field by field. The field [name], a string, is not
    translated. *)
Record hub_ops := HubOps {
  h_push : val;
  h_pop : val;
  h_retract : val;
  h_steal : val;
  h_waits_for_answer : val;
  h_has_work : val;
  h_submit : val;
  h_submit_to : val;
  h_enlist : val;
  h_retire : val;
  h_tick : val;
  h_finished : val;
  h_blocked : val;
  h_close : val;
  h_notifier : loc;
}.
Definition hub_val (o : hub_ops) (n : nat) : val :=
  (#n, h_push o, h_pop o, h_retract o, h_steal o, h_waits_for_answer o,
   h_has_work o, h_submit o, h_submit_to o, h_enlist o, h_retire o, h_tick o,
   h_finished o, h_blocked o, h_close o, #(h_notifier o))%V.

(** A published task, and the worker that alone may run the task, if there is one. *)
Notation hub_item := (loc * option nat)%type.
Notation hub_items := (gmultiset hub_item).

(** Worker [i] may run item [x]. *)
Definition hub_runs (i : nat) (x : hub_item) : Prop := x.2 = None ∨ x.2 = Some i.
(** Worker [i] may run no item of [M]. *)
Definition hub_foreign (i : nat) (M : hub_items) : Prop := ∀ x, x ∈ M → ¬ hub_runs i x.

(** The result [r] of an operation that takes from [M], and the remaining items [M']. *)
Definition hub_taken (i : nat) (M : hub_items) (r : val) (M' : hub_items) : Prop :=
  (r = NONEV ∧ M' = M) ∨
  ∃ (l : loc) w, r = SOMEV #l ∧ hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]}.

(** [hub_allN] has the invariants that the operations of a hub may open. [hubN] has the
    invariants that the operations of the hub's queues and deques may open. Outside
    [hubN] a hub may keep an invariant about its queues and deques. *)
Definition hub_allN : namespace := nroot .@ "dromos" .@ "hub".
Definition hubN : namespace := hub_allN .@ "parts".

Lemma hub_widen `{!heapGS Σ} {TA TB TP : tele} e α β POST f :
  atomic_wp (TA := TA) (TB := TB) (TP := TP) e (↑hubN) α β POST f -∗
  atomic_wp e (↑hub_allN) α β POST f.
Proof. iApply atomic_wp_mask_weaken. apply nclose_subseteq. Qed.

Class hub_spec `{!heapGS Σ} := HubSpec {
  hub_name : Type;
  hub_inv : hub_ops → hub_name → nat → iProp Σ;
  hub_owner : hub_name → nat → bool → iProp Σ;
  hub_model : hub_name → hub_items → iProp Σ;
  (** Worker [i] has asked a victim and has not seen the answer. *)
  hub_asked : hub_name → nat → iProp Σ;

  hub_inv_persistent o γ n :: Persistent (hub_inv o γ n);
  hub_model_timeless γ M :: Timeless (hub_model γ M);
  hub_owner_timeless γ i b :: Timeless (hub_owner γ i b);

  hub_push_spec o γ n i (r : Z) (l : loc) : i < n →
    hub_inv o γ n -∗ hub_owner γ i true -∗
    <<{ ∀∀ M, hub_model γ M }>>
      h_push o #i #r #l @ ↑hub_allN
    <<{ hub_model γ (M ⊎ {[+ (l, None) +]}) | RET #(); hub_owner γ i true }>>;

  hub_submit_spec o γ n (r : Z) (l : loc) :
    hub_inv o γ n -∗
    <<{ ∀∀ M, hub_model γ M }>>
      h_submit o #r #l @ ↑hub_allN
    <<{ hub_model γ (M ⊎ {[+ (l, None) +]}) | RET #() }>>;

  hub_submit_to_spec o γ n i (r : Z) (l : loc) : i < n →
    hub_inv o γ n -∗
    <<{ ∀∀ M, hub_model γ M }>>
      h_submit_to o #i #r #l @ ↑hub_allN
    <<{ hub_model γ (M ⊎ {[+ (l, Some i) +]}) | RET #() }>>;

  hub_pop_spec o γ n i : i < n →
    hub_inv o γ n -∗ hub_owner γ i true -∗
    <<{ ∀∀ M, hub_model γ M }>>
      h_pop o #i @ ↑hub_allN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ hub_model γ M' | RET r; hub_owner γ i true }>>;

  hub_steal_spec o γ n i : i < n →
    hub_inv o γ n -∗ hub_owner γ i true -∗
    <<{ ∀∀ M, hub_model γ M }>>
      h_steal o #i @ ↑hub_allN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ hub_model γ M' | RET r; hub_owner γ i true }>>;

  hub_steal_quiet_spec o γ n i M : i < n →
    {{{ hub_inv o γ n ∗ hub_owner γ i true ∗ hub_model γ M ∗
        [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → hub_owner γ j false }}}
      h_steal o #i
    {{{ r M', RET r;
        ⌜hub_taken i M r M'⌝ ∗ hub_owner γ i true ∗ hub_model γ M' ∗
        ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → hub_owner γ j false) ∗
        (⌜r = NONEV⌝ → hub_asked γ i ∨ ⌜hub_foreign i M'⌝) }}};

  hub_retract_spec o γ n i (l : loc) : i < n →
    hub_inv o γ n -∗ hub_owner γ i true -∗
    <<{ ∀∀ M, hub_model γ M }>>
      h_retract o #i #l @ ↑hub_allN
    <<{ ∃∃ (b : bool) M',
        ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗
        hub_model γ M'
      | RET #b; hub_owner γ i true }>>;

  hub_waits_for_answer_spec o γ n i : i < n →
    {{{ hub_inv o γ n ∗ hub_owner γ i true }}}
      h_waits_for_answer o #i
    {{{ (b : bool), RET #b; hub_owner γ i true }}};
  hub_waits_for_answer_asked_spec o γ n i : i < n →
    {{{ hub_inv o γ n ∗ hub_owner γ i true ∗ hub_asked γ i }}}
      h_waits_for_answer o #i
    {{{ RET #true; hub_owner γ i true }}};

  hub_has_work_spec o γ n i b : i < n →
    {{{ hub_inv o γ n ∗ hub_owner γ i b }}}
      h_has_work o #i
    {{{ (r : bool), RET #r; hub_owner γ i b }}};

  hub_enlist_spec o γ n i : i < n →
    {{{ hub_inv o γ n ∗ hub_owner γ i false }}}
      h_enlist o #i
    {{{ RET #(); hub_owner γ i true }}};
  hub_retire_spec o γ n i : i < n →
    {{{ hub_inv o γ n ∗ hub_owner γ i true }}}
      h_retire o #i
    {{{ RET #(); hub_owner γ i false }}};
  hub_tick_spec o γ n i : i < n →
    {{{ hub_inv o γ n ∗ hub_owner γ i true }}}
      h_tick o #i
    {{{ RET #(); hub_owner γ i true }}};
  hub_finished_spec o γ n i (l : loc) : i < n →
    {{{ hub_inv o γ n ∗ hub_owner γ i true }}}
      h_finished o #i #l
    {{{ RET #(); hub_owner γ i true }}};
  hub_blocked_spec o γ n i (l : loc) : i < n →
    {{{ hub_inv o γ n ∗ hub_owner γ i true }}}
      h_blocked o #i #l
    {{{ RET #(); hub_owner γ i true }}};
  hub_close_spec o γ n :
    {{{ hub_inv o γ n }}} h_close o #() {{{ RET #(); True }}};
}.
Global Arguments hub_spec Σ {_}.

(** [make] returns an empty hub for [n] workers, none of which serves. At first the
    hub's notifier does nothing. Before the hub is used, the notifier gets its final
    function, which may be called for every worker. *)
Definition hub_maker `{!heapGS Σ, !hub_spec Σ} (make : val) : Prop :=
  ∀ n : nat, 0 < n →
    {{{ True }}}
      make #n
    {{{ o f, RET hub_val o n;
        (h_notifier o +ₗ 0) ↦na f ∗
        ∀ g, (h_notifier o +ₗ 0) ↦na□ g -∗
          □ (∀ i : nat, ⌜i < n⌝ → WP g #i {{ _, True }}) ={⊤}=∗
          ∃ γ, hub_inv o γ n ∗ hub_model γ ∅ ∗
            [∗ list] i ∈ seq 0 n, hub_owner γ i false }}}.
