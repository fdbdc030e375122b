(** The private hub, operations of a worker on its own deque:
    lib/kernel/hub/private_.ml.

    A push to the deque and a pop from the deque first withdraw the request that the
    worker may have left. A push is linearised at the deque's push, or at Central's
    submission. A pop is linearised where the pop takes from the deque or from Central.
    A [retract] pops the deque. If the popped task is the given task, the [retract] is
    linearised there. Another task is in the worker's hand until the task is pushed
    again, so the model does not change. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import private_code items others private_ private_quiet.
From dromos.hub Require Import hub_code private_code hub_spec central_code central own_deques guarded.
From dromos.hub Require Import private_state.

Section ops.
  Context `{!heapGS Σ, !centralG Σ, !privateG Σ, !guardedG Σ}.
  Implicit Types (γ : private_hub_names) (p : private_hub_parts) (M : hub_items).
  Implicit Types (i j n victim : nat) (l x : loc) (asked : option nat) (R Q : iProp Σ).
  Implicit Types (vs : list val).

  (** Claim: [push] adds a task for any worker, at one instant. *)
  Lemma private_hub_push_spec o γ n i (r : Z) l : i < n →
    private_hub_inv o γ n -∗ private_hub_owner γ i true -∗
    <<{ ∀∀ M, private_hub_model γ M }>>
      h_push o #i #r #l @ ↑hub_allN
    <<{ private_hub_model γ (M ⊎ {[+ (l, None) +]}) | RET #(); private_hub_owner γ i true }>>.
  Proof.
    iIntros (Hi) "(%p & -> & #Hp) (Hc & (%vs & %asked & Hside & _) & Hg)".
    iPoseProof "Hp" as "(#I & #Ic & _ & _ & _ & _ & #Ig & _)".
    iApply (guarded_add with "Ig"). iIntros (Φ) "AU". simpl. wp_pures. wp_rec. wp_pures.
    iAssert (central_owner (ph_central γ) i -∗ private_side γ i vs asked -∗
      guarded_worker (ph_guard γ) i -∗
      AU <{ ∃∃ M, private_real γ M }> @ ⊤ ∖ ↑hubN, ∅
         <{ private_real γ (M ⊎ {[+ (l, None) +]}),
            COMM private_hub_owner γ i true -∗ Φ #() }> -∗
      WP hub_private_push_own (private_hub_val p) #i #l {{ Φ }})%I as "Hown".
    { iIntros "Hc Hside Hg AU". wp_rec. wp_pures. wp_bind (hub_private_withdraw _ _).
      iApply (wp_wand with "[Hc Hside Hg]").
      { iApply (private_hub_withdraw_spec with "Hp [] Hc Hside Hg"); first done.
        by iApply private_peek. }
      iIntros (?) "(-> & Hc & (%vs' & %asked' & _ & _ & Ho & Ht) & Hg)". wp_pures.
      iDestruct (private_push_adds _ _ _ _ _ _ l with "I Ho") as "Hadds".
      awp_apply (deques_add (ph_central γ) with "Hadds") without "Hc Ht Hg".
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "HM".
      iAaccIntro with "HM"; first by eauto with iFrame. iIntros "$ !> HΦ !> (%vs'' & Ho)".
      iIntros "(Hc & Ht & Hg)". wp_pures.
      wp_apply (private_answered_spec with "Hp"); first done.
      iIntros "_". iApply "HΦ". iApply (private_hub_owner_intro with "Hc [$Ho $Ht] Hg"). }
    iAssert (private_hub_owner γ i true -∗
      AU <{ ∃∃ M, private_real γ M }> @ ⊤ ∖ ↑hubN, ∅
         <{ private_real γ (M ⊎ {[+ (l, None) +]}),
            COMM private_hub_owner γ i true -∗ Φ #() }> -∗
      WP hub_central_submit (php_central p) #r #l {{ Φ }})%I as "Hcentral".
    { iIntros "Ho AU". iApply (hub_part_add with "[] Ho AU"); first apply deques_part.
      by iApply central_submit_spec. }
    case_bool_decide; wp_pures; first by iApply ("Hown" with "Hc Hside Hg AU").
    case_bool_decide; wp_pures; first by iApply ("Hown" with "Hc Hside Hg AU").
    iDestruct (private_hub_owner_intro with "Hc Hside Hg") as "Ho".
    case_bool_decide; wp_pures; iApply ("Hcentral" with "Ho AU").
  Qed.

  (** Claim: [submit], called by any thread, adds a task for any worker, at one
      instant. *)
  Lemma private_hub_submit_spec o γ n (r : Z) l :
    private_hub_inv o γ n -∗
    <<{ ∀∀ M, private_hub_model γ M }>>
      h_submit o #r #l @ ↑hub_allN
    <<{ private_hub_model γ (M ⊎ {[+ (l, None) +]}) | RET #() }>>.
  Proof.
    iIntros "(%p & -> & (_ & #Ic & _ & _ & _ & _ & #Ig & _))".
    iApply (guarded_add_any with "Ig"). iIntros (Φ) "AU". simpl. wp_pures.
    iApply (hub_part_submit with "[] AU"); first apply deques_part.
    by iApply central_submit_spec.
  Qed.

  (** Claim: [submit_to i] adds a task for worker [i] alone, at one instant. *)
  Lemma private_hub_submit_to_spec o γ n i (r : Z) l : i < n →
    private_hub_inv o γ n -∗
    <<{ ∀∀ M, private_hub_model γ M }>>
      h_submit_to o #i #r #l @ ↑hub_allN
    <<{ private_hub_model γ (M ⊎ {[+ (l, Some i) +]}) | RET #() }>>.
  Proof.
    iIntros (Hi) "(%p & -> & (_ & #Ic & _ & _ & _ & _ & #Ig & _))".
    iApply (guarded_add_any with "Ig"). iIntros (Φ) "AU". simpl. wp_pures.
    iApply (hub_part_submit with "[] AU"); first apply deques_part.
    by iApply central_submit_to_spec.
  Qed.

  Lemma private_hub_tick_safe_spec γ n p i vs asked : i < n →
    {{{ private_parts γ n p ∗ private_side γ i vs asked }}}
      hub_private_tick (private_hub_val p) #i
    {{{ vs', RET #(); private_side γ i vs' asked }}}.
  Proof.
    iIntros (Hi Φ) "[#Hp [Ho Ht]] HΦ". iPoseProof "Hp" as "(#I & _)". wp_rec. wp_pures.
    wp_apply (private_tick_spec with "[$I $Ho]"). iIntros (vs') "[_ Ho]". wp_pures.
    wp_apply (private_answered_spec with "Hp"); first done. iIntros "_". iApply "HΦ".
    iFrame.
  Qed.

  (** ** Pops *)

  Local Lemma pop_own_first_try γ n p i vs asked : i < n →
    private_parts γ n p -∗ central_owner (ph_central γ) i -∗ private_side γ i vs asked -∗
    guarded_worker (ph_guard γ) i -∗ hub_try (private_real γ) i (hub_private_pop_own_first (private_hub_val p) #i)
      (private_hub_owner γ i true).
  Proof.
    iIntros (Hi) "#Hp Hc Hside Hg %Q %Φ AU". iPoseProof "Hp" as "(#I & #Ic & _)".
    wp_rec. wp_pures. wp_bind (hub_private_withdraw _ _).
    iApply (wp_wand with "[Hc Hside Hg]").
    { iApply (private_hub_withdraw_spec with "Hp [] Hc Hside Hg"); first done.
      by iApply private_peek. }
    iIntros (?) "(-> & Hc & (%vs' & %asked' & _ & _ & Ho & Ht) & Hg)". wp_pures.
    wp_bind (deque_private_pop _ _). iApply (wp_wand with "[Ho AU]").
    { iApply (deques_try with "[Ho] AU"). iApply (private_pop_takes with "I Ho"). }
    iIntros (r) "(%o & -> & (%vs'' & _ & _ & Ho) & Htried)". wp_pures.
    wp_apply (private_answered_spec with "Hp"); first done. iIntros "_". wp_pures.
    iAssert (private_side γ i vs'' asked') with "[$Ho $Ht]" as "Hside".
    destruct o as [v|]; simpl; wp_pures.
    { iModIntro. iFrame "Htried". iApply (private_hub_owner_intro with "Hc Hside Hg"). }
    iDestruct "Htried" as "[[_ AU]|(%l & %Heq & _)]"; last done.
    iApply (wp_wand with "[Hc AU]").
    { iApply (hub_part_try with "[Hc] AU"); first apply deques_part.
      by iApply (central_pop_spec with "Ic Hc"). }
    iIntros (r) "[Hc $]". iApply (private_hub_owner_intro with "Hc Hside Hg").
  Qed.

  Local Lemma pop_try γ n p i vs asked : i < n →
    private_parts γ n p -∗ central_owner (ph_central γ) i -∗ private_side γ i vs asked -∗
    guarded_worker (ph_guard γ) i -∗ hub_try (private_real γ) i (hub_private_pop (private_hub_val p) #i)
      (private_hub_owner γ i true).
  Proof.
    iIntros (Hi) "#Hp Hc Hside Hg %Q %Φ AU". iPoseProof "Hp" as "(#I & #Ic & _)".
    wp_rec. wp_pures. wp_apply (central_fair_spec with "[$Ic $Hc]"); first done.
    iIntros (b) "Hc". destruct b; wp_pures; last first.
    { by iApply (pop_own_first_try with "Hp Hc Hside Hg"). }
    wp_rec. wp_pures. wp_bind (hub_central_pop_fairly _ _ _).
    iApply (wp_wand with "[Hc Hside AU]").
    { iApply (central_pop_fairly_spec _ _ _ _ _ _ _ (∃ vs asked, private_side γ i vs asked)%I
        with "Ic Hc [Hside] [] [] AU"); [done|apply deques_part|by iExists vs, asked|..].
      - clear vs asked. iIntros "!> (%vs & %asked & Ho & Ht)". wp_lam.
        wp_apply (private_size_spec with "[$I $Ho]"). iIntros "Ho".
        iExists (Z.of_nat (length vs)). iSplit; first done. iExists vs, asked. iFrame.
      - clear vs asked Q Φ. iIntros "!> (%vs & %asked & Ho & Ht) %Q %Φ AU". wp_lam.
        iApply (wp_wand with "[Ho AU]").
        { iApply (deques_try with "[Ho] AU"). iApply (private_oldest_takes with "I Ho"). }
        iIntros (r) "(%o & -> & (%vs' & Ho) & $)". iExists vs', asked. iFrame. }
    clear vs asked. iIntros (r) "[[Hc (%vs & %asked & Hside)] Htried]".
    iDestruct "Htried" as "[[-> AU]|(%l & -> & HΦ)]"; wp_pures.
    - by iApply (pop_own_first_try with "Hp Hc Hside Hg").
    - wp_apply (private_hub_tick_safe_spec with "[$Hp $Hside]"); first done.
      iIntros (vs') "Hside". wp_pures. iModIntro.
      iSplitL "Hc Hside Hg"; first by iApply (private_hub_owner_intro with "Hc Hside Hg").
      iRight. iExists l. by iFrame.
  Qed.

  (** Claim: [pop i] takes a task that worker [i] may run, at one instant, or
      nothing. *)
  Lemma private_hub_pop_spec o γ n i : i < n →
    private_hub_inv o γ n -∗ private_hub_owner γ i true -∗
    <<{ ∀∀ M, private_hub_model γ M }>>
      h_pop o #i @ ↑hub_allN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ private_hub_model γ M'
      | RET r; private_hub_owner γ i true }>>.
  Proof.
    iIntros (Hi) "(%p & -> & #Hp) (Hc & (%vs & %asked & Hside & _) & Hg)".
    iPoseProof "Hp" as "(_ & _ & _ & _ & _ & _ & #Ig & _)". iApply (guarded_try with "Ig").
    iIntros (Q Φ) "AU". simpl. wp_pures. by iApply (pop_try with "Hp Hc Hside Hg").
  Qed.

  (** ** Other operations *)

  (** Claim: A [retract] with success has taken exactly the given task, at one instant;
      a [retract] without success has changed nothing. *)
  Lemma private_hub_retract_spec o γ n i l : i < n →
    private_hub_inv o γ n -∗ private_hub_owner γ i true -∗
    <<{ ∀∀ M, private_hub_model γ M }>>
      h_retract o #i #l @ ↑hub_allN
    <<{ ∃∃ (b : bool) M',
        ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗
        private_hub_model γ M'
      | RET #b; private_hub_owner γ i true }>>.
  Proof.
    iIntros (Hi) "(%p & -> & #Hp) (Hc & (%vs & %asked & [Ho Ht] & _) & Hg)".
    iPoseProof "Hp" as "(#I & #Ic & _ & _ & _ & _ & #Ig & _)".
    iApply (guarded_retract with "Ig"). iIntros (Φ) "AU". simpl. wp_pures. wp_rec. wp_pures.
    wp_bind (deque_private_pop _ _).
    destruct (decide (last vs = Some #l)) as [Hlast|Hlast].
    - awp_apply (private_pop_spec with "I Ho") without "Hc Ht Hg".
      iApply (aacc_aupd_commit with "AU"); first done.
      iIntros (M) "(%C & %ls & -> & HC & HD)". iAaccIntro with "HD".
      { iIntros "HD !>". iSplitL; last by eauto. iExists C, ls. by iFrame. }
      rewrite Hlast. iIntros (D') "[%HD HD] !>".
      apply deque_vals_take in HD as [[? ->]|(l' & ls' & [= <-] & Hls & ->)]; first done.
      iExists true, (C ⊎ deque_items ls'). iSplitL.
      { iSplit; last by (iExists C, ls'; iFrame). iPureIntro. exists None.
        split; first by left. by rewrite Hls assoc_L. }
      iIntros "HΦ !> %vs' [_ Ho] (Hc & Ht & Hg)". wp_pures.
      wp_apply (private_answered_spec with "Hp"); first done. iIntros "_". wp_pures.
      rewrite bool_decide_eq_true_2 //. wp_pures. iModIntro. iApply "HΦ".
      iApply (private_hub_owner_intro with "Hc [$Ho $Ht] Hg").
    - iApply (wp_wand with "[Hc Ho AU]").
      { iApply (deques_carry with "[] [Ho] Hc AU"); first iApply hub_peek_au.
        iApply (private_pop_takes with "I Ho"). }
      iIntros (r) "(%o & -> & (%vs' & %Ho & _ & Ho) & Hc & AU)". wp_pures.
      wp_apply (private_answered_spec with "Hp"); first done. iIntros "_". wp_pures.
      destruct o as [l'|]; simpl; wp_pures; last first.
      { iApply (hub_retract_nothing with "AU").
        iApply (private_hub_owner_intro with "Hc [$Ho $Ht] Hg"). }
      rewrite bool_decide_eq_false_2; last first.
      { intros [= ->]. by apply Hlast. }
      wp_pures. wp_bind (deque_private_push _ _ _). iApply (wp_wand with "[Hc Ho AU]").
      { iApply (deques_put with "[] [Ho] Hc AU"); first iApply hub_peek_au.
        iApply (private_push_adds with "I Ho"). }
      iIntros (?) "(-> & (%vs'' & Ho) & Hc & AU)". wp_pures.
      iApply (hub_retract_nothing with "AU").
      iApply (private_hub_owner_intro with "Hc [$Ho $Ht] Hg").
  Qed.

  Lemma private_hub_has_work_spec o γ n i b : i < n →
    {{{ private_hub_inv o γ n ∗ private_hub_owner γ i b }}}
      h_has_work o #i
    {{{ (r : bool), RET #r; private_hub_owner γ i b }}}.
  Proof.
    iIntros (Hi Φ) "[(%p & -> & (#I & #Ic & _)) (Hc & (%vs & %asked & [Ho Ht] & %Hb) & Hg)] HΦ".
    simpl. wp_pures. wp_rec. wp_pures. wp_apply (private_is_empty_spec with "[$I $Ho]").
    iIntros "Ho". iAssert (private_hub_owner γ i b) with "[Hc Ho Ht Hg]" as "Hown".
    { iFrame "Hc Hg". iExists vs, asked. by iFrame. }
    case_bool_decide; wp_pures; last by iApply "HΦ".
    wp_apply (central_has_work_spec with "Ic"). iIntros (r) "_". by iApply "HΦ".
  Qed.

  (** Claim: [waits_for_answer] tells whether the worker should ask again rather than
      sleep. *)
  Lemma private_hub_waits_for_answer_spec o γ n i : i < n →
    {{{ private_hub_inv o γ n ∗ private_hub_owner γ i true }}}
      h_waits_for_answer o #i
    {{{ (b : bool), RET #b; private_hub_owner γ i true }}}.
  Proof.
    iIntros (Hi Φ) "[(%p & -> & (_ & _ & #Hthieves & _)) (Hc & (%vs & %asked & [Ho Ht] & _) & Hg)] HΦ".
    iDestruct "Ht" as (x victim misses b) "(%Hx & (H0 & H1 & H2) & Ht)".
    simpl. wp_pures. wp_rec. wp_pures. wp_apply (array_get_spec _ _ _ _ #x with "Hthieves");
      [lia|by rewrite Nat2Z.id list_lookup_fmap Hx|]. iIntros "_". wp_na_load.
    iModIntro. iApply "HΦ". iApply (private_hub_owner_intro with "Hc [Ho H0 H1 H2 Ht] Hg").
    iFrame "Ho". iExists x, victim, misses, b. by iFrame.
  Qed.

  (** Claim: [tick] may answer a thief; no task enters or leaves the hub. *)
  Lemma private_hub_tick_spec o γ n i : i < n →
    {{{ private_hub_inv o γ n ∗ private_hub_owner γ i true }}}
      h_tick o #i
    {{{ RET #(); private_hub_owner γ i true }}}.
  Proof.
    iIntros (Hi Φ) "[(%p & -> & #Hp) (Hc & (%vs & %asked & Hside & _) & Hg)] HΦ".
    simpl. wp_pures.
    wp_apply (private_hub_tick_safe_spec with "[$Hp $Hside]"); first done.
    iIntros (vs') "Hside". iApply "HΦ".
    iApply (private_hub_owner_intro with "Hc Hside Hg").
  Qed.
End ops.
