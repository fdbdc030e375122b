(** A policy in a real kernel: workloads under the kernel's own scheduler, then
    under the policy, in one boot. *)

type settings = {
  kernel : string option;  (** as {!Kernel.choose} has it *)
  nodes : int;
  plan : Guest.plan;
  folder : string;  (** where logs and traces are left *)
  pages : bool;  (** traces are drawn too, each on a page beside it *)
  say : string -> unit;  (** what goes on *)
}

type trouble =
  | Nothing
  | Panic of string list  (** the guest's; its last lines *)
  | Hung of { seconds : float; last : string }  (** and what it told last *)
  | Lost of string  (** QEMU ended before the guest was done *)

type recorded = {
  workload : string;
  scheduler : Transcript.scheduler;
  file : string;
  figures : (Dromos_policy_trace.Figures.t, string) result;
      (** or why the trace cannot be read *)
}
(** What the kernel recorded of a run. *)

type outcome = {
  image : Kernel.t;
  emulated : string option;
      (** where there is no KVM: why. Wall clock says little then *)
  transcript : Transcript.t;
  trouble : trouble;
  reasons : string list;  (** what the kernel printed of sched_ext *)
  traces : recorded list;
}

exception Refused of string
(** The policy's code is not compiled; what clang says. *)

val stayed : outcome -> bool
(** The policy was there through all workloads, and they came to their ends. *)

val unfit : outcome -> string option
(** "cannot run policies", or "did not come up", of the kernel, and why: then no
    workload has run. *)

val run : settings -> Guest.program -> outcome
(** @raise Refused
    @raise Tools.Missing
    @raise Tools.Failed
    @raise Kernel.None_found *)
