(** The fragments of a move (doc/policy/semantics.md, Steps), and the real
    content of a core's queues. The functions change the state in place;
    O(length of a queue) at worst. *)

type order = Layout.state -> int -> int -> bool
(** [order s t u]: [t] stands strictly before [u]. *)

type t = {
  layout : Layout.t;
  orders : order array;  (** by state *)
  load : Layout.state -> int -> int;  (** the part of a thread in [cload] *)
  mutable log : (int * int) list option;
      (** the threads that left a place, with the place, latest first; None: no
          log is kept *)
}

val leave : t -> Layout.state -> int -> towards:int -> unit
(** Fragment 1: the thread leaves its queue or slot, if any, and is on its way.
*)

val lower : t -> Layout.state -> int -> from:int -> unit
(** Fragment 2, for a place in a queue or slot. *)

val raise_ : t -> Layout.state -> int -> towards:int -> unit
(** Fragment 3. *)

val shift : t -> Layout.state -> from:int -> towards:int -> int -> unit
(** Fragments 2 ([0]) and 3 ([1]) on one core, where only the counts of the two
    states change. *)

val enter : t -> Layout.state -> int -> unit
(** Fragment 4: the thread arrives at its destination. *)

val displaced_to : Layout.t -> int -> int
(** The place to which a place of one thread displaces the old thread when a new
    thread comes. 0 for other places. *)

val make_room : t -> Layout.state -> int -> unit
(** Displaces the thread at a place of one thread, with all fragments at once.
*)

val append : t -> Layout.state -> int -> int -> int
(** [append t s chain thread]: the chain (first thread + 1, or 0) with the
    thread added last. *)

val iter : t -> Layout.state -> int -> int -> (int -> unit) -> unit
(** Calls [f] with the threads of this core in this state, in order. [f] may
    move the thread. *)

val length : t -> Layout.state -> int -> int -> int

val really : t -> Layout.state -> int -> int
(** The number of threads in the core's queues and slot. *)

val real_load : t -> Layout.state -> int -> int
val synch : t -> Layout.state -> int -> bool
