(** Loads that are large enough by their text: large numbers, choices between large
    loads, and calls of functions that return large loads. *)

From dromos.policy Require Export properties induction.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Section Loads.

Variable m : Z.

(** The statement does not end without a return. *)
Fixpoint leaves_ (t : statement) : bool :=
  match t with
  | Return _ | Return_nothing => true
  | If _ a b => leaves a && leaves b
  | _ => false
  end
with leaves (b : block) : bool :=
  match b with Done => false | Then t r => leaves_ t || leaves r end.

Fixpoint at_least (e : expr) : bool :=
  match e with
  | Num v => m <=? v
  | If_else _ a b => at_least a && at_least b
  | Call _ b => leaves b && returns b
  | _ => false
  end
(** Every return has a large number. *)
with returns_ (t : statement) : bool :=
  match t with
  | Return e => at_least e
  | Return_nothing => false
  | If _ a b => returns a && returns b
  | Foreach _ _ _ b => returns b
  | _ => true
  end
with returns (b : block) : bool :=
  match b with Done => true | Then t r => returns_ t && returns r end.

Section Runs.

Variable P : policy.
Variable n : Z.
Variable cores_of_group cores_of_domain groups_of domains_of : Z -> list Z.
Variable may_load : Z -> Prop.
Variable steals : context -> Z -> Z -> state -> state -> Prop.
Variable C : context.

Definition large (o : outcome) : Prop := match o with Returned v => m <= v | _ => True end.

Theorem at_least_sound :
  (forall l e s v s', eval P n cores_of_group cores_of_domain groups_of domains_of may_load steals C l e s v s' ->
     at_least e = true -> m <= v) /\
  (forall l l0 a s l1 s', bound P n cores_of_group cores_of_domain groups_of domains_of may_load steals C l l0 a s l1 s' -> True) /\
  (forall l t s k s', members P n cores_of_group cores_of_domain groups_of domains_of may_load steals C l t s k s' -> True) /\
  (forall l b s l1 o s', exec P n cores_of_group cores_of_domain groups_of domains_of may_load steals C l b s l1 o s' ->
     (returns b = true -> large o) /\ (leaves b = true -> o <> Normal)) /\
  (forall l t s l1 o s', does P n cores_of_group cores_of_domain groups_of domains_of may_load steals C l t s l1 o s' ->
     (returns_ t = true -> large o) /\ (leaves_ t = true -> o <> Normal)) /\
  (forall x b l k s l1 o s', iterates P n cores_of_group cores_of_domain groups_of domains_of may_load steals C x b l k s l1 o s' ->
     returns b = true -> large o).
Proof.
  apply (text_min P n cores_of_group cores_of_domain groups_of domains_of may_load steals C
    (fun l e s v s' => at_least e = true -> m <= v)
    (fun l l0 a s l1 s' => True)
    (fun l t s k s' => True)
    (fun l b s l1 o s' => (returns b = true -> large o) /\ (leaves b = true -> o <> Normal))
    (fun l t s l1 o s' => (returns_ t = true -> large o) /\ (leaves_ t = true -> o <> Normal))
    (fun x b l k s l1 o s' => returns b = true -> large o));
    simpl; intros; try discriminate; auto.
  all: try (apply Z.leb_le; assumption).
  all: rewrite ?andb_true_iff, ?orb_true_iff in *; try tauto.
  1: { destruct H3 as [Ha Hb]. destruct (true_ v); auto. }
  all: split; intros; try discriminate; auto; try (destruct (true_ v); tauto).
Qed.

End Runs.

End Loads.

(** Every number that the text may set as a load is large. *)
Lemma may_load_at_least P n cg cd gs ds m :
  forallb (at_least m) (loads P) = true ->
  forall v, may_load P n cg cd gs ds v -> m <= v.
Proof.
  intros H v (e & C & l & s & s' & Hin & He). rewrite forallb_forall in H.
  exact (proj1 (at_least_sound m _ _ _ _ _ _ _ _ _) _ _ _ _ _ He (H e Hin)).
Qed.
