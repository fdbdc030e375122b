(** The interval of each integer attribute of a policy, by abstract
    interpretation over {!Interval}, without a prover.

    The bodies of all handlers, of the interface and of [steal_thread] are
    walked, with calls written out, until no attribute gains a value (with
    widening, then narrowing). During the walk, locals have intervals of their
    own. So have the attributes of a thread that a variable names, and the
    attributes of [self] under its lock, from the point where they are compared
    or set: no other handler changes these attributes meanwhile. Any other
    attribute is within the interval of all assigned values.

    An attribute of the system is unbounded, except [sleep_time] and [now],
    which are not negative, and [random], which has 30 bits. Attributes of a
    thread that the system sets are supposed not to change while a handler is at
    work on the thread, as in the prover. *)

open Core

val expression : policy -> Interval.t array -> expression -> Interval.t
(** The interval of an expression, given the intervals of {!attributes} and
    arbitrary locals. Unbounded if the walk takes too long. *)

val attributes : policy -> Interval.t array
(** The intervals by number of the attribute. An attribute of another type than
    [int] is unbounded. All attributes are unbounded if the walk takes more than
    400,000 expressions. *)
