(** Work conservation: a worker takes a task, or looks.

    A worker that has announced its sleep takes its last look with [steal]. At the
    instant of the look ([hub_conserving.v]) the hub has nothing for the worker, and the
    worker notes its announcement. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var ghost_map.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import waiters_code waiters_state waiters waiters_notify.
From dromos.hub Require Import hub_spec hub_conserving conservation.

#[local] Existing Instances conservation_waitersG conservation_liveG
  conservation_publishedG conservation_looksG.

(** The result [r] of an operation by which worker [i] takes from [L], and the remaining
    publications [L']: [hub_taken], with the number of the publication. *)
Definition conservation_taken (i : nat) (L : gmap nat hub_item) (r : val)
    (L' : gmap nat hub_item) : Prop :=
  (r = NONEV ∧ L' = L) ∨
  ∃ k (l : loc) w, r = SOMEV #l ∧ hub_runs i (l, w) ∧ L !! k = Some (l, w) ∧ L' = delete k L.

Lemma conservation_taken_hub i L r M' :
  hub_taken i (conservation_items L) r M' →
  ∃ L', conservation_taken i L r L' ∧ M' = conservation_items L' ∧
    (L' = L ∨ ∃ k, L' = delete k L).
Proof.
  intros [[-> ->]|(l & v & -> & Hi & HM)].
  { exists L. split; first by left. by eauto. }
  assert ((l, v) ∈ conservation_items L) as [k Hk]%conservation_items_elem.
  { rewrite HM. apply gmultiset_elem_of_disj_union. right. by apply gmultiset_elem_of_singleton. }
  exists (delete k L). split; first by (right; exists k, l, v). split; last by eauto.
  rewrite (conservation_items_delete _ _ _ Hk) in HM.
  by apply (inj (.⊎ {[+ (l, v) +]})) in HM.
Qed.

Section conservation.
  Context `{!heapGS Σ, !hub_spec Σ, !hub_conserving Σ, !conservationG Σ}.
  Implicit Types (γ : conservation_names hub_name) (L : gmap nat hub_item).
  Implicit Types (o : hub_ops) (w : val) (n i j m k : nat) (l : loc) (x : hub_item).

  Local Lemma conservation_inner_take γ n L L' P K :
    (∀ k x, L' !! k = Some x → ∃ s, P !! k = Some (x, s)) →
    (∀ i, is_Some (K !! i) ↔ i < n) → (L = L' ∨ ∃ k, L = delete k L') →
    ghost_var γ.(cn_live) (1/2) L -∗ ghost_map_auth γ.(cn_published) 1 P -∗
    ghost_map_auth γ.(cn_looks) 1 K -∗
    □ (∀ i m, ⌜K !! i = Some m⌝ -∗ conservation_made γ i m) -∗
    conservation_all_known γ L' P K -∗ ▷ conservation_inner γ n.
  Proof.
    iIntros (HLP HKn Hsub) "HL HP HK #Hmade #Hknown". iNext. iExists L, P, K.
    iFrame "HL HP HK Hmade". iSplit; last (iSplit; first done).
    - iPureIntro. intros k x Hk. apply HLP. destruct Hsub as [->|[k' ->]]; first done.
      by apply lookup_delete_Some in Hk as [_ ?].
    - destruct Hsub as [->|[k' ->]]; first done. by iApply conservation_known_take.
  Qed.

  Lemma conservation_take_spec (e : expr) T γ o w n i :
    conservation_inv γ o w n -∗
    <<{ ∀∀ M, hub_model γ.(cn_hub) M }>>
      e @ ↑hub_allN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ hub_model γ.(cn_hub) M' | RET r; T }>> -∗
    <<{ ∀∀ L, conservation_model γ L }>>
      e @ ↑dromosN
    <<{ ∃∃ r L', ⌜conservation_taken i L r L'⌝ ∗ conservation_model γ L' | RET r; T }>>.
  Proof.
    iIntros "(#Ih & #Iw & %Hn & #I) He" (Φ) "AU". awp_apply "He".
    iInv "I" as (L P K) ">(HL & HP & HK & %HLP & %HKn & #Hmade & #Hknown)".
    iApply (aacc_aupd_commit with "AU"); first solve_ndisj.
    iIntros (L') "[HM HL']". iDestruct (ghost_var_agree with "HL HL'") as %->.
    iAaccIntro with "HM".
    { iIntros "HM !>". iSplitL "HM HL'"; first by iFrame. iIntros "$ !>".
      iNext. iExists L', P, K. by iFrame "∗#". }
    iIntros (r M') "[%Hr HM]".
    destruct (conservation_taken_hub _ _ _ _ Hr) as (L & HL & -> & Hsub).
    iMod (ghost_var_update_halves L with "HL HL'") as "[HL HL']".
    iModIntro. iExists r, L. iSplitL "HM HL'"; first by iFrame.
    iIntros "$ !>". by iApply (conservation_inner_take with "HL HP HK Hmade Hknown").
  Qed.

  (** Claim: [pop i] takes a published task that worker [i] may run, at one instant, or
      nothing. *)
  Lemma conservation_pop_spec γ o w n i : i < n →
    conservation_inv γ o w n -∗ hub_owner γ.(cn_hub) i true -∗
    <<{ ∀∀ L, conservation_model γ L }>>
      h_pop o #i @ ↑dromosN
    <<{ ∃∃ r L', ⌜conservation_taken i L r L'⌝ ∗ conservation_model γ L'
      | RET r; hub_owner γ.(cn_hub) i true }>>.
  Proof.
    iIntros (Hi) "#I Hown". iPoseProof "I" as "(Ih & _)".
    iApply (conservation_take_spec with "I"). by iApply hub_pop_spec.
  Qed.

  (** Claim: [steal i], without an announced sleep, takes a published task that worker
      [i] may run, at one instant, or nothing. *)
  Lemma conservation_steal_spec γ o w n i : i < n →
    conservation_inv γ o w n -∗ hub_owner γ.(cn_hub) i true -∗
    <<{ ∀∀ L, conservation_model γ L }>>
      h_steal o #i @ ↑dromosN
    <<{ ∃∃ r L', ⌜conservation_taken i L r L'⌝ ∗ conservation_model γ L'
      | RET r; hub_owner γ.(cn_hub) i true }>>.
  Proof.
    iIntros (Hi) "#I Hown". iPoseProof "I" as "(Ih & _)".
    iApply (conservation_take_spec with "I"). by iApply hub_steal_spec.
  Qed.

  (** Claim: A worker that has announced its sleep calls [steal]. If [steal] finds
      nothing, the worker has looked in the announcement. *)
  Lemma conservation_look_spec γ o w n i m0 m : i < n →
    conservation_inv γ o w n -∗ hub_owner γ.(cn_hub) i true -∗
    conservation_made γ i m -∗ conservation_looked γ i m0 -∗
    <<{ ∀∀ L, conservation_model γ L }>>
      h_steal o #i @ ↑dromosN
    <<{ ∃∃ r L', ⌜conservation_taken i L r L'⌝ ∗ conservation_model γ L'
      | RET r; hub_owner γ.(cn_hub) i true ∗
               ∃ m', conservation_looked γ i m' ∗ ⌜r = NONEV → m' = m⌝ }>>.
  Proof using Type*.
    iIntros (Hi) "(#Ih & #Iw & %Hn & #I) Hown #Hm Hlooked %Φ AU".
    iApply (hub_steal_looks_spec with "Ih Hown"); first done. rewrite /hub_look_au. iAuIntro.
    iInv "I" as (L P K) ">(HL & HP & HK & %HLP & %HKn & #Hmade & #Hknown)".
    iApply (aacc_aupd with "AU"); first solve_ndisj.
    iIntros (L') "[HM HL']". iDestruct (ghost_var_agree with "HL HL'") as %->.
    iAaccIntro with "HM".
    { iIntros "HM !>". iSplitL "HM HL'"; first by iFrame. iIntros "$ !>". iFrame "Hlooked".
      iNext. iExists L', P, K. by iFrame "∗#". }
    iIntros ([] r M') "[%Hr HM]".
    - (* The steal looks. *)
      destruct Hr as [Hforeign ->].
      iMod (ghost_map_update m with "HK Hlooked") as "[HK Hlooked]".
      iModIntro. iLeft. iSplitL "HM HL'"; first by iFrame. iIntros "AU !>".
      iSplitL "HL HP HK".
      { iNext. iExists L', P, _. iFrame "HL HP HK". iSplit; first done. iSplit.
        { iPureIntro. intros j. destruct (decide (j = i)) as [->|].
          - rewrite lookup_insert. split; by eauto.
          - by rewrite lookup_insert_ne. }
        iSplit; last by iApply conservation_known_look.
        iIntros "!>" (j mj [[<- <-]|[_ Hj]]%lookup_insert_Some); first done. by iApply "Hmade". }
      rewrite /hub_steal_au. iAuIntro.
      iInv "I" as (L2 P2 K2) ">(HL & HP & HK & %HLP2 & %HKn2 & #Hmade' & #Hknown')".
      iApply (aacc_aupd_commit with "AU"); first solve_ndisj.
      iIntros (L2') "[HM HL']". iDestruct (ghost_var_agree with "HL HL'") as %->.
      iAaccIntro with "HM".
      { iIntros "HM !>". iSplitL "HM HL'"; first by iFrame. iIntros "$ !>".
        iFrame "Hlooked". iNext. iExists L2', P2, K2. by iFrame "∗#". }
      iIntros (r2 M2) "[%Hr HM]".
      destruct (conservation_taken_hub _ _ _ _ Hr) as (L3 & HL3 & -> & Hsub).
      iMod (ghost_var_update_halves L3 with "HL HL'") as "[HL HL']".
      iModIntro. iExists r2, L3. iSplitL "HM HL'"; first by iFrame.
      iIntros "HΦ !>". iSplitR "HΦ Hlooked".
      { iApply (conservation_inner_take with "HL HP HK Hmade' Hknown'"); done. }
      iIntros "Hown". iApply "HΦ". iFrame "Hown". iExists m. by iFrame "Hlooked".
    - (* The steal takes a task. *)
      destruct Hr as [Hr Hne].
      destruct (conservation_taken_hub _ _ _ _ Hr) as (L & HL & -> & Hsub).
      iMod (ghost_var_update_halves L with "HL HL'") as "[HL HL']".
      iModIntro. iRight. iExists r, L. iSplitL "HM HL'"; first by iFrame.
      iIntros "HΦ !>". iSplitR "HΦ Hlooked".
      { iApply (conservation_inner_take with "HL HP HK Hmade Hknown"); done. }
      iIntros "Hown". iApply "HΦ". iFrame "Hown". iExists m0. by iFrame "Hlooked".
  Qed.

  (** Claim: A worker that may sleep, as in the pool, announces its sleep and looks once
      more. If [steal] finds nothing, the worker has looked in the announcement. *)
  Lemma conservation_rest_spec γ o w n i m0 m : i < n →
    conservation_inv γ o w n -∗ hub_owner γ.(cn_hub) i true -∗
    waiters_awake γ.(cn_waiters) i m -∗ conservation_looked γ i m0 -∗
    <<{ ∀∀ L, conservation_model γ L }>>
      base_waiters_prepare w #i ;; h_steal o #i @ ↑dromosN
    <<{ ∃∃ r L', ⌜conservation_taken i L r L'⌝ ∗ conservation_model γ L'
      | RET r; hub_owner γ.(cn_hub) i true ∗ waiters_announced γ.(cn_waiters) i (S m) ∗
               ∃ m', conservation_looked γ i m' ∗ ⌜r = NONEV → m' = S m⌝ }>>.
  Proof using Type*.
    iIntros (Hi) "#I Hown Hawake Hlooked %Φ AU". iPoseProof "I" as "(_ & Iw & _)".
    wp_apply (waiters_prepare_spec with "[$Iw $Hawake]"). iIntros "[Hannounced #Hm]". wp_pures.
    awp_apply (conservation_look_spec with "I Hown Hm Hlooked") without "Hannounced";
      first done.
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (L) "HL". iAaccIntro with "HL"; first by eauto with iFrame.
    iIntros (r L') "[%Hr HL] !>". iExists r, L'. iFrame "HL". iSplit; first done.
    iIntros "HΦ !> [Hown Hlooked] Hannounced". iApply "HΦ". iFrame.
  Qed.
End conservation.
