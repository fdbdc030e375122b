(* Both texts become lists of sentences: without comments, and with one space
   between words. The proofs are taken out, and the rest is compared. *)

let all = Certify.[ Gcwc; Hcwc; Lcwc_of_new; Lcwc_of_unblock ]

(* {1 Sentences} *)

(* Replaces each comment by a space. Comments nest. *)
let without_comments text =
  let n = String.length text in
  let out = Buffer.create n in
  let pair i a b = i + 1 < n && text.[i] = a && text.[i + 1] = b in
  let rec go i depth =
    if i < n then
      if pair i '(' '*' then go (i + 2) (depth + 1)
      else if depth > 0 && pair i '*' ')' then begin
        if depth = 1 then Buffer.add_char out ' ';
        go (i + 2) (depth - 1)
      end
      else begin
        if depth = 0 then Buffer.add_char out text.[i];
        go (i + 1) depth
      end
  in
  go 0 0;
  Buffer.contents out

let words text =
  String.map (function '\n' | '\t' | '\r' -> ' ' | c -> c) text
  |> String.split_on_char ' '
  |> List.filter (( <> ) "")

(* A sentence ends with a word that ends with a dot. *)
let sentences text =
  let ends word = String.ends_with ~suffix:"." word in
  let rec go sentence = function
    | [] -> if sentence = [] then [] else [ List.rev sentence ]
    | word :: rest when ends word -> List.rev (word :: sentence) :: go [] rest
    | word :: rest -> go (word :: sentence) rest
  in
  go [] (words (without_comments text)) |> List.map (String.concat " ")

(* {1 Proofs} *)

(* The words of a sentence, as Coq divides it: names, and single signs. *)
let names sentence =
  let name c =
    match c with
    | 'a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '_' | '\'' | '.' -> true
    | _ -> false
  in
  String.map (fun c -> if name c then c else ' ') sentence |> words

let gives_up sentence =
  List.exists
    (fun w ->
      let w =
        if String.ends_with ~suffix:"." w then
          String.sub w 0 (String.length w - 1)
        else w
      in
      List.mem w [ "admit"; "give_up"; "Admitted"; "Abort" ])
    (names sentence)

(* A tactic begins with a small letter, a bullet or a brace. *)
let is_command sentence =
  match
    List.find_opt
      (fun c -> not (List.mem c [ '-'; '+'; '*'; '{'; '}'; ' '; '(' ]))
      (List.of_seq (String.to_seq sentence))
  with
  | Some ('A' .. 'Z' | '#') -> true
  | Some _ | None -> false

(* The sentences without the tactics of the proofs; or the first sentence in a
   proof that is no tactic. *)
let without_proofs all =
  let rec outside kept = function
    | [] -> Ok (List.rev kept)
    | "Proof." :: rest -> inside ("Proof." :: kept) rest
    | s :: rest -> outside (s :: kept) rest
  and inside kept = function
    | [] -> Error "a proof has no end"
    | "Qed." :: rest -> outside ("Qed." :: kept) rest
    | s :: _ when gives_up s -> Error (Printf.sprintf "a proof gives up: %s" s)
    | s :: _ when is_command s ->
        Error (Printf.sprintf "a proof has a command, which is no tactic: %s" s)
    | _ :: rest -> inside kept rest
  in
  outside [] all

(* {1 Comparing} *)

let statement policy property =
  Certify.text ~source:"" policy [ property ]
  |> sentences
  |> List.find_opt (String.starts_with ~prefix:"Theorem ")

let shown s = if String.length s <= 160 then s else String.sub s 0 157 ^ "..."

let rec first_difference expected found =
  match (expected, found) with
  | [], [] -> None
  | e :: expected, f :: found when e = f -> first_difference expected found
  | [], f :: _ -> Some (Printf.sprintf "the file also says: %s" (shown f))
  | e :: _, [] -> Some (Printf.sprintf "the file does not say: %s" (shown e))
  | e :: _, f :: _ ->
      Some
        (Printf.sprintf
           "the file says:\n  %s\nand of this policy it should say:\n  %s"
           (shown f) (shown e))

(* Coq reads the signs of comments in a string as letters, so a string could
   hide a command from this module. *)
let compared policy text =
  let found = sentences text in
  let stated =
    List.filter
      (fun p ->
        match statement policy p with
        | Some s -> List.mem s found
        | None -> false)
      all
  in
  if stated = [] then
    Error "the file has no theorem that a certificate of a policy has"
  else
    match
      ( without_proofs (sentences (Certify.text ~source:"" policy stated)),
        without_proofs found )
    with
    | Ok expected, Ok found -> (
        match first_difference expected found with
        | None -> Ok stated
        | Some difference -> Error difference)
    | Error why, _ | _, Error why -> Error why

let file policy text =
  if String.contains text '"' then
    Error "the file has a string, which no certificate needs"
  else compared policy text
