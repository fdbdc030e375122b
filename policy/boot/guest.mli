(** The guest's programs, made of the sources that this library holds, and its
    first file system. *)

type program =
  | Source of { name : string; text : string; marked : string }
      (** C for clang's BPF back end, of which file clang shall speak, and the
          same with directives that name the lines of a policy *)
  | Object of string  (** what clang made of it, the file's content *)

type plan = {
  cpus : int;
  seconds : float;
  limit : int;  (** seconds for a workload *)
  trace_bytes : int;  (** of each run; 0: nothing is recorded *)
  workloads : string list;
}

val workloads : (string * string) list
(** All there are, and what each is. *)

val compiled : name:string -> string -> (string, string) result
(** The object of C, or what clang says.
    @raise Tools.Missing *)

val is_object : string -> bool
(** Has clang made it for BPF? *)

val image : plan -> string -> string
(** [image plan object_] is the archive that the kernel unpacks. The programs
    are compiled for the first one, and kept.
    @raise Tools.Missing
    @raise Tools.Failed *)
