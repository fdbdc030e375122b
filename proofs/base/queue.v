(** The queue of Michael and Scott: the proof of lib/kernel/base/queue.ml.

    The invariant keeps all the nodes that were ever linked, in order: [ns], a list
    that only grows. [head] is the node number [h], which only grows, and [tail] any
    node of the list. The content of the queue is in the nodes after [h]. The link
    of a node leads to the next one, or is [Gone] if the node comes before [h]; only
    the last node's link is [Nil].

    So a thread that reads [Nil] in the link of the node that it found in [head] has
    found, at that moment, a node that is the last and not before [h]: it is both, and
    the queue is empty. This is the linearisation point of a [pop] that returns
    [None], and of an [is_empty] that returns [true].

    A [push] is linearised when it replaces [Nil] by a link to its node; a [pop] that
    finds a value, when it moves [head]. It takes the ownership of the [value] field of
    the new sentinel out of the invariant, which is why its plain accesses to it, later,
    do not race with anything. Links other than [Nil] are written by the winner alone,
    and [Gone] only before [h].

    [is_empty] may return [false] although the queue is not empty at any moment at
    which it reads: the sentinel that it holds may have been passed between its two
    reads. What is proved of [false] is only that it is safe to return. *)
From iris.base_logic.lib Require Import invariants ghost_var mono_nat.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import history queue_code.

Class queueG Σ := QueueG {
  #[local] queue_historyG :: historyG Σ (loc * loc);
  #[local] queue_mono_natG :: mono_natG Σ;
  #[local] queue_ghost_varG :: ghost_varG Σ (list val);
}.
Definition queueΣ : gFunctors :=
  #[historyΣ (loc * loc); mono_natΣ; ghost_varΣ (list val)].
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

(** [ls] are the links of the nodes [ns]; a node is the location of its block, and
    that of its link. *)
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

  Definition queue_model γ vs : iProp Σ := ghost_var (queue_name_model γ) (3/4) vs.

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
      queue_values (drop (S h) ns) vs ∗ ghost_var (queue_name_model γ) (1/4) vs.
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
    iIntros "H1 H2". by iDestruct (ghost_var_valid_2 with "H1 H2") as %[? _].
  Qed.

  Local Lemma queue_model_agree γ vs vs' :
    ghost_var (queue_name_model γ) (1/4) vs -∗ queue_model γ vs' -∗ ⌜vs = vs'⌝.
  Proof. apply ghost_var_agree. Qed.
  Local Lemma queue_model_update vs' γ vs :
    ghost_var (queue_name_model γ) (1/4) vs -∗ queue_model γ vs ==∗
    ghost_var (queue_name_model γ) (1/4) vs' ∗ queue_model γ vs'.
  Proof. iApply ghost_var_update_2. apply Qp.quarter_three_quarter. Qed.

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
    iMod (ghost_var_alloc ([] : list val)) as (γm) "Hm".
    iEval (rewrite -Qp.quarter_three_quarter) in "Hm". iDestruct "Hm" as "[Hm1 Hm2]".
    set (γ := QueueNames γn γh γm).
    iMod (inv_alloc N _ (queue_inv_inner γ head tail) with "[-HΦ Hm2]") as "#I".
    { iNext. iExists [(l, nx)], [Nil], 0, (l, nx), 0, (l, nx), [].
      rewrite /γ /=. iFrame "Hhead Htail Hn Hh Hm1 Hnx Hl". repeat iSplit; try done.
      - iPureIntro. apply NoDup_singleton.
      - iPureIntro. intros [|i] v Hv; by simplify_eq/=.
      - by rewrite /queue_values. }
    iModIntro. iApply ("HΦ" $! γ). iFrame "Hm2". iExists head, tail. by iFrame "I".
  Qed.

  (** The node of [tail], or of [head]. *)
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

  (** The link of a node, read or replaced; [Q] is what the caller makes of it. *)
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
    (* Its link. *)
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
    - (* The last one. *)
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
      iMod (queue_model_update (vs ++ [v]) with "Hγm Hm") as "[Hγm Hm]".
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
    - (* Behind the head. *)
      wp_bind (! _)%E. iApply wp_wand; first by iApply queue_head_read.
      iIntros (r) "(%j & %n' & -> & #Hn' & _)". wp_pures.
      wp_bind (CmpXchg _ _ _). iApply wp_wand; first by iApply (queue_tail_move with "I Hn'").
      iIntros (r) "(%w & %b & ->)". wp_pures. by iApply ("IH" with "Hl0 Hl1 Hnx AU").
    - (* Lagging. *)
      wp_bind (CmpXchg _ _ _).
      iApply wp_wand; first by iApply (queue_tail_move with "I [$Hn' $Hn1']").
      iIntros (r) "(%w & %b & ->)". wp_pures. by iApply ("IH" with "Hl0 Hl1 Hnx AU").
  Qed.

  (** Claim: At one instant, adds at the end. *)
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

  (** The link of a node that has been the head. If it is [Nil], the node is the head
      and the last: the queue is empty at this moment, and [R] becomes [P]. *)
  Local Lemma queue_link_read γ (head tail : loc) i n (R P : iProp Σ) :
    inv N (queue_inv_inner γ head tail) -∗ queue_node γ i n -∗
    mono_nat_lb_own (queue_name_head γ) i -∗ R -∗
    (R -∗ ghost_var (queue_name_model γ) (1/4) [] ={⊤ ∖ ↑N}=∗
       ghost_var (queue_name_model γ) (1/4) [] ∗ P) -∗
    WP ! #n.2 {{ r, (⌜r = Nil⌝ ∗ P) ∨
      (R ∗ (⌜r = Gone⌝ ∨ ∃ n', ⌜r = Link n'.1⌝ ∗ queue_node γ (S i) n')) }}.
  Proof.
    iIntros "#I #[Hn Hn1] #Hlb HR HP". iInv "I" as (ns ls h nh k nk vs)
      ">(%Hh & Hhead & Hγh & %Hk & Htail & Hγn & %Hnd & #Hns & Hls & %Hok & Hvs & Hγm)".
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct (mono_nat_lb_own_valid with "Hγh Hlb") as %[_ Hle].
    iDestruct (big_sepL2_length with "Hls") as %Hlen.
    destruct (lookup_lt_is_Some_2 ls i) as [li Hli].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_lookup_acc with "Hls") as "[Hi Hls]"; [done..|].
    wp_load. iSpecialize ("Hls" with "Hi").
    pose proof (Hok i li Hli) as Hl. destruct (ns !! S i) as [n'|] eqn:HSi.
    - iDestruct (history_elem_get with "Hγn") as "#Hn'"; first exact HSi.
      iDestruct (big_sepL_lookup with "Hns") as "#Hn1'"; first exact HSi.
      iModIntro. iSplitL "Hhead Hγh Htail Hγn Hls Hvs Hγm".
      { iExists ns, ls, h, nh, k, nk, vs. by iFrame "∗#". }
      iRight. iFrame "HR". destruct Hl as [->|[-> _]]; last by eauto.
      iRight. iExists n'. by iFrame "#".
    - assert (h = i) as ->.
      { apply lookup_ge_None_1 in HSi. apply lookup_lt_Some in Hh. lia. }
      rewrite drop_ge; last by apply lookup_ge_None_1.
      iDestruct (big_sepL2_nil_inv_l with "Hvs") as %->.
      iMod ("HP" with "HR Hγm") as "[Hγm HP]".
      iModIntro. iSplitR "HP"; last by (iLeft; iFrame).
      iExists ns, ls, i, nh, k, nk, []. iFrame "∗#". repeat iSplit; try done.
      rewrite drop_ge; last by apply lookup_ge_None_1. by iApply big_sepL2_nil.
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

  (** Claim: At one instant, takes the first; nothing only if the queue is empty at
      that instant. No value is given out twice, and the plain field it stands in is
      read and cleared by its one taker. *)
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
      iIntros "AU Hγm". iMod "AU" as (vs) "[Hm [_ Hcommit]]".
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
    iMod (queue_model_update vs' with "Hγm Hm") as "[Hγm Hm]".
    iMod ("Hcommit" with "Hm") as "HΦ".
    iModIntro. iSplitR "Hv HΦ".
    { iNext. iExists ns, ls, (S i), n', k, nk, vs'. iFrame "∗#". iPureIntro.
      repeat split; try done. eapply queue_links_ok_head, Hok. lia. }
    wp_pures. wp_load. wp_bind (_ <- _)%E.
    iApply wp_wand; first by iApply (queue_link_cut with "I [$Hn $Hn1] Hlb'").
    iIntros (r) "_". wp_pures. wp_na_load. wp_pures. wp_na_store. iModIntro. iApply "HΦ".
  Qed.

  (** Claim: True only if the queue is empty at some instant of the call. *)
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
      iIntros "AU Hγm". iMod "AU" as (vs) "[Hm [_ Hcommit]]".
      iDestruct (queue_model_agree with "Hγm Hm") as %<-.
      iMod ("Hcommit" $! true with "[$Hm //]") as "$". by iFrame. }
    iIntros (r) "[[-> HΦ]|[AU [->|(%n' & -> & #Hn')]]]".
    { by wp_pures. }
    { wp_pures. by iApply "IH". }
    wp_pures. iMod "AU" as (vs) "[Hm [_ Hcommit]]".
    by iMod ("Hcommit" $! false with "[$Hm //]") as "HΦ".
  Qed.

  (** Claim: Called by anybody, it is safe, whatever its answer is worth. *)
  Lemma queue_is_empty_safe_spec γ t :
    {{{ queue_inv γ t }}} base_queue_is_empty t {{{ (b : bool), RET #b; True }}}.
  Proof.
    iIntros (Φ) "(%head & %tail & -> & #I) HΦ". iLöb as "IH". wp_rec. wp_pures.
    wp_bind (! _)%E. iApply wp_wand; first by iApply queue_head_read.
    iIntros (r) "(%i & %n & -> & #Hn & #Hlb)". wp_pures. iPoseProof "Hn" as "[_ #Hn1]".
    wp_load. wp_bind (! _)%E. iApply wp_wand.
    { iApply (queue_link_read _ _ _ _ _ True True with "I Hn Hlb [//]").
      iIntros "_ $". done. }
    iIntros (r) "[[-> _]|[_ [->|(%n' & -> & #Hn')]]]"; wp_pures.
    - by iApply "HΦ".
    - by iApply "IH".
    - by iApply "HΦ".
  Qed.
End queue.
