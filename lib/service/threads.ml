type place = New | In_line | Begun | Left
type job = { run : unit -> unit; mutable place : place }
type counts = { threads : int; running : int; waiting : int }

let job run = { run; place = New }
let lock = Mutex.create ()
let work = Condition.create () (* idle threads wait for jobs *)
let locked f = Signals.protect lock f

(* The job queue [line] and the counters are used with [lock] held. *)
let line : job Queue.t = Queue.create ()
let waiting = ref 0 (* jobs of [line] that have not left *)
let threads = ref 0
let starting = ref 0 (* of [threads], those that have not begun *)
let idle = ref 0
let running = ref 0
let begun = ref 0 (* jobs begun since the start of the process *)
let refusal : exn option ref = ref None (* the system's last refusal *)

(* {1 The bound} *)

let variable = "DROMOS_BLOCKING_THREADS"

let asked_for =
  match Sys.getenv_opt variable with
  | None | Some "" -> Ok 512
  | Some text -> (
      match int_of_string_opt text with
      | Some n when n >= 1 -> Ok n
      | Some _ | None -> Error text)

let bound = ref asked_for

let known_bound () =
  match !bound with
  | Ok n -> n
  | Error text ->
      invalid_arg
        (Printf.sprintf "%s=%s: expected a number of threads from 1" variable
           text)

let most () = locked known_bound

(* {1 The report} *)

type watch = Off | Armed | Reported

let watch = ref Off (* with [lock] held *)
let every = Mtime.Span.(250 * ms)
let looks = 4 (* looks without a change before the report *)

let text () =
  let why, advice =
    match !refusal with
    | Some e when !starting > 0 ->
        ( Printf.sprintf
            "the system refuses another thread (%s), with %d of at most %d \
             started"
            (Printexc.to_string e) (!threads - !starting) (known_bound ()),
          "more memory, a larger ulimit -u or pids limit, or smaller stacks \
           (ulimit -s) allow more" )
    | Some _ | None ->
        ( Printf.sprintf "all %d threads for blocking calls are in use"
            (known_bound ()),
          Printf.sprintf "%s=%d, or Dromos.set_blocking_threads, allows more"
            variable
            (4 * known_bound ()) )
  in
  Printf.sprintf
    "dromos: %s, and no call has ended for a second: %d run, %d wait in line.\n\
    \  If those that run wait for those in line, they never end: %s; Dromos.Io \
     waits for descriptors without a thread each.\n"
    why !running !waiting advice

let rec look before quiet () =
  let next =
    locked (fun () ->
        if !waiting = 0 then begin
          watch := Off;
          `Nothing
        end
        else if !begun > before then `Again (!begun, 0)
        else if quiet + 1 < looks then `Again (before, quiet + 1)
        else begin
          watch := Reported;
          `Tell (text ())
        end)
  in
  match next with
  | `Nothing -> ()
  | `Again (now, quiet) -> look_later now quiet
  | `Tell text -> Host.advise text

(* If no descriptor is left for the timer, there is no report. *)
and look_later before quiet =
  match Timer.after every (look before quiet) with
  | (_ : Timer.cancel) -> ()
  | exception (Unix.Unix_error _ | Failure _) -> locked (fun () -> watch := Off)

(* Called without [lock]. *)
let keep_watch () =
  let arm =
    locked (fun () ->
        if !watch = Off && !waiting > 0 then begin
          watch := Armed;
          Some !begun
        end
        else None)
  in
  Option.iter (fun now -> look_later now 0) arm

(* {1 The threads} *)

let min_idle = 4

(* The thread passes its signal on: the signal may have been for a job, or
   another idle thread may be in excess too. *)
let ends () =
  decr threads;
  Condition.signal work;
  None

let rec take () =
  match Queue.take_opt line with
  | Some { place = Left; _ } -> take ()
  | other -> other

let rec next () =
  if !threads > known_bound () then ends ()
  else
    match take () with
    | Some job ->
        job.place <- Begun;
        decr waiting;
        incr running;
        incr begun;
        Some job
    | None when !idle >= Int.max min_idle !running -> ends ()
    | None ->
        incr idle;
        Condition.wait work lock;
        decr idle;
        next ()

let rec serve next_job =
  match locked next_job with
  | None -> ()
  | Some job ->
      job.run ();
      serve (fun () ->
          decr running;
          next ())

let body () =
  serve (fun () ->
      decr starting;
      next ())

let refused e =
  locked (fun () -> refusal := Some e);
  keep_watch ()

(* Called with [lock] held: the number of threads to start for the queued jobs,
   and [true] if some of the jobs may wait for long. *)
let hire () =
  let wanted = Int.max 0 (!waiting - !idle - !starting) in
  let n = Int.max 0 (Int.min wanted (known_bound () - !threads)) in
  threads := !threads + n;
  starting := !starting + n;
  (n, n < wanted || (!starting > 0 && Option.is_some !refusal))

let start_threads (n, short) =
  for _ = 1 to n do
    Host.thread ~of_many:true ~refused body
  done;
  if short then keep_watch ()

(* {1 From outside} *)

(* Starts the timer too. The report needs the timer, and at the time of the
   report the system may have no thread left for it. *)
let start () =
  (* A racy read of [bound]: [set_most] writes only valid bounds. *)
  ignore (known_bound () : int);
  Host.start ();
  try Timer.start () with Unix.Unix_error _ -> ()

let submit job =
  start_threads
    (locked (fun () ->
         Queue.push job line;
         job.place <- In_line;
         incr waiting;
         if !idle > 0 then Condition.signal work;
         hire ()))

(* Jobs that have left are swept once they are more than half of the queue. *)
let sweep () =
  if Queue.length line > 16 && Queue.length line > 2 * !waiting then begin
    let rest = Queue.create () in
    Queue.iter (fun job -> if job.place = In_line then Queue.push job rest) line;
    Queue.clear line;
    Queue.transfer rest line
  end

let leave job =
  locked (fun () ->
      let place = job.place in
      if place = In_line then begin
        job.place <- Left;
        decr waiting;
        sweep ()
      end;
      place)

let set_most n =
  if n < 1 then
    invalid_arg
      (Printf.sprintf "Dromos.set_blocking_threads: %d, expected 1 or more" n);
  start_threads
    (locked (fun () ->
         bound := Ok n;
         Condition.signal work;
         if !waiting > 0 then hire () else (0, false)))

let counts () =
  locked (fun () ->
      { threads = !threads; running = !running; waiting = !waiting })
