type statement =
  | Set of string * string
  | Append of string * string
  | Unset of string
  | Include of string
  | Action of string * string list

type tree = { statements : statement list; branches : tree list }

exception Malformed of string

type token = Word of string | Text of string | Sign of string | End

let is_word = function
  | 'a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '_' | '.' | '-' | '\'' -> true
  | _ -> false

(* {1 Tokens} of [s] from offset [at] *)

let rec past_comment s at depth =
  if depth = 0 then at
  else
    match (s.[at], s.[at + 1]) with
    | '(', '*' -> past_comment s (at + 2) (depth + 1)
    | '*', ')' -> past_comment s (at + 2) (depth - 1)
    | _ -> past_comment s (at + 1) depth

let rec past_blanks s at =
  match s.[at] with ' ' | '\t' | '\012' -> past_blanks s (at + 1) | _ -> at

(* A backslash stands for itself, except at the end of a line: there the backslash, the
   line end and the blanks of the next line are dropped. A second backslash ends the
   dropped blanks. *)
let text s at =
  let b = Buffer.create 80 in
  let rec go at =
    match s.[at] with
    | '"' -> (Text (Buffer.contents b), at + 1)
    | '\\' when s.[at + 1] = '\n' ->
        let next = past_blanks s (at + 2) in
        go (if s.[next] = '\\' then next + 1 else next)
    | c ->
        Buffer.add_char b c;
        go (at + 1)
  in
  go at

let rec token s at =
  match s.[at] with
  | ' ' | '\t' | '\n' | '\r' | '\012' -> token s (at + 1)
  | '(' when s.[at + 1] = '*' -> token s (past_comment s (at + 2) 1)
  | '*' when s.[at + 1] = ')' -> (End, at + 2)
  | '+' when s.[at + 1] = '=' -> (Sign "+=", at + 2)
  | ('=' | '{' | '}' | ';' | ',') as c -> (Sign (String.make 1 c), at + 1)
  | '"' -> text s (at + 1)
  | c when is_word c ->
      let stop = ref at in
      while is_word s.[!stop] do
        incr stop
      done;
      (Word (String.sub s at (!stop - at)), !stop)
  | c -> raise (Malformed (Printf.sprintf "character %C" c))

let tokens s at =
  let rec go at =
    match token s at with End, _ -> [] | t, next -> t :: go next
  in
  try go at with Invalid_argument _ -> raise (Malformed "it does not end")

(* {1 Trees} *)

let rec names = function
  | Word name :: Sign "," :: rest ->
      let more, rest = names rest in
      (name :: more, rest)
  | Word name :: rest -> ([ name ], rest)
  | _ -> raise (Malformed "a name is missing")

let statement = function
  | Word "include" :: Word name :: rest -> (Include name, rest)
  | Word "unset" :: Word name :: rest -> (Unset name, rest)
  | Word "set" :: Word name :: Sign "=" :: Text value :: rest
  | Word name :: Sign "=" :: Text value :: rest ->
      (Set (name, value), rest)
  | Word name :: Sign "+=" :: Text value :: rest -> (Append (name, value), rest)
  | Word name :: Word "with" :: rest ->
      let modifiers, rest = names rest in
      (Action (name, modifiers), rest)
  | Word name :: rest -> (Action (name, []), rest)
  | _ -> raise (Malformed "no statement")

let rec statements = function
  | ([] | Sign ("{" | "}") :: _) as rest -> ([], rest)
  | ts -> (
      match statement ts with
      | s, Sign ";" :: rest ->
          let more, rest = statements rest in
          (s :: more, rest)
      | _ -> raise (Malformed "no semicolon"))

let rec tree ts =
  let statements, rest = statements ts in
  let branches, rest = trees rest in
  ({ statements; branches }, rest)

and trees = function
  | Sign "{" :: rest -> (
      match tree rest with
      | t, Sign "}" :: rest ->
          let more, rest = trees rest in
          (t :: more, rest)
      | _ -> raise (Malformed "no closing brace"))
  | rest -> ([], rest)

(* {1 Files} *)

let head = Str.regexp "[ \t\r\n]*(\\*[ \t]*TEST\\(_BELOW\\)?"
let below = Str.regexp "(\\*[ \t]*TEST[ \t\r\n]"

let start s =
  if not (Str.string_match head s 0) then None
  else
    let stop = Str.match_end () in
    match Str.matched_group 1 s with
    | exception Not_found -> Some stop
    | _ ->
        ignore (Str.search_forward below s stop : int);
        Some (Str.match_end ())

let read file =
  let s = In_channel.with_open_bin file In_channel.input_all in
  match start s with
  | None -> None
  | Some at -> (
      match tree (tokens s at) with
      | t, [] -> Some t
      | _ -> raise (Malformed "a closing brace too many"))
