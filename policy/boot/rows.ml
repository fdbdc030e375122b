module Figures = Dromos_policy_trace.Figures

type row = {
  workload : string;
  scheduler : Transcript.scheduler;
  outcome : string option;
  threads : int option;
  rate : float option;
  used : float option;
  fairness : float option;
  idle_beside : float option;
  wait_p99 : float option;
  longest_wait : float option;
  migrations : int option;
  switches : int option;
  elapsed : float option;
}

let ratio a b = if b > 0. then Some (a /. b) else None

let outcome_of (run : Transcript.run) =
  if not run.over then Some "the guest was lost"
  else if not run.in_time then Some "not done in time"
  else if run.code <> 0 then Some (Printf.sprintf "ended with %d" run.code)
  else if run.scheduler = Policy && not run.enabled then Some "put out"
  else None

let recorded (o : Outcome.t) ~workload scheduler =
  List.find_opt
    (fun (r : Outcome.recorded) ->
      r.workload = workload && r.scheduler = scheduler)
    o.traces

let figures o (run : Transcript.run) =
  Option.bind (recorded o ~workload:run.workload run.scheduler) (fun r ->
      Result.to_option r.figures)

let idle_beside (f : Figures.t) =
  ratio f.idle_beside (f.time *. float_of_int f.cores)

let woken (f : Figures.t) =
  if f.woken.count > 0 then Some (f.woken.p99 /. 1e6) else None

let longest (f : Figures.t) =
  if f.woken.count + f.preempted.count = 0 then None
  else Some (Float.max f.woken.longest f.preempted.longest /. 1e6)

let row o cpus (run : Transcript.run) =
  (* A part of the run, or all of it, was under the kernel's own scheduler, so
     no figure is the policy's. *)
  let put_out = run.scheduler = Policy && not run.enabled in
  let unless_out figure = if put_out then None else figure in
  let of_result f = unless_out (Option.bind run.result f) in
  let of_trace f = unless_out (Option.bind (figures o run) f) in
  let fairness (r : Transcript.result) =
    match (r.least, r.most) with
    | Some least, Some most -> ratio least most
    | _ -> None
  in
  {
    workload = run.workload;
    scheduler = run.scheduler;
    outcome = outcome_of run;
    threads = of_result (fun r -> Some r.threads);
    rate = of_result (fun r -> ratio r.work r.cpu);
    used = of_result (fun r -> ratio r.cpu (r.elapsed *. float_of_int cpus));
    fairness = of_result fairness;
    idle_beside = of_trace idle_beside;
    wait_p99 = of_trace woken;
    longest_wait =
      (match of_result (fun r -> r.longest_wait) with
      | Some wait -> Some wait
      | None -> of_trace longest);
    migrations = unless_out run.migrations;
    switches = unless_out run.switches;
    elapsed = of_result (fun r -> Some r.elapsed);
  }

let of_outcome (o : Outcome.t) =
  let cpus = match o.transcript.guest with Some g -> g.cpus | None -> 1 in
  let all = List.map (row o cpus) o.transcript.runs in
  let names =
    List.fold_left
      (fun names r ->
        if List.mem r.workload names then names else r.workload :: names)
      [] all
  in
  List.concat_map
    (fun name -> List.filter (fun r -> r.workload = name) all)
    (List.rev names)
