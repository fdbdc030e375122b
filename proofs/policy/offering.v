(** steal_thread: threads that are offered, and taken. *)

From dromos.policy Require Export stealing.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Section Offering.

Variable P : policy.
Variable lmin : Z.
Hypothesis lmin_positive : 1 <= lmin.
Hypothesis O : balancing_obligations P lmin.

Variable n : Z.
Variable cg cd gs ds : Z -> list Z.
Notation may_load := (may_load P n cg cd gs ds).
Notation exec := (exec P n cg cd gs ds may_load no_stealing).
Notation count := (count P).
Notation zero := (zero P).
Notation fits := (fits P lmin).
Notation calm := (calm P).
Notation ready_of := (ready_of P).
Notation meanwhile := (meanwhile P n may_load).
Notation moves := (moves P n may_load).
Notation whiles := (whiles P lmin O n cg cd gs ds).
Notation loads_at_least := (loads_at_least P lmin O n cg cd gs ds).
Notation states_distinct := (states_distinct P lmin O).
Notation nobody_else_steals := (nobody_else_steals P lmin O).
Notation unit_loads := (unit_loads P lmin O).

Variable C : context.
Variable src dst : Z.
Hypothesis src_core : core n src.
Hypothesis dst_core : core n dst.
Hypothesis src_not_dst : src <> dst.

Let S := stealing P.
Let D (t : Z) := phase_of C dst [] (Some src) (Some t) Takes.

Lemma moves_of_take t t' c q s s' : moves (D t) t' c q s s' -> good P s ->
  (t' < 0 \/ ~ core n c) /\ s' = s \/
  0 <= t' /\ core n c /\ took P lmin src t' s s' /\ hand s' = hand s ++ [(t', q)].
Proof.
  apply (moves_took P n may_load lmin loads_at_least states_distinct nobody_else_steals
    (D t) t' c q src s s' eq_refl eq_refl).
Qed.

(** {1 Facts that follow from the text alone} *)

Record offering (s0 s : state) : Prop := Offering {
  off_fits : fits s;
  off_free : under_way s src = Free;
  off_ready : ready_ones P (hand s);
  off_hand : exists more, hand s = hand s0 ++ more;
  off_loads : enough S = None -> forall x, List.In x (spoken_of P s src) ->
    List.In x (spoken_of P s0 src) /\
    forall a, load P = Some a -> attribute s x a = attribute s0 x a;
}.

Lemma took_fits t s s' : took P lmin src t s s' -> fits s -> fits s'.
Proof.
  intros T [G L On V Hp]. split.
  - apply (took_good _ _ _ _ _ _ T).
  - apply (took_loads _ _ _ _ _ _ T), L.
  - apply (took_one _ _ _ _ _ _ T), On.
  - apply (took_valid _ _ _ _ _ _ T), V.
  - rewrite (took_placed _ _ _ _ _ _ T). exact Hp.
Qed.

Lemma take_offering t l b s l1 o s' : exec (D t) l b s l1 o s' ->
  modest P lmin true b = true -> offering s s -> offering s s'.
Proof.
  intros H Hm F.
  destruct (runs_keep P lmin true n cg cd gs ds may_load no_stealing (D t) (offering s))
    as (_ & _ & _ & T & _).
  - intros y y' M [Fy E R [more Hh] Lo]. destruct (whiles _ y y' M Fy) as (F' & K & _).
    split; [exact F' | | | |].
    + destruct (kept_held P _ _ _ K src eq_refl) as [-> _]. exact E.
    + rewrite (kept_hand P _ _ _ K). exact R.
    + exists more. rewrite (kept_hand P _ _ _ K). exact Hh.
    + intros En x Hx. rewrite (same_spoken P _ _ _ (kept_held P _ _ _ K src eq_refl)) in Hx.
      destruct (Lo En x Hx) as [A B]. split; [exact A |]. intros a El.
      rewrite <- (B a El). exact (kept_loads P _ _ _ K src x a eq_refl El Hx).
  - intros y i a v [Fy E R Hh Lo] Hv.
    assert (Hn : load P <> Some a) by (intros El; destruct (Hv El); discriminate).
    split; auto; [apply set_attribute_fits; [exact Fy | congruence] |].
    intros En x Hx. destruct (Lo En x Hx) as [A B]. split; [exact A |]. intros a' El.
    rewrite <- (B a' El). simpl. apply set2_other. right. congruence.
  - intros y f [Fy E R Hh Lo]. split; auto. apply set_global_fits, Fy.
  - intros t' c q y y' _ Hq M [Fy E R [more Hh] Lo].
    destruct (moves_of_take t t' c q y y' M (fits_good _ _ _ Fy)) as [[_ ->] | (Ht & _ & Tk & H')].
    + split; eauto.
    + split; [exact (took_fits _ _ _ Tk Fy) | apply (took_free _ _ _ _ _ _ Tk) | | |].
      * rewrite H'. apply Forall_app. split; [exact R |].
        constructor; [| constructor]. simpl. auto.
      * exists (more ++ [(t', q)]). rewrite H', Hh, app_assoc. reflexivity.
      * intros En x Hx. destruct (took_loads_kept _ _ _ _ _ _ Tk x Hx) as [A B].
        destruct (Lo En x A) as [A' B']. split; [exact A' |]. intros a El.
        rewrite (B a El). apply B', El.
  - intros g c y y' [].
  - apply (T l b s l1 o s' H Hm F).
Qed.

(** {1 Only the candidate is taken, and only from a core of two threads} *)

Record safely (t : Z) (s0 s : state) : Prop := Safely {
  safe_calm : calm s0 s;
  safe_u : u s src = u s0 src;
  safe_ready :
    hand s = hand s0 /\ ready_of s src = ready_of s0 src /\ count s src = count s0 src \/
    2 <= count s0 src /\ count s src = count s0 src - 1 /\ hand s <> hand s0 /\
    Permutation (ready_of s0 src) (t :: ready_of s src);
}.

Lemma safely_same t s0 s s' : calm s s' -> same s s' src -> hand s' = hand s ->
  safely t s0 s -> safely t s0 s'.
Proof.
  intros Ca Sm Hh [C0 U0 R0]. split.
  - exact (calm_trans P _ _ _ C0 Ca).
  - destruct Sm as (_ & _ & -> & _). exact U0.
  - assert (Er : ready_of s' src = ready_of s src).
    { destruct Sm as (_ & _ & _ & Sm). unfold transfer.ready_of. f_equal.
      apply map_ext. intros q. apply Sm. }
    assert (Ec : count s' src = count s src).
    { unfold machine.count. rewrite (same_spoken P _ _ _ Sm). reflexivity. }
    rewrite Hh, Er, Ec. exact R0.
Qed.

Lemma modest_take : modest P lmin true (take S) = true.
Proof.
  pose proof (ob_modest P lmin O) as H. unfold texts_modest in H.
  repeat (apply andb_true_iff in H; destruct H as [H ?]). assumption.
Qed.

Definition W_of (t : Z) (s : state) : word -> Z := fun w => look P n (D t) s w src.

Lemma holds_first t R St Mv s : fits s -> (R <> [] -> hand s = []) ->
  holds P n lmin (D t) R (W_of t s) false St Mv
    (fresh_knowledge (candidate_attributes P (attribute s t))) s.
Proof.
  intros F Hh. split; simpl; try discriminate; try contradiction.
  - apply F.
  - intros _ Hr. left. auto.
  - intros _ h [= <-]. split; [congruence |]. split; [exact src_core |]. reflexivity.
  - unfold candidate_attributes. destruct (thread_attributes P) eqn:E; [discriminate |].
    intros f [= <-]. split; [apply F |]. split; [reflexivity |]. exists t. auto.
Qed.

Lemma holds_after t R W (St Mv : state -> Prop) K s s' : took P lmin src t s s' ->
  holds P n lmin (D t) R W false St Mv K s -> (St s -> St s') -> Mv s' ->
  holds P n lmin (D t) R W false St Mv (after_move K) s'.
Proof.
  intros T H Hs Hm. split; simpl; try discriminate.
  - apply (took_loads _ _ _ _ _ _ T), H.
  - intros E. apply Hs, (h_stolen _ _ _ _ _ _ _ _ _ _ _ H E).
  - intros _. exact Hm.
Qed.

Let bound_locals l0 t := bind (bind (bind l0 (source S) src) (destination S) dst) (candidate S) t.

Lemma take_safely l0 t l o s s' : exec (D t) (bound_locals l0 t) (take S) s l o s' ->
  offering s s -> 0 <= t -> List.In t (ready_of s src) -> safely t s s'.
Proof.
  intros H F Ht Hin.
  pose proof (words_exact P lmin O n (D t) s src t ltac:(simpl; congruence)
    src_core (off_fits _ _ F) (off_free _ _ F) Hin) as Wx.
  pose proof (ob_safe P lmin O n cg cd gs ds (self C) (target C) src dst t
    (attribute s t) (W_of t s) l0 src_core dst_core src_not_dst Ht Wx I) as Hw.
  fold (phase_of C dst [] (Some src) (Some t) Takes) in Hw.
  assert (Wc : forall y, look P n (D t) y The_count src = count y src).
  { intros y. apply (look_elsewhere P n (D t) y The_count); [simpl; congruence | exact src_core]. }
  destruct (text_sound P n cg cd gs ds may_load lmin (D t) [] (W_of t s) nobody false
    (fun K t' _ => known K = true /\ t' = t /\ 2 <= W_of t s The_count) no_stealing
    (safely t s) (fun _ => True) lmin_positive unit_loads loads_at_least states_distinct
    nobody_else_steals) as (_ & _ & _ & T & _); auto; try (intros; contradiction).
  - intros y y' _ K Sy. apply (safely_same t s y); auto.
    + apply later_calm, K.
    + apply (kept_held P _ _ _ K). reflexivity.
    + apply (kept_hand P _ _ _ K).
  - intros y y' _ Sm _ Hh Sy. apply (safely_same t s y); auto. apply same_calm, Sm.
  - intros t' [= <-]. exact Ht.
  - intros t' c q y y' M G.
    destruct (moves_of_take t t' c q y y' M G) as [[_ ->] | (_ & _ & Tk & _)].
    + auto.
    + split; [apply (took_good _ _ _ _ _ _ Tk) | intros _ c' r []].
  - intros K t' c q y y' M G Hd _.
    destruct (moves_of_take t t' c q y y' M G) as [Hno | (H1 & H2 & Tk & H3)]; [left; exact Hno |].
    right. split; [exact H1 |]. split; [exact H2 |]. intros (Hk & -> & H2w).
    destruct (h_held _ _ _ _ _ _ _ _ _ _ _ Hd Hk src eq_refl) as (_ & _ & Hwd).
    specialize (Hwd The_count). unfold W_of in Hwd, H2w. rewrite (Wc y), (Wc s) in Hwd. rewrite Wc in H2w.
    assert (St : safely t s y -> safely t s y').
    { intros [C0 U0 R0]. split.
      - apply (calm_trans P _ y); [exact C0 |]. apply (took_calm P lmin src t); [exact Tk | lia].
      - rewrite (took_u _ _ _ _ _ _ Tk). exact U0.
      - right. destruct R0 as [(Hh & Er & Ec) | (A & B & _)]; [| lia].
        split; [exact H2w |]. split; [rewrite (took_count _ _ _ _ _ _ Tk); lia |].
        split.
        { rewrite H3, Hh. intros El. apply (f_equal (@length _)) in El.
          rewrite length_app in El. simpl in El. lia. }
        rewrite <- Er. apply (took_ready _ _ _ _ _ _ Tk). }
    split; [exact St |]. apply (holds_after t [] _ _ _ K y y' Tk Hd St I).
  - destruct (T _ _ _ _ _ _ H) as (_ & _ & Te).
    destruct (Te _ _ (fits_good _ _ _ (off_fits _ _ F))
      (holds_first t [] (safely t s) (fun _ => True) s (off_fits _ _ F) ltac:(congruence)) Hw
      ltac:(intros ? ? [])) as [Hs _].
    apply Hs. split; [apply calm_refl | reflexivity | left; auto].
Qed.

(** {1 For an idle core a thread is taken} *)

Definition lightest_of (s : state) (t : Z) : Prop :=
  forall a, load P = Some a ->
  forall y, List.In y (ready_of s src) -> attribute s t a <= attribute s y a.

Lemma take_progress l0 t l o s s' : exec (D t) (bound_locals l0 t) (take S) s l o s' ->
  offering s s -> 0 <= t -> List.In t (ready_of s src) ->
  (enough S = None -> lightest_of s t) ->
  hand s = [] -> 2 <= count s src -> zero s' dst -> hand s' <> [].
Proof.
  intros H F Ht Hin Hl Hh H2 Hz.
  pose proof (words_exact P lmin O n (D t) s src t ltac:(simpl; congruence)
    src_core (off_fits _ _ F) (off_free _ _ F) Hin) as Wx.
  assert (Hwanted : 2 <= W_of t s The_count /\
    (enough S = None -> lightest P lmin (W_of t s) (attribute s t))).
  { unfold lightest, W_of.
    rewrite !(look_elsewhere P n (D t) s) by (simpl; congruence || exact src_core).
    split; [exact H2 |]. intros En. destruct (load P) as [a |] eqn:El; [| exact I].
    intros H3. apply (lightest_weighs P lmin lmin_positive O s src t a El (off_fits _ _ F) (off_free _ _ F)
      Hin (Hl En a El) H3). }
  pose proof (ob_progress P lmin O n cg cd gs ds (self C) (target C) src dst t
    (attribute s t) (W_of t s) l0 src_core dst_core src_not_dst Ht Wx Hwanted) as Hw.
  fold (phase_of C dst [] (Some src) (Some t) Takes) in Hw.
  destruct (text_sound P n cg cd gs ds may_load lmin (D t) [(dst, Idle)] (W_of t s) nobody false
    (fun _ _ _ => True) no_stealing
    (fun _ => True) (fun y => hand y <> []) lmin_positive unit_loads loads_at_least states_distinct
    nobody_else_steals) as (_ & _ & _ & T & _); auto; try (intros; contradiction).
  - intros c r [[= <- <-] | []]. exact dst_core.
  - intros y y' _ -> Hy. exact Hy.
  - intros t' [= <-]. exact Ht.
  - intros t' c q y y' M G.
    destruct (moves_of_take t t' c q y y' M G) as [[_ ->] | (_ & _ & Tk & _)].
    + auto.
    + split; [apply (took_good _ _ _ _ _ _ Tk) |].
      intros Hp c' r [[= <- <-] | []].
      apply (zero_before P y y'); [apply (took_later _ _ _ _ _ _ Tk); congruence |].
      exact (Hp dst Idle (or_introl eq_refl)).
  - intros K t' c q y y' M G Hd _.
    destruct (moves_of_take t t' c q y y' M G) as [Hno | (H1 & H3 & Tk & H4)]; [left; exact Hno |].
    right. split; [exact H1 |]. split; [exact H3 |]. intros _. split; [auto |].
    split; simpl; try discriminate.
    + apply (took_loads _ _ _ _ _ _ Tk), Hd.
    + auto.
    + intros _ E. rewrite H4 in E. destruct (hand y); discriminate.
  - destruct (T _ _ _ _ _ _ H) as (_ & _ & Te).
    destruct (Te _ _ (fits_good _ _ _ (off_fits _ _ F))
      (holds_first t [(dst, Idle)] (fun _ => True) _ s (off_fits _ _ F) ltac:(auto)) Hw)
      as (_ & K & Hd & Hm).
    + intros c r [[= <- <-] | []]. exact Hz.
    + exact (h_moved _ _ _ _ _ _ _ _ _ _ _ Hd Hm).
Qed.

(** {1 All that are offered} *)

Lemma enough_still l s v s' : enough_said P n cg cd gs ds may_load C src dst l s v s' ->
  fits s -> still P lmin (phase_of C dst [] (Some src) None Takes) s s'.
Proof.
  intros H F. destruct H as [l s _ | l e s v s1 He H].
  - apply still_refl, F.
  - apply (eval_still P lmin O n cg cd gs ds _ _ _ _ _ _ H); [| exact F].
    pose proof (ob_modest P lmin O) as Hm. unfold texts_modest in Hm.
    repeat (apply andb_true_iff in Hm; destruct Hm as [Hm ?]).
    unfold modest_option in *. rewrite He in *. assumption.
Qed.

Record offered (s s' : state) : Prop := Offered {
  offd_offering : offering s s';
  offd_calm : calm s s';
  offd_u : u s' src = u s src;
  (** from a core of two threads *)
  offd_heavy : hand s' <> hand s -> exists s1, calm s s1 /\ calm s1 s' /\
    2 <= count s1 src /\ u s1 src = u s src;
}.

Lemma offering_trans s1 s2 s3 : offering s1 s2 -> offering s2 s3 -> offering s1 s3.
Proof.
  intros [_ _ _ [m1 H1] L1] [F E R [m2 H2] L2]. split; auto.
  - exists (m1 ++ m2). rewrite H2, H1, app_assoc. reflexivity.
  - intros En x Hx. destruct (L2 En x Hx) as [A B]. destruct (L1 En x A) as [A' B'].
    split; [exact A' |]. intros a El. rewrite (B a El). apply B', El.
Qed.

Lemma offering_self s1 s2 : offering s1 s2 -> offering s2 s2.
Proof. intros [F E R _ _]. split; auto. exists []. rewrite app_nil_r. reflexivity. Qed.

Lemma hand_eq_dec (l l' : list (Z * nat)) : {l = l'} + {l <> l'}.
Proof. apply list_eq_dec. intros [a b] [c e].
  destruct (Z.eq_dec a c), (Nat.eq_dec b e); [left | right | right | right]; congruence.
Qed.

Lemma offered_trans s1 s2 s3 : offered s1 s2 -> offered s2 s3 -> offered s1 s3.
Proof.
  intros [O1 C1 U1 H1] [O2 C2 U2 H2]. split.
  - exact (offering_trans _ _ _ O1 O2).
  - exact (calm_trans P _ _ _ C1 C2).
  - congruence.
  - intros Hn. destruct (hand_eq_dec (hand s2) (hand s1)) as [E | E].
    + destruct H2 as (x & A & B & K & U); [congruence |]. exists x.
      split; [exact (calm_trans P _ _ _ C1 A) |]. split; [exact B |]. split; [exact K | congruence].
    + destruct (H1 E) as (x & A & B & K & U). exists x.
      split; [exact A |]. split; [exact (calm_trans P _ _ _ B C2) |]. auto.
Qed.

(** The offer of one thread; the text decides whether the thread is enough. *)
Lemma one_offered l0 t l o s s1 v s2 : exec (D t) (bound_locals l0 t) (take S) s l o s1 ->
  enough_said P n cg cd gs ds may_load C src dst l s1 v s2 ->
  offering s s -> List.In t (ready_of s src) ->
  offered s s2 /\
  (ready_of s2 src = ready_of s src \/ Permutation (ready_of s src) (t :: ready_of s2 src)) /\
  (hand s2 = hand s -> ready_of s2 src = ready_of s src /\ count s2 src = count s src) /\
  ((enough S = None -> lightest_of s t) -> hand s = [] -> 2 <= count s src -> zero s2 dst -> hand s2 <> []).
Proof.
  intros H En F Hin.
  assert (Ht : 0 <= t).
  { unfold transfer.ready_of in Hin. apply in_concat in Hin. destruct Hin as (q & Hq & Hi).
    apply in_map_iff in Hq. destruct Hq as (x & <- & _).
    exact (proj1 (fits_valid _ _ _ (off_fits _ _ F) src) x t Hi). }
  pose proof (take_offering t _ _ _ _ _ _ H modest_take F) as F1.
  pose proof (take_safely l0 t l o s s1 H F Ht Hin) as [Sc Su Sr].
  destruct (enough_still _ _ _ _ En (off_fits _ _ F1)) as [F2 H2 C2 E2].
  specialize (E2 src eq_refl).
  assert (Er : ready_of s2 src = ready_of s1 src).
  { destruct E2 as (_ & _ & _ & E2). unfold transfer.ready_of. f_equal.
    apply map_ext. intros q. apply E2. }
  split; [split | split; [| split]].
  - destruct F1 as [_ A B [more Hm] Lo]. split; [exact F2 | | | |].
    + destruct E2 as [-> _]. exact A.
    + rewrite H2. exact B.
    + exists more. congruence.
    + intros Eno. destruct En as [l1 y _ | l1 e y v y1 He _]; [apply Lo, Eno | unfold S in Eno; congruence].
  - exact (calm_trans P _ _ _ Sc C2).
  - destruct E2 as (_ & _ & -> & _). exact Su.
  - intros Hn. destruct Sr as [(A & _) | (A & _)]; [congruence |].
    exists s. split; [apply calm_refl |]. split; [exact (calm_trans P _ _ _ Sc C2) |]. auto.
  - rewrite Er. destruct Sr as [(_ & A & _) | (_ & _ & _ & A)]; auto.
  - intros Hn. assert (Ec : count s2 src = count s1 src).
    { unfold machine.count. rewrite (same_spoken P _ _ _ E2). reflexivity. }
    rewrite Er, Ec. destruct Sr as [(_ & A) | (_ & _ & A & _)]; [exact A | congruence].
  - intros Hl Hh Hc Hz. rewrite H2.
    apply (take_progress l0 t l o s s1 H F Ht Hin Hl Hh Hc). apply C2, Hz.
Qed.

(** One of these threads has to be taken. *)
Definition wanted_among (l : list Z) (s : state) : Prop :=
  match enough S with
  | Some _ => l <> []
  | None => exists t, List.In t l /\ lightest_of s t
  end.

Lemma least (f : Z -> Z) l : l <> [] ->
  exists t, List.In t l /\ forall y, List.In y l -> f t <= f y.
Proof.
  induction l as [| x l IH]; [congruence |]. intros _. destruct l as [| y l].
  - exists x. split; [left; reflexivity |]. intros y [<- | []]. lia.
  - destruct IH as (t & Ht & Hl); [discriminate |]. destruct (Z_le_dec (f x) (f t)).
    + exists x. split; [left; reflexivity |].
      intros z [<- | Hz]; [lia | specialize (Hl z Hz); lia].
    + exists t. split; [right; exact Ht |]. intros z [<- | Hz]; [lia | apply Hl, Hz].
Qed.

Lemma some_wanted s : ready_of s src <> [] -> wanted_among (ready_of s src) s.
Proof.
  intros H. unfold wanted_among. destruct (enough S); [exact H |].
  destruct (load P) as [a |] eqn:El.
  - destruct (least (fun x => attribute s x a) _ H) as (t & Ht & Hl). exists t.
    split; [exact Ht |]. intros a' E. assert (a' = a) by congruence. subst a'. exact Hl.
  - destruct (ready_of s src) as [| t r] eqn:Er; [congruence |]. exists t.
    split; [left; reflexivity |]. intros a E. congruence.
Qed.

Lemma ready_spoken s x : fits s -> under_way s src = Free ->
  List.In x (ready_of s src) -> List.In x (spoken_of P s src).
Proof.
  intros F E H. unfold spoken_of. rewrite E. simpl. apply in_or_app. right.
  eapply Permutation_in; [exact (ready_counted P lmin s src F E) | exact H].
Qed.

Lemma offers_offered l s s' : offers P n cg cd gs ds may_load C src dst l s s' ->
  offering s s -> (exists rest, Permutation (ready_of s src) (l ++ rest)) ->
  offered s s' /\
  (wanted_among l s -> hand s = [] -> 2 <= count s src -> zero s' dst -> hand s' <> []).
Proof.
  induction 1 as [s | t r s l0 l o s1 s2 s3 H En Hr IH | t r s l0 l o s1 s2 H En];
    intros F [rest Hp].
  - split.
    + split; [exact F | apply calm_refl | reflexivity | congruence].
    + unfold wanted_among. destruct (enough S); [congruence | intros (t & [] & _)].
  - assert (Hin : List.In t (ready_of s src))
      by (eapply Permutation_in; [symmetry; exact Hp | left; reflexivity]).
    destruct (one_offered l0 t l o s s1 _ s2 H En F Hin) as (O1 & R1 & N1 & P1).
    destruct IH as [O2 P2].
    + exact (offering_self _ _ (offd_offering _ _ O1)).
    + destruct R1 as [-> | R1].
      * exists (t :: rest). rewrite Hp. simpl. apply Permutation_middle.
      * exists rest. apply (Permutation_cons_inv (a := t)). rewrite <- R1. exact Hp.
    + split; [exact (offered_trans _ _ _ O1 O2) |].
      intros Hw Hh Hc Hz. pose proof (proj1 (offd_calm _ _ O2) _ Hz) as Hz2.
      destruct (hand_eq_dec (hand s2) []) as [E2 | E2].
      2: { destruct (off_hand _ _ (offd_offering _ _ O2)) as [more ->].
        destruct (hand s2); [congruence | discriminate]. }
      destruct N1 as [Er Ec]; [congruence |].
      unfold wanted_among in *. revert Hw P2. destruct (enough S) as [e |] eqn:Ee; intros Hw P2.
      * exfalso. apply P1; auto. intros En0. congruence.
      * destruct Hw as (w & [<- | Hw] & Hl); [exfalso; apply (P1 (fun _ => Hl) Hh Hc Hz2 E2) |].
        apply P2; [| exact E2 | lia | exact Hz]. exists w. split; [exact Hw |].
        assert (Hw1 : List.In w (ready_of s src)).
        { eapply Permutation_in; [symmetry; exact Hp |].
          apply in_or_app. left. right. exact Hw. }
        destruct (offd_offering _ _ O1) as [F2 Fr2 _ _ Lo].
        assert (Same : forall a y, load P = Some a -> List.In y (ready_of s src) ->
          attribute s2 y a = attribute s y a).
        { intros a y El Hy. rewrite <- Er in Hy.
          apply (Lo Ee y (ready_spoken s2 y F2 Fr2 Hy)), El. }
        intros a El y Hy. rewrite Er in Hy. rewrite !Same by assumption. apply (Hl a El y Hy).
  - assert (Hin : List.In t (ready_of s src))
      by (eapply Permutation_in; [symmetry; exact Hp | left; reflexivity]).
    destruct (one_offered l0 t l o s s1 _ s2 H En F Hin) as (O1 & R1 & N1 & P1).
    split; [exact O1 |]. intros _. apply P1. intros Eno. unfold S in Eno. inversion En; congruence.
Qed.

End Offering.
