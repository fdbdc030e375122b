let distinct list =
  let add seen x = if List.mem x seen then seen else x :: seen in
  List.rev (List.fold_left add [] list)

let structure { Play.cell; _ } = cell.structure.Structures.name
let pair { Play.cell; _ } = (cell.a.Party.kind, cell.b.Party.kind)

type t = {
  columns : string list;
  rows : ((string * string) * Play.played option list) list;
}

let table played =
  let columns = distinct (List.map structure played) in
  let row of_pair =
    let cell name =
      List.find_opt (fun p -> pair p = of_pair && structure p = name) played
    in
    (of_pair, List.map cell columns)
  in
  { columns; rows = List.map row (distinct (List.map pair played)) }

let mark = function
  | None -> "-"
  | Some { Play.verdict = Passed; seconds; _ } -> Printf.sprintf "%.1f" seconds
  | Some { verdict = Wrong _; _ } -> "WRONG"
  | Some { verdict = Hung _; _ } -> "HANGS"

let count played =
  let passed = List.filter (fun p -> p.Play.verdict = Passed) played in
  Printf.sprintf "%d of %d cells passed" (List.length passed)
    (List.length played)

let caption =
  "Seconds for all scenarios of a structure between a pair; -: not played."

let text played =
  let { columns; rows } = table played in
  let buffer = Buffer.create 4096 in
  let label (a, b) = a ^ " / " ^ b in
  let width =
    List.fold_left (fun w (p, _) -> Int.max w (String.length (label p))) 0 rows
  in
  let add format = Printf.bprintf buffer format in
  (* Long column names, each on a line of its own. *)
  List.iteri
    (fun i name ->
      add "%*s " width "";
      List.iteri (fun j _ -> if j < i then add "     |") columns;
      add " %s\n" name)
    columns;
  let line (pair, cells) =
    add "%-*s " width (label pair);
    List.iter (fun cell -> add " %5s" (mark cell)) cells;
    add "\n"
  in
  List.iter line rows;
  add "%s\n" caption;
  Buffer.contents buffer

let failures ~seed played =
  let failed = List.filter (fun p -> p.Play.verdict <> Passed) played in
  List.map (Play.describe ~seed) failed

let markdown ~seed played =
  let { columns; rows } = table played in
  let buffer = Buffer.create 4096 in
  let add format = Printf.bprintf buffer format in
  add "# The matrix\n\n%s, seed %d. %s\n\n" (count played) seed caption;
  add "| pair | %s |\n|---|%s\n"
    (String.concat " | " columns)
    (String.concat "" (List.map (fun _ -> "---|") columns));
  let line ((a, b), cells) =
    add "| %s / %s | %s |\n" a b (String.concat " | " (List.map mark cells))
  in
  List.iter line rows;
  List.iter (fun text -> add "\n```\n%s\n```\n" text) (failures ~seed played);
  Buffer.contents buffer

let escape text =
  let buffer = Buffer.create (String.length text) in
  let char = function
    | '<' -> Buffer.add_string buffer "&lt;"
    | '>' -> Buffer.add_string buffer "&gt;"
    | '&' -> Buffer.add_string buffer "&amp;"
    | c -> Buffer.add_char buffer c
  in
  String.iter char text;
  Buffer.contents buffer

let style =
  "body{font:14px sans-serif;margin:2em} table{border-collapse:collapse} \
   th,td{padding:.2em .5em;border:1px solid #ccc;text-align:right} \
   th{text-align:left} td.bad{background:#c22;color:#fff}"

let html ~seed played =
  let { columns; rows } = table played in
  let buffer = Buffer.create 4096 in
  let add format = Printf.bprintf buffer format in
  add "<!doctype html><meta charset=utf-8><title>The matrix</title>";
  add "<style>%s</style><h1>The matrix</h1>" style;
  add "<p>%s, seed %d. %s</p><table><tr><th>pair</th>" (count played) seed
    caption;
  List.iter (fun name -> add "<th>%s</th>" (escape name)) columns;
  add "</tr>\n";
  let td cell =
    let bad =
      match cell with
      | Some { Play.verdict = Wrong _ | Hung _; _ } -> " class=bad"
      | Some { verdict = Passed; _ } | None -> ""
    in
    add "<td%s>%s</td>" bad (mark cell)
  in
  let line ((a, b), cells) =
    add "<tr><th>%s / %s</th>" (escape a) (escape b);
    List.iter td cells;
    add "</tr>\n"
  in
  List.iter line rows;
  add "</table>\n";
  List.iter
    (fun text -> add "<pre>%s</pre>\n" (escape text))
    (failures ~seed played);
  Buffer.contents buffer
