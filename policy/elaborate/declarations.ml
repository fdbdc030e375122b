open Dromos_policy_core
open Dromos_policy_syntax

type t = {
  attributes : Core.attribute list;
  states : Core.state list;
  computed : (string * computed) list;
}

and computed = {
  owner : Core.owner;
  ty : Core.ty;
  value : Ast.exp;
  named : Ast.name;
}

let noun = function
  | Core.Of_thread -> "thread"
  | Core.Of_core -> "core"
  | Core.Of_group -> "group"
  | Core.Of_domain -> "domain"
  | Core.Global -> "policy"

(* {1 Types and constants} *)

let enum scope name members =
  let enum =
    {
      Core.enum_name = name.Ast.text;
      members = Array.of_list (List.map (fun (m : Ast.name) -> m.text) members);
    }
  in
  Scope.set_type scope name (Core.Enum enum);
  List.iteri
    (fun index (member : Ast.name) ->
      let value =
        Scope.at member.at (Core.Enum enum) (Core.Member (enum, index))
      in
      Scope.declare scope member (Scope.Constant value))
    members

let constant_of scope ?expected e =
  let made = Typing.expression scope ?expected e in
  match Constants.value made with
  | Some value -> value
  | None ->
      Fault.fail e.Ast.e_at "this is no constant"
        ~hint:"numbers, truth values, members, constants and their sums are"

let const scope ty name value =
  let expected = Option.map (Scope.ty scope) ty in
  let value = constant_of scope ?expected value in
  Scope.declare scope name (Scope.Constant value)

(* {1 Attributes} *)

type gathering = {
  scope : Scope.t;
  structures : (string, Ast.variables list) Hashtbl.t;
  mutable attributes : Core.attribute list; (* the last one first *)
  mutable computed : (string * computed) list;
}

(* A policy may declare built-in attributes too, as the system's. *)
let known_already owner (name : Ast.name) (ty : Ast.ty_desc) =
  match (owner, name.text, ty) with
  | Core.Of_core, "cload", Ast.Simple "int"
  | Core.Of_core, "domains", Ast.Set "domain"
  | Core.Of_domain, "groups", Ast.Set "group"
  | (Core.Of_domain | Core.Of_group), "cores", Ast.Set "core" ->
      true
  | _ -> false

let kept_by_runtime owner (name : Ast.name) =
  match (owner, name.text) with
  | Core.Of_core, ("cload" | "domains" | "count")
  | Core.Of_domain, ("groups" | "cores")
  | Core.Of_group, "cores" ->
      true
  | _ -> false

let storable = function
  | Core.Int | Core.Bool | Core.Enum _ | Core.Thread | Core.Core | Core.Group
  | Core.Domain ->
      true
  | _ -> false

(* [prefix] names the structure of which the variable is a field. *)
let store to_ owner prefix (variables : Ast.variables) ty (name : Ast.name)
    value =
  let full = { name with text = prefix ^ name.text } in
  let { Ast.system; shared; is_lazy } = variables.how in
  let initial = Option.map (constant_of to_.scope ~expected:ty) value in
  (match initial with
  | Some { it = Core.Int_value n; _ } when n >= 1 -> ()
  | _ when owner = Core.Of_thread && full.text = "load" && not system ->
      Fault.fail name.at "no core would see a thread without load"
        ~hint:"write `int load = 1;`, or more"
  | _ -> ());
  let attribute =
    {
      Core.id = List.length to_.attributes;
      name = full.text;
      owner;
      ty;
      initial;
      system;
      is_lazy;
      shared;
      place = name.at;
    }
  in
  to_.attributes <- attribute :: to_.attributes;
  if owner = Core.Global && prefix = "" then
    Scope.declare to_.scope name (Scope.Global attribute)
  else Scope.set_member to_.scope owner full (Scope.Stored attribute)

let lazily to_ owner (name : Ast.name) ty value =
  let value =
    match value with
    | Some value -> value
    | None ->
        Fault.fail name.at
          (Printf.sprintf "`%s` is lazy, and nothing says how it is computed"
             name.text)
          ~hint:"write `= ...`, or leave out `lazy`"
  in
  if owner = Core.Of_thread && name.text = "load" then
    Fault.fail name.at "`load` is counted in `cload`, and must be stored"
      ~hint:"leave out `lazy`, and set it where it changes";
  let hidden = Printf.sprintf "the %s's %s" (noun owner) name.text in
  to_.computed <- (hidden, { owner; ty; value; named = name }) :: to_.computed;
  Scope.declare to_.scope { name with text = hidden } Scope.Function;
  if owner = Core.Global then
    Scope.declare to_.scope name (Scope.Lazy_global hidden)
  else Scope.set_member to_.scope owner name (Scope.Computed hidden)

let rec one to_ owner prefix (variables : Ast.variables) (name : Ast.name) value
    =
  let scope = to_.scope in
  let how = variables.how in
  match variables.v_ty.ty with
  | Ast.Simple text when Hashtbl.mem to_.structures text ->
      if prefix <> "" then
        Fault.fail name.at "a structure within a structure"
          ~hint:"write its fields out";
      if owner = Core.Global then
        Scope.declare scope name Scope.Global_structure
      else Scope.set_member scope owner name (Scope.Structure text);
      List.iter
        (fun (fields : Ast.variables) ->
          let fields = { fields with how } in
          List.iter
            (fun (field, value) ->
              one to_ owner (name.text ^ ".") fields field value)
            fields.names)
        (Hashtbl.find to_.structures text)
  | ty when kept_by_runtime owner name ->
      if not (known_already owner name ty) then
        Fault.fail name.at
          (Printf.sprintf "`%s` of a %s is the runtime's, of another type"
             name.text (noun owner))
          ~hint:"choose another name"
      else if not how.system then
        Fault.fail name.at
          (Printf.sprintf "`%s` is kept by the runtime" name.text)
          ~hint:"declare it `system`, or not at all"
  | Ast.Simple "domain" when owner = Core.Of_core && how.system ->
      Scope.set_member scope owner name Scope.Smallest_domain
  | _ -> (
      let ty = Scope.ty scope variables.v_ty in
      match how with
      | { is_lazy = true; system = true; _ } ->
          Fault.fail name.at "`system` and `lazy` at once"
            ~hint:"the system sets it, or an expression: leave out one of them"
      | { is_lazy = true; _ } -> lazily to_ owner name ty value
      | _ when storable ty -> store to_ owner prefix variables ty name value
      | _ when ty = Core.Threads && owner = Core.Of_core ->
          Fault.fail variables.v_ty.ty_at "queues are states of threads"
            ~hint:
              (Printf.sprintf "write `threads = { READY set<thread> %s; ... }`"
                 name.text)
      | _ when ty = Core.Threads && owner <> Core.Of_thread ->
          Fault.fail variables.v_ty.ty_at
            "a queue is one core's, kept under its lock, on which the proofs \
             rest"
            ~hint:
              "declare it in `threads` of `core`; place on the least loaded \
               core and steal one by one, or place on one core from which all \
               steal"
      | _ ->
          Fault.fail variables.v_ty.ty_at
            (Printf.sprintf "no attribute holds a %s" (Scope.type_name ty))
            ~hint:"int, bool, an enumeration, thread, core, group or domain")

let load_is_a_number owner (name : Ast.name) (ty : Ast.ty) =
  if owner = Core.Of_thread && name.text = "load" && ty.ty <> Ast.Simple "int"
  then
    Fault.fail name.at "the `load` of a thread is what `cload` sums up"
      ~hint:"it must be an int"

let attributes to_ owner (variables : Ast.variables) =
  List.iter
    (fun ((name : Ast.name), value) ->
      ignore
        (Scope.attempt to_.scope (fun () ->
             load_is_a_number owner name variables.v_ty;
             one to_ owner "" variables name value)))
    variables.names

(* {1 States} *)

(* The state that takes a displaced thread from this state of one thread. The
   policy may declare states in any order. *)
let displaced scope written (t : Ast.thread_state) =
  let name = t.t_name.text in
  match t.t_attribute with
  | None ->
      Fault.fail t.t_name.at
        (Printf.sprintf
           "`%s` holds one thread, and nothing says where it goes when another \
            comes"
           name)
        ~hint:
          (Printf.sprintf
             "write `READY thread %s : displaced = ready;`, or `READY \
              set<thread> %s;`"
             name name)
  | Some (_, into) -> (
      let refuse message =
        Fault.fail into.at message
          ~hint:"name a READY state of `set<thread>` of the same core"
      in
      let rec find id = function
        | [] ->
            let states =
              List.filter_map
                (fun (t : Ast.thread_state) ->
                  match (t.state_class, t.t_ty) with
                  | Core.Ready, Some { ty = Ast.Set _; _ } -> Some t.t_name.text
                  | _ -> None)
                written
            in
            Scope.unknown scope into ~what:"READY state" states
        | (t : Ast.thread_state) :: _ when t.t_name.text = into.text -> (id, t)
        | _ :: rest -> find (id + 1) rest
      in
      match find 0 written with
      | _, { t_name; _ } when t_name.text = name ->
          refuse (Printf.sprintf "`%s` is displaced to itself" name)
      | id, { state_class = Core.Ready; t_ty = Some { ty = Ast.Set _; _ }; _ }
        ->
          id
      | _, { state_class = Core.Ready; _ } ->
          refuse (Printf.sprintf "`%s` holds one thread too" into.text)
      | _ ->
          refuse
            (Printf.sprintf
               "threads of `%s` are not ready: a displaced thread would be lost"
               into.text))

let also (t : Ast.thread_state) =
  match (t.t_attribute, t.state_class, t.t_ty) with
  | None, _, _ | Some ({ text = "displaced"; _ }, _), Core.Ready, None -> ()
  | Some ({ text = "displaced"; _ }, _), Core.Ready, Some { ty = Simple _; _ }
    ->
      ()
  | Some ({ text = "displaced"; at }, _), Core.Ready, _ ->
      Fault.fail at
        (Printf.sprintf "`%s` holds any number of threads: none is displaced"
           t.t_name.text)
        ~hint:
          (Printf.sprintf
             "leave it out, or write `READY thread %s` for a state of one \
              thread"
             t.t_name.text)
  | Some ({ text = "displaced"; at }, _), _, _ ->
      Fault.fail at "only a READY state of one thread has `displaced`"
        ~hint:"leave it out"
  | Some ({ text; at }, _), _, _ ->
      Fault.fail at
        (Printf.sprintf "a state has no `%s`" text)
        ~hint:
          "`order = { ... }` of a READY set, `displaced = ...` of a READY \
           thread"

let state scope written state_id (t : Ast.thread_state) =
  let fail ?hint message = Fault.fail ?hint t.t_name.at message in
  also t;
  let container =
    match (t.state_class, Option.map (fun ty -> ty.Ast.ty) t.t_ty) with
    | Core.Running, (None | Some (Ast.Simple _)) -> Core.Slot
    | Core.Running, _ ->
        fail "a core runs one thread" ~hint:"write `RUNNING thread NAME;`"
    | Core.Ready, Some (Ast.Set _) ->
        Core.Queue (Typing.order scope Core.Thread t.t_order)
    | Core.Ready, Some (Ast.Simple _) ->
        if t.t_order <> [] then
          fail "one thread has no order" ~hint:"leave out `: order = ...`";
        (* A missing part is reported here once, and not at each use. *)
        Core.One
          (Option.value ~default:state_id
             (Scope.attempt scope (fun () -> displaced scope written t)))
    | Core.Ready, _ ->
        fail "any number of threads may be ready"
          ~hint:"write `READY set<thread> NAME;`"
    | (Core.Blocked | Core.Terminated), _ -> Core.Nowhere
  in
  if t.t_order <> [] && t.state_class <> Core.Ready then
    fail "only READY states have an order" ~hint:"leave out `: order = ...`";
  if t.t_how.is_lazy then fail "a state cannot be lazy";
  let state =
    {
      Core.state_id;
      state_name = t.t_name.text;
      state_class = t.state_class;
      container;
      state_shared = t.t_how.shared;
      state_place = t.t_at;
    }
  in
  Scope.declare scope t.t_name (Scope.State state);
  state

(* The declared states, in the order of the text. *)
let written_states (ast : Ast.t) =
  let of_item = function
    | Ast.Core_threads (states, _) -> states.items
    | Ast.Core_variables _ | Ast.Core_steal _ -> []
  in
  List.concat_map
    (fun (d : Ast.declaration) ->
      match d.d with
      | Ast.Threads states -> states.items
      | Ast.Core items -> List.concat_map of_item items.items
      | _ -> [])
    ast.declarations

let states scope ast =
  let written = written_states ast in
  let step (states, id) one =
    match Scope.attempt scope (fun () -> state scope written id one) with
    | Some state -> (state :: states, id + 1)
    | None -> (states, id)
  in
  let states, _ = List.fold_left step ([], 0) written in
  let states = List.rev states in
  let scheduler = ast.scheduler.at in
  let of_class wanted =
    List.filter (fun (s : Core.state) -> s.state_class = wanted) states
  in
  (match of_class Core.Running with
  | [ _ ] -> ()
  | [] ->
      Scope.report scope
        (Fault.error scheduler "no state is for the thread that runs"
           ~hint:
             "declare one in `core`: `threads = { RUNNING thread current; ... \
              }`")
  | _ :: second :: _ ->
      Scope.report scope
        (Fault.error second.state_place "a second RUNNING state"
           ~hint:"a core runs one thread: keep one of them"));
  if of_class Core.Ready = [] then
    Scope.report scope
      (Fault.error scheduler "no state is for threads that wait to run"
         ~hint:
           "declare one in `core`: `threads = { READY set<thread> ready; ... }`");
  states

let core_set scope ({ active; c_ty; c_name; _ } : Ast.core_state) =
  match c_ty.ty with
  | Ast.Set "core" ->
      let set = if active then Core.Active_cores else Core.Idle_cores in
      Scope.declare scope c_name
        (Scope.Value (Scope.at c_name.at Core.Cores set))
  | _ ->
      Fault.fail c_ty.ty_at "any number of cores may be active or sleeping"
        ~hint:"write `set<core>`"

(* {1 The whole policy} *)

let declaration to_ (d : Ast.declaration) =
  let scope = to_.scope in
  match d.d with
  | Ast.Attributes (owner, variables) ->
      let owner =
        match owner with
        | Ast.Of_thread -> Core.Of_thread
        | Ast.Of_group -> Core.Of_group
        | Ast.Of_domain -> Core.Of_domain
      in
      List.iter (attributes to_ owner) variables.items
  | Ast.Core items ->
      let item = function
        | Ast.Core_variables variables -> attributes to_ Core.Of_core variables
        | Ast.Core_threads _ | Ast.Core_steal _ -> ()
      in
      List.iter item items.items
  | Ast.Global variables -> attributes to_ Core.Global variables
  | Ast.Cores sets -> List.iter (core_set scope) sets.items
  | Ast.Function f -> Scope.declare scope f.f_name Scope.Function
  | Ast.System_function { name; result; parameters; _ } ->
      if parameters <> [] then
        Fault.fail name.at "a function of the system takes no parameters here"
          ~hint:"declare `system` attributes of threads or cores instead";
      let attribute =
        {
          Core.id = List.length to_.attributes;
          name = name.text;
          owner = Core.Global;
          ty = Scope.ty scope result;
          initial = None;
          system = true;
          is_lazy = false;
          shared = true;
          place = name.at;
        }
      in
      to_.attributes <- attribute :: to_.attributes;
      Scope.declare scope name (Scope.System_function attribute)
  | _ -> ()

let types to_ (d : Ast.declaration) =
  match d.d with
  | Ast.Enum (name, members) -> enum to_.scope name members
  | Ast.Struct (name, fields) ->
      Hashtbl.replace to_.structures name.text fields.items
  | _ -> ()

let constants to_ (d : Ast.declaration) =
  match d.d with
  | Ast.Const { ty; name; value; _ } -> const to_.scope ty name value
  | _ -> ()

let all scope (ast : Ast.t) =
  let to_ =
    { scope; structures = Hashtbl.create 4; attributes = []; computed = [] }
  in
  let each f =
    List.iter
      (fun d -> ignore (Scope.attempt scope (fun () -> f to_ d)))
      ast.declarations
  in
  each types;
  each constants;
  each declaration;
  let states = states scope ast in
  {
    attributes = List.rev to_.attributes;
    states;
    computed = List.rev to_.computed;
  }
