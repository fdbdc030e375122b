(** The operations of the pool's owner: create, start, run, submit and close, with one
    assertion, [pool_model], as in the paper's figure 7. The owner knows that the pool
    is open, since only the owner may close the pool. So the owner's runs and
    submissions are not refused. *)
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude spawn.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Import pool_state pool_ops pool_basics pool_roles pool_run.
From dromos.pool Require Import pool_create pool_close pool pool_code.

Section model.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !domainG Σ}.
  Implicit Types (γ : pool_name) (t : val).

  (** Claim: A new pool belongs to the caller of [create]. *)
  Lemma pool_create_model_spec (shared : bool) (make on_idle : val) (idle : loc) (n : nat) :
    hub_maker make → 0 < n →
    {{{ (∃ z : Z, idle ↦ #z) ∗ □ (∀ i : nat, ⌜i < n⌝ → WP on_idle #i {{ _, True }}) }}}
      pool_pool_create make #idle on_idle #n
    {{{ γ t, RET t; ⌜pn_size γ = n ∧ pn_shared γ = shared⌝ ∗ pool_new γ t }}}.
  Proof.
    iIntros (Hmake Hn Φ) "H HΦ".
    wp_apply (pool_create_spec shared with "H"); [done..|].
    iIntros (γ t) "([<- <-] & #Hinv & Hf & Htok & Hmay & Hroles)". iApply "HΦ".
    iSplit; first done. iApply (pool_new_intro with "Hinv Hf Htok Hmay Hroles").
  Qed.

  (** Claim: The owner's [run] is not refused, and returns the task's result and
      postcondition. *)
  Theorem pool_run_model_spec γ t (task : val) Ψ :
    {{{ pool_model γ t ∗ pool_runs γ t task Ψ }}}
      pool_pool_run t task
    {{{ v, RET (SOMEV v); pool_model γ t ∗ Ψ v }}}.
  Proof.
    iIntros (Φ) "[(%ds & %js & #Hinv & Hperm & Htok & Hmay & Hrole & Hown) Hruns] HΦ".
    wp_apply (pool_run_raw_spec _ _ _ Ψ true with "[$Hinv $Hmay $Hrole Hruns]").
    { iApply (pool_runs_as with "Hinv Hruns"). }
    iIntros (r) "(Hrole & Hmay & [[%Hn _]|(%v & -> & HΨ)])"; first by destruct Hn.
    iApply "HΦ". iFrame "HΨ". iExists ds, js. by iFrame "Hinv ∗".
  Qed.

  (** Claim: The owner's submissions are accepted. *)
  Theorem pool_submit_model_spec γ t (r : Z) l P Q :
    {{{ pool_model γ t ∗ task_ready γ l P Q }}}
      pool_pool_submit t #r #l
    {{{ RET #true; pool_model γ t ∗ pool_consumer γ P ∗ pool_obligation γ Q }}}.
  Proof.
    iIntros (Φ) "[(%ds & %js & #Hinv & Hperm & Htok & Hmay & Hown) Hl] HΦ".
    wp_apply (pool_submit_open_spec _ _ _ _ _ _ true with "[$Hinv $Hmay $Hl]").
    iIntros ([]) "(%Hb & Hmay & H)"; last by destruct (Hb I).
    iDestruct "H" as "[HQ HP]". iApply "HΦ". iFrame "HP HQ". iExists ds, js.
    by iFrame "Hinv ∗".
  Qed.
End model.
