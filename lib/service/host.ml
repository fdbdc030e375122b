let lock = Mutex.create ()
let wanted = Condition.create ()
let bodies : (unit -> unit) Queue.t = Queue.create ()
let started = Atomic.make false

let next_body () =
  Signals.protect lock (fun () ->
      while Queue.is_empty bodies do
        Condition.wait wanted lock
      done;
      Queue.pop bodies)

let rec make_thread body =
  match Thread.create body () with
  | (_ : Thread.t) -> ()
  | exception (Sys_error _ | Failure _) ->
      Thread.delay 0.01;
      make_thread body

(* The domain's main thread makes threads, so that they belong to it. *)
let rec make_threads () =
  make_thread (next_body ());
  make_threads ()

let start () =
  if not (Atomic.get started) then
    Signals.protect lock (fun () ->
        if not (Atomic.get started) then begin
          ignore
            (Own_threads.making (fun () -> Domain.spawn make_threads)
              : unit Domain.t);
          Atomic.set started true
        end)

let thread body =
  start ();
  Signals.protect lock (fun () ->
      Queue.push body bodies;
      Condition.signal wanted)
