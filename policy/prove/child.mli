(** A process that does not outlive this one, however this one ends.

    The program has a process group of its own, so that it is killed with all
    that it started, be it a script around the program that was meant. A second
    process, a shell of one line, holds the other end of a pipe: when the end
    here is closed, as it is when this process exits or is killed (SIGKILL too),
    the shell kills the group. A descendant that makes a group of its own is out
    of reach. *)

type t = {
  pid : int;
  input : Unix.file_descr;  (** what it reads from; non-blocking is not set *)
  output : Unix.file_descr;
  errors : Unix.file_descr;
  guard : int;
  held : Unix.file_descr;  (** closed when this process ends *)
}

val start : string list -> (t, string) result
(** The program, looked for in PATH, and its arguments. What the system says if
    it cannot. *)

val stop : t -> unit
(** Kills the group and the guard, waits for both, and closes the pipes. Once
    only. *)
