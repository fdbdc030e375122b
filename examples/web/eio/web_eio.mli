(** The service under cohttp-eio: [main.exe DATABASE PORT]. The database must
    have documents ([make web ARGS="--database FILE"] fills a database).

    [GET /documents?q=words] searches. [POST /jobs] compares all documents with
    each other, and answers with the number of pairs, or with 504 after thirty
    seconds. *)

val main : unit -> unit
