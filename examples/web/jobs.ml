open Documents
open Lwt.Syntax

type state =
  | Waiting
  | Running
  | Finished of int
  | Cancelled
  | Failed of string

type job = {
  id : int;
  at_least : float;
  documents : int list option;
  progress : Comparison.progress;
  mutable state : state;
  changed : unit Lwt_condition.t;
}

type counts = {
  waiting : int;
  running : int;
  finished : int;
  cancelled : int;
  failed : int;
  refused : int;
}

type t = {
  most_running : int;
  most_waiting : int;
  remembered : int;
  run : job -> int Lwt.t;
  mutable last : int;
  mutable stopped : bool;
  line : job Queue.t;
      (* the waiting jobs, and jobs cancelled while they
                         waited *)
  over : int Queue.t; (* finished jobs; the oldest is forgotten first *)
  all : (int, job) Hashtbl.t;
  tasks : (int, unit Lwt.t) Hashtbl.t; (* the promises of running jobs *)
  mutable counts : counts;
}

let create ?(running = 1) ?(waiting = 8) ?(remembered = 1000) ~after run =
  {
    most_running = running;
    most_waiting = waiting;
    remembered;
    run;
    last = after;
    stopped = false;
    line = Queue.create ();
    over = Queue.create ();
    all = Hashtbl.create 64;
    tasks = Hashtbl.create 8;
    counts =
      {
        waiting = 0;
        running = 0;
        finished = 0;
        cancelled = 0;
        failed = 0;
        refused = 0;
      };
  }

let counts t = t.counts
let find t id = Hashtbl.find_opt t.all id

let is_over job =
  match job.state with
  | Waiting | Running -> false
  | Finished _ | Cancelled | Failed _ -> true

let change t job state =
  let count d counts = function
    | Waiting -> { counts with waiting = counts.waiting + d }
    | Running -> { counts with running = counts.running + d }
    | Finished _ -> { counts with finished = counts.finished + d }
    | Cancelled -> { counts with cancelled = counts.cancelled + d }
    | Failed _ -> { counts with failed = counts.failed + d }
  in
  t.counts <- count 1 (count (-1) t.counts job.state) state;
  job.state <- state;
  Lwt_condition.broadcast job.changed ();
  if is_over job then begin
    Queue.add job.id t.over;
    if Queue.length t.over > t.remembered then
      Hashtbl.remove t.all (Queue.pop t.over)
  end

let rec next t =
  if t.counts.running < t.most_running then
    match Queue.take_opt t.line with
    | None -> ()
    | Some job when is_over job -> next t
    | Some job ->
        start t job;
        next t

and start t job =
  change t job Running;
  let ended state =
    Hashtbl.remove t.tasks job.id;
    change t job state;
    next t;
    Lwt.return_unit
  in
  let task =
    Lwt.try_bind
      (fun () -> t.run job)
      (fun pairs -> ended (Finished pairs))
      (function
        | Lwt.Canceled -> ended Cancelled
        | e -> ended (Failed (Printexc.to_string e)))
  in
  if Lwt.is_sleeping task then Hashtbl.replace t.tasks job.id task

let submit t ~at_least ~documents =
  let { running; waiting; _ } = t.counts in
  if t.stopped || (running >= t.most_running && waiting >= t.most_waiting) then begin
    t.counts <- { t.counts with refused = t.counts.refused + 1 };
    None
  end
  else begin
    t.last <- t.last + 1;
    let job =
      {
        id = t.last;
        at_least;
        documents;
        progress = Comparison.progress ();
        state = Waiting;
        changed = Lwt_condition.create ();
      }
    in
    t.counts <- { t.counts with waiting = waiting + 1 };
    Hashtbl.replace t.all job.id job;
    Queue.add job t.line;
    next t;
    Some job
  end

let cancel t job =
  match job.state with
  | Waiting -> change t job Cancelled
  | Running -> Option.iter Lwt.cancel (Hashtbl.find_opt t.tasks job.id)
  | Finished _ | Cancelled | Failed _ -> ()

let wait t job =
  let rec look () =
    if is_over job then Lwt.return job.state
    else
      let* () = Lwt_condition.wait job.changed in
      look ()
  in
  let ended = look () in
  Lwt.on_cancel ended (fun () -> cancel t job);
  ended

let stop t =
  t.stopped <- true;
  Hashtbl.iter
    (fun _ job -> if not (is_over job) then cancel t job)
    (Hashtbl.copy t.all)
