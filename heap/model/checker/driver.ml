type check = { name : string; run : unit -> Search.result }

let failures = ref 0

let report model ok name =
  if not ok then incr failures;
  Printf.printf "%s %s: %s\n%!" (if ok then "PASS" else "FAIL") model name

let show_trace what trace =
  List.iter (Printf.printf "    %s\n") trace;
  Printf.printf "    so: %s\n%!" what

let holds model { name; run } =
  let r = run () in
  let name = Printf.sprintf "%s: %d states, %.1f s" name r.states r.seconds in
  match r.verdict with
  | Holds -> report model true name
  | Limit -> report model false (name ^ ": too many")
  | Broken { what; trace } ->
      show_trace what trace;
      report model false name

let refuted model traces { name; run } =
  match (run ()).verdict with
  | Holds | Limit -> report model false (name ^ ": not refuted")
  | Broken { what; trace } ->
      if traces then show_trace what trace;
      let length = List.length trace in
      report model true (Printf.sprintf "refuted in %d steps: %s" length name)

let main model ~holds:true_ ~large ~faults =
  (match Sys.argv with
  | [| _ |] ->
      List.iter (holds model) true_;
      List.iter (refuted model false) faults
  | [| _; "--large" |] -> List.iter (holds model) large
  | [| _; "--traces" |] -> List.iter (refuted model true) faults
  | _ ->
      Printf.eprintf "usage: %s [--large | --traces]\n" Sys.argv.(0);
      exit 2);
  exit (if !failures > 0 then 1 else 0)
