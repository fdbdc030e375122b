(** The private hub, the state: lib/kernel/hub/private_.ml.

    The real model is the sum of Central's tasks and the tasks in the workers' own
    deques ([own_deques.v]). A task on its way from a victim to a thief counts as a task
    in a deque. The real model is in an invariant ([guarded.v]), since the hub also
    moves tasks on its own. A worker that has found a task elsewhere withdraws its
    request and, if a victim has given a task meanwhile, puts this task into its deque.

    Worker [i] owns its part of Central, its deque, with the request that the worker may
    have left, and its words as a thief. The deque of a retired worker is empty, and a
    retired worker waits for no victim.

    The proof says nothing about the contents of the wake masks: a mask only hints which
    thieves to wake. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import private_code items others private_ private_quiet.
From dromos.hub Require Import hub_code private_code hub_spec central_code central own_deques guarded.

Record private_hub_names := PrivateHubNames {
  ph_central : central_names;
  ph_deques : private_names;
  ph_thieves : list loc;
  ph_guard : guarded_names;
}.

(** The values of the code. *)
Record private_hub_parts := PrivateHubParts {
  php_deques : val;
  php_thieves : loc;
  php_wake_masks : loc;
  php_central : val;
  php_notifier : loc;
}.
Definition private_size_fun (deques : val) : val := λ: "i", deque_private_size deques "i".
Definition private_oldest_fun (deques : val) : val := λ: "i", deque_private_oldest deques "i".
Definition private_hub_val (p : private_hub_parts) : val :=
  (php_deques p, #(php_thieves p), #(php_wake_masks p), php_central p,
   (private_size_fun (php_deques p), private_oldest_fun (php_deques p)),
   #(php_notifier p))%V.

Definition private_ops (p : private_hub_parts) : hub_ops := {|
  h_push := (λ: "i" "reason" "task",
    hub_private_push (private_hub_val p) "i" "reason" "task");
  h_pop := (λ: "i", hub_private_pop (private_hub_val p) "i");
  h_retract := (λ: "i" "task", hub_private_retract (private_hub_val p) "i" "task");
  h_steal := (λ: "i", hub_private_steal (private_hub_val p) "i");
  h_waits_for_answer := (λ: "i", hub_private_waits_for_answer (private_hub_val p) "i");
  h_has_work := (λ: "i", hub_private_has_work (private_hub_val p) "i");
  h_submit := (λ: "reason" "task", hub_central_submit (php_central p) "reason" "task");
  h_submit_to := (λ: "i" <> "task", hub_central_submit_to (php_central p) "i" "task");
  h_enlist := (λ: "i", deque_private_unblock (php_deques p) "i");
  h_retire := (λ: "i", hub_private_retire (private_hub_val p) "i");
  h_tick := (λ: "i", hub_private_tick (private_hub_val p) "i");
  h_finished := (λ: <> <>, #());
  h_blocked := (λ: <> <>, #());
  h_close := (λ: <>, #());
  h_notifier := php_notifier p;
|}%V.

Section state.
  Context `{!heapGS Σ, !centralG Σ, !privateG Σ, !guardedG Σ}.
  Implicit Types (γ : private_hub_names) (p : private_hub_parts) (M : hub_items).
  Implicit Types (i j n victim : nat) (l x : loc) (asked : option nat) (R Q : iProp Σ).
  Implicit Types (vs : list val).

  Definition private_real γ M : iProp Σ :=
    deques_model (ph_central γ) (private_model (ph_deques γ)) M.
  Definition private_hub_model γ M : iProp Σ := guarded_model (ph_guard γ) M.

  (** The words of a thief: the victim, the misses, and whether the thief must retry. *)
  Definition thief_words x victim (misses : Z) (b : bool) : iProp Σ :=
    (x +ₗ 0) ↦na #victim ∗ (x +ₗ 1) ↦na #misses ∗ (x +ₗ 2) ↦na #b.
  Definition thief_at γ i asked : iProp Σ :=
    ∃ x victim misses b, ⌜ph_thieves γ !! i = Some x⌝ ∗ thief_words x victim misses b ∗
      ⌜victim < length (ph_thieves γ)⌝ ∗ ⌜asked ≠ None → victim ≠ i⌝.
  Definition private_side γ i vs asked : iProp Σ :=
    private_owner (ph_deques γ) i vs asked ∗ thief_at γ i asked.
  Definition private_hub_owner γ i (b : bool) : iProp Σ :=
    central_owner (ph_central γ) i ∗
    (∃ vs asked, private_side γ i vs asked ∗ ⌜b = false → vs = [] ∧ asked = None⌝) ∗
    guarded_worker (ph_guard γ) i.

  Definition private_wake_masks p n : iProp Σ :=
    ∃ ms : list loc, ⌜length ms = n⌝ ∗ is_array (php_wake_masks p) DfracDiscarded (loc_val <$> ms) ∗
      [∗ list] m ∈ ms, inv (hubN .@ "mark") (∃ z : Z, m ↦ #z).
  Definition private_parts γ n p : iProp Σ :=
    private_inv hubN (ph_deques γ) (php_deques p) n ∗
    central_inv (ph_central γ) (php_central p) n ∗
    is_array (php_thieves p) DfracDiscarded (loc_val <$> ph_thieves γ) ∗
    ⌜length (ph_thieves γ) = n⌝ ∗ private_wake_masks p n ∗ central_notifier (php_notifier p) n ∗
    guarded_inv (private_real γ) (ph_guard γ) ∗ ⌜length (gd_workers (ph_guard γ)) = n⌝.
  Definition private_hub_inv (o : hub_ops) γ n : iProp Σ :=
    ∃ p, ⌜o = private_ops p⌝ ∗ private_parts γ n p.

  Global Instance private_real_timeless γ M : Timeless (private_real γ M).
  Proof. apply _. Qed.
  Global Instance private_hub_model_timeless γ M : Timeless (private_hub_model γ M).
  Proof. apply _. Qed.
  Global Instance private_hub_owner_timeless γ i b : Timeless (private_hub_owner γ i b).
  Proof. apply _. Qed.
  Global Instance private_parts_persistent γ n p : Persistent (private_parts γ n p).
  Proof. apply _. Qed.
  Global Instance private_hub_inv_persistent o γ n : Persistent (private_hub_inv o γ n).
  Proof. apply _. Qed.

  Lemma thief_at_asked γ i asked asked' :
    (asked' ≠ None → asked ≠ None) → thief_at γ i asked -∗ thief_at γ i asked'.
  Proof.
    iIntros (Hle) "(%x & %victim & %misses & %b & $ & $ & $ & %Hne)". iPureIntro. auto.
  Qed.

  Lemma private_peek γ n p i :
    private_parts γ n p -∗ hub_peek (private_real γ) (guarded_worker (ph_guard γ) i).
  Proof. iIntros "(_ & _ & _ & _ & _ & _ & #I & _)". by iApply guarded_peek. Qed.
  Lemma private_hub_owner_intro γ i vs asked :
    central_owner (ph_central γ) i -∗ private_side γ i vs asked -∗
    guarded_worker (ph_guard γ) i -∗ private_hub_owner γ i true.
  Proof. iIntros "$ H $". iExists vs, asked. by iFrame. Qed.

  (** ** Operations of the deques, as parts of the hub's operations *)

  Lemma private_push_adds γd t n i vs asked l :
    private_inv hubN γd t n -∗ private_owner γd i vs asked -∗
    deque_adds (private_model γd) l (deque_private_push t #i #l)
      (∃ vs', private_owner γd i vs' asked).
  Proof.
    iIntros "#I Ho %Φ AU". awp_apply (private_push_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (D) "HD".
    iAaccIntro with "HD"; first by eauto with iFrame. iIntros "$ !> HΦ !> (%vs' & _ & Ho)".
    iApply "HΦ". by iExists vs'.
  Qed.
  Lemma private_pop_takes γd t n i vs asked :
    private_inv hubN γd t n -∗ private_owner γd i vs asked -∗
    deque_takes (private_model γd) (deque_private_pop t #i)
      (λ o, ∃ vs', ⌜o = last vs⌝ ∗ ⌜o = None → vs = [] ∧ vs' = []⌝ ∗
        private_owner γd i vs' asked).
  Proof.
    iIntros "#I Ho %Φ AU". awp_apply (private_pop_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (D) "HD".
    iAaccIntro with "HD"; first by eauto with iFrame. iIntros (D') "[%HD HD] !>".
    iExists (last vs), D'. iFrame "HD". iSplit; first done.
    iIntros "HΦ !>" (vs') "[%Hvs' Ho]". iApply "HΦ". iExists vs'. iFrame. iPureIntro.
    split; first done. intros ->%last_None. split; first done. by destruct Hvs' as [->| ->].
  Qed.
  Lemma private_oldest_takes γd t n i vs asked :
    private_inv hubN γd t n -∗ private_owner γd i vs asked -∗
    deque_takes (private_model γd) (deque_private_oldest t #i)
      (λ _, ∃ vs', private_owner γd i vs' asked).
  Proof.
    iIntros "#I Ho %Φ AU". awp_apply (private_oldest_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (D) "HD".
    iAaccIntro with "HD"; first by eauto with iFrame. iIntros (D') "[%HD HD] !>".
    iExists (head vs), D'. iFrame "HD". iSplit; first done.
    iIntros "HΦ !>" (vs') "[_ Ho]". iApply "HΦ". by iExists vs'.
  Qed.
  Lemma private_withdraw_takes γd t n i vs asked :
    private_inv hubN γd t n -∗ private_owner γd i vs asked -∗
    deque_takes (private_model γd) (deque_private_withdraw t #i)
      (λ o, ∃ asked', ⌜asked' ≠ None → asked' = asked⌝ ∗ private_owner γd i vs asked').
  Proof.
    iIntros "#I Ho %Φ AU". awp_apply (private_withdraw_spec with "I Ho").
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (D) "HD".
    iAaccIntro with "HD"; first by eauto with iFrame. iIntros (o D') "[%HD HD] !>".
    iExists o, D'. iFrame "HD". iSplit; first done.
    iIntros "HΦ !>" (asked') "[%Hasked' Ho]". iApply "HΦ". iExists asked'. iFrame. iPureIntro.
    naive_solver.
  Qed.
  Lemma private_steal_takes γd t n i vs asked j : j < n →
    private_inv hubN γd t n -∗ private_owner γd i vs asked -∗
    deque_takes (private_model γd) (deque_private_steal t #i #j)
      (λ o, ∃ asked', private_owner γd i vs asked').
  Proof.
    iIntros (Hj) "#I Ho %Φ AU". awp_apply (private_steal_spec with "I Ho"); first lia.
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (D) "HD".
    iAaccIntro with "HD"; first by eauto with iFrame. iIntros (o D') "[%HD HD] !>".
    iExists o, D'. iFrame "HD". iSplit; first done.
    iIntros "HΦ !>" (asked') "[_ Ho]". iApply "HΦ". by iExists asked'.
  Qed.

  (** ** Waking thieves *)

  Lemma private_notify_marked_spec γ n p (marked : Z) j :
    {{{ private_parts γ n p }}}
      hub_private_notify_marked (private_hub_val p) #marked #j
    {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "(#I & _ & _ & _ & _ & (%g & #Hg & #Hnotify) & _) HΦ".
    iLöb as "IH" forall (j). wp_rec. wp_pures.
    wp_apply (private_workers_spec with "I"). iIntros "_". wp_pures.
    case_bool_decide as Hj; wp_pures; last by iApply "HΦ".
    rewrite /hub_private_bit /hub_private_bits. wp_pures. case_bool_decide; wp_pures.
    - replace (j + 1)%Z with (Z.of_nat (S j)) by lia. by iApply "IH".
    - wp_na_load. wp_bind (g _). iApply wp_wand; first (iApply "Hnotify"; iPureIntro; lia).
      iIntros (?) "_". wp_pures. replace (j + 1)%Z with (Z.of_nat (S j)) by lia.
      by iApply "IH".
  Qed.

  Lemma private_mark_get_spec γ n p i : i < n →
    {{{ private_parts γ n p }}}
      array_get #(php_wake_masks p) #i
    {{{ (m : loc), RET #m; inv (hubN .@ "mark") (∃ z : Z, m ↦ #z) }}}.
  Proof.
    iIntros (Hi Φ) "(_ & _ & _ & _ & (%ms & %Hms & #Hm & #Hinv) & _) HΦ".
    destruct (lookup_lt_is_Some_2 ms i) as [m Hmi]; first lia.
    wp_apply (array_get_spec _ _ _ _ #m with "Hm"); first lia.
    { by rewrite Nat2Z.id list_lookup_fmap Hmi. }
    iIntros "_". iApply "HΦ". by iApply (big_sepL_lookup with "Hinv").
  Qed.

  Lemma private_answered_spec γ n p i : i < n →
    {{{ private_parts γ n p }}}
      hub_private_answered (private_hub_val p) #i
    {{{ RET #(); True }}}.
  Proof.
    iIntros (Hi Φ) "#Hp HΦ". wp_rec. wp_pures.
    wp_apply (private_mark_get_spec with "Hp"); first done. iIntros (m) "#Hm". wp_pures.
    wp_bind (! _)%E. iInv "Hm" as (z) ">H". wp_load. iModIntro.
    iSplitL "H"; first by iExists z. wp_pures. case_bool_decide; wp_pures; first by iApply "HΦ".
    wp_bind (Xchg _ _). iInv "Hm" as (z') ">H". wp_xchg. iModIntro.
    iSplitL "H"; first by iExists 0%Z. wp_pures.
    iApply (private_notify_marked_spec _ _ _ _ 0 with "Hp"). done.
  Qed.

  (** The worker withdraws its request. A task that a victim has given meanwhile is
      pushed to the worker's deque. *)
  Lemma private_hub_withdraw_spec γ n p i vs asked R : i < n →
    private_parts γ n p -∗ hub_peek (private_real γ) R -∗
    central_owner (ph_central γ) i -∗ private_side γ i vs asked -∗ R -∗
    WP hub_private_withdraw (private_hub_val p) #i {{ r, ⌜r = #()⌝ ∗
      central_owner (ph_central γ) i ∗
      (∃ vs' asked', ⌜asked = None → vs' = vs⌝ ∗ ⌜asked' ≠ None → asked' = asked⌝ ∗
        private_side γ i vs' asked') ∗ R }}.
  Proof.
    iIntros (Hi) "(#I & _) #Hpeek Hc [Ho Ht] HR". wp_rec. wp_pures.
    wp_apply (private_waits_for_answer_spec with "[$I $Ho]"). iIntros "Ho".
    case_bool_decide as Hasked; wp_pures; last first.
    { iModIntro. iSplit; first done. iFrame "Hc HR". iExists vs, asked. by iFrame. }
    wp_bind (deque_private_withdraw _ _).
    iApply (wp_wand with "[Hc Ho HR]").
    { iApply (deques_carry with "Hpeek [Ho] Hc HR").
      by iApply (private_withdraw_takes with "I Ho"). }
    iIntros (r) "(%o & -> & (%asked' & %Hasked' & Ho) & Hc & HR)".
    iDestruct (thief_at_asked _ _ _ asked' with "Ht") as "Ht"; first naive_solver.
    destruct o as [l|]; simpl; wp_pures; last first.
    { iModIntro. iSplit; first done. iFrame "Hc HR". iExists vs, asked'. by iFrame. }
    iApply (wp_wand with "[Hc Ho HR]").
    { iApply (deques_put with "Hpeek [Ho] Hc HR"). iApply (private_push_adds with "I Ho"). }
    iIntros (r) "(-> & (%vs' & Ho) & $ & $)". iSplit; first done. iExists vs', asked'.
    iFrame. iPureIntro. naive_solver.
  Qed.
End state.
