type t = {
  name : string;
  about : string;
  base : string;
  parallel : bool;
  has : string -> bool;
  command : bench:string -> workers:int -> cutoff:int -> n:int -> string list;
}

let of_contestant (c : Bench_core.Contestant.t) =
  let is_time bench =
    match Suite.find bench with Some { kind = Time; _ } -> true | _ -> false
  in
  {
    name = c.name;
    about = c.about;
    base = "sequential";
    parallel = c.parallel;
    (* A probe of a program without tasks would say nothing. *)
    has = (fun bench -> c.parallel || is_time bench);
    command =
      (fun ~bench ~workers ~cutoff ~n ->
        Sys.executable_name
        :: Child.arguments ~scheduler:c.name ~bench ~workers ~cutoff ~n);
  }

let ours = List.map of_contestant Roster.contestants
