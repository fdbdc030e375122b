let () =
  prerr_endline "web: cohttp-eio, or SQLite's binding for OCaml, is missing";
  exit 1
