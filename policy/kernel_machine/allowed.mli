(** The machine of the kernel: every thread has a set of cores on which it may
    run, which the system sets, and which the machine keeps to whether or not
    the policy speaks of it (doc/policy/semantics.md, "The machine of the
    kernel").

    A policy on that machine is another policy on the usual one, which {!policy}
    makes:

    - threads have an attribute of the system, {!cpus} of them if the name is
      free, a set of cores. It holds all cores where nothing is said;
    - the affinity [can_run(t, c)] says that c is in it, and what the policy's
      own affinity says, if it has one: both must hold where a thread is put.
      The machine sees to the former alone, and the policy to the latter;
    - in the handlers of [new], [unblock] and [attach], and in the functions
      that are called there, the sets of cores that are asked for
      ([system_cores()], [idle_cores], [active_cores], the cores of a group or a
      domain) hold only cores on which the system lets the target run. Functions
      that are called elsewhere too keep their meaning there: the handlers call
      copies. Lazy attributes are as they are;
    - a move in these handlers to a core on which the target may not run, or to
      none, goes to the core of the least [count] among those where it may run,
      the first by number. The counts are looked at without a lock, as the move
      is made;
    - [steal_thread] is offered only what may run on the destination, and its
      [until] is asked only after such a thread. *)

open Core

val cpus : string
(** ["cpus_ptr"], as Linux calls it *)

val attribute : policy -> attribute option
(** that attribute, of a policy that {!policy} made. Where a machine has at most
    62 cores its values, as states have them, are masks with bit c for core c.
*)

val policy : policy -> (policy, place * string) result
(** Linear in the policy, with at most one copy of each function. An error where
    a statement of such a handler is of no kind that is known here: a set of
    cores that the policy itself keeps. *)
