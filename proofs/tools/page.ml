(* Writes doc/verification.md if Coq answers that no theorem assumes
   anything. *)

open Text
open Theorems

let logical file =
  "dromos."
  ^ String.concat "."
      (String.split_on_char '/' (Filename.chop_suffix file ".v"))

(* Asks one question about all theorems together, so that Coq walks through
   their common dependencies only once. *)
let questions all =
  let file_names = List.sort_uniq compare (List.map (fun t -> t.file) all) in
  List.iter (fun f -> Printf.printf "Require %s.\n" (logical f)) file_names;
  let name t = "@" ^ logical t.file ^ "." ^ t.name in
  print_endline "Definition all_theorems : True :=";
  List.iter (fun t -> Printf.printf "  let _ := %s in\n" (name t)) all;
  print_endline "  I.";
  print_endline "Print Assumptions all_theorems."

let closed = "Closed under the global context"

let check_answers answers =
  match List.filter (( <> ) "") (lines answers) with
  | [ answer ] when answer = closed -> ()
  | answer -> fail "the theorems assume: %s" (String.concat "\n" answer)

(* ", 12 s"; empty if the file was not checked in this folder. *)
let time file =
  match read (Filename.chop_suffix file ".v" ^ ".seconds") with
  | text -> Printf.sprintf ", %s s" (String.trim text)
  | exception Sys_error _ -> ""

let rows ~timed all =
  let row t = Printf.sprintf "| `%s` | %s |\n" t.name t.words in
  let section file =
    let here = List.filter (fun t -> t.file = file) all in
    if here = [] then ""
    else
      let time = if timed then time file else "" in
      Printf.sprintf
        "\n### `proofs/%s`%s\n\n| theorem | in words |\n|---|---|\n" file time
      ^ String.concat "" (List.map row here)
  in
  String.concat "" (List.map section (files ()))

let first = "<!-- theorems: begin -->\n"
let last = "\n<!-- theorems: end -->"
let write path all = write_between ~path ~first ~last (rows ~timed:true all)

(* Checks that the page lists the theorems of the sources. Times are not
   compared. *)
let check path all =
  let untimed line =
    if String.starts_with ~prefix:"###" line then
      List.hd (String.split_on_char ',' line)
    else line
  in
  let shown = between ~path ~first ~last in
  if List.map untimed (lines shown) <> lines (rows ~timed:false all) then
    fail "%s does not list the theorems of the sources; run make proofs" path
