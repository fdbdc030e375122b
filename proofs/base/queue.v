(** The queue of Michael and Scott: the proof of lib/kernel/base/queue.ml.

    The invariant keeps all nodes that were ever linked, in order: the list [ns] only
    grows.  [head] is node number [h], and [h] only grows.  [tail] is any node of the
    list.  The nodes after [h] hold the content of the queue.  The link of a node leads
    to the next node, or is [Gone] if the node comes before [h].  Only the link of the
    last node is [Nil].

    Suppose that a thread has found a node in [head], and then reads [Nil] in the node's
    link.  At this moment the node is the last node, and is not before [h].  So the node
    is both the head and the last node, and the queue is empty.  This read is the
    linearisation point of a [pop] that returns [None], and of an [is_empty] that returns
    [true].

    A [push] is linearised when it replaces [Nil] by a link to its node.  A [pop] that
    finds a value is linearised when it moves [head].  This [pop] takes the ownership of
    the [value] field of the new sentinel out of the invariant; therefore its later plain
    accesses to the field do not race.  Only the winner of such a move overwrites a link
    that is not [Nil]: the winner writes [Gone], and only before [h].

    [is_empty] may return [false] although the queue is empty at both of its reads: other
    threads push and pop between the reads.  So [false] does not say that the queue holds
    a value at some step of [is_empty].  The numbers of pushed and popped values show
    what [false] says ([queue_is_empty_counted_spec]): the queue held a value at some
    moment between the two reads. *)
From iris.base_logic.lib Require Import invariants ghost_var mono_nat.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import history queue_code.

Class queueG Σ := QueueG {
  #[local] queue_historyG :: historyG Σ (loc * loc);
  #[local] queue_mono_natG :: mono_natG Σ;
  #[local] queue_ghost_varG :: ghost_varG Σ (nat * list val);
}.
Definition queueΣ : gFunctors :=
  #[historyΣ (loc * loc); mono_natΣ; ghost_varΣ (nat * list val)].
Global Instance subG_queueΣ Σ : subG queueΣ Σ → queueG Σ.
Proof. solve_inG. Qed.

Record queue_names := QueueNames {
  queue_name_nodes : gname;
  queue_name_head : gname;
  queue_name_model : gname;
}.

Notation Nil := (InjLV #0) (only parsing).
Notation Gone := (InjLV #1) (only parsing).
Notation Link l := (InjRV (LitV (LitLoc l))) (only parsing).

(** [ls] are the links of the nodes [ns].  A node is a pair of locations: its block and its
    link. *)
Definition queue_links_ok (ns : list (loc * loc)) (ls : list val) (h : nat) : Prop :=
  ∀ i l, ls !! i = Some l →
    match ns !! S i with
    | None => l = Nil
    | Some n => l = Link n.1 ∨ (l = Gone ∧ i < h)
    end.

Lemma queue_links_ok_push ns ls h n :
  length ls = length ns → ls ≠ [] → queue_links_ok ns ls h →
  queue_links_ok (ns ++ [n]) (<[length ns - 1 := Link n.1]> ls ++ [Nil]) h.
Proof.
  intros Hlen Hne Hok i l Hi.
  assert (length ls ≠ 0) by (by destruct ls).
  destruct (decide (i = length ns)) as [->|Hn].
  { rewrite lookup_app_r ?length_insert in Hi; last lia.
    rewrite Hlen Nat.sub_diag in Hi. injection Hi as <-.
    rewrite lookup_ge_None_2 //. rewrite length_app /=. lia. }
  assert (i < length ns).
  { apply lookup_lt_Some in Hi. rewrite length_app length_insert /= in Hi. lia. }
  rewrite lookup_app_l ?length_insert in Hi; last lia.
  destruct (decide (i = length ns - 1)) as [->|Hn'].
  { rewrite list_lookup_insert in Hi; last lia. injection Hi as <-.
    replace (S (length ns - 1)) with (length ns) by lia.
    rewrite lookup_app_r // Nat.sub_diag. by left. }
  rewrite list_lookup_insert_ne in Hi; last done.
  rewrite lookup_app_l; last lia. by apply Hok.
Qed.

Lemma queue_links_ok_head ns ls h h' :
  h ≤ h' → queue_links_ok ns ls h → queue_links_ok ns ls h'.
Proof.
  intros Hh Hok i l Hi. specialize (Hok i l Hi). destruct (ns !! S i); last done.
  destruct Hok as [->|[-> ?]]; [by left|right]. split; [done|lia].
Qed.

Lemma queue_links_ok_gone ns ls h i :
  i < h → h < length ns → queue_links_ok ns ls h →
  queue_links_ok ns (<[i := Gone]> ls) h.
Proof.
  intros Hi Hh Hok j l Hj. apply list_lookup_insert_Some in Hj as [(<- & <- & _)|[_ Hj]].
  - destruct (lookup_lt_is_Some_2 ns (S i)) as [n ->]; first lia. by right.
  - by apply Hok.
Qed.

Section queue.
  Context `{!heapGS Σ, !queueG Σ} (N : namespace).
  Implicit Types (γ : queue_names) (t v : val) (vs : list val) (n : loc * loc).

  (** The content, with the number of values that were popped so far. *)
  Definition queue_counted γ (p : nat) vs : iProp Σ :=
    ghost_var (queue_name_model γ) (3/4) (p, vs).
  Definition queue_model γ vs : iProp Σ := ∃ p, queue_counted γ p vs.
  Local Definition queue_content γ (p : nat) vs : iProp Σ :=
    ghost_var (queue_name_model γ) (1/4) (p, vs).

  Local Definition queue_node γ i n : iProp Σ :=
    history_elem (queue_name_nodes γ) i n ∗ (n.1 +ₗ 1) ↦□ #n.2.
  Local Definition queue_values ns vs : iProp Σ :=
    [∗ list] n; v ∈ ns; vs, ((n : loc * loc).1 +ₗ 0) ↦na SOMEV v.
  Local Definition queue_inv_inner γ (head tail : loc) : iProp Σ :=
    ∃ (ns : list (loc * loc)) (ls : list val) (h : nat) (nh : loc * loc) (k : nat)
      (nk : loc * loc) (vs : list val),
      ⌜ns !! h = Some nh⌝ ∗ head ↦ #nh.1 ∗ mono_nat_auth_own (queue_name_head γ) 1 h ∗
      ⌜ns !! k = Some nk⌝ ∗ tail ↦ #nk.1 ∗
      history_auth (queue_name_nodes γ) ns ∗ ⌜NoDup ns.*1⌝ ∗
      □ ([∗ list] n ∈ ns, (n.1 +ₗ 1) ↦□ #n.2) ∗
      ([∗ list] n; l ∈ ns; ls, n.2 ↦ l) ∗ ⌜queue_links_ok ns ls h⌝ ∗
      queue_values (drop (S h) ns) vs ∗ queue_content γ h vs.
  Definition queue_inv γ t : iProp Σ :=
    ∃ head tail : loc, ⌜t = (#head, #tail)%V⌝ ∗ inv N (queue_inv_inner γ head tail).

  Global Instance queue_inv_persistent γ t : Persistent (queue_inv γ t).
  Proof. apply _. Qed.
  Global Instance queue_model_timeless γ vs : Timeless (queue_model γ vs).
  Proof. apply _. Qed.
  Local Instance queue_inv_inner_timeless γ head tail : Timeless (queue_inv_inner γ head tail).
  Proof. apply _. Qed.

  Lemma queue_model_exclusive γ vs vs' : queue_model γ vs -∗ queue_model γ vs' -∗ False.
  Proof.
    iIntros "[%p H1] [%p' H2]".
    by iDestruct (ghost_var_valid_2 with "H1 H2") as %[? _].
  Qed.

  Local Lemma queue_counted_agree γ h vs p vs' :
    queue_content γ h vs -∗ queue_counted γ p vs' -∗ ⌜h = p ∧ vs = vs'⌝.
  Proof. iIntros "H1 H2". by iDestruct (ghost_var_agree with "H1 H2") as %[= -> ->]. Qed.
  Local Lemma queue_model_agree γ h vs vs' :
    queue_content γ h vs -∗ queue_model γ vs' -∗ ⌜vs = vs'⌝.
  Proof.
    iIntros "H1 [%p H2]". by iDestruct (queue_counted_agree with "H1 H2") as %[_ ?].
  Qed.
  Local Lemma queue_model_update h' vs' γ h vs :
    queue_content γ h vs -∗ queue_model γ vs ==∗ queue_content γ h' vs' ∗ queue_model γ vs'.
  Proof.
    iIntros "H1 [%p H2]". iDestruct (queue_counted_agree with "H1 H2") as %[<- _].
    iMod (ghost_var_update_2 (h', vs') with "H1 H2") as "[$ H]"; last by iExists h'.
    apply Qp.quarter_three_quarter.
  Qed.

  (** Claim: A new queue is empty. *)
  Lemma queue_create_spec :
    {{{ True }}} base_queue_create #() {{{ γ t, RET t; queue_inv γ t ∗ queue_model γ [] }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_rec. wp_alloc nx as "Hnx". wp_pures.
    wp_apply block2_spec; first done. iIntros (l) "(_ & Hl & _)".
    iMod (pointsto_persist with "Hl") as "#Hl". wp_pures.
    wp_alloc head as "Hhead". wp_pures. wp_alloc tail as "Htail". wp_pures.
    iMod (history_alloc [(l, nx)]) as (γn) "Hn".
    iMod (mono_nat_own_alloc 0) as (γh) "[Hh _]".
    iMod (ghost_var_alloc (0, [] : list val)) as (γm) "Hm".
    iEval (rewrite -Qp.quarter_three_quarter) in "Hm". iDestruct "Hm" as "[Hm1 Hm2]".
    set (γ := QueueNames γn γh γm).
    iMod (inv_alloc N _ (queue_inv_inner γ head tail) with "[-HΦ Hm2]") as "#I".
    { iNext. iExists [(l, nx)], [Nil], 0, (l, nx), 0, (l, nx), [].
      rewrite /γ /=. iFrame "Hhead Htail Hn Hh Hm1 Hnx Hl". repeat iSplit; try done.
      - iPureIntro. apply NoDup_singleton.
      - iPureIntro. intros [|i] v Hv; by simplify_eq/=.
      - by rewrite /queue_values. }
    iModIntro. iApply ("HΦ" $! γ). iSplitR "Hm2"; last by iExists 0.
    iExists head, tail. by iFrame "I".
  Qed.

  (** The node in [tail], or in [head]. *)
  Local Lemma queue_tail_read γ (head tail : loc) :
    inv N (queue_inv_inner γ head tail) -∗
    WP ! #tail {{ r, ∃ i n, ⌜r = #n.1⌝ ∗ queue_node γ i n }}.
  Proof.
    iIntros "#I". iInv "I" as (ns ls h nh k nk vs)
      ">(%Hh & Hhead & Hγh & %Hk & Htail & Hγn & %Hnd & #Hns & Hls & %Hok & Hvs & Hγm)".
    wp_load. iDestruct (history_elem_get with "Hγn") as "#Hn"; first exact Hk.
    iModIntro. iSplitL.
    { iExists ns, ls, h, nh, k, nk, vs. by iFrame "∗#". }
    iExists k, nk. iSplit; first done. iFrame "Hn". by iApply (big_sepL_lookup with "Hns").
  Qed.
  Local Lemma queue_head_read γ (head tail : loc) :
    inv N (queue_inv_inner γ head tail) -∗
    WP ! #head {{ r, ∃ i n, ⌜r = #n.1⌝ ∗ queue_node γ i n ∗
      mono_nat_lb_own (queue_name_head γ) i }}.
  Proof.
    iIntros "#I". iInv "I" as (ns ls h nh k nk vs)
      ">(%Hh & Hhead & Hγh & %Hk & Htail & Hγn & %Hnd & #Hns & Hls & %Hok & Hvs & Hγm)".
    wp_load. iDestruct (history_elem_get with "Hγn") as "#Hn"; first exact Hh.
    iDestruct (mono_nat_lb_own_get with "Hγh") as "#Hlb".
    iModIntro. iSplitL.
    { iExists ns, ls, h, nh, k, nk, vs. by iFrame "∗#". }
    iExists h, nh. iSplit; first done. iFrame "Hn Hlb". by iApply (big_sepL_lookup with "Hns").
  Qed.
  Local Lemma queue_tail_move γ (head tail : loc) i n (o : loc) :
    inv N (queue_inv_inner γ head tail) -∗ queue_node γ i n -∗
    WP CmpXchg #tail #o #n.1 {{ r, ∃ w (b : bool), ⌜r = (w, #b)%V⌝ }}.
  Proof.
    iIntros "#I #[Hn _]". iInv "I" as (ns ls h nh k nk vs)
      ">(%Hh & Hhead & Hγh & %Hk & Htail & Hγn & %Hnd & #Hns & Hls & %Hok & Hvs & Hγm)".
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    destruct (decide (nk.1 = o)) as [<-|Hne].
    - wp_cmpxchg_suc. iModIntro. iSplitL; last by eauto.
      iExists ns, ls, h, nh, i, n, vs. by iFrame "∗#".
    - wp_cmpxchg_fail. iModIntro. iSplitL; last by eauto.
      iExists ns, ls, h, nh, k, nk, vs. by iFrame "∗#".
  Qed.

  (** The loop of [push]: the node [l] holds [v] and is not yet linked. *)
  Local Lemma queue_push_node_spec γ (head tail l nx : loc) (v : val) (Φ : val → iProp Σ) :
    inv N (queue_inv_inner γ head tail) -∗
    (l +ₗ 0) ↦na SOMEV v -∗ (l +ₗ 1) ↦ #nx -∗ nx ↦ Nil -∗
    AU <{ ∃∃ vs, queue_model γ vs }> @ ⊤ ∖ ↑N, ∅
       <{ queue_model γ (vs ++ [v]), COMM Φ #() }> -∗
    WP base_queue_push_node (#head, #tail)%V #l {{ Φ }}.
  Proof.
    iIntros "#I Hl0 Hl1 Hnx AU". iLöb as "IH". wp_rec. wp_pures.
    wp_bind (! _)%E. iApply wp_wand; first by iApply queue_tail_read.
    iIntros (r) "(%i & %n & -> & #[Hn Hn1])". wp_pures. wp_load.
    (* the node's link *)
    wp_bind (! _)%E. iInv "I" as (ns ls h nh k nk vs)
      ">(%Hh & Hhead & Hγh & %Hk & Htail & Hγn & %Hnd & #Hns & Hls & %Hok & Hvs & Hγm)".
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct (big_sepL2_length with "Hls") as %Hlen.
    destruct (lookup_lt_is_Some_2 ls i) as [li Hli].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_lookup_acc with "Hls") as "[Hi Hls]"; [done..|].
    wp_load. iSpecialize ("Hls" with "Hi").
    iAssert (⌜li = Nil⌝ ∨ ⌜li = Gone⌝ ∨
      ∃ n', ⌜li = Link n'.1⌝ ∗ history_elem (queue_name_nodes γ) (S i) n' ∗
        (n'.1 +ₗ 1) ↦□ #n'.2)%I as "#Hcases".
    { specialize (Hok i li Hli). destruct (ns !! S i) as [n'|] eqn:Hi'; last by eauto.
      destruct Hok as [->|[-> _]]; last by eauto. iRight; iRight. iExists n'.
      iSplit; first done. iSplit; first by iApply (history_elem_get with "Hγn").
      by iApply (big_sepL_lookup with "Hns"). }
    iModIntro. iSplitL "Hhead Hγh Htail Hγn Hls Hvs Hγm".
    { iExists ns, ls, h, nh, k, nk, vs. by iFrame "∗#". }
    iDestruct "Hcases" as "[->|[->|(%n' & -> & #Hn' & #Hn1')]]"; wp_pures.
    - (* the node is the last node *)
      iClear "Hns". clear dependent ns ls h nh k nk vs.
      wp_load. wp_pures. wp_bind (CmpXchg _ _ _).
      iInv "I" as (ns ls h nh k nk vs)
        ">(%Hh & Hhead & Hγh & %Hk & Htail & Hγn & %Hnd & #Hns & Hls & %Hok & Hvs & Hγm)".
      iDestruct (history_lookup with "Hγn Hn") as %Hi.
      iDestruct (big_sepL2_length with "Hls") as %Hlen.
      destruct (lookup_lt_is_Some_2 ls i) as [li Hli].
      { rewrite -Hlen. by eapply lookup_lt_Some. }
      iDestruct (big_sepL2_insert_acc with "Hls") as "[Hi Hls]"; [done..|].
      destruct (decide (li = Nil)) as [->|Hne]; last first.
      { wp_cmpxchg_fail. iSpecialize ("Hls" with "Hi"). rewrite !list_insert_id //.
        iModIntro. iSplitL "Hhead Hγh Htail Hγn Hls Hvs Hγm".
        { iExists ns, ls, h, nh, k, nk, vs. by iFrame "∗#". }
        wp_pures. by iApply ("IH" with "Hl0 Hl1 Hnx AU"). }
      wp_cmpxchg_suc. iSpecialize ("Hls" $! n with "Hi").
      rewrite (list_insert_id ns) //.
      assert (i = length ns - 1) as ->.
      { specialize (Hok i _ Hli). destruct (ns !! S i) as [n'|] eqn:HSi.
        { by destruct Hok as [?|[? _]]. }
        apply lookup_ge_None_1 in HSi. apply lookup_lt_Some in Hi. lia. }
      iAssert ⌜l ∉ ns.*1⌝%I as %Hfresh.
      { iIntros ((n' & -> & Hn')%elem_of_list_fmap).
        iDestruct (big_sepL_elem_of with "Hns") as "Hl1'"; first done.
        by iDestruct (pointsto_ne with "Hl1 Hl1'") as %?. }
      iMod (pointsto_persist with "Hl1") as "#Hl1".
      iMod (history_push (l, nx) with "Hγn") as "[Hγn #Hnew]".
      iMod "AU" as (vs') "[Hm [_ Hcommit]]".
      iDestruct (queue_model_agree with "Hγm Hm") as %<-.
      iMod (queue_model_update h (vs ++ [v]) with "Hγm Hm") as "[Hγm Hm]".
      iMod ("Hcommit" with "Hm") as "HΦ".
      iModIntro. iSplitR "HΦ".
      { iNext. iExists (ns ++ [(l, nx)]), (<[length ns - 1:=Link l]> ls ++ [Nil]).
        iExists h, nh, k, nk, (vs ++ [v]).
        assert (h < length ns) by by eapply lookup_lt_Some.
        iFrame "Hhead Hγh Htail Hγn Hγm".
        iSplit; first by rewrite lookup_app_l.
        iSplit; first (rewrite lookup_app_l //; by eapply lookup_lt_Some).
        iSplit.
        { iPureIntro. rewrite fmap_app. apply NoDup_app. split; first done.
          split; last apply NoDup_singleton. intros x Hx. set_solver. }
        iSplit; first (iModIntro; rewrite big_sepL_app; by iFrame "#").
        iSplitL "Hls Hnx"; first (iApply (big_sepL2_app with "Hls"); by iFrame).
        iSplit.
        { iPureIntro. apply (queue_links_ok_push _ _ _ (l, nx)); try done.
          destruct ls; [simpl in *; lia|done]. }
        rewrite drop_app_le; last lia. iApply (big_sepL2_app with "Hvs"). by iFrame. }
      wp_pures. wp_bind (CmpXchg _ _ _).
      iApply wp_wand.
      { by iApply (queue_tail_move _ _ _ (length ns) (l, nx) with "I [$Hnew $Hl1]"). }
      iIntros (r) "(%w & %b & ->)". by wp_pures.
    - (* the node is behind the head *)
      wp_bind (! _)%E. iApply wp_wand; first by iApply queue_head_read.
      iIntros (r) "(%j & %n' & -> & #Hn' & _)". wp_pures.
      wp_bind (CmpXchg _ _ _). iApply wp_wand; first by iApply (queue_tail_move with "I Hn'").
      iIntros (r) "(%w & %b & ->)". wp_pures. by iApply ("IH" with "Hl0 Hl1 Hnx AU").
    - (* the tail lags: another node follows *)
      wp_bind (CmpXchg _ _ _).
      iApply wp_wand; first by iApply (queue_tail_move with "I [$Hn' $Hn1']").
      iIntros (r) "(%w & %b & ->)". wp_pures. by iApply ("IH" with "Hl0 Hl1 Hnx AU").
  Qed.

  (** Claim: [push], at one instant, adds the value at the end. *)
  Lemma queue_push_spec γ t v :
    queue_inv γ t -∗
    <<{ ∀∀ vs, queue_model γ vs }>>
      base_queue_push t v @ ↑N
    <<{ queue_model γ (vs ++ [v]) | RET #() }>>.
  Proof.
    iIntros "(%head & %tail & -> & #I)" (Φ) "AU". wp_rec. wp_pures. wp_rec.
    wp_alloc nx as "Hnx". wp_pures. wp_apply block2_spec; first done.
    iIntros (l) "(Hl0 & Hl1 & _)". by iApply (queue_push_node_spec with "I Hl0 Hl1 Hnx").
  Qed.

  (** A read of the link of a node that has been the head, node number [i].  If the link is
      [Nil], the node is the head and the last node: the queue is empty at this moment.  If
      the link leads on, there is a next node, so more than [i] values have been pushed. *)
  Local Lemma queue_link_visit γ (head tail : loc) i n (R P Q : iProp Σ) :
    inv N (queue_inv_inner γ head tail) -∗ queue_node γ i n -∗
    mono_nat_lb_own (queue_name_head γ) i -∗ R -∗
    ((∀ h, R -∗ queue_content γ h [] ={⊤ ∖ ↑N}=∗ queue_content γ h [] ∗ P) ∧
     (∀ h vs, ⌜i < h + length vs⌝ -∗ R -∗ queue_content γ h vs ={⊤ ∖ ↑N}=∗
        queue_content γ h vs ∗ Q)) -∗
    WP ! #n.2 {{ r, (⌜r = Nil⌝ ∗ P) ∨ (R ∗ ⌜r = Gone⌝) ∨
      (Q ∗ ∃ n', ⌜r = Link n'.1⌝ ∗ queue_node γ (S i) n') }}.
  Proof.
    iIntros "#I #[Hn Hn1] #Hlb HR HPQ". iInv "I" as (ns ls h nh k nk vs)
      ">(%Hh & Hhead & Hγh & %Hk & Htail & Hγn & %Hnd & #Hns & Hls & %Hok & Hvs & Hγm)".
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct (mono_nat_lb_own_valid with "Hγh Hlb") as %[_ Hle].
    iDestruct (big_sepL2_length with "Hls") as %Hlen.
    iDestruct (big_sepL2_length with "Hvs") as %Hvs. rewrite length_drop in Hvs.
    pose proof (lookup_lt_Some _ _ _ Hh) as Hhlt.
    destruct (lookup_lt_is_Some_2 ls i) as [li Hli].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_lookup_acc with "Hls") as "[Hi Hls]"; [done..|].
    wp_load. iSpecialize ("Hls" with "Hi").
    pose proof (Hok i li Hli) as Hl. destruct (ns !! S i) as [n'|] eqn:HSi.
    - iDestruct (history_elem_get with "Hγn") as "#Hn'"; first exact HSi.
      iDestruct (big_sepL_lookup with "Hns") as "#Hn1'"; first exact HSi.
      apply lookup_lt_Some in HSi. destruct Hl as [->|[-> _]].
      + iDestruct "HPQ" as "[_ HQ]". iMod ("HQ" with "[%] HR Hγm") as "[Hγm HQ]"; first lia.
        iModIntro. iSplitR "HQ".
        { iExists ns, ls, h, nh, k, nk, vs. by iFrame "∗#". }
        iRight; iRight. iFrame "HQ". iExists n'. by iFrame "#".
      + iModIntro. iSplitR "HR"; last by eauto with iFrame.
        iExists ns, ls, h, nh, k, nk, vs. by iFrame "∗#".
    - assert (h = i) as ->.
      { apply lookup_ge_None_1 in HSi. lia. }
      rewrite drop_ge; last by apply lookup_ge_None_1.
      iDestruct (big_sepL2_nil_inv_l with "Hvs") as %->.
      iDestruct "HPQ" as "[HP _]". iMod ("HP" with "HR Hγm") as "[Hγm HP]".
      iModIntro. iSplitR "HP"; last by (iLeft; iFrame).
      iExists ns, ls, i, nh, k, nk, []. iFrame "∗#". repeat iSplit; try done.
      rewrite drop_ge; last by apply lookup_ge_None_1. by iApply big_sepL2_nil.
  Qed.
  Local Lemma queue_link_read γ (head tail : loc) i n (R P : iProp Σ) :
    inv N (queue_inv_inner γ head tail) -∗ queue_node γ i n -∗
    mono_nat_lb_own (queue_name_head γ) i -∗ R -∗
    (∀ h, R -∗ queue_content γ h [] ={⊤ ∖ ↑N}=∗ queue_content γ h [] ∗ P) -∗
    WP ! #n.2 {{ r, (⌜r = Nil⌝ ∗ P) ∨
      (R ∗ (⌜r = Gone⌝ ∨ ∃ n', ⌜r = Link n'.1⌝ ∗ queue_node γ (S i) n')) }}.
  Proof.
    iIntros "#I #Hn #Hlb HR HP". iApply (wp_wand with "[HR HP]").
    { iApply (queue_link_visit _ _ _ _ _ R P R with "I Hn Hlb HR"). iSplit; first done.
      by iIntros (h vs _) "$ $". }
    iIntros (r) "[H|[[HR ->]|[HR H]]]"; [by iLeft|iRight; by eauto with iFrame..].
  Qed.

  Local Lemma queue_link_cut γ (head tail : loc) i n :
    inv N (queue_inv_inner γ head tail) -∗ queue_node γ i n -∗
    mono_nat_lb_own (queue_name_head γ) (S i) -∗
    WP #n.2 <- Gone {{ _, True }}.
  Proof.
    iIntros "#I #[Hn _] #Hlb". iInv "I" as (ns ls h nh k nk vs)
      ">(%Hh & Hhead & Hγh & %Hk & Htail & Hγn & %Hnd & #Hns & Hls & %Hok & Hvs & Hγm)".
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct (mono_nat_lb_own_valid with "Hγh Hlb") as %[_ Hle].
    iDestruct (big_sepL2_length with "Hls") as %Hlen.
    destruct (lookup_lt_is_Some_2 ls i) as [li Hli].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_insert_acc with "Hls") as "[Hi Hls]"; [done..|].
    wp_store. iSpecialize ("Hls" $! n with "Hi"). rewrite (list_insert_id ns) //.
    iModIntro. iSplitL; last done.
    iExists ns, _, h, nh, k, nk, vs. iFrame "∗#". iPureIntro. repeat split; try done.
    apply queue_links_ok_gone; [lia| |done]. by eapply lookup_lt_Some.
  Qed.

  (** Claim: [pop], at one instant, takes the first value; [pop] returns no value only if
      the queue is empty at that instant. No value is returned twice, and only the taker
      of a value reads and clears the plain field of the value. *)
  Lemma queue_pop_spec γ t :
    queue_inv γ t -∗
    <<{ ∀∀ vs, queue_model γ vs }>>
      base_queue_pop t @ ↑N
    <<{ queue_model γ (tail vs) | RET match vs with [] => NONEV | v :: _ => SOMEV v end }>>.
  Proof.
    iIntros "(%head & %tail & -> & #I)" (Φ) "AU". iLöb as "IH". wp_rec. wp_pures.
    wp_bind (! _)%E. iApply wp_wand; first by iApply queue_head_read.
    iIntros (r) "(%i & %n & -> & #Hn & #Hlb)". wp_pures. iPoseProof "Hn" as "[_ #Hn1]".
    wp_load. wp_bind (! _)%E.
    iApply (wp_wand with "[AU]").
    { iApply (queue_link_read _ _ _ _ _ _ (Φ NONEV) with "I Hn Hlb AU").
      iIntros (h) "AU Hγm". iMod "AU" as (vs) "[Hm [_ Hcommit]]".
      iDestruct (queue_model_agree with "Hγm Hm") as %<-.
      iMod ("Hcommit" with "Hm") as "$". by iFrame. }
    iIntros (r) "[[-> HΦ]|[AU [->|(%n' & -> & #Hn')]]]".
    { by wp_pures. }
    { wp_pures. by iApply "IH". }
    wp_pures. wp_bind (CmpXchg _ _ _). iInv "I" as (ns ls h nh k nk vs)
      ">(%Hh & Hhead & Hγh & %Hk & Htail & Hγn & %Hnd & #Hns & Hls & %Hok & Hvs & Hγm)".
    destruct (decide (nh.1 = n.1)) as [Heq|Hne]; last first.
    { wp_cmpxchg_fail. iModIntro. iSplitL "Hhead Hγh Htail Hγn Hls Hvs Hγm".
      { iExists ns, ls, h, nh, k, nk, vs. by iFrame "∗#". }
      wp_pures. by iApply "IH". }
    rewrite Heq. wp_cmpxchg_suc.
    iDestruct "Hn" as "[Hn _]". iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct "Hn'" as "[Hn' Hn1']". iDestruct (history_lookup with "Hγn Hn'") as %HSi.
    assert (h = i) as ->.
    { eapply NoDup_lookup; first done; rewrite list_lookup_fmap.
      - by rewrite Hh /= Heq.
      - by rewrite Hi. }
    erewrite (drop_S ns); last done.
    iDestruct (big_sepL2_cons_inv_l with "Hvs") as (v vs' ->) "[Hv Hvs]".
    iMod (mono_nat_own_update (S i) with "Hγh") as "[Hγh #Hlb']"; first lia.
    iMod "AU" as (vs) "[Hm [_ Hcommit]]". iDestruct (queue_model_agree with "Hγm Hm") as %<-.
    iMod (queue_model_update (S i) vs' with "Hγm Hm") as "[Hγm Hm]".
    iMod ("Hcommit" with "Hm") as "HΦ".
    iModIntro. iSplitR "Hv HΦ".
    { iNext. iExists ns, ls, (S i), n', k, nk, vs'. iFrame "∗#". iPureIntro.
      repeat split; try done. eapply queue_links_ok_head, Hok. lia. }
    wp_pures. wp_load. wp_bind (_ <- _)%E.
    iApply wp_wand; first by iApply (queue_link_cut with "I [$Hn $Hn1] Hlb'").
    iIntros (r) "_". wp_pures. wp_na_load. wp_pures. wp_na_store. iModIntro. iApply "HΦ".
  Qed.

  (** Claim: [is_empty] returns true only if the queue is empty at some instant of the
      call. *)
  Lemma queue_is_empty_spec γ t :
    queue_inv γ t -∗
    <<{ ∀∀ vs, queue_model γ vs }>>
      base_queue_is_empty t @ ↑N
    <<{ ∃∃ b : bool, queue_model γ vs ∗ ⌜b = true → vs = []⌝ | RET #b }>>.
  Proof.
    iIntros "(%head & %tail & -> & #I)" (Φ) "AU". iLöb as "IH". wp_rec. wp_pures.
    wp_bind (! _)%E. iApply wp_wand; first by iApply queue_head_read.
    iIntros (r) "(%i & %n & -> & #Hn & #Hlb)". wp_pures. iPoseProof "Hn" as "[_ #Hn1]".
    wp_load. wp_bind (! _)%E.
    iApply (wp_wand with "[AU]").
    { iApply (queue_link_read _ _ _ _ _ _ (Φ #true) with "I Hn Hlb AU").
      iIntros (h) "AU Hγm". iMod "AU" as (vs) "[Hm [_ Hcommit]]".
      iDestruct (queue_model_agree with "Hγm Hm") as %<-.
      iMod ("Hcommit" $! true with "[$Hm //]") as "$". by iFrame. }
    iIntros (r) "[[-> HΦ]|[AU [->|(%n' & -> & #Hn')]]]".
    { by wp_pures. }
    { wp_pures. by iApply "IH". }
    wp_pures. iMod "AU" as (vs) "[Hm [_ Hcommit]]".
    by iMod ("Hcommit" $! false with "[$Hm //]") as "HΦ".
  Qed.

  (** Claim: [is_empty] is safe for any thread; this claim says nothing of the answer. *)
  Lemma queue_is_empty_safe_spec γ t :
    {{{ queue_inv γ t }}} base_queue_is_empty t {{{ (b : bool), RET #b; True }}}.
  Proof.
    iIntros (Φ) "(%head & %tail & -> & #I) HΦ". iLöb as "IH". wp_rec. wp_pures.
    wp_bind (! _)%E. iApply wp_wand; first by iApply queue_head_read.
    iIntros (r) "(%i & %n & -> & #Hn & #Hlb)". wp_pures. iPoseProof "Hn" as "[_ #Hn1]".
    wp_load. wp_bind (! _)%E. iApply wp_wand.
    { iApply (queue_link_read _ _ _ _ _ True True with "I Hn Hlb [//]").
      by iIntros (h) "_ $". }
    iIntros (r) "[[-> _]|[_ [->|(%n' & -> & #Hn')]]]"; wp_pures.
    - by iApply "HΦ".
    - by iApply "IH".
    - by iApply "HΦ".
  Qed.

  (** A read of the head when [p] values are known to have been popped; [R] becomes [Q] at
      this moment. *)
  Local Lemma queue_head_visit γ (head tail : loc) p (R : iProp Σ) (Q : nat → iProp Σ) :
    inv N (queue_inv_inner γ head tail) -∗ mono_nat_lb_own (queue_name_head γ) p -∗ R -∗
    (∀ h vs, R -∗ queue_content γ h vs ={⊤ ∖ ↑N}=∗ queue_content γ h vs ∗ Q h) -∗
    WP ! #head {{ r, ∃ i n, ⌜r = #n.1 ∧ p ≤ i⌝ ∗ queue_node γ i n ∗
      mono_nat_lb_own (queue_name_head γ) i ∗ Q i }}.
  Proof.
    iIntros "#I #Hp HR HQ". iInv "I" as (ns ls h nh k nk vs)
      ">(%Hh & Hhead & Hγh & %Hk & Htail & Hγn & %Hnd & #Hns & Hls & %Hok & Hvs & Hγm)".
    wp_load. iDestruct (history_elem_get with "Hγn") as "#Hn"; first exact Hh.
    iDestruct (mono_nat_lb_own_get with "Hγh") as "#Hlb".
    iDestruct (mono_nat_lb_own_valid with "Hγh Hp") as %[_ Hle].
    iMod ("HQ" with "HR Hγm") as "[Hγm HQ]".
    iModIntro. iSplitR "HQ".
    { iExists ns, ls, h, nh, k, nk, vs. by iFrame "∗#". }
    iExists h, nh. iFrame "Hn Hlb HQ". iSplit; first done. by iApply (big_sepL_lookup with "Hns").
  Qed.

  (** The second instant of [is_empty], after [is_empty] has seen the number [p] of pops. *)
  Definition queue_is_empty_au γ p (Φ : val → iProp Σ) : iProp Σ :=
    AU <{ ∃∃ p' vs, queue_counted γ p' vs }> @ ⊤ ∖ ↑N, ∅
       <{ ∀∀ b : bool, queue_counted γ p' vs ∗
          ⌜if b then vs = [] else p < p' + length vs⌝, COMM Φ #b }>.

  (** The part of [is_empty] from the read of the head to the answer. *)
  Local Lemma queue_is_empty_link γ (head tail : loc) p i n (Φ Ψ : val → iProp Σ) :
    p ≤ i → inv N (queue_inv_inner γ head tail) -∗ queue_node γ i n -∗
    mono_nat_lb_own (queue_name_head γ) i -∗ queue_is_empty_au γ p Φ -∗
    (∀ r, (∃ b : bool, ⌜r = if b then Nil else Gone⌝ ∗
            if b then Φ #true else queue_is_empty_au γ p Φ) ∨
          (∃ l : loc, ⌜r = Link l⌝ ∗ Φ #false) -∗ Ψ r) -∗
    WP ! #n.2 {{ Ψ }}.
  Proof.
    iIntros (Hp) "#I #Hn #Hlb AU HΨ". iApply (wp_wand with "[AU]").
    { iApply (queue_link_visit _ _ _ _ _ _ (Φ #true) (Φ #false) with "I Hn Hlb AU"). iSplit.
      - iIntros (h) "AU Hγm". iMod "AU" as (p' vs) "[Hm [_ Hcommit]]".
        iDestruct (queue_counted_agree with "Hγm Hm") as %[<- <-].
        iMod ("Hcommit" $! true with "[$Hm //]") as "$". by iFrame.
      - iIntros (h vs Hlt) "AU Hγm". iMod "AU" as (p' vs') "[Hm [_ Hcommit]]".
        iDestruct (queue_counted_agree with "Hγm Hm") as %[<- <-].
        iMod ("Hcommit" $! false with "[$Hm]") as "$"; last by iFrame. iPureIntro. lia. }
    iIntros (r) "[[-> HΦ]|[[AU ->]|[HΦ (%n' & -> & _)]]]"; iApply "HΨ".
    - iLeft. iExists true. by iFrame.
    - iLeft. iExists false. by iFrame.
    - iRight. iExists n'.1. by iFrame.
  Qed.

  (** Claim: [is_empty] has two instants, one after the other. [is_empty] returns true only
      if the queue is empty at the second instant. [is_empty] returns false only if the
      number of values pushed until the second instant is greater than the number of
      values popped until the first instant: the queue held a value at some moment
      between the instants. *)
  Lemma queue_is_empty_counted_spec γ t Φ :
    queue_inv γ t -∗
    AU <{ ∃∃ p vs, queue_counted γ p vs }> @ ⊤ ∖ ↑N, ∅
       <{ queue_counted γ p vs, COMM queue_is_empty_au γ p Φ }> -∗
    WP base_queue_is_empty t {{ Φ }}.
  Proof.
    iIntros "(%head & %tail & -> & #I) AU".
    iAssert (□ ∀ p, mono_nat_lb_own (queue_name_head γ) p -∗ queue_is_empty_au γ p Φ -∗
      WP base_queue_is_empty (#head, #tail)%V {{ Φ }})%I as "#Hagain".
    { iIntros "!>" (p) "#Hp AU". iLöb as "IH". wp_rec. wp_pures. wp_bind (! _)%E.
      iApply (wp_wand with "[AU]").
      { iApply (queue_head_visit _ _ _ _ _ (λ _, queue_is_empty_au γ p Φ) with "I Hp AU").
        by iIntros (h vs) "$ $". }
      iIntros (r) "(%i & %n & [-> %Hpi] & #Hn & #Hlb & AU)". wp_pures.
      iPoseProof "Hn" as "[_ Hn1]". wp_load. wp_bind (! _)%E.
      iApply (queue_is_empty_link with "I Hn Hlb AU"); first done.
      iIntros (r) "[(%b & -> & H)|(%l & -> & H)]"; [destruct b|]; wp_pures; [done| |done].
      by iApply "IH". }
    iMod (mono_nat_lb_own_0 (queue_name_head γ)) as "#H0".
    wp_rec. wp_pures. wp_bind (! _)%E. iApply (wp_wand with "[AU]").
    { iApply (queue_head_visit _ _ _ _ _ (λ i, queue_is_empty_au γ i Φ) with "I H0 AU").
      iIntros (h vs) "AU Hγm". iMod "AU" as (p vs') "[Hm [_ Hcommit]]".
      iDestruct (queue_counted_agree with "Hγm Hm") as %[<- <-].
      iMod ("Hcommit" with "Hm") as "$". by iFrame. }
    iIntros (r) "(%i & %n & [-> _] & #Hn & #Hlb & AU)". wp_pures.
    iPoseProof "Hn" as "[_ Hn1]". wp_load. wp_bind (! _)%E.
    iApply (queue_is_empty_link with "I Hn Hlb AU"); first done.
    iIntros (r) "[(%b & -> & H)|(%l & -> & H)]"; [destruct b|]; wp_pures; [done| |done].
    by iApply "Hagain".
  Qed.

  (** Claim: [is_empty] says exactly whether the queue is empty, if no other thread
      acts. *)
  Lemma queue_is_empty_quiet_spec γ t vs :
    {{{ queue_inv γ t ∗ queue_model γ vs }}}
      base_queue_is_empty t
    {{{ RET #(bool_decide (vs = [])); queue_model γ vs }}}.
  Proof.
    iIntros (Φ) "[#I [%p Hm]] HΦ".
    iApply (wp_wand _ _ _ (λ r, (⌜r = #(bool_decide (vs = []))⌝ ∗ queue_model γ vs) ∗
      (queue_model γ vs -∗ Φ #(bool_decide (vs = []))))%I with "[-]"); last first.
    { iIntros (r) "[[-> Hm] HΦ]". by iApply "HΦ". }
    iApply wp_frame_step_r'. iSplitR "HΦ"; last iExact "HΦ".
    iApply (queue_is_empty_counted_spec with "I").
    iAuIntro. iAaccIntro with "Hm"; first by eauto with iFrame.
    iIntros "Hm !>". rewrite /queue_is_empty_au. iAuIntro.
    iAaccIntro with "Hm"; first by eauto with iFrame.
    iIntros (b) "[Hm %Hb] !>". iSplitR; last by iExists p. iPureIntro. do 2 f_equal.
    destruct b.
    - by rewrite bool_decide_eq_true_2.
    - rewrite bool_decide_eq_false_2 //. intros ->. simpl in Hb. lia.
  Qed.
End queue.
