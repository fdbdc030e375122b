(** The attributes that handlers exchange: one handler sets the attribute,
    another one reads it, and no lock is held by both. By such an attribute a
    handler can tell, between two steps of another handler, what the other
    handler has done.

    Attributes of the policy, of groups and of domains are exchanged wherever
    they are set and read. An attribute of threads is exchanged if the policy
    has attributes that name threads, if a handler reads the attribute of a
    waker, or if a handler uses the attribute after putting its thread where
    other handlers find the thread. Attributes of a core are used under the lock
    of the core only.

    A step commutes with nothing if the step, or the code that runs with the
    step, uses an exchanged attribute. The search does not join such a step to
    the neighbour past which the step would be moved. *)

open Core

val among : Machine.t -> Relevant.t -> event list -> attribute list
(** [among machine relevant events], where no events come but [events]. Leaves
    out the attributes that are not relevant: no decision depends on them.
    Linear in the code. *)
