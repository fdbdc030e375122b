(* Checks that the order of evaluation does not matter. HeapLang evaluates
   operands from right to left, and OCaml leaves the order open. At most one
   operand may therefore have effects. Several operands may read plain mutable
   fields if no operand has effects: such reads commute, since a program with a
   race on a field is not proved safe. Allocating a block counts as no effect,
   and neither does a read of an immutable field. *)

open Typedtree

type effects = Pure | Reads | Effects

let join a b =
  match (a, b) with
  | Effects, _ | _, Effects -> Effects
  | Reads, _ | _, Reads -> Reads
  | Pure, Pure -> Pure

let pure_operators =
  [
    "+"; "-"; "*"; "/"; "mod"; "land"; "lor"; "lxor"; "lsl"; "~-"; "not"; "&&";
    "||"; "lsr"; "asr"; "="; "<>"; "<"; ">"; "<="; ">="; "=="; "!="; "succ"; "pred"; "fst";
    "snd"; "Array.length";
  ]
[@@ocamlformat "disable"]

let is_pure_operator name =
  List.exists (fun op -> name = "Stdlib." ^ op) pure_operators

let rec effects (e : expression) =
  match e.exp_desc with
  | Texp_ident _ | Texp_constant _ | Texp_function _ -> Pure
  | Texp_tuple es | Texp_construct (_, _, es) | Texp_array es -> all es
  | Texp_field (e, _, { lbl_mut = Immutable; _ }) -> effects e
  | Texp_field (e, _, { lbl_mut = Mutable; _ }) -> join Reads (effects e)
  | Texp_record { fields; extended_expression = None; _ } ->
      Array.fold_left
        (fun acc (_, definition) ->
          match definition with
          | Overridden (_, e) -> join acc (effects e)
          | Kept _ -> Effects)
        Pure fields
  | Texp_ifthenelse (c, a, b) -> all (c :: a :: Option.to_list b)
  | Texp_let (Nonrecursive, bindings, e) ->
      all (e :: List.map (fun vb -> vb.vb_expr) bindings)
  | Texp_apply ({ exp_desc = Texp_ident (p, _, _); _ }, args)
    when is_pure_operator (Names.of_stdlib (Names.of_path p)) ->
      all (List.filter_map snd args)
  | _ -> Effects

and all es = List.fold_left (fun acc e -> join acc (effects e)) Pure es

let check loc operands =
  let effects = List.map effects operands in
  let count e = List.length (List.filter (( = ) e) effects) in
  let several = count Effects in
  if several > 1 || (several = 1 && count Reads > 0) then
    Refuse.refuse loc
      "two operands with effects, whose order OCaml leaves open: name one of \
       them with let"
