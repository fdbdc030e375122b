(** Weakest preconditions are sound. Take a state in which the known facts hold, and a
    weakest precondition that follows from these facts: every run of the program from
    this state ends in a state in which the postcondition holds. *)

From dromos.policy Require Export wp induction.
From Coq Require Import Lia FinFun FunctionalExtensionality.

Local Open Scope Z_scope.

(** {1 Orders} *)

Lemma before_trans a b c : before a b = true -> before b c = true -> before a c = true.
Proof.
  revert b c. induction a as [| x a IH]; intros [| y b] [| z c]; simpl; try discriminate.
  rewrite !orb_true_iff, !andb_true_iff, !Z.ltb_lt, !Z.eqb_eq.
  intros [H1 | [E1 H1]] [H2 | [E2 H2]]; subst; try (left; lia).
  right. split; [reflexivity | eauto].
Qed.

Lemma before_irrefl k : before k k = false.
Proof.
  induction k as [| x k IH]; simpl; [reflexivity |].
  rewrite IH, Z.ltb_irrefl, andb_false_r. reflexivity.
Qed.

(** "Not before" is transitive. *)
Lemma before_mixed k k' kv : length k = length k' -> length k' = length kv ->
  before k k' = false -> before k' kv = false -> before k kv = false.
Proof.
  revert k' kv. induction k as [| a k IH]; intros [| c k'] [| e kv]; simpl;
    try discriminate; try reflexivity.
  intros [= L1] [= L2].
  rewrite !orb_false_iff, !andb_false_iff, !Z.ltb_ge, !Z.eqb_neq.
  intros [E1 E2] [F1 F2]. split; [lia |].
  destruct (Z.eq_dec a e) as [-> | Hne]; [right | left; exact Hne].
  assert (c = e) by lia. subst c.
  destruct E2 as [E2 | E2]; [congruence |]. destruct F2 as [F2 | F2]; [congruence |].
  eauto.
Qed.

Lemma best_sound m l : forall acc, acc <> None \/ l <> [] ->
  (forall x k, acc = Some (x, k) -> length k = m) ->
  (forall x k, List.In (x, k) l -> length k = m) ->
  exists v k, best acc l = v /\ length k = m /\
    (acc = Some (v, k) \/ List.In (v, k) l) /\
    (forall x k', acc = Some (x, k') -> before k' k = false) /\
    (forall x k', List.In (x, k') l -> before k' k = false).
Proof.
  induction l as [| [x k] l IH]; intros acc Hne La Ll.
  - destruct acc as [[v k] |]; [| destruct Hne; congruence].
    exists v, k. split; [reflexivity |]. split; [eauto |]. split; [left; reflexivity |]. split.
    + intros ? ? [= <- <-]. apply before_irrefl.
    + intros ? ? [].
  - assert (Lk : length k = m) by (apply (Ll x); left; reflexivity).
    assert (Lr : forall x k, List.In (x, k) l -> length k = m)
      by (intros; eapply Ll; right; eassumption).
    assert (Ln : forall y k', Some (x, k) = Some (y, k') -> length k' = m)
      by (intros ? ? [= <- <-]; exact Lk).
    simpl. destruct acc as [[y k'] |].
    + assert (Lk' : length k' = m) by eauto. destruct (before k k') eqn:E.
      * destruct (IH (Some (x, k)) ltac:(left; discriminate) Ln Lr)
          as (v & kv & Hb & Lv & Hin & Ha & Hl).
        exists v, kv. split; [exact Hb |]. split; [exact Lv |]. split.
        { right. destruct Hin as [[= <- <-] | Hin]; [left; reflexivity | right; exact Hin]. }
        specialize (Ha x k eq_refl). split.
        -- intros ? ? [= <- <-]. destruct (before k' kv) eqn:F; [| reflexivity].
           rewrite (before_trans _ _ _ E F) in Ha. discriminate.
        -- intros ? ? [[= <- <-] | H]; [exact Ha | eapply Hl, H].
      * destruct (IH (Some (y, k')) ltac:(left; discriminate) La Lr)
          as (v & kv & Hb & Lv & Hin & Ha & Hl).
        exists v, kv. split; [exact Hb |]. split; [exact Lv |]. split.
        { destruct Hin as [Hin | Hin]; [left; exact Hin | right; right; exact Hin]. }
        split; [exact Ha |].
        intros ? ? [[= <- <-] | H]; [| eapply Hl, H].
        specialize (Ha y k' eq_refl). eapply (before_mixed k k' kv); congruence.
    + destruct (IH (Some (x, k)) ltac:(left; discriminate) Ln Lr)
        as (v & kv & Hb & Lv & Hin & Ha & Hl).
      exists v, kv. split; [exact Hb |]. split; [exact Lv |]. split.
      { right. destruct Hin as [[= <- <-] | Hin]; [left; reflexivity | right; exact Hin]. }
      split; [discriminate |].
      intros ? ? [[= <- <-] | H]; [exact (Ha _ _ eq_refl) | eapply Hl, H].
Qed.

(** {1 The cores} *)

Lemma in_cores n x : List.In x (cores n) <-> core n x.
Proof.
  unfold cores, core. rewrite in_map_iff. split.
  - intros (k & <- & H). apply in_seq in H. lia.
  - intros H. exists (Z.to_nat x). rewrite in_seq. split; lia.
Qed.

Section Soundness.

Variable P : policy.
Variable n : Z.
Variable cores_of_group cores_of_domain groups_of domains_of : Z -> list Z.
Variable may_load : Z -> Prop.
Variable lmin : Z.
Variable C : context.
Variable R : list (Z * role).
Variable W : word -> Z.
Variable d : aim.
Variable steals_allowed : bool.
Variable at_move : knowledge -> Z -> Z -> Prop.
Variable steals : context -> Z -> Z -> state -> state -> Prop.
Variable Settled : state -> Prop.  (** the result of stealing for [d] *)
Variable Moved : state -> Prop.  (** the result of a move *)

Hypothesis lmin_positive : 1 <= lmin.
Hypothesis unit_loads : load P = None -> lmin = 1.
Hypothesis loads_at_least : forall v, may_load v -> lmin <= v.
Hypothesis states_distinct : NoDup (runnable P).
Hypothesis nobody_else_steals : alone P = true.
Hypothesis R_cores : forall c r, List.In (c, r) R -> core n c.

Notation meanwhile := (meanwhile P n may_load).
Notation moves := (moves P n may_load).
Notation eval := (eval P n cores_of_group cores_of_domain groups_of domains_of may_load steals C).
Notation bound := (bound P n cores_of_group cores_of_domain groups_of domains_of may_load steals C).
Notation members := (members P n cores_of_group cores_of_domain groups_of domains_of may_load steals C).
Notation exec := (exec P n cores_of_group cores_of_domain groups_of domains_of may_load steals C).
Notation does := (does P n cores_of_group cores_of_domain groups_of domains_of may_load steals C).
Notation iterates := (iterates P n cores_of_group cores_of_domain groups_of domains_of may_load steals C).
Notation measured := (measured P n may_load C).
Notation all_measured := (all_measured P n may_load C).
Notation wpe := (wpe P n cores_of_group cores_of_domain groups_of domains_of lmin C R W d steals_allowed at_move).
Notation wpa := (wpa P n cores_of_group cores_of_domain groups_of domains_of lmin C R W d steals_allowed at_move).
Notation wps := (wps P n cores_of_group cores_of_domain groups_of domains_of lmin C R W d steals_allowed at_move).
Notation wpd := (wpd P n cores_of_group cores_of_domain groups_of domains_of lmin C R W d steals_allowed at_move).
Notation wpb := (wpb P n cores_of_group cores_of_domain groups_of domains_of lmin C R W d steals_allowed at_move).
Notation of_look := (of_look P lmin C R W).
Notation of_key := (of_key P lmin C R W).
Notation ordered := (ordered P lmin C R W).
Notation look := (look P n).

(** {1 Facts that hold later, and facts that held before} *)

Definition fine (s s' : state) : Prop :=
  good P s -> good P s' /\ (play P s' R -> play P s R).

Lemma fine_refl s : fine s s.
Proof. intros G. auto. Qed.
Lemma fine_trans s1 s2 s3 : fine s1 s2 -> fine s2 s3 -> fine s1 s3.
Proof. intros A B G. destruct (A G) as [G1 B1]. destruct (B G1). auto. Qed.

Lemma meanwhile_fine s s' : meanwhile C s s' -> fine s s'.
Proof.
  intros M G.
  destruct (meanwhile_kept P n may_load states_distinct nobody_else_steals C s s' M G) as [K G'].
  split; [exact G' |]. intros H c r Hin. apply (kept_back P C s s' K), H, Hin.
Qed.

(** {1 The known facts hold} *)

Record holds (K : knowledge) (s : state) : Prop := {
  h_loads : loads_ok P lmin s;
  h_quiet : known K = true -> R <> [] -> nothing_given C s;
  h_held : known K = true -> forall h, held C = Some h ->
    gives_to C <> Some h /\ core n h /\ forall w, look C s w h = W w;
  h_mine : forall f, attrs K = Some f -> placed s = -1 /\ thread_attributes P = false /\
    exists t, mine C = Some t /\ forall a, attribute s t a = f a;
  h_stolen : stolen K -> Settled s;
  h_moved : moved K = true -> Moved s;
  h_hand : steals_allowed = true -> hand s = [];
}.

Hypothesis settled_kept : forall s s', good P s -> kept P C s s' -> Settled s -> Settled s'.
Hypothesis settled_same : forall s s', good P s ->
  (forall c, same s s' c) -> placed s' = placed s -> hand s' = hand s ->
  Settled s -> Settled s'.
Hypothesis moved_kept : forall s s', placed s' = placed s -> hand s' = hand s ->
  Moved s -> Moved s'.

Hypothesis mine_is_thread : forall t, mine C = Some t -> 0 <= t.
Hypothesis moves_fine : forall t c q s s', moves C t c q s s' -> fine s s'.
Hypothesis moves_done : forall K t c q s s', moves C t c q s s' -> good P s -> holds K s ->
  play P s' R ->
  (t < 0 \/ ~ core n c) /\ s' = s \/
  0 <= t /\ core n c /\ (at_move K t c ->
    (Settled s -> Settled s') /\ holds (after_move K) s').
Hypothesis steals_fine : forall g c s s', steals C g c s s' -> fine s s'.
Hypothesis steals_done : forall K g c s s', steals C g c s s' -> steals_allowed = true ->
  good P s -> holds K s -> play P s' R ->
  (Settled s -> Settled s') /\
  holds (with_stolen K (stolen K \/ g = aim_group d /\ c = aim_core d)) s'.

Lemma holds_meanwhile K s s' : meanwhile C s s' -> good P s -> holds K s -> holds K s'.
Proof.
  intros M G [HL HQ HH HM HS HV HN].
  pose proof (meanwhile_loads P n may_load lmin loads_at_least C s s' M HL) as HL'.
  destruct (meanwhile_kept P n may_load states_distinct nobody_else_steals C s s' M G) as [K1 G1].
  pose proof (kept_hand P _ _ _ K1) as Eh. pose proof (kept_placed P _ _ _ K1) as Ep.
  split.
  - exact HL'.
  - intros E Hr. specialize (HQ E Hr). unfold nothing_given in *. rewrite Eh. exact HQ.
  - intros E h Hh. destruct (HH E h Hh) as (Hg & Hc & Hw). split; [exact Hg |]. split; [exact Hc |].
    intros w. rewrite <- Hw. rewrite !(look_elsewhere P n) by assumption.
    pose proof (kept_held P _ _ _ K1 h Hh) as S.
    destruct w.
    + unfold cload. rewrite (same_spoken P _ _ _ S).
      assert (E' : forall l, (forall t, List.In t l -> List.In t (spoken_of P s h)) ->
        sum (load_of P s') l = sum (load_of P s) l).
      { induction l as [| t l IH]; intros Hl; simpl; [reflexivity |].
        rewrite IH by (intros; apply Hl; right; assumption). f_equal.
        unfold load_of. destruct (load P) as [a |] eqn:El; [| reflexivity].
        apply (kept_loads P _ _ _ K1 h t a Hh El). apply Hl. left. reflexivity. }
      apply E'. auto.
    + unfold count. rewrite (same_spoken P _ _ _ S). reflexivity.
    + unfold count_in. destruct S as (_ & _ & _ & S). destruct (S q) as [_ ->]. reflexivity.
  - intros f Hf. destruct (HM f Hf) as (H1 & H2 & t & H3 & H4).
    split; [congruence |]. split; [exact H2 |]. exists t. split; [exact H3 |].
    intros a. rewrite <- H4. apply (kept_mine P _ _ _ K1). unfold protected, is_mine. auto.
  - intros E. apply (settled_kept s); auto.
  - intros E. apply (moved_kept s); auto.
  - intros E. rewrite Eh. auto.
Qed.

Lemma look_fact K s c w : good P s -> holds K s -> play P s R -> of_look K c w (look C s w c).
Proof.
  intros G [HL HQ HH _ _ _ _] Hp. unfold wp.of_look.
  destruct (known K) eqn:E; [| exact I]. specialize (HQ eq_refl). split.
  - destruct R as [| p R0] eqn:ER; [apply (look_nonnegative P n lmin); assumption |].
    rewrite <- ER in *. specialize (HQ ltac:(rewrite ER; discriminate)).
    destruct (Z_le_dec 0 c) as [H1 | H1]; [destruct (Z_lt_dec c n) as [H2 | H2] |].
    + apply look_said; auto; split; assumption.
    + assert (E0 : look C s w c = 0).
      { unfold machine.look. replace (c <? n) with false by (symmetry; apply Z.ltb_ge; lia).
        rewrite andb_false_r. reflexivity. }
      rewrite E0. clear - R_cores H2. induction R as [| [x r] l IH]; simpl; [lia |].
      split; [| apply IH; intros; eapply R_cores; right; eassumption].
      intros ->. exfalso. assert (core n x) by (eapply R_cores; left; reflexivity). unfold core in *. lia.
    + assert (E0 : look C s w c = 0).
      { unfold machine.look. replace (0 <=? c) with false by (symmetry; apply Z.leb_gt; lia).
        reflexivity. }
      rewrite E0. clear - R_cores H1. induction R as [| [x r] l IH]; simpl; [lia |].
      split; [| apply IH; intros; eapply R_cores; right; eassumption].
      intros ->. exfalso. assert (core n x) by (eapply R_cores; left; reflexivity). unfold core in *. lia.
  - destruct (held C) as [h |] eqn:Eh; [| exact I]. intros ->.
    destruct (HH eq_refl h eq_refl) as (_ & _ & Hw). apply Hw.
Qed.

Lemma attribute_fact K s c a : holds K s -> of_attribute C K c a (attribute s c a).
Proof.
  intros [_ _ _ HM _ _ _]. unfold of_attribute. destruct (attrs K) as [f |] eqn:E; [| exact I].
  destruct (HM f eq_refl) as (_ & _ & t & -> & Ht). intros ->. apply Ht.
Qed.

(** {1 Orders of cores} *)

Fixpoint keyed (K : knowledge) (order : list key) (x : Z) (ks : list Z) : Prop :=
  match order, ks with
  | [], [] => True
  | k :: r, v :: vs => (exists a, of_key K k x a /\ v = (if lowest k then a else - a)) /\
      keyed K r x vs
  | _, _ => False
  end.

Lemma keyed_length K order x ks : keyed K order x ks -> length ks = length order.
Proof.
  revert ks. induction order as [| k r IH]; intros [| v vs]; simpl; try contradiction; auto.
  intros [_ H]. f_equal. apply IH, H.
Qed.

Lemma keyed_ordered K order v x kv kx : keyed K order v kv -> keyed K order x kx ->
  before kx kv = false -> ordered K order v x.
Proof.
  revert kv kx. induction order as [| k r IH]; intros [| v0 vs] [| x0 xs]; simpl;
    try contradiction; auto.
  intros [(a & Ha & ->) Hv] [(b & Hb & ->) Hx].
  rewrite orb_false_iff, andb_false_iff, Z.ltb_ge, Z.eqb_neq. intros [E1 E2].
  exists a, b. split; [exact Ha |]. split; [exact Hb |].
  destruct (Z.eq_dec a b) as [-> | Hne].
  - right. split; [reflexivity |]. destruct E2 as [E2 | E2]; [congruence |]. eauto.
  - left. destruct (lowest k); lia.
Qed.

Lemma measured_fine x order s ks s' : measured x order s ks s' -> fine s s'.
Proof.
  induction 1; [apply fine_refl | |];
    (eapply fine_trans; [eapply meanwhile_fine; eassumption | assumption]).
Qed.

Lemma measured_sound x order s ks s' K : measured x order s ks s' -> good P s -> holds K s ->
  play P s' R -> holds K s' /\ keyed K order x ks.
Proof.
  intros M. induction M as [s | k w r s s1 s2 vs Ew M0 M IH | k a r s s1 s2 vs Ea M0 M IH];
    intros G Hd Hp.
  - split; [exact Hd | exact I].
  - destruct (meanwhile_fine _ _ M0 G) as [G1 _].
    pose proof (holds_meanwhile _ _ _ M0 G Hd) as Hd1.
    destruct (measured_fine _ _ _ _ _ M G1) as [_ B].
    destruct (IH G1 Hd1 Hp) as [Hd2 Hk]. split; [exact Hd2 |]. split; [| exact Hk].
    exists (look C s1 w x). split; [| reflexivity].
    unfold wp.of_key. rewrite Ew. apply look_fact; auto.
  - destruct (meanwhile_fine _ _ M0 G) as [G1 _].
    pose proof (holds_meanwhile _ _ _ M0 G Hd) as Hd1.
    destruct (IH G1 Hd1 Hp) as [Hd2 Hk]. split; [exact Hd2 |]. split; [| exact Hk].
    exists (attribute s1 x a). split; [| reflexivity].
    unfold wp.of_key. rewrite Ea. exact I.
Qed.

Lemma all_measured_fine order l s ks s' : all_measured order l s ks s' -> fine s s'.
Proof.
  induction 1; [apply fine_refl |].
  eapply fine_trans; [eapply measured_fine; eassumption | assumption].
Qed.

Lemma all_measured_sound order l s ks s' K : all_measured order l s ks s' ->
  good P s -> holds K s -> play P s' R ->
  holds K s' /\ map fst ks = l /\ forall x k, List.In (x, k) ks -> keyed K order x k.
Proof.
  intros M. induction M as [s | x l s s1 s2 k r M0 M IH]; intros G Hd Hp.
  - split; [exact Hd |]. split; [reflexivity |]. intros ? ? [].
  - destruct (measured_fine _ _ _ _ _ M0 G) as [G1 _].
    destruct (all_measured_fine _ _ _ _ _ M G1) as [_ B].
    destruct (measured_sound _ _ _ _ _ _ M0 G Hd (B Hp)) as [Hd1 Hk].
    destruct (IH G1 Hd1 Hp) as (Hd2 & El & Hks).
    split; [exact Hd2 |]. split; [simpl; congruence |].
    intros ? ? [[= <- <-] | H]; [exact Hk | apply Hks, H].
Qed.

Lemma first_fact K order l ks mem : map fst ks = l ->
  (forall x k, List.In (x, k) ks -> keyed K order x k) ->
  (forall x, List.In x l <-> mem x) ->
  of_first P lmin C R W K order mem (best None ks).
Proof.
  intros El Hks Hm. destruct ks as [| p ks'] eqn:E.
  - left. split; [reflexivity |]. intros x Hx. apply Hm in Hx. subst l. exact Hx.
  - rewrite <- E in *.
    destruct (best_sound (length order) ks None) as (v & k & Hb & _ & Hin & _ & Hl).
    + right. congruence.
    + discriminate.
    + intros x k H. eapply keyed_length, Hks, H.
    + right. rewrite Hb. destruct Hin as [Hin | Hin]; [discriminate |]. split.
      * apply Hm. rewrite <- El. apply (in_map fst) in Hin. exact Hin.
      * intros x _ Hx. apply Hm in Hx. rewrite <- El in Hx. apply in_map_iff in Hx.
        destruct Hx as ([x' kx] & <- & Hx). eapply keyed_ordered; eauto.
Qed.

(** {1 Idle and active cores} *)

Lemma found (ks : list (Z * list Z)) x k : NoDup (map fst ks) -> List.In (x, k) ks ->
  find (fun p => fst p =? x) ks = Some (x, k).
Proof.
  induction ks as [| [y j] ks IH]; simpl; [contradiction |].
  intros [Hy Hn]%NoDup_cons_iff [[= -> ->] | H]; [rewrite Z.eqb_refl; reflexivity |].
  destruct (Z.eqb_spec y x) as [-> | _]; [| auto].
  exfalso. apply Hy. apply (in_map fst) in H. exact H.
Qed.

Lemma cores_distinct : NoDup (cores n).
Proof.
  unfold cores. apply Injective_map_NoDup; [| apply seq_NoDup].
  intros a b. apply Nat2Z.inj.
Qed.

Lemma looked_at_all K l v : (forall x, List.In x l -> of_look K x The_count (v x)) ->
  looked_at P lmin C R W K l v.
Proof. induction l; simpl; auto 6. Qed.

(** The members are the cores whose look passed the test [f] of being 0. *)
Lemma members_fact K s ks s1 : all_measured by_count (cores n) s ks s1 ->
  good P s -> holds K s -> play P s1 R ->
  holds K s1 /\ exists v, looked_at P lmin C R W K (places_of_R R) v /\
  forall (f : bool -> bool) x,
    List.In x (map fst (filter (fun p => f (says_none p)) ks)) <->
    core n x /\ f (v x =? 0) = true.
Proof.
  intros M G Hd Hp.
  destruct (all_measured_sound _ _ _ _ _ _ M G Hd Hp) as (Hd1 & El & Hks).
  split; [exact Hd1 |].
  pose proof cores_distinct as Hn. rewrite <- El in Hn.
  exists (fun x => match find (fun p => fst p =? x) ks with
    | Some (_, v :: _) => v | _ => 0 end).
  assert (E : forall x k, List.In (x, k) ks -> exists v, k = [v] /\ of_look K x The_count v /\
    find (fun p => fst p =? x) ks = Some (x, k)).
  { intros x k H. pose proof (Hks x k H) as Hk. pose proof (found ks x k Hn H) as Hf.
    destruct k as [| v [| ? ?]]; simpl in Hk; [contradiction | | tauto].
    destruct Hk as [(a & Ha & ->) _]. exists a. auto. }
  assert (In_ks : forall x, core n x -> exists k, List.In (x, k) ks).
  { intros x Hx. apply in_cores in Hx. rewrite <- El in Hx. apply in_map_iff in Hx.
    destruct Hx as ([y k] & <- & H). exists k. exact H. }
  split.
  - apply looked_at_all. intros x Hx. unfold places_of_R in Hx. apply in_map_iff in Hx.
    destruct Hx as ([y r] & <- & Hr). apply R_cores in Hr. destruct (In_ks _ Hr) as [k H].
    destruct (E _ _ H) as (v & -> & Hv & Hf). simpl in *. rewrite Hf. exact Hv.
  - intros f x. split.
    + intros H. apply in_map_iff in H. destruct H as ([y k] & <- & H). simpl.
      apply filter_In in H. destruct H as [H Hf]. destruct (E _ _ H) as (v & -> & _ & ->).
      split; [| exact Hf]. apply in_cores. rewrite <- El. apply (in_map fst) in H. exact H.
    + intros [Hx Hf]. destruct (In_ks _ Hx) as [k H]. destruct (E _ _ H) as (v & -> & _ & Ef).
      rewrite Ef in Hf. apply in_map_iff. exists (x, [v]). split; [reflexivity |].
      apply filter_In. split; [exact H | exact Hf].
Qed.

(** {1 The text} *)

Definition ends_e l e s v s' := fine s s' /\ forall K Q, good P s -> holds K s ->
  wpe e l K Q -> play P s' R -> (Settled s -> Settled s') /\ exists K', holds K' s' /\ Q K' v.
Definition ends_a l l0 a s l1 s' := fine s s' /\ forall K Q, good P s -> holds K s ->
  wpa a l l0 K Q -> play P s' R -> (Settled s -> Settled s') /\ exists K', holds K' s' /\ Q l1 K'.
Definition ends_s l t s m s' := fine s s' /\ forall K Q, good P s -> holds K s ->
  wps t l K Q -> play P s' R ->
  (Settled s -> Settled s') /\
  exists K' mem, holds K' s' /\ Q K' mem /\ forall x, List.In x m <-> mem x.
Definition ends_b l b s l1 o s' := fine s s' /\
  (forall y, ~ List.In y (assigned_b b) -> l1 y = l y) /\
  forall K Q, good P s -> holds K s -> wpb b l K Q -> play P s' R ->
  (Settled s -> Settled s') /\ exists K', holds K' s' /\ Q l1 o K'.
Definition ends_d l t s l1 o s' := fine s s' /\
  (forall y, ~ List.In y (assigned_d t) -> l1 y = l y) /\
  forall K Q, good P s -> holds K s -> wpd t l K Q -> play P s' R ->
  (Settled s -> Settled s') /\ exists K', holds K' s' /\ Q l1 o K'.

Definition agree (xs : list nat) (l l' : locals) := forall y, ~ List.In y xs -> l' y = l y.

Definition ends_i x b l m s l1 o s' := fine s s' /\
  let xs := x :: assigned_b b in let touches := sets_b b in
  agree xs l l1 /\
  forall l0 K mem Q, good P s -> agree xs l0 l -> (forall v, List.In v m -> mem v) ->
    (exists f, holds (around K touches f) s) ->
    leaves_at (wpb b) x xs touches l0 K mem Q -> play P s' R ->
    (Settled s -> Settled s') /\
    ((exists K', holds K' s' /\ Q l1 o K') \/
    (o = Normal /\ (exists f, holds (around K touches f) s') /\
     forall v N, List.In v m ->
       (forall g f, wpb b (bind (forget xs l0 g) x v) (around K touches f) (fun _ o K' =>
          match o with Normal => N K' | _ => True end)) ->
       exists K', N K' /\ (stolen K' -> Settled s'))).

Lemma agree_forget xs l0 l : agree xs l0 l -> l = forget xs l0 l.
Proof.
  intros H. apply functional_extensionality. intros y. unfold forget.
  destruct (existsb (Nat.eqb y) xs) eqn:E; [reflexivity |].
  apply H. intros Hin. assert (existsb (Nat.eqb y) xs = true); [| congruence].
  apply existsb_exists. exists y. split; [exact Hin | apply Nat.eqb_refl].
Qed.

(** The known facts at the end of an iteration are the known facts about the loop. *)
Lemma stays_around touches K f K' s : stays touches (around K touches f) K' ->
  holds K' s -> exists f', holds (around K touches f') s.
Proof.
  intros (Ek & Em & Es & Ea) H.
  assert (same : forall K0, known K0 = known K' -> moved K0 = moved K' ->
    (stolen K0 -> stolen K') -> attrs K0 = attrs K' -> holds K0 s).
  { intros K0 E1 E2 E3 E4. destruct H as [HL HQ HH HM HS HV HN].
    split; rewrite ?E1, ?E2, ?E4; auto. }
  destruct touches; simpl in *.
  - destruct (attrs K') as [f' |] eqn:E.
    + exists f'. apply same; simpl; auto.
      destruct (attrs K); [congruence |]. destruct Ea as [Ea _].
      discriminate (Ea eq_refl).
    + exists f. apply same; simpl; auto.
      destruct (attrs K); [| congruence]. destruct Ea as [_ Ea]. discriminate (Ea eq_refl).
  - exists f. apply same; simpl; auto.
Qed.

Lemma mid s s1 s2 : fine s s1 -> fine s1 s2 -> good P s -> play P s2 R ->
  good P s1 /\ play P s1 R.
Proof. intros A B G Hp. destruct (A G) as [G1 _]. split; [exact G1 |]. apply (B G1), Hp. Qed.

Ltac leaf := split; [apply fine_refl |]; intros K Q G Hd Hw Hp.

Lemma settled_meanwhile s s' : good P s -> meanwhile C s s' -> Settled s -> Settled s'.
Proof.
  intros G M. destruct (meanwhile_kept P n may_load states_distinct nobody_else_steals C s s' M G) as [K1 _].
  apply settled_kept; assumption.
Qed.

Lemma measured_settled x order s ks s' : measured x order s ks s' -> good P s ->
  Settled s -> Settled s'.
Proof.
  intros M. induction M as [| ? ? ? ? ? ? ? _ M0 M IH | ? ? ? ? ? ? ? _ M0 M IH]; intros G;
    [auto | |]; destruct (meanwhile_fine _ _ M0 G) as [G1 _]; eauto using settled_meanwhile.
Qed.

Lemma all_measured_settled order l s ks s' : all_measured order l s ks s' -> good P s ->
  Settled s -> Settled s'.
Proof.
  intros M. induction M as [| ? ? ? ? ? ? ? M0 M IH]; intros G; [auto |].
  destruct (measured_fine _ _ _ _ _ M0 G) as [G1 _]. eauto using measured_settled.
Qed.

Lemma looked l e s c s1 s2 w : ends_e l e s c s1 -> meanwhile C s1 s2 ->
  fine s s2 /\ forall K Q, good P s -> holds K s ->
    wpe e l K (fun K c => forall v, of_look K c w v -> Q K v) -> play P s2 R ->
    (Settled s -> Settled s2) /\ exists K', holds K' s2 /\ Q K' (look C s2 w c).
Proof.
  intros [F1 H1] M. pose proof (meanwhile_fine _ _ M) as F2.
  split; [exact (fine_trans _ _ _ F1 F2) |]. intros K Q G Hd Hw Hp.
  destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
  destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hw1).
  pose proof (holds_meanwhile _ _ _ M G1 Hd1) as Hd2.
  split; [eauto using settled_meanwhile |]. exists K1. split; [exact Hd2 |].
  apply Hw1. apply look_fact; auto. apply (F2 G1).
Qed.

Lemma holds_set_global K s f : good P s -> holds K s -> holds K (with_global s f).
Proof.
  intros G [HL HQ HH HM HS HV HN]. split; auto.
  - intros E. apply (settled_same s); auto. intros c; repeat split.
  - intros E. apply (moved_kept s); auto.
Qed.

Lemma fine_with_attribute s i a v : fine s (with_attribute s i a v).
Proof.
  intros G. split.
  - intros c. apply (same_phased P s); [repeat split | apply G].
  - intros Hp c r Hin. exact (Hp c r Hin).
Qed.

Lemma fine_with_global s f : fine s (with_global s f).
Proof.
  intros G. split.
  - intros c. apply (same_phased P s); [repeat split | apply G].
  - intros Hp c r Hin. exact (Hp c r Hin).
Qed.

(** An assignment to an attribute keeps the known facts. If the owner is the
    handler's own thread, the new value becomes a known fact; any other owner adds no
    fact. *)
Lemma holds_set K s i a v : good P s -> holds K s ->
  (load P = Some a -> held C = None /\ lmin <= v) ->
  (mine C = Some i -> holds (set_attrs K a v) (with_attribute s i a v)) /\
  (mine C <> Some i -> holds K (with_attribute s i a v)).
Proof.
  intros G [HL HQ HH HM HS HV HN] Hl.
  assert (L : loads_ok P lmin (with_attribute s i a v)).
  { intros a' t E. simpl. unfold set2. destruct ((t =? i) && (a' =? a)%nat) eqn:B.
    - apply andb_true_iff in B. destruct B as [_ B]. apply Nat.eqb_eq in B. subst a'. apply Hl, E.
    - apply HL, E. }
  assert (W0 : known K = true -> forall h, held C = Some h ->
    gives_to C <> Some h /\ core n h /\ forall w, look C (with_attribute s i a v) w h = W w).
  { intros E h Eh. destruct (HH E h Eh) as (A & B & D). split; [exact A |]. split; [exact B |].
    intros w. rewrite <- D.
    assert (N : load P <> Some a).
    { intros El. destruct (Hl El) as [Hn _]. congruence. }
    unfold machine.look. destruct (negb _); [reflexivity |].
    assert (E' : forall l, sum (load_of P (with_attribute s i a v)) l = sum (load_of P s) l).
    { induction l as [| t l IH]; simpl; [reflexivity |]. rewrite IH. f_equal.
      unfold load_of. destruct (load P) as [a' |] eqn:El; [| reflexivity]. simpl.
      apply set2_other. right. congruence. }
    destruct w; simpl.
    - rewrite E'. unfold cload. change (spoken_of P (with_attribute s i a v) h) with (spoken_of P s h).
      rewrite E'. reflexivity.
    - reflexivity.
    - reflexivity. }
  assert (S0 : stolen K -> Settled (with_attribute s i a v)).
  { intros E. apply (settled_same s); auto. intros c; repeat split. }
  assert (V0 : moved K = true -> Moved (with_attribute s i a v)).
  { intros E. apply (moved_kept s); auto. }
  split; intros Hi; split; simpl; auto.
  - intros f Hf. destruct (attrs K) as [f0 |] eqn:E; [| discriminate].
    injection Hf as <-. destruct (HM f0 eq_refl) as (H1 & H2 & t & H3 & H4).
    split; [exact H1 |]. split; [exact H2 |]. exists t. split; [exact H3 |].
    intros a'. assert (t = i) by congruence. subst t. unfold set2. rewrite Z.eqb_refl. simpl.
    destruct (Nat.eqb_spec a' a); [reflexivity | apply H4].
  - intros f Hf. destruct (HM f Hf) as (H1 & H2 & t & H3 & H4).
    split; [exact H1 |]. split; [exact H2 |]. exists t. split; [exact H3 |].
    intros a'. rewrite set2_other; [apply H4 |]. left. congruence.
Qed.

Lemma falls_sound x b l0 K mem Q m s1 l1 p at_ : let xs := x :: assigned_b b in
  (exists f, holds (around K (sets_b b) f) s1) -> agree xs l0 l1 ->
  (forall v N, List.In v m ->
     (forall g f, wpb b (bind (forget xs l0 g) x v) (around K (sets_b b) f) (fun _ o K' =>
        match o with Normal => N K' | _ => True end)) ->
     exists K', N K' /\ (stolen K' -> Settled s1)) ->
  (forall v, List.In v m <-> mem v) -> (p -> Settled s1) ->
  falls_through (wpb b) x xs (sets_b b) l0 K mem Q at_ p ->
  exists K', holds K' s1 /\ Q l1 Normal K'.
Proof.
  intros xs [f Hf] Ha HN Hm. revert p. induction at_ as [| i r IH]; intros p Hp Hw.
  - simpl in Hw. exists (with_stolen (around K (sets_b b) f) p). split.
    + destruct Hf as [HL HQ HH HM HS HV HH']. split; auto.
    + rewrite (agree_forget xs l0 l1 Ha). apply Hw.
  - simpl in Hw. destruct Hw as [Hn Hy].
    destruct (in_dec Z.eq_dec i m) as [Hi | Hi].
    + destruct (HN i (fun K' => falls_through (wpb b) x xs (sets_b b) l0 K mem Q r (p \/ stolen K')) Hi)
        as (K' & Hk & Hs).
      { apply Hy, Hm, Hi. }
      apply (IH (p \/ stolen K')); [| exact Hk]. intros [H | H]; auto.
    + apply (IH p Hp), Hn. intros H. apply Hi, Hm, H.
Qed.

Theorem text_sound :
  (forall l e s v s', eval l e s v s' -> ends_e l e s v s') /\
  (forall l l0 a s l1 s', bound l l0 a s l1 s' -> ends_a l l0 a s l1 s') /\
  (forall l t s m s', members l t s m s' -> ends_s l t s m s') /\
  (forall l b s l1 o s', exec l b s l1 o s' -> ends_b l b s l1 o s') /\
  (forall l t s l1 o s', does l t s l1 o s' -> ends_d l t s l1 o s') /\
  (forall x b l m s l1 o s', iterates x b l m s l1 o s' -> ends_i x b l m s l1 o s').
Proof.
  apply (text_min P n cores_of_group cores_of_domain groups_of domains_of may_load steals C
    ends_e ends_a ends_s ends_b ends_d ends_i).
  - intros. leaf. split; [auto |]. exists K. auto.
  - intros. leaf. split; [auto |]. exists K. auto.
  - intros. leaf. split; [auto |]. exists K. auto.
  - intros. leaf. split; [auto |]. exists K. auto.
  - (* Attribute *) intros l e a s v s1 s2 _ [F1 H1] M.
    pose proof (meanwhile_fine _ _ M) as F2.
    split; [exact (fine_trans _ _ _ F1 F2) |]. intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hw1).
    pose proof (holds_meanwhile _ _ _ M G1 Hd1) as Hd2.
    split; [eauto using settled_meanwhile, all_measured_settled |]. exists K1. split; [exact Hd2 |].
    apply Hw1, attribute_fact, Hd2.
  - (* Global *) intros l a s s1 M. split; [exact (meanwhile_fine _ _ M) |].
    intros K Q G Hd Hw Hp. split; [eauto using settled_meanwhile, all_measured_settled |]. exists K. split; [exact (holds_meanwhile _ _ _ M G Hd) | apply Hw].
  - intros l e s c s1 s2 _ IH M. exact (looked l e s c s1 s2 The_cload IH M).
  - intros l e s c s1 s2 _ IH M. exact (looked l e s c s1 s2 The_count IH M).
  - intros l e q s c s1 s2 _ IH M. exact (looked l e s c s1 s2 (The_count_in q) IH M).
  - (* First *) intros l t order s m s1 ks s2 _ [F1 H1] M.
    pose proof (all_measured_fine _ _ _ _ _ M) as F2.
    split; [exact (fine_trans _ _ _ F1 F2) |]. intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & mem & Hd1 & Hw1 & Hm).
    destruct (all_measured_sound _ _ _ _ _ _ M G1 Hd1 Hp) as (Hd2 & El & Hks).
    split; [eauto using settled_meanwhile, all_measured_settled |]. exists K1. split; [exact Hd2 |]. apply Hw1. eapply first_fact; eauto.
  - (* Any *) intros l t s m v s1 _ [F1 H1] Hv. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    destruct (H1 K _ G Hd Hw Hp) as (S1 & K1 & mem & Hd1 & Hw1 & Hm).
    split; [exact S1 |]. exists K1. split; [exact Hd1 |]. apply Hw1.
    destruct Hv as [[-> ->] | Hv]; [left | right; apply Hm, Hv].
    split; [reflexivity |]. intros x Hx. apply Hm in Hx. exact Hx.
  - (* Empty *) intros l t s m s1 _ [F1 H1]. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    destruct (H1 K _ G Hd Hw Hp) as (S1 & K1 & mem & Hd1 & [Hw1 Hw2] & Hm).
    split; [eauto using settled_meanwhile, all_measured_settled |]. exists K1. split; [exact Hd1 |]. destruct m as [| x m].
    + apply Hw1. intros x Hx. apply Hm in Hx. exact Hx.
    + apply Hw2. exists x. apply Hm. left. reflexivity.
  - intros l e s v s1 _ [F1 H1]. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    exact (H1 K _ G Hd Hw Hp).
  - (* In *) intros l e t s v s1 m s2 _ [F1 H1] _ [F2 H2].
    split; [exact (fine_trans _ _ _ F1 F2) |]. intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hw1).
    destruct (H2 K1 _ G1 Hd1 Hw1 Hp) as (S2 & K2 & mem & Hd2 & [Hy Hn] & Hm).
    split; [eauto using settled_meanwhile, all_measured_settled |]. exists K2. split; [exact Hd2 |]. destruct (existsb (Z.eqb v) m) eqn:E.
    + apply Hy, Hm. apply existsb_exists in E. destruct E as (y & Hin & E).
      apply Z.eqb_eq in E. subst y. exact Hin.
    + apply Hn. intros Hv. apply Hm in Hv.
      assert (existsb (Z.eqb v) m = true); [| congruence].
      apply existsb_exists. exists v. split; [exact Hv | apply Z.eqb_refl].
  - intros l e s v s1 _ [F1 H1]. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    exact (H1 K _ G Hd Hw Hp).
  - intros l e s v s1 _ [F1 H1]. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    exact (H1 K _ G Hd Hw Hp).
  - (* And *) intros l e e' s v s1 _ [F1 H1] E. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    destruct (H1 K _ G Hd Hw Hp) as (S1 & K1 & Hd1 & Hw1 & _). split; [exact S1 |]. exists K1. auto.
  - intros l e e' s v s1 v' s2 _ [F1 H1] E _ [F2 H2].
    split; [exact (fine_trans _ _ _ F1 F2) |]. intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & _ & Hw1).
    (let X := fresh in destruct (H2 K1 _ G1 Hd1 (Hw1 E) Hp) as [S2 X]; split; [auto | exact X]).
  - (* Or *) intros l e e' s v s1 _ [F1 H1] E. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    destruct (H1 K _ G Hd Hw Hp) as (S1 & K1 & Hd1 & Hw1 & _). split; [exact S1 |]. exists K1. auto.
  - intros l e e' s v s1 v' s2 _ [F1 H1] E _ [F2 H2].
    split; [exact (fine_trans _ _ _ F1 F2) |]. intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & _ & Hw1).
    (let X := fresh in destruct (H2 K1 _ G1 Hd1 (Hw1 E) Hp) as [S2 X]; split; [auto | exact X]).
  - (* Op *) intros l o e e' s v s1 v' s2 _ [F1 H1] _ [F2 H2].
    split; [exact (fine_trans _ _ _ F1 F2) |]. intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hw1).
    (let X := fresh in destruct (H2 K1 _ G1 Hd1 Hw1 Hp) as [S2 X]; split; [auto | exact X]).
  - (* If_else *) intros l c e e' s v s1 v' s2 _ [F1 H1] _ [F2 H2].
    split; [exact (fine_trans _ _ _ F1 F2) |]. intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hy & Hn).
    destruct (true_ v); [(let X := fresh in destruct (H2 K1 _ G1 Hd1 (Hy eq_refl) Hp) as [S2 X]; split; [auto | exact X]) | (let X := fresh in destruct (H2 K1 _ G1 Hd1 (Hn eq_refl) Hp) as [S2 X]; split; [auto | exact X])].
  - (* Call *) intros l a b s l1 s1 l2 v s2 _ [F1 H1] _ (F2 & _ & H2).
    split; [exact (fine_trans _ _ _ F1 F2) |]. intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & I & Hw1 & HI).
    destruct (H2 K1 _ G1 Hd1 Hw1 Hp) as (S2 & K2 & Hd2 & Hi). split; [auto |]. eauto.
  - intros l a b s l1 s1 l2 s2 _ [F1 H1] _ (F2 & _ & H2).
    split; [exact (fine_trans _ _ _ F1 F2) |]. intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & I & Hw1 & HI).
    destruct (H2 K1 _ G1 Hd1 Hw1 Hp) as (S2 & K2 & Hd2 & Hi). split; [auto |]. eauto.
  - (* bound *) intros. leaf. split; [auto |]. exists K. auto.
  - intros l l' x e r s v s1 l2 s2 _ [F1 H1] _ [F2 H2].
    split; [exact (fine_trans _ _ _ F1 F2) |]. intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hw1).
    (let X := fresh in destruct (H2 K1 _ G1 Hd1 Hw1 Hp) as [S2 X]; split; [auto | exact X]).
  - (* members *) intros. leaf. split; [auto |]. exists K, (core n). split; [exact Hd |]. split; [exact Hw |].
    intros x. apply in_cores.
  - (* Idle_cores *) intros l s ks s1 M. split; [exact (all_measured_fine _ _ _ _ _ M) |].
    intros K Q G Hd Hw Hp.
    destruct (members_fact K s ks s1 M G Hd Hp) as (Hd1 & v & Hv & Hm).
    split; [eauto using all_measured_settled |]. exists K, (fun x => core n x /\ v x = 0).
    split; [exact Hd1 |]. split; [apply Hw, Hv |].
    intros x. rewrite (Hm (fun p => p)). apply and_iff_compat_l. lia.
  - (* Active_cores *) intros l s ks s1 M. split; [exact (all_measured_fine _ _ _ _ _ M) |].
    intros K Q G Hd Hw Hp.
    destruct (members_fact K s ks s1 M G Hd Hp) as (Hd1 & v & Hv & Hm).
    split; [eauto using all_measured_settled |]. exists K, (fun x => core n x /\ v x <> 0).
    split; [exact Hd1 |]. split; [apply Hw, Hv |].
    intros x. rewrite (Hm negb). apply and_iff_compat_l. lia.
  - intros. leaf. split; [auto |]. exists K, (fun x => List.In x (filtered C)). split; [exact Hd |].
    split; [exact Hw | reflexivity].
  - intros l e s v s1 _ [F1 H1]. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    destruct (H1 K _ G Hd Hw Hp) as (S1 & K1 & Hd1 & Hw1).
    split; [eauto using settled_meanwhile, all_measured_settled |]. exists K1, (fun x => List.In x (cores_of_group v)). split; [exact Hd1 |]. split; [exact Hw1 | reflexivity].
  - intros l e s v s1 _ [F1 H1]. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    destruct (H1 K _ G Hd Hw Hp) as (S1 & K1 & Hd1 & Hw1).
    split; [eauto using settled_meanwhile, all_measured_settled |]. exists K1, (fun x => List.In x (cores_of_domain v)). split; [exact Hd1 |]. split; [exact Hw1 | reflexivity].
  - intros l e s v s1 _ [F1 H1]. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    destruct (H1 K _ G Hd Hw Hp) as (S1 & K1 & Hd1 & Hw1).
    split; [eauto using settled_meanwhile, all_measured_settled |]. exists K1, (fun x => List.In x (groups_of v)). split; [exact Hd1 |]. split; [exact Hw1 | reflexivity].
  - intros l e s v s1 _ [F1 H1]. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    destruct (H1 K _ G Hd Hw Hp) as (S1 & K1 & Hd1 & Hw1).
    split; [eauto using settled_meanwhile, all_measured_settled |]. exists K1, (fun x => List.In x (domains_of v)). split; [exact Hd1 |]. split; [exact Hw1 | reflexivity].
  - intros l e q s c s1 _ [F1 H1] _. split; [exact F1 |]. intros K Q G Hd Hw Hp.
    destruct (H1 K _ G Hd Hw Hp) as (S1 & K1 & Hd1 & Hw1).
    split; [eauto using settled_meanwhile, all_measured_settled |]. exists K1, (fun x => List.In x (queue s1 c q)). split; [exact Hd1 |]. split; [apply Hw1 | reflexivity].
  - (* block *) intros. split; [apply fine_refl |]. split; [reflexivity |].
    intros K Q G Hd Hw Hp. split; [auto |]. exists K. auto.
  - intros l t r s l1 s1 l2 o s2 _ (F1 & A1 & H1) _ (F2 & A2 & H2).
    split; [exact (fine_trans _ _ _ F1 F2) |]. split.
    { intros y Hy. simpl in Hy. rewrite in_app_iff in Hy. rewrite A2, A1; tauto. }
    intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hw1).
    (let X := fresh in destruct (H2 K1 _ G1 Hd1 Hw1 Hp) as [S2 X]; split; [auto | exact X]).
  - intros l t r s l1 o s1 _ (F1 & A1 & H1) Ho.
    split; [exact F1 |]. split.
    { intros y Hy. simpl in Hy. rewrite in_app_iff in Hy. rewrite A1; tauto. }
    intros K Q G Hd Hw Hp.
    destruct (H1 K _ G Hd Hw Hp) as (S1 & K1 & Hd1 & Hw1).
    split; [exact S1 |]. exists K1. split; [exact Hd1 |].
    destruct o; [congruence | exact Hw1 | exact Hw1].
  - (* Set_local *) intros l x e s v s1 _ [F1 H1]. split; [exact F1 |]. split.
    { intros y Hy. unfold bind. destruct (Nat.eqb_spec y x); [| reflexivity].
      subst y. exfalso. apply Hy. left. reflexivity. }
    intros K Q G Hd Hw Hp. exact (H1 K _ G Hd Hw Hp).
  - (* Set_attribute *) intros l e a e' s v s1 v' s2 _ [F1 H1] _ [F2 H2] Hv.
    pose proof (fine_with_attribute s2 v a v') as F3.
    split; [exact (fine_trans _ _ _ F1 (fine_trans _ _ _ F2 F3)) |]. split; [reflexivity |].
    intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 (fine_trans _ _ _ F2 F3) G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hw1).
    destruct (mid _ _ _ F2 F3 G1 Hp) as [G2 Hp2].
    destruct (H2 K1 _ G1 Hd1 Hw1 Hp2) as (S2 & K2 & Hd2 & Hl & Hw2).
    destruct (holds_set K2 s2 v a v' G2 Hd2 Hl) as [Hm Ho].
    split.
    { intros St. apply (settled_same s2); auto. intros c; repeat split. }
    destruct (mine C) as [t |].
    + destruct Hw2 as [Hy Hn]. destruct (Z.eq_dec v t) as [-> | Hne].
      * exists (set_attrs K2 a v'). auto.
      * exists K2. split; [apply Ho; congruence | auto].
    + exists K2. split; [apply Ho; discriminate | exact Hw2].
  - intros l e a e' s v s1 v' s2 _ [F1 H1] _ [F2 H2] Hv.
    split; [exact (fine_trans _ _ _ F1 F2) |]. split; [reflexivity |].
    intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hw1).
    destruct (H2 K1 _ G1 Hd1 Hw1 Hp) as (S2 & K2 & Hd2 & Hl & Hw2).
    split; [eauto using settled_meanwhile, all_measured_settled |]. exists K2. split; [exact Hd2 |]. destruct (mine C) as [t |] eqn:E; [| exact Hw2].
    destruct Hw2 as [_ Hn]. apply Hn. specialize (mine_is_thread t eq_refl). lia.
  - (* Set_global *) intros l a e s v s1 _ [F1 H1].
    pose proof (fine_with_global s1 (fun i => if (i =? a)%nat then v else global s1 i)) as F2.
    split; [exact (fine_trans _ _ _ F1 F2) |]. split; [reflexivity |].
    intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hw1).
    split.
    { intros St. apply (settled_same s1); auto. intros c; repeat split. }
    exists K1. split; [apply holds_set_global; assumption | exact Hw1].
  - (* Move *) intros l e e' q s t s1 c s2 s3 _ [F1 H1] _ [F2 H2] M.
    pose proof (moves_fine _ _ _ _ _ M) as F3.
    split; [exact (fine_trans _ _ _ F1 (fine_trans _ _ _ F2 F3)) |]. split; [reflexivity |].
    intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 (fine_trans _ _ _ F2 F3) G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hw1).
    destruct (mid _ _ _ F2 F3 G1 Hp) as [G2 Hp2].
    destruct (H2 K1 _ G1 Hd1 Hw1 Hp2) as (S2 & K2 & Hd2 & Hn & Hy).
    destruct (moves_done K2 _ _ _ _ _ M G2 Hd2 Hp) as [[Hno ->] | (Ht & Hc & Hm)].
    + split; [auto |]. exists K2. auto.
    + destruct (Hy Ht Hc) as [Ha HQ]. destruct (Hm Ha) as [S3 Hd3].
      split; [auto |]. exists (after_move K2). auto.
  - (* If *) intros l c a b s v s1 l1 o s2 _ [F1 H1] _ (F2 & A2 & H2).
    split; [exact (fine_trans _ _ _ F1 F2) |]. split.
    { intros y Hy. simpl in Hy. rewrite in_app_iff in Hy. apply A2. destruct (true_ v); tauto. }
    intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hy & Hn).
    destruct (true_ v); [(let X := fresh in destruct (H2 K1 _ G1 Hd1 (Hy eq_refl) Hp) as [S2 X]; split; [auto | exact X]) | (let X := fresh in destruct (H2 K1 _ G1 Hd1 (Hn eq_refl) Hp) as [S2 X]; split; [auto | exact X])].
  - (* Foreach *)
    intros l x t order b s m s1 ks s2 m' l1 o s3 _ [F1 H1] M Hperm _ (F3 & A3 & H3).
    pose proof (all_measured_fine _ _ _ _ _ M) as F2.
    pose proof (fine_trans _ _ _ F2 F3) as F23.
    split; [exact (fine_trans _ _ _ F1 F23) |]. split; [exact A3 |].
    intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 F23 G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & mem & Hd1 & [Hleave Hfall] & Hm).
    destruct (mid _ _ _ F2 F3 G1 Hp) as [G2 Hp2].
    destruct (all_measured_sound _ _ _ _ _ _ M G1 Hd1 Hp2) as (Hd2 & _ & _).
    assert (Hm' : forall v, List.In v m' <-> mem v).
    { intros v. rewrite <- Hm. split; apply Permutation_in;
        [symmetry; exact Hperm | exact Hperm]. }
    destruct (H3 l K1 mem Q G2) as [S3 [Hq | (-> & Hf & HN)]].
    + intros y _. reflexivity.
    + intros v Hv. apply Hm', Hv.
    + destruct (attrs K1) as [f |] eqn:E.
      * exists f. unfold around. destruct (sets_b b); [| exact Hd2].
        rewrite E. destruct K1. simpl in E. subst. exact Hd2.
      * exists (fun _ => 0). unfold around. destruct (sets_b b); [| exact Hd2].
        rewrite E. destruct K1. simpl in E. subst. exact Hd2.
    + exact Hleave.
    + exact Hp.
    + split; [eauto using all_measured_settled | exact Hq].
    + split; [eauto using all_measured_settled |]. eapply (falls_sound x b l K1 mem Q m' s3 l1 (stolen K1));
        [exact Hf | exact A3 | exact HN | exact Hm' | | exact Hfall].
      intros Hs. destruct Hf as [f Hf]. apply (h_stolen _ _ Hf).
      unfold around. destruct (sets_b b); exact Hs.
  - intros. split; [apply fine_refl |]. split; [reflexivity |]. intros K Q G Hd Hw Hp. split; [auto |]. exists K. auto.
  - intros. split; [apply fine_refl |]. split; [reflexivity |]. intros K Q G Hd Hw Hp. split; [auto |]. exists K. auto.
  - intros l e s v s1 _ [F1 H1]. split; [exact F1 |]. split; [reflexivity |].
    intros K Q G Hd Hw Hp. exact (H1 K _ G Hd Hw Hp).
  - (* Steal_for *) intros l e e' s g s1 c s2 s3 _ [F1 H1] _ [F2 H2] M.
    pose proof (steals_fine _ _ _ _ M) as F3.
    split; [exact (fine_trans _ _ _ F1 (fine_trans _ _ _ F2 F3)) |]. split; [reflexivity |].
    intros K Q G Hd Hw Hp.
    destruct (mid _ _ _ F1 (fine_trans _ _ _ F2 F3) G Hp) as [G1 Hp1].
    destruct (H1 K _ G Hd Hw Hp1) as (S1 & K1 & Hd1 & Hw1).
    destruct (mid _ _ _ F2 F3 G1 Hp) as [G2 Hp2].
    destruct (H2 K1 _ G1 Hd1 Hw1 Hp2) as (S2 & K2 & Hd2 & Ha & Hw2).
    destruct (steals_done K2 _ _ _ _ M Ha G2 Hd2 Hp) as [S3 Hd3].
    split; [auto |].
    exists (with_stolen K2 (stolen K2 \/ g = aim_group d /\ c = aim_core d)). auto.
  - intros l e s v s1 _ [F1 H1]. split; [exact F1 |]. split; [reflexivity |].
    intros K Q G Hd Hw Hp. exact (H1 K _ G Hd Hw Hp).
  - (* iterations *) intros x b l s. split; [apply fine_refl |]. split; [intros y _; reflexivity |].
    intros l0 K mem Q G Ha Hin Hf Hw Hp. split; [auto |]. right. split; [reflexivity |]. split; [exact Hf |].
    intros v N [].
  - intros x b l v m s l1 s1 l2 o s2 _ (F1 & A1 & H1) _ (F2 & A2 & H2).
    split; [exact (fine_trans _ _ _ F1 F2) |].
    assert (A : agree (x :: assigned_b b) l l1).
    { intros y Hy. rewrite A1 by (intros H; apply Hy; right; exact H).
      unfold bind. destruct (Nat.eqb_spec y x); [| reflexivity].
      exfalso. apply Hy. left. congruence. }
    split. { intros y Hy. rewrite A2, A; auto. }
    intros l0 K mem Q G Ha Hin [f Hf] Hw Hp.
    destruct (mid _ _ _ F1 F2 G Hp) as [G1 Hp1].
    pose proof (Hw l f v (Hin v (or_introl eq_refl))) as Hb.
    rewrite <- (agree_forget _ _ _ Ha) in Hb.
    destruct (H1 _ _ G Hf Hb Hp1) as (S1 & K1 & Hd1 & Hst).
    destruct (H2 l0 K mem Q G1) as [S2 [Hq | (-> & Hf2 & HN)]].
    + intros y Hy. rewrite A, Ha; auto.
    + intros w Hv. apply Hin. right. exact Hv.
    + eapply stays_around; eauto.
    + exact Hw.
    + exact Hp.
    + split; [auto |]. left. exact Hq.
    + split; [auto |]. right. split; [reflexivity |]. split; [exact Hf2 |].
      intros w N [-> | Hv] Hn; [| exact (HN w N Hv Hn)].
      specialize (Hn l f). rewrite <- (agree_forget _ _ _ Ha) in Hn.
      destruct (H1 _ _ G Hf Hn Hp1) as (_ & K2 & Hd2 & HN2). exists K2. split; [exact HN2 |].
      intros Hs. apply S2, (h_stolen _ _ Hd2), Hs.
  - intros x b l v m s l1 s1 _ (F1 & A1 & H1). split; [exact F1 |].
    split.
    { intros y Hy. rewrite A1 by (intros H; apply Hy; right; exact H).
      unfold bind. destruct (Nat.eqb_spec y x); [| reflexivity].
      exfalso. apply Hy. left. congruence. }
    intros l0 K mem Q G Ha Hin [f Hf] Hw Hp.
    pose proof (Hw l f v (Hin v (or_introl eq_refl))) as Hb.
    rewrite <- (agree_forget _ _ _ Ha) in Hb.
    destruct (H1 _ _ G Hf Hb Hp) as (S1 & K1 & Hd1 & HQ).
    split; [exact S1 |]. left. exists K1. auto.
  - intros x b l v m s l1 w s1 _ (F1 & A1 & H1). split; [exact F1 |].
    split.
    { intros y Hy. rewrite A1 by (intros H; apply Hy; right; exact H).
      unfold bind. destruct (Nat.eqb_spec y x); [| reflexivity].
      exfalso. apply Hy. left. congruence. }
    intros l0 K mem Q G Ha Hin [f Hf] Hw Hp.
    pose proof (Hw l f v (Hin v (or_introl eq_refl))) as Hb.
    rewrite <- (agree_forget _ _ _ Ha) in Hb.
    destruct (H1 _ _ G Hf Hb Hp) as (S1 & K1 & Hd1 & HQ).
    split; [exact S1 |]. left. exists K1. auto.
Qed.

End Soundness.
