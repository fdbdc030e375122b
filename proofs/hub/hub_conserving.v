(** Hubs whose thieves overlook nothing.

    A [None] of [hub_steal_spec] says nothing when others act. Of a hub that looks at
    all it has, more is true: a steal that finds nothing was at some instant of the
    call before a hub in which nothing was for this worker. This is said by an atomic
    update of two steps, which the steal is given: it takes, at its instant; or it
    {e looks}, at an instant at which nothing is for the worker, and has from then on
    the update of an ordinary steal, which may find nothing, or what has come since.

    Hubs that ask a victim and collect the answer later do not look at all there is,
    and are not meant here. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_spec.

Section conserving.
  Context `{!heapGS Σ, !hub_spec Σ}.

  (** The instant of a steal is still to come. *)
  Definition hub_steal_au γ i (Φ : val → iProp Σ) : iProp Σ :=
    AU <{ ∃∃ M, hub_model γ M }> @ ⊤ ∖ ↑hub_allN, ∅
       <{ ∀∀ r M', ⌜hub_taken i M r M'⌝ ∗ hub_model γ M', COMM Φ r }>.

  (** So is the instant of its look, unless it takes before. *)
  Definition hub_look_au γ i (Φ : val → iProp Σ) : iProp Σ :=
    AU <{ ∃∃ M, hub_model γ M }> @ ⊤ ∖ ↑hub_allN, ∅
       <{ ∀∀ (look : bool) r M',
          ⌜if look then hub_foreign i M ∧ M' = M else hub_taken i M r M' ∧ r ≠ NONEV⌝ ∗
          hub_model γ M',
          COMM if look then hub_steal_au γ i Φ else Φ r }>.

  Class hub_conserving := HubConserving {
    hub_steal_looks_spec o γ n i Φ : i < n →
      hub_inv o γ n -∗ hub_owner γ i true -∗
      hub_look_au γ i (λ r, hub_owner γ i true -∗ Φ r) -∗
      WP h_steal o #i {{ Φ }};
  }.
End conserving.
Global Arguments hub_conserving Σ {_ _}.
