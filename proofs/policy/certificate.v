(** The tactics of certificates: they compute a policy's obligations from its text
    and show them by case distinction and linear arithmetic. *)

From dromos.policy Require Export placement.
From Coq Require Export Lia ZifyBool.

Local Open Scope Z_scope.

Lemma true_truth p : true_ (truth p) = p.
Proof. destruct p; reflexivity. Qed.

(** Numbers are left to [lia]. *)
Ltac compute_in_goal :=
  cbn - [Z.add Z.sub Z.mul Z.opp Z.eqb Z.ltb Z.leb Z.quot Z.rem Z.land Z.lor truth true_ core
    of_first].
Ltac compute_in H :=
  cbn - [Z.add Z.sub Z.mul Z.opp Z.eqb Z.ltb Z.leb Z.quot Z.rem Z.land Z.lor truth true_ core
    of_first] in H.

(** What was found, at the cores in question. *)
Ltac at_roles H :=
  let at_ c p := let F := fresh "F" in pose proof (H c p) as F; compute_in F in
  match type of H with
  | forall x, List.In x [?a; ?b] -> _ =>
      at_ a (or_introl eq_refl : List.In a [a; b]);
      at_ b (or_intror (or_introl eq_refl) : List.In b [a; b])
  | forall x, List.In x [?a] -> _ => at_ a (or_introl eq_refl : List.In a [a])
  | _ => idtac
  end; clear H.

Ltac step :=
  match goal with
  | |- forall _, _ => intro
  | |- _ -> _ => intro
  | |- _ /\ _ => split
  | |- True => exact I
  | |- ~ _ => intro
  | H : True |- _ => clear H
  | H : False |- _ => destruct H
  | H : _ /\ _ |- _ => destruct H
  | H : exists _, _ |- _ => destruct H
  | H : ?x = ?x -> _ |- _ => specialize (H eq_refl)
  | H : ?A -> _, H' : ?A |- _ => specialize (H H')
  | H : of_first _ _ _ _ _ _ _ _ _ |- _ =>
      unfold of_first in H; destruct H as [H | H];
      [ | let H1 := fresh in let H2 := fresh in destruct H as [H1 H2];
          unfold places_of_R in H2; cbn [map fst] in H2; at_roles H2 ]
  | H : _ \/ _ |- _ => destruct H
  end.

Ltac numbers :=
  rewrite ?true_truth, ?negb_true_iff, ?negb_false_iff in *;
  unfold true_, truth, core in *;
  repeat match goal with
    | H : context [if ?b then _ else _] |- _ => destruct b eqn:?
    | |- context [if ?b then _ else _] => destruct b eqn:?
    end; lia.

Ltac show := repeat step; try subst; repeat step; try contradiction; try congruence; numbers.

Ltac distinct :=
  unfold runnable; simpl;
  repeat (apply NoDup_cons; [simpl; intuition discriminate |]); apply NoDup_nil.

Ltac placement P lmin :=
  unfold LCWC_of_new, LCWC_of_unblock;
  intros n cg cd gs ds Hn;
  apply (lcwc_from P lmin);
    [ lia
    | first [discriminate | reflexivity]
    | reflexivity
    | distinct
    | reflexivity
    | unfold never_put; intros n' cg' cd' gs' ds' me t z r l f Ht Hz Hr Hzr; compute_in_goal; show
    | exact Hn ].
