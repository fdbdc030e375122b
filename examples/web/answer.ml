open Example_http
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
    (Dromos_stdout.json_line value ^ "\n")

let page ~kind body = string ~headers:[] ~kind ~status:`OK body

let refusal status headers reason =
  json ~headers ~status (`Assoc [ ("error", `String reason) ])

(* {1 Requests} *)

let body ~most connection =
  let* text = Serving.body connection ~most in
  if not (String.is_valid_utf_8 text) then
    refuse `Bad_request "the body is not UTF-8";
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
