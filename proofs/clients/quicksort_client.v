(** * Parallel quicksort, in place

    The task that sorts a range of the array owns the range: [cells l lo vs].  After the
    partition, the lower part goes into a future, and the future gives the part back
    sorted.  So two tasks sort the two halves at once, and no accesses race.  The proof
    that the result is a sorted permutation is as in the sequential case: the elements
    below the pivot stay below the pivot when they are permuted, and the other elements
    stay at or above the pivot. *)
From stdpp Require Import sorting.
From iris.heap_lang Require Import proofmode notation adequacy proph_erasure.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import ivar.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool future.
From dromos.pool Require Import pool_code future_code.
From dromos.clients Require Import results with_pool quicksort_client_code.

Local Open Scope Z_scope.

Lemma sorted_around (p : Z) (xs ys : list Z) :
  StronglySorted Z.le xs → StronglySorted Z.le ys →
  Forall (λ x, x < p) xs → Forall (λ y, p ≤ y) ys →
  StronglySorted Z.le (xs ++ p :: ys).
Proof.
  intros Hxs Hys Hlt Hge. induction Hxs as [|x xs Hxs IH Hall]; simpl.
  - by constructor.
  - apply Forall_cons in Hlt as [Hx Hlt]. constructor; first by apply IH.
    apply Forall_app. split; first done. apply Forall_cons. split; first lia.
    eapply Forall_impl; first exact Hge. simpl. lia.
Qed.

Section sort.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !ivar_sharedG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (l : loc) (zs xs ys : list Z) (lo hi i j p : Z).

  Definition ints zs : list val := (λ z : Z, #z) <$> zs.
  Definition cells l lo zs : iProp Σ := array_cells l (DfracOwn 1) lo (ints zs).

  Lemma cells_app l lo xs ys :
    cells l lo (xs ++ ys) ⊣⊢ cells l lo xs ∗ cells l (lo + length xs) ys.
  Proof. by rewrite /cells /ints fmap_app array_cells_app length_fmap. Qed.
  Lemma cells_cons l lo x ys :
    cells l lo (x :: ys) ⊣⊢ (l +ₗ (1 + lo)) ↦ #x ∗ cells l (lo + 1) ys.
  Proof. by rewrite /cells /ints fmap_cons array_cells_cons. Qed.
  Lemma cells_nil l lo : ⊢ cells l lo [].
  Proof. apply array_cells_nil. Qed.

  Lemma swap_spec l (n : nat) i j x y :
    0 ≤ i < n → 0 ≤ j < n →
    {{{ array_len l n ∗ (l +ₗ (1 + i)) ↦ #x ∗ (l +ₗ (1 + j)) ↦ #y }}}
      clients_quicksort_client_swap #l #i #j
    {{{ RET #(); (l +ₗ (1 + i)) ↦ #y ∗ (l +ₗ (1 + j)) ↦ #x }}}.
  Proof.
    iIntros (Hi Hj Φ) "(#Hlen & Hx & Hy) HΦ". wp_rec. wp_pures.
    wp_apply (array_get_cell_spec with "[$Hlen $Hx]"); first done. iIntros "Hx". wp_pures.
    wp_apply (array_get_cell_spec with "[$Hlen $Hy]"); first done. iIntros "Hy". wp_pures.
    wp_apply (array_set_cell_spec with "[$Hlen $Hx]"); first done. iIntros "Hx". wp_pures.
    wp_apply (array_set_cell_spec with "[$Hlen $Hy]"); first done. iIntros "Hy".
    iApply "HΦ". iFrame.
  Qed.
  Lemma swap_same_spec l (n : nat) i x :
    0 ≤ i < n →
    {{{ array_len l n ∗ (l +ₗ (1 + i)) ↦ #x }}}
      clients_quicksort_client_swap #l #i #i
    {{{ RET #(); (l +ₗ (1 + i)) ↦ #x }}}.
  Proof.
    iIntros (Hi Φ) "(#Hlen & Hx) HΦ". wp_rec. wp_pures.
    wp_apply (array_get_cell_spec with "[$Hlen $Hx]"); first done. iIntros "Hx". wp_pures.
    wp_apply (array_get_cell_spec with "[$Hlen $Hx]"); first done. iIntros "Hx". wp_pures.
    wp_apply (array_set_cell_spec with "[$Hlen $Hx]"); first done. iIntros "Hx". wp_pures.
    wp_apply (array_set_cell_spec with "[$Hlen $Hx]"); first done. iIntros "Hx".
    by iApply "HΦ".
  Qed.

  (** The array from [lo]: [xs] are below the pivot, [ys] are not, [zs] are still to be
      compared. *)
  Lemma partition_spec l (n : nat) p lo xs ys zs :
    0 ≤ lo → lo + length xs + length ys + length zs ≤ n →
    Forall (λ x, x < p) xs → Forall (λ y, p ≤ y) ys →
    {{{ array_len l n ∗ cells l lo (xs ++ ys ++ zs) }}}
      clients_quicksort_client_partition #l #p #(lo + length xs)
        #(lo + length xs + length ys) #(lo + length xs + length ys + length zs)
    {{{ xs' ys', RET #(lo + length xs');
        cells l lo (xs' ++ ys') ∗ ⌜Forall (λ x, x < p) xs' ∧ Forall (λ y, p ≤ y) ys' ∧
          xs' ++ ys' ≡ₚ xs ++ ys ++ zs⌝ }}}.
  Proof.
    iIntros (Hlo Hhi Hxs Hys Φ) "[#Hlen H] HΦ".
    iInduction zs as [|z zs] "IH" forall (xs ys Hhi Hxs Hys); wp_rec; wp_pures.
    { rewrite bool_decide_eq_true_2; last by rewrite /= Z.add_0_r. wp_pures. iModIntro.
      iApply ("HΦ" $! xs ys). rewrite !app_nil_r. by iFrame. }
    simpl in Hhi. rewrite bool_decide_eq_false_2; last (intros [= ?]; simpl in *; lia).
    wp_pures. rewrite !cells_app cells_cons. iDestruct "H" as "(Hxs & Hys & Hz & Hzs)".
    wp_apply (array_get_cell_spec with "[$Hlen $Hz]"); first lia. iIntros "Hz". wp_pures.
    case_bool_decide; wp_pures.
    - (* [z] is below the pivot: [z] changes places with the first element that is not *)
      iAssert (∀ Φ : val → iProp Σ,
        cells l (lo + length xs) ys -∗
        (l +ₗ (1 + (lo + length xs + length ys))) ↦ #z -∗
        (∀ ys', ⌜ys' ≡ₚ ys⌝ -∗ cells l (lo + length xs) (z :: ys') -∗ Φ #()) -∗
        WP clients_quicksort_client_swap #l #(lo + length xs) #(lo + length xs + length ys)
          {{ Φ }})%I as "Hswap".
      { iIntros (Ψ) "Hys Hz HΨ". destruct ys as [|y ys]; simpl.
        - rewrite Z.add_0_r. wp_apply (swap_same_spec with "[$Hlen $Hz]"); first lia.
          iIntros "Hz". iApply ("HΨ" $! [] with "[//]"). rewrite cells_cons. iFrame.
          iApply cells_nil.
        - rewrite cells_cons. iDestruct "Hys" as "[Hy Hys]". simpl in Hhi.
          wp_apply (swap_spec with "[$Hlen $Hy $Hz]"); [lia..|]. iIntros "[Hz Hy]".
          iApply ("HΨ" $! (ys ++ [y])).
          { iPureIntro. by rewrite (comm (++)). }
          rewrite cells_cons cells_app cells_cons. iFrame "Hz Hys".
          replace (lo + length xs + 1 + length ys) with (lo + length xs + S (length ys)) by lia.
          iFrame. iApply cells_nil. }
      wp_apply ("Hswap" with "Hys Hz"). iIntros (ys' Hys') "Hys". wp_pures.
      pose proof (Permutation_length Hys') as Hlen.
      replace (lo + length xs + 1) with (lo + length (xs ++ [z])) by (rewrite length_app /=; lia).
      replace (lo + length xs + length ys + 1) with (lo + length (xs ++ [z]) + length ys')
        by (rewrite length_app /=; lia).
      replace (lo + length xs + length ys + S (length zs))
        with (lo + length (xs ++ [z]) + length ys' + length zs)
        by (rewrite length_app /=; lia).
      iApply ("IH" $! (xs ++ [z]) ys' with "[%] [%] [%] [Hxs Hys Hzs]").
      + rewrite length_app /=. lia.
      + apply Forall_app. split; [done|by constructor].
      + by rewrite Hys'.
      + rewrite cells_cons -(assoc (++)) /= (cells_app _ _ xs) cells_cons cells_app.
        iDestruct "Hys" as "[$ $]". iFrame "Hxs".
        rewrite length_app /=.
        by replace (lo + length xs + 1 + length ys') with (lo + (length xs + 1)%nat + length ys')
          by lia.
      + iIntros "!>" (xs' ys'') "[H %Hall]". iApply "HΦ". iFrame "H". iPureIntro.
        destruct Hall as (? & ? & ->). split; first done. split; first done.
        rewrite Hys' -(assoc (++)) /=. f_equiv. apply Permutation_middle.
    - (* [z] is not below the pivot: [z] stays *)
      replace (lo + length xs + length ys + 1) with (lo + length xs + length (ys ++ [z]))
        by (rewrite length_app /=; lia).
      replace (lo + length xs + length ys + S (length zs))
        with (lo + length xs + length (ys ++ [z]) + length zs)
        by (rewrite length_app /=; lia).
      iApply ("IH" $! xs (ys ++ [z]) with "[%] [%] [%] [Hxs Hys Hz Hzs]").
      + rewrite length_app /=. lia.
      + done.
      + apply Forall_app. split; [done|constructor; [lia|done]].
      + rewrite -(assoc (++)) /= !cells_app cells_cons. iFrame "Hxs Hys Hz".
        rewrite length_app /=.
        by replace (lo + length xs + length ys + 1) with (lo + length xs + (length ys + 1)%nat)
          by lia.
      + iIntros "!>" (xs' ys'') "[H %Hall]". iApply "HΦ". iFrame "H". iPureIntro.
        destruct Hall as (? & ? & ->). split; first done. split; first done.
        by rewrite -(assoc (++)).
  Qed.

  (** Claim: The task [sort] sorts a range of an array in place, in any pool over any hub
      that meets the hubs' specification: at the end the range is sorted and has the
      same elements. *)
  Lemma quicksort_client_sort_spec ctx sc l (n : nat) lo zs :
    0 ≤ lo → lo + length zs ≤ n →
    {{{ pool_context γp t ctx sc ∗ array_len l n ∗ cells l lo zs }}}
      clients_quicksort_client_sort ctx #l #lo #(lo + length zs)
    {{{ zs', RET #();
        pool_context γp t ctx sc ∗ cells l lo zs' ∗ ⌜zs' ≡ₚ zs ∧ StronglySorted Z.le zs'⌝ }}}.
  Proof using Type*.
    iIntros (Hlo Hn Φ) "(Hctx & #Hlen & H) HΦ".
    iLöb as "IH" forall (ctx sc lo zs Hlo Hn Φ). wp_rec. wp_pures.
    case_bool_decide as Hsize; wp_pures; last first.
    { iModIntro. iApply "HΦ". iFrame. iPureIntro. split; first done.
      destruct zs as [|z [|z' zs]]; simpl in Hsize; [repeat constructor..|lia]. }
    assert (zs ≠ []) as Hne by (intros ->; simpl in Hsize; lia).
    destruct (exists_last Hne) as (zs' & p & ->). clear Hne.
    rewrite length_app /= in Hn Hsize |- *.
    replace (lo + (length zs' + 1)%nat - 1) with (lo + length zs') by lia.
    rewrite cells_app cells_cons. iDestruct "H" as "(Hzs & Hp & _)".
    wp_apply (array_get_cell_spec with "[$Hlen $Hp]"); first lia. iIntros "Hp". wp_pures.
    wp_bind (clients_quicksort_client_partition _ _ _ _ _).
    iPoseProof (partition_spec l n p lo [] [] zs') as "Hpart"; [done|simpl; lia|done..|].
    rewrite /= !Z.add_0_r. iApply ("Hpart" with "[$Hlen $Hzs]"). iClear "Hpart".
    iIntros "!>" (xs ys) "[H (%Hxs & %Hys & %Hperm)]". wp_pures.
    pose proof (Permutation_length Hperm) as Hlength. rewrite length_app in Hlength.
    rewrite cells_app. iDestruct "H" as "[Hxs Hys]".
    (* The pivot changes places with the first element that is not below the pivot. *)
    iAssert (∀ Φ : val → iProp Σ,
      cells l (lo + length xs) ys -∗ (l +ₗ (1 + (lo + length zs'))) ↦ #p -∗
      (∀ ys', ⌜ys' ≡ₚ ys⌝ -∗ (l +ₗ (1 + (lo + length xs))) ↦ #p -∗
        cells l (lo + length xs + 1) ys' -∗ Φ #()) -∗
      WP clients_quicksort_client_swap #l #(lo + length xs) #(lo + length zs') {{ Φ }})%I
      as "Hswap".
    { iIntros (Ψ) "Hys Hp HΨ". destruct ys as [|y ys]; simpl in Hlength.
      - replace (lo + length zs') with (lo + length xs) by lia.
        wp_apply (swap_same_spec with "[$Hlen $Hp]"); first lia.
        iIntros "Hp". iApply ("HΨ" $! [] with "[//] Hp"). iApply cells_nil.
      - rewrite cells_cons. iDestruct "Hys" as "[Hy Hys]".
        wp_apply (swap_spec with "[$Hlen $Hy $Hp]"); [lia..|]. iIntros "[Hp Hy]".
        iApply ("HΨ" $! (ys ++ [y]) with "[%] Hp"); first by rewrite (comm (++)).
        rewrite cells_app cells_cons. iFrame "Hys".
        replace (lo + length xs + 1 + length ys) with (lo + length zs') by lia.
        iFrame. iApply cells_nil. }
    wp_apply ("Hswap" with "Hys Hp"). iIntros (ys' Hys') "Hp Hys". wp_pures.
    pose proof (Permutation_length Hys') as Hlength'.
    wp_apply (future_async_spec γp t _ _ _ (λ v, ⌜v = #()⌝ ∗
        ∃ xs', cells l lo xs' ∗ ⌜xs' ≡ₚ xs ∧ StronglySorted Z.le xs'⌝)%I (λ _, True)%I
      with "[$Hctx Hxs]").
    { iIntros (ctx' sc') "Hctx". wp_pures.
      iApply ("IH" $! ctx' sc' lo xs with "[%] [%] Hctx Hxs"); [lia..|].
      iIntros "!>" (xs') "($ & Hxs & %Hxs')". iSplitL; last done. iNext. iSplit; first done.
      iExists xs'. by iFrame. }
    iIntros (γ f) "(Hctx & #Hf & Hcons)". wp_pures.
    replace (lo + (length zs' + 1)%nat) with (lo + length xs + 1 + length ys') by lia.
    wp_bind (clients_quicksort_client_sort _ _ _ _).
    iApply ("IH" $! ctx sc (lo + length xs + 1) ys' with "[%] [%] Hctx Hys"); [lia..|].
    iIntros "!>" (ys'') "(Hctx & Hys & %Hys'' & %Hsorted)". wp_pures.
    iApply wp_fupd. wp_apply (future_wait_spec with "[$Hctx $Hf]").
    iIntros (v) "([Hlc1 Hlc2] & Hctx & #Hv)".
    iMod (future_inv_result_consumer with "Hf Hv Hcons") as "H"; first done.
    iMod (lc_fupd_elim_later with "Hlc1 H") as "H".
    iMod (lc_fupd_elim_later with "Hlc2 H") as "[-> (%xs' & Hxs & %Hxs' & %Hsorted')]".
    iModIntro. iApply ("HΦ" $! (xs' ++ p :: ys'')). iFrame "Hctx". iSplit.
    - rewrite cells_app cells_cons. rewrite (Permutation_length Hxs'). iFrame.
    - iPureIntro. split.
      + rewrite Hxs' Hys'' Hys' -Permutation_middle Hperm. apply Permutation_cons_append.
      + apply sorted_around; [done..| |].
        * by rewrite Hxs'.
        * by rewrite Hys'' Hys'.
  Qed.

  Local Lemma sorted_lookup zs (i j : nat) x y :
    StronglySorted Z.le zs → (i < j)%nat → zs !! i = Some x → zs !! j = Some y → x ≤ y.
  Proof.
    intros Hs. revert i j. induction Hs as [|z zs Hs IH Hall]=> i j Hij //.
    destruct j as [|j]; first lia. destruct i as [|i]; simpl.
    - intros [= ->] Hy. rewrite Forall_lookup in Hall. by eapply Hall.
    - intros Hx Hy. eapply (IH i j); [lia|done..].
  Qed.
  Local Lemma in_order_spec l zs (i : nat) :
    StronglySorted Z.le zs → (i ≤ length zs)%nat →
    {{{ is_array l (DfracOwn 1) (ints zs) }}}
      clients_quicksort_client_in_order #l #i
    {{{ RET #(length zs); True }}}.
  Proof.
    iIntros (Hs Hi Φ) "Ha HΦ". iLöb as "IH" forall (i Hi Φ).
    iDestruct (is_array_len with "Ha") as "#Hlen". rewrite length_fmap.
    wp_rec. wp_pures. wp_apply (array_length_spec with "Hlen"). iIntros "_". wp_pures.
    case_bool_decide; wp_pures.
    { wp_apply (array_length_spec with "Hlen"). iIntros "_". by iApply "HΦ". }
    destruct (lookup_lt_is_Some_2 zs i) as [x Hx]; first lia.
    destruct (lookup_lt_is_Some_2 zs (S i)) as [y Hy]; first lia.
    wp_apply (array_get_spec _ _ _ _ #x with "Ha"); first lia.
    { by rewrite Nat2Z.id list_lookup_fmap Hx. }
    iIntros "Ha". wp_pures. replace (i + 1) with (Z.of_nat (S i)) by lia.
    wp_apply (array_get_spec _ _ _ _ #y with "Ha"); first lia.
    { by rewrite Nat2Z.id list_lookup_fmap Hy. }
    iIntros "Ha". wp_pures.
    rewrite bool_decide_eq_true_2; last by eapply (sorted_lookup zs i (S i)); [|lia|..].
    wp_pures. replace (i + 1) with (Z.of_nat (S i)) by lia.
    iApply ("IH" $! (S i) with "[%] Ha HΦ"). lia.
  Qed.
End sort.

(** Claim: A pool of any number of workers sorts an array of n elements. In every
    execution: no domain gets stuck, and the result, if there is a result, is n: a check
    of the array afterwards finds all elements in order. *)
Theorem quicksort_client_adequate (workers n : nat) σ :
  (0 < workers)%nat →
  adequate NotStuck (clients_quicksort_client_run #workers #n) σ (λ v _, v = #n).
Proof.
  intros Hw. apply (heap_adequacy #[heapΣ; with_poolΣ]). iIntros (?) "_".
  wp_rec. wp_pures.
  wp_apply (array_init_spec (λ i vs, ∃ zs, ⌜vs = ints zs⌝)%I); first lia.
  { iSplit; first by iExists []. iIntros "!>" (i vs _ _) "(%zs & ->)". wp_pures.
    iPureIntro. eexists (zs ++ [_]). by rewrite /ints fmap_app. }
  iIntros (l vs) "(%Hn & Ha & _ & %zs & ->)". rewrite length_fmap Nat2Z.id in Hn. wp_pures.
  iDestruct "Ha" as "[#Hlen Ha]". rewrite length_fmap Hn.
  wp_apply (with_pool_run_spec _ _
    (λ _, ∃ zs', cells l 0 zs' ∗ ⌜zs' ≡ₚ zs ∧ StronglySorted Z.le zs'⌝)%I with "[Ha]"); [done|..].
  { iIntros (γ t ctx sc) "Hctx". wp_pures. rewrite -Hn -(Z.add_0_l (length zs)).
    wp_apply (quicksort_client_sort_spec _ _ _ _ _ (length zs) with "[$Hctx $Ha]"); [lia..| |].
    { by rewrite Hn. }
    iIntros (zs') "($ & Hzs & %H)". iExists zs'. by iFrame. }
  iIntros (v) "(%zs' & Ha & %Hperm & %Hsorted)". wp_pures.
  pose proof (Permutation_length Hperm) as Hlength.
  wp_apply (in_order_spec _ zs' 0 with "[Ha]"); [done|lia| |].
  { rewrite /is_array length_fmap Hlength Hn. by iFrame. }
  iIntros "_". iPureIntro. by rewrite Hlength Hn.
Qed.

(** Claim: The program without prophecy variables, the program that runs, has the same
    property. *)
Theorem quicksort_client_erased (workers n : nat) σ :
  (0 < workers)%nat →
  adequate NotStuck (erase_expr (clients_quicksort_client_run #workers #n))
    (erase_state σ) (λ v _, v = #n).
Proof. intros Hw. by apply erased_adequate, quicksort_client_adequate. Qed.
