(** The hybrid hub, lib/kernel/hub/hybrid.ml: an array of bounded deques
    ([hybrid_deques.v]) meets the specification of deques of [stealing_ops.v]. *)
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.deque Require Import chase_lev bounded_code bounded.
From dromos.hub Require Import hub_code stealing_code hybrid_code hub_spec central_state.
From dromos.hub Require Export stealing hybrid_deques.

Section hybrid.
  Context `{!heapGS Σ, !centralG Σ, !boundedG Σ}.

  Global Instance hybrid_hub_spec : hub_spec Σ := stealing_hub_spec.

  (** Claim: [Hybrid.make] returns an empty hub whose workers do not serve yet. *)
  Theorem hybrid_maker : hub_maker hub_hybrid_make.
  Proof.
    iIntros (n Hn Φ) "_ HΦ". wp_rec. wp_pures. wp_rec. wp_pures.
    wp_apply array_make_spec; [done..|]. iIntros (attrs) "_". wp_pures.
    wp_apply block3_spec; first done. iIntros (dummy) "_". wp_pures.
    wp_apply (array_init_spec (λ _ ds, ∃ δ : list hybrid_deque, ⌜δ.*1 = ds⌝ ∗
      hybrid_deques_made δ)%I); first lia.
    { iSplitR; first (iExists []; by rewrite /hybrid_deques_made big_sepL_nil).
      iIntros "!>" (i ds _ _) "(%δ & %Hδ & H)". wp_pures.
      rewrite /hub_hybrid_capacity. wp_apply (bounded_create_spec hubN); first done.
      iIntros (δ' d) "[_ Hd]". iExists (δ ++ [(d, δ')]). rewrite fmap_app Hδ.
      iSplit; first done. rewrite /hybrid_deques_made. by iFrame "H Hd". }
    iIntros (deques ds) "(%Hlen & Ha & _ & %δ & %Hδ & H)". subst ds.
    rewrite length_fmap Nat2Z.id in Hlen.
    iMod (hybrid_deques_begin with "Ha H") as "(#Id & HD & Hds)". rewrite Hlen. wp_pures.
    iApply (@stealing_make_spec Σ _ _ hybrid_deques (InjRV #deques) n δ Hn with "[HD Hds] HΦ").
    iFrame "HD Hds". iExists deques. by iFrame "Id".
  Qed.
End hybrid.
