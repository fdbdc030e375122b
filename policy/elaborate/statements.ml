open Dromos_policy_core
open Dromos_policy_syntax

let made place what : Core.statement = { what; stands_at = place }

(* The value of a variable declared without one. *)
let default (name : Ast.name) ty =
  let value it = Scope.at name.at ty it in
  match ty with
  | Core.Int -> value (Core.Int_value 0)
  | Core.Bool -> value (Core.Bool_value false)
  | Core.Enum enum -> value (Core.Member (enum, 0))
  | Core.Thread -> value Core.No_thread
  | Core.Core -> value Core.No_core
  | Core.Group -> value Core.No_group
  | Core.Domain -> value Core.No_domain
  | _ ->
      Fault.fail name.at
        (Printf.sprintf "`%s` has no value" name.text)
        ~hint:"give it one: `= ...`"

(* The left side of an assignment. *)
type target =
  | To_local of Core.local
  | To of Core.expression option * Core.attribute

let target scope (e : Ast.exp) =
  let name = match e.e with Ast.Name text -> text | _ -> "this" in
  let refuse why hint = Fault.fail e.e_at ~hint (name ^ " " ^ why) in
  let attribute it (attribute : Core.attribute) =
    if attribute.system then
      Fault.fail e.e_at
        (Printf.sprintf "`%s` is set by the system" attribute.name)
        ~hint:"a policy only reads `system` attributes"
    else To (it, attribute)
  in
  match (Typing.expression scope e).it with
  | Core.Local local -> (
      match e.e with
      | Ast.Name text -> (
          match Scope.find scope text with
          | Some (Scope.Variable _) -> To_local local
          | _ -> refuse "is not a variable" "declare one")
      | _ -> refuse "is not a variable" "declare one")
  | Core.Read (it, read) -> attribute it read
  | Core.Cload _ ->
      refuse "is kept by the runtime" "it follows from where the threads are"
  | Core.Threads_in (_, state)
  | Core.First ({ it = Core.Threads_in (_, state); _ }, []) ->
      refuse "is a state"
        (Printf.sprintf "move a thread there: `t => %s`" state.state_name)
  | Core.Int_value _ | Core.Bool_value _ | Core.Member _ ->
      refuse "is a constant" "declare a variable, or an attribute"
  | Core.Call _ -> refuse "is computed when it is read" "leave out `lazy`"
  | Core.Target | Core.Waker | Core.Self ->
      refuse "is given" "declare a variable"
  | _ -> refuse "cannot be assigned" "assign variables and attributes"

let read place = function
  | To_local local -> Scope.at place local.local_ty (Core.Local local)
  | To (it, attribute) ->
      Scope.at place attribute.ty (Core.Read (it, attribute))

let set place target value =
  match target with
  | To_local local -> made place (Core.Set_local (local, value))
  | To (it, attribute) -> made place (Core.Set (it, attribute, value))

let assign scope place to_ value =
  let target = target scope to_ in
  let expected = (read place target).ty_of in
  set place target (Typing.expression scope ~expected value)

let change scope place to_ operator by =
  let target = target scope to_ in
  let now = read to_.Ast.e_at target in
  if now.ty_of <> Core.Int then
    Fault.fail to_.Ast.e_at
      (Printf.sprintf "this has the type %s, not int"
         (Scope.type_name now.ty_of));
  let value = Scope.at place Core.Int (Core.Operation (operator, now, by)) in
  set place target value

let move scope place thread where =
  let thread = Typing.expression scope ~expected:Core.Thread thread in
  match Typing.state_place scope where with
  | Some (Some core, state) -> made place (Core.Move { thread; core; state })
  | Some (None, state) ->
      Fault.fail where.e_at "which core?"
        ~hint:(Printf.sprintf "write `dst.%s`" state.state_name)
  | None -> (
      match where.e with
      | Ast.Name text when Scope.find scope text = None ->
          let states =
            List.filter
              (fun text ->
                match Scope.find scope text with
                | Some (Scope.State _) -> true
                | _ -> false)
              (Scope.names scope)
          in
          Scope.unknown scope { text; at = where.e_at } ~what:"state" states
      | _ ->
          let hint =
            match Typing.expression scope where with
            | { ty_of = Core.Core; _ } -> "say which state: `t => c.ready`"
            | _ -> "threads move to states: `t => c.ready`, `t => blocked`"
          in
          Fault.fail where.e_at "this is no state" ~hint)

let steal_for scope place (name : Ast.name) = function
  | [ core ] ->
      let core = Typing.expression scope ~expected:Core.Core core in
      made place (Core.Steal_for { group = None; core })
  | [ group; core ] ->
      let group = Typing.expression scope ~expected:Core.Group group in
      let core = Typing.expression scope ~expected:Core.Core core in
      made place (Core.Steal_for { group = Some group; core })
  | _ ->
      Fault.fail name.at "`steal_for` takes a core, or a group and a core"
        ~hint:"`steal_for(c)` or `steal_for(g, c)`"

let rec returns block = List.exists returning block

and returning (statement : Core.statement) =
  match statement.what with
  | Core.Return _ -> true
  | Core.If (_, yes, no) -> returns yes && returns no
  | _ -> false

(* A declaration is visible to later statements of the same block. *)
let rec block scope ({ body; _ } : Ast.block) : Core.block =
  let step (scope, done_) statement =
    match Scope.attempt scope (fun () -> one scope statement) with
    | Some (scope, made) -> (scope, List.rev_append made done_)
    | None -> (anyway scope statement, done_)
  in
  List.rev (snd (List.fold_left step (scope, []) body))

(* The scope after a declaration with a fault: the variable is declared
   nevertheless, else all its uses would be faults. *)
and anyway scope (statement : Ast.stmt) =
  match statement.s with
  | Ast.Declare (ty, name, _) -> (
      try
        let local = Scope.fresh scope name.text (Scope.ty scope ty) in
        Scope.with_local scope name (Scope.Variable local)
      with Fault.Fault _ -> scope)
  | _ -> scope

and one scope ({ s; s_at } : Ast.stmt) =
  let same made = (scope, [ made ]) in
  match s with
  | Ast.Declare (ty, name, value) ->
      let ty = Scope.ty scope ty in
      let value =
        match value with
        | Some value -> Typing.expression scope ~expected:ty value
        | None -> default name ty
      in
      let local = Scope.fresh scope name.text ty in
      ( Scope.with_local scope name (Scope.Variable local),
        [ made s_at (Core.Set_local (local, value)) ] )
  | Ast.Assign (to_, value) -> same (assign scope s_at to_ value)
  | Ast.Increase (to_, by) ->
      let by = Typing.expression scope ~expected:Core.Int by in
      same (change scope s_at to_ Core.Add by)
  | Ast.Decrease (to_, by) ->
      let by = Typing.expression scope ~expected:Core.Int by in
      same (change scope s_at to_ Core.Sub by)
  | Ast.Increment to_ -> same (change scope s_at to_ Core.Add (one_more s_at))
  | Ast.Decrement to_ -> same (change scope s_at to_ Core.Sub (one_more s_at))
  | Ast.Move (thread, where) -> same (move scope s_at thread where)
  | Ast.If (condition, yes, no) -> (
      let condition =
        Scope.attempt scope (fun () ->
            Typing.expression scope ~expected:Core.Bool condition)
      in
      let yes = block scope yes in
      let no = match no with Some no -> block scope no | None -> [] in
      ( scope,
        match condition with
        | Some condition -> [ made s_at (Core.If (condition, yes, no)) ]
        | None -> [] ))
  | Ast.Foreach (name, among, keys, body) ->
      same (foreach scope s_at name among keys body)
  | Ast.Return value -> same (return scope s_at value)
  | Ast.Break ->
      if Scope.in_loop scope then same (made s_at Core.Break)
      else Fault.fail s_at "`break` leaves a `foreach`, and there is none here"
  | Ast.Do { e = Ast.Call (({ text = "steal_for"; _ } as name), given); _ } ->
      same (steal_for scope s_at name given)
  | Ast.Do ({ e = Ast.Call (name, given); _ } as call) -> (
      match Scope.find scope name.text with
      | Some Scope.Function ->
          let func, given = Typing.call scope call.e_at name given in
          let ty = Option.value func.result ~default:Core.Bool in
          same
            (made s_at
               (Core.Do (Scope.at call.e_at ty (Core.Call (func, given)))))
      | _ ->
          ignore (Typing.expression scope call);
          Fault.fail s_at "this does nothing" ~hint:"use its value")
  | Ast.Do e ->
      ignore (Typing.expression scope e);
      Fault.fail s_at "this does nothing"
        ~hint:"`t => c.ready` moves, `x = ...` assigns"
  | Ast.Block inner -> (scope, block scope inner)

and one_more place = Scope.at place Core.Int (Core.Int_value 1)

and foreach scope place name among keys body =
  let among = Typing.among scope among in
  match Typing.element among with
  | None ->
      Fault.fail among.at
        (Printf.sprintf "this has the type %s, and is no set"
           (Scope.type_name among.ty_of))
        ~hint:
          "loops go over queues, `system_cores()`, `idle_cores`, \
           `active_cores`, `c.domains`, `d.groups` or `g.cores`"
  | Some ty ->
      let order = Typing.order scope ty keys in
      let each = Scope.fresh scope name.Ast.text ty in
      let value = Scope.Value (Scope.at name.at ty (Core.Local each)) in
      let inner = Scope.with_loop (Scope.with_local scope name value) in
      made place (Core.Foreach { each; among; order; body = block inner body })

and return scope place value =
  match (Scope.result scope, value) with
  | None, None -> made place (Core.Return None)
  | Some ty, Some value ->
      let value = Typing.expression scope ~expected:ty value in
      made place (Core.Return (Some value))
  | None, Some value ->
      Fault.fail value.e_at "nothing is returned here"
        ~hint:"write `return;`, or give the function a type instead of `void`"
  | Some ty, None ->
      Fault.fail place
        (Printf.sprintf "a value of type %s must be returned"
           (Scope.type_name ty))
