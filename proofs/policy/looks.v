(** A handler's knowledge about the cores that it looks at, after
    policy/theories/looks.mlw.

    Suppose that a core will be idle in the end, without B: then every look at the
    core, at any time, gave 0. Suppose that a core will hold [k] threads in the end,
    without U: then every look at the core gave at least [k]. *)

From dromos.policy Require Export others.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Inductive role := Idle | Busy (k : Z).

Section Looks.

Variable P : policy.
Variable n : Z.
Variable may_load : Z -> Prop.
Variable lmin : Z.
Hypothesis lmin_positive : 1 <= lmin.
Hypothesis unit_loads : load P = None -> lmin = 1.
Hypothesis loads_at_least : forall v, may_load v -> lmin <= v.
Hypothesis states_distinct : NoDup (runnable P).
Hypothesis nobody_else_steals : alone P = true.

Notation count := (count P).
Notation spoken_of := (spoken_of P).
Notation look := (look P n).

(** {1 Roles} *)

(** A thread that the handler itself has put on the core does not count. *)
Definition own (s : state) (c : Z) : Z := if (0 <=? c) && (placed s =? c) then 1 else 0.

Definition plays (s : state) (c : Z) (r : role) : Prop :=
  match r with
  | Idle => zero P s c
  | Busy k => u s c = false /\ k <= count s c - own s c
  end.

Definition play (s : state) (roles : list (Z * role)) : Prop :=
  forall c r, List.In (c, r) roles -> plays s c r.

(** The cores had these roles before, too. *)
Lemma plays_before s s' c r : placed s' = placed s ->
  later P s s' c -> plays s' c r -> plays s c r.
Proof.
  intros Hpl L. destruct r as [| k]; simpl; [apply zero_before, L |].
  destruct L as (_ & U & L & _). unfold own. rewrite Hpl.
  intros [E H]. specialize (L E). split; [| lia].
  destruct (u s c); [specialize (U eq_refl); congruence | reflexivity].
Qed.

Lemma play_before s s' roles : placed s' = placed s -> (forall c, later P s s' c) -> play s' roles -> play s roles.
Proof. intros Hpl L H c r Hin. apply (plays_before _ s'); auto. Qed.

(** {1 Words} *)

Lemma load_at_least s t : loads_ok P lmin s -> lmin <= load_of P s t.
Proof.
  intros H. unfold load_of. destruct (load P) as [a |] eqn:E; [apply H, E |].
  rewrite (unit_loads eq_refl). lia.
Qed.

Lemma sum_at_least f l : (forall t, lmin <= f t) -> lmin * Z.of_nat (length l) <= sum f l.
Proof.
  intros H. induction l as [| x l IH]; simpl; [lia |]. specialize (H x).
  rewrite Nat2Z.inj_succ. nia.
Qed.

Lemma cload_at_least s c : loads_ok P lmin s -> lmin * count s c <= cload P s c.
Proof. intros H. apply sum_at_least. intros t. apply load_at_least, H. Qed.

Lemma cload_of_none s c : count s c = 0 -> cload P s c = 0.
Proof.
  unfold machine.count, cload. destruct (spoken_of s c); simpl; [reflexivity | lia].
Qed.

Lemma count_in_at_most s c q : List.In q (runnable P) ->
  count_in s c q <= count s c.
Proof.
  intros H. rewrite count_total. unfold count_in, total.
  destruct (concat_same (counted s) (runnable P) q [] c states_distinct H)
    as (l1 & l2 & E & _).
  rewrite E, !length_app. lia.
Qed.

(** The meaning of a number that a look gave. *)
Definition of_role (r : role) (w : word) (v : Z) : Prop :=
  match r, w with
  | Idle, The_count_in q =>
      if existsb (Nat.eqb q) (runnable P) then v = 0 else True
  | Idle, _ => v = 0
  | Busy k, The_count => k <= v
  | Busy k, The_cload => lmin * k <= v
  | Busy _, The_count_in _ => True
  end.

Fixpoint said (roles : list (Z * role)) (c : Z) (w : word) (v : Z) : Prop :=
  match roles with
  | [] => 0 <= v
  | (d, r) :: rest => (c = d -> of_role r w v) /\ said rest c w v
  end.

Definition nothing_given (C : context) (s : state) : Prop := hand s = [] \/ gives_to C = None.

Lemma look_plain C s w c : nothing_given C s -> core n c ->
  look C s w c = match w with
    | The_cload => cload P s c | The_count => count s c
    | The_count_in q => count_in s c q end.
Proof.
  intros H [H1 H2]. unfold machine.look.
  replace (negb ((0 <=? c) && (c <? n))) with false by
    (symmetry; rewrite negb_false_iff, andb_true_iff, Z.leb_le, Z.ltb_lt; lia).
  assert (E : match gives_to C with Some d => if d =? c then hand s else [] | None => [] end = []).
  { destruct H as [-> | ->]; [| reflexivity]. destruct (gives_to C); [| reflexivity].
    destruct (z =? c); reflexivity. }
  rewrite E. destruct w; simpl; lia.
Qed.

(** A core that the handler does not steal for. *)
Lemma look_elsewhere C s w c : gives_to C <> Some c -> core n c ->
  look C s w c = match w with
    | The_cload => cload P s c | The_count => count s c
    | The_count_in q => count_in s c q end.
Proof.
  intros H [H1 H2]. unfold machine.look.
  replace (negb ((0 <=? c) && (c <? n))) with false by
    (symmetry; rewrite negb_false_iff, andb_true_iff, Z.leb_le, Z.ltb_lt; lia).
  destruct (gives_to C) as [d |]; [destruct (Z.eqb_spec d c); [congruence |] |];
    destruct w; simpl; lia.
Qed.

Lemma sum_nonnegative f l : (forall t, lmin <= f t) -> 0 <= sum f l.
Proof. intros H. pose proof (sum_at_least f l H). nia. Qed.

Lemma look_nonnegative C s w c : loads_ok P lmin s -> 0 <= look C s w c.
Proof.
  intros H. unfold machine.look. destruct (negb _); [lia |].
  assert (L : forall t, lmin <= load_of P s t) by (intros; apply load_at_least, H).
  destruct w.
  - pose proof (cload_at_least s c H). pose proof (count_nonnegative P s c).
    pose proof (sum_nonnegative (load_of P s)
      (map fst match gives_to C with Some d => if d =? c then hand s else [] | None => [] end) L).
    nia.
  - pose proof (count_nonnegative P s c). lia.
  - unfold count_in. lia.
Qed.

Lemma look_of_role C s w c r : loads_ok P lmin s -> nothing_given C s -> core n c ->
  plays s c r -> of_role r w (look C s w c).
Proof.
  intros Hl Hg Hc Hp. rewrite look_plain by assumption.
  destruct r as [| k], w as [| | q]; cbn [of_role plays] in *; auto.
  - apply cload_of_none, Hp.
  - apply Hp.
  - destruct (existsb (Nat.eqb q) (runnable P)) eqn:E; [| exact I].
    apply existsb_exists in E. destruct E as (q' & Hin & E).
    apply Nat.eqb_eq in E. subst q'.
    pose proof (count_in_at_most s c q Hin). destruct Hp as [Hz _].
    unfold count_in in *. lia.
  - pose proof (cload_at_least s c Hl). destruct Hp as [_ Hp]. unfold own in Hp.
    destruct ((0 <=? c) && (placed s =? c)); nia.
  - destruct Hp as [_ Hp]. unfold own in Hp. destruct ((0 <=? c) && (placed s =? c)); lia.
Qed.

Lemma look_said C s w roles c : loads_ok P lmin s -> nothing_given C s ->
  (forall d r, List.In (d, r) roles -> core n d) ->
  play s roles -> said roles c w (look C s w c).
Proof.
  intros Hl Hg Hc Hp. induction roles as [| [d r] roles IH]; simpl.
  - apply look_nonnegative, Hl.
  - split.
    + intros ->. apply look_of_role; auto.
      * apply (Hc d r). left. reflexivity.
      * apply Hp. left. reflexivity.
    + apply IH; intros d0 r0 H; [apply (Hc d0 r0) | apply Hp]; right; exact H.
Qed.

End Looks.
