(** Pages as a browser shows them: headless Chromium, if installed. *)

type t

val found : t option
(** The first browser of the usual names on the path. *)

val rendered :
  t ->
  ?address:string ->
  ?keys:string list ->
  ?script:string ->
  string ->
  string
(** The document after its script has run. [address] is added to the page's
    address ("#step=1"). When the page is loaded, [keys] are pressed one after
    the other, and then [script], a module, runs. At most a minute. *)

val visited : t -> string -> string
(** The document at the address after its scripts have run and its requests were
    answered. The document's clock stands still while a request is under way. At
    most a minute; call [visited] on a thread that may block. *)

val data : string -> string -> string
(** [data dom name]: the body's attribute [data-name].

    @raise Failure without such an attribute, with the document's beginning. *)

val cases :
  (t -> unit Alcotest.test_case list) ->
  (string * unit Alcotest.test_case list) list
(** A group for [Alcotest.run]; without a browser, no group, and a line with the
    reason. *)
