(** A new pool: the invariant holds, no thread fills a role, no task is published. *)
From stdpp Require Import gmultiset.
From iris.algebra Require Import auth numbers.
From iris.base_logic.lib Require Import invariants ghost_map mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude mutex condition.
From dromos.base Require Import waiters_code.
From dromos.hub Require Import hub_spec hub_code.
From dromos.pool Require Import pool_state pool_ops pool_basics pool_hunt pool_roles.
From dromos.pool Require Import pool_code.

Local Existing Instances pool_mutexG pool_unitG pool_depthG pool_sealedG pool_entryG.

Section create.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ}.

  Lemma big_sepL_indices {A} (P : nat → iProp Σ) (xs : list A) :
    ([∗ list] i ↦ _ ∈ xs, P i) ⊣⊢ [∗ list] i ∈ seq 0 (length xs), P i.
  Proof.
    induction xs as [|x xs IH] using rev_ind; first done.
    by rewrite length_app Nat.add_1_r seq_S !big_sepL_snoc IH.
  Qed.
  Lemma big_sepS_indices (P : nat → iProp Σ) (n : nat) :
    ([∗ set] i ∈ set_seq 0 n, P i) ⊢ [∗ list] i ∈ seq 0 n, P i.
  Proof.
    induction n as [|n IH]; first by rewrite big_sepS_empty.
    rewrite set_seq_S_end_union_L big_sepS_union; last by apply set_seq_S_end_disjoint.
    rewrite big_sepS_singleton seq_S big_sepL_snoc -IH. by iIntros "[$ $]".
  Qed.

  (** A context, before the pool's names are known. *)
  Definition ctx_fresh (t : loc) (i : nat) (v : val) : iProp Σ :=
    ∃ c w : loc, ⌜v = #c⌝ ∗ (c +ₗ 0) ↦□ #t ∗ (c +ₗ 1) ↦□ #i ∗ (c +ₗ 2) ↦□ #w ∗
      inv pool_wordN (∃ b : bool, w ↦ #b) ∗ ctx_words c.

  Lemma pool_make_context_spec (t : loc) (i : nat) :
    {{{ True }}} pool_pool_make_context #t #i {{{ v, RET v; ctx_fresh t i v }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures. wp_alloc w as "Hw". wp_pures.
    iMod (inv_alloc pool_wordN _ (∃ b : bool, w ↦ #b) with "[Hw]") as "#Hw".
    { by iExists false. }
    iApply wp_fupd. wp_apply block9_spec; first done.
    iIntros (c) "(H0 & H1 & H2 & H3 & H4 & H5 & H6 & H7 & H8 & _)".
    iMod (pointsto_persist with "H0") as "#H0". iMod (pointsto_persist with "H1") as "#H1".
    iMod (pointsto_persist with "H2") as "#H2". iModIntro. iApply "HΦ".
    iExists c, w. iFrame "H0 H1 H2 Hw". iSplit; first done.
    by iApply (words_intro with "H3 H4 H5 H6 H7 H8").
  Qed.

  Lemma pool_contexts_spec (t : loc) (n : nat) :
    {{{ True }}}
      array_init #n (λ: "id", pool_pool_make_context #t "id")%V
    {{{ (l : loc) vs, RET #l; ⌜length vs = n⌝ ∗ is_array l (DfracOwn 1) vs ∗
        [∗ list] i ↦ v ∈ vs, ctx_fresh t i v }}}.
  Proof.
    iIntros (Φ) "_ HΦ".
    wp_apply (array_init_spec (λ _ vs, [∗ list] i ↦ v ∈ vs, ctx_fresh t i v)%I); first lia.
    { iSplit; first done. iIntros "!>" (i vs) "%Hi %Hlen Hvs". wp_pures.
      wp_apply pool_make_context_spec; first done. iIntros (v) "Hv".
      rewrite big_sepL_app big_sepL_singleton Nat.add_0_r Hlen. iFrame. }
    iIntros (l vs) "(%Hlen & Hl & _ & Hvs)". iApply "HΦ". iFrame. iPureIntro. lia.
  Qed.

  (** [shared]: role 0 is open to all callers; otherwise role 0 belongs to the owner of
      the pool, like the other roles. *)
  (** Claim: [create] makes a new pool, for any hub that meets the specification of
      hubs. *)
  Lemma pool_create_spec (shared : bool) (make on_idle : val) (idle : loc) (n : nat) :
    hub_maker make → 0 < n →
    {{{ (∃ z : Z, idle ↦ #z) ∗ □ (∀ i : nat, ⌜i < n⌝ → WP on_idle #i {{ _, True }}) }}}
      pool_pool_create make #idle on_idle #n
    {{{ γ t, RET t;
        ⌜pn_size γ = n ∧ pn_shared γ = shared⌝ ∗ pool_inv γ t ∗
        (pn_self γ +ₗ 10) ↦na InjLV #() ∗ closer_token γ ∗ may_close γ ∗
        [∗ list] i ∈ seq 0 n, pool_role γ i }}}.
  Proof.
    iIntros (Hmake Hn Φ) "[Hidle #Hon_idle] HΦ". wp_rec. wp_pures.
    wp_apply (Hmake n Hn); first done. iIntros (o f) "[Hnotify Hstart]". wp_pures.
    wp_apply (wt_create_spec n Hn); first done. iIntros (γw w) "[#Hw Hphases]". wp_pures.
    wp_alloc closed as "Hclosed". wp_pures. wp_alloc outside as "Houtside". wp_pures.
    wp_na_store.
    iMod (na_pointsto_persist with "Hnotify") as "#Hnotify".
    iMod ("Hstart" with "Hnotify []") as (γh) "(#Hhub & Hmodel & Howners)".
    { iIntros "!>" (i Hi). wp_pures. wp_apply (wt_notify_spec with "Hw"); first done.
      iIntros (b) "_". by wp_pures. }
    wp_pures. wp_apply mutex_create_spec; first done. iIntros (m) "Hm". wp_pures.
    wp_apply condition_create_spec; first done. iIntros (cd) "#Hcd". wp_pures.
    wp_apply (array_make_spec n #0); [lia|done|]. iIntros (servers) "[Hservers _]". wp_pures.
    wp_apply (array_make_spec 0 #()); [done|done|]. iIntros (none) "_". wp_pures.
    wp_apply block11_spec; first done.
    iIntros (t) "(H0 & H1 & H2 & H3 & H4 & H5 & H6 & H7 & H8 & H9 & H10 & _)". wp_pures.
    wp_apply (pool_contexts_spec t n); first done.
    iIntros (contexts vs) "(%Hvs & [#Hcl Hcs] & Hctxs)". wp_na_store.
    iMod (pointsto_persist with "H0") as "#H0". iMod (pointsto_persist with "H1") as "#H1".
    iMod (pointsto_persist with "H2") as "#H2". iMod (pointsto_persist with "H3") as "#H3".
    iMod (pointsto_persist with "H4") as "#H4". iMod (pointsto_persist with "H5") as "#H5".
    iMod (na_pointsto_persist with "H6") as "#H6".
    iMod (pointsto_persist with "H7") as "#H7". iMod (pointsto_persist with "H8") as "#H8".
    iMod (pointsto_persist with "H9") as "#H9".
    iMod (array_cells_persist with "Hcs") as "#Hcs".
    iMod (inv_alloc pool_wordN _ (∃ z : Z, idle ↦ #z) with "Hidle") as "#Hidle".
    iMod (ghost_map_alloc_empty (V := ())) as (γpend) "Hpend".
    iMod (ghost_map_alloc (gset_to_gmap 0 (set_seq 0 n) : gmap nat nat)) as (γdepth) "[Hdepth Hdepths]".
    iMod (ghost_map_alloc_empty (K := nat) (V := ())) as (γdr) "Hdr".
    iMod (mono_nat_own_alloc 0) as (γs) "[Hs _]".
    iMod (own_alloc (● (0, 0))) as (γe) "He"; first by apply auth_auth_valid.
    iMod (ghost_map_alloc {[0 := (); 1 := ()]}) as (γc) "[_ Htok]".
    rewrite big_sepM_insert // big_sepM_singleton. iDestruct "Htok" as "[Htok Hmay]".
    set (γ := PoolName γh o n shared γpend γdepth γdr γs γe γc t idle on_idle w γw closed
      outside contexts m cd servers).
    iMod (inv_alloc pool_mainN _ (pool_main γ)
      with "[Hclosed Houtside He Hs Hmodel Hpend Hdepth Hdr]") as "#Hmain".
    { iNext. iExists false, 0. iSplitL "Hclosed Houtside He Hs".
      { iExists 0, 0. iFrame "Hclosed Houtside He Hs". iSplit; first by iLeft.
        iPureIntro. split; [split; [done|lia]|lia]. }
      iLeft. iExists ∅. iFrame "Hmodel". rewrite /pool_tasks big_sepMS_empty.
      iSplit; first done. iExists _, ∅. iFrame "Hdepth Hdr".
      iSplit; first by rewrite dom_gset_to_gmap. rewrite big_sepM_empty. iSplit; first done.
      iSplit; first by iPureIntro; intros i [? ?].
      iLeft. iExists ∅. iFrame "Hpend". rewrite map_size_empty. iPureIntro. lia. }
    (* The counts, half of them for the mutex. *)
    iDestruct "Hservers" as "[#Hsl Hservers]". rewrite length_replicate Nat2Z.id.
    iAssert ([∗ list] i ↦ _ ∈ replicate n (#0 : val),
      server_half γ i 0 ∗ server_half γ i 0)%I with "[Hservers]" as "Hhalves".
    { iApply (big_sepL_impl with "Hservers"). iIntros "!>" (i v Hv) "H".
      apply lookup_replicate in Hv as [-> _]. rewrite /server_half /= Z.add_0_l.
      iDestruct "H" as "[$ $]". }
    rewrite (big_sepL_indices (λ i, server_half γ i 0 ∗ server_half γ i 0)%I).
    rewrite length_replicate big_sepL_sep. iDestruct "Hhalves" as "[Hhalves Hhalves']".
    (* The contexts. *)
    iAssert (([∗ list] i ↦ v ∈ vs, ∃ c : loc, ⌜v = #c⌝ ∗ □ is_ctx γ i c ∗ ctx_words c))%I
      with "[Hctxs]" as "Hctxs".
    { iApply (big_sepL_impl with "Hctxs"). iIntros "!>" (i v Hv).
      iIntros "(%c & %w' & -> & #Hc0 & #Hc1 & #Hc2 & #Hw' & Hwords)". iExists c.
      iFrame "Hwords". iSplit; first done. iModIntro. rewrite /is_ctx.
      iSplit; last by iFrame "Hc0 Hc1 Hc2 Hw'".
      iDestruct (big_sepL_lookup with "Hcs") as "H"; first done. by rewrite Z.add_0_l. }
    iAssert (([∗ list] i ↦ v ∈ vs, ∃ c : loc, ⌜v = #c⌝ ∗ is_ctx γ i c) ∗
      [∗ list] i ↦ v ∈ vs, ∃ c : loc, is_ctx γ i c ∗ ctx_words c)%I
      with "[Hctxs]" as "[#Hall Hctxs]".
    { rewrite -big_sepL_sep. iApply (big_sepL_impl with "Hctxs"). iIntros "!>" (i v Hv).
      iIntros "(%c & -> & #Hc & Hwords)". iSplitR.
      - iExists c. by iFrame "Hc".
      - iExists c. by iFrame "Hc Hwords". }
    rewrite (big_sepL_indices (λ i, ∃ c : loc, is_ctx γ i c ∗ ctx_words c)%I) Hvs.
    rewrite big_sepM_gset_to_gmap big_sepS_indices.
    iAssert ([∗ list] i ∈ seq 0 n, pool_right γ i)%I
      with "[Hctxs Hphases Howners Hhalves Hdepths]" as "Hrights".
    { iCombine "Hctxs Hphases Howners Hhalves Hdepths" as "H". rewrite -!big_sepL_sep.
      iApply (big_sepL_impl with "H"). iIntros "!>" (j i [-> Hj]%lookup_seq).
      iIntros "((%c & #Hc & Hwords) & Hphase & Howner & Hhalf & Hdepth)".
      iExists c. rewrite /worker_own. iFrame "Hc Hwords Hphase Howner Hhalf Hdepth".
      iPureIntro. simpl. lia. }
    iAssert ((if shared then pool_right γ 0 else True) ∗ [∗ list] i ∈ seq 0 n, pool_role γ i)%I
      with "[Hrights]" as "[Hfree Hroles]".
    { rewrite /pool_role /role_open. destruct shared; simpl; last by iFrame "Hrights".
      destruct n as [|n']; first lia. rewrite -cons_seq !big_sepL_cons.
      iDestruct "Hrights" as "[$ Hrights]". rewrite bool_decide_eq_true_2 //.
      iSplit; first done. iApply (big_sepL_impl with "Hrights").
      iIntros "!>" (j i [-> Hj]%lookup_seq) "H". by rewrite bool_decide_eq_false_2. }
    iMod (mutex_inv_alloc m (pool_servers γ) with "Hm [Hhalves' Hfree]") as "#Hmutex".
    { iNext. iExists (replicate n 0). rewrite length_replicate. iSplit; first done.
      iSplitL "Hhalves'".
      - iEval (rewrite -{1}(length_replicate n 0)
          -(big_sepL_indices (λ i, server_half γ i 0))) in "Hhalves'".
        iApply (big_sepL_impl with "Hhalves'"). iIntros "!>" (i k Hk) "H".
        by apply lookup_replicate in Hk as [-> _].
      - simpl. destruct shared; last done. iIntros "_". by iLeft. }
    iModIntro. iApply ("HΦ" $! γ). iSplit; first done. iFrame "Hroles H10 Htok Hmay".
    rewrite /pool_inv /=. iFrame "H0 H1 H2 H3 H4 H5 H6 H7 H8 H9 Hhub Hw Hcd Hmutex Hidle".
    iFrame "Hon_idle Hmain Hsl Hcl". do 2 (iSplit; first done).
    iIntros "!>" (i Hi). destruct (lookup_lt_is_Some_2 vs i) as [v Hv]; first lia.
    iDestruct (big_sepL_lookup with "Hall") as (c) "[_ Hc]"; first done. by iExists c.
  Qed.
End create.
