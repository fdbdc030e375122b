open Lwt.Syntax

type reply = After of float * int * string | Never | Hang_up

let text status body =
  Printf.sprintf "HTTP/1.1 %d Whatever\r\nContent-Length: %d\r\n\r\n%s" status
    (String.length body) body

(* Reads up to the empty line; [false] at the end of the connection. *)
let rec skip_request input =
  let* line = Lwt_io.read_line_opt input in
  match line with
  | None -> Lwt.return_false
  | Some "" -> Lwt.return_true
  | Some _ -> skip_request input

let rec converse ~next ~turn input output =
  let* there = skip_request input in
  if not there then Lwt.return_unit
  else
    let reply = next () in
    let answer () =
      match reply with
      | After (delay, status, body) ->
          let* () = Lwt_unix.sleep delay in
          let* () = Lwt_io.write output (text status body) in
          let* () = Lwt_io.flush output in
          Lwt.return_true
      | Never -> skip_request input
      | Hang_up -> Lwt.return_false
    in
    let* go_on = turn answer in
    if go_on then converse ~next ~turn input output else Lwt.return_unit

let connection ~next ~turn _ (input, output) =
  Lwt.catch
    (fun () -> converse ~next ~turn input output)
    (function
      | Unix.Unix_error _ | End_of_file | Lwt_io.Channel_closed _ ->
          Lwt.return_unit
      | e -> Lwt.reraise e)

let any_port = Unix.ADDR_INET (Unix.inet_addr_loopback, 0)

let serve ~turn reply f =
  let count = ref (-1) in
  let next () =
    incr count;
    reply !count
  in
  let fd = Lwt_unix.socket PF_INET SOCK_STREAM 0 in
  let* server =
    Lwt_io.establish_server_with_client_address ~fd any_port
      (connection ~next ~turn)
  in
  Lwt.finalize
    (fun () -> f (Lwt_unix.getsockname fd))
    (fun () -> Lwt_io.shutdown_server server)

let with_server reply f = serve ~turn:(fun answer -> answer ()) reply f

let with_serial reply f =
  let one = Lwt_mutex.create () in
  serve ~turn:(Lwt_mutex.with_lock one) reply f

let nobody () =
  let fd = Unix.socket PF_INET SOCK_STREAM 0 in
  Unix.bind fd any_port;
  let address = Unix.getsockname fd in
  Unix.close fd;
  address
