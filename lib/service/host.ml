(* [refused] is dropped once it has been called. *)
type body = { run : unit -> unit; mutable refused : exn -> unit }

let lock = Mutex.create ()
let wanted = Condition.create ()
let started = Atomic.make false

(* Under [lock]: *)
let single : body Queue.t = Queue.create ()
let many : body Queue.t = Queue.create ()

let next_body () =
  Signals.protect lock (fun () ->
      while Queue.is_empty single && Queue.is_empty many do
        Condition.wait wanted lock
      done;
      let queue = if Queue.is_empty single then many else single in
      (queue, Queue.pop queue))

let try_later queue body e =
  body.refused e;
  body.refused <- ignore;
  Thread.delay 0.01;
  Signals.protect lock (fun () -> Queue.push body queue)

(* The domain's main thread makes threads, so that they belong to it. *)
let rec make_threads () =
  let queue, body = next_body () in
  (match Thread.create body.run () with
  | (_ : Thread.t) -> ()
  | exception ((Sys_error _ | Failure _ | Out_of_memory) as e) ->
      try_later queue body e);
  make_threads ()

let start () =
  if not (Atomic.get started) then
    Signals.protect lock (fun () ->
        if not (Atomic.get started) then begin
          ignore (Domain.spawn make_threads : unit Domain.t);
          Atomic.set started true
        end)

let thread ?(of_many = false) ?(refused = ignore) run =
  start ();
  let queue = if of_many then many else single in
  Signals.protect lock (fun () ->
      Queue.push { run; refused } queue;
      Condition.signal wanted)

let report e bt = thread (fun () -> Printexc.raise_with_backtrace e bt)
