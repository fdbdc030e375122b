open Dromos_policy_core
open Dromos_policy_syntax
module Names = Map.Make (String)

type member =
  | Stored of Core.attribute
  | Computed of string
  | Structure of string
  | Smallest_domain

type binding =
  | Constant of Core.expression
  | Global of Core.attribute
  | Global_structure
  | Lazy_global of string
  | State of Core.state
  | Function
  | System_function of Core.attribute
  | Value of Core.expression
  | Variable of Core.local
  | Event of Core.ty

(* The part of a scope that the whole policy shares. *)
type policy = {
  mutable faults : Fault.t list; (* the last one first *)
  globals : (string, binding * Core.place) Hashtbl.t;
  members : (Core.owner * string, member * Core.place) Hashtbl.t;
  types : (string, Core.ty) Hashtbl.t;
  mutable locals : int;
  mutable func : (t -> Ast.name -> Core.func) option;
}

and t = {
  policy : policy;
  local : binding Names.t;
  here : Core.expression option;
  owner : (Core.owner * Core.expression option) option;
  in_loop : bool;
  result : Core.ty option;
}

let at place ty_of it : Core.expression = { it; ty_of; at = place }

let create () =
  {
    policy =
      {
        faults = [];
        globals = Hashtbl.create 64;
        members = Hashtbl.create 64;
        types = Hashtbl.create 8;
        locals = 0;
        func = None;
      };
    local = Names.empty;
    here = Some (at Places.nowhere Core.Core Core.Self);
    owner = None;
    in_loop = false;
    result = None;
  }

(* {1 Faults} *)

let report { policy; _ } fault = policy.faults <- fault :: policy.faults

let attempt scope f =
  match f () with
  | value -> Some value
  | exception Fault.Fault fault ->
      report scope fault;
      None

let faults { policy; _ } = List.rev policy.faults

(* A hint, if an attribute has this name. *)
let attribute_of { policy; _ } text =
  List.find_map
    (fun (owner, hint) ->
      if Hashtbl.mem policy.members (owner, text) then Some hint else None)
    [
      ( Core.Of_core,
        Printf.sprintf "it is an attribute of a core: `self.%s`" text );
      ( Core.Of_thread,
        Printf.sprintf "it is an attribute of a thread: `t.%s`, `e.target.%s`"
          text text );
      ( Core.Of_group,
        Printf.sprintf "it is an attribute of a group: `g.%s`" text );
      ( Core.Of_domain,
        Printf.sprintf "it is an attribute of a domain: `d.%s`" text );
    ]

(* Names of other languages, with what to write. *)
let foreign = function
  | "null" | "NULL" | "nil" | "None" | "nullptr" ->
      Some "no thread, core, group or domain is `none`; `valid(x)` asks for one"
  | "now" ->
      Some
        "declare the clock at the top: `system int now();`, the time in ticks"
  | "random" | "rand" ->
      Some "declare it at the top: `system int random();`, then call `random()`"
  | "print" | "printf" | "log" | "printk" | "echo" ->
      Some
        "a policy prints nothing; `dromos policy simulate` shows what it does"
  | "length" | "len" | "size" | "nr_running" ->
      Some
        "`count(c)` is the number of threads of a core, `count(c.q)` of a queue"
  | _ -> None

let unknown _ ?hint (name : Ast.name) ~what names =
  let guess () =
    match (foreign name.text, Spell.nearest name.text names) with
    | Some hint, _ -> hint
    | None, Some near -> Printf.sprintf "did you mean `%s`?" near
    | None, None -> (
        match List.sort_uniq String.compare names with
        | [] -> "there is none here"
        | few when List.length few <= 8 ->
            "there is "
            ^ String.concat ", " (List.map (Printf.sprintf "`%s`") few)
        | _ -> "declare it first")
  in
  let hint = match hint with Some hint -> hint | None -> guess () in
  Fault.fail name.at ~hint
    (Printf.sprintf "no %s is called `%s`" what name.text)

(* {1 Names} *)

let reserved =
  [
    "none";
    "valid";
    "empty";
    "any";
    "count";
    "syscores";
    "system_cores";
    "steal_for";
  ]

let taken (name : Ast.name) (first : Core.place) =
  Fault.fail name.at
    (Printf.sprintf "`%s` is declared twice, first on line %d" name.text
       first.line)
    ~hint:"give one of them another name"

let own (name : Ast.name) =
  if List.mem name.text reserved then
    Fault.fail name.at
      (Printf.sprintf "`%s` is the language's own name" name.text)
      ~hint:"choose another"

let declare { policy; _ } (name : Ast.name) binding =
  own name;
  match Hashtbl.find_opt policy.globals name.text with
  | Some (_, first) -> taken name first
  | None -> Hashtbl.replace policy.globals name.text (binding, name.at)

let find { policy; local; _ } text =
  match Names.find_opt text local with
  | Some binding -> Some binding
  | None -> Option.map fst (Hashtbl.find_opt policy.globals text)

let names { policy; local; _ } =
  let visible text = not (String.contains text ' ') in
  Names.fold (fun text _ all -> text :: all) local []
  @ Hashtbl.fold
      (fun text _ all -> if visible text then text :: all else all)
      policy.globals []
  |> List.sort_uniq String.compare

let find_or_fail scope (name : Ast.name) ~what =
  match find scope name.text with
  | Some binding -> binding
  | None -> unknown scope name ~what (names scope)

let set_member { policy; _ } owner (name : Ast.name) member =
  match Hashtbl.find_opt policy.members (owner, name.text) with
  | Some (_, first) -> taken name first
  | None -> Hashtbl.replace policy.members (owner, name.text) (member, name.at)

let member { policy; _ } owner text =
  Option.map fst (Hashtbl.find_opt policy.members (owner, text))

let members { policy; _ } owner =
  Hashtbl.fold
    (fun (of_what, text) _ all ->
      if of_what = owner && not (String.contains text '.') then text :: all
      else all)
    policy.members []
  |> List.sort String.compare

let basic =
  [
    ("int", Core.Int);
    ("bool", Core.Bool);
    ("thread", Core.Thread);
    ("core", Core.Core);
    ("group", Core.Group);
    ("domain", Core.Domain);
  ]

let set_type { policy; _ } (name : Ast.name) ty =
  if Hashtbl.mem policy.types name.text then
    Fault.fail name.at
      (Printf.sprintf "the type `%s` is declared twice" name.text)
      ~hint:"give one of them another name";
  Hashtbl.replace policy.types name.text ty

let ty ({ policy; _ } as scope) (written : Ast.ty) =
  match written.ty with
  | Ast.Void ->
      Fault.fail written.ty_at "nothing has the type `void`"
        ~hint:"it stands before functions that return nothing"
  | Ast.Set "thread" -> Core.Threads
  | Ast.Set "core" -> Core.Cores
  | Ast.Set "group" -> Core.Groups
  | Ast.Set _ -> Core.Domains
  | Ast.Simple text -> (
      match List.assoc_opt text basic with
      | Some ty -> ty
      | None -> (
          match Hashtbl.find_opt policy.types text with
          | Some ty -> ty
          | None ->
              let known =
                List.map fst basic
                @ Hashtbl.fold (fun text _ all -> text :: all) policy.types []
              in
              unknown scope { text; at = written.ty_at } ~what:"type" known))

let type_name = function
  | Core.Int -> "int"
  | Core.Bool -> "bool"
  | Core.Enum { enum_name; _ } -> enum_name
  | Core.Thread -> "thread"
  | Core.Core -> "core"
  | Core.Group -> "group"
  | Core.Domain -> "domain"
  | Core.Threads -> "set<thread>"
  | Core.Cores -> "set<core>"
  | Core.Groups -> "set<group>"
  | Core.Domains -> "set<domain>"

let with_local scope (name : Ast.name) binding =
  own name;
  if Names.mem name.text scope.local then
    Fault.fail name.at
      (Printf.sprintf "`%s` is already a variable here" name.text)
      ~hint:"give one of them another name";
  { scope with local = Names.add name.text binding scope.local }

let fresh { policy; _ } local_name local_ty : Core.local =
  let local_id = policy.locals in
  policy.locals <- local_id + 1;
  { local_id; local_name; local_ty }

let local_count { policy; _ } = policy.locals

(* {1 The current place} *)

let here { here; _ } = here
let with_here scope here = { scope with here }
let owner { owner; _ } = owner
let with_owner scope owner it = { scope with owner = Some (owner, it) }
let in_loop { in_loop; _ } = in_loop
let with_loop scope = { scope with in_loop = true }
let result { result; _ } = result
let with_result scope result = { scope with result }

(* {1 Functions} *)

let set_function { policy; _ } func = policy.func <- Some func

let func scope name =
  match scope.policy.func with
  | Some func -> func scope name
  | None ->
      Fault.fail name.at "no function can be called here"
        ~hint:"constants and first values are made of constants"
