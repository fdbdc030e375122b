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

(* Of whoever joins: the program may have captured what runs inside of the fork,
   and resumed it in another fiber. *)
let heap () = (Fiber.current ()).heap
let wait join = Dromos_suspend.suspend ~reason (Join.block join.state)

(* The branch runs elsewhere and is not wanted any more, as [e] is about to be raised:
   stop it, and wait for it all the same. The signal is up meanwhile, so that its
   forks notice. What it returns is forgotten. A failure of its clean-up code follows
   [e], or is raised instead if [e] is a cancellation: then the one who cancelled keeps
   it. A search that leaves its loops by an exception has found what it looked for, and
   what fails to the right does not count. *)
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
        (* How an exception is printed does not depend on what ran at a time. *)
        Unhandled.follow ~shown:false fiber.scope e [ failure ]
  | Ok _ | Error _ -> ()

(* A branch that was taken is often about as long as its sibling. Suspending,
   and being resumed by another worker with cold caches, costs several
   microseconds, so the fiber first looks for the end of the branch for some ten
   microseconds (a loop in a loop, as in lu, was 5% slower without). No other
   task runs meanwhile; others may take what this worker has published. *)
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

(* The branch is for the forking fiber to run. *)
let claim join =
  if join.record = Task_heap.no_record then Join.claim join.state
  else Task_heap.withdraw (heap ()) join.record

let[@inline never] join : type a b. Fiber.t -> (t -> b, a, b) fork -> b =
 fun fiber fork ->
  match fork.cell with
  | Latent | Owned _ | Border _ -> fork.code fiber
  | Promoted join -> if claim join then fork.code fiber else outcome fiber join

(* A continuation that the program itself captures inside a branch can end the
   fork later than the forks around it, or earlier than those inside. So a frame
   that is not on top is taken off with all above it if it is in the chain, and
   else has been taken off before: a frame never comes back. *)
let[@inline never] unlink fiber fork =
  let rec linked frame =
    frame == Frame fork
    || (not (Fiber.is_nil frame))
       &&
       let (Frame { prev; _ }) = frame in
       linked prev
  in
  if linked fiber.frames.top then fiber.frames.top <- fork.prev

(* The first branch raised: the second one stands to its right. *)
let[@inline never] left_failed fiber fork e =
  let bt = Printexc.get_raw_backtrace () in
  unlink fiber fork;
  (match fork.cell with
  | Latent | Owned _ | Border _ -> ()
  | Promoted join -> if not (claim join) then abandon fiber join e);
  Printexc.raise_with_backtrace e bt

(* No poll point matters here: until [fiber.frames.top] is set back the frame may be
   marked, and is then seen to be; afterwards it cannot be found any more. *)
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
