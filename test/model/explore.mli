(** Runs scenarios through every interleaving of their atomic steps. *)

type scenario = unit -> (unit -> unit) list * (unit -> unit)
(** Makes fresh structures; returns the threads, and what to check when all have
    finished: raises if the execution is wrong. A thread may sleep on a
    {!Traced.Condition}; if it is woken the rest of it runs before the check. *)

type outcome = {
  executions : int;  (** those that ran to the end and were checked *)
  failure : exn option;
}

val run : ?random:int -> scenario -> outcome
(** All interleavings (source-set DPOR), or [random] random ones; stops at the
    first failure. *)

val asleep : unit -> int
(** In a check: threads that sleep and were not woken. *)

val passes : ?random:int -> string -> scenario -> unit Alcotest.test_case

val catches : ?random:int -> string -> scenario -> unit Alcotest.test_case
(** The same scenario over a source with a seeded bug: fails unless the bug is
    found. *)
