(** * Two domains, a queue and an ivar

    The closed program of messages_client.ml, from the specifications of the queue and of
    the ivar down to the steps of the machine: [messages_client_adequate] is about
    HeapLang's steps and mentions no logic.

    The messages between the domains are numbered.  [channel] says that the messages in
    the queue have the numbers after the last received message, up to the last sent
    message.  Each domain owns half of its own number, so both domains know their
    positions.  The message, with its plain field, goes through the queue.  The producer's
    right says that the receiver alone sets the ivar.  [Ξ], the permanent fact about an
    ivar's value, says which value the receiver sets. *)
From iris.base_logic.lib Require Import invariants ghost_var.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation adequacy proph_erasure.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import queue ivar.
From dromos.clients Require Import results messages_client_code.

Class messagesG Σ := MessagesG {
  #[local] messages_queueG :: queueG Σ;
  #[local] messages_ivarG :: ivar_sharedG Σ;
  #[local] messages_domainG :: domainG Σ;
  #[local] messages_numberG :: ghost_varG Σ nat;
}.
Definition messagesΣ : gFunctors := #[queueΣ; ivar_sharedΣ; domainΣ; ghost_varΣ nat].
Global Instance subG_messagesΣ Σ : subG messagesΣ Σ → messagesG Σ.
Proof. solve_inG. Qed.

Section messages.
  Context `{!heapGS Σ, !messagesG Σ}.
  Implicit Types (i n r s : nat) (vs : list val) (v queue ivar : val) (l : loc).
  Local Definition NQ : namespace := nroot .@ "messages" .@ "queue".
  Local Definition NC : namespace := nroot .@ "messages" .@ "channel".
  Local Definition NA : namespace := nroot .@ "messages" .@ "answer".

  Local Definition message i v : iProp Σ :=
    ∃ l, ⌜v = #l⌝ ∗ (l +ₗ 0) ↦ #i ∗ (l +ₗ 1) ↦na #i.
  Local Definition channel γ γs γr : iProp Σ :=
    ∃ vs s r, queue_model γ vs ∗ ghost_var γs (1/2) s ∗ ghost_var γr (1/2) r ∗
      ⌜s = (r + length vs)%nat⌝ ∗ [∗ list] i ↦ v ∈ vs, message (S (r + i)) v.

  Local Instance message_timeless i v : Timeless (message i v).
  Proof. apply _. Qed.

  Local Lemma receive_spec γ γs γr queue r n :
    r ≤ n → queue_inv NQ γ queue -∗ inv NC (channel γ γs γr) -∗
    {{{ ghost_var γr (1/2) r }}}
      clients_messages_client_receive queue #(S r) #n #(triangle r)
    {{{ RET #(triangle n); True }}}.
  Proof.
    iIntros (Hr) "#Hq #I". iIntros (Φ) "!> Hr HΦ". iLöb as "IH" forall (r Hr). wp_rec.
    wp_pures. case_bool_decide as Hn; wp_pures.
    { replace n with r by lia. by iApply "HΦ". }
    awp_apply (queue_pop_spec with "Hq"). iInv "I" as (vs s r') ">(Hm & Hs & Hr' & %Hs & Hvs)".
    iDestruct (ghost_var_agree with "Hr Hr'") as %<-. iAaccIntro with "Hm".
    { iIntros "Hm !>". iSplitR "Hr HΦ"; last by iFrame. iNext. iExists vs, s, r. by iFrame. }
    iIntros "Hm". destruct vs as [|v vs]; simpl.
    { iModIntro. iSplitR "Hr HΦ".
      { iNext. iExists [], s, r. iFrame. by iSplit. }
      wp_pures. by iApply ("IH" with "[%] Hr HΦ"). }
    iDestruct "Hvs" as "[Hv Hvs]". rewrite Nat.add_0_r.
    iMod (ghost_var_update_halves (S r) with "Hr Hr'") as "[Hr Hr']". iModIntro.
    iSplitR "Hr HΦ Hv".
    { iNext. iExists vs, s, (S r). iFrame "Hm Hs Hr'". iSplit; first by (simpl in Hs; iPureIntro; lia).
      iApply (big_sepL_impl with "Hvs"). iIntros "!>" (i w _).
      replace (S (r + S i)) with (S (S r + i)) by lia. by iIntros. }
    iDestruct "Hv" as (l ->) "[Hl0 Hl1]". wp_pures. wp_load. wp_pures.
    rewrite bool_decide_eq_true_2 //. wp_pures. wp_rec. wp_na_load. wp_pures. wp_na_store.
    wp_pures. replace (Z.of_nat (S r) + 1)%Z with (Z.of_nat (S (S r))) by lia.
    replace (Z.of_nat (triangle r) + Z.of_nat (S r))%Z with (Z.of_nat (triangle (S r)))
      by (rewrite /=; lia).
    iApply ("IH" with "[%] Hr HΦ"). lia.
  Qed.

  Local Lemma send_spec γ γs γr queue s n :
    s ≤ n → queue_inv NQ γ queue -∗ inv NC (channel γ γs γr) -∗
    {{{ ghost_var γs (1/2) s }}}
      clients_messages_client_send queue #(S s) #n
    {{{ RET #(); True }}}.
  Proof.
    iIntros (Hs) "#Hq #I". iIntros (Φ) "!> Hs HΦ". iLöb as "IH" forall (s Hs). wp_rec.
    wp_pures. case_bool_decide as Hn; wp_pures; last by iApply "HΦ".
    wp_apply block2_spec; first done. iIntros (l) "(Hl0 & Hl1 & _)".
    awp_apply (queue_push_spec with "Hq"). iInv "I" as (vs s' r) ">(Hm & Hs' & Hr & %Hr & Hvs)".
    iDestruct (ghost_var_agree with "Hs Hs'") as %<-. iAaccIntro with "Hm".
    { iIntros "Hm !>". iSplitR "Hl0 Hl1 Hs HΦ"; last by iFrame.
      iNext. iExists vs, s, r. by iFrame. }
    iIntros "Hm". iMod (ghost_var_update_halves (S s) with "Hs Hs'") as "[Hs Hs']". iModIntro.
    iSplitR "Hs HΦ".
    { iNext. iExists _, (S s), r. iFrame "Hm Hs' Hr Hvs". rewrite length_app /=.
      iSplit; first by (iPureIntro; lia). iSplit; last done. iExists l. iSplit; first done.
      rewrite Nat.add_0_r -Hr. iFrame. }
    wp_pures. replace (Z.of_nat (S s) + 1)%Z with (Z.of_nat (S (S s))) by lia.
    iApply ("IH" with "[%] Hs HΦ"). lia.
  Qed.

  Local Notation Ψ := (λ _ : val, True)%I.
  Local Notation Ξ n := (λ v : val, ⌜v = #(triangle n)⌝)%I.
  Local Notation C := (λ (_ : ()) (_ : val), True)%I.

  Local Lemma answer_of_spec γ n ivar :
    {{{ ivar_inv Ψ (Ξ n) C γ ivar }}}
      clients_messages_client_answer_of ivar
    {{{ RET #(triangle n); True }}}.
  Proof.
    iIntros (Φ) "#Hi HΦ". wp_rec. wp_alloc l as "Hl". wp_pures.
    iMod (inv_alloc NA _ (∃ c, l ↦ c ∗ ⌜c = NONEV ∨ c = SOMEV #(triangle n)⌝)%I with "[Hl]") as "#I".
    { iNext. iExists _. iFrame. by iLeft. }
    wp_apply (ivar_wait_shared_spec _ _ _ γ ivar _ True%I with "[$Hi]").
    { iIntros (ctx x v) "_ _ #->". wp_pures. iInv "I" as (c) "[>Hl _]". wp_store.
      iModIntro. iSplitL; last by auto. iNext. iExists _. iFrame. by iRight. }
    iIntros (r) "[[-> _]|(%v & -> & _ & #-> & _)]"; wp_pures; last by iApply "HΦ".
    iLöb as "IH". wp_rec. wp_bind (! _)%E. iInv "I" as (c) "[>Hl >%Hc]". wp_load.
    iModIntro. iSplitL "Hl"; first by eauto with iFrame.
    destruct Hc as [->| ->]; wp_pures; [by iApply "IH"|by iApply "HΦ"].
  Qed.

  Lemma messages_client_spec n :
    {{{ True }}} clients_messages_client_run #n {{{ RET #(triangle n); True }}}.
  Proof using Type*.
    iIntros (Φ) "_ HΦ". wp_rec. wp_apply (queue_create_spec NQ); first done.
    iIntros (γ queue) "[#Hq Hm]". wp_pures.
    wp_apply (ivar_create_shared_spec Ψ (Ξ n) C); first done.
    iIntros (γi ivar) "(#Hi & Hp & _)". wp_pures.
    iMod (ghost_var_alloc 0) as (γs) "[Hs Hs']". iMod (ghost_var_alloc 0) as (γr) "[Hr Hr']".
    iMod (inv_alloc NC _ (channel γ γs γr) with "[Hm Hs' Hr']") as "#I".
    { iNext. iExists [], 0, 0. iFrame. by iSplit. }
    wp_apply (domain_spawn_spec (λ _, True)%I with "[Hp Hr]").
    { wp_pures. wp_rec. wp_pures.
      wp_apply (receive_spec with "Hq I Hr"); first lia. iIntros "_". wp_pures.
      wp_apply (ivar_set_exclusive_spec _ _ _ γi ivar () with "[$Hi $Hp]"); first done.
      iIntros "_". by wp_pures. }
    iIntros (d) "Hd". wp_pures. wp_apply (send_spec with "Hq I Hs"); first lia.
    iIntros "_". wp_pures. wp_apply (answer_of_spec with "Hi"). iIntros "_". wp_pures.
    wp_apply (domain_join_spec with "Hd"). iIntros (v) "_". wp_pures. by iApply "HΦ".
  Qed.
End messages.

(** Claim: Two domains exchange n messages through a queue and answer through an
    ivar. In every execution: no domain gets stuck (so no message comes out of order,
    the ivar is set once, and no access to a plain field races), and the result, if
    there is a result, is the sum of the sent numbers. *)
Theorem messages_client_adequate (n : nat) σ :
  adequate NotStuck (clients_messages_client_run #n) σ (λ v _, v = #(n * (n + 1) / 2)).
Proof.
  apply (heap_adequacy #[heapΣ; messagesΣ]). iIntros (?) "_".
  wp_apply messages_client_spec; first done. iIntros "_". by rewrite triangle_closed.
Qed.

(** Claim: The program without prophecy variables, the program that runs, has the same
    property. *)
Theorem messages_client_erased (n : nat) σ :
  adequate NotStuck (erase_expr (clients_messages_client_run #n)) (erase_state σ)
    (λ v _, v = #(n * (n + 1) / 2)).
Proof. apply erased_adequate, messages_client_adequate. Qed.
