(* Translates expressions. *)

open Typedtree
open Refuse
open Heaplang

let name_of = Ident.name

(* {1 Names} *)

let value_of_stdlib loc name =
  match name with
  | "ignore" -> Rec (None, [ None ], unit)
  | "max_int" -> int 4611686018427387903 (* 2^62 - 1 *)
  | _ ->
      refuse loc
        "Stdlib.%s as a value, or with another number of arguments: write fun \
         x -> ..."
        name

let ident scope (e : expression) path =
  match path with
  | Path.Pident id -> Scope.of_own scope e.exp_loc id
  | _ -> (
      match Scope.outside scope (Scope.environment e) path with
      | Stdlib name -> value_of_stdlib e.exp_loc name
      | Unit (unit_, name) -> Scope.of_other scope e.exp_loc unit_ name
      | Other ->
          refuse e.exp_loc
            "%s is neither in the kernel nor in the subset's part of Stdlib"
            (Path.name path))

(* {1 Expressions} *)

let rec expr scope (e : expression) : Heaplang.expr =
  match Attributes.fresh e.exp_attributes with
  | Some id -> let_ id New_proph (chosen (Scope.with_ghost scope id) e)
  | None -> chosen scope e

and chosen scope e =
  match Attributes.choice e.exp_attributes with
  | None -> plain scope e
  | Some bound ->
      let env = Scope.environment e in
      if not (Repr.is_int env e.exp_type) then
        refuse e.exp_loc "[@choice] is for expressions of type int";
      if Order.effects e <> Pure then
        refuse e.exp_loc
          "[@choice] on an expression with effects, which would be lost: bind \
           them by let outside";
      let bound = Ghost.type_ghost env bound in
      if not (Repr.is_int env bound.exp_type) then
        refuse bound.exp_loc "the bound of this [@choice] is not a number";
      global "nondet_below" [ expr scope bound ]

and plain scope e =
  let loc = e.exp_loc in
  (match e.exp_desc with
  | Texp_apply _ -> ()
  | _ -> no_resolve loc (Attributes.resolve e.exp_attributes));
  let tr = expr scope in
  match e.exp_desc with
  | Texp_ident (path, _, _) -> ident scope e path
  | Texp_constant constant -> literal loc constant
  | Texp_let (recursive, bindings, body) ->
      local scope loc recursive bindings body
  | Texp_function _ -> func scope None e
  | Texp_sequence (a, b) -> seq (tr a) (tr b)
  | Texp_ifthenelse (c, a, b) ->
      If (tr c, tr a, Option.fold ~none:unit ~some:tr b)
  | Texp_while (c, body) ->
      let again = App (Var "$loop", [ unit ]) in
      let loop = If (tr c, seq (tr body) again, unit) in
      App (Rec (Some "$loop", [ None ], loop), [ unit ])
  | Texp_for (id, _, first, last, direction, body) ->
      Order.check loc [ first; last ];
      for_ (name_of id) (tr first) (tr last) direction (tr body)
  | Texp_tuple es ->
      Order.check loc es;
      tuple (List.map tr es)
  | Texp_construct (_, c, args) -> construct scope loc c args
  | Texp_record { fields; extended_expression = None; _ } ->
      let ghost = Repr.has_prophecy (Scope.environment e) e.exp_type in
      record scope loc ~ghost fields
  | Texp_record _ -> refuse loc "a copy of a record: give every field"
  | Texp_field (r, _, l) ->
      let ghost = Repr.has_prophecy (Scope.environment e) l.lbl_res in
      Fields.read_field loc l ~ghost (tr r)
  | Texp_setfield (r, _, l, v) ->
      Order.check loc [ r; v ];
      Na_store (Fields.field_address (tr r) (Repr.position loc l), tr v)
  | Texp_array [] -> global "array_make" [ int 0; unit ]
  | Texp_array _ -> refuse loc "an array literal: use Array.make or Array.init"
  | Texp_assert
      ({ exp_desc = Texp_construct (_, { cstr_name = "false"; _ }, _); _ }, _)
    ->
      Stuck
  | Texp_assert (c, _) -> If (tr c, unit, Stuck)
  | Texp_match (on, cases, [], Total) -> match_ scope loc on cases
  | Texp_match (_, _, [], Partial) ->
      refuse loc "a match that is not exhaustive: add the missing cases"
  | Texp_match (_, _, _ :: _, _) ->
      refuse loc
        "an effect case: there are no effects; handle them outside the kernel"
  | Texp_apply (f, args) -> apply scope e f args
  | _ -> Outside.expression loc e

and literal loc (constant : Asttypes.constant) =
  match constant with
  | Const_int n -> int n
  | Const_string _ ->
      refuse loc "a string: only record fields may hold one, and are dropped"
  | Const_float _ -> refuse loc "a float: there are ints and bools only"
  | Const_char _ -> refuse loc "a char: use an int"
  | _ -> refuse loc "a boxed integer: use int"

and for_ x first last direction body =
  let step, more =
    match direction with
    | Asttypes.Upto -> (1, Op (Le, Var x, Var "$last"))
    | Downto -> (-1, Op (Le, Var "$last", Var x))
  in
  let again = App (Var "$loop", [ Op (Plus, Var x, int step) ]) in
  let loop = Rec (Some "$loop", [ Some x ], If (more, seq body again, unit)) in
  let_ "$last" last (App (loop, [ first ]))

(* {2 Bindings} *)

and local scope loc recursive bindings body =
  match (recursive, bindings) with
  | Nonrecursive, [ vb ] -> let_one scope vb (fun scope -> expr scope body)
  | Recursive, [ { vb_pat = { pat_desc = Tpat_var (f, _, _); _ }; vb_expr; _ } ]
    ->
      let f = name_of f in
      let_ f (func scope (Some f) vb_expr) (expr scope body)
  | Nonrecursive, _ -> refuse loc "let ... and ...: use one let after the other"
  | Recursive, _ ->
      refuse loc "mutual recursion of local functions: make them toplevel ones"

and let_one scope vb body = bind scope vb.vb_pat (expr scope vb.vb_expr) body

and bind scope (pattern : pattern) bound body =
  match pattern.pat_desc with
  | Tpat_any -> seq bound (body scope)
  | Tpat_construct (_, { cstr_name = "()"; _ }, [], _) -> seq bound (body scope)
  | Tpat_var (x, _, _) -> let_ (name_of x) bound (body scope)
  | Tpat_alias ({ pat_desc = Tpat_any; _ }, x, _, _) ->
      let_ (name_of x) bound (body scope)
  | Tpat_tuple patterns ->
      let binders = List.map Match_.argument patterns in
      let_ "$t" bound (Match_.bind_components binders (Var "$t") (body scope))
  | _ -> refuse pattern.pat_loc "a pattern in let: use match"

and func scope self (e : expression) =
  match e.exp_desc with
  | Texp_function (params, Tfunction_body body) ->
      let binders = List.map param params in
      if self <> None && List.mem self binders then
        refuse e.exp_loc
          "a parameter with the name of the function itself: rename it";
      Rec (self, binders, expr scope body)
  | Texp_function (_, Tfunction_cases { loc; _ }) ->
      refuse loc "function: write fun x -> match x with"
  | _ -> refuse e.exp_loc "let rec of something else than a function"

and param (p : function_param) : binder =
  (match p.fp_arg_label with
  | Optional _ -> refuse p.fp_loc "an optional parameter: pass an option"
  | Nolabel | Labelled _ -> ());
  match p.fp_kind with
  | Tparam_optional_default _ ->
      refuse p.fp_loc "an optional parameter: pass an option"
  | Tparam_pat pattern -> (
      match pattern.pat_desc with
      | Tpat_var (x, _, _) -> Some (name_of x)
      | Tpat_alias ({ pat_desc = Tpat_any; _ }, x, _, _) -> Some (name_of x)
      | Tpat_any -> None
      | Tpat_construct (_, { cstr_name = "()"; _ }, [], _) -> None
      | _ -> refuse pattern.pat_loc "a pattern as a parameter: use match")

(* {2 Blocks} *)

and construct scope loc c args =
  Order.check loc args;
  match (c.Types.cstr_name, args) with
  | "()", [] -> unit
  | "true", [] -> Lit (Bool true)
  | "false", [] -> Lit (Bool false)
  | ( _,
      [
        { exp_desc = Texp_record { fields; extended_expression = None; _ }; _ };
      ] )
    when c.cstr_inlined <> None ->
      Repr.inject loc c (record scope loc ~ghost:false fields)
  | _ -> Repr.inject loc c (tuple (List.map (expr scope) args))

and record scope loc ~ghost fields =
  let kept = Fields.given loc fields in
  if kept = [] then refuse loc "a record without fields that are kept";
  let translated = List.map (fun (l, e) -> (l, expr scope e)) kept in
  let cells = List.map (fun (l, e) -> Fields.cell l e) translated in
  let values cells =
    if Repr.is_block (fst (List.hd kept)) then Fields.block loc cells
    else tuple cells
  in
  if ghost then
    let_ Fields.prophecy New_proph (values (cells @ [ Var Fields.prophecy ]))
  else values cells

(* {2 Matches} *)

(* The compiler's typed trees have [let () = ..] and [let (x, y) = ..] as
   matches; [bind] translates these matches as lets. *)
and match_ scope loc on cases =
  match cases with
  | [ { c_lhs = { pat_desc = Tpat_value v; _ }; c_guard = None; c_rhs; _ } ]
    when is_irrefutable (v :> pattern) ->
      let vb_pat = (v :> pattern) in
      bind scope vb_pat (expr scope on) (fun scope -> expr scope c_rhs)
  | _ -> match_cases scope loc on cases

and is_irrefutable (p : pattern) =
  match p.pat_desc with
  | Tpat_construct (_, { cstr_name = "()"; _ }, [], _) | Tpat_tuple _ -> true
  | _ -> false

and match_cases scope loc on cases =
  let cases = List.map Match_.read cases in
  let body (case : Match_.case) =
    let scope =
      match case.head with
      | Constructor (c, _) when Repr.comparable_constructor c ->
          Scope.know scope case.aliases
      | _ -> scope
    in
    expr scope case.body
  in
  Match_.translate loc cases body (expr scope on)

(* {2 Applications} *)

and apply scope e f args =
  let loc = e.exp_loc in
  let args =
    List.map
      (function
        | _, Some a -> a
        | label, None ->
            refuse loc "partial application without argument ~%s: give it"
              (match label with
              | Asttypes.Labelled l | Optional l -> l
              | Nolabel -> "_"))
      args
  in
  if not (is_lazy_operator scope f) then Order.check loc (f :: args);
  let resolve = Attributes.resolve e.exp_attributes in
  match f.exp_desc with
  | Texp_ident ((Pdot _ as path), _, _) -> (
      match Scope.outside scope (Scope.environment f) path with
      | Stdlib name -> primitive scope e name args resolve
      | _ ->
          no_resolve loc resolve;
          App (expr scope f, List.map (expr scope) args))
  | _ ->
      no_resolve loc resolve;
      App (expr scope f, List.map (expr scope) args)

and is_lazy_operator scope f =
  match f.exp_desc with
  | Texp_ident ((Pdot _ as path), _, _) -> (
      match Scope.outside scope (Scope.environment f) path with
      | Stdlib ("&&" | "||") -> true
      | _ -> false)
  | _ -> false

and no_resolve loc resolve =
  if resolve <> None then
    refuse loc "[@resolve] on something else than Atomic.compare_and_set"

and primitive scope e name args resolve =
  let loc = e.exp_loc in
  let tr = expr scope in
  match (name, args) with
  | "Atomic.compare_and_set", [ a; o; n ] ->
      Comparison.check_physical scope o;
      compare_and_set scope e (tr a) (tr o) (tr n) resolve
  | _, [ a; b ] when Primitives.is_structural name ->
      Comparison.check_structural name a;
      Option.get (Primitives.comparison name (tr a) (tr b))
  | _, [ a; b ] when Primitives.is_physical name ->
      if not (Comparison.is_physical scope a) then
        Comparison.check_physical scope b;
      Option.get (Primitives.comparison name (tr a) (tr b))
  | _ -> (
      no_resolve loc resolve;
      Primitives.check_known loc name (List.length args);
      match Primitives.plain name (List.map tr args) with
      | Some e -> e
      | None -> assert false)

and compare_and_set scope e a o n resolve =
  let loc = e.exp_loc in
  match resolve with
  | None -> Cas (a, o, n)
  | Some { owner; key; id } ->
      let env = Scope.environment e in
      let ghost = Ghost.prophecy scope loc env owner in
      let key = Ghost.variable scope loc env key in
      let id = Ghost.variable scope loc env id in
      let_ "$a" a
        (let_ Fields.prophecy ghost
           (Snd
              (Resolve
                 (Cmp_xchg (Var "$a", o, n), Var Fields.prophecy, Pair (key, id)))))
