(* The executed paths are those of `schedule`, of the handlers that put threads
   into queues, and of `tick`. *)

open Dromos_policy_core
open Core

type gives = Exempt_all | Turns of int
type part = { queue : state; ways : (Obligation.t * gives) list }
type levels = By_count | By_load
type steals = Nothing_is_stolen | Level of (Obligation.t * levels) list

type t = {
  parts : part list;
  stays : int;
  preempts : (Obligation.t * int) list;
  steals : steals;
}

let self = Conservation.self
let target = Conservation.target

(* {1 Served} *)

let moved_from_front queue p =
  let runs (m : Types.move) = m.to_state.state_class = Running in
  match (Symbolic.unclear p, Symbolic.moves p) with
  | None, m :: others when runs m && not (List.exists runs others) ->
      Term.eq m.moved (Symbolic.front self queue)
  | Some _, _ | None, _ -> Term.false_

let overtakes =
  "`schedule` may take another thread than the one in front, again and again"

(* Each path of [schedule], with a thread in the queue, takes the front or
   counts. *)
let served policy (handler : handler) queue ~name ~about count =
  let t, p = Conservation.at_schedule policy in
  let p =
    Symbolic.know p
      [ Term.le (Term.int 1) (Symbolic.locked_words self (`State queue)) ]
  in
  let value p = Counts.value t p self count in
  let p, before = value p in
  let cases = ref [] in
  Symbolic.execute t p handler.handler_body (fun p _ ->
      let p, after = value p in
      let counted = Counts.counted count ~before ~after in
      cases :=
        Obligation.case ~roles:[] p
          (Term.or_ [ moved_from_front queue p; counted ])
          (Printf.sprintf "though a thread waits in %s, %s" queue.state_name
             overtakes)
        :: !cases);
  {
    Obligation.name = name ^ "_" ^ queue.state_name;
    about;
    place = handler.handler_place;
    cases = List.rev !cases;
  }

let served_first policy handler queue =
  served policy handler queue None ~name:"served_first"
    ~about:
      (Printf.sprintf "schedule takes the front of %s wherever it has one"
         queue.state_name)

let served_in_turn policy handler queue (c : Counts.t) =
  served policy handler queue (Some c) ~name:"served_in_turn"
    ~about:
      (Printf.sprintf
         "schedule takes the front of %s, or counts by %s, at most %d times in \
          a row"
         queue.state_name c.counter.name c.in_a_row)

(* {1 Exempt} *)

let let_wait t p policy k =
  let rec all p values = function
    | [] -> k p (Term.or_ values)
    | e :: rest -> Symbolic.evaluate t p e (fun p v -> all p (v :: values) rest)
  in
  all p [] (Query.may_wait policy)

(* The cases of a path that puts its thread into the queue: the thread must be
   exempt at the end. *)
let exempt_cases t policy thread queue p add =
  let shown condition (m : Types.move) =
    if m.to_state.state_id = queue.state_id then
      [ Term.and_ [ Term.eq m.moved thread; condition ] ]
    else []
  in
  match Symbolic.unclear p with
  | Some why -> add (Obligation.case ~roles:[] p Term.false_ why)
  | None ->
      let moves = Symbolic.moves p in
      if
        List.exists
          (fun (m : Types.move) -> m.to_state.state_id = queue.state_id)
          moves
      then
        let_wait t p policy (fun p condition ->
            add
              (Obligation.case ~roles:[] p
                 (Term.and_ (List.concat_map (shown condition) moves))
                 (Printf.sprintf
                    "a thread that is not exempt is put into %s, which need \
                     not be served"
                    queue.state_name)))

let exempt_only policy queue =
  let cases = ref [] in
  let add case = cases := case :: !cases in
  List.iter
    (fun handler ->
      let t, p = Balancing.begin_with (Balancing.setting policy ~target []) in
      Symbolic.execute t p handler.handler_body (fun p _ ->
          exempt_cases t policy target queue p add))
    (Query.reactions policy);
  Option.iter
    (fun steal ->
      let candidate = Balancing.core steal.by_core.candidate.local_name in
      List.iter
        (fun (e : Balancing.taking) ->
          exempt_cases e.execution policy candidate queue e.path add)
        (Balancing.take policy steal ~least:false ~destination_role:None
           ~with_:(fun _ -> Term.true_)))
    policy.steal;
  {
    Obligation.name = "exempt_only_" ^ queue.state_name;
    about =
      Printf.sprintf "only threads that may wait for ever enter %s"
        queue.state_name;
    place = queue.state_place;
    cases = List.rev !cases;
  }

(* {1 Parts} *)

let goes_round queue =
  Obligation.fails
    ~name:("moved_on_" ^ queue.state_name)
    ~about:
      (Printf.sprintf "no thread comes to %s again while it waits"
         queue.state_name)
    queue.state_place
    (Printf.sprintf
       "ready threads may be moved from %s and back to it, again and again"
       queue.state_name)

let out_of_order queue =
  Obligation.fails
    ~name:("in_order_of_arrival_" ^ queue.state_name)
    ~about:
      (Printf.sprintf "%s is served in the order of arrival" queue.state_name)
    queue.state_place
    (Printf.sprintf
       "%s has an order of its own: threads that come later may be put in \
        front, again and again"
       queue.state_name)

(* Each count makes the prover execute all paths once more. *)
let most_counts = 32
let some counts = List.filteri (fun i _ -> i < most_counts) counts

let part policy (handler : handler) ~round queue =
  let turns =
    match queue.container with
    | (Queue [] | One _) when round queue -> [ (goes_round queue, Turns 1) ]
    | Queue [] | One _ ->
        (served_first policy handler queue, Turns 1)
        :: List.map
             (fun (c : Counts.t) ->
               (served_in_turn policy handler queue c, Turns (c.in_a_row + 1)))
             (some (Counts.all policy ~owner:Of_core ~set_in:[ Schedule ]))
    | Queue (_ :: _) | Slot | Nowhere -> [ (out_of_order queue, Turns 1) ]
  and exempt =
    (* [exempt_only] does not look at displaced threads, and so cannot prove a
       queue into which threads are displaced. *)
    if Query.may_wait policy = [] || Requeues.displaced_into policy queue then
      []
    else [ (exempt_only policy queue, Exempt_all) ]
  in
  { queue; ways = turns @ exempt }

let parts policy =
  match Query.handler policy Schedule with
  | None -> []
  | Some handler ->
      List.filter (fun s -> s.state_class = Ready) (Query.entered policy)
      |> List.map (part policy handler ~round:(Requeues.round policy))

(* {1 Preempted} *)

(* A count of a running thread may be set in the handlers of these events only.
   They are the events of the running thread itself, and events of other
   threads whose handlers cannot reach the running thread: [new], [unblock] and
   [attach] hold no lock. *)
let while_another_runs =
  [ Tick; Schedule; Yield; Block; Terminate; New; Unblock; Attach ]

let preempted policy (handler : handler) count =
  let t, p = Balancing.begin_with (Balancing.setting policy ~target []) in
  let value p = Counts.value t p target count in
  let p, before = value p in
  let cases = ref [] in
  Symbolic.execute t p handler.handler_body (fun p _ ->
      let of_target (m : Types.move) = Term.equal m.moved target in
      let leaves =
        Term.bool
          (Symbolic.unclear p = None && List.exists of_target (Symbolic.moves p))
      in
      let p, after = value p in
      let counted = Counts.counted count ~before ~after in
      cases :=
        Obligation.case ~roles:[] p
          (Term.or_ [ leaves; counted ])
          "tick leaves the thread the core, and counts nothing"
        :: !cases);
  {
    Obligation.name = "preempts";
    about =
      (match count with
      | None -> "tick takes the core from the running thread"
      | Some (c : Counts.t) ->
          Printf.sprintf
            "tick takes the core from the running thread, or counts by %s, at \
             most %d times"
            c.counter.name c.in_a_row);
    place = handler.handler_place;
    cases = List.rev !cases;
  }

let preempts policy =
  match Query.handler policy Tick with
  | None | Some { handler_body = []; _ } -> []
  | Some handler ->
      let counts =
        List.filter
          (fun c -> Counts.sets handler.handler_body c.Counts.counter)
          (some (Counts.all policy ~owner:Of_thread ~set_in:while_another_runs))
      in
      (preempted policy handler None, 1)
      :: List.map
           (fun (c : Counts.t) ->
             (preempted policy handler (Some c), c.in_a_row + 1))
           counts

(* {1 Stolen} *)

let levels policy steal =
  (Balancing.levels_counts policy steal, By_count)
  :: List.map (fun o -> (o, By_load)) (Balancing.levels_loads policy steal)

(* If a handler has too many paths, its bound is not proved. *)
let if_possible ways =
  match ways () with
  | ways -> ways
  | exception (Symbolic.Too_many_paths | Term.Too_large | Effort.Spent _) -> []

let make policy =
  let parts = parts policy in
  {
    parts;
    stays = Requeues.longest policy;
    preempts = if_possible (fun () -> preempts policy);
    steals =
      (match policy.steal with
      | None -> Nothing_is_stolen
      | Some steal -> Level (if_possible (fun () -> levels policy steal)));
  }
