module Scheduler = Async_unix.Scheduler
module Fd = Async_unix.Fd
module Thread_safe = Async_unix.Thread_safe
module Monitor = Async_kernel.Monitor
module Execution_context = Async_kernel.Execution_context
module Promise = Dromos_sync.Promise
module Signals = Dromos_service.Signals

(* Every [Job] block is a new one, and [Empty] is immediate. The CAS on physical
   equality is therefore exact. *)
type inbox = Empty | Job of { job : unit -> unit; next : inbox }

type t = {
  domain : Domain.id;
  inbox : inbox Atomic.t;
  bell : Unix.file_descr; (* the write end of the pipe; non-blocking *)
}

let misplaced format =
  Printf.ksprintf (fun text -> raise (Dromos.Misplaced text)) format

(* {1 Jobs} *)

(* Wakes Async by a byte in the pipe. Only the poster of the first job in an
   empty inbox rings: Async then takes all jobs posted so far. A full pipe needs
   no further byte. Signals are blocked: a handler that raised here would leave
   the jobs without a ring. *)
let ring t =
  Signals.blocked (fun () ->
      match Unix.write_substring t.bell "." 0 1 with
      | _ -> ()
      | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK), _, _) -> ())

let rec post t job =
  let old = Atomic.get t.inbox in
  if Atomic.compare_and_set t.inbox old (Job { job; next = old }) then
    match old with Empty -> ring t | Job _ -> ()
  else post t job

let rec oldest_first acc = function
  | Empty -> acc
  | Job { job; next } -> oldest_first (job :: acc) next

let run job =
  match job () with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Monitor.send_exn Monitor.main ~backtrace:(`This bt) e

(* Reads the bytes before the jobs. A job posted after the exchange rings again,
   and its byte comes after the read. *)
let serve (t, bytes, source) =
  (match Unix.read source bytes 0 (Bytes.length bytes) with
  | _ -> ()
  | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK | EINTR), _, _) -> ());
  List.iter run (oldest_first [] (Atomic.exchange t.inbox Empty))

(* {1 Async's domain} *)

let watch t source =
  let watched () =
    let fd =
      Fd.create Fifo source (Core.Info.of_string "the inbox of Dromos_async")
    in
    let finished =
      Fd.every_ready_to fd `Read serve (t, Bytes.create 64, source)
    in
    Async_kernel.upon finished (fun _ ->
        failwith "Dromos_async: Async does not watch the inbox any more")
  in
  (* Watches in the main context, not in the context of the first caller. *)
  ignore (Scheduler.within_context Execution_context.main watched)

(* Called in a thread that holds Async's lock. The pipe stays open: Async runs
   until the program ends. *)
let make () =
  let source, bell = Unix.pipe ~cloexec:true () in
  Unix.set_nonblock source;
  Unix.set_nonblock bell;
  let t = { domain = Domain.self (); inbox = Atomic.make Empty; bell } in
  watch t source;
  (* While Async runs, Async code may wake a task of Dromos. *)
  Dromos_suspend.External.incr ();
  t

let current : t Promise.t option Atomic.t = Atomic.make None

(* The first call that needs Async makes Async. From the program's beginning,
   the main thread holds Async's lock, until the main thread lets Async run. The
   two reads race with Async's domain, and are safe: the first read finds a
   complete block or none; the second compares with this thread's own number,
   and no other thread writes or removes that number. *)
let holds_lock () =
  if Scheduler.is_initialized () then Thread_safe.am_holding_async_lock ()
  else Thread.id (Thread.self ()) = 0 && Dromos_suspend.self () < 0

let domain (id : Domain.id) = (id :> int)

let rec mine what =
  if not (holds_lock ()) then
    misplaced
      "%s: not in Async code (thread %d of domain %d does not hold Async's \
       lock); to run Async code from elsewhere use Dromos_async.await"
      what
      (Thread.id (Thread.self ()))
      (domain (Domain.self ()));
  match Atomic.get current with
  | Some started -> (
      match Promise.peek started with
      | Some (Ok t) when t.domain = Domain.self () -> t
      | Some (Ok t) ->
          misplaced
            "%s: Async runs in domain %d, and this is domain %d, whose threads \
             its lock does not keep out; use Dromos_async.await"
            what (domain t.domain)
            (domain (Domain.self ()))
      | Some (Error _) | None ->
          misplaced "%s: Dromos_async.start is starting Async elsewhere" what)
  | None ->
      (* Makes Async, unless Async exists. *)
      ignore (Scheduler.t () : Scheduler.t);
      let t = make () in
      if Atomic.compare_and_set current None (Some (Promise.return t)) then t
      else mine what

let theirs what =
  match Atomic.get current with
  | None ->
      misplaced
        "%s: Async is not known to run; call Dromos_async.start, in the \
         program's beginning or in Async code"
        what
  | Some started ->
      if Scheduler.is_initialized () && Thread_safe.am_holding_async_lock ()
      then
        misplaced
          "%s: called in Async code (this thread holds Async's lock), which it \
           would block; bind the deferred, or use In_thread.run"
          what;
      Promise.await started

(* {1 Starting} *)

let started_elsewhere =
  "Dromos_async.start: Async was made by another thread already, without being \
   known; call this first, or in Async code"

(* [go_main] gives the calling thread a lock of its own, in place of the main
   thread's lock. *)
let run_async backtraces promise () =
  Printexc.record_backtrace backtraces;
  let main () =
    match make () with
    | t -> Promise.resolve promise t
    | exception e -> Promise.fail promise e (Printexc.get_raw_backtrace ())
  in
  match
    if Scheduler.is_initialized () then misplaced "%s" started_elsewhere;
    Scheduler.go_main ~main ()
  with
  | never -> Core.never_returns never
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      if not (Promise.try_resolve promise (Error (e, bt))) then
        Printexc.raise_with_backtrace e bt

let rec start () =
  match Atomic.get current with
  | Some started -> ignore (Promise.await started : t)
  | None ->
      if Scheduler.is_initialized () then
        if Thread_safe.am_holding_async_lock () then
          ignore (mine "Dromos_async.start" : t)
        else misplaced "%s" started_elsewhere
      else
        let promise = Promise.create () in
        if Atomic.compare_and_set current None (Some promise) then begin
          let backtraces = Printexc.backtrace_status () in
          let (_ : unit Domain.t) =
            Domain.spawn (run_async backtraces promise)
          in
          match Promise.await promise with
          | (_ : t) -> ()
          | exception e ->
              let bt = Printexc.get_raw_backtrace () in
              if Promise.is_resolved promise then Atomic.set current None;
              Printexc.raise_with_backtrace e bt
        end
        else start ()
