(** Push and steal of a hub whose thieves help themselves, for any deques ([stealing.v]).

    A [push] goes into the worker's deque, and where that says that it is full, into
    central: it has its instant where the task is added ([stealing_push_own],
    [stealing_push_out]).

    A [steal] goes round the deques, from one that central names, and takes where it
    finds something; after the last it looks at central. How its code does so is all
    that its hub has to show, step by step ([stealing_round]). From the steps follows
    that it takes at one instant, or nothing ([stealing_steal_spec]), and what a steal
    in a quiet moment means: it finds each deque empty when it looks at it, hence all of
    them at the end, and so central; what is left is in the inboxes of others
    ([stealing_steal_quiet_spec]). *)
From stdpp Require Import gmultiset.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.hub Require Import hub_spec central_code central stealing.

Section ops.
  Context `{!heapGS Σ, !centralG Σ} (γ : central_names) (dm : list (list val) → iProp Σ).
  Implicit Types (M : hub_items) (i n v left : nat) (l : loc) (e : expr) (c : val).
  Implicit Types (lss : list (list loc)) (Q : iProp Σ) (Φ : val → iProp Σ) (K : iProp Σ) (D : nat → iProp Σ).
  Local Notation model := (stealing_model γ dm).

  (** ** Push *)

  (** The right to the instant of a [push]. *)
  Definition stealing_push_au l Q Φ : iProp Σ :=
    AU <{ ∃∃ M, model M }> @ ⊤ ∖ ↑hubN, ∅
       <{ model (M ⊎ {[+ (l, None) +]}), COMM Q -∗ Φ #() }>.
  Lemma stealing_push_own e (rb : bool → val) i l P (K : bool → list val → iProp Σ) Q Φ :
    <<{ ∀∀ vss, dm vss }>>
      e @ ↑hubN
    <<{ ∃∃ (b : bool) vs, dm (if b then <[i := vs ++ [ #l]]> vss else vss) ∗
        ⌜vss !! i = Some vs ∧ P b vs⌝
      | RET rb b; K b vs }>> -∗
    stealing_push_au l Q Φ -∗
    WP e {{ r, ∃ b vs, ⌜r = rb b ∧ P b vs⌝ ∗ K b vs ∗
      if b then Q -∗ Φ #() else stealing_push_au l Q Φ }}.
  Proof.
    iIntros "He AU". awp_apply (stealing_add with "He"). rewrite /stealing_push_au.
    iApply (aacc_aupd with "AU"); first done. iIntros (M) "HM".
    iAaccIntro with "HM"; first by eauto with iFrame. iIntros (b vs) "[HM %HP] !>". destruct b.
    - iRight. iFrame "HM". iIntros "HΦ !> HK". iExists true, vs. by iFrame.
    - iLeft. iFrame "HM". iIntros "AU !> HK". iExists false, vs. by iFrame.
  Qed.
  Lemma stealing_push_out c n (r : Z) l Q Φ :
    central_inv γ c n -∗ stealing_push_au l Q Φ -∗ Q -∗
    WP hub_central_submit c #r #l {{ Φ }}.
  Proof.
    iIntros "#Ic AU HQ". iApply (hub_part_add with "[] HQ AU"); first apply stealing_central.
    by iApply central_submit_spec.
  Qed.

  (** ** The oldest of a deque *)

  Definition stealing_oldest v e : iProp Σ :=
    <<{ ∀∀ vss, dm vss }>>
      e @ ↑hubN
    <<{ ∃∃ vs, dm (<[v := tail vs]> vss) ∗ ⌜vss !! v = Some vs⌝
      | RET from_option InjRV (InjLV #()) (head vs) }>>.
  Lemma stealing_oldest_try i v e : stealing_oldest v e -∗ hub_try model i e True.
  Proof.
    iIntros "He". iApply (hub_try_wand with "[He]"); last by iIntros "_".
    iApply (stealing_try _ _ _ _ v (λ _ _, True)%I). iIntros (Φ) "AU".
    rewrite /stealing_oldest. awp_apply "He".
    iApply (aacc_aupd_commit with "AU"); first done. iIntros (vss) "Hd".
    iAaccIntro with "Hd"; first by eauto with iFrame. iIntros (vs) "[Hd %Hvs] !>".
    iExists vs, (head vs), (tail vs). iFrame "Hd". iSplit.
    { iPureIntro. split; first done. apply oldest_perm. }
    iIntros "HΦ !>". by iApply "HΦ".
  Qed.

  (** ** Steal *)

  (** The code of a steal by worker [i]: [e] begins it, and [go v left] looks at [left]
      deques from [v] on, and then at central. *)
  Definition stealing_begins c i n e (go : nat → nat → expr) : iProp Σ :=
    ∀ Φ, WP hub_central_victim c #i {{ r, ∃ v, ⌜r = #v⌝ ∗ WP go v n {{ Φ }} }} -∗ WP e {{ Φ }}.
  Definition stealing_ends c i (go : nat → nat → expr) : iProp Σ :=
    ∀ v Φ, WP hub_central_steal c #i {{ Φ }} -∗ WP go v 0 {{ Φ }}.
  Definition stealing_goes_on n (go : nat → nat → expr) : iProp Σ :=
    ∀ v left, ⌜v < n⌝ -∗ ∃ look, stealing_oldest v look ∗
      ∀ Φ, WP look {{ r,
             (⌜r = NONEV⌝ ∗ WP go (if decide (S v = n) then 0 else S v) left {{ Φ }}) ∨
             (∃ l, ⌜r = SOMEV #l⌝ ∗ Φ r) }} -∗
           WP go v (S left) {{ Φ }}.
  Definition stealing_round c i n e : iProp Σ :=
    ∃ go, □ stealing_begins c i n e go ∗ □ stealing_ends c i go ∗ □ stealing_goes_on n go.

  Local Lemma next_lt n v : v < n → (if decide (S v = n) then 0 else S v) < n.
  Proof. case_decide; lia. Qed.
  Local Lemma go_try c i n go v left : i < n → v < n →
    □ stealing_ends c i go -∗ □ stealing_goes_on n go -∗ central_inv γ c n -∗
    central_owner γ i -∗ hub_try model i (go v left) (central_owner γ i).
  Proof.
    iIntros (Hin Hv) "#Hends #Hgoes #Ic Hc %Q %Φ AU".
    iInduction left as [|left] "IH" forall (v Hv).
    { iApply "Hends". iApply (hub_part_try with "[Hc] AU"); first apply stealing_central.
      by iApply (central_steal_spec with "Ic"). }
    iDestruct ("Hgoes" $! v left Hv) as (look) "[Hlook Hgo]". iApply "Hgo".
    iApply (wp_wand with "[Hlook AU]"); first iApply (stealing_oldest_try with "Hlook AU").
    iIntros (r) "[_ [[-> AU]|(%l & -> & HΦ)]]".
    - iLeft. iSplit; first done. iApply ("IH" with "[%] Hc AU"). by apply next_lt.
    - iRight. iExists l. iSplit; first done. iFrame "Hc". iRight. by eauto.
  Qed.
  Lemma stealing_steal_try c i n e : i < n →
    stealing_round c i n e -∗ central_inv γ c n -∗ central_owner γ i -∗
    hub_try model i e (central_owner γ i).
  Proof.
    iIntros (Hin) "(%go & #Hbegins & #Hends & #Hgoes) #Ic Hc %Q %Φ AU". iApply "Hbegins".
    wp_apply (central_victim_spec with "[$Ic $Hc]"); first done.
    iIntros (v) "[%Hv Hc]". iExists v. iSplit; first done.
    by iApply (go_try with "Hends Hgoes Ic Hc AU").
  Qed.
  Lemma stealing_steal_spec c i n e K : i < n →
    stealing_round c i n e -∗ central_inv γ c n -∗ central_owner γ i ∗ K -∗
    <<{ ∀∀ M, model M }>>
      e @ ↑hubN
    <<{ ∃∃ r M', ⌜hub_taken i M r M'⌝ ∗ model M' | RET r; central_owner γ i ∗ K }>>.
  Proof.
    iIntros (Hin) "Hround #Ic [Hc HK]". iApply hub_try_done. iIntros (Q Φ) "AU".
    iApply (wp_wand with "[Hround Hc AU]").
    { by iApply (stealing_steal_try with "Hround Ic Hc AU"). }
    iIntros (r) "[$ $]". iFrame.
  Qed.

  (** When nobody else acts. *)
  Local Lemma go_quiet c i n go v left C lss :
    i < n → v < n → length lss = n → looked_at n v left lss →
    □ stealing_ends c i go -∗ □ stealing_goes_on n go -∗ central_inv γ c n -∗
    central_owner γ i -∗ central_model γ C -∗ dm (stealing_vals lss) -∗
    ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner γ j) -∗
    WP go v left {{ r, ∃ M', ⌜hub_taken i (C ⊎ stealing_items lss) r M'⌝ ∗
      central_owner γ i ∗ model M' ∗
      ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner γ j) ∗
      ⌜r = NONEV → hub_foreign i M'⌝ }}.
  Proof.
    iIntros (Hin Hv Hn Hall) "#Hends #Hgoes #Ic Hc HC Hd Hos".
    iInduction left as [|left] "IH" forall (v Hv Hall).
    { pose proof (looked_at_all n v lss Hv Hn Hall) as Hnone. iApply "Hends".
      wp_apply (central_steal_quiet_spec with "[$Ic $Hc $HC $Hos]"); first done.
      iIntros (r C') "(%Hr & Hc & HC & Hos & %Hforeign)". iExists C'.
      rewrite Hnone right_id_L. iFrame "Hc Hos". iSplit; first done. iSplitL; last done.
      iExists C', lss. iFrame. by rewrite Hnone right_id_L. }
    iDestruct ("Hgoes" $! v left Hv) as (look) "[Hlook Hgo]". iApply "Hgo".
    rewrite /stealing_oldest. awp_apply "Hlook". iAaccIntro with "Hd"; first by eauto with iFrame.
    iIntros (vs) "[Hd %Hi] !>". apply stealing_vals_lookup in Hi as (ls & Hi & ->).
    destruct ls as [|l ls]; simpl.
    - iLeft. iSplit; first done. rewrite list_insert_id; last by rewrite list_lookup_fmap Hi.
      iApply ("IH" with "[%] [%] Hc HC Hd Hos"); first by apply next_lt.
      by apply looked_at_next.
    - iRight. iExists l. iSplit; first done.
      iExists (C ⊎ stealing_items (<[v := ls]> lss)). iFrame "Hc Hos". iSplit.
      { iPureIntro. right. exists l, None. split; first done. split; first by left.
        rewrite -assoc_L -(stealing_items_insert (<[v := ls]> lss) v ls (l :: ls)) //.
        - by rewrite list_insert_insert list_insert_id.
        - apply list_lookup_insert. by eapply lookup_lt_Some. }
      iSplitL; last done. iExists C, (<[v := ls]> lss). rewrite stealing_vals_insert. by iFrame.
  Qed.
  Lemma stealing_steal_quiet_spec c i n e D M : i < n →
    (∀ lss, dm (stealing_vals lss) -∗ ⌜length lss = n⌝) →
    stealing_round c i n e -∗ central_inv γ c n -∗ central_owner γ i ∗ D i -∗ model M -∗
    ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner γ j ∗ D j) -∗
    WP e {{ r, ∃ M', ⌜hub_taken i M r M'⌝ ∗ (central_owner γ i ∗ D i) ∗ model M' ∗
      ([∗ list] j ∈ seq 0 n, ⌜j ≠ i⌝ → central_owner γ j ∗ D j) ∗
      ⌜r = NONEV → hub_foreign i M'⌝ }}.
  Proof.
    iIntros (Hin Hlen) "(%go & #Hbegins & #Hends & #Hgoes) #Ic [Hc HD] HM Hos".
    iDestruct "HM" as (C lss) "(HC & Hd & ->)". iDestruct (Hlen with "Hd") as %Hn.
    iEval (rewrite others_sep) in "Hos". iDestruct "Hos" as "[Hcs Hds]". iApply "Hbegins".
    wp_apply (central_victim_spec with "[$Ic $Hc]"); first done.
    iIntros (v) "[%Hv Hc]". iExists v. iSplit; first done. iApply (wp_wand with "[-HD Hds]").
    { iApply (go_quiet with "Hends Hgoes Ic Hc HC Hd Hcs"); try done. apply looked_at_begin. }
    iIntros (r) "(%M' & %Hr & Hc & HM & Hcs & %Hnone)". iExists M'.
    iEval (rewrite others_sep). by iFrame.
  Qed.
End ops.
