open Dromos_policy_core
open Dromos_policy_syntax

type source = Written of Ast.func | Lazy of Declarations.computed
type progress = Not_yet of source | Now | Done of Core.func

type t = {
  scope : Scope.t;
  progress : (string, progress) Hashtbl.t;
  mutable finished : Core.func list; (* the last one first *)
  mutable next : int;
  order : string list;
}

(* The effects of a call. The called functions are finished already, and their
   effects known. *)
let effects (body : Core.block) : Core.effects =
  let observes = ref false and updates = ref false in
  let expression (e : Core.expression) =
    match e.it with
    | Core.Cload { it = Core.Self; _ }
    | Core.Runnable { it = Core.Self; _ }
    | Core.Count ({ it = Core.Self; _ }, _) ->
        ()
    | Core.Cload _ | Core.Runnable _ | Core.Count _ | Core.Idle_cores
    | Core.Active_cores ->
        observes := true
    | Core.Call (f, _) ->
        if f.effects.observes then observes := true;
        if f.effects.updates then updates := true
    | _ -> ()
  in
  let statement (s : Core.statement) =
    match s.what with
    | Core.Set _ | Core.Move _ | Core.Steal_for _ -> updates := true
    | Core.Foreach { order; _ } ->
        let observed (k : Core.key) =
          match k.by with
          | Core.By_cload | Core.By_count -> true
          | Core.Attribute _ -> false
        in
        if List.exists observed order then observes := true
    | _ -> ()
  in
  Walk.block ~expression ~statement body;
  { observes = !observes; updates = !updates }

let number functions =
  let id = functions.next in
  functions.next <- id + 1;
  id

let parameter scope (p : Ast.parameter) =
  let ty = Scope.ty scope p.p_ty in
  let local = Scope.fresh scope p.p_name.text ty in
  (Scope.with_local scope p.p_name (Scope.Variable local), local)

let parameters scope given =
  let step (scope, locals) p =
    let scope, local = parameter scope p in
    (scope, local :: locals)
  in
  let scope, locals = List.fold_left step (scope, []) given in
  (scope, List.rev locals)

let result scope (ty : Ast.ty) =
  match ty.ty with Ast.Void -> None | _ -> Some (Scope.ty scope ty)

let written functions (f : Ast.func) =
  let scope = functions.scope in
  let result = result scope f.result in
  let inner, locals = parameters scope f.parameters in
  let before = List.length (Scope.faults scope) in
  let body = Statements.block (Scope.with_result inner result) f.f_body in
  let at_fault = List.length (Scope.faults scope) > before in
  if result <> None && (not at_fault) && not (Statements.returns body) then
    Scope.report scope
      (Fault.error f.f_name.at
         (Printf.sprintf "on some path `%s` returns nothing" f.f_name.text)
         ~hint:"end it with `return ...;`");
  (locals, result, body, f.f_name)

let computed functions (lazy_ : Declarations.computed) =
  let scope = functions.scope in
  let inner, locals =
    match Typing.owned lazy_.owner with
    | None -> (Scope.with_here scope None, [])
    | Some ty ->
        let it = Scope.fresh scope "it" ty in
        let value = Scope.at lazy_.named.at ty (Core.Local it) in
        let here = if ty = Core.Core then Some value else None in
        ( Scope.with_here (Scope.with_owner scope lazy_.owner (Some value)) here,
          [ it ] )
  in
  let value = Typing.expression inner ~expected:lazy_.ty lazy_.value in
  let return = { Core.what = Core.Return (Some value); stands_at = value.at } in
  (locals, Some lazy_.ty, [ return ], lazy_.named)

let make functions source =
  let parameters, result, func_body, name =
    match source with
    | Written f -> written functions f
    | Lazy lazy_ -> computed functions lazy_
  in
  {
    Core.func_id = number functions;
    func_name = name.text;
    parameters;
    result;
    func_body;
    effects = effects func_body;
    func_place = name.at;
  }

(* Stands for a function with a fault in the heading: the fault is reported
   once, and not at each call. *)
let hopeless functions (name : Ast.name) =
  {
    Core.func_id = number functions;
    func_name = name.text;
    parameters = [];
    result = None;
    func_body = [];
    effects = { observes = false; updates = false };
    func_place = name.at;
  }

let name_of = function Written f -> f.f_name | Lazy lazy_ -> lazy_.named

let rec finish functions key at =
  match Hashtbl.find_opt functions.progress key with
  | Some (Done func) -> func
  | Some Now ->
      Fault.fail at "this function calls itself, here or through others"
        ~hint:"write it with `foreach`: every handler must come to an end"
  | Some (Not_yet source) ->
      Hashtbl.replace functions.progress key Now;
      let func =
        match make functions source with
        | func -> func
        | exception Fault.Fault fault ->
            Scope.report functions.scope fault;
            hopeless functions (name_of source)
      in
      functions.finished <- func :: functions.finished;
      Hashtbl.replace functions.progress key (Done func);
      func
  | None -> Fault.fail at "no such function"

and create scope sources (declarations : Declarations.t) =
  let progress = Hashtbl.create 16 in
  let add key source =
    if not (Hashtbl.mem progress key) then
      Hashtbl.replace progress key (Not_yet source)
  in
  List.iter (fun (f : Ast.func) -> add f.f_name.text (Written f)) sources;
  List.iter
    (fun (hidden, lazy_) -> add hidden (Lazy lazy_))
    declarations.computed;
  let order =
    List.map fst declarations.computed
    @ List.map (fun (f : Ast.func) -> f.f_name.text) sources
  in
  let functions = { scope; progress; finished = []; next = 0; order } in
  Scope.set_function scope (fun _ name -> finish functions name.text name.at);
  functions

let rest functions =
  List.iter
    (fun key -> ignore (finish functions key Places.nowhere))
    functions.order

let all functions = List.rev functions.finished
let method_ functions f = make functions (Written f)
