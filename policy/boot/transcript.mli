(** What a guest reports, line by line: a word, then fields [key=value]. *)

type scheduler = Kernel | Policy

val scheduler_name : scheduler -> string

type guest = {
  cpus : int;
  sched_ext : bool;
  btf : bool;
  tracing : bool;
  kernel : string;
}

type result = {
  name : string;
  threads : int;
  work : float;  (** units, or messages *)
  elapsed : float;  (** seconds, here and below *)
  cpu : float;
  least : float option;  (** CPU time of a thread, when the first one ended *)
  most : float option;
  longest_wait : float option;
}

type trace = {
  bytes : int;
  lost : int;  (** events *)
  whole : bool;  (** false: cut off at the limit *)
}

type run = {
  workload : string;
  scheduler : scheduler;
  result : result option;  (** none if it did not come to its end *)
  code : int;  (** its exit status, -1 if it was killed *)
  in_time : bool;
  run_elapsed : float;
  run_cpu : float;
  migrations : int option;
  switches : int option;
  enabled : bool;
      (** one policy was there from before its begin until after its end *)
  trace : trace option;
  over : bool;  (** false: the guest was lost before its end *)
}

type exit = { kind : int; code : int; reason : string; message : string list }
(** How the kernel ended a scheduler; kinds are those of sched_ext. *)

val put_out : exit -> bool
(** It was the kernel's doing, not the loader's. *)

type loading = {
  programs : (string * int) list;  (** instructions that were verified *)
  attached : (float * float) option;  (** seconds to load, to attach *)
  refused : (string * string) option;  (** in which step, and the error *)
  log : string list;  (** the end of the verifier's *)
  exit : exit option;
  gone : int option;  (** the loader's exit status; 128 and the signal *)
}

type t = {
  guest : guest option;
  units : float option;  (** of work, in a second of CPU time *)
  runs : run list;  (** in their order *)
  loadings : loading list;
  notes : string list;
  ended : bool;
}

val of_lines : string list -> t
(** Lines that are not understood are notes. *)
