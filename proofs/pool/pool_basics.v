(** The pool's small functions: waking, publishing, submitting, running one task,
    and the counts that decide how long to hunt. *)
From iris.base_logic.lib Require Import invariants.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Import pool_state pool_ops pool_code.

Global Typeclasses Opaque pool_inv is_ctx ctx_words worker_own pool_worker task_ready
  pool_task task_block pool_obligation pool_consumer.

Section worker.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.

  Lemma words_intro c (b3 b4 : bool) (z5 z6 z7 z8 : Z) :
    (c +ₗ 3) ↦na #b3 -∗ (c +ₗ 4) ↦na #b4 -∗ (c +ₗ 5) ↦na #z5 -∗ (c +ₗ 6) ↦na #z6 -∗
    (c +ₗ 7) ↦na #z7 -∗ (c +ₗ 8) ↦na #z8 -∗ ctx_words c.
  Proof. rewrite /ctx_words. iIntros "H3 H4 H5 H6 H7 H8". iFrame. Qed.
  Lemma worker_intro γ c a i o d :
    i < pn_size γ → is_ctx γ i c -∗ ctx_words c -∗ hub_owner (pn_hub γ) i true -∗
    wt_phase (pn_phases γ) i a -∗ server_half γ i (S o) -∗ depth_is γ i d -∗
    pool_worker γ c (PoolScope a i o d).
  Proof. iIntros (Hi) "H1 H2 H3 H4 H5 H6". rewrite /pool_worker /worker_own /=. by iFrame. Qed.
End worker.

(** Unfolds [pool_inv] and [pool_worker] into named hypotheses; [pool_inv] stays. *)
Ltac pool_names :=
  iPoseProof "Hinv" as "#Hinv'"; iEval (rewrite /pool_inv /hub_val) in "Hinv'";
  iDestruct "Hinv'" as "(%Hself & %Hsize & #Ht0 & #Ht1 & #Ht2 & #Ht3 & #Ht4 & #Ht5 &
    #Ht6 & #Ht7 & #Ht8 & #Ht9 & #Hcl & #Hsl & #Hctxs & #Hhub & #Hwaiters & #Hchange &
    #Hmutex & #Hidle & #Hon_idle & #Hmain)".
Ltac ctx_names :=
  iPoseProof "Hctx" as "#Hctx'"; iEval (rewrite /is_ctx) in "Hctx'";
  iDestruct "Hctx'" as "(#Hc & #Hc0 & #Hc1 & %w & #Hc2 & #Hw)".
Ltac worker_names :=
  iEval (rewrite /pool_worker /worker_own; cbn [sc_announced sc_worker sc_outer sc_depth]) in "Hworker";
  iDestruct "Hworker" as "(%Hi & #Hctx & Hwords & Hown & Hphase & Hserver & Hd)"; ctx_names.
Ltac words_names :=
  iEval (rewrite /ctx_words) in "Hwords";
  iDestruct "Hwords" as "([%b3 H3] & [%b4 H4] & [%z5 H5] & [%z6 H6] & [%z7 H7] & [%z8 H8])".
(** Folds [pool_worker] again. *)
Ltac words_pack := iDestruct (words_intro with "H3 H4 H5 H6 H7 H8") as "Hwords".
Ltac worker_pack :=
  iDestruct (worker_intro with "Hctx Hwords Hown Hphase Hserver Hd") as "Hworker"; first done.

(** The loads of a call's arguments, whose cells are in the context. The tactic
    focuses first: a search below a long chain of projections takes too long. *)
Ltac wp_words := repeat (wp_pures; wp_bind (Load _); wp_load); wp_pures.

Section basics.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.
  Implicit Types (γ : pool_name) (a : bool) (i o d k : nat) (l c : loc) (t : val).

  (** ** Waking *)

  Lemma pool_wake_spec γ t i :
    i < pn_size γ →
    {{{ pool_inv γ t }}} pool_pool_wake t #i {{{ RET #(); True }}}.
  Proof.
    iIntros (Hi Φ) "#Hinv HΦ". pool_names. subst t. wp_rec. wp_words.
    wp_apply (wt_notify_spec with "Hwaiters"); first done. iIntros (b) "_".
    wp_pures. by iApply "HΦ".
  Qed.
  Lemma pool_wake_one_spec γ t :
    {{{ pool_inv γ t }}} pool_pool_wake_one t {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "#Hinv HΦ". pool_names. subst t. wp_rec. wp_words.
    wp_apply (wt_notify_one_spec with "Hwaiters"); first done. iIntros (b) "_".
    wp_pures. by iApply "HΦ".
  Qed.

  (** ** Publishing *)

  Lemma hub_task_spec γ (code : val) P Q :
    {{{ ∀ l, task_runs γ l code (▷ P ∗ ▷ □ Q) }}}
      hub_hub_task code
    {{{ l, RET #l; task_ready γ l P Q }}}.
  Proof.
    iIntros (Φ) "Hrun HΦ". wp_rec. wp_apply array_make_spec; [done..|].
    iIntros (a) "_". wp_pures. iApply wp_fupd. wp_apply block3_spec; first done.
    iIntros (l) "(Hl0 & Hl1 & Hl2 & _)".
    iMod (pointsto_persist with "Hl0") as "#Hl0". iModIntro. iApply "HΦ".
    rewrite /task_ready /task_block. iExists code. iFrame "Hl0". iSplitR "Hrun"; last by iApply "Hrun".
    iExists _, _. iFrame.
  Qed.

  Lemma pool_async_raw_spec γ t c a i o d (code : val) P Q :
    {{{ pool_inv γ t ∗ pool_worker γ c (PoolScope a i o (S d)) ∗
        ∀ l, task_runs γ l code (▷ P ∗ ▷ □ Q) }}}
      pool_pool_async #c code
    {{{ RET #();
        pool_worker γ c (PoolScope a i o (S d)) ∗ pool_obligation γ Q ∗ pool_consumer γ P }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hworker & Hrun) HΦ". worker_names.
    wp_rec. wp_pures. wp_load. wp_pures.
    wp_apply (hub_task_spec with "Hrun"). iIntros (l) "Hl".
    pool_names. wp_words. worker_pack.
    wp_apply (pool_hub_push_spec _ _ _ _ _ _ _ 0 with "[$Hinv $Hworker $Hl]").
    iIntros "(Hworker & HQ & HP)". wp_pures. subst t.
    wp_apply (pool_wake_one_spec with "Hinv"). iIntros "_". iApply "HΦ". iFrame.
  Qed.

  Lemma pool_submit_open_spec γ t (r : Z) l P Q known :
    {{{ pool_inv γ t ∗ known_open γ known ∗ task_ready γ l P Q }}}
      pool_pool_submit t #r #l
    {{{ (b : bool), RET #b; ⌜known → b⌝ ∗ known_open γ known ∗
        if b then pool_obligation γ Q ∗ pool_consumer γ P else task_ready γ l P Q }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hknown & Hl) HΦ". wp_rec. wp_pures.
    wp_apply (pool_enter_open_spec with "Hinv Hknown").
    iIntros ([] Hb) "Hknown He"; wp_pures.
    - pool_names. subst t. wp_words.
      wp_apply (pool_hub_submit_spec with "[$Hinv $He $Hl]"). iIntros "(He & HQ)".
      wp_pures. wp_apply (pool_wake_one_spec with "Hinv"). iIntros "_". wp_pures.
      wp_apply (pool_leave_spec with "[$Hinv $He]"). iIntros "_". wp_pures.
      iApply ("HΦ" $! true). by iFrame.
    - wp_apply (pool_leave_spec with "[$Hinv $He]"). iIntros "_". wp_pures.
      iApply ("HΦ" $! false). by iFrame.
  Qed.
  (** The result of publishing from outside: [true] and the promises, or the task
    again. *)
  (** Claim: [submit] accepts a task from outside, which then runs at most once; or
      refuses the task because the pool is closed, and the caller keeps all resources. *)
  Lemma pool_submit_spec γ t (r : Z) l P Q :
    {{{ pool_inv γ t ∗ task_ready γ l P Q }}}
      pool_pool_submit t #r #l
    {{{ (b : bool), RET #b;
        if b then pool_obligation γ Q ∗ pool_consumer γ P else task_ready γ l P Q }}}.
  Proof.
    iIntros (Φ) "[#Hinv Hl] HΦ".
    wp_apply (pool_submit_open_spec _ _ _ _ _ _ false with "[$Hinv $Hl //]").
    iIntros (b) "(_ & _ & H)". by iApply "HΦ".
  Qed.
  (** Claim: [submit_to] is [submit] for one worker. *)
  Lemma pool_submit_to_spec γ t i (r : Z) l P Q :
    i < pn_size γ →
    {{{ pool_inv γ t ∗ task_ready γ l P Q }}}
      pool_pool_submit_to t #i #r #l
    {{{ (b : bool), RET #b;
        if b then pool_obligation γ Q ∗ pool_consumer γ P else task_ready γ l P Q }}}.
  Proof.
    iIntros (Hi Φ) "(#Hinv & Hl) HΦ". wp_rec. wp_pures.
    wp_apply (pool_enter_spec with "Hinv"). iIntros ([]) "He"; wp_pures.
    - pool_names. subst t. wp_words.
      wp_apply (pool_hub_submit_to_spec with "[$Hinv $He $Hl]"); first done.
      iIntros "(He & HQ)".
      wp_pures. wp_apply (pool_wake_spec with "Hinv"); first done. iIntros "_". wp_pures.
      wp_apply (pool_leave_spec with "[$Hinv $He]"). iIntros "_". wp_pures.
      by iApply ("HΦ" $! true).
    - wp_apply (pool_leave_spec with "[$Hinv $He]"). iIntros "_". wp_pures.
      by iApply ("HΦ" $! false).
  Qed.

  (** ** Reading a context *)

  Lemma pool_size_raw_spec γ t c sc :
    {{{ pool_inv γ t ∗ pool_worker γ c sc }}}
      pool_pool_size #c
    {{{ RET #(pn_size γ); pool_worker γ c sc }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hworker) HΦ". destruct sc as [a i o d]. worker_names.
    pool_names. wp_rec. wp_words. worker_pack. by iApply "HΦ".
  Qed.
  Lemma pool_has_work_raw_spec γ t c sc :
    {{{ pool_inv γ t ∗ pool_worker γ c sc }}}
      pool_pool_has_work #c
    {{{ (b : bool), RET #b; pool_worker γ c sc }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hworker) HΦ". destruct sc as [a i o d]. worker_names.
    pool_names. wp_rec. wp_words.
    wp_apply (hub_has_work_spec with "[$Hhub $Hown]"); first done.
    iIntros (b) "Hown". worker_pack. by iApply "HΦ".
  Qed.
  Lemma pool_tick_raw_spec γ t c sc :
    {{{ pool_inv γ t ∗ pool_worker γ c sc }}}
      pool_pool_tick #c
    {{{ RET #(); pool_worker γ c sc }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hworker) HΦ". destruct sc as [a i o d]. worker_names.
    pool_names. wp_rec. wp_words.
    wp_apply (hub_tick_spec with "[$Hhub $Hown]"); first done.
    iIntros "Hown". worker_pack. by iApply "HΦ".
  Qed.
  Lemma pool_block_raw_spec γ t c sc l :
    {{{ pool_inv γ t ∗ pool_worker γ c sc }}}
      pool_pool_block #c #l
    {{{ RET #(); pool_worker γ c sc }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hworker) HΦ". destruct sc as [a i o d]. worker_names.
    words_names. pool_names. wp_rec. wp_pures. wp_na_store. wp_words. words_pack.
    wp_apply (hub_blocked_spec with "[$Hhub $Hown]"); first done.
    iIntros "Hown". worker_pack. by iApply "HΦ".
  Qed.

  (** ** Running one task *)

  (** Claim: Running a task uses up the task's proof: a task runs at most once, on one
      worker, and its plain fields are free of races. *)
  Lemma pool_execute_spec γ t c i o d l :
    {{{ pool_inv γ t ∗ pool_worker γ c (PoolScope false i o (S d)) ∗ pool_task γ l }}}
      pool_pool_execute #c #l
    {{{ RET #(); pool_worker γ c (PoolScope false i o d) }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hworker & Hl) HΦ". iEval (rewrite /pool_task /task_block) in "Hl".
    iDestruct "Hl" as (code k) "(#Hl0 & (%v & %a & Hl1 & Hl2) & Hk & Hrun)".
    worker_names. words_names. wp_rec. wp_pures. wp_na_load. wp_pures. wp_na_store.
    wp_pures. wp_load. wp_pures. wp_na_store. wp_pures. wp_na_store. wp_pures. wp_load.
    words_pack. worker_pack.
    wp_bind (code _). iApply (wp_wand with "[Hworker Hrun Hl1 Hl2]").
    { iApply ("Hrun" with "Hworker [Hl1 Hl2]"). rewrite /task_block. iFrame. }
    iIntros (?) "[Hworker Hdone]". iMod ("Hdone" with "Hk") as "Hk".
    iMod (pool_execution_done with "Hinv Hworker Hk") as "Hworker"; first done.
    iClear "Hctx Hc Hc0 Hc1 Hc2 Hw". clear w b3 b4 z5 z6 z7 z8 Hi. wp_pures. worker_names. words_names. wp_na_load.
    destruct b3; wp_pures.
    - pool_names. wp_words. wp_apply (hub_finished_spec with "[$Hhub $Hown]"); first done.
      iIntros "Hown". wp_pures. wp_na_store. words_pack. worker_pack. by iApply "HΦ".
    - wp_na_store. words_pack. worker_pack. by iApply "HΦ".
  Qed.
End basics.
