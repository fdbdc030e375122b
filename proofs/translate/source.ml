(* Reading typed trees: from the .cmt file that a build has left, or by typing a
   source on its own. *)

type t = {
  unit_name : string; (* such as Dromos_base__Queue *)
  path : string; (* of the source, for the heading *)
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
      Ok { unit_name = cmt.cmt_modname; path; structure }
  | _ -> Error (file ^ ": not the typed tree of an implementation")

let of_source file =
  Compmisc.init_path ();
  let env = Compmisc.initial_env () in
  let parsed = Pparse.parse_implementation ~tool_name:"translate" file in
  let structure, _, _, _, _ = Typemod.type_structure env parsed in
  let name = Filename.(remove_extension (basename file)) in
  { unit_name = "Example__" ^ name; path = file; structure }
