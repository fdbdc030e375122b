(** The pool's waiters are those of base/waiters.v, which pass nothing on. *)
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import waiters_code waiters.
From dromos.pool Require Import pool_deps.

Section instance.
  Context `{!heapGS Σ, !waitersG Σ}.
  Local Definition R (i : nat) : iProp Σ := True.

  Program Definition pool_waiters : pool_deps Σ := {|
    wt_name := waiters_names;
    wt_inv γ w n := (⌜waiters_size γ = n⌝ ∗ waiters_inv R γ w)%I;
    wt_phase γ i b := if b then waiters_announced γ i else waiters_awake γ i;
  |}.
  Next Obligation.
    intros n ? Φ. iIntros "_ HΦ". wp_apply (waiters_create_spec R); first done.
    iIntros (γ t) "(% & H & H')". iApply "HΦ". by iFrame.
  Qed.
  Next Obligation.
    intros γ w n i ? Φ. iIntros "[[<- #Hw] H] HΦ".
    wp_apply (waiters_prepare_spec with "[$Hw $H]"). done.
  Qed.
  Next Obligation.
    intros γ w n i ? Φ. iIntros "[[<- #Hw] H] HΦ".
    wp_apply (waiters_cancel_spec with "[$Hw $H]"). iIntros (b) "[H _]". by iApply "HΦ".
  Qed.
  Next Obligation.
    intros γ w n i ? Φ. iIntros "[[<- #Hw] H] HΦ".
    wp_apply (waiters_commit_spec with "[$Hw $H]"). iIntros "[H _]". by iApply "HΦ".
  Qed.
  Next Obligation.
    intros γ w n i ? Φ. iIntros "[<- #Hw] HΦ".
    wp_apply (waiters_notify_spec _ _ _ _ True with "[]"); first done.
    { iFrame "Hw". repeat iSplit; rewrite /R; eauto. }
    iIntros (b) "_". by iApply "HΦ".
  Qed.
  Next Obligation.
    intros γ w n ? Φ. iIntros "[<- #Hw] HΦ".
    wp_apply (waiters_notify_one_spec _ _ _ True with "[]").
    { iFrame "Hw". repeat iSplit; rewrite /R; eauto. }
    iIntros (b) "_". by iApply "HΦ".
  Qed.
  Next Obligation.
    intros γ w n Φ. iIntros "[<- #Hw] HΦ".
    wp_apply (waiters_notify_all_spec with "[$Hw]"); last done.
    iApply big_sepL_intro. rewrite /R. eauto.
  Qed.
  Next Obligation.
    intros γ w n Φ. iIntros "[<- #Hw] HΦ".
    wp_apply (waiters_count_spec with "Hw"). iIntros (k) "_". by iApply "HΦ".
  Qed.
End instance.
