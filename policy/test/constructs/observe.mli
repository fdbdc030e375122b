(** Observes a policy: the words [mark] and [seen] set by its handlers, and the
    order of threads on cores. *)

type seen = { marks : int list; order : string list }

val simulated : string -> string option * seen
(** Runs the policy on three cores, over a workload in which threads sleep,
    yield, end, are attached and detached. The first result names a thread that
    is stuck. *)

val compiled : string -> Dromos_policy_runtime.Machine.policy -> seen
(** Runs 400 events drawn from one seed. Fails if the compiled policy and the
    machine of the semantics differ. *)

val faults : string -> string option
(** The message for a policy that is refused. *)
