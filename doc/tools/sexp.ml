type t = Atom of string | List of t list

exception Malformed of int

let is_space c = c = ' ' || c = '\n' || c = '\t' || c = '\r'

(* [item s i] is the expression that starts at or after [i], and what follows;
   [items] those up to a closing parenthesis. *)
let rec skip s i =
  if i < String.length s && is_space s.[i] then skip s (i + 1) else i

let quoted s i =
  let b = Buffer.create 16 in
  let rec go i =
    if i >= String.length s then raise (Malformed i)
    else
      match s.[i] with
      | '"' -> (Atom (Buffer.contents b), i + 1)
      | '\\' when i + 1 < String.length s ->
          Buffer.add_char b s.[i + 1];
          go (i + 2)
      | c ->
          Buffer.add_char b c;
          go (i + 1)
  in
  go i

let bare s i =
  let rec stop j =
    if
      j < String.length s
      && (not (is_space s.[j]))
      && s.[j] <> '('
      && s.[j] <> ')'
    then stop (j + 1)
    else j
  in
  let j = stop i in
  (Atom (String.sub s i (j - i)), j)

let rec item s i =
  let i = skip s i in
  if i >= String.length s then raise (Malformed i)
  else
    match s.[i] with
    | '(' -> items s (i + 1) []
    | ')' -> raise (Malformed i)
    | '"' -> quoted s (i + 1)
    | _ -> bare s i

and items s i found =
  let i = skip s i in
  if i >= String.length s then raise (Malformed i)
  else if s.[i] = ')' then (List (List.rev found), i + 1)
  else
    let x, i = item s i in
    items s i (x :: found)

let parse s = fst (item s 0)

let field name = function
  | Atom _ -> []
  | List l ->
      Option.value ~default:[]
        (List.find_map
           (function
             | List (Atom n :: rest) when n = name -> Some rest | _ -> None)
           l)

let atom = function Atom a :: _ -> a | _ -> ""

let atoms l =
  let l = match l with [ List l ] -> l | l -> l in
  List.filter_map (function Atom a -> Some a | List _ -> None) l
