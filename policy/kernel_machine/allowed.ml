(* A walk over the code reached by the three handlers. New conditions and moves
   keep the places of the policy's code, for messages. *)

open Core

let cpus = "cpus_ptr"

exception Refused of place * string

(* {1 The state of one transformation} *)

type t = {
  source : policy;
  mutable locals : int;  (** the number of locals *)
  mutable made : func list;  (** newest first *)
  mutable funcs : int;
  mutable copies : (int * func) list;
      (** by the number of the original function *)
  known : (int, bool) Hashtbl.t;
      (** by the number of the function: the result of {!concerned} *)
  allowed : attribute;
}

let at place it ty_of = { it; ty_of; at = place }
let stands place what = { what; stands_at = place }

let fresh_local t name ty =
  let local_id = t.locals in
  t.locals <- local_id + 1;
  { local_id; local_name = name; local_ty = ty }

let free_name taken name =
  let rec try_ i =
    let candidate = if i = 1 then name else Printf.sprintf "%s_%d" name i in
    if List.mem candidate taken then try_ (i + 1) else candidate
  in
  try_ 1

let function_names (p : policy) =
  List.map (fun f -> f.func_name) (Array.to_list p.functions)

(* {1 Affinity} *)

let the_attribute (p : policy) =
  let taken =
    List.map (fun (a : attribute) -> a.name) (Array.to_list p.attributes)
  in
  {
    id = Array.length p.attributes;
    name = free_name taken cpus;
    owner = Of_thread;
    ty = Cores;
    initial = Some (at p.policy_place All_cores Cores);
    system = true;
    is_lazy = false;
    shared = false;
    place = p.policy_place;
  }

let no_effects = { observes = false; updates = false }

(* [own]: the affinity of the policy, under its new name. *)
let the_affinity (p : policy) attribute ~own ~id ~first_local =
  let place =
    Option.fold ~none:p.policy_place ~some:(fun f -> f.func_place) own
  in
  let parameter i name ty =
    { local_id = first_local + i; local_name = name; local_ty = ty }
  in
  let thread = parameter 0 "t" Thread and core = parameter 1 "c" Core in
  let t = at place (Local thread) Thread and c = at place (Local core) Core in
  let set = at place (Read (Some t, attribute)) Cores in
  let allowed = at place (In (c, set)) Bool in
  let both =
    match own with
    | None -> allowed
    | Some f ->
        let own = at place (Call (f, [ t; c ])) Bool in
        at place (Operation (And, allowed, own)) Bool
  in
  {
    func_id = id;
    func_name = "can_run";
    parameters = [ thread; core ];
    result = Some Bool;
    func_body = [ stands place (Return (Some both)) ];
    effects = Option.fold ~none:no_effects ~some:(fun f -> f.effects) own;
    func_place = place;
  }

let may_run t place ~thread ~core =
  at place (In (core, at place (Read (Some thread, t.allowed)) Cores)) Bool

(* {1 Sets of cores} *)

(* [thread]: an expression for the thread that is placed. *)
let those t ~thread (among : expression) =
  let each = fresh_local t "c" Core in
  let core = at among.at (Local each) Core in
  let holds = may_run t among.at ~thread ~core in
  { among with it = Those { each; among; holds } }

(* True for an expression that asks for a set of cores. Further expressions of
   this type only pass a set on. *)
let asks_for_cores (e : expression) =
  e.ty_of = Cores
  &&
  match e.it with
  | All_cores | Idle_cores | Active_cores | Cores_of _ | Read _ -> true
  | _ -> false

(* {1 Functions that are copied} *)

(* True if a function asks for a set of cores or moves a thread, also in called
   functions. *)
let rec concerned t f =
  match Hashtbl.find_opt t.known f.func_id with
  | Some known -> known
  | None ->
      let found = ref false in
      Walk.block f.func_body
        ~statement:(fun s ->
          match s.what with Move _ -> found := true | _ -> ())
        ~expression:(fun e ->
          match e.it with
          | Call (g, _) -> if concerned t g then found := true
          | _ -> if asks_for_cores e then found := true);
      Hashtbl.replace t.known f.func_id !found;
      !found

type scope = {
  thread : expression;
  renamed : (int, local) Hashtbl.t option;
      (** the locals of a copy; None in the original *)
}

let local t scope l =
  match scope.renamed with
  | None -> l
  | Some renamed -> (
      match Hashtbl.find_opt renamed l.local_id with
      | Some l -> l
      | None ->
          let fresh = fresh_local t l.local_name l.local_ty in
          Hashtbl.add renamed l.local_id fresh;
          fresh)

let rec expression t scope (e : expression) =
  let inner = expression t scope in
  let it =
    match e.it with
    | ( Int_value _ | Bool_value _ | Member _ | No_thread | No_core | No_group
      | No_domain | Self | Target | Waker
      | Read (None, _)
      | All_cores | Idle_cores | Active_cores | Filtered ) as it ->
        it
    | Local l -> Local (local t scope l)
    | Read (Some o, a) -> Read (Some (inner o), a)
    | Cload e -> Cload (inner e)
    | Runnable e -> Runnable (inner e)
    | Count (e, s) -> Count (inner e, s)
    | Threads_in (e, s) -> Threads_in (inner e, s)
    | Cores_of e -> Cores_of (inner e)
    | Groups_of e -> Groups_of (inner e)
    | Domains_of e -> Domains_of (inner e)
    | Those { each; among; holds } ->
        let among = inner among in
        Those { each = local t scope each; among; holds = inner holds }
    | First (e, keys) -> First (inner e, keys)
    | Any e -> Any (inner e)
    | Empty e -> Empty (inner e)
    | Valid e -> Valid (inner e)
    | In (a, b) ->
        let a = inner a in
        In (a, inner b)
    | Not e -> Not (inner e)
    | Minus e -> Minus (inner e)
    | Operation (o, a, b) ->
        let a = inner a in
        Operation (o, a, inner b)
    | If_else (a, b, c) ->
        let a = inner a in
        let b = inner b in
        If_else (a, b, inner c)
    | Call (f, arguments) -> call t scope f (List.map inner arguments)
  in
  let made = { e with it } in
  if asks_for_cores e then those t ~thread:scope.thread made else made

and call t scope f arguments =
  if concerned t f then Call (copy t f, scope.thread :: arguments)
  else Call (f, arguments)

(* The copy for all handlers, with the thread as its first parameter. *)
and copy t f =
  match List.assoc_opt f.func_id t.copies with
  | Some copy -> copy
  | None ->
      let thread = fresh_local t "placed" Thread in
      let scope =
        {
          thread = at f.func_place (Local thread) Thread;
          renamed = Some (Hashtbl.create 8);
        }
      in
      let parameters = thread :: List.map (local t scope) f.parameters in
      let func_body = block t scope f.func_body in
      let taken =
        function_names t.source @ List.map (fun f -> f.func_name) t.made
      in
      let copy =
        {
          f with
          func_id = t.funcs;
          func_name = free_name taken (f.func_name ^ "_where_allowed");
          parameters;
          func_body;
          effects =
            {
              f.effects with
              observes = f.effects.observes || f.effects.updates;
            };
        }
      in
      t.funcs <- t.funcs + 1;
      t.made <- copy :: t.made;
      t.copies <- (f.func_id, copy) :: t.copies;
      copy

and block t scope statements = List.concat_map (statement t scope) statements

and statement t scope (s : statement) =
  let expression = expression t scope and block = block t scope in
  let one what = [ { s with what } ] in
  match s.what with
  | Set_local (l, e) ->
      let e = expression e in
      one (Set_local (local t scope l, e))
  | Set (_, { ty = Cores; name; _ }, _) ->
      raise
        (Refused
           ( s.stands_at,
             Printf.sprintf
               "`%s` is a set of cores that the policy keeps, and which of \
                them the thread may run on is not known later"
               name ))
  | Set (owner, a, e) ->
      let owner = Option.map expression owner in
      one (Set (owner, a, expression e))
  | Move { thread; core; state } ->
      let thread = expression thread in
      let core = expression core in
      if Query.runnable state then move t s.stands_at ~thread ~core state
      else one (Move { thread; core; state })
  | If (e, yes, no) ->
      let e = expression e in
      let yes = block yes in
      one (If (e, yes, block no))
  | Foreach { each; among; order; body } ->
      let among = expression among in
      let each = local t scope each in
      one (Foreach { each; among; order; body = block body })
  | Break -> [ s ]
  | Return e -> one (Return (Option.map expression e))
  | Steal_for { group; core } ->
      let group = Option.map expression group in
      one (Steal_for { group; core = expression core })
  | Do e -> one (Do (expression e))

(* A move to the core, if the thread may run there; else to the core with the
   fewest threads among those where the thread may run. The thread and the core
   are evaluated once. *)
and move t place ~thread ~core state =
  let named name (e : expression) =
    match e.it with
    | Local _ | Target | Self | No_core | No_thread -> ([], e)
    | _ ->
        let l = fresh_local t name e.ty_of in
        ([ stands place (Set_local (l, e)) ], at e.at (Local l) e.ty_of)
  in
  let set_thread, thread = named "thread" thread in
  let set_core, core = named "core" core in
  let all = those t ~thread (at place All_cores Cores) in
  let least = [ { direction = Lowest; by = By_count } ] in
  let instead = at place (First (all, least)) Core in
  let to_ core = [ stands place (Move { thread; core; state }) ] in
  set_thread @ set_core
  @ [ stands place (If (may_run t place ~thread ~core, to_ core, to_ instead)) ]

(* {1 The policy} *)

let places_threads : event -> bool = function
  | New | Unblock | Attach -> true
  | Block | Terminate | Yield | Tick | Schedule | Detach | Withdraw | Balancing
  | Newly_idle | Enter_idle | Exit_idle | Entry | Exit ->
      false

let of_target place = { thread = at place Target Thread; renamed = None }

let handler t (h : handler) =
  if places_threads h.event then
    let scope = of_target h.handler_place in
    { h with handler_body = block t scope h.handler_body }
  else h

let method_ t (f : func) =
  if f.func_name = "attach" then
    { f with func_body = block t (of_target f.func_place) f.func_body }
  else f

let offered t (steal : steal_core) =
  let place = steal.steal_place in
  let thread = at place (Local steal.candidate) Thread
  and core = at place (Local steal.destination) Core in
  let fits = may_run t place ~thread ~core in
  {
    steal with
    take = [ stands place (If (fits, steal.take, [])) ];
    enough =
      Option.map
        (fun e -> { e with it = Operation (And, fits, e) })
        steal.enough;
  }

let stealing t (s : steal) = { s with by_core = offered t s.by_core }

(* The policy's own affinity gets a new name. Calls of the affinity hold the
   function as a value, and keep working. *)
let without_affinity (p : policy) =
  match Query.affinity p with
  | None -> (p, None)
  | Some own ->
      let name = free_name (function_names p) "can_run_by_policy" in
      let renamed = { own with func_name = name } in
      let functions =
        Array.map (fun f -> if f == own then renamed else f) p.functions
      in
      ({ p with functions }, Some renamed)

let transformed (source : policy) =
  let p, own = without_affinity source in
  let attribute = the_attribute p in
  let id = Array.length p.functions in
  let can_run = the_affinity p attribute ~own ~id ~first_local:p.local_count in
  let t =
    {
      source = p;
      locals = p.local_count + 2;
      made = [ can_run ];
      funcs = id + 1;
      copies = [];
      known = Hashtbl.create 16;
      allowed = attribute;
    }
  in
  let handlers = List.map (handler t) p.handlers in
  let interface = List.map (method_ t) p.interface in
  let steal = Option.map (stealing t) p.steal in
  {
    p with
    attributes = Array.append p.attributes [| attribute |];
    functions = Array.append p.functions (Array.of_list (List.rev t.made));
    handlers;
    interface;
    steal;
    local_count = t.locals;
  }

let policy p =
  match transformed p with
  | p -> Ok p
  | exception Refused (place, why) -> Error (place, why)

let attribute (p : policy) =
  match Array.to_list p.attributes |> List.rev with
  | ({ ty = Cores; owner = Of_thread; system = true; _ } as a) :: _
    when String.starts_with ~prefix:cpus a.name ->
      Some a
  | _ -> None
