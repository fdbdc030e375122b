(* The functions are in continuation-passing style: a continuation is called
   once for each path. *)

open Dromos_policy_core
open Core
open Types
include Paths
open Sets

type path = Types.path
type t = Types.t

let is_set : ty -> bool = function
  | Threads | Cores | Groups | Domains -> true
  | _ -> false

(* True if an attribute can hold a thread. The thread may be one on which
   another handler is at work. *)
let remembers_threads (policy : policy) =
  Array.exists (fun a -> a.ty = Thread) policy.attributes

(* The name of the group or domain to which a set of cores belongs, or None. *)
let owner_of p among =
  match among.it with
  | Cores_of { it = Local l; ty_of; _ } -> (
      match Ints.find_opt l.local_id p.locals with
      | Some (One ({ node = Variable _; _ } as v)) ->
          let sort = if ty_of = Domain then "domain" else "group" in
          Some (Term.called sort v)
      | Some _ | None -> None)
  | _ -> None

let front core (state : state) =
  Term.apply
    { symbol = "front_of_" ^ state.state_name; arity = 1; result = Int }
    [ core ]

let locked t owner =
  List.exists (fun c -> c.locked && c.core = owner) t.setting.cores

(* The waker is any thread but the target, or none. Each read gives the same
   term. *)
let waker = Term.individual "waker"

let with_waker t p =
  know p
    (Term.le Term.none waker
    :: List.map
         (fun target -> Term.not_ (Term.eq waker target))
         (Option.to_list t.setting.target))

let one = function One v -> v | Many _ -> invalid_arg "Symbolic: a collection"

let many = function
  | Many s -> s
  | One _ -> invalid_arg "Symbolic: not a collection"

let arithmetic operator a b ~bitwise =
  match operator with
  | Mul -> Term.mul a b
  | Eq -> Term.eq a b
  | Ne -> Term.not_ (Term.eq a b)
  | Lt -> Term.lt a b
  | Le -> Term.le a b
  | Gt -> Term.lt b a
  | Ge -> Term.le b a
  | Bit_and -> bitwise "bit_and" ( land )
  | Bit_or -> bitwise "bit_or" ( lor )
  | Div | Mod -> invalid_arg "Symbolic: a division"
  | Add | Sub | And | Or -> invalid_arg "Symbolic: a chain"

let bitwise (a : Term.t) (b : Term.t) name f =
  match (a.node, b.node) with
  | Int_literal i, Int_literal j -> Term.int (f i j)
  | _ -> Term.apply { symbol = name; arity = 2; result = Int } [ a; b ]

(* A division by a literal is Euclid's division. A division by anything else is
   an uninterpreted function; every path gets its linear facts. *)
let division p operator (a : Term.t) (b : Term.t) =
  match (operator, b.node) with
  | Div, Int_literal 0 -> (p, Term.int 0)
  | _, Int_literal 0 -> (p, a)
  | Div, Int_literal k -> (p, Term.quotient a k)
  | _, Int_literal k -> (p, Term.remainder a k)
  | Div, _ ->
      let q = Term.apply Term.divided [ a; b ] in
      (know p (Term.quotient_facts a b q), q)
  | _ ->
      let r = Term.apply Term.rest_of_division [ a; b ] in
      (know p (Term.remainder_facts a b r), r)

(* The operands, from the left, of a chain of [op] that leans to the left. *)
let chain op e =
  let rec from e others =
    match e.it with
    | Operation (o, a, b) when o = op -> from a (b :: others)
    | _ -> e :: others
  in
  from e []

(* The operands of a chain of additions and subtractions. The boolean is true
   for an operand that is subtracted. *)
let summands e =
  let rec from e others =
    match e.it with
    | Operation (Add, a, b) -> from a ((false, b) :: others)
    | Operation (Sub, a, b) -> from a ((true, b) :: others)
    | _ -> (false, e) :: others
  in
  from e []

(* The words of the handler's core after a move. A move to a READY state of
   this core leaves at least the moved thread there. After any other move,
   and after each move that follows a move to the slot, the words are
   unknown. *)
let words_after t p { moved; to_core; to_state; _ } =
  let ran m = m.to_state.state_class = Running in
  if
    to_core <> t.setting.self
    || to_state.state_class <> Ready
    || List.exists ran p.move_log
  then { p with words = Unknown }
  else
    words_after_moves t ~before:p p (fun word ->
        let there v =
          Term.implies (Term.le (Term.int 0) moved) (Term.le (Term.int 1) v)
        in
        Option.to_list (Option.map there (word to_state)))

let rec eval t p e k =
  Effort.spend 1;
  match e.it with
  | Int_value _ | Bool_value _ | Member _ | No_thread | No_core | No_group
  | No_domain ->
      k p (One (Option.get (literal e)))
  | Local l -> (
      match Ints.find_opt l.local_id p.locals with
      | Some v -> k p v
      | None -> (
          match l.local_ty with
          | Cores -> k p (Many (look t l.local_name))
          | Threads | Groups | Domains -> k p (Many (opaque t l.local_name))
          | ty ->
              let p, v = unknown t p ty l.local_name in
              k (bind p l v) (One v)))
  | Self -> k p (One t.setting.self)
  | Target -> k p (One (Option.value ~default:t.setting.self t.setting.target))
  | Waker -> k (with_waker t p) (One waker)
  | Read (None, a) ->
      let p, v = global t p a in
      k p (One v)
  | Read (Some owner, a) -> eval1 t p owner (fun p o -> read t p o a k)
  | Cload c -> observation t p c `Cload k
  | Runnable c -> observation t p c `Count k
  | Count (c, s) -> observation t p c (`State s) k
  | Threads_in (c, s) ->
      eval1 t p c (fun p c ->
          match s.container with
          | Slot ->
              let p, v = unknown t p Thread s.state_name in
              k p (One v)
          | Queue _ | One _ | Nowhere -> k p (Many (queue t p c s)))
  | All_cores -> k p (Many (all_cores t))
  | Idle_cores -> members t p ~idle:true k
  | Active_cores -> members t p ~idle:false k
  | Filtered -> k p (Many (filtered t))
  | Cores_of g -> eval1 t p g (fun p o -> k p (Many (cores_of t g.ty_of o)))
  | Groups_of d -> eval1 t p d (fun p d -> k p (Many (groups t d)))
  | Domains_of c -> eval1 t p c (fun p c -> k p (Many (domains t c)))
  | Those { each; among; holds } ->
      evaln t p among (fun p set -> k p (Many (those t p each holds set)))
  | First (({ it = Threads_in (c, state); _ } as s), []) ->
      eval1 t p c (fun p core ->
          evaln t p s (fun p set ->
              first t p set Thread [] (fun p v ->
                  k (in_front t p core state (one v)) v)))
  | First (s, order) -> evaln t p s (fun p set -> first t p set e.ty_of order k)
  | Any s -> evaln t p s (fun p set -> first t p set e.ty_of [] k)
  | Empty s -> evaln t p s (fun p set -> empty t p set k)
  | Valid e -> eval1 t p e (fun p v -> k p (One (Term.le (Term.int 0) v)))
  | In (x, s) ->
      eval1 t p x (fun p x ->
          evaln t p s (fun p set ->
              k p (One (Term.and_ [ Term.le (Term.int 0) x; set.member x ]))))
  | Not e -> eval1 t p e (fun p v -> k p (One (Term.not_ v)))
  | Minus e -> eval1 t p e (fun p v -> k p (One (Term.neg v)))
  | Operation (((And | Or) as op), _, _) -> junction t p op (chain op e) k
  | Operation ((Add | Sub), _, _) -> sum t p (summands e) k
  | Operation (((Div | Mod) as op), a, b) ->
      eval1 t p a (fun p a ->
          eval1 t p b (fun p b ->
              let p, v = division p op a b in
              k p (One v)))
  | Operation (op, a, b) ->
      eval1 t p a (fun p a ->
          eval1 t p b (fun p b ->
              k p (One (arithmetic op a b ~bitwise:(bitwise a b)))))
  | If_else (c, a, b) -> if_else t p c a b k
  | Call (f, arguments) -> call t p f arguments k

(* Operands that do not act (set, move or steal) are joined into one term. An
   acting operand is evaluated only on the paths on which the operands before
   it leave the result open. *)
and junction t p op operands k =
  let make = if op = And then Term.and_ else Term.or_ in
  let rec from p values = function
    | b :: rest when values <> [] && Blocks.acts b ->
        let a = make (List.rev values) in
        let goes_on = if op = And then a else Term.not_ a in
        let continue p = from p [] (b :: rest)
        and stop p = k p (One (Term.bool (op = Or))) in
        Option.iter continue (assume p goes_on);
        Option.iter stop (assume p (Term.not_ goes_on))
    | operand :: rest ->
        eval1 t p operand (fun p v -> from p (v :: values) rest)
    | [] -> k p (One (make (List.rev values)))
  in
  from p [] operands

and sum t p operands k =
  let rec from p values = function
    | (taken_away, e) :: rest ->
        eval1 t p e (fun p v ->
            let v = if taken_away then Term.neg v else v in
            from p (v :: values) rest)
    | [] -> (
        match (List.rev values, operands) with
        | [ a; _ ], [ _; (true, _) ]
          when Term.equal (Term.neg a) (List.hd values) ->
            k p (One (Term.int 0))
        | values, _ -> k p (One (Term.add values)))
  in
  from p [] operands

and eval1 t p e k = eval t p e (fun p v -> k p (one v))
and evaln t p e k = eval t p e (fun p v -> k p (many v))

and members t p ~idle k =
  let p, set = watched t p ~idle in
  k p (Many set)

(* The members of [set] for which [holds] is true. The condition of a member is
   the disjunction of the paths on which [holds] is true. The condition reads
   only unchanging values, so the term is valid wherever the set is used. *)
and those t p each holds set =
  let says = Hashtbl.create 4 in
  let holds_of x =
    match Hashtbl.find_opt says x with
    | Some v -> v
    | None ->
        let ways = ref [] in
        eval1 t
          { (bind p each x) with facts = []; known = Ints.empty }
          holds
          (fun after v -> ways := Term.and_ (branches after @ [ v ]) :: !ways);
        let v = Term.or_ (List.rev !ways) in
        Hashtbl.add says x v;
        v
  in
  {
    set with
    member = (fun x -> Term.and_ [ set.member x; holds_of x ]);
    inhabited = Term.false_;
  }

and observation t p c what k =
  eval1 t p c (fun p core ->
      let p, v = observe t p core what in
      k p (One v))

(* Three kinds of attributes do not change between two reads: attributes of
   the handler's own thread, if no attribute can hold the thread; attributes
   of a core whose lock is held, except attributes of the system; and
   attributes of the system read by the affinity. All other attributes may
   have been set between two reads. *)
and read t p owner a k =
  let own =
    a.owner = Of_thread && (not a.is_lazy)
    && Some owner = t.setting.target
    && not (remembers_threads t.setting.policy)
  in
  if List.mem a.id t.stand_still then
    match a.ty with
    | Cores -> k p (Many (in_attribute t owner a))
    | Threads | Groups | Domains -> k p (Many (opaque t a.name))
    | _ ->
        let v = standing owner a in
        k (know p (read_facts t owner a v)) (One v)
  else if
    own || (a.owner = Of_core && (not (a.is_lazy || a.system)) && locked t owner)
  then
    let p, v = attribute t p owner a in
    k p (One v)
  else
    match a.ty with
    | Cores -> k p (Many (look t a.name))
    | Threads | Groups | Domains -> k p (Many (opaque t a.name))
    | _ ->
        let v = fresh_attribute t owner a in
        k (know p (read_facts t owner a v)) (One v)

(* The conditional is one term where possible, because a term adds no paths.
   Then both sides are evaluated; no fact about an observation depends on
   whether the observation was made. A side that sets, moves or steals needs a
   path of its own. *)
and if_else t p c a b k =
  eval1 t p c (fun p c ->
      match a.ty_of with
      | ty when is_set ty || Blocks.acts a || Blocks.acts b ->
          let branch condition e =
            Option.iter (fun p -> eval t p e k) (assume p condition)
          in
          branch c a;
          branch (Term.not_ c) b
      | _ ->
          eval1 t p a (fun p a ->
              eval1 t p b (fun p b -> k p (One (Term.ite c a b)))))

and keys t p order core k =
  match order with
  | [] -> k p []
  | { direction; by } :: rest -> (
      let continue p v =
        let v = match direction with Lowest -> v | Highest -> Term.neg v in
        keys t p rest core (fun p vs -> k p (v :: vs))
      in
      match by with
      | By_cload ->
          let p, v = observe t p core `Cload in
          continue p v
      | By_count ->
          let p, v = observe t p core `Count in
          continue p v
      | Attribute a -> (
          match a.ty with
          | Int | Enum _ -> read t p core a (fun p v -> continue p (one v))
          | _ -> k p []))

and first t p set ty order k =
  let name =
    match ty with
    | Core -> "the first core"
    | Group -> "the first group"
    | _ -> "the first"
  in
  let instances, facts = set.instances_of p in
  let p = know p facts in
  let p, q = unknown t p ty name in
  let found = Term.le (Term.int 0) q in
  let p =
    know p
      (Term.implies set.inhabited found
      :: Term.implies set.vacant (Term.not_ found)
      :: Term.implies found (set.member q)
      :: List.map (fun x -> Term.implies (set.member x) found) instances)
  in
  if ty <> Core || order = [] then k p (One q)
  else
    keys t p order q (fun p of_q ->
        let rec compare p = function
          | [] -> k p (One q)
          | x :: rest ->
              keys t p order x (fun p of_x ->
                  compare
                    (know p
                       [
                         Term.implies (set.member x) (before_or_equal of_q of_x);
                       ])
                    rest)
        in
        compare p instances)

(* Before a thread has been moved, every look at the queue of a core whose lock
   is held finds the same thread in front. The queue has a front only if its
   word is at least 1. *)
and in_front t p core state v =
  if p.words = As_they_were && locked t core then
    know p
      [
        Term.implies
          (Term.le (Term.int 0) v)
          (Term.and_
             [
               Term.eq v (front core state);
               Term.le (Term.int 1) (locked_words core (`State state));
             ]);
      ]
  else p

and empty t p set k =
  let instances, facts = set.instances_of p in
  let v = fresh t "empty" Bool ~kind:Hidden in
  let member x = Term.implies (set.member x) (Term.not_ v) in
  let some = Term.implies set.inhabited (Term.not_ v)
  and none = Term.implies set.vacant v in
  k (know p ((some :: none :: facts) @ List.map member instances)) (One v)

(* Parameters are bound after all arguments have their values, because an
   argument may be a call of the same function. *)
and call t p f arguments k =
  let rec bind_all p values = function
    | argument :: rest ->
        eval t p argument (fun p v -> bind_all p (v :: values) rest)
    | [] -> body (List.fold_left2 bind_value p f.parameters (List.rev values))
  and body p =
    exec t p f.func_body (fun p outcome ->
        match (outcome, f.result) with
        | Returned (Some v), _ -> k p (One v)
        | (Returned None | Normal | Break_out), None -> k p (One Term.true_)
        | (Returned None | Normal | Break_out), Some ty ->
            let p, v = unknown t p ty (f.func_name ^ "()") ~kind:Hidden in
            k p (One v))
  in
  bind_all p [] arguments

(* {1 Statements} *)

and exec t p block k =
  match block with
  | [] -> k p Normal
  | s :: rest ->
      statement t p s (fun p outcome ->
          match outcome with
          | Normal -> exec t p rest k
          | Break_out | Returned _ -> k p outcome)

and statement t p s k =
  t.steps <- t.steps + 1;
  if t.steps > most_steps then raise Too_many_paths;
  match s.what with
  | Set_local (l, e) -> eval t p e (fun p v -> k (bind_value p l v) Normal)
  | Set (Some owner, a, e) ->
      eval1 t p owner (fun p o ->
          eval t p e (fun p v ->
              match v with
              | One v ->
                  (* Another name may stand for the same owner, so the values
                     read by other names are dropped. *)
                  let others =
                    List.filter (fun ((_, id), _) -> id <> a.id) p.attributes
                  in
                  k { p with attributes = ((o, a.id), v) :: others } Normal
              | Many _ -> k p Normal))
  | Set (None, _, e) -> eval t p e (fun p _ -> k p Normal)
  | Move { thread; core; state } ->
      eval1 t p thread (fun p moved ->
          eval1 t p core (fun p to_core ->
              let move =
                { moved; to_core; to_state = state; move_place = s.stands_at }
              in
              if not t.looking_ahead then t.moved_hook p move;
              let move_log = move :: p.move_log in
              let p = { (words_after t p move) with move_log } in
              k p Normal))
  | If (c, a, b) ->
      eval1 t p c (fun p c ->
          let branch condition block =
            Option.iter (fun p -> exec t p block k) (assume p condition)
          in
          branch c a;
          branch (Term.not_ c) b)
  | Foreach { each; among; order; body } ->
      evaln t p among (fun p set ->
          match Sums.of_body t.setting.policy body with
          | Some sums ->
              Sums.add t p ~each set ~called:(owner_of p among) sums
                ~evaluate:eval1 (fun p -> k p Normal)
          | None -> Loops.foreach t p each set order body k)
  | Break -> k p Break_out
  | Return None -> k p (Returned None)
  | Return (Some e) -> eval1 t p e (fun p v -> k p (Returned (Some v)))
  | Steal_for { group; core } -> (
      let steal for_group p =
        eval1 t p core (fun p for_core ->
            k
              { p with steal_log = { for_group; for_core } :: p.steal_log }
              Normal)
      in
      match group with
      | None -> steal None p
      | Some g -> eval1 t p g (fun p g -> steal (Some g) p))
  | Do e -> eval t p e (fun p _ -> k p Normal)

let evaluate t p e k = eval1 t p e k
let execute = exec
let create setting = Paths.create ~run:{ exec; keys } setting
