(** Vertices (lib/kernel/pool/vertex.ml): edges.

    A caller of [precede] must keep the second vertex from starting: the caller holds the
    vertex's model, or is the task of a vertex that precedes it. [precede] needs a part
    of the right to add predecessors ([vertex_edges]), and notes there the vertex that it
    has added.

    [precede] counts the first vertex before the first vertex can know of the second.
    In between the new token is [Adding], and the caller's hold on the second vertex is
    lent to the invariant. The hold comes back when the token is in the list of
    successors, or is taken back because the first vertex is over. *)
From iris.algebra Require Import auth gset.
From iris.base_logic.lib Require Import invariants ghost_map ghost_var mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool_basics.
From dromos.pool Require Export pool vertex_state vertex_tokens.
From dromos.pool Require Import pool_code vertex_code.

Section precede.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !vertexG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (γ γa γb γc : vertex_name) (k n : nat) (v : val).
  Implicit Types (g : vertex_id) (κ : option vertex_id).
  Implicit Types (K : gmap nat vertex_token) (D : gset (nat * vertex_id)).
  Local Notation vertex_inv := (vertex_inv γp t).
  Local Notation vertex_main_inv := (vertex_main_inv γp t).
  Local Notation vertex_state := (vertex_state γp t).

  (** One token less. *)
  Lemma size_delete_eq K k :
    is_Some (K !! k) → Z.of_nat (size K) = (Z.of_nat (size (delete k K)) + 1)%Z.
  Proof.
    intros [x Hk]. rewrite map_size_delete_Some //.
    assert (size K ≠ 0) by (intros ->%map_size_empty_inv; simplify_map_eq). lia.
  Qed.
  Lemma main_less γ K k :
    is_Some (K !! k) → vx_waits γ ↦ #(size K + -1) -∗ vertex_state γ (delete k K) -∗
    vertex_main γp t γ.
  Proof.
    iIntros (Hk) "Hw Hst". iExists (delete k K). iFrame "Hst".
    replace (Z.of_nat (size (delete k K))) with (size K + -1)%Z; first done.
    rewrite (size_delete_eq K k Hk). lia.
  Qed.

  (** The first vertex has noted the second, whose token waits now; or the first vertex is
    over. *)
  Local Lemma vertex_add_successor_spec γa a Pa Qa (b : val) γb k κ :
    {{{ vertex_inv γa a Pa Qa ∗ vertex_main_inv γb b ∗ token γb k (Adding (vx_id γa) κ) }}}
      pool_vertex_add_successor a b
    {{{ (added : bool), RET #added;
        if added then deposit γb κ
        else vertex_over γa ∗ token γb k (Adding (vx_id γa) κ) }}}.
  Proof.
    iIntros (Φ) "(#[(-> & _ & _ & #Hsucc & _) Hlist] & #Hb & Htok) HΦ". iLöb as "IH".
    iPoseProof "Hb" as "(_ & _ & _ & _ & _ & #Hmain)".
    wp_rec. wp_pures. wp_load. wp_bind (! _)%E.
    iInv "Hlist" as (s) "[>Hs [(>-> & >#Hover & HQ & HP)|[>Hpend (%ws & Hws & Hshares)]]]".
    { wp_load. iModIntro. iSplitR "Htok HΦ".
      { iNext. iExists _. iFrame "Hs". iLeft. by iFrame "Hover HQ HP". }
      wp_pures. iModIntro. iApply "HΦ". by iFrame "Hover Htok". }
    wp_load.
    iAssert (⌜s = InjLV #1 ∨ ∃ l : loc, s = InjRV #l⌝)%I as %Hs.
    { destruct ws; simpl; first by iDestruct "Hws" as %->; eauto.
      iDestruct "Hws" as (l rest) "[-> _]". eauto. }
    iModIntro. iSplitL "Hs Hpend Hws Hshares".
    { iNext. iExists _. iFrame "Hs". iRight. iFrame "Hpend". iExists ws. iFrame. }
    iAssert (∀ (l : loc), (l +ₗ 0) ↦na b -∗ (l +ₗ 1) ↦ s -∗
      token γb k (Adding (vx_id γa) κ) -∗
      ▷ (∀ (added : bool),
        (if added then deposit γb κ
         else vertex_over γa ∗ token γb k (Adding (vx_id γa) κ)) -∗ Φ #added) -∗
      WP if: CAS #(vx_list γa) s (InjRV #l) then #true
         else pool_vertex_add_successor #(vx_loc γa) b {{ Φ }})%I as "Hcas".
    { iIntros (l) "Hl0 Hl1 Htok HΦ". wp_bind (CmpXchg _ _ _).
      iInv "Hlist" as (s') "[>Hs Hcase]".
      destruct (decide (s' = s)) as [->|Hne].
      - iInv "Hmain" as (K) "[>Hw Hst]".
        wp_cmpxchg_suc. { destruct Hs as [->|[l' ->]]; left; done. }
        iDestruct "Hcase" as "[(% & _)|[Hpend (%ws' & Hws & Hshares)]]".
        { destruct Hs as [->|[l' ->]]; simplify_eq. }
        iMod (share_new with "Hshares") as "[Hshares Hshare]".
        iMod (state_land with "Hst Htok Hshare") as "([%x %Hk] & Hst & Htok & Hdep)".
        iModIntro. iSplitL "Hw Hst".
        { iNext. iExists _. iFrame "Hst". by erewrite map_size_insert_Some. }
        iModIntro. iSplitR "HΦ Hdep".
        { iNext. iExists _. iFrame "Hs". iRight. iFrame "Hpend". iExists (b :: ws').
          iFrame "Hshares". iExists l, s. iFrame "Hl0 Hl1 Hws". iSplit; first done.
          iExists γb, k. by iFrame "Hb Htok". }
        wp_pures. iModIntro. by iApply ("HΦ" $! true).
      - wp_cmpxchg_fail. { destruct Hs as [->|[l' ->]]; right; done. }
        iModIntro. iSplitL "Hs Hcase"; first by iNext; iExists s'; iFrame.
        wp_pures. iApply ("IH" with "Htok HΦ"). }
    destruct Hs as [->|[l' ->]]; wp_pures.
    - wp_apply block2_spec; first done. iIntros (l) "(Hl0 & Hl1 & _)". wp_pures. wp_load.
      wp_pures. iApply ("Hcas" with "Hl0 Hl1 Htok HΦ").
    - wp_apply block2_spec; first done. iIntros (l) "(Hl0 & Hl1 & _)". wp_pures. wp_load.
      wp_pures. iApply ("Hcas" with "Hl0 Hl1 Htok HΦ").
  Qed.

  Local Lemma vertex_precede_keeper_spec γa a Pa Qa γb (b : val) Pb Qb n κ q D :
    {{{ vertex_inv γa a Pa Qa ∗ vertex_inv γb b Pb Qb ∗ vertex_keeper γb n κ ∗
        vertex_edges γb q D }}}
      pool_vertex_precede a b
    {{{ RET #(); vertex_keeper γb n κ ∗ vertex_pred γb n γa ∗
        vertex_edges γb q ({[(n, vx_id γa)]} ∪ D) }}}.
  Proof.
    iIntros (Φ) "(#Ha & #[Hb _] & Hκ & Hedges) HΦ".
    iPoseProof "Hb" as "(-> & _ & #Hwaits & _ & _ & #Hmain)".
    wp_rec. wp_pures. wp_load. wp_bind (FAA _ _). iInv "Hmain" as (K) "[>Hw Hst]". wp_faa.
    iMod (state_add _ _ _ _ _ _ (vx_id γa) with "Hst Hκ Hedges")
      as (k) "(%Hk & Hst & Htok & #Hpred & Hkeeps & Hedges)".
    iModIntro. iSplitL "Hw Hst".
    { iNext. iExists _. iFrame "Hst". rewrite map_size_insert_None //.
      by replace (Z.of_nat (S (size K))) with (size K + 1)%Z by lia. }
    wp_pures. wp_apply (vertex_add_successor_spec with "[$Ha $Hb $Htok]").
    iIntros (added) "Hadded". destruct added; wp_pures.
    { iModIntro. iApply "HΦ". by iFrame "Hadded Hkeeps Hpred Hedges". }
    iDestruct "Hadded" as "[#Hover Htok]". wp_load. wp_bind (FAA _ _). clear K Hk.
    iInv "Hmain" as (K) "[>Hw Hst]". wp_faa.
    iMod (state_remove_adding with "Hst Htok Hover") as "(%Hk & Hst & Hdep)".
    iModIntro. iSplitL "Hw Hst"; first by iNext; iApply (main_less with "Hw Hst").
    wp_pures. iModIntro. iApply "HΦ". by iFrame "Hdep Hkeeps Hpred Hedges".
  Qed.

  (** Claim: After [precede], the second vertex, whose model the caller has, does not
      run before the first vertex is over. *)
  Lemma vertex_precede_spec γa a Pa Qa γb (b : val) Pb Qb n task (again : bool) q D :
    {{{ vertex_inv γa a Pa Qa ∗ vertex_inv γb b Pb Qb ∗ vertex_model γb n task again ∗
        vertex_edges γb q D }}}
      pool_vertex_precede a b
    {{{ RET #(); vertex_model γb n task again ∗ vertex_pred γb n γa ∗
        vertex_edges γb q ({[(n, vx_id γa)]} ∪ D) }}}.
  Proof.
    iIntros (Φ) "(#Ha & #Hb & (Htask & Hagain & Hblock & Hpend & Htok & Hhalf) & Hedges) HΦ".
    wp_apply (vertex_precede_keeper_spec _ _ _ _ _ _ _ _ _ None
      with "[Htok Hhalf Hedges]").
    { iFrame "Ha Hb Hedges". rewrite /vertex_keeper /=. iFrame. }
    iIntros "([Htok Hhalf] & #Hpred & Hedges)". iApply "HΦ". by iFrame "∗ #".
  Qed.
  (** Claim: The caller of [precede] may also be the task of a vertex that precedes
      the second vertex. Then the second vertex may be released already, and does not
      run before the first vertex is over. *)
  Lemma vertex_precede_spec_running γa a Pa Qa γb (b : val) Pb Qb n γc m task (again : bool) q D :
    {{{ vertex_inv γa a Pa Qa ∗ vertex_inv γb b Pb Qb ∗
        vertex_model γc m task again ∗ vertex_pred γb n γc ∗ vertex_edges γb q D }}}
      pool_vertex_precede a b
    {{{ RET #(); vertex_model γc m task again ∗ vertex_pred γb n γa ∗
        vertex_edges γb q ({[(n, vx_id γa)]} ∪ D) }}}.
  Proof.
    iIntros (Φ) "(#Ha & #Hb & (Htask & Hagain & Hblock & Hpend & Htok & Hhalf) & #Hpred & Hedges) HΦ".
    wp_apply (vertex_precede_keeper_spec _ _ _ _ _ _ _ _ _ (Some (vx_id γc))
      with "[Hpend Hedges]").
    { iFrame "Ha Hb Hedges". rewrite /vertex_keeper /=. by iFrame "Hpend Hpred". }
    iIntros "([Hpend _] & #Hpred' & Hedges)". iApply "HΦ". by iFrame "∗ #".
  Qed.
End precede.
