exception Wrong of string

let fail fmt = Printf.ksprintf (fun s -> raise (Wrong s)) fmt

let is_name c =
  match c with 'a' .. 'z' | 'A' .. 'Z' | '-' | '0' .. '9' -> true | _ -> false

let rec name_end s i =
  if i < String.length s && is_name s.[i] then name_end s (i + 1) else i

let entity s i =
  let known = [ "&lt;"; "&gt;"; "&amp;"; "&quot;" ] in
  let here e =
    String.length s >= i + String.length e
    && String.sub s i (String.length e) = e
  in
  if not (List.exists here known) then fail "a bare & at %d" i

let rec blank s i =
  if i < String.length s && (s.[i] = ' ' || s.[i] = '\n') then blank s (i + 1)
  else i

(* Parses from the end of the tag's name to the end of the tag: attributes, then
   [>] or [/>]. *)
let rec attributes s i =
  let i = blank s i in
  match s.[i] with
  | '>' -> (i + 1, false)
  | '/' when s.[i + 1] = '>' -> (i + 2, true)
  | _ ->
      let e = name_end s i in
      if e = i || s.[e] <> '=' || s.[e + 1] <> '"' then fail "attribute at %d" i;
      let close = String.index_from s (e + 2) '"' in
      let value = String.sub s (e + 2) (close - e - 2) in
      String.iteri (fun k c -> if c = '&' then entity s (e + 2 + k)) value;
      if String.contains value '<' then fail "< in an attribute at %d" i;
      attributes s (close + 1)

let rec content s i stack count =
  if i >= String.length s then
    match stack with [] -> count | name :: _ -> fail "<%s> is not closed" name
  else
    match s.[i] with
    | '&' ->
        entity s i;
        content s (i + 1) stack count
    | '<' when s.[i + 1] = '?' ->
        content s (String.index_from s i '>' + 1) stack count
    | '<' when s.[i + 1] = '/' -> (
        let e = name_end s (i + 2) in
        let name = String.sub s (i + 2) (e - i - 2) in
        match stack with
        | top :: rest when top = name && s.[e] = '>' ->
            content s (e + 1) rest count
        | _ -> fail "</%s> at %d closes nothing" name i)
    | '<' ->
        let e = name_end s (i + 1) in
        let name = String.sub s (i + 1) (e - i - 1) in
        if name = "" then fail "a bare < at %d" i;
        let next, closed = attributes s e in
        content s next (if closed then stack else name :: stack) (count + 1)
    | _ -> content s (i + 1) stack count

let elements s =
  match content s 0 [] 0 with
  | count -> Ok count
  | exception Wrong what -> Error what
  | exception (Invalid_argument _ | Not_found) -> Error "ends too early"
