(** Conditions. [condition_wait c m] releases [m] and takes [m] again. A wait may return
    without a signal, as all waits may, so a signal does nothing. A condition that
    sleeps until a signal only takes the lock again later, so every behaviour of a
    sleeping condition is a behaviour of this one. Therefore the theorems hold for
    sleeping conditions too, except for progress, which is not claimed. *)
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

  (** Claim: [wait] gives up the lock and the resources that the lock protects, and has
      both again at the return. [wait] may return without a signal. *)
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
