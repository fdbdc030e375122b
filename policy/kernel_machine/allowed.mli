(** The machine of the kernel. Every thread has a set of cores on which it may
    run. The system sets the set, and the machine obeys it even if the policy
    does not read it (doc/policy/semantics.md, "The machine of the kernel").

    A policy on this machine is the same as another policy on the usual machine.
    {!policy} makes the other policy:

    - threads have a new attribute of the system, a set of cores, named {!cpus}
      if the name is free. By default the set holds all cores;
    - the affinity [can_run(t, c)] says that c is in the set, and that the
      policy's own affinity holds, if the policy has one. A thread may be put on
      a core only where both hold: the machine ensures the first, the policy the
      second;
    - in the handlers of [new], [unblock] and [attach], and in the functions
      called there, the sets of cores ([system_cores()], [idle_cores],
      [active_cores], the cores of a group or a domain, attributes that are sets
      of cores) hold only cores on which the system lets the target run. A
      function that is called elsewhere too keeps its meaning there: the
      handlers call a copy. Lazy attributes are unchanged;
    - a move in these handlers to a core on which the target may not run, or to
      none, goes to the core with the least [count] among those where the target
      may run, the first by number. The counts are read without a lock, during
      the move;
    - [steal_thread] is offered only threads that may run on the destination,
      and its [until] is asked only after such a thread. *)

open Core

val cpus : string
(** ["cpus_ptr"], the name in Linux *)

val attribute : policy -> attribute option
(** The new attribute of a policy made by {!policy}. On a machine with at most
    62 cores the values in states are masks, with bit c for core c. *)

val policy : policy -> (policy, place * string) result
(** Linear in the policy, with at most one copy of each function. An error if a
    statement of one of the three handlers sets an attribute of type set of
    cores. *)
