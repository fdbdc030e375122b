(** Conditions. [condition_wait c m] releases [m] and takes it again; it may
    return for nothing, as waits do, so a signal has nothing to do. Every
    behaviour of a condition that sleeps until it is signalled is one of these:
    there the lock is taken again later. Hence what is proved holds for it, apart
    from progress, which is not claimed. *)
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import cells mutex.

Definition condition_create : val := λ: <>, ref #().
Definition condition_wait : val := λ: "c" "m", mutex_unlock "m" ;; mutex_lock "m".
Definition condition_signal : val := λ: "c", #().
Definition condition_broadcast : val := λ: "c", #().

Section spec.
  Context `{!heapGS Σ, !mutexG Σ}.
  Implicit Types (c m : val) (R : iProp Σ).

  Definition condition_inv c : iProp Σ := ∃ l : loc, ⌜c = #l⌝.
  Global Instance condition_inv_persistent c : Persistent (condition_inv c).
  Proof. apply _. Qed.

  Lemma condition_create_spec :
    {{{ True }}} condition_create #() {{{ c, RET c; condition_inv c }}}.
  Proof.
    iIntros (Φ) "_ HΦ". rewrite /condition_create. wp_pures. wp_alloc l as "_".
    iModIntro. iApply "HΦ". by iExists l.
  Qed.

  (** Claim: A wait gives up the lock with what it protects, and has both again when
      it returns; it may return for nothing. *)
  Lemma condition_wait_spec c m R :
    {{{ condition_inv c ∗ mutex_inv m R ∗ mutex_locked m ∗ R }}}
      condition_wait c m
    {{{ RET #(); mutex_locked m ∗ R }}}.
  Proof.
    iIntros (Φ) "(_ & #Hm & H) HΦ". rewrite /condition_wait. wp_pures.
    wp_apply (mutex_unlock_spec with "[$Hm $H]"). iIntros "_". wp_pures.
    by iApply (mutex_lock_spec with "Hm").
  Qed.

  Lemma condition_signal_spec c :
    {{{ condition_inv c }}} condition_signal c {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". rewrite /condition_signal. wp_pures. by iApply "HΦ".
  Qed.
  Lemma condition_broadcast_spec c :
    {{{ condition_inv c }}} condition_broadcast c {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". rewrite /condition_broadcast. wp_pures. by iApply "HΦ".
  Qed.
End spec.

Global Opaque condition_create condition_wait condition_signal condition_broadcast.
