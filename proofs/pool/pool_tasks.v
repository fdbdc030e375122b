(** Tasks as blocks, from which fibers are made.

    [task_ready γ l P Q] is a task in no hub, with its resources. [hub_hub_task] makes a
    task; a worker publishes a task by [push], any thread by [submit] and [submit_to]
    (pool_basics.v). [pool_task γ l] is a task with a key of the pool: the task was
    published and has been taken out again, or will be published. The holder of a
    [pool_task] counts one more execution ([pool_holds]) until it has run or pushed the
    task.

    A successful retraction is a take: the caller holds the task, which no other thread
    can run from then on, and counts one more execution until it has run the task
    ([pool_execute_spec]). The hub finds the task by its block, so the caller gets the
    last publication of this block. [pool_task] says that the task is complete, and does
    not say that the task is the caller's own publication. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_map.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.base Require Import waiters_code.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Import pool_state pool_ops pool_basics pool_hunt pool_roles.
From dromos.pool Require Import pool_run pool pool_code.

Section tasks.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.
  Implicit Types (γ : pool_name) (a : bool) (i o d : nat) (l c : loc) (t ctx : val).
  Implicit Types (sc : pool_scope).

  (** Claim: [hub_hub_task] makes a new task, in no hub. *)
  Lemma pool_task_spec γ t (task : val) P Q :
    {{{ pool_inv γ t ∗ pool_runs γ t task (λ _, ▷ P ∗ ▷ □ Q) }}}
      hub_hub_task task
    {{{ l, RET #l; task_ready γ l P Q }}}.
  Proof.
    iIntros (Φ) "[#Hinv Hruns] HΦ". wp_apply (hub_task_spec with "[Hruns]"); last done.
    iIntros (l c i o d) "Hworker _". iApply (pool_runs_as with "Hinv Hruns Hworker").
  Qed.

  (** ** Tasks that are held *)

  (** [pool_holds] is a worker that holds a task with a key; [pool_holding] is the
      same without the task. *)
  Definition pool_holding γ t ctx sc : iProp Σ :=
    ∃ c : loc, ⌜ctx = #c ∧ sc_announced sc = false ∧ 0 < sc_depth sc⌝ ∗ pool_inv γ t ∗
      pool_worker γ c
        (PoolScope false (sc_worker sc) (sc_outer sc) (S (sc_depth sc))).
  Definition pool_holds γ t ctx sc l : iProp Σ := pool_holding γ t ctx sc ∗ pool_task γ l.

  Lemma tasks_key γ s M i d E :
    ▷ pool_tasks γ s M -∗ depth_is γ i (S d) ={E}=∗
    ▷ pool_tasks γ s M ∗ depth_is γ i (S (S d)) ∗ ∃ k, key_half γ k ∗ key_half γ k.
  Proof.
    iIntros "[$ (%H & %D & >HH & >%Hdom & >HD & >#HDs & >%HDM & Hcount)] Hd".
    iDestruct (depth_lookup with "HH Hd") as %Hi.
    pose proof (hsum_lookup_le _ _ _ Hi).
    iDestruct "Hcount" as "[(%K & >HK & >%HK)|[>%Hfin _]]"; last lia.
    iMod (key_register with "HK") as (k Hk) "(HK & Hk1 & Hk2)".
    iMod (ghost_map_update (S (S d)) with "HH Hd") as "[HH $]".
    iModIntro. iSplitR "Hk1 Hk2"; last by iExists k; iFrame.
    iExists _, D. iFrame "HH HD HDs". iSplit.
    { iPureIntro. rewrite dom_insert_L -Hdom. apply elem_of_dom_2 in Hi. set_solver. }
    iSplit; first done. iLeft. iExists _. iFrame "HK". iPureIntro.
    rewrite map_size_insert_None //. pose proof (hsum_update _ _ _ (S (S d)) Hi). lia.
  Qed.
  Lemma tasks_give γ s M i d l E :
    ▷ pool_tasks γ s M -∗ depth_is γ i (S d) -∗ ▷ pool_task γ l ={E}=∗
    ▷ pool_tasks γ s (M ⊎ {[+ (l, None) +]}) ∗ depth_is γ i d.
  Proof.
    iIntros "[HM (%H & %D & >HH & >%Hdom & >HD & >#HDs & >%HDM & Hcount)] Hd Hl".
    iDestruct (depth_lookup with "HH Hd") as %Hi.
    pose proof (hsum_lookup_le _ _ _ Hi).
    iDestruct "Hcount" as "[(%K & >HK & >%HK)|[>%Hfin _]]"; last lia.
    iMod (ghost_map_update d with "HH Hd") as "[HH $]".
    iModIntro. iSplitL "HM Hl".
    { rewrite big_sepMS_disj_union big_sepMS_singleton. by iFrame. }
    iExists _, D. iFrame "HH HD HDs". iSplit.
    { iPureIntro. rewrite dom_insert_L -Hdom. apply elem_of_dom_2 in Hi. set_solver. }
    iSplit.
    { iPureIntro. intros j Hj. destruct (HDM j Hj) as [? Hx]. split; first done.
      intros x [Hin| ->%gmultiset_elem_of_singleton]%gmultiset_elem_of_disj_union; auto. }
    iLeft. iExists K. iFrame "HK". iPureIntro.
    rewrite gmultiset_size_disj_union gmultiset_size_singleton.
    pose proof (hsum_update _ _ _ d Hi). lia.
  Qed.

  (** An unpublished task may get its key from now on: the pool waits for the task, as if
      the worker executed it. *)
  Lemma pool_hold γ t ctx sc E :
    ↑poolN ⊆ E →
    pool_context γ t ctx sc ={E}=∗
    pool_holding γ t ctx sc ∗ ∃ k, key_half γ k ∗ key_half γ k.
  Proof.
    iIntros (HE) "(%c & (-> & %Ha & %Hd) & #Hinv & Hworker)".
    destruct sc as [a i o [|d]]; simpl in *; first lia. subst a. worker_names. pool_names.
    iInv "Hmain" as (b s) "(>Hwords' & [(%M & >HM & HT)|>Hq])"; last first.
    { iDestruct (quiet_depth with "Hq Hd") as %[]. done. }
    iMod (tasks_key with "HT Hd") as "(HT & Hd & %k & Hk)". iModIntro.
    iSplitL "Hwords' HM HT".
    { iNext. iExists b, s. iFrame "Hwords'". iLeft. iExists M. iFrame. }
    worker_pack. iModIntro. iSplitR "Hk"; last by iExists k. iExists c.
    by iFrame "Hinv Hworker".
  Qed.

  Lemma pool_hub_give_spec γ t c a i o d (r : Z) l (Φ : val → iProp Σ) :
    pool_inv γ t ∗ pool_worker γ c (PoolScope a i o (S d)) ∗ ▷ pool_task γ l -∗
    (pool_worker γ c (PoolScope a i o d) -∗ Φ #()) -∗
    WP h_push (pn_ops γ) #i #r #l {{ Φ }}.
  Proof.
    iIntros "(#Hinv & Hworker & Hl) HΦ". worker_names. pool_names.
    awp_apply (hub_push_spec with "Hhub Hown"); first done.
    iInv "Hmain" as (b s) "(>Hwords' & [(%M & >HM & HT)|>Hq])"; last first.
    { iDestruct (quiet_depth with "Hq Hd") as %[]. done. }
    iAaccIntro with "HM".
    { iIntros "HM !>". iSplitL "Hwords' HM HT"; last by iFrame.
      iNext. iExists b, s. iFrame "Hwords'". iLeft. iExists M. iFrame. }
    iIntros "HM". iMod (tasks_give with "HT Hd Hl") as "[HT Hd]".
    iModIntro. iSplitL "Hwords' HM HT".
    { iNext. iExists b, s. iFrame "Hwords'". iLeft. iExists _. iFrame. }
    iIntros "Hown". worker_pack. by iApply "HΦ".
  Qed.

  Local Lemma pool_give_spec γ t ctx sc (r : Z) l :
    {{{ pool_holding γ t ctx sc ∗ ▷ pool_task γ l }}}
      pool_pool_push ctx #r #l
    {{{ RET #(); pool_context γ t ctx sc }}}.
  Proof.
    iIntros (Φ) "[(%c & (-> & %Ha & %Hd) & #Hinv & Hworker) Hl] HΦ".
    destruct sc as [a i o d]; simpl in *. subst a. worker_names. words_names.
    wp_rec. wp_pures. wp_load. wp_pures.
    iAssert (WP if: #(bool_decide (#r = #2)) then (#c +ₗ #3) <-na #false
       else if: #r = #3 then (#c +ₗ #3) <-na #false else #()
      {{ _, ∃ b : bool, (c +ₗ 3) ↦na #b }})%I with "[H3]" as "H3".
    { case_bool_decide; wp_pures; first by wp_na_store; eauto.
      case_bool_decide; wp_pures; first by wp_na_store; eauto. eauto. }
    wp_bind (If _ _ _). iApply (wp_wand with "H3"). iIntros (?) "H3". wp_pures.
    iDestruct "H3" as (b3') "H3". words_pack. pool_names. wp_words. worker_pack.
    wp_bind (h_push _ _ _ _). iApply (pool_hub_give_spec with "[$Hinv $Hworker $Hl]").
    iIntros "Hworker". wp_pures. subst t.
    wp_apply (pool_wake_one_spec with "Hinv"). iIntros "_". iApply "HΦ". iExists c.
    by iFrame "Hinv Hworker".
  Qed.
  (** Claim: The holder of a task may give the task to the hub. *)
  Lemma pool_push_held_spec γ t ctx sc (r : Z) l :
    {{{ pool_holds γ t ctx sc l }}}
      pool_pool_push ctx #r #l
    {{{ RET #(); pool_context γ t ctx sc }}}.
  Proof. iIntros (Φ) "[H Hl] HΦ". by wp_apply (pool_give_spec with "[$H $Hl]"). Qed.
  (** Claim: A task that a worker pushes, for any reason, runs at most once; the task's
      postcondition may be claimed when the pool has finished. *)
  Lemma pool_push_spec γ t ctx sc (r : Z) l P Q :
    {{{ pool_context γ t ctx sc ∗ task_ready γ l P Q }}}
      pool_pool_push ctx #r #l
    {{{ RET #(); pool_context γ t ctx sc ∗ pool_consumer γ P ∗ pool_obligation γ Q }}}.
  Proof.
    iIntros (Φ) "[Hctx Hl] HΦ". iApply fupd_wp.
    iMod (pool_hold with "Hctx") as "(Hctx & %k & Hk1 & Hk2)"; first done.
    iMod (task_promise with "Hl Hk1 Hk2") as "(Hl & HQ & HP)". iModIntro.
    wp_apply (pool_give_spec with "[$Hctx $Hl]").
    iIntros "Hctx". iApply "HΦ". iFrame.
  Qed.

  (** Claim: Announcing that the running task will come back is safe. *)
  Lemma pool_block_spec γ t ctx sc l :
    {{{ pool_context γ t ctx sc }}}
      pool_pool_block ctx #l
    {{{ RET #(); pool_context γ t ctx sc }}}.
  Proof.
    iIntros (Φ) "(%c & [-> %Hsc] & #Hinv & Hworker) HΦ".
    wp_apply (pool_block_raw_spec with "[$Hinv $Hworker]"). iIntros "Hworker".
    iApply "HΦ". iExists c. by iFrame "Hinv Hworker".
  Qed.

  Lemma pool_hub_retract_spec γ t c a i o d l (Φ : val → iProp Σ) :
    pool_inv γ t ∗ pool_worker γ c (PoolScope a i o d) -∗
    (∀ b : bool,
      (if b then ▷ pool_task γ l ∗ pool_worker γ c (PoolScope a i o (S d))
       else pool_worker γ c (PoolScope a i o d)) -∗ Φ #b) -∗
    WP h_retract (pn_ops γ) #i #l {{ Φ }}.
  Proof.
    iIntros "(#Hinv & Hworker) HΦ". worker_names. pool_names.
    awp_apply (hub_retract_spec with "Hhub Hown"); first done.
    iInv "Hmain" as (b s) "(>Hwords' & [(%M & >HM & HT)|>Hq])"; last first.
    { iDestruct (quiet_depth with "Hq Hd") as %[]. done. }
    iAaccIntro with "HM".
    { iIntros "HM !>". iSplitL "Hwords' HM HT"; last by iFrame.
      iNext. iExists b, s. iFrame "Hwords'". iLeft. iExists M. iFrame. }
    iIntros (r M') "[%Hr HM]". destruct r.
    - destruct Hr as (w' & _ & Heq).
      iMod (tasks_take with "HT Hd") as "(HT & Hl & Hd)"; first done.
      iModIntro. iSplitL "Hwords' HM HT".
      { iNext. iExists b, s. iFrame "Hwords'". iLeft. iExists M'. iFrame. }
      iIntros "Hown". worker_pack. iApply ("HΦ" $! true). by iFrame.
    - subst M'. iModIntro. iSplitL "Hwords' HM HT".
      { iNext. iExists b, s. iFrame "Hwords'". iLeft. iExists M. iFrame. }
      iIntros "Hown". worker_pack. iApply ("HΦ" $! false). by iFrame.
  Qed.

  (** Claim: After a successful [retract] the caller alone holds the task, complete, and
      owes its execution. *)
  Lemma pool_retract_spec γ t ctx sc l :
    {{{ pool_context γ t ctx sc }}}
      pool_pool_retract ctx #l
    {{{ (b : bool), RET #b;
        if b then pool_holds γ t ctx sc l else pool_context γ t ctx sc }}}.
  Proof.
    iIntros (Φ) "(%c & (-> & %Ha & %Hd) & #Hinv & Hworker) HΦ".
    destruct sc as [a i o d]; simpl in *. subst a.
    worker_names. wp_rec. wp_pures. wp_load. pool_names. wp_words. worker_pack.
    wp_bind (h_retract _ _ _). iApply (pool_hub_retract_spec with "[$Hinv $Hworker]").
    iIntros ([]) "H"; wp_pures.
    - iModIntro. iApply ("HΦ" $! true). iDestruct "H" as "[$ Hworker]". iExists c.
      by iFrame "Hinv Hworker".
    - rewrite -Hself. wp_apply (pool_wake_one_spec with "Hinv"). iIntros "_". wp_pures.
      iModIntro. iApply ("HΦ" $! false). iExists c. by iFrame "Hinv H".
  Qed.

  (** Claim: A held task is executed like one from the hub. *)
  Lemma pool_holds_execute_spec γ t ctx sc l :
    {{{ pool_holds γ t ctx sc l }}}
      pool_pool_execute ctx #l
    {{{ RET #(); pool_context γ t ctx sc }}}.
  Proof.
    iIntros (Φ) "[(%c & (-> & %Ha & %Hd) & #Hinv & Hworker) Hl] HΦ".
    destruct sc as [a i o d]; simpl in *. subst a.
    wp_apply (pool_execute_spec with "[$Hinv $Hworker $Hl]"). iIntros "Hworker".
    iApply "HΦ". iExists c. by iFrame "Hinv Hworker".
  Qed.
End tasks.
