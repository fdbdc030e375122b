(** * Circular arrays that other threads read at the same time

    Item number [i] is in slot [i mod n], where the length [n] is a power of two.
    [ring.v] needs only whole arrays.  The slots of a Chase-Lev deque are shared: the
    owner and an invariant hold half of each cell.  So the owner knows the cells, and
    every thread may read them.  The rules below therefore reduce an operation to one
    access in a single step, and the step may open an invariant. *)
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import slots_code.

(** ** Indices *)

Definition power_of_two (n : nat) : Prop := ∃ k, n = 2 ^ k.

Lemma power_of_two_pos n : power_of_two n → 0 < n.
Proof. intros [k ->]. pose proof (Nat.pow_nonzero 2 k). lia. Qed.
Lemma power_of_two_double n : power_of_two n → power_of_two (2 * n).
Proof. intros [k ->]. by exists (S k). Qed.
Lemma power_of_two_half n m : power_of_two n → power_of_two m → m < n → power_of_two (n / 2).
Proof.
  intros [k ->] [j ->] Hlt. destruct k as [|k].
  - pose proof (Nat.pow_nonzero 2 j). simpl in *. lia.
  - exists k. rewrite Nat.pow_succ_r' (Nat.mul_comm 2) Nat.div_mul //.
Qed.
Lemma power_of_two_half_even n m :
  power_of_two n → power_of_two m → m < n → n = 2 * (n / 2).
Proof.
  intros [k ->] [j ->] Hlt. destruct k as [|k].
  - pose proof (Nat.pow_nonzero 2 j). simpl in *. lia.
  - rewrite Nat.pow_succ_r' (Nat.mul_comm 2) Nat.div_mul //. lia.
Qed.

Lemma land_mask (n i : nat) :
  power_of_two n → Z.land i (n - 1) = Z.of_nat (i mod n).
Proof.
  intros [k ->]. rewrite Nat2Z.inj_mod Nat2Z.inj_pow.
  rewrite -Z.land_ones; last lia. rewrite Z.ones_equiv. f_equal.
Qed.

Lemma mod_ne (n i j : nat) : i < j → j < i + n → i mod n ≠ j mod n.
Proof.
  intros Hij Hn Heq.
  pose proof (Nat.div_mod_eq i n). pose proof (Nat.div_mod_eq j n).
  assert (j - i = n * (j / n - i / n)) as Hd by nia.
  destruct (decide (j / n ≤ i / n)); nia.
Qed.

(** The value in the slot of item [i]. *)
Definition slot (cells : list val) (i : nat) : val := cells !!! (i mod length cells).

Lemma slot_lookup cells i :
  0 < length cells → cells !! (i mod length cells) = Some (slot cells i).
Proof.
  intros. apply list_lookup_lookup_total_lt. apply Nat.mod_upper_bound. lia.
Qed.
Lemma slot_insert_eq cells i v :
  0 < length cells → slot (<[i mod length cells := v]> cells) i = v.
Proof.
  intros. rewrite /slot length_insert list_lookup_total_insert //.
  apply Nat.mod_upper_bound. lia.
Qed.
Lemma slot_insert_ne cells i j v :
  i < j < i + length cells ∨ j < i < j + length cells →
  slot (<[i mod length cells := v]> cells) j = slot cells j.
Proof.
  intros. rewrite /slot length_insert list_lookup_total_insert_ne //.
  destruct H as [?|?]; [|apply not_eq_sym]; apply mod_ne; lia.
Qed.

Section circular.
  Context `{!heapGS Σ}.
  Implicit Types (a : loc) (n i j k : nat) (v dummy : val) (cells : list val) (dq : dfrac).

  Definition slots a dq cells : iProp Σ := array_cells a dq 0 cells.

  Global Instance slots_timeless a dq cells : Timeless (slots a dq cells).
  Proof. apply _. Qed.
  Global Instance slots_persistent a cells : Persistent (slots a DfracDiscarded cells).
  Proof. apply _. Qed.

  Lemma slots_split a cells :
    slots a (DfracOwn 1) cells ⊣⊢ slots a (DfracOwn (1/2)) cells ∗ slots a (DfracOwn (1/2)) cells.
  Proof.
    rewrite /slots /array_cells -big_sepL_sep. apply big_sepL_proper=> k v _.
    iSplit; first by iIntros "[$ $]". iIntros "[H1 H2]". by iCombine "H1 H2" as "$".
  Qed.
  Lemma slots_agree a dq1 dq2 cells1 cells2 :
    length cells1 = length cells2 →
    slots a dq1 cells1 -∗ slots a dq2 cells2 -∗ ⌜cells1 = cells2⌝.
  Proof.
    iIntros (Hlen) "H1 H2".
    iAssert ⌜∀ k, cells1 !! k = cells2 !! k⌝%I as %Heq; last first.
    { iPureIntro. by apply list_eq. }
    iIntros (k). destruct (cells1 !! k) as [v1|] eqn:H1; last first.
    { iPureIntro. apply lookup_ge_None in H1. symmetry. apply lookup_ge_None. lia. }
    destruct (lookup_lt_is_Some_2 cells2 k) as [v2 H2].
    { apply lookup_lt_Some in H1. lia. }
    iDestruct (big_sepL_lookup with "H1") as "H1"; first done.
    iDestruct (big_sepL_lookup with "H2") as "H2"; first done.
    iDestruct (pointsto_agree with "H1 H2") as %->. by rewrite H2.
  Qed.
  Lemma slots_persist a dq cells : slots a dq cells ==∗ slots a DfracDiscarded cells.
  Proof. apply array_cells_persist. Qed.

  Local Lemma slots_acc a dq cells i v :
    cells !! i = Some v →
    slots a dq cells -∗
      (a +ₗ (1 + i)) ↦{dq} v ∗
      ∀ w, (a +ₗ (1 + i)) ↦{dq} w -∗ slots a dq (<[i := w]> cells).
  Proof. iIntros (?) "H". by iApply (array_cells_acc with "H"). Qed.

  (** ** Reading and writing *)

  Lemma wp_slots_get a n i s E Φ :
    power_of_two n → array_len a n -∗
    WP ! #(a +ₗ (1 + (i mod n)%nat)) @ s; E {{ Φ }} -∗
    WP deque_slots_get #a #i @ s; E {{ Φ }}.
  Proof.
    iIntros (Hn) "#Hlen H". wp_rec. wp_pures. wp_apply (array_length_spec with "Hlen").
    iIntros "_". wp_pures. rewrite land_mask //. iApply (wp_array_get with "Hlen H").
    pose proof (power_of_two_pos n Hn). pose proof (Nat.mod_upper_bound i n). lia.
  Qed.
  Lemma wp_slots_set a n i v s E Φ :
    power_of_two n → array_len a n -∗
    WP #(a +ₗ (1 + (i mod n)%nat)) <- v @ s; E {{ Φ }} -∗
    WP deque_slots_set #a #i v @ s; E {{ Φ }}.
  Proof.
    iIntros (Hn) "#Hlen H". wp_rec. wp_pures. wp_apply (array_length_spec with "Hlen").
    iIntros "_". wp_pures. rewrite land_mask //. iApply (wp_array_set with "Hlen H").
    pose proof (power_of_two_pos n Hn). pose proof (Nat.mod_upper_bound i n). lia.
  Qed.

  (** Access when an invariant owns the slots: the access may open the invariant. *)
  Lemma slots_get_acc a n i E Φ :
    power_of_two n → array_len a n -∗
    (|={⊤, E}=> ∃ dq cells, ⌜length cells = n⌝ ∗ slots a dq cells ∗
       ▷ (slots a dq cells ={E, ⊤}=∗ Φ (slot cells i))) -∗
    WP deque_slots_get #a #i {{ Φ }}.
  Proof.
    iIntros (Hn) "#Hlen H". iApply (wp_slots_get with "Hlen"); first done.
    iMod "H" as (dq cells <-) "[H Hclose]".
    iDestruct (slots_acc with "H") as "[Hi Hrest]".
    { apply slot_lookup. by apply power_of_two_pos. }
    wp_load. iDestruct ("Hrest" with "Hi") as "H".
    rewrite list_insert_id; last by apply slot_lookup, power_of_two_pos.
    by iApply "Hclose".
  Qed.
  Lemma slots_set_acc a n i v E Φ :
    power_of_two n → array_len a n -∗
    (|={⊤, E}=> ∃ cells, ⌜length cells = n⌝ ∗ slots a (DfracOwn 1) cells ∗
       ▷ (slots a (DfracOwn 1) (<[i mod n := v]> cells) ={E, ⊤}=∗ Φ #())) -∗
    WP deque_slots_set #a #i v {{ Φ }}.
  Proof.
    iIntros (Hn) "#Hlen H". iApply (wp_slots_set with "Hlen"); first done.
    iMod "H" as (cells <-) "[H Hclose]".
    iDestruct (slots_acc with "H") as "[Hi Hrest]".
    { apply slot_lookup. by apply power_of_two_pos. }
    wp_store. iDestruct ("Hrest" with "Hi") as "H". by iApply "Hclose".
  Qed.

  (** Access when the caller owns the slots. *)
  Lemma slots_get_spec a dq cells i :
    power_of_two (length cells) →
    {{{ array_len a (length cells) ∗ slots a dq cells }}}
      deque_slots_get #a #i
    {{{ RET (slot cells i); slots a dq cells }}}.
  Proof.
    iIntros (Hn Φ) "[#Hlen H] HΦ". iApply (slots_get_acc with "Hlen"); first done.
    iModIntro. iExists dq, cells. iFrame "H". iSplit; first done. iIntros "!> H !>".
    by iApply "HΦ".
  Qed.
  Lemma slots_set_spec a cells i v :
    power_of_two (length cells) →
    {{{ array_len a (length cells) ∗ slots a (DfracOwn 1) cells }}}
      deque_slots_set #a #i v
    {{{ RET #(); slots a (DfracOwn 1) (<[i mod length cells := v]> cells) }}}.
  Proof.
    iIntros (Hn Φ) "[#Hlen H] HΦ". iApply (slots_set_acc with "Hlen"); first done.
    iModIntro. iExists cells. iFrame "H". iSplit; first done. iIntros "!> H !>".
    by iApply "HΦ".
  Qed.

  (** ** Making *)

  Lemma power_of_two_from_spec n (least : Z) :
    power_of_two n →
    {{{ True }}} deque_slots_power_of_two_from #n #least
    {{{ m, RET #m; ⌜power_of_two m ∧ (least ≤ m)%Z ∧ n ≤ m⌝ }}}.
  Proof.
    iIntros (Hn Φ) "_ HΦ". iLöb as "IH" forall (n Hn). wp_rec. wp_pures.
    case_bool_decide; wp_pures.
    - iModIntro. iApply "HΦ". iPureIntro. split_and!; done || lia.
    - replace (2 * n)%Z with (Z.of_nat (2 * n)) by lia.
      iApply ("IH" with "[%]"); first by apply power_of_two_double.
      iIntros "!> %m %Hm". iApply "HΦ". iPureIntro.
      destruct Hm as (?&?&?). split_and!; done || lia.
  Qed.

  Lemma slots_make_spec (least : Z) dummy :
    {{{ True }}} deque_slots_make #least dummy
    {{{ a n, RET #a; ⌜power_of_two n ∧ (least ≤ n)%Z⌝ ∗ array_len a n ∗
        slots a (DfracOwn 1) (replicate n dummy) }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures.
    wp_apply (power_of_two_from_spec 1); [by exists 0|done|].
    iIntros (m (Hm & Hle & _)). wp_pures. wp_apply array_make_spec; [lia|done|].
    iIntros (a) "[[#Hlen H] _]". rewrite Nat2Z.id length_replicate.
    iApply "HΦ". by iFrame "Hlen H".
  Qed.

  (** ** Clearing *)

  (** [I cells] is a resource that owns the slots, among other things.  The items with
      the indices from [j] up to [i + n - 1] keep their values. *)
  Lemma slots_clear_spec (I : list val → iProp Σ) a n dummy i j E cells :
    power_of_two n → length cells = n →
    array_len a n -∗
    □ (∀ cells k, ⌜length cells = n ∧ i ≤ k < j⌝ -∗ I cells ={⊤, E}=∗
         slots a (DfracOwn 1) cells ∗
         (slots a (DfracOwn 1) (<[k mod n := dummy]> cells) ={E, ⊤}=∗
            I (<[k mod n := dummy]> cells))) -∗
    {{{ I cells }}} deque_slots_clear #a dummy #i #j
    {{{ cells', RET #(); I cells' ∗
        ⌜length cells' = n ∧ ∀ k, j ≤ k < i + n → slot cells' k = slot cells k⌝ }}}.
  Proof.
    iIntros (Hn Hlen) "#Hlen #Hacc !>". iIntros (Φ) "HI HΦ".
    assert (∃ i' cells', i' = i ∧ cells' = cells ∧ i ≤ i' ∧ length cells' = n ∧
      ∀ k, j ≤ k < i + n → slot cells' k = slot cells k) as
      (i' & cells' & Hi' & Hcells' & Hi & Hlen' & Hsame) by by exists i, cells.
    rewrite -{3}Hi' -{1}Hcells'. clear Hi' Hcells'.
    iLöb as "IH" forall (i' cells' Hi Hlen' Hsame). wp_rec. wp_pures.
    case_bool_decide as Hlt; wp_pures; last first.
    { iModIntro. iApply "HΦ". by iFrame. }
    wp_bind (deque_slots_set _ _ _). iApply (slots_set_acc with "Hlen"); first done.
    iMod ("Hacc" $! cells' i' with "[%] HI") as "[H Hclose]"; first lia.
    iModIntro. iExists cells'. iFrame "H". iSplit; first done. iIntros "!> H".
    iMod ("Hclose" with "H") as "HI". iModIntro. wp_pures.
    replace (i' + 1)%Z with (Z.of_nat (S i')) by lia.
    iApply ("IH" with "[%] [%] [%] HI HΦ"); [lia|by rewrite length_insert|].
    intros k Hk. rewrite -Hsame // -Hlen'. apply slot_insert_ne. lia.
  Qed.

  (** ** Moving to another array *)

  Lemma slots_copy_spec a dq cells a' cells' i j :
    power_of_two (length cells) → power_of_two (length cells') →
    j ≤ i + length cells' →
    {{{ array_len a (length cells) ∗ slots a dq cells ∗
        array_len a' (length cells') ∗ slots a' (DfracOwn 1) cells' }}}
      deque_slots_copy #a #a' #i #j
    {{{ cells'', RET #(); slots a dq cells ∗ slots a' (DfracOwn 1) cells'' ∗
        ⌜length cells'' = length cells' ∧
         ∀ k, i ≤ k < j → slot cells'' k = slot cells k⌝ }}}.
  Proof.
    iIntros (Hn Hn' Hij Φ) "(#Hlen & H & #Hlen' & H') HΦ".
    remember (length cells') as n' eqn:Heq.
    assert (∃ i' cells'', i' = i ∧ cells'' = cells' ∧ i ≤ i' ∧ length cells'' = n' ∧
      ∀ k, i ≤ k < j → k < i' → slot cells'' k = slot cells k) as
      (i' & cells'' & Hi' & Hcells'' & Hi & Hlen'' & Hsame).
    { exists i, cells'. split_and!; done || lia. }
    rewrite -{2}Hi' -Hcells''. clear Hi' Hcells'' Heq.
    iLöb as "IH" forall (i' cells'' Hi Hlen'' Hsame). wp_rec. wp_pures.
    case_bool_decide as Hlt; wp_pures; last first.
    { iModIntro. iApply "HΦ". iFrame. iPureIntro. split; first done.
      intros k Hk. apply Hsame; lia. }
    wp_apply (slots_get_spec with "[$Hlen $H]"); first done. iIntros "H". wp_pures.
    wp_apply (slots_set_spec a' cells'' with "[H']");
      [by rewrite Hlen''|by rewrite Hlen''; iFrame|].
    iIntros "H'". wp_pures. replace (i' + 1)%Z with (Z.of_nat (S i')) by lia.
    iApply ("IH" with "[%] [%] [%] H H' HΦ"); [lia|by rewrite length_insert|].
    intros k Hk Hki. destruct (decide (k = i')) as [->|Hne].
    - rewrite slot_insert_eq // Hlen''. by apply power_of_two_pos.
    - rewrite slot_insert_ne; last lia. apply Hsame; lia.
  Qed.

  Lemma slots_resize_spec a dq cells dummy i j n' :
    power_of_two (length cells) → power_of_two n' → j ≤ i + n' →
    {{{ array_len a (length cells) ∗ slots a dq cells }}}
      deque_slots_resize #a dummy #i #j #n'
    {{{ a' cells', RET #a'; slots a dq cells ∗
        array_len a' n' ∗ slots a' (DfracOwn 1) cells' ∗
        ⌜length cells' = n' ∧ ∀ k, i ≤ k < j → slot cells' k = slot cells k⌝ }}}.
  Proof.
    iIntros (Hn Hn' Hij Φ) "[#Hlen H] HΦ". wp_rec. wp_pures.
    wp_apply array_make_spec; [lia|done|].
    iIntros (a') "[[#Hlen' H'] _]". rewrite Nat2Z.id length_replicate. wp_pures.
    wp_apply (slots_copy_spec a dq cells a' (replicate n' dummy) with "[H H']").
    { done. } { by rewrite length_replicate. } { by rewrite length_replicate. }
    { rewrite length_replicate. by iFrame "Hlen H Hlen' H'". }
    iIntros (cells') "(H & H' & %Hres)". rewrite length_replicate in Hres. wp_pures.
    iApply "HΦ". by iFrame "H Hlen' H'".
  Qed.
End circular.
