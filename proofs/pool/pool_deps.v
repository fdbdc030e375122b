(** The facts about waiters (lib/kernel/base/waiters.ml) that the pool's proof uses:
    their safety. Each worker has a token with the worker's phase: [false], awake;
    [true], the worker's sleep is announced. After an asynchronous exception in the
    middle of the worker's operations, the remaining token may be [wt_torn]. *)
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import waiters_code.

Class pool_deps `{!heapGS Σ} := PoolDeps {
  wt_name : Type;
  wt_inv : wt_name → val → nat → iProp Σ;
  wt_phase : wt_name → nat → bool → iProp Σ;
  wt_torn : wt_name → nat → iProp Σ;
  wt_inv_persistent γ w n :: Persistent (wt_inv γ w n);
  wt_create_spec (n : nat) : 0 < n →
    {{{ True }}}
      base_waiters_create #n
    {{{ γ w, RET w; wt_inv γ w n ∗ [∗ list] i ∈ seq 0 n, wt_phase γ i false }}};
  wt_prepare_spec γ w n (i : nat) : i < n →
    {{{ wt_inv γ w n ∗ wt_phase γ i false }}}
      base_waiters_prepare w #i
    {{{ RET #(); wt_phase γ i true }}};
  wt_cancel_spec γ w n (i : nat) : i < n →
    {{{ wt_inv γ w n ∗ wt_phase γ i true }}}
      base_waiters_cancel w #i
    {{{ (b : bool), RET #b; wt_phase γ i false }}};
  wt_commit_spec γ w n (i : nat) : i < n →
    {{{ wt_inv γ w n ∗ wt_phase γ i true }}}
      base_waiters_commit w #i
    {{{ RET #(); wt_phase γ i false }}};
  wt_phase_torn γ i b : wt_phase γ i b ⊢ wt_torn γ i;
  wt_recover_spec γ w n (i : nat) : i < n →
    {{{ wt_inv γ w n ∗ wt_torn γ i }}}
      base_waiters_recover w #i
    {{{ (b : bool), RET #b; wt_phase γ i false }}};
  wt_notify_spec γ w n (i : nat) : i < n →
    {{{ wt_inv γ w n }}} base_waiters_notify w #i {{{ (b : bool), RET #b; True }}};
  wt_notify_one_spec γ w n : 0 < n →
    {{{ wt_inv γ w n }}} base_waiters_notify_one w {{{ (b : bool), RET #b; True }}};
  wt_notify_all_spec γ w n :
    {{{ wt_inv γ w n }}} base_waiters_notify_all w {{{ RET #(); True }}};
  wt_count_spec γ w n :
    {{{ wt_inv γ w n }}} base_waiters_count w {{{ (z : Z), RET #z; True }}};
}.
Global Arguments pool_deps Σ {_}.
