type kind = { name : string; colour : string; means : string }

type span = {
  lane : int;
  start : float;
  stop : float;
  kind : int;
  text : string;
  notes : (string * string) list;
}

type mark = { lane : int; at : float; kind : int; text : string }

type arrow = {
  from_lane : int;
  leaves : float;
  to_lane : int;
  arrives : float;
  text : string;
}

type level = { lane : int; points : (float * int) list }

type step = {
  at : float;
  lane : int option;
  text : string;
  after : (int * string) list;
}

type sort = Wrong | Cause

type finding = {
  lane : int;
  start : float;
  stop : float;
  sort : sort;
  text : string;
}

type t = {
  title : string;
  facts : (string * string) list;
  meanings : (string * string) list;
  unit_name : string;
  lanes : string array;
  kinds : kind array;
  spans : span list;
  marks : mark list;
  arrows : arrow list;
  levels : level list;
  steps : step list;
  findings : finding list;
  findings_title : string;
}

let empty ~title ~unit_name =
  {
    title;
    facts = [];
    meanings = [];
    unit_name;
    lanes = [||];
    kinds = [||];
    spans = [];
    marks = [];
    arrows = [];
    levels = [];
    steps = [];
    findings = [];
    findings_title = "";
  }

(* {1 Checking} *)

exception Wrong of string

let wrong format = Printf.ksprintf (fun text -> raise (Wrong text)) format

let check t =
  let lane what i =
    if i < 0 || i >= Array.length t.lanes then
      wrong "%s: there is no lane %d" what i
  and kind what i =
    if i < 0 || i >= Array.length t.kinds then
      wrong "%s: there is no kind %d" what i
  and time what x =
    if not (Float.is_finite x) then wrong "%s: %f is not a time" what x
  in
  let lasts what ~lane:l ~start ~stop =
    lane what l;
    time what start;
    time what stop;
    if stop < start then wrong "%s ends before it begins" what
  in
  let span i (s : span) =
    let what = Printf.sprintf "span %d (%s)" i s.text in
    lasts what ~lane:s.lane ~start:s.start ~stop:s.stop;
    kind what s.kind
  and finding i (f : finding) =
    let what = Printf.sprintf "finding %d (%s)" i f.text in
    lasts what ~lane:f.lane ~start:f.start ~stop:f.stop
  and mark i (m : mark) =
    let what = Printf.sprintf "mark %d (%s)" i m.text in
    lane what m.lane;
    kind what m.kind;
    time what m.at
  and arrow i (a : arrow) =
    let what = Printf.sprintf "arrow %d (%s)" i a.text in
    lane what a.from_lane;
    lane what a.to_lane;
    time what a.leaves;
    time what a.arrives
  and level i (l : level) =
    let what = Printf.sprintf "level %d" i in
    lane what l.lane;
    let in_order before (at, _) =
      time what at;
      if at < before then wrong "%s: %g comes after %g" what at before;
      at
    in
    ignore (List.fold_left in_order neg_infinity l.points : float)
  and step i (s : step) =
    let what = Printf.sprintf "step %d (%s)" i s.text in
    time what s.at;
    Option.iter (lane what) s.lane;
    List.iter (fun (i, _) -> lane what i) s.after
  in
  match
    List.iteri span t.spans;
    List.iteri mark t.marks;
    List.iteri arrow t.arrows;
    List.iteri level t.levels;
    List.iteri step t.steps;
    List.iteri finding t.findings
  with
  | () -> Ok ()
  | exception Wrong text -> Error text

let checked call t =
  match check t with
  | Ok () -> ()
  | Error text -> invalid_arg (call ^ ": " ^ text)

(* {1 The page}

   A page may have a million spans. Items of a lane are therefore written as one array
   of numbers, without names of fields: a browser keeps 8 bytes for each number. Texts
   are numbers in a table. *)

let pair (a, b) = Json.array [ Json.string a; Json.string b ]

let by_lane t lane_of items =
  let lanes = Array.make (Array.length t.lanes) [] in
  List.iter (fun x -> lanes.(lane_of x) <- x :: lanes.(lane_of x)) items;
  Array.map List.rev lanes

(* The spans of each lane, in the order of starts: start, stop, kind, text. *)
let json_of_spans texts lanes =
  let numbers (s : span) =
    [
      Json.float s.start;
      Json.float s.stop;
      Json.int s.kind;
      Json.int (Texts.number texts s.text);
    ]
  in
  let lane spans = Json.array (List.concat_map numbers spans) in
  Json.list lane (Array.to_list lanes)

(* The spans with notes: the lane, the index of the span in the lane, the notes. *)
let json_of_notes lanes =
  let noted lane i (s : span) =
    if s.notes = [] then None
    else Some (Json.array [ Json.int lane; Json.int i; Json.list pair s.notes ])
  in
  Json.array
    (List.concat
       (List.mapi
          (fun lane spans ->
            List.filter_map Fun.id (List.mapi (noted lane) spans))
          (Array.to_list lanes)))

let json_of_mark texts (m : mark) =
  Json.array
    [
      Json.int m.lane;
      Json.float m.at;
      Json.int m.kind;
      Json.int (Texts.number texts m.text);
    ]

let json_of_arrow texts (a : arrow) =
  Json.array
    [
      Json.int a.from_lane;
      Json.float a.leaves;
      Json.int a.to_lane;
      Json.float a.arrives;
      Json.int (Texts.number texts a.text);
    ]

(* The numbers of each lane: a time, the number from this time on, the next time, .. *)
let json_of_levels t =
  let numbers (at, n) = [ Json.float at; Json.int n ] in
  let lane levels =
    Json.array
      (List.concat_map (fun l -> List.concat_map numbers l.points) levels)
  in
  let lanes = by_lane t (fun (l : level) -> l.lane) t.levels in
  Json.list lane (Array.to_list lanes)

let json_of_finding texts (f : finding) =
  Json.array
    [
      Json.int f.lane;
      Json.float f.start;
      Json.float f.stop;
      Json.int (match f.sort with Wrong -> 0 | Cause -> 1);
      Json.int (Texts.number texts f.text);
    ]

let json_of_step (s : step) =
  let stands (lane, text) = Json.array [ Json.int lane; Json.string text ] in
  Json.array
    [
      Json.float s.at;
      (match s.lane with None -> Json.null | Some i -> Json.int i);
      Json.string s.text;
      Json.list stands s.after;
    ]

let json_of_kind k =
  Json.array [ Json.string k.name; Json.string k.colour; Json.string k.means ]

let to_json t =
  let texts = Texts.create () in
  let in_order at items =
    List.stable_sort (fun a b -> Float.compare (at a) (at b)) items
  in
  let spans =
    Array.map
      (in_order (fun (s : span) -> s.start))
      (by_lane t (fun (s : span) -> s.lane) t.spans)
  in
  let drawn =
    [
      ("spans", json_of_spans texts spans);
      ("notes", json_of_notes spans);
      ("marks", Json.list (json_of_mark texts) t.marks);
      ("arrows", Json.list (json_of_arrow texts) t.arrows);
      ("levels", json_of_levels t);
      ( "findings",
        Json.list (json_of_finding texts)
          (in_order (fun (f : finding) -> f.start) t.findings) );
    ]
  in
  Json.obj
    ([
       ("title", Json.string t.title);
       ("facts", Json.list pair t.facts);
       ("meanings", Json.list pair t.meanings);
       ("unit", Json.string t.unit_name);
       ("lanes", Json.list Json.string (Array.to_list t.lanes));
       ("kinds", Json.list json_of_kind (Array.to_list t.kinds));
       ( "steps",
         Json.list json_of_step (in_order (fun (s : step) -> s.at) t.steps) );
       ("findingsTitle", Json.string t.findings_title);
     ]
    @ drawn
    @ [ ("texts", Texts.json texts) ])

let to_html t =
  checked "Timeline.to_html" t;
  let page = Buffer.create 65536 in
  let add = Buffer.add_string page in
  add
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>";
  add (Json.html_text t.title);
  add "</title>\n<style>\n";
  add Viewer_files.css;
  add "</style></head>\n<body>\n";
  add Viewer_files.body;
  add "<script type=\"application/json\" id=\"data\">";
  Json.add_in_html page (to_json t);
  add "</script>\n<script type=\"module\">\n";
  add Viewer_files.script;
  add "</script>\n</body></html>\n";
  Buffer.contents page
