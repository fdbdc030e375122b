(** The transfer of one thread: the handler takes the thread from a core and puts it
    on another core, and holds the lock of each. The fragments are those of
    doc/policy/semantics.md, after policy/theories/balancing.mlw. *)

From dromos.policy Require Export keeps.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Section Transfer.

Variable P : policy.
Variable n : Z.
Variable may_load : Z -> Prop.
Variable lmin : Z.
Hypothesis loads_at_least : forall v, may_load v -> lmin <= v.
Hypothesis states_distinct : NoDup (runnable P).
Hypothesis nobody_else_steals : alone P = true.

Notation other := (other P n may_load).
Notation meanwhile := (meanwhile P n may_load).
Notation moves := (moves P n may_load).
Notation count := (count P).
Notation zero := (zero P).
Notation light := (light P).

(** {1 Over time} *)

(** No core becomes [zero]. *)
Definition back0 (s s' : state) : Prop := forall j, zero s' j -> zero s j.
(** No core becomes overloaded. *)
Definition calm (s s' : state) : Prop :=
  back0 s s' /\ forall j, light s j -> light s' j.

Lemma back0_trans s1 s2 s3 : back0 s1 s2 -> back0 s2 s3 -> back0 s1 s3.
Proof. intros A B j H. apply A, B, H. Qed.
Lemma calm_refl s : calm s s.
Proof. split; [intros j H; exact H | auto]. Qed.
Lemma calm_trans s1 s2 s3 : calm s1 s2 -> calm s2 s3 -> calm s1 s3.
Proof. intros [A L] [B M]. split; [exact (back0_trans _ _ _ A B) | auto]. Qed.

Lemma later_calm s s' : (forall c, later P s s' c) -> calm s s'.
Proof.
  intros L. split; intros j; [apply zero_before, L | apply light_after, L].
Qed.

Lemma same_calm s s' : (forall c, same s s' c) -> calm s s'.
Proof. intros S. apply later_calm. intros c. apply same_later, S. Qed.

(** No core is overloaded if the given core is idle. *)
Definition settled (d : Z) (s : state) : Prop :=
  zero s d -> forall c, core n c -> light s c.

Lemma calm_settled s s' d : calm s s' -> settled d s -> settled d s'.
Proof. intros [B L] S Z c Hc. apply L, S; [apply B, Z | exact Hc]. Qed.

(** {1 At most one runs} *)

Lemma running_not_ready q : List.In q (ready P) -> q <> running P.
Proof. intros H ->. unfold runnable in states_distinct. inversion states_distinct; auto. Qed.

Ltac at_core k c :=
  unfold set1, set2; destruct (Z.eqb_spec k c) as [-> |]; cbn [andb];
    [| assumption].

Lemma other_one_runs C s s' : other C s s' -> one_runs P s -> one_runs P s'.
Proof.
  intros H O k. pose proof (O k) as Ok.
  destruct H; simpl; try exact Ok; at_core k c;
    repeat match goal with
    | E : under_way _ _ = _ |- _ => rewrite E in *; clear E
    | E : remove _ _ _ |- _ => apply insert_length in E
    | E : insert _ _ _ |- _ => apply insert_length in E
    end; cbn [runs_next] in *;
    unfold may_enter in *;
    repeat match goal with
    | H : ?a = running P -> queue _ _ ?a = [] |- _ =>
        destruct (Nat.eqb_spec a (running P)) as [-> |];
        [specialize (H eq_refl); rewrite H in * | clear H]
    | |- context [(running P =? ?a)%nat] => destruct (Nat.eqb_spec (running P) a) as [<- |]
    | |- context [(?a =? running P)%nat] => destruct (Nat.eqb_spec a (running P)) as [-> |]
    | H : context [(?a =? running P)%nat] |- _ => destruct (Nat.eqb_spec a (running P)) as [-> |]
    end; rewrite ?Nat.eqb_refl in *; simpl in *; try congruence; try lia.
  rewrite H5 in H4. discriminate H4.
Qed.

Lemma meanwhile_one_runs C s s' : meanwhile C s s' -> one_runs P s -> one_runs P s'.
Proof. induction 1; eauto using other_one_runs. Qed.

(** {1 Threads have numbers} *)

Lemma remove_in t l l' x : remove t l l' -> List.In x l' -> List.In x l.
Proof. intros (l1 & l2 & -> & ->). rewrite !in_app_iff. simpl. tauto. Qed.

Lemma remove_self t l l' : remove t l l' -> List.In t l.
Proof. intros (l1 & l2 & _ & ->). rewrite in_app_iff. simpl. tauto. Qed.

Lemma insert_in t l l' x : insert t l l' -> List.In x l' -> x = t \/ List.In x l.
Proof. intros (l1 & l2 & -> & ->). rewrite !in_app_iff. simpl. intuition. Qed.

Lemma valid_queue s c q l : threads_valid s ->
  (forall t, List.In t l -> 0 <= t) ->
  forall k a t, List.In t (set2 (queue s) c q l k a) -> 0 <= t.
Proof.
  intros V H k a t. unfold set2. destruct ((k =? c) && (a =? q)%nat); [apply H | apply V].
Qed.

Lemma other_valid C s s' : other C s s' -> threads_valid s -> threads_valid s'.
Proof.
  intros H V. assert (V0 := V).
  destruct H; try exact V0; intros k; simpl;
    match goal with
    | E : under_way s ?c = _ |- _ =>
        let Vc := fresh "Vc" in pose proof (proj2 (V c)) as Vc; rewrite E in Vc;
        (split; [try apply (V k); try (apply valid_queue; [exact V |]); intros x Hx |
          unfold set1; try (destruct (k =? c); [| apply (V k)])])
    end; try exact I; try assumption;
    repeat match goal with
    | R : remove _ (queue _ _ _) _, Hx : List.In _ _ |- 0 <= _ =>
        exact (proj1 (V _) _ _ (remove_in _ _ _ _ R Hx))
    | R : remove _ (queue _ _ _) _ |- 0 <= _ =>
        exact (proj1 (V _) _ _ (remove_self _ _ _ R))
    | R : insert _ (queue _ _ _) _, Hx : List.In _ _ |- 0 <= _ =>
        destruct (insert_in _ _ _ _ R Hx) as [-> | Hin]; [assumption | exact (proj1 (V _) _ _ Hin)]
    end.
  all: try (apply (V k)).
Qed.

Lemma meanwhile_valid C s s' : meanwhile C s s' -> threads_valid s -> threads_valid s'.
Proof. induction 1; eauto using other_valid. Qed.

(** {1 The invariant of states} *)

Record fits (s : state) : Prop := Fits {
  fits_good : good P s;
  fits_loads : loads_ok P lmin s;
  fits_one : one_runs P s;
  fits_valid : threads_valid s;
  fits_placed : placed s = -1;
}.

Lemma meanwhile_fits C s s' : meanwhile C s s' -> fits s ->
  fits s' /\ kept P C s s' /\ calm s s'.
Proof.
  intros M [G L O V Hp].
  destruct (meanwhile_kept P n may_load states_distinct nobody_else_steals C s s' M G) as [K G'].
  split; [split | split; [exact K | apply later_calm, K]].
  - exact G'.
  - exact (meanwhile_loads P n may_load lmin loads_at_least C s s' M L).
  - exact (meanwhile_one_runs C s s' M O).
  - exact (meanwhile_valid C s s' M V).
  - rewrite (kept_placed P _ _ _ K). exact Hp.
Qed.

(** {1 A thread is taken: fragments 1 and 2} *)

Definition ready_of (s : state) (c : Z) : list Z := concat (map (queue s c) (ready P)).

Record took (src t : Z) (s s' : state) : Prop := {
  took_ready : Permutation (ready_of s src) (t :: ready_of s' src);
  took_good : good P s';
  took_loads : loads_ok P lmin s -> loads_ok P lmin s';
  took_one : one_runs P s -> one_runs P s';
  took_valid : threads_valid s -> threads_valid s';
  took_placed : placed s' = placed s;
  took_free : under_way s' src = Free;
  took_count : count s' src = count s src - 1;
  took_b : b s' src = b s src;
  took_u : u s' src = u s src;
  took_loads_kept : forall x, List.In x (spoken_of P s' src) ->
    List.In x (spoken_of P s src) /\
    forall a, load P = Some a -> attribute s' x a = attribute s x a;
  took_later : forall j, j <> src -> later P s s' j;
}.

Lemma moves_took C t c q src s s' : purpose_of C = Takes -> held C = Some src ->
  moves C t c q s s' -> good P s ->
  (t < 0 \/ ~ core n c) /\ s' = s \/
  0 <= t /\ core n c /\ took src t s s' /\ hand s' = hand s ++ [(t, q)].
Proof.
  intros Hpu Hh M G. destruct M as [| | t c q src0 q0 s l s1 l' _ Ht Hc Hs E Hq Hr M Hl].
  - left. auto.
  - congruence.
  - right. assert (src0 = src) by congruence. subst src0. clear Hs.
    assert (Hq' : List.In q0 (runnable P)) by (right; exact Hq).
    pose proof (changes_left P s src t q0 l Hq' E Hr) as Ch1.
    fold (left s src q0 l t) in M. set (r := left s src q0 l t) in *.
    pose proof (changes_good P _ _ _ _ Ch1 G) as Gr.
    destruct (meanwhile_kept P n may_load states_distinct nobody_else_steals C r s1 M Gr) as [K1 G1].
    pose proof (kept_held P _ _ _ K1 src Hh) as S1.
    assert (E1 : under_way s1 src = Left_queue t q0).
    { destruct S1 as [-> _]. apply set1_same. }
    pose proof (changes_lowered P states_distinct s1 src t q0 l' Hq' E1 Hl) as Ch2.
    fold (lowered s1 src q0 l').
    assert (Cn : count (lowered s1 src q0 l') src = count s src - 1).
    { rewrite (changes_count P _ _ _ _ src Ch2 G1), Z.eqb_refl.
      unfold machine.count at 1. rewrite (same_spoken P _ _ _ S1). fold (count r src).
      rewrite (changes_count P _ _ _ _ src Ch1 G), Z.eqb_refl. lia. }
    split; [exact Ht |]. split; [exact Hc |]. split.
    + split.
      * destruct S1 as (_ & _ & _ & S1).
        assert (Nd : NoDup (ready P)) by (inversion states_distinct; assumption).
        destruct (concat_same (queue s) (ready P) q0 l src Nd Hq) as (l1 & l2 & E2 & E3).
        assert (E4 : ready_of (lowered s1 src q0 l') src
          = concat (map (set2 (queue s) src q0 l src) (ready P))).
        { unfold ready_of, lowered. simpl. f_equal. apply map_ext. intros x. apply S1. }
        change (Permutation (ready_of s src) (t :: ready_of (lowered s1 src q0 l') src)).
        rewrite E4, E3. unfold ready_of. rewrite E2.
        rewrite (Permutation_app_head l1 (Permutation_app_tail l2 (remove_permutation _ _ _ Hr))).
        symmetry. exact (Permutation_middle l1 (l ++ l2) t).
      * intros j. apply (same_phased P (lowered s1 src q0 l')); [repeat split |].
        apply (changes_good P _ _ _ _ Ch2 G1).
      * intros L. assert (Lr : loads_ok P lmin r) by exact (changes_loads P lmin _ _ _ _ Ch1 L).
        exact (meanwhile_loads P n may_load lmin loads_at_least C r s1 M Lr).
      * intros O. assert (Or : one_runs P r).
        { intros k. pose proof (O k) as Ok. unfold r, left. simpl. at_core k src.
          rewrite E in Ok. apply insert_length in Hr.
          destruct (Nat.eqb_spec (running P) q0) as [<- |]; simpl in *; lia. }
        pose proof (meanwhile_one_runs C r s1 M Or) as O1.
        intros k. specialize (O1 k). simpl. unfold set1.
        destruct (Z.eqb_spec k src) as [-> |]; [| exact O1]. rewrite E1 in O1. exact O1.
      * intros V. assert (Vr : threads_valid r).
        { intros k. split; [apply valid_queue; [exact V |] | unfold r, left; simpl; unfold set1;
            destruct (k =? src); [exact I | apply V]].
          intros x Hx. exact (proj1 (V _) _ _ (remove_in _ _ _ _ Hr Hx)). }
        pose proof (meanwhile_valid C r s1 M Vr) as V1. intros k. simpl. unfold set1.
        destruct (V1 k) as [A B]. split; [exact A |]. destruct (k =? src); [exact I | exact B].
      * simpl. rewrite (kept_placed P _ _ _ K1). reflexivity.
      * simpl. apply set1_same.
      * exact Cn.
      * destruct S1 as (_ & Hb & _). simpl. rewrite Hb. reflexivity.
      * destruct S1 as (_ & _ & Hu & _). simpl. rewrite Hu. reflexivity.
      * intros x Hx.
        assert (Hr1 : List.In x (spoken_of P r src)).
        { rewrite <- (same_spoken P _ _ _ S1). unfold spoken_of in *. rewrite E1.
          cbn [under_way counted with_hand lowered with_phase with_counted] in Hx.
          rewrite set1_same in Hx. cbn [between app] in *. apply in_concat in Hx.
          destruct Hx as (ts & Hts & Hx). apply in_map_iff in Hts. destruct Hts as (y & <- & Hy).
          unfold set2 in Hx. rewrite Z.eqb_refl in Hx. simpl in Hx.
          apply in_concat. exists (counted s1 src y). split; [apply in_map_iff; eauto |].
          destruct (Nat.eqb_spec y q0) as [-> |]; [exact (remove_in _ _ _ _ Hl Hx) | exact Hx]. }
        split.
        -- unfold spoken_of in *. rewrite E. unfold r, left in Hr1.
          cbn [under_way counted with_phase with_queue] in Hr1.
          rewrite set1_same in Hr1. exact Hr1.
        -- intros a El. exact (kept_loads P _ _ _ K1 src x a Hh El Hr1).
      * intros j Hj. apply (later_trans P s r).
        { apply same_later. apply Ch1, Hj. }
        apply (later_trans P r s1); [apply K1 |].
        apply same_later. destruct Ch2 as [Hs2 _]. specialize (Hs2 j Hj).
        destruct Hs2 as (A1 & A2 & A3 & A4). repeat split; try assumption; apply A4.
    + simpl. rewrite (kept_hand P _ _ _ K1). reflexivity.
Qed.

Lemma took_calm src t s s' : took src t s s' -> 2 <= count s src -> calm s s'.
Proof.
  intros T H. split; intros j.
  - destruct (Z.eq_dec j src) as [-> | Hne].
    + intros [E _]. rewrite (took_count _ _ _ _ T) in E. lia.
    + apply zero_before, (took_later _ _ _ _ T), Hne.
  - destruct (Z.eq_dec j src) as [-> | Hne].
    + unfold others.light. rewrite (took_u _ _ _ _ T), (took_count _ _ _ _ T). intros [L | L]; [auto | lia].
    + apply light_after, (took_later _ _ _ _ T), Hne.
Qed.

(** {1 A thread is put down: fragments 3 and 4} *)

Definition ready_ones (l : list (Z * nat)) : Prop :=
  Forall (fun p => 0 <= fst p /\ List.In (snd p) (ready P)) l.

Lemma puts_all C dst us : forall l s s', puts P n may_load C dst us l s s' ->
  fits s -> hand s = l -> under_way s dst = Free -> ready_ones l ->
  fits s' /\ hand s' = [] /\ back0 s s' /\ (us = true -> calm s s') /\
  (l <> [] -> ~ zero s' dst).
Proof.
  set (D := phase_of C dst [] (Some dst) None Looks).
  intros l s s' H. induction H as [s | t q r s s1 l s2 s3 s0 M1 Hi M2 Hp IH]; intros F Hh E Hq.
  - split; [exact F |]. split; [exact Hh |]. split; [intros j Hj; exact Hj |].
    split; [intros; apply calm_refl | congruence].
  - inversion Hq as [| p r' Hq1 Hqr Ep]; subst p r'. destruct Hq1 as [Ht Hq1]. simpl in Ht, Hq1.
    assert (Hqr1 : List.In q (runnable P)) by (right; exact Hq1).
    pose proof (running_not_ready q Hq1) as Hne.
    fold (raised s0 dst t q) in M1. set (r1 := with_hand (raised s0 dst t q) r) in *.
    fold D in M1, M2.
    assert (S0 : under_way s0 dst = Free) by (unfold s0; destruct us; exact E).
    assert (G0 : good P s0).
    { intros j. destruct (fits_good _ F j) as [A B]. unfold s0. destruct us; split; assumption. }
    pose proof (changes_raised P states_distinct s0 dst t q Hqr1 S0) as Ch1.
    pose proof (changes_good P _ _ _ _ Ch1 G0) as Gr.
    assert (C0 : forall j, count s0 j = count s j) by (intros; unfold s0; destruct us; reflexivity).
    assert (C1 : forall j, count r1 j = count s j + (if j =? dst then 1 else 0)).
    { intros j. rewrite <- C0. exact (changes_count P _ _ _ _ j Ch1 G0). }
    assert (B1 : forall j, b r1 j = b s j) by (intros; unfold r1, s0; destruct us; reflexivity).
    assert (U1 : forall j, u s j = true -> u r1 j = true).
    { intros j Hj. unfold r1, s0. destruct us; simpl; [| exact Hj].
      unfold set1. destruct (j =? dst); auto. }
    assert (Fr : fits r1).
    { split.
      - intros j. apply (same_phased P (raised s0 dst t q)); [repeat split | apply Gr].
      - intros a x Ea. pose proof (fits_loads _ F a x Ea). unfold r1, s0. destruct us; exact H.
      - intros k. pose proof (fits_one _ F k) as Ok.
        assert (Ok' : (length (queue s0 k (running P)) + runs_next P (under_way s0 k) <= 1)%nat)
          by (unfold s0; destruct us; exact Ok).
        unfold r1, raised. simpl. at_core k dst. rewrite S0 in Ok'.
        cbn [runs_next] in *. destruct (Nat.eqb_spec q (running P)); [congruence |]. exact Ok'.
      - intros k. destruct (fits_valid _ F k) as [A B].
        unfold r1, raised, s0. destruct us; simpl; unfold set1;
          (split; [exact A |]; destruct (k =? dst); [exact Ht | exact B]).
      - rewrite <- (fits_placed _ F). unfold r1, s0. destruct us; reflexivity. }
    destruct (meanwhile_fits D r1 s1 M1 Fr) as (F1 & K1 & Ca1).
    assert (E1 : under_way s1 dst = Raised t q).
    { destruct (kept_held P _ _ _ K1 dst eq_refl) as [-> _]. unfold r1. simpl. apply set1_same. }
    pose proof (changes_entered P s1 dst t q l E1 Hi) as Ch2.
    fold (entered s1 dst q l) in M2. set (r2 := entered s1 dst q l) in *.
    assert (C2 : forall j, count r2 j = count s1 j).
    { intros j. rewrite (changes_count P _ _ _ _ j Ch2 (fits_good _ F1)). destruct (j =? dst); lia. }
    assert (Ca2 : calm s1 r2).
    { split; intros j; unfold others.zero, others.light; rewrite C2; auto. }
    assert (Fr2 : fits r2).
    { split.
      - exact (changes_good P _ _ _ _ Ch2 (fits_good _ F1)).
      - exact (fits_loads _ F1).
      - intros k. pose proof (fits_one _ F1 k) as Ok. unfold r2, entered. simpl. at_core k dst.
        rewrite E1 in Ok. cbn [runs_next] in Ok.
        destruct (Nat.eqb_spec q (running P)); [congruence |].
        destruct (Nat.eqb_spec (running P) q); [congruence |]. exact Ok.
      - intros k. split.
        + apply valid_queue; [apply F1 |]. intros x Hx.
          destruct (insert_in _ _ _ _ Hi Hx) as [-> | Hin]; [exact Ht |].
          exact (proj1 (fits_valid _ F1 _) _ _ Hin).
        + unfold r2, entered. simpl. unfold set1. destruct (k =? dst); [exact I | apply F1].
      - exact (fits_placed _ F1). }
    destruct (meanwhile_fits D r2 s2 M2 Fr2) as (F2 & K2 & Ca3).
    assert (H2 : hand s2 = r).
    { rewrite (kept_hand P _ _ _ K2). change (hand s1 = r). rewrite (kept_hand P _ _ _ K1). reflexivity. }
    assert (E2 : under_way s2 dst = Free).
    { destruct (kept_held P _ _ _ K2 dst eq_refl) as [-> _]. apply set1_same. }
    destruct (IH F2 H2 E2 Hqr) as (F3 & Hh3 & Bk3 & Ca4 & Hnz).
    pose proof (calm_trans _ _ _ Ca1 (calm_trans _ _ _ Ca2 Ca3)) as Ca.
    assert (Bk1 : back0 s r1).
    { intros j [Z1 Z2]. rewrite C1 in Z1. rewrite B1 in Z2. pose proof (count_nonnegative P s j).
      split; [destruct (j =? dst); lia | exact Z2]. }
    split; [exact F3 |]. split; [exact Hh3 |].
    split; [exact (back0_trans _ _ _ Bk1 (back0_trans _ _ _ (proj1 Ca) Bk3)) |]. split.
    + intros Eu. apply (calm_trans s r1); [| exact (calm_trans _ _ _ Ca (Ca4 Eu))].
      split; [exact Bk1 |]. intros j. unfold others.light. rewrite C1.
      destruct (Z.eqb_spec j dst) as [-> |].
      * intros _. left. unfold r1, s0. rewrite Eu. simpl. apply set1_same.
      * intros [L | L]; [left; apply U1, L | right; lia].
    + intros _ Hz. apply Bk3, (proj1 Ca) in Hz. destruct Hz as [Z1 _].
      rewrite C1, Z.eqb_refl in Z1. pose proof (count_nonnegative P s dst). lia.
Qed.

End Transfer.
