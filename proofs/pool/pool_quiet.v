(** The last look: the closer of a sealed pool, alone.

    When the closer holds the right to every role except the role that it serves in,
    and executes no task itself, all depths are 0. The closer may then take the hub's
    model out of the invariant for the time of one steal ([pool_take], [pool_put]): no
    other thread can act meanwhile. The closer may thus use the specification of
    [steal] without interference: if the steal finds no task, all remaining tasks are
    for other workers. This knowledge about the closer's role stays true, since no
    task for a worker is published in a sealed pool ([pool_drained]). In the last role
    it follows that no task is left. There are at most as many pending keys as tasks
    in the hub and executions, so every task that was ever published has run to its
    end: [pool_finished]. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_map mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Import pool_state pool_ops pool_basics pool_hunt pool_roles.
From dromos.pool Require Import pool_code.

Local Existing Instances pool_mutexG pool_unitG pool_depthG pool_sealedG pool_entryG.

Section seq.
  Context `{!heapGS Σ}.
  Implicit Types (Φ Ψ : nat → iProp Σ) (n i : nat).

  Lemma seq_delete Φ n i :
    i < n →
    ([∗ list] j ∈ seq 0 n, Φ j) ⊣⊢ Φ i ∗ [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → Φ j.
  Proof.
    intros Hi. rewrite (big_sepL_delete' (λ _ j, Φ j) (seq 0 n) i i); last first.
    { apply lookup_seq. lia. }
    f_equiv. apply big_sepL_proper. intros k j [-> _]%lookup_seq. done.
  Qed.
  Lemma seq_others_sep Φ Ψ n i :
    ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → Φ j ∗ Ψ j) ⊣⊢
    ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → Φ j) ∗ ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → Ψ j).
  Proof.
    rewrite -big_sepL_sep. apply big_sepL_proper. intros k j _. iSplit.
    - iIntros "H". destruct (decide (j = i)) as [->|Hne].
      + iSplitR; by iIntros (?).
      + iDestruct ("H" with "[//]") as "[H1 H2]". iSplitL "H1"; by iIntros "_".
    - iIntros "[H1 H2]" (Hne). iSplitL "H1"; [by iApply "H1"|by iApply "H2"].
  Qed.
  Lemma seq_others_mono Φ Ψ n i :
    (∀ j, Φ j ⊢ Ψ j) →
    ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → Φ j) ⊢ [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → Ψ j.
  Proof.
    intros Hmono. apply big_sepL_mono. intros k j _. iIntros "H" (Hne).
    iApply Hmono. by iApply "H".
  Qed.
End seq.

Section quiet.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.
  Implicit Types (γ : pool_name) (a : bool) (i o d k : nat) (l c : loc) (t : val).
  Implicit Types (M : hub_items).

  (** A right to a role, without the depth and the hub's ownership, which are lent. *)
  Definition right_rest γ j : iProp Σ :=
    ∃ c, ⌜j < pn_size γ⌝ ∗ is_ctx γ j c ∗ ctx_words c ∗
      wt_phase (pn_phases γ) j false ∗ server_half γ j 0.
  Lemma pool_right_split γ j :
    pool_right γ j ⊣⊢ right_rest γ j ∗ hub_owner (pn_hub γ) j false ∗ depth_is γ j 0.
  Proof.
    rewrite /pool_right /right_rest /worker_own. iSplit.
    - iIntros "(%c & $ & $ & $ & $ & $ & $ & $)".
    - iIntros "((%c & $ & $ & $ & $ & $) & $ & $)".
  Qed.

  Definition other_rights γ i : iProp Σ :=
    [∗ list] j ∈ seq 0 (pn_size γ), ⌜j ≠ i⌝ → pool_right γ j.
  Lemma other_rights_split γ i :
    other_rights γ i ⊣⊢
    ([∗ list] j ∈ seq 0 (pn_size γ), ⌜j ≠ i⌝ → right_rest γ j) ∗
    ([∗ list] j ∈ seq 0 (pn_size γ), ⌜j ≠ i⌝ → hub_owner (pn_hub γ) j false) ∗
    ([∗ list] j ∈ seq 0 (pn_size γ), ⌜j ≠ i⌝ → depth_is γ j 0).
  Proof.
    rewrite -!seq_others_sep /other_rights. apply big_sepL_proper. intros k j _.
    by rewrite -pool_right_split.
  Qed.

  (** ** Taking the model out, and putting it back *)

  Lemma pool_take γ t E :
    ↑poolN ⊆ E →
    pool_inv γ t -∗ pool_sealed γ -∗ all_idle γ ={E}=∗
    ∃ s M, hub_model (pn_hub γ) M ∗ ▷ pool_tasks γ s M.
  Proof.
    iIntros (HE) "#Hinv #Hsealed Hall". pool_names.
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & Ha & Hs & %Hbs) & [(%M & >HM & HT)|>Hq])";
      last first.
    { iDestruct "Hq" as "[_ Hq]".
      iDestruct (big_sepL_lookup _ _ 0 0 with "Hq") as "H1"; first by apply lookup_seq; lia.
      iDestruct (big_sepL_lookup _ _ 0 0 with "Hall") as "H2"; first by apply lookup_seq; lia.
      by iDestruct (ghost_map_elem_valid_2 with "H1 H2") as %[? _]. }
    iDestruct (mono_nat_lb_own_valid with "Hs Hsealed") as %[_ Hs].
    iModIntro. iSplitL "Hc Ho Ha Hs Hall".
    { iNext. iExists b, s. iSplitR "Hall"; first by iExists p, q; iFrame.
      iRight. by iFrame "Hall". }
    iExists s, M. by iFrame.
  Qed.

  (** The same, with a step on the tasks in between. *)
  Lemma pool_put γ t s M M' (X : iProp Σ) E :
    ↑poolN ⊆ E →
    pool_inv γ t -∗ hub_model (pn_hub γ) M' -∗ ▷ pool_tasks γ s M -∗
    (∀ s' E', ⌜2 ≤ s'⌝ -∗ ▷ pool_tasks γ s' M -∗ all_idle γ ={E'}=∗
      ▷ pool_tasks γ s' M' ∗ X) ={E}=∗
    X.
  Proof.
    iIntros (HE) "#Hinv HM HT Hstep". pool_names.
    iInv "Hmain" as (b s') "(>Hw & [(%M'' & _ & HT')|>[%Hs Hall]])".
    { iDestruct "HT" as "(_ & %H & %D & >HH & _)".
      iDestruct "HT'" as "(_ & %H' & %D' & >HH' & _)".
      by iDestruct (ghost_map_auth_valid_2 with "HH HH'") as %[? _]. }
    iDestruct (tasks_stage_sealed γ s s' with "HT") as "HT"; first done.
    iMod ("Hstep" with "[//] HT Hall") as "[HT HX]". iModIntro. iSplitR "HX"; last done.
    iNext. iExists b, s'. iFrame "Hw". iLeft. iExists M'. iFrame.
  Qed.

  (** ** The result of one look *)

  Definition drained_before γ i : iProp Σ := [∗ list] j ∈ seq 0 i, pool_drained γ j.
  (** The end of role [i]; [pool_finished] after the last role. *)
  Definition look_tells γ i : iProp Σ :=
    pool_sealed γ ∗ pool_drained γ i ∗ ▷ (⌜S i = pn_size γ⌝ → pool_finished γ).

  Lemma drained_before_lookup γ s M i E :
    ▷ pool_tasks γ s M -∗ drained_before γ i ={E}=∗
    ▷ pool_tasks γ s M ∗ ⌜∀ x j, x ∈ M → j < i → x.2 ≠ Some j⌝.
  Proof.
    iIntros "HT #Hd". iInduction i as [|i] "IH".
    { iModIntro. iFrame "HT". iPureIntro. lia. }
    rewrite /drained_before seq_S big_sepL_snoc /=. iDestruct "Hd" as "[Hd Hi]".
    iMod ("IH" with "Hd HT") as "[HT %Hbefore]".
    iMod (tasks_drained_lookup with "HT Hi") as "[$ %Hi]". iModIntro. iPureIntro.
    intros x j Hx Hj. destruct (decide (j = i)) as [->|]; first by apply Hi.
    apply Hbefore; [done|lia].
  Qed.
  Lemma tasks_targets γ s M E :
    ▷ pool_tasks γ s M ={E}=∗ ▷ pool_tasks γ s M ∗ ⌜∀ x, x ∈ M → target_ok γ x.2⌝.
  Proof.
    iIntros "[HM $]".
    iAssert (▷ (([∗ mset] x ∈ M, pool_task γ x.1 ∗ ⌜target_ok γ x.2⌝) ∗
      ⌜∀ x, x ∈ M → target_ok γ x.2⌝))%I with "[HM]" as "[$ >$]"; last done.
    iNext. iSplit; first done. iIntros (x Hx).
    by iDestruct (big_sepMS_elem_of with "HM") as "[_ $]".
  Qed.

  Lemma tasks_look γ s M i E :
    i < pn_size γ → 2 ≤ s → hub_foreign i M →
    drained_before γ i -∗ ▷ pool_tasks γ s M -∗ all_idle γ ={E}=∗
    ▷ pool_tasks γ s M ∗ all_idle γ ∗ pool_drained γ i ∗
    ▷ (⌜S i = pn_size γ⌝ → pool_finished γ).
  Proof.
    iIntros (Hi Hs Hforeign) "#Hbefore HT Hidle".
    iMod (tasks_drained γ s M i with "HT") as "[HT $]"; first done.
    { intros x Hx Heq. apply (Hforeign x Hx). by right. }
    destruct (decide (S i = pn_size γ)) as [Hlast|Hlast]; last first.
    { iModIntro. iFrame "HT Hidle". iIntros "!> %". done. }
    iMod (drained_before_lookup with "HT Hbefore") as "[HT %Hdr]".
    iMod (tasks_targets with "HT") as "[HT %Htargets]".
    assert (M = ∅) as ->.
    { destruct (gmultiset_choose_or_empty M) as [[x Hx]|]; last done. exfalso.
      destruct x.2 as [j|] eqn:Hx2.
      - assert (j < pn_size γ) by by apply (Htargets x Hx).
        destruct (decide (j = i)) as [->|]; first by apply (Hforeign x Hx); right.
        apply (Hdr x j); [done|lia|done].
      - apply (Hforeign x Hx). by left. }
    iMod (tasks_finish with "HT Hidle") as "($ & $ & #Hf)"; first done.
    iModIntro. by iIntros "!> _".
  Qed.

  Lemma depth_idle γ i :
    i < pn_size γ →
    all_idle γ ⊣⊢
    depth_is γ i 0 ∗ [∗ list] j ∈ seq 0 (pn_size γ), ⌜j ≠ i⌝ → depth_is γ j 0.
  Proof. intros Hi. by rewrite /all_idle (seq_delete (λ j, depth_is γ j 0)). Qed.

  (** The steals of the closer, which has all other roles. *)
  Lemma steal_gives_closing γ t i c :
    pool_inv γ t -∗ drained_before γ i -∗
    steal_gives γ i c 0 0 (other_rights γ i) (look_tells γ i).
  Proof.
    iIntros "#Hinv #Hbefore !>" (a sealed) "#Hsealed Hworker Hothers".
    destruct sealed; last first.
    { iApply (pool_hub_steal_spec with "[$Hinv $Hworker]"). iIntros (r) "$".
      iFrame "Hothers". by iIntros "[_ %]". }
    worker_names. pool_names.
    iDestruct (other_rights_split with "Hothers") as "(Hrest & Howners & Hdepths)".
    iMod (pool_take with "Hinv Hsealed [Hd Hdepths]") as (s M) "[HM HT]"; first done.
    { rewrite (depth_idle γ i) //. iFrame. }
    iApply wp_fupd. wp_apply (hub_steal_quiet_spec with "[$Hhub $Hown $HM $Howners]").
    { done. }
    iIntros (r M') "(%Htaken & Hown & HM & Howners & Htells)".
    set (others := ([∗ list] j ∈ seq 0 (pn_size γ), ⌜j ≠ i⌝ → depth_is γ j 0)%I).
    iMod (pool_put _ _ _ M M' (pool_taken γ i 0 r ∗ others ∗
      (⌜r = NONEV⌝ → hub_asked (pn_hub γ) i ∨ look_tells γ i))%I
      with "Hinv HM HT [Htells]") as "(Htook & Hdepths & Htells)"; first done.
    { iIntros (s' E' Hs') "HT Hall".
      destruct (decide (r = NONEV)) as [->|Hr].
      - assert (M' = M) as ->.
        { destruct Htaken as [[_ ?]|(l & w' & ? & _)]; [done|done]. }
        iDestruct ("Htells" with "[//]") as "[Hasked|%Hforeign]".
        + rewrite (depth_idle γ i) //. iDestruct "Hall" as "[Hd $]". iFrame "HT".
          iModIntro. iSplitL "Hd"; first by iLeft; iFrame. iIntros "_". by iLeft.
        + iMod (tasks_look with "Hbefore HT Hall") as "($ & Hall & #Hdr & #Hfin)";
            [done..|].
          rewrite (depth_idle γ i) //. iDestruct "Hall" as "[Hd $]".
          iModIntro. iSplitL "Hd"; first by iLeft; iFrame. iIntros "_". iRight.
          by iFrame "Hsealed Hdr Hfin".
      - rewrite (depth_idle γ i) //. iDestruct "Hall" as "[Hd $]".
        iMod (tasks_taken with "HT Hd") as "[$ $]"; first done. iModIntro. by iIntros (?). }
    iModIntro. iSplitL "Hrest Howners Hdepths".
    { rewrite other_rights_split. iFrame. }
    iSplitR "Htells".
    - iDestruct "Htook" as "[[-> Hd]|(%l & -> & Hl & Hd)]"; worker_pack.
      + iLeft. by iFrame.
      + iRight. iExists l. by iFrame.
    - iIntros "[% _]". by iApply "Htells".
  Qed.
End quiet.
