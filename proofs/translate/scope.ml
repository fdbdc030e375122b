(* The meaning of names while an expression is translated. *)

open Refuse

type meaning = Expression of Heaplang.expr | Untranslated of string (* why *)

(* The definitions of all translated files, by Coq name. *)
type exports = (string, meaning) Hashtbl.t

let no_exports () : exports = Hashtbl.create 64

type t = {
  exports : exports;
  folders : Names.folders;
  unit_ : Names.unit_;
  unit_name : string; (* the compiler's name of the module *)
  toplevel : (Ident.t * meaning) list; (* values of this file *)
  known : Ident.t list; (* variables whose values may be compared *)
  ghosts : string list; (* variables bound by [@fresh] *)
  uses : (string, unit) Hashtbl.t; (* files to which this file refers *)
}

let create folders exports unit_ unit_name =
  let uses = Hashtbl.create 16 in
  {
    exports;
    folders;
    unit_;
    unit_name;
    toplevel = [];
    known = [];
    ghosts = [];
    uses;
  }

let define scope id meaning =
  { scope with toplevel = (id, meaning) :: scope.toplevel }

(* [define], also for the files that are translated later. *)
let export scope loc id meaning =
  let name = Ident.name id in
  let coq = Names.coq scope.unit_ name in
  if Hashtbl.mem scope.exports coq then
    refuse loc "%s is defined twice in this file: rename one of them" name;
  Hashtbl.replace scope.exports coq meaning;
  define scope id meaning

let know scope ids = { scope with known = ids @ scope.known }
let with_ghost scope ghost = { scope with ghosts = ghost :: scope.ghosts }
let is_known scope id = List.exists (Ident.same id) scope.known

let environment (e : Typedtree.expression) =
  Envaux.env_of_only_summary e.exp_env

let of_own scope loc id =
  let name = Ident.name id in
  match
    List.find_opt (fun (other, _) -> Ident.same id other) scope.toplevel
  with
  | Some (_, Expression e) -> e
  | Some (_, Untranslated reason) ->
      refuse loc "%s is not translated (%s): it cannot be used here" name reason
  | None ->
      if List.mem name scope.ghosts then
        refuse loc "ghost variable %s hides this one: rename one of them" name
      else Heaplang.Var name

(* The owner of a value from outside the file: the standard library, another
   file of the translation, or neither. *)
type outside = Stdlib of string | Unit of Names.unit_ * string | Other

let outside scope env path =
  let normal = Env.normalize_value_path None env path in
  let name = Names.of_stdlib (Names.of_path normal) in
  if String.starts_with ~prefix:"Stdlib." name then
    Stdlib (String.sub name 7 (String.length name - 7))
  else
    match normal with
    | Pdot (Pident unit_name, value) -> (
        match Names.of_unit_name scope.folders (Ident.name unit_name) with
        | Some unit_ -> Unit (unit_, value)
        | None -> Other)
    | _ -> Other

let of_other scope loc unit_ name =
  let coq = Names.coq unit_ name in
  match Hashtbl.find_opt scope.exports coq with
  | Some (Expression (Global coq)) ->
      Hashtbl.replace scope.uses
        (unit_.Names.folder ^ "." ^ Names.file unit_)
        ();
      Heaplang.Global coq
  | Some (Expression e) -> e
  | Some (Untranslated reason) ->
      refuse loc "%s is not translated (%s): it cannot be used here" name reason
  | None ->
      refuse loc "%s is not among the files that are being translated"
        (unit_.folder ^ "/" ^ unit_.name)
