(* Numbers are found by the words that stand before or after them. *)

type place = Before of string | After of string

let words =
  [
    ("leaf_collections", Before " leaf collections");
    ("full_collections", Before " of them full");
    ("leaf_longest_ms", After "full, longest ");
    ("leaf_s", After "together ");
    ("global_collections", Before " global collections");
    ("global_longest_ms", After "longest pause ");
    ("copied_mb", Before " MB copied");
    ("pinned_mb", Before " MB pinned");
    ("held_mb", After "at most ");
  ]

let find text part =
  let n = String.length text and k = String.length part in
  let rec from i =
    if i + k > n then None
    else if String.sub text i k = part then Some i
    else from (i + 1)
  in
  from 0

let in_number c = (c >= '0' && c <= '9') || c = '.'

let rec past text i =
  if i < String.length text && in_number text.[i] then past text (i + 1) else i

let rec first text i =
  if i > 0 && in_number text.[i - 1] then first text (i - 1) else i

let number text place =
  let between i j = float_of_string_opt (String.sub text i (j - i)) in
  match place with
  | Before part ->
      Option.bind (find text part) (fun i -> between (first text i) i)
  | After part ->
      Option.bind (find text part) (fun i ->
          let i = i + String.length part in
          between i (past text i))

let figures text =
  List.filter_map
    (fun (name, place) -> Option.map (fun x -> (name, x)) (number text place))
    words
