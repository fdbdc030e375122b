(** A queue that loses values from its middle: the proof of
    lib/kernel/base/erasable.ml.

    {b Nodes.}  The invariant keeps all nodes that were ever linked, in order: the list
    [ns] only grows.  Node [i] is alive while its cell holds a value.  Node [i] is dead,
    for ever, after the value was taken.  The content of the queue is the values of the
    nodes that are alive, in the order of the nodes.  [head] is node number [h], and all
    nodes up to [h] are dead.  [tail] is any node.

    {b Links.}  The link of node [i] is one of three:

    | link | meaning |
    |---|---|
    | [Nil] | node [i] is the last node |
    | [Gone] | [i < h] |
    | to node [j] | [i < j], and all nodes between [i] and [j] are dead |

    A sweep replaces a link to a node by a link to a later node.  Both links satisfy the
    table, so a thread may have read either link.

    {b Linearisation points.}
    - A [push]: the compare-and-set that replaces [Nil].
    - A take, by a popper or an eraser: the exchange on the value's node, so exactly one
      thread gets the value.  A popper's value is the oldest: all nodes before its node
      are dead.
    - A [pop] that returns [None], and an [is_empty] that returns [true]: the read of
      [Nil] in the link of a node that has been the head.  The node is the last node,
      and is dead, as are all nodes before.
    - An [is_empty] that returns [false]: the read of a value.
    - [sweep] and the moves of [head] and [tail] change no state that a caller can see. *)
From iris.base_logic.lib Require Import invariants ghost_var ghost_map mono_nat.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import history erasable_code.
From dromos.base Require Export erasable_list.

(** A node: the block, the cell of the value, the cell of the link, and the value that
    the node was made with. *)
Record erasable_node := ErasableNode {
  node_loc : loc;
  node_value : loc;
  node_next : loc;
  node_init : option val;
}.
(** A link.  [j] is the number of the node that the link leads to, [b] is the link's
    block. *)
Inductive erasable_link := LNil | LGone | LLink (b : loc) (j : nat).
Global Instance erasable_link_inhabited : Inhabited erasable_link := populate LNil.
Global Instance erasable_node_inhabited : Inhabited erasable_node :=
  populate (ErasableNode inhabitant inhabitant inhabitant inhabitant).

Class erasableG Σ := ErasableG {
  #[local] erasable_historyG :: historyG Σ erasable_node;
  #[local] erasable_deadG :: ghost_mapG Σ nat ();
  #[local] erasable_mono_natG :: mono_natG Σ;
  #[local] erasable_ghost_varG :: ghost_varG Σ (list (nat * val));
}.
Definition erasableΣ : gFunctors :=
  #[historyΣ erasable_node; ghost_mapΣ nat (); mono_natΣ; ghost_varΣ (list (nat * val))].
Global Instance subG_erasableΣ Σ : subG erasableΣ Σ → erasableG Σ.
Proof. solve_inG. Qed.

Record erasable_names := ErasableNames {
  erasable_name_nodes : gname;
  erasable_name_dead : gname;
  erasable_name_head : gname;
  erasable_name_model : gname;
}.

Section erasable.
  Context `{!heapGS Σ, !erasableG Σ} (N : namespace).
  Implicit Types (γ : erasable_names) (t v : val) (xs : list (nat * val)) (i j : nat).
  Implicit Types (n : erasable_node) (ns : list erasable_node) (os : list (option val)).

  Definition erasable_model γ xs : iProp Σ := ghost_var (erasable_name_model γ) (3/4) xs.

  Local Definition dead γ i : iProp Σ := i ↪[erasable_name_dead γ]□ ().
  Local Definition dead_upto γ i : iProp Σ := □ ∀ k, ⌜k ≤ i⌝ -∗ dead γ k.
  Local Definition dead_between γ i j : iProp Σ := □ ∀ k, ⌜i < k⌝ -∗ ⌜k < j⌝ -∗ dead γ k.
  (** The permanent facts of a node: its number and its fields. *)
  Local Definition node γ i n : iProp Σ :=
    history_elem (erasable_name_nodes γ) i n ∗
    (node_loc n +ₗ 0) ↦na□ #(node_value n) ∗ (node_loc n +ₗ 1) ↦□ #(node_next n).

  Local Definition option_val (o : option val) : val :=
    match o with None => NONEV | Some v => SOMEV v end.
  Local Definition link_val (l : erasable_link) : val :=
    match l with LNil => InjLV #0 | LGone => InjLV #1 | LLink b _ => InjRV #b end.
  (** A thread that has read link [l] of node [i] knows these facts. *)
  Local Definition link_known γ i (l : erasable_link) : iProp Σ :=
    match l with
    | LLink b j => ∃ n, ⌜i < j⌝ ∗ node γ j n ∗ dead_between γ i j ∗ (b +ₗ 0) ↦na□ #(node_loc n)
    | _ => True
    end.
  Local Definition link_ok ns h i (l : erasable_link) : Prop :=
    match l with
    | LNil => S i = length ns
    | LGone => i < h
    | LLink _ j => j < length ns
    end.

  Local Definition erasable_inv_inner γ (head tail : loc) : iProp Σ :=
    ∃ (ns : list erasable_node) (os : list (option val)) (ls : list erasable_link)
      (h : nat) (nh : erasable_node) (k : nat) (nk : erasable_node) (D : gmap nat ()),
      ⌜ns !! h = Some nh⌝ ∗ head ↦ #(node_loc nh) ∗ mono_nat_auth_own (erasable_name_head γ) 1 h ∗
      dead_upto γ h ∗
      ⌜ns !! k = Some nk⌝ ∗ tail ↦ #(node_loc nk) ∗
      history_auth (erasable_name_nodes γ) ns ∗ ⌜NoDup (node_loc <$> ns)⌝ ∗
      □ ([∗ list] i ↦ n ∈ ns, node γ i n) ∗
      ([∗ list] n; o ∈ ns; os, node_value n ↦ option_val o) ∗
      ⌜∀ i n v, ns !! i = Some n → os !! i = Some (Some v) → node_init n = Some v⌝ ∗
      ([∗ list] n; l ∈ ns; ls, node_next n ↦ link_val l) ∗
      □ ([∗ list] i ↦ l ∈ ls, link_known γ i l) ∗ ⌜∀ i l, ls !! i = Some l → link_ok ns h i l⌝ ∗
      ghost_map_auth (erasable_name_dead γ) 1 D ∗ □ ([∗ map] i ↦ _ ∈ D, dead γ i) ∗
      ⌜∀ i, D !! i = Some tt → os !! i = Some None⌝ ∗
      ghost_var (erasable_name_model γ) (1/4) (erasable_alive 0 os).
  Definition erasable_inv γ t : iProp Σ :=
    ∃ head tail : loc, ⌜t = (#head, #tail)%V⌝ ∗
      inv N (erasable_inv_inner γ head tail).
  (** Block [node_val] is the node that was pushed as number [i], with value [v]. *)
  Definition erasable_handle γ node_val i v : iProp Σ :=
    ∃ n, ⌜node_val = #(node_loc n)⌝ ∗ ⌜node_init n = Some v⌝ ∗ node γ i n.

  Global Instance erasable_inv_persistent γ t : Persistent (erasable_inv γ t).
  Proof. apply _. Qed.
  Global Instance erasable_handle_persistent γ nv i v : Persistent (erasable_handle γ nv i v).
  Proof. apply _. Qed.
  Global Instance erasable_model_timeless γ xs : Timeless (erasable_model γ xs).
  Proof. apply _. Qed.
  Local Instance link_known_persistent γ i l : Persistent (link_known γ i l).
  Proof. destruct l; apply _. Qed.
  Local Instance link_known_timeless γ i l : Timeless (link_known γ i l).
  Proof. destruct l; apply _. Qed.
  Local Instance erasable_inv_inner_timeless γ head tail :
    Timeless (erasable_inv_inner γ head tail).
  Proof. apply _. Qed.

  Lemma erasable_model_exclusive γ xs xs' : erasable_model γ xs -∗ erasable_model γ xs' -∗ False.
  Proof.
    iIntros "H1 H2". by iDestruct (ghost_var_valid_2 with "H1 H2") as %[? _].
  Qed.
  Local Lemma erasable_model_agree γ xs xs' :
    ghost_var (erasable_name_model γ) (1/4) xs -∗ erasable_model γ xs' -∗ ⌜xs = xs'⌝.
  Proof. apply ghost_var_agree. Qed.
  Local Lemma erasable_model_update xs' γ xs :
    ghost_var (erasable_name_model γ) (1/4) xs -∗ erasable_model γ xs ==∗
    ghost_var (erasable_name_model γ) (1/4) xs' ∗ erasable_model γ xs'.
  Proof. iApply ghost_var_update_2. apply Qp.quarter_three_quarter. Qed.

  (** A thread that finds a node dead may record this fact for ever. *)
  Local Lemma dead_get γ (D : gmap nat ()) i :
    ghost_map_auth (erasable_name_dead γ) 1 D -∗ □ ([∗ map] i ↦ _ ∈ D, dead γ i) ==∗
    ∃ D', ⌜∀ k, D' !! k = Some tt → D !! k = Some tt ∨ k = i⌝ ∗
      ghost_map_auth (erasable_name_dead γ) 1 D' ∗ □ ([∗ map] i ↦ _ ∈ D', dead γ i) ∗ dead γ i.
  Proof.
    iIntros "HD #Hd". destruct (D !! i) as [[]|] eqn:Hi.
    - iModIntro. iExists D. iFrame "HD Hd". iSplit; first by eauto.
      by iApply (big_sepM_lookup with "Hd").
    - iMod (ghost_map_insert_persist i () with "HD") as "[HD #Hi]"; first done.
      iModIntro. iExists (<[i := ()]> D). iFrame "HD Hi". iSplit.
      + iPureIntro. intros k [[-> _]|[_ Hk]]%lookup_insert_Some; eauto.
      + iModIntro. rewrite big_sepM_insert //. by iFrame "#".
  Qed.
  Local Lemma dead_lookup γ (D : gmap nat ()) i :
    ghost_map_auth (erasable_name_dead γ) 1 D -∗ dead γ i -∗ ⌜D !! i = Some tt⌝.
  Proof. apply ghost_map_lookup. Qed.

  (** ** Creation *)

  Local Lemma make_node_spec (v : val) :
    {{{ True }}}
      base_erasable_make_node v
    {{{ (l vl nx : loc), RET #l; (l +ₗ 0) ↦na#vl ∗ (l +ₗ 1) ↦ #nx ∗ vl ↦ v ∗ nx ↦ link_val LNil }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_alloc vl as "Hvl". wp_pures. wp_alloc nx as "Hnx". wp_pures.
    wp_apply block2_spec; first done. iIntros (l) "(H0 & H1 & _)". iApply "HΦ". iFrame.
  Qed.

  (** Claim: A new queue is empty. *)
  Lemma erasable_create_spec :
    {{{ True }}}
      base_erasable_create #()
    {{{ γ t, RET t; erasable_inv γ t ∗ erasable_model γ [] }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_apply make_node_spec; first done.
    iIntros (l vl nx) "(H0 & H1 & Hvl & Hnx)". wp_pures.
    wp_alloc head as "Hhead". wp_pures. wp_alloc tail as "Htail". wp_pures.
    iMod (na_pointsto_persist with "H0") as "#H0". iMod (pointsto_persist with "H1") as "#H1".
    set (n := ErasableNode l vl nx None).
    iMod (history_alloc [n]) as (γn) "Hn".
    iDestruct (history_elem_get _ _ 0 with "Hn") as "#Hn0"; first done.
    iMod (ghost_map_alloc {[0 := ()]}) as (γd) "[HD Hd]". rewrite big_sepM_singleton.
    iMod (ghost_map_elem_persist with "Hd") as "#Hd".
    iMod (mono_nat_own_alloc 0) as (γh) "[Hh _]".
    iMod (ghost_var_alloc ([] : list (nat * val))) as (γm) "Hm".
    iEval (rewrite -Qp.quarter_three_quarter) in "Hm". iDestruct "Hm" as "[Hm1 Hm2]".
    set (γ := ErasableNames γn γd γh γm).
    iMod (inv_alloc N _ (erasable_inv_inner γ head tail) with "[-HΦ Hm2]") as "#I".
    { iNext. iExists [n], [None], [LNil], 0, n, 0, n, {[0 := ()]}.
      rewrite /γ /=. iFrame "Hhead Htail Hn Hh Hm1 Hvl Hnx HD". repeat iSplit; try done.
      - iModIntro. iIntros (k Hk). by replace k with 0 by lia.
      - iPureIntro. apply NoDup_singleton.
      - iModIntro. iSplit; last done. by iFrame "#".
      - iPureIntro. intros [|i] ? ? ? ?; by simplify_eq/=.
      - iPureIntro. intros [|i] ? ?; by simplify_eq/=.
      - iModIntro. by iApply big_sepM_singleton.
      - iPureIntro. by intros i [<- _]%lookup_singleton_Some. }
    iModIntro. iApply ("HΦ" $! γ). iFrame "Hm2". iExists head, tail. by iFrame "I".
  Qed.

  (** ** Reads and moves of head and tail *)

  Local Notation erasable_open :=
    ">(%Hh & Hhead & Hγh & #Hdh & %Hk & Htail & Hγn & %Hnd & #Hns & Hvs & %Hinit &
       Hls & #Hlk & %Hok & HD & #Hd & %Hdead & Hγm)"
    (only parsing).

  Local Lemma erasable_tail_read γ (head tail : loc) :
    inv N (erasable_inv_inner γ head tail) -∗
    WP ! #tail {{ r, ∃ i n, ⌜r = #(node_loc n)⌝ ∗ node γ i n }}.
  Proof.
    iIntros "#I". iInv "I" as (ns os ls h nh k nk D) erasable_open.
    wp_load. iDestruct (big_sepL_lookup with "Hns") as "#Hn"; first exact Hk.
    iModIntro. iSplitL; last by eauto.
    iExists ns, os, ls, h, nh, k, nk, D. by iFrame "∗#".
  Qed.
  Local Lemma erasable_head_read γ (head tail : loc) :
    inv N (erasable_inv_inner γ head tail) -∗
    WP ! #head {{ r, ∃ i n, ⌜r = #(node_loc n)⌝ ∗ node γ i n ∗ dead_upto γ i }}.
  Proof.
    iIntros "#I". iInv "I" as (ns os ls h nh k nk D) erasable_open.
    wp_load. iDestruct (big_sepL_lookup with "Hns") as "#Hn"; first exact Hh.
    iModIntro. iSplitL; last (iExists h, nh; by iFrame "#").
    iExists ns, os, ls, h, nh, k, nk, D. by iFrame "∗#".
  Qed.
  Local Lemma erasable_tail_move γ (head tail : loc) i n (o : loc) :
    inv N (erasable_inv_inner γ head tail) -∗ node γ i n -∗
    WP CmpXchg #tail #o #(node_loc n) {{ r, ∃ w (b : bool), ⌜r = (w, #b)%V⌝ }}.
  Proof.
    iIntros "#I #[Hn _]". iInv "I" as (ns os ls h nh k nk D) erasable_open.
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    destruct (decide (node_loc nk = o)) as [<-|Hne].
    - wp_cmpxchg_suc. iModIntro. iSplitL; last by eauto.
      iExists ns, os, ls, h, nh, i, n, D. by iFrame "∗#".
    - wp_cmpxchg_fail. iModIntro. iSplitL; last by eauto.
      iExists ns, os, ls, h, nh, k, nk, D. by iFrame "∗#".
  Qed.

  (** ** Links *)

  Local Lemma links_known_insert γ (ls : list erasable_link) i (l : erasable_link) :
    ([∗ list] i ↦ l ∈ ls, link_known γ i l) -∗ link_known γ i l -∗
    [∗ list] i ↦ l ∈ <[i := l]> ls, link_known γ i l.
  Proof.
    iIntros "#Hls #Hl". iApply big_sepL_forall. iIntros (j l' Hj).
    apply list_lookup_insert_Some in Hj as [(<- & <- & _)|[_ Hj]]; first done.
    by iApply (big_sepL_lookup with "Hls").
  Qed.

  Local Lemma erasable_link_read γ (head tail : loc) i n :
    inv N (erasable_inv_inner γ head tail) -∗ node γ i n -∗
    WP ! #(node_next n) {{ r, ∃ l, ⌜r = link_val l⌝ ∗ link_known γ i l }}.
  Proof.
    iIntros "#I #[Hn _]". iInv "I" as (ns os ls h nh k nk D) erasable_open.
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct (big_sepL2_length with "Hls") as %Hlen.
    destruct (lookup_lt_is_Some_2 ls i) as [li Hli].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_lookup_acc with "Hls") as "[Hi Hls]"; [done..|].
    wp_load. iSpecialize ("Hls" with "Hi").
    iDestruct (big_sepL_lookup with "Hlk") as "#Hli"; first exact Hli.
    iModIntro. iSplitL; last by eauto.
    iExists ns, os, ls, h, nh, k, nk, D. by iFrame "∗#".
  Qed.

  Local Lemma erasable_push_node_spec γ (head tail l vl nx : loc) (v : val) (Φ : val → iProp Σ) :
    inv N (erasable_inv_inner γ head tail) -∗
    (l +ₗ 0) ↦na #vl -∗ (l +ₗ 1) ↦ #nx -∗ vl ↦ SOMEV v -∗ nx ↦ link_val LNil -∗
    AU <{ ∃∃ xs, erasable_model γ xs }> @ ⊤ ∖ ↑N, ∅
       <{ ∀∀ i, ⌜∀ w, (i, w) ∉ xs⌝ ∗ erasable_model γ (xs ++ [(i, v)]),
          COMM erasable_handle γ #l i v -∗ Φ #() }> -∗
    WP base_erasable_push_node (#head, #tail)%V #l {{ Φ }}.
  Proof.
    iIntros "#I Hl0 Hl1 Hvl Hnx AU". iLöb as "IH". wp_rec. wp_pures.
    wp_bind (! _)%E. iApply wp_wand; first by iApply erasable_tail_read.
    iIntros (r) "(%i & %n & -> & #[Hn [Hn0 Hn1]])". wp_pures. wp_load.
    (* the node's link *)
    wp_bind (! _)%E. iApply wp_wand; first by iApply (erasable_link_read with "I [$Hn $Hn0 $Hn1]").
    iIntros (r) "(%li & -> & #Hli)".
    destruct li as [| |b j]; simpl; wp_pures.
    - (* the node is the last node *)
      wp_apply block1_spec; first done. iIntros (b) "[Hb _]".
      iMod (na_pointsto_persist with "Hb") as "#Hb". wp_pures. wp_load. wp_pures.
      wp_bind (CmpXchg _ _ _).
      iInv "I" as (ns os ls h nh k nk D) erasable_open.
      iDestruct (history_lookup with "Hγn Hn") as %Hi.
      iDestruct (big_sepL2_length with "Hls") as %Hlen.
      iDestruct (big_sepL2_length with "Hvs") as %Hlen'.
      destruct (lookup_lt_is_Some_2 ls i) as [li Hli].
      { rewrite -Hlen. by eapply lookup_lt_Some. }
      iDestruct (big_sepL2_insert_acc with "Hls") as "[Hi Hls]"; [done..|].
      destruct (decide (link_val li = InjLV #0)) as [Heq|Hne]; last first.
      { wp_cmpxchg_fail. iSpecialize ("Hls" $! n li with "Hi"). rewrite !list_insert_id //.
        iModIntro. iSplitL "Hhead Hγh Htail Hγn Hvs Hls HD Hγm".
        { iExists ns, os, ls, h, nh, k, nk, D. by iFrame "∗#". }
        wp_pures. by iApply ("IH" with "Hl0 Hl1 Hvl Hnx AU"). }
      rewrite Heq. wp_cmpxchg_suc. destruct li; try done.
      pose proof (Hok i _ Hli) as Hlast. simpl in Hlast.
      iSpecialize ("Hls" $! n (LLink b (S i)) with "Hi"). rewrite (list_insert_id ns) //.
      iAssert ⌜l ∉ node_loc <$> ns⌝%I as %Hfresh.
      { iIntros ((n' & -> & [j Hj]%elem_of_list_lookup)%elem_of_list_fmap).
        iDestruct (big_sepL_lookup with "Hns") as "(_ & _ & Hl1')"; first done.
        by iDestruct (pointsto_ne with "Hl1 Hl1'") as %?. }
      iMod (na_pointsto_persist with "Hl0") as "#Hl0".
      iMod (pointsto_persist with "Hl1") as "#Hl1".
      set (n' := ErasableNode l vl nx (Some v)).
      iMod (history_push n' with "Hγn") as "[Hγn #Hnew]".
      iAssert (node γ (length ns) n') as "#Hn'"; first by iFrame "#".
      iMod "AU" as (xs) "[Hm [_ Hcommit]]".
      iDestruct (erasable_model_agree with "Hγm Hm") as %<-.
      iMod (erasable_model_update (erasable_alive 0 (os ++ [Some v])) with "Hγm Hm") as "[Hγm Hm]".
      rewrite {2}erasable_alive_app /= -Hlen'.
      iMod ("Hcommit" $! (length ns) with "[$Hm]") as "HΦ".
      { iPureIntro. intros w [_ Hw]%erasable_alive_elem. rewrite Nat.sub_0_r in Hw.
        apply lookup_lt_Some in Hw. lia. }
      iModIntro. iSplitR "HΦ".
      { iNext. iExists (ns ++ [n']), (os ++ [Some v]), (<[i := LLink b (S i)]> ls ++ [LNil]).
        iExists h, nh, k, nk, D.
        assert (h < length ns) by by eapply lookup_lt_Some.
        iFrame "Hhead Hγh Htail Hγn Hγm HD Hd Hdh".
        iSplit; first by rewrite lookup_app_l.
        iSplit; first (rewrite lookup_app_l //; by eapply lookup_lt_Some).
        iSplit.
        { iPureIntro. rewrite fmap_app. apply NoDup_app. split; first done.
          split; last apply NoDup_singleton. intros x Hx. set_solver. }
        iSplit; first (iModIntro; rewrite big_sepL_app /= Nat.add_0_r; by iFrame "#").
        iSplitL "Hvs Hvl"; first (iApply (big_sepL2_app with "Hvs"); by iFrame).
        iSplit.
        { iPureIntro. intros j n'' w Hj Hw. apply lookup_app_Some in Hj as [Hj|[Hge Hj]].
          - rewrite lookup_app_l in Hw; first by eapply Hinit.
            rewrite -Hlen'. by eapply lookup_lt_Some.
          - apply list_lookup_singleton_Some in Hj as [Hj0 <-].
            rewrite lookup_app_r in Hw; last lia.
            apply list_lookup_singleton_Some in Hw as [_ [= ->]]. done. }
        iSplitL "Hls Hnx"; first (iApply (big_sepL2_app with "Hls"); by iFrame).
        iSplit.
        { iModIntro. rewrite big_sepL_app. iSplit; last by simpl.
          iApply (links_known_insert with "Hlk []"). simpl. iExists n'.
          rewrite Hlast. iFrame "#". iSplit; first (iPureIntro; lia).
          iModIntro. iIntros (m ??). lia. }
        iPureIntro. split.
        { intros j l' Hj. apply lookup_app_Some in Hj as [Hj|[Hge Hj]].
          - apply list_lookup_insert_Some in Hj as [(<- & <- & _)|[Hne Hj]].
            + simpl. rewrite length_app /=. lia.
            + specialize (Hok j l' Hj). destruct l'; simpl in *; rewrite ?length_app /=; lia.
          - apply list_lookup_singleton_Some in Hj as [Hj0 <-]. simpl.
            rewrite length_insert in Hge, Hj0. rewrite length_app /=. lia. }
        intros j Hj. rewrite lookup_app_l; first by apply Hdead.
        apply Hdead in Hj. by eapply lookup_lt_Some. }
      wp_pures. wp_bind (CmpXchg _ _ _).
      iApply wp_wand; first by iApply (erasable_tail_move _ _ _ _ n' with "I Hn'").
      iIntros (r) "(%w & %c & ->)". wp_pures. iModIntro. iApply "HΦ".
      iExists n'. by iFrame "#".
    - (* the node is behind the head *)
      wp_bind (! _)%E. iApply wp_wand; first by iApply erasable_head_read.
      iIntros (r) "(%j & %n' & -> & #Hn' & _)". wp_pures.
      wp_bind (CmpXchg _ _ _). iApply wp_wand; first by iApply (erasable_tail_move with "I Hn'").
      iIntros (r) "(%w & %b & ->)". wp_pures. by iApply ("IH" with "Hl0 Hl1 Hvl Hnx AU").
    - (* the tail lags: another node follows *)
      iDestruct "Hli" as (n') "(%Hij & #Hn' & #Hbetween & #Hb)". wp_na_load. wp_pures.
      wp_bind (CmpXchg _ _ _). iApply wp_wand; first by iApply (erasable_tail_move with "I Hn'").
      iIntros (r) "(%w & %c & ->)". wp_pures. by iApply ("IH" with "Hl0 Hl1 Hvl Hnx AU").
  Qed.

  (** The new node gets number [i], which no value in the queue has, and value [v]. *)
  (** Claim: [push], at one instant, adds the value at the end; the returned node stands
      for the value. *)
  Lemma erasable_push_spec γ t v :
    erasable_inv γ t -∗
    <<{ ∀∀ xs, erasable_model γ xs }>>
      base_erasable_push t v @ ↑N
    <<{ ∃∃ i, ⌜∀ w, (i, w) ∉ xs⌝ ∗ erasable_model γ (xs ++ [(i, v)])
      | nd, RET nd; erasable_handle γ nd i v }>>.
  Proof.
    iIntros "(%head & %tail & -> & #I)" (Φ) "AU". wp_rec. wp_pures.
    wp_apply make_node_spec; first done. iIntros (l vl nx) "(Hl0 & Hl1 & Hvl & Hnx)". wp_pures.
    wp_bind (base_erasable_push_node _ _).
    iApply (wp_wand _ _ _ (λ r, ⌜r = #()⌝ ∗ Φ #l)%I with "[-]"); last first.
    { iIntros (r) "[-> HΦ]". by wp_pures. }
    iApply (erasable_push_node_spec with "I Hl0 Hl1 Hvl Hnx").
    iAuIntro. iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (xs) "Hm". iAaccIntro with "Hm"; first by eauto with iFrame.
    iIntros (i) "[%Hi Hm] !>". iExists i. iFrame "Hm". iSplit; first done.
    iIntros "HΦ !> #Hh". iSplit; first done. by iApply "HΦ".
  Qed.

  (** ** Taking values *)

  (** The value of a node. *)
  (** Claim: [peek], at one instant, returns the value of a node if the value is still in
      the queue. *)
  Lemma erasable_peek_spec γ t nd i v :
    erasable_inv γ t -∗ erasable_handle γ nd i v -∗
    <<{ ∀∀ xs, erasable_model γ xs }>>
      base_erasable_peek nd @ ↑N
    <<{ erasable_model γ xs | RET if decide (pair i v ∈ xs) then SOMEV v else NONEV }>>.
  Proof.
    iIntros "(%head & %tail & -> & #I) (%n & -> & %Hv & #Hn & #Hn0 & #Hn1)" (Φ) "AU".
    wp_rec. wp_na_load. iInv "I" as (ns os ls h nh k nk D) erasable_open.
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct (big_sepL2_length with "Hvs") as %Hlen.
    destruct (lookup_lt_is_Some_2 os i) as [o Ho].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_lookup_acc with "Hvs") as "[Hi Hvs]"; [done..|].
    wp_load. iSpecialize ("Hvs" with "Hi").
    iMod "AU" as (xs) "[Hm [_ Hcommit]]". iDestruct (erasable_model_agree with "Hγm Hm") as %<-.
    iMod ("Hcommit" with "Hm") as "HΦ". iModIntro.
    iSplitR "HΦ".
    { iExists ns, os, ls, h, nh, k, nk, D. by iFrame "∗#". }
    assert (pair i v ∈ erasable_alive 0 os ↔ o = Some v) as Helem.
    { rewrite erasable_alive_elem Nat.sub_0_r Ho. naive_solver lia. }
    destruct o as [w|]; simpl.
    - assert (w = v) as ->. { specialize (Hinit i n w Hi Ho). congruence. }
      by rewrite decide_True; last by apply Helem.
    - by rewrite decide_False; last by intros ?%Helem.
  Qed.

  (** A node that is known to be dead has no value. *)
  Local Lemma dead_facts γ os (D : gmap nat ()) (K : nat → Prop) :
    (∀ i, D !! i = Some tt → os !! i = Some None) →
    ghost_map_auth (erasable_name_dead γ) 1 D -∗ □ (∀ k, ⌜K k⌝ -∗ dead γ k) -∗
    ⌜∀ k, K k → os !! k = Some None⌝.
  Proof.
    iIntros (Hdead) "HD #HK". iIntros (k Hk).
    iDestruct (dead_lookup γ D k with "HD [HK]") as %Hi; first by iApply "HK".
    iPureIntro. by apply Hdead.
  Qed.

  (** The exchange on node [i], by a popper or an eraser.  [K] are the nodes that the
      caller knows to be dead.  [P] is the caller's result for the value found. *)
  Local Lemma erasable_take_spec γ (head tail : loc) i n (K : nat → Prop)
      (P : option val → iProp Σ) :
    inv N (erasable_inv_inner γ head tail) -∗ node γ i n -∗
    □ (∀ k, ⌜K k⌝ -∗ dead γ k) -∗
    (∀ os o, ⌜os !! i = Some o⌝ -∗ ⌜∀ v, o = Some v → node_init n = Some v⌝ -∗
       ⌜∀ k, K k → os !! k = Some None⌝ -∗
       ghost_var (erasable_name_model γ) (1/4) (erasable_alive 0 os) ={⊤ ∖ ↑N}=∗
       ghost_var (erasable_name_model γ) (1/4) (erasable_alive 0 (<[i := None]> os)) ∗ P o) -∗
    WP base_erasable_take #(node_loc n) {{ r, ∃ o, ⌜r = option_val o⌝ ∗ dead γ i ∗ P o }}.
  Proof.
    iIntros "#I #(Hn & Hn0 & Hn1) #HK HP". wp_rec. wp_na_load.
    iInv "I" as (ns os ls h nh k nk D) erasable_open.
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct (big_sepL2_length with "Hvs") as %Hlen.
    destruct (lookup_lt_is_Some_2 os i) as [o Ho].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_insert_acc with "Hvs") as "[Hi Hvs]"; [done..|].
    wp_xchg. iSpecialize ("Hvs" $! n None with "Hi"). rewrite (list_insert_id ns) //.
    iDestruct (dead_facts with "HD HK") as %HK; first done.
    iMod (dead_get _ _ i with "HD Hd") as (D' HD') "(HD & #Hd' & #Hdi)".
    iMod ("HP" with "[//] [%] [//] Hγm") as "[Hγm HP]"; first by (intros v ->; eauto).
    iModIntro. iSplitR "HP"; last by eauto with iFrame.
    iExists ns, _, ls, h, nh, k, nk, D'. iFrame "∗#". iPureIntro. repeat split; try done.
    - intros j n' v Hj [(? & [=] & _)|[_ Hv]]%list_lookup_insert_Some. by eapply Hinit.
    - intros j [Hj| ->]%HD'.
      + destruct (decide (i = j)) as [->|].
        { rewrite list_lookup_insert // -Hlen. by eapply lookup_lt_Some. }
        rewrite list_lookup_insert_ne //. by apply Hdead.
      + rewrite list_lookup_insert // -Hlen. by eapply lookup_lt_Some.
  Qed.

  Local Lemma erasable_value_read γ (head tail : loc) i n (K : nat → Prop)
      (P : option val → iProp Σ) :
    inv N (erasable_inv_inner γ head tail) -∗ node γ i n -∗
    □ (∀ k, ⌜K k⌝ -∗ dead γ k) -∗
    (∀ os o, ⌜os !! i = Some o⌝ -∗ ⌜∀ k, K k → os !! k = Some None⌝ -∗
       ghost_var (erasable_name_model γ) (1/4) (erasable_alive 0 os) ={⊤ ∖ ↑N}=∗
       ghost_var (erasable_name_model γ) (1/4) (erasable_alive 0 os) ∗ P o) -∗
    WP ! #(node_value n) {{ r, ∃ o, ⌜r = option_val o⌝ ∗
      match o with None => dead γ i | Some _ => True end ∗ P o }}.
  Proof.
    iIntros "#I #(Hn & Hn0 & Hn1) #HK HP".
    iInv "I" as (ns os ls h nh k nk D) erasable_open.
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct (big_sepL2_length with "Hvs") as %Hlen.
    destruct (lookup_lt_is_Some_2 os i) as [o Ho].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_lookup_acc with "Hvs") as "[Hi Hvs]"; [done..|].
    wp_load. iSpecialize ("Hvs" with "Hi").
    iDestruct (dead_facts with "HD HK") as %HK; first done.
    iMod ("HP" with "[//] [//] Hγm") as "[Hγm HP]". destruct o as [v|].
    { iModIntro. iSplitR "HP"; last by eauto with iFrame.
      iExists ns, os, ls, h, nh, k, nk, D. by iFrame "∗#". }
    iMod (dead_get _ _ i with "HD Hd") as (D' HD') "(HD & #Hd' & #Hdi)".
    iModIntro. iSplitR "HP"; last by eauto with iFrame.
    iExists ns, os, ls, h, nh, k, nk, D'. iFrame "∗#". iPureIntro. repeat split; try done.
    intros j [Hj| ->]%HD'; [by apply Hdead|done].
  Qed.

  (** [erase] returns [true] if the value was in the queue; afterwards the value is not in
      the queue. *)
  (** Claim: [erase], at one instant, takes the value of a node out, at any position;
      [erase] returns false if the value had been taken. So each value is taken once, by
      a popper or by an eraser. *)
  Lemma erasable_erase_spec γ t nd i v :
    erasable_inv γ t -∗ erasable_handle γ nd i v -∗
    <<{ ∀∀ xs, erasable_model γ xs }>>
      base_erasable_erase nd @ ↑N
    <<{ erasable_model γ (erasable_erase i xs) ∗ ⌜∀ w, pair i w ∈ xs → w = v⌝
      | RET #(bool_decide (pair i v ∈ xs)) }>>.
  Proof.
    iIntros "(%head & %tail & -> & #I) (%n & -> & %Hv & #Hn)" (Φ) "AU". wp_rec.
    wp_bind (base_erasable_take _). iApply (wp_wand with "[AU]").
    { iApply (erasable_take_spec _ _ _ _ _ (λ _, False)
        (λ o, Φ #(if o is Some _ then true else false)) with "I Hn [] [AU]").
      { iIntros "!>" (k []). }
      iIntros (os o Ho Hinit _) "Hγm". iMod "AU" as (xs) "[Hm [_ Hcommit]]".
      iDestruct (erasable_model_agree with "Hγm Hm") as %<-.
      iMod (erasable_model_update (erasable_alive 0 (<[i:=None]> os)) with "Hγm Hm") as "[$ Hm]".
      rewrite erasable_alive_erase. iMod ("Hcommit" with "[$Hm]") as "HΦ".
      { iPureIntro. intros w [_ Hw]%erasable_alive_elem. rewrite Nat.sub_0_r Ho in Hw.
        injection Hw as ->. specialize (Hinit w eq_refl). congruence. }
      iModIntro.
      destruct o as [w|].
      - rewrite bool_decide_eq_true_2; first done.
        apply erasable_alive_elem. rewrite Nat.sub_0_r Ho.
        split; [lia|]. specialize (Hinit w eq_refl). congruence.
      - rewrite bool_decide_eq_false_2; first done.
        rewrite erasable_alive_elem Nat.sub_0_r Ho. by intros [_ ?]. }
    iIntros (r) "(%o & -> & _ & HΦ)". destruct o as [w|]; by wp_pures.
  Qed.

  (** ** The ends of the queue *)

  (** A read of the link of a node that has been the head.  If the link is [Nil], the queue
      is empty at this moment, and [Q] becomes [P]. *)
  Local Lemma erasable_head_link_read γ (head tail : loc) i n (Q P : iProp Σ) :
    inv N (erasable_inv_inner γ head tail) -∗ node γ i n -∗ dead_upto γ i -∗ Q -∗
    (Q -∗ ghost_var (erasable_name_model γ) (1/4) [] ={⊤ ∖ ↑N}=∗
       ghost_var (erasable_name_model γ) (1/4) [] ∗ P) -∗
    WP ! #(node_next n) {{ r, ∃ l, ⌜r = link_val l⌝ ∗ link_known γ i l ∗
      match l with LNil => P | _ => Q end }}.
  Proof.
    iIntros "#I #[Hn _] #Hdi HQ HP". iInv "I" as (ns os ls h nh k nk D) erasable_open.
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct (big_sepL2_length with "Hls") as %Hlen.
    iDestruct (big_sepL2_length with "Hvs") as %Hlen'.
    destruct (lookup_lt_is_Some_2 ls i) as [li Hli].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_lookup_acc with "Hls") as "[Hi Hls]"; [done..|].
    wp_load. iSpecialize ("Hls" with "Hi").
    iDestruct (big_sepL_lookup with "Hlk") as "#Hli"; first exact Hli.
    destruct li as [| |b j].
    - iDestruct (dead_facts _ _ _ (λ k, k ≤ i) with "HD Hdi") as %HK; first done.
      assert (erasable_alive 0 os = []) as Hempty.
      { apply erasable_alive_none. intros m Hm. apply HK. specialize (Hok i _ Hli).
        simpl in Hok. lia. }
      rewrite Hempty. iMod ("HP" with "HQ Hγm") as "[Hγm HP]".
      iModIntro. iSplitR "HP"; last (iExists LNil; by iFrame).
      iExists ns, os, ls, h, nh, k, nk, D. rewrite Hempty. by iFrame "∗#".
    - iModIntro. iSplitR "HQ"; last (iExists LGone; by iFrame).
      iExists ns, os, ls, h, nh, k, nk, D. by iFrame "∗#".
    - iModIntro. iSplitR "HQ"; last (iExists (LLink b j); by iFrame "Hli HQ").
      iExists ns, os, ls, h, nh, k, nk, D. by iFrame "∗#".
  Qed.

  Local Lemma erasable_link_cut γ (head tail : loc) i j n :
    i < j →
    inv N (erasable_inv_inner γ head tail) -∗ node γ i n -∗
    mono_nat_lb_own (erasable_name_head γ) j -∗
    WP #(node_next n) <- InjLV #1 {{ r, ⌜r = #()⌝ }}.
  Proof.
    iIntros (Hij) "#I #[Hn _] #Hlb". iInv "I" as (ns os ls h nh k nk D) erasable_open.
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct (mono_nat_lb_own_valid with "Hγh Hlb") as %[_ Hle].
    iDestruct (big_sepL2_length with "Hls") as %Hlen.
    destruct (lookup_lt_is_Some_2 ls i) as [li Hli].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_insert_acc with "Hls") as "[Hi Hls]"; [done..|].
    wp_store. iSpecialize ("Hls" $! n LGone with "Hi"). rewrite (list_insert_id ns) //.
    iModIntro. iSplitL; last done.
    iExists ns, os, (<[i := LGone]> ls), h, nh, k, nk, D.
    iFrame "Hhead Hγh Hdh Htail Hγn Hns Hvs Hls HD Hd Hγm".
    do 4 (iSplit; first done). iSplit.
    { iModIntro. by iApply (links_known_insert γ ls i LGone with "Hlk []"). }
    iPureIntro. split; last done.
    intros m l [(<- & <- & _)|[_ Hm]]%list_lookup_insert_Some; last by apply Hok.
    simpl. lia.
  Qed.

  (** [head] moves from node [i] to node [j].  Node [j] and all nodes before are dead. *)
  Local Lemma erasable_advance_spec γ (head tail : loc) i n j n' :
    i < j →
    inv N (erasable_inv_inner γ head tail) -∗
    node γ i n -∗ dead_upto γ i -∗ node γ j n' -∗ dead_between γ i j -∗ dead γ j -∗
    WP base_erasable_advance (#head, #tail)%V #(node_loc n) #(node_loc n') {{ r, ⌜r = #()⌝ }}.
  Proof.
    iIntros (Hij) "#I #Hn #Hdi #Hn' #Hbetween #Hdj". wp_rec. wp_pures. wp_bind (CmpXchg _ _ _).
    iInv "I" as (ns os ls h nh k nk D) erasable_open.
    destruct (decide (node_loc nh = node_loc n)) as [Heq|Hne]; last first.
    { wp_cmpxchg_fail. iModIntro. iSplitL "Hhead Hγh Htail Hγn Hvs Hls HD Hγm".
      { iExists ns, os, ls, h, nh, k, nk, D. by iFrame "∗#". }
      by wp_pures. }
    rewrite Heq. wp_cmpxchg_suc.
    iPoseProof "Hn" as "(Hn0 & _)". iDestruct (history_lookup with "Hγn Hn0") as %Hi.
    iPoseProof "Hn'" as "(Hn0' & _)". iDestruct (history_lookup with "Hγn Hn0'") as %Hj.
    assert (h = i) as ->.
    { eapply NoDup_lookup; first done; rewrite list_lookup_fmap.
      - by rewrite Hh /= Heq.
      - by rewrite Hi. }
    iMod (mono_nat_own_update j with "Hγh") as "[Hγh #Hlb]"; first lia.
    iModIntro. iSplitL "Hhead Hγh Htail Hγn Hvs Hls HD Hγm".
    { iNext. iExists ns, os, ls, j, n', k, nk, D.
      iFrame "Hhead Hγh Htail Hγn Hns Hvs Hls HD Hd Hγm Hlk".
      iSplit; first done. iSplitR.
      { iModIntro. iIntros (m Hm). destruct (decide (m ≤ i)); first by iApply "Hdi".
        destruct (decide (m = j)) as [->|]; first done.
        iApply "Hbetween"; iPureIntro; lia. }
      iPureIntro. repeat split; try done.
      intros m l Hm. specialize (Hok m l Hm). destruct l; simpl in *; try done. lia. }
    wp_pures. iPoseProof "Hn" as "(_ & _ & Hn1)". wp_load.
    by iApply (erasable_link_cut with "I Hn Hlb").
  Qed.

  (** Claim: [pop], at one instant, takes the first value; [pop] returns no value only if
      the queue is empty at that instant. *)
  Lemma erasable_pop_spec γ t :
    erasable_inv γ t -∗
    <<{ ∀∀ xs, erasable_model γ xs }>>
      base_erasable_pop t @ ↑N
    <<{ erasable_model γ (tail xs)
      | RET match xs with [] => NONEV | x :: _ => SOMEV x.2 end }>>.
  Proof.
    iIntros "(%hd & %tl & -> & #I)" (Φ) "AU". iLöb as "IH". wp_rec. wp_pures.
    wp_bind (! _)%E. iApply wp_wand; first by iApply erasable_head_read.
    iIntros (r) "(%i & %n & -> & #Hn & #Hdi)". wp_pures.
    iPoseProof "Hn" as "(_ & _ & Hn1)". wp_load. wp_bind (! _)%E.
    iApply (wp_wand with "[AU]").
    { iApply (erasable_head_link_read _ _ _ _ _ _ (Φ NONEV) with "I Hn Hdi AU").
      iIntros "AU Hγm". iMod "AU" as (xs) "[Hm [_ Hcommit]]".
      iDestruct (erasable_model_agree with "Hγm Hm") as %<-.
      iMod ("Hcommit" with "Hm") as "$". by iFrame. }
    iIntros (r) "(%l & -> & #Hl & H)". destruct l as [| |b j]; simpl; wp_pures.
    { iExact "H". }
    { by iApply "IH". }
    iDestruct "Hl" as (n') "(%Hij & #Hn' & #Hbetween & #Hb)". wp_na_load. wp_pures.
    wp_bind (base_erasable_take _). iApply (wp_wand with "[H]").
    { iApply (erasable_take_spec _ _ _ j n' (λ k, k < j) (λ o,
        match o with
        | Some v => Φ (SOMEV v)
        | None => AU <{ ∃∃ xs, erasable_model γ xs }> @ ⊤ ∖ ↑N, ∅
            <{ erasable_model γ (tail xs),
               COMM Φ match xs with [] => NONEV | x :: _ => SOMEV x.2 end }>
        end)%I with "I Hn' [] [H]").
      { iIntros "!>" (k Hk). destruct (decide (k ≤ i)); first by iApply "Hdi".
        iApply "Hbetween"; iPureIntro; lia. }
      iIntros (os o Ho _ HK) "Hγm". destruct o as [v|]; last first.
      { rewrite list_insert_id //. by iFrame. }
      pose proof (erasable_alive_first 0 os j v Ho HK) as Halive.
      iMod "H" as (xs) "[Hm [_ Hcommit]]".
      iDestruct (erasable_model_agree with "Hγm Hm") as %<-.
      iMod (erasable_model_update (erasable_alive 0 (<[j:=None]> os)) with "Hγm Hm") as "[$ Hm]".
      rewrite Halive /=. by iMod ("Hcommit" with "Hm") as "$". }
    iIntros (r) "(%o & -> & #Hdj & H)". wp_pures. wp_bind (base_erasable_advance _ _ _).
    iApply wp_wand.
    { by iApply (erasable_advance_spec _ _ _ _ _ _ _ Hij with "I Hn Hdi Hn' Hbetween Hdj"). }
    iIntros (r) "->". destruct o as [v|]; simpl; wp_pures; first by iExact "H".
    by iApply "IH".
  Qed.

  (** [R] becomes the postcondition at the instant at which the answer is true. *)
  Local Lemma erasable_is_empty_instant γ t (R : iProp Σ) (Φ : val → iProp Σ) :
    erasable_inv γ t -∗ R -∗
    □ (∀ xs, R -∗ ghost_var (erasable_name_model γ) (1/4) xs ={⊤ ∖ ↑N}=∗
         ghost_var (erasable_name_model γ) (1/4) xs ∗
         Φ #(match xs with [] => true | _ :: _ => false end)) -∗
    WP base_erasable_is_empty t {{ Φ }}.
  Proof.
    iIntros "(%hd & %tl & -> & #I) HR #HP". iLöb as "IH". wp_rec. wp_pures.
    wp_bind (! _)%E. iApply wp_wand; first by iApply erasable_head_read.
    iIntros (r) "(%i & %n & -> & #Hn & #Hdi)". wp_pures.
    iPoseProof "Hn" as "(_ & _ & Hn1)". wp_load. wp_bind (! _)%E.
    iApply (wp_wand with "[HR]").
    { iApply (erasable_head_link_read _ _ _ _ _ _ (Φ #true) with "I Hn Hdi HR").
      iIntros "HR Hγm". by iMod ("HP" with "HR Hγm") as "[$ $]". }
    iIntros (r) "(%l & -> & #Hl & H)". destruct l as [| |b j]; simpl; wp_pures.
    { iExact "H". }
    { by iApply "IH". }
    iDestruct "Hl" as (n') "(%Hij & #Hn' & #Hbetween & #Hb)". wp_na_load. wp_pures.
    iPoseProof "Hn'" as "(_ & Hn0' & _)". wp_na_load.
    wp_bind (! _)%E. iApply (wp_wand with "[H]").
    { iApply (erasable_value_read _ _ _ j n' (λ k, k < j) (λ o,
        match o with
        | Some v => Φ #false
        | None => R
        end)%I with "I Hn' [] [H]").
      { iIntros "!>" (k Hk). destruct (decide (k ≤ i)); first by iApply "Hdi".
        iApply "Hbetween"; iPureIntro; lia. }
      iIntros (os o Ho HK) "Hγm". destruct o as [v|]; last by iFrame.
      pose proof (erasable_alive_first 0 os j v Ho HK) as Halive.
      iMod ("HP" with "H Hγm") as "[Hγm HΦ]". iFrame "Hγm". by rewrite Halive. }
    iIntros (r) "(%o & -> & #Hdj & H)". destruct o as [v|]; simpl; wp_pures; first by iExact "H".
    wp_bind (base_erasable_advance _ _ _). iApply wp_wand.
    { by iApply (erasable_advance_spec _ _ _ _ _ _ _ Hij with "I Hn Hdi Hn' Hbetween Hdj"). }
    iIntros (r) "->". wp_pures. by iApply "IH".
  Qed.
  (** Claim: [is_empty] says whether the queue is empty at one instant. *)
  Lemma erasable_is_empty_spec γ t :
    erasable_inv γ t -∗
    <<{ ∀∀ xs, erasable_model γ xs }>>
      base_erasable_is_empty t @ ↑N
    <<{ erasable_model γ xs | RET #(match xs with [] => true | _ :: _ => false end) }>>.
  Proof.
    iIntros "#I" (Φ) "AU". iApply (erasable_is_empty_instant with "I AU").
    iIntros "!>" (xs') "AU Hγm". iMod "AU" as (xs) "[Hm [_ Hcommit]]".
    iDestruct (erasable_model_agree with "Hγm Hm") as %->.
    iMod ("Hcommit" with "Hm") as "$". by iFrame.
  Qed.
  (** For a caller that does not own the model. *)
  Lemma erasable_is_empty_safe_spec γ t :
    erasable_inv γ t -∗ WP base_erasable_is_empty t {{ r, ∃ b : bool, ⌜r = #b⌝ }}.
  Proof.
    iIntros "#I". iApply (erasable_is_empty_instant _ _ True%I with "I [//]").
    iIntros "!>" (xs) "_ $ !>". by destruct xs; eauto.
  Qed.

  (** ** Sweeping *)

  Local Lemma erasable_skip_dead_spec γ (head tail : loc) i n :
    inv N (erasable_inv_inner γ head tail) -∗ node γ i n -∗
    WP base_erasable_skip_dead #(node_loc n) {{ r, ∃ j n', ⌜r = #(node_loc n')⌝ ∗ ⌜i ≤ j⌝ ∗
      node γ j n' ∗ □ ∀ k, ⌜i ≤ k⌝ -∗ ⌜k < j⌝ -∗ dead γ k }}.
  Proof.
    iIntros "#I #Hn". iLöb as "IH" forall (i n) "Hn". wp_rec.
    iPoseProof "Hn" as "(_ & Hn0 & Hn1)". wp_na_load. wp_bind (! _)%E.
    iApply wp_wand.
    { iApply (erasable_value_read _ _ _ _ _ (λ _, False) (λ _, True)%I with "I Hn []").
      { iIntros "!>" (k []). }
      iIntros (os o _ _) "$". done. }
    iAssert (∃ j n', ⌜#(node_loc n) = #(node_loc n')⌝ ∗ ⌜i ≤ j⌝ ∗
      node γ j n' ∗ □ ∀ k, ⌜i ≤ k⌝ -∗ ⌜k < j⌝ -∗ dead γ k)%I as "#Hself".
    { iExists i, n. do 2 (iSplit; first done). iFrame "Hn". iIntros "!>" (k ??). lia. }
    iIntros (r) "(%o & -> & #Hdi & _)". destruct o as [v|]; simpl; wp_pures.
    { by iExact "Hself". }
    wp_load. wp_bind (! _)%E. iApply wp_wand; first by iApply (erasable_link_read with "I Hn").
    iIntros (r) "(%l & -> & #Hl)". destruct l as [| |b j]; simpl; wp_pures;
      [by iExact "Hself"..|].
    iDestruct "Hl" as (n') "(%Hij & #Hn' & #Hbetween & #Hb)". wp_na_load.
    iApply wp_wand; first by iApply ("IH" with "Hn'").
    iIntros (r) "(%m & %nm & -> & %Hjm & #Hnm & #Hdm)". iExists m, nm.
    iSplit; first done. iSplit; first (iPureIntro; lia). iFrame "Hnm".
    iIntros "!>" (k Hik Hkm). destruct (decide (k = i)) as [->|]; first done.
    destruct (decide (k < j)).
    - iApply "Hbetween"; iPureIntro; lia.
    - iApply "Hdm"; iPureIntro; lia.
  Qed.

  Local Lemma erasable_link_replace γ (head tail : loc) i n (b b' : loc) m :
    inv N (erasable_inv_inner γ head tail) -∗ node γ i n -∗
    link_known γ i (LLink b' m) -∗
    WP CmpXchg #(node_next n) (InjRV #b) (InjRV #b') {{ r, ∃ w (c : bool), ⌜r = (w, #c)%V⌝ }}.
  Proof.
    iIntros "#I #[Hn _] #Hknown". iInv "I" as (ns os ls h nh k nk D) erasable_open.
    iDestruct (history_lookup with "Hγn Hn") as %Hi.
    iDestruct (big_sepL2_length with "Hls") as %Hlen.
    iAssert ⌜m < length ns⌝%I as %Hm.
    { iDestruct "Hknown" as (nm) "(_ & (Hm & _) & _)".
      iDestruct (history_lookup with "Hγn Hm") as %Hm. iPureIntro. by eapply lookup_lt_Some. }
    destruct (lookup_lt_is_Some_2 ls i) as [li Hli].
    { rewrite -Hlen. by eapply lookup_lt_Some. }
    iDestruct (big_sepL2_insert_acc with "Hls") as "[Hi Hls]"; [done..|].
    destruct (decide (link_val li = InjRV #b)) as [Heq|Hne]; last first.
    { wp_cmpxchg_fail. iSpecialize ("Hls" $! n li with "Hi"). rewrite !list_insert_id //.
      iModIntro. iSplitL; last by eauto.
      iExists ns, os, ls, h, nh, k, nk, D. by iFrame "∗#". }
    rewrite Heq. wp_cmpxchg_suc.
    iSpecialize ("Hls" $! n (LLink b' m) with "Hi"). rewrite (list_insert_id ns) //.
    iModIntro. iSplitL; last by eauto.
    iExists ns, os, (<[i := LLink b' m]> ls), h, nh, k, nk, D.
    iFrame "Hhead Hγh Hdh Htail Hγn Hns Hvs Hls HD Hd Hγm".
    do 4 (iSplit; first done). iSplit.
    { iModIntro. by iApply (links_known_insert with "Hlk Hknown"). }
    iPureIntro. split; last done.
    intros j l [(<- & <- & _)|[_ Hj]]%list_lookup_insert_Some; [done|by apply Hok].
  Qed.

  Local Lemma erasable_sweep_from_spec γ (head tail : loc) i n (count : nat) :
    inv N (erasable_inv_inner γ head tail) -∗ node γ i n -∗
    WP base_erasable_sweep_from #(node_loc n) #count {{ r, ∃ c : nat, ⌜r = #c⌝ }}.
  Proof.
    iIntros "#I #Hn". iLöb as "IH" forall (i n count) "Hn". wp_rec. wp_pures.
    iPoseProof "Hn" as "(_ & _ & Hn1)". wp_load. wp_bind (! _)%E.
    iApply wp_wand; first by iApply (erasable_link_read with "I Hn").
    iIntros (r) "(%l & -> & #Hl)". destruct l as [| |b j]; simpl; wp_pures; [by eauto..|].
    iDestruct "Hl" as (n') "(%Hij & #Hn' & #Hbetween & #Hb)". wp_na_load. wp_pures.
    wp_bind (base_erasable_skip_dead _).
    iApply wp_wand; first by iApply (erasable_skip_dead_spec with "I Hn'").
    iIntros (r) "(%m & %nm & -> & %Hjm & #Hnm & #Hdm)". wp_pures.
    wp_bind (if: _ then _ else _)%E. iApply (wp_wand _ _ _ (λ _, True)%I).
    { case_bool_decide; wp_pures; first done.
      wp_apply block1_spec; first done. iIntros (b') "[Hb' _]".
      iMod (na_pointsto_persist with "Hb'") as "#Hb'". wp_pures. wp_load.
      wp_bind (CmpXchg _ _ _).
      iApply wp_wand; first (iApply (erasable_link_replace _ _ _ _ _ _ b' m with "I Hn")).
      { simpl. iExists nm. iFrame "#". iSplit; first (iPureIntro; lia).
        iIntros "!>" (k Hik Hkm). destruct (decide (k < j)).
        - iApply "Hbetween"; iPureIntro; lia.
        - iApply "Hdm"; iPureIntro; lia. }
      iIntros (r) "(%w & %c & ->)". by wp_pures. }
    iIntros (r) "_". wp_pures. replace (count + 1)%Z with (Z.of_nat (S count)) by lia.
    by iApply "IH".
  Qed.

  (** [sweep] returns the number of nodes that the sweep has met; the proof does not cover
      the number. *)
  (** Claim: [sweep] changes no state that a caller can see; the claim does not cover the
      number that [sweep] returns. *)
  Lemma erasable_sweep_spec γ t :
    {{{ erasable_inv γ t }}} base_erasable_sweep t {{{ (c : nat), RET #c; True }}}.
  Proof.
    iIntros (Φ) "(%hd & %tl & -> & #I) HΦ". wp_rec. wp_pures.
    wp_bind (! _)%E. iApply wp_wand; first by iApply erasable_head_read.
    iIntros (r) "(%i & %n & -> & #Hn & _)". wp_pures.
    iApply wp_wand; first by iApply (erasable_sweep_from_spec _ _ _ _ _ 0 with "I Hn").
    iIntros (r) "(%c & ->)". by iApply "HΦ".
  Qed.

  (** ** A node that is in no queue *)

  Definition erasable_nowhere (nd : val) : iProp Σ :=
    ∃ l vl : loc, ⌜nd = #l⌝ ∗ (l +ₗ 0) ↦na□ #vl ∗ inv N (vl ↦ NONEV).
  Global Instance erasable_nowhere_persistent nd : Persistent (erasable_nowhere nd).
  Proof. apply _. Qed.

  (** Claim: [no_node] returns a node that is in no queue. *)
  Lemma erasable_no_node_spec :
    {{{ True }}} base_erasable_no_node #() {{{ nd, RET nd; erasable_nowhere nd }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. iApply wp_fupd. wp_apply make_node_spec; first done.
    iIntros (l vl nx) "(Hl & _ & Hvl & _)". iMod (na_pointsto_persist with "Hl") as "#Hl".
    iMod (inv_alloc N _ (vl ↦ NONEV) with "Hvl") as "#I". iModIntro.
    iApply "HΦ". iExists l, vl. by iFrame "#".
  Qed.
  Lemma erasable_nowhere_peek_spec nd :
    {{{ erasable_nowhere nd }}} base_erasable_peek nd {{{ RET NONEV; True }}}.
  Proof.
    iIntros (Φ) "(%l & %vl & -> & #Hl & #I) HΦ". wp_rec. wp_na_load.
    iInv "I" as "Hvl". wp_load. iModIntro. iFrame "Hvl". by iApply "HΦ".
  Qed.
  Lemma erasable_nowhere_erase_spec nd :
    {{{ erasable_nowhere nd }}} base_erasable_erase nd {{{ RET #false; True }}}.
  Proof.
    iIntros (Φ) "(%l & %vl & -> & #Hl & #I) HΦ". wp_rec. wp_rec. wp_na_load.
    wp_bind (Xchg _ _). iInv "I" as "Hvl". wp_xchg. iModIntro. iFrame "Hvl".
    wp_pures. by iApply "HΦ".
  Qed.
End erasable.
