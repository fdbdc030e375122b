(** Domains: [domain_spawn f] runs [f #()] in a new thread, and [domain_join d] waits
    for the result. The handle is a cell that the thread fills at its end.

    [domain_handle d Ψ] is the right to the result: the caller of [domain_join] gets [Ψ
    v] for the value [v] that [f] returned. *)
From iris.base_logic.lib Require Import invariants token.
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import cells.

Definition domain_spawn : val :=
  λ: "f",
    let: "d" := ref NONE in
    Fork ("d" <- SOME ("f" #())) ;;
    "d".

Definition domain_join : val :=
  rec: "join" "d" :=
    match: ! "d" with
      NONE => "join" "d"
    | SOME "v" => "v"
    end.

Class domainG Σ := DomainG { domainG_token :: tokenG Σ }.
Definition domainΣ : gFunctors := #[tokenΣ].
Global Instance subG_domainΣ Σ : subG domainΣ Σ → domainG Σ.
Proof. solve_inG. Qed.

Section spec.
  Context `{!heapGS Σ, !domainG Σ}.
  Implicit Types Ψ : val → iProp Σ.
  Local Definition N := nroot .@ "domain".

  Local Definition domain_state (l : loc) (γ : gname) Ψ : iProp Σ :=
    l ↦ NONEV ∨ ∃ v, l ↦ SOMEV v ∗ (Ψ v ∨ token γ).

  Definition domain_handle (d : val) Ψ : iProp Σ :=
    ∃ (l : loc) γ, ⌜d = #l⌝ ∗ inv N (domain_state l γ Ψ) ∗ token γ.

  (** Claim: A domain runs its function once. *)
  Lemma domain_spawn_spec Ψ (f : val) :
    {{{ WP f #() {{ Ψ }} }}} domain_spawn f {{{ d, RET d; domain_handle d Ψ }}}.
  Proof.
    iIntros (Φ) "Hf HΦ". rewrite /domain_spawn. wp_pures. wp_alloc l as "Hl". wp_pures.
    iMod token_alloc as (γ) "Hγ".
    iMod (inv_alloc N _ (domain_state l γ Ψ) with "[Hl]") as "#I"; first by iLeft.
    wp_apply (wp_fork with "[Hf]").
    - iNext. wp_bind (f _). iApply (wp_wand with "Hf"). iIntros (v) "Hv". wp_pures.
      iInv "I" as "[>Hl|(%w & >Hl & _)]"; wp_store; iModIntro; iSplit; try done;
        iRight; iExists v; iFrame.
    - wp_pures. iModIntro. iApply "HΦ". iExists l, γ. by iFrame "∗ #".
  Qed.

  (** Claim: The caller of [join] gets the result, and the resources that the domain's
      function owned at its end. *)
  Lemma domain_join_spec Ψ (d : val) :
    {{{ domain_handle d Ψ }}} domain_join d {{{ v, RET v; Ψ v }}}.
  Proof.
    iIntros (Φ) "(%l & %γ & -> & #I & Hγ) HΦ". iLöb as "IH". wp_rec.
    wp_bind (! _)%E. iInv "I" as "[>Hl|(%w & >Hl & Hw)]"; wp_load.
    - iModIntro. iSplitL "Hl"; first by iLeft. wp_pures. iApply ("IH" with "Hγ HΦ").
    - iDestruct "Hw" as "[Hw|Hγ']"; last first.
      { iDestruct (token_exclusive with "Hγ Hγ'") as %[]. }
      iModIntro. iSplitL "Hl Hγ". { iRight. iExists w. iFrame. }
      wp_pures. by iApply "HΦ".
  Qed.
End spec.

Global Opaque domain_spawn domain_join.
