(** Weakest preconditions of a policy's expressions and statements: the condition
    under which every run of the text ends well, as a proposition that is computed
    from the text.

    A look at another core gives any number that fits the assumptions about the core
    ([R]: looks.v); other data that other handlers set may have any value. The
    calculus treats the iterations of a loop one by one, from any values of the
    variables that the loop changes. After a loop, the iterations at the cores of
    [R] are known to have ended. *)

From dromos.policy Require Export moves.
From Coq Require Import Lia.

Local Open Scope Z_scope.

Record knowledge := Know {
  known : bool;  (** the assumptions about [R] and about the locked core still hold *)
  attrs : option (nat -> Z);  (** the same, for the handler's own thread *)
  moved : bool;
  stolen : Prop;  (** a thread was stolen for the core in question *)
}.

Definition with_attrs K f := Know (known K) f (moved K) (stolen K).
Definition with_stolen K p := Know (known K) (attrs K) (moved K) p.
Definition after_move K := Know false None true (stolen K).

(** The target of stealing, if there is one: a core, and a group that holds the core;
    and the domains and groups on the way to the core that loops go through. *)
Record aim := Aim {
  aim_core : Z;
  aim_group : Z;  (** -1: no group is named *)
  aim_domains : list Z;
  aim_groups : list Z;
}.
Definition nobody : aim := Aim (-1) (-1) [] [].

(** {1 The data that a text sets} *)

Fixpoint sets_e (e : expr) : bool :=
  match e with
  | Num _ | Local _ | Self | Target | Global _ => false
  | Attribute e _ | Cload e | Runnable e | Count e _ | Valid e | Not e | Minus e => sets_e e
  | First s _ | Any s | Empty s => sets_s s
  | In e s => sets_e e || sets_s s
  | And a b | Or a b | Op _ a b => sets_e a || sets_e b
  | If_else c a b => sets_e c || sets_e a || sets_e b
  | Call a b => sets_a a || sets_b b
  end
with sets_a (a : args) : bool :=
  match a with No_args => false | Arg _ e r => sets_e e || sets_a r end
with sets_s (s : set) : bool :=
  match s with
  | All_cores | Idle_cores | Active_cores | Filtered => false
  | Cores_of_group e | Cores_of_domain e | Groups_of e | Domains_of e | Threads_in e _ => sets_e e
  end
with sets_d (t : statement) : bool :=
  match t with
  | Set_attribute _ _ _ | Set_global _ _ => true
  | Set_local _ e | Return e | Do e => sets_e e
  | Steal_for g e => sets_e g || sets_e e
  | Move a b _ => sets_e a || sets_e b
  | If c a b => sets_e c || sets_b a || sets_b b
  | Foreach _ s _ b => sets_s s || sets_b b
  | Break | Return_nothing => false
  end
with sets_b (b : block) : bool :=
  match b with Done => false | Then t r => sets_d t || sets_b r end.

Fixpoint assigned_d (t : statement) : list nat :=
  match t with
  | Set_local x _ => [x]
  | If _ a b => assigned_b a ++ assigned_b b
  | Foreach x _ _ b => x :: assigned_b b
  | _ => []
  end
with assigned_b (b : block) : list nat :=
  match b with Done => [] | Then t r => assigned_d t ++ assigned_b r end.

(** Locals after a change of the locals in [xs]: nothing is known about those. *)
Definition forget (xs : list nat) (l g : locals) : locals :=
  fun y => if existsb (Nat.eqb y) xs then g y else l y.

Section Wp.

Variable P : policy.
Variable n : Z.
Variable cores_of_group cores_of_domain groups_of domains_of : Z -> list Z.
Variable lmin : Z.
Variable C : context.
Variable R : list (Z * role).
Variable W : word -> Z.  (** the words of the locked core *)
Variable d : aim.
Variable steals_allowed : bool.
Variable at_move : knowledge -> Z -> Z -> Prop.  (** to be shown where a thread is moved *)

(** {1 Looks} *)

Definition of_look (K : knowledge) (c : Z) (w : word) (v : Z) : Prop :=
  if known K then
    said P lmin R c w v /\
    match held C with Some h => c = h -> v = W w | None => True end
  else True.

(** The numbers of threads that looks at the listed cores gave. *)
Fixpoint looked_at (K : knowledge) (l : list Z) (v : Z -> Z) : Prop :=
  match l with
  | [] => True
  | c :: r => of_look K c The_count (v c) /\ looked_at K r v
  end.

Definition of_key (K : knowledge) (k : key) (x v : Z) : Prop :=
  match word_of (what k) with Some w => of_look K x w v | None => True end.

(** [x] does not come before [v] in the order. *)
Fixpoint ordered (K : knowledge) (order : list key) (v x : Z) : Prop :=
  match order with
  | [] => True
  | k :: r => exists a b, of_key K k v a /\ of_key K k x b /\
      ((if lowest k then a < b else b < a) \/ a = b /\ ordered K r v x)
  end.

Definition places_of_R : list Z := map fst R.

(** The places at which facts about all members of the set are used: the groups or
    domains of the steal's target, or the cores of [R]; none for a set of threads. *)
Definition roles_in (s : set) : list Z :=
  match s with
  | Groups_of _ => aim_groups d
  | Domains_of _ => aim_domains d
  | Threads_in _ _ => []
  | _ => places_of_R
  end.

Definition of_first (K : knowledge) (order : list key) (mem : Z -> Prop) (v : Z) : Prop :=
  (v = -1 /\ forall x, ~ mem x) \/
  (mem v /\ forall x, List.In x places_of_R -> mem x -> ordered K order v x).

Definition of_attribute (K : knowledge) (c : Z) (a : nat) (v : Z) : Prop :=
  match attrs K, mine C with
  | Some f, Some t => c = t -> v = f a
  | _, _ => True
  end.

Definition set_attrs (K : knowledge) (a : nat) (v : Z) : knowledge :=
  with_attrs K (match attrs K with
    | Some f => Some (fun i => if (i =? a)%nat then v else f i)
    | None => None end).

(** {1 Loops} *)

Definition around (K : knowledge) (touches : bool) (f : nat -> Z) : knowledge :=
  if touches then with_attrs K (match attrs K with Some _ => Some f | None => None end)
  else K.

(** An iteration that ends normally has moved no thread and, if [touches] is false,
    has changed no known attribute of the handler's own thread. *)
Definition stays (touches : bool) (K K' : knowledge) : Prop :=
  known K' = known K /\ moved K' = moved K /\ (stolen K -> stolen K') /\
  (if touches then (attrs K = None <-> attrs K' = None) else attrs K' = attrs K).

Section Falls.
Variable body : locals -> knowledge -> (locals -> outcome -> knowledge -> Prop) -> Prop.
Variable x : nat.
Variable xs : list nat.
Variable touches : bool.
Variable l : locals.
Variable K : knowledge.
Variable mem : Z -> Prop.
Variable Q : locals -> outcome -> knowledge -> Prop.

(** The condition on an iteration at any member. If the iteration ends normally,
    [stays] holds; if the iteration leaves the loop, the postcondition of the loop
    holds. *)
Definition leaves_at : Prop :=
  forall g f v, mem v ->
    body (bind (forget xs l g) x v) (around K touches f) (fun l' o K' =>
      match o with
      | Normal => stays touches (around K touches f) K'
      | Broke => Q l' Normal K'
      | Returned w => Q l' (Returned w) K'
      end).

(** The condition on a loop that ends after all iterations: the iterations at the
    places [at_], as far as these are members, ended normally, and then the
    postcondition of the loop holds. *)
Fixpoint falls_through (at_ : list Z) (p : Prop) : Prop :=
  match at_ with
  | [] => forall g f, Q (forget xs l g) Normal (with_stolen (around K touches f) p)
  | i :: r =>
      (~ mem i -> falls_through r p) /\
      (mem i -> forall g f,
        body (bind (forget xs l g) x i) (around K touches f) (fun _ o K' =>
          match o with Normal => falls_through r (p \/ stolen K') | _ => True end))
  end.
End Falls.

(** A call ends with a fact from which the continuation follows. The continuation
    thus stands once in the proposition, and not once for each path of the call. *)
Definition called (body : (locals -> outcome -> knowledge -> Prop) -> Prop)
    (Q : knowledge -> Z -> Prop) : Prop :=
  exists I : knowledge -> Z -> Prop,
    body (fun _ o K =>
      match o with Returned v => I K v | Normal => I K 0 | Broke => True end) /\
    forall K v, I K v -> Q K v.

(** {1 The text} *)

Fixpoint wpe (e : expr) (l : locals) (K : knowledge) (Q : knowledge -> Z -> Prop) : Prop :=
  match e with
  | Num v => Q K v
  | Local x => Q K (l x)
  | Self => Q K (self C)
  | Target => Q K (target C)
  | Attribute e a => wpe e l K (fun K c => forall v, of_attribute K c a v -> Q K v)
  | Global _ => forall v, Q K v
  | Cload e => wpe e l K (fun K c => forall v, of_look K c The_cload v -> Q K v)
  | Runnable e => wpe e l K (fun K c => forall v, of_look K c The_count v -> Q K v)
  | Count e q => wpe e l K (fun K c => forall v, of_look K c (The_count_in q) v -> Q K v)
  | First s order => wps s l K (fun K mem => forall v, of_first K order mem v -> Q K v)
  | Any s => wps s l K (fun K mem => forall v,
      (v = -1 /\ forall x, ~ mem x) \/ mem v -> Q K v)
  | Empty s => wps s l K (fun K mem =>
      ((forall x, ~ mem x) -> Q K 1) /\ ((exists x, mem x) -> Q K 0))
  | Valid e => wpe e l K (fun K v => Q K (truth (0 <=? v)))
  | In e s => wpe e l K (fun K v => wps s l K (fun K mem =>
      (mem v -> Q K 1) /\ (~ mem v -> Q K 0)))
  | Not e => wpe e l K (fun K v => Q K (truth (negb (true_ v))))
  | Minus e => wpe e l K (fun K v => Q K (- v))
  | And a b => wpe a l K (fun K v =>
      (true_ v = false -> Q K 0) /\
      (true_ v = true -> wpe b l K (fun K v' => Q K (truth (true_ v')))))
  | Or a b => wpe a l K (fun K v =>
      (true_ v = true -> Q K 1) /\
      (true_ v = false -> wpe b l K (fun K v' => Q K (truth (true_ v')))))
  | Op o a b => wpe a l K (fun K v => wpe b l K (fun K v' => Q K (operate o v v')))
  | If_else c a b => wpe c l K (fun K v =>
      (true_ v = true -> wpe a l K Q) /\ (true_ v = false -> wpe b l K Q))
  | Call a b => wpa a l l K (fun l' K => called (wpb b l' K) Q)
  end
with wpa (a : args) (l l' : locals) (K : knowledge) (Q : locals -> knowledge -> Prop) : Prop :=
  match a with
  | No_args => Q l' K
  | Arg x e r => wpe e l K (fun K v => wpa r l (bind l' x v) K Q)
  end
with wps (s : set) (l : locals) (K : knowledge) (Q : knowledge -> (Z -> Prop) -> Prop) : Prop :=
  match s with
  | All_cores => Q K (core n)
  | Idle_cores => forall v, looked_at K places_of_R v -> Q K (fun x => core n x /\ v x = 0)
  | Active_cores => forall v, looked_at K places_of_R v -> Q K (fun x => core n x /\ v x <> 0)
  | Filtered => Q K (fun x => List.In x (filtered C))
  | Cores_of_group e => wpe e l K (fun K g => Q K (fun x => List.In x (cores_of_group g)))
  | Cores_of_domain e => wpe e l K (fun K g => Q K (fun x => List.In x (cores_of_domain g)))
  | Groups_of e => wpe e l K (fun K g => Q K (fun x => List.In x (groups_of g)))
  | Domains_of e => wpe e l K (fun K g => Q K (fun x => List.In x (domains_of g)))
  | Threads_in e _ => wpe e l K (fun K _ => forall p, Q K p)
  end
with wpd (t : statement) (l : locals) (K : knowledge)
    (Q : locals -> outcome -> knowledge -> Prop) : Prop :=
  match t with
  | Set_local x e => wpe e l K (fun K v => Q (bind l x v) Normal K)
  | Set_attribute e a e' => wpe e l K (fun K c => wpe e' l K (fun K v =>
      (load P = Some a -> held C = None /\ lmin <= v) /\
      match mine C with
      | Some t => (c = t -> Q l Normal (set_attrs K a v)) /\ (c <> t -> Q l Normal K)
      | None => Q l Normal K
      end))
  | Set_global _ e => wpe e l K (fun K _ => Q l Normal K)
  | Move e e' _ => wpe e l K (fun K t => wpe e' l K (fun K c =>
      (t < 0 \/ ~ core n c -> Q l Normal K) /\
      (0 <= t -> core n c -> at_move K t c /\ Q l Normal (after_move K))))
  | If c a b => wpe c l K (fun K v =>
      (true_ v = true -> wpb a l K Q) /\ (true_ v = false -> wpb b l K Q))
  | Foreach x s order b => wps s l K (fun K mem =>
      leaves_at (wpb b) x (x :: assigned_b b) (sets_b b) l K mem Q /\
      falls_through (wpb b) x (x :: assigned_b b) (sets_b b) l K mem Q
        (roles_in s) (stolen K))
  | Break => Q l Broke K
  | Return_nothing => Q l (Returned 0) K
  | Return e => wpe e l K (fun K v => Q l (Returned v) K)
  | Steal_for e e' => wpe e l K (fun K g => wpe e' l K (fun K c =>
      steals_allowed = true /\
      Q l Normal (with_stolen K (stolen K \/ g = aim_group d /\ c = aim_core d))))
  | Do e => wpe e l K (fun K _ => Q l Normal K)
  end
with wpb (b : block) (l : locals) (K : knowledge)
    (Q : locals -> outcome -> knowledge -> Prop) : Prop :=
  match b with
  | Done => Q l Normal K
  | Then t r => wpd t l K (fun l o K =>
      match o with Normal => wpb r l K Q | _ => Q l o K end)
  end.

End Wp.
