(** Suites in which a test may hang, and that choose by chance.

    The suite runs in a forked process; the parent watches it, and a test that
    takes longer than its limit is named, the suite killed and the exit status
    2. So a hang is a failure with a name, whatever state the threads of the
    suite are in. [DROMOS_TEST_PATIENCE], a number, multiplies all limits: for
    what runs slowly, or on a busy machine. *)

val suite : string -> (unit -> unit) -> unit
(** [suite name main] runs [main ()]. Before any domain or thread. *)

val case : ?limit:float -> string -> (unit -> unit) -> unit Alcotest.test_case
(** [limit] in seconds, 60 by default: far more than the test needs. *)

val during : ?limit:float -> string -> (unit -> 'a) -> 'a
(** [during name f] is [f ()], watched like a {!case}, for suites that do
    without Alcotest. *)

val seed : int
(** [DROMOS_TEST_SEED], or a new one; {!suite} prints it. *)

val chance : Random.State.t
(** From the seed. For the suite's main thread. *)

val rests : most:float -> (unit -> float) -> unit
(** Fails unless one of five measurements, seconds of processor time while all
    is at rest, is at most that: among other programs it takes longer to find a
    core to go to sleep on. *)

val check : 'a Alcotest.testable -> string -> 'a -> 'a -> unit
(** [Alcotest.check], but silent when it holds: Alcotest prints every check
    through one formatter, which two domains must not use at once. From any
    domain. *)
