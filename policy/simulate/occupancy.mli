(** The number of runnable threads of each core over time: {!Summary} sums the
    numbers up, and {!Drawing} draws them. Times are in microseconds. *)

val levels : cores:int -> Engine.result -> (float * int) list array
(** For each core, the number of runnable threads, with the time of each change.
*)

type run = {
  on : int;  (** the core *)
  thread : int;
  moved : bool;  (** the thread's run before was on another core *)
  since : float;
  stopped : float;
}

val runs : cores:int -> Engine.result -> run list
(** The runs of all cores, in the order of their ends. A run interrupted only by
    ticks is a single run. *)

(** {1 Waste}

    A core wastes time while it has no runnable thread and another core has two
    or more. With an affinity, one of these threads must wait and be allowed on
    the idle core. *)

type waste = {
  core : int;  (** the idle core *)
  from : float;
  until : float;
  overloaded : int;
      (** the core with the most threads during the span; the lowest number
          among equals *)
  threads : int;  (** the number of its threads then, 2 or more *)
}

val wastes : cores:int -> Engine.result -> waste list
(** The maximal spans, ordered by time, then by core. No span is empty, and two
    spans of a core neither touch nor overlap. O(happenings * cores); with an
    affinity O(happenings * cores{^ 2} * threads). *)

type totals = {
  idle_beside : float;  (** core time: the sum of {!wastes} *)
  usable : float;
      (** core time that could have been used: at each moment, the smaller of
          two numbers: the idle cores, and the threads that other cores could
          spare *)
  at_all : float;  (** the time in which at least one core wasted time *)
}

val totals : cores:int -> Engine.result -> totals
