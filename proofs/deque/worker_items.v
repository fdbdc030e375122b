(** * The items of private deques: the part that [private_.v] and [dealing.v] share

    In both kinds of deques worker [i] has two places ([items.v]):
    - [ring_at γ i] is the worker's ring;
    - [given_at γ i] holds the item that another worker gave, until worker [i] has
      collected the item.

    [items_ctx N γ n] is the invariant of the places of [n] workers.  The owner of a
    place adds an item there ([items_add]) or takes an item from there ([items_take])
    at one instant of an operation: these lemmas need the right to this instant.  A
    move of an item from a ring to the place of another worker ([items_give]) does not
    need this right. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Export items others.

Definition worker_places (n : nat) : list (nat * bool) :=
  ((λ i, (i, false)) <$> seq 0 n) ++ ((λ i, (i, true)) <$> seq 0 n).

Notation items_ctx N γ n := (inv (N .@ "items") (items_inv γ (worker_places n))).

Section workers.
  Context `{!heapGS Σ, !itemsG (nat * bool) Σ} (N : namespace).
  Implicit Types (γ : items_names) (i j n : nat) (k : nat * bool) (v : val).
  Implicit Types (vs ws : list val) (o : option val) (M : gmultiset val) (Φ : iProp Σ).

  Definition ring_at γ i vs : iProp Σ := items_at γ (i, false) vs.
  Definition given_at γ i vs : iProp Σ := items_at γ (i, true) vs.

  Local Lemma places_no_dup n : NoDup (worker_places n).
  Proof.
    apply NoDup_app. split_and!.
    - apply (NoDup_fmap_2 _), NoDup_seq.
    - intros [i b] (? & [= -> ->] & _)%elem_of_list_fmap.
      by intros (? & [=] & _)%elem_of_list_fmap.
    - apply (NoDup_fmap_2 _), NoDup_seq.
  Qed.
  Lemma places_sep (Ψ : nat * bool → iProp Σ) n :
    ([∗ list] k ∈ worker_places n, Ψ k) ⊣⊢ [∗ list] i ∈ seq 0 n, Ψ (i, false) ∗ Ψ (i, true).
  Proof. by rewrite big_sepL_app !big_sepL_fmap -big_sepL_sep. Qed.

  (** New places: one pair of places for each element of [xs]. *)
  Lemma worker_items_alloc {A} (xs : list A) E :
    ⊢ |={E}=> ∃ γ, items_ctx N γ (length xs) ∗ items_model γ ∅ ∗
      [∗ list] i ↦ _ ∈ xs, ring_at γ i [] ∗ given_at γ i [].
  Proof.
    iMod (items_alloc (worker_places (length xs)) (places_no_dup _)) as (γ) "(Hi & HM & Hat)".
    iMod (inv_alloc (N .@ "items") with "Hi") as "$". iModIntro. iFrame "HM".
    by rewrite places_sep big_sepL_seq_indices.
  Qed.

  (** ** One instant *)

  Local Lemma items_commit γ n k vs ws Φ :
    items_ctx N γ n -∗ items_at γ k vs -∗
    (|={⊤ ∖ ↑N, ∅}=> ∃ M, items_model γ M ∗
       (⌜multiset_of vs ⊆ M⌝ -∗
        ∃ M', ⌜multiset_of vs ⊎ M' = multiset_of ws ⊎ M⌝ ∗
          (items_model γ M' ={∅, ⊤ ∖ ↑N}=∗ Φ))) ={⊤}=∗
    items_at γ k ws ∗ Φ.
  Proof.
    iIntros "#I Hk H". iInv "I" as ">Hi".
    iMod (fupd_mask_subseteq (⊤ ∖ ↑N)) as "Hmask"; first solve_ndisj.
    iMod "H" as (M) "[HM Hclose]".
    iDestruct (items_at_model with "Hi Hk HM") as %Hsub.
    iDestruct ("Hclose" with "[//]") as (M' HM) "Hclose".
    iMod (items_update with "Hi Hk HM") as "(Hi & Hk & HM)"; first done.
    iMod ("Hclose" with "HM") as "HΦ". iMod "Hmask" as "_".
    iModIntro. iFrame "Hi". iModIntro. iFrame.
  Qed.

  (** Adds [v] to place [k]. *)
  Lemma items_add γ n k vs v Φ :
    items_ctx N γ n -∗ items_at γ k vs -∗
    (|={⊤ ∖ ↑N, ∅}=> ∃ M, items_model γ M ∗
       (items_model γ ({[+ v +]} ⊎ M) ={∅, ⊤ ∖ ↑N}=∗ Φ)) ={⊤}=∗
    items_at γ k (vs ++ [v]) ∗ Φ.
  Proof.
    iIntros "#I Hk AU". iApply (items_commit with "I Hk").
    iMod "AU" as (M) "[HM Hclose]". iModIntro. iExists M. iFrame "HM". iIntros "_".
    iExists _. iSplitR; last iApply "Hclose".
    iPureIntro. rewrite list_to_set_disj_app /=. multiset_solver.
  Qed.

  (** Takes [o] from place [k]. *)
  Lemma items_take γ n k vs o ws Φ :
    vs ≡ₚ option_list o ++ ws →
    items_ctx N γ n -∗ items_at γ k vs -∗
    (|={⊤ ∖ ↑N, ∅}=> ∃ M, items_model γ M ∗
       (∀ M', ⌜M = multiset_of (option_list o) ⊎ M'⌝ -∗ items_model γ M'
          ={∅, ⊤ ∖ ↑N}=∗ Φ)) ={⊤}=∗
    items_at γ k ws ∗ Φ.
  Proof.
    iIntros (Hvs) "#I Hk AU". iApply (items_commit with "I Hk").
    iMod "AU" as (M) "[HM Hclose]". iModIntro. iExists M. iFrame "HM". iIntros (Hsub).
    iExists (M ∖ multiset_of (option_list o)).
    assert (multiset_of vs = multiset_of (option_list o) ⊎ multiset_of ws) as Heq.
    { by rewrite Hvs list_to_set_disj_app. }
    assert (M = multiset_of (option_list o) ⊎ M ∖ multiset_of (option_list o)) as HM.
    { rewrite Heq in Hsub. clear Heq. multiset_solver. }
    iSplitR; last by iApply "Hclose".
    iPureIntro. rewrite Heq {2}HM. clear. multiset_solver.
  Qed.

  (** Takes no item. *)
  Lemma items_take_none γ Φ :
    (|={⊤ ∖ ↑N, ∅}=> ∃ M, items_model γ M ∗
       (∀ M', ⌜M = multiset_of [] ⊎ M'⌝ -∗ items_model γ M' ={∅, ⊤ ∖ ↑N}=∗ Φ)) ={⊤}=∗ Φ.
  Proof.
    iIntros "H". iMod (fupd_mask_subseteq (⊤ ∖ ↑N)) as "Hmask"; first solve_ndisj.
    iMod "H" as (M) "[HM Hclose]". iMod ("Hclose" with "[%] HM") as "HΦ".
    { multiset_solver. }
    by iMod "Hmask" as "_".
  Qed.

  (** ** Moving *)

  Lemma items_give γ n i j v vs E :
    ↑N .@ "items" ⊆ E →
    items_ctx N γ n -∗ ring_at γ i (v :: vs) -∗ given_at γ j [] ={E}=∗
    ring_at γ i vs ∗ given_at γ j [v].
  Proof.
    iIntros (?) "#I Hi Hj". iInv "I" as ">H".
    iMod (items_move with "H Hi Hj") as "(H & Hi & Hj)"; last first.
    { iModIntro. iFrame "H". iModIntro. iFrame. }
    simpl. multiset_solver.
  Qed.
End workers.

(** The block of worker [i], from an array that never changes. *)
Lemma worker_get_spec `{!heapGS Σ} {A} (f : A → val) (l : loc) (xs : list A) (i : nat) x :
  xs !! i = Some x →
  {{{ is_array l DfracDiscarded (f <$> xs) }}} array_get #l #i {{{ RET f x; True }}}.
Proof.
  iIntros (Hi Φ) "Hl HΦ". wp_apply (array_get_spec with "Hl"); [lia| |].
  { by rewrite Nat2Z.id list_lookup_fmap Hi. }
  iIntros "_". by iApply "HΦ".
Qed.
