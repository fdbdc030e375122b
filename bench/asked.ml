open Bench_driver

type t = {
  only : string list;
  contestants : string list;
  workers : int list option;
  runs : int option;
  quick : bool;
  limit : float option;
  max_rss_mib : int option;
  all_peers : bool;
  json : string option;
  from : string option;
  plots : string option;
}

let named ?(notes = []) ~what ~known find name =
  match find name with
  | Some x -> x
  | None ->
      Fmt.failwith "unknown %s %S; --list shows them: %s%s" what name
        (String.concat ", " known)
        (String.concat "" (List.map (( ^ ) "\n") notes))

let progress ~done_ ~of_ what =
  Progress_line.show "[%d/%d] %s" (done_ + 1) of_ what

let warn_profile () =
  if Build_profile.name = "dev" then
    Fmt.epr
      "Note: built with dune's dev profile, in which modules are not optimised \
       across: for figures, build with --profile release.@."

let read file ~of_other ~suite =
  let rows = Row.read file in
  match List.find_opt (fun (r : Row.t) -> of_other r.bench) rows with
  | None -> rows
  | Some r ->
      Fmt.failwith "%s: %s is no benchmark of --suite %s" file r.bench suite

let rows o ~of_other ~suite prepare =
  match o.from with
  | Some file -> read file ~of_other ~suite
  | None ->
      let missing, measure = prepare () in
      (* Fails before the measurement if [plots] or [json] cannot be written. *)
      Option.iter Folders.make o.plots;
      Option.iter
        (fun file -> close_out (open_out_gen [ Open_creat ] 0o644 file))
        o.json;
      List.iter (Fmt.pr "%s@.") missing;
      warn_profile ();
      let rows = measure progress in
      Progress_line.clear ();
      rows

let wrote = List.iter (Fmt.pr "Wrote %s@.")
