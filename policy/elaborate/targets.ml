open Dromos_policy_core
open Dromos_policy_syntax

let budget = 100_000

(* The faults found, each once: many paths find the same fault. *)
type found = { mutable faults : Fault.t list }

let nothing_found () = { faults = [] }
let faults found = List.rev found.faults

let report found fault =
  if not (List.mem fault found.faults) then
    found.faults <- fault :: found.faults

let classes wanted (state : Core.state) = List.mem state.state_class wanted

type destination = Anywhere | Own_core | Stealing_for

type rule = {
  who : string;
  target : string;  (** the name of the thread *)
  into : Core.state_class list;
  where : destination;
  must : bool;  (** the thread must be moved; if false, the thread may stay *)
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

(* The core to which a thread is moved may be none. This is a warning and not
   an error, because an attribute that names the core may have been set by
   another handler before. *)
let no_core rule at =
  Fault.warning at
    (Printf.sprintf "the core that %s moves its thread to may be none" rule.who)
    ~judged:true ~hint:"then the thread is lost: ask `valid(...)` first"

let twice rule at line =
  Fault.error at
    (Printf.sprintf "%s has already moved its thread on this path, on line %d"
       rule.who line)
    ~hint:"move it once: `return;` after it, or an `else`"

let target_moved found rule (known : Knowledge.t) at core (state : Core.state) =
  let right_core =
    match (rule.where, core) with
    | Anywhere, _
    | Own_core, Knowledge.Own
    | Stealing_for, Knowledge.Destination ->
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
        | Knowledge.Maybe | Knowledge.Nobody -> report found (no_core rule at)
        | _ -> ()));
  let known =
    if classes ready state && core = Knowledge.Own then
      Paths.arrives known state
    else known
  in
  [ { known with moved = Some (state.state_id, at.Core.line) } ]

let stranger found rule at =
  report found
    (Fault.error at
       (Printf.sprintf "%s moves another thread than its own" rule.who)
       ~hint:(Printf.sprintf "only `%s` may be moved here" rule.target))

(* `new` and `unblock` hold no lock while they look at cores, and may not move
   other threads. `displaced` of a state has the effect of such a move. *)
let displaces found rule at (policy : Core.policy) =
  let one (s : Core.state) =
    Query.displaced_to s
    |> Option.map (fun into -> (s.state_name, policy.states.(into).state_name))
  in
  match List.find_map one (Array.to_list policy.states) with
  | Some (slot, into) when rule.where = Anywhere ->
      report found
        (Fault.error at
           (Printf.sprintf "%s moves another thread than its own" rule.who)
           ~hint:
             (Printf.sprintf
                "`displaced = %s` of `%s` does it, under the lock of the core: \
                 move `%s` alone"
                into slot rule.target))
  | _ -> stranger found rule at

let judge_target found policy rule (known : Knowledge.t) (s : Core.statement)
    thread core state =
  match thread with
  | Knowledge.Target -> target_moved found rule known s.stands_at core state
  | _ ->
      displaces found rule s.stands_at policy;
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
    Knowledge.destination = None;
    offered = None;
    observes_after = true;
    running = Unsure;
    judge;
    report = report found;
    budget = ref budget;
  }
