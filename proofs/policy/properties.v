(** The promises of doc/policy/semantics.md ("What is promised"), for every run on
    every machine. *)

From dromos.policy Require Export machine.

Local Open Scope Z_scope.

Section Properties.

Variable P : policy.
Variable n : Z.
Variable cores_of_group cores_of_domain groups_of domains_of : Z -> list Z.

(** True of each value that an expression assigned to the load may have, in any
    state. *)
Definition may_load (v : Z) : Prop :=
  exists e C l s s', List.In e (loads P) /\
    eval P n cores_of_group cores_of_domain groups_of domains_of (fun _ => True)
      no_stealing C l e s v s'.

(** The difference between queues and words that a move under way leaves. *)
Definition in_phase (p : phase) (q : nat) (there said : list Z) : Prop :=
  match p with
  | Free => Permutation there said
  | Left_queue t q' | Raised t q' | Shift_left t q' _ | Shift_raised t q' =>
      if (q =? q')%nat then Permutation (t :: there) said else Permutation there said
  | Shift_lowered _ _ => Permutation there said
  end.

(** A machine between steps of handlers, with moves under way on any cores. *)
Definition sound (s : state) : Prop :=
  (forall c q, List.In q (runnable P) -> in_phase (under_way s c) q (queue s c q) (counted s c q)) /\
  (forall c, match under_way s c with
    | Free => True
    | Left_queue _ q | Raised _ q | Shift_left _ _ q | Shift_lowered _ q
    | Shift_raised _ q => List.In q (runnable P)
    end) /\
  (forall c, match under_way s c with
    | Shift_left _ q _ => List.In q (runnable P) | _ => True end) /\
  (forall a t, load P = Some a -> may_load (attribute s t a)).

(** The number of threads, 0 or 1, that a move under way on a core makes the running
    thread there. *)
Definition runs_next (p : phase) : nat :=
  match p with
  | Raised _ q | Shift_left _ _ q | Shift_lowered _ q | Shift_raised _ q =>
      if (q =? running P)%nat then 1%nat else 0%nat
  | Free | Left_queue _ _ => 0%nat
  end.

(** At most one thread runs on each core. *)
Definition one_runs (s : state) : Prop :=
  forall c, (length (queue s c (running P)) + runs_next (under_way s c) <= 1)%nat.

(** A negative number means none: no thread has a negative number. *)
Definition threads_valid (s : state) : Prop :=
  forall c, (forall q t, List.In t (queue s c q) -> 0 <= t) /\
    match under_way s c with
    | Raised t _ | Shift_left t _ _ | Shift_lowered t _ | Shift_raised t _ => 0 <= t
    | Free | Left_queue _ _ => True
    end.

(** The states in which an event may begin. *)
Definition begins (s : state) : Prop :=
  sound s /\ hand s = [] /\ placed s = -1 /\
  (forall c, b s c = false /\ u s c = false) /\ one_runs s /\ threads_valid s.

Definition breaks (s : state) (c d : Z) : Prop :=
  core n c /\ core n d /\ overloaded P s c /\ u s c = false /\
  idle P s d /\ b s d = false /\ synch s d.

Definition runs steals C l t s l' o s' :=
  exec P n cores_of_group cores_of_domain groups_of domains_of may_load steals
    C l t s l' o s'.

Definition steals_by_text :=
  steals_for P n cores_of_group cores_of_domain groups_of domains_of may_load.

Definition others C := meanwhile P n may_load C.

(** GCWC of balancing, on any core: when balancing is over, no core is overloaded
    while another core is idle, except for cores that other handlers' events
    excuse. *)
Definition gcwc : Prop :=
  forall me l s l' o s1 s2, begins s ->
    let C := Context me me None None [] None Looks in
    runs steals_by_text C l (body (balancing P)) s l' o s1 ->
    others C s1 s2 ->
    forall c d, ~ breaks s2 c d.

(** HCWC of balancing: no group of k cores has more than k threads while another
    group has fewer threads than cores, except for groups that other handlers'
    events excuse. *)
Definition threads_of (s : state) (g : Z) : Z := sum (real P s) (cores_of_group g).
Definition width (g : Z) : Z := Z.of_nat (length (cores_of_group g)).

Definition breaks_groups (s : state) (h g : Z) : Prop :=
  width h < threads_of s h /\ (forall c, List.In c (cores_of_group h) -> u s c = false) /\
  threads_of s g < width g /\
  (forall c, List.In c (cores_of_group g) -> b s c = false /\ synch s c).

Definition hcwc : Prop :=
  forall me l s l' o s1 s2, begins s ->
    let C := Context me me None None [] None Looks in
    runs steals_by_text C l (body (balancing P)) s l' o s1 ->
    others C s1 s2 ->
    forall h g, ~ breaks_groups s2 h g.

(** LCWC of new or unblock: the same as GCWC, for the core that the handler puts its
    thread on. Before, the thread is on no core. *)
Definition lcwc (text : block) (exempt : expr) : Prop :=
  forall me t l s v s0 l' o s1 s2, begins s -> 0 <= t ->
    (forall c, ~ List.In t (spoken_of P s c)) ->
    let C := Context me t (Some t) None [] None Places in
    eval P n cores_of_group cores_of_domain groups_of domains_of may_load no_stealing
      C l exempt s v s0 -> true_ v = false ->
    runs no_stealing C l text s0 l' o s1 ->
    others C s1 s2 ->
    forall d, ~ breaks s2 (placed s2) d.

End Properties.

(** Assumptions about groups and domains: groups consist of cores, and each group is
    in one domain; each core has a domain whose groups together have all cores. *)
Record topology (n : Z) (cores_of_group groups_of domains_of : Z -> list Z) : Prop := {
  groups_have_cores : forall g c, List.In c (cores_of_group g) -> core n c;
  in_one_domain : forall g d d', List.In g (groups_of d) -> List.In g (groups_of d') -> d = d';
  in_the_widest : forall c, core n c -> exists d, List.In d (domains_of c) /\
    forall c', core n c' -> exists g, List.In g (groups_of d) /\ List.In c' (cores_of_group g);
}.

(** On every machine: any number of cores, any groups and domains. *)
Definition GCWC (P : policy) : Prop :=
  forall n cores_of_group cores_of_domain groups_of domains_of, 1 <= n ->
    topology n cores_of_group groups_of domains_of ->
    gcwc P n cores_of_group cores_of_domain groups_of domains_of.
Definition HCWC (P : policy) : Prop :=
  forall n cores_of_group cores_of_domain groups_of domains_of, 1 <= n ->
    topology n cores_of_group groups_of domains_of ->
    hcwc P n cores_of_group cores_of_domain groups_of domains_of.

(** No handler steals while a thread is placed: otherwise no placement would have
    the property. *)
Definition nobody_steals (P : policy) : policy :=
  {| running := running P; ready := ready P; load := load P; loads := loads P;
     thread_attributes := thread_attributes P; stealing := stealing P;
     balancing := Handler true (body (balancing P)); others_steal := [];
     on_new := on_new P; on_unblock := on_unblock P;
     exempt_new := exempt_new P; exempt_unblock := exempt_unblock P |}.

Definition LCWC_of_new (P : policy) : Prop :=
  forall n cores_of_group cores_of_domain groups_of domains_of, 1 <= n ->
    lcwc (nobody_steals P) n cores_of_group cores_of_domain groups_of domains_of
      (on_new P) (exempt_new P).
Definition LCWC_of_unblock (P : policy) : Prop :=
  forall n cores_of_group cores_of_domain groups_of domains_of, 1 <= n ->
    lcwc (nobody_steals P) n cores_of_group cores_of_domain groups_of domains_of
      (on_unblock P) (exempt_unblock P).
