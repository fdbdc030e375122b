(* Which comparisons are allowed. *)

open Typedtree
open Refuse

(* Physically: with what is known to be a constant or a mutable block, or by its
   type. *)
let check_physical scope (e : expression) =
  let known =
    match e.exp_desc with
    | Texp_ident (Pident id, _, _) -> Scope.is_known scope id
    | Texp_construct (_, c, []) -> c.cstr_arity = 0
    | _ -> false
  in
  if not (known || Repr.comparable_type (Scope.environment e) e.exp_type) then
    refuse e.exp_loc
      "physical comparison with something that may be an immutable block: give \
       the block a mutable field"

(* For = and the like: structural comparison is allowed at int and bool. *)
let check_structural name (e : expression) =
  if not (Repr.is_immediate (Scope.environment e) e.exp_type) then
    refuse e.exp_loc
      "%s compares polymorphically here: it is for int and bool; use == on \
       constants and mutable blocks"
      name

let is_physical scope e =
  match check_physical scope e with () -> true | exception Refused _ -> false
