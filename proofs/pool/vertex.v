(** Vertices (lib/kernel/pool/vertex.ml): their operations.

    [vertex_inv γ v P Q] is a vertex that, when it is over, ensures [Q] to all threads
    and gives [P] to one. [vertex_model γ n task again] is the exclusive right to the
    vertex before its execution [n]: the builder of the vertex holds it, and later the
    vertex's task, for the next execution. So the plain fields have no races.

    [release] takes the model away, and the proof that the task runs once the execution
    has begun. From the beginning of the execution the task learns that all predecessors
    are over ([vertex_ready_pred]). The execution uses the proof up: each release needs a
    proof. A task ends with the postcondition of the vertex, or, after a call of
    [yield], with the proof for another execution, of the task that is then set.

    [precede] is in vertex_precede.v. Only the vertex's own task calls [yield].

    The thread that hands in the last token takes a key of the pool for the vertex at
    that instant ([pool_hold]), and holds the vertex as a task until it has pushed the
    task. So the pool waits for the vertex from then on; vertex_finished.v has the
    consequences. *)
From iris.algebra Require Import auth gset numbers lib.frac_auth.
From iris.base_logic.lib Require Import invariants ghost_map ghost_var mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Import pool_basics pool_tasks.
From dromos.pool Require Export pool vertex_state vertex_tokens vertex_precede.
From dromos.pool Require Import pool_code vertex_code.

Local Existing Instances vertex_tokenG vertex_modelG vertex_keyG vertex_iterG vertex_predG
  vertex_edgeG vertex_shareG.

Section vertex.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !vertexG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (γ γa : vertex_name) (k n : nat) (b : bool) (v ctx task : val).
  Implicit Types (sc : pool_scope) (g : vertex_id).
  Implicit Types (K : gmap nat vertex_token).
  Local Notation vertex_inv := (vertex_inv γp t).
  Local Notation vertex_main_inv := (vertex_main_inv γp t).
  Local Notation vertex_run_ok := (vertex_run_ok γp t).
  Local Notation vertex_state := (vertex_state γp t).
  Local Notation state_left := (state_left γp t).

  (** The block of a task without a proof about its code. *)
  Local Lemma hub_task_block_spec (code : val) :
    {{{ True }}}
      hub_hub_task code
    {{{ l, RET #l; (l +ₗ 0) ↦□ code ∗ task_block l }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_apply array_make_spec; [done..|].
    iIntros (a) "_". wp_pures. iApply wp_fupd. wp_apply block3_spec; first done.
    iIntros (l) "(Hl0 & Hl1 & Hl2 & _)".
    iMod (pointsto_persist with "Hl0") as "#Hl0". iModIntro. iApply "HΦ". iFrame "Hl0".
    rewrite /task_block. iExists _, _. iFrame.
  Qed.

  (** ** Handing in a token *)

  (** The caller's context after the caller has handed in a token. If the token was
      the last one, [b] is true, and the caller holds the vertex as a task. *)
  Local Definition handed_in γ ctx sc b : iProp Σ :=
    (if b then pool_holds γp t ctx sc (vx_work γ) else pool_context γp t ctx sc)%I.

  Local Lemma state_left_hold γ v K ctx sc E :
    ↑poolN ⊆ E →
    vertex_main_inv γ v -∗ state_left γ K -∗ pool_context γp t ctx sc ={E}=∗
    vertex_state γ K ∗ handed_in γ ctx sc (bool_decide (K = ∅)).
  Proof.
    iIntros (HE) "#Hv [[%HK Hst]|[%HK (%n & (Hblock & Hhalf & Hrun) & Hst)]] Hctx".
    { rewrite bool_decide_eq_false_2 //. by iFrame. }
    rewrite bool_decide_eq_true_2 //.
    iAssert (pool_inv γp t) as "#Hinv"; first by iDestruct "Hctx" as (c) "(_ & $ & _)".
    iMod (pool_hold with "Hctx") as "($ & %k & Hk1 & Hk2)"; first done.
    iMod ("Hst" with "Hk1") as "[$ Hkey]". iModIntro.
    iDestruct "Hv" as "(_ & _ & _ & _ & #Hcode & _)". rewrite /pool_task.
    iExists _, k. iFrame "Hcode Hblock Hk2".
    iIntros (c i o d) "/= Hworker Hblock". rewrite /vertex_work_code. wp_pures.
    iApply (wp_wand with "[Hrun Hworker Hblock Hhalf Hkey]").
    { iApply ("Hrun" $! #c (PoolScope false i o (S d)) with "[Hworker] Hblock Hhalf Hkey").
      iExists c. iFrame "Hinv Hworker". iPureIntro. simpl. split; [done|]. split; [done|lia]. }
    iIntros (r) "[(%c' & [%Heq _] & _ & Hworker) $]". by injection Heq as <-.
  Qed.

  Local Lemma one_left K k :
    is_Some (K !! k) → bool_decide (#(size K) = #1) = bool_decide (delete k K = ∅).
  Proof.
    intros Hk. pose proof (size_delete_eq K k Hk). apply bool_decide_ext. split.
    - intros [= Heq]. apply map_size_empty_inv. lia.
    - intros Heq. rewrite Heq map_size_empty in H. do 2 f_equal. lia.
  Qed.
  Local Lemma vertex_one_less_pred_spec γ v k g ctx sc :
    {{{ vertex_main_inv γ v ∗ token γ k (Waits g) ∗ over_at g ∗ pool_context γp t ctx sc }}}
      pool_vertex_one_less v
    {{{ b, RET #b; share_at g ∗ handed_in γ ctx sc b }}}.
  Proof.
    iIntros (Φ) "(#Hv & Htok & #Hover & Hctx) HΦ".
    iPoseProof "Hv" as "(-> & _ & #Hwaits & _ & _ & #Hmain)".
    wp_rec. wp_pures. wp_load. wp_bind (FAA _ _). iInv "Hmain" as (K) "[>Hw Hst]". wp_faa.
    iMod (state_remove with "Hst Htok Hover") as "(%Hk & Hshare & Hleft)".
    iMod (state_left_hold with "Hv Hleft Hctx") as "[Hst Hb]"; first solve_ndisj.
    iModIntro. iSplitL "Hw Hst"; first by iNext; iApply (main_less with "Hw Hst").
    wp_pures. rewrite (one_left K k) //. iModIntro. iApply "HΦ". iFrame.
  Qed.
  Local Lemma vertex_one_less_own_spec γ v n key ctx sc :
    {{{ vertex_main_inv γ v ∗ token γ 0 Own ∗ vertex_half γ n true ∗
        task_block (vx_work γ) ∗ vertex_run_ok γ n ∗ key_back n (vertex_key γ key) ∗
        pool_context γp t ctx sc }}}
      pool_vertex_one_less v
    {{{ b, RET #b; vertex_released γ ∗ key_back n (key_half γp key) ∗
        handed_in γ ctx sc b }}}.
  Proof.
    iIntros (Φ) "(#Hv & Htok & Hhalf & Hblock & Hrun & Hkey & Hctx) HΦ".
    iPoseProof "Hv" as "(-> & _ & #Hwaits & _ & _ & #Hmain)".
    wp_rec. wp_pures. wp_load. wp_bind (FAA _ _). iInv "Hmain" as (K) "[>Hw Hst]". wp_faa.
    iMod (state_release with "Hst Htok Hhalf Hblock Hrun Hkey")
      as "(%Hk & #Hreleased & Hkey & Hleft)".
    iMod (state_left_hold with "Hv Hleft Hctx") as "[Hst Hb]"; first solve_ndisj.
    iModIntro. iSplitL "Hw Hst"; first by iNext; iApply (main_less with "Hw Hst").
    wp_pures. rewrite (one_left K 0) //. iModIntro. iApply "HΦ". by iFrame "Hreleased Hkey Hb".
  Qed.

  Local Lemma vertex_push_spec γ v ctx sc (r : Z) b :
    {{{ vertex_main_inv γ v ∗ handed_in γ ctx sc b }}}
      if: #b then pool_pool_push ctx #r (!na (v +ₗ #1)) else #()
    {{{ RET #(); pool_context γp t ctx sc }}}.
  Proof.
    iIntros (Φ) "(#Hv & Hb) HΦ". destruct b; wp_pures; last by iApply "HΦ".
    iDestruct "Hv" as "(-> & #Hwork & _)". wp_pures. wp_na_load.
    by wp_apply (pool_push_held_spec with "Hb").
  Qed.

  Local Lemma vertex_release_pred_spec ctx sc γ v k g :
    {{{ vertex_main_inv γ v ∗ token γ k (Waits g) ∗ over_at g ∗ pool_context γp t ctx sc }}}
      pool_vertex_release ctx v
    {{{ RET #(); pool_context γp t ctx sc ∗ share_at g }}}.
  Proof.
    iIntros (Φ) "(#Hv & Htok & #Hover & Hctx) HΦ". wp_rec. wp_pures.
    wp_apply (vertex_one_less_pred_spec with "[$Hv $Htok $Hover $Hctx]").
    iIntros (b) "[Hshare Hb]".
    wp_apply (vertex_push_spec _ _ _ _ 0 with "[$Hv $Hb]"). iIntros "Hctx".
    iApply "HΦ". iFrame.
  Qed.
  (** When all successors have been told, all shares are back. *)
  Local Lemma vertex_release_all_spec ctx sc g (s : val) ws :
    {{{ successors γp t g s ws ∗ shares_at g (length ws) ∗ over_at g ∗
        pool_context γp t ctx sc }}}
      pool_vertex_release_all ctx s
    {{{ RET #(); pool_context γp t ctx sc ∗ done_at g }}}.
  Proof.
    iIntros (Φ) "(Hws & Hshares & #Hover & Hctx) HΦ".
    iInduction ws as [|w ws] "IH" forall (s); simpl; wp_rec; wp_pures.
    - iDestruct "Hws" as %->. wp_pures.
      iMod (shares_done with "Hover Hshares") as "Hdone". iApply "HΦ". by iFrame.
    - iDestruct "Hws" as (l rest) "(-> & Hl0 & Hl1 & (%γ & %k & #Hw & Htok) & Hws)".
      wp_pures. wp_na_load.
      wp_apply (vertex_release_pred_spec with "[$Hw $Htok $Hover $Hctx]").
      iIntros "[Hctx Hshare]". wp_pures. wp_load.
      iMod (share_drop with "Hshares Hshare") as "Hshares".
      iApply ("IH" with "Hws Hshares Hctx HΦ").
  Qed.

  (** ** Executions *)

  (** The task may run once execution [n] has begun. The task ends with the
      postcondition of the vertex; or the task has called [yield], and ends with a
      proof for execution [S n] of the task that is then set. *)
  Definition vertex_runs_pre γ (P Q : iProp Σ) (F : nat -d> val -d> iPropO Σ) :
      nat -d> val -d> iPropO Σ := λ n task,
    (∀ ctx sc,
      pool_context γp t ctx sc -∗ vertex_model γ (S n) task false -∗ vertex_ready γ n -∗
      WP task ctx {{ _, pool_context γp t ctx sc ∗
        ((∃ task', vertex_model γ (S n) task' false) ∗ ▷ P ∗ ▷ □ Q ∨
         ∃ task', vertex_model γ (S n) task' true ∗ ▷ F (S n) task') }})%I.
  Local Instance vertex_runs_pre_contractive γ P Q : Contractive (vertex_runs_pre γ P Q).
  Proof. solve_contractive. Qed.
  Definition vertex_runs γ P Q : nat → val → iProp Σ := fixpoint (vertex_runs_pre γ P Q).
  Lemma vertex_runs_unfold γ P Q n task :
    vertex_runs γ P Q n task ⊣⊢ vertex_runs_pre γ P Q (vertex_runs γ P Q) n task.
  Proof. apply (fixpoint_unfold (vertex_runs_pre γ P Q) n task). Qed.

  Local Lemma vertex_run_spec γ v P Q :
    vertex_inv γ v P Q -∗
    □ ∀ n task, (vx_loc γ +ₗ 0) ↦na task -∗ (vx_loc γ +ₗ 2) ↦na #false -∗
      vertex_pending γ -∗ vertex_runs γ P Q n task -∗ vertex_run_ok γ n.
  Proof.
    iIntros "#[Hv Hlist]". iLöb as "IH".
    iIntros "!>" (n task) "Htask Hagain Hpend Hruns".
    iIntros (ctx sc key) "Hctx Hblock Hhalf Hkey".
    iPoseProof "Hv" as "(-> & #Hwork & #Hwaits & #Hsucc & _ & #Hmain)".
    wp_rec. wp_pures. wp_load. wp_bind (_ <- _)%E.
    iInv "Hmain" as (K) "[>Hw Hst]". wp_store.
    iMod (state_start with "Hst Hhalf") as "(Hst & Htok & Hhalf & #Hready)".
    iModIntro. iSplitL "Hw Hst".
    { iNext. iExists {[0 := Own]}. rewrite map_size_singleton. iFrame "Hw Hst". }
    wp_pures. wp_na_load. rewrite vertex_runs_unfold. wp_bind (task ctx).
    iApply (wp_wand with "[Hruns Hctx Htask Hagain Hblock Hpend Htok Hhalf]").
    { iApply ("Hruns" with "Hctx [$Htask $Hagain $Hblock $Hpend $Htok $Hhalf] Hready"). }
    iIntros (r) "[Hctx [[(%task' & Hmodel) [HP #HQ]]|(%task' & Hmodel & Hruns)]]".
    - (* over *)
      iDestruct "Hmodel" as "(Htask & Hagain & _ & Hpend & _ & Hhalf)".
      wp_pures. wp_na_load. wp_pures. wp_load. wp_bind (Xchg _ _).
      iInv "Hlist" as (s) "[>Hs [(_ & >Hover & _)|[>Hpend' (%ws & Hws & >Hshares)]]]".
      { iDestruct (over_pending with "Hover Hpend") as %[]. }
      wp_xchg. iCombine "Hpend Hpend'" as "Hpend".
      iMod (mono_nat_own_update 1 with "Hpend") as "[_ #Hover]"; first lia.
      iModIntro. iSplitL "Hs HP".
      { iNext. iExists _. iFrame "Hs". iLeft. iFrame "Hover HQ". iSplit; first done. by iLeft. }
      wp_pures. wp_apply (vertex_release_all_spec with "[$Hws $Hshares $Hover $Hctx]").
      iIntros "[$ #Hdone] Hk".
      iInv "Hmain" as (K') "[>Hw Hst]".
      iMod (state_done with "Hst Hhalf Hkey Hdone") as "[Hst Hk']".
      iModIntro. iSplitL "Hw Hst"; first by iNext; iExists K'; iFrame "Hw Hst".
      iModIntro. by iCombine "Hk Hk'" as "$".
    - (* yielded *)
      iDestruct "Hmodel" as "(Htask & Hagain & Hblock & Hpend & Htok & Hhalf)".
      wp_pures. wp_na_load. wp_pures. wp_na_store. wp_pures. wp_na_load.
      wp_apply (pool_block_spec with "Hctx"). iIntros "Hctx". wp_pures.
      wp_apply (vertex_one_less_own_spec _ _ (S n) key
        with "[$Hv $Htok $Hhalf $Hblock $Hkey $Hctx Htask Hagain Hpend Hruns]").
      { iApply ("IH" with "Htask Hagain Hpend Hruns"). }
      iIntros (b) "(_ & Hk' & Hb)".
      wp_apply (vertex_push_spec _ _ _ _ 2 with "[$Hv $Hb]"). iIntros "$ Hk".
      iModIntro. by iCombine "Hk Hk'" as "$".
  Qed.

  (** ** The operations *)

  (** Claim: [create] makes a new vertex, for chosen postconditions: [Q] for all, [P] for
      one. *)
  Lemma vertex_create_spec (task : val) P Q :
    {{{ True }}}
      pool_vertex_create task
    {{{ γ v, RET v;
        vertex_inv γ v P Q ∗ vertex_model γ 0 task false ∗ vertex_consumer γ ∗
        vertex_edges γ 1 ∅ }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures. wp_alloc waits as "Hwaits". wp_pures.
    wp_alloc list as "Hlist". wp_pures. wp_apply hub_task_block_spec; first done.
    iIntros (l0) "_". wp_pures. wp_apply block5_spec; first done.
    iIntros (v) "(H0 & H1 & H2 & H3 & H4 & _)". wp_pures.
    wp_apply hub_task_block_spec; first done. iIntros (work) "[#Hcode Hblock]". wp_na_store.
    iMod (na_pointsto_persist with "H1") as "#H1". iMod (pointsto_persist with "H3") as "#H3".
    iMod (pointsto_persist with "H4") as "#H4".
    iMod (ghost_map_alloc {[0 := Own]}) as (γt) "[Ht Ht0]". rewrite big_sepM_singleton.
    iMod (ghost_var_alloc (0, true)) as (γm) "[Hm Hm']".
    iMod (ghost_var_alloc 0) as (γk) "Hk".
    iMod (mono_nat_own_alloc 0) as (γi) "[Hi _]".
    iMod (own_alloc (● (∅ : gset (nat * vertex_id)))) as (γd) "Hd";
      first by apply auth_auth_valid.
    iMod (own_alloc (●F (∅ : gset (nat * vertex_id)) ⋅ ◯F ∅)) as (γe) "[He He']";
      first by apply frac_auth_valid.
    iMod (mono_nat_own_alloc 0) as (γo) "[[Ho Ho'] _]".
    iMod (own_alloc (● 0)) as (γs) "Hs"; first by apply auth_auth_valid.
    iMod (ghost_var_alloc (0, false)) as (γc) "Hc".
    set (γ := VertexName v work waits list γt γm γk γi γd γe γo γs γc).
    iMod (inv_alloc vertex_mainN _ (vertex_main γp t γ)
      with "[Hwaits Ht Hm Hk Hi Hd He]") as "#Hmain".
    { iNext. iExists {[0 := Own]}. rewrite map_size_singleton. iFrame "Hwaits".
      iExists 0, ∅, true. iFrame "Ht Hi Hd He Hm". iSplitR.
      - rewrite /preds_ok /tokens_ok big_sepM_singleton. iSplit; last done.
        by iApply big_sepS_empty.
      - iSplit; first done. by iExists 0. }
    iMod (inv_alloc vertex_listN _ (vertex_list γp t γ P Q) with "[Hlist Ho Hs]") as "#Hlist".
    { iNext. iExists _. iFrame "Hlist". iRight. iFrame "Ho". iExists []. by iFrame "Hs". }
    iModIntro. iApply ("HΦ" $! γ). iFrame "Hc Hlist He'".
    rewrite /vertex_main_inv /vertex_model /=.
    iFrame "H0 H1 H2 H3 H4 Hcode Hmain Hblock Ho' Ht0 Hm'". done.
  Qed.

  (** Claim: [set_task] replaces the task before the release, or, in the vertex's own
      task, for the next execution. *)
  Lemma vertex_set_task_spec γ v P Q n task b (task' : val) :
    {{{ vertex_inv γ v P Q ∗ vertex_model γ n task b }}}
      pool_vertex_set_task v task'
    {{{ RET #(); vertex_model γ n task' b }}}.
  Proof.
    iIntros (Φ) "[#[(-> & _) _] (Htask & Hagain & Hrest)] HΦ". wp_rec. wp_pures. wp_na_store.
    iApply "HΦ". by iFrame.
  Qed.

  (** Claim: After [yield] the vertex will run again: its task ends with a proof for the
      next execution, instead of the postcondition. *)
  Lemma vertex_yield_spec γ v P Q n task b :
    {{{ vertex_inv γ v P Q ∗ vertex_model γ n task b }}}
      pool_vertex_yield v
    {{{ RET #(); vertex_model γ n task true }}}.
  Proof.
    iIntros (Φ) "[#[(-> & _) _] (Htask & Hagain & Hrest)] HΦ". wp_rec. wp_pures. wp_na_store.
    iApply "HΦ". by iFrame.
  Qed.

  (** Claim: After [release] the vertex runs, once, when all its predecessors are over;
      their postconditions hold then. *)
  Lemma vertex_release_spec ctx sc γ v P Q task :
    {{{ vertex_inv γ v P Q ∗ vertex_model γ 0 task false ∗ vertex_runs γ P Q 0 task ∗
        pool_context γp t ctx sc }}}
      pool_vertex_release ctx v
    {{{ RET #(); pool_context γp t ctx sc ∗ vertex_released γ }}}.
  Proof.
    iIntros (Φ) "(#Hinv & (Htask & Hagain & Hblock & Hpend & Htok & Hhalf) & Hruns & Hctx) HΦ".
    iDestruct (vertex_run_spec with "Hinv") as "#Hrun". iDestruct "Hinv" as "[Hv _]".
    wp_rec. wp_pures.
    wp_apply (vertex_one_less_own_spec _ _ 0 0
      with "[$Hv $Htok $Hhalf $Hblock $Hctx Htask Hagain Hpend Hruns]").
    { iApply ("Hrun" with "Htask Hagain Hpend Hruns"). }
    iIntros (b) "(#Hreleased & _ & Hb)".
    wp_apply (vertex_push_spec _ _ _ _ 0 with "[$Hv $Hb]"). iIntros "Hctx".
    iApply "HΦ". by iFrame.
  Qed.
End vertex.
