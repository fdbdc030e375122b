(* Reading typed trees: from the .cmt file that a build has left, or by typing a
   source on its own. *)

type t = {
  unit_name : string; (* such as Dromos_base__Queue *)
  path : string; (* of the source, for the heading *)
  imports : string list;
  structure : Typedtree.structure;
}

let init directories =
  Load_path.init ~auto_include:Load_path.no_auto_include
    ~visible:(Config.standard_library :: directories)
    ~hidden:[];
  Envaux.reset_cache ()

let of_cmt file =
  let cmt = Cmt_format.read_cmt file in
  match cmt.cmt_annots with
  | Implementation structure ->
      let path = Option.value cmt.cmt_sourcefile ~default:file in
      let imports = List.map fst cmt.cmt_imports in
      Ok { unit_name = cmt.cmt_modname; path; imports; structure }
  | _ -> Error (file ^ ": not the typed tree of an implementation")

let typed file =
  let env = Compmisc.initial_env () in
  let parsed = Pparse.parse_implementation ~tool_name:"translate" file in
  let structure, _, _, _, _ = Typemod.type_structure env parsed in
  structure

let of_source file =
  match typed file with
  | structure ->
      let name = Filename.(remove_extension (basename file)) in
      let unit_name = "Example__" ^ name in
      Ok { unit_name; path = file; imports = []; structure }
  | exception error -> (
      match Location.error_of_exn error with
      | Some (`Ok report) ->
          Error (Format.asprintf "%a" Location.print_report report)
      | _ -> raise error)

let read file =
  if Filename.check_suffix file ".cmt" then of_cmt file else of_source file
