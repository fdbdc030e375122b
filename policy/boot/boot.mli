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

exception Refused of string
(** Clang does not compile the policy's code; the text is clang's message. *)

val stayed : Outcome.t -> bool
(** True if the policy was loaded through all workloads, and all workloads
    ended. *)

val unfit : Outcome.t -> string option
(** If no workload has run: "cannot run policies" or "did not come up", for the
    kernel, with the reason. *)

val run : settings -> Guest.program -> Outcome.t
(** @raise Refused
    @raise Tools.Missing
    @raise Tools.Failed
    @raise Kernel.None_found *)
