(** How much may be spent on the obligations of one property: on making them, as
    paths can be exponentially many.

    Spending is counted, so that where a policy is too much is the same on every
    machine; the seconds are the user's, and cut what is slower than was counted
    on. The count belongs to the call of {!within} that is under way in this
    domain: symbolic execution spends from many functions, and none of them
    hands the account on. *)

(** Why it ended: as much work as is ever done, or as many seconds as were
    given. *)
type spent = Work | Seconds of float

exception Spent of spent

val most : int
(** units of work within one call *)

val within : ?most:int -> ?seconds:float -> (unit -> 'a) -> ('a, spent) result
(** [seconds] (no bound) by the clock. An inner call has an account of its own.
*)

val spend : int -> unit
(** So many units: an expression that is evaluated, a fact that is found or
    handed on. Outside of {!within} it does nothing.
    @raise Spent *)

val worked : unit -> int
(** units spent so far by the call under way: for tests of growth *)

val now : unit -> float
(** seconds of a clock that never goes back *)

val why : spent -> string
(** a clause, for a verdict *)
