open Lwt.Syntax

(* {1 The loop}

   All parties share a loop, since a process has only one; the loop runs while a
   party exists. [todo] has the functions to run on the loop's thread, newest
   first. *)

let todo = Atomic.make []

type loop = {
  mutable users : int;
  mutable end_ : (unit -> unit) option;
  ring : (unit -> unit) Lazy.t;
}

let deliver () = List.iter (fun f -> f ()) (List.rev (Atomic.exchange todo []))

(* Only the main thread uses the fields; the notification is made before any
   other thread exists. *)
let loop =
  {
    users = 0;
    end_ = None;
    ring =
      lazy
        (let notification = Lwt_unix.make_notification deliver in
         fun () -> Lwt_unix.send_notification notification);
  }

let rec post f =
  let before = Atomic.get todo in
  if not (Atomic.compare_and_set todo before (f :: before)) then post f
  else if before = [] then (Lazy.force loop.ring) ()

let thread = Atomic.make (-1)

let begin_loop () =
  ignore (Lazy.force loop.ring : unit -> unit);
  let ended, finish = Lwt.wait () in
  let serve () =
    Atomic.set thread (Thread.id (Thread.self ()));
    Dromos_lwt.run (fun () -> ended)
  in
  let domain = Domain.spawn serve in
  loop.end_ <-
    Some
      (fun () ->
        post (fun () -> Lwt.wakeup_later finish ());
        Domain.join domain)

let enter () =
  if loop.end_ = None then begin_loop ();
  loop.users <- loop.users + 1

let leave () =
  loop.users <- loop.users - 1;
  if loop.users = 0 then begin
    Option.iter (fun end_ -> end_ ()) loop.end_;
    loop.end_ <- None
  end

(* {1 Programs} *)

let misplaced () = failwith "Lwt cannot wait in direct style"

(* [Lwt.cancel] cancels the present wait, not later waits. So a task to be
   stopped has a flag too, as in real programs. *)
let rec run : type a. bool ref -> Step.forms -> a Step.t -> a Lwt.t =
 fun stopped forms -> function
  | Return v -> Lwt.return v
  | Call f -> Lwt.return (f ())
  | Bind (t, f) ->
      let* v = run stopped forms t in
      run stopped forms (f v)
  | Catch t ->
      Lwt.catch
        (fun () ->
          let* v = run stopped forms t in
          Lwt.return (Ok v))
        (fun e -> Lwt.return (Error e))
  | Wait op -> (
      match forms.form op with
      | (Direct _ | Event _) when !stopped -> Lwt.fail Lwt.Canceled
      | Direct _ -> misplaced ()
      | Event e -> Dromos_lwt.sync e)
  | Plain _ -> misplaced ()
  | Yield -> Lwt.pause ()

let hands =
  {
    Step.yield = (fun () -> Dromos_lwt.await (Lwt.pause ()));
    sync = Dromos_sync.Event.sync;
  }

(* The flag again: in a fiber, [Lwt.cancel] raises only once. *)
let fiber stopped forms program =
  let check () = if !stopped then raise Lwt.Canceled in
  let hands =
    {
      Step.yield =
        (fun () ->
          check ();
          hands.yield ());
      sync =
        (fun event ->
          check ();
          hands.sync event);
    }
  in
  let form (type a) (op : a Step.op) : a Step.form =
    check ();
    forms.Step.form op
  in
  Dromos_lwt.fiber (fun () -> Step.run hands { Step.form } program)

(* {1 Parties} *)

let begin_task p late finished =
  Lwt.on_any p (fun v -> finished (Ok v)) (fun e -> finished (Error e));
  Party.known late p

let start begin_ =
  let stopped = ref false in
  let late = Party.late Lwt.cancel in
  post (fun () -> begin_ late stopped);
  fun () ->
    let cancel () =
      stopped := true;
      Party.cancel late
    in
    if Thread.id (Thread.self ()) = Atomic.get thread then cancel ()
    else post cancel

let kind name ~direct start =
  let make _ =
    enter ();
    let is_cancelled e = e = Lwt.Canceled and cancellable = true in
    { Party.name; direct; cancellable; is_cancelled; start; stop = leave }
  in
  { Party.kind = name; direct; make }

let promises =
  let start forms program finished =
    start (fun late stopped ->
        begin_task (Lwt.apply (run stopped forms) program) late finished)
  in
  kind "lwt" ~direct:false { start }

let fibers =
  let start forms program finished =
    start (fun late stopped ->
        begin_task (fiber stopped forms program) late finished)
  in
  kind "lwt-fiber" ~direct:true { start }
