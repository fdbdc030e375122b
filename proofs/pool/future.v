(** Futures (lib/kernel/pool/future.ml): the paper's figure 8.

    A future is an ivar that a task of the pool sets. The future's callbacks run in
    the context of the task that sets the future, so the callbacks of the ivar need,
    and give back, a context of the pool. The task is published with the obligation to
    set the future and to call its callbacks. So when the pool has finished, every
    future has its value; the tasks attached by [iter] have been published, and have
    run too. *)
From iris.base_logic.lib Require Import invariants.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.base Require Import ivar_code ivar.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool_hunt.
From dromos.pool Require Export pool.
From dromos.pool Require Import pool_code future_code.

(** Opaque: otherwise the steps of a program strip the laters inside. *)
Local Typeclasses Opaque ivar_notified ivar_called.

Section future.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !ivar_sharedG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (γ : ivar_names) (f ctx v : val) (sc : pool_scope).

  Definition future_ctx sc ctx : iProp Σ := pool_context γp t ctx sc.
  Definition future_result γ v : iProp Σ := ivar_result γ v.
  Definition future_consumer γ (X : val → iProp Σ) : iProp Σ := ivar_consumer γ X.
  Definition future_kept γ : iProp Σ := (∃ v, ivar_result γ v) ∗ ivar_notified γ.
  Definition future_inv γ f (Ψ Ξ : val → iProp Σ) : iProp Σ :=
    ∃ ivar, ⌜f = InjRV ivar⌝ ∗ ivar_inv Ψ Ξ future_ctx γ ivar ∗
      pool_obligation γp (future_kept γ).
  Definition future_obligation (Q : iProp Σ) : iProp Σ :=
    ▷ pool_obligation γp Q ∨
    ∃ γ, ivar_called γ (pool_obligation γp Q) ∗ pool_obligation γp (future_kept γ).

  Global Instance future_result_persistent γ v : Persistent (future_result γ v).
  Proof. apply _. Qed.
  Global Instance future_inv_persistent γ f Ψ Ξ : Persistent (future_inv γ f Ψ Ξ).
  Proof. apply _. Qed.
  Local Instance future_kept_persistent γ : Persistent (future_kept γ).
  Proof. apply _. Qed.

  (** Claim: A future has one value. *)
  Lemma future_result_agree γ v w : future_result γ v -∗ future_result γ w -∗ ⌜v = w⌝.
  Proof. apply ivar_result_agree. Qed.
  Lemma future_inv_result γ f Ψ Ξ v E :
    ↑ivar_sharedN ⊆ E →
    future_inv γ f Ψ Ξ -∗ future_result γ v ={E}=∗ ▷ □ Ξ v.
  Proof.
    iIntros (?) "(%ivar & _ & #Hi & _) Hv". by iApply (ivar_inv_result with "Hi Hv").
  Qed.
  Lemma future_inv_result_consumer γ f Ψ Ξ X v E :
    ↑ivar_sharedN ⊆ E →
    future_inv γ f Ψ Ξ -∗ future_result γ v -∗ future_consumer γ X ={E}=∗ ▷ ▷ X v.
  Proof.
    iIntros (?) "(%ivar & _ & #Hi & _) Hv HX".
    by iApply (ivar_inv_result_consumer_later with "Hi Hv HX").
  Qed.
  (** Claim: The right to the value of a future can be divided among its waiters. *)
  Lemma future_consumer_divide γ f Ψ Ξ X X1 X2 E :
    ↑ivar_sharedN ⊆ E →
    future_inv γ f Ψ Ξ -∗ future_consumer γ X -∗ ▷ (∀ v, X v -∗ X1 v ∗ X2 v) ={E}=∗
    future_consumer γ X1 ∗ future_consumer γ X2.
  Proof.
    iIntros (?) "(%ivar & _ & #Hi & _) HX Hdiv".
    by iApply (ivar_consumer_divide with "Hi HX Hdiv").
  Qed.
  (** Claim: Once the pool has finished, every future has its value. *)
  Lemma future_inv_finished γ f Ψ Ξ E :
    ↑poolN ⊆ E →
    future_inv γ f Ψ Ξ -∗ pool_finished γp ={E}=∗ ▷ ∃ v, future_result γ v.
  Proof.
    iIntros (?) "(%ivar & _ & _ & #Hob) #Hfin".
    iMod (pool_obligation_finished with "Hob Hfin") as "#H"; first done.
    iModIntro. iNext. iDestruct "H" as "[H _]". iApply "H".
  Qed.
  Lemma future_obligation_finished Q E :
    ↑poolN ⊆ E →
    future_obligation Q -∗ pool_finished γp ={E}=∗ ▷ ▷ |={E}=> ▷ □ Q.
  Proof.
    iIntros (?) "[#Hob|(%γ & #Hcalled & #Hob)] #Hfin".
    - iIntros "!> !> !>". by iApply (pool_obligation_finished with "Hob Hfin").
    - iMod (pool_obligation_finished with "Hob Hfin") as "#H"; first done.
      iIntros "!> !>". iDestruct "H" as "[_ Hn]".
      iDestruct (ivar_called_notified with "Hcalled Hn") as "#HQ". iNext.
      by iApply (pool_obligation_finished with "HQ Hfin").
  Qed.

  (** Claim: [async] makes a future of a task, which runs at most once; a waiter of the
      future gets the task's postcondition. *)
  Lemma future_async_spec ctx sc (task : val) Ψ Ξ :
    {{{ pool_context γp t ctx sc ∗ pool_runs γp t task (λ v, ▷ Ψ v ∗ ▷ □ Ξ v) }}}
      pool_future_async ctx task
    {{{ γ f, RET f;
        pool_context γp t ctx sc ∗ future_inv γ f Ψ Ξ ∗ future_consumer γ Ψ }}}.
  Proof.
    iIntros (Φ) "[Hctx Htask] HΦ". wp_rec. wp_pures.
    wp_apply (ivar_create_shared_spec Ψ Ξ future_ctx); first done.
    iIntros (γ ivar) "(#Hi & Hprod & Hcons)". wp_pures.
    wp_apply (pool_async_spec _ _ _ _ _ True (future_kept γ) with "[$Hctx Htask Hprod]").
    { iIntros (ctx' sc') "Hctx". wp_pures. wp_bind (task _).
      iApply (wp_wand with "(Htask Hctx)"). iIntros (v) "(Hctx & HΨ & #HΞ)". wp_pures.
      wp_apply (ivar_set_exclusive_spec _ _ _ _ _ sc' with "[$Hi $Hprod $Hctx $HΨ $HΞ]").
      iIntros "(Hctx & #Hv & #Hn)". wp_pures. iModIntro. iFrame "Hctx".
      iSplit; first done. iApply bi.later_intro. iModIntro.
      iSplit; [by iExists v|iApply "Hn"]. }
    iIntros "(Hctx & _ & #Hob)". wp_pures. iModIntro. iApply "HΦ". iFrame "Hctx Hcons".
    iExists ivar. by iFrame "Hi Hob".
  Qed.

  Lemma future_waitable γ ivar Ψ Ξ :
    ivar_inv Ψ Ξ future_ctx γ ivar -∗ waitable ivar (∃ v, future_result γ v).
  Proof.
    iIntros "#Hi". iSplit.
    - iIntros "!>". wp_apply (ivar_is_set_shared_spec with "Hi"). iIntros (b) "H".
      iExists b. iSplit; first done. destruct b; last done.
      iDestruct "H" as (v) "[H _]". by iExists v.
    - iIntros "!>" (run) "#Hrun".
      wp_apply (ivar_wait_shared_spec _ _ _ _ _ _ True with "[$Hi]").
      { iIntros (ctx sc v) "Hctx _ _". iApply wp_wand; first by iApply "Hrun".
        iIntros (?) "_". iFrame "Hctx". by iIntros "!> !>". }
      iIntros (r) "[[-> _]|(%v & -> & #Hv & _)]"; first by iLeft.
      iRight. iExists v. iSplit; first done. by iExists v.
  Qed.

  (** Claim: A wait returns the value of the future. *)
  Lemma future_wait_spec ctx sc γ f Ψ Ξ :
    {{{ pool_context γp t ctx sc ∗ future_inv γ f Ψ Ξ }}}
      pool_future_wait ctx f
    {{{ v, RET v; £ 2 ∗ pool_context γp t ctx sc ∗ future_result γ v }}}.
  Proof.
    iIntros (Φ) "[Hctx (%ivar & -> & #Hi & _)] HΦ". wp_rec. wp_pure _. wp_pure _ credit:"Hlc1".
    wp_pure _ credit:"Hlc2". wp_pures. iCombine "Hlc1 Hlc2" as "Hlc".
    iLöb as "IH". wp_rec. wp_pures.
    wp_apply (ivar_peek_shared_spec with "Hi").
    iIntros (r) "[->|(%v & -> & #Hv & _)]"; wp_pures.
    - wp_apply (pool_wait_ivar_spec _ _ _ _ _ (∃ v, future_result γ v)%I with "[$Hctx]");
        first by iApply future_waitable.
      iIntros "[Hctx _]". wp_pures. iApply ("IH" with "Hctx HΦ Hlc").
    - iModIntro. iApply "HΦ". by iFrame "Hctx Hv Hlc".
  Qed.

  (** Claim: [iter] makes a task that gets the value, once, when the value is there. *)
  Lemma future_iter_spec ctx sc γ f Ψ Ξ (task : val) Q :
    {{{ pool_context γp t ctx sc ∗ future_inv γ f Ψ Ξ ∗
        ∀ ctx sc v, pool_context γp t ctx sc -∗ future_result γ v -∗
          WP task ctx v {{ _, pool_context γp t ctx sc ∗ ▷ □ Q }} }}}
      pool_future_iter ctx f task
    {{{ r, RET r; pool_context γp t ctx sc ∗ future_obligation Q }}}.
  Proof.
    iIntros (Φ) "(Hctx & (%ivar & -> & #Hi & #Hob) & Htask) HΦ". wp_rec. wp_pures.
    set (start := (λ: "ctx" "value", _)%V).
    iAssert (∀ ctx sc v, pool_context γp t ctx sc -∗ ivar_result γ v -∗
      WP start ctx v {{ r, ⌜r = #()⌝ ∗ pool_context γp t ctx sc ∗ pool_obligation γp Q }})%I
      with "[Htask]" as "Hstart".
    { iIntros (ctx' sc' v) "Hctx #Hv". wp_rec. wp_pures.
      wp_apply (pool_async_spec _ _ _ _ _ True Q with "[$Hctx Htask]").
      { iIntros (ctx'' sc'') "Hctx". wp_pures.
        iApply (wp_wand with "(Htask Hctx Hv)"). iIntros (?) "[$ #HQ]". by iFrame "HQ". }
      iIntros "(Hctx & _ & #HQ)". by iFrame "Hctx HQ". }
    wp_apply (ivar_wait_shared_spec _ _ _ _ _ _ (pool_obligation γp Q) with "[$Hi Hstart]").
    { iIntros (ctx' sc' v) "Hctx Hv _". iApply (wp_wand with "(Hstart Hctx Hv)").
      iIntros (?) "(_ & $ & #HQ)". by iIntros "!> !>". }
    iIntros (r) "[[-> #Hcalled]|(%v & -> & #Hv & #HΞ & Hrun)]"; wp_pures.
    - iModIntro. iApply "HΦ". iFrame "Hctx". iRight. iExists γ. by iFrame "Hcalled Hob".
    - iApply (wp_wand with "[Hrun Hctx]"); first by iApply ("Hrun" with "Hctx Hv HΞ").
      iIntros (r) "[Hctx #HQ]". iApply "HΦ". iFrame "Hctx". iLeft. by iNext.
  Qed.

  (** Claim: [map] makes the future of a function of the value. *)
  Lemma future_map_spec ctx sc γ1 f1 Ψ1 Ξ1 (task : val) Ψ2 Ξ2 :
    {{{ pool_context γp t ctx sc ∗ future_inv γ1 f1 Ψ1 Ξ1 ∗
        ∀ ctx sc v1, pool_context γp t ctx sc -∗ future_result γ1 v1 -∗
          WP task ctx v1 {{ v2, pool_context γp t ctx sc ∗ ▷ Ψ2 v2 ∗ ▷ □ Ξ2 v2 }} }}}
      pool_future_map ctx f1 task
    {{{ γ2 ivar, RET (InjRV ivar);
        pool_context γp t ctx sc ∗ ivar_inv Ψ2 Ξ2 future_ctx γ2 ivar ∗
        future_consumer γ2 Ψ2 ∗ future_obligation (future_kept γ2) }}}.
  Proof.
    iIntros (Φ) "(Hctx & #Hf1 & Htask) HΦ". wp_rec. wp_pures.
    wp_apply (ivar_create_shared_spec Ψ2 Ξ2 future_ctx); first done.
    iIntros (γ ivar) "(#Hi & Hprod & Hcons)". wp_pures.
    wp_apply (future_iter_spec _ _ _ _ _ _ _ (future_kept γ) with "[$Hctx $Hf1 Htask Hprod]").
    { iIntros (ctx' sc' v) "Hctx #Hv1". wp_pures. wp_bind (task _ _).
      iApply (wp_wand with "(Htask Hctx Hv1)"). iIntros (v2) "(Hctx & HΨ & #HΞ)". wp_pures.
      wp_apply (ivar_set_exclusive_spec _ _ _ _ _ sc' with "[$Hi $Hprod $Hctx $HΨ $HΞ]").
      iIntros "(Hctx & #Hv & #Hn)". wp_pures. iModIntro. iFrame "Hctx".
      iApply bi.later_intro. iModIntro. iSplit; [by iExists v2|iApply "Hn"]. }
    iIntros (r) "[Hctx Hob]". wp_pures. iModIntro. iApply "HΦ".
    iFrame "Hctx Hi Hcons".
    iDestruct "Hob" as "[Hob|Hob]"; [by iLeft; iNext|by iRight].
  Qed.
End future.
