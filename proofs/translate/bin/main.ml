(* translate: from the kernel's OCaml sources to HeapLang. See README.md. *)

open Dromos_translate

let usage =
  "translate [--library NAME=FOLDER].. [OUTPUT].. FILE..\n\n\
   FILE is a typed tree (.cmt) or a source (.ml) that stands alone. Without \
   outputs the translation is printed. Otherwise there is one for each file, \
   named FOLDER.MODULE_code and whatever ending.\n"

let folders = ref [ ("example", "example") ]
let arguments = ref []

let add_folder argument =
  match String.split_on_char '=' argument with
  | [ library; folder ] -> folders := (library, folder) :: !folders
  | _ -> raise (Arg.Bad "--library takes NAME=FOLDER")

let options =
  [
    ( "--library",
      Arg.String add_folder,
      "NAME=FOLDER  the folder of the files generated for a library" );
  ]

let comparisons = ref false

let options =
  options
  @ [
      ( "--comparisons",
        Arg.Set comparisons,
        "  prints Coq sentences that compare the definitions with the same \
         without notations" );
    ]

let fail message =
  prerr_endline message;
  exit 2

let is_input file =
  Filename.check_suffix file ".cmt" || Filename.check_suffix file ".ml"

let same_unit unit_ output =
  let name = Filename.remove_extension (Filename.basename output) in
  name = unit_.Names.folder ^ "." ^ Names.file unit_

let print channel path file =
  Output.print (Format.formatter_of_out_channel channel) path file

let show (unit_, path, file) =
  if !comparisons then
    let name = unit_.Names.folder ^ "." ^ Names.file unit_ in
    Output.print_comparisons Format.std_formatter name file
  else print stdout path file

let write outputs (unit_, path, file) =
  match List.filter (same_unit unit_) outputs with
  | [ output ] ->
      Out_channel.with_open_bin output (fun channel -> print channel path file)
  | _ ->
      let name = unit_.Names.folder ^ "." ^ Names.file unit_ in
      fail
        (Printf.sprintf
           "%s: there is no output for it. Is it a new file? Add %s to the \
            dune file that runs the translator, and generate it with dune \
            build @translation --auto-promote"
           path name)

let () =
  Arg.parse options (fun file -> arguments := file :: !arguments) usage;
  let inputs, outputs = List.partition is_input (List.rev !arguments) in
  if inputs = [] then fail usage;
  match Program.translate !folders inputs with
  | Error message -> fail message
  | Ok [] -> fail "nothing to translate: is --library missing?"
  | Ok files ->
      if outputs = [] then List.iter show files
      else List.iter (write outputs) files
