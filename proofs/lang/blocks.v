(** Blocks, the representation of records with mutable fields. Field [i] of the block at
    [l] is the cell [l +ₗ i]. A mutable field is initialised with [na_val v], and is
    then [(l +ₗ i) ↦na v]. Each new block comes with one token for ghost names,
    [meta_token l ⊤]. *)
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import cells.

Definition block1 : val :=
  λ: "a0",
    let: "$l" := AllocN #1 #() in
    ("$l" +ₗ #0) <- "a0" ;; "$l".

Definition block2 : val :=
  λ: "a0" "a1",
    let: "$l" := AllocN #2 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; "$l".

Definition block3 : val :=
  λ: "a0" "a1" "a2",
    let: "$l" := AllocN #3 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    "$l".

Definition block4 : val :=
  λ: "a0" "a1" "a2" "a3",
    let: "$l" := AllocN #4 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; "$l".

Definition block5 : val :=
  λ: "a0" "a1" "a2" "a3" "a4",
    let: "$l" := AllocN #5 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; "$l".

Definition block6 : val :=
  λ: "a0" "a1" "a2" "a3" "a4" "a5",
    let: "$l" := AllocN #6 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; ("$l" +ₗ #5) <- "a5" ;;
    "$l".

Definition block7 : val :=
  λ: "a0" "a1" "a2" "a3" "a4" "a5" "a6",
    let: "$l" := AllocN #7 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; ("$l" +ₗ #5) <- "a5" ;;
    ("$l" +ₗ #6) <- "a6" ;; "$l".

Definition block8 : val :=
  λ: "a0" "a1" "a2" "a3" "a4" "a5" "a6" "a7",
    let: "$l" := AllocN #8 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; ("$l" +ₗ #5) <- "a5" ;;
    ("$l" +ₗ #6) <- "a6" ;; ("$l" +ₗ #7) <- "a7" ;; "$l".

Definition block9 : val :=
  λ: "a0" "a1" "a2" "a3" "a4" "a5" "a6" "a7" "a8",
    let: "$l" := AllocN #9 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; ("$l" +ₗ #5) <- "a5" ;;
    ("$l" +ₗ #6) <- "a6" ;; ("$l" +ₗ #7) <- "a7" ;; ("$l" +ₗ #8) <- "a8" ;;
    "$l".

Definition block10 : val :=
  λ: "a0" "a1" "a2" "a3" "a4" "a5" "a6" "a7" "a8" "a9",
    let: "$l" := AllocN #10 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; ("$l" +ₗ #5) <- "a5" ;;
    ("$l" +ₗ #6) <- "a6" ;; ("$l" +ₗ #7) <- "a7" ;; ("$l" +ₗ #8) <- "a8" ;;
    ("$l" +ₗ #9) <- "a9" ;; "$l".

Definition block11 : val :=
  λ: "a0" "a1" "a2" "a3" "a4" "a5" "a6" "a7" "a8" "a9" "a10",
    let: "$l" := AllocN #11 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; ("$l" +ₗ #5) <- "a5" ;;
    ("$l" +ₗ #6) <- "a6" ;; ("$l" +ₗ #7) <- "a7" ;; ("$l" +ₗ #8) <- "a8" ;;
    ("$l" +ₗ #9) <- "a9" ;; ("$l" +ₗ #10) <- "a10" ;; "$l".

Definition block12 : val :=
  λ: "a0" "a1" "a2" "a3" "a4" "a5" "a6" "a7" "a8" "a9" "a10" "a11",
    let: "$l" := AllocN #12 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; ("$l" +ₗ #5) <- "a5" ;;
    ("$l" +ₗ #6) <- "a6" ;; ("$l" +ₗ #7) <- "a7" ;; ("$l" +ₗ #8) <- "a8" ;;
    ("$l" +ₗ #9) <- "a9" ;; ("$l" +ₗ #10) <- "a10" ;; ("$l" +ₗ #11) <- "a11" ;;
    "$l".

Definition block13 : val :=
  λ: "a0" "a1" "a2" "a3" "a4" "a5" "a6" "a7" "a8" "a9" "a10" "a11" "a12",
    let: "$l" := AllocN #13 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; ("$l" +ₗ #5) <- "a5" ;;
    ("$l" +ₗ #6) <- "a6" ;; ("$l" +ₗ #7) <- "a7" ;; ("$l" +ₗ #8) <- "a8" ;;
    ("$l" +ₗ #9) <- "a9" ;; ("$l" +ₗ #10) <- "a10" ;; ("$l" +ₗ #11) <- "a11" ;;
    ("$l" +ₗ #12) <- "a12" ;; "$l".

Definition block14 : val :=
  λ: "a0" "a1" "a2" "a3" "a4" "a5" "a6" "a7" "a8" "a9" "a10" "a11" "a12" "a13",
    let: "$l" := AllocN #14 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; ("$l" +ₗ #5) <- "a5" ;;
    ("$l" +ₗ #6) <- "a6" ;; ("$l" +ₗ #7) <- "a7" ;; ("$l" +ₗ #8) <- "a8" ;;
    ("$l" +ₗ #9) <- "a9" ;; ("$l" +ₗ #10) <- "a10" ;; ("$l" +ₗ #11) <- "a11" ;;
    ("$l" +ₗ #12) <- "a12" ;; ("$l" +ₗ #13) <- "a13" ;; "$l".

Definition block15 : val :=
  λ: "a0" "a1" "a2" "a3" "a4" "a5" "a6" "a7" "a8" "a9" "a10" "a11" "a12" "a13"
  "a14",
    let: "$l" := AllocN #15 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; ("$l" +ₗ #5) <- "a5" ;;
    ("$l" +ₗ #6) <- "a6" ;; ("$l" +ₗ #7) <- "a7" ;; ("$l" +ₗ #8) <- "a8" ;;
    ("$l" +ₗ #9) <- "a9" ;; ("$l" +ₗ #10) <- "a10" ;; ("$l" +ₗ #11) <- "a11" ;;
    ("$l" +ₗ #12) <- "a12" ;; ("$l" +ₗ #13) <- "a13" ;;
    ("$l" +ₗ #14) <- "a14" ;; "$l".

Definition block16 : val :=
  λ: "a0" "a1" "a2" "a3" "a4" "a5" "a6" "a7" "a8" "a9" "a10" "a11" "a12" "a13"
  "a14" "a15",
    let: "$l" := AllocN #16 #() in
    ("$l" +ₗ #0) <- "a0" ;; ("$l" +ₗ #1) <- "a1" ;; ("$l" +ₗ #2) <- "a2" ;;
    ("$l" +ₗ #3) <- "a3" ;; ("$l" +ₗ #4) <- "a4" ;; ("$l" +ₗ #5) <- "a5" ;;
    ("$l" +ₗ #6) <- "a6" ;; ("$l" +ₗ #7) <- "a7" ;; ("$l" +ₗ #8) <- "a8" ;;
    ("$l" +ₗ #9) <- "a9" ;; ("$l" +ₗ #10) <- "a10" ;; ("$l" +ₗ #11) <- "a11" ;;
    ("$l" +ₗ #12) <- "a12" ;; ("$l" +ₗ #13) <- "a13" ;;
    ("$l" +ₗ #14) <- "a14" ;; ("$l" +ₗ #15) <- "a15" ;; "$l".

Section specs.
  Context `{!heapGS Σ}.

  (** The cells of a new block, as fields. *)
  Local Lemma alloc_fields (k : nat) (n : Z) s E :
    n = Z.of_nat (S k) →
    {{{ True }}} AllocN #n #() @ s; E
    {{{ (l : loc), RET #l;
        meta_token l ⊤ ∗ [∗ list] i ∈ seq 0 (S k), (l +ₗ Z.of_nat i) ↦ #() }}}.
  Proof.
    iIntros (-> Φ) "_ HΦ". iApply (wp_allocN_seq with "[//]"); first lia.
    iIntros "!> %l H". iApply "HΦ". rewrite Nat2Z.id big_sepL_sep.
    iDestruct "H" as "[$ H]". rewrite -cons_seq big_sepL_cons.
    rewrite Loc.add_0. iDestruct "H" as "[$ _]".
  Qed.

  Local Ltac solve_block k :=
    iIntros (Φ) "_ HΦ"; wp_rec; wp_pures; wp_apply (alloc_fields k); [done..|];
    iIntros (l) "[Hm H]"; iEval (cbn; cbv [Z.of_nat Pos.of_succ_nat Pos.succ]) in "H";
    repeat (iDestruct "H" as "[? H]");
    wp_pures; repeat (wp_store; try wp_pures);
    iModIntro; iApply "HΦ"; iFrame.

  Lemma block1_spec a0 s E :
    {{{ True }}}
      block1 a0 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ meta_token l ⊤ }}}.
  Proof. solve_block 0%nat. Qed.
  Lemma block2_spec a0 a1 s E :
    {{{ True }}}
      block2 a0 a1 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ meta_token l ⊤ }}}.
  Proof. solve_block 1%nat. Qed.
  Lemma block3_spec a0 a1 a2 s E :
    {{{ True }}}
      block3 a0 a1 a2 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ meta_token l ⊤ }}}.
  Proof. solve_block 2%nat. Qed.
  Lemma block4_spec a0 a1 a2 a3 s E :
    {{{ True }}}
      block4 a0 a1 a2 a3 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        meta_token l ⊤ }}}.
  Proof. solve_block 3%nat. Qed.
  Lemma block5_spec a0 a1 a2 a3 a4 s E :
    {{{ True }}}
      block5 a0 a1 a2 a3 a4 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ meta_token l ⊤ }}}.
  Proof. solve_block 4%nat. Qed.
  Lemma block6_spec a0 a1 a2 a3 a4 a5 s E :
    {{{ True }}}
      block6 a0 a1 a2 a3 a4 a5 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ (l +ₗ 5) ↦ a5 ∗ meta_token l ⊤ }}}.
  Proof. solve_block 5%nat. Qed.
  Lemma block7_spec a0 a1 a2 a3 a4 a5 a6 s E :
    {{{ True }}}
      block7 a0 a1 a2 a3 a4 a5 a6 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ (l +ₗ 5) ↦ a5 ∗ (l +ₗ 6) ↦ a6 ∗ meta_token l ⊤ }}}.
  Proof. solve_block 6%nat. Qed.
  Lemma block8_spec a0 a1 a2 a3 a4 a5 a6 a7 s E :
    {{{ True }}}
      block8 a0 a1 a2 a3 a4 a5 a6 a7 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ (l +ₗ 5) ↦ a5 ∗ (l +ₗ 6) ↦ a6 ∗ (l +ₗ 7) ↦ a7 ∗
        meta_token l ⊤ }}}.
  Proof. solve_block 7%nat. Qed.
  Lemma block9_spec a0 a1 a2 a3 a4 a5 a6 a7 a8 s E :
    {{{ True }}}
      block9 a0 a1 a2 a3 a4 a5 a6 a7 a8 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ (l +ₗ 5) ↦ a5 ∗ (l +ₗ 6) ↦ a6 ∗ (l +ₗ 7) ↦ a7 ∗
        (l +ₗ 8) ↦ a8 ∗ meta_token l ⊤ }}}.
  Proof. solve_block 8%nat. Qed.
  Lemma block10_spec a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 s E :
    {{{ True }}}
      block10 a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ (l +ₗ 5) ↦ a5 ∗ (l +ₗ 6) ↦ a6 ∗ (l +ₗ 7) ↦ a7 ∗
        (l +ₗ 8) ↦ a8 ∗ (l +ₗ 9) ↦ a9 ∗ meta_token l ⊤ }}}.
  Proof. solve_block 9%nat. Qed.
  Lemma block11_spec a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 s E :
    {{{ True }}}
      block11 a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ (l +ₗ 5) ↦ a5 ∗ (l +ₗ 6) ↦ a6 ∗ (l +ₗ 7) ↦ a7 ∗
        (l +ₗ 8) ↦ a8 ∗ (l +ₗ 9) ↦ a9 ∗ (l +ₗ 10) ↦ a10 ∗ meta_token l ⊤ }}}.
  Proof. solve_block 10%nat. Qed.
  Lemma block12_spec a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 s E :
    {{{ True }}}
      block12 a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ (l +ₗ 5) ↦ a5 ∗ (l +ₗ 6) ↦ a6 ∗ (l +ₗ 7) ↦ a7 ∗
        (l +ₗ 8) ↦ a8 ∗ (l +ₗ 9) ↦ a9 ∗ (l +ₗ 10) ↦ a10 ∗ (l +ₗ 11) ↦ a11 ∗
        meta_token l ⊤ }}}.
  Proof. solve_block 11%nat. Qed.
  Lemma block13_spec a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 s E :
    {{{ True }}}
      block13 a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ (l +ₗ 5) ↦ a5 ∗ (l +ₗ 6) ↦ a6 ∗ (l +ₗ 7) ↦ a7 ∗
        (l +ₗ 8) ↦ a8 ∗ (l +ₗ 9) ↦ a9 ∗ (l +ₗ 10) ↦ a10 ∗ (l +ₗ 11) ↦ a11 ∗
        (l +ₗ 12) ↦ a12 ∗ meta_token l ⊤ }}}.
  Proof. solve_block 12%nat. Qed.
  Lemma block14_spec a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 s E :
    {{{ True }}}
      block14 a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ (l +ₗ 5) ↦ a5 ∗ (l +ₗ 6) ↦ a6 ∗ (l +ₗ 7) ↦ a7 ∗
        (l +ₗ 8) ↦ a8 ∗ (l +ₗ 9) ↦ a9 ∗ (l +ₗ 10) ↦ a10 ∗ (l +ₗ 11) ↦ a11 ∗
        (l +ₗ 12) ↦ a12 ∗ (l +ₗ 13) ↦ a13 ∗ meta_token l ⊤ }}}.
  Proof. solve_block 13%nat. Qed.
  Lemma block15_spec a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 s E :
    {{{ True }}}
      block15 a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ (l +ₗ 5) ↦ a5 ∗ (l +ₗ 6) ↦ a6 ∗ (l +ₗ 7) ↦ a7 ∗
        (l +ₗ 8) ↦ a8 ∗ (l +ₗ 9) ↦ a9 ∗ (l +ₗ 10) ↦ a10 ∗ (l +ₗ 11) ↦ a11 ∗
        (l +ₗ 12) ↦ a12 ∗ (l +ₗ 13) ↦ a13 ∗ (l +ₗ 14) ↦ a14 ∗
        meta_token l ⊤ }}}.
  Proof. solve_block 14%nat. Qed.
  Lemma block16_spec a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 s E
  :
    {{{ True }}}
      block16 a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 @ s; E
    {{{ (l : loc), RET #l;
        (l +ₗ 0) ↦ a0 ∗ (l +ₗ 1) ↦ a1 ∗ (l +ₗ 2) ↦ a2 ∗ (l +ₗ 3) ↦ a3 ∗
        (l +ₗ 4) ↦ a4 ∗ (l +ₗ 5) ↦ a5 ∗ (l +ₗ 6) ↦ a6 ∗ (l +ₗ 7) ↦ a7 ∗
        (l +ₗ 8) ↦ a8 ∗ (l +ₗ 9) ↦ a9 ∗ (l +ₗ 10) ↦ a10 ∗ (l +ₗ 11) ↦ a11 ∗
        (l +ₗ 12) ↦ a12 ∗ (l +ₗ 13) ↦ a13 ∗ (l +ₗ 14) ↦ a14 ∗ (l +ₗ 15) ↦ a15 ∗
        meta_token l ⊤ }}}.
  Proof. solve_block 15%nat. Qed.
End specs.

Global Opaque block1 block2 block3 block4 block5 block6 block7 block8 block9 block10
  block11 block12 block13 block14 block15 block16.
