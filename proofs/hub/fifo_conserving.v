(** The thieves of the FIFO hub overlook nothing ([hub_conserving.v]).

    A steal pops the shared queue and then the worker's inbox, at two instants. If both
    queues are empty at the first instant, the steal looks at this instant. If the inbox
    is not empty at the first instant, the worker remembers this fact. No other worker
    pops this inbox, so the second pop finds a task, and the steal needs no look. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import erasable_code queue_code erasable queue.
From dromos.hub Require Import fifo_code hub_spec hub_conserving fifo.

Section conserving.
  Context `{!heapGS Σ, !erasableG Σ, !queueG Σ, !ghost_varG Σ bool}.

  (** Claim: If a steal of the FIFO hub finds nothing, then at one instant of the call
      the hub had no task for this worker. *)
  Lemma fifo_steal_looks_spec o (γ : fifo_names) (n i : nat) Φ : i < n →
    fifo_inv o γ n -∗ fifo_owner γ i true -∗
    hub_look_au (γ : hub_name) i (λ r, fifo_owner γ i true -∗ Φ r) -∗
    WP h_steal o #i {{ Φ }}.
  Proof.
    iIntros (Hin) "(%t & %locals & %nf & -> & %Hn & #It & #Il) (%x & %Hi & Hown & Hknows) AU".
    iDestruct (fifo_inbox with "Il") as (inbox) "[#Hinbox #Iq]"; first exact Hi.
    simpl. wp_pures. wp_apply (fifo_local_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_rec. wp_pures.
    iAssert (fifo_knows x false -∗ fifo_owner γ i true)%I with "[Hown]" as "Hown".
    { iIntros "Hknows". iExists x. by iFrame. }
    awp_apply (fifo_shared_pop_spec with "It") without "Hown".
    rewrite /hub_look_au. iApply (aacc_aupd with "AU"); first solve_ndisj.
    iIntros (M) "HM". iAaccIntro with "HM".
    { iIntros "$ !> $ !>". iFrame. }
    iIntros (r M') "[[%Hr _] HM]". destruct Hr as [(-> & -> & Hnone)|(l & -> & ->)]; last first.
    { (* The shared queue has a task. *)
      iModIntro. iRight. iExists false, (SOMEV #l), M'. iFrame "HM". iSplit.
      { iPureIntro. split; last done. right. exists l, None. split_and!; [done|by left|done]. }
      iIntros "HΦ !> _ Hown". wp_pures. iModIntro. iApply "HΦ". by iApply "Hown". }
    iDestruct "HM" as (ys qss) "(Hx & Hq & %Hnd & ->)".
    iDestruct (fifo_inbox_acc with "Hq") as (qs Hqs) "[[Hi (%b & Hb & _)] Hq]"; first exact Hi.
    iDestruct (ghost_var_agree with "Hknows Hb") as %<-.
    destruct qs as [|l qs].
    - (* Both queues are empty: the steal looks. *)
      iSpecialize ("Hq" $! [] with "[Hi Hb]").
      { iFrame "Hi". iExists false. by iFrame "Hb". }
      rewrite list_insert_id //.
      iModIntro. iRight. iExists true, NONEV, (fifo_items ys qss). iSplitL "Hx Hq".
      { iSplit; last by (iExists ys, qss; iFrame).
        iPureIntro. split; last done. intros [l w] Hl [Hw|Hw]; simpl in Hw; subst w.
        - by eapply Hnone.
        - apply fifo_items_elem in Hl as (qs & Hqs' & ?). by simplify_eq. }
      iIntros "AU !> _ Hown". wp_pures. wp_load.
      awp_apply (fifo_inbox_pop_spec with "Iq Hknows") without "Hown"; first exact Hi.
      rewrite /hub_steal_au. iApply (aacc_aupd_commit with "AU"); first solve_ndisj.
      clear dependent ys qss.
      iIntros (M) "HM". iAaccIntro with "HM"; first by eauto with iFrame.
      iIntros (r M') "[[%Hr _] HM] !>". iExists r, M'. iFrame "HM". iSplit.
      { iPureIntro. eapply fifo_taken_hub; last done. by right. }
      iIntros "HΦ !> Hknows Hown". iApply "HΦ". by iApply "Hown".
    - (* The inbox has a task, and the second pop will find one. *)
      iMod (ghost_var_update_halves true with "Hknows Hb") as "[Hknows Hb]".
      iSpecialize ("Hq" $! (l :: qs) with "[Hi Hb]").
      { iFrame "Hi". iExists true. by iFrame "Hb". }
      rewrite list_insert_id //.
      iModIntro. iLeft. iSplitL "Hx Hq"; first by (iExists ys, qss; iFrame).
      iIntros "AU !> _ Hown". wp_pures. wp_load.
      awp_apply (fifo_inbox_pop_spec with "Iq Hknows") without "Hown"; first exact Hi.
      iApply (aacc_aupd_commit with "AU"); first solve_ndisj.
      clear dependent ys qss.
      iIntros (M) "HM". iAaccIntro with "HM"; first by eauto with iFrame.
      iIntros (r M') "[[%Hr %Hne] HM] !>". iExists false, r, M'. iFrame "HM". iSplit.
      { iPureIntro. split; last by apply Hne. eapply fifo_taken_hub; last done. by right. }
      iIntros "HΦ !> Hknows Hown". iApply "HΦ". by iApply "Hown".
  Qed.

  Global Instance fifo_hub_conserving : hub_conserving Σ.
  Proof. constructor. exact fifo_steal_looks_spec. Qed.
End conserving.
