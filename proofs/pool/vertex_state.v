(** Vertices (lib/kernel/pool/vertex.ml): ghost state and invariants.

    The counter of a vertex counts tokens: [token γ k x]. Token 0 belongs to who
    builds the vertex, and is handed in by [release]; or to its running task, and is
    handed in when that has yielded. Each of the others belongs to a predecessor, and
    is handed in when that is over. Who hands in the last one gets, out of the
    invariant, the right to push the vertex, with all that its task needs
    ([vertex_body]): so it is pushed once, and it is not before all its tokens are in.

    The vertex' executions are numbered. [vertex_pred γ n γa]: [γa] was made to
    precede execution [n]. The invariant says of each such pair that [γa] is over or
    still has a token, and then [n] is the next execution. When that begins there are
    no tokens left; so all that precede it are over, and since the number is raised
    nothing can precede it any more. That is [vertex_ready γ n].

    The successors are a list of tokens until the vertex is over, and then what it
    ensures: [Q] for all, [P] for one. *)
From iris.algebra Require Import auth gset.
From iris.base_logic.lib Require Import invariants ghost_map ghost_var mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool_basics.
From dromos.pool Require Export pool.
From dromos.pool Require Import pool_code vertex_code.

Class vertexG Σ := VertexG {
  #[local] vertex_tokenG :: ghost_mapG Σ nat (option gname);
  #[local] vertex_modelG :: ghost_varG Σ (nat * bool);
  #[local] vertex_iterG :: mono_natG Σ;
  #[local] vertex_predG :: inG Σ (authR (gsetUR (nat * gname)));
}.
Definition vertexΣ : gFunctors :=
  #[ghost_mapΣ nat (option gname); ghost_varΣ (nat * bool); mono_natΣ;
    GFunctor (authR (gsetUR (nat * gname)))].
Global Instance subG_vertexΣ Σ : subG vertexΣ Σ → vertexG Σ.
Proof. solve_inG. Qed.

Definition vertexN : namespace := nroot .@ "dromos" .@ "vertex".
Definition vertex_mainN : namespace := vertexN .@ "main".
Definition vertex_listN : namespace := vertexN .@ "list".

Record vertex_name := VertexName {
  vx_loc : loc;
  vx_work : loc;
  vx_waits : loc;
  vx_list : loc;
  vx_tokens : gname;
  vx_model : gname;
  vx_iter : gname;
  vx_preds : gname;
  vx_over : gname;
  vx_out : gname;
}.

Section vertex.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !vertexG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (γ γa : vertex_name) (k n : nat) (b : bool) (v ctx task : val).
  Implicit Types (K : gmap nat (option gname)) (D : gset (nat * gname)).

  (** ** What is known and owned *)

  (** [vx_over] is 0 and becomes 1; half of it is with the successors. *)
  Definition over_at (g : gname) : iProp Σ := mono_nat_lb_own g 1.
  Definition vertex_over γ : iProp Σ := over_at (vx_over γ).
  Definition vertex_pending γ : iProp Σ := mono_nat_auth_own (vx_over γ) (1/2) 0.
  Definition vertex_consumer γ : iProp Σ := ghost_var (vx_out γ) 1 (0, false).
  Definition pred_at γ n (g : gname) : iProp Σ := own (vx_preds γ) (◯ {[(n, g)]}).
  Definition vertex_pred γ n γa : iProp Σ := pred_at γ n (vx_over γa).
  Definition vertex_ready γ n : iProp Σ := mono_nat_lb_own (vx_iter γ) (S n).

  Definition token γ k (x : option gname) : iProp Σ := k ↪[vx_tokens γ] x.
  Definition vertex_half γ n b : iProp Σ := ghost_var (vx_model γ) (1/2) (n, b).

  (** What the last token gives. *)
  Definition vertex_run_ok γ n : iProp Σ :=
    ∀ ctx sc, pool_context γp t ctx sc -∗ task_block (vx_work γ) -∗ vertex_half γ n false -∗
      WP pool_vertex_run #(vx_loc γ) ctx {{ _, pool_context γp t ctx sc }}.
  Definition vertex_body γ n : iProp Σ :=
    task_block (vx_work γ) ∗ vertex_half γ n false ∗ vertex_run_ok γ n.

  (** ** The invariants *)

  Definition preds_ok n K D : iProp Σ :=
    [∗ set] p ∈ D, over_at p.2 ∨ ⌜p.1 = n ∧ ∃ k, K !! k = Some (Some p.2)⌝.
  Definition vertex_state γ K : iProp Σ :=
    ∃ n D b,
      ghost_map_auth (vx_tokens γ) 1 K ∗ mono_nat_auth_own (vx_iter γ) 1 n ∗
      own (vx_preds γ) (● D) ∗ preds_ok n K D ∗ vertex_half γ n b ∗
      if b then ⌜K !! 0 = Some None⌝ else ⌜K !! 0 = None⌝ ∗ (⌜K = ∅⌝ ∨ vertex_body γ n).
  Definition vertex_main γ : iProp Σ :=
    ∃ K, vx_waits γ ↦ #(size K) ∗ vertex_state γ K.

  Definition vertex_work_code γ : val := (λ: "ctx", pool_vertex_run #(vx_loc γ) "ctx")%V.
  Definition vertex_main_inv γ v : iProp Σ :=
    ⌜v = #(vx_loc γ)⌝ ∗ (vx_loc γ +ₗ 1) ↦na□ #(vx_work γ) ∗ (vx_loc γ +ₗ 3) ↦□ #(vx_waits γ) ∗
    (vx_loc γ +ₗ 4) ↦□ #(vx_list γ) ∗ (vx_work γ +ₗ 0) ↦□ vertex_work_code γ ∗
    inv vertex_mainN (vertex_main γ).

  (** A successor [w] holds a token of this vertex, whose [vx_over] is [g]. *)
  Definition successor (g : gname) w : iProp Σ :=
    ∃ γ k, vertex_main_inv γ w ∗ token γ k (Some g).
  Fixpoint successors (g : gname) (s : val) (ws : list val) : iProp Σ :=
    match ws with
    | [] => ⌜s = InjLV #1⌝
    | w :: ws =>
        ∃ (l : loc) rest, ⌜s = InjRV #l⌝ ∗ (l +ₗ 0) ↦na w ∗ (l +ₗ 1) ↦ rest ∗
          successor g w ∗ successors g rest ws
    end.
  Definition vertex_list γ (P Q : iProp Σ) : iProp Σ :=
    ∃ s, vx_list γ ↦ s ∗
      (⌜s = InjLV #0⌝ ∗ vertex_over γ ∗ □ Q ∗ (P ∨ vertex_consumer γ) ∨
       vertex_pending γ ∗ ∃ ws, successors (vx_over γ) s ws).

  Definition vertex_inv γ v (P Q : iProp Σ) : iProp Σ :=
    vertex_main_inv γ v ∗ inv vertex_listN (vertex_list γ P Q).

  (** The vertex in the hands of who builds it, or of its task. *)
  Definition vertex_model γ n task b : iProp Σ :=
    (vx_loc γ +ₗ 0) ↦na task ∗ (vx_loc γ +ₗ 2) ↦na #b ∗ task_block (vx_work γ) ∗
    vertex_pending γ ∗ token γ 0 None ∗ vertex_half γ n true.

  Global Instance over_at_persistent g : Persistent (over_at g).
  Proof. apply _. Qed.
  Global Instance over_at_timeless g : Timeless (over_at g).
  Proof. apply _. Qed.
  Global Instance vertex_over_persistent γ : Persistent (vertex_over γ).
  Proof. apply _. Qed.
  Global Instance pred_at_persistent γ n g : Persistent (pred_at γ n g).
  Proof. apply _. Qed.
  Global Instance vertex_pred_persistent γ n γa : Persistent (vertex_pred γ n γa).
  Proof. apply _. Qed.
  Global Instance vertex_ready_persistent γ n : Persistent (vertex_ready γ n).
  Proof. apply _. Qed.
  Global Instance preds_ok_persistent n K D : Persistent (preds_ok n K D).
  Proof. apply _. Qed.
  Global Instance preds_ok_timeless n K D : Timeless (preds_ok n K D).
  Proof. apply _. Qed.
  Global Instance vertex_main_inv_persistent γ v : Persistent (vertex_main_inv γ v).
  Proof. apply _. Qed.
  Global Instance vertex_inv_persistent γ v P Q : Persistent (vertex_inv γ v P Q).
  Proof. apply _. Qed.

  (** ** Ghost steps *)

  Lemma over_pending γ : vertex_over γ -∗ vertex_pending γ -∗ False.
  Proof. iIntros "H1 H2". iDestruct (mono_nat_lb_own_valid with "H2 H1") as %[_ ?]. lia. Qed.
  Lemma half_agree γ n b n' b' :
    vertex_half γ n b -∗ vertex_half γ n' b' -∗ ⌜n = n' ∧ b = b'⌝.
  Proof. iIntros "H1 H2". by iDestruct (ghost_var_agree with "H1 H2") as %[= -> ->]. Qed.
  Lemma half_update γ n b n' b' m c :
    vertex_half γ n b -∗ vertex_half γ n' b' ==∗ vertex_half γ m c ∗ vertex_half γ m c.
  Proof. apply ghost_var_update_halves. Qed.
  Lemma half_three γ n b n' b' m c :
    vertex_half γ n b -∗ vertex_half γ n' b' -∗ vertex_half γ m c -∗ False.
  Proof.
    iIntros "H1 H2 H3". iDestruct (half_agree with "H1 H2") as %[<- <-].
    iCombine "H1 H2" as "H". by iDestruct (ghost_var_valid_2 with "H H3") as %[? _].
  Qed.

  Lemma preds_lookup γ D n g :
    own (vx_preds γ) (● D) -∗ pred_at γ n g -∗ ⌜(n, g) ∈ D⌝.
  Proof.
    iIntros "H1 H2". iCombine "H1 H2" gives %[Hin _]%auth_both_valid_discrete.
    iPureIntro. by apply gset_included, singleton_subseteq_l in Hin.
  Qed.
  Lemma preds_add γ D n g :
    own (vx_preds γ) (● D) ==∗ own (vx_preds γ) (● ({[(n, g)]} ∪ D)) ∗ pred_at γ n g.
  Proof.
    iIntros "H".
    iMod (own_update _ _ (● ({[(n, g)]} ∪ D) ⋅ ◯ ({[(n, g)]} ∪ D)) with "H") as "[$ H]".
    { apply auth_update_alloc, gset_local_update. set_solver. }
    iModIntro. iApply (own_mono with "H"). apply auth_frag_mono, gset_included. set_solver.
  Qed.

  (** Whoever keeps the vertex from starting: who has token 0, or a predecessor that
      is not over. *)
  Definition vertex_keeper γ n (κ : option vertex_name) : iProp Σ :=
    match κ with
    | None => token γ 0 None ∗ vertex_half γ n true
    | Some γa => vertex_pending γa ∗ vertex_pred γ n γa
    end.

  Lemma state_keeper γ K n κ :
    vertex_state γ K -∗ vertex_keeper γ n κ -∗ ⌜K ≠ ∅⌝.
  Proof.
    iIntros "(%m & %D & %b & HK & Hn & HD & #Hpreds & Hhalf & Hb) Hκ". destruct κ as [γa|].
    - iDestruct "Hκ" as "[Hpend Hpred]". iDestruct (preds_lookup with "HD Hpred") as %Hin.
      iDestruct (big_sepS_elem_of with "Hpreds") as "[Hover|[%Hk _]]"; first done; simpl.
      + by iDestruct (over_pending γa with "Hover Hpend") as %[].
      + iDestruct (big_sepS_elem_of with "Hpreds") as "[Hover|(_ & %k & %Hk')]"; first done.
        * by iDestruct (over_pending γa with "Hover Hpend") as %[].
        * iPureIntro. intros ->. done.
    - iDestruct "Hκ" as "[H0 _]". iDestruct (ghost_map_lookup with "HK H0") as %H0.
      iPureIntro. by intros ->.
  Qed.
  Lemma state_keeper_iter γ K n κ m D b :
    ghost_map_auth (vx_tokens γ) 1 K -∗ own (vx_preds γ) (● D) -∗ preds_ok m K D -∗
    vertex_half γ m b -∗ vertex_keeper γ n κ -∗ ⌜m = n⌝.
  Proof.
    iIntros "HK HD #Hpreds Hhalf Hκ". destruct κ as [γa|].
    - iDestruct "Hκ" as "[Hpend Hpred]". iDestruct (preds_lookup with "HD Hpred") as %Hin.
      iDestruct (big_sepS_elem_of with "Hpreds") as "[Hover|[%Hn _]]"; first done; simpl.
      + by iDestruct (over_pending γa with "Hover Hpend") as %[].
      + done.
    - iDestruct "Hκ" as "[_ H]". by iDestruct (half_agree with "Hhalf H") as %[-> _].
  Qed.

  (** One more predecessor. *)
  Lemma state_add γ K n κ g :
    vertex_state γ K -∗ vertex_keeper γ n κ ==∗
    ∃ k, ⌜K !! k = None⌝ ∗ vertex_state γ (<[k := Some g]> K) ∗ token γ k (Some g) ∗
      pred_at γ n g ∗ vertex_keeper γ n κ.
  Proof.
    iIntros "Hst Hκ". iDestruct (state_keeper with "Hst Hκ") as %Hne.
    iDestruct "Hst" as "(%m & %D & %b & HK & Hn & HD & #Hpreds & Hhalf & Hb)".
    iDestruct (state_keeper_iter with "HK HD Hpreds Hhalf Hκ") as %->.
    pose (k := fresh ({[0]} ∪ dom K)).
    assert (k ∉ {[0]} ∪ dom K) as [Hk0 Hk]%not_elem_of_union by apply is_fresh.
    rewrite not_elem_of_singleton in Hk0. apply not_elem_of_dom in Hk.
    iMod (ghost_map_insert k (Some g) with "HK") as "[HK Htok]"; first done.
    iMod (preds_add γ D n g with "HD") as "[HD Hpred]".
    iModIntro. iExists k. iSplit; first done. iFrame "Htok Hpred Hκ".
    iExists n, _, b. iFrame "HK Hn HD Hhalf". iSplit.
    - iApply big_sepS_intro. iIntros "!>" (p Hp).
      apply elem_of_union in Hp as [->%elem_of_singleton|Hp].
      + iRight. iPureIntro. split; first done. exists k. apply lookup_insert.
      + iDestruct (big_sepS_elem_of with "Hpreds") as "[$|(%Hpn & %k' & %Hk')]"; first done.
        iRight. iPureIntro. split; first done. exists k'.
        rewrite lookup_insert_ne //. by intros <-; simplify_eq.
    - destruct b; first by rewrite lookup_insert_ne.
      iDestruct "Hb" as "[%H0 [%|Hb]]"; first done.
      rewrite lookup_insert_ne //. iFrame "Hb". done.
  Qed.

  (** A predecessor hands in its token. *)
  Lemma state_remove γ K k g :
    vertex_state γ K -∗ token γ k (Some g) -∗ over_at g ==∗
    ⌜is_Some (K !! k)⌝ ∗ vertex_state γ (delete k K) ∗
    (⌜delete k K = ∅⌝ -∗ ∃ n, vertex_body γ n).
  Proof.
    iIntros "(%n & %D & %b & HK & Hn & HD & #Hpreds & Hhalf & Hb) Htok #Hover".
    iDestruct (ghost_map_lookup with "HK Htok") as %Hk.
    iMod (ghost_map_delete with "HK Htok") as "HK".
    iAssert (preds_ok n (delete k K) D) as "#Hpreds'".
    { iApply (big_sepS_impl with "Hpreds"). iIntros "!>" (p Hp) "[$|(%Hpn & %k' & %Hk')]".
      destruct (decide (k' = k)) as [->|]; first by simplify_eq; iLeft.
      iRight. iPureIntro. split; first done. exists k'. by rewrite lookup_delete_ne. }
    iModIntro. iSplit; first by eauto. destruct b.
    - iDestruct "Hb" as %H0. assert (k ≠ 0) by (intros ->; simplify_eq).
      assert (delete k K !! 0 = Some None) as H0' by by rewrite lookup_delete_ne.
      iSplitL; last by iIntros (Heq); rewrite Heq in H0'.
      iExists n, D, true. by iFrame "∗ #".
    - iDestruct "Hb" as "[%H0 Hb]". assert (k ≠ 0) by (intros ->; simplify_eq).
      assert (delete k K !! 0 = None) as H0' by by rewrite lookup_delete_ne.
      iDestruct "Hb" as "[->|Hb]"; first done.
      destruct (decide (delete k K = ∅)) as [Heq|Hne].
      + iSplitR "Hb"; last by iIntros "_"; iExists n.
        iExists n, D, false. iFrame "∗ #". iSplit; first done. by iLeft.
      + iSplitL; last by iIntros (?).
        iExists n, D, false. by iFrame "∗ #".
  Qed.

  (** Token 0 is handed in. *)
  Lemma state_release γ K n :
    vertex_state γ K -∗ token γ 0 None -∗ vertex_half γ n true -∗
    task_block (vx_work γ) -∗ vertex_run_ok γ n ==∗
    ⌜is_Some (K !! 0)⌝ ∗ vertex_state γ (delete 0 K) ∗
    (⌜delete 0 K = ∅⌝ -∗ ∃ n, vertex_body γ n).
  Proof.
    iIntros "(%m & %D & %b & HK & Hn & HD & #Hpreds & Hhalf & Hb) Htok Hhalf' Hblock Hrun".
    iDestruct (ghost_map_lookup with "HK Htok") as %Hk.
    iMod (ghost_map_delete with "HK Htok") as "HK".
    iDestruct (half_agree with "Hhalf Hhalf'") as %[-> ->].
    iMod (half_update _ _ _ _ _ n false with "Hhalf Hhalf'") as "[Hhalf Hhalf']".
    iAssert (preds_ok n (delete 0 K) D) as "#Hpreds'".
    { iApply (big_sepS_impl with "Hpreds"). iIntros "!>" (p Hp) "[$|(%Hpn & %k' & %Hk')]".
      iRight. iPureIntro. split; first done. exists k'. rewrite lookup_delete_ne //.
      by intros <-; simplify_eq. }
    assert (delete 0 K !! 0 = None) as H0' by apply lookup_delete.
    iModIntro. iSplit; first by eauto.
    iAssert (vertex_body γ n) with "[$Hblock $Hhalf' $Hrun]" as "Hbody".
    destruct (decide (delete 0 K = ∅)) as [Heq|Hne].
    - iSplitR "Hbody"; last by iIntros "_"; iExists n.
      iExists n, D, false. iFrame "∗ #". iSplit; first done. by iLeft.
    - iSplitL; last by iIntros (?).
      iExists n, D, false. by iFrame "∗ #".
  Qed.

  (** The vertex starts. *)
  Lemma state_start γ K n :
    vertex_state γ K -∗ vertex_half γ n false ==∗
    vertex_state γ {[0 := None]} ∗ token γ 0 None ∗ vertex_half γ (S n) true ∗
    vertex_ready γ n.
  Proof.
    iIntros "(%m & %D & %b & HK & Hn & HD & #Hpreds & Hhalf & Hb) Hhalf'".
    iDestruct (half_agree with "Hhalf Hhalf'") as %[-> ->].
    iDestruct "Hb" as "[_ [->|(_ & Hhalf'' & _)]]"; last first.
    { iDestruct (half_three with "Hhalf Hhalf' Hhalf''") as %[]. }
    iMod (half_update _ _ _ _ _ (S n) true with "Hhalf Hhalf'") as "[Hhalf Hhalf']".
    iMod (ghost_map_insert 0 None with "HK") as "[HK Htok]"; first done.
    iMod (mono_nat_own_update (S n) with "Hn") as "[Hn Hlb]"; first lia.
    rewrite insert_empty. iModIntro. iFrame "Htok Hlb". iSplitR "Hhalf'"; last done.
    iExists (S n), D, true. iFrame "HK Hn HD Hhalf". iSplit; last done. iApply (big_sepS_impl with "Hpreds").
    iIntros "!>" (p Hp) "[$|(%Hpn & %k' & %Hk')]". done.
  Qed.

  (** ** What precedes an execution that has begun is over *)

  (** Claim: When an execution of a vertex has begun, all that was made to precede it
      is over. *)
  Lemma vertex_ready_pred γ v n γa E :
    ↑vertexN ⊆ E →
    vertex_main_inv γ v -∗ vertex_pred γ n γa -∗ vertex_ready γ n ={E}=∗ vertex_over γa.
  Proof.
    iIntros (HE) "(_ & _ & _ & _ & _ & #Hmain) #Hpred #Hready".
    iInv "Hmain" as (K) "(>Hw & %m & %D & %b & >HK & >Hn & >HD & >#Hpreds & Hrest)".
    iDestruct (mono_nat_lb_own_valid with "Hn Hready") as %[_ Hle].
    iDestruct (preds_lookup with "HD Hpred") as %Hin.
    iDestruct (big_sepS_elem_of with "Hpreds") as "[#Hover|[%Hn _]]"; first done; last first.
    { simpl in Hn. lia. }
    iModIntro. iSplitL; last by iFrame "Hover".
    iNext. iExists K. iFrame "Hw". iExists m, D, b. by iFrame "∗ #".
  Qed.
  (** Claim: A vertex that is over has what it ensures. *)
  Lemma vertex_over_ensures γ v P Q E :
    ↑vertexN ⊆ E →
    vertex_inv γ v P Q -∗ vertex_over γ ={E}=∗ ▷ □ Q.
  Proof.
    iIntros (HE) "[_ #Hlist] #Hover".
    iInv "Hlist" as (s) "[>Hs [(>%Heq & _ & #HQ & HP)|[>Hpend _]]]"; last first.
    { iDestruct (over_pending with "Hover Hpend") as %[]. }
    iModIntro. iSplitL; last done. iNext. iExists s. iFrame "Hs". iLeft.
    by iFrame "Hover HQ HP".
  Qed.
  (** Claim: And, once, what it gives. *)
  Lemma vertex_over_gives γ v P Q E :
    ↑vertexN ⊆ E →
    vertex_inv γ v P Q -∗ vertex_over γ -∗ vertex_consumer γ ={E}=∗ ▷ P.
  Proof.
    iIntros (HE) "[_ #Hlist] #Hover Hc".
    iInv "Hlist" as (s) "[>Hs [(>%Heq & _ & #HQ & HP)|[>Hpend _]]]"; last first.
    { iDestruct (over_pending with "Hover Hpend") as %[]. }
    iDestruct "HP" as "[HP|>Hc']"; last first.
    { by iDestruct (ghost_var_valid_2 with "Hc Hc'") as %[? _]. }
    iModIntro. iSplitR "HP"; last done. iNext. iExists s. iFrame "Hs". iLeft.
    by iFrame "Hover HQ Hc".
  Qed.
End vertex.
