(** How many processors a container's quota of processor time amounts to: Linux
    control groups, version 2 ([cpu.max]) and 1 ([cpu.cfs_quota_us] and
    [cpu.cfs_period_us]). Internal; {!Run} asks once.

    A process is in one group of each hierarchy ([/proc/self/cgroup]), the group
    in others above it, up to the root of what is mounted here
    ([/proc/self/mountinfo]); each of them may have a quota, and the smallest
    holds. Nothing raises: what is missing or not understood is no quota. *)

val cpus : ?root:string -> unit -> int option
(** The smallest quota divided by its period, rounded up, so at least 1; [None]
    if there is no quota. Below [root], a directory (default: [/]), it looks for
    the files that it would read at their absolute paths. Reads a few small
    files. *)

(** {1 The formats, for tests} *)

val of_max : string -> int option
(** What [cpu.max] says: ["150000 100000"] is [Some 2], ["max 100000"] none. *)

val of_cfs : quota:string -> period:string -> int option
(** The same of version 1, where a quota of [-1] is none. *)

type version = V1 | V2

val group : version -> string -> string option
(** The path of the process's group for the processor, in [/proc/self/cgroup].
*)

val mounts : version -> string -> (string * string) list
(** In [/proc/self/mountinfo] the mounts of that version, with the processor's
    controller: for each the group at its root, and its mount point. *)
