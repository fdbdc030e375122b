open Lwt.Syntax
module Http = Cohttp_lwt_unix.Server

exception Refused of Cohttp.Code.status_code * (string * string) list * string

let refuse ?(headers = []) status =
  Printf.ksprintf (fun reason -> raise (Refused (status, headers, reason)))

let string ~headers ~kind ~status body =
  (* Pages of any origin may ask; browsers must not keep the answer. *)
  let headers =
    ("content-type", kind) :: ("cache-control", "no-store") :: headers
  in
  Http.respond_string ~headers:(Cohttp.Header.of_list headers) ~status ~body ()

let json ?(headers = []) ?(status = `OK) value =
  string ~headers ~kind:"application/json" ~status
    (Yojson.Safe.to_string value ^ "\n")

let text ~kind body = string ~headers:[] ~kind ~status:`OK body

let refusal status headers reason =
  json ~headers ~status (`Assoc [ ("error", `String reason) ])

(* {1 Requests} *)

(* If the body is too large, cohttp reads and drops the rest. *)
let read ~most body =
  let stream = Cohttp_lwt.Body.to_stream body in
  let text = Buffer.create 256 in
  let rec go () =
    let* piece = Lwt_stream.get stream in
    match piece with
    | None -> Lwt.return (Buffer.contents text)
    | Some piece when Buffer.length text + String.length piece > most ->
        refuse `Request_entity_too_large "more than %d bytes" most
    | Some piece ->
        Buffer.add_string text piece;
        go ()
  in
  go ()

let body ~most content =
  let* text = read ~most content in
  match
    Yojson.Safe.from_string (if String.trim text = "" then "{}" else text)
  with
  | `Assoc _ as json -> Lwt.return json
  | _ -> refuse `Bad_request "the body should be a JSON object"
  | exception Yojson.Json_error reason ->
      refuse `Bad_request "the body is no JSON: %s" reason

let expected name what = refuse `Bad_request "%s should be %s" name what

let field json name f ~what =
  match json with
  | `Assoc fields -> (
      match List.assoc_opt name fields with
      | None | Some `Null -> None
      | Some value -> (
          match f value with Some x -> Some x | None -> expected name what))
  | _ -> None

let parameter uri name f ~what =
  match Uri.get_query_param uri name with
  | None -> None
  | Some value -> (
      match f value with Some x -> Some x | None -> expected name what)
