(* The theorems on the page. A theorem's statement in words stands just before
   the theorem, as (** Claim: ... *). *)

open Text

type t = { file : string; name : string; words : string }

let is_file line =
  String.ends_with ~suffix:".v" line
  && not (String.starts_with ~prefix:"-" line)

let files () = List.filter is_file (lines (read "_CoqProject"))
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

let all () =
  List.concat_map (fun file -> theorems_from file (read file) 0) (files ())

(* Words that a finished proof does not contain. *)
let forbidden = [ "Admitted."; "admit."; "Axiom"; "Parameter"; "Abort." ]

let no_gaps () =
  let check file =
    let said = words (read file) in
    let gap = List.find_opt (fun word -> List.mem word said) forbidden in
    Option.iter (fun word -> fail "%s: contains \"%s\"" file word) gap
  in
  List.iter check (files ())
