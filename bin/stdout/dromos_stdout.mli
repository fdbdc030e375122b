(** What commands print. *)

val json : Yojson.Safe.t -> string
(** The text of a value, laid out. Names of files and threads may be any bytes:
    those that are not UTF-8 become U+FFFD, since readers of JSON refuse them.
*)

(** {1 The end}

    Standard output may be full ([> /dev/full]) or closed. Whoever only prints
    hears of it when the program ends, as an uncaught exception. *)

val ended : name:string -> failed:int -> (unit -> int) -> int
(** [ended ~name ~failed f] is the status of [f ()], with all that it printed
    written. Where the system refuses something, by [Sys_error], one line on
    standard error says so, beginning with [name], and the status is [failed];
    nothing is tried again when the program ends. *)

val written : failed:int -> int -> int
(** For a status that is there already: what was printed is written. The line on
    standard error is left out if the status is [failed]: it has its own. *)
