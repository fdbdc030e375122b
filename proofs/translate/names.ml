(* Translates OCaml's names into Coq's: value [push] of [Dromos_base.Queue] is
   [base_queue_push], defined in base/queue_code.v. *)

type unit_ = { folder : string; name : string }

(* The folder for the generated files of each library. *)
type folders = (string * string) list

let without_underscore name =
  if String.ends_with ~suffix:"_" name then
    String.sub name 0 (String.length name - 1)
  else name

(* Module Queue of library dromos_base has the name Dromos_base__Queue for the
   compiler. *)
let split_unit unit_name =
  let rec find i =
    if i + 2 >= String.length unit_name then None
    else if unit_name.[i] = '_' && unit_name.[i + 1] = '_' then Some i
    else find (i + 1)
  in
  match find 1 with
  | None -> None
  | Some i ->
      let tail = String.length unit_name - i - 2 in
      Some (String.sub unit_name 0 i, String.sub unit_name (i + 2) tail)

let of_unit_name (folders : folders) unit_name =
  match split_unit unit_name with
  | None -> None
  | Some (library, name) -> (
      match List.assoc_opt (String.uncapitalize_ascii library) folders with
      | None -> None
      | Some folder ->
          let name = without_underscore (String.uncapitalize_ascii name) in
          Some { folder; name })

let prefix u = u.folder ^ "_" ^ u.name
let coq u name = prefix u ^ "_" ^ name
let file u = u.name ^ "_code"

(* [Path.name] puts quotes round keywords, for example [mod]. *)
let rec of_path = function
  | Path.Pident id -> Ident.name id
  | Pdot (p, s) -> of_path p ^ "." ^ s
  | p -> Path.name p

(* Modules of the standard library have two names: Stdlib.Array,
   Stdlib__Array. *)
let of_stdlib name =
  match split_unit name with
  | Some ("Stdlib", rest) -> "Stdlib." ^ rest
  | _ -> name
