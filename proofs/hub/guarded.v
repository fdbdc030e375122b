(** A hub that moves tasks on its own.

    A hub whose deques belong to the workers moves tasks between its places also when no
    caller adds or takes a task: when a worker retires, or after a worker has found a
    task elsewhere. These moves need the models of the places, so the hub's client
    cannot own these models. The models are in an invariant of the hub. The client owns
    [guarded_model γ M], one half of a ghost variable with the items in the invariant.

    The operations are proved with the real model, [HM]. [guarded_add], [guarded_try]
    and [guarded_retract] turn the operations into operations on the client's model.
    Each worker has a token, [guarded_worker γ i], that gives access to the real model
    at any time ([guarded_peek]).

    The owner of the client's half and of the tokens of all workers knows that no worker
    acts. This owner may take the real model out for a while ([guarded_lend],
    [guarded_return]). *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var token.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.deque Require Import others.
From dromos.hub Require Import hub_spec central own_deques.

Class guardedG Σ := GuardedG {
  #[local] guarded_modelG :: ghost_varG Σ hub_items;
  #[local] guarded_tokenG :: tokenG Σ;
}.
Definition guardedΣ : gFunctors := #[ghost_varΣ hub_items; tokenΣ].
Global Instance subG_guardedΣ Σ : subG guardedΣ Σ → guardedG Σ.
Proof. solve_inG. Qed.

Record guarded_names := GuardedNames {
  gd_model : gname;
  gd_home : gname;
  gd_workers : list gname;
}.

Set Default Proof Using "Type*".

Section guarded.
  Context `{!heapGS Σ, !guardedG Σ} (HM : hub_items → iProp Σ) `{!∀ M, Timeless (HM M)}.
  Implicit Types (γ : guarded_names) (M : hub_items) (i n : nat) (l : loc).
  Implicit Types (K : iProp Σ) (e : expr).

  Definition guarded_model γ M : iProp Σ := ghost_var (gd_model γ) (1/2) M.
  Definition guarded_worker γ i : iProp Σ :=
    ∃ η, ⌜gd_workers γ !! i = Some η⌝ ∗ token η.
  (** The real model is in the invariant, or lent. *)
  Definition guarded_state γ : iProp Σ :=
    (token (gd_home γ) ∗ ∃ M, ghost_var (gd_model γ) (1/2) M ∗ HM M) ∨
    ((∃ M, ghost_var (gd_model γ) 1 M) ∗ [∗ list] η ∈ gd_workers γ, token η).
  Definition guarded_inv γ : iProp Σ := inv (hub_allN .@ "model") (guarded_state γ).

  Global Instance guarded_model_timeless γ M : Timeless (guarded_model γ M).
  Proof. apply _. Qed.
  Global Instance guarded_worker_timeless γ i : Timeless (guarded_worker γ i).
  Proof. apply _. Qed.

  Local Lemma guarded_open γ :
    guarded_inv γ -∗ |={⊤ ∖ ↑hubN, ⊤ ∖ ↑hub_allN}=>
      guarded_state γ ∗ (guarded_state γ ={⊤ ∖ ↑hub_allN, ⊤ ∖ ↑hubN}=∗ True).
  Proof.
    iIntros "#I". iInv "I" as ">$" "Hclose".
    iMod (fupd_mask_subseteq (⊤ ∖ ↑hub_allN)) as "Hmask".
    { pose proof (nclose_subseteq hub_allN "parts") as Hparts.
      pose proof (nclose_subseteq hub_allN "model") as Hmodel. unfold hubN. set_solver. }
    iIntros "!> Hs". iMod "Hmask". by iMod ("Hclose" with "Hs").
  Qed.

  Local Lemma guarded_agree γ M :
    guarded_state γ -∗ guarded_model γ M -∗
    HM M ∗ ∀ M', HM M' ==∗ guarded_state γ ∗ guarded_model γ M'.
  Proof.
    iIntros "[[Hhome (%M' & Hv & HM)]|[(%M' & Hv) _]] Hm"; last first.
    { by iDestruct (ghost_var_valid_2 with "Hv Hm") as %[?%Qp.not_add_le_l _]. }
    iDestruct (ghost_var_agree with "Hv Hm") as %->. iFrame "HM". iIntros (M') "HM".
    iMod (ghost_var_update_halves M' with "Hv Hm") as "[Hv Hm]". iModIntro.
    iSplitR "Hm"; last done. iLeft. iFrame "Hhome". iExists M'. iFrame.
  Qed.

  (** ** Operations *)

  Lemma guarded_add γ l e K :
    guarded_inv γ -∗
    <<{ ∀∀ M, HM M }>> e @ ↑hubN <<{ HM (M ⊎ {[+ (l, None) +]}) | RET #(); K }>> -∗
    <<{ ∀∀ M, guarded_model γ M }>>
      e @ ↑hub_allN
    <<{ guarded_model γ (M ⊎ {[+ (l, None) +]}) | RET #(); K }>>.
  Proof.
    iIntros "#I He %Φ AU". iApply "He". iAuIntro. rewrite /atomic_acc /=.
    iMod (guarded_open with "I") as "[Hs Hclose]". iMod "AU" as (M) "[Hm HC]".
    iDestruct (guarded_agree with "Hs Hm") as "[HM Hback]". iModIntro. iExists M.
    iFrame "HM". iSplit; iIntros "HM"; iMod ("Hback" with "HM") as "[Hs Hm]".
    - iMod ("HC" with "Hm") as "$". by iApply "Hclose".
    - iMod ("HC" with "Hm") as "$". by iApply "Hclose".
  Qed.
  Lemma guarded_add_any γ x e :
    guarded_inv γ -∗
    <<{ ∀∀ M, HM M }>> e @ ↑hubN <<{ HM (M ⊎ {[+ x +]}) | RET #() }>> -∗
    <<{ ∀∀ M, guarded_model γ M }>>
      e @ ↑hub_allN
    <<{ guarded_model γ (M ⊎ {[+ x +]}) | RET #() }>>.
  Proof.
    iIntros "#I He %Φ AU". iApply "He". iAuIntro. rewrite /atomic_acc /=.
    iMod (guarded_open with "I") as "[Hs Hclose]". iMod "AU" as (M) "[Hm HC]".
    iDestruct (guarded_agree with "Hs Hm") as "[HM Hback]". iModIntro. iExists M.
    iFrame "HM". iSplit; iIntros "HM"; iMod ("Hback" with "HM") as "[Hs Hm]".
    - iMod ("HC" with "Hm") as "$". by iApply "Hclose".
    - iMod ("HC" with "Hm") as "$". by iApply "Hclose".
  Qed.
  Lemma guarded_try γ i e K :
    guarded_inv γ -∗ hub_try HM i e K -∗
    <<{ ∀∀ M, guarded_model γ M }>>
      e @ ↑hub_allN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ guarded_model γ M' | RET r; K }>>.
  Proof.
    iIntros "#I He %Φ AU". iApply (hub_try_done with "He"). iAuIntro. rewrite /atomic_acc /=.
    iMod (guarded_open with "I") as "[Hs Hclose]". iMod "AU" as (M) "[Hm HC]".
    iDestruct (guarded_agree with "Hs Hm") as "[HM Hback]". iModIntro. iExists M.
    iFrame "HM". iSplit.
    - iIntros "HM". iMod ("Hback" with "HM") as "[Hs Hm]". iMod ("HC" with "Hm") as "$".
      by iApply "Hclose".
    - iIntros (r M') "[%Hr HM]". iMod ("Hback" with "HM") as "[Hs Hm]".
      iDestruct "HC" as "[_ HC]". iMod ("HC" $! r M' with "[$Hm //]") as "$".
      by iApply "Hclose".
  Qed.
  Lemma guarded_retract γ i l e K :
    guarded_inv γ -∗
    <<{ ∀∀ M, HM M }>>
      e @ ↑hubN
    <<{ ∃∃ (b : bool) M',
        ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗ HM M'
      | RET #b; K }>> -∗
    <<{ ∀∀ M, guarded_model γ M }>>
      e @ ↑hub_allN
    <<{ ∃∃ (b : bool) M',
        ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗
        guarded_model γ M'
      | RET #b; K }>>.
  Proof.
    iIntros "#I He %Φ AU". iApply "He". iAuIntro. rewrite /atomic_acc /=.
    iMod (guarded_open with "I") as "[Hs Hclose]". iMod "AU" as (M) "[Hm HC]".
    iDestruct (guarded_agree with "Hs Hm") as "[HM Hback]". iModIntro. iExists M.
    iFrame "HM". iSplit.
    - iIntros "HM". iMod ("Hback" with "HM") as "[Hs Hm]". iMod ("HC" with "Hm") as "$".
      by iApply "Hclose".
    - iIntros (b M') "[%Hb HM]". iMod ("Hback" with "HM") as "[Hs Hm]".
      iDestruct "HC" as "[_ HC]". iMod ("HC" $! b M' with "[$Hm //]") as "$".
      by iApply "Hclose".
  Qed.

  (** ** Workers *)

  Lemma guarded_peek γ i : guarded_inv γ -∗ hub_peek HM (guarded_worker γ i).
  Proof.
    iIntros "#I !> (%η & %Hη & Htok)". iMod (guarded_open with "I") as "[Hs Hclose]".
    iMod (fupd_mask_subseteq ∅) as "Hmask"; first set_solver.
    iDestruct "Hs" as "[[Hhome (%M & Hv & HM)]|[_ Hall]]"; last first.
    { iDestruct (big_sepL_lookup with "Hall") as "Htok'"; first exact Hη.
      iDestruct (token_exclusive with "Htok Htok'") as %[]. }
    iModIntro. iExists M. iFrame "HM". iIntros "HM". iMod "Hmask".
    iMod ("Hclose" with "[Hhome Hv HM]") as "_"; first by iLeft; iFrame.
    iModIntro. iExists η. by iFrame.
  Qed.

  Local Lemma guarded_workers_all γ n : n = length (gd_workers γ) →
    ([∗ list] i ∈ seq 0 n, guarded_worker γ i) ⊣⊢ [∗ list] η ∈ gd_workers γ, token η.
  Proof.
    intros ->. rewrite big_sepL_seq_indices. apply big_sepL_proper=> i η Hη /=. iSplit.
    - iIntros "(%η' & %Hη' & H)". by simplify_eq.
    - iIntros "H". iExists η. by iFrame.
  Qed.

  Lemma guarded_lend γ n M : n = length (gd_workers γ) →
    guarded_inv γ -∗ guarded_model γ M -∗ ([∗ list] i ∈ seq 0 n, guarded_worker γ i) ={⊤}=∗
    HM M ∗ token (gd_home γ).
  Proof.
    iIntros (Hn) "#I Hm Hall". rewrite guarded_workers_all //.
    iInv "I" as ">[[Hhome (%M' & Hv & HM)]|[(%M' & Hv) _]]"; last first.
    { by iDestruct (ghost_var_valid_2 with "Hv Hm") as %[?%Qp.not_add_le_l _]. }
    iDestruct (ghost_var_agree with "Hv Hm") as %->. iCombine "Hv Hm" as "Hv".
    iModIntro. iSplitL "Hv Hall"; last by iFrame. iRight. iFrame.
  Qed.
  Lemma guarded_return γ n M : n = length (gd_workers γ) →
    guarded_inv γ -∗ HM M -∗ token (gd_home γ) ={⊤}=∗
    guarded_model γ M ∗ [∗ list] i ∈ seq 0 n, guarded_worker γ i.
  Proof.
    iIntros (Hn) "#I HM Hhome". rewrite guarded_workers_all //.
    iInv "I" as ">[[Hhome' _]|[(%M' & Hv) Hall]]".
    { iDestruct (token_exclusive with "Hhome Hhome'") as %[]. }
    iMod (ghost_var_update M with "Hv") as "[Hv Hm]". iModIntro.
    iSplitL "Hv HM Hhome"; last by iFrame. iLeft. iFrame.
  Qed.

  Lemma guarded_alloc n : HM ∅ ={⊤}=∗ ∃ γ, ⌜length (gd_workers γ) = n⌝ ∗ guarded_inv γ ∗
    guarded_model γ ∅ ∗ [∗ list] i ∈ seq 0 n, guarded_worker γ i.
  Proof.
    iIntros "HM". iMod (ghost_var_alloc (∅ : hub_items)) as (γm) "[Hv Hm]".
    iMod token_alloc as (γh) "Hhome".
    iAssert (|==> ∃ ηs, ⌜length ηs = n⌝ ∗ [∗ list] η ∈ ηs, token η)%I as ">(%ηs & %Hn & Hall)".
    { iInduction n as [|n] "IH"; first by iModIntro; iExists []; iSplit.
      iMod "IH" as (ηs) "[%Hn H]". iMod token_alloc as (η) "Hη". iModIntro.
      iExists (η :: ηs). iFrame. iPureIntro. simpl. by rewrite Hn. }
    set (γ := GuardedNames γm γh ηs).
    iMod (inv_alloc (hub_allN .@ "model") _ (guarded_state γ) with "[Hv HM Hhome]") as "#I".
    { iNext. iLeft. iFrame. }
    iModIntro. iExists γ. rewrite -(guarded_workers_all γ n) //. by iFrame "∗ #".
  Qed.
End guarded.
