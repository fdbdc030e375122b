(* Prints the files on the command line without comments, with one space for
   each run of blanks outside strings: the text that Coq reads. A comment that
   touches the code before the comment leaves a mark, since the comment
   separates tokens there. *)

let blank c = c = ' ' || c = '\t' || c = '\n' || c = '\r'

let read file =
  let channel = open_in_bin file in
  let text = really_input_string channel (in_channel_length channel) in
  close_in channel;
  text

(* The place after the string whose inside goes on at [i]. *)
let rec past_string text i =
  match text.[i] with '"' -> i + 1 | _ -> past_string text (i + 1)

let at text i what =
  i + String.length what <= String.length text
  && String.sub text i (String.length what) = what

(* The place after the comment whose inside goes on at [i]. Comments nest and
   contain strings, as for Coq's lexer. *)
let rec past_comment text i =
  if at text i "*)" then i + 2
  else if at text i "(*" then past_comment text (past_comment text (i + 2))
  else if text.[i] = '"' then past_comment text (past_string text (i + 1))
  else past_comment text (i + 1)

let strip text =
  let code = Buffer.create (String.length text) in
  let last () =
    match Buffer.length code with 0 -> ' ' | n -> Buffer.nth code (n - 1)
  in
  let rec go i =
    if i < String.length text then
      if at text i "(*" then begin
        if not (blank (last ())) then Buffer.add_string code "(**) ";
        go (past_comment text (i + 2))
      end
      else if text.[i] = '"' then begin
        let past = past_string text (i + 1) in
        Buffer.add_string code (String.sub text i (past - i));
        go past
      end
      else begin
        if not (blank text.[i]) then Buffer.add_char code text.[i]
        else if not (blank (last ())) then Buffer.add_char code ' ';
        go (i + 1)
      end
  in
  go 0;
  Buffer.contents code

let () =
  Array.iteri
    (fun i file ->
      if i > 0 then
        match strip (read file) with
        | code -> Printf.printf "%s\n%s\n" file code
        | exception Invalid_argument _ ->
            Printf.eprintf "%s: a comment or a string does not end\n" file;
            exit 1)
    Sys.argv
