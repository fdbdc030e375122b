open Types
module Host = Dromos_service.Host
module Message = Dromos_service.Message

(* {1 One run} *)

let most = 200
let some n what = Printf.sprintf "%d %s%s" n what (if n = 1 then "" else "s")

(* The fiber that the worker runs, the worker's number, and the actions of the
   worker. *)
let running worker =
  let fiber = worker.local.current in
  if Worker.is_served worker && fiber != Fiber.nobody then
    Some (fiber, worker.id, worker.actions)
  else None

let under = function
  | [] -> ""
  | actions ->
      let name { action; _ } = action.action_name in
      ", under " ^ String.concat ", under " (List.map name actions)

(* A fiber that runs is also among [Waiting.alive] if it has waited before. *)
let fibers run =
  let now = List.filter_map running (Array.to_list run.workers) in
  let runs fiber = List.exists (fun (other, _, _) -> other == fiber) now in
  let others =
    List.filter (fun fiber -> not (runs fiber)) (Waiting.alive run)
  in
  (now, others)

let line fiber ~awake actions =
  Format.asprintf "  %a%s" (Waiting.pp_as ~awake) fiber (under actions)

let runs (fiber, vproc, actions) =
  line fiber ~awake:(Printf.sprintf "runs on vproc %d" vproc) actions

let does_not_run fiber =
  let hub = fiber.worker.run.hub_name in
  line fiber ~awake:(Printf.sprintf "is ready, in the hub (%s)" hub) fiber.stack

let idle worker =
  let state =
    if not (Worker.is_served worker) then Some "has no domain at present"
    else if worker.resting then Some "sleeps"
    else if worker.local.current == Fiber.nobody then Some "looks for work"
    else None
  in
  Option.map (Printf.sprintf "  vproc %d %s" worker.id) state

let collecting run =
  match
    Minor_stops.advice
      ~alone:(Array.length run.workers = 1)
      (Minor_stops.since run.began)
  with
  | Some advice -> [ "  since it began, " ^ advice ]
  | None -> []

let first_of list n = List.filteri (fun i _ -> i < n) list

let one_run run =
  let now, others = fibers run in
  let waiting = List.length (List.filter Waiting.waits others) in
  let ready = List.length others - waiting in
  let left = List.length others - most in
  Printf.sprintf
    "run on hub %s, %s: %s, %d in hand or waiting, %d ready in the hub"
    run.hub_name
    (some (Array.length run.workers) "vproc")
    (some (List.length now) "fiber" ^ " running")
    waiting ready
  :: collecting run
  @ List.filter_map idle (Array.to_list run.workers)
  @ List.map runs now
  @ List.map does_not_run (first_of others most)
  @
  if left > 0 then [ Printf.sprintf "  and %s more" (some left "fiber") ]
  else []

(* {1 The process} *)

let hint =
  if Debug_mode.on then []
  else [ "DROMOS_DEBUG=1 shows where fibers were made and where they wait." ]

let text () =
  match Roster.locked Roster.runs with
  | runs ->
      let head = Printf.sprintf "dromos: %s" (some (List.length runs) "run") in
      (head :: List.concat_map one_run runs) @ hint
      |> List.map (fun line -> line ^ "\n")
      |> String.concat ""
  | exception Sys_error _ ->
      (* The caller is a signal handler, and has interrupted code of this thread
         that holds the roster's lock. *)
      "dromos: runs come and go just now; ask again\n"

let tell () = Message.tell Info Dump (text ())

(* {1 On request}

   A thread of the service domain waits for the signal. The calling thread
   blocks the signal from here on, and the threads that it makes later block the
   signal too. The system may still interrupt an older thread: OCaml's handler
   then dumps, as soon as some OCaml code runs. *)

let installed = Atomic.make false

let rec wait () =
  (match Thread.wait_signal [ Sys.sigquit ] with
  | _ -> tell ()
  | exception (Unix.Unix_error _ | Sys_error _) -> Thread.delay 0.1);
  wait ()

let on_sigquit () =
  if not (Atomic.exchange installed true) then begin
    Sys.set_signal Sys.sigquit (Signal_handle (fun _ -> tell ()));
    ignore (Thread.sigmask SIG_BLOCK [ Sys.sigquit ] : int list);
    Host.thread wait
  end

let asked =
  match Sys.getenv_opt "DROMOS_DUMP" with
  | None | Some ("" | "0") -> false
  | Some _ -> true

let if_asked () = if asked then on_sigquit ()
