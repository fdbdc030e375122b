(** Vertices (lib/kernel/pool/vertex.ml): their operations.

    [vertex_inv γ v P Q] is a vertex that, when it is over, ensures [Q] to all and
    gives [P] to one. [vertex_model γ n task again] is the vertex in the hands of who
    builds it, before its execution [n]; its task has it too, for what is to be its
    next execution. So the plain fields are never raced for.

    [release] takes the model away, and the proof that the task runs, given that the
    execution has begun; from which it learns that all that was made to precede it is
    over ([vertex_ready_pred]). The proof is used up by the execution: one for each
    release. A task leaves either what the vertex ensures; or, having called [yield],
    the proof for another execution, of the task that is then set.

    [precede] may be called by whoever keeps the second vertex from starting: who
    holds its model, or the task of a vertex that precedes it. There is no [yield] of
    the vertex by others than its task. *)
From iris.algebra Require Import auth gset.
From iris.base_logic.lib Require Import invariants ghost_map ghost_var mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Import pool_basics.
From dromos.pool Require Export pool vertex_state.
From dromos.pool Require Import pool_code vertex_code.

Local Existing Instances vertex_tokenG vertex_modelG vertex_iterG vertex_predG.

Section vertex.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !vertexG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (γ γa γb : vertex_name) (k n : nat) (b : bool) (v ctx task : val).
  Implicit Types (sc : pool_scope).
  Local Notation vertex_inv := (vertex_inv γp t).
  Local Notation vertex_main_inv := (vertex_main_inv γp t).
  Local Notation vertex_run_ok := (vertex_run_ok γp t).
  Local Notation vertex_body := (vertex_body γp t).

  (** ** The pool's operations on tasks *)

  Local Lemma pool_push_task_spec ctx sc (r : Z) l P Q :
    {{{ pool_context γp t ctx sc ∗ task_ready γp l P Q }}}
      pool_pool_push ctx #r #l
    {{{ RET #(); pool_context γp t ctx sc }}}.
  Proof.
    iIntros (Φ) "[(%c & (-> & %Ha & %Hd) & #Hinv & Hworker) Hl] HΦ".
    destruct sc as [a i o [|d]]; simpl in *; first lia. subst a.
    wp_apply (pool_push_raw_spec with "[$Hinv $Hworker $Hl]"). iIntros "(Hworker & _ & _)".
    iApply "HΦ". iExists c. by iFrame "Hinv Hworker".
  Qed.
  Local Lemma pool_block_task_spec ctx sc (l : loc) :
    {{{ pool_context γp t ctx sc }}}
      pool_pool_block ctx #l
    {{{ RET #(); pool_context γp t ctx sc }}}.
  Proof.
    iIntros (Φ) "(%c & [-> %Hsc] & #Hinv & Hworker) HΦ".
    wp_apply (pool_block_raw_spec with "[$Hinv $Hworker]"). iIntros "Hworker".
    iApply "HΦ". iExists c. by iFrame "Hinv Hworker".
  Qed.
  (** The block of a task whose code is not yet known to run. *)
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

  Local Lemma vertex_body_ready γ v n :
    vertex_main_inv γ v -∗ pool_inv γp t -∗ vertex_body γ n -∗
    task_ready γp (vx_work γ) True True.
  Proof.
    iIntros "(_ & _ & _ & _ & #Hcode & _) #Hinv (Hblock & Hhalf & Hrun)".
    rewrite /task_ready. iExists _. iFrame "Hcode Hblock".
    iIntros (c i o d) "/= Hworker Hblock". rewrite /vertex_work_code. wp_pures.
    iApply (wp_wand with "[Hrun Hworker Hblock Hhalf]").
    { iApply ("Hrun" $! #c (PoolScope false i o (S d)) with "[Hworker] Hblock Hhalf").
      iExists c. iFrame "Hinv Hworker". iPureIntro. simpl. split; [done|]. split; [done|lia]. }
    iIntros (r) "(%c' & [%Heq _] & _ & Hworker)". injection Heq as <-. iFrame "Hworker".
    iSplit; first done. by iIntros "!> !>".
  Qed.

  (** ** Handing in a token *)

  (** What one more step of the counter needs, and what the last one gives. *)
  Local Definition handed_in γ b : iProp Σ := (if b then ∃ n, vertex_body γ n else True)%I.

  Local Lemma size_delete_eq (K : gmap nat (option gname)) k :
    is_Some (K !! k) → Z.of_nat (size K) = (Z.of_nat (size (delete k K)) + 1)%Z.
  Proof.
    intros [x Hk]. rewrite map_size_delete_Some //.
    assert (size K ≠ 0) by (intros ->%map_size_empty_inv; simplify_map_eq). lia.
  Qed.
  Local Lemma one_left (K : gmap nat (option gname)) k :
    is_Some (K !! k) → bool_decide (#(size K) = #1) = bool_decide (delete k K = ∅).
  Proof.
    intros Hk. pose proof (size_delete_eq K k Hk). apply bool_decide_ext. split.
    - intros [= Heq]. apply map_size_empty_inv. lia.
    - intros Heq. rewrite Heq map_size_empty in H. do 2 f_equal. lia.
  Qed.

  Local Lemma vertex_one_less_pred_spec γ v k g :
    {{{ vertex_main_inv γ v ∗ token γ k (Some g) ∗ over_at g }}}
      pool_vertex_one_less v
    {{{ b, RET #b; handed_in γ b }}}.
  Proof.
    iIntros (Φ) "((-> & _ & #Hwaits & _ & _ & #Hmain) & Htok & #Hover) HΦ".
    wp_rec. wp_pures. wp_load. wp_bind (FAA _ _). iInv "Hmain" as (K) "[>Hw Hst]". wp_faa.
    iMod (state_remove with "Hst Htok Hover") as "(%Hk & Hst & Hbody)".
    iModIntro. iSplitL "Hw Hst".
    { iNext. iExists (delete k K). iFrame "Hst".
      replace (Z.of_nat (size (delete k K))) with (size K + -1)%Z; first done.
      rewrite (size_delete_eq K k Hk). lia. }
    wp_pures. rewrite (one_left K k) //. iModIntro. iApply "HΦ".
    case_bool_decide; last done. by iApply "Hbody".
  Qed.
  Local Lemma vertex_one_less_own_spec γ v n :
    {{{ vertex_main_inv γ v ∗ token γ 0 None ∗ vertex_half γ n true ∗
        task_block (vx_work γ) ∗ vertex_run_ok γ n }}}
      pool_vertex_one_less v
    {{{ b, RET #b; handed_in γ b }}}.
  Proof.
    iIntros (Φ) "((-> & _ & #Hwaits & _ & _ & #Hmain) & Htok & Hhalf & Hblock & Hrun) HΦ".
    wp_rec. wp_pures. wp_load. wp_bind (FAA _ _). iInv "Hmain" as (K) "[>Hw Hst]". wp_faa.
    iMod (state_release with "Hst Htok Hhalf Hblock Hrun") as "(%Hk & Hst & Hbody)".
    iModIntro. iSplitL "Hw Hst".
    { iNext. iExists (delete 0 K). iFrame "Hst".
      replace (Z.of_nat (size (delete 0 K))) with (size K + -1)%Z; first done.
      rewrite (size_delete_eq K 0 Hk). lia. }
    wp_pures. rewrite (one_left K 0) //. iModIntro. iApply "HΦ".
    case_bool_decide; last done. by iApply "Hbody".
  Qed.

  Local Lemma vertex_push_spec γ v ctx sc (r : Z) b :
    {{{ vertex_main_inv γ v ∗ pool_context γp t ctx sc ∗ handed_in γ b }}}
      if: #b then pool_pool_push ctx #r (!na (v +ₗ #1)) else #()
    {{{ RET #(); pool_context γp t ctx sc }}}.
  Proof.
    iIntros (Φ) "(#Hv & Hctx & Hbody) HΦ". destruct b; wp_pures; last by iApply "HΦ".
    iDestruct "Hbody" as (n) "Hbody".
    iAssert (pool_inv γp t) as "#Hinv"; first by iDestruct "Hctx" as (c) "(_ & $ & _)".
    iDestruct (vertex_body_ready with "Hv Hinv Hbody") as "Hready".
    iDestruct "Hv" as "(-> & #Hwork & _)". wp_pures. wp_na_load.
    by wp_apply (pool_push_task_spec with "[$Hctx $Hready]").
  Qed.

  Local Lemma vertex_release_pred_spec ctx sc γ v k g :
    {{{ vertex_main_inv γ v ∗ token γ k (Some g) ∗ over_at g ∗ pool_context γp t ctx sc }}}
      pool_vertex_release ctx v
    {{{ RET #(); pool_context γp t ctx sc }}}.
  Proof.
    iIntros (Φ) "(#Hv & Htok & #Hover & Hctx) HΦ". wp_rec. wp_pures.
    wp_apply (vertex_one_less_pred_spec with "[$Hv $Htok $Hover]"). iIntros (b) "Hb".
    by wp_apply (vertex_push_spec _ _ _ _ 0 with "[$Hv $Hctx $Hb]").
  Qed.
  Local Lemma vertex_release_all_spec ctx sc g (s : val) ws :
    {{{ successors γp t g s ws ∗ over_at g ∗ pool_context γp t ctx sc }}}
      pool_vertex_release_all ctx s
    {{{ RET #(); pool_context γp t ctx sc }}}.
  Proof.
    iIntros (Φ) "(Hws & #Hover & Hctx) HΦ".
    iInduction ws as [|w ws] "IH" forall (s); simpl; wp_rec; wp_pures.
    - iDestruct "Hws" as %->. wp_pures. by iApply "HΦ".
    - iDestruct "Hws" as (l rest) "(-> & Hl0 & Hl1 & (%γ & %k & #Hw & Htok) & Hws)".
      wp_pures. wp_na_load.
      wp_apply (vertex_release_pred_spec with "[$Hw $Htok $Hover $Hctx]"). iIntros "Hctx".
      wp_pures. wp_load. iApply ("IH" with "Hws Hctx HΦ").
  Qed.

  (** ** Executions *)

  (** The task runs when execution [n] has begun; it leaves what the vertex ensures,
      or has called [yield] and another execution will do so. *)
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
    iIntros "!>" (n task) "Htask Hagain Hpend Hruns". iIntros (ctx sc) "Hctx Hblock Hhalf".
    iPoseProof "Hv" as "(-> & #Hwork & #Hwaits & #Hsucc & _ & #Hmain)".
    wp_rec. wp_pures. wp_load. wp_bind (_ <- _)%E.
    iInv "Hmain" as (K) "[>Hw Hst]". wp_store.
    iMod (state_start with "Hst Hhalf") as "(Hst & Htok & Hhalf & #Hready)".
    iModIntro. iSplitL "Hw Hst".
    { iNext. iExists {[0 := None]}. rewrite map_size_singleton. iFrame. }
    wp_pures. wp_na_load. rewrite vertex_runs_unfold. wp_bind (task ctx).
    iApply (wp_wand with "[Hruns Hctx Htask Hagain Hblock Hpend Htok Hhalf]").
    { iApply ("Hruns" with "Hctx [$Htask $Hagain $Hblock $Hpend $Htok $Hhalf] Hready"). }
    iIntros (r) "[Hctx [[(%task' & Hmodel) [HP #HQ]]|(%task' & Hmodel & Hruns)]]".
    - (* over *)
      iDestruct "Hmodel" as "(Htask & Hagain & _ & Hpend & _)". wp_pures. wp_na_load. wp_pures.
      wp_load. wp_bind (Xchg _ _).
      iInv "Hlist" as (s) "[>Hs [(_ & >Hover & _)|[>Hpend' (%ws & Hws)]]]".
      { iDestruct (over_pending with "Hover Hpend") as %[]. }
      wp_xchg. iCombine "Hpend Hpend'" as "Hpend".
      iMod (mono_nat_own_update 1 with "Hpend") as "[_ #Hover]"; first lia.
      iModIntro. iSplitL "Hs HP".
      { iNext. iExists _. iFrame "Hs". iLeft. iFrame "Hover HQ". iSplit; first done. by iLeft. }
      wp_pures. wp_apply (vertex_release_all_spec with "[$Hws $Hover $Hctx]").
      iIntros "$".
    - (* yielded *)
      iDestruct "Hmodel" as "(Htask & Hagain & Hblock & Hpend & Htok & Hhalf)".
      wp_pures. wp_na_load. wp_pures. wp_na_store. wp_pures. wp_na_load.
      wp_apply (pool_block_task_spec with "Hctx"). iIntros "Hctx". wp_pures.
      wp_apply (vertex_one_less_own_spec with "[$Hv $Htok $Hhalf $Hblock Htask Hagain Hpend Hruns]").
      { iApply ("IH" with "Htask Hagain Hpend Hruns"). }
      iIntros (b) "Hb".
      wp_apply (vertex_push_spec _ _ _ _ 2 with "[$Hv $Hctx $Hb]"). iIntros "$".
  Qed.

  (** ** The operations *)

  (** Claim: A new vertex: what it will ensure to all, [Q], and give to one, [P], is
      chosen. *)
  Lemma vertex_create_spec (task : val) P Q :
    {{{ True }}}
      pool_vertex_create task
    {{{ γ v, RET v;
        vertex_inv γ v P Q ∗ vertex_model γ 0 task false ∗ vertex_consumer γ }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures. wp_alloc waits as "Hwaits". wp_pures.
    wp_alloc list as "Hlist". wp_pures. wp_apply hub_task_block_spec; first done.
    iIntros (l0) "_". wp_pures. wp_apply block5_spec; first done.
    iIntros (v) "(H0 & H1 & H2 & H3 & H4 & _)". wp_pures.
    wp_apply hub_task_block_spec; first done. iIntros (work) "[#Hcode Hblock]". wp_na_store.
    iMod (na_pointsto_persist with "H1") as "#H1". iMod (pointsto_persist with "H3") as "#H3".
    iMod (pointsto_persist with "H4") as "#H4".
    iMod (ghost_map_alloc {[0 := None : option gname]}) as (γt) "[Ht Ht0]".
    rewrite big_sepM_singleton.
    iMod (ghost_var_alloc (0, true)) as (γm) "[Hm Hm']".
    iMod (mono_nat_own_alloc 0) as (γi) "[Hi _]".
    iMod (own_alloc (● (∅ : gset (nat * gname)))) as (γd) "Hd"; first by apply auth_auth_valid.
    iMod (mono_nat_own_alloc 0) as (γo) "[[Ho Ho'] _]".
    iMod (ghost_var_alloc (0, false)) as (γc) "Hc".
    set (γ := VertexName v work waits list γt γm γi γd γo γc).
    iMod (inv_alloc vertex_mainN _ (vertex_main γp t γ) with "[Hwaits Ht Hm Hi Hd]") as "#Hmain".
    { iNext. iExists {[0 := None]}. rewrite map_size_singleton. iFrame "Hwaits".
      iExists 0, ∅, true. iFrame. iSplit; last done. rewrite /preds_ok. by iApply big_sepS_empty. }
    iMod (inv_alloc vertex_listN _ (vertex_list γp t γ P Q) with "[Hlist Ho]") as "#Hlist".
    { iNext. iExists _. iFrame "Hlist". iRight. iFrame "Ho". by iExists []. }
    iModIntro. iApply ("HΦ" $! γ). iFrame "Hc Hlist".
    rewrite /vertex_main_inv /vertex_model /=. iFrame "H0 H1 H2 H3 H4 Hcode Hmain Hblock Ho' Ht0 Hm'".
    done.
  Qed.

  (** Claim: Another task, before the release, or in the vertex' own task for the next
      time. *)
  Lemma vertex_set_task_spec γ v P Q n task b (task' : val) :
    {{{ vertex_inv γ v P Q ∗ vertex_model γ n task b }}}
      pool_vertex_set_task v task'
    {{{ RET #(); vertex_model γ n task' b }}}.
  Proof.
    iIntros (Φ) "[#[(-> & _) _] (Htask & Hagain & Hrest)] HΦ". wp_rec. wp_pures. wp_na_store.
    iApply "HΦ". by iFrame.
  Qed.

  (** Claim: The vertex will run again: its task leaves a proof for that, not what the
      vertex ensures. *)
  Lemma vertex_yield_spec γ v P Q n task b :
    {{{ vertex_inv γ v P Q ∗ vertex_model γ n task b }}}
      pool_vertex_yield v
    {{{ RET #(); vertex_model γ n task true }}}.
  Proof.
    iIntros (Φ) "[#[(-> & _) _] (Htask & Hagain & Hrest)] HΦ". wp_rec. wp_pures. wp_na_store.
    iApply "HΦ". by iFrame.
  Qed.

  (** Claim: The vertex will be run, once, when all its predecessors are over; what
      they ensure is there then. *)
  Lemma vertex_release_spec ctx sc γ v P Q n task :
    {{{ vertex_inv γ v P Q ∗ vertex_model γ n task false ∗ vertex_runs γ P Q n task ∗
        pool_context γp t ctx sc }}}
      pool_vertex_release ctx v
    {{{ RET #(); pool_context γp t ctx sc }}}.
  Proof.
    iIntros (Φ) "(#Hinv & (Htask & Hagain & Hblock & Hpend & Htok & Hhalf) & Hruns & Hctx) HΦ".
    iDestruct (vertex_run_spec with "Hinv") as "#Hrun". iDestruct "Hinv" as "[Hv _]".
    wp_rec. wp_pures.
    wp_apply (vertex_one_less_own_spec with "[$Hv $Htok $Hhalf $Hblock Htask Hagain Hpend Hruns]").
    { iApply ("Hrun" with "Htask Hagain Hpend Hruns"). }
    iIntros (b) "Hb". by wp_apply (vertex_push_spec _ _ _ _ 0 with "[$Hv $Hctx $Hb]").
  Qed.

  (** ** Edges *)

  Local Lemma vertex_add_successor_spec γa a Pa Qa (b : val) γb k :
    {{{ vertex_inv γa a Pa Qa ∗ vertex_main_inv γb b ∗ token γb k (Some (vx_over γa)) }}}
      pool_vertex_add_successor a b
    {{{ (added : bool), RET #added;
        if added then True else vertex_over γa ∗ token γb k (Some (vx_over γa)) }}}.
  Proof.
    iIntros (Φ) "(#[(-> & _ & _ & #Hsucc & _) Hlist] & #Hb & Htok) HΦ". iLöb as "IH".
    wp_rec. wp_pures. wp_load. wp_bind (! _)%E.
    iInv "Hlist" as (s) "[>Hs [(>-> & >#Hover & HQ & HP)|[>Hpend (%ws & Hws)]]]".
    { wp_load. iModIntro. iSplitR "Htok HΦ".
      { iNext. iExists _. iFrame "Hs". iLeft. by iFrame "Hover HQ HP". }
      wp_pures. iModIntro. iApply "HΦ". by iFrame "Hover Htok". }
    wp_load.
    iAssert (⌜s = InjLV #1 ∨ ∃ l : loc, s = InjRV #l⌝)%I as %Hs.
    { destruct ws; simpl; first by iDestruct "Hws" as %->; eauto.
      iDestruct "Hws" as (l rest) "[-> _]". eauto. }
    iModIntro. iSplitL "Hs Hpend Hws".
    { iNext. iExists _. iFrame "Hs". iRight. iFrame. }
    iAssert (∀ (l : loc), (l +ₗ 0) ↦na b -∗ (l +ₗ 1) ↦ s -∗ token γb k (Some (vx_over γa)) -∗
      ▷ (∀ (added : bool),
        (if added then True else vertex_over γa ∗ token γb k (Some (vx_over γa))) -∗ Φ #added) -∗
      WP if: CAS #(vx_list γa) s (InjRV #l) then #true
         else pool_vertex_add_successor #(vx_loc γa) b {{ Φ }})%I as "Hcas".
    { iIntros (l) "Hl0 Hl1 Htok HΦ". wp_bind (CmpXchg _ _ _).
      iInv "Hlist" as (s') "[>Hs Hcase]".
      destruct (decide (s' = s)) as [->|Hne].
      - wp_cmpxchg_suc. { destruct Hs as [->|[l' ->]]; left; done. }
        iDestruct "Hcase" as "[(% & _)|[Hpend (%ws' & Hws)]]".
        { destruct Hs as [->|[l' ->]]; simplify_eq. }
        iModIntro. iSplitR "HΦ".
        { iNext. iExists _. iFrame "Hs". iRight. iFrame "Hpend". iExists (b :: ws').
          iExists l, s. iFrame "Hl0 Hl1 Hws". iSplit; first done.
          iExists γb, k. by iFrame "Hb Htok". }
        wp_pures. iModIntro. by iApply ("HΦ" $! true).
      - wp_cmpxchg_fail. { destruct Hs as [->|[l' ->]]; right; done. }
        iModIntro. iSplitL "Hs Hcase"; first by iNext; iExists s'; iFrame.
        wp_pures. iApply ("IH" with "Htok HΦ"). }
    destruct Hs as [->|[l' ->]]; wp_pures.
    - wp_apply block2_spec; first done. iIntros (l) "(Hl0 & Hl1 & _)". wp_pures. wp_load.
      wp_pures. iApply ("Hcas" with "Hl0 Hl1 Htok HΦ").
    - wp_apply block2_spec; first done. iIntros (l) "(Hl0 & Hl1 & _)". wp_pures. wp_load.
      wp_pures. iApply ("Hcas" with "Hl0 Hl1 Htok HΦ").
  Qed.

  Local Lemma vertex_precede_keeper_spec γa a Pa Qa γb (b : val) Pb Qb n κ :
    {{{ vertex_inv γa a Pa Qa ∗ vertex_inv γb b Pb Qb ∗ vertex_keeper γb n κ }}}
      pool_vertex_precede a b
    {{{ RET #(); vertex_keeper γb n κ ∗ vertex_pred γb n γa }}}.
  Proof.
    iIntros (Φ) "(#Ha & #[Hb _] & Hκ) HΦ".
    iPoseProof "Hb" as "(-> & _ & #Hwaits & _ & _ & #Hmain)".
    wp_rec. wp_pures. wp_load. wp_bind (FAA _ _). iInv "Hmain" as (K) "[>Hw Hst]". wp_faa.
    iMod (state_add _ _ _ _ _ _ (vx_over γa) with "Hst Hκ") as (k) "(%Hk & Hst & Htok & #Hpred & Hκ)".
    iModIntro. iSplitL "Hw Hst".
    { iNext. iExists _. iFrame "Hst". rewrite map_size_insert_None //.
      by replace (Z.of_nat (S (size K))) with (size K + 1)%Z by lia. }
    wp_pures. wp_apply (vertex_add_successor_spec with "[$Ha $Hb $Htok]").
    iIntros (added) "Hadded". destruct added; wp_pures.
    { iModIntro. iApply "HΦ". by iFrame "Hκ Hpred". }
    iDestruct "Hadded" as "[#Hover Htok]". wp_load. wp_bind (FAA _ _). clear K Hk.
    iInv "Hmain" as (K) "[>Hw Hst]". wp_faa.
    iMod (state_remove with "Hst Htok Hover") as "(%Hk & Hst & _)".
    iModIntro. iSplitL "Hw Hst".
    { iNext. iExists (delete k K). iFrame "Hst".
      replace (Z.of_nat (size (delete k K))) with (size K + -1)%Z; first done.
      rewrite (size_delete_eq K k Hk). lia. }
    wp_pures. iModIntro. iApply "HΦ". by iFrame "Hκ Hpred".
  Qed.

  (** Claim: The second vertex, of which the caller has the model, is not run before
      the first is over. *)
  Lemma vertex_precede_spec γa a Pa Qa γb (b : val) Pb Qb n task (again : bool) :
    {{{ vertex_inv γa a Pa Qa ∗ vertex_inv γb b Pb Qb ∗ vertex_model γb n task again }}}
      pool_vertex_precede a b
    {{{ RET #(); vertex_model γb n task again ∗ vertex_pred γb n γa }}}.
  Proof.
    iIntros (Φ) "(#Ha & #Hb & (Htask & Hagain & Hblock & Hpend & Htok & Hhalf)) HΦ".
    wp_apply (vertex_precede_keeper_spec _ _ _ _ _ _ _ _ _ None with "[Htok Hhalf]").
    { iFrame "Ha Hb". rewrite /vertex_keeper. iFrame. }
    iIntros "[[Htok Hhalf] #Hpred]". iApply "HΦ". by iFrame "∗ #".
  Qed.
  (** Claim: The same in the task of a vertex that precedes the second, which may be
      released already. *)
  Lemma vertex_precede_spec_running γa a Pa Qa γb (b : val) Pb Qb n γc m task (again : bool) :
    {{{ vertex_inv γa a Pa Qa ∗ vertex_inv γb b Pb Qb ∗
        vertex_model γc m task again ∗ vertex_pred γb n γc }}}
      pool_vertex_precede a b
    {{{ RET #(); vertex_model γc m task again ∗ vertex_pred γb n γa }}}.
  Proof.
    iIntros (Φ) "(#Ha & #Hb & (Htask & Hagain & Hblock & Hpend & Htok & Hhalf) & #Hpred) HΦ".
    wp_apply (vertex_precede_keeper_spec _ _ _ _ _ _ _ _ _ (Some γc)
      with "[Hpend]").
    { iFrame "Ha Hb". rewrite /vertex_keeper. by iFrame "Hpend Hpred". }
    iIntros "[[Hpend _] #Hpred']". iApply "HΦ". by iFrame "∗ #".
  Qed.
End vertex.
