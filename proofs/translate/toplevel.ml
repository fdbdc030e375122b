(* Translates the definitions of a file. *)

open Typedtree
open Refuse
open Heaplang

type item = Comment of string | Definition of definition

let name_and_id vb =
  match vb.vb_pat.pat_desc with
  | Tpat_var (id, _, _) | Tpat_alias ({ pat_desc = Tpat_any; _ }, id, _, _) ->
      (Ident.name id, id)
  | _ -> refuse vb.vb_pat.pat_loc "a toplevel pattern: give it a name"

let untranslated vb = Attributes.untranslated vb.vb_attributes
let comment text = Comment text
let definition name body = Definition { name; body }

let skipped name reason =
  comment (Printf.sprintf "%s is not translated: %s." name reason)

(* A definition must be a value. The empty array would have to be allocated, so
   the translation has the empty array in each place that uses its name. *)
let simple scope vb =
  let loc = vb.vb_loc in
  let name, id = name_and_id vb in
  let coq = Names.coq scope.Scope.unit_ name in
  let body = Expr.expr scope vb.vb_expr in
  match body with
  | App (Global "array_make", [ Lit (Int 0); _ ]) ->
      (Scope.export scope loc id (Expression body), [])
  | _ ->
      if not (is_value body) then
        refuse vb.vb_expr.exp_loc
          "a toplevel definition that computes: make it a function";
      ( Scope.export scope loc id (Expression (Global coq)),
        [ definition coq body ] )

let recursive scope vb =
  let loc = vb.vb_loc in
  let name, id = name_and_id vb in
  let coq = Names.coq scope.Scope.unit_ name in
  let inside = Scope.define scope id (Expression (Var name)) in
  let body = Expr.func inside (Some name) vb.vb_expr in
  (Scope.export scope loc id (Expression (Global coq)), [ definition coq body ])

let group = "$group"
let number = "$k"

(* Functions f and g that call each other become one recursive function of a
   number, and f and g apply this function to their numbers. *)
let mutual scope loc bindings =
  let names = List.map name_and_id bindings in
  let numbered = List.mapi (fun i (_, id) -> (i, id)) names in
  let inside =
    List.fold_left
      (fun scope (i, id) ->
        Scope.define scope id (Expression (App (Var group, [ int i ]))))
      scope numbered
  in
  let bodies = List.map (fun vb -> Expr.func inside None vb.vb_expr) bindings in
  let rec choose i = function
    | [] -> Stuck
    | [ body ] -> body
    | body :: rest -> If (Op (Eq, Var number, int i), body, choose (i + 1) rest)
  in
  let coq name = Names.coq scope.Scope.unit_ name in
  let whole = coq (fst (List.hd names)) ^ "_group" in
  let member i (name, _) body =
    match body with
    | Rec (_, params, _) ->
        (* A parameter without a name gets a name, so that the member can pass
           the argument on to the group. *)
        let given =
          List.mapi
            (fun j p -> Option.value p ~default:(Printf.sprintf "$%d" j))
            params
        in
        let args = int i :: List.map (fun x -> Var x) given in
        let params = List.map Option.some given in
        definition (coq name) (Rec (None, params, App (Global whole, args)))
    | _ -> assert false
  in
  let members =
    List.mapi (fun i (n, b) -> member i n b) (List.combine names bodies)
  in
  let scope =
    List.fold_left
      (fun scope (name, id) ->
        Scope.export scope loc id (Expression (Global (coq name))))
      scope names
  in
  let rec_ = Rec (Some group, [ Some number ], choose 0 bodies) in
  (scope, definition whole rec_ :: members)

let bindings scope loc flag vbs =
  match (flag, vbs) with
  | _, [ vb ] when untranslated vb <> None ->
      let name, id = name_and_id vb in
      let reason = Option.get (untranslated vb) in
      (Scope.export scope loc id (Untranslated reason), [ skipped name reason ])
  | Asttypes.Nonrecursive, [ vb ] -> simple scope vb
  | Recursive, [ vb ] -> recursive scope vb
  | Recursive, vbs -> mutual scope loc vbs
  | Nonrecursive, _ -> refuse loc "let ... and ...: use one let after the other"

(* A file that uses the type reads the interface, so the interface must have the
   attribute too. *)
let check_type scope (declaration : type_declaration) =
  let is_ghost = Attributes.has "prophecy" declaration.typ_attributes in
  let unit_id = Ident.create_persistent scope.Scope.unit_name in
  let path = Path.Pdot (Pident unit_id, declaration.typ_name.txt) in
  if is_ghost then
    match Env.find_type path (Compmisc.initial_env ()) with
    | exception Not_found -> ()
    | { type_kind = Type_record _; type_attributes; _ } ->
        if not (Attributes.has "prophecy" type_attributes) then
          refuse declaration.typ_loc
            "the interface declares this record without [@@prophecy]: add it \
             there"
    | _ -> ()

let check_attributes (it : structure_item) =
  let open Tast_iterator in
  let attributes _ = List.iter Attributes.check_read in
  (* The attributes of type annotations are in [exp_extra]. *)
  let expr iterator (e : expression) =
    List.iter (fun (_, _, extra) -> attributes iterator extra) e.exp_extra;
    default_iterator.expr iterator e
  in
  let iterator = { default_iterator with attributes; expr } in
  iterator.structure_item iterator it

let item scope (it : structure_item) =
  let loc = it.str_loc in
  match it.str_desc with
  | Tstr_type (_, declarations) ->
      List.iter (check_type scope) declarations;
      let layouts = List.filter_map Layout.of_type declarations in
      (scope, List.map comment layouts)
  | Tstr_attribute _ -> (scope, [])
  | Tstr_module { mb_expr = { mod_desc = Tmod_ident _; _ }; _ } -> (scope, [])
  | Tstr_value (flag, vbs) -> bindings scope loc flag vbs
  | Tstr_primitive _ -> refuse loc "an external: write it in the subset"
  | Tstr_exception _ -> refuse loc "an exception: return a variant"
  | Tstr_typext _ ->
      refuse loc "an extensible type: declare an ordinary variant type"
  | Tstr_module { mb_expr = { mod_desc = Tmod_functor _; _ }; _ } ->
      refuse loc "a functor: use a record of closures"
  | Tstr_module _ | Tstr_recmodule _ ->
      refuse loc
        "a module inside a module: only an alias, module M = Other, is in the \
         subset"
  | Tstr_modtype _ -> refuse loc "a module type: leave it to the interface"
  | Tstr_open _ -> refuse loc "opening a module: name it"
  | Tstr_include _ -> refuse loc "including a module: define what is needed"
  | Tstr_class _ | Tstr_class_type _ ->
      refuse loc "objects: use a record of closures"
  | Tstr_eval _ -> refuse loc "a toplevel computation: make it a function"

type file = {
  items : item list;
  uses : string list; (* for example base.queue_code *)
}

let is_untranslated (it : structure_item) =
  match it.str_desc with
  | Tstr_value (_, [ vb ]) -> untranslated vb <> None
  | _ -> false

let checked_item scope it =
  let scope, items = item scope it in
  if not (is_untranslated it) then check_attributes it;
  (scope, items)

let file scope (structure : structure) =
  Attributes.forget ();
  let _, items =
    List.fold_left
      (fun (scope, acc) it ->
        let scope, items = checked_item scope it in
        (scope, List.rev_append items acc))
      (scope, []) structure.str_items
  in
  let uses = List.of_seq (Hashtbl.to_seq_keys scope.Scope.uses) in
  { items = List.rev items; uses = List.sort compare uses }

let definitions file =
  List.filter_map
    (function Definition d -> Some d | Comment _ -> None)
    file.items
