open Lwt.Syntax

type framing = Sized of int | Chunked

type t = {
  request : Cohttp.Request.t;
  framing : framing;
  expects_continue : bool;
}

type refusal = { status : Cohttp.Code.status_code; reason : string }

exception Refused of refusal

let refuse status fmt =
  Printf.ksprintf (fun reason -> raise (Refused { status; reason })) fmt

let most_bytes = 16_384
let most_fields = 100

(* A line ends with a line feed; a carriage return before the line feed belongs
   to the end. *)
let rec end_ buffer ~from ~until =
  match Bytes.index_from_opt buffer from '\n' with
  | Some i when i < until ->
      let length = i - from in
      if length = 0 || (length = 1 && Bytes.get buffer from = '\r') then
        Some (i + 1)
      else end_ buffer ~from:(i + 1) ~until
  | _ -> None

(* {1 The lines} *)

let is_token s =
  s <> ""
  && String.for_all
       (function
         | 'a' .. 'z' | 'A' .. 'Z' | '0' .. '9' -> true
         | c -> String.contains "!#$%&'*+-.^_`|~" c)
       s

let is_control c = (c < ' ' && c <> '\t') || c = '\127'

let lines text =
  let cut line =
    let n = String.length line in
    if n > 0 && line.[n - 1] = '\r' then String.sub line 0 (n - 1) else line
  in
  List.map cut (String.split_on_char '\n' text)

let first_line line =
  match String.split_on_char ' ' line with
  | [ meth; target; ("HTTP/1.1" | "HTTP/1.0") ]
    when is_token meth && target <> "" && not (String.exists is_control target)
    ->
      ()
  | [ _; _; version ]
    when String.starts_with ~prefix:"HTTP/" version
         && version <> "HTTP/1.1" && version <> "HTTP/1.0" ->
      refuse `Http_version_not_supported "HTTP/1.0 and HTTP/1.1 only"
  | _ -> refuse `Bad_request "the first line is no request of HTTP"

(* Names in small letters. *)
let field line =
  match String.index_opt line ':' with
  | Some i when is_token (String.sub line 0 i) ->
      let value = String.sub line (i + 1) (String.length line - i - 1) in
      if String.exists is_control value then
        refuse `Bad_request "a field of the head has a control character";
      (String.lowercase_ascii (String.sub line 0 i), String.trim value)
  | _ -> refuse `Bad_request "a line of the head is no field"

let values fields name =
  List.concat_map
    (fun (other, value) ->
      if other = name then List.map String.trim (String.split_on_char ',' value)
      else [])
    fields

(* {1 The body} *)

let is_number s = s <> "" && String.for_all (fun c -> '0' <= c && c <= '9') s

let length = function
  | [] -> 0
  | first :: others as all ->
      if not (List.for_all is_number all) then
        refuse `Bad_request "the content-length is not a number";
      if List.exists (( <> ) first) others then
        refuse `Bad_request "two different lengths";
      if String.length first > 15 then
        refuse `Request_entity_too_large "the body is too large";
      int_of_string first

let framing fields ~old =
  match (values fields "transfer-encoding", values fields "content-length") with
  | [], lengths -> Sized (length lengths)
  | _ :: _, _ :: _ ->
      refuse `Bad_request "a content-length beside a transfer-encoding"
  | [ coding ], [] when String.lowercase_ascii coding = "chunked" && not old ->
      Chunked
  | _ when old -> refuse `Bad_request "a transfer-encoding in HTTP/1.0"
  | _ -> refuse `Not_implemented "the transfer-encoding may be chunked only"

let expects_continue fields =
  match List.map String.lowercase_ascii (values fields "expect") with
  | [] -> false
  | [ "100-continue" ] -> true
  | _ -> refuse `Expectation_failed "the expectation may be 100-continue only"

(* {1 Cohttp's parser}

   Cohttp 6 reads from a buffer of its own around Lwt's channel, cohttp 5 from
   the channel. With cohttp 6, cohttp's own module hides this module. *)
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

let by_cohttp text =
  let bytes = Lwt_bytes.of_string (text ^ "\r\n") in
  let* read =
    Cohttp_lwt_unix.Request.read
      (Reader.over (Lwt_io.of_bytes ~mode:Input bytes))
  in
  match read with
  | `Ok request -> Lwt.return_ok request
  | `Eof | `Invalid _ ->
      Lwt.return_error
        { status = `Bad_request; reason = "the address is no path" }

let parse text =
  match
    match lines text with
    | [] -> refuse `Bad_request "no first line"
    | first :: rest ->
        first_line first;
        let rest = List.filter (( <> ) "") rest in
        if List.compare_length_with rest most_fields > 0 then
          refuse `Request_header_fields_too_large "more than %d fields"
            most_fields;
        let fields = List.map field rest in
        let old = String.ends_with ~suffix:"HTTP/1.0" first in
        if (not old) && List.length (values fields "host") <> 1 then
          refuse `Bad_request "one field named host is needed";
        (framing fields ~old, expects_continue fields && not old)
  with
  | exception Refused refusal -> Lwt.return_error refusal
  | framing, expects_continue ->
      Lwt.map
        (Result.map (fun request -> { request; framing; expects_continue }))
        (by_cohttp text)
