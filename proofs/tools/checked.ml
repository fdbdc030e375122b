(* The table of proved, model-checked and tested operations. The kernel's
   interfaces state the facts at the end of their first comment:

     {b Checked.}
     - proved (proofs/base/queue.v): [create], [push], [pop];
     - model-checked (test/base): [push], [pop];
     - tested (test/base): all.

   An operation called proved must have a theorem of its name in the named
   file. *)

open Text

type operations = All | These of string list
type kind = { name : string; where : string; operations : operations }
type interface = { path : string; vals : string list; kinds : kind list }

let kind_names = [ "proved"; "model-checked"; "tested" ]

(* Every [val] in an interface. The only include is [include Ws_deques.S]. *)
let rec vals path =
  let of_line line =
    match words line with
    | "val" :: name :: _ -> [ name ]
    | [ "include"; "Ws_deques.S" ] ->
        vals (Filename.concat (Filename.dirname path) "ws_deques.mli")
    | _ -> []
  in
  List.concat_map of_line (lines (read path))

(* "(proofs/base/queue.v):" to "proofs/base/queue.v" *)
let place path word =
  match String.index_opt word ')' with
  | Some stop when word.[0] = '(' -> String.sub word 1 (stop - 1)
  | _ -> fail "%s: \"%s\" is no place: (FILE) or (FOLDER)" path word

let bare word =
  String.concat ""
    (List.concat_map (String.split_on_char ']')
       (String.split_on_char '[' (List.hd (String.split_on_char ',' word))))

let kind path said =
  match words said with
  | name :: where :: operations when List.mem name kind_names ->
      let operations =
        match List.map bare operations with
        | [ "all" ] -> All
        | names -> These names
      in
      Some { name; where = place path where; operations }
  | [] -> None
  | word :: _ -> fail "%s: \"%s\" among what is checked" path word

let mark = "{b Checked.}"

let interface path =
  let text = read path in
  match find text mark 0 with
  | None -> None
  | Some i ->
      let first = i + String.length mark in
      let last =
        match find text "*)" first with
        | Some j -> j
        | None -> fail "%s: a comment that does not end" path
      in
      let said = String.trim (String.sub text first (last - first)) in
      let said =
        match String.index_opt said '.' with
        | _ when String.ends_with ~suffix:"." said ->
            String.sub said 0 (String.length said - 1)
        | _ -> fail "%s: the list of checks ends with a full stop" path
      in
      let item text =
        let text = String.trim text in
        if String.starts_with ~prefix:"- " text then
          String.sub text 2 (String.length text - 2)
        else fail "%s: \"- \" expected before \"%s\"" path text
      in
      let items = List.map item (String.split_on_char ';' said) in
      Some { path; vals = vals path; kinds = List.filter_map (kind path) items }

(* {1 Checks} *)

let names interface kind =
  match kind.operations with All -> interface.vals | These names -> names

(* lib/kernel/deque/private_.mli to private_ *)
let prefix path =
  let file = Filename.remove_extension (Filename.basename path) in
  if String.ends_with ~suffix:"_" file then file else file ^ "_"

let check_kind theorems interface kind =
  let proved name =
    List.exists
      (fun (t : Theorems.t) ->
        "proofs/" ^ t.file = kind.where
        && (t.name = prefix interface.path ^ name
           || String.starts_with
                ~prefix:(prefix interface.path ^ name ^ "_spec")
                t.name))
      theorems
  in
  let check name =
    if not (List.mem name interface.vals) then
      fail "%s: %s is no operation of it" interface.path name;
    if kind.name = "proved" && not (proved name) then
      fail "%s: %s is called proved, but %s has no theorem %s%s_spec"
        interface.path name kind.where (prefix interface.path) name
  in
  List.iter check (names interface kind)

let interfaces theorems paths =
  let all = List.filter_map interface paths in
  List.iter (fun i -> List.iter (check_kind theorems i) i.kinds) all;
  all

(* {1 The table} *)

let cell interface name =
  let told = List.filter (fun k -> k.name = name) interface.kinds in
  let of_kind kind =
    let these = names interface kind in
    if List.for_all (fun v -> List.mem v these) interface.vals then "all"
    else String.concat ", " (List.map (fun v -> "`" ^ v ^ "`") these)
  in
  match told with
  | [] -> "-"
  | told -> String.concat "; " (List.map of_kind told)

(* lib/kernel/deque/bounded.mli to deque/bounded.mli, wherever lib is in the
   path. *)
let within path =
  let root = "lib/kernel/" in
  match find path root 0 with
  | Some i ->
      let i = i + String.length root in
      String.sub path i (String.length path - i)
  | None -> fail "%s is not in %s" path root

let table interfaces =
  let row i =
    Printf.sprintf "| [`%s`](%s) | %s |\n"
      (Filename.remove_extension (within i.path))
      (within i.path)
      (String.concat " | " (List.map (cell i) kind_names))
  in
  "\n| module | "
  ^ String.concat " | " kind_names
  ^ " |\n|---|---|---|---|\n"
  ^ String.concat "" (List.map row interfaces)

let first = "<!-- checked: begin (make proofs) -->\n"
let last = "\n<!-- checked: end -->"
let write path all = write_between ~path ~first ~last (table all)

let check path all =
  if between ~path ~first ~last <> table all then
    fail
      "%s does not say of the kernel what its interfaces say; run make proofs"
      path
