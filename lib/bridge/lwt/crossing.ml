(* State of one wait. Only Lwt's thread touches the fields, with two exceptions:
   [left], and [outcome]: Lwt's thread writes [outcome] before it resumes the
   waiter. *)
type 'a t = {
  loop : Loop.t;
  mutable outcome : 'a Arrival.outcome option;
  mutable leave : unit -> unit; (* ends the wait; set when the wait has begun *)
  left : bool Atomic.t;
}

type resume = unit Dromos_suspend.resumer

(* Resumes the waiter with [Ok ()] for every outcome: an exception out of the
   wait is then always a cancellation of the waiter. *)
let finish t (resume : resume) outcome =
  t.outcome <- Some outcome;
  ignore (resume (Ok ()))

let failed t resume e = finish t resume (Error (e, Loop.trace e))

(* [protected]: when the waiter leaves, the wait removes its callback from [p];
   only [leave] may cancel [p]. *)
let wait_for t resume p ~leave =
  match Lwt.state p with
  | Return v -> finish t resume (Ok v)
  | Fail e -> failed t resume e
  | Sleep ->
      let watch = Loop.watch t.loop (failed t resume) in
      let q = Lwt.protected p in
      t.leave <-
        (fun () ->
          Lwt.cancel q;
          leave p);
      Lwt.on_any q
        (fun v ->
          Loop.unwatch t.loop watch;
          finish t resume (Ok v))
        (fun e ->
          (* First: a [raise] before this line would replace the backtrace. *)
          let bt = Loop.trace e in
          Loop.unwatch t.loop watch;
          finish t resume (Error (e, bt)))

(* Suspends the caller until [t] has its outcome. [go] starts the wait, on the
   scheduler's stack; [tell] later runs a function on Lwt's thread. *)
let cross what t go tell =
  let block resume =
    go resume;
    None
  in
  Dromos_suspend.External.incr ();
  (match
     Fun.protect ~finally:Dromos_suspend.External.decr (fun () ->
         Dromos_suspend.suspend ~reason:what block)
   with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Atomic.set t.left true;
      tell (fun () -> t.leave ());
      Printexc.raise_with_backtrace e bt);
  match t.outcome with
  | Some (Ok v) -> v
  | Some (Error (e, bt)) -> Printexc.raise_with_backtrace e bt
  | None -> invalid_arg (what ^ ": resumed without a result")

let fresh loop =
  { loop; outcome = None; leave = ignore; left = Atomic.make false }

(* Jobs keep their order: a job posted on leaving finds the wait begun. *)
let from_elsewhere what loop f ~leave =
  let t = fresh loop and storage = Dromos.Fls.current () in
  let place = Context.offloader () in
  let begin_wait resume () =
    if not (Atomic.get t.left) then
      match Context.at_offloader place storage f with
      | p -> wait_for t resume p ~leave
      | exception e ->
          finish t resume (Error (e, Printexc.get_raw_backtrace ()))
  in
  let go resume =
    if not (Loop.post loop (begin_wait resume)) then
      failed t resume (Dromos.Misplaced (what ^ ": the Lwt loop has ended"))
  in
  cross what t go (fun job -> ignore (Loop.post loop job))

(* In a fiber on Lwt's thread. [f] is part of the fiber, so [f] may wait. *)
let from_fiber what loop f ~leave =
  let p = f () in
  let t = fresh loop in
  cross what t (fun resume -> wait_for t resume p ~leave) (fun job -> job ())

let wait what f ~leave =
  let loop = Loop.theirs what in
  if not (Loop.is_here loop) then from_elsewhere what loop f ~leave
  else if Fiber.inside () then from_fiber what loop f ~leave
  else
    raise
      (Dromos.Misplaced
         (what
        ^ ": called on Lwt's own thread, which it would block; bind the \
           promise, or call this inside Dromos_lwt.fiber"))

let in_lwt f = wait "Dromos_lwt.in_lwt" f ~leave:Lwt.cancel
let await p = wait "Dromos_lwt.await" (fun () -> p) ~leave:ignore
