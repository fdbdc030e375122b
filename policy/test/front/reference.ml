(* The examples of doc/policy/reference.md are parsed, and their layout is the
   printer's. The page has every word of the language. *)

open Dromos_policy_syntax

let page = In_channel.with_open_bin Sys.argv.(1) In_channel.input_all
let failures = ref 0

let fail format =
  incr failures;
  Printf.printf ("FAIL " ^^ format ^^ "\n")

let indent by text =
  String.split_on_char '\n' text
  |> List.map (fun line -> if line = "" then "" else String.make by ' ' ^ line)
  |> String.concat "\n"

(* The example, put into a policy. *)
let whole = function
  | "policy" -> fun text -> "scheduler x = {\n" ^ indent 2 text ^ "}\n"
  | _ ->
      fun text -> "scheduler x = {\n  void f() {\n" ^ indent 4 text ^ "  }\n}\n"

let check number kind text =
  let text = whole kind text in
  match Parse.string ~file:(Printf.sprintf "example %d" number) text with
  | Error fault -> fail "%s" (Fault.to_string ~source:text fault)
  | Ok ast ->
      if Printer.format ast <> text then
        fail "example %d is laid out like this:\n%s" number (Printer.format ast)

let rec examples number from =
  match
    Str.search_forward (Str.regexp "^```\\(policy[a-z-]*\\)\n") page from
  with
  | exception Not_found -> number
  | _ ->
      let kind = Str.matched_group 1 page and start = Str.match_end () in
      let stop = Str.search_forward (Str.regexp "^```$") page start in
      check number kind (String.sub page start (stop - start));
      examples (number + 1) stop

let mentions word =
  match Str.search_forward (Str.regexp_string word) page 0 with
  | _ -> true
  | exception Not_found -> false

let () =
  let count = examples 1 0 in
  if count < 10 then fail "only %d examples" count;
  List.iter
    (fun (word, _) ->
      if not (mentions ("\"" ^ word ^ "\"")) then
        fail "the grammar lacks %s" word)
    (Tokens.keywords @ Tokens.punctuation);
  List.iter
    (fun (event, _) ->
      if not (mentions ("`" ^ event ^ "`")) then fail "nothing on %s" event)
    Dromos_policy_elaborate.Events.all;
  if !failures = 0 then print_endline "PASS the reference";
  exit (min 1 !failures)
