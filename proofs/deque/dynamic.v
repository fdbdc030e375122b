(** * The deque without bound

    The argument is the one of [chase_lev.v], and the slots are circular arrays as in
    [bounded.v].  New in this file: the owner may replace the array.

    {b Arrays.}  A cell holds the current array.  The invariant and the owner each
    own half of this cell and half of the array's slots.  When the owner replaces the
    array, the slots of the old array are frozen: every thread may read them for ever,
    and no thread can change them.  A ghost map remembers all arrays that were ever
    current.  So a thief that has read the cell may read the array later, even if the
    owner has replaced the array since.

    {b The winner.}  The value that a losing thief reads does not matter.  A
    registered thief reads the cell and then the slot; its tag is the array that the
    thief has found in the cell.  The invariant says that this array is the current
    array, or is frozen and has the right item in the slot.  The array is right when
    it is frozen, because the owner copies the content, and the winner's item belongs
    to the content until the winner has won.

    {b Owner}, and the specification: as in [bounded.v], except that [push] always
    succeeds. *)
From iris.base_logic.lib Require Import invariants ghost_map.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude prophets.
From dromos.deque Require Import slots_code circular chase_lev sizes dynamic_code.

Class dynamicG Σ := DynamicG {
  #[local] dynamic_chase_levG :: chase_levG (option loc) Σ;
  #[local] dynamic_arraysG :: ghost_mapG Σ loc nat;
}.
Definition dynamicΣ : gFunctors := #[chase_levΣ (option loc); ghost_mapΣ loc nat].
Global Instance subG_dynamicΣ Σ : subG dynamicΣ Σ → dynamicG Σ.
Proof. solve_inG. Qed.

Record dynamic_names := DynamicNames {
  dynamic_chase_lev : chase_lev_names;
  dynamic_block : loc;
  dynamic_cell : loc;
  dynamic_dummy : val;
  dynamic_least : nat;
  dynamic_arrays : gname;
}.

Section dynamic.
  Context `{!heapGS Σ, !dynamicG Σ} (N : namespace).
  Implicit Types (γ : dynamic_names) (a cell : loc) (n m f i swept : nat) (δ : gname).
  Implicit Types (t v dummy : val) (st : chase_lev_status) (o : option (option loc)).
  Implicit Types (L vs ws cells : list val) (arrays : gmap loc nat).
  Local Notation cl := dynamic_chase_lev.

  Local Definition holds f L cells : Prop :=
    ∀ i v, f ≤ i → L !! i = Some v → slot cells i = v.

  (** An array that is current, or was current. *)
  Local Definition known δ a n : iProp Σ :=
    a ↪[δ]□ n ∗ array_len a n ∗ ⌜power_of_two n⌝.
  Local Definition frozen a n : iProp Σ :=
    ∃ cells, ⌜length cells = n ∧ 0 < n⌝ ∗ slots a DfracDiscarded cells.

  (** The array that the winner has read holds the winner's item. *)
  Local Definition winner_array a f L o : iProp Σ :=
    match o with
    | Some (Some a') =>
        ⌜a' = a⌝ ∨
        ∃ cells, array_len a' (length cells) ∗ slots a' DfracDiscarded cells ∗
          ⌜slot cells f = L !!! f⌝
    | _ => True
    end.

  Definition dynamic_slots cell δ f L o : iProp Σ :=
    ∃ a cells arrays, cell ↦{#1/2} #a ∗ slots a (DfracOwn (1/2)) cells ∗
      known δ a (length cells) ∗ ⌜holds f L cells⌝ ∗
      ghost_map_auth δ 1 arrays ∗ ⌜arrays !! a = Some (length cells)⌝ ∗
      ([∗ map] a' ↦ n ∈ delete a arrays, frozen a' n) ∗
      winner_array a f L o.

  Local Instance frozen_persistent a n : Persistent (frozen a n).
  Proof. apply _. Qed.
  Local Instance frozen_timeless a n : Timeless (frozen a n).
  Proof. apply _. Qed.
  Local Instance winner_array_timeless a f L o : Timeless (winner_array a f L o).
  Proof. destruct o as [[]|]; apply _. Qed.
  Local Instance winner_array_persistent a f L o : Persistent (winner_array a f L o).
  Proof. destruct o as [[]|]; apply _. Qed.

  Global Instance dynamic_chase_lev_slots cell δ :
    chase_lev_slots (dynamic_slots cell δ) None.
  Proof.
    split.
    - apply _.
    - done.
    - iIntros (f L o ?) "(%a & %cells & %arrays & $ & $ & $ & %Hholds & $ & $ & $ & _)".
      iPureIntro. intros i v ?. apply Hholds. lia.
    - iIntros (f L v o Ho) "(%a & %cells & %arrays & $ & $ & $ & %Hholds & $ & $ & $ & Hw)".
      iSplit.
      { iPureIntro. intros i w ? Hi. apply Hholds; first done. by apply lookup_app_l_Some. }
      destruct o as [[a'|]|]; [|done..]. destruct Ho as [|Ho]; first done. simpl.
      by rewrite lookup_total_app_l.
    - iIntros (L v) "(%a & %cells & %arrays & $ & $ & $ & %Hholds & $ & $ & $ & _)".
      iPureIntro. intros i w ? Hi%lookup_lt_Some. rewrite length_app /= in Hi. lia.
  Qed.

  Definition dynamic_inv γ t : iProp Σ :=
    ⌜t = #γ.(dynamic_block) ∧ power_of_two γ.(dynamic_least)⌝ ∗
    (γ.(dynamic_block) +ₗ 0) ↦□ #γ.(cl).(chase_lev_front) ∗
    (γ.(dynamic_block) +ₗ 1) ↦□ #γ.(cl).(chase_lev_back) ∗
    (γ.(dynamic_block) +ₗ 2) ↦□ #γ.(dynamic_cell) ∗
    (γ.(dynamic_block) +ₗ 3) ↦□ γ.(dynamic_dummy) ∗
    (γ.(dynamic_block) +ₗ 4) ↦□ #γ.(dynamic_least) ∗
    (γ.(dynamic_block) +ₗ 6) ↦□ #γ.(cl).(chase_lev_proph) ∗
    chase_lev_inv N (dynamic_slots γ.(dynamic_cell) γ.(dynamic_arrays)) γ.(cl).

  Definition dynamic_model γ vs : iProp Σ := chase_lev_model γ.(cl) vs.

  (** The owner's share. *)
  Local Definition share γ L a cells swept : iProp Σ :=
    γ.(dynamic_cell) ↦{#1/2} #a ∗ slots a (DfracOwn (1/2)) cells ∗
    (γ.(dynamic_block) +ₗ 5) ↦na #swept ∗ chase_lev_front_lb γ.(cl) swept ∗
    known γ.(dynamic_arrays) a (length cells) ∗
    ⌜length L ≤ swept + length cells⌝.
  Definition dynamic_owner γ ws : iProp Σ :=
    ∃ L f a cells swept,
      ⌜drop f L `suffix_of` ws ∧ f ≤ length L ∧ holds f L cells⌝ ∗
      chase_lev_owner γ.(cl) L Stable ∗ chase_lev_front_lb γ.(cl) f ∗
      share γ L a cells swept.

  Global Instance dynamic_inv_persistent γ t : Persistent (dynamic_inv γ t).
  Proof. apply _. Qed.
  Global Instance dynamic_model_timeless γ vs : Timeless (dynamic_model γ vs).
  Proof. apply _. Qed.
  Global Instance dynamic_owner_timeless γ ws : Timeless (dynamic_owner γ ws).
  Proof. apply _. Qed.

  Lemma dynamic_model_agree γ vs1 vs2 :
    dynamic_model γ vs1 -∗ dynamic_model γ vs2 -∗ ⌜vs1 = vs2⌝.
  Proof. apply chase_lev_model_agree. Qed.
  Lemma dynamic_owner_exclusive γ ws1 ws2 :
    dynamic_owner γ ws1 -∗ dynamic_owner γ ws2 -∗ False.
  Proof.
    iIntros "(% & % & % & % & % & _ & _ & _ & _ & _ & H1 & _)".
    iIntros "(% & % & % & % & % & _ & _ & _ & _ & _ & H2 & _)".
    iApply (na_pointsto_exclusive with "H1 H2").
  Qed.
  (** Claim: The content of the deque is a suffix of the list that the owner
      knows. *)
  Lemma dynamic_owner_model γ t ws vs E :
    ↑N ⊆ E → dynamic_inv γ t -∗ dynamic_owner γ ws -∗ dynamic_model γ vs ={E}=∗
    dynamic_owner γ ws ∗ dynamic_model γ vs ∗ ⌜vs `suffix_of` ws⌝.
  Proof.
    iIntros (?) "(_ & _ & _ & _ & _ & _ & _ & #I)".
    iIntros "(%L & %f & %a & %cells & %swept & % & Ho & #Hlb & Hs) Hm".
    iMod (chase_lev_owner_model with "I Ho Hlb Hm") as "(Ho & $ & %)"; first done.
    iModIntro. iSplit; last first.
    { iPureIntro. trans (drop f L); naive_solver. }
    iExists L, f, a, cells, swept. by iFrame "Ho Hlb Hs".
  Qed.
  Lemma dynamic_owner_weaken γ ws ws' :
    ws `suffix_of` ws' → dynamic_owner γ ws -∗ dynamic_owner γ ws'.
  Proof.
    iIntros (?) "(%L & %f & %a & %cells & %swept & (% & % & %) & H)".
    iExists L, f, a, cells, swept. iFrame. iPureIntro. split_and!; [by trans ws|done..].
  Qed.

  (** ** The owner's writes *)

  Local Lemma own_slots γ L st a cells swept k v :
    chase_lev_inv N (dynamic_slots γ.(dynamic_cell) γ.(dynamic_arrays)) γ.(cl) -∗
    chase_lev_owner γ.(cl) L st -∗
    γ.(dynamic_cell) ↦{#1/2} #a -∗ slots a (DfracOwn (1/2)) cells -∗
    known γ.(dynamic_arrays) a (length cells) -∗
    chase_lev_front_lb γ.(cl) swept -∗
    ⌜∀ i, swept ≤ i < length L → k < i < k + length cells ∨ i < k < i + length cells⌝
      ={⊤, ⊤ ∖ ↑N}=∗
    slots a (DfracOwn 1) cells ∗
    (slots a (DfracOwn 1) (<[k mod length cells := v]> cells) ={⊤ ∖ ↑N, ⊤}=∗
       chase_lev_owner γ.(cl) L st ∗ γ.(dynamic_cell) ↦{#1/2} #a ∗
       slots a (DfracOwn (1/2)) (<[k mod length cells := v]> cells)).
  Proof.
    iIntros "#I Ho Hcell Hs (#Hka & #Hlen & %Hn) #Hlb %Hlive".
    iMod (chase_lev_owner_access with "I Ho Hlb") as (f o) "([% %] & HR & Hcl)"; first done.
    iDestruct "HR" as (a' cells' arrays)
      "(Hcell' & Hs' & (_ & #Hlen' & _) & %Hholds & Hm & %Hma & Hfr & Hw)".
    iDestruct (pointsto_agree with "Hcell Hcell'") as %[= <-].
    iDestruct (array_len_agree with "Hlen Hlen'") as %Heq.
    iDestruct (slots_agree with "Hs Hs'") as %<-; first done.
    iCombine "Hs Hs'" as "Hs". rewrite -slots_split. iModIntro. iFrame "Hs".
    iIntros "Hs". iDestruct (slots_split with "Hs") as "[$ Hs]". iFrame "Hcell". iApply "Hcl".
    iExists a, _, arrays. iFrame "Hcell' Hs Hm Hfr Hw". rewrite length_insert.
    iFrame "#". iPureIntro. split; first done. split; last done.
    intros i w Hi Hw. rewrite -(Hholds i w) //. apply slot_insert_ne.
    apply Hlive. apply lookup_lt_Some in Hw. lia.
  Qed.

  (** The write of the slot after the last item. *)
  Local Lemma set_spec γ L st a cells swept v :
    length L < swept + length cells →
    chase_lev_inv N (dynamic_slots γ.(dynamic_cell) γ.(dynamic_arrays)) γ.(cl) -∗
    {{{ chase_lev_owner γ.(cl) L st ∗ share γ L a cells swept }}}
      deque_slots_set #a #(length L) v
    {{{ RET #(); chase_lev_owner γ.(cl) L st ∗
        share γ L a (<[length L mod length cells := v]> cells) swept }}}.
  Proof.
    iIntros (HL) "#I !>". iIntros (Φ) "(Ho & Hcell & Hs & Hswept & #Hlb & #Hk & %H) HΦ".
    iPoseProof "Hk" as "(_ & Hlen & %Hn)".
    iApply (slots_set_acc with "Hlen"); first done.
    iMod (own_slots _ _ _ _ _ swept (length L) v with "I Ho Hcell Hs Hk Hlb [%]") as "[Hs Hcl]".
    { intros i Hi. right. lia. }
    iModIntro. iExists cells. iFrame "Hs". iSplit; first done. iIntros "!> Hs".
    iMod ("Hcl" with "Hs") as "(Ho & Hcell & Hs)". iModIntro. iApply "HΦ".
    iFrame "Ho Hcell Hs Hswept Hlb". rewrite length_insert. by iFrame "Hk".
  Qed.

  Local Lemma sweep_to_spec γ t L st a cells swept f :
    dynamic_inv γ t -∗ chase_lev_front_lb γ.(cl) f -∗
    {{{ chase_lev_owner γ.(cl) L st ∗ share γ L a cells swept }}}
      deque_dynamic_sweep_to t #a #f
    {{{ cells', RET #(); chase_lev_owner γ.(cl) L st ∗ share γ L a cells' (f `max` swept) ∗
        ⌜length cells' = length cells ∧
          ∀ k, f ≤ k < swept + length cells → slot cells' k = slot cells k⌝ }}}.
  Proof.
    iIntros "([-> %] & #Hfront & #Hback & #Hcellf & #Hdummy & #Hleast & #Hproph & #I) #Hlbf !>".
    iIntros (Φ) "(Ho & Hcell & Hs & Hswept & #Hlb & #Hk & %HL) HΦ". wp_rec. wp_pures.
    wp_na_load. wp_pures. case_bool_decide as Hlt; wp_pures; last first.
    { iModIntro. iApply "HΦ". rewrite Nat.max_r; last lia.
      iFrame "Ho Hcell Hs Hswept Hlb Hk". done. }
    wp_na_load. wp_load. iPoseProof "Hk" as "(_ & Hlen & %Hn)".
    wp_apply (slots_clear_spec
      (λ cells', ⌜length cells' = length cells⌝ ∗ chase_lev_owner γ.(cl) L st ∗
        γ.(dynamic_cell) ↦{#1/2} #a ∗ slots a (DfracOwn (1/2)) cells')%I
      a (length cells) γ.(dynamic_dummy) swept f with "Hlen [] [$Ho $Hcell $Hs]");
      [done|done| |done|].
    { iIntros "!>" (cells' k [Hlc Hk]) "(_ & Ho & Hcell & Hs)". rewrite -Hlc.
      iMod (own_slots _ _ _ _ cells' f k with "I Ho Hcell Hs [] Hlbf [%]") as "[$ Hcl]".
      { by rewrite Hlc. }
      { intros i ?. left. lia. }
      iModIntro. iIntros "Hs". iMod ("Hcl" with "Hs") as "($ & $ & $)".
      by rewrite length_insert Hlc. }
    iIntros (cells') "((_ & Ho & Hcell & Hs) & [%Hlc %Hsame])". wp_pures. wp_na_store.
    iModIntro. iApply "HΦ". rewrite Nat.max_l; last lia.
    iFrame "Ho Hcell Hs Hswept Hlbf". rewrite Hlc. iFrame "Hk". iPureIntro.
    split; [lia|done].
  Qed.

  Local Lemma slots_ne a1 a2 dq cells1 cells2 :
    0 < length cells1 → 0 < length cells2 →
    slots a1 (DfracOwn 1) cells1 -∗ slots a2 dq cells2 -∗ ⌜a1 ≠ a2⌝.
  Proof.
    iIntros (H1 H2) "Hs1 Hs2 %Heq". subst a2.
    destruct cells1 as [|v1 cells1]; first (simpl in *; lia).
    destruct cells2 as [|v2 cells2]; first (simpl in *; lia).
    rewrite /slots !array_cells_cons.
    iDestruct "Hs1" as "[H1 _]". iDestruct "Hs2" as "[H2 _]".
    by iDestruct (pointsto_ne with "H1 H2") as %?.
  Qed.

  (** The owner copies the content to a new array; the old array is frozen. *)
  Local Lemma resize_spec γ t L a cells swept f n :
    f ≤ swept → holds f L cells → length L ≤ f + n → power_of_two n →
    dynamic_inv γ t -∗ chase_lev_front_lb γ.(cl) f -∗
    {{{ chase_lev_owner γ.(cl) L Stable ∗ share γ L a cells swept }}}
      deque_dynamic_resize t #a #f #(length L) #n
    {{{ a' cells', RET #(); chase_lev_owner γ.(cl) L Stable ∗ share γ L a' cells' swept ∗
        ⌜length cells' = n ∧ holds f L cells'⌝ }}}.
  Proof.
    iIntros (Hf Hholds Hfit Hn).
    iIntros "([-> %] & #Hfront & #Hback & #Hcellf & #Hdummy & #Hleast & #Hproph & #I) #Hlbf !>".
    iIntros (Φ) "(Ho & Hcell & Hs & Hswept & #Hlb & #Hk & %HL) HΦ". wp_rec. wp_pures. wp_load.
    iPoseProof "Hk" as "(_ & Hlen & %Hna)".
    wp_apply (slots_resize_spec with "[$Hlen $Hs]"); [done..|].
    iIntros (a2 cells2) "(Hs & #Hlen2 & Hs2 & [%Hl2 %Hsame])". wp_pures. wp_load.
    iApply wp_fupd.
    wp_bind (_ <- _)%E.
    iMod (chase_lev_owner_access with "I Ho Hlbf") as (f' o) "([%Hf' %Ho] & HR & Hcl)"; first done.
    iDestruct "HR" as (a' cells' arrays)
      "(Hcell' & Hs' & (_ & #Hlen' & _) & %Hholds' & Hm & %Hma & #Hfr & #Hw)".
    iDestruct (pointsto_agree with "Hcell Hcell'") as %[= <-].
    iDestruct (array_len_agree with "Hlen Hlen'") as %Heq.
    iDestruct (slots_agree with "Hs Hs'") as %<-; first done.
    iCombine "Hcell Hcell'" as "Hcell". wp_store.
    iAssert ⌜arrays !! a2 = None⌝%I as %Hnone.
    { destruct (arrays !! a2) as [n2|] eqn:Ha2; last done.
      pose proof (power_of_two_pos n Hn). pose proof (power_of_two_pos _ Hna).
      destruct (decide (a2 = a)) as [->|Hne].
      - by iDestruct (slots_ne with "Hs2 Hs") as %?; [lia|lia|].
      - iDestruct (big_sepM_lookup _ _ a2 n2 with "Hfr") as (cells3) "[[% %] Hs3]".
        { by rewrite lookup_delete_ne. }
        by iDestruct (slots_ne with "Hs2 Hs3") as %?; [lia|lia|]. }
    iMod (ghost_map_insert_persist a2 n with "Hm") as "[Hm #Hk2]"; first done.
    iMod (slots_persist with "Hs") as "#Hfrozen".
    iDestruct (slots_split with "Hs2") as "[Hs2 Hs2']".
    iDestruct "Hcell" as "[Hcell Hcell']".
    iMod ("Hcl" with "[Hcell' Hs2' Hm]") as "Ho".
    { iExists a2, cells2, (<[a2 := n]> arrays). iFrame "Hcell' Hs2' Hm". rewrite Hl2.
      iFrame "Hk2 Hlen2". iSplit; first done. iSplit.
      { iPureIntro. intros i w Hi Hw. pose proof (lookup_lt_Some _ _ _ Hw).
        rewrite Hsame; last lia. by apply Hholds'. }
      iSplit; first by rewrite lookup_insert.
      iSplit.
      { rewrite delete_insert //. iApply (big_sepM_delete _ _ a with "[]"); first done.
        iFrame "Hfr". iExists cells. iFrame "Hfrozen". iPureIntro. split; first done.
        by apply power_of_two_pos. }
      destruct o as [[a3|]|]; [|done..]. simpl. iRight.
      iDestruct "Hw" as "[->|$]". iExists cells. iFrame "Hlen Hfrozen". iPureIntro.
      destruct Ho as [|Ho]; first done. destruct (lookup_lt_is_Some_2 L f') as [w Hw]; first done.
      rewrite (Hholds' f' w) //. symmetry. by apply list_lookup_total_correct. }
    do 2 iModIntro. iApply "HΦ". iFrame "Ho Hcell Hs2 Hswept Hlb". rewrite Hl2.
    iFrame "Hk2 Hlen2". iPureIntro. split; first (split; [done|lia]). split; first done.
    intros i w Hi Hw. pose proof (lookup_lt_Some _ _ _ Hw). rewrite Hsame; last lia.
    by apply Hholds.
  Qed.

  Local Lemma shrink_spec γ t L a cells swept f :
    f ≤ swept → f ≤ length L → holds f L cells →
    dynamic_inv γ t -∗ chase_lev_front_lb γ.(cl) f -∗
    {{{ chase_lev_owner γ.(cl) L Stable ∗ share γ L a cells swept }}}
      deque_dynamic_shrink_if_sparse t #a #f #(length L)
    {{{ a' cells', RET #(); chase_lev_owner γ.(cl) L Stable ∗ share γ L a' cells' swept ∗
        ⌜holds f L cells'⌝ }}}.
  Proof.
    iIntros (Hf HfL Hholds) "#Hinv #Hlbf !>". iIntros (Φ) "(Ho & Hs) HΦ".
    iPoseProof "Hinv" as "([-> %Hl] & Hfront & Hback & Hcellf & Hdummy & Hleast & Hproph & I)".
    iPoseProof "Hs" as "(Hcell & Hs & Hswept & #Hlb & #Hk & %HL)".
    iPoseProof "Hk" as "(_ & Hlen & %Hna)".
    wp_rec. wp_pures. wp_apply (array_length_spec with "Hlen"). iIntros "_". wp_pures.
    case_bool_decide as Hsparse; wp_pures; last first.
    { iModIntro. iApply "HΦ". iFrame "Ho Hcell Hs Hswept Hlb Hk". done. }
    wp_load. wp_pures. case_bool_decide as Hleast; wp_pures; last first.
    { iModIntro. iApply "HΦ". iFrame "Ho Hcell Hs Hswept Hlb Hk". done. }
    assert (γ.(dynamic_least) < length cells) as Hlt by lia.
    pose proof (power_of_two_half_even _ _ Hna Hl Hlt) as Heven.
    replace (length cells `quot` 2)%Z with (Z.of_nat (length cells / 2)); last first.
    { rewrite Z.quot_div_nonneg; [|lia..]. by rewrite Nat2Z.inj_div. }
    wp_apply (resize_spec with "Hinv Hlbf [$Ho $Hcell $Hs $Hswept $Hlb $Hk]").
    { done. } { done. } { lia. } { apply (power_of_two_half _ _ Hna Hl Hlt). } { done. }
    iIntros (a' cells') "(Ho & Hs & [_ %])". iApply "HΦ". by iFrame.
  Qed.

  (** ** Specifications *)

  (** Claim: A new deque is empty. *)
  Lemma dynamic_create_spec (capacity : Z) dummy :
    {{{ True }}} deque_dynamic_create #capacity dummy
    {{{ γ t, RET t; dynamic_inv γ t ∗ dynamic_model γ [] ∗ dynamic_owner γ [] }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures.
    wp_apply slots_make_spec; first done. iIntros (a n) "([%Hn %Hle] & #Hlen & Hs)". wp_pures.
    wp_apply (array_length_spec with "Hlen"). iIntros "_". wp_pures.
    wp_alloc front as "Hf". wp_alloc back as "Hb". wp_pures. wp_alloc cell as "Hcell". wp_pures.
    wp_apply (wp_wise_prophets chase_lev_winners); first done. iIntros (p γp prophss) "Hp".
    wp_pures. iApply wp_fupd. wp_apply block7_spec; first done.
    iIntros (l) "(H0 & H1 & H2 & H3 & H4 & H5 & H6 & _)".
    iDestruct (slots_split with "Hs") as "[Hs1 Hs2]". iDestruct "Hcell" as "[Hcell1 Hcell2]".
    iMod (ghost_map_alloc_empty (K := loc) (V := nat)) as (δ) "Hm".
    iMod (ghost_map_insert_persist a n with "Hm") as "[Hm #Hk]"; first done.
    iMod (chase_lev_alloc N (dynamic_slots cell δ) None with "Hf Hb Hp [Hs1 Hcell1 Hm]")
      as (γ (<- & <- & <-)) "(#I & Hmodel & Ho & #Hlb)".
    { iExists a, _, _. iFrame "Hs1 Hcell1 Hm". rewrite length_replicate. iFrame "Hk Hlen".
      iSplit; first done. iSplit; first done. iSplit; first by rewrite lookup_insert.
      iSplit; last done. by rewrite delete_insert. }
    iMod (pointsto_persist with "H0") as "#H0". iMod (pointsto_persist with "H1") as "#H1".
    iMod (pointsto_persist with "H2") as "#H2". iMod (pointsto_persist with "H3") as "#H3".
    iMod (pointsto_persist with "H4") as "#H4". iMod (pointsto_persist with "H6") as "#H6".
    iModIntro. iApply ("HΦ" $! (DynamicNames γ l cell dummy n δ)).
    iSplit; first by iFrame "#". iFrame "Hmodel".
    iExists [], 0, a, (replicate n dummy), 0. iFrame "Ho Hlb Hs2 Hcell2 H5".
    rewrite length_replicate. iFrame "Hk Hlen".
    iPureIntro. split; last (split; [done|simpl; lia]). split_and!; done || (simpl; lia).
  Qed.

  (** Any thread may ask for the capacity at that moment. *)
  (** Claim: [capacity] returns a power of two. *)
  Lemma dynamic_capacity_spec γ t :
    {{{ dynamic_inv γ t }}} deque_dynamic_capacity t {{{ n, RET #n; ⌜power_of_two n⌝ }}}.
  Proof.
    iIntros (Φ) "([-> %] & #Hfront & #Hback & #Hcellf & #Hdummy & #Hleast & #Hproph & #I) HΦ".
    wp_rec. wp_pures. wp_load. wp_bind (! _)%E.
    iMod (chase_lev_access with "I") as (f L o) "(HR & Hcl)"; first done.
    iDestruct "HR" as (a cells arrays) "(Hcell & Hs & #(Hk & Hlen & %Hn) & HR)". wp_load.
    iMod ("Hcl" with "[Hcell Hs HR]") as "_".
    { iExists a, cells, arrays. by iFrame "Hcell Hs HR Hk Hlen". }
    iModIntro. wp_pures. wp_apply (array_length_spec with "Hlen"). iIntros "_".
    by iApply "HΦ".
  Qed.

  (** Any thread may call [size]: the result is never below the number of items. *)
  (** Claim: [size], called by any thread, returns at least the number of items at
      some instant of the call. *)
  Lemma dynamic_size_spec γ t :
    dynamic_inv γ t -∗
    <<{ ∀∀ vs, dynamic_model γ vs }>>
      deque_dynamic_size t @ ↑N
    <<{ ∃∃ n : nat, dynamic_model γ vs ∗ ⌜length vs ≤ n⌝ | RET #n }>>.
  Proof.
    iIntros "([-> %] & #Hfront & #Hback & #Hcellf & #Hdummy & #Hleast & #Hproph & #I)" (Φ) "AU".
    wp_rec. wp_pures. wp_load. wp_apply (chase_lev_front_spec with "I"); first done.
    iIntros (f) "#Hlb". wp_pures. wp_load. wp_bind (! _)%E.
    iApply (wp_wand with "[AU]").
    { iApply (chase_lev_size_back_spec with "I Hlb AU"). }
    iIntros (r) "(%b & -> & HΦ)". wp_pures. case_bool_decide; wp_pures; by iFrame.
  Qed.
  (** Claim: [is_empty], called by any thread, returns true only if the deque is
      empty at some instant of the call. *)
  Lemma dynamic_is_empty_spec γ t :
    dynamic_inv γ t -∗
    <<{ ∀∀ vs, dynamic_model γ vs }>>
      deque_dynamic_is_empty t @ ↑N
    <<{ ∃∃ b : bool, dynamic_model γ vs ∗ ⌜b = true → vs = []⌝ | RET #b }>>.
  Proof.
    iIntros "#Hinv" (Φ) "AU". wp_rec. iApply (is_empty_of_size with "[] AU").
    by iApply dynamic_size_spec.
  Qed.

  (** Claim: [size], called by the owner, returns exactly the number of items at one
      instant. *)
  Lemma dynamic_owner_size_spec γ t ws :
    dynamic_inv γ t -∗ dynamic_owner γ ws -∗
    <<{ ∀∀ vs, dynamic_model γ vs }>>
      deque_dynamic_size t @ ↑N
    <<{ dynamic_model γ vs ∗ ⌜vs `suffix_of` ws⌝ | RET #(length vs); dynamic_owner γ vs }>>.
  Proof.
    iIntros "([-> %] & #Hfront & #Hback & #Hcellf & #Hdummy & #Hleast & #Hproph & #I)".
    iIntros "(%L & %f0 & %a & %cells & %swept & (%Hws & %Hf0 & %Hholds) & Ho & #Hlb & Hs)" (Φ) "AU".
    wp_rec. wp_pures. wp_load. wp_bind (! _)%E. iApply (wp_wand with "[Ho AU]").
    { by iApply (chase_lev_owner_size_front_spec with "I Ho Hlb AU"). }
    iIntros (r) "(%f & [-> %Hf] & #Hlbf & Ho & HΦ)". wp_pures. wp_load.
    wp_apply (chase_lev_owner_back_spec with "I Ho"). iIntros "Ho". wp_pures.
    iDestruct ("HΦ" with "[Ho Hs]") as "HΦ".
    { iExists L, f, a, cells, swept. iFrame "Ho Hs Hlbf". iPureIntro. split_and!; [done|lia|].
      intros i v ?. apply Hholds. lia. }
    case_bool_decide; wp_pures.
    - replace (length L - f) with 0 by lia. done.
    - by rewrite Nat2Z.inj_sub; last lia.
  Qed.
  (** Claim: [is_empty], called by the owner, says exactly whether the deque is empty
      at one instant. *)
  Lemma dynamic_owner_is_empty_spec γ t ws :
    dynamic_inv γ t -∗ dynamic_owner γ ws -∗
    <<{ ∀∀ vs, dynamic_model γ vs }>>
      deque_dynamic_is_empty t @ ↑N
    <<{ dynamic_model γ vs ∗ ⌜vs `suffix_of` ws⌝ |
        RET #(bool_decide (vs = [])); dynamic_owner γ vs }>>.
  Proof.
    iIntros "#Hinv Ho" (Φ) "AU". wp_rec. iApply (owner_is_empty_of_size with "[Ho] AU").
    by iApply (dynamic_owner_size_spec with "Hinv Ho").
  Qed.

  (** The owner reads the cell. *)
  Local Lemma owner_cell_spec γ L a cells swept :
    {{{ share γ L a cells swept }}} ! #γ.(dynamic_cell) {{{ RET #a; share γ L a cells swept }}}.
  Proof.
    iIntros (Φ) "(Hcell & Hs) HΦ". wp_load. iApply "HΦ". by iFrame.
  Qed.

  Local Lemma swept_max γ f swept :
    chase_lev_front_lb γ.(cl) f -∗ chase_lev_front_lb γ.(cl) swept -∗
    chase_lev_front_lb γ.(cl) (f `max` swept).
  Proof.
    iIntros "H1 H2". by destruct (Nat.max_spec f swept) as [[_ ->]|[_ ->]].
  Qed.

  (** Claim: [sweep] changes nothing that a caller can see. *)
  Lemma dynamic_sweep_spec γ t ws :
    {{{ dynamic_inv γ t ∗ dynamic_owner γ ws }}} deque_dynamic_sweep t
    {{{ RET #(); dynamic_owner γ ws }}}.
  Proof.
    iIntros (Φ) "[#Hinv Ho] HΦ".
    iPoseProof "Hinv" as "([-> %] & Hfront & Hback & Hcellf & Hdummy & Hleast & Hproph & I)".
    iDestruct "Ho" as "(%L & %f0 & %a & %cells & %swept & (%Hws & %Hf0 & %Hholds) & Ho & #Hlb & Hs)".
    wp_rec. wp_pures. wp_load. wp_bind (! _)%E. iApply (wp_wand with "[Ho]").
    { iApply (chase_lev_owner_front_spec _ _ _ _ _ _ (λ _, True)%I with "I Ho Hlb"). by eauto. }
    iIntros (r) "(%f & [-> %Hf] & #Hlbf & Ho & _)". wp_pures. wp_load.
    wp_apply (owner_cell_spec with "Hs"). iIntros "Hs". wp_pures.
    iDestruct "Hs" as "(Hcell & Hs & Hswept & #Hlbs & #Hk & %HL)".
    wp_apply (sweep_to_spec with "Hinv Hlbf [$Ho $Hcell $Hs $Hswept $Hlbs $Hk]"); first done.
    iIntros (cells') "(Ho & Hs & %Hlc & %Hsame)". iApply "HΦ".
    iExists L, f, a, cells', _. iFrame "Ho Hs Hlbf". iPureIntro. split_and!; [|lia|].
    - trans (drop f0 L); last done. apply drop_suffix_of_drop. lia.
    - intros i v ? Hi. pose proof (lookup_lt_Some _ _ _ Hi).
      rewrite Hsame; last lia. apply Hholds; [lia|done].
  Qed.

  (** The owner has written the item, and publishes the item. *)
  Local Lemma publish_spec γ t L f a cells swept ws v (Φ : val → iProp Σ) :
    length L < swept + length cells → f ≤ length L → length L < f + length cells →
    drop f L `suffix_of` ws → holds f L cells →
    dynamic_inv γ t -∗ chase_lev_front_lb γ.(cl) f -∗
    chase_lev_owner γ.(cl) L Stable -∗
    share γ L a (<[length L mod length cells := v]> cells) swept -∗
    (AU <{ ∃∃ vs, dynamic_model γ vs }> @ ⊤ ∖ ↑N, ∅
        <{ dynamic_model γ (vs ++ [v]) ∗ ⌜vs `suffix_of` ws⌝,
           COMM dynamic_owner γ (vs ++ [v]) -∗ Φ #() }>) -∗
    WP #γ.(cl).(chase_lev_back) <- #(length L + 1) {{ Φ }}.
  Proof.
    iIntros (Hroom Hf Hroom' Hws Hholds) "#Hinv #Hlb Ho Hs AU".
    iPoseProof "Hinv" as "(_ & _ & _ & _ & _ & _ & _ & I)".
    iDestruct "Hs" as "(Hcell & Hs & Hswept & #Hlbs & #Hk & %HL)".
    iPoseProof "Hk" as "(_ & Hlen & %Hn)". rewrite length_insert in Hn.
    pose proof (power_of_two_pos _ Hn) as Hpos.
    set (cells' := <[length L mod length cells := v]> cells).
    assert (length cells' = length cells) as Hlc by by rewrite length_insert.
    iApply wp_fupd. iApply (wp_wand with "[Ho AU Hcell Hs]").
    { iApply (chase_lev_push_spec _ _ _ _ _ v _ _
        (γ.(dynamic_cell) ↦{#1/2} #a ∗ slots a (DfracOwn (1/2)) cells')%I
        (λ vs, dynamic_owner γ (vs ++ [v]) -∗ Φ #())%I
        with "I Ho Hlb [Hcell Hs] [] [AU]").
      - iCombine "Hcell Hs" as "H". iExact "H".
      - iIntros (f' o [Hf' Ho]) "[Hcell Hs]".
        iIntros "(%a2 & %cells2 & %arrays & Hcell2 & Hs2 & #Hk2 & %Hholds2 & Hm & %Hma & Hfr & Hw)".
        iDestruct (pointsto_agree with "Hcell Hcell2") as %[= <-].
        iPoseProof "Hk2" as "(_ & Hlen2 & _)".
        iDestruct (array_len_agree with "Hlen Hlen2") as %Heq.
        iDestruct (slots_agree with "Hs Hs2") as %<-; first done.
        iModIntro. iFrame "Hcell Hs". iExists a, cells', arrays.
        iFrame "Hcell2 Hs2 Hk2 Hm Hfr". iSplit.
        { iPureIntro. intros i w Hi Hw. destruct (decide (i < length L)).
          + apply Hholds2; first done. by rewrite lookup_app_l in Hw.
          + assert (i = length L) as ->.
            { apply lookup_lt_Some in Hw. rewrite length_app /= in Hw. lia. }
            rewrite lookup_app_r // Nat.sub_diag in Hw. injection Hw as <-.
            by apply slot_insert_eq. }
        iSplit; first done. destruct o as [[a3|]|]; [|done..]. simpl.
        iDestruct "Hw" as "[$|(%cells3 & #Hlen3 & #Hs3 & %Hw)]". iRight.
        iExists cells3. iFrame "Hlen3 Hs3". iPureIntro. rewrite Hw.
        destruct Ho as [|Ho]; first done. by rewrite lookup_total_app_l.
      - iIntros (vs Hvs) "Hm".
        iMod "AU" as (vs') "[Hm' [_ Hcl]]". iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-.
        iMod (chase_lev_model_update _ (vs ++ [v]) with "Hm Hm'") as "[$ Hm']".
        iMod ("Hcl" with "[$Hm']") as "$"; last done.
        iPureIntro. by trans (drop f L). }
    iIntros (r) "(%f' & [-> %Hf'] & #Hlbf' & Ho & [Hcell Hs] & HΦ)". iModIntro.
    iApply "HΦ". iExists (L ++ [v]), f', a, cells', swept.
    iFrame "Ho Hlbf' Hcell Hs Hswept Hlbs Hk".
    iPureIntro. rewrite length_app /= drop_app_le; last lia.
    split; last lia. split_and!; [done|lia|].
    intros i w Hi Hw. destruct (decide (i < length L)).
    - rewrite lookup_app_l // in Hw. rewrite slot_insert_ne; first (apply Hholds; [lia|done]). lia.
    - assert (i = length L) as ->.
      { apply lookup_lt_Some in Hw. rewrite length_app /= in Hw. lia. }
      rewrite lookup_app_r // Nat.sub_diag in Hw. injection Hw as <-.
      by apply slot_insert_eq.
  Qed.

  (** Claim: [push], at one instant, adds the item at the back; [push] always
      succeeds, because the array grows. *)
  Lemma dynamic_push_spec γ t ws v :
    dynamic_inv γ t -∗ dynamic_owner γ ws -∗
    <<{ ∀∀ vs, dynamic_model γ vs }>>
      deque_dynamic_push t v @ ↑N
    <<{ dynamic_model γ (vs ++ [v]) ∗ ⌜vs `suffix_of` ws⌝ |
        RET #(); dynamic_owner γ (vs ++ [v]) }>>.
  Proof.
    iIntros "#Hinv".
    iPoseProof "Hinv" as "([-> %] & Hfront & Hback & Hcellf & Hdummy & Hleast & Hproph & I)".
    iIntros "(%L & %f0 & %a & %cells & %swept & (%Hws & %Hf0 & %Hholds) & Ho & #Hlb & Hs)" (Φ) "AU".
    wp_rec. wp_pures. wp_load. wp_apply (chase_lev_owner_back_spec with "I Ho").
    iIntros "Ho". wp_pures. wp_load.
    iDestruct "Hs" as "(Hcell & Hs & Hswept & #Hlbs & #Hk & %HL)".
    iDestruct (swept_max with "Hlb Hlbs") as "Hlbm".
    wp_bind (! _)%E. iApply (wp_wand with "[Ho]").
    { iApply (chase_lev_owner_front_spec _ _ _ _ _ _ (λ _, True)%I with "I Ho Hlbm"). by eauto. }
    iIntros (r) "(%f & [-> %Hf] & #Hlbf & Ho & _)". wp_pures. wp_load. wp_load. wp_pures.
    wp_apply (sweep_to_spec with "Hinv Hlbf [$Ho $Hcell $Hs $Hswept $Hlbs $Hk]"); first done.
    iIntros (cells') "(Ho & Hs & %Hlc & %Hsame)". wp_pures.
    rewrite (Nat.max_l f swept); last lia.
    assert (holds f L cells') as Hholds'.
    { intros i w ? Hi. pose proof (lookup_lt_Some _ _ _ Hi).
      rewrite Hsame; last lia. apply Hholds; [lia|done]. }
    assert (drop f L `suffix_of` ws) as Hws'.
    { trans (drop f0 L); last done. apply drop_suffix_of_drop. lia. }
    wp_apply (array_length_spec with "[]"); first by iDestruct "Hk" as "(_ & $ & _)".
    iIntros "_". wp_pures. rewrite -Hlc. case_bool_decide as Hroom; wp_pures.
    - (* the array has room *)
      wp_apply (set_spec with "I [$Ho $Hs]"); first lia. iIntros "[Ho Hs]". wp_pures. wp_load.
      iApply (publish_spec with "Hinv Hlbf Ho Hs AU"); done || lia.
    - (* the array grows *)
      iPoseProof "Hk" as "(_ & _ & %Hn)".
      replace (2 * length cells')%Z with (Z.of_nat (2 * length cells')) by lia.
      wp_apply (resize_spec with "Hinv Hlbf [$Ho $Hs]").
      { done. } { done. } { lia. } { by apply power_of_two_double. }
      iIntros (a2 cells2) "(Ho & Hs & [%Hl2 %Hholds2])". wp_pures. wp_load.
      wp_apply (owner_cell_spec with "Hs"). iIntros "Hs". wp_pures.
      pose proof (power_of_two_pos _ Hn).
      wp_apply (set_spec with "I [$Ho $Hs]"); first lia. iIntros "[Ho Hs]". wp_pures. wp_load.
      iApply (publish_spec with "Hinv Hlbf Ho Hs AU"); done || lia.
  Qed.

  (** Claim: [pop], at one instant, takes the last item; [pop] returns no item only
      if the deque is empty at that instant. *)
  Lemma dynamic_pop_spec γ t ws :
    dynamic_inv γ t -∗ dynamic_owner γ ws -∗
    <<{ ∀∀ vs, dynamic_model γ vs }>>
      deque_dynamic_pop t @ ↑N
    <<{ dynamic_model γ (removelast vs) ∗ ⌜vs `suffix_of` ws⌝ |
        RET option_to_val (last vs); dynamic_owner γ (removelast vs) }>>.
  Proof.
    iIntros "#Hinv".
    iPoseProof "Hinv" as "([-> %] & Hfront & Hback & Hcellf & Hdummy & Hleast & Hproph & I)".
    iIntros "(%L & %f0 & %a & %cells & %swept & (%Hws & %Hf0 & %Hholds) & Ho & #Hlb & Hs)" (Φ) "AU".
    wp_rec. wp_pures. wp_load. wp_apply (chase_lev_owner_back_spec with "I Ho").
    iIntros "Ho". wp_pures. wp_load. wp_bind (_ <- _)%E.
    iApply (wp_wand with "[Ho AU]").
    { iApply (chase_lev_claim_spec _ _ _ _ _ _
        (λ vs, dynamic_owner γ (removelast vs) -∗ Φ (option_to_val (last vs)))%I
        with "I Ho Hlb").
      iIntros (vs Hvs) "Hm".
      iMod "AU" as (vs') "[Hm' [_ Hcl]]". iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-.
      iMod (chase_lev_model_update _ (removelast vs) with "Hm Hm'") as "[$ Hm']".
      iMod ("Hcl" with "[$Hm']") as "$"; last done. iPureIntro. by trans (drop f0 L). }
    iIntros (r) "(-> & [[Ho HΦ]|(%f & %L' & %v & [%HL %Hf] & #Hlbf & Ho & HΦ)])".
    all: wp_pures; wp_load.
    - (* the owner has found no item *)
      wp_apply (chase_lev_owner_front_unstable_spec with "I Ho").
      iIntros (f) "(%Hf & #Hlbf & Ho)". wp_pures. wp_load.
      wp_apply (owner_cell_spec with "Hs"). iIntros "Hs". wp_pures.
      wp_apply (sweep_to_spec with "Hinv Hlbf [$Ho $Hs]").
      iIntros (cells1) "(Ho & Hs & _)". wp_pures.
      assert (∀ cells, holds (length L) L cells) as Hnone.
      { intros cells' i w ? ?%lookup_lt_Some. lia. }
      iAssert (∀ a cells swept, chase_lev_front_lb γ.(cl) (length L) -∗
        chase_lev_owner γ.(cl) L Stable -∗ share γ L a cells swept -∗
        Φ (InjLV #()))%I with "[HΦ]" as "HΦ".
      { iIntros (a' cells' swept') "#Hlb' Ho Hs". iApply "HΦ".
        iExists L, (length L), a', cells', swept'. iFrame "Ho Hlb' Hs".
        iPureIntro. rewrite drop_ge //. }
      destruct Hf as [->|Hf].
      + rewrite bool_decide_eq_true_2; last lia. wp_pures. wp_load.
        wp_apply (chase_lev_stabilize_spec with "I Hlbf Ho"). iIntros "Ho". wp_pures.
        wp_apply (shrink_spec with "Hinv Hlbf [$Ho $Hs]"); [lia|done|done|].
        iIntros (a' cells') "(Ho & Hs & _)". wp_pures. iModIntro.
        iApply ("HΦ" with "Hlbf Ho Hs").
      + rewrite bool_decide_eq_false_2; last lia. wp_pures.
        replace (length L - 1)%Z with (Z.of_nat f) by lia.
        iDestruct "Hs" as "(Hcell & Hs & Hswept & #Hlbs & #(Hka & Hlen & %Hn) & %HL)".
        wp_apply (slots_get_spec with "[$Hs $Hlen]"); first done.
        iIntros "Hs". wp_pures. rewrite bool_decide_eq_false_2; last lia. wp_pures.
        wp_apply wp_new_proph; first done. iIntros (raw id) "Hid". wp_pures.
        wp_load. wp_pures. wp_load. wp_pures. wp_bind (Resolve _ _ _).
        iApply (wp_wand with "[Ho Hid]").
        { by iApply (chase_lev_claim_cas_spec with "I Ho Hid"). }
        iIntros (r) "(%u & -> & Ho & #Hlb')". wp_pures. wp_load.
        replace (f + 1)%Z with (Z.of_nat (length L)) by lia.
        wp_apply (chase_lev_stabilize_spec with "I Hlb' Ho"). iIntros "Ho". wp_pures.
        replace (f + 1)%Z with (Z.of_nat (length L)) by lia.
        wp_apply (sweep_to_spec with "Hinv Hlb' [$Ho $Hcell $Hs $Hswept $Hlbs $Hka $Hlen]"); first done.
        iIntros (cells') "(Ho & Hs & _)". wp_pures.
        replace (f + 1)%Z with (Z.of_nat (length L)) by lia.
        wp_apply (shrink_spec with "Hinv Hlb' [$Ho $Hs]"); [lia|done|done|].
        iIntros (a' cells2) "(Ho & Hs & _)". wp_pures. iModIntro.
        iApply ("HΦ" with "Hlb' Ho Hs").
    - (* the owner takes the last item *)
      assert (drop f L = drop f L' ++ [v]) as Hdrop.
      { rewrite HL drop_app_le //. lia. }
      rewrite Hdrop removelast_last last_snoc /=.
      assert (length L = S (length L')) as HlL by (rewrite HL length_app /=; lia).
      replace (length L - 1)%Z with (Z.of_nat (length L')) by lia.
      assert (holds f L cells) as Hholds1.
      { intros i w ?. apply Hholds. lia. }
      iDestruct "Hs" as "(Hcell & Hs & Hswept & #Hlbs & #Hk & %HLs)".
      iDestruct (swept_max with "Hlbf Hlbs") as "Hlbm".
      wp_bind (! _)%E. iApply (wp_wand with "[Ho]").
      { iApply (chase_lev_owner_front_spec _ _ _ _ _ _ (λ _, True)%I with "I Ho Hlbm"). by eauto. }
      iIntros (r) "(%f' & [-> %Hf'] & #Hlbf' & Ho & _)". wp_pures. wp_load. wp_load. wp_pures.
      wp_apply (sweep_to_spec γ _ L' with "Hinv Hlbf' [$Ho $Hcell $Hs $Hswept $Hlbs $Hk]");
        first (iPureIntro; lia).
      iIntros (cells') "(Ho & Hs & %Hlc & %Hsame)". wp_pures. rewrite (Nat.max_l f' swept); last lia.
      rewrite bool_decide_eq_false_2; last lia. wp_pures.
      iDestruct "Hs" as "(Hcell & Hs & Hswept & #Hlbs' & #Hk' & %HLs')".
      iPoseProof "Hk'" as "(_ & Hlen & %Hn)".
      wp_apply (slots_get_spec with "[$Hs $Hlen]"); first done.
      iIntros "Hs". wp_pures.
      replace (slot cells' (length L')) with v; last first.
      { rewrite Hsame; last lia. symmetry. apply Hholds1; first lia.
        by rewrite HL lookup_app_r // Nat.sub_diag. }
      assert (holds f' L' cells') as Hholds'.
      { intros i w ? Hi. pose proof (lookup_lt_Some _ _ _ Hi). rewrite Hsame; last lia.
        apply Hholds1; first lia. rewrite HL. by apply lookup_app_l_Some. }
      case_bool_decide as Hlt; wp_pures.
      + (* the deque has other items *)
        wp_load.
        wp_apply (set_spec with "I [$Ho $Hcell $Hs $Hswept $Hlbs' $Hk']"); [lia|done|].
        iIntros "[Ho Hs]". wp_pures.
        wp_apply (shrink_spec with "Hinv Hlbf' [$Ho $Hs]"); [lia|lia| |].
        { intros i w ? Hi. pose proof (lookup_lt_Some _ _ _ Hi).
          rewrite slot_insert_ne; first by apply Hholds'. lia. }
        iIntros (a' cells2) "(Ho & Hs & %)". wp_pures. iModIntro. iApply "HΦ".
        iExists L', f', a', cells2, f'. iFrame "Ho Hs Hlbf'". iPureIntro.
        split_and!; [|lia|done]. apply drop_suffix_of_drop. lia.
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
        wp_apply (sweep_to_spec γ _ L with "Hinv Hlb' [$Ho $Hcell $Hs $Hswept $Hlbs' $Hk']");
          first (iPureIntro; lia).
        iIntros (cells2) "(Ho & Hs & _)". wp_pures.
        replace (length L' + 1)%Z with (Z.of_nat (length L)) by lia.
        wp_apply (shrink_spec with "Hinv Hlb' [$Ho $Hs]"); [lia|done| |].
        { intros i w ? ?%lookup_lt_Some. lia. }
        iIntros (a' cells3) "(Ho & Hs & %)". wp_pures.
        iModIntro. iApply "HΦ". iExists L, (length L), a', cells3, (length L `max` length L').
        iFrame "Ho Hlb' Hs". iPureIntro. rewrite drop_ge //.
        split_and!; [apply suffix_nil|done..].
  Qed.

  (** Claim: [steal], at one instant, takes the first item, even if the thief reads an
      array that has been replaced; [steal] returns no item only if the deque is empty
      at that instant. *)
  Lemma dynamic_steal_spec γ t :
    dynamic_inv γ t -∗
    <<{ ∀∀ vs, dynamic_model γ vs }>>
      deque_dynamic_steal t @ ↑N
    <<{ dynamic_model γ (tail vs) | RET option_to_val (head vs) }>>.
  Proof.
    iIntros "([-> %] & #Hfront & #Hback & #Hcellf & #Hdummy & #Hleast & #Hproph & #I)" (Φ) "AU".
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
      wp_bind (! _)%E.
      iMod (chase_lev_winner_access with "I Hw") as (L) "(%Hv & HR & Hcl)"; first done.
      iDestruct "HR" as (a cells arrays) "(Hcell & Hs & #(Hk & Hlen & %Hn) & HR)". wp_load.
      iMod ("Hcl" $! (Some a) with "[Hcell Hs HR]") as "Hw".
      { iExists a, cells, arrays. iFrame "Hcell Hs Hk Hlen".
        iDestruct "HR" as "($ & $ & $ & $ & _)". iSplit; first done. by iLeft. }
      iModIntro. wp_pures. clear L Hv arrays.
      wp_bind (deque_slots_get _ _). iApply (slots_get_acc with "Hlen"); first done.
      iMod (chase_lev_winner_access with "I Hw") as (L) "(%Hv & HR & Hcl)"; first done.
      iDestruct "HR" as (a' cells' arrays)
        "(Hcell & Hs & #(Hk' & Hlen' & %Hn') & %Hholds & Hm & %Hma & Hfr & #Hwin)".
      iModIntro. iPoseProof "Hwin" as "[->|(%cells3 & Hlen3 & Hs3 & %Hslot)]".
      + iDestruct (array_len_agree with "Hlen Hlen'") as %Heq.
        iExists _, cells'. iFrame "Hs". iSplit; first done. iIntros "!> Hs".
        rewrite (Hholds f v) //. iMod ("Hcl" $! (Some a') with "[Hcell Hs Hm Hfr]") as "Hw".
        { iExists a', cells', arrays. iFrame "Hcell Hs Hk' Hlen' Hm Hfr".
          do 3 (iSplit; first done). by iLeft. }
        iModIntro. wp_pures. wp_load. wp_load. wp_pures. wp_bind (Resolve _ _ _).
        iApply (wp_wand with "[Hw]"); first iApply (chase_lev_winner_cas_spec with "I Hw").
        iIntros (r) "(%u & -> & HΦ)". wp_pures. done.
      + iDestruct (array_len_agree with "Hlen Hlen3") as %Heq.
        iExists _, cells3. iFrame "Hs3". iSplit; first done. iIntros "!> _".
        rewrite Hslot (list_lookup_total_correct _ _ _ Hv).
        iMod ("Hcl" $! (Some a) with "[Hcell Hs Hm Hfr]") as "Hw".
        { iExists a', cells', arrays. iFrame "Hcell Hs Hk' Hlen' Hm Hfr".
          do 3 (iSplit; first done). iRight. iExists cells3.
          by iFrame "Hlen3 Hs3". }
        iModIntro. wp_pures. wp_load. wp_load. wp_pures. wp_bind (Resolve _ _ _).
        iApply (wp_wand with "[Hw]"); first iApply (chase_lev_winner_cas_spec with "I Hw").
        iIntros (r) "(%u & -> & HΦ)". wp_pures. done.
    - (* the value that a loser reads does not matter *)
      wp_bind (! _)%E.
      iMod (chase_lev_access with "I") as (f1 L o) "(HR & Hcl)"; first done.
      iDestruct "HR" as (a cells arrays) "(Hcell & Hs & #(Hk & Hlen & %Hn) & HR)". wp_load.
      iMod ("Hcl" with "[Hcell Hs HR]") as "_".
      { iExists a, cells, arrays. by iFrame "Hcell Hs HR Hk Hlen". }
      iModIntro. wp_pures. clear f1 L o arrays.
      wp_bind (deque_slots_get _ _). iApply (slots_get_acc with "Hlen"); first done.
      iMod (chase_lev_access with "I") as (f1 L o) "(HR & Hcl)"; first done.
      iDestruct "HR" as (a' cells' arrays)
        "(Hcell & Hs & #(Hk' & Hlen' & %Hn') & %Hholds & Hm & %Hma & #Hfr & #Hwin)".
      iDestruct (ghost_map_lookup with "Hm Hk") as %Ha.
      iAssert (∃ dq cells3, ⌜length cells3 = length cells⌝ ∗ slots a dq cells3 ∗
        (slots a dq cells3 ={⊤ ∖ ↑N, ⊤}=∗ True))%I with "[Hs Hcl Hcell Hm]" as
        (dq cells3 Hl3) "[Hs Hcl]".
      { destruct (decide (a = a')) as [->|Hne].
        - iExists _, cells'. iFrame "Hs". iSplit; first by (iPureIntro; congruence).
          iIntros "Hs". iApply "Hcl". iExists a', cells', arrays.
          by iFrame "Hcell Hs Hk' Hlen' Hm Hfr Hwin".
        - iDestruct (big_sepM_lookup _ _ a (length cells) with "Hfr") as (cells3) "[[% %] Hs3]".
          { by rewrite lookup_delete_ne. }
          iExists _, cells3. iFrame "Hs3". iSplit; first done. iIntros "_".
          iApply "Hcl". iExists a', cells', arrays.
          by iFrame "Hcell Hs Hk' Hlen' Hm Hfr Hwin". }
      iModIntro. iExists dq, cells3. iFrame "Hs". iSplit; first done. iIntros "!> Hs".
      iMod ("Hcl" with "Hs") as "_". iModIntro. wp_pures. wp_load. wp_load. wp_pures.
      wp_bind (Resolve _ _ _).
      iApply (wp_wand with "[Hl]"); first iApply (chase_lev_loser_cas_spec with "I Hl").
      iIntros (r) "(%u & -> & AU)". wp_pures. by iApply "IH".
  Qed.
End dynamic.
