(** Where a loaded policy leaves its hub for the program that loaded it. *)

val register : Dromos_hub.Hub.maker -> unit
(** Called by the policy's code when it is loaded. *)

val registered : unit -> Dromos_hub.Hub.maker option
(** The last one. *)
