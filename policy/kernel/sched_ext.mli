(** A policy as a scheduler of Linux, for sched_ext: threads are the kernel's
    tasks, cores its CPUs. The result is one C file that needs libbpf's headers
    to be compiled by clang for BPF, and a kernel of 6.12 or later to be loaded.

    The machine's text is the same for all policies: queues, words and locks as
    in doc/policy/semantics.md, in arrays of the program's own, and the
    operations that the kernel calls. The policy's handlers and functions keep
    their names, and the lines that they were made from stand above them.

    What the system says of threads: [nice], [weight], [pid], [tgid], [kernel]
    (a thread of the kernel itself) and [sleep_time]; of groups [sharing_level];
    of the machine [now] in ticks of the kernel, and [random]. Other attributes
    of the system keep what they begin with. *)

exception Not_compiled of Dromos_policy_core.Core.place * string
(** What sched_ext's machine has no room for, and where it stands. *)

val compile :
  ?cores:int ->
  ?threads:int ->
  ?text:string ->
  ?directives:bool ->
  source:string ->
  Dromos_policy_core.Core.policy ->
  string
(** [source] is named in the first line. [cores] is the most that a machine may
    have, a power of two between 64 (if not said) and 1024; [threads] the most
    threads that the policy can hold, a power of two (65536): those that come
    when all are taken run outside of the policy, in turn. [text] is the
    policy's, whose lines are quoted; [directives] says of which line of
    [source] each line is, instead.
    @raise Not_compiled Raises [Invalid_argument] if a size is no such number.
*)

val unknown :
  Dromos_policy_core.Core.policy -> Dromos_policy_core.Core.attribute list
(** Attributes of the system that nobody will set. *)
