(** Vertices: facts while the graph runs, and facts when the pool has finished.

    While the graph runs: the predecessors of an execution that has begun are over, and
    the postcondition of a vertex that is over holds.

    When the pool has finished, no released vertex is forgotten ([vertex_finished]): a
    vertex is done if it was released and all its predecessors are done. The holder of
    the whole right to add predecessors ([vertex_edges γ 1 D]) knows all predecessors.
    So in a graph without cycles whose vertices were all released, all vertices have run
    ([vertex_graph_finished]). The only vertices that never run are those that were not
    released, or that wait for such a vertex or for themselves.

    The argument is in the invariant. A vertex is brought on by a token that waits for a
    predecessor, which hands the token in before the predecessor is done; or by the key
    of the vertex's execution, and a pool that has finished has no keys. *)
From iris.algebra Require Import auth gset.
From iris.base_logic.lib Require Import invariants ghost_map ghost_var mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool_basics.
From dromos.pool Require Export vertex_state.
From dromos.pool Require Import pool_code vertex_code.

Local Existing Instances pool_unitG.
Local Existing Instances vertex_tokenG vertex_modelG vertex_keyG vertex_iterG vertex_predG
  vertex_edgeG vertex_shareG.

Section finished.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !vertexG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (γ γa : vertex_name) (g : vertex_id) (v : val) (n : nat).
  Implicit Types (K : gmap nat vertex_token) (D : gset (nat * vertex_id)).
  Local Notation vertex_inv := (vertex_inv γp t).
  Local Notation vertex_main_inv := (vertex_main_inv γp t).

  (** ** While it runs *)

  (** Claim: When an execution of a vertex has begun, all its predecessors are over. *)
  Lemma vertex_ready_pred γ v n γa E :
    ↑vertexN ⊆ E →
    vertex_main_inv γ v -∗ vertex_pred γ n γa -∗ vertex_ready γ n ={E}=∗ vertex_over γa.
  Proof.
    iIntros (HE) "(_ & _ & _ & _ & _ & #Hmain) #Hpred #Hready".
    iInv "Hmain" as (K) "[>Hw (%m & %D & %b & >Hfacts & Hstage)]".
    iDestruct "Hfacts" as "(HK & Hn & HD & HE & #Hpreds & Hrest)".
    iDestruct (mono_nat_lb_own_valid with "Hn Hready") as %[_ Hle].
    iDestruct (preds_lookup with "HD Hpred") as %Hin.
    iDestruct (big_sepS_elem_of with "Hpreds") as "[#Hover|[%Hn _]]"; first done; last first.
    { simpl in Hn. destruct b; lia. }
    iModIntro. iSplitL; last by iFrame "Hover".
    iNext. iExists K. iFrame "Hw". iExists m, D, b. by iFrame "HK Hn HD HE Hpreds Hrest Hstage".
  Qed.
  (** Claim: The postcondition of a vertex that is over holds, for all threads. *)
  Lemma vertex_over_ensures γ v P Q E :
    ↑vertexN ⊆ E →
    vertex_inv γ v P Q -∗ vertex_over γ ={E}=∗ ▷ □ Q.
  Proof.
    iIntros (HE) "[_ #Hlist] #Hover".
    iInv "Hlist" as (s) "[>Hs [(>%Heq & _ & #HQ & HP)|[>Hpend _]]]"; last first.
    { iDestruct (over_pending with "Hover Hpend") as %[]. }
    iModIntro. iSplitL; last done. iNext. iExists s. iFrame "Hs". iLeft.
    by iFrame "Hover HQ HP".
  Qed.
  (** Claim: A vertex that is over gives its exclusive postcondition, once. *)
  Lemma vertex_over_gives γ v P Q E :
    ↑vertexN ⊆ E →
    vertex_inv γ v P Q -∗ vertex_over γ -∗ vertex_consumer γ ={E}=∗ ▷ P.
  Proof.
    iIntros (HE) "[_ #Hlist] #Hover Hc".
    iInv "Hlist" as (s) "[>Hs [(>%Heq & _ & #HQ & HP)|[>Hpend _]]]"; last first.
    { iDestruct (over_pending with "Hover Hpend") as %[]. }
    iDestruct "HP" as "[HP|>Hc']"; last first.
    { by iDestruct (ghost_var_valid_2 with "Hc Hc'") as %[? _]. }
    iModIntro. iSplitR "HP"; last done. iNext. iExists s. iFrame "Hs". iLeft.
    by iFrame "Hover HQ Hc".
  Qed.

  (** ** When the pool has finished *)

  Definition all_done D : iProp Σ := [∗ set] p ∈ D, done_at p.2.

  Lemma finished_no_key k E :
    ↑poolN ⊆ E → pool_finished γp -∗ key_half γp k ={E}=∗ False.
  Proof.
    iIntros (HE) "#Hf Hk". iInv "Hf" as ">Ha".
    by iDestruct (ghost_map_lookup with "Ha Hk") as %?.
  Qed.
  (** If all predecessors are done, there are no tokens except token 0. *)
  Lemma tokens_all_done γ n K D b :
    K !! 0 = None →
    vertex_facts γ K n D b -∗ all_done D -∗ ⌜K = ∅⌝.
  Proof.
    iIntros (H0) "(HK & _ & HD & _ & _ & _ & Htoks) #Hdone".
    destruct (map_choose_or_empty K) as [(k & x & Hk)|Hnone]; last by iPureIntro.
    iDestruct (big_sepM_lookup with "Htoks") as "Hx"; first exact Hk. iExFalso.
    destruct x as [|g [g'|]|g]; simpl.
    - iDestruct "Hx" as %->. by simplify_eq.
    - iDestruct "Hx" as "(_ & Hpend & Hpred)".
      iDestruct (preds_lookup with "HD Hpred") as %Hin.
      iDestruct (big_sepS_elem_of with "Hdone") as "[Hover _]"; first done.
      iApply (over_pending with "Hover Hpend").
    - iDestruct "Hx" as "(_ & Hown & _)".
      iDestruct (ghost_map_lookup with "HK Hown") as %?. by simplify_eq.
    - iDestruct "Hx" as "[Hshare Hpred]".
      iDestruct (preds_lookup with "HD Hpred") as %Hin.
      iDestruct (big_sepS_elem_of with "Hdone") as "Hg"; first done.
      iApply (share_done with "Hshare Hg").
  Qed.

  (** Claim: When the pool has finished, a vertex that was released and whose
      predecessors are done has run to its end, and has told its successors. *)
  Theorem vertex_finished γ v P Q D :
    pool_finished γp -∗ vertex_inv γ v P Q -∗ vertex_released γ -∗
    vertex_edges γ 1 D -∗ all_done D ={⊤}=∗
    vertex_done γ ∗ vertex_edges γ 1 D.
  Proof.
    iIntros "#Hf [(_ & _ & _ & _ & _ & #Hmain) _] #Hreleased Hedges #Hdone".
    iInv "Hmain" as (K) "[>Hw (%n & %D' & %b & >Hfacts & Hstage)]".
    iAssert ⌜D' = D⌝%I as %->.
    { iDestruct "Hfacts" as "(_ & _ & _ & HE & _)". iApply (edges_all with "HE Hedges"). }
    iAssert ⌜b = true → n ≠ 0⌝%I as %Hn.
    { iDestruct "Hfacts" as "(_ & Hn & _)".
      iDestruct (mono_nat_lb_own_valid with "Hn Hreleased") as %[_ Hle]. iPureIntro.
      intros ->. lia. }
    destruct b.
    - destruct n as [|n]; first by destruct Hn.
      iDestruct "Hstage" as "[>%H0 [>(%k & _ & Hk)|[>#Hd >Hno]]]".
      { iMod (finished_no_key with "Hf Hk") as %[]. solve_ndisj. }
      iModIntro. iSplitR "Hedges"; last by iFrame "Hd Hedges".
      iNext. iExists K. iFrame "Hw". iExists (S n), D, true. iFrame "Hfacts".
      iSplit; first done. iRight. by iFrame "Hd Hno".
    - iDestruct "Hstage" as "[>%H0 [[_ >(%k & _ & Hk)]|[>%Hne _]]]".
      { iMod (finished_no_key with "Hf Hk") as %[]. solve_ndisj. }
      by iDestruct (tokens_all_done with "Hfacts Hdone") as %?.
  Qed.

  (** A vertex of a graph, with its predecessors. *)
  Definition in_graph (x : vertex_name * gset (nat * vertex_id)) : iProp Σ :=
    (∃ v P Q, vertex_inv x.1 v P Q) ∗ vertex_released x.1 ∗ vertex_edges x.1 1 x.2.
  (** Predecessors have smaller numbers: there is no cycle. *)
  Definition in_order (xs : list (vertex_name * gset (nat * vertex_id))) : Prop :=
    ∀ ys x zs, xs = ys ++ x :: zs → ∀ p, p ∈ x.2 → ∃ y, y ∈ ys ∧ p.2 = vx_id y.1.

  (** Claim: When the pool has finished, all vertices of a graph without cycles have run,
      if all were released: by [vertex_over_ensures] the postcondition of each holds. *)
  Theorem vertex_graph_finished xs :
    in_order xs →
    pool_finished γp -∗ ([∗ list] x ∈ xs, in_graph x) ={⊤}=∗
    [∗ list] x ∈ xs, vertex_over x.1.
  Proof.
    iIntros (Hxs) "#Hf Hg".
    iAssert (|={⊤}=> [∗ list] x ∈ xs, vertex_done x.1)%I with "[Hg]" as ">#Hdone".
    { iInduction xs as [|x xs] "IH" using rev_ind; first done.
      iDestruct (big_sepL_snoc with "Hg") as "[Hg ((%v & %P & %Q & #Hx) & #Hr & He)]".
      iMod ("IH" with "[%] Hg") as "#Hdone".
      { intros ys y zs -> p Hp. apply (Hxs ys y (zs ++ [x])); last done.
        by rewrite -app_assoc. }
      iMod (vertex_finished with "Hf Hx Hr He []") as "[#Hd _]".
      { iApply big_sepS_intro. iIntros "!>" (p Hp).
        destruct (Hxs xs x [] eq_refl p Hp) as (y & Hy & ->).
        iDestruct (big_sepL_elem_of with "Hdone") as "$"; first done. }
      iModIntro. rewrite big_sepL_snoc. by iFrame "Hdone Hd". }
    iModIntro. iApply (big_sepL_impl with "Hdone"). iIntros "!>" (k x _).
    iApply vertex_done_over.
  Qed.
End finished.
