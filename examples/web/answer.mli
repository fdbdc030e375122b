(** Answers and their parts: JSON, errors, and reading requests. *)

open Example_http

exception Refused of Cohttp.Code.status_code * (string * string) list * string
(** A status, more header lines, and the reason in a sentence. *)

val refuse :
  ?headers:(string * string) list ->
  Cohttp.Code.status_code ->
  ('a, unit, string, 'b) format4 ->
  'a
(** Raises {!Refused}. *)

val refusal :
  Cohttp.Code.status_code ->
  (string * string) list ->
  string ->
  Serving.answer Lwt.t
(** [{"error": ...}] *)

val json :
  ?headers:(string * string) list ->
  ?status:Cohttp.Code.status_code ->
  Yojson.Safe.t ->
  Serving.answer Lwt.t

val page : kind:string -> string -> Serving.answer Lwt.t
(** A page or another text, of the given content type. *)

(** {1 Requests} *)

val body : most:int -> Serving.connection -> Yojson.Safe.t Lwt.t
(** The request's JSON; an empty body is [{}]. Refuses any text except a JSON
    object in UTF-8 with 400. Raises the exceptions of {!Serving.body}. *)

val field :
  Yojson.Safe.t ->
  string ->
  (Yojson.Safe.t -> 'a option) ->
  what:string ->
  'a option
(** [field json name f ~what]: [f] of the field, or [None] without the field. If
    [f] gives [None], refuses with 400 and the message that the field should be
    [what]. *)

val parameter :
  Uri.t -> string -> (string -> 'a option) -> what:string -> 'a option
(** Like [field], for a parameter of the address: [?name=value]. *)
