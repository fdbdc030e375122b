open Lwt.Syntax

type left =
  | Bytes of int
  | Chunks
  | Unknown  (** the encoding is broken, or the reading was cut short *)

type t = {
  fd : Lwt_unix.file_descr;
  limits : Limits.t;
  buffer : Bytes.t;
  mutable from : int; (* the first byte that is not used yet *)
  mutable until : int; (* behind the last byte *)
  mutable left : left; (* of the body *)
  mutable expected : bool; (* the client waits for leave to send the body *)
}

type head = Head of Head.t | Silent | Refused of Head.refusal

exception Bad of Head.refusal

let bad status reason = Bad { Head.status; reason }

let over fd limits =
  {
    fd;
    limits;
    buffer = Bytes.create Head.most_bytes;
    from = 0;
    until = 0;
    left = Bytes 0;
    expected = false;
  }

(* {1 The buffer} *)

(* [more] adds bytes to the buffer until [deadline], and is [false] at the end. Raises
   [Lwt_unix.Timeout]. A client whose bytes are always there has no more time
   than another client, so the clock is read first. *)
let more t ~deadline =
  if t.from > 0 then begin
    Bytes.blit t.buffer t.from t.buffer 0 (t.until - t.from);
    t.until <- t.until - t.from;
    t.from <- 0
  end;
  let room = Bytes.length t.buffer - t.until in
  let seconds = deadline -. Clock.now () in
  if seconds <= 0. then Lwt.fail Lwt_unix.Timeout
  else
    let* n =
      Lwt_unix.with_timeout seconds (fun () ->
          Lwt_unix.read t.fd t.buffer t.until room)
    in
    t.until <- t.until + n;
    Lwt.return (n > 0)

let is_full t = t.until - t.from = Bytes.length t.buffer

(* At most [n] bytes from the buffer. *)
let take t n =
  let n = Int.min n (t.until - t.from) in
  let text = Bytes.sub_string t.buffer t.from n in
  t.from <- t.from + n;
  text

(* {1 Heads} *)

let too_large t =
  match Bytes.index_from_opt t.buffer t.from '\n' with
  | Some i when i < t.until ->
      {
        Head.status = `Request_header_fields_too_large;
        reason = Printf.sprintf "a head of more than %d bytes" Head.most_bytes;
      }
  | _ ->
      {
        Head.status = `Request_uri_too_long;
        reason =
          Printf.sprintf "a first line of more than %d bytes" Head.most_bytes;
      }

(* Empty lines in front of a head are allowed. *)
let rec skip_empty_lines t =
  if t.from < t.until then
    match Bytes.get t.buffer t.from with
    | '\r' | '\n' ->
        t.from <- t.from + 1;
        skip_empty_lines t
    | _ -> ()

let taken t ~stop =
  let text = Bytes.sub_string t.buffer t.from (stop - t.from) in
  t.from <- stop;
  let* parsed = Head.parse text in
  match parsed with
  | Error refusal ->
      t.left <- Unknown;
      Lwt.return (Refused refusal)
  | Ok head ->
      t.left <-
        (match head.framing with Sized n -> Bytes n | Chunked -> Chunks);
      t.expected <- head.expects_continue && t.left <> Bytes 0;
      Lwt.return (Head head)

(* The first [seen] bytes hold complete lines, and no end of the head. [more] calls
   for a client that sends byte by byte do not search these bytes again. *)
let rec rest_of_head t ~seen ~deadline =
  match Head.end_ t.buffer ~from:(t.from + seen) ~until:t.until with
  | Some stop -> taken t ~stop
  | None when is_full t -> Lwt.return (Refused (too_large t))
  | None -> (
      let seen =
        match Bytes.rindex_from_opt t.buffer (t.until - 1) '\n' with
        | Some i when i >= t.from + seen -> i + 1 - t.from
        | _ -> seen
      in
      let* arrived = more t ~deadline in
      match arrived with
      | true -> rest_of_head t ~seen ~deadline
      | false -> Lwt.return Silent)

(* Drops [n] bytes of the body before. *)
let rec skip_body t ~deadline =
  match t.left with
  | Bytes 0 -> Lwt.return_true
  | Bytes n ->
      t.left <- Bytes (n - String.length (take t n));
      if t.left = Bytes 0 then Lwt.return_true
      else
        let* arrived = more t ~deadline in
        if arrived then skip_body t ~deadline else Lwt.return_false
  | Chunks | Unknown -> Lwt.return_false

let rec first_byte t ~deadline =
  skip_empty_lines t;
  if t.from < t.until then Lwt.return_true
  else
    let* arrived = more t ~deadline in
    if arrived then first_byte t ~deadline else Lwt.return_false

let head t ~first =
  let late = function
    | Lwt_unix.Timeout -> Lwt.return_false
    | e -> Lwt.reraise e
  in
  let begins = Clock.now () in
  let* ready =
    Lwt.catch
      (fun () ->
        let* skipped = skip_body t ~deadline:(begins +. t.limits.head) in
        let seconds = if first then t.limits.head else t.limits.idle in
        if skipped then first_byte t ~deadline:(begins +. seconds)
        else Lwt.return_false)
      late
  in
  if not ready then Lwt.return Silent
  else
    let begins = if first then begins else Clock.now () in
    Lwt.catch
      (fun () -> rest_of_head t ~seen:0 ~deadline:(begins +. t.limits.head))
      (function
        | Lwt_unix.Timeout ->
            t.left <- Unknown;
            Lwt.return
              (Refused
                 {
                   status = `Request_timeout;
                   reason =
                     Printf.sprintf "no complete head within %g s" t.limits.head;
                 })
        | e -> Lwt.reraise e)

(* {1 Bodies} *)

let has_body t = t.left <> Bytes 0

(* [arrive] waits for bytes of a body, for [stalled] seconds at most. *)
let arrive t =
  Lwt.catch
    (fun () ->
      let* arrived = more t ~deadline:(Clock.now () +. t.limits.stalled) in
      if arrived then Lwt.return_unit
      else Lwt.fail (bad `Bad_request "the body is not complete"))
    (function
      | Lwt_unix.Timeout ->
          Lwt.fail
            (bad `Request_timeout
               (Printf.sprintf "nothing of the body within %g s"
                  t.limits.stalled))
      | e -> Lwt.reraise e)

let rec exactly t n text =
  let piece = take t n in
  Buffer.add_string text piece;
  let n = n - String.length piece in
  if n = 0 then Lwt.return_unit
  else
    let* () = arrive t in
    exactly t n text

(* A line of at most 256 bytes, without its end. *)
let rec line t =
  match Bytes.index_from_opt t.buffer t.from '\n' with
  | Some i when i < t.until ->
      let text = take t (i + 1 - t.from) in
      let n = String.length text - 1 in
      Lwt.return
        (String.sub text 0 (if n > 0 && text.[n - 1] = '\r' then n - 1 else n))
  | _ when t.until - t.from > 256 ->
      Lwt.fail (bad `Bad_request "a line between chunks is too long")
  | _ ->
      let* () = arrive t in
      line t

let is_hexadecimal = function
  | '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' -> true
  | _ -> false

(* Extensions of a chunk, behind a semicolon, say nothing to this server. *)
let size_of_chunk line =
  let digits = String.trim (List.hd (String.split_on_char ';' line)) in
  if
    digits <> ""
    && String.length digits <= 8
    && String.for_all is_hexadecimal digits
  then Lwt.return (int_of_string ("0x" ^ digits))
  else Lwt.fail (bad `Bad_request "the length of a chunk is no number")

let rec trailer t ~most =
  let* text = line t in
  if text = "" then Lwt.return_unit
  else if most = 0 then Lwt.fail (bad `Bad_request "too long a trailer")
  else trailer t ~most:(most - 1)

let too_much most =
  bad `Request_entity_too_large (Printf.sprintf "more than %d bytes" most)

let rec chunks t ~most text =
  let* first = line t in
  let* size = size_of_chunk first in
  if size = 0 then trailer t ~most:Head.most_fields
  else if Buffer.length text + size > most then Lwt.fail (too_much most)
  else
    let* () = exactly t size text in
    let* behind = line t in
    if behind = "" then chunks t ~most text
    else Lwt.fail (bad `Bad_request "a chunk is longer than its length")

(* [f text] reads the body into the text. *)
let reading t ~go_on f =
  let text = Buffer.create 256 in
  let* () =
    if t.expected then begin
      t.expected <- false;
      go_on ()
    end
    else Lwt.return_unit
  in
  t.left <- Unknown;
  let* () = f text in
  t.left <- Bytes 0;
  Lwt.return (Buffer.contents text)

let body t ~most ~go_on =
  match t.left with
  | Bytes 0 -> Lwt.return ""
  | Bytes n when n > most -> Lwt.fail (too_much most)
  | Bytes n -> reading t ~go_on (exactly t n)
  | Chunks -> reading t ~go_on (chunks t ~most)
  | Unknown -> Lwt.fail (bad `Bad_request "the body is not complete")

let most_left = 65_536

let can_continue t =
  match t.left with
  | Bytes 0 -> true
  | Bytes n -> n <= most_left && not t.expected
  | Chunks | Unknown -> false

let discard t ~seconds =
  let deadline = Clock.now () +. seconds in
  let rec go () =
    t.from <- t.until;
    let* () = Lwt.pause () in
    let* arrived = more t ~deadline in
    if arrived then go () else Lwt.return_unit
  in
  Lwt.catch go (function
    | Lwt_unix.Timeout | Unix.Unix_error _ -> Lwt.return_unit
    | e -> Lwt.reraise e)
