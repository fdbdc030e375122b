(** Can a ready thread wait for ever? A search of one core ({!Solo}) for a cycle
    of states in which the thread is ready all the time and is never chosen,
    while the core schedules, ticks and balances.

    A run that repeats the cycle passes the thread over arbitrarily often, so no
    bound on the wait exists. The search does not find runs whose states never
    come back. *)

type outcome =
  | Never  (** all states were seen, and no such cycle exists *)
  | Starves of Trace.t  (** a short cycle, not always the shortest *)
  | Cut_off  (** time or room was too short *)

type t = { outcome : outcome; states : int }

val run : ?until:float -> ?most:int -> Solo.t -> t
(** [until] is a time of [Sys.time]. [most]: the most states, by default
    200,000, of some 300 bytes each. Linear in the states. *)
