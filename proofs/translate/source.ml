(* Reads a typed tree from the .cmt file of a build, or types a source without a
   build. *)

type t = {
  unit_name : string; (* for example Dromos_base__Queue *)
  path : string; (* path of the source, for the heading *)
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

let typed path text =
  ignore (Warnings.parse_options false "-a");
  let env = Compmisc.initial_env () in
  let lexbuf = Lexing.from_string text in
  Location.init lexbuf path;
  let structure, _, _, _, _ =
    Typemod.type_structure env (Parse.implementation lexbuf)
  in
  structure

(* A source without a build counts as a module of the library "example". *)
let of_text path text =
  match typed path text with
  | structure ->
      let name = Filename.(remove_extension (basename path)) in
      Ok { unit_name = "Example__" ^ name; path; imports = []; structure }
  | exception error -> (
      match Location.error_of_exn error with
      | Some (`Ok report) ->
          Error (Format.asprintf "%a" Location.print_report report)
      | _ -> raise error)

let of_source file =
  of_text file (In_channel.with_open_bin file In_channel.input_all)

let read file =
  if Filename.check_suffix file ".cmt" then of_cmt file else of_source file
