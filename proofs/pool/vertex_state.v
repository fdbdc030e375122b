(** Vertices (lib/kernel/pool/vertex.ml): ghost state and invariants.

    The counter of a vertex counts tokens: [token γ k x].

      token 0   [Own]      belongs to the builder of the vertex, until [release] hands it
                           in; then to the running task, until the task has yielded
      others    [Adding]   of a predecessor, while [precede] is at work
                [Waits]    of a predecessor that knows of the token, and hands the token
                           in when the predecessor is over

    The thread that hands in the last token gets, out of the invariant, the right to push
    the vertex, with all resources of the vertex's task ([vertex_body]). So the vertex is
    pushed once, after all its tokens are in.

    The executions of a vertex are numbered. [vertex_pred γ n γa]: [γa] precedes
    execution [n]. The invariant says of each such pair that [γa] is over, or that [γa]
    still has a token and [n] is the next execution. When execution [n] begins, no tokens
    are left, so all its predecessors are over; the number is raised, so no vertex can be
    made to precede it any more. This is [vertex_ready γ n].

    The successors are a list of tokens until the vertex is over, and then the
    postconditions: [Q] for all, [P] for one.

    {b No vertex is forgotten.} For this the invariant says, in every state, by whom the
    vertex will be brought on. A token that [Waits] has a share in its predecessor, which
    gives all shares back before it is done: [vertex_done] means over, with all successors
    told. A token that is [Adding] keeps the hold on the vertex in the meantime: token 0,
    or a predecessor that is not over. When there are no tokens, until the execution has
    ended, the vertex has half of its key of the pool ([vertex_pushed]): a running task
    has published the vertex, or will publish it. A pool that has finished has no keys, so
    in the remaining states the vertex is done, was never released, or waits for a vertex
    that is not done (vertex_finished.v). *)
From iris.algebra Require Import auth gset numbers lib.frac_auth.
From iris.base_logic.lib Require Import invariants ghost_map ghost_var mono_nat.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_spec.
From dromos.pool Require Import pool_basics.
From dromos.pool Require Export pool.
From dromos.pool Require Import pool_code vertex_code.

(** The public state of a vertex: its progress, and the shares of its successors. *)
Notation vertex_id := (gname * gname)%type.

(** The owner of a token; for a token that is being added, also the present hold on the
    vertex: token 0, or a predecessor. *)
Inductive vertex_token :=
  | Own | Adding (g : vertex_id) (κ : option vertex_id) | Waits (g : vertex_id).
Definition token_of (x : vertex_token) : option vertex_id :=
  match x with Own => None | Adding g _ | Waits g => Some g end.

Class vertexG Σ := VertexG {
  #[local] vertex_tokenG :: ghost_mapG Σ nat vertex_token;
  #[local] vertex_modelG :: ghost_varG Σ (nat * bool);
  #[local] vertex_keyG :: ghost_varG Σ nat;
  #[local] vertex_iterG :: mono_natG Σ;
  #[local] vertex_predG :: inG Σ (authR (gsetUR (nat * vertex_id)));
  #[local] vertex_edgeG :: inG Σ (frac_authR (gsetUR (nat * vertex_id)));
  #[local] vertex_shareG :: inG Σ (authR natUR);
}.
Definition vertexΣ : gFunctors :=
  #[ghost_mapΣ nat vertex_token; ghost_varΣ (nat * bool); ghost_varΣ nat; mono_natΣ;
    GFunctor (authR (gsetUR (nat * vertex_id)));
    GFunctor (frac_authR (gsetUR (nat * vertex_id))); GFunctor (authR natUR)].
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
  vx_key : gname;
  vx_iter : gname;
  vx_preds : gname;
  vx_edges : gname;
  vx_over : gname;
  vx_shares : gname;
  vx_out : gname;
}.
Definition vx_id (γ : vertex_name) : vertex_id := (vx_over γ, vx_shares γ).

Section vertex.
  Context `{!heapGS Σ, !hub_spec Σ, !pool_deps Σ, !poolG Σ, !vertexG Σ}.
  Context (γp : pool_name) (t : val).
  Implicit Types (γ γa : vertex_name) (g : vertex_id) (κ : option vertex_id).
  Implicit Types (k n : nat) (b : bool) (v ctx task : val).
  Implicit Types (K : gmap nat vertex_token) (D : gset (nat * vertex_id)).

  (** ** Knowledge and ownership *)

  (** The first name of [vx_id] is a counter: 0 until the vertex is over, then 1.
      Half of the counter stays with the list of successors. *)
  Definition over_at g : iProp Σ := mono_nat_lb_own g.1 1.
  Definition pending_at g : iProp Σ := mono_nat_auth_own g.1 (1/2) 0.
  Definition shares_at g (m : nat) : iProp Σ := own g.2 (● m).
  Definition share_at g : iProp Σ := own g.2 (◯ 1).
  Definition done_at g : iProp Σ := over_at g ∗ own g.2 (●□ 0).
  Definition vertex_over γ : iProp Σ := over_at (vx_id γ).
  Definition vertex_pending γ : iProp Σ := pending_at (vx_id γ).
  (** The vertex is over, and all its successors know. *)
  Definition vertex_done γ : iProp Σ := done_at (vx_id γ).
  Definition vertex_consumer γ : iProp Σ := ghost_var (vx_out γ) 1 (0, false).
  Definition pred_at γ n g : iProp Σ := own (vx_preds γ) (◯ {[(n, g)]}).
  Definition vertex_pred γ n γa : iProp Σ := pred_at γ n (vx_id γa).
  (** A part of the right to add predecessors, with the predecessors added by this part;
      the whole right has all predecessors. *)
  Definition vertex_edges γ (q : Qp) D : iProp Σ := own (vx_edges γ) (◯F{q} D).

  (** Execution [n] waits at [2n], is released at [2n + 1], begins at [2n + 2]. *)
  Definition vertex_released γ : iProp Σ := mono_nat_lb_own (vx_iter γ) 1.
  Definition vertex_ready γ n : iProp Σ := mono_nat_lb_own (vx_iter γ) (2 * n + 2).
  Definition vertex_at γ n b : iProp Σ :=
    mono_nat_auth_own (vx_iter γ) 1 (if b then 2 * n else 2 * n + 1).

  Definition token γ k (x : vertex_token) : iProp Σ := k ↪[vx_tokens γ] x.
  Definition vertex_half γ n b : iProp Σ := ghost_var (vx_model γ) (1/2) (n, b).
  (** The key of the execution that is published or runs. *)
  Definition vertex_key γ k : iProp Σ := ghost_var (vx_key γ) (1/2) k.
  Definition vertex_no_key γ : iProp Σ := ∃ k, ghost_var (vx_key γ) 1 k.
  Definition vertex_pushed γ : iProp Σ := ∃ k, vertex_key γ k ∗ key_half γp k.

  (** The resources that the last token gives. *)
  Definition vertex_run_ok γ n : iProp Σ :=
    ∀ ctx sc k, pool_context γp t ctx sc -∗ task_block (vx_work γ) -∗ vertex_half γ n false -∗
      vertex_key γ k -∗
      WP pool_vertex_run #(vx_loc γ) ctx {{ _, pool_context γp t ctx sc ∗
        (key_half γp k ={⊤}=∗ key_full γp k) }}.
  Definition vertex_body γ n : iProp Σ :=
    task_block (vx_work γ) ∗ vertex_half γ n false ∗ vertex_run_ok γ n.

  (** ** The invariants *)

  (** The hold on a vertex that has not started, and the resource lent meanwhile. *)
  Definition deposit γ κ : iProp Σ :=
    match κ with None => token γ 0 Own | Some g => pending_at g end.
  Definition token_ok γ n k (x : vertex_token) : iProp Σ :=
    match x with
    | Own => ⌜k = 0⌝
    | Adding g κ =>
        pred_at γ n g ∗ deposit γ κ ∗ match κ with None => True | Some g => pred_at γ n g end
    | Waits g => share_at g ∗ pred_at γ n g
    end.
  Definition tokens_ok γ n K : iProp Σ := [∗ map] k ↦ x ∈ K, token_ok γ n k x.

  Definition has_token K g : Prop := ∃ k x, K !! k = Some x ∧ token_of x = Some g.
  Definition preds_ok n K D : iProp Σ :=
    [∗ set] p ∈ D, over_at p.2 ∨ ⌜p.1 = n ∧ has_token K p.2⌝.
  (** Before the first release and during an execution; and after a release. *)
  Definition vertex_stage γ n b K : iProp Σ :=
    (if b
     then ⌜K !! 0 = Some Own⌝ ∗
      match n with
      | 0 => vertex_no_key γ
      | S _ => vertex_pushed γ ∨ vertex_done γ ∗ vertex_no_key γ
      end
     else ⌜K !! 0 = None⌝ ∗
      (⌜K = ∅⌝ ∗ vertex_pushed γ ∨ ⌜K ≠ ∅⌝ ∗ vertex_no_key γ ∗ vertex_body γ n))%I.
  Definition vertex_facts γ K n D b : iProp Σ :=
    ghost_map_auth (vx_tokens γ) 1 K ∗ vertex_at γ n b ∗
    own (vx_preds γ) (● D) ∗ own (vx_edges γ) (●F D) ∗ preds_ok n K D ∗
    vertex_half γ n b ∗ tokens_ok γ n K.
  Definition vertex_state γ K : iProp Σ :=
    ∃ n D b, vertex_facts γ K n D b ∗ vertex_stage γ n b K.
  Definition vertex_main γ : iProp Σ :=
    ∃ K, vx_waits γ ↦ #(size K) ∗ vertex_state γ K.

  Definition vertex_work_code γ : val := (λ: "ctx", pool_vertex_run #(vx_loc γ) "ctx")%V.
  Definition vertex_main_inv γ v : iProp Σ :=
    ⌜v = #(vx_loc γ)⌝ ∗ (vx_loc γ +ₗ 1) ↦na□ #(vx_work γ) ∗ (vx_loc γ +ₗ 3) ↦□ #(vx_waits γ) ∗
    (vx_loc γ +ₗ 4) ↦□ #(vx_list γ) ∗ (vx_work γ +ₗ 0) ↦□ vertex_work_code γ ∗
    inv vertex_mainN (vertex_main γ).

  (** A successor [w] holds a token of the vertex [g]. *)
  Definition successor g w : iProp Σ :=
    ∃ γ k, vertex_main_inv γ w ∗ token γ k (Waits g).
  Fixpoint successors g (s : val) (ws : list val) : iProp Σ :=
    match ws with
    | [] => ⌜s = InjLV #1⌝
    | w :: ws =>
        ∃ (l : loc) rest, ⌜s = InjRV #l⌝ ∗ (l +ₗ 0) ↦na w ∗ (l +ₗ 1) ↦ rest ∗
          successor g w ∗ successors g rest ws
    end.
  Definition vertex_list γ (P Q : iProp Σ) : iProp Σ :=
    ∃ s, vx_list γ ↦ s ∗
      (⌜s = InjLV #0⌝ ∗ vertex_over γ ∗ □ Q ∗ (P ∨ vertex_consumer γ) ∨
       vertex_pending γ ∗ ∃ ws, successors (vx_id γ) s ws ∗ shares_at (vx_id γ) (length ws)).

  Definition vertex_inv γ v (P Q : iProp Σ) : iProp Σ :=
    vertex_main_inv γ v ∗ inv vertex_listN (vertex_list γ P Q).

  (** The exclusive right to the vertex, of its builder or its task. *)
  Definition vertex_model γ n task b : iProp Σ :=
    (vx_loc γ +ₗ 0) ↦na task ∗ (vx_loc γ +ₗ 2) ↦na #b ∗ task_block (vx_work γ) ∗
    vertex_pending γ ∗ token γ 0 Own ∗ vertex_half γ n true.

  Global Instance over_at_persistent g : Persistent (over_at g).
  Proof. apply _. Qed.
  Global Instance over_at_timeless g : Timeless (over_at g).
  Proof. apply _. Qed.
  Global Instance done_at_persistent g : Persistent (done_at g).
  Proof. apply _. Qed.
  Global Instance vertex_over_persistent γ : Persistent (vertex_over γ).
  Proof. apply _. Qed.
  Global Instance vertex_done_persistent γ : Persistent (vertex_done γ).
  Proof. apply _. Qed.
  Global Instance pred_at_persistent γ n g : Persistent (pred_at γ n g).
  Proof. apply _. Qed.
  Global Instance vertex_pred_persistent γ n γa : Persistent (vertex_pred γ n γa).
  Proof. apply _. Qed.
  Global Instance vertex_released_persistent γ : Persistent (vertex_released γ).
  Proof. apply _. Qed.
  Global Instance vertex_ready_persistent γ n : Persistent (vertex_ready γ n).
  Proof. apply _. Qed.
  Global Instance preds_ok_persistent n K D : Persistent (preds_ok n K D).
  Proof. apply _. Qed.
  Global Instance token_ok_timeless γ n k x : Timeless (token_ok γ n k x).
  Proof. destruct x as [|? []|]; apply _. Qed.
  Global Instance vertex_facts_timeless γ K n D b : Timeless (vertex_facts γ K n D b).
  Proof. apply _. Qed.
  Global Instance vertex_pushed_timeless γ : Timeless (vertex_pushed γ).
  Proof. apply _. Qed.
  Global Instance vertex_main_inv_persistent γ v : Persistent (vertex_main_inv γ v).
  Proof. apply _. Qed.
  Global Instance vertex_inv_persistent γ v P Q : Persistent (vertex_inv γ v P Q).
  Proof. apply _. Qed.

  (** ** Knowledge *)

  Lemma over_pending g : over_at g -∗ pending_at g -∗ False.
  Proof. iIntros "H1 H2". iDestruct (mono_nat_lb_own_valid with "H2 H1") as %[_ ?]. lia. Qed.
  Lemma vertex_done_over γ : vertex_done γ -∗ vertex_over γ.
  Proof. by iIntros "[$ _]". Qed.

  Lemma share_new g m : shares_at g m ==∗ shares_at g (S m) ∗ share_at g.
  Proof.
    iIntros "H". rewrite /shares_at /share_at -own_op. iApply (own_update with "H").
    apply (auth_update_alloc m (S m) 1), (nat_local_update m 0 (S m) 1). lia.
  Qed.
  Lemma share_drop g m : shares_at g (S m) -∗ share_at g ==∗ shares_at g m.
  Proof.
    iIntros "H1 H2". iMod (own_update_2 _ _ _ (● m ⋅ ◯ 0) with "H1 H2") as "[$ _]"; last done.
    apply (auth_update (S m) 1 m 0), nat_local_update. lia.
  Qed.
  Lemma shares_done g : over_at g -∗ shares_at g 0 ==∗ done_at g.
  Proof.
    iIntros "$ H". iApply (own_update with "H"). apply auth_update_auth_persist.
  Qed.
  Lemma share_done g : share_at g -∗ done_at g -∗ False.
  Proof.
    iIntros "H1 [_ H2]". iCombine "H2 H1" gives %(_ & Hle & _)%auth_both_dfrac_valid_discrete.
    apply nat_included in Hle. lia.
  Qed.

  Lemma key_agree γ k k' : vertex_key γ k -∗ vertex_key γ k' -∗ ⌜k = k'⌝.
  Proof. iIntros "H1 H2". iApply (ghost_var_agree with "H1 H2"). Qed.
  Lemma no_key_key γ k : vertex_no_key γ -∗ vertex_key γ k -∗ False.
  Proof. iIntros "[%k' H1] H2". by iDestruct (ghost_var_valid_2 with "H1 H2") as %[? _]. Qed.
  Lemma key_join γ k k' : vertex_key γ k -∗ vertex_key γ k' -∗ vertex_no_key γ.
  Proof.
    iIntros "H1 H2". iDestruct (key_agree with "H1 H2") as %->. iExists k'.
    iCombine "H1 H2" as "$".
  Qed.
  Lemma key_split γ k : vertex_no_key γ ==∗ vertex_key γ k ∗ vertex_key γ k.
  Proof.
    iIntros "[%k' H]". iMod (ghost_var_update k with "H") as "[$ $]". done.
  Qed.

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
  Lemma edges_add γ D q D' n g :
    own (vx_edges γ) (●F D) -∗ vertex_edges γ q D' ==∗
    own (vx_edges γ) (●F ({[(n, g)]} ∪ D)) ∗ vertex_edges γ q ({[(n, g)]} ∪ D').
  Proof.
    iIntros "H1 H2". rewrite /vertex_edges -own_op.
    iApply (own_update_2 with "H1 H2"). apply frac_auth_update.
    rewrite -!gset_op. by apply op_local_update_discrete.
  Qed.
  Lemma edges_all γ D D' : own (vx_edges γ) (●F D) -∗ vertex_edges γ 1 D' -∗ ⌜D = D'⌝.
  Proof. iIntros "H1 H2". by iCombine "H1 H2" gives %->%frac_auth_agree_L. Qed.
  (** Claim: The right to add predecessors may be split among several threads. *)
  Lemma vertex_edges_split γ q1 q2 D1 D2 :
    vertex_edges γ (q1 + q2) (D1 ∪ D2) ⊣⊢ vertex_edges γ q1 D1 ∗ vertex_edges γ q2 D2.
  Proof. by rewrite /vertex_edges -own_op -frac_auth_frag_op gset_op. Qed.
End vertex.
