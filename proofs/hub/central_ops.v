(** The queues that all hubs share (Central): submissions, and the operations on a
    worker's own words.

    A submission is linearised at the push to its queue. Only the holder of
    [central_owner γ i] touches the plain fields of local record [i]. [victim] may
    return any worker: the proof assumes nothing about the random numbers. [has_work] is
    a hint: the proof says only that any thread may call [has_work]. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude choice.
From dromos.base Require Import queue_code queue.
From dromos.deque Require Import others.
From dromos.hub Require Import hub_spec central_code central_state central_items.

Section central.
  Context `{!heapGS Σ, !centralG Σ}.
  Implicit Types (γ : central_names) (t : val) (M : hub_items) (i n : nat) (l local : loc).
  Implicit Types (x : central_local).

  (** ** Local records *)

  Lemma central_local_get_spec γ locals i x :
    central_name_locals γ !! i = Some x →
    {{{ central_locals γ locals }}} array_get #locals #i {{{ RET #(cl_block x); True }}}.
  Proof.
    iIntros (Hi Φ) "[#Ha _] HΦ".
    iApply (array_get_spec _ _ _ _ #(cl_block x) with "Ha"); first lia.
    { by rewrite Nat2Z.id list_lookup_fmap Hi. }
    iIntros "!> _". by iApply "HΦ".
  Qed.
  Lemma central_locals_length_spec γ locals n :
    length (central_name_locals γ) = n →
    {{{ central_locals γ locals }}} array_length #locals {{{ RET #n; True }}}.
  Proof.
    iIntros (Hn Φ) "[#Ha _] HΦ". iDestruct (is_array_len with "Ha") as "Hlen".
    rewrite length_fmap Hn. by wp_apply (array_length_spec with "Hlen").
  Qed.
  Lemma central_inbox γ locals i x :
    central_name_locals γ !! i = Some x →
    central_locals γ locals -∗
    ∃ inbox, (cl_block x +ₗ 0) ↦□ inbox ∗ queue_inv hubN (cl_inbox x) inbox.
  Proof. iIntros (Hi) "[_ H]". by iApply (big_sepL_lookup with "H"). Qed.

  (** ** From anywhere *)

  Local Lemma shared_push_spec γ shared y :
    queue_inv hubN (central_name_shared γ) shared -∗
    <<{ ∀∀ M, central_model γ M }>>
      base_queue_push shared (shared_val y) @ ↑hubN
    <<{ central_model γ (M ⊎ {[+ (y.2, None) +]}) | RET #() }>>.
  Proof.
    iIntros "#I %Φ AU". awp_apply (queue_push_spec with "I").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%ys & %zs & %hss & %qss & (Hy & Hz & Hh & Hq) & ->)". iAaccIntro with "Hy".
    { iIntros "Hy !>". iSplitL; last by eauto. iExists ys, zs, hss, qss. by iFrame. }
    iIntros "Hy !>". iSplitL; last by eauto. iExists (ys ++ [y]), zs, hss, qss.
    rewrite /central_parts fmap_app. iFrame. iPureIntro. symmetry. apply central_items_shared.
    by rewrite -Permutation_cons_append.
  Qed.

  (** Claim: [submit] adds a task for any worker, at one instant. *)
  Lemma central_submit_spec γ t n (r : Z) l :
    central_inv γ t n -∗
    <<{ ∀∀ M, central_model γ M }>>
      hub_central_submit t #r #l @ ↑hubN
    <<{ central_model γ (M ⊎ {[+ (l, None) +]}) | RET #() }>>.
  Proof.
    iIntros "(%shared & %deferred & %locals & %nf & -> & _ & #Is & _) %Φ AU". wp_rec. wp_pures.
    case_bool_decide; wp_pures.
    { iApply (shared_push_spec γ shared (false, l) with "Is AU"). }
    case_bool_decide; wp_pures.
    { iApply (shared_push_spec γ shared (false, l) with "Is AU"). }
    case_bool_decide; wp_pures; iApply (shared_push_spec γ shared (true, l) with "Is AU").
  Qed.

  (** Claim: [submit_to i] adds a task for worker [i] alone, at one instant. *)
  Lemma central_submit_to_spec γ t n i l : i < n →
    central_inv γ t n -∗
    <<{ ∀∀ M, central_model γ M }>>
      hub_central_submit_to t #i #l @ ↑hubN
    <<{ central_model γ (M ⊎ {[+ (l, Some i) +]}) | RET #() }>>.
  Proof.
    iIntros (Hin) "(%shared & %deferred & %locals & %nf & -> & %Hn & _ & _ & #Il & _) %Φ AU".
    destruct (lookup_lt_is_Some_2 (central_name_locals γ) i) as [x Hi]; first lia.
    iDestruct (central_inbox with "Il") as (inbox) "[Hinbox Iq]"; first exact Hi.
    wp_rec. wp_pures. wp_apply (central_local_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_pures. wp_load. awp_apply (queue_push_spec with "Iq").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (M) "(%ys & %zs & %hss & %qss & (Hy & Hz & Hh & Hq) & ->)".
    iDestruct (central_inbox_acc with "Hq") as (qs Hqs) "[Hi Hq]"; first exact Hi.
    iAaccIntro with "Hi".
    { iIntros "Hi !>". iSplitL; last by eauto. iExists ys, zs, hss, qss.
      iSpecialize ("Hq" with "Hi"). rewrite list_insert_id //. by iFrame. }
    iIntros "Hi !>". iSplitL; last by eauto.
    iExists ys, zs, hss, (<[i := qs ++ [l]]> qss). iFrame "Hy Hz Hh". iSplit; last first.
    { iPureIntro. symmetry. apply (central_items_inbox _ _ _ qss i qs); first done.
      by rewrite -Permutation_cons_append. }
    iApply "Hq". by rewrite fmap_app.
  Qed.

  (** Claim: [has_work] tells whether a task for any worker waits. The result is a hint,
      and any thread may call [has_work]. *)
  Lemma central_has_work_spec γ t n :
    {{{ central_inv γ t n }}} hub_central_has_work t {{{ (b : bool), RET #b; True }}}.
  Proof.
    iIntros (Φ) "(%shared & %deferred & %locals & %nf & -> & _ & #Is & #Ia & _) HΦ".
    wp_rec. wp_pures. wp_apply (queue_is_empty_safe_spec with "Is"). iIntros ([]) "_"; wp_pures.
    - wp_apply (queue_is_empty_safe_spec with "Ia"). iIntros (b) "_". wp_pures. by iApply "HΦ".
    - by iApply "HΦ".
  Qed.

  (** [notify_others] calls the notifier for every worker from [k] on except worker [i],
      and changes nothing else. *)
  Lemma central_notify_others_spec γ t n (i : nat) (k : nat) :
    {{{ central_inv γ t n }}} hub_central_notify_others t #i #k {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "#(%shared & %deferred & %locals & %nf & -> & %Hn & _ & _ & Il & (%g & Hg & Hwp)) HΦ".
    iLöb as "IH" forall (k). wp_rec. wp_pures.
    wp_apply (central_locals_length_spec with "Il"); first done. iIntros "_". wp_pures.
    case_bool_decide; wp_pures; last by iApply "HΦ".
    wp_bind (if: _ then _ else _)%E. iApply (wp_wand _ _ _ (λ _, True)%I).
    { case_bool_decide; wp_pures; first done. wp_na_load.
      iApply "Hwp". iPureIntro. lia. }
    iIntros (v) "_". wp_pures. replace (k + 1)%Z with (Z.of_nat (S k)) by lia. by iApply "IH".
  Qed.

  (** ** By worker [i] *)

  (** Claim: [fair], which counts the pops, touches only the worker's own words. *)
  Lemma central_fair_spec γ t n i : i < n →
    {{{ central_inv γ t n ∗ central_owner γ i }}}
      hub_central_fair t #i
    {{{ (b : bool), RET #b; central_owner γ i }}}.
  Proof.
    iIntros (Hin Φ) "[(%shared & %deferred & %locals & %nf & -> & %Hn & _ & _ & #Il & _) H] HΦ".
    iDestruct "H" as (x Hi) "[(%pops & %turn & %older & %seed & %fi & H1 & H2 & H3 & H4 & H5) Hh]".
    wp_rec. wp_pures. wp_apply (central_local_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_pures. wp_na_load. wp_pures. case_bool_decide; wp_pures.
    - wp_na_load. wp_na_store. iApply "HΦ". iModIntro. iExists x. iFrame "Hh". iSplit; first done.
      iExists (pops - 1)%Z, turn, older, seed, fi. by iFrame.
    - rewrite /hub_central_period. wp_na_store. iApply "HΦ". iModIntro. iExists x. iFrame "Hh".
      iSplit; first done. iExists 61%Z, turn, older, seed, fi. by iFrame.
  Qed.

  (** Claim: [victim] returns the number of a worker. *)
  Lemma central_victim_spec γ t n i : i < n →
    {{{ central_inv γ t n ∗ central_owner γ i }}}
      hub_central_victim t #i
    {{{ (j : nat), RET #j; ⌜j < n⌝ ∗ central_owner γ i }}}.
  Proof.
    iIntros (Hin Φ) "[(%shared & %deferred & %locals & %nf & -> & %Hn & _ & _ & #Il & _) H] HΦ".
    iDestruct "H" as (x Hi) "[(%pops & %turn & %older & %seed & %fi & H1 & H2 & H3 & H4 & H5) Hh]".
    wp_rec. wp_pures. wp_apply (central_local_get_spec with "Il"); first exact Hi. iIntros "_".
    wp_pures. wp_na_load. wp_pures. wp_apply nondet_below_spec; [lia|done|].
    iIntros (seed') "_". wp_pures. wp_na_store. wp_pures.
    wp_apply (central_locals_length_spec with "Il"); first done. iIntros "_".
    wp_apply nondet_below_spec; [lia|done|]. iIntros (j Hj).
    iSpecialize ("HΦ" $! (Z.to_nat j)). rewrite Z2Nat.id; last lia. iApply "HΦ".
    iSplit; first (iPureIntro; lia). iExists x. iFrame "Hh". iSplit; first done.
    iExists pops, turn, older, seed', fi. by iFrame.
  Qed.

  (** ** Making *)

  Local Definition central_made x : iProp Σ :=
    central_fields x ∗ ghost_var (cl_hand x) 1 [] ∗ queue_model (cl_inbox x) [] ∗
    ∃ inbox, (cl_block x +ₗ 0) ↦□ inbox ∗ queue_inv hubN (cl_inbox x) inbox.
  Local Lemma central_make_local_spec (i : Z) :
    {{{ True }}} hub_central_make_local #i {{{ x, RET #(cl_block x); central_made x }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_apply (queue_create_spec hubN); first done.
    iIntros (γq inbox) "[#Iq Hq]". rewrite /hub_central_period. wp_pures.
    iApply wp_fupd. wp_apply block6_spec; first done.
    iIntros (local) "(H0 & H1 & H2 & H3 & H4 & H5 & _)".
    iMod (pointsto_persist with "H0") as "#H0".
    iMod (ghost_var_alloc ([] : list loc)) as (γh) "Hh". iModIntro.
    iApply ("HΦ" $! (CentralLocal local γq γh)). iFrame "Hq Hh". iSplitL.
    - iExists _, _, _, _, _. iFrame "H1 H2 H3 H4 H5".
    - iExists inbox. by iFrame "H0 Iq".
  Qed.

  (** Claim: [create] makes empty queues. Other operations may use the queues once the
      reference to the notify function is never written again. *)
  Lemma central_create_spec n (nf : loc) : 0 < n →
    {{{ True }}}
      hub_central_create #n #nf
    {{{ γ t, RET t;
        (central_notifier nf n -∗ central_inv γ t n) ∗ central_model γ ∅ ∗
        [∗ list] i ∈ seq 0 n, central_owner γ i }}}.
  Proof.
    iIntros (_ Φ) "_ HΦ". wp_rec. wp_pures.
    wp_apply (queue_create_spec hubN); first done. iIntros (γs shared) "[#Is Hs]". wp_pures.
    wp_apply (queue_create_spec hubN); first done. iIntros (γa deferred) "[#Ia Ha]". wp_pures.
    wp_apply (array_init_spec (λ _ vs, ∃ xs, ⌜vs = (λ x, #(cl_block x)) <$> xs⌝ ∗
      [∗ list] x ∈ xs, central_made x)%I); first lia.
    { iSplit; first by (iExists []; iSplit). iIntros "!>" (i vs _ _) "(%xs & -> & Hxs)".
      iApply central_make_local_spec; first done. iIntros "!>" (x) "Hmade".
      iExists (xs ++ [x]). rewrite fmap_app. iSplit; first done. by iFrame. }
    iIntros (locals vs) "(%Hlen & Hl & _ & %xs & -> & Hxs)". rewrite length_fmap Nat2Z.id in Hlen.
    iMod (is_array_persist with "Hl") as "#Hl".
    iDestruct (big_sepL_sep with "Hxs") as "[Hf Hxs]".
    iDestruct (big_sepL_sep with "Hxs") as "[Hh Hxs]".
    iDestruct (big_sepL_sep with "Hxs") as "[Hq #Hinboxes]".
    iAssert (([∗ list] x ∈ xs, ghost_var (cl_hand x) (1/2) []) ∗
      [∗ list] x ∈ xs, ghost_var (cl_hand x) (1/2) [])%I with "[Hh]" as "[Hh1 Hh2]".
    { iApply big_sepL_sep. iApply (big_sepL_impl with "Hh"). iIntros "!>" (k x _) "[$ $]". }
    wp_pures. iModIntro. iApply ("HΦ" $! (CentralNames γs γa xs)). iSplitR.
    { iIntros "#Hnf". iExists shared, deferred, locals, nf. simpl. iFrame "Is Ia Hnf Hl Hinboxes".
      by iSplit. }
    iSplitL "Hs Ha Hh1 Hq".
    - iExists [], [], (replicate n []), (replicate n []). rewrite /central_parts /=.
      iFrame "Hs Ha". rewrite !big_sepL2_replicate_r; [|done..]. iFrame "Hh1 Hq".
      by rewrite central_items_none.
    - rewrite -Hlen. iApply big_sepL_seq_indices. iDestruct (big_sepL_sep_2 with "Hf Hh2") as "H".
      iApply (big_sepL_impl with "H"). iIntros "!>" (i x Hi) "[Hf Hh]". iExists x.
      by iFrame.
  Qed.
End central.
