(** The private hub: the proof that lib/kernel/hub/private_.ml is a hub ([hub_spec.v]).
    [private_state.v] has the state; [private_ops.v], [private_retire.v] and
    [private_thief.v] have the operations.

    A worker that has asked a victim and goes to sleep relies on the answer, so the
    specification of hubs has the predicate [hub_asked]. The private hub does not need
    the predicate. If all other workers have retired and the caller owns the model, then
    a victim that the caller asked has answered ([private_steal_quiet_spec]). Without a
    request, the caller checks whether any worker may have a task, and no worker has a
    task. So after a [steal] without success the deques are empty, and all remaining
    tasks are Central's tasks for other workers. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants token.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import private_code items others private_ private_quiet.
From dromos.hub Require Import hub_code private_code hub_spec central_code central own_deques guarded.
From dromos.hub Require Import private_thief.
From dromos.hub Require Export private_state private_ops private_retire.

Section private.
  Context `{!heapGS Σ, !centralG Σ, !privateG Σ, !guardedG Σ}.
  Implicit Types (γ : private_hub_names) (p : private_hub_parts) (M C : hub_items).
  Implicit Types (i j n victim : nat) (l x : loc) (asked : option nat) (ls : list loc).
  Implicit Types (vs : list val).

  (** ** While only the caller acts *)

  Local Definition retired (Ψ : nat → iProp Σ) i n : iProp Σ :=
    [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → Ψ j.

  (** A thief that gets no task has found all deques empty. *)
  Local Lemma thief_looks_quiet γ n p i ls : i < n →
    private_parts γ n p -∗ private_model (ph_deques γ) (deque_vals ls) -∗
    retired (λ j, private_owner (ph_deques γ) j [] None) i n -∗
    thief_looks γ n p i [] (λ o, ∃ D, ⌜deque_vals ls = multiset_of (option_list o) ⊎ D⌝ ∗
      ⌜o = None → D = ∅⌝ ∗ private_model (ph_deques γ) D ∗
      retired (λ j, private_owner (ph_deques γ) j [] None) i n).
  Proof.
    iIntros (Hi) "(#I & _) HD Hos". iSplit.
    - iIntros "Ho". iMod (private_model_empty with "I [Ho Hos] HD") as "(%Hnone & Hall & HD)";
        first done.
      { iApply (seq_except _ n i); first done. iFrame. }
      iDestruct (seq_except _ n i with "Hall") as "[$ Hos]"; first done. iModIntro.
      iExists ∅. rewrite Hnone. by iFrame.
    - iIntros (asked victim Hv) "Ho".
      wp_apply (private_steal_quiet_spec with "[$I $Ho $HD $Hos]"); [done..|].
      iIntros (o D) "(%HD & %Hnone & Ho & HD & Hos)". iExists o, None. iFrame. by iSplit.
  Qed.

  Local Lemma taken_from_deque i C ls ls' l :
    deque_items ls = deque_items ls' ⊎ {[+ (l, None) +]} →
    hub_taken i (C ⊎ deque_items ls) (SOMEV #l) (C ⊎ deque_items ls').
  Proof.
    intros Hls. right. exists l, None. split; first done. split; first by left.
    by rewrite Hls assoc_L.
  Qed.

  Local Lemma steal_quiet γ n p i vs asked C ls : i < n →
    {{{ private_parts γ n p ∗ central_owner (ph_central γ) i ∗ private_side γ i vs asked ∗
        central_model (ph_central γ) C ∗ private_model (ph_deques γ) (deque_vals ls) ∗
        retired (central_owner (ph_central γ)) i n ∗
        retired (λ j, private_owner (ph_deques γ) j [] None) i n }}}
      hub_private_steal (private_hub_val p) #i
    {{{ r M', RET r; ⌜hub_taken i (C ⊎ deque_items ls) r M'⌝ ∗
        central_owner (ph_central γ) i ∗ (∃ vs asked, private_side γ i vs asked) ∗
        private_real γ M' ∗ retired (central_owner (ph_central γ)) i n ∗
        retired (λ j, private_owner (ph_deques γ) j [] None) i n ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hi Φ) "(#Hp & Hc & [Ho Ht] & HC & HD & Hcs & Hos) HΦ".
    iPoseProof "Hp" as "(#I & #Ic & _ & %Hn & _)".
    destruct (lookup_lt_is_Some_2 (ph_thieves γ) i) as [x Hx]; first lia.
    rewrite thief_is_at //. wp_rec. wp_pures.
    wp_apply (thief_get_spec with "Hp"); [done..|]. iIntros "_". wp_pures.
    awp_apply (private_pop_spec with "I Ho"). iAaccIntro with "HD"; first by eauto with iFrame.
    iIntros (D) "[%HD HD] !> %vs' [%Hvs' Ho]".
    apply deque_vals_take in HD as [[Hlast ->]|(l & ls' & Hlast & Hls & ->)];
      rewrite Hlast; simpl; wp_pures; last first.
    { wp_apply (found_spec with "Ht"). iIntros "Ht". rewrite -thief_is_at //.
      iAssert (private_real γ (C ⊎ deque_items ls')) with "[HC HD]" as "HM".
      { iExists C, ls'. by iFrame. }
      iApply ("HΦ" $! _ (C ⊎ deque_items ls')). iFrame. iPureIntro.
      split; [by apply taken_from_deque|done]. }
    apply last_None in Hlast as ->. assert (vs' = []) as -> by by destruct Hvs' as [->| ->].
    wp_bind (hub_private_steal_from_others _ _ _). iApply (wp_wand with "[Hc Ho Ht HD Hos]").
    { iApply (steal_from_others_spec with "Hp Hc Ho Ht [HD Hos]"); [done..|].
      iApply (thief_looks_quiet with "Hp HD Hos"); done. }
    iIntros (r) "(%o & %asked' & -> & Hc & Ho & Ht & %D & %HD & %Hnone & HD & Hos)".
    rewrite -thief_is_at //. destruct o as [v|]; simpl; wp_pures.
    { apply deque_vals_take in HD as [[? _]|(l & ls' & [= ->] & Hls & ->)]; first done.
      iAssert (private_real γ (C ⊎ deque_items ls')) with "[HC HD]" as "HM".
      { iExists C, ls'. by iFrame. }
      iModIntro. iApply ("HΦ" $! _ (C ⊎ deque_items ls')). iFrame. iPureIntro.
      split; [by apply taken_from_deque|done]. }
    specialize (Hnone eq_refl) as ->. simpl in HD. rewrite left_id_L in HD.
    apply deque_vals_empty in HD as ->. rewrite [deque_items []]/deque_items /= right_id_L.
    wp_apply (central_steal_quiet_spec with "[$Ic $Hc $HC $Hcs]"); first done.
    iIntros (r C') "(%Hr & Hc & HC & Hcs & %Hforeign)".
    iAssert (private_real γ C') with "[HC HD]" as "HM".
    { iExists C', []. iFrame. iPureIntro. by rewrite right_id_L. }
    destruct Hr as [(-> & ->)|(l & w & -> & Hw & ->)]; wp_pures.
    { iModIntro. iApply "HΦ". iFrame. iPureIntro. split; [by left|done]. }
    wp_bind (hub_private_withdraw _ _). iApply (wp_wand with "[Hc Ho Ht HM]").
    { iApply (private_hub_withdraw_spec with "Hp [] Hc [$Ho $Ht] HM"); first done.
      iApply hub_peek_model. }
    iIntros (?) "(-> & Hc & (%vs'' & %asked'' & _ & _ & Ho & Ht) & HM)".
    rewrite thief_is_at //. wp_pures. wp_apply (found_spec with "Ht"). iIntros "Ht".
    rewrite -thief_is_at //. iApply "HΦ". iFrame. iPureIntro. split; last done. right. by eauto.
  Qed.

  Local Lemma retired_owner γ i :
    private_hub_owner γ i false ⊣⊢ central_owner (ph_central γ) i ∗
      private_owner (ph_deques γ) i [] None ∗ thief_at γ i None ∗
      guarded_worker (ph_guard γ) i.
  Proof.
    iSplit.
    - iIntros "($ & (%vs & %asked & [Ho Ht] & %Hnone) & $)".
      destruct (Hnone eq_refl) as [-> ->]. iFrame.
    - iIntros "($ & Ho & Ht & $)". iExists [], None. by iFrame.
  Qed.

  (** Claim: While only the caller acts, a [steal] without success leaves only tasks for
      other workers. *)
  Lemma private_hub_steal_quiet_spec o γ n i M : i < n →
    {{{ private_hub_inv o γ n ∗ private_hub_owner γ i true ∗ private_hub_model γ M ∗
        [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → private_hub_owner γ j false }}}
      h_steal o #i
    {{{ r M', RET r;
        ⌜hub_taken i M r M'⌝ ∗ private_hub_owner γ i true ∗ private_hub_model γ M' ∗
        ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → private_hub_owner γ j false) ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hi Φ) "((%p & -> & #Hp) & (Hc & (%vs & %asked & Hside & _) & Hg) & HM & Hos) HΦ".
    iPoseProof "Hp" as "(_ & _ & _ & _ & _ & _ & #Ig & %Hgn)". symmetry in Hgn.
    iEval (setoid_rewrite retired_owner; rewrite !others_sep) in "Hos".
    iDestruct "Hos" as "(Hcs & Hds & Hts & Hgs)".
    iMod (guarded_lend with "Ig HM [Hg Hgs]") as "[(%C & %ls & -> & HC & HD) Hhome]"; first done.
    { iApply (seq_except _ n i); first done. iFrame. }
    iApply wp_fupd. simpl. wp_pures.
    wp_apply (steal_quiet with "[$Hp $Hc $Hside $HC $HD $Hcs $Hds]"); first done.
    iIntros (r M') "(%Hr & Hc & (%vs' & %asked' & Hside) & HM & Hcs & Hds & %Hforeign)".
    iMod (guarded_return with "Ig HM Hhome") as "[HM Hgs]"; first done.
    iDestruct (seq_except _ n i with "Hgs") as "[Hg Hgs]"; first done. iModIntro.
    iApply "HΦ". iFrame "HM". iSplit; first done.
    iSplitL "Hc Hside Hg"; first by iApply (private_hub_owner_intro with "Hc Hside Hg").
    iSplitL; last done. iEval (setoid_rewrite retired_owner; rewrite !others_sep). iFrame.
  Qed.

  (** The private hub is a hub. *)
  Global Program Instance private_hub_spec : hub_spec Σ := {|
    hub_name := private_hub_names;
    hub_inv := private_hub_inv;
    hub_owner := private_hub_owner;
    hub_model := private_hub_model;
    hub_asked _ _ := False%I;
    hub_push_spec := private_hub_push_spec;
    hub_submit_spec := private_hub_submit_spec;
    hub_submit_to_spec := private_hub_submit_to_spec;
    hub_pop_spec := private_hub_pop_spec;
    hub_steal_spec := private_hub_steal_spec;
    hub_retract_spec := private_hub_retract_spec;
    hub_waits_for_answer_spec := private_hub_waits_for_answer_spec;
    hub_has_work_spec := private_hub_has_work_spec;
    hub_enlist_spec := private_hub_enlist_spec;
    hub_retire_spec := private_hub_retire_spec;
    hub_tick_spec := private_hub_tick_spec;
  |}.
  Next Obligation.
    iIntros (o γ n i M Hi Φ) "(#I & Hown & HM & Hrest) HΦ".
    iApply (private_hub_steal_quiet_spec with "[$I $Hown $HM $Hrest]"); first done.
    iIntros "!>" (r M') "(Hr & Hown & HM & Hrest & %Hnone)". iApply "HΦ". iFrame.
    iIntros (Hr). iRight. iPureIntro. by apply Hnone.
  Qed.
  Next Obligation. by iIntros (o γ n i Hi Φ) "(_ & _ & [])". Qed.
  Next Obligation.
    iIntros (o γ n i l Hi Φ) "[(%p & -> & _) Hown] HΦ". simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n i l Hi Φ) "[(%p & -> & _) Hown] HΦ". simpl. wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (o γ n Φ) "(%p & -> & _) HΦ". simpl. wp_pures. by iApply "HΦ".
  Qed.

  (** ** Making *)

  Local Lemma make_thieves_spec n :
    {{{ True }}}
      array_init #n hub_private_make_thief
    {{{ l xs, RET #l; ⌜length xs = n⌝ ∗ is_array l DfracDiscarded (loc_val <$> xs) ∗
        [∗ list] i ↦ x ∈ xs, thief_words x i 0 false }}}.
  Proof.
    iIntros (Φ) "_ HΦ". iApply wp_fupd.
    wp_apply (array_init_spec (λ _ vs, ∃ xs, ⌜vs = loc_val <$> xs⌝ ∗
      [∗ list] i ↦ x ∈ xs, thief_words x i 0 false)%I); first lia.
    { iSplit; first by (iExists []; iSplit). iIntros "!>" (i vs _ Hi) "(%xs & -> & Hxs)".
      rewrite length_fmap in Hi. wp_rec. wp_pures. wp_apply block3_spec; first done.
      iIntros (x) "(H0 & H1 & H2 & _)". iExists (xs ++ [x]). rewrite fmap_app.
      iSplit; first done. iFrame "Hxs". rewrite /= Nat.add_0_r Hi. by iFrame. }
    iIntros (l vs) "(%Hlen & Ha & _ & %xs & -> & Hxs)". rewrite length_fmap Nat2Z.id in Hlen.
    iMod (is_array_persist with "Ha") as "Ha". iApply "HΦ". by iFrame.
  Qed.

  Local Lemma make_marks_spec n (f : val) :
    (∀ i, ⊢ WP f #i {{ r, ∃ m : loc, ⌜r = #m⌝ ∗ inv (hubN .@ "mark") (∃ z : Z, m ↦ #z) }}) →
    {{{ True }}}
      array_init #n f
    {{{ l ms, RET #l; ⌜length ms = n⌝ ∗ is_array l DfracDiscarded (loc_val <$> ms) ∗
        [∗ list] m ∈ ms, inv (hubN .@ "mark") (∃ z : Z, m ↦ #z) }}}.
  Proof.
    iIntros (Hf Φ) "_ HΦ". iApply wp_fupd.
    wp_apply (array_init_spec (λ _ vs, ∃ ms, ⌜vs = loc_val <$> ms⌝ ∗
      [∗ list] m ∈ ms, inv (hubN .@ "mark") (∃ z : Z, m ↦ #z))%I); first lia.
    { iSplit; first by (iExists []; iSplit). iIntros "!>" (i vs _ _) "(%ms & -> & Hms)".
      iApply (wp_wand with "[]"); first iApply Hf. iIntros (r) "(%m & -> & Hm)".
      iExists (ms ++ [m]). rewrite fmap_app. iSplit; first done. by iFrame. }
    iIntros (l vs) "(%Hlen & Ha & _ & %ms & -> & Hms)". rewrite length_fmap Nat2Z.id in Hlen.
    iMod (is_array_persist with "Ha") as "Ha". iApply "HΦ". by iFrame.
  Qed.

  (** Claim: [Private_.make] returns an empty hub whose workers do not serve yet. *)
  Theorem private_maker : hub_maker hub_private_make.
  Proof.
    iIntros (n Hn Φ) "_ HΦ". wp_rec. wp_pures. wp_rec. wp_pures.
    wp_apply array_make_spec; [done..|]. iIntros (attrs) "_". wp_pures.
    wp_apply block3_spec; first done. iIntros (dummy) "_". wp_pures.
    wp_apply private_create_spec; first done. iIntros (deques γd) "(#I & HD & Hds)". wp_pures.
    wp_apply make_thieves_spec; first done. iIntros (thieves xs) "(%Hxs & #Hthieves & Hts)".
    wp_pures. wp_apply make_marks_spec; [|done|].
    { iIntros (i). wp_pures. wp_alloc m as "Hm".
      iMod (inv_alloc (hubN .@ "mark") _ (∃ z : Z, m ↦ #z) with "[Hm]") as "#Im";
        first by iExists 0%Z. iModIntro. by iExists m; iFrame "Im". }
    iIntros (marks ms) "(%Hms & #Hmasks & #Hims)". wp_pures.
    wp_rec. wp_pures. wp_apply block1_spec; first done. iIntros (nf) "[Hnf _]". wp_pures.
    wp_apply central_create_spec; [done..|]. iIntros (γc central) "(Hinv & HC & Hcs)".
    wp_pures. iModIntro. set (γ := λ γg, PrivateHubNames γc γd xs γg).
    set (p := PrivateHubParts deques thieves marks central nf).
    iApply ("HΦ" $! (private_ops p)). iFrame "Hnf". iIntros (g) "#Hg #Hwp".
    iDestruct ("Hinv" with "[]") as "#Ic"; first by iExists g; iFrame "#".
    iMod (guarded_alloc (private_real (γ (GuardedNames inhabitant inhabitant []))) n
      with "[HC HD]") as (γg) "(%Hgn & #Ig & HM & Hgs)".
    { iApply (deques_model_empty with "HC HD"). }
    iModIntro. iExists (γ γg). iFrame "HM". iSplitR.
    { iExists p. iSplit; first done. rewrite /private_parts /=. iFrame "I Ic Hthieves Ig".
      iSplit; first done. iSplit; first by (iExists ms; iFrame "Hmasks Hims").
      iSplit; last done. iExists g. by iFrame "#". }
    iAssert ([∗ list] i ∈ seq 0 n, thief_at (γ γg) i None)%I
      with "[Hts]" as "Hts".
    { rewrite -Hxs. iApply big_sepL_seq_indices. iApply (big_sepL_impl with "Hts").
      iIntros "!>" (i x Hi) "Hx". iExists x, i, 0%Z, false. iFrame "Hx". iPureIntro.
      split_and!; [done|by eapply lookup_lt_Some|done]. }
    iDestruct (big_sepL_sep_2 with "Hcs Hds") as "H".
    iDestruct (big_sepL_sep_2 with "H Hts") as "H".
    iDestruct (big_sepL_sep_2 with "H Hgs") as "H".
    iApply (big_sepL_impl with "H"). iIntros "!>" (k i _) "[[[Hc Hd] Ht] Hw]".
    iFrame "Hc Hw". iExists [], None. by iFrame.
  Qed.
End private.
