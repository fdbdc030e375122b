(** Running a task from outside.

    The caller fills role 0 if the role is free, and runs the task there, as worker 0.
    Meanwhile the caller holds a key like that of a published task, so a worker of
    depth 1 publishes the task's tasks. If role 0 is taken, the task goes to the hub,
    with a cell for its result, and the caller waits for the cell. If role 0 becomes
    free meanwhile, and the pool is still open, the caller waits as worker 0; the
    remaining tasks of a closed pool belong to the closer. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_map mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Import pool_state pool_ops pool_basics pool_hunt pool_roles.
From dromos.pool Require Import pool_code.

Local Existing Instances pool_mutexG pool_unitG pool_depthG pool_sealedG pool_entryG.

Section run.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.
  Implicit Types (γ : pool_name) (a : bool) (i o d k : nat) (l c : loc) (t : val).

  Lemma tasks_begin γ s M i d E :
    s < 2 →
    ▷ pool_tasks γ s M -∗ depth_is γ i d ={E}=∗
    ▷ pool_tasks γ s M ∗ depth_is γ i (S d) ∗ ∃ k, key_full γ k.
  Proof.
    iIntros (Hs) "[$ (%H & %D & >HH & >%Hdom & >HD & >#HDs & >%HDM & Hcount)] Hd".
    iDestruct (depth_lookup with "HH Hd") as %Hi.
    iDestruct "Hcount" as "[(%K & >HK & >%HK)|[>%Hfin _]]"; last lia.
    iMod (key_register with "HK") as (k Hk) "(HK & Hk1 & Hk2)".
    iMod (ghost_map_update (S d) with "HH Hd") as "[HH $]".
    iModIntro. iSplitR "Hk1 Hk2"; last first.
    { iExists k. by iCombine "Hk1 Hk2" as "$". }
    iExists _, D. iFrame "HH HD HDs". iSplit.
    { iPureIntro. rewrite dom_insert_L -Hdom. apply elem_of_dom_2 in Hi. set_solver. }
    iSplit; first done. iLeft. iExists _. iFrame "HK". iPureIntro.
    rewrite map_size_insert_None //. pose proof (hsum_update _ _ _ (S d) Hi). lia.
  Qed.

  Lemma pool_begin γ t c i o d E :
    ↑poolN ⊆ E →
    pool_inv γ t -∗ open_entry γ -∗ pool_worker γ c (PoolScope false i o d) ={E}=∗
    open_entry γ ∗ pool_worker γ c (PoolScope false i o (S d)) ∗ ∃ k, key_full γ k.
  Proof.
    iIntros (HE) "#Hinv He Hworker". pool_names. worker_names.
    iInv "Hmain" as (b s) "(>(%p & %q & Hc' & Ho & Ha & Hs & %Hbs) & Hopen)".
    iDestruct (entry_open_positive with "Ha He") as %Hq.
    assert (s < 2) as Hlt.
    { destruct (decide (2 ≤ s)) as [Hge|]; [apply Hbs in Hge|]; lia. }
    iDestruct "Hopen" as "[(%M & >HM & HT)|>[%Hge _]]"; last lia.
    iMod (tasks_begin with "HT Hd") as "(HT & Hd & Hk)"; first done.
    iModIntro. iSplitL "Hc' Ho Ha Hs HM HT".
    { iNext. iExists b, s. iSplitL "Hc' Ho Ha Hs"; first by iExists p, q; iFrame.
      iLeft. iExists M. iFrame. }
    worker_pack. iModIntro. iFrame.
  Qed.

  (** A task that any worker may run, once. *)
  Definition runs_as γ (task : val) (Ψ : val → iProp Σ) : iProp Σ :=
    ∀ c i o d, let sc := PoolScope false i o (S d) in
      pool_worker γ c sc -∗ WP task #c {{ v, pool_worker γ c sc ∗ Ψ v }}.

  (** Keys of [η]: 0 says whether the cell is set, 1 belongs to the reader, 2 to the
    writer. *)
  Definition result_cell (η : gname) (l : loc) (Ψ : val → iProp Σ) : iProp Σ :=
    l ↦ NONEV ∗ 0 ↪[η] () ∨
    ∃ v, l ↦ SOMEV v ∗ 0 ↪[η]□ () ∗ 2 ↪[η] () ∗ (Ψ v ∨ 1 ↪[η] ()).

  Lemma result_ready η l Ψ (Φ : val → iProp Σ) :
    inv pool_wordN (result_cell η l Ψ) -∗
    (∀ r, (⌜r = NONEV⌝ ∨ ∃ v, ⌜r = SOMEV v⌝ ∗ 0 ↪[η]□ ()) -∗ Φ r) -∗
    WP ! #l {{ Φ }}.
  Proof.
    iIntros "#Hcell HΦ". iInv "Hcell" as "[[>Hl >Hη]|(%v & >Hl & >#Hη & >Hη2 & HΨ)]"; wp_load;
      iModIntro.
    - iSplitL "Hl Hη"; first by iLeft; iFrame. iApply "HΦ". by iLeft.
    - iSplitL "Hl HΨ Hη2"; first by iRight; iExists v; iFrame "∗ #".
      iApply "HΦ". iRight. iExists v. by iFrame "#".
  Qed.
  Lemma result_get η l Ψ (Φ : val → iProp Σ) :
    inv pool_wordN (result_cell η l Ψ) -∗ 0 ↪[η]□ () -∗ 1 ↪[η] () -∗
    (∀ v, Ψ v -∗ Φ (SOMEV v)) -∗
    WP ! #l {{ Φ }}.
  Proof.
    iIntros "#Hcell #Hset Htok HΦ".
    iInv "Hcell" as "[[>Hl >Hη]|(%v & >Hl & >#Hη & >Hη2 & [HΨ|>Htok'])]"; wp_load.
    - by iDestruct (ghost_map_elem_valid_2 with "Hη Hset") as %[? _].
    - iModIntro. iSplitL "Hl Htok Hη2"; first by iRight; iExists v; iFrame "∗ #".
      by iApply "HΦ".
    - by iDestruct (ghost_map_elem_valid_2 with "Htok Htok'") as %[? _].
  Qed.
  Lemma result_set η l Ψ v (Φ : val → iProp Σ) :
    inv pool_wordN (result_cell η l Ψ) -∗ 2 ↪[η] () -∗ Ψ v -∗ Φ #() -∗
    WP #l <- SOMEV v {{ Φ }}.
  Proof.
    iIntros "#Hcell Hη HΨ HΦ".
    iInv "Hcell" as "[[>Hl >Hη']|(%v' & >Hl & _ & >Hη' & _)]"; wp_store.
    - iMod (ghost_map_elem_persist with "Hη'") as "#Hη'".
      iModIntro. iFrame "HΦ". iRight. iExists v. by iFrame "∗ #".
    - by iDestruct (ghost_map_elem_valid_2 with "Hη Hη'") as %[? _].
  Qed.

  Definition run_ends γ known Ψ (r : val) : iProp Σ :=
    pool_role γ 0 ∗ known_open γ known ∗ (⌜¬ known ∧ r = NONEV⌝ ∨ ∃ v, ⌜r = SOMEV v⌝ ∗ Ψ v).

  Lemma pool_run_elsewhere_spec γ t (task : val) Ψ known :
    {{{ pool_inv γ t ∗ known_open γ known ∗ pool_role γ 0 ∗ runs_as γ task Ψ }}}
      pool_pool_run_elsewhere t task
    {{{ r, RET r; run_ends γ known Ψ r }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hknown & Hrole & Htask) HΦ". pool_names. subst t. wp_rec. wp_pures.
    wp_alloc l as "Hl". wp_pures.
    iMod (ghost_map_alloc {[0 := (); 1 := (); 2 := ()]}) as (η) "[_ Htok]".
    rewrite 2?big_sepM_insert // big_sepM_singleton. iDestruct "Htok" as "(Hη' & Htok & Hη)".
    iMod (inv_alloc pool_wordN _ (result_cell η l Ψ) with "[Hl Hη']") as "#Hcell".
    { iLeft. iFrame. }
    set (ready := (λ: <>, match: _ with InjL <> => _ | InjR <> => _ end)%V).
    set (give_up := (λ: <>, if: _ then _ else _)%V). set (code := (λ: "ctx", _)%V).
    iAssert (until_tells ready (0 ↪[η]□ ())) as "#Hready".
    { iIntros "!>". wp_rec. wp_bind (! _)%E. iApply (result_ready with "Hcell").
      iIntros (r) "[->|(%v & -> & #Hset)]"; wp_pures; [iExists false|iExists true]; eauto. }
    iAssert (until_tells give_up True) as "#Hgive_up".
    { iIntros "!>". wp_rec. wp_words. wp_bind (! _)%E.
      iApply (pool_closed_read with "Hinv"). iIntros ([]) "_"; wp_pures.
      { by iExists true. }
      iApply (wp_wand with "Hready"). iIntros (r) "(%b & -> & _)". iExists b.
      by destruct b. }
    iAssert (□ (pool_sealed γ -∗ WP give_up #() {{ r, ⌜r = #true⌝ ∗ True }}))%I as "#Hsealed".
    { iIntros "!> #Hs". wp_rec. wp_words. wp_bind (! _)%E.
      iApply (pool_closed_known with "Hinv"); first by iApply pool_sealed_closed.
      by wp_pures. }
    wp_apply (hub_task_spec γ code True True with "[Htask Hη]").
    { iIntros (l' c i o d) "Hworker _". wp_rec. wp_bind (task _).
      iApply (wp_wand with "(Htask Hworker)"). iIntros (v) "[Hworker HΨ]". wp_pures.
      wp_bind (_ <- _)%E. iApply (result_set with "Hcell Hη HΨ"). wp_words.
      wp_apply (mutex_lock_spec with "Hmutex"). iIntros "[Hlocked Hservers]". wp_words.
      wp_apply (condition_broadcast_spec with "Hchange"). iIntros "_". wp_words.
      wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked $Hservers]"). iIntros "_".
      wp_pures. wp_apply (pool_wake_spec _ _ 0 with "Hinv"); first done. iIntros "_".
      by iFrame. }
    iIntros (l') "Hl'". wp_apply (pool_submit_open_spec _ _ 0 with "[$Hinv $Hknown $Hl']").
    iIntros ([]) "(%Hb & Hknown & _)"; wp_pures; last first.
    { iApply "HΦ". iFrame. iLeft. iPureIntro. split; [by intros ?%Hb|done]. }
    wp_apply (pool_fill_unless_spec _ _ 0 _ (pool_role γ 0) True True
      with "[$Hinv $Hrole $Hgive_up]"); [done|by iApply claim_role|].
    iIntros (b) "Hres".
    iAssert (∀ Φ : val → iProp Σ, (pool_role γ 0 -∗ 0 ↪[η]□ () -∗ Φ #()) -∗
      WP (if: #b then
            let: "ctx" := array_get (!na (#(pn_self γ) +ₗ #6)) #0 in
            ! ("ctx" +ₗ #2) <- #true ;;
            pool_pool_work "ctx" (ready, #false) ;;
            pool_pool_stop_working "ctx" ;;
            pool_pool_leave_role #(pn_self γ) #0
          else pool_pool_await #(pn_self γ) ready) {{ Φ }})%I with "[Hres]" as "Hwait".
    { iIntros (Φ') "HΦ". destruct b; wp_pures; last first.
      { iDestruct "Hres" as "[Hrole _]".
        wp_apply (pool_await_spec with "[$Hinv $Hready]"). iIntros "#Hset".
        by iApply ("HΦ" with "Hrole Hset"). }
      iDestruct "Hres" as "[_ (%c & Hworker)]". worker_names. wp_na_load.
      wp_apply (array_get_cell_spec with "[$Hcl Hc]"); [lia|by iApply "Hc"|].
      iIntros "_". wp_words. wp_bind (_ <- _)%E. iApply (working_write with "Hw").
      wp_pures. worker_pack.
      wp_apply (pool_work_spec _ _ _ _ _ _ false True True with "[$Hinv $Hready $Hworker]").
      { by iApply steal_gives_running. }
      iIntros "(_ & Hworker & [#Hset|[% _]])"; last done. wp_pures.
      wp_apply (pool_stop_working_spec with "[$Hinv $Hworker]"). iIntros "Hworker". wp_pures.
      wp_apply (pool_leave_role_spec with "[$Hinv $Hworker]"); first iApply role_left_role.
      iIntros "Hrole". by iApply ("HΦ" with "Hrole Hset"). }
    wp_bind (If _ _ _). iApply "Hwait". iIntros "Hrole #Hset". wp_pures.
    iApply (result_get with "Hcell Hset Htok"). iIntros (v) "HΨ".
    iApply "HΦ". iFrame "Hrole Hknown". iRight. iExists v. by iFrame.
  Qed.

  Lemma pool_run_raw_spec γ t (task : val) Ψ known :
    {{{ pool_inv γ t ∗ known_open γ known ∗ pool_role γ 0 ∗ runs_as γ task Ψ }}}
      pool_pool_run t task
    {{{ r, RET r; run_ends γ known Ψ r }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hknown & Hrole & Htask) HΦ". pool_names. wp_rec. wp_pures.
    wp_apply (pool_enter_open_spec with "Hinv Hknown").
    iIntros ([] Hb) "Hknown He"; wp_pures; last first.
    { wp_apply (pool_leave_spec with "[$Hinv $He]"). iIntros "_". wp_pures.
      iApply "HΦ". iFrame. iLeft. iPureIntro. split; [by intros ?%Hb|done]. }
    wp_apply (pool_try_fill_spec _ _ 0 with "[$Hinv $Hrole $He]"); first done.
    iIntros ([]) "[He Hres]"; wp_pures; last first.
    { wp_apply (pool_leave_spec with "[$Hinv $He]"). iIntros "_". wp_pures.
      wp_apply (pool_run_elsewhere_spec with "[$Hinv $Hknown $Hres $Htask]"). done. }
    iDestruct "Hres" as (c) "Hworker".
    iMod (pool_begin with "Hinv He Hworker") as "(He & Hworker & %k & Hk)"; first done.
    wp_apply (pool_leave_spec with "[$Hinv $He]"). iIntros "_". subst t. wp_pures.
    worker_names. words_names. wp_na_load.
    wp_apply (array_get_cell_spec with "[$Hcl Hc]"); [lia|by iApply "Hc"|].
    iIntros "_". wp_pures. wp_na_load. wp_pures. wp_na_store. words_pack. wp_words.
    wp_bind (_ <- _)%E. iApply (working_write with "Hw"). wp_pures. worker_pack.
    wp_bind (task _). iApply (wp_wand with "(Htask Hworker)").
    iIntros (v) "[Hworker HΨ]". wp_pures.
    iMod (pool_execution_done with "Hinv Hworker Hk") as "Hworker"; first done.
    wp_apply (pool_stop_working_spec with "[$Hinv $Hworker]"). iIntros "Hworker". wp_pures.
    wp_apply (pool_leave_role_spec with "[$Hinv $Hworker]"); first iApply role_left_role.
    iIntros "Hrole". wp_pures.
    iApply "HΦ". iFrame "Hrole Hknown". iModIntro. iRight. iExists v. by iFrame.
  Qed.
End run.
