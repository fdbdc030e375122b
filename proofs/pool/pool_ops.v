(** The effect of single operations on the invariant: operations of the hub, and of the
    pool's two words. Each operation of the hub that the pool calls has its
    linearisation point inside [pool_main]: a push registers a key there, a take raises
    the taker's depth. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_map mono_nat.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool_state pool_code.

Section ops.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.
  Implicit Types (γ : pool_name) (a : bool) (i o d k : nat) (l c : loc) (M : hub_items) (t : val).

  (** ** The hub *)

  Lemma pool_hub_push_spec γ t c a i o d (r : Z) l P Q (Φ : val → iProp Σ) :
    pool_inv γ t ∗ pool_worker γ c (PoolScope a i o (S d)) ∗ task_ready γ l P Q -∗
    (pool_worker γ c (PoolScope a i o (S d)) ∗ pool_obligation γ Q ∗ pool_consumer γ P -∗ Φ #()) -∗
    WP h_push (pn_ops γ) #i #r #l {{ Φ }}.
  Proof.
    iIntros "(#Hinv & (%Hi & #Hctx & Hwords & Hown & Hphase & Hserver & Hd) & Hl) HΦ".
    simpl in *. pool_inv_names.
    awp_apply (hub_push_spec with "Hhub Hown"); first done.
    iInv "Hmain" as (b s) "(>Hw & [(%M & >HM & HT)|>Hq])"; last first.
    { iDestruct (quiet_depth with "Hq Hd") as %[]. done. }
    iAaccIntro with "HM".
    { iIntros "HM !>". iSplitL "Hw HM HT"; last by iFrame.
      iNext. iExists b, s. iFrame "Hw". iLeft. iExists M. iFrame. }
    iIntros "HM". iMod (tasks_add with "HT Hd Hl") as "(HT & Hd & HQ & HP)".
    iModIntro. iSplitL "Hw HM HT".
    { iNext. iExists b, s. iFrame "Hw". iLeft. iExists _. iFrame. }
    iIntros "Hown". iApply "HΦ". by iFrame "∗ #".
  Qed.

  Lemma pool_hub_submit_spec γ t (r : Z) l P Q (Φ : val → iProp Σ) :
    pool_inv γ t ∗ open_entry γ ∗ task_ready γ l P Q -∗
    (open_entry γ ∗ pool_obligation γ Q ∗ pool_consumer γ P -∗ Φ #()) -∗
    WP h_submit (pn_ops γ) #r #l {{ Φ }}.
  Proof.
    iIntros "(#Hinv & He & Hl) HΦ". pool_inv_names.
    awp_apply (hub_submit_spec with "Hhub").
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & Ha & Hs & [%Hb %Hs]) & Hopen)".
    iDestruct (entry_open_positive with "Ha He") as %Hq.
    iAssert (⌜s < 2⌝)%I as %Hlt.
    { iPureIntro. destruct (decide (2 ≤ s)) as [Hge|]; [apply Hs in Hge|]; lia. }
    iDestruct "Hopen" as "[(%M & >HM & HT)|>[%Hge _]]"; last lia.
    iAaccIntro with "HM".
    { iIntros "HM !>". iSplitL "Hc Ho Ha Hs HM HT"; last by iFrame.
      iNext. iExists b, s. iSplitL "Hc Ho Ha Hs"; first by iExists p, q; iFrame.
      iLeft. iExists M. iFrame. }
    iIntros "HM". iMod (tasks_submit _ _ _ _ None with "HT Hl") as "(HT & HQ & HP)"; [done|by intros ? [=]|].
    iModIntro. iSplitL "Hc Ho Ha Hs HM HT".
    { iNext. iExists b, s. iSplitL "Hc Ho Ha Hs"; first by iExists p, q; iFrame.
      iLeft. iExists _. iFrame. }
    iApply "HΦ". by iFrame.
  Qed.

  Lemma pool_hub_submit_to_spec γ t i (r : Z) l P Q (Φ : val → iProp Σ) :
    i < pn_size γ →
    pool_inv γ t ∗ open_entry γ ∗ task_ready γ l P Q -∗
    (open_entry γ ∗ pool_obligation γ Q ∗ pool_consumer γ P -∗ Φ #()) -∗
    WP h_submit_to (pn_ops γ) #i #r #l {{ Φ }}.
  Proof.
    iIntros (Hi) "(#Hinv & He & Hl) HΦ". pool_inv_names.
    awp_apply (hub_submit_to_spec with "Hhub"); first done.
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & Ha & Hs & [%Hb %Hs]) & Hopen)".
    iDestruct (entry_open_positive with "Ha He") as %Hq.
    iAssert (⌜s < 2⌝)%I as %Hlt.
    { iPureIntro. destruct (decide (2 ≤ s)) as [Hge|]; [apply Hs in Hge|]; lia. }
    iDestruct "Hopen" as "[(%M & >HM & HT)|>[%Hge _]]"; last lia.
    iAaccIntro with "HM".
    { iIntros "HM !>". iSplitL "Hc Ho Ha Hs HM HT"; last by iFrame.
      iNext. iExists b, s. iSplitL "Hc Ho Ha Hs"; first by iExists p, q; iFrame.
      iLeft. iExists M. iFrame. }
    iIntros "HM". iMod (tasks_submit _ _ _ _ (Some i) with "HT Hl") as "(HT & HQ & HP)";
      [done|by intros ? [= <-]|].
    iModIntro. iSplitL "Hc Ho Ha Hs HM HT".
    { iNext. iExists b, s. iSplitL "Hc Ho Ha Hs"; first by iExists p, q; iFrame.
      iLeft. iExists _. iFrame. }
    iApply "HΦ". by iFrame.
  Qed.

  (** The worker's resources after an operation that takes. *)
  Definition worker_took γ c a i o d (r : val) : iProp Σ :=
    ⌜r = NONEV⌝ ∗ pool_worker γ c (PoolScope a i o d) ∨
    ∃ l, ⌜r = SOMEV #l⌝ ∗ ▷ pool_task γ l ∗ pool_worker γ c (PoolScope a i o (S d)).

  Lemma pool_hub_pop_spec γ t c a i o d (Φ : val → iProp Σ) :
    pool_inv γ t ∗ pool_worker γ c (PoolScope a i o d) -∗
    (∀ r, worker_took γ c a i o d r -∗ Φ r) -∗
    WP h_pop (pn_ops γ) #i {{ Φ }}.
  Proof.
    iIntros "(#Hinv & (%Hi & #Hctx & Hwords & Hown & Hphase & Hserver & Hd)) HΦ".
    simpl in *. pool_inv_names.
    awp_apply (hub_pop_spec with "Hhub Hown"); first done.
    iInv "Hmain" as (b s) "(>Hw & [(%M & >HM & HT)|>Hq])"; last first.
    { iDestruct (quiet_depth with "Hq Hd") as %[]. done. }
    iAaccIntro with "HM".
    { iIntros "HM !>". iSplitL "Hw HM HT"; last by iFrame.
      iNext. iExists b, s. iFrame "Hw". iLeft. iExists M. iFrame. }
    iIntros (r M') "[%Htaken HM]". iMod (tasks_taken with "HT Hd") as "(HT & Hr)"; first done.
    iModIntro. iSplitL "Hw HM HT".
    { iNext. iExists b, s. iFrame "Hw". iLeft. iExists _. iFrame. }
    iIntros "Hown". iApply "HΦ".
    iDestruct "Hr" as "[[-> Hd]|(%l & -> & Hl & Hd)]"; [iLeft|iRight; iExists l];
      by iFrame "∗ #".
  Qed.

  Lemma pool_hub_steal_spec γ t c a i o d (Φ : val → iProp Σ) :
    pool_inv γ t ∗ pool_worker γ c (PoolScope a i o d) -∗
    (∀ r, worker_took γ c a i o d r -∗ Φ r) -∗
    WP h_steal (pn_ops γ) #i {{ Φ }}.
  Proof.
    iIntros "(#Hinv & (%Hi & #Hctx & Hwords & Hown & Hphase & Hserver & Hd)) HΦ".
    simpl in *. pool_inv_names.
    awp_apply (hub_steal_spec with "Hhub Hown"); first done.
    iInv "Hmain" as (b s) "(>Hw & [(%M & >HM & HT)|>Hq])"; last first.
    { iDestruct (quiet_depth with "Hq Hd") as %[]. done. }
    iAaccIntro with "HM".
    { iIntros "HM !>". iSplitL "Hw HM HT"; last by iFrame.
      iNext. iExists b, s. iFrame "Hw". iLeft. iExists M. iFrame. }
    iIntros (r M') "[%Htaken HM]". iMod (tasks_taken with "HT Hd") as "(HT & Hr)"; first done.
    iModIntro. iSplitL "Hw HM HT".
    { iNext. iExists b, s. iFrame "Hw". iLeft. iExists _. iFrame. }
    iIntros "Hown". iApply "HΦ".
    iDestruct "Hr" as "[[-> Hd]|(%l & -> & Hl & Hd)]"; [iLeft|iRight; iExists l];
      by iFrame "∗ #".
  Qed.

  (** An execution gives up its key. *)
  Lemma pool_execution_done γ t c a i o d k E :
    ↑poolN ⊆ E →
    pool_inv γ t -∗ pool_worker γ c (PoolScope a i o (S d)) -∗ key_full γ k ={E}=∗
    pool_worker γ c (PoolScope a i o d).
  Proof.
    iIntros (HE) "#Hinv (%Hi & #Hctx & Hwords & Hown & Hphase & Hserver & Hd) Hk".
    simpl in *. pool_inv_names.
    iInv "Hmain" as (b s) "(>Hw & [(%M & >HM & HT)|>Hq])"; last first.
    { iDestruct (quiet_depth with "Hq Hd") as %[]. done. }
    iMod (tasks_done with "HT Hd Hk") as "[HT Hd]". iModIntro. iSplitL "Hw HM HT".
    { iNext. iExists b, s. iFrame "Hw". iLeft. iExists _. iFrame. }
    iModIntro. by iFrame "∗ #".
  Qed.

  (** ** The two words *)

  (** The holder of the right to close knows that the pool is open. *)
  Definition known_open γ (known : bool) : iProp Σ := (if known then may_close γ else True)%I.

  Lemma pool_enter_open_spec γ t known (Φ : val → iProp Σ) :
    pool_inv γ t -∗ known_open γ known -∗
    (∀ b : bool, ⌜known → b⌝ -∗ known_open γ known -∗
      (if b then open_entry γ else plain_entry γ) -∗ Φ #b) -∗
    WP pool_pool_enter t {{ Φ }}.
  Proof.
    iIntros "#Hinv Hknown HΦ". pool_inv_names. subst t. wp_rec. wp_load.
    wp_bind (FAA _ _).
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & Ha & Hs & %Hbs) & Hopen)".
    wp_faa. iMod (entry_new with "Ha") as "[Ha He]". iModIntro.
    iSplitL "Hc Ho Ha Hs Hopen".
    { iNext. iExists b, s. iFrame "Hopen". iExists (S p), q. iFrame.
      replace (Z.of_nat (S p + q)) with (Z.of_nat (p + q) + 1)%Z by lia. by iFrame. }
    wp_pures. clear b s p q Hbs. wp_load. wp_bind (! _)%E.
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & Ha & Hs & %Hbs) & Hopen)".
    wp_load. destruct b.
    - iAssert (⌜known → false⌝)%I as %Hknown.
      { destruct known; last done. iDestruct "Ha" as "[_ [%|Hmay]]"; first done.
        by iDestruct (ghost_map_elem_valid_2 with "Hknown Hmay") as %[? _]. }
      iModIntro. iSplitR "HΦ He Hknown".
      { iNext. iExists true, s. iFrame "Hopen". iExists p, q. by iFrame. }
      wp_pures. by iApply ("HΦ" $! false with "[//] Hknown").
    - iMod (entry_open with "Ha He") as (p' ->) "[Ha He]". iModIntro.
      iSplitR "HΦ He Hknown".
      { iNext. iExists false, s. iFrame "Hopen". iExists p', (S q). iFrame.
        rewrite Nat.add_succ_r. iFrame. iPureIntro. split; first apply Hbs.
        intros ?. destruct Hbs as [[_ Hbs] _]. discriminate Hbs. lia. }
      wp_pures. by iApply ("HΦ" $! true with "[] Hknown").
  Qed.
  Lemma pool_enter_spec γ t (Φ : val → iProp Σ) :
    pool_inv γ t -∗
    (∀ b : bool, (if b then open_entry γ else plain_entry γ) -∗ Φ #b) -∗
    WP pool_pool_enter t {{ Φ }}.
  Proof.
    iIntros "#Hinv HΦ". iApply (pool_enter_open_spec _ _ false with "Hinv [//]").
    iIntros (b) "_ _". iApply "HΦ".
  Qed.

  Lemma pool_leave_spec γ t (Φ : val → iProp Σ) :
    pool_inv γ t ∗ (plain_entry γ ∨ open_entry γ) -∗
    (True -∗ Φ #()) -∗
    WP pool_pool_leave t {{ Φ }}.
  Proof.
    iIntros "[#Hinv He] HΦ". pool_inv_names. subst t. wp_rec. wp_load.
    wp_bind (FAA _ _).
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & Ha & Hs & %Hbs) & Hopen)".
    wp_faa. iMod (entry_leave with "Ha He") as (p' q' [Hpq Hq]) "Ha". iModIntro.
    iSplitL "Hc Ho Ha Hs Hopen".
    { iNext. iExists b, s. iFrame "Hopen". iExists p', q'. iFrame.
      replace (Z.of_nat (p' + q')) with (Z.of_nat (p + q) + -1)%Z by lia. iFrame.
      iPureIntro. split; first apply Hbs. intros Hs. apply Hbs in Hs. lia. }
    wp_pures. clear b s p q p' q' Hbs Hpq Hq. wp_load. wp_bind (! _)%E.
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Hrest) & Hopen)".
    wp_load. iModIntro. iSplitL "Hc Hrest Hopen".
    { iNext. iExists b, s. iFrame "Hopen". iExists p, q. by iFrame. }
    destruct b; wp_pures; last by iApply "HΦ".
    wp_load. by iApply (wt_notify_all_spec with "Hwaiters").
  Qed.

  (** Reading [closed]. *)
  Lemma pool_closed_read γ t Φ :
    pool_inv γ t -∗
    (∀ b : bool, (if b then pool_closed γ else True) -∗ Φ #b) -∗
    WP ! #(pn_closed γ) {{ Φ }}.
  Proof.
    iIntros "#Hinv HΦ". pool_inv_names.
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & Ha & Hs & %Hbs) & Hopen)".
    wp_load. iAssert (if b then pool_closed γ else True)%I as "#Hclosed".
    { destruct b; last done. iDestruct (mono_nat_lb_own_get with "Hs") as "Hlb".
      iApply (mono_nat_lb_own_le with "Hlb"). by apply Hbs. }
    iModIntro. iSplitL "Hc Ho Ha Hs Hopen".
    { iNext. iExists b, s. iFrame "Hopen". iExists p, q. by iFrame. }
    by iApply "HΦ".
  Qed.

  (** A thread that knows that the pool is closed reads [true]. *)
  Lemma pool_closed_known γ t Φ :
    pool_inv γ t -∗ pool_closed γ -∗ Φ #true -∗ WP ! #(pn_closed γ) {{ Φ }}.
  Proof.
    iIntros "#Hinv #Hclosed HΦ". pool_inv_names.
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & Ha & Hs & %Hbs) & Hopen)".
    wp_load. iDestruct (mono_nat_lb_own_valid with "Hs Hclosed") as %[_ Hs].
    assert (b = true) as -> by tauto.
    iModIntro. iSplitL "Hc Ho Ha Hs Hopen".
    { iNext. iExists true, s. iFrame "Hopen". iExists p, q. by iFrame. }
    by iApply "HΦ".
  Qed.
  Lemma pool_sealed_closed γ : pool_sealed γ -∗ pool_closed γ.
  Proof. iApply mono_nat_lb_own_le. lia. Qed.
  (** No entry is open any more. *)
  Lemma pool_sealed_entry γ t E :
    ↑poolN ⊆ E → pool_inv γ t -∗ pool_sealed γ -∗ open_entry γ ={E}=∗ False.
  Proof.
    iIntros (HE) "#Hinv #Hsealed He". pool_inv_names.
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & Ha & Hs & %Hbs) & Hopen)".
    iDestruct (mono_nat_lb_own_valid with "Hs Hsealed") as %[_ Hs].
    iDestruct (entry_open_positive with "Ha He") as %Hq. exfalso.
    destruct Hbs as [_ Hbs]. specialize (Hbs Hs). lia.
  Qed.

  (** Closing: the holder of the right to close succeeds; all others fail. *)
  Lemma pool_close_cas γ t E Φ :
    ↑poolN ⊆ E →
    pool_inv γ t -∗ may_close γ -∗ ▷ (pool_closed γ -∗ Φ (#false, #true)%V) -∗
    WP CmpXchg #(pn_closed γ) #false #true @ E {{ Φ }}.
  Proof.
    iIntros (HE) "#Hinv Hmay HΦ". pool_inv_names.
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & [Ha Hb] & Hs & %Hbs) & Hopen)".
    iDestruct "Hb" as "[->|Hmay']"; last first.
    { by iDestruct (ghost_map_elem_valid_2 with "Hmay Hmay'") as %[? _]. }
    assert (s = 0) as ->.
    { destruct s; first done. destruct Hbs as [[_ Hbs] _]. discriminate Hbs. lia. }
    wp_cmpxchg_suc. iMod (mono_nat_own_update 1 with "Hs") as "[Hs Hlb]"; first lia.
    iModIntro. iSplitR "HΦ Hlb"; last by iApply "HΦ".
    iNext. iExists true, 1. iSplitR "Hopen".
    - iExists p, q. iFrame "Hc Ho Ha Hs Hmay". iPureIntro. split; [split; [lia|done]|lia].
    - iDestruct "Hopen" as "[(%M & HM & HT)|[%Hs _]]"; last lia.
      iLeft. iExists M. iFrame "HM". iApply (tasks_stage with "HT"). lia.
  Qed.
  Lemma pool_close_cas_again γ t E Φ :
    ↑poolN ⊆ E →
    pool_inv γ t -∗ pool_closed γ -∗ ▷ Φ (#true, #false)%V -∗
    WP CmpXchg #(pn_closed γ) #false #true @ E {{ Φ }}.
  Proof.
    iIntros (HE) "#Hinv #Hclosed HΦ". pool_inv_names.
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & Ha & Hs & %Hbs) & Hopen)".
    iDestruct (mono_nat_lb_own_valid with "Hs Hclosed") as %[_ Hs].
    assert (b = true) as -> by tauto. wp_cmpxchg_fail. iModIntro.
    iSplitR "HΦ"; last done.
    iNext. iExists true, s. iFrame "Hopen". iExists p, q. by iFrame.
  Qed.

  (** Reading [outside] in a closed pool: reading 0 seals the pool. *)
  Lemma pool_outside_read γ t Φ :
    pool_inv γ t -∗ pool_closed γ -∗
    (∀ z : Z, (⌜z = 0%Z⌝ → pool_sealed γ) -∗ Φ #z) -∗
    WP ! #(pn_outside γ) {{ Φ }}.
  Proof.
    iIntros "#Hinv #Hclosed HΦ". pool_inv_names.
    iInv "Hmain" as (b s) "(>(%p & %q & Hc & Ho & Ha & Hs & %Hbs) & Hopen)".
    wp_load. iDestruct (mono_nat_lb_own_valid with "Hs Hclosed") as %[_ Hs].
    destruct (decide (p + q = 0)) as [Hz|Hz]; last first.
    { iModIntro. iSplitL "Hc Ho Ha Hs Hopen".
      { iNext. iExists b, s. iFrame "Hopen". iExists p, q. by iFrame. }
      iApply "HΦ". iIntros (?). lia. }
    iMod (mono_nat_own_update (s `max` 2) with "Hs") as "[Hs Hlb]"; first lia.
    iModIntro. iSplitR "HΦ Hlb"; last first.
    { iApply "HΦ". iIntros "_". iApply (mono_nat_lb_own_le with "Hlb"). lia. }
    iNext. iExists b, (s `max` 2). iSplitL "Hc Ho Ha Hs".
    { iExists p, q. iFrame. iPureIntro. destruct Hbs as [[Hb1 Hb2] _].
      repeat split; intros; [lia|auto|lia]. }
    iDestruct "Hopen" as "[(%M & HM & HT)|[%Hs2 Hq]]".
    - iLeft. iExists M. iFrame "HM". iApply (tasks_stage with "HT"). lia.
    - iRight. iFrame "Hq". iPureIntro. lia.
  Qed.
End ops.
