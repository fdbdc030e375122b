open Dromos_policy_core
open Dromos_policy_syntax

let sprintf = Printf.sprintf

let error scope at ~hint message =
  Scope.report scope (Fault.error at message ~hint)

let warning scope at ~hint message =
  Scope.report scope (Fault.warning at message ~hint)

(* {1 Empty braces} *)

let empty scope at what =
  error scope at
    (sprintf "this `%s` is empty" what)
    ~hint:"leave it out, or say what is in it"

let braces scope (d : Ast.declaration) =
  let check what items = if items = [] then empty scope d.d_at what in
  match d.d with
  | Ast.Struct (_, fields) -> check "struct" fields.items
  | Ast.Attributes (Ast.Of_thread, all) -> check "thread" all.items
  | Ast.Attributes (Ast.Of_group, all) -> check "group" all.items
  | Ast.Attributes (Ast.Of_domain, all) -> check "domain" all.items
  | Ast.Core items -> check "core" items.items
  | Ast.Cores sets -> check "cores" sets.items
  | Ast.Interface functions -> check "interface" functions.items
  | Ast.Handler { events; _ } -> check "handler" events.items
  | _ -> ()

(* {1 States} *)

let state scope (t : Ast.thread_state) =
  if t.t_how.system then
    error scope t.t_name.at "a state is the policy's, not the system's"
      ~hint:"leave out `system`";
  match (t.state_class, t.t_ty) with
  | (Core.Blocked | Core.Terminated), Some ty ->
      error scope ty.ty_at "no handler can look at the threads of this state"
        ~hint:"leave out its type: `BLOCKED blocked;`, `TERMINATED terminated;`"
  | _ -> ()

let states scope at (all : Ast.thread_state Ast.braced) =
  if all.items = [] then empty scope at "threads";
  List.iter (state scope) all.items

(* {1 Attributes} *)

let shared_alone scope (v : Ast.variables) ~of_core =
  if v.how.shared && v.how.is_lazy then
    error scope v.v_at
      "an attribute that is computed when it is read is never set"
      ~hint:"leave out `shared`, or `lazy`"
  else if v.how.shared && of_core && not v.how.system then
    error scope v.v_at "the attributes of a core are not `shared`"
      ~hint:
        "leave it out: they are set under the lock of their core, and read \
         there"

(* True if the system gives this attribute of the system a value: the
   attributes of threads, the level of a group, the smallest domain and the
   load of a core, sets of the topology, [now] and [random]. *)
let told owner (v : Ast.variables) (name : Ast.name) =
  match (owner, v.v_ty.ty, name.text) with
  | Core.Of_thread, _, _ -> true
  | Core.Of_group, Ast.Simple "int", _ -> true
  | Core.Of_core, Ast.Simple "domain", _ -> true
  | _, Ast.Set _, _ | Core.Of_core, _, "cload" -> true
  | Core.Global, _, ("now" | "random") -> true
  | _ -> false

let untold scope (name : Ast.name) =
  warning scope name.at
    (sprintf "the system says nothing of `%s`: it keeps its first value"
       name.text)
    ~hint:
      "it knows `now()`, `random()`, the attributes of threads, and the \
       topology"

let variables scope owner (v : Ast.variables) =
  shared_alone scope v ~of_core:(owner = Core.Of_core);
  if v.how.system then
    List.iter
      (fun (name, _) -> if not (told owner v name) then untold scope name)
      v.names

(* {1 Types} *)

let all_variables (ast : Ast.t) =
  List.concat_map
    (fun (d : Ast.declaration) ->
      match d.d with
      | Ast.Attributes (_, all) -> all.items
      | Ast.Global v -> [ v ]
      | Ast.Core items ->
          List.filter_map
            (function Ast.Core_variables v -> Some v | _ -> None)
            items.items
      | _ -> [])
    ast.declarations

let structure scope ast (name : Ast.name) (fields : Ast.variables Ast.braced) =
  let has_it (v : Ast.variables) = v.v_ty.ty = Ast.Simple name.text in
  if not (List.exists has_it (all_variables ast)) then
    warning scope name.at
      (sprintf "nothing has the type `%s`" name.text)
      ~hint:"leave it out, or declare an attribute of it";
  List.iter
    (fun (field : Ast.variables) ->
      ignore (Scope.attempt scope (fun () -> Scope.ty scope field.v_ty)))
    (if List.exists has_it (all_variables ast) then [] else fields.items)

let types_once scope (ast : Ast.t) =
  let seen = Hashtbl.create 8 in
  let one (name : Ast.name) ~is_struct =
    match Hashtbl.find_opt seen name.text with
    | Some ((first : Ast.name), other) when is_struct || other ->
        error scope name.at
          (sprintf "`%s` is declared twice, first on line %d" name.text
             first.at.line)
          ~hint:"give one of them another name"
    | Some _ -> ()
    | None -> Hashtbl.add seen name.text (name, is_struct)
  in
  List.iter
    (fun (d : Ast.declaration) ->
      match d.d with
      | Ast.Struct (name, _) -> one name ~is_struct:true
      | Ast.Enum (name, _) -> one name ~is_struct:false
      | _ -> ())
    ast.declarations

(* {1 The interface} *)

let method_ scope seen (f : Ast.func) =
  let name = f.f_name in
  if not (List.mem name.text [ "attach"; "detach" ]) then
    error scope name.at
      (sprintf "the system does not call `%s`" name.text)
      ~hint:"the interface is `attach` and `detach`: declare it outside"
  else if List.mem name.text !seen then
    error scope name.at
      (sprintf "the interface has `%s` twice" name.text)
      ~hint:"keep one of them"
  else if f.result.ty <> Ast.Void then
    error scope f.result.ty_at
      (sprintf "the result of `%s` is not used" name.text)
      ~hint:(sprintf "write `void %s(thread t)`" name.text);
  seen := name.text :: !seen

(* {1 The whole policy} *)

let system_function scope system (name : Ast.name) (result : Ast.ty) =
  if not system then
    error scope name.at
      (sprintf "`%s` has no body" name.text)
      ~hint:"write one, or `system` before it if the system knows the answer"
  else if List.mem name.text [ "now"; "random" ] then begin
    if result.ty <> Ast.Simple "int" then
      error scope result.ty_at
        (sprintf "`%s()` is a number" name.text)
        ~hint:(sprintf "write `system int %s();`" name.text)
  end
  else untold scope name

let core_item scope = function
  | Ast.Core_variables v -> variables scope Core.Of_core v
  | Ast.Core_threads (all, at) -> states scope at all
  | Ast.Core_steal _ -> ()

let owner = function
  | Ast.Of_thread -> Core.Of_thread
  | Ast.Of_group -> Core.Of_group
  | Ast.Of_domain -> Core.Of_domain

let declaration scope ast ~methods ~rounds (d : Ast.declaration) =
  braces scope d;
  match d.d with
  | Ast.Attributes (of_what, all) ->
      List.iter (variables scope (owner of_what)) all.items
  | Ast.Core items -> List.iter (core_item scope) items.items
  | Ast.Global v -> variables scope Core.Global v
  | Ast.Struct (name, fields) -> structure scope ast name fields
  | Ast.Threads all ->
      states scope d.d_at all;
      error scope d.d_at "queues are a core's, and stand in `core`"
        ~hint:
          "write `core = { threads = { ... } }`; no queue is the whole \
           machine's"
  | Ast.Interface functions -> List.iter (method_ scope methods) functions.items
  | Ast.System_function { system; name; result; _ } ->
      system_function scope system name result
  | Ast.Within _ ->
      if !rounds then
        error scope d.d_at "`conserve` is said twice" ~hint:"keep one of them";
      rounds := true
  | _ -> ()

let check scope (ast : Ast.t) =
  types_once scope ast;
  let methods = ref [] and rounds = ref false in
  List.iter (declaration scope ast ~methods ~rounds) ast.declarations
