(** The contents of Central's queues and hands, as multisets of items: pure facts, and
    the steps of the ghost state that follow from these facts. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import ghost_var.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import queue.
From dromos.hub Require Import hub_spec central_state.

(** ** Lists *)

Lemma concat_insert_add {A} (lss : list (list A)) i ls ls' l :
  lss !! i = Some ls → ls' ≡ₚ l :: ls → concat (<[i := ls']> lss) ≡ₚ l :: concat lss.
Proof.
  revert i. induction lss as [|ls0 lss IH]; intros [|i] Hi Hls; simplify_eq/=.
  - by rewrite Hls.
  - rewrite (IH i) //. by rewrite -Permutation_middle.
Qed.
Lemma inbox_items_insert k i qs qs' qss l :
  qss !! i = Some qs → qs' ≡ₚ l :: qs →
  inbox_items k (<[i := qs']> qss) ≡ₚ (l, Some (k + i)) :: inbox_items k qss.
Proof.
  revert k i. induction qss as [|qs0 qss IH]=> k i Hi Hqs; first done.
  destruct i as [|i]; simpl in *.
  - injection Hi as ->. by rewrite Hqs Nat.add_0_r.
  - rewrite (IH (S k) i) //. rewrite Nat.add_succ_r -Permutation_middle. done.
Qed.
Lemma inbox_items_elem k qss x :
  x ∈ inbox_items k qss →
  ∃ j qs l, qss !! j = Some qs ∧ l ∈ qs ∧ x = (l, Some (k + j)).
Proof.
  revert k. induction qss as [|qs qss IH]=> k /=; first by intros ?%elem_of_nil.
  intros [(l & -> & Hl)%elem_of_list_fmap|Hx]%elem_of_app.
  - exists 0, qs, l. by rewrite Nat.add_0_r.
  - destruct (IH (S k) Hx) as (j & qs' & l & ? & ? & ->).
    exists (S j), qs', l. by rewrite Nat.add_succ_r.
Qed.
Lemma inbox_items_none k n : inbox_items k (replicate n []) = [].
Proof. revert k. by induction n as [|n IH]=> k /=. Qed.
Lemma concat_none {A} n : concat (replicate n ([] : list A)) = [].
Proof. by induction n. Qed.
Lemma concat_all_none {A} (lss : list (list A)) :
  (∀ i ls, lss !! i = Some ls → ls = []) → concat lss = [].
Proof.
  induction lss as [|ls lss IH]; first done. intros Hall. simpl.
  rewrite (Hall 0 ls) //= IH //. intros i ls' Hi. by apply (Hall (S i)).
Qed.

Lemma items_add (x : hub_item) (xs ys : list hub_item) :
  xs ≡ₚ x :: ys →
  list_to_set_disj xs = (list_to_set_disj ys : hub_items) ⊎ {[+ x +]}.
Proof. intros H. rewrite (list_to_set_disj_perm _ _ H) /=. by rewrite comm_L. Qed.

(** ** Items *)

Local Lemma central_items_any ls ls' l (ws : list hub_item) :
  ls' ≡ₚ l :: ls →
  list_to_set_disj (any_items ls' ++ ws) =
  (list_to_set_disj (any_items ls ++ ws) : hub_items) ⊎ {[+ (l, None) +]}.
Proof. intros H. apply items_add. by rewrite /any_items H. Qed.
Lemma central_items_shared ys ys' y zs hss qss :
  ys' ≡ₚ y :: ys →
  central_items ys' zs hss qss = central_items ys zs hss qss ⊎ {[+ (y.2, None) +]}.
Proof. intros H. apply central_items_any. by rewrite H. Qed.
Lemma central_items_deferred ys zs zs' l hss qss :
  zs' ≡ₚ l :: zs →
  central_items ys zs' hss qss = central_items ys zs hss qss ⊎ {[+ (l, None) +]}.
Proof. intros H. apply central_items_any. by rewrite H -Permutation_middle. Qed.
Lemma central_items_hand ys zs hss i hs hs' l qss :
  hss !! i = Some hs → hs' ≡ₚ l :: hs →
  central_items ys zs (<[i := hs']> hss) qss =
  central_items ys zs hss qss ⊎ {[+ (l, None) +]}.
Proof.
  intros Hi Hhs. apply central_items_any.
  rewrite (concat_insert_add hss i hs hs' l) //. by rewrite -!Permutation_middle.
Qed.
Lemma central_items_inbox ys zs hss qss i qs qs' l :
  qss !! i = Some qs → qs' ≡ₚ l :: qs →
  central_items ys zs hss (<[i := qs']> qss) =
  central_items ys zs hss qss ⊎ {[+ (l, Some i) +]}.
Proof.
  intros Hi Hqs. apply items_add.
  rewrite (inbox_items_insert 0 i qs) //. by rewrite -Permutation_middle.
Qed.
Lemma central_items_foreign hss qss i :
  (∀ j hs, hss !! j = Some hs → hs = []) → qss !! i = Some [] →
  hub_foreign i (central_items [] [] hss qss).
Proof.
  intros Hhss Hi x Hx Hruns. rewrite /central_items /= concat_all_none // in Hx.
  apply elem_of_list_to_set_disj, inbox_items_elem in Hx as (j & qs & l & Hj & Hl & ->).
  destruct Hruns as [?|[= ->]]; first done. simplify_eq. by apply elem_of_nil in Hl.
Qed.
Lemma central_items_none n : central_items [] [] (replicate n []) (replicate n []) = ∅.
Proof. by rewrite /central_items concat_none inbox_items_none. Qed.

Section items.
  Context `{!heapGS Σ, !centralG Σ}.
  Implicit Types (γ : central_names) (x : central_local) (M : hub_items) (l : loc) (i n : nat).
  Implicit Types (ls hs qs : list loc) (hss qss : list (list loc)).

  Lemma central_inbox_acc γ qss i x :
    central_name_locals γ !! i = Some x →
    ([∗ list] x; qs ∈ central_name_locals γ; qss, queue_model (cl_inbox x) (loc_val <$> qs)) -∗
    ∃ qs, ⌜qss !! i = Some qs⌝ ∗ queue_model (cl_inbox x) (loc_val <$> qs) ∗
      ∀ qs', queue_model (cl_inbox x) (loc_val <$> qs') -∗
        [∗ list] x; qs ∈ central_name_locals γ; <[i := qs']> qss,
          queue_model (cl_inbox x) (loc_val <$> qs).
  Proof.
    iIntros (Hi) "H". iDestruct (big_sepL2_length with "H") as %Hlen.
    destruct (lookup_lt_is_Some_2 qss i) as [qs Hqs].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_insert_acc with "H") as "[Hi H]"; [done..|].
    iExists qs. iFrame "Hi". iSplit; first done. iIntros (qs') "Hi".
    iSpecialize ("H" $! x qs' with "Hi"). by rewrite (list_insert_id (central_name_locals γ)).
  Qed.

  Local Lemma central_hand_acc γ hss i x ls :
    central_name_locals γ !! i = Some x →
    ([∗ list] x; hs ∈ central_name_locals γ; hss, ghost_var (cl_hand x) (1/2) hs) -∗
    ghost_var (cl_hand x) (1/2) ls -∗
    ⌜hss !! i = Some ls⌝ ∗ ∀ ls', |==> ghost_var (cl_hand x) (1/2) ls' ∗
      [∗ list] x; hs ∈ central_name_locals γ; <[i := ls']> hss, ghost_var (cl_hand x) (1/2) hs.
  Proof.
    iIntros (Hi) "H Hh". iDestruct (big_sepL2_length with "H") as %Hlen.
    destruct (lookup_lt_is_Some_2 hss i) as [hs Hhs].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_insert_acc with "H") as "[Hi H]"; [done..|].
    iDestruct (ghost_var_agree with "Hi Hh") as %->. iSplit; first done. iIntros (ls').
    iMod (ghost_var_update_halves ls' with "Hi Hh") as "[Hi $]".
    iSpecialize ("H" $! x ls' with "Hi"). by rewrite (list_insert_id (central_name_locals γ)).
  Qed.

  (** A task in a worker's hand is in the model. [central_hold] adds a task to both,
      [central_release] removes a task from both. *)
  Lemma central_hold γ i ls l M :
    central_carries γ i ls -∗ central_model γ M ==∗
    central_carries γ i (l :: ls) ∗ central_model γ (M ⊎ {[+ (l, None) +]}).
  Proof.
    iIntros "(%x & %Hi & Hf & Hh) (%ys & %zs & %hss & %qss & (Hy & Hz & Hhs & Hq) & ->)".
    iDestruct (central_hand_acc with "Hhs Hh") as "[%Hls Hhs]"; first done.
    iMod ("Hhs" $! (l :: ls)) as "[Hh Hhs]". iModIntro. iSplitL "Hf Hh".
    { iExists x. by iFrame. }
    iExists ys, zs, _, qss. iFrame. iPureIntro. symmetry. by eapply central_items_hand.
  Qed.
  Lemma central_release γ i ls l M :
    central_carries γ i (l :: ls) -∗ central_model γ M ==∗
    ∃ M', ⌜M = M' ⊎ {[+ (l, None) +]}⌝ ∗ central_carries γ i ls ∗ central_model γ M'.
  Proof.
    iIntros "(%x & %Hi & Hf & Hh) (%ys & %zs & %hss & %qss & (Hy & Hz & Hhs & Hq) & ->)".
    iDestruct (central_hand_acc with "Hhs Hh") as "[%Hls Hhs]"; first done.
    iMod ("Hhs" $! ls) as "[Hh Hhs]". iModIntro.
    iExists (central_items ys zs (<[i := ls]> hss) qss). iSplit.
    { iPureIntro. rewrite -(central_items_hand ys zs (<[i := ls]> hss) i ls (l :: ls)) //.
      - by rewrite list_insert_insert list_insert_id.
      - apply list_lookup_insert. by eapply lookup_lt_Some. }
    iSplitL "Hf Hh"; first (iExists x; by iFrame). iExists ys, zs, _, qss. by iFrame.
  Qed.

  (** The caller owns [central_owner] of every worker, so all hands are empty. *)
  Lemma central_hands_empty γ i n hss :
    length (central_name_locals γ) = n →
    ([∗ list] x; hs ∈ central_name_locals γ; hss, ghost_var (cl_hand x) (1/2) hs) -∗
    central_owner γ i -∗ ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner γ j) -∗
    ⌜∀ j hs, hss !! j = Some hs → hs = []⌝.
  Proof.
    iIntros (Hn) "H Ho Hos". iIntros (j hs Hj). iDestruct (big_sepL2_length with "H") as %Hlen.
    assert (j < n) as Hjn by (rewrite -Hn Hlen; by eapply lookup_lt_Some).
    iAssert (central_owner γ j) with "[Ho Hos]" as "(%x & %Hx & _ & Hh)".
    { destruct (decide (j = i)) as [->|Hne]; first done.
      iDestruct (big_sepL_lookup _ _ j j with "Hos") as "Hj".
      { by rewrite lookup_seq_lt. }
      by iApply "Hj". }
    iDestruct (big_sepL2_lookup with "H") as "Hh'"; [done..|].
    by iDestruct (ghost_var_agree with "Hh' Hh") as %->.
  Qed.
End items.
