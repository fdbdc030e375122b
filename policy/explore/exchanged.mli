(** The attributes that handlers exchange: one handler sets the attribute,
    another handler reads it, and no common lock protects the attribute. By an
    exchanged attribute a handler can tell, between two steps of another
    handler, what the other handler has done.

    Attributes of the policy, of groups and of domains are exchanged wherever
    they are set and read. An attribute of threads is exchanged in four cases:
    stealing holds the lock of the source for each move only; the policy has
    attributes that name threads; a handler reads the attribute of a waker; or a
    handler uses the attribute after putting its thread where other handlers
    find the thread. Attributes of a core are used under the lock of the core
    only.

    A step commutes with nothing if the step, or the code that runs with the
    step, uses an exchanged attribute. The search does not join such a step to
    the neighbour past which the step would be moved. *)

open Core

val among : Machine.t -> Relevant.t -> event list -> attribute list
(** [among machine relevant events], where only [events] come. Leaves out
    attributes on which no decision depends ([relevant]). Linear in the code. *)
