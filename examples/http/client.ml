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

type answer = { status : int; header : string -> string option; body : string }

(* The header, up to the empty line. *)
let rec header input found =
  let* line = Lwt_io.read_line input in
  match String.index_opt line ':' with
  | None when line = "" -> Lwt.return found
  | None -> unexpected "%S is not a line of a header" line
  | Some i ->
      let name = String.lowercase_ascii (String.sub line 0 i) in
      let value =
        String.trim (String.sub line (i + 1) (String.length line - i - 1))
      in
      header input ((name, value) :: found)

let exactly input n =
  let bytes = Bytes.create n in
  let* () = Lwt_io.read_into_exactly input bytes 0 n in
  Lwt.return (Bytes.unsafe_to_string bytes)

(* The next chunk; an empty chunk is the last. *)
let chunk input =
  let* line = Lwt_io.read_line input in
  match int_of_string_opt ("0x" ^ String.trim line) with
  | None -> unexpected "%S is not the length of a chunk" line
  | Some n ->
      let* text = exactly input n in
      let* (_ : string) = Lwt_io.read_line input in
      Lwt.return text

let rec chunks input texts =
  let* text = chunk input in
  if text = "" then Lwt.return (String.concat "" (List.rev texts))
  else chunks input (text :: texts)

let is_chunked fields =
  List.assoc_opt "transfer-encoding" fields = Some "chunked"

let body input fields =
  match List.assoc_opt "content-length" fields with
  | Some n -> (
      match int_of_string_opt n with
      | Some n -> exactly input n
      | None -> unexpected "%S is no length" n)
  | None when is_chunked fields -> chunks input []
  | None -> unexpected "an answer that does not say how long it is"

let send t ~meth ~body path =
  let length =
    match body with
    | "" when meth = "GET" -> ""
    | body -> Printf.sprintf "content-length: %d\r\n" (String.length body)
  in
  let request =
    Printf.sprintf "%s %s HTTP/1.1\r\nhost: example\r\n%s\r\n%s" meth path
      length body
  in
  write t.fd (Bytes.unsafe_of_string request) 0

(* [f status fields] reads the body. *)
let answered t f =
  Lwt.catch
    (fun () ->
      let* line = Lwt_io.read_line t.input in
      let status = status line in
      let* fields = header t.input [] in
      f status fields)
    (function
      | End_of_file -> unexpected "the connection was closed before the answer"
      | e -> Lwt.reraise e)

let request t ?(meth = "GET") ?body:(content = "") path =
  let* () = send t ~meth ~body:content path in
  answered t @@ fun status fields ->
  let* body = body t.input fields in
  let header name = List.assoc_opt name fields in
  Lwt.return { status; header; body }

let get t path =
  let* { status; body; _ } = request t path in
  Lwt.return (status, body)

let stream t path f =
  let* () = send t ~meth:"GET" ~body:"" path in
  answered t @@ fun status fields ->
  let rec each () =
    let* text = chunk t.input in
    if text <> "" && f text then each () else Lwt.return status
  in
  if is_chunked fields then each ()
  else
    let* text = body t.input fields in
    ignore (f text : bool);
    Lwt.return status

let close t =
  Lwt.catch
    (fun () -> Lwt_unix.close t.fd)
    (function Unix.Unix_error _ -> Lwt.return_unit | e -> Lwt.reraise e)
