(** Tasks as blocks: what fibers are made of.

    [task_ready γ l P Q] is a task that is in no hub, with what it needs; [hub_hub_task]
    makes one, a worker publishes it by [push], anybody by [submit] and [submit_to]
    (pool_basics.v). [pool_task γ l] is one that was published and has been taken out
    again; who holds it owes the pool its execution.

    A retraction that succeeds is a take: the caller holds the task, which from then on
    nobody else can run, and executes at one level more until it has run it
    ([pool_execute_spec]). The hub finds the task by its block, so what comes out is
    whatever was published last under this block; [pool_task] says that it is complete,
    not that it is the caller's own publication. *)
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

  (** Claim: A new task, in no hub. *)
  Lemma pool_task_spec γ t (task : val) P Q :
    {{{ pool_inv γ t ∗ pool_runs γ t task (λ _, ▷ P ∗ ▷ □ Q) }}}
      hub_hub_task task
    {{{ l, RET #l; task_ready γ l P Q }}}.
  Proof.
    iIntros (Φ) "[#Hinv Hruns] HΦ". wp_apply (hub_task_spec with "[Hruns]"); last done.
    iIntros (l c i o d) "Hworker _". iApply (pool_runs_as with "Hinv Hruns Hworker").
  Qed.

  (** Claim: A worker gives a task away, whatever the reason; it runs at most once, and
      what it ensures may be claimed when the pool has finished. *)
  Lemma pool_push_spec γ t ctx sc (r : Z) l P Q :
    {{{ pool_context γ t ctx sc ∗ task_ready γ l P Q }}}
      pool_pool_push ctx #r #l
    {{{ RET #(); pool_context γ t ctx sc ∗ pool_consumer γ P ∗ pool_obligation γ Q }}}.
  Proof.
    iIntros (Φ) "[(%c & (-> & %Ha & %Hd) & #Hinv & Hworker) Hl] HΦ".
    destruct sc as [a i o [|d]]; simpl in *; first lia. subst a.
    wp_apply (pool_push_raw_spec with "[$Hinv $Hworker $Hl]").
    iIntros "(Hworker & HQ & HP)". iApply "HΦ". iFrame "HQ HP". iExists c.
    by iFrame "Hinv Hworker".
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

  (** A worker that holds a task which it has taken out of the hub. *)
  Definition pool_holds γ t ctx sc l : iProp Σ :=
    ∃ c : loc, ⌜ctx = #c ∧ sc_announced sc = false ∧ 0 < sc_depth sc⌝ ∗ pool_inv γ t ∗
      pool_worker γ c
        (PoolScope false (sc_worker sc) (sc_outer sc) (S (sc_depth sc))) ∗
      pool_task γ l.

  (** Claim: A task that is taken back is nobody else's: the caller holds it, complete,
      and owes its execution. *)
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
    - iModIntro. iApply ("HΦ" $! true). iDestruct "H" as "[Hl Hworker]". iExists c.
      by iFrame "Hinv Hworker Hl".
    - rewrite -Hself. wp_apply (pool_wake_one_spec with "Hinv"). iIntros "_". wp_pures.
      iModIntro. iApply ("HΦ" $! false). iExists c. by iFrame "Hinv H".
  Qed.

  (** Claim: A held task is executed like one from the hub. *)
  Lemma pool_holds_execute_spec γ t ctx sc l :
    {{{ pool_holds γ t ctx sc l }}}
      pool_pool_execute ctx #l
    {{{ RET #(); pool_context γ t ctx sc }}}.
  Proof.
    iIntros (Φ) "(%c & (-> & %Ha & %Hd) & #Hinv & Hworker & Hl) HΦ".
    destruct sc as [a i o d]; simpl in *. subst a.
    wp_apply (pool_execute_spec with "[$Hinv $Hworker $Hl]"). iIntros "Hworker".
    iApply "HΦ". iExists c. by iFrame "Hinv Hworker".
  Qed.
End tasks.
