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
  nodes : int;  (** of memory, each with as many of the CPUs *)
  kernel : string;
  initrd : string;
  records : bool;  (** tracepoints are on from the start *)
  files : files;
}

val command : string -> settings -> string list
(** [command qemu settings] is the command line; [qemu] is the program's path.
*)

type ending =
  | Ended  (** the guest powered off; the report tells how far the guest came *)
  | Silent of float  (** killed after so many seconds without a line *)
  | Broken of string  (** QEMU failed, with this message *)

val boot :
  settings -> patience:float -> first:float -> (string -> unit) -> ending
(** Calls the function with each line of the guest's report. QEMU is killed
    after [patience] seconds without a line, or [first] seconds before the first
    line. QEMU ends when this process ends, and when the function or a signal
    handler raises.
    @raise Tools.Missing *)

val contains : part:string -> string -> bool
(** [part] stands somewhere in the text. *)

val has_kvm : unit -> bool
(** This machine has [/dev/kvm]. Only a boot tells whether KVM works. *)
