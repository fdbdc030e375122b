(** Ivars among several parties: the specification that pools and futures use.

    An ivar is shared under these parameters:
    - [Ψ v], a resource that comes with the value [v], and is used up;
    - [Ξ v], a fact about the value [v], which holds for ever;
    - [C x ctx], a resource that a setter lends to the callbacks with the context, and
      gets back.

    The parties have these resources:
    - [ivar_producer γ dq] is the right to set.  A setter that has the whole right knows
      that no other thread can set, so the setter's [set] cannot fail.  The right can also be
      divided, or given away for ever ([DfracDiscarded]).  Then the first [set] wins,
      and the other setters get their resources back.
    - [ivar_result γ v] says that the value is [v].  The fact is persistent, and two results
      agree.
    - [ivar_consumer γ X] is the right to [X v] after the value became [v].  The creator
      gets [ivar_consumer γ Ψ], and may divide this right.
    - [ivar_called γ Q] is the result of a [wait] that has registered a callback; the
      callback ensures [Q].  The winning [set] returns [ivar_notified γ].  Both together
      give [Q].

    The invariant owns the abstract state of ivar_atomic.v.  While the ivar is unset, the
    invariant owns the callbacks, and knows that [Ψ v] divides into the parts that the
    living consumers may claim.  The step that sets the ivar takes the callbacks out and
    puts the parts of [Ψ v] in, where each consumer finds its own part.  The setter calls
    each callback at most once, in the order of registration. *)
From iris.algebra Require Import dfrac.
From iris.algebra.lib Require Import mono_list.
From iris.base_logic.lib Require Import invariants ghost_map saved_prop.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import ivar_code.
From dromos.base Require Export ivar_atomic.

Class ivar_sharedG Σ := IvarSharedG {
  #[local] ivar_shared_ivarG :: ivarG Σ;
  #[local] ivar_shared_consumersG :: ghost_mapG Σ gname ();
  #[local] ivar_shared_predG :: savedPredG Σ val;
  #[local] ivar_shared_propG :: savedPropG Σ;
  #[local] ivar_shared_callbacksG :: inG Σ (mono_listR gnameO);
  #[local] ivar_shared_producerG :: inG Σ dfracR;
}.
Definition ivar_sharedΣ : gFunctors :=
  #[ivarΣ; ghost_mapΣ gname (); savedPredΣ val; savedPropΣ;
    GFunctor (mono_listR gnameO); GFunctor dfracR].
Global Instance subG_ivar_sharedΣ Σ : subG ivar_sharedΣ Σ → ivar_sharedG Σ.
Proof. solve_inG. Qed.

Record ivar_names := IvarNames {
  ivar_name_state : gname;
  ivar_name_consumers : gname;
  ivar_name_callbacks : gname;
  ivar_name_producer : gname;
}.

Definition ivar_sharedN : namespace := nroot .@ "ivar_shared".

Section ivar.
  Context `{!heapGS Σ, !ivar_sharedG Σ}.
  Context {A : Type} (Ψ Ξ : val → iProp Σ) (C : A → val → iProp Σ).
  Implicit Types (γ : ivar_names) (t run v : val) (X : val → iProp Σ) (Q : iProp Σ).

  Definition ivar_result γ v : iProp Σ := ivar_resolved (ivar_name_state γ) v.
  Definition ivar_producer γ (dq : dfrac) : iProp Σ := own (ivar_name_producer γ) dq.
  Definition ivar_consumer γ X : iProp Σ :=
    ∃ η, η ↪[ivar_name_consumers γ] () ∗ saved_pred_own η DfracDiscarded X.
  Definition ivar_called γ Q : iProp Σ :=
    ∃ ηs η, own (ivar_name_callbacks γ) (◯ML (ηs ++ [η])) ∗
      saved_prop_own η DfracDiscarded Q.
  Definition ivar_notified γ : iProp Σ :=
    ∃ ηs, own (ivar_name_callbacks γ) (●ML□ ηs) ∗
      [∗ list] η ∈ ηs, ∃ Q, saved_prop_own η DfracDiscarded Q ∗ ▷ □ Q.

  (** The proof that a callback must bring. *)
  Definition ivar_callback γ run Q : iProp Σ :=
    ∀ ctx x v, C x ctx -∗ ivar_result γ v -∗ □ Ξ v -∗
      WP run ctx v {{ _, C x ctx ∗ ▷ □ Q }}.

  Local Definition ivar_parts (m : gmap gname ()) v : iProp Σ :=
    [∗ map] η ↦ _ ∈ m, ∃ X, saved_pred_own η DfracDiscarded X ∗ ▷ X v.
  Local Definition ivar_callbacks γ runs ηs : iProp Σ :=
    [∗ list] run; η ∈ runs; ηs,
      ∃ Q, saved_prop_own η DfracDiscarded Q ∗ ivar_callback γ run Q.
  Local Definition ivar_shared_state γ s : iProp Σ :=
    ∃ m, ghost_map_auth (ivar_name_consumers γ) 1 m ∗
      match s with
      | Unset runs =>
          (∀ v, Ψ v -∗ ivar_parts m v) ∗
          ∃ ηs, own (ivar_name_callbacks γ) (●ML ηs) ∗ ivar_callbacks γ runs ηs
      | Set_ v =>
          ivar_parts m v ∗ □ Ξ v ∗ ∃ dq, ivar_producer γ dq
      end.
  Local Definition ivar_shared_inner γ : iProp Σ :=
    ∃ s, ivar_model (ivar_name_state γ) s ∗ ivar_shared_state γ s.
  Definition ivar_inv γ t : iProp Σ :=
    is_ivar (ivar_name_state γ) t ∗ inv ivar_sharedN (ivar_shared_inner γ).

  Global Instance ivar_inv_persistent γ t : Persistent (ivar_inv γ t).
  Proof. apply _. Qed.
  Global Instance ivar_result_persistent γ v : Persistent (ivar_result γ v).
  Proof. apply _. Qed.
  Global Instance ivar_result_timeless γ v : Timeless (ivar_result γ v).
  Proof. apply _. Qed.
  Global Instance ivar_called_persistent γ Q : Persistent (ivar_called γ Q).
  Proof. apply _. Qed.
  Global Instance ivar_notified_persistent γ : Persistent (ivar_notified γ).
  Proof. apply _. Qed.
  Global Instance ivar_producer_timeless γ dq : Timeless (ivar_producer γ dq).
  Proof. apply _. Qed.
  Global Instance ivar_producer_persistent γ : Persistent (ivar_producer γ DfracDiscarded).
  Proof. apply _. Qed.

  Lemma ivar_result_agree γ v w : ivar_result γ v -∗ ivar_result γ w -∗ ⌜v = w⌝.
  Proof. apply ivar_resolved_agree. Qed.

  (** ** The right to set *)

  Lemma ivar_producer_split γ q1 q2 :
    ivar_producer γ (DfracOwn (q1 + q2)) ⊣⊢
    ivar_producer γ (DfracOwn q1) ∗ ivar_producer γ (DfracOwn q2).
  Proof. by rewrite /ivar_producer -own_op. Qed.
  Lemma ivar_producer_persist γ dq : ivar_producer γ dq ==∗ ivar_producer γ DfracDiscarded.
  Proof.
    iIntros "H". iApply (own_update with "H"). apply dfrac_discard_update.
  Qed.
  Lemma ivar_producer_exclusive γ dq :
    ivar_producer γ (DfracOwn 1) -∗ ivar_producer γ dq -∗ False.
  Proof.
    iIntros "H1 H2". iCombine "H1 H2" gives %Hv.
    by apply dfrac_valid_own_l in Hv.
  Qed.

  (** ** What follows from the value *)

  Lemma ivar_inv_result γ t v E :
    ↑ivar_sharedN ⊆ E →
    ivar_inv γ t -∗ ivar_result γ v ={E}=∗ ▷ □ Ξ v.
  Proof.
    iIntros (HE) "#[_ I] #Hv". iInv "I" as (s) "[>Hm Hs]".
    iDestruct (ivar_resolved_model with "Hv Hm") as %->.
    iDestruct "Hs" as (m) "(Hc & Hp & #HΞ & Hprod)".
    iModIntro. iSplitL; last by iModIntro. iNext. iExists (Set_ v). iFrame "Hm".
    iExists m. by iFrame "∗#".
  Qed.

  Lemma ivar_producer_result γ t v E :
    ↑ivar_sharedN ⊆ E →
    ivar_inv γ t -∗ ivar_producer γ (DfracOwn 1) -∗ ivar_result γ v ={E}=∗ False.
  Proof.
    iIntros (HE) "#[_ I] Hp #Hv". iInv "I" as (s) "[>Hm Hs]".
    iDestruct (ivar_resolved_model with "Hv Hm") as %->.
    iDestruct "Hs" as (m) "(_ & _ & _ & %dq & >Hp')".
    iDestruct (ivar_producer_exclusive with "Hp Hp'") as %[].
  Qed.

  Lemma ivar_called_notified γ Q : ivar_called γ Q -∗ ivar_notified γ -∗ ▷ □ Q.
  Proof.
    iIntros "(%ηs & %η & #Hlb & #HQ) (%ηs' & #Hauth & #HQs)".
    iCombine "Hauth Hlb" gives %[_ [ηs'' ->]]%mono_list_both_dfrac_valid_L.
    iDestruct (big_sepL_lookup _ _ (length ηs) η with "HQs") as (Q') "[HQ' H]".
    { rewrite -assoc lookup_app_r // Nat.sub_diag //. }
    iDestruct (saved_prop_agree with "HQ HQ'") as "#Heq". iNext.
    iRewrite "Heq". done.
  Qed.

  (** ** Consumers *)

  Local Lemma ivar_parts_insert m v η X :
    m !! η = None →
    saved_pred_own η DfracDiscarded X -∗ ▷ X v -∗ ivar_parts m v -∗
    ivar_parts (<[η := ()]> m) v.
  Proof.
    iIntros (Hη) "#Hη HX Hm". rewrite /ivar_parts big_sepM_insert //. iFrame "Hm".
    iExists X. by iFrame "#∗".
  Qed.
  Local Lemma ivar_parts_delete m v η X :
    m !! η = Some () →
    saved_pred_own η DfracDiscarded X -∗ ivar_parts m v -∗
    ▷ X v ∗ ivar_parts (delete η m) v.
  Proof.
    iIntros (Hη) "#Hη Hm". rewrite /ivar_parts big_sepM_delete //.
    iDestruct "Hm" as "[(%X' & #Hη' & HX) $]".
    iDestruct (saved_pred_agree _ _ _ _ _ v with "Hη Hη'") as "#Heq". iNext.
    by iRewrite "Heq".
  Qed.

  Lemma ivar_consumer_divide γ t X X1 X2 E :
    ↑ivar_sharedN ⊆ E →
    ivar_inv γ t -∗ ivar_consumer γ X -∗ ▷ (∀ v, X v -∗ X1 v ∗ X2 v) ={E}=∗
    ivar_consumer γ X1 ∗ ivar_consumer γ X2.
  Proof.
    iIntros (HE) "#[_ I] (%η & Hη & #HX) Hdiv".
    iInv "I" as (s) "[>Hm (%m & >Hauth & Hs)]".
    iDestruct (ghost_map_lookup with "Hauth Hη") as %Hη.
    iMod (ghost_map_delete with "Hauth Hη") as "Hauth".
    iMod (saved_pred_alloc_cofinite (dom m) X1 DfracDiscarded) as (η1) "[%Hη1 #HX1]"; first done.
    iMod (saved_pred_alloc_cofinite ({[η1]} ∪ dom m) X2 DfracDiscarded) as (η2) "[%Hη2 #HX2]";
      first done.
    assert (delete η m !! η1 = None) as Hn1.
    { apply lookup_delete_None. right. by apply not_elem_of_dom. }
    assert (<[η1 := ()]> (delete η m) !! η2 = None) as Hn2.
    { apply lookup_insert_None. split; last set_solver.
      apply lookup_delete_None. right. apply not_elem_of_dom. set_solver. }
    iMod (ghost_map_insert η1 () with "Hauth") as "[Hauth H1]"; first done.
    iMod (ghost_map_insert η2 () with "Hauth") as "[Hauth H2]"; first done.
    iAssert (▷ ∀ v, ivar_parts m v -∗
      ivar_parts (<[η2 := ()]> (<[η1 := ()]> (delete η m))) v)%I with "[Hdiv]" as "Hparts".
    { iNext. iIntros (v) "Hm". iDestruct (ivar_parts_delete with "HX Hm") as "[HXv Hm]"; first done.
      iAssert (▷ (X1 v ∗ X2 v))%I with "[Hdiv HXv]" as "[H1 H2]".
      { iNext. by iApply "Hdiv". }
      iApply (ivar_parts_insert with "HX2 H2"); first done.
      by iApply (ivar_parts_insert with "HX1 H1"). }
    iModIntro. iSplitR "H1 H2".
    - iNext. iExists s. iFrame "Hm". iExists _. iFrame "Hauth". destruct s as [runs|v].
      + iDestruct "Hs" as "[HΨ $]". iIntros (v) "Hv". iApply "Hparts". by iApply "HΨ".
      + iDestruct "Hs" as "[Hp $]". by iApply "Hparts".
    - iModIntro. iSplitL "H1"; [iExists η1 | iExists η2]; by iFrame "∗#".
  Qed.

  Lemma ivar_consumer_wand γ t X X' E :
    ↑ivar_sharedN ⊆ E →
    ivar_inv γ t -∗ ivar_consumer γ X -∗ ▷ (∀ v, X v -∗ X' v) ={E}=∗ ivar_consumer γ X'.
  Proof.
    iIntros (HE) "#I HX HX'".
    iMod (ivar_consumer_divide _ _ _ X' (λ _, True)%I with "I HX [HX']") as "[$ _]"; [done| |done].
    iNext. iIntros (v) "HX". iSplitL; last done. by iApply "HX'".
  Qed.

  Lemma ivar_inv_result_consumer_later γ t v X E :
    ↑ivar_sharedN ⊆ E →
    ivar_inv γ t -∗ ivar_result γ v -∗ ivar_consumer γ X ={E}=∗ ▷ ▷ X v.
  Proof.
    iIntros (HE) "#[_ I] #Hv (%η & Hη & #HX)". iInv "I" as (s) "[>Hm Hs]".
    iDestruct (ivar_resolved_model with "Hv Hm") as %->.
    iDestruct "Hs" as (m) "(>Hauth & Hparts & Hs)".
    iDestruct (ghost_map_lookup with "Hauth Hη") as %Hη.
    iMod (ghost_map_delete with "Hauth Hη") as "Hauth".
    iAssert (▷ (▷ X v ∗ ivar_parts (delete η m) v))%I with "[Hparts]" as "[HXv Hparts]".
    { iNext. by iApply (ivar_parts_delete with "HX Hparts"). }
    iModIntro. iSplitR "HXv"; last by iModIntro.
    iNext. iExists (Set_ v). iFrame "Hm". iExists _. iFrame.
  Qed.
  Lemma ivar_inv_result_consumer γ t v X E :
    ↑ivar_sharedN ⊆ E →
    £ 2 -∗ ivar_inv γ t -∗ ivar_result γ v -∗ ivar_consumer γ X ={E}=∗ X v.
  Proof.
    iIntros (HE) "[Hlc1 Hlc2] #I #Hv HX".
    iMod (ivar_inv_result_consumer_later with "I Hv HX") as "HX"; first done.
    iMod (lc_fupd_elim_later with "Hlc1 HX") as "HX".
    by iMod (lc_fupd_elim_later with "Hlc2 HX") as "$".
  Qed.

  (** ** Operations *)

  (** Makes an existing ivar shared: the parameters may mention the ivar. *)
  Lemma ivar_share γs t E :
    is_ivar γs t -∗ ivar_model γs (Unset []) ={E}=∗
    ∃ γ, ⌜ivar_name_state γ = γs⌝ ∗
      ivar_inv γ t ∗ ivar_producer γ (DfracOwn 1) ∗ ivar_consumer γ Ψ.
  Proof.
    iIntros "#It Hm".
    iMod (saved_pred_alloc Ψ DfracDiscarded) as (η) "#Hη"; first done.
    iMod (ghost_map_alloc {[η := ()]}) as (γc) "[Hauth Hη']". rewrite big_sepM_singleton.
    iMod (own_alloc (●ML ([] : list gname))) as (γq) "Hq"; first apply mono_list_auth_valid.
    iMod (own_alloc (DfracOwn 1)) as (γp) "Hp"; first done.
    set (γ := IvarNames γs γc γq γp).
    iMod (inv_alloc ivar_sharedN _ (ivar_shared_inner γ) with "[Hm Hauth Hq]") as "#I".
    { iNext. iExists (Unset []). iFrame "Hm". iExists _. iFrame "Hauth". iSplitR.
      - iIntros (v) "Hv". rewrite /ivar_parts big_sepM_singleton. iExists Ψ. by iFrame "#∗".
      - iExists []. iFrame "Hq". by iApply big_sepL2_nil. }
    iModIntro. iExists γ. iFrame "Hp". iSplit; first done. iSplitR; first by iFrame "#".
    iExists η. by iFrame "#∗".
  Qed.

  (** Claim: The creator of an ivar has the right to set the ivar and the right to the
      value; both rights can be divided. *)
  Lemma ivar_create_shared_spec :
    {{{ True }}}
      base_ivar_create #()
    {{{ γ t, RET t; ivar_inv γ t ∗ ivar_producer γ (DfracOwn 1) ∗ ivar_consumer γ Ψ }}}.
  Proof.
    iIntros (Φ) "_ HΦ". iApply wp_fupd. wp_apply ivar_create_spec; first done.
    iIntros (γs t) "[#It Hm]". iMod (ivar_share with "It Hm") as (γ) "(_ & #I & Hp & Hc)".
    iModIntro. iApply "HΦ". by iFrame "#∗".
  Qed.

  (** The facts that a reader learns. *)
  Local Lemma ivar_shared_read γ (F : ivar_state → val) (Φ : val → iProp Σ) :
    inv ivar_sharedN (ivar_shared_inner γ) -∗
    ▷ (∀ s, match s with
            | Unset _ => True
            | Set_ v => ivar_result γ v ∗ □ Ξ v
            end -∗ Φ (F s)) -∗
    AU <{ ∃∃ s, ivar_model (ivar_name_state γ) s }> @ ⊤ ∖ ↑ivarN, ∅
       <{ ivar_model (ivar_name_state γ) s, COMM £ 2 -∗ |={⊤}=> Φ (F s) }>.
  Proof.
    iIntros "#I HΦ". iAuIntro. rewrite /atomic_acc /=.
    iInv "I" as (s) "[>Hm Hs]" "Hclose".
    iApply fupd_mask_intro; first set_solver. iIntros "Hmask". iExists s. iFrame "Hm".
    iAssert (▷ ((match s with
                 | Unset _ => True
                 | Set_ v => □ Ξ v
                 end) ∗ ivar_shared_state γ s))%I with "[Hs]" as "[HΞ Hs]".
    { iNext. destruct s as [runs|v]; first by iFrame.
      iDestruct "Hs" as (m) "(Hc & Hp & #HΞ & Hprod)". iFrame "HΞ". iExists m. by iFrame "∗#". }
    iSplit.
    - iIntros "Hm". iMod "Hmask" as "_". iMod ("Hclose" with "[Hm Hs]") as "_"; last by iFrame.
      iNext. iExists s. iFrame.
    - iIntros "Hm".
      iAssert (⌜True⌝ ∗ match s with Unset _ => True | Set_ v => ivar_result γ v end)%I
        with "[Hm]" as "#[_ Hres]".
      { iSplit; first done. destruct s; [done|iExact "Hm"]. }
      iMod "Hmask" as "_". iMod ("Hclose" with "[Hm Hs]") as "_".
      { iNext. iExists s. iFrame. }
      iModIntro. iIntros "[Hlc1 Hlc2]". iMod (lc_fupd_elim_later with "Hlc1 HΞ") as "HΞ".
      iMod (lc_fupd_elim_later with "Hlc2 HΦ") as "HΦ". iModIntro.
      iApply "HΦ". destruct s; [done|by iFrame "#∗"].
  Qed.

  Lemma ivar_peek_shared_spec γ t :
    {{{ ivar_inv γ t }}}
      base_ivar_peek t
    {{{ r, RET r; ⌜r = NONEV⌝ ∨ ∃ v, ⌜r = SOMEV v⌝ ∗ ivar_result γ v ∗ □ Ξ v }}}.
  Proof.
    iIntros (Φ) "#[It I] HΦ". iApply wp_fupd. iApply (ivar_peek_spec with "It").
    iApply (ivar_shared_read γ ivar_peek_state with "I"). iIntros "!> %s Hs". iApply "HΦ".
    destruct s as [runs|v]; first by iLeft. iRight. iExists v. by iFrame.
  Qed.

  (** Claim: [peek], called after the value is known, returns the value. *)
  Lemma ivar_peek_result_spec γ t v :
    {{{ ivar_inv γ t ∗ ivar_result γ v }}} base_ivar_peek t {{{ RET (SOMEV v); □ Ξ v }}}.
  Proof.
    iIntros (Φ) "#[[It I] Hv] HΦ". iApply wp_fupd. iApply (ivar_peek_spec with "It").
    iAuIntro. rewrite /atomic_acc /=. iInv "I" as (s) "[>Hm Hs]" "Hclose".
    iDestruct (ivar_resolved_model with "Hv Hm") as %->.
    iDestruct "Hs" as (m) "(Hc & Hp & #HΞ & Hprod)".
    iApply fupd_mask_intro; first set_solver. iIntros "Hmask". iExists _. iFrame "Hm".
    iSplit; iIntros "Hm"; iMod "Hmask" as "_";
      (iMod ("Hclose" with "[Hm Hc Hp Hprod]") as "_";
        [iNext; iExists (Set_ v); iFrame "Hm"; iExists m; by iFrame "∗#"|iModIntro]).
    - iFrame.
    - iIntros "[Hlc1 Hlc2]". simpl. iMod (lc_fupd_elim_later with "Hlc1 HΞ") as "#HΞ'".
      iMod (lc_fupd_elim_later with "Hlc2 HΦ") as "HΦ". iModIntro. by iApply "HΦ".
  Qed.

  Lemma ivar_is_set_shared_spec γ t :
    {{{ ivar_inv γ t }}}
      base_ivar_is_set t
    {{{ (b : bool), RET #b; if b then ∃ v, ivar_result γ v ∗ □ Ξ v else True }}}.
  Proof.
    iIntros (Φ) "#[It I] HΦ". iApply wp_fupd. iApply (ivar_is_set_spec with "It").
    iApply (ivar_shared_read γ (λ s, #(ivar_is_set_state s)) with "I").
    iIntros "!> %s Hs". iApply "HΦ". destruct s as [runs|v]; simpl; eauto.
  Qed.

  (** Claim: [wait] gives the callback to the ivar if [wait] registers the callback;
      otherwise the callback stays with the caller, and [wait] returns the value. *)
  Lemma ivar_wait_shared_spec γ t run Q :
    {{{ ivar_inv γ t ∗ ivar_callback γ run Q }}}
      base_ivar_wait t run
    {{{ r, RET r;
        (⌜r = NONEV⌝ ∗ ivar_called γ Q) ∨
        (∃ v, ⌜r = SOMEV v⌝ ∗ ivar_result γ v ∗ □ Ξ v ∗ ivar_callback γ run Q) }}}.
  Proof.
    iIntros (Φ) "[#[It I] Hrun] HΦ". iApply wp_fupd. iApply (ivar_wait_spec with "It").
    iAuIntro. rewrite /atomic_acc /=. iInv "I" as ([runs|v]) "[>Hm Hs]" "Hclose".
    - iDestruct "Hs" as (m) "(Hc & Hparts & %ηs & >Hηs & Hruns)".
      iApply fupd_mask_intro; first set_solver. iIntros "Hmask". iExists _. iFrame "Hm".
      iSplit; iIntros "Hm"; iMod "Hmask" as "_".
      { iMod ("Hclose" with "[-Hrun HΦ]") as "_"; last by iFrame.
        iNext. iExists (Unset runs). iFrame. }
      iMod (saved_prop_alloc Q DfracDiscarded) as (η) "#Hη"; first done.
      iMod (own_update _ _ (●ML (ηs ++ [η]) ⋅ ◯ML (ηs ++ [η])) with "Hηs") as "[Hηs Hlb]".
      { rewrite -mono_list_auth_lb_op. apply mono_list_update. by apply prefix_app_r. }
      iMod ("Hclose" with "[-Hlb HΦ]") as "_".
      { iNext. iExists (Unset (runs ++ [run])). iFrame "Hm". iExists m. iFrame "Hc Hparts".
        iExists (ηs ++ [η]). iFrame "Hηs". iApply (big_sepL2_app with "Hruns").
        iApply big_sepL2_singleton. iExists Q. by iFrame "#∗". }
      iModIntro. iIntros "[Hlc _]". iMod (lc_fupd_elim_later with "Hlc HΦ") as "HΦ".
      iModIntro. iApply "HΦ". iLeft. iSplit; first done.
      iExists ηs, η. by iFrame "#∗".
    - iDestruct "Hs" as (m) "(Hc & Hp & #HΞ & Hprod)".
      iApply fupd_mask_intro; first set_solver. iIntros "Hmask". iExists _. iFrame "Hm".
      iSplit; iIntros "Hm"; iMod "Hmask" as "_".
      { iMod ("Hclose" with "[-Hrun HΦ]") as "_"; last by iFrame.
        iNext. iExists (Set_ v). iFrame "Hm". iExists m. by iFrame "∗#". }
      iDestruct "Hm" as "#Hm". iMod ("Hclose" with "[-Hrun HΦ]") as "_".
      { iNext. iExists (Set_ v). iFrame "Hm". iExists m. by iFrame "∗#". }
      iModIntro. iIntros "[Hlc1 Hlc2]". iMod (lc_fupd_elim_later with "Hlc1 HΞ") as "#HΞ'".
      iMod (lc_fupd_elim_later with "Hlc2 HΦ") as "HΦ". iModIntro.
      iApply "HΦ". iRight. iExists v. by iFrame "#∗".
  Qed.

  Local Lemma ivar_calls_fupd ctx v runs (P : iProp Σ) :
    (|={⊤}=> ivar_calls ctx v runs (|={⊤}=> P)) -∗ ivar_calls ctx v runs (|={⊤}=> P).
  Proof.
    iIntros "H". destruct runs as [|run runs]; simpl; last by iApply fupd_wp.
    by iApply fupd_trans.
  Qed.

  (** The calls of a winning setter. *)
  Local Lemma ivar_run_callbacks γ x ctx v runs ηs (K : iProp Σ) :
    ivar_callbacks γ runs ηs -∗ C x ctx -∗ ivar_result γ v -∗ □ Ξ v -∗
    (C x ctx -∗ ([∗ list] η ∈ ηs, ∃ Q, saved_prop_own η DfracDiscarded Q ∗ ▷ □ Q) -∗ K) -∗
    ivar_calls ctx v runs K.
  Proof.
    iIntros "Hruns HC #Hv #HΞ HK".
    iInduction runs as [|run runs] "IH" forall (ηs K).
    - iDestruct (big_sepL2_nil_inv_l with "Hruns") as %->. simpl. by iApply ("HK" with "HC").
    - iDestruct (big_sepL2_cons_inv_l with "Hruns") as (η ηs' ->) "[(%Q & #Hη & Hrun) Hruns]".
      simpl. iApply (wp_wand with "[Hrun HC]"); first by iApply ("Hrun" with "HC Hv HΞ").
      iIntros (_) "[HC #HQ]". iApply ("IH" with "Hruns HC"). iIntros "HC HQs".
      iApply ("HK" with "HC"). iFrame "HQs". iExists Q. by iFrame "#".
  Qed.

  (** Claim: Of several setters, the first gives the value and the value's resources away;
      the other setters get their resources back. *)
  Lemma ivar_set_shared_spec γ t x ctx v dq :
    {{{ ivar_inv γ t ∗ ivar_producer γ dq ∗ C x ctx ∗ ▷ Ψ v ∗ ▷ □ Ξ v }}}
      base_ivar_set ctx t v
    {{{ (b : bool), RET #b; C x ctx ∗
        if b then ivar_result γ v ∗ ivar_notified γ
        else (∃ w, ivar_result γ w) ∗ ivar_producer γ dq ∗ Ψ v }}}.
  Proof.
    iIntros (Φ) "(#[It I] & Hprod & HC & HΨ & #HΞ) HΦ". iApply wp_fupd.
    iApply (ivar_set_spec with "It").
    iAuIntro. rewrite /atomic_acc /=. iInv "I" as ([runs|w]) "[>Hm Hs]" "Hclose".
    - iDestruct "Hs" as (m) "(Hc & Hparts & %ηs & >Hηs & Hruns)".
      iApply fupd_mask_intro; first set_solver. iIntros "Hmask". iExists _. iFrame "Hm".
      iSplit; iIntros "Hm"; iMod "Hmask" as "_".
      { iMod ("Hclose" with "[Hm Hc Hparts Hηs Hruns]") as "_"; last by iFrame.
        iNext. iExists (Unset runs). iFrame. }
      iDestruct "Hm" as "#Hm".
      iMod (own_update _ _ (●ML□ ηs) with "Hηs") as "#Hηs"; first apply mono_list_auth_persist.
      iMod ("Hclose" with "[Hc Hparts HΨ Hprod]") as "_".
      { iNext. iExists (Set_ v). iFrame "Hm". iExists m. iFrame "Hc".
        iSplitL "Hparts HΨ"; first by iApply "Hparts". by iFrame "#∗". }
      iModIntro. iIntros "[Hlc1 Hlc2]". iApply ivar_calls_fupd.
      iCombine "Hruns HΞ" as "Hruns".
      iMod (lc_fupd_elim_later with "Hlc1 Hruns") as "[Hruns #HΞ']".
      iMod (lc_fupd_elim_later with "Hlc2 HΦ") as "HΦ". iModIntro.
      iApply (ivar_run_callbacks with "Hruns HC Hm HΞ'"). iIntros "HC #HQs !>".
      iApply "HΦ". iFrame "HC Hm". iExists ηs. by iFrame "#".
    - iDestruct "Hs" as (m) "(Hc & Hp & #HΞ' & Hprod')".
      iApply fupd_mask_intro; first set_solver. iIntros "Hmask". iExists _. iFrame "Hm".
      iSplit; iIntros "Hm"; iMod "Hmask" as "_".
      { iMod ("Hclose" with "[Hm Hc Hp Hprod']") as "_"; last by iFrame.
        iNext. iExists (Set_ w). iFrame "Hm". iExists m. by iFrame "∗#". }
      iDestruct "Hm" as "#Hm". iMod ("Hclose" with "[Hc Hp Hprod']") as "_".
      { iNext. iExists (Set_ w). iFrame "Hm". iExists m. by iFrame "∗#". }
      iModIntro. iIntros "[Hlc _]". iCombine "HΦ HΨ" as "H".
      iMod (lc_fupd_elim_later with "Hlc H") as "[HΦ HΨ]". iModIntro.
      iApply "HΦ". by iFrame "#∗".
  Qed.

  (** The caller is the only producer. *)
  (** Claim: [set] never fails if the caller has the whole right to set. *)
  Lemma ivar_set_exclusive_spec γ t x ctx v :
    {{{ ivar_inv γ t ∗ ivar_producer γ (DfracOwn 1) ∗ C x ctx ∗ ▷ Ψ v ∗ ▷ □ Ξ v }}}
      base_ivar_set ctx t v
    {{{ RET #true; C x ctx ∗ ivar_result γ v ∗ ivar_notified γ }}}.
  Proof.
    iIntros (Φ) "(#I & Hprod & HC & HΨ & #HΞ) HΦ". iApply wp_fupd.
    wp_apply (ivar_set_shared_spec with "[$I $Hprod $HC $HΨ $HΞ]").
    iIntros ([]) "[HC H]"; first by (iModIntro; iApply "HΦ"; iFrame).
    iDestruct "H" as "([%w #Hw] & Hprod & _)".
    by iMod (ivar_producer_result with "I Hprod Hw") as %[].
  Qed.
End ivar.
