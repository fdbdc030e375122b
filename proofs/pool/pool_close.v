(** Starting and closing, and the result of closing: the end of the paper's figure 7.

    [pool_model γ t] is the ownership of the pool: the right to close the pool, role 0
    (or [True], if all callers share role 0), and for each other role either the right
    to the role, or a domain that serves the role and gives the right back when the
    domain is joined. [start] turns the rights into domains.

    A closer fills role 0 and serves until the pool is sealed. From the moment the
    closer leaves role 0, the role belongs to the closer, even if all callers shared
    the role. Then the closer joins the domains, and has the right to every role. The
    closer now serves each role in turn, alone. When the closer finds no more tasks in
    a role, all remaining tasks are for other workers (pool_quiet.v). After the last
    role no task remains, and [pool_finished] follows: each task that was ever
    accepted, and each task that such a task has published, has run once, to its end.

    So [close] returns [true] only when all tasks are done. [false] means only
    [pool_closed]: another caller closes or has closed the pool, and no submission
    that begins from now on is accepted. [false] does not say that the tasks have
    run. *)
From iris.base_logic.lib Require Import invariants ghost_map.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition spawn.
From dromos.base Require Import waiters_code.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Import pool_state pool_ops pool_basics pool_hunt pool_roles.
From dromos.pool Require Import pool_quiet pool_code.

Local Existing Instances pool_mutexG pool_unitG pool_depthG pool_sealedG pool_entryG.

Section close.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !domainG Σ}.
  Implicit Types (γ : pool_name) (i j : nat) (ds js : list nat) (t v : val) (c : loc).

  (** ** Domains that serve *)

  Fixpoint domains_model γ ds v : iProp Σ :=
    match ds with
    | [] => ⌜v = InjLV #()⌝
    | i :: ds => ∃ d v', ⌜v = InjRV (d, v')⌝ ∗
        domain_handle d (λ _, pool_right γ i) ∗ domains_model γ ds v'
    end.

  Lemma pool_join_spec γ ds v :
    {{{ domains_model γ ds v }}}
      pool_pool_join v
    {{{ RET #(); [∗ list] i ∈ ds, pool_right γ i }}}.
  Proof.
    iIntros (Φ) "H HΦ". iInduction ds as [|i ds] "IH" forall (v Φ); wp_rec.
    - iDestruct "H" as %->. wp_pures. iModIntro. iApply "HΦ". by rewrite big_sepL_nil.
    - iDestruct "H" as (d v') "(-> & Hd & H)". wp_pures.
      wp_apply (domain_join_spec with "Hd"). iIntros (w) "Hi". wp_pures.
      wp_apply ("IH" with "H"). iIntros "Hds". iApply "HΦ". iFrame.
  Qed.

  Definition domains_field γ ds : iProp Σ :=
    ∃ v, (pn_self γ +ₗ 10) ↦na v ∗ domains_model γ ds v.

  (** Domains serve the roles [ds]; the rights to the roles [js] are held. *)
  Definition pool_model_at γ t ds js : iProp Σ :=
    pool_inv γ t ∗ ⌜ds ++ js ≡ₚ seq 1 (pn_size γ - 1)⌝ ∗
    closer_token γ ∗ may_close γ ∗ pool_role γ 0 ∗
    domains_field γ ds ∗ [∗ list] j ∈ js, pool_right γ j.
  Definition pool_model γ t : iProp Σ := ∃ ds js, pool_model_at γ t ds js.
  (** A pool that has not been started. *)
  Definition pool_new γ t : iProp Σ := pool_model_at γ t [] (seq 1 (pn_size γ - 1)).

  Lemma pool_new_model γ t : pool_new γ t -∗ pool_model γ t.
  Proof. iIntros "H". iExists _, _. iExact "H". Qed.
  Lemma pool_model_inv γ t : pool_model γ t -∗ pool_inv γ t.
  Proof. by iIntros "(%ds & %js & $ & _)". Qed.
  (** The result of [create]. *)
  Lemma pool_new_intro γ t :
    pool_inv γ t -∗ (pn_self γ +ₗ 10) ↦na InjLV #() -∗ closer_token γ -∗ may_close γ -∗
    ([∗ list] i ∈ seq 0 (pn_size γ), pool_role γ i) -∗ pool_new γ t.
  Proof.
    iIntros "#Hinv Hf Htok Hmay Hroles". pool_names. iFrame "Hinv Htok Hmay".
    destruct (pn_size γ) as [|n]; first lia. rewrite -cons_seq big_sepL_cons Nat.sub_1_r /=.
    iDestruct "Hroles" as "[$ Hroles]". iSplit; first done.
    iSplitL "Hf"; first by iExists _; iFrame "Hf".
    iApply (big_sepL_impl with "Hroles"). iIntros "!>" (k i [-> _]%lookup_seq).
    rewrite /pool_role /role_open bool_decide_eq_false_2; [rewrite andb_false_r|lia].
    by iIntros "$".
  Qed.
  (** The owner of the pool may call [run]. *)
  Lemma pool_model_role γ t : pool_model γ t -∗ pool_role γ 0 ∗ (pool_role γ 0 -∗ pool_model γ t).
  Proof.
    iIntros "(%ds & %js & Hinv & Hp & Htok & Hmay & $ & Hf & Hj) $".
    iExists ds, js. iFrame.
  Qed.

  (** Claim: [start] spawns the domains that serve all roles except role 0; their
      resources come back when the domains are joined. *)
  Lemma pool_start_spec γ t :
    {{{ pool_new γ t }}} pool_pool_start t {{{ RET #(); pool_model γ t }}}.
  Proof.
    iIntros (Φ) "(#Hinv & _ & Htok & Hmay & Hrole & Hf & Hrights) HΦ". pool_names. subst t.
    wp_rec. wp_pures. set (spawn := (rec: "spawn" "i" := _)%V).
    iAssert (∀ (k i : nat) (ds : list nat) (Ψ : val → iProp Σ),
      ⌜(1 ≤ i)%nat ∧ (i + k)%nat = pn_size γ ∧ ds ++ seq i k ≡ₚ seq 1 (pn_size γ - 1)⌝ -∗
      domains_field γ ds -∗ ([∗ list] j ∈ seq i k, pool_right γ j) -∗
      (∀ ds', ⌜ds' ≡ₚ seq 1 (pn_size γ - 1)⌝ -∗ domains_field γ ds' -∗ Ψ #()) -∗
      WP spawn #i {{ Ψ }})%I as "Hspawn".
    { iIntros (k). iInduction k as [|k] "IH"; iIntros (i ds Ψ (Hi & Hk & Hds)) "Hf Hr HΨ";
        wp_rec; wp_words.
      - rewrite bool_decide_eq_false_2; last lia. wp_pures. iApply ("HΨ" with "[%] Hf").
        by rewrite /= app_nil_r in Hds.
      - rewrite bool_decide_eq_true_2; last lia. rewrite -cons_seq big_sepL_cons. wp_pures.
        iDestruct "Hr" as "[Hi Hr]".
        wp_apply (domain_spawn_spec (λ _, pool_right γ i) with "[Hi]").
        { wp_pures. assert (role_open γ i = false) as Hopen.
          { rewrite /role_open bool_decide_eq_false_2; [by rewrite andb_false_r|lia]. }
          wp_apply (pool_serve_spec γ _ i _ False with "[$Hinv $Hi]"); [done|lia| |].
          - iApply never_tells.
          - by iIntros "$". }
        iIntros (d) "Hd". wp_pures. iDestruct "Hf" as (v) "[Hv Hm]". wp_na_load. wp_pures.
        wp_na_store. wp_pures. replace (i + 1)%Z with (Z.of_nat (S i)) by lia.
        iApply ("IH" $! (S i) (i :: ds) with "[%] [Hv Hd Hm] Hr HΨ").
        + split; [lia|]. split; [lia|]. rewrite -Hds -cons_seq.
          rewrite -Permutation_middle //.
        + iExists _. iFrame "Hv". iExists d, v. by iFrame. }
    wp_words. wp_bind (! _)%E. iApply (pool_closed_read with "Hinv").
    iIntros ([]) "_"; wp_pures.
    { iApply "HΦ". iExists [], _. rewrite /pool_model_at. by iFrame "Hinv Htok Hmay Hrole Hf Hrights". }
    iApply ("Hspawn" $! (pn_size γ - 1) 1 [] with "[%] Hf Hrights").
    { split; [done|]. split; [lia|done]. }
    iIntros (ds Hds) "Hf". iApply "HΦ". iExists ds, []. rewrite /pool_model_at.
    iFrame "Hinv Htok Hmay Hrole Hf". iSplit; last done. iPureIntro. by rewrite app_nil_r.
  Qed.

  (** ** Closing *)

  Definition all_rights γ : iProp Σ := [∗ list] j ∈ seq 0 (pn_size γ), pool_right γ j.

  (** The closer, with the rights to all roles, serves one role. *)
  Lemma pool_drain_fill γ t i :
    i < pn_size γ →
    {{{ pool_inv γ t ∗ all_rights γ }}}
      pool_pool_fill_unless t #i pool_pool_never
    {{{ c, RET #true;
        closer_keeps γ i ∗ pool_worker γ c (PoolScope false i 0 0) ∗ other_rights γ i }}}.
  Proof.
    iIntros (Hi Φ) "(#Hinv & Hrights) HΦ". rewrite /all_rights (seq_delete (pool_right γ)) //.
    iDestruct "Hrights" as "[Hright Hothers]".
    wp_apply (pool_fill_unless_spec _ _ i _ (pool_right γ i) (closer_keeps γ i) False
      with "[$Hinv $Hright]"); first done.
    { iSplit; first iApply never_tells. iApply claim_right. }
    iIntros ([]) "H"; last by iDestruct "H" as "[_ %]".
    iDestruct "H" as "[Hkeeps (%c & Hworker)]". iApply ("HΦ" $! c). iFrame.
  Qed.
  Lemma pool_drain_serve γ t c i :
    i < pn_size γ →
    {{{ pool_inv γ t ∗ drained_before γ i ∗ closer_keeps γ i ∗
        pool_worker γ c (PoolScope false i 0 0) ∗ other_rights γ i }}}
      pool_pool_serve_until t #i pool_pool_never
    {{{ RET #(); look_tells γ i ∗ all_rights γ }}}.
  Proof.
    iIntros (Hi Φ) "(#Hinv & #Hbefore & Hkeeps & Hworker & Hothers) HΦ".
    wp_apply (pool_serve_until_spec γ t c i _ (other_rights γ i) (look_tells γ i) False
      (pool_right γ i) with "[$Hinv $Hworker $Hothers Hkeeps]").
    { iSplitR; first iApply never_tells. iSplitR; first by iApply steal_gives_closing.
      iIntros "[%|(#Hsealed & _)]"; first done. by iApply role_left_closer. }
    iIntros "(Hright & Hothers & [%|#Hlook])"; first done. iApply "HΦ". iFrame "Hlook".
    rewrite /all_rights (seq_delete (pool_right γ) _ i) //. iFrame.
  Qed.

  Lemma pool_drain_spec γ t i :
    i ≤ pn_size γ →
    {{{ pool_inv γ t ∗ drained_before γ i ∗ (⌜i = pn_size γ⌝ → pool_finished γ) ∗
        all_rights γ }}}
      pool_pool_drain t #i
    {{{ RET #(); pool_finished γ }}}.
  Proof.
    iIntros (Hi Φ) "(#Hinv & #Hbefore & Hfin & Hrights) HΦ". pool_names. subst t.
    iLöb as "IH" forall (i Hi) "Hbefore". wp_rec. wp_words.
    destruct (decide (i = pn_size γ)) as [->|Hne].
    { rewrite bool_decide_eq_false_2; last lia. wp_pures. iModIntro. iApply "HΦ".
      by iApply "Hfin". }
    rewrite bool_decide_eq_true_2; last lia. iClear "Hfin". wp_pures.
    wp_apply (pool_drain_fill with "[$Hinv $Hrights]"); first lia.
    iIntros (c) "H". wp_pures.
    wp_apply (pool_drain_serve with "[$Hinv $Hbefore $H]"); first lia.
    iIntros "[(_ & #Hdr & #Hfin) Hrights]". wp_pures.
    replace (i + 1)%Z with (Z.of_nat (S i)) by lia.
    iApply ("IH" with "[%] Hfin Hrights HΦ []"); first lia.
    rewrite /drained_before seq_S big_sepL_snoc. by iFrame "Hbefore Hdr".
  Qed.

  (** The closer's resources after it has closed. *)
  Definition closer_own γ ds js : iProp Σ :=
    ⌜ds ++ js ≡ₚ seq 1 (pn_size γ - 1)⌝ ∗ closer_token γ ∗ pool_role γ 0 ∗
    domains_field γ ds ∗ [∗ list] j ∈ js, pool_right γ j.

  Lemma steal_gives_sealed γ t i c o d :
    pool_inv γ t -∗ steal_gives γ i c o d True (pool_sealed γ).
  Proof.
    iIntros "#Hinv !>" (a sealed) "#Hsealed Hworker _".
    iApply (pool_hub_steal_spec with "[$Hinv $Hworker]"). iIntros (r) "$".
    destruct sealed; [iIntros "_"; by iRight|by iIntros "[_ %]"].
  Qed.

  Lemma pool_close_raw_spec γ t (Won Lost : iProp Σ) (Φ : val → iProp Σ) :
    pool_inv γ t -∗
    (∀ Ψ : val → iProp Σ,
      (∀ b : bool,
        (if b then Won ∗ ∃ ds js, closer_own γ ds js else Lost) -∗
        Ψ (#(negb b), #b)%V) -∗
      WP CmpXchg #(pn_closed γ) #false #true {{ Ψ }}) -∗
    ▷ (∀ b : bool, (if b then Won ∗ pool_finished γ else Lost) -∗ Φ #b) -∗
    WP pool_pool_close t {{ Φ }}.
  Proof.
    iIntros "#Hinv Hcas HΦ". pool_names. subst t. wp_rec. wp_words.
    wp_bind (CmpXchg _ _ _). iApply "Hcas". iIntros ([]) "H"; wp_pures; last first.
    { by iApply ("HΦ" $! false). }
    iDestruct "H" as "(Hwon & %ds & %js & %Hds & Htok & Hrole & (%v & Hv & Hdomains) & Hjs)".
    wp_words. wp_apply (wt_notify_all_spec with "Hwaiters"). iIntros "_". wp_pures.
    (* Role 0, for the first time. *)
    wp_apply (pool_fill_unless_spec _ _ 0 _ _ (closer_token γ) False
      with "[$Hinv Htok Hrole]"); first done.
    { iSplitL; last iSplit; [|iApply never_tells|iApply claim_closer]. iFrame. }
    iIntros ([]) "H"; last by iDestruct "H" as "[_ %]".
    iDestruct "H" as "[Htok (%c & Hworker)]". wp_pures.
    wp_apply (pool_serve_until_spec γ _ c 0 _ True (pool_sealed γ) False (pool_right γ 0)
      with "[$Hinv $Hworker Htok]").
    { iSplitR; first iApply never_tells. iSplitR; first by iApply steal_gives_sealed.
      iSplitR; first done. iIntros "[%|#Hsealed]"; first done.
      iApply (role_left_closer with "Hsealed"). rewrite /closer_keeps.
      by destruct (role_open γ 0). }
    iIntros "(Hright & _ & _)". wp_words.
    wp_apply (hub_close_spec with "Hhub"). iIntros "_". wp_pures. wp_na_load.
    wp_apply (pool_join_spec with "Hdomains"). iIntros "Hds". wp_pures. wp_na_store. wp_pures.
    iDestruct (big_sepL_app with "[$Hds $Hjs]") as "Hrights". rewrite Hds.
    wp_apply (pool_drain_spec _ _ 0 with "[$Hinv Hright Hrights]"); first lia.
    { rewrite /drained_before big_sepL_nil. iSplit; first done. iSplitR; first by iIntros (?); lia.
      rewrite /all_rights. destruct (pn_size γ) as [|n] eqn:Hn; first lia.
      rewrite -cons_seq big_sepL_cons Nat.sub_1_r /=. iFrame. }
    iIntros "#Hfin". wp_pures. iApply ("HΦ" $! true). by iFrame "Hwon Hfin".
  Qed.

  (** Claim: When the owner's [close] returns, the pool has finished: every accepted
      task, from inside or outside, has run exactly once and to its end, and so has
      every task that such a task has published. *)
  Theorem pool_close_spec γ t :
    {{{ pool_model γ t }}} pool_pool_close t {{{ RET #true; pool_finished γ }}}.
  Proof.
    iIntros (Φ) "(%ds & %js & #Hinv & Hperm & Htok & Hmay & Hown) HΦ".
    iApply (pool_close_raw_spec _ _ True False with "Hinv [-HΦ]").
    - iIntros (Ψ) "HΨ". iApply (pool_close_cas with "Hinv Hmay"); first done.
      iIntros "!> _". iApply ("HΨ" $! true). iSplit; first done. iExists ds, js. iFrame.
    - iIntros "!>" ([]) "H"; last done. iApply "HΦ". by iDestruct "H" as "[_ $]".
  Qed.

  (** Claim: A second closer gets [false]. [false] means that the pool was closed
      before, and does not mean that the pool's tasks have run. *)
  Theorem pool_close_again_spec γ t :
    {{{ pool_inv γ t ∗ pool_closed γ }}} pool_pool_close t {{{ RET #false; True }}}.
  Proof using Type*.
    iIntros (Φ) "[#Hinv #Hclosed] HΦ".
    iApply (pool_close_raw_spec _ _ False True with "Hinv []").
    - iIntros (Ψ) "HΨ". iApply (pool_close_cas_again with "Hinv Hclosed"); first done.
      iNext. by iApply ("HΨ" $! false).
    - iIntros "!>" ([]) "H"; [by iDestruct "H" as "[[] _]"|by iApply "HΦ"].
  Qed.

  (** Claim: Of several closers, one gets [true], and knows that the pool has finished;
      the others get [false], and know that the pool is closed. *)
  Theorem pool_close_race_spec γ t (N : namespace) :
    N ## poolN →
    {{{ pool_inv γ t ∗ inv N (pool_model γ t ∨ pool_closed γ) }}}
      pool_pool_close t
    {{{ (b : bool), RET #b; if b then pool_finished γ else pool_closed γ }}}.
  Proof.
    iIntros (HN Φ) "[#Hinv #Hrace] HΦ".
    iApply (pool_close_raw_spec _ _ True (pool_closed γ) with "Hinv []").
    - iIntros (Ψ) "HΨ". iInv "Hrace" as "[(%ds & %js & _ & Hperm & Htok & >Hmay & Hown)|>#Hclosed]".
      + iApply (pool_close_cas with "Hinv Hmay"); first solve_ndisj.
        iIntros "!> #Hclosed". iModIntro. iSplitR "HΨ Hperm Htok Hown"; first by iRight.
        iApply ("HΨ" $! true). iSplit; first done. iExists ds, js. iFrame.
      + iApply (pool_close_cas_again with "Hinv Hclosed"); first solve_ndisj.
        iIntros "!> !>". iSplitR "HΨ"; first by iRight. by iApply ("HΨ" $! false).
    - iIntros "!>" ([]) "H"; iApply "HΦ"; [by iDestruct "H" as "[_ $]"|done].
  Qed.
End close.
