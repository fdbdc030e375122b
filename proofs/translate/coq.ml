(* Prints definitions for Coq, in the notations of Iris's HeapLang. *)

open Heaplang
open Format

(* The levels of Coq's grammar that the printer distinguishes, the tightest
   first. An operand gets parentheses if its level is too loose for its
   place. *)
type level = Atom | Application | Arithmetic | Comparison | Open

let level = function
  | Var _ | Global _ | Lit _ | Pair _ | Stuck | New_proph -> Atom
  | Rec _ | If _ | Let _ -> Open
  | Case _ -> Atom
  | Store _ | Na_store _ -> Comparison
  | Op ((Plus | Minus | Times | Offset | Quot | Rem | Shift_left), _, _) ->
      Arithmetic
  | Op ((And | Or | Xor), _, _) -> Application
  | Op ((Le | Lt | Eq), _, _) -> Comparison
  | Not _ | Neg _ | And_also _ | Or_else _ -> Comparison
  | App _ | Fst _ | Snd _ | Inj_l _ | Inj_r _ | Constant_l _ -> Application
  | Ref _ | Alloc_n _ | Fork _ | Load _ | Na_load _ | Cas _ | Cmp_xchg _
  | Xchg _ | Faa _ | Resolve _ ->
      Application

let binder ppf = function
  | None -> pp_print_string ppf "<>"
  | Some x -> fprintf ppf "\"%s\"" x

let binders =
  pp_print_list ~pp_sep:(fun ppf () -> pp_print_string ppf " ") binder

let literal ppf = function
  | Int n when n < 0 -> fprintf ppf "#(%d)" n
  | Int n -> fprintf ppf "#%d" n
  | Bool b -> fprintf ppf "#%b" b
  | Unit -> pp_print_string ppf "#()"

let symbol = function
  | Plus -> "+"
  | Minus -> "-"
  | Times -> "*"
  | Quot -> "`quot`"
  | Rem -> "`rem`"
  | Shift_left -> "≪"
  | Le -> "≤"
  | Lt -> "<"
  | Eq -> "="
  | Offset -> "+ₗ"
  | And -> "AndOp"
  | Or -> "OrOp"
  | Xor -> "XorOp"

(* The components of a tuple nested to the left. *)
let rec components = function Pair (a, b) -> components a @ [ b ] | e -> [ e ]
let comma ppf () = fprintf ppf ",@ "

(* [Format] counts bytes, so symbols outside ASCII are printed with their
   width. *)
let lambda ppf () = pp_print_as ppf 1 "λ"

let operator ppf op =
  let s = symbol op in
  let wide =
    match op with Shift_left | Le -> 1 | Offset -> 2 | _ -> String.length s
  in
  pp_print_as ppf wide s

let rec expr ppf e =
  match e with
  | Var x -> fprintf ppf "\"%s\"" x
  | Global name -> pp_print_string ppf name
  | Lit l -> literal ppf l
  | Rec (None, params, body) ->
      fprintf ppf "@[<%s 2>%a: %a,@ %a@]" (box_around body) lambda () binders
        params expr body
  | Rec (Some f, params, body) ->
      fprintf ppf "@[<%s 2>rec: \"%s\" %a :=@ %a@]" (box_around body) f binders
        params expr body
  | App (f, args) -> application ppf f args
  | Op (((And | Or | Xor) as op), a, b) ->
      fprintf ppf "@[<hov 2>BinOp %s@ %a@ %a@]" (symbol op) atom a atom b
  | Op (op, a, b) ->
      fprintf ppf "@[<hov 2>%a %a@ %a@]" operand a operator op operand b
  | Not e -> fprintf ppf "~ %a" operand e
  | Neg e -> fprintf ppf "- %a" atom e
  | And_also (a, b) -> fprintf ppf "@[<hov>%a &&@ %a@]" operand a operand b
  | Or_else (a, b) -> fprintf ppf "@[<hov>%a ||@ %a@]" operand a operand b
  | If _ -> fprintf ppf "@[<v>%a@]" conditional e
  | Let _ -> fprintf ppf "@[<v>%a@]" sequence e
  | Pair _ ->
      fprintf ppf "@[<hv 1>(%a)@]"
        (pp_print_list ~pp_sep:comma tuple_component)
        (components e)
  | Fst _ | Snd _ -> projections ppf "" "" e
  | Inj_l e -> fprintf ppf "@[<hov 2>InjL@ %a@]" atom e
  | Inj_r e -> fprintf ppf "@[<hov 2>InjR@ %a@]" atom e
  | Constant_l l -> fprintf ppf "InjLV %a" literal l
  | Case (on, left, right) ->
      fprintf ppf "@[<v>@[<hov 2>match: %a with@]@ %a@ %a@ end@]" expr on
        (arm "  InjL") left (arm "| InjR") right
  | Ref e -> fprintf ppf "ref %a" atom e
  | Load e -> fprintf ppf "! %a" atom e
  | Na_load e -> fprintf ppf "!na %a" atom e
  | Store (a, v) -> fprintf ppf "@[<hov 2>%a <-@ %a@]" operand a operand v
  | Na_store (a, v) -> fprintf ppf "@[<hov 2>%a <-na@ %a@]" operand a operand v
  | Cas (a, o, n) -> primitive ppf "CAS" [ a; o; n ]
  | Cmp_xchg (a, o, n) -> primitive ppf "CmpXchg" [ a; o; n ]
  | Xchg (a, v) -> primitive ppf "Xchg" [ a; v ]
  | Faa (a, n) -> primitive ppf "FAA" [ a; n ]
  | Alloc_n (n, v) -> primitive ppf "AllocN" [ n; v ]
  | Fork e -> primitive ppf "Fork" [ e ]
  | New_proph -> pp_print_string ppf "NewProph"
  | Resolve (e, p, v) -> primitive ppf "Resolve" [ e; p; v ]
  | Stuck -> pp_print_string ppf "stuck"

(* The box around a head and its body. A body of several lines starts on a line
   of its own. *)
and box_around = function
  | Let _ | If _ | Case _ -> "v"
  | Rec (_, _, body) -> box_around body
  | _ -> "hv"

and box_around_block = function Let _ | Rec _ -> "v" | _ -> "hv"

and box_around_branches = function
  | If (_, a, b) ->
      if box_around_block a = "v" then "v" else box_around_branches b
  | e -> box_around_block e

and parenthesized ppf e = fprintf ppf "@[<hv 1>(%a)@]" expr e

and tuple_component ppf e =
  if level e = Open then parenthesized ppf e else expr ppf e

(* Prints nested [Fst] and [Snd]. A line break can come only before the
   innermost argument. *)
and projections ppf before after e =
  let print name inner =
    match inner with
    | Fst _ | Snd _ ->
        projections ppf (before ^ name ^ " (") (")" ^ after) inner
    | _ -> fprintf ppf "@[<hov 2>%s%s@ %a%s@]" before name atom inner after
  in
  match e with
  | Fst inner -> print "Fst" inner
  | Snd inner -> print "Snd" inner
  | e -> expr ppf e

(* Prints an expression in argument position. *)
and atom ppf e = if level e = Atom then expr ppf e else parenthesized ppf e

(* Prints an operand of an operator. A nested operator always gets parentheses,
   so readers need not know which operator binds tighter in Coq. *)
and operand ppf e =
  match level e with
  | Atom | Application -> expr ppf e
  | Arithmetic | Comparison | Open -> parenthesized ppf e

and application ppf f args =
  let space ppf () = fprintf ppf "@ " in
  fprintf ppf "@[<hov 2>%a@ %a@]" atom f (pp_print_list ~pp_sep:space atom) args

and primitive ppf name args = application ppf (Global name) args

(* Sequences and lets share one vertical box. *)
and sequence ppf e =
  match e with
  | Let (None, a, b) -> fprintf ppf "%a ;;@ %a" first a sequence b
  | Let (Some x, a, b) ->
      fprintf ppf "@[<hv 2>let: \"%s\" :=@ %a@] in@ %a" x bound a sequence b
  | If _ -> conditional ppf e
  | e -> expr ppf e

and first ppf e =
  match level e with Open -> parenthesized ppf e | _ -> expr ppf e

and bound ppf e = match e with Let _ -> parenthesized ppf e | _ -> expr ppf e

and conditional ppf e =
  match e with
  | If (c, a, b) ->
      fprintf ppf "@[<%s>@[<%s 2>if: %a then@ %a@]@ %a@]"
        (box_around_branches e) (box_around_block a) bound c branch a otherwise
        b
  | e -> expr ppf e

and otherwise ppf e =
  match e with
  | If (c, a, b) ->
      fprintf ppf "@[<%s 2>else if: %a then@ %a@]@ %a" (box_around_block a)
        bound c branch a otherwise b
  | e -> fprintf ppf "@[<%s 2>else@ %a@]" (box_around_block e) branch e

and branch ppf e =
  match e with Let _ | Rec _ -> parenthesized ppf e | _ -> expr ppf e

and arm keyword ppf (x, body) =
  fprintf ppf "@[<%s 4>%s %a =>@ @[<v>%a@]@]" (box_around_block body) keyword
    binder x sequence body

(* Prints a value in Coq's scope of values, where injections are written InjLV
   and InjRV. *)
let rec value ppf = function
  | Inj_l e -> fprintf ppf "@[<hov 2>InjLV@ %a@]" value_atom e
  | Inj_r e -> fprintf ppf "@[<hov 2>InjRV@ %a@]" value_atom e
  | Pair _ as e ->
      fprintf ppf "@[<hv 1>(%a)@]"
        (pp_print_list ~pp_sep:comma value)
        (components e)
  | e -> tuple_component ppf e

and value_atom ppf e =
  match e with
  | Inj_l _ | Inj_r _ -> fprintf ppf "(%a)" value e
  | Pair _ -> value ppf e
  | e -> atom ppf e

let definition ppf d =
  match d.body with
  | Rec _ | Lit _ | Global _ ->
      fprintf ppf "@[<%s 2>Definition %s : val :=@ %a.@]@." (box_around d.body)
        d.name expr d.body
  | _ ->
      fprintf ppf "@[<hv 2>Definition %s : val :=@ (%a)%%V.@]@." d.name value
        d.body

(* Coq's lexer reads strings inside comments too, so the text must not open a
   string, and must not end the comment. *)
let comment ppf text =
  let harmless = function '"' | '*' -> '\'' | c -> c in
  fprintf ppf "@[<hov 3>(* %a *)@]@." pp_print_text (String.map harmless text)
