open Lwt.Syntax

type t = { fd : Lwt_unix.file_descr; got : Buffer.t }

let connect address =
  let fd = Lwt_unix.socket ~cloexec:true PF_INET SOCK_STREAM 0 in
  let* () = Lwt_unix.connect fd address in
  Lwt.return { fd; got = Buffer.create 256 }

let rec send t text =
  let* n =
    Lwt.catch
      (fun () -> Lwt_unix.write_string t.fd text 0 (String.length text))
      (function
        | Unix.Unix_error ((EPIPE | ECONNRESET), _, _) ->
            Lwt.return (String.length text)
        | e -> Lwt.reraise e)
  in
  let left = String.length text - n in
  if left = 0 then Lwt.return_unit else send t (String.sub text n left)

let end_ t = Lwt_unix.shutdown t.fd SHUTDOWN_SEND

(* One read; [false] at the end. *)
let more t =
  let piece = Bytes.create 65_536 in
  let* n =
    Lwt.catch
      (fun () -> Lwt_unix.read t.fd piece 0 (Bytes.length piece))
      (function
        | Unix.Unix_error (ECONNRESET, _, _) -> Lwt.return 0
        | e -> Lwt.reraise e)
  in
  Buffer.add_subbytes t.got piece 0 n;
  Lwt.return (n > 0)

(* The first [n] bytes of what came. *)
let cut t n =
  let text = Buffer.contents t.got in
  let n = Int.min n (String.length text) in
  Buffer.clear t.got;
  Buffer.add_substring t.got text n (String.length text - n);
  String.sub text 0 n

let find text part =
  let n = String.length part in
  let rec go i =
    if i + n > String.length text then None
    else if String.sub text i n = part then Some i
    else go (i + 1)
  in
  go 0

let rec head t =
  match find (Buffer.contents t.got) "\r\n\r\n" with
  | Some i -> Lwt.return (cut t (i + 4))
  | None ->
      let* more = more t in
      if more then head t else Lwt.return (cut t max_int)

let length head =
  match find (String.lowercase_ascii head) "content-length: " with
  | None -> 0
  | Some i ->
      Scanf.sscanf (String.sub head i (String.length head - i)) "%_s %d" Fun.id

let answer t =
  let* head = head t in
  let n = length head in
  let rec body () =
    if Buffer.length t.got >= n then Lwt.return (head ^ cut t n)
    else
      let* more = more t in
      if more then body () else Lwt.return (head ^ cut t n)
  in
  body ()

let rec rest t =
  let* more = more t in
  if more then rest t else Lwt.return (cut t max_int)

let close t = Lwt_unix.close t.fd

let once address text =
  let* t = connect address in
  Lwt.finalize
    (fun () ->
      let* () = send t text in
      rest t)
    (fun () -> close t)

let status answer =
  try Scanf.sscanf answer "HTTP/1.%_d %d" Fun.id
  with Scanf.Scan_failure _ | Failure _ | End_of_file -> 0
