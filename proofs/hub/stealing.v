(** Hubs of work-stealing deques whose thieves help themselves: what the proofs of
    [std.v] and [hybrid.v] share, with [stealing_ops.v].

    The model is that of central and what is in the deques. It stands on a model of all
    the deques, [dm], a list of lists of which an operation touches one; what kind of
    deques they are does not matter here. An operation on one deque, an expression
    [e] of which an atomic specification is known, becomes one on the hub:
    - what adds an item, or says that it did not ([stealing_add]);
    - what takes one, or nothing ([stealing_take]), hence an attempt to take
      ([stealing_try]), and the first step of a [retract].

    A [retract] takes the newest task of the deque. If this is the one it looks for,
    that is its instant. If not, the task goes into the worker's hand, so that the
    model does not change, and from there into the deque again; [retract] has its
    instant at any moment then.

    Thieves go round the deques. In a quiet moment each is empty after it was looked
    at; when all of them were, all are empty. *)
From stdpp Require Import gmultiset.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.hub Require Import hub_spec central.

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

(** What a pop of the newest and a steal of the oldest leave. *)
Lemma newest_perm (vs : list val) : vs ≡ₚ option_list (last vs) ++ removelast vs.
Proof.
  destruct vs as [|v vs _] using rev_ind; first done.
  by rewrite last_snoc removelast_last -Permutation_cons_append.
Qed.
Lemma oldest_perm (vs : list val) : vs ≡ₚ option_list (head vs) ++ tail vs.
Proof. by destruct vs. Qed.

(** The deques from [v] on, in rounds of [n]. *)
Definition looked_at (n v left : nat) (lss : list (list loc)) : Prop :=
  ∀ k, left ≤ k < n → lss !! ((v + k) `mod` n) = Some [].
Lemma looked_at_begin n v lss : looked_at n v n lss.
Proof. intros k Hk. lia. Qed.
Local Lemma mod_add_self k n : (k + n) `mod` n = k `mod` n.
Proof. by rewrite -{1}(Nat.mul_1_l n) Nat.Div0.mod_add. Qed.
Lemma looked_at_next n v left lss :
  v < n → looked_at n v (S left) lss → lss !! v = Some [] →
  looked_at n (if decide (S v = n) then 0 else S v) left lss.
Proof.
  intros Hv Hall Hnow k Hk.
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

(** All workers but one. *)
Lemma others_sep {Σ} (A B : nat → iProp Σ) i n :
  ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → A j ∗ B j) ⊣⊢
  ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → A j) ∗ [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → B j.
Proof.
  rewrite -big_sepL_sep. apply big_sepL_proper=> k j _.
  destruct (decide (j = i)) as [->|Hne].
  - iSplit; iIntros "_"; first (iSplitL; by iIntros (?)). by iIntros (?).
  - iSplit.
    + iIntros "H". iDestruct ("H" with "[//]") as "[HA HB]".
      iSplitL "HA"; by iIntros (_).
    + iIntros "[HA HB] _". iSplitL "HA"; [by iApply "HA"|by iApply "HB"].
Qed.

Section stealing.
  Context `{!heapGS Σ, !centralG Σ} (γ : central_names) (dm : list (list val) → iProp Σ).
  Implicit Types (M : hub_items) (i n : nat) (l : loc) (e : expr) (Φ : val → iProp Σ).
  Implicit Types (vss : list (list val)) (lss : list (list loc)) (Q : iProp Σ).
  Implicit Types (P : bool → list val → Prop).

  Definition stealing_model M : iProp Σ :=
    ∃ C lss, central_model γ C ∗ dm (stealing_vals lss) ∗ ⌜M = C ⊎ stealing_items lss⌝.

  Lemma stealing_central : hub_part (central_model γ) stealing_model.
  Proof.
    iIntros (M) "(%C & %lss & HC & Hd & ->)". iExists C, (stealing_items lss). iSplit; first done.
    iFrame "HC". iIntros (C') "HC". iExists C', lss. by iFrame.
  Qed.

  (** ** One deque *)

  (** [P] is what is known at this instant of whether it is added, and to what. *)
  Lemma stealing_add e (rb : bool → val) i l P (K : bool → list val → iProp Σ) :
    <<{ ∀∀ vss, dm vss }>>
      e @ ↑hubN
    <<{ ∃∃ (b : bool) vs, dm (if b then <[i := vs ++ [ #l]]> vss else vss) ∗
        ⌜vss !! i = Some vs ∧ P b vs⌝
      | RET rb b; K b vs }>> -∗
    <<{ ∀∀ M, stealing_model M }>>
      e @ ↑hubN
    <<{ ∃∃ (b : bool) vs, stealing_model (if b then M ⊎ {[+ (l, None) +]} else M) ∗ ⌜P b vs⌝
      | RET rb b; K b vs }>>.
  Proof.
    iIntros "He %Φ AU". awp_apply "He". iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%C & %lss & HC & Hd & ->)". iAaccIntro with "Hd".
    { iIntros "Hd !>". iSplitL; last by eauto. iExists C, lss. by iFrame. }
    iIntros (b vs) "[Hd [%Hi %HP]] !>". iExists b, vs. iSplitL "HC Hd"; last by iIntros "$".
    iSplit; last done.
    apply stealing_vals_lookup in Hi as (ls & Hi & ->). destruct b; last by iExists C, lss; iFrame.
    iExists C, (<[i := ls ++ [l]]> lss). rewrite stealing_vals_insert fmap_app. iFrame.
    iPureIntro. rewrite (stealing_items_insert lss i ls _ l) //; first multiset_solver.
    by rewrite -Permutation_cons_append.
  Qed.

  Lemma stealing_take e i (K : option val → list val → iProp Σ) :
    <<{ ∀∀ vss, dm vss }>>
      e @ ↑hubN
    <<{ ∃∃ vs o vs', dm (<[i := vs']> vss) ∗
        ⌜vss !! i = Some vs ∧ vs ≡ₚ option_list o ++ vs'⌝
      | RET from_option InjRV (InjLV #()) o; K o vs' }>> -∗
    <<{ ∀∀ M, stealing_model M }>>
      e @ ↑hubN
    <<{ ∃∃ o M', stealing_model M' ∗
        ⌜M = from_option (λ l, M' ⊎ {[+ (l, None) +]}) M' o⌝
      | RET loc_option o; ∃ vs', K (loc_val <$> o) vs' }>>.
  Proof.
    iIntros "He %Φ AU". awp_apply "He". iApply (aacc_aupd_commit with "AU"); first done.
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
      iIntros "HΦ !> HK". iApply "HΦ". by iExists _.
    - symmetry in Hvs. apply Permutation_map_inv in Hvs as (ls' & -> & Hperm).
      iExists None, (C ⊎ stealing_items lss). iSplitL "HC Hd".
      { iSplit; last done. iExists C, (<[i := ls']> lss). rewrite stealing_vals_insert. iFrame.
        iPureIntro. by rewrite (stealing_items_perm lss i ls). }
      iIntros "HΦ !> HK". iApply "HΦ". by iExists _.
  Qed.

  Lemma stealing_try e i j (K : option val → list val → iProp Σ) :
    <<{ ∀∀ vss, dm vss }>>
      e @ ↑hubN
    <<{ ∃∃ vs o vs', dm (<[j := vs']> vss) ∗
        ⌜vss !! j = Some vs ∧ vs ≡ₚ option_list o ++ vs'⌝
      | RET from_option InjRV (InjLV #()) o; K o vs' }>> -∗
    hub_try stealing_model i e (∃ o vs', K o vs').
  Proof.
    iIntros "He". iApply hub_try_of_atomic. iIntros (Φ) "AU".
    awp_apply (stealing_take with "He"). iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "HM". iAaccIntro with "HM"; first by eauto with iFrame.
    iIntros (o M') "[HM ->] !>". iExists (loc_option o), M'. iFrame "HM". iSplit.
    { iPureIntro. destruct o as [l|]; [right|by left]. exists l, None. split; first done.
      split; [by left|done]. }
    iIntros "HΦ !> (%vs' & HK)". iApply "HΦ". by iExists _, vs'.
  Qed.

  (** ** Taking back *)

  (** The newest task: the one that is looked for, or in the hand, or none. *)
  Lemma stealing_retract_take e i l Q Φ (K : option val → list val → iProp Σ) :
    <<{ ∀∀ vss, dm vss }>>
      e @ ↑hubN
    <<{ ∃∃ vs o vs', dm (<[i := vs']> vss) ∗
        ⌜vss !! i = Some vs ∧ vs ≡ₚ option_list o ++ vs'⌝
      | RET from_option InjRV (InjLV #()) o; K o vs' }>> -∗
    central_owner γ i -∗ hub_retract_au stealing_model i l Q Φ -∗
    WP e {{ r, ∃ o vs', ⌜r = loc_option o⌝ ∗ K (loc_val <$> o) vs' ∗
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
    { iModIntro. iLeft. iFrame "HM". iIntros "AU !> (%vs' & HK)". iExists None, vs'. by iFrame. }
    destruct (decide (l' = l)) as [->|Hne] eqn:Hdec.
    - iModIntro. iRight. iExists true, M'. iFrame "HM". iSplit.
      { iPureIntro. exists None. split; [by left|done]. }
      iIntros "HΦ !> (%vs' & HK)". iExists (Some l), vs'. rewrite decide_True //. by iFrame.
    - iDestruct "HM" as (C lss) "(HC & Hd & ->)".
      iMod (central_hold _ _ _ l' with "H HC") as "[H HC]". iModIntro. iLeft. iSplitL "HC Hd".
      { iExists _, lss. iFrame. iPureIntro. multiset_solver. }
      iIntros "AU !> (%vs' & HK)". iExists (Some l'), vs'. rewrite decide_False //. by iFrame.
  Qed.

  (** From the hand into the deque, unless that is full. *)
  Lemma stealing_put_back e (rb : bool → val) i l l' Q Φ P (K : bool → list val → iProp Σ) :
    <<{ ∀∀ vss, dm vss }>>
      e @ ↑hubN
    <<{ ∃∃ (b : bool) vs,
        dm (if b then <[i := vs ++ [ #l']]> vss else vss) ∗ ⌜vss !! i = Some vs ∧ P b vs⌝
      | RET rb b; K b vs }>> -∗
    central_carries γ i [l'] -∗ hub_retract_au stealing_model i l Q Φ -∗
    WP e {{ r, ∃ b vs, ⌜r = rb b ∧ P b vs⌝ ∗ K b vs ∗ hub_retract_au stealing_model i l Q Φ ∗
      central_carries γ i (if b then [] else [l']) }}.
  Proof.
    iIntros "He H AU". awp_apply (stealing_add with "He"). rewrite /hub_retract_au.
    iApply (aacc_aupd_abort with "AU"); first done. iIntros (M) "HM". iAaccIntro with "HM".
    { iIntros "$ !>". iFrame "H". by iIntros "$". }
    iIntros (b vs) "[HM %HP]". destruct b.
    - iDestruct "HM" as (C lss) "(HC & Hd & %HM)".
      iMod (central_release with "H HC") as (C') "(-> & H & HC)". iModIntro. iSplitL "HC Hd".
      { iExists C', lss. iFrame. iPureIntro.
        apply (inj (.⊎ {[+ (l', None : option nat) +]})). rewrite HM. multiset_solver. }
      iIntros "AU !> HK". iExists true, vs. by iFrame.
    - iModIntro. iFrame "HM". iIntros "AU !> HK". iExists false, vs. by iFrame.
  Qed.
End stealing.
