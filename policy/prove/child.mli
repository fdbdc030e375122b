(** A child process that never outlives this process, however this process ends.

    The program runs in a process group of its own, so that [stop] can kill the
    program with every process that it started; the program may be a script
    around the real solver. A second process, the guard, is a shell of one line
    that reads from a pipe. This process holds the other end of the pipe. When
    that end is closed, because this process exits or is killed (by SIGKILL
    too), the guard kills the group. A descendant that makes a group of its own
    is out of reach. *)

type t = {
  pid : int;
  input : Unix.file_descr;
      (** the child's standard input; [O_NONBLOCK] is not set *)
  output : Unix.file_descr;  (** the child's standard output *)
  errors : Unix.file_descr;
  guard : int;
  held : Unix.file_descr;
      (** the guard's pipe: the system closes this end when this process ends *)
}

val start : string list -> (t, string) result
(** Starts the program, the first string, with its arguments. The program is
    looked for in PATH. The error is the message of the system. *)

val stop : t -> unit
(** Kills the group and the guard, waits for both, and closes the pipes. Call
    [stop] once only. *)
