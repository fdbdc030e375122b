(** The programs of the guest, made from the sources in this library, and the
    guest's first file system. *)

type program =
  | Source of { name : string; text : string; marked : string }
      (** C for clang's BPF back end: the file name for clang's messages, the
          text, and the text with directives that name the lines of the policy
      *)
  | Object of string  (** the content of an object file made by clang *)

type plan = {
  cpus : int;
  seconds : float;
  limit : int;  (** the most seconds for a workload *)
  trace_bytes : int;
      (** the most bytes of each run's trace; 0: no trace is recorded *)
  workloads : string list;
}

val workloads : (string * string) list
(** All workloads, each with a description. *)

val compiled : name:string -> string -> (string, string) result
(** The object of C code, or clang's message.
    @raise Tools.Missing *)

val is_object : string -> bool
(** True if the file is an object made by clang for BPF. *)

val image : plan -> string -> string
(** [image plan object_] is the archive that the kernel unpacks. The programs
    are compiled at the first call, and kept in the cache.
    @raise Tools.Missing
    @raise Tools.Failed *)
