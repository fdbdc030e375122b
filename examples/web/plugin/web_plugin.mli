(** The place where a loaded policy leaves its hub for the program. *)

val register : Dromos.Hub.maker -> unit
(** The policy's code calls [register] when it is loaded. *)

val registered : unit -> Dromos.Hub.maker option
(** The hub registered last. *)
