(** How many runnable threads each core has over time: what {!Figures} sums up
    and {!Drawing} draws. Times in microseconds. *)

val levels : cores:int -> Engine.result -> (float * int) list array
(** For each core how many threads were runnable there, from when on. *)

type run = {
  on : int;  (** core *)
  thread : int;
  moved : bool;  (** it ran on another core the time before *)
  since : float;
  stopped : float;
}

val runs : cores:int -> Engine.result -> run list
(** What each core ran, in order of ending. What was cut up by ticks alone is
    one run. *)

(** {1 Waste}

    A core wastes time while it has no runnable thread and some other core has
    two or more; with an affinity, one of them that waits and that it may run.
*)

type waste = {
  core : int;  (** the idle one *)
  from : float;
  until : float;
  overloaded : int;
      (** the core with most threads during this time; the lowest number *)
  threads : int;  (** that it had then, 2 or more *)
}

val wastes : cores:int -> Engine.result -> waste list
(** The longest spans, by time, then by core; none is empty, and two of a core
    neither touch nor overlap. O(happenings * cores). *)

type totals = {
  idle_beside : float;  (** core time: the sum of {!wastes} *)
  usable : float;
      (** core time that could have been used: at each moment the lesser of the
          idle cores and of the threads that others had to spare *)
  at_all : float;  (** time in which some core wasted *)
}

val totals : cores:int -> Engine.result -> totals
