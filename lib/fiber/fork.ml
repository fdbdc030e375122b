open Fiber
module Pool = Dromos_kernel.Pool

let debug = Fiber.debug
let[@inline] sign fiber = Atomic.get fiber.signal
let[@inline] wanted fiber = sign fiber > 0
let has_offer fiber = Pool.has_work (Fiber.kernel fiber.worker)

let check_context fiber =
  if Fiber.current () != fiber then
    raise
      (Misplaced.Misplaced
         "Dromos.Ctx: this context belongs to another fiber; a branch must use \
          the context it is given")

let[@inline never] poll fiber =
  if debug then check_context fiber;
  Cancel.check fiber;
  if Quantum.is_over fiber then Task.yield ();
  Task.promote_oldest fiber

let share fiber = if Fiber.workers fiber > 1 then Task.promote_oldest fiber
let share_all fiber = if Fiber.workers fiber > 1 then Task.promote_near fiber

(* {1 Joining a promoted frame} *)

let reason = "a branch that another worker took"

(* The heap of the fiber that joins. The program may have captured the inside of
   the fork, and resumed it in another fiber. *)
let heap () = (Fiber.current ()).heap
let wait join = Dromos_suspend.suspend ~reason (Join.block join.state)

(* Waits for the end of a branch that runs elsewhere, without cancellation of
   the wait. [abandon] calls [see_out] after [abandon] has cancelled the branch,
   because an exception [e] is about to be raised. The run's signal is raised
   meanwhile, so that the branch notices at its forks. The result of the branch
   is dropped. A failure of the branch's clean-up code follows [e]. If [e] is a
   cancellation, the failure is raised instead of [e], and the scope that was
   cancelled keeps the failure. If [e] is no failure (a search leaves its loops
   by an exception), the search has found its result, and failures to its right
   do not count. *)
let rec see_out join =
  match Join.answer join.state with
  | Some request ->
      request ();
      see_out join
  | None ->
      if not (Join.is_over join.state) then begin
        Dromos_suspend.suspend_shielded ~reason (Join.block join.state);
        see_out join
      end

let collect join =
  if join.record = Task_heap.no_record then Option.get (Join.outcome join.state)
  else Task_heap.join (heap ()) join.record

let abandon fiber join e =
  Atomic.incr fiber.signal;
  Cancel.cancel join.branch;
  Fun.protect
    (fun () -> see_out join)
    ~finally:(fun () -> Atomic.decr fiber.signal);
  match collect join with
  | Error ((failed, bt) as failure) when Suppressed.is_failure failed ->
      if Dromos_suspend.is_cancellation e then
        Printexc.raise_with_backtrace failed bt
      else if Suppressed.is_failure e then
        (* The text of an exception must not depend on what ran at the same
           time, so [e]'s text does not show the failure. *)
        Unhandled.follow ~shown:false fiber.scope e [ failure ]
  | Ok _ | Error _ -> ()

(* A branch that was taken is often about as long as its sibling. Suspending,
   and being resumed by another worker with cold caches, costs several
   microseconds. The fiber therefore first spins for some ten microseconds until
   the branch ends (a loop in a loop, as in lu, was 5% slower without). The
   worker runs no other task meanwhile; other workers may take the tasks that
   the worker has published. *)
let patience = 1000

let rec linger join rounds =
  if rounds > 0 && not (Join.wants join.state) then begin
    Domain.cpu_relax ();
    linger join (rounds - 1)
  end

let rec outcome fiber join =
  if Join.is_over join.state then
    match collect join with
    | Ok v -> v
    | Error (e, bt) -> Printexc.raise_with_backtrace e bt
  else
    match Join.answer join.state with
    | Some request ->
        request ();
        outcome fiber join
    | None -> wait_for fiber join

and wait_for fiber join =
  linger join patience;
  match wait join with
  | () -> outcome fiber join
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      abandon fiber join e;
      Printexc.raise_with_backtrace e bt

(* [true]: the forking fiber runs the branch itself. *)
let claim join =
  if join.record = Task_heap.no_record then Join.claim join.state
  else Task_heap.withdraw (heap ()) join.record

let[@inline never] join : type a b. Fiber.t -> (t -> b, a, b) fork -> b =
 fun fiber fork ->
  match fork.cell with
  | Latent | Owned _ | Border _ -> fork.code fiber
  | Promoted join -> if claim join then fork.code fiber else outcome fiber join

(* A continuation that the program itself captures inside a branch can end the
   fork later than the forks around it, or earlier than the forks inside.
   [unlink] searches the chain for the frame. If the frame is in the chain,
   [unlink] takes off the frame and all frames above. Otherwise the frame was
   taken off before: a frame never comes back. *)
let[@inline never] unlink fiber fork =
  let rec linked frame =
    frame == Frame fork
    || (not (Fiber.is_nil frame))
       &&
       let (Frame { prev; _ }) = frame in
       linked prev
  in
  if linked fiber.frames.top then fiber.frames.top <- fork.prev

(* The first branch raised [e]; the second branch stands to its right. *)
let[@inline never] left_failed fiber fork e =
  let bt = Printexc.get_raw_backtrace () in
  unlink fiber fork;
  (match fork.cell with
  | Latent | Owned _ | Border _ -> ()
  | Promoted join -> if not (claim join) then abandon fiber join e);
  Printexc.raise_with_backtrace e bt

(* A poll point at any place here does no harm. Before [fiber.frames.top] is set
   back, a publisher thread may mark the frame, and the test of [fork.cell] sees
   the mark. Afterwards the publisher thread cannot find the frame any more. *)
let[@inline] both fiber f g =
  let fork = { code = g; cell = Latent; prev = fiber.frames.top } in
  fiber.frames.top <- Frame fork;
  match
    if Atomic.get fiber.signal > 0 then poll fiber;
    f fiber
  with
  | a -> (
      if fiber.frames.top == Frame fork then fiber.frames.top <- fork.prev
      else unlink fiber fork;
      match fork.cell with
      | Latent ->
          let b = g fiber in
          (a, b)
      | Owned _ | Promoted _ | Border _ ->
          let b = join fiber fork in
          (a, b))
  | exception e -> left_failed fiber fork e
