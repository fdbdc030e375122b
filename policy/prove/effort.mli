(** A bound on the work for the obligations of one property. Making obligations
    can take very long, as the number of paths can be exponential.

    Work is counted in units, so that a policy is too much on every machine or
    on none. The seconds are the user's limit, for work much slower than its
    count suggests. The account belongs to the call of {!within} under way in
    this domain, because symbolic execution spends from many functions and none
    of them passes the account on. *)

(** Why the work ended: it reached the largest number of units, or the time
    limit (in seconds). *)
type spent = Work | Seconds of float

exception Spent of spent

val most : int
(** The largest number of units within one call. *)

val within : ?most:int -> ?seconds:float -> (unit -> 'a) -> ('a, spent) result
(** Calls the function with an account of its own; so an inner call does not
    spend from the outer account. [seconds] is measured by the clock; the
    default is no bound. *)

val spend : int -> unit
(** Spends this number of units. A unit is the evaluation of an expression, or
    the search or copy of a fact. Outside of {!within} the call does nothing.
    @raise Spent *)

val worked : unit -> int
(** The units that the call under way has spent, for tests of growth. 0 outside
    of {!within}. *)

val now : unit -> float
(** The seconds of a monotonic clock. *)

val why : spent -> string
(** The reason as a clause for a verdict. *)
