type t = {
  bench : string;
  scheduler : string;
  workers : int;
  cutoff : int option;
  n : int;
  runs : int;
  disturbed : int;
  median_s : float;
  min_s : float;
  max_s : float;
  runs_s : float list;
  cpu_s : float;
  max_rss_kib : int option;
  ratio_to_sequential : float option;
  figures : (string * float) list;
  failure : string option;
}

let figure row name = List.assoc_opt name row.figures
let value row name = Option.value ~default:nan (figure row name)
let number x : Yojson.Safe.t = if Float.is_finite x then `Float x else `Null
let option f : _ -> Yojson.Safe.t = function None -> `Null | Some x -> f x
let int i = `Int i

let to_json r : Yojson.Safe.t =
  let fixed =
    [
      ("bench", `String r.bench);
      ("scheduler", `String r.scheduler);
      ("workers", `Int r.workers);
      ("cutoff", option int r.cutoff);
      ("n", `Int r.n);
      ("runs", `Int r.runs);
      ("disturbed", `Int r.disturbed);
      ("median_s", number r.median_s);
      ("min_s", number r.min_s);
      ("max_s", number r.max_s);
      ("runs_s", `List (List.map number r.runs_s));
      ("cpu_s", number r.cpu_s);
      ("max_rss_kib", option int r.max_rss_kib);
      ("ratio_to_sequential", option number r.ratio_to_sequential);
      ("failure", option (fun s -> `String s) r.failure);
    ]
  in
  `Assoc (fixed @ List.map (fun (k, v) -> (k, number v)) r.figures)

let wrong what json =
  failwith
    (Printf.sprintf "%s expected in a row, found %s" what
       (Yojson.Safe.to_string json))

let to_string = function `String s -> s | json -> wrong "a string" json
let to_int = function `Int i -> i | json -> wrong "an integer" json

let to_positive = function
  | `Int i when i >= 1 -> i
  | json -> wrong "an integer of at least 1" json

let to_float = function
  | `Float x -> x
  | `Int i -> float_of_int i
  | `Null -> nan
  | json -> wrong "a number" json

let to_list f = function `List l -> List.map f l | json -> wrong "a list" json
let to_option f = function `Null -> None | json -> Some (f json)

let fixed =
  [
    "bench"; "scheduler"; "workers"; "cutoff"; "n"; "runs"; "disturbed"; "median_s"; "min_s";
    "max_s"; "runs_s"; "cpu_s"; "max_rss_kib"; "ratio_to_sequential"; "failure";
  ]
[@@ocamlformat "disable"]

let of_json (json : Yojson.Safe.t) =
  let fields =
    match json with `Assoc fields -> fields | _ -> wrong "an object" json
  in
  let get name f =
    match List.assoc_opt name fields with
    | Some json -> f json
    | None -> failwith (Printf.sprintf "a row without %S" name)
  in
  let extra (name, json) =
    if List.mem name fixed then None else Some (name, to_float json)
  in
  {
    bench = get "bench" to_string;
    scheduler = get "scheduler" to_string;
    workers = get "workers" to_positive;
    cutoff = get "cutoff" (to_option to_int);
    n = get "n" to_positive;
    runs = get "runs" to_int;
    disturbed = get "disturbed" to_int;
    median_s = get "median_s" to_float;
    min_s = get "min_s" to_float;
    max_s = get "max_s" to_float;
    runs_s =
      Option.fold ~none:[] ~some:(to_list to_float)
        (List.assoc_opt "runs_s" fields);
    cpu_s = get "cpu_s" to_float;
    max_rss_kib = get "max_rss_kib" (to_option to_int);
    ratio_to_sequential = get "ratio_to_sequential" (to_option to_float);
    failure = get "failure" (to_option to_string);
    figures = List.filter_map extra fields;
  }

let write ?(beside = []) path rows =
  let json : Yojson.Safe.t =
    `Assoc
      ([
         ("cores", `Int (Domain.recommended_domain_count ()));
         ("ocaml", `String Sys.ocaml_version);
         ("profile", `String Build_profile.name);
         ("rows", `List (List.map to_json rows));
       ]
      @ beside)
  in
  Out_channel.with_open_bin path (fun oc ->
      Yojson.Safe.pretty_to_channel oc json;
      output_char oc '\n')

let read path =
  match Yojson.Safe.from_file path with
  | `Assoc fields -> (
      match List.assoc_opt "rows" fields with
      | Some (`List rows) -> (
          try List.map of_json rows
          with Failure e -> failwith (path ^ ": " ^ e))
      | _ -> failwith (path ^ ": no list of rows"))
  | _ -> failwith (path ^ ": not an object")
  | exception Yojson.Json_error e -> failwith (path ^ ": " ^ e)
