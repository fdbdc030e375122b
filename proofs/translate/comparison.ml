(* Checks that a comparison is in the subset. *)

open Typedtree
open Refuse

(* Physical comparison is allowed with a constant, with a variable known to be a
   constant or a mutable block, and at types whose values may all be
   compared. *)
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

(* Structural comparison ([=], [<] and the like) is allowed at immediate types:
   int, bool, unit, char. *)
let check_structural name (e : expression) =
  if not (Repr.is_immediate (Scope.environment e) e.exp_type) then
    refuse e.exp_loc
      "%s compares polymorphically here: it is for int and bool; use == on \
       constants and mutable blocks"
      name

let is_physical scope e =
  match check_physical scope e with () -> true | exception Refused _ -> false
