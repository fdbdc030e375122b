(** * Chase-Lev deques: the argument that all of them share

    A Chase-Lev deque has slots and two indices.  Thieves advance the [front] index
    by compare-and-set, and the owner does the same for the last item.  The owner
    alone writes the [back] index.  This file follows the two indices and the
    content, for any slots; the files [bounded.v], [dynamic.v] and [infinite.v] add
    the slots and the code.

    {b State.}  [L] is the list of all items since the beginning: [L !! i] is the
    item with index [i].  The owner knows [L], appends to [L] and removes its last
    items.  [f] is the value of [front].  The items below [f] are gone (the history);
    the others are the content, [drop f L].

    | state | [back] | [f] | content | name |
    |---|---|---|---|---|
    | [Stable] | [length L] | [f < length L] | [drop f L] | non-empty |
    | [Stable] | [length L] | [f = length L] | none | empty |
    | [Unstable] | [length L - 1] | [f + 1 = length L] | none | emptyish |
    | [Unstable] | [length L - 1] | [f = length L] | none | super-empty |

    The deque is [Unstable] after the owner has found no item to pop, until the owner
    has repaired [back].  In the emptyish state, item [f] belongs to the thief that
    is about to take item [f].

    {b Linearisation points, and the prophecy.}  Several threads may try to advance
    [front] from [f], and the proof has to know the winner early.  One prophecy
    variable announces the winner for every [f]: the key is the index [f], the value
    is the identifier of the winning attempt.  (Every attempt makes a prophecy
    variable of its own, only to have an identifier.)

    - An unsuccessful [steal] is linearised when the thief reads [back <= front].
    - A [steal] that reads [back > front = f], and is announced as the winner of [f],
      registers: the thief leaves its atomic update in the invariant.  From then on
      [front] does not move until this thief wins.  The [steal] is linearised at its
      compare-and-set, by the thief, or earlier, by the owner (see [pop]).  All other
      thieves that have read [front = f] lose, and try again.
    - A [pop] is linearised when the owner writes [back - 1].  The [pop] takes the
      last item, unless the last item is item [f] and a thief has registered for [f].
      In this case the owner first carries out the thief's steal, and then finds the
      deque empty.  So the deque is truly empty for a [pop] that fails, and for any
      thief that comes between the write of [back] and the end of the [pop].
      If the [pop] takes item [f], the owner is going to win the compare-and-set:
      another winner would have been announced, and would have registered.
    - A [push] is linearised when the owner writes [back + 1].

    {b Slots} are a parameter: the predicate [R f L o], part of the invariant.
    [R f L o] says that the slots hold the items from [f] up to the end of [L].  [o]
    is [Some x] if a thief has registered; the tag [x] carries what the slots have to
    remember about this thief.  [chase_lev_slots] lists the laws of [R].

    Source of the statements: "A Verified Parallel Scheduler for OCaml 5",
    section 3; the algorithm: Chase and Lev, SPAA 2005. *)
From stdpp Require Import functions.
From iris.base_logic.lib Require Import invariants ghost_var mono_nat saved_prop.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prophets.

Notation option_to_val o := (from_option InjRV (InjLV #()) o).

Definition chase_lev_winners : multiplexed_prophet :=
  MultiplexedProphet int_prophet Z.eq_dec id_prophet.

Inductive chase_lev_status := Stable | Unstable.
Global Instance chase_lev_status_inhabited : Inhabited chase_lev_status := populate Stable.

(** A registered thief: its identifier, the index and the item that the thief is going
    to take, the name of its postcondition, its tag. *)
Definition chase_lev_ticket (X : Type) : Type := proph_id * nat * val * gname * X.

Class chase_levG (X : Type) Σ := ChaseLevG {
  #[local] chase_lev_prophetG :: wise_prophetsG chase_lev_winners Σ;
  #[local] chase_lev_ownerG :: ghost_varG Σ (list val * chase_lev_status);
  #[local] chase_lev_modelG :: ghost_varG Σ (list val);
  #[local] chase_lev_winnerG :: ghost_varG Σ (option (chase_lev_ticket X));
  #[local] chase_lev_frontG :: mono_natG Σ;
  #[local] chase_lev_savedG :: savedPropG Σ;
}.
Definition chase_levΣ X : gFunctors :=
  #[wise_prophetsΣ chase_lev_winners; ghost_varΣ (list val * chase_lev_status);
    ghost_varΣ (list val); ghost_varΣ (option (chase_lev_ticket X)); mono_natΣ; savedPropΣ].
Global Instance subG_chase_levΣ X Σ : subG (chase_levΣ X) Σ → chase_levG X Σ.
Proof. solve_inG. Qed.

Record chase_lev_names := ChaseLevNames {
  chase_lev_front : loc;
  chase_lev_back : loc;
  chase_lev_proph : proph_id;
  chase_lev_owner_name : gname;
  chase_lev_model_name : gname;
  chase_lev_winner_name : gname;
  chase_lev_front_name : gname;
  chase_lev_proph_name : wise_prophet_names;
}.

Lemma drop_suffix_of_drop {A} (l : list A) n m :
  n ≤ m → drop m l `suffix_of` drop n l.
Proof.
  intros. exists (take (m - n) (drop n l)).
  replace (drop m l) with (drop (m - n) (drop n l)); first by rewrite take_drop.
  rewrite drop_drop. f_equal. lia.
Qed.

(** The laws of the slots.  A push is not among them: a push also needs the owner's
    share of the slots. *)
Class chase_lev_slots {Σ} {X : Type} (R : nat → list val → option X → iProp Σ) (x0 : X) := {
  chase_lev_slots_timeless f L o :: Timeless (R f L o);
  (* a thief registers *)
  chase_lev_slots_register f L : R f L None ⊢ R f L (Some x0);
  (* the first item is taken *)
  chase_lev_slots_take f L o : f < length L → R f L o ⊢ R (S f) L None;
  (* the last item is taken *)
  chase_lev_slots_claim f L v o : o = None ∨ f < length L → R f (L ++ [v]) o ⊢ R f L o;
  (* the owner moves the front over the last item, after the owner took this item *)
  chase_lev_slots_retire L v : R (length L) L None ⊢ R (S (length L)) (L ++ [v]) None;
}.

Section chase_lev.
  Context `{!heapGS Σ} {X : Type} `{!chase_levG X Σ}.
  Context (N : namespace) (R : nat → list val → option X → iProp Σ) (x0 : X).
  Context `{!chase_lev_slots R x0}.
  #[local] Set Default Proof Using "Type*".
  Implicit Types (γ : chase_lev_names) (f : nat) (L vs : list val) (v : val) (x : X).
  Implicit Types (st : chase_lev_status) (o : option X) (w : option (chase_lev_ticket X)).
  Implicit Types (pasts prophss : Z → list proph_id) (id : proph_id).

  Definition chase_lev_model γ vs : iProp Σ :=
    ghost_var γ.(chase_lev_model_name) (1/2) vs.
  Definition chase_lev_owner γ L st : iProp Σ :=
    ghost_var γ.(chase_lev_owner_name) (1/2) (L, st).
  Definition chase_lev_front_lb γ f : iProp Σ :=
    mono_nat_lb_own γ.(chase_lev_front_name) f.

  Definition chase_lev_steal_au γ (Φ : val → iProp Σ) : iProp Σ :=
    AU <{ ∃∃ vs, chase_lev_model γ vs }> @ ⊤ ∖ ↑N, ∅
       <{ chase_lev_model γ (tail vs), COMM Φ (option_to_val (head vs)) }>.

  Local Definition status_content st f L : list val :=
    match st with Stable => drop f L | Unstable => [] end.
  Local Definition status_back st L : Z :=
    match st with Stable => length L | Unstable => length L - 1 end.

  Local Definition registered γ f L st prophss w : iProp Σ :=
    match w with
    | None =>
        ghost_var γ.(chase_lev_winner_name) 1 (None : option (chase_lev_ticket X)) ∗
        ⌜st = Unstable → f = length L⌝
    | Some (id, i, v, γq, x) =>
        ghost_var γ.(chase_lev_winner_name) (1/2) (Some (id, i, v, γq, x)) ∗
        (∃ raw, proph id raw) ∗
        ⌜i = f ∧ L !! f = Some v ∧ head (prophss f) = Some id⌝ ∗
        ⌜st = Unstable → S f = length L⌝
    end.

  (** A registered thief leaves its atomic update here.  After the owner has carried
      the update out, the outcome [Q] is here. *)
  Local Definition helped γ st w : iProp Σ :=
    match w with
    | None => True
    | Some (_, _, v, γq, _) =>
        match st with
        | Stable => ∃ Φ, saved_prop_own γq DfracDiscarded (Φ (SOMEV v)) ∗
                         chase_lev_steal_au γ Φ
        | Unstable => ∃ Q, saved_prop_own γq DfracDiscarded Q ∗ Q
        end
    end.

  Local Definition tag w : option X := (λ t : chase_lev_ticket X, t.2) <$> w.

  Local Definition core γ f L st pasts prophss w : iProp Σ :=
    ⌜f ≤ length L ∧ ∀ i : Z, (f ≤ i)%Z → pasts i = []⌝ ∗
    γ.(chase_lev_front) ↦ #f ∗ γ.(chase_lev_back) ↦ #(status_back st L) ∗
    mono_nat_auth_own γ.(chase_lev_front_name) 1 f ∗
    chase_lev_owner γ L st ∗ chase_lev_model γ (status_content st f L) ∗
    wise_prophets_model chase_lev_winners
      γ.(chase_lev_proph) γ.(chase_lev_proph_name) pasts prophss ∗
    registered γ f L st prophss w ∗
    R f L (tag w).

  Local Definition inv_inner γ : iProp Σ :=
    ∃ f L st pasts prophss w, core γ f L st pasts prophss w ∗ helped γ st w.
  Definition chase_lev_inv γ : iProp Σ := inv N (inv_inner γ).

  (** [chase_lev_winner] is a thief that has registered for item [v] at [f].
      [chase_lev_loser] is a thief that is going to lose. *)
  Definition chase_lev_winner γ id f v x (Φ : val → iProp Σ) : iProp Σ :=
    ∃ γq, ghost_var γ.(chase_lev_winner_name) (1/2) (Some (id, f, v, γq, x)) ∗
      saved_prop_own γq DfracDiscarded (Φ (SOMEV v)).
  Definition chase_lev_loser γ id f (Φ : val → iProp Σ) : iProp Σ :=
    chase_lev_steal_au γ Φ ∗ chase_lev_front_lb γ f ∗
    ((∃ l, wise_prophets_full chase_lev_winners γ.(chase_lev_proph_name) (f : Z) l ∗
        ⌜head l ≠ Some id⌝) ∨
     chase_lev_front_lb γ (S f)).

  Global Instance chase_lev_model_timeless γ vs : Timeless (chase_lev_model γ vs).
  Proof. apply _. Qed.
  Global Instance chase_lev_owner_timeless γ L st : Timeless (chase_lev_owner γ L st).
  Proof. apply _. Qed.
  Global Instance chase_lev_front_lb_persistent γ f : Persistent (chase_lev_front_lb γ f).
  Proof. apply _. Qed.
  Global Instance chase_lev_front_lb_timeless γ f : Timeless (chase_lev_front_lb γ f).
  Proof. apply _. Qed.
  Global Instance chase_lev_inv_persistent γ : Persistent (chase_lev_inv γ).
  Proof. apply _. Qed.
  Local Instance registered_timeless γ f L st prophss w :
    Timeless (registered γ f L st prophss w).
  Proof. destruct w as [[[[[??]?]?]?]|]; apply _. Qed.
  Local Instance core_timeless γ f L st pasts prophss w :
    Timeless (core γ f L st pasts prophss w).
  Proof. apply _. Qed.

  (** ** Ghost state *)

  Lemma chase_lev_model_agree γ vs1 vs2 :
    chase_lev_model γ vs1 -∗ chase_lev_model γ vs2 -∗ ⌜vs1 = vs2⌝.
  Proof using Type. apply ghost_var_agree. Qed.
  Lemma chase_lev_model_update γ vs vs1 vs2 :
    chase_lev_model γ vs1 -∗ chase_lev_model γ vs2 ==∗
    chase_lev_model γ vs ∗ chase_lev_model γ vs.
  Proof using Type. apply ghost_var_update_halves. Qed.
  Local Lemma owner_agree γ L1 st1 L2 st2 :
    chase_lev_owner γ L1 st1 -∗ chase_lev_owner γ L2 st2 -∗ ⌜L2 = L1 ∧ st2 = st1⌝.
  Proof. iIntros "H1 H2". by iDestruct (ghost_var_agree with "H1 H2") as %[= -> ->]. Qed.
  Local Lemma owner_update L st γ L1 st1 L2 st2 :
    chase_lev_owner γ L1 st1 -∗ chase_lev_owner γ L2 st2 ==∗
    chase_lev_owner γ L st ∗ chase_lev_owner γ L st.
  Proof. apply ghost_var_update_halves. Qed.
  Lemma chase_lev_front_lb_le γ f1 f2 :
    f2 ≤ f1 → chase_lev_front_lb γ f1 -∗ chase_lev_front_lb γ f2.
  Proof using Type.
    iIntros (?) "H". iApply (mono_nat_lb_own_le with "H"). done.
  Qed.
  Local Lemma front_lb_get γ f :
    mono_nat_auth_own γ.(chase_lev_front_name) 1 f -∗ chase_lev_front_lb γ f.
  Proof. iIntros "H". by iApply mono_nat_lb_own_get. Qed.
  Local Lemma front_lb_valid γ f f' :
    mono_nat_auth_own γ.(chase_lev_front_name) 1 f -∗ chase_lev_front_lb γ f' -∗
    ⌜f' ≤ f⌝.
  Proof.
    iIntros "H1 H2". by iDestruct (mono_nat_lb_own_valid with "H1 H2") as %[_ ?].
  Qed.

  Lemma chase_lev_owner_exclusive γ L1 st1 L2 st2 E :
    ↑N ⊆ E → chase_lev_inv γ -∗ chase_lev_owner γ L1 st1 -∗ chase_lev_owner γ L2 st2 ={E}=∗ False.
  Proof.
    iIntros (?) "I H1 H2". iInv "I" as (f L st pasts prophss w) "[>Hc _]".
    iDestruct "Hc" as "(_ & _ & _ & _ & H3 & _)".
    iDestruct (ghost_var_valid_2 with "H1 H2") as %[_ Heq].
    iDestruct (owner_agree with "H1 H2") as %[-> ->].
    iCombine "H1 H2" as "H".
    iDestruct (ghost_var_valid_2 with "H H3") as %[Hf _]. by apply Qp.not_add_le_l in Hf.
  Qed.

  Local Lemma registered_agree γ f L st prophss w id i v γq x :
    registered γ f L st prophss w -∗
    ghost_var γ.(chase_lev_winner_name) (1/2) (Some (id, i, v, γq, x)) -∗
    ⌜w = Some (id, i, v, γq, x) ∧ i = f ∧ L !! f = Some v ∧
      (st = Unstable → S f = length L)⌝.
  Proof.
    iIntros "Hw H". destruct w as [[[[[id' i'] v'] γq'] x']|]; simpl.
    - iDestruct "Hw" as "(Hw & _ & %Hw1 & %Hw2)".
      iDestruct (ghost_var_agree with "Hw H") as %[= -> -> -> -> ->].
      iPureIntro. naive_solver.
    - iDestruct "Hw" as "[Hw _]".
      iDestruct (ghost_var_valid_2 with "Hw H") as %[Hf _]. done.
  Qed.
  Local Lemma registered_prophss γ f L st prophss prophss' w :
    prophss' (f : Z) = prophss (f : Z) →
    registered γ f L st prophss w -∗ registered γ f L st prophss' w.
  Proof.
    iIntros (Heq) "H". destruct w as [[[[[??]?]?]?]|]; simpl; last done. by rewrite Heq.
  Qed.
  Local Lemma registered_tag γ f L st prophss w :
    f ≤ length L → registered γ f L st prophss w -∗ ⌜tag w = None ∨ f < length L⌝.
  Proof.
    intros. destruct w as [[[[[??]?]?]?]|]; simpl; last by eauto.
    iIntros "(_ & _ & %Hw & _)". iPureIntro. right.
    destruct Hw as (_ & Hw & _). by eapply lookup_lt_Some.
  Qed.
  Local Lemma registered_unstable γ f L prophss w :
    registered γ f L Unstable prophss w -∗ ⌜f = length L ∨ S f = length L⌝.
  Proof.
    destruct w as [[[[[??]?]?]?]|]; simpl.
    - iIntros "(_ & _ & _ & %H)". iPureIntro. naive_solver.
    - iIntros "(_ & %H)". iPureIntro. naive_solver.
  Qed.
  Local Lemma pasts_alter pasts f f' (i : Z) g :
    (∀ k, f ≤ k → pasts k = [])%Z → (i < f')%Z → f ≤ f' →
    (∀ k, f' ≤ k → (alter g i pasts) k = [])%Z.
  Proof. intros H ?? k ?. rewrite fn_lookup_alter_ne; last lia. apply H. lia. Qed.

  Lemma chase_lev_alloc E front back p γp prophss :
    front ↦ #0 -∗ back ↦ #0 -∗
    wise_prophets_model chase_lev_winners p γp (λ _, []) prophss -∗
    R 0 [] None ={E}=∗
    ∃ γ, ⌜γ.(chase_lev_front) = front ∧ γ.(chase_lev_back) = back ∧
          γ.(chase_lev_proph) = p⌝ ∗
      chase_lev_inv γ ∗ chase_lev_model γ [] ∗ chase_lev_owner γ [] Stable ∗
      chase_lev_front_lb γ 0.
  Proof.
    iIntros "Hf Hb Hp HR".
    iMod (mono_nat_own_alloc 0) as (γf) "[Hmono #Hlb]".
    iMod (ghost_var_alloc ([] : list val, Stable)) as (γo) "[Ho1 Ho2]".
    iMod (ghost_var_alloc ([] : list val)) as (γm) "[Hm1 Hm2]".
    iMod (ghost_var_alloc (None : option (chase_lev_ticket X))) as (γw) "Hw".
    set (γ := ChaseLevNames front back p γo γm γw γf γp).
    iMod (inv_alloc N _ (inv_inner γ) with "[Hf Hb Hp HR Hmono Ho1 Hm1 Hw]") as "#I".
    { iExists 0, [], Stable, (λ _, []), prophss, None. iNext. rewrite /core /=.
      iFrame. iPureIntro. repeat split; done || lia. }
    iModIntro. iExists γ. by iFrame "I Ho2 Hm2 Hlb".
  Qed.

  (** The content is a suffix of the list that the owner knows. *)
  Lemma chase_lev_owner_model γ E L f0 vs :
    ↑N ⊆ E → chase_lev_inv γ -∗ chase_lev_owner γ L Stable -∗ chase_lev_front_lb γ f0 -∗
    chase_lev_model γ vs ={E}=∗
      chase_lev_owner γ L Stable ∗ chase_lev_model γ vs ∗ ⌜vs `suffix_of` drop f0 L⌝.
  Proof.
    iIntros (?) "I Ho #Hlb Hm". iInv "I" as (f L' st pasts prophss w) "[>Hc Hh]" "Hcl".
    iDestruct "Hc" as "(%H1 & Hf & Hb & Hmono & Ho' & Hm' & Hc)".
    iDestruct (owner_agree with "Ho Ho'") as %[-> ->].
    iDestruct (front_lb_valid with "Hmono Hlb") as %?.
    iDestruct (chase_lev_model_agree with "Hm Hm'") as %->. iFrame "Ho Hm".
    iMod ("Hcl" with "[-]") as "_"; last first.
    { iPureIntro. by apply drop_suffix_of_drop. }
    iNext. iExists f, L, Stable, pasts, prophss, w. by iFrame.
  Qed.

  (** ** Access to the slots *)

  (** Any thread may access the slots, in some state. *)
  Lemma chase_lev_access γ E :
    ↑N ⊆ E → chase_lev_inv γ ={E, E ∖ ↑N}=∗
      ∃ f L o, R f L o ∗ (R f L o ={E ∖ ↑N, E}=∗ True).
  Proof.
    iIntros (?) "I". iInv "I" as (f L st pasts prophss w) "[>Hc Hh]" "Hcl".
    iDestruct "Hc" as "(H1 & H2 & H3 & H4 & H5 & H6 & H7 & H8 & HR)".
    iModIntro. iExists f, L, (tag w). iFrame "HR". iIntros "HR".
    iApply "Hcl". iNext. iExists f, L, st, pasts, prophss, w. iFrame.
  Qed.

  (** The owner may access the slots, and knows their list [L]. *)
  Lemma chase_lev_owner_access γ E L st f0 :
    ↑N ⊆ E → chase_lev_inv γ -∗ chase_lev_owner γ L st -∗ chase_lev_front_lb γ f0
      ={E, E ∖ ↑N}=∗
      ∃ f o, ⌜f0 ≤ f ≤ length L ∧ (o = None ∨ f < length L)⌝ ∗ R f L o ∗
        (R f L o ={E ∖ ↑N, E}=∗ chase_lev_owner γ L st).
  Proof.
    iIntros (?) "I Ho #Hlb". iInv "I" as (f L' st' pasts prophss w) "[>Hc Hh]" "Hcl".
    iDestruct "Hc" as "(%H1 & H2 & H3 & H4 & H5 & H6 & H7 & H8 & HR)".
    iDestruct (owner_agree with "Ho H5") as %[-> ->].
    iDestruct (front_lb_valid with "H4 Hlb") as %?.
    iDestruct (registered_tag with "H8") as %?; first naive_solver.
    iModIntro. iExists f, (tag w). iFrame "HR". iSplit.
    { iPureIntro. naive_solver. }
    iIntros "HR". iFrame "Ho".
    iApply "Hcl". iNext. iExists f, L, st, pasts, prophss, w. by iFrame.
  Qed.

  (** A registered thief may access the slots: its item is still there, and the thief
      may change its tag. *)
  Lemma chase_lev_winner_access γ E id f v x Φ :
    ↑N ⊆ E → chase_lev_inv γ -∗ chase_lev_winner γ id f v x Φ ={E, E ∖ ↑N}=∗
      ∃ L, ⌜L !! f = Some v⌝ ∗ R f L (Some x) ∗
        (∀ x', R f L (Some x') ={E ∖ ↑N, E}=∗ chase_lev_winner γ id f v x' Φ).
  Proof.
    iIntros (?) "I (%γq & Hw & #Hsaved)".
    iInv "I" as (f' L st pasts prophss w) "[>Hc Hh]" "Hcl".
    iDestruct "Hc" as "(H1 & H2 & H3 & H4 & H5 & H6 & H7 & H8 & HR)".
    iDestruct (registered_agree with "H8 Hw") as %(-> & <- & Hv & _).
    iModIntro. iExists L. iFrame "HR". iSplit; first done. iIntros (x') "HR".
    iDestruct "H8" as "(H8 & Hid & %Hw1 & %Hw2)".
    iMod (ghost_var_update_halves (Some (id, f, v, γq, x')) with "H8 Hw") as "[H8 Hw]".
    iMod ("Hcl" with "[-Hw]") as "_".
    { iNext. iExists f, L, st, pasts, prophss, (Some (id, f, v, γq, x')). by iFrame. }
    iModIntro. iExists γq. by iFrame.
  Qed.

  (** ** Reading the indices *)

  Lemma chase_lev_front_spec γ :
    chase_lev_inv γ -∗
    {{{ True }}} !#γ.(chase_lev_front) {{{ f, RET #f; chase_lev_front_lb γ f }}}.
  Proof.
    iIntros "#I !>" (Φ) "_ HΦ".
    iInv "I" as (f L st pasts prophss w) "[>(H1 & Hf & Hb & Hmono & Hc) Hh]".
    wp_load. iDestruct (front_lb_get with "Hmono") as "#Hlb". iModIntro.
    iSplitR "HΦ"; last by iApply "HΦ".
    iExists f, L, st, pasts, prophss, w. iFrame.
  Qed.

  (** A thread that has read [front = f] reads [back = b]: [b - f] is never below the
      number of items. *)
  Lemma chase_lev_back_spec γ f (Ψ : Z → iProp Σ) :
    chase_lev_inv γ -∗ chase_lev_front_lb γ f -∗
    (∀ vs (b : Z), ⌜(length vs ≤ b - f)%Z ∨ vs = []⌝ -∗
      chase_lev_model γ vs ={⊤ ∖ ↑N}=∗ chase_lev_model γ vs ∗ Ψ b) -∗
    WP !#γ.(chase_lev_back) {{ r, ∃ b : Z, ⌜r = #b⌝ ∗ Ψ b }}.
  Proof.
    iIntros "#I #Hlb HΨ".
    iInv "I" as (f' L st pasts prophss w) "[>(H1 & Hf & Hb & Hmono & Ho & Hm & Hc) Hh]".
    wp_load. iDestruct (front_lb_valid with "Hmono Hlb") as %?.
    iMod ("HΨ" $! _ (status_back st L) with "[%] Hm") as "[Hm HΨ]".
    { destruct st; simpl; last by right. rewrite length_drop.
      destruct (decide (f' ≤ length L)); [left; lia|right]. apply drop_ge. lia. }
    iModIntro. iSplitR "HΨ"; last by eauto.
    iExists f', L, st, pasts, prophss, w. iFrame.
  Qed.

  Lemma chase_lev_owner_back_spec γ L :
    chase_lev_inv γ -∗
    {{{ chase_lev_owner γ L Stable }}} !#γ.(chase_lev_back)
    {{{ RET #(length L); chase_lev_owner γ L Stable }}}.
  Proof.
    iIntros "#I !>" (Φ) "Ho HΦ".
    iInv "I" as (f L' st pasts prophss w) "[>(H1 & Hf & Hb & Hmono & Ho' & Hc) Hh]".
    iDestruct (owner_agree with "Ho Ho'") as %[-> ->]. wp_load. iModIntro.
    iSplitR "HΦ Ho"; last by iApply "HΦ".
    iExists f, L, Stable, pasts, prophss, w. iFrame.
  Qed.

  (** When the owner reads [front], the owner learns the content exactly. *)
  Lemma chase_lev_owner_front_spec γ L f0 (Ψ : nat → iProp Σ) :
    chase_lev_inv γ -∗ chase_lev_owner γ L Stable -∗ chase_lev_front_lb γ f0 -∗
    (∀ f, ⌜f0 ≤ f ≤ length L⌝ -∗ chase_lev_model γ (drop f L) ={⊤ ∖ ↑N}=∗
      chase_lev_model γ (drop f L) ∗ Ψ f) -∗
    WP !#γ.(chase_lev_front)
      {{ r, ∃ f, ⌜r = #f ∧ f0 ≤ f ≤ length L⌝ ∗ chase_lev_front_lb γ f ∗
            chase_lev_owner γ L Stable ∗ Ψ f }}.
  Proof.
    iIntros "#I Ho #Hlb HΨ".
    iInv "I" as (f L' st pasts prophss w) "[>(%H1 & Hf & Hb & Hmono & Ho' & Hm & Hc) Hh]".
    iDestruct (owner_agree with "Ho Ho'") as %[-> ->]. wp_load.
    iDestruct (front_lb_valid with "Hmono Hlb") as %?. destruct H1 as [H1 H1'].
    iDestruct (front_lb_get with "Hmono") as "#Hlb'".
    iMod ("HΨ" with "[//] Hm") as "[Hm HΨ]". iModIntro.
    iSplitR "HΨ Ho".
    { iExists f, L, Stable, pasts, prophss, w. by iFrame. }
    iExists f. iFrame "Ho HΨ Hlb'". done.
  Qed.

  Lemma chase_lev_owner_front_unstable_spec γ L :
    chase_lev_inv γ -∗
    {{{ chase_lev_owner γ L Unstable }}} !#γ.(chase_lev_front)
    {{{ f, RET #f; ⌜f = length L ∨ S f = length L⌝ ∗ chase_lev_front_lb γ f ∗
        chase_lev_owner γ L Unstable }}}.
  Proof.
    iIntros "#I !>" (Φ) "Ho HΦ".
    iInv "I" as (f L' st pasts prophss w)
      "[>(H1 & Hf & Hb & Hmono & Ho' & Hm & Hp & Hw & HR) Hh]".
    iDestruct (owner_agree with "Ho Ho'") as %[-> ->]. wp_load.
    iDestruct (registered_unstable with "Hw") as %?.
    iDestruct (front_lb_get with "Hmono") as "#Hlb". iModIntro.
    iSplitR "HΦ Ho".
    { iExists f, L, Unstable, pasts, prophss, w. by iFrame. }
    iApply "HΦ". by iFrame "Ho Hlb".
  Qed.

  (** ** Stealing *)

  (** The thief reads [back]: the value decides the outcome of the steal. *)
  (** Claim: A thief that reads the back index has found the deque empty at that
      instant, or is announced as the winner of the first item, or is going to
      lose. *)
  Lemma chase_lev_steal_back_spec γ f id raw Φ :
    chase_lev_inv γ -∗ chase_lev_front_lb γ f -∗ proph id raw -∗
    chase_lev_steal_au γ Φ -∗
    WP !#γ.(chase_lev_back)
      {{ r, ∃ b : Z, ⌜r = #b⌝ ∗
        (⌜(b ≤ f)%Z⌝ ∗ Φ NONEV ∨
         ⌜(f < b)%Z⌝ ∗ ((∃ v, chase_lev_winner γ id f v x0 Φ) ∨ chase_lev_loser γ id f Φ)) }}.
  Proof.
    iIntros "#I #Hlb Hid AU".
    iInv "I" as (f' L st pasts prophss w)
      "[>(%H1 & Hf & Hb & Hmono & Ho & Hm & Hp & Hw & HR) Hh]".
    wp_load. iDestruct (front_lb_valid with "Hmono Hlb") as %Hle.
    set (b := status_back st L).
    destruct (decide (b ≤ f)%Z) as [Hempty|Hnonempty].
    { (* the deque is empty: the linearisation point is here *)
      assert (status_content st f' L = []) as Hcontent.
      { subst b. destruct st; simpl in *; last done. apply drop_ge. lia. }
      rewrite Hcontent. iMod "AU" as (vs) "[Hm' [_ Hcl]]".
      iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-.
      iMod ("Hcl" with "Hm'") as "HΦ". iModIntro. iSplitR "HΦ".
      { iExists f', L, st, pasts, prophss, w. iFrame. rewrite Hcontent. by iFrame. }
      iExists b. iSplit; first done. iLeft. by iFrame. }
    iAssert (|==> (∃ w, core γ f' L st pasts prophss w ∗ helped γ st w) ∗
        ((∃ v, chase_lev_winner γ id f v x0 Φ) ∨ chase_lev_loser γ id f Φ))%I
      with "[-]" as ">[Hinv Hres]"; last first.
    { iModIntro. iSplitL "Hinv".
      - iDestruct "Hinv" as (w') "[Hc Hh]".
        iExists f', L, st, pasts, prophss, w'. by iFrame.
      - iExists b. iSplit; first done. iRight. iFrame. iPureIntro. lia. }
    destruct (decide (f' = f)) as [->|Hne]; last first.
    { (* the front has moved already *)
      iDestruct (front_lb_get with "Hmono") as "#Hlb'". iModIntro. iSplitR "AU".
      { iExists w. by iFrame. }
      iRight. iFrame "AU Hlb". iRight.
      iApply (chase_lev_front_lb_le with "Hlb'"). lia. }
    destruct (decide (head (prophss f) = Some id)) as [Hwin|Hlose]; last first.
    { (* another attempt is announced as the winner *)
      iDestruct (wise_prophets_full_get chase_lev_winners _ _ _ _ (f : Z) with "Hp") as "#Hfull".
      destruct H1 as [H1 Hpast]. rewrite (Hpast f) //=. iModIntro. iSplitR "AU".
      { iExists w. by iFrame. }
      iRight. iFrame "AU Hlb". iLeft.
      iExists _. by iFrame "Hfull". }
    destruct w as [[[[[id' i] v] γq] x]|]; simpl.
    { iDestruct "Hw" as "(_ & [%raw' Hid'] & %Hw & _)". destruct Hw as (_ & _ & Hid').
      assert (id' = id) as -> by congruence.
      iDestruct (proph_exclusive with "Hid Hid'") as %[]. }
    iDestruct "Hw" as "[Hw %Hst]".
    destruct st; last first.
    { subst b. simpl in *. specialize (Hst eq_refl). lia. }
    destruct (lookup_lt_is_Some_2 L f) as [v Hv].
    { subst b. simpl in *. lia. }
    iMod (saved_prop_alloc (Φ (SOMEV v)) DfracDiscarded) as (γq) "#Hsaved"; first done.
    iMod (ghost_var_update (Some (id, f, v, γq, x0)) with "Hw") as "[Hw1 Hw2]".
    iModIntro. iSplitR "Hw2".
    - iExists (Some (id, f, v, γq, x0)). iSplitR "AU".
      + iFrame "Hf Hb Hmono Ho Hm Hp Hw1". iSplit; first done. iSplitL "Hid".
        { iSplitL "Hid"; first by iExists _. done. }
        by iApply chase_lev_slots_register.
      + simpl. iExists Φ. by iFrame "Hsaved AU".
    - iLeft. iExists v, γq. by iFrame "Hw2 Hsaved".
  Qed.

  (** The winner's compare-and-set. *)
  (** Claim: The announced thief's compare-and-set succeeds, and the thief takes the
      item that the thief has registered for. *)
  Lemma chase_lev_winner_cas_spec γ f id v x Φ :
    chase_lev_inv γ -∗ chase_lev_winner γ id f v x Φ -∗
    WP Resolve (CmpXchg #γ.(chase_lev_front) #f #(f + 1)) #γ.(chase_lev_proph) (#f, #id)%V
      {{ r, ∃ u, ⌜r = (u, #true)%V⌝ ∗ ▷ Φ (SOMEV v) }}.
  Proof.
    iIntros "#I (%γq & Hreg & #Hsaved)".
    iInv "I" as (f' L st pasts prophss w)
      "[>(%H1 & Hf & Hb & Hmono & Ho & Hm & Hp & Hw & HR) Hh]".
    iDestruct (registered_agree with "Hw Hreg") as %(-> & <- & Hv & Hst).
    assert (f < length L) as Hlt by by eapply lookup_lt_Some.
    iApply (wp_wise_resolves chase_lev_winners _ _ _ _ _ (f : Z) _ _ id with "Hp"); [done..|].
    wp_cmpxchg_suc. iModIntro. iIntros (prophs Hprophs) "Hp".
    iDestruct "Hw" as "(Hw & _)".
    iMod (ghost_var_update_halves None with "Hw Hreg") as "[Hw1 Hw2]".
    iCombine "Hw1 Hw2" as "Hw".
    iMod (mono_nat_own_update (S f) with "Hmono") as "[Hmono _]"; first lia.
    iAssert (|={⊤ ∖ ↑N}=> chase_lev_model γ (status_content st (S f) L) ∗ ∃ Q,
        saved_prop_own γq DfracDiscarded Q ∗ Q)%I
      with "[Hm Hh]" as ">(Hm & %Q & Hsaved' & HQ)".
    { destruct st; simpl.
      - iDestruct "Hh" as (Φ') "[#Hsaved' AU]".
        iMod "AU" as (vs) "[Hm' [_ Hcl]]".
        iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-.
        rewrite (drop_S _ _ _ Hv) /=.
        iMod (chase_lev_model_update with "Hm Hm'") as "[$ Hm']".
        iMod ("Hcl" with "Hm'") as "HΦ". iModIntro. iExists (Φ' (SOMEV v)). by iFrame "HΦ Hsaved'".
      - iDestruct "Hh" as (Q) "[#Hsaved' HQ]". iModIntro. iFrame "Hm". iExists Q. by iFrame. }
    iDestruct (saved_prop_agree with "Hsaved Hsaved'") as "#Heq".
    do 2 iModIntro. iSplitR "HQ"; last first.
    { iExists _. iSplit; first done. iNext. iRewrite "Heq". iExact "HQ". }
    replace (f + 1)%Z with (Z.of_nat (S f)) by lia.
    iNext. iExists (S f), L, st, _, _, None. iSplitR ""; last done.
    iFrame "Hf Hb Hmono Ho Hm Hp". iSplit.
    { iPureIntro. split; first lia. destruct H1 as [_ Hpast].
      eapply (pasts_alter _ f); done || lia. }
    iSplitL "Hw".
    { simpl. iFrame "Hw". iPureIntro. naive_solver. }
    by iApply chase_lev_slots_take.
  Qed.

  (** A loser's compare-and-set. *)
  (** Claim: The compare-and-set of any other thief fails, and the thief may try
      again. *)
  Lemma chase_lev_loser_cas_spec γ f id Φ :
    chase_lev_inv γ -∗ chase_lev_loser γ id f Φ -∗
    WP Resolve (CmpXchg #γ.(chase_lev_front) #f #(f + 1)) #γ.(chase_lev_proph) (#f, #id)%V
      {{ r, ∃ u, ⌜r = (u, #false)%V⌝ ∗ chase_lev_steal_au γ Φ }}.
  Proof.
    iIntros "#I (AU & #Hlb & #Hlose)".
    iInv "I" as (f' L st pasts prophss w)
      "[>(%H1 & Hf & Hb & Hmono & Ho & Hm & Hp & Hw & HR) Hh]".
    destruct H1 as [Hle Hpast].
    destruct (decide (f' = f)) as [->|Hne].
    { iAssert ⌜head (prophss f) ≠ Some id⌝%I as %Hhead.
      { iDestruct "Hlose" as "[(%l & Hfull & %Hl)|Hlb']".
        - iDestruct (wise_prophets_full_valid with "Hp Hfull") as %->.
          by rewrite (Hpast f) in Hl.
        - iDestruct (front_lb_valid with "Hmono Hlb'") as %?. lia. }
      iApply (wp_wise_resolves chase_lev_winners _ _ _ _ _ (f : Z) _ _ id with "Hp"); [done..|].
      wp_cmpxchg_suc. iModIntro. iIntros (prophs Hprophs) "_". by rewrite Hprophs in Hhead. }
    iDestruct (front_lb_valid with "Hmono Hlb") as %?.
    iApply (wp_wise_resolves chase_lev_winners _ _ _ _ _ (f : Z) _ _ id with "Hp"); [done..|].
    wp_cmpxchg_fail; first (intros [= ?]; lia). iModIntro. iIntros (prophs Hprophs) "Hp".
    do 2 iModIntro. iSplitR "AU"; last first.
    { iExists _. by iFrame "AU". }
    iNext. iExists f', L, st, _, _, w. iFrame "Hf Hb Hmono Ho Hm Hp HR Hh". iSplit.
    { iPureIntro. split; first done. eapply (pasts_alter _ f'); done || lia. }
    iApply (registered_prophss with "Hw"). rewrite fn_lookup_insert_ne //. lia.
  Qed.

  (** ** Pushing *)

  (** The owner has written the item into its slot, and publishes the item.  [P] is
      the owner's share of the slots: [P] says that the slot has been written. *)
  (** Claim: [push] takes effect when the owner writes the back index. *)
  Lemma chase_lev_push_spec γ L v f0 (P P' : iProp Σ) (Ψ : list val → iProp Σ) :
    chase_lev_inv γ -∗ chase_lev_owner γ L Stable -∗ chase_lev_front_lb γ f0 -∗
    P -∗
    (∀ f o, ⌜f0 ≤ f ≤ length L ∧ (o = None ∨ f < length L)⌝ -∗ P -∗
      R f L o ==∗ P' ∗ R f (L ++ [v]) o) -∗
    (∀ vs, ⌜vs `suffix_of` drop f0 L⌝ -∗ chase_lev_model γ vs ={⊤ ∖ ↑N}=∗
      chase_lev_model γ (vs ++ [v]) ∗ Ψ vs) -∗
    WP #γ.(chase_lev_back) <- #(length L + 1)
      {{ r, ∃ f, ⌜r = #() ∧ f0 ≤ f ≤ length L⌝ ∗ chase_lev_front_lb γ f ∗
            chase_lev_owner γ (L ++ [v]) Stable ∗ P' ∗ Ψ (drop f L) }}.
  Proof.
    iIntros "#I Ho #Hlb HP HR' HΨ".
    iInv "I" as (f L' st pasts prophss w)
      "[>(%H1 & Hf & Hb & Hmono & Ho' & Hm & Hp & Hw & HR) Hh]".
    iDestruct (owner_agree with "Ho Ho'") as %[-> ->]. destruct H1 as [Hle Hpast].
    iDestruct (front_lb_valid with "Hmono Hlb") as %?.
    iDestruct (front_lb_get with "Hmono") as "#Hlb'". wp_store.
    iDestruct (registered_tag with "Hw") as %Htag; first done.
    iMod ("HR'" with "[%] HP HR") as "[HP HR]"; first done.
    iMod ("HΨ" with "[%] Hm") as "[Hm HΨ]".
    { apply drop_suffix_of_drop. lia. }
    iMod (owner_update (L ++ [v]) Stable with "Ho Ho'") as "[Ho Ho']".
    iModIntro. iSplitR "HΨ Ho HP".
    { iExists f, (L ++ [v]), Stable, pasts, prophss, w. iNext. iFrame "Hh".
      rewrite /core /= drop_app_le // length_app /= Nat2Z.inj_add.
      iFrame "Hf Hb Hmono Ho' Hm Hp HR". iSplit; first by (iPureIntro; split; [lia|done]).
      destruct w as [[[[[??]?]?]?]|]; simpl.
      - iDestruct "Hw" as "($ & $ & %Hw & _)". iPureIntro.
        destruct Hw as (? & ? & ?). split; last done. split_and!; [done| |done].
        by apply lookup_app_l_Some.
      - by iDestruct "Hw" as "[$ _]". }
    iExists f. by iFrame "Hlb' Ho HP HΨ".
  Qed.

  (** ** Popping *)

  (** The owner claims the last item. *)
  (** Claim: [pop] takes effect when the owner writes the back index: [pop] takes
      the last item, or finds the deque empty. In the latter case, a thief that is
      announced for the last item has taken the item just before. *)
  Lemma chase_lev_claim_spec γ L f0 (Ψ : list val → iProp Σ) :
    chase_lev_inv γ -∗ chase_lev_owner γ L Stable -∗ chase_lev_front_lb γ f0 -∗
    (∀ vs, ⌜vs `suffix_of` drop f0 L⌝ -∗ chase_lev_model γ vs ={⊤ ∖ ↑N}=∗
      chase_lev_model γ (removelast vs) ∗ Ψ vs) -∗
    WP #γ.(chase_lev_back) <- #(length L - 1)
      {{ r, ⌜r = #()⌝ ∗
        (chase_lev_owner γ L Unstable ∗ Ψ [] ∨
         ∃ f L' v, ⌜L = L' ++ [v] ∧ f0 ≤ f ≤ length L'⌝ ∗ chase_lev_front_lb γ f ∗
           chase_lev_owner γ L' Stable ∗ Ψ (drop f L)) }}.
  Proof.
    iIntros "#I Ho #Hlb HΨ".
    iInv "I" as (f L' st pasts prophss w)
      "[>(%H1 & Hf & Hb & Hmono & Ho' & Hm & Hp & Hw & HR) Hh]".
    iDestruct (owner_agree with "Ho Ho'") as %[-> ->]. destruct H1 as [Hle Hpast].
    iDestruct (front_lb_valid with "Hmono Hlb") as %Hlb.
    iDestruct (front_lb_get with "Hmono") as "#Hlb'". wp_store. simpl.
    iDestruct (registered_tag with "Hw") as %Htag; first done.
    destruct (decide (f = length L)) as [->|Hne].
    { (* the deque is empty *)
      rewrite (drop_ge L (length L)); last done.
      iMod ("HΨ" with "[%] Hm") as "[Hm HΨ]"; first apply suffix_nil.
      iMod (owner_update L Unstable with "Ho Ho'") as "[Ho Ho']".
      destruct w as [[[[[id i] v] γq] x]|]; first by destruct Htag; [|lia].
      iModIntro. iSplitR "HΨ Ho".
      { iExists (length L), L, Unstable, pasts, prophss, None. iNext.
        iSplitR ""; last done. iFrame "Hf Hb Hmono Ho' Hm Hp HR". iSplit; first done.
        iDestruct "Hw" as "[$ _]". done. }
      iSplit; first done. iLeft. iFrame "Ho HΨ". }
    destruct (exists_last (l := L)) as (L' & v & ->).
    { intros ->. simpl in *. lia. }
    rewrite length_app /= in Hle, Hne, Htag |- *.
    replace (Z.of_nat (length L' + 1) - 1)%Z with (Z.of_nat (length L')) by lia.
    destruct (decide (f < length L' ∨ w = None)) as [Hown|Hsteal].
    { (* the owner gets the item *)
      iMod ("HΨ" with "[%] Hm") as "[Hm HΨ]"; first (apply drop_suffix_of_drop; lia).
      iMod (owner_update L' Stable with "Ho Ho'") as "[Ho Ho']".
      iModIntro. iSplitR "HΨ Ho".
      { iExists f, L', Stable, pasts, prophss, w. iNext. iFrame "Hh".
        rewrite /core /= drop_app_le ?removelast_last; last lia.
        iFrame "Hf Hb Hmono Ho' Hm Hp". iSplit; first by (iPureIntro; split; [lia|done]).
        iSplitL "Hw".
        - destruct w as [[[[[id i] v'] γq] x]|]; simpl.
          + iDestruct "Hw" as "($ & $ & %Hw & _)". iPureIntro.
            destruct Hw as (? & Hv & ?). split; last done. split_and!; [done| |done].
            rewrite lookup_app_l // in Hv. naive_solver.
          + by iDestruct "Hw" as "[$ _]".
        - iApply (chase_lev_slots_claim with "HR"). destruct Hown as [?| ->]; by auto. }
      iSplit; first done. iRight. iExists f, L', v. iFrame "Hlb' Ho HΨ". iPureIntro.
      split; [done|lia]. }
    (* a thief has registered for the item: the thief's steal comes first *)
    destruct w as [[[[[id i] v'] γq] x]|]; last naive_solver.
    assert (f = length L') as -> by naive_solver lia.
    iDestruct "Hw" as "(Hw & Hid & %Hw & _)". destruct Hw as (-> & Hv & Hwin).
    rewrite lookup_app_r // Nat.sub_diag in Hv. injection Hv as <-.
    iDestruct "Hh" as (Φ) "[#Hsaved AU]". rewrite drop_app_length.
    iMod "AU" as (vs) "[Hm' [_ Hcl]]". iDestruct (chase_lev_model_agree with "Hm Hm'") as %<-.
    iMod (chase_lev_model_update _ [] with "Hm Hm'") as "[Hm Hm']".
    iMod ("Hcl" with "Hm'") as "HΦ".
    iMod ("HΨ" with "[%] Hm") as "[Hm HΨ]"; first apply suffix_nil.
    iMod (owner_update (L' ++ [v]) Unstable with "Ho Ho'") as "[Ho Ho']".
    iModIntro. iSplitR "HΨ Ho".
    { iExists (length L'), (L' ++ [v]), Unstable, pasts, prophss,
        (Some (id, length L', v, γq, x)). iNext.
      iSplitR "HΦ"; last first.
      { simpl. iExists _. by iFrame "Hsaved HΦ". }
      rewrite /core /= length_app /=.
      replace (Z.of_nat (length L' + 1) - 1)%Z with (Z.of_nat (length L')) by lia.
      iFrame "Hf Hb Hmono Ho' Hm Hp Hw Hid HR". iPureIntro.
      split; first by (split; [lia|done]). split; last lia. split; first done.
      split; last done. by rewrite lookup_app_r // Nat.sub_diag. }
    iSplit; first done. iLeft. iFrame "Ho HΨ".
  Qed.

  (** The owner has taken the only item, and moves the front over the item.  The
      owner holds the item, so [L] may have any value [v] at this index. *)
  (** Claim: An owner that has taken the only item wins its compare-and-set. *)
  Lemma chase_lev_retire_spec γ L v id raw :
    chase_lev_inv γ -∗ chase_lev_owner γ L Stable -∗
    chase_lev_front_lb γ (length L) -∗ proph id raw -∗
    WP Resolve (CmpXchg #γ.(chase_lev_front) #(length L) #(length L + 1))
         #γ.(chase_lev_proph) (#(length L), #id)%V
      {{ r, ∃ u, ⌜r = (u, #true)%V⌝ ∗ chase_lev_owner γ (L ++ [v]) Unstable ∗
            chase_lev_front_lb γ (S (length L)) }}.
  Proof.
    iIntros "#I Ho #Hlb Hid".
    iInv "I" as (f L' st pasts prophss w)
      "[>(%H1 & Hf & Hb & Hmono & Ho' & Hm & Hp & Hw & HR) Hh]".
    iDestruct (owner_agree with "Ho Ho'") as %[-> ->]. destruct H1 as [Hle Hpast].
    iDestruct (front_lb_valid with "Hmono Hlb") as %?. assert (f = length L) as -> by lia.
    iDestruct (registered_tag with "Hw") as %Htag; first done.
    destruct w as [[[[[id' i] v'] γq] x]|]; first by destruct Htag; [|lia].
    iApply (wp_wise_resolves chase_lev_winners _ _ _ _ _ (length L : Z) _ _ id with "Hp");
      [done..|].
    wp_cmpxchg_suc. iModIntro. iIntros (prophs Hprophs) "Hp".
    iMod (mono_nat_own_update (S (length L)) with "Hmono") as "[Hmono #Hlb']"; first lia.
    iMod (owner_update (L ++ [v]) Unstable with "Ho Ho'") as "[Ho Ho']".
    do 2 iModIntro. iSplitR "Ho"; last first.
    { iExists _. by iFrame "Ho Hlb'". }
    iNext. iExists (S (length L)), (L ++ [v]), Unstable, _, _, None. iSplitR ""; last done.
    rewrite /core /= length_app /= drop_ge //.
    replace (length L + 1)%Z with (Z.of_nat (S (length L))) by lia.
    replace (Z.of_nat (length L + 1) - 1)%Z with (Z.of_nat (length L)) by lia.
    iFrame "Hf Hb Hmono Ho' Hm Hp". iSplit.
    { iPureIntro. split; first lia. eapply (pasts_alter _ (length L)); done || lia. }
    iSplitL "Hw".
    - iDestruct "Hw" as "[$ _]". iPureIntro. lia.
    - by iApply chase_lev_slots_retire.
  Qed.

  (** The owner has found no item, but a thief has not yet taken the last item.  This
      thief is announced, so the owner loses. *)
  (** Claim: An owner that has found no item loses its compare-and-set for the last
      item. *)
  Lemma chase_lev_claim_cas_spec γ L f id raw :
    S f = length L →
    chase_lev_inv γ -∗ chase_lev_owner γ L Unstable -∗ proph id raw -∗
    WP Resolve (CmpXchg #γ.(chase_lev_front) #f #(f + 1))
         #γ.(chase_lev_proph) (#f, #id)%V
      {{ r, ∃ u, ⌜r = (u, #false)%V⌝ ∗ chase_lev_owner γ L Unstable ∗
            chase_lev_front_lb γ (length L) }}.
  Proof.
    iIntros (HL) "#I Ho Hid".
    iInv "I" as (f' L' st pasts prophss w)
      "[>(%H1 & Hf & Hb & Hmono & Ho' & Hm & Hp & Hw & HR) Hh]".
    iDestruct (owner_agree with "Ho Ho'") as %[-> ->]. destruct H1 as [Hle Hpast].
    iDestruct (registered_unstable with "Hw") as %Hf'.
    destruct (decide (f' = f)) as [->|Hne].
    { iApply (wp_wise_resolves chase_lev_winners _ _ _ _ _ (f : Z) _ _ id with "Hp"); [done..|].
      wp_cmpxchg_suc. iModIntro. iIntros (prophs Hprophs) "_".
      destruct w as [[[[[id' i] v] γq] x]|].
      - iDestruct "Hw" as "(_ & [%raw' Hid'] & %Hw & _)". destruct Hw as (_ & _ & Hwin).
        assert (id' = id) as -> by (rewrite Hprophs in Hwin; simpl in Hwin; congruence).
        iDestruct (proph_exclusive with "Hid Hid'") as %[].
      - iDestruct "Hw" as "[_ %Hw]". specialize (Hw eq_refl). lia. }
    assert (f' = length L) as -> by lia.
    iDestruct (front_lb_get with "Hmono") as "#Hlb".
    iApply (wp_wise_resolves chase_lev_winners _ _ _ _ _ (f : Z) _ _ id with "Hp"); [done..|].
    wp_cmpxchg_fail; first (intros [= ?]; lia). iModIntro. iIntros (prophs Hprophs) "Hp".
    do 2 iModIntro. iSplitR "Ho"; last first.
    { iExists _. by iFrame "Ho Hlb". }
    iNext. iExists (length L), L, Unstable, _, _, w. iFrame "Hf Hb Hmono Ho' Hm Hp HR Hh".
    iSplit.
    { iPureIntro. split; first done. eapply (pasts_alter _ (length L)); done || lia. }
    iApply (registered_prophss with "Hw"). rewrite fn_lookup_insert_ne //. lia.
  Qed.

  (** When the front has arrived at the end, the owner repairs [back]. *)
  Lemma chase_lev_stabilize_spec γ L :
    chase_lev_inv γ -∗ chase_lev_front_lb γ (length L) -∗
    {{{ chase_lev_owner γ L Unstable }}} #γ.(chase_lev_back) <- #(length L)
    {{{ RET #(); chase_lev_owner γ L Stable }}}.
  Proof.
    iIntros "#I #Hlb !>" (Φ) "Ho HΦ".
    iInv "I" as (f L' st pasts prophss w)
      "[>(%H1 & Hf & Hb & Hmono & Ho' & Hm & Hp & Hw & HR) Hh]".
    iDestruct (owner_agree with "Ho Ho'") as %[-> ->]. destruct H1 as [Hle Hpast].
    iDestruct (front_lb_valid with "Hmono Hlb") as %?. assert (f = length L) as -> by lia.
    iDestruct (registered_tag with "Hw") as %Htag; first done.
    destruct w as [[[[[id i] v] γq] x]|]; first by destruct Htag; [|lia].
    wp_store. iMod (owner_update L Stable with "Ho Ho'") as "[Ho Ho']".
    iModIntro. iSplitR "HΦ Ho"; last by iApply "HΦ".
    iNext. iExists (length L), L, Stable, pasts, prophss, None. iSplitR ""; last done.
    rewrite /core /= drop_ge //. iFrame "Hf Hb Hmono Ho' Hm Hp HR". iSplit; first done.
    by iDestruct "Hw" as "[$ _]".
  Qed.
End chase_lev.
