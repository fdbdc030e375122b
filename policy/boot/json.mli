(** The results of a boot as JSON, with the figures of its traces. *)

val of_outcome : name:string -> Outcome.t -> Yojson.Safe.t
(** [name] is the policy's name. Times are in seconds, except in [recorded],
    where they are in microseconds. *)
