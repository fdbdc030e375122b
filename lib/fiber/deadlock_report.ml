open Types
module Timer = Dromos_service.Timer
module Blocking = Dromos_service.Blocking
module Poller = Dromos_service.Poller

type finding =
  | Hopeless
  | Until_limit of float
  | Doubtful of { weakly : bool }
  | Asked_for

let most = 50
let count n what = if n = 1 then "1 " ^ what else Printf.sprintf "%d %ss" n what
let fibers n = count n "fiber"

(* {1 The fibers} *)

let nothing_pending = function
  | Until_limit _ -> "no timer but time limits, no blocking call, descriptor"
  | Hopeless | Doubtful _ | Asked_for -> "no timer, blocking call, descriptor"

let head run n ~calm ~quiet finding =
  let those =
    if n = 1 then "the fiber that waits"
    else Printf.sprintf "the %s that wait" (fibers n)
  in
  let why =
    if calm then
      Printf.sprintf
        "nothing has run for a second, and %s or announced wake-up is pending \
         for %s"
        (nothing_pending finding) those
    else
      Printf.sprintf
        "nothing has run for %.0f seconds in this run, and nothing that is \
         pending elsewhere leads to %s"
        quiet those
  in
  Printf.sprintf "dromos: %s (hub %s, workers %d):" why run.hub_name
    (Array.length run.workers)

(* The fibers that wait for their tasks come first: these lines explain the
   lines below. *)
let listed waiting =
  let outer, inner = List.partition Waiting.for_its_tasks waiting in
  List.filteri (fun i _ -> i < most) (outer @ inner)
  |> List.map (Format.asprintf "  %a" Waiting.pp)

let not_listed waiting =
  let n = List.length waiting - most in
  if n > 0 then [ Printf.sprintf "  and %s more" (fibers n) ] else []

let places bt =
  String.split_on_char '\n' (Printexc.raw_backtrace_to_string bt)
  |> List.filteri (fun i place -> i < 5 && place <> "")

let collected gone =
  if gone > 0 then
    [ Printf.sprintf "  %s more, collected while waiting" (fibers gone) ]
  else []

(* {1 The rest of the process} *)

let elsewhere ~calm =
  let some n what = if n > 0 then [ count n what ] else [] in
  let pending =
    some (Timer.pending ()) "timer"
    @ some (Blocking.pending ()) "blocking call"
    @ some (Poller.pending ()) "watched descriptor"
    @ some (Dromos_suspend.External.pending ()) "announced wake-up"
  in
  if calm || pending = [] then []
  else
    [
      Printf.sprintf
        "Pending for other fibers, and leading to none of these: %s."
        (String.concat ", " pending);
    ]

(* The sources outside the run that may still wake the fibers. *)
let outside finding =
  (match finding with
  | Doubtful { weakly = false } ->
      [ "code that has the variable that leads to them" ]
  | Doubtful { weakly = true } ->
      [ "code that reads a weak pointer that leads to them" ]
  | Hopeless | Until_limit _ | Asked_for -> [])
  @ (if Interruption.own_threads () then [ "a thread of the program's own" ]
     else [])
  @ if Interruption.guarded () then [ "a signal handler" ] else []

let cancelled = "They are cancelled, and Dromos.run raises Dromos.Deadlock."

let goes_on finding =
  Printf.sprintf
    "The run goes on, since they may be woken by %s (Dromos_suspend.External \
     announces that)."
    (match outside finding with
    | [] -> "a callback from outside"
    | some -> String.concat ", or by " some)

let ways_out =
  "DROMOS_DEADLOCK=raise has Dromos.run raise Dromos.Deadlock instead; \
   DROMOS_DEADLOCK=ignore turns the search off."

let advice ~calm = function
  | Asked_for ->
      [
        "DROMOS_DEADLOCK=raise: they are cancelled, and Dromos.run raises \
         Dromos.Deadlock.";
      ]
  | Hopeless ->
      elsewhere ~calm
      @ [
          "No variable, thread or scope that is still in use leads to them: \
           nothing can ever wake them.";
          cancelled;
        ]
  | Until_limit seconds ->
      elsewhere ~calm
      @ [
          Printf.sprintf
            "Only a time limit (Dromos.timeout and the like) will end a wait: \
             the next one is over in %.0f seconds. The run goes on until then."
            seconds;
          ways_out;
        ]
  | Doubtful _ as finding -> [ goes_on finding; ways_out ]

let hint =
  if Debug_mode.on then []
  else [ "DROMOS_DEBUG=1 shows where fibers were made and where they wait." ]

(* The failures of the scopes. A scope that has failed raises only after the
   scope's fibers are over. *)
let pending_failures waiting =
  let add scopes scope =
    if List.memq scope scopes then scopes else scope :: scopes
  in
  let scopes =
    List.fold_left (fun all fiber -> add all fiber.scope) [] waiting
  in
  List.concat_map Scope.failures scopes

let failed waiting =
  match List.filteri (fun i _ -> i < most) (pending_failures waiting) with
  | [] -> []
  | failures ->
      let line (e, bt) =
        [ "  " ^ Printexc.to_string e ]
        @ List.map (fun place -> "    " ^ place) (places bt)
      in
      "These failures are not raised yet, since their scopes wait for the \
       fibers:"
      :: List.concat_map line failures

let text run ~waiting ~gone ~calm ~quiet finding =
  (head run (List.length waiting) ~calm ~quiet finding :: listed waiting)
  @ not_listed waiting @ collected gone @ failed waiting @ advice ~calm finding
  @ hint
  |> List.map (fun line -> line ^ "\n")
  |> String.concat ""
