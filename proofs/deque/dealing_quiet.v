(** * Dealing, when only one worker acts

    Suppose that all other workers have no item and do not wait, and that the caller
    has no item in its ring and owns the model.  Then a steal that returns no item
    means that no item is left.  There are two cases:
    - the caller did not wait: there was no item before the steal;
    - the caller waited: it looks into its cell.  A dealt item would be there, and
      while the cell says [Waiting] no item is there. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants token.
From iris.proofmode Require Import proofmode.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import worker_items ring dealing_code dealing.

Local Notation option_to_val o := (from_option InjRV (InjLV #()) o).
Local Existing Instances dealing_itemsG dealing_tokenG.
Local Existing Instances dealing.cell_state_timeless.

Section quiet.
  Context `{!heapGS Σ, !dealingG Σ} (N : namespace).
  Implicit Types (γ : dealing_names) (i j k n : nat) (w : dealing_worker).
  Implicit Types (t v : val) (M : gmultiset val) (waits : bool).

  Local Definition others_idle γ n i : iProp Σ :=
    [∗ list] k ∈ seq 0 n, ⌜k ≠ i⌝ → dealing_owner γ k [] false.

  Local Lemma quiet_empty γ t n i M E : i < n → ↑N .@ "items" ⊆ E →
    dealing_inv N γ t n -∗ others_idle γ n i -∗ ring_at γ.(dealing_items) i [] -∗
    given_at γ.(dealing_items) i [] -∗ dealing_model γ M ={E}=∗
    ⌜M = ∅⌝ ∗ others_idle γ n i ∗ ring_at γ.(dealing_items) i [] ∗ given_at γ.(dealing_items) i [] ∗
    dealing_model γ M.
  Proof.
    iIntros (Hi HE) "#I Hothers Hown Hgiven HM". rewrite /dealing_inv.
    iDestruct "I" as "(%l & _ & _ & _ & _ & #Ii)". iInv "Ii" as ">H".
    iAssert (⌜M = ∅⌝)%I as %Hempty; last by iModIntro; iFrame.
    iApply (items_model_empty with "H [Hothers Hown Hgiven] HM").
    rewrite places_sep. iApply (seq_except _ n i); first done. iFrame "Hown Hgiven".
    iApply (big_sepL_impl with "Hothers"). iIntros "!> %k %j _ Hj %Hne".
    iDestruct ("Hj" with "[//]") as "Hj". rewrite /dealing_owner.
    iDestruct "Hj" as "(%w & _ & (_ & $) & _ & (_ & $))".
  Qed.

  (** Claim: Suppose that all other workers have no item and do not wait, and that the
      caller has no item in its ring and owns the set of all items. Then [steal]
      returns no item only if no item is left. *)
  Lemma dealing_steal_quiet_spec γ t n i waits (victim : val) M : i < n →
    dealing_inv N γ t n -∗ dealing_owner γ i [] waits -∗ dealing_model γ M -∗
    ([∗ list] k ∈ seq 0 n, ⌜k ≠ i⌝ → dealing_owner γ k [] false) -∗
    WP deque_dealing_steal t #i victim {{ r, ∃ o M' waits', ⌜r = option_to_val o⌝ ∗
      ⌜M = multiset_of (option_list o) ⊎ M'⌝ ∗ ⌜o = None → M' = ∅⌝ ∗
      dealing_owner γ i [] waits' ∗ dealing_model γ M' ∗
      [∗ list] k ∈ seq 0 n, ⌜k ≠ i⌝ → dealing_owner γ k [] false }}.
  Proof.
    iIntros (Hin) "#I Howner HM Hothers". destruct waits; last first.
    { iMod (dealing_model_empty with "I [Howner Hothers] HM") as "(-> & Hall & HM)";
        first done.
      { iApply (seq_except _ n i); first done. iFrame. }
      iDestruct (seq_except _ n i with "Hall") as "[Howner Hothers]"; first done.
      awp_apply (dealing_steal_spec with "I Howner") without "Hothers".
      iAaccIntro with "HM"; first by eauto.
      iIntros (o M') "[%HM HM] !> %waits' [_ Howner] Hothers".
      iExists o, M', waits'. iFrame. iPureIntro. split; first done. split; first done.
      intros _. multiset_solver. }
    rewrite {1}/dealing_owner.
    iDestruct "Howner" as "(%w & %Hi & [Hring Hown] & Hfields & [H2 Htok])".
    iDestruct (dealing.dealing_inv_worker with "I") as "((_ & _ & #Hc1) & #Ic)"; first done.
    wp_rec. wp_pures. wp_apply (dealing.dealing_worker_spec with "I"); first done.
    iIntros "_". wp_na_load. wp_pures. wp_rec. wp_pures. wp_load. wp_bind (! _)%E.
    iInv "Ic" as ">[[Hc Ht]|[[Hc Hg]|[(%v & Hc & Hg)|(%v & %z & Hc & H2')]]]".
    - iDestruct (token_exclusive with "Htok Ht") as %[].
    - wp_load.
      iMod (quiet_empty with "I Hothers Hown Hg HM") as "(-> & Hothers & Hown & Hg & HM)";
        [done|solve_ndisj|].
      iModIntro. iSplitL "Hc Hg"; first by iRight; iLeft; iFrame. wp_pures.
      iModIntro. iExists None, ∅, true. iFrame "HM Hothers". do 3 (iSplit; first done).
      rewrite /dealing_owner. iExists w. by iFrame.
    - wp_load. iDestruct "Hc" as "[Hc Hc']". iModIntro.
      iSplitL "Hc H2"; first by iRight; iRight; iRight; iExists v, _; iFrame.
      wp_pures. wp_load.
      wp_apply (dealing.dealing_reset_spec with "[$I $Hc' $Htok]"); first done.
      iIntros (z) "H2". wp_pures.
      wp_apply (dealing.dealing_over_spec with "[$I $H2]"). iIntros "H2". wp_pures.
      iMod (dealing.dealing_finish _ _ _ _ _ _ (Some v) false (∃ M', ⌜M =
        multiset_of (option_list (Some v)) ⊎ M'⌝ ∗ dealing_model γ M')%I
        with "I [H2 Hg] [HM]") as "[Hwaits (%M' & %HM' & HM)]".
      { simpl. by iFrame. }
      { iApply fupd_mask_intro; first set_solver. iIntros "Hmask". iExists M. iFrame "HM".
        iIntros (M' HM') "HM". iMod "Hmask". iModIntro. iExists M'. by iFrame. }
      iModIntro. iExists (Some v), M', false. iFrame "HM Hothers".
      do 3 (iSplit; first done). rewrite /dealing_owner. iExists w. by iFrame.
    - iDestruct (na_pointsto_exclusive with "H2 H2'") as %[].
  Qed.
End quiet.
