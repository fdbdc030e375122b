(* Functions on files and words. *)

let read path = In_channel.with_open_bin path In_channel.input_all
let lines text = String.split_on_char '\n' text

let fail fmt =
  Printf.ksprintf
    (fun text ->
      prerr_endline ("proofs: " ^ text);
      exit 1)
    fmt

let words text =
  String.split_on_char ' '
    (String.map (function '\n' | '\t' -> ' ' | c -> c) text)
  |> List.filter (( <> ) "")

(* The first position of [sub] in [text], from [i] on. *)
let find text sub i =
  let n = String.length sub in
  let rec go i =
    if i + n > String.length text then None
    else if String.sub text i n = sub then Some i
    else go (i + 1)
  in
  go i

(* A page has a generated part between the marks [first] and [last]. The result
   is the text before this part, the part, and the text after the part. *)
let parts ~path ~first ~last page =
  match (find page first 0, find page last 0) with
  | Some i, Some j ->
      let i = i + String.length first in
      ( String.sub page 0 i,
        String.sub page i (j - i),
        String.sub page j (String.length page - j) )
  | _ -> fail "%s lacks the marks %s and %s" path first last

let write_between ~path ~first ~last rows =
  let before, _, after = parts ~path ~first ~last (read path) in
  Out_channel.with_open_bin path (fun out ->
      output_string out (before ^ rows ^ after))

let between ~path ~first ~last =
  let _, rows, _ = parts ~path ~first ~last (read path) in
  rows
