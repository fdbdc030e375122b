(* The attributes that the translator reads and the compiler ignores: ghost
   code, and instructions to the translator. *)

open Refuse

let names = [ "fresh"; "resolve"; "choice"; "untranslated"; "prophecy" ]

(* The places of the attributes that were read in this file. An unread
   attribute is in the wrong place. *)
let read : (Location.t, unit) Hashtbl.t = Hashtbl.create 16
let forget () = Hashtbl.reset read

let find name (attributes : Parsetree.attributes) =
  let is_it (a : Parsetree.attribute) = a.attr_name.txt = name in
  let found = List.find_opt is_it attributes in
  Option.iter
    (fun (a : Parsetree.attribute) -> Hashtbl.replace read a.attr_loc ())
    found;
  found

let check_read (a : Parsetree.attribute) =
  let name = a.attr_name.txt in
  if List.mem name names && not (Hashtbl.mem read a.attr_loc) then
    refuse a.attr_loc
      "[@%s] means nothing here: put it on the expression itself, in \
       parentheses"
      name

let has name attributes = Option.is_some (find name attributes)

let rec variables (e : Parsetree.expression) =
  match e.pexp_desc with
  | Pexp_ident { txt = Lident x; _ } -> [ x ]
  | Pexp_tuple es -> List.concat_map variables es
  | _ -> refuse e.pexp_loc "a ghost attribute takes the names of variables"

let payload (a : Parsetree.attribute) =
  match a.attr_payload with
  | PStr [ { pstr_desc = Pstr_eval (e, _); _ } ] -> e
  | _ ->
      refuse a.attr_loc "[@%s] without its payload: write [@%s ...]"
        a.attr_name.txt a.attr_name.txt

(* [@fresh id]: [id] is a new prophecy variable, used as a unique name. *)
let fresh attributes =
  match find "fresh" attributes with
  | None -> None
  | Some a -> (
      match variables (payload a) with
      | [ id ] -> Some id
      | _ -> refuse a.attr_loc "[@fresh] takes one name: write [@fresh id]")

type resolve = { owner : string; key : string; id : string }

(* [@resolve t, key, id]: resolves the prophecy of the record [t] to the pair of
   [key] and [id]. *)
let resolve attributes =
  match find "resolve" attributes with
  | None -> None
  | Some a -> (
      match variables (payload a) with
      | [ owner; key; id ] -> Some { owner; key; id }
      | _ ->
          refuse a.attr_loc
            "[@resolve] takes three names: write [@resolve t, key, id]")

(* [@choice n]: the translation is any number in [0, n). *)
let choice attributes = Option.map payload (find "choice" attributes)

(* [@@untranslated "reason"]: the translation leaves the definition out. *)
let untranslated attributes =
  match find "untranslated" attributes with
  | None -> None
  | Some a -> (
      match (payload a).pexp_desc with
      | Pexp_constant { pconst_desc = Pconst_string (reason, _, _); _ } ->
          Some reason
      | _ ->
          refuse a.attr_loc
            "[@@untranslated] takes a reason: write [@@untranslated \"why\"]")
