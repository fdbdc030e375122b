(** Which threads there are in a trace. Pids are given to other threads after a
    thread has ended, so threads have numbers of their own, from 0. *)

type t = {
  subject : int array;
      (** which thread each event is about; of a switch: which runs no more *)
  next : int array;  (** of a switch: which runs then *)
  observed : int array;  (** which ran until then on the event's CPU *)
  names : string array;  (** of threads: the last name, with the pid *)
}

val idle : int
(** Any CPU's idle thread; and where an event is about no thread. *)

val unknown : int
(** In [observed] where it is not said. *)

val of_trace : Trace.t -> t
