open Dromos_policy_core
open Core

exception Not_compiled = Expr.Not_compiled

let sprintf = Printf.sprintf

(* {1 Parts} *)

let states policy =
  let one s = sprintf "let %s = %d" (Names.of_state s) s.state_id in
  List.map one (Array.to_list policy.states)

let enums policy =
  let of_attribute a = match a.ty with Enum e -> Some e | _ -> None in
  let found = List.filter_map of_attribute (Array.to_list policy.attributes) in
  let distinct =
    List.sort_uniq (fun a b -> String.compare a.enum_name b.enum_name) found
  in
  List.concat_map
    (fun enum ->
      List.mapi
        (fun i _ -> sprintf "let %s = %d" (Names.of_member enum i) i)
        (Array.to_list enum.members))
    distinct

let owned policy owners =
  List.filter
    (fun a -> List.mem a.owner owners)
    (Array.to_list policy.attributes)

let of_global = [ Global; Of_domain ]

let words policy =
  let numbered owners =
    List.mapi
      (fun k a -> sprintf "let %s = %d" (Names.of_attribute a) k)
      (owned policy owners)
  in
  numbered [ Of_thread ] @ numbered [ Of_core ] @ numbered [ Of_group ]
  @ numbered of_global

let nothing =
  { Expr.moving = Names.Local; mutable_locals = []; declarations = [] }

let initial a =
  match (a.ty, a.initial) with
  | (Thread | Threads | Cores | Groups | Domains), _ ->
      raise
        (Expr.Not_compiled
           (a.place, sprintf "`%s`, an attribute that is not a number" a.name))
  | _, Some e -> Expr.word nothing e
  | (Core | Group | Domain), None -> "-1"
  | _, None -> "0"

let initial_words policy owners =
  sprintf "[| %s |]"
    (String.concat "; " (List.map initial (owned policy owners)))

(* Of a thread, what the system says: a fiber says it of itself. How long it slept
   the machine knows. *)
let sleep_time a = a.name = "sleep_time" && a.ty = Int

let setters policy =
  let setter a =
    let number = match a.ty with Bool -> "Bool.to_int value" | _ -> "value" in
    sprintf "let set_%s value = set_own words %S %s (%s)" a.name
      (sprintf "%s.set_%s" policy.policy_name a.name)
      (Names.of_attribute a) number
  in
  let said a = a.system && not (sleep_time a) in
  match List.filter said (owned policy [ Of_thread ]) with
  | [] -> []
  | said -> List.map setter said

(* {1 Functions}, each after those it calls *)

let rec calls_in block = List.concat_map calls_by block

and calls_by s =
  List.concat_map calls (Walk.expressions s)
  @
  match s.what with
  | If (_, a, b) -> calls_in a @ calls_in b
  | Foreach { body; _ } -> calls_in body
  | _ -> []

and calls e =
  let inner = List.concat_map calls (Walk.operands e) in
  match e.it with
  | Call (f, _) -> calls_in f.func_body @ (f :: inner)
  | _ -> inner

let parameters moving f =
  let given =
    match moving with
    | Names.Taking -> "m v self target"
    | Placing | Local -> "m self target"
  in
  String.concat " " (given :: List.map Names.of_local f.parameters)

let indent text =
  String.concat "\n"
    (List.map
       (fun l -> if l = "" then l else "  " ^ l)
       (String.split_on_char '\n' text))

let func moving f =
  sprintf "let %s %s =\n%s"
    (Names.of_function moving f)
    (parameters moving f)
    (indent
       (Stmt.body moving ~result:f.result ~parameters:f.parameters f.func_body))

(* The functions that code standing in [moving] needs and that are not there yet.
   One that moves nothing observes what its caller observes, so while stealing it
   is another one too. *)
let functions_for written moving code =
  List.filter_map
    (fun f ->
      let name = Names.of_function moving f in
      if Hashtbl.mem written name then None
      else begin
        Hashtbl.add written name ();
        Some (func moving f)
      end)
    (calls_in code)

let handler written policy moving event name =
  match Query.handler policy event with
  | None -> []
  | Some h ->
      let made =
        sprintf "let %s m self target =\n%s" name
          (indent (Stmt.body moving ~result:None ~parameters:[] h.handler_body))
      in
      let functions = functions_for written moving h.handler_body in
      functions @ [ made ]

(* {1 Stealing} *)

let returning e = { what = Return (Some e); stands_at = e.at }

(* A function of two cores or one, by an expression over them. *)
let on_cores head ~self e =
  sprintf "let %s =\n  let self = %s and target = none m in\n  %s" head self e

let stealing written { by_group; by_core = s } =
  let local = Names.of_local in
  let context moving =
    { Expr.moving; mutable_locals = []; declarations = [] }
  in
  let { filter_source; filter_destination; admits } = s.can_steal_core in
  let parts = ref [] in
  let add part = parts := part :: !parts in
  let with_functions moving e make =
    List.iter add (functions_for written moving [ returning e ]);
    add (make (Expr.expression (context moving) e))
  in
  let source = local s.source and destination = local s.destination in
  let seen =
    sprintf "  let %s = source v and %s = destination v in\n" source destination
  in
  with_functions Names.Local admits
    (on_cores
       (sprintf "can_steal_core m %s %s" (local filter_source)
          (local filter_destination))
       ~self:(local filter_destination));
  with_functions Local s.select_core
    (on_cores "select_core m filtered" ~self:"-1");
  List.iter add (functions_for written Taking s.take);
  add
    (sprintf
       "let steal_thread m v %s =\n%s  let self = %s and target = %s in\n%s"
       (local s.candidate) seen destination (local s.candidate)
       (indent (Stmt.body Taking ~result:None ~parameters:[] s.take)));
  (match s.enough with
  | None -> add "let enough _ _ = false"
  | Some e ->
      with_functions Taking e
        (sprintf
           "let enough m v =\n%s  let self = %s and target = none m in\n  %s"
           seen destination));
  (match s.until with
  | None -> add "let until _ _ = false"
  | Some e ->
      with_functions Local e
        (on_cores (sprintf "until m %s" destination) ~self:destination));
  (match by_group with
  | None -> add "let by_group = None"
  | Some g ->
      let { filter_source; filter_destination; admits } = g.can_steal_group in
      with_functions Local admits
        (on_cores
           (sprintf "can_steal_group m %s %s" (local filter_source)
              (local filter_destination))
           ~self:(local filter_destination));
      with_functions Local g.select_group
        (on_cores "select_group m filtered" ~self:"-1");
      let head =
        sprintf "group_until m %s %s" (local g.destination_group) destination
      in
      (match g.group_until with
      | None -> add "let group_until _ _ _ = false"
      | Some e -> with_functions Local e (on_cores head ~self:destination));
      add
        (sprintf
           "let by_group =\n\
           \  Some { can_steal_group; select_group; group_repeated = %b; \
            group_until }"
           g.group_repeated));
  add
    (sprintf
       "let stealing =\n\
       \  { by_group; can_steal_core; select_core; steal_thread; enough; \
        repeated = %b; until }"
       s.repeated);
  List.rev !parts

(* {1 The policy} *)

let record policy =
  let running = Query.running policy in
  let keys =
    List.filter_map
      (fun s ->
        match s.container with
        | Queue (_ :: _ as order) ->
            Some
              (sprintf "    if state = %s then Some (fun t -> %s)\n    else"
                 (Names.of_state s) (Expr.thread_keys order))
        | Queue [] | Slot | Nowhere -> None)
      (Query.ready policy)
  in
  let load =
    match Query.load policy with
    | None -> "fun _ -> 1"
    | Some a -> sprintf "fun t -> thread_word t %s" (Names.of_attribute a)
  in
  let has event = Query.handler policy event <> None in
  let if_there event name ~else_ = if has event then name else else_ in
  let synchronized =
    match Query.handler policy Balancing with
    | Some h -> h.is_synchronized
    | None -> false
  in
  String.concat "\n"
    [
      "let policy =";
      "  let keys : type ctx. int -> (ctx thread -> int array) option = fun \
       state ->";
      String.concat "\n" (keys @ [ "    None" ]);
      "  in";
      "  {";
      sprintf "    name = %S;" policy.policy_name;
      "    words;";
      sprintf "    states = %d;" (Array.length policy.states);
      sprintf "    running = %s;" (Names.of_state running);
      sprintf "    ready = [ %s ];"
        (String.concat "; " (List.map Names.of_state (Query.ready policy)));
      "    keys;";
      sprintf "    load = (%s);" load;
      sprintf "    thread_words = %s;" (initial_words policy [ Of_thread ]);
      sprintf "    sleep_time = %s;"
        (match List.find_opt sleep_time (owned policy [ Of_thread ]) with
        | Some a when a.system -> "Some " ^ Names.of_attribute a
        | Some _ | None -> "None");
      sprintf "    core_words = %s;" (initial_words policy [ Of_core ]);
      sprintf "    group_words = %s;" (initial_words policy [ Of_group ]);
      sprintf "    global_words = %s;" (initial_words policy of_global);
      sprintf "    stealing = %s;"
        (if policy.steal = None then "None" else "Some stealing");
      sprintf "    on_new;";
      sprintf "    on_unblock = %s;"
        (if_there Unblock "on_unblock" ~else_:"on_new");
      "    on_block;";
      sprintf "    on_terminate = %s;"
        (if_there Terminate "on_terminate" ~else_:"on_block");
      sprintf "    on_yield = %s;" (if_there Yield "on_yield" ~else_:"on_tick");
      sprintf "    on_tick = %s;"
        (if_there Tick "on_tick" ~else_:"(fun _ _ _ -> ())");
      "    on_schedule = (fun m c -> on_schedule m c (none m));";
      sprintf "    on_balancing = (fun m c -> %s);"
        (if has Balancing then "on_balancing m c (none m)"
         else "steal_for m c c");
      sprintf "    synchronized = %b;" synchronized;
      sprintf "    on_idle = %s;"
        (if has Newly_idle then
           "Some { idle = (fun m c -> on_newly_idle m c (none m)) }"
         else "None");
      "  }";
      "";
      "let maker = hub policy";
    ]

let unused = "[@@@warning \"-26-27-32-33-39\"]"

let compile ~source policy =
  let written = Hashtbl.create 16 in
  let handler = handler written policy in
  (* In the order of the text: a function is written where it is first needed. *)
  let handlers moving =
    List.concat_map (fun (e, name) -> handler moving e name)
  in
  let placing =
    handlers Names.Placing [ (New, "on_new"); (Unblock, "on_unblock") ]
  in
  let here =
    handlers Local
      [
        (Block, "on_block");
        (Terminate, "on_terminate");
        (Yield, "on_yield");
        (Tick, "on_tick");
        (Schedule, "on_schedule");
      ]
  in
  let steal =
    match policy.steal with None -> [] | Some s -> stealing written s
  in
  let balancing =
    handlers Local
      [ (Balancing, "on_balancing"); (Newly_idle, "on_newly_idle") ]
  in
  let section title = function
    | [] -> []
    | definitions ->
        [ sprintf "(* {1 %s} *)" title; String.concat "\n\n" definitions ]
  in
  let lines title = function
    | [] -> []
    | definitions ->
        [ sprintf "(* {1 %s} *)" title; String.concat "\n" definitions ]
  in
  String.concat "\n\n"
    ([
       sprintf
         "(* Made from %s: do not edit.\n\
         \   [m] is the machine, [self] the core on which a handler runs, \
          [target] its\n\
         \   thread. *)"
         (Filename.basename source);
       unused;
       "open Dromos_policy_runtime.Machine";
     ]
    @ lines "States" (states policy)
    @ lines "Enumerations" (enums policy)
    @ lines "Attributes, by word"
        (words policy @ [ "let words = Dromos_policy_runtime.Words.policy ()" ])
    @ lines "What a fiber says of itself" (setters policy)
    @ section "New and unblocked threads: no lock is held" placing
    @ section "Events of one core, under its lock" here
    @ section "Stealing" steal
    @ section "Balancing: no lock is held" balancing
    @ [ record policy ])
  ^ "\n"
