open Dromos_fiber
module Event = Dromos_sync.Author.Event
module Figures = Runtime_figures
module Ivar = Dromos_sync.Ivar
module Job = Runtime_job
module Metrics = Runtime_metrics
module Once = Dromos_sync.Author.Once
module Promise = Dromos_sync.Promise
module Semaphore = Dromos_sync.Semaphore
module Signals = Dromos_service.Signals
module Timer = Dromos_service.Timer
module Waiter = Dromos_sync.Author.Waiter
include Runtime_life

(* {1 Accepting} *)

let refuse t e =
  Figures.refused t.figures;
  raise e

let give_back t = Option.iter (fun room -> Semaphore.release room) t.room

(* The task's fiber has the storage of its submitter. *)
let publish t ?name job =
  let fls = Storage.current () in
  let run () = Job.run job in
  let over () = Job.finish job ~cancelled:(Scope.is_cancelled t.scope) in
  Publish.task t.scope.scope_run New
    (Publish.first (fun task context ->
         Scope.start context ~task t.scope ?name ~fls run over))

(* Called when room in the queue has been taken. After [Pending.enter] the run waits
   for the task, so no step after it may be skipped: see {!whole}. *)
let accept t ?name over code =
  if is_stopped t || not (Pending.enter t.scope.pending) then begin
    give_back t;
    refuse t (Stopped t.name)
  end;
  let over ending outcome =
    match over ending outcome with
    | () -> ()
    | exception e ->
        t.report "the function for a task's outcome" e
          (Printexc.get_raw_backtrace ())
  in
  let left_queue () = give_back t in
  let job = Job.make ~figures:t.figures ~over ~left_queue code in
  publish t ?name job;
  job

(* Calls [f] so that no exception of a signal handler cuts [f] short. Outside a run a
   handler of the program may raise anywhere, so signals are blocked during [f] if
   there are handlers, which takes some microseconds. Inside a run handlers have a
   guard. *)
let whole f =
  if Fiber.current () == Fiber.nobody && Interruption.guarded () then
    Signals.blocked f
  else f ()

let if_room t accept =
  Dromos_service.Stack_room.ensure 3;
  whole (fun () ->
      match t.room with
      | None -> Some (accept ())
      | Some room ->
          if Semaphore.try_acquire room then Some (accept ()) else None)

let event t accept =
  let accept () = whole accept in
  let stopped () = refuse t (Stopped t.name) in
  match t.room with
  | None -> Event.wrap (Event.always ()) accept
  | Some room ->
      Event.choose
        [
          Event.wrap (Semaphore.acquire_event room) accept;
          Event.wrap (Ivar.read_event t.closing) stopped;
        ]

let wait_for_room ?timeout t accept =
  Dromos_service.Stack_room.ensure 3;
  match timeout with
  | None -> Event.sync (event t accept)
  | Some seconds -> (
      match Event.sync (Event.within seconds (event t accept)) with
      | Some accepted -> accepted
      | None -> refuse t Event.Timeout)

let accepted ~call ?timeout t accept =
  let check seconds = ignore (Timer.span ~call seconds : Mtime.Span.t) in
  Option.iter check timeout;
  match if_room t accept with
  | Some accepted -> accepted
  | None -> wait_for_room ?timeout t accept

let if_accepted t accept =
  let accepted = if_room t accept in
  if accepted = None then Figures.refused t.figures;
  accepted

(* {1 Tasks} *)

let promised t ?name code () =
  let promise = Promise.create () in
  let over _ outcome = ignore (Promise.try_resolve promise outcome : bool) in
  ignore (accept t ?name over code : _ Job.t);
  promise

let posted t ?name code () =
  let what =
    match name with
    | None -> "a task"
    | Some name -> "task " ^ Dromos_service.Message.quoted name
  in
  let over (ending : Job.ending) outcome =
    match (ending, outcome) with
    | Failed, Error (e, bt) -> t.report what e bt
    | _, (Ok () | Error _) -> ()
  in
  ignore (accept t ?name over code : unit Job.t)

let submit ?name ?timeout t code =
  accepted ~call:"Dromos.Runtime.submit" ?timeout t (promised t ?name code)

let try_submit ?name t code = if_accepted t (promised t ?name code)
let submit_event ?name t code = event t (promised t ?name code)

let post ?name ?timeout t code =
  accepted ~call:"Dromos.Runtime.post" ?timeout t (posted t ?name code)

let try_post ?name t code = if_accepted t (posted t ?name code) <> None

let start_event ?name t code over =
  event t (fun () ->
      let job = accept t ?name (fun _ -> over) code in
      fun () -> Job.cancel job)

let run ?name ?timeout t code =
  Dromos_service.Stack_room.ensure 3;
  let result = Once.create () in
  let over _ outcome = ignore (Once.close result outcome : bool) in
  let job =
    accepted ~call:"Dromos.Runtime.run" ?timeout t (fun () ->
        accept t ?name over code)
  in
  let source = Event.once_source ~reason:"Runtime.run" result Result.ok in
  match Waiter.wait source with
  | outcome -> Waiter.deliver outcome
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      ignore (Job.cancel job : bool);
      ignore (Waiter.wait ~shielded:true source);
      Printexc.raise_with_backtrace e bt

(* {1 Figures} *)

type stats = Metrics.stats = {
  accepted : int;
  refused : int;
  queued : int;
  running : int;
  finished : int;
  failed : int;
  cancelled : int;
  wait_sum : float;
  wait_max : float;
  run_sum : float;
  run_max : float;
  scheduler : Run.stats;
}

let stats t = Metrics.stats t.figures t.scope.scope_run

let metrics t =
  {
    Metrics.runtime = t.name;
    workers = t.workers;
    queue = t.queue;
    now = stats t;
  }

let to_prometheus_all ?(prefix = "dromos_runtime") ts =
  Metrics.print ~prefix (List.map metrics ts)

let to_prometheus ?prefix t = to_prometheus_all ?prefix [ t ]
