(** * Rings: sequential double-ended queues

    A ring belongs to one thread: [ring_model t vs] owns the whole ring and says that
    the ring holds [vs], oldest item first.  So the specifications are Hoare triples.
    The specifications include that the plain fields are free of races.

    The slots with the indices from [front] up to [back] hold the content.  The two
    indices are the elements of an array, [ends].  All other slots hold the dummy.  In
    terms of [slots.v]: the window of all slots, from [front] on, is the content
    followed by dummies.
    - A push replaces the first dummy.
    - A pop puts a dummy back.
    - Dropping the oldest item makes the item's slot a dummy, and rotates the window by
      one.

    The capacity is a power of two.  The capacity doubles and halves, and never falls
    below the capacity that the ring was made with.

    Other threads may read the two indices, to learn whether the ring had items a
    moment ago ([ring_is_empty_hint_spec]).  Therefore an invariant, [ring_inv t], owns
    one half of each index, and the operations that move an index need the
    invariant. *)
From iris.base_logic.lib Require Import invariants.
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import slots_code slots ring_code.

Local Notation option_to_val o := (from_option InjRV (InjLV #()) o).
Local Open Scope Z_scope.

Section ring.
  Context `{!heapGS Σ}.
  Implicit Types (l ends : loc) (t v dummy : val) (vs : list val) (cap least f : nat).

  (** ** State *)

  Local Definition ring_fields l ends dummy least : iProp Σ :=
    (l +ₗ 0) ↦□ #ends ∗ array_len ends 16 ∗
    (l +ₗ 2) ↦□ dummy ∗ (l +ₗ 3) ↦□ #least ∗ ⌜power_of_two least⌝.

  Local Definition ring_ends ends (f b : Z) : iProp Σ :=
    (ends +ₗ (1 + 0)) ↦{#1/2} #f ∗ (ends +ₗ (1 + 1)) ↦{#1/2} #b.

  Local Definition ring_slots l dummy f vs cap : iProp Σ :=
    ∃ slots : loc,
      ⌜power_of_two cap ∧ (length vs ≤ cap)%nat⌝ ∗
      (l +ₗ 1) ↦na #slots ∗ array_len slots cap ∗
      slots_window slots cap (DfracOwn 1) f
        (vs ++ replicate (cap - length vs) dummy).

  Definition ring_model t vs : iProp Σ :=
    ∃ l ends dummy least cap f,
      ⌜t = #l ∧ (least ≤ cap)%nat⌝ ∗ ring_fields l ends dummy least ∗
      ring_ends ends f (f + length vs) ∗ ring_slots l dummy f vs cap.

  Local Definition ringN : namespace := nroot .@ "dromos" .@ "ring".
  Definition ring_inv t : iProp Σ :=
    ∃ l ends : loc, ⌜t = #l⌝ ∗ (l +ₗ 0) ↦□ #ends ∗ array_len ends 16 ∗
      inv ringN (∃ f b : Z, ring_ends ends f b).

  Global Instance ring_model_timeless t vs : Timeless (ring_model t vs).
  Proof. apply _. Qed.
  Global Instance ring_inv_persistent t : Persistent (ring_inv t).
  Proof. apply _. Qed.

  (** ** The parts *)

  Local Lemma ring_front_spec l ends dummy least (f b : Z) :
    {{{ ring_fields l ends dummy least ∗ ring_ends ends f b }}}
      deque_ring_front #l
    {{{ RET #f; ring_ends ends f b }}}.
  Proof.
    iIntros (Φ) "[(#He & #Hlen & _) [Hf Hb]] HΦ". wp_rec. wp_load.
    wp_apply (array_get_cell_spec with "[$Hlen $Hf]"); first lia.
    iIntros "Hf". iApply "HΦ". iFrame.
  Qed.
  Local Lemma ring_back_spec l ends dummy least (f b : Z) :
    {{{ ring_fields l ends dummy least ∗ ring_ends ends f b }}}
      deque_ring_back #l
    {{{ RET #b; ring_ends ends f b }}}.
  Proof.
    iIntros (Φ) "[(#He & #Hlen & _) [Hf Hb]] HΦ". wp_rec. wp_load.
    wp_apply (array_get_cell_spec with "[$Hlen $Hb]"); first lia.
    iIntros "Hb". iApply "HΦ". iFrame.
  Qed.
  Local Lemma ring_set_front_spec l ends dummy least (f b i : Z) :
    {{{ ring_inv #l ∗ ring_fields l ends dummy least ∗ ring_ends ends f b }}}
      deque_ring_set_front #l #i
    {{{ RET #(); ring_ends ends i b }}}.
  Proof.
    iIntros (Φ) "[#Hinv [(#He & #Hlen & _) [Hf Hb]]] HΦ".
    iDestruct "Hinv" as (l' ends') "(%Hl & He' & _ & #I)". injection Hl as <-.
    iDestruct (pointsto_agree with "He He'") as %[= <-]. iClear "He'".
    wp_rec. wp_pures. wp_load. iApply (wp_array_set with "Hlen"); first lia.
    iInv "I" as (f' b') ">[Hf' Hb']".
    iDestruct (pointsto_agree with "Hf Hf'") as %[= <-].
    iCombine "Hf Hf'" as "Hf". wp_store. iDestruct "Hf" as "[Hf Hf']".
    iModIntro. iSplitL "Hf' Hb'"; first by iExists i, b'; iFrame. iApply "HΦ". iFrame.
  Qed.
  Local Lemma ring_set_back_spec l ends dummy least (f b i : Z) :
    {{{ ring_inv #l ∗ ring_fields l ends dummy least ∗ ring_ends ends f b }}}
      deque_ring_set_back #l #i
    {{{ RET #(); ring_ends ends f i }}}.
  Proof.
    iIntros (Φ) "[#Hinv [(#He & #Hlen & _) [Hf Hb]]] HΦ".
    iDestruct "Hinv" as (l' ends') "(%Hl & He' & _ & #I)". injection Hl as <-.
    iDestruct (pointsto_agree with "He He'") as %[= <-]. iClear "He'".
    wp_rec. wp_pures. wp_load. iApply (wp_array_set with "Hlen"); first lia.
    iInv "I" as (f' b') ">[Hf' Hb']".
    iDestruct (pointsto_agree with "Hb Hb'") as %[= <-].
    iCombine "Hb Hb'" as "Hb". wp_store. iDestruct "Hb" as "[Hb Hb']".
    iModIntro. iSplitL "Hf' Hb'"; first by iExists f', i; iFrame. iApply "HΦ". iFrame.
  Qed.
  Local Lemma ring_size_parts_spec l ends dummy least (f b : Z) :
    {{{ ring_fields l ends dummy least ∗ ring_ends ends f b }}}
      deque_ring_size #l
    {{{ RET #(b - f); ring_ends ends f b }}}.
  Proof.
    iIntros (Φ) "[#Hl He] HΦ". wp_rec.
    wp_apply (ring_front_spec with "[$Hl $He]"). iIntros "He". wp_pures.
    wp_apply (ring_back_spec with "[$Hl $He]"). iIntros "He". wp_pures.
    by iApply "HΦ".
  Qed.

  Local Lemma ring_resize_spec l ends dummy least f vs cap cap' :
    power_of_two cap' → (length vs ≤ cap')%nat →
    {{{ ring_fields l ends dummy least ∗ ring_ends ends f (f + length vs) ∗
        ring_slots l dummy f vs cap }}}
      deque_ring_resize #l #cap'
    {{{ RET #(); ring_ends ends f (f + length vs) ∗ ring_slots l dummy f vs cap' }}}.
  Proof.
    iIntros (Hcap' Hle Φ) "(#Hl & He & %slots & [%Hcap %] & Hs & #Hlen & Hw) HΦ".
    wp_rec. wp_pures.
    wp_apply (ring_front_spec with "[$Hl $He]"). iIntros "He". wp_pures.
    wp_apply (ring_back_spec with "[$Hl $He]"). iIntros "He". wp_pures.
    iDestruct "Hl" as "(_ & _ & #Hd & _)". wp_load. wp_na_load.
    iDestruct (slots_window_app with "Hw") as "[Hw _]".
    wp_apply (slots_resize_spec slots cap _ dummy f _ vs cap' with "[$Hlen $Hw]");
      [done..|].
    iIntros (slots') "(_ & #Hlen' & _ & Hw)". wp_na_store.
    iModIntro. iApply "HΦ". iFrame. by iFrame "#".
  Qed.

  Local Lemma ring_shrink_if_sparse_spec l ends dummy least f vs cap :
    (least ≤ cap)%nat →
    {{{ ring_fields l ends dummy least ∗ ring_ends ends f (f + length vs) ∗
        ring_slots l dummy f vs cap }}}
      deque_ring_shrink_if_sparse #l
    {{{ RET #(); ring_model #l vs }}}.
  Proof.
    iIntros (Hleast Φ) "(#Hl & He & %slots & [%Hcap %] & Hs & #Hlen & Hw) HΦ".
    wp_rec. wp_na_load.
    wp_apply (array_length_spec with "Hlen"). iIntros "_". wp_pures.
    wp_apply (ring_size_parts_spec with "[$Hl $He]"). iIntros "He". wp_pures.
    iAssert (ring_slots l dummy f vs cap) with "[Hs Hw]" as "Hs".
    { iExists slots. by iFrame "∗ #". }
    case_bool_decide as Hsparse; wp_pures; last first.
    { iModIntro. iApply "HΦ". iExists l, ends, dummy, least, cap, f. by iFrame "∗ #". }
    iDestruct "Hl" as "(Hl0 & Hl1 & Hl2 & Hl3 & %Hpos)". wp_load. wp_pures.
    iAssert (ring_fields l ends dummy least) as "#Hl"; first by iFrame "#".
    case_bool_decide as Hlarge; wp_pures; last first.
    { iModIntro. iApply "HΦ". iExists l, ends, dummy, least, cap, f. by iFrame "∗ #". }
    pose proof (power_of_two_pos _ Hpos).
    destruct (power_of_two_half cap) as (half & -> & Hhalf); [done|lia|].
    replace (Z.of_nat (2 * half) `quot` 2) with (Z.of_nat half); last first.
    { rewrite Z.quot_div_nonneg; [|lia..]. rewrite Nat2Z.inj_mul Z.mul_comm.
      by rewrite Z.div_mul. }
    iApply wp_fupd.
    wp_apply (ring_resize_spec with "[$Hl $He $Hs]"); [done|lia|].
    iIntros "[He Hs]". iApply "HΦ". iExists l, ends, dummy, least, half, f.
    iFrame "∗ #". iPureIntro. split; first done. apply power_of_two_le; [done..|lia].
  Qed.

  (** ** The operations *)

  (** Claim: A new ring is empty. *)
  Lemma ring_create_spec (capacity : Z) dummy :
    {{{ True }}} deque_ring_create #capacity dummy
    {{{ t, RET t; ring_inv t ∗ ring_model t [] }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures. rewrite /deque_ring_padded.
    wp_apply array_make_spec; [lia|done|]. iIntros (ends) "[[#He Hends] _]".
    iDestruct (array_cells_cons with "Hends") as "[[Hf Hf'] Hends]".
    iDestruct (array_cells_cons with "Hends") as "[[Hb Hb'] _]".
    iMod (inv_alloc ringN _ (∃ f b : Z, ring_ends ends f b) with "[Hf' Hb']") as "#I".
    { iExists 0, 0. iFrame. }
    wp_pures. wp_apply slots_make_spec; first done.
    iIntros (slots cap) "([%Hcap _] & #Hs & _ & Hw)". wp_pures.
    wp_apply (array_length_spec with "Hs"). iIntros "_". wp_pures.
    iApply wp_fupd. wp_apply block4_spec; first done. iIntros (l) "(H0 & H1 & H2 & H3 & _)".
    iMod (pointsto_persist with "H0") as "#H0".
    iMod (pointsto_persist with "H2") as "#H2".
    iMod (pointsto_persist with "H3") as "#H3".
    iModIntro. iApply "HΦ". iSplitR; first by iExists l, ends; iFrame "#".
    iExists l, ends, dummy, cap, cap, 0%nat.
    iFrame "∗ #". rewrite Nat.sub_0_r. iFrame. iPureIntro. simpl. split_and!; auto with lia.
  Qed.

  (** Claim: [size] returns the number of items. *)
  Lemma ring_size_spec t vs :
    {{{ ring_model t vs }}}
      deque_ring_size t
    {{{ RET #(length vs); ring_model t vs }}}.
  Proof.
    iIntros (Φ) "(%l & %ends & %dummy & %least & %cap & %f & [-> %] & #Hl & He & Hs) HΦ".
    wp_apply (ring_size_parts_spec with "[$Hl $He]"). iIntros "He".
    replace (f + length vs - f) with (Z.of_nat (length vs)) by lia.
    iApply "HΦ". iExists l, ends, dummy, least, cap, f. by iFrame "∗ #".
  Qed.

  (** Claim: [is_empty] says whether the ring has no item. *)
  Lemma ring_is_empty_spec t vs :
    {{{ ring_model t vs }}}
      deque_ring_is_empty t
    {{{ RET #(bool_decide (vs = [])); ring_model t vs }}}.
  Proof.
    iIntros (Φ) "H HΦ". wp_rec. wp_apply (ring_size_spec with "H"). iIntros "H". wp_pures.
    rewrite (bool_decide_ext (#(length vs) = #0) (vs = [])); first by iApply "HΦ".
    split; last by intros ->. intros [= ?]. destruct vs; [done|simpl in *; lia].
  Qed.

  (** Claim: Any thread may ask whether a ring is empty; the answer is a hint. *)
  Lemma ring_is_empty_hint_spec t :
    {{{ ring_inv t }}} deque_ring_is_empty t {{{ (b : bool), RET #b; True }}}.
  Proof.
    iIntros (Φ) "(%l & %ends & -> & #He & #Hlen & #I) HΦ". wp_rec. wp_rec. wp_rec. wp_load.
    wp_bind (array_get _ _). iApply (wp_array_get with "Hlen"); first lia.
    iInv "I" as (f b) ">[Hf Hb]". wp_load. iModIntro.
    iSplitL "Hf Hb"; first by iExists f, b; iFrame. wp_pures. clear b. wp_rec. wp_load.
    wp_bind (array_get _ _). iApply (wp_array_get with "Hlen"); first lia.
    iInv "I" as (f' b) ">[Hf Hb]". wp_load. iModIntro.
    iSplitL "Hf Hb"; first by iExists f', b; iFrame. wp_pures. by iApply "HΦ".
  Qed.

  (** Claim: [push] adds an item at the back. *)
  Lemma ring_push_spec t vs v :
    {{{ ring_inv t ∗ ring_model t vs }}} deque_ring_push t v {{{ RET #(); ring_model t (vs ++ [v]) }}}.
  Proof.
    iIntros (Φ) "[#I (%l & %ends & %dummy & %least & %cap & %f & [-> %] & #Hl & He & Hs)] HΦ".
    wp_rec. wp_pures. iDestruct "Hs" as "(%slots & [%Hcap %] & Hs & #Hlen & Hw)".
    wp_na_load. wp_apply (array_length_spec with "Hlen"). iIntros "_". wp_pures.
    wp_apply (ring_size_parts_spec with "[$Hl $He]"). iIntros "He". wp_pures.
    wp_bind (if: _ then _ else _)%E.
    iApply (wp_wand _ _ _ (λ _, ∃ cap : nat, ⌜(least ≤ cap ∧ length vs < cap)%nat⌝ ∗
      ring_ends ends f (f + length vs) ∗ ring_slots l dummy f vs cap)%I
      with "[He Hs Hw]").
    { iAssert (ring_slots l dummy f vs cap) with "[Hs Hw]" as "Hs".
      { iExists slots. by iFrame "∗ #". }
      case_bool_decide as Hfull; wp_pures.
      - replace (2 * cap) with (Z.of_nat (2 * cap)) by lia.
        wp_apply (ring_resize_spec with "[$Hl $He $Hs]");
          [by apply power_of_two_double|lia|].
        iIntros "[He Hs]". iExists _. iFrame. iPureIntro.
        apply power_of_two_pos in Hcap. lia.
      - iModIntro. iExists cap. iFrame. iPureIntro.
        assert (Z.of_nat (length vs) ≠ cap); last lia.
        intros Heq. apply Hfull. do 2 f_equal. lia. }
    iClear "Hlen". clear dependent cap slots. iIntros (?) "(%cap & [% %] & He & Hs)". wp_pures.
    wp_apply (ring_back_spec with "[$Hl $He]"). iIntros "He". wp_pures.
    iDestruct "Hs" as "(%slots & [%Hcap %] & Hs & #Hlen & Hw)". wp_na_load.
    replace (cap - length vs)%nat with (S (cap - length (vs ++ [v])));
      last (rewrite length_app /=; lia).
    rewrite replicate_S slots_window_app slots_window_cons.
    iDestruct "Hw" as "(Hw & Hi & Hr)".
    wp_apply (slots_set_spec with "[$Hlen $Hi]"); first done. iIntros "Hi". wp_pures.
    wp_apply (ring_set_back_spec with "[$I $Hl $He]"). iIntros "He".
    iApply "HΦ". iExists l, ends, dummy, least, cap, f. iFrame "Hl".
    replace (f + length vs + 1) with (f + length (vs ++ [v])) by (rewrite length_app /=; lia).
    iFrame "He". iSplitR; first by iPureIntro. iExists slots. iFrame "Hs Hlen".
    iSplitR; first (iPureIntro; rewrite length_app /=; auto with lia).
    rewrite slots_window_app slots_window_snoc. iFrame.
  Qed.

  (** Claim: [pop] takes the newest item, if the ring has an item. *)
  Lemma ring_pop_spec t vs :
    {{{ ring_inv t ∗ ring_model t vs }}}
      deque_ring_pop t
    {{{ RET option_to_val (last vs); ring_model t (removelast vs) }}}.
  Proof.
    iIntros (Φ) "[#I H] HΦ". wp_rec. wp_apply (ring_is_empty_spec with "H"). iIntros "H".
    destruct vs as [|v vs _] using rev_ind; first (wp_pures; by iApply "HΦ").
    rewrite bool_decide_eq_false_2; last (intros []%app_eq_nil; done).
    rewrite last_snoc removelast_last.
    iDestruct "H" as "(%l & %ends & %dummy & %least & %cap & %f & [-> %] & #Hl & He & Hs)".
    wp_pures. wp_apply (ring_back_spec with "[$Hl $He]"). iIntros "He". wp_pures.
    iDestruct "Hs" as "(%slots & [%Hcap %Hle] & Hs & #Hlen & Hw)". wp_na_load.
    rewrite length_app /= in Hle.
    replace (f + length (vs ++ [v]) - 1) with (f + length vs) by (rewrite length_app /=; lia).
    rewrite -assoc slots_window_app slots_window_cons. iDestruct "Hw" as "(Hw & Hi & Hr)".
    wp_apply (slots_get_spec with "[$Hlen $Hi]"); first done. iIntros "Hi". wp_pures.
    iPoseProof "Hl" as "(_ & _ & Hd & _)". wp_load. wp_na_load.
    wp_apply (slots_set_spec with "[$Hlen $Hi]"); first done. iIntros "Hi". wp_pures.
    wp_apply (ring_set_back_spec with "[$I $Hl $He]"). iIntros "He". wp_pures.
    wp_apply (ring_shrink_if_sparse_spec with "[$Hl $He Hs Hw Hi Hr]"); first done.
    { iExists slots. iFrame "Hs Hlen". iSplitR; first (iPureIntro; auto with lia).
      replace (cap - length vs)%nat with (S (cap - length (vs ++ [v])));
        last (rewrite length_app /=; lia).
      rewrite replicate_S slots_window_app slots_window_cons. iFrame. }
    iIntros "H". wp_pures. by iApply "HΦ".
  Qed.

  (** Claim: [oldest] returns the oldest item, if the ring has an item; the item stays
      in the ring. *)
  Lemma ring_oldest_spec t vs :
    {{{ ring_model t vs }}}
      deque_ring_oldest t
    {{{ RET option_to_val (head vs); ring_model t vs }}}.
  Proof.
    iIntros (Φ) "H HΦ". wp_rec. wp_apply (ring_is_empty_spec with "H"). iIntros "H".
    destruct vs as [|v vs]; first (wp_pures; by iApply "HΦ").
    rewrite bool_decide_eq_false_2; last done.
    iDestruct "H" as "(%l & %ends & %dummy & %least & %cap & %f & [-> %] & #Hl & He & Hs)".
    wp_pures. wp_apply (ring_front_spec with "[$Hl $He]"). iIntros "He". wp_pures.
    iDestruct "Hs" as "(%slots & [%Hcap %Hle] & Hs & #Hlen & Hw)". wp_na_load.
    iDestruct (slots_window_cons with "Hw") as "[Hi Hw]".
    wp_apply (slots_get_spec with "[$Hlen $Hi]"); first done. iIntros "Hi". wp_pures.
    iModIntro. iApply "HΦ". iExists l, ends, dummy, least, cap, f.
    iFrame "Hl He". iSplitR; first done. iExists slots. iFrame "Hs Hlen".
    iSplitR; first done. iApply slots_window_cons. iFrame.
  Qed.

  (** Claim: [drop] removes the oldest item; the ring must have an item. *)
  Lemma ring_drop_spec t v vs :
    {{{ ring_inv t ∗ ring_model t (v :: vs) }}} deque_ring_drop t {{{ RET #(); ring_model t vs }}}.
  Proof.
    iIntros (Φ) "[#I (%l & %ends & %dummy & %least & %cap & %f & [-> %] & #Hl & He & Hs)] HΦ".
    wp_rec. wp_apply (ring_front_spec with "[$Hl $He]"). iIntros "He". wp_pures.
    iDestruct "Hs" as "(%slots & [%Hcap %Hle] & Hs & #Hlen & Hw)". simpl in Hle.
    iPoseProof "Hl" as "(_ & _ & Hd & _)". wp_load. wp_na_load.
    iDestruct (slots_window_cons with "Hw") as "[Hi Hw]".
    wp_apply (slots_set_spec with "[$Hlen $Hi]"); first done. iIntros "Hi".
    iDestruct (slots_window_cons with "[$Hi $Hw]") as "Hw".
    rewrite slots_window_rotate; last (rewrite length_app length_replicate /=; lia).
    wp_pures. wp_apply (ring_set_front_spec with "[$I $Hl $He]"). iIntros "He". wp_pures.
    replace (f + 1) with (Z.of_nat (S f)) by lia.
    replace (f + length (v :: vs)) with (S f + length vs) by (simpl; lia).
    wp_apply (ring_shrink_if_sparse_spec with "[$Hl $He Hs Hw]"); [done| |done].
    iExists slots. iFrame "Hs Hlen". iSplitR; first (iPureIntro; auto with lia).
    rewrite -assoc -replicate_S_end.
    by replace (S (cap - length (v :: vs))) with (cap - length vs)%nat by (simpl; lia).
  Qed.

  (** Claim: [take] takes the oldest item, if the ring has an item. *)
  Lemma ring_take_spec t vs :
    {{{ ring_inv t ∗ ring_model t vs }}}
      deque_ring_take t
    {{{ RET option_to_val (head vs); ring_model t (tail vs) }}}.
  Proof.
    iIntros (Φ) "[#I H] HΦ". wp_rec. wp_apply (ring_oldest_spec with "H"). iIntros "H".
    destruct vs as [|v vs]; wp_pures; first by iApply "HΦ".
    wp_apply (ring_drop_spec with "[$I $H]"). iIntros "H". wp_pures. by iApply "HΦ".
  Qed.
End ring.
