(** * An owner and thieves

    The closed program of stealing_client.ml, from the specification of the bounded deque
    down to the steps of the machine: [stealing_client_adequate] is about HeapLang's steps
    and mentions no logic.  The theorem holds for any capacity, any number of thieves and
    any number of items.

    {b At most once.}  An item is a block with its value and a plain field that tells
    whether the item has been taken.  The thread that has the item owns both ([item]).
    The deque's content is in an invariant, and the invariant owns the items in the deque:
    a taker takes the ownership with the item.  So the assertion that the item was not
    taken before holds, and the taker's accesses to the plain field do not race.  The
    proof of "at most once" needs no counting.

    {b The sum.}  The invariant also knows that the pushed items are the taken items and
    the items in the deque.  The sum of the taken items is divided among the takers: each
    taker has a fraction of the sum, with the taker's own contribution.  When all domains
    are joined, the fractions are whole again, and the contributions are exactly the taken
    items.  When the owner finds the deque empty, and no other thread pushes, the taken
    items are all pushed items. *)
From iris.algebra Require Import numbers.
From iris.algebra.lib Require Import frac_auth.
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation adequacy proph_erasure.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev bounded bounded_code.
From dromos.clients Require Import results stealing_client_code.

Class stealing_clientG Σ := StealingClientG {
  #[local] stealing_client_boundedG :: boundedG Σ;
  #[local] stealing_client_domainG :: domainG Σ;
  #[local] stealing_client_pushedG :: ghost_varG Σ nat;
  #[local] stealing_client_takenG :: inG Σ (frac_authR natR);
}.
Definition stealing_clientΣ : gFunctors :=
  #[boundedΣ; domainΣ; ghost_varΣ nat; GFunctor (frac_authR natR)].
Global Instance subG_stealing_clientΣ Σ : subG stealing_clientΣ Σ → stealing_clientG Σ.
Proof. solve_inG. Qed.

Section client.
  Context `{!heapGS Σ, !stealing_clientG Σ}.
  Implicit Types (γ : bounded_names) (n p s x thieves : nat) (its : list val) (xs : list nat).
  Implicit Types (it deque : val) (q : Qp) (stop : loc).
  Local Definition ND : namespace := nroot .@ "client" .@ "deque".
  Local Definition NC : namespace := nroot .@ "client" .@ "content".
  Local Definition NS : namespace := nroot .@ "client" .@ "stop".

  Local Definition item it x : iProp Σ :=
    ∃ l : loc, ⌜it = #l⌝ ∗ (l +ₗ 0) ↦ #x ∗ (l +ₗ 1) ↦na #false.

  Local Definition sum xs : nat := foldr Nat.add 0 xs.

  Local Definition content γ γp γt : iProp Σ :=
    ∃ its xs p s, bounded_model γ its ∗ ([∗ list] it; x ∈ its; xs, item it x) ∗
      ghost_var γp (1/2) p ∗ own γt (●F s) ∗ ⌜p = (s + sum xs)%nat⌝.

  (** [client_inv] is for all threads, [owner] for the owner, [taken] for each taker. *)
  Local Definition client_inv γ γp γt t : iProp Σ :=
    ∃ deque stop, ⌜t = (deque, #stop)%V⌝ ∗ bounded_inv ND γ deque ∗
      inv NC (content γ γp γt) ∗ inv NS (∃ b : bool, stop ↦ #b).
  Local Definition owner γ γp p : iProp Σ :=
    (∃ its, bounded_owner γ its) ∗ ghost_var γp (1/2) p.
  Local Definition taken γt q s : iProp Σ := own γt (◯F{q} s).

  Local Lemma sum_app xs ys : sum (xs ++ ys) = sum xs + sum ys.
  Proof. induction xs as [|x xs IH]; simpl; lia. Qed.

  Local Lemma taken_split γt q1 q2 s1 s2 :
    taken γt (q1 + q2) (s1 + s2) ⊣⊢ taken γt q1 s1 ∗ taken γt q2 s2.
  Proof. by rewrite /taken -own_op -frac_auth_frag_op. Qed.
  Local Lemma taken_add x γt q s0 s :
    own γt (●F s) -∗ taken γt q s0 ==∗ own γt (●F (s + x)) ∗ taken γt q (s0 + x).
  Proof.
    iIntros "H1 H2". iMod (own_update_2 with "H1 H2") as "[$ $]"; last done.
    apply frac_auth_update, nat_local_update. lia.
  Qed.

  Local Lemma take_spec it x :
    {{{ item it x }}} clients_stealing_client_take it {{{ RET #x; True }}}.
  Proof.
    iIntros (Φ) "(%l & -> & Hx & Ht) HΦ". wp_rec. wp_na_load. wp_pures. wp_na_store.
    wp_pures. wp_load. by iApply "HΦ".
  Qed.

  (** The result of a steal or a pop.  An item in the result has been counted as taken by
      this taker. *)
  Local Definition found γt q s (r : val) : iProp Σ :=
    (⌜r = NONEV⌝ ∗ taken γt q s) ∨
    (∃ it x, ⌜r = SOMEV it⌝ ∗ item it x ∗ taken γt q (s + x)).

  Local Lemma take_any_spec γt q s r :
    {{{ found γt q s r }}}
      clients_stealing_client_take_any r
    {{{ x, RET #x; taken γt q (s + x) }}}.
  Proof.
    iIntros (Φ) "[[-> Ht]|(%it & %x & -> & Hit & Ht)] HΦ"; wp_rec; wp_pures.
    - iApply ("HΦ" $! 0). by rewrite Nat.add_0_r.
    - wp_apply (take_spec with "Hit"). iIntros "_". by iApply "HΦ".
  Qed.

  Local Lemma steal_found_spec γ γp γt deque q s (Φ : val → iProp Σ) :
    bounded_inv ND γ deque -∗ inv NC (content γ γp γt) -∗
    taken γt q s -∗ (∀ r, found γt q s r -∗ Φ r) -∗ WP deque_bounded_steal deque {{ Φ }}.
  Proof.
    iIntros "#Hd #I Ht HΦ". awp_apply (bounded_steal_spec with "Hd").
    iInv "I" as (its xs p s') ">(Hm & Hits & Hp & Hs & %Hp)". iAaccIntro with "Hm".
    { iIntros "Hm !>". iSplitR "Ht HΦ"; last by iFrame. iNext. iExists its, xs, p, s'. by iFrame. }
    iIntros "Hm". destruct its as [|it its]; simpl.
    { iModIntro. iSplitR "Ht HΦ".
      { iNext. iExists [], xs, p, s'. by iFrame. }
      iApply "HΦ". iLeft. by iFrame. }
    iDestruct (big_sepL2_cons_inv_l with "Hits") as (x xs' ->) "[Hit Hits]".
    iMod (taken_add x with "Hs Ht") as "[Hs Ht]". iModIntro. iSplitR "Ht HΦ Hit".
    { iNext. iExists its, xs', p, (s' + x). iFrame. iPureIntro. simpl in Hp. lia. }
    iApply "HΦ". iRight. iExists it, x. by iFrame.
  Qed.

  (** The owner also learns when the deque is empty. *)
  Local Lemma pop_found_spec γ γp γt deque q p s (Φ : val → iProp Σ) :
    bounded_inv ND γ deque -∗ inv NC (content γ γp γt) -∗
    owner γ γp p -∗ taken γt q s -∗
    (∀ r, found γt q s r ∗ ghost_var γp (1/2) p ∗
        (∃ its, bounded_owner γ its ∗ ⌜r = NONEV → its = []⌝) -∗ Φ r) -∗
    WP deque_bounded_pop deque {{ Φ }}.
  Proof.
    iIntros "#Hd #I [(%ws & Ho) Hp] Ht HΦ". awp_apply (bounded_pop_spec with "Hd Ho").
    iInv "I" as (its xs p' s') ">(Hm & Hits & Hp' & Hs & %Heq)". iAaccIntro with "Hm".
    { iIntros "Hm !>". iSplitR "Ht Hp HΦ"; last by iFrame.
      iNext. iExists its, xs, p', s'. by iFrame. }
    iIntros "[Hm _]". destruct its as [|it its _] using rev_ind; simpl.
    { iModIntro. iSplitR "Ht Hp HΦ".
      { iNext. iExists [], xs, p', s'. by iFrame. }
      iIntros "Ho". iApply "HΦ". iFrame "Hp". iSplitL "Ht"; last by iExists []; iFrame.
      iLeft. by iFrame. }
    rewrite removelast_last last_snoc.
    iDestruct (big_sepL2_app_inv_l with "Hits") as (xs1 xs2 ->) "[Hits Hit]".
    iDestruct (big_sepL2_cons_inv_l with "Hit") as (x xs3 ->) "[Hit Hnil]".
    iDestruct (big_sepL2_nil_inv_l with "Hnil") as %->.
    rewrite sum_app /= in Heq.
    iMod (taken_add x with "Hs Ht") as "[Hs Ht]". iModIntro. iSplitR "Ht Hp HΦ Hit".
    { iNext. iExists its, xs1, p', (s' + x). iFrame. iPureIntro. lia. }
    iIntros "Ho". iApply "HΦ". iFrame "Hp". iSplitL "Ht Hit".
    - iRight. iExists it, x. by iFrame.
    - iExists its. by iFrame.
  Qed.

  Local Lemma steal_spec γ γp γt t q s :
    client_inv γ γp γt t -∗
    {{{ taken γt q s }}}
      clients_stealing_client_steal t #s
    {{{ s', RET #s'; taken γt q s' }}}.
  Proof.
    iIntros "(%deque & %stop & -> & #Hd & #I & #Hstop)" (Φ) "!> Ht HΦ".
    iLöb as "IH" forall (s). wp_rec. wp_pures. wp_bind (! _)%E.
    iInv "Hstop" as (b) ">Hb". wp_load. iModIntro. iSplitL "Hb"; first by eauto.
    destruct b; wp_pures; first by iApply "HΦ".
    wp_apply (steal_found_spec with "Hd I Ht"). iIntros (r) "Hr".
    wp_apply (take_any_spec with "Hr"). iIntros (x) "Ht". wp_pures.
    rewrite -Nat2Z.inj_add. by iApply ("IH" with "Ht").
  Qed.

  Local Lemma push_spec γ γp γt t q p s n :
    client_inv γ γp γt t -∗
    {{{ owner γ γp p ∗ taken γt q s }}}
      clients_stealing_client_push t #n #s
    {{{ s', RET #s'; owner γ γp (p + triangle n) ∗ taken γt q s' }}}.
  Proof.
    iIntros "(%deque & %stop & -> & #Hd & #I & #Hstop)" (Φ) "!> [Ho Ht] HΦ".
    iInduction n as [|n] "IH" forall (p s); wp_rec; wp_pures.
    { iApply "HΦ". rewrite /= Nat.add_0_r. by iFrame. }
    wp_apply block2_spec; first done. iIntros (l) "(Hl0 & Hl1 & _)". wp_pures.
    iAssert (item #l (S n)) with "[Hl0 Hl1]" as "Hit"; first by iExists l; iFrame.
    iDestruct "Ho" as "[(%ws & Ho) Hp]".
    wp_bind (if: _ then _ else _)%E.
    iApply (wp_wand _ _ _ (λ v, ∃ x : nat, ⌜v = #x⌝ ∗ owner γ γp (p + S n) ∗
      taken γt q (s + x))%I with "[Ho Hp Ht Hit]").
    { awp_apply (bounded_push_spec with "Hd Ho").
      iInv "I" as (its xs p' s') ">(Hm & Hits & Hp' & Hs & %Heq)".
      iDestruct (ghost_var_agree with "Hp Hp'") as %<-. iAaccIntro with "Hm".
      { iIntros "Hm !>". iSplitR "Ht Hp Hit"; last by iFrame.
        iNext. iExists its, xs, p, s'. by iFrame. }
      iIntros "[Hm _]".
      iMod (ghost_var_update_halves (p + S n) with "Hp Hp'") as "[Hp Hp']".
      case_decide as Hroom.
      - iModIntro. rewrite bool_decide_eq_true_2 //. iSplitR "Ht Hp".
        { iNext. iExists _, (xs ++ [S n]), (p + S n), s'. iFrame "Hm Hs Hp'". iSplit.
          - iApply (big_sepL2_app with "Hits"). by iFrame.
          - iPureIntro. rewrite sum_app /=. lia. }
        iIntros "Ho". wp_pures. iModIntro. iExists 0. rewrite Nat.add_0_r. by iFrame.
      - iMod (taken_add (S n) with "Hs Ht") as "[Hs Ht]". iModIntro.
        rewrite bool_decide_eq_false_2 //. iSplitR "Ht Hp Hit".
        { iNext. iExists its, xs, (p + S n), (s' + S n). iFrame. iPureIntro. lia. }
        iIntros "Ho". wp_pures. wp_apply (take_spec with "Hit"). iIntros "_".
        iExists (S n). by iFrame. }
    iIntros (v) "(%x & -> & Ho & Ht)". wp_pures.
    wp_bind (if: _ then _ else _)%E.
    iApply (wp_wand _ _ _ (λ v, ∃ y : nat, ⌜v = #y⌝ ∗ owner γ γp (p + S n) ∗
      taken γt q (s + x + y))%I with "[Ho Ht]").
    { case_bool_decide; wp_pures; last first.
      { iModIntro. iExists 0. rewrite Nat.add_0_r. by iFrame. }
      wp_apply (pop_found_spec with "Hd I Ho Ht").
      iIntros (r) "(Hr & Hp & %its & Ho & _)". wp_apply (take_any_spec with "Hr").
      iIntros (y) "Ht". iExists y. by iFrame. }
    iIntros (v) "(%y & -> & Ho & Ht)". wp_pures.
    replace (Z.of_nat (S n) - 1)%Z with (Z.of_nat n) by lia. rewrite -!Nat2Z.inj_add.
    iApply ("IH" with "Ho Ht"). iIntros "!>" (s') "[Ho Ht]". iApply "HΦ".
    rewrite /= (_ : p + S (n + triangle n) = p + S n + triangle n); last lia. by iFrame.
  Qed.

  Local Lemma drain_spec γ γp γt t q p s :
    client_inv γ γp γt t -∗
    {{{ owner γ γp p ∗ taken γt q s }}}
      clients_stealing_client_drain t #s
    {{{ s', RET #s'; bounded_owner γ [] ∗ ghost_var γp (1/2) p ∗ taken γt q s' }}}.
  Proof.
    iIntros "(%deque & %stop & -> & #Hd & #I & #Hstop)" (Φ) "!> [Ho Ht] HΦ".
    iLöb as "IH" forall (s). wp_rec. wp_pures.
    wp_apply (pop_found_spec with "Hd I Ho Ht").
    iIntros (r) "([[-> Ht]|(%it & %x & -> & Hit & Ht)] & Hp & %its & Ho & %Hits)"; wp_pures.
    - iModIntro. iApply "HΦ". rewrite Hits //. by iFrame.
    - wp_apply (take_spec with "Hit"). iIntros "_". wp_pures. rewrite -Nat2Z.inj_add.
      iApply ("IH" with "[Ho Hp] Ht HΦ"). by iFrame.
  Qed.

  Local Lemma with_thieves_spec γ γp γt t q thieves n :
    client_inv γ γp γt t -∗
    {{{ owner γ γp 0 ∗ taken γt q 0 }}}
      clients_stealing_client_with_thieves t #thieves #n
    {{{ s, RET #s;
        bounded_owner γ [] ∗ ghost_var γp (1/2) (triangle n) ∗ taken γt q s }}}.
  Proof.
    iIntros "#Hinv" (Φ) "!> [Ho Ht] HΦ".
    iInduction thieves as [|thieves] "IH" forall (q Φ); wp_rec; wp_pures.
    - wp_rec. wp_pures. wp_apply (push_spec _ _ _ _ _ 0 0 with "Hinv [$Ho $Ht]").
      iIntros (s) "[Ho Ht]". wp_pures. wp_apply (drain_spec with "Hinv [$Ho $Ht]").
      iIntros (s') "(Ho & Hp & Ht)". wp_pures.
      iDestruct "Hinv" as "(%deque & %stop & -> & _ & _ & #Hstop)". wp_pures.
      wp_bind (_ <- _)%E. iInv "Hstop" as (b) ">Hb". wp_store. iModIntro.
      iSplitL "Hb"; first by eauto. wp_pures. iApply "HΦ". by iFrame.
    - iAssert (taken γt (q / 2) 0 ∗ taken γt (q / 2) 0)%I with "[Ht]" as "[Ht1 Ht2]".
      { rewrite -taken_split Qp.div_2. iFrame. }
      wp_apply (domain_spawn_spec (λ v, ∃ s : nat, ⌜v = #s⌝ ∗ taken γt (q / 2) s)%I with "[Ht1]").
      { wp_pures. wp_apply (steal_spec _ _ _ _ _ 0 with "Hinv Ht1").
        iIntros (s) "Ht". iExists s. by iFrame. }
      iIntros (d) "Hd". wp_pures. replace (Z.of_nat (S thieves) - 1)%Z with (Z.of_nat thieves) by lia.
      wp_apply ("IH" with "Ho Ht2"). iIntros (s) "(Ho & Hp & Ht)". wp_pures.
      wp_apply (domain_join_spec with "Hd"). iIntros (v) "(%s' & -> & Ht')". wp_pures.
      rewrite -Nat2Z.inj_add. iModIntro. iApply "HΦ". iFrame "Ho Hp".
      iDestruct (taken_split with "[$Ht $Ht']") as "Ht". rewrite Qp.div_2. iFrame.
  Qed.

  Lemma stealing_client_spec (capacity : Z) thieves n :
    {{{ True }}}
      clients_stealing_client_run #capacity #thieves #n
    {{{ RET #(triangle n); True }}}.
  Proof using Type*.
    iIntros (Φ) "_ HΦ". wp_rec. wp_pures. wp_apply block2_spec; first done.
    iIntros (dummy) "_". wp_pures. wp_apply (bounded_create_spec ND); first done.
    iIntros (γ deque) "(_ & #Hd & Hm & Ho)". wp_pures. wp_alloc stop as "Hstop". wp_pures.
    iMod (ghost_var_alloc 0) as (γp) "[Hp Hp']".
    iMod (own_alloc (●F 0 ⋅ ◯F 0)) as (γt) "[Hs Ht]"; first by apply frac_auth_valid.
    iMod (inv_alloc NC _ (content γ γp γt) with "[Hm Hp' Hs]") as "#I".
    { iNext. iExists [], [], 0, 0. iFrame. by iSplit. }
    iMod (inv_alloc NS _ (∃ b : bool, stop ↦ #b)%I with "[Hstop]") as "#Is"; first by eauto.
    iApply wp_fupd.
    wp_apply (with_thieves_spec γ γp γt _ 1 with "[] [Ho Hp Ht]").
    { iExists deque, stop. by iFrame "#". }
    { iFrame. }
    iIntros (s) "(Ho & Hp & Ht)".
    iInv "I" as (its xs p s') ">(Hm & Hits & Hp' & Hs & %Heq)".
    iMod (bounded_owner_model with "Hd Ho Hm") as "(Ho & Hm & %Hsuffix)"; first solve_ndisj.
    apply suffix_nil_inv in Hsuffix as ->.
    iDestruct (big_sepL2_nil_inv_l with "Hits") as %->.
    iDestruct (ghost_var_agree with "Hp Hp'") as %<-.
    iCombine "Hs Ht" gives %->%frac_auth_agree_L.
    iModIntro. iSplitR "HΦ".
    { iNext. iExists [], [], (triangle n), s. iFrame. by iPureIntro. }
    iModIntro. rewrite Heq /= Nat.add_0_r. by iApply "HΦ".
  Qed.
End client.

(** Claim: An owner pushes items of the values 1 to n into a bounded deque of any
    capacity and pops, while any number of thieves steal. In every execution: no
    domain gets stuck (so no item is taken twice, and no access to a plain field races),
    and the result, if there is a result, is the sum of all items (so no item is lost). *)
Theorem stealing_client_adequate (capacity : Z) (thieves n : nat) σ :
  adequate NotStuck (clients_stealing_client_run #capacity #thieves #n) σ
    (λ v _, v = #(n * (n + 1) / 2)).
Proof.
  apply (heap_adequacy #[heapΣ; stealing_clientΣ]). iIntros (?) "_".
  wp_apply stealing_client_spec; first done. iIntros "_". by rewrite triangle_closed.
Qed.

(** Claim: The program without prophecy variables, the program that runs, has the same
    property. *)
Theorem stealing_client_erased (capacity : Z) (thieves n : nat) σ :
  adequate NotStuck (erase_expr (clients_stealing_client_run #capacity #thieves #n))
    (erase_state σ) (λ v _, v = #(n * (n + 1) / 2)).
Proof. apply erased_adequate, stealing_client_adequate. Qed.
