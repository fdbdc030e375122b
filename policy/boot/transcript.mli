(** The report of a guest, as {!Transcripts} reads it. *)

type scheduler = Kernel | Policy

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
  elapsed : float;  (** seconds, like the times below *)
  cpu : float;  (** CPU time of all threads *)
  least : float option;
      (** the least CPU time of a thread when the first thread ended *)
  most : float option;  (** the most CPU time of a thread at that moment *)
  longest_wait : float option;
}

type trace = {
  bytes : int;
  lost : int;  (** events that the kernel dropped *)
  whole : bool;  (** false: the text was cut off at the limit *)
}

type run = {
  workload : string;
  scheduler : scheduler;
  result : result option;  (** none if the workload did not end by itself *)
  code : int;  (** the workload's exit status, -1 if the workload was killed *)
  in_time : bool;
  run_elapsed : float;
  run_cpu : float;
  migrations : int option;
  switches : int option;
  enabled : bool;
      (** the policy was loaded before the run began and after it ended, by the
          same loader *)
  trace : trace option;
  over : bool;  (** false: the guest was lost before the run ended *)
}

type exit = { kind : int; code : int; reason : string; message : string list }
(** The kernel's reason for the end of a scheduler. Kinds are numbers of
    sched_ext's [scx_exit_kind]. *)

type loading = {
  programs : (string * int) list;
      (** by name: the number of verified instructions *)
  attached : (float * float) option;  (** seconds to load, to attach *)
  ops : string option;  (** the text of the kernel's [root/ops] *)
  refused : (string * string) option;
      (** the step that failed, and the error *)
  log : string list;  (** the last lines of the verifier's log *)
  exit : exit option;
  gone : int option;  (** the loader's exit status; 128 and the signal *)
  restarted : bool;
      (** the loader has started the policy again, as the kernel asked; the next
          loading follows *)
}

type t = {
  guest : guest option;
  units : float option;  (** units of work in a second of CPU time *)
  runs : run list;  (** in the order of time *)
  loadings : loading list;  (** in the order of time *)
  notes : string list;  (** lines for no other field *)
  ended : bool;  (** true: the guest has reported its end *)
}
