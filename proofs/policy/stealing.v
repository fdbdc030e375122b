(** Each phase of a steal, from the obligations of the phase's text. *)

From dromos.policy Require Export obligations.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Section Stealing.

Variable P : policy.
Variable lmin : Z.
Hypothesis lmin_positive : 1 <= lmin.
Hypothesis O : balancing_obligations P lmin.

Variable n : Z.
Variable cg cd gs ds : Z -> list Z.
Notation may_load := (may_load P n cg cd gs ds).
Notation eval := (eval P n cg cd gs ds may_load no_stealing).
Notation exec := (exec P n cg cd gs ds may_load no_stealing).
Notation moves := (moves P n may_load).
Notation meanwhile := (meanwhile P n may_load).
Notation count := (count P).
Notation zero := (zero P).
Notation light := (light P).
Notation fits := (fits P lmin).
Notation calm := (calm P).
Notation back0 := (back0 P).
Notation ready_of := (ready_of P).

Let S := stealing P.
Lemma states_distinct : NoDup (runnable P).
Proof. apply O. Qed.
Lemma nobody_else_steals : alone P = true.
Proof. apply O. Qed.
Lemma unit_loads : load P = None -> lmin = 1.
Proof. apply O. Qed.

Lemma loads_at_least v : may_load v -> lmin <= v.
Proof. apply may_load_at_least, (ob_loads P lmin O). Qed.

Lemma light_dec s c : light s c \/ ~ light s c.
Proof.
  unfold others.light. destruct (u s c); [left; auto |].
  destruct (Z_le_dec (count s c) 1); [auto | right; intros [|]; [discriminate | contradiction]].
Qed.

Lemma zero_dec s c : zero s c \/ ~ zero s c.
Proof.
  unfold others.zero. destruct (Z.eq_dec (count s c) 0), (b s c); intuition congruence.
Qed.

Lemma whiles C s s' : meanwhile C s s' -> fits s -> fits s' /\ kept P C s s' /\ calm s s'.
Proof.
  exact (meanwhile_fits P n may_load lmin loads_at_least states_distinct nobody_else_steals C s s').
Qed.

Lemma set_attribute_fits s i a v : fits s -> (load P = Some a -> lmin <= v) ->
  fits (with_attribute s i a v).
Proof.
  intros [G L On V Hp] Hv. split; [exact G | | exact On | exact V | exact Hp].
  intros a' t E. simpl. unfold set2. destruct ((t =? i) && (a' =? a)%nat) eqn:B; [| apply L, E].
  apply andb_true_iff in B. destruct B as [_ B]. apply Nat.eqb_eq in B. subst a'. exact (Hv E).
Qed.

Lemma set_global_fits s f : fits s -> fits (with_global s f).
Proof. intros [G L On V Hp]. split; assumption. Qed.

(** {1 Expressions that move no thread} *)

Record still (C : context) (s s' : state) : Prop := {
  still_fits : fits s';
  still_hand : hand s' = hand s;
  still_calm : calm s s';
  still_held : forall c, held C = Some c -> same s s' c;
}.

Lemma still_refl C s : fits s -> still C s s.
Proof. split; auto using calm_refl, same_refl. Qed.

Lemma still_meanwhile C s0 s s' : meanwhile C s s' -> still C s0 s -> still C s0 s'.
Proof.
  intros M [F H Ca Hh]. destruct (whiles C s s' M F) as (F' & K & Ca').
  split; [exact F' | | exact (calm_trans P _ _ _ Ca Ca') |].
  - rewrite (kept_hand P _ _ _ K). exact H.
  - intros c E. apply (same_trans _ s); [auto | apply (kept_held P _ _ _ K), E].
Qed.

Lemma still_attribute C s0 s i a v : still C s0 s ->
  (load P = Some a -> false = false /\ lmin <= v) -> still C s0 (with_attribute s i a v).
Proof.
  intros [F H Ca Hh] Hv. split; auto.
  apply set_attribute_fits; [exact F | apply Hv].
Qed.

Lemma still_global C s0 s f : still C s0 s -> still C s0 (with_global s f).
Proof. intros [F H Ca Hh]. split; auto. apply set_global_fits, F. Qed.

Lemma eval_still C l e s v s' : eval C l e s v s' -> modest_e P lmin false e = true ->
  fits s -> still C s s'.
Proof.
  intros H Hm F.
  apply (proj1 (runs_keep P lmin false n cg cd gs ds may_load no_stealing C (still C s)
    (still_meanwhile C s) (still_attribute C s) (still_global C s)
    (fun _ _ _ _ _ E => ltac:(discriminate E)) (fun _ _ _ _ E => match E with end))
    l e s v s' H Hm (still_refl C s F)).
Qed.

(** The calculus for these expressions. *)
Lemma eval_sound C R l e s v s' (Q : knowledge -> Z -> Prop) :
  purpose_of C = Looks -> mine C = None -> held C = None ->
  (forall c r, List.In (c, r) R -> core n c) ->
  eval C l e s v s' -> fits s -> hand s = [] ->
  wpe P n cg cd gs ds lmin C R of_none nobody false anywhere e l (fresh_knowledge None) Q ->
  play P s' R -> exists K, Q K v.
Proof.
  intros Hpu Hmi He Rc H F Hh Hw Hp.
  destruct (text_sound P n cg cd gs ds may_load lmin C R of_none nobody false anywhere no_stealing
    (fun _ => True) (fun _ => True) lmin_positive unit_loads loads_at_least states_distinct
    nobody_else_steals Rc) as (T & _); auto; try (intros; contradiction).
  - intros t Ht. congruence.
  - intros t c q x x' M. destruct M; [apply fine_refl | congruence | congruence].
  - intros K t c q x x' M _ _ _. destruct M; [left; auto | congruence | congruence].
  - destruct (T _ _ _ _ _ H) as [_ Te].
    destruct (Te (fresh_knowledge None) Q (fits_good _ _ _ F)) as (_ & K & _ & HQ); auto.
    + split; simpl; auto; try discriminate.
      * apply F.
      * intros _ _. left. exact Hh.
      * intros _ h E. congruence.
    + exists K. exact HQ.
Qed.

(** {1 The words of the source} *)

Lemma fold_length (f : nat -> list Z) qs :
  fold_right Z.add 0 (map (fun q => Z.of_nat (length (f q))) qs)
  = Z.of_nat (length (concat (map f qs))).
Proof. induction qs as [| q qs IH]; simpl; [reflexivity |]. rewrite length_app, IH. lia. Qed.

Lemma sum_of_member f t l : (forall x, lmin <= f x) -> List.In t l ->
  f t + lmin * (Z.of_nat (length l) - 1) <= sum f l.
Proof.
  intros H. induction l as [| x l IH]; intros [].
  - subst x. simpl. pose proof (sum_at_least lmin f l H). rewrite Nat2Z.inj_succ. nia.
  - simpl. specialize (IH H0). specialize (H x). rewrite Nat2Z.inj_succ. nia.
Qed.

Lemma sum_of_ones (l : list Z) : sum (fun _ => 1) l = Z.of_nat (length l).
Proof. induction l as [| x l IH]; simpl; [reflexivity |]. rewrite IH. lia. Qed.

Lemma ready_counted s c : fits s -> under_way s c = Free ->
  Permutation (ready_of s c) (concat (map (counted s c) (ready P))).
Proof.
  intros F E. destruct (fits_good _ _ _ F c) as [H _]. rewrite E in H. simpl in H.
  unfold transfer.ready_of.
  assert (Hs : forall q, List.In q (ready P) -> Permutation (queue s c q) (counted s c q))
    by (intros; apply H; right; assumption).
  clear - Hs. induction (ready P) as [| q qs IH]; simpl; [constructor |].
  apply Permutation_app; [apply Hs; left; reflexivity |].
  apply IH. intros x Hx. apply Hs. right. exact Hx.
Qed.

Lemma counts_split s c : under_way s c = Free ->
  count s c = count_in s c (running P)
    + Z.of_nat (length (concat (map (counted s c) (ready P)))).
Proof.
  intros E. unfold machine.count, spoken_of, count_in. rewrite E. simpl.
  rewrite length_app. lia.
Qed.

Lemma running_at_most s c : fits s -> under_way s c = Free -> count_in s c (running P) <= 1.
Proof.
  intros F E. destruct (fits_good _ _ _ F c) as [H _]. rewrite E in H. simpl in H.
  specialize (H (running P) (or_introl eq_refl)). apply Permutation_length in H.
  pose proof (fits_one _ _ _ F c) as O1. rewrite E in O1. simpl in O1.
  unfold count_in. lia.
Qed.

(** A core of two threads has a ready one. *)
Lemma some_ready s c : fits s -> under_way s c = Free -> 2 <= count s c -> ready_of s c <> [].
Proof.
  intros F E H Er. pose proof (ready_counted s c F E) as Hp. rewrite Er in Hp.
  apply Permutation_length in Hp. pose proof (counts_split s c E).
  pose proof (running_at_most s c F E). simpl in Hp. lia.
Qed.

Lemma sum_permutation f l l' : Permutation l l' -> sum f l = sum f l'.
Proof. induction 1; simpl; lia. Qed.

(** Another ready thread weighs as much as the lightest, and a third [lmin]. *)
Lemma lightest_weighs s c t a : load P = Some a -> fits s -> under_way s c = Free ->
  List.In t (ready_of s c) ->
  (forall y, List.In y (ready_of s c) -> attribute s t a <= attribute s y a) ->
  3 <= count s c -> 2 * attribute s t a + lmin <= cload P s c.
Proof.
  intros El F E Hin Hl H3.
  pose proof (ready_counted s c F E) as Hp. pose proof (counts_split s c E) as Hc.
  pose proof (running_at_most s c F E) as Hr.
  assert (L : forall x, lmin <= load_of P s x)
    by (intros; apply load_at_least; [exact unit_loads | apply F]).
  assert (Ea : forall x, load_of P s x = attribute s x a)
    by (intros; unfold load_of; rewrite El; reflexivity).
  destruct (in_split t _ Hin) as (l1 & l2 & Es).
  set (others := l1 ++ l2).
  assert (Hpo : Permutation (ready_of s c) (t :: others)).
  { rewrite Es. symmetry. apply Permutation_middle. }
  assert (Hs : cload P s c = load_of P s t
    + sum (load_of P s) (others ++ counted s c (running P))).
  { unfold cload. change (load_of P s t + sum (load_of P s) (others ++ counted s c (running P)))
      with (sum (load_of P s) ((t :: others) ++ counted s c (running P))).
    apply sum_permutation. unfold spoken_of. rewrite E. simpl.
    rewrite <- Hp, Hpo. rewrite Permutation_app_comm. reflexivity. }
  apply Permutation_length in Hp. pose proof (Permutation_length Hpo) as Hlo. simpl in Hlo.
  unfold count_in in *.
  destruct others as [| y r] eqn:Eo; [simpl in Hlo; lia |].
  assert (Hy : attribute s t a <= attribute s y a).
  { apply Hl. eapply Permutation_in; [symmetry; exact Hpo | right; left; reflexivity]. }
  pose proof (sum_of_member (load_of P s) y ((y :: r) ++ counted s c (running P)) L
    (or_introl eq_refl)) as Hm.
  rewrite length_app in Hm. simpl length in Hm, Hlo.
  rewrite !Ea in *. nia.
Qed.

Lemma words_exact D s src t : gives_to D <> Some src -> core n src -> fits s ->
  under_way s src = Free -> List.In t (ready_of s src) ->
  exact_words P lmin (fun w => look P n D s w src) (attribute s t).
Proof.
  intros Hg Hc F E Ht.
  pose proof (ready_counted s src F E) as Hp.
  assert (Hin : List.In t (concat (map (counted s src) (ready P)))) by (eapply Permutation_in; eassumption).
  assert (Er : ready_words P (fun w => look P n D s w src)
    = Z.of_nat (length (concat (map (counted s src) (ready P))))).
  { unfold ready_words. rewrite <- fold_length. f_equal. apply map_ext. intros q.
    apply (look_elsewhere P n D s (The_count_in q)); assumption. }
  unfold exact_words. rewrite Er.
  rewrite !(look_elsewhere P n D s) by assumption.
  split. { intros q. rewrite (look_elsewhere P n D s) by assumption. unfold count_in. lia. }
  split. { destruct (concat (map (counted s src) (ready P))); [destruct Hin | simpl; lia]. }
  split; [apply running_at_most; assumption |].
  split; [apply counts_split, E |].
  unfold cload, machine.count. destruct (load P) as [a |] eqn:El.
  - assert (L : forall x, lmin <= load_of P s x)
      by (intros; apply load_at_least; [exact unit_loads | apply F]).
    assert (Ea : forall x, load_of P s x = attribute s x a)
      by (intros; unfold load_of; rewrite El; reflexivity).
    rewrite <- Ea. split; [apply L |]. apply (sum_of_member (load_of P s)); [exact L |].
    unfold spoken_of. rewrite E. simpl. apply in_or_app. right. exact Hin.
  - assert (Ea : load_of P s = (fun _ => 1)).
    { unfold load_of. rewrite El. reflexivity. }
    rewrite Ea. apply sum_of_ones.
Qed.

End Stealing.
