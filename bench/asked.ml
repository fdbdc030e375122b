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

(* Raises [Sys_error] if the file cannot be written; leaves the file as it was.
   A pipe is not opened: its reader would take that for the end. *)
let check_writable file =
  match (Unix.stat file).st_kind with
  | S_REG | S_DIR -> close_out (open_out_gen [ Open_wronly ] 0 file)
  | S_CHR | S_BLK | S_LNK | S_FIFO | S_SOCK -> ()
  | exception Unix.Unix_error _ ->
      close_out (open_out file);
      Sys.remove file

let rows o ~of_other ~suite prepare =
  match o.from with
  | Some file -> read file ~of_other ~suite
  | None ->
      let missing, measure = prepare () in
      (* Fails before the measurement if [plots] or [json] cannot be written. *)
      Option.iter Folders.writable o.plots;
      Option.iter check_writable o.json;
      List.iter (Fmt.pr "%s@.") missing;
      warn_profile ();
      let rows = measure progress in
      Progress_line.clear ();
      rows

let wrote = List.iter (Fmt.pr "Wrote %s@.")
