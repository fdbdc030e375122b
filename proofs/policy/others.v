(** The effect of other handlers between two steps of a handler, after
    policy/theories/state.mlw: without U no word rises, without B no word falls. *)

From dromos.policy Require Export properties.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Arguments Z.add : simpl never.
Arguments Z.sub : simpl never.
Arguments Z.of_nat : simpl never.

(** {1 Lists} *)

Lemma insert_permutation t l l' : insert t l l' -> Permutation (t :: l) l'.
Proof. intros (l1 & l2 & -> & ->). apply Permutation_middle. Qed.

Lemma insert_length t l l' : insert t l l' -> length l' = S (length l).
Proof. intros H. rewrite <- (Permutation_length (insert_permutation _ _ _ H)). reflexivity. Qed.

Lemma remove_permutation t l l' : remove t l l' -> Permutation l (t :: l').
Proof. intros H. symmetry. apply insert_permutation, H. Qed.

Lemma set2_same {A} (f : Z -> nat -> A) k a v : set2 f k a v k a = v.
Proof. unfold set2. rewrite Z.eqb_refl, Nat.eqb_refl. reflexivity. Qed.

Lemma set2_other {A} (f : Z -> nat -> A) k a v i j :
  i <> k \/ j <> a -> set2 f k a v i j = f i j.
Proof.
  unfold set2. intros [H | H].
  - destruct (Z.eqb_spec i k); [contradiction | reflexivity].
  - destruct (Nat.eqb_spec j a); [contradiction |]. rewrite andb_false_r. reflexivity.
Qed.

Lemma set1_same {A} (f : Z -> A) k v : set1 f k v k = v.
Proof. unfold set1. rewrite Z.eqb_refl. reflexivity. Qed.

Lemma set1_other {A} (f : Z -> A) k v i : i <> k -> set1 f k v i = f i.
Proof. unfold set1. intros H. destruct (Z.eqb_spec i k); [contradiction | reflexivity]. Qed.

(** All the queues of a core, with one of them changed. *)
Lemma concat_other (f : Z -> nat -> list Z) qs k a l c :
  c <> k \/ ~ List.In a qs ->
  concat (map (set2 f k a l c) qs) = concat (map (f c) qs).
Proof.
  intros H. f_equal. apply map_ext_in. intros q Hq. apply set2_other.
  destruct H as [H | H]; [left; exact H | right]. congruence.
Qed.

Lemma concat_same (f : Z -> nat -> list Z) qs a l c : NoDup qs -> List.In a qs ->
  exists l1 l2, concat (map (f c) qs) = l1 ++ f c a ++ l2 /\
    concat (map (set2 f c a l c) qs) = l1 ++ l ++ l2.
Proof.
  induction qs as [| q qs IH]; intros Hd Hin; [destruct Hin |].
  inversion Hd as [| ? ? Hnot Hd']; subst. simpl.
  destruct (Nat.eq_dec q a) as [-> | Hne].
  - exists [], (concat (map (f c) qs)). split; [reflexivity |].
    rewrite set2_same. simpl. f_equal. apply concat_other. right. exact Hnot.
  - destruct Hin as [-> | Hin]; [congruence |].
    destruct (IH Hd' Hin) as (l1 & l2 & E1 & E2).
    exists (f c q ++ l1), l2. rewrite E1, E2, set2_other by (right; congruence).
    rewrite <- !app_assoc. split; reflexivity.
Qed.

Section Others.

Variable P : policy.
Variable n : Z.
Variable may_load : Z -> Prop.
Variable lmin : Z.
Hypothesis loads_at_least : forall v, may_load v -> lmin <= v.
Hypothesis states_distinct : NoDup (runnable P).
Hypothesis nobody_else_steals : alone P = true.

Notation other := (other P n may_load).
Notation meanwhile := (meanwhile P n may_load).
Notation count := (count P).
Notation spoken_of := (spoken_of P).

(** {1 Words} *)

Lemma count_nonnegative s c : 0 <= count s c.
Proof. unfold machine.count. lia. Qed.

(** The meaning of [under_way] for a core in a sound state. *)
Definition phased (s : state) (c : Z) : Prop :=
  (forall q, List.In q (runnable P) ->
     in_phase (under_way s c) q (queue s c q) (counted s c q)) /\
  match under_way s c with
  | Free => True
  | Left_queue _ q | Raised _ q | Shift_lowered _ q | Shift_raised _ q =>
      List.In q (runnable P)
  | Shift_left _ q q' => List.In q (runnable P) /\ List.In q' (runnable P)
  end.

Definition loads_ok (s : state) : Prop :=
  forall a t, load P = Some a -> lmin <= attribute s t a.

Lemma sound_phased cg cd gs ds s : sound P n cg cd gs ds s ->
  forall c, phased s c.
Proof.
  intros (H1 & H2 & H3 & _) c. split; [apply H1 |].
  specialize (H2 c). specialize (H3 c). destruct (under_way s c); auto.
Qed.

(** The core's words count the threads on the core and, while a move is under way
    there, one more. *)
Lemma count_real s c : phased s c ->
  real P s c = match under_way s c with Free => count s c | _ => count s c - 1 end.
Proof.
  intros [H Hin]. unfold real, machine.count, machine.spoken_of.
  assert (same : forall (f g : nat -> list Z) qs,
    (forall q, List.In q qs -> Permutation (f q : list Z) (g q)) ->
    length (concat (map f qs)) = length (concat (map g qs))).
  { intros f g qs. induction qs as [| q qs IH]; intros E; simpl; [reflexivity |].
    rewrite !length_app, (Permutation_length (E q (or_introl eq_refl))), IH; auto.
    intros; apply E; right; assumption. }
  assert (one : forall (f g : nat -> list Z) t a qs, NoDup qs -> List.In a qs ->
    (forall q, List.In q qs -> if (q =? a)%nat then Permutation (t :: f q) (g q)
       else Permutation (f q) (g q)) ->
    S (length (concat (map f qs))) = length (concat (map g qs))).
  { intros f g t a qs. induction qs as [| q qs IH]; intros Hd Ha E; [destruct Ha |].
    inversion Hd as [| ? ? Hnot Hd']; subst. simpl. rewrite !length_app.
    pose proof (E q (or_introl eq_refl)) as Eq.
    destruct (Nat.eqb_spec q a) as [-> | Hne].
    - apply Permutation_length in Eq. simpl in Eq. rewrite <- Eq. simpl.
      f_equal. f_equal. apply same. intros q Hq.
      specialize (E q (or_intror Hq)). destruct (Nat.eqb_spec q a); [congruence | exact E].
    - destruct Ha as [-> | Ha]; [congruence |].
      rewrite (Permutation_length Eq), <- (IH Hd' Ha), Nat.add_succ_r; [reflexivity |].
      intros; apply E; right; assumption. }
  destruct (under_way s c) as [| t q | t q | t q q' | t q' | t q'];
    cbn [in_phase between app length] in *.
  - rewrite (same (queue s c) (counted s c)); [lia | exact H].
  - rewrite <- (one (queue s c) (counted s c) t q _ states_distinct Hin H). lia.
  - rewrite <- (one (queue s c) (counted s c) t q _ states_distinct Hin H). lia.
  - rewrite <- (one (queue s c) (counted s c) t q _ states_distinct (proj1 Hin) H). lia.
  - rewrite (same (queue s c) (counted s c)); [lia | exact H].
  - rewrite <- (one (queue s c) (counted s c) t q' _ states_distinct Hin H). lia.
Qed.

(** {1 One core, before and after} *)

Definition later (s s' : state) (c : Z) : Prop :=
  (b s c = true -> b s' c = true) /\ (u s c = true -> u s' c = true) /\
  (u s' c = false -> count s' c <= count s c) /\
  (b s' c = false -> count s c <= count s' c).

Definition same (s s' : state) (c : Z) : Prop :=
  under_way s' c = under_way s c /\ b s' c = b s c /\ u s' c = u s c /\
  forall q, queue s' c q = queue s c q /\ counted s' c q = counted s c q.

Lemma later_refl s c : later s s c.
Proof. unfold later. split; [auto | split; [auto | split; intros; apply Z.le_refl]]. Qed.

Lemma later_trans s1 s2 s3 c : later s1 s2 c -> later s2 s3 c -> later s1 s3 c.
Proof.
  intros (B1 & U1 & L1 & G1) (B2 & U2 & L2 & G2).
  split; [auto | split; [auto | split]]; intros H.
  - assert (E : u s2 c = false) 
      by (destruct (u s2 c); [specialize (U2 eq_refl); congruence | reflexivity]).
    specialize (L1 E). specialize (L2 H). lia.
  - assert (E : b s2 c = false) 
      by (destruct (b s2 c); [specialize (B2 eq_refl); congruence | reflexivity]).
    specialize (G1 E). specialize (G2 H). lia.
Qed.

Lemma same_refl s c : same s s c.
Proof. repeat split. Qed.

Lemma same_trans s1 s2 s3 c : same s1 s2 c -> same s2 s3 c -> same s1 s3 c.
Proof.
  intros (A1 & A2 & A3 & A4) (B1 & B2 & B3 & B4).
  repeat split; try congruence; destruct (A4 q), (B4 q); congruence.
Qed.

Lemma same_spoken s s' c : same s s' c -> spoken_of s' c = spoken_of s c.
Proof.
  intros (A1 & _ & _ & A4). unfold machine.spoken_of. rewrite A1. f_equal. f_equal.
  apply map_ext. intros q. apply A4.
Qed.

Lemma same_later s s' c : same s s' c -> later s s' c.
Proof.
  intros H. pose proof (same_spoken _ _ _ H) as E. destruct H as (_ & Hb & Hu & _).
  unfold later, machine.count. rewrite E, Hb, Hu.
  split; [auto | split; [auto | split; intros; apply Z.le_refl]].
Qed.

Lemma same_phased s s' c : same s s' c -> phased s c -> phased s' c.
Proof.
  intros (A1 & _ & _ & A4) [H1 H2]. split.
  - intros q Hq. rewrite A1. destruct (A4 q) as [-> ->]. auto.
  - rewrite A1. exact H2.
Qed.

(** {1 One step} *)

Definition total (f : nat -> list Z) : Z := Z.of_nat (length (concat (map f (runnable P)))).

Lemma count_total s c :
  count s c = Z.of_nat (length (between (under_way s c))) + total (counted s c).
Proof. unfold machine.count, machine.spoken_of, total. rewrite length_app. lia. Qed.

Lemma total_set f c a l : List.In a (runnable P) ->
  total (set2 f c a l c) =
  total (f c) - Z.of_nat (length (f c a)) + Z.of_nat (length l).
Proof.
  intros H. unfold total.
  destruct (concat_same f (runnable P) a l c states_distinct H) as (l1 & l2 & E1 & E2).
  rewrite E1, E2, !length_app. lia.
Qed.

(** The effect of a step on the step's core, and on the other cores. *)
Definition step_of (c : Z) (s s' : state) : Prop :=
  (forall k, k <> c -> same s s' k) /\
  (phased s c -> later s s' c /\ phased s' c) /\
  hand s' = hand s /\ placed s' = placed s /\
  (forall i a, attribute s' i a = attribute s i a).

Ltac elsewhere :=
  intros k Hk; unfold same; simpl;
  repeat split; intros; rewrite ?set1_other, ?set2_other by auto; reflexivity.

Lemma step_leaves s c t q l : List.In q (runnable P) -> under_way s c = Free ->
  remove t (queue s c q) l ->
  step_of c s (with_b (with_phase (with_queue s c q l) c (Left_queue t q)) c).
Proof.
  intros Hq E H. split; [elsewhere | split; [| repeat split; simpl; auto]].
  intros [Hp _]. rewrite E in Hp. split.
  - unfold later. rewrite !count_total. simpl. rewrite !set1_same, E. simpl.
    split; [auto | split; [auto | split; intros; [lia | discriminate]]].
  - unfold phased. simpl. rewrite set1_same. split; [| exact Hq].
    intros q' Hq'. specialize (Hp q' Hq'). simpl in *.
    destruct (Nat.eqb_spec q' q) as [Heq | Hne]; [subst q' |].
    + rewrite set2_same, <- Hp. symmetry. apply remove_permutation, H.
    + rewrite set2_other by auto. exact Hp.
Qed.

Lemma step_lowers s c t q l : under_way s c = Left_queue t q ->
  remove t (counted s c q) l ->
  step_of c s (with_b (with_phase (with_counted s c q l) c Free) c).
Proof.
  intros E H. split; [elsewhere | split; [| repeat split; simpl; auto]].
  intros [Hp Hq]. rewrite E in Hp, Hq. split.
  - unfold later. rewrite !count_total. simpl. rewrite !set1_same, E. simpl.
    rewrite total_set by exact Hq. pose proof (insert_length _ _ _ H).
    split; [auto | split; [auto | split; intros; [lia | discriminate]]].
  - unfold phased. simpl. rewrite set1_same. split; [| exact I].
    intros q' Hq'. specialize (Hp q' Hq'). simpl in *.
    destruct (Nat.eqb_spec q' q) as [Heq | Hne]; [subst q' |].
    + rewrite set2_same. apply (Permutation_cons_inv (a := t)).
      rewrite Hp. apply remove_permutation, H.
    + rewrite set2_other by auto. exact Hp.
Qed.

Lemma step_raises s c t q : List.In q (runnable P) -> under_way s c = Free ->
  step_of c s (with_u (with_phase (with_counted s c q (t :: counted s c q)) c (Raised t q)) c).
Proof.
  intros Hq E. split; [elsewhere | split; [| repeat split; simpl; auto]].
  intros [Hp _]. rewrite E in Hp. split.
  - unfold later. rewrite !count_total. simpl. rewrite !set1_same, E. simpl.
    rewrite total_set by exact Hq. cbn [length].
    split; [auto | split; [auto | split; intros; [discriminate | lia]]].
  - unfold phased. simpl. rewrite set1_same. split; [| exact Hq].
    intros q' Hq'. specialize (Hp q' Hq'). simpl in *.
    destruct (Nat.eqb_spec q' q) as [Heq | Hne]; [subst q' |].
    + rewrite set2_same. constructor. exact Hp.
    + rewrite set2_other by auto. exact Hp.
Qed.

Lemma step_enters s c t q l : under_way s c = Raised t q ->
  insert t (queue s c q) l ->
  step_of c s (with_u (with_phase (with_queue s c q l) c Free) c).
Proof.
  intros E H. split; [elsewhere | split; [| repeat split; simpl; auto]].
  intros [Hp Hq]. rewrite E in Hp, Hq. split.
  - unfold later. rewrite !count_total. simpl. rewrite !set1_same, E. simpl.
    split; [auto | split; [auto | split; intros; [discriminate | lia]]].
  - unfold phased. simpl. rewrite set1_same. split; [| exact I].
    intros q' Hq'. specialize (Hp q' Hq'). simpl in *.
    destruct (Nat.eqb_spec q' q) as [Heq | Hne]; [subst q' |].
    + rewrite set2_same, <- Hp. symmetry. apply insert_permutation, H.
    + rewrite set2_other by auto. exact Hp.
Qed.

Lemma step_shifts s c t q q1 l : List.In q (runnable P) -> List.In q1 (runnable P) ->
  under_way s c = Free -> remove t (queue s c q) l ->
  step_of c s (with_phase (with_queue s c q l) c (Shift_left t q q1)).
Proof.
  intros Hq Hq1 E H. split; [elsewhere | split; [| repeat split; simpl; auto]].
  intros [Hp _]. rewrite E in Hp. split.
  - unfold later. rewrite !count_total. simpl. rewrite !set1_same, E. simpl.
    split; [auto | split; [auto | split; intros; lia]].
  - unfold phased. simpl. rewrite set1_same. split; [| auto].
    intros q' Hq'. specialize (Hp q' Hq'). simpl in *.
    destruct (Nat.eqb_spec q' q) as [Heq | Hne]; [subst q' |].
    + rewrite set2_same, <- Hp. symmetry. apply remove_permutation, H.
    + rewrite set2_other by auto. exact Hp.
Qed.

Lemma step_shift_lowers s c t q q1 l : under_way s c = Shift_left t q q1 ->
  remove t (counted s c q) l ->
  step_of c s (with_phase (with_counted s c q l) c (Shift_lowered t q1)).
Proof.
  intros E H. split; [elsewhere | split; [| repeat split; simpl; auto]].
  intros [Hp Hq]. rewrite E in Hp, Hq. destruct Hq as [Hq Hq1]. split.
  - unfold later. rewrite !count_total. simpl. rewrite !set1_same, E. simpl.
    rewrite total_set by exact Hq. pose proof (insert_length _ _ _ H).
    split; [auto | split; [auto | split; intros; lia]].
  - unfold phased. simpl. rewrite set1_same. split; [| exact Hq1].
    intros q' Hq'. specialize (Hp q' Hq'). simpl in *.
    destruct (Nat.eqb_spec q' q) as [Heq | Hne]; [subst q' |].
    + rewrite set2_same. apply (Permutation_cons_inv (a := t)).
      rewrite Hp. apply remove_permutation, H.
    + rewrite set2_other by auto. exact Hp.
Qed.

Lemma step_shift_raises s c t q1 : under_way s c = Shift_lowered t q1 ->
  step_of c s (with_phase (with_counted s c q1 (t :: counted s c q1)) c (Shift_raised t q1)).
Proof.
  intros E. split; [elsewhere | split; [| repeat split; simpl; auto]].
  intros [Hp Hq]. rewrite E in Hp, Hq. split.
  - unfold later. rewrite !count_total. simpl. rewrite !set1_same, E. simpl.
    rewrite total_set by exact Hq. cbn [length].
    split; [auto | split; [auto | split; intros; lia]].
  - unfold phased. simpl. rewrite set1_same. split; [| exact Hq].
    intros q' Hq'. specialize (Hp q' Hq'). simpl in *.
    destruct (Nat.eqb_spec q' q1) as [Heq | Hne]; [subst q' |].
    + rewrite set2_same. constructor. exact Hp.
    + rewrite set2_other by auto. exact Hp.
Qed.

Lemma step_shift_enters s c t q1 l : under_way s c = Shift_raised t q1 ->
  insert t (queue s c q1) l ->
  step_of c s (with_phase (with_queue s c q1 l) c Free).
Proof.
  intros E H. split; [elsewhere | split; [| repeat split; simpl; auto]].
  intros [Hp Hq]. rewrite E in Hp, Hq. split.
  - unfold later. rewrite !count_total. simpl. rewrite !set1_same, E. simpl.
    split; [auto | split; [auto | split; intros; lia]].
  - unfold phased. simpl. rewrite set1_same. split; [| exact I].
    intros q' Hq'. specialize (Hp q' Hq'). simpl in *.
    destruct (Nat.eqb_spec q' q1) as [Heq | Hne]; [subst q' |].
    + rewrite set2_same, <- Hp. symmetry. apply insert_permutation, H.
    + rewrite set2_other by auto. exact Hp.
Qed.

(** {1 Any number of steps} *)

(** The invariant of states. *)
Definition good (s : state) : Prop := forall c, phased s c.

(** The data of [C] that other handlers leave unchanged. *)
Record kept (C : context) (s s' : state) : Prop := {
  kept_later : forall c, later s s' c;
  kept_held : forall c, held C = Some c -> same s s' c;
  kept_hand : hand s' = hand s;
  kept_placed : placed s' = placed s;
  kept_mine : forall i a, protected P C s i -> attribute s' i a = attribute s i a;
  kept_loads : forall c t a, held C = Some c -> load P = Some a ->
    List.In t (spoken_of s c) -> attribute s' t a = attribute s t a;
}.

Lemma kept_refl C s : kept C s s.
Proof. split; intros; auto using later_refl, same_refl. Qed.

Lemma kept_trans C s1 s2 s3 : kept C s1 s2 -> kept C s2 s3 -> kept C s1 s3.
Proof.
  intros [L1 H1 A1 P1 M1 W1] [L2 H2 A2 P2 M2 W2]. split; intros.
  - eapply later_trans; eauto.
  - eapply same_trans; eauto.
  - congruence.
  - congruence.
  - rewrite M2, M1; auto. unfold protected in *. rewrite P1. auto.
  - transitivity (attribute s2 t a); [| apply (W1 c); auto].
    apply (W2 c); auto. rewrite (same_spoken s1 s2 c (H1 c H)). assumption.
Qed.

Lemma step_kept C c s s' : held C <> Some c -> step_of c s s' -> good s ->
  kept C s s' /\ good s'.
Proof.
  intros Hh (He & Hc & Hhand & Hplaced & Ha) Hp. destruct (Hc (Hp c)) as [Hlater Hphased].
  split.
  - split; auto.
    + intros k. destruct (Z.eq_dec k c) as [-> | Hne]; [exact Hlater |].
      apply same_later, He, Hne.
    + intros k Hk. apply He. congruence.
  - intros k. destruct (Z.eq_dec k c) as [-> | Hne]; [exact Hphased |].
    apply (same_phased s); [apply He, Hne | apply Hp].
Qed.

Lemma same_kept C s s' : (forall c, same s s' c) -> hand s' = hand s -> placed s' = placed s ->
  (forall i a, protected P C s i -> attribute s' i a = attribute s i a) ->
  (forall c t a, held C = Some c -> load P = Some a -> List.In t (spoken_of s c) ->
     attribute s' t a = attribute s t a) ->
  good s -> kept C s s' /\ good s'.
Proof.
  intros S Hh Hp Hm Hl G. split.
  - split; auto. intros c. apply same_later, S.
  - intros c. apply (same_phased s); auto.
Qed.

Lemma other_kept C s s' : other C s s' -> good s -> kept C s s' /\ good s'.
Proof.
  intros H G. destruct H.
  - eapply step_kept; eauto using step_leaves.
  - eapply step_kept; eauto using step_lowers.
  - eapply step_kept; eauto using step_raises.
  - eapply step_kept; eauto using step_enters.
  - eapply step_kept; eauto using step_shifts.
  - eapply step_kept; eauto using step_shift_lowers.
  - eapply step_kept; eauto using step_shift_raises.
  - eapply step_kept; eauto using step_shift_enters.
  - congruence.
  - congruence.
  - apply same_kept; simpl; auto; [intros; repeat split | |]; intros; apply set2_other.
    + left. congruence.
    + right. unfold is_load in H. congruence.
  - apply same_kept; simpl; auto; [intros; repeat split | |]; intros; apply set2_other; left.
    + intros ->. apply H0. destruct H4 as (A1 & A2 & _). split; assumption.
    + intros ->. eapply H2. eassumption.
  - apply same_kept; simpl; auto. intros; repeat split.
Qed.

Lemma meanwhile_kept C s s' : meanwhile C s s' -> good s -> kept C s s' /\ good s'.
Proof.
  induction 1 as [s | s s1 s2 _ IH H]; intros G.
  - split; [apply kept_refl | exact G].
  - destruct (IH G) as [K1 G1]. destruct (other_kept _ _ _ H G1) as [K2 G2].
    split; [exact (kept_trans _ _ _ _ K1 K2) | exact G2].
Qed.

Lemma other_loads C s s' : other C s s' -> loads_ok s -> loads_ok s'.
Proof.
  intros H L. destruct H; try exact L.
  - intros a' t E. simpl. rewrite set2_other; [apply L, E |].
    right. unfold is_load in H. congruence.
  - intros a' t' E. simpl. unfold set2.
    destruct ((t' =? t) && (a' =? a)%nat); [apply loads_at_least, H1 | apply L, E].
Qed.

Lemma meanwhile_loads C s s' : meanwhile C s s' -> loads_ok s -> loads_ok s'.
Proof. induction 1; eauto using other_loads. Qed.

(** {1 Consequences for a core over time}

    [zero]: the core will count as idle in the end. [light]: the core will not count
    as overloaded in the end. A core that is zero was zero before; a core that is
    light stays light. *)

Definition zero (s : state) (d : Z) := count s d = 0 /\ b s d = false.
Definition light (s : state) (c : Z) := u s c = true \/ count s c <= 1.
Definition free (s : state) (c : Z) := u s c = true \/ count s c <= 0.

Lemma zero_before s s' d : later s s' d -> zero s' d -> zero s d.
Proof.
  intros (B & _ & _ & G) [E F]. pose proof (count_nonnegative s d). specialize (G F).
  split; [lia | destruct (b s d); auto]. specialize (B eq_refl). congruence.
Qed.

Lemma light_after s s' c : later s s' c -> light s c -> light s' c.
Proof.
  intros (_ & U & L & _) [H | H]; [left; auto |].
  destruct (u s' c) eqn:E; [left; auto | right]. specialize (L eq_refl). lia.
Qed.

Lemma free_after s s' c : later s s' c -> free s c -> free s' c.
Proof.
  intros (_ & U & L & _) [H | H]; [left; auto |].
  destruct (u s' c) eqn:E; [left; auto | right]. specialize (L eq_refl). lia.
Qed.

Lemma breaks_not_light s c d : good s -> breaks P n s c d -> ~ light s c /\ zero s d.
Proof.
  intros Hp (_ & _ & Ho & Hu & Hi & Hb & Hs). unfold overloaded, idle, synch in *.
  pose proof (count_real s c (Hp c)) as Rc. pose proof (count_real s d (Hp d)) as Rd.
  rewrite Hs in Rd. split.
  - intros [L | L]; [congruence |]. destruct (under_way s c); lia.
  - split; [lia | exact Hb].
Qed.

End Others.
