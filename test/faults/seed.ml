(* Copies of modules with a seeded fault each, made after a table of faults.
   faults.tsv explains the columns.

   seed rules TABLE                 prints dune's rules for all copies, below
                                    (subdir ..) for each folder: rules.inc
   seed copy TABLE COPY FILE TEST.. prints FILE with the fault of COPY; each TEST
                                    is the source of a test, and must have the
                                    cases that find the fault
   seed user TABLE COPY FILE        prints FILE, a user of the source of COPY,
                                    with COPY used instead, and with the copies
                                    of the users before FILE
   seed lines FROM TO FILE          prints the first line of FILE with FROM, the
                                    next line with TO, and the lines between *)

let fail format =
  Printf.ksprintf
    (fun message ->
      prerr_endline ("Error: " ^ message);
      exit 1)
    format

let read file = In_channel.with_open_bin file In_channel.input_all
let lines text = String.split_on_char '\n' text

(* {1 Text} *)

(* The index of the first [part] in [text] at or after [start]. *)
let find ?(start = 0) part text =
  let n = String.length part in
  let rec from i =
    if i + n > String.length text then None
    else if String.sub text i n = part then Some i
    else from (i + 1)
  in
  from start

let split separator text =
  let rec from start =
    match find ~start separator text with
    | None -> [ String.sub text start (String.length text - start) ]
    | Some i ->
        String.sub text start (i - start) :: from (i + String.length separator)
  in
  from 0

(* The rest of a text that begins with [prefix], or that ends with [suffix]. *)
let without_prefix prefix text =
  let n = String.length prefix in
  if String.starts_with ~prefix text then
    Some (String.sub text n (String.length text - n))
  else None

let without_suffix suffix text =
  if String.ends_with ~suffix text then
    Some (String.sub text 0 (String.length text - String.length suffix))
  else None

let stem file = Filename.(remove_extension (basename file))

(* {1 Patterns} of text within a line *)

type pattern = {
  text : string;
  first : bool; (* at the beginning of a line *)
  last : bool; (* at the end of a line *)
  rest : bool; (* with the rest of the line *)
}

let pattern text =
  let first, text =
    match without_prefix "^" text with
    | Some text -> (true, text)
    | None -> (false, text)
  in
  match (without_suffix ".*" text, without_suffix "$" text) with
  | Some text, _ -> { text; first; last = false; rest = true }
  | None, Some text -> { text; first; last = true; rest = false }
  | None, None -> { text; first; last = false; rest = false }

(* The places of a pattern in a line: beginning and end of each. *)
let places p line =
  let length = String.length line in
  let rec from start =
    match find ~start p.text line with
    | None -> []
    | Some i when p.rest -> [ (i, length) ]
    | Some i ->
        let stop = i + String.length p.text in
        if p.last && stop < length then from (i + 1)
        else (i, stop) :: from (Int.max stop (i + 1))
  in
  List.filter (fun (start, _) -> start = 0 || not p.first) (from 0)

let is_in line p = places p line <> []

let replace p ~by line =
  let rec from start = function
    | [] -> String.sub line start (String.length line - start)
    | (i, stop) :: others ->
        String.sub line start (i - start) ^ by ^ from stop others
  in
  from 0 (places p line)

(* {1 Edits} *)

type edit = {
  times : int;
  within : string option; (* a line of the definition that has the text *)
  was : string;
  becomes : string;
}

let edit ~was ~becomes =
  let times, was =
    match split " times: " was with
    | [ n; was ] when int_of_string_opt n <> None -> (int_of_string n, was)
    | _ -> (1, was)
  in
  match split " ... " was with
  | [ within; was ] -> { times; within = Some within; was; becomes }
  | _ -> { times; within = None; was; becomes }

exception Refused of string

let expect n what count =
  if count <> n then
    let s = if count = 1 then "" else "s" in
    raise
      (Refused
         (Printf.sprintf "%d place%s like this, not %d:\n  %s" count s n what))

(* A definition ends before the next line that begins with a letter. *)
let begins_definition line = line <> "" && line.[0] >= 'a' && line.[0] <= 'z'

let rec cut stops before = function
  | l :: ls when not (stops l) -> cut stops (l :: before) ls
  | ls -> (List.rev before, ls)

(* The lines before the definition that an edit is for, those of the definition
   from [within] on, and the lines after it. *)
let zone within lines =
  match within with
  | None -> ([], lines, [])
  | Some line ->
      let is_line l = is_in l (pattern line) in
      expect 1 line (List.length (List.filter is_line lines));
      let front, rest = cut is_line [] lines in
      let inside, back =
        cut begins_definition [ List.hd rest ] (List.tl rest)
      in
      (front, inside, back)

let apply lines { times; within; was; becomes } =
  let front, inside, back = zone within lines in
  let p = pattern was in
  let count n l = n + List.length (places p l) in
  expect times was (List.fold_left count 0 inside);
  let whole_line = p.first && (p.last || p.rest) in
  let edited l =
    match becomes with
    | _ when not (is_in l p) -> Some l
    | "-" when whole_line -> None
    | "-" -> Some (replace p ~by:"" l)
    | by -> Some (replace p ~by l)
  in
  front @ List.filter_map edited inside @ back

(* {1 The table} *)

type row = {
  line : int;
  copy : string;
  source : string;
  users : string list;
  tests : (string * string list) option; (* a program and its cases *)
  fault : string;
  edits : edit list;
}

let folder row = Filename.dirname row.copy
let name row = Filename.basename row.copy

(* The name of the copy of [user] that uses the copy. *)
let user_name row user =
  match without_prefix (stem row.source) (name row) with
  | Some fault -> stem user ^ fault
  | None -> stem user ^ "_" ^ name row

(* The copies, with the module that each is a copy of. The last is the one that
   a test uses. *)
let copies row =
  (row.source, name row)
  :: List.map (fun user -> (user, user_name row user)) row.users

let fail_at table line format =
  Printf.ksprintf
    (fun message ->
      Printf.eprintf "File \"test/faults/%s\", line %d:\n"
        (Filename.basename table) line;
      fail "%s" message)
    format

let fail_in table row format =
  Printf.ksprintf
    (fail_at table row.line "%s (%s): %s" row.copy row.fault)
    format

let row table line text =
  match String.split_on_char '\t' text with
  | copy :: source :: test :: fault :: edits ->
      let rec pairs = function
        | [] -> []
        | was :: becomes :: rest
          when was <> "" && becomes <> "" && was <> becomes ->
            edit ~was ~becomes :: pairs rest
        | _ ->
            fail_at table line
              "%s: after the fault come pairs of text as it was, and as it \
               becomes"
              copy
      in
      let sources = split " + " source in
      let source = List.hd sources and users = List.tl sources in
      let tests =
        match split ": " test with
        | [ "-" ] -> None
        | program :: (_ :: _ as cases) ->
            Some (program, split "; " (String.concat ": " cases))
        | _ -> fail_at table line "%s: the third column is PROGRAM: CASE" copy
      in
      { line; copy; source; users; tests; fault; edits = pairs edits }
  | _ -> fail_at table line "a row has four columns and more, with tabs between"

let rows table =
  let of_line i text =
    if text = "" || text.[0] = '#' then None else Some (row table (i + 1) text)
  in
  List.filter_map Fun.id (List.mapi of_line (lines (read table)))

let check_copies table rows =
  let seen = Hashtbl.create 256 in
  let check row =
    Option.iter
      (fail_at table row.line "%s is the copy of line %d too" row.copy)
      (Hashtbl.find_opt seen row.copy);
    Hashtbl.add seen row.copy row.line
  in
  List.iter check rows

(* {1 Rules} *)

(* From the copy's folder to the folder test. *)
let up row =
  String.concat "" (List.map (fun _ -> "../") (split "/" (folder row)))

(* The source into which the fault is seeded: the unchanged copy in the folder,
   or the original if the faulty copy has the name of the source. *)
let seeded row =
  if stem (name row) = stem row.source then up row ^ "../" ^ row.source
  else Filename.basename row.source

let print_rule row name command files =
  let file = if Filename.extension name = "" then name ^ ".ml" else name in
  let faults = up row ^ "faults" in
  let deps = List.map (Printf.sprintf " %%{dep:%s}") files in
  Printf.printf
    " (rule\n\
    \  (with-stdout-to\n\
    \   %s\n\
    \   (run %%{exe:%s/seed.exe} %s %%{dep:%s/faults.tsv} %s%s)))\n"
    file faults command faults row.copy (String.concat "" deps)

let print_rules row =
  let test (program, _) = up row ^ program ^ ".ml" in
  let tests = List.map test (Option.to_list row.tests) in
  print_rule row (name row) "copy" (seeded row :: tests);
  List.iter
    (fun user -> print_rule row (user_name row user) "user" [ user ])
    row.users

let rules table =
  let rows = rows table in
  check_copies table rows;
  print_string
    "; Written by seed.ml from faults.tsv; `dune promote` accepts a change.\n";
  let print_folder name =
    Printf.printf "\n(subdir\n %s\n" name;
    List.iter (fun row -> if folder row = name then print_rules row) rows;
    print_string " )\n"
  in
  List.iter print_folder (List.sort_uniq compare (List.map folder rows))

(* {1 Copies} *)

let find_row table copy =
  match List.find_opt (fun row -> row.copy = copy) (rows table) with
  | Some row -> row
  | None -> fail "test/faults/%s has no %s" (Filename.basename table) copy

(* The first line of a source that dune has copied names the original, from the root
   of the workspace. Dromos may be a folder of a larger workspace. *)
let check_source table row text =
  let is_source origin =
    String.ends_with ~suffix:("/" ^ row.source) ("/" ^ origin)
  in
  match split "\"" (List.hd (lines text)) with
  | [ "# 1 "; origin; "" ]
    when String.contains row.source '/' && not (is_source origin) ->
      fail_in table row "the source in the folder is from %s" origin
  | _ -> ()

let check_test table row file =
  let text = read file in
  let check part =
    if find part text = None then
      fail_in table row "%s has no %s" (Filename.basename file) part
  in
  let _, used = List.hd (List.rev (copies row)) in
  check (String.capitalize_ascii used);
  let cases = Option.fold row.tests ~none:[] ~some:snd in
  List.iter (fun case -> check ("\"" ^ case ^ "\"")) cases

let copy table copy file tests =
  let row = find_row table copy in
  let text = read file in
  check_source table row text;
  List.iter (check_test table row) tests;
  match List.fold_left apply (lines text) row.edits with
  | lines -> print_string (String.concat "\n" lines)
  | exception Refused why ->
      fail_in table row "cannot be seeded: %s has %s" row.source why

(* Prints the user with the copy of the module before it in the row, which the
   user must use, and with the copies of earlier users. *)
let user table copy file =
  let row = find_row table copy in
  let rec before last earlier = function
    | (user, _) :: _ when stem user = stem file -> (last, earlier)
    | next :: others -> before next (last :: earlier) others
    | [] -> fail_in table row "%s is not among the users" file
  in
  let copies = copies row in
  let last, earlier = before (List.hd copies) [] (List.tl copies) in
  let dot name = String.capitalize_ascii name ^ "." in
  let use text (source, copy) =
    String.concat (dot copy) (split (dot (stem source)) text)
  in
  let text = read file in
  let used = use text last in
  if used = text then
    fail_in table row "%s does not use %s" file (dot (stem (fst last)));
  print_string (List.fold_left use used earlier)

let print_lines from to_ file =
  let has part l = is_in l (pattern part) in
  let no what = fail "%s has no line with %s" file what in
  match cut (has from) [] (lines (read file)) with
  | _, first :: rest -> (
      match cut (has to_) [ first ] rest with
      | part, last :: _ -> List.iter print_endline (part @ [ last ])
      | _, [] -> no to_)
  | _, [] -> no from

let () =
  match List.tl (Array.to_list Sys.argv) with
  | [ "rules"; table ] -> rules table
  | "copy" :: table :: name :: file :: tests -> copy table name file tests
  | [ "user"; table; name; file ] -> user table name file
  | [ "lines"; from; to_; file ] -> print_lines from to_ file
  | _ -> fail "usage: seed rules|copy|user|lines ..; its source explains"
