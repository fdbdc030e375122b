open Ast

type page = {
  out : Buffer.t;
  mutable pending : comment list;
  mutable indent : int;
  mutable last_line : int; (* the source line of the last printed part *)
  mutable opening : bool; (* true while the block is still empty *)
}

(* True if the comment starts before this line and column. *)
let before (comment : comment) (line, column) =
  let at = comment.said_at in
  at.line < line || (at.line = line && at.column < column)

let start_of (place : place) = (place.line, place.column)
let end_of (place : place) = (place.last_line, place.last_column)

let raw page s =
  Buffer.add_string page.out s;
  Buffer.add_char page.out '\n'

let line page s = raw page (String.make page.indent ' ' ^ s)

(* Prints one empty line where the source had some. *)
let gap page source_line =
  if
    page.last_line > 0 && (not page.opening) && source_line - page.last_line > 1
  then Buffer.add_char page.out '\n';
  page.opening <- false

let is_blank s = String.trim s = ""

(* The later lines of a comment move with the first. *)
let comment_lines said =
  match String.split_on_char '\n' said with
  | [] -> []
  | first :: rest ->
      let moved s =
        let s = String.trim s in
        if is_blank s then "" else if s.[0] = '*' then " " ^ s else "   " ^ s
      in
      String.trim first :: List.map moved rest

let print_comment page ({ said; said_at } : comment) ~as_if_on =
  gap page (min said_at.line as_if_on);
  List.iter
    (fun s -> if s = "" then raw page "" else line page s)
    (comment_lines said);
  page.last_line <- said_at.last_line

let rec flush page limit ~as_if_on =
  match page.pending with
  | comment :: rest when before comment limit ->
      page.pending <- rest;
      print_comment page comment ~as_if_on;
      flush page limit ~as_if_on
  | _ -> ()

let one_line (comment : comment) =
  comment.said_at.line = comment.said_at.last_line

(* Prints the comments that stand behind the last printed part, on the same
   line. *)
let rec trailing page =
  match page.pending with
  | comment :: rest
    when comment.said_at.line = page.last_line && one_line comment ->
      page.pending <- rest;
      let length = Buffer.length page.out in
      Buffer.truncate page.out (length - 1);
      raw page (" " ^ String.trim comment.said);
      trailing page
  | _ -> ()

(* Comments that begin before [head] are printed before the item. *)
let item page (place : place) ~head print =
  flush page head ~as_if_on:(if place.line = 0 then max_int else place.line);
  gap page place.line;
  print ();
  page.last_line <- place.last_line;
  trailing page

(* Prints an item of one or more lines without items inside. *)
let leaf page place print =
  item page place ~head:(end_of place) (fun () ->
      let indent = String.make page.indent ' ' in
      raw page
        (Inline.flat Inline.width (fun ppf ->
             Format.fprintf ppf "%s@[<hov 2>%t@]" indent print)))

(* Prints the part between braces; [print] prints the items inside. *)
let indented page ~(closes : place) print =
  page.indent <- page.indent + 2;
  page.opening <- true;
  print ();
  flush page (start_of closes) ~as_if_on:max_int;
  page.opening <- false;
  page.indent <- page.indent - 2;
  page.last_line <- closes.last_line

let holds_comment page (place : place) =
  match page.pending with
  | comment :: _ -> before comment (end_of place)
  | [] -> false

let wrapped page print =
  raw page
    (Inline.flat Inline.width (fun ppf ->
         Format.fprintf ppf "%s@[<hov 4>%t@]"
           (String.make page.indent ' ')
           print))
