(** The machine of doc/policy/semantics.md: one handler of a policy runs by its text,
    while the other handlers take any steps that their events allow.

    The semantics is big-step, with the steps of the other handlers inside: any
    number of them comes before each look at data that others may change, before
    each lock, and before each fragment of a move. The ends of a run are thus the
    ends of all interleavings. The other handlers are bound by the table of events,
    not by the policy's text, so they can do more here than in fact; the theorems
    hold for all the real runs among these. *)

From dromos.policy Require Export syntax.

Local Open Scope Z_scope.

(** {1 States} *)

(** The progress of a move under way on a core: the fragment that was done last. The
    handler that makes the move holds the core's lock until the last fragment. *)
Inductive phase :=
  | Free
  | Left_queue (t : Z) (q : nat)  (** fragment 1 of a thread that goes is done *)
  | Raised (t : Z) (q : nat)  (** fragment 3 of a thread that comes *)
  | Shift_left (t : Z) (q q' : nat)  (** fragment 1 of a thread that stays on the core *)
  | Shift_lowered (t : Z) (q' : nat)  (** the count of the thread's old state is lowered *)
  | Shift_raised (t : Z) (q' : nat).  (** the count of the thread's new state is raised *)

Record state := State {
  queue : Z -> nat -> list Z;  (** core, state: the threads in that queue *)
  counted : Z -> nat -> list Z;  (** core, state: the threads that the core's word
                                     counts *)
  under_way : Z -> phase;
  attribute : Z -> nat -> Z;  (** the attributes of a thread, core, group or domain *)
  global : nat -> Z;
  b : Z -> bool;  (** a block or terminate took a thread from the core *)
  u : Z -> bool;  (** a new or unblock put a thread on the core *)
  hand : list (Z * nat);  (** the threads that the stealing under way has taken, with their states *)
  placed : Z;  (** the core that the handler put its thread on; -1 before *)
}.

Definition set1 {A} (f : Z -> A) (k : Z) (v : A) (i : Z) : A :=
  if i =? k then v else f i.
Definition set2 {A} (f : Z -> nat -> A) (k : Z) (a : nat) (v : A) (i : Z) (j : nat) : A :=
  if (i =? k) && (j =? a)%nat then v else f i j.

Definition with_queue s c q l :=
  State (set2 (queue s) c q l) (counted s) (under_way s) (attribute s) (global s)
    (b s) (u s) (hand s) (placed s).
Definition with_counted s c q l :=
  State (queue s) (set2 (counted s) c q l) (under_way s) (attribute s) (global s)
    (b s) (u s) (hand s) (placed s).
Definition with_phase s c p :=
  State (queue s) (counted s) (set1 (under_way s) c p) (attribute s) (global s)
    (b s) (u s) (hand s) (placed s).
Definition with_attribute s i a v :=
  State (queue s) (counted s) (under_way s) (set2 (attribute s) i a v) (global s)
    (b s) (u s) (hand s) (placed s).
Definition with_global s f :=
  State (queue s) (counted s) (under_way s) (attribute s) f
    (b s) (u s) (hand s) (placed s).
Definition with_b s c :=
  State (queue s) (counted s) (under_way s) (attribute s) (global s)
    (set1 (b s) c true) (u s) (hand s) (placed s).
Definition with_u s c :=
  State (queue s) (counted s) (under_way s) (attribute s) (global s)
    (b s) (set1 (u s) c true) (hand s) (placed s).
Definition with_hand s l :=
  State (queue s) (counted s) (under_way s) (attribute s) (global s)
    (b s) (u s) l (placed s).

Definition with_placed s c :=
  State (queue s) (counted s) (under_way s) (attribute s) (global s)
    (b s) (u s) (hand s) c.

Section Machine.

Variable P : policy.
Variable n : Z.  (** cores are 0 .. n - 1 *)
Variable cores_of_group cores_of_domain groups_of domains_of : Z -> list Z.

Definition core (c : Z) := 0 <= c < n.
Definition cores : list Z := map Z.of_nat (seq 0 (Z.to_nat n)).
Definition runnable : list nat := running P :: ready P.

Definition load_of (s : state) (t : Z) : Z :=
  match load P with None => 1 | Some a => attribute s t a end.

Fixpoint sum (f : Z -> Z) (l : list Z) : Z :=
  match l with [] => 0 | x :: r => f x + sum f r end.

(** The number of threads that are on a core. The number that the core's words say is
    [count]. *)
Definition real (s : state) (c : Z) : Z :=
  Z.of_nat (length (concat (map (queue s c) runnable))).

(** A thread that changes state without leaving the core is counted throughout. *)
Definition between (p : phase) : list Z :=
  match p with Shift_lowered t _ => [t] | _ => [] end.
Definition spoken_of (s : state) (c : Z) : list Z :=
  between (under_way s c) ++ concat (map (counted s c) runnable).

(** The words. The words of none are 0. *)
Definition count (s : state) (c : Z) : Z := Z.of_nat (length (spoken_of s c)).
Definition cload (s : state) (c : Z) : Z := sum (load_of s) (spoken_of s c).
Definition count_in (s : state) (c : Z) (q : nat) : Z :=
  Z.of_nat (length (counted s c q)).

Definition synch (s : state) (c : Z) := under_way s c = Free.
Definition overloaded (s : state) (c : Z) := 2 <= real s c.
Definition idle (s : state) (c : Z) := real s c = 0.

(** {1 Steps of other handlers} *)

Inductive word := The_cload | The_count | The_count_in (q : nat).

Inductive purpose :=
  | Looks  (** balancing, and the phases of a steal without the third *)
  | Places  (** new, unblock *)
  | Takes.  (** steal_thread *)

(** A handler: its kind, its core, its locks. *)
Record context := Context {
  self : Z;
  target : Z;  (** the thread, or the core *)
  mine : option Z;  (** the thread that no other handler works on *)
  held : option Z;  (** the core whose lock the handler holds *)
  filtered : list Z;
  gives_to : option Z;  (** the core that the handler steals for *)
  purpose_of : purpose;
}.

(** A number that the text may set as a load: defined in properties.v. *)
Variable may_load : Z -> Prop.

Definition is_load (a : nat) := load P = Some a.
Definition is_mine (C : context) (t : Z) := mine C = Some t.
Definition alone := forallb synchronized (balancing P :: others_steal P).

(** The attributes of thread [t] that no other handler sets: those of the handler's
    own thread, until the handler has put the thread on a core. Exception: if the
    policy remembers threads, other handlers may set the attributes of any thread. *)
Definition protected (C : context) (s : state) (t : Z) :=
  is_mine C t /\ placed s = -1 /\ thread_attributes P = false.

Definition insert (t : Z) (l l' : list Z) := exists l1 l2, l = l1 ++ l2 /\ l' = l1 ++ t :: l2.
Definition remove (t : Z) (l l' : list Z) := insert t l' l.

(** At most one thread runs on a core: a thread becomes the running thread only when
    no other thread runs there. *)
Definition may_enter (s : state) (c : Z) (q : nat) :=
  q = running P -> queue s c q = [].

(** One step of another handler. *)
Inductive other (C : context) : state -> state -> Prop :=
  (* block, terminate, detach *)
  | O_leaves s c t q l : core c -> held C <> Some c -> List.In q runnable ->
      under_way s c = Free -> remove t (queue s c q) l ->
      other C s (with_b (with_phase (with_queue s c q l) c (Left_queue t q)) c)
  | O_lowers s c t q l : held C <> Some c -> under_way s c = Left_queue t q ->
      remove t (counted s c q) l ->
      other C s (with_b (with_phase (with_counted s c q l) c Free) c)
  (* new, unblock *)
  | O_raises s c t q : core c -> held C <> Some c -> List.In q runnable ->
      under_way s c = Free -> ~ is_mine C t -> 0 <= t -> may_enter s c q ->
      other C s (with_u (with_phase (with_counted s c q (t :: counted s c q)) c (Raised t q)) c)
  | O_enters s c t q l : held C <> Some c -> under_way s c = Raised t q ->
      insert t (queue s c q) l ->
      other C s (with_u (with_phase (with_queue s c q l) c Free) c)
  (* schedule, yield, tick *)
  | O_shifts s c t q q' l : core c -> held C <> Some c ->
      List.In q runnable -> List.In q' runnable ->
      under_way s c = Free -> remove t (queue s c q) l -> may_enter s c q' ->
      other C s (with_phase (with_queue s c q l) c (Shift_left t q q'))
  | O_shift_lowers s c t q q' l : held C <> Some c ->
      under_way s c = Shift_left t q q' -> remove t (counted s c q) l ->
      other C s (with_phase (with_counted s c q l) c (Shift_lowered t q'))
  | O_shift_raises s c t q' : held C <> Some c -> under_way s c = Shift_lowered t q' ->
      other C s (with_phase (with_counted s c q' (t :: counted s c q')) c (Shift_raised t q'))
  | O_shift_enters s c t q' l : held C <> Some c -> under_way s c = Shift_raised t q' ->
      insert t (queue s c q') l ->
      other C s (with_phase (with_queue s c q' l) c Free)
  (* stealing: only if a handler that steals is not synchronized *)
  | O_steals s c t q l l' : alone = false -> core c -> held C <> Some c ->
      under_way s c = Free -> remove t (queue s c q) l -> remove t (counted s c q) l' ->
      other C s (with_counted (with_queue s c q l) c q l')
  | O_puts s c t q l : alone = false -> core c -> held C <> Some c ->
      under_way s c = Free -> insert t (queue s c q) l -> List.In q runnable ->
      0 <= t -> may_enter s c q ->
      other C s (with_counted (with_queue s c q l) c q (t :: counted s c q))
  (* data that the system and handlers set *)
  | O_sets s i a v : ~ is_load a -> ~ protected C s i ->
      other C s (with_attribute s i a v)
  | O_loads s t a v : is_load a -> ~ (is_mine C t /\ placed s = -1) -> may_load v ->
      (forall c, ~ List.In t (spoken_of s c)) ->
      (forall q, ~ List.In (t, q) (hand s)) ->
      other C s (with_attribute s t a v)
  | O_sets_global s f : other C s (with_global s f).

Inductive meanwhile (C : context) : state -> state -> Prop :=
  | Nothing s : meanwhile C s s
  | And_then s s1 s2 : meanwhile C s s1 -> other C s1 s2 -> meanwhile C s s2.

(** {1 Expressions and statements} *)

Definition locals := nat -> Z.
Definition bind (l : locals) (x : nat) (v : Z) : locals :=
  fun y => if (y =? x)%nat then v else l y.

Inductive outcome := Normal | Broke | Returned (v : Z).

Definition truth (p : bool) : Z := if p then 1 else 0.
Definition true_ (v : Z) : bool := negb (v =? 0).

Definition operate (o : operator) (x y : Z) : Z :=
  match o with
  | Add => x + y | Sub => x - y | Mul => x * y
  | Div => Z.quot x y | Mod => Z.rem x y
  | Eq => truth (x =? y) | Ne => truth (negb (x =? y))
  | Lt => truth (x <? y) | Le => truth (x <=? y)
  | Gt => truth (y <? x) | Ge => truth (y <=? x)
  | Bit_and => Z.land x y | Bit_or => Z.lor x y
  end.

(** The result of a look. A look at the core that the handler steals for also counts
    the threads that were taken. *)
Definition look (C : context) (s : state) (w : word) (c : Z) : Z :=
  if negb ((0 <=? c) && (c <? n)) then 0
  else
    let given := match gives_to C with
      | Some d => if d =? c then hand s else [] | None => [] end in
    match w with
    | The_cload => cload s c + sum (load_of s) (map fst given)
    | The_count => count s c + Z.of_nat (length given)
    | The_count_in q => count_in s c q
        + Z.of_nat (length (filter (fun p => (snd p =? q)%nat) given))
    end.

Definition word_of (m : measure) : option word :=
  match m with By_cload => Some The_cload | By_count => Some The_count
  | By_attribute _ => None end.

(** Keys are compared one by one. *)
Fixpoint before (k k' : list Z) : bool :=
  match k, k' with
  | x :: r, y :: r' => (x <? y) || ((x =? y) && before r r')
  | _, _ => false
  end.

(** The first of the elements with the least keys; none of an empty list. *)
Fixpoint best (best_yet : option (Z * list Z)) (l : list (Z * list Z)) : Z :=
  match l with
  | [] => match best_yet with None => -1 | Some (x, _) => x end
  | (x, k) :: r =>
      match best_yet with
      | Some (_, k') => if before k k' then best (Some (x, k)) r else best best_yet r
      | None => best (Some (x, k)) r
      end
  end.

(** t => c.q *)
Inductive moves (C : context) : Z -> Z -> nat -> state -> state -> Prop :=
  | V_none t c q s : t < 0 \/ ~ core c -> moves C t c q s s
  (* new, unblock: the lock of c, fragments 3 and 4 *)
  | V_places t c q s s1 s2 l s3 : purpose_of C = Places -> placed s = -1 ->
      List.In q runnable -> 0 <= t -> core c ->
      meanwhile C s s1 -> under_way s1 c = Free ->
      meanwhile (Context (self C) (target C) (mine C) (Some c) (filtered C) (gives_to C)
          (purpose_of C))
        (with_placed
          (with_phase (with_counted s1 c q (t :: counted s1 c q)) c (Raised t q)) c) s2 ->
      insert t (queue s2 c q) l ->
      meanwhile C (with_phase (with_queue s2 c q l) c Free) s3 ->
      moves C t c q s s3
  (* steal_thread: fragments 1 and 2; the source's lock is held *)
  | V_takes t c q src q0 s l s1 l' : purpose_of C = Takes -> 0 <= t -> core c ->
      held C = Some src -> under_way s src = Free ->
      List.In q0 (ready P) -> remove t (queue s src q0) l ->
      meanwhile C (with_phase (with_queue s src q0 l) src (Left_queue t q0)) s1 ->
      remove t (counted s1 src q0) l' ->
      moves C t c q s
        (with_hand (with_phase (with_counted s1 src q0 l') src Free) (hand s1 ++ [(t, q)])).

Section Text.

(** The execution of [Steal_for]. *)
Variable steals : context -> Z -> Z -> state -> state -> Prop.

(** One key of one element: either a look, or an attribute. *)
Inductive measured (C : context) (x : Z) : list key -> state -> list Z -> state -> Prop :=
  | M_nil s : measured C x [] s [] s
  | M_word k w r s s1 s2 vs : word_of (what k) = Some w -> meanwhile C s s1 ->
      measured C x r s1 vs s2 ->
      measured C x (k :: r) s
        ((if lowest k then look C s1 w x else - look C s1 w x) :: vs) s2
  | M_attribute k a r s s1 s2 vs : what k = By_attribute a -> meanwhile C s s1 ->
      measured C x r s1 vs s2 ->
      measured C x (k :: r) s
        ((if lowest k then attribute s1 x a else - attribute s1 x a) :: vs) s2.

Inductive all_measured (C : context) (order : list key) :
    list Z -> state -> list (Z * list Z) -> state -> Prop :=
  | A_nil s : all_measured C order [] s [] s
  | A_cons x l s s1 s2 k r : measured C x order s k s1 -> all_measured C order l s1 r s2 ->
      all_measured C order (x :: l) s ((x, k) :: r) s2.

(** [idle_cores] and [active_cores]: one look at the count of each core. *)
Definition by_count : list key := [Key true By_count].
Definition says_none (p : Z * list Z) : bool :=
  match snd p with v :: _ => v =? 0 | [] => false end.

(** [eval C l e s v s']: in [C], with the locals [l]. *)
Inductive eval (C : context) : locals -> expr -> state -> Z -> state -> Prop :=
  | E_num l v s : eval C l (Num v) s v s
  | E_local l x s : eval C l (Local x) s (l x) s
  | E_self l s : eval C l Self s (self C) s
  | E_target l s : eval C l Target s (target C) s
  | E_attribute l e a s v s1 s2 : eval C l e s v s1 -> meanwhile C s1 s2 ->
      eval C l (Attribute e a) s (attribute s2 v a) s2
  | E_global l a s s1 : meanwhile C s s1 -> eval C l (Global a) s (global s1 a) s1
  | E_cload l e s c s1 s2 : eval C l e s c s1 -> meanwhile C s1 s2 ->
      eval C l (Cload e) s (look C s2 The_cload c) s2
  | E_runnable l e s c s1 s2 : eval C l e s c s1 -> meanwhile C s1 s2 ->
      eval C l (Runnable e) s (look C s2 The_count c) s2
  | E_count l e q s c s1 s2 : eval C l e s c s1 -> meanwhile C s1 s2 ->
      eval C l (Count e q) s (look C s2 (The_count_in q) c) s2
  | E_first l t order s m s1 ks s2 : members C l t s m s1 ->
      all_measured C order m s1 ks s2 ->
      eval C l (First t order) s (best None ks) s2
  | E_any l t s m v s1 : members C l t s m s1 -> v = -1 /\ m = [] \/ List.In v m ->
      eval C l (Any t) s v s1
  | E_empty l t s m s1 : members C l t s m s1 ->
      eval C l (Empty t) s (truth (match m with [] => true | _ => false end)) s1
  | E_valid l e s v s1 : eval C l e s v s1 ->
      eval C l (Valid e) s (truth (0 <=? v)) s1
  | E_in l e t s v s1 m s2 : eval C l e s v s1 -> members C l t s1 m s2 ->
      eval C l (In e t) s (truth (existsb (Z.eqb v) m)) s2
  | E_not l e s v s1 : eval C l e s v s1 ->
      eval C l (Not e) s (truth (negb (true_ v))) s1
  | E_minus l e s v s1 : eval C l e s v s1 -> eval C l (Minus e) s (- v) s1
  | E_and_false l e e' s v s1 : eval C l e s v s1 -> true_ v = false ->
      eval C l (And e e') s 0 s1
  | E_and l e e' s v s1 v' s2 : eval C l e s v s1 -> true_ v = true ->
      eval C l e' s1 v' s2 -> eval C l (And e e') s (truth (true_ v')) s2
  | E_or_true l e e' s v s1 : eval C l e s v s1 -> true_ v = true ->
      eval C l (Or e e') s 1 s1
  | E_or l e e' s v s1 v' s2 : eval C l e s v s1 -> true_ v = false ->
      eval C l e' s1 v' s2 -> eval C l (Or e e') s (truth (true_ v')) s2
  | E_op l o e e' s v s1 v' s2 : eval C l e s v s1 -> eval C l e' s1 v' s2 ->
      eval C l (Op o e e') s (operate o v v') s2
  | E_if_else l c e e' s v s1 v' s2 : eval C l c s v s1 ->
      eval C l (if true_ v then e else e') s1 v' s2 ->
      eval C l (If_else c e e') s v' s2
  | E_call l a b s l1 s1 l2 v s2 : bound C l l a s l1 s1 ->
      exec C l1 b s1 l2 (Returned v) s2 -> eval C l (Call a b) s v s2
  | E_call_nothing l a b s l1 s1 l2 s2 : bound C l l a s l1 s1 ->
      exec C l1 b s1 l2 Normal s2 -> eval C l (Call a b) s 0 s2

(** Arguments are evaluated with the caller's locals. *)
with bound (C : context) : locals -> locals -> args -> state -> locals -> state -> Prop :=
  | B_none l l' s : bound C l l' No_args s l' s
  | B_arg l l' x e r s v s1 l2 s2 : eval C l e s v s1 ->
      bound C l (bind l' x v) r s1 l2 s2 -> bound C l l' (Arg x e r) s l2 s2

with members (C : context) : locals -> set -> state -> list Z -> state -> Prop :=
  | S_all l s : members C l All_cores s cores s
  | S_idle l s ks s1 : all_measured C by_count cores s ks s1 ->
      members C l Idle_cores s (map fst (filter says_none ks)) s1
  | S_active l s ks s1 : all_measured C by_count cores s ks s1 ->
      members C l Active_cores s (map fst (filter (fun p => negb (says_none p)) ks)) s1
  | S_filtered l s : members C l Filtered s (filtered C) s
  | S_group l e s v s1 : eval C l e s v s1 ->
      members C l (Cores_of_group e) s (cores_of_group v) s1
  | S_domain l e s v s1 : eval C l e s v s1 ->
      members C l (Cores_of_domain e) s (cores_of_domain v) s1
  | S_groups l e s v s1 : eval C l e s v s1 ->
      members C l (Groups_of e) s (groups_of v) s1
  | S_domains l e s v s1 : eval C l e s v s1 ->
      members C l (Domains_of e) s (domains_of v) s1
  (* at a core whose lock the handler holds *)
  | S_threads l e q s c s1 : eval C l e s c s1 -> held C = Some c ->
      members C l (Threads_in e q) s (queue s1 c q) s1

with exec (C : context) : locals -> block -> state -> locals -> outcome -> state -> Prop :=
  | X_done l s : exec C l Done s l Normal s
  | X_then l t r s l1 s1 l2 o s2 : does C l t s l1 Normal s1 ->
      exec C l1 r s1 l2 o s2 -> exec C l (Then t r) s l2 o s2
  | X_leaves l t r s l1 o s1 : does C l t s l1 o s1 -> o <> Normal ->
      exec C l (Then t r) s l1 o s1

with does (C : context) : locals -> statement -> state -> locals -> outcome -> state -> Prop :=
  | D_local l x e s v s1 : eval C l e s v s1 ->
      does C l (Set_local x e) s (bind l x v) Normal s1
  | D_attribute l e a e' s v s1 v' s2 : eval C l e s v s1 -> eval C l e' s1 v' s2 ->
      0 <= v -> does C l (Set_attribute e a e') s l Normal (with_attribute s2 v a v')
  | D_attribute_none l e a e' s v s1 v' s2 : eval C l e s v s1 -> eval C l e' s1 v' s2 ->
      v < 0 -> does C l (Set_attribute e a e') s l Normal s2
  | D_global l a e s v s1 : eval C l e s v s1 ->
      does C l (Set_global a e) s l Normal
        (with_global s1 (fun i => if (i =? a)%nat then v else global s1 i))
  | D_move l e e' q s t s1 c s2 s3 : eval C l e s t s1 -> eval C l e' s1 c s2 ->
      moves C t c q s2 s3 -> does C l (Move e e' q) s l Normal s3
  | D_if l c a b s v s1 l1 o s2 : eval C l c s v s1 ->
      exec C l (if true_ v then a else b) s1 l1 o s2 -> does C l (If c a b) s l1 o s2
  | D_foreach l x t order b s m s1 ks s2 m' l1 o s3 : members C l t s m s1 ->
      all_measured C order m s1 ks s2 -> Permutation m m' ->
      iterates C x b l m' s2 l1 o s3 -> does C l (Foreach x t order b) s l1 o s3
  | D_break l s : does C l Break s l Broke s
  | D_return_nothing l s : does C l Return_nothing s l (Returned 0) s
  | D_return l e s v s1 : eval C l e s v s1 -> does C l (Return e) s l (Returned v) s1
  | D_steal_for l e e' s g s1 c s2 s3 : eval C l e s g s1 -> eval C l e' s1 c s2 ->
      steals C g c s2 s3 -> does C l (Steal_for e e') s l Normal s3
  | D_do l e s v s1 : eval C l e s v s1 -> does C l (Do e) s l Normal s1

(** The iterations of a loop over the listed members, in the order of the list.
    [D_foreach] takes the members in any order, whatever keys the loop has. *)
with iterates (C : context) :
    nat -> block -> locals -> list Z -> state -> locals -> outcome -> state -> Prop :=
  | I_over x b l s : iterates C x b l [] s l Normal s
  | I_next x b l v m s l1 s1 l2 o s2 : exec C (bind l x v) b s l1 Normal s1 ->
      iterates C x b l1 m s1 l2 o s2 -> iterates C x b l (v :: m) s l2 o s2
  | I_broke x b l v m s l1 s1 : exec C (bind l x v) b s l1 Broke s1 ->
      iterates C x b l (v :: m) s l1 Normal s1
  | I_returned x b l v m s l1 w s1 : exec C (bind l x v) b s l1 (Returned w) s1 ->
      iterates C x b l (v :: m) s l1 (Returned w) s1.

End Text.

(** {1 Stealing} *)

Definition no_stealing (_ : context) (_ _ : Z) (_ _ : state) := False.

Section Stealing.

Let S := stealing P.
Definition phase_of (C : context) (dst : Z) (chosen : list Z) (h : option Z)
    (m : option Z) (p : purpose) : context :=
  Context (self C) (target C) m h chosen (Some dst) p.

(** Step 1. *)
Inductive filters (C : context) (dst : Z) : list Z -> state -> list Z -> state -> Prop :=
  | F_nil s : filters C dst [] s [] s
  | F_admits c r s v s1 a s2 l : c <> dst ->
      eval no_stealing (phase_of C dst [] None None Looks)
        (bind (bind l (filter_source S) c) (filter_destination S) dst)
        (can_steal_core S) s v s1 ->
      true_ v = true -> filters C dst r s1 a s2 -> filters C dst (c :: r) s (c :: a) s2
  | F_refuses c r s v s1 a s2 l : c <> dst ->
      eval no_stealing (phase_of C dst [] None None Looks)
        (bind (bind l (filter_source S) c) (filter_destination S) dst)
        (can_steal_core S) s v s1 ->
      true_ v = false -> filters C dst r s1 a s2 -> filters C dst (c :: r) s a s2
  | F_self c r s a s2 : c = dst -> filters C dst r s a s2 ->
      filters C dst (c :: r) s a s2.

(** Step 3, with the source's lock: [steal_thread] runs for each offered thread, in
    the order of the list, which was read when the lock was taken. *)
Inductive offers (C : context) (src dst : Z) : list Z -> state -> state -> Prop :=
  | Of_nil s : offers C src dst [] s s
  | Of_cons t r s l0 l o s1 s2 s3 :
      exec no_stealing (phase_of C dst [] (Some src) (Some t) Takes)
        (bind (bind (bind l0 (source S) src) (destination S) dst) (candidate S) t)
        (take S) s l o s1 ->
      enough_said C src dst l s1 false s2 -> offers C src dst r s2 s3 ->
      offers C src dst (t :: r) s s3
  | Of_enough t r s l0 l o s1 s2 :
      exec no_stealing (phase_of C dst [] (Some src) (Some t) Takes)
        (bind (bind (bind l0 (source S) src) (destination S) dst) (candidate S) t)
        (take S) s l o s1 ->
      enough_said C src dst l s1 true s2 ->
      offers C src dst (t :: r) s s2
with enough_said (C : context) (src dst : Z) : locals -> state -> bool -> state -> Prop :=
  | En_none l s : enough S = None -> enough_said C src dst l s false s
  | En_some l e s v s1 : enough S = Some e ->
      eval no_stealing (phase_of C dst [] (Some src) None Takes) l e s v s1 ->
      enough_said C src dst l s (true_ v) s1.

(** Step 4, with the destination's lock. [us]: the source had U. *)
Inductive puts (C : context) (dst : Z) (us : bool) : list (Z * nat) -> state -> state -> Prop :=
  | P_nil s : puts C dst us [] s s
  | P_cons t q r s s1 l s2 s3 :
      let s0 := if us then with_u s dst else s in
      meanwhile (phase_of C dst [] (Some dst) None Looks)
        (with_hand (with_phase (with_counted s0 dst q (t :: counted s0 dst q)) dst
          (Raised t q)) r) s1 ->
      insert t (queue s1 dst q) l ->
      meanwhile (phase_of C dst [] (Some dst) None Looks)
        (with_phase (with_queue s1 dst q l) dst Free) s2 ->
      puts C dst us r s2 s3 -> puts C dst us ((t, q) :: r) s s3.

Inductive migrates (C : context) (src dst : Z) : state -> state -> Prop :=
  | Mi_nothing s s1 s2 : meanwhile (phase_of C dst [] None None Looks) s s1 ->
      under_way s1 src = Free ->
      offers C src dst (concat (map (queue s1 src) (ready P))) s1 s2 -> hand s2 = [] ->
      migrates C src dst s s2
  | Mi_some s s1 s2 s3 s4 : meanwhile (phase_of C dst [] None None Looks) s s1 ->
      under_way s1 src = Free ->
      offers C src dst (concat (map (queue s1 src) (ready P))) s1 s2 -> hand s2 <> [] ->
      meanwhile (phase_of C dst [] None None Looks) s2 s3 ->
      under_way s3 dst = Free -> puts C dst (u s2 src) (hand s3) s3 s4 ->
      migrates C src dst s s4.

(** Steps 2 and 5. *)
Inductive searches (C : context) (dst : Z) : list Z -> state -> state -> Prop :=
  | Se_empty s : searches C dst [] s s
  | Se_none a s l v s1 : a <> [] ->
      eval no_stealing (phase_of C dst a None None Looks)
        (bind l (destination S) dst) (select_core S) s v s1 ->
      ~ List.In v a -> searches C dst a s s1
  | Se_once a s l v s1 s2 : a <> [] ->
      eval no_stealing (phase_of C dst a None None Looks)
        (bind l (destination S) dst) (select_core S) s v s1 ->
      List.In v a -> migrates C v dst s1 s2 -> repeated S = false ->
      searches C dst a s s2
  | Se_stops a s l v s1 s2 e w s3 : a <> [] ->
      eval no_stealing (phase_of C dst a None None Looks)
        (bind l (destination S) dst) (select_core S) s v s1 ->
      List.In v a -> migrates C v dst s1 s2 -> until_ S = Some e ->
      eval no_stealing (phase_of C dst [] None None Looks)
        (bind (bind l (source S) v) (destination S) dst) e s2 w s3 ->
      true_ w = true -> searches C dst a s s3
  | Se_goes_on a s l v s1 s2 s3 s4 : a <> [] ->
      eval no_stealing (phase_of C dst a None None Looks)
        (bind l (destination S) dst) (select_core S) s v s1 ->
      List.In v a -> migrates C v dst s1 s2 -> repeated S = true ->
      (match until_ S with
       | None => s3 = s2
       | Some e => exists w,
           eval no_stealing (phase_of C dst [] None None Looks)
             (bind (bind l (source S) v) (destination S) dst) e s2 w s3 /\
           true_ w = false
       end) ->
      searches C dst (filter (fun c => negb (c =? v)) a) s3 s4 -> searches C dst a s s4.

(** Step 1 among groups. The locals [l] are arbitrary: a text may name a local that
    no rule binds. *)
Inductive filters_groups (C : context) (b : by_group) (g dst : Z) :
    list Z -> state -> list Z -> state -> Prop :=
  | Fg_nil s : filters_groups C b g dst [] s [] s
  | Fg_looks h r s v s1 a s2 l :
      eval no_stealing (phase_of C dst [] None None Looks)
        (bind (bind (bind l (destination S) dst) (group_filter_source b) h)
          (group_filter_destination b) g)
        (can_steal_group b) s v s1 ->
      filters_groups C b g dst r s1 a s2 ->
      filters_groups C b g dst (h :: r) s (if true_ v then h :: a else a) s2.

(** The search among the cores of one group. *)
Definition searches_group (C : context) (h dst : Z) (s s' : state) : Prop :=
  exists a s1, filters C dst (cores_of_group h) s a s1 /\ searches C dst a s1 s'.

(** Steps 2 and 5 among groups. *)
Definition group_phase (b : by_group) (l : locals) (h g dst : Z) : locals :=
  bind (bind (bind l (destination S) dst) (source_group b) h) (destination_group b) g.

Inductive searches_groups (C : context) (b : by_group) (g dst : Z) :
    list Z -> state -> state -> Prop :=
  | Sg_empty s : searches_groups C b g dst [] s s
  | Sg_none a s l v s1 : a <> [] ->
      eval no_stealing (phase_of C dst a None None Looks)
        (bind (bind l (destination S) dst) (destination_group b) g) (select_group b) s v s1 ->
      ~ List.In v a -> searches_groups C b g dst a s s1
  | Sg_once a s l v s1 s2 : a <> [] ->
      eval no_stealing (phase_of C dst a None None Looks)
        (bind (bind l (destination S) dst) (destination_group b) g) (select_group b) s v s1 ->
      List.In v a -> searches_group C v dst s1 s2 -> group_repeated b = false ->
      searches_groups C b g dst a s s2
  | Sg_stops a s l v s1 s2 e w s3 : a <> [] ->
      eval no_stealing (phase_of C dst a None None Looks)
        (bind (bind l (destination S) dst) (destination_group b) g) (select_group b) s v s1 ->
      List.In v a -> searches_group C v dst s1 s2 -> group_until b = Some e ->
      eval no_stealing (phase_of C dst [] None None Looks) (group_phase b l v g dst) e s2 w s3 ->
      true_ w = true -> searches_groups C b g dst a s s3
  | Sg_goes_on a s l v s1 s2 s3 s4 : a <> [] ->
      eval no_stealing (phase_of C dst a None None Looks)
        (bind (bind l (destination S) dst) (destination_group b) g) (select_group b) s v s1 ->
      List.In v a -> searches_group C v dst s1 s2 -> group_repeated b = true ->
      (match group_until b with
       | None => s3 = s2
       | Some e => exists w,
           eval no_stealing (phase_of C dst [] None None Looks) (group_phase b l v g dst)
             e s2 w s3 /\
           true_ w = false
       end) ->
      searches_groups C b g dst (filter (fun h => negb (h =? v)) a) s3 s4 ->
      searches_groups C b g dst a s s4.

(** A steal for [dst]: among all cores; or, if the policy steals by groups, among all
    groups of the domain of [g], also [g] itself. *)
Inductive steals_for (C : context) (g dst : Z) : state -> state -> Prop :=
  | St_none s : ~ core dst -> steals_for C g dst s s
  | St_cores s a s1 s2 : core dst -> groups S = None ->
      filters C dst cores s a s1 -> searches C dst a s1 s2 -> steals_for C g dst s s2
  | St_groups b d s a s1 s2 : core dst -> groups S = Some b ->
      List.In g (groups_of d) -> filters_groups C b g dst (groups_of d) s a s1 ->
      searches_groups C b g dst a s1 s2 -> steals_for C g dst s s2
  | St_no_domain b s : groups S = Some b -> (forall d, ~ List.In g (groups_of d)) ->
      steals_for C g dst s s.

End Stealing.

End Machine.
