open Dromos_policy_core
open Dromos_policy_syntax

let budget = 100_000

(* What is found; the same is found on many paths. *)
type found = { mutable faults : Fault.t list }

let report found fault =
  if not (List.mem fault found.faults) then
    found.faults <- fault :: found.faults

let classes wanted (state : Core.state) = List.mem state.state_class wanted

(* {1 Moving the thread of the event} *)

type destination = Anywhere | Own_core | Stealing_for

type rule = {
  who : string;
  target : string;  (** how the thread is called *)
  into : Core.state_class list;
  where : destination;
  must : bool;  (** else it may stay *)
}

let ready = [ Core.Ready ]

let rule (event : Core.event) =
  let rule ?(must = true) into where =
    let who = "`" ^ Events.text event ^ "`" in
    Some { who; target = "e.target"; into; where; must }
  in
  match event with
  | Core.New | Core.Unblock -> rule ready Anywhere
  | Core.Block -> rule [ Core.Blocked ] Own_core
  | Core.Terminate -> rule [ Core.Terminated ] Own_core
  | Core.Detach -> rule [ Core.Blocked; Core.Terminated ] Own_core
  | Core.Yield -> rule ready Own_core
  | Core.Tick -> rule ready Own_core ~must:false
  | _ -> None

let class_name = function
  | Core.Running -> "RUNNING"
  | Core.Ready -> "READY"
  | Core.Blocked -> "BLOCKED"
  | Core.Terminated -> "TERMINATED"

let class_names into = String.concat " or " (List.map class_name into)

let wrong_state rule at (state : Core.state) =
  Fault.error at
    (Printf.sprintf "%s moves its thread to `%s`, which is %s" rule.who
       state.state_name
       (class_name state.state_class))
    ~hint:(Printf.sprintf "move it to a %s state" (class_names rule.into))

let wrong_core rule at =
  match rule.where with
  | Own_core ->
      Fault.error at
        (Printf.sprintf "%s moves its thread to another core" rule.who)
        ~hint:"name the state alone: it is that of this core"
  | Anywhere | Stealing_for ->
      Fault.error at "a stolen thread goes to the core it is stolen for"
        ~hint:"move it to a READY state of the destination"

(* Not an error: that an attribute was set before may follow from more than one
   handler. *)
let no_core rule at =
  Fault.warning at
    (Printf.sprintf "the core that %s moves its thread to may be none" rule.who)
    ~judged:true ~hint:"then the thread is lost: ask `valid(...)` first"

let twice rule at line =
  Fault.error at
    (Printf.sprintf "%s has already moved its thread on this path, on line %d"
       rule.who line)
    ~hint:"move it once: `return;` after it, or an `else`"

let target_moved found rule (known : Paths.known) at core (state : Core.state) =
  let right_core =
    match (rule.where, core) with
    | Anywhere, _ | Own_core, Paths.Own | Stealing_for, Paths.Destination ->
        true
    | _ -> false
  in
  (match known.moved with
  | Some (_, line) -> report found (twice rule at line)
  | None -> (
      if not (classes rule.into state) then
        report found (wrong_state rule at state)
      else if not right_core then report found (wrong_core rule at)
      else
        match core with
        | Paths.Maybe | Paths.Nobody -> report found (no_core rule at)
        | _ -> ()));
  [ { known with moved = Some (state.state_id, at.Core.line) } ]

let stranger found rule at =
  report found
    (Fault.error at
       (Printf.sprintf "%s moves another thread than its own" rule.who)
       ~hint:(Printf.sprintf "only `%s` may be moved here" rule.target))

let judge_target found rule (known : Paths.known) (s : Core.statement) thread
    core state =
  match thread with
  | Paths.Target -> target_moved found rule known s.stands_at core state
  | _ ->
      stranger found rule s.stands_at;
      [ known ]

let nowhere rule place ended =
  let path =
    match ended with
    | Some (at : Core.place) ->
        Printf.sprintf "on a path that ends on line %d, " at.line
    | None -> "on some path "
  in
  Fault.error place
    (Printf.sprintf "%s%s moves its thread nowhere" path rule.who)
    ~hint:
      (Printf.sprintf "every path moves `%s` to a %s state, exactly once"
         rule.target (class_names rule.into))

let rules found judge =
  {
    Paths.destination = None;
    offered = None;
    observes_after = true;
    judge;
    report = report found;
    budget = ref budget;
  }

let thread_event found rule ~observes_after place body =
  let paths =
    Paths.run
      { (rules found (judge_target found rule)) with observes_after }
      body
  in
  if rule.must then
    match
      List.find_opt (fun ((known : Paths.known), _) -> known.moved = None) paths
    with
    | Some (_, ended) -> report found (nowhere rule place ended)
    | None -> ()

(* {1 Schedule} *)

(* What a queue holds is known no more. *)
let touch (known : Paths.known) id =
  let forget = function
    | local, (Paths.Picked other | Paths.Chosen other) when other = id ->
        (local, Paths.Unsure)
    | held -> held
  in
  {
    known with
    empty = List.filter (fun other -> other <> id) known.empty;
    full = List.filter (fun other -> other <> id) known.full;
    holds = List.map forget known.holds;
  }

let from_queue found (known : Paths.known) at core (state : Core.state) id =
  let known = touch known id in
  match (state.state_class, core) with
  | Core.Running, Paths.Own ->
      if known.filled then
        report found
          (Fault.error at "`schedule` has already chosen a thread on this path"
             ~hint:"a core runs one thread: `return;` after it, or an `else`");
      { known with filled = true }
  | Core.Ready, Paths.Own ->
      let known = touch known state.state_id in
      let full = List.sort_uniq compare (state.state_id :: known.full) in
      { known with full }
  | _ ->
      report found
        (Fault.error at
           "`schedule` moves threads of its core to states where they can run"
           ~hint:"move one to the RUNNING state, or among READY ones");
      known

let judge_schedule found (known : Paths.known) (s : Core.statement) thread core
    state =
  let at = s.stands_at in
  let with_empty id =
    { known with Paths.empty = List.sort_uniq compare (id :: known.empty) }
  in
  match thread with
  | Paths.Nobody -> [ known ]
  | Paths.Chosen id -> [ from_queue found known at core state id ]
  | Paths.Picked id ->
      [ with_empty id; from_queue found known at core state id ]
  | Paths.Unsure ->
      (* From some queue: all of them may have changed. *)
      let blank = { known with empty = []; full = [] } in
      [ known; from_queue found blank at core state (-1) ]
  | _ ->
      report found
        (Fault.error at "`schedule` moves a thread that is not ready here"
           ~hint:"choose one with `first(...)` from a READY state of this core");
      [ known ]

let idle_though policy (known : Paths.known) =
  List.filter
    (fun (state : Core.state) -> not (List.mem state.state_id known.empty))
    (Query.ready policy)

let schedule found policy (h : Core.handler) =
  let paths = Paths.run (rules found (judge_schedule found)) h.handler_body in
  let idle =
    List.filter (fun ((known : Paths.known), _) -> not known.filled) paths
  in
  if idle <> [] && List.compare_lengths idle paths = 0 then
    report found
      (Fault.error h.handler_place "`schedule` never runs a thread"
         ~hint:"move one to the RUNNING state: `first(ready) => current;`")
  else
    match
      List.find_opt (fun (known, _) -> idle_though policy known <> []) idle
    with
    | None -> ()
    | Some (known, _) ->
        let names =
          List.map
            (fun (s : Core.state) -> "`" ^ s.state_name ^ "`")
            (idle_though policy known)
        in
        report found
          (Fault.warning h.handler_place
             (Printf.sprintf
                "on some path `schedule` may run nothing while threads wait in \
                 %s"
                (String.concat ", " names))
             ~judged:true ~hint:"look into every READY state before giving up")

(* {1 The others} *)

let none found who _ (s : Core.statement) _ _ _ =
  report found
    (Fault.error s.stands_at (who ^ " moves a thread")
       ~hint:"threads move on events of threads, and in `steal_thread`");
  []

let handler found policy (h : Core.handler) =
  match (h.event, rule h.event) with
  | Core.Schedule, _ -> schedule found policy h
  | event, Some rule ->
      thread_event found rule h.handler_place h.handler_body
        ~observes_after:(not (Events.may_observe event))
  | event, None ->
      let who = "`" ^ Events.text event ^ "`" in
      ignore (Paths.run (rules found (none found who)) h.handler_body)

let steal_thread found (steal : Core.steal) =
  let core = steal.by_core in
  let rule =
    {
      who = "`steal_thread`";
      target = core.candidate.local_name;
      into = ready;
      where = Stealing_for;
      must = false;
    }
  in
  let paths =
    Paths.run
      {
        (rules found (judge_target found rule)) with
        destination = Some core.destination;
        offered = Some core.candidate;
      }
      core.take
  in
  if List.for_all (fun ((known : Paths.known), _) -> known.moved = None) paths
  then
    report found
      (Fault.error core.steal_place "`steal_thread` never takes a thread"
         ~hint:
           (Printf.sprintf "take it: `%s => %s.ready;`"
              core.candidate.local_name core.destination.local_name))

(* A parameter stands for the thread. *)
let method_ found (f : Core.func) =
  let wanted =
    match f.func_name with
    | "attach" -> Some (ready, Anywhere)
    | "detach" -> Some ([ Core.Blocked; Core.Terminated ], Own_core)
    | _ -> None
  in
  match (wanted, f.parameters) with
  | Some (into, where), [ ({ local_ty = Core.Thread; _ } as thread) ] ->
      let rule =
        {
          who = "`" ^ f.func_name ^ "`";
          target = thread.local_name;
          into;
          where;
          must = true;
        }
      in
      let paths =
        Paths.run
          {
            (rules found (judge_target found rule)) with
            offered = Some thread;
            observes_after = false;
          }
          f.func_body
      in
      Option.iter
        (fun (_, ended) -> report found (nowhere rule f.func_place ended))
        (List.find_opt
           (fun ((known : Paths.known), _) -> known.moved = None)
           paths)
  | Some _, _ ->
      report found
        (Fault.error f.func_place
           (Printf.sprintf "`%s` takes one thread" f.func_name)
           ~hint:(Printf.sprintf "write `void %s(thread t)`" f.func_name))
  | None, _ ->
      let who = "`" ^ f.func_name ^ "`" in
      ignore (Paths.run (rules found (none found who)) f.func_body)

let check (policy : Core.policy) =
  let found = { faults = [] } in
  List.iter (handler found policy) policy.handlers;
  Option.iter (steal_thread found) policy.steal;
  List.iter (method_ found) policy.interface;
  List.rev found.faults
