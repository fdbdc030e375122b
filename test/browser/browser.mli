(** Pages as a browser has them: headless Chromium, if it is installed. *)

type t

val found : t option
(** The first of the usual names that is on the path. *)

val rendered :
  t ->
  ?address:string ->
  ?keys:string list ->
  ?script:string ->
  string ->
  string
(** The document after its script has run; [address] is added to that of the
    page ("#step=1"), [keys] are pressed one after the other when it stands,
    then [script] is run, a module. At most a minute. *)

val visited : t -> string -> string
(** The document at that address after its scripts have run, its requests
    answered. Time passes for it only while no request is under way. At most a
    minute; to be called on a thread that may block. *)

val data : string -> string -> string
(** [data dom name]: the body's attribute [data-name].
    @raise Failure if it has none, with the document's beginning. *)

val cases :
  (t -> unit Alcotest.test_case list) ->
  (string * unit Alcotest.test_case list) list
(** A group for [Alcotest.run]; none, and a line that says so, without one. *)
