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
(** [dromos]: its level chooses what is logged, as for any source. *)

val failure : Dromos_service.Reporter.failure Logs.Tag.def
(** The exception and the backtrace of a report, for reporters that show
    exceptions apart from the text. *)

val install : unit -> unit
(** Sends all later reports to {!src}: errors and warnings at those levels,
    dumps at [App], other reports at [Info]. The message is the text without
    [dromos:] and without its last newline.

    Reports come from several domains at once, and [Logs] calls its reporter
    without a lock unless there is one: a program of several domains calls
    [Logs_threaded.enable] first (library [logs.threaded]). With that lock a
    report that arises while the same thread writes a message of its own goes to
    stderr, after a line of [Logs] about the lock. A reporter of [Logs] that
    raises, or waits for a task, has the report printed on stderr. *)
