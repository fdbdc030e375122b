(** Suites whose tests may hang, and whose tests choose by chance.

    The suite runs in a forked process, and the parent watches it. If a test
    takes longer than its limit, the parent names the test and kills the suite,
    with exit status 2. A hang is thus a failure with a name, whatever the state
    of the suite's threads. [DROMOS_TEST_PATIENCE], a number, multiplies all
    limits, for slow programs or a busy machine. *)

val suite : string -> (unit -> unit) -> unit
(** [suite name main] runs [main ()]. Call [suite] before making any domain or
    thread. *)

val case : ?limit:float -> string -> (unit -> unit) -> unit Alcotest.test_case
(** [limit] in seconds, 60 by default: far more than the test needs. *)

val during : ?limit:float -> string -> (unit -> 'a) -> 'a
(** [during name f] is [f ()], watched like a {!case}, for suites without
    Alcotest. *)

val seed : int
(** [DROMOS_TEST_SEED], or a new seed; {!suite} prints the seed. *)

val chance : Random.State.t
(** Random numbers from the seed. For the suite's main thread. *)

val rests : most:float -> (unit -> float) -> unit
(** [rests ~most measure] fails unless one of five measurements, in seconds of
    processor time while all is at rest, is at most [most]: beside other
    programs, falling asleep takes longer. *)

val check : 'a Alcotest.testable -> string -> 'a -> 'a -> unit
(** [Alcotest.check], but silent on success: Alcotest prints every check through
    one formatter, which two domains must not use at once. From any domain. *)

val allocating : at:int -> (unit -> unit) -> (unit -> unit) -> int
(** [allocating ~at:n hook f] is [f ()], and calls [hook ()] at the [n]th
    allocation in [f], counted from 1: a point at which another thread may run.
    The result is the number of allocations. *)
