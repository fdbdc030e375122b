(** Roles: who fills one, how it is taken and left, serving.

    [pool_role γ i] is what a thread needs to fill role [i] when nobody does: the
    right to it, or nothing for role 0 of a pool whose role 0 is open to all
    callers. The mutex protects the counts of [servers], and that open right while
    role 0 is free. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_map mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Import pool_state pool_ops pool_basics pool_hunt pool_code.

Local Existing Instance pool_mutexG.

Section roles.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.
  Implicit Types (γ : pool_name) (a : bool) (i o d k : nat) (l c : loc) (t : val).

  Definition role_open γ i : bool := pn_shared γ && bool_decide (i = 0).
  Definition pool_role γ i : iProp Σ :=
    (if role_open γ i then True else pool_right γ i)%I.
  (** The part of [pool_servers] beside the counts. *)
  Definition servers_free γ (ks : list nat) : iProp Σ :=
    (if pn_shared γ then (⌜ks !! 0%nat = Some 0%nat⌝ → pool_right γ 0) else True)%I.

  Lemma servers_take γ ks i :
    ks !! i = Some 0 →
    pool_role γ i -∗ servers_free γ ks -∗
    pool_right γ i ∗ servers_free γ (<[i := 1]> ks).
  Proof.
    rewrite /pool_role /role_open /servers_free. iIntros (Hi) "Hrole Hfree".
    destruct (pn_shared γ); simpl; last by iFrame.
    case_bool_decide as H0; simpl.
    - subst i. iDestruct ("Hfree" with "[//]") as "$". iIntros (Hks).
      rewrite list_lookup_insert in Hks; last by eapply lookup_lt_Some. done.
    - iFrame "Hrole". rewrite list_lookup_insert_ne //.
  Qed.
  Lemma servers_put γ ks i :
    pool_right γ i -∗ servers_free γ ks -∗
    pool_role γ i ∗ servers_free γ (<[i := 0]> ks).
  Proof.
    rewrite /pool_role /role_open /servers_free. iIntros "Hright Hfree".
    destruct (pn_shared γ); simpl; last by iFrame.
    case_bool_decide as H0; simpl.
    - subst i. iSplit; first done. by iIntros "_".
    - iFrame "Hright". rewrite list_lookup_insert_ne //.
  Qed.

  (** A role that is taken, before and after its hub knows. *)
  Definition worker_new γ c i : iProp Σ := worker_own γ i c false false 1 0.
  Lemma pool_enlist_spec γ t c i (Φ : val → iProp Σ) :
    pool_inv γ t -∗ worker_new γ c i -∗
    (pool_worker γ c (PoolScope false i 0 0) -∗ Φ #()) -∗
    WP h_enlist (pn_ops γ) #i {{ Φ }}.
  Proof.
    iIntros "#Hinv Hnew HΦ". pool_names. iEval (rewrite /worker_new /worker_own) in "Hnew".
    iDestruct "Hnew" as "(%Hi & #Hctx & Hwords & Hown & Hphase & Hserver & Hd)".
    wp_apply (hub_enlist_spec with "[$Hhub $Hown]"); first done. iIntros "Hown".
    worker_pack. by iApply "HΦ".
  Qed.

  Lemma server_get γ i k ks :
    ks !! i = Some k →
    ([∗ list] j ↦ k ∈ ks, server_half γ j k) -∗
    server_half γ i k ∗
    ∀ k', server_half γ i k' -∗ [∗ list] j ↦ k ∈ <[i := k']> ks, server_half γ j k.
  Proof. iIntros (Hi) "H". by iApply (big_sepL_insert_acc with "H"). Qed.
  Lemma server_agree γ i k k' : server_half γ i k -∗ server_half γ i k' -∗ ⌜k = k'⌝.
  Proof.
    iIntros "H1 H2". iDestruct (pointsto_agree with "H1 H2") as %[= ?].
    iPureIntro. lia.
  Qed.
  Lemma server_read γ t i k (Φ : val → iProp Σ) :
    i < pn_size γ →
    pool_inv γ t -∗ server_half γ i k -∗ (server_half γ i k -∗ Φ #k) -∗
    WP array_get #(pn_servers γ) #i {{ Φ }}.
  Proof.
    iIntros (Hi) "#Hinv H HΦ". pool_names.
    wp_apply (array_get_cell_spec with "[$Hsl $H]"); first lia. done.
  Qed.
  Lemma server_write γ t i k (k' : nat) (z : Z) (Φ : val → iProp Σ) :
    i < pn_size γ → z = Z.of_nat k' →
    pool_inv γ t -∗ server_half γ i k -∗ server_half γ i k -∗
    (server_half γ i k' -∗ server_half γ i k' -∗ Φ #()) -∗
    WP array_set #(pn_servers γ) #i #z {{ Φ }}.
  Proof.
    iIntros (Hi ->) "#Hinv H1 H2 HΦ". pool_names. iCombine "H1 H2" as "H".
    wp_apply (array_set_cell_spec with "[$Hsl $H]"); first lia.
    iIntros "[H1 H2]". iApply ("HΦ" with "H1 H2").
  Qed.

  Lemma pool_join_role_spec γ t i k :
    i < pn_size γ →
    {{{ pool_inv γ t ∗ server_half γ i k ∗ server_half γ i k }}}
      pool_pool_join_role t #i
    {{{ RET #(bool_decide (k = 0%nat)); server_half γ i (S k) ∗ server_half γ i (S k) }}}.
  Proof.
    iIntros (Hi Φ) "(#Hinv & H1 & H2) HΦ". pool_names. subst t. wp_rec. wp_words.
    wp_bind (array_get _ _). iApply (server_read with "Hinv H1"); first done.
    iIntros "H1". wp_words. wp_bind (array_set _ _ _).
    iApply (server_write _ _ _ _ (S k) with "Hinv H1 H2"); [done|lia|].
    iIntros "H1 H2". wp_pures.
    replace (bool_decide (#k = #0)) with (bool_decide (k = 0%nat)).
    2: { apply bool_decide_ext. split; [by intros ->|intros [= ?]; lia]. }
    iApply "HΦ". by iFrame.
  Qed.

  (** With the mutex: the role is free, and now ours. *)
  Lemma pool_join_free_spec γ t i ks (Φ : val → iProp Σ) :
    length ks = pn_size γ → i < pn_size γ → ks !! i = Some 0 →
    pool_inv γ t -∗ pool_role γ i -∗ ([∗ list] j ↦ k ∈ ks, server_half γ j k) -∗
    servers_free γ ks -∗
    (∀ c, worker_new γ c i -∗ pool_servers γ -∗ Φ #true) -∗
    WP pool_pool_join_role t #i {{ Φ }}.
  Proof.
    iIntros (Hlen Hi Hk) "#Hinv Hrole Hks Hfree HΦ".
    iDestruct (servers_take with "Hrole Hfree") as "[(%c & Hnew) Hfree]"; first done.
    iEval (rewrite /worker_own) in "Hnew".
    iDestruct "Hnew" as "(_ & #Hctx & Hwords & Hown & Hphase & Hserver & Hd)".
    iDestruct (server_get with "Hks") as "[Hserver' Hks]"; first done.
    wp_apply (pool_join_role_spec with "[$Hinv $Hserver $Hserver']"); first done.
    iIntros "[Hserver Hserver']". iDestruct ("Hks" with "Hserver'") as "Hks".
    iApply ("HΦ" with "[Hwords Hown Hphase Hserver Hd]").
    - rewrite /worker_new /worker_own. by iFrame "∗ #".
    - iExists _. iFrame "Hks Hfree". iPureIntro. by rewrite length_insert.
  Qed.

  Lemma pool_enter_role_spec γ t i :
    role_open γ i = false → i < pn_size γ →
    {{{ pool_inv γ t ∗ pool_right γ i }}}
      pool_pool_enter_role t #i
    {{{ c, RET #(); pool_worker γ c (PoolScope false i 0 0) }}}.
  Proof.
    iIntros (Hopen Hi Φ) "[#Hinv Hright] HΦ". pool_names. subst t. wp_rec. wp_words.
    wp_apply (mutex_lock_spec with "Hmutex"). iIntros "(Hlocked & %ks & %Hlen & Hks & Hfree)".
    wp_pures. destruct (lookup_lt_is_Some_2 ks i) as [k Hk]; first lia.
    iAssert ⌜k = 0⌝%I as %->.
    { iEval (rewrite /pool_right /worker_own) in "Hright".
      iDestruct "Hright" as (c) "(_ & _ & _ & _ & _ & Hserver & _)".
      iDestruct (server_get with "Hks") as "[Hserver' _]"; first done.
      iApply (server_agree with "Hserver' Hserver"). }
    wp_apply (pool_join_free_spec with "Hinv [Hright] Hks Hfree"); [done..| |].
    { by rewrite /pool_role Hopen. }
    iIntros (c) "Hnew Hservers". wp_words.
    wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked $Hservers]"). iIntros "_". wp_words.
    iApply (pool_enlist_spec with "Hinv Hnew"). iIntros "Hworker". by iApply "HΦ".
  Qed.

  Lemma pool_fill_unless_spec γ t i (ready : val) G `{!Persistent G} :
    i < pn_size γ →
    {{{ pool_inv γ t ∗ pool_role γ i ∗ until_tells ready G }}}
      pool_pool_fill_unless t #i ready
    {{{ (b : bool), RET #b;
        if b then ∃ c, pool_worker γ c (PoolScope false i 0 0)
        else pool_role γ i ∗ G }}}.
  Proof.
    iIntros (Hi Φ) "(#Hinv & Hrole & #Hready) HΦ". pool_names. subst t. wp_rec. wp_pures.
    set (wait := (rec: "wait" <> := _)%V).
    iAssert (∀ Ψ : val → iProp Σ,
      mutex_locked (pn_mutex γ) -∗ pool_servers γ -∗ pool_role γ i -∗
      (∀ b : bool, mutex_locked (pn_mutex γ) -∗ pool_servers γ -∗
        (if b then ∃ c, worker_new γ c i else pool_role γ i ∗ G) -∗ Ψ #b) -∗
      WP wait #() {{ Ψ }})%I as "Hwait".
    { iIntros (Ψ) "Hlocked Hservers Hrole HΨ". iLöb as "IH". wp_rec.
      wp_bind (ready _). iApply (wp_wand with "Hready"). iIntros (?) "(%b & -> & HG)".
      destruct b; wp_pures.
      { iApply ("HΨ" $! false with "Hlocked Hservers"). by iFrame. }
      iClear "HG". iDestruct "Hservers" as (ks Hlen) "[Hks Hfree]".
      destruct (lookup_lt_is_Some_2 ks i) as [k Hk]; first lia. wp_words.
      iDestruct (server_get with "Hks") as "[Hserver Hks]"; first done.
      wp_bind (array_get _ _). iApply (server_read with "Hinv Hserver"); first done.
      iIntros "Hserver". iDestruct ("Hks" with "Hserver") as "Hks".
      rewrite list_insert_id //. wp_pures. case_bool_decide as Hk0; wp_pures.
      - assert (k = 0) as -> by (injection Hk0; lia).
        iApply (pool_join_free_spec with "Hinv Hrole Hks Hfree"); [done..|].
        iIntros (c) "Hnew Hservers". iApply ("HΨ" $! true with "Hlocked Hservers").
        by iExists c.
      - wp_words.
        wp_apply (condition_wait_spec with "[$Hchange $Hmutex $Hlocked Hks Hfree]").
        { iExists ks. by iFrame. }
        iIntros "[Hlocked Hservers]". wp_pures.
        iApply ("IH" with "Hlocked Hservers Hrole HΨ"). }
    wp_words. wp_apply (mutex_lock_spec with "Hmutex"). iIntros "[Hlocked Hservers]".
    wp_pures. wp_bind (wait _). iApply ("Hwait" with "Hlocked Hservers Hrole").
    iIntros (b) "Hlocked Hservers Hres". wp_words.
    wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked $Hservers]"). iIntros "_".
    destruct b; wp_words.
    - iDestruct "Hres" as (c) "Hnew". wp_bind (h_enlist _ _).
      iApply (pool_enlist_spec with "Hinv Hnew"). iIntros "Hworker". wp_pures.
      iApply ("HΦ" $! true). by iExists c.
    - by iApply ("HΦ" $! false).
  Qed.

  (** Waiting for something, whoever fills what. *)
  Lemma pool_await_spec γ t (ready : val) G `{!Persistent G} :
    {{{ pool_inv γ t ∗ until_tells ready G }}}
      pool_pool_await t ready
    {{{ RET #(); G }}}.
  Proof.
    iIntros (Φ) "[#Hinv #Hready] HΦ". pool_names. subst t. wp_rec. wp_pures.
    set (wait := (rec: "wait" <> := _)%V).
    iAssert (∀ Ψ : val → iProp Σ,
      mutex_locked (pn_mutex γ) -∗ pool_servers γ -∗
      (mutex_locked (pn_mutex γ) -∗ pool_servers γ -∗ G -∗ Ψ #()) -∗
      WP wait #() {{ Ψ }})%I as "Hwait".
    { iIntros (Ψ) "Hlocked Hservers HΨ". iLöb as "IH". wp_rec.
      wp_bind (ready _). iApply (wp_wand with "Hready"). iIntros (?) "(%b & -> & HG)".
      destruct b; wp_pures.
      { by iApply ("HΨ" with "Hlocked Hservers HG"). }
      wp_words. wp_apply (condition_wait_spec with "[$Hchange $Hmutex $Hlocked $Hservers]").
      iIntros "[Hlocked Hservers]". wp_pures. iApply ("IH" with "Hlocked Hservers HΨ"). }
    wp_words. wp_apply (mutex_lock_spec with "Hmutex"). iIntros "[Hlocked Hservers]".
    wp_pures. wp_bind (wait _). iApply ("Hwait" with "Hlocked Hservers").
    iIntros "Hlocked Hservers HG". wp_words.
    wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked $Hservers]"). iIntros "_".
    by iApply "HΦ".
  Qed.

  Lemma pool_try_fill_spec γ t i :
    i < pn_size γ →
    {{{ pool_inv γ t ∗ pool_role γ i }}}
      pool_pool_try_fill t #i
    {{{ (b : bool), RET #b;
        if b then ∃ c, pool_worker γ c (PoolScope false i 0 0) else pool_role γ i }}}.
  Proof.
    iIntros (Hi Φ) "(#Hinv & Hrole) HΦ". pool_names. subst t. wp_rec. wp_words.
    wp_apply (mutex_lock_spec with "Hmutex"). iIntros "(Hlocked & %ks & %Hlen & Hks & Hfree)".
    wp_words. destruct (lookup_lt_is_Some_2 ks i) as [k Hk]; first lia.
    iDestruct (server_get with "Hks") as "[Hserver Hks]"; first done.
    wp_bind (array_get _ _). iApply (server_read with "Hinv Hserver"); first done.
    iIntros "Hserver". iDestruct ("Hks" with "Hserver") as "Hks".
    rewrite list_insert_id //. wp_pures. case_bool_decide as Hk0; wp_pures.
    - assert (k = 0) as -> by (injection Hk0; lia). wp_bind (pool_pool_join_role _ _).
      iApply (pool_join_free_spec with "Hinv Hrole Hks Hfree"); [done..|].
      iIntros (c) "Hnew Hservers". wp_words.
      wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked $Hservers]"). iIntros "_".
      wp_words. wp_bind (h_enlist _ _).
      iApply (pool_enlist_spec with "Hinv Hnew"). iIntros "Hworker". wp_pures.
      iApply ("HΦ" $! true). by iExists c.
    - wp_words. wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked Hks Hfree]").
      { iExists ks. by iFrame. }
      iIntros "_". wp_pures. by iApply ("HΦ" $! false).
  Qed.

  Lemma pool_leave_role_spec γ t c i :
    {{{ pool_inv γ t ∗ pool_worker γ c (PoolScope false i 0 0) }}}
      pool_pool_leave_role t #i
    {{{ RET #(); pool_role γ i }}}.
  Proof.
    iIntros (Φ) "[#Hinv Hworker] HΦ". pool_names. worker_names. subst t. wp_rec. wp_words.
    wp_bind (array_get _ _). iApply (server_read with "Hinv Hserver"); first done.
    iIntros "Hserver". wp_words.
    wp_apply (hub_retire_spec with "[$Hhub $Hown]"); first done. iIntros "Hown". wp_words.
    wp_apply (hub_has_work_spec with "[$Hhub $Hown]"); first done. iIntros (b) "Hown".
    iAssert (∀ Ψ : val → iProp Σ, Ψ #() -∗
      WP (if: #b then pool_pool_wake_one #(pn_self γ) else #()) {{ Ψ }})%I as "Hwake".
    { iIntros (Ψ) "HΨ". destruct b; wp_pures; last done.
      wp_apply (pool_wake_one_spec with "Hinv"). by iIntros "_". }
    wp_bind (If _ _ _). iApply "Hwake". wp_words.
    wp_apply (mutex_lock_spec with "Hmutex"). iIntros "(Hlocked & %ks & %Hlen & Hks & Hfree)".
    wp_words. destruct (lookup_lt_is_Some_2 ks i) as [k Hk]; first lia.
    iDestruct (server_get with "Hks") as "[Hserver' Hks]"; first done.
    iDestruct (server_agree with "Hserver' Hserver") as %->.
    wp_bind (array_get _ _). iApply (server_read with "Hinv Hserver"); first done.
    iIntros "Hserver". wp_words. wp_bind (array_set _ _ _).
    iApply (server_write _ _ _ _ 0 with "Hinv Hserver Hserver'"); [done|lia|].
    iIntros "Hserver Hserver'". iDestruct ("Hks" with "Hserver'") as "Hks".
    iDestruct (servers_put _ _ i with "[Hwords Hown Hphase Hserver Hd] Hfree") as "[Hrole Hfree]".
    { iExists c. rewrite /worker_own. by iFrame "∗ #". }
    wp_words. wp_apply (condition_broadcast_spec with "Hchange"). iIntros "_". wp_words.
    wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked Hks Hfree]").
    { iExists _. iFrame "Hks Hfree". iPureIntro. by rewrite length_insert. }
    iIntros "_". by iApply "HΦ".
  Qed.

  (** Serving: until [G], or, at the end of the pool, [D] (see [steal_gives]). *)
  Lemma pool_serve_until_spec γ t c i (until : val) R D G `{!Persistent D, !Persistent G} :
    {{{ pool_inv γ t ∗ pool_worker γ c (PoolScope false i 0 0) ∗ until_tells until G ∗
        steal_gives γ i c 0 0 R D ∗ R }}}
      pool_pool_serve_until t #i until
    {{{ RET #(); pool_role γ i ∗ R ∗ (G ∨ D) }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hworker & #Huntil & #Hsteal & HR) HΦ". pool_names.
    worker_names. wp_rec. wp_pures. iEval (rewrite Hself). wp_na_load.
    wp_apply (array_get_cell_spec with "[$Hcl $Hc]"); first lia. iIntros "_". wp_words.
    wp_bind (_ <- _)%E. iApply (working_write with "Hw"). wp_pures. worker_pack.
    wp_apply (pool_work_spec with "[$Hinv $Huntil $Hsteal $Hworker $HR]").
    iIntros "(HR & Hworker & Hend)". wp_pures.
    wp_apply (pool_stop_working_spec with "[$Hinv $Hworker]"). iIntros "Hworker".
    wp_pures. rewrite -Hself. wp_apply (pool_leave_role_spec with "[$Hinv $Hworker]").
    iIntros "Hrole". iApply "HΦ". iFrame. iDestruct "Hend" as "[?|[_ ?]]"; by [iLeft|iRight].
  Qed.

  (** Claim: Whoever holds the right of a role and serves it gives it back when it
      returns. *)
  Lemma pool_serve_spec γ t i (until : val) G `{!Persistent G} :
    role_open γ i = false → i < pn_size γ →
    {{{ pool_inv γ t ∗ pool_right γ i ∗ until_tells until G }}}
      pool_pool_serve t #i until
    {{{ RET #(); pool_right γ i }}}.
  Proof.
    iIntros (Hopen Hi Φ) "(#Hinv & Hright & #Huntil) HΦ". wp_rec. wp_pures.
    wp_apply (pool_enter_role_spec with "[$Hinv $Hright]"); [done..|].
    iIntros (c) "Hworker". wp_pures.
    wp_apply (pool_serve_until_spec _ _ _ _ _ True True with "[$Hinv $Hworker $Huntil]").
    { iSplitL; last done. by iApply steal_gives_running. }
    iIntros "(Hrole & _)". rewrite /pool_role Hopen. by iApply "HΦ".
  Qed.

  Lemma never_tells : ⊢ until_tells pool_pool_never False.
  Proof. iIntros "!>". wp_rec. iExists false. done. Qed.
End roles.
