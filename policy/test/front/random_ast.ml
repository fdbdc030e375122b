(* Random trees of every kind that the parser can make. Few of them mean
   anything. *)

open Dromos_policy_core
open Dromos_policy_syntax
open Ast
open QCheck2.Gen

let here = Places.nowhere

let word =
  let letter = oneof [ char_range 'a' 'z'; char_range 'A' 'Z'; return '_' ] in
  let words = string_size ~gen:letter (int_range 1 9) in
  let free text =
    if List.mem_assoc text Tokens.keywords || List.mem text Tokens.unsupported
    then text ^ "_"
    else text
  in
  oneof [ map free words; oneofl [ "idle"; "rounds"; "within"; "t"; "src" ] ]

let name = map (fun text -> { text; at = here }) word

let field =
  oneof
    [
      name;
      map
        (fun text -> { text; at = here })
        (oneofl [ "cores"; "core"; "group"; "domain"; "threads" ]);
    ]

let ty =
  let simple text = Simple text in
  let set text = Set text in
  let owners = oneofl [ "thread"; "core"; "group"; "domain" ] in
  map
    (fun ty -> { ty; ty_at = here })
    (oneof
       [
         return Void;
         map simple (oneofl [ "int"; "bool" ]);
         map simple owners;
         map set owners;
         map simple word;
       ])

let few gen = list_size (int_range 0 3) gen
let some gen = list_size (int_range 1 3) gen
let maybe gen = opt gen

let key : key t =
  let* direction = oneofl [ Core.Highest; Core.Lowest ] in
  let+ by = name in
  { direction; by }

let order = few key

let binary =
  oneofl
    [
      Or; And; Bit_or; Bit_and; Eq; Ne; Lt; Le; Gt; Ge; In; Add; Sub; Mul; Div;
      Mod;
    ]
[@@ocamlformat "disable"]

let rec exp size =
  let made e = { e; e_at = here } in
  let leaf =
    oneof
      [
        map (fun n -> Int n) (int_range 0 100000);
        map (fun b -> Bool b) bool;
        map (fun n -> Name n) word;
        return Self;
      ]
  in
  let inner () =
    let smaller = exp (size / 2) in
    oneof
      [
        map2 (fun e f -> Field (e, f)) smaller field;
        map2 (fun e keys -> First (e, keys)) smaller order;
        map2 (fun f es -> Call (f, es)) name (few smaller);
        map2 (fun op e -> Unary (op, e)) (oneofl [ Not; Minus ]) smaller;
        map3 (fun op a b -> Binary (op, a, b)) binary smaller smaller;
        map3 (fun a b c -> Choose (a, b, c)) smaller smaller smaller;
      ]
  in
  map made (if size <= 0 then leaf else frequency [ (1, leaf); (4, inner ()) ])

let expression = int_range 0 12 >>= exp

let rec stmt size =
  let made s = { s; s_at = here } in
  let e = expression in
  let leaf =
    oneof
      [
        map3 (fun t n v -> Declare (t, n, v)) ty name (maybe e);
        map2 (fun a b -> Assign (a, b)) e e;
        map2 (fun a b -> Increase (a, b)) e e;
        map2 (fun a b -> Decrease (a, b)) e e;
        map (fun a -> Increment a) e;
        map (fun a -> Decrement a) e;
        map2 (fun a b -> Move (a, b)) e e;
        map (fun v -> Return v) (maybe e);
        return Break;
        map (fun a -> Do a) e;
      ]
  in
  let inner () =
    let smaller = block (size / 2) in
    oneof
      [
        map3 (fun c a b -> If (c, a, b)) e smaller (maybe smaller);
        map3
          (fun (n, a) keys b -> Foreach (n, a, keys, b))
          (pair name e) order smaller;
        map (fun b -> Block b) smaller;
      ]
  in
  map made (if size <= 0 then leaf else oneof [ leaf; inner () ])

(* A block of one block is the inner block, as the parser makes it. *)
and block size =
  let flat = function
    | [ { s = Block b; _ } ] -> b
    | body -> { body; closed = here }
  in
  map flat (few (stmt size))

let code = int_range 0 8 >>= block
let parameter = map2 (fun p_ty p_name -> { p_ty; p_name }) ty name

let func =
  let* result = ty and* f_name = name and* parameters = few parameter in
  let+ f_body = code in
  { result; f_name; parameters; f_body; f_at = here }

let declared =
  map3 (fun system shared is_lazy -> { system; shared; is_lazy }) bool bool bool

let variables =
  let* how = declared and* v_ty = ty in
  let+ names = some (pair field (maybe expression)) in
  { how; v_ty; names; v_at = here }

let braced item = map (fun items -> { items; closes = here }) (few item)

let thread_state =
  let* t_how = declared and* t_name = name and* t_order = order in
  let* state_class =
    oneofl [ Core.Running; Core.Ready; Core.Blocked; Core.Terminated ]
  in
  let* t_ty =
    oneofl
      [
        None;
        Some { ty = Simple "thread"; ty_at = here };
        Some { ty = Set "thread"; ty_at = here };
      ]
  in
  let+ t_attribute =
    if t_order = [] then maybe (pair name name) else return None
  in
  { t_how; state_class; t_ty; t_name; t_order; t_attribute; t_at = here }

let core_state =
  let* c_system = bool and* active = bool and* c_ty = ty in
  let+ c_name = name in
  { c_system; active; c_ty; c_name; c_at = here }

let filter =
  let* filter_params = few parameter and* test = expression in
  let+ passed = name in
  { filter_params; test; passed; filter_at = here }

let select =
  map2 (fun pick picked -> { pick; picked; select_at = here }) expression name

let migrate =
  let* migrate_params = few parameter and* taking = code in
  let+ enough = maybe expression in
  { migrate_params; taking; enough; migrate_at = here }

let steal_core =
  let* filter = filter and* select = select and* migrate = migrate in
  let* repeated = bool and* after = few (stmt 2) in
  let+ until = maybe expression in
  let until, after = if repeated then (until, after) else (None, []) in
  { filter; repeated; select; migrate; after; until; done_at = here }

(* An [until] belongs to the nearest rule that has none. *)
let last_until core = if core.repeated then core.until else core.migrate.enough

let steal_group core =
  let* group_filter = filter and* group_select = select in
  let* group_repeated = bool and* group_after = few (stmt 2) in
  let+ group_until = maybe expression in
  let group_until =
    if group_repeated || last_until core <> None then group_until else None
  in
  let group_after = if group_repeated then group_after else [] in
  {
    group_filter;
    group_repeated;
    group_select;
    group_after;
    group_until;
    group_done_at = here;
  }

let steal =
  let* steal_params = few parameter and* by_core = steal_core in
  let+ by_group = maybe (steal_group by_core) in
  { steal_params; by_group; by_core; steal_at = here }

let core_item =
  oneof
    [
      map (fun v -> Core_variables v) variables;
      map (fun t -> Core_threads (t, here)) (braced thread_state);
      map (fun s -> Core_steal s) steal;
    ]

let event =
  let* synchronized = bool and* event = name in
  let+ reaction = code in
  { synchronized; event; reaction; event_at = here }

let reason =
  string_size ~gen:(oneof [ char_range '#' '~'; return ' ' ]) (int_range 0 30)

let declaration =
  let const =
    let* system = bool and* ty = maybe ty and* name = name in
    let+ value = expression in
    Const { system; ty; name; value }
  and system_function =
    let* system = bool and* result = ty and* name = name in
    let+ parameters = few parameter in
    System_function { system; result; name; parameters }
  and handler =
    let* kind = name and* event_name = name in
    let+ events = braced event in
    Handler { kind; event_name; events }
  and exempt =
    let* event = name and* condition = expression in
    let+ reason = reason in
    Exempt { event; condition; reason }
  in
  map
    (fun d -> { d; d_at = here })
    (oneof
       [
         const;
         map2 (fun n v -> Struct (n, v)) name (braced variables);
         map2 (fun n members -> Enum (n, members)) name (some name);
         map2
           (fun o v -> Attributes (o, v))
           (oneofl [ Of_thread; Of_group; Of_domain ])
           (braced variables);
         map (fun t -> Threads t) (braced thread_state);
         map (fun c -> Cores c) (braced core_state);
         map (fun items -> Core items) (braced core_item);
         map (fun v -> Global v) variables;
         system_function;
         map (fun s -> Steal s) steal;
         handler;
         map (fun f -> Interface f) (braced func);
         map (fun f -> Function f) func;
         map (fun n -> Within n) (int_range 0 9);
         exempt;
       ])

let policy =
  let* scheduler = name in
  let+ declarations = few declaration in
  { scheduler; declarations; ends = here; comments = [] }
