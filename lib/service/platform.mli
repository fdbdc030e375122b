(** What Dromos knows of the system beyond [Unix]. Internal; [platform.h],
    beside this file, lists the same for C, and is where a port to another
    system begins. *)

val is_linux : bool
(** Whether the parts for Linux are compiled: epoll, pidfd, the names and
    numbers of threads, [/proc] and control groups. [false] on Linux too if the
    library was built with [DROMOS_PORTABLE=1]. *)

(** {1 Threads of the process} *)

val threads : unit -> string list option
(** As the system numbers them; [None] if the system does not tell. A system
    call for some dozens of threads. *)

val thread_name : string -> string option
(** The name of one of {!threads}; [None] if the thread has ended. *)
