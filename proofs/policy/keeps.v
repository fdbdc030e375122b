(** Invariants of whole runs that follow from the text alone: loads that are set are
    large, no load is set where threads are moved, and threads go to queues. *)

From dromos.policy Require Export sound loads.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Section Keeps.

Variable P : policy.
Variable m : Z.
Variable moves_ok : bool.

(** {1 Texts} *)

(** No load is set where threads are moved. *)
Definition load_large (a : nat) (e : expr) : bool :=
  match load P with
  | Some a' => negb (a =? a')%nat || negb moves_ok && at_least m e
  | None => true
  end.

Fixpoint modest_e (e : expr) : bool :=
  match e with
  | Num _ | Local _ | Self | Target | Global _ => true
  | Attribute e _ | Cload e | Runnable e | Count e _ | Valid e | Not e | Minus e =>
      modest_e e
  | First s _ | Any s | Empty s => modest_s s
  | In e s => modest_e e && modest_s s
  | And a b | Or a b | Op _ a b => modest_e a && modest_e b
  | If_else c a b => modest_e c && modest_e a && modest_e b
  | Call a b => modest_a a && modest b
  end
with modest_a (a : args) : bool :=
  match a with No_args => true | Arg _ e r => modest_e e && modest_a r end
with modest_s (s : set) : bool :=
  match s with
  | All_cores | Idle_cores | Active_cores | Filtered => true
  | Cores_of_group e | Cores_of_domain e | Groups_of e | Domains_of e | Threads_in e _ =>
      modest_e e
  end
with modest_d (t : statement) : bool :=
  match t with
  | Set_attribute e a e' => modest_e e && modest_e e' && load_large a e'
  | Set_global _ e | Set_local _ e | Return e | Do e => modest_e e
  | Steal_for g e => modest_e g && modest_e e
  | Move a b q => modest_e a && modest_e b && moves_ok && existsb (Nat.eqb q) (ready P)
  | If c a b => modest_e c && modest a && modest b
  | Foreach _ s _ b => modest_s s && modest b
  | Break | Return_nothing => true
  end
with modest (b : block) : bool :=
  match b with Done => true | Then t r => modest_d t && modest r end.

(** {1 Runs} *)

Variable n : Z.
Variable cg cd gs ds : Z -> list Z.
Variable may_load : Z -> Prop.
Variable steals : context -> Z -> Z -> state -> state -> Prop.
Variable C : context.
Variable J : state -> Prop.

Hypothesis J_meanwhile : forall s s', meanwhile P n may_load C s s' -> J s -> J s'.
Hypothesis J_attribute : forall s i a v, J s ->
  (load P = Some a -> moves_ok = false /\ m <= v) ->
  J (with_attribute s i a v).
Hypothesis J_global : forall s f, J s -> J (with_global s f).
Hypothesis J_moves : forall t c q s s', moves_ok = true -> List.In q (ready P) ->
  moves P n may_load C t c q s s' -> J s -> J s'.
Hypothesis J_steals : forall g c s s', steals C g c s s' -> J s -> J s'.

(** Stealing begins in states with [J]. *)
Definition steals_there (C : context) (g c : Z) (s s' : state) : Prop :=
  J s /\ steals C g c s s'.

Lemma J_measured x o s k s' : measured P n may_load C x o s k s' -> J s -> J s'.
Proof. induction 1; eauto. Qed.

Lemma J_all_measured o l s k s' : all_measured P n may_load C o l s k s' -> J s -> J s'.
Proof. induction 1; eauto using J_measured. Qed.

Notation eval := (eval P n cg cd gs ds may_load).
Notation bound := (bound P n cg cd gs ds may_load).
Notation members := (members P n cg cd gs ds may_load).
Notation exec := (exec P n cg cd gs ds may_load).
Notation does := (does P n cg cd gs ds may_load).
Notation iterates := (iterates P n cg cd gs ds may_load).

Ltac forward :=
  repeat match goal with
  | H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H
  | H : _ /\ _ |- _ => destruct H
  | H : ?x = true -> J ?s -> _, E : ?x = true, Hj : J ?s |- _ => specialize (H E Hj)
  | M : meanwhile _ _ _ _ ?s ?s', Hj : J ?s |- _ =>
      lazymatch goal with
      | _ : J s' |- _ => fail
      | _ => pose proof (J_meanwhile _ _ M Hj)
      end
  | M : all_measured _ _ _ _ _ _ ?s _ ?s', Hj : J ?s |- _ =>
      lazymatch goal with
      | _ : J s' |- _ => fail
      | _ => pose proof (J_all_measured _ _ _ _ _ M Hj)
      end
  end.

Theorem runs_keep :
  (forall l e s v s', eval steals C l e s v s' -> modest_e e = true -> J s ->
     J s' /\ eval steals_there C l e s v s') /\
  (forall l l0 a s l1 s', bound steals C l l0 a s l1 s' -> modest_a a = true -> J s ->
     J s' /\ bound steals_there C l l0 a s l1 s') /\
  (forall l t s k s', members steals C l t s k s' -> modest_s t = true -> J s ->
     J s' /\ members steals_there C l t s k s') /\
  (forall l b s l1 o s', exec steals C l b s l1 o s' -> modest b = true -> J s ->
     J s' /\ exec steals_there C l b s l1 o s') /\
  (forall l t s l1 o s', does steals C l t s l1 o s' -> modest_d t = true -> J s ->
     J s' /\ does steals_there C l t s l1 o s') /\
  (forall x b l k s l1 o s', iterates steals C x b l k s l1 o s' -> modest b = true -> J s ->
     J s' /\ iterates steals_there C x b l k s l1 o s').
Proof.
  apply (text_min P n cg cd gs ds may_load steals C
    (fun l e s v s' => modest_e e = true -> J s ->
       J s' /\ eval steals_there C l e s v s')
    (fun l l0 a s l1 s' => modest_a a = true -> J s ->
       J s' /\ bound steals_there C l l0 a s l1 s')
    (fun l t s k s' => modest_s t = true -> J s ->
       J s' /\ members steals_there C l t s k s')
    (fun l b s l1 o s' => modest b = true -> J s ->
       J s' /\ exec steals_there C l b s l1 o s')
    (fun l t s l1 o s' => modest_d t = true -> J s ->
       J s' /\ does steals_there C l t s l1 o s')
    (fun x b l k s l1 o s' => modest b = true -> J s ->
       J s' /\ iterates steals_there C x b l k s l1 o s'));
    simpl; intros; forward;
    try (split; [assumption | econstructor; eassumption]).
  - (* If_else *)
    assert (E : modest_e (if true_ v then e else e') = true) by (destruct (true_ v); assumption).
    forward. split; [assumption | econstructor; eassumption].
  - (* Set_attribute *)
    split; [| econstructor; eassumption].
    apply J_attribute; [assumption |]. intros El. unfold load_large in *. rewrite El in *.
    rewrite Nat.eqb_refl in *. simpl in *. forward.
    split; [apply negb_true_iff; assumption |].
    eapply (proj1 (at_least_sound m P n cg cd gs ds may_load steals C)); eassumption.
  - (* Set_global *)
    split; [apply J_global; assumption | econstructor; eassumption].
  - (* Move *)
    split; [| econstructor; eassumption]. eapply J_moves; try eassumption.
    match goal with H : existsb _ _ = true |- _ => apply existsb_exists in H;
      destruct H as (q' & Hin & Hq); apply Nat.eqb_eq in Hq; subst q'; exact Hin end.
  - (* If *)
    assert (E : modest (if true_ v then a else b) = true) by (destruct (true_ v); assumption).
    forward. split; [assumption | econstructor; eassumption].
  - (* Steal_for *)
    split; [eauto | econstructor; [eassumption | eassumption | split; assumption]].
Qed.

End Keeps.
