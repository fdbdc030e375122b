(* Tasks in the deque of worker 0: the worker's fiber pushes and claims tasks,
   another fiber claims some too, and worker 1 steals. Every interleaving of the
   operations: each task begins once, whichever worker begins it, and a claimed
   task does not stay in the deque. *)

open Dromos_model
module Hub = Kernel_traced.Hub

let fail fmt = Printf.ksprintf failwith fmt

module Scenarios (Made : Made_traced.Made_sig.S) = struct
  type made = (unit, unit Hub.task) Made.t

  type world = {
    hub : unit Hub.t;
    own : (unit, unit Hub.task) Made.own;
    tasks : (made * unit Hub.task) array;
    begun : int array;
  }

  let make_task _ =
    let task = Hub.task ignore in
    let result = Dromos_sync.Promise.create () in
    let fresh = Made.Fresh { code = ignore; result; about = (); task } in
    ((Traced.Atomic.make fresh : made), task)

  let world (maker : Hub.maker) n =
    let hub = maker.make ~workers:2 in
    hub.enlist 0;
    hub.enlist 1;
    let own =
      Made.own
        ~none:(fst (make_task ()))
        ~retract:(hub.retract 0) ~push:(hub.push 0 Hub.New)
    in
    let tasks = Array.init n make_task in
    { hub; own; tasks; begun = Array.make n 0 }

  let begins w i = w.begun.(i) <- w.begun.(i) + 1

  (* By a fiber of worker 0, or of another worker. *)
  let is_fresh = function Made.Fresh _ -> true | Here _ | Gone -> false
  let is_claimed made = is_fresh (Made.claim made)
  let is_taken made = is_fresh (Made.take made)
  let claim w i = if is_claimed (fst w.tasks.(i)) then begins w i

  let claim_own w i =
    if is_claimed (fst w.tasks.(i)) then begin
      begins w i;
      Made.trim w.own
    end

  let push w i =
    let made, task = w.tasks.(i) in
    Made.push w.own made task

  let given w task =
    Array.iteri
      (fun i (made, its) -> if its == task && is_taken made then begins w i)
      w.tasks

  let steal w () = Option.iter (given w) (w.hub.steal 1)

  let rec drain w =
    match w.hub.pop 0 with
    | None -> ()
    | Some task ->
        given w task;
        drain w

  let each_once w () =
    drain w;
    Array.iteri
      (fun i n -> if n <> 1 then fail "task %d has begun %d times" i n)
      w.begun;
    Made.trim w.own;
    if w.own.size > 0 then fail "the list keeps %d" w.own.size

  (* Tasks are claimed oldest first, by their maker and by another fiber, while
     a thief takes from the same end. *)
  let in_order maker () =
    let w = world maker 2 in
    let fiber () =
      push w 0;
      push w 1;
      claim_own w 0;
      claim_own w 1
    in
    ([ fiber; steal w; (fun () -> claim w 0) ], each_once w)

  (* The third push takes the first two tasks back. *)
  let again maker () =
    let w = world maker 3 in
    push w 0;
    push w 1;
    ([ (fun () -> push w 2); steal w; (fun () -> claim w 0) ], each_once w)

  (* All three tasks may be stolen meanwhile. *)
  let stolen_again maker () =
    let w = world maker 3 in
    push w 0;
    push w 1;
    let thief () =
      steal w ();
      steal w ()
    in
    ([ (fun () -> push w 2); thief ], each_once w)

  (* No other worker looks into the deque. *)
  let tidy maker () =
    let w = world maker 3 in
    push w 0;
    push w 1;
    let fiber () =
      claim_own w 0;
      claim_own w 1
    in
    let check () =
      if w.hub.has_work 0 then fail "claimed tasks are in the deque";
      push w 2;
      each_once w ()
    in
    ([ fiber; (fun () -> claim w 0) ], check)

  (* An unclaimed task stands above the claimed tasks. *)
  let piled maker () =
    let w = world maker 12 in
    let fiber () =
      push w 0;
      for i = 1 to 11 do
        push w i;
        claim_own w (i - 1)
      done
    in
    let check () =
      if w.own.size > 5 then fail "%d are in the deque" w.own.size;
      each_once w ()
    in
    ([ fiber ], check)
end

module Shipped = Scenarios (Made_traced.Made)
module Hasty = Scenarios (Made_traced.Made_hasty)
module Blind = Scenarios (Made_traced.Made_blind)
module Lossy = Scenarios (Made_traced.Made_lossy)
module Hoarding = Scenarios (Made_traced.Made_hoarding)
module Untidy = Scenarios (Made_traced.Made_untidy)

let std = Kernel_traced.Std.maker
let hybrid = Kernel_traced.Hybrid.maker

let () =
  Alcotest.run "made"
    [
      ( "model",
        [
          Explore.passes "in order" (Shipped.in_order std);
          Explore.passes "again" (Shipped.again std);
          Explore.passes "stolen" (Shipped.stolen_again std);
          Explore.passes "tidy" (Shipped.tidy std);
          Explore.passes "piled" (Shipped.piled std);
          Explore.passes "tidy, hybrid" (Shipped.tidy hybrid);
          Explore.passes ~random:2_000 "in order, hybrid"
            (Shipped.in_order hybrid);
          Explore.passes ~random:2_000 "again, hybrid" (Shipped.again hybrid);
        ] );
      ( "seeded bugs",
        [
          Explore.catches "claimed without a look" (Hasty.in_order std);
          Explore.catches "taken without a look" (Blind.in_order std);
          Explore.catches "not pushed again" (Lossy.again std);
          Explore.catches "never taken back" (Hoarding.piled std);
          Explore.catches "left behind" (Untidy.tidy std);
        ] );
    ]
