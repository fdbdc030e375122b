open Lwt.Syntax
module Http = Cohttp_lwt_unix.Server

type counts = {
  requests : int;
  computing : int;
  answered : int;
  given_up : int;
  refused : int;
  failed : int;
  connections : int;
}

type connection = {
  fd : Lwt_unix.file_descr;
  mutable busy : bool; (* between a request and its answer *)
}

type t = {
  socket : Lwt_unix.file_descr;
  port : int;
  most : int;
  compute : int -> int Lwt.t;
  mutable counts : counts;
  mutable open_ : connection list;
  mutable stopping : bool;
  stop : unit Lwt.u; (* no more connections *)
  give_up : unit Lwt.t; (* no more patience *)
  out_of_patience : unit Lwt.u;
  changed : unit Lwt_condition.t; (* a connection was closed *)
}

let port t = t.port
let counts t = { t.counts with connections = List.length t.open_ }

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

(* {1 Answers} *)

let text ?(headers = []) status line =
  let headers =
    Cohttp.Header.of_list (("content-type", "text/plain") :: headers)
  in
  Http.respond_string ~headers ~status ~body:(line ^ "\n") ()

let refuse t ?headers status line =
  t.counts <- { t.counts with refused = t.counts.refused + 1 };
  text ?headers status line

let stats t =
  let c = counts t in
  let headers =
    Cohttp.Header.of_list [ ("content-type", "application/json") ]
  in
  let body =
    Printf.sprintf
      "{\"requests\": %d, \"computing\": %d, \"answered\": %d, \"given_up\": \
       %d, \"refused\": %d, \"failed\": %d, \"connections\": %d}\n"
      c.requests c.computing c.answered c.given_up c.refused c.failed
      c.connections
  in
  Http.respond_string ~headers ~status:`OK ~body ()

(* {1 A request} *)

(* Resolved when the other end has closed the connection. Nobody else reads it
   meanwhile: cohttp takes the next request after this one's answer. With bytes
   of that one in the way, the end cannot be seen: look again later. *)
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

type outcome = Answer of int | Gone | Shutting_down | Failed of exn

let outcome t connection n =
  let answer =
    Lwt.try_bind
      (fun () -> t.compute n)
      (fun x -> Lwt.return (Answer x))
      (function Lwt.Canceled -> Lwt.return Gone | e -> Lwt.return (Failed e))
  in
  let gone = Lwt.map (fun () -> Gone) (closed connection.fd) in
  (* [protected]: one promise for all connections, not to be cancelled by one. *)
  let late = Lwt.map (fun () -> Shutting_down) (Lwt.protected t.give_up) in
  Lwt.pick [ answer; gone; late ]

let fib t connection n =
  let c = t.counts in
  t.counts <- { c with requests = c.requests + 1; computing = c.computing + 1 };
  let* outcome = outcome t connection n in
  let c = { t.counts with computing = t.counts.computing - 1 } in
  match outcome with
  | Answer x ->
      t.counts <- { c with answered = c.answered + 1 };
      text `OK (string_of_int x)
  | Gone ->
      t.counts <- { c with given_up = c.given_up + 1 };
      (* For a client that only shut down its sending side. *)
      text (`Code 499) "given up: the connection was closed before the answer"
  | Shutting_down ->
      t.counts <- { c with given_up = c.given_up + 1 };
      text `Service_unavailable "given up: shutting down"
  | Failed e ->
      t.counts <- { c with failed = c.failed + 1 };
      text `Internal_server_error ("failed: " ^ Printexc.to_string e)

let is_digit c = '0' <= c && c <= '9'

let shown s =
  let s = if String.length s > 40 then String.sub s 0 37 ^ "..." else s in
  String.escaped s

let number t connection what =
  let bad fmt = Printf.ksprintf (refuse t `Bad_request) fmt in
  if what = "" || not (String.for_all is_digit what) then
    bad "\"%s\" is not a number: ask for /fib/N with N from 0 to %d"
      (shown what) t.most
  else
    match int_of_string_opt what with
    | Some n when n <= t.most -> fib t connection n
    | Some _ | None ->
        bad "%s is too large: this server computes fib 0 to fib %d" (shown what)
          t.most

let route t connection request =
  let path = Uri.path (Cohttp.Request.uri request) in
  match (Cohttp.Request.meth request, String.split_on_char '/' path) with
  | _, _ when t.stopping -> refuse t `Service_unavailable "shutting down"
  | `GET, [ ""; "" ] ->
      text `OK (Printf.sprintf "GET /fib/N (N from 0 to %d), GET /stats" t.most)
  | `GET, [ ""; "stats" ] -> stats t
  | `GET, [ ""; "fib"; what ] -> number t connection what
  | `GET, _ ->
      refuse t `Not_found
        (Printf.sprintf "nothing at %s: ask for /fib/N or /stats" (shown path))
  | _ -> refuse t ~headers:[ ("allow", "GET") ] `Method_not_allowed "GET only"

(* {1 Connections} *)

(* Cohttp, which reads, finds an end of file, and closes. *)
let no_more_requests connection =
  try Lwt_unix.shutdown connection.fd SHUTDOWN_RECEIVE
  with Unix.Unix_error _ -> ()

let request t connection _ request _body =
  connection.busy <- true;
  let* answer = route t connection request in
  connection.busy <- false;
  if t.stopping then no_more_requests connection;
  Lwt.return answer

(* Cohttp 6 reads from a buffer of its own around Conduit's channel, cohttp 5 from the
   channel. Where cohttp has the former, its module hides this one. *)
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

let connection t flow ic oc =
  match (flow : Conduit_lwt_unix.flow) with
  | TCP { fd; _ } ->
      let c = { fd; busy = false } in
      t.open_ <- c :: t.open_;
      Lwt.finalize
        (fun () ->
          Http.callback
            (Http.make ~callback:(request t c) ())
            flow (Reader.over ic) oc)
        (fun () ->
          t.open_ <- List.filter (fun other -> other != c) t.open_;
          Lwt_condition.broadcast t.changed ();
          Lwt.return_unit)
  | Tunnel _ | Domain_socket _ | Vchan _ -> Lwt.return_unit

let start ?(most = 45) ?(connections = 900) ~compute socket =
  Conduit_lwt_unix.set_max_active connections;
  let stopped, stop = Lwt.wait () in
  let give_up, out_of_patience = Lwt.wait () in
  let port =
    match Lwt_unix.getsockname socket with
    | ADDR_INET (_, port) -> port
    | ADDR_UNIX _ -> 0
  in
  let t =
    {
      socket;
      port;
      most;
      compute;
      counts =
        {
          requests = 0;
          computing = 0;
          answered = 0;
          given_up = 0;
          refused = 0;
          failed = 0;
          connections = 0;
        };
      open_ = [];
      stopping = false;
      stop;
      give_up;
      out_of_patience;
      changed = Lwt_condition.create ();
    }
  in
  Lwt.async (fun () ->
      Conduit_lwt_unix.serve ~stop:stopped
        ~on_exn:(fun _ -> ())
        ~ctx:(Lazy.force Conduit_lwt_unix.default_ctx)
        ~mode:(`TCP (`Socket t.socket))
        (connection t));
  t

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
    (* Cancelled as soon as all is closed. *)
    fst (Lwt.task ())
  in
  Lwt.pick [ all_closed (); impatient ]
