(** Runs scenarios through every interleaving of their atomic steps. *)

type scenario = unit -> (unit -> unit) list * (unit -> unit)
(** Makes fresh structures; returns the threads, and a check for the end, which
    raises if the execution is wrong. A thread may sleep on a
    {!Traced.Condition}; if it is woken, its rest runs before the check. *)

type outcome = {
  executions : int;  (** executions that ran to the end and were checked *)
  failure : exn option;
}

val run : ?random:int -> scenario -> outcome
(** All interleavings (source-set DPOR), or [random] random ones; stops at the
    first failure. *)

val asleep : unit -> int
(** In a check: the number of threads that sleep and were not woken. *)

val passes : ?random:int -> string -> scenario -> unit Alcotest.test_case

val catches : ?random:int -> string -> scenario -> unit Alcotest.test_case
(** The scenario over a source with a seeded fault: fails unless the scenario
    finds the fault. *)
