(** The threads of a trace. The kernel gives the pid of a thread that has ended
    to a new thread, so threads have numbers of their own here, from 0. *)

type t = {
  subject : int array;
      (** by event: the thread of the event; for a switch, the thread that stops
          running *)
  next : int array;  (** for a switch: the thread that runs next *)
  observed : int array;
      (** by event: the thread that ran on the event's CPU until then *)
  names : string array;  (** by thread: the last name, with the pid *)
}

val idle : int
(** The idle thread of any CPU; also an event without a thread. *)

val unknown : int
(** In [observed]: the event does not name the thread. *)

val of_trace : Trace.t -> t
