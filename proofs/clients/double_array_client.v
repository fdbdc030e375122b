(** * An array doubled in parallel

    The resource of each index is the index's element.  The loop's body takes the elements
    of its range, doubles them, and gives them back.  So the calls for different ranges
    share no resource, and at the end the whole array is doubled. *)
From iris.heap_lang Require Import proofmode notation adequacy proph_erasure.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import ivar.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool algo.
From dromos.pool Require Import pool_code algo_code.
From dromos.clients Require Import results with_pool double_array_client_code.

Local Open Scope Z_scope.

Section double.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !ivar_sharedG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (zs : list Z).

  (** Element [i] of the array, times [k]. *)
  Local Definition element (l : loc) zs (k i : Z) : iProp Σ :=
    ∃ z, ⌜zs !! Z.to_nat i = Some z⌝ ∗ (l +ₗ (1 + i)) ↦ #(k * z).

  Local Lemma elements l zs k :
    array_cells l (DfracOwn 1) 0 ((λ z : Z, #(k * z)) <$> zs) ⊣⊢
    each_index (element l zs k) 0 (length zs).
  Proof.
    rewrite /array_cells /each_index big_sepL_fmap Z.sub_0_r /seqZ big_sepL_fmap Nat2Z.id.
    induction zs as [|z zs IH] using rev_ind; first done.
    rewrite big_sepL_snoc length_app Nat.add_1_r seq_S big_sepL_snoc IH /=. f_equiv.
    - apply big_sepL_proper=> i j /lookup_seq [-> ?] /=. rewrite /element. f_equiv=> z'.
      by rewrite lookup_app_l; last lia.
    - rewrite /element. iSplit.
      + iIntros "H". iExists z. rewrite !Z.add_0_l Z.add_0_r Nat2Z.id list_lookup_middle //.
        by iFrame.
      + rewrite !Z.add_0_l Z.add_0_r Nat2Z.id list_lookup_middle //.
        iIntros "(%z' & %Heq & H)". by injection Heq as ->.
  Qed.

  (** Claim: The task [double_array] doubles every element of an array, in any pool over any
      hub that meets the hubs' specification. *)
  Lemma double_array_client_double_array_spec ctx sc (l : loc) zs :
    {{{ pool_context γp t ctx sc ∗ is_array l (DfracOwn 1) ((λ z : Z, #z) <$> zs) }}}
      clients_double_array_client_double_array ctx #l
    {{{ RET #();
        pool_context γp t ctx sc ∗ is_array l (DfracOwn 1) ((λ z : Z, #(2 * z)) <$> zs) }}}.
  Proof using Type*.
    iIntros (Φ) "[Hctx [#Hlen Ha]] HΦ". wp_rec. wp_pures. rewrite length_fmap.
    wp_apply (array_length_spec with "Hlen"). iIntros "_". wp_pures.
    assert ((λ z : Z, #z) <$> zs = (λ z : Z, #(1 * z)) <$> zs) as ->.
    { apply list_fmap_ext=> i z _. by rewrite Z.mul_1_l. }
    iDestruct (elements l zs 1 with "Ha") as "Ha".
    wp_apply (algo_for__spec γp t _ _ _ (element l zs 1) (element l zs 2) _ _ None
      with "[$Hctx $Ha]"); last first.
    { iIntros "[Hctx Ha]". iApply "HΦ". iFrame "Hctx". rewrite /is_array length_fmap.
      iFrame "Hlen". by iApply elements. }
    iIntros "!>" (ctx' sc' lo hi (Hlo & Hle & Hhi & _)) "$ Ha". wp_pures.
    apply Z.lt_le_incl in Hle.
    iLöb as "IH" forall (lo Hle Hlo). wp_pures. case_bool_decide; wp_pures; last first.
    { iModIntro. iSplit; first done. rewrite !each_index_nil; [|lia..]. done. }
    rewrite (each_index_cons (element l zs 1)); last lia.
    iDestruct "Ha" as "[(%z & %Hz & Hi) Ha]". pose proof (lookup_lt_Some _ _ _ Hz).
    wp_apply (array_get_cell_spec with "[$Hlen $Hi]"); first lia. iIntros "Hi". wp_pures.
    wp_apply (array_set_cell_spec with "[$Hlen $Hi]"); first lia. iIntros "Hi". wp_pures.
    iApply (wp_wand with "[Ha]").
    { iApply ("IH" $! (lo + 1) with "[%] [%] Ha"); lia. }
    iIntros (r) "[$ Ha]". rewrite (each_index_cons (element l zs 2) lo); last lia.
    iFrame "Ha". iExists z. rewrite Z.mul_1_l. by iFrame.
  Qed.

  Local Definition total zs : Z := foldr Z.add 0 zs.

  Local Lemma sum_spec (l : loc) zs (i : nat) :
    (i ≤ length zs)%nat →
    {{{ is_array l (DfracOwn 1) ((λ z : Z, #z) <$> zs) }}}
      clients_double_array_client_sum #l #i
    {{{ RET #(total (drop i zs)); True }}}.
  Proof.
    iIntros (Hi Φ) "Ha HΦ". iLöb as "IH" forall (i Hi Φ).
    iDestruct (is_array_len with "Ha") as "#Hlen". rewrite length_fmap.
    wp_rec. wp_pures. wp_apply (array_length_spec with "Hlen"). iIntros "_". wp_pures.
    case_bool_decide as Heq; wp_pures.
    { injection Heq as Heq. rewrite drop_ge; last lia. by iApply "HΦ". }
    assert (i < length zs)%nat as Hlt by (destruct (decide (i = length zs)); [by subst|lia]).
    destruct (lookup_lt_is_Some_2 zs i) as [z Hz]; first done.
    wp_apply (array_get_spec _ _ _ _ #z with "Ha"); first lia.
    { by rewrite Nat2Z.id list_lookup_fmap Hz. }
    iIntros "Ha". wp_pures. replace (i + 1) with (Z.of_nat (S i)) by lia.
    wp_bind (clients_double_array_client_sum _ _).
    iApply ("IH" $! (S i) with "[%] Ha"); first lia. iIntros "!> _". wp_pures.
    rewrite (drop_S zs z i Hz). by iApply "HΦ".
  Qed.
End double.

Local Lemma total_doubled (n : nat) :
  total ((λ z, 2 * z) <$> (Z.of_nat <$> seq 0 n)) = n * (n - 1).
Proof.
  induction n as [|n IH]; first done. rewrite seq_S !fmap_app /total foldr_app /=.
  assert (∀ zs a, foldr Z.add a zs = foldr Z.add 0 zs + a) as Hfold.
  { induction zs as [|z zs IHzs]=> a /=; [lia|]. rewrite IHzs. lia. }
  rewrite Hfold. rewrite /total in IH. rewrite IH. lia.
Qed.

(** Claim: A pool of any number of workers doubles the elements 0, ..., n - 1 of an
    array in parallel. In every execution: no domain gets stuck, and the result, if
    there is a result, is the sum of the doubled elements. *)
Theorem double_array_client_adequate (workers n : nat) σ :
  (0 < workers)%nat →
  adequate NotStuck (clients_double_array_client_run #workers #n) σ
    (λ v _, v = #(n * (n - 1))).
Proof.
  intros Hw. apply (heap_adequacy #[heapΣ; with_poolΣ]). iIntros (?) "_".
  wp_rec. wp_pures.
  wp_apply (array_init_spec (λ i vs, ⌜vs = (λ z : Z, #z) <$> (Z.of_nat <$> seq 0 i)⌝)%I); first lia.
  { iSplit; first done. iIntros "!>" (i vs _ _) "->". wp_pures. iPureIntro.
    by rewrite seq_S !fmap_app. }
  iIntros (l vs) "(_ & Ha & _ & ->)". rewrite Nat2Z.id. wp_pures.
  set (zs := Z.of_nat <$> seq 0 n).
  wp_apply (with_pool_run_spec _ _
    (λ _, is_array l (DfracOwn 1) ((λ z : Z, #(2 * z)) <$> zs)) with "[Ha]"); [done|..].
  { iIntros (γ t ctx sc) "Hctx". wp_pures.
    wp_apply (double_array_client_double_array_spec with "[$Hctx $Ha]"). by iIntros "[$ $]". }
  iIntros (v) "Ha". wp_pures.
  assert ((λ z : Z, #(2 * z)) <$> zs = (λ z : Z, #z) <$> ((λ z, 2 * z) <$> zs)) as ->.
  { by rewrite -list_fmap_compose. }
  wp_apply (sum_spec _ _ 0 with "Ha"); first lia. iIntros "_". iPureIntro.
  by rewrite drop_0 total_doubled.
Qed.

(** Claim: The program without prophecy variables, the program that runs, has the same
    property. *)
Theorem double_array_client_erased (workers n : nat) σ :
  (0 < workers)%nat →
  adequate NotStuck (erase_expr (clients_double_array_client_run #workers #n))
    (erase_state σ) (λ v _, v = #(n * (n - 1))).
Proof. intros Hw. by apply erased_adequate, double_array_client_adequate. Qed.
