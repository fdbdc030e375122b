(* Each handler, each function of the interface and the stealing have one
   obligation about their moves. `schedule` has a second one, that it runs a
   thread. With an affinity there is one more for each placement and for the
   stealing. *)

open Dromos_policy_core
open Core

let target = Balancing.core "target"
let self = Balancing.core "self"

let class_name = function
  | Running -> "RUNNING"
  | Ready -> "READY"
  | Blocked -> "BLOCKED"
  | Terminated -> "TERMINATED"

(* The rule for the moves of one path: the number of moves, the classes of
   their target states, and whether the moves stay on the core of the
   handler. *)
type rule = {
  at_least : int;
  at_most : int;
  classes : state_class list;
  stays : bool;
  requeues : bool;
      (** the handler may also move ready threads of its core among the READY
          states of the core; elaboration refuses other moves *)
}

let rule : event -> rule option =
  let rule ?(stays = false) ?(requeues = false) at_least at_most classes =
    Some { at_least; at_most; classes; stays; requeues }
  in
  function
  | New | Unblock | Attach -> rule 1 1 [ Ready ]
  | Block -> rule 1 1 [ Blocked ] ~requeues:true
  | Terminate -> rule 1 1 [ Terminated ] ~requeues:true
  | Yield -> rule 1 1 [ Ready ] ~stays:true ~requeues:true
  | Tick -> rule 0 1 [ Ready ] ~stays:true ~requeues:true
  | Schedule -> rule 0 1 [ Running ] ~stays:true ~requeues:true
  | Detach | Withdraw -> rule 0 1 [ Terminated; Blocked ]
  | Balancing | Newly_idle | Enter_idle | Exit_idle | Entry | Exit ->
      rule 0 0 []

(* Divides the moves of a path (newest first) into the moves counted by the
   rule and the conditions on the remaining moves, both oldest first. In
   [schedule] the rule counts moves to the slot; in other handlers, moves of
   the target.

   The remaining moves must stay among the READY states of the core. Before the
   target has been moved, only other threads may be moved so. A target in a
   queue is a ready thread like any. In [schedule] the chosen thread must not
   be moved again. *)
let counted rule ~only moves =
  let counts (m : Types.move) =
    (not rule.requeues)
    ||
    match only with
    | Some target -> Term.equal m.moved target
    | None -> m.to_state.state_class = Running
  in
  let other (before : Types.move list) (m : Types.move) =
    let from_queue =
      match (before, only) with
      | [], Some target -> Term.not_ (Term.eq m.moved target)
      | [], None | _ :: _, Some _ -> Term.true_
      | chosen :: _, None -> Term.not_ (Term.eq m.moved chosen.moved)
    in
    Term.and_
      [
        Term.bool (m.to_state.state_class = Ready);
        Term.eq m.to_core self;
        Term.or_ [ Term.lt m.moved (Term.int 0); from_queue ];
      ]
  in
  let step (mine, others) m =
    if counts m then (m :: mine, others) else (mine, other mine m :: others)
  in
  let mine, others = List.fold_left step ([], []) (List.rev moves) in
  (List.rev mine, List.rev others)

(* The reason why a path with these moves breaks the rule, or None. The term in
   the result is a condition: where the term holds, the path keeps the rule. *)
let judge rule ~only moves =
  let moves, others = counted rule ~only moves in
  let count = List.length moves in
  let classes (m : Types.move) = m.to_state.state_class in
  if count < rule.at_least then
    Some (Term.false_, "the thread is not moved: it is lost")
  else if count > rule.at_most then
    Some
      ( Term.false_,
        Printf.sprintf "%d moves on one path, where %d is the most" count
          rule.at_most )
  else
    match
      List.find_opt (fun m -> not (List.mem (classes m) rule.classes)) moves
    with
    | Some m ->
        Some
          ( Term.false_,
            Printf.sprintf "a thread is moved to %s, a state of class %s"
              m.to_state.state_name
              (class_name (classes m)) )
    | None ->
        let stays =
          if rule.stays then
            List.map (fun (m : Types.move) -> Term.eq m.to_core self) moves
          else []
        and own =
          match only with
          | Some thread ->
              List.map (fun (m : Types.move) -> Term.eq m.moved thread) moves
          | None -> []
        in
        let somewhere =
          if rule.classes = [ Ready ] then
            List.map
              (fun (m : Types.move) -> Term.le (Term.int 0) m.to_core)
              moves
          else []
        in
        let shown = Term.and_ (stays @ own @ somewhere @ others) in
        if shown = Term.true_ then None
        else
          Some
            ( shown,
              "another thread is moved, or the core is another one, or none" )

let cases_of t p block rule ~only =
  let cases = ref [] in
  Symbolic.execute t p block (fun p _ ->
      let verdict =
        match Symbolic.unclear p with
        | Some why -> Some (Term.false_, why)
        | None -> judge rule ~only (Symbolic.moves p)
      in
      Option.iter
        (fun (shown, consequence) ->
          cases := Obligation.case ~roles:[] p shown consequence :: !cases)
        verdict);
  List.rev !cases

let somewhere = Balancing.core "somewhere"

(* Continues with the fact that the thread may run on some core, as
   doc/policy/semantics.md supposes. *)
let runs_somewhere policy t p k =
  Balancing.may_run t p policy ~thread:target ~core:somewhere (fun p fits ->
      k (Symbolic.know p [ Term.le (Term.int 0) somewhere; fits ]))

(* Begins an execution. The fact of [runs_somewhere] is added in handlers that
   look for a core for the thread. *)
let with_some_core policy ~target_runs event k =
  let begun instances =
    Balancing.begin_with
      (Balancing.setting policy ~target ~target_runs ~instances [])
  in
  match (event, Query.affinity policy) with
  | (New | Unblock | Attach), Some _ ->
      let t, p = begun [ somewhere ] in
      let all = ref [] in
      runs_somewhere policy t p (fun p -> all := !all @ k t p);
      !all
  | _ ->
      let t, p = begun [] in
      k t p

let of_handler policy (handler : handler) =
  Option.map
    (fun rule ->
      let only = if handler.event = Schedule then None else Some target in
      let target_runs = rule.requeues && only <> None in
      {
        Obligation.name = Query.event_name handler.event ^ "_moves";
        about =
          (match rule with
          | { at_least = 1; _ } -> "every path moves the target exactly once"
          | { at_most = 0; _ } -> "no path moves a thread but by stealing"
          | _ -> "every path moves at most one thread");
        place = handler.handler_place;
        cases =
          with_some_core policy ~target_runs handler.event (fun t p ->
              cases_of t p handler.handler_body rule ~only);
      })
    (rule handler.event)

let at_schedule policy =
  let t, p =
    Balancing.begin_with
      (Balancing.setting policy ~moves_ready:true
         [ Balancing.role ~locked:true self None ])
  in
  let word what = Symbolic.locked_words self what in
  let of_state s = word (`State s) in
  let runnable = List.filter Query.runnable (Array.to_list policy.states) in
  let counts = List.map of_state runnable in
  let in_slot = List.filter (fun s -> s.state_class = Running) runnable
  and of_one = List.filter (fun s -> Query.displaced_to s <> None) runnable in
  ( t,
    Symbolic.know p
      (Term.eq (word `Count) (Term.add counts)
       :: Term.le (Term.int 1) (Term.add counts)
       :: Symbolic.state_facts policy self
      @ List.map (fun s -> Term.le (of_state s) (Term.int 1)) of_one
      @ List.map (fun s -> Term.eq (of_state s) (Term.int 0)) in_slot) )

let schedule_runs policy (handler : handler) =
  let t, p = at_schedule policy in
  let cases = ref [] in
  Symbolic.execute t p handler.handler_body (fun p _ ->
      (* Only the newest move counts: a move after the move to the slot could
         be of the chosen thread. *)
      let runs = function
        | (m : Types.move) :: _ when m.to_state.state_class = Running ->
            Term.le (Term.int 0) m.moved
        | _ -> Term.false_
      in
      cases :=
        Obligation.case ~roles:[] p
          (runs (Symbolic.moves p))
          "the core is left without a running thread, though one is ready there"
        :: !cases);
  {
    Obligation.name = "schedule_runs";
    about = "schedule runs a thread where one is ready";
    place = handler.handler_place;
    cases = List.rev !cases;
  }

(* {1 Affinity} *)

(* The obligation that no path puts the thread on a core where the thread may
   not run. *)
let allowed policy ~name ~place execute =
  match Query.affinity policy with
  | None -> []
  | Some _ ->
      let t, p =
        Balancing.begin_with
          (Balancing.setting policy ~target ~instances:[ somewhere ] [])
      in
      let cases = ref [] in
      let judge p =
        List.iter
          (fun (m : Types.move) ->
            Balancing.may_run t p policy ~thread:m.moved ~core:m.to_core
              (fun p fits ->
                cases :=
                  Obligation.case ~roles:[] p fits
                    "the thread is put on a core on which it may not run"
                  :: !cases))
          (Symbolic.moves p)
      in
      runs_somewhere policy t p (fun p -> execute t p judge);
      [
        {
          Obligation.name = name ^ "_allowed";
          about = "the thread is put on cores on which it may run";
          place;
          cases = List.rev !cases;
        };
      ]

let handler_allowed policy (h : handler) =
  match h.event with
  | New | Unblock ->
      allowed policy ~name:(Query.event_name h.event) ~place:h.handler_place
        (fun t p judge ->
          Symbolic.execute t p h.handler_body (fun p _ -> judge p))
  | _ -> []

let attach_allowed policy (f : func) =
  match f.parameters with
  | [ ({ local_ty = Thread; _ } as thread) ] when f.func_name = "attach" ->
      allowed policy ~name:f.func_name ~place:f.func_place (fun t p judge ->
          Symbolic.execute t (Symbolic.bind p thread target) f.func_body
            (fun p _ -> judge p))
  | _ -> []

let steal_allowed policy steal =
  if Query.affinity policy = None then []
  else
    let cases =
      Balancing.take policy steal ~least:false ~destination_role:None
        ~with_:(fun _ -> Term.true_)
      |> List.filter (fun (e : Balancing.taking) -> e.took)
      |> List.map (fun (e : Balancing.taking) ->
             Obligation.case ~roles:[] e.path e.fits
               "steal_thread takes a thread for a core on which it may not run")
    in
    [
      {
        Obligation.name = "steal_allowed";
        about = "steal_thread takes what may run on the destination";
        place = steal.by_core.steal_place;
        cases;
      };
    ]

let of_schedule policy =
  match Query.handler policy Schedule with
  | Some handler -> [ schedule_runs policy handler ]
  | None -> []

let of_steal policy steal =
  let s = steal.by_core in
  let destination = Balancing.core s.destination.local_name
  and candidate = Balancing.core s.candidate.local_name in
  let cases = ref [] in
  List.iter
    (fun (e : Balancing.taking) ->
      let rule =
        {
          at_least = 0;
          at_most = 1;
          classes = [ Ready ];
          stays = false;
          requeues = false;
        }
      in
      let moves = Symbolic.moves e.path in
      let shown =
        Term.and_
          (List.map
             (fun (m : Types.move) -> Term.eq m.to_core destination)
             moves)
      in
      let found =
        match judge rule ~only:(Some candidate) moves with
        | Some found -> Some found
        | None when shown = Term.true_ -> None
        | None -> Some (shown, "the thread is put on another core than dst")
      in
      Option.iter
        (fun (shown, consequence) ->
          cases := Obligation.case ~roles:[] e.path shown consequence :: !cases)
        found)
    (Balancing.take policy steal ~least:false ~destination_role:None
       ~with_:(fun _ -> Term.true_));
  {
    Obligation.name = "steal_moves";
    about = "steal_thread moves the candidate at most once, to the destination";
    place = s.steal_place;
    cases = List.rev !cases;
  }

(* The system calls functions of the interface in place of events: the
   parameter stands for the thread. *)
let of_interface policy (f : func) =
  let rule =
    match f.func_name with
    | "attach" -> rule Attach
    | "detach" -> Option.map (fun r -> { r with at_least = 1 }) (rule Detach)
    | _ -> rule Balancing
  in
  Option.map
    (fun rule ->
      let event : event = if f.func_name = "attach" then Attach else Detach in
      let bound p =
        match f.parameters with
        | [ ({ local_ty = Thread; _ } as thread) ] ->
            Symbolic.bind p thread target
        | _ -> p
      in
      {
        Obligation.name = f.func_name ^ "_moves";
        about = "each path of the function moves its thread as often as it must";
        place = f.func_place;
        cases =
          with_some_core policy ~target_runs:false event (fun t p ->
              cases_of t (bound p) f.func_body rule ~only:(Some target));
      })
    rule

let obligations policy =
  List.filter_map (of_handler policy) policy.handlers
  @ of_schedule policy
  @ List.filter_map (of_interface policy) policy.interface
  @ List.concat_map (handler_allowed policy) policy.handlers
  @ List.concat_map (attach_allowed policy) policy.interface
  @
  match policy.steal with
  | None -> []
  | Some steal -> of_steal policy steal :: steal_allowed policy steal
