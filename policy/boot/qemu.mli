(** A guest, from its begin to its end. *)

type accelerator = Kvm | Emulated

type files = {
  console : string;  (** what the kernel prints *)
  report : string;  (** what /init tells, by virtio *)
  serial : string;  (** the same, where the guest knows no virtio *)
  trace : string;
}

val files : string -> files
(** In this folder; they are not there yet. *)

type settings = {
  accelerator : accelerator;
  cpus : int;
  nodes : int;  (** of memory, each with as many of the CPUs *)
  kernel : string;
  initrd : string;
  records : bool;  (** the kernel's scheduling events, from the start *)
  files : files;
}

val command : string -> settings -> string list
(** [command qemu settings]. *)

type ending =
  | Ended  (** by itself; whether the guest was done its report tells *)
  | Silent of float
      (** killed: for so many seconds nothing came from the guest *)
  | Broken of string  (** QEMU itself failed; its words *)

val boot :
  settings -> patience:float -> first:float -> (string -> unit) -> ending
(** Calls the function with each line that the guest reports. Killed where
    nothing comes for [patience] seconds, or no line at all for [first]. QEMU
    does not outlive this process, and ends when the function raises, as it may
    in a signal handler too.
    @raise Tools.Missing *)

val contains : part:string -> string -> bool

val has_kvm : unit -> bool
(** This machine may have it; whether it works only a boot tells. *)
