(** What runs come to: a row for each. *)

type row = {
  workload : string;
  scheduler : Transcript.scheduler;
  outcome : string option;  (** none: all was well; else what was not *)
  threads : int option;
  rate : float option;  (** work for a second of CPU time *)
  used : float option;
      (** CPU time of the workload over that of all CPUs: 1 is all *)
  fairness : float option;
      (** the least CPU time of a thread over the most, when the first ended *)
  idle_beside : float option;
      (** core time in which a CPU was idle while another had two threads or
          more, over all core time: 0 is none *)
  wait_p99 : float option;  (** seconds from waking to running *)
  longest_wait : float option;
      (** seconds, as the workload saw it; else of any thread, as recorded *)
  migrations : int option;
  switches : int option;
  elapsed : float option;
}

val recorded :
  Boot.outcome ->
  workload:string ->
  Transcript.scheduler ->
  Boot.recorded option
(** What the kernel recorded of a workload under a scheduler. *)

val of_outcome : Boot.outcome -> row list
(** Each workload under the kernel's scheduler, then under the policy. *)
