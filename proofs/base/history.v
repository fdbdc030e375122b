(** A list that only grows: ghost state for structures that never forget a node.
    [history_auth γ xs] owns the list.  [history_elem γ i x] is persistent and says
    that element [i] of the list is [x]. *)
From iris.algebra.lib Require Import mono_list.
From iris.base_logic.lib Require Import own.
From iris.proofmode Require Import proofmode.
From iris.prelude Require Import options.

Class historyG Σ (A : Type) := HistoryG {
  #[local] history_inG :: inG Σ (mono_listR (leibnizO A));
}.
Definition historyΣ (A : Type) : gFunctors := #[GFunctor (mono_listR (leibnizO A))].
Global Instance subG_historyΣ Σ A : subG (historyΣ A) Σ → historyG Σ A.
Proof. solve_inG. Qed.

Section history.
  Context `{!historyG Σ A}.
  Implicit Types (xs : list A) (x : A) (i : nat).

  Definition history_auth γ xs : iProp Σ := own γ (●ML (xs : list (leibnizO A))).
  Definition history_elem γ i x : iProp Σ :=
    ∃ xs, own γ (◯ML (xs : list (leibnizO A))) ∗ ⌜xs !! i = Some x⌝.

  Global Instance history_auth_timeless γ xs : Timeless (history_auth γ xs).
  Proof. apply _. Qed.
  Global Instance history_elem_timeless γ i x : Timeless (history_elem γ i x).
  Proof. apply _. Qed.
  Global Instance history_elem_persistent γ i x : Persistent (history_elem γ i x).
  Proof. apply _. Qed.

  Lemma history_alloc xs : ⊢ |==> ∃ γ, history_auth γ xs.
  Proof. iApply own_alloc. apply mono_list_auth_valid. Qed.

  Lemma history_elem_get γ xs i x :
    xs !! i = Some x → history_auth γ xs -∗ history_elem γ i x.
  Proof.
    iIntros (Hi) "H". iExists xs. iSplit; last done.
    iApply (own_mono with "H"). apply mono_list_included.
  Qed.

  Lemma history_lookup γ xs i x :
    history_auth γ xs -∗ history_elem γ i x -∗ ⌜xs !! i = Some x⌝.
  Proof.
    iIntros "H (%ys & Hys & %Hi)".
    iCombine "H Hys" gives %Hpre%mono_list_both_valid_L. iPureIntro.
    by eapply prefix_lookup_Some.
  Qed.

  Lemma history_elem_agree γ i x y :
    history_elem γ i x -∗ history_elem γ i y -∗ ⌜x = y⌝.
  Proof.
    iIntros "(%xs & Hxs & %Hx) (%ys & Hys & %Hy)".
    iCombine "Hxs Hys" gives %[H|H]%mono_list_lb_op_valid_1_L; iPureIntro.
    - eapply prefix_lookup_Some in Hx; last exact H. by simplify_eq.
    - eapply prefix_lookup_Some in Hy; last exact H. by simplify_eq.
  Qed.

  Lemma history_push x γ xs :
    history_auth γ xs ==∗ history_auth γ (xs ++ [x]) ∗ history_elem γ (length xs) x.
  Proof.
    iIntros "H". iMod (own_update _ _ (●ML ((xs ++ [x]) : list (leibnizO A))) with "H") as "H".
    { apply mono_list_update. by apply prefix_app_r. }
    iDestruct (history_elem_get _ _ (length xs) x with "H") as "#$"; last done.
    by rewrite lookup_app_r // Nat.sub_diag.
  Qed.
End history.
