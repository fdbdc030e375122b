open Timeline

(* Makes Chrome's trace events: one process, with a thread for each lane. *)

let of_timeline ?(microseconds = 1.) t =
  checked "Perfetto.of_timeline" t;
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
  and finding (f : finding) =
    event "X" f.lane f.start
      [
        name f.text;
        ("cat", Json.string "finding");
        ("dur", us (f.stop -. f.start));
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
    @ List.map span t.spans
    @ List.map finding t.findings
    @ List.map mark t.marks
    @ List.concat (List.mapi arrow t.arrows)
    @ List.concat_map level t.levels
  in
  Json.to_string
    (Json.obj
       [
         ("displayTimeUnit", Json.string "ms");
         ("traceEvents", Json.list Fun.id events);
       ])
