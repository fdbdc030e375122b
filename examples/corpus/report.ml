type kind = Parallel | Peer | Alone
type timing = { kind : kind; label : string; wall : float; cpu : float }

type measured = {
  workers : int;
  hub : string;
  rounds : int;
  times : int;
  timings : timing list;
  stats : Dromos.stats;
  differences : string list option;
}

let faster a b = if b.wall < a.wall then b else a

let rec least rounds =
  match List.concat_map (fun round -> Ngrams.take 1 round) rounds with
  | [] -> []
  | first :: others ->
      List.fold_left faster first others
      :: least (List.map (fun round -> List.tl round) rounds)

(* 1234567 as 1,234,567. *)
let thousands n =
  let digits = string_of_int (abs n) in
  let length = String.length digits in
  let b = Buffer.create 16 in
  if n < 0 then Buffer.add_char b '-';
  String.iteri
    (fun i c ->
      if i > 0 && (length - i) mod 3 = 0 then Buffer.add_char b ',';
      Buffer.add_char b c)
    digits;
  Buffer.contents b

(* The approximate number of columns of a UTF-8 string: continuation bytes take
   no column. *)
let columns s =
  String.fold_left
    (fun n c -> if Char.code c land 0xc0 = 0x80 then n else n + 1)
    0 s

let pad_left width s = String.make (max 0 (width - columns s)) ' ' ^ s
let pad_right width s = s ^ String.make (max 0 (width - columns s)) ' '

(* A table with text in the first column and figures in the other columns. *)
let table title rows =
  Printf.printf "\n%s\n" title;
  let widths =
    List.fold_left
      (fun widths row ->
        List.map2 (fun w cell -> max w (columns cell)) widths row)
      (match rows with [] -> [] | row :: _ -> List.map (fun _ -> 0) row)
      rows
  in
  List.iter
    (fun row ->
      let cells =
        List.mapi
          (fun i (width, cell) ->
            if i = 0 then pad_right width cell else pad_left width cell)
          (List.combine widths row)
      in
      print_endline ("  " ^ String.concat "  " cells))
    rows

(* Control characters in a path must not reach the terminal. *)
let printable = String.map (fun c -> if c < ' ' || c = '\127' then '?' else c)

let counts (options : Job.options) (f : Job.figures) =
  let row name n = [ name; thousands n ] in
  table "Counts"
    [
      row "text files" f.files;
      row "lines" f.lines;
      row "words" f.words;
      row "bytes" f.bytes;
      row "distinct words" f.distinct_words;
      row (Printf.sprintf "%d-word phrases" options.n) f.ngrams.total;
      row
        (Printf.sprintf "distinct %d-word phrases" options.n)
        f.ngrams.distinct;
      row "binary files, skipped" f.binaries;
      row "symbolic links, not followed" f.links;
      row "unreadable" (List.length f.errors);
    ]

let duplicates (options : Job.options) (f : Job.figures) =
  let spare = List.fold_left (fun n (g : Dupes.group) -> n + g.spare) 0 in
  let groups = f.duplicates in
  let row (g : Dupes.group) =
    [
      printable (List.hd g.paths);
      thousands (List.length g.paths);
      thousands g.size;
      thousands g.spare;
    ]
  in
  if groups = [] then print_string "\nNo duplicate files.\n"
  else
    table
      (Printf.sprintf
         "Duplicate files: %s groups, %s bytes to spare; the largest"
         (thousands (List.length groups))
         (thousands (spare groups)))
      ([ "first of them"; "copies"; "bytes each"; "to spare" ]
      :: List.map row (Ngrams.take options.top groups))

let phrases (options : Job.options) (f : Job.figures) =
  if f.ngrams.top <> [] then
    table
      (Printf.sprintf "Most frequent %d-word phrases" options.n)
      (List.map
         (fun (words, count) -> [ printable words; thousands count ])
         f.ngrams.top)

let seconds s = Printf.sprintf "%.3f s" s

(* The baseline is the faster sequential pass. *)
let speed_up m timing =
  match (timing.kind, List.filter (fun t -> t.kind = Alone) m.timings) with
  | (Parallel | Peer), (_ :: _ as alone) ->
      let best = List.fold_left (fun b t -> min b t.wall) infinity alone in
      Some (best /. timing.wall)
  | _ -> None

let title m =
  Printf.sprintf "Time (%s, hub %s%s%s)"
    (if m.workers = 1 then "1 worker" else Printf.sprintf "%d workers" m.workers)
    m.hub
    (if m.rounds = 1 then "" else Printf.sprintf ", the least of %d" m.rounds)
    (if m.times = 1 then ""
     else Printf.sprintf "; a pass does the job %d times" m.times)

(* The longest pass below which a figure says little. *)
let short = 0.3

let remarks m (parallel : timing) =
  let alone = List.filter (fun t -> t.kind = Alone) m.timings in
  if alone <> [] then begin
    print_string
      "  speed-up: over the faster of the two passes on one thread, files in \
       memory\n";
    if m.workers > 1 then
      Printf.printf
        "  The workers had %.1f of %d cores in the parallel pass: beside other \
         programs they\n\
        \  get fewer, and the speed-up is less.\n"
        (parallel.cpu /. parallel.wall)
        m.workers;
    (match speed_up m parallel with
    | Some ratio when ratio > float_of_int m.workers ->
        print_string
          "  A speed-up above the number of workers shows that other programs \
           disturbed the passes.\n"
    | _ -> ());
    if List.exists (fun t -> t.wall < short) alone then
      print_string
        "  So short a job says little about a scheduler: --seconds 1 repeats it.\n"
  end

let timings m =
  let row t =
    [
      t.label;
      seconds t.wall;
      seconds t.cpu;
      Option.fold (speed_up m t) ~none:"" ~some:(Printf.sprintf "%.2f");
    ]
  in
  table (title m)
    ([ "pass"; "wall"; "CPU"; "speed-up" ] :: List.map row m.timings);
  List.iter (fun t -> if t.kind = Parallel then remarks m t) m.timings

let check m =
  match m.differences with
  | None -> ()
  | Some [] ->
      print_string "\nEvery figure is the same as in the sequential pass.\n"
  | Some names ->
      Printf.printf "\nDIFFERENT in the sequential pass: %s.\n"
        (String.concat ", " names)

let print options roots f m =
  Printf.printf "%s\n" (String.concat " " (List.map printable roots));
  counts options f;
  phrases options f;
  duplicates options f;
  timings m;
  Format.printf "  %a@." Dromos.pp_stats m.stats;
  check m;
  flush stdout

let json (options : Job.options) roots (f : Job.figures) m : unit =
  let strings l = `List (List.map (fun s -> `String s) l) in
  let pairs key value of_value l =
    `List
      (List.map
         (fun (k, v) -> `Assoc [ (key, `String k); (value, of_value v) ])
         l)
  in
  let group (g : Dupes.group) =
    `Assoc
      [
        ("size", `Int g.size);
        ("spare", `Int g.spare);
        ("paths", strings g.paths);
      ]
  in
  let ratio t = match speed_up m t with Some r -> `Float r | None -> `Null in
  let timing t =
    `Assoc
      [
        ("pass", `String t.label);
        ("wall_s", `Float t.wall);
        ("cpu_s", `Float t.cpu);
        ("speed_up", ratio t);
      ]
  in
  let s = m.stats in
  let value =
    `Assoc
      [
        ("paths", strings roots);
        ("files", `Int f.files);
        ("binaries", `Int f.binaries);
        ("links", `Int f.links);
        ("bytes", `Int f.bytes);
        ("lines", `Int f.lines);
        ("words", `Int f.words);
        ("distinct_words", `Int f.distinct_words);
        ("n", `Int options.n);
        ("ngrams", `Int f.ngrams.total);
        ("distinct_ngrams", `Int f.ngrams.distinct);
        ("top", pairs "words" "count" (fun n -> `Int n) f.ngrams.top);
        ("duplicates", `List (List.map group f.duplicates));
        ("unreadable", pairs "path" "reason" (fun r -> `String r) f.errors);
        ("workers", `Int m.workers);
        ("hub", `String m.hub);
        ("timings", `List (List.map timing m.timings));
        ("times", `Int m.times);
        ( "speed_up",
          match m.timings with [] -> `Null | first :: _ -> ratio first );
        ( "stats",
          `Assoc
            [
              ("tasks", `Int s.tasks);
              ("promotions", `Int s.promotions);
              ("steals", `Int s.steals);
              ("suspensions", `Int s.suspensions);
              ("sleeps", `Int s.sleeps);
              ("domains", `Int s.domains);
            ] );
        ( "differences",
          match m.differences with Some d -> strings d | None -> `Null );
      ]
  in
  print_endline (Dromos_stdout.json value)
