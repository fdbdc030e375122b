(* Trees without their places, for comparison. *)

open Dromos_policy_syntax
open Ast

let here = Places.nowhere
let name n = { n with at = here }
let ty t = { t with ty_at = here }
let key (k : key) = { k with by = name k.by }
let order = List.map key

let rec exp { e; _ } =
  let e =
    match e with
    | (Int _ | Bool _ | Name _ | Self) as same -> same
    | Field (a, n) -> Field (exp a, name n)
    | First (a, keys) -> First (exp a, order keys)
    | Call (n, es) -> Call (name n, List.map exp es)
    | Unary (op, a) -> Unary (op, exp a)
    | Binary (op, a, b) -> Binary (op, exp a, exp b)
    | Choose (a, b, c) -> Choose (exp a, exp b, exp c)
  in
  { e; e_at = here }

let rec stmt { s; _ } =
  let s =
    match s with
    | Declare (t, n, e) -> Declare (ty t, name n, Option.map exp e)
    | Assign (a, b) -> Assign (exp a, exp b)
    | Increase (a, b) -> Increase (exp a, exp b)
    | Decrease (a, b) -> Decrease (exp a, exp b)
    | Increment a -> Increment (exp a)
    | Decrement a -> Decrement (exp a)
    | Move (a, b) -> Move (exp a, exp b)
    | If (c, yes, no) -> If (exp c, block yes, Option.map block no)
    | Foreach (n, e, keys, b) -> Foreach (name n, exp e, order keys, block b)
    | Return e -> Return (Option.map exp e)
    | Break -> Break
    | Do e -> Do (exp e)
    | Block b -> Block (block b)
  in
  { s; s_at = here }

and block { body; _ } = { body = List.map stmt body; closed = here }

let parameter p = { p_ty = ty p.p_ty; p_name = name p.p_name }

let func f =
  {
    result = ty f.result;
    f_name = name f.f_name;
    parameters = List.map parameter f.parameters;
    f_body = block f.f_body;
    f_at = here;
  }

let declarator (n, e) = (name n, Option.map exp e)

let variables v =
  { v with v_ty = ty v.v_ty; names = List.map declarator v.names; v_at = here }

let braced item { items; _ } = { items = List.map item items; closes = here }

let thread_state t =
  {
    t with
    t_ty = Option.map ty t.t_ty;
    t_name = name t.t_name;
    t_order = order t.t_order;
    t_attribute = Option.map (fun (a, v) -> (name a, name v)) t.t_attribute;
    t_at = here;
  }

let core_state c =
  { c with c_ty = ty c.c_ty; c_name = name c.c_name; c_at = here }

let filter f =
  {
    filter_params = List.map parameter f.filter_params;
    test = exp f.test;
    passed = name f.passed;
    filter_at = here;
  }

let select s = { pick = exp s.pick; picked = name s.picked; select_at = here }

let migrate m =
  {
    migrate_params = List.map parameter m.migrate_params;
    taking = block m.taking;
    enough = Option.map exp m.enough;
    migrate_at = here;
  }

let steal_core c =
  {
    filter = filter c.filter;
    repeated = c.repeated;
    select = select c.select;
    migrate = migrate c.migrate;
    after = List.map stmt c.after;
    until = Option.map exp c.until;
    done_at = here;
  }

let steal_group g =
  {
    group_filter = filter g.group_filter;
    group_repeated = g.group_repeated;
    group_select = select g.group_select;
    group_after = List.map stmt g.group_after;
    group_until = Option.map exp g.group_until;
    group_done_at = here;
  }

let steal s =
  {
    steal_params = List.map parameter s.steal_params;
    by_group = Option.map steal_group s.by_group;
    by_core = steal_core s.by_core;
    steal_at = here;
  }

let core_item = function
  | Core_variables v -> Core_variables (variables v)
  | Core_threads (states, _) -> Core_threads (braced thread_state states, here)
  | Core_steal s -> Core_steal (steal s)

let event e =
  { e with event = name e.event; reaction = block e.reaction; event_at = here }

let declaration { d; _ } =
  let d =
    match d with
    | Const c ->
        Const
          {
            c with
            ty = Option.map ty c.ty;
            name = name c.name;
            value = exp c.value;
          }
    | Struct (n, v) -> Struct (name n, braced variables v)
    | Enum (n, members) -> Enum (name n, List.map name members)
    | Attributes (o, v) -> Attributes (o, braced variables v)
    | Threads t -> Threads (braced thread_state t)
    | Cores c -> Cores (braced core_state c)
    | Core items -> Core (braced core_item items)
    | Global v -> Global (variables v)
    | System_function f ->
        System_function
          {
            f with
            result = ty f.result;
            name = name f.name;
            parameters = List.map parameter f.parameters;
          }
    | Steal s -> Steal (steal s)
    | Handler { kind; event_name; events } ->
        Handler
          {
            kind = name kind;
            event_name = name event_name;
            events = braced event events;
          }
    | Interface f -> Interface (braced func f)
    | Function f -> Function (func f)
    | Within n -> Within n
    | Exempt { event; condition; reason } ->
        Exempt { event = name event; condition = exp condition; reason }
  in
  { d; d_at = here }

let policy ast =
  {
    scheduler = name ast.scheduler;
    declarations = List.map declaration ast.declarations;
    ends = here;
    comments = [];
  }
