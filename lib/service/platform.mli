(** The system beyond [Unix], for OCaml code. Internal. A port to another system
    begins at [platform.h] beside this file. *)

val is_linux : bool
(** [true] if the parts for Linux are compiled: epoll, pidfd, the names and
    numbers of threads, [/proc] and control groups. [false] on Linux too if the
    library was built with [DROMOS_PORTABLE=1]. *)

(** {1 Threads of the process} *)

val threads : unit -> string list option
(** The system's numbers of all threads; [None] if the system does not list
    threads. A system call for some dozens of threads. *)

val thread_name : string -> string option
(** [thread_name t] is the name of [t], a member of {!threads}; [None] if the
    thread has ended. *)
