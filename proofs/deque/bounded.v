(** * The bounded deque

    The argument is the one of [chase_lev.v]; this file adds a circular array and the
    code.

    {b Slots.}  The array has [bounded_capacity] slots.  The invariant owns half of
    each slot, the owner of the deque owns the other half.  So only the owner can
    write a slot, with the invariant open, and the owner knows what the slots hold;
    thieves may read at any time.  The invariant says that the slots of the items
    from [front] on hold these items.  So a registered thief reads the item that the
    thief is going to take.  The values that other thieves read do not matter.

    The owner writes only slots outside the content:
    - the slot after the last item, when [back - front < capacity]: a push, or a pop
      that clears the slot of the popped item;
    - the slots of [swept, front), when [back - swept <= capacity]: a sweep that
      clears the slots of stolen items.

    {b Owner.}  [bounded_owner γ ws]: the list [ws] is an upper bound of the content.
    The content is a suffix of [ws]: thieves may have taken the first items. *)
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude prophets.
From dromos.deque Require Import slots_code circular chase_lev sizes bounded_code.

Notation boundedG Σ := (chase_levG unit Σ).
Notation boundedΣ := (chase_levΣ unit).

Record bounded_names := BoundedNames {
  bounded_chase_lev : chase_lev_names;
  bounded_block : loc;
  bounded_array : loc;
  bounded_capacity : nat;
  bounded_dummy : val;
}.

Section bounded.
  Context `{!heapGS Σ, !boundedG Σ} (N : namespace).
  Implicit Types (γ : bounded_names) (a : loc) (n f i swept : nat) (L vs ws cells : list val).
  Implicit Types (t v dummy : val) (st : chase_lev_status) (o : option unit).
  Local Notation cl := bounded_chase_lev.
  Local Notation a_ := bounded_array.
  Local Notation cap := bounded_capacity.

  Local Definition holds f L cells : Prop :=
    ∀ i v, f ≤ i → L !! i = Some v → slot cells i = v.

  Definition bounded_slots a n f L o : iProp Σ :=
    ∃ cells, ⌜length cells = n ∧ holds f L cells⌝ ∗ slots a (DfracOwn (1/2)) cells.

  Global Instance bounded_chase_lev_slots a n : chase_lev_slots (bounded_slots a n) ().
  Proof.
    split.
    - apply _.
    - done.
    - iIntros (f L o ?) "(%cells & [% %Hholds] & $)". iPureIntro. split; first done.
      intros i v ?. apply Hholds. lia.
    - iIntros (f L v o ?) "(%cells & [% %Hholds] & $)". iPureIntro. split; first done.
      intros i w ? Hi. apply Hholds; first done. by apply lookup_app_l_Some.
    - iIntros (L v) "(%cells & [% %Hholds] & $)". iPureIntro. split; first done.
      intros i w ? Hi%lookup_lt_Some. rewrite length_app /= in Hi. lia.
  Qed.

  Definition bounded_inv γ t : iProp Σ :=
    ⌜t = #γ.(bounded_block) ∧ power_of_two γ.(cap)⌝ ∗
    (γ.(bounded_block) +ₗ 0) ↦□ #γ.(cl).(chase_lev_front) ∗
    (γ.(bounded_block) +ₗ 1) ↦□ #γ.(cl).(chase_lev_back) ∗
    (γ.(bounded_block) +ₗ 2) ↦□ #γ.(a_) ∗
    (γ.(bounded_block) +ₗ 3) ↦□ γ.(bounded_dummy) ∗
    (γ.(bounded_block) +ₗ 5) ↦□ #γ.(cl).(chase_lev_proph) ∗
    array_len γ.(a_) γ.(cap) ∗
    chase_lev_inv N (bounded_slots γ.(a_) γ.(cap)) γ.(cl).

  Definition bounded_model γ vs : iProp Σ := chase_lev_model γ.(cl) vs.

  (** The owner's share, for the list [L] and the slots [cells] that the owner knows. *)
  Local Definition share γ L cells swept : iProp Σ :=
    slots γ.(a_) (DfracOwn (1/2)) cells ∗
    (γ.(bounded_block) +ₗ 4) ↦na #swept ∗ chase_lev_front_lb γ.(cl) swept ∗
    ⌜length cells = γ.(cap) ∧ length L ≤ swept + γ.(cap)⌝.
  Definition bounded_owner γ ws : iProp Σ :=
    ∃ L f cells swept,
      ⌜drop f L `suffix_of` ws ∧ f ≤ length L ∧ holds f L cells⌝ ∗
      chase_lev_owner γ.(cl) L Stable ∗ chase_lev_front_lb γ.(cl) f ∗
      share γ L cells swept.

  Global Instance bounded_inv_persistent γ t : Persistent (bounded_inv γ t).
  Proof. apply _. Qed.
  Global Instance bounded_model_timeless γ vs : Timeless (bounded_model γ vs).
  Proof. apply _. Qed.
  Global Instance bounded_owner_timeless γ ws : Timeless (bounded_owner γ ws).
  Proof. apply _. Qed.

  Lemma bounded_model_exclusive γ vs1 vs2 :
    bounded_model γ vs1 -∗ bounded_model γ vs2 -∗ ⌜vs1 = vs2⌝.
  Proof. apply chase_lev_model_agree. Qed.
  Lemma bounded_owner_exclusive γ ws1 ws2 :
    bounded_owner γ ws1 -∗ bounded_owner γ ws2 -∗ False.
  Proof.
    iIntros "(% & % & % & % & _ & _ & _ & _ & H1 & _) (% & % & % & % & _ & _ & _ & _ & H2 & _)".
    iApply (na_pointsto_exclusive with "H1 H2").
  Qed.
  (** Claim: The content of the deque is a suffix of the list that the owner
      knows. *)
  Lemma bounded_owner_model γ t ws vs E :
    ↑N ⊆ E → bounded_inv γ t -∗ bounded_owner γ ws -∗ bounded_model γ vs ={E}=∗
    bounded_owner γ ws ∗ bounded_model γ vs ∗ ⌜vs `suffix_of` ws⌝.
  Proof.
    iIntros (?) "(_ & _ & _ & _ & _ & _ & _ & #I) (%L & %f & %cells & %swept & % & Ho & #Hlb & Hs) Hm".
    iMod (chase_lev_owner_model with "I Ho Hlb Hm") as "(Ho & $ & %)"; first done.
    iModIntro. iSplit; last first.
    { iPureIntro. trans (drop f L); naive_solver. }
    iExists L, f, cells, swept. by iFrame "Ho Hlb Hs".
  Qed.
  Lemma bounded_owner_weaken γ ws ws' :
    ws `suffix_of` ws' → bounded_owner γ ws -∗ bounded_owner γ ws'.
  Proof.
    iIntros (?) "(%L & %f & %cells & %swept & (% & % & %) & H)".
    iExists L, f, cells, swept. iFrame. iPureIntro. split_and!; [by trans ws|done..].
  Qed.

  (** ** The owner's writes *)

  Local Lemma own_slots γ L st cells swept k v :
    chase_lev_inv N (bounded_slots γ.(a_) γ.(cap)) γ.(cl) -∗
    chase_lev_owner γ.(cl) L st -∗ slots γ.(a_) (DfracOwn (1/2)) cells -∗
    chase_lev_front_lb γ.(cl) swept -∗
    ⌜length cells = γ.(cap) ∧
      ∀ i, swept ≤ i < length L → k < i < k + γ.(cap) ∨ i < k < i + γ.(cap)⌝ ={⊤, ⊤ ∖ ↑N}=∗
    slots γ.(a_) (DfracOwn 1) cells ∗
    (slots γ.(a_) (DfracOwn 1) (<[k mod γ.(cap) := v]> cells) ={⊤ ∖ ↑N, ⊤}=∗
       chase_lev_owner γ.(cl) L st ∗
       slots γ.(a_) (DfracOwn (1/2)) (<[k mod γ.(cap) := v]> cells)).
  Proof.
    iIntros "#I Ho Hs #Hlb [%Hlen %Hlive]".
    iMod (chase_lev_owner_access with "I Ho Hlb") as (f o) "([% %] & HR & Hcl)"; first done.
    iDestruct "HR" as (cells') "[[%Hlen' %Hholds] Hs']".
    iDestruct (slots_agree with "Hs Hs'") as %->; first lia.
    iCombine "Hs Hs'" as "Hs". rewrite -slots_split. iModIntro. iFrame "Hs".
    iIntros "Hs". iDestruct (slots_split with "Hs") as "[$ Hs]". iApply "Hcl".
    iExists _. iFrame "Hs". iPureIntro. rewrite length_insert. split; first done.
    intros i w Hi Hw. rewrite -(Hholds i w) // -Hlen'. apply slot_insert_ne.
    rewrite Hlen'. apply Hlive. apply lookup_lt_Some in Hw. lia.
  Qed.

  (** The write of the slot after the last item. *)
  Local Lemma set_spec γ L st cells swept v :
    power_of_two γ.(cap) → length L < swept + γ.(cap) →
    array_len γ.(a_) γ.(cap) -∗ chase_lev_inv N (bounded_slots γ.(a_) γ.(cap)) γ.(cl) -∗
    {{{ chase_lev_owner γ.(cl) L st ∗ share γ L cells swept }}}
      deque_slots_set #γ.(a_) #(length L) v
    {{{ RET #(); chase_lev_owner γ.(cl) L st ∗
        share γ L (<[length L mod γ.(cap) := v]> cells) swept }}}.
  Proof.
    iIntros (Hn HL) "#Hlen #I !>". iIntros (Φ) "(Ho & Hs & Hswept & #Hlb & %H) HΦ".
    iApply (slots_set_acc with "Hlen"); first done.
    iMod (own_slots _ _ _ _ swept (length L) v with "I Ho Hs Hlb [%]") as "[Hs Hcl]".
    { split; first naive_solver. intros i Hi. right. lia. }
    iModIntro. iExists cells. iFrame "Hs". iSplit; first naive_solver. iIntros "!> Hs".
    iMod ("Hcl" with "Hs") as "[Ho Hs]". iModIntro. iApply "HΦ".
    iFrame "Ho Hs Hswept Hlb". by rewrite length_insert.
  Qed.

  Local Lemma sweep_to_spec γ t L st cells swept f :
    bounded_inv γ t -∗ chase_lev_front_lb γ.(cl) f -∗
    {{{ chase_lev_owner γ.(cl) L st ∗ share γ L cells swept }}}
      deque_bounded_sweep_to t #f
    {{{ cells' swept', RET #(); chase_lev_owner γ.(cl) L st ∗ share γ L cells' swept' ∗
        ⌜f ≤ swept' ∧ swept ≤ swept' ∧
          ∀ k, f ≤ k < swept + γ.(cap) → slot cells' k = slot cells k⌝ }}}.
  Proof.
    iIntros "([-> %Hn] & #Hfront & #Hback & #Harr & #Hdummy & #Hproph & #Hlen & #I) #Hlbf !>".
    iIntros (Φ) "(Ho & Hs & Hswept & #Hlb & %H) HΦ". wp_rec. wp_pures.
    wp_na_load. wp_pures. case_bool_decide as Hlt; wp_pures; last first.
    { iModIntro. iApply "HΦ". iFrame "Ho Hs Hswept Hlb". iPureIntro. split; first done.
      split_and!; done || lia. }
    wp_na_load. wp_load. wp_load.
    wp_apply (slots_clear_spec
      (λ cells, chase_lev_owner γ.(cl) L st ∗ slots γ.(a_) (DfracOwn (1/2)) cells)%I
      γ.(a_) γ.(cap) γ.(bounded_dummy) swept f with "Hlen [] [$Ho $Hs]"); [done|naive_solver|..].
    { iIntros "!>" (cells' k (? & ?)) "[Ho Hs]".
      iApply (own_slots with "I Ho Hs Hlbf"). iPureIntro. split; first done.
      intros i ?. left. lia. }
    iIntros (cells') "([Ho Hs] & [% %])". wp_pures. wp_na_store. iModIntro. iApply "HΦ".
    iFrame "Ho Hs Hswept Hlbf". iPureIntro. split; first (split; [done|lia]).
    split_and!; done || lia.
  Qed.

  (** ** Specifications *)

  (** Claim: A new deque is empty, and has at least the capacity asked for. *)
  Lemma bounded_create_spec (capacity : Z) dummy :
    {{{ True }}} deque_bounded_create #capacity dummy
    {{{ γ t, RET t; ⌜(capacity ≤ γ.(cap))%Z⌝ ∗ bounded_inv γ t ∗
        bounded_model γ [] ∗ bounded_owner γ [] }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures.
    wp_alloc front as "Hf". wp_alloc back as "Hb". wp_pures.
    wp_apply slots_make_spec; first done. iIntros (a n) "([%Hn %Hle] & #Hlen & Hs)". wp_pures.
    wp_apply (wp_wise_prophets chase_lev_winners); first done. iIntros (p γp prophss) "Hp".
    wp_pures. iApply wp_fupd. wp_apply block6_spec; first done.
    iIntros (l) "(H0 & H1 & H2 & H3 & H4 & H5 & _)".
    iDestruct (slots_split with "Hs") as "[Hs1 Hs2]".
    iMod (chase_lev_alloc N (bounded_slots a n) () with "Hf Hb Hp [Hs1]")
      as (γ (<- & <- & <-)) "(#I & Hm & Ho & #Hlb)".
    { iExists _. iFrame "Hs1". iPureIntro. by rewrite length_replicate. }
    iMod (pointsto_persist with "H0") as "#H0". iMod (pointsto_persist with "H1") as "#H1".
    iMod (pointsto_persist with "H2") as "#H2". iMod (pointsto_persist with "H3") as "#H3".
    iMod (pointsto_persist with "H5") as "#H5".
    iModIntro. iApply ("HΦ" $! (BoundedNames γ l a n dummy)).
    iSplit; first done. iSplit; first by iFrame "#". iFrame "Hm".
    iExists [], 0, (replicate n dummy), 0. iFrame "Ho Hlb Hs2 H4".
    iPureIntro. rewrite length_replicate. split_and!; done || (simpl; lia).
  Qed.

  (** Claim: [capacity] returns the deque's capacity. *)
  Lemma bounded_capacity_spec γ t :
    {{{ bounded_inv γ t }}} deque_bounded_capacity t {{{ RET #γ.(cap); True }}}.
  Proof.
    iIntros (Φ) "([-> %Hn] & #Hfront & #Hback & #Harr & #Hdummy & #Hproph & #Hlen & #I) HΦ".
    wp_rec. wp_pures. wp_load. by wp_apply (array_length_spec with "Hlen").
  Qed.

  (** Any thread may call [size]: the result is never below the number of items. *)
  (** Claim: [size], called by any thread, returns at least the number of items at
      some instant of the call. *)
  Lemma bounded_size_spec γ t :
    bounded_inv γ t -∗
    <<{ ∀∀ vs, bounded_model γ vs }>>
      deque_bounded_size t @ ↑N
    <<{ ∃∃ n : nat, bounded_model γ vs ∗ ⌜length vs ≤ n⌝ | RET #n }>>.
  Proof.
    iIntros "([-> %Hn] & #Hfront & #Hback & #Harr & #Hdummy & #Hproph & #Hlen & #I)" (Φ) "AU".
    wp_rec. wp_pures. wp_load. wp_apply (chase_lev_front_spec with "I"); first done.
    iIntros (f) "#Hlb". wp_pures. wp_load. wp_bind (! _)%E.
    iApply (wp_wand with "[AU]").
    { iApply (chase_lev_size_back_spec with "I Hlb AU"). }
    iIntros (r) "(%b & -> & HΦ)". wp_pures. case_bool_decide; wp_pures; by iFrame.
  Qed.
  (** Claim: [is_empty], called by any thread, returns true only if the deque is
      empty at some instant of the call. *)
  Lemma bounded_is_empty_spec γ t :
    bounded_inv γ t -∗
    <<{ ∀∀ vs, bounded_model γ vs }>>
      deque_bounded_is_empty t @ ↑N
    <<{ ∃∃ b : bool, bounded_model γ vs ∗ ⌜b = true → vs = []⌝ | RET #b }>>.
  Proof.
    iIntros "#Hinv" (Φ) "AU". wp_rec. iApply (is_empty_of_size with "[] AU").
    by iApply bounded_size_spec.
  Qed.

  (** Claim: [size], called by the owner, returns exactly the number of items at one
      instant. *)
  Lemma bounded_owner_size_spec γ t ws :
    bounded_inv γ t -∗ bounded_owner γ ws -∗
    <<{ ∀∀ vs, bounded_model γ vs }>>
      deque_bounded_size t @ ↑N
    <<{ bounded_model γ vs ∗ ⌜vs `suffix_of` ws⌝ | RET #(length vs); bounded_owner γ vs }>>.
  Proof.
    iIntros "([-> %Hn] & #Hfront & #Hback & #Harr & #Hdummy & #Hproph & #Hlen & #I)".
    iIntros "(%L & %f0 & %cells & %swept & (%Hws & %Hf0 & %Hholds) & Ho & #Hlb & Hs)" (Φ) "AU".
    wp_rec. wp_pures. wp_load. wp_bind (! _)%E. iApply (wp_wand with "[Ho AU]").
    { by iApply (chase_lev_owner_size_front_spec with "I Ho Hlb AU"). }
    iIntros (r) "(%f & [-> %Hf] & #Hlbf & Ho & HΦ)". wp_pures. wp_load.
    wp_apply (chase_lev_owner_back_spec with "I Ho"). iIntros "Ho". wp_pures.
    iDestruct ("HΦ" with "[Ho Hs]") as "HΦ".
    { iExists L, f, cells, swept. iFrame "Ho Hs Hlbf". iPureIntro. split_and!; [done|lia|].
      intros i v ?. apply Hholds. lia. }
    case_bool_decide; wp_pures.
    - replace (length L - f) with 0 by lia. done.
    - by rewrite Nat2Z.inj_sub; last lia.
  Qed.
  (** Claim: [is_empty], called by the owner, says exactly whether the deque is empty
      at one instant. *)
  Lemma bounded_owner_is_empty_spec γ t ws :
    bounded_inv γ t -∗ bounded_owner γ ws -∗
    <<{ ∀∀ vs, bounded_model γ vs }>>
      deque_bounded_is_empty t @ ↑N
    <<{ bounded_model γ vs ∗ ⌜vs `suffix_of` ws⌝ |
        RET #(bool_decide (vs = [])); bounded_owner γ vs }>>.
  Proof.
    iIntros "#Hinv Ho" (Φ) "AU". wp_rec. iApply (owner_is_empty_of_size with "[Ho] AU").
    by iApply (bounded_owner_size_spec with "Hinv Ho").
  Qed.

  (** Claim: [sweep] changes nothing that a caller can see. *)
  Lemma bounded_sweep_spec γ t ws :
    {{{ bounded_inv γ t ∗ bounded_owner γ ws }}} deque_bounded_sweep t
    {{{ RET #(); bounded_owner γ ws }}}.
  Proof.
    iIntros (Φ) "[#Hinv Ho] HΦ".
    iDestruct "Hinv" as "([-> %Hn] & #Hfront & #Hback & #Harr & #Hdummy & #Hproph & #Hlen & #I)".
    iDestruct "Ho" as "(%L & %f0 & %cells & %swept & (%Hws & %Hf0 & %Hholds) & Ho & #Hlb & Hs)".
    wp_rec. wp_pures. wp_load. wp_bind (! _)%E. iApply (wp_wand with "[Ho]").
    { iApply (chase_lev_owner_front_spec _ _ _ _ _ _ (λ _, True)%I with "I Ho Hlb"). by eauto. }
    iIntros (r) "(%f & [-> %Hf] & #Hlbf & Ho & _)". wp_pures.
    iDestruct "Hs" as "(Hs & Hswept & #Hlbs & [%Hlc %Hcap])".
    wp_apply (sweep_to_spec with "[] Hlbf [$Ho $Hs $Hswept $Hlbs]"); [iFrame "#"; done|done|].
    iIntros (cells' swept') "(Ho & Hs & %Hf' & %Hswept & %Hsame)". iApply "HΦ".
    iExists L, f, cells', swept'. iFrame "Ho Hs Hlbf". iPureIntro. split_and!; [|lia|].
    - trans (drop f0 L); last done. apply drop_suffix_of_drop. lia.
    - intros i v ? Hi. pose proof (lookup_lt_Some _ _ _ Hi).
      rewrite Hsame; last lia. apply Hholds; [lia|done].
  Qed.

  (** Claim: [push], at one instant, adds the item at the back; [push] returns false,
      and adds nothing, if and only if the deque is full at that instant. *)
  Lemma bounded_push_spec γ t ws v :
    bounded_inv γ t -∗ bounded_owner γ ws -∗
    <<{ ∀∀ vs, bounded_model γ vs }>>
      deque_bounded_push t v @ ↑N
    <<{ bounded_model γ (if decide (length vs < γ.(cap)) then vs ++ [v] else vs) ∗
        ⌜vs `suffix_of` ws⌝ |
        RET #(bool_decide (length vs < γ.(cap))%nat);
        bounded_owner γ (if decide (length vs < γ.(cap)) then vs ++ [v] else vs) }>>.
  Proof.
    iIntros "#Hinv".
    iDestruct "Hinv" as "([-> %Hn] & #Hfront & #Hback & #Harr & #Hdummy & #Hproph & #Hlen & #I)".
    iIntros "(%L & %f0 & %cells & %swept & (%Hws & %Hf0 & %Hholds) & Ho & #Hlb & Hs)" (Φ) "AU".
    wp_rec. wp_pures. wp_load. wp_apply (chase_lev_owner_back_spec with "I Ho").
    iIntros "Ho". wp_pures. wp_load. wp_bind (! _)%E.
    match goal with |- context [environments.Esnoc _ (INamed "AU") ?P] => set (U := P) end.
    iApply (wp_wand with "[Ho AU]").
    { iApply (chase_lev_owner_front_spec _ _ _ _ _ _
        (λ f, if decide (length L - f < γ.(cap)) then U
              else bounded_owner γ (drop f L) -∗ Φ #false)%I with "I Ho Hlb").
      iIntros (f Hf) "Hm". case_decide as Hroom; first by iFrame.
      iMod "AU" as (vs) "[Hm' [_ Hcl]]". iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-.
      assert (¬ length (drop f L) < γ.(cap)) as Hfull by by rewrite length_drop.
      rewrite decide_False // bool_decide_eq_false_2 //.
      iFrame "Hm". iApply ("Hcl" with "[$Hm']").
      iPureIntro. trans (drop f0 L); last done. apply drop_suffix_of_drop. lia. }
    iIntros (r) "(%f & [-> %Hf] & #Hlbf & Ho & HAU)". wp_pures.
    iDestruct "Hs" as "(Hs & Hswept & #Hlbs & [%Hlc %Hcap])".
    wp_apply (sweep_to_spec with "[] Hlbf [$Ho $Hs $Hswept $Hlbs]"); [iFrame "#"; done|done|].
    iIntros (cells' swept') "(Ho & Hs & %Hf' & %Hswept & %Hsame)". wp_pures.
    assert (holds f L cells') as Hholds'.
    { intros i w ? Hi. pose proof (lookup_lt_Some _ _ _ Hi).
      rewrite Hsame; last lia. apply Hholds; [lia|done]. }
    wp_apply bounded_capacity_spec; first by iFrame "#". iIntros "_". wp_pures.
    case_decide as Hroom; last first.
    { rewrite bool_decide_eq_false_2; last lia. wp_pures. iModIntro. iApply "HAU".
      iExists L, f, cells', swept'. iFrame "Ho Hs Hlbf". iPureIntro. split_and!; [done|lia|done]. }
    rewrite bool_decide_eq_true_2; last lia. wp_pures. wp_load.
    wp_apply (set_spec with "Hlen I [$Ho $Hs]"); [done|lia|]. iIntros "[Ho Hs]". wp_pures.
    wp_load. wp_bind (_ <- _)%E. iDestruct "Hs" as "(Hs & Hswept & #Hlbs' & [%Hlc' %Hcap'])".
    rewrite length_insert in Hlc'.
    assert (0 < length cells') as Hpos by (rewrite Hlc'; by apply power_of_two_pos).
    iApply (wp_wand with "[Ho HAU Hs]").
    { iApply (chase_lev_push_spec _ _ _ _ _ v _ _
        (slots γ.(a_) (DfracOwn (1/2)) (<[length L mod γ.(cap) := v]> cells'))
        (λ vs, ⌜length vs < γ.(cap)⌝ ∗ (bounded_owner γ (vs ++ [v]) -∗ Φ #true))%I
        with "I Ho Hlbf Hs [] [HAU]").
      - iIntros (f' o Hf'') "Hs (%cells'' & [%Hlc'' %Hholds''] & Hs'')".
        iDestruct (slots_agree with "Hs Hs''") as %<-; first (rewrite length_insert; lia).
        iModIntro. iFrame "Hs". iExists _. iFrame "Hs''". iPureIntro.
        split; first by rewrite length_insert.
        intros i w Hi Hw. destruct (decide (i < length L)).
        + apply Hholds''; first done. by rewrite lookup_app_l in Hw.
        + assert (i = length L) as ->.
          { apply lookup_lt_Some in Hw. rewrite length_app /= in Hw. lia. }
          rewrite lookup_app_r // Nat.sub_diag in Hw. injection Hw as <-.
          rewrite -Hlc'. by apply slot_insert_eq.
      - iIntros (vs Hvs) "Hm".
        iMod "HAU" as (vs') "[Hm' [_ Hcl]]". iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-.
        assert (length vs < γ.(cap)).
        { apply suffix_length in Hvs. rewrite length_drop in Hvs. lia. }
        rewrite decide_True // bool_decide_eq_true_2 //.
        iMod (chase_lev_model_update _ (vs ++ [v]) with "Hm Hm'") as "[$ Hm']".
        iMod ("Hcl" with "[$Hm']") as "$"; last done.
        iPureIntro. trans (drop f L); first done.
        trans (drop f0 L); last done. apply drop_suffix_of_drop. lia. }
    iIntros (r) "(%f' & [-> %Hf''] & #Hlbf' & Ho & Hs & _ & HΦ)". wp_pures. iModIntro.
    iApply "HΦ". iExists (L ++ [v]), f', _, swept'. iFrame "Ho Hlbf' Hs Hswept Hlbs'".
    iPureIntro. rewrite length_app length_insert /= drop_app_le; last lia.
    split; last (split; [done|lia]). split_and!; [done|lia|].
    intros i w Hi Hw. destruct (decide (i < length L)).
    - rewrite lookup_app_l // in Hw. rewrite -Hlc' slot_insert_ne; first (apply Hholds'; [lia|done]).
      rewrite Hlc'. lia.
    - assert (i = length L) as ->.
      { apply lookup_lt_Some in Hw. rewrite length_app /= in Hw. lia. }
      rewrite lookup_app_r // Nat.sub_diag in Hw. injection Hw as <-.
      rewrite -Hlc'. by apply slot_insert_eq.
  Qed.

  (** Claim: [pop], at one instant, takes the last item; [pop] returns no item only
      if the deque is empty at that instant. *)
  Lemma bounded_pop_spec γ t ws :
    bounded_inv γ t -∗ bounded_owner γ ws -∗
    <<{ ∀∀ vs, bounded_model γ vs }>>
      deque_bounded_pop t @ ↑N
    <<{ bounded_model γ (removelast vs) ∗ ⌜vs `suffix_of` ws⌝ |
        RET option_to_val (last vs); bounded_owner γ (removelast vs) }>>.
  Proof.
    iIntros "#Hinv".
    iDestruct "Hinv" as "([-> %Hn] & #Hfront & #Hback & #Harr & #Hdummy & #Hproph & #Hlen & #I)".
    iIntros "(%L & %f0 & %cells & %swept & (%Hws & %Hf0 & %Hholds) & Ho & #Hlb & Hs)" (Φ) "AU".
    wp_rec. wp_pures. wp_load. wp_apply (chase_lev_owner_back_spec with "I Ho").
    iIntros "Ho". wp_pures. wp_load. wp_bind (_ <- _)%E.
    iApply (wp_wand with "[Ho AU]").
    { iApply (chase_lev_claim_spec _ _ _ _ _ _
        (λ vs, bounded_owner γ (removelast vs) -∗ Φ (option_to_val (last vs)))%I
        with "I Ho Hlb").
      iIntros (vs Hvs) "Hm".
      iMod "AU" as (vs') "[Hm' [_ Hcl]]". iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-.
      iMod (chase_lev_model_update _ (removelast vs) with "Hm Hm'") as "[$ Hm']".
      iMod ("Hcl" with "[$Hm']") as "$"; last done. iPureIntro. by trans (drop f0 L). }
    iIntros (r) "(-> & [[Ho HΦ]|(%f & %L' & %v & [%HL %Hf] & #Hlbf & Ho & HΦ)])".
    all: wp_pures; wp_load.
    - (* the owner has found no item *)
      wp_apply (chase_lev_owner_front_unstable_spec with "I Ho").
      iIntros (f) "(%Hf & #Hlbf & Ho)". wp_pures.
      wp_apply (sweep_to_spec with "[] Hlbf [$Ho $Hs]"); [iFrame "#"; done|].
      iIntros (cells1 swept1) "(Ho & Hs & _)". wp_pures. clear cells swept Hholds.
      destruct Hf as [->|Hf].
      + rewrite bool_decide_eq_true_2; last lia. wp_pures. wp_load.
        wp_apply (chase_lev_stabilize_spec with "I Hlbf Ho"). iIntros "Ho". wp_pures.
        iModIntro. iApply "HΦ". iExists L, (length L), cells1, swept1.
        iFrame "Ho Hlbf Hs". iPureIntro. rewrite drop_ge //. split_and!; [done..|].
        intros i w ? ?%lookup_lt_Some. lia.
      + rewrite bool_decide_eq_false_2; last lia. wp_pures. wp_load.
        replace (length L - 1)%Z with (Z.of_nat f) by lia.
        iDestruct "Hs" as "(Hs & Hswept & #Hlbs & [%Hlc %Hcap])".
        wp_apply (slots_get_spec with "[$Hs]"); [by rewrite Hlc|by rewrite Hlc|].
        iIntros "Hs". wp_pures. rewrite bool_decide_eq_false_2; last lia. wp_pures.
        wp_apply wp_new_proph; first done. iIntros (raw id) "Hid". wp_pures.
        wp_load. wp_pures. wp_load. wp_pures. wp_bind (Resolve _ _ _).
        iApply (wp_wand with "[Ho Hid]").
        { by iApply (chase_lev_claim_cas_spec with "I Ho Hid"). }
        iIntros (r) "(%u & -> & Ho & #Hlb')". wp_pures. wp_load.
        replace (f + 1)%Z with (Z.of_nat (length L)) by lia.
        wp_apply (chase_lev_stabilize_spec with "I Hlb' Ho"). iIntros "Ho". wp_pures.
        replace (f + 1)%Z with (Z.of_nat (length L)) by lia.
        wp_apply (sweep_to_spec with "[] Hlb' [$Ho $Hs $Hswept $Hlbs]");
          [iFrame "#"; done|done|].
        iIntros (cells' swept') "(Ho & Hs & _)". wp_pures.
        iModIntro. iApply "HΦ". iExists L, (length L), cells', swept'.
        iFrame "Ho Hlb' Hs". iPureIntro. rewrite drop_ge //. split_and!; [done..|].
        intros i w ? ?%lookup_lt_Some. lia.
    - (* the owner takes the last item *)
      assert (drop f L = drop f L' ++ [v]) as Hdrop.
      { rewrite HL drop_app_le //. lia. }
      rewrite Hdrop removelast_last last_snoc /=.
      assert (length L = S (length L')) as HlL by (rewrite HL length_app /=; lia).
      replace (length L - 1)%Z with (Z.of_nat (length L')) by lia.
      assert (holds f L cells) as Hholds1.
      { intros i w ?. apply Hholds. lia. }
      iDestruct "Hs" as "(Hs & Hswept & #Hlbs & [%Hlc %Hcap])".
      iAssert (chase_lev_front_lb γ.(cl) (f `max` swept)) as "Hlbm".
      { by destruct (Nat.max_spec f swept) as [[_ ->]|[_ ->]]. }
      wp_bind (! _)%E. iApply (wp_wand with "[Ho]").
      { iApply (chase_lev_owner_front_spec _ _ _ _ _ _ (λ _, True)%I with "I Ho Hlbm"). by eauto. }
      iIntros (r) "(%f' & [-> %Hf'] & #Hlbf' & Ho & _)". wp_pures.
      wp_apply (sweep_to_spec γ _ L' with "[] Hlbf' [$Ho $Hs $Hswept $Hlbs]");
        [iFrame "#"; done|iPureIntro; split; [done|lia]|].
      iIntros (cells' swept') "(Ho & Hs & %Hsf' & %Hswept & %Hsame)". wp_pures.
      rewrite bool_decide_eq_false_2; last lia. wp_pures. wp_load.
      iDestruct "Hs" as "(Hs & Hswept & #Hlbs' & [%Hlc' %Hcap'])".
      wp_apply (slots_get_spec with "[$Hs]"); [by rewrite Hlc'|by rewrite Hlc'|].
      iIntros "Hs". wp_pures.
      replace (slot cells' (length L')) with v; last first.
      { rewrite Hsame; last lia. symmetry. apply Hholds1; first lia.
        by rewrite HL lookup_app_r // Nat.sub_diag. }
      assert (holds f' L' cells') as Hholds'.
      { intros i w ? Hi. pose proof (lookup_lt_Some _ _ _ Hi). rewrite Hsame; last lia.
        apply Hholds1; first lia. rewrite HL. by apply lookup_app_l_Some. }
      case_bool_decide as Hlt; wp_pures.
      + (* the deque has other items *)
        wp_load. wp_load.
        wp_apply (set_spec with "Hlen I [$Ho $Hs $Hswept $Hlbs']"); [done|lia|done|].
        iIntros "[Ho Hs]". wp_pures. iModIntro. iApply "HΦ".
        iExists L', f', _, swept'. iFrame "Ho Hs Hlbf'". iPureIntro. split_and!; [|lia|].
        * apply drop_suffix_of_drop. lia.
        * intros i w ? Hi. pose proof (lookup_lt_Some _ _ _ Hi).
          rewrite -Hlc' slot_insert_ne; first by apply Hholds'. lia.
      + (* the only item: the owner moves the front over the item *)
        assert (f' = length L') as -> by lia.
        wp_apply wp_new_proph; first done. iIntros (raw id) "Hid". wp_pures.
        wp_load. wp_pures. wp_load. wp_pures. wp_bind (Resolve _ _ _).
        iApply (wp_wand with "[Ho Hid]").
        { by iApply (chase_lev_retire_spec _ _ _ _ _ v with "I Ho Hlbf' Hid"). }
        iIntros (r) "(%u & -> & Ho & #Hlb')". wp_pures. wp_load. rewrite -HL -HlL.
        replace (length L' + 1)%Z with (Z.of_nat (length L)) by lia.
        wp_apply (chase_lev_stabilize_spec with "I Hlb' Ho"). iIntros "Ho". wp_pures.
        replace (length L' + 1)%Z with (Z.of_nat (length L)) by lia.
        wp_apply (sweep_to_spec with "[] Hlb' [$Ho $Hs $Hswept $Hlbs']");
          [iFrame "#"; done|iPureIntro; split; [done|lia]|].
        iIntros (cells'' swept'') "(Ho & Hs & _)". wp_pures.
        iModIntro. iApply "HΦ". iExists L, (length L), cells'', swept''.
        iFrame "Ho Hlb' Hs". iPureIntro. rewrite drop_ge //.
        split_and!; [apply suffix_nil|done|].
        intros i w ? ?%lookup_lt_Some. lia.
  Qed.

  (** Claim: [steal], at one instant, takes the first item; [steal] returns no item
      only if the deque is empty at that instant. *)
  Lemma bounded_steal_spec γ t :
    bounded_inv γ t -∗
    <<{ ∀∀ vs, bounded_model γ vs }>>
      deque_bounded_steal t @ ↑N
    <<{ bounded_model γ (tail vs) | RET option_to_val (head vs) }>>.
  Proof.
    iIntros "([-> %Hn] & #Hfront & #Hback & #Harr & #Hdummy & #Hproph & #Hlen & #I)" (Φ) "AU".
    iLöb as "IH". wp_rec. wp_apply wp_new_proph; first done. iIntros (raw id) "Hid". wp_pures.
    wp_load. wp_apply (chase_lev_front_spec with "I"); first done.
    iIntros (f) "#Hlb". wp_pures. wp_load. wp_bind (! _)%E.
    iApply (wp_wand with "[AU Hid]").
    { iApply (chase_lev_steal_back_spec with "I Hlb Hid AU"). }
    iIntros (r) "(%b & -> & Hcase)". wp_pures.
    iDestruct "Hcase" as "[[%Hempty HΦ]|[%Hlt Hcase]]".
    { rewrite bool_decide_eq_true_2 //. by wp_pures. }
    rewrite bool_decide_eq_false_2; last lia. wp_pures. wp_load.
    iDestruct "Hcase" as "[(%v & Hw)|Hl]".
    - (* the winner takes the item that the winner reads here *)
      wp_bind (deque_slots_get _ _). iApply (slots_get_acc with "Hlen"); first done.
      iMod (chase_lev_winner_access with "I Hw") as (L) "(%Hv & (%cells & [%Hlc %Hholds] & Hs) & Hcl)";
        first done.
      iModIntro. iExists _, cells. iFrame "Hs". iSplit; first done. iIntros "!> Hs".
      rewrite (Hholds f v) //. iMod ("Hcl" $! () with "[Hs]") as "Hw".
      { iExists cells. by iFrame. }
      iModIntro. wp_pures. wp_load. wp_load. wp_pures. wp_bind (Resolve _ _ _).
      iApply (wp_wand with "[Hw]"); first iApply (chase_lev_winner_cas_spec with "I Hw").
      iIntros (r) "(%u & -> & HΦ)". wp_pures. done.
    - (* the value that a loser reads does not matter *)
      wp_bind (deque_slots_get _ _). iApply (slots_get_acc with "Hlen"); first done.
      iMod (chase_lev_access with "I") as (f' L o) "((%cells & [%Hlc %Hholds] & Hs) & Hcl)";
        first done.
      iModIntro. iExists _, cells. iFrame "Hs". iSplit; first done. iIntros "!> Hs".
      iMod ("Hcl" with "[Hs]") as "_".
      { iExists cells. by iFrame. }
      iModIntro. wp_pures. wp_load. wp_load. wp_pures. wp_bind (Resolve _ _ _).
      iApply (wp_wand with "[Hl]"); first iApply (chase_lev_loser_cas_spec with "I Hl").
      iIntros (r) "(%u & -> & AU)". wp_pures. by iApply "IH".
  Qed.
End bounded.
