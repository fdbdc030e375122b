open Dromos_fiber

(* The front door: argument checks and look-ups; other modules do the work. *)

module Promise = Dromos_sync.Promise
module Suspend = Dromos_suspend
module Blocking = Dromos_service.Blocking
module Timer = Dromos_service.Timer
module Reporter = Dromos_service.Reporter

exception Misplaced = Misplaced.Misplaced
exception Cancelled = Cancel.Cancelled
exception Deadlock = Deadlock.Deadlock

let () =
  Parking.install ();
  Dromos_suspend.Carried.add Storage.save

module Hub = Hub

let[@inline] is_fiber fiber = fiber != Fiber.nobody
let inside () = is_fiber (Fiber.current ())

let workers () =
  let fiber = Fiber.current () in
  if is_fiber fiber then Fiber.workers fiber else 1

(* {1 Running} *)

let check_same_hub (fiber : Fiber.t) hub =
  let running = fiber.worker.run.hub_name in
  if not (String.equal running (Hub.name hub)) then
    invalid_arg
      (Printf.sprintf
         "Dromos.run ~hub:%s inside a run on hub %s: a nested run uses the hub \
          of the outer one"
         (Hub.name hub) running)

let default_workers = Run.default_workers

let run ?workers ?hub ?(preempt = false) ?minor_heap_words ?on_unhandled f =
  let unhandled = Option.map (fun f -> Scope.unhandled f) on_unhandled in
  let f = if preempt then fun () -> Dromos_sched.Preemption.run f else f in
  Option.iter (Run.check_workers ~call:"Dromos.run") workers;
  Option.iter (Minor_heap.check ~call:"Dromos.run") minor_heap_words;
  let fiber = Fiber.current () in
  if is_fiber fiber then begin
    Option.iter (check_same_hub fiber) hub;
    Scope.run ?unhandled (fun _ -> f ())
  end
  else
    let workers =
      match workers with Some n -> n | None -> default_workers ()
    in
    let hub = Option.value hub ~default:Hub.std in
    Run.run ~workers ~hub_name:(Hub.name hub) ~deques:(Hub.deques hub)
      ?minor_heap_words ?unhandled (Hub.maker hub) f

(* {1 Fork and join} *)

module Ctx = struct
  type t = Fiber.t

  let get () =
    let fiber = Fiber.current () in
    if is_fiber fiber then fiber else Misplaced.no_fiber "Dromos.Ctx.get"

  let[@inline never] both_with_streams ctx f g =
    Stream.both ctx.Types.fls f g (Fork.both ctx)

  let[@inline] both ctx f g =
    if !Stream.in_use then both_with_streams ctx f g else Fork.both ctx f g
end

let[@inline never] sequentially f g =
  let a = f () in
  let b = g () in
  (a, b)

let both f g =
  let fiber = Fiber.current () in
  if is_fiber fiber then Ctx.both fiber (fun _ -> f ()) (fun _ -> g ())
  else if !Stream.in_use then
    Stream.both (Storage.current ())
      (fun _ -> f ())
      (fun _ -> g ())
      (fun f g ->
        sequentially (fun () -> f Fiber.nobody) (fun () -> g Fiber.nobody))
  else sequentially f g

let rec drop n fs =
  match fs with _ :: rest when n > 0 -> drop (n - 1) rest | _ -> fs

(* Calls the first [n >= 1] functions of [fs]. Each fork halves the list, so that
   other workers take large pieces. *)
let rec all_of ctx n fs =
  match fs with
  | [] -> []
  | f :: _ when n = 1 -> [ f () ]
  | fs ->
      let half = n / 2 in
      let later = drop half fs in
      let a, b =
        Fork.both ctx
          (fun ctx -> all_of ctx half fs)
          (fun ctx -> all_of ctx (n - half) later)
      in
      a @ b

let all fs =
  let fiber = Fiber.current () in
  let all fs =
    if is_fiber fiber then all_of fiber (List.length fs) fs
    else List.map (fun f -> f ()) fs
  in
  if not !Stream.in_use then all fs
  else
    let functions = Array.of_list fs in
    Stream.loop
      (fun i -> functions.(i) ())
      (fun nth -> all (List.mapi (fun i _ () -> nth i) fs))

(* {1 Tasks} *)

let async = Scope.task
let await = Promise.await

let yield () =
  let fiber = Fiber.current () in
  if is_fiber fiber then
    match Effect.perform Handler.Yield with
    | () -> ()
    | exception Effect.Unhandled Handler.Yield ->
        (* Under a C frame the handler cannot be reached, so no switch is
           possible; the poll still looks for requests. *)
        Fork.poll fiber

let check () =
  let fiber = Fiber.current () in
  if is_fiber fiber && Fork.wanted fiber then Fork.poll fiber

let protect f =
  let fiber = Fiber.current () in
  if is_fiber fiber && not (Fiber.is_host fiber) then
    Surroundings.shielded fiber f
  else f ()

let blocking ?abandon ?late f =
  let fiber = Fiber.current () in
  if is_fiber fiber then begin
    Cancel.check fiber;
    let { Types.fls; shield; worker = { run; _ }; _ } = fiber in
    let abandon = Option.value abandon ~default:(Option.is_some late) in
    let on_leave leave =
      if shield > 0 || Guest.forbids fiber then ignore
      else Interruption.on_record run (fun () -> leave Cancel.Cancelled)
    in
    Blocking.call ~shielded:(not abandon) ?late ~on_leave (fun () ->
        Storage.within_thread fls f)
  end
  else f ()

let set_blocking_threads = Dromos_service.Threads.set_most

let sleep seconds =
  let span = Timer.span ~call:"Dromos.sleep" seconds in
  Timer.start ();
  let cancel = ref ignore in
  let block resume =
    cancel := Timer.after span (fun () -> ignore (resume (Ok ())));
    None
  in
  match Dromos_suspend.suspend ~reason:"sleep" block with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      !cancel ();
      Printexc.raise_with_backtrace e bt

exception Timeout = Dromos_sync.Event.Timeout

(* The time limit is for the whole scope. If [f] returned, and the limit cut short
   a task of the scope, the work is not done: [Timeout]. If the limit cut short no
   task, it came too late to matter: [f]'s value. Before [Timeout] is raised,
   [check] looks for a cancellation from outside the scope, which goes first. *)
let timeout seconds f =
  Dromos_service.Stack_room.ensure 4;
  let span = Timer.span ~call:"Dromos.timeout" seconds in
  if not (inside ()) then Misplaced.no_fiber "Dromos.timeout";
  let late = Atomic.make false and cut_short = ref (fun () -> false) in
  let stop = ref ignore in
  let timed scope =
    let ring () =
      Atomic.set late true;
      Scope.cancel scope
    in
    (cut_short := fun () -> Scope.was_cut_short scope);
    stop := Timer.limit span ring;
    f ()
  in
  let over () = !stop () in
  match Fun.protect ~finally:over (fun () -> Scope.run timed) with
  | v when not (Atomic.get late && !cut_short ()) -> v
  | _ ->
      check ();
      raise Timeout
  | exception Cancelled when Atomic.get late ->
      check ();
      raise Timeout

module Scope = struct
  type t = Scope.t

  let run f = Scope.run f
  let async = Scope.async
  let fork = Scope.fork

  let cancel scope =
    Dromos_service.Stack_room.ensure 1;
    Scope.cancel scope

  let is_cancelled = Scope.is_cancelled
end

module Race = Race
module Tasks = Tasks
module Strand = Strand

let any = Race.any
let race = Race.race
let first = Race.first
let suppressed = Suppressed.of_exn

(* {1 Looking inside} *)

type minor = Minor_stops.figures = {
  collections : int;
  stopped : float;
  elapsed : float;
}

type stats = Run.stats = {
  tasks : int;
  promotions : int;
  steals : int;
  suspensions : int;
  sleeps : int;
  domains : int;
  minor : minor;
}

let stats () =
  let fiber = Fiber.current () in
  if is_fiber fiber then Run.stats fiber.worker.run else Run.last ()

let pp_stats = Run.pp_stats

let dump ?out () =
  match out with
  | None -> Dump.tell ()
  | Some out ->
      output_string out (Dump.text ());
      flush out

let dump_on_sigquit = Dump.on_sigquit

module Par = Par
module Dag = Dag
module Pipeline = Pipeline
module Pool = Pool
module Io = Io
module Runtime = Runtime
module Event = Dromos_sync.Event
module Channel = Dromos_sync.Channel
module Stream = Dromos_sync.Stream
module Broadcast = Dromos_sync.Broadcast
module Mvar = Dromos_sync.Mvar
module Ivar = Dromos_sync.Ivar
module Lazy = Dromos_sync.Lazy
module Mutex = Dromos_sync.Mutex
module Condition = Dromos_sync.Condition
module Rwlock = Dromos_sync.Rwlock
module Semaphore = Dromos_sync.Semaphore
module Barrier = Dromos_sync.Barrier

module Resource_pool = struct
  include Dromos_sync.Resource_pool

  let create ?name ?max_idle ?check ~max ~make ~dispose () =
    let dispose resource = protect (fun () -> dispose resource) in
    create ?name ?max_idle ?check ~max ~make ~dispose ()
end

module Latch = Dromos_sync.Latch
module Fifo = Dromos_fifo
module Sched = Dromos_sched
module Fls = Dromos_sched.Fls
module Random = Random_streams
module Worker_local = Worker_local
