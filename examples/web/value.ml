(* {1 Fields of JSON} *)

(* An escape of JSON may name half of a character, and a zero. *)
let text name = function
  | `String s when String.contains s '\000' ->
      Answer.refuse `Bad_request "%s has a zero byte" name
  | `String s when not (String.is_valid_utf_8 s) ->
      Answer.refuse `Bad_request "%s is not UTF-8" name
  | `String s -> Some s
  | _ -> None

let share = function
  | `Float x when 0. <= x && x <= 1. -> Some x
  | `Int ((0 | 1) as n) -> Some (float_of_int n)
  | _ -> None

let numbers = function
  | `List l ->
      let number = function `Int n -> Some n | _ -> None in
      let found = List.filter_map number l in
      if List.compare_lengths found l = 0 then Some found else None
  | _ -> None

(* {1 Parts of the address} *)

let is_decimal s =
  s <> "" && String.for_all (function '0' .. '9' | '.' -> true | _ -> false) s

let deadline s =
  match float_of_string_opt s with
  | Some x when is_decimal s && x <= 3600. -> Some x
  | _ -> None

let is_digits s = s <> "" && String.for_all (fun c -> '0' <= c && c <= '9') s

let number what =
  if not (is_digits what) then
    Answer.refuse `Bad_request "%S is not a number" what
  else
    match int_of_string_opt what with
    | Some n -> n
    | None -> Answer.refuse `Not_found "there is no number %s" what

let limit s =
  match int_of_string_opt s with
  | Some n when is_digits s && 1 <= n && n <= 100 -> Some n
  | _ -> None
