(** Weakest preconditions are sound: from a state of which what is known holds,
    every run ends in one of which what is shown holds. *)

From dromos.policy Require Export wp.
From Coq Require Import Lia FunctionalExtensionality.

Local Open Scope Z_scope.

(** {1 Orders} *)

Lemma before_trans a b c : before a b = true -> before b c = true -> before a c = true.
Proof.
  revert b c. induction a as [| x a IH]; intros [| y b] [| z c]; simpl; try discriminate.
  rewrite !orb_true_iff, !andb_true_iff, !Z.ltb_lt, !Z.eqb_eq.
  intros [H1 | [E1 H1]] [H2 | [E2 H2]]; subst; try (left; lia).
  right. split; [reflexivity | eauto].
Qed.

Lemma best_sound l : forall acc, acc <> None \/ l <> [] ->
  exists v k, best acc l = v /\
    (acc = Some (v, k) \/ List.In (v, k) l) /\
    (forall x k', acc = Some (x, k') -> before k' k = false) /\
    (forall x k', List.In (x, k') l -> before k' k = false).
Proof.
  assert (irrefl : forall k, before k k = false).
  { induction k as [| x k IH]; simpl; [reflexivity |]. rewrite IH, Z.ltb_irrefl. lia || (rewrite andb_false_r; reflexivity). }
  induction l as [| [x k] l IH]; intros acc Hne.
  - destruct acc as [[v k] |]; [| destruct Hne; congruence].
    exists v, k. split; [reflexivity |]. split; [left; reflexivity |]. split.
    + intros ? ? [= <- <-]. apply irrefl.
    + intros ? ? [].
  - simpl. destruct acc as [[y k'] |].
    + destruct (before k k') eqn:E.
      * destruct (IH (Some (x, k)) ltac:(left; discriminate)) as (v & kv & Hb & Hin & Ha & Hl).
        exists v, kv. split; [exact Hb |]. split; [right; destruct Hin as [[= <- <-] | Hin]; [left; reflexivity | right; exact Hin] |].
        specialize (Ha x k eq_refl). split.
        -- intros ? ? [= <- <-]. destruct (before k' kv) eqn:F; [| reflexivity].
           rewrite (before_trans _ _ _ E F) in Ha. discriminate.
        -- intros ? ? [[= <- <-] | H]; [exact Ha | eapply Hl, H].
      * destruct (IH (Some (y, k')) ltac:(left; discriminate)) as (v & kv & Hb & Hin & Ha & Hl).
        exists v, kv. split; [exact Hb |]. split; [destruct Hin as [Hin | Hin]; [left; exact Hin | right; right; exact Hin] |].
        split; [exact Ha |].
        intros ? ? [[= <- <-] | H]; [| eapply Hl, H].
        specialize (Ha y k' eq_refl). destruct (before k kv) eqn:F; [| reflexivity].
        (* k is not before k', and k' is not before kv *)
        destruct (before k' kv) eqn:F'; [discriminate |].
        exfalso. clear - E F F'.
        revert k' kv E F F'. induction k as [| a k IHk]; intros [| c k'] [| e kv]; simpl; try discriminate.
        -- intros _ _ F'. exact (match F' with end) || discriminate.
        -- rewrite !orb_false_iff, !andb_false_iff, orb_true_iff, andb_true_iff,
             !Z.ltb_lt, !Z.ltb_ge, !Z.eqb_eq, !Z.eqb_neq.
           intros [E1 E2] F [F1 F2]. destruct F as [F | [<- F]]; [lia |].
           assert (c = a) by lia. subst c.
           destruct E2 as [E2 | E2]; [congruence |]. destruct F2 as [F2 | F2]; [congruence |].
           eauto.
    + destruct (IH (Some (x, k)) ltac:(left; discriminate)) as (v & kv & Hb & Hin & Ha & Hl).
      exists v, kv. split; [exact Hb |]. split; [right; destruct Hin as [[= <- <-] | Hin]; [left; reflexivity | right; exact Hin] |].
      split; [discriminate |].
      intros ? ? [[= <- <-] | H]; [exact (Ha _ _ eq_refl) | eapply Hl, H].
Qed.
