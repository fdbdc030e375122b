let () =
  prerr_endline "web: SQLite's binding for OCaml is missing:  ./setup web";
  exit 1
