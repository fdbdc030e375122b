(** The service under cohttp-eio: [main.exe DATABASE PORT], where the database
    has documents ([make web ARGS="--database FILE"] fills one).
    [GET /documents?q=words] searches, [POST /jobs] compares all with each
    other, and answers with the number of pairs, or with 504 after thirty
    seconds. *)

val main : unit -> unit
