(* Paths are immutable; only the counters of fresh names are shared. *)

open Dromos_policy_core
open Core
open Types
module Ints = Map.Make (Int)

exception Too_many_paths

let most_steps = 50_000

(* The names reserved for solvers and the prover. A variable of the policy with
   a reserved name is renamed. *)
let reserved setting =
  let name (t : Term.t) =
    match t.node with Variable v -> [ v.name ] | _ -> []
  in
  List.concat_map name
    ((setting.self :: List.map (fun c -> c.core) setting.cores)
    @ setting.instances
    @ Option.to_list setting.target)
  @ [ "waker"; "filtered"; "cores_of_group"; "cores_of_domain"; "groups_of" ]
  @ [ "domains_of"; "group_holding"; "bit_and"; "bit_or" ]
  @ List.map
      (fun (s : Term.symbol) -> s.symbol)
      [ Term.divided; Term.rest_of_division ]

(* The attributes of the system that the affinity reads: where threads may
   run. *)
let of_affinity policy =
  let found = ref [] in
  let expression e =
    match e.it with
    | Read (Some _, a) when a.system -> found := a.id :: !found
    | _ -> ()
  in
  Option.iter
    (fun f -> Visits.block f.func_body ~statement:ignore ~expression)
    (Query.affinity policy);
  List.sort_uniq Int.compare !found

(* The numbers of the queues to which no statement moves a thread. *)
let never_entered policy =
  let entered = Query.entered policy in
  Query.ready policy
  |> List.filter (fun s -> not (List.memq s entered))
  |> List.map (fun s -> s.state_id)

let create ~run setting =
  let names = Hashtbl.create 64 in
  List.iter (fun name -> Hashtbl.replace names name 1) (reserved setting);
  {
    setting;
    names;
    steps = 0;
    looking_ahead = false;
    moved_hook = (fun _ _ -> ());
    stand_still = of_affinity setting.policy;
    never_entered = never_entered setting.policy;
    run;
  }

let on_move t f = t.moved_hook <- f

let start =
  {
    facts = [];
    known = Ints.empty;
    locals = Ints.empty;
    attributes = [];
    move_log = [];
    words = As_they_were;
    steal_log = [];
    why_unclear = None;
  }

let conditions p = List.rev_map snd p.facts
let fact_count p = List.length p.facts

let pick origin p =
  List.filter_map (fun (o, c) -> if o = origin then Some c else None) p.facts
  |> List.rev

let branches p = pick Branch p
let bounds p = pick Bound p
let of_role core p = pick (Of_role core) p
let moves p = p.move_log
let steals p = p.steal_log
let unclear p = p.why_unclear

let unique t name =
  let n = Option.value ~default:0 (Hashtbl.find_opt t.names name) + 1 in
  Hashtbl.replace t.names name n;
  if n = 1 then name else Printf.sprintf "%s #%d" name n

let sort_of : ty -> Term.sort = function Bool -> Bool | _ -> Int
let members_of : ty -> string array = function Enum e -> e.members | _ -> [||]

let kind_of kind : ty -> Term.kind = function
  | Thread | Core | Group | Domain -> Name
  | _ -> kind

let fresh ?base ?(kind = Term.Value) t name (ty : ty) =
  Term.variable
    {
      name = unique t name;
      base = Option.value ~default:name base;
      sort = sort_of ty;
      members = members_of ty;
      kind = kind_of kind ty;
    }

let owner_sort : owner -> string = function
  | Of_thread -> "thread"
  | Of_core -> "core"
  | Of_group -> "group"
  | Of_domain -> "domain"
  | Global -> "policy"

(* The name of an attribute or word of this owner. *)
let of_owner owner name =
  if String.contains owner ' ' then name ^ " of " ^ owner
  else owner ^ "." ^ name

let fresh_attribute t owner a =
  let of_ say = of_owner (say (owner_sort a.owner) owner) a.name in
  fresh t (of_ Term.distinct_name) ~base:(of_ Term.called) a.ty

let fresh_symbol t name arity result : Term.symbol =
  { symbol = unique t name; arity; result }

(* The facts of [known] that are equal to [c]. *)
let alike p (c : Term.t) =
  Option.value ~default:[] (Ints.find_opt c.hash p.known)
  |> List.filter (fun (_, known) -> Term.equal known c)

let holds p c = alike p c <> []

let with_fact origin p (c : Term.t) =
  Effort.spend 1;
  let others = Option.value ~default:[] (Ints.find_opt c.hash p.known) in
  {
    p with
    facts = (origin, c) :: p.facts;
    known = Ints.add c.hash ((origin, c) :: others) p.known;
  }

(* Adds a fact, or None if the path knows the contrary. A fact from a role
   makes no path impossible here: so the paths, and the names on them, do not
   depend on the roles of the cores. *)
let add origin p c =
  let firm (o, _) =
    match o with Of_role _ -> false | Branch | Bound -> true
  in
  if c = Term.true_ then Some p
  else if c = Term.false_ || List.exists firm (alike p (Term.not_ c)) then None
  else if List.exists (fun (o, _) -> o = origin) (alike p c) then Some p
  else Some (with_fact origin p c)

let assume p c = add Branch p c

let assume_all p cs =
  List.fold_left (fun p c -> Option.bind p (fun p -> assume p c)) (Some p) cs

(* A fact that contradicts the path is added too: the path is then impossible,
   and the prover finds out. *)
let know_of origin p cs =
  List.fold_left
    (fun p c ->
      match add origin p c with Some p -> p | None -> with_fact origin p c)
    p cs

let know p cs = know_of Bound p cs

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

let unknown ?kind t p ty name =
  let v = fresh ?kind t name ty in
  (know p (range ty v), v)

let attribute_facts t a v =
  match a.ty with
  | Int ->
      let { Loads.least; most } = Loads.bounds t.setting.policy a in
      let at f = function None -> [] | Some i -> [ f (Term.int i) ] in
      at (fun i -> Term.le i v) least @ at (fun i -> Term.le v i) most
  | ty -> range ty v

let literal (e : expression) =
  match e.it with
  | Int_value i -> Some (Term.int i)
  | Bool_value b -> Some (Term.bool b)
  | Member (_, i) -> Some (Term.int i)
  | No_thread | No_core | No_group | No_domain -> Some Term.none
  | _ -> None

(* The value of an attribute of none, where the value is a literal. *)
let of_none a =
  match (a.is_lazy, a.initial, a.ty) with
  | true, _, _ -> None
  | false, Some e, _ -> literal e
  | false, None, (Int | Enum _) -> Some (Term.int 0)
  | false, None, Bool -> Some Term.false_
  | false, None, (Thread | Core | Group | Domain) -> Some Term.none
  | false, None, (Threads | Cores | Groups | Domains) -> None

(* The target, the handler's core and the cores with roles are never none. *)
let read_facts t owner a v =
  let exists =
    Some owner = t.setting.target
    || owner = t.setting.self
    || List.exists (fun c -> c.core = owner) t.setting.cores
  in
  let at_none initial =
    Term.implies (Term.lt owner (Term.int 0)) (Term.eq v initial)
  in
  (if exists then [] else Option.to_list (Option.map at_none (of_none a)))
  @ attribute_facts t a v

let attribute t p owner a =
  match List.assoc_opt (owner, a.id) p.attributes with
  | Some v -> (p, v)
  | None ->
      let v = fresh_attribute t owner a in
      let p = know p (read_facts t owner a v) in
      ({ p with attributes = ((owner, a.id), v) :: p.attributes }, v)

(* An unchanging attribute has one term for each owner, on every path. *)
let standing owner a =
  match owner.Term.node with
  | Variable _ ->
      let of_ say = of_owner (say (owner_sort a.owner) owner) a.name in
      Term.variable
        {
          name = of_ Term.distinct_name;
          base = of_ Term.called;
          sort = sort_of a.ty;
          members = members_of a.ty;
          kind = kind_of Term.Value a.ty;
        }
  | _ ->
      Term.apply
        { symbol = a.name ^ " of the same"; arity = 1; result = sort_of a.ty }
        [ owner ]

(* A global that no statement sets has its initial value. Any other global may
   be set by another core between two reads. *)
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

let word_name c what =
  match what with
  | `Cload -> of_owner c "cload"
  | `Count -> "count(" ^ c ^ ")"
  | `State s -> "count(" ^ of_owner c s.state_name ^ ")"

let locked_words core what =
  let base = word_name (Term.called "core" core) what
  and name = word_name (Term.distinct_name "core" core) what in
  Term.variable { name; base; sort = Int; members = [||]; kind = Word }

let state_facts policy core =
  let never = never_entered policy in
  List.map
    (fun s ->
      let word = locked_words core (`State s) in
      if List.mem s.state_id never then Term.eq word (Term.int 0)
      else Term.le (Term.int 0) word)
    (List.filter Query.runnable (Array.to_list policy.states))

let least_of loads threads =
  match loads with
  | Loads.Each load | Between { least = load; _ } -> Some (load * threads)
  | Anything -> None

let at_least loads what v threads =
  match what with
  | `Count -> [ Term.le (Term.int threads) v ]
  | `Cload ->
      Option.to_list (least_of loads threads)
      |> List.map (fun least -> Term.le (Term.int least) v)
  | `State _ -> []

let role_facts loads what v role =
  match (role, what) with
  | None, _ -> []
  | Some Idle, _ -> [ Term.eq v (Term.int 0) ]
  | Some Never_without, _ -> at_least loads what v 1
  | Some (Busy k), _ -> at_least loads what v k

type word = [ `Cload | `Count | `State of state ]

(* The facts about an observation that hold for every role. If all loads are
   the same, each cload is a multiple of the load. *)
let word_facts t what v =
  match (what, t.setting.loads) with
  | `Cload, Loads.Anything -> []
  | `Cload, Each load when load > 1 ->
      let threads = fresh t "threads" ~kind:Hidden Int in
      [
        Term.le (Term.int 0) threads;
        Term.eq v (Term.mul (Term.int load) threads);
      ]
  | _ -> [ Term.le (Term.int 0) v ]

let moved_word p what =
  match (what, p.words) with
  | `State s, Since_moves words -> List.assoc_opt s.state_id words
  | _ -> None

let ready_word t p core s =
  match p.words with
  | _ when List.mem s.state_id t.never_entered -> Some (Term.int 0)
  | As_they_were -> Some (locked_words core (`State s))
  | Since_moves words -> List.assoc_opt s.state_id words
  | Unknown -> None

let words_after_moves t ~before p facts =
  let states =
    Query.ready t.setting.policy
    |> List.filter (fun s -> not (List.mem s.state_id t.never_entered))
  in
  let olds = List.map (ready_word t before t.setting.self) states in
  if (not t.setting.moves_ready) || List.mem None olds then
    { p with words = Unknown }
  else
    let olds = List.map Option.get olds in
    let news =
      List.map
        (fun s ->
          let say = word_name (Term.called "core" t.setting.self) (`State s) in
          fresh t say ~kind:Word Int)
        states
    in
    let bounds s v =
      Term.le (Term.int 0) v
      ::
      (if Query.displaced_to s <> None then [ Term.le v (Term.int 1) ] else [])
    in
    let words = List.map2 (fun s v -> (s.state_id, v)) states news in
    let p =
      know p
        (Term.eq (Term.add news) (Term.add olds)
        :: List.concat (List.map2 bounds states news))
    in
    let p = { p with words = Since_moves words } in
    know p (facts (fun s -> List.assoc_opt s.state_id words))

(* The words of the handler's core are those at the beginning only until the
   handler moves a thread. *)
let observe t p core (what : word) =
  let { loads; cores; _ } = t.setting in
  let always_empty =
    match what with
    | `State s -> List.mem s.state_id t.never_entered
    | `Cload | `Count -> false
  in
  match List.find_opt (fun c -> c.locked && c.core = core) cores with
  | _ when always_empty -> (p, Term.int 0)
  | Some _ when p.words = As_they_were -> (
      match (what, loads) with
      | `Cload, Each load ->
          (p, Term.mul (Term.int load) (locked_words core `Count))
      | _ -> (p, locked_words core what))
  | Some _ when moved_word p what <> None -> (p, Option.get (moved_word p what))
  | Some _ | None ->
      let v =
        fresh t
          (word_name (Term.distinct_name "core" core) what)
          ~base:(word_name (Term.called "core" core) what)
          ~kind:Word Int
      in
      let p =
        List.fold_left
          (fun p c ->
            know_of (Of_role c.core) p
              (List.map
                 (Term.implies (Term.eq core c.core))
                 (role_facts loads what v c.role)))
          (know p (word_facts t what v))
          cores
      in
      (p, v)

(* The lists are cut to the length of the shorter one: after a key with an
   unknown value, later keys decide nothing. *)
let rec before_or_equal a b =
  match (a, b) with
  | a :: rest_a, b :: rest_b ->
      Term.or_
        [
          Term.lt a b; Term.and_ [ Term.eq a b; before_or_equal rest_a rest_b ];
        ]
  | _ -> Term.true_
