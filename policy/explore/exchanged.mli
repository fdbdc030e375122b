(** Attributes by which one handler can tell, between two steps of another, what
    the other has done: one sets them and one looks at them, under no lock that
    both hold.

    Those of the policy as a whole, of groups and of domains; and of threads,
    where an attribute may name a thread, where they are read of a waker, or
    where a handler looks at its thread after it has put it where others find
    it. Those of a core are used under its lock only. A step commutes with
    nothing if it uses one of them, or if what is run with it does: it is not
    made together with a neighbour that it would be moved to. *)

open Core

val among : Machine.t -> Relevant.t -> event list -> attribute list
(** When no other events come than these. Only what is relevant: nothing depends
    on the others. Linear in the code. *)
