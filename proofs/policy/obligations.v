(** The obligations of a policy that steals (policy/prove/balancing.ml), as
    propositions that are computed from the policy's text. *)

From dromos.policy Require Export transfer.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Section Obligations.

Variable P : policy.
Variable lmin : Z.

Let S := stealing P.

(** Nothing has happened yet. *)
Definition fresh_knowledge (f : option (nat -> Z)) : knowledge := Know true f false False.
Definition of_none : word -> Z := fun _ => 0.
Definition anywhere (_ : knowledge) (_ _ : Z) : Prop := True.

Definition in_phase_of (me x dst : Z) (chosen : list Z) (h m : option Z) (p : purpose) :=
  Context me x m h chosen (Some dst) p.

(** can_steal_core admits every core of two threads or more for an idle one. *)
Definition filter_complete : Prop :=
  forall n cg cd gs ds me x src dst l, core n src -> core n dst -> src <> dst ->
    wpe P n cg cd gs ds lmin (in_phase_of me x dst [] None None Looks)
      [(src, Busy 2); (dst, Idle)] of_none nobody false anywhere
      (can_steal_core S) (bind (bind l (filter_source S) src) (filter_destination S) dst)
      (fresh_knowledge None) (fun _ v => true_ v = true).

(** If there are filtered cores, select_core names a filtered core. *)
Definition select_member : Prop :=
  forall n cg cd gs ds me x dst a l, core n dst -> a <> [] ->
    (forall c, List.In c a -> core n c /\ c <> dst) ->
    wpe P n cg cd gs ds lmin (in_phase_of me x dst a None None Looks)
      [] of_none nobody false anywhere
      (select_core S) (bind l (destination S) dst)
      (fresh_knowledge None) (fun _ v => List.In v a).

(** The words of a source whose lock is held are exact. The candidate, whose
    attributes [f] gives, is ready there; each other thread weighs [lmin] or more. *)
Definition ready_words (W : word -> Z) : Z :=
  fold_right Z.add 0 (map (fun q => W (The_count_in q)) (ready P)).
Definition exact_words (W : word -> Z) (f : nat -> Z) : Prop :=
  (forall q, 0 <= W (The_count_in q)) /\
  1 <= ready_words W /\
  W (The_count_in (running P)) <= 1 /\
  W The_count = W (The_count_in (running P)) + ready_words W /\
  match load P with
  | None => W The_cload = W The_count
  | Some a => lmin <= f a /\ f a + lmin * (W The_count - 1) <= W The_cload
  end.

Definition candidate_attributes (f : nat -> Z) : option (nat -> Z) :=
  if thread_attributes P then None else Some f.

Definition taking (R : Z -> list (Z * role)) (wanted : (word -> Z) -> (nat -> Z) -> Prop)
    (at_move : (word -> Z) -> Z -> knowledge -> Z -> Z -> Prop)
    (Q : locals -> outcome -> knowledge -> Prop) : Prop :=
  forall n cg cd gs ds me x src dst t f W l,
    core n src -> core n dst -> src <> dst -> 0 <= t -> exact_words W f -> wanted W f ->
    wpb P n cg cd gs ds lmin (in_phase_of me x dst [] (Some src) (Some t) Takes)
      (R dst) W nobody false (at_move W t)
      (take S) (bind (bind (bind l (source S) src) (destination S) dst) (candidate S) t)
      (fresh_knowledge (candidate_attributes f)) Q.

(** steal_thread moves nothing but the candidate, once, and never the only thread
    of its core. *)
Definition steal_safe : Prop :=
  taking (fun _ => []) (fun _ _ => True)
    (fun W t K t' _ => known K = true /\ t' = t /\ 2 <= W The_count) (fun _ _ _ => True).

(** The candidate's load is [f a], and no thread has less than [lmin]. If the candidate
    is a lightest thread of a core with three threads or more, the core's load is at
    least that of the candidate, of another ready thread (no less than the candidate's),
    and of the running thread (no less than [lmin]). *)
Definition lightest (W : word -> Z) (f : nat -> Z) : Prop :=
  match load P with
  | None => True
  | Some a => 3 <= W The_count -> 2 * f a + lmin <= W The_cload
  end.

(** steal_thread takes a thread of a core with two or more threads for an idle core:
    the first offered thread, if the offering may be stopped; otherwise one of the
    lightest threads is enough. *)
Definition steal_progress : Prop :=
  taking (fun dst => [(dst, Idle)])
    (fun W f => 2 <= W The_count /\ (enough S = None -> lightest W f))
    (fun _ _ _ _ _ => True) (fun _ _ K => moved K = true).

(** The search goes on while the core that the handler steals for has no thread. *)
Definition until_sound : Prop :=
  forall n cg cd gs ds me x src dst e l, core n src -> core n dst -> src <> dst ->
    until_ S = Some e ->
    wpe P n cg cd gs ds lmin (in_phase_of me x dst [] None None Looks)
      [(dst, Idle)] of_none nobody false anywhere
      e (bind (bind l (source S) src) (destination S) dst)
      (fresh_knowledge None) (fun _ v => true_ v = false).

(** {1 Among groups} *)

(** can_steal_group admits each group with a core of two threads or more, for each
    group with an idle core, also for itself. *)
Definition group_filter_complete (b : by_group) : Prop :=
  forall n cg cd gs ds me x h g src dst l, core n src -> core n dst -> src <> dst ->
    List.In src (cg h) -> List.In dst (cg g) ->
    wpe P n cg cd gs ds lmin (in_phase_of me x dst [] None None Looks)
      [(src, Busy 2); (dst, Idle)] of_none nobody false anywhere
      (can_steal_group b)
      (bind (bind (bind l (destination S) dst) (group_filter_source b) h)
        (group_filter_destination b) g)
      (fresh_knowledge None) (fun _ v => true_ v = true).

Definition group_select_member (b : by_group) : Prop :=
  forall n cg cd gs ds me x g dst a l, core n dst -> a <> [] ->
    wpe P n cg cd gs ds lmin (in_phase_of me x dst a None None Looks)
      [] of_none nobody false anywhere
      (select_group b) (bind (bind l (destination S) dst) (destination_group b) g)
      (fresh_knowledge None) (fun _ v => List.In v a).

Definition group_until_sound (b : by_group) : Prop :=
  forall n cg cd gs ds me x h g dst e l, core n dst -> group_until b = Some e ->
    wpe P n cg cd gs ds lmin (in_phase_of me x dst [] None None Looks)
      [(dst, Idle)] of_none nobody false anywhere
      e (group_phase P b l h g dst) (fresh_knowledge None) (fun _ v => true_ v = false).

(** {1 The handler} *)

(** The target of stealing: a core; with groups also the group that holds the core in
    the core's domain [D]. *)
Definition aims (cg gs ds : Z -> list Z) (d D g : Z) : Prop :=
  match groups S with
  | None => True
  | Some _ => List.In D (ds d) /\ List.In g (gs D) /\ List.In d (cg g)
  end.
Definition the_aim (d D g : Z) : aim :=
  match groups S with None => Aim d (-1) [] [] | Some _ => Aim d g [D] [g] end.

(** balancing steals for every idle core. *)
Definition balance_complete : Prop :=
  forall n cg cd gs ds me d D g l, core n d -> aims cg gs ds d D g ->
    wpb P n cg cd gs ds lmin (Context me me None None [] None Looks)
      [(d, Idle)] of_none (the_aim d D g) true anywhere
      (body (balancing P)) l (fresh_knowledge None) (fun _ _ K => stolen K).

(** Only steal_thread moves threads, to queues; loads that are set are large. *)
Definition modest_option (e : option expr) : bool :=
  match e with Some e => modest_e P lmin false e | None => true end.
Definition texts_modest : bool :=
  modest_e P lmin false (can_steal_core S) && modest_e P lmin false (select_core S) &&
  modest P lmin true (take S) && modest_option (enough S) && modest_option (until_ S) &&
  modest P lmin false (body (balancing P)).

Record group_obligations (b : by_group) : Prop := {
  og_repeated : group_repeated b = true;
  og_modest : modest_e P lmin false (can_steal_group b) &&
    modest_e P lmin false (select_group b) && modest_option (group_until b) = true;
  og_filter : group_filter_complete b;
  og_select : group_select_member b;
  og_until : group_until_sound b;
}.

Record balancing_obligations : Prop := {
  ob_alone : alone P = true;
  ob_states : NoDup (runnable P);
  ob_unit : load P = None -> lmin = 1;
  ob_loads : forallb (at_least lmin) (loads P) = true;
  ob_modest : texts_modest = true;
  ob_repeated : repeated S = true;
  ob_filter : filter_complete;
  ob_select : select_member;
  ob_safe : steal_safe;
  ob_progress : steal_progress;
  ob_until : until_sound;
  ob_groups : match groups S with None => True | Some b => group_obligations b end;
  ob_complete : balance_complete;
}.

End Obligations.
