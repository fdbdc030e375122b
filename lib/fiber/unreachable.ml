open Fiber
module Pool = Dromos_kernel.Pool
module Timer = Dromos_service.Timer

type verdict = Unreachable | Until_limit | Weakly | Reachable | Woken

(* {1 One collection} *)

(* The fibers whose finalisers were called. The finaliser of a reachable fiber
   stays attached, and is called after the question, when the list is closed. *)
type finding = { mutable found : Fiber.t list; mutable is_open : bool }

(* A closure with code of its own, not a partial application, whose code programs'
   finalisers may share: see [our_finalisers]. *)
let report finding =
 fun fiber -> if finding.is_open then finding.found <- fiber :: finding.found

let[@inline never] attach finding run =
  let fibers = Waiting.alive run in
  List.iter (Gc.finalise (report finding)) fibers;
  List.length fibers

let[@inline never] let_go_of_root run =
  let root = Let_go.value run.root in
  run.root <- Fiber.nobody.scope;
  fun () ->
    run.root <- Let_go.back root;
    Interruption.root_is_back run

let[@inline never] let_go_of_schedulers run =
  let back = Array.map (fun w -> Ready_queue.let_go w.queue) run.workers in
  fun () -> Array.iter (fun put_back -> put_back ()) back

(* A finaliser of the program's may raise, or wake somebody. *)
let collect () = try Gc.full_major () with _ -> ()

(* Of the first run: whether all its fibers were unreachable. *)
let collection ~keep_limits runs =
  let finding = { found = []; is_open = true } in
  let alive = attach finding (List.hd runs) in
  let ways =
    Dromos_sync.Wait_graph.let_go ~take:Let_go.value ~back:Let_go.back
    :: Dromos_sync.Lock_watch.let_go ~take:Let_go.value ~back:Let_go.back
    :: List.map let_go_of_root runs
    @ List.map let_go_of_schedulers runs
  in
  let ways =
    if keep_limits then ways
    else Timer.let_go_of_limits ~take:Let_go.value ~back:Let_go.back :: ways
  in
  collect ();
  List.iter (fun put_back -> put_back ()) ways;
  finding.is_open <- false;
  let unreachable = List.length finding.found in
  finding.found <- [];
  unreachable = alive

(* {1 Weak pointers} *)

type any

external weak_arrays : Fiber.t -> any Weak.t -> any Weak.t array option
  = "dromos_weak_arrays"
(** Those whose first key is not the first argument; the second one fills the
    array up. *)

external finalised : Obj.t * Obj.t -> any array option = "dromos_finalised"
(** Values with finalisers whose code is not that of one of these functions. *)

let our_finalisers =
  lazy (Obj.repr (report { found = []; is_open = false }), Let_go.finaliser ())

let tries = 100

(* The keys and values are not to be had in the heap variant: [None]. On the stock
   runtime an attempt fails while the collector is at the end of a cycle, or while
   another domain stops the others. *)
let rec program's_keys tries =
  match
    ( weak_arrays Fiber.nobody (Weak.create 0),
      finalised (Lazy.force our_finalisers) )
  with
  | Some arrays, Some values ->
      let keys w = Array.init (Weak.length w) (Weak.get w) in
      Some (Array.map keys arrays, values)
  | _ when tries > 1 && not Task_heap.here ->
      if tries mod 10 = 0 then collect () else Thread.delay 0.001;
      program's_keys (tries - 1)
  | _ -> None

let with_keys f =
  match program's_keys tries with
  | Some keys ->
      let answer = f () in
      ignore (Sys.opaque_identity keys);
      answer
  | None -> (not (Interruption.own_threads ())) && f ()

(* {1 The question} *)

(* Finalisers of other domains' values run when these domains do. *)
let let_finalisers_run run =
  Array.iter (fun w -> Pool.wake run.pool w.id) run.workers;
  Thread.delay 0.05

(* The finaliser of a reachable fiber stays in the table of the domain that asked.
   The collector looks at the tables of the domains one after the other, and marks
   what one table has found unreachable before the collector looks at the next
   table. So the fibers of a run seem reachable if another domain has asked before
   about a run that waits for this run. One collection later, when the finalisers
   have been called, the tables are without them. *)
let asked_from : Domain.id list Atomic.t = Atomic.make []

let others_asked () =
  let self = Domain.self () in
  let before = Atomic.get asked_from in
  if not (List.mem self before) then Atomic.set asked_from (self :: before);
  List.exists (( <> ) self) before

let waiting run = List.length (List.filter Waiting.waits (Waiting.alive run))

(* A fiber that has been woken counts, even if its worker could not run it yet. *)
let ask run ~also =
  let before = waiting run and tasks = (Pool.counts run.pool).tasks in
  let woken () =
    waiting run < before || (Pool.counts run.pool).tasks <> tasks
  in
  let unreachable ~keep_limits = collection ~keep_limits (run :: also) in
  let without_limits () = unreachable ~keep_limits:false in
  let once_more () =
    others_asked ()
    && begin
         List.iter let_finalisers_run also;
         without_limits ()
       end
  in
  let answer verdict = if woken () then Woken else verdict in
  if not (without_limits () || once_more ()) then answer Reachable
  else begin
    let_finalisers_run run;
    if woken () then Woken
    else if not (with_keys without_limits) then answer Weakly
    else if Option.is_none (Timer.next_limit ()) then answer Unreachable
    else if with_keys (fun () -> unreachable ~keep_limits:true) then
      answer Unreachable
    else answer Until_limit
  end
