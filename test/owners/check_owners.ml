(* Each mutable field has an owner, the only module to write the field: the
   module of the field's type, or the module named by [[@owner Module]] at the
   field. The program reads the typed trees left by the compiler in the given
   folders, and reports each write by a module other than the owner, and each
   owner without a write. *)

open Typedtree

let errors = ref 0

let error fmt =
  incr errors;
  Printf.printf (fmt ^^ "\n")

(* "Dromos_fiber__Hub_door" is "Hub_door". *)
let short name =
  let rec from i =
    match String.index_from_opt name i '_' with
    | Some i when i + 2 < String.length name ->
        if name.[i + 1] = '_' then
          String.sub name (i + 2) (String.length name - i - 2)
        else from (i + 1)
    | Some _ | None -> name
  in
  from 0

let owner_in attributes =
  let of_payload : Parsetree.payload -> string option = function
    | PStr
        [
          {
            pstr_desc =
              Pstr_eval ({ pexp_desc = Pexp_construct ({ txt; _ }, None); _ }, _);
            _;
          };
        ] ->
        Some (Longident.last txt)
    | _ -> None
  in
  List.find_map
    (fun (a : Parsetree.attribute) ->
      if a.attr_name.txt = "owner" then of_payload a.attr_payload else None)
    attributes

(* The module of a path's type, if outside the present file. *)
let rec module_of : Path.t -> string option = function
  | Pident id when Ident.global id -> Some (short (Ident.name id))
  | Pident _ -> None
  | Pdot (p, _) -> (
      match p with
      | Pident id when Ident.global id -> Some (short (Ident.name id))
      | Pdot (_, name) when Ident.global (Path.head p) -> Some name
      | _ -> None)
  | Pextra_ty (p, _) -> module_of p
  | Papply _ -> None

let written : (string * string, unit) Hashtbl.t = Hashtbl.create 64
let declared = ref []

let check_write here loc label attributes result =
  let owner =
    match owner_in attributes with
    | Some owner -> owner
    | None -> (
        match Types.get_desc result with
        | Tconstr (path, _, _) -> Option.value (module_of path) ~default:here
        | _ -> here)
  in
  Hashtbl.replace written (label, owner) ();
  if owner <> here then
    let { Location.loc_start = at; _ } = loc in
    error "%s:%d: %s is written here, and belongs to %s" at.pos_fname
      at.pos_lnum label owner

let declare (d : label_declaration) =
  Option.iter
    (fun owner -> declared := (d.ld_name.txt, owner) :: !declared)
    (owner_in d.ld_attributes)

let iterator here =
  let super = Tast_iterator.default_iterator in
  let expr sub e =
    (match e.exp_desc with
    | Texp_setfield (_, _, { lbl_name; lbl_attributes; lbl_res; _ }, _) ->
        check_write here e.exp_loc lbl_name lbl_attributes lbl_res
    | _ -> ());
    super.expr sub e
  and type_declaration sub d =
    (match d.typ_kind with
    | Ttype_record labels -> List.iter declare labels
    | Ttype_variant constructors ->
        List.iter
          (fun c ->
            match c.cd_args with
            | Cstr_record labels -> List.iter declare labels
            | Cstr_tuple _ -> ())
          constructors
    | Ttype_abstract | Ttype_open -> ());
    super.type_declaration sub d
  in
  { super with expr; type_declaration }

let read file =
  let cmt = Cmt_format.read_cmt file in
  let it = iterator (short cmt.cmt_modname) in
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

let () =
  Array.iteri (fun i folder -> if i > 0 then walk folder) Sys.argv;
  List.sort_uniq compare !declared
  |> List.iter (fun (label, owner) ->
         if not (Hashtbl.mem written (label, owner)) then
           error "%s is never written by %s, its owner" label owner);
  if Hashtbl.length written = 0 then error "no field is written: no typed trees";
  Printf.printf "owners: %d fields written by their owners\n"
    (Hashtbl.length written - min !errors (Hashtbl.length written));
  exit (if !errors > 0 then 1 else 0)
