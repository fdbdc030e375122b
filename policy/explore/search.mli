(** Breadth-first search of one instance. *)

type outcome =
  | Holds
  | Violated of Trace.t  (** of the fewest moves *)
  | Out_of_time
  | Out_of_room

type t = { outcome : outcome; states : int; seconds : float }

val run : ?until:float -> ?most:int -> Instance.t -> t
(** [until]: by [Sys.time], so that what is found does not depend on what else
    the machine does. [most] states, 4 million if not said: some 100 bytes each.
*)
