(* Translates matches, one level deep. *)

open Typedtree
open Refuse

type head =
  | Any
  | Constructor of Types.constructor_description * Heaplang.binder list

type case = {
  head : head;
  aliases : Ident.t list; (* variables bound to the whole value *)
  body : expression;
}

(* {1 Reading the cases} *)

let argument (p : pattern) : Heaplang.binder =
  match p.pat_desc with
  | Tpat_any -> None
  | Tpat_var (x, _, _) -> Some (Ident.name x)
  | Tpat_constant _ ->
      refuse p.pat_loc "a pattern that tests a constant: bind it and use if"
  | _ -> refuse p.pat_loc "a nested pattern: match again in the case's body"

let rec read_pattern (p : value general_pattern) =
  match p.pat_desc with
  | Tpat_any -> (Any, [])
  | Tpat_var (x, _, _) -> (Any, [ x ])
  | Tpat_alias (inner, x, _, _) ->
      let head, aliases = read_pattern inner in
      (head, x :: aliases)
  | Tpat_construct (_, { cstr_name = "true" | "false" | "()"; _ }, [], _) ->
      refuse p.pat_loc "a match on a bool or unit: use if or ;"
  | Tpat_construct (_, c, args, None) ->
      (Constructor (c, List.map argument args), [])
  | Tpat_construct (_, _, _, Some _) ->
      refuse p.pat_loc "a type annotation in a pattern: leave it out"
  | Tpat_constant _ ->
      refuse p.pat_loc "a pattern that tests a constant: use if"
  | Tpat_or _ -> refuse p.pat_loc "an or-pattern: write two cases"
  | Tpat_tuple _ ->
      refuse p.pat_loc "a match on a tuple: match on its components in turn"
  | Tpat_record _ -> refuse p.pat_loc "a record pattern: use r.field"
  | Tpat_array _ -> refuse p.pat_loc "an array pattern: use Array.get"
  | Tpat_lazy _ -> refuse p.pat_loc "a lazy pattern: there are no lazy values"
  | Tpat_variant _ ->
      refuse p.pat_loc "a polymorphic variant: declare a variant type"

let read (c : computation Typedtree.case) =
  (match c.c_guard with
  | Some guard -> refuse guard.exp_loc "a guard: use if in the case's body"
  | None -> ());
  match c.c_lhs.pat_desc with
  | Tpat_value v ->
      let head, aliases = read_pattern (v :> value general_pattern) in
      { head; aliases; body = c.c_rhs }
  | Tpat_exception p ->
      refuse p.pat_loc "an exception case: there are no exceptions"
  | Tpat_or _ -> refuse c.c_lhs.pat_loc "an or-pattern: write two cases"

(* {1 Choosing a case} *)

let covers loc wanted case =
  match case.head with
  | Any -> true
  | Constructor (c, _) -> Repr.constructor loc c = wanted

(* The cases that match the constructors [wanted], in source order. Each case
   comes with the constructors for which the case is the first match. *)
let chosen loc cases wanted =
  let choice constructor =
    match List.find_opt (covers loc constructor) cases with
    | Some case -> case
    | None -> refuse loc "a match that is not exhaustive: add the missing case"
  in
  let choices = List.map (fun w -> (w, choice w)) wanted in
  List.filter_map
    (fun case ->
      match List.filter (fun (_, c) -> c == case) choices with
      | [] -> None
      | own -> Some (case, List.map fst own))
    cases

let scrutinee = "$s"
let number = "$k"
let payload_name = "$x"

(* Binds [binders] to the components of [payload] in [body]. *)
let bind_components binders payload body =
  let n = List.length binders in
  let bind i binder body =
    match binder with
    | None -> body
    | Some x -> Heaplang.(let_ x (component i n payload) body)
  in
  List.fold_right
    (fun (i, binder) body -> bind i binder body)
    (List.mapi (fun i b -> (i, b)) binders)
    body

let rec tests number_is = function
  | [] -> Heaplang.Stuck
  | [ (_, body) ] -> body
  | (i, body) :: rest ->
      Heaplang.(If (Op (Eq, Var number, int i), body, tests number_is rest))

(* {1 The arms}

   [body case] is the translated body of [case], with the aliases of [case]
   bound. *)

let number_of = function Repr.Constant i | Repr.Block i -> i

let constants_arm loc cases body consts : Heaplang.binder * Heaplang.expr =
  let wanted = List.init consts (fun i -> Repr.Constant i) in
  match chosen loc cases wanted with
  | [] -> (None, Stuck)
  | [ (case, _) ] -> (None, body case)
  | several ->
      let numbered (case, own) = (number_of (List.hd own), body case) in
      (Some number, tests number (List.map numbered several))

(* The arm for the only block on one side of a match. *)
let block_arm loc cases body block : Heaplang.binder * Heaplang.expr =
  match chosen loc cases [ Repr.Block block ] with
  | [ (case, _) ] -> (
      match case.head with
      | Any -> (None, body case)
      | Constructor (_, ([] | [ None ])) -> (None, body case)
      | Constructor (_, [ Some x ]) -> (Some x, body case)
      | Constructor (_, binders) ->
          if List.for_all Option.is_none binders then (None, body case)
          else
            ( Some payload_name,
              bind_components binders (Var payload_name) (body case) ))
  | _ -> assert false

let tagged_arm loc cases body blocks : Heaplang.binder * Heaplang.expr =
  let wanted = List.init blocks (fun i -> Repr.Block i) in
  let arm (case, own) =
    let translated = body case in
    let translated =
      match case.head with
      | Any -> translated
      | Constructor (_, binders) ->
          bind_components binders (Snd (Var payload_name)) translated
    in
    (number_of (List.hd own), translated)
  in
  match chosen loc cases wanted with
  | [ (({ head = Any; _ } as case), _) ] -> (None, body case)
  | several ->
      ( Some payload_name,
        Heaplang.let_ number (Fst (Var payload_name))
          (tests number (List.map arm several)) )

(* {1 The whole} *)

let any_constructor loc cases =
  let of_case case =
    match case.head with Constructor (c, _) -> Some c | Any -> None
  in
  match List.find_map of_case cases with
  | Some c -> c
  | None -> refuse loc "a match that tests nothing: use let"

let translate loc cases body (on : Heaplang.expr) : Heaplang.expr =
  let c = any_constructor loc cases in
  let consts = c.cstr_consts and blocks = c.cstr_nonconsts in
  let aliased = List.exists (fun case -> case.aliases <> []) cases in
  let aliases case translated =
    List.fold_left
      (fun inner x -> Heaplang.let_ (Ident.name x) (Var scrutinee) inner)
      translated case.aliases
  in
  let body case = aliases case (body case) in
  let matched : Heaplang.expr = if aliased then Var scrutinee else on in
  let constants () = constants_arm loc cases body consts in
  let block = block_arm loc cases body in
  let translated : Heaplang.expr =
    match Repr.shape c with
    | Constants -> (
        match constants () with
        | Some k, e -> Heaplang.let_ k matched e
        | None, e -> Heaplang.seq matched e)
    | One_block when consts = 0 -> (
        match block 0 with arm -> Case (matched, (None, Stuck), arm))
    | One_block -> Case (matched, constants (), block 0)
    | Two_blocks -> Case (matched, block 0, block 1)
    | Tagged -> Case (matched, constants (), tagged_arm loc cases body blocks)
  in
  if aliased then Heaplang.let_ scrutinee on translated else translated
