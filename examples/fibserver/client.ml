open Lwt.Syntax

type t = { fd : Lwt_unix.file_descr; input : Lwt_io.input_channel }

exception Unexpected of string

let unexpected fmt = Printf.ksprintf (fun s -> raise (Unexpected s)) fmt

let connect address =
  let fd =
    Lwt_unix.socket ~cloexec:true
      (Unix.domain_of_sockaddr address)
      SOCK_STREAM 0
  in
  Lwt.catch
    (fun () ->
      let* () = Lwt_unix.connect fd address in
      (match address with
      | ADDR_INET _ -> Lwt_unix.setsockopt fd TCP_NODELAY true
      | ADDR_UNIX _ -> ());
      let input = Lwt_io.of_fd ~mode:Input ~close:Lwt.return fd in
      Lwt.return { fd; input })
    (fun e ->
      let* () = Lwt_unix.close fd in
      Lwt.reraise e)

let rec write fd bytes from =
  let left = Bytes.length bytes - from in
  if left = 0 then Lwt.return_unit
  else
    let* n = Lwt_unix.write fd bytes from left in
    write fd bytes (from + n)

let status line =
  match Scanf.sscanf line "HTTP/1.%_d %d" Fun.id with
  | status -> status
  | exception (Scanf.Scan_failure _ | Failure _ | End_of_file) ->
      unexpected "%S is not the first line of an answer" line

(* The length that the header promises, up to the empty line. *)
let rec length input found =
  let* line = Lwt_io.read_line input in
  match String.index_opt line ':' with
  | None when line = "" -> Lwt.return found
  | None -> unexpected "%S is not a line of a header" line
  | Some i ->
      let name = String.lowercase_ascii (String.sub line 0 i) in
      let value =
        String.trim (String.sub line (i + 1) (String.length line - i - 1))
      in
      length input
        (if name = "content-length" then int_of_string_opt value else found)

let get t path =
  let request =
    Printf.sprintf "GET %s HTTP/1.1\r\nhost: fibserver\r\n\r\n" path
  in
  let* () = write t.fd (Bytes.unsafe_of_string request) 0 in
  Lwt.catch
    (fun () ->
      let* line = Lwt_io.read_line t.input in
      let status = status line in
      let* length = length t.input None in
      match length with
      | None -> unexpected "an answer that does not say how long it is"
      | Some n ->
          let body = Bytes.create n in
          let* () = Lwt_io.read_into_exactly t.input body 0 n in
          Lwt.return (status, Bytes.unsafe_to_string body))
    (function
      | End_of_file -> unexpected "the connection was closed before the answer"
      | e -> Lwt.reraise e)

let close t =
  Lwt.catch
    (fun () -> Lwt_unix.close t.fd)
    (function Unix.Unix_error _ -> Lwt.return_unit | e -> Lwt.reraise e)
