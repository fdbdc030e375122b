(** Between which numbers each integer attribute of a policy stays: abstract
    interpretation over {!Interval}, with nobody asked.

    The bodies of all handlers, of the interface and of [steal_thread] are
    walked, calls written out, until no attribute gains a value (with widening,
    then narrowing). On the way locals have intervals of their own, and so have
    the attributes of a thread that a variable names, or of [self] under its
    lock, from where they are compared or set: nothing else changes those
    meanwhile. Attributes of anything else are within what is ever assigned.

    An attribute of the system is unbounded, but for [sleep_time] and [now],
    which are not negative, and [random], which has 30 bits. Attributes that the
    system sets of a thread are supposed to stand still while a handler is at
    work on the thread, as the prover supposes. *)

open Core

val expression : policy -> Interval.t array -> expression -> Interval.t
(** Of an expression whose locals may be anything, with {!attributes}; unbounded
    where it takes too long. *)

val attributes : policy -> Interval.t array
(** By number of the attribute. It is unbounded where the type is not [int], and
    every one is if more than 400,000 expressions were looked at. *)
