(* Upper bounds of the histogram's buckets, in seconds. *)
let bounds =
  [|
    0.001; 0.0025; 0.005; 0.01; 0.025; 0.05; 0.1; 0.25; 0.5; 1.; 2.5; 5.; 10.;
  |]

type histogram = { counts : int array; mutable sum : float; mutable all : int }

type t = {
  answered : (string * int, int) Hashtbl.t; (* by route and status *)
  times : (string, histogram) Hashtbl.t; (* by route *)
  mutable under_way : int;
}

let create () =
  { answered = Hashtbl.create 16; times = Hashtbl.create 16; under_way = 0 }

let begins t = t.under_way <- t.under_way + 1
let under_way t = t.under_way

let times t route =
  match Hashtbl.find_opt t.times route with
  | Some h -> h
  | None ->
      let counts = Array.make (Array.length bounds) 0 in
      let h = { counts; sum = 0.; all = 0 } in
      Hashtbl.replace t.times route h;
      h

let request t ~route ~status ~seconds =
  t.under_way <- t.under_way - 1;
  let before =
    Option.value (Hashtbl.find_opt t.answered (route, status)) ~default:0
  in
  Hashtbl.replace t.answered (route, status) (before + 1);
  let h = times t route in
  Array.iteri
    (fun i bound -> if seconds <= bound then h.counts.(i) <- h.counts.(i) + 1)
    bounds;
  h.sum <- h.sum +. seconds;
  h.all <- h.all + 1

type line =
  | Counter of string * string * float
  | Gauge of string * string * float

let sorted table = List.sort compare (List.of_seq (Hashtbl.to_seq table))

let head b name kind what =
  Printf.bprintf b "# HELP %s %s\n# TYPE %s %s\n" name what name kind

let one b = function
  | Counter (name, what, value) ->
      head b name "counter" what;
      Printf.bprintf b "%s %.9g\n" name value
  | Gauge (name, what, value) ->
      head b name "gauge" what;
      Printf.bprintf b "%s %.9g\n" name value

let collector () =
  let s = Gc.quick_stat () in
  let words n = float_of_int (n * (Sys.word_size / 8)) in
  [
    Counter
      ( "ocaml_gc_minor_collections_total",
        "Minor collections of the process.",
        float_of_int s.minor_collections );
    Counter
      ( "ocaml_gc_major_collections_total",
        "Major collections that are complete.",
        float_of_int s.major_collections );
    Gauge ("ocaml_gc_heap_bytes", "The major heap.", words s.heap_words);
  ]

let print t lines =
  let b = Buffer.create 4096 in
  head b "web_requests_total" "counter" "Requests that were answered.";
  List.iter
    (fun ((route, status), n) ->
      Printf.bprintf b "web_requests_total{route=\"%s\",status=\"%d\"} %d\n"
        route status n)
    (sorted t.answered);
  head b "web_request_seconds" "histogram"
    "From a request's head to its answer.";
  List.iter
    (fun (route, h) ->
      let bucket le n =
        Printf.bprintf b
          "web_request_seconds_bucket{route=\"%s\",le=\"%s\"} %d\n" route le n
      in
      Array.iteri
        (fun i bound -> bucket (Printf.sprintf "%g" bound) h.counts.(i))
        bounds;
      bucket "+Inf" h.all;
      Printf.bprintf b
        "web_request_seconds_sum{route=\"%s\"} %.9g\n\
         web_request_seconds_count{route=\"%s\"} %d\n"
        route h.sum route h.all)
    (sorted t.times);
  one b
    (Gauge
       ( "web_requests_under_way",
         "Requests without an answer yet.",
         float_of_int t.under_way ));
  List.iter (one b) (lines @ collector ());
  Buffer.contents b
