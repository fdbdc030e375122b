(** The pool's state: ghost state, invariant and resources.

    One invariant, [pool_main], holds the two words by which a pool closes and the
    model of the pool's hub, with every published task's block and the resources of
    its code. The publication of a task has a key in the map of pending keys; the
    holder of the key's fragment owes the pool the execution. [depth] has, for each
    worker, the number of tasks that the worker executes, one inside the other.
    Taking a task from the hub raises the taker's depth; the end of the execution
    removes the key and lowers the depth. So always

      keys pending <= tasks in the hub + sum of depths.

    Outside submissions. [outside] counts the submissions under way; a submission that
    has read [closed] = false holds an open entry. Once [closed] is true and [outside]
    has been read as 0, the pool is sealed: there is no open entry, and there never
    will be. From then on only workers publish tasks, from inside tasks.

    Roles. The thread that fills a role holds the resources of the worker
    ([worker_own]). Between two threads these resources are [pool_right]. The only
    thread that may fill the role holds [pool_right]; for role 0 of a pool that many
    callers share, the mutex protects it. Half of the entry of [servers] belongs to
    the mutex, and half to the worker, so the worker can read the entry without the
    mutex. From the moment a closer has left role 0 of a sealed pool, the right to
    role 0 belongs to the closer: the mutex then protects the closer's token instead,
    and a thread that comes for the role sees that the pool is closed.

    When a closed pool's last worker finds no task in the hub, while no other thread
    acts and all depths are 0, the inequality says that no key is pending:
    [pool_finished]. For this one look the worker takes the hub's model out of the
    invariant ([pool_quiet]). *)
From stdpp Require Import gmultiset.
From iris.algebra Require Import auth numbers.
From iris.base_logic.lib Require Import invariants ghost_map mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Export pool_deps.

Class poolG Σ := PoolG {
  #[local] pool_mutexG :: mutexG Σ;
  #[local] pool_depthG :: ghost_mapG Σ nat nat;
  #[local] pool_unitG :: ghost_mapG Σ nat ();
  #[local] pool_sealedG :: mono_natG Σ;
  #[local] pool_entryG :: inG Σ (authR (prodUR natUR natUR));
}.
Definition poolΣ : gFunctors :=
  #[mutexΣ; ghost_mapΣ nat nat; ghost_mapΣ nat (); mono_natΣ;
    GFunctor (authR (prodUR natUR natUR))].
Global Instance subG_poolΣ Σ : subG poolΣ Σ → poolG Σ.
Proof. solve_inG. Qed.

(** The sum of the depths. *)
Definition hsum (H : gmap nat nat) : nat := map_fold (λ _ h s, h + s) 0 H.
Lemma hsum_empty : hsum ∅ = 0.
Proof. done. Qed.
Lemma hsum_insert_fresh H i h : H !! i = None → hsum (<[i := h]> H) = h + hsum H.
Proof. intros. rewrite /hsum map_fold_insert_L //. intros. lia. Qed.
Lemma hsum_delete H i h : H !! i = Some h → hsum H = h + hsum (delete i H).
Proof.
  intros. rewrite -{1}(insert_delete H i h) // hsum_insert_fresh //. apply lookup_delete.
Qed.
Lemma hsum_update H i h h' : H !! i = Some h → hsum (<[i := h']> H) + h = h' + hsum H.
Proof.
  intros Hi. rewrite -insert_delete_insert hsum_insert_fresh ?lookup_delete //.
  rewrite (hsum_delete H i h Hi). lia.
Qed.
Lemma hsum_lookup_le H i h : H !! i = Some h → h ≤ hsum H.
Proof. intros Hi. rewrite (hsum_delete H i h Hi). lia. Qed.
Lemma hsum_zero H : (∀ i h, H !! i = Some h → h = 0) → hsum H = 0.
Proof.
  induction H as [|i h H Hi IH] using map_ind; first done. intros Hz.
  rewrite hsum_insert_fresh // (Hz i h) ?lookup_insert //. apply IH. intros j k Hj.
  apply (Hz j k). rewrite lookup_insert_ne //. by intros <-; simplify_eq.
Qed.

Definition poolN : namespace := nroot .@ "dromos" .@ "pool".
Definition pool_mainN : namespace := poolN .@ "main".
Definition pool_promiseN : namespace := poolN .@ "promise".
Definition pool_finishedN : namespace := poolN .@ "finished".
Definition pool_wordN : namespace := poolN .@ "word".

(** Ghost state of a role: the serving thread, the number of threads of the same role
    above it, the number of tasks that it executes, and whether its sleep is
    announced. *)
Record pool_scope := PoolScope {
  sc_announced : bool; sc_worker : nat; sc_outer : nat; sc_depth : nat
}.

Section state.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.

  (** The names that are fixed at creation. [pn_shared]: role 0 is open to all
    callers. *)
  Record pool_name := PoolName {
    pn_hub : hub_name;
    pn_ops : hub_ops;
    pn_size : nat;
    pn_shared : bool;
    pn_pending : gname;
    pn_depth : gname;
    pn_drained : gname;
    pn_sealed : gname;
    pn_entry : gname;
    pn_closer : gname;
    pn_self : loc;
    pn_idle : loc;
    pn_on_idle : val;
    pn_waiters : val;
    pn_phases : wt_name;
    pn_closed : loc;
    pn_outside : loc;
    pn_contexts : loc;
    pn_mutex : val;
    pn_change : val;
    pn_servers : loc;
  }.
  Implicit Types (γ : pool_name) (i d k : nat) (l c : loc) (M : hub_items).

  (** ** Workers *)

  Definition is_ctx γ i c : iProp Σ :=
    (pn_contexts γ +ₗ (1 + i)%Z) ↦□ #c ∗
    (c +ₗ 0) ↦□ #(pn_self γ) ∗ (c +ₗ 1) ↦□ #i ∗
    ∃ w : loc, (c +ₗ 2) ↦□ #w ∗ inv pool_wordN (∃ b : bool, w ↦ #b).

  Definition ctx_words c : iProp Σ :=
    (∃ b : bool, (c +ₗ 3) ↦na #b) ∗ (∃ b : bool, (c +ₗ 4) ↦na #b) ∗
    (∃ z : Z, (c +ₗ 5) ↦na #z) ∗ (∃ z : Z, (c +ₗ 6) ↦na #z) ∗
    (∃ z : Z, (c +ₗ 7) ↦na #z) ∗ (∃ z : Z, (c +ₗ 8) ↦na #z).

  Definition depth_is γ i d : iProp Σ := i ↪[pn_depth γ] d.
  Definition server_half γ i (k : nat) : iProp Σ :=
    (pn_servers γ +ₗ (1 + i)%Z) ↦{#1/2} #k.

  Definition worker_own γ i c (a serving : bool) (k d : nat) : iProp Σ :=
    ⌜i < pn_size γ⌝ ∗ is_ctx γ i c ∗ ctx_words c ∗ hub_owner (pn_hub γ) i serving ∗
    wt_phase (pn_phases γ) i a ∗ server_half γ i k ∗ depth_is γ i d.

  Definition pool_right γ i : iProp Σ := ∃ c, worker_own γ i c false false 0 0.

  (** A worker that serves. *)
  Definition pool_worker γ c (sc : pool_scope) : iProp Σ :=
    worker_own γ (sc_worker sc) c (sc_announced sc) true (S (sc_outer sc)) (sc_depth sc).

  (** ** Tasks *)

  Definition key_half γ k : iProp Σ := k ↪[pn_pending γ]{#1/2} ().
  Definition key_full γ k : iProp Σ := k ↪[pn_pending γ] ().

  (** The mutable part of a task's block; its owner has the task. *)
  Definition task_block l : iProp Σ := ∃ w a, (l +ₗ 1) ↦na w ∗ (l +ₗ 2) ↦na a.

  (** The code runs once, on any worker; [R] is the postcondition. *)
  Definition task_runs γ l (code : val) (R : iProp Σ) : iProp Σ :=
    ∀ c i o d, let sc := PoolScope false i o (S d) in
      pool_worker γ c sc -∗ task_block l -∗
      WP code #c {{ _, pool_worker γ c sc ∗ R }}.

  Definition pool_task γ l : iProp Σ :=
    ∃ code k, (l +ₗ 0) ↦□ code ∗ task_block l ∗ key_half γ k ∗
      task_runs γ l code (key_half γ k ={⊤}=∗ key_full γ k).

  (** ** Promises *)

  Definition pool_finished γ : iProp Σ :=
    inv pool_finishedN (ghost_map_auth (pn_pending γ) 1 (∅ : gmap nat ())).

  (** [η] holds two tokens: 0 for the consumer, 1 for the keeper of the promise. *)
  Definition promise γ k (η : gname) (P Q : iProp Σ) : iProp Σ :=
    inv pool_promiseN
      (key_half γ k ∨ 1 ↪[η] () ∗ (P ∨ 0 ↪[η] ()) ∗ □ Q).
  Definition pool_obligation γ (Q : iProp Σ) : iProp Σ := ∃ k η P, promise γ k η P Q.
  Definition pool_consumer γ (P : iProp Σ) : iProp Σ :=
    ∃ k η Q, promise γ k η P Q ∗ 0 ↪[η] ().

  (** ** The invariant *)

  (** The stage: 0 open, 1 closed, 2 sealed. *)
  Definition pool_closed γ : iProp Σ := mono_nat_lb_own (pn_sealed γ) 1.
  Definition pool_sealed γ : iProp Σ := mono_nat_lb_own (pn_sealed γ) 2.
  Definition plain_entry γ : iProp Σ := own (pn_entry γ) (◯ (1, 0)).
  Definition open_entry γ : iProp Σ := own (pn_entry γ) (◯ (0, 1)).
  (** The closer's mark, and the right to close, which closing uses up. *)
  Definition closer_token γ : iProp Σ := 0 ↪[pn_closer γ] ().
  Definition may_close γ : iProp Σ := 1 ↪[pn_closer γ] ().
  Definition entry_auth γ (b : bool) (p o : nat) : iProp Σ :=
    own (pn_entry γ) (● (p, o)) ∗ (⌜b = false⌝ ∨ may_close γ).
  (** The pool is sealed, and worker [i] has found no task for itself alone. *)
  Definition pool_drained γ i : iProp Σ := i ↪[pn_drained γ]□ ().

  Definition pool_count γ (s : nat) M (H : gmap nat nat) : iProp Σ :=
    (∃ P : gmap nat (), ghost_map_auth (pn_pending γ) 1 P ∗ ⌜size P ≤ size M + hsum H⌝) ∨
    (⌜2 ≤ s ∧ M = ∅ ∧ hsum H = 0⌝ ∗ pool_finished γ).
  (** A task for one worker names a worker of the pool. *)
  Definition target_ok γ (w : option nat) : Prop := ∀ j, w = Some j → j < pn_size γ.
  Definition pool_tasks γ (s : nat) M : iProp Σ :=
    ([∗ mset] x ∈ M, pool_task γ x.1 ∗ ⌜target_ok γ x.2⌝) ∗
    ∃ (H : gmap nat nat) (D : gmap nat ()),
      ghost_map_auth (pn_depth γ) 1 H ∗ ⌜dom H = set_seq 0 (pn_size γ)⌝ ∗
      ghost_map_auth (pn_drained γ) 1 D ∗ ([∗ map] i ↦ _ ∈ D, pool_drained γ i) ∗
      ⌜∀ i, is_Some (D !! i) → 2 ≤ s ∧ ∀ x, x ∈ M → x.2 ≠ Some i⌝ ∗
      pool_count γ s M H.
  Definition pool_open γ s : iProp Σ :=
    ∃ M, hub_model (pn_hub γ) M ∗ pool_tasks γ s M.
  Definition pool_quiet γ (s : nat) : iProp Σ :=
    ⌜2 ≤ s⌝ ∗ [∗ list] i ∈ seq 0 (pn_size γ), depth_is γ i 0.

  Definition pool_words γ (b : bool) (s : nat) : iProp Σ :=
    ∃ p o : nat,
      pn_closed γ ↦ #b ∗ pn_outside γ ↦ #(Z.of_nat (p + o)) ∗ entry_auth γ b p o ∗
      mono_nat_auth_own (pn_sealed γ) 1 s ∗ ⌜(b = true ↔ 1 ≤ s) ∧ (2 ≤ s → o = 0)⌝.
  Definition pool_main γ : iProp Σ :=
    ∃ b s, pool_words γ b s ∗ (pool_open γ s ∨ pool_quiet γ s).

  Definition pool_servers γ : iProp Σ :=
    ∃ ks : list nat, ⌜length ks = pn_size γ⌝ ∗
      ([∗ list] i ↦ k ∈ ks, server_half γ i k) ∗
      if pn_shared γ
      then (⌜ks !! 0 = Some 0⌝ → pool_right γ 0 ∨ pool_sealed γ ∗ closer_token γ)
      else True.

  Definition pool_inv γ (t : val) : iProp Σ :=
    ⌜t = #(pn_self γ)⌝ ∗ ⌜0 < pn_size γ⌝ ∗
    (pn_self γ +ₗ 0) ↦□ hub_val (pn_ops γ) (pn_size γ) ∗
    (pn_self γ +ₗ 1) ↦□ #(pn_idle γ) ∗ (pn_self γ +ₗ 2) ↦□ pn_on_idle γ ∗
    (pn_self γ +ₗ 3) ↦□ pn_waiters γ ∗ (pn_self γ +ₗ 4) ↦□ #(pn_closed γ) ∗
    (pn_self γ +ₗ 5) ↦□ #(pn_outside γ) ∗ (pn_self γ +ₗ 6) ↦na□ #(pn_contexts γ) ∗
    (pn_self γ +ₗ 7) ↦□ pn_mutex γ ∗ (pn_self γ +ₗ 8) ↦□ pn_change γ ∗
    (pn_self γ +ₗ 9) ↦□ #(pn_servers γ) ∗
    array_len (pn_contexts γ) (pn_size γ) ∗ array_len (pn_servers γ) (pn_size γ) ∗
    (□ ∀ i, ⌜i < pn_size γ⌝ → ∃ c, is_ctx γ i c) ∗
    hub_inv (pn_ops γ) (pn_hub γ) (pn_size γ) ∗
    wt_inv (pn_phases γ) (pn_waiters γ) (pn_size γ) ∗
    condition_inv (pn_change γ) ∗ mutex_inv (pn_mutex γ) (pool_servers γ) ∗
    inv pool_wordN (∃ z : Z, pn_idle γ ↦ #z) ∗
    □ (∀ i, ⌜i < pn_size γ⌝ → WP pn_on_idle γ #i {{ _, True }}) ∗
    inv pool_mainN (pool_main γ).

  Global Instance is_ctx_persistent γ i c : Persistent (is_ctx γ i c).
  Proof. apply _. Qed.
  Global Instance pool_inv_persistent γ t : Persistent (pool_inv γ t).
  Proof. apply _. Qed.
  Global Instance pool_obligation_persistent γ Q : Persistent (pool_obligation γ Q).
  Proof. apply _. Qed.
  Global Instance pool_finished_persistent γ : Persistent (pool_finished γ).
  Proof. apply _. Qed.
  Global Instance pool_closed_persistent γ : Persistent (pool_closed γ).
  Proof. apply _. Qed.
  Global Instance pool_sealed_persistent γ : Persistent (pool_sealed γ).
  Proof. apply _. Qed.
  Global Instance pool_drained_persistent γ i : Persistent (pool_drained γ i).
  Proof. apply _. Qed.
  Global Instance pool_words_timeless γ b s : Timeless (pool_words γ b s).
  Proof. apply _. Qed.
  Global Instance pool_quiet_timeless γ s : Timeless (pool_quiet γ s).
  Proof. apply _. Qed.
  Global Instance task_block_timeless l : Timeless (task_block l).
  Proof. apply _. Qed.

  Lemma pool_inv_agree γ1 γ2 t :
    pool_inv γ1 t -∗ pool_inv γ2 t -∗ ⌜pn_size γ1 = pn_size γ2⌝.
  Proof.
    iIntros "(%H1 & _ & #H1 & _) (%H2 & _ & #H2 & _)".
    rewrite H1 in H2. injection H2 as ->.
    iDestruct (pointsto_agree with "H1 H2") as %Heq. iPureIntro.
    rewrite /hub_val in Heq. simplify_eq. lia.
  Qed.

  (** ** Consuming promises *)

  Lemma pool_obligation_finished γ Q E : ↑poolN ⊆ E →
    pool_obligation γ Q -∗ pool_finished γ ={E}=∗ ▷ □ Q.
  Proof.
    iIntros (?) "(%k & %η & %P & #Hp) #Hf".
    iInv "Hf" as ">Ha". iInv "Hp" as "[>Hk|(Htok & HP & #HQ)]".
    - iDestruct (ghost_map_lookup with "Ha Hk") as %?. simplify_map_eq.
    - iModIntro. iSplitL "HP Htok"; first by iRight; iFrame. iModIntro. by iFrame.
  Qed.
  Lemma pool_consumer_finished γ P E : ↑poolN ⊆ E →
    pool_consumer γ P -∗ pool_finished γ ={E}=∗ ▷ P.
  Proof.
    iIntros (?) "(%k & %η & %Q & #Hp & Htok) #Hf".
    iInv "Hf" as ">Ha". iInv "Hp" as "[>Hk|(Htok1 & [HP|>Htok'] & #HQ)]".
    - iDestruct (ghost_map_lookup with "Ha Hk") as %?. simplify_map_eq.
    - iModIntro. iSplitL "Htok Htok1". { iRight. by iFrame "Htok Htok1". }
      iModIntro. by iFrame.
    - iDestruct (ghost_map_elem_valid_2 with "Htok Htok'") as %[? _]. done.
  Qed.

  (** ** Ghost steps on the tasks *)

  Lemma key_register γ P :
    ghost_map_auth (pn_pending γ) 1 P ==∗
    ∃ k, ⌜P !! k = None⌝ ∗ ghost_map_auth (pn_pending γ) 1 (<[k := ()]> P) ∗
      key_half γ k ∗ key_half γ k.
  Proof.
    iIntros "H". pose (k := fresh (dom P)).
    assert (P !! k = None) as Hk by apply not_elem_of_dom, is_fresh.
    iMod (ghost_map_insert k () with "H") as "[H [Hk1 Hk2]]"; first done.
    iModIntro. iExists k. by iFrame.
  Qed.

  (** A task that is about to be published. *)
  Definition task_ready γ l (P Q : iProp Σ) : iProp Σ :=
    ∃ code, (l +ₗ 0) ↦□ code ∗ task_block l ∗ task_runs γ l code (▷ P ∗ ▷ □ Q).

  Lemma task_promise γ l k P Q E :
    ▷ task_ready γ l P Q -∗ key_half γ k -∗ key_half γ k ={E}=∗
    ▷ pool_task γ l ∗ pool_obligation γ Q ∗ pool_consumer γ P.
  Proof.
    iIntros "(%code & #Hcode & Hl & Hrun) Hk1 Hk2".
    iMod (ghost_map_alloc {[0 := (); 1 := ()]}) as (η) "[_ Htok]".
    rewrite big_sepM_insert // big_sepM_singleton. iDestruct "Htok" as "[Htok Htok1]".
    iMod (inv_alloc pool_promiseN _ (key_half γ k ∨ 1 ↪[η] () ∗ (P ∨ 0 ↪[η] ()) ∗ □ Q)
      with "[$Hk2]") as "#Hp".
    iModIntro. iSplitR "Htok"; last first.
    { iSplit; [iExists _, _, _; by iFrame "Hp"|iExists _, _, _; by iFrame "Hp Htok"]. }
    iExists code, k. iFrame "Hcode Hl Hk1". iIntros "!>" (c i o d) "/= Hw Hl".
    iApply (wp_wand with "(Hrun Hw Hl)"). iIntros (v) "($ & HP & #HQ) Hk".
    iInv "Hp" as "[>Hk'|(>Htok & _)]".
    - iModIntro. iSplitL "HP Htok1"; last by iCombine "Hk Hk'" as "$".
      iRight. iFrame "HQ Htok1". by iLeft.
    - iDestruct (ghost_map_elem_valid_2 with "Htok Htok1") as %[? _]. done.
  Qed.

  Lemma depth_lookup γ H i d :
    ghost_map_auth (pn_depth γ) 1 H -∗ depth_is γ i d -∗ ⌜H !! i = Some d⌝.
  Proof. iIntros "H1 H2". iApply (ghost_map_lookup with "H1 H2"). Qed.

  (** A worker that executes a task publishes another. *)
  Lemma tasks_add γ s M i d l P Q E :
    ▷ pool_tasks γ s M -∗ depth_is γ i (S d) -∗ ▷ task_ready γ l P Q ={E}=∗
    ▷ pool_tasks γ s (M ⊎ {[+ (l, None) +]}) ∗ depth_is γ i (S d) ∗
    pool_obligation γ Q ∗ pool_consumer γ P.
  Proof.
    iIntros "[HM (%H & %D & >HH & >%Hdom & >HD & >#HDs & >%HDM & Hcount)] Hd Hl".
    iDestruct (depth_lookup with "HH Hd") as %Hi.
    pose proof (hsum_lookup_le _ _ _ Hi).
    iDestruct "Hcount" as "[(%K & >HK & >%HK)|[>%Hfin _]]"; last lia.
    iMod (key_register with "HK") as (k Hk) "(HK & Hk1 & Hk2)".
    iMod (task_promise with "Hl Hk1 Hk2") as "(Hl & $ & $)".
    iModIntro. iFrame "Hd". iSplitL "HM Hl".
    { rewrite big_sepMS_disj_union big_sepMS_singleton. by iFrame. }
    iExists H, D. iFrame "HH HD HDs". iSplit; first done. iSplit.
    { iPureIntro. intros j Hj. destruct (HDM j Hj) as [? Hx]. split; first done.
      intros x [Hin| ->%gmultiset_elem_of_singleton]%gmultiset_elem_of_disj_union; auto. }
    iLeft. iExists _. iFrame "HK". iPureIntro.
    rewrite map_size_insert_None // gmultiset_size_disj_union gmultiset_size_singleton. lia.
  Qed.

  (** An outside caller publishes a task; the pool is not sealed. *)
  Lemma tasks_submit γ s M l w P Q E :
    s < 2 → target_ok γ w →
    ▷ pool_tasks γ s M -∗ ▷ task_ready γ l P Q ={E}=∗
    ▷ pool_tasks γ s (M ⊎ {[+ (l, w) +]}) ∗ pool_obligation γ Q ∗ pool_consumer γ P.
  Proof.
    iIntros (Hs Hw) "[HM (%H & %D & >HH & >%Hdom & >HD & >#HDs & >%HDM & Hcount)] Hl".
    iDestruct "Hcount" as "[(%K & >HK & >%HK)|[>%Hfin _]]"; last lia.
    iMod (key_register with "HK") as (k Hk) "(HK & Hk1 & Hk2)".
    iMod (task_promise with "Hl Hk1 Hk2") as "(Hl & $ & $)".
    iModIntro. iSplitL "HM Hl".
    { rewrite big_sepMS_disj_union big_sepMS_singleton. by iFrame. }
    iExists H, D. iFrame "HH HD HDs". iSplit; first done. iSplit.
    { iPureIntro. intros j Hj. destruct (HDM j Hj) as [? Hx]. lia. }
    iLeft. iExists _. iFrame "HK". iPureIntro.
    rewrite map_size_insert_None // gmultiset_size_disj_union gmultiset_size_singleton. lia.
  Qed.

  (** A worker takes a task, and begins to execute the task. *)
  Definition pool_taken γ i d (r : val) : iProp Σ :=
    ⌜r = NONEV⌝ ∗ depth_is γ i d ∨
    ∃ l, ⌜r = SOMEV #l⌝ ∗ ▷ pool_task γ l ∗ depth_is γ i (S d).
  Lemma tasks_take γ s M M' x i d E :
    M = M' ⊎ {[+ x +]} →
    ▷ pool_tasks γ s M -∗ depth_is γ i d ={E}=∗
    ▷ pool_tasks γ s M' ∗ ▷ pool_task γ x.1 ∗ depth_is γ i (S d).
  Proof.
    iIntros (->) "[HM (%H & %D & >HH & >%Hdom & >HD & >#HDs & >%HDM & Hcount)] Hd".
    iDestruct (depth_lookup with "HH Hd") as %Hi.
    rewrite big_sepMS_disj_union big_sepMS_singleton. iDestruct "HM" as "[$ [$ _]]".
    iMod (ghost_map_update (S d) with "HH Hd") as "[HH $]".
    iModIntro. iExists _, D. iFrame "HH HD HDs". iSplit.
    { iPureIntro. rewrite dom_insert_L -Hdom. apply elem_of_dom_2 in Hi. set_solver. }
    iSplit.
    { iPureIntro. intros j Hj. destruct (HDM j Hj) as [? Hx]. split; first done.
      intros y Hy. apply Hx. multiset_solver. }
    iDestruct "Hcount" as "[(%K & >HK & >%HK)|[>%Hfin _]]"; last first.
    { exfalso. destruct Hfin as (_ & Hfin & _). multiset_solver. }
    iLeft. iExists K. iFrame "HK". iPureIntro.
    rewrite gmultiset_size_disj_union gmultiset_size_singleton in HK.
    pose proof (hsum_update _ _ _ (S d) Hi). lia.
  Qed.
  Lemma tasks_taken γ s M M' j r i d E :
    hub_taken j M r M' →
    ▷ pool_tasks γ s M -∗ depth_is γ i d ={E}=∗
    ▷ pool_tasks γ s M' ∗ pool_taken γ i d r.
  Proof.
    iIntros ([[-> ->]|(l & w & -> & _ & HM)]) "HM Hd".
    - iModIntro. iFrame "HM". iLeft. by iFrame.
    - iMod (tasks_take with "HM Hd") as "($ & Hl & Hd)"; first done.
      iModIntro. iRight. iExists l. by iFrame.
  Qed.

  (** The execution is over. *)
  Lemma tasks_done γ s M i d k E :
    ▷ pool_tasks γ s M -∗ depth_is γ i (S d) -∗ key_full γ k ={E}=∗
    ▷ pool_tasks γ s M ∗ depth_is γ i d.
  Proof.
    iIntros "[HM (%H & %D & >HH & >%Hdom & >HD & >#HDs & >%HDM & Hcount)] Hd Hk".
    iDestruct (depth_lookup with "HH Hd") as %Hi. iFrame "HM".
    pose proof (hsum_lookup_le _ _ _ Hi).
    iDestruct "Hcount" as "[(%K & >HK & >%HK)|[>%Hfin _]]"; last lia.
    iDestruct (ghost_map_lookup with "HK Hk") as %Hk.
    iMod (ghost_map_delete with "HK Hk") as "HK".
    iMod (ghost_map_update d with "HH Hd") as "[HH $]".
    iModIntro. iExists _, D. iFrame "HH HD HDs". iSplit.
    { iPureIntro. rewrite dom_insert_L -Hdom. apply elem_of_dom_2 in Hi. set_solver. }
    iSplit; first done. iLeft. iExists _. iFrame "HK". iPureIntro.
    rewrite map_size_delete_Some //.
    pose proof (hsum_update _ _ _ d Hi).
    assert (size K ≠ 0) by (intros ->%map_size_empty_inv; simplify_map_eq). lia.
  Qed.

  (** ** Closing *)

  Lemma tasks_drained γ s M i E :
    2 ≤ s → (∀ x, x ∈ M → x.2 ≠ Some i) →
    ▷ pool_tasks γ s M ={E}=∗ ▷ pool_tasks γ s M ∗ pool_drained γ i.
  Proof.
    iIntros (Hs Hi) "[$ (%H & %D & >HH & >%Hdom & >HD & >#HDs & >%HDM & Hcount)]".
    destruct (D !! i) as [[]|] eqn:HDi.
    - iDestruct (big_sepM_lookup with "HDs") as "$"; first done.
      iModIntro. iExists H, D. iFrame "HH HD HDs Hcount". done.
    - iMod (ghost_map_insert_persist i () with "HD") as "[HD #Hi]"; first done.
      iModIntro. iFrame "Hi". iExists H, _. iFrame "HH HD Hcount". iSplit; first done.
      iSplit; first by iApply big_sepM_insert; [done|iFrame "Hi HDs"].
      iPureIntro. intros j Hj. destruct (decide (i = j)) as [<-|Hne]; first done.
      apply HDM. by rewrite lookup_insert_ne in Hj.
  Qed.
  Lemma tasks_drained_lookup γ s M i E :
    ▷ pool_tasks γ s M -∗ pool_drained γ i ={E}=∗
    ▷ pool_tasks γ s M ∗ ⌜∀ x, x ∈ M → x.2 ≠ Some i⌝.
  Proof.
    iIntros "[$ (%H & %D & >HH & >%Hdom & >HD & >#HDs & >%HDM & Hcount)] #Hi".
    iDestruct (ghost_map_lookup with "HD Hi") as %HDi.
    iModIntro. iSplit; last by iPureIntro; apply HDM.
    iExists H, D. by iFrame "HH HD HDs Hcount".
  Qed.

  (** A sealed pool in which no worker executes a task and no task is published. *)
  Definition all_idle γ : iProp Σ := [∗ list] i ∈ seq 0 (pn_size γ), depth_is γ i 0.
  Lemma tasks_finish γ s E :
    2 ≤ s →
    ▷ pool_tasks γ s ∅ -∗ all_idle γ ={E}=∗
    ▷ pool_tasks γ s ∅ ∗ all_idle γ ∗ ▷ pool_finished γ.
  Proof.
    iIntros (Hs) "[$ (%H & %D & >HH & >%Hdom & >HD & >#HDs & >%HDM & Hcount)] Hidle".
    iAssert ⌜hsum H = 0⌝%I as %Hsum.
    { iAssert ⌜∀ i h, H !! i = Some h → h = 0⌝%I as %?; last by iPureIntro; apply hsum_zero.
      iIntros (i h Hi). assert (i < pn_size γ).
      { apply elem_of_dom_2 in Hi. rewrite Hdom elem_of_set_seq in Hi. lia. }
      iDestruct (big_sepL_lookup _ _ i i with "Hidle") as "Hi".
      { apply lookup_seq. lia. }
      iDestruct (depth_lookup with "HH Hi") as %?. iPureIntro. by simplify_map_eq. }
    iFrame "Hidle".
    iDestruct "Hcount" as "[(%K & >HK & >%HK)|[>%Hfin #Hf]]"; last first.
    { iModIntro. iFrame "Hf". iExists H, D. iFrame "HH HD HDs". iSplit; first done.
      iSplit; first done. by iRight. }
    rewrite gmultiset_size_empty Hsum in HK.
    assert (K = ∅) as -> by (apply map_size_empty_inv; lia).
    iMod (inv_alloc pool_finishedN with "HK") as "#Hf".
    iModIntro. iFrame "Hf". iExists H, D. iFrame "HH HD HDs". iSplit; first done.
    iSplit; first done. by iRight.
  Qed.

  (** ** Entries *)

  Local Lemma entry_update γ (p o a b p' o' a' b' : nat) :
    p + a' = p' + a → o + b' = o' + b →
    own (pn_entry γ) (● (p, o)) -∗ own (pn_entry γ) (◯ (a, b)) ==∗
    own (pn_entry γ) (● (p', o')) ∗ own (pn_entry γ) (◯ (a', b')).
  Proof.
    iIntros (? ?) "H1 H2". iCombine "H1 H2" as "H". rewrite -own_op.
    iApply (own_update with "H"). apply auth_update, prod_local_update; simpl;
      apply nat_local_update; lia.
  Qed.
  Local Lemma entry_le γ (p o a b : nat) :
    own (pn_entry γ) (● (p, o)) -∗ own (pn_entry γ) (◯ (a, b)) -∗ ⌜a ≤ p ∧ b ≤ o⌝.
  Proof.
    iIntros "H1 H2". iCombine "H1 H2" gives %[[?%nat_included ?%nat_included]%prod_included _]%auth_both_valid_discrete.
    done.
  Qed.
  Lemma entry_new γ b (p o : nat) :
    entry_auth γ b p o ==∗ entry_auth γ b (S p) o ∗ plain_entry γ.
  Proof.
    iIntros "[H1 $]". rewrite /plain_entry -own_op. iApply (own_update with "H1").
    apply auth_update_alloc, prod_local_update; apply (nat_local_update _ 0); simpl; lia.
  Qed.
  Lemma entry_open γ b (p o : nat) :
    entry_auth γ b p o -∗ plain_entry γ ==∗
    ∃ p', ⌜p = S p'⌝ ∗ entry_auth γ b p' (S o) ∗ open_entry γ.
  Proof.
    iIntros "[H1 $] H2". iDestruct (entry_le with "H1 H2") as %[??].
    destruct p as [|p]; first lia. iExists p. iSplitR; first done.
    iApply (entry_update with "H1 H2"); lia.
  Qed.
  Lemma entry_open_positive γ b (p o : nat) :
    entry_auth γ b p o -∗ open_entry γ -∗ ⌜1 ≤ o⌝.
  Proof. iIntros "[H1 _] H2". by iDestruct (entry_le with "H1 H2") as %[??]. Qed.
  Lemma entry_leave γ b (p o : nat) :
    entry_auth γ b p o -∗ plain_entry γ ∨ open_entry γ ==∗
    ∃ p' o' : nat, ⌜(p + o = S (p' + o') ∧ o' ≤ o)%nat⌝ ∗ entry_auth γ b p' o'.
  Proof.
    iIntros "[H1 $] [H2|H2]"; iDestruct (entry_le with "H1 H2") as %[??].
    - destruct p as [|p]; first lia. iExists p, o. iSplitR; first by iPureIntro; lia.
      iMod (entry_update _ _ _ _ _ p o 0 0 with "H1 H2") as "[$ _]"; lia || done.
    - destruct o as [|o]; first lia. iExists p, o. iSplitR; first by iPureIntro; lia.
      iMod (entry_update _ _ _ _ _ p o 0 0 with "H1 H2") as "[$ _]"; lia || done.
  Qed.

  Lemma tasks_stage γ s s' M : s ≤ s' → pool_tasks γ s M -∗ pool_tasks γ s' M.
  Proof.
    iIntros (Hs) "[$ (%H & %D & HH & $ & HD & HDs & %HDM & Hcount)]".
    iExists D. iFrame "HH HD HDs". iSplit.
    { iPureIntro. intros i Hi. destruct (HDM i Hi). split; [lia|done]. }
    iDestruct "Hcount" as "[?|[%Hfin ?]]"; [by iLeft|iRight]. iFrame. iPureIntro.
    split; [lia|apply Hfin].
  Qed.

  Lemma tasks_stage_sealed γ s s' M : 2 ≤ s' → pool_tasks γ s M -∗ pool_tasks γ s' M.
  Proof.
    iIntros (Hs) "[$ (%H & %D & HH & $ & HD & HDs & %HDM & Hcount)]".
    iExists D. iFrame "HH HD HDs". iSplit.
    { iPureIntro. intros i Hi. by destruct (HDM i Hi). }
    iDestruct "Hcount" as "[?|[%Hfin ?]]"; [by iLeft|iRight]. iFrame. iPureIntro.
    split; [done|apply Hfin].
  Qed.

  Lemma quiet_depth γ s i d :
    i < pn_size γ → pool_quiet γ s -∗ depth_is γ i d -∗ False.
  Proof.
    iIntros (Hi) "[_ Hq] Hd".
    iDestruct (big_sepL_lookup _ _ i i with "Hq") as "Hi"; first by apply lookup_seq; lia.
    by iDestruct (ghost_map_elem_valid_2 with "Hi Hd") as %[? _].
  Qed.
End state.

(** The hypotheses of [pool_inv], by name. *)
Ltac pool_inv_names :=
  iDestruct "Hinv" as "(%Hself & %Hsize & #Ht0 & #Ht1 & #Ht2 & #Ht3 & #Ht4 & #Ht5 &
    #Ht6 & #Ht7 & #Ht8 & #Ht9 & #Hcl & #Hsl & #Hctxs & #Hhub & #Hwaiters & #Hchange &
    #Hmutex & #Hidle & #Hon_idle & #Hmain)".
