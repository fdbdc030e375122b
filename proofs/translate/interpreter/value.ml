(* The values of HeapLang, and their comparison. *)

open Dromos_translate
module Environment = Map.Make (String)

type t =
  | Lit of Heaplang.literal
  | Loc of int
  | Prophecy of int
  | Pair of t * t
  | Inj_l of t
  | Inj_r of t
  | Closure of closure
  | Native of (t -> t)
(* an OCaml function that a test provides *)

and closure = {
  self : Heaplang.binder;
  params : Heaplang.binder list; (* at least one *)
  body : Heaplang.expr;
  environment : t Environment.t;
  origin : string; (* the definition that contains the function *)
}

let unit = Lit Unit
let int n = Lit (Int n)
let bool b = Lit (Bool b)
let none = Inj_l unit
let some v = Inj_r v

let rec pp ppf = function
  | Lit Unit -> Format.fprintf ppf "#()"
  | Lit (Int n) -> Format.fprintf ppf "#%d" n
  | Lit (Bool b) -> Format.fprintf ppf "#%b" b
  | Loc l -> Format.fprintf ppf "loc %d" l
  | Prophecy p -> Format.fprintf ppf "prophecy %d" p
  | Pair (a, b) -> Format.fprintf ppf "(%a, %a)" pp a pp b
  | Inj_l v -> Format.fprintf ppf "InjL %a" pp v
  | Inj_r v -> Format.fprintf ppf "InjR %a" pp v
  | Closure { origin; _ } -> Format.fprintf ppf "a function of %s" origin
  | Native _ -> Format.fprintf ppf "a function of the test"

let to_string v = Format.asprintf "%a" pp v

(* {1 Comparison}

   As in HeapLang, a comparison is defined if one of the two values fits into a
   word. *)

let is_unboxed_literal = function Lit _ | Loc _ -> true | _ -> false

let is_unboxed = function
  | Inj_l v | Inj_r v -> is_unboxed_literal v
  | v -> is_unboxed_literal v

let comparable a b = is_unboxed a || is_unboxed b

let rec equal a b =
  match (a, b) with
  | Lit a, Lit b -> a = b
  | Loc a, Loc b -> a = b
  | Inj_l a, Inj_l b | Inj_r a, Inj_r b -> equal a b
  | _ -> false
