(** The dealing hub, the state: lib/kernel/hub/dealing.ml.

    The real model is the sum of Central's tasks and the tasks in the workers' own
    deques ([own_deques.v]). A task that was dealt to a worker and waits to be collected
    counts as a task in a deque. The real model is in an invariant ([guarded.v]), since
    the hub also moves tasks on its own. For vacant roles the hub moves a worker's
    oldest task to the shared queue. A task that was dealt to a worker goes into the
    worker's deque if the worker no longer waits.

    Every step of a worker on its deque is a move between the deque and the worker's
    hand, which is a part of Central's model. A pushed task is added to the hub when the
    task enters the hand ([dealing_accept]). A taken task leaves the hub when the hand
    is emptied ([dealing_hand_out]). Only these two lemmas of this file concern the
    instant of an operation.

    Worker [i] owns its part of Central, its deque, and its presence flag. The deque of
    a retired worker is empty, and a retired worker waits for no task. The proof says
    nothing about the number of vacant roles: the number decides only whether tasks are
    moved. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import dealing_code items dealing.
From dromos.hub Require Import dealing_code hub_spec central_code central own_deques guarded.

(** The first three fields are ghost names, the other fields are values of the code. *)
Record dealing_hub_names := DealingHubNames {
  dh_central : central_names;
  dh_deques : dealing_names;
  dh_guard : guarded_names;
  dh_deques_val : val;
  dh_central_val : val;
  dh_vacant : loc;
  dh_present : loc;
  dh_notifier : loc;
}.

Definition dealing_size_fun (deques : val) : val := λ: "i", deque_dealing_size deques "i".
Definition dealing_oldest_fun (deques : val) : val :=
  λ: "i", deque_dealing_oldest deques "i".
Definition dealing_hub_val (γ : dealing_hub_names) : val :=
  (dh_deques_val γ, dh_central_val γ, #(dh_vacant γ), #(dh_present γ),
   (dealing_size_fun (dh_deques_val γ), dealing_oldest_fun (dh_deques_val γ)),
   #(dh_notifier γ))%V.

Definition dealing_ops (γ : dealing_hub_names) : hub_ops := {|
  h_push := (λ: "i" "reason" "task",
    hub_dealing_push (dealing_hub_val γ) "i" "reason" "task");
  h_pop := (λ: "i", hub_dealing_pop (dealing_hub_val γ) "i");
  h_retract := (λ: "i" "task", hub_dealing_retract (dealing_hub_val γ) "i" "task");
  h_steal := (λ: "i", hub_dealing_steal (dealing_hub_val γ) "i");
  h_waits_for_answer := (λ: <>, #false);
  h_has_work := (λ: "i", hub_dealing_has_work (dealing_hub_val γ) "i");
  h_submit := (λ: "reason" "task", hub_central_submit (dh_central_val γ) "reason" "task");
  h_submit_to := (λ: "i" <> "task", hub_central_submit_to (dh_central_val γ) "i" "task");
  h_enlist := (λ: <>, #());
  h_retire := (λ: "i", hub_dealing_retire (dealing_hub_val γ) "i");
  h_tick := (λ: "i", hub_dealing_tick (dealing_hub_val γ) "i");
  h_finished := (λ: <> <>, #());
  h_blocked := (λ: <> <>, #());
  h_close := (λ: <>, #());
  h_notifier := dh_notifier γ;
|}%V.

Section state.
  Context `{!heapGS Σ, !centralG Σ, !dealingG Σ, !guardedG Σ}.
  Implicit Types (γ : dealing_hub_names) (M : hub_items) (i n : nat) (l : loc).
  Implicit Types (vs : list val) (ms : list loc) (waits : bool) (R Q : iProp Σ).

  Definition dealing_real γ M : iProp Σ :=
    deques_model (dh_central γ) (dealing_model (dh_deques γ)) M.
  Definition dealing_hub_model γ M : iProp Σ := guarded_model (dh_guard γ) M.

  (** Worker [i], with [ms] in its hand and [vs] in its deque. *)
  Definition dealing_has γ i ms vs waits : iProp Σ :=
    central_carries (dh_central γ) i ms ∗ dealing_owner (dh_deques γ) i vs waits.
  Definition dealing_present γ i : iProp Σ :=
    ∃ b : bool, (dh_present γ +ₗ (1 + i)) ↦ #b.
  Definition dealing_hub_owner γ i (b : bool) : iProp Σ :=
    (∃ vs waits, dealing_has γ i [] vs waits ∗ ⌜b = false → vs = [] ∧ waits = false⌝) ∗
    dealing_present γ i ∗ guarded_worker (dh_guard γ) i.

  Definition dealing_parts γ n : iProp Σ :=
    dealing_inv hubN (dh_deques γ) (dh_deques_val γ) n ∗
    central_inv (dh_central γ) (dh_central_val γ) n ∗
    inv (hubN .@ "vacant") (∃ z : Z, dh_vacant γ ↦ #z) ∗
    array_len (dh_present γ) n ∗ central_notifier (dh_notifier γ) n ∗
    guarded_inv (dealing_real γ) (dh_guard γ) ∗ ⌜length (gd_workers (dh_guard γ)) = n⌝.
  Definition dealing_hub_inv (o : hub_ops) γ n : iProp Σ :=
    ⌜o = dealing_ops γ⌝ ∗ dealing_parts γ n.

  Global Instance dealing_real_timeless γ M : Timeless (dealing_real γ M).
  Proof. apply _. Qed.
  Global Instance dealing_hub_model_timeless γ M : Timeless (dealing_hub_model γ M).
  Proof. apply _. Qed.
  Global Instance dealing_hub_owner_timeless γ i b : Timeless (dealing_hub_owner γ i b).
  Proof. apply _. Qed.
  Global Instance dealing_parts_persistent γ n : Persistent (dealing_parts γ n).
  Proof. apply _. Qed.
  Global Instance dealing_hub_inv_persistent o γ n : Persistent (dealing_hub_inv o γ n).
  Proof. apply _. Qed.

  Lemma dealing_peek γ n i :
    dealing_parts γ n -∗ hub_peek (dealing_real γ) (guarded_worker (dh_guard γ) i).
  Proof. iIntros "(_ & _ & _ & _ & _ & #I & _)". by iApply guarded_peek. Qed.
  Lemma dealing_hub_owner_intro γ i vs waits :
    dealing_has γ i [] vs waits -∗ dealing_present γ i -∗ guarded_worker (dh_guard γ) i -∗
    dealing_hub_owner γ i true.
  Proof. iIntros "H $ $". iExists vs, waits. by iFrame. Qed.

  (** ** The instants *)

  (** A task leaves the hand and the model ([dealing_release]), or enters both
      ([dealing_hold]). *)
  Lemma dealing_release γ i l ms vs waits M :
    dealing_has γ i (l :: ms) vs waits -∗ dealing_real γ M ==∗
    ∃ M', ⌜M = M' ⊎ {[+ (l, None) +]}⌝ ∗ dealing_has γ i ms vs waits ∗ dealing_real γ M'.
  Proof.
    iIntros "[Hc Ho] (%C & %ls & -> & HC & HD)".
    iMod (central_release with "Hc HC") as (C') "(-> & Hc & HC)". iModIntro.
    iExists (C' ⊎ deque_items ls). iFrame "Hc Ho". iSplit; last by iExists C', ls; iFrame.
    iPureIntro. by rewrite -!assoc_L (comm_L _ {[+ _ +]}).
  Qed.
  Lemma dealing_hold γ i l ms vs waits M :
    dealing_has γ i ms vs waits -∗ dealing_real γ M ==∗
    dealing_has γ i (l :: ms) vs waits ∗ dealing_real γ (M ⊎ {[+ (l, None) +]}).
  Proof.
    iIntros "[Hc Ho] (%C & %ls & -> & HC & HD)".
    iMod (central_hold with "Hc HC") as "[Hc HC]". iModIntro. iFrame "Hc Ho".
    iExists _, ls. iFrame "HC HD". iPureIntro. by rewrite -!assoc_L (comm_L _ {[+ _ +]}).
  Qed.

  (** A pushed task is added to the hub, and enters the hand. *)
  Lemma dealing_accept γ i l vs waits Φ :
    dealing_has γ i [] vs waits -∗
    AU <{ ∃∃ M, dealing_real γ M }> @ ⊤ ∖ ↑hubN, ∅
       <{ dealing_real γ (M ⊎ {[+ (l, None) +]}), COMM Φ }> ={⊤}=∗
    dealing_has γ i [l] vs waits ∗ Φ.
  Proof.
    iIntros "Hh AU". iMod (fupd_mask_subseteq (⊤ ∖ ↑hubN)) as "Hclose"; first done.
    iMod "AU" as (M) "[HM [_ Hcommit]]". iMod (dealing_hold with "Hh HM") as "[$ HM]".
    iMod ("Hcommit" with "HM") as "$". by iMod "Hclose".
  Qed.
  (** The task in the hand, if there is one, is taken from the hub. *)
  Lemma dealing_hand_out γ i (o : option loc) vs waits Q Φ :
    dealing_has γ i (option_list o) vs waits -∗ hub_take_au (dealing_real γ) i Q Φ ={⊤}=∗
    dealing_has γ i [] vs waits ∗
    hub_tried (dealing_real γ) i Q Φ (option_to_val (loc_val <$> o)).
  Proof.
    iIntros "Hh AU". destruct o as [l|]; simpl; last first.
    { iModIntro. iFrame "Hh". iLeft. by iFrame. }
    iMod (fupd_mask_subseteq (⊤ ∖ ↑hubN)) as "Hclose"; first done. rewrite /hub_take_au.
    iMod "AU" as (M) "[HM [_ Hcommit]]".
    iMod (dealing_release with "Hh HM") as (M') "(-> & $ & HM)".
    iMod ("Hcommit" $! (SOMEV #l) M' with "[$HM]") as "HΦ".
    { iPureIntro. right. exists l, None. split; first done. split; [by left|done]. }
    iMod "Hclose". iModIntro. iRight. iExists l. by iFrame.
  Qed.

  (** ** Operations of the deques, as parts of the hub's operations *)

  Lemma dealing_push_adds γd t n i vs waits l :
    dealing_inv hubN γd t n -∗ dealing_owner γd i vs waits -∗
    deque_adds (dealing_model γd) l (deque_dealing_push t #i #l)
      (∃ vs', dealing_owner γd i vs' waits).
  Proof.
    iIntros "#I Ho %Φ AU". awp_apply (dealing_push_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (D) "HD".
    iAaccIntro with "HD"; first by eauto with iFrame. iIntros "$ !> HΦ !> (%vs' & _ & Ho)".
    iApply "HΦ". by iExists vs'.
  Qed.
  Lemma dealing_pop_takes γd t n i vs waits :
    dealing_inv hubN γd t n -∗ dealing_owner γd i vs waits -∗
    deque_takes (dealing_model γd) (deque_dealing_pop t #i)
      (λ o, ∃ vs', ⌜o = None → vs' = []⌝ ∗ dealing_owner γd i vs' waits).
  Proof.
    iIntros "#I Ho %Φ AU". awp_apply (dealing_pop_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (D) "HD".
    iAaccIntro with "HD"; first by eauto with iFrame. iIntros (D') "[%HD HD] !>".
    iExists (last vs), D'. iFrame "HD". iSplit; first done.
    iIntros "HΦ !>" (vs') "[%Hvs' Ho]". iApply "HΦ". iExists vs'. iFrame. iPureIntro.
    intros ->%last_None. by destruct Hvs' as [->| ->].
  Qed.
  Lemma dealing_oldest_takes γd t n i vs waits :
    dealing_inv hubN γd t n -∗ dealing_owner γd i vs waits -∗
    deque_takes (dealing_model γd) (deque_dealing_oldest t #i)
      (λ _, dealing_owner γd i (tail vs) waits).
  Proof.
    iIntros "#I Ho %Φ AU". awp_apply (dealing_oldest_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (D) "HD".
    iAaccIntro with "HD"; first by eauto with iFrame. iIntros (D') "[%HD HD] !>".
    iExists (head vs), D'. iFrame "HD". iSplit; first done.
    iIntros "HΦ !> Ho". by iApply "HΦ".
  Qed.
  Lemma dealing_withdraw_takes γd t n i vs waits :
    dealing_inv hubN γd t n -∗ dealing_owner γd i vs waits -∗
    deque_takes (dealing_model γd) (deque_dealing_withdraw t #i)
      (λ _, dealing_owner γd i vs false).
  Proof.
    iIntros "#I Ho %Φ AU". awp_apply (dealing_withdraw_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (D) "HD".
    iAaccIntro with "HD"; first by eauto with iFrame. iIntros (o D') "[%HD HD] !>".
    iExists o, D'. iFrame "HD". iSplit; first done.
    iIntros "HΦ !> Ho". by iApply "HΦ".
  Qed.
  Lemma dealing_steal_takes γd t n i vs waits (victim : val) :
    dealing_inv hubN γd t n -∗ dealing_owner γd i vs waits -∗
    deque_takes (dealing_model γd) (deque_dealing_steal t #i victim)
      (λ _, ∃ waits', dealing_owner γd i vs waits').
  Proof.
    iIntros "#I Ho %Φ AU". awp_apply (dealing_steal_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (D) "HD".
    iAaccIntro with "HD"; first by eauto with iFrame. iIntros (o D') "[%HD HD] !>".
    iExists o, D'. iFrame "HD". iSplit; first done.
    iIntros "HΦ !>" (waits') "[_ Ho]". iApply "HΦ". by iExists waits'.
  Qed.
End state.
