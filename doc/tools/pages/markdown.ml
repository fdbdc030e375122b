type inline =
  | Text of string
  | Code of string
  | Bold of inline list
  | Italic of inline list
  | Link of { line : int; target : string; text : inline list }

type block =
  | Heading of int * inline list
  | Paragraph of inline list
  | Block of { language : string; code : string }
  | Bullets of block list list
  | Numbers of block list list
  | Table of { head : inline list list; rows : inline list list list }

exception Fault of int * string

let fault line format =
  Printf.ksprintf (fun message -> raise (Fault (line, message))) format

let rec plain text =
  let one = function
    | Text s | Code s -> s
    | Bold t | Italic t | Link { text = t; _ } -> plain t
  in
  String.concat "" (List.map one text)

(* {Text} *)

let is_space c = c = ' ' || c = '\n'

let is_word = function
  | 'a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '\128' .. '\255' -> true
  | _ -> false

let is_punctuation c = c > ' ' && c < '\127' && not (is_word c)

(* [s.[i]], or a space outside of the string. *)
let at s i = if i >= 0 && i < String.length s then s.[i] else ' '
let rec run s i = if at s i = at s (i + 1) then 1 + run s (i + 1) else 1

(* The end of a text. *)
type stop = End | Stars of int | Bracket

(* [text line s]: the text [s], which begins on [line]. *)
let text first s =
  let n = String.length s in
  let line_of i =
    let before = String.split_on_char '\n' (String.sub s 0 i) in
    first + List.length before - 1
  in
  let fault i format = fault (line_of i) format in
  let buffer = Buffer.create 80 in
  let flush found =
    if Buffer.length buffer = 0 then found
    else
      let t = Text (Buffer.contents buffer) in
      Buffer.clear buffer;
      t :: found
  in
  let rec code_end i ticks from =
    match String.index_from_opt s i '`' with
    | None -> fault from "this code has no end"
    | Some i ->
        let k = run s i in
        if k = ticks then i else code_end (i + k) ticks from
  in
  let code i ticks j =
    let c = String.sub s (i + ticks) (j - i - ticks) in
    let c = String.map (fun c -> if c = '\n' then ' ' else c) c in
    let k = String.length c in
    if k > 2 && c.[0] = ' ' && c.[k - 1] = ' ' then String.sub c 1 (k - 2)
    else c
  in
  (* The text up to [stop], and the place of [stop]. *)
  let rec read stop from i found =
    let add c i =
      Buffer.add_char buffer c;
      read stop from i found
    in
    if i >= n then
      match stop with
      | End -> (List.rev (flush found), i)
      | Stars _ -> fault from "bold or italics without an end"
      | Bracket -> fault from "a bracket without an end"
    else
      match s.[i] with
      | '\n' -> add ' ' (i + 1)
      | '\\' when is_punctuation (at s (i + 1)) -> add s.[i + 1] (i + 2)
      | '`' ->
          let ticks = run s i in
          let j = code_end (i + ticks) ticks i in
          let c = code i ticks j in
          if String.ends_with ~suffix:"\\" c then
            fault i "code that ends with a backslash is not known to odoc";
          let found = Code c :: flush found in
          read stop from (j + ticks) found
      | ']' when stop = Bracket -> (List.rev (flush found), i)
      | '*' -> stars stop from i found
      | '!' when at s (i + 1) = '[' -> fault i "pictures are not known here"
      | '[' -> bracket stop from i found
      | '<'
        when is_word (at s (i + 1)) || at s (i + 1) = '/' || at s (i + 1) = '!'
        ->
          fault i "HTML and links in <> are not known here"
      | '&' when entity (i + 1) -> fault i "entities are not known here"
      | '~' when at s (i + 1) = '~' -> fault i "struck text is not known here"
      | '_' when underscores i ->
          fault i "italics are written with stars, not underscores"
      | c -> add c (i + 1)
  and stars stop from i found =
    let k = run s i in
    let before = at s (i - 1) and after = at s (i + k) in
    if k > 2 then fault i "more than two stars are not known here"
    else if stop = Stars k && not (is_space before) then
      (List.rev (flush found), i)
    else if is_space before && is_space after then begin
      Buffer.add_string buffer (String.sub s i k);
      read stop from (i + k) found
    end
    else
      let found = flush found in
      let inner, j = read (Stars k) i (i + k) [] in
      let t = if k = 2 then Bold inner else Italic inner in
      read stop from (j + k) (t :: found)
  and bracket stop from i found =
    let found = flush found in
    let inner, j = read Bracket i (i + 1) [] in
    match at s (j + 1) with
    | '(' -> (
        match String.index_from_opt s j ')' with
        | None -> fault i "this link has no end"
        | Some e ->
            let target = String.sub s (j + 2) (e - j - 2) in
            if target = "" || String.exists is_space target then
              fault i "a link names its target, without spaces";
            if String.exists (fun c -> String.contains "(){}[]\"\\" c) target
            then fault i "brackets, quotes, backslashes in a target: write %%xx";
            if target.[0] = '/' then
              fault i "a target is an address, or a path from this file";
            if inner = [] then fault i "a link without a text";
            let l = Link { line = line_of i; target; text = inner } in
            read stop from (e + 1) (l :: found))
    | '[' | ':' -> fault i "links by reference are not known here"
    | _ ->
        let found = (Text "]" :: List.rev_append inner [ Text "[" ]) @ found in
        read stop from (j + 1) found
  and entity i = at s i = '#' || (is_word (at s i) && entity_end i)
  and entity_end i =
    if is_word (at s i) then entity_end (i + 1) else at s i = ';'
  (* Text between underscores, which stand at the edges of words. *)
  and underscores i =
    let rec ends j =
      j < n
      && (s.[j] = '_'
          && (not (is_space s.[j - 1]))
          && not (is_word (at s (j + 1)))
         || ends (j + 1))
    in
    let after = i + run s i in
    (not (is_word (at s (i - 1))))
    && (not (is_space (at s after)))
    && ends (after + 1)
  in
  fst (read End 0 0 [])

(* {Blocks} *)

type line = { number : int; text : string }

let is_blank l = String.trim l.text = ""

let indent l =
  let rec go i =
    if i < String.length l.text && l.text.[i] = ' ' then go (i + 1) else i
  in
  go 0

let starts p l = String.starts_with ~prefix:p l.text
let cut k l = { l with text = String.sub l.text k (String.length l.text - k) }

(* The marker at the head of an item: the width, and the number of a numbered item. *)
let marker l =
  if starts "- " l then Some (2, None)
  else
    match String.index_opt l.text '.' with
    | Some i when at l.text (i + 1) = ' ' && i + 1 < String.length l.text -> (
        let digits = String.sub l.text 0 i in
        match int_of_string_opt digits with
        | Some n when String.for_all (fun c -> c >= '0' && c <= '9') digits ->
            Some (i + 2, Some n)
        | Some _ | None -> None)
    | Some _ | None -> None

let is_fence l = starts "```" l
let is_comment l = starts "<!--" l
let is_row l = starts "|" l

let heading l =
  let k = if starts "#" l then run l.text 0 else 0 in
  if k > 0 && at l.text k = ' ' then Some k else None

let is_rule l =
  let t = String.trim l.text in
  t <> ""
  && List.exists (fun c -> String.for_all (( = ) c) t) [ '-'; '='; '*'; '_' ]

(* Markdown gives a meaning to these other beginnings of a line, so the parser must
   not read such a line as text. *)
let check_start l =
  let l = { l with text = String.trim l.text } in
  if starts "* " l || starts "+ " l then
    fault l.number "items of a list begin with a dash";
  if starts ">" l then fault l.number "quotations are not known here";
  if starts "~~~" l then fault l.number "code is fenced with back quotes";
  (match String.index_opt l.text ')' with
  | Some i
    when i > 0
         && at l.text (i + 1) = ' '
         && String.for_all
              (fun c -> c >= '0' && c <= '9')
              (String.sub l.text 0 i) ->
      fault l.number "the number of an item has a dot behind it"
  | Some _ | None -> ());
  if
    String.contains l.text '|' && String.contains l.text '-'
    && String.for_all (fun c -> String.contains "|-: " c) l.text
  then fault l.number "a row of a table begins with |"

let check_inside l =
  check_start l;
  if indent l > 0 && starts "- " { l with text = String.trim l.text } then
    fault l.number "an item inside of an item begins below the text around it"

let ends_paragraph l =
  is_blank l || is_fence l || is_comment l || is_row l
  || heading l <> None
  || match marker l with Some (_, (None | Some 1)) -> true | _ -> false

let rec span p = function
  | l :: rest when p l ->
      let taken, rest = span p rest in
      (l :: taken, rest)
  | rest -> ([], rest)

let joined lines =
  List.iter
    (fun l ->
      if
        String.ends_with ~suffix:"  " l.text
        || String.ends_with ~suffix:"\\" l.text
      then fault l.number "breaks inside of a paragraph are not known here")
    lines;
  String.concat "\n" (List.map (fun l -> String.trim l.text) lines)

let rec drop_blank = function
  | l :: rest when is_blank l -> drop_blank rest
  | lines -> lines

let code language lines =
  let text l = if is_blank l then "" else l.text in
  Block { language; code = String.concat "\n" (List.map text lines) }

(* {Tables} *)

(* "\|" is a bar inside of a cell. *)
let cells l =
  let t = String.trim l.text in
  if String.length t < 2 || not (String.ends_with ~suffix:"|" t) then
    fault l.number "a row of a table ends with |";
  let cell = Buffer.create 40 in
  let rec go i found =
    if i = String.length t then List.rev found
    else
      match t.[i] with
      | '\\' when at t (i + 1) = '|' ->
          Buffer.add_char cell '|';
          go (i + 2) found
      | '|' ->
          let c = String.trim (Buffer.contents cell) in
          Buffer.clear cell;
          go (i + 1) (c :: found)
      | c ->
          Buffer.add_char cell c;
          go (i + 1) found
  in
  go 1 []

let table = function
  | head :: dashes :: rows
    when List.for_all
           (fun c -> c <> "" && String.for_all (fun c -> c = '-' || c = ':') c)
           (cells dashes) ->
      let width = List.length (cells head) in
      let row l =
        let cells = cells l in
        if List.length cells <> width then
          fault l.number "%d cells, where the head of the table has %d"
            (List.length cells) width;
        List.map (text l.number) cells
      in
      ignore (row dashes);
      Table { head = row head; rows = List.map row rows }
  | l :: _ -> fault l.number "the second row of a table is dashes"
  | [] -> assert false

(* {All} *)

let rec blocks lines =
  match drop_blank lines with
  | [] -> []
  | l :: rest when is_fence l -> fenced l rest
  | l :: rest when is_comment l -> comment l (l :: rest)
  | l :: _ as lines when is_row l ->
      let rows, rest = span is_row lines in
      let t = table rows in
      t :: blocks rest
  | l :: _ as lines when indent l >= 4 -> indented lines
  | l :: _ when indent l > 0 ->
      fault l.number "these spaces at the head of a line have no meaning"
  | l :: _ when is_rule l -> fault l.number "lines across are not known here"
  | l :: _ when starts ">" l -> fault l.number "quotations are not known here"
  | l :: _ when starts "* " l || starts "+ " l ->
      fault l.number "items of a list begin with a dash"
  | l :: rest as lines -> (
      match (heading l, marker l) with
      | Some k, _ ->
          let t = String.trim (cut k l).text in
          if k > 6 then fault l.number "a heading has at most six #";
          if t = "" then fault l.number "a heading without a text";
          if String.ends_with ~suffix:"#" t then
            fault l.number "a heading has # at its head only";
          Heading (k, text l.number t) :: blocks rest
      | None, Some (_, None) ->
          let items, rest = items ~number:None lines in
          Bullets items :: blocks rest
      | None, Some (_, Some n) ->
          if n <> 1 then fault l.number "a list begins with 1, not %d" n;
          let items, rest = items ~number:(Some 1) lines in
          Numbers items :: blocks rest
      | None, None ->
          let more, rest = span (fun l -> not (ends_paragraph l)) rest in
          check_start l;
          List.iter
            (fun l ->
              check_inside l;
              if is_rule l then
                fault l.number "headings are written with #, not underlined")
            more;
          let t = text l.number (joined (l :: more)) in
          Paragraph t :: blocks rest)

and fenced l rest =
  let ticks = run l.text 0 in
  let is_end e =
    is_fence e
    && run e.text 0 >= ticks
    && String.trim e.text = String.make (run e.text 0) '`'
  in
  let inside, rest = span (fun e -> not (is_end e)) rest in
  match rest with
  | [] -> fault l.number "this code has no end"
  | _ :: rest ->
      let language =
        match String.split_on_char ' ' (String.trim (cut ticks l).text) with
        | word :: _ -> word
        | [] -> ""
      in
      if
        not (String.for_all (fun c -> is_word c || c = '+' || c = '-') language)
      then fault l.number "%S is not the name of a language" language;
      code language inside :: blocks rest

and indented lines =
  let inside, rest = span (fun l -> is_blank l || indent l >= 4) lines in
  let inside = List.rev (drop_blank (List.rev inside)) in
  code "" (List.map (fun l -> if is_blank l then l else cut 4 l) inside)
  :: blocks rest

and comment first = function
  | [] -> fault first.number "this comment has no end"
  | l :: rest -> (
      let trimmed = String.trim l.text in
      let rec has i =
        i + 3 <= String.length trimmed
        && (String.sub trimmed i 3 = "-->" || has (i + 1))
      in
      match (has 0, String.ends_with ~suffix:"-->" trimmed) with
      | true, true -> blocks rest
      | true, false -> fault l.number "a comment ends at the end of a line"
      | false, _ -> comment first rest)

(* The items at the head of [lines], and the lines below the items. *)
and items ~number lines =
  match lines with
  | l :: rest -> (
      match (marker l, number) with
      | Some (width, None), None -> item ~number ~width l rest
      | Some (width, Some k), Some n ->
          if k <> n then fault l.number "item %d is numbered %d" n k;
          item ~number:(Some (n + 1)) ~width l rest
      | _ -> ([], lines))
  | [] -> ([], [])

and item ~number ~width l rest =
  let rec own ~blank = function
    | l :: rest when is_blank l ->
        let more, rest' = own ~blank:true rest in
        if more = [] then ([], l :: rest) else (l :: more, rest')
    | l :: rest when indent l >= width ->
        let more, rest = own ~blank:false rest in
        (cut width l :: more, rest)
    | l :: rest ->
        if not (blank || ends_paragraph l || marker l <> None) then
          fault l.number "the lines of an item begin below its text";
        ([], l :: rest)
    | [] -> ([], [])
  in
  let inside, rest = own ~blank:false rest in
  let first = blocks (cut width l :: inside) in
  let more, rest = items ~number (drop_blank rest) in
  (first :: more, rest)

let parse s =
  let lines =
    List.mapi
      (fun i text -> { number = i + 1; text })
      (String.split_on_char '\n' s)
  in
  List.iter
    (fun l ->
      if String.contains l.text '\t' then
        fault l.number "a tabulator: write spaces";
      if String.contains l.text '\r' then
        fault l.number "the line ends with a carriage return")
    lines;
  if String.starts_with ~prefix:"\u{FEFF}" s then
    fault 1 "the file begins with a byte order mark";
  blocks lines
