(** Breadth-first search of one instance. *)

type outcome =
  | Holds
  | Violated of Trace.t  (** a trace with the fewest moves *)
  | Out_of_time
  | Out_of_room

type t = { outcome : outcome; states : int; seconds : float }

val run : ?until:float -> ?most:int -> Instance.t -> t
(** [until] is a time of [Sys.time], the processor time, so that the result does
    not depend on the load of the machine. [most]: the most states, by default 4
    million, of about 100 bytes each. *)
