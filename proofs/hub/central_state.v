(** The queues that all hubs share (Central), the ghost state:
    lib/kernel/hub/central.ml.

    The model is the multiset of the tasks in these places:
    - the shared queue and the deferred queue: tasks for any worker;
    - the inbox of each worker: tasks for this worker alone;
    - the hand of each worker: tasks on their way between two places, also for any
      worker.

    A fair pop that finds a yielding task in the shared queue moves the task to the
    deferred queue. In between, the task is in neither queue and still belongs to the
    hub: the task is in the worker's hand. The hand is ghost state in two halves. One
    half is in the model, and the other half comes with the right to act as this worker
    ([central_owner] is this right with an empty hand). A hub may also use the hand for
    the tasks that the hub carries ([central_hold], [central_release]).

    The plain fields of a worker's local record belong to the thread that acts as this
    worker, so no access to the fields races. The proof knows only the types of the
    fields: the fields decide only where a pop looks first, so their values do not
    matter. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import queue_code queue.
From dromos.hub Require Import central_code hub_spec taking.

Class centralG Σ := CentralG {
  #[global] central_queueG :: queueG Σ;
  #[global] central_handG :: ghost_varG Σ (list loc);
}.
Definition centralΣ : gFunctors := #[queueΣ; ghost_varΣ (list loc)].
Global Instance subG_centralΣ Σ : subG centralΣ Σ → centralG Σ.
Proof. solve_inG. Qed.

(** The parts of one worker. *)
Record central_local := CentralLocal {
  cl_block : loc;  (** The block of the worker's local record. *)
  cl_inbox : queue_names;  (** The queue of tasks for this worker alone. *)
  cl_hand : gname;  (** The ghost name of the tasks that the worker carries. *)
}.
Record central_names := CentralNames {
  central_name_shared : queue_names;
  central_name_deferred : queue_names;
  central_name_locals : list central_local;
}.

(** ** Items *)

Definition loc_val (l : loc) : val := #l.
(** The value in the shared queue that stands for task [y.2]; [y.1] says whether the
    task yields. *)
Definition shared_val (y : bool * loc) : val :=
  if y.1 then InjRV #y.2 else InjLV #y.2.

Definition any_items (ls : list loc) : list hub_item := (λ l, (l, None)) <$> ls.
Fixpoint inbox_items (i : nat) (qss : list (list loc)) : list hub_item :=
  match qss with
  | [] => []
  | qs :: qss => ((λ l, (l, Some i)) <$> qs) ++ inbox_items (S i) qss
  end.
(** [ys] is the shared queue, [zs] the deferred queue, [hss] the hands, [qss] the
    inboxes. *)
Definition central_items (ys : list (bool * loc)) (zs : list loc)
    (hss qss : list (list loc)) : hub_items :=
  list_to_set_disj (any_items (ys.*2 ++ zs ++ concat hss) ++ inbox_items 0 qss).

Section central.
  Context `{!heapGS Σ, !centralG Σ}.
  Implicit Types (γ : central_names) (t : val) (M : hub_items) (i n : nat) (l local : loc).
  Implicit Types (x : central_local).

  Definition central_parts γ (ys : list (bool * loc)) (zs : list loc)
      (hss qss : list (list loc)) : iProp Σ :=
    queue_model (central_name_shared γ) (shared_val <$> ys) ∗
    queue_model (central_name_deferred γ) (loc_val <$> zs) ∗
    ([∗ list] x; hs ∈ central_name_locals γ; hss, ghost_var (cl_hand x) (1/2) hs) ∗
    ([∗ list] x; qs ∈ central_name_locals γ; qss, queue_model (cl_inbox x) (loc_val <$> qs)).
  Definition central_model γ M : iProp Σ :=
    ∃ ys zs hss qss, central_parts γ ys zs hss qss ∗ ⌜M = central_items ys zs hss qss⌝.

  Definition central_fields x : iProp Σ :=
    ∃ (pops turn older seed : Z) (from_inbox : bool),
      (cl_block x +ₗ 1) ↦na #pops ∗ (cl_block x +ₗ 2) ↦na #turn ∗
      (cl_block x +ₗ 3) ↦na #older ∗ (cl_block x +ₗ 4) ↦na #seed ∗
      (cl_block x +ₗ 5) ↦na #from_inbox.
  (** The right to act as worker [i], whose hand holds the tasks [ls]. *)
  Definition central_carries γ i (ls : list loc) : iProp Σ :=
    ∃ x, ⌜central_name_locals γ !! i = Some x⌝ ∗ central_fields x ∗
      ghost_var (cl_hand x) (1/2) ls.
  Definition central_owner γ i : iProp Σ := central_carries γ i [].

  Definition central_locals γ (locals : loc) : iProp Σ :=
    is_array locals DfracDiscarded ((λ x, #(cl_block x)) <$> central_name_locals γ) ∗
    [∗ list] x ∈ central_name_locals γ,
      ∃ inbox, (cl_block x +ₗ 0) ↦□ inbox ∗ queue_inv hubN (cl_inbox x) inbox.
  (** The notifier may be called for every worker, and a call does not affect the
      hub. *)
  Definition central_notifier (nf : loc) n : iProp Σ :=
    ∃ g, (nf +ₗ 0) ↦na□ g ∗ □ (∀ i : nat, ⌜i < n⌝ → WP g #i {{ _, True }}).
  Definition central_inv γ t n : iProp Σ :=
    ∃ (shared deferred : val) (locals nf : loc),
      ⌜t = (shared, deferred, #locals, #nf)%V⌝ ∗ ⌜length (central_name_locals γ) = n⌝ ∗
      queue_inv hubN (central_name_shared γ) shared ∗
      queue_inv hubN (central_name_deferred γ) deferred ∗
      central_locals γ locals ∗ central_notifier nf n.

  Global Instance central_model_timeless γ M : Timeless (central_model γ M).
  Proof. apply _. Qed.
  Global Instance central_carries_timeless γ i ls : Timeless (central_carries γ i ls).
  Proof. apply _. Qed.
  Global Instance central_owner_timeless γ i : Timeless (central_owner γ i).
  Proof. apply _. Qed.
  Global Instance central_inv_persistent γ t n : Persistent (central_inv γ t n).
  Proof. apply _. Qed.
End central.
