(* dromos policy simulate: the schedule of a workload under a policy. *)

open Cmdliner
open Dromos_policy_simulate

type how = {
  machine : string;
  workload : string;
  load : float;
  length : float;
  seed : int;
  json : bool;
  html : string option;
  perfetto : string option;
  tick : float;
  balance : float;
}

let read_machine text =
  if Sys.file_exists text then Topology_file.of_file text
  else Topology_file.of_string text

let read_workload how ~cores =
  if Sys.file_exists how.workload then Workload.of_file how.workload
  else
    Workload.synthetic ~load:how.load ~length:how.length ~seed:how.seed ~cores
      how.workload

let report how (policy : Dromos_policy_core.Core.policy) cores
    (workload : Workload.t) (result : Engine.result) =
  let figures = Summary.of_result ~cores result in
  if how.json then print_endline (Dromos_stdout.json (Summary.to_json figures))
  else
    Fmt.pr "%s on %d cores, %s: %s@.%a@?" policy.policy_name cores
      workload.workload_name workload.described Summary.pp figures;
  let timeline () =
    Drawing.timeline ~policy:policy.policy_name ~workload:workload.workload_name
      ~cores result
  in
  let write text = Option.iter (fun path -> Output.write path (text ())) in
  write (fun () -> Dromos_trace.Timeline.to_html (timeline ())) how.html;
  write
    (fun () ->
      Dromos_trace.Perfetto.of_timeline ~microseconds:1000. (timeline ()))
    how.perfetto;
  match result.stuck with
  | None -> Status.fine
  | Some why ->
      prerr_endline why;
      Status.refused

(* Warns of settings of the workload that the policy never reads. Built-in
   workloads have settings for every policy, so only files are checked. *)
let tell_unheard how policy workload =
  if Sys.file_exists how.workload then
    let unheard, told = Workload.unheard policy workload in
    let there =
      match told with
      | [] -> "it has none"
      | some -> "there is " ^ String.concat ", " some
    in
    List.iter
      (fun (setting, thread) ->
        Fmt.epr "%s: warning: %s: the policy has no system attribute `%s`; %s@."
          how.workload thread setting there)
      unheard

let simulate how file =
  match Input.policy file with
  | None -> Status.bad_input
  | Some policy -> (
      let ( let* ) = Result.bind in
      let made =
        let* topology = read_machine how.machine in
        let* workload = read_workload how ~cores:topology.cores in
        let* () =
          Workload.settings_fit policy topology workload
          |> Result.map_error (Printf.sprintf "%s: %s" how.workload)
        in
        Ok (topology, workload)
      in
      match made with
      | Error text ->
          prerr_endline text;
          Status.bad_input
      | Ok (topology, workload) ->
          tell_unheard how policy workload;
          let costs =
            { Engine.usual with tick = how.tick; balance = how.balance }
          in
          let result =
            Engine.run ~costs ~seed:how.seed policy topology workload
          in
          report how policy topology.cores workload result)

let run how file = Output.guarded (fun () -> simulate how file)

(* {1 Arguments} *)

let value_of kind default names docv doc =
  Arg.(value & opt kind default & info names ~docv ~doc)

let file_of names doc =
  Arg.(value & opt (some string) None & info names ~docv:"FILE" ~doc)

(* A time of 0 would stop the simulated clock. *)
let positive = Input.number (fun x -> x > 0.) ~what:" is not a positive number"

(* Ticks at shorter periods would take longer than the work between them. *)
let period =
  Input.number
    (fun x -> x >= 1.)
    ~what:" is not a number of microseconds from 1 on"

let how =
  let make machine workload load length seed json html perfetto tick balance =
    {
      machine;
      workload;
      load;
      length;
      seed;
      json;
      html;
      perfetto;
      tick;
      balance;
    }
  in
  let workloads =
    String.concat "; "
      (List.map (fun (name, text) -> name ^ ", " ^ text) Workload.names)
  in
  Term.(
    const make
    $ value_of Arg.string "16" [ "cores" ] "MACHINE"
        "How many cores; 16/4: in nodes of 4; or a file with domains and \
         groups."
    $ value_of Arg.string "nas" [ "workload" ] "NAME"
        (Printf.sprintf "A trace file, or one of: %s." workloads)
    $ value_of positive 1. [ "load" ] "X" "Threads for each core."
    $ value_of positive 1. [ "length" ] "X" "How long it goes on, as a factor."
    $ value_of Arg.int 1 [ "seed" ] "N" "The seed of random choices."
    $ Arg.(value & flag & info [ "json" ] ~doc:"Prints the figures as JSON.")
    $ file_of [ "html" ] "Draws what each core did."
    $ file_of [ "perfetto" ] "The same, for ui.perfetto.dev."
    $ value_of period Engine.usual.tick [ "tick" ] "US" "Between two ticks."
    $ value_of period Engine.usual.balance [ "balance" ] "US"
        "Between two periodic balancings.")

let cmd =
  let doc = "simulate a policy over a workload" in
  let man =
    [
      `S Manpage.s_description;
      `P
        "The policy's own handlers run, as the model checker has them, in \
         simulated time. Prints how long cores were idle while others had \
         threads to spare, how long threads waited, and how often they moved.";
    ]
  in
  Cmd.v
    (Cmd.info "simulate" ~doc ~man
       ~exits:
         Status.(
           of_reading ~no:"if the simulation cannot go on: says why."
             policy_is_read))
    Term.(const run $ how $ Input.file)
