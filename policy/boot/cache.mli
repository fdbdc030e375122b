(** The files kept between boots: [$XDG_CACHE_HOME/dromos], or
    [~/.cache/dromos]. *)

val directory : string -> string
(** The folder of this name in the cache; made if missing. *)

val make : string -> unit
(** Makes a folder, and the folders above it. *)

val remove : string -> unit
(** Removes a file, or a folder with its content; no effect if it is missing. *)

val write : string -> string -> unit
(** Writes a file with this path and content.
    @raise Sys_error with the path in it *)

val filled : string -> (string -> unit) -> string
(** [filled path fill] returns [path]. If [path] is missing, [fill] puts files
    into a new folder beside it, which is then renamed to [path]. Two processes
    may call [filled] at once. *)
