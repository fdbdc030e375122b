(** The stuck expression, and the cells of mutable fields.

    A mutable field of a record is a cell that detects data races. The cell holds [InjRV
    v], or [InjLV #()] while a write is under way. A write takes two steps: the write
    marks the cell, then stores the value. An access to a marked cell is stuck. So a
    proof that a program is safe, in all interleavings, also proves that no two accesses
    to a plain field, at least one of them a write, are simultaneous. An [Atomic.t] and
    an element of an array are plain HeapLang cells, and each access to such a cell is
    one step. *)
From iris.bi.lib Require Import fractional.
From iris.proofmode Require Import coq_tactics reduction proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.

(** The expression without a reduction step, for out-of-bounds accesses, [assert false]
    and racing accesses. *)
Notation stuck := (App (Val (LitV LitUnit)) (Val (LitV LitUnit))) (only parsing).

Definition na_val : val := λ: "v", InjR "v".
Definition na_load : val :=
  λ: "l", match: !"l" with InjL <> => stuck | InjR "v" => "v" end.
Definition na_store : val :=
  λ: "l" "v",
    match: Xchg "l" (InjL #()) with
      InjL <> => stuck
    | InjR <> => "l" <- InjR "v"
    end.
Notation "!na e" := (na_load e%E) (at level 9, right associativity) : expr_scope.
Notation "e1 <-na e2" := (na_store e1%E e2%E) (at level 80) : expr_scope.

Definition na_pointsto `{!heapGS Σ} (l : loc) dq (v : val) : iProp Σ :=
  l ↦{dq} InjRV v.
Notation "l ↦na{ dq } v" := (na_pointsto l dq v)
  (at level 20, dq custom dfrac at level 1, format "l  ↦na{ dq }  v") : bi_scope.
Notation "l ↦na{# q } v" := (na_pointsto l (DfracOwn q) v)
  (at level 20, format "l  ↦na{# q }  v") : bi_scope.
Notation "l ↦na□ v" := (na_pointsto l DfracDiscarded v)
  (at level 20, format "l  ↦na□  v") : bi_scope.
Notation "l ↦na v" := (na_pointsto l (DfracOwn 1) v)
  (at level 20, format "l  ↦na  v") : bi_scope.

(** [wp_pures] computes the initial content of a field. *)
Global Instance pure_na_val (v : val) :
  PureExec True 2 (App (Val na_val) (Val v)) (Val (InjRV v)).
Proof.
  intros _. rewrite /na_val. eapply nsteps_l.
  - apply nsteps_once_inv, (pure_beta _ _ (InjR "v") _ _ I).
  - apply pure_injrc, I.
Qed.

Section rules.
  Context `{!heapGS Σ}.
  Implicit Types (l : loc) (v w : val).

  Global Instance na_pointsto_timeless l dq v : Timeless (na_pointsto l dq v).
  Proof. apply _. Qed.
  Global Instance na_pointsto_persistent l v : Persistent (l ↦na□ v).
  Proof. apply _. Qed.
  Global Instance na_pointsto_fractional l v : Fractional (λ q, l ↦na{#q} v)%I.
  Proof. apply _. Qed.
  Global Instance na_pointsto_as_fractional l q v :
    AsFractional (l ↦na{#q} v) (λ q, l ↦na{#q} v)%I q.
  Proof. split; [done | apply _]. Qed.

  Lemma na_pointsto_agree l dq1 dq2 v w :
    na_pointsto l dq1 v -∗ na_pointsto l dq2 w -∗ ⌜v = w⌝.
  Proof.
    iIntros "H1 H2". by iDestruct (pointsto_agree with "H1 H2") as %[= ->].
  Qed.
  Lemma na_pointsto_ne l1 l2 dq v w :
    l1 ↦na v -∗ na_pointsto l2 dq w -∗ ⌜l1 ≠ l2⌝.
  Proof. apply pointsto_ne. Qed.
  Lemma na_pointsto_exclusive l v w : l ↦na v -∗ l ↦na w -∗ False.
  Proof. iIntros "H1 H2". by iDestruct (na_pointsto_ne with "H1 H2") as %?. Qed.
  Lemma na_pointsto_persist l dq v : na_pointsto l dq v ==∗ l ↦na□ v.
  Proof. apply pointsto_persist. Qed.

  Lemma na_load_spec l dq v s E :
    {{{ ▷ na_pointsto l dq v }}} na_load #l @ s; E {{{ RET v; na_pointsto l dq v }}}.
  Proof.
    iIntros (Φ) ">H HΦ". rewrite /na_load /na_pointsto. wp_pures. wp_load.
    wp_pures. iModIntro. by iApply "HΦ".
  Qed.

  Lemma na_store_spec l v w s E :
    {{{ ▷ l ↦na v }}} na_store #l w @ s; E {{{ RET #(); l ↦na w }}}.
  Proof.
    iIntros (Φ) ">H HΦ". rewrite /na_store /na_pointsto. wp_pures.
    wp_bind (Xchg _ _). wp_xchg. wp_pures. wp_store. iModIntro. by iApply "HΦ".
  Qed.

  (** Lemmas for the tactics below. *)
  Lemma tac_wp_na_load Δ Δ' s E i K b l dq v Φ :
    MaybeIntoLaterNEnvs 1 Δ Δ' →
    envs_lookup i Δ' = Some (b, na_pointsto l dq v)%I →
    envs_entails Δ' (WP fill K (Val v) @ s; E {{ Φ }}) →
    envs_entails Δ (WP fill K (App (Val na_load) (Val (LitV l))) @ s; E {{ Φ }}).
  Proof.
    rewrite envs_entails_unseal=> ?? Hi.
    rewrite -wp_bind into_laterN_env_sound envs_lookup_split //; simpl.
    rewrite Hi. iIntros "[H Hw]". destruct b; simpl.
    - iDestruct "H" as ">#H". iApply (na_load_spec with "H"). iIntros "!> _".
      by iApply "Hw".
    - iApply (na_load_spec with "[$H]"). iIntros "!> H". by iApply "Hw".
  Qed.

  Lemma tac_wp_na_store Δ Δ' s E i K l v w Φ :
    MaybeIntoLaterNEnvs 1 Δ Δ' →
    envs_lookup i Δ' = Some (false, l ↦na v)%I →
    match envs_simple_replace i false (Esnoc Enil i (l ↦na w)) Δ' with
    | Some Δ'' =>
        envs_entails Δ'' (WP fill K (Val $ LitV LitUnit) @ s; E {{ Φ }})
    | None => False
    end →
    envs_entails Δ (WP fill K (App (App (Val na_store) (Val (LitV l))) (Val w))
      @ s; E {{ Φ }}).
  Proof.
    rewrite envs_entails_unseal=> ?? Hk.
    destruct (envs_simple_replace _ _ _ _) as [Δ''|] eqn:HΔ''; [|contradiction].
    rewrite -wp_bind into_laterN_env_sound envs_simple_replace_sound //; simpl.
    rewrite right_id. iIntros "[H Hw]". iApply (na_store_spec with "[$H]").
    iIntros "!> H". iApply (Hk with "[H Hw]"). by iApply "Hw".
  Qed.
End rules.

Global Opaque na_val na_load na_store.

(** [wp_na_load] and [wp_na_store] access a field whose [↦na] is among the hypotheses.
    Both begin with [wp_pures]. *)
Tactic Notation "wp_na_load" :=
  let solve_pointsto _ :=
    let l := match goal with |- _ = Some (_, (na_pointsto ?l _ _)%I) => l end in
    iAssumptionCore || fail "wp_na_load: cannot find" l "↦na ?" in
  wp_pures;
  lazymatch goal with
  | |- envs_entails _ (wp ?s ?E ?e ?Q) =>
      first
        [ reshape_expr e ltac:(fun K e' => eapply (tac_wp_na_load _ _ _ _ _ K))
        | fail 1 "wp_na_load: no na_load to run in" e ];
      [ tc_solve | solve_pointsto () | wp_finish ]
  | _ => fail "wp_na_load: not a wp"
  end.

Tactic Notation "wp_na_store" :=
  let solve_pointsto _ :=
    let l := match goal with |- _ = Some (_, (na_pointsto ?l _ _)%I) => l end in
    iAssumptionCore || fail "wp_na_store: cannot find" l "↦na ?" in
  wp_pures;
  lazymatch goal with
  | |- envs_entails _ (wp ?s ?E ?e ?Q) =>
      first
        [ reshape_expr e ltac:(fun K e' => eapply (tac_wp_na_store _ _ _ _ _ K))
        | fail 1 "wp_na_store: no na_store to run in" e ];
      [ tc_solve | solve_pointsto () | pm_reduce; first [wp_seq | wp_finish] ]
  | _ => fail "wp_na_store: not a wp"
  end.
