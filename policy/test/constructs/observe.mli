(** What a policy comes to, by the words [mark] and [seen] that its handlers set
    and by what ran where. *)

type seen = { marks : int list; order : string list }

val simulated : string -> string option * seen
(** On three cores, over a workload in which threads sleep, yield, end, are
    attached and detached; first what is stuck. *)

val compiled : string -> Dromos_policy_runtime.Machine.policy -> seen
(** After 400 events drawn from one seed. Fails where the compiled policy and
    the machine of the semantics differ. *)

val faults : string -> string option
(** What is said of a policy that is refused. *)
