(* Results of `dromos policy boot`, side by side: a table for each number of CPUs and
   measure, policies beside the kernel's own scheduler, as figures 6 to 9 of the
   paper.

     table.exe DIR/result.json .. *)

open Yojson.Safe.Util

let sprintf = Printf.sprintf

type row = {
  cpus : int;
  policy : string;
  workload : string;
  scheduler : string; (* "kernel" or "policy" *)
  run : Yojson.Safe.t;
}

let rows file =
  let it = Yojson.Safe.from_file file in
  let policy = to_string (member "policy" it) in
  let cpus = to_int (member "cpus" it) in
  List.map
    (fun run ->
      {
        cpus;
        policy;
        workload = to_string (member "workload" run);
        scheduler = to_string (member "scheduler" run);
        run;
      })
    (to_list (member "runs" it))

(* What is shown of a run; None where it was put out, or where nothing is known. *)
let number name row =
  match (member "well" row.run, member name row.run) with
  | `Bool true, `Float x -> Some x
  | `Bool true, `Int n -> Some (float_of_int n)
  | _ -> None

let measures =
  let percent x = sprintf "%.1f %%" (100. *. x) in
  let ms x = sprintf "%.0f ms" (1000. *. x) in
  [
    ("Time of CPUs that idled beside an overloaded one", "idle_beside", percent);
    ("CPUs used", "cpus_used", percent);
    ("Wait after a wake-up, 99th percentile", "wait_p99", ms);
    ("Least over most CPU time of threads", "fairness", sprintf "%.2f");
    ("Migrations", "migrations", sprintf "%.0f");
  ]

let distinct key rows =
  List.fold_left
    (fun found r -> if List.mem (key r) found then found else found @ [ key r ])
    [] rows

let median values =
  match List.sort Float.compare values with
  | [] -> None
  | sorted -> Some (List.nth sorted (List.length sorted / 2))

(* Every result has the kernel's own scheduler beside it: of these the median. *)
let cell rows name workload column =
  let of_column r =
    r.workload = workload
    &&
    match column with
    | None -> r.scheduler = "kernel"
    | Some policy -> r.scheduler = "policy" && r.policy = policy
  in
  median (List.filter_map (number name) (List.filter of_column rows))

let table rows (title, name, shown) =
  let columns =
    None :: List.map Option.some (distinct (fun r -> r.policy) rows)
  in
  let line cells = "| " ^ String.concat " | " cells ^ " |" in
  let head = Option.value ~default:"EEVDF" in
  Printf.printf "\n%s:\n\n" title;
  print_endline (line ("" :: List.map head columns));
  print_endline (line ("---" :: List.map (fun _ -> "---:") columns));
  List.iter
    (fun workload ->
      let value column =
        Option.fold ~none:"-" ~some:shown (cell rows name workload column)
      in
      print_endline (line (workload :: List.map value columns)))
    (distinct (fun r -> r.workload) rows)

let () =
  let files = List.tl (Array.to_list Sys.argv) in
  let all = List.concat_map rows files in
  List.iter
    (fun cpus ->
      Printf.printf "\n### %d CPUs\n" cpus;
      List.iter (table (List.filter (fun r -> r.cpus = cpus) all)) measures)
    (List.sort Int.compare (distinct (fun r -> r.cpus) all))
