(** * A closed program on the deques, down to the code without prophecies

    An owner and two thieves use a deque: one program for the bounded deque, one for the
    deque without bound.  Every item that a thread gets was pushed before.  So each
    program is safe, in all interleavings, and its result is one of the pushed numbers, or
    none.  The programs run the translated code.  The last theorems erase all prophecy
    variables from the programs: the result is the code that OCaml compiles. *)
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation adequacy proph_erasure.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev bounded_code bounded dynamic_code dynamic.

(** The dummy is not a number, and no thread may ever get the dummy. *)
Definition bounded_client : expr :=
  let: "t" := deque_bounded_create #2 #() in
  Fork (deque_bounded_steal "t") ;;
  Fork (deque_bounded_steal "t") ;;
  deque_bounded_push "t" #1 ;; deque_bounded_push "t" #2 ;; deque_bounded_push "t" #3 ;;
  deque_bounded_pop "t" ;; deque_bounded_pop "t".

Definition dynamic_client : expr :=
  let: "t" := deque_dynamic_create #1 #() in
  Fork (deque_dynamic_steal "t") ;;
  Fork (deque_dynamic_steal "t") ;;
  deque_dynamic_push "t" #1 ;; deque_dynamic_push "t" #2 ;; deque_dynamic_push "t" #3 ;;
  deque_dynamic_pop "t" ;; deque_dynamic_pop "t".

Definition pushed (v : val) : Prop := v = #1 ∨ v = #2 ∨ v = #3.
Definition result (r : val) : Prop := r = NONEV ∨ ∃ v, r = SOMEV v ∧ pushed v.

Lemma pushed_removelast vs : Forall pushed vs → Forall pushed (removelast vs).
Proof.
  destruct vs as [|v vs _] using rev_ind; first done.
  rewrite removelast_last. by intros [? _]%Forall_app.
Qed.
Lemma pushed_tail vs : Forall pushed vs → Forall pushed (tail vs).
Proof. by destruct 1. Qed.
Lemma pushed_last vs : Forall pushed vs → result (option_to_val (last vs)).
Proof.
  destruct vs as [|v vs _] using rev_ind; first by left.
  rewrite last_snoc. intros [_ Hv]%Forall_app. inversion_clear Hv. right. by exists v.
Qed.

Section clients.
  Context `{!heapGS Σ}.
  Let N := nroot .@ "deque".
  Let M := nroot .@ "client".

  Section bounded.
    Context `{!boundedG Σ}.
    Local Definition bounded_content γ : iProp Σ :=
      ∃ vs, bounded_model γ vs ∗ ⌜Forall pushed vs⌝.

    Local Lemma bounded_client_push γ t ws v (Φ : val → iProp Σ) :
      pushed v → inv M (bounded_content γ) -∗ bounded_inv N γ t -∗ bounded_owner γ ws -∗
      (∀ (b : bool) ws', bounded_owner γ ws' -∗ Φ #b) -∗
      WP deque_bounded_push t v {{ Φ }}.
    Proof.
      iIntros (Hv) "#I #Hinv Ho HΦ".
      awp_apply (bounded_push_spec with "Hinv Ho"). iInv "I" as (vs) ">[Hm %Hvs]".
      iAaccIntro with "Hm".
      { iIntros "Hm !>". iSplitL "Hm"; last iExact "HΦ". iNext. iExists vs. by iFrame. }
      iIntros "[Hm _] !>". iSplitL "Hm".
      { iNext. iExists _. iFrame "Hm". iPureIntro. case_decide; last done.
        apply Forall_app_2; first done. by apply Forall_singleton. }
      iIntros "Ho". by iApply "HΦ".
    Qed.
    Local Lemma bounded_client_pop γ t ws (Φ : val → iProp Σ) :
      inv M (bounded_content γ) -∗ bounded_inv N γ t -∗ bounded_owner γ ws -∗
      (∀ r ws', ⌜result r⌝ ∗ bounded_owner γ ws' -∗ Φ r) -∗
      WP deque_bounded_pop t {{ Φ }}.
    Proof.
      iIntros "#I #Hinv Ho HΦ".
      awp_apply (bounded_pop_spec with "Hinv Ho"). iInv "I" as (vs) ">[Hm %Hvs]".
      iAaccIntro with "Hm".
      { iIntros "Hm !>". iSplitL "Hm"; last iExact "HΦ". iNext. iExists vs. by iFrame. }
      iIntros "[Hm _] !>". iSplitL "Hm".
      { iNext. iExists _. iFrame "Hm". iPureIntro. by apply pushed_removelast. }
      iIntros "Ho". iApply "HΦ". iFrame. iPureIntro. by apply pushed_last.
    Qed.
    Local Lemma bounded_client_steal γ t :
      inv M (bounded_content γ) -∗ bounded_inv N γ t -∗
      WP deque_bounded_steal t {{ _, True }}.
    Proof.
      iIntros "#I #Hinv".
      awp_apply (bounded_steal_spec with "Hinv"). iInv "I" as (vs) ">[Hm %Hvs]".
      iAaccIntro with "Hm".
      { iIntros "Hm !>". iSplitL "Hm"; last done. iNext. iExists vs. by iFrame. }
      iIntros "Hm !>". iSplitL "Hm"; last done.
      iNext. iExists _. iFrame "Hm". iPureIntro. by apply pushed_tail.
    Qed.

    Lemma bounded_client_spec : ⊢ WP bounded_client {{ r, ⌜result r⌝ }}.
    Proof using Type*.
      rewrite /bounded_client. wp_apply (bounded_create_spec N); first done.
      iIntros (γ t) "(_ & #Hinv & Hm & Ho)".
      iMod (inv_alloc M _ (bounded_content γ) with "[Hm]") as "#I".
      { iExists []. by iFrame. }
      wp_pures. wp_apply wp_fork; first by iApply (bounded_client_steal with "I Hinv").
      wp_pures. wp_apply wp_fork; first by iApply (bounded_client_steal with "I Hinv").
      wp_pures. wp_apply (bounded_client_push with "I Hinv Ho"); first by left.
      iIntros (b1 ws1) "Ho". wp_pures.
      wp_apply (bounded_client_push with "I Hinv Ho"); first by right; left.
      iIntros (b2 ws2) "Ho". wp_pures.
      wp_apply (bounded_client_push with "I Hinv Ho"); first by right; right.
      iIntros (b3 ws3) "Ho". wp_pures. wp_apply (bounded_client_pop with "I Hinv Ho").
      iIntros (r4 ws4) "[_ Ho]". wp_pures. wp_apply (bounded_client_pop with "I Hinv Ho").
      by iIntros (r5 ws5) "[% _]".
    Qed.
  End bounded.

  Section dynamic.
    Context `{!dynamicG Σ}.
    Local Definition dynamic_content γ : iProp Σ :=
      ∃ vs, dynamic_model γ vs ∗ ⌜Forall pushed vs⌝.

    Local Lemma dynamic_client_push γ t ws v (Φ : val → iProp Σ) :
      pushed v → inv M (dynamic_content γ) -∗ dynamic_inv N γ t -∗ dynamic_owner γ ws -∗
      (∀ ws', dynamic_owner γ ws' -∗ Φ #()) -∗
      WP deque_dynamic_push t v {{ Φ }}.
    Proof.
      iIntros (Hv) "#I #Hinv Ho HΦ".
      awp_apply (dynamic_push_spec with "Hinv Ho"). iInv "I" as (vs) ">[Hm %Hvs]".
      iAaccIntro with "Hm".
      { iIntros "Hm !>". iSplitL "Hm"; last iExact "HΦ". iNext. iExists vs. by iFrame. }
      iIntros "[Hm _] !>". iSplitL "Hm".
      { iNext. iExists _. iFrame "Hm". iPureIntro.
        apply Forall_app_2; first done. by apply Forall_singleton. }
      iIntros "Ho". by iApply "HΦ".
    Qed.
    Local Lemma dynamic_client_pop γ t ws (Φ : val → iProp Σ) :
      inv M (dynamic_content γ) -∗ dynamic_inv N γ t -∗ dynamic_owner γ ws -∗
      (∀ r ws', ⌜result r⌝ ∗ dynamic_owner γ ws' -∗ Φ r) -∗
      WP deque_dynamic_pop t {{ Φ }}.
    Proof.
      iIntros "#I #Hinv Ho HΦ".
      awp_apply (dynamic_pop_spec with "Hinv Ho"). iInv "I" as (vs) ">[Hm %Hvs]".
      iAaccIntro with "Hm".
      { iIntros "Hm !>". iSplitL "Hm"; last iExact "HΦ". iNext. iExists vs. by iFrame. }
      iIntros "[Hm _] !>". iSplitL "Hm".
      { iNext. iExists _. iFrame "Hm". iPureIntro. by apply pushed_removelast. }
      iIntros "Ho". iApply "HΦ". iFrame. iPureIntro. by apply pushed_last.
    Qed.
    Local Lemma dynamic_client_steal γ t :
      inv M (dynamic_content γ) -∗ dynamic_inv N γ t -∗
      WP deque_dynamic_steal t {{ _, True }}.
    Proof.
      iIntros "#I #Hinv".
      awp_apply (dynamic_steal_spec with "Hinv"). iInv "I" as (vs) ">[Hm %Hvs]".
      iAaccIntro with "Hm".
      { iIntros "Hm !>". iSplitL "Hm"; last done. iNext. iExists vs. by iFrame. }
      iIntros "Hm !>". iSplitL "Hm"; last done.
      iNext. iExists _. iFrame "Hm". iPureIntro. by apply pushed_tail.
    Qed.

    Lemma dynamic_client_spec : ⊢ WP dynamic_client {{ r, ⌜result r⌝ }}.
    Proof using Type*.
      rewrite /dynamic_client. wp_apply (dynamic_create_spec N); first done.
      iIntros (γ t) "(#Hinv & Hm & Ho)".
      iMod (inv_alloc M _ (dynamic_content γ) with "[Hm]") as "#I".
      { iExists []. by iFrame. }
      wp_pures. wp_apply wp_fork; first by iApply (dynamic_client_steal with "I Hinv").
      wp_pures. wp_apply wp_fork; first by iApply (dynamic_client_steal with "I Hinv").
      wp_pures. wp_apply (dynamic_client_push with "I Hinv Ho"); first by left.
      iIntros (ws1) "Ho". wp_pures.
      wp_apply (dynamic_client_push with "I Hinv Ho"); first by right; left.
      iIntros (ws2) "Ho". wp_pures.
      wp_apply (dynamic_client_push with "I Hinv Ho"); first by right; right.
      iIntros (ws3) "Ho". wp_pures. wp_apply (dynamic_client_pop with "I Hinv Ho").
      iIntros (r4 ws4) "[_ Ho]". wp_pures. wp_apply (dynamic_client_pop with "I Hinv Ho").
      by iIntros (r5 ws5) "[% _]".
    Qed.
  End dynamic.
End clients.

(** Claim: A closed program with an owner and two thieves on a bounded deque never gets
    stuck, and returns a number that it has pushed, or none. *)
Theorem bounded_client_adequate σ :
  adequate NotStuck bounded_client σ (λ r _, result r).
Proof.
  apply (heap_adequacy #[heapΣ; boundedΣ]). iIntros (?) "_". iApply bounded_client_spec.
Qed.
(** Claim: A closed program with an owner and two thieves on a deque without bound never
    gets stuck, and returns a number that it has pushed, or none. *)
Theorem dynamic_client_adequate σ :
  adequate NotStuck dynamic_client σ (λ r _, result r).
Proof.
  apply (heap_adequacy #[heapΣ; dynamicΣ]). iIntros (?) "_". iApply dynamic_client_spec.
Qed.

Local Lemma erased e σ :
  adequate NotStuck e σ (λ r _, result r) →
  adequate NotStuck (erase_expr e) (erase_state σ) (λ r _, result r).
Proof.
  intros Had. destruct (erasure _ _ _ Had) as [Hres Hsafe]. split; last done.
  intros t2 σ2 v Hsteps.
  destruct (Hres t2 σ2 v Hsteps) as (v' & σ' & <- & _ & [->|(w & -> & Hw)]); first by left.
  right. destruct Hw as [->|[->| ->]]; eexists; (split; first done);
    [by left|by right; left|by right; right].
Qed.

(** The program that runs has no prophecies. *)
(** Claim: The program on the bounded deque has the same property without its prophecy
    variables. *)
Theorem bounded_client_erased σ :
  adequate NotStuck (erase_expr bounded_client) (erase_state σ) (λ r _, result r).
Proof. apply erased, bounded_client_adequate. Qed.
(** Claim: The program on the deque without bound has the same property without its
    prophecy variables. *)
Theorem dynamic_client_erased σ :
  adequate NotStuck (erase_expr dynamic_client) (erase_state σ) (λ r _, result r).
Proof. apply erased, dynamic_client_adequate. Qed.
