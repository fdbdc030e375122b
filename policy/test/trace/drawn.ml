(* The page and the Perfetto file agree with the figures. *)

open Dromos_policy_trace
module Timeline = Dromos_trace.Timeline

let made ?from ?until events =
  let trace = Trace.make ~cpus:3 events in
  let schedule = Schedule.of_trace ?from ?until trace in
  let figures = Summary.of_schedule trace schedule in
  (figures, schedule, Page.timeline ~name:"drawn" figures schedule)

let marks = Alcotest.(triple int (float 1e-9) (float 1e-9))

let marked () =
  let _, _, t = made By_hand.two_cores in
  Alcotest.(check (list marks))
    "core, from, until, in milliseconds"
    [ (1, 0., 0.005); (1, 0.02, 0.026) ]
    (List.map
       (fun (f : Timeline.finding) -> (f.lane, f.start, f.stop))
       t.findings);
  let spans kind lane =
    List.filter_map
      (fun (s : Timeline.span) ->
        if s.lane = lane && t.kinds.(s.kind).name = kind then
          Some (s.text, s.start, s.stop)
        else None)
      t.spans
  in
  let span = Alcotest.(triple string (float 1e-9) (float 1e-9)) in
  Alcotest.(check (list span))
    "core 0"
    [ ("t[1]", 0., 0.002); ("t[2]", 0.002, 0.04) ]
    (spans "runs" 0);
  Alcotest.(check (list span))
    "core 2 says nothing"
    [ ("not known", 0., 0.05) ]
    (spans "not known" 2);
  Alcotest.(check int) "one migration" 1 (List.length t.arrows);
  let colours =
    List.sort_uniq compare
      (List.map
         (fun (s : Timeline.span) -> (s.text, t.kinds.(s.kind).colour))
         t.spans)
  in
  Alcotest.(check int) "a colour for each" 4 (List.length colours);
  let points lane =
    List.concat_map
      (fun (l : Timeline.level) -> if l.lane = lane then l.points else [])
      t.levels
  in
  Alcotest.(check (list (pair (float 1e-9) int)))
    "how many on core 0"
    [ (0., 2); (0.026, 1); (0.04, 0) ]
    (points 0)

(* Times stay the trace's. *)
let part () =
  let _, _, t = made ~from:22. ~until:45. By_hand.two_cores in
  Alcotest.(check (list marks))
    "marked"
    [ (1, 0.022, 0.026) ]
    (List.map
       (fun (f : Timeline.finding) -> (f.lane, f.start, f.stop))
       t.findings)

let perfetto () =
  let figures, schedule, t = made By_hand.two_cores in
  let page = Page.of_schedule ~name:"drawn" figures schedule in
  let open Yojson.Safe.Util in
  let events =
    Yojson.Safe.from_string (page.perfetto ())
    |> member "traceEvents" |> to_list
  in
  let of_phase phase =
    List.filter (fun e -> member "ph" e = `String phase) events
  in
  Alcotest.(check int) "lanes" 3 (List.length (of_phase "M"));
  Alcotest.(check int)
    "spans and findings"
    (List.length t.spans + List.length t.findings)
    (List.length (of_phase "X"));
  let longest =
    List.fold_left
      (fun most e -> Float.max most (to_number (member "dur" e)))
      0. (of_phase "X")
  in
  Alcotest.(check (float 1e-6)) "in microseconds" 50. longest

let count_colours =
  "const c = document.getElementById('chart'), d = c.getContext('2d')\n\
   .getImageData(0, 0, c.width, c.height).data; let red = 0, grey = 0;\n\
   for (let i = 0; i < d.length; i += 4) {\n\
  \  if (d[i] > 180 && d[i + 1] < 60 && d[i + 2] < 80) red++;\n\
  \  if (d[i] == 0x9a && d[i + 1] == 0x9a && d[i + 2] == 0x9a) grey++; }\n\
   document.body.dataset.red = red; document.body.dataset.grey = grey;\n\
   document.body.dataset.legend =\n\
   document.getElementById('legend').textContent;"

let html ?from ?until () =
  let trace = Trace.make ~cpus:3 By_hand.two_cores in
  (Page.of_trace ?from ?until ~name:"drawn" trace).html ()

let in_browser browser () =
  let dom = Browser.rendered browser ~script:count_colours (html ()) in
  let number name = int_of_string (Browser.data dom name) in
  Alcotest.(check int) "findings" 2 (number "findings");
  Alcotest.(check int) "in sight" 2 (number "marked");
  if number "red" < 100 then Alcotest.fail "nothing is red";
  if number "grey" < 1000 then Alcotest.fail "core 2 is not grey";
  let legend = Browser.data dom "legend" in
  if not (String.starts_with ~prefix:"runsnot known" legend) then
    Alcotest.failf "the legend is %s" legend

let keys browser () =
  let dom = Browser.rendered browser ~keys:[ "n"; "n" ] (html ()) in
  Alcotest.(check string)
    "the second one"
    "core 1: idle, core 0 has 2 threads, 0.02 ms to 0.026 ms (0.006 ms)"
    (Browser.data dom "described");
  let dom = Browser.rendered browser ~keys:[ "n"; "n"; "N" ] (html ()) in
  Alcotest.(check string) "and back" "0" (Browser.data dom "finding")

(* A page with some hundred thousand spans draws few of them. *)
let large browser () =
  let r =
    Reference.make ~comms:At_random.plain_comms ~seed:1 ~cores:4 ~threads:10
      ~steps:30_000
  in
  let trace = Trace.make r.events in
  let page = (Page.of_trace ~name:"large" trace).html () in
  let dom = Browser.rendered browser page in
  let number name = int_of_string (Browser.data dom name) in
  let wastes = (Summary.of_trace trace).wastes in
  Alcotest.(check int) "all are listed" wastes (number "findings");
  if wastes < 1000 then Alcotest.failf "only %d" wastes;
  if number "drawn" > 4 * 3000 then
    Alcotest.failf "%d things are drawn" (number "drawn")

let cases =
  let case name f = Alcotest.test_case name `Quick f in
  ( "page",
    [ case "marked" marked; case "a part" part; case "Perfetto" perfetto ] )
  :: Browser.cases (fun browser ->
         [
           case "drawn" (in_browser browser);
           case "keys" (keys browser);
           case "large" (large browser);
         ])
