(** A policy in a real kernel: workloads under the kernel's own scheduler, then
    under the policy, in one boot. *)

type settings = {
  kernel : string option;  (** the argument of {!Kernel.choose} *)
  nodes : int;
  plan : Guest.plan;
  folder : string;  (** the folder for logs and traces *)
  pages : bool;  (** each trace is also drawn, on a page beside it *)
  say : string -> unit;  (** prints a line about the progress *)
}

type trouble =
  | Nothing
  | Panic of string list  (** the guest's kernel panicked; its last lines *)
  | Hung of { seconds : float; last : string }
      (** the guest was silent for this time; its last line *)
  | Lost of string  (** QEMU ended before the guest was done *)

type recorded = {
  workload : string;
  scheduler : Transcript.scheduler;
  file : string;
  figures : (Dromos_policy_trace.Figures.t, string) result;
      (** or the reason why the trace cannot be read *)
}
(** The kernel's record of a run. *)

type outcome = {
  image : Kernel.t;
  emulated : string option;
      (** why the guest was emulated, if there is no KVM; times then say little
      *)
  transcript : Transcript.t;
  trouble : trouble;
  reasons : string list;  (** the kernel's lines about sched_ext *)
  traces : recorded list;
}

exception Refused of string
(** Clang does not compile the policy's code; the text is clang's message. *)

val stayed : outcome -> bool
(** True if the policy was loaded through all workloads, and all workloads
    ended. *)

val unfit : outcome -> string option
(** If no workload has run: "cannot run policies" or "did not come up", for the
    kernel, with the reason. *)

val run : settings -> Guest.program -> outcome
(** @raise Refused
    @raise Tools.Missing
    @raise Tools.Failed
    @raise Kernel.None_found *)
