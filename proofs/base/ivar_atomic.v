(** Write-once cells with callbacks: the proof of lib/kernel/base/ivar.ml.

    The cell is one atomic reference.  An unset cell holds a block with the list of the
    callbacks registered so far, newest first; a set cell holds the value.  A thread
    writes the block once, before it publishes the block.  So every thread that has seen
    the block may read the block, and two cells that compare equal hold the same list: a
    compare-and-set that finds the expected block finds the list that the thread has
    read.

    The abstract state is [Unset runs], the callbacks in order of registration, or
    [Set v], which stays for ever.  The linearisation points:
    - [wait] and [set]: the compare-and-set if it succeeds, or the read if the read finds
      the value;
    - [is_set] and [peek]: the only read.

    The setter takes the whole list out of the cell with its compare-and-set, and no
    other thread can do so.  Then the setter calls each callback once, oldest first.  The
    specification of [set] says the same: at the linearisation point the caller gets the
    list [runs], and owes the setter a proof of the calls of [runs], in this order
    ([ivar_calls]).  [set] returns after the last call has returned. *)
From iris.base_logic.lib Require Import invariants ghost_map.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import ivar_code.

Inductive ivar_state :=
  | Unset (runs : list val)
  | Set_ (v : val).

Global Instance ivar_state_inhabited : Inhabited ivar_state := populate (Unset []).

Class ivarG Σ := IvarG { #[local] ivar_ghost_mapG :: ghost_mapG Σ () ivar_state }.
Definition ivarΣ : gFunctors := #[ghost_mapΣ () ivar_state].
Global Instance subG_ivarΣ Σ : subG ivarΣ Σ → ivarG Σ.
Proof. solve_inG. Qed.

Definition ivarN : namespace := nroot .@ "ivar".

(** The new state, or the result, of each operation, as a function of the state. *)
Definition ivar_wait_state (run : val) (s : ivar_state) : ivar_state :=
  match s with Unset runs => Unset (runs ++ [run]) | Set_ v => Set_ v end.
Definition ivar_set_state (v : val) (s : ivar_state) : ivar_state :=
  match s with Unset _ => Set_ v | Set_ w => Set_ w end.
Definition ivar_is_set_state (s : ivar_state) : bool :=
  match s with Unset _ => false | Set_ _ => true end.
Definition ivar_peek_state (s : ivar_state) : val :=
  match s with Unset _ => NONEV | Set_ v => SOMEV v end.

(** A list of callbacks, as the program represents the list. *)
Fixpoint ivar_waiters (runs : list val) : val :=
  match runs with
  | [] => InjLV #()
  | run :: runs => InjRV (run, ivar_waiters runs)
  end.

Section ivar.
  Context `{!heapGS Σ, !ivarG Σ}.
  Implicit Types (γ : gname) (t run v : val) (s : ivar_state).

  Definition ivar_resolved γ v : iProp Σ := () ↪[γ]□ Set_ v.
  Definition ivar_model γ s : iProp Σ :=
    match s with
    | Unset _ => () ↪[γ] s
    | Set_ v => ivar_resolved γ v
    end.

  Definition ivar_cell s c : iProp Σ :=
    match s with
    | Unset runs => ∃ u : loc, ⌜c = InjLV #u⌝ ∗ (u +ₗ 0) ↦na□ ivar_waiters (rev runs)
    | Set_ v => ⌜c = InjRV v⌝
    end.
  Definition ivar_inv_inner γ (l : loc) : iProp Σ :=
    ∃ s c, l ↦ c ∗ ivar_cell s c ∗ ghost_map_auth γ 1 {[() := s]} ∗
      match s with Unset _ => True | Set_ v => ivar_resolved γ v end.
  Definition is_ivar γ t : iProp Σ :=
    ∃ l : loc, ⌜t = #l⌝ ∗ inv ivarN (ivar_inv_inner γ l).

  (** A setter must call each waiter of the list [runs] with the value, in the order of
      the list; after the last call [K] holds. *)
  Fixpoint ivar_calls (ctx v : val) (runs : list val) (K : iProp Σ) : iProp Σ :=
    match runs with
    | [] => K
    | run :: runs => WP run ctx v {{ _, ivar_calls ctx v runs K }}
    end.

  Global Instance ivar_resolved_persistent γ v : Persistent (ivar_resolved γ v).
  Proof. apply _. Qed.
  Global Instance ivar_resolved_timeless γ v : Timeless (ivar_resolved γ v).
  Proof. apply _. Qed.
  Global Instance ivar_model_timeless γ s : Timeless (ivar_model γ s).
  Proof. destruct s; apply _. Qed.
  Global Instance is_ivar_persistent γ t : Persistent (is_ivar γ t).
  Proof. apply _. Qed.
  Local Instance ivar_cell_persistent s c : Persistent (ivar_cell s c).
  Proof. destruct s; apply _. Qed.
  Local Instance ivar_cell_timeless s c : Timeless (ivar_cell s c).
  Proof. destruct s; apply _. Qed.

  Lemma ivar_resolved_agree γ v w :
    ivar_resolved γ v -∗ ivar_resolved γ w -∗ ⌜v = w⌝.
  Proof.
    iIntros "Hv Hw". by iDestruct (ghost_map_elem_agree with "Hv Hw") as %[= ->].
  Qed.
  Lemma ivar_resolved_model γ v s :
    ivar_resolved γ v -∗ ivar_model γ s -∗ ⌜s = Set_ v⌝.
  Proof.
    iIntros "Hv Hs". destruct s as [runs|w]; simpl.
    - iDestruct (ghost_map_elem_agree with "Hv Hs") as %[=].
    - by iDestruct (ivar_resolved_agree with "Hv Hs") as %->.
  Qed.
  Lemma ivar_model_exclusive γ runs s :
    ivar_model γ (Unset runs) -∗ ivar_model γ s -∗ False.
  Proof.
    iIntros "H1 H2". destruct s; simpl;
      by iDestruct (ghost_map_elem_valid_2 with "H1 H2") as %[?%dfrac_valid_own_l ?].
  Qed.

  Local Lemma ivar_agree γ s s' :
    ghost_map_auth γ 1 {[() := s]} -∗ ivar_model γ s' -∗ ⌜s = s'⌝.
  Proof.
    iIntros "Hγ Hs'". destruct s' as [runs|w]; simpl.
    - iDestruct (ghost_map_lookup with "Hγ Hs'") as %?. by simplify_map_eq.
    - iDestruct (ghost_map_lookup with "Hγ Hs'") as %?. by simplify_map_eq.
  Qed.
  Local Lemma ivar_update γ runs s' :
    ghost_map_auth γ 1 {[() := Unset runs]} -∗ ivar_model γ (Unset runs) ==∗
    ghost_map_auth γ 1 {[() := s']} ∗ ivar_model γ s' ∗
    match s' with Unset _ => True | Set_ v => ivar_resolved γ v end.
  Proof.
    iIntros "Hγ Hs". iMod (ghost_map_update s' with "Hγ Hs") as "[Hγ Hs]".
    rewrite insert_singleton. iFrame "Hγ". destruct s' as [|v]; first by iFrame.
    iMod (ghost_map_elem_persist with "Hs") as "#Hs". by iFrame "#".
  Qed.
  Local Lemma ivar_cell_set s v :
    ivar_cell s (InjRV v) -∗ ⌜s = Set_ v⌝.
  Proof.
    destruct s; simpl; first by iIntros "(%u & % & _)".
    by iIntros ([= ->]).
  Qed.

  Local Definition ivar_witness γ s : iProp Σ :=
    match s with Unset _ => True | Set_ v => ivar_resolved γ v end.
  Local Instance ivar_witness_persistent γ s : Persistent (ivar_witness γ s).
  Proof. destruct s; apply _. Qed.
  Local Instance ivar_witness_timeless γ s : Timeless (ivar_witness γ s).
  Proof. destruct s; apply _. Qed.

  Local Lemma ivar_inv_access γ l :
    inv ivarN (ivar_inv_inner γ l) ={⊤, ⊤∖↑ivarN}=∗
    ∃ s c, l ↦ c ∗ □ ivar_cell s c ∗ ghost_map_auth γ 1 {[() := s]} ∗
      □ ivar_witness γ s ∗
      ∀ s' c', l ↦ c' -∗ □ ivar_cell s' c' -∗ ghost_map_auth γ 1 {[() := s']} -∗
        □ ivar_witness γ s' ={⊤∖↑ivarN, ⊤}=∗ True.
  Proof.
    iIntros "#I". iInv "I" as "H" "Hclose". rewrite /ivar_inv_inner.
    iDestruct "H" as (s c) "(>Hl & >#Hc & >Hγ & Hs)".
    iDestruct (bi.later_mono _ (ivar_witness γ s) with "Hs") as ">#Hs"; first by destruct s.
    iModIntro. iExists s, c. iFrame "Hl Hc Hγ Hs".
    iIntros (s' c') "Hl' #Hc' Hγ #Hs'". iApply "Hclose". iNext.
    iExists s', c'. iFrame "∗#".
  Qed.

  (** Claim: A new ivar is unset and has no callbacks. *)
  Lemma ivar_create_spec :
    {{{ True }}} base_ivar_create #() {{{ γ t, RET t; is_ivar γ t ∗ ivar_model γ (Unset []) }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_lam. wp_pures. wp_apply block1_spec; first done.
    iIntros (u) "[Hu _]". iMod (na_pointsto_persist with "Hu") as "#Hu".
    wp_pures. wp_alloc l as "Hl".
    iMod (ghost_map_alloc {[() := Unset []]}) as (γ) "[Hγ Hs]". rewrite big_sepM_singleton.
    iMod (inv_alloc ivarN _ (ivar_inv_inner γ l) with "[Hl Hγ]") as "#I".
    { iNext. iExists (Unset []), _. iFrame "Hl Hγ". simpl. iExists u. by iFrame "Hu". }
    iModIntro. iApply "HΦ". iFrame "Hs". iExists l. by iFrame "I".
  Qed.

  (** The linearisation point of an operation that only reads. *)
  Local Lemma ivar_read γ (l : loc) (F : ivar_state → val) (Φ : val → iProp Σ) :
    inv ivarN (ivar_inv_inner γ l) -∗
    AU <{ ∃∃ s, ivar_model γ s }> @ ⊤∖↑ivarN, ∅ <{ ivar_model γ s, COMM £ 2 -∗ Φ (F s) }> -∗
    WP ! #l {{ c, ∃ s, □ ivar_cell s c ∗ (£ 2 -∗ Φ (F s)) }}.
  Proof.
    iIntros "#I AU". iMod (ivar_inv_access with "I") as (s c) "(Hl & #Hc & Hγ & #Hs & Hclose)".
    wp_load. iMod "AU" as (s') "[Hm [_ Hcommit]]".
    iDestruct (ivar_agree with "Hγ Hm") as %<-. iMod ("Hcommit" with "Hm") as "HΦ".
    iMod ("Hclose" with "Hl Hc Hγ Hs") as "_". iModIntro. iExists s. by iFrame "HΦ Hc".
  Qed.

  (** Claim: [is_set], at one instant, says whether the ivar is set. *)
  Lemma ivar_is_set_spec γ t :
    is_ivar γ t -∗
    <<{ ∀∀ s, ivar_model γ s }>>
      base_ivar_is_set t @ ↑ivarN
    <<{ ivar_model γ s | RET #(ivar_is_set_state s); £ 2 }>>.
  Proof.
    iIntros "(%l & -> & #I)" (Φ) "AU". rewrite /base_ivar_is_set.
    wp_pure credit:"Hlc". wp_bind (! _)%E.
    iApply (wp_wand with "[AU]").
    { iApply (ivar_read _ _ (λ s, #(ivar_is_set_state s)) with "I AU"). }
    iIntros (c) "(%s & #Hc & HΦ)". destruct s as [runs|v]; simpl.
    - iDestruct "Hc" as (u) "[-> _]". wp_pure credit:"Hlc'". wp_pures.
      iApply "HΦ". by iCombine "Hlc Hlc'" as "$".
    - iDestruct "Hc" as %->. wp_pure credit:"Hlc'". wp_pures.
      iApply "HΦ". by iCombine "Hlc Hlc'" as "$".
  Qed.

  (** Claim: [peek], at one instant, returns the value if the ivar is set. *)
  Lemma ivar_peek_spec γ t :
    is_ivar γ t -∗
    <<{ ∀∀ s, ivar_model γ s }>>
      base_ivar_peek t @ ↑ivarN
    <<{ ivar_model γ s | RET (ivar_peek_state s); £ 2 }>>.
  Proof.
    iIntros "(%l & -> & #I)" (Φ) "AU". rewrite /base_ivar_peek.
    wp_pure credit:"Hlc". wp_bind (! _)%E.
    iApply (wp_wand with "[AU]").
    { iApply (ivar_read _ _ ivar_peek_state with "I AU"). }
    iIntros (c) "(%s & #Hc & HΦ)". destruct s as [runs|v]; simpl.
    - iDestruct "Hc" as (u) "[-> _]". wp_pure credit:"Hlc'". wp_pures.
      iApply "HΦ". by iCombine "Hlc Hlc'" as "$".
    - iDestruct "Hc" as %->. wp_pure credit:"Hlc'". wp_pures.
      iApply "HΦ". by iCombine "Hlc Hlc'" as "$".
  Qed.

  (** Claim: [wait], at one instant, returns the value, or registers the callback behind
      all others and returns no value. *)
  Lemma ivar_wait_spec γ t run :
    is_ivar γ t -∗
    <<{ ∀∀ s, ivar_model γ s }>>
      base_ivar_wait t run @ ↑ivarN
    <<{ ivar_model γ (ivar_wait_state run s) | RET (ivar_peek_state s); £ 2 }>>.
  Proof.
    iIntros "(%l & -> & #I)" (Φ) "AU". iLöb as "IH". wp_rec.
    wp_pure credit:"Hlc". wp_pure credit:"Hlc'". iCombine "Hlc Hlc'" as "Hlc".
    wp_pures. wp_bind (! _)%E.
    iMod (ivar_inv_access with "I") as ([runs|w] c) "(Hl & #Hc & Hγ & #Hs & Hclose)"; last first.
    { wp_load. iMod "AU" as (s') "[Hm [_ Hcommit]]".
      iDestruct (ivar_agree with "Hγ Hm") as %<-. iMod ("Hcommit" with "Hm") as "HΦ".
      iDestruct ("HΦ" with "Hlc") as "HΦ". iMod ("Hclose" with "Hl Hc Hγ Hs") as "_".
      iModIntro. simpl. iDestruct "Hc" as %->.
      by wp_pures. }
    wp_load. iMod ("Hclose" with "Hl Hc Hγ Hs") as "_". iModIntro. simpl.
    iDestruct "Hc" as (u) "[-> Hu]". wp_pures. wp_na_load. wp_pures.
    wp_apply block1_spec; first done. iIntros (u') "[Hu' _]".
    iMod (na_pointsto_persist with "Hu'") as "#Hu'". wp_pures. wp_bind (CmpXchg _ _ _).
    iMod (ivar_inv_access with "I") as (s c) "(Hl & #Hc & Hγ & #Hs' & Hclose)".
    destruct (decide (c = InjLV #u)) as [->|Hne]; last first.
    { wp_cmpxchg_fail. iMod ("Hclose" with "Hl Hc Hγ Hs'") as "_". iModIntro. wp_pures.
      by iApply ("IH" with "AU"). }
    destruct s as [runs'|w]; last by iDestruct "Hc" as %[=].
    iDestruct "Hc" as (u2 [= <-]) "#Hu2".
    iDestruct (na_pointsto_agree with "Hu Hu2") as %Heq.
    wp_cmpxchg_suc. iMod "AU" as (s') "[Hm [_ Hcommit]]".
    iDestruct (ivar_agree with "Hγ Hm") as %<-.
    iMod (ivar_update _ _ (Unset (runs' ++ [run])) with "Hγ Hm") as "(Hγ & Hm & Hw)".
    iMod ("Hcommit" with "Hm") as "HΦ". iDestruct ("HΦ" with "Hlc") as "HΦ".
    iMod ("Hclose" $! (Unset (runs' ++ [run])) with "Hl [] Hγ []") as "_".
    { iModIntro. simpl. iExists u'. iSplit; first done.
      rewrite rev_unit /= -Heq. iExact "Hu'". }
    { done. }
    iModIntro. by wp_pures.
  Qed.

  Local Lemma ivar_reverse_spec runs runs' :
    {{{ True }}}
      base_ivar_reverse (ivar_waiters runs) (ivar_waiters runs')
    {{{ RET (ivar_waiters (rev_append runs runs')); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". iInduction runs as [|run runs] "IH" forall (runs').
    - wp_rec. wp_pures. by iApply "HΦ".
    - wp_rec. wp_pures. by iApply ("IH" $! (run :: runs')).
  Qed.

  Local Lemma ivar_notify_spec runs ctx v (K : iProp Σ) :
    ivar_calls ctx v runs K -∗ WP base_ivar_notify (ivar_waiters runs) ctx v {{ _, K }}.
  Proof.
    iIntros "H". iInduction runs as [|run runs] "IH"; simpl.
    - wp_rec. by wp_pures.
    - wp_rec. wp_pures. wp_apply (wp_wand with "H"). iIntros (r) "H". wp_pures. by iApply "IH".
  Qed.

  (** The general specification of [set].  In an atomic triple the postcondition would
      follow the linearisation point; here the calls follow, on the caller's side. *)
  (** Claim: [set], at one instant, sets the ivar, and then calls every callback, once,
      oldest first; or the ivar was set, and [set] changes nothing and returns false. *)
  Lemma ivar_set_spec γ t ctx v (Φ : val → iProp Σ) :
    is_ivar γ t -∗
    AU <{ ∃∃ s, ivar_model γ s }> @ ⊤∖↑ivarN, ∅
       <{ ivar_model γ (ivar_set_state v s),
          COMM £ 2 -∗ match s with
                      | Unset runs => ivar_calls ctx v runs (Φ #true)
                      | Set_ _ => Φ #false
                      end }> -∗
    WP base_ivar_set ctx t v {{ Φ }}.
  Proof.
    iIntros "(%l & -> & #I) AU". iLöb as "IH". wp_rec.
    wp_pure credit:"Hlc". wp_pure credit:"Hlc'". iCombine "Hlc Hlc'" as "Hlc".
    wp_pures. wp_bind (! _)%E.
    iMod (ivar_inv_access with "I") as ([runs|w] c) "(Hl & #Hc & Hγ & #Hs & Hclose)"; last first.
    { wp_load. iMod "AU" as (s') "[Hm [_ Hcommit]]".
      iDestruct (ivar_agree with "Hγ Hm") as %<-. iMod ("Hcommit" with "Hm") as "HΦ".
      iDestruct ("HΦ" with "Hlc") as "HΦ". iMod ("Hclose" with "Hl Hc Hγ Hs") as "_".
      iModIntro. simpl. iDestruct "Hc" as %->.
      by wp_pures. }
    wp_load. iMod ("Hclose" with "Hl Hc Hγ Hs") as "_". iModIntro. simpl.
    iDestruct "Hc" as (u) "[-> Hu]". wp_pures. wp_bind (CmpXchg _ _ _).
    iMod (ivar_inv_access with "I") as (s c) "(Hl & #Hc & Hγ & #Hs' & Hclose)".
    destruct (decide (c = InjLV #u)) as [->|Hne]; last first.
    { wp_cmpxchg_fail. iMod ("Hclose" with "Hl Hc Hγ Hs'") as "_". iModIntro. wp_pures.
      by iApply ("IH" with "AU"). }
    destruct s as [runs'|w]; last by iDestruct "Hc" as %[=].
    iDestruct "Hc" as (u2 [= <-]) "#Hu2".
    wp_cmpxchg_suc. iMod "AU" as (s') "[Hm [_ Hcommit]]".
    iDestruct (ivar_agree with "Hγ Hm") as %<-.
    iMod (ivar_update _ _ (Set_ v) with "Hγ Hm") as "(Hγ & Hm & #Hw)".
    iMod ("Hcommit" with "Hm") as "HΦ". iDestruct ("HΦ" with "Hlc") as "HΦ".
    iMod ("Hclose" $! (Set_ v) with "Hl [] Hγ Hw") as "_"; first by iModIntro.
    iModIntro. wp_na_load.
    wp_apply (ivar_reverse_spec _ []); first done. iIntros "_".
    rewrite rev_append_rev app_nil_r rev_involutive.
    wp_bind (base_ivar_notify _ _ _).
    iApply (wp_wand with "[HΦ]"); first by iApply (ivar_notify_spec with "HΦ").
    iIntros (r) "HΦ". by wp_pures.
  Qed.
End ivar.
