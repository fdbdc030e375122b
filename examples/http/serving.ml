open Lwt.Syntax
module Http = Cohttp_lwt_unix.Server

type connection = {
  fd : Lwt_unix.file_descr;
  mutable busy : bool; (* between a request and its answer *)
}

type t = {
  socket : Lwt_unix.file_descr;
  port : int;
  mutable open_ : connection list;
  mutable stopping : bool;
  stopped : unit Lwt.t;
  stop : unit Lwt.u; (* no more connections *)
  give_up : unit Lwt.t; (* the grace period is over *)
  out_of_patience : unit Lwt.u;
  changed : unit Lwt_condition.t; (* a connection was closed *)
}

type answer = Cohttp.Response.t * Cohttp_lwt.Body.t

let port t = t.port
let connections t = List.length t.open_
let stopping t = t.stopping

(* All connections share a promise; cancelling the result for one connection
   must not cancel the promise. *)
let give_up t = Lwt.protected t.give_up

(* {1 The socket} *)

let cannot_listen host port reason advice =
  Printf.ksprintf failwith "cannot listen on %s:%d: %s%s" host port
    (String.uncapitalize_ascii (Unix.error_message reason))
    advice

let listen ~host ~port =
  let address =
    match Unix.inet_addr_of_string host with
    | address -> address
    | exception Failure _ ->
        Printf.ksprintf failwith
          "%S is not the number of an address: try 127.0.0.1, or 0.0.0.0 to be \
           reached from elsewhere"
          host
  in
  let at = Unix.ADDR_INET (address, port) in
  let fd =
    Unix.socket ~cloexec:true (Unix.domain_of_sockaddr at) SOCK_STREAM 0
  in
  match
    Unix.setsockopt fd SO_REUSEADDR true;
    Unix.bind fd at;
    Unix.listen fd 1024
  with
  | () -> Lwt_unix.of_unix_file_descr ~blocking:false fd
  | exception Unix.Unix_error (reason, _, _) ->
      Unix.close fd;
      cannot_listen host port reason
        (match reason with
        | EADDRINUSE -> " (take another --port; 0 takes any free one)"
        | EACCES -> " (ports below 1024 are for the superuser)"
        | EADDRNOTAVAIL -> " (not an address of this machine)"
        | _ -> "")

(* {1 A client that leaves} *)

(* No other code reads the connection meanwhile: cohttp reads the next request
   after the answer. If bytes of the next request lie in front, the end cannot
   be seen: look again later. *)
let rec closed fd =
  let* () = Lwt_unix.wait_read fd in
  match
    Unix.recv (Lwt_unix.unix_file_descr fd) (Bytes.create 1) 0 1 [ MSG_PEEK ]
  with
  | 0 -> Lwt.return_unit
  | _ ->
      let* () = Lwt_unix.sleep 0.1 in
      closed fd
  | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK | EINTR), _, _) ->
      closed fd
  | exception Unix.Unix_error _ -> Lwt.return_unit

let gone connection = closed connection.fd

(* {1 Connections} *)

(* Ends the connection: cohttp, which is reading, finds an end of file and
   closes. *)
let no_more_requests connection =
  try Lwt_unix.shutdown connection.fd SHUTDOWN_RECEIVE
  with Unix.Unix_error _ -> ()

let request t connection handle request body =
  connection.busy <- true;
  let* answer = handle connection request body in
  connection.busy <- false;
  if t.stopping then no_more_requests connection;
  Lwt.return answer

(* Cohttp 6 reads from a buffer of its own around Conduit's channel, cohttp 5
   from the channel. With cohttp 6, cohttp's own module hides this module. *)
module Reader = struct
  [@@@warning "-32-60-66"]

  module Private = struct
    module Input_channel = struct
      let create ic = ic
    end
  end

  open! Cohttp_lwt_unix

  let over ic = Private.Input_channel.create ic
end

let connection t handle flow ic oc =
  match (flow : Conduit_lwt_unix.flow) with
  | TCP { fd; _ } ->
      let c = { fd; busy = false } in
      t.open_ <- c :: t.open_;
      Lwt.finalize
        (fun () ->
          Http.callback
            (Http.make ~callback:(fun _ -> request t c handle) ())
            flow (Reader.over ic) oc)
        (fun () ->
          t.open_ <- List.filter (fun other -> other != c) t.open_;
          Lwt_condition.broadcast t.changed ();
          Lwt.return_unit)
  | Tunnel _ | Domain_socket _ | Vchan _ -> Lwt.return_unit

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
    open_ = [];
    stopping = false;
    stopped;
    stop;
    give_up;
    out_of_patience;
    changed = Lwt_condition.create ();
  }

let start ?(connections = 900) t handle =
  Conduit_lwt_unix.set_max_active connections;
  Lwt.async (fun () ->
      Conduit_lwt_unix.serve ~stop:t.stopped
        ~on_exn:(fun _ -> ())
        ~ctx:(Lazy.force Conduit_lwt_unix.default_ctx)
        ~mode:(`TCP (`Socket t.socket))
        (connection t handle))

(* {1 The end} *)

let stop ?(grace = 5.) t =
  if not t.stopping then begin
    t.stopping <- true;
    Lwt.wakeup_later t.stop ();
    List.iter (fun c -> if not c.busy then no_more_requests c) t.open_
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
    (* [Lwt.pick] cancels this promise as soon as all connections are closed. *)
    fst (Lwt.task ())
  in
  Lwt.pick [ all_closed (); impatient ]

let stop_on_signal ~say ~under_way t =
  let wanted, want = Lwt.wait () in
  let received = ref 0 in
  let handle _ =
    incr received;
    match !received with
    | 1 ->
        (match under_way () with
        | 0 -> say "stopping"
        | n ->
            say
              (Printf.sprintf
                 "stopping after %d request%s under way; once more gives up on \
                  them"
                 n
                 (if n = 1 then "" else "s")));
        Lwt.wakeup_later want ()
    | 2 ->
        say "giving up on what is under way";
        Lwt.async (fun () -> stop ~grace:0. t)
    | _ -> Unix._exit 130
  in
  List.iter
    (fun s -> ignore (Lwt_unix.on_signal s handle : Lwt_unix.signal_handler_id))
    [ Sys.sigint; Sys.sigterm ];
  wanted
