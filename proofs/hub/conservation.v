(** Work conservation: no task waits while the workers that may run the task sleep and
    no worker is awake for the task. The theorem is about any hub that overlooks nothing
    ([hub_conserving.v]), together with waiters (base/waiters_state.v).

    The protocol is the pool's. A publisher puts a task into the hub, and then notifies.
    A worker that finds nothing announces its sleep, looks once more, and commits to
    sleeping if the worker finds nothing again. [conservation_publish.v] and
    [conservation_take.v] prove the operations; this file has the invariant and its
    consequences.

    {b State.} Publications are numbered: [conservation_model γ L] says that the hub
    holds the tasks of the publications [L], by number. Each publication has a status.
    The last two are final ([conservation_decided γ k x s]):

     status         meaning
     Undecided ms   the publisher is still at work
     Woken j m      the notification went to announcement m of worker j
     Unneeded       no worker was there to be woken

    For each worker [i], [conservation_looked γ i m] has the number [m] of the last
    announcement after which worker [i] found, at some instant, nothing in the hub that
    worker [i] may run. Worker [i] {e sleeps} if its last announcement has the number
    [m] and is not over.

    {b Invariant}, for each task in the hub, and each worker [i] that may run the task
    and has last looked in its announcement [m]:

     status         invariant
     Undecided ms   ms has m for worker i
     Woken j m'     announcement m' of worker j is over, and worker j, which may run
                    the task, has not looked in a later announcement
     Unneeded       announcement m of worker i is over

    In the first row the look came before the publication, since a later look would have
    seen the task. In the last row the publisher knew of announcement [m], and the
    notification told the publisher that all announcements it knew of were over
    ([waiters_notify_one_spec]).

    A look preserves the invariant, because at its instant the worker may run no task of
    the hub.

    {b Consequence} ([conservation_task]). Take a task in the hub whose publisher has
    finished, and a worker that may run the task. Then one of these is true:
    - The worker does not sleep: its announcement is over, so its wake-up is in place
      ([waiters_wakeup]).
    - Another worker that may run the task was woken for the task, and has not found the
      hub empty since then.

    In particular ([conservation_no_deadlock]) the workers never all sleep while a task
    waits whose publisher has finished. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants ghost_var ghost_map.
From iris.program_logic Require Import atomic.
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.lang Require Import prelude.
From dromos.base Require Import waiters_state.
From dromos.hub Require Import hub_spec.

(** The status of a publication. [looks] has, for each worker, the announcement in which
    the worker had last looked when the task was published. *)
Inductive conservation_status :=
  | Undecided (looks : list nat) | Woken (j m : nat) | Unneeded.

Definition dromosN : namespace := nroot .@ "dromos".
Definition conservationN : namespace := dromosN .@ "conservation".

Class conservationG Σ := ConservationG {
  #[local] conservation_waitersG :: waitersG Σ;
  #[local] conservation_liveG :: ghost_varG Σ (gmap nat hub_item);
  #[local] conservation_publishedG :: ghost_mapG Σ nat (hub_item * conservation_status);
  #[local] conservation_looksG :: ghost_mapG Σ nat nat;
}.
Definition conservationΣ : gFunctors :=
  #[waitersΣ; ghost_varΣ (gmap nat hub_item);
    ghost_mapΣ nat (hub_item * conservation_status); ghost_mapΣ nat nat].
Global Instance subG_conservationΣ Σ : subG conservationΣ Σ → conservationG Σ.
Proof. solve_inG. Qed.

Record conservation_names (hub_name : Type) := ConservationNames {
  cn_hub : hub_name;
  cn_waiters : waiters_names;
  cn_live : gname;
  cn_published : gname;
  cn_looks : gname;
}.
Global Arguments cn_hub {_}.
Global Arguments cn_waiters {_}.
Global Arguments cn_live {_}.
Global Arguments cn_published {_}.
Global Arguments cn_looks {_}.

(** The tasks of the publications [L]. *)
Definition conservation_items (L : gmap nat hub_item) : hub_items :=
  list_to_set_disj (map_to_list L).*2.

Lemma conservation_items_insert L k x :
  L !! k = None →
  conservation_items (<[k := x]> L) = conservation_items L ⊎ {[+ x +]}.
Proof.
  intros Hk. rewrite /conservation_items.
  rewrite (list_to_set_disj_perm _ (x :: (map_to_list L).*2)) /=; first by rewrite comm_L.
  by rewrite map_to_list_insert.
Qed.
Lemma conservation_items_delete L k x :
  L !! k = Some x → conservation_items L = conservation_items (delete k L) ⊎ {[+ x +]}.
Proof.
  intros Hk. rewrite -(conservation_items_insert _ k); last apply lookup_delete.
  by rewrite insert_delete.
Qed.
Lemma conservation_items_elem L x :
  x ∈ conservation_items L ↔ ∃ k, L !! k = Some x.
Proof.
  rewrite elem_of_list_to_set_disj elem_of_list_fmap. split.
  - intros ([k y] & -> & Hk%elem_of_map_to_list). by exists k.
  - intros [k Hk]. exists (k, x). split; first done. by apply elem_of_map_to_list.
Qed.

Section conservation.
  Context `{!heapGS Σ, !hub_spec Σ, !conservationG Σ}.
  Implicit Types (γ : conservation_names hub_name) (L : gmap nat hub_item).
  Implicit Types (P : gmap nat (hub_item * conservation_status)) (K looks : gmap nat nat).
  Implicit Types (o : hub_ops) (w : val) (n i j m k : nat) (x : hub_item).
  Implicit Types (s : conservation_status).

  Definition conservation_made γ := waiters_made γ.(cn_waiters).
  Definition conservation_over γ := waiters_over γ.(cn_waiters).

  (** Publication [k], of task [x], has the final status [s]. *)
  Definition conservation_decided γ k x s : iProp Σ :=
    k ↪[γ.(cn_published)]□ (x, s) ∗ ⌜∀ ms, s ≠ Undecided ms⌝.
  Definition conservation_looked γ i m : iProp Σ := i ↪[γ.(cn_looks)] m.
  Definition conservation_model γ L : iProp Σ :=
    hub_model γ.(cn_hub) (conservation_items L) ∗ ghost_var γ.(cn_live) (1/2) L.

  (** The invariant for task [x], whose publication has status [s], and worker [i],
      which may run [x] and has last looked in announcement [m]. [K] has the last looks
      of all workers. *)
  Definition conservation_known γ K x s i m : iProp Σ :=
    match s with
    | Undecided ms => ⌜ms !! i = Some m⌝
    | Woken j m' => conservation_over γ j m' ∗
        ⌜hub_runs j x ∧ ∀ m'', K !! j = Some m'' → m'' ≤ m'⌝
    | Unneeded => conservation_over γ i m
    end.
  Definition conservation_all_known γ L P K : iProp Σ :=
    □ ∀ k x s i m, ⌜L !! k = Some x⌝ -∗ ⌜P !! k = Some (x, s)⌝ -∗ ⌜hub_runs i x⌝ -∗
        ⌜K !! i = Some m⌝ -∗ conservation_known γ K x s i m.
  Definition conservation_inner γ n : iProp Σ :=
    ∃ L P K, ghost_var γ.(cn_live) (1/2) L ∗
      ghost_map_auth γ.(cn_published) 1 P ∗ ghost_map_auth γ.(cn_looks) 1 K ∗
      ⌜∀ k x, L !! k = Some x → ∃ s, P !! k = Some (x, s)⌝ ∗
      ⌜∀ i, is_Some (K !! i) ↔ i < n⌝ ∗
      □ (∀ i m, ⌜K !! i = Some m⌝ -∗ conservation_made γ i m) ∗
      conservation_all_known γ L P K.
  Definition conservation_inv γ o w n : iProp Σ :=
    hub_inv o γ.(cn_hub) n ∗ waiters_inv (λ _, True)%I γ.(cn_waiters) w ∗
    ⌜waiters_size γ.(cn_waiters) = n⌝ ∗ inv conservationN (conservation_inner γ n).

  Global Instance conservation_known_persistent γ K x s i m :
    Persistent (conservation_known γ K x s i m).
  Proof. destruct s; apply _. Qed.
  Global Instance conservation_known_timeless γ K x s i m :
    Timeless (conservation_known γ K x s i m).
  Proof. destruct s; apply _. Qed.
  Global Instance conservation_all_known_persistent γ L P K :
    Persistent (conservation_all_known γ L P K).
  Proof. apply _. Qed.
  Global Instance conservation_all_known_timeless γ L P K :
    Timeless (conservation_all_known γ L P K).
  Proof. apply _. Qed.
  Global Instance conservation_inner_timeless γ n : Timeless (conservation_inner γ n).
  Proof. apply _. Qed.
  Global Instance conservation_inv_persistent γ o w n :
    Persistent (conservation_inv γ o w n).
  Proof. apply _. Qed.
  Global Instance conservation_decided_persistent γ k x s :
    Persistent (conservation_decided γ k x s).
  Proof. apply _. Qed.

  (** ** Changes of the state *)

  (** A publisher that remembers all last looks publishes a task. *)
  Lemma conservation_known_publish γ L P K k x ms :
    P !! k = None → L !! k = None → (∀ i m, K !! i = Some m → ms !! i = Some m) →
    conservation_all_known γ L P K -∗
    conservation_all_known γ (<[k := x]> L) (<[k := (x, Undecided ms)]> P) K.
  Proof.
    iIntros (HP HL Hms) "#H !>". iIntros (k' x' s i m Hk' HPk' Hi Hm).
    destruct (decide (k' = k)) as [->|Hne].
    - rewrite lookup_insert in HPk'. injection HPk' as <- <-. iPureIntro. by apply Hms.
    - rewrite lookup_insert_ne // in Hk'. rewrite lookup_insert_ne // in HPk'.
      by iApply "H".
  Qed.
  (** A worker takes a task. *)
  Lemma conservation_known_take γ L P K k :
    conservation_all_known γ L P K -∗ conservation_all_known γ (delete k L) P K.
  Proof.
    iIntros "#H !>". iIntros (k' x' s i m [_ Hk']%lookup_delete_Some HPk' Hi Hm).
    by iApply "H".
  Qed.
  (** A worker looks, and may run no task of the hub. *)
  Lemma conservation_known_look γ L P K i m :
    hub_foreign i (conservation_items L) →
    conservation_all_known γ L P K -∗ conservation_all_known γ L P (<[i := m]> K).
  Proof.
    iIntros (Hforeign) "#H !>". iIntros (k x s j mj Hk HPk Hj Hmj).
    assert (∀ j', hub_runs j' x → j' ≠ i) as Hne.
    { intros j' Hj' ->. apply (Hforeign x); last done. apply conservation_items_elem. by exists k. }
    rewrite lookup_insert_ne in Hmj; last (symmetry; by apply Hne).
    iDestruct ("H" with "[//] [//] [//] [//]") as "Hknown".
    destruct s as [ms|j' m'|]; simpl; [done| |done].
    iDestruct "Hknown" as "[$ %Hj']". iPureIntro. split; first naive_solver.
    intros m''. rewrite lookup_insert_ne; last (symmetry; by apply Hne, Hj'). apply Hj'.
  Qed.
  (** A publication gets its final status. *)
  Lemma conservation_known_decide γ L P K k x ms s :
    P !! k = Some (x, Undecided ms) →
    conservation_all_known γ L P K -∗
    □ (∀ i m, ⌜hub_runs i x⌝ -∗ ⌜K !! i = Some m⌝ -∗
         ⌜∀ j m', hub_runs j x → K !! j = Some m' → ms !! j = Some m'⌝ -∗
         conservation_known γ K x s i m) -∗
    conservation_all_known γ L (<[k := (x, s)]> P) K.
  Proof.
    iIntros (HP) "#H #Hs !>". iIntros (k' x' s' i m Hk' HPk' Hi Hm).
    destruct (decide (k' = k)) as [->|Hne].
    - rewrite lookup_insert in HPk'. injection HPk' as <- <-. iApply "Hs"; [done..|].
      iIntros (j m' Hj Hm'). by iApply ("H" $! k x (Undecided ms) j m').
    - rewrite lookup_insert_ne // in HPk'. by iApply "H".
  Qed.

  (** ** Consequences *)

  Local Lemma conservation_looked_lookup γ K looks :
    ghost_map_auth γ.(cn_looks) 1 K -∗
    ([∗ map] i ↦ m ∈ looks, conservation_looked γ i m) -∗ ⌜looks ⊆ K⌝.
  Proof. iIntros "HK Hlooks". by iApply (ghost_map_lookup_big with "HK Hlooks"). Qed.

  (** Claim: Work conservation: take a task in the hub whose publisher has finished, and
      a worker that may run the task. At any instant one of two statements is true. The
      worker does not sleep: its announcement is over, so its wake-up is in place. Or a
      worker that may run the task was woken for the task, and has not found the hub
      empty in a later announcement. *)
  Theorem conservation_task γ o w n L k x s looks i m :
    L !! k = Some x → hub_runs i x → looks !! i = Some m →
    conservation_inv γ o w n -∗ conservation_model γ L -∗ conservation_decided γ k x s -∗
    ([∗ map] i ↦ m ∈ looks, conservation_looked γ i m) ={⊤}=∗
    conservation_model γ L ∗ ([∗ map] i ↦ m ∈ looks, conservation_looked γ i m) ∗
    (conservation_over γ i m ∨
     ∃ j m', ⌜s = Woken j m' ∧ hub_runs j x ∧ ∀ m'', looks !! j = Some m'' → m'' ≤ m'⌝ ∗
       conservation_over γ j m').
  Proof.
    iIntros (Hk Hi Hm) "(#Ih & #Iw & %Hn & #I) [HM HL] [#Hs %Hs] Hlooks".
    iInv "I" as (L' P K) ">(HL' & HP & HK & %HLP & %HKn & #Hmade & #Hknown)".
    iDestruct (ghost_var_agree with "HL HL'") as %<-.
    iDestruct (ghost_map_lookup with "HP Hs") as %HPk.
    iDestruct (conservation_looked_lookup with "HK Hlooks") as %HK.
    iDestruct ("Hknown" $! k x s i m with "[//] [//] [//] [%]") as "#H".
    { by eapply lookup_weaken. }
    iModIntro. iSplitL "HL' HP HK".
    { iExists L, P, K. iFrame "HL' HP HK Hmade Hknown". done. }
    iModIntro. iFrame "HM HL Hlooks". destruct s as [ms|j m'|]; simpl.
    - by destruct (Hs ms).
    - iRight. iExists j, m'. iDestruct "H" as "[$ %H]". iPureIntro.
      destruct H as [Hj H]. split_and!; [done|done|]. intros m'' Hm''. apply H.
      by eapply lookup_weaken.
    - by iLeft.
  Qed.

  (** Claim: The workers never all sleep while a task waits whose publisher has
      finished: a worker that may run the task has its wake-up in place. *)
  Theorem conservation_no_deadlock γ o w n L k x s looks i :
    L !! k = Some x → hub_runs i x → i < n → (∀ j, j < n → is_Some (looks !! j)) →
    conservation_inv γ o w n -∗ conservation_model γ L -∗ conservation_decided γ k x s -∗
    ([∗ map] i ↦ m ∈ looks, conservation_looked γ i m) ={⊤}=∗
    conservation_model γ L ∗ ([∗ map] i ↦ m ∈ looks, conservation_looked γ i m) ∗
    ∃ j m, ⌜j < n ∧ hub_runs j x ∧ looks !! j = Some m⌝ ∗ conservation_over γ j m.
  Proof.
    iIntros (Hk Hi Hin Hall) "#I HL #Hs Hlooks". destruct (Hall i Hin) as [m Hm].
    iMod (conservation_task with "I HL Hs Hlooks") as "($ & $ & #H)"; [done..|].
    iDestruct "H" as "[H|(%j & %m' & %Hj & H)]"; iModIntro.
    { iExists i, m. by iFrame "H". }
    destruct Hj as (-> & Hj & Hle). iDestruct "I" as "(_ & _ & %Hn & _)".
    iDestruct (waiters_over_size with "H") as %Hjn. rewrite Hn in Hjn.
    destruct (Hall j Hjn) as [m'' Hm'']. iExists j, m''. iSplit; first done.
    iApply (waiters_over_le with "H"). by apply Hle.
  Qed.
End conservation.
