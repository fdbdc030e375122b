(** Roles: taking a role, leaving a role, and serving in a role.

    [pool_role γ i] is the resource with which a thread may fill the free role [i]: the
    right to the role, or [True] for role 0 of a pool whose role 0 is open to all
    callers. The mutex protects the counts of [servers], and the right to an open role 0
    while the role is free. After the closer has left role 0 for the first time, the
    mutex protects the closer's token instead: the pool is sealed, and the right belongs
    to the closer.

    Taking and leaving are proved once for all kinds of callers: a claim [C] to role [i]
    determines the resources that the mutex gives ([fill_claim]); [role_left] has the
    resources that the mutex gets back. *)
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
    (if pn_shared γ
     then (⌜ks !! 0%nat = Some 0%nat⌝ → pool_right γ 0 ∨ pool_sealed γ ∗ closer_token γ)
     else True)%I.

  Lemma pool_right_exclusive γ i : pool_right γ i -∗ pool_right γ i -∗ False.
  Proof.
    rewrite /pool_right /worker_own.
    iIntros "(%c & _ & _ & _ & _ & _ & _ & H1) (%c' & _ & _ & _ & _ & _ & _ & H2)".
    by iDestruct (ghost_map_elem_valid_2 with "H1 H2") as %[? _].
  Qed.
  Lemma closer_token_exclusive γ : closer_token γ -∗ closer_token γ -∗ False.
  Proof. iIntros "H1 H2". by iDestruct (ghost_map_elem_valid_2 with "H1 H2") as %[? _]. Qed.

  (** Taking a free role: the result [C], or [refused]. The right brings [X]. *)
  Definition claim_granted γ i ks (C X refused : iProp Σ) : iProp Σ :=
    (C ∗ servers_free γ ks ∗ refused) ∨
    ((C ∗ servers_free γ ks) ∧ (pool_right γ i ∗ servers_free γ (<[i := 1]> ks) ∗ X)).
  Definition fill_claim γ i (C X refused : iProp Σ) : iProp Σ :=
    □ ∀ ks, ⌜ks !! i = Some 0⌝ -∗ C -∗ servers_free γ ks -∗
      claim_granted γ i ks C X refused.

  (** The closer holds its token while it fills role 0. *)
  Definition closer_keeps γ i : iProp Σ := (if role_open γ i then closer_token γ else True)%I.

  Lemma servers_filled γ ks i :
    role_open γ i = true → ks !! i = Some 0 → ⊢ servers_free γ (<[i := 1]> ks).
  Proof.
    rewrite /role_open /servers_free. destruct (pn_shared γ); last done.
    intros Hi%bool_decide_eq_true Hk. subst i. iIntros (Hks).
    rewrite list_lookup_insert in Hks; last by eapply lookup_lt_Some. done.
  Qed.
  Lemma servers_other γ ks i k :
    role_open γ i = false → servers_free γ ks -∗ servers_free γ (<[i := k]> ks).
  Proof.
    rewrite /role_open /servers_free. destruct (pn_shared γ); last by iIntros.
    intros Hi%bool_decide_eq_false. rewrite list_lookup_insert_ne //. by iIntros "$".
  Qed.
  Lemma servers_open γ ks i :
    role_open γ i = true → ks !! i = Some 0 →
    servers_free γ ks -∗ pool_right γ i ∨ pool_sealed γ ∗ closer_token γ.
  Proof.
    rewrite /role_open /servers_free. destruct (pn_shared γ); last done.
    intros Hi%bool_decide_eq_true Hk. subst i. iIntros "H". by iApply "H".
  Qed.
  Lemma servers_close γ ks i :
    role_open γ i = true →
    pool_right γ i ∨ pool_sealed γ ∗ closer_token γ -∗ servers_free γ ks.
  Proof.
    rewrite /role_open /servers_free. destruct (pn_shared γ); last done.
    intros Hi%bool_decide_eq_true. subst i. iIntros "H _". iExact "H".
  Qed.

  (** A holder of the right, also the closer after its first time. *)
  Lemma claim_right γ i refused : ⊢ fill_claim γ i (pool_right γ i) (closer_keeps γ i) refused.
  Proof.
    iIntros "!>" (ks Hk) "Hright Hfree". iRight. rewrite /closer_keeps.
    destruct (role_open γ i) eqn:Hopen; last first.
    { iSplit; first by iFrame. iFrame "Hright". rewrite right_id. by iApply servers_other. }
    iDestruct (servers_open with "Hfree") as "[Hright'|[#Hs Htok]]"; [done..| |].
    { iDestruct (pool_right_exclusive with "Hright Hright'") as %[]. }
    iSplit.
    - iFrame "Hright". iApply servers_close; first done. iRight. by iFrame "Hs Htok".
    - iFrame "Hright Htok". by iApply servers_filled.
  Qed.
  (** Callers of [run]. *)
  Lemma claim_role γ i refused :
    □ (pool_sealed γ -∗ refused) -∗ fill_claim γ i (pool_role γ i) True refused.
  Proof.
    iIntros "#Href !>" (ks Hk) "Hrole Hfree". rewrite /pool_role.
    destruct (role_open γ i) eqn:Hopen; last first.
    { iRight. iSplit; first by iFrame. iFrame "Hrole". rewrite right_id.
      by iApply servers_other. }
    iDestruct (servers_open with "Hfree") as "[Hright|[#Hs Htok]]"; [done..| |].
    - iRight. iSplit.
      + iSplit; first done. iApply servers_close; first done. by iLeft.
      + iFrame "Hright". rewrite right_id. by iApply servers_filled.
    - iLeft. iSplit; first done. iSplitL; last by iApply "Href".
      iApply servers_close; first done. iRight. by iFrame "Hs Htok".
  Qed.
  (** The closer, the first time. *)
  Lemma claim_closer γ i refused :
    ⊢ fill_claim γ i (closer_token γ ∗ pool_role γ i) (closer_token γ) refused.
  Proof.
    iIntros "!>" (ks Hk) "[Htok Hrole] Hfree". iRight. rewrite /pool_role.
    destruct (role_open γ i) eqn:Hopen; last first.
    { iSplit; first by iFrame. iFrame "Hrole Htok". by iApply servers_other. }
    iDestruct (servers_open with "Hfree") as "[Hright|[_ Htok']]"; [done..| |].
    - iSplit.
      + iFrame "Htok". iApply servers_close; first done. by iLeft.
      + iFrame "Hright Htok". by iApply servers_filled.
    - iDestruct (closer_token_exclusive with "Htok Htok'") as %[].
  Qed.

  (** The resources that the mutex gets, and that the thread keeps, when the thread
      leaves the role. *)
  Definition role_left γ i (Res : iProp Σ) : iProp Σ :=
    ∀ ks, pool_right γ i -∗ servers_free γ ks -∗ Res ∗ servers_free γ (<[i := 0]> ks).
  Lemma role_left_role γ i : ⊢ role_left γ i (pool_role γ i).
  Proof.
    iIntros (ks) "Hright Hfree". rewrite /pool_role.
    destruct (role_open γ i) eqn:Hopen.
    - iSplit; first done. iApply servers_close; first done. by iLeft.
    - iFrame "Hright". by iApply servers_other.
  Qed.
  Lemma role_left_closer γ i :
    pool_sealed γ -∗ closer_keeps γ i -∗ role_left γ i (pool_right γ i).
  Proof.
    iIntros "#Hs Hkeeps" (ks) "$ Hfree". rewrite /closer_keeps.
    destruct (role_open γ i) eqn:Hopen.
    - iApply servers_close; first done. iRight. by iFrame "Hs Hkeeps".
    - by iApply servers_other.
  Qed.

  (** A role that has been taken, before and after the hub knows. *)
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

  (** With the mutex: the role is free, and the caller takes the role. *)
  Lemma pool_join_free_spec γ t i ks (Φ : val → iProp Σ) :
    length ks = pn_size γ → i < pn_size γ → ks !! i = Some 0 →
    pool_inv γ t -∗ pool_right γ i -∗ ([∗ list] j ↦ k ∈ ks, server_half γ j k) -∗
    servers_free γ (<[i := 1]> ks) -∗
    (∀ c, worker_new γ c i -∗ pool_servers γ -∗ Φ #true) -∗
    WP pool_pool_join_role t #i {{ Φ }}.
  Proof.
    iIntros (Hlen Hi Hk) "#Hinv (%c & Hnew) Hks Hfree HΦ".
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
    iDestruct (servers_other with "Hfree") as "Hfree"; first done.
    wp_apply (pool_join_free_spec with "Hinv Hright Hks Hfree"); [done..|].
    iIntros (c) "Hnew Hservers". wp_words.
    wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked $Hservers]"). iIntros "_". wp_words.
    iApply (pool_enlist_spec with "Hinv Hnew"). iIntros "Hworker". by iApply "HΦ".
  Qed.

  Lemma pool_fill_unless_spec γ t i (ready : val) C X G `{!Persistent G} :
    i < pn_size γ →
    {{{ pool_inv γ t ∗ C ∗ until_tells ready G ∗
        fill_claim γ i C X (WP ready #() {{ r, ⌜r = #true⌝ ∗ G }}) }}}
      pool_pool_fill_unless t #i ready
    {{{ (b : bool), RET #b;
        if b then X ∗ ∃ c, pool_worker γ c (PoolScope false i 0 0) else C ∗ G }}}.
  Proof.
    iIntros (Hi Φ) "(#Hinv & HC & #Hready & #Hclaim) HΦ". pool_names. subst t.
    wp_rec. wp_pures. set (wait := (rec: "wait" <> := _)%V).
    iAssert (∀ Ψ : val → iProp Σ,
      mutex_locked (pn_mutex γ) -∗ pool_servers γ -∗ C -∗
      (∀ b : bool, mutex_locked (pn_mutex γ) -∗ pool_servers γ -∗
        (if b then X ∗ ∃ c, worker_new γ c i else C ∗ G) -∗ Ψ #b) -∗
      WP wait #() {{ Ψ }})%I as "Hwait".
    { iIntros (Ψ) "Hlocked Hservers HC HΨ". iLöb as "IH". wp_rec.
      iDestruct "Hservers" as (ks Hlen) "[Hks Hfree]".
      destruct (lookup_lt_is_Some_2 ks i) as [k Hk]; first lia.
      destruct (decide (k = 0)) as [->|Hk0].
      - iDestruct ("Hclaim" with "[//] HC Hfree") as "[(HC & Hfree & Hrefused)|Hgot]".
        { wp_bind (ready _). iApply (wp_wand with "Hrefused"). iIntros (?) "[-> HG]".
          wp_pures. iApply ("HΨ" $! false with "Hlocked [Hks Hfree]").
          { iExists ks. by iFrame. }
          by iFrame. }
        wp_bind (ready _). iApply (wp_wand with "Hready"). iIntros (?) "(%b & -> & HG)".
        destruct b; wp_pures.
        { iDestruct "Hgot" as "[[HC Hfree] _]".
          iApply ("HΨ" $! false with "Hlocked [Hks Hfree]").
          { iExists ks. by iFrame. }
          by iFrame. }
        iClear "HG". iDestruct "Hgot" as "[_ (Hright & Hfree & HX)]". wp_words.
        iDestruct (server_get with "Hks") as "[Hserver Hks]"; first done.
        wp_bind (array_get _ _). iApply (server_read with "Hinv Hserver"); first done.
        iIntros "Hserver". iDestruct ("Hks" with "Hserver") as "Hks".
        rewrite (list_insert_id ks i 0) //. wp_pures.
        iApply (pool_join_free_spec with "Hinv Hright Hks Hfree"); [done..|].
        iIntros (c) "Hnew Hservers". iApply ("HΨ" $! true with "Hlocked Hservers").
        iFrame "HX". by iExists c.
      - wp_bind (ready _). iApply (wp_wand with "Hready"). iIntros (?) "(%b & -> & HG)".
        destruct b; wp_pures.
        { iApply ("HΨ" $! false with "Hlocked [Hks Hfree]").
          { iExists ks. by iFrame. }
          by iFrame. }
        iClear "HG". wp_words.
        iDestruct (server_get with "Hks") as "[Hserver Hks]"; first done.
        wp_bind (array_get _ _). iApply (server_read with "Hinv Hserver"); first done.
        iIntros "Hserver". iDestruct ("Hks" with "Hserver") as "Hks".
        rewrite list_insert_id //. wp_pures. rewrite bool_decide_eq_false_2; last first.
        { intros [= ?]. lia. }
        wp_pures. wp_words.
        wp_apply (condition_wait_spec with "[$Hchange $Hmutex $Hlocked Hks Hfree]").
        { iExists ks. by iFrame. }
        iIntros "[Hlocked Hservers]". wp_pures.
        iApply ("IH" with "Hlocked Hservers HC HΨ"). }
    wp_words. wp_apply (mutex_lock_spec with "Hmutex"). iIntros "[Hlocked Hservers]".
    wp_pures. wp_bind (wait _). iApply ("Hwait" with "Hlocked Hservers HC").
    iIntros (b) "Hlocked Hservers Hres". wp_words.
    wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked $Hservers]"). iIntros "_".
    destruct b; wp_words.
    - iDestruct "Hres" as "[HX (%c & Hnew)]". wp_bind (h_enlist _ _).
      iApply (pool_enlist_spec with "Hinv Hnew"). iIntros "Hworker". wp_pures.
      iApply ("HΦ" $! true). iFrame "HX". by iExists c.
    - by iApply ("HΦ" $! false).
  Qed.

  (** Waiting for a condition, with any role. *)
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

  (** A caller whose entry is open. *)
  Lemma pool_try_fill_spec γ t i :
    i < pn_size γ →
    {{{ pool_inv γ t ∗ pool_role γ i ∗ open_entry γ }}}
      pool_pool_try_fill t #i
    {{{ (b : bool), RET #b; open_entry γ ∗
        if b then ∃ c, pool_worker γ c (PoolScope false i 0 0) else pool_role γ i }}}.
  Proof.
    iIntros (Hi Φ) "(#Hinv & Hrole & He) HΦ". pool_names. subst t. wp_rec. wp_words.
    wp_apply (mutex_lock_spec with "Hmutex"). iIntros "(Hlocked & %ks & %Hlen & Hks & Hfree)".
    wp_words. destruct (lookup_lt_is_Some_2 ks i) as [k Hk]; first lia.
    iDestruct (server_get with "Hks") as "[Hserver Hks]"; first done.
    wp_bind (array_get _ _). iApply (server_read with "Hinv Hserver"); first done.
    iIntros "Hserver". iDestruct ("Hks" with "Hserver") as "Hks".
    rewrite list_insert_id //. wp_pures. case_bool_decide as Hk0; wp_pures.
    - assert (k = 0) as -> by (injection Hk0; lia).
      iDestruct (claim_role γ i (pool_sealed γ) with "[] [//] Hrole Hfree") as "[H|[_ H]]".
      { by iIntros "!> $". }
      { iDestruct "H" as "(_ & _ & #Hsealed)".
        iMod (pool_sealed_entry with "Hinv Hsealed He") as %[]. done. }
      iDestruct "H" as "(Hright & Hfree & _)". wp_bind (pool_pool_join_role _ _).
      iApply (pool_join_free_spec with "Hinv Hright Hks Hfree"); [done..|].
      iIntros (c) "Hnew Hservers". wp_words.
      wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked $Hservers]"). iIntros "_".
      wp_words. wp_bind (h_enlist _ _).
      iApply (pool_enlist_spec with "Hinv Hnew"). iIntros "Hworker". wp_pures.
      iApply ("HΦ" $! true). iFrame "He". by iExists c.
    - wp_words. wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked Hks Hfree]").
      { iExists ks. by iFrame. }
      iIntros "_". wp_pures. iApply ("HΦ" $! false). by iFrame.
  Qed.

  Lemma pool_leave_role_spec γ t c i Res :
    {{{ pool_inv γ t ∗ pool_worker γ c (PoolScope false i 0 0) ∗ role_left γ i Res }}}
      pool_pool_leave_role t #i
    {{{ RET #(); Res }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hworker & Hleft) HΦ". pool_names. worker_names. subst t. wp_rec. wp_words.
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
    iDestruct ("Hleft" with "[Hwords Hown Hphase Hserver Hd] Hfree") as "[Hrole Hfree]".
    { iExists c. rewrite /worker_own. by iFrame "∗ #". }
    wp_words. wp_apply (condition_broadcast_spec with "Hchange"). iIntros "_". wp_words.
    wp_apply (mutex_unlock_spec with "[$Hmutex $Hlocked Hks Hfree]").
    { iExists _. iFrame "Hks Hfree". iPureIntro. by rewrite length_insert. }
    iIntros "_". by iApply "HΦ".
  Qed.

  (** Serving: until [G], or, at the end of the pool, [D] (see [steal_gives]). *)
  Lemma pool_serve_until_spec γ t c i (until : val) R D G Res `{!Persistent D, !Persistent G} :
    {{{ pool_inv γ t ∗ pool_worker γ c (PoolScope false i 0 0) ∗ until_tells until G ∗
        steal_gives γ i c 0 0 R D ∗ R ∗ (G ∨ D -∗ role_left γ i Res) }}}
      pool_pool_serve_until t #i until
    {{{ RET #(); Res ∗ R ∗ (G ∨ D) }}}.
  Proof.
    iIntros (Φ) "(#Hinv & Hworker & #Huntil & #Hsteal & HR & Hleft) HΦ". pool_names.
    worker_names. wp_rec. wp_pures. iEval (rewrite Hself). wp_na_load.
    wp_apply (array_get_cell_spec with "[$Hcl $Hc]"); first lia. iIntros "_". wp_words.
    wp_bind (_ <- _)%E. iApply (working_write with "Hw"). wp_pures. worker_pack.
    wp_apply (pool_work_spec with "[$Hinv $Huntil $Hsteal $Hworker $HR]").
    iIntros "(HR & Hworker & #Hend)". wp_pures.
    iAssert (G ∨ D)%I as "#Hend'".
    { iDestruct "Hend" as "[?|[_ ?]]"; by [iLeft|iRight]. }
    wp_apply (pool_stop_working_spec with "[$Hinv $Hworker]"). iIntros "Hworker".
    wp_pures. rewrite -Hself.
    wp_apply (pool_leave_role_spec with "[$Hinv $Hworker Hleft]"); first by iApply "Hleft".
    iIntros "Hrole". iApply "HΦ". by iFrame "Hrole HR Hend'".
  Qed.

  (** Claim: [serve] by the holder of the right to a role gives the right back when it
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
    wp_apply (pool_serve_until_spec γ t c i until True True G (pool_role γ i)
      with "[$Hinv $Hworker $Huntil]").
    { iSplitR; first by iApply (steal_gives_running γ t). iSplitR; first done.
      iIntros "_". iApply role_left_role. }
    iIntros "(Hrole & _)". rewrite /pool_role Hopen. by iApply "HΦ".
  Qed.

  Lemma never_tells : ⊢ until_tells pool_pool_never False.
  Proof. iIntros "!>". wp_rec. iExists false. done. Qed.
End roles.
