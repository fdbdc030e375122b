(** What stands where in a state, for people, testers and the simulator. *)

type state = Layout.state

val place :
  Machine.t -> state -> int -> [ `New | `Moving | `At of int * Core.state ]
(** Of a thread: its core and state. *)

val queue : Machine.t -> state -> int -> Core.state -> int list

val current : Machine.t -> state -> int -> int option
(** The thread that a core runs. *)

val waiting : Machine.t -> state -> int -> bool
(** Some thread is ready on the core. *)

val really : Machine.t -> state -> int -> int
(** Threads that are really runnable on a core. *)

val synch : Machine.t -> state -> int -> bool
val idle : Machine.t -> state -> int -> bool
val overloaded : Machine.t -> state -> int -> bool
val attribute : Machine.t -> state -> Core.attribute -> int -> int

val set_attribute : Machine.t -> state -> Core.attribute -> int -> int -> unit
(** [set_attribute m s a owner value], as the system would. *)

val show : Machine.t -> state -> string
(** Cores with their threads, in a line: "0: nothing | 1 to 29: current t0 ..
    t28". A part of the line stands for more than four cores in a row if only
    thread numbers differ, and count on from core to core. *)

val broken : Machine.t -> state -> string option
(** What is wrong with a state, which no policy and no schedule of steps should
    reach: a thread in two places, or in none; words that say less than what is
    real (where no load is below 0), or more by more than one thread; words that
    are wrong though nobody holds the lock. O(cores * threads). *)
