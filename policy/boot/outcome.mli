(** The outcome of a boot. *)

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

type t = {
  image : Kernel.t;
  emulated : string option;
      (** why the guest was emulated, if there is no KVM; times then say little
      *)
  transcript : Transcript.t;
  trouble : trouble;
  reasons : string list;  (** the kernel's lines about sched_ext *)
  traces : recorded list;
  console : string option;
      (** the file of the guest's console: its kernel's warnings and errors *)
}
