module Promise = Dromos.Promise

type mail = Stop | Task of (unit -> unit) * mail Promise.t

type t = {
  last : mail Promise.t Atomic.t; (* what the next message resolves *)
  domain : unit Domain.t;
  over : (unit -> unit) list Atomic.t; (* for Lwt's thread, newest first *)
  notification : int;
}

let serve workers first () =
  Dromos.run ~workers ~hub:Dromos.Hub.fifo @@ fun () ->
  Dromos.Scope.run @@ fun scope ->
  let rec loop mail =
    match Promise.await mail with
    | Stop -> ()
    | Task (f, next) ->
        Dromos.Scope.fork scope f;
        loop next
  in
  loop first

let start ~workers =
  let first = Promise.create () in
  let over = Atomic.make [] in
  let deliver () =
    List.iter (fun f -> f ()) (List.rev (Atomic.exchange over []))
  in
  {
    last = Atomic.make first;
    domain = Domain.spawn (serve workers first);
    over;
    notification = Lwt_unix.make_notification deliver;
  }

(* Each message brings the cell of the next one: a queue for many senders, one
   atomic exchange each. *)
let send t f =
  let next = Promise.create () in
  Promise.resolve (Atomic.exchange t.last next) (Task (f, next))

type state = Waiting | Running of Dromos.Scope.t | Cancelled

let submit_then t f finish =
  let state = Atomic.make Waiting in
  let body scope =
    if not (Atomic.compare_and_set state Waiting (Running scope)) then
      Dromos.Scope.cancel scope;
    Dromos.check ();
    f ()
  in
  send t (fun () ->
      match Dromos.Scope.run body with
      | v -> finish (Ok v)
      | exception e -> finish (Error (e, Printexc.get_raw_backtrace ())));
  fun () ->
    match Atomic.exchange state Cancelled with
    | Running scope -> Dromos.Scope.cancel scope
    | Waiting | Cancelled -> ()

let submit t f =
  let promise = Promise.create () in
  let cancel =
    submit_then t f (fun r -> ignore (Promise.try_fulfil promise r : bool))
  in
  (promise, cancel)

let rec post t f =
  let before = Atomic.get t.over in
  if not (Atomic.compare_and_set t.over before (f :: before)) then post t f
  else if before = [] then Lwt_unix.send_notification t.notification

let lwt t f =
  let promise, resolver = Lwt.task () in
  let deliver result () =
    if Lwt.is_sleeping promise then
      match result with
      | Ok v -> Lwt.wakeup_later resolver v
      | Error (e, _) -> Lwt.wakeup_later_exn resolver e
  in
  let cancel = submit_then t f (fun r -> post t (deliver r)) in
  Lwt.on_cancel promise cancel;
  promise

let stop t =
  Promise.resolve (Atomic.exchange t.last (Promise.create ())) Stop;
  Domain.join t.domain;
  Lwt_unix.stop_notification t.notification
