(* The properties of a policy, each with its obligations. *)

open Dromos_policy_core
open Core

type property = Gcwc | Hcwc | Lcwc of event | Conservation | Waiting
type stolen = Never | Levels of Waiting.levels | Without_bound
type bound = { turns : int; ticks : int option; stays : int; stolen : stolen }

type verdict =
  | Proved of {
      obligations : Decide.proof list;
      theorem : string;
      bound : bound option;
    }
  | Refuted_obligation of Decide.witness
  | Unknown of { obligation : string; at : place; why : string }
  | Nothing_to_prove of string

type result = {
  property : property;
  verdict : verdict;
  premises : relaxation list;
  seconds : float;
}

type report = {
  results : result list;
  troubles : string list;
  total_seconds : float;
}

let property_name = function
  | Gcwc -> "GCWC of balancing"
  | Hcwc -> "HCWC of balancing"
  | Lcwc e -> "LCWC of " ^ Query.event_name e
  | Conservation -> "conservation of threads"
  | Waiting -> "bounded waiting"

let theorem = function
  | Gcwc -> "policy/theories/balancing.mlw"
  | Hcwc -> "policy/theories/groups.mlw"
  | Lcwc _ -> "policy/theories/placement.mlw"
  | Conservation -> "doc/policy/semantics.md, Steps and Stealing"
  | Waiting -> "doc/policy/semantics.md, What is proved"

let mending = "policy/theories/within.mlw"

(* A property is proved by all its obligations, or by one way for each part. *)
type task =
  | Vacuous of string
  | To_show of (unit -> Obligation.t list)
  | One_way_each of (unit -> Waiting.t)

let balancing_task policy =
  match (policy.steal, Query.handler policy Balancing) with
  | _, None -> (Gcwc, Vacuous "the policy has no handler for balancing")
  | None, _ -> (Gcwc, Vacuous "the policy steals nothing")
  | Some ({ by_group = Some by_group; _ } as steal), Some handler ->
      ( Hcwc,
        To_show
          (fun () ->
            Hierarchy.obligations policy by_group
            @ Balancing.obligations policy steal handler) )
  | Some steal, Some handler ->
      (Gcwc, To_show (fun () -> Balancing.obligations policy steal handler))

let placement_task policy event =
  ( Lcwc event,
    match Query.handler policy event with
    | None ->
        Vacuous
          (Printf.sprintf "the policy has no handler for %s"
             (Query.event_name event))
    | Some handler -> To_show (fun () -> Placement.obligations policy handler)
  )

let tasks policy =
  [
    balancing_task policy;
    placement_task policy New;
    placement_task policy Unblock;
    (Conservation, To_show (fun () -> Conservation.obligations policy));
    (Waiting, One_way_each (fun () -> Waiting.make policy));
  ]

let to_prove policy =
  List.filter_map
    (function
      | property, (To_show _ | One_way_each _) -> Some property
      | _, Vacuous _ -> None)
    (tasks policy)

let obligations policy =
  List.filter_map
    (function
      | _, Vacuous _ -> None
      | property, To_show f -> Some (property, f ())
      | property, One_way_each f ->
          let plainest (part : Waiting.part) = fst (List.hd part.ways) in
          Some (property, List.map plainest (f ()).parts))
    (tasks policy)

let has_system_attributes (policy : policy) =
  Array.exists (fun a -> a.system && a.owner = Of_thread) policy.attributes

let assumptions policy =
  [ "no number and no sum of the loads of a core passes 63 bits" ]
  @ (if Query.affinity policy = None then []
     else
       [
         "each thread may run on some core, and where does not change while an \
          event lasts";
       ])
  @ (if
       Visits.uses_topology policy
         ~also:(List.map (fun f -> f.func_body) policy.interface)
       || Option.fold ~none:false
            ~some:(fun s -> s.by_group <> None)
            policy.steal
     then
       [
         "groups and domains have cores, each core of a domain is in one of \
          its groups, and a core's last domain holds all cores";
       ]
     else [])
  @
  if has_system_attributes policy then
    [
      "system attributes of a thread do not change while a handler is at work \
       on it";
    ]
  else []

let premises policy property =
  List.filter
    (fun relaxation ->
      match (relaxation, property) with
      | Exempt { event; _ }, Lcwc e -> e = event
      | Within _, (Gcwc | Hcwc | Lcwc _) -> true
      | Exempt_waiting _, Waiting -> true
      | Exempt _, (Gcwc | Hcwc | Conservation | Waiting)
      | Within _, (Conservation | Waiting)
      | Exempt_waiting _, (Gcwc | Hcwc | Lcwc _ | Conservation) ->
          false)
    policy.relaxations

let premise = function
  | Exempt { event; reason; _ } ->
      Printf.sprintf "exempt: some threads of %s, because %s"
        (Query.event_name event) reason
  | Exempt_waiting { reason; _ } ->
      "exempt: some ready threads may wait for ever, because " ^ reason
  | Within { rounds; _ } ->
      Printf.sprintf
        "within %d idle round%s of balancing: a state that they mend does not \
         count"
        rounds
        (if rounds = 1 then "" else "s")

let mended_by_balancing policy =
  Query.rounds policy > 0
  && policy.steal <> None
  && Query.handler policy Balancing <> None

let too_large = "the terms of the handlers grow too large for a prover"

(* The obligations, or the reason why they could not be made. *)
let made provers f =
  match Decide.property provers f with
  | Ok obligations -> Ok obligations
  | Error spent -> Error (Effort.why spent)
  | exception Symbolic.Too_many_paths -> Error (Effort.why Work)
  | exception Term.Too_large -> Error too_large

let too_much policy property why =
  Unknown { obligation = property_name property; at = policy.policy_place; why }

let not_held : Decide.outcome -> verdict = function
  | Refuted witness -> Refuted_obligation witness
  | Open { obligation; at; why } -> Unknown { obligation; at; why }
  | Holds _ -> invalid_arg "Prove: it holds"

let decide provers policy property f =
  let rec all proofs = function
    | [] ->
        Proved
          {
            obligations = List.rev proofs;
            theorem = theorem property;
            bound = None;
          }
    | o :: rest -> (
        match Decide.obligation provers o with
        | Holds proof -> all (proof :: proofs) rest
        | other -> not_held other)
  in
  match made provers f with
  | Ok obligations -> all [] obligations
  | Error why -> too_much policy property why

(* The first way that holds; else the outcome of the plainest way. *)
let first_way provers ways =
  let rec go = function
    | [] -> Error (Decide.obligation provers (fst (List.hd ways)))
    | (o, gives) :: others -> (
        match Decide.obligation provers o with
        | Holds proof -> Ok (proof, gives)
        | Refuted _ | Open _ -> go others)
  in
  go ways

(* The number of ticks in which a running thread leaves the core, if a proof
   gives one. *)
let ticks provers = function
  | [] -> None
  | ways -> Result.to_option (first_way provers ways)

let all_exempt = "every thread that becomes ready may wait for ever"

(* The proof that the steals come to an end, if there is one. *)
let stolen provers = function
  | Waiting.Nothing_is_stolen -> ([], Never)
  | Level [] -> ([], Without_bound)
  | Level ways -> (
      match first_way provers ways with
      | Ok (proof, levels) -> ([ proof ], Levels levels)
      | Error _ -> ([], Without_bound))

let bounded provers (waits : Waiting.t) proofs given =
  let most n = function Waiting.Turns k -> Int.max n k | Exempt_all -> n in
  match List.fold_left most 0 given with
  | 0 -> Nothing_to_prove all_exempt
  | turns ->
      let ticks = ticks provers waits.preempts in
      let level, stolen = stolen provers waits.steals in
      let more = Option.to_list (Option.map fst ticks) @ level in
      Proved
        {
          obligations = List.rev_append proofs more;
          theorem = theorem Waiting;
          bound =
            Some
              {
                turns;
                ticks = Option.map snd ticks;
                stays = waits.stays;
                stolen;
              };
        }

let decide_ways provers policy f =
  let rec all waits proofs given = function
    | [] -> bounded provers waits proofs given
    | (part : Waiting.part) :: rest -> (
        match first_way provers part.ways with
        | Ok (proof, gives) -> all waits (proof :: proofs) (gives :: given) rest
        | Error other -> not_held other)
  in
  match made provers f with
  | Ok waits -> all waits [] [] waits.Waiting.parts
  | Error why -> too_much policy Waiting why

(* If balancing is proved, a round of balancing mends what a placement
   leaves. *)
let mend policy results =
  let proved_balancing = function
    | { property = Gcwc | Hcwc; verdict = Proved proved; _ } ->
        Some proved.obligations
    | _ -> None
  in
  match List.find_map proved_balancing results with
  | Some obligations when mended_by_balancing policy ->
      List.map
        (fun r ->
          match (r.property, r.verdict) with
          | Lcwc _, (Refuted_obligation _ | Unknown _) ->
              let verdict =
                Proved { obligations; theorem = mending; bound = None }
              in
              { r with verdict }
          | _ -> r)
        results
  | Some _ | None -> results

let seconds = Effort.now

let policy ?(provers = [ Solver.z3; Solver.cvc5 ]) ?limit p =
  let begun = seconds () in
  Decide.with_provers ?limit provers (fun d ->
      let results =
        List.map
          (fun (property, task) ->
            let begun = seconds () in
            let verdict =
              match task with
              | Vacuous why -> Nothing_to_prove why
              | To_show f -> decide d p property f
              | One_way_each f -> decide_ways d p f
            in
            {
              property;
              verdict;
              premises = premises p property;
              seconds = seconds () -. begun;
            })
          (tasks p)
      in
      {
        results = mend p results;
        troubles = Decide.troubles d;
        total_seconds = seconds () -. begun;
      })

let say_stolen = function
  | Never | Without_bound -> ""
  | Levels levels ->
      let what, each =
        match levels with
        | Waiting.By_count -> ("N", "N threads are on the machine")
        | By_load -> ("L", "L is the sum of all loads")
      in
      Printf.sprintf
        "; while no thread comes, wakes, blocks or ends, at most %s * %s / 2 \
         threads are stolen, where %s"
        what what each

let say_bound { turns; ticks; stays; stolen } =
  let times k what = if k = 1 then what else Printf.sprintf "%d %s" k what in
  Printf.sprintf
    "a ready thread is chosen%s after at most %s schedulings of its core, \
     where n threads are runnable when it %s%s%s"
    (if stolen = Never then "" else ", or stolen,")
    (times turns "n")
    (if stays = 1 then "becomes ready"
     else
       Printf.sprintf
         "comes to its queue, or comes to another, which happens at most %d \
          time%s"
         (stays - 1)
         (if stays = 2 then "" else "s"))
    (match ticks with
    | None -> ""
    | Some k ->
        Printf.sprintf
          "; each lasts at most %d tick%s of its thread, so that is %s ticks" k
          (if k = 1 then "" else "s")
          (times (turns * k) "n"))
    (say_stolen stolen)

let say = function
  | Proved { obligations; theorem; bound = _ } ->
      Printf.sprintf "PROVED by %s from %s" theorem
        (String.concat ", "
           (List.map
              (fun (o : Decide.proof) ->
                Printf.sprintf "%s (%s, %.0f ms)" o.obligation o.prover
                  (1000. *. o.seconds))
              obligations))
  | Refuted_obligation w ->
      Printf.sprintf "not proved: %s fails at line %d: %s" w.refuted w.at.line
        w.words
  | Unknown { obligation; at; why } ->
      Printf.sprintf "unknown: %s (line %d): %s" obligation at.line why
  | Nothing_to_prove why -> "nothing to prove: " ^ why
