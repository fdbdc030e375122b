(** Hubs of work-stealing deques from which thieves take directly,
    lib/kernel/hub/stealing.ml: the state, and one operation on one deque.

    The hub's model is the sum of Central's model and the tasks in the deques. The proof
    uses any model of all deques, [dm]: a list of lists, of which an operation changes
    one. The kind of deque does not matter. An expression [e] with an atomic
    specification as an operation on one deque becomes an operation on the hub:
    - a push adds a task, or reports that it did not ([stealing_add]);
    - a pop or a steal takes a task, or nothing ([stealing_take]), and is therefore an
      attempt to take ([stealing_try]). A pop is also the first step of a [retract].

    A [push] adds the task to the worker's deque or, if the deque is full, to Central.
    The [push] is linearised where the task is added ([stealing_push_own],
    [stealing_push_out]).

    A [retract] takes the newest task of the deque. If the newest task is the given
    task, the [retract] is linearised there. Otherwise the newest task goes into the
    worker's hand, so the model does not change, and from the hand back into the deque.
    The [retract] is then linearised at any moment.

    Thieves go round the deques. While only the thief acts, a deque in which the thief
    found no task stays empty. After an unsuccessful look at each deque, all deques are
    empty. *)
From stdpp Require Import gmultiset.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.deque Require Import items.
From dromos.hub Require Import central_code hub_spec central.

Definition stealing_vals (lss : list (list loc)) : list (list val) :=
  (λ ls : list loc, loc_val <$> ls) <$> lss.
Definition stealing_items (lss : list (list loc)) : hub_items :=
  list_to_set_disj (any_items (concat lss)).
Definition loc_option (o : option loc) : val := from_option (λ l : loc, SOMEV #l) NONEV o.

Lemma stealing_vals_lookup lss i vs :
  stealing_vals lss !! i = Some vs → ∃ ls, lss !! i = Some ls ∧ vs = loc_val <$> ls.
Proof. rewrite list_lookup_fmap. destruct (lss !! i) as [ls|]; naive_solver. Qed.
Lemma stealing_vals_insert lss i ls :
  stealing_vals (<[i := ls]> lss) = <[i := loc_val <$> ls]> (stealing_vals lss).
Proof. apply list_fmap_insert. Qed.
Lemma stealing_items_insert lss i ls ls' l :
  lss !! i = Some ls → ls' ≡ₚ l :: ls →
  stealing_items (<[i := ls']> lss) = stealing_items lss ⊎ {[+ (l, None) +]}.
Proof.
  intros Hi Hls. apply items_add. by rewrite /any_items (concat_insert_add lss i ls ls' l).
Qed.
Lemma stealing_items_perm lss i ls ls' :
  lss !! i = Some ls → ls ≡ₚ ls' → stealing_items (<[i := ls']> lss) = stealing_items lss.
Proof.
  intros Hi Hls. rewrite -{2}(list_insert_id lss i ls) //.
  apply list_to_set_disj_perm. rewrite /any_items. f_equiv.
  clear -Hls. revert i. induction lss as [|ls0 lss IH]; intros [|i]; simpl; try done.
  - by rewrite Hls.
  - by rewrite (IH i).
Qed.

(** [next_deque n v] follows [v] in a round of the [n] deques. [looked_at n v left lss]:
    all deques are empty, except perhaps the [left] deques from [v] on. *)
Definition next_deque (n v : nat) : nat := if decide (S v = n) then 0 else S v.
Lemma next_deque_lt n v : v < n → next_deque n v < n.
Proof. rewrite /next_deque. case_decide; lia. Qed.
Definition looked_at (n v left : nat) (lss : list (list loc)) : Prop :=
  ∀ k, left ≤ k < n → lss !! ((v + k) `mod` n) = Some [].
Lemma looked_at_begin n v lss : looked_at n v n lss.
Proof. intros k Hk. lia. Qed.
Local Lemma mod_add_self k n : (k + n) `mod` n = k `mod` n.
Proof. by rewrite -{1}(Nat.mul_1_l n) Nat.Div0.mod_add. Qed.
Lemma looked_at_next n v left lss :
  v < n → looked_at n v (S left) lss → lss !! v = Some [] →
  looked_at n (next_deque n v) left lss.
Proof.
  intros Hv Hall Hnow k Hk. rewrite /next_deque.
  assert (((if decide (S v = n) then 0 else S v) + k) `mod` n = (v + S k) `mod` n) as ->.
  { case_decide as Hvn; last by rewrite Nat.add_succ_r.
    rewrite -Nat.add_succ_comm Hvn (Nat.add_comm n) mod_add_self. done. }
  destruct (decide (S k = n)) as [Hkn|]; last (apply Hall; lia).
  rewrite Hkn mod_add_self. by rewrite Nat.mod_small.
Qed.
Lemma looked_at_all n v lss :
  v < n → length lss = n → looked_at n v 0 lss → stealing_items lss = ∅.
Proof.
  intros Hv Hlen Hall. rewrite /stealing_items concat_all_none //. intros i ls Hi.
  pose proof (lookup_lt_Some _ _ _ Hi).
  assert (lss !! i = Some []) as Hi'; last by simplify_eq.
  rewrite -(Hall ((i + (n - v)) `mod` n)).
  - f_equal. rewrite Nat.Div0.add_mod_idemp_r.
    replace (v + (i + (n - v))) with (i + n) by lia.
    rewrite mod_add_self. by rewrite Nat.mod_small; last lia.
  - pose proof (Nat.mod_upper_bound (i + (n - v)) n). lia.
Qed.

(** ** The specification of the deques

    [dm] is the model of all deques, a list of lists. Each definition says that
    expression [e] is an operation on deque [i], at one instant. *)
Section deques.
  Context `{!heapGS Σ} (dm : list (list val) → iProp Σ).
  Implicit Types (i : nat) (l : loc) (e : expr).

  (** [e] adds [l] and returns [true], or returns [false]. If [room] is true, [e] adds
      [l]. *)
  Definition deque_pushes i l (room : bool) e (K : iProp Σ) : iProp Σ :=
    <<{ ∀∀ vss, dm vss }>>
      e @ ↑hubN
    <<{ ∃∃ (b : bool) vs, dm (if b then <[i := vs ++ [ #l]]> vss else vss) ∗
        ⌜vss !! i = Some vs ∧ (room = true → b = true)⌝
      | RET #b; K }>>.
  (** [e] takes any task of the deque, or nothing. The argument of [K] tells whether [e]
      took a task. *)
  Definition deque_pops i e (K : bool → iProp Σ) : iProp Σ :=
    <<{ ∀∀ vss, dm vss }>>
      e @ ↑hubN
    <<{ ∃∃ vs o vs', dm (<[i := vs']> vss) ∗
        ⌜vss !! i = Some vs ∧ vs ≡ₚ option_list o ++ vs'⌝
      | RET from_option InjRV (InjLV #()) o; K (from_option (λ _, true) false o) }>>.
  (** [e] takes the oldest task, or nothing from an empty deque. *)
  Definition deque_steals i e : iProp Σ :=
    <<{ ∀∀ vss, dm vss }>>
      e @ ↑hubN
    <<{ ∃∃ vs, dm (<[i := tail vs]> vss) ∗ ⌜vss !! i = Some vs⌝
      | RET from_option InjRV (InjLV #()) (head vs) }>>.

  Lemma deque_steals_pops i e : deque_steals i e -∗ deque_pops i e (λ _, True)%I.
  Proof.
    iIntros "He %Φ AU". rewrite /deque_steals. awp_apply "He".
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hd".
    iAaccIntro with "Hd"; first by eauto with iFrame. iIntros (vs) "[Hd %Hvs] !>".
    iExists vs, (head vs), (tail vs). iFrame "Hd". iSplit.
    { iPureIntro. split; first done. apply oldest_perm. }
    iIntros "HΦ !>". by iApply "HΦ".
  Qed.
End deques.

Section stealing.
  Context `{!heapGS Σ, !centralG Σ} (γ : central_names) (dm : list (list val) → iProp Σ).
  Implicit Types (M : hub_items) (i n : nat) (l : loc) (e : expr) (Φ : val → iProp Σ).
  Implicit Types (c : val) (lss : list (list loc)) (K Q : iProp Σ) (room : bool).

  Definition stealing_model M : iProp Σ :=
    ∃ C lss, central_model γ C ∗ dm (stealing_vals lss) ∗ ⌜M = C ⊎ stealing_items lss⌝.

  Lemma stealing_central : hub_part (central_model γ) stealing_model.
  Proof.
    iIntros (M) "(%C & %lss & HC & Hd & ->)". iExists C, (stealing_items lss). iSplit; first done.
    iFrame "HC". iIntros (C') "HC". iExists C', lss. by iFrame.
  Qed.

  (** ** One deque *)

  Lemma stealing_add i l room e K :
    deque_pushes dm i l room e K -∗
    <<{ ∀∀ M, stealing_model M }>>
      e @ ↑hubN
    <<{ ∃∃ b : bool, stealing_model (if b then M ⊎ {[+ (l, None) +]} else M) ∗
        ⌜room = true → b = true⌝
      | RET #b; K }>>.
  Proof.
    iIntros "He %Φ AU". rewrite /deque_pushes. awp_apply "He".
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%C & %lss & HC & Hd & ->)". iAaccIntro with "Hd".
    { iIntros "Hd !>". iSplitL; last by eauto. iExists C, lss. by iFrame. }
    iIntros (b vs) "[Hd [%Hi %Hroom]] !>". iExists b. iSplitL "HC Hd"; last by iIntros "$".
    iSplit; last done.
    apply stealing_vals_lookup in Hi as (ls & Hi & ->). destruct b; last by iExists C, lss; iFrame.
    iExists C, (<[i := ls ++ [l]]> lss). rewrite stealing_vals_insert fmap_app. iFrame.
    iPureIntro. rewrite (stealing_items_insert lss i ls _ l) //; first multiset_solver.
    by rewrite -Permutation_cons_append.
  Qed.

  Lemma stealing_take i e (K : bool → iProp Σ) :
    deque_pops dm i e K -∗
    <<{ ∀∀ M, stealing_model M }>>
      e @ ↑hubN
    <<{ ∃∃ (o : option loc) M', stealing_model M' ∗
        ⌜M = from_option (λ l, M' ⊎ {[+ (l, None) +]}) M' o⌝
      | RET loc_option o; K (from_option (λ _, true) false o) }>>.
  Proof.
    iIntros "He %Φ AU". rewrite /deque_pops. awp_apply "He".
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%C & %lss & HC & Hd & ->)". iAaccIntro with "Hd".
    { iIntros "Hd !>". iSplitL; last by eauto. iExists C, lss. by iFrame. }
    iIntros (vs o vs') "[Hd [%Hi %Hvs]] !>".
    apply stealing_vals_lookup in Hi as (ls & Hi & ->).
    destruct o as [v|]; simpl in Hvs.
    - symmetry in Hvs. apply Permutation_map_inv in Hvs as (ls' & Hls' & Hperm).
      destruct ls' as [|l ls']; first done. injection Hls' as -> ->.
      iExists (Some l), (C ⊎ stealing_items (<[i := ls']> lss)). iSplitL "HC Hd".
      { iSplit; last first.
        { iPureIntro.
          assert (stealing_items lss = stealing_items (<[i := ls']> lss) ⊎ {[+ (l, None) +]}) as ->;
            last by rewrite /= assoc_L.
          rewrite -(stealing_items_insert (<[i := ls']> lss) i ls' ls l) //.
          - by rewrite list_insert_insert list_insert_id.
          - apply list_lookup_insert. by eapply lookup_lt_Some. }
        iExists C, (<[i := ls']> lss). rewrite stealing_vals_insert. by iFrame. }
      by iIntros "$".
    - symmetry in Hvs. apply Permutation_map_inv in Hvs as (ls' & -> & Hperm).
      iExists None, (C ⊎ stealing_items lss). iSplitL "HC Hd".
      { iSplit; last done. iExists C, (<[i := ls']> lss). rewrite stealing_vals_insert. iFrame.
        iPureIntro. by rewrite (stealing_items_perm lss i ls). }
      by iIntros "$".
  Qed.

  Lemma stealing_try i j e (K : bool → iProp Σ) :
    deque_pops dm j e K -∗ hub_try stealing_model i e (∃ b, K b).
  Proof.
    iIntros "He". iApply hub_try_of_atomic. iIntros (Φ) "AU".
    awp_apply (stealing_take with "He"). iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "HM". iAaccIntro with "HM"; first by eauto with iFrame.
    iIntros (o M') "[HM ->] !>". iExists (loc_option o), M'. iFrame "HM". iSplit.
    { iPureIntro. destruct o as [l|]; [right|by left]. exists l, None. split; first done.
      split; [by left|done]. }
    iIntros "HΦ !> HK". iApply "HΦ". by iExists _.
  Qed.

  (** ** Push *)

  (** The atomic update of a [push]. *)
  Definition stealing_push_au l Q Φ : iProp Σ :=
    AU <{ ∃∃ M, stealing_model M }> @ ⊤ ∖ ↑hubN, ∅
       <{ stealing_model (M ⊎ {[+ (l, None) +]}), COMM Q -∗ Φ #() }>.
  Lemma stealing_push_own i l room e K Q Φ :
    deque_pushes dm i l room e K -∗ stealing_push_au l Q Φ -∗
    WP e {{ r, ∃ b : bool, ⌜r = #b⌝ ∗ K ∗ if b then Q -∗ Φ #() else stealing_push_au l Q Φ }}.
  Proof.
    iIntros "He AU". awp_apply (stealing_add with "He"). rewrite /stealing_push_au.
    iApply (aacc_aupd with "AU"); first done. iIntros (M) "HM".
    iAaccIntro with "HM"; first by eauto with iFrame. iIntros (b) "[HM _] !>". destruct b.
    - iRight. iFrame "HM". iIntros "HΦ !> HK". iExists true. by iFrame.
    - iLeft. iFrame "HM". iIntros "AU !> HK". iExists false. by iFrame.
  Qed.
  Lemma stealing_push_out c n (r : Z) l Q Φ :
    central_inv γ c n -∗ stealing_push_au l Q Φ -∗ Q -∗
    WP hub_central_submit c #r #l {{ Φ }}.
  Proof.
    iIntros "#Ic AU HQ". iApply (hub_part_add with "[] HQ AU"); first apply stealing_central.
    by iApply central_submit_spec.
  Qed.

  (** ** Taking back *)

  (** [e] pops the newest task: the given task [l], another task, which goes into the
      hand, or no task. *)
  Lemma stealing_retract_take i l e (K : bool → iProp Σ) Q Φ :
    deque_pops dm i e K -∗ central_owner γ i -∗ hub_retract_au stealing_model i l Q Φ -∗
    WP e {{ r, ∃ o, ⌜r = loc_option o⌝ ∗ K (from_option (λ _, true) false o) ∗
      match o with
      | None => central_owner γ i ∗ hub_retract_au stealing_model i l Q Φ
      | Some l' =>
          if decide (l' = l) then central_owner γ i ∗ (Q -∗ Φ #true)
          else central_carries γ i [l'] ∗ hub_retract_au stealing_model i l Q Φ
      end }}.
  Proof.
    iIntros "He H AU". awp_apply (stealing_take with "He"). rewrite /hub_retract_au.
    iApply (aacc_aupd with "AU"); first done. iIntros (M) "HM". iAaccIntro with "HM".
    { iIntros "$ !>". iFrame "H". by iIntros "$". }
    iIntros (o M') "[HM ->]". destruct o as [l'|]; simpl; last first.
    { iModIntro. iLeft. iFrame "HM". iIntros "AU !> HK". iExists None. by iFrame. }
    destruct (decide (l' = l)) as [->|Hne] eqn:Hdec.
    - iModIntro. iRight. iExists true, M'. iFrame "HM". iSplit.
      { iPureIntro. exists None. split; [by left|done]. }
      iIntros "HΦ !> HK". iExists (Some l). rewrite decide_True //. by iFrame.
    - iDestruct "HM" as (C lss) "(HC & Hd & ->)".
      iMod (central_hold _ _ _ l' with "H HC") as "[H HC]". iModIntro. iLeft. iSplitL "HC Hd".
      { iExists _, lss. iFrame. iPureIntro. multiset_solver. }
      iIntros "AU !> HK". iExists (Some l'). rewrite decide_False //. by iFrame.
  Qed.

  (** [e] pushes the task in the hand to the deque, which has room. *)
  Lemma stealing_put_back i l l' e K Q Φ :
    deque_pushes dm i l' true e K -∗
    central_carries γ i [l'] -∗ hub_retract_au stealing_model i l Q Φ -∗
    WP e {{ r, ⌜r = #true⌝ ∗ K ∗ hub_retract_au stealing_model i l Q Φ ∗ central_owner γ i }}.
  Proof.
    iIntros "He H AU". awp_apply (stealing_add with "He"). rewrite /hub_retract_au.
    iApply (aacc_aupd_abort with "AU"); first done. iIntros (M) "HM". iAaccIntro with "HM".
    { iIntros "$ !>". iFrame "H". by iIntros "$". }
    iIntros (b) "[HM %Hroom]". rewrite (Hroom eq_refl).
    iDestruct "HM" as (C lss) "(HC & Hd & %HM)".
    iMod (central_release with "H HC") as (C') "(-> & H & HC)". iModIntro. iSplitL "HC Hd".
    { iExists C', lss. iFrame. iPureIntro.
      apply (inj (.⊎ {[+ (l', None : option nat) +]})). rewrite HM. multiset_solver. }
    iIntros "AU !> HK". by iFrame.
  Qed.
End stealing.
