(** The end of standard input, by which the one who started a server stops it:
    it comes also if that one was killed. *)

val watch : ?patience:float -> (unit -> unit) -> unit
(** [watch stop] calls [stop ()] on a thread of its own when standard input has
    ended; if the process is still there [patience] seconds (3) later, ends it.
*)
