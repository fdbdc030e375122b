open Dromos_policy_core
open Dromos_policy_semantics
module Machine = Machine
module Runtime = Dromos_policy_runtime.Machine
module Hub = Dromos_hub.Hub

type t = {
  policy : Core.policy;
  machine : Machine.t;
  state : Machine.state;
  generated : Runtime.policy;
  runtime : unit Runtime.t;
  said : (string, int) Hashtbl.t; (* values of the system *)
  drawn : int ref; (* draw of all [any] until the next change *)
  hub : unit Hub.t;
  tasks : unit Hub.task array;
  pops : int array;
  asleep : bool array;
  away : bool array;
}

(* {1 Making them} *)

(* Adds the stealing that a compiled policy does by itself on a newly idle
   core. *)
let steals_when_idle (policy : Core.policy) =
  let at = policy.policy_place in
  let e it ty_of = { Core.it; ty_of; at } in
  let s what = { Core.what; stands_at = at } in
  let self = e Core.Self Core.Core in
  let steal group = s (Core.Steal_for { group; core = self }) in
  let local name ty =
    let local_id = policy.local_count + String.length name in
    { Core.local_id; local_name = name; local_ty = ty }
  in
  let over each among body =
    s (Core.Foreach { each; among; order = []; body })
  in
  let body =
    match policy.steal with
    | None -> []
    | Some { by_group = None; _ } -> [ steal None ]
    | Some { by_group = Some _; _ } ->
        let d = local "d" Core.Domain and g = local "gg" Core.Group in
        let domain = e (Core.Local d) Core.Domain in
        let group = e (Core.Local g) Core.Group in
        let mine =
          e (Core.In (self, e (Core.Cores_of group) Core.Cores)) Core.Bool
        in
        let own = s (Core.If (mine, [ steal (Some group) ], [])) in
        let groups = e (Core.Groups_of domain) Core.Groups in
        [
          over d
            (e (Core.Domains_of self) Core.Domains)
            [ over g groups [ own ] ];
        ]
  in
  let handler =
    {
      Core.event = Newly_idle;
      is_synchronized = false;
      handler_body = body;
      handler_place = at;
    }
  in
  if Query.handler policy Newly_idle <> None then policy
  else
    {
      policy with
      handlers = policy.handlers @ [ handler ];
      local_count = policy.local_count + 3;
    }

let make ~cores ~threads policy generated =
  let policy = steals_when_idle policy in
  let machine = Machine.create ~threads (Topology.flat cores) policy in
  let said = Hashtbl.create 2 in
  let say name () = Option.value (Hashtbl.find_opt said name) ~default:0 in
  let drawn = ref 0 in
  let draw n = !drawn mod n in
  let system = { Runtime.now = say "now"; random = say "random"; draw } in
  let runtime = Runtime.create ~system generated ~workers:cores in
  let hub = Runtime.hub_of runtime in
  let tasks = Array.init threads (fun _ -> Hub.task ignore) in
  List.iter hub.enlist (Runtime.cores runtime);
  Array.iter (Runtime.introduce runtime) tasks;
  let state = Machine.initial machine in
  let begins c =
    if Machine.has machine Entry then
      ignore
        (Machine.run machine state Entry ~self:c ~target:c : Machine.report)
  in
  List.iter begins (Runtime.cores runtime);
  {
    policy;
    machine;
    state;
    generated;
    runtime;
    said;
    drawn;
    hub;
    tasks;
    pops = Array.make cores 0;
    asleep = Array.make cores false;
    away = Array.make threads false;
  }

(* {1 Attributes} *)

(* The runtime numbers attributes by owner. Attributes of the domain are with
   the globals. *)
let word t (a : Core.attribute) =
  let alike (b : Core.attribute) =
    match (a.owner, b.owner) with
    | (Global | Of_domain), (Global | Of_domain) -> true
    | x, y -> x = y
  in
  let before (b : Core.attribute) = b.id < a.id && alike b in
  List.length (List.filter before (Array.to_list t.policy.attributes))

let owners t (a : Core.attribute) =
  match a.owner with
  | Of_thread -> Array.length t.tasks
  | Of_core | Of_group -> t.hub.size
  | Of_domain | Global -> 1

let compiled t (a : Core.attribute) i =
  let k = word t a in
  match a.owner with
  | Of_thread -> Runtime.thread_word t.tasks.(i) k
  | Of_core -> Runtime.core_word t.runtime i k
  | Of_group -> Runtime.group_word t.runtime i k
  | Of_domain | Global -> Runtime.global_word t.runtime k

let set_compiled t (a : Core.attribute) i v =
  let k = word t a in
  match a.owner with
  | Of_thread -> Runtime.set_thread_word t.runtime t.tasks.(i) k v
  | Of_core -> Runtime.set_core_word t.runtime i k v
  | Of_group -> Runtime.set_group_word t.runtime i k v
  | Of_domain | Global -> Runtime.set_global_word t.runtime k v

let each_word t which f =
  Array.iter
    (fun (a : Core.attribute) ->
      match a.ty with
      | (Int | Bool | Enum _ | Core | Group | Domain)
        when which a && not a.is_lazy ->
          for i = 0 to owners t a - 1 do
            f a i
          done
      | _ -> ())
    t.policy.attributes

let set_system t draw =
  each_word t
    (fun a -> a.system)
    (fun a i ->
      let v =
        match a.ty with
        | Bool -> draw () land 1
        | Enum e -> draw () mod Array.length e.members
        | Core -> draw () mod t.hub.size
        | Group -> (draw () mod (t.hub.size + 1)) - 1
        | Domain -> (draw () mod 2) - 1
        | _ -> draw () - 4
      in
      Look.set_attribute t.machine t.state a i v;
      if a.owner = Global then Hashtbl.replace t.said a.name v;
      set_compiled t a i v)

let tell_sleep t i =
  Array.iter
    (fun (a : Core.attribute) ->
      if a.system && a.name = "sleep_time" then
        Look.set_attribute t.machine t.state a i (compiled t a i))
    t.policy.attributes

(* {1 Comparing them} *)

exception Differ of string

let same what expected actual =
  if expected <> actual then
    raise
      (Differ (Printf.sprintf "%s: %s, and compiled %s" what expected actual))

let number what expected actual =
  same what (string_of_int expected) (string_of_int actual)

let named threads = String.concat " " (List.map (Printf.sprintf "t%d") threads)

let number_of t (task : unit Hub.task) =
  let rec find i =
    if i = Array.length t.tasks then -1
    else if t.tasks.(i).attrs == task.attrs then i
    else find (i + 1)
  in
  find 0

let core t c =
  let l = Machine.layout t.machine in
  Array.iter
    (fun (st : Core.state) ->
      if Query.runnable st then begin
        let q = st.state_id in
        let what = Printf.sprintf "core %d, %s" c st.state_name in
        let threads = Runtime.threads t.runtime c q in
        same what
          (named (Look.queue t.machine t.state c st))
          (named (List.map (number_of t) threads));
        number ("count of " ^ what)
          t.state.(Layout.count_in l c q)
          (Runtime.count t.runtime c q)
      end)
    t.policy.states;
  let what name = Printf.sprintf "core %d, %s" c name in
  number (what "count")
    t.state.(Layout.count l c)
    (Runtime.runnable t.runtime c);
  number (what "cload") t.state.(Layout.cload l c) (Runtime.cload t.runtime c)

let difference t =
  match
    List.iter (core t) (Runtime.cores t.runtime);
    each_word t
      (fun _ -> true)
      (fun a i ->
        number
          (Printf.sprintf "%s of %d" a.name i)
          (Look.attribute t.machine t.state a i)
          (compiled t a i))
  with
  | () -> None
  | exception Differ what -> Some what
