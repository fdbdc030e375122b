(** * Hints about deques

    A hub's heuristics ask how many items a deque holds, and whether a deque is empty.
    The thread that asks does not own the model.  The answer may be out of date when
    the call returns.  The proofs here, from the deque's invariant alone, say that the
    calls are safe.  The atomic specifications of the same operations are in
    [bounded.v], [dynamic.v] and [public.v]. *)
From iris.base_logic.lib Require Import invariants.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev bounded_code bounded dynamic_code dynamic.
From dromos.deque Require Import public_code public.


Section hints.
  Context `{!heapGS Σ} (N : namespace).
  Implicit Types (t : val) (i : nat).

  (** Claim: Any thread may safely ask for the number of items of a bounded deque. *)
  Lemma bounded_size_safe_spec `{!boundedG Σ} γ t :
    {{{ bounded_inv N γ t }}} deque_bounded_size t {{{ (z : Z), RET #z; True }}}.
  Proof.
    iIntros (Φ) "([-> %Hn] & #Hfront & #Hback & #Harr & #Hdummy & #Hproph & #Hlen & #I) HΦ".
    wp_rec. wp_pures. wp_load. wp_apply (chase_lev_front_spec with "I"); first done.
    iIntros (f) "#Hlb". wp_pures. wp_load. wp_bind (! _)%E. iApply wp_wand.
    { iApply (chase_lev_back_spec _ _ _ _ _ (λ _, True)%I with "I Hlb"). by iIntros (vs b _) "$". }
    iIntros (r) "(%b & -> & _)". wp_pures. case_bool_decide; wp_pures; by iApply "HΦ".
  Qed.
  (** Claim: Any thread may safely ask whether a bounded deque is empty. *)
  Lemma bounded_is_empty_safe_spec `{!boundedG Σ} γ t :
    {{{ bounded_inv N γ t }}} deque_bounded_is_empty t {{{ (b : bool), RET #b; True }}}.
  Proof.
    iIntros (Φ) "I HΦ". wp_rec. wp_apply (bounded_size_safe_spec with "I"). iIntros (z) "_".
    wp_pures. by iApply "HΦ".
  Qed.

  (** Claim: Any thread may safely ask for the number of items of a deque without
    bound. *)
  Lemma dynamic_size_safe_spec `{!dynamicG Σ} γ t :
    {{{ dynamic_inv N γ t }}} deque_dynamic_size t {{{ (z : Z), RET #z; True }}}.
  Proof.
    iIntros (Φ)
      "([-> %] & #Hfront & #Hback & #Hcellf & #Hdummy & #Hleast & #Hproph & #I) HΦ".
    wp_rec. wp_pures. wp_load. wp_apply (chase_lev_front_spec with "I"); first done.
    iIntros (f) "#Hlb". wp_pures. wp_load. wp_bind (! _)%E. iApply wp_wand.
    { iApply (chase_lev_back_spec _ _ _ _ _ (λ _, True)%I with "I Hlb"). by iIntros (vs b _) "$". }
    iIntros (r) "(%b & -> & _)". wp_pures. case_bool_decide; wp_pures; by iApply "HΦ".
  Qed.
  (** Claim: Any thread may safely ask whether a deque without bound is empty. *)
  Lemma dynamic_is_empty_safe_spec `{!dynamicG Σ} γ t :
    {{{ dynamic_inv N γ t }}} deque_dynamic_is_empty t {{{ (b : bool), RET #b; True }}}.
  Proof.
    iIntros (Φ) "I HΦ". wp_rec. wp_apply (dynamic_size_safe_spec with "I"). iIntros (z) "_".
    wp_pures. by iApply "HΦ".
  Qed.

  (** Claim: Any thread may safely ask for the number of items of a worker's deque. *)
  Lemma public_size_safe_spec `{!dynamicG Σ} γ t i : i < length γ →
    {{{ public_inv N γ t }}} deque_public_size t #i {{{ (z : Z), RET #z; True }}}.
  Proof.
    iIntros ([dδ Hi]%lookup_lt_is_Some_2 Φ) "I HΦ". wp_rec. wp_pures.
    wp_apply (public.deque_spec with "I"); first done. iIntros "Hd".
    by wp_apply (dynamic_size_safe_spec with "Hd").
  Qed.
  (** Claim: Any thread may safely ask whether a worker's deque is empty. *)
  Lemma public_is_empty_safe_spec `{!dynamicG Σ} γ t i : i < length γ →
    {{{ public_inv N γ t }}} deque_public_is_empty t #i {{{ (b : bool), RET #b; True }}}.
  Proof.
    iIntros ([dδ Hi]%lookup_lt_is_Some_2 Φ) "I HΦ". wp_rec. wp_pures.
    wp_apply (public.deque_spec with "I"); first done. iIntros "Hd".
    by wp_apply (dynamic_is_empty_safe_spec with "Hd").
  Qed.
End hints.
