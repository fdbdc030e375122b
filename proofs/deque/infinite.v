(** * The deque over an infinite array

    The deque of Chase and Lev without circular arrays: proofs/clients/infinite.ml,
    kept for this proof.  The argument is the one of [chase_lev.v]; this file adds the
    simplest possible slots, and the code.

    {b Cells.}  The content of the infinite array is a function [g] from indices to
    values.  The values are in a finite array behind a mutex; the array grows when
    needed, and all cells beyond the array hold the default value.  The mutex owns
    half of the knowledge of [g].  So reads and writes take effect while the thread
    holds the mutex.

    {b Slots.}  The other half of the knowledge is split: the deque's invariant owns
    a quarter, the owner owns a quarter.  A write needs both quarters.  The invariant
    says that the cells from [front] on hold the items, so a registered thief reads
    the item that the thief is going to take.  The owner writes only the cell after
    the last item.  No cell is ever cleared.

    {b Owner.}  [infinite_owner γ ws]: the list [ws] is an upper bound of the content.
    The content is a suffix of [ws]: thieves may have taken the first items.

    Source: "A Verified Parallel Scheduler for OCaml 5", section 3, where the bounded
    and the dynamic deque are derived from this deque. *)
From stdpp Require Import functions.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude prophets mutex.
From dromos.clients Require Import infinite_code.
From dromos.deque Require Import chase_lev sizes.

Class infiniteG Σ := InfiniteG {
  #[local] infinite_chase_levG :: chase_levG unit Σ;
  #[local] infinite_mutexG :: mutexG Σ;
  #[local] infinite_cellsG :: ghost_varG Σ (nat → val);
}.
Definition infiniteΣ : gFunctors := #[chase_levΣ unit; mutexΣ; ghost_varΣ (nat → val)].
Global Instance subG_infiniteΣ Σ : subG infiniteΣ Σ → infiniteG Σ.
Proof. solve_inG. Qed.

Record infinite_names := InfiniteNames {
  infinite_chase_lev : chase_lev_names;
  infinite_cells : gname;
}.

Section infinite.
  Context `{!heapGS Σ, !infiniteG Σ} (N : namespace).
  Implicit Types (γ : infinite_names) (γc : gname) (g : nat → val) (f i : nat).
  Implicit Types (L vs ws : list val) (t v dummy : val) (o : option unit).
  Local Notation cl := infinite_chase_lev.

  (** ** Cells *)

  (** A share of the knowledge of the cells: the mutex owns half, and all other shares
      together are the other half. *)
  Local Definition cells γc (q : Qp) g : iProp Σ := ghost_var γc q g.
  Local Definition cells_protected γc (l : loc) dummy : iProp Σ :=
    ∃ (a : loc) vs g, (l +ₗ 1) ↦na #a ∗ is_array a (DfracOwn 1) vs ∗ cells γc (1/2) g ∗
      ⌜∀ i, g i = default dummy (vs !! i)⌝.
  Local Definition cells_inv γc (l : loc) : iProp Σ :=
    ∃ m dummy, (l +ₗ 0) ↦□ m ∗ (l +ₗ 2) ↦□ dummy ∗ mutex_inv m (cells_protected γc l dummy).

  Local Lemma make_cells_spec dummy :
    {{{ True }}} clients_infinite_make_cells dummy
    {{{ γc (l : loc), RET #l; cells_inv γc l ∗ cells γc (1/2) (λ _, dummy) }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_apply mutex_create_spec; first done. iIntros (m) "Hm".
    wp_pures. wp_apply array_make_spec; [done..|]. iIntros (a) "[Ha _]". wp_pures.
    iApply wp_fupd. wp_apply block3_spec; first done. iIntros (l) "(H0 & H1 & H2 & _)".
    iMod (pointsto_persist with "H0") as "#H0". iMod (pointsto_persist with "H2") as "#H2".
    iMod (ghost_var_alloc (λ _ : nat, dummy)) as (γc) "[Hc1 Hc2]".
    iMod (mutex_inv_alloc _ (cells_protected γc l dummy) with "Hm [H1 Ha Hc1]") as "#Hm".
    { iNext. iExists a, [], _. by iFrame "H1 Ha Hc1". }
    iModIntro. iApply "HΦ". iFrame "Hc2". iExists m, dummy. by iFrame "#".
  Qed.

  Local Lemma item_spec (a : loc) vs dummy i :
    {{{ is_array a (DfracOwn 1) vs }}}
      clients_infinite_item #a dummy #i
    {{{ RET (default dummy (vs !! i)); is_array a (DfracOwn 1) vs }}}.
  Proof.
    iIntros (Φ) "Ha HΦ". wp_rec. wp_pures. iDestruct (is_array_len with "Ha") as "#Hlen".
    wp_apply (array_length_spec with "Hlen"). iIntros "_". wp_pures.
    case_bool_decide as Hi; wp_pures.
    - destruct (lookup_lt_is_Some_2 vs i) as [v Hv]; first lia. rewrite Hv /=.
      wp_apply (array_get_spec with "Ha"); [lia|by rewrite Nat2Z.id|done].
    - rewrite lookup_ge_None_2; last lia. by iApply "HΦ".
  Qed.

  (** A read takes effect at the instant at which the caller's update runs. *)
  Local Lemma get_spec γc (l : loc) i (Φ : val → iProp Σ) :
    cells_inv γc l -∗
    (|={⊤, ⊤ ∖ ↑N}=> ∃ q g, cells γc q g ∗ (cells γc q g ={⊤ ∖ ↑N, ⊤}=∗ Φ (g i))) -∗
    WP clients_infinite_get #l #i {{ Φ }}.
  Proof.
    iIntros "(%m & %dummy & #H0 & #H2 & #Hm) HΦ". wp_rec. wp_pures. wp_load.
    wp_apply (mutex_lock_spec with "Hm"). iIntros "[Hlocked (%a & %vs & %g & H1 & Ha & Hc & %Hg)]".
    wp_pures. wp_load. wp_na_load. wp_apply (item_spec with "Ha"). iIntros "Ha".
    iApply fupd_wp. iMod "HΦ" as (q g') "[Hc' HΦ]". iDestruct (ghost_var_agree with "Hc Hc'") as %<-.
    iMod ("HΦ" with "Hc'") as "HΦ". iModIntro. wp_pures. wp_load.
    wp_apply (mutex_unlock_spec with "[$Hm $Hlocked H1 Ha Hc]").
    { iExists a, vs, g. by iFrame. }
    iIntros "_". wp_pures. by rewrite Hg.
  Qed.
  Local Lemma set_spec γc (l : loc) i v (Φ : val → iProp Σ) :
    cells_inv γc l -∗
    (|={⊤, ⊤ ∖ ↑N}=> ∃ g, cells γc (1/2) g ∗
       (cells γc (1/2) (<[i := v]> g) ={⊤ ∖ ↑N, ⊤}=∗ Φ #())) -∗
    WP clients_infinite_set #l #i v {{ Φ }}.
  Proof.
    iIntros "(%m & %dummy & #H0 & #H2 & #Hm) HΦ". wp_rec. wp_pures. wp_load.
    wp_apply (mutex_lock_spec with "Hm"). iIntros "[Hlocked (%a & %vs & %g & H1 & Ha & Hc & %Hg)]".
    wp_pures. wp_na_load. wp_pures.
    wp_bind (if: _ then _ else _)%E.
    iApply (wp_wand _ _ _ (λ _, ∃ (a : loc) vs, (l +ₗ 1) ↦na #a ∗ is_array a (DfracOwn 1) vs ∗
      ⌜∀ j, <[i := v]> g j = default dummy (vs !! j)⌝)%I with "[H1 Ha]").
    { iDestruct (is_array_len with "Ha") as "#Hlen".
      wp_apply (array_length_spec with "Hlen"). iIntros "_". wp_pures.
      case_bool_decide as Hi; wp_pures.
      - wp_apply (array_set_spec with "Ha"); first lia. iIntros "Ha".
        iExists a, _. iFrame "H1 Ha". rewrite Nat2Z.id. iPureIntro. intros j.
        destruct (decide (j = i)) as [->|Hne].
        + rewrite fn_lookup_insert list_lookup_insert //. lia.
        + by rewrite fn_lookup_insert_ne // list_lookup_insert_ne.
      - wp_apply (array_init_spec (λ k ws, is_array a (DfracOwn 1) vs ∗
          ⌜ws = (λ j, default dummy (vs !! j)) <$> seq 0 k⌝)%I with "[$Ha]"); first lia.
        { iSplit; first done. iIntros "!>" (k ws _ _) "[Ha ->]". wp_pures. wp_load.
          wp_apply (item_spec with "Ha"). iIntros "$". iPureIntro.
          by rewrite seq_S fmap_app. }
        iIntros (b ws) "(%Hws & Hb & _ & _ & ->)". wp_pures.
        wp_apply (array_set_spec with "Hb"); first lia. iIntros "Hb". wp_pures. wp_na_store.
        iModIntro. iExists b, _. iFrame "H1 Hb". rewrite Nat2Z.id. iPureIntro. intros j.
        rewrite length_fmap length_seq in Hws.
        destruct (decide (j = i)) as [->|Hne].
        + rewrite fn_lookup_insert list_lookup_insert //.
          rewrite length_fmap length_seq. lia.
        + rewrite fn_lookup_insert_ne // list_lookup_insert_ne // list_lookup_fmap Hg.
          destruct (decide (j < Z.to_nat (2 * i + 1))).
          * by rewrite lookup_seq_lt.
          * rewrite lookup_seq_ge /=; last lia. rewrite lookup_ge_None_2 //. lia. }
    iIntros (r) "(%a' & %vs' & H1 & Ha & %Hg')".
    iApply fupd_wp. iMod "HΦ" as (g') "[Hc' HΦ]". iDestruct (ghost_var_agree with "Hc Hc'") as %<-.
    iMod (ghost_var_update_halves (<[i := v]> g) with "Hc Hc'") as "[Hc Hc']".
    iMod ("HΦ" with "Hc'") as "HΦ". iModIntro. wp_pures. wp_load.
    wp_apply (mutex_unlock_spec with "[$Hm $Hlocked H1 Ha Hc]"); last by iIntros "_".
    iExists a', vs', _. by iFrame.
  Qed.

  (** ** Slots *)

  Local Definition holds f L g : Prop := ∀ i v, f ≤ i → L !! i = Some v → g i = v.
  Definition infinite_slots γc f L o : iProp Σ :=
    ∃ g, ⌜holds f L g⌝ ∗ cells γc (1/4) g.

  Global Instance infinite_chase_lev_slots γc : chase_lev_slots (infinite_slots γc) ().
  Proof.
    split.
    - apply _.
    - done.
    - iIntros (f L o ?) "(%g & %Hholds & $)". iPureIntro. intros i v ?. apply Hholds. lia.
    - iIntros (f L v o ?) "(%g & %Hholds & $)". iPureIntro. intros i w ? Hi.
      apply Hholds; first done. by apply lookup_app_l_Some.
    - iIntros (L v) "(%g & %Hholds & $)". iPureIntro. intros i w ? Hi%lookup_lt_Some.
      rewrite length_app /= in Hi. lia.
  Qed.

  Definition infinite_inv γ t : iProp Σ :=
    ∃ l : loc,
      ⌜t = (#γ.(cl).(chase_lev_front), #γ.(cl).(chase_lev_back), #l,
            #γ.(cl).(chase_lev_proph))%V⌝ ∗
      cells_inv γ.(infinite_cells) l ∗
      chase_lev_inv N (infinite_slots γ.(infinite_cells)) γ.(cl).
  Definition infinite_model γ vs : iProp Σ := chase_lev_model γ.(cl) vs.
  Definition infinite_owner γ ws : iProp Σ :=
    ∃ L f g,
      ⌜drop f L `suffix_of` ws ∧ f ≤ length L ∧ holds f L g⌝ ∗
      chase_lev_owner γ.(cl) L Stable ∗ chase_lev_front_lb γ.(cl) f ∗
      cells γ.(infinite_cells) (1/4) g.

  Global Instance infinite_inv_persistent γ t : Persistent (infinite_inv γ t).
  Proof. apply _. Qed.
  Global Instance infinite_model_timeless γ vs : Timeless (infinite_model γ vs).
  Proof. apply _. Qed.
  Global Instance infinite_owner_timeless γ ws : Timeless (infinite_owner γ ws).
  Proof. apply _. Qed.

  Lemma infinite_model_exclusive γ vs1 vs2 :
    infinite_model γ vs1 -∗ infinite_model γ vs2 -∗ ⌜vs1 = vs2⌝.
  Proof. apply chase_lev_model_agree. Qed.
  (** Claim: The content of the deque is a suffix of the list that the owner
      knows. *)
  Lemma infinite_owner_model γ t ws vs E :
    ↑N ⊆ E → infinite_inv γ t -∗ infinite_owner γ ws -∗ infinite_model γ vs ={E}=∗
    infinite_owner γ ws ∗ infinite_model γ vs ∗ ⌜vs `suffix_of` ws⌝.
  Proof.
    iIntros (?) "(%l & _ & _ & #I) (%L & %f & %g & % & Ho & #Hlb & Hg) Hm".
    iMod (chase_lev_owner_model with "I Ho Hlb Hm") as "(Ho & $ & %)"; first done.
    iModIntro. iSplit; last first.
    { iPureIntro. trans (drop f L); naive_solver. }
    iExists L, f, g. by iFrame "Ho Hlb Hg".
  Qed.

  (** ** Specifications *)

  (** Claim: A new deque is empty. *)
  Lemma infinite_create_spec dummy :
    {{{ True }}} clients_infinite_create dummy
    {{{ γ t, RET t; infinite_inv γ t ∗ infinite_model γ [] ∗ infinite_owner γ [] }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_rec. wp_alloc front as "Hf". wp_pures.
    wp_alloc back as "Hb". wp_pures.
    wp_apply make_cells_spec; first done. iIntros (γc l) "[#Hcells Hc]". wp_pures.
    wp_apply (wp_wise_prophets chase_lev_winners); first done. iIntros (p γp prophss) "Hp".
    wp_pures. iEval (rewrite -Qp.quarter_quarter) in "Hc". iDestruct "Hc" as "[Hc1 Hc2]".
    iMod (chase_lev_alloc N (infinite_slots γc) () with "Hf Hb Hp [Hc1]")
      as (γ (<- & <- & <-)) "(#I & Hm & Ho & #Hlb)".
    { iExists _. by iFrame "Hc1". }
    iModIntro. iApply ("HΦ" $! (InfiniteNames γ γc)). iSplitR.
    { iExists l. by iFrame "#". }
    iFrame "Hm". iExists [], 0, _. iFrame "Ho Hlb Hc2". iPureIntro.
    split_and!; done || (simpl; lia).
  Qed.

  (** Claim: [size], called by any thread, returns at least the number of items at
      some instant of the call. *)
  Lemma infinite_size_spec γ t :
    infinite_inv γ t -∗
    <<{ ∀∀ vs, infinite_model γ vs }>>
      clients_infinite_size t @ ↑N
    <<{ ∃∃ n : nat, infinite_model γ vs ∗ ⌜length vs ≤ n⌝ | RET #n }>>.
  Proof.
    iIntros "(%l & -> & #Hcells & #I)" (Φ) "AU".
    wp_rec. wp_pures. wp_apply (chase_lev_front_spec with "I"); first done.
    iIntros (f) "#Hlb". wp_pures. wp_bind (! _)%E.
    iApply (wp_wand with "[AU]").
    { iApply (chase_lev_size_back_spec with "I Hlb AU"). }
    iIntros (r) "(%b & -> & HΦ)". wp_pures. case_bool_decide; wp_pures; by iFrame.
  Qed.
  (** Claim: [is_empty], called by any thread, returns true only if the deque is
      empty at some instant of the call. *)
  Lemma infinite_is_empty_spec γ t :
    infinite_inv γ t -∗
    <<{ ∀∀ vs, infinite_model γ vs }>>
      clients_infinite_is_empty t @ ↑N
    <<{ ∃∃ b : bool, infinite_model γ vs ∗ ⌜b = true → vs = []⌝ | RET #b }>>.
  Proof.
    iIntros "#Hinv" (Φ) "AU". wp_rec. iApply (is_empty_of_size with "[] AU").
    by iApply infinite_size_spec.
  Qed.

  (** Claim: [push], at one instant, adds the item at the back; [push] always
      succeeds. *)
  Lemma infinite_push_spec γ t ws v :
    infinite_inv γ t -∗ infinite_owner γ ws -∗
    <<{ ∀∀ vs, infinite_model γ vs }>>
      clients_infinite_push t v @ ↑N
    <<{ infinite_model γ (vs ++ [v]) ∗ ⌜vs `suffix_of` ws⌝ |
        RET #(); infinite_owner γ (vs ++ [v]) }>>.
  Proof.
    iIntros "(%l & -> & #Hcells & #I)".
    iIntros "(%L & %f0 & %g & (%Hws & %Hf0 & %Hholds) & Ho & #Hlb & Hg) %Φ AU".
    wp_rec. wp_pures. wp_apply (chase_lev_owner_back_spec with "I Ho").
    iIntros "Ho". wp_pures. wp_bind (clients_infinite_set _ _ _).
    iApply (set_spec with "Hcells").
    iMod (chase_lev_owner_access with "I Ho Hlb") as (f o) "([% %] & (%g' & %Hg' & Hg') & Hcl)";
      first done.
    iDestruct (ghost_var_agree with "Hg Hg'") as %<-. iCombine "Hg Hg'" as "Hg".
    rewrite Qp.quarter_quarter. iModIntro. iExists g. iFrame "Hg". iIntros "Hg".
    iEval (rewrite -Qp.quarter_quarter) in "Hg". iDestruct "Hg" as "[Hg Hg']".
    assert (∀ f, holds f L g → holds f (L ++ [v]) (<[length L := v]> g)) as Hpush.
    { intros f' Hf' i w Hi Hw. destruct (decide (i = length L)) as [->|].
      - rewrite lookup_app_r // Nat.sub_diag in Hw. injection Hw as <-.
        by rewrite fn_lookup_insert.
      - rewrite fn_lookup_insert_ne //. apply Hf'; first done.
        pose proof (lookup_lt_Some _ _ _ Hw) as Hlt. rewrite length_app /= in Hlt.
        rewrite lookup_app_l // in Hw. lia. }
    assert (∀ f, holds f L g → holds f L (<[length L := v]> g)) as Hset.
    { intros f' Hf' i w Hi Hw. apply (Hpush f' Hf'); first done. by apply lookup_app_l_Some. }
    iMod ("Hcl" with "[Hg']") as "Ho".
    { iExists _. iFrame "Hg'". iPureIntro. by apply Hset. }
    iModIntro. wp_pures. wp_bind (_ <- _)%E.
    iApply (wp_wand with "[Ho AU Hg]").
    { iApply (chase_lev_push_spec _ _ _ _ _ v _ _ (cells γ.(infinite_cells) (1/4) (<[length L := v]> g))
        (λ vs, infinite_owner γ (vs ++ [v]) -∗ Φ #())%I with "I Ho Hlb Hg [] [AU]").
      - iIntros (f' o' Hf') "Hg (%g' & %Hg2 & Hg')".
        iDestruct (ghost_var_agree with "Hg Hg'") as %<-. iModIntro. iFrame "Hg".
        iExists _. iFrame "Hg'". iPureIntro. intros i w Hi Hw.
        destruct (decide (i = length L)) as [->|].
        + rewrite lookup_app_r // Nat.sub_diag in Hw. injection Hw as <-.
          by rewrite fn_lookup_insert.
        + apply Hg2; first done. pose proof (lookup_lt_Some _ _ _ Hw) as Hlt.
          rewrite length_app /= in Hlt. rewrite lookup_app_l // in Hw. lia.
      - iIntros (vs Hvs) "Hm".
        iMod "AU" as (vs') "[Hm' [_ Hcl]]". iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-.
        iMod (chase_lev_model_update _ (vs ++ [v]) with "Hm Hm'") as "[$ Hm']".
        iMod ("Hcl" with "[$Hm']") as "$"; last done. iPureIntro. by trans (drop f0 L). }
    iIntros (r) "(%f' & [-> %Hf'] & #Hlbf' & Ho & Hg & HΦ)". iApply "HΦ".
    iExists (L ++ [v]), f', _. iFrame "Ho Hlbf' Hg". iPureIntro.
    rewrite length_app /= drop_app_le; last lia.
    split_and!; [done|lia|]. apply Hpush. intros i w ?. apply Hholds. lia.
  Qed.

  (** Claim: [pop], at one instant, takes the last item; [pop] returns no item only
      if the deque is empty at that instant. *)
  Lemma infinite_pop_spec γ t ws :
    infinite_inv γ t -∗ infinite_owner γ ws -∗
    <<{ ∀∀ vs, infinite_model γ vs }>>
      clients_infinite_pop t @ ↑N
    <<{ infinite_model γ (removelast vs) ∗ ⌜vs `suffix_of` ws⌝ |
        RET option_to_val (last vs); infinite_owner γ (removelast vs) }>>.
  Proof.
    iIntros "(%l & -> & #Hcells & #I)".
    iIntros "(%L & %f0 & %g & (%Hws & %Hf0 & %Hholds) & Ho & #Hlb & Hg) %Φ AU".
    wp_rec. wp_pures. wp_apply (chase_lev_owner_back_spec with "I Ho").
    iIntros "Ho". wp_pures. wp_bind (_ <- _)%E.
    iApply (wp_wand with "[Ho AU]").
    { iApply (chase_lev_claim_spec _ _ _ _ _ _
        (λ vs, infinite_owner γ (removelast vs) -∗ Φ (option_to_val (last vs)))%I
        with "I Ho Hlb").
      iIntros (vs Hvs) "Hm".
      iMod "AU" as (vs') "[Hm' [_ Hcl]]". iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-.
      iMod (chase_lev_model_update _ (removelast vs) with "Hm Hm'") as "[$ Hm']".
      iMod ("Hcl" with "[$Hm']") as "$"; last done. iPureIntro. by trans (drop f0 L). }
    iAssert (□ ∀ (b : nat) (Ψ : val → iProp Σ), cells γ.(infinite_cells) (1/4) g -∗
      (cells γ.(infinite_cells) (1/4) g -∗ Ψ (g b)) -∗ WP clients_infinite_get #l #b {{ Ψ }})%I
      as "#Hget".
    { iIntros "!>" (b Ψ) "Hg HΨ". iApply (get_spec with "Hcells").
      iApply fupd_mask_intro; first set_solver. iIntros "Hclose". iExists _, g. iFrame "Hg".
      iIntros "Hg". iMod "Hclose". iModIntro. by iApply "HΨ". }
    iIntros (r) "(-> & [[Ho HΦ]|(%f & %L' & %v & [%HL %Hf] & #Hlbf & Ho & HΦ)])".
    all: wp_pures.
    - (* the owner has found no item *)
      wp_apply (chase_lev_owner_front_unstable_spec with "I Ho").
      iIntros (f) "(%Hf & #Hlbf & Ho)". wp_pures. destruct Hf as [->|Hf].
      + rewrite bool_decide_eq_true_2; last lia. wp_pures.
        wp_apply (chase_lev_stabilize_spec with "I Hlbf Ho"). iIntros "Ho". wp_pures.
        iModIntro. iApply "HΦ". iExists L, (length L), g. iFrame "Ho Hlbf Hg".
        iPureIntro. rewrite drop_ge //. split_and!; [done..|]. intros i w ? ?%lookup_lt_Some. lia.
      + rewrite bool_decide_eq_false_2; last lia. wp_pures.
        replace (length L - 1)%Z with (Z.of_nat f) by lia.
        wp_bind (clients_infinite_get _ _). iApply ("Hget" with "Hg"). iIntros "Hg". wp_pures.
        rewrite bool_decide_eq_false_2; last lia. wp_pures.
        wp_apply wp_new_proph; first done. iIntros (raw id) "Hid". wp_pures.
        wp_bind (Resolve _ _ _). iApply (wp_wand with "[Ho Hid]").
        { by iApply (chase_lev_claim_cas_spec with "I Ho Hid"). }
        iIntros (r) "(%u & -> & Ho & #Hlb')". wp_pures.
        replace (f + 1)%Z with (Z.of_nat (length L)) by lia.
        wp_apply (chase_lev_stabilize_spec with "I Hlb' Ho"). iIntros "Ho". wp_pures.
        iModIntro. iApply "HΦ". iExists L, (length L), g. iFrame "Ho Hlb' Hg".
        iPureIntro. rewrite drop_ge //. split_and!; [done..|]. intros i w ? ?%lookup_lt_Some. lia.
    - (* the owner takes the last item *)
      assert (drop f L = drop f L' ++ [v]) as Hdrop.
      { rewrite HL drop_app_le //. lia. }
      rewrite Hdrop removelast_last last_snoc /=.
      assert (length L = S (length L')) as HlL by (rewrite HL length_app /=; lia).
      replace (length L - 1)%Z with (Z.of_nat (length L')) by lia.
      wp_bind (! _)%E. iApply (wp_wand with "[Ho]").
      { iApply (chase_lev_owner_front_spec _ _ _ _ _ _ (λ _, True)%I with "I Ho Hlbf"). by eauto. }
      iIntros (r) "(%f' & [-> %Hf'] & #Hlbf' & Ho & _)". wp_pures.
      rewrite bool_decide_eq_false_2; last lia. wp_pures.
      wp_bind (clients_infinite_get _ _). iApply ("Hget" with "Hg"). iIntros "Hg". wp_pures.
      replace (g (length L')) with v; last first.
      { symmetry. apply Hholds; first lia. by rewrite HL lookup_app_r // Nat.sub_diag. }
      case_bool_decide as Hlt; wp_pures.
      + (* the deque has other items *)
        iModIntro. iApply "HΦ". iExists L', f', g. iFrame "Ho Hg Hlbf'". iPureIntro.
        split_and!; [apply drop_suffix_of_drop; lia|lia|].
        intros i w ? Hi. apply Hholds; first lia. rewrite HL. by apply lookup_app_l_Some.
      + (* the only item: the owner moves the front over the item *)
        assert (f' = length L') as -> by lia.
        wp_apply wp_new_proph; first done. iIntros (raw id) "Hid". wp_pures.
        wp_bind (Resolve _ _ _). iApply (wp_wand with "[Ho Hid]").
        { by iApply (chase_lev_retire_spec _ _ _ _ _ v with "I Ho Hlbf' Hid"). }
        iIntros (r) "(%u & -> & Ho & #Hlb')". wp_pures. rewrite -HL -HlL.
        replace (length L' + 1)%Z with (Z.of_nat (length L)) by lia.
        wp_apply (chase_lev_stabilize_spec with "I Hlb' Ho"). iIntros "Ho". wp_pures.
        iModIntro. iApply "HΦ". iExists L, (length L), g. iFrame "Ho Hlb' Hg".
        iPureIntro. rewrite drop_ge //. split_and!; [apply suffix_nil|done|].
        intros i w ? ?%lookup_lt_Some. lia.
  Qed.

  (** Claim: [steal], at one instant, takes the first item; [steal] returns no item
      only if the deque is empty at that instant. *)
  Lemma infinite_steal_spec γ t :
    infinite_inv γ t -∗
    <<{ ∀∀ vs, infinite_model γ vs }>>
      clients_infinite_steal t @ ↑N
    <<{ infinite_model γ (tail vs) | RET option_to_val (head vs) }>>.
  Proof.
    iIntros "(%l & -> & #Hcells & #I)" (Φ) "AU".
    iLöb as "IH". wp_rec. wp_apply wp_new_proph; first done. iIntros (raw id) "Hid". wp_pures.
    wp_apply (chase_lev_front_spec with "I"); first done.
    iIntros (f) "#Hlb". wp_pures. wp_bind (! _)%E.
    iApply (wp_wand with "[AU Hid]").
    { iApply (chase_lev_steal_back_spec with "I Hlb Hid AU"). }
    iIntros (r) "(%b & -> & Hcase)". wp_pures.
    iDestruct "Hcase" as "[[%Hempty HΦ]|[%Hlt Hcase]]".
    { rewrite bool_decide_eq_true_2 //. by wp_pures. }
    rewrite bool_decide_eq_false_2; last lia. wp_pures.
    wp_bind (clients_infinite_get _ _). iApply (get_spec with "Hcells").
    iDestruct "Hcase" as "[(%v & Hw)|Hl]".
    - (* the winner takes the item that the winner reads here *)
      iMod (chase_lev_winner_access with "I Hw") as (L) "(%Hv & (%g & %Hholds & Hg) & Hcl)";
        first done.
      iModIntro. iExists _, g. iFrame "Hg". iIntros "Hg".
      rewrite (Hholds f v) //. iMod ("Hcl" $! () with "[Hg]") as "Hw".
      { iExists g. by iFrame. }
      iModIntro. wp_pures. wp_bind (Resolve _ _ _).
      iApply (wp_wand with "[Hw]"); first iApply (chase_lev_winner_cas_spec with "I Hw").
      iIntros (r) "(%u & -> & HΦ)". wp_pures. done.
    - (* the value that a loser reads does not matter *)
      iMod (chase_lev_access with "I") as (f' L o) "((%g & %Hholds & Hg) & Hcl)"; first done.
      iModIntro. iExists _, g. iFrame "Hg". iIntros "Hg".
      iMod ("Hcl" with "[Hg]") as "_"; first by (iExists g; iFrame).
      iModIntro. wp_pures. wp_bind (Resolve _ _ _).
      iApply (wp_wand with "[Hl]"); first iApply (chase_lev_loser_cas_spec with "I Hl").
      iIntros (r) "(%u & -> & AU)". wp_pures. by iApply "IH".
  Qed.
End infinite.
