let program name =
  let here = Filename.dirname Sys.executable_name in
  let within = List.fold_left Filename.concat in
  let built = within here [ name ] in
  let installed =
    within (Filename.dirname here) [ "lib"; "dromos-bench"; name ]
  in
  if Sys.file_exists built || not (Sys.file_exists installed) then built
  else installed
