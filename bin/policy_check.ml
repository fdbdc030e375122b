(* dromos policy check: checks the properties of a policy. *)

open Cmdliner
module Guide = Dromos_policy_syntax.Guide
module Solver = Dromos_policy_prove.Solver
module Prove = Dromos_policy_prove.Prove
module Whyml = Dromos_policy_prove.Whyml
open Dromos_policy_verdict

type machine = Usual | Sched_ext

type how = {
  machine : machine;
  dispatch_queues : bool;
  syntax : bool;
  json : bool;
  trace : bool;
  times : bool;
  html : string option;
  why3 : string option;
  seconds : float;
  limit : float;
  provers : Solver.prover list;
}

let machine_name how =
  match how.machine with
  | Usual -> None
  | Sched_ext when how.dispatch_queues -> Some "sched_ext, with dispatch queues"
  | Sched_ext -> Some "sched_ext"

(* The reports, alone on standard output: with [--json], the list is printed
   when the last policy has been checked. *)
type reports = { mutable as_json : Yojson.Safe.t list; mutable number : int }

let say how reports file report =
  if how.json then
    reports.as_json <- Verdict.to_json ~file report :: reports.as_json
  else begin
    if reports.number > 0 then Fmt.pr "@.";
    Fmt.pr "%a@?" (Verdict.pp ~trace:how.trace ~times:how.times ~file) report
  end;
  reports.number <- reports.number + 1

let say_json ~several reports =
  match List.rev reports.as_json with
  | [ report ] when not several -> print_endline (Dromos_stdout.json report)
  | [] when not several -> ()
  | all -> print_endline (Dromos_stdout.json (`List all))

let draw how (report : Verdict.report) =
  match how.html with
  | None -> ()
  | Some directory ->
      Output.make_directory directory;
      List.iter
        (fun (r : Verdict.result) ->
          match r.answer with
          | Violated { trace; hint } ->
              let name =
                Printf.sprintf "%s-%s.html" report.policy.policy_name
                  (Output.file_name (Prove.property_name r.property))
              in
              let page =
                Dromos_trace.Timeline.to_html (Picture.of_trace ?hint trace)
              in
              Output.write (Filename.concat directory name) page
          | Proved _ | Unknown _ | Nothing_to_prove _ -> ())
        report.results

let status (report : Verdict.report) =
  if Verdict.any_violated report then Status.refused
  else if report.no_prover <> [] then Status.no_prover
  else if Verdict.all_proved report then Status.fine
  else Status.unknown

let contradiction file text =
  Printf.eprintf
    "dromos: a contradiction, which is a fault of this program and not of the \
     policy: %s\n\
     please send us %s with this message\n"
    text file;
  Status.unknown

let export how policy path =
  match
    Dromos_policy_prove.Effort.within ~seconds:how.limit (fun () ->
        Whyml.export policy)
  with
  | Ok text -> Output.write path text
  | Error spent ->
      raise
        (Sys_error
           (path ^ " is not written: " ^ Dromos_policy_prove.Effort.why spent))
  | exception Dromos_policy_prove.(Symbolic.Too_many_paths | Term.Too_large) ->
      raise
        (Sys_error
           (path ^ " is not written: " ^ Dromos_policy_prove.Effort.(why Work)))

let loses_threads (report : Verdict.report) =
  List.exists
    (fun (r : Verdict.result) ->
      match (r.property, r.answer) with
      | Conservation, Violated _ -> true
      | _ -> false)
    report.results

let tell how reports file policy report =
  say how reports file report;
  if loses_threads report then Input.judged_warnings file;
  draw how report;
  Option.iter (export how policy) how.why3;
  status report

let check how reports file ~written policy =
  match
    Verdict.check ~provers:how.provers ~limit:how.limit ~seconds:how.seconds
      ?machine:(machine_name how)
      ?unlocked:(if how.dispatch_queues then Some written else None)
      policy
  with
  | report -> tell how reports file policy report
  | exception Verdict.Contradiction text -> contradiction file text

(* The policy on the machine on which the policy is to run. *)
let on_machine how policy =
  match how.machine with
  | Usual -> Ok policy
  | Sched_ext -> Dromos_policy_kernel_machine.Allowed.policy policy

let refused (place : Dromos_policy_core.Core.place) why =
  Printf.eprintf "%s:%d:%d: sched_ext: %s\n" place.file place.line
    (place.column + 1) why;
  Status.bad_input

let one how reports file =
  Output.guarded (fun () ->
      match Input.policy ~judged:how.syntax file with
      | None -> Status.bad_input
      | Some policy -> (
          if how.syntax then begin
            Printf.printf "%s: %s is well formed\n" file policy.policy_name;
            Status.fine
          end
          else
            match on_machine how policy with
            | Ok on_machine -> check how reports file ~written:policy on_machine
            | Error (place, why) -> refused place why))

let run how files =
  match (files, how.why3) with
  | _ :: _ :: _, Some _ ->
      prerr_endline "--export-why3 writes one file, for one policy";
      Status.bad_input
  | _ ->
      let reports = { as_json = []; number = 0 } in
      let statuses = List.map (one how reports) files in
      if how.json then say_json ~several:(List.length files > 1) reports;
      Status.worst statuses

(* {1 Arguments} *)

let flag names doc = Arg.(value & flag & info names ~doc)

let some_file names docv doc =
  Arg.(value & opt (some string) None & info names ~docv ~doc)

let number names default doc =
  let seconds =
    Input.number (fun x -> x >= 0.) ~what:" is no number of seconds"
  in
  Arg.(value & opt seconds default & info names ~docv:"SECONDS" ~doc)

let provers =
  let all =
    [
      ("z3", [ Solver.z3 ]);
      ("cvc5", [ Solver.cvc5 ]);
      ("both", [ Solver.z3; Solver.cvc5 ]);
    ]
  in
  Arg.(
    value
    & opt (enum all) [ Solver.z3; Solver.cvc5 ]
    & info [ "prover" ] ~docv:"NAME"
        ~doc:
          "z3, cvc5, or both: cvc5 is asked where z3 does not know or does not \
           work. The default.")

let machine =
  Arg.(
    value
    & opt (enum [ ("hub", Usual); ("sched_ext", Sched_ext) ]) Usual
    & info [ "for" ] ~docv:"MACHINE"
        ~doc:
          ("hub, where every thread may run on every core, unless the policy \
            says otherwise: the default; or sched_ext, where Linux says for \
            each thread on which cores it may run (" ^ Guide.page "semantics.md"
         ^ ", The machine of the kernel)."))

let how =
  let make machine dispatch_queues syntax json no_trace no_times html why3
      seconds limit provers =
    {
      machine = (if dispatch_queues then Sched_ext else machine);
      dispatch_queues;
      syntax;
      json;
      trace = not no_trace;
      times = not no_times;
      html;
      why3;
      seconds;
      limit;
      provers;
    }
  in
  Term.(
    const make $ machine
    $ flag [ "dispatch-queues" ]
        "On the machine of sched_ext, for a scheduler that keeps its threads \
         in dispatch queues of Linux: the lock of a core from which is stolen \
         is held for each move alone, and not while its threads are looked at."
    $ flag [ "syntax" ]
        "Only reads it: syntax, names, types, what handlers may look at, and \
         where they leave their thread."
    $ flag [ "json" ] "Prints the report as JSON, traces included."
    $ flag [ "no-trace" ] "Leaves out the steps of violations."
    $ flag [ "no-times" ]
        "Leaves out times, and how far was searched: the rest is the same \
         every time."
    $ some_file [ "html" ] "DIR"
        "Draws every violation as a page of its own in this directory."
    $ some_file [ "export-why3" ] "FILE.mlw"
        "Writes what was asked of the provers as WhyML, theories included, for \
         audit: why3 prove -a split_vc -P z3 FILE.mlw."
    $ number [ "seconds" ] 2.
        "How long the model checker searches for each property, in seconds of \
         the processor, and a second more for the shortest trace."
    $ number [ "limit" ] 5.
        "How long each prover may take over one property, all questions \
         together, and how long their questions may be in the making. A \
         property that is not reached is UNKNOWN."
    $ provers)

let cmd =
  let doc = "prove a policy work conserving, or show why it is not" in
  let man =
    [
      `S Manpage.s_description;
      `P
        "Reads each policy, printing every fault with its place, at most 20, \
         and what to do about it. Then says of each property that it is \
         PROVED, VIOLATED, with the shortest trace that shows it, or UNKNOWN, \
         with the obligation that is open and the machines that were searched. \
         For several policies the JSON is an array, and the status is that of \
         the worst.";
      `P ("A tutorial: " ^ Guide.page "tutorial.md");
      `P ("The language: " ^ Guide.page "reference.md");
    ]
  in
  Cmd.v
    (Cmd.info "check" ~doc ~man ~exits:Status.all)
    Term.(const run $ how $ Input.files)
