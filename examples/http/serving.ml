open Lwt.Syntax

type connection = Connection.t

type t = {
  socket : Lwt_unix.file_descr;
  port : int;
  mutable limits : Limits.t;
  mutable open_ : connection list;
  mutable refused : int;
  mutable closed : int;
  mutable complained : float; (* when the log had a line on descriptors *)
  mutable stopping : bool;
  stopped : unit Lwt.t;
  stop : unit Lwt.u; (* no more connections *)
  give_up : unit Lwt.t; (* the grace period is over *)
  out_of_patience : unit Lwt.u;
  changed : unit Lwt_condition.t;
      (* signals that a connection was closed, or begins to wait for its client *)
}

type answer = Cohttp.Response.t * Cohttp_lwt.Body.t

(* The functions of [start]. *)
type functions = {
  answer : connection -> Cohttp.Request.t -> answer Lwt.t;
  refusal : Cohttp.Code.status_code -> string -> answer Lwt.t;
  log : string -> unit;
}

type figures = { connections : int; refused : int; closed : int }

let port t = t.port

let figures (t : t) =
  { connections = List.length t.open_; refused = t.refused; closed = t.closed }

let stopping t = t.stopping

(* All connections share a promise; cancelling the result for one connection
   must not cancel the promise. *)
let give_up t = Lwt.protected t.give_up
let gone = Connection.gone

(* {1 Room} *)

(* Closes the connection that has waited longest for its client, among those
   for which [other] holds. *)
let close_oldest ?(other = fun _ -> true) (t : t) =
  let since = Connection.waits_since in
  let older best c =
    if since c < infinity && other c then
      match best with Some b when since b <= since c -> best | _ -> Some c
    else best
  in
  match List.fold_left older None t.open_ with
  | None -> false
  | Some c ->
      t.closed <- t.closed + 1;
      Connection.works c;
      Connection.cut c;
      true

let rec room t =
  if List.length t.open_ < t.limits.connections then Lwt.return_unit
  else begin
    ignore (close_oldest t : bool);
    let* () = Lwt_condition.wait t.changed in
    room t
  end

(* A body is in memory until the client has taken the body: the bodies of some
   hundred clients that do not read would fill the memory. *)
let most_unsent = 64 * 1024 * 1024

let rec bound_unsent t connection =
  let sum = List.fold_left (fun n c -> n + Connection.unsent c) 0 t.open_ in
  let other c = c != connection && Connection.unsent c > 0 in
  if sum > most_unsent && close_oldest ~other t then bound_unsent t connection

(* {1 Requests} *)

let body connection ~most =
  let intake = Connection.intake connection in
  if not (Intake.has_body intake) then Lwt.return ""
  else begin
    Connection.waits connection;
    Lwt.finalize
      (fun () ->
        Intake.body intake ~most ~go_on:(fun () -> Connection.go_on connection))
      (fun () ->
        Connection.works connection;
        Lwt.return_unit)
  end

let send t f connection ~head_only ~close answer =
  Connection.waits connection;
  Lwt_condition.broadcast t.changed ();
  Lwt.catch
    (fun () ->
      let sent = Connection.send connection ~head_only ~close answer in
      bound_unsent t connection;
      let* () = sent in
      Lwt.return_true)
    (function
      | Connection.Lost -> Lwt.return_false
      | e ->
          f.log ("an answer broke off: " ^ Fault.reason e);
          Lwt.return_false)

let answer f connection request =
  Lwt.catch
    (fun () -> f.answer connection request)
    (function
      | Intake.Bad { status; reason } -> f.refusal status reason
      | e ->
          f.log (Fault.of_request request e);
          f.refusal `Internal_server_error ("failed: " ^ Fault.reason e))

(* Answers a request; [false] if the connection is over. *)
let request t f connection (head : Head.t) =
  let head_only = Cohttp.Request.meth head.request = `HEAD in
  let request : Cohttp.Request.t =
    if head_only then { head.request with meth = `GET } else head.request
  in
  Connection.works connection;
  Connection.set_busy connection true;
  let* answer = answer f connection request in
  Connection.set_busy connection false;
  let keep =
    Cohttp.Request.is_keep_alive head.request
    && Intake.can_continue (Connection.intake connection)
    && not t.stopping
  in
  let* sent = send t f connection ~head_only ~close:(not keep) answer in
  Lwt.return (sent && keep)

(* The result is [true] if the server ends the connection, and not the client. *)
let rec requests (t : t) f connection ~first =
  Connection.waits connection;
  let* head = Intake.head (Connection.intake connection) ~first in
  match head with
  | Silent -> Lwt.return_false
  | Refused { status; reason } ->
      t.refused <- t.refused + 1;
      let* answer = f.refusal status reason in
      let* (_ : bool) =
        send t f connection ~head_only:false ~close:true answer
      in
      Lwt.return_true
  | Head head ->
      let* keep = request t f connection head in
      if keep then
        (* A client with many requests in one piece must let other clients have
           their turn. *)
        let* () = Lwt.pause () in
        requests t f connection ~first:false
      else Lwt.return_true

let connection t f fd =
  (try Lwt_unix.setsockopt fd TCP_NODELAY true with Unix.Unix_error _ -> ());
  let connection = Connection.over fd t.limits in
  t.open_ <- connection :: t.open_;
  let* lingering =
    Lwt.catch
      (fun () -> requests t f connection ~first:true)
      (function
        | Unix.Unix_error _ -> Lwt.return_false
        | e ->
            f.log ("a connection broke off: " ^ Fault.reason e);
            Lwt.return_false)
  in
  let* () = Connection.close connection ~lingering in
  t.open_ <- List.filter (fun other -> other != connection) t.open_;
  Lwt_condition.broadcast t.changed ();
  Lwt.return_unit

(* {1 Accepting}

   Conduit's loop would accept a connection only when another is closed, and
   would try again without a pause when descriptors run out. *)

let seconds_between_complaints = 60.

let complain t f reason =
  let now = Clock.now () in
  if now -. t.complained > seconds_between_complaints then begin
    t.complained <- now;
    f.log
      (Printf.sprintf "cannot accept connections: %s"
         (String.uncapitalize_ascii (Unix.error_message reason)))
  end

(* Returns after a while, or as soon as a connection is closed. *)
let accept_failed t f reason =
  (match (reason : Unix.error) with
  | EMFILE | ENFILE | ENOBUFS | ENOMEM ->
      complain t f reason;
      ignore (close_oldest t : bool)
  | EAGAIN | EWOULDBLOCK | EINTR | ECONNABORTED -> ()
  | _ -> complain t f reason);
  Lwt.pick [ Lwt_unix.sleep 0.05; Lwt_condition.wait t.changed ]

let rec accept t f =
  let* () = Lwt_unix.wait_read t.socket in
  let* () = room t in
  let* () =
    Lwt.try_bind
      (fun () -> Lwt_unix.accept ~cloexec:true t.socket)
      (fun (fd, _) ->
        Lwt.async (fun () -> connection t f fd);
        Lwt.return_unit)
      (function
        | Unix.Unix_error (reason, _, _) -> accept_failed t f reason
        | e -> Lwt.reraise e)
  in
  accept t f

let over socket =
  let stopped, stop = Lwt.wait () in
  let give_up, out_of_patience = Lwt.wait () in
  let port =
    match Lwt_unix.getsockname socket with
    | ADDR_INET (_, port) -> port
    | ADDR_UNIX _ -> 0
  in
  {
    socket;
    port;
    limits = Limits.default;
    open_ = [];
    refused = 0;
    closed = 0;
    complained = neg_infinity;
    stopping = false;
    stopped;
    stop;
    give_up;
    out_of_patience;
    changed = Lwt_condition.create ();
  }

let text status line =
  Cohttp_lwt_unix.Server.respond_string ~status ~body:(line ^ "\n") ()

let start ?(limits = Limits.default) ?(log = prerr_endline) ?(refusal = text) t
    answer =
  Sys.set_signal Sys.sigpipe Signal_ignore;
  t.limits <- Limits.within_descriptors limits;
  if t.limits.connections < limits.connections then
    log
      (Printf.sprintf
         "at most %d connections, since the process may not have more \
          descriptors (ulimit -n)"
         t.limits.connections);
  Lwt.async (fun () ->
      let* () = Lwt.pick [ accept t { answer; refusal; log }; t.stopped ] in
      Lwt_unix.close t.socket)

(* {1 The end} *)

let stop ?(grace = 5.) t =
  if not t.stopping then begin
    t.stopping <- true;
    Lwt.wakeup_later t.stop ();
    List.iter
      (fun c -> if not (Connection.busy c) then Connection.end_requests c)
      t.open_
  end;
  let rec all_closed () =
    if t.open_ = [] then Lwt.return_unit
    else
      let* () = Lwt_condition.wait t.changed in
      all_closed ()
  in
  let impatient =
    let* () = Lwt_unix.sleep grace in
    if Lwt.is_sleeping t.give_up then Lwt.wakeup_later t.out_of_patience ();
    let* () = Lwt_unix.sleep 1. in
    List.iter
      (fun c -> if not (Connection.busy c) then Connection.cut c)
      t.open_;
    (* [Lwt.pick] cancels this promise as soon as all connections are closed. *)
    fst (Lwt.task ())
  in
  Lwt.pick [ all_closed (); impatient ]
