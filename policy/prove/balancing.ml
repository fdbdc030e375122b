(* Every phase is executed symbolically. The facts about the cores' words come
   from the roles of the cores (Symbolic). *)

open Dromos_policy_core
open Core

let core = Term.individual

let distinct_cores cores =
  let rec pairs = function
    | [] -> []
    | c :: rest -> List.map (fun d -> Term.not_ (Term.eq c d)) rest @ pairs rest
  in
  List.map (fun c -> Term.le (Term.int 0) c) cores @ pairs cores

let setting policy ?target ?(target_runs = false) ?(moves_ready = false)
    ?filtered ?(instances = []) cores =
  {
    Types.policy;
    loads = Loads.of_policy policy;
    cores;
    instances;
    target;
    target_runs;
    self = core "self";
    filtered;
    moves_ready;
  }

let begin_with setting =
  let cores = List.map (fun c -> c.Types.core) setting.Types.cores in
  ( Symbolic.create setting,
    Symbolic.know Symbolic.start
      (Term.le (Term.int 0) setting.self :: distinct_cores cores) )

let role ?(locked = false) core role = { Types.core; role; locked }

let may_run t p policy ~thread ~core k =
  match Query.affinity policy with
  | None -> k p Term.true_
  | Some f ->
      let at it ty_of = { it; ty_of; at = f.func_place } in
      let p = List.fold_left2 Symbolic.bind p f.parameters [ thread; core ] in
      let given = List.map (fun l -> at (Local l) l.local_ty) f.parameters in
      Symbolic.evaluate t p (at (Call (f, given)) Bool) k

(* {1 can_steal_core} *)

let filter_complete policy steal =
  let f = steal.by_core.can_steal_core in
  let source = core f.filter_source.local_name
  and destination = core f.filter_destination.local_name in
  let t, p =
    begin_with
      (setting policy
         [ role source (Some (Busy 2)); role destination (Some Idle) ])
  in
  let p = Symbolic.bind p f.filter_source source in
  let p = Symbolic.bind p f.filter_destination destination in
  let cases = ref [] in
  Symbolic.evaluate t p f.admits (fun p admitted ->
      cases :=
        Obligation.case ~roles:[ source; destination ] p admitted
          "can_steal_core says false: nothing is stolen for an idle core from \
           one that has two threads or more"
        :: !cases);
  {
    Obligation.name = "filter_complete";
    about =
      "can_steal_core admits every core of two or more threads for an idle one";
    place = f.admits.at;
    cases = List.rev !cases;
  }

(* {1 select_core} *)

(* Serves select_core and select_group. *)
let selects policy ~name ~phase ~what select =
  let filtered : Term.symbol =
    { symbol = "filtered"; arity = 1; result = Bool }
  in
  let some = core ("some filtered " ^ what) in
  let t, p =
    begin_with (setting policy ~filtered ~instances:[ some ] [ role some None ])
  in
  let p = Symbolic.know p [ Term.apply filtered [ some ] ] in
  let cases = ref [] in
  Symbolic.evaluate t p select (fun p chosen ->
      cases :=
        Obligation.case ~roles:[] p
          (Term.and_
             [ Term.le (Term.int 0) chosen; Term.apply filtered [ chosen ] ])
          (Printf.sprintf "%s names no %s that the filter let through" phase
             what)
        :: !cases);
  {
    Obligation.name;
    about =
      Printf.sprintf "while there are filtered %ss, %s names one of them" what
        phase;
    place = select.at;
    cases = List.rev !cases;
  }

let select_member policy steal =
  selects policy ~name:"select_member" ~phase:"select_core" ~what:"core"
    steal.by_core.select_core

(* {1 steal_thread} *)

let load_of t p policy candidate =
  match Query.load policy with
  | None -> (p, Term.int 1)
  | Some load -> Symbolic.attribute t p candidate load

(* The lock of the source is held, so the words of the source are exact. The
   candidate is ready on the source. Each of the remaining threads weighs at
   least the least load and at most the greatest. If the candidate is one of
   the lightest ready threads and the source has three threads or more, a
   second ready thread weighs no less than the candidate. *)
let thread_facts t p ~least ~policy ~source ~candidate =
  let word what = Symbolic.locked_words source what in
  let count = word `Count in
  let states = List.filter Query.runnable (Array.to_list policy.states) in
  let of_class c =
    List.filter_map
      (fun s -> if s.state_class = c then Some (word (`State s)) else None)
      states
  in
  let ready = Term.add (of_class Ready)
  and running = Term.add (of_class Running) in
  let p, load = load_of t p policy candidate in
  let cload = word `Cload in
  let weights =
    match Loads.of_policy policy with
    | Each _ | Anything -> []
    | Between { least = lmin; most } ->
        let others = Term.sub count (Term.int 1) in
        let with_others each =
          Term.add [ load; Term.mul (Term.int each) others ]
        in
        Term.le (with_others lmin) cload
        :: Option.to_list
             (Option.map (fun lmax -> Term.le cload (with_others lmax)) most)
        @
        if least then
          [
            Term.implies
              (Term.le (Term.int 3) count)
              (Term.le (Term.add [ load; load; Term.int lmin ]) cload);
          ]
        else []
  in
  let facts =
    [
      Term.le (Term.int 1) ready;
      Term.le running (Term.int 1);
      Term.eq count (Term.add [ ready; running ]);
    ]
    @ Symbolic.state_facts policy source
    @ weights
  in
  Symbolic.know p facts

(* The facts about the exact words of a core. *)
let core_facts policy core =
  let word what = Symbolic.locked_words core what in
  let states = List.filter Query.runnable (Array.to_list policy.states) in
  let count = word `Count and cload = word `Cload in
  Term.eq count (Term.add (List.map (fun s -> word (`State s)) states))
  :: Symbolic.state_facts policy core
  @
  match Loads.of_policy policy with
  | Each _ | Anything -> []
  | Between { least; _ } -> [ Term.le (Term.mul (Term.int least) count) cload ]

type taking = {
  execution : Symbolic.t;
  start : Symbolic.path;
  path : Symbolic.path;
  took : bool;
  fits : Term.t;
  count : Term.t;
}

let take ?(exact = false) policy steal ~least ~destination_role ~with_ =
  let s = steal.by_core in
  let source = core s.source.local_name
  and destination = core s.destination.local_name
  and candidate = core s.candidate.local_name in
  let t, p =
    begin_with
      (setting policy ~target:candidate
         [
           role ~locked:true source None;
           role ~locked:exact destination destination_role;
         ])
  in
  let p = thread_facts t p ~least ~policy ~source ~candidate in
  let p =
    if exact then Symbolic.know p (core_facts policy destination) else p
  in
  let count = Symbolic.locked_words source `Count in
  let start = p in
  let p = Symbolic.know p [ with_ count ] in
  let p = Symbolic.bind p s.source source in
  let p = Symbolic.bind p s.destination destination in
  let p = Symbolic.bind p s.candidate candidate in
  let endings = ref [] in
  may_run t p policy ~thread:candidate ~core:destination (fun p fits ->
      Symbolic.execute t p s.take (fun path _ ->
          let took =
            List.exists
              (fun m -> m.Types.moved = candidate)
              (Symbolic.moves path)
          in
          endings :=
            { execution = t; start; path; took; fits; count } :: !endings));
  List.rev !endings

let destination_of steal = core steal.by_core.destination.local_name

let steal_safe policy steal =
  let cases =
    take policy steal ~least:false ~destination_role:None ~with_:(fun _ ->
        Term.true_)
    |> List.filter (fun e -> e.took)
    |> List.map (fun e ->
           Obligation.case ~roles:[] e.path
             (Term.le (Term.int 2) e.count)
             "steal_thread takes the only thread of the source, which becomes \
              idle")
  in
  {
    Obligation.name = "steal_safe";
    about = "steal_thread takes nothing from a core of one thread";
    place = steal.by_core.steal_place;
    cases;
  }

(* If `until` of steal_thread may stop the offering early, the first offered
   thread must be taken. Else all threads are offered, and taking one of the
   lightest is enough. With an affinity, the lightest thread may be unable to
   run on the destination. Then each thread able to run there must be taken,
   and offer_goes_on must hold. *)
let steal_progress policy steal =
  let least = steal.by_core.enough = None && Query.affinity policy = None in
  let cases =
    take policy steal ~least ~destination_role:(Some Idle) ~with_:(fun count ->
        Term.le (Term.int 2) count)
    |> List.filter (fun e -> not e.took)
    |> List.map (fun e ->
           Obligation.case
             ~roles:[ destination_of steal ]
             e.path (Term.not_ e.fits)
             "steal_thread leaves the thread where it is, though the source \
              has two or more and the destination none")
  in
  {
    Obligation.name = "steal_progress";
    about =
      "steal_thread takes a thread of a core of two or more for an idle one";
    place = steal.by_core.steal_place;
    cases;
  }

(* Threads unable to run on the destination are offered too. While the
   destination has nothing, no such thread may end the offering; a thread able
   to run there is taken, by steal_progress. Nothing was taken before, so the
   source still has two threads. *)
let offer_goes_on policy steal =
  let s = steal.by_core in
  match (Query.affinity policy, s.enough) with
  | None, _ | _, None -> []
  | Some _, Some enough ->
      let source = core s.source.local_name
      and destination = destination_of steal in
      let candidate = core s.candidate.local_name in
      let t, p =
        begin_with
          (setting policy ~target:candidate
             [ role ~locked:true source None; role destination (Some Idle) ])
      in
      let p = thread_facts t p ~least:false ~policy ~source ~candidate in
      let count = Symbolic.locked_words source `Count in
      let p = Symbolic.know p [ Term.le (Term.int 2) count ] in
      let p = Symbolic.bind p s.source source in
      let p = Symbolic.bind p s.destination destination in
      let p = Symbolic.bind p s.candidate candidate in
      let cases = ref [] in
      may_run t p policy ~thread:candidate ~core:destination (fun p fits ->
          Symbolic.evaluate t p enough (fun p ends ->
              cases :=
                Obligation.case ~roles:[ destination ] p
                  (Term.or_ [ fits; Term.not_ ends ])
                  "until of steal_thread says that it is enough, though \
                   nothing was taken yet that the core may run"
                :: !cases));
      [
        {
          Obligation.name = "offer_goes_on";
          about = "threads are offered while the destination has nothing";
          place = enough.at;
          cases = List.rev !cases;
        };
      ]

(* {1 until} *)

(* Serves the search for cores and the search for groups. *)
let search policy steal ~name ~what ~repeated until =
  let s = steal.by_core in
  let about =
    "the search goes on while the core for which is stolen has nothing"
  in
  match until with
  | _ when not repeated ->
      Obligation.fails ~name ~about s.steal_place
        (Printf.sprintf
           "without `do` the search ends after the first %s, which may have \
            nothing left to give, while another has"
           what)
  | None -> { name; about; place = s.steal_place; cases = [] }
  | Some until ->
      let destination = destination_of steal in
      let t, p = begin_with (setting policy [ role destination (Some Idle) ]) in
      let p = Symbolic.bind p s.destination destination in
      let cases = ref [] in
      Symbolic.evaluate t p until (fun p enough ->
          cases :=
            Obligation.case ~roles:[ destination ] p (Term.not_ enough)
              "until says that it is enough, though the core has nothing"
            :: !cases);
      { name; about; place = until.at; cases = List.rev !cases }

let until_sound policy steal =
  search policy steal ~name:"until_sound" ~what:"core"
    ~repeated:steal.by_core.repeated steal.by_core.until

(* {1 The handler} *)

let stealers policy =
  List.filter (fun h -> Visits.steals h.handler_body) policy.handlers

let alone policy ~name ~about place =
  match List.find_opt (fun h -> not h.is_synchronized) (stealers policy) with
  | None -> { Obligation.name; about; place; cases = [] }
  | Some h ->
      Obligation.fails ~name ~about h.handler_place
        (Printf.sprintf
           "%s steals and is not synchronized: a thread that it carries from \
            one core to another is seen at neither"
           (Query.event_name h.event))

let balance_alone policy handler =
  alone policy ~name:"balance_alone"
    ~about:"no other core steals while one core balances" handler.handler_place

(* {1 Steals level the cores} *)

(* True if only the events that put a thread on a core set its load. *)
let load_stays policy load =
  List.for_all
    (fun (event, block) ->
      match event with
      | Some (New | Unblock | Attach) -> true
      | Some _ | None -> not (Counts.sets block load))
    (Counts.blocks policy)

let levels policy steal ~name ~about holds =
  let none = alone policy ~name ~about steal.by_core.steal_place in
  if none.cases <> [] then none
  else
    let source = core steal.by_core.source.local_name in
    let destination = destination_of steal in
    let case e =
      Obligation.case ~roles:[] e.path
        (holds e ~source ~destination)
        "steal_thread takes a thread though the cores are as even as they can \
         be: the thread may be stolen to and fro"
    in
    {
      none with
      cases =
        take ~exact:true policy steal ~least:false ~destination_role:None
          ~with_:(fun _ -> Term.true_)
        |> List.filter (fun e -> e.took)
        |> List.map case;
    }

let levels_counts policy steal =
  levels policy steal ~name:"levels_counts"
    ~about:"steal_thread takes a thread of a core of two more threads"
    (fun _ ~source ~destination ->
      let count c = Symbolic.locked_words c `Count in
      Term.le (Term.add [ count destination; Term.int 2 ]) (count source))

let levels_loads policy steal =
  match (Query.load policy, Loads.of_policy policy) with
  | Some load, Between { least; _ } when least >= 1 && load_stays policy load ->
      let candidate = core steal.by_core.candidate.local_name in
      let cload c = Symbolic.locked_words c `Cload in
      [
        levels policy steal ~name:"levels_loads"
          ~about:
            "steal_thread takes a thread that weighs less than the difference \
             of the cores" (fun e ~source ~destination ->
            let _, weight = load_of e.execution e.start policy candidate in
            Term.lt (Term.add [ cload destination; weight ]) (cload source));
      ]
  | _ -> []

(* The call must steal for the idle core from all cores. The cores of one group
   are not enough. By groups, the call must be for the group of the largest
   domain that holds the idle core: the obligations on the filters of groups
   are about such a group. *)
let covers ~by_group idle (call : Types.steal_call) =
  let all_cores =
    match call.for_group with
    | None -> Term.true_
    | Some g when by_group ->
        Term.and_ [ Sets.in_largest_domain g; Sets.in_group g idle ]
    | Some _ -> Term.false_
  in
  Term.and_ [ Term.eq idle call.for_core; all_cores ]

let balance_complete policy ~by_group handler =
  let idle = core "idle" in
  let t, p =
    begin_with (setting policy ~instances:[ idle ] [ role idle (Some Idle) ])
  in
  let cases = ref [] in
  Symbolic.execute t p handler.handler_body (fun p _ ->
      cases :=
        Obligation.case ~roles:[ idle ] p
          (Term.or_ (List.map (covers ~by_group idle) (Symbolic.steals p)))
          "nothing is stolen for the core named idle"
        :: !cases);
  {
    Obligation.name = "balance_complete";
    about = "balancing steals for every core that is idle";
    place = handler.handler_place;
    cases = List.rev !cases;
  }

let obligations policy steal handler =
  [
    balance_complete policy ~by_group:(steal.by_group <> None) handler;
    filter_complete policy steal;
    select_member policy steal;
    steal_safe policy steal;
    steal_progress policy steal;
    until_sound policy steal;
    balance_alone policy handler;
  ]
  @ offer_goes_on policy steal
