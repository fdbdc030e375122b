(** The tactics of certificates: the tactics compute a policy's obligations from its
    text, and prove them by case distinction and linear arithmetic. *)

From dromos.policy Require Export placement balancing.
From Coq Require Export Lia ZifyBool.

Local Open Scope Z_scope.

Lemma true_truth p : true_ (truth p) = p.
Proof. destruct p; reflexivity. Qed.

(** Numbers are left to [lia]. *)
Ltac compute_in_goal :=
  cbn - [Z.add Z.sub Z.mul Z.opp Z.eqb Z.ltb Z.leb Z.quot Z.rem Z.land Z.lor truth true_ core
    of_first called].
Ltac compute_in H :=
  cbn - [Z.add Z.sub Z.mul Z.opp Z.eqb Z.ltb Z.leb Z.quot Z.rem Z.land Z.lor truth true_ core
    of_first called] in H.

(** The hypotheses about the cores in question. *)
Ltac at_roles H :=
  let at_ c p := let F := fresh "F" in pose proof (H c p) as F; compute_in F in
  match type of H with
  | forall x, List.In x [?a; ?b] -> _ =>
      at_ a (or_introl eq_refl : List.In a [a; b]);
      at_ b (or_intror (or_introl eq_refl) : List.In b [a; b])
  | forall x, List.In x [?a] -> _ => at_ a (or_introl eq_refl : List.In a [a])
  | _ => idtac
  end; clear H.

(** A set without members does not have the cores in question. *)
Ltac at_cores H :=
  repeat match goal with
  | F : core _ ?c |- _ =>
      let N := fresh "N" in pose proof (H c) as N; compute_in N; revert F
  end; clear H; intros.

(** The continuation of a call stays folded until the call has ended. *)
Ltac call :=
  lazymatch goal with
  | |- called ?body ?Q =>
      let q := fresh "rest" in
      pose (q := Q); exists q; split; [cbv beta iota | intros ? ? ?; assumption]
  end.

(** A mark among the hypotheses, always true: the goal says that no thread is put on
    [r]. With this mark the tactic keeps of a call only that the call's result is not
    [r]. *)
Definition never (r : Z) : Prop := True.

Definition still_begun (K : knowledge) : Prop :=
  exists f p, K = Know true (Some f) false p.

Ltac fold_truth :=
  repeat match goal with
  | H : true_ (truth _) = _ |- _ => rewrite true_truth in H
  | H : negb _ = true |- _ => apply negb_true_iff in H
  | H : negb _ = false |- _ => apply negb_false_iff in H
  end.

Ltac numbers :=
  rewrite ?true_truth, ?negb_true_iff, ?negb_false_iff in *;
  unfold true_, truth, core in *;
  repeat match goal with
    | H : context [if ?b then _ else _] |- _ => destruct b eqn:?
    | |- context [if ?b then _ else _] => destruct b eqn:?
    end; lia.

Ltac step :=
  match goal with
  | |- called _ _ => cut_call
  | |- ?q _ _ => is_var q; unfold q; compute_in_goal
  | |- still_begun _ => solve [eexists; eexists; reflexivity]
  | |- leaves_at _ _ _ _ _ _ _ _ => unfold leaves_at; compute_in_goal
  | |- stays _ _ _ => unfold stays; compute_in_goal
  | |- forall _, _ => intro
  | |- _ -> _ => intro
  | |- _ /\ _ => split
  | |- True => exact I
  | |- ~ _ => intro
  | H : True |- _ => clear H
  | H : False |- _ => destruct H
  | H : ~ ?A, H' : ?A |- _ => destruct (H H')
  | H : ?x <> ?x |- _ => destruct (H eq_refl)
  | H : None = Some _ |- _ => discriminate H
  | H : true_ 0 = true |- _ => discriminate H
  | H : true_ 1 = false |- _ => discriminate H
  | H : ?a = true, H' : ?a = false |- _ => rewrite H in H'; discriminate H'
  | H : _ /\ _ |- _ => destruct H
  | H : exists _, _ |- _ => destruct H
  | H : ?x = ?x -> _ |- _ => specialize (H eq_refl)
  | H : ?A -> _, H' : ?A |- _ =>
      lazymatch type of A with Prop => specialize (H H') end
  | H : of_first _ _ _ _ _ _ _ _ _ |- _ =>
      unfold of_first in H; destruct H as [H | H];
      [ | let H1 := fresh in let H2 := fresh in destruct H as [H1 H2];
          unfold places_of_R in H2; cbn [map fst] in H2; at_roles H2 ]
  | H : _ \/ _ |- _ => destruct H
  | H : forall x, ~ core _ x |- _ => at_cores H
  | H : forall x, ~ (core _ x /\ _) |- _ => at_cores H
  end
with cut_call :=
  first
    [ lazymatch goal with
      | _ : never ?r |- called _ _ =>
          first
            [ exists (fun K v => still_begun K /\ v <> r);
              split; [solve [cbv beta iota; show] | intros ? ? [(? & ? & ->) ?]; compute_in_goal]
            | exists (fun K _ => still_begun K);
              split; [solve [cbv beta iota; show] | intros ? ? (? & ? & ->); compute_in_goal] ]
      end
    | call ]
with show :=
  repeat step; try subst; repeat step; try contradiction; try congruence; numbers.

(** There is a filtered core. *)
Ltac some_filtered :=
  match goal with
  | H : forall x, ~ List.In x ?a, N : ?a <> [] |- _ =>
      exfalso; destruct a as [| y a]; [exact (N eq_refl) | exact (H y (or_introl eq_refl))]
  end.

Ltac obligation :=
  intros; unfold fresh_knowledge, candidate_attributes in *;
  repeat match goal with
    | H : exact_words _ _ _ _ |- _ => unfold exact_words, ready_words in H; compute_in H
    | H : _ /\ (_ -> lightest _ _ _ _) |- _ => unfold lightest in H; compute_in H
    end;
  try match goal with
    | H : until_ _ = Some _ |- _ => cbn in H; first [discriminate H | injection H as <-]
    | H : group_until _ = Some _ |- _ => cbn in H; first [discriminate H | injection H as <-]
    | H : match groups _ with Some _ => _ | None => _ end |- _ => cbn in H
    end;
  compute_in_goal; repeat step; try subst; repeat step;
  try contradiction; try assumption; try some_filtered; try congruence;
  first [reflexivity | discriminate | tauto | numbers | intuition numbers].

Ltac distinct :=
  unfold runnable; simpl;
  repeat (apply NoDup_cons; [simpl; intuition discriminate |]); apply NoDup_nil.

Ltac placement P lmin :=
  unfold LCWC_of_new, LCWC_of_unblock;
  intros n cg cd gs ds Hn;
  apply (lcwc_from (nobody_steals P) lmin);
    [ lia
    | first [discriminate | reflexivity]
    | reflexivity
    | distinct
    | reflexivity
    | unfold never_put; intros n' cg' cd' gs' ds' me t z r l f Ht Hz Hr Hzr; compute_in_goal;
      first [solve [assert (N : never r) by exact I; show] | show]
    | exact Hn ].

(** Stealing by groups has obligations of its own. *)
Ltac among_groups :=
  cbn; first
    [ exact I
    | constructor;
        [ reflexivity
        | reflexivity
        | unfold group_filter_complete; obligation
        | unfold group_select_member; obligation
        | unfold group_until_sound, group_phase; obligation ] ].

Ltac balancing P lmin :=
  apply (gcwc_from_obligations P lmin); [lia |];
  constructor;
    [ reflexivity
    | distinct
    | first [discriminate | reflexivity]
    | reflexivity
    | reflexivity
    | reflexivity
    | unfold filter_complete; obligation
    | unfold select_member; obligation
    | unfold steal_safe, taking; obligation
    | unfold steal_progress, taking; obligation
    | unfold until_sound; obligation
    | among_groups
    | unfold balance_complete, aims, the_aim; obligation ].

Ltac balancing_of_groups P lmin := apply hcwc_from_gcwc; balancing P lmin.
