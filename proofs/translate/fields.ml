(* Records become tuples, or blocks if a field is mutable. *)

open Typedtree
open Refuse
open Heaplang

(* The fields of a record expression, without the dropped fields. *)
let given loc fields =
  let read (l, definition) =
    match definition with
    | Overridden (_, e) -> (l, e)
    | Kept _ -> refuse loc "a copy of a record: give every field"
  in
  let fields = List.map read (Array.to_list fields) in
  Order.check loc (List.map snd fields);
  let dropped, kept = List.partition (fun (l, _) -> Repr.is_dropped l) fields in
  List.iter
    (fun (_, (e : expression)) ->
      if Order.effects e <> Pure then
        refuse e.exp_loc "effects in a field that is dropped")
    dropped;
  kept

let block loc cells =
  let n = List.length cells in
  if n > 16 then refuse loc "a mutable record of more than 16 fields";
  global (Printf.sprintf "block%d" n) cells

let cell l translated =
  match l.Types.lbl_mut with
  | Mutable -> global "na_val" [ translated ]
  | Immutable -> translated

let prophecy = "$p"
let field_address record i = Op (Offset, record, int i)

let read_field loc (l : Types.label_description) ~ghost record =
  let i = Repr.position loc l in
  if Repr.is_block l then
    let address = field_address record i in
    match l.lbl_mut with
    | Mutable -> Na_load address
    | Immutable -> Load address
  else
    let n = List.length (Repr.kept l) + if ghost then 1 else 0 in
    component i n record

(* The prophecy of [record], whose type has the field [l]. *)
let ghost_field (l : Types.label_description) record =
  let n = List.length (Repr.kept l) in
  if Repr.is_block l then Load (field_address record n)
  else component n (n + 1) record
