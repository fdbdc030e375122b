open Rows

let opt f = function Some x -> f x | None -> `Null
let number x = `Float x
let int n = `Int n
let string s = `String s

let json_of_row outcome r =
  let recorded = recorded outcome ~workload:r.workload r.scheduler in
  let of_recorded (f : Outcome.recorded -> _) = opt f recorded in
  `Assoc
    [
      ("workload", string r.workload);
      ("scheduler", string (Transcripts.scheduler_name r.scheduler));
      ("well", `Bool (r.outcome = None));
      ("outcome", opt string r.outcome);
      ("threads", opt int r.threads);
      ("work_per_cpu_second", opt number r.rate);
      ("cpus_used", opt number r.used);
      ("idle_beside", opt number r.idle_beside);
      ("fairness", opt number r.fairness);
      ("wait_p99", opt number r.wait_p99);
      ("longest_wait", opt number r.longest_wait);
      ("migrations", opt int r.migrations);
      ("switches", opt int r.switches);
      ("elapsed", opt number r.elapsed);
      ("trace", of_recorded (fun t -> string (Filename.basename t.file)));
      ( "recorded",
        of_recorded (fun t ->
            match t.figures with
            | Ok figures -> Dromos_policy_trace.Summary.to_json figures
            | Error why -> string why) );
    ]

let json_of_loading (l : Transcript.loading) =
  `Assoc
    [
      ( "programs",
        `Assoc (List.map (fun (name, insns) -> (name, `Int insns)) l.programs)
      );
      ("load", opt (fun (load, _) -> number load) l.attached);
      ("attach", opt (fun (_, attach) -> number attach) l.attached);
      ("ops", opt string l.ops);
      ("restarted", `Bool l.restarted);
      ("refused", opt (fun (what, _) -> string what) l.refused);
      ("error", opt (fun (_, error) -> string error) l.refused);
      ("log", `List (List.map string l.log));
      ( "exit",
        opt
          (fun (e : Transcript.exit) ->
            `Assoc
              [
                ("kind", `Int e.kind);
                ("code", `Int e.code);
                ("reason", string e.reason);
                ("message", `List (List.map string e.message));
              ])
          l.exit );
    ]

let json_of_trouble = function
  | Outcome.Nothing -> `Null
  | Panic lines -> `Assoc [ ("panic", `List (List.map string lines)) ]
  | Hung { seconds; last } ->
      `Assoc [ ("silent", number seconds); ("last", string last) ]
  | Lost said -> `Assoc [ ("lost", string said) ]

let of_outcome ~name (o : Outcome.t) =
  let t = o.transcript in
  let of_guest f = opt f t.guest in
  `Assoc
    [
      ("policy", string name);
      ("kernel", string o.image.release);
      ("cpus", of_guest (fun g -> `Int g.cpus));
      ("emulated", `Bool (o.emulated <> None));
      ("stayed", `Bool (Boot.stayed o));
      ("units_per_cpu_second", opt number t.units);
      ("runs", `List (List.map (json_of_row o) (Rows.of_outcome o)));
      ("loadings", `List (List.map json_of_loading t.loadings));
      ("notes", `List (List.map string t.notes));
      ("console", `List (List.map string o.reasons));
      ("trouble", json_of_trouble o.trouble);
    ]
