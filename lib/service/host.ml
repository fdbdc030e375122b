(* [refused] is reset after its call. *)
type body = { run : unit -> unit; mutable refused : exn -> unit }

(* Written with [lock] held. [Lent]: no domain was left, and a lender is to give
   one. *)
type state = Idle | Lent | Started

let lock = Mutex.create ()
let wanted = Condition.create ()
let state = Atomic.make Idle

(* Both queues are read and written with [lock] held. *)
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

external enter_service : unit -> unit = "dromos_host_enter" [@@noalloc]
external is_service_thread : unit -> bool = "dromos_host_on_thread" [@@noalloc]

let body_of body () =
  enter_service ();
  body.run ()

(* The domain's main thread makes the threads, so that they belong to the
   domain. Each thread begins before the next is made: a beginning thread takes
   memory, and OCaml's runtime ends the process if there is none. *)
let rec make_threads () =
  let queue, body = next_body () in
  (match Thread.create (body_of body) () with
  | (_ : Thread.t) -> Thread.yield ()
  | exception ((Sys_error _ | Failure _ | Out_of_memory) as e) ->
      try_later queue body e);
  make_threads ()

let serve () =
  enter_service ();
  make_threads ()

(* {1 The domain} *)

external max_domains : unit -> int = "dromos_max_domains" [@@noalloc]

let lender = Atomic.make (fun () -> false)
let set_lender f = Atomic.set lender f
let is_wanted () = Atomic.get state = Lent

let claim () =
  is_wanted ()
  && Signals.protect lock (fun () ->
         let mine = is_wanted () in
         if mine then Atomic.set state Started;
         mine)

let no_domain () =
  failwith
    (Printf.sprintf
       "Dromos: timers, blocking calls and waits for descriptors need a domain \
        of their own, and the %d that OCaml allows in a process are all in use \
        (OCAMLRUNPARAM=d=%d allows more). Spawn fewer, or call Dromos.sleep 0. \
        before the others are spawned."
       (max_domains ())
       (2 * max_domains ()))

(* The main domain lives as long as the program, so the threads may belong to
   the main domain. They then share the main domain's runtime lock. *)
let instead () =
  if Domain.is_main_domain () then
    match Own_threads.making (Thread.create serve) with
    | (_ : Thread.t) -> Atomic.set state Started
    | exception _ -> no_domain ()
  else begin
    Atomic.set state Lent;
    if not ((Atomic.get lender) ()) then begin
      Atomic.set state Idle;
      no_domain ()
    end
  end

let start () =
  if Atomic.get state <> Started then
    Signals.protect lock (fun () ->
        if Atomic.get state <> Started then
          match Own_threads.making (fun () -> Domain.spawn serve) with
          | (_ : unit Domain.t) -> Atomic.set state Started
          | exception Failure _ -> instead ())

let thread ?(of_many = false) ?(refused = ignore) run =
  start ();
  let queue = if of_many then many else single in
  Signals.protect lock (fun () ->
      Queue.push { run; refused } queue;
      Condition.signal wanted)

let report e bt = thread (fun () -> Printexc.raise_with_backtrace e bt)

(* The numbers of the threads; at most two. *)
let for_all : int list Atomic.t = Atomic.make []
let self () = Thread.id (Thread.self ())

let rec note_for_all id =
  let ids = Atomic.get for_all in
  if not (Atomic.compare_and_set for_all ids (id :: ids)) then note_for_all id

(* Nothing in [body] raises as a rule. An exception (no memory is left) must not
   end the thread; only the first is told, since the cause may stay. *)
let rec for_ever ~what ~told body =
  match body () with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      if not told then Message.failure ~what e bt;
      Thread.delay 0.01;
      for_ever ~what ~told:true body

let thread_for_all ~what body =
  thread (fun () ->
      note_for_all (self ());
      for_ever ~what ~told:false body)

let on_thread_for_all () =
  match Atomic.get for_all with [] -> false | ids -> List.mem (self ()) ids

let advise text =
  let told = Atomic.make false in
  let once () =
    if not (Atomic.exchange told true) then Message.tell Warning Advice text
  in
  thread ~refused:(fun _ -> once ()) once
