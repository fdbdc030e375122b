(* A generated file. *)

(* What is not defined in the prelude, or in what the prelude exports. *)
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

let rec globals acc (e : Heaplang.expr) =
  match e with
  | Global name -> name :: acc
  | Var _ | Lit _ | Constant_l _ | New_proph | Stuck -> acc
  | Rec (_, _, e)
  | Not e | Neg e | Fst e | Snd e | Inj_l e | Inj_r e | Ref e | Load e
  | Na_load e | Fork e ->
      globals acc e
  | Op (_, a, b)
  | And_also (a, b) | Or_else (a, b) | Let (_, a, b) | Pair (a, b)
  | Store (a, b) | Na_store (a, b) | Xchg (a, b) | Faa (a, b)
  | Alloc_n (a, b) ->
      globals (globals acc a) b
  | If (a, b, c) | Cas (a, b, c) | Cmp_xchg (a, b, c) | Resolve (a, b, c) ->
      globals (globals (globals acc a) b) c
  | Case (a, (_, b), (_, c)) -> globals (globals (globals acc a) b) c
  | App (f, args) -> List.fold_left globals (globals acc f) args
[@@ocamlformat "disable"]

let language definitions =
  let used =
    List.fold_left
      (fun acc (d : Heaplang.definition) -> globals acc d.body)
      [] definitions
  in
  let needed (_, names) = List.exists (fun n -> List.mem n used) names in
  "prelude" :: List.map fst (List.filter needed homes)

(* [uses] is sorted. *)
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

let heading ppf path (file : Toplevel.file) =
  let line format = Format.fprintf ppf (format ^^ "@.") in
  line "(* Generated from %s by proofs/translate; do not edit. *)" path;
  line "From iris.heap_lang Require Import lang notation.";
  line "From dromos.lang Require Import %s."
    (String.concat " " (language file.definitions));
  List.iter
    (fun (folder, files) ->
      line "From dromos.%s Require Import %s." folder (String.concat " " files))
    (by_folder file.uses)

let print ppf path (file : Toplevel.file) =
  Format.pp_set_geometry ppf ~max_indent:76 ~margin:80;
  heading ppf path file;
  List.iter
    (fun d ->
      Format.fprintf ppf "@.";
      Coq.definition ppf d)
    file.definitions
