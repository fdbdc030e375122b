open Dromos_policy_core

type t = Core.place

let nowhere =
  { Core.file = ""; line = 0; column = 0; last_line = 0; last_column = 0 }

let of_positions (first : Lexing.position) (last : Lexing.position) =
  {
    Core.file = first.pos_fname;
    line = first.pos_lnum;
    column = first.pos_cnum - first.pos_bol;
    last_line = last.pos_lnum;
    last_column = last.pos_cnum - last.pos_bol;
  }

let after (place : t) =
  { place with line = place.last_line; column = place.last_column }

let compare_starts (a : t) (b : t) =
  match Int.compare a.line b.line with
  | 0 -> Int.compare a.column b.column
  | order -> order

let span (a : t) (b : t) =
  { a with last_line = b.last_line; last_column = b.last_column }
