(* Describes in words how the values of a type look in HeapLang: a comment for
   readers of the generated file. *)

open Types

let spf = Printf.sprintf
let list = String.concat ", "

(* {1 Records} *)

let is_kept l = not (Repr.is_filler (Ident.name l.ld_id) l.ld_type)

let block labels ~ghost =
  let field i l =
    let mark = match l.ld_mutable with Mutable -> "mutable " | _ -> "" in
    spf "%d %s%s" i mark (Ident.name l.ld_id)
  in
  let n = List.length labels in
  let prophecy = if ghost then [ spf "%d its prophecy" n ] else [] in
  spf "a block of %s" (list (List.mapi field labels @ prophecy))

let tuple labels ~ghost =
  let names = List.map (fun l -> Ident.name l.ld_id) labels in
  match names @ if ghost then [ "its prophecy" ] else [] with
  | [ name ] -> name
  | names -> spf "(%s)" (list names)

let record labels ~ghost =
  let is_block = Repr.inlined_is_block (Cstr_record labels) in
  let kept = List.filter is_kept labels in
  if is_block then block kept ~ghost else tuple kept ~ghost

(* {1 Variants} *)

let is_constant c = c.cd_args = Cstr_tuple []

let payload c =
  match c.cd_args with
  | Cstr_record labels -> record labels ~ghost:false
  | Cstr_tuple [ _ ] -> "its argument"
  | Cstr_tuple args -> spf "its %d arguments" (List.length args)

let constructors all =
  let constants, blocks = List.partition is_constant all in
  let consts = List.length constants and blocks_count = List.length blocks in
  let shape = Repr.shape_of ~consts ~blocks:blocks_count in
  let constant i c =
    let literal =
      match Repr.constant_of ~consts ~blocks:blocks_count i with
      | Int n -> spf "#%d" n
      | _ -> "#()"
    in
    let prefix = if shape = Constants then "" else "InjLV " in
    spf "%s is %s%s" (Ident.name c.cd_id) prefix literal
  in
  let block i c =
    let injected =
      match (shape, i) with
      | Two_blocks, 0 -> "InjL"
      | Tagged, i -> spf "InjR with tag #%d" i
      | _ -> "InjR"
    in
    spf "%s is %s of %s" (Ident.name c.cd_id) injected (payload c)
  in
  list (List.mapi constant constants @ List.mapi block blocks)

(* {1 Types} *)

let of_type (d : Typedtree.type_declaration) =
  let ghost = Attributes.has "prophecy" d.typ_attributes in
  let text =
    match d.typ_type.type_kind with
    | Type_record (labels, _) -> Some (record labels ~ghost)
    | Type_variant (all, _) -> Some (constructors all)
    | Type_abstract _ | Type_open -> None
  in
  Option.map (fun text -> spf "%s: %s." d.typ_name.txt text) text
