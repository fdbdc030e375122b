open Types
module Pool = Dromos_kernel.Pool
module Timer = Dromos_service.Timer

type verdict = Unreachable | Until_limit | Weakly | Reachable | Woken

(* {1 One collection} *)

(* The number of witnesses whose finalisers were called. The finaliser of a
   reachable witness stays attached, and is called after the question, when
   [is_open] is [false]. *)
type finding = { mutable found : int; mutable is_open : bool }

(* The inner function is a closure with code of its own. A partial application
   would share its code with finalisers of programs: see [our_finalisers]. *)
let report finding =
 fun (_ : witness) -> if finding.is_open then finding.found <- finding.found + 1

(* A witness leads to no other value, and each question makes new witnesses. The
   leftovers of a question in the tables of the asking domain therefore mark no
   fiber later. *)
let attach finding fiber =
  let witness = ref 0 in
  fiber.witness <- witness;
  Gc.finalise (report finding) witness

(* Returns the number of fibers, and a function that ends the question. [kept]
   lets the fibers survive the question, though the registry's pointers to the
   fibers are weak. *)
let[@inline never] attach_all finding run =
  let fibers = Waiting.alive run in
  List.iter (attach finding) fibers;
  let kept = Let_go.value fibers in
  (List.length fibers, fun () -> ignore (Let_go.back kept : Fiber.t list))

let[@inline never] let_go_of_root run =
  let root = Let_go.value run.root in
  Scope.set_root run Nobody.scope;
  fun () ->
    Scope.set_root run (Let_go.back root);
    Interruption.root_is_back run

let[@inline never] let_go_of_schedulers run =
  let back = Array.map (fun w -> Ready_queue.let_go w.queue) run.workers in
  fun () -> Array.iter (fun put_back -> put_back ()) back

(* A finaliser of the program's may raise, or wake a fiber. *)
let collect () = try Gc.full_major () with _ -> ()

(* [true]: all fibers of the first run were unreachable. *)
let collection ~keep_limits runs =
  let finding = { found = 0; is_open = true } in
  let alive, survive = attach_all finding (List.hd runs) in
  let ways =
    survive
    :: Dromos_sync.Author.Wait_graph.let_go ~take:Let_go.value ~back:Let_go.back
    :: Dromos_sync.Author.Lock_watch.let_go ~take:Let_go.value ~back:Let_go.back
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
  finding.found = alive

(* {1 Weak pointers} *)

type any

external weak_arrays : Fiber.t -> any Weak.t -> any Weak.t array option
  = "dromos_weak_arrays"
(** The weak arrays whose first key is not the first argument; the second
    argument fills the result up. *)

external finalised : Obj.t * Obj.t -> any array option = "dromos_finalised"
(** The values with finalisers whose code differs from the code of both
    functions. *)

let our_finalisers =
  lazy (Obj.repr (report { found = 0; is_open = false }), Let_go.finaliser ())

let tries = 100

(* [None]: the keys and values are not available. The heap variant never lists
   them. On the stock runtime an attempt fails while the collector is at the end
   of a cycle, or while another domain stops the others. *)
let rec program's_keys tries =
  match
    ( weak_arrays Fiber.nobody (Weak.create 0),
      finalised (Lazy.force our_finalisers) )
  with
  | Some arrays, Some values ->
      let keys w = Array.init (Weak.length w) (Weak.get w) in
      Some (Array.map keys arrays, values)
  | _ when tries > 1 && not Task_heap.keeps_frames ->
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

(* The other domains run the finalisers of their own values. *)
let let_finalisers_run run =
  Array.iter (fun w -> Pool.wake run.pool w.id) run.workers;
  Thread.delay 0.05

let waiting run = List.length (List.filter Waiting.waits (Waiting.alive run))

(* A fiber that was woken counts as woken, even if its worker could not run it
   yet. *)
let ask run ~also =
  let before = waiting run and tasks = (Pool.counts run.pool).tasks in
  let woken () =
    waiting run < before || (Pool.counts run.pool).tasks <> tasks
  in
  let unreachable ~keep_limits = collection ~keep_limits (run :: also) in
  let without_limits () = unreachable ~keep_limits:false in
  let answer verdict = if woken () then Woken else verdict in
  if not (without_limits ()) then answer Reachable
  else begin
    let_finalisers_run run;
    if woken () then Woken
    else if not (with_keys without_limits) then answer Weakly
    else if Option.is_none (Timer.next_limit ()) then answer Unreachable
    else if with_keys (fun () -> unreachable ~keep_limits:true) then
      answer Unreachable
    else answer Until_limit
  end
