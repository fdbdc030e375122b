(** * Items in several places, and the multiset of all items

    The content of a set of deques is a multiset, [items_model γ M].  The items are
    in places: [items_at γ k vs] says that place [k] holds the list [vs].  The
    multiset is the union over all places: each place's items are in the multiset
    ([items_at_model]), and if every place is empty, the multiset is empty
    ([items_model_empty]).  An operation that adds, takes or moves items updates only
    the places that the operation touches.  A move leaves the multiset unchanged, so
    a move needs no share of the model. *)
From stdpp Require Import gmultiset.
From iris.bi.lib Require Import fractional.
From iris.base_logic.lib Require Import ghost_map ghost_var.
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang.
From iris.prelude Require Import options.

Notation multiset_of vs := (list_to_set_disj vs : gmultiset val).

(** The items that are left after a pop of the newest or a steal of the oldest. *)
Lemma newest_perm (vs : list val) : vs ≡ₚ option_list (last vs) ++ removelast vs.
Proof.
  destruct vs as [|v vs _] using rev_ind; first done.
  by rewrite last_snoc removelast_last -Permutation_cons_append.
Qed.
Lemma oldest_perm (vs : list val) : vs ≡ₚ option_list (head vs) ++ tail vs.
Proof. by destruct vs. Qed.

Class itemsG (K : Type) `{Countable K} Σ := ItemsG {
  #[local] items_mapG :: ghost_mapG Σ K (list val);
  #[local] items_varG :: ghost_varG Σ (gmultiset val);
}.
Definition itemsΣ (K : Type) `{Countable K} : gFunctors :=
  #[ghost_mapΣ K (list val); ghost_varΣ (gmultiset val)].
Global Instance subG_itemsΣ K `{Countable K} Σ : subG (itemsΣ K) Σ → itemsG K Σ.
Proof. solve_inG. Qed.

Record items_names := ItemsNames { items_map_name : gname; items_var_name : gname }.
Global Instance items_names_inhabited : Inhabited items_names :=
  populate (ItemsNames inhabitant inhabitant).

Section items.
  Context `{Countable K} {Σ} `{!itemsG K Σ}.
  Implicit Types (γ : items_names) (k : K) (D : list K) (M : gmultiset val).
  Implicit Types (vs ws : list val) (m : gmap K (list val)).

  Local Definition content m : gmultiset val :=
    multiset_of (concat (map_to_list m).*2).

  Local Lemma content_insert_fresh m k vs :
    m !! k = None → content (<[k := vs]> m) = multiset_of vs ⊎ content m.
  Proof.
    intros Hk. rewrite -list_to_set_disj_app. apply list_to_set_disj_perm.
    by rewrite map_to_list_insert.
  Qed.
  Local Lemma content_lookup m k vs :
    m !! k = Some vs → content m = multiset_of vs ⊎ content (delete k m).
  Proof.
    intros Hk. rewrite -(content_insert_fresh _ k); last apply lookup_delete.
    by rewrite insert_delete.
  Qed.
  Local Lemma content_insert m k vs ws :
    m !! k = Some vs →
    multiset_of vs ⊎ content (<[k := ws]> m) = multiset_of ws ⊎ content m.
  Proof.
    intros Hk. rewrite (content_lookup m k vs) // -insert_delete_insert.
    rewrite content_insert_fresh; last apply lookup_delete. multiset_solver.
  Qed.
  Local Lemma content_empty m : (∀ k vs, m !! k = Some vs → vs = []) → content m = ∅.
  Proof.
    induction m as [|k vs m Hk IH] using map_ind; first done. intros Hall.
    rewrite content_insert_fresh // (Hall k vs); last apply lookup_insert.
    rewrite IH; first multiset_solver.
    intros j ws Hj. apply (Hall j). rewrite lookup_insert_ne; congruence.
  Qed.

  Definition items_model γ M : iProp Σ := ghost_var γ.(items_var_name) (1/2) M.
  Definition items_at γ k vs : iProp Σ := k ↪[γ.(items_map_name)] vs.
  (** One half of a place: the half fixes the list at the place. *)
  Definition items_part γ k vs : iProp Σ := k ↪[γ.(items_map_name)]{#1/2} vs.
  Definition items_inv γ D : iProp Σ :=
    ∃ m, ghost_map_auth γ.(items_map_name) 1 m ∗
         ghost_var γ.(items_var_name) (1/2) (content m) ∗
         ⌜∀ k, is_Some (m !! k) → k ∈ D⌝.

  Global Instance items_model_timeless γ M : Timeless (items_model γ M).
  Proof. apply _. Qed.
  Global Instance items_at_timeless γ k vs : Timeless (items_at γ k vs).
  Proof. apply _. Qed.
  Global Instance items_part_timeless γ k vs : Timeless (items_part γ k vs).
  Proof. apply _. Qed.
  Global Instance items_inv_timeless γ D : Timeless (items_inv γ D).
  Proof. apply _. Qed.

  Lemma items_alloc D :
    NoDup D →
    ⊢ |==> ∃ γ, items_inv γ D ∗ items_model γ ∅ ∗ [∗ list] k ∈ D, items_at γ k [].
  Proof.
    intros HD. set (l := (λ k, (k, [] : list val)) <$> D).
    assert (l.*1 = D) as Hl.
    { rewrite /l -list_fmap_compose. apply list_fmap_id. }
    iMod (ghost_map_alloc (list_to_map l : gmap K (list val))) as (γm) "[Hauth Hat]".
    iMod (ghost_var_alloc (∅ : gmultiset val)) as (γv) "[Hv1 Hv2]".
    iModIntro. iExists (ItemsNames γm γv). iFrame "Hv2". iSplitR "Hat".
    - iExists _. iFrame "Hauth". rewrite content_empty.
      + iFrame. iPureIntro. intros k [vs Hk].
        rewrite -Hl. eapply elem_of_list_fmap. exists (k, vs). split; first done.
        by apply elem_of_list_to_map_2.
      + intros k vs Hk%elem_of_list_to_map_2.
        by apply elem_of_list_fmap in Hk as (? & [= -> ->] & _).
    - rewrite big_sepM_list_to_map; last by rewrite Hl.
      by rewrite /l big_sepL_fmap.
  Qed.

  Lemma items_at_exclusive γ k vs ws : items_at γ k vs -∗ items_at γ k ws -∗ False.
  Proof.
    iIntros "H1 H2". by iDestruct (ghost_map_elem_ne with "H1 H2") as %?.
  Qed.

  Lemma items_at_part_exclusive γ k vs ws : items_at γ k vs -∗ items_part γ k ws -∗ False.
  Proof.
    iIntros "H1 H2". by iDestruct (ghost_map_elem_ne with "H1 H2") as %?.
  Qed.
  Lemma items_at_split γ k vs : items_at γ k vs ⊣⊢ items_part γ k vs ∗ items_part γ k vs.
  Proof. apply: fractional_half. Qed.
  Lemma items_part_agree γ k vs ws : items_part γ k vs -∗ items_part γ k ws -∗ ⌜vs = ws⌝.
  Proof. apply ghost_map_elem_agree. Qed.

  (** Adding and taking: the multiset follows the place. *)
  (** Claim: An item that is added to a place is added to the multiset of all items,
      and an item that is taken from a place is taken from the multiset. *)
  Lemma items_update γ D k vs ws M M' :
    multiset_of vs ⊎ M' = multiset_of ws ⊎ M →
    items_inv γ D -∗ items_at γ k vs -∗ items_model γ M ==∗
    items_inv γ D ∗ items_at γ k ws ∗ items_model γ M'.
  Proof.
    iIntros (HM) "(%m & Hauth & Hv & %HD) Hk HM".
    iDestruct (ghost_map_lookup with "Hauth Hk") as %Hk.
    iDestruct (ghost_var_agree with "Hv HM") as %<-.
    iMod (ghost_map_update ws with "Hauth Hk") as "[Hauth Hk]".
    assert (M' = content (<[k := ws]> m)) as ->.
    { pose proof (content_insert m k vs ws Hk) as Heq. rewrite -HM in Heq.
      by apply (inj (multiset_of vs ⊎.)) in Heq. }
    iMod (ghost_var_update_halves with "Hv HM") as "[Hv HM]".
    iModIntro. iSplitL "Hauth Hv"; last by iFrame "Hk HM".
    iExists _. iFrame "Hauth Hv". iPureIntro. intros j.
    destruct (decide (j = k)) as [->|]; first by eauto.
    rewrite lookup_insert_ne; eauto.
  Qed.

  (** Moving: the model stays unchanged. *)
  (** Claim: Moving items from place to place leaves the multiset unchanged. *)
  Lemma items_move γ D k1 k2 vs1 vs2 ws1 ws2 :
    multiset_of vs1 ⊎ multiset_of vs2 = multiset_of ws1 ⊎ multiset_of ws2 →
    items_inv γ D -∗ items_at γ k1 vs1 -∗ items_at γ k2 vs2 ==∗
    items_inv γ D ∗ items_at γ k1 ws1 ∗ items_at γ k2 ws2.
  Proof.
    iIntros (Heq) "(%m & Hauth & Hv & %HD) H1 H2".
    iDestruct (ghost_map_lookup with "Hauth H1") as %H1.
    iDestruct (ghost_map_lookup with "Hauth H2") as %H2.
    iDestruct (ghost_map_elem_ne with "H1 H2") as %Hne.
    iMod (ghost_map_update ws1 with "Hauth H1") as "[Hauth H1]".
    iMod (ghost_map_update ws2 with "Hauth H2") as "[Hauth H2]".
    iModIntro. iFrame "H1 H2". iExists _. iFrame "Hauth".
    assert (content m = content (<[k2 := ws2]> (<[k1 := ws1]> m))) as ->.
    { pose proof (content_insert m k1 vs1 ws1 H1) as E1.
      pose proof (content_insert (<[k1 := ws1]> m) k2 vs2 ws2) as E2.
      rewrite lookup_insert_ne // in E2. specialize (E2 H2).
      apply gmultiset_eq=> x. apply (f_equal (multiplicity x)) in E1, E2, Heq.
      rewrite !multiplicity_disj_union in E1, E2, Heq. lia. }
    iFrame. iPureIntro. intros j.
    rewrite !lookup_insert_is_Some. naive_solver.
  Qed.

  Lemma items_at_model γ D k vs M :
    items_inv γ D -∗ items_at γ k vs -∗ items_model γ M -∗ ⌜multiset_of vs ⊆ M⌝.
  Proof.
    iIntros "(%m & Hauth & Hv & %HD) Hk HM".
    iDestruct (ghost_map_lookup with "Hauth Hk") as %Hk.
    iDestruct (ghost_var_agree with "Hv HM") as %<-.
    iPureIntro. rewrite (content_lookup m k vs) //. multiset_solver.
  Qed.

  (** Claim: If every place is empty, the multiset is empty. *)
  Lemma items_model_empty γ D M :
    items_inv γ D -∗ ([∗ list] k ∈ D, items_at γ k []) -∗ items_model γ M -∗ ⌜M = ∅⌝.
  Proof.
    iIntros "(%m & Hauth & Hv & %HD) Hall HM".
    iDestruct (ghost_var_agree with "Hv HM") as %<-.
    rewrite -(bi.pure_mono _ _ (content_empty m)). iIntros (k vs Hk).
    destruct (elem_of_list_lookup_1 D k) as [i Hi]; first by apply HD; rewrite Hk.
    iDestruct (big_sepL_lookup with "Hall") as "Hk"; first done.
    iDestruct (ghost_map_lookup with "Hauth Hk") as %Hk'. by simplify_eq.
  Qed.
End items.

Global Typeclasses Opaque items_model items_at items_part items_inv.
