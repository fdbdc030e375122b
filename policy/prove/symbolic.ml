(* In continuation-passing style: a continuation is called once for each path.
   Paths are immutable; only the counters of fresh names are shared. *)

open Dromos_policy_core
open Core

type role = Idle | Busy of int
type core_facts = { core : Term.t; role : role option; locked : bool }

type setting = {
  policy : policy;
  loads : Loads.t;
  cores : core_facts list;
  instances : Term.t list;
  target : Term.t option;
  self : Term.t;
  filtered : Term.symbol option;
}

type move = {
  moved : Term.t;
  to_core : Term.t;
  to_state : state;
  move_place : place;
}

module Ints = Map.Make (Int)

(* A collection: which elements are its members, and those at which what holds
   for all is looked at, with what is known of them. *)
type set = {
  member : Term.t -> Term.t;
  instances_of : path -> Term.t list * Term.t list;
}

and value = One of Term.t | Many of set

and path = {
  facts : Term.t list; (* newest first *)
  locals : value Ints.t;
  attributes : ((Term.t * int) * Term.t) list;
  move_log : move list;
  steal_log : Term.t list;
  why_unclear : string option;
}

(* A loop, after it was tried: what its iterations leave changed when they end
   normally. *)
type loop = { body : block; changed : local list; goes_on_after_moves : bool }
type outcome = Normal | Break_out | Returned of Term.t option

exception Too_many_paths

type t = {
  setting : setting;
  names : (string, int) Hashtbl.t;
  mutable steps : int;
  mutable looking_ahead : bool; (* loops are tried before they are run *)
  mutable moved_hook : path -> move -> unit;
}

let most_steps = 50_000

let create setting =
  {
    setting;
    names = Hashtbl.create 64;
    steps = 0;
    looking_ahead = false;
    moved_hook = (fun _ _ -> ());
  }

let on_move t f = t.moved_hook <- f

let start =
  {
    facts = [];
    locals = Ints.empty;
    attributes = [];
    move_log = [];
    steal_log = [];
    why_unclear = None;
  }

let conditions p = List.rev p.facts
let moves p = p.move_log
let steals p = p.steal_log
let unclear p = p.why_unclear

let unique t name =
  let n = Option.value ~default:0 (Hashtbl.find_opt t.names name) + 1 in
  Hashtbl.replace t.names name n;
  if n = 1 then name else Printf.sprintf "%s #%d" name n

let sort_of : ty -> Term.sort = function Bool -> Bool | _ -> Int
let members_of : ty -> string array = function Enum e -> e.members | _ -> [||]

let fresh t name (ty : ty) =
  Term.variable
    {
      name = unique t name;
      sort = sort_of ty;
      members = members_of ty;
      is_name =
        (match ty with Thread | Core | Group | Domain -> true | _ -> false);
    }

let fresh_symbol t name arity result : Term.symbol =
  { symbol = unique t name; arity; result }

let assume p c =
  if c = Term.true_ then Some p
  else if c = Term.false_ || List.mem (Term.not_ c) p.facts then None
  else if List.mem c p.facts then Some p
  else Some { p with facts = c :: p.facts }

let assume_all p cs =
  List.fold_left (fun p c -> Option.bind p (fun p -> assume p c)) (Some p) cs

(* Facts about a value that was just made are never contradictory. *)
let know p cs =
  match assume_all p cs with
  | Some p -> p
  | None -> { p with facts = cs @ p.facts }

let bind p (l : local) v =
  { p with locals = Ints.add l.local_id (One v) p.locals }

let bind_value p (l : local) v =
  { p with locals = Ints.add l.local_id v p.locals }

(* {1 Values that are not known} *)

let range (ty : ty) v =
  match ty with
  | Enum e ->
      [ Term.le (Term.int 0) v; Term.lt v (Term.int (Array.length e.members)) ]
  | Thread | Core | Group | Domain -> [ Term.le Term.none v ]
  | Int | Bool | Threads | Cores | Groups | Domains -> []

let unknown t p ty name =
  let v = fresh t name ty in
  (know p (range ty v), v)

let attribute_facts t a v =
  match a.ty with
  | Int ->
      let { Loads.least; most } = Loads.bounds t.setting.policy a in
      let at f = function None -> [] | Some i -> [ f (Term.int i) ] in
      at (fun i -> Term.le i v) least @ at (fun i -> Term.le v i) most
  | ty -> range ty v

let attribute t p owner a =
  match List.assoc_opt (owner, a.id) p.attributes with
  | Some v -> (p, v)
  | None ->
      let name = Term.say owner ^ "." ^ a.name in
      let v = fresh t name a.ty in
      let p = know p (attribute_facts t a v) in
      ({ p with attributes = ((owner, a.id), v) :: p.attributes }, v)

let literal (e : expression) =
  match e.it with
  | Int_value i -> Some (Term.int i)
  | Bool_value b -> Some (Term.bool b)
  | Member (_, i) -> Some (Term.int i)
  | No_thread | No_core -> Some Term.none
  | _ -> None

(* A global that nobody sets is what it begins with; else anybody may have set
   it between two reads. *)
let global t p a =
  let constant =
    if Loads.never_set t.setting.policy a then Option.bind a.initial literal
    else None
  in
  match constant with
  | Some v -> (p, v)
  | None ->
      let v = fresh t a.name a.ty in
      (know p (attribute_facts t a v), v)

(* {1 Observations} *)

let word_name core what =
  let c = Term.say core in
  match what with
  | `Cload -> c ^ ".cload"
  | `Count -> "count(" ^ c ^ ")"
  | `State s -> "count(" ^ c ^ "." ^ s.state_name ^ ")"

let locked_words core what =
  Term.variable
    { name = word_name core what; sort = Int; members = [||]; is_name = false }

let least_of loads threads =
  match loads with
  | Loads.Unit -> Some threads
  | At_least l -> Some (l * threads)
  | Anything -> None

let role_facts loads what v role =
  match (role, what) with
  | None, _ -> []
  | Some Idle, _ -> [ Term.eq v (Term.int 0) ]
  | Some (Busy k), `Count -> [ Term.le (Term.int k) v ]
  | Some (Busy k), `Cload -> (
      match least_of loads k with
      | Some least -> [ Term.le (Term.int least) v ]
      | None -> [])
  | Some (Busy _), `State _ -> []

let observe t p core what =
  let { loads; cores; _ } = t.setting in
  match List.find_opt (fun c -> c.locked && c.core = core) cores with
  | Some _ ->
      let what = if what = `Cload && loads = Loads.Unit then `Count else what in
      (p, locked_words core what)
  | None ->
      let v = fresh t (word_name core what) Int in
      let sign =
        if what = `Cload && loads = Loads.Anything then []
        else [ Term.le (Term.int 0) v ]
      in
      let roles =
        List.concat_map
          (fun c ->
            List.map
              (Term.implies (Term.eq core c.core))
              (role_facts loads what v c.role))
          cores
      in
      (know p (sign @ roles), v)

(* {1 Sets} *)

let cores_of_group : Term.symbol =
  { symbol = "cores_of_group"; arity = 2; result = Bool }

let cores_of_domain : Term.symbol =
  { symbol = "cores_of_domain"; arity = 2; result = Bool }

let groups_of : Term.symbol = { symbol = "groups_of"; arity = 2; result = Bool }

let domains_of : Term.symbol =
  { symbol = "domains_of"; arity = 2; result = Bool }

let holder : Term.symbol = { symbol = "group_holding"; arity = 2; result = Int }

let largest =
  Term.variable
    { name = "the largest domain"; sort = Int; members = [||]; is_name = true }

let core_set t member =
  { member; instances_of = (fun _ -> (t.setting.instances, [])) }

(* A core of a domain is in one of its groups. *)
let groups t domain =
  let member g = Term.apply groups_of [ domain; g ] in
  let instances_of _ =
    List.map
      (fun c ->
        let g = Term.apply holder [ domain; c ] in
        ( g,
          Term.implies
            (Term.apply cores_of_domain [ domain; c ])
            (Term.and_
               [
                 Term.le (Term.int 0) g;
                 member g;
                 Term.apply cores_of_group [ g; c ];
               ]) ))
      t.setting.instances
    |> List.split
  in
  { member; instances_of }

(* The domains of a core end with the one that holds all cores. *)
let domains t core =
  let member d = Term.apply domains_of [ core; d ] in
  let instances_of _ =
    ( [ largest ],
      (Term.le (Term.int 0) largest :: [ member largest ])
      @ List.map
          (fun c -> Term.apply cores_of_domain [ largest; c ])
          t.setting.instances )
  in
  { member; instances_of }

let threads =
  { member = (fun _ -> Term.true_); instances_of = (fun _ -> ([], [])) }

(* Membership of a set that others change says nothing that lasts. *)
let look t name =
  let symbol = fresh_symbol t name 1 Bool in
  core_set t (fun c -> Term.apply symbol [ c ])

(* Groups or domains of which nothing is known. *)
let opaque t name =
  let symbol = fresh_symbol t name 1 Bool in
  {
    member = (fun x -> Term.apply symbol [ x ]);
    instances_of = (fun _ -> ([], []));
  }

(* {1 Expressions} *)

let one = function One v -> v | Many _ -> invalid_arg "Symbolic: a collection"

let many = function
  | Many s -> s
  | One _ -> invalid_arg "Symbolic: not a collection"

let arithmetic operator a b ~bitwise =
  match operator with
  | Add -> Term.add [ a; b ]
  | Sub -> Term.sub a b
  | Mul -> Term.mul a b
  | Div k -> Term.quotient a k
  | Mod k -> Term.remainder a k
  | And -> Term.and_ [ a; b ]
  | Or -> Term.or_ [ a; b ]
  | Eq -> Term.eq a b
  | Ne -> Term.not_ (Term.eq a b)
  | Lt -> Term.lt a b
  | Le -> Term.le a b
  | Gt -> Term.lt b a
  | Ge -> Term.le b a
  | Bit_and -> bitwise "bit_and" ( land )
  | Bit_or -> bitwise "bit_or" ( lor )

let bitwise a b name f =
  match ((a : Term.t), (b : Term.t)) with
  | Int_literal i, Int_literal j -> Term.int (f i j)
  | _ -> Term.apply { symbol = name; arity = 2; result = Int } [ a; b ]

let rec eval t p e k =
  match e.it with
  | Int_value _ | Bool_value _ | Member _ | No_thread | No_core ->
      k p (One (Option.get (literal e)))
  | Local l -> (
      match Ints.find_opt l.local_id p.locals with
      | Some v -> k p v
      | None -> (
          match l.local_ty with
          | Threads -> k p (Many threads)
          | Cores -> k p (Many (look t l.local_name))
          | Groups | Domains -> k p (Many (opaque t l.local_name))
          | ty ->
              let p, v = unknown t p ty l.local_name in
              k (bind p l v) (One v)))
  | Self -> k p (One t.setting.self)
  | Target -> k p (One (Option.value ~default:t.setting.self t.setting.target))
  | Read (None, a) ->
      let p, v = global t p a in
      k p (One v)
  | Read (Some owner, a) -> eval1 t p owner (fun p o -> read t p o a k)
  | Cload c -> observation t p c `Cload k
  | Runnable c -> observation t p c `Count k
  | Count (c, s) -> observation t p c (`State s) k
  | Threads_in (c, s) ->
      eval1 t p c (fun p _ ->
          match s.container with
          | Slot ->
              let p, v = unknown t p Thread s.state_name in
              k p (One v)
          | Queue _ | Nowhere -> k p (Many threads))
  | All_cores -> k p (Many (core_set t (fun _ -> Term.true_)))
  | Idle_cores -> k p (Many (look t "idle_cores"))
  | Active_cores -> k p (Many (look t "active_cores"))
  | Filtered ->
      let symbol =
        match t.setting.filtered with
        | Some s -> s
        | None -> fresh_symbol t "filtered" 1 Bool
      in
      k p (Many (core_set t (fun c -> Term.apply symbol [ c ])))
  | Cores_of g ->
      let f = if g.ty_of = Domain then cores_of_domain else cores_of_group in
      eval1 t p g (fun p g ->
          k p (Many (core_set t (fun c -> Term.apply f [ g; c ]))))
  | Groups_of d -> eval1 t p d (fun p d -> k p (Many (groups t d)))
  | Domains_of c -> eval1 t p c (fun p c -> k p (Many (domains t c)))
  | First (s, order) -> evaln t p s (fun p set -> first t p set e.ty_of order k)
  | Empty s -> evaln t p s (fun p set -> empty t p set k)
  | Valid e -> eval1 t p e (fun p v -> k p (One (Term.le (Term.int 0) v)))
  | In (x, s) ->
      eval1 t p x (fun p x ->
          evaln t p s (fun p set -> k p (One (set.member x))))
  | Not e -> eval1 t p e (fun p v -> k p (One (Term.not_ v)))
  | Minus e -> eval1 t p e (fun p v -> k p (One (Term.neg v)))
  | Operation (op, a, b) ->
      eval1 t p a (fun p a ->
          eval1 t p b (fun p b ->
              k p (One (arithmetic op a b ~bitwise:(bitwise a b)))))
  | If_else (c, a, b) -> if_else t p c a b k
  | Call (f, arguments) -> call t p f arguments k

and eval1 t p e k = eval t p e (fun p v -> k p (one v))
and evaln t p e k = eval t p e (fun p v -> k p (many v))

and observation t p c what k =
  eval1 t p c (fun p core ->
      let p, v = observe t p core what in
      k p (One v))

(* Its own thread's attributes stand still; those of anything else may have been
   set between two reads. *)
and read t p owner a k =
  let own =
    a.owner = Of_thread && (not a.is_lazy) && Some owner = t.setting.target
  in
  if own then
    let p, v = attribute t p owner a in
    k p (One v)
  else
    let name = Term.say owner ^ "." ^ a.name in
    match a.ty with
    | Threads -> k p (Many threads)
    | Cores -> k p (Many (look t name))
    | Groups | Domains -> k p (Many (opaque t name))
    | ty ->
        let v = fresh t name ty in
        k (know p (attribute_facts t a v)) (One v)

(* A term where it can be one, since that makes no more paths. Both sides are
   evaluated: nothing that is known of an observation depends on whether it was
   made. *)
and if_else t p c a b k =
  eval1 t p c (fun p c ->
      match a.ty_of with
      | Threads | Cores | Groups | Domains ->
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

(* Both lists are as long as the shorter: where one key says nothing, what
   follows does not either. *)
and before_or_equal a b =
  match (a, b) with
  | a :: rest_a, b :: rest_b ->
      Term.or_
        [
          Term.lt a b; Term.and_ [ Term.eq a b; before_or_equal rest_a rest_b ];
        ]
  | _ -> Term.true_

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
      (Term.implies found (set.member q)
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

and empty t p set k =
  let instances, facts = set.instances_of p in
  let v = fresh t "empty" Bool in
  let member x = Term.implies (set.member x) (Term.not_ v) in
  k (know p (facts @ List.map member instances)) (One v)

and call t p f arguments k =
  let rec bind_all p parameters arguments =
    match (parameters, arguments) with
    | parameter :: parameters, argument :: arguments ->
        eval t p argument (fun p v ->
            (* Bound only once all arguments have their values. *)
            bind_all_after p parameter v parameters arguments)
    | _ -> body p
  and bind_all_after p parameter v parameters arguments =
    bind_all (bind_value p parameter v) parameters arguments
  and body p =
    exec t p f.func_body (fun p outcome ->
        match (outcome, f.result) with
        | Returned (Some v), _ -> k p (One v)
        | (Returned None | Normal | Break_out), None -> k p (One Term.true_)
        | (Returned None | Normal | Break_out), Some ty ->
            let p, v = unknown t p ty (f.func_name ^ "()") in
            k p (One v))
  in
  bind_all p f.parameters arguments

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
                  let attributes =
                    ((o, a.id), v) :: List.remove_assoc (o, a.id) p.attributes
                  in
                  k { p with attributes } Normal
              | Many _ -> k p Normal))
  | Set (None, _, e) -> eval t p e (fun p _ -> k p Normal)
  | Move { thread; core; state } ->
      eval1 t p thread (fun p moved ->
          eval1 t p core (fun p to_core ->
              let move =
                { moved; to_core; to_state = state; move_place = s.stands_at }
              in
              if not t.looking_ahead then t.moved_hook p move;
              k { p with move_log = move :: p.move_log } Normal))
  | If (c, a, b) ->
      eval1 t p c (fun p c ->
          let branch condition block =
            Option.iter (fun p -> exec t p block k) (assume p condition)
          in
          branch c a;
          branch (Term.not_ c) b)
  | Foreach { each; among; order; body } ->
      evaln t p among (fun p set -> foreach t p each set order body k)
  | Break -> k p Break_out
  | Return None -> k p (Returned None)
  | Return (Some e) -> eval1 t p e (fun p v -> k p (Returned (Some v)))
  | Steal_for { core; _ } ->
      eval1 t p core (fun p c ->
          k { p with steal_log = c :: p.steal_log } Normal)
  | Do e -> eval t p e (fun p _ -> k p Normal)

(* {1 Loops} *)

and foreach t p (each : local) set order body k =
  let instances, facts = set.instances_of p in
  let p = know p facts in
  let loop = look_ahead t p each set body in
  quietly t (fun () -> fall_through t p each set instances loop)
  |> List.iter (fun p -> k p Normal);
  leave t p each set instances order loop k

(* [f], with the moves of what it tries not reported. *)
and quietly : 'a. t -> (unit -> 'a) -> 'a =
 fun t f ->
  let before = t.looking_ahead in
  t.looking_ahead <- true;
  Fun.protect f ~finally:(fun () -> t.looking_ahead <- before)

and forget t p loop =
  List.fold_left
    (fun p (l : local) ->
      match l.local_ty with
      | Threads -> bind_value p l (Many threads)
      | Cores -> bind_value p l (Many (look t l.local_name))
      | Groups | Domains -> bind_value p l (Many (opaque t l.local_name))
      | ty ->
          let p, v = unknown t p ty l.local_name in
          bind p l v)
    (forget_attributes p loop) loop.changed

(* Which locals an iteration that ends normally may leave with another value:
   tried with more and more of them unknown, until nothing is added. *)
and look_ahead t p each set body =
  let temporary = Blocks.temporaries body in
  let assigned =
    List.filter
      (fun (l : local) ->
        not (List.exists (fun (t : local) -> t.local_id = l.local_id) temporary))
      (Blocks.assigned_locals body)
  in
  let rec close loop =
    let p = forget t p loop in
    let p, x = member_of t p each set in
    let found = ref loop in
    exec t (bind p each x) body (fun after outcome ->
        if outcome = Normal then begin
          if after.move_log != p.move_log then
            found := { !found with goes_on_after_moves = true };
          List.iter
            (fun l ->
              if (not (same p after l)) && not (List.memq l !found.changed) then
                found := { !found with changed = l :: !found.changed })
            assigned
        end);
    if List.compare_lengths !found.changed loop.changed = 0 then !found
    else close !found
  in
  quietly t (fun () ->
      close { body; changed = []; goes_on_after_moves = false })

and same p after (l : local) =
  match
    (Ints.find_opt l.local_id p.locals, Ints.find_opt l.local_id after.locals)
  with
  | Some a, Some b -> a == b || same_value a b
  | None, _ -> true
  | Some _, None -> false

and same_value a b = match (a, b) with One a, One b -> a = b | _ -> false

and member_of t p (each : local) set =
  let p, x = unknown t p each.local_ty each.local_name in
  (know p [ Term.le (Term.int 0) x; set.member x ], x)

(* Every iteration ended normally. Then either none changed a local, or one was
   the last to. *)
and fall_through t p each set instances loop =
  let paths = ref [] in
  let keep p =
    let p =
      {
        p with
        locals =
          List.fold_left
            (fun locals (l : local) -> Ints.remove l.local_id locals)
            p.locals
            (Blocks.temporaries loop.body);
      }
    in
    let p =
      if Blocks.sets loop.body = [] then p else forget_attributes p loop
    in
    let p =
      if loop.goes_on_after_moves then
        { p with why_unclear = Some "a loop goes on after it moved a thread" }
      else p
    in
    paths := p :: !paths
  in
  every t p each set instances loop keep;
  if loop.changed <> [] then begin
    let before = forget t p loop in
    let before, x = member_of t before each set in
    exec t (bind before each x) loop.body (fun after outcome ->
        if
          outcome = Normal
          && not (List.for_all (same before after) loop.changed)
        then around t after each set x instances loop ~first_state:before keep)
  end;
  List.rev !paths

and forget_attributes p loop =
  let set_in_loop = List.map (fun a -> a.id) (Blocks.sets loop.body) in
  {
    p with
    attributes =
      List.filter
        (fun ((_, id), _) -> not (List.mem id set_in_loop))
        p.attributes;
  }

(* Each instance's iteration ends normally and leaves the locals as they are. *)
and every t p each set instances loop k =
  match instances with
  | [] -> k p
  | x :: rest ->
      let continue p = every t p each set rest loop k in
      Option.iter continue (assume p (Term.not_ (set.member x)));
      Option.iter
        (fun p -> unchanged t p each x loop continue)
        (assume p (set.member x))

and unchanged t p each x loop k =
  exec t (bind p each x) loop.body (fun after outcome ->
      if outcome = Normal then
        let same (l : local) =
          match
            ( Ints.find_opt l.local_id p.locals,
              Ints.find_opt l.local_id after.locals )
          with
          | Some (One a), Some (One b) -> Term.eq a b
          | _ -> Term.true_
        in
        Option.iter
          (fun after -> k { after with locals = p.locals })
          (assume_all after (List.map same loop.changed)))

(* The iteration at [x] was the last to change a local: another instance is
   [x], or came later and changed nothing, or came before. *)
and around t p each set x instances loop ~first_state k =
  match instances with
  | [] -> k p
  | y :: rest ->
      let continue p = around t p each set x rest loop ~first_state k in
      Option.iter continue (assume p (Term.not_ (set.member y)));
      Option.iter continue (assume p (Term.eq x y));
      let other = assume_all p [ set.member y; Term.not_ (Term.eq x y) ] in
      Option.iter
        (fun p ->
          unchanged t p each y loop continue;
          earlier t p each y loop ~first_state continue)
        other

(* An earlier iteration: from locals that are not known to locals that are not
   known, but that what it kept from growing stays so: if no iteration can
   raise a local, its value at [x] is at most what [y] left. *)
and earlier t p each y loop ~first_state k =
  let start = forget t p loop in
  exec t (bind start each y) loop.body (fun after outcome ->
      if outcome = Normal then
        let falls (l : local) =
          if l.local_ty = Int && never_raised t p each l loop then
            match
              ( Ints.find_opt l.local_id after.locals,
                Ints.find_opt l.local_id first_state.locals )
            with
            | Some (One left), Some (One at_x) -> Term.le at_x left
            | _ -> Term.true_
          else Term.true_
        in
        Option.iter
          (fun after -> k { after with locals = p.locals })
          (assume_all after (List.map falls loop.changed)))

(* No iteration raises [l]: on each path it is as before, or what it becomes was
   compared with what it was. *)
and never_raised t p each l loop =
  let start = forget t p loop in
  let start, x = unknown t start each.local_ty each.local_name in
  match Ints.find_opt l.local_id start.locals with
  | Some (One before) ->
      let holds = ref true in
      exec t (bind start each x) loop.body (fun after outcome ->
          if outcome = Normal then
            match Ints.find_opt l.local_id after.locals with
            | Some (One now)
              when now = before
                   || List.mem (Term.lt now before) after.facts
                   || List.mem (Term.le now before) after.facts ->
                ()
            | _ -> holds := false);
      !holds
  | _ -> false

(* Left at a member by return or break. In an ordered loop an instance is that
   member, or came before it and went on, or comes after it in the order. *)
and leave t p each set instances order loop k =
  let p = forget t p loop in
  let p, x = member_of t p each set in
  let at_exit p =
    exec t (bind p each x) loop.body (fun p outcome ->
        match outcome with
        | Normal -> ()
        | Break_out -> k p Normal
        | Returned _ -> k p outcome)
  in
  if order = [] || each.local_ty <> Core then at_exit p
  else
    let rec place p = function
      | [] -> at_exit p
      | y :: rest ->
          let continue p = place p rest in
          Option.iter continue (assume p (Term.not_ (set.member y)));
          Option.iter continue (assume p (Term.eq x y));
          Option.iter
            (fun p ->
              keys t p order x (fun p of_x ->
                  keys t p order y (fun p of_y ->
                      Option.iter continue
                        (assume p (before_or_equal of_x of_y))));
              let q = forget t p loop in
              let went_on = ref [] in
              quietly t (fun () ->
                  exec t (bind q each y) loop.body (fun after outcome ->
                      if outcome = Normal then
                        went_on := { after with locals = p.locals } :: !went_on));
              List.iter continue !went_on)
            (assume_all p [ set.member y; Term.not_ (Term.eq x y) ])
    in
    place p instances

let evaluate t p e k = eval1 t p e k
let execute = exec
