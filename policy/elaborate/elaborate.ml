open Dromos_policy_core
open Dromos_policy_syntax

type checked = { policy : Core.policy; warnings : Fault.t list }

let most = 20

(* {1 Handlers} *)

let kinds = [ ("thread_event", true); ("core_event", false) ]

let event_of scope (kind : Ast.name) (name : Ast.name) =
  let of_thread =
    match List.assoc_opt kind.text kinds with
    | Some of_thread -> of_thread
    | None ->
        Scope.unknown scope kind ~what:"kind of event" (List.map fst kinds)
  in
  match List.assoc_opt name.text Events.all with
  | None -> Scope.unknown scope name ~what:"event" (List.map fst Events.all)
  | Some event ->
      if Events.of_thread event <> of_thread then
        Fault.fail name.at
          (Printf.sprintf "`%s` is no %s" name.text kind.text)
          ~hint:
            (Printf.sprintf "handle it in `handler (%s e) { ... }`"
               (if of_thread then "core_event" else "thread_event"));
      event

let handler scope kind (event_name : Ast.name) (e : Ast.event) =
  let event = event_of scope kind e.event in
  if e.synchronized && Events.of_thread event then
    Fault.fail e.event.at
      "events of threads are handled for each core by itself"
      ~hint:"leave out `synchronized`: it is for events of cores";
  let inner =
    Scope.with_local scope event_name (Scope.Event (Events.target event))
  in
  {
    Core.event;
    is_synchronized = e.synchronized;
    handler_body = Statements.block inner e.reaction;
    handler_place = e.event.at;
  }

let handlers scope (ast : Ast.t) =
  List.concat_map
    (fun (d : Ast.declaration) ->
      match d.d with
      | Ast.Handler { kind; event_name; events } ->
          List.filter_map
            (fun e ->
              Scope.attempt scope (fun () -> handler scope kind event_name e))
            events.items
      | _ -> [])
    ast.declarations

let needed =
  [ Core.New; Core.Unblock; Core.Block; Core.Terminate; Core.Schedule ]

(* Without a handler for [terminate], [detach] ends threads: both lead to the
   same state. *)
let with_terminate handlers =
  let find event = List.find_opt (fun h -> h.Core.event = event) handlers in
  match (find Core.Terminate, find Core.Detach) with
  | None, Some detach -> handlers @ [ { detach with event = Core.Terminate } ]
  | _ -> handlers

let each_once scope (ast : Ast.t) handlers =
  let step seen (h : Core.handler) =
    if List.mem h.event seen then
      Scope.report scope
        (Fault.error h.handler_place
           (Printf.sprintf "`%s` is handled twice" (Events.text h.event))
           ~hint:"write it in one handler");
    h.event :: seen
  in
  let seen = List.fold_left step [] handlers in
  let missing = List.filter (fun event -> not (List.mem event seen)) needed in
  if missing <> [] then
    let names = List.map (fun e -> "`" ^ Events.text e ^ "`") missing in
    Scope.report scope
      (Fault.error ast.scheduler.at
         ("nothing handles " ^ String.concat ", " names)
         ~hint:"add `On ... { ... }` to `handler (thread_event e)`")

(* {1 Stealing, relaxations and the whole policy} *)

let steal scope (ast : Ast.t) =
  let of_item = function Ast.Core_steal steal -> [ steal ] | _ -> [] in
  let written =
    List.concat_map
      (fun (d : Ast.declaration) ->
        match d.d with
        | Ast.Steal steal -> [ steal ]
        | Ast.Core items -> List.concat_map of_item items.items
        | _ -> [])
      ast.declarations
  in
  match written with
  | [] -> None
  | first :: others ->
      List.iter
        (fun (other : Ast.steal) ->
          Scope.report scope
            (Fault.error other.steal_at "`steal` is declared twice"
               ~hint:"keep one of them"))
        others;
      Scope.attempt scope (fun () -> Stealing.steal scope first)

(* The most rounds that [conserve within] may grant: the model checker plays
   all rounds from each state that breaks the promise. *)
let most_rounds = 16

(* The word is no event: an exemption of [waiting] lets a ready thread wait for
   ever. *)
let waiting = "waiting"

(* The condition of the exemption, over [target]. *)
let exemption scope (d : Ast.declaration) (event : Ast.name) ty condition reason
    =
  let target = Scope.at event.at ty Core.Target in
  let inner =
    Scope.with_local scope
      { text = "target"; at = event.at }
      (Scope.Value target)
  in
  let condition = Typing.expression inner ~expected:Core.Bool condition in
  if String.trim reason = "" then
    Fault.fail d.d_at "an exemption needs a reason"
      ~hint:"it is printed with every verdict";
  condition

let relaxation scope (d : Ast.declaration) =
  match d.d with
  | Ast.Within rounds ->
      if rounds < 1 then
        Fault.fail d.d_at "within no round is what is promised anyway"
          ~hint:"leave it out, or give 1 and more";
      if rounds > most_rounds then
        Fault.fail d.d_at
          (Printf.sprintf "more than %d rounds are no promise" most_rounds)
          ~hint:"a round is enough for what balancing mends at all";
      Some (Core.Within { rounds; at = d.d_at })
  | Ast.Exempt { event; condition; reason } -> (
      let holds_of target = exemption scope d event target condition reason in
      match List.assoc_opt event.text Events.all with
      | Some ((Core.New | Core.Unblock) as known) ->
          let condition = holds_of (Events.target known) in
          Some (Core.Exempt { event = known; condition; reason; at = d.d_at })
      | Some _ ->
          Fault.fail event.at
            (Printf.sprintf "nothing is promised of single `%s` events"
               event.text)
            ~hint:"`new`, `unblock` and `waiting` can be exempt"
      | None when event.text = waiting ->
          let condition = holds_of Core.Thread in
          Some (Core.Exempt_waiting { condition; reason; at = d.d_at })
      | None ->
          Scope.unknown scope event ~what:"event" [ "new"; "unblock"; waiting ])
  | _ -> None

let relaxations scope (ast : Ast.t) =
  List.filter_map
    (fun d -> Option.join (Scope.attempt scope (fun () -> relaxation scope d)))
    ast.declarations

let written_functions (ast : Ast.t) =
  List.filter_map
    (fun (d : Ast.declaration) ->
      match d.d with Ast.Function f -> Some f | _ -> None)
    ast.declarations

let interface scope functions (ast : Ast.t) =
  let one (f : Ast.func) =
    Scope.attempt scope (fun () -> Functions.method_ functions f)
  in
  List.concat_map
    (fun (d : Ast.declaration) ->
      match d.d with
      | Ast.Interface methods -> List.filter_map one methods.items
      | _ -> [])
    ast.declarations

let build scope (ast : Ast.t) : Core.policy =
  let declarations = Declarations.all scope ast in
  Ignored.check scope ast;
  let functions = Functions.create scope (written_functions ast) declarations in
  let steal = steal scope ast in
  let handlers = with_terminate (handlers scope ast) in
  each_once scope ast handlers;
  let relaxations = relaxations scope ast in
  Functions.rest functions;
  let all = Functions.all functions in
  let interface = interface scope functions ast in
  {
    policy_name = ast.scheduler.text;
    attributes = Array.of_list declarations.attributes;
    states = Array.of_list declarations.states;
    functions = Array.of_list all;
    steal;
    handlers;
    interface;
    relaxations;
    local_count = Scope.local_count scope;
    policy_place = ast.scheduler.at;
  }

let rec take n = function
  | x :: rest when n > 0 -> x :: take (n - 1) rest
  | _ -> []

let policy ast =
  let scope = Scope.create () in
  let policy = build scope ast in
  let is_error (f : Fault.t) = f.severity = Fault.Error in
  (* A policy with faults is not checked further, since the results would say
     little. *)
  let checks =
    if List.exists is_error (Scope.faults scope) then []
    else
      List.concat
        [
          Sizes.check policy;
          Affinity.check policy;
          Wakers.check policy;
          Phases.check policy;
          Moves.check policy;
          States.check policy;
        ]
  in
  let faults = List.sort_uniq Fault.compare (Scope.faults scope @ checks) in
  match List.partition is_error faults with
  | [], warnings -> Ok { policy; warnings }
  | errors, _ -> Error (take most errors)

let file name =
  match Parse.file name with
  | Error (source, fault) -> Error (source, [ fault ])
  | Ok (source, ast) ->
      Result.map_error (fun faults -> (source, faults)) (policy ast)
