(* read FOLDER NAME..: prints the definitions that the interpreter reads in
   FOLDER/NAME.v, as sentences that make Coq compare the definitions with its
   own reading of the file. *)

open Dromos_translate
open Dromos_interpreter

let () =
  match Array.to_list Sys.argv with
  | _ :: folder :: names ->
      let ppf = Format.std_formatter in
      Format.fprintf ppf "From iris.heap_lang Require Import lang.@.";
      let print name =
        Format.fprintf ppf "From dromos.%s Require Import %s.@."
          (Filename.basename folder) name;
        let path = Filename.concat folder (name ^ ".v") in
        List.iter (Explicit.comparison ppf) (Parser.file path)
      in
      List.iter print names
  | _ ->
      prerr_endline "read FOLDER NAME..";
      exit 2
