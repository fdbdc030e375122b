(** Vertices: the changes of a vertex's state when a predecessor is added, when a
    predecessor hands in its token, when the vertex is released, when the vertex starts,
    and when the vertex is done. The state itself is in [vertex_state.v]. *)
From iris.algebra Require Import auth gset.
From iris.base_logic.lib Require Import invariants ghost_map ghost_var mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool_basics.
From dromos.pool Require Export vertex_state.
From dromos.pool Require Import pool_code vertex_code.

Local Existing Instances vertex_tokenG vertex_modelG vertex_keyG vertex_iterG vertex_predG
  vertex_edgeG vertex_shareG.

Section tokens.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !vertexG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (γ γa : vertex_name) (g : vertex_id) (κ : option vertex_id).
  Implicit Types (k n m : nat) (b : bool) (v ctx task : val) (x : vertex_token).
  Implicit Types (K : gmap nat vertex_token) (D : gset (nat * vertex_id)).
  Local Notation vertex_state := (vertex_state γp t).
  Local Notation vertex_stage := (vertex_stage γp t).
  Local Notation vertex_body := (vertex_body γp t).
  Local Notation vertex_run_ok := (vertex_run_ok γp t).

  (** A thread that keeps the vertex from starting knows the number of the next
    execution. *)
  Definition keeps γ n κ : iProp Σ :=
    match κ with None => vertex_half γ n true | Some g => pred_at γ n g end.
  Definition vertex_keeper γ n κ : iProp Σ := deposit γ κ ∗ keeps γ n κ.

  Lemma preds_ok_mono n K K' D (p : vertex_id → Prop) :
    (∀ g, has_token K g → has_token K' g ∨ p g) →
    □ (∀ g, ⌜p g⌝ -∗ over_at g) -∗ preds_ok n K D -∗ preds_ok n K' D.
  Proof.
    iIntros (HK) "#Hover #H". iApply (big_sepS_impl with "H").
    iIntros "!>" (q Hq) "[$|(%Hn & %Htok)]".
    destruct (HK _ Htok); [by iRight|by iLeft; iApply "Hover"].
  Qed.

  (** A predecessor that is not over has a token, for the next execution. *)
  Lemma preds_pending γ n K D n' g :
    own (vx_preds γ) (● D) -∗ preds_ok n K D -∗ pending_at g -∗ pred_at γ n' g -∗
    ⌜n = n' ∧ has_token K g⌝.
  Proof.
    iIntros "HD #Hpreds Hpend Hpred". iDestruct (preds_lookup with "HD Hpred") as %Hin.
    iDestruct (big_sepS_elem_of with "Hpreds") as "[Hover|[%Hn %Htok]]"; first done; simpl in *.
    - by iDestruct (over_pending with "Hover Hpend") as %[].
    - iPureIntro. by subst.
  Qed.
  Lemma facts_keeper γ K n' D b n κ :
    vertex_facts γ K n' D b -∗ vertex_keeper γ n κ -∗
    ⌜n' = n ∧ match κ with None => K !! 0 = Some Own | Some g => has_token K g end⌝.
  Proof.
    iIntros "(HK & _ & HD & _ & Hpreds & Hhalf & _) [Hdep Hkeeps]". destruct κ as [g|]; simpl.
    - iApply (preds_pending with "HD Hpreds Hdep Hkeeps").
    - iDestruct (ghost_map_lookup with "HK Hdep") as %H0.
      by iDestruct (half_agree with "Hhalf Hkeeps") as %[-> _].
  Qed.

  (** The stage stays valid if the map changes at keys other than 0 and does not become
    empty. *)
  Lemma stage_map γ n b K K' :
    K ≠ ∅ → K' ≠ ∅ → K' !! 0 = K !! 0 → vertex_stage γ n b K -∗ vertex_stage γ n b K'.
  Proof.
    iIntros (HK HK' H0) "H". destruct b; simpl; rewrite H0; first done.
    iDestruct "H" as "[$ [[% _]|(_ & H)]]"; first done. iRight. by iFrame "H".
  Qed.

  (** A predecessor is being added; the caller lends its hold on the vertex. *)
  Lemma state_add γ K n κ g q D' :
    vertex_state γ K -∗ vertex_keeper γ n κ -∗ vertex_edges γ q D' ==∗
    ∃ k, ⌜K !! k = None⌝ ∗ vertex_state γ (<[k := Adding g κ]> K) ∗ token γ k (Adding g κ) ∗
      pred_at γ n g ∗ keeps γ n κ ∗ vertex_edges γ q ({[(n, g)]} ∪ D').
  Proof.
    iIntros "(%n' & %D & %b & Hfacts & Hstage) Hκ Hedges".
    iDestruct (facts_keeper with "Hfacts Hκ") as %[-> Hkept].
    iDestruct "Hfacts" as "(HK & Hn & HD & HE & #Hpreds & Hhalf & Htoks)".
    iDestruct "Hκ" as "[Hdep Hkeeps]".
    assert (K ≠ ∅) as Hne.
    { intros ->. destruct κ; [by destruct Hkept as (? & ? & ? & _)|done]. }
    pose (k := fresh ({[0]} ∪ dom K)).
    assert (k ∉ {[0]} ∪ dom K) as [Hk0 Hk]%not_elem_of_union by apply is_fresh.
    rewrite not_elem_of_singleton in Hk0. apply not_elem_of_dom in Hk.
    iMod (ghost_map_insert k (Adding g κ) with "HK") as "[HK Htok]"; first done.
    iMod (preds_add γ D n g with "HD") as "[HD #Hpred]".
    iMod (edges_add with "HE Hedges") as "[HE Hedges]".
    iAssert (keeps γ n κ ∗ match κ with None => True | Some g' => pred_at γ n g' end)%I
      with "[Hkeeps]" as "[Hkeeps Hkeep]".
    { destruct κ; simpl; last by iFrame. by iDestruct "Hkeeps" as "#$". }
    iModIntro. iExists k. iSplit; first done. iFrame "Htok Hpred Hkeeps Hedges".
    iExists n, _, b. iFrame "HK Hn HD HE Hhalf".
    iSplitR "Hstage"; last first.
    { iApply (stage_map with "Hstage"); [done|by apply insert_non_empty|by apply lookup_insert_ne]. }
    iSplitR; last first.
    { rewrite /tokens_ok big_sepM_insert //. iFrame "Htoks Hdep Hkeep". iExact "Hpred". }
    iApply big_sepS_intro. iIntros "!>" (p Hp).
    apply elem_of_union in Hp as [->%elem_of_singleton|Hp].
    - iRight. iPureIntro. split; first done. exists k, (Adding g κ). by rewrite lookup_insert.
    - iDestruct (big_sepS_elem_of with "Hpreds") as "[$|(%Hpn & %k' & %x & %Hk' & %Hx)]"; first done.
      iRight. iPureIntro. split; first done. exists k', x.
      rewrite lookup_insert_ne //. by intros <-; simplify_eq.
  Qed.

  (** The predecessor knows of the vertex, and has given a share. *)
  Lemma state_land γ K k g κ :
    vertex_state γ K -∗ token γ k (Adding g κ) -∗ share_at g ==∗
    ⌜is_Some (K !! k)⌝ ∗ vertex_state γ (<[k := Waits g]> K) ∗ token γ k (Waits g) ∗
    deposit γ κ.
  Proof.
    iIntros "(%n & %D & %b & (HK & Hn & HD & HE & #Hpreds & Hhalf & Htoks) & Hstage) Htok Hshare".
    iDestruct (ghost_map_lookup with "HK Htok") as %Hk.
    iMod (ghost_map_update (Waits g) with "HK Htok") as "[HK $]".
    rewrite {1}/tokens_ok.
    iDestruct (big_sepM_insert_acc _ _ k (Adding g κ) with "Htoks") as "[Hk Htoks]"; first done.
    iDestruct "Hk" as "(#Hpred & $ & _)".
    iDestruct ("Htoks" $! (Waits g) with "[$Hshare $Hpred]") as "Htoks".
    iAssert ⌜k ≠ 0⌝%I as %Hk0.
    { iIntros (->). destruct b; iDestruct "Hstage" as "[%H0 _]"; simplify_eq. }
    iModIntro. iSplit; first by eauto. iExists n, D, b. iFrame "HK Hn HD HE Hhalf Htoks".
    iSplitR.
    - iApply (preds_ok_mono _ _ _ _ (λ _, False) with "[] Hpreds"); last by iIntros "!>" (? []).
      intros g' (k' & x & Hk' & Hx). left. destruct (decide (k' = k)) as [->|Hne].
      + exists k, (Waits g). rewrite lookup_insert. simplify_eq. by simpl in Hx.
      + exists k', x. by rewrite lookup_insert_ne.
    - iApply (stage_map with "Hstage"); [|by apply insert_non_empty|by apply lookup_insert_ne].
      by intros ->.
  Qed.

  Lemma has_token_delete K k x g :
    K !! k = Some x → has_token K g → has_token (delete k K) g ∨ token_of x = Some g.
  Proof.
    intros Hk (k' & x' & Hk' & Hx). destruct (decide (k' = k)) as [->|Hne].
    - right. by simplify_eq.
    - left. exists k', x'. by rewrite lookup_delete_ne.
  Qed.
  Lemma preds_ok_delete n K D k x :
    K !! k = Some x → match token_of x with Some g => over_at g | None => True end -∗
    preds_ok n K D -∗ preds_ok n (delete k K) D.
  Proof.
    iIntros (Hk) "#Hover". iApply (preds_ok_mono _ _ _ _ (λ g, token_of x = Some g)).
    - intros g Hg. by apply has_token_delete.
    - iIntros "!>" (g Hg). by rewrite Hg.
  Qed.

  (** The predecessor was over already: the token is taken back. *)
  Lemma state_remove_adding γ K k g κ :
    vertex_state γ K -∗ token γ k (Adding g κ) -∗ over_at g ==∗
    ⌜is_Some (K !! k)⌝ ∗ vertex_state γ (delete k K) ∗ deposit γ κ.
  Proof.
    iIntros "(%n & %D & %b & (HK & Hn & HD & HE & #Hpreds & Hhalf & Htoks) & Hstage) Htok #Hover".
    iDestruct (ghost_map_lookup with "HK Htok") as %Hk.
    rewrite {1}/tokens_ok big_sepM_delete //. iDestruct "Htoks" as "[(_ & Hdep & Hkeep) Htoks]".
    iAssert ⌜k ≠ 0⌝%I as %Hk0.
    { iIntros (->). destruct b; iDestruct "Hstage" as "[%H0 _]"; simplify_eq. }
    iAssert ⌜delete k K ≠ ∅⌝%I as %Hne.
    { destruct κ as [g'|]; simpl.
      - iDestruct (preds_pending with "HD Hpreds Hdep Hkeep") as %[_ Hg'].
        destruct (has_token_delete _ _ _ _ Hk Hg') as [(k' & x & Hk' & _)|[= ->]].
        + iPureIntro. intros Heq. by rewrite Heq in Hk'.
        + by iDestruct (over_pending with "Hover Hdep") as %[].
      - iDestruct (ghost_map_lookup with "HK Hdep") as %H0. iPureIntro. intros Heq.
        assert (delete k K !! 0 = Some Own) as H0' by by rewrite lookup_delete_ne.
        by rewrite Heq in H0'. }
    iMod (ghost_map_delete with "HK Htok") as "HK".
    iModIntro. iSplit; first by eauto. iFrame "Hdep". iExists n, D, b.
    iFrame "HK Hn HD HE Hhalf Htoks". iSplitR.
    - by iApply (preds_ok_delete _ _ _ _ (Adding g κ) with "[] Hpreds").
    - iApply (stage_map with "Hstage"); [by intros ->|done|by apply lookup_delete_ne].
  Qed.

  (** The result of handing in a token; for the last token, the vertex, and the duty to
      take a key of the pool for the vertex. *)
  Definition state_left γ K : iProp Σ :=
    ⌜K ≠ ∅⌝ ∗ vertex_state γ K ∨
    ⌜K = ∅⌝ ∗ ∃ n, vertex_body γ n ∗
      ∀ key, key_half γp key ==∗ vertex_state γ K ∗ vertex_key γ key.
  Lemma state_left_released γ K n D :
    K !! 0 = None →
    vertex_facts γ K n D false -∗ vertex_no_key γ -∗ vertex_body γ n -∗ state_left γ K.
  Proof.
    iIntros (H0) "Hfacts Hno Hbody". destruct (decide (K = ∅)) as [->|Hne]; last first.
    { iLeft. iSplit; first done. iExists n, D, false. iFrame "Hfacts". iSplit; first done.
      iRight. by iFrame "Hno Hbody". }
    iRight. iSplit; first done. iExists n. iFrame "Hbody". iIntros (key) "Hkey".
    iMod (key_split _ key with "Hno") as "[Hk $]". iModIntro. iExists n, D, false.
    iFrame "Hfacts". iSplit; first done. iLeft. iSplit; first done. iExists key. iFrame.
  Qed.

  (** A predecessor that is over hands in its token. *)
  Lemma state_remove γ K k g :
    vertex_state γ K -∗ token γ k (Waits g) -∗ over_at g ==∗
    ⌜is_Some (K !! k)⌝ ∗ share_at g ∗ state_left γ (delete k K).
  Proof.
    iIntros "(%n & %D & %b & (HK & Hn & HD & HE & #Hpreds & Hhalf & Htoks) & Hstage) Htok #Hover".
    iDestruct (ghost_map_lookup with "HK Htok") as %Hk.
    rewrite {1}/tokens_ok big_sepM_delete //. iDestruct "Htoks" as "[[$ _] Htoks]".
    iMod (ghost_map_delete with "HK Htok") as "HK".
    iModIntro. iSplit; first by eauto.
    iAssert (vertex_facts γ (delete k K) n D b) with "[HK Hn HD HE Hhalf Htoks]" as "Hfacts".
    { iFrame "HK Hn HD HE Hhalf Htoks".
      by iApply (preds_ok_delete _ _ _ _ (Waits g) with "[] Hpreds"). }
    destruct b; iDestruct "Hstage" as "[%H0 Hstage]".
    - assert (k ≠ 0) by (intros ->; simplify_eq).
      assert (delete k K !! 0 = Some Own) as H0' by by rewrite lookup_delete_ne.
      iLeft. iSplit; first by iPureIntro; intros Heq; rewrite Heq in H0'.
      iExists n, D, true. by iFrame "Hfacts Hstage".
    - iDestruct "Hstage" as "[[-> _]|(_ & Hno & Hbody)]"; first done.
      iApply (state_left_released with "Hfacts Hno Hbody").
      by apply lookup_delete_None; right.
  Qed.

  (** Token 0 is handed in: after the creation, or, after an execution has yielded, with
      the key of this execution, which the vertex gives up. *)
  Definition key_back n (X : iProp Σ) : iProp Σ :=
    match n with 0 => True | S _ => X end.
  Lemma state_release γ K n key :
    vertex_state γ K -∗ token γ 0 Own -∗ vertex_half γ n true -∗
    task_block (vx_work γ) -∗ vertex_run_ok γ n -∗ key_back n (vertex_key γ key) ==∗
    ⌜is_Some (K !! 0)⌝ ∗ vertex_released γ ∗ key_back n (key_half γp key) ∗
    state_left γ (delete 0 K).
  Proof.
    iIntros "(%m & %D & %b & (HK & Hn & HD & HE & #Hpreds & Hhalf & Htoks) & Hstage)".
    iIntros "Htok Hhalf' Hblock Hrun Hkey".
    iDestruct (ghost_map_lookup with "HK Htok") as %Hk.
    iDestruct (half_agree with "Hhalf Hhalf'") as %[-> ->].
    iMod (half_update _ _ _ _ _ n false with "Hhalf Hhalf'") as "[Hhalf Hhalf']".
    iMod (ghost_map_delete with "HK Htok") as "HK".
    iMod (mono_nat_own_update (2 * n + 1) with "Hn") as "[Hn Hlb]"; first lia.
    rewrite {1}/tokens_ok big_sepM_delete //. iDestruct "Htoks" as "[_ Htoks]".
    iDestruct "Hstage" as "[_ Hstage]".
    iAssert (vertex_no_key γ ∗ key_back n (key_half γp key))%I
      with "[Hstage Hkey]" as "[Hno Hkey]".
    { destruct n as [|n]; simpl.
      - by iFrame "Hstage".
      - iDestruct "Hstage" as "[(%key' & Hk1 & Hkey')|[_ Hno]]".
        + iDestruct (key_agree with "Hkey Hk1") as %->. iFrame "Hkey'".
          iApply (key_join with "Hkey Hk1").
        + by iDestruct (no_key_key with "Hno Hkey") as %[]. }
    iModIntro. iSplit; first by eauto. iFrame "Hkey".
    iSplitL "Hlb"; first by iApply (mono_nat_lb_own_le with "Hlb"); lia.
    iApply (state_left_released γ _ n D with "[HK Hn HD HE Hhalf Htoks] Hno [$Hblock $Hhalf' $Hrun]").
    { apply lookup_delete. }
    iFrame "HK Hn HD HE Hhalf Htoks".
    by iApply (preds_ok_delete _ _ _ _ Own with "[//] Hpreds").
  Qed.

  (** The vertex starts. *)
  Lemma state_start γ K n :
    vertex_state γ K -∗ vertex_half γ n false ==∗
    vertex_state γ {[0 := Own]} ∗ token γ 0 Own ∗ vertex_half γ (S n) true ∗
    vertex_ready γ n.
  Proof.
    iIntros "(%m & %D & %b & (HK & Hn & HD & HE & #Hpreds & Hhalf & Htoks) & Hstage) Hhalf'".
    iDestruct (half_agree with "Hhalf Hhalf'") as %[-> ->].
    iDestruct "Hstage" as "[_ [[-> Hpushed]|(_ & _ & _ & Hhalf'' & _)]]"; last first.
    { iDestruct (half_three with "Hhalf Hhalf' Hhalf''") as %[]. }
    iMod (half_update _ _ _ _ _ (S n) true with "Hhalf Hhalf'") as "[Hhalf Hhalf']".
    iMod (ghost_map_insert 0 Own with "HK") as "[HK Htok]"; first done.
    iMod (mono_nat_own_update (2 * S n) with "Hn") as "[Hn Hlb]"; first lia.
    rewrite insert_empty. iModIntro. iSplitR "Htok Hhalf' Hlb"; last first.
    { iFrame "Htok Hhalf'". iApply (mono_nat_lb_own_le with "Hlb"). lia. }
    iExists (S n), D, true. iFrame "HK HD HE Hhalf Hn". iSplitR "Hpushed".
    - iSplit; last by rewrite /tokens_ok big_sepM_singleton.
      iApply (big_sepS_impl with "Hpreds").
      iIntros "!>" (p Hp) "[$|(_ & %k' & %x & %Hk' & _)]". done.
    - iSplit; first done. by iLeft.
  Qed.

  (** The vertex is over and has told its successors: the execution gives up its key. *)
  Lemma state_done γ K n key E :
    ▷ vertex_state γ K -∗ vertex_half γ (S n) true -∗ vertex_key γ key -∗ vertex_done γ ={E}=∗
    ▷ vertex_state γ K ∗ key_half γp key.
  Proof.
    iIntros "(%m & %D & %b & >Hfacts & Hstage) Hhalf' Hkey #Hdone".
    iAssert ⌜m = S n ∧ b = true⌝%I as %[-> ->].
    { iDestruct "Hfacts" as "(_ & _ & _ & _ & _ & Hhalf & _)".
      by iDestruct (half_agree with "Hhalf Hhalf'") as %[-> ->]. }
    iDestruct "Hstage" as "[>%H0 [>(%key' & Hk1 & Hkey')|[_ >Hno]]]".
    - iDestruct (key_agree with "Hkey Hk1") as %->. iFrame "Hkey'". iModIntro. iNext.
      iExists (S n), D, true. iFrame "Hfacts". iSplit; first done. iRight. iFrame "Hdone".
      iApply (key_join with "Hkey Hk1").
    - by iDestruct (no_key_key with "Hno Hkey") as %[].
  Qed.
End tokens.
