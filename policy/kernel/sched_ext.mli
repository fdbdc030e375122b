(** A policy as a scheduler of Linux, for sched_ext: threads are the kernel's
    tasks, cores its CPUs. The result is a single C file. Clang compiles the
    file for BPF with libbpf's headers, and a kernel of 6.12 or later loads the
    program.

    The machine's text is the same for all policies: the queues, words and locks
    of doc/policy/semantics.md, in arrays of the program, and the operations
    called by the kernel. The policy's handlers and functions keep their names,
    under comments with their source lines.

    The system gives these attributes of threads: [nice], [weight], [pid],
    [tgid], [kernel] (true for a thread of the kernel itself) and [sleep_time];
    of groups [sharing_level]; of the machine [now], in ticks of the kernel, and
    [random]. Any other attribute of the system keeps its initial value. *)

exception Not_compiled of Dromos_policy_core.Core.place * string
(** The policy uses a construct that sched_ext's machine has no room for, at
    this place. *)

val compile :
  ?cores:int ->
  ?threads:int ->
  ?text:string ->
  ?directives:bool ->
  source:string ->
  Dromos_policy_core.Core.policy ->
  string
(** [source] is named in the first line. [cores] is the most cores of a machine,
    a power of two from 64 (the default) to 1024. [threads] is the most threads
    of the policy, a power of two (65536 by default): tasks beyond the limit run
    outside of the policy, in turn. [text] is the policy's text, whose lines are
    quoted. With [directives], line directives name the lines of [source]
    instead.
    @raise Not_compiled
    @raise Invalid_argument if [cores] or [threads] is not such a number *)

val unknown :
  Dromos_policy_core.Core.policy -> Dromos_policy_core.Core.attribute list
(** The attributes of the system that the kernel never sets. *)
