open Types
module Hub = Dromos_hub.Hub
module Pool = Dromos_kernel.Pool
module Output = Dromos_service.Output
module Signals = Dromos_service.Signals

let max_workers = 128

(* Links {!Gc_guard} into each program with runs. *)
let (_ : bool) = Gc_guard.active

(* The number of processors by the process's affinity, at most the container's
   quota at the first call. *)
let processors =
  let quota =
    lazy (if Dromos_service.Platform.is_linux then Cgroup.cpus () else None)
  and lock = Mutex.create () in
  fun () ->
    let n = Domain.recommended_domain_count () in
    let quota = Signals.protect lock (fun () -> Lazy.force quota) in
    Int.min n (Option.value quota ~default:n)

let default_workers () =
  match Sys.getenv_opt "DROMOS_WORKERS" with
  | None | Some "" -> Int.min max_workers (processors ())
  | Some text -> (
      match int_of_string_opt text with
      | Some n when 1 <= n && n <= max_workers -> n
      | Some _ | None ->
          invalid_arg
            (Printf.sprintf
               "DROMOS_WORKERS=%s: expected a number of workers from 1 to %d"
               text max_workers))

let check_workers ~call n =
  if n < 1 || n > max_workers then
    invalid_arg
      (Printf.sprintf "%s: ~workers:%d is not in 1 .. %d" call n max_workers)

type stats = {
  tasks : int;
  promotions : int;
  steals : int;
  suspensions : int;
  sleeps : int;
  domains : int;
  minor : Minor_stops.figures;
}

let stats run =
  let sum f = Array.fold_left (fun n w -> n + f w) 0 run.workers in
  let { Pool.tasks; steals; sleeps } = Pool.counts run.pool in
  {
    tasks;
    promotions = sum (fun w -> w.promotions);
    steals;
    suspensions = sum (fun w -> w.suspensions);
    sleeps;
    domains = Crew.domains ();
    minor = Minor_stops.since run.began;
  }

let last_stats =
  Atomic.make
    {
      tasks = 0;
      promotions = 0;
      steals = 0;
      suspensions = 0;
      sleeps = 0;
      domains = 0;
      minor = { collections = 0; stopped = 0.; elapsed = 0. };
    }

let last () = Atomic.get last_stats

let pp_minor ppf (f : Minor_stops.figures) =
  Format.fprintf ppf "minor collections %d (%.3f s of %.3f)" f.collections
    f.stopped f.elapsed

let pp_stats ppf s =
  Format.fprintf ppf
    "@[<h>tasks %d, promotions %d, steals %d, suspensions %d, sleeps %d, \
     domains %d, %a%t@]"
    s.tasks s.promotions s.steals s.suspensions s.sleeps s.domains pp_minor
    s.minor (fun ppf ->
      Option.iter
        (Format.fprintf ppf "; %s")
        (Minor_stops.advice ~alone:(s.domains = 0) s.minor))

let list_of_unbegun run id =
  let context () = Worker.kernel run.workers.(id) in
  Made.own ~none:Nobody.made
    ~retract:(fun task -> Pool.retract (context ()) task)
    ~push:(fun task -> Pool.push (context ()) New task)

let make_worker run id =
  Worker.make run id ~unbegun:(list_of_unbegun run id)
    ~waiters:
      (Registry.create ~mark:Fiber.nobody ~none:Info.no_holder
         ~gone:(Dropped.tell run) ())

(* The run, the run's pool and the root scope refer to each other; the pool's
   hook finds the run through [self]. *)
let make ~workers ~hub_name ~deques ~standing ~attend ~unhandled
    (hub : Hub.maker) =
  Weak_ends.settle ();
  Stack_cache.bound ();
  let self = ref Nobody.run in
  let signal = Atomic.make_contended (if Debug_mode.on then 1 else 0) in
  let on_idle id = Crew.rest !self.workers.(id) in
  let pool =
    Pool.create
      ~hub:(fun ~workers -> hub.make ~workers)
      ~idle:signal ~on_idle ~workers
  in
  let run =
    {
      pool;
      run_signal = signal;
      workers = Array.make workers Nobody.worker;
      hub_name;
      mask = Signals.current ();
      backtraces = Printexc.backtrace_status ();
      over = Atomic.make false;
      vacant = Atomic.make 0;
      unserved = Atomic.make 0;
      ask_workers = (fun () -> Crew.request !self);
      look_around = Crew.look_around;
      standing;
      attend;
      began = Minor_stops.mark ();
      deques;
      interruption = Dromos_sync.Author.Once.create ();
      notes = Atomic.make [];
      root = Nobody.scope;
      quiet = Deadlock.quiet ();
      keeps_domains = false;
    }
  in
  Array.iteri (fun i _ -> run.workers.(i) <- make_worker run i) run.workers;
  self := run;
  Scope.set_root run (Scope.make ~unhandled run);
  run

(* Runs the root scope's body, as the code of the first fiber. [body] takes
   separate arguments instead of a closure, so that [f] is no longer on the
   stack when the fiber leaves its heap. *)
let body run record result ended f fiber =
  let outcome =
    match Scope.body fiber run.root (fun _ -> f ()) with
    | v -> Ok v
    | exception e -> Error (e, Printexc.get_raw_backtrace ())
  in
  if record = Task_heap.no_record then result := Some outcome
  else Slice.end_in_heap fiber record outcome;
  ended := true;
  Atomic.set run.over true;
  Pool.wake run.pool 0

(* Submits the first fiber. *)
let start run f record result ended =
  let root = run.root in
  let info = Info.first () and fls = Storage.current () in
  let heap = Task_heap.task record in
  ignore
    (Pool.submit run.pool New
       (Publish.first (fun task context ->
            Start.fiber context ~heap ~task ~scope:root ~node:root.scope_node
              ~fls ~info
              (body run record result ended f))))

let serve run ~workers =
  let leave () =
    Output.of_caller ();
    Signals.blocked (fun () -> Crew.leave run)
  in
  if workers > 1 then Output.of_caller ();
  Fun.protect ~finally:leave @@ fun () ->
  Crew.enter run ~asked:workers;
  let until () = Atomic.get run.over in
  run.attend 0 (fun () -> Crew.serve_once run.workers.(0) ~until)

(* The stack from here down keeps neither [f] nor the run's root alive while the
   run goes on: {!Deadlock} asks the collector which values still lead to the
   run's fibers. *)
let finish run record result ended =
  Atomic.set last_stats (stats run);
  if record <> Task_heap.no_record && !ended then
    result := Some (Task_heap.join Task_heap.none record);
  match !result with
  | Some (Ok v) -> v
  | Some (Error (e, bt)) -> Printexc.raise_with_backtrace e bt
  | None -> (
      match Quiet.stage run.quiet with
      | Abandoned e -> raise e
      | Watching | Settled | Failed _ ->
          invalid_arg "Dromos.run: the run ended without a result")

(* A finaliser may raise in the change of the minor heap's size at the end. The run
   raises its own failure, if it has one, and the finaliser's follows. *)
let serve_all run ~workers result =
  try serve run ~workers
  with later -> (
    let failure = (later, Printexc.get_raw_backtrace ()) in
    match !result with
    | Some (Error (e, bt)) when Suppressed.is_failure e ->
        Suppressed.follow ~what:"the end of a run" e failure;
        Printexc.raise_with_backtrace e bt
    | Some _ | None -> Printexc.raise_with_backtrace later (snd failure))

let no_hooks _ serve = serve ()

(* The caller's minor heap stays unchanged unless the program asks for a size. A
   worker whose minor heap already has the caller's size keeps that heap, since
   runs are short. *)
let sized attend ~asked ~callers id serve =
  let serve_with words =
    Minor_heap.with_size words (fun () -> attend id serve)
  in
  match asked with
  | Some words -> serve_with words
  | None when id = 0 || Minor_heap.size () = callers -> attend id serve
  | None -> serve_with callers

let run ~workers ~hub_name ~deques ?(standing = false) ?(attend = no_hooks)
    ?minor_heap_words ?(unhandled = Unhandled.standard) hub f =
  Misplaced.check_run ();
  let attend =
    sized attend ~asked:minor_heap_words ~callers:(Minor_heap.size ())
  in
  let result = ref None and ended = ref false in
  let record = ref Task_heap.no_record in
  let begin_ f () =
    Dump.if_asked ();
    let run =
      make ~workers ~hub_name ~deques ~standing ~attend ~unhandled hub
    in
    record := Task_heap.make ~several:(workers > 1);
    start run f !record result ended;
    run
  in
  Interruption.during (begin_ f) @@ fun run ->
  serve_all run ~workers result;
  finish run !record result ended

(* A signal handler or a fiber may end the program while the thread holds the
   lock. *)
let () =
  at_exit (fun () ->
      match Roster.locked Roster.runs with
      | runs -> Unhandled.at_exit runs
      | exception Sys_error _ -> ())
