open Bench_driver

type asked = {
  contestants : Contestants.t list;
  programs : Heap_suite.Program.t list;
  size : Heap_suite.Program.t -> int;
  workers : int list;
  runs : int;
  observe : bool;
  limit : float;
  max_rss_mib : int;
}

let measure asked ?(cutoff_is = "") ~name ~about (size : Suite.size) ~runs
    schedulers ~progress =
  let bench : Suite.t =
    {
      name;
      about;
      kind = Time;
      cutoff_is;
      families = [];
      every_workers = true;
      full = [ size ];
      quick = [ size ];
    }
  in
  Runner.run
    {
      schedulers;
      benches = [ (bench, [ size ]) ];
      workers = asked.workers;
      runs = (fun _ -> runs);
      limit = asked.limit;
      max_rss_mib = asked.max_rss_mib;
    }
    ~progress
    ~report:(fun _ _ _ -> ())

let same (a : Row.t) (b : Row.t) =
  a.scheduler = b.scheduler && a.workers = b.workers

(* Adds the figures of the observed run that the row does not have yet. *)
let join observed (row : Row.t) =
  match List.find_opt (same row) observed with
  | None -> row
  | Some (seen : Row.t) ->
      let is_new (name, _) = Row.figure row name = None in
      { row with figures = row.figures @ List.filter is_new seen.figures }

let run asked ~progress ~report =
  let of_ = List.length asked.programs in
  let measure i (p : Heap_suite.Program.t) ~runs schedulers what =
    let progress ~done_:_ ~of_:_ line = progress ~done_:i ~of_ (what ^ line) in
    let size = { Suite.n = asked.size p; cutoffs = [ 0 ] } in
    measure asked ~name:p.name ~about:p.about size ~runs schedulers ~progress
  in
  let one i p =
    let timed =
      List.map (fun (c : Contestants.t) -> c.scheduler) asked.contestants
    in
    let rows = measure i p ~runs:asked.runs timed "" in
    let watched =
      List.filter_map (fun (c : Contestants.t) -> c.observed) asked.contestants
    in
    let observed =
      if asked.observe then
        measure i p ~runs:(min 3 asked.runs) watched "observing "
      else []
    in
    let rows = Ratios.add (List.map (join observed) rows) in
    report rows;
    rows
  in
  List.concat (List.mapi one asked.programs)
