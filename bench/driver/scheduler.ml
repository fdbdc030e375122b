type t = {
  name : string;
  about : string;
  base : string;
  parallel : bool;
  has : string -> bool;
  placed : bool;
  command :
    bench:string ->
    placement:int ->
    workers:int ->
    cutoff:int ->
    n:int ->
    string list;
}

let of_contestant family (c : Bench_core.Contestant.t) =
  (* A probe of a program without tasks would be meaningless. *)
  let has bench =
    match Suite.find bench with
    | Some { kind = Time; families; _ } -> List.mem family families
    | Some { kind = Probe; families; _ } ->
        c.parallel && List.mem family families
    | Some { kind = Load; _ } | None -> false
  in
  {
    name = c.name;
    about = c.about;
    base = "sequential";
    parallel = c.parallel;
    has;
    placed = true;
    command =
      (fun ~bench ~placement ~workers ~cutoff ~n ->
        Placement.program placement
        :: Child.arguments ~scheduler:c.name ~bench ~workers ~cutoff ~n);
  }

let load_seconds = ref 4.

let of_server (s : Servers.t) =
  {
    name = s.name;
    about = s.about;
    base = "";
    parallel = s.parallel;
    has = (fun bench -> List.mem bench Servers.benches);
    placed = false;
    command =
      (fun ~bench ~placement:_ ~workers ~cutoff ~n ->
        Servers.command
          {
            server = s.name;
            bench;
            workers;
            load = cutoff;
            seconds = !load_seconds;
            n;
          });
  }

let ours =
  List.concat_map
    (fun (family, contestants) -> List.map (of_contestant family) contestants)
    Roster.families
  @ List.map of_server Servers.all
