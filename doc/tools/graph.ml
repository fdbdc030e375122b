(* Reads `dune describe workspace --with-deps` on standard input, and writes into
   the folder given as argument: libraries.svg, the libraries under lib/; and modules-NAME.svg for each of them with more than one module. *)

let libraries description =
  match description with
  | Sexp.Atom _ -> []
  | List items ->
      List.filter_map
        (function Sexp.List [ Atom "library"; l ] -> Some l | _ -> None)
        items

let text name l = Sexp.atom (Sexp.field name l)
let prefix = "_build/default/"

(* The folder of a library of the house, from the repository's root. *)
let folder l =
  let dir = text "source_dir" l in
  if String.starts_with ~prefix:(prefix ^ "lib/") dir then
    let n = String.length prefix in
    Some (String.sub dir n (String.length dir - n))
  else None

(* Those of others are left out: the opam files list them. *)
let library_nodes all =
  let names = List.map (fun l -> (text "uid" l, text "name" l)) all in
  let uses l =
    List.filter_map
      (fun uid -> List.assoc_opt uid names)
      (Sexp.atoms (Sexp.field "requires" l))
  in
  List.filter_map
    (fun l ->
      Option.map
        (fun note -> { Layers.name = text "name" l; note; uses = uses l })
        (folder l))
    all

let module_nodes l =
  let items = match Sexp.field "modules" l with [ List l ] -> l | l -> l in
  List.filter_map
    (fun m ->
      let name = text "name" m in
      let file =
        match Sexp.field "impl" m with
        | [ List [ Atom file ] ] -> file
        | _ -> ""
      in
      (* The alias module that dune writes for a wrapped library is not ours. *)
      if name = "" || Filename.check_suffix file ".ml-gen" then None
      else
        let deps =
          match Sexp.field "module_deps" m with d :: _ -> d | [] -> List []
        in
        let uses kind = Sexp.atoms (Sexp.field kind deps) in
        let uses = List.sort_uniq compare (uses "for_intf" @ uses "for_impl") in
        Some
          {
            Layers.name;
            note = "";
            uses = List.filter (fun u -> u <> name) uses;
          })
    items

let write dir file contents =
  let path = Filename.concat dir file in
  Out_channel.with_open_bin path (fun oc -> output_string oc contents);
  print_endline path

let () =
  let dir = Sys.argv.(1) in
  let all = libraries (Sexp.parse (In_channel.input_all stdin)) in
  write dir "libraries.svg"
    (Layers.svg ~title:"The libraries: each uses only what stands below it"
       (library_nodes all));
  List.iter
    (fun l ->
      match (folder l, module_nodes l) with
      | Some folder, (_ :: _ :: _ as nodes) ->
          let name = text "name" l in
          write dir
            ("modules-" ^ name ^ ".svg")
            (Layers.svg ~title:("The modules of " ^ folder) nodes)
      | _ -> ())
    all
