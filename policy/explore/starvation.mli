(** Can a ready thread wait for ever? A search of one core ({!Solo}) for a cycle
    of states in which the thread is ready all the time and is never chosen,
    while the core schedules, ticks and balances.

    A run that repeats the cycle passes the thread over as often as one likes,
    so no bound on the wait exists. The search finds no run in which states
    never come back. *)

type outcome =
  | Never  (** all states were seen; they form no such cycle *)
  | Starves of Trace.t  (** a short cycle, not always the shortest *)
  | Cut_off  (** time or room was too short *)

type t = { outcome : outcome; states : int }

val run : ?until:float -> ?most:int -> Solo.t -> t
(** [until]: by [Sys.time]. [most]: states, 200,000 if not said, of some 300
    bytes each. Linear in the states. *)
