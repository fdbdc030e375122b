(** * A pool, from its creation to its end

    The closed program of pool_client.ml, over the pool with the FIFO hub and the shipped
    waiters, down to the steps of the machine: [pool_client_adequate] is about HeapLang's
    steps and mentions no logic.  The theorem holds for any number of workers and any
    number of items.

    An item is a block with one plain field; the owner of the item owns the field.  The
    main domain gives every item to the task that writes the item, and gets a
    [pool_consumer] in exchange: the right to get the item back when the pool has
    finished.

    The submission from outside is one task for a whole list of items: its consumer stands
    for the consumers of its child tasks.  The main domain owns the pool and knows that the
    pool is open, so the pool does not refuse the submission.

    [pool_close_spec] gives [pool_finished].  With [pool_finished] all items come back,
    written. *)
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.heap_lang Require Import proofmode notation adequacy proph_erasure.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude spawn.
From dromos.base Require Import erasable queue waiters.
From dromos.hub Require Import hub_spec fifo fifo_code hub_code.
From dromos.pool Require Import pool_deps pool_waiters pool_state pool_basics pool_run.
From dromos.pool Require Import pool_create pool_close pool pool_tasks pool_model pool_code.
From dromos.clients Require Import results pool_client_code.

#[local] Typeclasses Opaque pool_context.

Class pool_clientG Σ := PoolClientG {
  #[local] pool_client_erasableG :: erasableG Σ;
  #[local] pool_client_queueG :: queueG Σ;
  #[local] pool_client_hubG :: ghost_varG Σ bool;
  #[local] pool_client_waitersG :: waitersG Σ;
  #[local] pool_client_poolG :: poolG Σ;
  #[local] pool_client_domainG :: domainG Σ;
}.
Definition pool_clientΣ : gFunctors := #[erasableΣ; queueΣ; ghost_varΣ bool; waitersΣ; poolΣ; domainΣ].
Global Instance subG_pool_clientΣ Σ : subG pool_clientΣ Σ → pool_clientG Σ.
Proof. solve_inG. Qed.

Section client.
  Context `{!heapGS Σ, !pool_clientG Σ}.
  Implicit Types (n k : nat) (v t ctx : val) (l : loc) (C : loc → nat → iProp Σ).
  Local Instance pool_client_deps : pool_deps Σ := pool_waiters.

  (** A list of items: the item that is to get the number [k] has the resource [C l k]. *)
  Local Fixpoint items C n v : iProp Σ :=
    match n with
    | 0 => ⌜v = InjLV #()⌝
    | S n' => ∃ l v', ⌜v = InjRV (#l, v')⌝ ∗ C l (S n') ∗ items C n' v'
    end.
  Local Definition cell l k : iProp Σ := (l +ₗ 0) ↦na #k.
  Local Definition fresh := items (λ l _, cell l 0).
  Local Definition written := items cell.
  Local Definition promised γ := items (λ l k, pool_consumer γ (cell l k)).

  Local Lemma make_spec n :
    {{{ True }}} clients_pool_client_make #n {{{ v, RET v; fresh n v }}}.
  Proof.
    iIntros (Φ) "_ HΦ". iInduction n as [|n] "IH" forall (Φ); wp_rec; wp_pures.
    { iApply "HΦ". by iPureIntro. }
    replace (Z.of_nat (S n) - 1)%Z with (Z.of_nat n) by lia.
    wp_apply "IH". iIntros (v) "Hv". wp_pures. wp_apply block1_spec; first done.
    iIntros (l) "[Hl _]". wp_pures. iApply "HΦ". iExists l, v. by iFrame.
  Qed.

  Local Lemma publish_spec γ t ctx sc n v :
    {{{ pool_context γ t ctx sc ∗ fresh n v }}}
      clients_pool_client_publish ctx v #n
    {{{ RET #(); pool_context γ t ctx sc ∗ promised γ n v }}}.
  Proof.
    iIntros (Φ) "[Hctx Hv] HΦ". iInduction n as [|n] "IH" forall (v Φ); wp_rec; wp_pures.
    { iDestruct "Hv" as %->. wp_pures. iApply "HΦ". by iFrame. }
    iDestruct "Hv" as (l v') "(-> & Hl & Hv)". wp_pures.
    wp_apply (pool_async_spec _ _ _ _ _ (cell l (S n)) True with "[$Hctx Hl]").
    { iIntros (ctx' sc') "Hctx". wp_pures. wp_na_store. iModIntro.
      iFrame "Hctx". iSplitL; [by iNext|by iIntros "!> !>"]. }
    iIntros "(Hctx & Hl & _)". wp_pures.
    replace (Z.of_nat (S n) - 1)%Z with (Z.of_nat n) by lia.
    wp_apply ("IH" with "Hctx Hv"). iIntros "[Hctx Hv]". iApply "HΦ". iFrame "Hctx".
    iExists l, v'. by iFrame.
  Qed.

  Local Lemma promised_written γ n v :
    pool_finished γ -∗ promised γ n v ={⊤}=∗ ▷ written n v.
  Proof.
    iIntros "#Hf Hv". iInduction n as [|n] "IH" forall (v); first by iFrame.
    iDestruct "Hv" as (l v') "(-> & Hl & Hv)".
    iMod (pool_consumer_finished with "Hl Hf") as "Hl"; first done.
    iMod ("IH" with "Hv") as "Hv". iIntros "!> !>". iExists l, v'. by iFrame.
  Qed.

  Local Lemma sum_spec n v (s : nat) :
    {{{ written n v }}} clients_pool_client_sum v #s {{{ RET #(s + triangle n)%nat; True }}}.
  Proof.
    iIntros (Φ) "Hv HΦ". iInduction n as [|n] "IH" forall (v s Φ); wp_rec; wp_pures.
    { iDestruct "Hv" as %->. wp_pures. rewrite Nat.add_0_r. by iApply "HΦ". }
    iDestruct "Hv" as (l v') "(-> & Hl & Hv)". wp_pures. wp_na_load. wp_pures.
    rewrite -Nat2Z.inj_add. wp_apply ("IH" with "Hv"). iIntros "_".
    replace (s + S n + triangle n) with (s + triangle (S n)) by (simpl; lia).
    by iApply "HΦ".
  Qed.

  Lemma pool_client_spec (workers n : nat) :
    0 < workers →
    {{{ True }}}
      clients_pool_client_run #workers #n
    {{{ RET #(triangle n + triangle n)%nat; True }}}.
  Proof using Type*.
    iIntros (Hw Φ) "_ HΦ". wp_rec. wp_pures. wp_alloc idle as "Hidle". wp_pures.
    wp_apply (pool_create_model_spec true hub_fifo_maker with "[Hidle]").
    { apply fifo_maker. }
    { done. }
    { iSplitL; first by iExists 0. iIntros "!>" (i _). by wp_pures. }
    iIntros (γ t) "[_ Hpool]". wp_pures. wp_apply (pool_start_spec with "Hpool").
    iIntros "Hpool". iDestruct (pool_model_inv with "Hpool") as "#Hinv". wp_pures.
    wp_apply (make_spec n); first done. iIntros (outside) "Houtside". wp_pures.
    wp_apply (make_spec n); first done. iIntros (inside) "Hinside". wp_pures.
    wp_apply (pool_task_spec γ t _ (promised γ n outside) True with "[$Hinv Houtside]").
    { iIntros (ctx sc) "Hctx". wp_pures.
      wp_apply (publish_spec with "[$Hctx $Houtside]"). iIntros "[Hctx Houtside]".
      iFrame "Hctx". iSplitL; [by iNext|by iIntros "!> !>"]. }
    iIntros (l) "Hl". wp_pures.
    wp_apply (pool_submit_model_spec _ _ 0 with "[$Hpool $Hl]").
    iIntros "(Hpool & Houtside & _)". wp_pures.
    wp_apply (pool_run_model_spec _ _ _ (λ _, promised γ n inside)
      with "[$Hpool Hinside]").
    { iIntros (ctx sc) "Hctx". wp_pures.
      wp_apply (publish_spec with "[$Hctx $Hinside]"). iIntros "[Hctx Hinside]".
      by iFrame "Hctx Hinside". }
    iIntros (r) "[Hpool Hinside]". wp_pures.
    wp_apply (pool_close_spec with "Hpool"). iIntros "#Hf".
    iMod (pool_consumer_finished with "Houtside Hf") as "Houtside"; first done.
    iMod (promised_written with "Hf Hinside") as "Hinside". wp_pure _.
    iMod (promised_written with "Hf Houtside") as "Houtside". wp_pures.
    wp_apply (sum_spec n outside 0 with "Houtside"). iIntros "_". wp_pures.
    wp_apply (sum_spec with "Hinside"). iIntros "_". by iApply "HΦ".
  Qed.
End client.

(** Claim: A pool of any number of workers with the FIFO hub gets tasks from outside and
    from a run, and no thread waits for a task. In every execution: no domain gets stuck
    (so no access to a plain field races, and each task has what it needs), and the
    result, if there is a result, is the sum of the numbers that all tasks have written,
    read after the pool has been closed. *)
Theorem pool_client_adequate (workers n : nat) σ :
  0 < workers →
  adequate NotStuck (clients_pool_client_run #workers #n) σ (λ v _, v = #(n * (n + 1))).
Proof.
  intros Hw. apply (heap_adequacy #[heapΣ; pool_clientΣ]). iIntros (?) "_".
  wp_apply pool_client_spec; [done..|]. iIntros "_". iPureIntro. f_equal. f_equal.
  rewrite Nat2Z.inj_add triangle_closed.
  assert ((n * (n + 1)) `mod` 2 = 0)%Z as Heven.
  { rewrite Z.mul_add_distr_l Z.mul_1_r. apply Z.mod_divide; first done.
    destruct (Z.Even_or_Odd n) as [[k ->]|[k ->]];
      [exists (k * (2 * k + 1))%Z|exists ((2 * k + 1) * (k + 1))%Z]; lia. }
  apply Z.mod_divide in Heven as [k Hk]; last done. rewrite Hk Z.div_mul //. lia.
Qed.

(** Claim: The program without prophecy variables, the program that runs, has the same
    property. *)
Theorem pool_client_erased (workers n : nat) σ :
  0 < workers →
  adequate NotStuck (erase_expr (clients_pool_client_run #workers #n))
    (erase_state σ) (λ v _, v = #(n * (n + 1))).
Proof. intros Hw. by apply erased_adequate, pool_client_adequate. Qed.
