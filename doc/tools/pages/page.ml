open Markdown

type site = { homepage : string; folder : string; guides : string list }

let name guide =
  let parts = String.split_on_char '/' (Filename.remove_extension guide) in
  let named part = part <> "README" && part <> "." in
  String.concat "-" (List.filter named parts)

let escape ~special s =
  let b = Buffer.create (String.length s) in
  String.iter
    (fun c ->
      if String.contains special c then Buffer.add_char b '\\';
      Buffer.add_char b c)
    s;
  Buffer.contents b

(* {Links} *)

let is_absolute target = String.contains target ':'

(* A path from the repository's root. *)
let normal line path =
  let step above = function
    | "" | "." -> above
    | ".." -> (
        match above with
        | _ :: above -> above
        | [] -> raise (Fault (line, "this link leaves the repository")))
    | part -> part :: above
  in
  let parts = List.fold_left step [] (String.split_on_char '/' path) in
  String.concat "/" (List.rev parts)

(* The reference or address of a link. *)
let address site ~guide line target =
  if is_absolute target then ":" ^ target
  else
    let path, label =
      match String.index_opt target '#' with
      | None -> (target, "")
      | Some i ->
          let n = String.length target in
          (String.sub target 0 i, String.sub target (i + 1) (n - i - 1))
    in
    let file =
      if path = "" then site.folder ^ "/" ^ guide
      else
        normal line
          (String.concat "/" [ site.folder; Filename.dirname guide; path ])
    in
    match
      List.find_opt
        (fun g -> normal line (site.folder ^ "/" ^ g) = file)
        site.guides
    with
    | Some g when label = "" -> Printf.sprintf "!page-%S" (name g)
    | Some g -> Printf.sprintf "!page-%S.%S" (name g) label
    | None ->
        let label = if label = "" then "" else "#" ^ label in
        Printf.sprintf ":%s/blob/main/%s%s" site.homepage file label

(* {Text} *)

let rec text site ~guide inlines =
  let inner = text site ~guide in
  let one = function
    | Text s -> escape ~special:"{}[]@" s
    | Code s -> "[" ^ escape ~special:"[]" s ^ "]"
    | Bold t -> "{b " ^ inner t ^ "}"
    | Italic t -> "{e " ^ inner t ^ "}"
    | Link { line; target; text } ->
        Printf.sprintf "{{%s}%s}" (address site ~guide line target) (inner text)
  in
  String.concat "" (List.map one inlines)

(* {Labels} *)

(* GitHub makes the same labels of headings, and links in Markdown use the labels. *)
let label heading =
  let keep = function
    | ('a' .. 'z' | '0' .. '9' | '-' | '_' | '\128' .. '\255') as c ->
        String.make 1 c
    | ' ' -> "-"
    | _ -> ""
  in
  let s = String.lowercase_ascii (plain heading) in
  String.concat "" (List.map keep (List.of_seq (String.to_seq s)))

let contains s part =
  let n = String.length part in
  let rec from i =
    i + n <= String.length s && (String.sub s i n = part || from (i + 1))
  in
  from 0

(* {Blocks} *)

let print site ~guide all =
  let text = text site ~guide in
  let labels = Hashtbl.create 16 in
  (* A label that is taken gets the first free number, as on GitHub. *)
  let fresh label =
    let rec free k =
      let numbered = if k = 0 then label else Printf.sprintf "%s-%d" label k in
      if Hashtbl.mem labels numbered then free (k + 1) else numbered
    in
    let label = free 0 in
    Hashtbl.replace labels label ();
    label
  in
  let rec print blocks = String.concat "\n\n" (List.map block blocks)
  and block = function
    | Heading (1, t) -> Printf.sprintf "{0 %s}" (text t)
    | Heading (k, t) ->
        Printf.sprintf "{%d:%s %s}" (k - 1) (fresh (label t)) (text t)
    | Paragraph t -> text t
    | Block { language; code } ->
        let language = if language = "" then "text" else language in
        let rec mark m =
          if contains code ("]" ^ m ^ "}") then mark (m ^ "code") else m
        in
        let mark = mark "" in
        Printf.sprintf "{%s@%s[\n%s\n]%s}" mark language code mark
    | Bullets l -> list "ul" l
    | Numbers l -> list "ol" l
    | Table { head; rows } ->
        let row cell cells =
          let one t = Printf.sprintf "{%s %s}" cell (text t) in
          Printf.sprintf "{tr %s}" (String.concat " " (List.map one cells))
        in
        Printf.sprintf "{table\n%s}"
          (String.concat "\n" (row "th" head :: List.map (row "td") rows))
  and list kind l =
    let item blocks = Printf.sprintf "{- %s}" (print blocks) in
    Printf.sprintf "{%s\n%s}" kind (String.concat "\n" (List.map item l))
  in
  print all ^ "\n"
