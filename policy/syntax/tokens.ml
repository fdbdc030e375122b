open Parser

let keywords =
  [
    ("scheduler", SCHEDULER);
    ("const", CONST);
    ("type", TYPE);
    ("struct", STRUCT);
    ("enum", ENUM);
    ("thread", THREAD);
    ("threads", THREADS);
    ("core", CORE);
    ("cores", CORES);
    ("group", GROUP);
    ("domain", DOMAIN);
    ("system", SYSTEM);
    ("shared", SHARED);
    ("lazy", LAZY);
    ("active", ACTIVE);
    ("sleeping", SLEEPING);
    ("RUNNING", RUNNING);
    ("READY", READY);
    ("BLOCKED", BLOCKED);
    ("TERMINATED", TERMINATED);
    ("set", SET);
    ("order", ORDER);
    ("highest", HIGHEST);
    ("lowest", LOWEST);
    ("steal", STEAL);
    ("can_steal_group", CAN_STEAL_GROUP);
    ("select_group", SELECT_GROUP);
    ("can_steal_core", CAN_STEAL_CORE);
    ("select_core", SELECT_CORE);
    ("steal_thread", STEAL_THREAD);
    ("do", DO);
    ("until", UNTIL);
    ("handler", HANDLER);
    ("On", ON);
    ("synchronized", SYNCHRONIZED);
    ("interface", INTERFACE);
    ("foreach", FOREACH);
    ("in", IN);
    ("if", IF);
    ("else", ELSE);
    ("return", RETURN);
    ("break", BREAK);
    ("first", FIRST);
    ("true", TRUE);
    ("false", FALSE);
    ("self", SELF);
    ("void", VOID);
    ("int", INT_TYPE);
    ("bool", BOOL_TYPE);
    ("conserve", CONSERVE);
    ("within", WITHIN);
    ("idle", IDLE);
    ("rounds", ROUNDS);
    ("exempt", EXEMPT);
    ("when", WHEN);
    ("because", BECAUSE);
  ]

let punctuation =
  [
    ("{", LBRACE);
    ("}", RBRACE);
    ("(", LPAREN);
    (")", RPAREN);
    (";", SEMI);
    (",", COMMA);
    (".", DOT);
    (":", COLON);
    ("?", QUESTION);
    ("=>", ARROW);
    ("=", ASSIGN);
    ("+=", PLUS_ASSIGN);
    ("-=", MINUS_ASSIGN);
    ("++", PLUSPLUS);
    ("--", MINUSMINUS);
    ("+", PLUS);
    ("-", MINUS);
    ("*", STAR);
    ("/", SLASH);
    ("%", PERCENT);
    ("&&", AND);
    ("||", OR);
    ("&", BIT_AND);
    ("|", BIT_OR);
    ("!", NOT);
    ("==", EQ);
    ("!=", NE);
    ("<", LT);
    ("<=", LE);
    (">", GT);
    (">=", GE);
  ]

let unsupported = [ "while"; "for"; "switch"; "goto"; "continue" ]

let written =
  let table = Hashtbl.create 97 in
  List.iter
    (fun (text, token) -> Hashtbl.replace table token text)
    (keywords @ punctuation);
  table

let text = function
  | IDENT name -> Printf.sprintf "the name `%s`" name
  | INT n -> Printf.sprintf "the number %d" n
  | STRING _ -> "a text in quotes"
  | FORBIDDEN word -> Printf.sprintf "`%s`" word
  | EOF -> "the end of the file"
  | token -> Printf.sprintf "`%s`" (Hashtbl.find written token)
