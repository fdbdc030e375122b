(* Translates several files, each after the files to which it refers. *)

type translated = (Names.unit_ * string * Toplevel.file) list

let ( let* ) = Result.bind

let rec read = function
  | [] -> Ok []
  | file :: rest ->
      let* source = Source.read file in
      let* sources = read rest in
      Ok (source :: sources)

(* Sorts the sources by a depth-first search, each source after its imports.
   Imports form no cycles. *)
let in_order sources =
  let visited = Hashtbl.create 16 and order = ref [] in
  let rec visit (source : Source.t) =
    if not (Hashtbl.mem visited source.unit_name) then begin
      Hashtbl.add visited source.unit_name ();
      let is_import (other : Source.t) =
        List.mem other.unit_name source.imports
      in
      List.iter visit (List.filter is_import sources);
      order := source :: !order
    end
  in
  List.iter visit sources;
  List.rev !order

(* Leaves out modules of no library in [folders]: dune's modules that only name
   the other modules of a library. *)
let translate_sources folders sources =
  let exports = Scope.no_exports () in
  let one (source : Source.t) =
    match Names.of_unit_name folders source.unit_name with
    | None -> None
    | Some unit_ ->
        let scope = Scope.create folders exports unit_ source.unit_name in
        Some (unit_, source.path, Toplevel.file scope source.structure)
  in
  match List.filter_map one (in_order sources) with
  | translated -> Ok translated
  | exception Refuse.Refused (loc, reason) -> Error (Refuse.message loc reason)

let translate folders files =
  Source.init (List.sort_uniq compare (List.map Filename.dirname files));
  let* sources = read files in
  translate_sources folders sources

(* Translates a source that refers to no other file. *)
let translate_text path text =
  Source.init [];
  let* source = Source.of_text path text in
  translate_sources [ ("example", "example") ] [ source ]
