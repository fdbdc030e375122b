(* The page of theorems, from the proofs themselves.

   A theorem that the page shows has its statement in words just before it, as
   (** Claim: ... *). Coq is asked what each of them assumes; the page is written
   from the answers, and not at all if one assumes anything. *)

type theorem = { file : string; name : string; words : string }

let read path = In_channel.with_open_bin path In_channel.input_all
let lines text = String.split_on_char '\n' text

let fail fmt =
  Printf.ksprintf
    (fun text ->
      prerr_endline ("proofs: " ^ text);
      exit 1)
    fmt

(* {1 The sources} *)

let is_file line =
  String.ends_with ~suffix:".v" line
  && not (String.starts_with ~prefix:"-" line)

let files () = List.filter is_file (lines (read "_CoqProject"))

let words text =
  String.split_on_char ' '
    (String.map (function '\n' | '\t' -> ' ' | c -> c) text)
  |> List.filter (( <> ) "")

(* Where [sub] begins in [text] from [i] on. *)
let find text sub i =
  let n = String.length sub in
  let rec go i =
    if i + n > String.length text then None
    else if String.sub text i n = sub then Some i
    else go (i + 1)
  in
  go i

let kinds = [ "Theorem"; "Lemma"; "Corollary" ]
let claim = "(** Claim:"

let theorem_after file text i said =
  match words (String.sub text i (min 200 (String.length text - i))) with
  | kind :: name :: _ when List.mem kind kinds ->
      let name = List.hd (String.split_on_char ':' name) in
      { file; name; words = said }
  | _ -> fail "%s: after \"Claim: %s\" comes no theorem" file said

let rec theorems_from file text i =
  match find text claim i with
  | None -> []
  | Some start -> (
      let first = start + String.length claim in
      match find text "*)" first with
      | None -> fail "%s: a claim that does not end" file
      | Some last ->
          let said =
            String.concat " " (words (String.sub text first (last - first)))
          in
          theorem_after file text (last + 2) said
          :: theorems_from file text (last + 2))

let theorems () =
  List.concat_map (fun file -> theorems_from file (read file) 0) (files ())

(* What a finished proof does not contain, as a word of its own. *)
let forbidden = [ "Admitted."; "admit."; "Axiom"; "Parameter"; "Abort." ]

let no_gaps () =
  let check file =
    let said = words (read file) in
    let gap = List.find_opt (fun word -> List.mem word said) forbidden in
    Option.iter (fun word -> fail "%s: contains \"%s\"" file word) gap
  in
  List.iter check (files ())

(* {1 Coq's answers} *)

let logical file =
  "dromos."
  ^ String.concat "."
      (String.split_on_char '/' (Filename.chop_suffix file ".v"))

let questions all =
  let file_names = List.sort_uniq compare (List.map (fun t -> t.file) all) in
  List.iter (fun f -> Printf.printf "Require %s.\n" (logical f)) file_names;
  let ask t =
    let name = logical t.file ^ "." ^ t.name in
    Printf.printf "Goal True. idtac \"== %s\". exact I. Qed.\n" name;
    Printf.printf "Print Assumptions %s.\n" name
  in
  List.iter ask all

let closed = "Closed under the global context"

let check_answers all answers =
  let rec go all lines =
    match (all, lines) with
    | [], _ -> ()
    | t :: rest, mark :: answer :: lines
      when mark = "== " ^ logical t.file ^ "." ^ t.name ->
        if answer <> closed then fail "%s assumes: %s" t.name answer;
        go rest lines
    | t :: _, _ -> fail "Coq did not say what %s assumes" t.name
  in
  go all (List.filter (( <> ) "") (lines answers))

(* {1 The page} *)

let seconds file =
  match read (Filename.chop_suffix file ".v" ^ ".seconds") with
  | text -> String.trim text
  | exception Sys_error _ -> "?"

let rows ~timed all =
  let row t = Printf.sprintf "| `%s` | %s |\n" t.name t.words in
  let section file =
    let here = List.filter (fun t -> t.file = file) all in
    if here = [] then ""
    else
      let time = if timed then Printf.sprintf ", %s s" (seconds file) else "" in
      Printf.sprintf
        "\n### `proofs/%s`%s\n\n| theorem | in words |\n|---|---|\n" file time
      ^ String.concat "" (List.map row here)
  in
  String.concat "" (List.map section (files ()))

let first = "<!-- theorems: begin -->\n"
let last = "\n<!-- theorems: end -->"

(* The page before the rows, the rows, and what comes after them. *)
let parts page =
  match (find page first 0, find page last 0) with
  | Some i, Some j ->
      let i = i + String.length first in
      ( String.sub page 0 i,
        String.sub page i (j - i),
        String.sub page j (String.length page - j) )
  | _ -> fail "doc/verification.md has no place for the theorems"

let write_page path all =
  let before, _, after = parts (read path) in
  Out_channel.with_open_bin path (fun out ->
      output_string out (before ^ rows ~timed:true all ^ after))

(* The page says what the sources say, whatever the times. *)
let check_page path all =
  let untimed line =
    if String.starts_with ~prefix:"###" line then
      List.hd (String.split_on_char ',' line)
    else line
  in
  let _, shown, _ = parts (read path) in
  if List.map untimed (lines shown) <> lines (rows ~timed:false all) then
    fail "%s does not list the theorems of the sources; run make proofs" path

let () =
  let all = theorems () in
  match List.tl (Array.to_list Sys.argv) with
  | [ "questions" ] ->
      no_gaps ();
      questions all
  | [ "page"; "--answers"; answers; "--output"; page ] ->
      check_answers all (read answers);
      write_page page all
  | [ "check"; page ] ->
      no_gaps ();
      check_page page all;
      Printf.printf "PASS the page lists the %d theorems of the proofs\n"
        (List.length all)
  | [ "count" ] -> Printf.printf "%d\n" (List.length all)
  | _ ->
      prerr_endline "usage: verification questions|page|check PAGE|count";
      exit 2
