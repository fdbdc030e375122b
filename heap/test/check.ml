let must what b =
  if not b then begin
    Printf.printf "FAIL %s\n%!" what;
    exit 1
  end

let garbage n = ignore (Sys.opaque_identity (List.init n string_of_int))

let case name f =
  f ();
  Printf.printf "PASS heap: %s\n%!" name
