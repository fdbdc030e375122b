(** The pool (lib/kernel/pool/pool.ml), for any hub that meets [hub_spec]: the
    specification of the paper's figure 7, for tasks and outside callers. The
    specification for the owner of the pool is in pool_close.v and pool_model.v.

    [pool_context γ t ctx sc] is the resource that a task gets and gives back: the
    worker that runs the task. A task is published with the proof that it runs in any
    context of the pool. This proof is a resource, which goes into the hub with the
    task and comes out with the task, once. So a task runs at most once, with all
    resources that it needs. The task's postconditions, [P] and [□ Q], are kept until
    the pool has finished: [pool_consumer γ P], [pool_obligation γ Q]. *)
From iris.base_logic.lib Require Import invariants.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.base Require Import ivar_code.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Export pool_state.
From dromos.pool Require Import pool_ops pool_basics pool_hunt pool_roles pool_run.
From dromos.pool Require Import pool_code.

Section pool.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.
  Implicit Types (γ : pool_name) (t ctx : val) (sc : pool_scope).

  Definition pool_context γ t ctx sc : iProp Σ :=
    ∃ c : loc, ⌜ctx = #c ∧ sc_announced sc = false ∧ 0 < sc_depth sc⌝ ∗
      pool_inv γ t ∗ pool_worker γ c sc.

  (** The task runs in any context of the pool. *)
  Definition pool_runs γ t (task : val) (Ψ : val → iProp Σ) : iProp Σ :=
    ∀ ctx sc, pool_context γ t ctx sc -∗
      WP task ctx {{ v, pool_context γ t ctx sc ∗ Ψ v }}.

  Lemma pool_runs_as γ t task Ψ :
    pool_inv γ t -∗ pool_runs γ t task Ψ -∗ runs_as γ task Ψ.
  Proof.
    iIntros "#Hinv Hruns" (c i o d) "Hworker".
    iApply (wp_wand with "[Hruns Hworker]").
    { iApply "Hruns". iExists c. iFrame "Hinv Hworker". iPureIntro. simpl. split; [done|].
      split; [done|lia]. }
    iIntros (v) "[(%c' & [%Heq _] & _ & Hworker) $]". by injection Heq as ->.
  Qed.

  (** Claim: The number of workers. *)
  Lemma pool_size_spec γ t ctx sc :
    {{{ pool_context γ t ctx sc }}}
      pool_pool_size ctx
    {{{ RET #(pn_size γ); pool_context γ t ctx sc }}}.
  Proof.
    iIntros (Φ) "(%c & [-> %Hsc] & #Hinv & Hworker) HΦ".
    wp_apply (pool_size_raw_spec with "[$Hinv $Hworker]"). iIntros "Hworker".
    iApply "HΦ". iExists c. by iFrame "Hinv Hworker".
  Qed.
  (** Claim: [has_work] returns a hint, and changes nothing. *)
  Lemma pool_has_work_spec γ t ctx sc :
    {{{ pool_context γ t ctx sc }}}
      pool_pool_has_work ctx
    {{{ (b : bool), RET #b; pool_context γ t ctx sc }}}.
  Proof.
    iIntros (Φ) "(%c & [-> %Hsc] & #Hinv & Hworker) HΦ".
    wp_apply (pool_has_work_raw_spec with "[$Hinv $Hworker]"). iIntros (b) "Hworker".
    iApply "HΦ". iExists c. by iFrame "Hinv Hworker".
  Qed.
  (** Claim: [tick] answers a thief, if a thief has asked. *)
  Lemma pool_tick_spec γ t ctx sc :
    {{{ pool_context γ t ctx sc }}}
      pool_pool_tick ctx
    {{{ RET #(); pool_context γ t ctx sc }}}.
  Proof.
    iIntros (Φ) "(%c & [-> %Hsc] & #Hinv & Hworker) HΦ".
    wp_apply (pool_tick_raw_spec with "[$Hinv $Hworker]"). iIntros "Hworker".
    iApply "HΦ". iExists c. by iFrame "Hinv Hworker".
  Qed.

  (** Claim: A published task runs at most once, with all resources that it needs; its
      publisher may claim the task's postcondition once the pool is known to have
      finished. *)
  Lemma pool_async_spec γ t ctx sc (task : val) P Q :
    {{{ pool_context γ t ctx sc ∗ pool_runs γ t task (λ _, ▷ P ∗ ▷ □ Q) }}}
      pool_pool_async ctx task
    {{{ RET #();
        pool_context γ t ctx sc ∗ pool_consumer γ P ∗ pool_obligation γ Q }}}.
  Proof.
    iIntros (Φ) "[(%c & (-> & %Ha & %Hd) & #Hinv & Hworker) Hruns] HΦ".
    destruct sc as [a i o [|d]]; simpl in *; first lia. subst a.
    wp_apply (pool_async_raw_spec _ _ _ _ _ _ _ _ P Q with "[$Hinv $Hworker Hruns]").
    { iIntros (l c' i' o' d') "Hworker _".
      iApply (pool_runs_as with "Hinv Hruns Hworker"). }
    iIntros "(Hworker & HQ & HP)". iApply "HΦ". iFrame "HQ HP". iExists c.
    by iFrame "Hinv Hworker".
  Qed.

  (** Claim: [wait] for an ivar returns only when the ivar is set; meanwhile the task
      runs other tasks. *)
  Lemma pool_wait_ivar_spec γ t ctx sc (ivar : val) G `{!Persistent G} :
    {{{ pool_context γ t ctx sc ∗ waitable ivar G }}}
      pool_pool_wait_ivar ctx ivar
    {{{ RET #(); pool_context γ t ctx sc ∗ G }}}.
  Proof.
    iIntros (Φ) "[(%c & (-> & %Ha & %Hd) & #Hinv & Hworker) #Hivar] HΦ".
    destruct sc as [a i o d]; simpl in *. subst a.
    wp_apply (pool_wait_ivar_raw_spec with "[$Hinv $Hworker $Hivar]").
    iIntros "[Hworker #HG]". iApply "HΦ". iFrame "HG". iExists c.
    by iFrame "Hinv Hworker".
  Qed.

  (** From outside. [pool_role γ 0] is [True] if role 0 is open to all callers;
      otherwise it is the right to role 0, which the owner of the pool holds. *)
  (** Claim: [run], by any number of outside callers, returns the task's result and
      postcondition, or is refused because the pool is closed. *)
  Lemma pool_run_spec γ t (task : val) Ψ :
    {{{ pool_inv γ t ∗ pool_role γ 0 ∗ pool_runs γ t task Ψ }}}
      pool_pool_run t task
    {{{ r, RET r; pool_role γ 0 ∗ (⌜r = NONEV⌝ ∨ ∃ v, ⌜r = SOMEV v⌝ ∗ Ψ v) }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hrole & Hruns) HΦ".
    wp_apply (pool_run_raw_spec _ _ _ Ψ false with "[$Hinv $Hrole Hruns]").
    { iApply (pool_runs_as with "Hinv Hruns"). }
    iIntros (r) "(Hrole & _ & [[_ %]|H])"; iApply "HΦ"; iFrame "Hrole"; [by iLeft|by iRight].
  Qed.
End pool.
