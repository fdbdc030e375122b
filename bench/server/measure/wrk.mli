(** The load generator wrk, where it is installed: a closed loop. *)

val program : string option

val run :
  string ->
  address:Unix.sockaddr ->
  path:string ->
  connections:int ->
  seconds:float ->
  (string * float) list
(** [run program]: figures. Raises [Failure] if the report cannot be read. *)

val figures : string -> (string * float) list
(** From the text of a report. *)
