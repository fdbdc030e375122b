(** A guest of QEMU, from start to end. *)

type accelerator = Kvm | Emulated

type files = {
  console : string;  (** the kernel's messages *)
  report : string;  (** the lines of /init, by virtio *)
  serial : string;  (** the lines of /init from a guest without virtio *)
  trace : string;  (** the kernel's record of scheduling events *)
}

val files : string -> files
(** The names of the files in a folder. {!boot} makes the files. *)

type settings = {
  accelerator : accelerator;
  cpus : int;
  nodes : int;  (** memory nodes, each with an equal number of the CPUs *)
  kernel : string;
  initrd : string;
  records : bool;  (** tracepoints are on from the start *)
  files : files;
}

val command : string -> settings -> string list
(** [command qemu settings] is the command line; [qemu] is the path of the
    program. *)

type ending =
  | Ended  (** the guest powered off; the report tells how far the guest came *)
  | Silent of float  (** killed after this number of seconds without output *)
  | Broken of string  (** QEMU failed, with this message *)

val boot :
  settings -> patience:float -> first:float -> (string -> unit) -> ending
(** Calls the function with each line of the guest's report. QEMU is killed if
    the first line does not come within [first] seconds, or later after
    [patience] seconds without output: a line, a message of the kernel, or a
    piece of a trace. QEMU ends when this process ends, and when the function or
    a signal handler raises.
    @raise Tools.Missing *)

val contains : part:string -> string -> bool
(** True if [part] stands somewhere in the text. *)

val has_kvm : unit -> bool
(** True if this machine has [/dev/kvm]. Only a boot shows whether KVM works. *)
