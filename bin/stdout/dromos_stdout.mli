(** The standard output of commands. *)

val json : Yojson.Safe.t -> string
(** The text of a value, with line breaks. Names of files and threads may hold
    any bytes. Bytes outside UTF-8 become U+FFFD, since readers of JSON refuse
    such bytes. *)

val json_line : Yojson.Safe.t -> string
(** Like {!json}, in one line without its end. *)

val utf_8 : string -> string
(** The text; bytes outside UTF-8 become U+FFFD. *)

(** {1 The end}

    Standard output may be full ([> /dev/full]) or closed. Without these
    functions a command learns so when OCaml flushes at exit, as an uncaught
    exception. *)

val ended : name:string -> failed:int -> (unit -> int) -> int
(** [ended ~name ~failed f] calls [f], flushes standard output and returns the
    status of [f]. A [Sys_error] becomes one line on standard error, after
    [name], and the status [failed]. The flush at exit then writes nothing. *)

val written : failed:int -> int -> int
(** [written ~failed status] flushes standard output and returns [status]. If
    the flush fails, the result is [failed], and one line on standard error says
    why unless [status] was [failed] already. *)
