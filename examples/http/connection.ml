open Lwt.Syntax

type t = {
  fd : Lwt_unix.file_descr;
  intake : Intake.t;
  out : Lwt_io.output_channel;
  lost : bool ref; (* a write has failed *)
  mutable waits_since : float;
  mutable busy : bool;
  mutable unsent : int;
}

exception Lost

(* Closing a socket takes no time. [Lwt_unix.close] would take a thread for each
   of many sockets that are closed together. *)
let close_now fd =
  let descriptor = Lwt_unix.unix_file_descr fd in
  Lwt_unix.abort fd (Unix.Unix_error (EBADF, "close", ""));
  Unix.close descriptor

(* Each write of the channel takes its part within the time. *)
let channel fd (limits : Limits.t) lost =
  let write bytes from n =
    Lwt.catch
      (fun () ->
        Lwt_unix.with_timeout limits.stalled (fun () ->
            Lwt_bytes.write fd bytes from n))
      (fun e ->
        lost := true;
        Lwt.reraise e)
  in
  Lwt_io.make ~mode:Output
    ~close:(fun () ->
      close_now fd;
      Lwt.return_unit)
    write

let over fd limits =
  let lost = ref false in
  {
    fd;
    intake = Intake.over fd limits;
    out = channel fd limits lost;
    lost;
    waits_since = Clock.now ();
    busy = false;
    unsent = 0;
  }

let intake t = t.intake

(* {1 Its state} *)

let waits_since t = t.waits_since
let waits t = t.waits_since <- Clock.now ()
let works t = t.waits_since <- infinity
let busy t = t.busy
let set_busy t busy = t.busy <- busy
let unsent t = t.unsent

(* {1 A client that leaves} *)

(* If bytes lie in front, the end cannot be seen: look again later. *)
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

let gone t = closed t.fd

(* {1 Sending} *)

let guarded t f =
  Lwt.catch
    (fun () ->
      let* () = f () in
      Lwt_io.flush t.out)
    (fun e -> if !(t.lost) then Lwt.fail Lost else Lwt.reraise e)

let go_on t =
  guarded t (fun () -> Lwt_io.write t.out "HTTP/1.1 100 Continue\r\n\r\n")

let known_length : Cohttp_lwt.Body.t -> int = function
  | `String s -> String.length s
  | `Strings l -> List.fold_left (fun n s -> n + String.length s) 0 l
  | `Empty | `Stream _ -> 0

let send t ~head_only ~close (response, body) =
  let module Response = Cohttp_lwt_unix.Response in
  let response : Cohttp.Response.t =
    if close then
      {
        response with
        headers =
          Cohttp.Header.replace
            (Cohttp.Response.headers response)
            "connection" "close";
      }
    else response
  in
  t.unsent <- (if head_only then 0 else known_length body);
  Lwt.finalize
    (fun () ->
      guarded t (fun () ->
          if head_only then Response.write_header response t.out
          else
            Response.write ~flush:true
              (fun writer ->
                Cohttp_lwt.Body.write_body (Response.write_body writer) body)
              response t.out))
    (fun () ->
      t.unsent <- 0;
      Lwt.return_unit)

(* {1 The end} *)

let shutdown t how =
  try Lwt_unix.shutdown t.fd how with Unix.Unix_error _ -> ()

let end_requests t = shutdown t SHUTDOWN_RECEIVE
let cut t = shutdown t SHUTDOWN_ALL
let seconds_of_lingering = 1.

let close t ~lingering =
  let* () =
    if lingering && not !(t.lost) then begin
      shutdown t SHUTDOWN_SEND;
      Intake.discard t.intake ~seconds:seconds_of_lingering
    end
    else Lwt.return_unit
  in
  Lwt.catch
    (fun () -> Lwt_io.abort t.out)
    (function Unix.Unix_error _ -> Lwt.return_unit | e -> Lwt.reraise e)
