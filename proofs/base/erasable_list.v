(** The content of an erasable queue, as a function of its nodes.  For each node that was
    ever linked, the list [os] has the node's value, or [None] after the value was
    taken. *)
From iris.heap_lang Require Import lang.
From stdpp Require Import list.
From iris.prelude Require Import options.

(** The values that are alive, each with the number of its node.  The first node of [os]
    has number [i]. *)
Fixpoint erasable_alive (i : nat) (os : list (option val)) : list (nat * val) :=
  match os with
  | [] => []
  | None :: os => erasable_alive (S i) os
  | Some v :: os => (i, v) :: erasable_alive (S i) os
  end.
(** The content without the value of node [i]. *)
Definition erasable_erase (i : nat) (xs : list (nat * val)) : list (nat * val) :=
  filter (λ x, x.1 ≠ i) xs.

Lemma erasable_alive_app i os v :
  erasable_alive i (os ++ [Some v]) = erasable_alive i os ++ [(i + length os, v)].
Proof.
  revert i. induction os as [|[w|] os IH]=> i /=.
  - by rewrite Nat.add_0_r.
  - by rewrite IH Nat.add_succ_r.
  - by rewrite IH Nat.add_succ_r.
Qed.
Lemma erasable_alive_elem i os k v :
  (k, v) ∈ erasable_alive i os ↔ i ≤ k ∧ os !! (k - i) = Some (Some v).
Proof.
  revert i. induction os as [|o os IH]=> i /=.
  { split; first by intros ?%elem_of_nil. by intros [_ ?]. }
  assert ((k, v) ∈ erasable_alive (S i) os ↔ S i ≤ k ∧ os !! (k - S i) = Some (Some v)) as H.
  { apply IH. }
  destruct (decide (k = i)) as [->|Hne].
  - rewrite Nat.sub_diag /=. destruct o as [w|]; rewrite ?elem_of_cons H; split.
    + intros [[= ->]|[? _]]; [done|lia].
    + intros [_ [= ->]]. by left.
    + intros [? _]. lia.
    + by intros [_ ?].
  - assert (i ≤ k → k - i = S (k - S i)) as Hk by lia.
    destruct o as [w|]; rewrite ?elem_of_cons H; split.
    + intros [[= ? ?]|[? ?]]; first done. rewrite Hk; last lia. split; [lia|done].
    + intros [? Hl]. rewrite Hk in Hl; last lia. right. split; [lia|done].
    + intros [? ?]. rewrite Hk; last lia. split; [lia|done].
    + intros [? Hl]. rewrite Hk in Hl; last lia. split; [lia|done].
Qed.
Lemma erasable_erase_absent i k os :
  k < i → erasable_erase k (erasable_alive i os) = erasable_alive i os.
Proof.
  rewrite /erasable_erase. revert i. induction os as [|[v|] os IH]=> i Hk /=; first done.
  - rewrite filter_cons_True /=; last lia. f_equal. apply IH. lia.
  - apply IH. lia.
Qed.
Lemma erasable_alive_erase i k os :
  erasable_alive i (<[k := None]> os) = erasable_erase (i + k) (erasable_alive i os).
Proof.
  revert i k. induction os as [|o os IH]=> i k /=; first done.
  destruct k as [|k].
  - rewrite Nat.add_0_r /=. destruct o as [v|].
    + rewrite /erasable_erase filter_cons_False /=; last by intros [].
      symmetry. apply erasable_erase_absent. lia.
    + symmetry. apply erasable_erase_absent. lia.
  - rewrite /= Nat.add_succ_r. destruct o as [v|].
    + rewrite /erasable_erase filter_cons_True /=; last lia. f_equal. apply (IH (S i)).
    + apply (IH (S i)).
Qed.
Lemma erasable_alive_none i os :
  (∀ k, k < length os → os !! k = Some None) → erasable_alive i os = [].
Proof.
  revert i. induction os as [|o os IH]=> i H /=; first done.
  assert (o = None) as ->. { specialize (H 0). simpl in H. naive_solver lia. }
  apply IH. intros k Hk. apply (H (S k)). simpl. lia.
Qed.
Lemma erasable_alive_first i os k v :
  os !! k = Some (Some v) → (∀ j, j < k → os !! j = Some None) →
  erasable_alive i os = (i + k, v) :: erasable_alive i (<[k := None]> os).
Proof.
  revert i k. induction os as [|o os IH]=> i k Hk H /=; first done.
  destruct k as [|k].
  - injection Hk as ->. by rewrite Nat.add_0_r.
  - assert (o = None) as ->. { specialize (H 0). simpl in H. naive_solver lia. }
    rewrite /= (IH (S i) k) //; first by rewrite Nat.add_succ_r.
    intros j Hj. apply (H (S j)). lia.
Qed.
