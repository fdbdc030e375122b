(** Reports: messages of Dromos to people that no call returns.

    By default a report is text on stderr. A program with a log of its own sets
    a function; the package [dromos-logs] has a function for [Logs]. Programs
    use this module as [Dromos.Reporter].

    {[
      # let to_log (report : Dromos_service.Reporter.report) =
          match report.about with
          | Failure { what; error; _ } ->
              Printf.printf "[error] %s: %s\n" what (Printexc.to_string error)
          | _ -> print_string report.text
        let () = Dromos_service.Reporter.set to_log
      val to_log : Dromos_service.Reporter.report -> unit = <fun>
    ]} *)

type level = Error | Warning | Info

type failure = {
  what : string;  (** the part of the program that raised *)
  runtime : string option;  (** the name of its [Runtime], if it has one *)
  error : exn;
  backtrace : Printexc.raw_backtrace;
}

type about =
  | Failure of failure
      (** an exception that no fiber receives: of a task that is not awaited, of
          a callback, or after another exception *)
  | Deadlock
      (** tasks that wait for each other, or for an event that never comes; a
          [Warning] if the deadlock is likely and not certain *)
  | Lost_fiber  (** a fiber whose handle a scheduler has dropped *)
  | Interrupted  (** a second signal ends the process *)
  | Advice
      (** the program goes on, slower than it could: a bound is reached, or a
          call blocks a thread that other tasks need *)
  | Dump  (** the fibers of the program, on SIGQUIT *)

type report = {
  level : level;
  about : about;
  text : string;
      (** whole lines, each ended by a newline; the first line starts with
          [dromos:] *)
}

val set : (report -> unit) -> unit
(** [set f]: from now on the reports of the process go to [f], in place of
    {!to_stderr} or the previous function. A concurrent report may still go to
    the previous function.

    [f] is called where the report arises: in a fiber, on a thread of Dromos, or
    in a signal handler, and in several of these at once. [f] must not wait: a
    wait raises [Misplaced] in [f]. A lock of [Stdlib.Mutex] is allowed. If [f]
    raises, the report and the exception are printed on stderr. A report that
    arises inside [f], on the same thread, goes to stderr. *)

val current : unit -> report -> unit
(** The function last {!set}. A function that passes reports on to the previous
    function reads [current] once, before {!set}. *)

val to_stderr : report -> unit
(** Writes the text with [write(2)], because a thread may hold the lock of the
    channel [stderr]. Blocks while the reader of a pipe is slow, in non-blocking
    mode too; ignores a closed stderr. *)
