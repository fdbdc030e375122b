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

type t = {
  title : string;
  facts : (string * string) list;
  unit_name : string;
  lanes : string array;
  kinds : kind array;
  spans : span list;
  marks : mark list;
  arrows : arrow list;
  levels : level list;
  steps : step list;
}

let empty ~title ~unit_name =
  {
    title;
    facts = [];
    unit_name;
    lanes = [||];
    kinds = [||];
    spans = [];
    marks = [];
    arrows = [];
    levels = [];
    steps = [];
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
  let span i (s : span) =
    let what = Printf.sprintf "span %d (%s)" i s.text in
    lane what s.lane;
    kind what s.kind;
    time what s.start;
    time what s.stop;
    if s.stop < s.start then wrong "%s ends before it begins" what
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
    List.iteri step t.steps
  with
  | () -> Ok ()
  | exception Wrong text -> Error text

let checked call t =
  match check t with
  | Ok () -> ()
  | Error text -> invalid_arg (Printf.sprintf "Timeline.%s: %s" call text)

(* {1 The page}

   Items are arrays, not objects: a page of a million spans should not repeat a
   million times what its fields are called. *)

let pair (a, b) = Json.array [ Json.string a; Json.string b ]

let json_of_span (s : span) =
  Json.array
    [
      Json.int s.lane;
      Json.float s.start;
      Json.float s.stop;
      Json.int s.kind;
      Json.string s.text;
      Json.list pair s.notes;
    ]

let json_of_mark (m : mark) =
  Json.array
    [ Json.int m.lane; Json.float m.at; Json.int m.kind; Json.string m.text ]

let json_of_arrow (a : arrow) =
  Json.array
    [
      Json.int a.from_lane;
      Json.float a.leaves;
      Json.int a.to_lane;
      Json.float a.arrives;
      Json.string a.text;
    ]

let json_of_level (l : level) =
  let point (at, n) = Json.array [ Json.float at; Json.int n ] in
  Json.array [ Json.int l.lane; Json.list point l.points ]

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

let by_lane_and_start (a : span) (b : span) =
  match Int.compare a.lane b.lane with
  | 0 -> Float.compare a.start b.start
  | order -> order

let to_json t =
  let steps =
    List.stable_sort (fun (a : step) b -> Float.compare a.at b.at) t.steps
  in
  Json.obj
    [
      ("title", Json.string t.title);
      ("facts", Json.list pair t.facts);
      ("unit", Json.string t.unit_name);
      ("lanes", Json.list Json.string (Array.to_list t.lanes));
      ("kinds", Json.list json_of_kind (Array.to_list t.kinds));
      ( "spans",
        Json.list json_of_span (List.stable_sort by_lane_and_start t.spans) );
      ("marks", Json.list json_of_mark t.marks);
      ("arrows", Json.list json_of_arrow t.arrows);
      ("levels", Json.list json_of_level t.levels);
      ("steps", Json.list json_of_step steps);
    ]

let to_html t =
  checked "to_html" t;
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
  add "</script>\n<script>\n";
  add Viewer_files.script;
  add "</script>\n</body></html>\n";
  Buffer.contents page

(* {1 Perfetto}

   The format is Chrome's trace events: one process, one thread for each lane. *)

let to_perfetto ?(microseconds = 1.) t =
  checked "to_perfetto" t;
  let us x = Json.float (x *. microseconds) in
  let event phase lane at fields =
    Json.obj
      (("ph", Json.string phase)
      :: ("pid", Json.int 1)
      :: ("tid", Json.int (lane + 1))
      :: ("ts", us at)
      :: fields)
  in
  let name text = ("name", Json.string text) in
  let category kind = ("cat", Json.string t.kinds.(kind).name) in
  let lane i text =
    event "M" i 0.
      [ name "thread_name"; ("args", Json.obj [ ("name", Json.string text) ]) ]
  and span (s : span) =
    let args = List.map (fun (k, v) -> (k, Json.string v)) s.notes in
    event "X" s.lane s.start
      [
        name s.text;
        category s.kind;
        ("dur", us (s.stop -. s.start));
        ("args", Json.obj args);
      ]
  and mark (m : mark) =
    event "i" m.lane m.at
      [ name m.text; category m.kind; ("s", Json.string "t") ]
  and arrow i (a : arrow) =
    let flow phase lane at fields =
      event phase lane at
        (name a.text
        :: ("cat", Json.string "arrow")
        :: ("id", Json.int i)
        :: fields)
    in
    [
      flow "s" a.from_lane a.leaves [];
      flow "f" a.to_lane a.arrives [ ("bp", Json.string "e") ];
    ]
  and level (l : level) =
    let counter (at, n) =
      event "C" l.lane at
        [
          name ("threads on " ^ t.lanes.(l.lane));
          ("args", Json.obj [ ("threads", Json.int n) ]);
        ]
    in
    List.map counter l.points
  in
  let events =
    List.mapi lane (Array.to_list t.lanes)
    @ List.map span t.spans @ List.map mark t.marks
    @ List.concat (List.mapi arrow t.arrows)
    @ List.concat_map level t.levels
  in
  Json.to_string
    (Json.obj
       [
         ("displayTimeUnit", Json.string "ms");
         ("traceEvents", Json.list Fun.id events);
       ])
