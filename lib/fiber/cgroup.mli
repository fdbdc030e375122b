(** The number of processors that a container's quota of processor time amounts
    to: Linux control groups, version 2 ([cpu.max]) and 1 ([cpu.cfs_quota_us]
    and [cpu.cfs_period_us]). Internal; {!Run} asks once.

    A process is in a group of each hierarchy ([/proc/self/cgroup]). The group
    is inside other groups, up to the root of the mounted part
    ([/proc/self/mountinfo]). Each group may have a quota, and the smallest
    holds. No function raises: missing or unknown text means no quota. *)

val cpus : ?root:string -> unit -> int option
(** The smallest quota divided by its period, rounded up, so at least 1; [None]
    without a quota. [root] is a directory (default: [/]) in front of the
    absolute paths of the files. Reads a few small files. *)

(** {1 The formats, for tests} *)

val of_max : string -> int option
(** Reads [cpu.max]: ["150000 100000"] is [Some 2], ["max 100000"] is [None]. *)

val of_cfs : quota:string -> period:string -> int option
(** Reads the files of version 1, where a quota of [-1] is [None]. *)

type version = V1 | V2

val group : version -> string -> string option
(** The path of the process's group with the processor controller, in the text
    of [/proc/self/cgroup]. *)

val mounts : version -> string -> (string * string) list
(** The mounts of that version with the processor's controller, in the text of
    [/proc/self/mountinfo]: for each mount the group at its root, and the mount
    point. *)
