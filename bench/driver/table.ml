let seconds t =
  if Float.is_nan t then "-"
  else if t < 0.01 then Printf.sprintf "%.5f" t
  else if t < 1. then Printf.sprintf "%.4f" t
  else Printf.sprintf "%.3f" t

let figure x =
  if Float.is_nan x then "-"
  else if Float.abs x >= 1000. then Printf.sprintf "%.0f" x
  else if Float.abs x >= 10. then Printf.sprintf "%.1f" x
  else Printf.sprintf "%.3f" x

let number digits x =
  if Float.is_nan x then "-" else Printf.sprintf "%.*f" digits x

let ratio = number 2
let opt f = function None -> "-" | Some x -> f x
let mib = opt (fun kib -> number 0 (float_of_int kib /. 1024.))

(* Shows "default" in the general benchmarks only: elsewhere, the scheduler does
   not choose the cut-off. *)
let cutoff (bench : Suite.t) (row : Row.t) =
  match row.cutoff with
  | None -> "-"
  | Some 0 when List.mem Suite.general bench.families -> "default"
  | Some c -> string_of_int c

(* The names of the special figures of the rows, in their order. *)
let figure_names rows =
  Stats.distinct fst (List.concat_map (fun (r : Row.t) -> r.figures) rows)

let times (r : Row.t) =
  [
    seconds r.median_s;
    seconds r.min_s;
    seconds r.max_s;
    opt ratio r.ratio_to_sequential;
    seconds r.cpu_s;
    mib r.max_rss_kib;
  ]

let times_header = [ "median s"; "min"; "max"; "/seq"; "cpu s"; "MiB" ]

let print_cells ?(last_left = false) ppf ~left lines =
  let columns = List.fold_left (fun m l -> max m (List.length l)) 0 lines in
  let cell l i = Option.value ~default:"" (List.nth_opt l i) in
  let width i =
    List.fold_left (fun m l -> max m (String.length (cell l i))) 0 lines
  in
  let widths = List.init columns width in
  let pad i w s =
    let blank = String.make (max 0 (w - String.length s)) ' ' in
    if last_left && i = columns - 1 then s
    else if i < left then s ^ blank
    else blank ^ s
  in
  List.iter
    (fun l ->
      let line = List.mapi (fun i w -> pad i w (cell l i)) widths in
      Fmt.pf ppf "  %s@." (String.concat "  " line))
    lines

let print_disturbed ppf rows =
  let sum f = List.fold_left (fun sum r -> sum + f r) 0 rows in
  let disturbed = sum (fun (r : Row.t) -> r.disturbed) in
  if disturbed > 0 then
    Fmt.pf ppf
      "  %d of %d measurements were disturbed: other programs needed the \
       cores@."
      disturbed
      (sum (fun (r : Row.t) -> r.runs))

let print ppf (bench : Suite.t) (size : Suite.size) rows =
  let timed = bench.kind = Suite.Time in
  let cut = bench.cutoff_is <> "" in
  let names = figure_names rows in
  let header =
    [ "scheduler"; "workers" ]
    @ (if cut then [ (if timed then "cut-off" else "load") ] else [])
    @ (if timed then times_header else [])
    @ names
  in
  let line (r : Row.t) =
    [ r.scheduler; string_of_int r.workers ]
    @ (if cut then [ cutoff bench r ] else [])
    @
    match r.failure with
    | Some why -> [ why ]
    | None ->
        (if timed then times r else [])
        @ List.map (fun name -> opt figure (Row.figure r name)) names
  in
  Fmt.pf ppf "@.%s, n = %d: %s%s@." bench.name size.n bench.about
    (if cut then
       Printf.sprintf " (%s: %s)"
         (if timed then "cut-off" else "load")
         bench.cutoff_is
     else "");
  let runs = List.fold_left (fun m (r : Row.t) -> max m r.runs) 0 rows in
  if bench.kind <> Probe then
    Fmt.pf ppf "  %d run%s@." runs (if runs = 1 then "" else "s");
  print_cells ppf ~left:1 (header :: List.map line rows);
  print_disturbed ppf rows
