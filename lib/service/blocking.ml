let max_threads = 64
let max_idle = 4
let lock = Mutex.create ()
let work = Condition.create () (* idle threads wait for jobs *)

(* Under [lock]: *)
let jobs : (unit -> unit) Queue.t = Queue.create ()
let threads = ref 0
let idle = ref 0
let locked f = Signals.protect lock f

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
  let one_more =
    locked (fun () ->
        Queue.push job jobs;
        if !idle >= Queue.length jobs || !threads >= max_threads then begin
          Condition.signal work;
          false
        end
        else begin
          incr threads;
          true
        end)
  in
  if one_more then Host.thread serve

let unfinished = Atomic.make 0
let pending () = Atomic.get unfinished

(* A setting of the service domain, so it is never taken back. *)
let record_backtraces () =
  if not (Printexc.backtrace_status ()) then Printexc.record_backtrace true

let call ?(shielded = false) f =
  let result = ref None in
  let backtraces = Printexc.backtrace_status () in
  let job resume () =
    if backtraces then record_backtraces ();
    (result :=
       match Output.during (fun () -> Signals.restored f) with
       | v -> Some (Ok v)
       | exception e -> Some (Error (e, Printexc.get_raw_backtrace ())));
    ignore (resume (Ok ()));
    Atomic.decr unfinished
  in
  (* First, since it may fail, and what follows must not. *)
  Host.start ();
  let suspend =
    if shielded then Dromos_suspend.suspend_shielded else Dromos_suspend.suspend
  in
  suspend ~reason:"blocking" (fun resume ->
      Atomic.incr unfinished;
      submit (job resume);
      None);
  match !result with
  | Some (Ok v) -> v
  | Some (Error (e, bt)) -> Printexc.raise_with_backtrace e bt
  | None -> invalid_arg "Blocking.call: resumed without a result"
