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

type book = {
  accept :
    at_least:float -> documents:int list option -> watched:bool -> int Lwt.t;
  note : int -> Store.state -> unit Lwt.t;
}

type t = {
  most_running : int;
  most_waiting : int;
  remembered : int;
  book : book;
  log : string -> unit;
  run : job -> int Lwt.t;
  mutable stopped : bool;
  line : job Queue.t;
      (* the waiting jobs, and jobs cancelled while they waited *)
  over : int Queue.t; (* finished jobs; the oldest is forgotten first *)
  all : (int, job) Hashtbl.t;
  tasks : (int, unit Lwt.t) Hashtbl.t; (* the promises of running jobs *)
  notes : (int, unit Lwt.t) Hashtbl.t; (* the last note of a job, under way *)
  mutable counts : counts;
}

let create ?(running = 1) ?(waiting = 8) ?(remembered = 1000)
    ?(log = prerr_endline) book run =
  {
    most_running = running;
    most_waiting = waiting;
    remembered;
    book;
    log;
    run;
    stopped = false;
    line = Queue.create ();
    over = Queue.create ();
    all = Hashtbl.create 64;
    tasks = Hashtbl.create 8;
    notes = Hashtbl.create 8;
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

(* {1 The book} *)

(* Notes of a job take place one after the other. A note that fails is no
   failure of the job: the server knows the state, and the next one may not. *)
let note t job state =
  let before =
    Option.value (Hashtbl.find_opt t.notes job.id) ~default:Lwt.return_unit
  in
  let noted =
    Lwt.no_cancel
      (Lwt.catch
         (fun () ->
           let* () = before in
           t.book.note job.id state)
         (fun e ->
           t.log
             (Printf.sprintf "the state of job %d is not kept: %s" job.id
                (Example_http.Fault.reason e));
           Lwt.return_unit))
  in
  if Lwt.is_sleeping noted then begin
    Hashtbl.replace t.notes job.id noted;
    Lwt.on_termination noted (fun () ->
        match Hashtbl.find_opt t.notes job.id with
        | Some last when last == noted -> Hashtbl.remove t.notes job.id
        | _ -> ())
  end

let noted t job =
  match Hashtbl.find_opt t.notes job.id with
  | Some noted -> Lwt.protected noted
  | None -> Lwt.return_unit

(* {1 Running} *)

let rec next t =
  if t.counts.running < t.most_running && not t.stopped then
    match Queue.take_opt t.line with
    | None -> ()
    | Some job when is_over job -> next t
    | Some job ->
        start t job;
        next t

and start t job =
  change t job Running;
  note t job Running;
  let ended state =
    Hashtbl.remove t.tasks job.id;
    change t job state;
    next t;
    Lwt.return_unit
  in
  let task =
    Lwt.try_bind
      (fun () ->
        let* () = noted t job in
        t.run job)
      (fun pairs -> ended (Finished pairs))
      (function
        | Lwt.Canceled when t.stopped ->
            note t job Waiting;
            ended Waiting
        | Lwt.Canceled ->
            note t job Cancelled;
            ended Cancelled
        | e ->
            let reason = Example_http.Fault.reason e in
            t.log (Printf.sprintf "job %d failed: %s" job.id reason);
            note t job (Failed reason);
            ended (Failed reason))
  in
  if Lwt.is_sleeping task then Hashtbl.replace t.tasks job.id task

let cancel t job =
  match job.state with
  | Waiting ->
      change t job Cancelled;
      note t job Cancelled;
      noted t job
  | Running ->
      let task = Hashtbl.find_opt t.tasks job.id in
      Option.iter Lwt.cancel task;
      let* () =
        Option.fold task ~none:Lwt.return_unit ~some:(fun task ->
            Lwt.protected task)
      in
      noted t job
  | Finished _ | Cancelled | Failed _ -> noted t job

(* {1 The queue} *)

let waits t more =
  t.counts <- { t.counts with waiting = t.counts.waiting + more }

(* Its place is counted already. *)
let enqueue t id ~at_least ~documents =
  let job =
    {
      id;
      at_least;
      documents;
      progress = Comparison.progress ();
      state = Waiting;
      changed = Lwt_condition.create ();
    }
  in
  Hashtbl.replace t.all job.id job;
  Queue.add job t.line;
  next t;
  job

let resume t jobs =
  List.iter
    (fun (job : Store.job) ->
      waits t 1;
      ignore
        (enqueue t job.number ~at_least:job.at_least ~documents:job.chosen
          : job))
    jobs

let submit t ~watched ~at_least ~documents =
  let { running; waiting; _ } = t.counts in
  if t.stopped || (running >= t.most_running && waiting >= t.most_waiting) then begin
    t.counts <- { t.counts with refused = t.counts.refused + 1 };
    Lwt.return_none
  end
  else begin
    waits t 1;
    let job =
      Lwt.no_cancel
        (Lwt.try_bind
           (fun () -> t.book.accept ~at_least ~documents ~watched)
           (fun id -> Lwt.return (enqueue t id ~at_least ~documents))
           (fun e ->
             waits t (-1);
             Lwt.reraise e))
    in
    let answer = Lwt.protected job in
    (* Nobody has learnt the number of the job. *)
    Lwt.on_cancel answer (fun () ->
        Lwt.on_success job (fun job ->
            Lwt.dont_wait (fun () -> cancel t job) raise));
    Lwt.map Option.some answer
  end

let wait t job =
  let rec look () =
    if is_over job then Lwt.return job.state
    else
      let* () = Lwt_condition.wait job.changed in
      look ()
  in
  let ended = look () in
  Lwt.on_cancel ended (fun () -> Lwt.dont_wait (fun () -> cancel t job) raise);
  ended

(* {1 The end} *)

let stop t =
  t.stopped <- true;
  let tasks = List.of_seq (Hashtbl.to_seq_values t.tasks) in
  List.iter Lwt.cancel tasks;
  let* () = Lwt.join (List.map Lwt.protected tasks) in
  Lwt.join (List.of_seq (Hashtbl.to_seq_values t.notes))
