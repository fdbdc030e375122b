module Engine = Parser.MenhirInterpreter

let largest = 256 * 1024

(* {1 Messages of syntax errors} *)

(* The tokens possible in place of the wrong token, as in the source. *)
let expected checkpoint at =
  let fits token = Engine.acceptable checkpoint token at in
  let some token text = if fits token then [ text ] else [] in
  let name (_, token) =
    match token with
    | Parser.WITHIN | IDLE | ROUNDS | WHEN | BECAUSE -> fits (Parser.IDENT "x")
    | _ -> false
  in
  let quoted (text, token) = some token (Printf.sprintf "`%s`" text) in
  some (Parser.IDENT "x") "a name"
  @ some (Parser.INT 0) "a number"
  @ some (Parser.STRING "") "a text in quotes"
  @ List.concat_map quoted
      (List.filter
         (fun word -> not (name word))
         (Tokens.keywords @ Tokens.punctuation))
  @ some Parser.EOF "the end of the file"

let list texts =
  match List.rev texts with
  | [] -> ""
  | [ one ] -> one
  | last :: others -> String.concat ", " (List.rev others) ^ " or " ^ last

(* Leaves out operators where `;` or `)` is possible: an operator can nearly
   always follow, and would hide the missing token. *)
let worth_saying =
  let operators =
    [
      "?"; "+"; "-"; "*"; "/"; "%"; "&&"; "||"; "&"; "|"; "=="; "!="; "<"; "<=";
    ]
    @ [ ">"; ">="; "."; "in" ]
  in
  fun texts ->
    let closing =
      List.filter (fun text -> List.mem text [ "`;`"; "`)`" ]) texts
    in
    let quoted = List.map (fun text -> "`" ^ text ^ "`") operators in
    match List.filter (fun text -> not (List.mem text quoted)) texts with
    | _ :: _ as left when closing <> [] -> left
    | _ -> texts

let misspelt checkpoint at = function
  | Parser.IDENT name ->
      let fits (_, token) = Engine.acceptable checkpoint token at in
      Spell.nearest name (List.map fst (List.filter fits Tokens.keywords))
  | _ -> None

let state_number checkpoint =
  match checkpoint with
  | Engine.HandlingError env -> Some (Engine.current_state_number env)
  | _ -> None

let written state =
  match Messages.message state with
  | message ->
      (* Long messages are broken into lines in the file. *)
      Some (String.concat " " (String.split_on_char '\n' (String.trim message)))
  | exception Not_found -> None

type read = {
  checkpoint : Ast.t Engine.checkpoint;  (** waits for the token *)
  token : Parser.token * Lexing.position * Lexing.position;
}

let mistaken { checkpoint; token = token, first, _ } =
  misspelt checkpoint first token

let place_of { token = _, first, last; _ } = Places.of_positions first last

let loops =
  "loops range over the cores, groups or threads there are: `foreach (c in \
   system_cores()) ...`, left by `break` or `return`"

(* The hint for the error, the surest guess first. *)
let hint wrong failed =
  let token, first, _ = wrong.token in
  let fits token = Engine.acceptable wrong.checkpoint token first in
  match mistaken wrong with
  | Some keyword -> Printf.sprintf "did you mean `%s`?" keyword
  | None when token = Parser.ASSIGN && fits Parser.EQ ->
      "things are compared with `==`"
  | None when token = Parser.IDENT "by" && fits Parser.ASSIGN ->
      "an order is written `order = { lowest cload }`"
  | None -> (
      match Option.bind (state_number failed) written with
      | Some message -> message
      | None -> (
          match (token, worth_saying (expected wrong.checkpoint first)) with
          | Parser.STRING _, _ :: _ ->
              "a text gives the reason of an exemption, and stands nowhere \
               else; a policy prints nothing"
          | _, [] -> "leave it out"
          | _, texts when List.length texts <= 8 -> "expected " ^ list texts
          | _, _ -> Guide.page "reference.md" ^ " says what may stand here"))

(* [failed] refuses the token [wrong]; the token [before] came before it. A
   misspelt keyword is a name, and the parser finds the fault one token
   later. *)
let syntax_error before wrong failed =
  let token, _, _ = wrong.token in
  let unexpected = "unexpected " ^ Tokens.text token in
  match
    ( token,
      Option.bind before (fun read ->
          Option.map (fun keyword -> (read, keyword)) (mistaken read)) )
  with
  | Parser.FORBIDDEN word, _ ->
      Fault.error (place_of wrong)
        (Printf.sprintf "the language has no `%s`" word)
        ~hint:loops
  | _, Some (read, keyword) when mistaken wrong = None ->
      let token, _, _ = read.token in
      Fault.error (place_of read)
        ("unexpected " ^ Tokens.text token)
        ~hint:(Printf.sprintf "did you mean `%s`?" keyword)
  | _ -> Fault.error (place_of wrong) unexpected ~hint:(hint wrong failed)

(* {1 Parsing} *)

let rec run lexer before last checkpoint =
  match checkpoint with
  | Engine.InputNeeded _ ->
      let token = Lexer.next lexer in
      run lexer last
        (Some { checkpoint; token })
        (Engine.offer checkpoint token)
  | Engine.Shifting _ | Engine.AboutToReduce _ ->
      run lexer before last (Engine.resume checkpoint)
  | Engine.Accepted ast -> (
      match Nesting.too_deep ast with
      | None -> Ok { ast with Ast.comments = List.rev lexer.Lexer.comments }
      | Some place ->
          Error
            (Fault.error place
               (Printf.sprintf "statements are nested more than %d deep here"
                  Nesting.deepest)
               ~hint:"put the inner ones into functions"))
  | Engine.HandlingError _ | Engine.Rejected -> (
      match last with
      | Some wrong -> Error (syntax_error before wrong checkpoint)
      | None -> Error (Fault.error Places.nowhere "nothing was read"))

(* Some editors begin a file of UTF-8 with a byte order mark. *)
let without_mark text =
  let mark = "\xEF\xBB\xBF" in
  if String.starts_with ~prefix:mark text then
    String.sub text 3 (String.length text - 3)
  else text

let nowhere file = { Places.nowhere with Dromos_policy_core.Core.file }

let string ?(file = "policy") text =
  let text = without_mark text in
  if String.length text > largest then
    Error
      (Fault.error (nowhere file)
         (Printf.sprintf "larger than %d KiB: this is no policy" (largest / 1024)))
  else if String.contains text '\000' then
    Error (Fault.error (nowhere file) "a binary file: this is no policy")
  else if String.for_all (fun c -> c = ' ' || (c >= '\t' && c <= '\r')) text
  then
    Error
      (Fault.error (nowhere file) "an empty file: this is no policy"
         ~hint:"a policy begins with `scheduler NAME = {`")
  else
    let lexer = Lexer.of_string ~file text in
    let start = Parser.Incremental.policy lexer.Lexer.buffer.lex_curr_p in
    match run lexer None None start with
    | result -> result
    | exception Fault.Fault fault -> Error fault

let read file =
  let fault message = Error (Fault.error (nowhere file) message) in
  match
    if Sys.is_directory file then fault "a directory: this is no policy"
    else
      In_channel.with_open_bin file (fun channel ->
          let buffer = Bytes.create (largest + 1) in
          let rec fill from =
            if from > largest then from
            else
              match
                In_channel.input channel buffer from (largest + 1 - from)
              with
              | 0 -> from
              | n -> fill (from + n)
          in
          Ok (without_mark (Bytes.sub_string buffer 0 (fill 0))))
  with
  | result -> result
  | exception Sys_error message ->
      (* "FILE: No such file or directory" *)
      let prefix = file ^ ": " in
      let message =
        if String.starts_with ~prefix message then
          let n = String.length prefix in
          String.sub message n (String.length message - n)
        else message
      in
      fault message

let file name =
  match read name with
  | Error fault -> Error ("", fault)
  | Ok source -> (
      match string ~file:name source with
      | Ok ast -> Ok (source, ast)
      | Error fault -> Error (source, fault))
