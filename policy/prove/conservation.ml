(* One obligation for each handler whose event moves a thread, and one for the
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

(* What the moves of one path must be: how many, to states of which classes, and
   whether on the core of the handler. *)
type rule = {
  at_least : int;
  at_most : int;
  classes : state_class list;
  stays : bool;
}

let rule : event -> rule option = function
  | New | Unblock | Attach ->
      Some { at_least = 1; at_most = 1; classes = [ Ready ]; stays = false }
  | Block ->
      Some { at_least = 1; at_most = 1; classes = [ Blocked ]; stays = false }
  | Terminate ->
      Some
        { at_least = 1; at_most = 1; classes = [ Terminated ]; stays = false }
  | Yield ->
      Some { at_least = 1; at_most = 1; classes = [ Ready ]; stays = true }
  | Tick ->
      Some { at_least = 0; at_most = 1; classes = [ Ready ]; stays = true }
  | Schedule ->
      Some { at_least = 0; at_most = 1; classes = [ Running ]; stays = true }
  | Detach | Withdraw ->
      Some
        {
          at_least = 0;
          at_most = 1;
          classes = [ Terminated; Blocked ];
          stays = false;
        }
  | Balancing | Newly_idle | Enter_idle | Exit_idle | Entry | Exit ->
      Some { at_least = 0; at_most = 0; classes = []; stays = false }

(* Why a path with these moves breaks the rule; None if it does not. With a
   term where it depends on values: shown means that it does not. *)
let judge rule ~only moves =
  let count = List.length moves in
  let classes (m : Symbolic.move) = m.to_state.state_class in
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
            List.map (fun (m : Symbolic.move) -> Term.eq m.to_core self) moves
          else []
        and own =
          match only with
          | Some thread ->
              List.map (fun (m : Symbolic.move) -> Term.eq m.moved thread) moves
          | None -> []
        in
        let somewhere =
          if rule.classes = [ Ready ] then
            List.map
              (fun (m : Symbolic.move) -> Term.le (Term.int 0) m.to_core)
              moves
          else []
        in
        let shown = Term.and_ (stays @ own @ somewhere) in
        if shown = Term.true_ then None
        else
          Some (shown, "another thread is moved, or to another core, or to none")

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

let of_handler policy (handler : handler) =
  Option.map
    (fun rule ->
      let t, p = Balancing.begin_with (Balancing.setting policy ~target []) in
      let only = if handler.event = Schedule then None else Some target in
      {
        Obligation.name = Balancing.event_name handler.event ^ "_moves";
        about =
          (match rule with
          | { at_least = 1; _ } -> "every path moves the target exactly once"
          | { at_most = 0; _ } -> "no path moves a thread but by stealing"
          | _ -> "every path moves at most one thread");
        place = handler.handler_place;
        cases = cases_of t p handler.handler_body rule ~only;
      })
    (rule handler.event)

let at_schedule policy =
  let t, p =
    Balancing.begin_with
      (Balancing.setting policy [ Balancing.role ~locked:true self None ])
  in
  let word what = Symbolic.locked_words self what in
  let of_state s = word (`State s) in
  let runnable = List.filter Query.runnable (Array.to_list policy.states) in
  let counts = List.map of_state runnable in
  let in_slot = List.filter (fun s -> s.state_class = Running) runnable in
  ( t,
    Symbolic.know p
      (Term.eq (word `Count) (Term.add counts)
       :: Term.le (Term.int 1) (Term.add counts)
       :: Symbolic.state_facts policy self
      @ List.map (fun s -> Term.eq (of_state s) (Term.int 0)) in_slot) )

let schedule_runs policy (handler : handler) =
  let t, p = at_schedule policy in
  let cases = ref [] in
  Symbolic.execute t p handler.handler_body (fun p _ ->
      let runs (m : Symbolic.move) =
        if m.to_state.state_class = Running then Term.le (Term.int 0) m.moved
        else Term.false_
      in
      cases :=
        Obligation.case ~roles:[] p
          (Term.or_ (List.map runs (Symbolic.moves p)))
          "the core is left without a running thread, though one is ready there"
        :: !cases);
  {
    Obligation.name = "schedule_runs";
    about = "schedule runs a thread where one is ready";
    place = handler.handler_place;
    cases = List.rev !cases;
  }

(* {1 Affinity} *)

let somewhere = Balancing.core "somewhere"

(* That no path puts the thread where it may not run. It may run on some core. *)
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
          (fun (m : Symbolic.move) ->
            Balancing.may_run t p policy ~thread:m.moved ~core:m.to_core
              (fun p fits ->
                cases :=
                  Obligation.case ~roles:[] p fits
                    "the thread is put on a core on which it may not run"
                  :: !cases))
          (Symbolic.moves p)
      in
      Balancing.may_run t p policy ~thread:target ~core:somewhere (fun p fits ->
          let p = Symbolic.know p [ Term.le (Term.int 0) somewhere; fits ] in
          execute t p judge);
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
      allowed policy ~name:(Balancing.event_name h.event) ~place:h.handler_place
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
        { at_least = 0; at_most = 1; classes = [ Ready ]; stays = false }
      in
      let moves = Symbolic.moves e.path in
      let shown =
        Term.and_
          (List.map
             (fun (m : Symbolic.move) -> Term.eq m.to_core destination)
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

(* Functions that the system calls, in place of events: a parameter stands for the
   thread. *)
let of_interface policy (f : func) =
  let rule =
    match f.func_name with
    | "attach" -> rule New
    | "detach" -> Option.map (fun r -> { r with at_least = 1 }) (rule Detach)
    | _ -> rule Balancing
  in
  Option.map
    (fun rule ->
      let t, p = Balancing.begin_with (Balancing.setting policy ~target []) in
      let p =
        match f.parameters with
        | [ ({ local_ty = Thread; _ } as thread) ] ->
            Symbolic.bind p thread target
        | _ -> p
      in
      {
        Obligation.name = f.func_name ^ "_moves";
        about = "each path of the function moves its thread as often as it must";
        place = f.func_place;
        cases = cases_of t p f.func_body rule ~only:(Some target);
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
