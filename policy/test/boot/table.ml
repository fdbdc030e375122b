(* Tables of results of `dromos policy boot`: a table for each measure, with a
   column for the kernel's own scheduler and one for each policy, as figures 6
   to 9 of the paper.

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

(* The measure called `name` of a run. None if the policy was put out, or if the
   value is unknown. *)
let number name row =
  match (member "well" row.run, member name row.run) with
  | `Bool true, `Float x -> Some x
  | `Bool true, `Int n -> Some (float_of_int n)
  | _ -> None

(* Adds to each row the measure `over`: the work that the row's scheduler did
   per second of CPU time, divided by the work of the kernel's own scheduler in
   the same boot. *)
let over_the_kernel's rows =
  let rate = number "work_per_cpu_second" in
  let kernel's workload =
    List.find_opt
      (fun r -> r.workload = workload && r.scheduler = "kernel")
      rows
  in
  let over r =
    match (rate r, Option.bind (kernel's r.workload) rate) with
    | Some mine, Some kernel's when kernel's > 0. -> `Float (mine /. kernel's)
    | _ -> `Null
  in
  List.map
    (fun r -> { r with run = combine r.run (`Assoc [ ("over", over r) ]) })
    rows

let rows file =
  let it = Yojson.Safe.from_file file in
  let policy = to_string (member "policy" it) in
  let cpus = to_int (member "cpus" it) in
  let row run =
    {
      cpus;
      policy;
      workload = to_string (member "workload" run);
      scheduler = to_string (member "scheduler" run);
      run;
    }
  in
  List.map row (to_list (member "runs" it)) |> over_the_kernel's

let measures =
  let percent x = sprintf "%.1f" (100. *. x) in
  let ratio = sprintf "%.2f" in
  let ms x = sprintf "%.0f" (1000. *. x) in
  let count = sprintf "%.0f" in
  [
    ( "CPUs that idled beside an overloaded one, % of all CPUs' time",
      "idle_beside",
      percent );
    ("CPUs used, % of all CPUs' time", "cpus_used", percent);
    ("Work per second of CPU time, over EEVDF's in the same boot", "over", ratio);
    ("Wait after a wake-up, 99th percentile, ms", "wait_p99", ms);
    ("Least over most CPU time of threads", "fairness", ratio);
    ("Migrations", "migrations", count);
  ]

let distinct key rows =
  List.fold_left
    (fun found r -> if List.mem (key r) found then found else found @ [ key r ])
    [] rows

let median values =
  match List.sort Float.compare values with
  | [] -> None
  | sorted -> Some (List.nth sorted (List.length sorted / 2))

(* The median of the runs of a column. Every result has a run of the kernel's
   own scheduler. *)
let cell rows name workload column =
  let of_column r =
    r.workload = workload
    &&
    match column with
    | None -> r.scheduler = "kernel"
    | Some policy -> r.scheduler = "policy" && r.policy = policy
  in
  median (List.filter_map (number name) (List.filter of_column rows))

(* A cell has a value for each number of CPUs. *)
let table rows (title, name, shown) =
  let sizes = List.sort Int.compare (distinct (fun r -> r.cpus) rows) in
  let columns =
    None :: List.map Option.some (distinct (fun r -> r.policy) rows)
  in
  let values workload column =
    let of_size n =
      cell (List.filter (fun r -> r.cpus = n) rows) name workload column
    in
    List.map of_size sizes
  in
  let text values =
    List.map (Option.fold ~none:"-" ~some:shown) values |> String.concat " / "
  in
  let line cells = "| " ^ String.concat " | " cells ^ " |" in
  Printf.printf "\n%s, on %s CPUs:\n\n" title
    (String.concat " / " (List.map string_of_int sizes));
  let head = Option.value ~default:"EEVDF" in
  print_endline (line ("" :: List.map head columns));
  print_endline (line ("---" :: List.map (fun _ -> "---:") columns));
  List.iter
    (fun workload ->
      let cells = List.map (values workload) columns in
      if List.exists (List.exists Option.is_some) cells then
        print_endline (line (workload :: List.map text cells)))
    (distinct (fun r -> r.workload) rows)

let () =
  let files = List.tl (Array.to_list Sys.argv) in
  let all = List.concat_map rows files in
  List.iter (table all) measures
