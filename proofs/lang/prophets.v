(** * Prophecy variables, in four layers

    A prophecy variable tells, at its creation, the values that will be observed when
    the variable is resolved, later in the same execution. Each layer below is built on
    the layer before it alone:

    - a {e primitive} prophet is HeapLang's own: [proph p raw], with [wp_new_proph] and
      [wp_resolve]; [raw] lists the values that are still to be observed;
    - a {e typed} prophet announces values of a type: the prophet keeps the well-typed
      prefix of the raw list, and only well-typed values can resolve the prophet
      ([typed_prophet_*]);
    - a {e wise} prophet remembers: past and future together never change, so earlier
      knowledge of the future can be compared with the part that is past by now
      ([wise_prophet_*]);
    - {e multiplexed} prophets put a family of wise prophets, one for each key, into one
      physical variable ([wise_prophets_*]).

    Source of the statements: "A Verified Parallel Scheduler for OCaml 5", section
    13. *)
From stdpp Require Import functions.
From iris.algebra Require Import agree.
From iris.algebra.lib Require Import mono_list.
From iris.base_logic.lib Require Import own.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.

(** ** Typed prophets *)

Record typed_prophet := TypedProphet {
  typed_prophet_type :> Type;
  typed_prophet_of_val : val → option typed_prophet_type;
  typed_prophet_to_val : typed_prophet_type → val;
  typed_prophet_of_to_val a :
    typed_prophet_of_val (typed_prophet_to_val a) = Some a;
}.

Section typed_prophet.
  Context (P : typed_prophet) `{!heapGS Σ}.
  Implicit Types (p : proph_id) (prophs : list P) (raw : list (val * val)).

  (** The well-typed prefix of the values that will be observed. *)
  Fixpoint typed_prophet_decode raw : list P :=
    match raw with
    | [] => []
    | (_, v) :: raw =>
        match typed_prophet_of_val P v with
        | Some a => a :: typed_prophet_decode raw
        | None => []
        end
    end.

  Definition typed_prophet_model p prophs : iProp Σ :=
    ∃ raw, proph p raw ∗ ⌜prophs = typed_prophet_decode raw⌝.

  Global Instance typed_prophet_model_timeless p prophs :
    Timeless (typed_prophet_model p prophs).
  Proof. apply _. Qed.

  Lemma typed_prophet_model_exclusive p prophs1 prophs2 :
    typed_prophet_model p prophs1 -∗ typed_prophet_model p prophs2 -∗ False.
  Proof.
    iIntros "(% & H1 & _) (% & H2 & _)". iApply (proph_exclusive with "H1 H2").
  Qed.

  (** Claim: A prophecy variable announces values of any type that is encoded in the
      values of the language. *)
  Lemma wp_typed_prophet s E :
    {{{ True }}} NewProph @ s; E
    {{{ p prophs, RET #p; typed_prophet_model p prophs }}}.
  Proof.
    iIntros (Φ) "_ HΦ". iApply wp_new_proph; first done.
    iIntros "!>" (raw p) "Hp". iApply "HΦ". iExists raw. by iFrame.
  Qed.

  Lemma wp_typed_resolve s E e p v proph prophs Φ :
    Atomic StronglyAtomic e → to_val e = None →
    v = typed_prophet_to_val P proph →
    typed_prophet_model p prophs -∗
    WP e @ s; E {{ w, ∀ prophs',
      ⌜prophs = proph :: prophs'⌝ -∗ typed_prophet_model p prophs' -∗ Φ w }} -∗
    WP Resolve e #p (Val v) @ s; E {{ Φ }}.
  Proof.
    iIntros (?? ->) "(%raw & Hp & ->) Hwp".
    iApply (wp_resolve with "Hp"); first done.
    iApply (wp_wand with "Hwp"). iIntros (w) "HΦ". iIntros (raw') "-> Hp".
    iApply "HΦ".
    - iPureIntro. by rewrite /= typed_prophet_of_to_val.
    - iExists raw'. by iFrame.
  Qed.
End typed_prophet.

(** ** Wise prophets *)

Class wise_prophetG (P : typed_prophet) Σ := WiseProphetG {
  #[local] wise_prophet_full_inG :: inG Σ (agreeR (leibnizO (list P)));
  #[local] wise_prophet_past_inG :: inG Σ (mono_listR (leibnizO P));
}.
Definition wise_prophetΣ (P : typed_prophet) : gFunctors :=
  #[GFunctor (agreeR (leibnizO (list P))); GFunctor (mono_listR (leibnizO P))].
Global Instance subG_wise_prophetΣ P Σ : subG (wise_prophetΣ P) Σ → wise_prophetG P Σ.
Proof. solve_inG. Qed.

Definition wise_prophet_names : Type := gname * gname.

Section wise_prophet.
  Context (P : typed_prophet) `{!heapGS Σ, !wise_prophetG P Σ}.
  Implicit Types (p : proph_id) (γ : wise_prophet_names) (past prophs lb : list P).

  (** All values that were or will be observed. *)
  Definition wise_prophet_full γ prophs : iProp Σ :=
    own γ.1 (to_agree (prophs : leibnizO (list P))).

  Definition wise_prophet_model p γ past prophs : iProp Σ :=
    typed_prophet_model P p prophs ∗ wise_prophet_full γ (past ++ prophs) ∗
    own γ.2 (●ML (past : list (leibnizO P))).

  (** The past and the future at some earlier moment. *)
  Definition wise_prophet_snapshot γ past prophs : iProp Σ :=
    wise_prophet_full γ (past ++ prophs) ∗ own γ.2 (◯ML (past : list (leibnizO P))).

  Definition wise_prophet_lb γ lb : iProp Σ := ∃ past, wise_prophet_snapshot γ past lb.

  Global Instance wise_prophet_full_persistent γ prophs :
    Persistent (wise_prophet_full γ prophs).
  Proof. apply _. Qed.
  Global Instance wise_prophet_snapshot_persistent γ past prophs :
    Persistent (wise_prophet_snapshot γ past prophs).
  Proof. apply _. Qed.
  Global Instance wise_prophet_lb_persistent γ lb : Persistent (wise_prophet_lb γ lb).
  Proof. apply _. Qed.
  Global Instance wise_prophet_model_timeless p γ past prophs :
    Timeless (wise_prophet_model p γ past prophs).
  Proof. apply _. Qed.
  Global Instance wise_prophet_full_timeless γ prophs : Timeless (wise_prophet_full γ prophs).
  Proof. apply _. Qed.
  Global Instance wise_prophet_snapshot_timeless γ past prophs :
    Timeless (wise_prophet_snapshot γ past prophs).
  Proof. apply _. Qed.

  Lemma wise_prophet_model_exclusive p γ1 past1 prophs1 γ2 past2 prophs2 :
    wise_prophet_model p γ1 past1 prophs1 -∗ wise_prophet_model p γ2 past2 prophs2 -∗ False.
  Proof.
    iIntros "(H1 & _) (H2 & _)". iApply (typed_prophet_model_exclusive with "H1 H2").
  Qed.

  Lemma wise_prophet_full_get p γ past prophs :
    wise_prophet_model p γ past prophs -∗ wise_prophet_full γ (past ++ prophs).
  Proof. by iIntros "(_ & #H & _)". Qed.
  Lemma wise_prophet_full_agree γ prophs1 prophs2 :
    wise_prophet_full γ prophs1 -∗ wise_prophet_full γ prophs2 -∗ ⌜prophs1 = prophs2⌝.
  Proof. iIntros "H1 H2". by iCombine "H1 H2" gives %?%to_agree_op_inv_L. Qed.
  Lemma wise_prophet_full_valid p γ past prophs1 prophs2 :
    wise_prophet_model p γ past prophs1 -∗ wise_prophet_full γ prophs2 -∗
    ⌜prophs2 = past ++ prophs1⌝.
  Proof.
    iIntros "(_ & H1 & _) H2". iApply (wise_prophet_full_agree with "H2 H1").
  Qed.

  Lemma wise_prophet_snapshot_get p γ past prophs :
    wise_prophet_model p γ past prophs -∗ wise_prophet_snapshot γ past prophs.
  Proof.
    iIntros "(_ & #$ & H)". iApply (own_mono with "H"). apply mono_list_included.
  Qed.
  Lemma wise_prophet_snapshot_valid p γ past1 prophs1 past2 prophs2 :
    wise_prophet_model p γ past1 prophs1 -∗ wise_prophet_snapshot γ past2 prophs2 -∗
    ⌜∃ past3, past1 = past2 ++ past3 ∧ prophs2 = past3 ++ prophs1⌝.
  Proof.
    iIntros "(_ & Hf1 & Hp1) (Hf2 & Hp2)".
    iDestruct (wise_prophet_full_agree with "Hf1 Hf2") as %Heq.
    iCombine "Hp1 Hp2" gives %[past3 ->]%mono_list_both_valid_L. iPureIntro.
    exists past3. split; first done.
    rewrite -app_assoc in Heq. by apply app_inv_head in Heq.
  Qed.

  Lemma wise_prophet_lb_get p γ past prophs :
    wise_prophet_model p γ past prophs -∗ wise_prophet_lb γ prophs.
  Proof. iIntros "H". iExists _. by iApply wise_prophet_snapshot_get. Qed.
  Lemma wise_prophet_lb_valid p γ past prophs lb :
    wise_prophet_model p γ past prophs -∗ wise_prophet_lb γ lb -∗
    ⌜∃ past1 past2, past = past1 ++ past2 ∧ lb = past2 ++ prophs⌝.
  Proof.
    iIntros "H (%past1 & Hs)".
    iDestruct (wise_prophet_snapshot_valid with "H Hs") as %(past2 & ? & ?). eauto.
  Qed.

  Lemma wp_wise_prophet s E :
    {{{ True }}} NewProph @ s; E
    {{{ p γ prophs, RET #p; wise_prophet_model p γ [] prophs }}}.
  Proof.
    iIntros (Φ) "_ HΦ". iApply wp_fupd. iApply (wp_typed_prophet P); first done.
    iIntros "!>" (p prophs) "Hp".
    iMod (own_alloc (to_agree (prophs : leibnizO (list P)))) as (γ1) "Hf"; first done.
    iMod (own_alloc (●ML ([] : list (leibnizO P)))) as (γ2) "Hl".
    { apply mono_list_auth_valid. }
    iModIntro. iApply ("HΦ" $! p (γ1, γ2) prophs). iFrame.
  Qed.

  (** Claim: A wise prophet remembers the values of past resolutions, and past and
      future together never change. *)
  Lemma wp_wise_resolve s E e p γ v past proph prophs Φ :
    Atomic StronglyAtomic e → to_val e = None →
    v = typed_prophet_to_val P proph →
    wise_prophet_model p γ past prophs -∗
    WP e @ s; E {{ w, ∀ prophs',
      ⌜prophs = proph :: prophs'⌝ -∗
      wise_prophet_model p γ (past ++ [proph]) prophs' ={E}=∗ Φ w }} -∗
    WP Resolve e #p (Val v) @ s; E {{ Φ }}.
  Proof.
    iIntros (?? ->) "(Hp & #Hf & Hl) Hwp".
    iApply wp_fupd. iApply (wp_typed_resolve P with "Hp"); [done..|].
    iApply (wp_wand with "Hwp"). iIntros (w) "HΦ". iIntros (prophs') "-> Hp".
    iMod (own_update with "Hl") as "Hl".
    { apply (mono_list_update ((past ++ [proph]) : list (leibnizO P))).
      by apply prefix_app_r. }
    iApply ("HΦ" with "[//]"). iFrame "Hp Hl". by rewrite -app_assoc.
  Qed.
End wise_prophet.

(** ** Multiplexed prophets *)

Record multiplexed_prophet := MultiplexedProphet {
  multiplexed_prophet_key : typed_prophet;
  multiplexed_prophet_key_dec : EqDecision multiplexed_prophet_key;
  multiplexed_prophet_prophet : typed_prophet;
}.
Global Existing Instance multiplexed_prophet_key_dec.

(** The one physical variable announces pairs of a key and a prophecy. *)
Section multiplexed_prophet_pair.
  Context (M : multiplexed_prophet).
  Local Notation K := (multiplexed_prophet_key M).
  Local Notation P := (multiplexed_prophet_prophet M).

  Definition multiplexed_prophet_of_val (v : val) : option (K * P) :=
    match v with
    | PairV v1 v2 =>
        match typed_prophet_of_val K v1, typed_prophet_of_val P v2 with
        | Some k, Some a => Some (k, a)
        | _, _ => None
        end
    | _ => None
    end.
  Definition multiplexed_prophet_to_val (ka : K * P) : val :=
    (typed_prophet_to_val K ka.1, typed_prophet_to_val P ka.2).
  Lemma multiplexed_prophet_of_to_val ka :
    multiplexed_prophet_of_val (multiplexed_prophet_to_val ka) = Some ka.
  Proof. destruct ka. by rewrite /= !typed_prophet_of_to_val. Qed.
  Definition multiplexed_prophet_pair : typed_prophet :=
    TypedProphet _ _ _ multiplexed_prophet_of_to_val.
End multiplexed_prophet_pair.

Notation wise_prophetsG M := (wise_prophetG (multiplexed_prophet_pair M)).
Notation wise_prophetsΣ M := (wise_prophetΣ (multiplexed_prophet_pair M)).

Section wise_prophets.
  Context (M : multiplexed_prophet) `{!heapGS Σ, !wise_prophetsG M Σ}.
  Local Notation K := (multiplexed_prophet_key M).
  Local Notation P := (multiplexed_prophet_prophet M).
  Local Notation KP := (multiplexed_prophet_pair M).
  Implicit Types (p : proph_id) (γ : wise_prophet_names) (k : K) (l : list (K * P)).
  Implicit Types (past prophs lb : list P) (pasts prophss : K → list P).

  (** The prophecies of one key in a list. *)
  Definition wise_prophets_at k l : list P :=
    omap (λ ka, if decide (ka.1 = k) then Some ka.2 else None) l.
  Lemma wise_prophets_at_app k l1 l2 :
    wise_prophets_at k (l1 ++ l2) = wise_prophets_at k l1 ++ wise_prophets_at k l2.
  Proof. apply omap_app. Qed.
  Lemma wise_prophets_at_cons_eq k a l :
    wise_prophets_at k ((k, a) :: l) = a :: wise_prophets_at k l.
  Proof. rewrite /wise_prophets_at /=. by rewrite decide_True. Qed.
  Lemma wise_prophets_at_cons_ne k k' a l :
    k' ≠ k → wise_prophets_at k ((k', a) :: l) = wise_prophets_at k l.
  Proof. intros. rewrite /wise_prophets_at /=. by rewrite decide_False. Qed.

  Definition wise_prophets_model p γ pasts prophss : iProp Σ :=
    ∃ lpast lprophs, wise_prophet_model KP p γ lpast lprophs ∗
      ⌜∀ k, pasts k = wise_prophets_at k lpast⌝ ∗
      ⌜∀ k, prophss k = wise_prophets_at k lprophs⌝.
  Definition wise_prophets_full γ k prophs : iProp Σ :=
    ∃ l, wise_prophet_full KP γ l ∗ ⌜prophs = wise_prophets_at k l⌝.
  Definition wise_prophets_snapshot γ k past prophs : iProp Σ :=
    ∃ lpast lprophs, wise_prophet_snapshot KP γ lpast lprophs ∗
      ⌜past = wise_prophets_at k lpast ∧ prophs = wise_prophets_at k lprophs⌝.
  Definition wise_prophets_lb γ k lb : iProp Σ :=
    ∃ past, wise_prophets_snapshot γ k past lb.

  Global Instance wise_prophets_full_persistent γ k prophs :
    Persistent (wise_prophets_full γ k prophs).
  Proof. apply _. Qed.
  Global Instance wise_prophets_snapshot_persistent γ k past prophs :
    Persistent (wise_prophets_snapshot γ k past prophs).
  Proof. apply _. Qed.
  Global Instance wise_prophets_lb_persistent γ k lb :
    Persistent (wise_prophets_lb γ k lb).
  Proof. apply _. Qed.
  Global Instance wise_prophets_model_timeless p γ pasts prophss :
    Timeless (wise_prophets_model p γ pasts prophss).
  Proof. apply _. Qed.
  Global Instance wise_prophets_full_timeless γ k prophs :
    Timeless (wise_prophets_full γ k prophs).
  Proof. apply _. Qed.

  Lemma wise_prophets_model_exclusive p γ1 pasts1 prophss1 γ2 pasts2 prophss2 :
    wise_prophets_model p γ1 pasts1 prophss1 -∗
    wise_prophets_model p γ2 pasts2 prophss2 -∗ False.
  Proof.
    iIntros "(% & % & H1 & _) (% & % & H2 & _)".
    iApply (wise_prophet_model_exclusive with "H1 H2").
  Qed.

  Lemma wise_prophets_full_get p γ pasts prophss k :
    wise_prophets_model p γ pasts prophss -∗
    wise_prophets_full γ k (pasts k ++ prophss k).
  Proof.
    iIntros "(%lpast & %lprophs & Hp & %Hpast & %Hprophs)". iExists (lpast ++ lprophs).
    iDestruct (wise_prophet_full_get with "Hp") as "$".
    iPureIntro. by rewrite wise_prophets_at_app Hpast Hprophs.
  Qed.
  Lemma wise_prophets_full_agree γ k prophs1 prophs2 :
    wise_prophets_full γ k prophs1 -∗ wise_prophets_full γ k prophs2 -∗
    ⌜prophs1 = prophs2⌝.
  Proof.
    iIntros "(%l1 & H1 & ->) (%l2 & H2 & ->)".
    by iDestruct (wise_prophet_full_agree with "H1 H2") as %->.
  Qed.
  Lemma wise_prophets_full_valid p γ pasts prophss k prophs :
    wise_prophets_model p γ pasts prophss -∗ wise_prophets_full γ k prophs -∗
    ⌜prophs = pasts k ++ prophss k⌝.
  Proof.
    iIntros "H1 H2". iDestruct (wise_prophets_full_get with "H1") as "H3".
    iApply (wise_prophets_full_agree with "H2 H3").
  Qed.

  Lemma wise_prophets_snapshot_get p γ pasts prophss k :
    wise_prophets_model p γ pasts prophss -∗
    wise_prophets_snapshot γ k (pasts k) (prophss k).
  Proof.
    iIntros "(%lpast & %lprophs & Hp & %Hpast & %Hprophs)". iExists lpast, lprophs.
    iDestruct (wise_prophet_snapshot_get with "Hp") as "$". done.
  Qed.
  Lemma wise_prophets_snapshot_valid p γ pasts prophss k past prophs :
    wise_prophets_model p γ pasts prophss -∗ wise_prophets_snapshot γ k past prophs -∗
    ⌜∃ past', pasts k = past ++ past' ∧ prophs = past' ++ prophss k⌝.
  Proof.
    iIntros "(%lpast & %lprophs & Hp & %Hpast & %Hprophs) (%lpast' & %lprophs' & Hs & -> & ->)".
    iDestruct (wise_prophet_snapshot_valid with "Hp Hs") as %(mid & -> & ->).
    iPureIntro. exists (wise_prophets_at k mid).
    by rewrite Hpast Hprophs -!wise_prophets_at_app.
  Qed.

  Lemma wise_prophets_lb_get p γ pasts prophss k :
    wise_prophets_model p γ pasts prophss -∗ wise_prophets_lb γ k (prophss k).
  Proof. iIntros "H". iExists _. by iApply wise_prophets_snapshot_get. Qed.
  Lemma wise_prophets_lb_valid p γ pasts prophss k lb :
    wise_prophets_model p γ pasts prophss -∗ wise_prophets_lb γ k lb -∗
    ⌜∃ past1 past2, pasts k = past1 ++ past2 ∧ lb = past2 ++ prophss k⌝.
  Proof.
    iIntros "H (%past & Hs)".
    iDestruct (wise_prophets_snapshot_valid with "H Hs") as %(past' & ? & ?). eauto.
  Qed.

  Lemma wp_wise_prophets s E :
    {{{ True }}} NewProph @ s; E
    {{{ p γ prophss, RET #p; wise_prophets_model p γ (λ _, []) prophss }}}.
  Proof.
    iIntros (Φ) "_ HΦ". iApply (wp_wise_prophet KP); first done.
    iIntros "!>" (p γ prophs) "Hp".
    iApply ("HΦ" $! p γ (λ k, wise_prophets_at k prophs)).
    iExists [], prophs. by iFrame.
  Qed.

  (** Claim: A multiplexed prophet is one variable with a wise prophet for each key. *)
  Lemma wp_wise_resolves s E e p γ k v pasts proph prophss Φ :
    Atomic StronglyAtomic e → to_val e = None →
    v = (typed_prophet_to_val K k, typed_prophet_to_val P proph)%V →
    wise_prophets_model p γ pasts prophss -∗
    WP e @ s; E {{ w, ∀ prophs,
      ⌜prophss k = proph :: prophs⌝ -∗
      wise_prophets_model p γ (alter (.++ [proph]) k pasts) (<[k := prophs]> prophss)
      ={E}=∗ Φ w }} -∗
    WP Resolve e #p (Val v) @ s; E {{ Φ }}.
  Proof.
    iIntros (?? ->) "(%lpast & %lprophs & Hp & %Hpast & %Hprophs) Hwp".
    iApply (wp_wise_resolve KP _ _ _ _ _ _ _ (k, proph) with "Hp"); [done..|].
    iApply (wp_wand with "Hwp"). iIntros (w) "HΦ". iIntros (lprophs') "-> Hp".
    iApply ("HΦ" $! (wise_prophets_at k lprophs')).
    { iPureIntro. by rewrite Hprophs wise_prophets_at_cons_eq. }
    iExists (lpast ++ [(k, proph)]), lprophs'. iFrame "Hp". iPureIntro. split.
    - intros k'. rewrite wise_prophets_at_app. destruct (decide (k = k')) as [->|Hne].
      + by rewrite fn_lookup_alter wise_prophets_at_cons_eq Hpast.
      + by rewrite fn_lookup_alter_ne // wise_prophets_at_cons_ne // app_nil_r.
    - intros k'. destruct (decide (k = k')) as [->|Hne].
      + by rewrite fn_lookup_insert.
      + by rewrite fn_lookup_insert_ne // Hprophs wise_prophets_at_cons_ne.
  Qed.
End wise_prophets.

(** ** Two types of prophecies *)

Definition int_prophet_of_val (v : val) : option Z :=
  match v with LitV (LitInt n) => Some n | _ => None end.
Definition int_prophet : typed_prophet :=
  TypedProphet Z int_prophet_of_val (λ n, #n) (λ _, eq_refl).

(** A program that makes a prophecy variable for each attempt can use another prophecy
    variable to announce the attempt that will succeed. *)
Definition id_prophet_of_val (v : val) : option proph_id :=
  match v with LitV (LitProphecy p) => Some p | _ => None end.
Definition id_prophet : typed_prophet :=
  TypedProphet proph_id id_prophet_of_val (λ p, #p) (λ _, eq_refl).
