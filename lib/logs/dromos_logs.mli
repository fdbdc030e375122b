(** Reports of Dromos in [Logs].

    Failures that no fiber awaits, deadlocks, lost fibers and advice
    ([Dromos.Reporter]) go to the program's log instead of stderr:

    {[
      # let pp_header ppf (level, _) = Format.fprintf ppf "%a: " Logs.pp_level level
        let () =
          Logs.set_reporter
            (Logs.format_reporter ~pp_header ~dst:Format.std_formatter ());
          Dromos_logs.install ()
      val pp_header : Format.formatter -> Logs.level * 'a -> unit = <fun>
      # Dromos.Promise.on_result (Dromos.Promise.return 1) (fun _ -> failwith "no disk")
      ERROR: a callback of Promise.on_result raised Failure("no disk")
      - : unit = ()
    ]} *)

val src : Logs.src
(** The source [dromos]: its level chooses the reports that are logged, as for
    any source. *)

val failure : Dromos_service.Reporter.failure Logs.Tag.def
(** The exception and the backtrace of a report, for reporters that show
    exceptions apart from the text. *)

val install : unit -> unit
(** Sends all later reports to {!src}: errors and warnings at those levels,
    dumps at [App], other reports at [Info]. The message is the report's text,
    without [dromos:] and the last newline.

    Reports come from several domains at once, and [Logs] calls its reporter
    without a lock by default: a program of several domains calls
    [Logs_threaded.enable] first (library [logs.threaded]). With this lock, a
    report made while the same thread writes a message goes to stderr, after a
    line of [Logs] about the lock. If a reporter of [Logs] raises, or waits for
    a task, the report is printed on stderr. *)
