(** What is kept between boots: [$XDG_CACHE_HOME/dromos], or [~/.cache/dromos].
*)

val directory : string -> string
(** The folder of this name there; made if it is not there. *)

val make : string -> unit
(** A folder, with those above it. *)

val remove : string -> unit
(** A file, or a folder with all in it; nothing if it is not there. *)

val write : string -> string -> unit
(** A file of this path and content.
    @raise Sys_error with the path in it *)

val filled : string -> (string -> unit) -> string
(** [filled path fill] is [path]: if it is not there, [fill] puts files into a
    new folder beside it, which gets that name then. Two that do so at once do
    not disturb each other. *)
