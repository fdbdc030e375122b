(** The private hub, a worker as a thief: lib/kernel/hub/private_.ml.

    A steal looks at three places: the worker's own deque, where a task may have come
    during a withdrawal; the answer of a victim; and Central. The steal is linearised at
    the look that gives a task. If a victim gave a task while Central gave one too, the
    victim's task is pushed to the worker's deque, within the model.

    The thief's counter and marks do not matter for the proof. Only two facts matter: a
    thief never asks itself, and a thief with a request under way knows its victim.
    Therefore a thief's look at the deques is one of two cases ([thief_looks]):
    - the thief has no request, and sees no worker that may have a task;
    - the thief tries to steal from a worker.

    [steal_from_others_spec] covers both cases. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants token.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import private_code items others private_ private_quiet.
From dromos.hub Require Import hub_code private_code hub_spec central_code central own_deques guarded.
From dromos.hub Require Import private_state.

Section thief.
  Context `{!heapGS Σ, !centralG Σ, !privateG Σ, !guardedG Σ}.
  Implicit Types (γ : private_hub_names) (p : private_hub_parts) (M : hub_items).
  Implicit Types (i j n victim : nat) (l x : loc) (asked : option nat) (Q : iProp Σ).
  Implicit Types (vs : list val) (T : option val → iProp Σ).

  (** ** The choice of a victim *)

  Local Lemma promising_spec γ n p i victim (left : nat) : i < n → victim < n →
    {{{ private_parts γ n p }}}
      hub_private_promising (private_hub_val p) #i #victim #left
    {{{ (j : nat), RET #j; ⌜j < n⌝ }}}.
  Proof.
    iIntros (Hi Hv Φ) "#Hp HΦ". iPoseProof "Hp" as "(#I & _)".
    iInduction left as [|left] "IH" forall (victim Hv); wp_rec; wp_pures.
    { by iApply "HΦ". }
    wp_bind (If #_ _ _).
    iApply (wp_wand _ _ _ (λ r, ∃ b : bool, ⌜r = #b⌝)%I).
    { case_bool_decide; wp_pures; first by iExists false.
      wp_apply (private_may_have_spec with "I"); first lia. iIntros (b) "_". by iExists b. }
    iIntros (r) "(%b & ->)". destruct b; wp_pures; first by iApply "HΦ".
    wp_apply (private_workers_spec with "I"). iIntros "_". wp_pures.
    case_bool_decide as Hlast; wp_pures; replace (S left - 1)%Z with (Z.of_nat left) by lia.
    - iApply ("IH" $! 0 with "[%] HΦ"). lia.
    - replace (victim + 1)%Z with (Z.of_nat (S victim)) by lia.
      iApply ("IH" $! (S victim) with "[%] HΦ").
      assert (S victim ≠ n); last lia. intros <-. apply Hlast. do 2 f_equal. lia.
  Qed.

  Local Lemma choose_spec γ n p i : i < n →
    {{{ private_parts γ n p ∗ central_owner (ph_central γ) i }}}
      hub_private_choose (private_hub_val p) #i
    {{{ (j : nat), RET #j; ⌜j < n⌝ ∗ central_owner (ph_central γ) i }}}.
  Proof.
    iIntros (Hi Φ) "[#Hp Hc] HΦ". iPoseProof "Hp" as "(#I & #Ic & _)".
    wp_rec. wp_pures. wp_apply (central_victim_spec with "[$Ic $Hc]"); first done.
    iIntros (start) "[%Hstart Hc]". wp_pures. wp_apply (private_workers_spec with "I").
    iIntros "_". wp_apply (promising_spec with "Hp"); [done..|]. iIntros (j) "%Hj".
    iApply "HΦ". by iFrame.
  Qed.

  (** ** Marks *)

  Local Lemma mark_spec (m : loc) (mine : Z) :
    {{{ inv (hubN .@ "mark") (∃ z : Z, m ↦ #z) }}}
      hub_private_mark #m #mine
    {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "#I HΦ". iLöb as "IH". wp_rec. wp_pures.
    wp_bind (! _)%E. iInv "I" as (z) ">H". wp_load. iModIntro.
    iSplitL "H"; first by iExists z. wp_pures.
    case_bool_decide; wp_pures; last by iApply "HΦ".
    wp_bind (CmpXchg _ _ _). iInv "I" as (z') ">H".
    destruct (decide (z' = z)) as [->|Hne].
    - wp_cmpxchg_suc. iModIntro. iSplitL "H"; first by iExists _. wp_pures. by iApply "HΦ".
    - wp_cmpxchg_fail. iModIntro. iSplitL "H"; first by iExists z'. wp_pures.
      by iApply "IH".
  Qed.

  Local Lemma mark_all_spec γ n p i victim :
    {{{ private_parts γ n p }}}
      hub_private_mark_all (private_hub_val p) #i #victim
    {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "#Hp HΦ". iPoseProof "Hp" as "(#I & _)". iLöb as "IH" forall (victim).
    wp_rec. wp_pures. wp_apply (private_workers_spec with "I"). iIntros "_". wp_pures.
    case_bool_decide as Hv; wp_pures; last by iApply "HΦ".
    iAssert (WP hub_private_mark_all (private_hub_val p) #i #(victim + 1) {{ Φ }})%I
      with "[HΦ]" as "Hnext".
    { replace (victim + 1)%Z with (Z.of_nat (S victim)) by lia. by iApply "IH". }
    case_bool_decide; wp_pures; first done.
    wp_apply (private_may_have_spec with "I"); first lia.
    iIntros ([]) "_"; wp_pures; last done.
    wp_apply (private_mark_get_spec with "Hp"); first lia. iIntros (m) "#Hm".
    rewrite /hub_private_bit /hub_private_bits. wp_pures.
    wp_apply (mark_spec with "Hm"). iIntros "_". by wp_pures.
  Qed.

  (** ** The victims *)

  (** The thief between two operations, without its deque. *)
  Definition thief_is γ i x asked : iProp Σ :=
    ∃ victim misses b, thief_words x victim misses b ∗
      ⌜victim < length (ph_thieves γ)⌝ ∗ ⌜asked ≠ None → victim ≠ i⌝.
  Lemma thief_is_at γ i x asked :
    ph_thieves γ !! i = Some x → thief_at γ i asked ⊣⊢ thief_is γ i x asked.
  Proof.
    intros Hx. iSplit.
    - iIntros "(%x' & %victim & %misses & %b & %Hx' & H)". simplify_eq.
      by iExists victim, misses, b.
    - iIntros "(%victim & %misses & %b & H)". iExists x, victim, misses, b. by iFrame.
  Qed.

  Lemma found_spec γ i x asked (r : val) :
    {{{ thief_is γ i x asked }}} hub_private_found #x r {{{ RET r; thief_is γ i x asked }}}.
  Proof.
    iIntros (Φ) "(%victim & %misses & %b & (H0 & H1 & H2) & H) HΦ". wp_rec. wp_pures.
    wp_na_store. wp_na_store. iApply "HΦ". iExists victim, 0%Z, false. by iFrame.
  Qed.

  (** The two cases of a thief's look at the deques. [T o] holds after the look has
      returned [o]. *)
  Definition thief_looks γ n p i vs T : iProp Σ :=
    (private_owner (ph_deques γ) i vs None ={⊤}=∗
       private_owner (ph_deques γ) i vs None ∗ T None) ∧
    (∀ asked victim, ⌜victim < n⌝ -∗ private_owner (ph_deques γ) i vs asked -∗
       WP deque_private_steal (php_deques p) #i #victim {{ r, ∃ o asked', ⌜r = option_to_val o⌝ ∗
         private_owner (ph_deques γ) i vs asked' ∗ T o }}).

  Local Lemma ask_spec γ n p i x vs asked T : i < n → ph_thieves γ !! i = Some x →
    private_parts γ n p -∗ central_owner (ph_central γ) i -∗
    private_owner (ph_deques γ) i vs asked -∗ thief_is γ i x asked -∗
    thief_looks γ n p i vs T -∗
    WP hub_private_ask (private_hub_val p) #i #x {{ r, ∃ o asked', ⌜r = option_to_val o⌝ ∗
      central_owner (ph_central γ) i ∗ private_owner (ph_deques γ) i vs asked' ∗
      thief_is γ i x asked' ∗ T o }}.
  Proof.
    iIntros (Hi Hx) "#Hp Hc Ho (%victim & %misses & %b & (H0 & H1 & H2) & %Hv & %Hasked) HT".
    iPoseProof "Hp" as "(#I & _ & _ & %Hn & _)". rewrite Hn in Hv.
    wp_rec. wp_pures. wp_apply (private_waits_for_answer_spec with "[$I $Ho]"). iIntros "Ho".
    wp_bind (If _ _ _). iApply (wp_wand _ _ _ (λ _, ∃ victim' : nat, ⌜victim' < n⌝ ∗
      ⌜asked ≠ None → victim' ≠ i⌝ ∗ (x +ₗ 0) ↦na #victim' ∗ (x +ₗ 1) ↦na #misses ∗
      central_owner (ph_central γ) i)%I with "[Hc H0 H1]").
    { case_bool_decide as Hwaits; wp_pures.
      - rewrite /hub_private_retry_period. wp_na_load. wp_pures.
        case_bool_decide; wp_pures; last by iExists victim; iFrame.
        wp_apply (choose_spec with "[$Hp $Hc]"); first done. iIntros (j) "[%Hj Hc]". wp_pures.
        case_bool_decide as Hji; wp_pures; first by iExists victim; iFrame.
        wp_na_store. iModIntro. iExists j. iFrame. iPureIntro. split; first done. intros _ ->.
        by apply Hji.
      - wp_apply (choose_spec with "[$Hp $Hc]"); first done. iIntros (j) "[%Hj Hc]".
        wp_na_store. iModIntro. iExists j. by iFrame. }
    clear victim Hv Hasked. iIntros (r) "(%victim & %Hv & %Hasked & H0 & H1 & Hc)". wp_pures.
    wp_na_load. wp_pures. case_bool_decide as Heq; wp_pures.
    - assert (asked = None) as ->.
      { destruct asked; last done. exfalso. apply Hasked; first done. injection Heq. lia. }
      iDestruct "HT" as "[HT _]". iMod ("HT" with "Ho") as "[Ho HT]". iModIntro.
      iExists None, None. iFrame "Hc Ho HT". iSplit; first done. iExists victim, misses, b.
      iFrame. iPureIntro. split; [lia|done].
    - wp_na_load. wp_pures. iDestruct "HT" as "[_ HT]".
      iApply (wp_wand with "[HT Ho]"); first by iApply ("HT" with "[//] Ho").
      iIntros (r') "(%o & %asked' & -> & Ho & HT)". iExists o, asked'. iFrame "Hc Ho HT".
      iSplit; first done. iExists victim, misses, b. iFrame. iPureIntro. split; first lia.
      intros _ ->. by apply Heq.
  Qed.

  Lemma steal_from_others_spec γ n p i x vs asked T : i < n → ph_thieves γ !! i = Some x →
    private_parts γ n p -∗ central_owner (ph_central γ) i -∗
    private_owner (ph_deques γ) i vs asked -∗ thief_is γ i x asked -∗
    thief_looks γ n p i vs T -∗
    WP hub_private_steal_from_others (private_hub_val p) #i #x
      {{ r, ∃ o asked', ⌜r = option_to_val o⌝ ∗
        central_owner (ph_central γ) i ∗ private_owner (ph_deques γ) i vs asked' ∗
        thief_is γ i x asked' ∗ T o }}.
  Proof.
    iIntros (Hi Hx) "#Hp Hc Ho (%victim & %misses & %b & (H0 & H1 & H2) & %Hv & %Hasked) HT".
    wp_rec. wp_pures. wp_na_load. wp_pures. wp_na_store. wp_na_load.
    rewrite /hub_private_spin_limit. wp_pures. wp_bind (If _ _ _).
    iApply (wp_wand _ _ _ (λ _, True)%I).
    { case_bool_decide; wp_pures; last done.
      by wp_apply (mark_all_spec _ _ _ _ 0 with "Hp"). }
    iIntros (?) "_". wp_pures. wp_bind (hub_private_ask _ _ _).
    iApply (wp_wand with "[-]").
    { iApply (ask_spec with "Hp Hc Ho [H0 H1 H2] HT"); [done..|].
      iExists victim, _, b. by iFrame. }
    clear victim misses b Hv Hasked.
    iIntros (?) "(%o & %asked' & -> & Hc & Ho & Ht & HT)". destruct o as [w|]; simpl; wp_pures.
    { wp_apply (found_spec with "Ht"). iIntros "Ht". iExists (Some w), asked'. by iFrame. }
    iDestruct "Ht" as (victim misses b) "((H0 & H1 & H2) & Ht)". wp_na_load. wp_pures.
    wp_bind (If _ _ _). iApply (wp_wand _ _ _ (λ r, ∃ b' : bool, ⌜r = #b'⌝ ∗
      (x +ₗ 0) ↦na #victim)%I with "[H0]").
    { case_bool_decide; wp_pures; last by iExists false; iFrame.
      wp_na_load. wp_pures. iModIntro. iExists _. by iFrame. }
    iIntros (?) "(%b' & -> & H0)". wp_na_store. iModIntro. iExists None, asked'.
    iFrame "Hc Ho HT". iSplit; first done. iExists victim, misses, b'. iFrame.
  Qed.

  (** ** Steals *)

  Lemma thief_get_spec γ n p i x : i < n → ph_thieves γ !! i = Some x →
    {{{ private_parts γ n p }}} array_get #(php_thieves p) #i {{{ RET #x; True }}}.
  Proof.
    iIntros (Hi Hx Φ) "(_ & _ & #Hthieves & _) HΦ".
    wp_apply (array_get_spec _ _ _ _ #x with "Hthieves"); first lia.
    { by rewrite Nat2Z.id list_lookup_fmap Hx. }
    iIntros "_". by iApply "HΦ".
  Qed.

  Local Lemma steal_try γ n p i vs asked : i < n →
    private_parts γ n p -∗ central_owner (ph_central γ) i -∗ private_side γ i vs asked -∗
    guarded_worker (ph_guard γ) i -∗
    hub_try (private_real γ) i (hub_private_steal (private_hub_val p) #i)
      (private_hub_owner γ i true).
  Proof.
    iIntros (Hi) "#Hp Hc [Ho Ht] Hg %Q %Φ AU". iPoseProof "Hp" as "(#I & #Ic & _ & %Hn & _)".
    destruct (lookup_lt_is_Some_2 (ph_thieves γ) i) as [x Hx]; first lia.
    iAssert (∀ vs asked, central_owner (ph_central γ) i -∗
      private_owner (ph_deques γ) i vs asked -∗ thief_is γ i x asked -∗
      guarded_worker (ph_guard γ) i -∗ private_hub_owner γ i true)%I as "Hown".
    { iIntros (vs' asked') "Hc Ho Ht Hg". rewrite -thief_is_at //.
      iApply (private_hub_owner_intro with "Hc [$Ho $Ht] Hg"). }
    rewrite thief_is_at //. wp_rec. wp_pures.
    wp_apply (thief_get_spec with "Hp"); [done..|]. iIntros "_". wp_pures.
    wp_bind (deque_private_pop _ _). iApply (wp_wand with "[Ho AU]").
    { iApply (deques_try with "[Ho] AU"). iApply (private_pop_takes with "I Ho"). }
    iIntros (r) "(%o & -> & (%vs' & _ & _ & Ho) & Htried)". destruct o as [v|]; simpl; wp_pures.
    { wp_apply (found_spec with "Ht"). iIntros "Ht". iFrame "Htried".
      iApply ("Hown" with "Hc Ho Ht Hg"). }
    iDestruct "Htried" as "[[_ AU]|(%l & %Heq & _)]"; last done.
    wp_bind (hub_private_steal_from_others _ _ _). iApply (wp_wand with "[Hc Ho Ht AU]").
    { iApply (steal_from_others_spec _ _ _ _ _ _ _
        (λ o, hub_tried (private_real γ) i Q Φ (option_to_val o)) with "Hp Hc Ho Ht [AU]");
        [done..|]. iSplit.
      - iIntros "$ !>". iLeft. by iFrame.
      - iIntros (asked' victim Hv) "Ho". iApply (wp_wand with "[Ho AU]").
        { iApply (deques_try with "[Ho] AU"). by iApply (private_steal_takes with "I Ho"). }
        iIntros (r) "(%o & -> & (%asked'' & Ho) & H)". iExists o, asked''. by iFrame. }
    iIntros (r) "(%o & %asked' & -> & Hc & Ho & Ht & Htried)".
    destruct o as [v|]; simpl; wp_pures.
    { iModIntro. iFrame "Htried". iApply ("Hown" with "Hc Ho Ht Hg"). }
    iDestruct "Htried" as "[[_ AU]|(%l & %Heq & _)]"; last done.
    wp_bind (hub_central_steal _ _). iApply (wp_wand with "[Hc AU]").
    { iApply (hub_part_try with "[Hc] AU"); first apply deques_part.
      by iApply (central_steal_spec with "Ic Hc"). }
    iIntros (r) "[Hc [[-> AU]|(%l & -> & HΦ)]]"; wp_pures.
    { iModIntro. iSplitR "AU"; last by iLeft; iFrame. iApply ("Hown" with "Hc Ho Ht Hg"). }
    rewrite -thief_is_at //. wp_bind (hub_private_withdraw _ _).
    iApply (wp_wand with "[Hc Ho Ht Hg]").
    { iApply (private_hub_withdraw_spec with "Hp [] Hc [$Ho $Ht] Hg"); first done.
      by iApply private_peek. }
    iIntros (?) "(-> & Hc & (%vs'' & %asked'' & _ & _ & Ho & Ht) & Hg)".
    rewrite thief_is_at //. wp_pures. wp_apply (found_spec with "Ht"). iIntros "Ht".
    iSplitR "HΦ"; last by iRight; iExists l; iFrame. iApply ("Hown" with "Hc Ho Ht Hg").
  Qed.

  (** Claim: [steal i] takes a task that worker [i] may run, at one instant, or
      nothing. *)
  Lemma private_hub_steal_spec o γ n i : i < n →
    private_hub_inv o γ n -∗ private_hub_owner γ i true -∗
    <<{ ∀∀ M, private_hub_model γ M }>>
      h_steal o #i @ ↑hub_allN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ private_hub_model γ M'
      | RET r; private_hub_owner γ i true }>>.
  Proof.
    iIntros (Hi) "(%p & -> & #Hp) (Hc & (%vs & %asked & Hside & _) & Hg)".
    iPoseProof "Hp" as "(_ & _ & _ & _ & _ & _ & #Ig & _)". iApply (guarded_try with "Ig").
    iIntros (Q Φ) "AU". simpl. wp_pures. by iApply (steal_try with "Hp Hc Hside Hg").
  Qed.
End thief.
