(** The contents of the FIFO hub's queues, as items: pure facts. [ys] is the shared
    queue, whose values are numbered, and [qss] are the inboxes, as in Central
    ([central_items.v]). *)
From stdpp Require Import gmultiset.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import erasable.
From dromos.hub Require Import hub_spec.
From dromos.hub Require Export central_state central_items.

Definition fifo_cell (y : nat * loc) : nat * val := (y.1, #y.2).
Definition fifo_items (ys : list (nat * loc)) (qss : list (list loc)) : hub_items :=
  list_to_set_disj (any_items ys.*2 ++ inbox_items 0 qss).

Lemma fifo_items_none n : fifo_items [] (replicate n []) = ∅.
Proof. by rewrite /fifo_items inbox_items_none. Qed.
Lemma fifo_items_shared ys ys' y qss :
  ys' ≡ₚ y :: ys → fifo_items ys' qss = fifo_items ys qss ⊎ {[+ (y.2, None) +]}.
Proof. intros H. apply items_add. by rewrite /any_items H. Qed.
Lemma fifo_items_inbox ys qss i qs qs' l :
  qss !! i = Some qs → qs' ≡ₚ l :: qs →
  fifo_items ys (<[i := qs']> qss) = fifo_items ys qss ⊎ {[+ (l, Some i) +]}.
Proof.
  intros Hi Hqs. apply items_add.
  rewrite (inbox_items_insert 0 i qs) //. by rewrite -Permutation_middle.
Qed.
Lemma fifo_items_elem ys qss l w :
  (l, w) ∈ fifo_items ys qss →
  match w with
  | None => ys ≠ []
  | Some i => ∃ qs, qss !! i = Some qs ∧ qs ≠ []
  end.
Proof.
  rewrite elem_of_list_to_set_disj elem_of_app. intros [H|H].
  - apply elem_of_list_fmap in H as (y & [= -> ->] & Hy). intros ->. by apply elem_of_nil in Hy.
  - apply inbox_items_elem in H as (j & qs & l' & Hj & Hl & [= -> ->]).
    exists qs. split; first done. intros ->. by apply elem_of_nil in Hl.
Qed.

(** Erasure, as a change of the items. *)
Lemma fifo_filter_absent (ys : list (nat * loc)) k :
  k ∉ ys.*1 → filter (λ y, y.1 ≠ k) ys = ys.
Proof.
  induction ys as [|y ys IH]; first done. rewrite fmap_cons not_elem_of_cons.
  intros [Hy Hys]. rewrite filter_cons_True; last done. by rewrite IH.
Qed.
Lemma fifo_erase_elem (ys : list (nat * loc)) k l :
  NoDup ys.*1 → (k, l) ∈ ys →
  ys ≡ₚ (k, l) :: filter (λ y, y.1 ≠ k) ys.
Proof.
  induction ys as [|[k' l'] ys IH]; first by intros _ ?%elem_of_nil.
  intros [Hk' Hnd]%NoDup_cons [[= <- <-]|Hin]%elem_of_cons.
  - rewrite filter_cons_False /=; last by intros [].
    rewrite fifo_filter_absent //.
  - rewrite filter_cons_True /=; last first.
    { intros ->. apply Hk'. by apply (elem_of_list_fmap_1 fst) in Hin. }
    rewrite {1}(IH Hnd Hin). apply Permutation_swap.
Qed.
Lemma fifo_erase_cells (ys : list (nat * loc)) k :
  erasable_erase k (fifo_cell <$> ys) = fifo_cell <$> filter (λ y, y.1 ≠ k) ys.
Proof.
  rewrite /erasable_erase. induction ys as [|y ys IH]; first done.
  rewrite fmap_cons !filter_cons IH /=. by case_decide.
Qed.
Lemma fifo_erase_nodup (ys : list (nat * loc)) k :
  NoDup ys.*1 → NoDup (filter (λ y : nat * loc, y.1 ≠ k) ys).*1.
Proof.
  induction ys as [|y ys IH]; first done.
  intros [Hy Hnd]%NoDup_cons. rewrite filter_cons. case_decide; last by apply IH.
  apply NoDup_cons. split; last by apply IH.
  intros (y' & Hy' & [_ Hin]%elem_of_list_filter)%elem_of_list_fmap.
  apply Hy. rewrite Hy'. by apply elem_of_list_fmap_1.
Qed.
