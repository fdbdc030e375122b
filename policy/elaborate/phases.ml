open Dromos_policy_core
open Dromos_policy_syntax

(* The core of an access: the core whose lock is held, a core named by the
   caller, or any other core. *)
type subject = Own | Parameter of int | Elsewhere

type kind =
  | Observes of string
  | Looks of Core.state  (** looks at the threads of a core *)
  | Reads of Core.attribute
  | Sets of Core.attribute
  | Weighs  (** sets the load of a thread *)
  | Steals of { by_group : bool }

type access = { kind : kind; subject : subject; at : Core.place }

(* {1 Accesses} *)

(* The accesses of each function, by number. A function is read once only. *)
type known = (int, access list) Hashtbl.t

let rec accesses (known : known) ~own ~(parameters : Core.local list) body =
  let found = ref [] in
  let add at kind subject = found := { kind; subject; at } :: !found in
  let index (local : Core.local) =
    let rec find i = function
      | (p : Core.local) :: rest ->
          if p.local_id = local.local_id then Some i else find (i + 1) rest
      | [] -> None
    in
    find 0 parameters
  in
  let subject (e : Core.expression) =
    if own e then Own
    else
      match e.it with
      | Core.Local local -> (
          match index local with Some i -> Parameter i | None -> Elsewhere)
      | _ -> Elsewhere
  in
  let key at ({ by; _ } : Core.key) =
    match by with
    | Core.By_cload -> add at (Observes "cload") Elsewhere
    | Core.By_count -> add at (Observes "count") Elsewhere
    | Core.Attribute ({ owner = Core.Of_core; system = false; _ } as a) ->
        add at (Reads a) Elsewhere
    | Core.Attribute _ -> ()
  in
  let expression (e : Core.expression) =
    match e.it with
    | Core.Cload c -> add e.at (Observes "cload") (subject c)
    | Core.Runnable c | Core.Count (c, _) ->
        add e.at (Observes "count") (subject c)
    | Core.Idle_cores -> add e.at (Observes "idle_cores") Elsewhere
    | Core.Active_cores -> add e.at (Observes "active_cores") Elsewhere
    | Core.Threads_in (c, state) -> add e.at (Looks state) (subject c)
    | Core.Read (Some c, ({ owner = Core.Of_core; system = false; _ } as a)) ->
        add e.at (Reads a) (subject c)
    | Core.First (_, order) -> List.iter (key e.at) order
    | Core.Call (f, arguments) ->
        let instance access =
          match access.subject with
          | Parameter i -> subject (List.nth arguments i)
          | (Own | Elsewhere) as known -> known
        in
        List.iter
          (fun access -> add e.at access.kind (instance access))
          (of_function known f)
    | _ -> ()
  in
  let statement (s : Core.statement) =
    match s.what with
    | Core.Set (Some c, ({ owner = Core.Of_core; _ } as a), _) ->
        add s.stands_at (Sets a) (subject c)
    | Core.Set
        ( _,
          ({ owner = Core.Of_group | Core.Of_domain | Core.Global; _ } as a),
          _ ) ->
        add s.stands_at (Sets a) Elsewhere
    | Core.Set (_, { owner = Core.Of_thread; name = "load"; _ }, _) ->
        add s.stands_at Weighs Elsewhere
    | Core.Foreach { order; _ } -> List.iter (key s.stands_at) order
    | Core.Steal_for { group; _ } ->
        add s.stands_at (Steals { by_group = group <> None }) Elsewhere
    | _ -> ()
  in
  Walk.block ~expression ~statement body;
  List.rev !found

(* [self] in a function is the core of the handler that calls the function. *)
and of_function known (f : Core.func) =
  match Hashtbl.find_opt known f.func_id with
  | Some found -> found
  | None ->
      let all =
        accesses known ~own:is_self ~parameters:f.parameters f.func_body
      in
      let alike a b = compare (a.kind, a.subject) (b.kind, b.subject) in
      let found = List.sort_uniq alike all in
      Hashtbl.replace known f.func_id found;
      found

and is_self (e : Core.expression) =
  match e.it with
  | Core.Self -> true
  | Core.Target -> e.ty_of = Core.Core
  | _ -> false

let value (e : Core.expression) : Core.block =
  [ { what = Core.Return (Some e); stands_at = e.at } ]

(* {1 Rules} *)

type rules = {
  who : string;
  observes : bool;  (** may observe other cores *)
  holds : bool;  (** holds the lock of the core called [Own] *)
  steals : bool;
  weighs : bool;  (** no [cload] counts the thread yet *)
  alone : bool;  (** no other core runs a handler of this kind *)
}

let four = "`cload`, `count`, `idle_cores` and `active_cores`"

let judge rules (policy : Core.policy) { kind; subject; at } =
  let ours = rules.holds && subject = Own in
  let fault hint format =
    Printf.ksprintf (fun message -> [ Fault.error ~hint at message ]) format
  in
  match kind with
  | Observes what ->
      if ours || rules.observes then []
      else
        fault
          "only `new`, `unblock`, `balancing`, `newly_idle` and stealing look \
           at other cores; here `self` can be read"
          "%s looks at another core (`%s`)" rules.who what
  | Looks _ when ours -> []
  | Looks state ->
      fault
        (match state.container with
        | Core.One _ when rules.weighs ->
            Printf.sprintf
              "`displaced` of `%s` moves the thread that stands there, under \
               the lock of the core: move the thread of the event alone"
              state.state_name
        | _ -> Printf.sprintf "only %s can be read of other cores" four)
        "%s looks at the threads in `%s` of a core whose lock it does not hold"
        rules.who state.state_name
  | Reads _ when ours -> []
  | Reads a ->
      fault
        (Printf.sprintf
           "only %s, and `system` attributes, can be read of other cores" four)
        "%s reads `%s` of a core whose lock it does not hold" rules.who a.name
  | Sets { owner = Core.Of_core; _ } when ours -> []
  | Sets ({ owner = Core.Of_core; _ } as a) ->
      fault "set it in a handler of that core: `tick`, `schedule`, ..."
        "%s sets `%s` of a core whose lock it does not hold" rules.who a.name
  | Sets a ->
      if a.shared || rules.alone then []
      else
        fault
          (Printf.sprintf
             "declare `%s` `shared`, or set it in a `synchronized` handler"
             a.name)
          "several cores may set `%s` at once" a.name
  | Weighs when rules.weighs -> []
  | Weighs ->
      fault "set it in `new`, `unblock` or `attach`, before the move"
        "%s sets the load of a thread that `cload` counts" rules.who
  | Steals { by_group } -> (
      match policy.steal with
      | None -> fault "declare `steal = { ... }`" "there is nothing to steal by"
      | Some _ when not rules.steals ->
          fault "steal in `balancing` or `newly_idle`" "%s steals" rules.who
      | Some { by_group = Some _; _ } when not by_group ->
          fault "write `steal_for(g, c)`" "`steal` goes by groups here"
      | Some { by_group = None; _ } when by_group ->
          fault "write `steal_for(c)`" "`steal` knows no groups here"
      | Some _ -> [])

let rules_of (h : Core.handler) =
  let observes = Events.may_observe h.event in
  {
    who = "`" ^ Events.text h.event ^ "`";
    observes;
    holds = not observes;
    steals =
      (match h.event with
      | Core.Balancing | Core.Newly_idle -> true
      | _ -> false);
    weighs = (match h.event with Core.New | Core.Unblock -> true | _ -> false);
    alone = h.is_synchronized;
  }

let judged rules policy = List.concat_map (judge rules policy)

let moves body =
  let found = ref false in
  Visits.block body ~expression:ignore ~statement:(function
    | Core.Move _ -> found := true
    | _ -> ());
  !found

(* {!Moves} refuses each move of an `exit`. The accesses of such a move are not
   refused a second time. *)
let handler known policy (h : Core.handler) =
  if h.event = Core.Exit && moves h.handler_body then []
  else
    accesses known ~own:is_self ~parameters:[] h.handler_body
    |> judged (rules_of h) policy

(* [attach] has the rules of [new], and [detach] those of [terminate]. *)
let method_ known policy (f : Core.func) =
  let observes = f.func_name <> "detach" in
  accesses known ~own:is_self ~parameters:[] f.func_body
  |> judged
       {
         who = "`" ^ f.func_name ^ "`";
         observes;
         holds = not observes;
         steals = false;
         weighs = observes;
         alone = false;
       }
       policy

(* Expressions that the machine may evaluate any number of times, also outside
   of handlers, must change nothing. *)
let changes_nothing who (e : Core.expression) =
  let found = ref [] in
  Walk.expression
    (fun e ->
      match e.it with
      | Core.Call (f, _) when f.effects.updates ->
          found :=
            Fault.error e.at
              (Printf.sprintf "%s calls `%s`, which sets, moves or steals" who
                 f.func_name)
              ~hint:"only handlers and `steal_thread` change anything"
            :: !found
      | _ -> ())
    e;
  List.rev !found

let stealing known (policy : Core.policy) (steal : Core.steal) =
  (* Stealing is synchronized if each handler that steals is synchronized. *)
  let alone =
    List.for_all
      (fun (h : Core.handler) ->
        h.is_synchronized
        || not
             (List.exists
                (fun a -> match a.kind with Steals _ -> true | _ -> false)
                (accesses known ~own:is_self ~parameters:[] h.handler_body)))
      policy.handlers
  in
  let rules who =
    {
      who;
      observes = true;
      holds = true;
      steals = false;
      weighs = false;
      alone;
    }
  in
  let nobody _ = false in
  let check who own body =
    judged
      (rules ("`" ^ who ^ "`"))
      policy
      (accesses known ~own ~parameters:[] body)
  in
  let core = steal.by_core in
  let source (e : Core.expression) =
    match e.it with
    | Core.Local local -> local.local_id = core.source.local_id
    | _ -> false
  in
  (* The faults of a [steal_thread] that looks at a queue. The threads of the
     source's queues are offered one by one, and [steal_thread] may not go
     through a queue meanwhile. *)
  let offered =
    List.filter_map
      (fun { kind; at; _ } ->
        match kind with
        | Looks _ ->
            Some
              (Fault.error at "`steal_thread` looks at a queue"
                 ~hint:"it is offered the threads of the source one by one")
        | _ -> None)
      (accesses known ~own:source ~parameters:[] core.take)
  in
  let phase who e =
    check who nobody (value e) @ changes_nothing ("`" ^ who ^ "`") e
  in
  let optional who e = Option.fold ~none:[] ~some:(phase who) e in
  let by_group (g : Core.steal_group) =
    phase "can_steal_group" g.can_steal_group.admits
    @ phase "select_group" g.select_group
    @ optional "until" g.group_until
  in
  phase "can_steal_core" core.can_steal_core.admits
  @ phase "select_core" core.select_core
  @ (if offered = [] then check "steal_thread" source core.take else offered)
  @ optional "until" core.enough
  @ optional "until" core.until
  @ Option.fold ~none:[] ~some:by_group steal.by_group

(* An exemption must have the same result at each evaluation, and `any` is
   therefore refused. *)
let draws_nothing condition =
  let found = ref [] in
  Walk.expression
    (fun (e : Core.expression) ->
      match e.it with
      | Core.Any _ ->
          found :=
            Fault.error e.at "an exemption draws nothing"
              ~hint:"choose one of them: `first(...)`"
            :: !found
      | _ -> ())
    condition;
  !found

let relaxation known policy = function
  | Core.Within _ -> []
  | Core.Exempt { condition; _ } | Core.Exempt_waiting { condition; _ } ->
      accesses known ~own:(fun _ -> false) ~parameters:[] (value condition)
      |> judged
           {
             who = "an exemption";
             observes = false;
             holds = false;
             steals = false;
             weighs = false;
             alone = false;
           }
           policy
      |> List.append (changes_nothing "an exemption" condition)
      |> List.append (draws_nothing condition)

let check (policy : Core.policy) =
  let known = Hashtbl.create 16 in
  List.concat_map (handler known policy) policy.handlers
  @ List.concat_map (method_ known policy) policy.interface
  @ Option.fold ~none:[] ~some:(stealing known policy) policy.steal
  @ List.concat_map (relaxation known policy) policy.relaxations
