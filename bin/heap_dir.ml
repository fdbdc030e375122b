open Cmdliner

let library = "libasmrun_hh.a"

(* The places to look: the build tree of this command, and the installation
   beside the command. *)
let places =
  let bin = Filename.dirname Sys.executable_name in
  let beside parts =
    List.fold_left Filename.concat (Filename.dirname bin) parts
  in
  [ beside [ "heap" ]; beside [ "lib"; "dromos-heap" ] ]

let run () =
  let there place = Sys.file_exists (Filename.concat place library) in
  match List.find_opt there places with
  | Some place ->
      print_endline (Unix.realpath place);
      Status.fine
  | None ->
      prerr_endline
        ("dromos: " ^ library
       ^ " is not installed: it is made for OCaml 5.3 on amd64 Linux (opam \
          package dromos-heap)");
      Status.bad_input

let cmd =
  let doc =
    "where the runtime variant with heaps of its own for each domain lies"
  in
  let man =
    [
      `S Manpage.s_description;
      `P
        "Prints the folder of libasmrun_hh.a, for: ocamlfind ocamlopt -I \
         \\$(dromos heap dir) -runtime-variant _hh prog.ml";
    ]
  in
  Cmd.v (Cmd.info "dir" ~doc ~man) Term.(const run $ const ())
