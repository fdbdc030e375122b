(* dromos policy log: the decisions of Linux's scheduler, from a recording. *)

open Cmdliner
open Dromos_policy_trace

type how = {
  from : float option; (* milliseconds *)
  until : float option;
  json : bool;
  html : string option;
  perfetto : string option;
}

let most_told = 5

let tell_faults file (trace : Trace.t) =
  List.iteri
    (fun i { Trace.line; text } ->
      if i < most_told then Fmt.epr "%s:%d: %s@." file line text)
    trace.faults;
  if trace.faulty > most_told then
    Fmt.epr "%s: and %d more such lines@." file (trace.faulty - most_told)

(* Milliseconds from the first event to the last. *)
let length (trace : Trace.t) =
  let n = Array.length trace.events in
  float (trace.events.(n - 1).at - trace.events.(0).at) /. 1e6

let report how file trace =
  tell_faults file trace;
  let us = Option.map (fun ms -> ms *. 1e3) in
  let schedule =
    Schedule.of_trace ?from:(us how.from) ?until:(us how.until) trace
  in
  let figures = Summary.of_schedule trace schedule in
  if how.json then print_endline (Dromos_stdout.json (Summary.to_json figures))
  else
    Fmt.pr "%s: %d cores, %d events@.%a@?" file figures.cores figures.events
      Summary.pp figures;
  let page = Page.of_schedule ~name:(Filename.basename file) figures schedule in
  let write text = Option.iter (fun path -> Output.write path (text ())) in
  write page.html how.html;
  write page.perfetto how.perfetto;
  Status.fine

let log how file =
  Output.guarded (fun () ->
      match (Read.file file, how) with
      | Error why, _ ->
          prerr_endline why;
          Status.bad_input
      | Ok _, { from = Some from; until = Some until; _ } when from > until ->
          prerr_endline "--from is after --until";
          Status.bad_input
      | Ok trace, { from = Some from; _ } when from >= length trace ->
          Fmt.epr "--from is not before the last event, which is at %.2f ms@."
            (length trace);
          Status.bad_input
      | Ok trace, _ -> report how file trace)

(* {1 Arguments} *)

let time =
  Input.number
    (fun x -> x >= 0.)
    ~what:" is not a number of milliseconds from 0 on"

let how =
  let opt kind name docv doc =
    Arg.(value & opt (some kind) None & info [ name ] ~docv ~doc)
  in
  let make from until json html perfetto =
    { from; until; json; html; perfetto }
  in
  Term.(
    const make
    $ opt time "from" "MS"
        "Begin there, in milliseconds after the first event: the times of the \
         page."
    $ opt time "until" "MS" "End there."
    $ Arg.(value & flag & info [ "json" ] ~doc:"Prints the figures as JSON.")
    $ opt Arg.string "html" "FILE" "Draws what each core did."
    $ opt Arg.string "perfetto" "FILE" "The same, for ui.perfetto.dev.")

let file =
  Arg.(
    required
    & pos 0 (some string) None
    & info [] ~docv:"FILE" ~doc:"The recording.")

let cmd =
  let doc = "figures and a drawing of a schedule that Linux recorded" in
  let man =
    [
      `S Manpage.s_description;
      `P
        "Reads what $(b,perf sched record) writes, or text: of ftrace \
         (/sys/kernel/tracing/trace with the events sched_switch, \
         sched_wakeup, sched_wakeup_new, sched_migrate_task, \
         sched_process_fork and sched_process_exit), of $(b,trace-cmd report) \
         or of $(b,perf script).";
      `P
        "Prints how long cores were idle while others had two threads or more, \
         how long threads waited, how often they moved, and which had how much \
         of the cores.";
      `P
        "A trace does not say which threads may run on which cores; threads \
         that are bound to a core count as any others.";
    ]
  in
  Cmd.v
    (Cmd.info "log" ~doc ~man
       ~exits:
         (Status.of_reading
            "a file cannot be read or written, or no event of the scheduler is \
             in it"))
    Term.(const log $ how $ file)
