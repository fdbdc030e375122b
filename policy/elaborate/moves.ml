open Dromos_policy_core
open Dromos_policy_syntax
open Targets

(* {1 Other ready threads of the core}

   A handler may move ready threads of the handler's core from one READY state
   to another, while holding the core's lock. *)

let touch = Paths.touch

let among_ready found who (known : Knowledge.t) at core (state : Core.state) id
    =
  let known = touch known id in
  match (state.state_class, core) with
  | Core.Ready, Knowledge.Own -> Paths.arrives known state
  | _ ->
      report found
        (Fault.error at
           (Printf.sprintf
              "%s moves a ready thread elsewhere than among the READY states \
               of its core"
              who)
           ~hint:"move it to a READY state of this core, named alone");
      known

(* The paths after a move of a thread that is ready on the core; [None] if
   the thread may not be ready there. [one known id] judges a move out of
   queue [id]; [id] is -1 where the queue is not known. *)
let from_ready (known : Knowledge.t) thread one =
  let with_empty id =
    { known with Knowledge.empty = List.sort_uniq compare (id :: known.empty) }
  in
  match thread with
  | Knowledge.Nobody -> Some [ known ]
  | Knowledge.Chosen id -> Some [ one known id ]
  | Knowledge.Picked id -> Some [ with_empty id; one known id ]
  | Knowledge.Unsure ->
      (* The thread may come from any queue, so all queues may have changed. *)
      let blank = { known with empty = []; full = [] } in
      Some [ known; one blank (-1) ]
  | _ -> None

(* The fault of a handler that moves another thread after its own thread. Its
   own thread may be BLOCKED by then, and wake up on another core, where a
   handler may set attributes read by this handler. A thread that has ended
   may come back, too. *)
let too_late rule at =
  Fault.error at
    (Printf.sprintf "%s moves another thread after its own" rule.who)
    ~hint:(Printf.sprintf "move it before `%s`" rule.target)

(* A target that was moved to a queue is a ready thread like any. *)
let judge_held found rule (known : Knowledge.t) (s : Core.statement) thread core
    state =
  let at = s.stands_at in
  match thread with
  | Knowledge.Target -> target_moved found rule known at core state
  | _ when known.moved <> None && not (List.mem Core.Ready rule.into) ->
      report found (too_late rule at);
      [ known ]
  | _ -> (
      let one known = among_ready found rule.who known at core state in
      match from_ready known thread one with
      | Some all -> all
      | None ->
          report found
            (Fault.error at
               (Printf.sprintf
                  "%s moves a thread that is neither its own nor ready here"
                  rule.who)
               ~hint:
                 (Printf.sprintf
                    "move `%s`, or one that `first(...)` or a loop gives of a \
                     READY state of this core"
                    rule.target));
          [ known ])

(* True for handlers under the lock of the core on which the thread runs. *)
let held : Core.event -> bool = function
  | Core.Block | Core.Terminate | Core.Yield | Core.Tick -> true
  | _ -> false

let thread_event found policy rule event place body =
  let judge =
    if held event then judge_held found rule else judge_target found policy rule
  in
  let paths =
    Paths.run
      {
        (rules found judge) with
        running = Other;
        observes_after = not (Events.may_observe event);
      }
      body
  in
  if rule.must then
    match
      List.find_opt (fun ((known : Knowledge.t), _) -> known.moved = None) paths
    with
    | Some (_, ended) -> report found (nowhere rule place ended)
    | None -> ()

(* {1 Schedule} *)

(* After the choice, variables that may hold the chosen thread no longer hold a
   ready thread. *)
let no_longer_ready (known : Knowledge.t) id =
  let forget = function
    | local, (Knowledge.Picked other | Knowledge.Chosen other)
      when other = id || id < 0 ->
        (local, Knowledge.Other)
    | local, Knowledge.Unsure -> (local, Knowledge.Other)
    | held -> held
  in
  { (touch known id) with holds = List.map forget known.holds }

let from_queue found (known : Knowledge.t) at core (state : Core.state) id =
  match (state.state_class, core) with
  | Core.Running, Knowledge.Own ->
      if known.filled then
        report found
          (Fault.error at "`schedule` has already chosen a thread on this path"
             ~hint:"a core runs one thread: `return;` after it, or an `else`");
      { (no_longer_ready known id) with filled = true }
  | Core.Ready, Knowledge.Own ->
      among_ready found "`schedule`" known at core state id
  | _ ->
      report found
        (Fault.error at
           "`schedule` moves threads of its core to states where they can run"
           ~hint:"move one to the RUNNING state, or among READY ones");
      touch known id

let judge_schedule found (known : Knowledge.t) (s : Core.statement) thread core
    state =
  let at = s.stands_at in
  let one known = from_queue found known at core state in
  match from_ready known thread one with
  | Some all -> all
  | None ->
      report found
        (Fault.error at "`schedule` moves a thread that is not ready here"
           ~hint:"choose one with `first(...)` from a READY state of this core");
      [ known ]

let idle_though policy (known : Knowledge.t) =
  List.filter
    (fun (state : Core.state) -> not (List.mem state.state_id known.empty))
    (Query.ready policy)

let schedule found policy (h : Core.handler) =
  let paths = Paths.run (rules found (judge_schedule found)) h.handler_body in
  let idle =
    List.filter (fun ((known : Knowledge.t), _) -> not known.filled) paths
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

(* {1 Handlers, stealing and the interface} *)

let none found who ~hint _ (s : Core.statement) _ _ _ =
  report found (Fault.error s.stands_at (who ^ " moves a thread") ~hint);
  []

let elsewhere = "threads move on events of threads, and in `steal_thread`"

let when_a_core_stops =
  "threads that wait on a core that stops are taken away by `detach` and come \
   back by `attach`, or by `new` if there is none: say there where they go"

let handler found policy (h : Core.handler) =
  match (h.event, rule h.event) with
  | Core.Schedule, _ -> schedule found policy h
  | event, Some rule ->
      thread_event found policy rule event h.handler_place h.handler_body
  | event, None ->
      let who = "`" ^ Events.text event ^ "`" in
      let hint = if event = Core.Exit then when_a_core_stops else elsewhere in
      ignore (Paths.run (rules found (none found who ~hint)) h.handler_body)

let steal_thread found policy (steal : Core.steal) =
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
        (rules found (judge_target found policy rule)) with
        destination = Some core.destination;
        offered = Some core.candidate;
      }
      core.take
  in
  if List.for_all (fun ((known : Knowledge.t), _) -> known.moved = None) paths
  then
    report found
      (Fault.error core.steal_place "`steal_thread` never takes a thread"
         ~hint:
           (Printf.sprintf "take it: `%s => %s.ready;`"
              core.candidate.local_name core.destination.local_name))

(* The parameter of the function stands for the thread. *)
let method_ found policy (f : Core.func) =
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
            (rules found (judge_target found policy rule)) with
            offered = Some thread;
            observes_after = false;
          }
          f.func_body
      in
      Option.iter
        (fun (_, ended) -> report found (nowhere rule f.func_place ended))
        (List.find_opt
           (fun ((known : Knowledge.t), _) -> known.moved = None)
           paths)
  | Some _, _ ->
      report found
        (Fault.error f.func_place
           (Printf.sprintf "`%s` takes one thread" f.func_name)
           ~hint:(Printf.sprintf "write `void %s(thread t)`" f.func_name))
  | None, _ ->
      let who = "`" ^ f.func_name ^ "`" in
      let none = none found who ~hint:elsewhere in
      ignore (Paths.run (rules found none) f.func_body)

let check (policy : Core.policy) =
  let found = nothing_found () in
  List.iter (handler found policy) policy.handlers;
  Option.iter (steal_thread found policy) policy.steal;
  List.iter (method_ found policy) policy.interface;
  faults found
