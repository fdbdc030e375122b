module Broadcast = Dromos_sync.Broadcast
module Promise = Dromos_sync.Promise
module Scope = Dromos.Scope
module Output = Dromos_service.Output
module Signals = Dromos_service.Signals

type t = {
  scope : Scope.t; (* of the run's first fiber; takes tasks until [stop] *)
  enough : unit Promise.t; (* what that fiber waits for *)
  over : unit Broadcast.t; (* closed when the run has ended *)
  domain : unit Domain.t;
}

(* {1 The run} *)

let serve ?workers ?hub ready enough () =
  Dromos.run ?workers ?hub (fun () ->
      Scope.run (fun scope ->
          Promise.resolve ready scope;
          (* Work may come as long as the pool is there. *)
          Dromos_suspend.External.incr ();
          Fun.protect ~finally:Dromos_suspend.External.decr (fun () ->
              Promise.await enough)))

(* The caller waits until the run takes tasks: a domain's birth. *)
let start ?workers ?hub () =
  let ready = Promise.create () in
  let enough = Promise.create () and over = Broadcast.create () in
  (* As long as it takes tasks: whoever waits may be woken by one. *)
  Dromos_suspend.External.incr ();
  let body () =
    let result = Arrival.outcome (serve ?workers ?hub ready enough) in
    Result.iter_error
      (fun e -> ignore (Promise.try_fulfil ready (Error e)))
      result;
    Dromos_suspend.External.decr ();
    ignore (Broadcast.close over ())
  in
  let backtraces = Printexc.backtrace_status () and mask = Signals.current () in
  let domain =
    Signals.blocked (fun () ->
        Domain.spawn (fun () ->
            Printexc.record_backtrace backtraces;
            Output.install ();
            Signals.serving mask body))
  in
  match Promise.await ready with
  | scope -> { scope; enough; over; domain }
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Domain.join domain;
      Printexc.raise_with_backtrace e bt

(* Lwt's domain is one of the machine's too. *)
let default_workers () =
  match Sys.getenv_opt "DROMOS_WORKERS" with
  | Some text when text <> "" -> None
  | Some _ | None -> Some (Int.max 1 (Dromos.default_workers () - 1))

let the_default = Atomic.make None

(* Lwt has one thread at a time, so no two make one at once. *)
let default () =
  match Atomic.get the_default with
  | Some t -> t
  | None ->
      let t = start ?workers:(default_workers ()) () in
      Atomic.set the_default (Some t);
      t

(* {1 Tasks} *)

type state = Queued | Running of Scope.t | Over | Cancelled

(* To [next], unless the task is over or cancelled already. *)
let rec advance state next =
  match Atomic.get state with
  | Over | Cancelled -> None
  | (Queued | Running _) as before ->
      if Atomic.compare_and_set state before next then Some before
      else advance state next

let cancel state () =
  match advance state Cancelled with
  | None -> Atomic.get state = Cancelled
  | Some (Running scope) ->
      Scope.cancel scope;
      true
  | Some (Queued | Over | Cancelled) -> true

(* A scope of its own, so that the task can be cancelled with all it started. *)
let execute state f () =
  Scope.run (fun scope ->
      match advance state (Running scope) with
      | Some _ -> f ()
      | None -> raise Dromos.Cancelled)

let submit loop t f =
  let state = Atomic.make Queued in
  let promise, settle = Arrival.promise ~cancel:(cancel state) in
  let task () =
    if Atomic.get state = Queued then begin
      let outcome = Arrival.outcome (execute state f) in
      if Option.is_some (advance state Over) then
        ignore (Loop.post loop (fun () -> settle outcome))
    end
  in
  (match Scope.fork t.scope task with
  | () -> ()
  | exception Invalid_argument _ ->
      invalid_arg "Dromos_lwt.offload: the pool was stopped");
  promise

let stop loop t =
  ignore (Promise.try_fulfil t.enough (Ok ()));
  (match Atomic.get the_default with
  | Some d when d == t -> Atomic.set the_default None
  | Some _ | None -> ());
  let promise, settle = Arrival.promise ~cancel:(fun () -> false) in
  let joined () = settle (Ok (Domain.join t.domain)) in
  let place =
    Broadcast.listen t.over (fun () -> ignore (Loop.post loop joined))
  in
  if place == Broadcast.nobody then joined ();
  promise
