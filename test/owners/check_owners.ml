(* Each mutable field has an owner, the only module to write the field: the
   module that declares the field's type, or the module named by
   [[@owner Module]] at the field. The program reads the typed trees left by the
   compiler in the given folders, and reports

   - each write by a module other than the owner;
   - each owner, named at a field, without a write;
   - each field that is declared again with another owner, also in the
     interface and in the implementation of one module. A type that repeats
     another type's definition, and a type in a module type or in the parameter
     of a functor, has to name the owners of its mutable fields: the compiler
     does not tell where the first declaration is.

   A module is a file: the modules inside share its fields. The module that a
   field belongs to is found wherever the type comes from: by [open], [include],
   an alias, [module type of], or the application of a functor.

   Not covered: mutable fields of classes and objects; arrays, references and
   atomics; [Obj]. An owner that is named in a module type is believed.

   Usage: check_owners [--shared UNIT].. FOLDER..   Any module may write the
   fields of a shared unit (named as in "Dromos_hub__Hub"). *)

open Typedtree

let errors : (Location.t * string) list ref = ref []
let error loc fmt = Printf.ksprintf (fun s -> errors := (loc, s) :: !errors) fmt

(* {1 Names}

   A unit of a library is "Dromos_fiber__Hub_door": [short] is "Hub_door", and
   [library] "Dromos_fiber__". *)

let start_of_short name =
  let rec from i =
    if i < 2 then 0
    else if name.[i - 1] = '_' && name.[i - 2] = '_' then i
    else from (i - 1)
  in
  from (String.length name - 1)

let short name =
  let start = start_of_short name in
  String.sub name start (String.length name - start)

let library name = String.sub name 0 (start_of_short name)

(* {1 Reading} *)

type owner = Declarer | Named of string | Illegible

type field = {
  label : string;
  declarer : string;  (** the unit that declares the field's type *)
  owner : owner;
}

type declaration = {
  field : field;
  of_type : string;
  repeats : string option;
      (** the name of the type whose definition this type repeats *)
  abstract : bool;  (** in a module type, or in the parameter of a functor *)
  declared_at : Location.t;
}

type write = { written : field; by : string; at : Location.t }

let units = Hashtbl.create 256
let declarations : declaration list ref = ref []
let writes : write list ref = ref []
let primitives : Location.t list ref = ref []

let owner_in attributes =
  match
    List.find_opt
      (fun (a : Parsetree.attribute) -> a.attr_name.txt = "owner")
      attributes
  with
  | None -> Declarer
  | Some
      {
        attr_payload =
          PStr
            [
              {
                pstr_desc =
                  Pstr_eval
                    ({ pexp_desc = Pexp_construct ({ txt; _ }, None); _ }, _);
                _;
              };
            ];
        _;
      } ->
      Named (String.concat "__" (Longident.flatten txt))
  | Some _ -> Illegible

let declarer (uid : Types.Uid.t) ~here =
  match uid with
  | Item { comp_unit; _ } | Compilation_unit comp_unit -> comp_unit
  | Internal | Predef _ -> here

let iterator here =
  let super = Tast_iterator.default_iterator in
  let abstract = ref false in
  let declare ?repeats of_type (d : label_declaration) =
    if d.ld_mutable = Mutable then
      declarations :=
        {
          field =
            {
              label = d.ld_name.txt;
              declarer = here;
              owner = owner_in d.ld_attributes;
            };
          of_type;
          repeats;
          abstract = !abstract;
          declared_at = d.ld_loc;
        }
        :: !declarations
  in
  let arguments ?repeats of_type = function
    | Cstr_record labels -> List.iter (declare ?repeats of_type) labels
    | Cstr_tuple _ -> ()
  in
  let in_abstract f =
    let before = !abstract in
    abstract := true;
    f ();
    abstract := before
  in
  let expr sub e =
    (match e.exp_desc with
    | Texp_setfield (_, _, label, _) ->
        let written =
          {
            label = label.lbl_name;
            declarer = declarer label.lbl_uid ~here;
            owner = owner_in label.lbl_attributes;
          }
        in
        writes := { written; by = here; at = e.exp_loc } :: !writes
    | _ -> ());
    super.expr sub e
  and type_declaration sub d =
    let of_type = d.typ_name.txt in
    let repeats =
      match d.typ_manifest with
      | Some { ctyp_desc = Ttyp_constr (path, _, _); _ } ->
          Some (Path.last path)
      | Some _ | None -> None
    in
    (match d.typ_kind with
    | Ttype_record labels -> List.iter (declare ?repeats of_type) labels
    | Ttype_variant constructors ->
        List.iter (fun c -> arguments ?repeats of_type c.cd_args) constructors
    | Ttype_abstract | Ttype_open -> ());
    super.type_declaration sub d
  and extension_constructor sub c =
    (match c.ext_kind with
    | Text_decl (_, args, _) -> arguments c.ext_name.txt args
    | Text_rebind _ -> ());
    super.extension_constructor sub c
  and value_description sub v =
    if List.exists (String.starts_with ~prefix:"%setfield") v.val_prim then
      primitives := v.val_loc :: !primitives;
    super.value_description sub v
  and module_type_declaration sub d =
    in_abstract (fun () -> super.module_type_declaration sub d)
  and module_expr sub m =
    match m.mod_desc with
    | Tmod_functor (Named (_, _, parameter), body) ->
        in_abstract (fun () -> sub.Tast_iterator.module_type sub parameter);
        sub.module_expr sub body
    | _ -> super.module_expr sub m
  and module_type sub m =
    match m.mty_desc with
    | Tmty_functor (Named (_, _, parameter), result) ->
        in_abstract (fun () -> sub.Tast_iterator.module_type sub parameter);
        sub.module_type sub result
    | _ -> super.module_type sub m
  in
  {
    super with
    expr;
    type_declaration;
    extension_constructor;
    value_description;
    module_type_declaration;
    module_expr;
    module_type;
  }

let read file =
  let cmt = Cmt_format.read_cmt file in
  let here = cmt.cmt_modname in
  Hashtbl.replace units here ();
  let it = iterator here in
  match cmt.cmt_annots with
  | Implementation s -> it.structure it s
  | Interface s -> it.signature it s
  | _ -> ()

let rec walk path =
  if Sys.is_directory path then
    Array.iter (fun name -> walk (Filename.concat path name)) (Sys.readdir path)
  else if
    Filename.check_suffix path ".cmt" || Filename.check_suffix path ".cmti"
  then read path

(* {1 Checking} *)

(* The unit that may write the field. A named owner is a module of the library
   that declares the field, or else the only module of that name; [Library.Module]
   names a module of another library. *)
let owner_of { declarer; owner; _ } =
  match owner with
  | Declarer -> Ok declarer
  | Illegible -> Error "[@owner] names no module"
  | Named name -> (
      let beside = library declarer ^ name in
      if Hashtbl.mem units beside then Ok beside
      else if Hashtbl.mem units name then Ok name
      else
        let all = List.of_seq (Hashtbl.to_seq_keys units) in
        match List.filter (fun unit -> short unit = name) all with
        | [ unit ] -> Ok unit
        | [] -> Error (Printf.sprintf "there is no module %s" name)
        | _ -> Error (Printf.sprintf "there are several modules %s" name))

let shared = Hashtbl.create 4

let check_write { written; by; at } =
  if
    Hashtbl.mem units written.declarer
    && not (Hashtbl.mem shared written.declarer)
  then
    match owner_of written with
    | Ok owner when owner <> by ->
        error at "%s is written here, and belongs to %s" written.label
          (short owner)
    | Ok _ | Error _ -> ()

let is_first { repeats; abstract; _ } = repeats = None && not abstract

(* The field of the repeated type has the same owner. *)
let agrees owner d d' =
  is_first d'
  && Some d'.of_type = d.repeats
  && d'.field.label = d.field.label
  && owner_of d'.field = Ok owner

(* The implementation and the interface of the module differ. *)
let differs d d' =
  is_first d && is_first d'
  && d'.field.declarer = d.field.declarer
  && d'.of_type = d.of_type
  && d'.field.label = d.field.label
  && d'.field.owner <> d.field.owner

let check_declaration d =
  let { label; owner; _ } = d.field and loc = d.declared_at in
  match owner_of d.field with
  | Error why -> error loc "%s: %s" label why
  | Ok unit ->
      if (not (is_first d)) && owner = Declarer then
        error loc "%s is declared here without its owner" label
      else if
        (d.repeats <> None && not (List.exists (agrees unit d) !declarations))
        || List.exists (differs d) !declarations
      then error loc "%s is declared here with another owner" label
      else if
        owner <> Declarer
        && not
             (List.exists
                (fun { written; by; _ } ->
                  written.label = label && by = unit
                  && owner_of written = Ok unit)
                !writes)
      then error loc "%s is never written by %s, its owner" label (short unit)

(* {1 The report} *)

let place { Location.loc_start = { pos_fname; pos_lnum; pos_cnum; _ }; _ } =
  (pos_fname, pos_lnum, pos_cnum)

(* Without doubles: a unit's typed tree may be in two folders. *)
let in_order at all =
  List.sort_uniq (fun a b -> compare (place (at a)) (place (at b))) all

let tell (loc, text) =
  let file, line, _ = place loc in
  Printf.printf "%s:%d: %s\n" file line text

let rec arguments = function
  | "--shared" :: unit :: rest ->
      Hashtbl.replace shared unit ();
      arguments rest
  | folder :: rest ->
      walk folder;
      arguments rest
  | [] -> ()

let () =
  arguments (List.tl (Array.to_list Sys.argv));
  let all = in_order (fun w -> w.at) !writes in
  List.iter check_write all;
  List.iter check_declaration !declarations;
  List.iter
    (fun loc -> error loc "a primitive that writes a field of any type")
    !primitives;
  let errors = in_order fst !errors in
  List.iter tell errors;
  Printf.printf "owners: %d writes of fields, %d errors\n" (List.length all)
    (List.length errors);
  if all = [] then print_endline "no field is written: no typed trees";
  exit (if errors <> [] || all = [] then 1 else 0)
