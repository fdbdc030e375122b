open Dromos_policy_explore
open Dromos_policy_prove
open Dromos_policy_semantics

type property = Prove.property

type answer =
  | Proved of {
      obligations : Decide.proof list;
      theorem : string;
      bound : Prove.bound option;
    }
  | Violated of { trace : Trace.t; hint : string option }
  | Unknown of { obligation : string; at : Core.place option; why : string }
  | Nothing_to_prove of string

type result = {
  property : property;
  answer : answer;
  premises : Core.relaxation list;
  searched : Explore.result option;
  seconds : float;
}

type report = {
  policy : Core.policy;
  machine : string option;
  results : result list;
  troubles : string list;
  no_prover : string list;
  total_seconds : float;
}

exception Contradiction of string

(* {1 Prover and model checker together} *)

(* Each search checks conservation too. *)
let promises policy : property -> Promise.t list = function
  | Gcwc -> [ Gcwc ]
  | Hcwc -> [ Hcwc ]
  | Lcwc event -> [ Lcwc event ]
  | Conservation -> Promise.all policy
  | Waiting -> [ Waiting ]

(* True if the trace violates this property. A search for one property may find
   a violation of another, such as conservation. *)
let concerns (property : property) (trace : Trace.t) =
  match (property, trace.fault) with
  | Conservation, (Conservation _ | Stuck) -> true
  | Waiting, Starves _ -> true
  | (Gcwc | Hcwc | Lcwc _), Breach _ -> true
  | _, (Conservation _ | Stuck | Breach _ | Starves _) -> false

let violation property (searched : Explore.result option) =
  match searched with
  | Some { verdict = Violated trace; _ } when concerns property trace ->
      Some trace
  | Some _ | None -> None

(* A policy promises nothing about an event that it does not handle. *)
let comes policy (promise : Promise.t) =
  Query.handler policy (Promise.event promise) <> None

(* The first search that finds a violation, or the last search. *)
let search ~seconds ?witness ?source_lock policy property =
  let rec go left = function
    | [] -> None
    | promise :: others -> (
        let share = left /. float_of_int (1 + List.length others) in
        let result =
          Explore.check ~seconds:share ?witness ?source_lock policy promise
        in
        let left = Float.max 0. (left -. result.seconds) in
        let found = Some result in
        match (violation property found, others) with
        | Some _, _ | None, [] -> found
        | None, _ -> go left others)
  in
  go seconds (List.filter (comes policy) (promises policy property))

let what_is_left =
  "proved if the lock of the source is held throughout; for dispatch queues, \
   whose lock is held for each move alone, policy/theories/unlocked.mlw says \
   what holds"

(* The bound is about the thread until it is stolen, and the trace is about a
   thread that is stolen again and again. *)
let steals_without_end bound (trace : Trace.t) =
  match bound with
  | Some { Prove.stolen = Without_bound; _ } -> trace.instance.bounds.cores > 1
  | Some { stolen = Never | Levels _; _ } | None -> false

let too_large (at : Core.place) =
  Printf.sprintf
    "%s:%d:%d: a number passes 63 bits in this run, which the proof supposes \
     not to happen: write smaller numbers"
    at.file at.line (at.column + 1)

let stolen_again =
  "each core runs its ready threads in turn, but a thread may be stolen again \
   and again before its turn"

(* [everywhere]: the same policy, where every thread may run on every core. *)
let answered ~seconds ~second ?source_lock ?everywhere policy (r : Prove.result)
    =
  let proved =
    match (r.verdict, r.property) with
    | Proved _, _ | Nothing_to_prove _, Waiting -> true
    | _ -> false
  in
  let seconds = if proved then Float.min second seconds else seconds in
  let witness =
    match r.verdict with
    | Proved _ | Nothing_to_prove _ -> None
    | Refuted_obligation w -> Some w.numbers
    | Unknown _ -> Some []
  in
  let here seconds = search ~seconds ?witness ?source_lock policy r.property in
  let searched =
    lazy
      (match (everywhere, r.property) with
      | Some everywhere, (Gcwc | Hcwc) -> (
          let seconds = seconds /. 2. in
          let there =
            search ~seconds ?witness ?source_lock everywhere r.property
          in
          match violation r.property there with
          | Some _ -> there
          | None -> here seconds)
      | _ -> here seconds)
  in
  let found () = violation r.property (Lazy.force searched) in
  let open_question obligation at why hint =
    match found () with
    | Some trace -> Violated { trace; hint }
    | None -> Unknown { obligation; at; why }
  in
  let answer =
    match r.verdict with
    | Proved { obligations; theorem; bound } -> (
        match if second > 0. then found () else None with
        | Some trace when steals_without_end bound trace ->
            Violated { trace; hint = Some stolen_again }
        | Some trace when Trace.passes_63_bits trace <> None ->
            let at = Option.get (Trace.passes_63_bits trace) in
            Violated { trace; hint = Some (too_large at) }
        | Some trace ->
            raise
              (Contradiction
                 (Fmt.str "%s: %s is proved, and violated by this run:@.%a"
                    policy.Core.policy_name
                    (Prove.property_name r.property)
                    Trace.pp trace))
        | None -> Proved { obligations; theorem; bound })
    | Refuted_obligation w ->
        open_question w.refuted (Some w.at) w.words (Some w.words)
    | Unknown { obligation; at; why } ->
        let hint = if why = what_is_left then Some why else None in
        open_question obligation (Some at) why hint
    | Nothing_to_prove why -> (
        match found () with
        | Some trace -> Violated { trace; hint = None }
        | None -> Nothing_to_prove why)
  in
  let searched = if Lazy.is_val searched then Lazy.force searched else None in
  (answer, searched)

let timed f =
  let start = Unix.gettimeofday () in
  let x = f () in
  (x, Unix.gettimeofday () -. start)

(* Violations can be found without a prover, too. *)
let without_provers policy failures =
  let why = List.map (fun (p, f) -> Solver.explain p f) failures in
  let unknown property =
    {
      Prove.property;
      verdict =
        Unknown
          {
            obligation = "all";
            at = policy.Core.policy_place;
            why = "no prover could be asked";
          };
      premises = Prove.premises policy property;
      seconds = 0.;
    }
  in
  (List.map unknown (Prove.to_prove policy), [], why)

(* The proofs of balancing, and the proofs by balancing, suppose that the lock
   of the source is held while a thread is chosen there. *)
let without_lock policy (r : Prove.result) =
  match (r.verdict, r.property) with
  | Proved { theorem; _ }, property
    when property = Gcwc || property = Hcwc || theorem = Prove.mending ->
      let at = policy.Core.policy_place in
      let obligation = "the lock of the source" in
      { r with verdict = Unknown { obligation; at; why = what_is_left } }
  | _ -> r

let check ?provers ?limit ?(seconds = 2.) ?(second = 0.5) ?machine ?unlocked
    policy =
  let source_lock = Option.map (fun _ -> Scope.Each_move) unlocked in
  let (proved, troubles, no_prover), start =
    timed (fun () ->
        match Prove.policy ?provers ?limit policy with
        | r -> (r.results, r.troubles, [])
        | exception Decide.No_prover failures -> without_provers policy failures)
  in
  let proved =
    if unlocked = None then proved else List.map (without_lock policy) proved
  in
  let one (r : Prove.result) =
    let (answer, searched), time =
      timed (fun () ->
          answered ~seconds ~second ?source_lock ?everywhere:unlocked policy r)
    in
    {
      property = r.property;
      answer;
      premises = r.premises;
      searched;
      seconds = r.seconds +. time;
    }
  in
  let results, rest = timed (fun () -> List.map one proved) in
  {
    policy;
    machine;
    results;
    troubles;
    no_prover;
    total_seconds = start +. rest;
  }

let all_proved report =
  List.for_all
    (fun r ->
      match r.answer with
      | Proved _ | Nothing_to_prove _ -> true
      | Violated _ | Unknown _ -> false)
    report.results

let any_violated report =
  List.exists
    (fun r -> match r.answer with Violated _ -> true | _ -> false)
    report.results

(* {1 Printing} *)

let word = function
  | Proved _ -> "PROVED"
  | Violated _ -> "VIOLATED"
  | Unknown _ -> "UNKNOWN"
  | Nothing_to_prove _ -> "-"

let by_provers obligations =
  let asked = List.filter (fun (p : Decide.proof) -> p.cases > 0) obligations in
  let names =
    List.sort_uniq String.compare
      (List.map (fun (p : Decide.proof) -> p.prover) asked)
  in
  Printf.sprintf "%d obligations%s" (List.length obligations)
    (if names = [] then "" else ", by " ^ String.concat " and " names)

let how_far (e : Explore.result) =
  match e.largest with
  | None when e.states = 0 -> "no machine was searched"
  | None ->
      Printf.sprintf "no machine was searched to the end, %d states" e.states
  | Some b when e.states = 0 ->
      Printf.sprintf
        "nothing was searched: no event of the kind can come on machines up to \
         %s"
        (Bounds.show b)
  | Some b ->
      Printf.sprintf "machines up to %s searched, %d states" (Bounds.show b)
        e.states

let place (p : Core.place) =
  Printf.sprintf "%s:%d:%d" p.file p.line (p.column + 1)

let indented ppf text =
  List.iter (Fmt.pf ppf "    %s@.") (String.split_on_char '\n' text)

let pp_result ~trace ~times ppf r =
  Fmt.pf ppf "  %-9s %s%s" (word r.answer)
    (Prove.property_name r.property)
    (match r.answer with
    | Proved { bound = Some { stolen = Levels _ | Without_bound; _ }; _ } ->
        " unless stolen"
    | _ -> "");
  if times then Fmt.pf ppf " (%.2f s)" r.seconds;
  Fmt.pf ppf "@.";
  (match r.answer with
  | Proved { obligations; theorem; bound } ->
      indented ppf (by_provers obligations);
      Option.iter (fun b -> indented ppf (Prove.say_bound b)) bound;
      if theorem = Prove.mending then
        indented ppf "by balancing: a round of it mends the rest"
  | Nothing_to_prove why -> indented ppf why
  | Unknown { obligation; at; why } ->
      indented ppf
        (Printf.sprintf "open is %s%s:\n%s" obligation
           (Option.fold ~none:"" ~some:(fun at -> ", " ^ place at) at)
           why)
  | Violated { trace = t; hint } ->
      Option.iter (indented ppf) hint;
      if trace then Fmt.pf ppf "%a@." Trace.pp t
      else indented ppf (Trace.fault_text t.fault));
  (match (r.answer, r.searched) with
  | (Proved _ | Unknown _ | Nothing_to_prove _), Some e when times ->
      indented ppf (how_far e)
  | _ -> ());
  List.iter (fun p -> indented ppf (Prove.premise p)) r.premises

(* The assumptions behind every PROVED of the report, besides its
   obligations. *)
let assumptions report =
  let is_proved r = match r.answer with Proved _ -> true | _ -> false in
  let duties =
    List.exists
      (fun r -> r.property = Prove.Conservation && not (is_proved r))
      report.results
  in
  let cooperates r =
    match r.answer with
    | Proved { bound = Some { ticks = None; _ }; _ } -> true
    | _ -> false
  in
  let is_stolen r =
    match r.answer with
    | Proved { bound = Some { stolen = Without_bound; _ }; _ } -> true
    | _ -> false
  in
  if not (List.exists is_proved report.results) then []
  else
    Prove.assumptions report.policy
    @ (if List.exists is_stolen report.results then
         [ "a ready thread is not stolen again and again before it runs" ]
       else [])
    @ (if List.exists cooperates report.results then
         [
           "for bounded waiting: a running thread blocks, yields, ends or is \
            preempted at some time; `tick` is not proved to take the core from \
            it";
         ]
       else [])
    @
    if duties then
      [
        "each handler does what its event asks of it: conservation, which is \
         not proved here";
      ]
    else []

let pp ?(trace = true) ?(times = true) ~file ppf report =
  Fmt.pf ppf "%s: %s" file report.policy.policy_name;
  Option.iter (Fmt.pf ppf " on the machine of %s") report.machine;
  if times then Fmt.pf ppf ", %.2f s" report.total_seconds;
  Fmt.pf ppf "@.";
  List.iter (pp_result ~trace ~times ppf) report.results;
  List.iter (Fmt.pf ppf "  assumed: %s@.") (assumptions report);
  List.iter (Fmt.pf ppf "  note: %s@.") report.troubles;
  List.iter (Fmt.pf ppf "  no prover: %s@.") report.no_prover

let strings all : Yojson.Safe.t = `List (List.map (fun s -> `String s) all)

let json_of_bound (b : Prove.bound) : Yojson.Safe.t =
  `Assoc
    [
      ("schedulings_per_thread", `Int b.turns);
      ("queues_in_one_wait", `Int b.stays);
      ( "ticks_per_scheduling",
        Option.fold ~none:`Null ~some:(fun k -> `Int k) b.ticks );
      ( "stolen",
        `String
          (match b.stolen with
          | Never -> "never"
          | Levels By_count -> "finitely often: the counts become even"
          | Levels By_load -> "finitely often: the loads become even"
          | Without_bound -> "no bound is known") );
      ("text", `String (Prove.say_bound b));
    ]

let json_of_result r : Yojson.Safe.t =
  let more =
    match r.answer with
    | Proved { obligations; theorem; bound } ->
        Option.fold ~none:[]
          ~some:(fun b -> [ ("bound", json_of_bound b) ])
          bound
        @ [
            ("theorem", `String theorem);
            ( "obligations",
              `List
                (List.map
                   (fun (p : Decide.proof) ->
                     `Assoc
                       [
                         ("name", `String p.obligation);
                         ("about", `String p.about);
                         ("prover", `String p.prover);
                         ("seconds", `Float p.seconds);
                       ])
                   obligations) );
          ]
    | Violated { trace; hint } ->
        ("trace", Trace.to_json trace)
        :: Option.fold ~none:[] ~some:(fun h -> [ ("hint", `String h) ]) hint
    | Unknown { obligation; at; why } ->
        [
          ("open", `String obligation);
          ("at", Option.fold ~none:`Null ~some:(fun p -> `String (place p)) at);
          ("why", `String why);
        ]
    | Nothing_to_prove why -> [ ("why", `String why) ]
  in
  `Assoc
    ([
       ("property", `String (Prove.property_name r.property));
       ("verdict", `String (word r.answer));
       ("seconds", `Float r.seconds);
       ("premises", strings (List.map Prove.premise r.premises));
     ]
    @ more
    @
    match r.searched with
    | None -> []
    | Some e -> [ ("searched", Explore.to_json e) ])

let to_json ~file report =
  `Assoc
    ([ ("file", `String file); ("policy", `String report.policy.policy_name) ]
    @ Option.fold ~none:[]
        ~some:(fun m -> [ ("machine", `String m) ])
        report.machine
    @ [
        ("seconds", `Float report.total_seconds);
        ("results", `List (List.map json_of_result report.results));
        ("assumed", strings (assumptions report));
        ("troubles", strings report.troubles);
        ("no_prover", strings report.no_prover);
      ])

let header =
  "| policy | balancing | new | unblock | conservation | bounded waiting |\n\
   |---|---|---|---|---|---|"

let short : Core.relaxation -> string = function
  | Exempt _ | Exempt_waiting _ -> ", with what it exempts"
  | Within { rounds; _ } -> Printf.sprintf ", within %d" rounds

let row report =
  let cell p =
    match List.find_opt (fun r -> p r.property) report.results with
    | None -> "-"
    | Some
        {
          answer = Nothing_to_prove _;
          premises = _ :: _;
          property = Waiting;
          _;
        } ->
        "exempt"
    | Some r ->
        word r.answer
        ^ String.concat ""
            (List.sort_uniq String.compare (List.map short r.premises))
  in
  Printf.sprintf "| %s | %s | %s | %s | %s | %s |" report.policy.policy_name
    (cell (fun p -> p = Gcwc || p = Hcwc))
    (cell (fun p -> p = Lcwc New))
    (cell (fun p -> p = Lcwc Unblock))
    (cell (fun p -> p = Conservation))
    (cell (fun p -> p = Waiting))
