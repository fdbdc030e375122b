(** * One task and a pool of its own

    The specification of a whole pool from the specification of its task: create, start,
    run and close, with the FIFO hub and the shipped waiters.  The owner of a pool knows
    that the pool is open, so the pool does not refuse the task.  The closed programs of
    this folder that compute in parallel consist of this program and a task; the theorem
    about the task holds for any pool. *)
From iris.base_logic.lib Require Import ghost_var.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude spawn.
From dromos.base Require Import ivar erasable queue waiters.
From dromos.hub Require Import hub_spec fifo fifo_code.
From dromos.pool Require Import pool_deps pool_waiters pool_close pool_model pool.
From dromos.pool Require Import pool_code.
From dromos.clients Require Import with_pool_code.

Class with_poolG Σ := WithPoolG {
  #[global] with_pool_erasableG :: erasableG Σ;
  #[global] with_pool_queueG :: queueG Σ;
  #[global] with_pool_varG :: ghost_varG Σ bool;
  #[global] with_pool_waitersG :: waitersG Σ;
  #[global] with_pool_poolG :: poolG Σ;
  #[global] with_pool_domainG :: domainG Σ;
  #[global] with_pool_ivarG :: ivar_sharedG Σ;
}.
Definition with_poolΣ : gFunctors :=
  #[erasableΣ; queueΣ; ghost_varΣ bool; waitersΣ; poolΣ; domainΣ; ivar_sharedΣ].
Global Instance subG_with_poolΣ Σ : subG with_poolΣ Σ → with_poolG Σ.
Proof. solve_inG. Qed.

Section with_pool.
  Context `{!heapGS Σ, !with_poolG Σ}.
  Global Instance with_pool_deps : pool_deps Σ := pool_waiters.

  (** Claim: [run] creates a pool for one task, and returns what the task ensures in any
      context. *)
  Lemma with_pool_run_spec (workers : nat) (task : val) (Ψ : val → iProp Σ) :
    0 < workers →
    {{{ ∀ γ t, pool_runs γ t task Ψ }}}
      clients_with_pool_run #workers task
    {{{ v, RET v; Ψ v }}}.
  Proof using Type*.
    iIntros (Hw Φ) "Htask HΦ". wp_rec. wp_pures. wp_alloc idle as "Hidle". wp_pures.
    wp_apply (pool_create_model_spec true hub_fifo_maker with "[Hidle]").
    { apply fifo_maker. }
    { done. }
    { iSplitL; first by iExists 0. iIntros "!>" (i _). by wp_pures. }
    iIntros (γ t) "[_ Hpool]". wp_pures. wp_apply (pool_start_spec with "Hpool").
    iIntros "Hpool". wp_pures.
    wp_apply (pool_run_model_spec _ _ _ Ψ with "[$Hpool Htask]"); first by iApply "Htask".
    iIntros (v) "[Hpool HΨ]". wp_pures.
    wp_apply (pool_close_spec with "Hpool"). iIntros "_". wp_pures. by iApply "HΦ".
  Qed.
End with_pool.
