(* Reads `dune describe workspace --with-deps --format=csexp` on standard input, and
   writes graphs in graphviz's language into the folder given as argument:
   libraries.dot, the libraries under lib/; and modules-NAME.dot for each library
   with more than one module. *)

type node = { name : string; note : string; uses : string list }

(* Fields of a record, as dune writes records: ((name value ..) ..). *)

let field name = function
  | Csexp.Atom _ -> []
  | List fields ->
      Option.value ~default:[]
        (List.find_map
           (function
             | Csexp.List (Atom n :: values) when n = name -> Some values
             | _ -> None)
           fields)

let text name record =
  match field name record with Csexp.Atom a :: _ -> a | _ -> ""

let atoms name record =
  List.filter_map
    (function Csexp.Atom a -> Some a | List _ -> None)
    (match field name record with [ List l ] -> l | l -> l)

let libraries = function
  | Csexp.Atom _ -> []
  | List items ->
      List.filter_map
        (function Csexp.List [ Atom "library"; l ] -> Some l | _ -> None)
        items

(* The folder of a library of the house, from the repository's root. *)
let folder l =
  let build = "_build/default/" and dir = text "source_dir" l in
  if String.starts_with ~prefix:(build ^ "lib/") dir then
    let n = String.length build in
    Some (String.sub dir n (String.length dir - n))
  else None

let library_nodes all =
  let names = List.map (fun l -> (text "uid" l, text "name" l)) all in
  let uses l =
    List.filter_map (fun uid -> List.assoc_opt uid names) (atoms "requires" l)
  in
  List.filter_map
    (fun l ->
      Option.map
        (fun note -> { name = text "name" l; note; uses = uses l })
        (folder l))
    all

let module_nodes l =
  let items = match field "modules" l with [ List l ] -> l | l -> l in
  List.filter_map
    (fun m ->
      let name = text "name" m in
      let file =
        match field "impl" m with [ List [ Atom file ] ] -> file | _ -> ""
      in
      (* Dune itself writes the alias module of a wrapped library. *)
      if name = "" || Filename.check_suffix file ".ml-gen" then None
      else
        let uses =
          match field "module_deps" m with
          | deps :: _ -> atoms "for_intf" deps @ atoms "for_impl" deps
          | [] -> []
        in
        Some { name; note = ""; uses = List.filter (( <> ) name) uses })
    items

(* The program gives the sizes, in letters: graphviz would measure the text in the
   fonts of the machine. The title is a node, above the nodes that no node uses,
   because the width of a graph's label cannot be given. *)
let node b name ~label ~points more =
  let lines = String.split_on_char '\n' label in
  let letters = List.fold_left (fun n l -> max n (String.length l)) 0 lines in
  let width = (float (letters * points) *. 0.6 /. 72.) +. 0.25 in
  Printf.bprintf b "%S [label=%S, fontsize=%d, width=%.2f%s];\n" name label
    points width more

let dot ~title nodes =
  let nodes = List.sort (fun a b -> compare a.name b.name) nodes in
  let known u = List.exists (fun n -> n.name = u) nodes in
  let used u = List.exists (fun n -> List.mem u n.uses) nodes in
  let b = Buffer.create 4096 in
  Printf.bprintf b
    "digraph %S {\n\
     bgcolor=white; ranksep=0.4; nodesep=0.2; pad=0.2;\n\
     node [shape=box, style=\"rounded,filled\", fillcolor=\"#eaf1fb\", \
     color=\"#3b6ea8\", fontname=Helvetica, fontcolor=\"#1c2733\", \
     fixedsize=true, height=0.5];\n\
     edge [color=\"#8795a8\", arrowsize=0.6];\n"
    title;
  node b title ~label:title ~points:16 ", shape=plaintext, style=solid";
  List.iter
    (fun n ->
      let label = if n.note = "" then n.name else n.name ^ "\n" ^ n.note in
      node b n.name ~label ~points:12 "";
      if not (used n.name) then
        Printf.bprintf b "%S -> %S [style=invis, weight=0];\n" title n.name;
      List.iter
        (fun u -> if known u then Printf.bprintf b "%S -> %S;\n" n.name u)
        (List.sort_uniq compare n.uses))
    nodes;
  Buffer.add_string b "}\n";
  Buffer.contents b

let () =
  let dir = Sys.argv.(1) in
  let write name contents =
    let path = Filename.concat dir (name ^ ".dot") in
    Out_channel.with_open_bin path (fun oc -> output_string oc contents)
  in
  let all =
    match Csexp.input stdin with
    | Ok description -> libraries description
    | Error message -> failwith ("the description by dune: " ^ message)
  in
  write "libraries"
    (dot ~title:"The libraries: each uses only what stands below it"
       (library_nodes all));
  List.iter
    (fun l ->
      match (folder l, module_nodes l) with
      | Some folder, (_ :: _ :: _ as nodes) ->
          write
            ("modules-" ^ text "name" l)
            (dot ~title:("The modules of " ^ folder) nodes)
      | _ -> ())
    all
