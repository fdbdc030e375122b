(** Recovering a role whose thread was torn out of [serve] by an asynchronous exception.

    The exception stops the thread at some step of the worker's loop. [pool_torn γ i]
    holds then: the worker fills role [i] and executes no task; its accounts ([hunting])
    may have any value; its sleep may be announced, or begun, with the mutex of the
    sleeper held or not, as [Waiters.recover] requires. A worker between two steps of
    its loop, awake or announced, satisfies [pool_torn] ([pool_worker_torn]).

    [recover] leaves the role: the right to the role is there again, as after [serve],
    and the role may be served again. The theorem does not cover an exception in the
    middle of an operation of the hub, or between taking a task and starting it: that
    task is lost. *)
From iris.base_logic.lib Require Import invariants.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.base Require Import waiters_code.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool_state pool_ops pool_basics pool_hunt pool_roles.
From dromos.pool Require Import pool_code.

Section recover.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.
  Implicit Types (γ : pool_name) (a : bool) (i : nat) (c : loc) (t : val).

  Definition pool_torn γ i : iProp Σ :=
    ∃ c, ⌜i < pn_size γ⌝ ∗ is_ctx γ i c ∗ ctx_words c ∗ hub_owner (pn_hub γ) i true ∗
      wt_torn (pn_phases γ) i ∗ server_half γ i 1 ∗ depth_is γ i 0.

  Lemma pool_worker_torn γ c a i : pool_worker γ c (PoolScope a i 0 0) -∗ pool_torn γ i.
  Proof.
    iIntros "Hworker". worker_names. iExists c.
    iDestruct (wt_phase_torn with "Hphase") as "Htorn". by iFrame "∗ #".
  Qed.

  (** Claim: After an exception at any step of hunting or sleeping, [recover] gives back
      the right to the role, as [serve] does when it returns. *)
  Lemma pool_recover_spec γ t i :
    {{{ pool_inv γ t ∗ pool_torn γ i }}}
      pool_pool_recover t #i
    {{{ RET #(); pool_role γ i }}}.
  Proof.
    iIntros (Φ) "(#Hinv & %c & %Hi & #Hctx & Hwords & Hown & Htorn & Hserver & Hd) HΦ".
    pool_names. subst t. wp_rec. wp_words. wp_na_load. ctx_names.
    wp_apply (array_get_cell_spec with "[$Hcl $Hc]"); first lia. iIntros "_".
    words_names. wp_words. wp_na_load.
    iAssert (∀ Ψ : val → iProp Σ,
      (∀ v, (∃ b : bool, (c +ₗ 4) ↦na #b) -∗ Ψ v) -∗
      WP if: #b4 then
           ((#c +ₗ #4) <-na #false ;; FAA (! (#(pn_self γ) +ₗ #1)) #(-1) ;; #())
         else #() {{ Ψ }})%I with "[H4]" as "Hidle'".
    { iIntros (Ψ) "HΨ". destruct b4; wp_pures; last by iApply "HΨ"; eauto.
      wp_na_store. wp_words. wp_bind (FAA _ _). iInv "Hidle" as (z) ">Hz". wp_faa.
      iModIntro. iSplitL "Hz"; first by iExists _. wp_pures. iApply "HΨ". eauto. }
    wp_bind (If _ _ _). iApply "Hidle'". iIntros (v) "[%b4' H4]". words_pack. wp_words.
    wp_apply (wt_recover_spec with "[$Hwaiters $Htorn]"); first done.
    iIntros (woken) "Hphase". worker_pack.
    iAssert (∀ Ψ : val → iProp Σ, (∀ v, Ψ v) -∗
      WP if: #woken then pool_pool_wake_one #(pn_self γ) else #() {{ Ψ }})%I as "Hwake".
    { iIntros (Ψ) "HΨ". destruct woken; wp_pures; last done.
      wp_apply (pool_wake_one_spec with "Hinv"). by iIntros "_". }
    wp_bind (If _ _ _). iApply "Hwake". iIntros (v'). wp_pures.
    wp_apply (pool_stop_working_spec with "[$Hinv $Hworker]"). iIntros "Hworker". wp_pures.
    by wp_apply (pool_leave_role_spec with "[$Hinv $Hworker]"); first iApply role_left_role.
  Qed.

  (** Claim: After [recover] the holder of the right may serve the role again. *)
  Lemma pool_recover_right γ i : role_open γ i = false → pool_role γ i -∗ pool_right γ i.
  Proof. rewrite /pool_role. intros ->. by iIntros "$". Qed.
End recover.
