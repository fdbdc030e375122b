open Types
module Once = Dromos_sync.Author.Once
module Message = Dromos_service.Message
module Signals = Dromos_service.Signals

(* {1 The run} *)

let cancel_root run = if run.root != Nobody.scope then Scope.cancel run.root

let record run e bt =
  if Once.close run.interruption (e, bt) then cancel_root run
  else
    match Once.peek run.interruption with
    | Some (first, _) ->
        (* A constant exception cannot carry the later exception. *)
        ignore (Suppressed.attach first [ (e, bt) ] : _ list)
    | None -> ()

let root_is_back run = if Once.is_closed run.interruption then cancel_root run

let on_record run f =
  let place = Once.listen run.interruption (fun _ -> f ()) in
  if place == Once.nobody then f ();
  fun () -> Once.leave place

(* A call of a run under way. The system may deliver a signal to any thread, so
   [target] looks in [callers] for the call that gets the handler's exception.
   *)
type caller = {
  thread : int;
  system_thread : int;
  called : run Atomic.t; (* [nobodys] until the run is made *)
  early : (exn * Printexc.raw_backtrace) option Atomic.t;
      (* An exception from before the run was made; or, if [begun] found none,
         one of the collector's calls from after the run was over. *)
}

let callers : caller list Atomic.t = Atomic.make []

let rec update change =
  let all = Atomic.get callers in
  if not (Atomic.compare_and_set callers all (change all)) then update change

let main_thread = 0
let self () = Thread.id (Thread.self ())

let of_thread thread =
  List.find_opt (fun c -> c.thread = thread) (Atomic.get callers)

let target () =
  match of_thread main_thread with
  | Some _ as caller -> caller
  | None -> if Signals.serves () then None else of_thread (self ())

let own_threads () =
  let callers = List.map (fun c -> c.system_thread) (Atomic.get callers) in
  Dromos_service.Own_threads.others ~besides:callers

(* {1 What a guard does} *)

let ends_process signal =
  List.mem signal [ Sys.sigint; Sys.sigterm; Sys.sighup; Sys.sigquit ]

let end_process signal e =
  Message.tell Error Interrupted
    (Printf.sprintf
       "dromos: interrupted again (%s) before the run had cleaned up: the \
        process ends\n"
       (Printexc.to_string e));
  Sys.set_signal signal Signal_default;
  (* The signal is blocked while the signal's handler runs. *)
  ignore (Thread.sigmask SIG_UNBLOCK [ signal ] : int list);
  Unix.kill (Unix.getpid ()) signal;
  Unix._exit 130

let nobodys = Nobody.run

(* First stores the exception in [early], then reads [called] again. [begun]
   first stores the run, then reads [early]. At least one of the two records the
   exception. *)
let interrupt_caller caller e bt =
  let run = Atomic.get caller.called in
  if run == nobodys then begin
    ignore (Atomic.compare_and_set caller.early None (Some (e, bt)) : bool);
    let run = Atomic.get caller.called in
    if run != nobodys then record run e bt
  end
  else record run e bt

(* A second signal while the run cleans up ends the process. *)
let interrupt_by signal caller e bt =
  let { interruption; _ } = Atomic.get caller.called in
  if Once.is_closed interruption && ends_process signal then
    end_process signal e;
  interrupt_caller caller e bt

(* The exception that a thread of ours has caught while the main thread was in
   no run. The program's own thread that gets the signal again raises the
   exception. *)
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
      | Some caller -> interrupt_by signal caller e bt
      | None when Signals.serves () ->
          Atomic.set postponed (Some (e, bt));
          Signals.elsewhere signal
      | None -> Printexc.raise_with_backtrace e bt)

(* {1 Functions that the collector calls} *)

(* After the run is over, the run's own failure counts more than an exception
   from outside. *)
let tell_caller caller e bt =
  if Atomic.get (Atomic.get caller.called).over then
    ignore (Atomic.compare_and_set caller.early None (Some (e, bt)) : bool)
  else interrupt_caller caller e bt

let of_collector ~what ~elsewhere e bt =
  match Local.serving () with
  | Some { run = { standing = true; root; _ }; _ } ->
      if root == Nobody.scope then Message.failure ~what e bt
      else Unhandled.tell root.unhandled ~what e bt
  | Some { run; _ } -> record run e bt
  | None -> (
      match of_thread (self ()) with
      | Some caller -> tell_caller caller e bt
      | None when Dromos_service.Own_threads.is_self () ->
          Message.failure ~what e bt
      | None -> elsewhere e bt)

(* {1 Putting guards around handlers} *)

external learn : int -> (int -> unit) -> unit = "dromos_handlers_learn"
external installed : unit -> int = "dromos_handlers_installed"

external known : (int -> unit) list array -> int = "dromos_handlers_known"
[@@noalloc]

external pending : unit -> bool = "dromos_handlers_pending" [@@noalloc]

(* [learn_address] installs a handler for SIGURG for a moment, and so finds the
   address of the runtime's C handler, and the runtime's table of OCaml handlers.
   By default SIGURG has no effect. *)
let learned = Atomic.make false

let learn_address () =
  let sigurg = 23 and nothing number = ignore (Sys.opaque_identity number) in
  let before = Sys.signal sigurg (Signal_handle nothing) in
  learn sigurg nothing;
  Sys.set_signal sigurg before;
  Atomic.set learned true

(* The last guards of each signal, the newest first. If a program saves the
   present handler, which is a guard, and installs it again later, [guard_one]
   finds the guard here and does not guard it again. *)
let guards = Array.make 32 []
let most_guards = 8
let guarding = Atomic.make false

(* The handler that a guard calls. OCaml tells a signal's handler only when
   another handler is installed, and the signal may come, in any domain, before
   the guard knows the handler. *)
type known = Unknown | Came of int | Known of (int -> unit)

let rec guarded_call known number =
  match Atomic.get known with
  | Known f -> f number
  | Came _ -> ()
  | Unknown ->
      if not (Atomic.compare_and_set known Unknown (Came number)) then
        guarded_call known number

let settle known f =
  match Atomic.exchange known (Known f) with
  | Came number -> f number
  | Unknown | Known _ -> ()

(* The first of the list is the guard in the runtime's table, see [known]. *)
let is_newest signal guard =
  let others = List.filter (( != ) guard) guards.(signal) in
  guards.(signal) <- guard :: List.filteri (fun i _ -> i < most_guards) others

let guard_one signal =
  let known = Atomic.make Unknown in
  let guard number = guarded_call known number in
  match Sys.signal signal (Signal_handle guard) with
  | Signal_handle before when List.memq before guards.(signal) ->
      Sys.set_signal signal (Signal_handle before);
      is_newest signal before;
      settle known before
  | Signal_handle found ->
      is_newest signal guard;
      settle known (call found)
  | (Signal_default | Signal_ignore) as behaviour ->
      Sys.set_signal signal behaviour;
      is_newest signal guard;
      settle known ignore

let found = ref 0

let guard_all () =
  if not (Atomic.get learned) then learn_address ();
  let signals = installed () in
  found := signals;
  if signals <> 0 then
    for signal = 1 to 31 do
      if signals land (1 lsl signal) <> 0 then guard_one signal
    done

(* A single thread at a time puts up guards; a second caller returns at once. *)
let guard () =
  if not (Atomic.exchange guarding true) then
    Fun.protect guard_all ~finally:(fun () -> Atomic.set guarding false)

(* [guard] without system calls, if no handler is new. A handler that was taken
   away since the last [guard] may count as found. *)
let guard_new () =
  let signals = known guards in
  if signals < 0 then guard () else found := signals

let guarded () = !found <> 0

let has_handlers () =
  if not (Atomic.get learned) then learn_address ();
  known guards <> 0 && installed () <> 0

(* {1 The caller} *)

let enter () =
  let caller =
    {
      thread = self ();
      system_thread = Dromos_service.Own_threads.self ();
      called = Atomic.make nobodys;
      early = Atomic.make None;
    }
  in
  update (List.cons caller);
  caller

let begun caller run =
  Atomic.set caller.called run;
  match Atomic.get caller.early with
  | Some (e, bt) -> record run e bt
  | None -> ()

(* Until the caller is taken off the list, the exceptions of handlers go to the
   run. Later exceptions are raised in the caller's own code, outside any code
   of ours. *)
let during make f =
  let caller = enter () in
  let result =
    match
      guard_new ();
      let run = make () in
      begun caller run;
      f run
    with
    | v -> Ok v
    | exception e -> Error (e, Printexc.get_raw_backtrace ())
  in
  update (List.filter (fun other -> other != caller));
  let run = Atomic.get caller.called and early = Atomic.get caller.early in
  let interruption =
    if run == nobodys then early else Once.peek run.interruption
  in
  match (interruption, result, early) with
  | Some (e, bt), Error failure, _ ->
      Suppressed.follow ~what:"an interrupted run" e failure;
      Printexc.raise_with_backtrace e bt
  | None, Error (e, bt), Some later ->
      Suppressed.follow ~what:"the end of a run" e later;
      Printexc.raise_with_backtrace e bt
  | Some (e, bt), Ok _, _ | None, Error (e, bt), None | None, Ok _, Some (e, bt)
    ->
      Printexc.raise_with_backtrace e bt
  | None, Ok v, None -> v
