(** * What a set of work-stealing deques is to a hub

    One record for all realizations of lib/kernel/deque/ws_deques.mli: what they
    hold is one multiset, [ws_model γ M]; worker [i] holds [ws_owner γ i ws waits].
    Here [ws] bounds what is in its deque: it is the content, or the content is a
    suffix of it, since thieves may have taken from its front meanwhile. [waits]
    says whether it has asked and not yet collected the answer.

    A push adds its item to the multiset, a pop, a steal and a withdrawal take out
    what they return, and nothing else changes it. A pop that returns nothing
    leaves the bound [[]]. Together with [ws_model_empty] that is what completion
    rests on: when all workers have popped nothing, and none waits for an answer,
    no item is left.

    Private deques are an instance, [private_ws_deques] below, and public deques,
    [public_ws_deques] in [ws_public.v]. *)
From stdpp Require Import gmultiset.
From iris.program_logic Require Import atomic.
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.deque Require Import items private_code private_.

Local Notation option_to_val o := (from_option InjRV (InjLV #()) o).

Record ws_deques_code := WsDequesCode {
  ws_create : val; ws_workers : val;
  ws_push : val; ws_pop : val; ws_size : val; ws_is_empty : val;
  ws_tick : val; ws_block : val; ws_unblock : val;
  ws_steal : val; ws_waits_for_answer : val; ws_withdraw : val; ws_may_have : val;
}.

Record ws_deques `{!heapGS Σ} (N : namespace) (code : ws_deques_code) := WsDeques {
  ws_names : Type;
  ws_inv : ws_names → val → nat → iProp Σ;
  ws_model : ws_names → gmultiset val → iProp Σ;
  ws_owner : ws_names → nat → list val → bool → iProp Σ;

  ws_inv_persistent γ t n : Persistent (ws_inv γ t n);
  ws_model_timeless γ M : Timeless (ws_model γ M);
  ws_owner_exclusive γ i ws ws' waits waits' :
    ws_owner γ i ws waits -∗ ws_owner γ i ws' waits' -∗ False;
  ws_model_empty γ t n M E :
    ↑N ⊆ E →
    ws_inv γ t n -∗ ([∗ list] i ∈ seq 0 n, ws_owner γ i [] false) -∗
    ws_model γ M ={E}=∗
    ⌜M = ∅⌝ ∗ ([∗ list] i ∈ seq 0 n, ws_owner γ i [] false) ∗ ws_model γ M;

  ws_create_spec (n : nat) (dummy : val) :
    {{{ True }}} code.(ws_create) #n dummy
    {{{ t γ, RET t;
        ws_inv γ t n ∗ ws_model γ ∅ ∗ [∗ list] i ∈ seq 0 n, ws_owner γ i [] false }}};
  ws_workers_spec γ t n :
    {{{ ws_inv γ t n }}} code.(ws_workers) t {{{ RET #n; True }}};

  ws_push_spec γ t n (i : nat) ws waits (v : val) :
    ws_inv γ t n -∗ ws_owner γ i ws waits -∗
    <<{ ∀∀ M, ws_model γ M }>> code.(ws_push) t #i v @ ↑N
    <<{ ws_model γ ({[+ v +]} ⊎ M)
      | RET #(); ∃ ws', ⌜ws' `suffix_of` ws ++ [v]⌝ ∗ ws_owner γ i ws' waits }>>;
  ws_pop_spec γ t n (i : nat) ws waits :
    ws_inv γ t n -∗ ws_owner γ i ws waits -∗
    <<{ ∀∀ M, ws_model γ M }>> code.(ws_pop) t #i @ ↑N
    <<{ ∃∃ o M', ⌜M = multiset_of (option_list o) ⊎ M'⌝ ∗ ws_model γ M'
      | ws', RET option_to_val o;
        ⌜match o with
         | None => ws' = []
         | Some v => ∃ ws0, ws = ws0 ++ [v] ∧ ws' `suffix_of` ws0
         end⌝ ∗ ws_owner γ i ws' waits }>>;
  ws_size_spec γ t n (i : nat) ws waits :
    ws_inv γ t n -∗ ws_owner γ i ws waits -∗
    <<{ ∀∀ M, ws_model γ M }>> code.(ws_size) t #i @ ↑N
    <<{ ∃∃ ws', ⌜ws' `suffix_of` ws⌝ ∗ ws_model γ M
      | RET #(length ws'); ws_owner γ i ws' waits }>>;
  ws_is_empty_spec γ t n (i : nat) ws waits :
    ws_inv γ t n -∗ ws_owner γ i ws waits -∗
    <<{ ∀∀ M, ws_model γ M }>> code.(ws_is_empty) t #i @ ↑N
    <<{ ∃∃ ws', ⌜ws' `suffix_of` ws⌝ ∗ ws_model γ M
      | RET #(bool_decide (ws' = [])); ws_owner γ i ws' waits }>>;
  ws_tick_spec γ t n (i : nat) ws waits :
    {{{ ws_inv γ t n ∗ ws_owner γ i ws waits }}} code.(ws_tick) t #i
    {{{ ws', RET #(); ⌜ws' `suffix_of` ws⌝ ∗ ws_owner γ i ws' waits }}};
  ws_block_spec γ t n (i : nat) ws waits :
    {{{ ws_inv γ t n ∗ ws_owner γ i ws waits }}} code.(ws_block) t #i
    {{{ RET #(); ws_owner γ i ws waits }}};
  ws_unblock_spec γ t n (i : nat) ws waits :
    {{{ ws_inv γ t n ∗ ws_owner γ i ws waits }}} code.(ws_unblock) t #i
    {{{ RET #(); ws_owner γ i ws waits }}};

  ws_steal_spec γ t n (i j : nat) ws waits :
    j < n →
    ws_inv γ t n -∗ ws_owner γ i ws waits -∗
    <<{ ∀∀ M, ws_model γ M }>> code.(ws_steal) t #i #j @ ↑N
    <<{ ∃∃ o M', ⌜M = multiset_of (option_list o) ⊎ M'⌝ ∗ ws_model γ M'
      | waits', RET option_to_val o;
        ⌜waits' = true → o = None⌝ ∗ ws_owner γ i ws waits' }>>;
  ws_waits_for_answer_spec γ t n (i : nat) ws waits :
    {{{ ws_inv γ t n ∗ ws_owner γ i ws waits }}} code.(ws_waits_for_answer) t #i
    {{{ RET #waits; ws_owner γ i ws waits }}};
  ws_withdraw_spec γ t n (i : nat) ws waits :
    ws_inv γ t n -∗ ws_owner γ i ws waits -∗
    <<{ ∀∀ M, ws_model γ M }>> code.(ws_withdraw) t #i @ ↑N
    <<{ ∃∃ o M', ⌜M = multiset_of (option_list o) ⊎ M'⌝ ∗ ws_model γ M'
      | waits', RET option_to_val o;
        ⌜waits' = true → o = None ∧ waits = true⌝ ∗ ws_owner γ i ws waits' }>>;
  ws_may_have_spec γ t n (i : nat) :
    i < n →
    ws_inv γ t n -∗
    <<{ ∀∀ M, ws_model γ M }>> code.(ws_may_have) t #i @ ↑N
    <<{ ∃∃ b : bool, ws_model γ M | RET #b }>>;
}.

Definition private_ws_deques_code : ws_deques_code := {|
  ws_create := deque_private_create; ws_workers := deque_private_workers;
  ws_push := deque_private_push; ws_pop := deque_private_pop;
  ws_size := deque_private_size; ws_is_empty := deque_private_is_empty;
  ws_tick := deque_private_tick; ws_block := deque_private_block;
  ws_unblock := deque_private_unblock; ws_steal := deque_private_steal;
  ws_waits_for_answer := deque_private_waits_for_answer;
  ws_withdraw := deque_private_withdraw; ws_may_have := deque_private_may_have;
|}.

Section private.
  Context `{!heapGS Σ, !privateG Σ} (N : namespace).

  Local Definition owner γ i ws (waits : bool) : iProp Σ :=
    ∃ asked, ⌜waits = bool_decide (asked ≠ None)⌝ ∗ private_owner γ i ws asked.

  Local Lemma tail_suffix {A} (l : list A) : tail l `suffix_of` l.
  Proof. destruct l as [|x l]; first done. by exists [x]. Qed.

  Local Lemma waits_None : bool_decide ((None : option nat) ≠ None) = false.
  Proof. by apply bool_decide_eq_false_2; intros []. Qed.

  Local Lemma owners_of_private γ n :
    ([∗ list] i ∈ seq 0 n, owner γ i [] false) ⊣⊢
    [∗ list] i ∈ seq 0 n, private_owner γ i [] None.
  Proof.
    apply big_sepL_proper=> k i _. iSplit.
    - iIntros "(%asked & %Ha & H)". symmetry in Ha. apply bool_decide_eq_false in Ha.
      by destruct asked; first (exfalso; apply Ha).
    - iIntros "H". iExists None. rewrite waits_None. by iFrame.
  Qed.


  (** Claim: Private deques are work-stealing deques, as hubs ask of them. *)
  Lemma private_ws_deques : ws_deques N private_ws_deques_code.
  Proof using Type*.
    refine {|
      ws_names := private_names;
      ws_inv := private_inv N; ws_model := private_model; ws_owner := owner;
    |}; simpl.
    - iIntros (γ i ws ws' waits waits') "(%a & _ & H1) (%a' & _ & H2)".
      iApply (private_owner_exclusive with "H1 H2").
    - iIntros (γ t n M E ?) "#I Ho HM". rewrite owners_of_private.
      by iApply (private_model_empty with "I Ho HM").
    - iIntros (n dummy Φ) "_ HΦ". wp_apply (private_create_spec with "[//]").
      iIntros (t γ) "(I & HM & Ho)". iApply "HΦ". rewrite owners_of_private. iFrame.
    - iIntros (γ t n Φ) "I HΦ". by wp_apply (private_workers_spec with "I").
    - iIntros (γ t n i ws waits v) "#I (%a & -> & Ho) %Φ AU".
      awp_apply (private_push_spec with "I Ho").
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "HM".
      iAaccIntro with "HM"; first by eauto with iFrame. iIntros "HM !>". iFrame "HM".
      iIntros "HΦ !> (%ws' & %Hws' & Ho)". iApply "HΦ". iExists ws'. iSplitR.
      + iPureIntro. destruct Hws' as [->| ->]; [done|apply tail_suffix].
      + iExists a. by iFrame.
    - iIntros (γ t n i ws waits) "#I (%a & -> & Ho) %Φ AU".
      awp_apply (private_pop_spec with "I Ho").
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "HM".
      iAaccIntro with "HM"; first by eauto with iFrame. iIntros (M') "HM !>". iExists (last ws), M'.
      iFrame "HM". iIntros "HΦ !> %ws' [%Hws' Ho]". iApply ("HΦ" $! ws'). iSplitR.
      + iPureIntro. destruct ws as [|v ws _] using rev_ind; first by destruct Hws'.
        rewrite last_snoc removelast_last in Hws' |- *. exists ws. split; first done.
        destruct Hws' as [->| ->]; [done|apply tail_suffix].
      + iExists a. by iFrame.
    - iIntros (γ t n i ws waits) "#I (%a & -> & Ho) %Φ AU". iApply wp_fupd.
      wp_apply (private_size_spec with "[$I $Ho]"). iIntros "Ho".
      iMod (fupd_mask_subseteq (⊤ ∖ ↑N)) as "Hmask"; first solve_ndisj.
      iMod "AU" as (M) "[HM [_ Hclose]]".
      iMod ("Hclose" $! ws with "[$HM //]") as "HΦ". iMod "Hmask" as "_".
      iModIntro. iApply "HΦ". iExists a. by iFrame.
    - iIntros (γ t n i ws waits) "#I (%a & -> & Ho) %Φ AU". iApply wp_fupd.
      wp_apply (private_is_empty_spec with "[$I $Ho]"). iIntros "Ho".
      iMod (fupd_mask_subseteq (⊤ ∖ ↑N)) as "Hmask"; first solve_ndisj.
      iMod "AU" as (M) "[HM [_ Hclose]]".
      iMod ("Hclose" $! ws with "[$HM //]") as "HΦ". iMod "Hmask" as "_".
      iModIntro. iApply "HΦ". iExists a. by iFrame.
    - iIntros (γ t n i ws waits Φ) "[#I (%a & -> & Ho)] HΦ".
      wp_apply (private_tick_spec with "[$I $Ho]"). iIntros (ws') "[%Hws' Ho]".
      iApply "HΦ". iSplitR; last by iExists a; iFrame. iPureIntro.
      destruct Hws' as [->| ->]; [done|apply tail_suffix].
    - iIntros (γ t n i ws waits Φ) "[#I (%a & -> & Ho)] HΦ".
      wp_apply (private_block_spec with "[$I $Ho]"). iIntros "Ho".
      iApply "HΦ". iExists a. by iFrame.
    - iIntros (γ t n i ws waits Φ) "[#I (%a & -> & Ho)] HΦ".
      wp_apply (private_unblock_spec with "[$I $Ho]"). iIntros "Ho".
      iApply "HΦ". iExists a. by iFrame.
    - iIntros (γ t n i j ws waits Hj) "#I (%a & -> & Ho) %Φ AU".
      awp_apply (private_steal_spec with "I Ho"); first lia.
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "HM".
      iAaccIntro with "HM"; first by eauto with iFrame. iIntros (o M') "HM !>". iExists o, M'.
      iFrame "HM". iIntros "HΦ !> %a' [%Ha' Ho]".
      iApply ("HΦ" $! (bool_decide (a' ≠ None))). iSplitR.
      + iPureIntro. intros Hw%bool_decide_eq_true. naive_solver.
      + iExists a'. by iFrame.
    - iIntros (γ t n i ws waits Φ) "[#I (%a & -> & Ho)] HΦ".
      wp_apply (private_waits_for_answer_spec with "[$I $Ho]"). iIntros "Ho".
      iApply "HΦ". iExists a. by iFrame.
    - iIntros (γ t n i ws waits) "#I (%a & -> & Ho) %Φ AU".
      awp_apply (private_withdraw_spec with "I Ho").
      iApply (aacc_aupd_commit with "AU"); first done. iIntros (M) "HM".
      iAaccIntro with "HM"; first by eauto with iFrame. iIntros (o M') "HM !>". iExists o, M'.
      iFrame "HM". iIntros "HΦ !> %a' [%Ha' Ho]".
      iApply ("HΦ" $! (bool_decide (a' ≠ None))). iSplitR.
      + iPureIntro. intros Hw%bool_decide_eq_true.
        destruct Ha' as [->|[-> ->]]; first done. by rewrite bool_decide_eq_true.
      + iExists a'. by iFrame.
    - iIntros (γ t n i Hi) "#I %Φ AU". iApply wp_fupd.
      wp_apply (private_may_have_spec with "I"); first lia. iIntros (b) "_".
      iMod (fupd_mask_subseteq (⊤ ∖ ↑N)) as "Hmask"; first solve_ndisj.
      iMod "AU" as (M) "[HM [_ Hclose]]".
      iMod ("Hclose" $! b with "HM") as "HΦ". by iMod "Hmask" as "_".
  Defined.
End private.
