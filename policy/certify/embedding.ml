open Dromos_policy_core
open Core

exception No_word of place * string

let sprintf = Printf.sprintf
let no at what = raise (No_word (at, what))

(* {1 Names}: numbers, with a word for readers. *)

let number z = if z < 0 then sprintf "(%d)" z else string_of_int z
let local (l : local) = sprintf "x%d" l.local_id
let attribute (a : attribute) = sprintf "a_%s_%d" a.name a.id
let state (s : state) = sprintf "q_%s" s.state_name
let func (f : func) = sprintf "f_%s_%d" f.func_name f.func_id
let list print all = sprintf "[%s]" (String.concat "; " (List.map print all))

let operator = function
  | Add -> "Add"
  | Sub -> "Sub"
  | Mul -> "Mul"
  | Div -> "Div"
  | Mod -> "Mod"
  | Eq -> "Eq"
  | Ne -> "Ne"
  | Lt -> "Lt"
  | Le -> "Le"
  | Gt -> "Gt"
  | Ge -> "Ge"
  | Bit_and -> "Bit_and"
  | Bit_or -> "Bit_or"
  | And | Or -> invalid_arg "Embedding.operator"

let key { direction; by } =
  sprintf "Key %b %s" (direction = Lowest)
    (match by with
    | By_cload -> "By_cload"
    | By_count -> "By_count"
    | Attribute a -> sprintf "(By_attribute %s)" (attribute a))

let plain at (a : attribute) =
  if a.is_lazy then no at (sprintf "the lazy attribute `%s`" a.name)

let many (e : expression) =
  match e.ty_of with
  | Threads | Cores | Groups | Domains -> true
  | Int | Bool | Enum _ | Thread | Core | Group | Domain -> false

(* {1 Expressions and statements} *)

let rec expr (e : expression) =
  let one name a = sprintf "(%s %s)" name (expr a) in
  match e.it with
  | Int_value n -> sprintf "(Num %s)" (number n)
  | Bool_value b -> sprintf "(Num %d)" (Bool.to_int b)
  | Member (_, i) -> sprintf "(Num %d)" i
  | No_thread | No_core | No_group | No_domain -> "(Num (-1))"
  | Local l -> sprintf "(Local %s)" (local l)
  | Self -> "Self"
  | Target -> "Target"
  | Read (None, a) ->
      plain e.at a;
      sprintf "(Global %s)" (attribute a)
  | Read (Some owner, a) ->
      plain e.at a;
      sprintf "(Attribute %s %s)" (expr owner) (attribute a)
  | Cload c -> one "Cload" c
  | Runnable c -> one "Runnable" c
  | Count (c, s) -> sprintf "(Count %s %s)" (expr c) (state s)
  | Threads_in (_, { container = Slot; _ }) -> sprintf "(First %s [])" (set e)
  | First (s, keys) -> sprintf "(First %s %s)" (set s) (list key keys)
  | Waker -> no e.at "the waker of a thread"
  | Any s -> sprintf "(Any %s)" (set s)
  | Empty s when many s -> sprintf "(Empty %s)" (set s)
  | Empty s -> sprintf "(Not (Valid %s))" (expr s)
  | Valid a -> one "Valid" a
  | In (a, s) -> sprintf "(In %s %s)" (expr a) (set s)
  | Not a -> one "Not" a
  | Minus a -> one "Minus" a
  | Operation (And, a, b) -> sprintf "(And %s %s)" (expr a) (expr b)
  | Operation (Or, a, b) -> sprintf "(Or %s %s)" (expr a) (expr b)
  | Operation (o, a, b) ->
      sprintf "(Op %s %s %s)" (operator o) (expr a) (expr b)
  | If_else (c, a, b) when not (many e) ->
      sprintf "(If_else %s %s %s)" (expr c) (expr a) (expr b)
  | Call (f, arguments) when not (many e) ->
      sprintf "(Call %s %s)"
        (List.fold_right2
           (fun p a rest -> sprintf "(Arg %s %s %s)" (local p) (expr a) rest)
           f.parameters arguments "No_args")
        (func f)
  | All_cores | Idle_cores | Active_cores | Filtered | Cores_of _ | Groups_of _
  | Domains_of _ | Those _ | Threads_in _ | If_else _ | Call _ ->
      no e.at "a set as a value"

and set (e : expression) =
  match e.it with
  | All_cores -> "All_cores"
  | Idle_cores -> "Idle_cores"
  | Active_cores -> "Active_cores"
  | Filtered -> "Filtered"
  | Cores_of ({ ty_of = Group; _ } as g) ->
      sprintf "(Cores_of_group %s)" (expr g)
  | Cores_of d -> sprintf "(Cores_of_domain %s)" (expr d)
  | Groups_of d -> sprintf "(Groups_of %s)" (expr d)
  | Domains_of c -> sprintf "(Domains_of %s)" (expr c)
  | Threads_in (c, s) -> sprintf "(Threads_in %s %s)" (expr c) (state s)
  | _ -> no e.at "a set that is chosen or handed on"

let rec statement indent s =
  let next = indent ^ "  " in
  match s.what with
  | Set_local (l, e) -> sprintf "Set_local %s %s" (local l) (expr e)
  | Set (None, a, e) -> sprintf "Set_global %s %s" (attribute a) (expr e)
  | Set (Some o, a, e) ->
      sprintf "Set_attribute %s %s %s" (expr o) (attribute a) (expr e)
  | Move { thread; core; state = q } ->
      sprintf "Move %s %s %s" (expr thread) (expr core) (state q)
  | If (c, a, b) ->
      sprintf "If %s\n%s%s\n%s%s" (expr c) next (block next a) next
        (block next b)
  | Foreach { each; among; order; body } ->
      sprintf "Foreach %s %s %s\n%s%s" (local each) (set among) (list key order)
        next (block next body)
  | Break -> "Break"
  | Return None -> "Return_nothing"
  | Return (Some e) -> sprintf "Return %s" (expr e)
  | Steal_for { group; core } ->
      let g = Option.fold ~none:"(Num (-1))" ~some:expr group in
      sprintf "Steal_for %s %s" g (expr core)
  | Do e -> sprintf "Do %s" (expr e)

and block indent = function
  | [] -> "Done"
  | s :: rest ->
      sprintf "(Then (%s)\n%s%s)" (statement indent s) indent
        (block indent rest)

(* {1 The parts of a policy} *)

let loads policy =
  match Query.load policy with
  | None -> []
  | Some load ->
      let found = ref [] in
      let statement = function
        | Set (_, a, e) when a.id = load.id -> found := e :: !found
        | _ -> ()
      in
      Visits.policy ~statement ~expression:ignore policy;
      List.iter
        (fun f -> Visits.block ~statement ~expression:ignore f.func_body)
        policy.interface;
      let zero = { it = Int_value 0; ty_of = Int; at = load.place } in
      Option.value ~default:zero load.initial :: List.rev !found

(* A load that is 1 and never set is no attribute: every load is then 1. *)
let load_attribute policy =
  match loads policy with
  | [ { it = Int_value 1; _ } ] -> None
  | _ -> Query.load policy

let exempt policy event =
  List.filter_map
    (function
      | Exempt e when e.event = event -> Some (expr e.condition) | _ -> None)
    policy.relaxations
  |> List.fold_left
       (fun all e -> if all = "" then e else sprintf "(Or %s %s)" all e)
       ""
  |> function
  | "" -> "(Num 0)"
  | all -> all

let option print = function
  | None -> "None"
  | Some x -> sprintf "(Some %s)" (print x)

let handler h =
  sprintf "(Handler %b\n    %s)" h.is_synchronized (block "    " h.handler_body)

let record ppf name ty fields =
  Format.fprintf ppf "Definition %s : %s := {|@." name ty;
  List.iter
    (fun (field, text) -> Format.fprintf ppf "  %s := %s;@." field text)
    fields;
  Format.fprintf ppf "|}.@."

let groups ppf (s : steal_group) =
  record ppf "the_groups" "by_group"
    [
      ("group_filter_source", local s.can_steal_group.filter_source);
      ("group_filter_destination", local s.can_steal_group.filter_destination);
      ("can_steal_group", expr s.can_steal_group.admits);
      ("select_group", expr s.select_group);
      ("source_group", local s.source_group);
      ("destination_group", local s.destination_group);
      ("group_repeated", string_of_bool s.group_repeated);
      ("group_until", option expr s.group_until);
    ]

let steal ppf { by_group; by_core = s } =
  Option.iter
    (fun s ->
      groups ppf s;
      Format.fprintf ppf "@.")
    by_group;
  record ppf "the_steal" "steal"
    [
      ("groups", if by_group = None then "None" else "Some the_groups");
      ("filter_source", local s.can_steal_core.filter_source);
      ("filter_destination", local s.can_steal_core.filter_destination);
      ("can_steal_core", expr s.can_steal_core.admits);
      ("select_core", expr s.select_core);
      ("source", local s.source);
      ("destination", local s.destination);
      ("candidate", local s.candidate);
      ("take", block "    " s.take);
      ("enough", option expr s.enough);
      ("repeated", string_of_bool s.repeated);
      ("until_", option expr s.until);
    ]

(* The functions used by the data, called functions first. *)
let functions (steal : Core.steal) policy bodies =
  let called = Hashtbl.create 16 in
  let expression e =
    match e.it with
    | Call (f, _) -> Hashtbl.replace called f.func_id ()
    | _ -> ()
  in
  let value e = { what = Do e; stands_at = e.at } in
  let s = steal.by_core in
  let values =
    s.can_steal_core.admits :: s.select_core
    :: (Option.to_list s.enough @ Option.to_list s.until @ loads policy)
    @ List.filter_map
        (function Exempt e -> Some e.condition | _ -> None)
        policy.relaxations
    @
    match steal.by_group with
    | None -> []
    | Some g ->
        g.can_steal_group.admits :: g.select_group
        :: Option.to_list g.group_until
  in
  Visits.block ~statement:ignore ~expression
    (List.concat (List.map value values :: s.take :: bodies));
  List.filter
    (fun f -> Hashtbl.mem called f.func_id)
    (Array.to_list policy.functions)

(* {1 The whole policy} *)

let notation ppf name number =
  Format.fprintf ppf "Notation %s := %d%%nat.@." name number

let balanced policy =
  match (policy.steal, Query.handler policy Balancing) with
  | Some steal, Some balancing -> (steal, balancing)
  | _, _ -> no policy.policy_place "a policy that does not balance"

let body policy event =
  match Query.handler policy event with
  | Some h -> h.handler_body
  | None -> no policy.policy_place "a policy without new or unblock"

let no_displacing (s : state) =
  if Query.displaced_to s <> None then
    no s.state_place (sprintf "`%s`, a READY state of one thread" s.state_name)

let policy ppf p =
  Array.iter no_displacing p.states;
  let stealing, balancing = balanced p in
  for i = 0 to p.local_count - 1 do
    notation ppf (sprintf "x%d" i) i
  done;
  Array.iter (fun a -> notation ppf (attribute a) a.id) p.attributes;
  Array.iter (fun s -> notation ppf (state s) s.state_id) p.states;
  Format.fprintf ppf "@.";
  let others =
    List.filter
      (fun h -> h.event <> Balancing && Visits.steals h.handler_body)
      p.handlers
  in
  let on_new = body p New and on_unblock = body p Unblock in
  let bodies =
    on_new :: on_unblock :: balancing.handler_body
    :: List.map (fun h -> h.handler_body) others
  in
  List.iter
    (fun f ->
      Format.fprintf ppf "Definition %s : block :=@.  %s.@.@." (func f)
        (block "  " f.func_body))
    (functions stealing p bodies);
  steal ppf stealing;
  Format.fprintf ppf "@.";
  let of_threads =
    Array.exists (fun (a : attribute) -> a.ty = Thread) p.attributes
  in
  record ppf "the_policy" "policy"
    [
      ("running", state (Query.running p));
      ("ready", list state (Query.ready p));
      ("load", option attribute (load_attribute p));
      ("loads", list expr (loads p));
      ("thread_attributes", string_of_bool of_threads);
      ("stealing", "the_steal");
      ("balancing", handler balancing);
      ("others_steal", list handler others);
      ("on_new", block "    " on_new);
      ("on_unblock", block "    " on_unblock);
      ("exempt_new", exempt p New);
      ("exempt_unblock", exempt p Unblock);
    ]
