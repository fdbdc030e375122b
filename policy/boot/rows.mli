(** The results of the runs, one row each. *)

type row = {
  workload : string;
  scheduler : Transcript.scheduler;
  outcome : string option;  (** none: the run went well; else the problem *)
  threads : int option;
  rate : float option;  (** work per second of CPU time *)
  used : float option;
      (** the CPU time of the workload over that of all CPUs: 1 means all *)
  fairness : float option;
      (** the least CPU time of a thread over the most, at the end of the first
          thread *)
  idle_beside : float option;
      (** core time in which a CPU was idle while another had two threads or
          more, over all core time *)
  wait_p99 : float option;  (** seconds from waking to running *)
  longest_wait : float option;
      (** seconds: the figure of the workload, else that of any thread in the
          trace *)
  migrations : int option;
  switches : int option;
  elapsed : float option;
}

val recorded :
  Outcome.t ->
  workload:string ->
  Transcript.scheduler ->
  Outcome.recorded option
(** The kernel's record of a workload under a scheduler. *)

val of_outcome : Outcome.t -> row list
(** Each workload under the kernel's scheduler, then under the policy. *)
