(** The state after a handler's own moves; roles of cores hold before a move if they
    hold after it. *)

From dromos.policy Require Export looks.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Section Moves.

Variable P : policy.
Variable n : Z.
Variable may_load : Z -> Prop.
Variable lmin : Z.
Hypothesis lmin_positive : 1 <= lmin.
Hypothesis loads_at_least : forall v, may_load v -> lmin <= v.
Hypothesis states_distinct : NoDup (runnable P).
Hypothesis nobody_else_steals : alone P = true.

Notation count := (count P).
Notation meanwhile := (meanwhile P n may_load).

(** {1 Fragments that excuse no core} *)

Definition raised s c t q :=
  with_phase (with_counted s c q (t :: counted s c q)) c (Raised t q).
Definition entered s c q l := with_phase (with_queue s c q l) c Free.
Definition left s c q l t := with_phase (with_queue s c q l) c (Left_queue t q).
Definition lowered s c q l := with_phase (with_counted s c q l) c Free.

(** A step that changes one core's count by [by], without B or U. *)
Definition changes (c : Z) (by_ : Z) (s s' : state) : Prop :=
  (forall k, k <> c -> same s s' k) /\
  (phased P s c -> phased P s' c /\ count s' c = count s c + by_) /\
  (forall k, b s' k = b s k) /\ (forall k, u s' k = u s k) /\
  hand s' = hand s /\ placed s' = placed s /\
  (forall i a, attribute s' i a = attribute s i a).

Ltac elsewhere :=
  intros k Hk; unfold same; simpl;
  repeat split; intros; rewrite ?set1_other, ?set2_other by auto; reflexivity.

Lemma changes_raised s c t q : List.In q (runnable P) -> under_way s c = Free ->
  changes c 1 s (raised s c t q).
Proof.
  intros Hq E. split; [elsewhere | split; [| repeat split; reflexivity]].
  intros Hp. destruct (step_raises P states_distinct s c t q Hq E) as (_ & Hs & _).
  destruct (Hs Hp) as [_ Hs']. split; [exact Hs' |].
  rewrite !count_total. simpl. rewrite set1_same, E, total_set by assumption.
  cbn [between length]. lia.
Qed.

Lemma changes_entered s c t q l : under_way s c = Raised t q ->
  insert t (queue s c q) l -> changes c 0 s (entered s c q l).
Proof.
  intros E H. split; [elsewhere | split; [| repeat split; reflexivity]].
  intros Hp. destruct (step_enters P s c t q l E H) as (_ & Hs & _).
  destruct (Hs Hp) as [_ Hs']. split; [exact Hs' |].
  rewrite !count_total. simpl. rewrite set1_same, E. cbn [between length]. lia.
Qed.

Lemma changes_left s c t q l : List.In q (runnable P) -> under_way s c = Free ->
  remove t (queue s c q) l -> changes c 0 s (left s c q l t).
Proof.
  intros Hq E H. split; [elsewhere | split; [| repeat split; reflexivity]].
  intros Hp. destruct (step_leaves P s c t q l Hq E H) as (_ & Hs & _).
  destruct (Hs Hp) as [_ Hs']. split; [exact Hs' |].
  rewrite !count_total. simpl. rewrite set1_same, E. cbn [between length]. lia.
Qed.

Lemma changes_lowered s c t q l : List.In q (runnable P) -> under_way s c = Left_queue t q ->
  remove t (counted s c q) l -> changes c (-1) s (lowered s c q l).
Proof.
  intros Hq E H. split; [elsewhere | split; [| repeat split; reflexivity]].
  intros Hp. destruct (step_lowers P states_distinct s c t q l E H) as (_ & Hs & _).
  destruct (Hs Hp) as [_ Hs']. split; [exact Hs' |].
  rewrite !count_total. simpl. rewrite set1_same, E, total_set by assumption.
  pose proof (insert_length _ _ _ H). cbn [between length]. lia.
Qed.

Lemma changes_good s s' c k : changes c k s s' -> good P s -> good P s'.
Proof.
  intros (He & Hc & _) G j. destruct (Z.eq_dec j c) as [-> | Hne].
  - apply Hc, G.
  - apply (same_phased P s); [apply He, Hne | apply G].
Qed.

Lemma changes_count s s' c k j : changes c k s s' -> good P s ->
  count s' j = count s j + (if j =? c then k else 0).
Proof.
  intros (He & Hc & _) G. destruct (Z.eqb_spec j c) as [-> | Hne].
  - apply Hc, G.
  - unfold machine.count. rewrite (same_spoken P _ _ _ (He j Hne)). lia.
Qed.

Lemma changes_loads s s' c k : changes c k s s' -> loads_ok P lmin s -> loads_ok P lmin s'.
Proof. intros (_ & _ & _ & _ & _ & _ & Ha) L a t E. rewrite Ha. apply L, E. Qed.

(** {1 A whole move} *)

Lemma good_placed s c : good P s -> good P (with_placed s c).
Proof. intros G k. apply (same_phased P s); [repeat split | apply G]. Qed.

Definition back (s s' : state) : Prop :=
  forall c r, plays P s' c r -> plays P s c r.

Lemma back_refl s : back s s.
Proof. intros c r H. exact H. Qed.
Lemma back_trans s1 s2 s3 : back s1 s2 -> back s2 s3 -> back s1 s3.
Proof. intros A B c r H. apply A, B, H. Qed.

Lemma kept_back C s s' : kept P C s s' -> back s s'.
Proof. intros [L _ _ Hp _ _] c r H. exact (plays_before P s s' c r Hp (L c) H). Qed.

Definition holding (C : context) (c : Z) : context :=
  Context (self C) (target C) (mine C) (Some c) (filtered C) (gives_to C) (purpose_of C).

Lemma places_kept C t c q s s' : purpose_of C = Places -> good P s -> moves P n may_load C t c q s s' ->
  good P s' /\ back s s' /\ hand s' = hand s /\
  (s' = s /\ (t < 0 \/ ~ core n c) \/ 0 <= t /\ core n c /\ placed s' = c).
Proof.
  intros Hpl G H. destruct H as [| t c q s s1 s2 l s3 _ Hpn Hq Ht Hc M1 E M2 Hi M3 |].
  - split; [exact G | split; [apply back_refl | split; [reflexivity | left; auto]]].
  - destruct (meanwhile_kept P n may_load states_distinct nobody_else_steals C s s1 M1 G)
      as [K1 G1].
    set (r1 := with_placed (raised s1 c t q) c) in *.
    pose proof (changes_raised s1 c t q Hq E) as Ch1.
    assert (Gr : good P r1) by (apply good_placed, (changes_good _ _ _ _ Ch1 G1)).
    destruct (meanwhile_kept P n may_load states_distinct nobody_else_steals
      (holding C c) r1 s2 M2 Gr) as [K2 G2].
    assert (E2 : under_way s2 c = Raised t q).
    { destruct (kept_held P _ _ _ K2 c eq_refl) as (Hw & _). rewrite Hw. unfold r1. simpl.
      apply set1_same. }
    pose proof (changes_entered s2 c t q l E2 Hi) as Ch2.
    pose proof (changes_good _ _ _ _ Ch2 G2) as Gr2.
    destruct (meanwhile_kept P n may_load states_distinct nobody_else_steals
      C _ s3 M3 Gr2) as [K3 G3].
    split; [exact G3 |].
    assert (Pl : placed s3 = c).
    { rewrite (kept_placed P _ _ _ K3). simpl. rewrite (kept_placed P _ _ _ K2). reflexivity. }
    split; [| split; [| right; auto]].
    + apply (back_trans s s1); [exact (kept_back _ _ _ K1) |].
      apply (back_trans _ r1).
      * (* raised by one: the handler's own thread *)
        intros j r. destruct Ch1 as (He & Hr & Hb & Hu & _ & _ & _).
        pose proof (changes_count s1 (raised s1 c t q) c 1 j
          (changes_raised s1 c t q Hq E) G1) as Hn.
        assert (Cn : count r1 j = count s1 j + (if j =? c then 1 else 0)) by exact Hn.
        assert (P1 : placed s1 = -1) by (rewrite (kept_placed P _ _ _ K1); exact Hpn).
        destruct r as [| k]; cbn [plays].
        -- unfold zero. rewrite Cn. pose proof (count_nonnegative P s1 j).
           intros [A B]. split; [destruct (j =? c); lia | exact B].
        -- rewrite Cn. unfold own. rewrite P1. intros [A B]. split; [exact A |].
           destruct Hc as [Hc _]. change (placed r1) with c in B.
           destruct (Z.eqb_spec j c) as [-> | Hne]; destruct (Z.leb_spec 0 j) || idtac;
             try destruct (Z.leb_spec 0 c); cbn [andb] in *;
             try rewrite Z.eqb_refl in B;
             try (destruct (Z.eqb_spec c j); [congruence |]);
             try (destruct (Z.eqb_spec (-1) c); [lia |]);
             try (destruct (Z.eqb_spec (-1) j); [lia |]); lia.
      * apply (back_trans _ s2); [exact (kept_back _ _ _ K2) |].
        apply (back_trans _ (entered s2 c q l)); [| exact (kept_back _ _ _ K3)].
        intros j r. pose proof (changes_count _ _ _ _ j Ch2 G2) as Hn.
        destruct Ch2 as (_ & _ & Hb & Hu & _ & Hp & _).
        destruct r as [| k]; cbn [plays]; unfold zero, own;
          rewrite Hn, ?Hb, ?Hu, ?Hp; intros [A B]; split; try assumption;
          destruct (j =? c); try lia.
    + rewrite (kept_hand P _ _ _ K3). simpl. rewrite (kept_hand P _ _ _ K2). simpl.
      apply (kept_hand P _ _ _ K1).
  - congruence.
Qed.

End Moves.
