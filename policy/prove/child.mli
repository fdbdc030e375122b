(** A child process that never outlives the parent (the process of the caller),
    however the parent ends.

    The program runs in a process group of its own, so that [stop] can kill the
    program together with every process started by the program, which may be a
    script around the real solver. A second process, the guard, is a shell of
    one line that reads from a pipe. The parent holds the writing end of the
    pipe. When the parent exits or is killed (by SIGKILL too), the system closes
    the writing end, and the guard kills the group. A descendant with a process
    group of its own is out of reach. *)

type t = {
  pid : int;
  input : Unix.file_descr;
      (** the child's standard input; [O_NONBLOCK] is not set *)
  output : Unix.file_descr;  (** the child's standard output *)
  errors : Unix.file_descr;
  guard : int;
  held : Unix.file_descr;
      (** the writing end of the guard's pipe; the system closes it when the
          parent ends *)
}

val start : string list -> (t, string) result
(** Starts the program, the first string, with its arguments. The program is
    looked for in PATH. The error is the message of the system. *)

val stop : t -> unit
(** Kills the group and the guard, waits for both, and closes the pipes. Call
    [stop] once only. *)
