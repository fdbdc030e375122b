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
  {
    Expr.names = [];
    moving = Names.Local;
    mutable_locals = [];
    declarations = [];
  }

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

(* The time of a sleep is known to the machine; every other attribute that the
   system sets is set by the fiber itself. *)
let sleep_time a = a.name = "sleep_time" && a.ty = Int

let said_by_fibers policy =
  let said a = a.system && not (sleep_time a) in
  List.filter said (owned policy [ Of_thread ])

let setters policy =
  let setter a =
    let number = match a.ty with Bool -> "Bool.to_int value" | _ -> "value" in
    let name = Names.of_setter a in
    sprintf "let %s value = set_own words %S %s (%s)" name
      (sprintf "%s.%s" policy.policy_name name)
      (Names.of_attribute a) number
  in
  List.map setter (said_by_fibers policy)

(* The machine's words come first, in the order of Words. An array literal is
   made without a call. *)
let new_words policy =
  sprintf "(fun () -> [| (words :> int); -1; -1; 0; 0; 0; 0%s |])"
    (String.concat ""
       (List.map (fun a -> "; " ^ initial a) (owned policy [ Of_thread ])))

let handler_of policy event =
  List.find_opt (fun h -> h.event = event) (Query.reactions policy)

let leaving policy =
  if handler_of policy Detach = None then []
  else
    [
      sprintf "let detach () = detach words %S" (policy.policy_name ^ ".detach");
    ]

(* {1 Handlers} *)

let handler known policy moving event name =
  match handler_of policy event with
  | None -> []
  | Some h ->
      let code =
        Functions.body known moving ~result:None ~parameters:[] h.handler_body
      in
      Functions.needed known moving h.handler_body
      @ [
          sprintf "let %s m self target%s =\n%s" name
            (match event with New | Unblock | Attach -> " waker" | _ -> "")
            (Functions.indent code);
        ]

(* {1 The policy} *)

let displaced_in policy s =
  let pair into =
    sprintf "(%s, %s)" (Names.of_state s) (Names.of_state policy.states.(into))
  in
  Option.map pair (Query.displaced_to s)

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
        | Queue [] | One _ | Slot | Nowhere -> None)
      (Query.ready policy)
  in
  let load =
    match Query.load policy with
    | None -> "fun _ -> 1"
    | Some a -> sprintf "fun t -> thread_word t %s" (Names.of_attribute a)
  in
  let has event = handler_of policy event <> None in
  let nothing = "(fun _ _ _ -> ())" in
  let if_there event name ~else_ = if has event then name else else_ in
  let alone event =
    Option.fold ~none:false
      ~some:(fun h -> h.is_synchronized)
      (handler_of policy event)
  in
  let reaction event name =
    sprintf "    %s = %s;" name
      (if has event then sprintf "Some { react = (fun m c -> %s m c c) }" name
       else "None")
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
      sprintf "    displaced = [ %s ];"
        (String.concat "; "
           (List.filter_map (displaced_in policy) (Query.ready policy)));
      "    keys;";
      sprintf "    load = (%s);" load;
      sprintf "    new_words = %s;" (new_words policy);
      sprintf "    fibers_speak = %b;" (said_by_fibers policy <> []);
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
      sprintf "    on_attach = %s;"
        (if_there Attach "on_attach" ~else_:"on_new");
      "    on_block;";
      sprintf "    on_terminate = %s;"
        (if_there Terminate "on_terminate" ~else_:"on_block");
      sprintf "    on_detach = %s;"
        (if_there Detach "on_detach" ~else_:"on_block");
      sprintf "    on_withdraw = %s;"
        (if_there Withdraw "on_withdraw" ~else_:nothing);
      sprintf "    on_yield = %s;" (if_there Yield "on_yield" ~else_:nothing);
      sprintf "    on_tick = %s;" (if_there Tick "on_tick" ~else_:nothing);
      "    on_schedule = (fun m c -> on_schedule m c c);";
      sprintf "    on_balancing = (fun m c -> %s);"
        (if has Balancing then "on_balancing m c c" else "steal_for m c c");
      sprintf "    synchronized = %b;" (alone Balancing);
      reaction Newly_idle "on_newly_idle";
      sprintf "    newly_idle_alone = %b;" (alone Newly_idle);
      reaction Enter_idle "on_enter_idle";
      reaction Exit_idle "on_exit_idle";
      reaction Entry "on_entry";
      reaction Exit "on_exit";
      "  }";
      "";
      "let maker = hub policy";
    ]

let unused = "[@@@warning \"-26-27-32-33-39\"]"

let compile ~source policy =
  let known = Functions.start policy in
  let handler = handler known policy in
  (* The order of the text: a function is written before its first use. *)
  let handlers moving =
    List.concat_map (fun (e, name) -> handler moving e name)
  in
  let placing =
    handlers Names.Placing
      [ (New, "on_new"); (Unblock, "on_unblock"); (Attach, "on_attach") ]
  in
  let here =
    handlers Local
      [
        (Block, "on_block");
        (Terminate, "on_terminate");
        (Detach, "on_detach");
        (Withdraw, "on_withdraw");
        (Yield, "on_yield");
        (Tick, "on_tick");
        (Schedule, "on_schedule");
        (Enter_idle, "on_enter_idle");
        (Exit_idle, "on_exit_idle");
        (Entry, "on_entry");
        (Exit, "on_exit");
      ]
  in
  let steal =
    match policy.steal with None -> [] | Some s -> Steal.definitions known s
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
         \   thread, or that core. *)"
         (Filename.basename source);
       unused;
       "open Dromos_policy_runtime.Machine";
     ]
    @ lines "States" (states policy)
    @ lines "Enumerations" (enums policy)
    @ lines "Attributes, by word"
        (words policy @ [ "let words = Dromos_policy_runtime.Words.policy ()" ])
    @ lines "What a fiber says of itself" (setters policy @ leaving policy)
    @ section "New and unblocked threads: no lock is held" placing
    @ section "Events of one core, under its lock" here
    @ section "Stealing" steal
    @ section "Balancing: no lock is held" balancing
    @ [ record policy ])
  ^ "\n"
