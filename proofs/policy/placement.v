(** LCWC of new and unblock follows from one obligation of the text, which wp.v
    computes (policy/theories/placement.mlw). *)

From dromos.policy Require Export sound loads.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Section Placement.

Variable P : policy.
Variable lmin : Z.

(** Suppose that a core [z] ends idle, and that [r] had a thread before: then no
    path of the text puts the thread on [r]. *)
Definition never_put (text : block) (exempt : expr) : Prop :=
  forall n cores_of_group cores_of_domain groups_of domains_of me t z r l f,
    0 <= t -> core n z -> core n r -> z <> r ->
    let C := Context me t (Some t) None [] None Places in
    let R := [(z, Idle); (r, Busy 1)] in
    let at_move (_ : knowledge) (_ c : Z) := c <> r in
    let K := Know true (if thread_attributes P then None else Some f) false False in
    wpe P n cores_of_group cores_of_domain groups_of domains_of lmin C R (fun _ => 0) nobody
      false at_move exempt l K (fun K v => true_ v = false ->
        wpb P n cores_of_group cores_of_domain groups_of domains_of lmin C R (fun _ => 0) nobody
          false at_move text l K (fun _ _ _ => True)).

Hypothesis lmin_positive : 1 <= lmin.
Hypothesis unit_loads : load P = None -> lmin = 1.
Hypothesis loads_large : forallb (at_least lmin) (loads P) = true.
Hypothesis states_distinct : NoDup (runnable P).
Hypothesis nobody_else_steals : alone P = true.

Section Machine.

Variable n : Z.
Variable cg cd gs ds : Z -> list Z.
Notation may_load := (may_load P n cg cd gs ds).

Lemma loads_at_least v : may_load v -> lmin <= v.
Proof. apply may_load_at_least, loads_large. Qed.

Lemma begins_good s : begins P n cg cd gs ds s -> good P s /\ loads_ok P lmin s.
Proof.
  intros (Hs & _). split; [exact (sound_phased P n cg cd gs ds s Hs) |].
  intros a t E. apply loads_at_least. destruct Hs as (_ & _ & _ & H). exact (H a t E).
Qed.

Section Run.

Variable me t z r : Z.
Let C := Context me t (Some t) None [] None Places.
Let R := [(z, Idle); (r, Busy 1)].
Let at_move (_ : knowledge) (_ c : Z) := c <> r.
Let Settled (s : state) := placed s <> r.
Let Moved (_ : state) := True.

Lemma move_done K t' c q s s' : moves P n may_load C t' c q s s' -> good P s ->
  holds P n lmin C R (fun _ => 0) false Settled Moved K s ->
  (t' < 0 \/ ~ core n c) /\ s' = s \/
  0 <= t' /\ core n c /\ (at_move K t' c ->
    (Settled s -> Settled s') /\
    holds P n lmin C R (fun _ => 0) false Settled Moved (after_move K) s').
Proof.
  intros M G Hd. pose proof (places_kept P n may_load states_distinct nobody_else_steals
    C t' c q s s' eq_refl G M) as (_ & _ & _ & Hpl).
  destruct Hpl as [[-> Hno] | (Ht & Hc & Hpl)]; [left; auto |].
  right. split; [exact Ht |]. split; [exact Hc |]. intros Hne. unfold at_move in Hne.
  assert (S' : Settled s') by (unfold Settled; congruence).
  split; [auto |].
  split; simpl; try discriminate; try (intros; exact S'); try (intros; exact I).
  destruct M as [ | t' c q s s1 s2 l s3 _ _ _ _ _ M1 _ M2 _ M3 |]; [apply Hd | | discriminate].
  pose proof (meanwhile_loads P n may_load lmin loads_at_least _ _ _ M1 (h_loads _ _ _ _ _ _ _ _ _ _ _ Hd)) as L1.
  apply (meanwhile_loads P n may_load lmin loads_at_least _ _ _ M3).
  intros a x E. simpl.
  exact (meanwhile_loads P n may_load lmin loads_at_least _ _ _ M2 L1 a x E).
Qed.

End Run.

End Machine.

Theorem lcwc_from text exempt : never_put text exempt ->
  forall n cg cd gs ds, 1 <= n -> lcwc P n cg cd gs ds text exempt.
Proof.
  intros H n cg cd gs ds Hn me t l s v s0 l' o s1 s2 Hb Ht Hnew C He Hv Hx M d Hbr.
  set (r := placed s2).
  destruct (begins_good n cg cd gs ds s Hb) as [G0 L0].
  destruct Hb as (_ & Hhand & Hplaced & Hghosts).
  assert (LA := loads_at_least n cg cd gs ds).
  destruct Hbr as (Hcr & Hcd & Ho & Hu & Hi & Hbd & Hsy).
  assert (Hdr : d <> r).
  { intros ->. unfold overloaded, idle in *. fold r in Ho. lia. }
  set (R := [(d, Idle); (r, Busy 1)]).
  assert (R_cores : forall c k, List.In (c, k) R -> core n c).
  { intros c k [[= <- <-] | [[= <- <-] | []]]; assumption. }
  assert (T := text_sound P n cg cd gs ds (may_load P n cg cd gs ds) lmin C R (fun _ => 0) nobody false
    (fun _ _ c => c <> r) no_stealing (fun s => placed s <> r) (fun _ => True)
    lmin_positive unit_loads LA states_distinct nobody_else_steals R_cores).
  destruct T as (Te & _ & _ & Tb & _).
  all: try (intros; exact I).
  - intros a a' _ K. rewrite (kept_placed P _ _ _ K). auto.
  - intros a a' _ _ -> _. auto.
  - intros x [= <-]. exact Ht.
  - intros x c q a a' Mv Ga. destruct (places_kept P n (may_load P n cg cd gs ds)
      states_distinct nobody_else_steals C x c q a a' eq_refl Ga Mv) as (Ga' & Hback & _).
    split; [exact Ga' |]. intros Hp j k Hin. apply Hback, Hp, Hin.
  - intros K x c q a a' Mv Ga Hd _. eapply move_done; eassumption.
  - intros g c a a' [].
  - intros K g c a a' [].
  - (* the run *)
    pose proof (Te _ _ _ _ _ He) as [Fe Se]. pose proof (Tb _ _ _ _ _ _ Hx) as (Fx & _ & Sx).
    destruct (Fe G0) as [G1 Be]. destruct (Fx G1) as [G2 Bx].
    destruct (meanwhile_kept P n _ states_distinct nobody_else_steals C s1 s2 M G2) as [K2 G3].
    assert (Hp2 : play P s2 R).
    { destruct (breaks_not_light P n states_distinct s2 (placed s2) d G3) as [Hl Hz].
      { exact (conj Hcr (conj Hcd (conj Ho (conj Hu (conj Hi (conj Hbd Hsy)))))). }
      intros c k [[= <- <-] | [[= <- <-] | []]]; [exact Hz |].
      split; [exact Hu |]. unfold own. fold r. rewrite Z.eqb_refl.
      unfold light in Hl. destruct Hcr as [Hr0 _].
      replace (0 <=? r) with true by (symmetry; apply Z.leb_le; exact Hr0). simpl. fold r in Hl.
      pose proof (count_nonnegative P s2 r). destruct (Z_le_dec (count P s2 r) 1); [tauto | lia]. }
    assert (Hp1 : play P s1 R).
    { intros c k Hin. apply (kept_back P C s1 s2 K2), Hp2, Hin. }
    pose proof (Bx Hp1) as Hp0.
    specialize (H n cg cd gs ds me t d r l (attribute s t) Ht Hcd Hcr Hdr).
    set (K0 := Know true (if thread_attributes P then None else Some (attribute s t)) false False) in H.
    assert (Hd0 : holds P n lmin C R (fun _ => 0) false (fun s => placed s <> r) (fun _ => True) K0 s).
    { split; simpl; auto; try contradiction; try discriminate.
      - intros _. left. exact Hhand.
      - destruct (thread_attributes P) eqn:Eta; [discriminate |]. intros f [= <-].
        split; [exact Hplaced |]. split; [reflexivity |]. exists t. auto. }
    destruct (Se K0 _ G0 Hd0 H Hp0) as (St0 & K1 & Hd1 & Hw1).
    destruct (Sx K1 _ G1 Hd1 (Hw1 Hv) Hp1) as (St1 & _).
    assert (Hfirst : placed s <> r) by (rewrite Hplaced; destruct Hcr; lia).
    apply (St1 (St0 Hfirst)). unfold r. symmetry. apply (kept_placed P _ _ _ K2).
Qed.

End Placement.
