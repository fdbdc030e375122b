(** Hubs of work-stealing deques from which thieves take directly: the specification of
    the deques, and the operations over any deques that meet this specification.

    [stealing_deques] says how each operation on one deque changes the model of all
    deques ([stealing_state.v]). Each kind of deque has an instance ([std.v],
    [hybrid_deques.v]). A worker owns its deque and its part of Central, whether the
    worker serves or not.

    Every operation is linearised where it changes its one queue or deque. An operation
    that finds nothing may be linearised anywhere. A [retract] that meets another task
    keeps the other task in the worker's hand until the task is in the deque again. The
    deque has room for the task: the task was in the deque a moment ago, and only the
    owner pushes.

    A [steal] goes round the deques, from a worker that Central names, and takes the
    first task that it finds; [steal_from_look] is one look. After the last deque the
    [steal] looks at Central's queues. *)
From stdpp Require Import gmultiset.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import others.
From dromos.hub Require Import hub_code central_code stealing_code hub_spec central.
From dromos.hub Require Export stealing_state.

Class stealing_deques `{!heapGS Σ} := StealingDeques {
  deques_name : Type;
  deques_inv : deques_name → val → nat → iProp Σ;
  deques_model : deques_name → list (list val) → iProp Σ;
  (** The right to act on the worker's own deque; [true] says that the deque has
      room. *)
  deques_owner : deques_name → nat → bool → iProp Σ;

  deques_inv_persistent δ d n :: Persistent (deques_inv δ d n);
  deques_model_timeless δ vss :: Timeless (deques_model δ vss);
  deques_owner_timeless δ i room :: Timeless (deques_owner δ i room);
  deques_length δ d n vss : deques_inv δ d n -∗ deques_model δ vss -∗ ⌜length vss = n⌝;

  deques_push_spec δ d n i room (l : loc) : i < n →
    deques_inv δ d n -∗ deques_owner δ i room -∗
    deque_pushes (deques_model δ) i l room (hub_stealing_push_deque d #i #l)
      (deques_owner δ i false);
  deques_pop_spec δ d n i room : i < n →
    deques_inv δ d n -∗ deques_owner δ i room -∗
    deque_pops (deques_model δ) i (hub_stealing_pop_deque d #i) (deques_owner δ i);
  deques_steal_spec δ d n i : i < n →
    deques_inv δ d n -∗ deque_steals (deques_model δ) i (hub_stealing_steal_deque d #i);
  deques_size_spec δ d n i : i < n →
    {{{ deques_inv δ d n }}} hub_stealing_deque_size d #i {{{ (z : Z), RET #z; True }}};
  deques_is_empty_spec δ d n i : i < n →
    {{{ deques_inv δ d n }}} hub_stealing_deque_is_empty d #i {{{ (b : bool), RET #b; True }}};
  deques_sweep_spec δ d n i room : i < n →
    {{{ deques_inv δ d n ∗ deques_owner δ i room }}}
      hub_stealing_sweep_deque d #i
    {{{ RET #(); deques_owner δ i room }}};
}.
Global Arguments stealing_deques Σ {_}.

(** The hub itself ([stealing_val]), and the record of its operations
    ([stealing_hub]). *)
Definition stealing_val (deques : val) (n : nat) (central : val) : val :=
  (#n, deques, central,
   ((λ: "i", hub_stealing_deque_size deques "i"), (λ: "i", hub_stealing_steal_deque deques "i"))).
Definition stealing_hub (deques : val) (n : nat) (central : val) (nf : loc) : hub_ops :=
  let t := stealing_val deques n central in {|
  h_push := (λ: "i" "reason" "task", hub_stealing_push t "i" "reason" "task");
  h_pop := (λ: "i", hub_stealing_pop t "i");
  h_retract := (λ: "i" "task", hub_stealing_retract t "i" "task");
  h_steal := (λ: "i", hub_stealing_steal t "i");
  h_waits_for_answer := (λ: <>, #false);
  h_has_work := (λ: "i", hub_stealing_has_work t "i");
  h_submit := (λ: "reason" "task", hub_central_submit central "reason" "task");
  h_submit_to := (λ: "i" <> "task", hub_central_submit_to central "i" "task");
  h_enlist := (λ: <>, #());
  h_retire := (λ: "i", hub_stealing_sweep_deque deques "i");
  h_tick := (λ: <>, #());
  h_finished := (λ: <> <>, #());
  h_blocked := (λ: <> <>, #());
  h_close := (λ: <>, #());
  h_notifier := nf;
|}%V.

Section stealing.
  Context `{!heapGS Σ, !centralG Σ, !stealing_deques Σ}.

  Definition stealing_names : Type := central_names * deques_name.
  Implicit Types (γ : stealing_names) (d central : val).
  Implicit Types (M : hub_items) (i n v left : nat) (l : loc) (Q : iProp Σ) (Φ : val → iProp Σ).

  Definition stealing_hub_model γ : hub_items → iProp Σ :=
    stealing_model γ.1 (deques_model γ.2).
  Definition stealing_owner γ i (_ : bool) : iProp Σ :=
    central_owner γ.1 i ∗ ∃ room, deques_owner γ.2 i room.
  Definition stealing_inv (o : hub_ops) γ n : iProp Σ :=
    ∃ d central nf, ⌜o = stealing_hub d n central nf⌝ ∗
      deques_inv γ.2 d n ∗ central_inv γ.1 central n.

  Global Instance stealing_hub_model_timeless γ M : Timeless (stealing_hub_model γ M).
  Proof. apply _. Qed.
  Global Instance stealing_owner_timeless γ i b : Timeless (stealing_owner γ i b).
  Proof. apply _. Qed.
  Global Instance stealing_inv_persistent o γ n : Persistent (stealing_inv o γ n).
  Proof. apply _. Qed.
  Local Lemma stealing_part γ : hub_part (central_model γ.1) (stealing_hub_model γ).
  Proof. exact (stealing_central _ _). Qed.

  (** ** Adding *)

  (** Claim: [push] adds a task for any worker, at one instant. *)
  Lemma stealing_push_spec o γ n i (r : Z) l : i < n →
    stealing_inv o γ n -∗ stealing_owner γ i true -∗
    <<{ ∀∀ M, stealing_hub_model γ M }>>
      h_push o #i #r #l @ ↑hubN
    <<{ stealing_hub_model γ (M ⊎ {[+ (l, None) +]}) | RET #(); stealing_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%d & %central & %nf & -> & #Id & #Ic) Hown %Φ AU".
    iAssert (stealing_owner γ i true -∗
      stealing_push_au γ.1 (deques_model γ.2) l (stealing_owner γ i true) Φ -∗
      WP hub_stealing_push_own (stealing_val d n central) #i #r #l {{ Φ }})%I as "Hfirst".
    { iIntros "[Hc (%room & Hd)] AU". wp_rec. wp_pures. wp_bind (hub_stealing_push_deque _ _ _).
      iApply (wp_wand with "[Hd AU]").
      { iApply (stealing_push_own with "[Hd] AU"). by iApply (deques_push_spec with "Id Hd"). }
      iIntros (?) "(%b & -> & Hd & HΦ)".
      iAssert (stealing_owner γ i true) with "[$Hc Hd]" as "Hown"; first by iExists false.
      destruct b; wp_pures; first by iApply "HΦ".
      by iApply (stealing_push_out with "Ic HΦ Hown"). }
    simpl. wp_pures. wp_rec. wp_pures.
    case_bool_decide; wp_pures; first by iApply ("Hfirst" with "Hown AU").
    case_bool_decide; wp_pures; first by iApply ("Hfirst" with "Hown AU").
    case_bool_decide; wp_pures; by iApply (stealing_push_out with "Ic AU Hown").
  Qed.

  (** Claim: [submit], called by any thread, adds a task for any worker, at one
      instant. *)
  Lemma stealing_submit_spec o γ n (r : Z) l :
    stealing_inv o γ n -∗
    <<{ ∀∀ M, stealing_hub_model γ M }>>
      h_submit o #r #l @ ↑hubN
    <<{ stealing_hub_model γ (M ⊎ {[+ (l, None) +]}) | RET #() }>>.
  Proof.
    iIntros "(%d & %central & %nf & -> & #Id & #Ic) %Φ AU". simpl. wp_pures.
    iApply (hub_part_submit with "[] AU"); first apply stealing_part.
    by iApply central_submit_spec.
  Qed.

  (** Claim: [submit_to i] adds a task for worker [i] alone, at one instant. *)
  Lemma stealing_submit_to_spec o γ n i (r : Z) l : i < n →
    stealing_inv o γ n -∗
    <<{ ∀∀ M, stealing_hub_model γ M }>>
      h_submit_to o #i #r #l @ ↑hubN
    <<{ stealing_hub_model γ (M ⊎ {[+ (l, Some i) +]}) | RET #() }>>.
  Proof.
    iIntros (Hin) "(%d & %central & %nf & -> & #Id & #Ic) %Φ AU". simpl. wp_pures.
    iApply (hub_part_submit with "[] AU"); first apply stealing_part.
    by iApply central_submit_to_spec.
  Qed.

  (** ** Stealing *)

  (** A single look of a thief on its round of the deques. *)
  Local Lemma steal_from_look d n central i v left Φ : v < n →
    WP hub_stealing_steal_deque d #v {{ r,
      (⌜r = NONEV⌝ ∗ WP hub_stealing_steal_from (stealing_val d n central)
         #i #(next_deque n v) #left {{ Φ }}) ∨
      (∃ l, ⌜r = SOMEV #l⌝ ∗ Φ r) }} -∗
    WP hub_stealing_steal_from (stealing_val d n central) #i #v #(S left) {{ Φ }}.
  Proof.
    iIntros (Hv) "H". wp_rec. wp_pures. wp_bind (hub_stealing_steal_deque _ _).
    iApply (wp_wand with "H").
    iIntros (r) "[[-> H]|(%l & -> & HΦ)]"; wp_pures; last done.
    replace (v + 1)%Z with (Z.of_nat (S v)) by lia.
    rewrite /next_deque. case_decide as Hlast.
    - rewrite Hlast bool_decide_eq_true_2 //. wp_pures.
      by replace (S left - 1)%Z with (Z.of_nat left) by lia.
    - rewrite bool_decide_eq_false_2; last by intros [= ?%Nat2Z.inj]. wp_pures.
      by replace (S left - 1)%Z with (Z.of_nat left) by lia.
  Qed.

  Local Lemma steal_from_try γ d n central i v left : i < n → v < n →
    deques_inv γ.2 d n -∗ central_inv γ.1 central n -∗ central_owner γ.1 i -∗
    hub_try (stealing_hub_model γ) i
      (hub_stealing_steal_from (stealing_val d n central) #i #v #left) (central_owner γ.1 i).
  Proof.
    iIntros (Hin Hv) "#Id #Ic Hc %Q %Φ AU". iInduction left as [|left] "IH" forall (v Hv).
    { wp_rec. wp_pures. iApply (hub_part_try with "[Hc] AU"); first apply stealing_part.
      by iApply (central_steal_spec with "Ic"). }
    iApply steal_from_look; first done. iApply (wp_wand with "[AU]").
    { iApply (stealing_try _ _ i v with "[] AU"). iApply deque_steals_pops.
      by iApply deques_steal_spec. }
    iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]".
    - iLeft. iSplit; first done. iApply ("IH" with "[%] Hc AU"). by apply next_deque_lt.
    - iRight. iExists l. iSplit; first done. iFrame "Hc". iRight. by eauto.
  Qed.
  Local Lemma steal_try γ d n central i : i < n →
    deques_inv γ.2 d n -∗ central_inv γ.1 central n -∗ central_owner γ.1 i -∗
    hub_try (stealing_hub_model γ) i (hub_stealing_steal (stealing_val d n central) #i)
      (central_owner γ.1 i).
  Proof.
    iIntros (Hin) "#Id #Ic Hc %Q %Φ AU". wp_rec. wp_pures.
    wp_apply (central_victim_spec with "[$Ic $Hc]"); first done.
    iIntros (v) "[%Hv Hc]". wp_pures. by iApply (steal_from_try with "Id Ic Hc AU").
  Qed.

  (** Claim: [steal i] takes a task that worker [i] may run, at one instant, or
      nothing. *)
  Lemma stealing_steal_spec o γ n i : i < n →
    stealing_inv o γ n -∗ stealing_owner γ i true -∗
    <<{ ∀∀ M, stealing_hub_model γ M }>>
      h_steal o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ stealing_hub_model γ M'
      | RET r; stealing_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%d & %central & %nf & -> & #Id & #Ic) [Hc Hd]".
    iApply hub_try_done. iIntros (Q Φ) "AU". simpl. wp_pures. iApply (wp_wand with "[Hc AU]").
    { by iApply (steal_try with "Id Ic Hc AU"). }
    iIntros (r) "[$ $]". iFrame.
  Qed.

  (** [steal_from] while only the caller acts: [None] leaves only tasks for other
      workers. *)
  Local Lemma steal_from_quiet γ d n central i v left C lss :
    i < n → v < n → length lss = n → looked_at n v left lss →
    deques_inv γ.2 d n -∗ central_inv γ.1 central n -∗ central_owner γ.1 i -∗
    central_model γ.1 C -∗ deques_model γ.2 (stealing_vals lss) -∗
    ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner γ.1 j) -∗
    WP hub_stealing_steal_from (stealing_val d n central) #i #v #left
      {{ r, ∃ M', ⌜hub_taken i (C ⊎ stealing_items lss) r M'⌝ ∗
        central_owner γ.1 i ∗ stealing_hub_model γ M' ∗
        ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner γ.1 j) ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}.
  Proof.
    iIntros (Hin Hv Hn Hall) "#Id #Ic Hc HC Hd Hos".
    iInduction left as [|left] "IH" forall (v Hv Hall).
    { pose proof (looked_at_all n v lss Hv Hn Hall) as Hnone. wp_rec. wp_pures.
      wp_apply (central_steal_quiet_spec with "[$Ic $Hc $HC $Hos]"); first done.
      iIntros (r C') "(%Hr & Hc & HC & Hos & %Hforeign)". iExists C'.
      rewrite Hnone right_id_L. iFrame "Hc Hos". iSplit; first done. iSplitL; last done.
      iExists C', lss. iFrame. by rewrite Hnone right_id_L. }
    iApply steal_from_look; first done.
    iPoseProof (deques_steal_spec _ _ _ v with "Id") as "Hlook"; first done.
    rewrite /deque_steals. awp_apply "Hlook". iAaccIntro with "Hd"; first by eauto with iFrame.
    iIntros (vs) "[Hd %Hi] !>". apply stealing_vals_lookup in Hi as (ls & Hi & ->).
    destruct ls as [|l ls]; simpl.
    - iLeft. iSplit; first done. rewrite list_insert_id; last by rewrite list_lookup_fmap Hi.
      iApply ("IH" with "[%] [%] Hc HC Hd Hos"); first by apply next_deque_lt.
      by apply looked_at_next.
    - iRight. iExists l. iSplit; first done.
      iExists (C ⊎ stealing_items (<[v := ls]> lss)). iFrame "Hc Hos". iSplit.
      { iPureIntro. right. exists l, None. split; first done. split; first by left.
        rewrite -assoc_L -(stealing_items_insert (<[v := ls]> lss) v ls (l :: ls)) //.
        - by rewrite list_insert_insert list_insert_id.
        - apply list_lookup_insert. by eapply lookup_lt_Some. }
      iSplitL; last done. iExists C, (<[v := ls]> lss). rewrite stealing_vals_insert. by iFrame.
  Qed.

  (** Claim: While only the caller acts, a [steal] without success leaves only tasks for
      other workers. *)
  Lemma stealing_steal_quiet_spec o γ n i M : i < n →
    {{{ stealing_inv o γ n ∗ stealing_owner γ i true ∗ stealing_hub_model γ M ∗
        [∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → stealing_owner γ j false }}}
      h_steal o #i
    {{{ r M', RET r;
        ⌜hub_taken i M r M'⌝ ∗ stealing_owner γ i true ∗ stealing_hub_model γ M' ∗
        ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → stealing_owner γ j false) ∗
        ⌜r = NONEV → hub_foreign i M'⌝ }}}.
  Proof.
    iIntros (Hin Φ) "((%d & %central & %nf & -> & #Id & #Ic) & [Hc Hd] & HM & Hos) HΦ".
    iDestruct "HM" as (C lss) "(HC & HD & ->)".
    iDestruct (deques_length with "Id HD") as %Hn. rewrite length_fmap in Hn.
    iEval (rewrite others_sep) in "Hos". iDestruct "Hos" as "[Hcs Hds]".
    simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (central_victim_spec with "[$Ic $Hc]"); first done. iIntros (v) "[%Hv Hc]".
    wp_pures. iApply (wp_wand with "[-Hd Hds HΦ]").
    { iApply (steal_from_quiet with "Id Ic Hc HC HD Hcs"); try done. apply looked_at_begin. }
    iIntros (r) "(%M' & %Hr & Hc & HM & Hcs & %Hnone)". iApply "HΦ".
    iEval (rewrite others_sep). by iFrame.
  Qed.

  (** ** Popping *)

  Local Lemma pop_own_first_try γ d n central i : i < n →
    deques_inv γ.2 d n -∗ central_inv γ.1 central n -∗ stealing_owner γ i true -∗
    hub_try (stealing_hub_model γ) i (hub_stealing_pop_own_first (stealing_val d n central) #i)
      (stealing_owner γ i true).
  Proof.
    iIntros (Hin) "#Id #Ic [Hc (%room & Hd)] %Q %Φ AU". wp_rec. wp_pures.
    wp_bind (hub_stealing_pop_deque _ _). iApply (wp_wand with "[Hd AU]").
    { iApply (stealing_try _ _ i i with "[Hd] AU"). by iApply (deques_pop_spec with "Id Hd"). }
    iIntros (r) "[Hd [[-> AU]|(%l & -> & HΦ)]]"; wp_pures; last first.
    { iModIntro. iFrame. iRight. by eauto. }
    wp_rec. wp_pures. wp_apply (central_fair_spec with "[$Ic $Hc]"); first done.
    iIntros (fair) "Hc". destruct fair; wp_pures; iApply (wp_wand with "[Hc AU]").
    - by iApply (steal_try with "Id Ic Hc AU").
    - iIntros (r) "[$ $]". iFrame.
    - iApply (hub_part_try with "[Hc] AU"); first apply stealing_part.
      by iApply (central_pop_spec with "Ic").
    - iIntros (r) "[$ $]". iFrame.
  Qed.

  (** Claim: [pop i] takes a task that worker [i] may run, at one instant, or
      nothing. *)
  Lemma stealing_pop_spec o γ n i : i < n →
    stealing_inv o γ n -∗ stealing_owner γ i true -∗
    <<{ ∀∀ M, stealing_hub_model γ M }>>
      h_pop o #i @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ stealing_hub_model γ M'
      | RET r; stealing_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%d & %central & %nf & -> & #Id & #Ic) [Hc Hd]".
    iApply hub_try_done. iIntros (Q Φ) "AU". simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (central_fair_spec with "[$Ic $Hc]"); first done. iIntros (fair) "Hc".
    destruct fair; wp_pures; last first.
    { by iApply (pop_own_first_try with "Id Ic [$Hc $Hd] AU"). }
    wp_bind (hub_central_pop_fairly _ _ _). iApply (wp_wand with "[Hc Hd AU]").
    { iApply (central_pop_fairly_spec with "Ic Hc Hd [] [] AU"); [done|apply stealing_part|..].
      - iIntros "!> Hd". wp_pures. wp_apply (deques_size_spec with "Id"); first done.
        iIntros (z) "_". iExists z. by iFrame.
      - iIntros "!> Hd %Q' %Φ' AU". wp_pures. iApply (wp_wand with "[AU]").
        { iApply (stealing_try _ _ i i with "[] AU"). iApply deque_steals_pops.
          by iApply deques_steal_spec. }
        iIntros (r) "[_ $]". iFrame. }
    iIntros (r) "[[Hc Hd] [[-> AU]|(%l & -> & HΦ)]]"; wp_pures.
    - by iApply (pop_own_first_try with "Id Ic [$Hc $Hd] AU").
    - iModIntro. iFrame. iRight. by eauto.
  Qed.

  (** ** Other operations *)

  (** Claim: A [retract] with success has taken exactly the given task, at one
      instant. *)
  Lemma stealing_retract_spec o γ n i l : i < n →
    stealing_inv o γ n -∗ stealing_owner γ i true -∗
    <<{ ∀∀ M, stealing_hub_model γ M }>>
      h_retract o #i #l @ ↑hubN
    <<{ ∃∃ (b : bool) M',
        ⌜if b then ∃ w, hub_runs i (l, w) ∧ M = M' ⊎ {[+ (l, w) +]} else M' = M⌝ ∗
        stealing_hub_model γ M'
      | RET #b; stealing_owner γ i true }>>.
  Proof.
    iIntros (Hin) "(%d & %central & %nf & -> & #Id & #Ic) [Hc (%room & Hd)] %Φ AU".
    simpl. wp_pures. wp_rec. wp_pures. wp_bind (hub_stealing_pop_deque _ _).
    iApply (wp_wand with "[Hc Hd AU]").
    { iApply (stealing_retract_take with "[Hd] Hc AU"). by iApply (deques_pop_spec with "Id Hd"). }
    iIntros (r) "(%o & -> & Hd & H)". destruct o as [l'|]; wp_pures; last first.
    { iDestruct "H" as "[Hc AU]". iApply (hub_retract_nothing with "AU"). iFrame. }
    case_decide as Hl.
    { subst l'. rewrite bool_decide_eq_true_2 //. wp_pures. iDestruct "H" as "[Hc HΦ]".
      iApply "HΦ". by iFrame. }
    rewrite bool_decide_eq_false_2; last by intros [= ->]. wp_pures.
    iDestruct "H" as "[Hc AU]". wp_bind (hub_stealing_push_deque _ _ _). iApply (wp_wand with "[Hc Hd AU]").
    { iApply (stealing_put_back with "[Hd] Hc AU"). by iApply (deques_push_spec with "Id Hd"). }
    iIntros (r) "(-> & Hd & AU & Hc)". wp_pures.
    iApply (hub_retract_nothing with "AU"). iFrame.
  Qed.

  Lemma stealing_has_work_spec o γ n i b : i < n →
    {{{ stealing_inv o γ n ∗ stealing_owner γ i b }}}
      h_has_work o #i
    {{{ (r : bool), RET #r; stealing_owner γ i b }}}.
  Proof.
    iIntros (Hin Φ) "[(%d & %central & %nf & -> & #Id & #Ic) Hown] HΦ".
    simpl. wp_pures. wp_rec. wp_pures.
    wp_apply (deques_is_empty_spec with "Id"); first done. iIntros ([]) "_"; wp_pures.
    - wp_apply (central_has_work_spec with "Ic"). iIntros (r) "_". by iApply "HΦ".
    - by iApply "HΦ".
  Qed.

  Lemma stealing_retire_spec o γ n i : i < n →
    {{{ stealing_inv o γ n ∗ stealing_owner γ i true }}}
      h_retire o #i
    {{{ RET #(); stealing_owner γ i false }}}.
  Proof.
    iIntros (Hin Φ) "[(%d & %central & %nf & -> & #Id & #Ic) [Hc (%room & Hd)]] HΦ".
    simpl. wp_pures. wp_apply (deques_sweep_spec with "[$Id $Hd]"); first done.
    iIntros "Hd". iApply "HΦ". iFrame.
  Qed.
End stealing.
