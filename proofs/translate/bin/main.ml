(* translate: from the kernel's OCaml sources to HeapLang. See README.md. *)

open Dromos_translate

let usage =
  "translate [-I DIR].. [--library NAME=FOLDER].. [-o FILE] (FILE.cmt|FILE.ml)"

let directories = ref []
let folders = ref [ ("example", "example") ]
let output = ref None
let input = ref None

let add_folder argument =
  match String.split_on_char '=' argument with
  | [ library; folder ] -> folders := (library, folder) :: !folders
  | _ -> raise (Arg.Bad "--library takes NAME=FOLDER")

let arguments =
  [
    ( "-I",
      Arg.String (fun d -> directories := d :: !directories),
      "DIR  where compiled interfaces are" );
    ( "--library",
      Arg.String add_folder,
      "NAME=FOLDER  the folder of the files generated for a library" );
    ( "-o",
      Arg.String (fun f -> output := Some f),
      "FILE  instead of the standard output" );
  ]

let fail message =
  prerr_endline message;
  exit 2

let read file =
  if Filename.check_suffix file ".cmt" then begin
    Source.init !directories;
    match Source.of_cmt file with Ok source -> source | Error m -> fail m
  end
  else Source.of_source file

let translate file =
  let source = read file in
  match Names.of_unit_name !folders source.unit_name with
  | None -> fail (file ^ ": of no library given with --library")
  | Some unit_ ->
      let scope = Scope.create !folders unit_ in
      (source.path, Toplevel.file scope source.structure)

let () =
  Arg.parse arguments (fun file -> input := Some file) usage;
  match !input with
  | None -> fail usage
  | Some file -> (
      match translate file with
      | exception Refuse.Refused (loc, reason) ->
          fail (Refuse.message loc reason)
      | path, translated -> (
          let print channel =
            Output.print
              (Format.formatter_of_out_channel channel)
              path translated
          in
          match !output with
          | None -> print stdout
          | Some file -> Out_channel.with_open_bin file print))
