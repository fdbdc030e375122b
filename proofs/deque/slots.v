(** * Circular arrays whose length is a power of two

    Index [i], any integer, names slot [i mod cap].  The code computes the slot as
    [i land (cap - 1)], which is in bounds for every [i].

    A window is a view of the slots: [slots_window l cap dq i ws] owns the slots of the
    indices [i], [i + 1], .. and says that these slots hold [ws].  Windows split and
    join as lists do.  A window of all [cap] slots can be moved: index [i] and index
    [i + cap] are the same slot, so the first item of the window may be counted as the
    last item ([slots_window_rotate]).  The users of this module need no other
    arithmetic.

    A caller that has a window may use the Hoare specifications.  [wp_slots_get] and
    [wp_slots_set] reduce a call to the bare access, for slots that an invariant
    owns. *)
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import slots_code.

Local Open Scope Z_scope.

Definition power_of_two (cap : nat) : Prop := ∃ k : nat, cap = (2 ^ k)%nat.

Lemma power_of_two_pos cap : power_of_two cap → (0 < cap)%nat.
Proof. intros [k ->]. pose proof (Nat.pow_nonzero 2 k). lia. Qed.
Lemma power_of_two_1 : power_of_two 1.
Proof. by exists 0%nat. Qed.
Lemma power_of_two_double cap : power_of_two cap → power_of_two (2 * cap).
Proof. intros [k ->]. exists (S k). by rewrite Nat.pow_succ_r'. Qed.
Lemma power_of_two_half cap :
  power_of_two cap → (1 < cap)%nat →
  ∃ half, cap = (2 * half)%nat ∧ power_of_two half.
Proof.
  intros [[|k] ->] ?; first (simpl in *; lia).
  exists (2 ^ k)%nat. split; [by rewrite Nat.pow_succ_r' | by exists k].
Qed.
Lemma power_of_two_le a b :
  power_of_two a → power_of_two b → (a < 2 * b)%nat → (a ≤ b)%nat.
Proof.
  intros [j ->] [k ->]. rewrite -Nat.pow_succ_r' -Nat.pow_lt_mono_r_iff; last lia.
  intros. apply Nat.pow_le_mono_r; lia.
Qed.
Lemma power_of_two_land cap i :
  power_of_two cap → Z.land i (Z.of_nat cap - 1) = i mod (Z.of_nat cap).
Proof.
  intros [k ->]. rewrite Nat2Z.inj_pow. rewrite -Z.land_ones; last lia.
  by rewrite Z.ones_equiv Z.sub_1_r.
Qed.
Lemma slot_bounds (cap : nat) i : (0 < cap)%nat → 0 ≤ i mod cap < cap.
Proof. intros. apply Z.mod_pos_bound. lia. Qed.

Section slots.
  Context `{!heapGS Σ}.
  Implicit Types (l : loc) (cap : nat) (i j : Z) (v w dummy : val) (vs ws : list val).

  (** ** Windows *)

  Definition slots_window l cap dq i ws : iProp Σ :=
    [∗ list] k ↦ v ∈ ws, (l +ₗ (1 + (i + Z.of_nat k) mod cap)) ↦{dq} v.

  Global Instance slots_window_timeless l cap dq i ws :
    Timeless (slots_window l cap dq i ws).
  Proof. apply _. Qed.
  Global Instance slots_window_persistent l cap i ws :
    Persistent (slots_window l cap DfracDiscarded i ws).
  Proof. apply _. Qed.

  Lemma slots_window_nil l cap dq i : ⊢ slots_window l cap dq i [].
  Proof. by iApply big_sepL_nil. Qed.

  Lemma slots_window_app l cap dq i vs ws :
    slots_window l cap dq i (vs ++ ws) ⊣⊢
      slots_window l cap dq i vs ∗ slots_window l cap dq (i + length vs) ws.
  Proof.
    rewrite /slots_window big_sepL_app. f_equiv. apply big_sepL_proper=> k v _.
    by replace (i + (length vs + k)%nat) with (i + length vs + k) by lia.
  Qed.

  Lemma slots_window_singleton l cap dq i v :
    slots_window l cap dq i [v] ⊣⊢ (l +ₗ (1 + i mod cap)) ↦{dq} v.
  Proof. by rewrite /slots_window big_sepL_singleton Z.add_0_r. Qed.

  Lemma slots_window_cons l cap dq i v ws :
    slots_window l cap dq i (v :: ws) ⊣⊢
      (l +ₗ (1 + i mod cap)) ↦{dq} v ∗ slots_window l cap dq (i + 1) ws.
  Proof.
    change (v :: ws) with ([v] ++ ws).
    by rewrite slots_window_app slots_window_singleton.
  Qed.

  Lemma slots_window_snoc l cap dq i v ws :
    slots_window l cap dq i (ws ++ [v]) ⊣⊢
      slots_window l cap dq i ws ∗ (l +ₗ (1 + (i + length ws) mod cap)) ↦{dq} v.
  Proof. by rewrite slots_window_app slots_window_singleton. Qed.

  Lemma slots_window_shift l cap dq i ws :
    (0 < cap)%nat →
    slots_window l cap dq (i + cap) ws ⊣⊢ slots_window l cap dq i ws.
  Proof.
    intros. apply big_sepL_proper=> k v _.
    replace (i + cap + k) with (i + k + 1 * cap) by lia.
    rewrite Z.mod_add; [done|lia].
  Qed.

  Lemma slots_window_rotate l cap dq i v ws :
    cap = S (length ws) →
    slots_window l cap dq i (v :: ws) ⊣⊢ slots_window l cap dq (i + 1) (ws ++ [v]).
  Proof.
    intros Hcap. rewrite slots_window_cons slots_window_snoc.
    replace (i + 1 + length ws) with (i + 1 * cap) by lia.
    rewrite Z.mod_add; last lia. by rewrite comm.
  Qed.

  (** A whole array is a window; if all items are equal, the window may begin at any
      index. *)
  Lemma array_cells_window l cap dq ws :
    length ws = cap → array_cells l dq 0 ws ⊣⊢ slots_window l cap dq 0 ws.
  Proof.
    intros Hcap. apply big_sepL_proper=> k v Hk. apply lookup_lt_Some in Hk.
    rewrite Z.mod_small; [done|lia].
  Qed.
  Lemma slots_window_replicate l cap dq (i : nat) v :
    (0 < cap)%nat →
    slots_window l cap dq 0 (replicate cap v) ⊣⊢
      slots_window l cap dq i (replicate cap v).
  Proof.
    intros Hcap. destruct cap as [|n]; first lia.
    induction i as [|i IH]; first done.
    rewrite IH replicate_S slots_window_rotate; last by rewrite length_replicate.
    rewrite -replicate_S_end. by replace (i + 1) with (Z.of_nat (S i)) by lia.
  Qed.

  Lemma slots_window_acc l cap dq i ws (k : nat) v :
    ws !! k = Some v →
    slots_window l cap dq i ws -∗
      (l +ₗ (1 + (i + k) mod cap)) ↦{dq} v ∗
      ∀ w, (l +ₗ (1 + (i + k) mod cap)) ↦{dq} w -∗
           slots_window l cap dq i (<[k := w]> ws).
  Proof. iIntros (Hk) "H". by iApply (big_sepL_insert_acc with "H"). Qed.

  (** ** The operations *)

  Lemma slots_power_of_two_from_spec (n : nat) (least : Z) :
    power_of_two n →
    {{{ True }}} deque_slots_power_of_two_from #n #least
    {{{ (cap : nat), RET #cap; ⌜power_of_two cap ∧ least ≤ cap ∧ (n ≤ cap)%nat⌝ }}}.
  Proof.
    iIntros (Hn Φ) "_ HΦ". iLöb as "IH" forall (n Hn). wp_rec. wp_pures.
    case_bool_decide; wp_pures.
    - iModIntro. iApply "HΦ". auto with lia.
    - replace (2 * n) with (Z.of_nat (2 * n)) by lia.
      iApply "IH"; first by iPureIntro; apply power_of_two_double.
      iIntros "!> %cap (% & % & %)". iApply "HΦ". auto with lia.
  Qed.

  (** Claim: The number of slots of a new circular array is a power of two, and at least
      the number asked for; all slots hold the dummy. *)
  Lemma slots_make_spec (least : Z) dummy :
    {{{ True }}} deque_slots_make #least dummy
    {{{ l cap, RET #l;
        ⌜power_of_two cap ∧ least ≤ cap⌝ ∗ array_len l cap ∗ meta_token l ⊤ ∗
        slots_window l cap (DfracOwn 1) 0 (replicate cap dummy) }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures.
    wp_apply (slots_power_of_two_from_spec 1); [apply power_of_two_1|done|].
    iIntros (cap (Hcap & ? & _)). wp_pures.
    wp_apply array_make_spec; [lia|done|]. iIntros (l) "[[#Hlen H] Hm]".
    rewrite Nat2Z.id length_replicate. iApply "HΦ". iFrame "# Hm".
    rewrite array_cells_window; last by rewrite length_replicate. by iFrame.
  Qed.

  Lemma wp_slots_get l cap i Φ :
    power_of_two cap →
    array_len l cap -∗
    WP ! #(l +ₗ (1 + i mod cap)) {{ Φ }} -∗
    WP deque_slots_get #l #i {{ Φ }}.
  Proof.
    iIntros (Hcap) "#Hlen H". wp_rec. wp_pures.
    wp_apply (array_length_spec with "Hlen"). iIntros "_". wp_pures.
    rewrite power_of_two_land //. iApply (wp_array_get with "Hlen H").
    by apply slot_bounds, power_of_two_pos.
  Qed.
  Lemma wp_slots_set l cap i v Φ :
    power_of_two cap →
    array_len l cap -∗
    WP #(l +ₗ (1 + i mod cap)) <- v {{ Φ }} -∗
    WP deque_slots_set #l #i v {{ Φ }}.
  Proof.
    iIntros (Hcap) "#Hlen H". wp_rec. wp_pures.
    wp_apply (array_length_spec with "Hlen"). iIntros "_". wp_pures.
    rewrite power_of_two_land //. iApply (wp_array_set with "Hlen H").
    by apply slot_bounds, power_of_two_pos.
  Qed.

  (** Claim: [get] reads the slot of any index; the access is in bounds. *)
  Lemma slots_get_spec l cap dq i v :
    power_of_two cap →
    {{{ array_len l cap ∗ (l +ₗ (1 + i mod cap)) ↦{dq} v }}}
      deque_slots_get #l #i
    {{{ RET v; (l +ₗ (1 + i mod cap)) ↦{dq} v }}}.
  Proof.
    iIntros (? Φ) "[#Hlen H] HΦ". iApply (wp_slots_get with "Hlen"); first done.
    wp_load. by iApply "HΦ".
  Qed.
  (** Claim: [set] writes the slot of any index; the access is in bounds. *)
  Lemma slots_set_spec l cap i v w :
    power_of_two cap →
    {{{ array_len l cap ∗ (l +ₗ (1 + i mod cap)) ↦ v }}}
      deque_slots_set #l #i w
    {{{ RET #(); (l +ₗ (1 + i mod cap)) ↦ w }}}.
  Proof.
    iIntros (? Φ) "[#Hlen H] HΦ". iApply (wp_slots_set with "Hlen"); first done.
    wp_store. by iApply "HΦ".
  Qed.

  (** Claim: [clear] clears the slots of a range, and no other slots. *)
  Lemma slots_clear_spec l cap dummy i j ws :
    power_of_two cap → j = i + length ws →
    {{{ array_len l cap ∗ slots_window l cap (DfracOwn 1) i ws }}}
      deque_slots_clear #l dummy #i #j
    {{{ RET #();
        slots_window l cap (DfracOwn 1) i (replicate (length ws) dummy) }}}.
  Proof.
    iIntros (? -> Φ) "[#Hlen H] HΦ". iInduction ws as [|w ws] "IH" forall (i);
      wp_rec; wp_pures; simpl.
    - rewrite bool_decide_eq_false_2; last lia. wp_pures. by iApply "HΦ".
    - rewrite bool_decide_eq_true_2; last lia. wp_pures.
      rewrite !slots_window_cons. iDestruct "H" as "[Hi H]".
      wp_apply (slots_set_spec with "[$Hlen $Hi]"); first done. iIntros "Hi". wp_pures.
      replace (i + S (length ws)) with (i + 1 + length ws) by lia.
      iApply ("IH" with "H"). iIntros "!> H". iApply "HΦ". iFrame.
  Qed.

  Lemma slots_copy_spec source target cap cap' dq i j vs ws :
    power_of_two cap → power_of_two cap' →
    j = i + length vs → length ws = length vs →
    {{{ array_len source cap ∗ slots_window source cap dq i vs ∗
        array_len target cap' ∗ slots_window target cap' (DfracOwn 1) i ws }}}
      deque_slots_copy #source #target #i #j
    {{{ RET #();
        slots_window source cap dq i vs ∗
        slots_window target cap' (DfracOwn 1) i vs }}}.
  Proof.
    iIntros (?? -> Hlen Φ) "(#Hs & Hv & #Ht & Hw) HΦ".
    iInduction vs as [|v vs] "IH" forall (i ws Hlen); destruct ws as [|w ws];
      simplify_eq/=; wp_rec; wp_pures.
    - rewrite bool_decide_eq_false_2; last lia. wp_pures. iApply "HΦ". by iFrame.
    - rewrite bool_decide_eq_true_2; last lia. wp_pures.
      rewrite !slots_window_cons. iDestruct "Hv" as "[Hi Hv]".
      iDestruct "Hw" as "[Hi' Hw]".
      wp_apply (slots_get_spec with "[$Hs $Hi]"); first done. iIntros "Hi". wp_pures.
      wp_apply (slots_set_spec with "[$Ht $Hi']"); first done. iIntros "Hi'". wp_pures.
      replace (i + S (length vs)) with (i + 1 + length vs) by lia.
      iApply ("IH" with "[//] Hv Hw"). iIntros "!> [Hv Hw]". iApply "HΦ". iFrame.
  Qed.

  (** Claim: [resize] returns a new array of another length with the same items at the
      same indices; [resize] does not change the old array. *)
  Lemma slots_resize_spec source cap dq dummy (i : nat) j vs (cap' : nat) :
    power_of_two cap → power_of_two cap' →
    j = i + length vs → (length vs ≤ cap')%nat →
    {{{ array_len source cap ∗ slots_window source cap dq i vs }}}
      deque_slots_resize #source dummy #i #j #cap'
    {{{ l, RET #l;
        slots_window source cap dq i vs ∗ array_len l cap' ∗ meta_token l ⊤ ∗
        slots_window l cap' (DfracOwn 1) i
          (vs ++ replicate (cap' - length vs) dummy) }}}.
  Proof.
    iIntros (?? -> Hle Φ) "(#Hs & Hv) HΦ". wp_rec. wp_pures.
    wp_apply array_make_spec; [lia|done|]. iIntros (l) "[[#Hlen H] Hm]".
    rewrite Nat2Z.id length_replicate.
    rewrite array_cells_window; last by rewrite length_replicate.
    rewrite (slots_window_replicate _ _ _ i); last by apply power_of_two_pos.
    replace cap' with (length vs + (cap' - length vs))%nat at 3 by lia.
    rewrite replicate_add slots_window_app length_replicate.
    iDestruct "H" as "[Hw Hr]". wp_pures.
    wp_apply (slots_copy_spec source l cap cap' dq i _ vs with "[$Hs $Hv $Hlen $Hw]");
      [done..|by rewrite length_replicate|].
    iIntros "[Hv Hw]". wp_pures. iModIntro. iApply "HΦ". iFrame "Hv Hm #".
    rewrite slots_window_app. iFrame.
  Qed.
End slots.
