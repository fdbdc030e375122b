module Event = Dromos_sync.Event
module Promise = Dromos_sync.Promise
module Stream = Dromos_sync.Stream
module Fls = Dromos.Fls
module Runtime = Dromos.Runtime
module Signals = Dromos_service.Signals

type task = { run : unit -> unit; drop : unit -> unit }

type host = {
  wrap : 'a. (unit -> 'a) -> 'a;
  shield : 'a. (unit -> 'a) -> 'a;
  fork : task -> unit -> unit;
  leave : (unit -> unit) option;
}

(* A message is a function of the host, or of [None] after the host has stopped
   serving. *)
type mailbox = (host option -> unit) Stream.t

(* {1 The pool} *)

type keeper = {
  called : string;
  mutable pool : Runtime.t option; (* under [lock] *)
  lock : Dromos_sync.Mutex.t;
      (* a mutex of Dromos, since [Runtime.create]
                                 waits *)
}

let keeper ~name =
  { called = name; pool = None; lock = Dromos_sync.Mutex.create () }

let default_workers () =
  match Sys.getenv_opt "DROMOS_WORKERS" with
  | Some text when text <> "" -> None
  | Some _ | None -> Some (Int.max 1 (Dromos.default_workers () - 1))

let kept keeper =
  Dromos_sync.Mutex.protect keeper.lock @@ fun () ->
  match keeper.pool with
  | Some pool when not (Runtime.is_stopped pool) -> pool
  | Some _ | None ->
      let workers = default_workers () in
      let pool = Runtime.create ~name:keeper.called ?workers () in
      keeper.pool <- Some pool;
      pool

type t = {
  inside : string;
  outside : string;
  keeper : keeper;
  mailbox : mailbox Fls.key;
      (* the mailbox of the offload to which the fiber
                                belongs *)
  served : mailbox option Atomic.t; (* the mailbox of the current [serving] *)
}

let make ~name ~inside ~outside =
  {
    inside;
    outside;
    keeper = keeper ~name;
    mailbox = Fls.new_key ();
    served = Atomic.make None;
  }

let default_pool t = kept t.keeper

(* {1 The host's side} *)

let rec serve host mailbox =
  match Stream.next mailbox with
  | None -> ()
  | Some message ->
      message (Some host);
      serve host mailbox

(* Called by a task that must not wait. *)
let rec abandon mailbox =
  Stream.close mailbox;
  match Stream.try_take mailbox with
  | None -> ()
  | Some message ->
      message None;
      abandon mailbox

let no_task ~call what =
  raise
    (Dromos.Misplaced
       (Printf.sprintf
          "%s: the caller is no %s; a Dromos fiber calls the function itself, \
           and other code Dromos.run"
          call what))

let failure e = Error (e, Printexc.get_raw_backtrace ())
let attempt f = match f () with v -> Ok v | exception e -> failure e

let deliver = function
  | Ok v -> v
  | Error (e, bt) -> Printexc.raise_with_backtrace e bt

let offload t host ?pool f =
  let mailbox = Stream.create ~name:"offload" max_int in
  let outcome = ref None in
  let over result =
    outcome := Some result;
    Stream.close mailbox
  in
  let wait () =
    let pool = match pool with Some pool -> pool | None -> default_pool t in
    let task () = Fls.let_ t.mailbox mailbox f in
    let cancel = Event.sync (Runtime.start_event pool task over) in
    match serve host mailbox with
    | () -> deliver (Option.get !outcome)
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        ignore (cancel () : bool);
        (match host.leave with
        | None -> host.shield (fun () -> serve host mailbox)
        | Some leave ->
            abandon mailbox;
            leave ());
        Printexc.raise_with_backtrace e bt
  in
  host.wrap wait

(* {1 Dromos's side} *)

let misplaced t =
  Dromos.Misplaced
    (Printf.sprintf "%s: called outside of %s, or after its end" t.inside
       t.outside)

let mailbox t =
  match Fls.find_opt t.mailbox with
  | Some mailbox -> mailbox
  | None -> (
      match Atomic.get t.served with
      | Some mailbox -> mailbox
      | None -> raise (misplaced t))

let within_host t f =
  let mailbox = mailbox t in
  let send message =
    match Stream.add mailbox message with
    | () -> ()
    | exception Stream.Closed -> raise (misplaced t)
  in
  let outcome = Promise.create () in
  let cancel_task = ref ignore in
  let run () = Promise.resolve outcome (attempt f) in
  let drop () =
    Promise.resolve outcome (Error (misplaced t, Printexc.get_callstack 0))
  in
  let start = function
    | None -> drop ()
    | Some host -> (
        match host.fork { run; drop } with
        | cancel -> cancel_task := cancel
        | exception e ->
            let bt = Printexc.get_raw_backtrace () in
            Promise.resolve outcome (Error (e, bt));
            if Option.is_some host.leave then Printexc.raise_with_backtrace e bt
        )
  in
  send start;
  match Promise.await outcome with
  | result -> deliver result
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      (* If the mailbox is closed, the host has ended its tasks already. *)
      (try send (fun _ -> !cancel_task ()) with Dromos.Misplaced _ -> ());
      ignore (Dromos.protect (fun () -> Promise.await outcome));
      Printexc.raise_with_backtrace e bt

(* {1 A loop on a domain of its own} *)

let serving t ~loop f =
  let mailbox = Stream.create ~name:"with_loop" max_int in
  if not (Atomic.compare_and_set t.served None (Some mailbox)) then
    raise
      (Dromos.Misplaced (Printf.sprintf "%s: one is running already" t.outside));
  let started = Promise.create () in
  let served host =
    Promise.resolve started (Ok ());
    Fun.protect
      (fun () -> host.wrap (fun () -> serve host mailbox))
      ~finally:(fun () -> abandon mailbox)
  in
  let backtraces = Printexc.backtrace_status () and mask = Signals.current () in
  let body () =
    Printexc.record_backtrace backtraces;
    let result = attempt (fun () -> loop served) in
    let unserved =
      match result with
      | Error _ as failed -> failed
      | Ok () -> failure (Invalid_argument "with_loop: no call of its argument")
    in
    if Promise.try_resolve started (Ok unserved) then Ok () else result
  in
  let spawn () = Domain.spawn (fun () -> Signals.serving mask body) in
  let domain =
    match Signals.making spawn with
    | domain -> domain
    | exception e ->
        Atomic.set t.served None;
        raise e
  in
  let result =
    attempt (fun () ->
        deliver (Promise.await started);
        f ())
  in
  Atomic.set t.served None;
  Stream.close mailbox;
  let ended =
    match Domain.join domain with
    | ended -> ended
    | exception e -> failure e (* raised by a signal handler *)
  in
  (* The loop's failure comes first: a failure of [f] is often a consequence. *)
  match ended with
  | Error _ as failed -> deliver failed
  | Ok () -> deliver result
