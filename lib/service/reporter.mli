(** Reports: what Dromos has to tell people and no call returns.

    By default a report is text on stderr. A program that has a log of its own
    gives a function; the package [dromos-logs] has the one for [Logs]. Programs
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
      (** an exception that no fiber is there to receive: of a task that is not
          awaited, of a callback, of what came after another exception *)
  | Deadlock
      (** tasks that wait for each other, or for what never comes; a [Warning]
          where this is likely and not certain *)
  | Lost_fiber  (** a fiber whose handle a scheduler has dropped *)
  | Interrupted  (** the process ends by a second signal *)
  | Advice
      (** the program goes on, slower than it could: a bound that is reached, a
          call that blocks a thread others need *)
  | Dump  (** the fibers of the program, on SIGQUIT *)

type report = {
  level : level;
  about : about;
  text : string;
      (** whole lines, each ended by a newline; the first starts with [dromos:]
      *)
}

val set : (report -> unit) -> unit
(** From here on reports of the process go to this function, in place of
    {!to_stderr} or of the function before. A report that is told at the same
    time may still go to that one.

    The function is called where the report arises: in a fiber, on a thread of
    Dromos, or in the handler of a signal, and in several of them at once. It
    must not wait: a wait raises [Misplaced] in it. A lock of [Stdlib.Mutex] is
    allowed. If the function raises, the report and the exception are printed on
    stderr. A report that arises inside the function, on the same thread, goes
    to stderr. *)

val current : unit -> report -> unit
(** The function that {!set} has set last. A function that passes reports on
    takes the function before it once, before {!set}. *)

val to_stderr : report -> unit
(** Writes the text with [write(2)]: a thread may hold the lock of the channel
    [stderr]. Blocks while the reader of a pipe is slow, in non-blocking mode
    too; ignores a closed stderr. *)
