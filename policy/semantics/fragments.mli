(** The fragments of a move (doc/policy/semantics.md, Steps), and what is really
    in a core's queues. In place; O(length of a queue) at worst. *)

type order = Layout.state -> int -> int -> bool
(** [order s t u]: [t] stands strictly before [u]. *)

type t = {
  layout : Layout.t;
  orders : order array;  (** by state *)
  load : Layout.state -> int -> int;  (** what a thread adds to [cload] *)
  mutable log : (int * int) list option;
      (** if asked for: each thread that left a place, the latest first *)
}

val leave : t -> Layout.state -> int -> towards:int -> unit
(** 1: out of its queue or slot, if it is in one, and on the way. *)

val lower : t -> Layout.state -> int -> from:int -> unit
(** 2, of a place in a queue or slot. *)

val raise_ : t -> Layout.state -> int -> towards:int -> unit
(** 3 *)

val shift : t -> Layout.state -> from:int -> towards:int -> int -> unit
(** 2 ([0]) and 3 ([1]) on one core: only the counts of the two states. *)

val enter : t -> Layout.state -> int -> unit
(** 4: arrives where it is on the way to. *)

val displaced_to : Layout.t -> int -> int
(** Of a place of one thread: the place to which a thread is moved from there
    when another thread comes; of other places 0. *)

val make_room : t -> Layout.state -> int -> unit
(** Moves the thread that stands at a place of one thread to the place to which
    that displaces, all fragments at once. *)

val append : t -> Layout.state -> int -> int -> int
(** [append t s chain thread]: the chain (first thread + 1, or 0) with it last.
*)

val iter : t -> Layout.state -> int -> int -> (int -> unit) -> unit
(** The threads of this core in this state, in order. [f] may move the thread.
*)

val length : t -> Layout.state -> int -> int -> int

val really : t -> Layout.state -> int -> int
(** Runnable threads of a core. *)

val real_load : t -> Layout.state -> int -> int
val synch : t -> Layout.state -> int -> bool
