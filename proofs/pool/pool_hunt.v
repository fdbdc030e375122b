(** Hunting, and the worker's loop.

    A hunt is parametric in the knowledge that its steals give.
    [steal_gives γ i c o d R D] concerns one call of the hub's [steal] by the worker.
    Given [R], the steal takes a task, or finds none. If the steal finds none, and the
    pool was known to be sealed before, the worker waits for a victim's answer, or has
    learned [D]. A worker of a running pool needs no [R] and learns nothing. The last
    worker of a closing pool puts the right to every other role into [R], and learns
    that no task is left for it. *)
From iris.base_logic.lib Require Import invariants.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.base Require Import ivar_code.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Import pool_state pool_ops pool_basics pool_code.

Section hunt.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.
  Implicit Types (γ : pool_name) (a : bool) (i o d k : nat) (l c : loc) (t : val).

  Lemma pool_shrink_budget_spec γ c sc :
    {{{ pool_worker γ c sc }}}
      pool_pool_shrink_budget #c
    {{{ RET #(); pool_worker γ c sc }}}.
  Proof.
    iIntros (Φ) "Hworker HΦ". destruct sc as [a i o d]. worker_names. words_names.
    wp_rec. wp_pures. wp_na_load. wp_pures. wp_na_load. wp_pures.
    case_bool_decide; wp_pures; wp_na_store; words_pack; worker_pack; by iApply "HΦ".
  Qed.
  Lemma pool_grow_budget_spec γ t c sc :
    {{{ pool_inv γ t ∗ pool_worker γ c sc }}}
      pool_pool_grow_budget #c
    {{{ RET #(); pool_worker γ c sc }}}.
  Proof.
    iIntros (Φ) "[#Hinv Hworker] HΦ". destruct sc as [a i o d]. worker_names. words_names.
    pool_names. wp_rec. wp_pures. wp_na_load. wp_words. wp_rec. wp_pures.
    case_bool_decide; wp_pures; case_bool_decide; wp_pures; wp_na_store;
      words_pack; worker_pack; by iApply "HΦ".
  Qed.

  Lemma working_read w Φ :
    inv pool_wordN (∃ b : bool, w ↦ #b) -∗ (∀ b : bool, Φ #b) -∗ WP ! #w {{ Φ }}.
  Proof.
    iIntros "#Hw HΦ". iInv "Hw" as (b) ">H". wp_load. iModIntro.
    iSplitL "H"; [by iExists b|by iApply "HΦ"].
  Qed.
  Lemma working_write w (b : bool) Φ :
    inv pool_wordN (∃ b : bool, w ↦ #b) -∗ Φ #() -∗ WP #w <- #b {{ Φ }}.
  Proof.
    iIntros "#Hw HΦ". iInv "Hw" as (b') ">H". wp_store. iModIntro.
    iSplitL "H"; [by iExists b|done].
  Qed.

  Lemma pool_nobody_works_spec γ t (i : nat) :
    i ≤ pn_size γ →
    {{{ pool_inv γ t }}} pool_pool_nobody_works t #i {{{ (b : bool), RET #b; True }}}.
  Proof.
    iIntros (Hle Φ) "#Hinv HΦ". pool_names. subst t. iLöb as "IH" forall (i Hle).
    wp_rec. wp_words. case_bool_decide as Heq; wp_pures; first by iApply "HΦ".
    assert (i < pn_size γ) as Hi.
    { destruct (decide (i = pn_size γ)) as [->|]; [done|lia]. }
    wp_na_load. iDestruct ("Hctxs" $! i with "[//]") as (c) "#Hctx". ctx_names.
    wp_apply (array_get_cell_spec with "[$Hcl $Hc]"); first lia. iIntros "_". wp_words.
    wp_bind (! _)%E. iApply (working_read with "Hw"). iIntros ([]); wp_pures.
    { by iApply "HΦ". }
    replace (i + 1)%Z with (Z.of_nat (S i)) by lia. iApply ("IH" with "[%] HΦ"). lia.
  Qed.

  Lemma pool_stop_working_spec γ t c sc :
    {{{ pool_inv γ t ∗ pool_worker γ c sc }}}
      pool_pool_stop_working #c
    {{{ RET #(); pool_worker γ c sc }}}.
  Proof.
    iIntros (Φ) "[#Hinv Hworker] HΦ". destruct sc as [a i o d]. worker_names.
    pool_names. wp_rec. wp_words. wp_bind (_ <- _)%E.
    iApply (working_write with "Hw"). wp_words.
    wp_bind (! _)%E. iApply (pool_closed_read with "Hinv"). iIntros ([]) "_"; wp_pures.
    - wp_apply (pool_nobody_works_spec _ _ 0 with "[]"); [lia|by subst t|].
      iIntros ([]) "_"; wp_pures.
      + wp_words. wp_apply (wt_notify_all_spec with "Hwaiters"). iIntros "_".
        worker_pack. by iApply "HΦ".
      + worker_pack. by iApply "HΦ".
    - worker_pack. by iApply "HΦ".
  Qed.

  Lemma pool_at_end_spec γ t (until : val) (stops : bool) :
    {{{ pool_inv γ t }}}
      pool_pool_at_end (until, #stops)%V t
    {{{ (b : bool), RET #b; if b then ⌜stops⌝ ∗ pool_sealed γ else True }}}.
  Proof.
    iIntros (Φ) "#Hinv HΦ". pool_names. subst t. wp_rec. wp_pures.
    destruct stops; wp_pures; last by iApply ("HΦ" $! false).
    wp_words. wp_bind (! _)%E. iApply (pool_closed_read with "Hinv").
    iIntros ([]) "#Hclosed"; wp_pures; last by iApply ("HΦ" $! false).
    wp_words. wp_bind (! _)%E. iApply (pool_outside_read with "Hinv Hclosed").
    iIntros (z) "Hsealed". wp_pures.
    case_bool_decide as Hz; wp_pures; last by iApply ("HΦ" $! false).
    injection Hz as ->. iDestruct ("Hsealed" with "[//]") as "#Hsealed".
    wp_apply (pool_nobody_works_spec _ _ 0 with "Hinv"); first lia.
    iIntros (b) "_". iApply "HΦ". destruct b; last done. by iFrame "#".
  Qed.

  Lemma pool_may_spin_spec γ t (until : val) (stops : bool) :
    {{{ pool_inv γ t }}}
      pool_pool_may_spin (until, #stops)%V t
    {{{ (b : bool), RET #b; True }}}.
  Proof.
    iIntros (Φ) "#Hinv HΦ". pool_names. subst t. wp_rec. wp_pures.
    destruct stops; wp_pures; last by iApply ("HΦ" $! true).
    wp_words. wp_bind (! _)%E. iApply (pool_closed_read with "Hinv").
    iIntros (b) "_". wp_pures. by iApply "HΦ".
  Qed.

  Lemma pool_found_more_spec γ t c sc :
    {{{ pool_inv γ t ∗ pool_worker γ c sc }}}
      pool_pool_found_more #c
    {{{ RET #(); pool_worker γ c sc }}}.
  Proof.
    iIntros (Φ) "[#Hinv Hworker] HΦ". destruct sc as [a i o d]. worker_names. words_names.
    pool_names. subst t. wp_rec. wp_words. wp_na_load. wp_pures. wp_na_store. words_pack.
    worker_pack. wp_words. wp_apply (wt_count_spec with "Hwaiters").
    iIntros (z) "_". wp_pures. case_bool_decide; wp_pures; last by iApply "HΦ".
    wp_apply (pool_has_work_raw_spec with "[$Hinv $Hworker]").
    iIntros ([]) "Hworker"; wp_pures; last by iApply "HΦ".
    wp_apply (pool_wake_one_spec with "Hinv"). iIntros "_". by iApply "HΦ".
  Qed.

  Lemma pool_cancel_sleep_spec γ t c i o d :
    {{{ pool_inv γ t ∗ pool_worker γ c (PoolScope true i o d) }}}
      pool_pool_cancel_sleep #c
    {{{ RET #(); pool_worker γ c (PoolScope false i o d) }}}.
  Proof.
    iIntros (Φ) "[#Hinv Hworker] HΦ". worker_names.
    pool_names. subst t. wp_rec. wp_words.
    wp_apply (wt_cancel_spec with "[$Hwaiters $Hphase]"); first done.
    iIntros (b) "Hphase". worker_pack. destruct b; wp_pures; last by iApply "HΦ".
    wp_apply (pool_wake_one_spec with "Hinv"). iIntros "_". by iApply "HΦ".
  Qed.

  (** ** Goals, and the results of steals *)

  Definition until_tells_of (e : expr) (G : iProp Σ) : iProp Σ :=
    (□ WP e {{ r, ∃ b : bool, ⌜r = #b⌝ ∗ (if b then G else True) }})%I.
  Definition until_tells (until : val) (G : iProp Σ) : iProp Σ :=
    until_tells_of (until #()) G.

  Definition steal_gives γ i c o d (R D : iProp Σ) : iProp Σ :=
    □ ∀ a sealed : bool, (if sealed then pool_sealed γ else True) -∗
      pool_worker γ c (PoolScope a i o d) -∗ R -∗
      WP h_steal (pn_ops γ) #i {{ r,
        R ∗ worker_took γ c a i o d r ∗
        (⌜r = NONEV ∧ sealed⌝ → hub_asked (pn_hub γ) i ∨ D) }}.

  (** The end of a hunt: the worker has a task, or the goal is reached. *)
  Definition hunt_ends γ c i o d (stops : bool) (R D G : iProp Σ) (r : val) : iProp Σ :=
    R ∗ worker_took γ c false i o d r ∗ (⌜r = NONEV⌝ → G ∨ ⌜stops⌝ ∗ D).

  Section loop.
    Context γ i c o d (until : val) (stops : bool) (R D G : iProp Σ).
    Context `{!Persistent D, !Persistent G}.

    Lemma pool_spin_park_spec t :
      pool_inv γ t -∗ until_tells until G -∗ steal_gives γ i c o d R D -∗
      □ (∀ rounds : Z, pool_worker γ c (PoolScope false i o d) -∗ R -∗
          WP pool_pool_spin_group #0 #c (until, #stops)%V #rounds
            {{ hunt_ends γ c i o d stops R D G }}) ∗
      □ (pool_worker γ c (PoolScope false i o d) -∗ R -∗
          WP pool_pool_spin_group #1 #c (until, #stops)%V
            {{ hunt_ends γ c i o d stops R D G }}).
    Proof using Type*.
      iIntros "#Hinv #Huntil #Hsteal". iLöb as "IH". iDestruct "IH" as "[IHspin IHpark]".
      pool_names. subst t.
      iSplit; iModIntro.
      - (* spin *)
        iIntros (rounds) "Hworker HR". wp_rec. wp_pures. worker_names.
        wp_words. worker_pack. wp_bind (h_steal _ _).
        iApply (wp_wand with "[Hworker HR]").
        { by iApply ("Hsteal" $! false false with "[//] Hworker HR"). }
        iIntros (r) "(HR & [[-> Hworker]|(%l & -> & Hl & Hworker)] & _)"; wp_pures; last first.
        { wp_apply (pool_grow_budget_spec with "[$Hinv $Hworker]"). iIntros "Hworker".
          wp_pures. wp_apply (pool_found_more_spec with "[$Hinv $Hworker]").
          iIntros "Hworker". wp_pures. iModIntro. iFrame "HR". iSplitL.
          - iRight. iExists l. by iFrame.
          - by iIntros "%". }
        wp_bind (until _). iApply (wp_wand with "Huntil"). iIntros (?) "(%b & -> & HG)".
        destruct b; wp_pures.
        { iModIntro. iFrame "HR". iSplitL "Hworker"; first by iLeft; iFrame.
          iIntros "_". by iLeft. }
        iClear "Hctx Hc Hc0 Hc1 Hc2 Hw HG". clear w Hi. worker_names. wp_words.
        wp_apply (hub_waits_for_answer_spec with "[$Hhub $Hown]"); first done.
        iIntros (b) "Hown". worker_pack. destruct b; wp_pures.
        { by iApply ("IHspin" with "Hworker HR"). }
        iAssert (∀ Ψ : val → iProp Σ, (∀ b : bool, Ψ #b) -∗
          WP (if: #(bool_decide (0 < rounds)%Z) then
                pool_pool_may_spin (until, #stops)%V #(pn_self γ) else #false) {{ Ψ }})%I
          as "Hspin".
        { iIntros (Ψ) "HΨ". case_bool_decide; wp_pures; last done.
          wp_apply (pool_may_spin_spec with "Hinv"). iIntros (b) "_". by iApply "HΨ". }
        wp_bind (If _ _ (Val #false)). iApply "Hspin". iIntros (b). destruct b; wp_pures.
        { by iApply ("IHspin" with "Hworker HR"). }
        wp_apply (pool_shrink_budget_spec with "Hworker"). iIntros "Hworker". wp_words.
        wp_bind (pn_on_idle γ _). iApply wp_wand; first by iApply "Hon_idle".
        iIntros (?) "_". wp_pures. by iApply ("IHpark" with "Hworker HR").
      - (* park *)
        iIntros "Hworker HR". wp_rec. wp_pures. worker_names. wp_words.
        wp_apply (wt_prepare_spec with "[$Hwaiters $Hphase]"); first done.
        iIntros "Hphase". wp_pures.
        wp_apply (pool_at_end_spec with "Hinv"). iIntros (at_end) "#Hat_end". wp_words.
        worker_pack. wp_bind (h_steal _ _). iApply (wp_wand with "[Hworker HR]").
        { iApply ("Hsteal" $! true at_end with "[] Hworker HR"). destruct at_end; last done.
          by iDestruct "Hat_end" as "[_ $]". }
        iIntros (r) "(HR & [[-> Hworker]|(%l & -> & Hl & Hworker)] & HD)"; wp_pures; last first.
        { wp_apply (pool_cancel_sleep_spec with "[$Hinv $Hworker]"). iIntros "Hworker".
          wp_pures. wp_apply (pool_found_more_spec with "[$Hinv $Hworker]").
          iIntros "Hworker". wp_pures. iModIntro. iFrame "HR". iSplitL "Hl Hworker".
          - iRight. iExists l. by iFrame.
          - by iIntros "%". }
        wp_bind (until _). iApply (wp_wand with "Huntil"). iIntros (?) "(%b & -> & HG)".
        destruct b; wp_pures.
        { wp_apply (pool_cancel_sleep_spec with "[$Hinv $Hworker]"). iIntros "Hworker".
          wp_pures. iModIntro. iFrame "HR". iSplitL "Hworker"; first by iLeft; iFrame.
          iIntros "_". by iLeft. }
        iClear "Hctx Hc Hc0 Hc1 Hc2 Hw HG". clear w Hi. worker_names. wp_words.
        (* Whether the worker waits for an answer; if not, the knowledge from the steal. *)
        iAssert (∀ Ψ : val → iProp Σ,
          (∀ b : bool, hub_owner (pn_hub γ) i true -∗
            (⌜b = false ∧ at_end⌝ → D) -∗ Ψ #b) -∗
          WP h_waits_for_answer (pn_ops γ) #i {{ Ψ }})%I with "[Hown HD]" as "Hwaits".
        { iIntros (Ψ) "HΨ". destruct at_end.
          - iDestruct ("HD" with "[//]") as "[Hasked|#HD]".
            + wp_apply (hub_waits_for_answer_asked_spec with "[$Hhub $Hown $Hasked]");
                first done.
              iIntros "Hown". iApply ("HΨ" with "Hown"). by iIntros "[% _]".
            + wp_apply (hub_waits_for_answer_spec with "[$Hhub $Hown]"); first done.
              iIntros (b) "Hown". iApply ("HΨ" with "Hown"). by iIntros "_".
          - wp_apply (hub_waits_for_answer_spec with "[$Hhub $Hown]"); first done.
            iIntros (b) "Hown". iApply ("HΨ" with "Hown"). by iIntros "[_ %]". }
        wp_bind (h_waits_for_answer _ _). iApply "Hwaits". iIntros (b) "Hown HD". worker_pack.
        destruct b; wp_pures.
        { wp_apply (pool_cancel_sleep_spec with "[$Hinv $Hworker]"). iIntros "Hworker".
          wp_pures. by iApply ("IHspin" with "Hworker HR"). }
        destruct at_end; wp_pures.
        { wp_apply (pool_cancel_sleep_spec with "[$Hinv $Hworker]"). iIntros "Hworker".
          wp_pures. iModIntro. iFrame "HR". iSplitL "Hworker"; first by iLeft; iFrame.
          iIntros "_". iRight. iDestruct "Hat_end" as "[$ _]". by iApply "HD". }
        iClear "Hctx Hc Hc0 Hc1 Hc2 Hw". clear w Hi. worker_names. words_names.
        wp_na_load. wp_pures. wp_na_store. words_pack. wp_words.
        wp_apply (wt_commit_spec with "[$Hwaiters $Hphase]"); first done.
        iIntros "Hphase". wp_pures.
        wp_bind (until _). iApply (wp_wand with "Huntil"). iIntros (?) "(%b & -> & HG)".
        destruct b; wp_pures.
        { wp_apply (pool_wake_one_spec with "Hinv"). iIntros "_". wp_pures. worker_pack.
          iModIntro. iFrame "HR". iSplitL "Hworker"; first by iLeft; iFrame.
          iIntros "_". by iLeft. }
        clear b3 b4 z5 z6 z7 z8. words_names. wp_na_load. words_pack. worker_pack.
        by iApply ("IHspin" with "Hworker HR").
    Qed.

    Lemma pool_hunt_spec t :
      {{{ pool_inv γ t ∗ until_tells until G ∗ steal_gives γ i c o d R D ∗
          pool_worker γ c (PoolScope false i o d) ∗ R }}}
        pool_pool_hunt #c (until, #stops)%V
      {{{ r, RET r; hunt_ends γ c i o d stops R D G r }}}.
    Proof using Type*.
      iIntros (Φ) "(#Hinv & #Huntil & #Hsteal & Hworker & HR) HΦ".
      pool_names. worker_names. words_names. subst t. wp_rec. wp_words. wp_na_store.
      words_pack. wp_words. wp_bind (FAA _ _).
      iInv "Hidle" as (z) ">Hz". wp_faa. iModIntro. iSplitL "Hz"; first by iExists _.
      wp_pures. worker_pack.
      iAssert (∀ Ψ : val → iProp Σ, pool_worker γ c (PoolScope false i o d) -∗
          (pool_worker γ c (PoolScope false i o d) -∗ Ψ #()) -∗
          WP (if: #stops then pool_pool_stop_working #c else #()) {{ Ψ }})%I as "Hstop".
      { iIntros (Ψ) "Hworker HΨ". destruct stops; wp_pures; last by iApply "HΨ".
        wp_apply (pool_stop_working_spec with "[$Hinv $Hworker]"). done. }
      wp_bind (If _ _ _). iApply ("Hstop" with "Hworker"). iIntros "Hworker". wp_pures.
      iClear "Hctx Hc Hc0 Hc1 Hc2 Hw". clear w Hi b3 b4 z5 z6 z7 z8. worker_names.
      words_names. wp_na_load. words_pack. worker_pack.
      iDestruct (pool_spin_park_spec with "Hinv Huntil Hsteal") as "[Hspin _]".
      wp_rec. wp_pures. wp_bind (pool_pool_spin_group _ _ _ _).
      iApply (wp_wand with "[Hworker HR]"); first by iApply ("Hspin" with "Hworker HR").
      iIntros (r) "(HR & Htook & Hend)". wp_pures.
      iDestruct "Htook" as "[[-> Hworker]|(%l & -> & Hl & Hworker)]"; wp_pures.
      - iClear "Hctx Hc Hc0 Hc1 Hc2 Hw". clear w Hi b3 b4 z5 z6 z7 z8. worker_names.
        words_names. wp_na_store. words_pack. wp_words. wp_bind (FAA _ _).
        iInv "Hidle" as (z') ">Hz". wp_faa. iModIntro. iSplitL "Hz"; first by iExists _.
        wp_pures. worker_pack. iModIntro. iApply "HΦ". iFrame "HR Hend". iLeft. by iFrame.
      - iAssert (∀ Ψ : val → iProp Σ, Ψ #() -∗
          WP (if: #stops then ! (#c +ₗ #2) <- #true else #()) {{ Ψ }})%I as "Hset".
        { iIntros (Ψ) "HΨ". destruct stops; wp_pures; last done. wp_load.
          by iApply (working_write with "Hw"). }
        wp_bind (If _ _ _). iApply "Hset". wp_pures.
        iClear "Hset Hctx Hc Hc0 Hc1 Hc2 Hw". clear w Hi b3 b4 z5 z6 z7 z8. worker_names.
        words_names. wp_na_store. words_pack. wp_words. wp_bind (FAA _ _).
        iInv "Hidle" as (z') ">Hz". wp_faa. iModIntro. iSplitL "Hz"; first by iExists _.
        wp_pures. worker_pack. iModIntro. iApply "HΦ". iFrame "HR Hend". iRight.
        iExists l. by iFrame.
    Qed.

    Lemma pool_work_spec t :
      {{{ pool_inv γ t ∗ until_tells until G ∗ steal_gives γ i c o d R D ∗
          pool_worker γ c (PoolScope false i o d) ∗ R }}}
        pool_pool_work #c (until, #stops)%V
      {{{ RET #(); R ∗ pool_worker γ c (PoolScope false i o d) ∗ (G ∨ ⌜stops⌝ ∗ D) }}}.
    Proof using Type*.
      iIntros (Φ) "(#Hinv & #Huntil & #Hsteal & Hworker & HR) HΦ". iLöb as "IH".
      wp_rec. wp_pures. wp_bind (until _). iApply (wp_wand with "Huntil").
      iIntros (?) "(%b & -> & HG)". destruct b; wp_pures.
      { iApply "HΦ". iFrame "HR Hworker". by iLeft. }
      iClear "HG". pool_names. worker_names. wp_words. worker_pack.
      wp_bind (h_pop _ _). iApply (pool_hub_pop_spec with "[$Hinv $Hworker]").
      iIntros (r) "[[-> Hworker]|(%l & -> & Hl & Hworker)]"; wp_pures; last first.
      { wp_apply (pool_execute_spec with "[$Hinv $Hworker $Hl]"). iIntros "Hworker".
        wp_pures. iApply ("IH" with "Hworker HR HΦ"). }
      wp_apply (pool_hunt_spec with "[$Hinv $Huntil $Hsteal $Hworker $HR]").
      iIntros (r) "(HR & [[-> Hworker]|(%l & -> & Hl & Hworker)] & Hend)"; wp_pures.
      { iApply "HΦ". iFrame "HR Hworker". by iApply "Hend". }
      iClear "Hend". wp_apply (pool_execute_spec with "[$Hinv $Hworker $Hl]").
      iIntros "Hworker". wp_pures. iApply ("IH" with "Hworker HR HΦ").
    Qed.
  End loop.

  (** A worker of a running pool. *)
  Lemma steal_gives_running γ t i c o d :
    pool_inv γ t -∗ steal_gives γ i c o d True True.
  Proof.
    iIntros "#Hinv !>" (a sealed) "_ Hworker _".
    iApply (pool_hub_steal_spec with "[$Hinv $Hworker]"). iIntros (r) "$".
    iIntros "_". by iRight.
  Qed.

  (** ** Waiting for an ivar *)

  (** The requirements on the object of a wait: if [is_set] returns true, [G] holds;
      [wait] accepts callbacks that may run in any thread. *)
  Definition waitable (ivar : val) (G : iProp Σ) : iProp Σ :=
    until_tells_of (base_ivar_is_set ivar) G ∗
    □ ∀ run : val, □ (∀ ctx v : val, WP run ctx v {{ _, True }}) -∗
      WP base_ivar_wait ivar run {{ r, ⌜r = NONEV⌝ ∨ ∃ v, ⌜r = SOMEV v⌝ ∗ G }}.

  Lemma pool_wait_ivar_raw_spec γ t c i o d (ivar : val) G `{!Persistent G} :
    {{{ pool_inv γ t ∗ pool_worker γ c (PoolScope false i o d) ∗ waitable ivar G }}}
      pool_pool_wait_ivar #c ivar
    {{{ RET #(); pool_worker γ c (PoolScope false i o d) ∗ G }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hworker & #His_set & #Hwait) HΦ". iLöb as "IH".
    wp_rec. wp_pures. wp_bind (base_ivar_is_set _). iApply (wp_wand with "His_set").
    iIntros (?) "(%b & -> & HG)". destruct b; wp_pures.
    { iApply "HΦ". by iFrame. }
    iClear "HG". pool_names. worker_names. wp_words. worker_pack.
    wp_bind (h_pop _ _). iApply (pool_hub_pop_spec with "[$Hinv $Hworker]").
    iIntros (r) "[[-> Hworker]|(%l & -> & Hl & Hworker)]"; wp_pures; last first.
    { wp_apply (pool_execute_spec with "[$Hinv $Hworker $Hl]"). iIntros "Hworker".
      wp_pures. iApply ("IH" with "Hworker HΦ"). }
    wp_words. wp_bind (base_ivar_wait _ _). iApply wp_wand.
    { iApply "Hwait". iIntros "!>" (ctx v). wp_pures. rewrite -Hself.
      by wp_apply (pool_wake_spec with "Hinv"). }
    iIntros (r) "[->|(%v & -> & #HG)]"; wp_pures; last first.
    { iApply "HΦ". by iFrame. }
    wp_apply (pool_work_spec _ _ _ _ _ _ false True True G with "[$Hinv $Hworker]").
    { iSplitL; last by iApply steal_gives_running.
      iIntros "!>". wp_pures. by iApply "His_set". }
    iIntros "(_ & Hworker & [#HG|[% _]])"; last done. iApply "HΦ". by iFrame.
  Qed.
End hunt.
