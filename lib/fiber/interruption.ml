open Fiber
module Broadcast = Dromos_sync.Broadcast
module Signals = Dromos_service.Signals

(* {1 The run} *)

let cancel_root run =
  if run.root != Fiber.nobody.scope then Scope.cancel run.root

let record run e bt =
  if Broadcast.close run.interruption (e, bt) then cancel_root run

let root_is_back run =
  if Broadcast.is_closed run.interruption then cancel_root run

let on_record run f =
  if Broadcast.is_closed run.interruption then ignore
  else
    let place = Broadcast.listen run.interruption (fun _ -> f ()) in
    fun () -> Broadcast.leave place

(* The callers of runs, by thread: a handler may be called in any of them. *)
type caller = { thread : int; system_thread : int; called : run }

let callers : caller list Atomic.t = Atomic.make []

let rec update change =
  let all = Atomic.get callers in
  if not (Atomic.compare_and_set callers all (change all)) then update change

let main_thread = 0
let self () = Thread.id (Thread.self ())

let target () =
  let all = Atomic.get callers in
  let of_thread thread = List.find_opt (fun c -> c.thread = thread) all in
  match of_thread main_thread with
  | Some { called; _ } -> Some called
  | None -> (
      match (of_thread (self ()), Fiber.find_local ()) with
      | Some { called; _ }, _ -> Some called
      | None, Some { serving = Some worker; _ } -> Some worker.run
      | None, _ -> None)

let caller_threads () = List.map (fun c -> c.system_thread) (Atomic.get callers)

(* {1 What a guard does} *)

let ends_process signal =
  List.mem signal [ Sys.sigint; Sys.sigterm; Sys.sighup; Sys.sigquit ]

let end_process signal e =
  Printf.eprintf
    "dromos: interrupted again (%s) before the run had cleaned up: the process \
     ends\n\
     %!"
    (Printexc.to_string e);
  Sys.set_signal signal Signal_default;
  (* It is blocked while its handler is called. *)
  ignore (Thread.sigmask SIG_UNBLOCK [ signal ] : int list);
  Unix.kill (Unix.getpid ()) signal;
  Unix._exit 130

let interrupt run signal e bt =
  if Broadcast.is_closed run.interruption && ends_process signal then
    end_process signal e;
  record run e bt

(* An exception that a thread of ours has caught between two runs: the program's
   own thread that gets the signal again raises it. *)
let postponed : (exn * Printexc.raw_backtrace) option Atomic.t =
  Atomic.make None

let raised_by handler signal =
  match Atomic.exchange postponed None with
  | Some _ as raised -> raised
  | None -> (
      match handler signal with
      | () -> None
      | exception e -> Some (e, Printexc.get_raw_backtrace ()))

let call handler signal =
  match raised_by handler signal with
  | None -> ()
  | Some (e, bt) -> (
      match target () with
      | Some run -> interrupt run signal e bt
      | None when Signals.serves () ->
          Atomic.set postponed (Some (e, bt));
          Signals.elsewhere signal
      | None -> Printexc.raise_with_backtrace e bt)

(* {1 Putting guards around handlers} *)

external learn : int -> unit = "dromos_handlers_learn"
external installed : unit -> int = "dromos_handlers_installed"
external pending : unit -> bool = "dromos_handlers_pending" [@@noalloc]

(* By a signal that nothing happens at, if the program has left it alone. *)
let learned = Atomic.make false

let learn_address () =
  let sigurg = 23 in
  let before = Sys.signal sigurg (Signal_handle ignore) in
  learn sigurg;
  Sys.set_signal sigurg before;
  Atomic.set learned true

(* Guards by signal, the newest first: programs put handlers back that they have
   replaced. *)
let guards = Array.make 32 []
let most_guards = 8
let guarding = Atomic.make false

(* A handler can be asked for only by installing another one. If the signal comes
   before the guard knows its handler, the handler is called right after. *)
let guard_one signal =
  let handler = ref None and early = ref false in
  let guard number =
    match !handler with
    | Some handler -> call handler number
    | None -> early := true
  in
  match Sys.signal signal (Signal_handle guard) with
  | Signal_handle known when List.memq known guards.(signal) ->
      Sys.set_signal signal (Signal_handle known);
      if !early then known signal
  | Signal_handle found ->
      handler := Some found;
      guards.(signal) <-
        guard :: List.filteri (fun i _ -> i < most_guards) guards.(signal);
      if !early then guard signal
  | (Signal_default | Signal_ignore) as behaviour ->
      Sys.set_signal signal behaviour

let found = ref 0

let guard_all () =
  if not (Atomic.get learned) then learn_address ();
  let signals = installed () in
  found := signals;
  if signals <> 0 then
    for signal = 1 to 31 do
      if signals land (1 lsl signal) <> 0 then guard_one signal
    done

(* One at a time; a second caller need not wait. *)
let guard () =
  if not (Atomic.exchange guarding true) then
    Fun.protect guard_all ~finally:(fun () -> Atomic.set guarding false)

let guarded () = !found <> 0

(* {1 The caller} *)

(* Handlers that are called until the caller is taken off the list count for the
   run; later ones raise in the caller's code, outside of anything of ours. *)
let during run f =
  let system_thread = Dromos_service.Own_threads.self () in
  update (List.cons { thread = self (); system_thread; called = run });
  let result =
    match
      guard ();
      f ()
    with
    | v -> Ok v
    | exception e -> Error (e, Printexc.get_raw_backtrace ())
  in
  update (List.filter (fun c -> c.called != run));
  match (Broadcast.peek run.interruption, result) with
  | Some (e, bt), _ | None, Error (e, bt) -> Printexc.raise_with_backtrace e bt
  | None, Ok v -> v
