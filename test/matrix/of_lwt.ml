open Dromos_sync
open Lwt.Syntax

(* What is to run on Lwt's thread, newest first. *)
type loop = { todo : (unit -> unit) list Atomic.t; notification : int }

let rec post loop f =
  let before = Atomic.get loop.todo in
  if not (Atomic.compare_and_set loop.todo before (f :: before)) then
    post loop f
  else if before = [] then Lwt_unix.send_notification loop.notification

let make_loop () =
  let todo = Atomic.make [] in
  let deliver () =
    List.iter (fun f -> f ()) (List.rev (Atomic.exchange todo []))
  in
  { todo; notification = Lwt_unix.make_notification deliver }

(* [signal] can be cancelled; if the event has taken place by then, its result
   is given all the same. *)
let sync loop event =
  let signal, wake = Lwt.task () and served, serve = Lwt.wait () in
  let finish result () =
    Lwt.wakeup_later serve result;
    if Lwt.is_sleeping signal then Lwt.wakeup_later wake ()
  in
  let cancel = Event.start event (fun r -> post loop (finish r)) in
  let cancelled = function
    | Lwt.Canceled when not (cancel ()) -> Lwt.return_unit
    | e -> Lwt.fail e
  in
  let* () = Lwt.catch (fun () -> signal) cancelled in
  let* result = served in
  Lwt.return (result ())

(* [Lwt.cancel] cancels what is waited for now, not what comes after it, so a
   task that is to end has a flag too, as programs have. *)
let rec run : type a. loop -> bool ref -> Step.forms -> a Step.t -> a Lwt.t =
 fun loop stopped forms -> function
  | Return v -> Lwt.return v
  | Call f -> Lwt.return (f ())
  | Bind (t, f) ->
      let* v = run loop stopped forms t in
      run loop stopped forms (f v)
  | Catch t ->
      Lwt.catch
        (fun () ->
          let* v = run loop stopped forms t in
          Lwt.return (Ok v))
        (fun e -> Lwt.return (Error e))
  | Wait op -> (
      match forms.form op with
      | (Direct _ | Event _) when !stopped -> Lwt.fail Lwt.Canceled
      | Direct _ -> failwith "Lwt cannot wait in direct style"
      | Event e -> sync loop e)
  | Yield -> Lwt.pause ()

let make _ =
  let loop = make_loop () in
  let ended, finish = Lwt.wait () in
  let thread = Atomic.make (-1) in
  let serve () =
    Atomic.set thread (Thread.id (Thread.self ()));
    Lwt_main.run ended
  in
  let domain = Domain.spawn serve in
  let start forms program finished =
    let stopped = ref false in
    let late = Party.late Lwt.cancel in
    let begin_ () =
      let p = Lwt.apply (run loop stopped forms) program in
      Lwt.on_any p (fun v -> finished (Ok v)) (fun e -> finished (Error e));
      Party.known late p
    in
    post loop begin_;
    fun () ->
      let cancel () =
        stopped := true;
        Party.cancel late
      in
      if Thread.id (Thread.self ()) = Atomic.get thread then cancel ()
      else post loop cancel
  in
  let stop () =
    post loop (fun () -> Lwt.wakeup_later finish ());
    Domain.join domain;
    Lwt_unix.stop_notification loop.notification
  in
  let is_cancelled e = e = Lwt.Canceled in
  let name = "lwt" and direct = false and cancellable = true in
  { Party.name; direct; cancellable; is_cancelled; start = { start }; stop }

let kind = { Party.kind = "lwt"; make }
