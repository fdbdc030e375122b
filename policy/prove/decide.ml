(* A prover that is missing, crashes or prints garbage is not asked again; one
   that was late is started anew for the next question. *)

open Dromos_policy_core.Core

type proof = {
  obligation : string;
  about : string;
  prover : string;
  seconds : float;
  cases : int;
}

type witness = {
  refuted : string;
  asks : string;
  at : place;
  values : (string * string) list;
  words : string;
  found_by : string;
}

type outcome =
  | Holds of proof
  | Refuted of witness
  | Open of { obligation : string; at : place; why : string }

type state = Not_started | Working of Solver.t | Useless of Solver.failure
type asked = { prover : Solver.prover; mutable state : state }

type t = {
  limit : float;
  asked : asked list;
  mutable troubles : string list; (* newest first *)
}

exception No_prover of (Solver.prover * Solver.failure) list

let with_provers ?(limit = 5.) provers f =
  let asked =
    List.map (fun prover -> { prover; state = Not_started }) provers
  in
  let t = { limit; asked; troubles = [] } in
  Fun.protect
    ~finally:(fun () ->
      List.iter
        (fun a ->
          match a.state with
          | Working s -> Solver.stop s
          | Not_started | Useless _ -> ())
        asked)
    (fun () -> f t)

let troubles t = List.rev t.troubles

let failed t a failure =
  let said = Solver.explain a.prover failure in
  if not (List.mem said t.troubles) then t.troubles <- said :: t.troubles;
  a.state <-
    (match (failure : Solver.failure) with
    | Late _ -> Not_started
    | Missing | Crashed _ | Garbled _ -> Useless failure);
  Error failure

let ask_one t a terms =
  let started =
    match a.state with
    | Working s -> Ok s
    | Useless failure -> Error failure
    | Not_started -> (
        match Solver.start ~limit:t.limit a.prover with
        | Ok s ->
            a.state <- Working s;
            Ok s
        | Error failure -> failed t a failure)
  in
  match started with
  | Error failure -> Error failure
  | Ok s -> (
      match Solver.ask s terms with
      | Ok answer -> Ok answer
      | Error failure -> failed t a failure)

type answer =
  | Impossible of string
  | Model of string * Solver.model
  | Nobody_knows of string

let ask t terms =
  let rec from undecided failures = function
    | [] ->
        if undecided = [] then
          if
            List.for_all
              (fun (_, f) -> match f with Solver.Late _ -> false | _ -> true)
              failures
          then raise (No_prover (List.rev failures))
          else
            Nobody_knows
              (String.concat "; "
                 (List.rev_map (fun (p, f) -> Solver.explain p f) failures))
        else
          Nobody_knows
            (String.concat " and " (List.rev undecided) ^ " cannot decide it")
    | a :: rest -> (
        match ask_one t a terms with
        | Ok Unsat -> Impossible a.prover.name
        | Ok (Sat model) -> Model (a.prover.name, model)
        | Ok Undecided -> from (a.prover.name :: undecided) failures rest
        | Error failure -> from undecided ((a.prover, failure) :: failures) rest
        )
  in
  from [] [] t.asked

(* {1 Words} *)

let value (v : Term.var) i =
  if v.sort = Bool then string_of_bool (i <> 0)
  else if i >= 0 && i < Array.length v.members then v.members.(i)
  else string_of_int i

(* What was observed and what the thread is like are said; which core or thread
   it was is not. *)
let telling (v : Term.var) = not v.is_name

let words values consequence =
  match values with
  | [] -> consequence
  | values ->
      String.concat ", " (List.map (fun (n, v) -> n ^ " = " ^ v) values)
      ^ ": " ^ consequence

let seconds () = Int64.to_float (Mtime.to_uint64_ns (Mtime_clock.now ())) /. 1e9

let obligation t (o : Obligation.t) =
  let started = seconds () in
  let rec from prover = function
    | [] ->
        Holds
          {
            obligation = o.name;
            about = o.about;
            prover;
            seconds = seconds () -. started;
            cases = List.length o.cases;
          }
    | (case : Obligation.case) :: rest -> (
        let refuted found_by model =
          let values =
            List.filter_map
              (fun ((v : Term.var), i) ->
                if telling v then Some (v.name, value v i) else None)
              model
          in
          Refuted
            {
              refuted = o.name;
              asks = o.about;
              at = o.place;
              values;
              words = words values case.consequence;
              found_by;
            }
        in
        match Obligation.counterexample case with
        | terms when List.mem Term.false_ terms -> from prover rest
        | terms when List.for_all (fun c -> c = Term.true_) terms ->
            refuted "shape" []
        | terms -> (
            match ask t terms with
            | Impossible p -> from p rest
            | Model (p, model) -> refuted p model
            | Nobody_knows why ->
                Open { obligation = o.name; at = o.place; why }))
  in
  from "shape" o.cases
