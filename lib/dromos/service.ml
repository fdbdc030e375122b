(* Requests of the service domain's main thread: "one more thread". *)

let max_threads = 64
let max_idle = 4
let lock = Mutex.create ()
let wanted = Condition.create () (* the main thread waits for spawn requests *)
let work = Condition.create () (* idle threads wait for jobs *)
let jobs : (unit -> unit) Queue.t = Queue.create ()
let spawns : (unit -> unit) Queue.t = Queue.create ()
let started = ref false
let threads = ref 0
let idle = ref 0
let locked f = Signals.protect lock f

(* The domain's main thread makes threads, so that they belong to it. *)
let rec make_threads () =
  let body =
    locked (fun () ->
        while Queue.is_empty spawns do
          Condition.wait wanted lock
        done;
        Queue.pop spawns)
  in
  ignore (Thread.create body () : Thread.t);
  make_threads ()

let start_domain () =
  if not !started then begin
    ignore
      (Signals.blocked (fun () -> Domain.spawn make_threads) : unit Domain.t);
    started := true
  end

(* With [lock] held. *)
let spawn body =
  Queue.push body spawns;
  Condition.signal wanted

(* A thread lives while there are jobs, and then while few others are idle. *)
let rec serve () =
  let next =
    locked (fun () ->
        incr idle;
        while Queue.is_empty jobs && !idle <= max_idle do
          Condition.wait work lock
        done;
        decr idle;
        match Queue.take_opt jobs with
        | Some job -> Some job
        | None ->
            decr threads;
            None)
  in
  match next with
  | None -> ()
  | Some job ->
      job ();
      serve ()

let submit job =
  locked (fun () ->
      start_domain ();
      Queue.push job jobs;
      if !idle >= Queue.length jobs || !threads >= max_threads then
        Condition.signal work
      else begin
        incr threads;
        spawn serve
      end)

let blocking f =
  let result = ref None in
  let backtraces = Printexc.backtrace_status () in
  Dromos_suspend.suspend (fun resume ->
      submit (fun () ->
          (* A setting of the domain, so it is never taken back. *)
          if backtraces && not (Printexc.backtrace_status ()) then
            Printexc.record_backtrace true;
          (result :=
             match Signals.restored f with
             | v -> Some (Ok v)
             | exception e -> Some (Error (e, Printexc.get_raw_backtrace ())));
          ignore (resume (Ok ())));
      None);
  match !result with
  | Some (Ok v) -> v
  | Some (Error (e, bt)) -> Printexc.raise_with_backtrace e bt
  | None -> invalid_arg "Dromos.blocking: resumed without a result"

(* {1 The timer} *)

module Deadlines =
  Psq.Make
    (Int)
    (struct
      type t = Mtime.t * (unit -> unit)

      let compare (a, _) (b, _) = Mtime.compare a b
    end)

let timers = ref Deadlines.empty
let next_key = ref 0
let timer_lock = Mutex.create ()

(* Written to when a deadline comes before all others; made with the thread. *)
let timer_pipe : (Unix.file_descr * Unix.file_descr) option ref = ref None

let due now =
  Signals.protect timer_lock (fun () ->
      match Deadlines.min !timers with
      | Some (key, (at, f)) when Mtime.compare at now <= 0 ->
          timers := Deadlines.remove key !timers;
          `Call f
      | Some (_, (at, _)) ->
          `Wait (Mtime.Span.to_float_ns (Mtime.span now at) *. 1e-9)
      | None -> `Wait (-1.0))

let rec run_timer wake_out =
  match due (Mtime_clock.now ()) with
  | `Call f ->
      f ();
      run_timer wake_out
  | `Wait seconds ->
      (* Never zero, which would spin, and never longer than an hour, so that a
         change of [select]'s idea of "long" does not matter. *)
      let seconds =
        if seconds < 0. then -1.0 else Float.min 3600. (Float.max 1e-6 seconds)
      in
      (match Unix.select [ wake_out ] [] [] seconds with
      | [], _, _ -> ()
      | _ -> ignore (Unix.read wake_out (Bytes.create 64) 0 64)
      | exception Unix.Unix_error (EINTR, _, _) -> ()
      | exception Unix.Unix_error (EINVAL, _, _) -> Thread.delay 0.001);
      run_timer wake_out

(* With [timer_lock] held. *)
let poke_timer () =
  match !timer_pipe with
  | Some (_, wake_in) -> (
      match Unix.write wake_in (Bytes.make 1 '!') 0 1 with
      | _ -> ()
      | exception Unix.Unix_error ((EAGAIN | EINTR), _, _) -> ())
  | None ->
      let wake_out, wake_in = Unix.pipe ~cloexec:true () in
      Unix.set_nonblock wake_in;
      timer_pipe := Some (wake_out, wake_in);
      locked (fun () ->
          start_domain ();
          spawn (fun () -> run_timer wake_out))

let after span f =
  let now = Mtime_clock.now () in
  let at = Option.value (Mtime.add_span now span) ~default:Mtime.max_stamp in
  let key =
    Signals.protect timer_lock (fun () ->
        let key = !next_key in
        incr next_key;
        timers := Deadlines.add key (at, f) !timers;
        (match Deadlines.min !timers with
        | Some (first, _) when first = key -> poke_timer ()
        | Some _ | None -> ());
        key)
  in
  fun () ->
    Signals.protect timer_lock (fun () ->
        timers := Deadlines.remove key !timers)
