{
(* The tokens of a policy. Comments are put aside with their places. Brackets
   are counted and limited, since every walk over the tree needs a stack as deep
   as the nesting. *)

open Parser

type t = {
  buffer : Lexing.lexbuf;
  mutable comments : Ast.comment list;  (* the last one first *)
  mutable depth : int;
}

let deepest = 200

let keywords =
  let table = Hashtbl.create 97 in
  List.iter (fun (word, token) -> Hashtbl.replace table word token)
    Tokens.keywords;
  table

let place lexbuf =
  Places.of_positions (Lexing.lexeme_start_p lexbuf) (Lexing.lexeme_end_p lexbuf)

let fail ?hint lexbuf format =
  Printf.ksprintf (Fault.fail ?hint (place lexbuf)) format

let opened state lexbuf token =
  state.depth <- state.depth + 1;
  if state.depth > deepest then
    fail lexbuf "brackets are nested more than %d deep here" deepest
      ~hint:"name the inner parts: functions, variables";
  token

let closed state token =
  state.depth <- max 0 (state.depth - 1);
  token

let word text =
  match Hashtbl.find_opt keywords text with
  | Some token -> token
  | None -> if List.mem text Tokens.unsupported then FORBIDDEN text else IDENT text

let comment state first lexbuf =
  let stop = Lexing.lexeme_end_p lexbuf in
  let length = stop.Lexing.pos_cnum - first.Lexing.pos_cnum in
  let from = first.Lexing.pos_cnum - lexbuf.Lexing.lex_abs_pos in
  let said = Bytes.sub_string lexbuf.Lexing.lex_buffer from length in
  state.comments <-
    { said; said_at = Places.of_positions first stop } :: state.comments
}

let letter = ['a'-'z' 'A'-'Z' '_']
let digit = ['0'-'9']

rule token state = parse
  | [' ' '\t' '\r' '\012']+ { token state lexbuf }
  | '\n' { Lexing.new_line lexbuf; token state lexbuf }
  | "//" [^ '\n' '\r']* {
      comment state (Lexing.lexeme_start_p lexbuf) lexbuf;
      token state lexbuf }
  | "/*" {
      let first = Lexing.lexeme_start_p lexbuf in
      inside first lexbuf;
      comment state first lexbuf;
      token state lexbuf }
  | letter (letter | digit)* as text {
      if String.length text > 100 then
        fail lexbuf "this name has more than 100 letters";
      word text }
  | digit+ as text {
      match int_of_string_opt text with
      | Some value when String.length text <= 15 -> INT value
      | _ -> fail lexbuf "this number has more than 15 digits" }
  | digit+ '.' digit+ {
      fail lexbuf "`%s` is no number of the language, which has whole numbers"
        (Lexing.lexeme lexbuf)
        ~hint:"write `2 * a >= 3 * b` for `a >= 1.5 * b`" }
  | digit (letter | digit)* {
      fail lexbuf "`%s` is neither a number nor a name" (Lexing.lexeme lexbuf) }
  | '"' ([^ '"' '\n' '\r' '\000'-'\031'] * as text) '"' { STRING text }
  | '"' { fail lexbuf "this text has no closing quote on its line" }
  | '{' { opened state lexbuf LBRACE }
  | '}' { closed state RBRACE }
  | '(' { opened state lexbuf LPAREN }
  | ')' { closed state RPAREN }
  | ';' { SEMI }
  | ',' { COMMA }
  | '.' { DOT }
  | ':' { COLON }
  | '?' { QUESTION }
  | "=>" { ARROW }
  | "=" { ASSIGN }
  | "+=" { PLUS_ASSIGN }
  | "-=" { MINUS_ASSIGN }
  | "++" { PLUSPLUS }
  | "--" { MINUSMINUS }
  | '+' { PLUS }
  | '-' { MINUS }
  | '*' { STAR }
  | '/' { SLASH }
  | '%' { PERCENT }
  | "&&" { AND }
  | "||" { OR }
  | '&' { BIT_AND }
  | '|' { BIT_OR }
  | '!' { NOT }
  | "==" { EQ }
  | "!=" { NE }
  | '<' { LT }
  | "<=" { LE }
  | '>' { GT }
  | ">=" { GE }
  | eof { EOF }
  | "->" {
      fail lexbuf "`->` means nothing here"
        ~hint:"write `.` for an attribute, `=>` to move a thread" }
  | '[' {
      fail lexbuf "`[` means nothing here"
        ~hint:
          "the thread in front of a queue is `first(ready)`; `foreach (t in \
           ready) ...` goes through the queue" }
  | "\226\136\146" | "\226\128\147" {
      fail lexbuf "this is not the minus sign of the keyboard" ~hint:"write `-`" }
  | "\226\136\151" {
      fail lexbuf "this is not the star of the keyboard" ~hint:"write `*`" }
  | ['\192'-'\255'] ['\128'-'\191']* {
      fail lexbuf "`%s` is used only in comments and texts"
        (let text = Lexing.lexeme lexbuf in
         if String.is_valid_utf_8 text then text else String.escaped text) }
  | _ as c {
      if c >= ' ' && c <= '~' then fail lexbuf "`%c` means nothing here" c
      else fail lexbuf "the byte %d is not text" (Char.code c) }

and inside first = parse
  | "*/" { () }
  | '\n' { Lexing.new_line lexbuf; inside first lexbuf }
  | eof {
      Fault.fail
        (Places.of_positions first
           { first with Lexing.pos_cnum = first.Lexing.pos_cnum + 2 })
        "this comment has no end" ~hint:"close it with `*/`" }
  | [^ '*' '\n']+ | '*' { inside first lexbuf }

{
let of_string ~file text =
  let buffer = Lexing.from_string ~with_positions:true text in
  Lexing.set_filename buffer file;
  { buffer; comments = []; depth = 0 }

let next state =
  let token = token state state.buffer in
  (token, state.buffer.Lexing.lex_start_p, state.buffer.Lexing.lex_curr_p)
}
