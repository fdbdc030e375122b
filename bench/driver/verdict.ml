type line = {
  bench : string;
  n : int;
  cutoff : int option;
  workers : int;
  scheduler : string;
  peer : string;
  outcome : (Paired.t, string) result;
}

let outcome (own : Row.t) (peer : Row.t) =
  match (own.failure, peer.failure) with
  | Some why, _ -> Error (own.scheduler ^ ": " ^ why)
  | None, Some why -> Error (peer.scheduler ^ ": " ^ why)
  | None, None ->
      Option.to_result ~none:"the single runs were not kept"
        (Paired.compare ~own:own.runs_s ~peer:peer.runs_s)

let line (own : Row.t) (peer : Row.t) =
  {
    bench = own.bench;
    n = own.n;
    cutoff = own.cutoff;
    workers = own.workers;
    scheduler = own.scheduler;
    peer = peer.scheduler;
    outcome = outcome own peer;
  }

(* The median of a row without times is nan, here the greatest of all values. *)
let faster (a : Row.t) (b : Row.t) =
  let time (row : Row.t) =
    if Float.is_finite row.median_s then row.median_s else infinity
  in
  if time b < time a then b else a

let best_peer rows (own : Row.t) peers =
  let beside (row : Row.t) =
    row.bench = own.bench && row.n = own.n && row.cutoff = own.cutoff
    && row.workers = own.workers
    && List.mem row.scheduler peers
  in
  match List.filter beside rows with
  | [] -> None
  | first :: others -> Some (List.fold_left faster first others)

let plain rows (own : Row.t) =
  let is_plain (row : Row.t) =
    row.scheduler = Rivals.plain && row.bench = own.bench && row.n = own.n
  in
  if own.workers = 1 then List.find_opt is_plain rows else None

let is_timed (row : Row.t) =
  match Suite.find row.bench with
  | Some bench -> bench.kind = Time
  | None -> false

let lines rows =
  let rows = List.filter is_timed rows in
  let of_row (row : Row.t) =
    match Rivals.of_ours row.scheduler with
    | None -> []
    | Some peers ->
        let against = [ best_peer rows row peers; plain rows row ] in
        List.map (line row) (List.filter_map Fun.id against)
  in
  List.concat_map of_row rows

(* {1 The table} *)

(* Rounded up to a tenth, except for the error of the calculation. *)
let percent x =
  Printf.sprintf "%.1f %%" (Float.ceil ((1000. *. x) -. 1e-6) /. 10.)

let words (p : Paired.t) =
  let name = Paired.name p.verdict in
  match p.verdict with
  | Ahead | Behind -> name
  | Equal -> Printf.sprintf "%s within %s" name (percent (Paired.within p))
  | Unclear when p.pairs >= Paired.least_pairs ->
      Printf.sprintf "%s: up to %s apart" name (percent (Paired.within p))
  | Unclear ->
      Printf.sprintf "%s: %d run%s" name p.pairs
        (if p.pairs = 1 then "" else "s")

let header =
  [
    "benchmark"; "contestant"; "against"; "n"; "cut-off"; "workers"; "runs"; "ratio";
    "low"; "high"; " verdict";
  ]
[@@ocamlformat "disable"]

let cells l =
  let figure x = Printf.sprintf "%.3f" x in
  let result =
    match l.outcome with
    | Error why -> [ "-"; "-"; "-"; "-"; " " ^ why ]
    | Ok p ->
        [
          string_of_int p.pairs; figure p.ratio; figure p.low; figure p.high;
          " " ^ words p;
        ] [@ocamlformat "disable"]
  in
  [
    l.bench; l.scheduler; l.peer; string_of_int l.n;
    Option.fold ~none:"-" ~some:string_of_int l.cutoff; string_of_int l.workers;
  ] [@ocamlformat "disable"]
  @ result

let counts lines =
  let verdict l = Result.map (fun (p : Paired.t) -> p.verdict) l.outcome in
  let count v = List.length (List.filter (fun l -> verdict l = Ok v) lines) in
  String.concat ", "
    (List.map
       (fun v -> Printf.sprintf "%d %s" (count v) (Paired.name v))
       Paired.[ Ahead; Equal; Behind; Unclear ])

let print ppf lines =
  let on_plain, on_peers =
    List.partition (fun l -> l.peer = Rivals.plain) lines
  in
  let part what lines =
    if lines <> [] then (
      Fmt.pf ppf "@.Against %s: %s@." what (counts lines);
      Table.print_cells ppf ~left:3 ~last_left:true
        (header :: List.map cells lines))
  in
  if lines = [] then
    Fmt.pf ppf
      "No row of Dromos has a row of a peer or of the plain program to be \
       compared with.@."
  else (
    Fmt.pf ppf
      "@.Ratios of Dromos's time to the other's, run by run: their median, and \
       its 95 %% interval@.";
    part "the best peer in OCaml" on_peers;
    part "the plain program, on one worker" on_plain)

let to_json lines : Yojson.Safe.t =
  let number f = function
    | Error _ -> `Null
    | Ok (p : Paired.t) -> `Float (f p)
  in
  let one l =
    let text f = match l.outcome with Error _ -> `Null | Ok p -> f p in
    `Assoc
      [
        ("bench", `String l.bench);
        ("n", `Int l.n);
        ("cutoff", Option.fold ~none:`Null ~some:(fun c -> `Int c) l.cutoff);
        ("workers", `Int l.workers);
        ("scheduler", `String l.scheduler);
        ("peer", `String l.peer);
        ("pairs", text (fun p -> `Int p.pairs));
        ("ratio", number (fun p -> p.ratio) l.outcome);
        ("low", number (fun p -> p.low) l.outcome);
        ("high", number (fun p -> p.high) l.outcome);
        ("verdict", text (fun p -> `String (Paired.name p.verdict)));
        ( "failure",
          match l.outcome with Ok _ -> `Null | Error why -> `String why );
      ]
  in
  `List (List.map one lines)
