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
    findings =
      [
        { lane = 0; start = 3.; stop = 4.; sort = Cause; text = "too many" };
        { lane = 1; start = 2.5; stop = 3.; sort = Wrong; text = "idle <b>" };
      ];
    findings_title = "found";
  }

let contains = Said.contains

(* The data for the page's script. *)
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
    "everything is there" [ 1; 1; 1; 2; 2 ]
    (List.map length [ "notes"; "marks"; "arrows"; "steps"; "findings" ]);
  let numbers field lane =
    List.length (data |> member field |> index lane |> to_list)
  in
  Alcotest.(check (list int))
    "numbers of each lane" [ 4; 4; 6; 0 ]
    [
      numbers "spans" 0;
      numbers "spans" 1;
      numbers "levels" 0;
      numbers "levels" 1;
    ];
  Alcotest.(check (list string))
    "each text once"
    (List.sort_uniq String.compare
       (data |> member "texts" |> convert_each to_string))
    (List.sort String.compare
       (data |> member "texts" |> convert_each to_string));
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
    Yojson.Safe.from_string (Perfetto.of_timeline ~microseconds:10. small)
  in
  let open Yojson.Safe.Util in
  let events = json |> member "traceEvents" |> to_list in
  let of_phase p =
    List.filter (fun e -> e |> member "ph" |> to_string = p) events
  in
  Alcotest.(check (list int))
    "events by phase" [ 2; 4; 1; 1; 1; 3 ]
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
  refuses "finding 0 (idle) ends before it begins"
    {
      small with
      findings =
        [ { lane = 0; start = 3.; stop = 2.; sort = Wrong; text = "idle" } ];
    };
  refuses "is not a time" { small with spans = [ { span with stop = nan } ] };
  refuses "comes after"
    { small with levels = [ { lane = 0; points = [ (2., 0); (1., 0) ] } ] };
  refuses "there is no lane 2"
    {
      small with
      steps = [ { (List.hd small.steps) with after = [ (2, "") ] } ];
    }

(* {1 In a browser} *)

let drawn browser () =
  let dom =
    Browser.rendered browser ~address:"#step=1" (Timeline.to_html small)
  in
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
    Browser.rendered browser (Timeline.to_html { small with spans; steps = [] })
  in
  Alcotest.(check bool) "drawn" true (contains dom "data-drawn=")

(* The key n jumps to the next finding in order of time, N to the one before;
   both go round. The order of input is another one. *)
let jumps browser () =
  let at keys =
    let dom = Browser.rendered browser ~keys (Timeline.to_html small) in
    let number name = float_of_string (Browser.data dom name) in
    ( Browser.data dom "finding",
      number "from",
      number "to",
      Browser.data dom "described" )
  in
  let inside what keys expected (start, stop) part =
    let finding, from, until, described = at keys in
    Alcotest.(check string) what expected finding;
    if from > start || until < stop then
      Alcotest.failf "%s: %g to %g is not within %g to %g" what start stop from
        until;
    if not (contains described part) then Alcotest.failf "%s: %s" what described
  in
  inside "n" [ "n" ] "0" (2.5, 3.) "core 1: idle";
  inside "n n" [ "n"; "n" ] "1" (3., 4.) "core 0: too many";
  inside "n n n" [ "n"; "n"; "n" ] "0" (2.5, 3.) "core 1: idle";
  inside "N" [ "N" ] "1" (3., 4.) "core 0: too many"

(* Ten seconds of 160 cores that switch every 5 ms, and are idle for the last
   tenth of that; every tenth of these pauses is a finding. *)
let wide =
  let lanes = 160 and each = 2000 in
  let items f = List.init (lanes * each) (fun i -> f (i / each) (i mod each)) in
  let start i = 5. *. float i in
  let spans =
    items (fun lane i ->
        {
          Timeline.lane;
          start = start i;
          stop = start i +. 4.5;
          kind = i mod 2;
          text = Printf.sprintf "thread %d" (i mod 240);
          notes = [];
        })
  and findings =
    List.filter_map Fun.id
      (items (fun lane i ->
           if i mod 10 <> 0 then None
           else
             Some
               {
                 Timeline.lane;
                 start = start i +. 4.5;
                 stop = start (i + 1);
                 sort = Wrong;
                 text = "idle";
               }))
  and level lane =
    let point i =
      ((start (i / 2) +. if i mod 2 = 0 then 0. else 4.5), (i + 1) mod 2)
    in
    { Timeline.lane; points = List.init (2 * each) point }
  in
  {
    small with
    lanes = Array.init lanes (Printf.sprintf "core %d");
    spans;
    findings;
    levels = List.init lanes level;
    marks = [];
    arrows = [];
    steps = [];
  }

(* The size belongs to the page, and is checked; the time depends on the
   machine, and decides nothing. *)
let many_cores browser () =
  let page = Timeline.to_html wide in
  if String.length page > 16_000_000 then
    Alcotest.failf "%d bytes" (String.length page);
  let dom = Browser.rendered browser ~address:"#finding=31000" page in
  Alcotest.(check string) "all are found" "32000" (Browser.data dom "findings");
  Alcotest.(check string) "the one" "31000" (Browser.data dom "finding");
  let lanes = Browser.data dom "lanes" in
  let shown = Scanf.sscanf lanes "%d %d" (fun a b -> b - a + 1) in
  if shown > 40 then Alcotest.failf "lanes %s are drawn" lanes

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "timeline"
    (( "timeline",
       [ case "page" page; case "perfetto" perfetto; case "refused" refused ] )
    :: Browser.cases (fun browser ->
           [
             case "drawn" (drawn browser);
             case "100,000 spans" (large browser);
             case "from finding to finding" (jumps browser);
             case "160 cores" (many_cores browser);
           ]))
