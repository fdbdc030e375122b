(* The abstract syntax of the translator's output: the part of Iris's HeapLang
   that the translator uses, and the accesses that the prelude defines. {!Coq}
   prints the syntax for Coq, and the interpreter runs the syntax. *)

type binder = string option (* [None]: <> *)
type literal = Int of int | Bool of bool | Unit

type operator =
  | Plus
  | Minus
  | Times
  | Quot
  | Rem
  | And (* bits of integers *)
  | Or
  | Xor
  | Shift_left
  | Le
  | Lt
  | Eq
  | Offset

type expr =
  | Var of string
  | Global of string (* a definition, of the prelude or of a translated file *)
  | Lit of literal
  | Rec of binder * binder list * expr
  | App of expr * expr list
  | Op of operator * expr * expr
  | Not of expr
  | Neg of expr
  | And_also of expr * expr
  | Or_else of expr * expr
  | If of expr * expr * expr
  | Let of binder * expr * expr (* without binder: e1 ;; e2 *)
  | Pair of expr * expr
  | Fst of expr
  | Snd of expr
  | Inj_l of expr
  | Inj_r of expr
  | Constant_l of literal (* the value InjLV #l *)
  | Case of expr * (binder * expr) * (binder * expr)
  | Ref of expr
  | Alloc_n of expr * expr (* only in the prelude, like Fork *)
  | Fork of expr
  | Load of expr
  | Store of expr * expr
  | Na_load of expr (* of a race-detecting cell *)
  | Na_store of expr * expr
  | Cas of expr * expr * expr
  | Cmp_xchg of expr * expr * expr
  | Xchg of expr * expr
  | Faa of expr * expr
  | New_proph
  | Resolve of expr * expr * expr
  | Stuck

type definition = { name : string; body : expr (* a value *) }

let unit = Lit Unit
let int n = Lit (Int n)
let seq first second = Let (None, first, second)
let let_ x bound body = Let (Some x, bound, body)
let global name args = App (Global name, args)

let tuple = function
  | [] -> unit
  | [ e ] -> e
  | first :: rest ->
      List.fold_left (fun left right -> Pair (left, right)) first rest

(* Component [i] of the tuple [e], which has [n] components, nested to the
   left. *)
let component i n e =
  let rec fsts k e = if k = 0 then e else fsts (k - 1) (Fst e) in
  if n = 1 then e
  else if i = 0 then fsts (n - 1) e
  else Snd (fsts (n - 1 - i) e)

let rec is_value = function
  | Lit _ | Rec _ | Constant_l _ | Global _ -> true
  | Pair (a, b) -> is_value a && is_value b
  | Inj_l e | Inj_r e -> is_value e
  | _ -> false

(* The expression [e] with [f] applied to its immediate parts. *)
let map_parts f e =
  match e with
  | Var _ | Global _ | Lit _ | Constant_l _ | New_proph | Stuck -> e
  | Rec (self, params, body) -> Rec (self, params, f body)
  | App (g, args) -> App (f g, List.map f args)
  | Op (op, a, b) -> Op (op, f a, f b)
  | Not a -> Not (f a)
  | Neg a -> Neg (f a)
  | And_also (a, b) -> And_also (f a, f b)
  | Or_else (a, b) -> Or_else (f a, f b)
  | If (a, b, c) -> If (f a, f b, f c)
  | Let (x, a, b) -> Let (x, f a, f b)
  | Pair (a, b) -> Pair (f a, f b)
  | Fst a -> Fst (f a)
  | Snd a -> Snd (f a)
  | Inj_l a -> Inj_l (f a)
  | Inj_r a -> Inj_r (f a)
  | Case (a, (x, b), (y, c)) -> Case (f a, (x, f b), (y, f c))
  | Ref a -> Ref (f a)
  | Alloc_n (a, b) -> Alloc_n (f a, f b)
  | Fork a -> Fork (f a)
  | Load a -> Load (f a)
  | Store (a, b) -> Store (f a, f b)
  | Na_load a -> Na_load (f a)
  | Na_store (a, b) -> Na_store (f a, f b)
  | Cas (a, b, c) -> Cas (f a, f b, f c)
  | Cmp_xchg (a, b, c) -> Cmp_xchg (f a, f b, f c)
  | Xchg (a, b) -> Xchg (f a, f b)
  | Faa (a, b) -> Faa (f a, f b)
  | Resolve (a, b, c) -> Resolve (f a, f b, f c)

let iter_parts f e =
  ignore
    (map_parts
       (fun part ->
         f part;
         part)
       e)
