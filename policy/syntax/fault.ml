open Dromos_policy_core

type severity = Error | Warning

type t = {
  severity : severity;
  at : Core.place;
  message : string;
  hint : string option;
  judged : bool;
}

exception Fault of t

let make severity ?hint ?(judged = false) at message =
  { severity; at; message; hint; judged }

let error ?hint at message = make Error ?hint at message
let warning ?hint ?judged at message = make Warning ?hint ?judged at message
let fail ?hint at message = raise (Fault (error ?hint at message))

(* Replaces bytes that a terminal would take for a command, or cannot show. *)
let printable line =
  let text = String.is_valid_utf_8 line in
  String.map
    (fun c ->
      if c < ' ' || c = '\127' then ' '
      else if c >= '\128' && not text then '?'
      else c)
    line

(* The line without its end. A tab becomes one space, so that the caret stands
   right. *)
let line_of source number =
  let rec find from number =
    let stop =
      match String.index_from_opt source from '\n' with
      | Some stop -> stop
      | None -> String.length source
    in
    if number = 1 then Some (String.sub source from (stop - from))
    else if stop >= String.length source then None
    else find (stop + 1) (number - 1)
  in
  if number < 1 then None else Option.map printable (find 0 number)

(* A byte that continues a character of UTF-8 takes no column on the screen. *)
let columns text =
  let continues c = Char.code c land 0xC0 = 0x80 in
  String.fold_left (fun n c -> if continues c then n else n + 1) 0 text

let widest = 100

(* Cuts a very long line down to the part around the place. *)
let window line column =
  if String.length line <= widest then (line, column)
  else
    let from = max 0 (min (column - 40) (String.length line - widest)) in
    let shown = String.sub line from (min widest (String.length line - from)) in
    if from = 0 then (shown, column) else ("..." ^ shown, column - from + 3)

let excerpt source (at : Core.place) =
  match line_of source at.line with
  | None -> ""
  | Some line ->
      let length = String.length line in
      let column = min at.column length in
      let last =
        if at.last_line = at.line then min at.last_column length else length
      in
      let carets =
        max 1 (columns (String.sub line column (max 0 (last - column))))
      in
      let line, column = window line column in
      let margin = string_of_int at.line in
      Printf.sprintf "\n%6s | %s\n%6s | %s%s" margin line ""
        (String.make (columns (String.sub line 0 column)) ' ')
        (String.make (min carets widest) '^')

let to_string ?source { severity; at; message; hint; _ } =
  let kind = match severity with Error -> "" | Warning -> "warning: " in
  let where =
    if at.line = 0 then at.file
    else Printf.sprintf "%s:%d:%d" at.file at.line (at.column + 1)
  in
  Printf.sprintf "%s: %s%s%s%s" where kind message
    (match source with Some source -> excerpt source at | None -> "")
    (match hint with Some hint -> "\n  " ^ hint | None -> "")

let compare a b =
  match Places.compare_starts a.at b.at with
  | 0 -> String.compare a.message b.message
  | order -> order
