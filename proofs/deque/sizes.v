(** The results of [size] and [is_empty] on a Chase-Lev deque ([chase_lev.v]), for any
    slots: bounded.v, dynamic.v and infinite.v use these lemmas.

    [size] reads [front] first and [back] second, and returns [back - front].
    - For any thread: the result is at least the number of items at the instant at
      which the thread reads [back], because [front] only grows.
    - For the owner: the result is the number of items at the instant at which the
      owner reads [front], because no other thread moves [back]. *)
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev.

Section sizes.
  Context `{!heapGS Σ} {X : Type} `{!chase_levG X Σ}.
  Context (N : namespace) (R : nat → list val → option X → iProp Σ) (x0 : X).
  Context `{!chase_lev_slots R x0}.
  #[local] Set Default Proof Using "Type*".
  Implicit Types (γ : chase_lev_names) (f : nat) (L vs ws : list val) (Φ : val → iProp Σ).

  Lemma chase_lev_size_back_spec γ f Φ :
    chase_lev_inv N R γ -∗ chase_lev_front_lb γ f -∗
    AU <{ ∃∃ vs, chase_lev_model γ vs }> @ ⊤ ∖ ↑N, ∅
       <{ ∀∀ n : nat, chase_lev_model γ vs ∗ ⌜length vs ≤ n⌝, COMM Φ #n }> -∗
    WP !#γ.(chase_lev_back)
      {{ r, ∃ b : Z, ⌜r = #b⌝ ∗ Φ #(if bool_decide (b ≤ f)%Z then 0 else b - f) }}.
  Proof.
    iIntros "#I #Hlb AU". iApply (chase_lev_back_spec _ _ _ _ _
      (λ b, Φ #(if bool_decide (b ≤ f)%Z then 0 else b - f)) with "I Hlb").
    iIntros (vs b Hb) "Hm". iMod "AU" as (vs') "[Hm' [_ Hcl]]".
    iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-. iFrame "Hm".
    iMod ("Hcl" $! (Z.to_nat (b - f)) with "[$Hm']") as "HΦ".
    { iPureIntro. destruct Hb as [?| ->]; simpl; lia. }
    iModIntro. case_bool_decide.
    - by replace (Z.to_nat (b - f)) with 0 by lia.
    - by rewrite Z2Nat.id; last lia.
  Qed.
  Lemma chase_lev_owner_size_front_spec γ L f0 ws (Ψ : list val → iProp Σ) Φ :
    drop f0 L `suffix_of` ws →
    chase_lev_inv N R γ -∗ chase_lev_owner γ L Stable -∗ chase_lev_front_lb γ f0 -∗
    AU <{ ∃∃ vs, chase_lev_model γ vs }> @ ⊤ ∖ ↑N, ∅
       <{ chase_lev_model γ vs ∗ ⌜vs `suffix_of` ws⌝, COMM Ψ vs -∗ Φ #(length vs) }> -∗
    WP !#γ.(chase_lev_front)
      {{ r, ∃ f, ⌜r = #f ∧ f0 ≤ f ≤ length L⌝ ∗ chase_lev_front_lb γ f ∗
            chase_lev_owner γ L Stable ∗ (Ψ (drop f L) -∗ Φ #(length L - f)%nat) }}.
  Proof.
    iIntros (Hws) "#I Ho #Hlb AU". iApply (chase_lev_owner_front_spec _ _ _ _ _ _
      (λ f, Ψ (drop f L) -∗ Φ #(length L - f)%nat)%I with "I Ho Hlb").
    iIntros (f Hf) "Hm". iMod "AU" as (vs) "[Hm' [_ Hcl]]".
    iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-. iFrame "Hm".
    iMod ("Hcl" with "[$Hm']") as "HΦ"; last by rewrite length_drop.
    iPureIntro. trans (drop f0 L); last done. apply drop_suffix_of_drop. lia.
  Qed.
End sizes.

(** [is_empty], as the code computes it: a size [e] that is zero. *)
Section is_empty.
  Context `{!heapGS Σ} (N : namespace) (M : list val → iProp Σ).
  Implicit Types (e : expr) (ws : list val) (K : list val → iProp Σ).

  Lemma is_empty_of_size e :
    <<{ ∀∀ vs, M vs }>> e @ ↑N <<{ ∃∃ n : nat, M vs ∗ ⌜length vs ≤ n⌝ | RET #n }>> -∗
    <<{ ∀∀ vs, M vs }>>
      e = #0 @ ↑N
    <<{ ∃∃ b : bool, M vs ∗ ⌜b = true → vs = []⌝ | RET #b }>>.
  Proof.
    iIntros "He %Φ AU". awp_apply "He". iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (vs) "Hm". iAaccIntro with "Hm"; first by eauto with iFrame.
    iIntros (n) "[Hm %]". iModIntro. iExists (bool_decide (n = 0)). iFrame "Hm". iSplit.
    { iPureIntro. intros ->%bool_decide_eq_true. by apply nil_length_inv; lia. }
    iIntros "HΦ !>". wp_pures. rewrite (bool_decide_ext (#n = #0) (n = 0)) //.
    split; last by intros ->. intros [= Heq]. lia.
  Qed.
  Lemma owner_is_empty_of_size e ws K :
    <<{ ∀∀ vs, M vs }>>
      e @ ↑N
    <<{ M vs ∗ ⌜vs `suffix_of` ws⌝ | RET #(length vs); K vs }>> -∗
    <<{ ∀∀ vs, M vs }>>
      e = #0 @ ↑N
    <<{ M vs ∗ ⌜vs `suffix_of` ws⌝ | RET #(bool_decide (vs = [])); K vs }>>.
  Proof.
    iIntros "He %Φ AU". awp_apply "He". iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (vs) "Hm". iAaccIntro with "Hm"; first by eauto with iFrame.
    iIntros "$ !> HΦ !> HK". iDestruct ("HΦ" with "HK") as "HΦ". wp_pures.
    rewrite (bool_decide_ext (#(length vs) = #0) (vs = [])) //.
    split; last by intros ->. intros [= Heq]. apply nil_length_inv. lia.
  Qed.
End is_empty.
