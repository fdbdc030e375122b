(* Prints a generated file. *)

(* The files of proofs/lang that the prelude does not export, with their
   definitions. *)
let homes =
  [
    ("mutex", [ "mutex_create"; "mutex_lock"; "mutex_unlock" ]);
    ( "condition",
      [
        "condition_create"; "condition_wait"; "condition_signal";
        "condition_broadcast";
      ] );
  ]
[@@ocamlformat "disable"]

let globals e =
  let found = ref [] in
  let rec visit e =
    match e with
    | Heaplang.Global name -> found := name :: !found
    | e -> Heaplang.iter_parts visit e
  in
  visit e;
  !found

let language definitions =
  let used =
    List.concat_map
      (fun (d : Heaplang.definition) -> globals d.body)
      definitions
  in
  let needed (_, names) = List.exists (fun n -> List.mem n used) names in
  "prelude" :: List.map fst (List.filter needed homes)

(* Groups the files in [uses] by folder. [uses] is sorted. *)
let by_folder uses =
  let split used =
    match String.split_on_char '.' used with
    | [ folder; name ] -> (folder, name)
    | _ -> assert false
  in
  let add used acc =
    let folder, name = split used in
    match acc with
    | (other, names) :: rest when other = folder ->
        (folder, name :: names) :: rest
    | _ -> (folder, [ name ]) :: acc
  in
  List.fold_right add uses []

(* Dromos may be a folder of a larger workspace: the heading names the source from the
   root of Dromos, which the compiler's name of this file tells. *)
let from_root path =
  let within =
    String.length __FILE__ - String.length "proofs/translate/output.ml"
  in
  let root = String.sub __FILE__ 0 within in
  if String.starts_with ~prefix:root path then
    String.sub path within (String.length path - within)
  else path

let heading ppf path (file : Toplevel.file) =
  let line format = Format.fprintf ppf (format ^^ "@.") in
  line "(* Generated from %s by proofs/translate; do not edit. *)"
    (from_root path);
  line "From iris.heap_lang Require Import lang notation.";
  line "From dromos.lang Require Import %s."
    (String.concat " " (language (Toplevel.definitions file)));
  List.iter
    (fun (folder, files) ->
      line "From dromos.%s Require Import %s." folder (String.concat " " files))
    (by_folder file.uses)

let geometry ppf = Format.pp_set_geometry ppf ~max_indent:76 ~margin:80

let print_comparisons ppf name file =
  geometry ppf;
  Format.fprintf ppf "From iris.heap_lang Require Import lang.@.";
  Format.fprintf ppf "From dromos.lang Require Import %s.@."
    (String.concat " " (language (Toplevel.definitions file)));
  List.iter
    (fun (folder, files) ->
      Format.fprintf ppf "From dromos.%s Require Import %s.@." folder
        (String.concat " " files))
    (by_folder (List.sort compare (name :: file.uses)));
  List.iter (Explicit.comparison ppf) (Toplevel.definitions file)

let print ppf path (file : Toplevel.file) =
  geometry ppf;
  heading ppf path file;
  List.iter
    (fun item ->
      Format.fprintf ppf "@.";
      match item with
      | Toplevel.Comment text -> Coq.comment ppf text
      | Definition d -> Coq.definition ppf d)
    file.items
