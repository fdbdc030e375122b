open Types
module Pool = Dromos_kernel.Pool

let[@inline] sign fiber = Atomic.get fiber.signal
let[@inline] wanted fiber = sign fiber > 0
let has_offer fiber = Pool.has_work (Worker.kernel fiber.worker)

let check_context fiber =
  if Fiber.current () != fiber then
    raise
      (Misplaced.Misplaced
         "Dromos.Ctx: this context belongs to another fiber; a branch must use \
          the context it is given")

let[@inline never] poll fiber =
  if Debug_mode.on then check_context fiber;
  Cancel.check fiber;
  if Quantum.is_over fiber then Task.yield ();
  Promotion.oldest fiber

let share fiber = if Fiber.workers fiber > 1 then Promotion.oldest fiber
let share_all fiber = if Fiber.workers fiber > 1 then Promotion.near fiber

(* {1 Joining a promoted frame} *)

let reason = "a branch that another worker took"
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

let abandon fiber join e =
  Atomic.incr fiber.signal;
  Cancel.cancel join.branch;
  Fun.protect
    (fun () -> see_out join)
    ~finally:(fun () -> Atomic.decr fiber.signal);
  match Branch.outcome join with
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
    match Branch.outcome join with
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

let[@inline never] join : type a b. fiber -> (fiber -> b, a, b) fork -> b =
 fun fiber fork ->
  match fork.cell with
  | Latent | Owned _ | Border _ -> fork.code fiber
  | Promoted join ->
      if Branch.claim join then fork.code fiber else outcome fiber join

(* The first branch raised [e]; the second branch stands to its right. *)
let[@inline never] left_failed fiber fork e =
  let bt = Printexc.get_raw_backtrace () in
  Frame.pop fiber fork;
  (match fork.cell with
  | Latent | Owned _ | Border _ -> ()
  | Promoted join -> if not (Branch.claim join) then abandon fiber join e);
  Printexc.raise_with_backtrace e bt

(* A poll point at any place here does no harm. Before the frame is taken off, a
   publisher thread may mark the frame, and the test of [fork.cell] sees the mark.
   Afterwards the publisher thread cannot find the frame any more. *)
let[@inline] both fiber f g =
  let fork = Frame.push fiber Latent g in
  match
    if Atomic.get fiber.signal > 0 then poll fiber;
    f fiber
  with
  | a -> (
      Frame.pop fiber fork;
      match fork.cell with
      | Latent ->
          let b = g fiber in
          (a, b)
      | Owned _ | Promoted _ | Border _ ->
          let b = join fiber fork in
          (a, b))
  | exception e -> left_failed fiber fork e
