open Dromos_fiber

type 'a outcome =
  | Nothing (* the job did not begin, or was cancelled *)
  | Value of 'a
  | Failed of { e : exn; bt : Printexc.raw_backtrace; late : bool }
(* [late]: another job had decided before. *)

module Preemption = Dromos_sched.Preemption

let undecided = -1

let outcome scope decided job =
  match Runners.alone job with
  | v -> Value v
  | exception e -> (
      let bt = Printexc.get_raw_backtrace () in
      match Cancel.told (Fiber.current ()) e with
      | Cancel.Cancelled when Scope.is_cancelled scope -> Nothing
      | e -> Failed { e; bt; late = Atomic.get decided <> undecided })

(* Runs the jobs until [decides] holds for an outcome. Each job writes its own slot
   of [outcomes]; the slots are read when all jobs are over. *)
let compete ~call ?max ~decides jobs =
  let jobs = Array.of_list jobs in
  let n = Array.length jobs in
  let outcomes = Array.make n Nothing and decided = Atomic.make undecided in
  let job scope i =
    let outcome = outcome scope decided jobs.(i) in
    outcomes.(i) <- outcome;
    if decides outcome && Atomic.compare_and_set decided undecided i then
      Scope.cancel scope
  in
  let go () = Runners.go ~call ?max n job in
  if Runners.count ~call ?max n < 2 then go ()
  else Preemption.run ~mode:Polled go;
  let winner = Atomic.get decided in
  if winner = undecided then Cancel.check (Fiber.current ());
  (outcomes, winner)

(* {1 The losers} *)

let unhandled ~call e bt =
  let what = Printf.sprintf "a job that lost in %s" call in
  Unhandled.tell (Fiber.current ()).scope.unhandled ~what e bt

(* Calls all functions, and raises the first exception. *)
let all_of calls =
  let failure = ref None in
  let attempt call =
    try call ()
    with e ->
      if !failure = None then failure := Some (e, Printexc.get_raw_backtrace ())
  in
  List.iter attempt calls;
  match !failure with
  | None -> ()
  | Some (e, bt) -> Printexc.raise_with_backtrace e bt

let rest ~discard ~failed ~told outcomes =
  let call i = function
    | _ when i = told -> None
    | Value v -> Some (fun () -> discard v)
    | Failed { e; bt; late } -> Some (fun () -> failed ~late e bt)
    | Nothing -> None
  in
  match List.filter_map Fun.id (List.mapi call (Array.to_list outcomes)) with
  | [] -> ()
  | calls ->
      let fiber = Fiber.current () in
      if Fiber.is_host fiber then all_of calls
      else Surroundings.shielded fiber (fun () -> all_of calls)

let raise_or = function
  | Value v -> v
  | Failed { e; bt; _ } -> Printexc.raise_with_backtrace e bt
  | Nothing -> assert false

(* {1 The forms} *)

let on_each on_failure ~otherwise =
  match on_failure with
  | Some f -> fun ~late:_ e bt -> f e bt
  | None -> otherwise

let not_empty ~call jobs =
  if jobs = [] then invalid_arg (call ^ ": there are no jobs")

let any ?max ?(discard = ignore) ?on_failure jobs =
  let call = "Dromos.any" in
  not_empty ~call jobs;
  let decides = function Value _ -> true | Failed _ | Nothing -> false in
  let outcomes, winner = compete ~call ?max ~decides jobs in
  let told = Int.max winner 0 in
  let otherwise ~late e bt = if late then unhandled ~call e bt in
  let failed = on_each on_failure ~otherwise in
  rest ~discard ~failed ~told outcomes;
  raise_or outcomes.(told)

let race ?max ?(discard = ignore) ?on_failure jobs =
  let call = "Dromos.race" in
  not_empty ~call jobs;
  let decides = function Value _ | Failed _ -> true | Nothing -> false in
  let outcomes, told = compete ~call ?max ~decides jobs in
  let otherwise ~late:_ e bt = unhandled ~call e bt in
  let failed = on_each on_failure ~otherwise in
  rest ~discard ~failed ~told outcomes;
  raise_or outcomes.(told)

let first ?max ?(discard = ignore) ?on_failure jobs =
  let call = "Dromos.first" in
  let decides = function
    | Value (Some _) | Failed _ -> true
    | Value None | Nothing -> false
  in
  let outcomes, told = compete ~call ?max ~decides jobs in
  let otherwise ~late:_ e bt = unhandled ~call e bt in
  let failed = on_each on_failure ~otherwise in
  rest ~discard:(Option.iter discard) ~failed ~told outcomes;
  if told = undecided then None else raise_or outcomes.(told)
