(* Splits the text of Coq files into tokens: those that definitions of HeapLang
   values need. *)

type token =
  | Name of string (* an identifier, or a keyword with a colon: let: *)
  | Quoted of string (* "x" *)
  | Number of int
  | Symbol of string
  | End

exception Error of string

let symbols =
  [
    "<-na"; "!na"; "+ₗ"; "`quot`"; "`rem`"; "%V"; ":="; "=>"; ";;"; "<>"; "<-";
    "&&"; "||"; "≤"; "≪"; "("; ")"; ","; "#"; "!"; "+"; "-"; "*"; "<"; "="; "~";
    "|"; "."; ":";
  ]
[@@ocamlformat "disable"]

let is_letter c =
  (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c = '_' || c = '\''

let is_digit c = c >= '0' && c <= '9'

(* The end of the comment that starts at [i]; comments nest. *)
let rec skip_comment text i depth =
  let at j = if j < String.length text then text.[j] else '\000' in
  if i >= String.length text then i
  else if at i = '(' && at (i + 1) = '*' then
    skip_comment text (i + 2) (depth + 1)
  else if at i = '*' && at (i + 1) = ')' then
    if depth = 1 then i + 2 else skip_comment text (i + 2) (depth - 1)
  else skip_comment text (i + 1) depth

let starts text i symbol =
  let n = String.length symbol in
  i + n <= String.length text && String.sub text i n = symbol

let rec span p text i =
  if i < String.length text && p text.[i] then span p text (i + 1) else i

let colon_keywords = [ "let"; "if"; "match"; "rec" ]

let rec tokens text i acc =
  let length = String.length text in
  if i >= length then List.rev (End :: acc)
  else
    let c = text.[i] in
    if c = ' ' || c = '\n' || c = '\t' then tokens text (i + 1) acc
    else if starts text i "(*" then tokens text (skip_comment text i 0) acc
    else if starts text i "λ:" then
      tokens text (i + String.length "λ:") (Name "λ:" :: acc)
    else if c = '"' then
      let stop = String.index_from text (i + 1) '"' in
      let word = String.sub text (i + 1) (stop - i - 1) in
      tokens text (stop + 1) (Quoted word :: acc)
    else if is_digit c then
      let stop = span is_digit text i in
      let n = int_of_string (String.sub text i (stop - i)) in
      tokens text stop (Number n :: acc)
    else if is_letter c then name text i acc
    else
      match List.find_opt (starts text i) symbols with
      | Some symbol ->
          tokens text (i + String.length symbol) (Symbol symbol :: acc)
      | None -> raise (Error ("unexpected " ^ String.sub text i 1))

and name text i acc =
  let stop = span (fun c -> is_letter c || is_digit c) text i in
  let word = String.sub text i (stop - i) in
  let is_keyword = List.mem word colon_keywords && starts text stop ":" in
  if is_keyword then tokens text (stop + 1) (Name (word ^ ":") :: acc)
  else tokens text stop (Name word :: acc)

let of_string text = tokens text 0 []
