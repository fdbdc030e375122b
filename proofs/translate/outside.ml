(* Refuses the kinds of expressions that are never in the subset. *)

open Typedtree
open Refuse

let expression loc (e : expression) =
  match e.exp_desc with
  | Texp_try _ ->
      refuse loc
        "try: there are no exceptions; return a variant, and catch outside the \
         kernel"
  | Texp_variant _ -> refuse loc "a polymorphic variant: declare a variant type"
  | Texp_send _ | Texp_new _ | Texp_object _ | Texp_override _ | Texp_instvar _
  | Texp_setinstvar _ ->
      refuse loc "objects: use a record of closures"
  | Texp_letmodule _ | Texp_pack _ ->
      refuse loc "a module as a value: use a record of closures"
  | Texp_letexception _ | Texp_extension_constructor _ ->
      refuse loc "an exception: return a variant"
  | Texp_lazy _ -> refuse loc "lazy: there are no lazy values; use a closure"
  | Texp_letop _ -> refuse loc "a binding operator: use let and match"
  | Texp_open _ -> refuse loc "opening a module: name it"
  | _ -> refuse loc "an expression outside the subset"
