(** GCWC of balancing, from the obligations of a policy, as in
    policy/theories/balancing.mlw.

    Let a core d be idle at the end. Then d was idle at every moment, and each look
    at d gave 0. Let a core c have two threads at the end. Then c had two threads at
    every moment. When the handler stole for d (balance_complete), the filter
    admitted c (filter_complete), the search did not end before c was selected
    (until_sound, select_member), and a ready thread of c was offered and taken
    (steal_progress). So d has a thread: a contradiction. Stealing for other cores
    made no core idle (steal_safe). *)

From dromos.policy Require Export offering.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Section Balancing.

Variable P : policy.
Variable lmin : Z.
Hypothesis lmin_positive : 1 <= lmin.
Hypothesis O : balancing_obligations P lmin.

Section Searching.

Variable n : Z.
Variable cg cd gs ds : Z -> list Z.
Notation may_load := (may_load P n cg cd gs ds).
Notation zero := (zero P).
Notation light := (light P).
Notation fits := (fits P lmin).
Notation calm := (calm P).
Notation back0 := (back0 P).
Notation settled := (settled P n).
Notation whiles := (whiles P lmin O n cg cd gs ds).
Notation loads_at_least := (loads_at_least P lmin O n cg cd gs ds).
Notation states_distinct := (states_distinct P lmin O).
Notation nobody_else_steals := (nobody_else_steals P lmin O).
Notation unit_loads := (unit_loads P lmin O).

Variable C : context.
Variable dst : Z.
Hypothesis dst_core : core n dst.

Let S := stealing P.
Let looks (a : list Z) := phase_of C dst a None None Looks.

Lemma modest_phases : modest_e P lmin false (can_steal_core S) = true /\
  modest_e P lmin false (select_core S) = true /\
  (forall e, until_ S = Some e -> modest_e P lmin false e = true) /\
  modest P lmin false (body (balancing P)) = true.
Proof.
  pose proof (ob_modest P lmin O) as H. unfold texts_modest in H.
  repeat (apply andb_true_iff in H; destruct H as [H ?]).
  split; [assumption |]. split; [assumption |]. split; [| assumption].
  intros e E. unfold modest_option, S in *. rewrite E in *. assumption.
Qed.

(** {1 The state after stealing} *)

Record stolen_from (s s' : state) : Prop := {
  st_fits : fits s';
  st_hand : hand s' = [];
  st_back : back0 s s';
  st_settled : forall d, settled d s -> settled d s';
}.

Lemma calm_stolen s s' : fits s' -> hand s' = [] -> calm s s' -> stolen_from s s'.
Proof.
  intros F H Ca. split; auto; [apply Ca |]. intros d. apply (calm_settled P n s s' d Ca).
Qed.

Lemma stolen_trans s1 s2 s3 : stolen_from s1 s2 -> stolen_from s2 s3 -> stolen_from s1 s3.
Proof.
  intros [_ _ B1 S1] [F H B2 S2]. split; auto. exact (back0_trans P _ _ _ B1 B2).
Qed.

(** {1 Steps 3 and 4} *)

Lemma migrates_done src s s' : core n src -> src <> dst ->
  migrates P n cg cd gs ds may_load C src dst s s' -> fits s -> hand s = [] ->
  stolen_from s s' /\ (zero s' dst -> calm s s' /\ light s' src).
Proof.
  intros Hs Hne H F Hh.
  assert (Offers : forall s1 s2, meanwhile P n may_load (phase_of C dst [] None None Looks) s s1 ->
    under_way s1 src = Free ->
    offers P n cg cd gs ds may_load C src dst (concat (map (queue s1 src) (ready P))) s1 s2 ->
    calm s s1 /\ offered P lmin src s1 s2 /\
    (~ light s1 src -> zero s2 dst -> hand s2 <> []) /\ hand s1 = []).
  { intros s1 s2 M E Of. destruct (whiles _ _ _ M F) as (F1 & K1 & C1).
    assert (H1 : hand s1 = []) by (rewrite (kept_hand P _ _ _ K1); exact Hh).
    assert (Og : offering P lmin src s1 s1).
    { split; auto; [rewrite H1; constructor | exists []; rewrite app_nil_r; reflexivity]. }
    destruct (offers_offered P lmin lmin_positive O n cg cd gs ds C src dst Hs dst_core Hne
      _ _ _ Of Og) as [Od Pr].
    { exists []. rewrite app_nil_r. reflexivity. }
    split; [exact C1 |]. split; [exact Od |]. split; [| exact H1].
    intros Hl Hz.
    assert (H2 : 2 <= count P s1 src).
    { destruct (Z_le_dec 2 (count P s1 src)); [assumption |]. exfalso. apply Hl. right. lia. }
    apply Pr; auto. apply some_wanted. exact (some_ready P lmin s1 src F1 E H2). }
  destruct H as [s s1 s2 M E Of Hn | s s1 s2 s3 s4 M E Of Hn M3 E3 Pu];
    destruct (Offers s1 s2 M E Of) as (C1 & Od & Pr & H1);
    pose proof (offd_calm _ _ _ _ _ Od) as C2; pose proof (calm_trans P _ _ _ C1 C2) as C12.
  - split.
    + apply calm_stolen; auto. apply (off_fits _ _ _ _ _ (offd_offering _ _ _ _ _ Od)).
    + intros Hz. split; [exact C12 |].
      destruct (light_dec P s1 src) as [L | L]; [apply C2, L |].
      exfalso. apply (Pr L Hz), Hn.
  - pose proof (offd_offering _ _ _ _ _ Od) as Og.
    destruct (whiles _ _ _ M3 (off_fits _ _ _ _ _ Og)) as (F3 & K3 & C3).
    pose proof (kept_hand P _ _ _ K3) as H3.
    destruct (puts_all P n may_load lmin loads_at_least states_distinct nobody_else_steals
      C dst (u s2 src) (hand s3) s3 s4 Pu F3 eq_refl E3) as (F4 & H4 & B4 & C4 & Z4).
    { rewrite H3. apply (off_ready _ _ _ _ _ Og). }
    pose proof (calm_trans P _ _ _ C12 C3) as C13.
    split.
    + split; auto; [exact (back0_trans P _ _ _ (proj1 C13) B4) |].
      intros d Sd. destruct (u s2 src) eqn:Eu.
      * apply (calm_settled P n s s4 d); [exact (calm_trans P _ _ _ C13 (C4 eq_refl)) | exact Sd].
      * intros Z c Hc. exfalso.
        destruct (offd_heavy _ _ _ _ _ Od) as (x & Ca & Cb & Hx & Ux); [congruence |].
        pose proof (calm_trans P _ _ _ C1 Ca) as Cx.
        apply B4, C3, Cb in Z. pose proof (proj1 Cx _ Z) as Z0.
        pose proof (proj2 Cx src (Sd Z0 src Hs)) as L.
        pose proof (offd_u _ _ _ _ _ Od). destruct L as [L | L]; [congruence | lia].
    + intros Z. exfalso. apply Z4; [congruence | exact Z].
Qed.

(** {1 Step 1} *)

Lemma filters_done l s a s' : filters P n cg cd gs ds may_load C dst l s a s' ->
  fits s -> hand s = [] -> (forall c, List.In c l -> core n c) ->
  fits s' /\ hand s' = [] /\ calm s s' /\
  (forall c, List.In c a -> core n c /\ c <> dst) /\
  (zero s' dst -> forall c, List.In c l -> c = dst \/ List.In c a \/ light s' c).
Proof.
  destruct modest_phases as (Mf & _).
  induction 1 as [s | c r s v s1 a s2 l Hne He Hv Hf IH | c r s v s1 a s2 l Hne He Hv Hf IH
    | c r s a s2 Heq Hf IH]; intros F Hh Hc.
  - split; [exact F |]. split; [exact Hh |]. split; [apply calm_refl |].
    split; [intros c [] | intros _ c []].
  - destruct (eval_still P lmin O n cg cd gs ds _ _ _ _ _ _ He Mf F) as [F1 H1 C1 _].
    destruct IH as (F2 & H2 & C2 & A2 & Q2);
      [exact F1 | congruence | intros; apply Hc; right; assumption |].
    split; [exact F2 |]. split; [exact H2 |]. split; [exact (calm_trans P _ _ _ C1 C2) |]. split.
    + intros x [<- | Hx]; [split; [apply Hc; left; reflexivity | exact Hne] | apply A2, Hx].
    + intros Z x [<- | Hx]; [right; left; left; reflexivity |].
      destruct (Q2 Z x Hx) as [E | [E | E]]; [left; exact E | right; left; right; exact E | auto].
  - destruct (eval_still P lmin O n cg cd gs ds _ _ _ _ _ _ He Mf F) as [F1 H1 C1 _].
    destruct IH as (F2 & H2 & C2 & A2 & Q2);
      [exact F1 | congruence | intros; apply Hc; right; assumption |].
    split; [exact F2 |]. split; [exact H2 |]. split; [exact (calm_trans P _ _ _ C1 C2) |].
    split; [exact A2 |]. intros Z x [<- | Hx]; [| exact (Q2 Z x Hx)].
    right. right. apply C2. destruct (light_dec P s1 c) as [L | L]; [exact L | exfalso].
    assert (Hcc : core n c) by (apply Hc; left; reflexivity).
    assert (E : exists K : knowledge, true_ v = true).
    { eapply (eval_sound P lmin lmin_positive O n cg cd gs ds
        (phase_of C dst [] None None Looks) [(c, Busy 2); (dst, Idle)] _ _ s v s1
        (fun _ v => true_ v = true) eq_refl eq_refl eq_refl); [| exact He | exact F | exact Hh | |].
      - intros x k [[= <- <-] | [[= <- <-] | []]]; assumption.
      - apply (ob_filter P lmin O n cg cd gs ds (self C) (target C) c dst); assumption.
      - intros x k [[= <- <-] | [[= <- <-] | []]]; [| apply C2, Z].
        unfold plays, own. rewrite (fits_placed P lmin _ F1).
        destruct Hcc as [Hcc _].
        replace (-1 =? c) with false by (symmetry; apply Z.eqb_neq; lia).
        rewrite andb_false_r. unfold others.light in L. destruct (u s1 c); [tauto |].
        split; [reflexivity |]. destruct (Z_le_dec (count P s1 c) 1); [tauto | lia]. }
    destruct E as [_ E]. congruence.
  - destruct IH as (F2 & H2 & C2 & A2 & Q2);
      [exact F | exact Hh | intros; apply Hc; right; assumption |].
    split; [exact F2 |]. split; [exact H2 |]. split; [exact C2 |]. split; [exact A2 |].
    intros Z x [<- | Hx]; [left; exact Heq | exact (Q2 Z x Hx)].
Qed.

(** {1 Steps 2 and 5} *)

Definition quiet (among a : list Z) (s : state) : Prop :=
  zero s dst -> forall c, List.In c among -> List.In c a \/ light s c.

Lemma quiet_calm among a s s' : calm s s' -> quiet among a s -> quiet among a s'.
Proof.
  intros [B L] Q Z c Hc. destruct (Q (B _ Z) c Hc) as [H | H]; [auto | right; apply L, H].
Qed.

(** select_core names a filtered core, and changes nothing. *)
Lemma selects a l s v s1 : a <> [] -> (forall c, List.In c a -> core n c /\ c <> dst) ->
  eval P n cg cd gs ds may_load no_stealing (phase_of C dst a None None Looks)
    (bind l (destination S) dst) (select_core S) s v s1 ->
  fits s -> hand s = [] ->
  List.In v a /\ fits s1 /\ hand s1 = [] /\ calm s s1.
Proof.
  intros Ha Hc He F Hh. destruct modest_phases as (_ & Ms & _).
  destruct (eval_still P lmin O n cg cd gs ds _ _ _ _ _ _ He Ms F) as [F1 H1 C1 _].
  split; [| split; [exact F1 | split; [congruence | exact C1]]].
  assert (E : exists K : knowledge, List.In v a).
  { eapply (eval_sound P lmin lmin_positive O n cg cd gs ds (phase_of C dst a None None Looks)
      [] _ _ s v s1 (fun _ v => List.In v a) eq_refl eq_refl eq_refl);
      [intros ? ? [] | exact He | exact F | exact Hh | | intros ? ? []].
    apply (ob_select P lmin O n cg cd gs ds (self C) (target C) dst a l); assumption. }
  destruct E as [_ E]. exact E.
Qed.

Lemma until_done e l v s w s' : core n v -> v <> dst -> until_ S = Some e ->
  eval P n cg cd gs ds may_load no_stealing (phase_of C dst [] None None Looks)
    (bind (bind l (source S) v) (destination S) dst) e s w s' ->
  fits s -> hand s = [] ->
  fits s' /\ hand s' = [] /\ calm s s' /\ (zero s' dst -> true_ w = false).
Proof.
  intros Hv Hne Eu He F Hh. destruct modest_phases as (_ & _ & Mu & _).
  destruct (eval_still P lmin O n cg cd gs ds _ _ _ _ _ _ He (Mu e Eu) F) as [F1 H1 C1 _].
  split; [exact F1 |]. split; [congruence |]. split; [exact C1 |]. intros Z.
  assert (E : exists K : knowledge, true_ w = false).
  { eapply (eval_sound P lmin lmin_positive O n cg cd gs ds (phase_of C dst [] None None Looks)
      [(dst, Idle)] _ _ s w s' (fun _ v => true_ v = false) eq_refl eq_refl eq_refl);
      [| exact He | exact F | exact Hh | |].
    - intros x k [[= <- <-] | []]. exact dst_core.
    - apply (ob_until P lmin O n cg cd gs ds (self C) (target C) v dst); assumption.
    - intros x k [[= <- <-] | []]. exact Z. }
  destruct E as [_ E]. exact E.
Qed.

Lemma searches_done among a s s' : searches P n cg cd gs ds may_load C dst a s s' ->
  fits s -> hand s = [] -> (forall c, List.In c a -> core n c /\ c <> dst) ->
  quiet among a s ->
  stolen_from s s' /\
  (zero s' dst -> calm s s' /\ forall c, List.In c among -> light s' c).
Proof.
  pose proof (ob_repeated P lmin O) as Rep.
  induction 1 as [s | a s l v s1 Ha He Hn | a s l v s1 s2 Ha He Hin Mi Er
    | a s l v s1 s2 e w s3 Ha He Hin Mi Eu Hw Tw
    | a s l v s1 s2 s3 s4 Ha He Hin Mi Er Hw Se IH]; intros F Hh Hc Q.
  - split; [apply calm_stolen; auto; apply calm_refl |].
    intros Z. split; [apply calm_refl |].
    intros c Hcc. destruct (Q Z c Hcc) as [[] | L]. exact L.
  - destruct (selects a l s v s1 Ha Hc He F Hh) as (Hv & _). contradiction.
  - congruence.
  - destruct (selects a l s v s1 Ha Hc He F Hh) as (_ & F1 & H1 & C1).
    destruct (Hc v Hin) as [Hv Hne].
    destruct (migrates_done v s1 s2 Hv Hne Mi F1 H1) as [St2 _].
    destruct (until_done e l v s2 w s3 Hv Hne Eu Hw (st_fits _ _ St2) (st_hand _ _ St2))
      as (F3 & H3 & C3 & U3).
    split.
    + apply (stolen_trans s s1); [apply calm_stolen; assumption |].
      apply (stolen_trans s1 s2); [exact St2 | apply calm_stolen; assumption].
    + intros Z. specialize (U3 Z). congruence.
  - destruct (selects a l s v s1 Ha Hc He F Hh) as (_ & F1 & H1 & C1).
    destruct (Hc v Hin) as [Hv Hne].
    destruct (migrates_done v s1 s2 Hv Hne Mi F1 H1) as [St2 Q2].
    assert (H3 : fits s3 /\ hand s3 = [] /\ calm s2 s3).
    { destruct (until_ S) as [e |] eqn:Eu; unfold S in Eu; rewrite Eu in Hw.
      - destruct Hw as (w & Hw & _).
        destruct (until_done e l v s2 w s3 Hv Hne Eu Hw (st_fits _ _ St2) (st_hand _ _ St2))
          as (F3 & H3 & C3 & _). auto.
      - subst s3. split; [apply St2 | split; [apply St2 | apply calm_refl]]. }
    destruct H3 as (F3 & H3 & C3).
    destruct IH as [St4 Z4]; [exact F3 | exact H3 | | |].
    + intros c Hi. apply filter_In in Hi. apply Hc, Hi.
    + intros Z c Hcc. pose proof (proj1 C3 _ Z) as Z2. destruct (Q2 Z2) as [C2 Lv].
      pose proof (calm_trans P _ _ _ C1 (calm_trans P _ _ _ C2 C3)) as C13.
      destruct (quiet_calm among a s s3 C13 Q Z c Hcc) as [Hi | L]; [| auto].
      destruct (Z.eq_dec c v) as [-> | Hcv]; [right; apply C3, Lv |].
      left. apply filter_In. split; [exact Hi |].
      apply negb_true_iff, Z.eqb_neq, Hcv.
    + split.
      * apply (stolen_trans s s1); [apply calm_stolen; assumption |].
        apply (stolen_trans s1 s2); [exact St2 |].
        apply (stolen_trans s2 s3); [apply calm_stolen; assumption | exact St4].
      * intros Z. destruct (Z4 Z) as [C4 L4]. split; [| exact L4].
        destruct (Q2 (proj1 C3 _ (proj1 C4 _ Z))) as [C2 _].
        exact (calm_trans P _ _ _ C1 (calm_trans P _ _ _ C2 (calm_trans P _ _ _ C3 C4))).
Qed.

(** {1 Among groups} *)

Section Groups.

Variable g : Z.
Variable b : by_group.
Hypothesis has_groups : groups S = Some b.
Hypothesis group_cores : forall h c, List.In c (cg h) -> core n c.

Lemma group_ob : group_obligations P lmin b.
Proof.
  pose proof (ob_groups P lmin O) as H. unfold S in has_groups. rewrite has_groups in H. exact H.
Qed.

Lemma modest_groups : modest_e P lmin false (can_steal_group b) = true /\
  modest_e P lmin false (select_group b) = true /\
  (forall e, group_until b = Some e -> modest_e P lmin false e = true).
Proof.
  pose proof (og_modest P lmin b group_ob) as H.
  repeat (apply andb_true_iff in H; destruct H as [H ?]).
  split; [assumption |]. split; [assumption |].
  intros e E. unfold modest_option in *. rewrite E in *. assumption.
Qed.

Definition all_light (s : state) (h : Z) : Prop := forall c, List.In c (cg h) -> light s c.

(** The filter admits every group that could give a thread to an idle core of [g]. *)
Lemma filters_groups_done l s a s' :
  filters_groups P n cg cd gs ds may_load C b g dst l s a s' ->
  fits s -> hand s = [] ->
  fits s' /\ hand s' = [] /\ calm s s' /\
  (List.In dst (cg g) -> zero s' dst ->
    forall h, List.In h l -> List.In h a \/ all_light s' h).
Proof.
  destruct modest_groups as (Mf & _).
  induction 1 as [s | h r s v s1 a s2 l He Hf IH]; intros F Hh.
  - split; [exact F |]. split; [exact Hh |]. split; [apply calm_refl |]. intros _ _ h [].
  - destruct (eval_still P lmin O n cg cd gs ds _ _ _ _ _ _ He Mf F) as [F1 H1 C1 _].
    destruct IH as (F2 & H2 & C2 & Q2); [exact F1 | congruence |].
    split; [exact F2 |]. split; [exact H2 |]. split; [exact (calm_trans P _ _ _ C1 C2) |].
    intros Hin Z x [<- | Hx].
    + destruct (true_ v) eqn:Tv; [left; left; reflexivity |]. right. intros c Hc.
      destruct (Z.eq_dec c dst) as [-> | Hne]; [right; destruct Z as [-> _]; lia |].
      apply C2. destruct (light_dec P s1 c) as [L | L]; [exact L | exfalso].
      assert (Hcc : core n c) by (eapply group_cores, Hc).
      assert (E : exists K : knowledge, true_ v = true).
      { eapply (eval_sound P lmin lmin_positive O n cg cd gs ds
          (phase_of C dst [] None None Looks) [(c, Busy 2); (dst, Idle)] _ _ s v s1
          (fun _ v => true_ v = true) eq_refl eq_refl eq_refl); [| exact He | exact F | exact Hh | |].
        - intros x k [[= <- <-] | [[= <- <-] | []]]; assumption.
        - apply (og_filter P lmin b group_ob n cg cd gs ds (self C) (target C) h g c dst);
            assumption.
        - intros x k [[= <- <-] | [[= <- <-] | []]]; [| apply C2, Z].
          unfold plays, own. rewrite (fits_placed P lmin _ F1).
          destruct Hcc as [Hcc _].
          replace (-1 =? c) with false by (symmetry; apply Z.eqb_neq; lia).
          rewrite andb_false_r. unfold others.light in L. destruct (u s1 c); [tauto |].
          split; [reflexivity |]. destruct (Z_le_dec (count P s1 c) 1); [tauto | lia]. }
      destruct E as [_ E]. congruence.
    + destruct (Q2 Hin Z x Hx) as [Hi | L]; [| right; exact L].
      left. destruct (true_ v); [right |]; exact Hi.
Qed.

(** After the search among the cores of one group, no core of the group has two
    threads. *)
Lemma searches_group_done h s s' : searches_group P n cg cd gs ds may_load C h dst s s' ->
  fits s -> hand s = [] ->
  stolen_from s s' /\ (zero s' dst -> calm s s' /\ all_light s' h).
Proof.
  intros (a & s1 & Hf & Hs) F Hh.
  destruct (filters_done _ _ _ _ Hf F Hh (group_cores h)) as (F1 & H1 & C1 & A1 & Q1).
  destruct (searches_done (cg h) a s1 s' Hs F1 H1 A1) as [St Z].
  { intros Hz c Hc. destruct (Q1 Hz c Hc) as [-> | Q]; [| exact Q].
    right. right. destruct Hz as [-> _]. lia. }
  split.
  - apply (stolen_trans s s1); [apply calm_stolen; assumption | exact St].
  - intros Hz. destruct (Z Hz) as [C2 L]. split; [exact (calm_trans P _ _ _ C1 C2) | exact L].
Qed.

Definition quiet_groups (among a : list Z) (s : state) : Prop :=
  zero s dst -> forall h, List.In h among -> List.In h a \/ all_light s h.

Lemma selects_group a l s v s1 : a <> [] ->
  eval P n cg cd gs ds may_load no_stealing (phase_of C dst a None None Looks)
    (bind (bind l (destination S) dst) (destination_group b) g) (select_group b) s v s1 ->
  fits s -> hand s = [] ->
  List.In v a /\ fits s1 /\ hand s1 = [] /\ calm s s1.
Proof.
  intros Ha He F Hh. destruct modest_groups as (_ & Ms & _).
  destruct (eval_still P lmin O n cg cd gs ds _ _ _ _ _ _ He Ms F) as [F1 H1 C1 _].
  split; [| split; [exact F1 | split; [congruence | exact C1]]].
  assert (E : exists K : knowledge, List.In v a).
  { eapply (eval_sound P lmin lmin_positive O n cg cd gs ds (phase_of C dst a None None Looks)
      [] _ _ s v s1 (fun _ v => List.In v a) eq_refl eq_refl eq_refl);
      [intros ? ? [] | exact He | exact F | exact Hh | | intros ? ? []].
    apply (og_select P lmin b group_ob n cg cd gs ds (self C) (target C) g dst a l); assumption. }
  destruct E as [_ E]. exact E.
Qed.

Lemma group_until_done e l h s w s' : group_until b = Some e ->
  eval P n cg cd gs ds may_load no_stealing (phase_of C dst [] None None Looks)
    (group_phase P b l h g dst) e s w s' ->
  fits s -> hand s = [] ->
  fits s' /\ hand s' = [] /\ calm s s' /\ (zero s' dst -> true_ w = false).
Proof.
  intros Eu He F Hh. destruct modest_groups as (_ & _ & Mu).
  destruct (eval_still P lmin O n cg cd gs ds _ _ _ _ _ _ He (Mu e Eu) F) as [F1 H1 C1 _].
  split; [exact F1 |]. split; [congruence |]. split; [exact C1 |]. intros Z.
  assert (E : exists K : knowledge, true_ w = false).
  { eapply (eval_sound P lmin lmin_positive O n cg cd gs ds (phase_of C dst [] None None Looks)
      [(dst, Idle)] _ _ s w s' (fun _ v => true_ v = false) eq_refl eq_refl eq_refl);
      [| exact He | exact F | exact Hh | |].
    - intros x k [[= <- <-] | []]. exact dst_core.
    - apply (og_until P lmin b group_ob n cg cd gs ds (self C) (target C) h g dst); assumption.
    - intros x k [[= <- <-] | []]. exact Z. }
  destruct E as [_ E]. exact E.
Qed.

Lemma searches_groups_done among a s s' :
  searches_groups P n cg cd gs ds may_load C b g dst a s s' ->
  fits s -> hand s = [] ->
  stolen_from s s' /\
  (quiet_groups among a s -> zero s' dst -> forall h, List.In h among -> all_light s' h).
Proof.
  pose proof (og_repeated P lmin b group_ob) as Rep.
  induction 1 as [s | a s l v s1 Ha He Hn | a s l v s1 s2 Ha He Hin Mi Er
    | a s l v s1 s2 e w s3 Ha He Hin Mi Eu Hw Tw
    | a s l v s1 s2 s3 s4 Ha He Hin Mi Er Hw Se IH]; intros F Hh.
  - split; [apply calm_stolen; auto; apply calm_refl |].
    intros Q Z h Hi. destruct (Q Z h Hi) as [[] | L]. exact L.
  - destruct (selects_group a l s v s1 Ha He F Hh) as (Hv & _). contradiction.
  - congruence.
  - destruct (selects_group a l s v s1 Ha He F Hh) as (_ & F1 & H1 & C1).
    destruct (searches_group_done v s1 s2 Mi F1 H1) as [St2 _].
    destruct (group_until_done e l v s2 w s3 Eu Hw (st_fits _ _ St2) (st_hand _ _ St2))
      as (F3 & H3 & C3 & U3).
    split.
    + apply (stolen_trans s s1); [apply calm_stolen; assumption |].
      apply (stolen_trans s1 s2); [exact St2 | apply calm_stolen; assumption].
    + intros _ Z. specialize (U3 Z). congruence.
  - destruct (selects_group a l s v s1 Ha He F Hh) as (_ & F1 & H1 & C1).
    destruct (searches_group_done v s1 s2 Mi F1 H1) as [St2 Q2].
    assert (H3 : fits s3 /\ hand s3 = [] /\ calm s2 s3).
    { destruct (group_until b) as [e |] eqn:Eu.
      - destruct Hw as (w & Hw & _).
        destruct (group_until_done e l v s2 w s3 Eu Hw (st_fits _ _ St2) (st_hand _ _ St2))
          as (F3 & H3 & C3 & _). auto.
      - subst s3. split; [apply St2 | split; [apply St2 | apply calm_refl]]. }
    destruct H3 as (F3 & H3 & C3).
    destruct (IH F3 H3) as [St4 Z4].
    split.
    + apply (stolen_trans s s1); [apply calm_stolen; assumption |].
      apply (stolen_trans s1 s2); [exact St2 |].
      apply (stolen_trans s2 s3); [apply calm_stolen; assumption | exact St4].
    + intros Q. apply Z4. intros Z h Hi. pose proof (proj1 C3 _ Z) as Z2.
      destruct (Q2 Z2) as [C2 Lv].
      pose proof (calm_trans P _ _ _ C1 C2) as C12.
      destruct (Z.eq_dec h v) as [-> | Hhv].
      { right. intros c Hc. apply C3, Lv, Hc. }
      destruct (Q (proj1 C12 _ Z2) h Hi) as [Ha' | L].
      * left. apply filter_In. split; [exact Ha' |]. apply negb_true_iff, Z.eqb_neq, Hhv.
      * right. intros c Hc. apply C3, C12, L, Hc.
Qed.

End Groups.

End Searching.

(** {1 steal_for} *)

Section Machine.

Variable n : Z.
Variable cg cd gs ds : Z -> list Z.
Notation may_load := (may_load P n cg cd gs ds).
Notation zero := (zero P).
Notation light := (light P).
Notation fits := (fits P lmin).
Notation settled := (settled P n).
Notation stolen_from := (stolen_from n).
Hypothesis T : topology n cg gs ds.

(** The group that the handler steals for holds the core, in a domain of all cores. *)
Definition aimed (g dst : Z) : Prop :=
  match groups (stealing P) with
  | None => True
  | Some _ => List.In dst (cg g) /\ exists D, List.In g (gs D) /\
      forall c, core n c -> exists h, List.In h (gs D) /\ List.In c (cg h)
  end.

(** [steal_for] makes no core idle, keeps settled cores settled, and settles the core
    that it steals for. *)
Theorem steals_for_done C g dst s s' : steals_by_text P n cg cd gs ds C g dst s s' ->
  fits s -> hand s = [] ->
  stolen_from s s' /\ (core n dst -> aimed g dst -> settled dst s').
Proof.
  intros H F Hh. unfold aimed.
  destruct H as [s Hn | s a s1 s2 Hd Eg Hf Hs | b D s a s1 s2 Hd Eg Hg Hf Hs | b s Eg Hno].
  - split; [apply calm_stolen; auto; apply calm_refl | contradiction].
  - destruct (filters_done n cg cd gs ds C dst Hd _ _ _ _ Hf F Hh) as (F1 & H1 & C1 & A1 & Q1).
    { intros c Hc. apply in_cores, Hc. }
    destruct (searches_done n cg cd gs ds C dst Hd (cores n) a s1 s2 Hs F1 H1 A1) as [St Z].
    { intros Hz c Hc. destruct (Q1 Hz c Hc) as [-> | Q]; [| exact Q].
      right. right. destruct Hz as [-> _]. lia. }
    split; [apply (stolen_trans n s s1); [apply calm_stolen; assumption | exact St] |].
    intros _ _ Hz c Hc. apply Z, in_cores, Hc. exact Hz.
  - pose proof (groups_have_cores _ _ _ _ T) as Gc.
    destruct (filters_groups_done n cg cd gs ds C dst Hd g b Eg Gc _ _ _ _ Hf F Hh)
      as (F1 & H1 & C1 & Q1).
    destruct (searches_groups_done n cg cd gs ds C dst Hd g b Eg Gc (gs D) a s1 s2 Hs F1 H1)
      as [St Z].
    split; [apply (stolen_trans n s s1); [apply calm_stolen; assumption | exact St] |].
    rewrite Eg. intros _ (Hin & D' & Hg' & All) Hz c Hc.
    rewrite <- (in_one_domain _ _ _ _ T g D D' Hg Hg') in All.
    destruct (All c Hc) as (h & Hh' & Hch).
    refine (Z _ Hz h Hh' c Hch). intros Hz1. exact (Q1 Hin Hz1).
  - split; [apply calm_stolen; auto; apply calm_refl |].
    rewrite Eg. intros _ (_ & D & Hg & _). destruct (Hno D Hg).
Qed.

(** {1 The handler} *)

Definition at_rest (s : state) : Prop := fits s /\ hand s = [].

Lemma begins_rest s : begins P n cg cd gs ds s -> at_rest s.
Proof.
  intros (Hs & Hh & Hp & _ & H1 & Hv). split; [| exact Hh]. split; auto.
  - exact (sound_phased P n cg cd gs ds s Hs).
  - intros a t E. apply (loads_at_least P lmin O n cg cd gs ds).
    destruct Hs as (_ & _ & _ & H). exact (H a t E).
Qed.

Lemma handler_gcwc : gcwc P n cg cd gs ds.
Proof.
  intros me l s l' o s1 s2 Hb C Hx M c d Hbr.
  destruct (begins_rest s Hb) as [F0 H0].
  destruct (modest_phases) as (_ & _ & _ & Mb).
  set (LA := loads_at_least P lmin O n cg cd gs ds).
  set (SD := states_distinct P lmin O). set (NS := nobody_else_steals P lmin O).
  (* stealing begins at rest *)
  destruct (runs_keep P lmin false n cg cd gs ds may_load (steals_by_text P n cg cd gs ds)
    C at_rest) as (_ & _ & _ & Keep & _).
  { intros x x' Mx [Fx Hx']. destruct (whiles P lmin O n cg cd gs ds C x x' Mx Fx) as (F' & K & _).
    split; [exact F' | rewrite (kept_hand P _ _ _ K); exact Hx']. }
  { intros x i a v [Fx Hx'] Hv. split; [apply set_attribute_fits; [exact Fx | apply Hv] | exact Hx']. }
  { intros x f [Fx Hx']. split; [apply set_global_fits, Fx | exact Hx']. }
  { discriminate. }
  { intros g x y y' St [Fy Hy]. destruct (steals_for_done C g x y y' St Fy Hy) as [[A B _ _] _].
    split; assumption. }
  destruct (Keep _ _ _ _ _ _ Hx Mb (conj F0 H0)) as [[F1 H1] Hx'].
  (* the end *)
  destruct (whiles P lmin O n cg cd gs ds C s1 s2 M F1) as (F2 & K2 & C2).
  destruct (breaks_not_light P n SD s2 c d (fits_good _ _ _ F2) Hbr) as [Hl Hz].
  destruct Hbr as (Hc & Hd & _).
  (* the core that it steals for *)
  assert (Aim : exists D g, aims P cg gs ds d D g /\ aimed (aim_group (the_aim P d D g)) d /\
    aim_core (the_aim P d D g) = d).
  { unfold aims, aimed, the_aim. destruct (groups (stealing P)); [| exists 0, 0; auto].
    destruct (in_the_widest _ _ _ _ T d Hd) as (D & HD & All).
    destruct (All d Hd) as (g & Hg & Hdg). exists D, g. simpl. split; [auto |].
    split; [| reflexivity]. split; [exact Hdg |]. exists D. auto. }
  destruct Aim as (D & g & Ha & Hag & Ec).
  (* the text *)
  destruct (text_sound P n cg cd gs ds may_load lmin C [(d, Idle)] of_none (the_aim P d D g) true anywhere
    (steals_there (steals_by_text P n cg cd gs ds) at_rest) (settled d) (fun _ => True)
    lmin_positive (unit_loads P lmin O) LA SD NS) as (_ & _ & _ & Ts & _); auto.
  - intros x r [[= <- <-] | []]. exact Hd.
  - intros x x' _ K. apply calm_settled, later_calm, K.
  - intros x x' _ Sm _ _. apply calm_settled, same_calm, Sm.
  - discriminate.
  - intros t x q y y' Mv. destruct Mv; [apply fine_refl | discriminate | discriminate].
  - intros K t x q y y' Mv _ _ _. destruct Mv; [left; auto | discriminate | discriminate].
  - intros j x y y' [[Fy Hy] St] _. destruct (steals_for_done C j x y y' St Fy Hy) as [[A _ B _] _].
    split; [apply A |]. intros Hp i r [[= <- <-] | []]. apply B, (Hp d Idle). left. reflexivity.
  - intros K j x y y' [[Fy Hy] St] _ _ Hk _.
    destruct (steals_for_done C j x y y' St Fy Hy) as [[A B _ Sd] Dn].
    split; [apply Sd |]. split; simpl; auto.
    + apply A.
    + intros _ _. left. exact B.
    + discriminate.
    + intros f Hf. destruct (h_mine _ _ _ _ _ _ _ _ _ _ _ Hk f Hf) as (_ & _ & t & Ht & _).
      discriminate Ht.
    + intros [Hs | [-> ->]]; [apply Sd, (h_stolen _ _ _ _ _ _ _ _ _ _ _ Hk Hs) |].
      rewrite Ec in *. apply Dn; assumption.
  - destruct (Ts _ _ _ _ _ _ Hx') as (_ & _ & Tx).
    destruct (Tx (fresh_knowledge None) (fun _ _ K => stolen K) (fits_good _ _ _ F0))
      as (_ & K & Hk & Hs).
    + split; simpl; try discriminate; try contradiction; auto.
      * apply F0.
      * intros _ _. left. exact H0.
    + apply (ob_complete P lmin O n cg cd gs ds me d D g l Hd Ha).
    + intros x r [[= <- <-] | []]. apply C2, Hz.
    + apply Hl, C2. apply (h_stolen _ _ _ _ _ _ _ _ _ _ _ Hk Hs); [apply C2, Hz | exact Hc].
Qed.

End Machine.

End Balancing.

Theorem gcwc_from_obligations : forall P lmin, 1 <= lmin ->
  balancing_obligations P lmin -> GCWC P.
Proof. intros P lmin Hl O n cg cd gs ds _. exact (handler_gcwc P lmin Hl O n cg cd gs ds). Qed.

(** {1 Groups with more threads than cores, and with fewer} *)

Lemma sum_more f l : Z.of_nat (length l) < sum f l -> exists c, List.In c l /\ 2 <= f c.
Proof.
  induction l as [| c l IH]; [simpl; lia |]. intros H.
  destruct (Z_le_dec 2 (f c)); [exists c; split; [left; reflexivity | assumption] |].
  destruct IH as (x & Hx & Hf); [simpl length in H; simpl sum in H; lia |].
  exists x. split; [right; exact Hx | exact Hf].
Qed.

Lemma sum_fewer f l : (forall c, 0 <= f c) -> sum f l < Z.of_nat (length l) ->
  exists c, List.In c l /\ f c = 0.
Proof.
  intros Hf. induction l as [| c l IH]; [simpl; lia |]. intros H. pose proof (Hf c).
  destruct (Z.eq_dec (f c) 0); [exists c; split; [left; reflexivity | assumption] |].
  destruct IH as (x & Hx & Hz); [simpl length in H; simpl sum in H; lia |].
  exists x. split; [right; exact Hx | exact Hz].
Qed.

Theorem hcwc_from_gcwc P : GCWC P -> HCWC P.
Proof.
  intros G n cg cd gs ds Hn T me l s l' o s1 s2 Hb C Hx M h g (Hh & Hu & Hg & Hq).
  destruct (sum_more _ _ Hh) as (c & Hc & H2).
  destruct (sum_fewer (real P s2) (cg g)) as (d & Hd & H0);
    [intros; unfold real; lia | exact Hg |].
  apply (G n cg cd gs ds Hn T me l s l' o s1 s2 Hb Hx M c d).
  pose proof (groups_have_cores _ _ _ _ T) as Gc. destruct (Hq d Hd) as [Hbd Hsy].
  repeat split; try (eapply Gc; eassumption); auto.
Qed.

