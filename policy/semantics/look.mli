(** The content of a state, for people, testers and the simulator. *)

type state = Layout.state

val place :
  Machine.t -> state -> int -> [ `New | `Moving | `At of int * Core.state ]
(** The core and the state of a thread. *)

val queue : Machine.t -> state -> int -> Core.state -> int list

val current : Machine.t -> state -> int -> int option
(** The thread that a core runs. *)

val waiting : Machine.t -> state -> int -> bool
(** True if a thread is ready on the core. *)

val really : Machine.t -> state -> int -> int
(** The number of threads that are really runnable on the core. *)

val synch : Machine.t -> state -> int -> bool
val idle : Machine.t -> state -> int -> bool
val overloaded : Machine.t -> state -> int -> bool
val attribute : Machine.t -> state -> Core.attribute -> int -> int

val set_attribute : Machine.t -> state -> Core.attribute -> int -> int -> unit
(** [set_attribute m s a owner value] sets the attribute as the system would. *)

val show : Machine.t -> state -> string
(** The cores with their threads, in one line: "0: nothing | 1 to 29: current t0
    .. t28". A part of the line stands for more than four cores in a row if only
    thread numbers differ, and count on from core to core. *)

val broken : Machine.t -> state -> string option
(** A broken invariant of the state, if there is one. No policy and no schedule
    of steps should break an invariant: a thread stands in exactly one place;
    words say at least what is real (if no load is below 0), and at most one
    thread more; the words of a core with a free lock are exact. O(cores *
    threads). *)
