(** The pool's waiters are those of base/waiters.v, which pass nothing on. *)
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import waiters_code waiters waiters_notify.
From dromos.pool Require Import pool_deps.

Section instance.
  Context `{!heapGS Σ, !waitersG Σ}.
  Local Definition R (i : nat) : iProp Σ := True.

  Program Definition pool_waiters : pool_deps Σ := {|
    wt_name := waiters_names;
    wt_inv γ w n := (⌜waiters_size γ = n⌝ ∗ waiters_inv R γ w)%I;
    wt_phase γ i b := (∃ n, if b then waiters_announced γ i n else waiters_awake γ i n)%I;
    wt_torn γ i := (∃ n, waiters_torn R γ i n)%I;
  |}.
  Next Obligation.
    intros n ? Φ. iIntros "_ HΦ". wp_apply (waiters_create_spec R); first done.
    iIntros (γ t) "(% & #It & H)". iApply "HΦ". iFrame "It". iSplit; first done.
    iApply (big_sepL_impl with "H"). iIntros "!>" (i j _) "H". by iExists 0.
  Qed.
  Next Obligation.
    intros γ w n i ? Φ. iIntros "[[<- #Hw] [%k H]] HΦ".
    wp_apply (waiters_prepare_spec with "[$Hw $H]"). iIntros "[H _]". iApply "HΦ".
    by iExists (S k).
  Qed.
  Next Obligation.
    intros γ w n i ? Φ. iIntros "[[<- #Hw] [%k H]] HΦ".
    wp_apply (waiters_cancel_spec with "[$Hw $H]"). iIntros (b) "[H _]". iApply "HΦ".
    by iExists k.
  Qed.
  Next Obligation.
    intros γ w n i ? Φ. iIntros "[[<- #Hw] [%k H]] HΦ".
    wp_apply (waiters_commit_spec with "[$Hw $H]"). iIntros "[H _]". iApply "HΦ".
    by iExists k.
  Qed.
  Next Obligation.
    iIntros (γ i b) "[%k H]". iExists k.
    destruct b; [by iApply waiters_announced_torn|by iApply waiters_thread_awake_torn].
  Qed.
  Next Obligation.
    intros γ w n i ? Φ. iIntros "[[<- #Hw] [%k H]] HΦ".
    wp_apply (waiters_recover_spec with "[$Hw $H]"). iIntros (b) "[H _]". iApply "HΦ".
    by iExists k.
  Qed.
  Next Obligation.
    intros γ w n i ? Φ. iIntros "[<- #Hw] HΦ".
    iMod (waiters_made_0 γ i) as "#Hmade"; first done.
    wp_apply (waiters_notify_spec _ _ _ _ 0 True with "[]").
    { iFrame "Hw Hmade". repeat iSplit; rewrite /R; eauto. }
    iIntros (b) "_". by iApply "HΦ".
  Qed.
  Next Obligation.
    intros γ w n ? Φ. iIntros "[<- #Hw] HΦ".
    wp_apply (waiters_notify_one_spec _ _ _ [] True with "[]").
    { iFrame "Hw". repeat iSplit; rewrite /R /waiters_made_all; eauto. }
    iIntros (b) "_". by iApply "HΦ".
  Qed.
  Next Obligation.
    intros γ w n Φ. iIntros "[<- #Hw] HΦ".
    wp_apply (waiters_notify_all_spec _ _ _ [] with "[$Hw]").
    { rewrite /waiters_made_all /R /=. iSplit; first done. iApply big_sepL_intro. eauto. }
    iIntros "_". by iApply "HΦ".
  Qed.
  Next Obligation.
    intros γ w n Φ. iIntros "[<- #Hw] HΦ".
    wp_apply (waiters_count_spec _ _ _ [] with "[$Hw]"); first by rewrite /waiters_made_all. iIntros (k) "_". by iApply "HΦ".
  Qed.
End instance.
