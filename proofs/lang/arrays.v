(** Arrays. An array is [#l]. The cell [l +ₗ 0] holds the length, which never changes,
    and the cell [l +ₗ (1 + i)] holds element [i]. A read or a write of an element is
    one step, exempt from race detection. An access out of bounds is stuck, and so is
    the creation of an array of negative length.

    [array_len l n] is persistent. The elements can be owned together, as [is_array l dq
    vs], or one by one. For elements in an invariant, reduce the call to the bare access
    with [wp_array_get] or [wp_array_set], which need only the length, and open the
    invariant around the access. Or use the logically atomic forms. *)
From iris.proofmode Require Import proofmode.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import cells.

Definition array_make : val :=
  λ: "n" "v",
    if: "n" < #0 then stuck
    else
      let: "a" := AllocN ("n" + #1) "v" in
      ("a" +ₗ #0) <- "n" ;;
      "a".

Definition array_length : val := λ: "a", ! ("a" +ₗ #0).

Definition array_get : val :=
  λ: "a" "i",
    let: "n" := ! ("a" +ₗ #0) in
    if: #0 ≤ "i" then
      if: "i" < "n" then ! ("a" +ₗ (#1 + "i")) else stuck
    else stuck.

Definition array_set : val :=
  λ: "a" "i" "v",
    let: "n" := ! ("a" +ₗ #0) in
    if: #0 ≤ "i" then
      if: "i" < "n" then ("a" +ₗ (#1 + "i")) <- "v" else stuck
    else stuck.

(** [array_fill a i n f] stores [f i], [f (i + 1)], .. in the elements from [i] on. *)
Definition array_fill : val :=
  rec: "fill" "a" "i" "n" "f" :=
    if: "i" < "n" then
      let: "v" := "f" "i" in
      ("a" +ₗ (#1 + "i")) <- "v" ;;
      "fill" "a" ("i" + #1) "n" "f"
    else #().

Definition array_init : val :=
  λ: "n" "f",
    let: "a" := array_make "n" #() in
    array_fill "a" #0 "n" "f" ;;
    "a".

Section arrays.
  Context `{!heapGS Σ}.
  Implicit Types (l : loc) (v w : val) (vs ws : list val).
  Local Open Scope Z_scope.

  Definition array_len l (n : nat) : iProp Σ := (l +ₗ 0) ↦□ #n.

  (** [vs] are the elements from index [i] on. *)
  Definition array_cells l dq (i : Z) vs : iProp Σ :=
    [∗ list] k ↦ v ∈ vs, (l +ₗ (1 + (i + Z.of_nat k))) ↦{dq} v.

  Definition is_array l dq vs : iProp Σ :=
    array_len l (length vs) ∗ array_cells l dq 0 vs.

  Global Instance array_len_persistent l n : Persistent (array_len l n).
  Proof. apply _. Qed.
  Global Instance array_len_timeless l n : Timeless (array_len l n).
  Proof. apply _. Qed.
  Global Instance array_cells_timeless l dq i vs : Timeless (array_cells l dq i vs).
  Proof. apply _. Qed.
  Global Instance array_cells_persistent l i vs :
    Persistent (array_cells l DfracDiscarded i vs).
  Proof. apply _. Qed.
  Global Instance is_array_timeless l dq vs : Timeless (is_array l dq vs).
  Proof. apply _. Qed.
  Global Instance is_array_persistent l vs : Persistent (is_array l DfracDiscarded vs).
  Proof. apply _. Qed.

  Lemma array_len_agree l n m : array_len l n -∗ array_len l m -∗ ⌜n = m⌝.
  Proof.
    iIntros "H1 H2". iDestruct (pointsto_agree with "H1 H2") as %[= ?].
    iPureIntro. lia.
  Qed.

  Lemma is_array_len l dq vs : is_array l dq vs -∗ array_len l (length vs).
  Proof. iIntros "[$ _]". Qed.

  Lemma array_cells_nil l dq i : ⊢ array_cells l dq i [].
  Proof. by iApply big_sepL_nil. Qed.

  Lemma array_cells_cons l dq i v vs :
    array_cells l dq i (v :: vs) ⊣⊢
      (l +ₗ (1 + i)) ↦{dq} v ∗ array_cells l dq (i + 1) vs.
  Proof.
    rewrite /array_cells big_sepL_cons /=.
    replace (1 + (i + 0%nat)) with (1 + i) by lia. f_equiv.
    apply big_sepL_proper=> k w _.
    by replace (i + S k) with (i + 1 + k) by lia.
  Qed.

  Lemma array_cells_singleton l dq i v :
    array_cells l dq i [v] ⊣⊢ (l +ₗ (1 + i)) ↦{dq} v.
  Proof.
    rewrite array_cells_cons. iSplit; first by iIntros "[$ _]".
    iIntros "$". iApply array_cells_nil.
  Qed.

  Lemma array_cells_app l dq i vs ws :
    array_cells l dq i (vs ++ ws) ⊣⊢
      array_cells l dq i vs ∗ array_cells l dq (i + length vs) ws.
  Proof.
    rewrite /array_cells big_sepL_app. f_equiv. apply big_sepL_proper=> k v _.
    by replace (i + (length vs + k)%nat) with (i + length vs + k) by lia.
  Qed.

  Lemma array_cells_persist l dq i vs :
    array_cells l dq i vs ==∗ array_cells l DfracDiscarded i vs.
  Proof.
    iIntros "H". iApply big_sepL_bupd. iApply (big_sepL_impl with "H").
    iIntros "!> %k %v _ H". by iApply pointsto_persist.
  Qed.
  Lemma is_array_persist l dq vs : is_array l dq vs ==∗ is_array l DfracDiscarded vs.
  Proof. iIntros "[$ H]". by iApply array_cells_persist. Qed.

  (** Borrow one element. *)
  Lemma array_cells_acc l dq i vs (k : nat) v :
    vs !! k = Some v →
    array_cells l dq i vs -∗
      (l +ₗ (1 + (i + k))) ↦{dq} v ∗
      ∀ w, (l +ₗ (1 + (i + k))) ↦{dq} w -∗ array_cells l dq i (<[k := w]> vs).
  Proof.
    iIntros (Hk) "H". by iApply (big_sepL_insert_acc with "H").
  Qed.
  Lemma array_cells_lookup_acc l dq i vs (k : nat) v :
    vs !! k = Some v →
    array_cells l dq i vs -∗
      (l +ₗ (1 + (i + k))) ↦{dq} v ∗
      ((l +ₗ (1 + (i + k))) ↦{dq} v -∗ array_cells l dq i vs).
  Proof.
    iIntros (Hk) "H". iDestruct (array_cells_acc with "H") as "[$ H]"; first done.
    iIntros "Hl". iDestruct ("H" with "Hl") as "H". by rewrite list_insert_id.
  Qed.
  Lemma is_array_acc l dq vs (i : Z) v :
    0 ≤ i → vs !! Z.to_nat i = Some v →
    is_array l dq vs -∗
      (l +ₗ (1 + i)) ↦{dq} v ∗
      ∀ w, (l +ₗ (1 + i)) ↦{dq} w -∗ is_array l dq (<[Z.to_nat i := w]> vs).
  Proof.
    iIntros (? Hi) "[#Hlen H]".
    iDestruct (array_cells_acc with "H") as "[H Hclose]"; first done.
    replace (0 + Z.to_nat i) with i by lia. iFrame "H". iIntros (w) "H".
    rewrite /is_array length_insert. iFrame "#". by iApply "Hclose".
  Qed.
  Lemma is_array_lookup_acc l dq vs (i : Z) v :
    0 ≤ i → vs !! Z.to_nat i = Some v →
    is_array l dq vs -∗
      (l +ₗ (1 + i)) ↦{dq} v ∗ ((l +ₗ (1 + i)) ↦{dq} v -∗ is_array l dq vs).
  Proof.
    iIntros (? Hi) "H". iDestruct (is_array_acc with "H") as "[$ H]"; [done..|].
    iIntros "Hl". iDestruct ("H" with "Hl") as "H". by rewrite list_insert_id.
  Qed.

  (** ** Making *)

  Local Lemma array_cells_of_seq l (i m : nat) v :
    ([∗ list] k ∈ seq (S i) m, (l +ₗ Z.of_nat k) ↦ v) -∗
    array_cells l (DfracOwn 1) i (replicate m v).
  Proof.
    iIntros "H". iInduction m as [|m] "IH" forall (i); simpl.
    { iApply array_cells_nil. }
    rewrite array_cells_cons. replace (1 + i) with (Z.of_nat (S i)) by lia.
    iDestruct "H" as "[$ H]". replace (i + 1) with (Z.of_nat (S i)) by lia.
    by iApply "IH".
  Qed.

  Lemma array_make_spec (n : Z) v s E :
    0 ≤ n →
    {{{ True }}} array_make #n v @ s; E
    {{{ l, RET #l; is_array l (DfracOwn 1) (replicate (Z.to_nat n) v) ∗
                   meta_token l ⊤ }}}.
  Proof.
    iIntros (? Φ) "_ HΦ". rewrite /array_make. wp_pures.
    rewrite bool_decide_eq_false_2; last lia. wp_pures.
    wp_apply wp_allocN_seq; [lia|done|]. iIntros (l) "H".
    replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) by lia.
    rewrite -cons_seq big_sepL_cons Loc.add_0. iDestruct "H" as "[[H0 Hm] H]".
    wp_pures. rewrite Loc.add_0. wp_store.
    iMod (pointsto_persist with "H0") as "#H0". iModIntro. iApply "HΦ".
    rewrite /is_array length_replicate /array_len Loc.add_0 Z2Nat.id; last lia.
    iFrame "# Hm". rewrite big_sepL_sep. iDestruct "H" as "[H _]".
    by iApply (array_cells_of_seq _ 0).
  Qed.

  (** [array_init] calls [f i] once for each index, in order. [I i vs] holds after the
      calls for the indices below [i], and [vs] are the results of these calls. *)
  Lemma array_init_spec (I : nat → list val → iProp Σ) (n : Z) (f : val) :
    0 ≤ n →
    {{{ I 0%nat [] ∗
        □ (∀ (i : nat) vs, ⌜i < n⌝ -∗ ⌜length vs = i⌝ -∗ I i vs -∗
             WP f #i {{ v, I (S i) (vs ++ [v]) }}) }}}
      array_init #n f
    {{{ l vs, RET #l;
        ⌜length vs = Z.to_nat n⌝ ∗ is_array l (DfracOwn 1) vs ∗ meta_token l ⊤ ∗
        I (Z.to_nat n) vs }}}.
  Proof.
    iIntros (? Φ) "[HI #Hf] HΦ". wp_rec. wp_pures.
    wp_apply array_make_spec; [done..|]. iIntros (l) "[[#Hlen Hl] Hm]". wp_pures.
    rewrite length_replicate.
    iAssert (∀ (i : nat) vs, ⌜i = length vs⌝ -∗ ⌜i ≤ n⌝ -∗
      array_cells l (DfracOwn 1) 0 (vs ++ replicate (Z.to_nat n - i) #()) -∗
      I i vs -∗
      WP array_fill #l #i #n f {{ v, ∃ vs, ⌜length vs = Z.to_nat n⌝ ∗
        array_cells l (DfracOwn 1) 0 vs ∗ I (Z.to_nat n) vs }})%I as "Hfill".
    { iIntros (i vs) "Hi Hn Hl HI". iLöb as "IH" forall (i vs).
      iDestruct "Hi" as %Hi. iDestruct "Hn" as %Hn. wp_rec. wp_pures.
      case_bool_decide; wp_pures.
      - wp_bind (f _). iApply (wp_wand with "[HI]").
        { iApply ("Hf" with "[%] [%] HI"); [lia|done]. }
        iIntros (v) "HI". wp_pures.
        replace (Z.to_nat n - i)%nat with (S (Z.to_nat n - S i)) by lia.
        rewrite replicate_S array_cells_app array_cells_cons -Hi.
        iDestruct "Hl" as "(Hl & Hi & Hr)". rewrite Z.add_0_l. wp_store. wp_pures.
        replace (i + 1) with (Z.of_nat (S i)) by lia.
        iApply ("IH" $! (S i) (vs ++ [v]) with "[%] [%] [Hl Hi Hr] HI").
        { rewrite length_app /=. lia. } { lia. }
        rewrite -assoc array_cells_app array_cells_cons Z.add_0_l -Hi. iFrame.
        by replace (i + 1) with (Z.of_nat (S i)) by lia.

      - iModIntro. iExists vs. replace (Z.to_nat n - i)%nat with 0%nat by lia.
        rewrite app_nil_r. replace i with (Z.to_nat n) by lia. iFrame. iPureIntro. lia. }
    wp_bind (array_fill _ _ _ _). iApply (wp_wand with "[Hl HI Hfill]").
    { iApply ("Hfill" $! 0%nat [] with "[//] [%] [Hl] HI"); [lia|].
      by rewrite Nat.sub_0_r. }
    iIntros (?) "(%vs & %Hvs & Hl & HI)". wp_pures. iModIntro. iApply "HΦ".
    iFrame. rewrite Hvs. by iFrame "#".
  Qed.

  (** ** Length *)

  Lemma array_length_spec l n s E :
    {{{ array_len l n }}} array_length #l @ s; E {{{ RET #n; True }}}.
  Proof.
    iIntros (Φ) "#Hlen HΦ". rewrite /array_length. wp_pures. wp_load. by iApply "HΦ".
  Qed.

  (** ** Reading and writing *)

  (** For an element in an invariant: only the access itself remains to be proved. *)
  Lemma wp_array_get l (n : nat) (i : Z) s E Φ :
    0 ≤ i < n →
    array_len l n -∗
    WP ! #(l +ₗ (1 + i)) @ s; E {{ Φ }} -∗
    WP array_get #l #i @ s; E {{ Φ }}.
  Proof.
    iIntros (?) "#Hlen H". rewrite /array_get. wp_pures. wp_load. wp_pures.
    rewrite !bool_decide_eq_true_2; [|lia..]. wp_pures.
    rewrite bool_decide_eq_true_2; last lia. by wp_pures.
  Qed.
  Lemma wp_array_set l (n : nat) (i : Z) v s E Φ :
    0 ≤ i < n →
    array_len l n -∗
    WP #(l +ₗ (1 + i)) <- v @ s; E {{ Φ }} -∗
    WP array_set #l #i v @ s; E {{ Φ }}.
  Proof.
    iIntros (?) "#Hlen H". rewrite /array_set. wp_pures. wp_load. wp_pures.
    rewrite !bool_decide_eq_true_2; [|lia..]. wp_pures.
    rewrite bool_decide_eq_true_2; last lia. by wp_pures.
  Qed.

  (** The caller owns one element. *)
  Lemma array_get_cell_spec l (n : nat) (i : Z) dq v s E :
    0 ≤ i < n →
    {{{ array_len l n ∗ (l +ₗ (1 + i)) ↦{dq} v }}}
      array_get #l #i @ s; E
    {{{ RET v; (l +ₗ (1 + i)) ↦{dq} v }}}.
  Proof.
    iIntros (? Φ) "[#Hlen H] HΦ". iApply (wp_array_get with "Hlen"); first done.
    wp_load. by iApply "HΦ".
  Qed.
  Lemma array_set_cell_spec l (n : nat) (i : Z) v w s E :
    0 ≤ i < n →
    {{{ array_len l n ∗ (l +ₗ (1 + i)) ↦ v }}}
      array_set #l #i w @ s; E
    {{{ RET #(); (l +ₗ (1 + i)) ↦ w }}}.
  Proof.
    iIntros (? Φ) "[#Hlen H] HΦ". iApply (wp_array_set with "Hlen"); first done.
    wp_store. by iApply "HΦ".
  Qed.

  (** The caller owns all elements. *)
  Lemma array_get_spec l (i : Z) dq vs v s E :
    0 ≤ i → vs !! Z.to_nat i = Some v →
    {{{ is_array l dq vs }}} array_get #l #i @ s; E {{{ RET v; is_array l dq vs }}}.
  Proof.
    iIntros (? Hi Φ) "H HΦ". iDestruct (is_array_len with "H") as "#Hlen".
    iDestruct (is_array_lookup_acc _ _ _ i with "H") as "[H Hclose]"; [done..|].
    apply lookup_lt_Some in Hi.
    iApply (array_get_cell_spec with "[$Hlen $H]"); first lia.
    iIntros "!> H". iApply "HΦ". by iApply "Hclose".
  Qed.
  Lemma array_set_spec l (i : Z) vs w s E :
    0 ≤ i < length vs →
    {{{ is_array l (DfracOwn 1) vs }}}
      array_set #l #i w @ s; E
    {{{ RET #(); is_array l (DfracOwn 1) (<[Z.to_nat i := w]> vs) }}}.
  Proof.
    iIntros (? Φ) "H HΦ". iDestruct (is_array_len with "H") as "#Hlen".
    destruct (lookup_lt_is_Some_2 vs (Z.to_nat i)) as [v Hv]; first lia.
    iDestruct (is_array_acc _ _ _ i with "H") as "[H Hclose]"; [lia|done|].
    iApply (array_set_cell_spec with "[$Hlen $H]"); first done.
    iIntros "!> H". iApply "HΦ". by iApply "Hclose".
  Qed.

  (** Logically atomic forms. *)
  Lemma array_get_atomic_spec l (n : nat) (i : Z) :
    0 ≤ i < n →
    array_len l n -∗
    <<{ ∀∀ v dq, (l +ₗ (1 + i)) ↦{dq} v }>>
      array_get #l #i @ ∅
    <<{ (l +ₗ (1 + i)) ↦{dq} v | RET v }>>.
  Proof.
    iIntros (?) "#Hlen %Φ AU". iApply (wp_array_get with "Hlen"); first done.
    iMod "AU" as (v dq) "[H [_ Hclose]]". wp_load. by iApply ("Hclose" with "H").
  Qed.
  Lemma array_set_atomic_spec l (n : nat) (i : Z) w :
    0 ≤ i < n →
    array_len l n -∗
    <<{ ∀∀ v, (l +ₗ (1 + i)) ↦ v }>>
      array_set #l #i w @ ∅
    <<{ (l +ₗ (1 + i)) ↦ w | RET #() }>>.
  Proof.
    iIntros (?) "#Hlen %Φ AU". iApply (wp_array_set with "Hlen"); first done.
    iMod "AU" as (v) "[H [_ Hclose]]". wp_store. by iApply ("Hclose" with "H").
  Qed.
End arrays.

Global Opaque array_make array_init array_length array_get array_set.
