(* Every [Job] block is a new one; [Empty] and [Closed] are immediate. The CAS
   on physical equality is therefore exact. *)
type inbox = Empty | Job of { job : unit -> unit; next : inbox } | Closed
type watcher = { lives : unit -> bool; tell : exn -> unit }

type t = {
  thread : int;
  domain : int;
  main : bool; (* made by [run], not by a first call of Lwt code *)
  inbox : inbox Atomic.t;
  ring : unit -> unit;
      (* makes the loop empty its inbox; callable from any
                          thread *)
  silence : unit -> unit; (* ends the ringing *)
  watchers : (int, watcher) Hashtbl.t;
  mutable last_watch : int;
  mutable room : int; (* the number of watchers to add before the next sweep *)
}

type watch = int

let misplaced format =
  Printf.ksprintf (fun text -> raise (Dromos.Misplaced text)) format

let here () = Thread.id (Thread.self ())
let is_here t = t.thread = here ()
let current : t option Atomic.t = Atomic.make None

(* {1 Jobs} *)

let rec run_all = function
  | [] -> ()
  | job :: rest -> (
      match job () with
      | () -> run_all rest
      | exception e ->
          (* The hook may raise, to end the program; the remaining jobs still
             run. *)
          Fun.protect
            ~finally:(fun () -> run_all rest)
            (fun () -> !Lwt.async_exception_hook e))

let rec oldest_first acc = function
  | Empty | Closed -> acc
  | Job { job; next } -> oldest_first (job :: acc) next

(* Only the loop's thread takes jobs and closes the inbox: an inbox that the
   read finds open is still open at the exchange. *)
let take t left =
  match Atomic.get t.inbox with
  | Closed -> ()
  | Empty | Job _ -> run_all (oldest_first [] (Atomic.exchange t.inbox left))

let rec post t job =
  match Atomic.get t.inbox with
  | Closed -> false
  | (Empty | Job _) as old ->
      if Atomic.compare_and_set t.inbox old (Job { job; next = old }) then begin
        (match old with Empty -> t.ring () | Job _ | Closed -> ());
        true
      end
      else post t job

(* {1 Loops} *)

(* Called before other threads know the loop: only Lwt's thread may make a
   notification. The fields [ring] and [silence] are closures, since the type of
   a notification differs between Lwt 5 and Lwt 6. *)
let make ~main =
  let notification = Lwt_unix.make_notification ignore in
  let t =
    {
      thread = here ();
      domain = (Domain.self () :> int);
      main;
      inbox = Atomic.make Empty;
      ring = (fun () -> Lwt_unix.send_notification notification);
      silence = (fun () -> Lwt_unix.stop_notification notification);
      watchers = Hashtbl.create 16;
      last_watch = 0;
      room = 64;
    }
  in
  Lwt_unix.set_notification notification (fun () -> take t Empty);
  t

let place t = Printf.sprintf "thread %d of domain %d" t.thread t.domain

let elsewhere what t =
  misplaced
    "%s: Lwt runs on %s, and only its own code may call this, not thread %d of \
     domain %d; to run Lwt code from elsewhere use Dromos_lwt.in_lwt"
    what (place t) (here ())
    (Domain.self () :> int)

(* True while the program exits: the exiting thread runs Lwt's exit hooks, in
   Lwt's loop. *)
let exiting = Atomic.make false
let () = at_exit (fun () -> Atomic.set exiting true)

(* The thread that is in an iteration of Lwt's loop, or -1. *)
let iterates = Atomic.make (-1)

let () =
  let enter () = Atomic.set iterates (here ())
  and leave () = Atomic.set iterates (-1) in
  ignore
    (Lwt_main.Enter_iter_hooks.add_first enter : Lwt_main.Enter_iter_hooks.hook);
  ignore
    (Lwt_main.Leave_iter_hooks.add_last leave : Lwt_main.Leave_iter_hooks.hook)

(* [true]: the loop runs. The end of a loop that the program runs itself is not
   announced, so such a loop counts only during an iteration on its thread. *)
let runs t = t.main || Atomic.get iterates = t.thread

let check what =
  match Atomic.get current with
  | Some t when runs t && not (is_here t || Atomic.get exiting) ->
      elsewhere what t
  | Some _ | None -> ()

let runs_here () =
  match Atomic.get current with Some t -> is_here t && runs t | None -> false

(* True if another thread iterates: the calling thread must not be registered as
   Lwt's. *)
let iterates_elsewhere () =
  let thread = Atomic.get iterates in
  thread >= 0 && thread <> here ()

let rec mine what =
  match Atomic.get current with
  | (Some { main = false; _ } | None) when iterates_elsewhere () ->
      misplaced
        "%s: Lwt runs on thread %d, and only its own code may call this, not \
         thread %d; to run Lwt code from elsewhere use Dromos_lwt.in_lwt"
        what (Atomic.get iterates) (here ())
  | Some t when is_here t -> t
  | Some t -> elsewhere what t
  | None ->
      if Dromos_suspend.self () >= 0 then
        misplaced
          "%s: called in a task of another scheduler, and no Lwt loop is \
           known; call it in Lwt code, inside Dromos_lwt.run"
          what;
      let t = make ~main:false in
      if Atomic.compare_and_set current None (Some t) then begin
        (* Provides the storage to the end of the thread. *)
        ignore (Context.provide () : unit -> unit);
        Guard.install ~check ~is_here:runs_here;
        t
      end
      else mine what

(* Between two iterations no code of Lwt runs, so the next iteration begins
   soon. *)
let rec comes_again looks =
  Atomic.get iterates >= 0
  || looks > 0
     && begin
          Thread.delay 0.001;
          comes_again (looks - 1)
        end

let theirs what =
  match Atomic.get current with
  | Some t when t.main || comes_again 50 -> t
  | Some _ | None ->
      misplaced
        "%s: no Lwt loop runs; start the program with Dromos_lwt.run, or give \
         Lwt a domain of its own with Dromos_lwt.with_loop"
        what

(* Makes [t] the current loop, for [run]; returns the loop before. A loop that
   [run] made is refused. A loop that a first call of Lwt code made ([mine]) is
   replaced, since its end is not announced; if it still runs, [Lwt_main.run]
   fails, and [run] restores it. *)
let rec enter t =
  match Atomic.get current with
  | Some other when other.main ->
      misplaced
        "Dromos_lwt.run: Lwt runs already, on %s, and has one loop per process"
        (place other)
  | before ->
      if Atomic.compare_and_set current before (Some t) then before else enter t

let ended = Dromos.Misplaced "Dromos_lwt: the Lwt loop ended before the promise"

let tell_watchers t =
  let watchers = Hashtbl.fold (fun _ w ws -> w :: ws) t.watchers [] in
  Hashtbl.reset t.watchers;
  List.iter (fun w -> w.tell ended) watchers

let rec run_jobs t rounds =
  match Atomic.get t.inbox with
  | Job _ when rounds > 0 ->
      take t Empty;
      run_jobs t (rounds - 1)
  | Job _ | Empty | Closed -> ()

(* A watcher may clean up by further jobs, so the inbox stays open for a number
   of rounds. The number is bounded, since other threads may keep on posting. *)
let close t =
  tell_watchers t;
  run_jobs t 1000;
  take t Closed;
  tell_watchers t;
  t.silence ()

let nested text = String.starts_with ~prefix:"Nested calls to Lwt_main.run" text

(* {1 Backtraces} *)

(* Raises as a handler re-raises. For the exception that the domain raised last,
   the backtrace continues; for any other exception, a new backtrace starts
   here. *)
external reraise : exn -> 'a = "%reraise"

let trace e = try reraise e with _ -> Printexc.get_raw_backtrace ()

(* {1 Running} *)

let captured f =
  Lwt.try_bind f
    (fun v -> Lwt.return (Ok v))
    (fun e -> Lwt.return (Error (e, trace e)))

let resolved_elsewhere t =
  Dromos.Misplaced
    (Printf.sprintf
       "Dromos_lwt.run: its promise was resolved on thread %d of domain %d, by \
        Lwt.wakeup or its like, and Lwt runs on %s; to resolve a promise from \
        elsewhere use Dromos_lwt.in_lwt (fun () -> Lwt.wakeup_later ..; \
        Lwt.return_unit)"
       (here ())
       (Domain.self () :> int)
       (place t))

(* A callback runs in the thread that resolves the promise. If another thread
   resolves the promise, the loop may be asleep, and would go on sleeping. *)
let on_this_thread t p =
  let mine, resolver = Lwt.wait () in
  let resolve outcome = Lwt.wakeup_later resolver outcome in
  Lwt.on_success p (fun outcome ->
      if is_here t then resolve outcome
      else
        let failure = (resolved_elsewhere t, Printexc.get_callstack 10) in
        ignore (post t (fun () -> resolve (Error failure)) : bool));
  mine

let run f =
  let t = make ~main:true in
  let before = enter t in
  Guard.install ~check ~is_here:runs_here;
  let provided_no_more = Context.provide () in
  (* While Lwt runs, Lwt code may wake a task of Dromos. *)
  Dromos_suspend.External.incr ();
  let leave next =
    close t;
    provided_no_more ();
    Dromos_suspend.External.decr ();
    Atomic.set current next
  in
  (* [f] starts after [Lwt_main] has accepted to run. *)
  let outcome () = Lwt.bind (Lwt.pause ()) (fun () -> captured f) in
  match Lwt_main.run (on_this_thread t (outcome ())) with
  | Ok v ->
      leave None;
      v
  | Error (e, bt) ->
      leave None;
      Printexc.raise_with_backtrace e bt
  | exception Failure text when nested text ->
      leave before;
      misplaced "Dromos_lwt.run: called inside Lwt_main.run"
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      leave None;
      Printexc.raise_with_backtrace e bt

(* {1 Watching} *)

let sweep t =
  let kept _ w = if w.lives () then Some w else None in
  Hashtbl.filter_map_inplace kept t.watchers;
  t.room <- Int.max 64 (Hashtbl.length t.watchers)

let add t watcher =
  if t.room = 0 then sweep t;
  t.room <- t.room - 1;
  t.last_watch <- t.last_watch + 1;
  Hashtbl.replace t.watchers t.last_watch watcher;
  t.last_watch

let watch t tell = add t { lives = (fun () -> true); tell }

let watch_while_reachable t x f =
  let weak = Weak.create 1 in
  Weak.set weak 0 (Some x);
  let lives () = Weak.check weak 0 in
  let tell _ = Option.iter f (Weak.get weak 0) in
  add t { lives; tell }

let unwatch t key = Hashtbl.remove t.watchers key
