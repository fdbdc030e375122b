(* A prover that is missing, crashes or prints garbage is not asked again. A
   prover that was late is started again for the next question. *)

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
  numbers : (string * int list) list;
  words : string;
  found_by : string;
}

type outcome =
  | Holds of proof
  | Refuted of witness
  | Open of { obligation : string; at : place; why : string }

type state = Not_started | Working of Solver.t | Useless of Solver.failure

type asked = {
  prover : Solver.prover;
  mutable state : state;
  mutable left : float; (* seconds for the property under way *)
}

type t = {
  limit : float;
  asked : asked list;
  mutable troubles : string list; (* newest first *)
}

exception No_prover of (Solver.prover * Solver.failure) list

let with_provers ?(limit = 5.) provers f =
  let asked =
    List.map
      (fun prover -> { prover; state = Not_started; left = limit })
      provers
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

let property t f =
  List.iter (fun a -> a.left <- t.limit) t.asked;
  Effort.within ~seconds:t.limit f

let failed t a (failure : Solver.failure) =
  let failure =
    match failure with
    | Late _ -> Solver.Late t.limit
    | Missing | Crashed _ | Garbled _ -> failure
  in
  let said = Solver.explain a.prover failure in
  if not (List.mem said t.troubles) then t.troubles <- said :: t.troubles;
  a.state <-
    (match (failure : Solver.failure) with
    | Late _ -> Not_started
    | Missing | Crashed _ | Garbled _ -> Useless failure);
  Error failure

let ask_now t a terms =
  let started =
    match a.state with
    | Working s -> Ok s
    | Useless failure -> Error failure
    | Not_started -> (
        match Solver.start ~limit:a.left a.prover with
        | Ok s ->
            a.state <- Working s;
            Ok s
        | Error failure -> failed t a failure)
  in
  match started with
  | Error failure -> Error failure
  | Ok s -> (
      match Solver.ask s ~limit:a.left terms with
      | Ok answer -> Ok answer
      | Error failure -> failed t a failure)

(* The time of a question is subtracted from the prover's remaining time. *)
let ask_one t a terms =
  match a.state with
  | Useless failure -> Error failure
  | (Not_started | Working _) when a.left <= 0. -> Error (Solver.Late t.limit)
  | Not_started | Working _ ->
      let begun = Effort.now () in
      let answer = ask_now t a terms in
      a.left <- a.left -. (Effort.now () -. begun);
      answer

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

(* {1 Witnesses} *)

(* False for a value that no machine can show: on a machine words are not
   negative and numbers have 63 bits. The terms leave these facts out where no
   proof depends on them. *)
let can_be ((v : Term.var), i) =
  v.sort = Bool || ((v.kind <> Word || i >= 0) && abs i < max_int)

let sensible terms =
  List.concat_map
    (fun (v : Term.var) ->
      let x = Term.variable v in
      if v.sort = Bool then []
      else
        let least = if v.kind = Word then 0 else -max_int + 1 in
        [ Term.le (Term.int least) x; Term.le x (Term.int (max_int - 1)) ])
    (Term.variables terms)

(* The values to print: the model, or a second model that a machine can show.
   If the prover finds no second model, the impossible values are left out. *)
let shown t terms model =
  if List.for_all can_be model then model
  else
    match ask t (terms @ sensible terms) with
    | Model (_, another) -> another
    | Impossible _ | Nobody_knows _ | (exception No_prover _) ->
        List.filter can_be model

let value (v : Term.var) i =
  if v.sort = Bool then string_of_bool (i <> 0)
  else if i >= 0 && i < Array.length v.members then v.members.(i)
  else string_of_int i

(* The values to print by name. Observations and attributes of threads are
   printed; the numbers of cores and threads are not. Several observations of
   one thing are listed in their order. *)
let telling model =
  let looks = Hashtbl.create 16 and order = ref [] in
  List.iter
    (fun ((v : Term.var), i) ->
      if v.kind = Word || v.kind = Value then begin
        let before = Option.value ~default:[] (Hashtbl.find_opt looks v.base) in
        if before = [] then order := v.base :: !order;
        let now = (value v i, i) in
        if before = [] || List.hd before <> now then
          Hashtbl.replace looks v.base (now :: before)
      end)
    model;
  List.rev_map (fun base -> (base, List.rev (Hashtbl.find looks base))) !order

(* The most values that a reader can take in. *)
let most_said = 16

let words values consequence =
  let said = List.filteri (fun i _ -> i < most_said) values in
  let more = if List.compare_lengths said values < 0 then [ ".." ] else [] in
  match List.map (fun (n, v) -> n ^ " = " ^ v) said @ more with
  | [] -> consequence
  | said -> String.concat ", " said ^ ": " ^ consequence

let seconds = Effort.now

let refuted t (o : Obligation.t) (case : Obligation.case) terms found_by model =
  let told = telling (shown t terms model) in
  let values =
    List.map
      (fun (base, looks) ->
        (base, String.concat ", then " (List.map fst looks)))
      told
  and numbers =
    List.map (fun (base, looks) -> (base, List.map snd looks)) told
  in
  Refuted
    {
      refuted = o.name;
      asks = o.about;
      at = o.place;
      values;
      numbers;
      words = words values case.consequence;
      found_by;
    }

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
        match Obligation.counterexample case with
        | terms when List.mem Term.false_ terms -> from prover rest
        | terms when List.for_all (fun c -> c = Term.true_) terms ->
            refuted t o case terms "shape" []
        | terms -> (
            match ask t terms with
            | Impossible p -> from p rest
            | Model (p, model) -> refuted t o case terms p model
            | Nobody_knows why ->
                Open { obligation = o.name; at = o.place; why }))
  in
  from "shape" o.cases
