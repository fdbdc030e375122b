(** Work conservation: a thread publishes a task.

    A publication gets its number at the instant at which the hub takes the task. At
    this instant the publisher notes, for each worker, the announcement in which the
    worker has last looked. All these announcements were made before, so a notification
    that finds no sleeper tells the publisher that the noted announcements are over.
    Then the outcome of the notification decides the publication. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var ghost_map.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import waiters_code waiters_state waiters waiters_notify.
From dromos.hub Require Import hub_spec conservation.

#[local] Existing Instances conservation_waitersG conservation_liveG
  conservation_publishedG conservation_looksG.

Section conservation.
  Context `{!heapGS Σ, !hub_spec Σ, !conservationG Σ}.
  Implicit Types (γ : conservation_names hub_name) (L : gmap nat hub_item).
  Implicit Types (o : hub_ops) (w : val) (n i j m k : nat) (l : loc) (x : hub_item).

  (** Claim: A new hub and new waiters make a state without publications in which no
      worker has looked. *)
  Lemma conservation_alloc o γh (n : nat) γw w :
    waiters_size γw = n →
    hub_inv o γh n -∗ hub_model γh ∅ -∗ waiters_inv (λ _, True)%I γw w ={⊤}=∗
    ∃ γ, ⌜γ.(cn_hub) = γh ∧ γ.(cn_waiters) = γw⌝ ∗ conservation_inv γ o w n ∗
      conservation_model γ ∅ ∗ [∗ list] i ∈ seq 0 n, conservation_looked γ i 0.
  Proof.
    iIntros (Hn) "#Ih HM #Iw".
    iMod (ghost_var_alloc (∅ : gmap nat hub_item)) as (γl) "[HL1 HL2]".
    iMod (ghost_map_alloc (∅ : gmap nat (hub_item * conservation_status))) as (γp) "[HP _]".
    set (K := gset_to_gmap 0 (set_seq 0 n) : gmap nat nat).
    iMod (ghost_map_alloc K) as (γk) "[HK Hlooks]".
    assert (∀ i m, K !! i = Some m ↔ i < n ∧ m = 0) as HK.
    { intros i m. rewrite lookup_gset_to_gmap_Some elem_of_set_seq. naive_solver lia. }
    set (γ := ConservationNames _ γh γw γl γp γk).
    iAssert (|==> [∗ list] i ↦ m ∈ replicate n 0, waiters_made γw i m)%I as ">#Hmade".
    { iApply big_sepL_bupd. iApply big_sepL_intro. iIntros "!>" (i m [-> Hi]%lookup_replicate).
      iApply waiters_made_0. by rewrite Hn. }
    iMod (inv_alloc conservationN _ (conservation_inner γ n) with "[HL1 HP HK]") as "#I".
    { iNext. iExists ∅, ∅, K. iFrame "HL1 HP HK". iSplit; first by iPureIntro.
      iSplit.
      { iPureIntro. intros i. split; first by intros [m [Hi _]%HK].
        intros Hi. exists 0. by apply HK. }
      iSplit; iIntros "!>".
      - iIntros (i m [Hi ->]%HK).
        iApply (big_sepL_lookup _ _ i 0 with "Hmade"). by apply lookup_replicate.
      - iIntros (k x s i m Hk). by rewrite lookup_empty in Hk. }
    iModIntro. iExists γ. iSplit; first done. iSplit; first by iFrame "Ih Iw I".
    rewrite /conservation_model /conservation_items map_to_list_empty /=. iFrame "HM HL2".
    rewrite big_sepM_gset_to_gmap -list_to_set_seq big_sepS_list_to_set; first done.
    apply NoDup_seq.
  Qed.

  (** ** Publishing *)

  (** Publication [k], of task [x], is undecided: its publisher has not notified yet. *)
  Definition conservation_undecided γ k x : iProp Σ :=
    ∃ ms, k ↪[γ.(cn_published)] (x, Undecided ms) ∗ waiters_made_all γ.(cn_waiters) ms.

  Lemma conservation_publish_spec (e : expr) T γ o w n x :
    conservation_inv γ o w n -∗
    <<{ ∀∀ M, hub_model γ.(cn_hub) M }>>
      e @ ↑hub_allN
    <<{ hub_model γ.(cn_hub) (M ⊎ {[+ x +]}) | RET #(); T }>> -∗
    <<{ ∀∀ L, conservation_model γ L }>>
      e @ ↑dromosN
    <<{ ∃∃ k, ⌜L !! k = None⌝ ∗ conservation_model γ (<[k := x]> L)
      | RET #(); T ∗ conservation_undecided γ k x }>>.
  Proof.
    iIntros "(#Ih & #Iw & %Hn & #I) He" (Φ) "AU". awp_apply "He".
    iInv "I" as (L P K) ">(HL & HP & HK & %HLP & %HKn & #Hmade & #Hknown)".
    iApply (aacc_aupd_commit with "AU"); first solve_ndisj.
    iIntros (L') "[HM HL']". iDestruct (ghost_var_agree with "HL HL'") as %->.
    iAaccIntro with "HM".
    { iIntros "HM !>". iSplitL "HM HL'"; first by iFrame. iIntros "$ !>".
      iNext. iExists L', P, K. by iFrame "∗#". }
    iIntros "HM". set (k := fresh (dom P)).
    assert (P !! k = None) as HPk by apply not_elem_of_dom, is_fresh.
    assert (L' !! k = None) as HLk.
    { apply eq_None_not_Some. intros [y [s Hs]%HLP]. congruence. }
    set (ms := (λ i, default 0 (K !! i)) <$> seq 0 n).
    assert (∀ i m, K !! i = Some m → ms !! i = Some m) as Hms.
    { intros i m Hi. rewrite list_lookup_fmap lookup_seq_lt /=; last by (apply HKn; eauto).
      by rewrite Hi. }
    iMod (ghost_map_insert k (x, Undecided ms) with "HP") as "[HP Hk]"; first done.
    iMod (ghost_var_update_halves (<[k := x]> L') with "HL HL'") as "[HL HL']".
    iModIntro. iExists k. iSplitL "HM HL'".
    { iSplit; first done. rewrite /conservation_model conservation_items_insert //. iFrame. }
    iIntros "HΦ !>". iSplitR "HΦ Hk".
    - iNext. iExists _, _, K. iFrame "HL HP HK Hmade". iSplit.
      { iPureIntro. intros k' y. destruct (decide (k' = k)) as [->|Hne].
        - rewrite !lookup_insert. intros [= ->]. by eexists.
        - rewrite !lookup_insert_ne //. apply HLP. }
      iSplit; first done. by iApply conservation_known_publish.
    - iIntros "HT". iApply "HΦ". iFrame "HT". iExists ms. iFrame "Hk".
      iApply big_sepL_intro. iIntros "!>" (i m Hm).
      apply list_lookup_fmap_Some in Hm as (i' & [Hi' ?]%lookup_seq & ->). simplify_eq/=.
      destruct (proj2 (HKn i)) as [m Hm]; first done. rewrite Hm /=. by iApply "Hmade".
  Qed.

  Local Lemma conservation_decide γ o w n k x ms s :
    (∀ ms', s ≠ Undecided ms') →
    conservation_inv γ o w n -∗ k ↪[γ.(cn_published)] (x, Undecided ms) -∗
    □ (∀ K i m, ⌜hub_runs i x⌝ -∗ ⌜K !! i = Some m⌝ -∗
         ⌜∀ j m', hub_runs j x → K !! j = Some m' → ms !! j = Some m'⌝ -∗
         conservation_known γ K x s i m) ={⊤}=∗
    conservation_decided γ k x s.
  Proof.
    iIntros (Hs) "(#Ih & #Iw & %Hn & #I) Hk #Hs".
    iInv "I" as (L P K) ">(HL & HP & HK & %HLP & %HKn & #Hmade & #Hknown)".
    iDestruct (ghost_map_lookup with "HP Hk") as %HPk.
    iMod (ghost_map_update (x, s) with "HP Hk") as "[HP Hk]".
    iMod (ghost_map_elem_persist with "Hk") as "#Hk".
    iModIntro. iSplitL; last by iFrame "Hk".
    iNext. iExists L, _, K. iFrame "HL HP HK Hmade". iSplit.
    { iPureIntro. intros k' y Hy. destruct (decide (k' = k)) as [->|Hne].
      - destruct (HLP _ _ Hy) as [s' Hs']. rewrite HPk in Hs'. injection Hs' as <- <-.
        exists s. by rewrite lookup_insert.
      - rewrite lookup_insert_ne //. by apply HLP. }
    iSplit; first done.
    iApply (conservation_known_decide with "Hknown"); first done.
    iIntros "!>" (i m Hi Hm Hms). by iApply "Hs".
  Qed.

  (** Publication [k], of task [x], is decided; [b] tells whether a worker was woken. *)
  Definition conservation_outcome γ k x (b : bool) : iProp Σ :=
    ∃ s, conservation_decided γ k x s ∗
      ⌜if b then ∃ j m, s = Woken j m else s = Unneeded⌝.

  (** Claim: For a task that any worker may run, the call of [notify_one] decides the
      publication. *)
  Lemma conservation_notify_one_spec γ o w n k l :
    {{{ conservation_inv γ o w n ∗ conservation_undecided γ k (l, None) }}}
      base_waiters_notify_one w
    {{{ (b : bool), RET #b; conservation_outcome γ k (l, None) b }}}.
  Proof.
    iIntros (Φ) "[#I (%ms & Hk & #Hmade)] HΦ". iPoseProof "I" as "(_ & Iw & _ & _)".
    iApply wp_fupd. wp_apply (waiters_notify_one_spec _ _ _ ms True with "[$Iw $Hmade]"); first by eauto.
    iIntros ([]) "H"; iApply "HΦ".
    - iDestruct "H" as (j m) "(%Hj & #Hover & %Hle)". iExists (Woken j m).
      iSplitL; last by eauto. iApply (conservation_decide with "I Hk"); first done.
      iIntros "!>" (K i m' Hi Hm' Hms). simpl. iFrame "Hover". iPureIntro. split; first by left.
      intros m'' Hm''. apply Hle, Hms; [by left|done].
    - iDestruct "H" as "[_ #Hover]". iExists Unneeded.
      iSplitL; last done. iApply (conservation_decide with "I Hk"); first done.
      iIntros "!>" (K i m' Hi Hm' Hms). simpl.
      iApply (big_sepL_lookup with "Hover"). by apply Hms.
  Qed.

  (** Claim: For a task that only one worker may run, the call of [notify] decides the
      publication. *)
  Lemma conservation_notify_spec γ o w n k l i : i < n →
    {{{ conservation_inv γ o w n ∗ conservation_undecided γ k (l, Some i) }}}
      base_waiters_notify w #i
    {{{ (b : bool), RET #b; conservation_outcome γ k (l, Some i) b }}}.
  Proof.
    iIntros (Hi Φ) "[#I (%ms & Hk & #Hmade)] HΦ". iPoseProof "I" as "(_ & Iw & %Hn & _)".
    iMod (waiters_made_0 γ.(cn_waiters) i) as "#Hmade0"; first lia.
    iAssert (∃ m, waiters_made γ.(cn_waiters) i m ∗ ⌜∀ m', ms !! i = Some m' → m' = m⌝)%I
      as (m) "[Hm %Hm]".
    { destruct (ms !! i) as [m|] eqn:Hm.
      - iExists m. iSplit; first by iApply (big_sepL_lookup with "Hmade"). iPureIntro.
        by intros ? [= <-].
      - iExists 0. by iFrame "Hmade0". }
    iApply wp_fupd. wp_apply (waiters_notify_spec _ _ _ i m True with "[$Iw $Hm]"); first by eauto.
    iIntros ([]) "[#Hover H]"; iApply "HΦ".
    - iDestruct "H" as (m') "[%Hle #Hover']". iExists (Woken i m').
      iSplitL; last by eauto. iApply (conservation_decide with "I Hk"); first done.
      iIntros "!>" (K j mj Hj Hmj Hms). simpl. iFrame "Hover'". iPureIntro.
      split; first by right. intros m'' Hm''. apply Hms in Hm''; last by right.
      by rewrite (Hm _ Hm'').
    - iExists Unneeded. iSplitL; last done.
      iApply (conservation_decide with "I Hk"); first done.
      iIntros "!>" (K j mj Hj Hmj Hms). simpl.
      assert (j = i) as -> by (destruct Hj as [?|[= ->]]; done).
      rewrite (Hm mj); [done|by apply Hms].
  Qed.

  (** Claim: A worker publishes a task with [push] and [notify_one]: at one instant the
      task is in the hub, and at the end its publication is decided. *)
  Lemma conservation_push_spec γ o w n i (r : Z) l : i < n →
    conservation_inv γ o w n -∗ hub_owner γ.(cn_hub) i true -∗
    <<{ ∀∀ L, conservation_model γ L }>>
      h_push o #i #r #l ;; base_waiters_notify_one w @ ↑dromosN
    <<{ ∃∃ k, ⌜L !! k = None⌝ ∗ conservation_model γ (<[k := (l, None)]> L)
      | b, RET #(b : bool); hub_owner γ.(cn_hub) i true ∗
                            conservation_outcome γ k (l, None) b }>>.
  Proof.
    iIntros (Hi) "#I Hown %Φ AU". iPoseProof "I" as "(Ih & _)".
    iPoseProof (hub_push_spec o _ n i r l Hi with "Ih Hown") as "He".
    wp_bind (h_push _ _ _ _). awp_apply (conservation_publish_spec with "I He").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (L) "HL". iAaccIntro with "HL"; first by eauto with iFrame.
    iIntros (k) "[%Hk HL] !>". iExists k. iFrame "HL". iSplit; first done.
    iIntros "HΦ !> [Hown Hundecided]". wp_pures.
    wp_apply (conservation_notify_one_spec with "[$I $Hundecided]"). iIntros (b) "Hb".
    iApply "HΦ". iFrame.
  Qed.

  (** The specification of a submission, in the form that [conservation_publish_spec]
      takes. *)
  Local Lemma submitted (e : expr) γ x :
    <<{ ∀∀ M, hub_model γ.(cn_hub) M }>>
      e @ ↑hub_allN
    <<{ hub_model γ.(cn_hub) (M ⊎ {[+ x +]}) | RET #() }>> -∗
    <<{ ∀∀ M, hub_model γ.(cn_hub) M }>>
      e @ ↑hub_allN
    <<{ hub_model γ.(cn_hub) (M ⊎ {[+ x +]}) | RET #(); True }>>.
  Proof.
    iIntros "He %Φ AU". awp_apply "He". iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "HM". iAaccIntro with "HM"; first by eauto with iFrame.
    iIntros "$ !> HΦ !>". by iApply "HΦ".
  Qed.

  (** Claim: Any thread publishes a task with [submit] and [notify_one]: at one instant
      the task is in the hub, and at the end its publication is decided. *)
  Lemma conservation_submit_spec γ o w n (r : Z) l :
    conservation_inv γ o w n -∗
    <<{ ∀∀ L, conservation_model γ L }>>
      h_submit o #r #l ;; base_waiters_notify_one w @ ↑dromosN
    <<{ ∃∃ k, ⌜L !! k = None⌝ ∗ conservation_model γ (<[k := (l, None)]> L)
      | b, RET #(b : bool); conservation_outcome γ k (l, None) b }>>.
  Proof.
    iIntros "#I" (Φ) "AU". iPoseProof "I" as "(Ih & _)".
    iPoseProof (hub_submit_spec o _ n r l with "Ih") as "He".
    wp_bind (h_submit _ _ _).
    awp_apply (conservation_publish_spec with "I [He]"); first by iApply submitted.
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (L) "HL". iAaccIntro with "HL"; first by eauto with iFrame.
    iIntros (k) "[%Hk HL] !>". iExists k. iFrame "HL". iSplit; first done.
    iIntros "HΦ !> [_ Hundecided]". wp_pures.
    wp_apply (conservation_notify_one_spec with "[$I $Hundecided]"). iIntros (b) "Hb".
    by iApply "HΦ".
  Qed.

  (** Claim: Any thread publishes a task for one worker with [submit_to] and [notify]:
      at one instant the task is in the hub, for this worker alone, and at the end its
      publication is decided. *)
  Lemma conservation_submit_to_spec γ o w n i (r : Z) l : i < n →
    conservation_inv γ o w n -∗
    <<{ ∀∀ L, conservation_model γ L }>>
      h_submit_to o #i #r #l ;; base_waiters_notify w #i @ ↑dromosN
    <<{ ∃∃ k, ⌜L !! k = None⌝ ∗ conservation_model γ (<[k := (l, Some i)]> L)
      | b, RET #(b : bool); conservation_outcome γ k (l, Some i) b }>>.
  Proof.
    iIntros (Hi) "#I %Φ AU". iPoseProof "I" as "(Ih & _)".
    iPoseProof (hub_submit_to_spec o _ n i r l Hi with "Ih") as "He".
    wp_bind (h_submit_to _ _ _ _).
    awp_apply (conservation_publish_spec with "I [He]"); first by iApply submitted.
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (L) "HL". iAaccIntro with "HL"; first by eauto with iFrame.
    iIntros (k) "[%Hk HL] !>". iExists k. iFrame "HL". iSplit; first done.
    iIntros "HΦ !> [_ Hundecided]". wp_pures.
    wp_apply (conservation_notify_spec with "[$I $Hundecided]"); first done.
    iIntros (b) "Hb". by iApply "HΦ".
  Qed.
End conservation.
