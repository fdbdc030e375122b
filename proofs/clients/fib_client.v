(** * Parallel Fibonacci

    [fib] gives one of its two calls away as a future.  The specification is the
    sequential specification, in any context of any pool: a future of [fib ctx (n - 1)]
    promises this number, and a wait returns the promised number. *)
From iris.heap_lang Require Import proofmode notation adequacy proph_erasure.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import ivar.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool future.
From dromos.pool Require Import pool_code future_code.
From dromos.clients Require Import results with_pool fib_client_code.

Fixpoint fib (n : nat) : nat :=
  match n with
  | 0 => 0
  | S n' => match n' with 0 => 1 | S n'' => fib n' + fib n'' end
  end.
Lemma fib_step n : fib (S (S n)) = fib (S n) + fib n.
Proof. done. Qed.

Section fib.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !ivar_sharedG Σ}.
  Context (γp : pool_name) (t : val).

  (** Claim: The task [fib] computes a Fibonacci number by fork and join, in any pool over
      any hub that meets the hubs' specification. *)
  Lemma fib_client_fib_spec ctx sc (n : nat) :
    {{{ pool_context γp t ctx sc }}}
      clients_fib_client_fib ctx #n
    {{{ RET #(fib n); pool_context γp t ctx sc }}}.
  Proof using Type*.
    iIntros (Φ) "Hctx HΦ". iLöb as "IH" forall (ctx sc n Φ). wp_rec. wp_pures.
    case_bool_decide as Hn; wp_pures.
    { destruct n as [|[|n]]; [..|lia]; by iApply "HΦ". }
    destruct n as [|[|n]]; [lia..|].
    wp_apply (future_async_spec γp t _ _ _ (λ v, ⌜v = #(fib (S n))⌝)%I (λ _, True)%I
      with "[$Hctx]").
    { iIntros (ctx' sc') "Hctx". wp_pures.
      replace (S (S n) - 1)%Z with (Z.of_nat (S n)) by lia.
      iApply ("IH" with "Hctx"). iIntros "!> $". eauto. }
    iIntros (γ f) "(Hctx & #Hf & Hcons)". wp_pures.
    replace (S (S n) - 2)%Z with (Z.of_nat n) by lia.
    wp_bind (clients_fib_client_fib _ _). iApply ("IH" with "Hctx"). iIntros "!> Hctx". wp_pures.
    wp_apply (future_wait_spec with "[$Hctx $Hf]").
    iIntros (v) "([Hlc1 Hlc2] & Hctx & #Hv)".
    iMod (future_inv_result_consumer with "Hf Hv Hcons") as "H"; first done.
    iMod (lc_fupd_elim_later with "Hlc1 H") as "H".
    iMod (lc_fupd_elim_later with "Hlc2 H") as "->". wp_pures.
    rewrite fib_step Nat.add_comm Nat2Z.inj_add. by iApply "HΦ".
  Qed.
End fib.

(** Claim: A pool of any number of workers computes a Fibonacci number by fork and
    join. In every execution: no domain gets stuck, and the result, if there is a result,
    is the Fibonacci number. *)
Theorem fib_client_adequate (workers n : nat) σ :
  0 < workers →
  adequate NotStuck (clients_fib_client_run #workers #n) σ (λ v _, v = #(fib n)).
Proof.
  intros Hw. apply (heap_adequacy #[heapΣ; with_poolΣ]). iIntros (?) "_".
  wp_rec. wp_pures. wp_apply (with_pool_run_spec _ _ (λ v, ⌜v = #(fib n)⌝)%I); [done|..].
  { iIntros (γ t ctx sc) "Hctx". wp_pures.
    wp_apply (fib_client_fib_spec with "Hctx"). by iIntros "$". }
  by iIntros (v) "%".
Qed.

(** Claim: The program without prophecy variables, the program that runs, has the same
    property. *)
Theorem fib_client_erased (workers n : nat) σ :
  0 < workers →
  adequate NotStuck (erase_expr (clients_fib_client_run #workers #n)) (erase_state σ)
    (λ v _, v = #(fib n)).
Proof. intros Hw. by apply erased_adequate, fib_client_adequate. Qed.
