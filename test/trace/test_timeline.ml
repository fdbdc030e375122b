open Dromos_trace

let kinds =
  Timeline.
    [|
      { name = "runs"; colour = "#3a7"; means = "a thread runs" };
      { name = "balances"; colour = "#c80"; means = "the scheduler itself" };
    |]

let nasty = "</script><b>&\"\\ \n\t\xff \xe2\x82\xac"

let small =
  {
    (Timeline.empty ~title:("a " ^ nasty) ~unit_name:"steps") with
    facts = [ ("verdict", "VIOLATED <here>") ];
    lanes = [| "core 0"; "core 1" |];
    kinds;
    spans =
      [
        { lane = 1; start = 2.; stop = 2.; kind = 1; text = "b"; notes = [] };
        {
          lane = 0;
          start = 0.;
          stop = 4.5;
          kind = 0;
          text = nasty;
          notes = [ ("load", "1") ];
        };
      ];
    marks = [ { lane = 1; at = 1.; kind = 1; text = "wakes" } ];
    arrows =
      [
        {
          from_lane = 0;
          leaves = 1.;
          to_lane = 1;
          arrives = 2.;
          text = "stolen";
        };
      ];
    levels = [ { lane = 0; points = [ (0., 1); (2., 0); (3., 2) ] } ];
    steps =
      [
        { at = 2.; lane = Some 1; text = "second"; after = [ (1, "t1") ] };
        { at = 1.; lane = None; text = "first"; after = [ (0, "idle") ] };
      ];
  }

let contains = Said.contains

(* What the page's script reads. *)
let data_of page =
  let mark = "id=\"data\">" in
  let rec find i =
    if String.sub page i (String.length mark) = mark then i + String.length mark
    else find (i + 1)
  in
  let start = find 0 in
  let stop = ref start in
  while String.sub page !stop 9 <> "</script>" do
    incr stop
  done;
  Yojson.Safe.from_string (String.sub page start (!stop - start))

let page () =
  let page = Timeline.to_html small in
  let data = data_of page in
  let open Yojson.Safe.Util in
  let length field = List.length (data |> member field |> to_list) in
  Alcotest.(check (list int))
    "everything is there" [ 2; 1; 1; 1; 2 ]
    (List.map length [ "spans"; "marks"; "arrows"; "levels"; "steps" ]);
  let first = data |> member "steps" |> index 0 |> index 2 |> to_string in
  Alcotest.(check string) "steps in order of time" "first" first;
  let title = data |> member "title" |> to_string in
  Alcotest.(check bool)
    "text survives" true
    (contains title "</script><b>&\"\\ \n\t");
  Alcotest.(check bool)
    "nothing is fetched" false
    (contains page "http:" || contains page "https:" || contains page "src=")

let perfetto () =
  let json =
    Yojson.Safe.from_string (Timeline.to_perfetto ~microseconds:10. small)
  in
  let open Yojson.Safe.Util in
  let events = json |> member "traceEvents" |> to_list in
  let of_phase p =
    List.filter (fun e -> e |> member "ph" |> to_string = p) events
  in
  Alcotest.(check (list int))
    "events by phase" [ 2; 2; 1; 1; 1; 3 ]
    (List.map
       (fun p -> List.length (of_phase p))
       [ "M"; "X"; "i"; "s"; "f"; "C" ]);
  let longest =
    List.fold_left
      (fun most e -> Float.max most (e |> member "dur" |> to_number))
      0. (of_phase "X")
  in
  Alcotest.(check (float 0.)) "in microseconds" 45. longest

let refused () =
  let refuses what broken =
    match Timeline.to_html broken with
    | _ -> Alcotest.failf "%s: drawn" what
    | exception Invalid_argument text ->
        if not (contains text what) then Alcotest.failf "%s: %s" what text
  in
  let span = List.hd small.spans in
  refuses "there is no lane 7" { small with spans = [ { span with lane = 7 } ] };
  refuses "there is no kind -1"
    { small with spans = [ { span with kind = -1 } ] };
  refuses "ends before it begins"
    { small with spans = [ { span with start = 3. } ] };
  refuses "is not a time" { small with spans = [ { span with stop = nan } ] };
  refuses "comes after"
    { small with levels = [ { lane = 0; points = [ (2., 0); (1., 0) ] } ] };
  refuses "there is no lane 2"
    {
      small with
      steps = [ { (List.hd small.steps) with after = [ (2, "") ] } ];
    }

(* {1 In a browser} *)

let browser =
  let found name =
    Sys.command ("command -v " ^ name ^ " >/dev/null 2>&1") = 0
  in
  List.find_opt found
    [ "chromium-headless-shell"; "chromium"; "google-chrome"; "chrome" ]

(* The document as it stands after its script has run. *)
let rendered browser ?(address = "") html =
  let file = Filename.temp_file "timeline" ".html" in
  Out_channel.with_open_bin file (fun out -> output_string out html);
  let command =
    Printf.sprintf
      "timeout 60 %s --headless --no-sandbox --disable-gpu \
       --virtual-time-budget=5000 --dump-dom %s 2>/dev/null"
      browser
      (Filename.quote ("file://" ^ file ^ address))
  in
  let input = Unix.open_process_in command in
  let dom = In_channel.input_all input in
  ignore (Unix.close_process_in input : Unix.process_status);
  Sys.remove file;
  dom

let drawn browser () =
  let dom = rendered browser ~address:"#step=1" (Timeline.to_html small) in
  let says part =
    if not (contains dom part) then Alcotest.failf "%s is not in %s" part dom
  in
  (* Two spans, a mark, an arrow. *)
  says "data-drawn=\"4\"";
  says "data-step=\"1\"";
  says "VIOLATED &lt;here&gt;";
  says "second"

let large browser () =
  let spans =
    List.init 100_000 (fun i ->
        {
          Timeline.lane = i mod 2;
          start = float i;
          stop = float i +. 1.5;
          kind = i mod 2;
          text = "t";
          notes = [];
        })
  in
  let dom =
    rendered browser (Timeline.to_html { small with spans; steps = [] })
  in
  Alcotest.(check bool) "drawn" true (contains dom "data-drawn=")

let () =
  let case name f = Alcotest.test_case name `Quick f in
  let in_browser =
    match browser with
    | None ->
        print_endline "no Chromium here: the page is not drawn";
        []
    | Some browser ->
        [
          ( "in a browser",
            [
              case "drawn" (drawn browser); case "100,000 spans" (large browser);
            ] );
        ]
  in
  Alcotest.run "timeline"
    (( "timeline",
       [ case "page" page; case "perfetto" perfetto; case "refused" refused ] )
    :: in_browser)
