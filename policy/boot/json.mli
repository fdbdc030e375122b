(** What a boot comes to, as JSON, with the figures of its traces. *)

val of_outcome : name:string -> Boot.outcome -> Yojson.Safe.t
(** [name] is the policy's. Times in seconds but in [recorded], where they are
    in microseconds. *)
