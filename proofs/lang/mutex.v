(** Mutexes. A mutex is a cell that tells whether the mutex is locked. [mutex_lock]
    spins on a compare-and-set. To unlock a mutex that is not locked is an error in
    OCaml, and is stuck here. A mutex that sleeps instead of spinning gives the lock at
    other times, and allows the same steps afterwards.

    A mutex protects any assertion [R], chosen when the mutex is first needed. A new
    mutex is [mutex_fresh m], and [mutex_inv_alloc] turns [mutex_fresh m] and [R] into
    [mutex_inv m R], which is persistent. The holder of the lock owns [mutex_locked m],
    which is exclusive, and [R]. *)
From iris.base_logic.lib Require Import invariants token.
From iris.proofmode Require Import proofmode.
From iris.heap_lang Require Import lang notation proofmode.
From iris.prelude Require Import options.
From dromos.lang Require Import cells.

Definition mutex_create : val := λ: <>, ref #false.
Definition mutex_lock : val :=
  rec: "lock" "m" := if: CAS "m" #false #true then #() else "lock" "m".
Definition mutex_unlock : val :=
  λ: "m", if: CAS "m" #true #false then #() else stuck.

Class mutexG Σ := MutexG { mutexG_token :: tokenG Σ }.
Definition mutexΣ : gFunctors := #[tokenΣ].
Global Instance subG_mutexΣ Σ : subG mutexΣ Σ → mutexG Σ.
Proof. solve_inG. Qed.

Section spec.
  Context `{!heapGS Σ, !mutexG Σ}.
  Implicit Types (m : val) (R : iProp Σ).
  Local Definition N := nroot .@ "mutex".

  Local Definition mutex_state (l : loc) (γ : gname) R : iProp Σ :=
    ∃ b : bool, l ↦ #b ∗ if b then True else token γ ∗ R.

  Local Instance mutex_state_ne l γ : NonExpansive (mutex_state l γ).
  Proof. solve_proper. Qed.

  Definition mutex_fresh m : iProp Σ :=
    ∃ (l : loc) γ, ⌜m = #l⌝ ∗ meta l N γ ∗ l ↦ #false ∗ token γ.
  Definition mutex_inv m R : iProp Σ :=
    ∃ (l : loc) γ, ⌜m = #l⌝ ∗ meta l N γ ∗ inv N (mutex_state l γ R).
  Definition mutex_locked m : iProp Σ :=
    ∃ (l : loc) γ, ⌜m = #l⌝ ∗ meta l N γ ∗ token γ.

  Global Instance mutex_inv_persistent m R : Persistent (mutex_inv m R).
  Proof. apply _. Qed.
  Global Instance mutex_locked_timeless m : Timeless (mutex_locked m).
  Proof. apply _. Qed.
  Global Instance mutex_fresh_timeless m : Timeless (mutex_fresh m).
  Proof. apply _. Qed.
  Global Instance mutex_inv_contractive m : Contractive (mutex_inv m).
  Proof. solve_contractive. Qed.
  Global Instance mutex_inv_ne m : NonExpansive (mutex_inv m).
  Proof. solve_proper. Qed.
  Global Instance mutex_inv_proper m : Proper ((≡) ==> (≡)) (mutex_inv m).
  Proof. apply ne_proper, _. Qed.

  Lemma mutex_locked_exclusive m : mutex_locked m -∗ mutex_locked m -∗ False.
  Proof.
    iIntros "(%l & %γ & -> & #Hm & H1) (%l' & %γ' & %Heq & #Hm' & H2)".
    injection Heq as <-. iDestruct (meta_agree with "Hm Hm'") as %<-.
    iApply (token_exclusive with "H1 H2").
  Qed.

  Lemma mutex_inv_alloc m R E : mutex_fresh m -∗ ▷ R ={E}=∗ mutex_inv m R.
  Proof.
    iIntros "(%l & %γ & -> & #Hm & Hl & Hγ) HR". iExists l, γ. iFrame "Hm".
    iSplitR; first done. iApply inv_alloc. iExists false. iFrame.
  Qed.

  (** Claim: A new mutex is unlocked, and can be made to protect any assertion. *)
  Lemma mutex_create_spec :
    {{{ True }}} mutex_create #() {{{ m, RET m; mutex_fresh m }}}.
  Proof.
    iIntros (Φ) "_ HΦ". rewrite /mutex_create. wp_pures.
    iApply wp_fupd. wp_apply wp_alloc; first done. iIntros (l) "[Hl Hm]".
    iMod token_alloc as (γ) "Hγ".
    iMod (meta_set _ l γ N with "Hm") as "Hm"; first done.
    iModIntro. iApply "HΦ". iExists l, γ. by iFrame.
  Qed.

  (** Claim: After [lock] the caller alone owns the resources that the mutex
      protects. *)
  Lemma mutex_lock_spec m R :
    {{{ mutex_inv m R }}} mutex_lock m {{{ RET #(); mutex_locked m ∗ R }}}.
  Proof.
    iIntros (Φ) "(%l & %γ & -> & #Hm & #I) HΦ". iLöb as "IH". wp_rec.
    wp_bind (CmpXchg _ _ _). iInv "I" as ([]) "[>Hl H]".
    - wp_cmpxchg_fail. iModIntro. iSplitL "Hl"; first (iExists true; by iFrame).
      wp_pures. by iApply "IH".
    - wp_cmpxchg_suc. iDestruct "H" as "[Hγ HR]". iModIntro.
      iSplitL "Hl"; first (iExists true; by iFrame).
      wp_pures. iModIntro. iApply "HΦ". iFrame "HR". iExists l, γ. by iFrame "∗ #".
  Qed.

  (** Claim: The holder of the lock may call [unlock], and gives back the resources that
      the mutex protects. *)
  Lemma mutex_unlock_spec m R :
    {{{ mutex_inv m R ∗ mutex_locked m ∗ R }}} mutex_unlock m {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "((%l & %γ & -> & #Hm & #I) & Hlocked & HR) HΦ".
    iDestruct "Hlocked" as "(%l' & %γ' & %Heq & #Hm' & Hγ)".
    injection Heq as <-. iDestruct (meta_agree with "Hm Hm'") as %<-.
    rewrite /mutex_unlock. wp_pures.
    wp_bind (CmpXchg _ _ _). iInv "I" as ([]) "[>Hl H]"; last first.
    { iDestruct "H" as "[>Hγ' _]". iDestruct (token_exclusive with "Hγ Hγ'") as %[]. }
    wp_cmpxchg_suc. iModIntro. iSplitR "HΦ"; first (iExists false; by iFrame).
    wp_pures. by iApply "HΦ".
  Qed.
End spec.

Global Opaque mutex_create mutex_lock mutex_unlock.
