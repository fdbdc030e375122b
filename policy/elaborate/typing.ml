open Dromos_policy_core
open Dromos_policy_syntax

let at = Scope.at
let name_of = Scope.type_name

let element (e : Core.expression) =
  match e.ty_of with
  | Core.Threads -> Some Core.Thread
  | Core.Cores -> Some Core.Core
  | Core.Groups -> Some Core.Group
  | Core.Domains -> Some Core.Domain
  | _ -> None

let same (a : Core.ty) (b : Core.ty) =
  match (a, b) with
  | Core.Enum a, Core.Enum b -> a.enum_name = b.enum_name
  | _ -> a = b

let wrong_type (e : Core.expression) expected =
  let hint =
    match (e.ty_of, expected) with
    | Core.Int, Core.Bool -> Some "compare it: `... != 0`"
    | Core.Enum _, Core.Int | Core.Int, Core.Enum _ ->
        Some "the members of an enumeration are not numbers"
    | Core.Threads, Core.Thread | Core.Cores, Core.Core ->
        Some "choose one of them: `first(...)`"
    | Core.Bool, Core.Int -> Some "choose: `... ? 1 : 0`"
    | _ -> None
  in
  Fault.fail e.at ?hint
    (Printf.sprintf "this has the type %s, not %s" (name_of e.ty_of)
       (name_of expected))

let demand expected (e : Core.expression) =
  if same e.ty_of expected then e else wrong_type e expected

(* {1 Orders} *)

let owner_of = function
  | Core.Thread -> Some Core.Of_thread
  | Core.Core -> Some Core.Of_core
  | Core.Group -> Some Core.Of_group
  | Core.Domain -> Some Core.Of_domain
  | _ -> None

let each_key_once keys =
  let step seen ({ by; _ } : Ast.key) =
    if List.mem by.text seen then
      Fault.fail by.at
        (Printf.sprintf "`%s` is a key of this order already" by.text)
        ~hint:"leave it out: equals by a key are equals by it again";
    by.text :: seen
  in
  ignore (List.fold_left step [] keys : string list)

let most_keys = 32

let order scope ty keys =
  (match List.nth_opt keys most_keys with
  | Some (key : Ast.key) ->
      Fault.fail key.by.at
        (Printf.sprintf "an order has more than %d keys" most_keys)
        ~hint:"later keys decide only where all before them are equal"
  | None -> each_key_once keys);
  let key ({ direction; by } : Ast.key) =
    let measure =
      match owner_of ty with
      | None -> Fault.fail by.at "this has no order"
      | Some owner -> (
          match (owner, by.text, Scope.member scope owner by.text) with
          | Core.Of_core, "cload", _ -> Core.By_cload
          | Core.Of_core, "count", _ -> Core.By_count
          | _, _, Some (Scope.Stored ({ ty = Core.Int; _ } as attribute)) ->
              Core.Attribute attribute
          | _, _, Some (Scope.Stored _) ->
              Fault.fail by.at
                (Printf.sprintf "`%s` is no number: it gives no order" by.text)
                ~hint:"order by attributes of type int"
          | _, _, Some _ ->
              Fault.fail by.at
                (Printf.sprintf
                   "`%s` is computed when it is read: it gives no lasting order"
                   by.text)
                ~hint:"order by attributes of type int that are stored"
          | _, _, None ->
              let more =
                if owner = Core.Of_core then [ "cload"; "count" ] else []
              in
              Scope.unknown scope by
                ~what:(Printf.sprintf "attribute of a %s" (name_of ty))
                (more @ Scope.members scope owner))
    in
    { Core.direction; by = measure }
  in
  List.map key keys

(* {1 Expressions} *)

let operator at = function
  | Ast.Or -> Core.Or
  | Ast.And -> Core.And
  | Ast.Bit_or -> Core.Bit_or
  | Ast.Bit_and -> Core.Bit_and
  | Ast.Eq -> Core.Eq
  | Ast.Ne -> Core.Ne
  | Ast.Lt -> Core.Lt
  | Ast.Le -> Core.Le
  | Ast.Gt -> Core.Gt
  | Ast.Ge -> Core.Ge
  | Ast.Add -> Core.Add
  | Ast.Sub -> Core.Sub
  | Ast.Mul -> Core.Mul
  | Ast.Div -> Core.Div
  | Ast.Mod -> Core.Mod
  | Ast.In -> Fault.fail at "no plain operator"

let is_none (e : Ast.exp) =
  match e.e with Ast.Name "none" -> true | _ -> false

(* Reports an unknown member of a value of this type. *)
let no_member scope (name : Ast.name) ty extra =
  match owner_of ty with
  | Some owner ->
      Scope.unknown scope name
        ~what:(Printf.sprintf "attribute of a %s" (name_of ty))
        (extra @ Scope.members scope owner)
  | None ->
      Fault.fail name.at
        (Printf.sprintf "a value of type %s has no attributes" (name_of ty))

let rec expression scope ?expected (e : Ast.exp) : Core.expression =
  let made = infer scope ?expected e in
  match expected with None -> made | Some ty -> demand ty made

and infer scope ?expected (e : Ast.exp) : Core.expression =
  let place = e.e_at in
  match e.e with
  | Ast.Int n -> at place Core.Int (Core.Int_value n)
  | Ast.Bool b -> at place Core.Bool (Core.Bool_value b)
  | Ast.Self -> self scope place
  | Ast.Name "none" -> none place expected
  | Ast.Name text -> named scope { text; at = place }
  | Ast.Field (of_what, name) -> field scope place of_what name
  | Ast.First (among, keys) -> (
      let among = collection scope among in
      match element among with
      | Some ty -> at place ty (Core.First (among, order scope ty keys))
      | None -> not_a_set among)
  | Ast.Call (name, arguments) -> builtin scope place name arguments
  | Ast.Unary (Ast.Not, a) ->
      at place Core.Bool (Core.Not (expression scope ~expected:Core.Bool a))
  | Ast.Unary (Ast.Minus, { e = Ast.Int n; _ }) ->
      at place Core.Int (Core.Int_value (-n))
  | Ast.Unary (Ast.Minus, a) ->
      at place Core.Int (Core.Minus (expression scope ~expected:Core.Int a))
  | Ast.Binary (op, a, b) -> binary scope place op a b
  | Ast.Choose (condition, yes, no) ->
      let condition = expression scope ~expected:Core.Bool condition in
      let yes, no = alike scope ?expected yes no in
      at place yes.ty_of (Core.If_else (condition, yes, no))

and self scope place =
  match (Scope.owner scope, Scope.here scope) with
  | Some (Core.Of_core, Some core), _ -> { core with at = place }
  | _, None ->
      Fault.fail place "stealing is done for any core, from any core"
        ~hint:"name the source or the destination instead of `self`"
  | _, Some core -> { core with at = place }

and none place = function
  | Some Core.Thread -> at place Core.Thread Core.No_thread
  | Some Core.Core -> at place Core.Core Core.No_core
  | Some Core.Group -> at place Core.Group Core.No_group
  | Some Core.Domain -> at place Core.Domain Core.No_domain
  | Some ty ->
      Fault.fail place
        (Printf.sprintf "there is always a value of type %s" (name_of ty))
        ~hint:"only threads, cores, groups and domains may be `none`"
  | None ->
      Fault.fail place "is this no thread, no core, no group or no domain?"
        ~hint:"compare `none` with something, or use `valid(...)`"

(* Two expressions of one type; [none] takes the type of the second
   expression. *)
and alike scope ?expected a b : Core.expression * Core.expression =
  if is_none a && expected = None then
    let b = expression scope b in
    (expression scope ~expected:b.ty_of a, b)
  else
    let a = expression scope ?expected a in
    (a, expression scope ~expected:a.ty_of b)

and named scope (name : Ast.name) =
  let place = name.at in
  match Scope.find scope name.text with
  | Some (Scope.Constant value) | Some (Scope.Value value) ->
      { value with at = place }
  | Some (Scope.Variable local) -> at place local.local_ty (Core.Local local)
  | Some (Scope.Global attribute) ->
      at place attribute.ty (Core.Read (None, attribute))
  | Some (Scope.Lazy_global hidden) -> lazily scope place hidden []
  | Some (Scope.State state) -> threads_in place (bare scope place) state
  | Some (Scope.Event _) ->
      Fault.fail place
        (Printf.sprintf "`%s` is the event" name.text)
        ~hint:(Printf.sprintf "it happens to `%s.target`" name.text)
  | Some Scope.Global_structure ->
      Fault.fail place
        (Printf.sprintf "`%s` has several fields" name.text)
        ~hint:"name one of them, with `.`"
  | Some (Scope.Function | Scope.System_function _) ->
      Fault.fail place
        (Printf.sprintf "`%s` is a function" name.text)
        ~hint:(Printf.sprintf "call it: `%s(...)`" name.text)
  | None -> (
      match Scope.owner scope with
      | Some (owner, Some it) when Scope.member scope owner name.text <> None ->
          member scope place it name
      | _ when name.text = "idle_cores" -> at place Core.Cores Core.Idle_cores
      | _ when name.text = "active_cores" ->
          at place Core.Cores Core.Active_cores
      | _ ->
          Scope.unknown scope name
            ?hint:(Scope.attribute_of scope name.text)
            ~what:"variable, state or constant"
            ("idle_cores" :: "active_cores" :: Scope.names scope))

and bare scope place =
  match Scope.here scope with
  | Some core -> { core with at = place }
  | None ->
      Fault.fail place "which core?"
        ~hint:"two cores take part here: write `src.ready` or `dst.ready`"

and threads_in place core (state : Core.state) =
  match state.container with
  | Core.Slot -> at place Core.Thread (Core.Threads_in (core, state))
  | Core.Queue _ -> at place Core.Threads (Core.Threads_in (core, state))
  | Core.One _ ->
      let place_of_one =
        at place Core.Threads (Core.Threads_in (core, state))
      in
      at place Core.Thread (Core.First (place_of_one, []))
  | Core.Nowhere ->
      Fault.fail place
        (Printf.sprintf "`%s` keeps no threads that one could look at"
           state.state_name)
        ~hint:"threads can only be moved there, with `=>`"

and lazily scope place hidden arguments =
  let func = Scope.func scope { text = hidden; at = place } in
  let ty = Option.value func.result ~default:Core.Int in
  at place ty (Core.Call (func, arguments))

and field scope place (of_what : Ast.exp) (name : Ast.name) =
  match of_what.e with
  | Ast.Name text -> (
      match Scope.find scope text with
      | Some (Scope.Event ty) -> (
          match name.text with
          | "target" -> at place ty Core.Target
          | "waker" when ty = Core.Thread -> at place ty Core.Waker
          | _ ->
              Scope.unknown scope name ~what:"part of an event"
                ("target" :: (if ty = Core.Thread then [ "waker" ] else [])))
      | Some Scope.Global_structure -> (
          match Scope.member scope Core.Global (text ^ "." ^ name.text) with
          | Some (Scope.Stored attribute) ->
              at place attribute.ty (Core.Read (None, attribute))
          | _ -> Scope.unknown scope name ~what:("field of " ^ text) [])
      | _ -> field_of scope place of_what name)
  | Ast.Field (outer, part) -> (
      (* A structure is no value: its fields are the attributes [part.name]. *)
      match structure scope outer part with
      | Some (it, owner) -> (
          let full = part.text ^ "." ^ name.text in
          match Scope.member scope owner full with
          | Some (Scope.Stored attribute) ->
              at place attribute.ty (Core.Read (Some it, attribute))
          | _ ->
              Fault.fail name.at
                (Printf.sprintf "`%s` has no field `%s`" part.text name.text))
      | None -> field_of scope place of_what name)
  | _ -> field_of scope place of_what name

and structure scope outer (part : Ast.name) =
  let owners =
    [ Core.Of_thread; Core.Of_core; Core.Of_group; Core.Of_domain ]
  in
  let could owner =
    match Scope.member scope owner part.text with
    | Some (Scope.Structure _) -> true
    | _ -> false
  in
  if not (List.exists could owners) then None
  else
    let it = expression scope outer in
    match owner_of it.ty_of with
    | Some owner when could owner -> Some (it, owner)
    | _ -> None

and field_of scope place of_what name =
  member scope place (expression scope of_what) name

and member scope place (it : Core.expression) (name : Ast.name) =
  let all ty made = at place ty made in
  match (it.ty_of, name.text) with
  | Core.Core, "cload" -> all Core.Int (Core.Cload it)
  | Core.Core, "domains" -> all Core.Domains (Core.Domains_of it)
  | Core.Domain, "groups" -> all Core.Groups (Core.Groups_of it)
  | (Core.Domain | Core.Group), "cores" -> all Core.Cores (Core.Cores_of it)
  | ty, text -> (
      let found =
        Option.bind (owner_of ty) (fun owner -> Scope.member scope owner text)
      in
      match (found, ty, Scope.find scope text) with
      | Some (Scope.Stored attribute), _, _ ->
          all attribute.ty (Core.Read (Some it, attribute))
      | Some (Scope.Computed hidden), _, _ -> lazily scope place hidden [ it ]
      | Some Scope.Smallest_domain, _, _ ->
          let domains = all Core.Domains (Core.Domains_of it) in
          all Core.Domain (Core.First (domains, []))
      | Some (Scope.Structure _), _, _ ->
          Fault.fail place
            (Printf.sprintf "`%s` has several fields" text)
            ~hint:"name one of them, with `.`"
      | None, Core.Core, Some (Scope.State state) -> threads_in place it state
      | None, Core.Core, _ when text = "count" ->
          Fault.fail place "the number of threads of a core is a function"
            ~hint:"write `count(c)`, or `count(c.ready)` for one state"
      | None, Core.Core, _ -> no_member scope name ty [ "cload"; "domains" ]
      | None, Core.Domain, _ -> no_member scope name ty [ "groups"; "cores" ]
      | None, Core.Group, _ -> no_member scope name ty [ "cores" ]
      | None, _, _ -> no_member scope name ty [])

and not_a_set (e : Core.expression) =
  Fault.fail e.at
    (Printf.sprintf "this has the type %s, and is no set" (name_of e.ty_of))
    ~hint:
      "sets are queues, `system_cores()`, `idle_cores`, `active_cores`, \
       `c.domains`, `d.groups`, `g.cores`"

(* A READY state of one thread is a collection here. Elsewhere the state stands
   for its thread, or none. *)
and among scope e =
  match (state_place scope e, expression scope e) with
  | Some (_, { container = Core.One _; _ }), { it = Core.First (one, []); _ } ->
      one
  | _, made -> made

and collection scope e =
  let made = among scope e in
  if element made = None then not_a_set made else made

and binary scope place op a b =
  let ints made =
    let a = expression scope ~expected:Core.Int a in
    let b = expression scope ~expected:Core.Int b in
    made a b
  in
  let plain ty a b = at place ty (Core.Operation (operator place op, a, b)) in
  match op with
  | Ast.Add | Ast.Sub | Ast.Mul | Ast.Bit_and | Ast.Bit_or ->
      ints (plain Core.Int)
  | Ast.Div | Ast.Mod -> ints (fun a b -> plain Core.Int a (divisor b))
  | Ast.Lt | Ast.Le | Ast.Gt | Ast.Ge -> ints (plain Core.Bool)
  | Ast.And | Ast.Or ->
      let a = expression scope ~expected:Core.Bool a in
      let b = expression scope ~expected:Core.Bool b in
      plain Core.Bool a b
  | Ast.Eq | Ast.Ne ->
      let a, b = alike scope a b in
      if element a <> None then
        Fault.fail place "sets cannot be compared"
          ~hint:"compare what is in them: `empty(...)`, `... in ...`";
      plain Core.Bool a b
  | Ast.In -> inside scope place a b

(* A constant divisor becomes a literal for all later passes. *)
and divisor b =
  match Constants.value b with
  | Some { it = Core.Int_value 0; _ } -> Fault.fail b.at "division by zero"
  | Some value -> value
  | None -> b

and inside scope place a b =
  let slot ({ state_name; _ } as state : Core.state) =
    Fault.fail place
      (Printf.sprintf "`%s` holds one thread" state_name)
      ~hint:(Printf.sprintf "write `... == %s`" state.state_name)
  in
  match state_place scope b with
  | Some (_, ({ container = Core.Slot; _ } as state)) -> slot state
  | _ -> (
      let among = collection scope b in
      match element among with
      | Some ty ->
          let a = expression scope ~expected:ty a in
          at place Core.Bool (Core.In (a, among))
      | None -> not_a_set among)

(* {1 Calls} *)

and builtin scope place (name : Ast.name) arguments =
  let one () =
    match arguments with
    | [ argument ] -> argument
    | _ -> Fault.fail place (Printf.sprintf "`%s` takes one argument" name.text)
  in
  match name.text with
  | "valid" -> (
      let e = expression scope (one ()) in
      match e.ty_of with
      | Core.Thread | Core.Core | Core.Group | Core.Domain ->
          at place Core.Bool (Core.Valid e)
      | ty ->
          Fault.fail e.at
            (Printf.sprintf "there is always a value of type %s" (name_of ty))
            ~hint:"only threads, cores, groups and domains may be `none`")
  | "empty" -> (
      let e = one () in
      match state_place scope e with
      | Some (_, { container = Core.Slot; _ }) ->
          let slot = expression scope e in
          at place Core.Bool (Core.Not (at place Core.Bool (Core.Valid slot)))
      | _ -> at place Core.Bool (Core.Empty (collection scope e)))
  | "any" -> (
      let among = collection scope (one ()) in
      match element among with
      | Some ty -> at place ty (Core.Any among)
      | None -> not_a_set among)
  | "count" -> count scope place (one ())
  | "syscores" | "system_cores" ->
      if arguments <> [] then
        Fault.fail place (Printf.sprintf "`%s` takes no argument" name.text);
      at place Core.Cores Core.All_cores
  | "steal_for" ->
      Fault.fail place "`steal_for` is a statement"
        ~hint:"write it alone: `steal_for(c);`"
  | _ -> (
      match Scope.find scope name.text with
      | Some (Scope.System_function attribute) when arguments = [] ->
          at place attribute.ty (Core.Read (None, attribute))
      | Some (Scope.System_function _) ->
          Fault.fail place (Printf.sprintf "`%s` takes no argument" name.text)
      | _ -> (
          let func, arguments = call scope place name arguments in
          match func.result with
          | Some ty -> at place ty (Core.Call (func, arguments))
          | None ->
              Fault.fail place
                (Printf.sprintf "`%s` returns nothing" name.text)
                ~hint:"call it as a statement"))

and count scope place argument =
  match state_place scope argument with
  | Some (_, { container = Core.Nowhere; state_name; _ }) ->
      Fault.fail place
        (Printf.sprintf "the threads of `%s` are not counted" state_name)
        ~hint:"RUNNING and READY states are"
  | Some (core, state) ->
      let core =
        match core with Some core -> core | None -> bare scope place
      in
      at place Core.Int (Core.Count (core, state))
  | None -> (
      let e = expression scope argument in
      match e.ty_of with
      | Core.Core -> at place Core.Int (Core.Runnable e)
      | ty ->
          Fault.fail e.at
            (Printf.sprintf "this has the type %s, and is not counted"
               (name_of ty))
            ~hint:"`count(c)` is of a core, `count(c.ready)` of one state")

and state_place scope (e : Ast.exp) :
    (Core.expression option * Core.state) option =
  match e.e with
  | Ast.Name text -> (
      match Scope.find scope text with
      | Some (Scope.State state) ->
          let core =
            Option.map
              (fun (core : Core.expression) -> { core with at = e.e_at })
              (Scope.here scope)
          in
          Some (core, state)
      | _ -> None)
  | Ast.Field (({ e = Ast.Name text; _ } as core), name) -> (
      match (Scope.find scope text, Scope.find scope name.text) with
      | Some (Scope.Event _), _ -> None
      | _, Some (Scope.State state) -> of_core scope core name state
      | _ -> None)
  | Ast.Field (core, name) -> (
      match Scope.find scope name.text with
      | Some (Scope.State state) -> of_core scope core name state
      | _ -> None)
  | _ -> None

and of_core scope core (name : Ast.name) (state : Core.state) =
  if Scope.member scope Core.Of_core name.text <> None then None
  else
    let core = expression scope core in
    if core.ty_of = Core.Core then Some (Some core, state) else None

and arguments scope (name : Ast.name) (func : Core.func) given =
  let expected = List.length func.parameters in
  if List.length given <> expected then
    Fault.fail name.at
      (Printf.sprintf "`%s` takes %d argument%s, and is given %d" name.text
         expected
         (if expected = 1 then "" else "s")
         (List.length given));
  List.map2
    (fun (parameter : Core.local) e ->
      expression scope ~expected:parameter.local_ty e)
    func.parameters given

and call scope place (name : Ast.name) given : Core.func * Core.expression list
    =
  match Scope.find scope name.text with
  | Some Scope.Function ->
      let func = Scope.func scope name in
      (func, arguments scope name func given)
  | Some _ -> Fault.fail place (Printf.sprintf "`%s` is no function" name.text)
  | None when List.mem name.text [ "lock"; "unlock"; "acquire"; "release" ] ->
      Fault.fail place "locks are taken where they are needed, never by hand"
        ~hint:"leave it out"
  | None ->
      let functions =
        List.filter
          (fun text ->
            match Scope.find scope text with
            | Some (Scope.Function | Scope.System_function _) -> true
            | _ -> false)
          (Scope.names scope)
      in
      Scope.unknown scope name ~what:"function"
        ([
           "valid";
           "empty";
           "any";
           "count";
           "system_cores";
           "syscores";
           "steal_for";
         ]
        @ functions)

let owned = function
  | Core.Of_thread -> Some Core.Thread
  | Core.Of_core -> Some Core.Core
  | Core.Of_group -> Some Core.Group
  | Core.Of_domain -> Some Core.Domain
  | Core.Global -> None
