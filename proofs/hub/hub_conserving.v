(** Hubs whose thieves overlook nothing.

    While several threads act, [hub_steal_spec] says nothing about a [None]. A hub whose
    steals look at every place meets a stronger specification: if a steal finds nothing,
    then at one instant of the call the hub had no task for the worker.

    The steal gets an atomic update of two steps, and does one of two things:
    - The steal takes a task, at one instant.
    - The steal {e looks}, at an instant at which the hub has no task for the worker.
      From then on the steal has the update of an ordinary steal, and may find nothing,
      or a task that came after the look.

    Hubs whose workers ask a victim and collect the answer later do not look at every
    place, and do not meet this specification. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_spec.

Section conserving.
  Context `{!heapGS Σ, !hub_spec Σ}.

  (** The atomic update of a steal. *)
  Definition hub_steal_au γ i (Φ : val → iProp Σ) : iProp Σ :=
    AU <{ ∃∃ M, hub_model γ M }> @ ⊤ ∖ ↑hub_allN, ∅
       <{ ∀∀ r M', ⌜hub_taken i M r M'⌝ ∗ hub_model γ M', COMM Φ r }>.

  (** The atomic update of a look, after which the update of an ordinary steal follows,
      or of a task taken without a look. *)
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
