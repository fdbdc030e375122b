(* Reads definitions of HeapLang values from Coq files, by the levels of Iris's
   notations. The interpreter therefore runs the prelude as written for Coq, and
   runs the translator's output as Coq reads the output. *)

open Dromos_translate.Heaplang
open Lexer

exception Error of string

type state = { mutable rest : token list }

let show = function
  | Name s | Symbol s -> s
  | Quoted s -> "\"" ^ s ^ "\""
  | Number n -> string_of_int n
  | End -> "the end"

let peek s = List.hd s.rest
let skip s = s.rest <- List.tl s.rest

let fail s wanted =
  raise
    (Error (Printf.sprintf "%s where %s was expected" (show (peek s)) wanted))

let accept s token =
  let found = peek s = token in
  if found then skip s;
  found

let expect s token = if not (accept s token) then fail s (show token)

let binder s : binder =
  match peek s with
  | Quoted x ->
      skip s;
      Some x
  | Symbol "<>" ->
      skip s;
      None
  | _ -> fail s "a binder"

let rec binders s stop =
  if accept s stop then []
  else
    let first = binder s in
    first :: binders s stop

let literal s =
  match peek s with
  | Number n ->
      skip s;
      Int n
  | Name "true" ->
      skip s;
      Bool true
  | Name "false" ->
      skip s;
      Bool false
  | Symbol "(" ->
      skip s;
      if accept s (Symbol ")") then Unit
      else begin
        expect s (Symbol "-");
        match peek s with
        | Number n ->
            skip s;
            expect s (Symbol ")");
            Int (-n)
        | _ -> fail s "a number"
      end
  | _ -> fail s "a literal"

let operator_named s =
  match peek s with
  | Name "AndOp" -> skip s; And
  | Name "OrOp" -> skip s; Or
  | Name "XorOp" -> skip s; Xor
  | _ -> fail s "AndOp, OrOp or XorOp"
[@@ocamlformat "disable"]

(* {1 Levels, the loosest first} *)

let rec expr s =
  match peek s with
  | Name "let:" ->
      skip s;
      let x = binder s in
      expect s (Symbol ":=");
      let bound = expr s in
      expect s (Name "in");
      Let (x, bound, expr s)
  | Name "if:" ->
      skip s;
      let c = expr s in
      expect s (Name "then");
      let a = expr s in
      expect s (Name "else");
      If (c, a, expr s)
  | Name "rec:" ->
      skip s;
      let self = binder s in
      let params = binders s (Symbol ":=") in
      Rec (self, params, expr s)
  | Name "λ:" ->
      skip s;
      let params = binders s (Symbol ",") in
      Rec (None, params, expr s)
  | _ ->
      let first = store s in
      if accept s (Symbol ";;") then seq first (expr s) else first

and store s =
  let a = negation s in
  if accept s (Symbol "<-") then Store (a, negation s)
  else if accept s (Symbol "<-na") then Na_store (a, negation s)
  else a

and negation s =
  if accept s (Symbol "~") then Not (negation s) else comparison s

and comparison s =
  let a = sum s in
  match peek s with
  | Symbol "=" -> skip s; Op (Eq, a, sum s)
  | Symbol "<" -> skip s; Op (Lt, a, sum s)
  | Symbol "≤" -> skip s; Op (Le, a, sum s)
  | _ -> a
[@@ocamlformat "disable"]

and sum s = left_associative s product (function
  | Symbol "+" -> Some (fun a b -> Op (Plus, a, b))
  | Symbol "-" -> Some (fun a b -> Op (Minus, a, b))
  | Symbol "+ₗ" -> Some (fun a b -> Op (Offset, a, b))
  | Symbol "||" -> Some (fun a b -> Or_else (a, b))
  | _ -> None)
[@@ocamlformat "disable"]

and product s = left_associative s quotient (function
  | Symbol "*" -> Some (fun a b -> Op (Times, a, b))
  | Symbol "&&" -> Some (fun a b -> And_also (a, b))
  | _ -> None)
[@@ocamlformat "disable"]

and quotient s =
  if accept s (Symbol "-") then Neg (quotient s)
  else left_associative s application (function
  | Symbol "`quot`" -> Some (fun a b -> Op (Quot, a, b))
  | Symbol "`rem`" -> Some (fun a b -> Op (Rem, a, b))
  | Symbol "≪" -> Some (fun a b -> Op (Shift_left, a, b))
  | _ -> None)
[@@ocamlformat "disable"]

and left_associative s next operator =
  let rec more a =
    match operator (peek s) with
    | None -> a
    | Some make ->
        skip s;
        more (make a (next s))
  in
  more (next s)

and application s =
  let one make =
    skip s;
    make (argument s)
  in
  let two make =
    skip s;
    let a = argument s in
    make a (argument s)
  in
  let three make =
    skip s;
    let a = argument s in
    let b = argument s in
    make a b (argument s)
  in
  match peek s with
  | Name "Fst" -> one (fun e -> Fst e)
  | Name "Snd" -> one (fun e -> Snd e)
  | Name "InjL" -> one (fun e -> Inj_l e)
  | Name "InjLV" -> one injected_left
  | Name ("InjR" | "InjRV" | "SOME" | "SOMEV") -> one (fun e -> Inj_r e)
  | Name "ref" -> one (fun e -> Ref e)
  | Name "Fork" -> one (fun e -> Fork e)
  | Name "AllocN" -> two (fun a b -> Alloc_n (a, b))
  | Name "Xchg" -> two (fun a b -> Xchg (a, b))
  | Name "FAA" -> two (fun a b -> Faa (a, b))
  | Name "CAS" -> three (fun a b c -> Cas (a, b, c))
  | Name "CmpXchg" -> three (fun a b c -> Cmp_xchg (a, b, c))
  | Name "Resolve" -> three (fun a b c -> Resolve (a, b, c))
  | Name "BinOp" ->
      skip s;
      let op = operator_named s in
      let a = argument s in
      Op (op, a, argument s)
  | _ -> (
      let f = argument s in
      match arguments s with [] -> f | args -> App (f, args))

and injected_left e = match e with Lit l -> Constant_l l | e -> Inj_l e

and arguments s =
  match peek s with
  | Quoted _ | Number _ | Symbol ("(" | "#" | "!" | "!na") ->
      let first = argument s in
      first :: arguments s
  | Name ("in" | "then" | "else" | "with" | "end") -> []
  | Name _ ->
      let first = argument s in
      first :: arguments s
  | _ -> []

and argument s =
  match peek s with
  | Symbol "!" ->
      skip s;
      Load (argument s)
  | Symbol "!na" ->
      skip s;
      Na_load (argument s)
  | Quoted x ->
      skip s;
      Var x
  | Symbol "#" ->
      skip s;
      Lit (literal s)
  | Symbol "(" ->
      skip s;
      parenthesized s (expr s)
  | Name "NONE" ->
      skip s;
      Inj_l unit
  | Name "NONEV" ->
      skip s;
      Constant_l Unit
  | Name "NewProph" ->
      skip s;
      New_proph
  | Name "stuck" ->
      skip s;
      Stuck
  | Name "match:" ->
      skip s;
      case s
  | Name x ->
      skip s;
      Global x
  | _ -> fail s "an expression"

and parenthesized s first =
  if accept s (Symbol ",") then parenthesized s (Pair (first, expr s))
  else begin
    expect s (Symbol ")");
    first
  end

and case s =
  let on = expr s in
  expect s (Name "with");
  let arm keywords has_binder =
    (match peek s with
    | Name k when List.mem k keywords -> skip s
    | _ -> fail s (List.hd keywords));
    let x = if has_binder then binder s else None in
    expect s (Symbol "=>");
    (x, expr s)
  in
  let left = arm [ "InjL"; "NONE" ] (peek s = Name "InjL") in
  expect s (Symbol "|");
  let right = arm [ "InjR"; "SOME" ] true in
  expect s (Name "end");
  Case (on, left, right)

(* {1 Files} *)

(* The sentences that define values, from the position [from] on. The function
   skips all other sentences. *)
let rec values text from acc =
  match Str.search_forward (Str.regexp "^Definition ") text from with
  | exception Not_found -> List.rev acc
  | start ->
      let stop =
        Str.search_forward (Str.regexp "\\.\\([ \n]\\|$\\)") text start
      in
      let sentence = String.sub text start (stop - start) in
      let header = Str.regexp "^Definition [A-Za-z0-9_']+ : val :=" in
      let acc =
        if Str.string_match header sentence 0 then sentence :: acc else acc
      in
      values text stop acc

let definition sentence =
  let s = { rest = Lexer.of_string sentence } in
  expect s (Name "Definition");
  match peek s with
  | Name name ->
      skip s;
      List.iter (expect s) [ Symbol ":"; Name "val"; Symbol ":=" ];
      let body = expr s in
      ignore (accept s (Symbol "%V"));
      expect s End;
      { name; body }
  | _ -> fail s "a name"

let file path =
  let text = In_channel.with_open_bin path In_channel.input_all in
  let read sentence =
    try definition sentence
    with Error message | Lexer.Error message ->
      let line = List.hd (String.split_on_char '\n' sentence) in
      raise (Error (Printf.sprintf "%s: %s: %s" path line message))
  in
  List.map read (values text 0 [])
