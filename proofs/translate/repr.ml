(* The representation of each type's values in HeapLang. *)

open Refuse
open Types

(* {1 Types} *)

let declaration env ty =
  match get_desc (Ctype.expand_head env ty) with
  | Tconstr (path, _, _) -> (
      match Env.find_type path env with
      | declaration -> Some (path, declaration)
      | exception Not_found -> None)
  | _ -> None

let is_named names env ty =
  match declaration env ty with
  | Some (path, _) -> List.mem (Path.name path) names
  | None -> false

let is_int = is_named [ "int" ]
let is_immediate = is_named [ "int"; "bool"; "unit"; "char" ]

(* {1 Records} *)

(* True if a field is dropped: fillers, and strings, which HeapLang lacks. *)
let is_filler name ty =
  name.[0] = '_'
  ||
  match get_desc ty with
  | Tconstr (path, _, _) -> Path.same path Predef.path_string
  | _ -> false

let is_dropped (l : label_description) = is_filler l.lbl_name l.lbl_arg

let kept (l : label_description) =
  List.filter (fun l -> not (is_dropped l)) (Array.to_list l.lbl_all)

let is_block (l : label_description) =
  Array.exists (fun l -> l.lbl_mut = Asttypes.Mutable) l.lbl_all

let rec index_of p i = function
  | [] -> None
  | x :: rest -> if p x then Some i else index_of p (i + 1) rest

(* The index of field [l] among the kept fields. *)
let position loc (l : label_description) =
  let same (other : label_description) = other.lbl_name = l.lbl_name in
  match index_of same 0 (kept l) with
  | Some i -> i
  | None ->
      refuse loc
        "field %s is dropped, as strings and fields whose name begins with _ \
         are: do not use it"
        l.lbl_name

let labels env ty =
  match declaration env ty with
  | None -> None
  | Some (path, _) -> (
      match Env.find_type_descrs path env with
      | Type_record (labels, _) -> Some labels
      | _ -> None)

(* True if records of this type have a ghost field for a prophecy. *)
let has_prophecy env ty =
  match declaration env ty with
  | Some (_, d) -> Attributes.has "prophecy" d.type_attributes
  | None -> false

(* {1 Variants} *)

type constructor = Constant of int | Block of int

let constructor loc (c : constructor_description) =
  match c.cstr_tag with
  | Cstr_constant i -> Constant i
  | Cstr_block i -> Block i
  | Cstr_unboxed -> Block 0
  | Cstr_extension _ ->
      refuse loc
        "%s is a constructor of an extensible type: declare an ordinary \
         variant type"
        c.cstr_name

(* The representation of a variant type. The shape depends on the numbers of
   constants and of blocks. *)
type shape =
  | Constants (* #i *)
  | One_block (* InjLV #i (InjLV #() for a single constant), InjR payload *)
  | Two_blocks (* InjL payload, InjR payload *)
  | Tagged (* InjLV #i, InjR (#tag, payload) *)

let shape_of ~consts ~blocks =
  match (consts, blocks) with
  | _, 0 -> Constants
  | _, 1 -> One_block
  | 0, 2 -> Two_blocks
  | _ -> Tagged

let shape (c : constructor_description) =
  shape_of ~consts:c.cstr_consts ~blocks:c.cstr_nonconsts

(* The literal for constant [i]: unit for the only constant beside one block,
   otherwise the number [i]. *)
let constant_of ~consts ~blocks i : Heaplang.literal =
  if consts = 1 && blocks = 1 then Unit else Int i

let constant (c : constructor_description) =
  constant_of ~consts:c.cstr_consts ~blocks:c.cstr_nonconsts

let inject loc (c : constructor_description) payload =
  let open Heaplang in
  match (constructor loc c, shape c) with
  | Constant i, Constants -> int i
  | Constant i, _ -> Constant_l (constant c i)
  | Block 0, Two_blocks -> Inj_l payload
  | Block i, Tagged -> Inj_r (Pair (int i, payload))
  | Block _, _ -> Inj_r payload

(* {1 Physical comparison}

   Physical comparison is allowed where OCaml defines the result and HeapLang
   gives the same result: on immediates and on blocks with a mutable field. *)

let inlined_is_block = function
  | Cstr_record labels ->
      List.exists (fun l -> l.ld_mutable = Asttypes.Mutable) labels
  | Cstr_tuple _ -> false

let declared_comparable constructors =
  let is_constant c = c.cd_args = Cstr_tuple [] in
  let blocks = List.filter (fun c -> not (is_constant c)) constructors in
  List.for_all (fun c -> inlined_is_block c.cd_args) blocks
  &&
  match List.length blocks with
  | 0 | 1 -> true
  | 2 -> List.length constructors = 2
  | _ -> false

let comparable_type env ty =
  is_immediate env ty
  ||
  match declaration env ty with
  | Some (_, { type_kind = Type_record (labels, _); _ }) ->
      inlined_is_block (Cstr_record labels)
  | Some (_, { type_kind = Type_variant (constructors, _); _ }) ->
      declared_comparable constructors
  | _ -> false

(* True if all values made by constructor [c] may be compared. *)
let comparable_constructor (c : constructor_description) =
  match (c.cstr_tag, shape c) with
  | Cstr_constant _, _ -> true
  | _, Tagged -> false
  | _ -> (
      match c.cstr_inlined with
      | Some { type_kind = Type_record (labels, _); _ } ->
          inlined_is_block (Cstr_record labels)
      | _ -> false)
